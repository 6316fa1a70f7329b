/* SPDX-License-Identifier: Apache-2.0 */
/* How the search for contacts grows: spheres and boxes at constant density, from 10^2 to 10^5 bodies, numbered row by row. Nanoseconds a
 * body (fastest of several), and the power of n that the whole grows with: in a column of constant section, where a body has as many
 * neighbours whatever n is; and in a cube, where few bodies have fewer, for more of them are at the outside: there also the power of the
 * number of candidates.
 *
 *   pairs     the broad phase alone: tree and near pairs, of which none may meet
 *   first     the first list: tree, near pairs, candidates
 *   all move  a list after every body has left its box
 *   some move the same after one body in a hundred has
 *   serves    whether a list still serves, when it does
 *
 * --out FILE writes them as CSV. */
#include "collide/collide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COLUMNS = 5, REPEATS = 5 };
static const char *const names[COLUMNS] = {"pairs", "first", "all move", "some move", "serves"};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned long long seed;
static double uniform(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static void keep_least(double *best, double time) {
    if (time < *best || *best == 0) *best = time;
}

static bool nobody(void *user, int a, int b) {
    (void)user, (void)a, (void)b;
    return false;
}

/* One in four is a box. About one near pair a body. */
static int measure(int n, bool column, double *best, size_t *candidates) {
    zn_context *context = zn_context_create(NULL);
    collide_pose *pose = calloc((size_t)n, sizeof *pose);
    int row = column ? 5 : (int)ceil(cbrt(n));
    int failed = !pose;
    seed = 88172645463325252ULL;
    for (int r = 0; r < REPEATS && !failed; r++) {
        collide_world *w = collide_create(context);
        collide_list list = {0};
        for (int i = 0; i < n; i++) {
            collide_shape s = {
                .class = i % 4 ? COLLIDE_SPHERE : COLLIDE_BOX, .body = i, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .size = {1, 1, 1}};
            failed |= collide_add(w, &s, "body", NULL) != ZN_OK;
            const int place[3] = {i % row, i / row % row, i / row / row};
            pose[i] = (collide_pose){.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
            for (int k = 0; k < 3; k++) pose[i].r[k] = 2.2 * (place[k] + uniform());
        }
        for (int again = 0; again < 2; again++) { /* the second time the memory is there */
            double before = now();
            collide_filter(w, nobody, NULL);
            failed |= collide_find(w, pose, 1e-3, 0.05, &list) != ZN_OK;
            keep_least(&best[0], now() - before);
        }
        collide_filter(w, NULL, NULL);
        double t0 = now();
        failed |= collide_find(w, pose, 1e-3, 0.05, &list) != ZN_OK;
        double t1 = now();
        bool serves = collide_still_serves(w, pose, 1e-3);
        double t2 = now();
        for (int i = 0; i < n; i++) pose[i].r[i % 3] += 0.1;
        double t3 = now();
        failed |= collide_find(w, pose, 1e-3, 0.05, &list) != ZN_OK;
        double t4 = now();
        for (int i = 0; i < n; i += 100) pose[i].r[i % 3] += 0.1;
        double t5 = now();
        failed |= collide_find(w, pose, 1e-3, 0.05, &list) != ZN_OK;
        double t6 = now();
        keep_least(&best[1], t1 - t0);
        keep_least(&best[2], t4 - t3);
        keep_least(&best[3], t6 - t5);
        keep_least(&best[4], t2 - t1);
        if (!serves) printf("  (a list that was just found does not serve: some of them overlap)\n");
        *candidates = list.count;
        free(list.at);
        collide_destroy(w);
    }
    free(pose);
    zn_context_destroy(context);
    return failed;
}

enum { SIZES = 4 };
static const int sizes[SIZES] = {100, 1000, 10000, 100000};

static int show(bool column, FILE *csv) {
    const char *place = column ? "column" : "cube";
    double time[SIZES][COLUMNS] = {{0}};
    size_t found[SIZES] = {0};
    printf("%-9s %11s", place, "candidates");
    for (int c = 0; c < COLUMNS; c++) printf(" %11s", names[c]);
    printf("   ns a body\n");
    for (int k = 0; k < SIZES; k++) {
        if (measure(sizes[k], column, time[k], &found[k])) return fprintf(stderr, "the search failed\n"), 1;
        printf("%9d %11zu", sizes[k], found[k]);
        if (csv) fprintf(csv, "%s,%d,%zu", place, sizes[k], found[k]);
        for (int c = 0; c < COLUMNS; c++) {
            printf(" %11.0f", 1e9 * time[k][c] / sizes[k]);
            if (csv) fprintf(csv, ",%.3e", time[k][c]);
        }
        printf("\n");
        if (csv) fprintf(csv, "\n");
    }
    const double *first = time[0], *last = time[SIZES - 1];
    printf("%21s", "power of n");
    for (int c = 0; c < COLUMNS; c++) printf(" %11.2f", log(last[c] / first[c]) / log((double)sizes[SIZES - 1] / sizes[0]));
    printf("\n%21s", "power of candidates");
    for (int c = 0; c < COLUMNS; c++) printf(" %11.2f", log(last[c] / first[c]) / log((double)found[SIZES - 1] / (double)found[0]));
    printf("\n\n");
    return 0;
}

int main(int argc, char **argv) {
    const char *path = argc == 3 && strcmp(argv[1], "--out") == 0 ? argv[2] : NULL;
    FILE *csv = path ? fopen(path, "w") : NULL;
    if (csv) fprintf(csv, "place,bodies,candidates,pairs,first,all move,some move,serves\n");
    int failed = show(true, csv) || show(false, csv);
    if (csv) fclose(csv);
    return failed;
}
