/* SPDX-License-Identifier: Apache-2.0 */
/* What the builder keeps for contacts. */
#ifndef MODEL_PARTS_CONTACT_BUILDER_H
#define MODEL_PARTS_CONTACT_BUILDER_H

#include "model/parts/builder.h"
#include "model/parts/contact.h"

/* The axis is zero when none was given: then it is y (plane) or z (space) of the frame, a column of `axes`. */
struct parts_geometry {
    char *name, *material;
    int body;
    bool implied;   /* from the shape of a body: gives way to a geometry of the same name */
    geometry shape; /* in K */
    double *points, *heights;
    int *triangles;
    formula_text formula;
};

struct parts_material_pair {
    char *a, *b;
    zn_contact_law law;
};

const parts_geometry *parts_get_geometry(zn_parts *, zn_geometry, const char *contact);
/* Whether a name stands for several shapes, so that a contact with it is a rule: "all", a group, or a body that no geometry is named
 * after. */
bool parts_is_set(const zn_parts *, const char *name);
int parts_find_rule(const zn_parts *, const char *name); /* -1: none */
/* The law between two materials, NULL: none. */
const zn_contact_law *parts_material_law(const zn_parts *, const char *a, const char *b);

#endif
