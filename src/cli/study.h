/* SPDX-License-Identifier: Apache-2.0 */
/* A convergence study: one scheme with several steps against itself with a small step, on a common grid.
 *
 *   |e^x|_1 = h sum_n sum_k |x_n^k - x_ref^k(t_n)|,  n = 1..N,  for x = q and x = u          (Breuling 2024, 4.56)
 *
 * or against the exact solution at the end, where it is known:
 *
 *   |e^x|_inf = max_k |x_N^k - x_exact^k|                                                                                */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "zeno/zeno.h"

enum { STUDY_MAX_STEPS = 64, STUDY_MAX_SCHEMES = 32 };
/* Errors below this are round-off and tolerance; they do not count for an order. */
#define STUDY_LEAST_ERROR 1e-11
/* A study measures the scheme and not the solver: runs are tried with this tolerance first (the papers use 1e-14). */
#define STUDY_TOLERANCE 1e-13
/* Below this an error is nothing but round-off. */
#define STUDY_ROUNDOFF 1e-14

typedef struct study_run {
    const zn_model *model;
    zn_settings settings;
    double tolerance;    /* where settings.tolerance cannot be met in every step, the run is repeated with this one */
    long steps, every;   /* grid steps to the end; states kept after each `every` of them */
    zn_context *context; /* its own */
    double *states;      /* steps/every rows of (q, u) */
    zn_status status;
    bool started; /* false: the settings were refused */
} study_run;

typedef struct study_result {
    double error_q[STUDY_MAX_STEPS], error_u[STUDY_MAX_STEPS]; /* NaN: a run failed */
    double order_q, order_u;                                   /* NaN: unknown */
} study_result;

/* Called from the thread that called study_go, about ten times a second. */
typedef void study_watch(void *user, long steps_done, long steps_total);

/* All runs, on as many threads as there are processors; the results do not depend on how many. */
void study_go(int n_runs, study_run *runs, study_watch *watch, void *user);
void study_free(int n_runs, study_run *runs);

/* Without `exact` the reference is runs[n_steps]; with it, (q, u) at the end, there is none. What is not a number in it is unknown. */
study_result study_compare(int n_steps, const study_run *runs, const double *exact);

#endif
