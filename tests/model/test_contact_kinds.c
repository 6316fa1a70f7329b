/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of contact at random states: derivatives against differences, normals, tangents and material velocities. */
#include "contact_fixture.h"

static const contact_variant planar_kinds[] = {
    {.touching = FEATURE_BALL, .surface = FEATURE_PLANE, .n_sliding = 1, .n_rolling = 1},
    {.touching = FEATURE_BALL, .surface = FEATURE_PLANE, .n_sliding = 1, .stribeck = true},
    {.touching = FEATURE_BALL, .surface = FEATURE_PLANE, .n_sliding = 1, .stribeck = true, .given_force = true},
    {.touching = FEATURE_BALL, .surface = FEATURE_SPHERE, .n_sliding = 1},
    {.touching = FEATURE_BALL, .surface = FEATURE_SEGMENT, .n_sliding = 1},
    {.touching = FEATURE_ELLIPSOID, .surface = FEATURE_PLANE, .n_sliding = 1},
    {.touching = FEATURE_BALL, .surface = FEATURE_SURFACE, .n_sliding = 1},
    {.touching = FEATURE_BALL, .surface = FEATURE_SURFACE, .n_sliding = 1, .rounded = true},
    {.touching = FEATURE_BALL, .surface = FEATURE_ELLIPSOID, .n_sliding = 1},
};
static const contact_variant spatial_kinds[] = {
    {.touching = FEATURE_BALL, .surface = FEATURE_PLANE, .frame = CONTACT_FIXED, .n_sliding = 2, .n_rolling = 2, .pivoting = true},
    {.touching = FEATURE_BALL, .surface = FEATURE_PLANE, .frame = CONTACT_OF_TOUCHING, .n_sliding = 2},
    {.touching = FEATURE_BALL, .surface = FEATURE_PLANE, .frame = CONTACT_FIXED, .n_sliding = 2, .stribeck = true},
    {.touching = FEATURE_ELLIPSOID, .surface = FEATURE_PLANE, .frame = CONTACT_FIXED, .n_sliding = 2},
    {.touching = FEATURE_RING, .surface = FEATURE_PLANE, .frame = CONTACT_FIXED, .n_sliding = 3},
    {.touching = FEATURE_BALL, .surface = FEATURE_SPHERE, .frame = CONTACT_TURNED, .n_sliding = 2},
    {.touching = FEATURE_BALL, .surface = FEATURE_SPHERE, .frame = CONTACT_OF_WORLD, .n_sliding = 2},
    {.touching = FEATURE_BALL, .surface = FEATURE_CYLINDER, .frame = CONTACT_AXIS, .n_sliding = 2},
    {.touching = FEATURE_BALL, .surface = FEATURE_SEGMENT, .frame = CONTACT_TURNED, .n_sliding = 2},
    {.touching = FEATURE_BALL, .surface = FEATURE_LINE, .frame = CONTACT_AXIS, .n_sliding = 2},
    {.touching = FEATURE_LINE, .surface = FEATURE_LINE, .frame = CONTACT_BETWEEN, .n_sliding = 2, .pivoting = true},
    {.touching = FEATURE_BALL, .surface = FEATURE_RING, .frame = CONTACT_TURNED, .n_sliding = 2},
    {.touching = FEATURE_RING, .surface = FEATURE_SPHERE, .frame = CONTACT_TURNED, .n_sliding = 2},
    {.touching = FEATURE_BALL, .surface = FEATURE_CONE, .frame = CONTACT_TURNED, .n_sliding = 2},
    {.touching = FEATURE_BALL, .surface = FEATURE_ELLIPSOID, .frame = CONTACT_TURNED, .n_sliding = 2, .belt = true},
    {.touching = FEATURE_BALL, .surface = FEATURE_SURFACE, .frame = CONTACT_OF_SURFACE, .n_sliding = 2},
    {.touching = FEATURE_BALL, .surface = FEATURE_SURFACE, .frame = CONTACT_OF_SURFACE, .n_sliding = 2, .rounded = true, .belt = true},
};
static const body_kind planar_bodies[][2] = {
    {BODY_PLANAR, BODY_WORLD}, {BODY_PLANAR, BODY_PLANAR}, {BODY_PARTICLE_2D, BODY_PLANAR}, {BODY_WORLD, BODY_PLANAR}};
