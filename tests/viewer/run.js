// SPDX-License-Identifier: Apache-2.0
// Pages in a real browser, from a file and without network: node run.js ZENO. Exit status 1 when a check fails.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { openBrowser } from "./browser.js";
import { testMany } from "./many.js";
import { testStudies } from "./study.js";

const zeno = resolve(process.argv[2] ?? "build/zeno");
const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const work = mkdtempSync(join(tmpdir(), "zeno-viewer-"));
let checks = 0, failures = 0;

function check(what, good, detail = "") {
    checks++;
    if (good) return;
    failures++;
    console.log(`FAILED: ${what}${detail === "" ? "" : ` (${detail})`}`);
}

function makePage(scene, ...options) {
    const result = join(work, `${scene}.h5`), page = join(work, `${scene}.html`);
    execFileSync(zeno, ["run", join(root, "scenes", `${scene}.yaml`), "--quiet", "--out", result, ...options]);
    execFileSync(zeno, ["page", result, "--out", page]);
    return page;
}

const browser = await openBrowser();

// A page with everything that goes wrong in it: errors of scripts, messages of the console, requests.
async function open(path, { width = 1280, height = 900, scheme = "light", touch = false } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, offline: true, hasTouch: touch });
    const page = await context.newPage(), complaints = [], requests = [];
    page.on("console", (message) => { if (["error", "warning"].includes(message.type())) complaints.push(message.text()); });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => { if (!request.url().startsWith("file:") && !/^(data|blob):/.test(request.url())) requests.push(request.url()); });
    await page.goto(`file://${path}`);
    await page.waitForFunction(() => window.zeno?.drawn > 0);
    return { page, complaints, requests, close: () => context.close() };
}

// How many colours a canvas shows, and a sum that changes with its picture. Of WebGL by way of a copy.
const look = (page, selector) => page.evaluate((chosen) => {
    const canvas = document.querySelector(chosen), copy = document.createElement("canvas");
    copy.width = canvas.width;
    copy.height = canvas.height;
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height), colours = new Map();
    let sum = 0;
    for (let i = 0; i < data.length; i += 4) {
        const colour = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
        colours.set(colour, (colours.get(colour) ?? 0) + 1);
        sum = (sum * 31 + colour) >>> 0;
    }
    const most = [...colours].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    return { colours: colours.size, sum, light: (((most >> 16) & 255) + ((most >> 8) & 255) + (most & 255)) / 3 };
}, selector);

const settle = (page) => page.waitForTimeout(350);

// ---- planar: motion, seeking, plots, keys ----

