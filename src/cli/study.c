/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a convergence study on threads, their errors and orders. */
#include "cli/study.h"

#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };

typedef struct study_work {
    study_run *runs;
    const int *order; /* in which runs are taken */
    int n_runs;
    atomic_int next;    /* entry of `order` to take */
    atomic_int running; /* threads at work */
    atomic_long done;   /* steps */
} study_work;

static void keep_state(study_run *run, const zn_simulation *simulation, long row) {
    size_t nq = (size_t)run->model->size.nq, nu = (size_t)run->model->size.nu;
    double *to = run->states + (size_t)row * (nq + nu);
    memcpy(to, zn_simulation_positions(simulation), nq * sizeof *to);
    memcpy(to + nq, zn_simulation_velocities(simulation), nu * sizeof *to);
}

/* *clean: no step had to be cut because it could not be solved. */
static zn_status run_once(study_run *run, atomic_long *done, bool *clean) {
    zn_simulation *simulation = NULL;
    zn_status status = zn_simulation_create(run->context, run->model, &run->settings, &simulation);
    run->started = status == ZN_OK;
    for (long step = 1; status == ZN_OK && step <= run->steps; step++) {
        status = zn_simulation_step(simulation);
        if (status == ZN_OK && step % run->every == 0) keep_state(run, simulation, step / run->every - 1);
        atomic_fetch_add_explicit(done, 1, memory_order_relaxed);
    }
    *clean = status == ZN_OK && zn_simulation_statistics(simulation).rejected == 0;
    zn_simulation_destroy(simulation);
    return status;
}

static zn_status run_to_end(study_run *run, atomic_long *done) {
    size_t width = (size_t)(run->model->size.nq + run->model->size.nu);
    run->states = MEM_ARRAY(run->context, double, (size_t)(run->steps / run->every) * width);
    if (!run->states) return ZN_ERROR_MEMORY;
    bool clean;
    zn_status status = run_once(run, done, &clean);
    if (clean || !run->started || run->settings.tolerance == run->tolerance) return status;
    zn_error_clear(run->context);
    run->settings.tolerance = run->tolerance;
    return run_once(run, done, &clean);
}

static void *work_on_runs(void *user) {
    study_work *work = user;
    for (int i = atomic_fetch_add(&work->next, 1); i < work->n_runs; i = atomic_fetch_add(&work->next, 1)) {
        study_run *run = &work->runs[work->order[i]];
        run->context = zn_context_create(NULL);
        run->status = run->context ? run_to_end(run, &work->done) : ZN_ERROR_MEMORY;
    }
    atomic_fetch_sub(&work->running, 1);
    return NULL;
}

/* The longest runs first, so that no core is left alone with one at the end. */
static void longest_first(int n_runs, const study_run *runs, int *order) {
    for (int i = 0; i < n_runs; i++) {
        int place = i;
        for (; place > 0 && runs[order[place - 1]].steps < runs[i].steps; place--) order[place] = order[place - 1];
        order[place] = i;
    }
}

