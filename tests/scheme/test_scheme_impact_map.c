/* SPDX-License-Identifier: Apache-2.0 */
/* Impacts of several contacts at once, on random linear systems: what holds for every one of them. */
#include "check.h"

#include "scheme/impact_map.h"
#include "zeno/scene.h"
#include "zeno/zeno.h"

#include <stdio.h>
#include <string.h>

enum { CONTACTS = 3, COORDINATES = 5 };

static uint64_t seed;
static double uniform(void) { /* -1 to 1 */
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-52 - 1;
}

typedef struct system {
    zn_context *context;
    zn_scene *scene;
    const zn_model *model;
} system_under_test;

static int put_row(char *text, size_t room, const char *mark) {
    static const char names[] = "abcde";
    int length = 0;
    for (int i = 0; i < COORDINATES; i++)
        length += snprintf(text + length, room - (size_t)length, "%s%.17g*%c%s", i ? " + " : "", uniform(), names[i], mark);
    return length;
}

/* Unit masses, random gaps and slips. kind 0: without friction; 1: in the plane; 2: in space. `e` below zero: random, another one in each
 * contact. */
static void make_scene(char *text, size_t room, int kind, double e) {
    size_t at = (size_t)snprintf(text, room,
                                 "coordinates: {a: 0, b: 0, c: 0, d: 0, e: 0}\n"
                                 "energy: {kinetic: (a'^2 + b'^2 + c'^2 + d'^2 + e'^2)/2}\ncontacts:\n");
    for (int k = 0; k < CONTACTS; k++) {
        at += (size_t)snprintf(text + at, room - at, "  c%d:\n    gap: 1 + ", k);
        at += (size_t)put_row(text + at, room - at, "");
        at += (size_t)snprintf(text + at, room - at, "\n    restitution: %.17g\n", e < 0 ? fabs(uniform()) : e);
        if (kind == 0) continue;
        at += (size_t)snprintf(text + at, room - at, "    friction: %.17g\n    slip: [", fabs(uniform()));
        for (int i = 0; i < (kind == 1 ? 1 : 2); i++) {
            at += (size_t)snprintf(text + at, room - at, i ? ", " : "");
            at += (size_t)put_row(text + at, room - at, "'");
        }
        at += (size_t)snprintf(text + at, room - at, "]\n");
    }
    snprintf(text + at, room - at, "simulation: {step: 1, end: 1}\n");
}

static system_under_test open_system(int kind, double e) {
    char text[8000];
    system_under_test s = {.context = zn_context_create(NULL)};
    make_scene(text, sizeof text, kind, e);
    zn_status status = zn_scene_parse(s.context, "test", text, NULL, &s.scene);
    if (status != ZN_OK) print_error("%s\n%s\n", zn_error_text(s.context), text);
    assert_int_equal(status, ZN_OK);
    s.model = zn_scene_model(s.scene);
    return s;
}

static void close_system(system_under_test *s) {
    zn_scene_destroy(s->scene);
    zn_context_destroy(s->context);
}

/* A random velocity before; the first contact closes. */
static impact_map *hit(const system_under_test *s, zn_restitution_law law, int active, const double *u, double *before) {
    zn_settings settings = *zn_scene_settings(s->scene);
    impact_map *map = impact_map_create(s->context, s->model, &settings, law);
    assert_non_null(map);
    linear_problem *p = map->problem;
    double q[COORDINATES] = {0};
    zn_point at = {.q = q, .u = u};
    assert_int_equal(s->model->balance(s->model, p->at.work, &at, &(zn_balance){.M = p->at.M, .W = p->at.W}), 0);
    assert_int_equal(s->model->constraints(s->model, p->at.work, &at, &(zn_constraints){.c1 = before, .c1_u = p->at.c1_u}), 0);
    for (int k = 0; k < CONTACTS; k++) p->active[k] = k < active;
    zn_status status = impact_map_solve(map, before);
    if (law != ZN_RESTITUTION_NEWTON) assert_int_equal(status, ZN_OK); /* Newton's need not have a solution with such friction */
    return map;
}

static double size_of(const impact_map *map) {
    const zn_model *model = map->problem->model;
    double size = 0;
    for (int i = model_row_N(model); i < model_rows(model); i++) size += fabs(map->P[i]) * (fabs(map->before[i]) + fabs(map->after[i]));
    return size;
}

