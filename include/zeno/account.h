/* SPDX-License-Identifier: Apache-2.0 */
/* The energy balance of a run, for each part of a model. */
#ifndef ZENO_ACCOUNT_H
#define ZENO_ACCOUNT_H

#include "zeno/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zn_account zn_account;

typedef struct zn_part_account {
    double kinetic, potential;
    /* Since the account was made: */
    double work;                /* of forces without potential (trapezoidal rule): negative for dampers */
    double lost;                /* total only: what everything else took: start + work - energy */
    double supplied;            /* by drives and by surfaces that move by themselves: the work of joints, `moving` of contacts */
    double normal, friction;    /* dissipated in contacts, positive: see zn_contact_work */
    double start;               /* total only: energy when the account was made */
    double scheme;              /* total only: the rest, the scheme's own error (and that of the rules above):
                                start + work + supplied + events - normal - friction + scheme = kinetic + potential */
    double available;           /* total only: all that could move anything: kinetic energy at the start, the most potential energy that was
                                released since, and what forces, drives, events and impacts supplied, without what was taken again */
    double events;              /* total only: by events, and by inputs, sampled values and states that were set between steps */
    bool diverged;              /* total only: the energy exceeds twice the available energy */
    bool jumped;                /* total only: `created` exceeds a tenth of `available`: the step does not resolve the motion */
    double created, created_at; /* total only: the most energy that the scheme and contacts created in one step, and the end of that step */
    size_t reserved[6];
} zn_part_account;

/* Begins with the present state of the simulation; update it after every step. A model that is not built from parts counts as one part; one
 * from callbacks has no powers, so `work` is zero. Models without an energy function: ZN_ERROR_ARGUMENT. */
ZN_API zn_status zn_account_create(zn_context *context, const zn_simulation *simulation, zn_account **account);
ZN_API void zn_account_destroy(zn_account *account);
ZN_API zn_status zn_account_update(zn_account *account);
ZN_API zn_part_account zn_account_part(const zn_account *account, int part);
ZN_API zn_part_account zn_account_total(const zn_account *account);

#ifdef __cplusplus
}
#endif
#endif
