/* SPDX-License-Identifier: Apache-2.0 */
/* Round pieces: cylinders and cones with flat ends, ellipsoids.
 *
 * Directions. s(n) = min_a n.x - max_b n.x is exact for any n, by points that are farthest along n. Tried are the normals of faces and of
 * flat ends, the common normals of sides (the axis of a cylinder is a segment with a radius), and the direction of the nearest points; the
 * largest s wins. The latter has few digits when the pieces touch: there it is taken from places a little apart, and gets its digits by
 * common_normal.c.
 *
 * Parts. What touches along a direction is a part of the piece, small enough to be a hull whose corners and edge have round features:
 *
 *   disc        a flat end on a face, seen from within ROUND_FLAT of its normal: a face; its corners are points of the rim, fixed to the
 * body, the first
 *               where the rim is lowest
 *   generator   else, of a cylinder: the line on its side that is nearest; its ends are the rims (rings against planes: exact however far
 * the body rolls),
 *               the line itself is the axis with the radius of the cylinder
 *   generator of a cone: from the apex, a point, to the rim; a ball on its side touches the cone itself
 *   ball        of an ellipsoid: that of its curvature at the point; against planes and balls the ellipsoid itself */
#include "collide/internal.h"

/* Where no face is met, only a disc across the direction itself is one. */
#define ROUND_ALONG 1e-5
/* Apart by this share of their sizes, the nearest points give a direction to begin with, also where one of the two is small. */
#define ROUND_APART 1e-5
/* An overlap is little if it is at most this share of the thickness of the thinner piece. */
#define ROUND_LITTLE 1e-3
/* Sectors that number the points of a rim. */
enum { SECTORS = 256 };

/* Features of a cylinder or cone: 0, 1: ends (rims, apex), 2: side, 3, 4: discs, from 8 on points of the rims. */
enum { NUMBER_SIDE = 2, NUMBER_DISC = 3, NUMBER_RIM = 8 };

zn_status round_reserve(collide_world *w) {
    for (int i = 0; i < 2; i++) {
        zn_status status = polytope_reserve(w->context, &w->local[i], ROUND_POINTS, 1, ROUND_POINTS, 1);
        if (status != ZN_OK) return status;
        w->part[i].vertex = MEM_ARRAY(w->context, vec3, ROUND_POINTS);
        w->part[i].normal = MEM_ARRAY(w->context, vec3, 1);
        if (!w->part[i].vertex || !w->part[i].normal) return ZN_ERROR_MEMORY;
    }
    return ZN_OK;
}

void round_free(collide_world *w) {
    for (int i = 0; i < 2; i++) {
        polytope_free(w->context, &w->local[i]);
        mem_free(w->context, w->part[i].vertex);
        mem_free(w->context, w->part[i].normal);
    }
}

static vec3 axis_of(const placed *p) { return vec3_normalised(vec3_sub(p->vertex[1], p->vertex[0])); }

/* The direction across the axis; zero along it. */
static vec3 across(vec3 axis, vec3 n) { return vec3_add_scaled(n, -vec3_dot(n, axis), axis); }
/* The same of length 1. Of a direction nearly along the axis little is left but round-off, which has a part along it: large rims would
 * leave their plane. */
static vec3 outward(vec3 axis, vec3 n) { return vec3_normalised(across(axis, vec3_normalised(across(axis, n)))); }

/* ---- directions ---- */

int least_point(const placed *p, vec3 n, vec3 *x) {
    const polytope *P = p->of;
    int which = 0;
    double least = INFINITY;
    if (P->core == CORE_ELLIPSOID) {
        vec3 Mn = {0, 0, 0};
        for (int i = 0; i < 3; i++) {
            vec3 a = mat3_apply(&p->A, P->half_axis[i]);
            Mn = vec3_add_scaled(Mn, vec3_dot(a, n), a);
        }
        double size = sqrt(vec3_dot(n, Mn));
        *x = size > 0 ? vec3_add_scaled(p->vertex[0], -1 / size, Mn) : p->vertex[0];
        return -1;
    }
    if (P->core != CORE_HULL) {
        vec3 axis = axis_of(p), out = {0, 0, 0};
        if (vec3_norm(across(axis, n)) > 1e-9 * vec3_norm(n)) out = outward(axis, n); /* else along the axis: what is left is round-off */
        for (int i = 0; i < 2; i++) {
            double ring = P->core == CORE_CONE && i == 1 ? 0 : P->ring;
            vec3 y = vec3_add_scaled(p->vertex[i], -ring, out);
            double s = vec3_dot(n, y);
            if (s < least) least = s, *x = y;
        }
        return -1;
    }
    for (int i = 0; i < P->n_vertices; i++) {
        double s = vec3_dot(n, p->vertex[i]);
        if (s < least) least = s, which = i;
    }
    *x = p->vertex[which];
    return which;
}

