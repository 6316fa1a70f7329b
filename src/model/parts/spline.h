/* SPDX-License-Identifier: Apache-2.0 */
/* B-splines on the open uniform knot vector of [0, 1]: p + 1 knots at each end, n elements of the same length 1/n, n + p
 * functions with p - 1 continuous derivatives. On element e the functions e ... e + p are not zero. */
#ifndef MODEL_PARTS_SPLINE_H
#define MODEL_PARTS_SPLINE_H

#include "model/parts/flexible.h"

enum {
    SPLINE_LEAST_DEGREE = 2,
    SPLINE_MOST_DEGREE = 5,
    SPLINE_MOST_POINTS = FLEXIBLE_MOST_GAUSS,
    SPLINE_MOST_FUNCTIONS = SPLINE_MOST_DEGREE + 1
};

/* The element that xi in [0, 1] lies in; the left one of a knot's two, but 0 for xi = 0. */
int spline_element(int elements, double xi);

/* Values and first and second derivatives by xi of the degree + 1 functions of an element; xi in its closed interval. */
void spline_functions(int degree, int elements, int element, double xi, double values[3][SPLINE_MOST_FUNCTIONS]);

/* The points of Greville x_i: sum N_i x_i = xi. */
double spline_greville(int degree, int elements, int function);

/* ---- the beam ---- */

typedef struct spline_beam {
    int degree, elements, points; /* points: of Gauss, in each element */
    double EA, EI;
    double line_density;
    double damping;               /* time tau: stresses are those of strain + tau strain' */
    const double (*reference)[2]; /* control points of the undeformed beam: elements + degree */
} spline_beam;

/* An element as a piece: expressed once for its variant. */
parts_express spline_express_element;
int spline_variant_degree(int variant);
int spline_variant_points(int variant);
bool spline_variant_damped(int variant);
unsigned spline_variant_record(int variant);

/* The section at xi: numbers N_i, dN_i/dxi of its carriers, then the angle that its own is measured from, so that it does not jump
 * within half a turn of it. */
section_express spline_express_section;

#endif
