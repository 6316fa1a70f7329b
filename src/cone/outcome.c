/* SPDX-License-Identifier: Apache-2.0 */
/* The judgement of a point (x, y), independent of how it was found: residuals of phi by unit, violations, and the natural map
 *
 *     e_N = (mu_N + prox_{R0-}(rho psi_N - mu_N))/rho,    e_F = (mu_F + prox_{ball(r)}(rho psi_F - mu_F))/rho
 *
 * in units of psi, r = mu_friction times the normal multiplier, not less than zero. The state of a gate is that of its normal
 * inclusion; where this is undecided within the tolerance the better of both answers counts. */
#include "cone/solver.h"

#include "base/team.h"
#include "base/wide.h"

static void worst_of(cone_outcome *out, double size, int k, int row) {
    if (!is_worse(size, out->worst)) return;
    out->worst = size;
    out->worst_cone = k;
    out->worst_row = row;
}

static void judge_smooth(const cone_solver *s, cone_outcome *out) {
    const cone_problem *p = s->p;
    for (int i = 0; i < p->nx; i++) {
        double size = fabs(s->phi[i]) * (p->phi_scale ? p->phi_scale[i] : 1);
        int unit = p->phi_unit ? p->phi_unit[i] : CONE_MOMENTUM;
        if (unit < CONE_UNIT_COUNT) out->residual[unit] = larger(size, out->residual[unit]);
        double wanted = p->slack && i < p->slack_rows ? size * p->slack[i % p->n_slack] : 0;
        if (wanted > s->settings.tolerance) out->roundoff = 1, out->roundoff_residual = larger(out->roundoff_residual, wanted);
        if (s->forgives) size = fabs(s->phi[i] - s->left[i]) * (p->phi_scale ? p->phi_scale[i] : 1);
        worst_of(out, size, -1, i);
    }
}

static double judge_normal(const cone_solver *s, const cone *c, cone_outcome *out) {
    const cone_problem *p = s->p;
    double psi = s->psi[c->psi_N], mu = s->mu[c->mu_N], rho = s->rho[c->mu_N];
    double e = fabs(mu + law_prox_nonpositive(rho * psi - mu)) / rho * cone_psi_scale(p, c->psi_N);
    int unit = p->psi_unit ? p->psi_unit[c->psi_N] : CONE_VELOCITY;
    if (unit == CONE_LENGTH) out->gap = larger(out->gap, -psi);
    else out->velocity = larger(out->velocity, -psi);
    return e;
}

static double judge_balls(const cone_solver *s, const cone *c, int k, cone_outcome *out) {
    double worst = 0, normal = cone_radius(c, s->mu);
    int row = c->mu_F;
    for (int b = 0; b < c->n_balls; b++) {
        int dim = c->balls[b].dim, offset = row - c->mu_F;
        double signed_r = c->balls[b].mu * normal, r = larger(signed_r, 0), rho = s->rho[row], length = 0;
        double a[CONE_BALL_DIM_MAX], e[CONE_BALL_DIM_MAX];
        bool guided = s->ball[s->first_ball[k] + b] == BALL_GUIDED;
        for (int i = 0; i < dim; i++) {
            a[i] = rho * s->psi[c->psi_F + offset + i] - s->mu[row + i];
            length += s->mu[row + i] * s->mu[row + i];
        }
        if (guided)
            for (int i = 0; i < dim; i++) e[i] = signed_r * s->normal[row + i];
        else law_prox_ball(dim, r, a, e);
        for (int i = 0; i < dim; i++) {
            double size = fabs(s->mu[row + i] + e[i]) / rho * cone_psi_scale(s->p, c->psi_F + offset + i);
            worst = larger(size, worst);
        }
        double excess = sqrt(length) - fabs(guided ? signed_r : r);
        out->cone_violation = larger(out->cone_violation, r > 1 ? excess / r : excess);
        row += dim;
    }
    return worst;
}

/* Residual of a cone whose gate is shut: its multipliers. */
static double judge_shut(const cone_solver *s, const cone *c) {
    double worst = 0;
    if (c->psi_N >= 0) worst = fabs(s->mu[c->mu_N]) / s->rho[c->mu_N] * cone_psi_scale(s->p, c->psi_N);
    int row = c->mu_F;
    for (int b = 0; b < c->n_balls; b++)
        for (int i = 0; i < c->balls[b].dim; i++, row++) {
            double size = fabs(s->mu[row]) / s->rho[row] * cone_psi_scale(s->p, c->psi_F + row - c->mu_F);
            worst = larger(size, worst);
        }
    return worst;
}

/* Residual of a cone by its mode, whatever the signs. */
static double judge_frozen(const cone_solver *s, const cone *c) {
    double worst = 0;
    int rows = 0;
    for (int b = 0; b < c->n_balls; b++) rows += c->balls[b].dim;
    for (int i = c->psi_N >= 0 ? -1 : 0; i < rows; i++) {
        int k = i < 0 ? c->mu_N : c->mu_F + i;
        worst = larger(worst, fabs(s->R[k]) * s->row_scale[2 * k + (s->kind[k] == CONE_ROW_PSI ? 0 : 1)]);
    }
    return worst;
}

