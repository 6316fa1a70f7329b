/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share: shapes as convex pieces, their places, and lists under construction. */
#ifndef COLLIDE_INTERNAL_H
#define COLLIDE_INTERNAL_H

#include "collide/collide.h"
#include "collide/tree.h"
#include "linalg/geometry.h"

/* Lengths below this share of the sizes of two shapes count as zero: a vertex that far beyond the border of a face is still over it. */
#define COLLIDE_BORDER 1e-7
/* A disc this near (sine) to a plane lies flat: its lowest point moves around too fast for a ring. */
#define ROUND_FLAT 0.02
/* Edges that enclose less than this (sine) are treated as parallel: the common normal of two lines is ill-conditioned there. */
#define COLLIDE_PARALLEL 0.1

/* A convex set: the hull of vertices, and a ball around each of its points. In space faces are polygons, counter-clockwise from outside,
 * and an edge lies between two faces; in the plane faces are edges of two vertices, and there are no other edges. A point or a segment has
 * no face. Features of a piece are numbered: vertices, faces, edges. */
typedef enum core { CORE_HULL, CORE_CYLINDER, CORE_CONE, CORE_ELLIPSOID } core;

typedef struct polytope {
    core core;                    /* else: a round piece, see round.c */
    double ring;                  /* radius of a cylinder or of the base of a cone */
    vec3 half_axis[3];            /* of an ellipsoid */
    bool planar;                  /* an ellipse */
    bool disc;                    /* the only face is a disc of this radius, its vertices are on the rim */
    const struct polytope *round; /* what this is a part of: see round.c */
    int n_vertices, n_faces, n_edges;
    vec3 *vertex, *normal;
    int *start, *loop;   /* vertices of face f: loop[start[f]] .. */
    int (*edge)[2];      /* vertices */
    int (*side)[2];      /* faces on both sides of an edge, -1: none */
    int *loop_edge;      /* edge from loop[k] to the next one; none in the plane */
    bool *silent_vertex; /* touches nothing: no body can meet it from outside without meeting its neighbours */
    bool *silent_face;   /* between two pieces of a shape: it separates, and is not touched */
    int *number;         /* of the features in the shape: vertices, faces, edges */
    double radius;
} polytope;

/* Facets (triangles; in the plane segments) that are touched from their front. */
typedef struct surface {
    int corners; /* of a facet: 3, in the plane 2 */
    int n_points, n_facets, n_edges;
    vec3 *point, *normal; /* in K */
    int (*facet)[3];
    int (*edge)[2], (*of_edge)[2];    /* points of an edge, its facets (-1: none) */
    int (*facet_edge)[3];             /* from corner k to the next one */
    bool *silent_point, *silent_edge; /* flat or inward */
    int *start, *beside;              /* points that share an edge with point i: beside[start[i]] .. */
    box3 *box;                        /* of the facets */
    tree tree;
    double radius;
} surface;

typedef struct solid {
    collide_shape given; /* points, triangles: own copies */
    char *name;
    double middle[3], half[3]; /* box around the shape, axes of K */
    double arm;                /* largest distance of its points from the origin of K */
    double extent;             /* a length: half the diagonal of the box */
    int n_pieces;
    polytope *piece;
    surface *surface; /* or NULL */
} solid;

/* What is asked of every shape in every step, close together. */
typedef struct outline {
    double middle[3], half[3], arm; /* as of the solid */
    int body;
    bool wide, planar; /* wide: a plane */
    bool spins;        /* turns are seen: not those of a sphere about its middle */
} outline;

/* Where two bodies are, each as seen from the other, and the rotation of the first in the second; a sphere's axes are those of the
 * scene. */
typedef struct relative {
    vec3 p[2];
    mat3 R;
} relative;

typedef struct pair_key {
    int a, b; /* shapes, a < b */
} pair_key;

typedef struct pair {
    pair_key of;
    int count;     /* of its candidates in the last list, */
    size_t first;  /* and the first of them */
    double slack;  /* how far they may move against each other before their candidates are others: see guard.c; PAIR_NEW: not checked yet */
    relative seen; /* when they were checked */
} pair;
#define PAIR_NEW (-1.0)

/* What threads have found out about a pair. */
typedef struct pair_look {
    double depth;    /* of an overlap */
    bool has, known; /* there is a depth; what overlaps is in the list */
    bool goes_far;   /* a way that has to be followed */
} pair_look;

typedef struct broad {
    int n; /* shapes */
    box3 *fat;
    tree tree;       /* planes are not in it */
    int moved_since; /* leaves that moved since it was built */
    pair *pairs;     /* sorted */
    size_t n_pairs, capacity, room;
    pair_key *fresh, *sorted; /* work space: pairs of boxes that moved, */
    size_t n_fresh, fresh_room, sorted_room, *end;
    pair *next; /* and the next pairs */
    size_t next_room;
    int *moved, *order; /* those that have moved; those of the tree */
    bool *is_moved, built;
} broad;

