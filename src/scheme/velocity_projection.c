/* SPDX-License-Identifier: Apache-2.0 */
/* The projection as a linear contact problem in x = u+ - u~ whose multipliers are the totals P: f = -W Ps, and c1 is
 * linear in u, so c = c1(u~) + e c1(t_n, q_n, u_n). Other laws: impact_law_before. */
#include "scheme/velocity_projection.h"

static bool any_restitution(const linear_problem *p) {
    for (int k = 0; k < p->model->size.n_contacts; k++)
        if (p->active[k] && !cone_is_frozen(&p->cones[k]) && (p->model->contacts[k].e_N != 0 || p->model->contacts[k].e_F != 0))
            return true;
    return false;
}

zn_status velocity_projection(linear_problem *p, impact_map *impacts, staged_law *law, const double *last, const scheme_state *from,
                              double h, scheme_state *to, cone_outcome *outcome) {
    const zn_model *model = p->model;
    int nu = model->size.nu, n = model_rows(model);
    *outcome = (cone_outcome){.worst_cone = -1, .worst_row = -1};
    if (n == 0 || scheme_is_free(model, law->modes)) return ZN_OK;
    bool restitution = (impacts && !law->modes) || any_restitution(p);
    zn_point before = {.t = from->t, .q = from->q, .u = from->u}, moved = {.t = to->t, .q = to->q, .u = from->u};
    if (restitution && model->constraints(model, p->at.work, &before, &(zn_constraints){.c1 = p->at.c1})) return ZN_ERROR_NOT_FINITE;
    if (law->modes) impacts = NULL; /* contacts without a mode have Newton's law */
    if (restitution) linear_problem_clear_frozen(p, p->at.c1);
    if (impacts && impact_law_before(p, &moved, p->at.c1)) return ZN_ERROR_NOT_FINITE;
    memset(p->x, 0, (size_t)nu * sizeof *p->x);
    memcpy(p->P, to->P, (size_t)n * sizeof *p->P);
    zn_point at = {.t = to->t, .q = to->q, .u = to->u, .a = p->x, .lambda = to->P};
    zn_balance balance = {.no_force = true, .r = p->f, .M = p->at.M, .W = p->at.W}; /* r = -W Ps at a = 0 */
    zn_constraints rows = {.c1 = p->c, .c1_u = p->at.c1_u};
    if (model_ask_both(model, p->at.work, &at, &balance, &rows)) return ZN_ERROR_NOT_FINITE;
    p->time_measure = h;
    staged_end_prepare(law, p, p->c, to->P, 1);
    zn_status status = restitution ? impact_law_rows(impacts, p, p->at.c1) : ZN_OK;
    if (status != ZN_OK) return status;
    status = linear_problem_solve(p, outcome);
    staged_end_finish(law, p, to->P, last);
    for (int i = 0; i < nu; i++) to->u[i] += p->x[i];
    memcpy(to->P, p->P, (size_t)n * sizeof *to->P);
    return status == ZN_OK && !impact_law_holds(impacts, p, outcome) ? ZN_ERROR_NO_CONVERGENCE : status;
}
