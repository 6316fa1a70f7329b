/* SPDX-License-Identifier: Apache-2.0 */
/* Models from parts: bodies, frames on them, joints and forces between frames, and formulas over all of their coordinates.
 *
 *   body       coordinates              velocities               names in formulas and results
 *   particle   x, y (z)                 x', y' (z')              ball.x  ball.x'
 *   planar     x, y, phi                x', y', phi'             crank.phi  crank.phi'
 *   spatial    x, y, z, quaternion p    x', y', z', Omega in K   top.p0 ... top.p3  top.wx top.wy top.wz
 *
 * The frame K of a body is fixed to it with its origin in the centre of mass; I is the fixed frame. Planar bodies live in the
 * plane z = 0 of I. A quaternion has its scalar part first and takes components in K to components in I.
 *
 * A builder keeps everything by value; texts are copied. Every function that can fail returns a status and leaves a sentence
 * in the context. Handles know their builder: one of another builder, or one that was never filled, is ZN_ERROR_ARGUMENT. */
#ifndef ZENO_PARTS_H
#define ZENO_PARTS_H

#include "zeno/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zn_parts zn_parts;

typedef struct zn_body {
    unsigned stamp;
    int index;
} zn_body;
typedef struct zn_frame {
    unsigned stamp;
    int index;
} zn_frame;

/* An empty builder, or NULL with the error in the context. */
ZN_API zn_parts *zn_parts_create(zn_context *context);
/* Frees a builder; models that it built stay. */
ZN_API void zn_parts_destroy(zn_parts *parts);

/* A name for formulas. */
ZN_API zn_status zn_parts_parameter(zn_parts *, const char *name, double value);
/* Acts on all bodies with mass; zero when not given. */
ZN_API zn_status zn_parts_gravity(zn_parts *, const double g[3]);

/* ---- shapes: mass, centre and inertia of a homogeneous solid ---- */

/* cylinder, capsule, cone and disk (a flat one) have the axis z; a cone has its base below and its centre of mass in the origin; a box and
 * an ellipsoid are centred; a tetrahedron is given by 4 points, a polyhedron is the convex hull of points, a mesh a closed surface of
 * triangles whose normals (counterclockwise) point outside. In the plane: sphere and disk (both a flat disk about z), box, capsule (along
 * x), ellipsoid (an ellipse), and polygon (points, in order, no side crosses another; either way round). */
typedef enum zn_shape_type {
    ZN_SHAPE_NONE,
    ZN_SHAPE_SPHERE,
    ZN_SHAPE_BOX,
    ZN_SHAPE_CYLINDER,
    ZN_SHAPE_CAPSULE,
    ZN_SHAPE_DISK,
    ZN_SHAPE_TETRAHEDRON,
    ZN_SHAPE_MESH,
    ZN_SHAPE_CONE,
    ZN_SHAPE_ELLIPSOID,
    ZN_SHAPE_POLYHEDRON,
    ZN_SHAPE_POLYGON,
    ZN_SHAPE_TYPE_COUNT
} zn_shape_type;

typedef struct zn_shape_def {
    zn_shape_type type;
    double radius;  /* box, polyhedron, polygon: their rounding as something that touches; it has no mass */
    double length;  /* of a cylinder; of a capsule without its half spheres; height of a cone */
    double size[3]; /* of a box: whole edges; of an ellipsoid: whole axes */
    int n_points;   /* tetrahedron: 4 */
    const double (*points)[3];
    int n_triangles; /* mesh */
    const int (*triangles)[3];
    const char *material; /* of its surface; NULL: none */
    ZN_RESERVED;
} zn_shape_def;

typedef struct zn_mass {
    double mass;
    double center[3];  /* in the shape's coordinates */
    double inertia[6]; /* about the centre: xx, yy, zz, xy, xz, yz */
    ZN_RESERVED;
} zn_mass;

/* `planar`: mass per area of the plane, else per volume; a spatial disk: per area. */
ZN_API zn_status zn_shape_mass(zn_context *context, const zn_shape_def *shape, double density, bool planar, zn_mass *mass);