async function testPlanar() {
    const { page, complaints, requests, close } = await open(makePage("rotating-ball"));
    await settle(page);
    check("the title is the scene's", (await page.title()).startsWith("Rotating ball"), await page.title());
    const before = await page.evaluate(() => ({ t: zeno.time, ball: zeno.poses().ball })), first = await look(page, ".zeno-stage canvas");
    check("the ball begins at (0, 1)", Math.hypot(before.ball[0], before.ball[1] - 1) < 1e-6, before.ball);
    check("the stage shows something", first.colours > 8, first.colours);

    await page.click("button[aria-label=play]");
    await page.waitForTimeout(1200);
    const during = await page.evaluate(() => ({ t: zeno.time, ball: zeno.poses().ball, playing: zeno.playing })), moved = await look(page, ".zeno-stage canvas");
    check("it plays", during.playing && during.t > before.t, during.t);
    check("the ball falls", during.ball[1] < 0.99, during.ball);
    check("the picture changes", moved.sum !== first.sum);
    await page.click("button[aria-label=pause]");
    const paused = await page.evaluate(() => zeno.time);
    await page.waitForTimeout(300);
    check("it pauses", (await page.evaluate(() => zeno.time)) === paused);

    await page.locator("input[aria-label=time]").fill("1000");
    await settle(page);
    const middle = await page.evaluate(() => ({ t: zeno.time, ball: zeno.poses().ball, forces: zeno.contactForces() }));
    check("the scrubber seeks to the middle", Math.abs(middle.t - 1) < 1e-9, middle.t);
    check("the ball lies on the floor", Math.abs(middle.ball[1] - 0.1) < 1e-6 && middle.ball[0] < 0, middle.ball);
    check("its weight of 10 is the contact's force", middle.forces.length === 1 && Math.abs(middle.forces[0].force[1] - 10) < 1e-3, JSON.stringify(middle.forces));
    check("the force is at the lowest point", Math.abs(middle.forces[0].at[1]) < 1e-6);
    check("the time is shown", (await page.textContent(".zeno-time")).includes("1.00"));

    const plots = await page.evaluate(() => zeno.plots.map((plot) => ({ x: plot.x, y: plot.y, rows: plot.chart.data[0].length, drawn: plot.chart.data.length - 1,
        high: plot.chart.scales.y.max, now: plot.mark.getBoundingClientRect().left - plot.chart.over.getBoundingClientRect().left, wide: plot.chart.over.clientWidth })));
    check("there are plots", plots.length >= 2, plots.length);
    check("they have the rows of the result", plots.every((plot) => plot.rows === 201 && plot.drawn === plot.y.length), JSON.stringify(plots));
    check("the first shows x, y, phi", plots[0].y.join() === "x,y,phi", plots[0].y);
    check("the cursors stand at the animation's time", plots.every((plot) => Math.abs(plot.now - plot.wide / 2) < 3), plots.map((plot) => plot.now));
    check("the axis holds the largest angle", plots[0].high > 40, plots[0].high);
    for (let i = 0; i < plots.length; i++) {
        const picture = await look(page, `.zeno-plot:nth-child(${i + 1}) canvas`);
        check(`plot ${i + 1} has curves`, picture.colours > 20, picture.colours);
    }
    const box = await page.locator(".zeno-plot .u-over").first().boundingBox();
    await page.mouse.click(box.x + box.width * 0.25, box.y + 40);
    check("a click into a plot seeks", Math.abs((await page.evaluate(() => zeno.time)) - 0.5) < 0.02, await page.evaluate(() => zeno.time));

    await page.locator(".zeno-stage").click({ position: { x: 30, y: 30 } });
    await page.keyboard.press("End");
    check("End goes to the end", Math.abs((await page.evaluate(() => zeno.time)) - 2) < 1e-9);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    check("an arrow goes a hundredth on", Math.abs((await page.evaluate(() => zeno.time)) - 0.02) < 1e-9);
    await page.keyboard.press("Space");
    check("space plays", await page.evaluate(() => zeno.playing));
    await page.keyboard.press("Space");

    await page.locator(".zeno-plot select").first().selectOption("x");
    await settle(page);
    const portrait = await page.evaluate(() => ({ mode: zeno.plots[0].chart.mode, x: zeno.plots[0].x }));
    check("a column over another is a phase portrait", portrait.mode === 2 && portrait.x === "x", JSON.stringify(portrait));
    check("it is drawn", (await look(page, ".zeno-plot canvas")).colours > 20);
    await page.locator(".zeno-columns summary").nth(1).click();
    await page.locator(".zeno-plot").nth(1).getByLabel("gap.floor").check();
    check("curves can be chosen", (await page.evaluate(() => zeno.plots[1].y)).includes("gap.floor"));

    const wheel = await page.evaluate(() => zeno.stage.zoom);
    await page.mouse.move(300, 300);
    await page.mouse.wheel(0, -400);
    check("the wheel zooms", (await page.evaluate(() => zeno.stage.zoom)) > wheel);
    const unnamed = await page.evaluate(() => [...document.querySelectorAll("button, select, input")]
        .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length)).length);
    check("every control has a name", unnamed === 0, unnamed);
    check("no complaints in the console", complaints.length === 0, complaints.join("; "));
    check("no requests", requests.length === 0, requests.join("; "));
    await close();
}

// ---- spatial ----

