/* SPDX-License-Identifier: Apache-2.0 */
/* A ball that falls on a box that falls on a plane, with contacts that are declared and with contacts that come by themselves. */
#ifndef TESTS_SIM_CONTACT_RUNS_H
#define TESTS_SIM_CONTACT_RUNS_H

#include "trial.h"

#define FALL                                                                                                       \
    "gravity: [0, -9.81]\n"                                                                                        \
    "bodies:\n"                                                                                                    \
    "  ball: {type: planar, shape: {type: disk, radius: 0.1}, mass: 1, position: [0.05, 1], velocity: [0.1, 0]}\n" \
    "  box: {type: planar, shape: {type: box, size: [0.6, 0.2]}, mass: 2, position: [0, 0.3]}\n"                   \
    "simulation: {step: 1e-3, end: 0.6}\n"
#define LAW "friction: 0.3, restitution: 0.2}\n"
#define DECLARED                                                                  \
    FALL "geometry:\n"                                                            \
         "  floor: {type: line}\n"                                                \
         "  top: {on: box, type: line, at: [0, 0.1]}\n"                           \
         "  feet: {on: box, type: points, points: [[-0.3, -0.1], [0.3, -0.1]]}\n" \
         "  round: {on: ball, type: disk, radius: 0.1}\n"                         \
         "contacts:\n"                                                            \
         "  a: {between: [round, top], " LAW "  b: {between: [feet, floor], " LAW
#define FOUND FALL "geometry: {floor: {type: line}}\ncontacts: {all: {between: all, " LAW "  }\n"

static inline double total_of(const zn_simulation *s, const char *a, const char *b) {
    for (int i = 0; i < zn_simulation_pair_count(s); i++) {
        zn_pair_total p = zn_simulation_pair(s, i);
        if (!strcmp(p.bodies[0], a) && !strcmp(p.bodies[1], b)) return p.normal;
    }
    return 0;
}

static inline void same_motion(trial *a, trial *b, double tolerance) {
    int nq = zn_simulation_model(a->simulation)->size.nq, nu = zn_simulation_model(a->simulation)->size.nu;
    for (int i = 0; i < nq; i++)
        check_close(zn_simulation_positions(b->simulation)[i], zn_simulation_positions(a->simulation)[i], tolerance);
    for (int i = 0; i < nu; i++)
        check_close(zn_simulation_velocities(b->simulation)[i], zn_simulation_velocities(a->simulation)[i], tolerance);
}

#endif