/* ---- bodies ---- */

typedef enum zn_body_type { ZN_BODY_PARTICLE_2D, ZN_BODY_PARTICLE_3D, ZN_BODY_PLANAR, ZN_BODY_SPATIAL, ZN_BODY_PRESCRIBED } zn_body_type;

typedef struct zn_body_def {
    const char *name; /* letters, digits, _ */
    zn_body_type type;
    double position[3], velocity[3];
    double angle, angle_rate;   /* planar */
    double rotation[4];         /* spatial, and the constant part of a prescribed rotation; any length except zero */
    double angular_velocity[3]; /* spatial, in K */
    double mass;
    double inertia[6];  /* about the centre of mass, in K: xx, yy, zz, xy, xz, yz; planar: zz */
    zn_shape_def shape; /* given: mass and inertia from it and `density`, or its inertia scaled to `mass` */
    double density;
    zn_formula motion[3];    /* prescribed: x, y, z as formulas of t (text NULL: position) ... */
    zn_formula motion_angle; /* ... and the angle about `motion_axis` (in I); text NULL: does not turn */
    double motion_axis[3];   /* default z */
    ZN_RESERVED;
} zn_body_def;

/* A planar body at the origin; its mass is to be given. */
ZN_API zn_body_def zn_default_body_def(void);
/* Adds a body; `body` (or NULL) gets its handle. */
ZN_API zn_status zn_parts_body(zn_parts *, const zn_body_def *def, zn_body *body);
/* The fixed world, a body without coordinates; its name is "world". */
ZN_API zn_body zn_parts_world(const zn_parts *);

/* The handle of a body that was added, by its name. */
ZN_API zn_status zn_parts_find_body(zn_parts *, const char *name, zn_body *body);

/* ---- frames ---- */

/* A frame fixed to a body: position in K, rotation (quaternion) from the frame to K; NULL: zero, none. Its name (may be NULL)
 * is unique among the frames of the body. */
ZN_API zn_status zn_parts_frame(zn_parts *, zn_body body, const char *name, const double position[3], const double rotation[4],
                                zn_frame *frame);
/* The frame on a body that has this origin and axis in I at the start (t = 0); NULL: the body's own. The frame's axis is z in
 * space and x in the plane; its other axes are those of I, turned as little as possible. Whether a joint or force is planar follows
 * from its two bodies: a frame on the world serves both. */
ZN_API zn_status zn_parts_frame_at(zn_parts *, zn_body body, const char *name, const double position[3], const double axis[3],
                                   zn_frame *frame);
/* The frame K of a body. */
ZN_API zn_frame zn_parts_body_frame(const zn_parts *, zn_body body);
/* By name: "crank" (its frame K) or "crank.tip". */
ZN_API zn_status zn_parts_find_frame(zn_parts *, const char *name, zn_frame *frame);

/* ---- joints ---- */

/* Of two frames a and b; d = origin of b - origin of a. "The axis" is that of frame a: z in space, x in the plane (where
 * all bodies of the joint are planar; rotations are then about z). Rows on position level unless said otherwise.
 * The one list of joints: name, identifier, word of scenes, what holds. */
