/* SPDX-License-Identifier: Apache-2.0 */
/* Cost against size: what tables of growing models share. Processor time. */
#ifndef BENCH_GROWTH_H
#define BENCH_GROWTH_H

#include "zeno/zeno.h"

double bench_now(void); /* seconds */

/* Microseconds to answer all questions with all derivatives: the fastest of some runs that take `seconds` in all. */
double bench_evaluation(const zn_model *, double seconds);
/* Microseconds a step, the fastest of some runs; *create: milliseconds to create the simulation. NAN: it fails, and says why. */
double bench_stepping(zn_context *, const zn_model *, const char *scheme, double seconds, double *create);
/* Least squares of log(cost) over log(n) from n = 10 on (below, what a step costs anyway counts), one for each column. cost: by rows. */
void bench_powers(int count, const int *n, int columns, const double *cost);

#endif
