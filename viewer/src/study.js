// SPDX-License-Identifier: Apache-2.0
// The page of a study: its picture, and for the run that one clicks its values, what went wrong, the command that does it, and its animation if it was kept.
import { Chart, distinct } from "./chart.js";
import { readCase, runCommand } from "./command.js";
import { numbers } from "./data.js";
import { numberText } from "./text.js";
import { watchScheme } from "./theme.js";
import { Viewer } from "./viewer.js";

const MOST_GROUPS = 8, MOST_CHOICES = 500;

function add(host, tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    host?.append(made);
    return made;
}

export class Study {
    constructor(host, data) {
        this.data = data;
        this.axes = data.axes.map((axis) => ({ name: axis.name, words: axis.words ?? [], values: numbers(axis) }));
        this.kept = data.kept.map((column) => ({ name: column.name, values: numbers(column) }));
        this.number = numbers(data.number);
        this.rows = this.number.length;
        this.status = this.kept.find((column) => column.name === "status")?.values ?? new Float64Array(this.rows);
        this.readEvents();
        this.case = readCase(data.case);
        this.varying = this.axes.filter((axis) => distinct(axis.values).length > 1);
        this.chosen = null;
        this.root = add(host, "div", "zeno-viewer");
        const scheme = watchScheme((theme) => { this.theme = theme; this.refresh(); });
        this.theme = scheme.theme;
        this.stopWatching = scheme.stop;
        this.build();
        this.usual();
        this.refresh();
    }

    // Events as columns: a value, and the run that it belongs to, for each.
    readEvents() {
        const { events } = this.data;
        this.events = [];
        if (!events) return;
        const all = numbers(events), width = events.columns.length;
        events.names.forEach((name, which) => {
            for (let c = 2; c < width; c++) {
                const values = [], runs = [];
                for (let i = 0; i + width <= all.length; i += width)
                    if (all[i + 1] === which && all[i] < this.rows) (values.push(all[i + c]), runs.push(all[i]));
                this.events.push({ name: `${name}.${events.columns[c]}`, values, runs });
            }
        });
    }

    get columns() { return [...this.kept, ...this.events]; }

    // Events first, then a map over two things that vary on a grid, a curve over one, a histogram of samples.
    usual() {
        const sampled = (axis) => distinct(axis.values).length > this.rows / 2 && !axis.values.every((value, i) => i === 0 || value >= axis.values[i - 1]);
        const first = this.events.find((column) => !column.name.endsWith(".time")) ?? this.columns[0];
        this.value.value = first.name;
        this.kind.value = first.runs || this.varying.length < 2 ? "points" : "map";
        if (!first.runs && this.varying.length && sampled(this.varying[0])) this.kind.value = "histogram";
        this.x.value = (this.varying[0] ?? this.axes[0]).name;
        this.y.value = (this.varying[1] ?? this.axes[0]).name;
    }

    // ---- what is on the page ----

    build() {
        const head = add(this.root, "div", "zeno-study-head");
        const chooser = (label, names) => {
            const around = add(head, "label", "zeno-x", `${label} `), select = add(around, "select");
            for (const [text, value] of names) select.append(new Option(text, value));
            select.addEventListener("change", () => this.refresh());
            return select;
        };
        const axes = this.axes.map(({ name }) => [name, name]);
        this.value = chooser("show", this.columns.map(({ name }) => [name, name]));
        this.kind = chooser("as", [["curve, points", "points"], ["map", "map"], ["histogram", "histogram"]]);
        this.x = chooser("over", axes);
        this.y = chooser("and", axes);
        this.filters = this.varying.map((axis) => {
            const values = distinct(axis.values);
            if (values.length > MOST_CHOICES) return null;
            const select = chooser(`${axis.name} =`, [["all", ""], ...values.map((value) => [this.textOf(axis, value), String(value)])]);
            return { axis, select };
        }).filter(Boolean);
        this.legend = add(this.root, "div", "zeno-legend");
        const body = add(this.root, "div", "zeno-study-body");
        this.chart = new Chart(add(body, "div", "zeno-chart-host"), (run) => this.choose(run));
        this.chart.canvas.addEventListener("keydown", (event) => this.key(event));
        this.details = add(body, "section", "zeno-details");
        this.details.setAttribute("aria-live", "polite");
        this.stage = add(this.root, "div");
    }

    textOf(axis, value) { return axis.words[value] ?? numberText(value); }

    // Left and right go from run to run.
    key(event) {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        this.choose(Math.min(this.rows - 1, Math.max(0, (this.chosen ?? -step) + step)));
    }

    // ---- the picture ----

    // What varies and is neither drawn nor chosen: of a map one value of it is shown.
    others(kind) {
        const drawn = kind === "histogram" ? [] : kind === "map" ? [this.x.value, this.y.value] : [this.x.value];
        return this.varying.filter((axis) => !drawn.includes(axis.name));
    }

