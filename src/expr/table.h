/* SPDX-License-Identifier: Apache-2.0 */
/* Functions through given points: see table.c. A table is constant; graphs and tapes that use it share it. */
#ifndef EXPR_TABLE_H
#define EXPR_TABLE_H

#include "base/base.h"

enum { EXPR_TABLE_MOST = 1000000, EXPR_TABLE_INTERVAL = 5 };

typedef struct expr_table {
    _Atomic int references;
    int n, degree;
    bool periodic;
    double *x, *c; /* points, ascending; four coefficients for each interval */
    double last;   /* value at the last point */
} expr_table;

typedef struct expr_table_def {
    int n;
    const double *x, *y;
    bool cubic, periodic;
} expr_table_def;

/* Errors say what is wrong with the points. */
zn_status expr_table_create(zn_context *, const expr_table_def *, expr_table **);
expr_table *expr_table_keep(expr_table *);
void expr_table_release(zn_context *, expr_table *);
/* Its derivative of an order (0: the value; EXPR_TABLE_INTERVAL: the number of points up to x, going on with each period). */
double expr_table_value(const expr_table *, int order, double x);

#endif
