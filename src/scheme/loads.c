/* SPDX-License-Identifier: Apache-2.0 */
/* Radii of friction by what joints carry, as a fixed point (loads.h). */
#include "scheme/loads.h"

enum { MOST_SECANTS = 12, MOST_SOLVES = 80 };

struct loads {
    zn_context *context;
    const cone_problem *problem;
    cone *cones;
    double tolerance;
    loads_way way;
    double *found, *radius, *last_found, *last_residual, *memory; /* n_cones each; found: negative where a cone has no load */
};

double loads_size(const zn_contact *contact, const double values[LOADS_MOST]) {
    double sum = 0, ends[2] = {0};
    int n = contact->load_length > 0 ? contact->n_load / 2 : contact->n_load;
    for (int i = 0; i < n; i++) {
        double sign = n == 2 && i == 0 ? -1 : 1; /* of the moments of the model's rows: see zn_contact */
        double f = values[i], m = contact->load_length > 0 ? sign * values[n + i] / contact->load_length : 0;
        sum += f * f;
        ends[0] += (f / 2 + m) * (f / 2 + m), ends[1] += (f / 2 - m) * (f / 2 - m);
    }
    return contact->load_length > 0 ? sqrt(ends[0]) + sqrt(ends[1]) : sqrt(sum);
}

double loads_of(const zn_contact *contact, const double *lambda_b) {
    double values[LOADS_MOST] = {0};
    for (int i = 0; i < contact->n_load; i++)
        if (contact->load_rows[i] >= 0) values[i] = lambda_b[contact->load_rows[i]];
    return loads_size(contact, values);
}

zn_status loads_create(zn_context *context, const zn_model *model, const cone_problem *problem, cone *cones, double tolerance,
                       loads_way way, loads **out) {
    bool any = false;
    for (int k = 0; k < model->size.n_contacts; k++) any = any || model->contacts[k].n_load > 0;
    *out = NULL;
    if (!any) return ZN_OK;
    loads *l = MEM_ARRAY(context, loads, 1);
    if (!l) return ZN_ERROR_MEMORY;
    *l = (loads){.context = context, .problem = problem, .cones = cones, .tolerance = tolerance, .way = way};
    size_t n = (size_t)problem->n_cones;
    if (!(l->memory = MEM_ARRAY(context, double, 4 * n))) {
        loads_destroy(l);
        return ZN_ERROR_MEMORY;
    }
    l->found = l->memory, l->radius = l->found + n, l->last_found = l->radius + n, l->last_residual = l->last_found + n;
    *out = l;
    return ZN_OK;
}

void loads_destroy(loads *l) {
    if (!l) return;
    mem_free(l->context, l->memory);
    mem_free(l->context, l);
}

static void find(loads *l) {
    for (int k = 0; k < l->problem->n_cones; k++) l->found[k] = -1;
    l->way.find(l->way.user, l->found);
}

static void use(loads *l) {
    for (int k = 0; k < l->problem->n_cones; k++)
        if (l->found[k] >= 0) l->cones[k].reservoir = l->radius[k];
}

/* By how much the relative velocities miss the law with the radii found, scaled as residuals are. */
static double measure(const loads *l) {
    double worst = 0;
    for (int k = 0; k < l->problem->n_cones; k++) {
        const cone *c = &l->cones[k];
        if (!(l->found[k] >= 0) || c->gate_kind == CONE_OFF) continue;
        double scale = l->problem->psi_scale ? l->problem->psi_scale[c->psi_F] : 1;
        for (int b = 0; b < c->n_balls; b++)
            worst = larger(worst, c->balls[b].mu * fabs(l->found[k] - l->radius[k]) / l->problem->rho[c->mu_F] * scale);
    }
    return worst;
}

/* False: there is no slipping solution nearby (the secant ends below zero): the joint jams, and radii grow with what it carries until it
 * sticks. */
static bool next_radii(loads *l, bool plain) {
    bool good = true;
    double along = 0, square = 0;
    for (int k = 0; k < l->problem->n_cones; k++) {
        if (!(l->found[k] >= 0)) continue;
        double d = l->found[k] - l->radius[k], change = d - l->last_residual[k];
        along += d * change, square += change * change;
    }
    double theta = !plain && square > 0 ? along / square : 0;
    for (int k = 0; k < l->problem->n_cones; k++) {
        if (!(l->found[k] >= 0)) continue;
        double found = l->found[k], next = found - (plain ? 0 : theta * (found - l->last_found[k]));
        l->last_residual[k] = found - l->radius[k];
        l->last_found[k] = found;
        good = good && next >= 0;
        l->radius[k] = next >= 0 ? next : found;
    }
    return good;
}

zn_status loads_solve(loads *l, cone_outcome *outcome) {
    cone_outcome total = {.worst_cone = -1, .worst_row = -1};
    bool plain = false;
    find(l);
    memcpy(l->radius, l->found, (size_t)l->problem->n_cones * sizeof *l->radius);
    for (int i = 0; i < MOST_SOLVES; i++) {
        use(l);
        zn_status status = l->way.solve(l->way.user, outcome);
        for (int k = 0; k < CONE_PATH_COUNT; k++) total.iterations[k] += outcome->iterations[k];
        memcpy(outcome->iterations, total.iterations, sizeof total.iterations);
        if (status != ZN_OK) return status;
        find(l);
        double missed = measure(l);
        if (missed <= l->tolerance) {
            outcome->complementarity = larger(outcome->complementarity, missed);
            outcome->worst = larger(outcome->worst, missed);
            return ZN_OK;
        }
        if (!isfinite(missed)) return ZN_ERROR_NOT_FINITE;
        outcome->worst = larger(outcome->worst, missed);
        plain = !next_radii(l, plain || i == 0) || (plain && i > 0) || i > MOST_SECANTS;
    }
    return ZN_ERROR_NO_CONVERGENCE;
}