#define ZN_JOINT_LIST(X)                                                                                                                 \
    X(REVOLUTE, revolute, "revolute", "same point, in space also same axis z")                                                           \
    X(SPHERICAL, spherical, "spherical", "same point")                                                                                   \
    X(PRISMATIC, prismatic, "prismatic", "b slides along the axis and does not turn")                                                    \
    X(CYLINDRICAL, cylindrical, "cylindrical", "b slides along the axis and turns about it")                                             \
    X(UNIVERSAL, universal, "universal", "same point, z of a perpendicular to x of b: the arms of the cross, each across its own shaft") \
    X(FIXED, fixed, "fixed", "b is welded to a")                                                                                         \
    X(DISTANCE, distance, "distance", "'length' between the points; if missing in a scene, that of the start")                           \
    X(PLANAR, planar, "planar", "b moves in the plane x, y of a and turns about z")                                                      \
    X(POINT_ON_LINE, point_on_line, "point-on-line", "the point of b is on the axis of a")                                               \
    X(ROLLING_DISK, rolling_disk, "rolling-disk",                                                                                        \
      "a thin disk with centre a, axis z of a and 'radius' rolls without slip on the plane z = 0 of b (in the "                          \
      "plane: line y = 0)")                                                                                                              \
    X(ROLLING_BALL, rolling_ball, "rolling-ball", "the same for a ball")                                                                 \
    X(MOTOR, motor, "motor", "velocity level: b turns against a about z with the angular velocity 'drive', a formula of 't'")            \
    X(SLIDER_MOTOR, slider_motor, "slider-motor", "velocity level: b moves along the axis with the velocity 'drive'")                    \
    X(GEAR, gear, "gear", "velocity level: omega_a + 'ratio' omega_b = 0 about the axes z of a and b")                                   \
    X(ANGLE_DRIVE, angle_drive, "angle-drive", "the angle from x of a to x of b about z is 'drive'")                                     \
    X(POSITION_DRIVE, position_drive, "position-drive", "the displacement along the axis is 'drive'")                                    \
    X(ROPE, rope, "rope", "a line along all places of 'between', points and pulleys, that cannot get longer than 'length' (a contact)")  \
    X(BELT, belt, "belt", "the same for a line that neither gets longer nor slack")

typedef enum zn_joint_type {
#define X(name, identifier, word, sentence) ZN_JOINT_##name,
    ZN_JOINT_LIST(X)
#undef X
        ZN_JOINT_TYPE_COUNT
} zn_joint_type;

/* What a joint has beside its rows, set-valued like every contact. s is the displacement of a prismatic joint, or the angle of a revolute
 * one from x of a to x of b about z: in (-pi, pi] at the start, where a turn more or less is taken if that is between the stops, and
 * counting turns from there. Each option is a part and a contact of its own: NAME.lower, NAME.upper, NAME.clutch, NAME.friction. */
typedef enum zn_clutch { ZN_CLUTCH_NONE, ZN_CLUTCH_FORWARD, ZN_CLUTCH_BACKWARD } zn_clutch;

typedef struct zn_joint_options {
    double stops[2];        /* lower <= s <= upper; -INFINITY, INFINITY: none */
    double backlash;        /* play: stops at half of it on both sides of s = 0; of drives and gears instead of their row */
    double restitution;     /* of stops and backlash */
    zn_clutch clutch;       /* forward: b can only turn (slide) in the direction of growing s, and is held in the other one */
    double friction_force;  /* dry friction by a given torque or force; or */
    double friction;        /* coefficient: times the force that the joint carries, plus `preload`; */
    double friction_radius; /* and of a revolute joint times this radius of the bearing */
    double
        friction_length; /* of a prismatic joint: of the sleeve around the origin of b, whose two ends carry force and moment; 0: the force alone */
    double preload;
    ZN_RESERVED;
} zn_joint_options;

/* A place on the path of a rope or belt: a point of a body, or a pulley with a radius around it (in the plane), around which the line goes
 * to the left
 * (counterclockwise) or clockwise. A pulley that grips takes the line along as it turns; over others it slides, and rubs with a friction at
 * most one. */
typedef struct zn_rope_place {
    zn_frame frame;
    double radius; /* 0: a point */
    bool clockwise, grips;
    double friction;
    ZN_RESERVED;
} zn_rope_place;
#define ZN_ROPE_MOST_PLACES 64

typedef struct zn_joint_def {
    const char *name;
    zn_joint_type type;
    zn_frame a, b;
    double length;                   /* distance; rope and belt: 0 is that of the start */
    double radius;                   /* rolling */
    double ratio;                    /* gear */
    zn_formula drive;                /* of t and parameters */
    const zn_joint_options *options; /* NULL: none */
    int n_path;                      /* rope and belt: their places; 0: a and b */
    const zn_rope_place *path;
    size_t reserved[5];
} zn_joint_def;

