/* SPDX-License-Identifier: Apache-2.0 */
/* Coupled stages of systems with dense Jacobians: a step with the LU of all stages and with the blocks of the eigenvalues
 * of A (src/scheme/stage_transform.h), over the number of masses n, all coupled to each other (tests/scheme/dense_masses.h).
 *
 *   bench_stages [--out FILE.csv] [--cubic C] [--contacts N] [--runs R] [--n N]
 *
 * Processor time of the fastest of R runs of 20 steps. `exponent`: of the growth since the row above. */
#include "scheme/dense_masses.h"
#include "scheme/stage_transform.h"
#include "sim/simulation.h"
#include "table.h"

#include <stdio.h>
#include <time.h>

enum { STEPS = 20, N_MAX = 400 };
static const int sizes[] = {30, 50, 75, 100, 150, 200, 400};
static const double STIFFNESS = 1000, STEP = 1e-2;

typedef struct options {
    const char *out;
    double cubic;
    int contacts, runs, n;
} options;

typedef struct measured {
    double us, newton, iterations; /* a step; GMRES iterations a solve */
    stage_transform_counts counts;
    double q[N_MAX];
} measured;

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One run of STEPS steps; microseconds a step, or -1. */
static double run(zn_context *context, const zn_model *model, int s, bool transformed, measured *m) {
    zn_settings settings = zn_settings_default();
    settings.scheme = "radau-2a", settings.stages = s, settings.step = STEP, settings.end = STEPS * STEP;
    zn_simulation *simulation = NULL;
    zn_status status = zn_simulation_create(context, model, &settings, &simulation);
    double us = -1;
    if (status == ZN_OK) {
        stages *implicit = projected_stages(simulation->scheme);
        implicit->problem.linear = NULL;
        if (transformed) status = stages_transform(implicit);
        double start = processor_seconds();
        while (status == ZN_OK && !zn_simulation_done(simulation)) status = zn_simulation_step(simulation);
        if (status == ZN_OK) us = 1e6 * (processor_seconds() - start) / STEPS;
        m->newton = (double)zn_simulation_statistics(simulation).newton_total / STEPS;
        if (transformed && implicit->transform) m->counts = stage_transform_count(implicit->transform);
        memcpy(m->q, zn_simulation_positions(simulation), (size_t)model->size.nq * sizeof *m->q);
    }
    zn_simulation_destroy(simulation);
    return us;
}

static bool measure(zn_context *context, const options *o, int n, int s, bool transformed, measured *m) {
    dense_masses masses;
    zn_model *model = NULL;
    int contacts = o->contacts < (n - 6) / 2 ? o->contacts : (n - 6) / 2;
    bool good = dense_masses_open(context, &masses, n, 2, 1, contacts, STIFFNESS, o->cubic, &model) == ZN_OK;
    *m = (measured){.us = INFINITY};
    for (int k = 0; k < o->runs && good; k++) {
        double us = run(context, model, s, transformed, m);
        good = us >= 0;
        m->us = fmin(m->us, us);
    }
    if (!good) fprintf(stderr, "bench: %d masses failed\n%s\n", n, zn_error_text(context));
    zn_model_destroy(context, model);
    dense_masses_close(&masses);
    return good;
}

static bool print_rows(zn_context *context, const options *o, int s, FILE *csv) {
    static measured full, fast;
    double n_before = 0, full_before = 0, fast_before = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int n = sizes[k];
        if (o->n && o->n != n) continue;
        if (!measure(context, o, n, s, false, &full) || !measure(context, o, n, s, true, &fast)) return false;
        double difference = 0, step = log(n / n_before);
        for (int i = 0; i < n; i++) difference = fmax(difference, fabs(full.q[i] - fast.q[i]));
        double per_solve = (double)fast.counts.iterations / (double)fast.counts.solves;
        printf("%6d %6d %9d %12.0f %12.0f %7.2f", s, n, s * (n + 3), full.us, fast.us, full.us / fast.us);
        if (n_before > 0) printf(" %6.1f %6.1f", log(full.us / full_before) / step, log(fast.us / fast_before) / step);
        else printf(" %6s %6s", "", "");
        printf(" %6.2f %6.2f %6.1f %6.1f %9.1e\n", full.newton, fast.newton, (double)fast.counts.factorisations / STEPS, per_solve,
               difference);
        fflush(stdout);
        if (csv)
            fprintf(csv, "%d,%d,%d,%.6g,%.6g,%.4g,%.4g,%.4g,%.4g,%.3g\n", s, n, s * (n + 3), full.us, fast.us, full.newton, fast.newton,
                    (double)fast.counts.factorisations / STEPS, per_solve, difference);
        n_before = n, full_before = full.us, fast_before = fast.us;
    }
    return true;
}

static bool read_options(int count, char **arguments, options *o) {
    *o = (options){.cubic = 1, .contacts = 4, .runs = 3};
    for (int i = 1; i + 1 < count; i += 2) {
        const char *key = arguments[i], *value = arguments[i + 1];
        if (strcmp(key, "--out") == 0) o->out = value;
        else if (strcmp(key, "--cubic") == 0) o->cubic = atof(value);
        else if (strcmp(key, "--contacts") == 0) o->contacts = atoi(value);
        else if (strcmp(key, "--runs") == 0) o->runs = atoi(value);
        else if (strcmp(key, "--n") == 0) o->n = atoi(value);
        else return false;
    }
    return count % 2 == 1 && o->runs > 0 && o->contacts >= 0;
}

int main(int count, char **arguments) {
    options o;
    if (!read_options(count, arguments, &o)) {
        fprintf(stderr, "usage: bench_stages [--out FILE.csv] [--cubic C] [--contacts N] [--runs R] [--n N]\n");
        return 2;
    }
    FILE *csv;
    if (!bench_open(o.out, &csv)) return 2;
    if (csv)
        fprintf(csv, "stages,n,unknowns,us_full,us_transformed,newton_full,newton_transformed,factorisations_per_step,"
                     "gmres_per_solve,difference_q\n");
    printf("radau-2a, %d steps of %g, fully coupled masses, %d contacts, cubic springs %g\n", STEPS, STEP, o.contacts, o.cubic);
    printf("%6s %6s %9s %12s %12s %7s %13s %13s %6s %6s %9s\n", "stages", "n", "unknowns", "us/step LU", "eigenvalues", "ratio",
           "exponents", "Newton", "fact.", "GMRES", "|dq|");
    zn_context *context = zn_context_create(NULL);
    bool good = context && print_rows(context, &o, 2, csv) && print_rows(context, &o, 3, csv);
    zn_context_destroy(context);
    if (csv && fclose(csv) != 0) good = false;
    return good ? 0 : 1;
}