    refresh() {
        const kind = this.kind.value, column = this.columns.find(({ name }) => name === this.value.value), free = this.others(kind);
        const x = this.axes.find(({ name }) => name === this.x.value), y = this.axes.find(({ name }) => name === this.y.value);
        this.x.parentElement.hidden = kind === "histogram";
        this.y.parentElement.hidden = kind !== "map";
        for (const { axis, select } of this.filters) {
            select.parentElement.hidden = !free.includes(axis);
            if (kind === "map" && free.includes(axis) && select.value === "") select.selectedIndex = 1;
        }
        const wanted = this.filters.filter(({ axis, select }) => free.includes(axis) && select.value !== "");
        const places = [], run = (i) => (column.runs ? column.runs[i] : i);
        for (let i = 0; i < column.values.length; i++)
            if (wanted.every(({ axis, select }) => axis.values[run(i)] === Number(select.value))) places.push(i);
        const runs = places.map(run), values = places.map((i) => column.values[i]), over = (axis) => ({ name: axis.name, words: axis.words, values: runs.map((k) => axis.values[k]) });
        const left = free.filter((axis) => !wanted.some((filter) => filter.axis === axis)), named = { name: column.name, values };
        const picture = { kind, runs, chosen: this.chosen, theme: this.theme, failed: new Set(runs.filter((k) => this.status[k] !== 0)), ...this.groups(left, runs) };
        if (kind === "histogram") this.chart.show({ ...picture, x: named });
        else if (kind === "map") this.chart.show({ ...picture, x: over(x), y: over(y), z: named });
        else this.chart.show({ ...picture, x: over(x), y: named, lines: !column.runs && picture.whole });
        this.chart.canvas.setAttribute("aria-label", `${column.name} as ${kind}, ${runs.length} points`);
        this.showLegend();
        this.drawn = (this.drawn ?? 0) + 1;
    }

    // A colour for each combination of what else varies, where there are few.
    groups(axes, runs) {
        const keys = new Map(), group = runs.map((k) => {
            const key = axes.map((axis) => `${axis.name} = ${this.textOf(axis, axis.values[k])}`).join(", ");
            if (!keys.has(key)) keys.set(key, keys.size);
            return keys.get(key);
        });
        if (keys.size > MOST_GROUPS) return { groups: [""], group: runs.map(() => 0), whole: false };
        return { groups: [...keys.keys()], group, whole: true };
    }

    showLegend() {
        this.legend.replaceChildren();
        for (const { colour, gradient, text } of this.chart.legend()) {
            const entry = add(this.legend, "span", "zeno-legend-entry"), dash = add(entry, "i", gradient ? "zeno-scale" : "");
            dash.style.background = gradient ?? colour;
            entry.append(text);
        }
    }

    // ---- a run ----

    choose(run) {
        this.chosen = run;
        this.refresh();
        this.showRun(run);
    }

    showRun(k) {
        const number = this.data.first + this.number[k];
        this.details.replaceChildren();
        this.viewer?.destroy();
        this.viewer = null;
        this.stage.replaceChildren();
        add(this.details, "h2", "", `Run ${number}`);
        const table = add(this.details, "table");
        const row = (name, text) => { const line = add(table, "tr"); add(line, "th", "", name); add(line, "td", "", text); };
        for (const axis of this.axes) row(axis.name, axis.words[axis.values[k]] ?? String(axis.values[k]));
        for (const column of this.kept) if (column.name !== "status") row(column.name, numberText(column.values[k]));
        if (this.status[k] !== 0) add(this.details, "p", "zeno-failed", this.data.messages?.[k] || "the run failed");
        if (this.case) this.showCommand(runCommand(this.case, this.axes.map((axis) => axis.values[k]), `run-${number}.h5`));
        const result = this.data.results?.[number];
        if (result) this.viewer = new Viewer(add(this.stage, "div"), result);
        else add(this.details, "p", "zeno-hint", `Its animation is not in this page; the command writes run-${number}.h5, and zeno page with --results takes it in.`);
    }

    showCommand(text) {
        add(this.details, "p", "zeno-hint", "To do this run by itself:");
        const line = add(this.details, "pre", "zeno-command", text), button = add(this.details, "button", "", "Copy");
        button.type = "button";
        button.addEventListener("click", async () => {
            try {
                await navigator.clipboard.writeText(text);
            } catch { // pages from the disk may not write the clipboard by themselves
                const range = document.createRange();
                range.selectNodeContents(line);
                getSelection().removeAllRanges();
                getSelection().addRange(range);
                document.execCommand("copy");
            }
            button.textContent = "Copied";
        });
    }

    destroy() {
        this.stopWatching();
        this.chart.destroy();
        this.viewer?.destroy();
        this.root.remove();
    }
}
