/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes become convex pieces in the frame K of their bodies. */
#include "collide/internal.h"

zn_status polytope_reserve(zn_context *context, polytope *p, int vertices, int faces, int corners, int edges) {
    *p = (polytope){.n_vertices = vertices, .n_faces = faces, .n_edges = edges};
    p->vertex = MEM_ARRAY(context, vec3, vertices);
    p->normal = MEM_ARRAY(context, vec3, faces);
    p->start = MEM_ARRAY(context, int, faces + 1);
    p->loop = MEM_ARRAY(context, int, corners);
    p->loop_edge = MEM_ARRAY(context, int, corners);
    p->edge = mem_array(context, (size_t)edges, sizeof *p->edge);
    p->side = mem_array(context, (size_t)edges, sizeof *p->side);
    return p->vertex && p->normal && p->start && p->loop && p->loop_edge && p->edge && p->side ? ZN_OK : ZN_MEMORY;
}

static void polytope_free(zn_context *context, polytope *p) {
    void *blocks[] = {p->vertex, p->normal, p->start, p->loop, p->loop_edge, p->edge, p->side};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    *p = (polytope){0};
}

/* Edges in the order in which the loops meet them first. */
zn_status polytope_join(zn_context *context, polytope *p) {
    (void)context;
    int n = 0;
    for (int f = 0; f < p->n_faces; f++) {
        for (int k = p->start[f]; k < p->start[f + 1]; k++) {
            int a = p->loop[k], b = p->loop[k + 1 < p->start[f + 1] ? k + 1 : p->start[f]], e = 0;
            while (e < n && !(p->edge[e][0] == b && p->edge[e][1] == a)) e++;
            if (e == n) {
                p->edge[e][0] = a, p->edge[e][1] = b;
                p->side[e][0] = f, p->side[e][1] = -1;
                n++;
            } else p->side[e][1] = f;
            p->loop_edge[k] = e;
        }
    }
    p->n_edges = n;
    return ZN_OK;
}

/* ---- pieces of simple shapes, in the frame of the shape ---- */

static zn_status make_point(zn_context *context, polytope *p) { return polytope_reserve(context, p, 1, 0, 0, 0); }

/* In space an edge; in the plane two faces, one for each side. */
static zn_status make_segment(zn_context *context, bool planar, double length, polytope *p) {
    zn_status status = planar ? polytope_reserve(context, p, 2, 2, 4, 0) : polytope_reserve(context, p, 2, 0, 0, 1);
    if (status != ZN_OK) return status;
    vec3 end = planar ? (vec3){length / 2, 0, 0} : (vec3){0, 0, length / 2};
    p->vertex[0] = vec3_scale(-1, end);
    p->vertex[1] = end;
    if (planar) {
        const int loop[4] = {1, 0, 0, 1};
        p->normal[0] = (vec3){0, 1, 0};
        p->normal[1] = (vec3){0, -1, 0};
        p->start[1] = 2, p->start[2] = 4;
        memcpy(p->loop, loop, sizeof loop);
    } else {
        p->edge[0][0] = 0, p->edge[0][1] = 1;
        p->side[0][0] = p->side[0][1] = -1;
    }
    return ZN_OK;
}

/* A polygon in the plane, counter-clockwise. */
static zn_status make_polygon(zn_context *context, int n, const double *points, polytope *p) {
    zn_status status = polytope_reserve(context, p, n, n, 2 * n, 0);
    if (status != ZN_OK) return status;
    for (int i = 0; i < n; i++) p->vertex[i] = (vec3){points[3 * i], points[3 * i + 1], 0};
    for (int i = 0; i < n; i++) {
        int next = (i + 1) % n;
        vec3 along = vec3_normalised(vec3_sub(p->vertex[next], p->vertex[i]));
        p->normal[i] = (vec3){along.y, -along.x, 0};
        p->start[i + 1] = 2 * i + 2;
        p->loop[2 * i] = i;
        p->loop[2 * i + 1] = next;
    }
    return ZN_OK;
}

