// SPDX-License-Identifier: Apache-2.0
// MuJoCo: contacts are soft by design. Its strict settings: elliptic cones, friction without the slow drift (noslip), contacts as stiff
// as the step allows (time constant 2 h; where they bounce omega h = 1/2), restitution through the damping ratio of the contact:
// e = exp(-pi z/sqrt(1 - z^2)).
import loadMujoco from '@mujoco/mujoco';
import { readFileSync } from 'node:fs';

const version = JSON.parse(readFileSync(new URL('./node_modules/@mujoco/mujoco/package.json', import.meta.url))).version;

const dampingRatio = (e) => (e > 0 ? -Math.log(e) / Math.hypot(Math.PI, Math.log(e)) : 1);

function scene(def, h) {
    const size = def.shape === 'sphere' ? `${def.radius}` : def.size.map((s) => s / 2).join(' ');
    const ratio = dampingRatio(def.restitution), time = ratio < 1 ? 2 * h / ratio : 2 * h; // omega = 1/(time ratio)
    const contact = `solref="${time} ${ratio}" friction="${def.friction} 0 0" condim="3" priority="1"`;
    const floor = def.floor ? `<geom type="plane" size="50 50 1" ${contact}/>` : '';
    return `<mujoco><option timestep="${h}" gravity="${def.gravity.join(' ')}" cone="elliptic" integrator="Euler" noslip_iterations="20"
        tolerance="1e-12" iterations="200"/>
      <worldbody>${floor}<body pos="${def.position.join(' ')}"><freejoint/>
        <geom type="${def.shape}" size="${size}" mass="${def.mass}" ${contact}/></body></worldbody></mujoco>`;
}

export async function load() {
    const mujoco = await loadMujoco();
    function begin(def, h) {
        const model = mujoco.MjModel.from_xml_string(scene(def, h));
        const data = new mujoco.MjData(model);
        for (let i = 0; i < 3; i++) data.qvel[i] = def.velocity[i], data.qvel[3 + i] = def.spin[i];
        const rotate = ([w, x, y, z], v) => { // from the body to the fixed frame
            const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
            return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]];
        };
        return {
            step: () => mujoco.mj_step(model, data),
            row: () => {
                const q = Array.from(data.qpos), u = Array.from(data.qvel), p = q.slice(3, 7);
                return [...q.slice(0, 3), ...u.slice(0, 3), ...rotate(p, u.slice(3, 6)), ...p];
            },
            end: () => { data.delete(); model.delete(); },
        };
    }
    return { version, begin };
}
