/* SPDX-License-Identifier: Apache-2.0 */
/* Forces between frames: what they draw on. forces.c has the table. */
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

/* Springs take stiffness, damping and what is at rest as their next parameters. */
void force_spring(force_sketch *);
void force_linear_spring(force_sketch *);
void force_torsion_spring(force_sketch *);

/* The others parse formulas of the piece: value, force[3], torque[3]. */
zn_status force_actuator(zn_parts *, force_sketch *, const parts_piece *);
zn_status force_on_body(zn_parts *, force_sketch *, const parts_piece *);

#endif
