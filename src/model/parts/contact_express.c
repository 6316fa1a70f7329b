/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts as expressions: gap, normal, nearest points, tangents, slip velocities, Stribeck's smooth force. */
#include "model/parts/contact.h"

#include <stddef.h>

/* ---- variants ---- */

/* Bits of each member, and where they begin. */
enum {
    FEATURE_BITS = 4,
    FRAME_BITS = 3,
    COUNT_BITS = 2,
    SURFACE_AT = FEATURE_BITS,
    FRAME_AT = SURFACE_AT + FEATURE_BITS,
    SLIDING_AT = FRAME_AT + FRAME_BITS,
    ROLLING_AT = SLIDING_AT + COUNT_BITS,
    FLAGS_AT = ROLLING_AT + COUNT_BITS,
    N_FLAGS = 7
};
_Static_assert(FEATURE_KIND_COUNT <= 1 << FEATURE_BITS, "a feature has room in a packed variant");
_Static_assert(CONTACT_FRAME_COUNT <= 1 << FRAME_BITS, "a frame has room in a packed variant");
_Static_assert(FLAGS_AT + N_FLAGS < 31, "a packed variant is an int");

int contact_pack(contact_variant v) {
    return (int)v.touching | (int)v.surface << SURFACE_AT | (int)v.frame << FRAME_AT | v.n_sliding << SLIDING_AT |
           v.n_rolling << ROLLING_AT |
           (v.pivoting | v.stribeck << 1 | v.given_force << 2 | v.belt << 3 | v.rounded << 4 | v.centred[0] << 5 | v.centred[1] << 6)
               << FLAGS_AT;
}

static int bits(int packed, int first, int count) { return packed >> first & ((1 << count) - 1); }

contact_variant contact_unpack(int packed) {
    return (contact_variant){.touching = (feature_kind)bits(packed, 0, FEATURE_BITS),
                             .surface = (feature_kind)bits(packed, SURFACE_AT, FEATURE_BITS),
                             .frame = (contact_frame)bits(packed, FRAME_AT, FRAME_BITS),
                             .n_sliding = bits(packed, SLIDING_AT, COUNT_BITS),
                             .n_rolling = bits(packed, ROLLING_AT, COUNT_BITS),
                             .pivoting = bits(packed, FLAGS_AT, 1),
                             .stribeck = bits(packed, FLAGS_AT + 1, 1),
                             .given_force = bits(packed, FLAGS_AT + 2, 1),
                             .belt = bits(packed, FLAGS_AT + 3, 1),
                             .rounded = bits(packed, FLAGS_AT + 4, 1),
                             .centred = {bits(packed, FLAGS_AT + 5, 1), bits(packed, FLAGS_AT + 6, 1)}};
}

zn_sizes contact_rows(contact_variant v) { return (zn_sizes){.nN = !v.given_force, .nF = v.n_sliding + v.n_rolling + v.pivoting}; }

/* ---- parameters by name ---- */

static expr number(sketch *k, size_t offset) { return expr_variable(k->g, k->s.parameter + (int)(offset / sizeof(double))); }
static evec number3(sketch *k, size_t offset) {
    return (evec){{number(k, offset), number(k, offset + sizeof(double)), number(k, offset + 2 * sizeof(double))}};
}
#define NUMBER(k, member) number(k, offsetof(contact_numbers, member))
#define NUMBER3(k, member) number3(k, offsetof(contact_numbers, member))

static evec normalised(sketch *k, evec a) { return evec_scale(k, sketch_div(k, sketch_constant(k, 1), evec_norm(k, a)), a); }
static evec across(sketch *k, evec a, evec unit) { return evec_sub(k, a, evec_scale(k, evec_dot(k, a, unit), unit)); }

/* The point of the touching feature, or of a sphere, from the centre of mass of its body. */
static evec arm_of(sketch *k, const contact_variant *v, int body) {
    if (v->centred[body]) return evec_zero(k);
    return sketch_direction(k, body, body == 0 ? NUMBER3(k, a_point) : NUMBER3(k, b_point));
}
static evec place_of(sketch *k, int body, evec arm) { return evec_add(k, k->body[body].r, arm); }

