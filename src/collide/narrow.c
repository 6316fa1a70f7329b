/* SPDX-License-Identifier: Apache-2.0 */
/* Narrow phase: near pairs of shapes become candidates, piece by piece. */
#include "collide/internal.h"

/* ---- places ---- */

static zn_status put(collide_world *w, int side, int shape, const polytope *of, const collide_pose *p, const double *origin) {
    placed *at = &w->side[side];
    if (!mem_grow(w->context, (void **)&at->vertex, &w->vertex_room[side], (size_t)of->n_vertices, sizeof *at->vertex) ||
        !mem_grow(w->context, (void **)&at->normal, &w->normal_room[side], (size_t)of->n_faces + 1, sizeof *at->normal))
        return ZN_ERROR_MEMORY;
    at->of = of;
    at->shape = shape;
    at->surface = NULL;
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

/* Point k of a shape as a ball; false: there is none. */
static bool point_of(const solid *s, int k, feature *f, int *number) {
    *f = (feature){.kind = FEATURE_BALL, .side = 1};
    memcpy(f->velocity, s->given.velocity, sizeof f->velocity);
    if (s->surface) {
        if (k >= s->surface->n_points) return false;
        f->radius = s->surface->radius;
        vec3_store(s->surface->point[k], f->point);
        *number = s->surface->silent_point[k] ? -1 : k;
        return true;
    }
    int i = 0;
    while (i < s->n_pieces && k >= s->piece[i].n_vertices) k -= s->piece[i++].n_vertices;
    if (i == s->n_pieces) return false;
    const polytope *p = &s->piece[i];
    f->radius = p->radius;
    vec3_store(p->vertex[k], f->point);
    *number = p->silent_vertex[k] ? -1 : p->number[k];
    return true;
}

/* A round piece on a plane: its part that faces it. */
static zn_status round_on_plane(collide_world *w, const collide_pose *poses, collide_candidate *c, const polytope *of, double reach,
                                collide_list *list, double *slack) {
    const solid *s = &w->shapes[c->shape[0]], *f = &w->shapes[c->shape[1]];
    const collide_pose *at = &poses[s->given.body], *floor = &poses[f->given.body];
    zn_status status = put(w, 0, c->shape[0], of, at, floor->r);
    if (status != ZN_OK) return status;
    mat3 B = pose_matrix(floor->A);
    vec3 n = mat3_apply(&B, vec3_from(c->of[1].axis));
    const placed *p = round_part(w, 0, &w->side[0], vec3_scale(-1, n), true);
    double rounding = p->of->round->core == CORE_ELLIPSOID || p->of->n_vertices == 2 ? of->radius : 0;
    *slack = smaller(reach, larger(COLLIDE_BORDER * s->extent, round_slack(w, p, n)));
    for (int k = 0; k < p->of->n_vertices; k += p->of->disc ? 2 : 1) {
        collide_candidate d = *c;
        d.of[0] = feature_vertex(w, p, k, FEATURE_BALL);
        round_vertex(p, k, &d.of[0]);
        if (d.of[0].kind != FEATURE_BALL) d.of[1].radius += rounding;
        d.feature[0] = p->of->number[k];
        candidate_measure(&d, at, floor);
        if (d.gap <= reach && status == ZN_OK) status = candidate_add(w, list, &d);
    }
    return status;
}

/* Every vertex that may reach the plane, which has no borders. */
static zn_status on_plane(collide_world *w, const collide_pose *poses, int shape, int plane, double reach, collide_list *list,
                          double *slack) {
    const solid *s = &w->shapes[shape], *f = &w->shapes[plane];
    const collide_pose *at = &poses[s->given.body], *floor = &poses[f->given.body];
    collide_candidate c = {.shape = {shape, plane}, .feature = {0, 0}, .side = 1};
    c.of[1] = plane_feature(f);
    if (s->n_pieces == 1 && s->piece->core != CORE_HULL) return round_on_plane(w, poses, &c, s->piece, reach, list, slack);
    for (int k = 0; point_of(s, k, &c.of[0], &c.feature[0]); k++) {
        candidate_measure(&c, at, floor);
        if (!(c.gap <= reach) || c.feature[0] < 0) continue;
        zn_status status = candidate_add(w, list, &c);
        if (status != ZN_OK) return status;
    }
    return ZN_OK;
}

static bool is_round(const solid *s) { return s->n_pieces == 1 && s->piece->core != CORE_HULL; }

static double round_below_plane(collide_world *w, const collide_pose *poses, int shape, int plane) {
    const solid *s = &w->shapes[shape], *f = &w->shapes[plane];
    const collide_pose *floor = &poses[f->given.body];
    const feature side = plane_feature(f);
    if (put(w, 0, shape, s->piece, &poses[s->given.body], floor->r) != ZN_OK) return NAN;
    mat3 B = pose_matrix(floor->A);
    vec3 x, n = mat3_apply(&B, vec3_from(side.axis));
    least_point(&w->side[0], n, &x);
    return s->piece->radius + side.radius - vec3_dot(n, vec3_sub(x, mat3_apply(&B, vec3_from(side.point))));
}

static double points_below_plane(const collide_world *w, const collide_pose *poses, int shape, int plane) {
    const solid *s = &w->shapes[shape], *f = &w->shapes[plane];
    collide_candidate c = {.side = 1};
    double deepest = -INFINITY;
    c.of[1] = plane_feature(f);
    for (int k = 0; point_of(s, k, &c.of[0], &c.feature[0]); k++) {
        candidate_measure(&c, &poses[s->given.body], &poses[f->given.body]);
        deepest = larger(deepest, -c.gap);
    }
    return deepest;
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
    if (a->of->core != CORE_HULL || b->of->core != CORE_HULL) return round_separate(a, b);
    bool sharp = a->of->radius + b->of->radius == 0;
    separation s = {.kind = AXIS_NONE};
    if (!sharp || a->of->n_faces + b->of->n_faces == 0) s = separate_by_points(a, b);
    return s.kind == AXIS_NONE ? separate_by_axes(a, b) : s;
}

/* ---- pieces: convex ones, and facets near the other shape ---- */

/* The facets of s that may be near the box of another shape, grown by `reach`; numbers in w->near[side]. */
static zn_status near_facets(collide_world *w, int side, const solid *s, const collide_pose *p, const solid *t, const collide_pose *q,
                             double reach, int *n) {
    mat3 A = pose_matrix(p->A), B = pose_matrix(q->A);
    vec3 c = mat3_apply_transposed(&A, vec3_sub(pose_point(vec3_from(q->r), &B, vec3_from(t->middle)), vec3_from(p->r)));
    const double middle[3] = {c.x, c.y, c.z};
    box3 box;
    for (int i = 0; i < 3; i++) {
        double half = reach;
        for (int j = 0; j < 3; j++) half += fabs(vec3_dot(mat3_column(&A, i), mat3_column(&B, j))) * t->half[j];
        box.lo[i] = middle[i] - half;
        box.hi[i] = middle[i] + half;
    }
    *n = 0;
    tree_walk walk = tree_begin(&s->surface->tree, &box);
    for (int f = tree_next(&walk); f >= 0; f = tree_next(&walk)) {
        if (!mem_grow(w->context, (void **)&w->near[side], &w->near_room[side], (size_t)*n + 1, sizeof **w->near)) return ZN_ERROR_MEMORY;
        w->near[side][(*n)++] = f;
    }
    return ZN_OK;
}

/* Piece k of those under inspection, at its place. */
static zn_status put_piece(collide_world *w, int side, int shape, int k, const collide_pose *p, const double *origin) {
    const solid *s = &w->shapes[shape];
    if (!s->surface) return put(w, side, shape, &s->piece[k], p, origin);
    surface_facet(s->surface, w->near[side][k], &w->facet[side]);
    zn_status status = put(w, side, shape, &w->facet[side], p, origin);
    w->side[side].surface = s->surface;
    w->side[side].facet = w->near[side][k];
    return status;
}

static zn_status count_pieces(collide_world *w, const collide_pose *poses, int a, int b, double reach, int n[2]) {
    const solid *s[2] = {&w->shapes[a], &w->shapes[b]};
    for (int side = 0; side < 2; side++) {
        const solid *x = s[side], *y = s[1 - side];
        n[side] = x->n_pieces;
        if (!x->surface) continue;
        zn_status status = near_facets(w, side, x, &poses[x->given.body], y, &poses[y->given.body], reach, &n[side]);
        if (status != ZN_OK) return status;
    }
    return ZN_OK;
}

/* ---- when they meet ---- */

/* The pose after a time t, with the velocities of now. */
static collide_pose pose_after(const collide_pose *p, double t) {
    collide_pose q = *p;
    vec3 omega = vec3_from(p->omega);
    double turn = vec3_norm(omega);
    for (int i = 0; i < 3; i++) q.r[i] += t * p->v[i];
    if (!(turn * t > 0)) return q;
    mat3 R = quat_matrix(quat_rotation(vec3_scale(1 / turn, omega), turn * t));
    for (int j = 0; j < 3; j++) vec3_store(mat3_apply(&R, vec3_from(p->A + (size_t)3 * (size_t)j)), q.A + (size_t)3 * (size_t)j);
    return q;
}

/* Whether a facet cannot be met: the other piece is behind it. */
static bool is_behind(const placed *facet, const placed *other) {
    return facet->surface && !other->surface && vec3_dot(facet->normal[0], vec3_sub(other->centre, facet->vertex[0])) < 0;
}

enum { ADVANCES = 64 };

/* The first time at which two pieces are nearer than `stop`, when they move as now: no piece moves faster than `speed` to the other, so
 * that a time distance/speed is free of contact. INFINITY: not before `end`. */
static double first_meeting(collide_world *w, const collide_pose *poses, const int shape[2], const int k[2], double speed, double stop,
                            double end) {
    double t = 0;
    for (int turn = 0; turn < ADVANCES; turn++) {
        collide_pose at[2];
        for (int i = 0; i < 2; i++) at[i] = pose_after(&poses[w->shapes[shape[i]].given.body], t);
        for (int i = 0; i < 2; i++)
            if (put_piece(w, i, shape[i], k[i], &at[i], at[1].r) != ZN_OK) return 0;
        if (turn == 0 && (is_behind(&w->side[0], &w->side[1]) || is_behind(&w->side[1], &w->side[0]))) return INFINITY;
        separation s = separate_by_points(&w->side[0], &w->side[1]);
        double distance = s.distance - w->side[0].of->radius - w->side[1].of->radius;
        if (!(distance > stop)) return t;
        t += (distance - stop / 2) / speed;
        if (!(t < end)) return INFINITY;
    }
    return t;
}

/* ---- through a sheet ---- */

/* Whether the way from x to y, in the frame of a surface, goes through a facet from its front to its back. In the plane a facet is a
 * segment. */
static bool crosses_facet(const surface *s, int facet, vec3 x, vec3 y) {
    vec3 n = s->normal[facet], a = s->point[s->facet[facet][0]], b = s->point[s->facet[facet][1]];
    double before = vec3_dot(n, vec3_sub(x, a)), after = vec3_dot(n, vec3_sub(y, a));
    if (!(before > 0 && after < 0)) return false;
    vec3 at = vec3_add_scaled(x, before / (before - after), vec3_sub(y, x));
    if (s->corners == 2) return vec3_dot(vec3_sub(at, a), vec3_sub(b, a)) >= 0 && vec3_dot(vec3_sub(at, b), vec3_sub(a, b)) >= 0;
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        vec3 p = s->point[s->facet[facet][k]], q = s->point[s->facet[facet][(k + 1) % 3]];
        inside = inside && vec3_dot(n, vec3_cross(vec3_sub(q, p), vec3_sub(at, p))) >= 0;
    }
    return inside;
}