static zn_status make_box(zn_context *context, bool planar, const double *size, polytope *p) {
    double x = size[0] / 2, y = size[1] / 2, z = size[2] / 2;
    if (planar) {
        const double corners[12] = {-x, -y, 0, x, -y, 0, x, y, 0, -x, y, 0};
        return make_polygon(context, 4, corners, p);
    }
    static const int loops[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    zn_status status = polytope_reserve(context, p, 8, 6, 24, 12);
    if (status != ZN_OK) return status;
    for (int i = 0; i < 8; i++) p->vertex[i] = (vec3){i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z};
    for (int f = 0; f < 6; f++) {
        double s = f & 1 ? 1 : -1;
        p->normal[f] = (vec3){f / 2 == 0 ? s : 0, f / 2 == 1 ? s : 0, f / 2 == 2 ? s : 0};
        p->start[f + 1] = 4 * (f + 1);
        memcpy(p->loop + (size_t)4 * f, loops[f], sizeof loops[f]);
    }
    return polytope_join(context, p);
}

/* ---- the whole ---- */

static zn_status make_pieces(zn_context *context, solid *s) {
    const collide_shape *g = &s->given;
    if (g->class == COLLIDE_PLANE) return ZN_OK;
    s->piece = MEM_ARRAY(context, polytope, 1);
    if (!s->piece) return ZN_MEMORY;
    s->n_pieces = 1;
    polytope *p = s->piece;
    zn_status status = ZN_OK;
    switch (g->class) {
    case COLLIDE_SPHERE: status = make_point(context, p); break;
    case COLLIDE_CAPSULE: status = make_segment(context, g->planar, g->size[1], p); break;
    case COLLIDE_BOX: status = make_box(context, g->planar, g->size, p); break;
    case COLLIDE_POLYHEDRON: status = make_polygon(context, g->n_points, g->points, p); break;
    default: return fail(context, ZN_MODEL, "the shape '%s' is of a class that does not collide yet", s->name);
    }
    bool round = g->class == COLLIDE_SPHERE || g->class == COLLIDE_CAPSULE;
    p->radius = g->radius + (round ? g->size[0] : 0);
    return status;
}

/* From the frame of the shape to K; the box around it. */
static void settle(solid *s) {
    mat3 S = pose_matrix(s->given.axes);
    vec3 c = vec3_from(s->given.centre);
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    int first = 0;
    for (int i = 0; i < s->n_pieces; i++) {
        polytope *p = &s->piece[i];
        p->first = first;
        first += p->n_vertices + p->n_faces + p->n_edges;
        for (int k = 0; k < p->n_faces; k++) p->normal[k] = mat3_apply(&S, p->normal[k]);
        for (int k = 0; k < p->n_vertices; k++) {
            p->vertex[k] = pose_point(c, &S, p->vertex[k]);
            double x[3];
            vec3_store(p->vertex[k], x);
            s->arm = larger(s->arm, vec3_norm(p->vertex[k]) + p->radius);
            for (int j = 0; j < 3; j++) {
                lo[j] = smaller(lo[j], x[j] - p->radius);
                hi[j] = larger(hi[j], x[j] + p->radius);
            }
        }
    }
    for (int j = 0; j < 3 && s->n_pieces > 0; j++) {
        s->middle[j] = (lo[j] + hi[j]) / 2;
        s->half[j] = (hi[j] - lo[j]) / 2;
        if (s->given.planar && j == 2) s->half[j] = 0;
    }
    s->extent = vec3_norm(vec3_from(s->half));
}

static zn_status check_numbers(zn_context *context, const collide_shape *g, const char *name) {
    if ((unsigned)g->class >= COLLIDE_CLASS_COUNT) return fail(context, ZN_ARGUMENT, "the shape '%s' is of no known class", name);
    if (!all_finite(3, g->centre) || !all_finite(9, g->axes) || !all_finite(3, g->size) || !all_finite(3, g->velocity))
        return fail(context, ZN_ARGUMENT, "the shape '%s' has a number that is not finite", name);
    if (!(g->radius >= 0 && g->radius < INFINITY))
        return fail(context, ZN_ARGUMENT, "the rounding radius of the shape '%s' must be zero or positive, not %g", name, g->radius);
    if (g->body < 0) return fail(context, ZN_ARGUMENT, "the shape '%s' belongs to no body", name);
    return ZN_OK;
}

zn_status solid_make(zn_context *context, const collide_shape *given, const char *name, solid *s) {
    *s = (solid){.given = *given};
    s->given.points = NULL;
    s->given.triangles = NULL;
    zn_status status = check_numbers(context, given, name);
    if (status != ZN_OK) return status;
    s->name = mem_text(context, name);
    if (!s->name) return ZN_MEMORY;
    s->given.points = given->points;
    status = make_pieces(context, s);
    s->given.points = NULL;
    if (status == ZN_OK) settle(s);
    return status;
}

void solid_free(zn_context *context, solid *s) {
    for (int i = 0; i < s->n_pieces; i++) polytope_free(context, &s->piece[i]);
    mem_free(context, s->piece);
    mem_free(context, s->name);
    *s = (solid){0};
}
