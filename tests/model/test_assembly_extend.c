/* SPDX-License-Identifier: Apache-2.0 */
/* A model whose contacts are given as further parts answers like the one in which they were declared, to the last bit; it can be given
 * others, and takes no memory for lists that are not longer than the longest so far. */
#include "trial.h"

#include "model/assembly_internal.h"

#include <stdlib.h>
#include <time.h>

#define BODIES                                                                                                                    \
    "bodies:\n"                                                                                                                   \
    "  a: {type: spatial, shape: {type: sphere, radius: 0.5}, mass: 1, position: [0, 0, 0.6]}\n"                                  \
    "  b: {type: spatial, shape: {type: sphere, radius: 0.4}, mass: 2, position: [1.1, 0.1, 0.5]}\n"                              \
    "  c: {type: spatial, shape: {type: sphere, radius: 0.3}, mass: 3, position: [0.5, 0.3, 1.4], angular_velocity: [1, 2, 3]}\n" \
    "geometry:\n"                                                                                                                 \
    "  floor: {type: plane}\n"                                                                                                    \
    "  ball_a: {on: a, type: sphere, radius: 0.5}\n"                                                                              \
    "  ball_b: {on: b, type: sphere, radius: 0.4}\n"                                                                              \
    "  ball_c: {on: c, type: sphere, radius: 0.3}\n"                                                                              \
    "joints: {rope: {type: distance, between: [a, b]}}\n"                                                                         \
    "gravity: [0, 0, -9.81]\n"                                                                                                    \
    "simulation: {step: 1e-3, end: 1}\n"                                                                                          \
    "contacts:\n"                                                                                                                 \
    "  declared: {between: [ball_c, floor], friction: 0.3}\n"
#define OTHERS                                                                       \
    "  one: {between: [ball_a, floor], friction: 0.2, restitution: 0.5}\n"           \
    "  two: {between: [ball_a, ball_c], friction: [0.2, 0.3], reservoir: ellipse}\n" \
    "  three: {between: [ball_b, ball_c]}\n"                                         \
    "  four: {between: [ball_b, floor], friction: 0.1, rolling: 0.01}\n"

static long taken;

static void *counted(void *user, void *block, size_t bytes) {
    (void)user;
    taken++;
    return realloc(block, bytes);
}
static void released(void *user, void *block) {
    (void)user;
    free(block);
}

static zn_scene *parse(zn_context *context, const char *text) {
    zn_scene *scene = NULL;
    zn_status status = zn_scene_parse(context, "test", text, NULL, &scene);
    if (status != ZN_OK) print_error("%s\n", zn_error_text(context));
    assert_int_equal(status, ZN_OK);
    return scene;
}

enum { OTHER_PARTS = 4, MOST = 4000 };

/* The last parts of a model that are contacts. */
static void take_contacts(const zn_model *model, assembly_extra *extra) {
    const assembly_model *m = assembly_of(model);
    int wanted = OTHER_PARTS;
    for (int i = m->n_parts - 1; i >= 0 && wanted > 0; i--) {
        part *p = &m->parts[i];
        if (p->model->size.n_contacts == 1) extra[--wanted] = (assembly_extra){p->model, p->q, p->u};
    }
    assert_int_equal(wanted, 0);
}

typedef struct answers {
    double r[64], r_q[MOST], r_u[MOST], M[MOST], W[MOST], c0[64], c0_q[MOST], c1[64], c1_q[MOST], c1_u[MOST], c2[64], c2_q[MOST],
        c2_u[MOST], qdot[64], B[MOST];
} answers;

static void ask(zn_context *context, const zn_model *model, bool forces, answers *out) {
    double q[64], u[64], a[64], lambda[64];
    for (int i = 0; i < 64; i++) q[i] = cos(3 * i) + (i % 7 == 0 ? 1 : 0), u[i] = sin(5 * i), a[i] = cos(7 * i), lambda[i] = 2 + sin(2 * i);
    memset(out, 0, sizeof *out);
    void *work = mem_array(context, model->work_bytes, 1);
    zn_point at = {0.3, q, u, a, forces ? lambda : NULL};
    assert_int_equal(model->balance(model, work, &at, &(zn_balance){false, out->r, out->r_q, out->r_u, out->M, out->W}), 0);
    assert_int_equal(model->kinematics(model, work, &at, &(zn_kinematics){.qdot = out->qdot, .B = out->B}), 0);
    assert_int_equal(
        model->constraints(model, work, &at,
                           &(zn_constraints){out->c0, out->c0_q, out->c1, out->c1_q, out->c1_u, out->c2, out->c2_q, out->c2_u}),
        0);
    mem_free(context, work);
}

static void same_pattern(const zn_pattern *a, const zn_pattern *b) {
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    assert_memory_equal(a->start, b->start, (size_t)(a->cols + 1) * sizeof(int));
    assert_memory_equal(a->index, b->index, (size_t)lin_nnz(a) * sizeof(int));
}

