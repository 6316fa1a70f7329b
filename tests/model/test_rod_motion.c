/* SPDX-License-Identifier: Apache-2.0 */
/* Rods in motion: what free rods keep, clamps, loads and sections through the builder, and definitions that are refused. */
#include "base/counting_allocator.h"
#include "model/rod_fixture.h"
#include "trial.h"

/* ---- free flight ---- */

/* A soft, curved and twisted rod that is thrown: it bends and twists while it flies. */
static zn_flexible_def thrown(int elements, int order) {
    zn_flexible_def def = rod_def(elements, order);
    def.to[0] = 0;
    def.curve[0] = ZN_FORMULA("sin(2*s)/2"), def.curve[1] = ZN_FORMULA("(1 - cos(2*s))/2"), def.curve[2] = ZN_FORMULA("0.4*s");
    def.twist = 0.5;
    def.EI[0] = 0.04, def.EI[1] = 0.08, def.GJ = 0.06, def.EA = 20, def.GA[0] = 8, def.GA[1] = 7;
    def.velocity[0] = 0.3, def.velocity[1] = -0.2, def.velocity[2] = 0.1;
    def.angular_velocity[0] = 1, def.angular_velocity[1] = -2, def.angular_velocity[2] = 1.5;
    return def;
}

typedef struct kept {
    vec3 momentum, angular;
    double energy, potential;
} kept;

/* sum p_i and sum r_i x p_i + A_i s_i with (p, s) = M u */
static kept measure(const zn_model *m, const double *q, const double *u) {
    int nu = m->size.nu;
    double *M = statics_numbers(lin_nnz(&m->pattern.M)), *p = statics_numbers(nu), kinetic, potential;
    void *work = calloc(1, m->work_bytes);
    zn_point at = {0, q, u, NULL, NULL};
    kept k = {{0, 0, 0}, {0, 0, 0}, 0, 0};
    assert_int_equal(m->balance(m, work, &at, &(zn_balance){.M = M}), 0);
    assert_int_equal(m->energy(m, work, &at, &kinetic, &potential), 0);
    lin_multiply(&m->pattern.M, M, 1, u, p);
    for (int i = 0; i < nu / 6; i++) {
        mat3 A = quat_matrix(rod_rotation(q, i));
        vec3 linear = vec3_from(p + 6 * i), spin = vec3_from(p + 6 * i + 3);
        k.momentum = vec3_add(k.momentum, linear);
        k.angular = vec3_add(k.angular, vec3_add(vec3_cross(rod_position(q, i), linear), mat3_apply(&A, spin)));
    }
    k.energy = kinetic + potential, k.potential = potential;
    free(M), free(p), free(work);
    return k;
}

typedef struct drift {
    double momentum, angular, energy, potential; /* largest changes; the largest potential energy */
} drift;

static drift fly(const zn_flexible_def *def, const char *scheme, int stages, double step, double end) {
    rod_model r = rod_begin(def);
    zn_settings settings = zn_settings_default();
    settings.scheme = scheme, settings.stages = stages, settings.step = step, settings.end = end, settings.tolerance = 1e-11;
    zn_simulation *simulation = NULL;
    if (zn_simulation_create(r.context, r.model, &settings, &simulation) != ZN_OK) fail_msg("%s", zn_error_text(r.context));
    kept start = measure(r.model, r.model->q_start, r.model->u_start);
    drift d = {0, 0, 0, 0};
    while (!zn_simulation_done(simulation)) {
        if (zn_simulation_step(simulation) != ZN_OK) fail_msg("%s", zn_error_text(r.context));
        kept now = measure(r.model, zn_simulation_positions(simulation), zn_simulation_velocities(simulation));
        d.momentum = fmax(d.momentum, vec3_norm(vec3_sub(now.momentum, start.momentum)));
        d.angular = fmax(d.angular, vec3_norm(vec3_sub(now.angular, start.angular)));
        d.energy = fmax(d.energy, fabs(now.energy - start.energy));
        d.potential = fmax(d.potential, now.potential);
    }
    zn_simulation_destroy(simulation);
    rod_end(&r);
    return d;
}

