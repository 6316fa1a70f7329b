// SPDX-License-Identifier: Apache-2.0
// Curves f(x, y) = 0 and surfaces f(x, y, z) = 0 of contacts, as points near what moves.
import { parseFormula } from "./formula.js";

const LINES = 240, PATCHES = 48;

// The first sign change of f from `low` to `high`, by bisection; null: there is none.
function root(f, low, high, steps) {
    let a = low, fa = f(low);
    for (let i = 1; i <= steps; i++) {
        const b = low + ((high - low) * i) / steps, fb = f(b);
        if (fa === 0) return a;
        if (fa * fb < 0) {
            let [left, right, sign] = [a, b, fa];
            for (let k = 0; k < 40; k++) {
                const middle = (left + right) / 2, value = f(middle);
                if (value * sign > 0) left = middle;
                else right = middle;
            }
            return (left + right) / 2;
        }
        [a, fa] = [b, fb];
    }
    return null;
}

// Points of the item's frame. The frame is taken as that of the world, which is where surfaces by formula mostly are.
export function sampleSurface(item, bounds, planar) {
    const { def } = item, f = parseFormula(def.formula ?? "");
    if (!f) return;
    const at = def.at ?? [0, 0, 0], reach = 0.5 * bounds.size;
    const low = bounds.low.map((value, k) => value - at[k] - reach), high = bounds.high.map((value, k) => value - at[k] + reach);
    const names = { ...def.parameters };
    if (planar) {
        def.shape = "curve";
        def.points = [];
        for (let i = 0; i <= LINES; i++) {
            const x = low[0] + ((high[0] - low[0]) * i) / LINES;
            const y = root((value) => f({ ...names, x, y: value }), high[1] + 4 * reach, low[1] - 4 * reach, 60);
            if (y !== null) def.points.push([x, y]);
        }
        return;
    }
    def.columns = PATCHES + 1;
    def.points = [];
    for (let i = 0; i <= PATCHES; i++)
        for (let j = 0; j <= PATCHES; j++) {
            const x = low[0] + ((high[0] - low[0]) * i) / PATCHES, y = low[1] + ((high[1] - low[1]) * j) / PATCHES;
            const z = root((value) => f({ ...names, x, y, z: value }), high[2] + reach, low[2] - reach, 40);
            def.points.push(z === null ? null : [x, y, z]);
        }
}
