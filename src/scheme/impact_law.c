/* SPDX-License-Identifier: Apache-2.0 */
#include "scheme/impact_law.h"

#include "scheme/settings.h"

/* Impacts that lose less than this part of the largest M_jj u_j^2 so far are not examined; contacts that are hit keep at least this part of
 * their percussion. */
static const double LITTLE_LOSS = 1e-6, KEPT = 0.9;

zn_status impact_law_create(zn_context *context, const zn_model *model, const zn_settings *settings, problem_scales *scales,
                            impact_map **out) {
    zn_restitution_law law = settings->restitution_law;
    const char *word = setting_word(settings, "restitution_law");
    *out = NULL;
    if (law == ZN_RESTITUTION_NEWTON || model->size.nN == 0) return ZN_OK;
    for (int k = 0; k < model->size.n_contacts; k++)
        if (model->contacts[k].e_F != 0)
            return fail(context, ZN_ERROR_UNSUPPORTED,
                        "contact '%s' has a tangential restitution, which restitution_law: %s does not support: leave it out, or use "
                        "restitution_law: newton",
                        model->contacts[k].name, word);
    if (settings->friction_law == ZN_FRICTION_STAGED)
        return fail(context, ZN_ERROR_UNSUPPORTED, "friction_law: staged needs restitution_law: newton, not %s", word);
    *out = impact_map_create(context, model, settings, law);
    if (!*out) return ZN_ERROR_MEMORY;
    (*out)->problem->scales = scales;
    return ZN_OK;
}

zn_status impact_law_find(impact_map *law, const answers *at, const bool *active, const double *before) {
    linear_problem *p = law->problem;
    const zn_patterns *pattern = &p->model->pattern;
    law->any = impact_map_wanted(law, before, active);
    if (!law->any) return ZN_OK;
    memcpy(p->at.M, at->M, (size_t)lin_nnz(&pattern->M) * sizeof *at->M);
    memcpy(p->at.W, at->W, (size_t)lin_nnz(&pattern->W) * sizeof *at->W);
    memcpy(p->at.c1_u, at->c1_u, (size_t)lin_nnz(&pattern->c1_u) * sizeof *at->c1_u);
    memcpy(p->active, active, (size_t)p->model->size.n_contacts * sizeof *active);
    return impact_map_solve(law, before);
}

static void add_newton(linear_problem *p, const double *before) {
    const zn_model *model = p->model;
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        if (contact->row_N >= 0) p->c[contact->row_N] += contact->e_N * before[contact->row_N];
        for (int i = contact->row_F; i < contact->row_F + contact->nF; i++) p->c[i] += contact->e_F * before[i];
    }
}

bool impact_law_hits(const impact_map *law, const zn_contact *contact) {
    return law->any && contact->row_N >= 0 && law->P[contact->row_N] > 0;
}

double impact_law_shift(const impact_map *law, const zn_contact *contact, const double *before) {
    if (impact_law_hits(law, contact)) return -larger(law->after[contact->row_N], 0);
    return contact->e_N * larger(before[contact->row_N], 0);
}

int impact_law_before(linear_problem *p, const zn_point *end, double *before) {
    const zn_model *model = p->model;
    if (model->constraints(model, p->at.work, end, &(zn_constraints){.c1 = p->c})) return 1;
    for (int k = 0; k < model->size.n_contacts; k++)
        if (model->contacts[k].row_N >= 0 && model->contacts[k].nF == 0) p->c[model->contacts[k].row_N] = before[model->contacts[k].row_N];
    memcpy(before, p->c, (size_t)model_rows(model) * sizeof *before);
    return 0;
}

zn_status impact_law_rows(impact_map *law, linear_problem *p, const double *before) {
    const zn_model *model = p->model;
    if (!law) return add_newton(p, before), ZN_OK;
    linear_problem_forget(p);
    zn_status status = impact_law_find(law, &p->at, p->active, before);
    if (status != ZN_OK) return status;
    int first = model_row_F(model);
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        if (!p->active[k] || contact->row_N < 0) continue;
        p->c[contact->row_N] += impact_law_shift(law, contact, before);
        if (!impact_law_hits(law, contact)) continue;
        p->radius_0[k] = -law->P[contact->row_N];
        p->P[contact->row_N] = law->P[contact->row_N];
        for (int i = contact->row_F; i < contact->row_F + contact->nF; i++) p->friction_0[i - first] = p->P[i] = law->P[i];
        p->known = true;
    }
    return ZN_OK;
}

bool impact_law_holds(const impact_map *law, const linear_problem *p, cone_outcome *outcome) {
    if (!law || !law->any || !(-law->gain > LITTLE_LOSS * p->scales->energy * p->scales->energy)) return true;
    for (int k = 0; k < p->model->size.n_contacts; k++) {
        const zn_contact *contact = &p->model->contacts[k];
        if (!p->active[k] || contact->row_N < 0 || !impact_law_hits(law, contact)) continue;
        if (p->P[contact->row_N] >= KEPT * law->P[contact->row_N]) continue;
        outcome->worst_cone = k;
        outcome->worst = INFINITY;
        return false;
    }
    return true;
}

/* Gaps below this part of the distance that forces drive a contact in a step are closed. */
static const double nearly = 0.01;

/* Up to which gap a contact is closed. Round-off, and solves that are exact to the tolerance only, open the contacts of bodies at rest by a
 * little; a body that falls freely for a step because of this is stopped with a small impact, and those on top of it with larger ones. */
static double closed_up_to(const linear_problem *p, int row, double h) {
    const zn_pattern *W = &p->model->pattern.W, *M = &p->model->pattern.M;
    double kick = 0, along = 0; /* along: of one vector, in whatever frame */
    for (int e = W->start[row]; e < W->start[row + 1]; e++) {
        int j = W->index[e], d = M->start[j];
        if (e > W->start[row] && !scales_are_together(p->model, W->index[e - 1], j)) kick += fabs(along), along = 0;
        while (d < M->start[j + 1] && M->index[d] != j) d++;
        if (d < M->start[j + 1] && p->at.M[d] > 0) along += p->at.W[e] * p->at.r[j] / p->at.M[d];
    }
    kick += fabs(along);
    double driven = nearly * h * h * kick, roundoff = p->scales ? scales_closed(p->scales, p->at.W, row) : 0;
    return isfinite(driven) ? larger(driven, roundoff) : roundoff;
}

zn_status impact_law_at_gaps(impact_map *law, linear_problem *p, double h) {
    const zn_model *model = p->model;
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        p->active[k] =
            contact->row_N < 0 || p->at.c0[contact->row_N] <= 0 || p->at.c0[contact->row_N] <= closed_up_to(p, contact->row_N, h);
        if (law) continue;
        if (contact->row_N >= 0) p->c[contact->row_N] *= 1 + contact->e_N;
        for (int i = 0; i < contact->nF; i++) p->c[contact->row_F + i] *= 1 + contact->e_F;
    }
    return law ? impact_law_rows(law, p, p->c) : ZN_OK;
}
