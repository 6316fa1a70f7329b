/* SPDX-License-Identifier: Apache-2.0 */
/* A graph with the variables x, x', y, phi, t and short ways to parse and evaluate. */
#ifndef TESTS_EXPR_FIXTURE_H
#define TESTS_EXPR_FIXTURE_H

#include "check.h"
#include "expr/expr.h"

/* cmocka's fail_msg needs its macro `fail`, a name that base has for itself. */
#define stop_with(...)             \
    do {                           \
        print_error(__VA_ARGS__);  \
        print_error("\n");         \
        _fail(__FILE__, __LINE__); \
    } while (0)

enum { X, X_PRIME, Y, PHI, T, N_VARIABLES };

typedef struct fixture {
    zn_context *context;
    expr_graph *graph;
    expr_name names[N_VARIABLES];
    expr_scope scope;
} fixture;

static inline bool fixture_fill(fixture *f) {
    static const char *const names[N_VARIABLES] = {"x", "x'", "y", "phi", "t"};
    f->graph = expr_graph_create(f->context);
    if (!f->graph) return false;
    bool good = true;
    for (int i = 0; i < N_VARIABLES; i++) {
        f->names[i] = (expr_name){names[i], expr_variable(f->graph, i)};
        good = good && f->names[i].value >= 0;
    }
    f->scope = (expr_scope){.count = N_VARIABLES, .names = f->names};
    return good;
}

static inline void fixture_start(fixture *f) {
    f->context = zn_context_create(NULL);
    assert_non_null(f->context);
    assert_true(fixture_fill(f));
}

static inline void fixture_end(fixture *f) {
    expr_graph_destroy(f->graph);
    zn_context_destroy(f->context);
}

static inline expr parse(fixture *f, const char *text) {
    expr e = EXPR_NONE;
    if (expr_parse(f->graph, f->context, &f->scope, ZN_FORMULA(text), &e) != ZN_OK) stop_with("'%s': %s", text, zn_error_text(f->context));
    return e;
}

/* Random numbers that are the same everywhere. */
static inline uint64_t next_bits(uint64_t *seed) {
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *seed;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
static inline int next_int(uint64_t *seed, int below) { return (int)(next_bits(seed) % (uint64_t)below); }
static inline double next_double(uint64_t *seed, double low, double high) {
    return low + (high - low) * ((double)(next_bits(seed) >> 11) / 9007199254740992.0);
}

#endif