static const body_kind spatial_bodies[][2] = {
    {BODY_SPATIAL, BODY_WORLD}, {BODY_SPATIAL, BODY_SPATIAL}, {BODY_PARTICLE_3D, BODY_SPATIAL}, {BODY_PARTICLE_3D, BODY_PARTICLE_3D}};

enum { N_PLANAR = sizeof planar_kinds / sizeof *planar_kinds, N_SPATIAL = sizeof spatial_kinds / sizeof *spatial_kinds, N_BODIES = 4 };

static void for_all_kinds(void (*check)(zn_context *, contact_case *)) {
    srand(3);
    for (int i = 0; i < (N_PLANAR + N_SPATIAL) * N_BODIES; i++) {
        int kind = i / N_BODIES, bodies = i % N_BODIES;
        bool planar = kind < N_PLANAR;
        contact_case c = {.variant = planar ? planar_kinds[kind] : spatial_kinds[kind - N_PLANAR]};
        memcpy(c.body, planar ? planar_bodies[bodies] : spatial_bodies[bodies], sizeof c.body);
        zn_context *context = zn_context_create(NULL);
        check(context, &c);
        zn_context_destroy(context);
    }
}

/* ---- derivatives ---- */

static zn_contact as_contact(const contact_case *c, zn_ball *balls) {
    zn_sizes rows = contact_rows(c->variant);
    for (int i = 0; i < rows.nF; i++) balls[i] = (zn_ball){1, 0.3};
    return (zn_contact){.name = "touch",
                        .row_N = c->variant.given_force ? -1 : 0,
                        .row_F = rows.nN,
                        .nF = rows.nF,
                        .n_balls = rows.nF,
                        .balls = balls,
                        .scale = c->numbers.scale,
                        .normal_force = c->numbers.normal_force};
}

static void check_derivatives(zn_context *context, contact_case *c) {
    sketch k;
    zn_ball balls[CONTACT_MOST_BALLS];
    zn_model *kind = NULL, *part = NULL;
    assert_int_equal(begin(context, c, &k), ZN_OK);
    formula_system layout = k.s; /* numbers of variables only */
    contact_express(&k, &c->variant, c->variant.surface == FEATURE_SURFACE ? ellipse(&k, case_is_planar(c)) : EXPR_NONE);
    assert_int_equal(sketch_compile(&k, &kind), ZN_OK);
    for (int i = 0; i < 5; i++) {
        random_numbers(c);
        random_state(c, &layout);
        zn_contact contact = as_contact(c, balls);
        assert_int_equal(formula_model_instance(context, kind, (const double *)&c->numbers, NULL, 1, &contact, NULL, &part), ZN_OK);
        const double *v = c->variables;
        zn_point at = {v[0], v + layout.q, v + layout.u, v + layout.a, v + layout.lambda};
        zn_derivative_check result;
        assert_int_equal(zn_model_check_derivatives(context, part, &at, &result), ZN_OK);
        if (!(result.worst < 1e-7)) /* differences are poor where a random frame is nearly singular */
            fail_msg("surface %d, frame %d, bodies %d %d: %s is wrong by %g", (int)c->variant.surface, (int)c->variant.frame,
                     (int)c->body[0], (int)c->body[1], result.what, result.worst);
        zn_model_destroy(context, part);
    }
    zn_model_destroy(context, kind);
}

static void derivatives_of_all_kinds(void **state) {
    (void)state;
    for_all_kinds(check_derivatives);
}

/* ---- geometry ---- */

static vec3 material_velocity(sketch *k, int body, vec3 c, const double *variables) {
    const sketch_body *b = &k->body[body];
    vec3 r = value3(k, b->r, variables), v = value3(k, b->v, variables), omega = value3(k, b->omega, variables);
    return vec3_add(v, vec3_cross(omega, vec3_sub(c, r)));
}

