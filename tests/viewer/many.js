// SPDX-License-Identifier: Apache-2.0
// Pages with many bodies and contacts. The picture itself is drawn by software here, so what is measured is what a graphics processor leaves to us: calls and the time of the script.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const FRAME = 1000 / 30, MOST_CALLS = 60; // milliseconds; drawing calls of a frame, shadows included

function makePage({ work, zeno }, name, scene) {
    const [file, result, page] = ["yaml", "h5", "html"].map((ending) => join(work, `${name}.${ending}`));
    writeFileSync(file, scene);
    execFileSync(zeno, ["run", file, "--quiet", "--out", result]);
    execFileSync(zeno, ["page", result, "--out", page]);
    return page;
}

// The least time of a frame among some, without the drawing itself, and its calls.
const measure = (page) => page.evaluate(() => {
    const { stage } = zeno, span = zeno.player.end, render = stage.renderer?.render.bind(stage.renderer);
    let inside = 0, least = Infinity;
    if (render) stage.renderer.render = (...what) => {
        const begin = performance.now();
        render(...what);
        inside = performance.now() - begin;
    };
    for (let i = 1; i <= 40; i++) {
        zeno.player.time = (i * span) / 40;
        inside = 0;
        const begin = performance.now();
        zeno.draw();
        least = Math.min(least, performance.now() - begin - inside);
    }
    return { script: least, calls: stage.renderer?.info.render.calls, objects: stage.objects?.length, instances: stage.instances?.map((group) => group.items.length) };
});

async function testSpace(tools) {
    const { check, open } = tools;
    const shapes = ["{type: sphere, radius: 0.1}", "{type: box, size: [0.2, 0.15, 0.1]}", "{type: capsule, radius: 0.07, length: 0.12}",
        "{type: polyhedron, points: [[0.1, 0, -0.05], [-0.05, 0.08, -0.05], [-0.05, -0.08, -0.05], [0, 0, 0.1]]}"];
    const bodies = Array.from({ length: 1000 }, (_, i) => `  b${i}: {type: spatial, shape: ${shapes[i % 4]}, mass: 1, position: [${0.3 * (i % 10)}, ${0.3 * (Math.floor(i / 10) % 10)}, ${0.15 + 0.3 * Math.floor(i / 100)}]}`);
    const { page, complaints, close } = await open(makePage(tools, "thousand", `gravity: [0, 0, -10]\nbodies:\n${bodies.join("\n")}\ngeometry: {floor: {type: plane}}
contacts: {all: {between: all, friction: 0.3}}\nsimulation: {scheme: moreau-midpoint, step: 5e-3, end: 0.25}\n`));
    await page.waitForFunction(() => zeno.stage.renderer);
    const cost = await measure(page);
    console.log(`1000 bodies: ${cost.calls} calls, ${cost.script.toFixed(1)} ms of script in a frame`);
    check("bodies of one shape are drawn together", cost.instances.length === 4 && cost.instances.reduce((a, b) => a + b) === 1000, JSON.stringify(cost));
    check("1000 bodies need few calls", cost.calls <= MOST_CALLS, cost.calls);
    check("1000 bodies leave time for 30 frames in a second", cost.script < FRAME, cost.script);
    // where they are drawn is where they are, with their colours
    const wrong = await page.evaluate(() => {
        zeno.seek(0.1);
        zeno.draw();
        const poses = zeno.poses();
        let worst = 0;
        const colours = new Set();
        for (const group of zeno.stage.instances) {
            const { array } = group.parts[0].part.instanceMatrix;
            group.items.forEach((item, i) => { for (let k = 0; k < 3; k++) worst = Math.max(worst, Math.abs(array[16 * i + 12 + k] - poses[item.name][k])); });
            for (let i = 0; i < group.items.length; i++) colours.add(Array.from(group.parts[0].part.instanceColor.array.slice(3 * i, 3 * i + 3)).join());
        }
        return { worst, colours: colours.size };
    });
    check("instances are where their bodies are", wrong.worst < 1e-6, wrong.worst);
    check("and have their colours", wrong.colours === 8, wrong.colours);
    check("no complaints about many bodies", complaints.length === 0, complaints.join("; "));
    await close();
}