bool narrow_goes_through(collide_world *w, const collide_pose *from, const collide_pose *to, double way, int sheet, int other) {
    const solid *s = &w->shapes[sheet], *t = &w->shapes[other];
    const collide_pose *at[2][2] = {{&from[s->given.body], &from[t->given.body]}, {&to[s->given.body], &to[t->given.body]}};
    int n;
    if (!s->surface || t->surface || near_facets(w, 0, s, at[0][0], t, at[0][1], way, &n) != ZN_OK) return false;
    for (int j = 0; j < t->n_pieces; j++) {
        vec3 x[2]; /* its middle before and after, as seen from the surface */
        for (int k = 0; k < 2; k++) {
            if (put_piece(w, 1, other, j, at[k][1], at[k][0]->r) != ZN_OK) return false;
            mat3 A = pose_matrix(at[k][0]->A);
            x[k] = mat3_apply_transposed(&A, w->side[1].centre);
        }
        for (int i = 0; i < n; i++)
            if (crosses_facet(s->surface, w->near[0][i], x[0], x[1])) return true;
    }
    return false;
}

/* ---- candidates ---- */

/* A vertex over the common border of facets gives one candidate: where they are flat, or form a ridge, the facet in front. In a valley both
 * are touched. */
static void merge_facets(const collide_world *w, collide_list *list, size_t first) {
    size_t n = first;
    for (size_t i = first; i < list->count; i++) {
        const collide_candidate *c = &list->at[i];
        const surface *s = w->shapes[c->shape[1]].surface;
        bool keep = true;
        for (size_t j = first; j < list->count && keep && s && c->of[1].kind == FEATURE_PLANE; j++) {
            const collide_candidate *d = &list->at[j];
            if (i == j || d->of[1].kind != FEATURE_PLANE || d->shape[0] != c->shape[0] || d->shape[1] != c->shape[1] ||
                d->feature[0] != c->feature[0] || d->feature[1] == c->feature[1] || c->feature[1] < s->n_points ||
                d->feature[1] < s->n_points)
                continue;
            int f = c->feature[1] - s->n_points, g = d->feature[1] - s->n_points;
            if (f >= s->n_facets || g >= s->n_facets) continue;
            vec3 middle = {0, 0, 0};
            for (int k = 0; k < s->corners; k++) middle = vec3_add_scaled(middle, 1.0 / s->corners, s->point[s->facet[g][k]]);
            vec3 to = vec3_sub(middle, s->point[s->facet[f][0]]);
            double rise = vec3_dot(s->normal[f], to) / (vec3_norm(to) + 1e-300);
            if (rise > 1e-8) continue; /* a valley */
            keep = c->gap > d->gap || (c->gap == d->gap && f < g);
            if (fabs(rise) <= 1e-8) keep = f < g;
        }
        if (keep) list->at[n++] = list->at[i];
    }
    list->count = n;
}

