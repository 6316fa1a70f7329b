/* SPDX-License-Identifier: Apache-2.0 */
/* Work and precision: error against processor time for the Cartesian pendulum, over schemes and steps.
 *
 *   bench_work_precision [--scenes FOLDER] [--out FILE.csv] [--seconds S]
 *
 * The reference is another system and another method: the angle phi of x = cos phi, y = sin phi without a constraint,
 *
 *     m phi'' = -2 c (sin phi - cos phi) - m g cos phi,   phi(0) = phi'(0) = 0
 *
 * by the classical Runge-Kutta method with 2e5 steps in extended precision. The error of q and u is the largest of both
 * coordinates at t = 0.1, 0.2 .. 2.5; the time is that of all steps, the fastest of the runs that fit into S seconds. */
#include "table.h"
#include "zeno/zeno.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POINTS = 25, LEVELS = 11, REFERENCE_STEPS = 8000 }; /* reference steps for each point */
static const double INTERVAL = 0.1;                        /* of the points; the coarsest step */
/* Tight, so that the scheme is measured and not the solver; errors below ten times this are not refined further. */
static const double TOLERANCE = 1e-12;

typedef struct method {
    const char *scheme;
    int stages;
} method;
static const method methods[] = {
    {"moreau-midpoint", 0}, {"radau-2a", 1},     {"rattle", 0},       {"generalized-alpha", 0}, {"tr-bdf2", 0},
    {"lobatto-3a3b", 2},    {"lobatto-3a3b", 3}, {"lobatto-3a3b", 4}, {"radau-2a", 2},          {"radau-2a", 3},
};
enum { METHODS = sizeof methods / sizeof *methods };

static const double accuracies[] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-10};
enum { ACCURACIES = sizeof accuracies / sizeof *accuracies };

typedef struct state {
    double q[2], u[2];
} state;

typedef struct row {
    double step, error_q, error_u, ms, us_per_step;
    long steps;
} row;

typedef struct study {
    row rows[LEVELS];
    int count;
} study;

typedef struct options {
    const char *scenes, *out;
    double seconds;
} options;

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- reference ---- */

static long double angular_acceleration(long double phi) {
    const long double m = 1.25L, c = 1, g = 10;
    return (-2 * c * (sinl(phi) - cosl(phi)) - m * g * cosl(phi)) / m;
}

static void make_reference(state *at) {
    long double phi = 0, w = 0, h = 0.1L / REFERENCE_STEPS;
    for (int k = 0; k < POINTS; k++) {
        for (int i = 0; i < REFERENCE_STEPS; i++) {
            long double a1 = angular_acceleration(phi), w2 = w + h / 2 * a1, a2 = angular_acceleration(phi + h / 2 * w);
            long double w3 = w + h / 2 * a2, a3 = angular_acceleration(phi + h / 2 * w2), w4 = w + h * a3;
            long double a4 = angular_acceleration(phi + h * w3);
            phi += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
            w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        }
        long double x = cosl(phi), y = sinl(phi);
        at[k] = (state){{(double)x, (double)y}, {(double)(-y * w), (double)(x * w)}};
    }
}

/* ---- runs ---- */

static double distance(const double *a, const double *b) { return fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1])); }

static bool measure_error(zn_context *context, const zn_model *model, const zn_settings *settings, long every, const state *reference,
                          row *r) {
    zn_simulation *simulation = NULL;
    zn_status status = zn_simulation_create(context, model, settings, &simulation);
    r->error_q = r->error_u = 0;
    r->steps = 0;
    while (status == ZN_OK && !zn_simulation_done(simulation)) {
        status = zn_simulation_step(simulation);
        if (status != ZN_OK || ++r->steps % every != 0) continue;
        const state *exact = &reference[r->steps / every - 1];
        r->error_q = fmax(r->error_q, distance(zn_simulation_positions(simulation), exact->q));
        r->error_u = fmax(r->error_u, distance(zn_simulation_velocities(simulation), exact->u));
    }
    zn_simulation_destroy(simulation);
    return status == ZN_OK && r->steps == every * POINTS;
}

static bool measure_time(zn_context *context, const zn_model *model, const zn_settings *settings, double seconds, row *r) {
    double total = 0, best = INFINITY;
    zn_status status = ZN_OK;
    for (int run = 0; status == ZN_OK && (run < 3 || total < seconds); run++) {
        zn_simulation *simulation = NULL;
        status = zn_simulation_create(context, model, settings, &simulation);
        double start = processor_seconds();
        while (status == ZN_OK && !zn_simulation_done(simulation)) status = zn_simulation_step(simulation);
        double taken = processor_seconds() - start;
        zn_simulation_destroy(simulation);
        total += taken;
        best = fmin(best, taken);
    }
    r->ms = 1e3 * best;
    r->us_per_step = 1e6 * best / (double)r->steps;
    return status == ZN_OK;
}