// Boxes at rest: four contacts each, an arrow for each of them, and together they carry the weight.
async function testForces(tools) {
    const { check, open } = tools, n = 400;
    const bodies = Array.from({ length: n }, (_, i) => `  b${i}: {type: spatial, shape: {type: box, size: [0.2, 0.2, 0.1]}, mass: 1, position: [${0.3 * (i % 20)}, ${0.3 * Math.floor(i / 20)}, 0.05]}`);
    const { page, complaints, close } = await open(makePage(tools, "boxes", `gravity: [0, 0, -10]\nbodies:\n${bodies.join("\n")}\ngeometry: {floor: {type: plane}}
contacts: {all: {between: all, friction: 0.3}}\nsimulation: {scheme: moreau-midpoint, step: 5e-3, end: 0.1}\n`));
    await page.waitForFunction(() => zeno.stage.renderer);
    const found = await page.evaluate(() => {
        zeno.seek(0.05);
        zeno.draw();
        const forces = zeno.contactForces(), [shafts, heads] = zeno.stage.arrows.parts;
        return { count: forces.length, up: forces.reduce((sum, { force }) => sum + force[2], 0), shafts: shafts.count, heads: heads.count, seen: shafts.visible };
    });
    check("every contact has an arrow", found.count === 4 * n && found.shafts === found.count && found.heads === found.count && found.seen, JSON.stringify(found));
    check("together they carry the weight", Math.abs(found.up - 10 * n) < 1e-3 * 10 * n, found.up);
    const cost = await measure(page);
    console.log(`1600 contacts: ${cost.calls} calls, ${cost.script.toFixed(1)} ms of script in a frame`);
    check("1600 contacts need few calls", cost.calls <= MOST_CALLS, cost.calls);
    check("and leave time for 30 frames", cost.script < FRAME, cost.script);
    await page.evaluate(() => { zeno.showForces = false; zeno.draw(); });
    check("arrows can be hidden", await page.evaluate(() => zeno.stage.arrows.parts.every((part) => !part.visible)));
    check("no complaints about many contacts", complaints.length === 0, complaints.join("; "));
    await close();
}

// The same of declared contacts.
async function testDeclared(tools) {
    const { check, open } = tools, n = 60, list = (text) => Array.from({ length: n }, (_, i) => text(i)).join("\n");
    const { page, complaints, close } = await open(makePage(tools, "declared", `gravity: [0, 0, -10]\nbodies:
${list((i) => `  b${i}: {type: spatial, shape: {type: sphere, radius: 0.1}, mass: 1, position: [${0.3 * (i % 10)}, ${0.3 * Math.floor(i / 10)}, 0.1]}`)}
geometry: {floor: {type: plane}}\ncontacts:\n${list((i) => `  c${i}: {between: [b${i}, floor]}`)}\nsimulation: {scheme: moreau-midpoint, step: 5e-3, end: 0.1}\n`));
    const forces = await page.evaluate(() => { zeno.seek(0.05); return zeno.contactForces(); });
    check("declared contacts have forces, however many", forces.length === n && Math.abs(forces.reduce((sum, { force }) => sum + force[2], 0) - 10 * n) < 1e-2, forces.length);
    check("at the floor", forces.every(({ at }) => Math.abs(at[2]) < 1e-6));
    check("no complaints about declared contacts", complaints.length === 0, complaints.join("; "));
    await close();
}

// A mesh is drawn with its own points and triangles, not as a hull: an open tray, which is not convex.
async function testMesh(tools) {
    const { check, open } = tools, points = "[[0, 0, 0], [2, 0, 1], [4, 0, 0], [0, 2, 0], [2, 2, 1], [4, 2, 0]]", triangles = "[[1, 2, 5], [1, 5, 4], [2, 3, 6], [2, 6, 5]]";
    const { page, complaints, close } = await open(makePage(tools, "tray", `gravity: [0, 0, -10]
bodies: {ball: {type: spatial, shape: {type: sphere, radius: 0.2}, mass: 1, position: [1, 1, 1.5]}}
geometry: {roof: {type: mesh, points: ${points}, triangles: ${triangles}}}
contacts: {all: {between: all}}\nsimulation: {scheme: moreau-midpoint, step: 5e-3, end: 0.1}\n`));
    await page.waitForFunction(() => zeno.stage.renderer);
    const drawn = await page.evaluate(() => {
        const { object } = zeno.stage.objects.find(({ item }) => item.def.shape === "mesh") ?? {}, g = object?.geometry;
        return g && { points: Array.from(g.attributes.position.array), triangles: Array.from(g.index.array) };
    });
    check("a mesh is drawn as it is", drawn && drawn.triangles.join() === "0,1,4,0,4,3,1,2,5,1,5,4" && drawn.points.join() === "0,0,0,2,0,1,4,0,0,0,2,0,2,2,1,4,2,0", JSON.stringify(drawn));
    check("no complaints about meshes", complaints.length === 0, complaints.join("; "));
    await close();
}