/* The momentum stays to round-off; angular momentum and energy change with the order of the scheme, as the rod itself keeps them. */
static void flying_rods_keep_momentum_and_energy(void **state) {
    (void)state;
    static const struct {
        const char *scheme;
        int stages, power;
        double step;
    } rows[] = {{"radau-2a", 2, 3, 0.004}, {"radau-2a", 3, 5, 0.01}, {"rattle", 2, 2, 0.002}};
    for (int order = 1; order <= 2; order++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            zn_flexible_def def = thrown(order == 1 ? 6 : 3, order);
            drift coarse = fly(&def, rows[i].scheme, rows[i].stages, rows[i].step, 0.4),
                  fine = fly(&def, rows[i].scheme, rows[i].stages, rows[i].step / 2, 0.4);
            assert_true(fine.potential > 0.01); /* it does bend */
            check_below(fine.momentum, 1e-12);
            check_below(fine.energy, coarse.energy * pow(0.5, rows[i].power - 0.5));
            check_below(fine.angular, coarse.angular * pow(0.5, rows[i].power - 0.5));
            check_below(fine.energy, 1e-4);
        }
}

/* ---- through the builder ---- */

static zn_frame frame_at(zn_parts *parts, zn_flexible rod, double s) {
    zn_frame frame;
    if (zn_parts_section(parts, rod, s, NULL, NULL, NULL, &frame) != ZN_OK) fail_msg("no section at %g", s);
    return frame;
}

static zn_frame world_frame(zn_parts *parts, const double position[3], const double rotation[4]) {
    zn_frame frame;
    assert_int_equal(zn_parts_frame(parts, zn_parts_world(parts), NULL, position, rotation, &frame), ZN_OK);
    return frame;
}

/* A damped rod, clamped by a joint, with a moment that follows its end, comes to rest where the statics of the same elements is. */
static void clamps_and_following_moments_hold_rods(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++) {
        zn_flexible_def def = rod_def(order == 1 ? 6 : 3, order);
        def.damping = 0.2;
        zn_context *context = zn_context_create(NULL);
        zn_parts *parts = zn_parts_create(context);
        zn_flexible rod;
        assert_int_equal(zn_parts_flexible(parts, &def, &rod), ZN_OK);
        zn_joint_def clamp = zn_default_joint_def();
        clamp.name = "clamp", clamp.type = ZN_JOINT_FIXED;
        clamp.a = world_frame(parts, NULL, NULL), clamp.b = frame_at(parts, rod, 0);
        assert_int_equal(zn_parts_joint(parts, &clamp), ZN_OK);
        zn_force_def moment = zn_default_force_def();
        moment.name = "moment", moment.type = ZN_FORCE_BODY, moment.a = frame_at(parts, rod, 1), moment.in_frame = true;
        moment.torque[0] = ZN_FORMULA("0.5"), moment.torque[2] = ZN_FORMULA("2");
        assert_int_equal(zn_parts_force(parts, &moment), ZN_OK);
        zn_model *model = NULL;
        if (zn_parts_build(parts, &model) != ZN_OK) fail_msg("%s", zn_error_text(context));
        zn_settings settings = zn_settings_default();
        settings.scheme = "radau-2a", settings.stages = 2, settings.step = 0.1, settings.end = 20;
        zn_simulation *simulation = NULL;
        assert_int_equal(zn_simulation_create(context, model, &settings, &simulation), ZN_OK);
        while (!zn_simulation_done(simulation))
            if (zn_simulation_step(simulation) != ZN_OK) fail_msg("%s", zn_error_text(context));
        const double *q = zn_simulation_positions(simulation);

        def.damping = 0;
        rod_model r = rod_begin(&def);
        statics s = rod_clamped(&r);
        double *load = statics_numbers(s.n);
        load[s.n - 3] = 0.5, load[s.n - 1] = 2;
        statics_load(&s, load, 6, 1e-12);
        for (int i = 0; i < r.model->size.nq; i++) check_close(q[i], s.q[i], 1e-8);
        free(load);
        statics_end(&s);
        rod_end(&r);
        zn_simulation_destroy(simulation);
        zn_model_destroy(context, model);
        zn_parts_destroy(parts);
        zn_context_destroy(context);
    }
}

