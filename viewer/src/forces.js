// SPDX-License-Identifier: Apache-2.0
// Forces at contacts. A result has percussions, integrals of force over time; the mean over a short window before a moment is
// a force that also shows impacts.
import { reader } from "./data.js";
import { Found } from "./found.js";

const WINDOWS = 250; // in the whole time: impacts stay visible for that long

const length = (v) => Math.hypot(v[0], v[1], v[2]);

function vector(table, list) {
    const readers = (list ?? []).map((value) => reader(table, value));
    while (readers.length < 3) readers.push(() => 0);
    return (moment) => readers.map((read) => read(moment));
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// Sums of percussions up to each row, so that a window costs two look-ups.
function sums(values) {
    const total = new Float64Array(values.length + 1);
    for (let i = 0; i < values.length; i++) total[i + 1] = total[i] + (Number.isFinite(values[i]) ? values[i] : 0);
    return total;
}

function part(table, name, scale) {
    const values = table.values(name);
    return values ? { total: sums(values), scale: scale ?? 1 } : null;
}

export class Forces {
    constructor(table, drawing) {
        this.table = table;
        this.window = (table.end - table.start) / WINDOWS;
        this.contacts = (drawing?.contacts ?? []).map((contact) => ({
            name: contact.name,
            at: vector(table, contact.at),
            normal: vector(table, contact.normal),
            tangent: contact.tangent ? vector(table, contact.tangent) : null,
            along: contact.percussion ? part(table, contact.percussion, 1) : null,
            constant: contact.force ?? 0,
            friction: (contact.friction ?? []).map(([name, scale]) => part(table, name, scale)),
            planar: contact.at.length < 3,
        }));
        this.found = new Found(table.contacts, table.rows);
        this.reference = this.typical();
    }

    get any() { return this.contacts.length > 0 || this.found.any; }

    mean(sum, first, last, time) {
        return sum ? (sum.scale * (sum.total[last + 1] - sum.total[first])) / time : 0;
    }

    // Rows whose percussions belong to the window that ends at a moment: row k holds what happened since row k - 1.
    rowsOf(moment) {
        const t = this.table.t, last = Math.min(moment.fraction > 0 ? moment.row + 1 : moment.row, this.table.rows - 1);
        let first = last;
        while (first > 1 && t[last] - t[first - 1] < this.window * 0.999) first--;
        if (first === 0) first = Math.min(1, last);
        return { first, last, time: t[last] - t[first - 1] };
    }

    force(contact, moment, rows) {
        if (!(rows.time > 0)) return [0, 0, 0];
        const n = contact.normal(moment);
        const t1 = contact.tangent ? contact.tangent(moment) : contact.planar ? [n[1], -n[0], 0] : null;
        const directions = t1 ? [t1, cross(n, t1)] : [];
        const normal = contact.along ? this.mean(contact.along, rows.first, rows.last, rows.time) : contact.constant;
        const force = n.map((value) => value * normal);
        for (let i = 0; i < Math.min(contact.friction.length, contact.planar ? 1 : 2) && directions[i]; i++) {
            const along = this.mean(contact.friction[i], rows.first, rows.last, rows.time);
            for (let k = 0; k < 3; k++) force[k] += along * directions[i][k];
        }
        return force.every(Number.isFinite) ? force : [0, 0, 0];
    }

    // [{name, at, force}] of the contacts that carry one.
    at(moment) {
        const rows = this.rowsOf(moment);
        return this.contacts
            .map((contact) => ({ name: contact.name, at: contact.at(moment), force: this.force(contact, moment, rows) }))
            .concat(this.found.forces(rows))
            .filter((contact) => contact.at.every(Number.isFinite) && length(contact.force) > this.reference * 1e-3);
    }

    // What an arrow of usual length stands for: a force that few contacts exceed.
    typical() {
        const sizes = [], steps = Math.min(this.table.rows, 200);
        for (let i = 1; i < steps; i++) {
            const moment = { row: Math.floor((i * (this.table.rows - 1)) / steps), fraction: 0 }, rows = this.rowsOf(moment);
            for (const contact of this.contacts) {
                const size = length(this.force(contact, moment, rows));
                if (size > 0) sizes.push(size);
            }
            for (const contact of this.found.forces(rows)) sizes.push(length(contact.force));
        }
        if (!sizes.length) return 1;
        sizes.sort((a, b) => a - b);
        return sizes[Math.floor(sizes.length * 0.8)];
    }

    // Length of an arrow relative to the usual one: grows with the force, slower beyond it.
    static relative(size, reference) {
        const ratio = size / reference;
        return ratio <= 1 ? ratio : 1 + Math.log(ratio) / 3;
    }
}