/* The nearest point of the touching body is at arm - radius n; gap and n are known. */
static void place_touching(sketch *k, evec arm, expr radius, contact_sketch *out) {
    out->arm[0] = arm, out->along[0] = sketch_neg(k, radius);
    out->arm[1] = evec_add(k, evec_sub(k, k->body[0].r, k->body[1].r), arm);
    out->along[1] = sketch_sub(k, out->along[0], out->gap);
}

/* ---- gap, normal, nearest point of the touching body ---- */

/* The lowest point of an ellipsoid with the matrix E in K is S - A E m/sqrt(m.E m), m = A'n. */
static evec down_to_ellipsoid(sketch *k, evec n) {
    emat E, A = k->body[0].A;
    for (int j = 0; j < 3; j++) E.column[j] = number3(k, offsetof(contact_numbers, a_matrix) + 3 * (size_t)j * sizeof(double));
    evec m = emat_apply_transposed(k, A, n), Em = emat_apply(k, E, m);
    expr size = expr_unary(k->g, EXPR_SQRT, evec_dot(k, m, Em));
    return emat_apply(k, A, evec_scale(k, sketch_div(k, sketch_constant(k, 1), size), Em));
}

/* Ball: c = S - R n. Ring with axis a: c = S - R m/|m|, m = n - (n.a) a. */
static void touch_plane(sketch *k, const contact_variant *v, expr f, contact_sketch *out) {
    (void)f;
    evec arm = arm_of(k, v, 0), base = sketch_point(k, 1, NUMBER3(k, b_point)), down = evec_zero(k);
    bool ball = v->touching == FEATURE_BALL;
    out->n = sketch_direction(k, 1, NUMBER3(k, b_axis));
    if (v->touching == FEATURE_RING)
        down = evec_scale(k, NUMBER(k, a_radius), normalised(k, across(k, out->n, sketch_direction(k, 0, NUMBER3(k, a_axis)))));
    else if (!ball) down = down_to_ellipsoid(k, out->n);
    arm = evec_sub(k, arm, down);
    evec lowest = evec_sub(k, place_of(k, 0, arm), ball ? evec_scale(k, NUMBER(k, a_radius), out->n) : evec_zero(k));
    out->gap = sketch_sub(k, evec_dot(k, out->n, evec_sub(k, lowest, base)), NUMBER(k, b_radius));
    place_touching(k, arm, ball ? NUMBER(k, a_radius) : sketch_constant(k, 0), out);
}

/* Lines p_0 + s a_0 and p_1 + t a_1 with d = p_0 - p_1 and c = a_0 x a_1: n = side c/|c|, g = n.d - R_A - R_B, and the nearest point of
 * the first has s = -c.(d x a_1)/c.c. Neither ends: the caller that names the pair ensures that the nearest points lie in both. */
static void touch_crossing(sketch *k, const contact_variant *v, expr f, contact_sketch *out) {
    (void)f;
    evec arm = arm_of(k, v, 0), a = sketch_direction(k, 0, NUMBER3(k, a_axis));
    evec d = evec_sub(k, place_of(k, 0, arm), sketch_point(k, 1, NUMBER3(k, b_point))), b = sketch_direction(k, 1, NUMBER3(k, b_axis));
    evec c = evec_cross(k, a, b);
    expr along = sketch_div(k, evec_dot(k, c, evec_cross(k, b, d)), evec_dot(k, c, c));
    out->n = evec_scale(k, NUMBER(k, b_side), normalised(k, c));
    out->gap = sketch_sub(k, evec_dot(k, out->n, d), sketch_add(k, NUMBER(k, a_radius), NUMBER(k, b_radius)));
    place_touching(k, evec_add(k, arm, evec_scale(k, along, a)), NUMBER(k, a_radius), out);
}

