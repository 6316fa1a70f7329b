/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes become convex pieces in the frame K of their bodies. */
#include "base/list.h"
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
    p->silent_vertex = MEM_ARRAY(context, bool, vertices);
    p->silent_face = MEM_ARRAY(context, bool, faces);
    p->number = MEM_ARRAY(context, int, vertices + faces + edges);
    for (int i = 0; i < vertices + faces + edges && p->number; i++) p->number[i] = i;
    return p->number && p->silent_vertex && p->silent_face && p->vertex && p->normal && p->start && p->loop && p->loop_edge && p->edge &&
                   p->side
               ? ZN_OK
               : ZN_ERROR_MEMORY;
}

void polytope_free(zn_context *context, polytope *p) {
    void *blocks[] = {p->vertex, p->normal, p->start, p->loop, p->loop_edge, p->edge, p->side, p->silent_vertex, p->silent_face, p->number};
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

static zn_status make_box(zn_context *context, const double *size, polytope *p) {
    double x = size[0] / 2, y = size[1] / 2, z = size[2] / 2;
    static const int loops[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    zn_status status = polytope_reserve(context, p, 8, 6, 24, 12);
    if (status != ZN_OK) return status;
    for (int i = 0; i < 8; i++) p->vertex[i] = (vec3){i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z};
    for (int f = 0; f < 6; f++) {
        double s = f & 1 ? 1 : -1;
        p->normal[f] = (vec3){f / 2 == 0 ? s : 0, f / 2 == 1 ? s : 0, f / 2 == 2 ? s : 0};
        p->start[f + 1] = 4 * (f + 1);
        memcpy(p->loop + (size_t)4 * (size_t)f, loops[f], sizeof loops[f]);
    }
    return polytope_join(context, p);
}

/* Points in either sense, as a counter-clockwise polygon. */
static zn_status make_polygon(zn_context *context, solid *s, int n, const double *points) {
    double area, *turned = MEM_ARRAY(context, double, (size_t)3 * (size_t)n);
    if (!turned) return ZN_ERROR_MEMORY;
    zn_status status = polygon_check(context, n, points, s->name, &area);
    for (int i = 0; i < n && status == ZN_OK; i++)
        memcpy(turned + (size_t)3 * (size_t)i, points + (size_t)3 * (size_t)(area > 0 ? i : n - 1 - i), 3 * sizeof *points);
    if (status == ZN_OK) status = polygon_pieces(context, n, turned, &s->piece, &s->n_pieces);
    mem_free(context, turned);
    return status;
}

static zn_status make_planar_box(zn_context *context, solid *s, double x, double y) {
    const double corners[12] = {-x, -y, 0, x, -y, 0, x, y, 0, -x, y, 0};
    return polygon_pieces(context, 4, corners, &s->piece, &s->n_pieces);
}

/* ---- surfaces ---- */

static zn_status make_surface(zn_context *context, solid *s, int corners, int n_points, const double *points, int n_facets,
                              const int *facets) {
    s->surface = MEM_ARRAY(context, surface, 1);
    if (!s->surface) return ZN_ERROR_MEMORY;
    bool closed = s->given.class == COLLIDE_MESH && s->given.closed;
    *s->surface = (surface){.corners = corners, .n_points = n_points, .n_facets = n_facets};
    zn_status status = surface_make(context, points, facets, closed, s->name, s->surface);
    s->surface->radius = s->given.radius;
    return status;
}

/* A mesh that is closed and convex is a hull, whose directions of separation are exact at any depth. Larger ones stay meshes: pairs of near
 * triangles are fewer than pairs of edges. */
enum { CONVEX_MOST_FACETS = 256, CONVEX_MOST_EDGES = 64 };

static zn_status make_mesh(zn_context *context, solid *s, const collide_shape *g) {
    zn_status status = make_surface(context, s, 3, g->n_points, g->points, g->n_triangles, g->triangles);
    if (status != ZN_OK || g->n_triangles > CONVEX_MOST_FACETS || !surface_is_convex(s->surface)) return status;
    int n = 0;
    double *corners = MEM_ARRAY(context, double, (size_t)3 * (size_t)g->n_points);
    s->piece = MEM_ARRAY(context, polytope, 1);
    if (!corners || !s->piece) {
        mem_free(context, corners);
        return ZN_ERROR_MEMORY;
    }
    s->n_pieces = 1;
    for (int i = 0; i < g->n_points; i++)
        if (s->surface->start[i + 1] > s->surface->start[i]) vec3_store(s->surface->point[i], corners + (size_t)3 * (size_t)n++);
    status = hull_make(context, n, corners, s->name, s->piece);
    mem_free(context, corners);
    if (status != ZN_OK) return status;
    if (s->piece->n_edges > CONVEX_MOST_EDGES) {
        polytope_free(context, s->piece);
        mem_free(context, s->piece);
        s->piece = NULL, s->n_pieces = 0;
        return ZN_OK;
    }
    s->piece->radius = g->radius;
    surface_free(context, s->surface);
    mem_free(context, s->surface);
    s->surface = NULL;
    return ZN_OK;
}

static zn_status make_rectangle(zn_context *context, solid *s) {
    double x = s->given.size[0] / 2, y = s->given.size[1] / 2;
    const double points[12] = {-x, -y, 0, x, -y, 0, x, y, 0, -x, y, 0};
    static const int facets[6] = {0, 1, 2, 0, 2, 3};
    return make_surface(context, s, 3, 4, points, 2, facets);
}

/* Heights over a grid: size[0] x size[1] is the whole; each cell is cut along the same diagonal. */
static zn_status make_heights(zn_context *context, solid *s, const double *heights) {
    int nx = s->given.grid[0], ny = s->given.grid[1];
    if (nx < 2 || ny < 2)
        return fail(context, ZN_ERROR_MODEL, "the height field '%s' has %d x %d heights, and needs at least two in each direction", s->name,
                    nx, ny);
    if ((double)nx * ny > 1e8)
        return fail(context, ZN_ERROR_MODEL, "the height field '%s' is too large (%d x %d heights)", s->name, nx, ny);
    double *points = MEM_ARRAY(context, double, (size_t)3 * (size_t)nx * (size_t)ny);
    int *facets = MEM_ARRAY(context, int, (size_t)6 * (size_t)(nx - 1) * (size_t)(ny - 1)), at = 0;
    zn_status status = points && facets ? ZN_OK : ZN_ERROR_MEMORY;
    for (int j = 0; j < ny && status == ZN_OK; j++)
        for (int i = 0; i < nx; i++) {
            int k = j * nx + i;
            points[3 * k] = s->given.size[0] * ((double)i / (nx - 1) - 0.5);
            points[3 * k + 1] = s->given.size[1] * ((double)j / (ny - 1) - 0.5);
            points[3 * k + 2] = heights[k];
            if (i + 1 == nx || j + 1 == ny) continue;
            const int cell[6] = {k, k + 1, k + nx + 1, k, k + nx + 1, k + nx};
            memcpy(facets + at, cell, sizeof cell);
            at += 6;
        }
    if (status == ZN_OK) status = make_surface(context, s, 3, nx * ny, points, 2 * (nx - 1) * (ny - 1), facets);
    mem_free(context, points);
    mem_free(context, facets);
    return status;
}

static zn_status make_chain(zn_context *context, solid *s, const double *points) {
    int n = s->given.n_points, m = s->given.closed ? n : n - 1;
    if (n < (s->given.closed ? 3 : 2))
        return fail(context, ZN_ERROR_MODEL, "the chain '%s' has %d points, and needs at least %s", s->name, n,
                    s->given.closed ? "three" : "two");
    int *facets = MEM_ARRAY(context, int, (size_t)2 * (size_t)m);
    if (!facets) return ZN_ERROR_MEMORY;
    for (int i = 0; i < m; i++) facets[2 * i] = i, facets[2 * i + 1] = (i + 1) % n;
    zn_status status = make_surface(context, s, 2, n, points, m, facets);
    mem_free(context, facets);
    return status;
}

/* ---- round ones ---- */

/* Cylinder: both ends of its axis; cone: the centre of its base and the apex, a quarter and three quarters from its centre of mass. */
static zn_status make_turned(zn_context *context, const collide_shape *g, polytope *p) {
    bool cone = g->class == COLLIDE_CONE;
    zn_status status = polytope_reserve(context, p, 2, 0, 0, 1);
    if (status != ZN_OK) return status;
    p->core = cone ? CORE_CONE : CORE_CYLINDER;
    p->ring = g->size[0];
    p->vertex[0] = (vec3){0, 0, -g->size[1] / (cone ? 4 : 2)};
    p->vertex[1] = (vec3){0, 0, g->size[1] * (cone ? 0.75 : 0.5)};
    p->edge[0][0] = 0, p->edge[0][1] = 1;
    p->side[0][0] = p->side[0][1] = -1;
    return ZN_OK;
}

static zn_status make_ellipsoid(zn_context *context, const collide_shape *g, polytope *p) {
    zn_status status = polytope_reserve(context, p, 1, 0, 0, 0);
    p->core = CORE_ELLIPSOID;
    p->planar = g->planar;
    p->half_axis[0] = (vec3){g->size[0], 0, 0};
    p->half_axis[1] = (vec3){0, g->size[1], 0};
    p->half_axis[2] = (vec3){0, 0, g->planar ? 1 : g->size[2]}; /* in the plane any: nothing is beside it */
    return status;
}

/* ---- the whole ---- */

static zn_status one_piece(zn_context *context, solid *s) {
    s->piece = MEM_ARRAY(context, polytope, 1);
    if (!s->piece) return ZN_ERROR_MEMORY;
    s->n_pieces = 1;
    return ZN_OK;
}

static zn_status make_pieces(zn_context *context, solid *s, const collide_shape *g) {
    zn_status status = ZN_OK;
    switch (g->class) {
    case COLLIDE_PLANE: return ZN_OK;
    case COLLIDE_MESH: return make_mesh(context, s, g);
    case COLLIDE_HEIGHTS: return make_heights(context, s, g->points);
    case COLLIDE_RECTANGLE: return make_rectangle(context, s);
    case COLLIDE_CHAIN: return make_chain(context, s, g->points);
    default: break;
    }
    if (g->planar && g->class == COLLIDE_POLYHEDRON) status = make_polygon(context, s, g->n_points, g->points);
    else if (g->planar && g->class == COLLIDE_BOX) status = make_planar_box(context, s, g->size[0] / 2, g->size[1] / 2);
    else status = one_piece(context, s);
    if (status != ZN_OK) return status;
    polytope *p = s->piece;
    switch (g->class) {
    case COLLIDE_SPHERE: status = make_point(context, p); break;
    case COLLIDE_CAPSULE: status = make_segment(context, g->planar, g->size[1], p); break;
    case COLLIDE_BOX:
        if (!g->planar) status = make_box(context, g->size, p);
        break;
    case COLLIDE_POLYHEDRON:
        if (!g->planar) status = hull_make(context, g->n_points, g->points, s->name, p);
        break;
    case COLLIDE_ELLIPSOID: status = make_ellipsoid(context, g, p); break;
    case COLLIDE_CYLINDER:
    case COLLIDE_CONE: status = make_turned(context, g, p); break;
    case COLLIDE_PLANE:
    case COLLIDE_MESH:
    case COLLIDE_HEIGHTS:
    case COLLIDE_RECTANGLE:
    case COLLIDE_CHAIN:
    case COLLIDE_CLASS_COUNT: break; /* above, or none */
    }
    bool round = g->class == COLLIDE_SPHERE || g->class == COLLIDE_CAPSULE;
    for (int i = 0; i < s->n_pieces; i++) s->piece[i].radius = g->radius + (round ? g->size[0] : 0);
    return status;
}

typedef struct bounds {
    double lo[3], hi[3], arm;
} bounds;

static void include(bounds *b, vec3 at, double radius) {
    const double x[3] = {at.x, at.y, at.z};
    b->arm = larger(b->arm, vec3_norm(at) + radius);
    for (int j = 0; j < 3; j++) {
        b->lo[j] = smaller(b->lo[j], x[j] - radius);
        b->hi[j] = larger(b->hi[j], x[j] + radius);
    }
}

static void include_round(bounds *b, const polytope *p) {
    placed at = {.of = p, .A = mat3_identity(), .vertex = p->vertex};
    for (int k = 0; k < 6; k++) {
        double s = k & 1 ? -1 : 1;
        vec3 x, n = {k / 2 == 0 ? s : 0, k / 2 == 1 ? s : 0, k / 2 == 2 ? s : 0};
        least_point(&at, n, &x);
        include(b, x, p->radius);
    }
    double far = p->radius + p->ring;
    for (int k = 0; k < 3 && p->core == CORE_ELLIPSOID; k++) far = larger(far, p->radius + vec3_norm(p->half_axis[k]));
    for (int k = 0; k < p->n_vertices; k++) b->arm = larger(b->arm, vec3_norm(p->vertex[k]) + far);
}

/* From the frame of the shape to K; the box around it. */
static zn_status settle(zn_context *context, solid *s) {
    mat3 S = pose_matrix(s->given.axes);
    vec3 c = vec3_from(s->given.centre);
    bounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};
    for (int i = 0; i < s->n_pieces; i++) {
        polytope *p = &s->piece[i];
        for (int k = 0; k < p->n_faces; k++) p->normal[k] = mat3_apply(&S, p->normal[k]);
        for (int k = 0; k < p->n_vertices; k++) {
            p->vertex[k] = pose_point(c, &S, p->vertex[k]);
            if (p->core == CORE_HULL) include(&b, p->vertex[k], p->radius);
        }
        for (int k = 0; k < 3; k++) p->half_axis[k] = mat3_apply(&S, p->half_axis[k]);
        if (p->core != CORE_HULL) include_round(&b, p);
    }
    if (s->surface) {
        zn_status status = surface_settle(context, s->surface, c, &S);
        bool may_cross = s->given.class == COLLIDE_MESH || s->given.class == COLLIDE_CHAIN;
        if (status == ZN_OK && may_cross) status = surface_check_crossing(context, s->surface, s->name);
        if (status != ZN_OK) return status;
        for (int i = 0; i < s->surface->n_points; i++) include(&b, s->surface->point[i], s->surface->radius);
    }
    if (s->given.class == COLLIDE_PLANE) b = (bounds){0};
    for (int j = 0; j < 3; j++) {
        s->middle[j] = (b.lo[j] + b.hi[j]) / 2;
        s->half[j] = (b.hi[j] - b.lo[j]) / 2;
        if (s->given.planar && j == 2) s->half[j] = 0;
    }
    s->arm = b.arm;
    s->extent = vec3_norm(vec3_from(s->half));
    return ZN_OK;
}

LIST_IS_WHOLE(COLLIDE_CLASS_LIST, COLLIDE_CLASS_COUNT);
const char *collide_class_word(collide_class class, bool planar) {
    static const char *const words[][2] = {
#define X(identifier, space, plane, n_space, n_plane) {space, plane},
        COLLIDE_CLASS_LIST(X)
#undef X
    };
    return words[class][planar];
}

/* How many sizes a class has, all positive. Segments may be without a radius. */
static int sizes_of(const collide_shape *g) {
    static const int sizes[][2] = {
#define X(identifier, space, plane, n_space, n_plane) {n_space, n_plane},
        COLLIDE_CLASS_LIST(X)
#undef X
    };
    return sizes[g->class][g->planar];
}

static zn_status check_class(zn_context *context, const collide_shape *g, const char *name) {
    if ((unsigned)g->class >= COLLIDE_CLASS_COUNT) return fail(context, ZN_ERROR_ARGUMENT, "the shape '%s' is of an unknown class", name);
    const char *word = collide_class_word(g->class, g->planar);
    if (!word)
        return fail(context, ZN_ERROR_MODEL, "the shape '%s' is a %s, which does not exist in %s", name,
                    collide_class_word(g->class, !g->planar), g->planar ? "the plane" : "space");
    bool points = g->class == COLLIDE_POLYHEDRON || g->class == COLLIDE_MESH || g->class == COLLIDE_CHAIN;
    if ((points && (g->n_points < 1 || !g->points)) || (g->class == COLLIDE_HEIGHTS && !g->points))
        return fail(context, ZN_ERROR_MODEL, "the %s '%s' has no points", word, name);
    if (g->class == COLLIDE_MESH && (g->n_triangles < 1 || !g->triangles))
        return fail(context, ZN_ERROR_MODEL, "the mesh '%s' has no triangles", name);
    return ZN_OK;
}

static zn_status check_numbers(zn_context *context, const collide_shape *g, const char *name) {
    zn_status status = check_class(context, g, name);
    if (status != ZN_OK) return status;
    if (!all_finite(3, g->centre) || !all_finite(9, g->axes) || !all_finite(3, g->size) || !all_finite(3, g->velocity))
        return fail(context, ZN_ERROR_MODEL, "the shape '%s' has a number that is not finite", name);
    for (int i = 0; i < sizes_of(g); i++) {
        bool may_be_zero = g->class == COLLIDE_CAPSULE && i == 0;
        if (!(g->size[i] > 0 || (may_be_zero && g->size[i] == 0)))
            return fail(context, ZN_ERROR_MODEL, "size %d of the shape '%s' must be positive, not %g", i + 1, name, g->size[i]);
    }
    if (!(g->radius >= 0 && g->radius < INFINITY))
        return fail(context, ZN_ERROR_MODEL, "the rounding radius of the shape '%s' must be zero or positive, not %g", name, g->radius);
    long n = g->class == COLLIDE_HEIGHTS ? (g->grid[0] > 0 && g->grid[1] > 0 ? (long)g->grid[0] * g->grid[1] : 0) : 3L * g->n_points;
    for (long i = 0; g->points && i < n; i++)
        if (!isfinite(g->points[i]))
            return fail(context, ZN_ERROR_MODEL, "number %ld of the points of the shape '%s' is not finite", i + 1, name);
    if (g->body < 0) return fail(context, ZN_ERROR_ARGUMENT, "the shape '%s' belongs to no body", name);
    return ZN_OK;
}

zn_status solid_make(zn_context *context, const collide_shape *given, const char *name, solid *s) {
    *s = (solid){.given = *given};
    s->given.points = NULL; /* the caller's */
    s->given.triangles = NULL;
    zn_status status = check_numbers(context, given, name);
    if (status != ZN_OK) return status;
    s->name = mem_text(context, name);
    if (!s->name) return ZN_ERROR_MEMORY;
    status = make_pieces(context, s, given);
    return status == ZN_OK ? settle(context, s) : status;
}

void solid_free(zn_context *context, solid *s) {
    for (int i = 0; i < s->n_pieces; i++) polytope_free(context, &s->piece[i]);
    if (s->surface) surface_free(context, s->surface);
    mem_free(context, s->surface);
    mem_free(context, s->piece);
    mem_free(context, s->name);
    *s = (solid){0};
}
