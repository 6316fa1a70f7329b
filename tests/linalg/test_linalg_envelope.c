/* SPDX-License-Identifier: Apache-2.0 */
/* Whether sparse symmetric matrices are positive definite, against the dense Cholesky factorisation of all their leading minors. */
#include "linalg/envelope.h"

#include "check.h"
#include "linalg/dense.h"
#include "random.h"

enum { MOST = 12 };

/* The first n of `all` rows of a: is it positive definite? */
static bool minor_is_positive(const double *a, int all, int n) {
    double l[MOST * MOST];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) l[j * n + i] = a[j * all + i];
    return lin_dense_cholesky_factor(n, l) == 0;
}

static void test_random(void **state) {
    (void)state;
    random_source r = {.state = 7};
    int positive = 0, negative = 0;
    zn_context *context = zn_context_create(NULL);
    for (int k = 0; k < 400; k++) {
        int n = 1 + random_below(&r, MOST), start[MOST + 1] = {0}, index[MOST * MOST], count = 0;
        double a[MOST * MOST] = {0}, values[MOST * MOST];
        for (int i = 0; i < n; i++) {
            a[i * n + i] = 1 + random_number(&r) / 2;
            for (int j = 0; j < i; j++)
                if (random_below(&r, 3) == 0) a[i * n + j] = a[j * n + i] = 0.7 * random_number(&r);
        }
        for (int j = 0; j < n; j++, start[j] = count)
            for (int i = 0; i < n; i++)
                if (a[j * n + i] != 0) index[count] = i, values[count++] = a[j * n + i];
        int bad = 0;
        while (bad < n && minor_is_positive(a, n, bad + 1)) bad++;
        zn_pattern pattern = {.rows = n, .cols = n, .start = start, .index = index};
        lin_envelope *e = lin_envelope_create(context, &pattern);
        assert_non_null(e);
        for (int again = 0; again < 2; again++) assert_int_equal(lin_envelope_not_positive(e, values), bad < n ? bad : -1);
        values[0] = NAN;
        assert_int_equal(lin_envelope_not_positive(e, values), 0);
        lin_envelope_destroy(e);
        positive += bad == n, negative += bad < n;
    }
    assert_true(positive > 100 && negative > 100);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
