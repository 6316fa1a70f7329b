// SPDX-License-Identifier: Apache-2.0
// Pictures of pages: node shoot.js FOLDER FRACTION WIDTHxHEIGHT light|dark PAGE.html...
import { basename, resolve } from "node:path";
import { openBrowser } from "./browser.js";

const [folder, fraction, size, scheme, ...pages] = process.argv.slice(2);
const [width, height] = size.split("x").map(Number);
const browser = await openBrowser();
const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, offline: true });
for (const path of pages) {
    const page = await context.newPage();
    page.on("console", (message) => { if (message.type() === "error" || message.type() === "warning") console.log(path, message.text()); });
    page.on("pageerror", (error) => console.log(path, String(error)));
    await page.goto(`file://${resolve(path)}`);
    await page.waitForFunction(() => window.zeno?.drawn > 0);
    await page.evaluate((share) => window.zeno.seek(window.zeno.player.start + share * (window.zeno.player.end - window.zeno.player.start)), Number(fraction));
    await page.waitForTimeout(700);
    await page.screenshot({ path: `${folder}/${basename(path, ".html")}-${width}-${scheme}.png`, fullPage: true });
    await page.close();
}
await browser.close();
