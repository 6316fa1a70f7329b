/* SPDX-License-Identifier: Apache-2.0 */
/* Flexible bodies among the parts: bars, beams, rods. A flexible body is a list of nodes with elements between them.
 *
 *   type         nodes (coordinates of each)     elements                                                       lives in
 *   bar          x on a line                     linear, axial strain                                           plane
 *   beam         x, y, phi                       Simo-Reissner (shear, bending, axial), order 1 or 2            plane
 *   spline-beam  x, y of control points          Euler-Bernoulli, B-splines                                     plane
 *   rod          x, y, z, quaternion             Cosserat (shear, torsion, bending, axial)                      space
 *
 * Node i of the body "beam" is a body called beam_i with coordinates beam_i.x ...; frames are beam.start, beam.end, beam.node3, and
 * those made by zn_parts_section. Joints, forces and contacts use these frames as they use those of rigid bodies. In formulas
 * beam_start, beam_end and beam_NAME stand for frames: beam_end.x, beam_end.x', beam_end.phi. */
#ifndef ZENO_FLEXIBLE_H
#define ZENO_FLEXIBLE_H

#include "zeno/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zn_flexible {
    unsigned stamp;
    int index;
} zn_flexible;

/* Name, identifier, word of scenes, sentence. */
#define ZN_FLEXIBLE_LIST(X)                                                          \
    X(BAR, bar, "bar", "linear axial strain on a line")                              \
    X(BEAM, beam, "beam", "Simo-Reissner in the plane")                              \
    X(SPLINE_BEAM, spline, "spline-beam", "Euler-Bernoulli in the plane, B-splines") \
    X(ROD, rod, "rod", "Cosserat in space")
typedef enum zn_flexible_type {
#define X(name, identifier, word, sentence) ZN_FLEXIBLE_##name,
    ZN_FLEXIBLE_LIST(X)
#undef X
        ZN_FLEXIBLE_TYPE_COUNT
} zn_flexible_type;

/* What is recorded of each element: see zn_flexible_def. */
typedef enum zn_flexible_record { ZN_RECORD_AUTO, ZN_RECORD_NONE, ZN_RECORD_FORCES, ZN_RECORD_STRAINS, ZN_RECORD_ALL } zn_flexible_record;

/* 0 means not given. Stiffnesses are given directly (EA, GA, EI, GJ, line_density), or follow from a material and
 * a cross section: EA = young area, GA = shear shear_area, EI = young inertia, GJ = shear torsion, line_density = density area,
 * rotary inertia = density inertia. shear follows from poisson; shear_area is 5/6 area when it is not given (9/10 of circles),
 * torsion the sum of both inertias (of rectangles Saint-Venant's). */
typedef struct zn_flexible_def {
    const char *name; /* letters, digits, _ */
    zn_flexible_type type;
    int elements; /* at least 1 */
    int order;    /* of the shape functions; degree of splines; 0: the type's own (1; splines 3) */
    int gauss;    /* Gauss points of an element, splines; 0: the type's own */
    /* Where it is at the start, free of stress: straight from `from` to `to`; with `curvature` an arc of the same length that leaves
     * `from` in the direction of `to` and turns left; or the curve r(s), s from 0 to 1 (formulas of s and parameters). */
    double from[3], to[3];
    double curvature;
    zn_formula curve[3]; /* text NULL: not given (z may be left out) */
    double direction[3]; /* rod: a vector across it, which y of the first cross section follows; 0: level, as for a beam. The other
                          * sections turn as little as they can; `curvature` bends the rod towards y */
    double twist;        /* rod: angle by which cross sections turn about x from start to end beyond that */
    double young, shear, poisson, density;
    /* The cross section: a circle, a rectangle (height along y, width along z), or numbers. Pairs belong to bending and shear
     * along y (in the plane only this one) and along z. */
    double radius, height, width;
    double area, shear_area[2], inertia[2], torsion;
    double EA, GA[2], EI[2], GJ, line_density, rotary[2];
    double damping; /* stiffness-proportional, in seconds: stress = stiffness (strain + damping strain rate) */
    bool lumped;    /* bar, rod: mass in the nodes; else consistent */
    /* The start: a rigid motion about the point at s = 0. */
    double velocity[3], angular_velocity[3]; /* in I; in the plane only z turns */
    zn_flexible_record record;               /* auto: forces and moments when there are at most 50 elements */
    ZN_RESERVED;
} zn_flexible_def;

/* A beam of one element; the type decides which members count. */
ZN_API zn_flexible_def zn_default_flexible_def(void);
/* Adds a flexible body; `flexible` (or NULL) gets its handle. */
ZN_API zn_status zn_parts_flexible(zn_parts *, const zn_flexible_def *def, zn_flexible *flexible);
/* The handle of a flexible body that was added, by its name. */
ZN_API zn_status zn_parts_find_flexible(zn_parts *, const char *name, zn_flexible *flexible);

/* The number of nodes (0: wrong handle), and node i as a body. */
ZN_API int zn_parts_node_count(const zn_parts *, zn_flexible flexible);
ZN_API zn_status zn_parts_node(zn_parts *, zn_flexible flexible, int node, zn_body *body);

/* The frame of the cross section at s, from 0 to 1 (of the parameter of the curve): x is along the axis, y across it (in the
 * plane to the left; of rods the first axis of the section), z the other axis of a rod's section. `position` and `rotation`
 * (quaternion) place the frame in the section; NULL: its own. */
ZN_API zn_status zn_parts_section(zn_parts *, zn_flexible flexible, double s, const char *name, const double position[3],
                                  const double rotation[4], zn_frame *frame);

#ifdef __cplusplus
}
#endif
#endif
