/* SPDX-License-Identifier: Apache-2.0 */
/* Chatter with step: auto (chatter.c). */
#ifndef SIM_CHATTER_H
#define SIM_CHATTER_H

#include <stdint.h>

#include "base/bytes.h"
#include "scheme/scheme.h"

/* What events of one pair cost lately. */
typedef struct sim_effort {
    uint64_t pair;
    double solves; /* not paid back yet, at `t` */
    double t;
} sim_effort;

enum { SIM_EFFORTS = 32 };

typedef struct sim_chatter {
    sim_effort effort[SIM_EFFORTS];
    double smooth;       /* the step that smooth motion takes */
    bool due;            /* an effort was too large */
    bool on, own;        /* steps are captured; with the scheme of the settings */
    bool stuck;          /* none of them can be solved at the present */
    double h;            /* these steps, */
    double until, since; /* up to then; the end of the last ones */
    double length;       /* of such a stretch of time, the last or the present one */
    long stretches, steps;
    double time; /* of all of them */
} sim_chatter;

/* The settings that the scheme in use has. */
zn_settings sim_scheme_settings(const zn_simulation *);
/* With step: auto. What events and failures cost, in solves; the step that smooth motion takes. */
void sim_chatter_event(zn_simulation *, int contact, double solves);
void sim_chatter_failure(zn_simulation *, double solves), sim_chatter_work(zn_simulation *, const cone_cost *);
void sim_chatter_smooth(zn_simulation *, double h);
/* Between steps: a stretch of captured steps begins or ends. */
zn_status sim_chatter_look(zn_simulation *);
/* A step of it. *taken false: none can be solved, and the stretch has ended. */
zn_status sim_chatter_step(zn_simulation *, bool *taken);
/* As bytes: which scheme is in use (reading makes it), and all the rest. */
zn_status sim_chatter_carry_scheme(zn_simulation *, byte_stream *);
void sim_chatter_carry(zn_simulation *, byte_stream *);

#endif
