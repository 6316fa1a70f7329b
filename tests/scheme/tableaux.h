/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the tableaux share. */
#ifndef TESTS_SCHEME_TABLEAUX_H
#define TESTS_SCHEME_TABLEAUX_H

#include "check.h"

#include "base/base.h"
#include "scheme/tableau.h"

#define S_MAX TABLEAU_S_MAX
#define ROUNDING 4e-16 /* entries are of order one and rounded once from a longer type */

typedef tableau_maker family;
static family *const FAMILIES[] = {tableau_radau_2a, tableau_lobatto_3c, tableau_lobatto_3a3b};
enum { RADAU_2A, LOBATTO_3C, LOBATTO_3A3B, FAMILY_COUNT };
static inline int least_stages(int f) { return f == RADAU_2A ? 1 : 2; }

static inline tableau make(int f, int s) {
    tableau t;
    assert_int_equal(FAMILIES[f](NULL, s, 0, &t), ZN_OK);
    assert_int_equal(t.s, s);
    return t;
}

static inline tableau make_tr_theta(double rho) {
    tableau t;
    assert_int_equal(tableau_tr_theta(NULL, 0, rho, &t), ZN_OK);
    return t;
}

/* Uniform in [0, 1), the same on every run. */
static inline double random_unit(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static inline double power(double x, int n) {
    double result = 1;
    for (int i = 0; i < n; i++) result *= x;
    return result;
}

#endif
