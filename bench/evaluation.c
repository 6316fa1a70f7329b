/* SPDX-License-Identifier: Apache-2.0 */
/* What bodies, joints and contacts cost: microseconds to evaluate one of many of a kind, and microseconds a step of small mechanisms.
 *
 *   bench_evaluation [--out FILE.csv] [--seconds S] [--scenes FOLDER] [--only scene:scheme]
 *
 * "all": every question with every derivative; "explicit": what moreau-midpoint asks (no derivatives by positions). Joints and contacts:
 * the difference to the same bodies without them. With --only a mechanism runs once, for callgrind
 * (--toggle-collect=zn_simulation_step). */
#include "growth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 200000 };

typedef struct options {
    const char *out, *scenes, *only;
    double seconds;
} options;

/* ---- kinds ---- */

typedef struct family {
    const char *name, *body, *joint; /* joint: of a body and the next one */
    const char *section;             /* "": no joints or contacts */
} family;

static const family families[] = {
    {"spatial body", "{type: spatial, mass: 1, inertia: [1, 2, 3], position: [%d, 0, 0]}", "", ""},
    {"planar body", "{type: planar, mass: 1, inertia: 1, position: [%d, 0]}", "", ""},
    {"revolute joint in space", "{type: spatial, mass: 1, inertia: [1, 2, 3], position: [%d, 0, 0]}",
     "{type: revolute, between: [b%d, b%d], at: [0, 0, 0], axis: [0, 0, 1]}", "joints"},
    {"spherical joint", "{type: spatial, mass: 1, inertia: [1, 2, 3], position: [%d, 0, 0]}",
     "{type: spherical, between: [b%d, b%d], at: [0, 0, 0]}", "joints"},
    {"sphere on sphere", "{type: spatial, shape: {type: sphere, radius: 0.4}, mass: 1, position: [%d, 0, 0]}", "", "contacts"},
    {"sphere on sphere, friction", "{type: spatial, shape: {type: sphere, radius: 0.4}, mass: 1, position: [%d, 0, 0]}", "", "contacts"},
};

#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the formats are those above */

static zn_scene *make(zn_context *context, const family *f, int count, bool with) {
    char *text = malloc(TEXT);
    int used = snprintf(text, TEXT, "gravity: [0, -9.81]\nsimulation: {step: 1e-3, end: 1}\nbodies:\n");
    bool contacts = strcmp(f->section, "contacts") == 0;
    for (int i = 0; i < count; i++) {
        used += snprintf(text + used, (size_t)(TEXT - used), "  b%d: ", i);
        used += snprintf(text + used, (size_t)(TEXT - used), f->body, i);
        used += snprintf(text + used, (size_t)(TEXT - used), "\n");
    }
    if (contacts && with) used += snprintf(text + used, (size_t)(TEXT - used), "geometry:\n");
    for (int i = 0; contacts && with && i < count; i++)
        used += snprintf(text + used, (size_t)(TEXT - used), "  g%d: {on: b%d, type: sphere, radius: 0.4}\n", i, i);
    if (with) used += snprintf(text + used, (size_t)(TEXT - used), "%s:\n", f->section);
    for (int i = 0; with && i + 1 < count; i++) {
        used += snprintf(text + used, (size_t)(TEXT - used), "  c%d: ", i);
        used += contacts ? snprintf(text + used, (size_t)(TEXT - used), "{between: [g%d, g%d]%s}", i, i + 1,
                                    strstr(f->name, "friction") ? ", friction: 0.3" : "")
                         : snprintf(text + used, (size_t)(TEXT - used), f->joint, i, i + 1);
        used += snprintf(text + used, (size_t)(TEXT - used), "\n");
    }
    zn_scene *scene = NULL;
    if (zn_scene_parse(context, f->name, text, NULL, &scene) != ZN_OK) fprintf(stderr, "bench: %s\n", zn_error_text(context));
    free(text);
    return scene;
}

