/* SPDX-License-Identifier: Apache-2.0 */
/* Forces between frames: what they are expressed in. forces.c has the table. */
#ifndef MODEL_PARTS_FORCE_H
#define MODEL_PARTS_FORCE_H

#include "model/parts/joint.h"

/* Variants: the type of the force, and what else changes its sketch. */
enum {
    FORCE_TYPE_MASK = 15,
    FORCE_NO_LENGTH = 16,
    FORCE_ALONG_AXIS = 32,
    FORCE_IN_FRAME = 64,
    FORCE_PUSHES = 128,
    FORCE_PULLS = 256,
    FORCE_LIMITED = 512
};

typedef struct force_sketch {
    sketch *k;
    sketch_frame a, b;
    evec d;      /* origin of b - origin of a */
    bool planar; /* both bodies */
    int variant;
    const sketch_body *mark; /* counts turns in space, of forces on an angle */
    const double *numbers;   /* NULL: they are parameters of the sketch */
    expr *value;             /* NULL: the force acts. Else it is only evaluated: positive pushes b away from a, turns b against a */
    const parts_piece *host; /* whose names formulas see */
} force_sketch;

/* What a force is beside its row in ZN_FORCE_LIST: a constant force_IDENTIFIER. */
typedef struct force_type {
    const char *what; /* in messages */
    /* Springs act on a length or angle and take three numbers as their next parameters: stiffness, damping and what is at rest; by a
     * formula also. The others parse formulas of the piece: value, force[3], torque[3]. */
    joint_motion (*motion)(force_sketch *, expr offset);
    zn_status (*formulas)(zn_parts *, force_sketch *, const parts_piece *);
    bool two_frames, needs_turning, needs_value;
    bool has_angle; /* acts on it */
    bool servo;
} force_type;

/* Springs by numbers, and by the first formula of the piece. */
void force_express_spring(force_sketch *, const force_type *);
zn_status force_express_formula_spring(zn_parts *, force_sketch *, const force_type *, const parts_piece *);

/* f on the rate of what it acts on. */
void force_act(force_sketch *, expr f, expr rate);

extern const force_type *const force_types[ZN_FORCE_TYPE_COUNT];

#endif
