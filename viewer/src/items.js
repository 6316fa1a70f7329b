// SPDX-License-Identifier: Apache-2.0
// Items of a drawing, made ready: readers of their pose or points, and whether they move.
import { itemMoves, pointReader, poseReader, rotate } from "./poses.js";

const BETWEEN = new Set(["segment", "spring"]);
const ENDLESS = new Set(["line", "plane"]);

export const isEndless = (def) => ENDLESS.has(def.shape);
export const isBetween = (def) => BETWEEN.has(def.shape);

// Colours go round among the bodies that move; what is fixed is grey, and pieces of one body look alike.
function colourIndices(defs, drawing) {
    const owners = new Map();
    return defs.map((def) => {
        if (def.shape === "joint" || def.thin || !itemMoves(drawing, def)) return -1;
        const owner = def.body ?? def.colour_of ?? def.name;
        if (!owners.has(owner)) owners.set(owner, owners.size);
        return owners.get(owner);
    });
}

export function readItems(table, drawing) {
    const defs = (drawing?.items ?? []).filter((def) => !def.hidden), colours = colourIndices(defs, drawing);
    return defs.map((def, i) => {
        const item = { def, name: def.name, colour: colours[i], moves: itemMoves(drawing, def), planar: drawing.space !== 3 };
        if (isBetween(def)) {
            item.from = pointReader(table, drawing, def.from);
            item.to = pointReader(table, drawing, def.to);
        } else if (def.shape === "polyline" && def.through) {
            item.through = def.through.map((point) => pointReader(table, drawing, point));
        } else {
            item.pose = poseReader(table, drawing, def);
        }
        return item;
    });
}

// Half sizes of the box around an item in its own frame.
function halfSize(def, planar) {
    switch (def.shape) {
    case "disk": case "sphere": case "circle": case "hollow-sphere": return [def.radius, def.radius, def.radius];
    case "box": case "ellipse": case "ellipsoid": return [0, 1, 2].map((k) => (def.size[k] ?? 0) / 2 + (def.radius ?? 0));
    case "cylinder": case "hollow-cylinder": case "ring": return [def.radius, def.radius, (def.length ?? 0) / 2];
    case "capsule": {
        const along = def.length / 2 + def.radius;
        return planar ? [along, def.radius, 0] : [def.radius, def.radius, along];
    }
    default: return [0, 0, 0];
    }
}

// Points whose box holds the item at a moment.
export function pointsOf(item, moment) {
    const { def } = item;
    if (item.from) return [item.from(moment), item.to(moment)];
    if (item.through) return item.through.map((read) => read(moment));
    const { r, p } = item.pose(moment);
    const local = def.points ? def.points.filter(Boolean).map((point) => [point[0], point[1], point[2] ?? 0]) : cornersOf(halfSize(def, item.planar));
    return local.map((point) => rotate(p, point).map((value, k) => value + r[k]));
}

function cornersOf(half) {
    const corners = [];
    for (let i = 0; i < 8; i++) corners.push([i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]]);
    return corners;
}

// The point that stands for an item: its trail, and what the camera follows.
export function centreOf(item, moment) {
    if (item.to) return item.to(moment);
    if (item.through) return item.through[item.through.length - 1](moment);
    return item.pose(moment).r;
}