/* Where the first element is at xi, by the nodes at the start. */
static vec3 point_at(const zn_flexible_def *def, double xi) {
    rod_model r = rod_begin(def);
    const double N[2][3] = {{(1 - xi) / 2, (1 + xi) / 2, 0}, {xi * (xi - 1) / 2, 1 - xi * xi, xi * (xi + 1) / 2}};
    vec3 sum = {0, 0, 0};
    for (int i = 0; i <= def->order; i++) sum = vec3_add_scaled(sum, N[def->order - 1][i], rod_position(r.model->q_start, i));
    rod_end(&r);
    return sum;
}

/* A section between nodes with a joint to a body, a contact sphere and a force: all derivatives. And the section is where the shape
 * functions say: a joint that was made at the start is closed after a rigid motion of everything. */
static void sections_follow_their_nodes(void **state) {
    (void)state;
    uint64_t seed = 41;
    for (int order = 1; order <= 2; order++) {
        zn_flexible_def def = thrown(2, order);
        zn_context *context = zn_context_create(NULL);
        zn_parts *parts = zn_parts_create(context);
        zn_flexible rod;
        assert_int_equal(zn_parts_flexible(parts, &def, &rod), ZN_OK);
        zn_body_def body = random_body(&seed, "weight", ZN_BODY_SPATIAL);
        zn_body weight;
        assert_int_equal(zn_parts_body(parts, &body, &weight), ZN_OK);
        zn_joint_def joint = zn_default_joint_def();
        zn_frame section = frame_at(parts, rod, 0.3), at_weight;
        double place[3];
        vec3_store(point_at(&def, 0.2), place);
        assert_int_equal(zn_parts_frame_at(parts, weight, "hook", place, NULL, &at_weight), ZN_OK);
        joint.name = "hook", joint.type = ZN_JOINT_SPHERICAL, joint.a = section, joint.b = at_weight;
        assert_int_equal(zn_parts_joint(parts, &joint), ZN_OK);
        zn_force_def force = zn_default_force_def();
        force.name = "push", force.type = ZN_FORCE_BODY, force.a = section, force.in_frame = true;
        force.force[1] = ZN_FORMULA("3"), force.torque[0] = ZN_FORMULA("2");
        assert_int_equal(zn_parts_force(parts, &force), ZN_OK);
        zn_model *model = NULL;
        if (zn_parts_build(parts, &model) != ZN_OK) fail_msg("%s", zn_error_text(context));
        const char *what = "";
        double worst = 0, lambda[3] = {0.3, -0.5, 0.7};
        int nq = model->size.nq, nu = model->size.nu, n = nq / 7;
        double *q = statics_numbers(nq), *u = statics_numbers(nu), *a = statics_numbers(nu), c0[3];
        for (int visit = 0; visit < 3; visit++) { /* near a rod: two random quaternions may cancel */
            zn_derivative_check check;
            for (int i = 0; i < nq; i++) q[i] = model->q_start[i] + 0.1 * random_number(&seed);
            random_numbers(&seed, nu, u);
            random_numbers(&seed, nu, a);
            assert_int_equal(zn_model_check_derivatives(context, model, &(zn_point){0.3, q, u, a, lambda}, &check), ZN_OK);
            if (check.worst > worst) worst = check.worst, what = check.what;
        }
        if (worst > 1e-7) fail_msg("order %d: %s differs by %g", order, what, worst);
        quat P = quat_rotation(vec3_normalised((vec3){1, 2, -1}), 2.2);
        mat3 R = quat_matrix(P);
        for (int i = 0; i < n; i++) {
            vec3_store(vec3_add((vec3){3, 1, 2}, mat3_apply(&R, rod_position(model->q_start, i))), q + 7 * i);
            quat p = quat_product(P, rod_rotation(model->q_start, i));
            for (int c = 0; c < 4; c++) q[7 * i + 3 + c] = p.p[c];
        }
        void *work = calloc(1, model->work_bytes);
        assert_int_equal(model->constraints(model, work, &(zn_point){0, q, u, NULL, NULL}, &(zn_constraints){.c0 = c0}), 0);
        for (int i = 0; i < 3; i++) check_close(c0[i], 0, 1e-14);
        free(work), free(q), free(u), free(a);
        zn_model_destroy(context, model);
        zn_parts_destroy(parts);
        zn_context_destroy(context);
    }
}