/* Derivatives of n = factor d, factor = side/|d|, and of |d|, side |d|' = n.d':  n' = factor (d' - n (n.d')). */
static void tell_round(sketch *k, const contact_sketch *c, expr rim) {
    for (int i = 0; i < sketch_ways(k); i++) {
        int variable = sketch_way(k, i);
        if (variable < 0) continue;
        evec dd = sketch_by(k, c->d, variable);
        expr along = evec_dot(k, c->n, dd);
        sketch_tell(k, c->n, variable, evec_scale(k, c->factor, evec_sub(k, dd, evec_scale(k, along, c->n))));
        sketch_tell_one(k, rim, variable, along);
    }
}

/* d from the centre, the axis or the nearest point of the segment:  g = side (|d| - R_B) - R_A,  n = side d/|d|. */
static void touch_round(sketch *k, const contact_variant *v, expr f, contact_sketch *out) {
    (void)f;
    evec arm = arm_of(k, v, 0), of_surface = arm_of(k, v, 1), d = evec_sub(k, place_of(k, 0, arm), place_of(k, 1, of_surface));
    if (v->surface != FEATURE_SPHERE) {
        evec axis = sketch_direction(k, 1, NUMBER3(k, b_axis));
        expr along = evec_dot(k, d, axis), half = NUMBER(k, b_half_length);
        if (v->surface == FEATURE_SEGMENT)
            along = expr_binary(k->g, EXPR_MAX, expr_unary(k->g, EXPR_NEG, half), expr_binary(k->g, EXPR_MIN, half, along));
        d = evec_sub(k, d, evec_scale(k, along, axis));
    }
    expr distance = evec_norm(k, d), side = NUMBER(k, b_side);
    const double apart = 1e-100; /* at the centre of a hollow sphere the contact is open and its normal is zero, not NaN */
    expr somewhere = expr_binary(k->g, EXPR_LESS, sketch_constant(k, apart), distance);
    out->d = d;
    out->factor = expr_if(k->g, somewhere, sketch_div(k, side, distance), sketch_constant(k, 0));
    out->n = evec_scale(k, out->factor, d);
    expr rim = sketch_mul(k, side, sketch_sub(k, distance, NUMBER(k, b_radius)));
    out->gap = sketch_sub(k, rim, NUMBER(k, a_radius));
    tell_round(k, out, rim);
    place_touching(k, arm, NUMBER(k, a_radius), out);
    if (v->surface == FEATURE_SPHERE) out->arm[1] = of_surface, out->along[1] = sketch_mul(k, side, NUMBER(k, b_radius));
}

/* The point of a ring (centre S, axis a, radius R) that is nearest to p, from its body's centre of mass: S + R m/|m|, m = d - (d.a) a, d =
 * p - S. Not defined on the axis. */
static evec nearest_of_ring(sketch *k, int body, evec centre, evec axis, expr radius, evec p) {
    evec arm = sketch_direction(k, body, centre), m = evec_sub(k, p, place_of(k, body, arm));
    return evec_add(k, arm, evec_scale(k, radius, normalised(k, across(k, m, sketch_direction(k, body, axis)))));
}

/* A ball or point on a ring (C nearest to its centre): g = |S - C| - R_A. A ring on a sphere (C nearest to that): g = side (|C - P| -
 * R_B). */
static void touch_ring(sketch *k, const contact_variant *v, expr f, contact_sketch *out) {
    (void)f;
    const bool on_ring = v->surface == FEATURE_RING;
    expr side = on_ring ? sketch_constant(k, 1) : NUMBER(k, b_side);
    evec at = on_ring ? sketch_point(k, 0, NUMBER3(k, a_point)) : sketch_point(k, 1, NUMBER3(k, b_point));
    evec of_ring = on_ring ? nearest_of_ring(k, 1, NUMBER3(k, b_point), NUMBER3(k, b_axis), NUMBER(k, b_radius), at)
                           : nearest_of_ring(k, 0, NUMBER3(k, a_point), NUMBER3(k, a_axis), NUMBER(k, a_radius), at);
    evec C = place_of(k, on_ring ? 1 : 0, of_ring), d = on_ring ? evec_sub(k, at, C) : evec_sub(k, C, at);
    expr distance = evec_norm(k, d);
    out->n = evec_scale(k, sketch_div(k, side, distance), d);
    out->gap = sketch_mul(k, side, sketch_sub(k, distance, on_ring ? NUMBER(k, a_radius) : NUMBER(k, b_radius)));
    if (on_ring) place_touching(k, arm_of(k, v, 0), NUMBER(k, a_radius), out);
    else place_touching(k, of_ring, sketch_constant(k, 0), out);
}

