// SPDX-License-Identifier: Apache-2.0
// A pile of spheres in Bullet, to compare with: input and output as those of pile_ode.c.
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <vector>

static double processor_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

int main() {
    int n, steps, warm;
    double radius, mass, friction, step, half;
    if (std::scanf("%d %lf %lf %lf %lf %d %d %lf", &n, &radius, &mass, &friction, &step, &steps, &warm, &half) != 8 || n < 1) return 1;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broad;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broad, &solver, &configuration);
    world.setGravity(btVector3(0, 0, -9.81));
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    auto add = [&](btCollisionShape *shape, double m, btVector3 at) {
        btVector3 inertia(0, 0, 0);
        if (m > 0) shape->calculateLocalInertia(btScalar(m), inertia);
        btRigidBody::btRigidBodyConstructionInfo info(btScalar(m), nullptr, shape, inertia);
        info.m_startWorldTransform.setOrigin(at);
        info.m_friction = btScalar(m > 0 ? friction : 1);
        bodies.emplace_back(new btRigidBody(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
    };
    auto plane = [&](btVector3 normal, double offset) {
        shapes.emplace_back(new btStaticPlaneShape(normal, btScalar(offset)));
        add(shapes.back().get(), 0, btVector3(0, 0, 0));
    };
    shapes.emplace_back(new btSphereShape(btScalar(radius)));
    btCollisionShape *sphere = shapes.back().get();
    for (int i = 0; i < n; i++) {
        double x, y, z;
        if (std::scanf("%lf %lf %lf", &x, &y, &z) != 3) return 1;
        add(sphere, mass, btVector3(btScalar(x), btScalar(y), btScalar(z)));
    }
    plane(btVector3(0, 0, 1), 0);
    if (half > 0) {
        plane(btVector3(1, 0, 0), -half), plane(btVector3(-1, 0, 0), -half);
        plane(btVector3(0, 1, 0), -half), plane(btVector3(0, -1, 0), -half);
    }
    double begin = 0, squares = 0, means = 0, worst = 0;
    long contacts = 0;
    for (int k = 0; k < steps; k++) {
        if (k == warm) begin = processor_seconds();
        world.stepSimulation(btScalar(step), 0);
        if (k < warm) continue;
        double sum = 0;
        long count = 0;
        for (int m = 0; m < dispatcher.getNumManifolds(); m++) {
            const btPersistentManifold *manifold = dispatcher.getManifoldByIndexInternal(m);
            for (int c = 0; c < manifold->getNumContacts(); c++) {
                double depth = -manifold->getContactPoint(c).getDistance();
                if (depth <= 0) continue;
                sum += depth, squares += depth * depth, count++;
                worst = std::max(worst, depth);
            }
        }
        means += count ? sum / double(count) : 0, contacts += count;
    }
    double seconds = processor_seconds() - begin, kinetic = 0;
    for (int i = 0; i < n; i++) kinetic += mass / 2 * bodies[size_t(i)]->getLinearVelocity().length2();
    int counted = steps - warm;
    std::printf("{\"seconds\": %.9g, \"squares\": %.9g, \"mean\": %.9g, \"largest\": %.9g, \"contacts\": %.9g, \"kinetic\": %.9g}\n",
                seconds / counted, squares / counted, means / counted, worst, double(contacts) / counted, kinetic);
    for (auto &body : bodies) world.removeRigidBody(body.get());
}
