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

/* Sets of friction forces: X(IDENTIFIER, word in scenes, least and most slip velocities, coefficients of friction (1, or up to one for each
 * of them), whether it has a radius, sentence). */
#define ZN_RESERVOIR_LIST(X)                                                           \
    X(BALL, ball, 1, 3, 1, false, "the same friction in all directions")               \
    X(ELLIPSE, ellipse, 2, 2, 2, false, "a semi-axis for each of two slip velocities") \
    X(RECTANGLE, rectangle, 1, 3, 3, false, "each slip velocity has a law of its own") \
    X(CONTENSOU, contensou, 3, 3, 1, true, "two slip velocities and the pivoting velocity, coupled by the radius of the contact patch")
typedef enum zn_reservoir {
#define X(identifier, word, least, most, coefficients, radius, sentence) ZN_RESERVOIR_##identifier,
    ZN_RESERVOIR_LIST(X)
#undef X
        ZN_RESERVOIR_COUNT
} zn_reservoir;

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