static int entries(const zn_pattern *p) { return p->start ? p->start[p->cols] : 0; }

/* What an explicit scheme asks. */
static double explicit_evaluation(const zn_model *m, double seconds) {
    const zn_patterns *p = &m->pattern;
    int rows = m->size.ng + m->size.ny + m->size.nN + m->size.nF;
    const int sizes[] = {m->size.nq, m->size.nu, entries(&p->M), entries(&p->W), rows, rows, entries(&p->c1_u)};
    double *memory[sizeof sizes / sizeof *sizes];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) memory[i] = calloc((size_t)sizes[i] + 1, sizeof(double));
    void *work = calloc(1, m->work_bytes);
    zn_point at = {.q = m->q_start, .u = m->u_start};
    double start = bench_now(), best = INFINITY;
    do {
        double before = bench_now();
        int repeats = 1 + 20000 / (m->size.nq + 1);
        for (int i = 0; i < repeats; i++) {
            m->kinematics(m, work, &at, &(zn_kinematics){.qdot = memory[0]});
            m->balance(m, work, &at, &(zn_balance){.r = memory[1], .M = memory[2], .W = memory[3]});
            m->constraints(m, work, &at, &(zn_constraints){.c0 = memory[4], .c1 = memory[5], .c1_u = memory[6]});
        }
        double taken = (bench_now() - before) / repeats;
        best = taken < best ? taken : best;
    } while (bench_now() - start < seconds);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) free(memory[i]);
    free(work);
    return best * 1e6;
}

static bool measure_family(const family *f, double seconds, FILE *csv) {
    zn_context *context = zn_context_create(NULL);
    const int bodies = 101;
    double cost[2][2] = {{0}};
    bool between = *f->section;
    for (int with = 0; with <= between; with++) {
        zn_scene *scene = make(context, f, bodies, with);
        if (!scene) return false;
        cost[with][0] = bench_evaluation(zn_scene_model(scene), seconds);
        cost[with][1] = explicit_evaluation(zn_scene_model(scene), seconds);
        zn_scene_destroy(scene);
    }
    double all = between ? (cost[1][0] - cost[0][0]) / (bodies - 1) : cost[0][0] / bodies;
    double some = between ? (cost[1][1] - cost[0][1]) / (bodies - 1) : cost[0][1] / bodies;
    printf("%-28s %10.3f %10.3f\n", f->name, all, some);
    if (csv) fprintf(csv, "%s,%g,%g\n", f->name, all, some);
    zn_context_destroy(context);
    return true;
}

/* ---- mechanisms ---- */

static const char rods[] = "parameters: {l: 1, m: 1, r: 0.01, J: m*r^2/2, I: m*(3*r^2 + l^2)/12}\n"
                           "gravity: [0, -9.81, 0]\n"
                           "bodies:\n"
                           "  one:   {type: spatial, mass: m, inertia: [J, I, I], position: [l/2, 0, 0]}\n"
                           "  two:   {type: spatial, mass: m, inertia: [I, J, I], position: [l, -l/2, 0]}\n"
                           "  three: {type: spatial, mass: m, inertia: [I, I, J], position: [l, -l, l/2]}\n"
                           "  four:  {type: spatial, mass: m, inertia: [J, I, I], position: [l/2, -l, l]}\n"
                           "  five:  {type: spatial, mass: m, inertia: [I, J, I], position: [0, -l/2, l]}\n"
                           "joints:\n"
                           "  a: {type: revolute, between: [world, one], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                           "  b: {type: revolute, between: [one, two], at: [l, 0, 0], axis: [0, 0, 1]}\n"
                           "  c: {type: revolute, between: [two, three], at: [l, -l, 0], axis: [1, 0, 0]}\n"
                           "  d: {type: revolute, between: [three, four], at: [l, -l, l], axis: [0, 1, 0]}\n"
                           "  e: {type: revolute, between: [four, five], at: [0, -l, l], axis: [0, 0, 1]}\n"
                           "simulation: {step: 1e-3, end: 0.2}\n";

