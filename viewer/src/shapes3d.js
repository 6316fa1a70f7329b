// SPDX-License-Identifier: Apache-2.0
// Items of a spatial drawing as objects of three.js.
import * as THREE from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { rounded } from "./rounded.js";
import { niceStep } from "./text.js";

const SEGMENTS = 48, MANY = 100; // pieces of a circle; items of one shape that have a third of them

export const itemColour = (item, theme) => (item.colour < 0 ? theme.fixed : theme.bodies[item.colour % theme.bodies.length]);

function material(item, theme, more = {}) {
    const made = new THREE.MeshStandardMaterial({ color: itemColour(item, theme), roughness: 0.55, metalness: 0.05, ...more });
    made.userData.own = true; // its colour is the item's
    return made;
}

function solid(geometry, item, theme, more) {
    const mesh = new THREE.Mesh(geometry, material(item, theme, more));
    mesh.castShadow = mesh.receiveShadow = true;
    return mesh;
}

function withEdges(mesh, theme) {
    const edges = new THREE.LineSegments(new THREE.EdgesGeometry(mesh.geometry, 30), new THREE.LineBasicMaterial({ color: theme.text }));
    edges.material.transparent = true;
    edges.material.opacity = 0.55;
    mesh.add(edges);
    return mesh;
}

// Eight fields, light and dark, so that one sees a ball turn.
function fields(geometry) {
    const plain = geometry.toNonIndexed(), position = plain.attributes.position, colours = new Float32Array(position.count * 3);
    for (let i = 0; i < position.count; i += 3) {
        const centre = [0, 0, 0];
        for (let k = 0; k < 3; k++)
            for (let j = 0; j < 3; j++) centre[j] += position.getComponent(i + k, j);
        const bright = centre.filter((value) => value > 0).length % 2 ? 1 : 0.45;
        colours.fill(bright, 3 * i, 3 * i + 9);
    }
    plain.setAttribute("color", new THREE.BufferAttribute(colours, 3));
    return plain;
}

function sphere(item, theme, segments, radius, scale = [1, 1, 1]) {
    const geometry = new THREE.SphereGeometry(radius, segments, segments / 2);
    geometry.scale(...scale);
    return solid(fields(geometry), item, theme, { vertexColors: true });
}

const upright = (geometry) => geometry.rotateX(Math.PI / 2); // three's axis is y, ours z

// A disk with a mark from its centre, on both sides.
function disk(item, theme, segments, radius, thickness, edge) {
    const mesh = solid(upright(new THREE.CylinderGeometry(radius, radius, thickness, segments * 2)), item, theme);
    const mark = new THREE.Mesh(new THREE.BoxGeometry(radius * 0.9, radius * 0.09, thickness * 1.06 + radius * 0.004),
                                new THREE.MeshStandardMaterial({ color: theme.stage, roughness: 0.8 }));
    mark.position.x = radius * 0.45;
    mesh.add(mark);
    if (edge) mesh.add(solid(new THREE.TorusGeometry(radius, edge, 12, segments * 2), item, theme));
    return withEdges(mesh, theme);
}

// A square of a plane around what moves, with a grid.
function plane(item, theme, bounds) {
    const group = new THREE.Group(), step = niceStep(bounds.size / 8);
    const middle = bounds.low.map((value, k) => (value + bounds.high[k]) / 2);
    const pose = item.pose({ row: 0, fraction: 0 });
    const half = Math.ceil((0.5 * bounds.size * 1.5) / step) * step;
    const square = new THREE.PlaneGeometry(2 * half, 2 * half);
    const sheet = new THREE.Mesh(square, new THREE.MeshBasicMaterial({ color: theme.dark ? "#232529" : "#eae8e2", side: THREE.DoubleSide }));
    const shade = new THREE.Mesh(square, new THREE.ShadowMaterial({ opacity: theme.dark ? 0.45 : 0.22 }));
    shade.receiveShadow = true;
    sheet.position.z = -0.002 * bounds.size;
    shade.position.z = -0.001 * bounds.size;
    const grid = new THREE.GridHelper(2 * half, Math.round((2 * half) / step), theme.dark ? "#3a3d42" : "#d2cfc7", theme.dark ? "#3a3d42" : "#d2cfc7");
    grid.rotation.x = Math.PI / 2;
    const inside = new THREE.Group();
    inside.add(sheet, shade, grid);
    // the middle of what moves, in the plane
    const turn = new THREE.Quaternion(pose.p[1], pose.p[2], pose.p[3], pose.p[0]);
    const local = new THREE.Vector3(...middle).sub(new THREE.Vector3(...pose.r)).applyQuaternion(turn.clone().invert());
    inside.position.set(Math.round(local.x / step) * step, Math.round(local.y / step) * step, 0);
    group.add(inside);
    return group;
}

