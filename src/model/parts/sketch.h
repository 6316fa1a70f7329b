/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing a kind of part: expressions on the coordinates of some bodies and on parameters, compiled once for all parts of
 * the kind. Everything is in three dimensions; planar bodies live in the plane z = 0.
 *
 *   coordinates of a body   world: none      particle: r (2 or 3)      planar: (x, y, phi)      spatial: (r, p), p quaternion
 *   velocities              -                r'                        (x', y', phi')           (v, Omega), v in I, Omega in K
 *   kinematics of spatial bodies: r' = v,  p' = 1/2 Q(p) Omega;  rotation A(p), divided by p.p
 *
 * Moving bodies have no coordinates, but a prescribed motion r(t), A(t): see sketch_move. A scalar is a free coordinate s with velocity s';
 * states and kinematic coordinates have rates by formulas, q' = f(t, q, u), and a velocity is one of the u that such rates use.
 * A line body (a node of a bar) has one: r = p0 + x d, with p0 and d among its numbers.
 * A mark is a coordinate that is constant during a step and is updated after it by the part that needs it (joint_motion.c).
 * A section is a material point of a flexible body: it has no coordinates; its pose follows from its carriers, the nodes near it,
 * and from its numbers (weights), see section_express.
 */
#ifndef MODEL_PARTS_SKETCH_H
#define MODEL_PARTS_SKETCH_H

#include "model/formula_model.h"

typedef enum body_kind {
    BODY_WORLD,
    BODY_PARTICLE_2D,
    BODY_PARTICLE_3D,
    BODY_PLANAR,
    BODY_SPATIAL,
    BODY_MOVING_PLANAR,
    BODY_MOVING_SPATIAL,
    BODY_SCALAR,
    BODY_LINE,
    BODY_MARK,
    BODY_STATE,          /* of a controller: a coordinate without a velocity, its rate is a formula */
    BODY_KINEMATIC,      /* the same for a coordinate of the system: its rate is linear in the velocities */
    BODY_VELOCITY,       /* a velocity without a coordinate of its own */
    BODY_SECTION_POINT,  /* of a bar: r = sum N_i r_i, does not turn */
    BODY_SECTION_PLANAR, /* of a planar beam with angles: r = sum N_i r_i, phi = sum N_i phi_i */
    BODY_SECTION_SPLINE, /* of a planar spline: r = sum N_i r_i, direction r'/|r'| */
    BODY_SECTION_ROD,    /* of a spatial rod: r = sum N_i r_i, p = sum N_i p_i normalised */
    BODY_KIND_COUNT
} body_kind;

static inline int body_nq(body_kind kind) { return (int[]){0, 2, 3, 3, 7, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0}[kind]; }
static inline int body_nu(body_kind kind) { return (int[]){0, 2, 3, 3, 6, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0}[kind]; }
/* Velocities of its point, which come first. */
static inline int body_axes(body_kind kind) {
    return kind == BODY_PARTICLE_2D || kind == BODY_PLANAR ? 2 : kind == BODY_PARTICLE_3D || kind == BODY_SPATIAL ? 3 : 0;
}
static inline bool body_is_planar(body_kind kind) {
    return kind != BODY_PARTICLE_3D && kind != BODY_SPATIAL && kind != BODY_MOVING_SPATIAL && kind != BODY_SECTION_ROD;
}
/* No body: a coordinate or velocity that stands for itself. */
static inline bool body_is_number(body_kind kind) {
    return kind == BODY_SCALAR || kind == BODY_MARK || kind == BODY_STATE || kind == BODY_KINEMATIC || kind == BODY_VELOCITY;
}
/* A coordinate whose rate is a formula. */
static inline bool body_has_rate(body_kind kind) { return kind == BODY_STATE || kind == BODY_KINEMATIC; }
/* Whether it has unknowns. */
static inline bool body_is_held(body_kind kind) { return body_nq(kind) + body_nu(kind) > 0; }
static inline bool body_is_moving(body_kind kind) { return kind == BODY_MOVING_PLANAR || kind == BODY_MOVING_SPATIAL; }
static inline bool body_is_section(body_kind kind) { return kind >= BODY_SECTION_POINT && kind < BODY_KIND_COUNT; }
/* Whether forces can move it: it has coordinates, or its carriers have. */
static inline bool body_is_free(body_kind kind) { return body_is_held(kind) || body_is_section(kind); }
/* Whether its rotation can change. */
static inline bool body_turns(body_kind kind) {
    return kind == BODY_PLANAR || kind == BODY_SPATIAL || body_is_moving(kind) || (body_is_section(kind) && kind != BODY_SECTION_POINT);
}

