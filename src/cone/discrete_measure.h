/* SPDX-License-Identifier: Apache-2.0 */
/* Private: the natural map of discrete contact problems, apart from all solvers. */
#ifndef CONE_DISCRETE_MEASURE_H
#define CONE_DISCRETE_MEASURE_H

/* Projection of z = (N, T .., R ..) onto K = {|z_T| <= mu z_N, |z_R| <= mu_R z_N}; nT, nR rows (either may be 0). */
void cone_measure_project(int nT, double mu, int nR, double mu_rolling, double *z);
/* |r - P_K(r - (u + (mu |u_T| + mu_R |u_R|) e_N))| over all contacts. */
double cone_measure_natural_map(int dim, int n, const double *mu, const double *mu_rolling, const double *u, const double *r);
double cone_measure_norm(const double *v, int n);

#endif
