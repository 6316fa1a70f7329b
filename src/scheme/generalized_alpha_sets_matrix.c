/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of the active-set Newton method. With b = be c, g = ga c, dq = h b d(h a) + h d(Q/h), du = g d(h a) + dU
 *
 *                   h a                             h lambda   Q/h          k/h    U           Lambda
 *   SMOOTH          M + h^2 b r_q + h g r_u         -W         h^2 r_q             h r_u
 *     acceleration  c1_u + h^2 b c2_q + h g c2_u               h^2 c2_q            h c2_u
 *     v~ or u       h b c1_q + g c1_u                          h c1_q              0 or c1_u
 *     position      b c0_q                                     c0_q
 *     off                                           1
 *   POSITION        b r3_q                                     M + r3_q     -W
 *     A             b c0_q                                     c0_q
 *     off                                           (b)                     1
 *   VELOCITY        h b r2_q                                   h r2_q              M           -W
 *     B             h b c1_q + g c1_u                          h c1_q              c1_u
 *     off                                           (g)                                        1
 *
 * (b), (g) in the starred form. The decoupled iteration keeps the three blocks of the diagonal only (004: Algorithm 1). */
#include "scheme/generalized_alpha_sets.h"

enum { MOTION, MULTIPLIER };
enum { BALANCE, ROWS };

typedef struct place {
    alpha_level row_level;
    int row_part;
    alpha_level col_level;
    int col_part;
} place;

/* First row (or column) of a level in the matrix it belongs to. */
static int offset(const alpha_sets *s, alpha_level level, int part) {
    int first = 0, nu = s->base.model->size.nu;
    for (int k = 0; !s->decoupled && k < (int)level; k++) first += s->present[k] ? nu + s->n : 0;
    return first + (part ? nu : 0);
}

static zn_status put(alpha_system *system, const zn_pattern *pattern, bool transposed, int row, int col, alpha_term term) {
    if (lin_nnz(pattern) == 0 || term.factor == 0) return ZN_OK;
    if (system->n_terms == ALPHA_TERMS_MAX) return ZN_ERROR_INTERNAL;
    term.block = lin_matrix_block(system->matrix, pattern, transposed, row, col);
    if (term.block < 0) return ZN_ERROR_MEMORY;
    system->terms[system->n_terms++] = term;
    return ZN_OK;
}

typedef struct builder {
    alpha_sets *s;
    zn_status status;
} builder;

static void add(builder *b, place at, const zn_pattern *pattern, bool transposed, const double *values, const double *mask, double factor,
                int power) {
    alpha_sets *s = b->s;
    if (b->status != ZN_OK || !s->present[at.row_level] || !s->present[at.col_level]) return;
    if (s->decoupled && at.row_level != at.col_level) return;
    alpha_system *system = &s->system[s->decoupled ? at.row_level : 0];
    b->status = put(system, pattern, transposed, offset(s, at.row_level, at.row_part), offset(s, at.col_level, at.col_part),
                    (alpha_term){.values = values, .mask = mask, .factor = factor, .power = power});
}

static void add_smooth_rows(builder *b) {
    alpha_sets *s = b->s;
    const zn_patterns *p = &s->base.model->pattern;
    const double *on = s->on[LEVEL_SMOOTH], be = s->motion.p.be * s->motion.p.c, ga = s->motion.p.ga * s->motion.p.c;
    place a = {LEVEL_SMOOTH, ROWS, LEVEL_SMOOTH, MOTION}, Q = {LEVEL_SMOOTH, ROWS, LEVEL_POSITION, MOTION},
          U = {LEVEL_SMOOTH, ROWS, LEVEL_VELOCITY, MOTION};
    if (s->condition == CONDITION_ACCELERATION) {
        add(b, a, &p->c1_u, true, s->at.c1_u, on, 1, 0);
        add(b, a, &p->c2_q, false, s->at.c2_q, on, be, 2);
        add(b, a, &p->c2_u, false, s->at.c2_u, on, ga, 1);
        add(b, Q, &p->c2_q, false, s->at.c2_q, on, 1, 2);
        add(b, U, &p->c2_u, false, s->at.c2_u, on, 1, 1);
    } else if (s->condition == CONDITION_POSITION) {
        add(b, a, &p->c0_q, false, s->at.c0_q, on, be, 0);
        add(b, Q, &p->c0_q, false, s->at.c0_q, on, 1, 0);
    } else {
        const double *c1_q = s->condition == CONDITION_VELOCITY ? s->at.c1_q : s->c1q_smooth;
        add(b, a, &p->c1_q, false, c1_q, on, be, 1);
        add(b, a, &p->c1_u, true, s->at.c1_u, on, ga, 0);
        add(b, Q, &p->c1_q, false, c1_q, on, 1, 1);
        if (s->condition == CONDITION_VELOCITY) add(b, U, &p->c1_u, true, s->at.c1_u, on, 1, 0);
    }
    add(b, (place){LEVEL_SMOOTH, ROWS, LEVEL_SMOOTH, MULTIPLIER}, &s->identity.p, false, s->ones, s->off[LEVEL_SMOOTH], 1, 0);
}

