/* SPDX-License-Identifier: Apache-2.0 */
/* Narrow phase: near pairs of shapes become candidates, piece by piece. */
#include "collide/internal.h"

/* ---- places ---- */

static zn_status put(collide_world *w, int side, int shape, const polytope *of, const collide_pose *p, const double *origin) {
    placed *at = &w->side[side];
    if (!mem_grow(w->context, (void **)&at->vertex, &w->vertex_room[side], (size_t)of->n_vertices, sizeof *at->vertex) ||
        !mem_grow(w->context, (void **)&at->normal, &w->normal_room[side], (size_t)of->n_faces + 1, sizeof *at->normal))
        return ZN_MEMORY;
    at->of = of;
    at->shape = shape;
    at->A = pose_matrix(p->A);
    at->r = vec3_sub(vec3_from(p->r), vec3_from(origin));
    vec3 sum = {0, 0, 0};
    for (int i = 0; i < of->n_vertices; i++) {
        at->vertex[i] = pose_point(at->r, &at->A, of->vertex[i]);
        sum = vec3_add(sum, at->vertex[i]);
    }
    for (int i = 0; i < of->n_faces; i++) at->normal[i] = mat3_apply(&at->A, of->normal[i]);
    at->centre = vec3_scale(1.0 / of->n_vertices, sum);
    return ZN_OK;
}

/* ---- half spaces ---- */

static feature plane_feature(const solid *s) {
    feature g = {.kind = FEATURE_PLANE, .side = 1, .radius = s->given.radius};
    memcpy(g.point, s->given.centre, sizeof g.point);
    memcpy(g.axis, s->given.axes + (s->given.planar ? 3 : 6), sizeof g.axis);
    memcpy(g.velocity, s->given.velocity, sizeof g.velocity);
    return g;
}

/* Every vertex that may reach the plane: it is as wide as anything. */
static zn_status on_plane(collide_world *w, const collide_pose *poses, int shape, int plane, double reach, collide_list *list) {
    const solid *s = &w->shapes[shape], *f = &w->shapes[plane];
    const collide_pose *at = &poses[s->given.body], *floor = &poses[f->given.body];
    collide_candidate c = {.shape = {shape, plane}, .feature = {0, 0}, .side = 1};
    c.of[1] = plane_feature(f);
    for (int i = 0; i < s->n_pieces; i++) {
        const polytope *p = &s->piece[i];
        for (int k = 0; k < p->n_vertices; k++) {
            c.of[0] = (feature){.kind = FEATURE_BALL, .radius = p->radius, .side = 1};
            vec3_store(p->vertex[k], c.of[0].point);
            memcpy(c.of[0].velocity, s->given.velocity, sizeof c.of[0].velocity);
            c.feature[0] = p->first + k;
            candidate_measure(&c, at, floor);
            if (!(c.gap <= reach)) continue;
            zn_status status = candidate_add(w, list, &c);
            if (status != ZN_OK) return status;
        }
    }
    return ZN_OK;
}

/* ---- pairs ---- */

/* How far two shapes can approach within h. */
static double approach(const collide_world *w, const collide_pose *poses, int a, int b, double h) {
    const solid *s = &w->shapes[a], *t = &w->shapes[b];
    const collide_pose *p = &poses[s->given.body], *q = &poses[t->given.body];
    return h * (vec3_norm(vec3_sub(vec3_from(p->v), vec3_from(q->v))) + vec3_norm(vec3_from(p->omega)) * s->arm +
                vec3_norm(vec3_from(q->omega)) * t->arm);
}

static separation separate(const placed *a, const placed *b) {
    bool sharp = a->of->radius + b->of->radius == 0;
    separation s = {.kind = AXIS_NONE};
    if (!sharp || a->of->n_faces + b->of->n_faces == 0) s = separate_by_points(a, b);
    return s.kind == AXIS_NONE ? separate_by_axes(a, b) : s;
}