async function testSpatial() {
    const { page, complaints, requests, close } = await open(makePage("tetrahedron"));
    await page.waitForSelector(".zeno-stage canvas");
    await settle(page);
    const first = await look(page, ".zeno-stage canvas");
    check("WebGL shows something", first.colours > 20, first.colours);
    await page.locator("input[aria-label=time]").fill("1000");
    await settle(page);
    const middle = await page.evaluate(() => ({ at: zeno.poses().tetrahedron, forces: zeno.contactForces() })), moved = await look(page, ".zeno-stage canvas");
    check("the tetrahedron slides", middle.at[0] > 3 && moved.sum !== first.sum, middle.at);
    const weight = middle.forces.reduce((sum, { force }) => sum + force[2], 0), m = Math.SQRT2 / 12;
    check("three corners carry its weight", middle.forces.length === 3 && Math.abs(weight - 9.81 * m) < 1e-3, `${middle.forces.length}, ${weight}`);
    check("friction is against the motion", middle.forces.reduce((sum, { force }) => sum + force[0], 0) < -0.05);
    const box = await page.locator(".zeno-stage").boundingBox(), eye = await page.evaluate(() => zeno.stage.camera.position.toArray());
    await page.mouse.move(box.x + 200, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 320, box.y + 240, { steps: 4 });
    await page.mouse.up();
    await settle(page);
    const turned = await page.evaluate(() => zeno.stage.camera.position.toArray());
    check("dragging orbits", Math.hypot(...turned.map((value, k) => value - eye[k])) > 0.1);
    await page.evaluate(() => zeno.stage.release());
    check("a context can be given back", await page.evaluate(() => zeno.stage.renderer === null));
    await page.evaluate(() => { zeno.stage.acquire(); zeno.draw(); });
    await settle(page);
    check("and taken again", (await look(page, ".zeno-stage canvas")).colours > 20);
    check("no complaints in the console", complaints.length === 0, complaints.join("; "));
    check("no requests", requests.length === 0, requests.join("; "));
    await close();
}

// ---- phone and dark mode ----

async function testPhone(scene, width, scheme) {
    const { page, complaints, close } = await open(join(work, `${scene}.html`), { width, height: 740, scheme, touch: true });
    await settle(page);
    const layout = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth, seen: window.innerWidth,
        stage: document.querySelector(".zeno-stage").getBoundingClientRect().width,
        play: document.querySelector(".zeno-play").getBoundingClientRect().height,
        small: [...document.querySelectorAll("button, label, .zeno-legend-entry, li, .zeno-time")].filter((e) => parseFloat(getComputedStyle(e).fontSize) < 12).length,
        outside: [...document.querySelectorAll("button, select, input, canvas, h1, .zeno-time")].filter((e) => {
            const box = e.getBoundingClientRect();
            return box.width > 0 && (box.left < -1 || box.right > window.innerWidth + 1);
        }).length,
        back: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.querySelector("h1")).color,
    }));
    const name = `${scene} at ${width} px, ${scheme}`;
    check(`${name}: nothing to scroll sideways`, layout.wide <= layout.seen, `${layout.wide} > ${layout.seen}`);
    check(`${name}: nothing sticks out`, layout.outside === 0, layout.outside);
    check(`${name}: the stage is wide`, layout.stage > width * 0.85, layout.stage);
    check(`${name}: buttons fit a finger`, layout.play >= 40, layout.play);
    check(`${name}: no tiny text`, layout.small === 0, layout.small);
    const brightness = (text) => text.match(/\d+/g).slice(0, 3).reduce((sum, value) => sum + Number(value), 0) / 3;
    const contrast = brightness(layout.ink) - brightness(layout.back), stage = await look(page, ".zeno-stage canvas");
    check(`${name}: text stands out`, scheme === "dark" ? contrast > 120 : contrast < -120, contrast);
    check(`${name}: the stage has the page's mode`, scheme === "dark" ? stage.light < 90 : stage.light > 165, stage.light);
    check(`${name}: no complaints`, complaints.length === 0, complaints.join("; "));
    await close();
}

// ---- one page with several viewers, a change of mode, pages without drawing ----

