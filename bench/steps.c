/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of a step: processor time, iterations and allocations for scenes and schemes, next to Siconos where it is installed.
 *
 *   bench_steps [--scenes FOLDER] [--out FILE.csv] [--siconos PROGRAM] [--seconds S] [--only SCENE]
 *
 * Each row is run from its start to its end, once to warm up and then again and again for at least S seconds; loading and
 * creating are not timed. The median over the runs counts, of processor time, so that other work on the machine disturbs
 * little. Rows whose scheme does not exist are left out: add yours, it appears when its scheme does. */
#include "measure.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Between the same scheme in two programs there is nothing but round-off and the solvers' tolerances. Woodpecker: its spring is
 * implicit in Siconos, which shifts the impacts a little; over 1 s and 7 cycles that adds up to 8e-3 at h = 1e-4. */
#define SAME_SCHEME 1e-8
#define SHIFTED_IMPACTS 2e-2

static const bench_row rows[] = {
    {.scene = "bouncing-ball", .scheme = "moreau-midpoint", .peer_tolerance = SAME_SCHEME},
    {.scene = "rotating-ball", .scheme = "moreau-midpoint", .peer_tolerance = SAME_SCHEME},
    {.scene = "woodpecker", .scheme = "moreau-midpoint", .peer_tolerance = SHIFTED_IMPACTS},
    {.scene = "slider-crank", .scheme = "moreau-midpoint"},
    {.scene = "woodpecker", .scheme = "moreau-variational"},
    {.scene = "rotating-ball", .scheme = "rattle"},
    {.scene = "rotating-ball", .scheme = "radau-2a", .stages = 2},
    {.scene = "rotating-ball", .scheme = "radau-2a", .stages = 3},
    {.scene = "rotating-ball", .scheme = "lobatto-3a3b", .stages = 3},
    {.scene = "rotating-ball", .scheme = "generalized-alpha"},
    {.scene = "slider-crank", .scheme = "rattle"},
    {.scene = "slider-crank", .scheme = "radau-2a", .stages = 2},
    {.scene = "slider-crank", .scheme = "radau-2a", .stages = 3},
    {.scene = "slider-crank", .scheme = "lobatto-3a3b", .stages = 3},
    {.scene = "slider-crank", .scheme = "generalized-alpha"},
    {.scene = "slope", .scheme = "rattle"},
    {.scene = "slope", .scheme = "radau-2a", .stages = 2},
    {.scene = "slope", .scheme = "radau-2a", .stages = 3},
    {.scene = "slope", .scheme = "lobatto-3a3b", .stages = 3},
    {.scene = "slope", .scheme = "generalized-alpha"},
    {.scene = "rigid-pendulum", .scheme = "generalized-alpha"},
    {.scene = "rigid-pendulum", .scheme = "generalized-alpha-pva"},
    {.scene = "rigid-pendulum", .scheme = "generalized-alpha-pva", .iteration = ZN_ITERATION_DECOUPLED},
    {.scene = "rigid-pendulum", .scheme = "generalized-alpha-p"},
    {.scene = "bouncing-pendulum", .scheme = "generalized-alpha-pva"},
    {.scene = "bouncing-pendulum", .scheme = "generalized-alpha-pva", .iteration = ZN_ITERATION_DECOUPLED},
    {.scene = "bouncing-pendulum", .scheme = "generalized-alpha-pvv"},
    {.scene = "bouncing-pendulum", .scheme = "generalized-alpha-pvv", .iteration = ZN_ITERATION_DECOUPLED},
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct options {
    const char *scenes, *out, *siconos, *only;
    double seconds;
} options;

static bool read_options(int count, char **arguments, options *o) {
    *o = (options){.scenes = "scenes", .seconds = 0.5};
    for (int i = 1; i + 1 < count; i += 2) {
        const char *key = arguments[i], *value = arguments[i + 1];
        if (strcmp(key, "--scenes") == 0) o->scenes = value;
        else if (strcmp(key, "--out") == 0) o->out = value;
        else if (strcmp(key, "--siconos") == 0) o->siconos = value;
        else if (strcmp(key, "--only") == 0) o->only = value;
        else if (strcmp(key, "--seconds") == 0) o->seconds = atof(value);
        else return false;
    }
    return count % 2 == 1 && o->seconds >= 0;
}

static void row_name(const bench_row *row, char *text, size_t room) {
    if (row->stages) snprintf(text, room, "%s:%d", row->scheme, row->stages);
    else if (row->iteration == ZN_ITERATION_DECOUPLED) snprintf(text, room, "%s decoupled", row->scheme);
    else snprintf(text, room, "%s", row->scheme);
}

static void print_row(FILE *csv, const bench_row *row, const bench_result *r, const bench_peer *peer) {
    char scheme[64];
    row_name(row, scheme, sizeof scheme);
    printf("%-17s %-31s %8.1e %7ld %9.3f %9.3f %8.2f %7g", row->scene, scheme, r->step, r->steps, r->median, r->fastest, r->iterations,
           r->allocations);
    if (peer) printf(" %9.3f %6.1f %9.1e", peer->median, peer->median / r->median, peer->difference);
    printf("\n");
    fflush(stdout);
    if (!csv) return;
    fprintf(csv, "%s,%s,%.17g,%ld,%.6g,%.6g,%.6g,%g,", row->scene, scheme, r->step, r->steps, r->median, r->fastest, r->iterations,
            r->allocations);
    if (peer) fprintf(csv, "%.6g,%.6g,%.4g,%.3g\n", peer->median, peer->fastest, peer->median / r->median, peer->difference);
    else fprintf(csv, ",,,\n");
}

/* Number of things that are wrong with a row: it fails, its steps allocate, or the peer's motion is another one. */
static int run_row(const options *o, const bench_row *row, FILE *csv) {
    bench_result result;
    bench_peer peer;
    if (!bench_measure(row, o->scenes, o->seconds, &result)) return 1;
    bool with_peer = o->siconos && row->peer_tolerance > 0;
    if (with_peer && !bench_measure_peer(o->siconos, row, o->seconds, &result, &peer)) {
        fprintf(stderr, "bench: Siconos could not run %s\n", row->scene);
        with_peer = false;
    }
    print_row(csv, row, &result, with_peer ? &peer : NULL);
    int wrong = 0;
    if (result.allocations > 0 && ++wrong) fprintf(stderr, "bench: steps of %s allocate memory\n", row->scene);
    if (with_peer && !(peer.difference <= row->peer_tolerance) && ++wrong)
        fprintf(stderr, "bench: %s ends elsewhere in Siconos (%g): not the same system\n", row->scene, peer.difference);
    return wrong;
}

int main(int count, char **arguments) {
    options o;
    if (!read_options(count, arguments, &o)) {
        fprintf(stderr, "usage: bench_steps [--scenes FOLDER] [--out FILE.csv] [--siconos PROGRAM] [--seconds S] [--only SCENE]\n");
        return 2;
    }
    FILE *csv;
    if (!bench_open(o.out, &csv)) return 2;
    if (csv)
        fprintf(csv, "scene,scheme,step,steps,us_per_step,us_fastest,iterations_per_step,allocations_per_step,"
                     "siconos_us_per_step,siconos_us_fastest,ratio,difference_q\n");
    printf("%-17s %-31s %8s %7s %9s %9s %8s %7s", "scene", "scheme", "h", "steps", "us/step", "fastest", "iter.", "alloc.");
    printf(o.siconos ? " %9s %6s %9s\n" : "\n", "Siconos", "ratio", "|dq|");
    int wrong = 0, left_out = 0;
    for (int i = 0; i < ROWS; i++) {
        zn_scheme_info info;
        if (o.only && strcmp(o.only, rows[i].scene) != 0) continue;
        if (zn_scheme_find(rows[i].scheme, &info)) wrong += run_row(&o, &rows[i], csv);
        else left_out++;
    }
    if (left_out) printf("%d rows left out: their schemes do not exist yet\n", left_out);
    if (!o.siconos) printf("No comparison with Siconos: its packages (libsiconos-kernel-dev, a C++ compiler) are not installed.\n");
    if (csv && fclose(csv) != 0) wrong++;
    return wrong ? 1 : 0;
}