/* A ball beside the side of a cone with apex P, axis a (into the cone) and half angle alpha: with d = S - P, z = d.a, m = d - z a,
 * n = cos(alpha) m/|m| - sin(alpha) a and g = n.d - R_A - R_B. */
static void touch_cone(sketch *k, const contact_variant *v, expr f, contact_sketch *out) {
    (void)f;
    evec arm = arm_of(k, v, 0), axis = sketch_direction(k, 1, NUMBER3(k, b_axis));
    evec d = evec_sub(k, place_of(k, 0, arm), sketch_point(k, 1, NUMBER3(k, b_point))), m = normalised(k, across(k, d, axis));
    expr angle = NUMBER(k, b_half_length);
    out->n = evec_sub(k, evec_scale(k, expr_unary(k->g, EXPR_COS, angle), m), evec_scale(k, expr_unary(k->g, EXPR_SIN, angle), axis));
    out->gap = sketch_sub(k, evec_dot(k, out->n, d), sketch_add(k, NUMBER(k, a_radius), NUMBER(k, b_radius)));
    place_touching(k, arm, NUMBER(k, a_radius), out);
}

int contact_local(const sketch *k) { return k->s.count; }

/* f(x, y, z) in the frame of the surface. A ball: g = distance of its centre - R, n at the nearest point.
 * A point: g = f/|grad f|, the distance to first order, exact with its rate at f = 0; n = grad f/|grad f|. For f = y - F(x) this is
 * n.(q - (x, F(x))). */
static void touch_formula(sketch *k, const contact_variant *v, expr f, contact_sketch *out) {
    const bool planar = v->frame == CONTACT_PLANAR;
    evec columns[3];
    for (int i = 0; i < 3; i++)
        columns[i] = sketch_direction(k, 1, number3(k, offsetof(contact_numbers, b_axes) + 3 * (size_t)i * sizeof(double)));
    emat axes = {{columns[0], columns[1], columns[2]}};
    evec arm = arm_of(k, v, 0);
    evec local = emat_apply_transposed(k, axes, evec_sub(k, place_of(k, 0, arm), sketch_point(k, 1, NUMBER3(k, b_point)))),
         gradient = evec_zero(k);
    int first = contact_local(k);
    if (v->rounded) {
        expr_nearest foot = expr_nearest_point(k->g, expr_surface(k->g, f, first, planar ? 2 : 3, 0, 0), local.x);
        for (int i = 0; i < (planar ? 2 : 3); i++) gradient.x[i] = foot.gradient[i];
        out->gap = sketch_sub(k, foot.distance, NUMBER(k, a_radius));
        out->n = emat_apply(k, axes, normalised(k, gradient));
        place_touching(k, arm, NUMBER(k, a_radius), out);
        return;
    }
    for (int i = 0; i < (planar ? 2 : 3); i++)
        gradient.x[i] = expr_substitute(k->g, expr_derivative(k->g, f, first + i), first, 3, local.x);
    expr slope = evec_norm(k, gradient), value = expr_substitute(k->g, f, first, 3, local.x);
    out->gap = sketch_div(k, value, slope);
    out->n = emat_apply(k, axes, evec_scale(k, sketch_div(k, sketch_constant(k, 1), slope), gradient));
    place_touching(k, arm, sketch_constant(k, 0), out);
}

/* A ball beside an ellipsoid x'E x = 1 in K around b_point (b_axes: E, the inverse of the feature's matrix): g = distance of its centre -
 * R_A. */
