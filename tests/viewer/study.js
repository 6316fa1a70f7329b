// SPDX-License-Identifier: Apache-2.0
// Pages of studies: the picture, the run under a click, its command, its animation.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// The middle of the point of a run, on the page.
const placeOf = (page, run) => page.evaluate((k) => {
    const { chart } = zeno, i = chart.picture.runs.indexOf(k), box = chart.canvas.getBoundingClientRect(), { x, y } = chart.picture;
    return [box.left + chart.px(x.values[i]), box.top + chart.py(y.values[i])];
}, run);

const look = (page) => page.evaluate(() => {
    const { canvas } = zeno.chart, copy = document.createElement("canvas"), colours = new Set();
    Object.assign(copy, { width: canvas.width, height: canvas.height });
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    for (let i = 0; i < data.length; i += 4) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return colours.size;
});

const details = (page) => page.evaluate(() => ({ title: document.querySelector(".zeno-details h2")?.textContent, command: document.querySelector(".zeno-command")?.textContent,
    rows: Object.fromEntries([...document.querySelectorAll(".zeno-details tr")].map((line) => [line.children[0].textContent, line.children[1].textContent])),
    failed: document.querySelector(".zeno-failed")?.textContent, stage: document.querySelectorAll(".zeno-stage canvas").length }));

// Everything that a file may say is hostile here: the name of the scene, its title, the message of a failure.
const EVIL = `it's; touch pwned; $(touch pwned) \`touch pwned\` <img src=x onerror=alert(1)> "é".yaml`;
const SCENE = `title: "</script><script>window.pwned = 1</script> 'quoted' \`back\`"
parameters: {e: 0.5}
coordinates: {q: {start: 1, velocity: 0}}
energy: {kinetic: q'^2/2, potential: 10*q}
contacts: {ground: {gap: q, restitution: e}}
view: {ball: {shape: disk, radius: 0.1, at: [0, q]}}
simulation: {scheme: moreau, step: 1e-2, end: 0.3}
`;

async function testRun({ check, open, work, zeno }) {
    const folder = join(work, "study"), html = join(folder, "study.html");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, EVIL), SCENE);
    const run = (...words) => execFileSync(zeno, words, { cwd: folder });
    run("sweep", EVIL, "--vary", "e=0.2:1.2:6", "--vary", "q'=-2:2:5", "--keep", "last:q", "--keep", "impact:ground:q'", "--end", "0.5", "--quiet", "--out", "study.h5");
    run("page", "study.h5", "--out", "study.html");
    const { page, complaints, requests, close } = await open(html);
    check("the title of a study is text", (await page.textContent("h1")).includes("</script><script>window.pwned = 1</script>") && await page.evaluate(() => window.pwned === undefined));
    check("events are what is usual", await page.evaluate(() => zeno.kind.value === "points" && zeno.value.value === "impact:ground.q'"));
    await page.selectOption(".zeno-study-head label:nth-child(1) select", "last:q");
    await page.selectOption(".zeno-study-head label:nth-child(2) select", "map");
    check("a map has colours", (await look(page)) > 15, await look(page));
    check("with a legend of failures", /failed/.test(await page.textContent(".zeno-legend")), await page.textContent(".zeno-legend"));
    // run 13: the third e (0.6), the fourth velocity (1)
    await page.mouse.click(...await placeOf(page, 13));
    const seen = await details(page), kept = await page.evaluate(() => zeno.kept[0].values[13]);
    check("a click shows the run", seen.title === "Run 13" && seen.rows["q'"] === "1" && Math.abs(Number(seen.rows.e) - 0.6) < 1e-12, JSON.stringify(seen));
    check("its animation is not there yet", seen.stage === 0);
    // The command, pasted into a shell, does this run and nothing else.
    execFileSync("sh", ["-c", `${seen.command} --quiet`.replace(/^zeno/, "'" + zeno.replaceAll("'", "'\\''") + "'")], { cwd: folder });
    check("the command runs nothing else", !existsSync(join(folder, "pwned")), seen.command);
    check("and writes its result", existsSync(join(folder, "run-13.h5")), seen.command);
    execFileSync("sh", ["-c", `${seen.command.replace("run-13.h5", "run-13.csv")} --quiet`.replace(/^zeno/, "'" + zeno.replaceAll("'", "'\\''") + "'")], { cwd: folder });
    const last = readFileSync(join(folder, "run-13.csv"), "utf8").trim().split("\n").at(-1).split(",");
    check("which is the run of the study to the last digit", Number(last[1]) === kept, `${last[1]} ${kept}`);
    await page.mouse.click(...await placeOf(page, 28));
    check("a run that failed says why", /restitution|must/.test((await details(page)).failed ?? ""), JSON.stringify(await details(page)));
    await page.keyboard.press("Tab");
    await page.focus(".zeno-chart");
    await page.keyboard.press("ArrowLeft");
    check("keys go from run to run", (await details(page)).title === "Run 27", (await details(page)).title);
    check("no complaints about studies", complaints.length === 0, complaints.join("; "));
    check("no requests of studies", requests.length === 0, requests.join("; "));
    await close();
    // With its result the click shows the animation.
    run("page", "study.h5", "--results", ".", "--out", "animated.html");
    const second = await open(join(folder, "animated.html"));
    await second.page.selectOption(".zeno-study-head label:nth-child(1) select", "last:q");
    await second.page.mouse.click(...await placeOf(second.page, 13));
    await second.page.waitForTimeout(300);
    check("a kept result is shown", (await details(second.page)).stage === 1);
    check("from its own start", await second.page.evaluate(() => { zeno.viewer.seek(0.1); return Math.abs(zeno.viewer.poses().ball[1] - (1 + 0.1 - 0.05)) < 0.01; }));
    await second.page.mouse.click(...await placeOf(second.page, 12));
    check("and goes with the next click", (await details(second.page)).stage === 0);
    check("no complaints with animations", second.complaints.length === 0, second.complaints.join("; "));
    await second.close();
}

