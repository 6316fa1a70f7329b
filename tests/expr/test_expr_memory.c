/* SPDX-License-Identifier: Apache-2.0 */
/* Memory fails at every single allocation in turn: an error, no leak, and the graph stays usable. */
#include "fixture.h"

#include <stdlib.h>

typedef struct meter {
    long calls, fails_at, live;
    bool for_good; /* from then on, or only once */
} meter;

static void *reallocate(void *user, void *block, size_t bytes) {
    meter *m = user;
    m->calls++;
    if (m->calls == m->fails_at || (m->for_good && m->fails_at && m->calls > m->fails_at)) return NULL;
    void *result = realloc(block, bytes);
    if (result && !block) m->live++;
    return result;
}

static void release(void *user, void *block) {
    ((meter *)user)->live--;
    free(block);
}

static zn_status work(fixture *f, double *out) {
    static const char *const text = "exp(x*phi)*sin(x' + y)^3/(1 + hypot(x, y)) + if(x < y, x^y, sqrt(x^2 + t^2)) - min(x, y, t)^1.5";
    expr e, wrong, all[4 + N_VARIABLES * N_VARIABLES];
    int n = 0;
    zn_status status = expr_parse(f->graph, f->context, &f->scope, ZN_FORMULA(text), &e);
    if (status != ZN_OK) return status;
    status = expr_parse(f->graph, f->context, &f->scope, ZN_FORMULA("x + phii"), &wrong);
    if (status != ZN_ERROR_SYNTAX) return status;
    all[n++] = e;
    all[n++] = expr_substitute(f->graph, e, Y, 1, &f->names[X].value);
    for (int v = 0; v < N_VARIABLES; v++)
        for (int w = 0; w < N_VARIABLES; w++) all[n++] = expr_derivative(f->graph, expr_derivative(f->graph, e, v), w);
    expr local = expr_variable(f->graph, N_VARIABLES), curve = expr_binary(f->graph, EXPR_MUL, local, local);
    curve = expr_binary(f->graph, EXPR_SUB, expr_variable(f->graph, N_VARIABLES + 1), curve);
    expr_nearest near = expr_nearest_point(f->graph, expr_surface(f->graph, curve, N_VARIABLES, 2, 0, 0),
                                           (const expr[]){f->names[X].value, f->names[T].value, 0});
    all[n++] = expr_derivative(f->graph, near.point[1], T);
    expr_tape *tape = expr_compile(f->graph, f->context, N_VARIABLES, 1, &(expr_section){n, all});
    if (!tape) return ZN_ERROR_MEMORY;
    double registers[2000], results[4 + N_VARIABLES * N_VARIABLES], v[N_VARIABLES] = {0.5, 1, 2, 3, 4};
    assert_true(expr_tape_registers(tape) <= 2000);
    expr_tape_run(tape, registers, v, 1, (double *const[]){results});
    *out = 0;
    for (int i = 0; i < n; i++) *out += (i + 1) * results[i];
    expr_tape_destroy(f->context, tape);
    return ZN_OK;
}

static void run_failing(bool for_good) {
    double expected = NAN;
    for (long n = 0;; n++) { /* n = 0 never fails and gives the answer */
        meter m = {.fails_at = n, .for_good = for_good};
        zn_context_def def = {.allocator = {reallocate, release, &m}};
        fixture f = {0};
        f.context = zn_context_create(&def);
        bool failed = true;
        if (f.context && fixture_fill(&f)) {
            double out = NAN;
            zn_status status = work(&f, &out);
            failed = status != ZN_OK || (n > 0 && m.calls >= n);
            if (status != ZN_OK) {
                assert_true(status == ZN_ERROR_MEMORY);
                assert_int_equal(zn_error_get(f.context, zn_error_count(f.context) - 1)->status, ZN_ERROR_MEMORY);
                m.fails_at = 0;
                assert_int_equal(work(&f, &out), ZN_OK);
            }
            if (n == 0) expected = out;
            check_near(out, expected, 1e-12);
        } else {
            assert_true(n > 0);
        }
        expr_graph_destroy(f.graph);
        zn_context_destroy(f.context);
        assert_int_equal(m.live, 0);
        if (n > 0 && !failed) break;
    }
}

static void fails_once(void **state) {
    (void)state;
    run_failing(false);
}

static void fails_for_good(void **state) {
    (void)state;
    run_failing(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fails_once), cmocka_unit_test(fails_for_good)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
