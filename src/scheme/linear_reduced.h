/* SPDX-License-Identifier: Apache-2.0 */
/* The linear contact problem reduced to its contact rows; private to linear_problem.c. */
#ifndef SCHEME_LINEAR_REDUCED_H
#define SCHEME_LINEAR_REDUCED_H

#include "scheme/linear_problem.h"

linear_reduced *linear_reduced_create(const linear_problem *, const cone_settings *, cone_unit unit);
void linear_reduced_destroy(zn_context *, linear_reduced *);
/* z, y: the old solution in, the solution out. The cones are set; p->wanted marks their rows. */
zn_status linear_reduced_solve(linear_reduced *, bool contacts, cone_outcome *);

/* D_ij of contact rows, valid after a solve with the contact of row j on. */
double linear_reduced_response(const linear_reduced *, int i, int j);

/* Only D, for the contacts that are on. */
zn_status linear_reduced_respond(linear_reduced *);

/* phi, psi and their derivatives at (z, y), from linear_problem.c. */
int linear_problem_evaluate(void *problem, const double *z, const double *y, cone_values *out);

#endif
