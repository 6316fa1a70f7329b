/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of friction_law: staged against accumulated: processor time and iterations of the cone solver for scenes and schemes.
 *
 *   bench_staged_cost [--scenes FOLDER] [--out FILE.csv] [--seconds S] [--only SCENE] [--scheme NAME] [--law LAW]
 *
 * Both laws run in turn, for at least S seconds together, and the fastest run of each counts. Scenes in which the direction
 * of slip does not turn come first: there both laws have the same solution, and the staged law should cost the same. */
#include "zeno/zeno.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A box on four feet; what happens to it is in %s. */
#define BOX(title, motion, contact)                                                                                    \
    "title: " title "\n"                                                                                               \
    "gravity: [0, 0, -10]\n"                                                                                           \
    "bodies:\n"                                                                                                        \
    "  box: {type: spatial, mass: 1, inertia: [0.02, 0.03, 0.04], " motion ",\n"                                       \
    "        geometry: {feet: {type: points, points: [[0.3, 0.2, -0.1], [-0.3, 0.2, -0.1], [-0.3, -0.2, -0.1], [0.3, " \
    "-0.2, -0.1]]}}}\n"                                                                                                \
    "geometry: {floor: {type: plane}}\n"                                                                               \
    "contacts: {foot: {between: [box.feet, floor], friction: 0.3" contact "}}\n"                                       \
    "simulation: {step: 5e-3, end: 0.5}\n"

#define HEAP_BOX(name, z, vx)                                                                                                             \
    "  " name ": {type: spatial, mass: 1, inertia: [0.01, 0.01, 0.015], position: [0, 0, " z "], velocity: [" vx ", 0, 0], geometry: {\n" \
    "        feet: {type: points, points: [[0.2, 0.2, -0.1], [-0.2, 0.2, -0.1], [-0.2, -0.2, -0.1], [0.2, -0.2, -0.1]]},\n"               \
    "        top: {type: plane, at: [0, 0, 0.1]}}}\n"

static const char slider[] = "title: point sliding straight\n"
                             "coordinates: {x: {start: 0, velocity: 3}, y: {start: 0, velocity: 2}, z: 0}\n"
                             "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2, potential: 10*z}\n"
                             "contacts: {floor: {gap: z, slip: [x', y'], friction: 0.1}}\n"
                             "simulation: {step: 5e-3, end: 5}\n";
static const char pulled[] = "title: point on a spring sliding straight\n"
                             "coordinates: {x: {start: 1, velocity: 3}, y: {start: 0, velocity: 0}, z: 0}\n"
                             "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2, potential: 10*z + 2*x^2 + x^4}\n"
                             "contacts: {floor: {gap: z, slip: [x', y'], friction: 0.1}}\n"
                             "simulation: {step: 5e-3, end: 5}\n";
static const char disc[] = "title: puck sliding straight\n"
                           "coordinates: {x: {start: 0, velocity: 1}, y: {start: 0, velocity: 0.2}, z: 0, phi: 0}\n"
                           "energy: {kinetic: 0.085*(x'^2 + y'^2 + z'^2) + 1e-4*phi'^2, potential: 1.7*z}\n"
                           "contacts: {ice: {gap: z, slip: [x', y', phi'], friction: 0.1, reservoir: contensou, radius: 0.04}}\n"
                           "simulation: {step: 5e-3, end: 1.5}\n";
static const char ball[] = "title: ball that bounces, slips straight and rolls on\n"
                           "coordinates: {x: {start: 0, velocity: 3}, y: {start: 0, velocity: 1}, z: 0.1, a: 0, b: 0}\n"
                           "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2 + 2e-3*(a'^2 + b'^2), potential: 10*z}\n"
                           "contacts: {floor: {gap: z, slip: [x' + 0.1*a', y' + 0.1*b'], friction: 0.1, restitution: 0.5}}\n"
                           "simulation: {step: 5e-3, end: 3}\n";
static const char heap[] = "title: three boxes, the lowest slides\n"
                           "gravity: [0, 0, -10]\n"
                           "bodies:\n" HEAP_BOX("low", "0.1", "1") HEAP_BOX("middle", "0.3", "1")
                               HEAP_BOX("high", "0.5", "1.2") "geometry: {floor: {type: plane}}\n"
                                                              "contacts:\n"
                                                              "  floor: {between: [low.feet, floor], friction: 0.2}\n"
                                                              "  lower: {between: [middle.feet, low.top], friction: 0.5}\n"
                                                              "  upper: {between: [high.feet, middle.top], friction: 0.5}\n"
                                                              "simulation: {step: 5e-3, end: 0.5}\n";

