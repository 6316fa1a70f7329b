/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes and poses in, candidates of contact out. Knows no mechanics beyond poses and velocities of bodies.
 *
 *   shapes, poses, velocities, h  ->  broad phase (boxes that may meet within the step)  ->  near pairs
 *                                 ->  narrow phase (features whose nearest points lie in them)  ->  candidates
 *
 * A candidate is a pair of features that may touch within the step. Its identity (two shapes, two features) is the same from list to list,
 * whatever the order of anything; lists are sorted by it. Planar shapes live in the plane z = 0 and never meet spatial ones. */
#ifndef COLLIDE_COLLIDE_H
#define COLLIDE_COLLIDE_H

#include "base/bytes.h"
#include "collide/feature.h"
#include "linalg/linalg.h"

/* Position and rotation (column by column) of a body, velocity of its origin and angular velocity in I. */
typedef struct collide_pose {
    double r[3], A[9], v[3], omega[3];
} collide_pose;

/* Identifier, its word in space and in the plane (NULL: there is none), how many sizes it has in space and in the plane. */
#define COLLIDE_CLASS_LIST(X)                                                                                                         \
    X(SPHERE, "sphere", "disk", 1, 1)      /* radius */                                                                               \
    X(CAPSULE, "capsule", "capsule", 2, 2) /* radius, 0: a segment; length between the centres of its ends, along e_z (plane: e_x) */ \
    X(BOX, "box", "box", 3, 2)             /* whole edges */                                                                          \
    X(CYLINDER, "cylinder", NULL, 2, 0)    /* radius, length along e_z, flat ends */                                                  \
    X(CONE, "cone", NULL, 2, 0) /* radius of the base, height along e_z, base below, centre of mass at the origin of the shape */     \
    X(ELLIPSOID, "ellipsoid", "ellipse", 3, 2)   /* half axes */                                                                      \
    X(POLYHEDRON, "polyhedron", "polygon", 0, 0) /* points: convex hull (space); in the plane a convex polygon */                     \
    X(MESH, "mesh", NULL, 0, 0) /* points, triangles: closed or open surface, normals by the right-hand rule; touched from outside */ \
    X(HEIGHTS, "height field", NULL, 2, 0) /* whole lengths; heights on a grid, along e_z of the shape */                             \
    X(PLANE, "plane", "line", 0, 0)        /* infinite, normal e_z (plane: e_y): a half space */                                      \
    X(RECTANGLE, "rectangle", NULL, 2, 0)  /* whole lengths in the plane e_x, e_y: one-sided, normal e_z */                           \
    X(CHAIN, NULL, "polyline", 0, 0)       /* in the plane: points of a polyline, open or closed; outside is on the left of open ones */
typedef enum collide_class {
#define X(identifier, space, plane, n_space, n_plane) COLLIDE_##identifier,
    COLLIDE_CLASS_LIST(X)
#undef X
        COLLIDE_CLASS_COUNT
} collide_class;

typedef struct collide_shape {
    collide_class class;
    int body;
    bool planar;
    double centre[3], axes[9]; /* frame of the shape in K of its body, column by column */
    double size[3];
    double radius;      /* rounding: the sum with a ball */
    double velocity[3]; /* of a belt, in K */
    bool closed;        /* chains */
    int n_points, n_triangles, grid[2];
    const double *points; /* 3 n_points in the frame of the shape; grid: heights, x fastest */
    const int *triangles; /* 3 n_triangles */
} collide_shape;

/* The word of a class; NULL: there are none of it there. */
const char *collide_class_word(collide_class, bool planar);

typedef struct collide_candidate {
    int shape[2];               /* shape[0] touches, shape[1] is touched */
    int feature[2];             /* their numbers within the shapes */
    feature of[2];              /* in K of their bodies */
    double side;                /* line against line: sign of (a_0 x a_1) . n, n from shape 1 to shape 0; else 1 */
    double gap, n[3], point[3]; /* at the poses of the search: gap, normal in I, and the middle of the nearest points */
} collide_candidate;

typedef struct collide_list {
    collide_candidate *at;
    size_t count, capacity;
} collide_list;

typedef struct collide_world collide_world;

collide_world *collide_create(zn_context *);
void collide_destroy(collide_world *);
/* Copies the shape (hull, decomposition, tree of triangles are made here). *index: its number. An error says what is wrong with it. */
zn_status collide_add(collide_world *, const collide_shape *, const char *name, int *index);
/* Which shapes may meet. Asked once for each pair of boxes that come near; must not change. Shapes of one body never meet. */
void collide_filter(collide_world *, bool (*may_meet)(void *user, int shape_a, int shape_b), void *user);
/* Shapes that hardly move are listed within this part of the margin (1 unless said), others within some of the ways that they may go: fewer
 * candidates, looked for more often. */
