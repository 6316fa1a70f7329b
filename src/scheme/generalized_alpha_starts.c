/* SPDX-License-Identifier: Apache-2.0 */
/* From where the equations of a step are solved (docs/theory/generalized-alpha.md): from the last accelerations and forces, and from
 * accelerations that keep the velocity. After impacts and cut steps those of stiff systems change from step to step, and continuing them
 * may lead Newton's method to a distant solution, or to none. */
#include "scheme/generalized_alpha_motion.h"

/* With more iterations than these the other start is tried too; its solution is taken if it is nearer by this factor. */
enum { LONG = 5, BRIEF_STARTS = 2, STARTS = 4 };
static const double NEARER = 0.5;

/* How far a solution is from a motion without forces: the sum of M_jj x_j^2. */
static double distance(const alpha_starts *s) {
    double sum = 0;
    for (int level = 0; level < 3; level++) {
        const double *x = s->x + level * s->level;
        for (int i = 0; i < s->motion->model->size.nu; i++) sum += x[i] * x[i] / s->mass_scale[i];
    }
    return sum;
}

static void keep_velocity(const alpha_starts *s) {
    memset(s->x, 0, s->count * sizeof *s->x);
    alpha_steady(s->motion, s->x);
}

/* A solution that took many iterations may not be the one nearest to the state. */
static void compare(const alpha_starts *s, bool brief, cone_outcome *outcome) {
    cone_outcome other = {.worst_cone = -1, .worst_row = -1};
    double first = distance(s);
    memcpy(s->x_first, s->x, s->count * sizeof *s->x);
    keep_velocity(s);
    if (s->solve(s->user, brief, &other) == ZN_OK && distance(s) < NEARER * first) *outcome = other;
    else memcpy(s->x, s->x_first, s->count * sizeof *s->x);
}

static bool may_try(zn_status status, const cone_outcome *outcome) {
    if (outcome->end == CONE_EXHAUSTED) return false;
    return status == ZN_ERROR_NO_CONVERGENCE || status == ZN_ERROR_SINGULAR || status == ZN_ERROR_NOT_FINITE;
}

zn_status alpha_solve(const alpha_starts *s, bool once, cone_outcome *outcome) {
    zn_status status = ZN_ERROR_NO_CONVERGENCE;
    for (int k = 0; k < (once ? 1 : STARTS) && may_try(status, outcome); k++) {
        bool brief = once || k < BRIEF_STARTS, steady = k % 2;
        if (steady) keep_velocity(s);
        else s->guess(s->user, s->from);
        status = s->solve(s->user, brief, outcome);
        if (status == ZN_OK && !once && !steady && outcome->most > LONG) compare(s, brief, outcome);
    }
    return status;
}
