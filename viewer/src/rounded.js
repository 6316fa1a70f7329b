// SPDX-License-Identifier: Apache-2.0
// Everything within a radius of a surface of triangles, as one sees it from the front: the triangles moved out by the radius, arcs over its ridges, balls on the corners of these.
import * as THREE from "three";

const ARC = Math.PI / 12; // of an arc, at most, is flat

const FLAT = 1e-6; // the sine between triangles in one plane

class Sheet {
    constructor() {
        this.position = [];
        this.normal = [];
    }
    // Corners at x + radius n, seen from the side of their normals n when counterclockwise.
    triangle(radius, ...corners) {
        for (const [x, n] of corners) {
            this.position.push(x.x + radius * n.x, x.y + radius * n.y, x.z + radius * n.z);
            this.normal.push(n.x, n.y, n.z);
        }
    }
}

// Over the edge from a to b: the normals m on its left, n on its right.
function arc(sheet, radius, a, b, m, n) {
    const count = Math.ceil(m.angleTo(n) / ARC), at = (k) => m.clone().lerp(n, k / count).normalize();
    for (let k = 0; k < count; k++) {
        const p = at(k), q = at(k + 1);
        sheet.triangle(radius, [a, p], [a, q], [b, p]);
        sheet.triangle(radius, [b, p], [a, q], [b, q]);
    }
}

function ball(sheet, radius, centre) {
    const { position } = new THREE.IcosahedronGeometry(1, 3).attributes, corner = (i) => [centre, new THREE.Vector3().fromBufferAttribute(position, i)];
    for (let i = 0; i < position.count; i += 3) sheet.triangle(radius, corner(i), corner(i + 1), corner(i + 2));
}

export function rounded(geometry, radius) {
    const flat = geometry.index ? geometry.toNonIndexed() : geometry, { position } = flat.attributes, sheet = new Sheet(), edges = new Map(), balls = new Map();
    const name = (x) => x.toArray().map((value) => value.toPrecision(6)).join(" ");
    for (let i = 0; i < position.count; i += 3) {
        const x = [0, 1, 2].map((k) => new THREE.Vector3().fromBufferAttribute(position, i + k));
        const n = new THREE.Vector3().crossVectors(x[1].clone().sub(x[0]), x[2].clone().sub(x[0])).normalize();
        sheet.triangle(radius, [x[0], n], [x[1], n], [x[2], n]);
        for (let k = 0; k < 3; k++) {
            const a = x[k], b = x[(k + 1) % 3], other = edges.get(`${name(b)} ${name(a)}`);
            if (!other) {
                edges.set(`${name(a)} ${name(b)}`, n);
                continue;
            }
            const turn = new THREE.Vector3().crossVectors(n, other).dot(b.clone().sub(a)); // above zero on a ridge
            if (!(turn > FLAT * a.distanceTo(b))) continue;
            arc(sheet, radius, a, b, n, other);
            balls.set(name(a), a).set(name(b), b);
        }
    }
    for (const centre of balls.values()) ball(sheet, radius, centre);
    const made = new THREE.BufferGeometry();
    made.setAttribute("position", new THREE.Float32BufferAttribute(sheet.position, 3));
    made.setAttribute("normal", new THREE.Float32BufferAttribute(sheet.normal, 3));
    return made;
}
