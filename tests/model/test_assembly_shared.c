/* SPDX-License-Identifier: Apache-2.0 */
/* What is shared changes no bit: lanes among threads, and what questions have in common: both levels of constraints, W and dc1/du, forces
 * without accelerations and multipliers. */
#include "trial.h"

#include "model/assembly.h"
#include "zeno/zeno.h"

#include <stdio.h>
#include <stdlib.h>

enum { BODIES = 300, TEXT = 120 * BODIES };

/* Spheres of different masses above a floor, with contacts that are declared; every tenth on a hinge. */
static zn_scene *spheres(zn_context *context) {
    char *text = calloc(TEXT, 2);
    int room = 2 * TEXT, n = snprintf(text, TEXT, "gravity: [0, 0, -9.81]\nsimulation: {step: 1e-3, end: 1}\nbodies:\n");
    for (int i = 0; i < BODIES; i++)
        n += snprintf(text + n, (size_t)(room - n), "  b%d: {type: spatial, mass: %d, inertia: [1, %g, 2], position: [%d, 0, 1]}\n", i,
                      i + 1, 1.5 + 0.001 * i, i);
    n += snprintf(text + n, (size_t)(room - n), "geometry:\n  floor: {type: plane}\n");
    for (int i = 0; i < BODIES; i++) n += snprintf(text + n, (size_t)(room - n), "  s%d: {on: b%d, type: sphere, radius: 0.3}\n", i, i);
    n += snprintf(text + n, (size_t)(room - n), "joints:\n");
    for (int i = 0; i < BODIES; i += 10)
        n += snprintf(text + n, (size_t)(room - n), "  j%d: {type: revolute, between: [world, b%d], at: [%d, 1, 1], axis: [0, 1, 1]}\n", i,
                      i, i);
    n += snprintf(text + n, (size_t)(room - n), "contacts:\n");
    for (int i = 0; i < BODIES; i++) n += snprintf(text + n, (size_t)(room - n), "  c%d: {between: [s%d, floor], friction: 0.2}\n", i, i);
    zn_scene *scene = NULL;
    zn_status status = zn_scene_parse(context, "test", text, NULL, &scene);
    if (status != ZN_OK) print_error("%s\n", zn_error_text(context));
    assert_int_equal(status, ZN_OK);
    free(text);
    return scene;
}

static int entries(const zn_pattern *p) { return p->start ? p->start[p->cols] : 0; }

/* Memory of answers, handed out piece by piece. */
typedef struct numbers {
    double *at;
    size_t count, room;
} numbers;

static double *take(numbers *n, int count) {
    n->count += (size_t)count;
    assert_true(n->count <= n->room);
    return n->at + n->count - count;
}

typedef struct place {
    double *q, *u, *a, *lambda;
} place;

static double *vector(int count, double phase) {
    double *x = calloc((size_t)count, sizeof *x);
    for (int i = 0; i < count; i++) x[i] = sin(1.7 * i + phase);
    return x;
}

static place begin(const zn_model *m) {
    int rows = m->size.ng + m->size.ny + m->size.nN + m->size.nF;
    return (place){vector(m->size.nq, 0.3), vector(m->size.nu, 0.6), vector(m->size.nu, 0.9), vector(rows, 1.2)};
}

static void end(place *p) { free(p->q), free(p->u), free(p->a), free(p->lambda); }

/* All answers, one after the other. */
static numbers ask_all(const zn_model *m, bool loads) {
    place p = begin(m);
    int rows = m->size.ng + m->size.ny + m->size.nN + m->size.nF, nq = m->size.nq;
    const zn_patterns *n = &m->pattern;
    numbers out = {.room = 1 << 20};
    out.at = calloc(out.room, sizeof *out.at);
    void *work = calloc(m->work_bytes, 1);
    zn_kinematics k = {0};
    zn_balance b = {0};
    zn_constraints c = {0};
    k.qdot = take(&out, nq), k.qddot = take(&out, nq), k.B = take(&out, entries(&n->B));
    b.r = take(&out, m->size.nu), b.M = take(&out, entries(&n->M)), b.W = take(&out, entries(&n->W));
    c.c0 = take(&out, rows), c.c1 = take(&out, rows), c.c2 = take(&out, rows), c.c1_u = take(&out, entries(&n->c1_u));
    c.c0_q = take(&out, entries(&n->c0_q)), c.c2_q = take(&out, entries(&n->c2_q));
    zn_point at = {.t = 0.3, .q = p.q, .u = p.u, .a = loads ? p.a : NULL, .lambda = loads ? p.lambda : NULL};
    assert_int_equal(m->kinematics(m, work, &at, &k), 0);
    assert_int_equal(m->balance(m, work, &at, &b), 0);
    assert_int_equal(m->constraints(m, work, &at, &c), 0);
    end(&p);
    free(work);
    return out;
}

