/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a kind are evaluated together, and the bits of each do not depend on how many there are, nor on its place among them. */
#include "trial.h"

#include "zeno/zeno.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_BODIES = 11, TEXT = 8000, Q = 7, U = 6, MOST = 2000 };

/* Body number `first` + i of a family, each with another mass, inertia and place; those next to each other in pairs are tied by joints. */
static zn_scene *family(zn_context *context, int first, int count, bool joints) {
    char text[TEXT];
    int used = snprintf(text, sizeof text, "gravity: [0, 0, -9.81]\nsimulation: {step: 1e-3, end: 1}\nbodies:\n");
    for (int i = first; i < first + count; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  b%d: {type: spatial, mass: %d, inertia: [%g, %g, %g], position: [%d, 0, 0]}\n", i, i + 1, 1 + 0.1 * i,
                         1.2 + 0.07 * i, 0.9 + 0.05 * i, i);
    if (joints) used += snprintf(text + used, sizeof text - (size_t)used, "joints:\n");
    for (int i = first; joints && i < first + count; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  j%d: {type: revolute, between: [world, b%d], at: [%g, %g, 0.1], axis: [0, %g, 1]}\n", i, i, i + 0.5, 0.3 * i,
                         0.2 * i);
    zn_scene *scene = NULL;
    zn_status status = zn_scene_parse(context, "test", text, NULL, &scene);
    if (status != ZN_OK) print_error("%s\n", zn_error_text(context));
    assert_int_equal(status, ZN_OK);
    return scene;
}

static double number(int body, int k) { return sin(1.7 * body + 0.9 * k + 0.3); }

typedef struct seen {
    double qdot[Q * MOST_BODIES], r[U * MOST_BODIES], c0[5 * MOST_BODIES], c1[5 * MOST_BODIES], c2[5 * MOST_BODIES], c2_q[MOST], M[MOST],
        W[MOST], r_q[MOST], c1_u[MOST];
    double T, V;
} seen;

static void ask(const zn_model *m, int first, int count, seen *out) {
    double q[Q * MOST_BODIES], u[U * MOST_BODIES], a[U * MOST_BODIES], lambda[5 * MOST_BODIES];
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < Q; k++) q[Q * i + k] = number(first + i, k);
        for (int k = 0; k < U; k++) u[U * i + k] = number(first + i, 10 + k), a[U * i + k] = number(first + i, 20 + k);
        for (int k = 0; k < 5; k++) lambda[5 * i + k] = number(first + i, 30 + k);
    }
    void *work = malloc(m->work_bytes);
    zn_point at = {.t = 0.3, .q = q, .u = u, .a = a, .lambda = lambda};
    memset(out, 0, sizeof *out);
    assert_int_equal(m->kinematics(m, work, &at, &(zn_kinematics){.qdot = out->qdot}), 0);
    assert_int_equal(m->balance(m, work, &at, &(zn_balance){.r = out->r, .M = out->M, .W = out->W, .r_q = out->r_q}), 0);
    zn_constraints c = {.c0 = out->c0, .c1 = out->c1, .c1_u = out->c1_u, .c2 = out->c2, .c2_q = out->c2_q};
    assert_int_equal(m->constraints(m, work, &at, &c), 0);
    assert_int_equal(m->energy(m, work, &at, &out->T, &out->V), 0);
    free(work);
}

static void compare(const char *what, const double *all, const double *alone, int count) {
    for (int k = 0; k < count; k++)
        if (memcmp(&all[k], &alone[k], sizeof *all) != 0) fail_msg("%s[%d]: %.17g and %.17g differ", what, k, all[k], alone[k]);
}

static int entries(const zn_pattern *p) { return p->start[p->cols]; }

static void bits_do_not_depend_on_the_number(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    static seen all, alone;
    for (int joints = 0; joints < 2; joints++)
        for (int count = 1; count <= MOST_BODIES; count++) {
            zn_scene *scene = family(context, 0, count, joints);
            ask(zn_scene_model(scene), 0, count, &all);
            for (int i = 0; i < count; i++) {
                zn_scene *single = family(context, i, 1, joints);
                const zn_model *m = zn_scene_model(single);
                ask(m, i, 1, &alone);
                compare("qdot", all.qdot + Q * i, alone.qdot, Q);
                compare("r", all.r + U * i, alone.r, U);
                const zn_patterns *p = &m->pattern;
                const struct {
                    const char *what;
                    const double *all, *alone;
                    const zn_pattern *pattern;
                } list[] = {{"M", all.M, alone.M, &p->M},
                            {"W", all.W, alone.W, &p->W},
                            {"r_q", all.r_q, alone.r_q, &p->r_q},
                            {"c1_u", all.c1_u, alone.c1_u, &p->c1_u},
                            {"c2_q", all.c2_q, alone.c2_q, &p->c2_q}};
                for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
                    int n = entries(list[k].pattern);
                    compare(list[k].what, list[k].all + n * i, list[k].alone, n);
                }
                if (joints) {
                    compare("c0", all.c0 + 5 * i, alone.c0, 5);
                    compare("c1", all.c1 + 5 * i, alone.c1, 5);
                    compare("c2", all.c2 + 5 * i, alone.c2, 5);
                }
                zn_scene_destroy(single);
            }
            assert_true(all.T > 0);
            zn_scene_destroy(scene);
        }
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_do_not_depend_on_the_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