async function testMount() {
    const path = join(work, "several.html"), result = join(work, "rotating-ball.h5"), data = join(work, "data.json");
    execFileSync(zeno, ["page", result, "--out", data]);
    execFileSync(zeno, ["page", join(work, "tetrahedron.h5"), "--out", join(work, "space.json")]);
    const bundle = readFileSync(process.env.ZENO_VIEWER ?? join(root, "build/viewer/zeno-viewer.js"), "utf8");
    writeFileSync(path, `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body>${'<div class="here" style="height:700px"></div>'.repeat(24)}
        <script>${bundle}</script><script>
        const planar = ${readFileSync(data, "utf8")}, space = ${readFileSync(join(work, "space.json"), "utf8")};
        window.viewers = [...document.querySelectorAll(".here")].map((host, i) => ZenoViewer.mount(host, i % 6 ? space : planar, { plots: false, height: 400 }));
        window.zeno = viewers[0];</script>`);
    const { page, complaints, close } = await open(path);
    await settle(page);
    for (let i = 0; i < 24; i += 2) {
        await page.evaluate((k) => document.querySelectorAll(".here")[k].scrollIntoView(), i);
        await page.waitForTimeout(150);
    }
    await page.waitForTimeout(2600);
    const held = await page.evaluate(() => viewers.filter((viewer) => viewer.stage.renderer).length);
    check("20 spatial viewers hold few contexts at a time", held >= 1 && held <= 6, held);
    await page.evaluate(() => { viewers[0].seek(1); viewers.at(-1).destroy(); });
    await settle(page);
    check("viewers have their own time", await page.evaluate(() => viewers[0].time === 1 && viewers[6].time === 0));
    check("a viewer can be taken away", await page.evaluate(() => document.querySelectorAll(".zeno-viewer").length === 23));
    check("no complaints with many viewers", complaints.length === 0, complaints.join("; "));
    await close();
}

async function testRest() {
    const csv = join(work, "ball.csv"), plain = join(work, "plain.html");
    execFileSync(zeno, ["run", join(root, "scenes/rotating-ball.yaml"), "--quiet", "--out", csv]);
    execFileSync(zeno, ["page", csv, "--out", plain, "--title", "A </script><b>title</b> & more"]);
    const { page, complaints, close } = await open(plain);
    check("a title is text", (await page.textContent("h1")) === "A </script><b>title</b> & more" && (await page.title()) === "A </script><b>title</b> & more");
    check("without drawing there are plots only", await page.evaluate(() => !zeno.stage && zeno.plots.length > 0));
    check("no complaints without drawing", complaints.length === 0, complaints.join("; "));
    await close();
    const { page: second, complaints: more, close: end } = await open(join(work, "rotating-ball.html"));
    await second.emulateMedia({ colorScheme: "dark" });
    await second.waitForFunction(() => zeno.stage.theme.dark, null, { timeout: 10000 }).catch(() => {});
    await settle(second);
    check("the mode can change while the page is open", (await look(second, ".zeno-stage canvas")).light < 90);
    check("no complaints about it", more.length === 0, more.join("; "));
    await end();
}

// ---- found contacts ----

async function testFound() {
    const scene = join(work, "pile.yaml"), result = join(work, "pile.h5"), path = join(work, "pile.html");
    writeFileSync(scene, `gravity: [0, -10]
bodies:
  ball: {type: planar, shape: {type: disk, radius: 0.1}, mass: 1, position: [0.05, 0.4]}
  box: {type: planar, shape: {type: box, size: [0.6, 0.2]}, mass: 2, position: [0, 0.2]}
geometry: {floor: {type: line}}
contacts: {all: {between: all, friction: 0.3}}
simulation: {scheme: rattle, step: 1e-3, end: 6}
`);
    execFileSync(zeno, ["run", scene, "--quiet", "--out", result]); // 6001 rows: thinned out
    execFileSync(zeno, ["page", result, "--out", path]);
    const { page, complaints, close } = await open(path);
    check("forces are shown", await page.evaluate(() => zeno.showForces && zeno.forces.any));
    check("nothing touches at the start", (await page.evaluate(() => { zeno.seek(0.05); return zeno.contactForces(); })).length === 0);
    const forces = await page.evaluate(() => { zeno.seek(3); return zeno.contactForces(); });
    const up = (name) => forces.filter((contact) => contact.name === name).reduce((sum, contact) => sum + contact.force[1], 0);
    check("three contacts push", forces.length === 3, JSON.stringify(forces));
    check("the box carries the ball", Math.abs(up("ball/box") - 10) < 1e-3, up("ball/box"));
    check("the floor carries both", Math.abs(up("box/floor") - 30) < 1e-3, up("box/floor"));
    check("where they touch", forces.every(({ name, at }) => Math.abs(at[1] - (name === "ball/box" ? 0.2 : 0)) < 1e-5), JSON.stringify(forces));
    check("no complaints about contacts", complaints.length === 0, complaints.join("; "));
    await close();
}

