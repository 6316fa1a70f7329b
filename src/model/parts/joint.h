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
    piece_glyph glyph; /* drives and gears have no place of their own */
} joint_type;

extern const joint_type *const joint_types[ZN_JOINT_TYPE_COUNT];

/* Rows that several joints share. */
void joint_same_point(joint_sketch *);    /* d = 0: 2 rows in the plane, 3 in space */
void joint_same_axis(joint_sketch *);     /* z_a perpendicular to x_b and y_b: 2 rows, space */
void joint_same_rotation(joint_sketch *); /* 1 row in the plane, 3 in space */
void joint_on_axis(joint_sketch *);       /* d along the axis: 1 row in the plane, 2 in space */
static inline evec joint_axis(const joint_sketch *j) { return j->planar ? j->a.x : j->a.z; }

#endif
