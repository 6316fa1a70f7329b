/* SPDX-License-Identifier: Apache-2.0 */
/* B-splines by the recursion of Cox and de Boor,
 *
 *     N_i^0 = 1 on [k_i, k_i+1),    N_i^d = (x - k_i)/(k_i+d - k_i) N_i^(d-1) + (k_i+d+1 - x)/(k_i+d+1 - k_i+1) N_i+1^(d-1)
 *     dN_i^d/dx = d (N_i^(d-1)/(k_i+d - k_i) - N_i+1^(d-1)/(k_i+d+1 - k_i+1))
 */
#include "model/parts/spline.h"

#include <math.h>

static double knot(int degree, int elements, int index) {
    int i = index - degree;
    return i <= 0 ? 0 : i >= elements ? 1 : (double)i / elements;
}

int spline_element(int elements, double xi) {
    int element = (int)ceil(xi * elements) - 1;
    return element < 0 ? 0 : element >= elements ? elements - 1 : element;
}

/* The functions of degree d that are not zero between knots `span` and span + 1: numbers span - d ... span. */
static void values_of_degree(int degree, int elements, int span, int d, double xi, double *N) {
    N[0] = 1;
    for (int j = 1; j <= d; j++) {
        double carried = 0;
        for (int r = 0; r < j; r++) {
            double right = knot(degree, elements, span + r + 1), left = knot(degree, elements, span + r + 1 - j);
            double share = N[r] / (right - left);
            N[r] = carried + (right - xi) * share;
            carried = (xi - left) * share;
        }
        N[j] = carried;
    }
}

static void derivative_of_degree(int degree, int elements, int span, int d, int order, double xi, double *N) {
    if (order == 0) {
        values_of_degree(degree, elements, span, d, xi, N);
        return;
    }
    double lower[SPLINE_MOST_FUNCTIONS] = {0};
    derivative_of_degree(degree, elements, span, d - 1, order - 1, xi, lower);
    for (int r = 0; r <= d; r++) {
        int i = span - d + r;
        N[r] = 0;
        if (r > 0) N[r] += d * lower[r - 1] / (knot(degree, elements, i + d) - knot(degree, elements, i));
        if (r < d) N[r] -= d * lower[r] / (knot(degree, elements, i + d + 1) - knot(degree, elements, i + 1));
    }
}

void spline_functions(int degree, int elements, int element, double xi, double values[3][SPLINE_MOST_FUNCTIONS]) {
    for (int order = 0; order < 3; order++) derivative_of_degree(degree, elements, degree + element, degree, order, xi, values[order]);
}

double spline_greville(int degree, int elements, int function) {
    double sum = 0;
    for (int j = 1; j <= degree; j++) sum += knot(degree, elements, function + j);
    return sum / degree;
}
