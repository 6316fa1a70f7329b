/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes as what contacts are made of: a feature that touches, and a surface. Boxes are corners, capsules their ends. */
#ifndef MODEL_PARTS_GEOMETRY_H
#define MODEL_PARTS_GEOMETRY_H

#include "collide/feature.h"
#include "model/formula.h"
#include "zeno/contact.h"

/* A shape in the frame K of its body. */
typedef struct geometry {
    zn_geometry_type type;
    double centre[3], axis[3]; /* axis of length one */
    double axes[9];            /* of boxes and formulas, column by column */
    double radius, length, size[3];
    double surface_velocity[3];
    int n_points;
    const double *points; /* 3 n_points */
    int n_triangles, grid[2];
    const int *triangles;
    const double *heights;
    bool closed;
} geometry;

/* Which of two shapes touches the other's surface: 1 when a touches b, -1 the other way, 0 with a reason when neither can. */
int geometry_order(const geometry *a, const geometry *b, const char **why);
/* Contacts of a shape that touches. */
int geometry_count(const geometry *touching, bool planar);
feature geometry_touching(const geometry *, bool planar, int index);
feature geometry_surface(const geometry *, bool planar);
/* Whether the numbers of a shape make sense in the plane or in space; the reason otherwise. */
bool geometry_check(const geometry *, bool planar, const char **why);
const char *geometry_name(zn_geometry_type, bool planar);

#endif
