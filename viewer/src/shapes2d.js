// SPDX-License-Identifier: Apache-2.0
// Items of a planar drawing as paths.
import { rotate } from "./poses.js";

const HATCH = 9; // pixels between strokes below a line

const angleOf = (p) => 2 * Math.atan2(p[3], p[0]);

function colours(item, theme) {
    if (item.colour < 0) return { fill: theme.fixedFill, stroke: theme.fixed };
    const stroke = theme.bodies[item.colour % theme.bodies.length];
    return { fill: theme.fill(stroke), stroke };
}

// A point of the item's frame in pixels.
function placer(camera, pose) {
    return (point) => {
        const v = rotate(pose.p, [point[0], point[1], 0]);
        return [camera.x(pose.r[0] + v[0]), camera.y(pose.r[1] + v[1])];
    };
}

// null among the points is a gap
function path(c, points, closed) {
    c.beginPath();
    points.forEach((point, i) => { if (point) i && points[i - 1] ? c.lineTo(...point) : c.moveTo(...point); });
    if (closed) c.closePath();
}

function round(c, camera, item, pose, rx, ry, filled) {
    const angle = angleOf(pose.p), x = camera.x(pose.r[0]), y = camera.y(pose.r[1]);
    c.beginPath();
    c.ellipse(x, y, Math.max(rx * camera.scale, 1.5), Math.max(ry * camera.scale, 1.5), -angle, 0, 2 * Math.PI);
    if (filled) c.fill();
    c.stroke();
    if (!filled || rx * camera.scale < 5 || !item.moves) return;
    path(c, [[x, y], [x + rx * camera.scale * Math.cos(angle), y - rx * camera.scale * Math.sin(angle)]]);
    c.stroke();
    c.fillStyle = c.strokeStyle;
    c.beginPath();
    c.arc(x, y, 2, 0, 2 * Math.PI);
    c.fill();
}

// A line through the whole picture with short strokes on the side away from its normal.
function line(c, camera, pose, theme, stage) {
    const direction = rotate(pose.p, [1, 0, 0]), normal = rotate(pose.p, [0, 1, 0]);
    const reach = stage.width + stage.height, u = [direction[0], -direction[1]], n = [normal[0], -normal[1]];
    const middle = [stage.width / 2, stage.height / 2], base = [camera.x(pose.r[0]), camera.y(pose.r[1])];
    const along = (middle[0] - base[0]) * u[0] + (middle[1] - base[1]) * u[1];
    const at = (s) => [base[0] + s * u[0], base[1] + s * u[1]];
    c.save();
    c.strokeStyle = theme.fixed;
    c.lineWidth = 2;
    path(c, [at(along - reach), at(along + reach)]);
    c.stroke();
    c.lineWidth = 1;
    c.globalAlpha = 0.55;
    c.beginPath();
    for (let s = Math.ceil((along - reach) / HATCH) * HATCH; s < along + reach; s += HATCH) {
        const [x, y] = at(s);
        if (x < -20 || x > stage.width + 20 || y < -20 || y > stage.height + 20) continue;
        c.moveTo(x, y);
        c.lineTo(x - 8 * n[0] - 6 * u[0], y - 8 * n[1] - 6 * u[1]);
    }
    c.stroke();
    c.restore();
}

// A short stretch of a line that moves with its body: the face of a box is drawn by the box itself.
function movingLine() {}

function spring(c, from, to) {
    const dx = to[0] - from[0], dy = to[1] - from[1], size = Math.hypot(dx, dy);
    if (!(size > 0)) return;
    const u = [dx / size, dy / size], n = [-u[1], u[0]], lead = Math.min(10, size * 0.15), turns = 8, wide = 7;
    const points = [from, [from[0] + u[0] * lead, from[1] + u[1] * lead]];
    for (let i = 0; i < 2 * turns; i++) {
        const s = lead + ((i + 0.5) / (2 * turns)) * (size - 2 * lead), side = i % 2 ? -wide : wide;
        points.push([from[0] + u[0] * s + n[0] * side, from[1] + u[1] * s + n[1] * side]);
    }
    points.push([to[0] - u[0] * lead, to[1] - u[1] * lead], to);
    c.lineWidth = 1.8;
    path(c, points);
    c.stroke();
}

