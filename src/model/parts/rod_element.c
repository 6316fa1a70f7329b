/* SPDX-License-Identifier: Apache-2.0 */
/* The element of a spatial rod: see rod.h for its equations. */
#include "model/parts/rod.h"

/* ---- sketch ---- */

/* Strains and energies depend on the nodes only through z = (r_s, p, p_s) of a Gauss point. Everything is expressed and
 * differentiated in z, then z is replaced by the nodes: derivatives by coordinates are those by z times constants, which costs
 * a fifth of what derivatives by every coordinate of every node would. */
enum { Z_P = 3, Z_P_S = 7, Z_COUNT = 11 };

typedef struct place {
    double N[ROD_MOST_NODES], N_xi[ROD_MOST_NODES];
    expr per_J, length, C[6], start[6], damping;
    expr z[2 * Z_COUNT]; /* z and its rate, of the nodes */
    int inner;           /* first of the variables that stand for them */
} place;

/* sum factor_i variable(first_i + component) over the nodes */
static expr interpolate(sketch *k, int n, const double *factor, int component) {
    expr sum = sketch_constant(k, 0);
    for (int i = 0; i < n; i++) {
        expr q = expr_variable(k->g, k->s.q + k->body[i].q + component);
        sum = sketch_add(k, sum, sketch_mul(k, sketch_constant(k, factor[i]), q));
    }
    return sum;
}

static void express_place(sketch *k, int order, double xi, place *s) {
    flexible_lagrange(order, xi, s->N, s->N_xi);
    for (int i = 0; i < 3; i++) s->z[i] = sketch_mul(k, s->per_J, interpolate(k, order + 1, s->N_xi, i));
    for (int i = 0; i < 4; i++) {
        s->z[Z_P + i] = interpolate(k, order + 1, s->N, 3 + i);
        s->z[Z_P_S + i] = sketch_mul(k, s->per_J, interpolate(k, order + 1, s->N_xi, 3 + i));
    }
    for (int i = 0; i < Z_COUNT; i++) s->z[Z_COUNT + i] = sketch_rate(k, s->z[i]);
    s->inner = k->s.count;
}

/* 2 vec(conj(p) p')/p.p = 2 (p0 w - w0 v - v x w)/p.p for p = (p0, v), p' = (w0, w) */
static evec angular_rate(sketch *k, const expr *p, const expr *rate) {
    evec v = {{p[1], p[2], p[3]}}, w = {{rate[1], rate[2], rate[3]}};
    expr two_per_pp = sketch_div(k, sketch_constant(k, 2), sketch_add(k, sketch_mul(k, p[0], p[0]), evec_dot(k, v, v)));
    evec change = evec_sub(k, evec_scale(k, p[0], w), evec_scale(k, rate[0], v));
    return evec_scale(k, two_per_pp, evec_sub(k, change, evec_cross(k, v, w)));
}

/* gamma and kappa of z. */
static void express_strains(sketch *k, const expr *z, expr strains[6]) {
    expr p0 = z[Z_P];
    evec r_s = {{z[0], z[1], z[2]}}, v = {{z[Z_P + 1], z[Z_P + 2], z[Z_P + 3]}};
    expr two_per_pp = sketch_div(k, sketch_constant(k, 2), sketch_add(k, sketch_mul(k, p0, p0), evec_dot(k, v, v)));
    /* A' a = a + 2/p.p (v x (v x a) - p0 v x a) */
    evec once = evec_cross(k, v, r_s), turned = evec_sub(k, evec_cross(k, v, once), evec_scale(k, p0, once));
    evec gamma = evec_add(k, r_s, evec_scale(k, two_per_pp, turned));
    evec kappa = angular_rate(k, z + Z_P, z + Z_P_S);
    for (int i = 0; i < 3; i++) strains[i] = gamma.x[i], strains[3 + i] = kappa.x[i];
}

/* f(z) becomes f of the nodes, and its derivatives by their coordinates and velocities are given: f_z z_q, f_z z_u.
 * Without damping f = dV/dz, and f_z is symmetric. */
