/* SPDX-License-Identifier: Apache-2.0 */
/* Features: what contacts are made of. A shape is a set of features (vertices, edges, faces, round sides), each in the frame K of its
 * body. A contact is a pair: a feature that touches, and one that is touched. While the pair is kept, its gap is a smooth formula. */
#ifndef COLLIDE_FEATURE_H
#define COLLIDE_FEATURE_H

typedef enum feature_kind {
    FEATURE_BALL,      /* point, radius (0: a point, a vertex) */
    FEATURE_RING,      /* point, axis, radius: the rim of a disk or cylinder */
    FEATURE_PLANE,     /* point, axis (normal), velocity; radius: rounding, the plane moves outwards by it */
    FEATURE_SPHERE,    /* point, radius, side */
    FEATURE_CYLINDER,  /* point, axis, radius, side: without ends */
    FEATURE_SEGMENT,   /* point, axis, half_length, radius: a capsule seen from outside */
    FEATURE_SURFACE,   /* formula */
    FEATURE_ELLIPSOID, /* point, frame: the matrix R diag(a^2) R' of its half axes a */
    FEATURE_LINE,      /* point, axis, radius: an edge (radius 0 or its rounding) or the side of a capsule, without ends. Against another
                          line the gap is along their common normal, see collide_candidate.side */
    FEATURE_CONE,      /* point (apex), axis (from the apex into the cone), half_length (its half angle in radians): the side of a cone */
    FEATURE_KIND_COUNT
} feature_kind;

typedef struct feature {
    feature_kind kind;
    double point[3], axis[3], radius, half_length;
    double side; /* 1: touched from outside, -1: from inside */
    double velocity[3];
    double frame[9]; /* of formulas: axes, column by column; of ellipsoids: their matrix */
} feature;

#endif
