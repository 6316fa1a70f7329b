/* SPDX-License-Identifier: Apache-2.0 */
/* What inputs and states cost: a step of two masses on springs, formulas or bodies, with forces that read none, 20 inputs, or 20 inputs and
 * 20 states (filters of a position).
 *
 *   bench_machine [--out FILE.csv] [--seconds S]
 *
 * The fastest of several runs of each counts, in microseconds of processor time a step. */
#include "zeno/zeno.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 20, STEPS = 2000, TEXT = 8000 };

static const char *const systems[2][2] = {
    {"x", "coordinates: {x: 1, y: {start: 0, velocity: 1}}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: 2*x^2 + y^2}\nforces: {"},
    {"a.x", "bodies: {a: {type: particle, mass: 1, position: [1, 0]}, b: {type: particle, mass: 1, position: [0, 1], velocity: [0, 1]}}\n"
            "forces: {s: {type: spring, between: [world, a], stiffness: 4}, r: {type: spring, between: [world, b], stiffness: 2}, "}};

static void describe(int bodies, int inputs, int states, char *text) {
    const char *x = systems[bodies][0];
    char sum[TEXT / 4] = "1"; /* the force is there in any case */
    int n = 0;
    n += snprintf(text + n, TEXT - (size_t)n, "inputs: {none: 0");
    for (int i = 0; i < inputs; i++) n += snprintf(text + n, TEXT - (size_t)n, ", i%d: %g", i, 0.1 * i);
    for (int i = 0; i < inputs; i++) snprintf(sum + strlen(sum), sizeof sum - strlen(sum), " + i%d", i);
    n += snprintf(text + n, TEXT - (size_t)n, "}\n%s", states ? "states: {" : "");
    for (int i = 0; i < states; i++) {
        n += snprintf(text + n, TEXT - (size_t)n, "%ss%d: {start: 0.1, rate: i%d - s%d + %s}", i ? ", " : "", i, i, i, x);
        snprintf(sum + strlen(sum), sizeof sum - strlen(sum), " + s%d", i);
    }
    n += snprintf(text + n, TEXT - (size_t)n, "%s\n%s", states ? "}" : "", systems[bodies][1]);
    snprintf(text + n, TEXT - (size_t)n, "%s: 0.001*(%s)}\nsimulation: {step: 1e-3, end: 1000}\n", x, sum);
}

/* Microseconds a step; negative: it failed. */
static double measure(const char *scheme, int stages, const char *text, double seconds) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    double fastest = -1;
    zn_status status = zn_scene_parse(context, "machine", text, NULL, &scene);
    for (double spent = 0; status == ZN_OK && (fastest < 0 || spent < seconds);) {
        zn_settings settings = *zn_scene_settings(scene);
        zn_simulation *simulation = NULL;
        settings.scheme = scheme, settings.stages = stages;
        status = zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation);
        clock_t begin = clock();
        for (int i = 0; i < STEPS && status == ZN_OK; i++) status = zn_simulation_step(simulation);
        double took = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (status == ZN_OK && (fastest < 0 || took < fastest)) fastest = took;
        spent += took;
        zn_simulation_destroy(simulation);
    }
    if (status != ZN_OK) fprintf(stderr, "%s\n", zn_error_text(context));
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return status == ZN_OK ? 1e6 * fastest / STEPS : -1;
}

int main(int argc, char **argv) {
    static const struct {
        const char *scheme;
        int stages;
    } rows[] = {{"moreau-midpoint", 0}, {"rattle", 0}, {"generalized-alpha", 0}, {"radau-2a", 2}, {"radau-2a", 3}};
    const char *path = NULL;
    double seconds = 0.5;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--out")) path = argv[i + 1];
        if (!strcmp(argv[i], "--seconds")) seconds = strtod(argv[i + 1], NULL);
    }
    FILE *out = path ? fopen(path, "w") : NULL;
    if (path && !out) return fprintf(stderr, "%s cannot be written\n", path), 1;
    printf("%-9s %-18s %6s %10s %10s %10s   microseconds a step\n", "system", "scheme", "stages", "none", "20 inputs", "and states");
    if (out) fprintf(out, "system,scheme,stages,none,inputs,states\n");
    for (size_t k = 0; k < 2 * sizeof rows / sizeof *rows; k++) {
        int bodies = k >= sizeof rows / sizeof *rows, row = (int)(k % (sizeof rows / sizeof *rows));
        const char *system = bodies ? "bodies" : "formulas";
        char text[TEXT];
        double took[3];
        for (int i = 0; i < 3; i++) {
            describe(bodies, i > 0 ? COUNT : 0, i > 1 ? COUNT : 0, text);
            if ((took[i] = measure(rows[row].scheme, rows[row].stages, text, seconds)) < 0) return 1;
        }
        printf("%-9s %-18s %6d %10.2f %10.2f %10.2f\n", system, rows[row].scheme, rows[row].stages, took[0], took[1], took[2]);
        if (out) fprintf(out, "%s,%s,%d,%g,%g,%g\n", system, rows[row].scheme, rows[row].stages, took[0], took[1], took[2]);
    }
    return out && fclose(out) ? 1 : 0;
}
