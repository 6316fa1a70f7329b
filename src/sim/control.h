/* SPDX-License-Identifier: Apache-2.0 */
/* Step size control (step: auto). */
#ifndef SIM_CONTROL_H
#define SIM_CONTROL_H

#include "scheme/scheme.h"

typedef struct sim_control {
    double h; /* to try next */
    double h_min, h_max;
    double error_before; /* of the last accepted step, 1 is as large as allowed */
    /* An impact is known to lie between now and `bracket` (0: none is); a step of `capture` may contain it. Located events: the last part
     * was passed by the laws, this long (0: it was not). */
    double bracket, capture;
    bool aimed;    /* the last step towards it went where the gap said, the next halves the bracket */
    bool doubling; /* the scheme has no estimate: one step against two halves, which are taken; located events: which are compared with */
    double push;   /* largest normal percussion so far */
    bool *closed;  /* per contact: pushed in the last accepted step */
    double judged, judged_h; /* located events: error of the last frozen step in units of the allowed one, and its length; */
    double judged_size;      /* in units of the accuracy */
    int futile;              /* trials in which smaller steps did not help, */
    double calm_h;           /* since the one of this length, */
    bool back;               /* which the step goes back to; */
    int parts;               /* steps in a row that could be solved in part only */
    double noise;            /* errors of positions up to this do not depend on the step */
    double *states;          /* memory of middle and coarse */
    double *reach;           /* per coordinate: largest |q_i| so far */
    double *error, *qdot, *qdot_next, *rate; /* nq; rate: d q'/dt in the last step without impact */
    double *gap_rate, *gap_bend;             /* per contact: first and second derivative of the gap */
    scheme_state middle, coarse;             /* of doubling; else without memory */
} sim_control;

/* The length of a fixed step, which is at most that of the run. */
double sim_fixed_step(const zn_simulation *);
/* The first step where the user gives none. */
double sim_control_first_step(const zn_model *, const zn_settings *);
/* After the start is made consistent. */
zn_status sim_control_create(zn_simulation *);
/* The first step, and all that begins with the present; sim_control_begin is the latter. */
zn_status sim_control_start(zn_simulation *);
void sim_control_destroy(zn_simulation *);
/* chatter.c: whether steps are compared with two halves, for the scheme that is made next. */
void sim_control_choose(zn_simulation *);
/* The present is not where the last step led. */
zn_status sim_control_begin(zn_simulation *);
/* Memory that goes with the contacts of sim->model; rates of their gaps at the present. */
zn_status sim_control_take_contacts(zn_simulation *);
void sim_control_drop_contacts(zn_simulation *);
void sim_control_see_rates(zn_simulation *);
/* With step: auto: whether velocities that differ from those of the present for some time make no more than the error that is asked for. */
bool sim_control_allows(zn_simulation *, const double *u_before, double time);
/* control_error.c: the present counts for the largest positions so far. */
void sim_control_reach(zn_simulation *);
/* The size of control.error at q, in units of the accuracy. */
double sim_error_size(const zn_simulation *, const double *q);
/* The same of a step of h to `next`, with rates qdot and qdot_next at its ends, but for coordinates at rest: what is wrong in them is what
 * the solver has left. Where nothing has moved yet it is all there is to measure it by, and smaller steps would not make it smaller. */
double sim_error_in_motion(zn_simulation *, double h);
/* Whether any coordinate moves in such a step. */
bool sim_error_moves(const zn_simulation *);
/* Errors that are round-off of positions, or noise, do not become smaller with the step, but what is allowed does. */
void sim_error_drop_roundoff(zn_simulation *);
/* One accepted step that goes to sim_rows_target at most. */
zn_status sim_control_step(zn_simulation *);

#endif