/* Moves body 0 (or 1 when that is the world) along the normal until the contact is closed: Newton with n = d gap/dr. */
static bool close_gap(sketch *k, contact_case *c, const contact_sketch *s) {
    for (int i = 0; i < 60; i++) {
        double gap = expr_value(k->g, s->gap, c->variables);
        if (fabs(gap) < 1e-14) return true;
        vec3 n = value3(k, s->n, c->variables);
        int body = body_nq(c->body[0]) ? 0 : 1, q = k->s.q + k->body[body].q;
        double step = body ? gap : -gap, move[3] = {step * n.x, step * n.y, step * n.z};
        for (int j = 0; j < (case_is_planar(c) ? 2 : 3); j++) c->variables[q + j] += move[j];
    }
    return false;
}

/* At a closed contact:  gdot_N = n.(v_A - v_B),  c_A = c_B; always: n, t1, t2 orthonormal, right-handed. */
static void check_geometry(zn_context *context, contact_case *c) {
    sketch k;
    assert_int_equal(begin(context, c, &k), ZN_OK);
    bool planar = case_is_planar(c);
    contact_sketch s = contact_express_geometry(&k, &c->variant, c->variant.surface == FEATURE_SURFACE ? ellipse(&k, planar) : EXPR_NONE);
    expr rate = sketch_rate(&k, s.gap);
    int closed = 0;
    for (int i = 0; i < 10; i++) {
        random_numbers(c);
        random_state(c, &k.s);
        const double *v = c->variables;
        vec3 n = value3(&k, s.n, v), t1 = value3(&k, s.t1, v), t2 = value3(&k, s.t2, v);
        check_close(vec3_dot(n, n), 1, 1e-12);
        check_close(vec3_dot(t1, t1), 1, 1e-12);
        check_close(vec3_dot(n, t1), 0, 1e-12);
        check_close(vec3_dot(vec3_cross(n, t1), t2), 1, 1e-12);
        if (planar) check_close(t1.x * n.y - t1.y * n.x, 1, 1e-12); /* t = (n_y, -n_x) */
        if (!close_gap(&k, c, &s)) continue;
        closed++;
        n = value3(&k, s.n, v);
        vec3 c_A = value3(&k, s.c[0], v), c_B = value3(&k, s.c[1], v);
        check_close(vec3_dot(vec3_sub(c_A, c_B), vec3_sub(c_A, c_B)), 0, 1e-20);
        vec3 slip = vec3_sub(material_velocity(&k, 0, c_A, v), material_velocity(&k, 1, c_B, v));
        check_close(expr_value(k.g, rate, v), vec3_dot(n, slip), 1e-10);
    }
    assert_true(closed >= 5);
    sketch_free(&k);
}

static void closed_contacts_move_with_their_material_points(void **state) {
    (void)state;
    for_all_kinds(check_geometry);
}

/* ---- distances by brute force ---- */

/* A feature as points of up to two parameters (angles, lengths), in K of its body. */
static vec3 point_of_feature(feature_kind kind, const double *point, const double *axis, double radius, const contact_numbers *n,
                             const double *s) {
    vec3 P = vec3_from(point), a = vec3_from(axis), t1, t2;
    vec3_tangents(a, &t1, &t2);
    switch (kind) {
    case FEATURE_LINE: return vec3_add_scaled(P, s[0], a);
    case FEATURE_RING: return vec3_add_scaled(vec3_add_scaled(P, radius * cos(s[0]), t1), radius * sin(s[0]), t2);
    case FEATURE_CONE: { /* on the side: s[1] from the apex */
        double along = fabs(s[1]) * cos(n->b_half_length), out = fabs(s[1]) * sin(n->b_half_length);
        return vec3_add_scaled(vec3_add_scaled(vec3_add_scaled(P, along, a), out * cos(s[0]), t1), out * sin(s[0]), t2);
    }
    case FEATURE_ELLIPSOID: { /* a direction d, scaled onto x'E x = 1 */
        vec3 d = {cos(s[0]) * cos(s[1]), sin(s[0]) * cos(s[1]), sin(s[1])};
        const double *E = n->b_axes;
        vec3 Ed = {E[0] * d.x + E[3] * d.y + E[6] * d.z, E[1] * d.x + E[4] * d.y + E[7] * d.z, E[2] * d.x + E[5] * d.y + E[8] * d.z};
        return vec3_add_scaled(P, 1 / sqrt(vec3_dot(d, Ed)), d);
    }
    default: return P;
    }
}