static void add_position_rows(builder *b) {
    alpha_sets *s = b->s;
    const zn_pattern *c0_q = &s->base.model->pattern.c0_q, *one = &s->identity.p;
    const double *on = s->on[LEVEL_POSITION], *off = s->off[LEVEL_POSITION], be = s->motion.p.be * s->motion.p.c;
    add(b, (place){LEVEL_POSITION, ROWS, LEVEL_SMOOTH, MOTION}, c0_q, false, s->at.c0_q, on, be, 0);
    add(b, (place){LEVEL_POSITION, ROWS, LEVEL_POSITION, MOTION}, c0_q, false, s->at.c0_q, on, 1, 0);
    add(b, (place){LEVEL_POSITION, ROWS, LEVEL_POSITION, MULTIPLIER}, one, false, s->ones, off, 1, 0);
    add(b, (place){LEVEL_POSITION, ROWS, LEVEL_SMOOTH, MULTIPLIER}, one, false, s->ones, off, s->printed ? 0 : be, 0);
}

static void add_velocity_rows(builder *b) {
    alpha_sets *s = b->s;
    const zn_patterns *p = &s->base.model->pattern;
    const double *on = s->on[LEVEL_VELOCITY], *off = s->off[LEVEL_VELOCITY];
    double be = s->motion.p.be * s->motion.p.c, ga = s->motion.p.ga * s->motion.p.c;
    place a = {LEVEL_VELOCITY, ROWS, LEVEL_SMOOTH, MOTION}, Q = {LEVEL_VELOCITY, ROWS, LEVEL_POSITION, MOTION},
          U = {LEVEL_VELOCITY, ROWS, LEVEL_VELOCITY, MOTION};
    add(b, a, &p->c1_q, false, s->at.c1_q, on, be, 1);
    add(b, a, &p->c1_u, true, s->at.c1_u, on, ga, 0);
    add(b, Q, &p->c1_q, false, s->at.c1_q, on, 1, 1);
    add(b, U, &p->c1_u, true, s->at.c1_u, on, 1, 0);
    add(b, (place){LEVEL_VELOCITY, ROWS, LEVEL_VELOCITY, MULTIPLIER}, &s->identity.p, false, s->ones, off, 1, 0);
    add(b, (place){LEVEL_VELOCITY, ROWS, LEVEL_SMOOTH, MULTIPLIER}, &s->identity.p, false, s->ones, off, s->printed ? 0 : ga, 0);
}

static void add_balances(builder *b) {
    alpha_sets *s = b->s;
    const zn_patterns *p = &s->base.model->pattern;
    double be = s->motion.p.be * s->motion.p.c, ga = s->motion.p.ga * s->motion.p.c;
    for (int k = 0; k < LEVEL_COUNT; k++) {
        alpha_level level = (alpha_level)k;
        add(b, (place){level, BALANCE, level, MOTION}, &p->M, false, s->at.M, NULL, 1, 0);
        add(b, (place){level, BALANCE, level, MULTIPLIER}, &p->W, false, s->at.W, NULL, -1, 0);
    }
    add(b, (place){LEVEL_SMOOTH, BALANCE, LEVEL_SMOOTH, MOTION}, &p->r_q, false, s->at.r_q, NULL, be, 2);
    add(b, (place){LEVEL_SMOOTH, BALANCE, LEVEL_SMOOTH, MOTION}, &p->r_u, false, s->at.r_u, NULL, ga, 1);
    add(b, (place){LEVEL_SMOOTH, BALANCE, LEVEL_POSITION, MOTION}, &p->r_q, false, s->at.r_q, NULL, 1, 2);
    add(b, (place){LEVEL_SMOOTH, BALANCE, LEVEL_VELOCITY, MOTION}, &p->r_u, false, s->at.r_u, NULL, 1, 1);
    add(b, (place){LEVEL_POSITION, BALANCE, LEVEL_SMOOTH, MOTION}, &p->r_q, false, s->motion.r3_q, NULL, be, 0);
    add(b, (place){LEVEL_POSITION, BALANCE, LEVEL_POSITION, MOTION}, &p->r_q, false, s->motion.r3_q, NULL, 1, 0);
    add(b, (place){LEVEL_VELOCITY, BALANCE, LEVEL_SMOOTH, MOTION}, &p->r_q, false, s->motion.r2_q, NULL, be, 1);
    add(b, (place){LEVEL_VELOCITY, BALANCE, LEVEL_POSITION, MOTION}, &p->r_q, false, s->motion.r2_q, NULL, 1, 1);
}