static zn_status compose(sketch *k, const place *s, bool symmetric, expr *f) {
    expr f_z[Z_COUNT][2 * Z_COUNT], composed[Z_COUNT];
    for (int a = 0; a < Z_COUNT; a++) {
        composed[a] = expr_substitute(k->g, f[a], s->inner, 2 * Z_COUNT, s->z);
        for (int b = 0; b < 2 * Z_COUNT; b++) {
            bool known = symmetric && b < a;
            f_z[a][b] = known ? f_z[b][a] : expr_substitute(k->g, expr_derivative(k->g, f[a], s->inner + b), s->inner, 2 * Z_COUNT, s->z);
        }
        for (int i = 0; i < k->s.size.nq + k->s.size.nu; i++) { /* q and u are neighbours */
            expr sum = sketch_constant(k, 0);
            for (int b = 0; b < 2 * Z_COUNT; b++)
                sum = sketch_add(k, sum, sketch_mul(k, f_z[a][b], expr_derivative(k->g, s->z[b], k->s.q + i)));
            if (!expr_keep_derivative(k->g, composed[a], k->s.q + i, sum)) return ZN_ERROR_MEMORY;
        }
    }
    for (int a = 0; a < Z_COUNT; a++) f[a] = composed[a];
    return ZN_OK;
}

/* h -= f.dz'/du with r_s' = sum N_s v and p' = 1/2 Q(p) Omega of the nodes:
 * g.p_i' = 1/2 Omega_i.(p_i0 g_v - g_0 v_i + g_v x v_i) for g = N_i f_p + N_i,s f_p_s */
static void express_forces(sketch *k, int n, const place *s, const expr *f) {
    for (int i = 0; i < n; i++) {
        const sketch_body *b = &k->body[i];
        expr N = sketch_constant(k, s->N[i]), N_s = sketch_mul(k, sketch_constant(k, s->N_xi[i]), s->per_J), p[4], g[4];
        for (int c = 0; c < 3; c++) sketch_h(k, b->u + c, sketch_neg(k, sketch_mul(k, N_s, f[c])));
        for (int c = 0; c < 4; c++) {
            p[c] = expr_variable(k->g, k->s.q + b->q + 3 + c);
            g[c] = sketch_add(k, sketch_mul(k, N, f[Z_P + c]), sketch_mul(k, N_s, f[Z_P_S + c]));
        }
        evec v = {{p[1], p[2], p[3]}}, g_v = {{g[1], g[2], g[3]}};
        evec moment = evec_sub(k, evec_scale(k, p[0], g_v), evec_scale(k, g[0], v));
        moment = evec_add(k, moment, evec_cross(k, g_v, v));
        for (int c = 0; c < 3; c++) sketch_h(k, b->u + 3 + c, sketch_mul(k, sketch_constant(k, -0.5), moment.x[c]));
    }
}

/* A function of z as one of the nodes. */
static expr of_nodes(sketch *k, const place *s, expr f) { return expr_substitute(k->g, f, s->inner, 2 * Z_COUNT, s->z); }

/* Strains and stresses are outputs, as far as they are wanted. */
static void express_outputs(sketch *k, int variant, const place *s, const expr *strain, const expr *stress) {
    expr strains[6], stresses[6];
    for (int i = 0; i < 6; i++) strains[i] = of_nodes(k, s, strain[i]), stresses[i] = of_nodes(k, s, stress[i]);
    flexible_express_outputs(k, rod_record(variant), 6, stresses, strains);
}

