/* SPDX-License-Identifier: Apache-2.0 */
/* Forces between frames: what they are expressed in. forces.c has the table. */
#ifndef MODEL_PARTS_FORCE_H
#define MODEL_PARTS_FORCE_H

#include "model/parts/builder.h"

/* Variants of drawings: the type of the force, and what else changes the drawing. */
enum { FORCE_TYPE_MASK = 15, FORCE_NO_LENGTH = 16, FORCE_ALONG_AXIS = 32, FORCE_IN_FRAME = 64 };

typedef struct force_sketch {
    sketch *k;
    sketch_frame a, b;
    evec d;      /* origin of b - origin of a */
    bool planar; /* both bodies */
    int variant;
} force_sketch;

/* What a force is beside its row in ZN_FORCE_LIST: a constant force_IDENTIFIER. */
typedef struct force_type {
    const char *what; /* in messages */
    /* One of both: springs take stiffness, damping and what is at rest as their next parameters; the others parse formulas of the
     * piece: value, force[3], torque[3]. */
    void (*spring)(force_sketch *);
    zn_status (*formulas)(zn_parts *, force_sketch *, const parts_piece *);
    bool two_frames, needs_turning, needs_value;
} force_type;

extern const force_type *const force_types[ZN_FORCE_TYPE_COUNT];

#endif