static double apart_along(const placed *a, const placed *b, vec3 n) {
    vec3 x = {0}, y = {0};
    least_point(a, n, &x);
    least_point(b, vec3_scale(-1, n), &y);
    return vec3_dot(n, vec3_sub(x, y));
}

static void try_normals(const placed *f, const placed *a, const placed *b, double sign, axis_kind kind, separation *best) {
    const polytope *F = f->of;
    int n = F->core == CORE_HULL ? F->n_faces : F->core == CORE_CYLINDER ? 2 : F->core == CORE_CONE ? 1 : 0;
    for (int i = 0; i < n; i++) {
        vec3 out = F->core == CORE_HULL ? f->normal[i] : vec3_scale(i == 0 ? -1 : 1, axis_of(f));
        double s = apart_along(a, b, vec3_scale(sign, out));
        if (best->kind == AXIS_NONE || s > best->distance + 1e-12 * fabs(best->distance))
            *best = (separation){.kind = kind, .distance = s, .n = vec3_scale(sign, out), .face = i};
    }
}

/* Sides: the axis of a cylinder as a segment with a radius. */
static void try_sides(const placed *a, const placed *b, separation *best) {
    bool cylinder_a = a->of->core == CORE_CYLINDER, cylinder_b = b->of->core == CORE_CYLINDER;
    if (!(cylinder_a || a->of->core == CORE_HULL) || !(cylinder_b || b->of->core == CORE_HULL)) return;
    polytope A = *a->of, B = *b->of;
    placed p = *a, q = *b;
    A.core = B.core = CORE_HULL;
    p.of = &A;
    q.of = &B;
    separation s = separate_by_points(&p, &q);
    if (s.kind != AXIS_FREE) return;
    double along = apart_along(a, b, s.n);
    if (along > best->distance) *best = (separation){.kind = AXIS_FREE, .distance = along, .n = s.n};
}

/* Nearest points when the round one of the two is moved by `step`, so that they lie farther apart along n. */
static separation nearest_when_apart(const placed *a, const placed *b, vec3 n, double step) {
    vec3 room[2];
    bool is_a = a->of->core != CORE_HULL;
    placed moved = is_a ? *a : *b;
    moved.vertex = room;
    for (int i = 0; i < moved.of->n_vertices; i++) room[i] = vec3_add_scaled((is_a ? a : b)->vertex[i], is_a ? step : -step, n);
    return is_a ? separate_by_points(&moved, b) : separate_by_points(a, &moved);
}

/* The outward normal of a round piece where the middle of the other one is above its side: near the best direction when the other is small.
 * False: it has none. */
static bool side_normal(const placed *p, vec3 to, vec3 *n) {
    const polytope *P = p->of;
    if (P->core == CORE_HULL) return false;
    vec3 d = vec3_sub(to, p->vertex[0]), out = {0, 0, 0};
    if (P->core == CORE_ELLIPSOID) {
        for (int i = 0; i < 3; i++) {
            vec3 a = mat3_apply(&p->A, P->half_axis[i]);
            double square = vec3_dot(a, a);
            if (square > 0) out = vec3_add_scaled(out, vec3_dot(a, d) / (square * square), a);
        }
    } else {
        out = across(axis_of(p), d);
        if (P->core == CORE_CONE && vec3_norm(out) > 0) {
            vec3 axis = vec3_sub(p->vertex[1], p->vertex[0]); /* the side falls by its length over the ring */
            out = vec3_add_scaled(vec3_normalised(out), P->ring / vec3_dot(axis, axis), axis);
        }
    }
    *n = vec3_normalised(out);
    return vec3_norm(out) > 0;
}

/* A direction to begin with: of what is known the one along which they are farthest apart. */
static vec3 first_direction(const placed *a, const placed *b, const separation *best, const separation *nearest) {
    vec3 n = vec3_normalised(vec3_sub(a->centre, b->centre)), try[4];
    int count = 0;
    if (best->kind != AXIS_NONE) try[count++] = best->n;
    if (nearest->kind == AXIS_FREE) try[count++] = nearest->n;
    if (side_normal(b, a->centre, &try[count])) count++;
    if (side_normal(a, b->centre, &try[count])) try[count] = vec3_scale(-1, try[count]), count++;
    double most = apart_along(a, b, n);
    for (int i = 0; i < count; i++) {
        double along = apart_along(a, b, try[i]);
        if (along >= most) most = along, n = try[i];
    }
    return n;
}

