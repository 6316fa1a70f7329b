// SPDX-License-Identifier: Apache-2.0
// Colours of both modes. Those of bodies are Okabe and Ito's, told apart also by the colour-blind.
const LIGHT = {
    dark: false, stage: "#fbfbfa", grid: "#ecebe8", faint: "#77756f", text: "#1f1e1b",
    fixed: "#6f6c66", fixedFill: "#e4e2dd", joint: "#44423e", force: "#d1242f", now: "#d1242f",
    bodies: ["#0072b2", "#d55e00", "#009e73", "#b0568f", "#b38600", "#2b8fc4", "#6b5fb5", "#8a6d3b"],
};
const DARK = {
    dark: true, stage: "#161719", grid: "#25272a", faint: "#9a9ba0", text: "#e8e6e3",
    fixed: "#9b9ca1", fixedFill: "#303236", joint: "#d5d6da", force: "#ff7b72", now: "#ff7b72",
    bodies: ["#56b4e9", "#ff9e4a", "#34d3a2", "#e79ac6", "#f0c542", "#8fd0f5", "#b3a7f2", "#cfae7a"],
};

function channels(colour) { return [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)); }

function mix(a, b, share) {
    const [from, to] = [channels(a), channels(b)];
    return `#${from.map((value, i) => Math.round(value + share * (to[i] - value)).toString(16).padStart(2, "0")).join("")}`;
}

export function themeOf(dark) {
    const base = dark ? DARK : LIGHT;
    return { ...base, fill: (colour) => `${colour}66`, over: (colour) => mix(colour, base.stage, 0.62) };
}

export function watchScheme(changed) {
    const query = window.matchMedia("(prefers-color-scheme: dark)"), listen = () => changed(themeOf(query.matches));
    query.addEventListener("change", listen);
    return { theme: themeOf(query.matches), stop: () => query.removeEventListener("change", listen) };
}