/* One Gauss point: stress = C (e + damping e') with e' = de/dz z', V = length/2 sum C e^2, f = length sum stress de/dz. */
static zn_status express_point(sketch *k, int variant, place *s) {
    expr z[2 * Z_COUNT], e[6], stress[6], V = sketch_constant(k, 0), f[Z_COUNT], zero = V;
    for (int b = 0; b < 2 * Z_COUNT; b++) z[b] = expr_variable(k->g, s->inner + b);
    express_strains(k, z, e);
    for (int b = 0; b < Z_COUNT; b++) f[b] = zero;
    for (int i = 0; i < 6; i++) {
        expr rate = zero;
        e[i] = sketch_sub(k, e[i], s->start[i]);
        stress[i] = sketch_mul(k, s->C[i], e[i]);
        V = sketch_add(k, V, sketch_mul(k, stress[i], e[i]));
        if (rod_is_damped(variant)) {
            for (int b = 0; b < Z_COUNT; b++)
                rate = sketch_add(k, rate, sketch_mul(k, expr_derivative(k->g, e[i], s->inner + b), z[Z_COUNT + b]));
            expr viscous = sketch_mul(k, sketch_mul(k, s->damping, s->C[i]), rate);
            stress[i] = sketch_add(k, stress[i], viscous);
            k->s.power = sketch_sub(k, k->s.power, of_nodes(k, s, sketch_mul(k, s->length, sketch_mul(k, viscous, rate))));
        }
        expr force = sketch_mul(k, s->length, stress[i]);
        for (int b = 0; b < Z_COUNT; b++) f[b] = sketch_add(k, f[b], sketch_mul(k, force, expr_derivative(k->g, e[i], s->inner + b)));
    }
    expr half_length = sketch_mul(k, sketch_constant(k, 0.5), s->length);
    k->s.V = sketch_add(k, k->s.V, of_nodes(k, s, sketch_mul(k, half_length, V)));
    express_outputs(k, variant, s, e, stress);
    zn_status status = compose(k, s, !rod_is_damped(variant), f);
    if (status == ZN_OK) express_forces(k, rod_order(variant) + 1, s, f);
    return status;
}

static zn_status express_stiffness(sketch *k, int variant, evec C_gamma, evec C_kappa, expr damping) {
    int order = rod_order(variant);
    double xi[ROD_MOST_NODES], weight[ROD_MOST_NODES];
    zn_status status = ZN_OK;
    flexible_gauss(order, xi, weight);
    for (int point = 0; status == ZN_OK && point < order; point++) {
        place s = {.length = sketch_parameter(k), .damping = damping};
        s.per_J = sketch_parameter(k);
        for (int i = 0; i < 6; i++) {
            s.C[i] = i < 3 ? C_gamma.x[i] : C_kappa.x[i - 3];
            s.start[i] = sketch_parameter(k);
        }
        express_place(k, order, xi[point], &s);
        status = express_point(k, variant, &s);
    }
    return status;
}

/* Takes w_ij, i <= j. The weight of node i is that of sum_j w_ij = int N_i ds, as the N_j add up to one. */
static void express_inertia(sketch *k, int n, expr rhoA, evec rhoI, evec g) {
    evec Omega[ROD_MOST_NODES], momentum[ROD_MOST_NODES];
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) Omega[i].x[c] = expr_variable(k->g, k->s.u + k->body[i].u + 3 + c);
        momentum[i] = evec_zero(k);
    }
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            const sketch_body *a = &k->body[i], *b = &k->body[j];
            expr w = sketch_parameter(k), m = sketch_mul(k, w, rhoA);
            for (int c = 0; c < 3; c++) {
                expr I = sketch_mul(k, w, rhoI.x[c]);
                sketch_mass(k, a->u + c, b->u + c, m);
                sketch_mass(k, a->u + 3 + c, b->u + 3 + c, I);
                momentum[i].x[c] = sketch_add(k, momentum[i].x[c], sketch_mul(k, I, Omega[j].x[c]));
                if (i != j) momentum[j].x[c] = sketch_add(k, momentum[j].x[c], sketch_mul(k, I, Omega[i].x[c]));
            }
            evec r = i == j ? a->r : evec_add(k, a->r, b->r);
            sketch_potential(k, sketch_neg(k, sketch_mul(k, m, evec_dot(k, g, r))));
        }
    for (int i = 0; i < n; i++) {
        evec gyroscopic = evec_cross(k, Omega[i], momentum[i]);
        for (int c = 0; c < 3; c++) sketch_h(k, k->body[i].u + 3 + c, sketch_neg(k, gyroscopic.x[c]));
    }
}

zn_status rod_express_element(zn_parts *parts, sketch *k, const parts_piece *piece) {
    (void)parts;
    evec C_gamma = sketch_parameter3(k), C_kappa = sketch_parameter3(k);
    expr rhoA = sketch_parameter(k);
    evec rhoI = sketch_parameter3(k), g = sketch_parameter3(k);
    expr damping = rod_is_damped(piece->variant) ? sketch_parameter(k) : EXPR_NONE;
    express_inertia(k, rod_order(piece->variant) + 1, rhoA, rhoI, g);
    return express_stiffness(k, piece->variant, C_gamma, C_kappa, damping);
}

