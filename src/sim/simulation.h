/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of a simulation. */
#ifndef SIM_SIMULATION_H
#define SIM_SIMULATION_H

#include "model/model.h"
#include "scheme/scheme.h"
#include "scheme/stage.h"

/* What is watched at every accepted state. */
typedef struct sim_monitor {
    stage at;
    double *gaps;      /* per contact */
    double max_penetration, max_g, max_gdot, max_gamma;
} sim_monitor;

zn_status sim_monitor_create(zn_context *, const zn_model *, sim_monitor *);
void sim_monitor_destroy(zn_context *, sim_monitor *);
/* ZN_NOT_FINITE when the state or a constraint is not. */
zn_status sim_monitor_look(sim_monitor *, const scheme_state *);
/* The first value that is not finite at a state, as words ("the force on 'x'"); NULL: everything is finite. */
const char *sim_monitor_not_finite(sim_monitor *, const scheme_state *, char *text, size_t room);

struct zn_simulation {
    zn_context *context;
    const zn_model *model;
    zn_settings settings;
    char *scheme_name;
    scheme *scheme;
    scheme_state now, next;
    double *state_memory;
    double *P, *P_total;   /* of the last grid step (physical), and of all */
    sim_monitor monitor;
    long step, n_steps;    /* grid steps done, and in all */
    long rejected;
    long path_steps[CONE_PATH_COUNT];            /* steps by the path that ended them */
    long path_solves[CONE_PATH_COUNT], path_iterations_there[CONE_PATH_COUNT]; /* solves in those steps, their iterations of the path */
    long path_iterations[CONE_PATH_COUNT];       /* iterations of each path in all steps */
    int path_max[CONE_PATH_COUNT];
    double max_residual;
    double energy_start;
};

/* Consistent initial conditions (002: 3.7), three parts. */

/* How far a start may be from its constraints, in their units of length and velocity. */
#define SIM_START_TOLERANCE 1e-6

/* Every violated constraint and contact is an error in the context (ZN_START). */
zn_status sim_start_check(zn_context *, const zn_model *, double t, const double *q, const double *u);
/* Moves q and u onto the constraints and out of penetration, by the smallest change in the norm of the mass matrix. */
zn_status sim_start_project(zn_context *, const zn_model *, double t, double *q, double *u);
/* Accelerations and multipliers: Signorini and friction on acceleration level for closed contacts at rest in the normal. */
zn_status sim_start_forces(zn_context *, const zn_model *, const zn_settings *, double t, const double *q, const double *u, double *a0,
                           double *lambda0);

#endif