void collide_list_less(collide_world *, double least_margin);

/* Threads that share near pairs; the same results with any number. */
void collide_share(collide_world *, int threads);

/* All candidates that may touch until h later, when bodies move as the poses say, except for `margin` (a length). The list is sorted. It is
 * given back with the next search, which examines what has moved and takes the rest from it; one with another number of entries (an empty
 * one) is begun again. */
zn_status collide_find(collide_world *, const collide_pose *poses, double h, double margin, collide_list *);
/* The same, and pairs whose candidates are not valid at the end of their motion are examined in any case. */
zn_status collide_find_along(collide_world *, const collide_pose *poses, const collide_pose *ends, double h, double margin, collide_list *);
/* Whether the last list is still valid: no box has left the one it was found in, no pair has moved to other features. */
bool collide_still_serves(const collide_world *, const collide_pose *poses, double h);
/* The last list is this one (sorted), from now on; or none: all near pairs are examined. */
void collide_keep(collide_world *, const collide_list *);
void collide_forget(collide_world *);
/* The next search examines the pairs of these entries (sorted) in any case. */
void collide_doubt(collide_world *, const collide_list *);
/* What the world keeps of the last list, as bytes; read by one with the same shapes (ZN_ERROR_ARGUMENT: they are of others). With the list
 * itself. */
zn_status collide_carry(collide_world *, byte_stream *, collide_list *);
void collide_carry_candidate(byte_stream *, collide_candidate *);
/* The deepest overlap of any pair (0: none) and its shapes; that of pairs which no features can push apart: facets that lie across each
 * other. */
typedef struct collide_overlap {
    double depth, unexplained;
    int pair[2];
} collide_overlap;
/* Sorted entries of some size that begin with a candidate. */
typedef struct collide_entries {
    const void *first;
    size_t count, size;
} collide_entries;
/* Overlaps at these poses, found without the list. `missed` (may be NULL) gets candidates for pairs that overlap by more than `tolerance`:
 * features that the list has not, or has with other numbers. */
zn_status collide_check(collide_world *, const collide_pose *poses, double tolerance, const collide_entries *, collide_list *missed,
                        collide_overlap *);

/* Two shapes that went through each other, or deep into each other, in a step of h between these poses (-1: there are none); `between` has
 * room for as many poses. Only pairs that the last list was made from are examined. wholly: only what was deeper than the thinner one is
 * thick, or came through a sheet. */
zn_status collide_passes(collide_world *, const collide_pose *from, const collide_pose *to, double h, bool wholly, collide_pose *between,
                         int pair[2]);

/* Whether the deepest overlap is more than the thickness of the thinner one of its shapes, and was less deep at the poses before. Planes
 * are infinitely thick; sheets do not count: what touches them is on one side of them. */
bool collide_goes_through(collide_world *, const collide_pose *from, const collide_overlap *to);

/* The order of lists: 0 for the same pair of features. */
int collide_compare(const collide_candidate *, const collide_candidate *);
/* Whether it is one of these two shapes. */
bool collide_is_of_pair(const collide_candidate *, const int shape[2]);
/* The same numbers of their features, too: some features have parts that stand for them where they touch. */
bool collide_same_features(const collide_candidate *, const collide_candidate *);
/* Gap, normal and point of a candidate at other poses. */
void collide_measure(const collide_world *, const collide_pose *, collide_candidate *);
/* How far a candidate is from where other features take over; negative: they are listed instead. INFINITY: nowhere. */
double collide_to_border(const collide_world *, const collide_pose *, const collide_candidate *);
/* Half the diagonal of the smallest shape: lengths are small against it or not. */
double collide_smallest(const collide_world *);

/* A flat face with n > 3 corners in space, with or without notches, as n - 2 triangles of its corners, of the same sense. *wrong: NULL, or
 * why it cannot be divided. */
zn_status collide_cut_face(zn_context *, int n, const double *points, int (*triangle)[3], const char **wrong);

/* The convex hull of points: its corners and triangles (counter-clockwise from outside, corners counted from 0), which the caller frees.
 * name: for errors, or NULL. */
zn_status collide_hull(zn_context *, int n, const double *points, const char *name, int *n_corners, double (**corners)[3], int *n_triangles,
                       int (**triangles)[3]);

#endif