static void touch_ellipsoid(sketch *k, const contact_variant *v, expr f, contact_sketch *out) {
    const bool planar = v->frame == CONTACT_PLANAR;
    int first = contact_local(k), dim = planar ? 2 : 3;
    evec x = {
        {expr_variable(k->g, first), expr_variable(k->g, first + 1), planar ? sketch_constant(k, 0) : expr_variable(k->g, first + 2)}};
    emat E, A = k->body[1].A;
    for (int j = 0; j < 3; j++) E.column[j] = number3(k, offsetof(contact_numbers, b_axes) + 3 * (size_t)j * sizeof(double));
    f = sketch_sub(k, evec_dot(k, x, emat_apply(k, E, x)), sketch_constant(k, 1));
    evec arm = arm_of(k, v, 0), gradient = evec_zero(k);
    evec local = emat_apply_transposed(k, A, evec_sub(k, place_of(k, 0, arm), sketch_point(k, 1, NUMBER3(k, b_point))));
    int matrix = k->s.parameter + (int)(offsetof(contact_numbers, b_axes) / sizeof(double));
    expr_nearest foot = expr_nearest_point(k->g, expr_surface(k->g, f, first, dim, matrix, 9), local.x);
    for (int i = 0; i < dim; i++) gradient.x[i] = foot.gradient[i];
    out->n = emat_apply(k, A, normalised(k, gradient));
    out->gap = sketch_sub(k, foot.distance, NUMBER(k, a_radius));
    place_touching(k, arm, NUMBER(k, a_radius), out);
}

/* The pairs whose gap is known, (touching, touched). */
typedef void touch(sketch *, const contact_variant *, expr f, contact_sketch *out);
static touch *const touches[FEATURE_KIND_COUNT][FEATURE_KIND_COUNT] = {
    [FEATURE_BALL] = {[FEATURE_PLANE] = touch_plane,
                      [FEATURE_SPHERE] = touch_round,
                      [FEATURE_CYLINDER] = touch_round,
                      [FEATURE_SEGMENT] = touch_round,
                      [FEATURE_LINE] = touch_round,
                      [FEATURE_RING] = touch_ring,
                      [FEATURE_CONE] = touch_cone,
                      [FEATURE_ELLIPSOID] = touch_ellipsoid,
                      [FEATURE_SURFACE] = touch_formula},
    [FEATURE_RING] = {[FEATURE_PLANE] = touch_plane, [FEATURE_SPHERE] = touch_ring},
    [FEATURE_ELLIPSOID] = {[FEATURE_PLANE] = touch_plane},
    [FEATURE_LINE] = {[FEATURE_LINE] = touch_crossing},
};

bool contact_is_known(feature_kind touching, feature_kind surface) { return touches[touching][surface] != NULL; }

/* ---- tangents ---- */

/* t1 = a - (n.a)/(1 + n.p) (p + n) for a at right angles to the pole p. */
static evec turned(sketch *k, evec n) {
    evec pole = NUMBER3(k, pole), a = NUMBER3(k, reference);
    expr factor = sketch_div(k, evec_dot(k, n, a), sketch_add(k, sketch_constant(k, 1), evec_dot(k, n, pole)));
    return evec_sub(k, a, evec_scale(k, factor, evec_add(k, pole, n)));
}

static evec first_tangent(sketch *k, contact_frame frame, evec n) {
    evec reference = NUMBER3(k, reference);
    switch (frame) {
    case CONTACT_PLANAR: return (evec){{n.x[1], expr_unary(k->g, EXPR_NEG, n.x[0]), sketch_constant(k, 0)}};
    case CONTACT_FIXED: return sketch_direction(k, 1, reference);
    case CONTACT_AXIS: return sketch_direction(k, 1, NUMBER3(k, b_axis));
    case CONTACT_BETWEEN:
        return normalised(k, evec_add(k, sketch_direction(k, 0, NUMBER3(k, a_axis)), sketch_direction(k, 1, NUMBER3(k, b_axis))));
    case CONTACT_TURNED: return turned(k, n);
    case CONTACT_OF_TOUCHING: return normalised(k, across(k, sketch_direction(k, 0, reference), n));
    case CONTACT_OF_SURFACE: return normalised(k, across(k, sketch_direction(k, 1, reference), n));
    default: return normalised(k, across(k, reference, n)); /* CONTACT_OF_WORLD */
    }
}