typedef struct brute {
    const contact_case *c;
    vec3 r[2];
    mat3 A[2];
} brute;

static double distance_at(const brute *b, const double *s) {
    const contact_numbers *n = &b->c->numbers;
    vec3 x = point_of_feature(b->c->variant.touching, n->a_point, n->a_axis, n->a_radius, n, s),
         y = point_of_feature(b->c->variant.surface, n->b_point, n->b_axis, n->b_radius, n, s + 2);
    x = vec3_add(b->r[0], mat3_apply(&b->A[0], x));
    y = vec3_add(b->r[1], mat3_apply(&b->A[1], y));
    return vec3_norm(vec3_sub(x, y));
}

/* The smallest distance: from many starts, steps along each parameter that shrink when none helps. */
static double least_distance(const brute *b) {
    double best = INFINITY;
    for (int start = 0; start < 60; start++) {
        double s[4], step = 0.5, now;
        for (int i = 0; i < 4; i++) s[i] = 3 * noise();
        now = distance_at(b, s);
        while (step > 1e-10) {
            bool better = false;
            for (int i = 0; i < 8; i++) {
                double keep = s[i / 2];
                s[i / 2] += i % 2 ? step : -step;
                double next = distance_at(b, s);
                if (next < now) now = next, better = true;
                else s[i / 2] = keep;
            }
            if (!better) step /= 2;
        }
        if (now < best) best = now;
    }
    return best;
}

/* What a feature is more than its points: balls, lines and cones have a radius around them. */
static double thickness(feature_kind kind, double radius) { return kind == FEATURE_RING || kind == FEATURE_ELLIPSOID ? 0 : radius; }

static void gaps_are_distances(void **state) {
    (void)state;
    static const feature_kind pairs[][2] = {{FEATURE_BALL, FEATURE_SPHERE},   {FEATURE_BALL, FEATURE_LINE},   {FEATURE_LINE, FEATURE_LINE},
                                            {FEATURE_BALL, FEATURE_RING},     {FEATURE_RING, FEATURE_SPHERE}, {FEATURE_BALL, FEATURE_CONE},
                                            {FEATURE_BALL, FEATURE_ELLIPSOID}};
    srand(12);
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        zn_context *context = zn_context_create(NULL);
        contact_case c = {.variant = {.touching = pairs[p][0], .surface = pairs[p][1], .frame = CONTACT_OF_WORLD, .n_sliding = 2},
                          .body = {BODY_SPATIAL, BODY_SPATIAL}};
        sketch k;
        assert_int_equal(begin(context, &c, &k), ZN_OK);
        contact_sketch s = contact_express_geometry(&k, &c.variant, EXPR_NONE);
        for (int run = 0, compared = 0; compared < 4 && run < 60; run++) {
            random_numbers(&c);
            c.numbers.b_side = 1;
            random_state(&c, &k.s);
            brute b = {.c = &c};
            for (int i = 0; i < 2; i++) {
                b.r[i] = value3(&k, k.body[i].r, c.variables);
                for (int j = 0; j < 3; j++) {
                    vec3 column = value3(&k, k.body[i].A.column[j], c.variables);
                    b.A[i].m[0][j] = column.x, b.A[i].m[1][j] = column.y, b.A[i].m[2][j] = column.z;
                }
            }
            double gap = expr_value(k.g, s.gap, c.variables);
            if (pairs[p][0] == FEATURE_LINE && gap < 0 && gap > -1e9) { /* the side on which the lines are is given */
                c.numbers.b_side = -1;
                memcpy(c.variables + k.s.parameter, &c.numbers, sizeof c.numbers);
                gap = expr_value(k.g, s.gap, c.variables);
            }
            double apart = gap + thickness(pairs[p][0], c.numbers.a_radius) + thickness(pairs[p][1], c.numbers.b_radius);
            if (!(apart > 0.05)) continue; /* inside, where the distance has no sign */
            vec3 d = value3(&k, s.c[1], c.variables), n = value3(&k, s.n, c.variables);
            if (pairs[p][1] == FEATURE_CONE) { /* beside the apex the cone is not what is nearest */
                vec3 base = vec3_add(b.r[1], mat3_apply(&b.A[1], vec3_from(c.numbers.b_point))),
                     a = mat3_apply(&b.A[1], vec3_from(c.numbers.b_axis));
                if (vec3_dot(vec3_sub(d, base), a) < 0) continue;
            }
            check_close(least_distance(&b), apart, 1e-8);
            check_close(vec3_norm(n), 1, 1e-12);
            compared++;
            if (compared == 4) print_message("features %d and %d agree\n", (int)pairs[p][0], (int)pairs[p][1]);
            assert_true(run < 59 || compared >= 2);
        }
        sketch_free(&k);
        zn_context_destroy(context);
    }
}

