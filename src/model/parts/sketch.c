/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing a kind of part: bodies as expressions, then rows, forces and energies on them. */
#include "model/parts/sketch.h"

#include "model/machine.h"

/* ---- bodies ---- */

static evec variables(sketch *k, int first, int count) {
    evec v = evec_zero(k);
    for (int i = 0; i < count; i++) v.x[i] = expr_variable(k->g, first + i);
    return v;
}

static emat identity(sketch *k) { return (emat){{evec_unit(k, 0), evec_unit(k, 1), evec_unit(k, 2)}}; }

emat sketch_planar_rotation(sketch *k, expr phi) {
    expr c = expr_unary(k->g, EXPR_COS, phi), s = expr_unary(k->g, EXPR_SIN, phi);
    emat A = identity(k);
    A.column[0].x[0] = A.column[1].x[1] = c;
    A.column[0].x[1] = s;
    A.column[1].x[0] = expr_unary(k->g, EXPR_NEG, s);
    return A;
}

/* A(p) = 1 + 2 (p0 p~ + p~ p~)/(p.p), entry by entry: A e_j = e_j + 2/(p.p) (p0 p x e_j + p x (p x e_j)). */
emat sketch_quaternion_rotation(sketch *k, const expr *p) {
    expr_graph *g = k->g;
    evec v = {{p[1], p[2], p[3]}};
    expr pp = sketch_add(k, sketch_mul(k, p[0], p[0]), evec_dot(k, v, v));
    expr s = sketch_div(k, expr_constant(g, 2), pp);
    emat A;
    for (int j = 0; j < 3; j++) {
        evec e = evec_unit(k, j), once = evec_cross(k, v, e);
        A.column[j] = evec_add(k, e, evec_scale(k, s, evec_add(k, evec_scale(k, p[0], once), evec_cross(k, v, once))));
    }
    return A;
}

/* p' = 1/2 (-v.Omega, p0 Omega + v x Omega) */
static void quaternion_rate(sketch *k, const expr *p, evec Omega, expr *rate) {
    evec v = {{p[1], p[2], p[3]}};
    expr half = sketch_constant(k, 0.5);
    rate[0] = sketch_mul(k, sketch_constant(k, -0.5), evec_dot(k, v, Omega));
    evec w = evec_scale(k, half, evec_add(k, evec_scale(k, p[0], Omega), evec_cross(k, v, Omega)));
    for (int i = 0; i < 3; i++) rate[1 + i] = w.x[i];
}

void sketch_tell_one(sketch *k, expr of, int variable, expr derivative) {
    if (!expr_keep_derivative(k->g, of, variable, derivative)) k->failed = true;
}

void sketch_tell(sketch *k, evec of, int variable, evec derivative) {
    for (int i = 0; i < 3; i++) sketch_tell_one(k, of.x[i], variable, derivative.x[i]);
}

evec sketch_by(sketch *k, evec of, int variable) {
    for (int i = 0; i < 3; i++) of.x[i] = expr_derivative(k->g, of.x[i], variable);
    return of;
}

/* Turning about axis j of I moves A by e_j x A, omega likewise, and p by 1/2 (-v_j, p0 e_j + e_j x v). */
static void tell_axes(sketch *k, const sketch_body *b, const expr *p) {
    evec v = {{p[1], p[2], p[3]}};
    expr half = sketch_constant(k, 0.5);
    for (int j = 0; j < 3; j++) {
        int axis = EXPR_MOTION_OF(b->turn + j);
        evec e = evec_unit(k, j), dv = evec_scale(k, half, evec_add(k, evec_scale(k, p[0], e), evec_cross(k, e, v)));
        sketch_tell_one(k, p[0], axis, sketch_mul(k, sketch_constant(k, -0.5), v.x[j]));
        sketch_tell(k, v, axis, dv);
        for (int i = 0; i < 3; i++) sketch_tell(k, b->A.column[i], axis, evec_cross(k, e, b->A.column[i]));
        sketch_tell(k, b->omega, axis, evec_cross(k, e, b->omega));
    }
}

/* A' = A Omega~: columns A_j' = Omega_l A_m - Omega_m A_l for (j, m, l) = (1, 2, 3) and so on; omega' = A Omega' as omega x omega = 0. The
 * general rules would differentiate the quaternion, at several times the cost. */
