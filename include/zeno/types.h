/* SPDX-License-Identifier: Apache-2.0 */
/* Types that models, solvers and scenes share. */
#ifndef ZENO_TYPES_H
#define ZENO_TYPES_H

#include "zeno/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Compressed columns: the row indices of column j are index[start[j]] .. index[start[j+1]-1], ascending. */
typedef struct zn_pattern {
    int rows, cols;
    const int *start, *index;
} zn_pattern;

/* A friction law after scaling: consecutive friction rows whose multipliers stay in a ball of radius mu times the normal
 * multiplier. Every reservoir of the library is a list of balls over scaled rows. */
typedef struct zn_ball {
    int dim;
    double mu;
} zn_ball;

/* The text of a formula. It may carry its place in a file, for error messages. */
typedef struct zn_formula {
    const char *text;
    const char *file; /* NULL: not from a file */
    int line, column; /* of the first character of text */
} zn_formula;
#ifdef __cplusplus
#define ZN_FORMULA(text) (zn_formula{(text), nullptr, 0, 0})
#else
#define ZN_FORMULA(text) ((zn_formula){(text), NULL, 0, 0})
#endif

/* Of contact problems; auto is the default. */
typedef enum zn_solver { ZN_SOLVER_AUTO, ZN_SOLVER_NEWTON, ZN_SOLVER_PROJECTION, ZN_SOLVER_COUNT } zn_solver;

#ifdef __cplusplus
}
#endif
#endif
