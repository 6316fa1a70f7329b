/* SPDX-License-Identifier: Apache-2.0 */
/* What it costs that shapes may find each other, where none are near: spheres in free flight on a wide grid, with a rule and without.
 *
 *   bench_found [--out FILE.csv] [--scheme SCHEME] [--most N] [--seconds S]
 *
 * Both run in turn, for at least S seconds together, and the fastest run of each counts. The column `lists` says how often a list was
 * made. */
#include "zeno/zeno.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The caller frees it. */
static char *make_text(int n, bool rule) {
    size_t room = 200 + 200 * (size_t)n, used;
    char *text = malloc(room);
    if (!text) return NULL;
    int edge = (int)ceil(cbrt(n));
    used = (size_t)snprintf(text, room, "bodies:\n");
    for (int i = 0; i < n; i++) /* velocities that differ, so that none meet within the run */
        used += (size_t)snprintf(
            text + used, room - used,
            "  s%d: {type: spatial, shape: {type: sphere, radius: 0.5}, mass: 1, position: [%d, %d, %d], velocity: [%g, %g, %g]}\n", i,
            3 * (i % edge), 3 * (i / edge % edge), 3 * (i / edge / edge), 0.1 * sin(i), 0.1 * cos(2 * i), 0.1 * sin(3 * i));
    snprintf(text + used, room - used, "%ssimulation: {step: 1e-3, end: 0.1}\n",
             rule ? "contacts: {all: {between: all, friction: 0.3}}\n" : "");
    return text;
}

/* Microseconds of a step for one body; negative: it failed. */
static double run(zn_context *context, const zn_scene *scene, const char *scheme, int n, zn_statistics *statistics) {
    zn_simulation *simulation = NULL;
    zn_settings settings = *zn_scene_settings(scene);
    settings.scheme = scheme;
    zn_status status = zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation);
    double begin = processor_seconds();
    if (status == ZN_OK) status = zn_simulation_run(simulation, NULL, NULL);
    double seconds = processor_seconds() - begin;
    if (status == ZN_OK) *statistics = zn_simulation_statistics(simulation);
    else fprintf(stderr, "%d spheres: %s\n", n, zn_error_text(context));
    zn_simulation_destroy(simulation);
    return status == ZN_OK ? 1e6 * seconds / (double)statistics->steps / n : -1;
}

static bool measure(int n, const char *scheme, double seconds, FILE *csv) {
    double fastest[2] = {INFINITY, INFINITY}, begin = processor_seconds();
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene[2] = {NULL, NULL};
    zn_statistics statistics[2];
    bool ok = true;
    for (int rule = 0; rule < 2 && ok; rule++) {
        char *text = make_text(n, rule);
        ok = text && zn_scene_parse(context, "spheres", text, NULL, &scene[rule]) == ZN_OK;
        if (!ok) fprintf(stderr, "%d spheres: %s\n", n, zn_error_text(context));
        free(text);
    }
    do {
        for (int rule = 0; rule < 2 && ok; rule++) {
            double time = run(context, scene[rule], scheme, n, &statistics[rule]);
            ok = time >= 0;
            if (time < fastest[rule]) fastest[rule] = time;
        }
    } while (ok && processor_seconds() - begin < seconds);
    if (ok) printf("%8d %12.3f %12.3f %12.3f %8ld\n", n, fastest[0], fastest[1], fastest[1] - fastest[0], statistics[1].found_lists);
    if (ok && csv) fprintf(csv, "%d,%g,%g,%ld\n", n, fastest[0], fastest[1], statistics[1].found_lists);
    for (int rule = 0; rule < 2; rule++) zn_scene_destroy(scene[rule]);
    zn_context_destroy(context);
    return ok;
}

int main(int count, char **words) {
    const char *out = NULL, *scheme = "moreau-midpoint";
    double seconds = 2;
    int most = 3000;
    for (int i = 1; i + 1 < count; i += 2) {
        if (strcmp(words[i], "--out") == 0) out = words[i + 1];
        if (strcmp(words[i], "--scheme") == 0) scheme = words[i + 1];
        if (strcmp(words[i], "--most") == 0) most = atoi(words[i + 1]);
        if (strcmp(words[i], "--seconds") == 0) seconds = atof(words[i + 1]);
    }
    FILE *csv = out ? fopen(out, "w") : NULL;
    if (csv) fprintf(csv, "spheres,without,with,lists\n");
    printf("us/step/body      without         with         more    lists\n");
    bool ok = true;
    const int sizes[] = {30, 100, 300, 1000, 3000, 10000, 30000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most && ok; i++) ok = measure(sizes[i], scheme, seconds, csv);
    if (csv) fclose(csv);
    return ok ? 0 : 1;
}