/* A piece at its place. Coordinates are relative to the origin of the search, which is near, so that large coordinates cost no digits. */
typedef struct placed {
    const polytope *of;
    int shape;
    const surface *surface; /* that it is a facet of, or NULL */
    int facet;
    vec3 r; /* of the body */
    mat3 A;
    vec3 *vertex, *normal;
    vec3 centre;
} placed;

struct collide_world {
    zn_context *context;
    solid *shapes;
    outline *outlines;
    size_t n_shapes, shape_capacity, outline_capacity;
    bool (*may_meet)(void *, int, int);
    void *user;
    broad broad;
    placed side[2]; /* work space of the narrow phase */
    size_t vertex_room[2], normal_room[2];
    polytope facet[2];
    polytope local[2]; /* parts of round pieces, */
    placed part[2];    /* at their places */
    int *near[2];      /* facets */
    size_t near_room[2];
    collide_list looked, next; /* work space: candidates of one pair; the list that is made from the last one */
    size_t listed;             /* entries of the last list */
    pair_look *looks;          /* per near pair */
    size_t look_room;
    int threads;         /* that share near pairs */
    double margin;       /* of the last search */
    double least_margin; /* the part of it within which features of shapes at rest are listed */
};

/* Two pieces under inspection. */
typedef struct meeting {
    collide_world *world;
    const placed *a, *b;
    double reach;  /* gaps up to this are listed */
    double border; /* see COLLIDE_BORDER, a length */
    double deep;   /* what lies behind a facet by more than this is beside it */
    bool sunk;     /* far into each other where a step begins: see narrow.c */
    collide_list *list;
    double slack; /* the shortest distance to other features so far */
} meeting;

/* ---- world.c ---- */
enum { PAIRS_OF_TASK = 64 };
/* work(user, first, last) for all near pairs, by threads. */
void collide_share_pairs(const collide_world *, void (*work)(void *user, int first, int last), void *user);
zn_status collide_need_looks(collide_world *);

/* ---- broad.c ---- */
zn_status broad_update(collide_world *, const collide_pose *, double h, double margin);
bool broad_serves(const collide_world *, const collide_pose *, double h);
void broad_destroy(collide_world *);
zn_status broad_prepare(collide_world *); /* memory for all shapes */
zn_status broad_settle(collide_world *);  /* the tree of boxes that are there */

/* ---- shape.c ---- */
zn_status solid_make(zn_context *, const collide_shape *, const char *name, solid *);
void solid_free(zn_context *, solid *);
zn_status polytope_reserve(zn_context *, polytope *, int vertices, int faces, int corners, int edges);
void polytope_free(zn_context *, polytope *);
/* Edges and the faces on both sides, from the loops. */
zn_status polytope_join(zn_context *, polytope *);

/* ---- hull.c, polygon.c ---- */
zn_status hull_make(zn_context *, int n, const double *points, const char *name, polytope *);
zn_status polygon_check(zn_context *, int n, const double *points, const char *name, double *area);
zn_status polygon_pieces(zn_context *, int n, const double *points, polytope **pieces, int *n_pieces);

/* ---- surface.c ---- */
/* Of a surface that has its numbers of corners, points and facets, and zeros. Takes points in the frame of the shape; `closed`: every edge
 * needs two facets. */
zn_status surface_make(zn_context *, const double *points, const int *facets, bool closed, const char *name, surface *);
/* From the frame of the shape to K; then boxes and tree. */
zn_status surface_settle(zn_context *, surface *, vec3 centre, const mat3 *axes);
/* After that: an error names two triangles or segments that go through each other (crossing.c). */
zn_status surface_check_crossing(zn_context *, const surface *, const char *name);
void surface_free(zn_context *, surface *);
/* Of triangles: closed, and all of it behind each of its triangles. */
bool surface_is_convex(const surface *);
/* A facet as a piece. Its arrays have room for a triangle. */
void surface_facet(const surface *, int facet, polytope *);
/* Is n (in K) the direction of a contact at this point or edge: does the surface around it lie behind? tilt: or nearly so, of a body that
 * stands on several. */
bool surface_allows_point(const surface *, int point, vec3 n, double tilt);
bool surface_allows_edge(const surface *, int edge, vec3 n, double tilt);

/* ---- separate.c ---- */
typedef enum axis_kind { AXIS_NONE, AXIS_FACE_A, AXIS_FACE_B, AXIS_EDGES, AXIS_FREE } axis_kind;
typedef struct separation {
    axis_kind kind;
    double distance; /* of the cores along n: negative when they overlap */
    vec3 n;          /* from b to a */
    int face, edge[2];
    vec3 at[2];                 /* AXIS_FREE: nearest points, */
    int count[2], vertex[2][4]; /* and the vertices that carry them */
} separation;
/* The direction of largest separation among normals of faces and common normals of edges: exact features, at any depth. */
separation separate_by_axes(const placed *a, const placed *b);
/* The same among directions that push facets to their fronts; for pieces that overlap. */
separation separate_to_fronts(const placed *a, const placed *b);
/* Nearest points of two hulls that do not touch (AXIS_FREE), or AXIS_NONE when they do. */
separation separate_by_points(const placed *a, const placed *b);

