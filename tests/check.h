/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with what it lacks: comparison of doubles that prints both values. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

/* base.h has a function `fail`; tests fail with fail_msg. */
#undef fail
#undef fail_msg
#define fail_msg(...)                       \
    do {                                    \
        print_error("ERROR: " __VA_ARGS__); \
        print_error("\n");                  \
        _fail(__FILE__, __LINE__);          \
    } while (0)

/* |actual - expected| <= absolute + relative |expected|; NaN never passes. */
static inline void check_close_at(double actual, double expected, double absolute, double relative, const char *what, const char *file,
                                  int line) {
    if (fabs(actual - expected) <= absolute + relative * fabs(expected)) return;
    print_error("%s:%d: %s = %.17g, expected %.17g (difference %.3g, allowed %.3g)\n", file, line, what, actual, expected,
                actual - expected, absolute + relative * fabs(expected));
    _fail(file, line);
}
#define check_close(actual, expected, absolute) check_close_at(actual, expected, absolute, 0, #actual, __FILE__, __LINE__)
#define check_near(actual, expected, relative) check_close_at(actual, expected, 0, relative, #actual, __FILE__, __LINE__)
#define check_close_relative(actual, expected, absolute, relative) \
    check_close_at(actual, expected, absolute, relative, #actual, __FILE__, __LINE__)
static inline void check_below_at(double actual, double bound, const char *what, const char *file, int line) {
    if (actual <= bound) return;
    print_error("%s:%d: %s = %.17g, expected at most %.17g\n", file, line, what, actual, bound);
    _fail(file, line);
}
#define check_below(actual, bound) check_below_at(actual, bound, #actual, __FILE__, __LINE__)

/* Of a test that repeats itself for long: `all` rounds; where the address checker watches, which takes up to ten times as long and looks at
 * memory and not at numbers, `few`. */
#ifdef __SANITIZE_ADDRESS__
#define REPEATED(all, few) (few)
#else
#define REPEATED(all, few) (all)
#endif

#endif
