// SPDX-License-Identifier: Apache-2.0
// Rapier, with its defaults but for sleeping, which is off, and the combination of materials: the smaller friction, the larger restitution
// of ball and floor, which here are equal.
import RAPIER from '@dimforge/rapier3d-compat';

export async function load() {
    await RAPIER.init();
    const vector = ([x, y, z]) => ({ x, y, z });
    function begin(def, h) {
        const world = new RAPIER.World(vector(def.gravity));
        world.timestep = h;
        const surface = (c) => c.setFriction(def.friction).setRestitution(def.restitution);
        if (def.floor) world.createCollider(surface(RAPIER.ColliderDesc.cuboid(50, 50, 1)).setTranslation(0, 0, -1));
        const body = world.createRigidBody(RAPIER.RigidBodyDesc.dynamic().setTranslation(...def.position).setCanSleep(false));
        body.setLinvel(vector(def.velocity), true);
        body.setAngvel(vector(def.spin), true);
        const shape = def.shape === 'sphere' ? RAPIER.ColliderDesc.ball(def.radius) : RAPIER.ColliderDesc.cuboid(...def.size.map((s) => s / 2));
        world.createCollider(surface(shape).setMass(def.mass), body);
        const list = (v) => [v.x, v.y, v.z];
        return {
            step: () => world.step(),
            row: () => {
                const p = body.rotation();
                return [...list(body.translation()), ...list(body.linvel()), ...list(body.angvel()), p.w, p.x, p.y, p.z];
            },
            end: () => world.free(),
        };
    }
    return { version: RAPIER.version(), begin };
}