/* Refinements of a direction; of one that is too far off for Newton's method (sine of a turn) there are more. */
enum { TURNS_APART = 4, TURNS_MOST = 32 };
#define ROUND_ROUGH 0.01

/* Moved apart along the best direction of all, two pieces have this direction as that of their nearest points; moved along another one,
 * theirs is nearer to the best one, by the ratio of the step and the radius of their curvature. So it is found by iteration, although the
 * pieces touch. */
/* s: the nearest points when the pieces are moved apart by `step` along n, which is a direction to begin with. */
static void climb(const placed *a, const placed *b, separation s, vec3 n, double step, separation *best) {
    double size = vec3_norm(vec3_sub(a->centre, b->centre)), most = best->distance + 1e-9 * size, turned = INFINITY;
    for (int turn = 0; turn < TURNS_MOST && s.kind == AXIS_FREE; turn++) {
        double along = apart_along(a, b, s.n);
        if (along > most) *best = (separation){.kind = AXIS_FREE, .distance = along, .n = s.n}, most = along;
        double by = vec3_norm(vec3_sub(s.n, n));
        bool rough = by > ROUND_ROUGH;
        if (step == 0 || !(by > 1e-13) || (!rough && (turn + 1 >= TURNS_APART || (turn > 1 && !(by < turned))))) break;
        if (rough && turn > 0)
            step = ROUND_APART * size + 2 * larger(0, -along); /* enough along this direction: the shorter, the nearer to the best one */
        n = s.n, turned = by;
        s = nearest_when_apart(a, b, n, step);
    }
}

static void try_nearest(const placed *a, const placed *b, separation *best) {
    double size = vec3_norm(vec3_sub(a->centre, b->centre)), step = 0;
    separation s = separate_by_points(a, b);
    vec3 n = first_direction(a, b, best, &s);
    if (!(s.kind == AXIS_FREE && s.distance > ROUND_APART / 2 * size)) {
        for (step = ROUND_APART * size; step < size; step *= 2) {
            s = nearest_when_apart(a, b, n, step);
            if (s.kind == AXIS_FREE && s.distance > ROUND_APART / 2 * size) break;
        }
    }
    climb(a, b, s, n, step, best);
}

/* A corner of one over the side of the other: the normal there has all its digits. */
static void try_corners(const placed *a, const placed *b, separation *best) {
    double lead = best->kind == AXIS_FREE ? 0 : 1e-9 * vec3_norm(vec3_sub(a->centre, b->centre)); /* a face that is as good is one */
    for (int turn = 0; turn < 4; turn++) {
        const placed *round = turn % 2 ? a : b, *other = turn % 2 ? b : a;
        double sign = turn % 2 ? -1 : 1;
        vec3 x, n;
        if (other->of->core != CORE_HULL || best->kind == AXIS_NONE) continue;
        least_point(other, vec3_scale(sign, best->n), &x);
        if (!side_normal(round, x, &n)) continue;
        double along = apart_along(a, b, vec3_scale(sign, n));
        if (along > best->distance + lead) *best = (separation){.kind = AXIS_FREE, .distance = along, .n = vec3_scale(sign, n)}, lead = 0;
    }
}

/* All digits of the direction that is the best so far; a face that is as good stays one. */
static void try_common_normal(const placed *a, const placed *b, separation *best) {
    if (best->kind == AXIS_NONE) return;
    double size = vec3_norm(vec3_sub(a->centre, b->centre)), lead = best->kind == AXIS_FREE ? -1e-14 : 1e-9;
    vec3 n = common_normal(a, b, best->n);
    double along = apart_along(a, b, n);
    if (along > best->distance + lead * size) *best = (separation){.kind = AXIS_FREE, .distance = along, .n = n};
}

static double thickness(const placed *p, vec3 n) {
    vec3 low, high;
    least_point(p, n, &low);
    least_point(p, vec3_scale(-1, n), &high);
    return vec3_dot(n, vec3_sub(high, low));
}

/* What was found so far is the best direction of those beside it. As long as the overlap along it is little, no other one matters; else the
 * best of all is looked for. */
