// SPDX-License-Identifier: Apache-2.0
// The box that a drawing fills over the whole time.
import { isEndless, pointsOf } from "./items.js";

const SAMPLES = 160, MOST = 40000; // moments; of all items together

export function boundsOf(items, table) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const include = (point) => {
        if (!point.every(Number.isFinite)) return;
        for (let k = 0; k < 3; k++) {
            low[k] = Math.min(low[k], point[k]);
            high[k] = Math.max(high[k], point[k]);
        }
    };
    const steps = Math.max(1, Math.min(SAMPLES, table.rows, Math.max(8, Math.ceil(MOST / (items.length + 1)))));
    for (const item of items) {
        if (isEndless(item.def)) continue;
        for (let i = 0; i < (item.moves ? steps : 1); i++) {
            const row = steps > 1 ? Math.round((i * (table.rows - 1)) / (steps - 1)) : 0;
            for (const point of pointsOf(item, { row, fraction: 0 })) include(point);
        }
    }
    // Lines and planes only say where they are when nothing else does, or when they are near.
    const empty = !(low[0] <= high[0]);
    const size = empty ? 1 : Math.max(...high.map((value, k) => value - low[k]));
    for (const item of items) {
        if (!isEndless(item.def) || item.moves) continue;
        const { r } = item.pose({ row: 0, fraction: 0 });
        if (empty || r.every((value, k) => value >= low[k] - 0.4 * size && value <= high[k] + 0.4 * size)) include(r);
    }
    if (!(low[0] <= high[0])) return { low: [-1, -1, -1], high: [1, 1, 1], size: 2 };
    const extent = Math.max(...high.map((value, k) => value - low[k]));
    if (!(extent > 0)) return { low: low.map((v) => v - 1), high: high.map((v) => v + 1), size: 2 };
    return { low, high, size: extent };
}