typedef struct scene_row {
    const char *name, *text; /* text NULL: a file of scenes/ */
    bool turns;              /* the direction of slip turns */
    long steps;              /* at most so many */
} scene_row;

static const scene_row scenes[] = {
    {"slider-straight", slider, false, 1000},
    {"spring-straight", pulled, false, 1000},
    {"puck-straight", disc, false, 1000},
    {"ball-bouncing", ball, false, 1000},
    {"box-straight", BOX("box sliding straight", "position: [0, 0, 0.1], velocity: [2, 1, 0]", ""), false, 200},
    {"box-dropped", BOX("box dropped, straight", "position: [0, 0, 0.15], velocity: [2, 1, 0]", ", restitution: 0.3"), false, 200},
    {"box-resting", BOX("box at rest", "position: [0, 0, 0.1]", ""), false, 200},
    {"heap-straight", heap, false, 100},
    {"tetrahedron-rectangle", NULL, false, 300},
    {"slope", NULL, false, 1000},
    {"spring-slider", NULL, true, 1000},
    {"paraboloid-bowl", NULL, true, 1000},
    {"eccentric-sphere", NULL, true, 1000},
    {"puck", NULL, true, 1000},
    {"box-turning", BOX("box sliding and turning", "position: [0, 0, 0.1], velocity: [2, 1, 0], angular_velocity: [0, 0, 3]", ""), true,
     200},
    {"box-dropped-turning",
     BOX("box dropped, turning", "position: [0, 0, 0.15], velocity: [2, 1, 0], angular_velocity: [0, 0, 3]", ", restitution: 0.3"), true,
     200},
    {"tetrahedron", NULL, true, 300},
    {"tippedisk", NULL, true, 500},
    {"tippe-top", NULL, true, 500},
    {"spinning-coin", NULL, true, 500},
    {"rattleback", NULL, true, 500},
};

static const struct {
    const char *name;
    int stages;
} schemes[] = {{"radau-2a", 2},     {"radau-2a", 3},     {"lobatto-3c", 3},       {"tr-bdf2", 0},
               {"lobatto-3a3b", 2}, {"lobatto-3a3b", 3}, {"generalized-alpha", 0}};

typedef struct cost {
    double us, iterations; /* a step; us negative: failed */
    zn_statistics statistics;
} cost;

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static cost run_once(zn_context *context, const zn_scene *scene, zn_settings settings, zn_friction_law law) {
    cost c = {.us = -1};
    zn_simulation *simulation = NULL;
    settings.friction_law = law;
    zn_status status = zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation);
    if (status == ZN_OK) {
        double start = processor_seconds();
        while (status == ZN_OK && !zn_simulation_done(simulation)) status = zn_simulation_step(simulation);
        double taken = processor_seconds() - start;
        zn_statistics s = c.statistics = zn_simulation_statistics(simulation);
        if (status == ZN_OK) c.us = 1e6 * taken / (double)s.steps;
        c.iterations = (double)(s.newton_total + s.least_norm_total + s.projection_total) / (double)(s.steps ? s.steps : 1);
    }
    if (status != ZN_OK) printf("%s: %s\n", law == ZN_FRICTION_STAGED ? "staged" : "accumulated", zn_error_text(context));
    zn_simulation_destroy(simulation);
    return c;
}

/* Ratios far from 1 get more time: on a busy machine they are often chance. */
static bool goes_on(const cost best[2], double taken, double seconds) {
    double ratio = best[1].us / best[0].us;
    return taken < seconds || ((ratio > 1.15 || ratio < 1 / 1.15) && taken < 10 * seconds);
}

static void measure(zn_context *context, const zn_scene *scene, zn_settings settings, double seconds, cost best[2]) {
    static const zn_friction_law laws[] = {ZN_FRICTION_ACCUMULATED, ZN_FRICTION_STAGED};
    double start = processor_seconds();
    for (int run = 0; run < 2 || goes_on(best, processor_seconds() - start, seconds); run++)
        for (int law = 0; law < 2; law++) {
            cost now = run_once(context, scene, settings, laws[law]);
            if (run == 0 || now.us < best[law].us) best[law] = now;
            if (now.us < 0) return;
        }
}