static void tell_turning(sketch *k, const sketch_body *b, evec Omega, evec alpha) {
    for (int j = 0; j < 3; j++) {
        int m = (j + 1) % 3, l = (j + 2) % 3;
        sketch_tell(k, b->A.column[j], EXPR_MOTION,
                    evec_sub(k, evec_scale(k, Omega.x[l], b->A.column[m]), evec_scale(k, Omega.x[m], b->A.column[l])));
    }
    sketch_tell(k, b->omega, EXPR_MOTION, emat_apply(k, b->A, alpha));
}

/* Before a body is expressed: at rest in the origin. */
static void clear_body(sketch *k, sketch_body *b) {
    b->r = b->v = b->omega = evec_zero(k);
    b->A = identity(k);
    b->phi = sketch_constant(k, 0);
}

static void express_body(sketch *k, sketch_body *b, const expr *numbers) {
    expr *qdot = k->s.qdot + b->q;
    int q = k->s.q + b->q, u = k->s.u + b->u;
    clear_body(k, b);
    for (int i = 0; i < body_nq(b->kind) && b->kind != BODY_SPATIAL && !body_has_rate(b->kind); i++) qdot[i] = expr_variable(k->g, u + i);
    switch (b->kind) {
    case BODY_PARTICLE_2D: b->r = variables(k, q, 2), b->v = variables(k, u, 2); break;
    case BODY_PARTICLE_3D: b->r = variables(k, q, 3), b->v = variables(k, u, 3); break;
    case BODY_LINE: { /* r = p0 + x d */
        evec p0 = {{numbers[0], numbers[1], numbers[2]}}, d = {{numbers[3], numbers[4], numbers[5]}};
        b->r = evec_add(k, p0, evec_scale(k, expr_variable(k->g, q), d));
        b->v = evec_scale(k, expr_variable(k->g, u), d);
        break;
    }
    case BODY_PLANAR:
        b->r = variables(k, q, 2), b->v = variables(k, u, 2);
        b->omega.x[2] = expr_variable(k->g, u + 2);
        b->phi = expr_variable(k->g, q + 2);
        b->A = sketch_planar_rotation(k, b->phi);
        break;
    case BODY_SPATIAL: {
        expr p[4];
        evec Omega = variables(k, u + 3, 3);
        b->r = variables(k, q, 3), b->v = variables(k, u, 3);
        for (int i = 0; i < 4; i++) p[i] = expr_variable(k->g, q + 3 + i);
        for (int i = 0; i < 3; i++) qdot[i] = expr_variable(k->g, u + i);
        quaternion_rate(k, p, Omega, qdot + 3);
        b->A = sketch_quaternion_rotation(k, p);
        b->omega = emat_apply(k, b->A, Omega);
        tell_turning(k, b, Omega, variables(k, k->s.a + b->u + 3, 3));
        if (k->n_turns + 3 < EXPR_MOTIONS) {
            b->turn = 1 + k->n_turns;
            k->n_turns += 3;
            tell_axes(k, b, p);
        }
        break;
    }
    case BODY_STATE:
    case BODY_KINEMATIC:
        qdot[0] = EXPR_NONE;
        k->s.state[b->q] = b->kind == BODY_STATE;
        break;
    case BODY_MARK: b->phi = expr_variable(k->g, q); break;
    default: break;
    }
}

/* A = R(axis, angle) A0:  R a = c a + s axis x a + (1 - c) axis (axis.a) */
void sketch_move(sketch *k, int body, evec r, expr angle, evec axis, emat A0) {
    sketch_body *b = &k->body[body];
    expr c = expr_unary(k->g, EXPR_COS, angle), s = expr_unary(k->g, EXPR_SIN, angle);
    expr rest = sketch_sub(k, sketch_constant(k, 1), c);
    b->r = r;
    for (int i = 0; i < 3; i++) b->v.x[i] = expr_derivative(k->g, r.x[i], 0);
    b->omega = evec_scale(k, expr_derivative(k->g, angle, 0), axis);
    expr before = expr_binary(k->g, EXPR_ATAN2, A0.column[0].x[1], A0.column[0].x[0]);
    if (b->kind == BODY_MOVING_PLANAR) b->phi = sketch_add(k, before, sketch_mul(k, axis.x[2], angle));
    for (int j = 0; j < 3; j++) {
        evec a = A0.column[j], turned = evec_add(k, evec_scale(k, c, a), evec_scale(k, s, evec_cross(k, axis, a)));
        b->A.column[j] = evec_add(k, turned, evec_scale(k, sketch_mul(k, rest, evec_dot(k, axis, a)), axis));
    }
}

