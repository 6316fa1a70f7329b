// SPDX-License-Identifier: Apache-2.0
// The numbers of a result: columns over time, read by name, between rows by interpolation.

const ARRAYS = { f32: Float32Array, f64: Float64Array };

// Numbers of a column of JSON: a list, or bytes in base64.
export function numbers(column) {
    if (Array.isArray(column.data)) return Float64Array.from(column.data, (value) => (value === null ? NaN : value));
    const bytes = Uint8Array.from(atob(column.data), (character) => character.charCodeAt(0));
    return new (ARRAYS[column.type] ?? Float32Array)(bytes.buffer);
}

export class Table {
    constructor(data) {
        this.columns = data.columns.map((column) => ({ ...column, data: null, values: numbers(column) }));
        this.byName = new Map(this.columns.map((column) => [column.name, column]));
        this.t = this.byName.get("t")?.values ?? Float64Array.from({ length: data.rows ?? 0 }, (_, i) => i);
        this.rows = this.t.length;
        this.contacts = data.contacts; // found contacts: see found.js
        this.events = data.events; // contact events: see events.js
        this.row = 0; // where the last search ended: time mostly goes on
    }

    get start() { return this.rows ? this.t[0] : 0; }
    get end() { return this.rows ? this.t[this.rows - 1] : 0; }

    values(name) { return this.byName.get(name)?.values; }

    // The row at or before a time, and the fraction of the way to the next.
    at(time) {
        const t = this.t, last = this.rows - 1;
        if (last <= 0 || time <= t[0]) return { row: 0, fraction: 0 };
        if (time >= t[last]) return { row: last, fraction: 0 };
        let low = this.row < last && t[this.row] <= time ? this.row : 0;
        let high = low + 2 <= last && t[low + 2] > time ? low + 2 : last;
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (t[middle] <= time) low = middle;
            else high = middle;
        }
        this.row = low;
        return { row: low, fraction: (time - t[low]) / (t[low + 1] - t[low]) };
    }
}

// A number of a drawing is a number, the name of a column, or [a, b, column] for a + b times it.
export function reader(table, value) {
    if (typeof value === "number") return () => value;
    if (Array.isArray(value)) {
        const read = reader(table, value[2]);
        return (moment) => value[0] + value[1] * read(moment);
    }
    const values = table.values(value);
    if (!values) return () => NaN;
    return ({ row, fraction }) => (fraction === 0 ? values[row] : values[row] + fraction * (values[row + 1] - values[row]));
}
