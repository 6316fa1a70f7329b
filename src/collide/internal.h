/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share: shapes as convex pieces, their places, and lists under construction. */
#ifndef COLLIDE_INTERNAL_H
#define COLLIDE_INTERNAL_H

#include "collide/collide.h"
#include "linalg/geometry.h"

/* Lengths below this share of the sizes of two shapes are none: a vertex that far beyond the border of a face is still over it. */
#define COLLIDE_BORDER 1e-7
/* Edges that enclose less than this (sine) are treated as parallel: the common normal of two lines is ill-conditioned there. */
#define COLLIDE_PARALLEL 0.1

typedef struct box3 {
    double lo[3], hi[3];
} box3;

/* A convex set: the hull of vertices, and a ball around each of its points. In space faces are polygons, counter-clockwise from outside, and an
 * edge lies between two faces; in the plane faces are edges of two vertices, and there are no other edges. A point or a segment has no face.
 * Features of a piece are numbered: vertices, faces, edges. */
typedef struct polytope {
    int n_vertices, n_faces, n_edges;
    vec3 *vertex, *normal;
    int *start, *loop;         /* vertices of face f: loop[start[f]] .. */
    int (*edge)[2];            /* vertices */
    int (*side)[2];            /* faces on both sides of an edge, -1: none */
    int *loop_edge;            /* edge from loop[k] to the next one; NULL in the plane */
    double radius;
    int first;                 /* number of its first feature in the shape */
    bool one_sided;            /* a single face that is touched from its front only */
} polytope;

typedef struct solid {
    collide_shape given; /* points, triangles: own copies */
    char *name;
    double middle[3], half[3]; /* box around the shape, axes of K */
    double arm;                /* largest distance of its points from the origin of K */
    double extent;             /* a length: half the diagonal of the box */
    int n_pieces;
    polytope *piece;
} solid;

typedef struct pair {
    int a, b; /* a < b */
} pair;

typedef struct broad {
    int n; /* shapes with boxes; planes have none */
    box3 *fat;
    struct node *node;
    int n_nodes, moved_since; /* leaves that moved since the tree was built */
    int *leaf;                /* node of a shape, -1: not in the tree */
    pair *pairs;              /* sorted */
    size_t n_pairs, capacity;
    int *moved;
    bool *is_moved;
    bool built;
    size_t room;
} broad;

/* A piece at its place. Coordinates are relative to the origin of the search, which is near, so that large coordinates cost no digits. */
typedef struct placed {
    const polytope *of;
    int shape;
    vec3 r;       /* of the body */
    mat3 A;
    vec3 *vertex, *normal;
    vec3 centre;
} placed;

struct collide_world {
    zn_context *context;
    solid *shapes;
    size_t n_shapes, shape_capacity;
    bool (*may_meet)(void *, int, int);
    void *user;
    broad broad;
    int most_vertices, most_faces;
    placed side[2];       /* work space of the narrow phase */
    size_t vertex_room[2], normal_room[2];
    double margin; /* of the last search */
    bool stale;    /* boxes have changed since the last list was found */
};

/* Two pieces under inspection. */
typedef struct meeting {
    collide_world *world;
    placed *a, *b;
    double reach;  /* gaps up to this are listed */
    double border; /* see COLLIDE_BORDER, a length */
    collide_list *list;
} meeting;

/* ---- broad.c ---- */
zn_status broad_update(collide_world *, const collide_pose *, double h, double margin);
bool broad_serves(const collide_world *, const collide_pose *, double h);
void broad_destroy(collide_world *);

/* ---- shape.c ---- */
zn_status solid_make(zn_context *, const collide_shape *, const char *name, solid *);
void solid_free(zn_context *, solid *);
zn_status polytope_reserve(zn_context *, polytope *, int vertices, int faces, int corners, int edges);
/* Edges and the faces on both sides, from the loops. */
zn_status polytope_join(zn_context *, polytope *);

/* ---- separate.c ---- */
typedef enum axis_kind { AXIS_NONE, AXIS_FACE_A, AXIS_FACE_B, AXIS_EDGES, AXIS_FREE } axis_kind;
typedef struct separation {
    axis_kind kind;
    double distance; /* of the cores along n: negative when they overlap */
    vec3 n;          /* from b to a */
    int face, edge[2];
    vec3 at[2];      /* AXIS_FREE: nearest points, */
    int count[2], vertex[2][4]; /* and the vertices that carry them */
} separation;
/* The direction of largest separation among normals of faces and common normals of edges: exact features, at any depth. */
separation separate_by_axes(const placed *a, const placed *b);
/* Nearest points of two hulls that do not touch (AXIS_FREE), or AXIS_NONE when they do. */
separation separate_by_points(const placed *a, const placed *b);

/* ---- manifold.c ---- */
zn_status manifold_of(meeting *, const separation *);

/* ---- candidate.c ---- */
feature feature_vertex(const collide_world *, const placed *, int i, feature_kind);
feature feature_face(const collide_world *, const placed *, int f);
feature feature_edge(const collide_world *, const placed *, int e);
zn_status candidate_add(collide_world *, collide_list *, const collide_candidate *);
/* Gap, normal and point of a candidate at given places. */
void candidate_measure(collide_candidate *, const collide_pose *a, const collide_pose *b);
void candidates_sort(collide_list *);
int candidates_compare(const collide_candidate *, const collide_candidate *);

/* ---- narrow.c ---- */
zn_status narrow_pair(collide_world *, const collide_pose *, int a, int b, double h, double margin, collide_list *);
/* Depth of the overlap of two shapes (0 or less: none), found by axes. */
double narrow_overlap(collide_world *, const collide_pose *, int a, int b);

static inline vec3 pose_point(const vec3 r, const mat3 *A, vec3 x) { return vec3_add(r, mat3_apply(A, x)); }
static inline mat3 pose_matrix(const double *A) {
    return (mat3){{{A[0], A[3], A[6]}, {A[1], A[4], A[7]}, {A[2], A[5], A[8]}}};
}

#endif