/* ---- scenes ---- */

/* No node goes through the floor, friction stays in its cone, each moment of it and all in all energy is lost, and the rod ends on
 * the floor with most of its nodes. */
static void falling_rods_come_to_lie(void **state) {
    (void)state;
    trial r = trial_begin("rod-falling", (trial_options){.scheme = "radau-2a", .stages = 2, .step = 2e-3, .end = 0.7});
    const zn_model *m = zn_simulation_model(r.simulation);
    double T, V, before = INFINITY, first;
    zn_simulation_energy(r.simulation, &T, &V);
    first = T + V;
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        const double *gaps = zn_simulation_gaps(r.simulation), *P = zn_simulation_percussions(r.simulation);
        for (int i = 0; i < m->size.nN; i++) {
            const double *F = P + m->contacts[i].row_F;
            check_below(-gaps[i], 1e-9);
            check_below(hypot(F[0], F[1]), 0.4 * P[m->contacts[i].row_N] + 1e-10);
        }
        zn_simulation_energy(r.simulation, &T, &V);
        check_below(T + V, before + 1e-4 * first); /* Radau IIA loses energy; its projection may give back a little */
        before = T + V;
    }
    int lying = 0;
    for (int i = 0; i < m->size.nN; i++) lying += zn_simulation_gaps(r.simulation)[i] < 1e-3;
    assert_true(lying >= 5);
    assert_true(before < 0.5 * first);
    trial_end(&r);
}

/* Half a period of the weight: it hangs lowest after pi sqrt(m/k) at about 2 m g/k, with k = G r^4/(4 n R^3) = 19.5 N/m. The mass of the
 * wire (a third of 43 g) and the pitch make it slower and softer by a few parts in a hundred. */
static void weights_swing_on_springs(void **state) {
    (void)state;
    trial r = trial_begin("helical-spring", (trial_options){.scheme = "radau-2a", .stages = 2, .step = 1e-2, .end = 0.4});
    const zn_model *m = zn_simulation_model(r.simulation);
    int z = m->size.nq - 5; /* the weight comes last */
    assert_string_equal(m->q_names[z], "weight.z");
    double lowest = 0, when = 0;
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        if (trial_q(&r, z) < lowest) lowest = trial_q(&r, z), when = zn_simulation_time(r.simulation);
    }
    const double k = 1.25e9 * pow(2.5e-3, 4) / (4 * 5 * pow(0.05, 3));
    check_near(-0.1 - lowest, 2 * (0.2 + 0.5 * 0.043) * 9.81 / k, 0.05);
    check_near(when, acos(-1) * sqrt((0.2 + 0.043 / 3) / k), 0.05);
    trial_end(&r);
}

/* ---- definitions ---- */