static void try_least_way(const placed *a, const placed *b, separation *best) {
    if (best->kind == AXIS_NONE) { /* one inside of the other: any direction to begin with */
        vec3 n = vec3_sub(a->centre, b->centre), x = vec3_norm(n) > 0 ? vec3_normalised(n) : mat3_column(&a->A, 0);
        *best = (separation){.kind = AXIS_FREE, .distance = apart_along(a, b, x), .n = x};
    }
    if (a->of->planar || b->of->planar) return;
    if (!(-best->distance > ROUND_LITTLE * smaller(thickness(a, best->n), thickness(b, best->n)))) return;
    vec3 n = expand_direction(a, b, best->n);
    double along = apart_along(a, b, n), size = vec3_norm(vec3_sub(a->centre, b->centre));
    if (!(along > best->distance + 1e-9 * size)) return;
    *best = (separation){.kind = AXIS_FREE, .distance = along, .n = n};
    double step = ROUND_APART * size - 2 * along;
    climb(a, b, nearest_when_apart(a, b, n, step), n, step, best);
    try_corners(a, b, best);
    try_common_normal(a, b, best);
}

separation round_separate(const placed *a, const placed *b) {
    separation best = {.kind = AXIS_NONE, .distance = -INFINITY};
    try_normals(b, a, b, 1, AXIS_FACE_B, &best);
    try_normals(a, a, b, -1, AXIS_FACE_A, &best);
    try_sides(a, b, &best);
    try_nearest(a, b, &best);
    try_corners(a, b, &best);
    try_common_normal(a, b, &best);
    try_least_way(a, b, &best);
    return best;
}

/* ---- parts ---- */

static void begin_part(polytope *local, placed *part, const placed *of, int n) {
    local->core = CORE_HULL;
    local->round = of->of;
    local->radius = of->of->radius;
    local->ring = of->of->ring;
    local->disc = false;
    local->n_vertices = n;
    local->n_faces = local->n_edges = 0;
    vec3 *vertex = part->vertex, *normal = part->normal;
    *part = *of;
    part->vertex = vertex;
    part->normal = normal;
    part->of = local;
}

static void put_vertex(polytope *local, placed *part, int i, vec3 x, int number) {
    part->vertex[i] = x;
    local->vertex[i] = mat3_apply_transposed(&part->A, vec3_sub(x, part->r));
    local->number[i] = number;
    local->silent_vertex[i] = false;
}

/* The number of a point of the rim: its sector, seen from the body. */
static int sector(const placed *p, int end, vec3 out) {
    vec3 axis = mat3_apply_transposed(&p->A, axis_of(p)), x, y, d = mat3_apply_transposed(&p->A, out);
    vec3_tangents(axis, &x, &y);
    int k = (int)floor(atan2(vec3_dot(d, y), vec3_dot(d, x)) / (2 * acos(-1)) * SECTORS + 0.5);
    return NUMBER_RIM + end * SECTORS + (k + SECTORS) % SECTORS;
}

static void disc_part(polytope *local, placed *part, const placed *of, int end, vec3 out) {
    vec3 axis = axis_of(of), normal = vec3_scale(end == 0 ? -1 : 1, axis), low = across(axis, out), e1, e2;
    begin_part(local, part, of, ROUND_POINTS);
    if (!(vec3_norm(low) > 1e-9)) { /* flat: a direction of the body */
        vec3 x, y;
        vec3_tangents(mat3_apply_transposed(&of->A, axis), &x, &y);
        low = mat3_apply(&of->A, x);
    }
    e1 = outward(axis, low);
    e2 = vec3_cross(normal, e1);
    local->n_faces = 1;
    local->disc = true;
    local->start[0] = 0, local->start[1] = ROUND_POINTS;
    local->silent_face[0] = false;
    for (int k = 0; k < ROUND_POINTS; k++) {
        double angle = 2 * acos(-1) * k / ROUND_POINTS;
        vec3 d = vec3_add_scaled(vec3_scale(cos(angle), e1), sin(angle), e2);
        put_vertex(local, part, k, vec3_add_scaled(of->vertex[end], of->of->ring, d), sector(of, end, d));
        local->loop[k] = k;
    }
    part->normal[0] = normal;
    local->normal[0] = mat3_apply_transposed(&of->A, normal);
    local->number[ROUND_POINTS] = NUMBER_DISC + end;
}

static void generator_part(polytope *local, placed *part, const placed *of, vec3 out) {
    vec3 e = outward(axis_of(of), out);
    begin_part(local, part, of, 2);
    for (int i = 0; i < 2; i++) {
        double ring = of->of->core == CORE_CONE && i == 1 ? 0 : of->of->ring;
        put_vertex(local, part, i, vec3_add_scaled(of->vertex[i], ring, e), i);
    }
    local->n_edges = 1;
    local->edge[0][0] = 0, local->edge[0][1] = 1;
    local->side[0][0] = local->side[0][1] = -1;
    local->number[2] = NUMBER_SIDE;
}

