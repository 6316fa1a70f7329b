/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts by rule: which shapes may meet, and by what law. A rule names two sets of shapes; of several rules that name a pair the last one
 * counts. Never met: shapes of one body; of bodies that cannot move; of bodies that a joint connects (unless the rule says so; the world
 * is not counted among them); of a declared contact. */
#ifndef MODEL_PARTS_RULES_H
#define MODEL_PARTS_RULES_H

#include "model/parts/contact_builder.h"

typedef enum set_kind { SET_ALL, SET_GROUP, SET_BODY, SET_GEOMETRY } set_kind;

/* A set of shapes: all, those of a group, of a body, or one. */
typedef struct parts_set {
    set_kind kind;
    int index;
} parts_set;

struct parts_group {
    char *name;
    int n_members;
    parts_set *members; /* groups among them are earlier ones */
};

struct parts_rule {
    char *name;
    parts_set a, b;
    bool has_law, joined;
    zn_contact_law law;
    int n_except;
    parts_set (*except)[2];
};

/* The rule for one pair of geometries; `law` may be NULL: that of their materials. */
zn_status parts_rule_for_pair(zn_parts *, const char *name, int a, int b, const zn_contact_law *law);
/* Whether a geometry is one that finds others, in the plane or in space. */
/* Some body, besides the world, is planar; or is in space. */
bool parts_have_bodies(const zn_parts *, bool planar);
bool parts_can_collide(const zn_parts *, const parts_geometry *, bool planar);
/* Makes the field of a model that has just been built. */
zn_status parts_make_field(zn_parts *, zn_model *);

/* Contacts as pieces: the sketch of a pair of features, by its variant. In contact_pairs.c. */
parts_express parts_express_pair;

#endif