typedef struct evec {
    expr x[3];
} evec;
typedef struct emat {
    evec column[3];
} emat;

enum { SKETCH_MOST_CARRIERS = 8, SKETCH_MOST_NUMBERS = 32 }; /* of one section */

/* A body as expressions: position and velocity of its centre of mass, rotation from K to I, angular velocity in I. */
typedef struct sketch_body {
    body_kind kind;
    int q, u; /* first local coordinate, velocity; sections: 0 */
    evec r, v, omega;
    emat A;
    expr phi; /* angle in the plane, any number of turns; spatial bodies: 0 */
    int turn; /* 0, or of a spatial body that holds coordinates the first of three motions: turning about the axes of I */
} sketch_body;

typedef struct sketch {
    zn_context *context;
    expr_graph *g;
    formula_system s;      /* what is expressed so far */
    int n_bodies, n_turns; /* motions in use */
    sketch_body *body;
    int n_holders;
    sketch_body *holder; /* the bodies whose coordinates these are, each once */
    int n_parameters, most_parameters;
    int rows[4]; /* rows so far: g, y, N, F */
    size_t output_capacity, probe_capacity;
    bool complete; /* T and p are expressed: they do not follow from the masses */
    bool failed;   /* out of memory while sketching: sketch_compile reports it */
} sketch;

/* Begins with the numbers of rows and the maximal number of parameters. ZN_ERROR_MEMORY or ZN_OK. Ends with sketch_compile or
 * sketch_free. */
zn_status sketch_begin(zn_context *, sketch *, int n_bodies, const body_kind *kinds, zn_sizes rows, int most_parameters);
/* The same for bodies that share coordinates and have numbers, which are parameters after those of the part. The layout is a
 * list of integers:  n_holders,  for each holder: kind, number of its numbers,
 *                    n_bodies,   for each body: kind, number of its numbers, number of its carriers, carriers (holders).
 * A body with coordinates has itself as its only carrier and its numbers there; numbers stand in the order of the layout. */
zn_status sketch_begin_on(zn_context *, sketch *, const int *layout, zn_sizes rows, int most_parameters);
/* The rate of a state or kinematic coordinate, which is not known at the beginning. */
void sketch_state(sketch *, const sketch_body *, expr rate);
/* Inputs of the machine, which formulas may read: right after the beginning. ZN_ERROR_MEMORY or ZN_OK. */
struct zn_machine;
zn_status sketch_inputs(sketch *, struct zn_machine *);
void sketch_free(sketch *);
/* The kind of part that was expressed, as a model whose parameters are zero. Frees the sketch. */
zn_status sketch_compile(sketch *, zn_model **kind);

/* The motion of a moving body as expressions of t: r, and a rotation by `angle` about a constant unit axis after the constant
 * rotation A0. Velocities follow by differentiation. */
void sketch_move(sketch *, int body, evec r, expr angle, evec axis, emat A0);

/* Draws r, v, A, omega and phi of a section from its carriers and numbers. A table in sections.c has one function for each kind
 * of section; r, v, omega, phi are zero and A is the identity before. */
typedef void section_express(sketch *, sketch_body *, int n_carriers, const sketch_body *const *carriers, const expr *numbers);
section_express sketch_section; /* calls the one of its kind */

/* The next parameter, the next three. Users give values in this order. */
expr sketch_parameter(sketch *);
evec sketch_parameter3(sketch *);

/* Rows, in the order of their group. A position row gets its velocity level by differentiation. */
void sketch_g(sketch *, expr g);
void sketch_gamma(sketch *, expr gamma);
void sketch_contact(sketch *, expr gap, int n_slips, const expr *slips);
void sketch_gap(sketch *, expr gap, expr rate); /* a contact without slips whose gap uses a mark: the rate must not */
void sketch_slip(sketch *, expr slip);          /* one that belongs to a contact without a gap */

