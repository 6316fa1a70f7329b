/* SPDX-License-Identifier: Apache-2.0 */
/* The convex hull of points in space, by Qhull: faces are merged where they are coplanar to round-off. Qhull is given valid input only
 * (finite, not flat), so that it has no reason for messages. */
#include "collide/internal.h"

#include <libqhull_r/qhull_ra.h>

#include <stdio.h>

/* Points that are nearer to a plane than this share of their extent are flat. */
#define HULL_FLAT 1e-9

/* The largest distance of a point from the affine hull of those found before: 0: point, 1: line, 2: plane. */
static zn_status check_flat(zn_context *context, int n, const double *points, const char *what) {
    vec3 o = vec3_from(points), e[3] = {{0}};
    double first = 0;
    for (int d = 0; d < 3; d++) {
        double best = 0;
        vec3 far = {0, 0, 0};
        for (int i = 1; i < n; i++) {
            vec3 x = vec3_sub(vec3_from(points + (size_t)3 * (size_t)i), o);
            for (int k = 0; k < d; k++) x = vec3_add_scaled(x, -vec3_dot(x, e[k]), e[k]);
            double size = vec3_norm(x);
            if (size > best) best = size, far = x;
        }
        if (d == 0) first = best;
        if (!(best > HULL_FLAT * first) || !(best > 0))
            return fail(context, ZN_ERROR_MODEL, "the points of the %s lie %s: give at least four points that do not lie in one plane",
                        what,
                        d == 0   ? "in one place"
                        : d == 1 ? "on one line"
                                 : "in one plane");
        e[d] = vec3_scale(1 / best, far);
    }
    return ZN_OK;
}

/* Copies faces and vertices of the finished hull. number[]: vertices by Qhull's numbers of points. */
static zn_status copy_hull(zn_context *context, qhT *qh, int *number, polytope *p) {
    facetT *facet;
    vertexT *vertex, **vertexp;
    int faces = 0, corners = 0, vertices = 0;
    FORALLfacets {
        faces++;
        corners += qh_setsize(qh, facet->vertices);
    }
    FORALLvertices vertices++;
    zn_status status = polytope_reserve(context, p, vertices, faces, corners, corners);
    if (status != ZN_OK) return status;
    /* vertices in the order of the points, faces in the order of their smallest vertices: not in that of Qhull */
    int n = 0;
    for (int i = 0; i < qh->num_points; i++) number[i] = -1;
    FORALLvertices number[qh_pointid(qh, vertex->point)] = 0;
    for (int i = 0; i < qh->num_points; i++) {
        if (number[i] < 0) continue;
        p->vertex[n] = vec3_from(qh->first_point + (size_t)3 * (size_t)i);
        number[i] = n++;
    }
    int f = 0, at = 0;
    FORALLfacets {
        setT *loop = qh_facet3vertex(qh, facet);
        FOREACHvertex_(loop) p->loop[at++] = number[qh_pointid(qh, vertex->point)];
        qh_settempfree(qh, &loop);
        p->normal[f] = vec3_from(facet->normal);
        p->start[++f] = at;
    }
    return ZN_OK;
}

static vec3 loop_normal(const polytope *p, int f) { /* Newell: exact to round-off for any polygon */
    vec3 sum = {0, 0, 0};
    vec3 o = p->vertex[p->loop[p->start[f]]];
    for (int k = p->start[f] + 1; k + 1 < p->start[f + 1]; k++)
        sum = vec3_add(sum, vec3_cross(vec3_sub(p->vertex[p->loop[k]], o), vec3_sub(p->vertex[p->loop[k + 1]], o)));
    return sum;
}

