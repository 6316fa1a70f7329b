// SPDX-License-Identifier: Apache-2.0
// ZenoViewer.mount(element, data, options) shows a result; ZenoViewer.page(data) fills a page of its own. docs/page.md
import chartStyle from "uplot/dist/uPlot.min.css";
import style from "./style.css";
import { Study } from "./study.js";
import { Viewer } from "./viewer.js";

function addStyle() {
    if (document.getElementById("zeno-style")) return;
    const sheet = document.createElement("style");
    sheet.id = "zeno-style";
    sheet.textContent = chartStyle + style;
    document.head.append(sheet);
}

const isStudy = (data) => String(data?.format).startsWith("zeno study");

export function mount(host, data, options) {
    addStyle();
    return isStudy(data) ? new Study(host, data) : new Viewer(host, data, options);
}

function add(host, tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    host.append(made);
    return made;
}

export function page(data) {
    addStyle();
    document.body.classList.add("zeno-host");
    const main = add(document.body, "main", "zeno-page");
    add(main, "h1", "", data.title || "Result");
    const facts = add(main, "ul", "zeno-facts");
    for (const [name, value] of data.facts ?? []) add(facts, "li", "", `${name} ${value}`);
    const viewer = mount(add(main, "div"), data);
    if (!viewer.stage && !isStudy(data)) add(main, "p", "zeno-hint", "This result has no drawing, so only its curves are shown.");
    if (data.scene) {
        const source = add(main, "details", "zeno-source");
        add(source, "summary", "", "Scene");
        add(source, "pre", "", data.scene);
    }
    window.zeno = viewer; // for a look from the console
    return viewer;
}
