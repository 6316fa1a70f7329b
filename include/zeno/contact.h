/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts between bodies: shapes fixed to bodies, and the law between two of them.
 *
 *   gap         g_N(q), positive apart; its normal n points from the surface to the shape that touches it
 *   slip        velocity of the touching body's material point minus the surface's, in tangent directions t1, t2
 *   in a plane  one tangent t = (n_y, -n_x)
 */
#ifndef ZENO_CONTACT_H
#define ZENO_CONTACT_H

#include "zeno/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum zn_geometry_type {
    ZN_GEOMETRY_POINT,           /* centre */
    ZN_GEOMETRY_POINTS,          /* points: corners of anything */
    ZN_GEOMETRY_SPHERE,          /* centre, radius; a disk in the plane */
    ZN_GEOMETRY_BOX,             /* centre, size: its corners touch, 8 in space, 4 in the plane */
    ZN_GEOMETRY_CAPSULE,         /* centre, radius, axis, length (between the centres of its ends) */
    ZN_GEOMETRY_RING,            /* centre, radius, axis: the edge of a disk in space; must not lie flat */
    ZN_GEOMETRY_PLANE,           /* centre (any point of it), axis: the outer normal; a line in the plane */
    ZN_GEOMETRY_HOLLOW_SPHERE,   /* centre, radius: the inside of a sphere, of a circle in the plane */
    ZN_GEOMETRY_CYLINDER,        /* centre, radius, axis: without ends */
    ZN_GEOMETRY_HOLLOW_CYLINDER, /* its inside */
    ZN_GEOMETRY_SURFACE,         /* formula f(x, y) or f(x, y, z), positive outside: f = 0 is the surface */
    ZN_GEOMETRY_TYPE_COUNT
} zn_geometry_type;

/* What happens where two surfaces touch. Zeros: frictionless, fully inelastic. */
typedef struct zn_contact_law {
    double restitution, tangential_restitution;
    zn_reservoir reservoir;
    int n_friction; /* 0: none; 1; 2 for ellipse and rectangle: along t1 and t2 */
    double friction[2];
    double radius;           /* Coulomb-Contensou: of the contact patch */
    bool stribeck;           /* then friction is mu_s, and */
    double stribeck_dynamic; /* this is mu_d, */
    double stribeck_rate;    /* this is eps */
    int n_rolling;           /* 0; 1; 2 in space: about t1 and t2 (one value: both) */
    double rolling[2];       /* moment over normal force: a length */
    double pivoting;         /* in space, about the normal; 0: none */
} zn_contact_law;

/* Where t1 comes from. Every choice is smooth; what it is singular at is said. */
typedef enum zn_tangent {
    ZN_TANGENT_DEFAULT, /* plane: fixed to it; cylinder: its axis; else turned with the normal from where it was at the start */
    ZN_TANGENT_WORLD,    /* the projection of a direction fixed in space (singular where it is normal) */
    ZN_TANGENT_TOUCHING, /* of a direction fixed to the touching body */
    ZN_TANGENT_SURFACE   /* of a direction fixed to the body of the surface */
} zn_tangent;

#ifdef __cplusplus
}
#endif
#endif