// ---- contact events on the time line ----

// A ball with e = 1/2 from a height of 1, g = 10: it hits at sqrt(0.2), twice and 2.5 times that.
async function testEvents() {
    const scene = join(work, "drop.yaml"), result = join(work, "drop.h5"), path = join(work, "drop.html");
    writeFileSync(scene, `coordinates: {q: 1}
energy: {kinetic: q'^2/2, potential: 10*q}
contacts: {ground: {gap: q, restitution: 0.5}}
simulation: {scheme: radau-2a, step: 1e-2, end: 1.2, contact_events: located}
`);
    execFileSync(zeno, ["run", scene, "--quiet", "--out", result]);
    execFileSync(zeno, ["page", result, "--out", path]);
    const { page, complaints, close } = await open(path);
    const seen = await page.evaluate(() => {
        const drawing = document.querySelector(".zeno-events"), scrub = document.querySelector(".zeno-scrub").getBoundingClientRect();
        return { paths: drawing.querySelectorAll("path").length, d: drawing.querySelector("path").getAttribute("d"), box: drawing.getBoundingClientRect().toJSON(),
            left: scrub.left, wide: scrub.width, legend: document.querySelector(".zeno-kinds").textContent, height: drawing.getBoundingClientRect().height,
            list: zeno.table.events.list, contacts: zeno.table.events.contacts };
    });
    const places = seen.d.split("M").slice(1).map((piece) => parseFloat(piece) / 1000), times = [1, 2, 2.5].map((factor) => factor * Math.sqrt(0.2));
    check("three impacts are on the time line", seen.paths === 1 && places.length === 3, seen.d);
    check("where they happen", places.every((place, i) => Math.abs(place - times[i] / 1.2) < 1e-4), places);
    check("times have all digits", seen.list.every(([t, contact, kind], i) => Math.abs(t - times[i]) < 1e-9 && contact === 0 && kind === 0), JSON.stringify(seen.list));
    check("the contact has its name", seen.contacts.join() === "ground", seen.contacts);
    check("the legend counts them", /impact 3/.test(seen.legend) && !/opening/.test(seen.legend), seen.legend);
    check("ticks span the way of the slider", Math.abs(seen.box.left - seen.left - 8) < 1.5 && Math.abs(seen.box.width - seen.wide + 16) < 1.5, JSON.stringify(seen.box));
    check("they do not catch the pointer", await page.evaluate(() => getComputedStyle(document.querySelector(".zeno-events")).pointerEvents === "none"));
    check("no complaints about events", complaints.length === 0, complaints.join("; "));
    await close();
    const { page: other, close: closeOther } = await open(makePage("rotating-ball"));
    check("without events there are no ticks", (await other.locator(".zeno-events, .zeno-kinds").count()) === 0);
    await closeOther();
}

try {
    await testPlanar();
    await testEvents();
    await testFound();
    await testSpatial();
    for (const scheme of ["light", "dark"]) for (const scene of ["rotating-ball", "tetrahedron"]) await testPhone(scene, 360, scheme);
    await testStudies({ check, open, work, zeno, root });
    await testMany({ check, open, work, zeno, root });
    await testMount();
    await testRest();
} catch (error) {
    check("the tests run to their end", false, error.stack);
} finally {
    await browser.close();
    rmSync(work, { recursive: true });
}
console.log(`${checks} checks, ${failures} failures`);
process.exit(failures ? 1 : 0);