/* Loops counter-clockwise from outside and beginning at their smallest vertex; faces sorted by their loops. */
static void straighten(polytope *p, int *order, int *loops, int *starts) {
    for (int f = 0; f < p->n_faces; f++) {
        int n = p->start[f + 1] - p->start[f], *loop = p->loop + p->start[f], first = 0;
        if (vec3_dot(loop_normal(p, f), p->normal[f]) < 0)
            for (int i = 0, j = n - 1; i < j; i++, j--) {
                int t = loop[i];
                loop[i] = loop[j];
                loop[j] = t;
            }
        for (int i = 1; i < n; i++)
            if (loop[i] < loop[first]) first = i;
        for (int i = 0; i < n; i++) loops[i] = loop[(first + i) % n];
        memcpy(loop, loops, (size_t)n * sizeof *loop);
        int at = f; /* insertion: few faces */
        for (; at > 0; at--) {
            const int *other = p->loop + p->start[order[at - 1]];
            int m = p->start[order[at - 1] + 1] - p->start[order[at - 1]], k = 0;
            while (k < n && k < m && loop[k] == other[k]) k++;
            if (k == n || k == m || loop[k] > other[k]) break;
            order[at] = order[at - 1];
        }
        order[at] = f;
    }
    int at = 0;
    for (int i = 0; i < p->n_faces; i++) {
        int n = p->start[order[i] + 1] - p->start[order[i]];
        memcpy(loops + at, p->loop + p->start[order[i]], (size_t)n * sizeof *loops);
        starts[i + 1] = at += n;
    }
    memcpy(p->loop, loops, (size_t)at * sizeof *loops);
    for (int i = 0; i < p->n_faces; i++) p->start[i + 1] = starts[i + 1];
    for (int f = 0; f < p->n_faces; f++) p->normal[f] = vec3_normalised(loop_normal(p, f));
}

zn_status hull_make(zn_context *context, int n, const double *points, const char *name, polytope *p) {
    char what[120];
    snprintf(what, sizeof what, "polyhedron%s%s%s", name ? " '" : "", name ? name : "", name ? "'" : "");
    if (n < 4) return fail(context, ZN_ERROR_MODEL, "the %s has %d points, and needs at least four", what, n);
    zn_status status = check_flat(context, n, points, what);
    if (status != ZN_OK) return status;
    double *copy = MEM_ARRAY(context, double, (size_t)3 * (size_t)n);
    int *number = MEM_ARRAY(context, int, n), *work = NULL;
    FILE *silent = fopen("/dev/null", "w");
    qhT state, *qh = &state;
    if (!copy || !number) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        memcpy(copy, points, (size_t)3 * (size_t)n * sizeof *copy);
        char command[] = "qhull Pp";
        qh_zero(qh, silent);
        int code = qh_new_qhull(qh, 3, n, copy, False, command, NULL, silent);
        if (code) status = fail(context, ZN_ERROR_MODEL, "the hull of the %s cannot be found: its points may be nearly flat", what);
        else status = copy_hull(context, qh, number, p);
        int kept, total;
        qh_freeqhull(qh, !qh_ALL);
        qh_memfreeshort(qh, &kept, &total);
    }
    if (status == ZN_OK) {
        int corners = p->start[p->n_faces];
        work = MEM_ARRAY(context, int, corners + 2 * p->n_faces + 2);
        if (!work) status = ZN_ERROR_MEMORY;
        else straighten(p, work + corners, work, work + corners + p->n_faces);
    }
    if (status == ZN_OK) status = polytope_join(context, p);
    if (silent) fclose(silent);
    mem_free(context, work);
    mem_free(context, copy);
    mem_free(context, number);
    return status;
}

/* Each face as a fan of triangles. */
zn_status collide_hull(zn_context *context, int n, const double *points, const char *name, int *n_corners, double (**corners)[3],
                       int *n_triangles, int (**triangles)[3]) {
    polytope p = {0};
    *corners = NULL, *triangles = NULL, *n_corners = *n_triangles = 0;
    zn_status status = hull_make(context, n, points, name, &p);
    if (status == ZN_OK) {
        *corners = mem_array(context, (size_t)p.n_vertices, sizeof **corners);
        *triangles = mem_array(context, (size_t)p.start[p.n_faces], sizeof **triangles);
        if (!*corners || !*triangles) status = ZN_ERROR_MEMORY;
    }
    for (int i = 0; i < p.n_vertices && status == ZN_OK; i++) vec3_store(p.vertex[i], (*corners)[(*n_corners)++]);
    for (int f = 0; f < p.n_faces && status == ZN_OK; f++)
        for (int k = p.start[f] + 1; k + 1 < p.start[f + 1]; k++) {
            const int fan[3] = {p.loop[p.start[f]], p.loop[k], p.loop[k + 1]};
            memcpy((*triangles)[(*n_triangles)++], fan, sizeof fan);
        }
    polytope_free(context, &p);
    if (status == ZN_OK) return ZN_OK;
    mem_free(context, *corners);
    mem_free(context, *triangles);
    *corners = NULL, *triangles = NULL;
    return status;
}