static void same_model(zn_context *context, const zn_model *a, const zn_model *b) {
    assert_memory_equal(&a->size, &b->size, sizeof a->size);
    for (int k = 0; k < N_MATRICES; k++)
        same_pattern(assembly_pattern(&a->pattern, (matrix_name)k), assembly_pattern(&b->pattern, (matrix_name)k));
    assert_true(a->natural == b->natural && a->lagrangian == b->lagrangian && a->force_uses_velocity == b->force_uses_velocity);
    for (int k = 0; k < a->size.n_contacts; k++) {
        const zn_contact *x = &a->contacts[k], *y = &b->contacts[k];
        assert_string_equal(x->name, y->name);
        assert_true(x->row_N == y->row_N && x->row_F == y->row_F && x->nF == y->nF && x->e_N == y->e_N && x->n_balls == y->n_balls);
        for (int i = 0; i < x->nF; i++) assert_true(x->scale[i] == y->scale[i]);
        for (int i = 0; i < x->n_balls; i++) assert_true(x->balls[i].mu == y->balls[i].mu && x->balls[i].dim == y->balls[i].dim);
    }
    answers *one = mem_array(context, 2, sizeof *one), *two = one + 1;
    for (int forces = 0; forces < 2; forces++) {
        ask(context, a, forces, one);
        ask(context, b, forces, two);
        for (size_t i = 0; i < sizeof *one / sizeof(double); i++) assert_true(((double *)one)[i] == ((double *)two)[i]); /* -0 is 0 */
    }
    mem_free(context, one);
}

static void answers_like_declared(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *base = parse(context, BODIES), *full = parse(context, BODIES OTHERS);
    assembly_extra extra[OTHER_PARTS];
    take_contacts(zn_scene_model(full), extra);
    zn_model *model = NULL;
    assert_int_equal(assembly_extend(context, zn_scene_model(base), OTHER_PARTS, extra, &model), ZN_OK);
    same_model(context, model, zn_scene_model(full));
    /* Fewer, none, and all again. */
    assert_int_equal(assembly_extend(context, zn_scene_model(base), 1, extra + 2, &model), ZN_OK);
    assert_int_equal(model->size.n_contacts, 2);
    assert_string_equal(model->contacts[1].name, "three");
    assert_int_equal(assembly_extend(context, zn_scene_model(base), 0, NULL, &model), ZN_OK);
    same_model(context, model, zn_scene_model(base));
    assert_int_equal(assembly_extend(context, zn_scene_model(base), OTHER_PARTS, extra, &model), ZN_OK);
    same_model(context, model, zn_scene_model(full));
    model_free(context, model);
    zn_scene_destroy(base);
    zn_scene_destroy(full);
    zn_context_destroy(context);
}

static void takes_no_memory_again(void **state) {
    (void)state;
    zn_context *context = zn_context_create(&(zn_context_def){.allocator = {counted, released, NULL}});
    zn_scene *base = parse(context, BODIES), *full = parse(context, BODIES OTHERS);
    assembly_extra extra[OTHER_PARTS];
    take_contacts(zn_scene_model(full), extra);
    zn_model *model = NULL;
    assert_int_equal(assembly_extend(context, zn_scene_model(base), OTHER_PARTS, extra, &model), ZN_OK);
    long before = taken;
    for (int count = OTHER_PARTS; count >= 0; count--)
        assert_int_equal(assembly_extend(context, zn_scene_model(base), count, extra, &model), ZN_OK);
    assert_int_equal(taken, before);
    model_free(context, model);
    zn_scene_destroy(base);
    zn_scene_destroy(full);
    zn_context_destroy(context);
}

static void needs_parts(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *formula = parse(context, "coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nsimulation: {step: 1, end: 1}\n");
    zn_model *model = NULL;
    assert_int_equal(assembly_extend(context, zn_scene_model(formula), 0, NULL, &model), ZN_ERROR_INTERNAL);
    assert_null(model);
    zn_scene_destroy(formula);
    zn_context_destroy(context);
}

/* A list of many contacts is taken in within a time that grows with its length. */
static double seconds_of(zn_context *context, const zn_model *base, int count, const assembly_extra *from) {
    assembly_extra *extra = mem_array(context, (size_t)count, sizeof *extra);
    for (int i = 0; i < count; i++) extra[i] = from[i % OTHER_PARTS];
    zn_model *model = NULL;
    assert_int_equal(assembly_extend(context, base, count, extra, &model), ZN_OK);
    double least = INFINITY;
    for (int i = 0; i < 5; i++) {
        clock_t begin = clock();
        assert_int_equal(assembly_extend(context, base, count, extra, &model), ZN_OK);
        least = fmin(least, (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
    model_free(context, model);
    mem_free(context, extra);
    return least;
}

static void is_linear(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *base = parse(context, BODIES), *full = parse(context, BODIES OTHERS);
    assembly_extra extra[OTHER_PARTS];
    take_contacts(zn_scene_model(full), extra);
    double few = seconds_of(context, zn_scene_model(base), 1000, extra), many = seconds_of(context, zn_scene_model(base), 16000, extra);
    print_message("1000 contacts %.2g ms, 16000 contacts %.2g ms\n", 1e3 * few, 1e3 * many);
    check_below(many, 16 * 4 * few); /* 256 if it were quadratic */
    zn_scene_destroy(base);
    zn_scene_destroy(full);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_like_declared),
        cmocka_unit_test(takes_no_memory_again),
        cmocka_unit_test(needs_parts),
        cmocka_unit_test(is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
