// SPDX-License-Identifier: Apache-2.0
// Found contacts: any number in a row, each with a place and a percussion since the row before.

function numbers(text, array) {
    if (typeof text !== "string") return new array(0);
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new array(bytes.buffer, 0, Math.floor(bytes.length / array.BYTES_PER_ELEMENT));
}

export class Found {
    constructor(contacts, rows) {
        this.shapes = contacts?.shapes ?? [];
        this.pairs = numbers(contacts?.pairs, Uint32Array);
        this.start = numbers(contacts?.start, Uint32Array);
        this.which = numbers(contacts?.which, Uint32Array);
        this.values = numbers(contacts?.values, Float32Array);
        const last = this.start[this.start.length - 1];
        const whole = this.start.length === rows + 1 && last <= this.which.length && 6 * last <= this.values.length;
        if (!whole) this.start = new Uint32Array(0);
    }

    get any() { return this.start.length > 1 && this.start[this.start.length - 1] > 0; }

    name(which) { return [0, 1].map((side) => this.shapes[this.pairs[2 * which + side]] ?? "").join("/"); }

    // [{name, at, force}]: means over the rows first .. last, each contact where it was last.
    forces({ first, last, time }) {
        if (!this.any || !(time > 0)) return [];
        const list = new Map();
        for (let i = this.start[first]; i < this.start[last + 1]; i++) {
            const v = this.values.subarray(6 * i, 6 * i + 6), which = this.which[i];
            const contact = list.get(which) ?? { name: this.name(which), force: [0, 0, 0] };
            contact.at = [v[0], v[1], v[2]];
            for (let k = 0; k < 3; k++) contact.force[k] += v[3 + k] / time;
            list.set(which, contact);
        }
        return [...list.values()];
    }
}