void study_go(int n_runs, study_run *runs, study_watch *watch, void *user) {
    int order[STUDY_MAX_SCHEMES * (STUDY_MAX_STEPS + 1)];
    longest_first(n_runs, runs, order);
    study_work work = {.runs = runs, .order = order, .n_runs = n_runs};
    pthread_t threads[MAX_THREADS];
    long total = 0, wanted = sysconf(_SC_NPROCESSORS_ONLN), started = 0;
    for (int i = 0; i < n_runs; i++) total += runs[i].steps;
    if (wanted > MAX_THREADS) wanted = MAX_THREADS;
    if (wanted > n_runs) wanted = n_runs;
    for (; started < wanted; started++) {
        atomic_fetch_add(&work.running, 1);
        if (pthread_create(&threads[started], NULL, work_on_runs, &work) == 0) continue;
        atomic_fetch_sub(&work.running, 1);
        break;
    }
    if (started == 0) {
        atomic_fetch_add(&work.running, 1);
        work_on_runs(&work);
    }
    while (watch && atomic_load(&work.running) > 0) {
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
        watch(user, atomic_load(&work.done), total);
    }
    for (long i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

void study_free(int n_runs, study_run *runs) {
    for (int i = 0; i < n_runs; i++) {
        if (!runs[i].context) continue;
        mem_free(runs[i].context, runs[i].states);
        zn_context_destroy(runs[i].context);
        runs[i].context = NULL;
    }
}

static void errors_of(const study_run *run, const study_run *reference, double *error_q, double *error_u) {
    int nq = run->model->size.nq, nu = run->model->size.nu;
    long stride = (long)(run->settings.step / (reference->settings.step * (double)reference->every) + 0.5);
    *error_q = *error_u = NAN;
    if (run->status != ZN_OK || reference->status != ZN_OK) return;
    double sum_q = 0, sum_u = 0;
    for (long n = 0; n < run->steps; n++) {
        const double *x = run->states + (size_t)n * (size_t)(nq + nu);
        const double *y = reference->states + (size_t)((n + 1) * stride - 1) * (size_t)(nq + nu);
        for (int k = 0; k < nq; k++) sum_q += fabs(x[k] - y[k]);
        for (int k = nq; k < nq + nu; k++) sum_u += fabs(x[k] - y[k]);
    }
    *error_q = run->settings.step * sum_q;
    *error_u = run->settings.step * sum_u;
}

/* The largest difference to what is known; nothing known: not a number. */
static double largest_error(int n, const double *x, const double *exact) {
    double error = 0;
    bool known = false;
    for (int k = 0; k < n; k++) {
        if (isnan(exact[k])) continue;
        error = larger(error, fabs(x[k] - exact[k]));
        known = true;
    }
    return known ? error : NAN;
}

static void errors_at_end(const study_run *run, const double *exact, double *error_q, double *error_u) {
    int nq = run->model->size.nq, nu = run->model->size.nu;
    *error_q = *error_u = NAN;
    if (run->status != ZN_OK) return;
    *error_q = largest_error(nq, run->states, exact);
    *error_u = largest_error(nu, run->states + nq, exact + nq);
}

/* Slope of log error over log step by least squares, over the errors from STUDY_LEAST_ERROR to that of the largest step;
 * where fewer than two of them are left (high order), the slope between the two largest steps. */
static double order_of(int n, const double *step, const double *error) {
    int coarsest = 0, second = -1, count = 0;
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < n; i++)
        if (step[i] > step[coarsest]) coarsest = i;
    for (int i = 0; i < n; i++)
        if (step[i] < step[coarsest] && (second < 0 || step[i] > step[second])) second = i;
    for (int i = 0; i < n; i++) {
        if (!(error[i] >= STUDY_LEAST_ERROR && error[i] <= error[coarsest])) continue;
        double log_step = log(step[i]), log_error = log(error[i]);
        x += log_step, y += log_error, xx += log_step * log_step, xy += log_step * log_error;
        count++;
    }
    double spread = count * xx - x * x;
    if (count >= 2 && spread > 0) return (count * xy - x * y) / spread;
    bool clear = second >= 0 && error[second] >= STUDY_ROUNDOFF && error[coarsest] > error[second];
    return clear ? log(error[coarsest] / error[second]) / log(step[coarsest] / step[second]) : NAN;
}

study_result study_compare(int n_steps, const study_run *runs, const double *exact) {
    study_result result;
    double step[STUDY_MAX_STEPS];
    for (int i = 0; i < n_steps; i++) {
        step[i] = runs[i].settings.step;
        if (exact) errors_at_end(&runs[i], exact, &result.error_q[i], &result.error_u[i]);
        else errors_of(&runs[i], &runs[n_steps], &result.error_q[i], &result.error_u[i]);
    }
    result.order_q = order_of(n_steps, step, result.error_q);
    result.order_u = order_of(n_steps, step, result.error_u);
    return result;
}
