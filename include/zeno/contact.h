/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts between bodies: shapes fixed to bodies, and the law between two of them.
 *
 *   gap         g_N(q), positive apart; its normal n points from the surface to the shape that touches it
 *   slip        velocity of the touching body's material point minus the surface's, in tangent directions t1, t2
 *   in a plane  one tangent t = (n_y, -n_x)
 */
#ifndef ZENO_CONTACT_H
#define ZENO_CONTACT_H

#include "zeno/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Contact geometries: identifier, words of scenes in space and in the plane, required keys, optional keys (beside place and material),
 * sentence. The keys have the names of the members of zn_geometry_def. */
#define ZN_GEOMETRY_LIST(X)                                                                                                    \
    X(POINT, "point", "point", "", "", "its place")                                                                            \
    X(POINTS, "points", "points", "points", "", "corners of anything")                                                         \
    X(SPHERE, "sphere", "disk", "radius", "", "around its centre")                                                             \
    X(BOX, "box", "box", "size", "radius", "around its centre; declared contacts are its corners, 8 in space, 4 in the plane") \
    X(CAPSULE, "capsule", "capsule", "radius length", "axis", "everything within the radius of a line of that length")         \
    X(RING, "ring", "ring", "radius", "length axis", "the edge of a disk in space; with a length both edges of a cylinder")    \
    X(ELLIPSOID, "ellipsoid", "ellipse", "size", "", "size: its whole axes, along those of the frame")                         \
    X(PLANE, "plane", "line", "", "normal velocity", "a half space through its place, outside is where the normal points")     \
    X(HOLLOW_SPHERE, "hollow-sphere", "hollow-circle", "radius", "", "touched from inside")                                    \
    X(CYLINDER, "cylinder", "cylinder", "radius", "length axis", "without ends; with a length a solid with flat ends")         \
    X(HOLLOW_CYLINDER, "hollow-cylinder", "hollow-cylinder", "radius", "axis", "touched from inside, without ends")            \
    X(SURFACE, "surface", "curve", "formula", "",                                                                              \
      "where a formula 'f' of x, y(, z) vanishes, positive outside; in the plane also 'y' as a formula of x")                  \
    X(CONE, "cone", "cone", "radius length", "axis",                                                                           \
      "its base has the radius, its place is the centre of mass, a quarter of its height above the base")                      \
    X(POLYHEDRON, "polyhedron", "polygon", "points", "radius velocity",                                                        \
      "the convex hull of its points; a polygon has these corners in order")                                                   \
    X(MESH, "mesh", "mesh", "", "points triangles file scale radius velocity",                                                 \
      "a surface of triangles, touched from where they are counterclockwise")                                                  \
    X(HEIGHT_FIELD, "height-field", "height-field", "size heights", "grid radius velocity",                                    \
      "z over a rectangle: 'heights' as rows of numbers, or 'z' as a formula of x and y on a 'grid'")                          \
    X(RECTANGLE, "rectangle", "rectangle", "size", "normal velocity", "flat, touched from where its normal points")            \
    X(SEGMENT, "segment", "segment", "points", "radius velocity", "from the first of two points to the second")                \
    X(POLYLINE, "polyline", "polyline", "points", "closed radius velocity", "in the plane: touched from the left of its direction")
typedef enum zn_geometry_type {
#define X(identifier, space, plane, needs, may, sentence) ZN_GEOMETRY_##identifier,
    ZN_GEOMETRY_LIST(X)
#undef X
        ZN_GEOMETRY_TYPE_COUNT
} zn_geometry_type;

typedef struct zn_geometry {
    unsigned stamp;
    int index;
} zn_geometry;

/* All vectors in a frame on a body. A planar body's shapes are in the plane z = 0. */
typedef struct zn_geometry_def {
    const char *name; /* of its own among geometries */
    zn_frame frame;
    zn_geometry_type type;
    double centre[3];
    double radius, length;      /* radius: also the rounding of box, polyhedron and mesh, everything within this distance of them */
    double size[3];             /* edges of a box, axes of an ellipsoid */
    double axis[3];             /* zeros: y in the plane, z in space */
    double surface_velocity[3]; /* of a plane: a belt */
    int n_points;
    const double *points; /* 3 n_points */
    int n_triangles;
    const int *triangles;  /* 3 n_triangles: numbers of points from 0 */
    bool closed;           /* polyline */
    int grid[2];           /* height field: points along x and y, at least two each */
    const double *heights; /* grid[0] grid[1], x fastest; NULL: by the formula */
    zn_formula formula;    /* of a surface, in x, y (z) of the frame and parameters */
    const char *material;  /* NULL: none */
    ZN_RESERVED;
} zn_geometry_def;

