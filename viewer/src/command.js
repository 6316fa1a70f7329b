// SPDX-License-Identifier: Apache-2.0
// How a run of a study is done by itself, as a command for a shell. Names and values come from files: nothing in them may mean anything to the shell.

const PLAIN = /^[A-Za-z0-9_.,:=/+@%-]+$/, CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

// One word of a command. Quotes make everything plain but the quote itself; controls, which a terminal might act upon, are written as numbers.
export function quoted(text) {
    if (PLAIN.test(text)) return text;
    if (!CONTROL.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
    const hidden = (character) => [...new TextEncoder().encode(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
    return `$'${[...text].map((c) => (c === "'" || c === "\\" ? `\\${c}` : CONTROL.test(c) ? hidden(c) : c)).join("")}'`;
}

// A text of JSON in pages of `zeno page`; what cannot be read is not there.
export function readCase(text) {
    try {
        const found = JSON.parse(text);
        return typeof found?.scene === "string" && Array.isArray(found.options) && Array.isArray(found.axes) ? found : null;
    } catch {
        return null;
    }
}

// values: of the axes, in their order. A word of a list stands for its place.
export function runCommand(found, values, out) {
    const words = ["zeno", "run", found.scene.startsWith("-") ? `./${found.scene}` : found.scene];
    for (const [option, value] of found.options) words.push(String(option), String(value));
    found.axes.forEach((axis, i) => {
        const value = axis.words ? String(axis.words[values[i]] ?? values[i]) : String(values[i]);
        words.push(axis.option, axis.option === "--set" || axis.option === "--start" ? `${axis.name}=${value}` : value);
    });
    return [...words, "--out", out].map(quoted).join(" ");
}
