// SPDX-License-Identifier: Apache-2.0
// Planar systems on a 2D canvas: crisp lines at any size, and no limit on how many viewers a page may have.
import { Forces } from "./forces.js";
import { centreOf, isEndless } from "./items.js";
import { niceStep, numberText } from "./text.js";
import { drawItem } from "./shapes2d.js";

const ARROW = 64; // pixels of a usual force

export class Stage2d {
    constructor(host, system, theme) {
        Object.assign(this, { host, system, theme });
        this.canvas = document.createElement("canvas");
        this.canvas.className = "zeno-canvas";
        host.append(this.canvas);
        this.context = this.canvas.getContext("2d");
        this.zoom = 1;
        this.shift = [0, 0]; // pixels
        this.observer = new ResizeObserver(() => this.resize());
        this.observer.observe(host);
        this.resize();
        this.listen();
    }

    destroy() {
        this.observer.disconnect();
        this.canvas.remove();
    }

    resize() {
        const width = Math.max(this.host.clientWidth, 1), height = Math.max(this.host.clientHeight, 1), ratio = window.devicePixelRatio || 1;
        if (width === this.width && height === this.height && ratio === this.ratio) return;
        this.width = width;
        this.height = height;
        this.canvas.width = Math.round(this.width * ratio);
        this.canvas.height = Math.round(this.height * ratio);
        this.ratio = ratio;
        this.system.redraw?.(); // a new size clears the canvas: no blank picture in between
    }

    fit() {
        this.zoom = 1;
        this.shift = [0, 0];
        this.system.refresh();
    }