static zn_status meet(collide_world *w, const collide_pose *poses, int a, int b, double reach, collide_list *list) {
    const solid *s = &w->shapes[a], *t = &w->shapes[b];
    const double *origin = poses[t->given.body].r;
    meeting m = {w, &w->side[0], &w->side[1], reach, COLLIDE_BORDER * (s->extent + t->extent), list};
    for (int i = 0; i < s->n_pieces; i++)
        for (int j = 0; j < t->n_pieces; j++) {
            zn_status status = put(w, 0, a, &s->piece[i], &poses[s->given.body], origin);
            if (status == ZN_OK) status = put(w, 1, b, &t->piece[j], &poses[t->given.body], origin);
            if (status != ZN_OK) return status;
            separation apart = separate(m.a, m.b);
            if (apart.distance - m.a->of->radius - m.b->of->radius > reach) continue;
            status = manifold_of(&m, &apart);
            if (status != ZN_OK) return status;
        }
    return ZN_OK;
}

zn_status narrow_pair(collide_world *w, const collide_pose *poses, int a, int b, double h, double margin, collide_list *list) {
    size_t first = list->count;
    bool plane_a = w->shapes[a].given.class == COLLIDE_PLANE, plane_b = w->shapes[b].given.class == COLLIDE_PLANE;
    if (plane_a && plane_b) return ZN_OK;
    const solid *s = &w->shapes[a], *t = &w->shapes[b];
    double reach = approach(w, poses, a, b, h) + margin;
    if (plane_a || plane_b) {
        /* A plane is wide: its body's rotation moves it fast where the other shape is. */
        const collide_pose *p = &poses[s->given.body], *q = &poses[t->given.body];
        double far = vec3_norm(vec3_sub(vec3_from(p->r), vec3_from(q->r))) + s->arm + t->arm;
        reach += h * far * vec3_norm(vec3_from(plane_a ? p->omega : q->omega));
        return plane_b ? on_plane(w, poses, a, b, reach, list) : on_plane(w, poses, b, a, reach, list);
    }
    zn_status status = meet(w, poses, a, b, reach, list);
    for (size_t i = first; i < list->count; i++) {
        collide_candidate *c = &list->at[i];
        candidate_measure(c, &poses[w->shapes[c->shape[0]].given.body], &poses[w->shapes[c->shape[1]].given.body]);
    }
    return status;
}

double narrow_overlap(collide_world *w, const collide_pose *poses, int a, int b) {
    bool plane_a = w->shapes[a].given.class == COLLIDE_PLANE, plane_b = w->shapes[b].given.class == COLLIDE_PLANE;
    if (plane_a && plane_b) return 0;
    if (plane_a) return narrow_overlap(w, poses, b, a);
    const solid *s = &w->shapes[a], *t = &w->shapes[b];
    const collide_pose *p = &poses[s->given.body], *q = &poses[t->given.body];
    double deepest = -INFINITY;
    if (plane_b) {
        feature g = plane_feature(t);
        collide_candidate c = {.side = 1, .of = {{.kind = FEATURE_BALL}, g}};
        for (int i = 0; i < s->n_pieces; i++)
            for (int k = 0; k < s->piece[i].n_vertices; k++) {
                c.of[0].radius = s->piece[i].radius;
                vec3_store(s->piece[i].vertex[k], c.of[0].point);
                candidate_measure(&c, p, q);
                deepest = larger(deepest, -c.gap);
            }
        return deepest;
    }
    for (int i = 0; i < s->n_pieces; i++)
        for (int j = 0; j < t->n_pieces; j++) {
            if (put(w, 0, a, &s->piece[i], p, q->r) != ZN_OK || put(w, 1, b, &t->piece[j], q, q->r) != ZN_OK) return NAN;
            separation apart = separate(&w->side[0], &w->side[1]);
            deepest = larger(deepest, s->piece[i].radius + t->piece[j].radius - apart.distance);
        }
    return deepest;
}