/* ---- tangent frames ---- */

/* Along a motion of the normal the turned frame turns with a bounded rate: |t1'| <= |n'| tan(angle/2)-ish away from -pole. */
static void turned_frames_do_not_flip(void **state) {
    (void)state;
    srand(8);
    for (int run = 0; run < 200; run++) {
        vec3 start = random_direction(), v = noise3();
        double n0[3], v0[3], pole[3], reference[3];
        vec3_store(start, n0), vec3_store(run % 3 ? v : (vec3){0, 0, 0}, v0);
        contact_choose_pole(n0, v0, pole, reference);
        vec3 p = vec3_from(pole), a = vec3_from(reference);
        check_close(vec3_dot(p, start), sqrt(0.5), 1e-12);
        check_close(vec3_dot(p, a), 0, 1e-12);
        /* the great circle in the plane of n0 and v, all around: never nearer than half a right angle to -pole */
        vec3 side = vec3_add_scaled(v, -vec3_dot(v, start), start), before = {0, 0, 0};
        side = vec3_scale(1 / sqrt(vec3_dot(side, side)), side);
        if (run % 3 == 0) continue;
        for (int i = 0; i <= 1000; i++) {
            double angle = 2 * acos(-1.0) * i / 1000;
            vec3 n = vec3_add_scaled(vec3_scale(cos(angle), start), sin(angle), side);
            double away = 1 + vec3_dot(n, p);
            check_below(1 - sqrt(0.5) - 1e-9, away);
            vec3 t1 = vec3_add_scaled(a, -vec3_dot(n, a) / away, vec3_add(p, n)), change = vec3_sub(t1, before);
            if (i) check_below(sqrt(vec3_dot(change, change)), 4 * 2 * acos(-1.0) / 1000);
            before = t1;
        }
    }
}

static void tangents_of_planes_are_the_axes(void **state) {
    (void)state;
    double t[3];
    contact_tangent_of_plane((double[]){0, 0, 1}, t);
    check_close(t[0], 1, 0);
    contact_tangent_of_plane((double[]){0, 1, 0}, t);
    check_close(t[0], 1, 0);
    contact_tangent_of_plane((double[]){1, 0, 0}, t);
    check_close(t[1], 1, 0);
}

static void variants_survive_packing(void **state) {
    (void)state;
    for (int i = 0; i < N_PLANAR + N_SPATIAL; i++) {
        contact_variant v = i < N_PLANAR ? planar_kinds[i] : spatial_kinds[i - N_PLANAR], w = contact_unpack(contact_pack(v));
        assert_int_equal(contact_pack(w), contact_pack(v));
        assert_true(w.touching == v.touching && w.surface == v.surface && w.frame == v.frame && w.n_sliding == v.n_sliding &&
                    w.n_rolling == v.n_rolling && w.pivoting == v.pivoting && w.stribeck == v.stribeck && w.given_force == v.given_force);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_of_all_kinds),
                                       cmocka_unit_test(gaps_are_distances),
                                       cmocka_unit_test(closed_contacts_move_with_their_material_points),
                                       cmocka_unit_test(turned_frames_do_not_flip),
                                       cmocka_unit_test(tangents_of_planes_are_the_axes),
                                       cmocka_unit_test(variants_survive_packing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