    // Dragging pans, the wheel and two fingers zoom about the place where they are.
    listen() {
        const pointers = new Map(), canvas = this.canvas;
        const place = (event) => {
            const box = canvas.getBoundingClientRect();
            return [event.clientX - box.left, event.clientY - box.top];
        };
        const release = (event) => pointers.delete(event.pointerId);
        canvas.addEventListener("pointerdown", (event) => {
            pointers.set(event.pointerId, place(event));
            canvas.setPointerCapture(event.pointerId);
        });
        canvas.addEventListener("pointerup", release);
        canvas.addEventListener("pointercancel", release);
        canvas.addEventListener("pointermove", (event) => {
            if (!pointers.has(event.pointerId)) return;
            const before = pointers.get(event.pointerId), now = place(event);
            if (pointers.size === 2) {
                const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
                const from = Math.hypot(before[0] - other[0], before[1] - other[1]);
                const to = Math.hypot(now[0] - other[0], now[1] - other[1]);
                if (from > 0 && to > 0) this.zoomAt(other, to / from);
            } else {
                this.shift = [this.shift[0] + now[0] - before[0], this.shift[1] + now[1] - before[1]];
            }
            pointers.set(event.pointerId, now);
            this.system.refresh();
        });
        canvas.addEventListener("wheel", (event) => {
            event.preventDefault();
            this.zoomAt(place(event), Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)));
            this.system.refresh();
        }, { passive: false });
        canvas.addEventListener("dblclick", () => this.fit());
    }

    zoomAt(point, factor) {
        const zoom = Math.min(Math.max(this.zoom * factor, 0.05), 500), change = zoom / this.zoom;
        const middle = [this.width / 2, this.height / 2];
        this.shift = this.shift.map((value, k) => (value - (point[k] - middle[k])) * change + (point[k] - middle[k]));
        this.zoom = zoom;
    }

    // World to pixels: a scale and a middle.
    camera(moment) {
        const { low, high } = this.system.bounds;
        const pad = 34, room = [Math.max(this.width - 2 * pad, 20), Math.max(this.height - 2 * pad, 20)];
        let span = [high[0] - low[0], high[1] - low[1]], middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
        const followed = this.system.followed;
        if (followed) {
            middle = centreOf(followed, moment);
            const size = this.system.sizeOfItems;
            span = span.map((value) => Math.min(value, 3.2 * size));
        }
        const scale = Math.min(room[0] / Math.max(span[0], 1e-300), room[1] / Math.max(span[1], 1e-300)) * this.zoom;
        return {
            scale,
            x: (value) => this.width / 2 + this.shift[0] + (value - middle[0]) * scale,
            y: (value) => this.height / 2 + this.shift[1] - (value - middle[1]) * scale,
            left: middle[0] - (this.width / 2 + this.shift[0]) / scale,
            right: middle[0] + (this.width / 2 - this.shift[0]) / scale,
            bottom: middle[1] - (this.height / 2 - this.shift[1]) / scale,
            top: middle[1] + (this.height / 2 + this.shift[1]) / scale,
        };
    }

    draw(moment) {
        const { context: c, theme } = this, camera = this.camera(moment);
        c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        c.fillStyle = theme.stage;
        c.fillRect(0, 0, this.width, this.height);
        this.drawGrid(camera);
        this.drawTrail(camera, moment);
        const order = [...this.system.items].sort((a, b) => layer(a) - layer(b));
        for (const item of order) drawItem(c, camera, item, moment, theme, this);
        if (this.system.showForces) this.drawForces(camera, moment);
        this.drawScale(camera);
    }

    drawGrid(camera) {
        const c = this.context, step = niceStep(90 / camera.scale);
        c.strokeStyle = this.theme.grid;
        c.lineWidth = 1;
        c.beginPath();
        for (let x = Math.ceil(camera.left / step) * step; x <= camera.right; x += step) {
            const at = Math.round(camera.x(x)) + 0.5;
            c.moveTo(at, 0);
            c.lineTo(at, this.height);
        }
        for (let y = Math.ceil(camera.bottom / step) * step; y <= camera.top; y += step) {
            const at = Math.round(camera.y(y)) + 0.5;
            c.moveTo(0, at);
            c.lineTo(this.width, at);
        }
        c.stroke();
    }

    drawScale(camera) {
        const c = this.context, step = niceStep(90 / camera.scale), length = step * camera.scale, y = this.height - 12;
        c.strokeStyle = c.fillStyle = this.theme.faint;
        c.lineWidth = 1.5;
        c.beginPath();
        c.moveTo(12, y - 4);
        c.lineTo(12, y);
        c.lineTo(12 + length, y);
        c.lineTo(12 + length, y - 4);
        c.stroke();
        c.font = "12px system-ui, sans-serif";
        c.textAlign = "center";
        c.textBaseline = "bottom";
        c.fillText(numberText(step), 12 + length / 2, y - 2);
    }

    drawTrail(camera, moment) {
        const item = this.system.trailed;
        if (!item) return;
        const c = this.context;
        c.strokeStyle = this.theme.bodies[Math.max(item.colour, 0) % this.theme.bodies.length];
        c.globalAlpha = 0.55;
        c.lineWidth = 1.5;
        c.beginPath();
        for (const point of this.system.trail(moment)) c.lineTo(camera.x(point[0]), camera.y(point[1]));
        c.stroke();
        c.globalAlpha = 1;
    }

    drawForces(camera, moment) {
        const { forces } = this.system, c = this.context;
        c.strokeStyle = c.fillStyle = this.theme.force;
        for (const { at, force } of forces.at(moment)) {
            const size = Math.hypot(force[0], force[1]), pixels = ARROW * Forces.relative(size, forces.reference);
            const x = camera.x(at[0]), y = camera.y(at[1]), dx = (force[0] / size) * pixels, dy = (-force[1] / size) * pixels;
            c.beginPath();
            c.arc(x, y, 3, 0, 2 * Math.PI);
            c.fill();
            if (pixels > 4) arrow(c, x, y, dx, dy);
        }
    }
}

function arrow(c, x, y, dx, dy) {
    const size = Math.hypot(dx, dy), head = Math.min(10, size * 0.6), ux = dx / size, uy = dy / size;
    c.lineWidth = 2.5;
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(x + dx - ux * head * 0.8, y + dy - uy * head * 0.8);
    c.stroke();
    c.beginPath();
    c.moveTo(x + dx, y + dy);
    c.lineTo(x + dx - ux * head - uy * head * 0.45, y + dy - uy * head + ux * head * 0.45);
    c.lineTo(x + dx - ux * head + uy * head * 0.45, y + dy - uy * head - ux * head * 0.45);
    c.closePath();
    c.fill();
}

function layer(item) {
    if (isEndless(item.def)) return 0;
    if (!item.moves) return 1;
    if (item.def.shape === "joint") return 4;
    return item.def.shape === "spring" || item.def.shape === "segment" ? 2 : 3;
}