static void print_row(FILE *csv, const scene_row *row, const char *scheme, const cost c[2]) {
    double ratio = c[1].us / c[0].us, iterations = c[0].iterations > 0 ? c[1].iterations / c[0].iterations : 1;
    long accepted = c[1].statistics.staged_accepted, repeated = c[1].statistics.staged_repeated;
    printf("%-22s %-18s %8.2f %8.2f %6.2f %8.2f %8.2f %6.2f %7ld %7ld%s\n", row->name, scheme, c[0].us, c[1].us, ratio, c[0].iterations,
           c[1].iterations, iterations, accepted, repeated,
           row->turns                        ? ""
           : ratio > 1.3 || iterations > 1.3 ? "  > 1.3"
                                             : "");
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%s,%d,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%ld,%ld\n", row->name, scheme, row->turns, c[0].us, c[1].us, ratio,
                c[0].iterations, c[1].iterations, iterations, accepted, repeated);
}

typedef struct options {
    const char *scenes, *out, *only, *scheme, *law; /* law: run this one only, once, to count instructions */
    double seconds;
} options;

static bool read_options(int count, char **arguments, options *o) {
    *o = (options){.scenes = "scenes", .seconds = 0.1};
    for (int i = 1; i + 1 < count; i += 2) {
        const char *key = arguments[i], *value = arguments[i + 1];
        if (strcmp(key, "--scenes") == 0) o->scenes = value;
        else if (strcmp(key, "--out") == 0) o->out = value;
        else if (strcmp(key, "--only") == 0) o->only = value;
        else if (strcmp(key, "--scheme") == 0) o->scheme = value;
        else if (strcmp(key, "--law") == 0) o->law = value;
        else if (strcmp(key, "--seconds") == 0) o->seconds = atof(value);
        else return false;
    }
    return count % 2 == 1;
}

static bool measure_scene(const options *o, const scene_row *row, FILE *csv) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    char path[1024], name[64];
    snprintf(path, sizeof path, "%s/%s.yaml", o->scenes, row->name);
    zn_status status = row->text ? zn_scene_parse(context, row->name, row->text, NULL, &scene) : zn_scene_load(context, path, NULL, &scene);
    bool good = status == ZN_OK;
    if (!good) fprintf(stderr, "%s: %s\n", row->name, zn_error_text(context));
    for (size_t k = 0; good && k < sizeof schemes / sizeof *schemes; k++) {
        snprintf(name, sizeof name, schemes[k].stages ? "%s:%d" : "%s", schemes[k].name, schemes[k].stages);
        if (o->scheme && strcmp(o->scheme, name) != 0) continue;
        zn_settings settings = *zn_scene_settings(scene);
        settings.scheme = schemes[k].name, settings.stages = schemes[k].stages;
        if (settings.end > (double)row->steps * settings.step) settings.end = (double)row->steps * settings.step;
        cost c[2] = {{0}};
        if (o->law) {
            run_once(context, scene, settings, strcmp(o->law, "staged") == 0 ? ZN_FRICTION_STAGED : ZN_FRICTION_ACCUMULATED);
            continue;
        }
        measure(context, scene, settings, o->seconds, c);
        if (c[0].us < 0 || c[1].us < 0) printf("%-22s %-18s fails\n", row->name, name);
        else print_row(csv, row, name, c);
        if (c[0].us >= 0 && c[1].us < 0) good = false; /* what accumulated can do staged must do */
    }
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return good;
}

int main(int count, char **arguments) {
    options o;
    if (!read_options(count, arguments, &o)) {
        fprintf(stderr, "usage: bench_staged_cost [--scenes FOLDER] [--out FILE.csv] [--seconds S] [--only SCENE] [--scheme "
                        "NAME] [--law LAW]\n");
        return 2;
    }
    FILE *csv = o.out ? fopen(o.out, "w") : NULL;
    if (csv)
        fprintf(csv, "scene,scheme,turns,us_accumulated,us_staged,ratio,iterations_accumulated,iterations_staged,iterations_"
                     "ratio,accepted,repeated\n");
    printf("%-22s %-18s %8s %8s %6s %8s %8s %6s %7s %7s\n", "scene", "scheme", "us acc.", "staged", "ratio", "it. acc.", "staged", "ratio",
           "accept.", "repeat.");
    bool good = true;
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        if (!o.only || strcmp(o.only, scenes[k].name) == 0) good = measure_scene(&o, &scenes[k], csv) && good;
    if (csv) fclose(csv);
    return good ? 0 : 1;
}
