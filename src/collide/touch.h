/* SPDX-License-Identifier: Apache-2.0 */
/* Two features of two pieces that may touch: which pairs are allowed, and their candidates. */
#ifndef COLLIDE_TOUCH_H
#define COLLIDE_TOUCH_H

#include "collide/internal.h"

/* Corners and edges of surfaces that lie on faces may be off their normals by this (sine, of sharp ones): see surface.c. */
#define FACES_TILT 0.1

/* A side of a candidate. */
typedef struct half {
    const placed *of;
    int index; /* of the feature, counted within the piece */
    feature is;
    bool stands_in; /* for the feature with this index, as something else: it has a number of its own, beyond all others */
} half;

/* a, b: the touching and the touched one. Gaps beyond the reach are left out. */
zn_status touch_emit(meeting *, half a, half b, double side, double gap);
/* After a relative motion of this length the features are others. */
void touch_limit(meeting *, double way);
int touch_index_of_face(const placed *, int face);
int touch_index_of_edge(const placed *, int edge);

/* An edge: on the side of a cylinder its axis, with its radius. */
vec3 touch_edge_of(const placed *, int edge);
double touch_edge_length(const placed *, int edge);
double touch_edge_radius(const placed *);
/* The direction out of a face over its side k, and a point there. In the plane the sides are its two ends. */
vec3 touch_side_out(const placed *, int face, int k, vec3 *at);

/* How far beyond side k of a face something still is over it. */
double touch_side_border(const meeting *, const placed *, int k);

/* Whether a vertex or an edge may touch in the direction n, out of p, or nearly (tilt): see surface.c. */
bool touch_allows_vertex(const placed *, int vertex, vec3 n, double tilt);
bool touch_allows_edge(const meeting *, const placed *, int edge, vec3 n, double tilt);

/* Whether a point behind a facet of b leaves it over a shorter distance, across one of its edges. */
bool touch_leaves_beside(const meeting *, const placed *b, vec3 x, double gap);

/* about: the direction from b to a, which the distance of sharp ones does not show when they overlap. */
zn_status touch_vertex_on_face(meeting *, const placed *a, int vertex, const placed *b, int face);
zn_status touch_vertex_on_edge(meeting *, const placed *a, int vertex, const placed *b, int edge, vec3 about);
zn_status touch_vertex_on_vertex(meeting *, const placed *a, int i, const placed *b, int j, vec3 about);
/* Line against line, if they enclose `sine` at least, the nearest points lie in both edges, and both bodies lie behind them. n: about their
 * normal, from b to a. */
zn_status touch_edge_on_edge(meeting *, const placed *a, int i, const placed *b, int j, vec3 n, double sine, bool *done);

#endif