function surface(def, theme) {
    const { points, columns } = def, rows = points.length / columns, index = [];
    for (let i = 0; i + 1 < rows; i++)
        for (let j = 0; j + 1 < columns; j++) {
            const a = i * columns + j, corners = [a, a + 1, a + columns, a + columns + 1];
            if (corners.some((corner) => points[corner] === null)) continue;
            index.push(a, a + 1, a + columns, a + 1, a + columns + 1, a + columns);
        }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(points.flatMap((point) => point ?? [0, 0, 0]), 3));
    geometry.setIndex(index);
    geometry.computeVertexNormals();
    const mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({
        color: theme.dark ? "#5a5d63" : "#cfcac0", roughness: 0.9, side: THREE.DoubleSide, transparent: true, opacity: 0.55, depthWrite: false }));
    mesh.receiveShadow = true;
    const lines = [], every = Math.max(1, Math.round(columns / 14));
    const segment = (a, b) => points[a] && points[b] && lines.push(...points[a], ...points[b]);
    for (let i = 0; i < rows; i++)
        for (let j = 0; j < columns; j++) {
            if (i % every === 0 && j + 1 < columns) segment(i * columns + j, i * columns + j + 1);
            if (j % every === 0 && i + 1 < rows) segment(i * columns + j, (i + 1) * columns + j);
        }
    const net = new THREE.BufferGeometry();
    net.setAttribute("position", new THREE.Float32BufferAttribute(lines, 3));
    mesh.add(new THREE.LineSegments(net, new THREE.LineBasicMaterial({ color: theme.faint, transparent: true, opacity: 0.5 })));
    return mesh;
}

// A shape with corners, or everything within its radius.
function cornered(geometry, def, item, theme, more) {
    if (def.radius > 0) return solid(rounded(geometry, def.radius), item, theme);
    return withEdges(solid(geometry, item, theme, more), theme);
}

function hull(def, item, theme) {
    const points = def.points.map((point) => new THREE.Vector3(...point));
    if (points.length < 4) return new THREE.Group();
    return cornered(new ConvexGeometry(points), def, item, theme, { flatShading: true });
}

function line(points, item, theme) {
    const geometry = new THREE.BufferGeometry().setFromPoints(points.filter(Boolean).map((point) => new THREE.Vector3(...point)));
    return new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: item.colour < 0 ? theme.fixed : theme.bodies[item.colour % theme.bodies.length] }));
}

// A smooth tube through points that move.
function tube(points, radius) {
    const curve = new THREE.CatmullRomCurve3(points.map((point) => new THREE.Vector3(...point)), false, "centripetal");
    return new THREE.TubeGeometry(curve, 6 * points.length, radius, 12);
}

// Hollow bodies are seen from inside: their back is drawn, and a net.
function hollow(geometry, item, theme) {
    const mesh = new THREE.Mesh(geometry, material(item, theme, { side: THREE.BackSide, transparent: true, opacity: 0.35 }));
    mesh.add(new THREE.LineSegments(new THREE.WireframeGeometry(geometry), new THREE.LineBasicMaterial({ color: theme.faint, transparent: true, opacity: 0.25 })));
    return mesh;
}

