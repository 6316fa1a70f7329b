/* SPDX-License-Identifier: Apache-2.0 */
/* Friction whose normal force is what bilateral rows carry (zn_contact.n_load): the friction of a joint by its own force. The law of such a
 * contact is
 *
 *     gamma_F in N_{mu (N + |lambda_load|) B}(-lambda_F)        N the given normal force, B the unit ball
 *
 * (for guides with a length the sum of what their two ends carry in place of the norm),
 *
 * and cones have radii that are constants of a solve. So the radii are a fixed point r = R(r), where R(r) are those that belong to the
 * solution for r. It is found to the tolerance of the step, by secants through the last two: r_next = R - theta (R - R_last), theta the one
 * that makes the smallest residual d = R - r of the line through both. Where a joint sticks, R does not depend on r, and one solve more
 * proves it. */
#ifndef SCHEME_LOADS_H
#define SCHEME_LOADS_H

#include "cone/cone.h"
#include "model/model.h"

/* What a scheme provides for its cones. */
typedef struct loads_way {
    void *user;
    void (*find)(void *user, double *radius);       /* radii of the cones with loads at the current iterate; others stay as they are */
    zn_status (*solve)(void *user, cone_outcome *); /* with the radii that the cones have */
} loads_way;

enum { LOADS_MOST = 4 };
typedef struct loads loads;

/* *out stays NULL for a model without such contacts. */
zn_status loads_create(zn_context *, const zn_model *, const cone_problem *, cone *cones, double tolerance, loads_way, loads **out);
void loads_destroy(loads *);
zn_status loads_solve(loads *, cone_outcome *);
/* |lambda_load| for bilateral rows of lambda in any unit; the same from the n_load values. */
double loads_of(const zn_contact *, const double *lambda_b);
double loads_size(const zn_contact *, const double values[LOADS_MOST]);

#endif
