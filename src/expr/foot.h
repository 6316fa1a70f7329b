/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest points of curves and surfaces, inside the expression graph. */
#ifndef EXPR_FOOT_H
#define EXPR_FOOT_H

#include "expr/tape.h"

/* f, its 3 first and 6 second derivatives (xx, xy, xz, yy, yz, zz). */
enum { EXPR_SURFACE_OUTPUTS = 10 };

/* The tape of a surface on variables 0, 1, 2 and its parameters. */
expr_tape *expr_surface_compile(expr_graph *, zn_context *, int surface);
/* out: x, y, z of the nearest point and the signed distance; NaN where none was found. */
void expr_foot_solve(const expr_tape *, double *registers, int dim, const double *p, int n_parameters, const double *parameters,
                     double *out);
/* The value of a foot node or of a part of it; slow. */
double expr_foot_value(expr_graph *, const expr_node *foot, int component, const double *values, const double *variables);
/* The derivative of component 0 .. 3 of a foot node whose point moves with dp. */
expr expr_foot_derivative(expr_graph *, expr foot, int component, const expr *dp);

#endif
