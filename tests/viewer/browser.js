// SPDX-License-Identifier: Apache-2.0
// Debian's chromium without a screen; WebGL by software. CHROMIUM may name another program.
import { chromium } from "playwright-core";

export function openBrowser() {
    return chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
    });
}