static void wrong_rods_are_refused(void **state) {
    (void)state;
    enum { N = 12 };
    zn_flexible_def bad[N];
    for (int i = 0; i < N; i++) bad[i] = rod_def(4, 1);
    bad[0].direction[0] = 1; /* along the rod */
    bad[1].direction[1] = NAN;
    bad[2].twist = INFINITY;
    bad[3].order = 3;
    bad[4].GJ = 0;
    bad[5].EI[1] = -1;
    bad[6].GA[1] = 0;
    bad[7].elements = 0;
    bad[8].to[0] = 0;
    bad[9].twist = 20; /* five radians from node to node */
    bad[10].curvature = 20;
    bad[11].to[0] = 0, bad[11].curve[0] = ZN_FORMULA("s^2"); /* stands still at s = 0 */
    zn_context *context = zn_context_create(NULL);
    for (int i = 0; i < N; i++) {
        zn_parts *parts = zn_parts_create(context);
        zn_flexible rod;
        zn_status status = zn_parts_flexible(parts, &bad[i], &rod);
        if (status != ZN_ERROR_ARGUMENT && status != ZN_ERROR_MODEL) fail_msg("definition %d: %s", i, zn_status_text(status));
        assert_int_equal(rod.stamp, 0);
        zn_error_clear(context);
        zn_parts_destroy(parts);
    }
    zn_context_destroy(context);
}

/* Scenes that are wrong say where, and nothing breaks. */
static void wrong_scenes_are_refused(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "{type: rod, elements: 2}",
        "{type: rod, from: [0, 0, 0], to: [1, 0, 0], radius: 0.1, young: 1, density: 1}",
        "{type: rod, from: [0, 0, 0], to: [1, 0, 0], elements: 2, radius: -0.1, young: 1, density: 1}",
        "{type: rod, from: [0, 0, 0], to: [1, 0, 0], elements: 2, radius: 0.1, area: 1, young: 1, density: 1}",
        "{type: rod, from: [0, 0, 0], to: [1, 0, 0], elements: 2, height: 0.1, young: 1, density: 1}",
        "{type: rod, from: [0, 0, 0], to: [1, 0, 0], elements: 2, radius: 0.1, young: 1}",
        "{type: rod, from: [0, 0, 0], to: [1, 0, 0], elements: 2, radius: 0.1, young: 1, density: 1, order: 3}",
        "{type: rod, from: [0, 0, 0], to: [1, 0, 0], elements: 2, radius: 0.1, young: 1, density: 1, direction: [1, 0, 0]}",
        "{type: rod, from: [0, 0, 0], to: [1, 0, 0], elements: 2, radius: 0.1, young: 1, density: 1, twist: 9}",
        "{type: rod, curve: [s, log(s), 0], elements: 2, radius: 0.1, young: 1, density: 1}",
        "{type: rod, curve: [s, z, 0], elements: 2, radius: 0.1, young: 1, density: 1}",
        "{type: rod, from: [0, 0, 0], to: [1, 0, 0], elements: 2, radius: 0.1, young: 1, density: 1, frames: {a: 2}}",
        "{type: rod, from: [0, 0, 0], to: [1, 0, 0], elements: 2, EI: [1, 2, 3], EA: 1, GA: 1, GJ: 1, line_density: 1}",
        "{type: rod, from: [0, 0, 0], to: [1, 0, 0], elements: 2, radius: 0.1, young: 1, density: 1, mass: heavy}",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[400];
        snprintf(text, sizeof text, "bodies:\n  rod: %s\nsimulation: {step: 1e-3, end: 1}\n", bodies[i]);
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        if (zn_scene_parse(context, "test", text, NULL, &scene) == ZN_OK) fail_msg("not refused: %s", bodies[i]);
        assert_null(scene);
        assert_non_null(strstr(zn_error_text(context), "test:2"));
        zn_context_destroy(context);
    }
}

