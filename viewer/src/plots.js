// SPDX-License-Identifier: Apache-2.0
// Curves by uPlot: over time, with a cursor that is the animation's, or one column over another.
import uPlot from "uplot";
import { numberText } from "./text.js";

const COLOURS = {
    light: ["#0072b2", "#d55e00", "#009e73", "#b0568f", "#b38600", "#2b8fc4", "#6b5fb5", "#555555"],
    dark: ["#56b4e9", "#ff9e4a", "#34d3a2", "#e79ac6", "#f0c542", "#8fd0f5", "#b3a7f2", "#bbbbbb"],
};
const MOST_CURVES = 8, HEIGHT = 178;
const LEAST_SPAN = 1e-11; // of an axis: below it there is round-off only

const element = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
};

// ---- which plots to begin with ----

const FLAT = 1e-9; // relative: what changes less is shown on request only

function varies(column) {
    let low = Infinity, high = -Infinity;
    for (const value of column.values) if (Number.isFinite(value)) (low = Math.min(low, value), high = Math.max(high, value));
    return high - low > FLAT * Math.max(1, Math.abs(low), Math.abs(high));
}

export function usualPlots(table) {
    const of = (dataset) => table.columns.filter((column) => column.dataset === dataset);
    const names = (list) => list.map((column) => column.name);
    const outputs = names(of("output").filter(varies)), energy = names(of("energy").filter((column) => column.values.some(Number.isFinite)));
    const q = names(of("q").filter((column) => !/\.p[0-3]$/.test(column.name) && varies(column))), u = names(of("u").filter(varies));
    const gaps = names(of("gap").filter(varies)), plots = [];
    if (outputs.length) plots.push({ x: "t", y: outputs.slice(0, 4) });
    if (q.length && !(q.length > 4 && outputs.length)) plots.push({ x: "t", y: q.slice(0, q.length > 4 ? 3 : 4) });
    else if (u.length && !outputs.length) plots.push({ x: "t", y: u.slice(0, 3) });
    if (energy.length) plots.push({ x: "t", y: energy.reverse() });
    if (gaps.length) plots.push({ x: "t", y: gaps.slice(0, 4) });
    else if (q.length && u.length) plots.push({ x: q[0], y: [u[0]] });
    if (!plots.length) plots.push({ x: "t", y: names(table.columns).filter((name) => name !== "t").slice(0, 3) });
    return plots.filter((plot) => plot.y.length);
}

// ---- one plot ----

export class Plot {
    constructor(host, system, theme, choice) {
        Object.assign(this, { system, theme });
        this.x = choice.x ?? "t";
        this.y = [...choice.y];
        this.root = element("figure", "zeno-plot");
        this.head = element("figcaption", "zeno-plot-head");
        this.area = element("div", "zeno-plot-area");
        this.root.append(this.head, this.area);
        host.append(this.root);
        this.makeChooser();
        this.observer = new ResizeObserver(() => this.resize());
        this.observer.observe(this.area);
        this.rebuild();
    }

    destroy() {
        this.observer.disconnect();
        this.chart?.destroy();
        this.root.remove();
    }

    // ---- choice of columns ----

    makeChooser() {
        const names = this.system.table.columns.filter((column) => column.dataset !== "view").map((column) => column.name);
        const label = element("label", "zeno-x", "over ");
        this.select = element("select");
        this.select.setAttribute("aria-label", "horizontal axis");
        for (const name of names) this.select.append(new Option(name, name, false, name === this.x));
        this.select.addEventListener("change", () => {
            this.x = this.select.value;
            this.rebuild();
        });
        label.append(this.select);
        const details = element("details", "zeno-columns");
        details.append(element("summary", "", "Curves"));
        const list = element("div", "zeno-column-list");
        this.boxes = [];
        details.addEventListener("toggle", () => { if (details.open && !this.boxes.length) this.fillChooser(list, names); }); // thousands of columns take their time
        details.append(list);
        document.addEventListener("pointerdown", (event) => { if (!details.contains(event.target)) details.open = false; });
        this.legend = element("span", "zeno-legend");
        this.head.append(this.legend, label, details);
    }

    fillChooser(list, names) {
        this.boxes = names.filter((name) => name !== "t").map((name) => {
            const row = element("label"), box = element("input");
            box.type = "checkbox";
            box.value = name;
            box.checked = this.y.includes(name);
            box.addEventListener("change", () => this.choose(name, box.checked));
            row.append(box, ` ${name}`);
            row.title = this.system.table.byName.get(name)?.meaning ?? "";
            list.append(row);
            return box;
        });
    }

    choose(name, wanted) {
        this.y = this.y.filter((other) => other !== name);
        if (wanted) this.y.push(name);
        if (this.y.length > MOST_CURVES) this.y.shift();
        for (const box of this.boxes) box.checked = this.y.includes(box.value);
        this.rebuild();
    }

    // ---- the chart ----

    get overTime() { return this.x === "t"; }

    colour(i) { return COLOURS[this.theme.dark ? "dark" : "light"][i % MOST_CURVES]; }

    yRange(low, high) {
        if (!(low <= high)) return [0, 1];
        const air = Math.max(0.06 * (high - low), high - low < LEAST_SPAN * Math.max(1, Math.abs(high)) ? LEAST_SPAN * Math.max(1, Math.abs(high)) : 0);
        return [low - air, high + air];
    }