/* A revolute joint; its bodies and place are to be given. */
ZN_API zn_joint_def zn_default_joint_def(void);
/* No stops, friction, backlash or clutch. */
ZN_API zn_joint_options zn_default_joint_options(void);
/* Adds a joint. */
ZN_API zn_status zn_parts_joint(zn_parts *, const zn_joint_def *def);

/* ---- forces ---- */

/* The one list of forces: name, identifier, word of scenes, its keys there, what it does. */
#define ZN_FORCE_LIST(X)                                                                                                    \
    X(SPRING, spring, "spring", "'stiffness', 'damping', 'length' (at rest; 0), 'side'; or 'value'",                        \
      "between two points, along their line; see below for 'side' and 'value'")                                             \
    X(LINEAR_SPRING, linear_spring, "linear-spring", "the same", "on the displacement along the axis of a")                 \
    X(TORSION_SPRING, torsion_spring, "torsion-spring", "'stiffness', 'damping', 'angle' (at rest; 0), 'side'; or 'value'", \
      "on the angle from x of a to x of b about z, which counts turns")                                                     \
    X(ACTUATOR, actuator, "actuator", "'value', 'along: line' or 'axis'", "pushes b away from a with the force 'value'")    \
    X(TORQUE_ACTUATOR, torque_actuator, "torque-actuator", "'value'", "turns b against a about z of a")                     \
    X(BODY, body_force, "body", "'on', 'force: [..]', 'torque', 'components: world' or 'frame'",                            \
      "at the origin of a frame; 'torque' is a formula in the plane and a list in space")                                   \
    X(FIELD, field_force, "field", "'on', 'force: [..]' or 'potential'",                                                    \
      "the same with names 'x', 'y', 'z', 'x'', 'y'', 'z'' for the point in I")                                             \
    X(ANGLE_SERVO, angle_servo, "angle-servo", "'target', 'stiffness', 'damping', 'limit'",                                 \
      "turns b against a to the angle 'target' (as of 'revolute'), with a torque of at most 'limit'")                       \
    X(POSITION_SERVO, position_servo, "position-servo", "the same", "the same for the displacement along the axis of a, with a force")

typedef enum zn_force_type {
#define X(name, identifier, word, keys, sentence) ZN_FORCE_##name,
    ZN_FORCE_LIST(X)
#undef X
        ZN_FORCE_TYPE_COUNT
} zn_force_type;

/* A spring on one side only, such as a bump stop or a slack rope: it pushes while it is shorter than at rest, or pulls while it is longer,
 * damper included. */
typedef enum zn_spring_side { ZN_SPRING_BOTH, ZN_SPRING_PUSH, ZN_SPRING_PULL } zn_spring_side;

typedef struct zn_force_def {
    const char *name;
    zn_force_type type;
    zn_frame a, b; /* b: not of body and field forces */
    double stiffness, damping, length, angle;
    bool along_axis, in_frame;
    /* Formulas: of t, parameters and coordinates and velocities of all bodies. Springs: instead of stiffness and damping the force (torque)
     * that pulls them together, which may also use `length` (torsion: `angle`) and `rate`. Servos: the target. */
    zn_formula value;
    zn_formula force[3], torque[3];
    double limit;        /* of the force or torque of a servo; 0: none */
    zn_spring_side side; /* of springs with stiffness and damping */
    size_t reserved[6];
} zn_force_def;

/* A spring without stiffness; the type decides which members count. */
ZN_API zn_force_def zn_default_force_def(void);
/* Adds a force. */
ZN_API zn_status zn_parts_force(zn_parts *, const zn_force_def *def);

/* ---- formulas among the parts ---- */

/* A coordinate of its own with velocity name'. Its mass comes from zn_parts_energy. */
ZN_API zn_status zn_parts_coordinate(zn_parts *, const char *name, double start, double velocity);
/* A velocity of its own, which is the rate of no coordinate. Its mass comes from zn_parts_mass, its force, which is complete (potentials
 * add nothing to it), from zn_parts_generalised_force. */