static void measure(const collide_world *w, const collide_pose *poses, collide_list *list, size_t first) {
    for (size_t i = first; i < list->count; i++) {
        collide_candidate *c = &list->at[i];
        candidate_measure(c, &poses[w->shapes[c->shape[0]].given.body], &poses[w->shapes[c->shape[1]].given.body]);
    }
}

/* Shapes that are apart are examined again before they touch: after this part of their distance. */
static const double before_touch = 0.9;

static bool is_ball(const solid *s) { return !s->surface && s->n_pieces == 1 && s->piece->n_vertices == 1 && s->piece->core == CORE_HULL; }
/* They have one candidate, however they move. */
static bool are_balls(const solid *s, const solid *t) { return is_ball(s) && is_ball(t); }

bool narrow_only_one(const collide_world *w, int a, int b, collide_candidate *c) {
    if (!are_balls(&w->shapes[a], &w->shapes[b])) return false;
    int touching = a < b ? a : b, touched = a < b ? b : a;
    *c = (collide_candidate){.shape = {touching, touched},
                             .feature = {w->shapes[touching].piece->number[0], w->shapes[touched].piece->number[0]}};
    return true;
}

/* Of what is deep: bodies that begin a step farther in each other have sunk, and are held at all corners of what they share. Impacts mostly
 * leave less. */