function joint(c, camera, item, pose, theme) {
    const x = camera.x(pose.r[0]), y = camera.y(pose.r[1]);
    c.lineWidth = 1.8;
    c.strokeStyle = theme.joint;
    c.fillStyle = theme.stage;
    if (!item.moves) { // a support
        path(c, [[x, y], [x - 8, y + 13], [x + 8, y + 13]], true);
        c.fill();
        c.stroke();
        path(c, [[x - 12, y + 13.5], [x + 12, y + 13.5]]);
        c.stroke();
    }
    c.beginPath();
    c.arc(x, y, 3.6, 0, 2 * Math.PI);
    c.fill();
    c.stroke();
}

// Corners of the convex hull in order (Andrew's monotone chain).
export function hullOf(points) {
    const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const half = (list) => {
        const chain = [];
        for (const p of list) {
            while (chain.length > 1) {
                const [a, b] = chain.slice(-2);
                if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
                chain.pop();
            }
            chain.push(p);
        }
        return chain.slice(0, -1);
    };
    return [...half(sorted), ...half(sorted.reverse())];
}

// A path with a radius is everything within it: a broad stroke, with another one inside that leaves its border.
function broad(c, camera, radius, inside) {
    const stroke = c.strokeStyle;
    c.lineWidth = Math.max(2 * radius * camera.scale, 3);
    c.stroke();
    c.strokeStyle = inside;
    c.lineWidth = Math.max(c.lineWidth - 4, 1);
    c.stroke();
    c.strokeStyle = stroke;
}

// A polygon, with its radius.
function filled(c, camera, def, points, theme) {
    path(c, points, true);
    if (def.radius > 0) {
        broad(c, camera, def.radius, theme.over(c.strokeStyle));
        c.fillStyle = theme.over(c.strokeStyle);
        return c.fill();
    }
    c.fill();
    return c.stroke();
}

export function drawItem(c, camera, item, moment, theme, stage) {
    const { def } = item, { fill, stroke } = colours(item, theme);
    c.fillStyle = fill;
    c.strokeStyle = stroke;
    c.lineWidth = 2;
    c.lineJoin = "round";
    c.lineCap = "round";
    if (item.from) {
        const flat = (point) => [camera.x(point[0]), camera.y(point[1])], from = flat(item.from(moment)), to = flat(item.to(moment));
        if (def.shape === "spring") return spring(c, from, to);
        c.lineWidth = def.radius ? Math.max(2 * def.radius * camera.scale, 2) : def.thin ? 1.6 : 4;
        path(c, [from, to]);
        return c.stroke();
    }
    if (item.through) {
        c.lineWidth = 4;
        path(c, item.through.map((read) => read(moment)).map((point) => [camera.x(point[0]), camera.y(point[1])]));
        return c.stroke();
    }
    const pose = item.pose(moment);
    if (!pose.r.every(Number.isFinite)) return undefined;
    const place = placer(camera, pose);
    switch (def.shape) {
    case "disk": case "sphere": return round(c, camera, item, pose, def.radius, def.radius, true);
    case "ellipse": case "ellipsoid": return round(c, camera, item, pose, def.size[0] / 2, def.size[1] / 2, true);
    case "circle": case "hollow-sphere": return round(c, camera, item, pose, def.radius, def.radius, false);
    case "line": case "plane": return item.moves ? movingLine() : line(c, camera, pose, theme, stage);
    case "joint": return joint(c, camera, item, pose, theme);
    case "point": {
        c.beginPath();
        c.arc(...place([0, 0]), def.small ? 3 : 6, 0, 2 * Math.PI);
        c.fillStyle = def.small ? stroke : fill;
        c.fill();
        return c.stroke();
    }
    case "box": {
        const x = def.size[0] / 2, y = def.size[1] / 2;
        return filled(c, camera, def, [[-x, -y], [x, -y], [x, y], [-x, y]].map(place), theme);
    }
    case "capsule": {
        const x = def.length / 2;
        path(c, [place([-x, 0]), place([x, 0])]);
        return broad(c, camera, def.radius, theme.over(stroke));
    }
    case "polygon": case "hull":
        return filled(c, camera, def, (def.shape === "hull" ? hullOf(def.points) : def.points).map(place), theme);
    case "polyline": case "curve":
        path(c, def.points.map((point) => point && place(point)), false);
        if (def.radius > 0) return broad(c, camera, def.radius, theme.over(stroke));
        if (item.moves && !def.thin) c.lineWidth = 3.5;
        return c.stroke();
    default: return undefined;
    }
}
