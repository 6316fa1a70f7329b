// SPDX-License-Identifier: Apache-2.0
// Events on the time line, of contacts and of the scene: ticks below the slider, a colour for each kind, and their legend.

const COLOURS = ["currentColor", "#9b59b6", "#b38600", "#d6336c", "#009e73", "#d7191c", "#0072b2", "#56b4e9"];
const WIDE = 1000, HIGH = 10; // of the drawing, which is stretched to the slider
const SVG = "http://www.w3.org/2000/svg";

const made = (tag, attributes) => {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
};

const colour = (kind) => COLOURS[kind % COLOURS.length];
const countOf = (events, kind) => events.list.reduce((count, event) => count + (event[2] === kind), 0);

// The drawing in a list, or an empty list where there is nothing to draw. events: {count, contacts, kinds, list of [time, contact, kind]}.
export function eventTicks(events, start, end) {
    if (!events?.list?.length || !(end > start)) return [];
    const drawing = made("svg", { class: "zeno-events", viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    events.kinds.forEach((_, kind) => {
        const ticks = events.list.filter((event) => event[2] === kind).map(([time]) => `M${+(((time - start) / (end - start)) * WIDE).toFixed(3)} 0V${HIGH}`);
        if (ticks.length) drawing.append(made("path", { d: ticks.join(""), stroke: colour(kind) }));
    });
    return [drawing];
}

export function eventLegend(events) {
    const legend = document.createElement("div");
    legend.className = "zeno-kinds";
    events.kinds.forEach((name, kind) => {
        const count = countOf(events, kind);
        if (!count) return;
        const entry = document.createElement("span"), mark = document.createElement("i");
        mark.style.background = colour(kind);
        entry.append(mark, `${name} ${count}`);
        legend.append(entry);
    });
    if (events.count > events.list.length) legend.append(`${events.list.length} of ${events.count} events are shown`);
    return legend;
}