static const double sunk = 0.1;

/* Candidates of two shapes at given poses. */
static zn_status meet(collide_world *w, const collide_pose *const at[2], int a, int b, const int n[2], double reach, collide_list *list,
                      double *slack) {
    const solid *s = &w->shapes[a], *t = &w->shapes[b];
    double extent = s->surface ? t->extent : t->surface ? s->extent : s->extent + t->extent;
    double smaller_one = s->surface ? t->extent : t->surface ? s->extent : smaller(s->extent, t->extent);
    meeting m = {w, &w->side[0], &w->side[1], reach, COLLIDE_BORDER * extent, 0.25 * smaller_one, false, list, INFINITY};
    double nearest = INFINITY;
    if (!are_balls(s, t)) m.slack = reach; /* what is not listed is farther away */
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++) {
            zn_status status = put_piece(w, 0, a, i, at[0], at[1]->r);
            if (status == ZN_OK) status = put_piece(w, 1, b, j, at[1], at[1]->r);
            if (status != ZN_OK) return status;
            if (is_behind(m.a, m.b) || is_behind(m.b, m.a)) continue;
            separation apart = separate(m.a, m.b);
            double gap = apart.distance - m.a->of->radius - m.b->of->radius;
            nearest = smaller(nearest, gap);
            if (gap > reach) {
                m.slack = smaller(m.slack, before_touch * gap);
                continue;
            }
            m.sunk = reach > 0 && gap < -sunk * m.deep;
            bool round = m.a->of->core != CORE_HULL || m.b->of->core != CORE_HULL;
            bool on_face = apart.kind == AXIS_FACE_A || apart.kind == AXIS_FACE_B;
            m.a = round ? round_part(w, 0, m.a, vec3_scale(-1, apart.n), on_face) : m.a;
            m.b = round ? round_part(w, 1, m.b, apart.n, on_face) : m.b;
            status = round ? manifold_of_parts(&m, &apart) : manifold_of(&m, &apart);
            m.a = &w->side[0], m.b = &w->side[1];
            if (status != ZN_OK) return status;
        }
    *slack = larger(larger(m.border, m.slack), before_touch * nearest);
    return ZN_OK;
}

