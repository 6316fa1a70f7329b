// SPDX-License-Identifier: Apache-2.0
// Play, time, speed and what to show. Keys work while the focus is inside the viewer: space, arrows, Home, End.
import { eventLegend, eventTicks } from "./events.js";
import { SPEEDS } from "./player.js";
import { numberText, timeText } from "./text.js";

const STEPS = 2000; // of the slider
const ICONS = {
    play: '<svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><path d="M3 1.5v13l11-6.5z"/></svg>',
    pause: '<svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><path d="M3 1.5h4v13H3zM9 1.5h4v13H9z"/></svg>',
};

function element(tag, className, properties = {}) {
    const made = document.createElement(tag);
    made.className = className;
    return Object.assign(made, properties);
}

export class Controls {
    constructor(host, viewer) {
        this.viewer = viewer;
        const { player } = viewer;
        this.root = element("div", "zeno-controls", { role: "group" });
        this.root.setAttribute("aria-label", "animation");
        this.play = element("button", "zeno-play", { type: "button" });
        this.play.addEventListener("click", () => player.toggle());
        this.scrub = element("input", "zeno-scrub", { type: "range", min: 0, max: STEPS, step: 1, value: 0 });
        this.scrub.setAttribute("aria-label", "time");
        this.scrub.addEventListener("input", () => {
            player.pause();
            player.seek(player.start + (this.scrub.value / STEPS) * (player.end - player.start));
        });
        this.time = element("output", "zeno-time");
        const line = element("div", "zeno-line"), ticks = eventTicks(viewer.table.events, player.start, player.end);
        line.append(this.scrub, ...ticks);
        this.root.append(this.play, line, this.time, this.options(), ...(ticks.length ? [eventLegend(viewer.table.events)] : []));
        host.append(this.root);
        viewer.root.addEventListener("keydown", (event) => this.key(event));
        viewer.root.tabIndex = -1;
        if (viewer.host) viewer.host.addEventListener("pointerdown", () => viewer.root.focus({ preventScroll: true }));
    }

    options() {
        const { viewer } = this, row = element("div", "zeno-options");
        const speeds = [...new Set([...SPEEDS, viewer.player.speed])].sort((a, b) => a - b);
        row.append(this.choice("Speed", speeds.map((speed) => [`${numberText(speed)}×`, speed]), viewer.player.speed, (value) => { viewer.player.speed = Number(value); }));
        if (viewer.forces.any && viewer.stage) row.append(this.check("Forces", viewer.showForces, (on) => { viewer.showForces = on; }));
        const names = viewer.choices;
        if (viewer.stage && names.length) {
            const list = [["none", ""], ...names.map((name) => [name, name])];
            row.append(this.choice("Trail", list, viewer.trailed?.name ?? "", (name) => { viewer.trailed = viewer.find(name || null); }));
            row.append(this.choice("Follow", list, viewer.followed?.name ?? "", (name) => { viewer.followed = viewer.find(name || null); }));
        }
        if (viewer.stage) {
            const fit = element("button", "", { type: "button", textContent: "Fit" });
            fit.title = "show everything";
            fit.addEventListener("click", () => viewer.stage.fit());
            row.append(fit);
        }
        return row;
    }

    choice(text, list, chosen, changed) {
        const label = element("label", "", { textContent: `${text} ` }), select = element("select", "");
        for (const [name, value] of list) select.append(new Option(name, value, false, String(value) === String(chosen)));
        select.addEventListener("change", () => {
            changed(select.value);
            this.viewer.refresh();
        });
        label.append(select);
        return label;
    }

    check(text, on, changed) {
        const label = element("label", ""), box = element("input", "", { type: "checkbox", checked: on });
        box.addEventListener("change", () => {
            changed(box.checked);
            this.viewer.refresh();
        });
        label.append(box, text);
        return label;
    }

    key(event) {
        const { player } = this.viewer, tag = event.target.tagName;
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const page = (player.end - player.start) / 100;
        const actions = {
            " ": () => player.toggle(),
            ArrowLeft: () => player.seek(player.time - page),
            ArrowRight: () => player.seek(player.time + page),
            Home: () => player.seek(player.start),
            End: () => player.seek(player.end),
        };
        const own = { " ": ["BUTTON", "INPUT", "SELECT", "SUMMARY"] }[event.key] ?? ["INPUT", "SELECT"];
        if (!actions[event.key] || (own.includes(tag) && event.target !== this.scrub) || (event.target === this.scrub && event.key !== " ")) return;
        event.preventDefault();
        actions[event.key]();
    }

    update() {
        const { player } = this.viewer, span = player.end - player.start;
        if (this.wasPlaying !== player.playing) {
            this.wasPlaying = player.playing;
            this.play.innerHTML = player.playing ? ICONS.pause : ICONS.play;
            this.play.setAttribute("aria-label", player.playing ? "pause" : "play");
        }
        this.scrub.value = span > 0 ? Math.round(((player.time - player.start) / span) * STEPS) : 0;
        this.time.textContent = `t = ${timeText(player.time, span)}`;
        this.scrub.setAttribute("aria-valuetext", this.time.textContent);
    }
}