// A shape with a radius is everything within it: what is drawn of a rounded box is nowhere farther from the box, and reaches as far as the shape does, but for what a facet is inside of its arc.
async function testRounded(tools) {
    const { check, open } = tools, size = [0.4, 0.3, 0.2], radius = 0.05, corners = [[0.2, 0, -0.1], [-0.1, 0.17, -0.1], [-0.1, -0.17, -0.1], [0, 0, 0.3]];
    const { page, complaints, close } = await open(makePage(tools, "rounded", `gravity: [0, 0, -10]
bodies:
  a: {type: spatial, shape: {type: box, size: ${JSON.stringify(size)}, radius: ${radius}}, mass: 1, position: [0, 0, 0.5]}
geometry:
  roof: {type: polyhedron, points: ${JSON.stringify(corners)}, radius: ${radius}}
  tent: {type: mesh, points: ${JSON.stringify(corners)}, triangles: [[1, 2, 4], [2, 3, 4], [3, 1, 4]], radius: ${radius}}
contacts: {all: {between: all}}\nsimulation: {scheme: moreau-midpoint, step: 5e-3, end: 0.1}\n`));
    await page.waitForFunction(() => zeno.stage.renderer);
    const drawn = await page.evaluate(() => Object.fromEntries(["box", "hull", "mesh"].map((shape) => {
        const { object } = zeno.stage.objects.find(({ item }) => item.def.shape === shape) ?? {};
        return [shape, Array.from(object?.geometry.attributes.position.array ?? [])];
    })));
    const points = (flat) => Array.from({ length: flat.length / 3 }, (_, i) => flat.slice(3 * i, 3 * i + 3)), dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);
    const off = points(drawn.box).map((x) => Math.hypot(...x.map((value, k) => Math.max(Math.abs(value) - size[k] / 2, 0))) - radius);
    check("nothing of a rounded box is beyond its radius", off.length > 100 && off.every((value) => value < 1e-6), Math.max(...off));
    const lacks = (shape, from) => {
        let most = 0;
        for (let i = 0; i < 200; i++) {
            const z = 1 - (i + 0.5) / 100, angle = 2.4 * i, d = [Math.sqrt(1 - z * z) * Math.cos(angle), Math.sqrt(1 - z * z) * Math.sin(angle), z];
            if (shape === "mesh" && z < 0.3) continue; // it has no floor
            most = Math.max(most, Math.abs(Math.max(...from.map((x) => dot(x, d))) + radius - Math.max(...points(drawn[shape]).map((x) => dot(x, d)))));
        }
        return most;
    };
    const box = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => size.map((value, k) => (i >> k & 1 ? value : -value) / 2)), facet = radius * (1 - Math.cos(Math.PI / 12));
    for (const [shape, from] of [["box", box], ["hull", corners], ["mesh", corners]]) check(`a ${shape} with a radius is as large as it is`, lacks(shape, from) < facet, lacks(shape, from));
    check("no complaints about rounded shapes", complaints.length === 0, complaints.join("; "));
    await close();
}

async function testPlane(tools) {
    const { check, open } = tools;
    const bodies = Array.from({ length: 1000 }, (_, i) => `  b${i}: {type: planar, shape: ${i % 2 ? "{type: disk, radius: 0.1}" : "{type: box, size: [0.2, 0.15]}"}, mass: 1, position: [${0.3 * (i % 40)}, ${0.11 + 0.3 * Math.floor(i / 40)}]}`);
    const { page, complaints, close } = await open(makePage(tools, "flat", `gravity: [0, -10]\nbodies:\n${bodies.join("\n")}\ngeometry: {floor: {type: line}}
contacts: {all: {between: all, friction: 0.3}}\nsimulation: {scheme: moreau-midpoint, step: 5e-3, end: 0.25}\n`));
    const cost = await measure(page);
    console.log(`1000 planar bodies: ${cost.script.toFixed(1)} ms in a frame`);
    check("1000 planar bodies leave time for 30 frames in a second", cost.script < FRAME, cost.script);
    check("no complaints about many planar bodies", complaints.length === 0, complaints.join("; "));
    await close();
}

export async function testMany(tools) {
    await testSpace(tools);
    await testForces(tools);
    await testDeclared(tools);
    await testMesh(tools);
    await testRounded(tools);
    await testPlane(tools);
}