/* A point, fixed to the world. */
ZN_API zn_geometry_def zn_default_geometry_def(void);
/* Adds a shape; `geometry` (or NULL) gets its handle, for contacts. */
ZN_API zn_status zn_parts_geometry(zn_parts *, const zn_geometry_def *def, zn_geometry *geometry);
/* The handle of a shape that was added, by its name. */
ZN_API zn_status zn_parts_find_geometry(zn_parts *, const char *name, zn_geometry *geometry);

/* The contact law between two surfaces. Zeros: frictionless, fully inelastic. */
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
    ZN_RESERVED;
} zn_contact_law;

/* Where t1 comes from. Every choice is smooth, except where noted. */
typedef enum zn_tangent {
    ZN_TANGENT_DEFAULT,  /* plane: fixed to it; cylinder: its axis; else turned with the normal from a pole (docs/contacts.md) */
    ZN_TANGENT_WORLD,    /* the projection of a direction fixed in space (singular where it is normal) */
    ZN_TANGENT_TOUCHING, /* of a direction fixed to the touching body */
    ZN_TANGENT_SURFACE   /* of a direction fixed to the body of the surface */
} zn_tangent;

/* The law between two materials, in any order; used by contacts that have no law of their own. */
ZN_API zn_status zn_parts_material_pair(zn_parts *, const char *a, const char *b, const zn_contact_law *law);

typedef struct zn_contact_pair_def {
    const char *name;          /* several corners: NAME.1, NAME.2 ... */
    zn_geometry a, b;          /* in any order: the one that can touch does; of two spheres it is a */
    const zn_contact_law *law; /* NULL: that of their materials; without materials frictionless and inelastic */
    zn_tangent tangent;
    double direction[3];   /* of the tangent; zeros with ZN_TANGENT_DEFAULT; there also t1 of a plane, in the surface's frame K */
    bool has_normal_force; /* the normal force is given and the contact never opens */
    double normal_force;
    ZN_RESERVED;
} zn_contact_pair_def;

/* No friction, no restitution. */
ZN_API zn_contact_pair_def zn_default_contact_pair_def(void);
/* Pairs of shapes with a formula become declared contacts, with their own columns in results. Other pairs that can be
 * detected (a box and a box) become a rule for this one pair. */
ZN_API zn_status zn_parts_contact(zn_parts *, const zn_contact_pair_def *def);

/* ---- contacts by rule: collision detection ---- */

/* A set of shapes: names of bodies (all of their shapes), geometries, and groups made before. */
ZN_API zn_status zn_parts_group(zn_parts *, const char *name, int n_members, const char *const *members);

/* Every shape of set a may touch every shape of set b. If several rules apply to a pair of shapes, the last one counts. These never touch:
 * shapes of the same body, bodies that cannot move, a pair with a declared contact, and bodies that a joint connects (unless `joined`; a
 * joint with the world connects nothing). Hollow shapes, infinite cylinders and surfaces by formula have declared contacts only. */
typedef struct zn_collision_def {
    const char *name;
    const char *a, *b;         /* groups, bodies, geometries or "all". a NULL: all shapes; b NULL: the same as a */
    const zn_contact_law *law; /* NULL: that of the materials; without materials frictionless and inelastic */
    int n_except;
    const char *const (*except)[2]; /* pairs of groups, bodies or geometries that this rule leaves out */
    bool joined;                    /* also bodies that a joint connects */
    ZN_RESERVED;
} zn_collision_def;

/* All shapes with each other, no friction, no restitution. */
ZN_API zn_collision_def zn_default_collision_def(void);
/* Adds a rule: contacts between its shapes are detected during the simulation. */
ZN_API zn_status zn_parts_collide(zn_parts *, const zn_collision_def *def);

#ifdef __cplusplus
}
#endif
#endif