/* How near features must be to be listed: nearer than the way that the shapes may come in the step, and a margin, which is some of these
 * ways and at least a part of the one that is given. */
static double listed_within(const collide_world *w, double way, double margin) {
    const double ways = 10;
    return way + smaller(margin, larger(ways * way, w->least_margin * margin));
}

/* Where they move far in the step, candidates are those of the moment at which they meet. */
static zn_status meet_in_step(collide_world *w, const collide_pose *poses, int a, int b, double h, double margin, collide_list *list,
                              double *slack) {
    const solid *s = &w->shapes[a], *t = &w->shapes[b];
    const collide_pose *p = &poses[s->given.body], *q = &poses[t->given.body], *const now[2] = {p, q};
    double way = approach(w, poses, a, b, h), reach = listed_within(w, way, margin);
    double thickness = s->surface ? t->extent : t->surface ? s->extent : smaller(s->extent, t->extent);
    double stop = smaller(margin / 2, 0.05 * thickness);
    int n[2];
    zn_status status = count_pieces(w, poses, a, b, reach, n);
    if (status != ZN_OK) return status;
    if (are_balls(s, t) || !(way > stop) || !(stop > 0)) return meet(w, now, a, b, n, reach, list, slack);
    double first = INFINITY;
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            first = smaller(first, first_meeting(w, poses, (int[2]){a, b}, (int[2]){i, j}, way / h, stop, smaller(first, h)));
    if (!(first < h)) return meet(w, now, a, b, n, margin, list, slack); /* they miss each other */
    collide_pose at[2] = {pose_after(p, first), pose_after(q, first)};
    status = meet(w, (const collide_pose *const[2]){&at[0], &at[1]}, a, b, n, way * (1 - first / h) + margin, list, slack);
    *slack = 0; /* for this step only */
    return status;
}