static void method_name(const method *m, char *text, size_t room) {
    if (m->stages) snprintf(text, room, "%s:%d", m->scheme, m->stages);
    else snprintf(text, room, "%s", m->scheme);
}

static void run_method(zn_context *context, const zn_scene *scene, const method *m, double seconds, const state *reference, FILE *csv,
                       study *s) {
    char name[64];
    method_name(m, name, sizeof name);
    s->count = 0;
    for (int level = 0; level < LEVELS; level++) {
        zn_settings settings = *zn_scene_settings(scene);
        settings.scheme = m->scheme, settings.stages = m->stages, settings.tolerance = TOLERANCE;
        settings.step = INTERVAL / (1 << level), settings.end = INTERVAL * POINTS;
        row r = {.step = settings.step};
        if (!measure_error(context, zn_scene_model(scene), &settings, 1 << level, reference, &r) ||
            !measure_time(context, zn_scene_model(scene), &settings, seconds, &r)) {
            printf("%-18s %10.3e  cannot be solved\n", name, settings.step);
            continue;
        }
        printf("%-18s %10.3e %7ld %10.2e %10.2e %9.3f %9.3f\n", name, r.step, r.steps, r.error_q, r.error_u, r.us_per_step, r.ms);
        if (csv) fprintf(csv, "%s,%.17g,%ld,%.6g,%.6g,%.6g,%.6g\n", name, r.step, r.steps, r.error_q, r.error_u, r.us_per_step, r.ms);
        s->rows[s->count++] = r;
        if (r.error_q < 10 * TOLERANCE) break;
    }
    fflush(stdout);
}

/* ---- who wins where ---- */

/* Milliseconds for an error of q: on the line between the last step that is not and the first that is good enough, in
 * logarithms. Infinity: not reached. */
static double time_for(const study *s, double accuracy) {
    for (int k = 0; k < s->count; k++) {
        const row *good = &s->rows[k], *bad = good - 1;
        if (!(good->error_q <= accuracy)) continue;
        if (k == 0 || !(bad->error_q > good->error_q)) return good->ms;
        double part = log(accuracy / bad->error_q) / log(good->error_q / bad->error_q);
        return bad->ms * pow(good->ms / bad->ms, part);
    }
    return INFINITY;
}

static void print_winners(const study *studies) {
    printf("\nMilliseconds for an error of q, * the fastest\n%-18s", "scheme");
    for (int a = 0; a < ACCURACIES; a++) printf(" %9.0e ", accuracies[a]);
    printf("\n");
    for (int k = 0; k < METHODS; k++) {
        char name[64];
        method_name(&methods[k], name, sizeof name);
        printf("%-18s", name);
        for (int a = 0; a < ACCURACIES; a++) {
            double ms = time_for(&studies[k], accuracies[a]), best = INFINITY;
            for (int other = 0; other < METHODS; other++) best = fmin(best, time_for(&studies[other], accuracies[a]));
            if (isfinite(ms)) printf(" %9.3f%c", ms, ms == best ? '*' : ' ');
            else printf(" %9s ", "-");
        }
        printf("\n");
    }
}

static bool read_options(int count, char **arguments, options *o) {
    *o = (options){.scenes = "scenes", .seconds = 0.05};
    for (int i = 1; i + 1 < count; i += 2) {
        const char *key = arguments[i], *value = arguments[i + 1];
        if (strcmp(key, "--scenes") == 0) o->scenes = value;
        else if (strcmp(key, "--out") == 0) o->out = value;
        else if (strcmp(key, "--seconds") == 0) o->seconds = atof(value);
        else return false;
    }
    return count % 2 == 1 && o->seconds >= 0;
}

int main(int count, char **arguments) {
    options o;
    if (!read_options(count, arguments, &o)) {
        fprintf(stderr, "usage: bench_work_precision [--scenes FOLDER] [--out FILE.csv] [--seconds S]\n");
        return 2;
    }
    FILE *csv;
    if (!bench_open(o.out, &csv)) return 2;
    static state reference[POINTS];
    static study studies[METHODS];
    char path[1024];
    snprintf(path, sizeof path, "%s/cartesian-pendulum.yaml", o.scenes);
    make_reference(reference);
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    bool good = context && zn_scene_load(context, path, NULL, &scene) == ZN_OK;
    if (!good) fprintf(stderr, "bench: the pendulum cannot be loaded\n%s\n", context ? zn_error_text(context) : "");
    if (csv) fprintf(csv, "scheme,step,steps,error_q,error_u,us_per_step,ms\n");
    if (good) printf("%-18s %10s %7s %10s %10s %9s %9s\n", "scheme", "h", "steps", "error q", "error u", "us/step", "ms");
    for (int k = 0; k < METHODS && good; k++) run_method(context, scene, &methods[k], o.seconds, reference, csv, &studies[k]);
    if (good) print_winners(studies);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    if (csv && fclose(csv) != 0) good = false;
    return good ? 0 : 1;
}