/* ---- begin and end ---- */

static void number_variables(sketch *k, int n_numbers) {
    formula_system *s = &k->s;
    s->n = s->size.ng + s->size.ny + s->size.nN + s->size.nF;
    s->q = 1;
    s->u = s->q + s->size.nq;
    s->a = s->u + s->size.nu;
    s->lambda = s->a + s->size.nu;
    s->parameter = s->lambda + s->n;
    s->count = s->input = s->parameter + k->most_parameters + n_numbers;
}

static bool take_memory(sketch *k) {
    zn_context *context = k->context;
    formula_system *s = &k->s;
    size_t nu = (size_t)s->size.nu;
    k->body = MEM_ARRAY(context, sketch_body, k->n_bodies);
    k->holder = MEM_ARRAY(context, sketch_body, k->n_holders);
    s->graph = k->g = expr_graph_create(context);
    s->qdot = MEM_ARRAY(context, expr, s->size.nq);
    s->M = MEM_ARRAY(context, expr, nu * nu);
    s->h = MEM_ARRAY(context, expr, nu);
    s->p = MEM_ARRAY(context, expr, nu);
    s->b = MEM_ARRAY(context, expr, nu);
    s->force = MEM_ARRAY(context, expr, nu);
    s->rows = MEM_ARRAY(context, formula_row, s->n);
    s->list = MEM_ARRAY(context, int, s->count);
    s->state = MEM_ARRAY(context, bool, s->size.nq);
    if (!s->list || !s->state) return false;
    if (!k->body || !k->holder || !s->graph || !s->qdot || !s->M || !s->h || !s->p || !s->b || !s->force || !s->rows) return false;
    expr zero = expr_constant(k->g, 0);
    s->T = s->V = s->power = zero;
    for (size_t i = 0; i < nu * nu; i++) s->M[i] = zero;
    for (size_t i = 0; i < nu; i++) s->h[i] = s->p[i] = s->b[i] = s->force[i] = zero;
    for (int i = 0; i < s->n; i++) s->rows[i] = (formula_row){EXPR_NONE, zero};
    return zero != EXPR_NONE;
}

/* Sizes and numbers of what the layout says. */
static int read_layout(sketch *k, const int *layout) {
    int n_numbers = 0;
    k->n_holders = *layout++;
    for (int i = 0; i < k->n_holders; i++, layout += 2) {
        body_kind kind = (body_kind)layout[0];
        k->s.size.nq += body_nq(kind);
        k->s.size.nu += body_nu(kind);
        if (kind == BODY_SPATIAL || kind == BODY_KINEMATIC || kind == BODY_VELOCITY) k->s.lagrangian = false;
        n_numbers += layout[1];
    }
    k->n_bodies = *layout++;
    for (int i = 0; i < k->n_bodies; i++, layout += 3 + layout[2]) n_numbers += layout[1];
    return n_numbers;
}

/* The next numbers as expressions. */
static const expr *take_numbers(sketch *k, int count, int *next, expr *out) {
    for (int i = 0; i < count && i < SKETCH_MOST_NUMBERS; i++) out[i] = expr_variable(k->g, (*next)++);
    return out;
}

static void express_layout(sketch *k, const int *layout) {
    int q = 0, u = 0, next = k->s.parameter + k->most_parameters;
    expr numbers[SKETCH_MOST_NUMBERS];
    layout++;
    for (int i = 0; i < k->n_holders; i++, layout += 2) {
        k->holder[i] = (sketch_body){.kind = (body_kind)layout[0], .q = q, .u = u};
        express_body(k, &k->holder[i], take_numbers(k, layout[1], &next, numbers));
        q += body_nq(k->holder[i].kind);
        u += body_nu(k->holder[i].kind);
    }
    layout++;
    for (int i = 0; i < k->n_bodies; i++, layout += 3 + layout[2]) {
        const sketch_body *carriers[SKETCH_MOST_CARRIERS];
        int n_carriers = layout[2];
        for (int c = 0; c < n_carriers && c < SKETCH_MOST_CARRIERS; c++) carriers[c] = &k->holder[layout[3 + c]];
        k->body[i] = (sketch_body){.kind = (body_kind)layout[0]};
        clear_body(k, &k->body[i]);
        if (body_is_held(k->body[i].kind)) k->body[i] = *carriers[0];
        else if (body_is_section(k->body[i].kind))
            sketch_section(k, &k->body[i], n_carriers, carriers, take_numbers(k, layout[1], &next, numbers));
    }
}