zn_status narrow_pair(collide_world *w, const collide_pose *poses, int a, int b, double h, double margin, collide_list *list,
                      double *slack) {
    double ignored;
    if (!slack) slack = &ignored;
    *slack = INFINITY;
    size_t first = list->count;
    bool plane_a = w->shapes[a].given.class == COLLIDE_PLANE, plane_b = w->shapes[b].given.class == COLLIDE_PLANE;
    if (plane_a && plane_b) return ZN_OK;
    const solid *s = &w->shapes[a], *t = &w->shapes[b];
    if (plane_a || plane_b) {
        /* A plane is wide: its body's rotation moves it fast where the other shape is. */
        const collide_pose *p = &poses[s->given.body], *q = &poses[t->given.body];
        double far = vec3_norm(vec3_sub(vec3_from(p->r), vec3_from(q->r))) + s->arm + t->arm;
        double reach =
            listed_within(w, approach(w, poses, a, b, h) + h * far * vec3_norm(vec3_from(plane_a ? p->omega : q->omega)), margin);
        *slack = reach; /* what is not listed is farther away */
        zn_status status = plane_b ? on_plane(w, poses, a, b, reach, list, slack) : on_plane(w, poses, b, a, reach, list, slack);
        candidates_sort(list, first);
        return status;
    }
    zn_status status = meet_in_step(w, poses, a, b, h, margin, list, slack);
    if (status != ZN_OK) return status;
    measure(w, poses, list, first);
    candidates_sort(list, first);
    if (s->surface || t->surface) merge_facets(w, list, first);
    double size = smaller(s->extent, t->extent);
    if (!s->given.planar && flat_reduce(list, first, size)) *slack = smaller(*slack, COLLIDE_BORDER * size);
    return ZN_OK;
}

/* Points and segments that meet have no direction of their own: across both, or where that is not one, across the longer one, or any. In
 * the plane only points are without faces. */
static separation separate_crossing(const placed *a, const placed *b) {
    vec3 u = vec3_sub(a->vertex[a->of->n_vertices - 1], a->vertex[0]), v = vec3_sub(b->vertex[b->of->n_vertices - 1], b->vertex[0]),
         ignored;
    vec3 n = vec3_cross(u, v), longer = vec3_norm(u) >= vec3_norm(v) ? u : v, at = (a->of->n_vertices == 1 ? a : b)->vertex[0];
    bool segments = a->of->n_vertices > 1 && b->of->n_vertices > 1;
    if (!(vec3_norm(longer) > 0)) n = mat3_column(&a->A, 0);
    else if (!(vec3_norm(n) > COLLIDE_PARALLEL * vec3_norm(u) * vec3_norm(v))) vec3_tangents(vec3_normalised(longer), &n, &ignored);
    return (separation){.kind = segments ? AXIS_EDGES : AXIS_FREE, .n = vec3_normalised(n), .at = {at, at}};
}

/* The deepest pieces of two shapes, and how they lie. */
typedef struct deepest {
    double depth;
    separation apart;
    int piece[2];
} deepest;

