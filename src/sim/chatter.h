/* SPDX-License-Identifier: Apache-2.0 */
/* Chatter with step: auto (chatter.c). */
#ifndef SIM_CHATTER_H
#define SIM_CHATTER_H

#include <stdint.h>

#include "base/base.h"

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

#endif