zn_status sketch_begin_on(zn_context *context, sketch *k, const int *layout, zn_sizes rows, int most_parameters) {
    *k = (sketch){.context = context, .most_parameters = most_parameters};
    k->s.size = rows;
    k->s.size.nq = k->s.size.nu = k->s.size.n_contacts = 0;
    k->s.lagrangian = true;
    number_variables(k, read_layout(k, layout));
    if (!take_memory(k)) {
        sketch_free(k);
        return ZN_ERROR_MEMORY;
    }
    k->s.answered = k->s.size.nq;
    express_layout(k, layout);
    if (!formula_tell_motion(&k->s) || k->failed) {
        sketch_free(k);
        return ZN_ERROR_MEMORY;
    }
    return ZN_OK;
}

void sketch_state(sketch *k, const sketch_body *state, expr rate) {
    k->s.qdot[state->q] = rate;
    k->failed |= !expr_keep_derivative(k->g, expr_variable(k->g, k->s.q + state->q), EXPR_MOTION, rate);
}

zn_status sketch_inputs(sketch *k, zn_machine *machine) {
    int count = (int)machine->n_values;
    int *list = MEM_ARRAY(k->context, int, k->s.input + count);
    if (!list) return ZN_ERROR_MEMORY;
    mem_free(k->context, k->s.list);
    k->s.list = list;
    k->s.count = k->s.input + count;
    k->s.machine = machine;
    return ZN_OK;
}

zn_status sketch_begin(zn_context *context, sketch *k, int n_bodies, const body_kind *kinds, zn_sizes rows, int most_parameters) {
    *k = (sketch){0};
    int *layout = MEM_ARRAY(context, int, 2 + 6 * n_bodies), n_holders = 0;
    if (!layout) return ZN_ERROR_MEMORY;
    int *next = layout + 1;
    for (int i = 0; i < n_bodies; i++)
        if (body_is_held(kinds[i])) *next++ = (int)kinds[i], *next++ = 0, n_holders++;
    layout[0] = n_holders;
    *next++ = n_bodies;
    for (int i = 0, holder = 0; i < n_bodies; i++) {
        *next++ = (int)kinds[i], *next++ = 0;
        *next++ = body_is_held(kinds[i]);
        if (body_is_held(kinds[i])) *next++ = holder++;
    }
    zn_status status = sketch_begin_on(context, k, layout, rows, most_parameters);
    mem_free(context, layout);
    return status;
}

void sketch_free(sketch *k) {
    formula_system_free(k->context, &k->s);
    mem_free(k->context, k->body);
    mem_free(k->context, k->holder);
    k->body = k->holder = NULL;
}

zn_status sketch_compile(sketch *k, zn_model **kind) {
    formula_system *s = &k->s;
    for (int i = 0; !k->complete && i < s->size.nu; i++) { /* p = M u: no part has gyroscopic potentials */
        for (int j = 0; j < s->size.nu; j++)
            s->p[i] = sketch_add(k, s->p[i], sketch_mul(k, s->M[i + j * s->size.nu], expr_variable(k->g, s->u + j)));
        s->T = sketch_add(k, s->T, sketch_mul(k, sketch_constant(k, 0.5), sketch_mul(k, s->p[i], expr_variable(k->g, s->u + i))));
    }
    zn_status status = k->failed ? ZN_ERROR_MEMORY : formula_kind_compile(k->context, s, kind);
    sketch_free(k);
    return status;
}

/* ---- parameters ---- */

expr sketch_parameter(sketch *k) {
    if (k->n_parameters == k->most_parameters) return EXPR_NONE; /* the kind declares too few: its test finds this */
    return expr_variable(k->g, k->s.parameter + k->n_parameters++);
}

evec sketch_parameter3(sketch *k) {
    evec v;
    for (int i = 0; i < 3; i++) v.x[i] = sketch_parameter(k);
    return v;
}

/* The next nine, a rotation column by column. */
static emat parameter9(sketch *k) {
    emat A;
    for (int i = 0; i < 3; i++) A.column[i] = sketch_parameter3(k);
    return A;
}

/* ---- rows ---- */

expr sketch_rate(sketch *k, expr e) { return expr_derivative(k->g, e, EXPR_MOTION); }

void sketch_g(sketch *k, expr g) { k->s.rows[k->rows[0]++] = (formula_row){g, sketch_rate(k, g)}; }