ZN_API zn_status zn_parts_velocity(zn_parts *, const char *name, double start);
/* The rate of a coordinate that was added without a velocity: a formula, linear in velocities of any kind. */
ZN_API zn_status zn_parts_kinematics(zn_parts *, const char *coordinate, zn_formula rate);
/* Adds to the mass matrix, at the row and column of two velocities ("v", "crank.phi'"; column NULL: the same). Both halves may be said. */
ZN_API zn_status zn_parts_mass(zn_parts *, const char *row, const char *column, zn_formula value);
/* Adds to the energies of the model: kinetic over free coordinates (and planar bodies), potential over any. */
ZN_API zn_status zn_parts_energy(zn_parts *, const char *name, zn_formula kinetic, zn_formula potential);
/* A generalised force on a velocity: "crank.phi" or "crank.phi'", "top.wx". */
ZN_API zn_status zn_parts_generalised_force(zn_parts *, const char *coordinate, zn_formula value);
ZN_API zn_status zn_parts_position_constraint(zn_parts *, const char *name, zn_formula g);
ZN_API zn_status zn_parts_velocity_constraint(zn_parts *, const char *name, zn_formula gamma);
ZN_API zn_status zn_parts_contact_formula(zn_parts *, const char *name, const zn_contact_def *def);
/* A value of interest, any formula of t, coordinates and velocities, that results keep beside q and u. */
ZN_API zn_status zn_parts_output(zn_parts *, const char *name, zn_formula value);

/* ---- the picture ---- */

/* What `zeno page` shows beside the bodies' own shapes; texts are JSON as docs/page.md says, and may be NULL. */
typedef struct zn_view_def {
    const char *items;   /* objects separated by commas */
    const char *members; /* of the whole drawing, each after a comma: ", \"trail\": \"tip\"" */
    ZN_RESERVED;
} zn_view_def;

/* The model gets a drawing of its bodies, joints, springs and contacts; poses that are not coordinates become outputs "view. ...". */
ZN_API zn_status zn_parts_view(zn_parts *, const zn_view_def *def);
/* Items of the view draw this body: its own shape is left out. */
ZN_API zn_status zn_parts_view_body(zn_parts *, zn_body body);

/* ---- the model ---- */

/* Builds the model of everything that was added and checks its start; the builder may go on. */
ZN_API zn_status zn_parts_build(zn_parts *, zn_model **model);

/* What a model is made of, in the order of building: bodies, then the rest. Models that were not built from parts have none. */
typedef struct zn_part_info {
    const char *name;
    const char *what;      /* "planar body", "revolute joint", "spring", "formula constraint" ... */
    const char *bodies[2]; /* names of the bodies it acts on; NULL: fewer (formulas may act on more) */
    const char *group;     /* the flexible body that it is a node or element of; NULL: none */
    int nq, nu;            /* own coordinates and velocities */
    int ng, ny, n_contacts;
    ZN_RESERVED;
} zn_part_info;
/* Number of parts (bodies, joints, forces, contacts); 0 for models without parts. */
ZN_API int zn_model_part_count(const zn_model *model);
/* What a part is; an empty one when there is no such part. */
ZN_API zn_part_info zn_model_part_info(const zn_model *model, int part);

/* Of any model: which of its bilateral rows (ng + ny) follow from those before them, by the directions W of their forces at the
 * start. redundant: one flag per row, count: how many. The work is cubic: beyond ZN_MODEL_MOST_ROWS rows ZN_ERROR_UNSUPPORTED. */
#define ZN_MODEL_MOST_ROWS 1500
/* Which bilateral rows follow from others at the start; `count` of them. */
ZN_API zn_status zn_model_redundant_rows(zn_context *context, const zn_model *model, bool *redundant, int *count);

/* Energies of one part at (t, q, u), and the power of its forces that have no potential (negative: it takes energy out).
 * `work` as for the questions. Sums over parts are those of the model. */
typedef struct zn_part_energy {
    double kinetic, potential, power;
    ZN_RESERVED;
} zn_part_energy;
/* Energies of one part at a point. */
ZN_API zn_status zn_model_part_energy(const zn_model *model, void *work, int part, const zn_point *at, zn_part_energy *energy);

#ifdef __cplusplus
}
#endif
#endif
