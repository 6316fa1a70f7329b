/* SPDX-License-Identifier: Apache-2.0 */
/* Joints: each type draws its rows on two frames. One file each; joints.c has the table. */
#ifndef MODEL_PARTS_JOINT_H
#define MODEL_PARTS_JOINT_H

#include "model/parts/builder.h"

/* What a joint draws on. In the plane the axis of a frame is x and rotations are about z; in space the axis is z. */
typedef struct joint_sketch {
    sketch *k;
    sketch_frame a, b;
    evec d;      /* origin of b - origin of a */
    bool planar; /* both bodies live in the plane */
    bool turns;  /* one of them can turn: else rows of rotation would be constants, and are left out */
    expr extra;  /* length, radius or ratio */
    expr drive;  /* formula of t */
} joint_sketch;

typedef void joint_draw(joint_sketch *);
joint_draw joint_revolute, joint_spherical, joint_prismatic, joint_cylindrical, joint_universal, joint_fixed, joint_distance,
    joint_planar, joint_point_on_line, joint_rolling_disk, joint_rolling_ball, joint_motor, joint_slider_motor, joint_gear,
    joint_angle_drive, joint_position_drive;

/* Rows that several joints share. */
void joint_same_point(joint_sketch *);    /* d = 0: 2 rows in the plane, 3 in space */
void joint_same_axis(joint_sketch *);     /* z_a perpendicular to x_b and y_b: 2 rows, space */
void joint_same_rotation(joint_sketch *); /* 1 row in the plane, 3 in space */
void joint_on_axis(joint_sketch *);       /* d along the axis: 1 row in the plane, 2 in space */
static inline evec joint_axis(const joint_sketch *j) { return j->planar ? j->a.x : j->a.z; }

#endif
