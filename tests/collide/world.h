/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds of a few shapes, one on each body, for tests. */
#ifndef TESTS_COLLIDE_WORLD_H
#define TESTS_COLLIDE_WORLD_H

#include "check.h"

#include "collide/collide.h"
#include "linalg/geometry.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORLD_MOST = 64 };

typedef struct world {
    zn_context *context;
    collide_world *of;
    collide_list list;
    int n;
    collide_pose pose[WORLD_MOST];
} world;

static inline world world_begin(void) {
    world w = {.context = zn_context_create(NULL)};
    w.of = collide_create(w.context);
    assert_non_null(w.of);
    return w;
}

static inline void world_end(world *w) {
    collide_destroy(w->of);
    mem_free(w->context, w->list.at);
    zn_context_destroy(w->context);
}

static inline collide_pose pose_at(vec3 r, quat p) {
    collide_pose pose = {.r = {r.x, r.y, r.z}};
    mat3 A = quat_matrix(p);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) pose.A[3 * j + i] = A.m[i][j];
    return pose;
}

static inline collide_shape shape_of(collide_class class, bool planar, double a, double b, double c) {
    return (collide_shape){.class = class, .planar = planar, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .size = {a, b, c}};
}

/* One more body with one shape. */
static inline int world_add(world *w, collide_shape shape, collide_pose pose) {
    char name[20];
    snprintf(name, sizeof name, "s%d", w->n);
    shape.body = w->n;
    w->pose[w->n++] = pose;
    int index = -1;
    zn_status status = collide_add(w->of, &shape, name, &index);
    if (status != ZN_OK) print_error("%s\n", zn_error_text(w->context));
    assert_int_equal(status, ZN_OK);
    return index;
}

/* For collide_check. */
#define entries_of(list) (&(collide_entries){(list)->at, (list)->count, sizeof *(list)->at})

static inline void world_find(world *w, double h, double margin) {
    assert_int_equal(collide_find(w->of, w->pose, h, margin, &w->list), ZN_OK);
}

#endif
