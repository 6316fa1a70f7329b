// SPDX-License-Identifier: Apache-2.0
// Where the items of a drawing are at a moment. Everything is in space; planar items have z = 0 and turn about z.
import { reader } from "./data.js";

// ---- quaternions (w, x, y, z) ----

export function multiply(a, b) {
    return [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ];
}

export function rotate(p, v) {
    const [w, x, y, z] = p;
    const tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
    return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

const normalised = (p) => {
    const size = Math.hypot(...p);
    return size > 0 ? p.map((value) => value / size) : [1, 0, 0, 0];
};

export const turn = (angle) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];

// From the first two columns of a rotation.
function quaternionOf([a, b, c, d, e, f]) {
    const [g, h, i] = [b * f - c * e, c * d - a * f, a * e - b * d]; // the third
    const squares = [1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i], k = squares.indexOf(Math.max(...squares));
    const rows = [[squares[0], f - h, g - c, b - d], [f - h, squares[1], d + b, g + c], [g - c, d + b, squares[2], h + f], [b - d, g + c, h + f, squares[3]]];
    return normalised(rows[k]);
}

const AXES = { x: 1, y: 2, z: 3 };

function turnAbout(axis, angle) {
    const p = [Math.cos(angle / 2), 0, 0, 0];
    p[AXES[axis]] = Math.sin(angle / 2);
    return p;
}

// ---- readers ----

function vectorReader(table, list) {
    const readers = (list ?? []).map((value) => reader(table, value));
    while (readers.length < 3) readers.push(() => 0);
    return (moment) => readers.map((read) => read(moment));
}

// Rotation: `angle` about z, `rotation` a quaternion, or `turns` [[axis, angle], ...] one after the other about moving axes.
function rotationReader(table, item) {
    if (item.rotation) {
        const readers = item.rotation.map((value) => reader(table, value));
        return (moment) => normalised(readers.map((read) => read(moment)));
    }
    if (item.turns) {
        const readers = item.turns.map(([axis, value]) => [axis, reader(table, value)]);
        return (moment) => readers.reduce((p, [axis, read]) => multiply(p, turnAbout(axis, read(moment))), [1, 0, 0, 0]);
    }
    if (item.axes) {
        const readers = item.axes.map((value) => reader(table, value));
        return (moment) => quaternionOf(readers.map((read) => read(moment)));
    }
    const read = reader(table, item.angle ?? 0);
    return (moment) => turn(read(moment));
}

// The pose {r, p} of an item: that of its body, then its own place in the body's frame. `body` names an entry of drawing.bodies.
export function poseReader(table, drawing, item) {
    const own = { at: vectorReader(table, item.at), turn: rotationReader(table, item) };
    const body = item.body === undefined ? null : drawing.bodies?.[item.body];
    if (!body) return (moment) => ({ r: own.at(moment), p: own.turn(moment) });
    const base = { at: vectorReader(table, body.at), turn: rotationReader(table, body) };
    return (moment) => {
        const r = base.at(moment), p = base.turn(moment), offset = rotate(p, own.at(moment));
        return { r: r.map((value, i) => value + offset[i]), p: multiply(p, own.turn(moment)) };
    };
}

// A point is a list of numbers, or {body, at}.
export function pointReader(table, drawing, point) {
    if (Array.isArray(point)) return vectorReader(table, point);
    const pose = poseReader(table, drawing, point);
    return (moment) => pose(moment).r;
}

// ---- whether it can move ----

const moves = (values) => (values ?? []).flat().some((value) => typeof value === "string" && !(value in AXES));

export function itemMoves(drawing, item) {
    const pieces = [item, item.from, item.to, ...(Array.isArray(item.through) ? item.through : [])].filter(Boolean);
    return pieces.some((piece) => {
        if (Array.isArray(piece)) return moves(piece);
        const body = piece.body === undefined ? null : drawing.bodies?.[piece.body];
        return [piece, body].some((place) => place &&
            (moves(place.at) || moves(place.rotation) || moves(place.axes) || moves([place.angle]) || moves((place.turns ?? []).map((pair) => pair[1])) ||
             moves(place.direction)));
    });
}
