// SPDX-License-Identifier: Apache-2.0
// Jolt, with its defaults but for sleeping (off), the damping of free motion (off), gyroscopic forces (on) and the least velocity that
// bounces (0).
import initJolt from 'jolt-physics';
import { readFileSync } from 'node:fs';

const version = JSON.parse(readFileSync(new URL('./node_modules/jolt-physics/package.json', import.meta.url))).version;
const FIXED = 0, MOVING = 1;

export async function load() {
    const Jolt = await initJolt();
    function settings() {
        const pairs = new Jolt.ObjectLayerPairFilterTable(2);
        pairs.EnableCollision(FIXED, MOVING);
        const layers = new Jolt.BroadPhaseLayerInterfaceTable(2, 2);
        layers.MapObjectToBroadPhaseLayer(FIXED, new Jolt.BroadPhaseLayer(0));
        layers.MapObjectToBroadPhaseLayer(MOVING, new Jolt.BroadPhaseLayer(1));
        const s = new Jolt.JoltSettings();
        s.mObjectLayerPairFilter = pairs;
        s.mBroadPhaseLayerInterface = layers;
        s.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 2, pairs, 2);
        return s;
    }
    const Vec3 = ([x, y, z]) => new Jolt.Vec3(x, y, z);
    function body(interfaces, shape, position, def, motion, layer) {
        const creation = new Jolt.BodyCreationSettings(shape, new Jolt.RVec3(...position), new Jolt.Quat(0, 0, 0, 1), motion, layer);
        creation.mFriction = def.friction;
        creation.mRestitution = def.restitution;
        creation.mAllowSleeping = false;
        creation.mLinearDamping = creation.mAngularDamping = 0;
        creation.mApplyGyroscopicForce = true;
        creation.mOverrideMassProperties = Jolt.EOverrideMassProperties_CalculateInertia;
        creation.mMassPropertiesOverride.mMass = def.mass;
        const made = interfaces.CreateBody(creation);
        interfaces.AddBody(made.GetID(), Jolt.EActivation_Activate);
        return made;
    }
    function begin(def, h) {
        const world = new Jolt.JoltInterface(settings());
        const system = world.GetPhysicsSystem(), interfaces = system.GetBodyInterface();
        const physics = system.GetPhysicsSettings();
        physics.mMinVelocityForRestitution = 0;
        system.SetPhysicsSettings(physics);
        system.SetGravity(Vec3(def.gravity));
        if (def.floor) body(interfaces, new Jolt.BoxShape(Vec3([50, 50, 1])), [0, 0, -1], def, Jolt.EMotionType_Static, FIXED);
        const shape = def.shape === 'sphere' ? new Jolt.SphereShape(def.radius) : new Jolt.BoxShape(Vec3(def.size.map((s) => s / 2)), 0);
        const made = body(interfaces, shape, def.position, def, Jolt.EMotionType_Dynamic, MOVING);
        made.SetLinearVelocity(Vec3(def.velocity));
        made.SetAngularVelocity(Vec3(def.spin));
        const list = (v) => [v.GetX(), v.GetY(), v.GetZ()];
        return {
            step: () => world.Step(h, 1),
            row: () => {
                const p = made.GetRotation();
                return [...list(made.GetPosition()), ...list(made.GetLinearVelocity()), ...list(made.GetAngularVelocity()),
                        p.GetW(), p.GetX(), p.GetY(), p.GetZ()];
            },
            end: () => Jolt.destroy(world),
        };
    }
    return { version, begin };
}