/* Radius of curvature of an ellipsoid where its normal is m: that of a sphere as curved as it is in the mean. */
static double curvature_radius(const placed *p, vec3 m, vec3 *x) {
    vec3 t[2];
    least_point(p, vec3_scale(-1, m), x);
    vec3_tangents(m, &t[0], &t[1]);
    if (p->of->planar) t[0] = t[1] = (vec3){-m.y, m.x, 0};
    /* With h(m) = |M^(1/2) m| the support function, the curvatures' radii are its second derivatives across m. */
    double h2 = 0, sum = 0, along[2] = {0, 0};
    for (int i = 0; i < 3; i++) {
        vec3 a = mat3_apply(&p->A, p->of->half_axis[i]);
        double am = vec3_dot(a, m);
        h2 += am * am;
        for (int k = 0; k < 2; k++) {
            double at = vec3_dot(a, t[k]);
            sum += at * at;
            along[k] += am * at;
        }
    }
    double h = sqrt(h2);
    return (sum / h - (along[0] * along[0] + along[1] * along[1]) / (h2 * h)) / 2;
}

const placed *round_part(collide_world *w, int side, const placed *p, vec3 out, bool on_face) {
    polytope *local = &w->local[side];
    placed *part = &w->part[side];
    if (p->of->core == CORE_HULL) return p;
    if (p->of->core == CORE_ELLIPSOID) {
        vec3 x;
        double rho = curvature_radius(p, out, &x);
        begin_part(local, part, p, 1);
        put_vertex(local, part, 0, vec3_add_scaled(x, -rho, out), 0);
        local->radius = p->of->radius + rho;
        return part;
    }
    double up = vec3_dot(axis_of(p), out);
    bool flat = vec3_norm(across(axis_of(p), out)) < (on_face ? ROUND_FLAT : ROUND_ALONG);
    if (flat && (up < 0 || p->of->core == CORE_CYLINDER)) disc_part(local, part, p, up < 0 ? 0 : 1, out);
    else if (flat) { /* the apex */ begin_part(local, part, p, 1);
        put_vertex(local, part, 0, p->vertex[1], 1);
    } else generator_part(local, part, p, out);
    return part;
}

/* ---- features ---- */

/* A vertex of a part against a plane: a rim or an ellipsoid, or what it is already. */
void round_vertex(const placed *p, int v, feature *f) {
    const polytope *of = p->of->round;
    if (!of) return;
    if (of->core == CORE_ELLIPSOID) {
        f->kind = FEATURE_ELLIPSOID;
        f->radius = 0;
        vec3_store(of->vertex[0], f->point);
        for (int i = 0; i < 3; i++) {
            double a[3];
            vec3_store(of->half_axis[i], a);
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++) f->frame[3 * j + k] += a[j] * a[k];
        }
    } else if (!p->of->disc && p->of->n_vertices == 2 && !(of->core == CORE_CONE && v == 1)) {
        f->kind = FEATURE_RING;
        f->radius = of->ring;
        vec3_store(of->vertex[v], f->point);
        vec3_store(vec3_normalised(vec3_sub(of->vertex[1], of->vertex[0])), f->axis);
    }
}

/* The side of a cylinder is its axis with a radius. */
void round_edge(const placed *p, feature *f) {
    const polytope *of = p->of->round;
    if (!of || of->core != CORE_CYLINDER) return;
    vec3_store(vec3_scale(0.5, vec3_add(of->vertex[0], of->vertex[1])), f->point);
    f->radius = of->ring + of->radius;
}

double round_slack(const collide_world *w, const placed *p, vec3 n) {
    const polytope *of = p->of->round;
    if (!of || of->core == CORE_ELLIPSOID || p->of->n_vertices == 1) return INFINITY;
    if (p->of->disc) return 0;
    vec3 axis = mat3_apply(&p->A, vec3_normalised(vec3_sub(of->vertex[1], of->vertex[0])));
    return larger(0, vec3_norm(across(axis, n)) - ROUND_FLAT) * w->shapes[p->shape].arm;
}

/* A turn by theta moves the lowest point of a rim by R theta/sine of its tilt, the foot of an ellipsoid by the radius of its curvature; and
 * the shape by arm theta. */
double round_pace(const collide_world *w, const placed *p, vec3 n) {
    const polytope *of = p->of->round;
    double arm = w->shapes[p->shape].arm, way;
    if (!of || p->of->disc) return 1;
    if (of->core == CORE_ELLIPSOID) way = p->of->radius;
    else {
        vec3 axis = mat3_apply(&p->A, vec3_normalised(vec3_sub(of->vertex[1], of->vertex[0])));
        way = of->ring / larger(ROUND_FLAT, vec3_norm(across(axis, n)));
    }
    return way > arm ? arm / way : 1;
}