void rod_express_section(sketch *k, sketch_body *b, int n, const sketch_body *const *carriers, const expr *N) {
    expr p[4], rate[4];
    for (int c = 0; c < 4; c++) p[c] = rate[c] = sketch_constant(k, 0);
    for (int i = 0; i < n; i++) {
        b->r = evec_add(k, b->r, evec_scale(k, N[i], carriers[i]->r));
        b->v = evec_add(k, b->v, evec_scale(k, N[i], carriers[i]->v));
        for (int c = 0; c < 4; c++) {
            int q = carriers[i]->q + 3 + c;
            p[c] = sketch_add(k, p[c], sketch_mul(k, N[i], expr_variable(k->g, k->s.q + q)));
            rate[c] = sketch_add(k, rate[c], sketch_mul(k, N[i], k->s.qdot[q]));
        }
    }
    b->A = sketch_quaternion_rotation(k, p);
    b->omega = emat_apply(k, b->A, angular_rate(k, p, rate));
}

/* ---- numbers ---- */

int rod_parameter_count(int variant) {
    int order = rod_order(variant), n = order + 1;
    return 13 + rod_is_damped(variant) + n * (n + 1) / 2 + 8 * order;
}

void rod_strains(int order, double xi, const vec3 *r, const quat *p, double gamma[3], double kappa[3]) {
    double N[ROD_MOST_NODES], N_xi[ROD_MOST_NODES];
    vec3 r_xi = {0, 0, 0};
    quat at = {{0}}, p_xi = {{0}};
    flexible_lagrange(order, xi, N, N_xi);
    for (int i = 0; i <= order; i++) {
        r_xi = vec3_add_scaled(r_xi, N_xi[i], r[i]);
        for (int c = 0; c < 4; c++) at.p[c] += N[i] * p[i].p[c], p_xi.p[c] += N_xi[i] * p[i].p[c];
    }
    mat3 A = quat_matrix(at);
    vec3_store(mat3_apply_transposed(&A, r_xi), gamma);
    vec3_store(quat_angular_velocity(at, p_xi), kappa);
}

/* w_ij for i <= j; lumped: int N_i ds for i = j, else 0. */
static double *put_weights(int order, bool lumped, const double *J, double *to) {
    double xi[ROD_MASS_POINTS], weight[ROD_MASS_POINTS], N[ROD_MASS_POINTS][ROD_MOST_NODES], N_xi[ROD_MOST_NODES];
    flexible_gauss(ROD_MASS_POINTS, xi, weight);
    for (int k = 0; k < ROD_MASS_POINTS; k++) flexible_lagrange(order, xi[k], N[k], N_xi);
    for (int i = 0; i <= order; i++)
        for (int j = i; j <= order; j++, to++) {
            *to = 0;
            for (int k = 0; k < ROD_MASS_POINTS; k++) *to += weight[k] * J[k] * N[k][i] * (lumped ? i == j : N[k][j]);
        }
    return to;
}

void rod_put_parameters(int variant, const rod_material *m, const rod_reference *start, double *to) {
    int order = rod_order(variant);
    double xi[ROD_MOST_NODES], weight[ROD_MOST_NODES], strains[6];
    for (int i = 0; i < 3; i++) *to++ = m->gamma[i];
    for (int i = 0; i < 3; i++) *to++ = m->kappa[i];
    *to++ = m->rhoA;
    for (int i = 0; i < 3; i++) *to++ = m->rhoI[i];
    for (int i = 0; i < 3; i++) *to++ = 0;
    if (rod_is_damped(variant)) *to++ = m->damping;
    to = put_weights(order, m->lumped, start->J_mass, to);
    flexible_gauss(order, xi, weight);
    for (int point = 0; point < order; point++) {
        double J = start->J[point];
        rod_strains(order, xi[point], start->r, start->p, strains, strains + 3);
        *to++ = weight[point] * J;
        *to++ = 1 / J;
        for (int i = 0; i < 6; i++) *to++ = strains[i] / J;
    }
}
