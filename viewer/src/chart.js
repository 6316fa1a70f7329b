// SPDX-License-Identifier: Apache-2.0
// The picture of a study on a canvas: points and curves over something that varies, a map over two, a histogram. It knows which run is under the pointer.
import { niceStep, numberText } from "./text.js";

const CLASSES = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#0072b2", "#d55e00", "#8c6d46"], NO_VALUE = "#b0b0b0";
const VIRIDIS = [[68, 1, 84], [72, 40, 120], [62, 73, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [110, 206, 88], [181, 222, 43], [253, 231, 37]];
const LEFT = 64, RIGHT = 14, TOP = 12, BOTTOM = 44, REACH = 14; // pixels; REACH: how far from a point a click may be
const SHARES = [0.05, 0.5, 0.95];

function shade(part) {
    const place = Math.min(Math.max(part, 0), 1) * (VIRIDIS.length - 1), k = Math.min(Math.floor(place), VIRIDIS.length - 2);
    return `rgb(${VIRIDIS[k].map((value, i) => Math.round(value + (place - k) * (VIRIDIS[k + 1][i] - value))).join()})`;
}

export function distinct(values) { return [...new Set(values)].filter(Number.isFinite).sort((a, b) => a - b); }

export function quantile(sorted, share) {
    const place = share * (sorted.length - 1), k = Math.floor(place);
    return k + 1 < sorted.length ? sorted[k] + (place - k) * (sorted[k + 1] - sorted[k]) : sorted[sorted.length - 1];
}

function extent(values, air) {
    let low = Infinity, high = -Infinity;
    for (const value of values) if (Number.isFinite(value)) (low = Math.min(low, value), high = Math.max(high, value));
    if (!(low <= high)) return [0, 1];
    const more = high > low ? air * (high - low) : Math.abs(low) * 0.1 || 0.5;
    return [low - more, high + more];
}

// Cells begin and end halfway between neighbours.
function edges(values) {
    const n = values.length, e = values.map((value, i) => (i ? (values[i - 1] + value) / 2 : 0));
    if (n === 1) return [values[0] - 0.5, values[0] + 0.5];
    e[0] = 2 * values[0] - e[1];
    return [...e, 2 * values[n - 1] - e[n - 1]];
}

export class Chart {
    constructor(host, picked) {
        this.canvas = document.createElement("canvas");
        this.canvas.className = "zeno-chart";
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("role", "img");
        host.append(this.canvas);
        this.canvas.addEventListener("click", (event) => {
            const box = this.canvas.getBoundingClientRect(), run = this.pick(event.clientX - box.left, event.clientY - box.top);
            if (run !== null) picked(run);
        });
        this.observer = new ResizeObserver(() => this.draw());
        this.observer.observe(this.canvas);
    }

    // picture: {kind: "points" | "map" | "histogram", x: {name, values, words}, y: the same, groups, runs: [...], lines, failed: a set of runs, chosen, theme}
    // values are numbered as runs is, which has the number of the run of each.
    show(picture) {
        this.picture = picture;
        this.prepare();
        this.draw();
    }

    // ---- what is where ----

    prepare() {
        const p = this.picture;
        if (p.kind === "map") {
            this.grid = { x: distinct(p.x.values), y: distinct(p.y.values) };
            this.isGrid = this.grid.x.length * this.grid.y.length <= 4 * p.runs.length;
            this.edges = { x: edges(this.grid.x), y: edges(this.grid.y) };
            const values = distinct(p.z.values);
            this.classes = values.length <= CLASSES.length && values.every(Number.isInteger) ? values : null;
            this.low = values[0] ?? 0;
            this.high = values[values.length - 1] ?? 1;
            this.range = this.isGrid ? { x: [this.edges.x[0], this.edges.x.at(-1)], y: [this.edges.y[0], this.edges.y.at(-1)] }
                : { x: extent(p.x.values, 0.03), y: extent(p.y.values, 0.03) };
        } else if (p.kind === "histogram") {
            this.sorted = Float64Array.from(p.x.values.filter(Number.isFinite)).sort();
            this.range = { x: extent(this.sorted, 0), y: [0, 1] };
            const n = this.sorted.length, width = 2 * (quantile(this.sorted, 0.75) - quantile(this.sorted, 0.25)) / Math.cbrt(n);
            const [low, high] = this.range.x, bins = Math.min(200, Math.max(5, n && width > 0 ? Math.ceil((high - low) / width) : 5));
            this.bins = Array.from({ length: bins }, () => []);
            p.x.values.forEach((value, i) => { if (Number.isFinite(value)) this.bins[Math.min(bins - 1, Math.floor(((value - low) / (high - low)) * bins))].push(i); });
            this.range.y = [0, 1.05 * Math.max(1, ...this.bins.map((bin) => bin.length))];
        } else {
            this.range = { x: extent(p.x.values, 0.03), y: extent(p.y.values, 0.06) };
        }
    }

    get inner() { return { width: this.width - LEFT - RIGHT, height: this.height - TOP - BOTTOM }; }
    px(x) { return LEFT + ((x - this.range.x[0]) / (this.range.x[1] - this.range.x[0])) * this.inner.width; }
    py(y) { return this.height - BOTTOM - ((y - this.range.y[0]) / (this.range.y[1] - this.range.y[0])) * this.inner.height; }

    // The run at a place of the canvas, or null.
    pick(left, top) {
        const p = this.picture;
        if (!p) return null;
        if (p.kind === "histogram") {
            const bin = this.bins[Math.floor(((left - LEFT) / this.inner.width) * this.bins.length)];
            return bin?.length ? p.runs[bin[Math.floor(bin.length / 2)]] : null;
        }
        let best = null, least = p.kind === "map" && this.isGrid ? Infinity : REACH * REACH;
        const wide = this.inner.width, high = this.inner.height;
        if (left < LEFT - REACH || left > LEFT + wide + REACH || top < TOP - REACH || top > TOP + high + REACH) return null;
        p.runs.forEach((run, i) => {
            const y = p.y.values[i], far = (this.px(p.x.values[i]) - left) ** 2 + (Number.isFinite(y) ? (this.py(y) - top) ** 2 : (this.height - BOTTOM - top) ** 2);
            if (far < least) (least = far, best = run);
        });
        return best;
    }

    // ---- drawing ----

    draw() {
        const p = this.picture, ratio = window.devicePixelRatio || 1;
        this.width = this.canvas.clientWidth;
        this.height = this.canvas.clientHeight;
        if (!p || !this.width || !this.height) return;
        this.canvas.width = Math.round(this.width * ratio);
        this.canvas.height = Math.round(this.height * ratio);
        const c = this.context = this.canvas.getContext("2d");
        c.scale(ratio, ratio);
        c.font = "12px system-ui, sans-serif";
        if (p.kind !== "map") this.drawGrid();
        c.save();
        c.beginPath();
        c.rect(LEFT - 4, TOP - 4, this.inner.width + 8, this.inner.height + 8);
        c.clip();
        if (p.kind === "map") this.drawMap();
        else if (p.kind === "histogram") this.drawHistogram();
        else this.drawPoints();
        this.drawChosen();
        c.restore();
        this.drawAxes();
    }

    ticks(range, pixels, words) {
        if (words?.length) return words.map((text, i) => [i, text]).filter(([i]) => i >= range[0] && i <= range[1]);
        const step = niceStep((range[1] - range[0]) / Math.max(2, pixels / 80)), list = [];
        for (let k = Math.ceil(range[0] / step); k * step <= range[1] && list.length < 40; k++) list.push([k * step, numberText(Number((k * step).toPrecision(12)))]);
        return list;
    }

    drawGrid() {
        const c = this.context;
        c.strokeStyle = this.picture.theme.grid;
        c.beginPath();
        for (const [x] of this.ticks(this.range.x, this.inner.width, this.picture.x.words)) (c.moveTo(this.px(x), TOP), c.lineTo(this.px(x), this.height - BOTTOM));
        for (const [y] of this.ticks(this.range.y, this.inner.height)) (c.moveTo(LEFT, this.py(y)), c.lineTo(this.width - RIGHT, this.py(y)));
        c.stroke();
    }

    drawAxes() {
        const c = this.context, p = this.picture;
        c.strokeStyle = c.fillStyle = p.theme.faint;
        c.strokeRect(LEFT + 0.5, TOP + 0.5, this.inner.width, this.inner.height);
        c.textAlign = "center";
        for (const [x, text] of this.ticks(this.range.x, this.inner.width, p.x.words)) c.fillText(text, this.px(x), this.height - BOTTOM + 16);
        c.fillStyle = p.theme.text;
        c.fillText(p.x.name, LEFT + this.inner.width / 2, this.height - 8);
        c.fillStyle = p.theme.faint;
        c.textAlign = "right";
        for (const [y, text] of this.ticks(this.range.y, this.inner.height, p.y?.words)) c.fillText(text, LEFT - 6, this.py(y) + 4);
        c.save();
        c.translate(14, TOP + this.inner.height / 2);
        c.rotate(-Math.PI / 2);
        c.textAlign = "center";
        c.fillStyle = p.theme.text;
        c.fillText(p.kind === "histogram" ? "runs" : p.y.name, 0, 0);
        c.restore();
    }

    colour(group) { return this.picture.theme.bodies[group % this.picture.theme.bodies.length]; }

    drawPoints() {
        const c = this.context, p = this.picture, size = p.runs.length > 3000 ? 1.6 : p.runs.length > 300 ? 2.4 : 4;
        if (p.lines) {
            const order = p.runs.map((_, i) => i).sort((a, b) => p.x.values[a] - p.x.values[b]);
            for (let group = 0; group < p.groups.length; group++) {
                c.strokeStyle = this.colour(group);
                c.lineWidth = 1.5;
                c.beginPath();
                let pen = false;
                for (const i of order) {
                    if (p.group[i] !== group) continue;
                    if (!Number.isFinite(p.y.values[i])) { pen = false; continue; }
                    pen ? c.lineTo(this.px(p.x.values[i]), this.py(p.y.values[i])) : c.moveTo(this.px(p.x.values[i]), this.py(p.y.values[i]));
                    pen = true;
                }
                c.stroke();
            }
        }
        p.runs.forEach((run, i) => {
            const known = Number.isFinite(p.y.values[i]);
            c.fillStyle = known ? this.colour(p.group[i]) : NO_VALUE;
            c.fillRect(this.px(p.x.values[i]) - size / 2, (known ? this.py(p.y.values[i]) : this.height - BOTTOM - 3) - size / 2, size, size);
        });
    }

    mapColour(z) {
        if (!Number.isFinite(z)) return NO_VALUE;
        return this.classes ? CLASSES[this.classes.indexOf(z)] : shade(this.high > this.low ? (z - this.low) / (this.high - this.low) : 0.5);
    }

    drawMap() {
        const c = this.context, p = this.picture;
        const place = { x: new Map(this.grid.x.map((value, i) => [value, i])), y: new Map(this.grid.y.map((value, i) => [value, i])) };
        p.runs.forEach((run, i) => {
            c.fillStyle = this.mapColour(p.z.values[i]);
            if (!this.isGrid) {
                c.beginPath();
                c.arc(this.px(p.x.values[i]), this.py(p.y.values[i]), 3.2, 0, 2 * Math.PI);
                c.fill();
                return;
            }
            const a = place.x.get(p.x.values[i]), b = place.y.get(p.y.values[i]);
            const x0 = Math.round(this.px(this.edges.x[a])), x1 = Math.round(this.px(this.edges.x[a + 1])), y0 = Math.round(this.py(this.edges.y[b + 1])), y1 = Math.round(this.py(this.edges.y[b]));
            c.fillRect(x0, y0, x1 - x0, y1 - y0);
        });
    }

    drawHistogram() {
        const c = this.context, [low, high] = this.range.x, wide = (high - low) / this.bins.length;
        c.fillStyle = this.colour(0);
        this.bins.forEach((bin, k) => {
            const left = this.px(low + k * wide), right = this.px(low + (k + 1) * wide);
            c.fillRect(left, this.py(bin.length), Math.max(1, right - left - 1), this.py(0) - this.py(bin.length));
        });
        c.strokeStyle = this.colour(1);
        c.lineWidth = 1.6;
        SHARES.forEach((share) => {
            const x = this.px(quantile(this.sorted, share));
            c.setLineDash(share === 0.5 ? [] : [5, 4]);
            c.beginPath();
            c.moveTo(x, TOP);
            c.lineTo(x, this.height - BOTTOM);
            c.stroke();
        });
        c.setLineDash([]);
    }

    drawChosen() {
        const c = this.context, p = this.picture;
        if (p.chosen === null) return;
        c.strokeStyle = p.theme.now;
        c.lineWidth = 2;
        p.runs.forEach((run, i) => {
            if (run !== p.chosen) return;
            const x = this.px(p.x.values[i]), y = p.kind === "histogram" ? this.height - BOTTOM : Number.isFinite(p.y.values[i]) ? this.py(p.y.values[i]) : this.height - BOTTOM - 3;
            c.beginPath();
            c.arc(x, y, 6, 0, 2 * Math.PI);
            c.stroke();
        });
    }

    // [{colour, text}]; for a scale {low, high, gradient}.
    legend() {
        const p = this.picture;
        if (p.kind === "histogram")
            return [...SHARES.map((share) => ({ colour: this.colour(1), text: `${100 * share} %: ${numberText(quantile(this.sorted, share))}` })),
                { colour: this.colour(0), text: `mean ${numberText(this.sorted.reduce((sum, value) => sum + value, 0) / this.sorted.length)}` }];
        const missing = (p.kind === "map" ? p.z : p.y).values.some((value) => !Number.isFinite(value)) ? [{ colour: NO_VALUE, text: p.failed.size ? "failed" : "no value" }] : [];
        if (p.kind !== "map") return [...(p.groups.length > 1 ? p.groups.map((text, k) => ({ colour: this.colour(k), text })) : []), ...missing];
        if (this.classes) return [...this.classes.map((value, k) => ({ colour: CLASSES[k], text: `${p.z.name} = ${numberText(value)}` })), ...missing];
        return [{ gradient: `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(shade).join()})`, text: `${p.z.name} from ${numberText(this.low)} to ${numberText(this.high)}` }, ...missing];
    }

    destroy() { this.observer.disconnect(); }
}
