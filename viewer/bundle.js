// SPDX-License-Identifier: Apache-2.0
// Bundles src/ with three.js and uPlot into one script without imports: node bundle.js OUTPUT
import { build } from "esbuild";
import { readFileSync } from "node:fs";

const [output = "../build/viewer/zeno-viewer.js"] = process.argv.slice(2);

// Both libraries are under the MIT licence, which wants its notice in every copy.
const notice = ["three", "uplot"]
    .map((name) => `${name}\n\n${readFileSync(new URL(`node_modules/${name}/LICENSE`, import.meta.url), "utf8").trim()}`)
    .join("\n\n");

await build({
    entryPoints: [new URL("src/index.js", import.meta.url).pathname],
    outfile: output,
    bundle: true,
    minify: true,
    format: "iife",
    globalName: "ZenoViewer",
    target: "es2021",
    charset: "ascii", // a script inside a page must not depend on the page's encoding
    loader: { ".css": "text" },
    legalComments: "none",
    banner: { js: `/*! Viewer of zeno, Apache-2.0. It contains the following libraries.\n\n${notice.replaceAll("*/", "* /")}\n*/` },
    logLevel: "warning",
});
