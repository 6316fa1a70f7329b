/* SPDX-License-Identifier: Apache-2.0 */
/* Joints: each type expresses its rows on two frames. One file each; the list is in zeno/parts.h. */
#ifndef MODEL_PARTS_JOINT_H
#define MODEL_PARTS_JOINT_H

#include "model/parts/builder.h"

/* What the rows of a joint are expressed in. In the plane the axis of a frame is x and rotations are about z; in space the axis is z. */
typedef struct joint_sketch {
    sketch *k;
    sketch_frame a, b;
    evec d;      /* origin of b - origin of a */
    bool planar; /* both bodies live in the plane */
    bool turns;  /* one of them can turn: else rows of rotation would be constants, and are left out */
    expr extra;  /* length, radius or ratio */
    expr drive;  /* formula of t */
} joint_sketch;

/* Variants of pieces: the type, and friction by what the joint carries, or backlash instead of its rows. */
enum { JOINT_TYPE_MASK = 63, JOINT_RUBS = 64, JOINT_LOOSE = 128 };

typedef enum joint_extra { JOINT_NOTHING, JOINT_LENGTH, JOINT_RADIUS, JOINT_RATIO } joint_extra;

/* What a joint is beside its row in ZN_JOINT_LIST: a constant joint_IDENTIFIER in its file. */
typedef struct joint_type {
    const char *what; /* in messages */
    void (*express)(joint_sketch *);
    int g_plane, g_plane_turning; /* rows on position level in the plane, and more of them when a body can turn */
    int g_space, g_space_turning;
    int y_plane, y_space; /* on velocity level */
    joint_extra extra;
    bool space_only, needs_turning, has_drive;
    bool line;   /* a rope or belt: joint_rope.c */
    int carries; /* its first rows on position level are the force between the bodies: how many of them in the plane; one more in space */
    bool meets;  /* its first rows are the components of the force on b in I */
    bool turns, slides; /* b has an angle about z of a, a displacement along its axis */
    piece_glyph glyph;  /* drives and gears have no place of their own */
} joint_type;

/* ---- angle and displacement (joint_motion.c) ---- */

typedef struct joint_motion {
    expr value, rate;
} joint_motion;
joint_motion joint_displacement(sketch *, const sketch_frame *a, const sketch_frame *b, bool planar);
/* mark: counts the turns in space; NULL in the plane, where `offset` is added to the difference of the bodies' angles. */
joint_motion joint_angle(sketch *, const sketch_frame *a, const sketch_frame *b, expr offset, const sketch_body *mark);
/* The angle of (C, S) that a mark counts. */
expr joint_counted_angle(sketch *, expr C, expr S, const sketch_body *mark);

expr joint_rate(const joint_sketch *, bool slides);

enum { JOINT_MOST_REGISTERS = 4096 }; /* of a part that looks after a mark */
/* A mark: the index of its body, -1 with an error. The one that counts the turns between two frames (24 parameters), with an output
 * NAME.angle. */
int parts_add_mark(zn_parts *, const char *name, double start);
int parts_add_turns(zn_parts *, const char *name, const int *bodies, const double *frames, double turned);
/* after_step of a part whose last coordinate is a mark m, and whose output is the angle theta that it counts: m = theta. */
void parts_count_turns(const zn_model *, double t, double *q);
/* The part fits into JOINT_MOST_REGISTERS. */
zn_status parts_check_mark(zn_context *, const parts_piece *, const zn_model *);

/* Of piece number `joint`. Whether it is a joint with an angle, with a displacement. */
bool parts_joint_turns(const zn_parts *, int joint);
bool parts_joint_slides(const zn_parts *, int joint);
/* The bodies that its angle (`turns`) or displacement stands on: two, or three; a counter of turns is made when it is needed first. -1:
 * error. */
int parts_joint_bodies(zn_parts *, int joint, bool turns, int bodies[3]);
/* Angle and rate, or displacement and speed, in a sketch where these bodies are at[0], at[1] (, at[2]). */
zn_status parts_joint_motion(zn_parts *, sketch *, int joint, bool turns, const int at[3], joint_motion *);
zn_status parts_angle_offset(zn_parts *, const int *bodies, const double *frames, double *offset);
zn_status parts_joint_offset(zn_parts *, int joint, double *offset);
/* Its angle or displacement at the start. */
zn_status parts_joint_start(zn_parts *, int joint, bool turns, double *value);

/* Adds the pieces of the options of piece number `joint` (joint_options.c). */
zn_status parts_joint_options(zn_parts *, int joint, const zn_joint_def *);
zn_status parts_loose_gear(zn_parts *, int joint, const zn_joint_def *); /* joint_gear.c */
/* Ropes and belts: numbers of each place of the piece: frame, r, grips, beta of the span behind it (in space its arc) and phi at the start.
 * Their picture in the plane: points
 * (x, y as outputs), 0 where lines between the places do. */
enum { ROPE_PLACE_NUMBERS = SKETCH_FRAME_PARAMETERS + 4 };
bool parts_is_line(const parts_piece *);    /* a rope or belt, or a part of one */
int parts_rope_places(const parts_piece *); /* bodies behind these are marks */
int parts_rope_points(const parts_piece *);
bool parts_rope_is_planar(const parts_piece *);
parts_express parts_express_rope_points, parts_express_rope_points_in_space;
zn_status parts_rope(zn_parts *, const zn_joint_def *);
zn_status parts_check_options(zn_parts *, const joint_type *, const zn_joint_def *);

extern const joint_type *const joint_types[ZN_JOINT_TYPE_COUNT];

/* Rows that several joints share. */
void joint_same_point(joint_sketch *);    /* d = 0: 2 rows in the plane, 3 in space */
void joint_same_axis(joint_sketch *);     /* z_a perpendicular to x_b and y_b: 2 rows, space */
void joint_same_rotation(joint_sketch *); /* 1 row in the plane, 3 in space */
void joint_on_axis(joint_sketch *);       /* d along the axis: 1 row in the plane, 2 in space */
static inline evec joint_axis(const joint_sketch *j) { return j->planar ? j->a.x : j->a.z; }

/* A frame, from its twelve numbers, on a body of a sketch. */
sketch_frame parts_frame_sketch(sketch *, int body, const double *values);

/* forces.c: whether a piece is a force between two frames, on an angle; its value in the sketch of `host`, which has its bodies. */
bool parts_is_force(const zn_parts *, int piece, bool *turns);
zn_status parts_force_value(zn_parts *, sketch *, int force, const parts_piece *host, expr *value);

#endif
