// SPDX-License-Identifier: Apache-2.0
// One viewer: a stage, its controls and plots around one clock.
import { boundsOf } from "./bounds.js";
import { Table } from "./data.js";
import { Forces } from "./forces.js";
import { centreOf, isEndless, pointsOf, readItems } from "./items.js";
import { Controls } from "./controls.js";
import { Player } from "./player.js";
import { Plot, usualPlots } from "./plots.js";
import { Stage2d } from "./stage2d.js";
import { Stage3d } from "./stage3d.js";
import { sampleSurface } from "./surfaces.js";
import { watchScheme } from "./theme.js";

const TRAIL_POINTS = 1500;

// A text in pages of `zeno page`, an object elsewhere; what cannot be read is not there.
function readDrawing(drawing) {
    if (typeof drawing !== "string") return drawing ?? null;
    try {
        return drawing ? JSON.parse(drawing) : null;
    } catch {
        return null;
    }
}

export class Viewer {
    constructor(host, data, options = {}) {
        this.options = options;
        this.table = new Table(data);
        this.drawing = readDrawing(data.drawing);
        this.items = readItems(this.table, this.drawing);
        this.bounds = boundsOf(this.items, this.table);
        for (const item of this.items) if (item.def.shape === "surface" && item.def.formula) sampleSurface(item, this.bounds, this.drawing.space !== 3);
        this.sizeOfItems = this.usualSize();
        this.forces = new Forces(this.table, this.drawing);
        this.showForces = options.forces ?? this.forces.any;
        this.trailed = this.find(this.drawing?.trail ?? options.trail);
        this.followed = this.find(this.drawing?.follow ?? options.follow);
        this.player = new Player(this.table.start, this.table.end, () => this.refresh(), options);
        if (options.speed ?? this.drawing?.speed) this.player.speed = options.speed ?? this.drawing.speed;
        this.build(host, options);
        if (options.autoplay) this.player.play();
        this.refresh();
    }

    find(name) { return name === undefined || name === null ? null : this.items.find((item) => item.name === name && item.moves) ?? null; }

    // What one can choose for trail and camera: moving items, each name once.
    get choices() {
        const names = this.items.filter((item) => item.moves && item.def.shape !== "joint" && !isEndless(item.def)).map((item) => item.name);
        return [...new Set(names)];
    }

    usualSize() {
        let size = 0;
        for (const item of this.items) {
            if (!item.moves || isEndless(item.def)) continue;
            const points = pointsOf(item, { row: 0, fraction: 0 });
            for (let k = 0; k < 3; k++) size = Math.max(size, Math.max(...points.map((p) => p[k])) - Math.min(...points.map((p) => p[k])));
        }
        return size > 0 ? size : this.bounds.size;
    }

    build(host, options) {
        this.root = document.createElement("div");
        this.root.className = "zeno-viewer";
        this.body = document.createElement("div");
        this.left = document.createElement("div");
        this.left.className = "zeno-left";
        this.root.append(this.body);
        this.body.append(this.left);
        host.append(this.root);
        const scheme = watchScheme((theme) => this.restyle(theme));
        this.stopWatching = scheme.stop;
        if (this.items.length) {
            this.host = document.createElement("div");
            this.host.className = "zeno-stage";
            if (options.height) Object.assign(this.host.style, { height: `${options.height}px`, aspectRatio: "auto" });
            this.left.append(this.host);
            this.stage = this.drawing.space === 3 ? new Stage3d(this.host, this, scheme.theme) : new Stage2d(this.host, this, scheme.theme);
        }
        this.controls = new Controls(this.left, this);
        this.plots = [];
        const wanted = options.plots === false ? [] : Array.isArray(options.plots) ? options.plots : this.drawing?.plots ?? usualPlots(this.table);
        this.body.className = `zeno-body${wanted.length && this.stage ? " zeno-both" : ""}`;
        if (wanted.length) {
            const column = document.createElement("div");
            column.className = "zeno-plots";
            this.body.append(column);
            this.plots = wanted.map((choice) => new Plot(column, this, scheme.theme, choice));
        }
    }

    restyle(theme) {
        if (this.stage) {
            this.stage.theme = theme;
            this.stage.restyle?.(theme);
        }
        for (const plot of this.plots) plot.restyle(theme);
        this.refresh();
    }

    // The way of the trailed item up to a moment.
    trail(moment) {
        const points = [], step = Math.max(1, Math.ceil(moment.row / TRAIL_POINTS));
        for (let row = 0; row <= moment.row; row += step) points.push(centreOf(this.trailed, { row, fraction: 0 }));
        points.push(centreOf(this.trailed, moment));
        return points.filter((point) => point.every(Number.isFinite));
    }

    // Draws once before the next picture of the browser, however often it is asked for.
    refresh() {
        if (this.waiting || !this.controls) return;
        this.waiting = requestAnimationFrame(() => {
            this.waiting = 0;
            this.draw();
        });
    }

    // At once.
    redraw() { if (this.controls) this.stage?.draw(this.table.at(this.player.time)); }

    draw() {
        const { time } = this.player, moment = this.table.at(time);
        this.stage?.draw(moment);
        this.controls.update();
        for (const plot of this.plots) plot.draw(moment, time);
        this.drawn = (this.drawn ?? 0) + 1;
    }

    // ---- for pages and tests ----

    get time() { return this.player.time; }
    get playing() { return this.player.playing; }
    play() { this.player.play(); }
    pause() { this.player.pause(); }
    seek(time) { this.player.seek(time); }

    // {name: centre} of all items at the present time.
    poses() {
        const moment = this.table.at(this.player.time);
        return Object.fromEntries(this.items.map((item) => [item.name, centreOf(item, moment)]));
    }

    contactForces() { return this.forces.at(this.table.at(this.player.time)); }

    destroy() {
        this.player.pause();
        cancelAnimationFrame(this.waiting);
        this.stopWatching();
        this.stage?.destroy();
        for (const plot of this.plots) plot.destroy();
        this.root.remove();
    }
}
