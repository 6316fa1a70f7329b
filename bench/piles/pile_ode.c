/* SPDX-License-Identifier: Apache-2.0 */
/* A pile of spheres in ODE (QuickStep), to compare with. Reads from standard input
 *
 *     n radius mass friction step steps warm half_width   and n lines  x y z;  half_width 0: no walls
 *
 * and prints processor seconds per step (after `warm` steps), the mean over these steps of the sum of squared penetrations and of the mean
 * penetration, the largest one, and the kinetic energy at the end; with any argument the positions at the end before that. Penetrations are
 * measured by the distances of the spheres themselves. */
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIDES = 5 };
static dWorldID world;
static dJointGroupID joints;
static double friction;
static double squares, sum, largest;
static long count;

static void meet(void *data, dGeomID a, dGeomID b) {
    (void)data;
    dContact contact;
    if (dCollide(a, b, 1, &contact.geom, sizeof contact) == 0) return;
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = friction;
    dJointAttach(dJointCreateContact(world, joints, &contact), dGeomGetBody(a), dGeomGetBody(b));
    squares += contact.geom.depth * contact.geom.depth;
    sum += contact.geom.depth;
    largest = contact.geom.depth > largest ? contact.geom.depth : largest;
    count++;
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count_of_arguments, char **arguments) {
    (void)arguments;
    int n, steps, warm;
    double radius, mass, step, half;
    if (scanf("%d %lf %lf %lf %lf %d %d %lf", &n, &radius, &mass, &friction, &step, &steps, &warm, &half) != 8 || n < 1) return 1;
    dInitODE2(0);
    world = dWorldCreate();
    dSpaceID space = dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ);
    joints = dJointGroupCreate(0);
    dWorldSetGravity(world, 0, 0, -9.81);
    dWorldSetAutoDisableFlag(world, 0);
    dCreatePlane(space, 0, 0, 1, 0);
    if (half > 0) {
        dCreatePlane(space, 1, 0, 0, -half), dCreatePlane(space, -1, 0, 0, -half);
        dCreatePlane(space, 0, 1, 0, -half), dCreatePlane(space, 0, -1, 0, -half);
    }
    dBodyID *bodies = calloc((size_t)n, sizeof *bodies);
    for (int i = 0; bodies && i < n; i++) {
        double x, y, z;
        if (scanf("%lf %lf %lf", &x, &y, &z) != 3) return 1;
        dMass inertia;
        dMassSetSphereTotal(&inertia, mass, radius);
        bodies[i] = dBodyCreate(world);
        dBodySetMass(bodies[i], &inertia);
        dBodySetPosition(bodies[i], x, y, z);
        dGeomSetBody(dCreateSphere(space, radius), bodies[i]);
    }
    double begin = 0, worst = 0, all_squares = 0, all_means = 0;
    long contacts = 0;
    for (int k = 0; k < steps; k++) {
        if (k == warm) begin = processor_seconds();
        squares = sum = largest = 0, count = 0;
        dSpaceCollide(space, NULL, meet);
        dWorldQuickStep(world, step);
        dJointGroupEmpty(joints);
        if (k < warm) continue;
        all_squares += squares, all_means += count ? sum / (double)count : 0, contacts += count;
        worst = largest > worst ? largest : worst;
    }
    double seconds = processor_seconds() - begin, kinetic = 0;
    for (int i = 0; i < n; i++) {
        const dReal *v = dBodyGetLinearVel(bodies[i]);
        kinetic += mass / 2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    for (int i = 0; i < n && count_of_arguments > 1; i++) {
        const dReal *at = dBodyGetPosition(bodies[i]);
        printf("%.17g %.17g %.17g\n", at[0], at[1], at[2]);
    }
    int counted = steps - warm;
    printf("{\"seconds\": %.9g, \"squares\": %.9g, \"mean\": %.9g, \"largest\": %.9g, \"contacts\": %.9g, \"kinetic\": %.9g}\n",
           seconds / counted, all_squares / counted, all_means / counted, worst, (double)contacts / counted, kinetic);
    free(bodies);
    dCloseODE();
    return 0;
}