static const struct {
    const char *scene, *scheme;
    int stages;
} mechanisms[] = {
    {"rods", "moreau-midpoint", 0},         {"rods", "rattle", 0},         {"rods", "radau-2a", 2},        {"rods", "generalized-alpha", 0},
    {"slider-crank", "moreau-midpoint", 0}, {"slider-crank", "rattle", 0}, {"slider-crank", "radau-2a", 2}};

static double run(zn_context *context, const zn_scene *scene, const char *scheme, int stages) {
    zn_settings settings = *zn_scene_settings(scene);
    zn_simulation *simulation = NULL;
    settings.scheme = scheme, settings.stages = stages;
    zn_status status = zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation);
    double begin = bench_now();
    if (status == ZN_OK) status = zn_simulation_run(simulation, NULL, NULL);
    double taken = bench_now() - begin;
    if (status != ZN_OK) fprintf(stderr, "bench: %s\n", zn_error_text(context));
    double steps = status == ZN_OK ? (double)zn_simulation_statistics(simulation).steps : NAN;
    zn_simulation_destroy(simulation);
    return 1e6 * taken / steps;
}

static bool measure_mechanism(int k, const options *o, FILE *csv) {
    char path[600], name[64];
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    snprintf(path, sizeof path, "%s/%s.yaml", o->scenes, mechanisms[k].scene);
    snprintf(name, sizeof name, "%s:%s", mechanisms[k].scene, mechanisms[k].scheme);
    bool once = o->only && strcmp(o->only, name) == 0, fine = true;
    if (o->only && !once) goto done;
    zn_status status = strcmp(mechanisms[k].scene, "rods") == 0 ? zn_scene_parse(context, "rods", rods, NULL, &scene)
                                                                : zn_scene_load(context, path, NULL, &scene);
    if (status != ZN_OK) fprintf(stderr, "bench: %s\n", zn_error_text(context));
    double best = INFINITY, begin = bench_now();
    do {
        double time = status == ZN_OK ? run(context, scene, mechanisms[k].scheme, mechanisms[k].stages) : NAN;
        fine = isfinite(time);
        best = time < best ? time : best;
    } while (fine && !once && bench_now() - begin < o->seconds);
    if (!once) printf("%-28s %-20s %10.2f\n", mechanisms[k].scene, mechanisms[k].scheme, best);
    if (csv) fprintf(csv, "%s,%g,\n", name, best);
    zn_scene_destroy(scene);
done:
    zn_context_destroy(context);
    return fine;
}

int main(int count, char **words) {
    options o = {.scenes = "scenes", .seconds = 0.5};
    for (int i = 1; i + 1 < count; i += 2) {
        if (!strcmp(words[i], "--out")) o.out = words[i + 1];
        else if (!strcmp(words[i], "--scenes")) o.scenes = words[i + 1];
        else if (!strcmp(words[i], "--only")) o.only = words[i + 1];
        else if (!strcmp(words[i], "--seconds")) o.seconds = atof(words[i + 1]);
    }
    FILE *csv = o.out ? fopen(o.out, "w") : NULL;
    bool fine = true;
    if (csv) fprintf(csv, "what,us_all,us_explicit\n");
    if (!o.only) printf("%-28s %10s %10s\n", "us for one of 100", "all", "explicit");
    for (size_t i = 0; i < sizeof families / sizeof *families && !o.only; i++) fine = measure_family(&families[i], o.seconds, csv) && fine;
    if (!o.only) printf("\n%-28s %-20s %10s\n", "mechanism", "scheme", "us/step");
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) fine = measure_mechanism((int)i, &o, csv) && fine;
    if (csv && fclose(csv) != 0) fine = false;
    return fine ? 0 : 1;
}