int sketch_ways(const sketch *k) { return 1 + k->s.size.nq + k->n_turns; }

int sketch_way(const sketch *k, int i) {
    int turn = i - k->s.size.nq;
    if (turn > 0) return EXPR_MOTION_OF(turn);
    return i == 0 ? EXPR_MOTION : k->s.chain && k->s.chain[i - 1].n ? -1 : k->s.q + i - 1;
}

/* p moves with dp and p.dp = 0 as by a turn of 2 (p0 dv - v dp0 + v x dv)/(p.p). */
static void chain_quaternion(sketch *k, const sketch_body *b) {
    expr p0 = expr_variable(k->g, k->s.q + b->q + 3);
    evec v = variables(k, k->s.q + b->q + 4, 3);
    expr pp = sketch_add(k, sketch_mul(k, p0, p0), evec_dot(k, v, v)), s = sketch_div(k, sketch_constant(k, 2), pp);
    for (int i = 0; i < 4; i++) {
        formula_chain *chain = &k->s.chain[b->q + 3 + i];
        evec e = i ? evec_unit(k, i - 1) : evec_zero(k), turn = evec_add(k, evec_scale(k, p0, e), evec_cross(k, v, e));
        evec phi = evec_scale(k, s, i ? turn : evec_scale(k, sketch_constant(k, -1), v));
        *chain = (formula_chain){.n = 3};
        for (int j = 0; j < 3; j++) chain->variable[j] = EXPR_MOTION_OF(b->turn + j), chain->factor[j] = phi.x[j];
    }
}

void sketch_is_geometric(sketch *k) {
    if (k->s.chain || !(k->s.chain = MEM_ARRAY(k->context, formula_chain, k->s.size.nq))) return;
    for (int i = 0; i < k->n_holders; i++)
        if (k->holder[i].turn) chain_quaternion(k, &k->holder[i]);
    const sketch_body *a = &k->body[0], *b = &k->body[1];
    int axes = body_axes(a->kind);
    for (int i = 0; i < axes && axes == body_axes(b->kind) && a->q != b->q; i++)
        k->s.chain[b->q + i] = (formula_chain){.n = 1, .variable = {k->s.q + a->q + i}, .factor = {sketch_constant(k, -1)}};
}

void sketch_gamma(sketch *k, expr gamma) { k->s.rows[k->s.size.ng + k->rows[1]++] = (formula_row){EXPR_NONE, gamma}; }

void sketch_contact(sketch *k, expr gap, int n_slips, const expr *slips) {
    sketch_gap(k, gap, sketch_rate(k, gap));
    for (int i = 0; i < n_slips; i++) sketch_slip(k, slips[i]);
}

void sketch_gap(sketch *k, expr gap, expr rate) { k->s.rows[k->s.size.ng + k->s.size.ny + k->rows[2]++] = (formula_row){gap, rate}; }

void sketch_slip(sketch *k, expr slip) {
    k->s.rows[k->s.size.ng + k->s.size.ny + k->s.size.nN + k->rows[3]++] = (formula_row){EXPR_NONE, slip};
}

/* ---- forces and energies ---- */

void sketch_h(sketch *k, int row, expr value) {
    k->s.h[row] = sketch_add(k, k->s.h[row], value);
    k->s.b[row] = sketch_add(k, k->s.b[row], value);
}

void sketch_power(sketch *k, expr force, expr rate) {
    for (int i = 0; i < k->s.size.nu; i++) {
        expr share = sketch_mul(k, expr_derivative(k->g, rate, k->s.u + i), force);
        sketch_h(k, i, share);
        k->s.power = sketch_add(k, k->s.power, sketch_mul(k, share, expr_variable(k->g, k->s.u + i)));
    }
}

void sketch_force(sketch *k, evec F, evec v) {
    for (int i = 0; i < 3; i++) sketch_power(k, F.x[i], v.x[i]);
}

/* The part of the rate of a kinematic coordinate that velocities of their own make: the forces on these are given complete. */
static expr given_rate(sketch *k, int q) {
    expr rate = k->s.qdot[q];
    for (int i = 0; i < k->n_holders; i++)
        for (int j = 0; k->holder[i].kind != BODY_VELOCITY && j < body_nu(k->holder[i].kind); j++) {
            int u = k->s.u + k->holder[i].u + j;
            rate = sketch_sub(k, rate, sketch_mul(k, expr_derivative(k->g, k->s.qdot[q], u), expr_variable(k->g, u)));
        }
    return rate;
}

