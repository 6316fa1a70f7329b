/* SPDX-License-Identifier: Apache-2.0 */
/* Flexible bodies: nodes (bodies without mass of their own) and element pieces on them. One file for each type; flexible.c has
 * the table and what all types share: names, frames, sections.
 *
 * A type fills a flexible_type. `make` adds nodes with flexible_add_node, in the order of s, and elements with
 * flexible_add_element; elements differ only in their parameters, so that all share one kind. */
#ifndef MODEL_PARTS_FLEXIBLE_H
#define MODEL_PARTS_FLEXIBLE_H

#include "model/parts/builder.h"

/* A material point: the weights (numbers) by which it follows its carriers. A point that is just a node says so. */
typedef struct flexible_section {
    int node; /* -1, or the number of the node that has the same pose */
    int n_carriers, n_numbers;
    int carriers[SKETCH_MOST_CARRIERS]; /* numbers of nodes */
    double numbers[SKETCH_MOST_NUMBERS];
} flexible_section;

typedef struct flexible_type {
    const char *what, *element; /* "beam", "beam element" */
    int least_order, most_order, default_order;
    bool planar;
    body_kind section;
    zn_status (*make)(zn_parts *, const zn_flexible_def *, parts_flexible *);
    flexible_section (*at)(const zn_parts *, const parts_flexible *, double s);
} flexible_type;

extern const flexible_type flexible_bar, flexible_beam, flexible_spline, flexible_rod;

enum { FLEXIBLE_FORCES = 1, FLEXIBLE_STRAINS = 2 };

struct parts_flexible {
    char *name;
    const flexible_type *type;
    int order, n_elements;
    int first_node, n_nodes; /* nodes are consecutive bodies */
    int made, points;        /* elements and their recorded points so far */
    unsigned record;         /* FLEXIBLE_FORCES and FLEXIBLE_STRAINS */
    bool complete;           /* made without an error; else nothing finds it */
};

/* -1: there is none. */
int parts_find_flexible(const zn_parts *, const char *name, size_t length);
void parts_free_flexibles(zn_parts *);
/* The frame of "node3", -1: this is no name of a node. */
int parts_node_frame(const zn_parts *, int flexible, const char *name);
/* A frame on a body; flexible: 0, or 1 + the flexible body under whose name it is found. */
zn_status parts_add_frame(zn_parts *, int body, int flexible, const char *name, const double position[3], const double rotation[4],
                          zn_frame *frame);

/* ---- for types ---- */

/* The next node: kind, start, and numbers (copied) of `node`; its name is made. */
zn_status flexible_add_node(zn_parts *, parts_flexible *, const parts_body *node);
/* The next element: express, variant, bodies (nodes[i] are numbers of nodes), parameters, gravity of `shape`. NULL: an error. */
parts_piece *flexible_add_element(zn_parts *, parts_flexible *, const parts_piece *shape, const int *nodes);

/* Outputs: at each point of an element (points count from 1 along the body) its forces, then its strains, as far as f->record wants
 * them; `words` are the names of both, "N" ... "strain" ..., n of each. The number of outputs, and their names for a new element. */
int flexible_output_count(const parts_flexible *, int n_points, int n);
zn_status flexible_name_outputs(zn_parts *, parts_flexible *, parts_piece *, int n_points, int n, const char *const *forces,
                                const char *const *strains);
/* Draws what `record` wants of n forces and strains of a point. */
void flexible_express_outputs(sketch *, unsigned record, int n, const expr *forces, const expr *strains);

/* The curve at the start. */
typedef struct flexible_curve {
    zn_parts *parts;
    vec3 from, to;
    double curvature;
    vec3 left; /* where an arc turns to, as long as to - from */
    bool by_formula;
    expr r[3], r_s[3];
    vec3 velocity, omega; /* of the rigid motion about the point at s = 0 */
    vec3 origin;
} flexible_curve;
zn_status flexible_curve_make(zn_parts *, const zn_flexible_def *, flexible_curve *);
/* r(s) and dr/ds. */
void flexible_curve_at(const flexible_curve *, double s, vec3 *r, vec3 *r_s);
vec3 flexible_curve_velocity(const flexible_curve *, vec3 r);

/* Stiffness and inertia of the cross section. */
typedef struct flexible_material {
    double EA, GA[2], EI[2], GJ, line_density, rotary[2];
    double damping;
} flexible_material;
/* Which of them a type needs; what is missing is an error. A density that is missing is one always. */
enum { FLEXIBLE_NEEDS_GA = 1, FLEXIBLE_NEEDS_EI = 2, FLEXIBLE_SPATIAL = 4 };
/* Of flexible_material_make: the definition with the numbers of its radius, or height and width (cross_section.c). */
zn_status flexible_cross_section(zn_parts *, const zn_flexible_def *, zn_flexible_def *filled);
zn_status flexible_material_make(zn_parts *, const zn_flexible_def *, unsigned needs, flexible_material *);

/* Lagrange shape functions of order 1 or 2 on [-1, 1] with equidistant nodes, and their derivatives. */
void flexible_lagrange(int order, double xi, double *N, double *N_xi);
/* The section at s for elements of this sort, uniform in s, which share end nodes: weights N_i. */
flexible_section flexible_lagrange_section(const zn_parts *, const parts_flexible *, double s);
/* Gauss points and weights on [-1, 1]; n at most FLEXIBLE_MOST_GAUSS. */
enum { FLEXIBLE_MOST_GAUSS = 10 };
void flexible_gauss(int n, double *x, double *w);

#endif