async function testPictures({ check, open, work, zeno, root }) {
    const study = join(work, "samples.h5"), html = join(work, "samples.html");
    execFileSync(zeno, ["sweep", join(root, "scenes/bouncing-ball.yaml"), "--vary", "q_0=uniform:1:2", "--samples", "400", "--sampling", "latin", "--keep", "last:q", "--end", "0.1", "--step", "1e-2", "--quiet", "--out", study]);
    execFileSync(zeno, ["page", study, "--out", html]);
    const { page, complaints, close } = await open(html, { width: 360, height: 740, scheme: "dark", touch: true });
    const legend = (await page.locator(".zeno-legend-entry").allTextContents()).join("\n"), shares = [...legend.matchAll(/(\d+) %: ([\d.]+)/g)].map((match) => [Number(match[1]) / 100, Number(match[2])]);
    check("samples are a histogram", await page.evaluate(() => zeno.kind.value === "histogram") && shares.length === 3, legend);
    check("with the quantiles of a uniform distribution", Math.abs(shares[2][1] - shares[0][1] - 0.9) < 5e-3 && Math.abs(2 * shares[1][1] - shares[2][1] - shares[0][1]) < 1e-2, legend);
    check("all runs are in a bin", await page.evaluate(() => zeno.chart.bins.reduce((sum, bin) => sum + bin.length, 0) === 400));
    const layout = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, seen: innerWidth }));
    check("a study fits a phone", layout.wide <= layout.seen, JSON.stringify(layout));
    const box = await page.locator(".zeno-chart").boundingBox();
    await page.mouse.click(box.x + 64 + (box.width - 78) / 2, box.y + box.height / 2);
    check("a click into a histogram shows a run of the bin", /^Run \d+$/.test((await details(page)).title ?? ""), JSON.stringify(await details(page)));
    check("a study with a run fits a phone", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.selectOption(".zeno-study-head label:nth-child(2) select", "points");
    check("the same as points", await page.evaluate(() => zeno.chart.picture.kind === "points" && zeno.chart.picture.runs.length === 400));
    check("no complaints about pictures", complaints.length === 0, complaints.join("; "));
    await close();
}

export async function testStudies(tools) {
    await testRun(tools);
    await testPictures(tools);
}