/* h = -(dV/dq B)': the part of -V' that is linear in u. States have no forces, and velocities of their own have none that are not given:
 * what V' has of them is power, as is that of what moves by itself. */
void sketch_potential(sketch *k, expr V) {
    formula_system *s = &k->s;
    expr rate = sketch_rate(k, V);
    s->V = sketch_add(k, s->V, V);
    s->power = sketch_add(k, s->power, expr_derivative(k->g, V, 0));
    for (int i = 0; i < k->n_holders; i++) {
        int q = k->holder[i].q;
        if (!body_has_rate(k->holder[i].kind)) continue;
        expr by = expr_derivative(k->g, V, s->q + q);
        if (expr_is_zero(k->g, by)) continue;
        expr power = sketch_mul(k, by, k->holder[i].kind == BODY_STATE ? s->qdot[q] : given_rate(k, q));
        s->power = sketch_add(k, s->power, power);
        if (k->holder[i].kind == BODY_STATE) rate = sketch_sub(k, rate, power);
    }
    for (int i = 0; i < k->n_holders; i++)
        for (int j = 0; k->holder[i].kind != BODY_VELOCITY && j < body_nu(k->holder[i].kind); j++)
            sketch_h(k, k->holder[i].u + j, sketch_neg(k, expr_derivative(k->g, rate, s->u + k->holder[i].u + j)));
}

void sketch_mass(sketch *k, int row, int column, expr value) {
    int nu = k->s.size.nu;
    k->s.M[row + column * nu] = sketch_add(k, k->s.M[row + column * nu], value);
    if (row != column) k->s.M[column + row * nu] = sketch_add(k, k->s.M[column + row * nu], value);
}

/* ---- outputs ---- */

void sketch_output(sketch *k, expr value) {
    formula_system *s = &k->s;
    if (mem_grow(k->context, (void **)&s->outputs, &k->output_capacity, (size_t)s->n_outputs + 1, sizeof *s->outputs))
        s->outputs[s->n_outputs++] = value;
    else k->failed = true;
}

void sketch_probe(sketch *k, expr value) {
    formula_system *s = &k->s;
    if (mem_grow(k->context, (void **)&s->probes, &k->probe_capacity, (size_t)s->n_probes + 1, sizeof *s->probes))
        s->probes[s->n_probes++] = value;
    else k->failed = true;
}

void sketch_switch(sketch *k, expr condition) {
    formula_system *s = &k->s;
    expr zero = sketch_constant(k, 0);
    formula_switch_rows(s, condition, 0, s->n);
    expr *energies[] = {&s->V, &s->power};
    for (int i = 0; i < 2; i++) *energies[i] = expr_if(k->g, condition, *energies[i], zero);
    for (int i = 0; i < s->size.nu; i++) {
        s->h[i] = expr_if(k->g, condition, s->h[i], zero);
        s->b[i] = expr_if(k->g, condition, s->b[i], zero);
        s->force[i] = expr_if(k->g, condition, s->force[i], zero);
    }
}

/* ---- points ---- */

evec sketch_point(sketch *k, int body, evec xi) {
    if (body < 0) return xi;
    return evec_add(k, k->body[body].r, emat_apply(k, k->body[body].A, xi));
}

evec sketch_point_velocity(sketch *k, int body, evec xi) {
    if (body < 0) return evec_zero(k);
    const sketch_body *b = &k->body[body];
    return evec_add(k, b->v, evec_cross(k, b->omega, emat_apply(k, b->A, xi)));
}

evec sketch_direction(sketch *k, int body, evec e) { return body < 0 ? e : emat_apply(k, k->body[body].A, e); }

evec sketch_omega(sketch *k, int body) { return body < 0 ? evec_zero(k) : k->body[body].omega; }

sketch_frame sketch_next_frame(sketch *k, int body) {
    evec xi = sketch_parameter3(k);
    return sketch_frame_at(k, body, xi, parameter9(k));
}

sketch_frame sketch_frame_at(sketch *k, int body, evec xi, emat R) {
    return (sketch_frame){.body = body,
                          .p = sketch_point(k, body, xi),
                          .v = sketch_point_velocity(k, body, xi),
                          .omega = sketch_omega(k, body),
                          .x = sketch_direction(k, body, R.column[0]),
                          .y = sketch_direction(k, body, R.column[1]),
                          .z = sketch_direction(k, body, R.column[2])};
}