/* x is along the curve and y is the direction, whatever they are; frames of a plane curve do not turn about it. */
static void frames_begin_as_they_are_told(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int visit = 0; visit < 20; visit++) {
        zn_flexible_def def = rod_def(3, 2);
        random_numbers(&seed, 3, def.from);
        random_numbers(&seed, 3, def.to);
        random_numbers(&seed, 3, def.direction);
        rod_model r = rod_begin(&def);
        vec3 x = vec3_normalised(vec3_sub(vec3_from(def.to), vec3_from(def.from))), y = vec3_from(def.direction);
        y = vec3_normalised(vec3_add_scaled(y, -vec3_dot(x, y), x));
        for (int i = 0; i < r.nodes; i++) {
            mat3 A = quat_matrix(rod_rotation(r.model->q_start, i));
            check_close(vec3_norm(vec3_sub(mat3_column(&A, 0), x)), 0, 1e-14);
            check_close(vec3_norm(vec3_sub(mat3_column(&A, 1), y)), 0, 1e-14);
        }
        rod_end(&r);
    }
    /* an arc bends towards y, also out of the plane */
    zn_flexible_def arc = rod_def(4, 1);
    arc.to[0] = 0, arc.to[1] = 0, arc.to[2] = 2, arc.direction[0] = 1, arc.curvature = 0.5;
    rod_model bent = rod_begin(&arc);
    vec3 end = rod_position(bent.model->q_start, bent.nodes - 1), exact = {2 * (1 - cos(1)), 0, 2 * sin(1)};
    check_close(vec3_norm(vec3_sub(end, exact)), 0, 1e-14);
    rod_end(&bent);
    /* a twist of one turn: the last section is as the first, and each is turned by its share */
    zn_flexible_def def = rod_def(6, 1);
    def.twist = 2 * acos(-1);
    rod_model r = rod_begin(&def);
    for (int i = 0; i < r.nodes; i++) {
        mat3 A = quat_matrix(rod_rotation(r.model->q_start, i));
        check_close(A.m[1][1], cos(i * acos(-1) / 3), 1e-14);
        check_close(A.m[2][1], sin(i * acos(-1) / 3), 1e-14);
    }
    rod_end(&r);
}

static zn_status build_once(zn_context *context, zn_model **model) {
    zn_flexible_def def = rod_def(2, 1);
    def.damping = 0.1;
    zn_parts *parts = zn_parts_create(context);
    zn_flexible rod;
    *model = NULL;
    if (!parts) return ZN_ERROR_MEMORY;
    zn_status status = zn_parts_flexible(parts, &def, &rod);
    if (status == ZN_OK) status = zn_parts_build(parts, model);
    zn_parts_destroy(parts);
    return status;
}

/* Out of memory at any of a sample of requests: an error, and nothing leaks. */
static void running_out_of_memory_is_survived(void **state) {
    (void)state;
    counting_allocator memory = COUNTING_ALLOCATOR;
    zn_context *context = counting_context(&memory);
    zn_model *model;
    assert_int_equal(build_once(context, &model), ZN_OK);
    long all = memory.requests;
    zn_model_destroy(context, model);
    zn_context_destroy(context);
    assert_int_equal(memory.live, 0);
    for (long at = 3; at < all; at += at < 200 ? 3 : all / 40) {
        memory = COUNTING_ALLOCATOR;
        context = counting_context(&memory);
        if (!context) continue;
        memory.fail_at = memory.requests + at;
        assert_int_equal(build_once(context, &model), ZN_ERROR_MEMORY);
        assert_null(model);
        zn_context_destroy(context);
        assert_int_equal(memory.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flying_rods_keep_momentum_and_energy),
        cmocka_unit_test(clamps_and_following_moments_hold_rods),
        cmocka_unit_test(sections_follow_their_nodes),
        cmocka_unit_test(falling_rods_come_to_lie),
        cmocka_unit_test(weights_swing_on_springs),
        cmocka_unit_test(wrong_rods_are_refused),
        cmocka_unit_test(wrong_scenes_are_refused),
        cmocka_unit_test(frames_begin_as_they_are_told),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