/* How n, t1, t2 turn with a variable:  dn = a_1 t1 + a_2 t2,  dt1 = spin t2 - a_1 n,  dt2 = -spin t1 - a_2 n. */
typedef struct frame_turn {
    expr a[2], spin;
} frame_turn;

/* The smallest rotation that takes the pole to n has  spin = dn.(n x p)/(1 + n.p) = sum a_i share_i. */
static frame_turn turn_of(sketch *k, const contact_sketch *c, int variable) {
    evec dn = c->factor == EXPR_NONE ? sketch_by(k, c->n, variable) : evec_scale(k, c->factor, sketch_by(k, c->d, variable));
    frame_turn turn = {.a = {evec_dot(k, c->t1, dn), evec_dot(k, c->t2, dn)}}; /* what dn has along n does not matter here */
    turn.spin = sketch_add(k, sketch_mul(k, turn.a[0], c->share[0]), sketch_mul(k, turn.a[1], c->share[1]));
    return turn;
}

static void tell_turned(sketch *k, contact_sketch *c) {
    evec pole = NUMBER3(k, pole), lever = evec_cross(k, c->n, pole);
    expr one = sketch_constant(k, 1), by = sketch_div(k, one, sketch_add(k, one, evec_dot(k, c->n, pole)));
    c->share[0] = sketch_mul(k, by, evec_dot(k, c->t1, lever));
    c->share[1] = sketch_mul(k, by, evec_dot(k, c->t2, lever));
    for (int i = 0; i < sketch_ways(k); i++) {
        int variable = sketch_way(k, i);
        if (variable < 0) continue;
        frame_turn turn = turn_of(k, c, variable);
        sketch_tell(k, c->t1, variable, evec_sub(k, evec_scale(k, turn.spin, c->t2), evec_scale(k, turn.a[0], c->n)));
        evec back = evec_add(k, evec_scale(k, turn.spin, c->t1), evec_scale(k, turn.a[1], c->n));
        sketch_tell(k, c->t2, variable, evec_scale(k, sketch_constant(k, -1), back));
    }
}

contact_sketch contact_express_geometry(sketch *k, const contact_variant *v, expr f) {
    contact_sketch out = {.factor = EXPR_NONE};
    sketch_is_geometric(k);
    touches[v->touching][v->surface](k, v, f, &out);
    for (int i = 0; i < 2; i++) out.c[i] = place_of(k, i, evec_add(k, out.arm[i], evec_scale(k, out.along[i], out.n)));
    out.t1 = first_tangent(k, v->frame, out.n);
    out.t2 = v->frame == CONTACT_PLANAR ? evec_scale(k, sketch_constant(k, -1), evec_unit(k, 2)) : evec_cross(k, out.n, out.t1);
    if (v->frame == CONTACT_TURNED) tell_turned(k, &out);
    return out;
}

/* ---- rows ---- */

/* t_i.(v_A - v_B) of the material points, with omega.(c x t_i) = t_i.(omega x c), c = arm + along n, n x t1 = t2, n x t2 = -t1:
 *
 *     gamma_1 = t1.v + t2.s + omega_A.(arm_A x t1) - omega_B.(arm_B x t1)     s = along_A omega_A - along_B omega_B
 *     gamma_2 = t2.v - t1.s + omega_A.(arm_A x t2) - omega_B.(arm_B x t2)     v = v_A - v_B of the centres of mass, with belts
 *
 * Where the frame turns by a_i and spin, and beta_i are the first two terms of gamma_i,
 *
 *     dbeta_1 =  spin beta_2 - a_1 n.v - a_2 n.s + t1.dv + t2.ds
 *     dbeta_2 = -spin beta_1 - a_2 n.v + a_1 n.s + t2.dv - t1.ds                                                          */