/* Whether the gate cone's switch lies within the tolerance of zero. */
static bool undecided(const cone_solver *s, int k) {
    const cone *c = &s->p->cones[k];
    if (c->psi_N >= 0) {
        double a = s->psi[c->psi_N] - s->mu[c->mu_N] / s->rho[c->mu_N];
        if (fabs(a) * cone_psi_scale(s->p, c->psi_N) <= s->settings.tolerance) return true;
    }
    return c->gate_kind == CONE_IF_CLOSED && undecided(s, c->gate);
}

ALWAYS_INLINE void judge_cone(const cone_solver *s, int k, cone_outcome *out) {
    const cone *c = &s->p->cones[k];
    bool open_gate = s->on[k], frozen = cone_is_frozen(c) && open_gate;
    double size = 0;
    if (frozen) {
        size = judge_frozen(s, c);
    } else if (open_gate) {
        if (c->psi_N >= 0) size = judge_normal(s, c, out);
        double friction = judge_balls(s, c, k, out);
        size = larger(friction, size);
    } else size = judge_shut(s, c);
    if (!frozen && c->gate_kind == CONE_IF_CLOSED && undecided(s, c->gate)) {
        cone_outcome other = *out;
        double inside = c->psi_N >= 0 ? judge_normal(s, c, &other) : 0;
        inside = larger(inside, judge_balls(s, c, k, &other));
        size = smaller(size, open_gate ? judge_shut(s, c) : inside);
    }
    out->complementarity = larger(size, out->complementarity);
    worst_of(out, size, k, -1);
}

/* Parts of the cones, each with an outcome of its own. */
enum { PARTS = 16, PARTS_FROM = 256 };

typedef struct judgement {
    const cone_solver *s;
    cone_outcome of[PARTS];
} judgement;

static void judge_parts(void *user, int first, int last) {
    judgement *j = user;
    long n = j->s->p->n_cones;
    for (int i = first; i < last; i++)
        for (int k = (int)(n * i / PARTS), end = (int)(n * (i + 1) / PARTS); k < end; k++) judge_cone(j->s, k, &j->of[i]);
}

/* The first of the worst ones counts, as if one after the other had been judged. */
static void judge_by_parts(const cone_solver *s, cone_outcome *out) {
    judgement j = {.s = s};
    base_share(s->context, s->settings.threads, PARTS, 1, judge_parts, &j);
    for (int i = 0; i < PARTS; i++) {
        const cone_outcome *part = &j.of[i];
        out->gap = larger(out->gap, part->gap), out->velocity = larger(out->velocity, part->velocity);
        out->cone_violation = larger(out->cone_violation, part->cone_violation);
        out->complementarity = larger(part->complementarity, out->complementarity);
        worst_of(out, part->worst, part->worst_cone, -1);
    }
}

/* s->phi, psi, mu must belong to the point. */
void cone_judge(cone_solver *s, cone_outcome *out) {
    const cone_problem *p = s->p;
    for (int u = 0; u < CONE_UNIT_COUNT; u++) out->residual[u] = 0;
    out->roundoff = 0;
    out->roundoff_residual = 0;
    out->gap = out->velocity = out->complementarity = out->cone_violation = out->worst = 0;
    out->worst_cone = -1;
    out->worst_row = -1;
    judge_smooth(s, out);
    if (s->frozen) cone_residual(s, s->psi, s->mu, s->R);
    if (s->plain && s->settings.threads > 1 && p->n_cones >= PARTS_FROM) judge_by_parts(s, out);
    else
        for (int k = 0; k < p->n_cones; k++) judge_cone(s, k, out);
}

void cone_outcome_add_cost(cone_cost *total, const cone_cost *part) {
    total->runs += part->runs;
    total->pieces += part->pieces;
    if (part->pieces_most > total->pieces_most) total->pieces_most = part->pieces_most;
    total->sweeps += part->sweeps;
    total->factorisations += part->factorisations;
    total->solves += part->solves;
    total->dense += part->dense;
    total->swept += part->swept;
    total->seconds += part->seconds;
}

void cone_outcome_add(cone_outcome *total, const cone_outcome *part) {
    for (int i = 0; i < CONE_PATH_COUNT; i++) total->iterations[i] += part->iterations[i];
    for (int i = 0; i < CONE_UNIT_COUNT; i++) total->residual[i] = larger(total->residual[i], part->residual[i]);
    if (part->path > total->path) total->path = part->path, total->most = 0;
    if (part->path == total->path && part->most > total->most) total->most = part->most;
    total->solves += part->solves;
    cone_outcome_add_cost(&total->cost, &part->cost);
    total->roundoff += part->roundoff;
    if (part->end > total->end) total->end = part->end;
    total->roundoff_residual = larger(total->roundoff_residual, part->roundoff_residual);
    total->gap = larger(total->gap, part->gap);
    total->velocity = larger(total->velocity, part->velocity);
    total->complementarity = larger(total->complementarity, part->complementarity);
    total->cone_violation = larger(total->cone_violation, part->cone_violation);
    if (!is_worse(part->worst, total->worst)) return;
    total->worst = part->worst;
    total->worst_cone = part->worst_cone;
    total->worst_row = part->worst_row;
}