/* No penetration, friction in its cone, percussions of open contacts zero, no gain. */
static void check_map(const impact_map *map) {
    const zn_model *model = map->problem->model;
    double size = size_of(map);
    for (int k = 0; k < CONTACTS; k++) {
        const zn_contact *c = &model->contacts[k];
        double friction = 0;
        for (int i = c->row_F; i < c->row_F + c->nF; i++) friction += map->P[i] * map->P[i];
        check_below(-map->P[c->row_N], 1e-10);
        if (c->nF) check_below(sqrt(friction), c->balls[0].mu * map->P[c->row_N] + 1e-9);
        if (map->problem->active[k]) check_below(-map->after[c->row_N], 1e-9);
        else check_close(map->P[c->row_N], 0, 0);
    }
    check_below(map->gain, 1e-9 * size + 1e-12);
}

static void random_velocity(double *u) {
    for (int i = 0; i < COORDINATES; i++) u[i] = uniform();
}

static void several_contacts_gain_nothing(void **state) {
    (void)state;
    int hits = 0, gains = 0;
    seed = 3;
    for (int i = 0; i < 150; i++) {
        system_under_test s = open_system(i % 3, i % 2 ? -1 : 0.7);
        for (int j = 0; j < 7; j++) {
            double u[COORDINATES], before[3 * CONTACTS + 1];
            random_velocity(u);
            for (int law = ZN_RESTITUTION_POISSON; law <= ZN_RESTITUTION_ENERGETIC; law++) {
                impact_map *map = hit(&s, (zn_restitution_law)law, 1 + j % CONTACTS, u, before);
                check_map(map);
                hits += map->any;
                impact_map_destroy(s.context, map);
            }
            impact_map *map = hit(&s, ZN_RESTITUTION_NEWTON, 1 + j % CONTACTS, u, before);
            gains += map->gain > 1e-6 * size_of(map);
            impact_map_destroy(s.context, map);
        }
        close_system(&s);
    }
    assert_true(hits > 500);
    assert_true(gains > 10); /* Newton's law does create energy in some of these */
}

/* One contact without friction: all laws are Newton's. Equal e = 1 without friction: nothing is lost, with any number of contacts. */
static void frictionless_limits(void **state) {
    (void)state;
    seed = 5;
    for (int i = 0; i < 100; i++) {
        double u[COORDINATES], before[CONTACTS];
        system_under_test s = open_system(0, i % 2 ? -1 : 1);
        random_velocity(u);
        impact_map *newton = hit(&s, ZN_RESTITUTION_NEWTON, 1, u, before);
        for (int law = ZN_RESTITUTION_POISSON; law <= ZN_RESTITUTION_ENERGETIC; law++) {
            impact_map *map = hit(&s, (zn_restitution_law)law, 1, u, before);
            check_close(map->P[0], newton->P[0], 1e-13 * (1 + fabs(newton->P[0])));
            check_close(map->after[0], newton->after[0], 1e-13);
            impact_map_destroy(s.context, map);
            if (i % 2) continue;
            map = hit(&s, (zn_restitution_law)law, CONTACTS, u, before);
            double pushed = 0;
            for (int k = 0; k < CONTACTS; k++)
                pushed += map->P[k] > map->P_C[k] * (2 + 1e-9); /* held at gdot = 0 from then on, which loses */
            if (pushed == 0) check_close(map->gain, 0, 1e-10);
            else check_below(map->gain, 1e-10);
            impact_map_destroy(s.context, map);
        }
        impact_map_destroy(s.context, newton);
        close_system(&s);
    }
}

/* Energetic restitution of several contacts: the normal percussions give back what they are asked for. */
static void energetic_phases_balance(void **state) {
    (void)state;
    int seen = 0;
    seed = 9;
    for (int i = 0; i < 60; i++) {
        double u[COORDINATES], before[3 * CONTACTS];
        system_under_test s = open_system(i % 3, -1);
        random_velocity(u);
        impact_map *map = hit(&s, ZN_RESTITUTION_ENERGETIC, CONTACTS, u, before);
        double work = 0, wanted = 0, size = size_of(map);
        for (int k = 0; k < CONTACTS && map->any && map->alone < 0; k++) {
            double e = s.model->contacts[k].e_N;
            work += (map->P[k] - map->P_C[k]) * (map->turn[k] + map->after[k]) / 2;
            wanted -= e * e * map->P_C[k] * (map->before[k] + map->turn[k]) / 2;
        }
        if (map->any && map->alone < 0 && map->gain < -1e-6 * size && wanted > 0) {
            check_close(work, wanted, 1e-8 * size);
            seen++;
        }
        impact_map_destroy(s.context, map);
        close_system(&s);
    }
    assert_true(seen > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_contacts_gain_nothing),
        cmocka_unit_test(frictionless_limits),
        cmocka_unit_test(energetic_phases_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