static void express_sliding(sketch *k, const contact_variant *v, const contact_sketch *c, evec apart, expr *row) {
    const sketch_body *A = &k->body[0], *B = &k->body[1];
    const evec t[2] = {c->t1, c->t2};
    evec s = evec_sub(k, evec_scale(k, c->along[0], A->omega), evec_scale(k, c->along[1], B->omega));
    expr beta[2] = {sketch_add(k, evec_dot(k, t[0], apart), evec_dot(k, t[1], s)),
                    sketch_sub(k, evec_dot(k, t[1], apart), evec_dot(k, t[0], s))};
    expr n_v = evec_dot(k, c->n, apart), n_s = evec_dot(k, c->n, s);
    for (int i = 0; i < sketch_ways(k) && v->frame == CONTACT_TURNED; i++) {
        int variable = sketch_way(k, i);
        if (variable < 0) continue;
        frame_turn turn = turn_of(k, c, variable);
        evec dv = sketch_by(k, apart, variable), ds = sketch_by(k, s, variable);
        expr moved[2] = {sketch_add(k, evec_dot(k, t[0], dv), evec_dot(k, t[1], ds)),
                         sketch_sub(k, evec_dot(k, t[1], dv), evec_dot(k, t[0], ds))};
        expr first = sketch_add(k, sketch_mul(k, turn.a[0], n_v), sketch_mul(k, turn.a[1], n_s));
        expr second = sketch_sub(k, sketch_mul(k, turn.a[1], n_v), sketch_mul(k, turn.a[0], n_s));
        sketch_tell_one(k, beta[0], variable, sketch_add(k, sketch_sub(k, sketch_mul(k, turn.spin, beta[1]), first), moved[0]));
        sketch_tell_one(k, beta[1], variable, sketch_sub(k, moved[1], sketch_add(k, sketch_mul(k, turn.spin, beta[0]), second)));
    }
    for (int i = 0; i < v->n_sliding && i < 2; i++) {
        expr arms =
            sketch_sub(k, evec_dot(k, A->omega, evec_cross(k, c->arm[0], t[i])), evec_dot(k, B->omega, evec_cross(k, c->arm[1], t[i])));
        row[i] = sketch_add(k, beta[i], arms);
    }
}

static void express_stribeck(sketch *k, const contact_variant *v, const expr *slip) {
    expr normal = v->given_force ? NUMBER(k, normal_force) : expr_variable(k->g, k->s.lambda + k->s.size.ng + k->s.size.ny);
    formula_stribeck(&k->s, v->n_sliding, slip, sketch_mul(k, NUMBER(k, stribeck_size), normal), NUMBER(k, stribeck_rate), v->given_force);
}

void contact_express(sketch *k, const contact_variant *v, expr f) {
    contact_sketch c = contact_express_geometry(k, v, f);
    evec spin = evec_sub(k, sketch_omega(k, 0), sketch_omega(k, 1));
    evec apart = evec_sub(k, k->body[0].v, k->body[1].v);
    if (v->belt) {
        apart = evec_sub(k, apart, sketch_direction(k, 1, NUMBER3(k, b_velocity)));
        apart = evec_add(k, apart, sketch_direction(k, 0, NUMBER3(k, a_velocity)));
    }
    expr row[CONTACT_MOST_ROWS];
    int n = 0;
    express_sliding(k, v, &c, apart, row);
    n = v->n_sliding;
    if (n > 2) row[2] = evec_dot(k, c.n, spin);
    if (v->stribeck) express_stribeck(k, v, row);
    if (v->n_rolling == 1) row[n++] = spin.x[2];
    if (v->n_rolling == 2) row[n++] = evec_dot(k, c.t1, spin), row[n++] = evec_dot(k, c.t2, spin);
    if (v->pivoting) row[n++] = evec_dot(k, c.n, spin);
    for (int i = 0; i < n; i++) row[i] = sketch_mul(k, number(k, offsetof(contact_numbers, scale) + (size_t)i * sizeof(double)), row[i]);
    if (!v->given_force) {
        sketch_contact(k, c.gap, n, row);
        return;
    }
    for (int i = 0; i < n; i++) sketch_slip(k, row[i]);
}