static void threads_change_no_answer(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = spheres(context);
    for (int k = 0; k < 6; k++) {
        int threads = 1 + k / 2;
        bool loads = k % 2;
        numbers one = ask_all(zn_scene_model(scene), loads);
        zn_model *shared = NULL;
        assert_int_equal(assembly_extend(context, zn_scene_model(scene), 0, NULL, &shared), ZN_OK);
        assembly_share(shared, threads);
        numbers all = ask_all(shared, loads);
        assert_int_equal(all.count, one.count);
        assert_memory_equal(all.at, one.at, one.count * sizeof(double));
        free(all.at), free(one.at);
        model_free(context, shared);
    }
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static void check_same(const char *what, int count, const double *a, const double *b) {
    for (int i = 0; i < count; i++)
        if (!(a[i] == b[i])) fail_msg("%s[%d]: %.17g and %.17g differ", what, i, a[i], b[i]);
}

/* Questions together and one by one. */
static void compare_questions(const zn_model *m) {
    place p = begin(m);
    int rows = m->size.ng + m->size.ny + m->size.nN + m->size.nF, nu = m->size.nu, W = entries(&m->pattern.W),
        C = entries(&m->pattern.c1_u);
    void *work = calloc(m->work_bytes, 1);
    double *zero = calloc((size_t)(nu + rows + 1), sizeof *zero), *x[12];
    const int counts[12] = {rows, rows, rows, rows, C, C, W, W, nu, nu, entries(&m->pattern.c0_q), entries(&m->pattern.c0_q)};
    for (int i = 0; i < 12; i++) x[i] = calloc((size_t)counts[i] + 1, sizeof(double));
    zn_point at = {.t = 0.3, .q = p.q, .u = p.u}, loaded = {.t = 0.3, .q = p.q, .u = p.u, .a = zero, .lambda = zero};
    zn_balance both = {.r = x[8], .W = x[6]};
    zn_constraints rows_of_both = {.c0 = x[0], .c1 = x[2], .c1_u = x[4], .c0_q = x[10]};
    assert_int_equal(model_ask_both(m, work, &at, &both, &rows_of_both), 0);
    assert_int_equal(m->balance(m, work, &at, &(zn_balance){.W = x[7]}), 0);
    assert_int_equal(m->balance(m, work, &loaded, &(zn_balance){.r = x[9]}), 0);
    assert_int_equal(m->constraints(m, work, &at, &(zn_constraints){.c0 = x[1], .c0_q = x[11]}), 0);
    assert_int_equal(m->constraints(m, work, &at, &(zn_constraints){.c1 = x[3], .c1_u = x[5]}), 0);
    const char *names[6] = {"c0", "c1", "c1_u", "W", "r", "c0_q"};
    for (int i = 0; i < 6; i++) check_same(names[i], counts[2 * i], x[2 * i], x[2 * i + 1]);
    for (int i = 0; i < 12; i++) free(x[i]);
    free(zero), free(work);
    end(&p);
}

static void questions_agree(void **state) {
    (void)state;
    const char *texts[] = {
        /* forces along the rows, and with friction that is part of the force of the normal (Stribeck), which acts along others */
        "coordinates: {x: 0.1, y: 0.2, phi: 0.3}\nenergy: {kinetic: x'^2 + 2*y'^2 + phi'^2*(2 + cos(phi)), potential: 9.81*y + "
        "sin(phi)*x}\n"
        "forces: {phi: -0.1*phi' + x}\nconstraints: {rod: {position: x - cos(phi)}, skate: {velocity: x' - sin(phi)*y'}}\n"
        "contacts: {floor: {gap: y - 0.3*sin(phi), slip: x' + cos(phi)*phi', friction: 0.2}}\nsimulation: {step: 1e-3, end: 1}\n",
        "coordinates: {x: 0.1, y: 0.2}\nenergy: {kinetic: x'^2 + 2*y'^2, potential: 9.81*y}\n"
        "contacts: {floor: {gap: y - x^2, slip: \"x'\", friction: 0.5, stribeck: {dynamic: 0.2, rate: 0.1}}}\nsimulation: {step: 1e-3, "
        "end: 1}\n"};
    const bool along[] = {true, false};
    zn_context *context = zn_context_create(NULL);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        zn_scene *scene = NULL;
        zn_status status = zn_scene_parse(context, "test", texts[i], NULL, &scene);
        if (status != ZN_OK) print_error("%s\n", zn_error_text(context));
        assert_int_equal(status, ZN_OK);
        assert_int_equal(zn_scene_model(scene)->forces_along_rows, along[i]);
        compare_questions(zn_scene_model(scene));
        zn_scene_destroy(scene);
    }
    zn_scene *scene = spheres(context);
    assert_true(zn_scene_model(scene)->forces_along_rows);
    compare_questions(zn_scene_model(scene));
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_change_no_answer), cmocka_unit_test(questions_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