// count: how many items look like this one.
export function itemObject(item, theme, bounds, count = 1) {
    const { def } = item, thin = 0.008 * bounds.size, segments = count > MANY ? SEGMENTS / 3 : SEGMENTS;
    if (item.from) {
        const radius = def.radius ?? (def.thin ? 0.35 * thin : thin);
        return def.shape === "spring" ? solid(coil(radius), item, theme) : solid(upright(new THREE.CylinderGeometry(radius, radius, 1, 16)), item, theme);
    }
    if (item.through) {
        item.thickness = def.radius ?? 1.2 * thin;
        return solid(tube(item.through.map((read) => read({ row: 0, fraction: 0 })), item.thickness), item, theme);
    }
    switch (def.shape) {
    case "sphere": return sphere(item, theme, segments, def.radius);
    case "ellipsoid": case "ellipse": return sphere(item, theme, segments, 0.5, [def.size[0], def.size[1], def.size[2] ?? 0.02 * def.size[0]]);
    case "disk": return disk(item, theme, segments, def.radius, def.length || 0.04 * def.radius, 0);
    case "ring": return disk(item, theme, segments, def.radius, def.length || 0.03 * def.radius, 0.025 * def.radius);
    case "cylinder":
        if (def.length) return disk(item, theme, segments, def.radius, def.length, 0);
        return solid(upright(new THREE.CylinderGeometry(def.radius, def.radius, 3 * bounds.size, SEGMENTS, 1, true)), item, theme);
    case "box": return cornered(new THREE.BoxGeometry(def.size[0], def.size[1], def.size[2] ?? 0.1 * def.size[0]), def, item, theme);
    case "capsule": return solid(upright(new THREE.CapsuleGeometry(def.radius, def.length, segments / 4, segments)), item, theme);
    case "point": return sphere(item, theme, segments, def.small ? 1.2 * thin : 2.2 * thin);
    case "joint": return sphere({ colour: -1 }, theme, segments, 1.4 * thin);
    case "hull": case "polygon": return hull(def, item, theme);
    case "mesh": {
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.Float32BufferAttribute(def.points.flat(), 3));
        geometry.setIndex(def.triangles.flat());
        geometry.computeVertexNormals();
        return cornered(geometry, def, item, theme, { flatShading: true });
    }
    case "plane": case "line": return item.moves ? new THREE.Group() : plane(item, theme, bounds);
    case "surface": return def.columns ? surface(def, theme) : new THREE.Group();
    case "polyline": case "curve": return line(def.points.map((point) => [point[0], point[1], point[2] ?? 0]), item, theme);
    case "hollow-sphere": case "circle": return hollow(new THREE.SphereGeometry(def.radius, 32, 16), item, theme);
    case "hollow-cylinder":
        return hollow(upright(new THREE.CylinderGeometry(def.radius, def.radius, def.length || 2 * bounds.size, 40, 8, true)), item, theme);
    default: return new THREE.Group();
    }
}

// A coil along z of length one; its thickness does not follow when it is stretched, but nearly.
function coil(radius) {
    class Helix extends THREE.Curve {
        getPoint(s, target = new THREE.Vector3()) {
            const angle = 16 * Math.PI * s, wide = 3 * radius * Math.min(1, 12 * s, 12 * (1 - s));
            return target.set(wide * Math.cos(angle), wide * Math.sin(angle), s - 0.5);
        }
    }
    return new THREE.TubeGeometry(new Helix(), 240, 0.35 * radius, 8);
}

const along = new THREE.Vector3(0, 0, 1);

export function placeItem(item, object, moment) {
    if (item.from) {
        const from = new THREE.Vector3(...item.from(moment)), to = new THREE.Vector3(...item.to(moment)), length = from.distanceTo(to);
        object.position.copy(from).add(to).multiplyScalar(0.5);
        object.visible = length > 0;
        if (!object.visible) return;
        object.quaternion.setFromUnitVectors(along, to.sub(from).divideScalar(length));
        object.scale.set(1, 1, length);
        return;
    }
    if (item.through) {
        object.geometry.dispose();
        object.geometry = tube(item.through.map((read) => read(moment)), item.thickness);
        return;
    }
    const { r, p } = item.pose(moment);
    object.visible = r.every(Number.isFinite);
    object.position.set(...r);
    object.quaternion.set(p[1], p[2], p[3], p[0]);
}
