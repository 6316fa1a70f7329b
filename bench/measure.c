/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS_MIN = 7, RUNS_MAX = 20000 };

static void *count_and_reallocate(void *user, void *block, size_t bytes) {
    ++*(long *)user;
    return realloc(block, bytes);
}

static void release(void *user, void *block) {
    (void)user;
    free(block);
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One run from start to end; the microseconds a step, or -1. */
static double run_once(zn_context *context, const zn_model *model, const zn_settings *settings, const long *requests, bench_result *r) {
    zn_simulation *simulation = NULL;
    zn_status status = zn_simulation_create(context, model, settings, &simulation);
    double cost = -1;
    if (status == ZN_OK) {
        long before = *requests;
        double start = processor_seconds();
        while (status == ZN_OK && !zn_simulation_done(simulation)) status = zn_simulation_step(simulation);
        double taken = processor_seconds() - start;
        zn_statistics s = zn_simulation_statistics(simulation);
        double steps = (double)(s.steps > 0 ? s.steps : 1);
        if (status == ZN_OK) cost = 1e6 * taken / steps;
        r->steps = s.steps;
        r->allocations = (double)(*requests - before) / steps;
        r->iterations = (double)(s.newton_total + s.least_norm_total + s.projection_total) / steps;
        r->nq = model->size.nq < BENCH_Q_MAX ? model->size.nq : BENCH_Q_MAX;
        memcpy(r->q, zn_simulation_positions(simulation), (size_t)r->nq * sizeof *r->q);
    }
    zn_simulation_destroy(simulation);
    return cost;
}

static bool run_many(zn_context *context, const zn_scene *scene, const bench_row *row, double seconds, const long *requests,
                     bench_result *r) {
    zn_settings settings = *zn_scene_settings(scene);
    settings.scheme = row->scheme;
    settings.stages = row->stages;
    if (row->iteration) settings.iteration = row->iteration;
    r->step = settings.step;
    r->end = settings.end;
    double *cost = malloc(RUNS_MAX * sizeof *cost), total = 0;
    int runs = 0;
    bool good = cost && run_once(context, zn_scene_model(scene), &settings, requests, r) >= 0; /* warms up */
    while (good && runs < RUNS_MAX && (runs < RUNS_MIN || total < 1e6 * seconds)) {
        cost[runs] = run_once(context, zn_scene_model(scene), &settings, requests, r);
        good = cost[runs] >= 0;
        total += cost[runs++] * (double)r->steps;
    }
    if (good) {
        qsort(cost, (size_t)runs, sizeof *cost, compare);
        r->median = cost[runs / 2];
        r->fastest = cost[0];
    }
    free(cost);
    return good;
}

bool bench_measure(const bench_row *row, const char *scenes, double seconds, bench_result *result) {
    *result = (bench_result){0};
    long requests = 0;
    zn_context *context = zn_context_create(&(zn_context_def){.allocator = {count_and_reallocate, release, &requests}});
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.yaml", scenes, row->scene);
    zn_scene *scene = NULL;
    bool good = context && zn_scene_load(context, path, NULL, &scene) == ZN_OK && run_many(context, scene, row, seconds, &requests, result);
    if (!good) fprintf(stderr, "bench: %s with %s failed\n%s\n", row->scene, row->scheme, context ? zn_error_text(context) : "");
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return good;
}

bool bench_measure_peer(const char *program, const bench_row *row, double seconds, const bench_result *ours, bench_peer *peer) {
    char command[2048];
    snprintf(command, sizeof command, "OPENBLAS_NUM_THREADS=1 '%s' %s %.17g %.17g %g", program, row->scene, ours->step, ours->end, seconds);
    FILE *pipe = popen(command, "r");
    if (!pipe) return false;
    long steps = 0;
    bool good = fscanf(pipe, "%ld %lf %lf", &steps, &peer->median, &peer->fastest) == 3 && steps == ours->steps;
    peer->difference = 0;
    for (int i = 0; i < ours->nq && good; i++) {
        double q;
        good = fscanf(pipe, "%lf", &q) == 1;
        double difference = fabs(q - ours->q[i]) / fmax(1, fabs(ours->q[i]));
        if (!(difference <= peer->difference)) peer->difference = difference;
    }
    return pclose(pipe) == 0 && good;
}