/* How facets that overlap are pushed to their fronts; not if that were much farther than out of each other: then others push. */
static bool to_fronts(const placed *a, const placed *b, separation *s) {
    const double farther = 4;
    if (!(a->surface && b->surface) || s->distance > 0) return true;
    separation t = separate_to_fronts(a, b);
    bool near = t.kind != AXIS_NONE && t.distance > farther * s->distance;
    if (near) *s = t;
    return near;
}

/* fronts: only those that can be pushed apart to their fronts. */
static zn_status find_deepest(collide_world *w, const collide_pose *poses, int a, int b, bool fronts, deepest *d) {
    const solid *s = &w->shapes[a], *t = &w->shapes[b];
    const collide_pose *p = &poses[s->given.body], *q = &poses[t->given.body];
    int n[2];
    *d = (deepest){.depth = -INFINITY};
    zn_status status = count_pieces(w, poses, a, b, 0, n);
    for (int i = 0; i < n[0] && status == ZN_OK; i++)
        for (int j = 0; j < n[1] && status == ZN_OK; j++) {
            status = put_piece(w, 0, a, i, p, q->r);
            if (status == ZN_OK) status = put_piece(w, 1, b, j, q, q->r);
            if (status != ZN_OK || is_behind(&w->side[0], &w->side[1]) || is_behind(&w->side[1], &w->side[0])) continue;
            separation apart = separate(&w->side[0], &w->side[1]);
            if (apart.kind == AXIS_NONE) apart = separate_crossing(&w->side[0], &w->side[1]);
            double depth = w->side[0].of->radius + w->side[1].of->radius - apart.distance;
            if (fronts && !to_fronts(&w->side[0], &w->side[1], &apart)) continue;
            if (is_worse(depth, d->depth)) *d = (deepest){depth, apart, {i, j}};
        }
    return status;
}

/* The centre of a shape that is a point with a radius, as `put` places it; NULL: another shape. */
static const polytope *sphere_at(const solid *s, const collide_pose *p, const double *origin, vec3 *centre) {
    const polytope *of = s->surface || s->n_pieces != 1 ? NULL : &s->piece[0];
    if (!of || of->core != CORE_HULL || of->n_vertices != 1) return NULL;
    mat3 A = pose_matrix(p->A);
    *centre = pose_point(vec3_sub(vec3_from(p->r), vec3_from(origin)), &A, of->vertex[0]);
    return of;
}

bool narrow_simple_overlap(const collide_world *w, const collide_pose *poses, int a, int b, double *depth) {
    bool plane_a = w->shapes[a].given.class == COLLIDE_PLANE, plane_b = w->shapes[b].given.class == COLLIDE_PLANE;
    if (plane_a && plane_b) return *depth = 0, true;
    if (plane_a) return narrow_simple_overlap(w, poses, b, a, depth);
    if (plane_b && is_round(&w->shapes[a])) return false;
    if (plane_b) return *depth = points_below_plane(w, poses, a, b), true;
    const collide_pose *p = &poses[w->shapes[a].given.body], *q = &poses[w->shapes[b].given.body];
    vec3 x[2];
    const polytope *one = sphere_at(&w->shapes[a], p, q->r, &x[0]), *other = one ? sphere_at(&w->shapes[b], q, q->r, &x[1]) : NULL;
    if (other) *depth = one->radius + other->radius - vec3_norm(vec3_sub(x[0], x[1]));
    return other != NULL;
}

double narrow_overlap(collide_world *w, const collide_pose *poses, int a, int b) {
    double depth;
    deepest d;
    if (narrow_simple_overlap(w, poses, a, b, &depth)) return depth;
    if (w->shapes[a].given.class == COLLIDE_PLANE) return round_below_plane(w, poses, b, a);
    if (w->shapes[b].given.class == COLLIDE_PLANE) return round_below_plane(w, poses, a, b);
    return find_deepest(w, poses, a, b, false, &d) == ZN_OK ? d.depth : NAN;
}