/* M a - W lambda = h, gddot = 0 on S: what the smooth motion starts with. */
static zn_status add_start(alpha_sets *s) {
    const zn_patterns *p = &s->base.model->pattern;
    int nu = s->base.model->size.nu;
    zn_status status = put(&s->start, &p->M, false, 0, 0, (alpha_term){.values = s->at.M, .factor = 1});
    if (status == ZN_OK) status = put(&s->start, &p->W, false, 0, nu, (alpha_term){.values = s->at.W, .factor = -1});
    if (status == ZN_OK)
        status = put(&s->start, &p->c1_u, true, nu, 0, (alpha_term){.values = s->at.c1_u, .mask = s->on[LEVEL_SMOOTH], .factor = 1});
    if (status == ZN_OK)
        status = put(&s->start, &s->identity.p, false, nu, nu, (alpha_term){.values = s->ones, .mask = s->off[LEVEL_SMOOTH], .factor = 1});
    return status;
}

static zn_status finish(alpha_sets *s, alpha_system *system, const double *weight) {
    zn_status status = lin_matrix_finish(system->matrix, LIN_AUTO);
    if (status != ZN_OK) return status;
    system->lu = lin_lu_create(s->base.context, system->matrix);
    status = system->lu ? lin_lu_reserve_regularised(system->lu, system->matrix) : ZN_ERROR_MEMORY;
    return status == ZN_OK ? lin_lu_weigh_rows(system->lu, system->matrix, system->size, weight) : status;
}

zn_status alpha_systems_create(alpha_sets *s) {
    zn_context *context = s->base.context;
    int part = s->base.model->size.nu + s->n, count = 0;
    for (int k = 0; k < LEVEL_COUNT; k++) count += s->present[k];
    for (int k = 0; k < LEVEL_COUNT; k++) {
        s->system[k].size = s->decoupled ? part : k == 0 ? count * part : 0;
        if (s->system[k].size > 0 && s->present[k] && !(s->system[k].matrix = lin_matrix_create(context, s->system[k].size)))
            return ZN_ERROR_MEMORY;
    }
    s->start.size = part;
    if (!(s->start.matrix = lin_matrix_create(context, part))) return ZN_ERROR_MEMORY;
    builder b = {s, ZN_OK};
    add_balances(&b);
    add_smooth_rows(&b);
    add_position_rows(&b);
    add_velocity_rows(&b);
    zn_status status = b.status == ZN_OK ? add_start(s) : b.status;
    for (int k = 0; k < LEVEL_COUNT && status == ZN_OK; k++)
        if (s->system[k].matrix) status = finish(s, &s->system[k], s->weight + (s->residual[k] - s->residual[0]));
    return status == ZN_OK ? finish(s, &s->start, s->weight) : status;
}

void alpha_systems_destroy(alpha_sets *s) {
    for (int k = 0; k <= LEVEL_COUNT; k++) {
        alpha_system *system = k < LEVEL_COUNT ? &s->system[k] : &s->start;
        lin_lu_destroy(system->lu);
        lin_matrix_destroy(system->matrix);
    }
}

void alpha_system_fill(alpha_sets *s, alpha_system *system) {
    const double power[] = {1, s->motion.h, s->motion.h * s->motion.h};
    lin_matrix_zero(system->matrix);
    for (int k = 0; k < system->n_terms; k++) {
        const alpha_term *term = &system->terms[k];
        double factor = term->factor * power[term->power];
        if (term->mask) {
            for (int i = 0; i < s->n; i++) s->mask[i] = factor * term->mask[i];
            lin_matrix_add_rows(system->matrix, term->block, s->mask, term->values);
        } else lin_matrix_add(system->matrix, term->block, factor, term->values);
    }
}

zn_status alpha_system_solve(alpha_sets *s, alpha_system *system, bool keep, bool same_sets, double *step) {
    zn_status status = ZN_OK;
    if (!keep) {
        alpha_system_fill(s, system);
        status = ZN_ERROR_SINGULAR;
        if (s->contradiction == 0) status = lin_lu_factor(system->lu, system->matrix, same_sets && system->factored);
        system->factored = status == ZN_OK;
        if (status == ZN_ERROR_SINGULAR) /* redundant constraints */
            status = lin_lu_factor_rank(system->lu, system->matrix, s->contradiction > 0 ? CONE_CONTRADICTION_RANK : 0);
    }
    if (status == ZN_OK) lin_lu_solve(system->lu, step);
    return status;
}