    axis() {
        const line = { stroke: this.theme.dark ? "#2c2e32" : "#e6e4df", width: 1 };
        return { stroke: this.theme.faint, grid: line, ticks: { ...line, size: 5 }, font: "12px system-ui, sans-serif" };
    }

    rebuild() {
        this.chart?.destroy();
        this.area.replaceChildren();
        const { table } = this.system, x = table.values(this.x) ?? table.t;
        const curves = this.y.map((name) => table.values(name)).filter(Boolean);
        const leftAxis = { ...this.axis(), size: (u, values) => 14 + 7 * Math.max(3, ...(values ?? []).map((text) => text.length)),
                           values: (u, splits) => splits.map(numberText) };
        const options = {
            width: Math.max(this.area.clientWidth, 120),
            height: HEIGHT,
            legend: { show: false },
            padding: [8, 12, 0, 0],
            scales: { x: { time: false }, y: { range: (u, low, high) => this.yRange(low, high) } },
            axes: [{ ...this.axis(), size: 30, values: (u, splits) => splits.map(numberText) }, leftAxis],
            cursor: { drag: { x: true, y: false }, points: { show: false }, y: false },
        };
        if (this.overTime) {
            options.series = [{}, ...curves.map((_, i) => ({ stroke: this.colour(i), width: 1.6, points: { show: false } }))];
            this.chart = new uPlot(options, [x, ...curves.map((values) => Array.from(values, (v) => (Number.isFinite(v) ? v : null)))], this.area);
        } else {
            this.makePortrait(options, x, curves);
        }
        this.mark = element("div", this.overTime ? "zeno-now" : "zeno-here");
        this.chart.over.append(this.mark);
        this.listen();
        this.makeLegend();
        this.system.refresh?.();
    }

    // uPlot wants rising x; its second mode takes any points, and the curve is a path of our own.
    makePortrait(options, x, curves) {
        const range = (lists) => {
            let low = Infinity, high = -Infinity;
            for (const values of lists)
                for (const value of values) if (Number.isFinite(value)) (low = Math.min(low, value), high = Math.max(high, value));
            if (!(low <= high)) return [0, 1];
            const air = 0.05 * (high - low) || 0.5;
            return [low - air, high + air];
        };
        const paths = (u, index) => {
            uPlot.orient(u, index, (series, xs, ys, scaleX, scaleY, toX, toY, left, top, wide, high) => {
                const c = u.ctx;
                c.save();
                c.beginPath();
                c.rect(left, top, wide, high);
                c.clip();
                c.strokeStyle = this.colour(index - 1);
                c.lineWidth = 1.4 * (window.devicePixelRatio || 1);
                c.beginPath();
                let pen = false;
                for (let i = 0; i < xs.length; i++) {
                    if (!Number.isFinite(xs[i]) || !Number.isFinite(ys[i])) {
                        pen = false;
                        continue;
                    }
                    const px = toX(xs[i], scaleX, wide, left), py = toY(ys[i], scaleY, high, top);
                    pen ? c.lineTo(px, py) : c.moveTo(px, py);
                    pen = true;
                }
                c.stroke();
                c.restore();
            });
            return null;
        };
        const xRange = range([x]), yRange = range(curves);
        Object.assign(options, { mode: 2, scales: { x: { time: false, range: () => xRange }, y: { range: () => yRange } } });
        options.cursor = { show: false };
        options.series = [{}, ...curves.map((_, i) => ({ stroke: this.colour(i), paths }))];
        this.chart = new uPlot(options, [null, ...curves.map((values) => [x, values])], this.area);
    }

    // A click seeks; dragging zooms in time, a double click shows all again.
    listen() {
        if (!this.overTime) return;
        let from = null;
        const over = this.chart.over;
        over.addEventListener("pointerdown", (event) => { from = event.clientX; });
        over.addEventListener("pointerup", (event) => {
            if (from === null || Math.abs(event.clientX - from) > 4) return;
            this.system.player.seek(this.chart.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
        });
    }

    makeLegend() {
        this.legend.replaceChildren();
        this.values = this.y.map((name, i) => {
            const entry = element("span", "zeno-legend-entry"), dash = element("i"), value = element("b");
            dash.style.background = this.colour(i);
            entry.append(dash, `${name} `, value);
            this.legend.append(entry);
            return { value, numbers: this.system.table.values(name) };
        });
    }

    restyle(theme) {
        this.theme = theme;
        this.rebuild();
    }

    resize() {
        const width = Math.max(this.area.clientWidth, 120);
        if (Math.abs(this.chart.width - width) > 1) this.chart.setSize({ width, height: HEIGHT });
        this.system.refresh?.();
    }

    draw(moment, time) {
        const { row, fraction } = moment;
        const at = (values) => (fraction === 0 ? values[row] : values[row] + fraction * (values[row + 1] - values[row]));
        for (const { value, numbers } of this.values) value.textContent = numbers ? numberText(at(numbers)) : "";
        const x = this.overTime ? time : at(this.system.table.values(this.x) ?? [NaN]);
        const left = this.chart.valToPos(x, "x"), width = this.chart.over.clientWidth;
        this.mark.style.display = left >= -1 && left <= width + 1 ? "" : "none";
        if (this.overTime) {
            this.mark.style.transform = `translateX(${left}px)`;
            return;
        }
        const y = this.system.table.values(this.y[0]);
        this.mark.style.transform = y ? `translate(${left}px, ${this.chart.valToPos(at(y), "y")}px)` : "scale(0)";
    }
}