/* Numbers, beyond those of all others, of features that stand in for parts that no feature describes; and the piece, or the facet. */
enum { NUMBER_DEEPEST = 1 << 28 };

/* Two crossing edges. False: they do not cross well. */
static bool cross_edges(const collide_world *w, const placed *const of[2], const separation *s, collide_candidate *c) {
    if (s->kind != AXIS_EDGES) return false;
    for (int i = 0; i < 2; i++) c->of[i] = feature_edge(w, of[i], s->edge[i]);
    vec3 u = mat3_apply(&of[0]->A, vec3_from(c->of[0].axis)), v = mat3_apply(&of[1]->A, vec3_from(c->of[1].axis)), cross = vec3_cross(u, v);
    c->side = vec3_dot(cross, s->n) >= 0 ? 1 : -1;
    return vec3_norm(cross) >= COLLIDE_PARALLEL;
}

/* The outermost point of one, t, against the plane through that of the other. The face or corner is the other one: the outermost point of a
 * face is not unique. */
static void point_on_plane(const collide_world *w, const placed *const of[2], const separation *s, collide_candidate *c) {
    bool hulls = of[0]->of->core == CORE_HULL && of[1]->of->core == CORE_HULL;
    int t = s->kind == AXIS_FACE_A || (s->kind != AXIS_FACE_B && of[0]->of->core == CORE_HULL && !hulls) ? 1 : 0;
    vec3 x[2], n = vec3_scale(t ? -1 : 1, s->n);
    for (int i = 0; i < 2; i++) least_point(of[i], vec3_scale(i == 0 ? 1 : -1, s->n), &x[i]);
    if (hulls && s->kind == AXIS_FREE) x[0] = s->at[0], x[1] = s->at[1];
    const placed *a = of[t], *b = of[1 - t];
    c->shape[0] = a->shape, c->shape[1] = b->shape;
    c->of[0] = feature_vertex(w, a, 0, FEATURE_BALL);
    c->of[1] = feature_vertex(w, b, 0, FEATURE_PLANE);
    vec3_store(mat3_apply_transposed(&a->A, vec3_sub(x[t], a->r)), c->of[0].point);
    vec3_store(mat3_apply_transposed(&b->A, vec3_sub(x[1 - t], b->r)), c->of[1].point);
    vec3_store(mat3_apply_transposed(&b->A, n), c->of[1].axis);
    c->side = 1;
}

zn_status narrow_deepest(collide_world *w, const collide_pose *poses, int a, int b, collide_list *list) {
    if (w->shapes[a].given.class == COLLIDE_PLANE || w->shapes[b].given.class == COLLIDE_PLANE) return ZN_OK; /* all points are features */
    const collide_pose *p = &poses[w->shapes[a].given.body], *q = &poses[w->shapes[b].given.body];
    const placed *const of[2] = {&w->side[0], &w->side[1]};
    deepest d;
    zn_status status = find_deepest(w, poses, a, b, true, &d);
    if (status != ZN_OK || !(d.depth > 0) || d.apart.kind == AXIS_NONE) return status;
    status = put_piece(w, 0, a, d.piece[0], p, q->r);
    if (status == ZN_OK) status = put_piece(w, 1, b, d.piece[1], q, q->r);
    if (status != ZN_OK) return status;
    collide_candidate c = {.shape = {a, b}};
    if (!cross_edges(w, of, &d.apart, &c)) point_on_plane(w, of, &d.apart, &c);
    for (int i = 0; i < 2; i++) {
        int k = c.shape[i] == a ? 0 : 1;
        c.feature[i] = NUMBER_DEEPEST + (of[k]->surface ? of[k]->facet : d.piece[k]);
    }
    candidate_measure(&c, &poses[w->shapes[c.shape[0]].given.body], &poses[w->shapes[c.shape[1]].given.body]);
    return candidate_add(w, list, &c);
}
