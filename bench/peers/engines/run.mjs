// SPDX-License-Identifier: Apache-2.0
// Runs the cases in one engine and prints a JSON list of {program, version, case, step, seconds_per_step, rows}.
// A row is [t, x, y, z, vx, vy, vz, wx, wy, wz, p0, p1, p2, p3]: angular velocity in the fixed frame, quaternion scalar first.
//   node run.mjs mujoco|rapier|jolt cases.json
import { readFileSync } from 'node:fs';

const [engine, casesPath] = process.argv.slice(2);
const { cases, steps } = JSON.parse(readFileSync(casesPath, 'utf8'));
const { load } = await import(`./${engine}.mjs`);
const { version, begin } = await load();

const MAX_ROWS = 1000;

/** One run: `step` advances, `row` tells the state, `end` frees. Only the steps are timed. */
function simulate(def, h) {
    const world = begin(def, h);
    const count = Math.round(def.end / h), every = Math.max(1, Math.round(count / MAX_ROWS));
    const rows = [[0, ...world.row()]];
    let seconds = 0;
    for (let i = 1; i <= count; i++) {
        const start = performance.now();
        world.step();
        seconds += (performance.now() - start) / 1000;
        if (i % every === 0 || i === count) rows.push([i * h, ...world.row()]);
    }
    world.end();
    return { program: engine, version, case: def.name, step: h, seconds_per_step: seconds / count, rows };
}

const results = [];
for (const def of cases)
    for (const h of steps) {
        simulate({ ...def, end: Math.min(def.end, 200 * h) }, h); // the compiler of the engine warms up
        results.push(simulate(def, h));
    }
process.stdout.write(JSON.stringify(results) + '\n', () => process.exit(0));
