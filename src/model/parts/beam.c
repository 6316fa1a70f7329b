/* SPDX-License-Identifier: Apache-2.0 */
/* Planar geometrically exact beam (Simo-Reissner): shear-deformable, any rotation, any stretch. Nodes have x, y, phi; phi is the
 * angle of the cross section's normal. Shape functions N_i of order p, ' is d/dS along the stress-free axis, J = dS/dxi.
 *
 *     r = sum N_i r_i,   phi = sum N_i phi_i
 *     strains   (eps, gamma) = R(phi)' r' - Gamma_0,   kappa = phi' - kappa_0      (Gamma_0, kappa_0: at the start)
 *     energy    V = 1/2 int EA eps^2 + GA gamma^2 + EI kappa^2 dS - int rho_A g.r dS
 *     forces    N = EA (eps + d eps'), Q = GA (gamma + d gamma'), M = EI (kappa + d kappa')   with the damping d (rates are objective)
 *     mass      int N_i N_j (rho_A, rho_A, rho_I) dS, constant
 *
 * The stiffness is integrated with p Gauss points: neither shear nor membrane locking. The mass is integrated exactly.
 * Parameters: EA, GA, EI, damping, g[3], rho_I/rho_A, masses rho_A int N_i N_j dS (i <= j), and for each Gauss point w J, 1/J, Gamma_0,
 * kappa_0. */
#include "model/parts/flexible.h"

enum { VARIANT_ORDER = 3, VARIANT_DAMPED = 4, VARIANT_RECORD = 8, MOST_NODES = 3, MOST_POINTS = 2, N_SECTION = 8, N_POINT = 5 };

static int n_masses(int order) { return (order + 1) * (order + 2) / 2; }
static int n_parameters(int order) { return N_SECTION + n_masses(order) + order * N_POINT; }

/* ---- sketch ---- */

typedef struct beam_sketch {
    sketch *k;
    int order;
    bool damped;
    unsigned record;
    expr stiffness[3], damping; /* EA, GA, EI */
} beam_sketch;

/* sum c_i (x_i, y_i, phi_i) with constants c. */
static void combine(sketch *k, int n, const double *c, expr *out) {
    for (int a = 0; a < 3; a++) {
        out[a] = sketch_constant(k, 0);
        for (int i = 0; i < n; i++)
            out[a] = sketch_add(k, out[a], sketch_mul(k, sketch_constant(k, c[i]), expr_variable(k->g, k->s.q + k->body[i].q + a)));
    }
}

/* The strains at a Gauss point; takes its parameters. Returns w J. */
static expr express_strains(const beam_sketch *b, double xi, expr *strain) {
    sketch *k = b->k;
    double N[MOST_NODES], N_xi[MOST_NODES];
    expr at[3], slope[3];
    flexible_lagrange(b->order, xi, N, N_xi);
    combine(k, b->order + 1, N, at);
    combine(k, b->order + 1, N_xi, slope);
    expr weight = sketch_parameter(k), inverse = sketch_parameter(k);
    expr c = expr_unary(k->g, EXPR_COS, at[2]), s = expr_unary(k->g, EXPR_SIN, at[2]);
    for (int a = 0; a < 3; a++) slope[a] = sketch_mul(k, inverse, slope[a]);
    strain[0] = sketch_add(k, sketch_mul(k, c, slope[0]), sketch_mul(k, s, slope[1]));
    strain[1] = sketch_sub(k, sketch_mul(k, c, slope[1]), sketch_mul(k, s, slope[0]));
    strain[2] = slope[2];
    for (int a = 0; a < 3; a++) strain[a] = sketch_sub(k, strain[a], sketch_parameter(k));
    return weight;
}

static void express_stiffness(const beam_sketch *b, double xi) {
    sketch *k = b->k;
    expr strain[3], force[3], weight = express_strains(b, xi, strain);
    for (int a = 0; a < 3; a++) {
        expr stiffness = sketch_mul(k, weight, b->stiffness[a]);
        sketch_potential(k, sketch_mul(k, sketch_mul(k, sketch_constant(k, 0.5), stiffness), sketch_mul(k, strain[a], strain[a])));
        force[a] = sketch_mul(k, b->stiffness[a], strain[a]);
        if (!b->damped) continue;
        expr rate = sketch_rate(k, strain[a]);
        sketch_power(k, sketch_neg(k, sketch_mul(k, sketch_mul(k, b->damping, stiffness), rate)), rate);
        force[a] = sketch_add(k, force[a], sketch_mul(k, sketch_mul(k, b->damping, b->stiffness[a]), rate));
    }
    flexible_express_outputs(k, b->record, 3, force, strain);
}

static void express_mass(sketch *k, int order, evec g, expr rotary) {
    expr V = sketch_constant(k, 0);
    for (int i = 0; i <= order; i++)
        for (int j = i; j <= order; j++) {
            const sketch_body *a = &k->body[i], *b = &k->body[j];
            expr m = sketch_parameter(k);
            sketch_mass(k, a->u, b->u, m);
            sketch_mass(k, a->u + 1, b->u + 1, m);
            sketch_mass(k, a->u + 2, b->u + 2, sketch_mul(k, rotary, m));
            /* int N_i dS = sum over j of the masses, as the N_j add up to one */
            evec r = i == j ? a->r : evec_add(k, a->r, b->r);
            V = sketch_sub(k, V, sketch_mul(k, m, evec_dot(k, g, r)));
        }
    sketch_potential(k, V);
}