/* All that is expressed depends on the rotations of bodies, not on the lengths of their quaternions, and on the places of bodies 0 and 1 by
 * the distance r_0 - r_1 only: said at the beginning, it spares derivatives. */
void sketch_is_geometric(sketch *);
/* What derivatives will be asked by: EXPR_MOTION, coordinates, turns of bodies about the axes of I. -1: none for this number. */
int sketch_ways(const sketch *);
int sketch_way(const sketch *, int i);

/* Forces and energies: a force F at a point moving with velocity v (virtual power F.v), a generalised power, a potential V(q, t)
 * whose force follows by differentiation, kinetic energy with the mass matrix that belongs to it. */
void sketch_force(sketch *, evec F, evec v);
void sketch_power(sketch *, expr force, expr rate);
void sketch_potential(sketch *, expr V);
void sketch_mass(sketch *, int row, int column, expr value); /* symmetric: both entries */
void sketch_h(sketch *, int row, expr value);                /* adds to h and to b */

/* A value of interest of t, q, u that results keep. The piece names its outputs in the order of the sketch. */
void sketch_output(sketch *, expr value);

/* The same for the machine. */
void sketch_probe(sketch *, expr value);
/* Rows, forces and energies so far act only while a condition holds. */
void sketch_switch(sketch *, expr condition);

/* The rotation by phi about z. */
emat sketch_planar_rotation(sketch *, expr phi);
/* A(p) for a quaternion of any length but zero. */
emat sketch_quaternion_rotation(sketch *, const expr *p);

/* Points and directions fixed to a body: r + A xi, v + omega x (A xi), A e. Body -1 is the world. */
evec sketch_point(sketch *, int body, evec xi);
evec sketch_point_velocity(sketch *, int body, evec xi);
evec sketch_direction(sketch *, int body, evec e);
evec sketch_omega(sketch *, int body);
/* d/dt of an expression of q and t along the motion. */
expr sketch_rate(sketch *, expr e);
/* Derivatives by a variable of the graph (EXPR_MOTION: in time), and shorter forms than the rules would find, which must be registered
 * first. */
evec sketch_by(sketch *, evec of, int variable);
void sketch_tell(sketch *, evec of, int variable, evec derivative);
void sketch_tell_one(sketch *, expr of, int variable, expr derivative);

/* A frame fixed to a body: its origin and axes in I. Takes the next twelve parameters: position and rotation in K. */
typedef struct sketch_frame {
    int body;
    evec p, v, omega;
    evec x, y, z;
} sketch_frame;
enum { SKETCH_FRAME_PARAMETERS = 12 };
sketch_frame sketch_next_frame(sketch *, int body);
sketch_frame sketch_frame_at(sketch *, int body, evec position, emat rotation);

/* ---- small algebra ---- */
expr sketch_constant(sketch *, double value);
evec evec_zero(sketch *);
evec evec_unit(sketch *, int axis);
evec evec_add(sketch *, evec a, evec b);
evec evec_sub(sketch *, evec a, evec b);
evec evec_scale(sketch *, expr s, evec a);
expr evec_dot(sketch *, evec a, evec b);
evec evec_cross(sketch *, evec a, evec b);
expr evec_norm(sketch *, evec a);
evec emat_apply(sketch *, emat A, evec a);            /* A a */
evec emat_apply_transposed(sketch *, emat A, evec a); /* A' a */
static inline expr sketch_add(sketch *k, expr a, expr b) { return expr_binary(k->g, EXPR_ADD, a, b); }
static inline expr sketch_sub(sketch *k, expr a, expr b) { return expr_binary(k->g, EXPR_SUB, a, b); }
static inline expr sketch_mul(sketch *k, expr a, expr b) { return expr_binary(k->g, EXPR_MUL, a, b); }
static inline expr sketch_neg(sketch *k, expr a) { return expr_unary(k->g, EXPR_NEG, a); }
static inline expr sketch_div(sketch *k, expr a, expr b) { return expr_binary(k->g, EXPR_DIV, a, b); }

#endif