/* Least n.x of a piece, and where. Returns the vertex, or -1 on a round piece. */
int least_point(const placed *, vec3 n, vec3 *x);

/* ---- round.c ---- */
enum { ROUND_POINTS = 8 }; /* of a rim that lies flat */
zn_status round_reserve(collide_world *);
void round_free(collide_world *);
/* The best direction for two pieces of which one at least is round. */
separation round_separate(const placed *a, const placed *b);
/* The part of a round piece that faces the direction `out`; for others the piece itself. side: whose work space; on_face: out is the normal
 * of a face. */
const placed *round_part(collide_world *, int side, const placed *, vec3 out, bool on_face);
/* How far the part may turn against a face with the normal n before it is another one: a length at the arm of its shape. */
double round_slack(const collide_world *, const placed *, vec3 n);
/* How far the shape moves, at least, while the point that is nearest to a face moves by 1: the lowest point of a flat rim runs ahead. At
 * most 1. */
double round_pace(const collide_world *, const placed *, vec3 n);
/* How the part touches: the feature of vertex v, of the edge. */
void round_vertex(const placed *, int v, feature *);
void round_edge(const placed *, feature *);

/* ---- common_normal.c ---- */
/* From a direction n (from b to a) to that of largest separation nearby, of two pieces of which one at least is round; n itself, if none is
 * found. */
vec3 common_normal(const placed *a, const placed *b, vec3 n);

/* ---- expand.c ---- */
/* The direction (from b to a) of least overlap, about, of two pieces in space that overlap along n; n itself if it is. */
vec3 expand_direction(const placed *a, const placed *b, vec3 n);

/* ---- manifold.c ---- */
zn_status manifold_of(meeting *, const separation *);
zn_status manifold_of_parts(meeting *, const separation *);

/* ---- candidate.c ---- */
feature feature_vertex(const collide_world *, const placed *, int i, feature_kind);
feature feature_face(const collide_world *, const placed *, int f);
feature feature_edge(const collide_world *, const placed *, int e);
zn_status candidate_add(collide_world *, collide_list *, const collide_candidate *);
/* Gap, normal and point of a candidate at given places. */
void candidate_measure(collide_candidate *, const collide_pose *a, const collide_pose *b);
/* Sorts from `first` on, and drops what is there twice. */
void candidates_sort(collide_list *, size_t first);
int candidates_compare(const collide_candidate *, const collide_candidate *);
/* Whether it is one of two shapes, a < b; whether it is one of two that come before them. */
bool candidate_is_of(const collide_candidate *, int a, int b);
bool candidate_is_before(const collide_candidate *, int a, int b);

/* ---- flat.c ---- */
bool flat_reduce(collide_list *, size_t first, double size);

/* ---- guard.c ---- */
/* A pair has been examined; whether its candidates stay valid in a step of h from these poses, with a share of the slack. */
void guard_note(const collide_world *, const collide_pose *, pair *);
bool guard_serves(const collide_world *, const collide_pose *, const pair *, double h, double share);

/* ---- narrow.c ---- */
/* Two balls: the identity of the one candidate that they have, however they move. False: other shapes. */
bool narrow_only_one(const collide_world *, int a, int b, collide_candidate *);
/* *slack (may be NULL): how far the two may move against each other while the candidates are the same. */
zn_status narrow_pair(collide_world *, const collide_pose *, int a, int b, double h, double margin, collide_list *, double *slack);
/* Depth of the overlap of two shapes (0 or less: none), found by axes. */
double narrow_overlap(collide_world *, const collide_pose *, int a, int b);
/* The same of shapes that take no work space, such as balls: threads may ask at the same time. False: others. */
bool narrow_simple_overlap(const collide_world *, const collide_pose *, int a, int b, double *depth);
/* Whether the middle of a piece of `other` went through a facet of `sheet` from its front to its back; way: how far they moved against each
 * other, at most. */
bool narrow_goes_through(collide_world *, const collide_pose *from, const collide_pose *to, double way, int sheet, int other);
/* Adds a candidate for the deepest overlap of two shapes, whatever their features: two edges that cross, or the outermost point of one
 * along the direction of least depth against the plane across it, each fixed to its body. Exact at these poses, and of first order beside
 * them. */
zn_status narrow_deepest(collide_world *, const collide_pose *, int a, int b, collide_list *);

static inline vec3 pose_point(const vec3 r, const mat3 *A, vec3 x) { return vec3_add(r, mat3_apply(A, x)); }
static inline mat3 pose_matrix(const double *A) { return (mat3){{{A[0], A[3], A[6]}, {A[1], A[4], A[7]}, {A[2], A[5], A[8]}}}; }

#endif