static zn_status express(zn_parts *parts, sketch *k, const parts_piece *piece) {
    (void)parts;
    beam_sketch b = {.k = k, .order = piece->variant & VARIANT_ORDER, .damped = piece->variant & VARIANT_DAMPED};
    b.record = (unsigned)piece->variant / VARIANT_RECORD;
    double x[MOST_POINTS], w[MOST_POINTS];
    for (int a = 0; a < 3; a++) b.stiffness[a] = sketch_parameter(k);
    b.damping = sketch_parameter(k);
    evec g = sketch_parameter3(k);
    expr rotary = sketch_parameter(k);
    express_mass(k, b.order, g, rotary);
    flexible_gauss(b.order, x, w);
    for (int p = 0; p < b.order; p++) express_stiffness(&b, x[p]);
    return ZN_OK;
}

/* ---- making ---- */

/* Angles of the axis at the nodes, turning less than half a turn from one to the next. */
static zn_status add_nodes(zn_parts *parts, const flexible_curve *curve, parts_flexible *f) {
    double before = 0;
    for (int i = 0; i <= f->n_elements * f->order; i++) {
        vec3 r, r_s;
        flexible_curve_at(curve, (double)i / (f->n_elements * f->order), &r, &r_s);
        double angle = atan2(r_s.y, r_s.x);
        if (i > 0) angle = before + remainder(angle - before, 2 * acos(-1));
        before = angle;
        parts_body node = {.kind = BODY_PLANAR,
                           .r = r,
                           .v = flexible_curve_velocity(curve, r),
                           .p = quat_identity(),
                           .angle = angle,
                           .angle_rate = curve->omega.z};
        zn_status status = flexible_add_node(parts, f, &node);
        if (status != ZN_OK) return status;
    }
    return ZN_OK;
}

/* rho_A int N_i N_j dS, with as many points as make it exact for straight elements. */
static double *put_masses(double *out, const flexible_curve *curve, const parts_flexible *f, int element, double line_density) {
    double x[MOST_NODES], w[MOST_NODES];
    int points = f->order + 1;
    flexible_gauss(points, x, w);
    for (int i = 0; i <= f->order; i++)
        for (int j = i; j <= f->order; j++) {
            *out = 0;
            for (int p = 0; p < points; p++) {
                double N[MOST_NODES], N_xi[MOST_NODES];
                vec3 r, r_s;
                flexible_lagrange(f->order, x[p], N, N_xi);
                flexible_curve_at(curve, (element + (1 + x[p]) / 2) / f->n_elements, &r, &r_s);
                *out += w[p] * N[i] * N[j] * line_density * vec3_norm(r_s) / (2 * f->n_elements);
            }
            out++;
        }
    return out;
}

/* w J, 1/J and the strains of the start, as the elements see it: so it is free of stress. */
static void put_points(double *out, zn_parts *parts, const flexible_curve *curve, const parts_flexible *f, int element) {
    double x[MOST_POINTS], w[MOST_POINTS];
    flexible_gauss(f->order, x, w);
    for (int p = 0; p < f->order; p++) {
        double N[MOST_NODES], N_xi[MOST_NODES], slope[3] = {0}, phi = 0;
        vec3 r, r_s;
        flexible_lagrange(f->order, x[p], N, N_xi);
        flexible_curve_at(curve, (element + (1 + x[p]) / 2) / f->n_elements, &r, &r_s);
        double J = vec3_norm(r_s) / (2 * f->n_elements);
        for (int i = 0; i <= f->order; i++) {
            const parts_body *node = &parts->bodies[f->first_node + element * f->order + i];
            slope[0] += N_xi[i] * node->r.x / J, slope[1] += N_xi[i] * node->r.y / J, slope[2] += N_xi[i] * node->angle / J;
            phi += N[i] * node->angle;
        }
        *out++ = w[p] * J, *out++ = 1 / J;
        *out++ = cos(phi) * slope[0] + sin(phi) * slope[1];
        *out++ = cos(phi) * slope[1] - sin(phi) * slope[0];
        *out++ = slope[2];
    }
}

static zn_status make(zn_parts *parts, const zn_flexible_def *def, parts_flexible *f) {
    flexible_curve curve;
    flexible_material m;
    zn_status status = flexible_curve_make(parts, def, &curve);
    if (status == ZN_OK) status = flexible_material_make(parts, def, FLEXIBLE_NEEDS_GA | FLEXIBLE_NEEDS_EI, &m);
    if (status == ZN_OK) status = add_nodes(parts, &curve, f);
    if (status != ZN_OK) return status;
    const double section[N_SECTION] = {m.EA, m.GA[0], m.EI[0], m.damping, 0, 0, 0, m.rotary[0] / m.line_density};
    parts_piece shape = {.express = express,
                         .variant = f->order | (m.damping > 0 ? VARIANT_DAMPED : 0) | (int)f->record * VARIANT_RECORD,
                         .n_bodies = f->order + 1,
                         .n_parameters = n_parameters(f->order),
                         .n_outputs = flexible_output_count(f, f->order, 3),
                         .gravity = 5};
    static const char *const forces[] = {"N", "Q", "M"}, *const strains[] = {"strain", "shear", "curvature"};
    for (int e = 0; e < f->n_elements && status == ZN_OK; e++) {
        int first = e * f->order;
        parts_piece *piece = flexible_add_element(parts, f, &shape, (int[]){first, first + 1, first + 2});
        if (!piece) return parts_last_status(parts);
        memcpy(piece->parameters, section, sizeof section);
        put_points(put_masses(piece->parameters + N_SECTION, &curve, f, e, m.line_density), parts, &curve, f, e);
        status = flexible_name_outputs(parts, f, piece, f->order, 3, forces, strains);
    }
    return status;
}

const flexible_type flexible_beam = {.what = "beam",
                                     .element = "beam element",
                                     .least_order = 1,
                                     .most_order = 2,
                                     .default_order = 1,
                                     .planar = true,
                                     .section = BODY_SECTION_PLANAR,
                                     .make = make,
                                     .at = flexible_lagrange_section};
