/* SPDX-License-Identifier: Apache-2.0 */
/* Inside a field of contacts: the parts of the builder that contacts by rules need later. */
#ifndef MODEL_PARTS_FIELD_H
#define MODEL_PARTS_FIELD_H

#include "model/contact_field.h"
#include "model/parts/rules.h"

#include <pthread.h>

/* A shape as collide sees it, and what it came from. A geometry of the world may be one in the plane and one in space. */
typedef struct field_shape {
    char *name;
    int geometry, body;
    int material; /* among those of the field; -1: none */
    collide_shape shape;
    double *points; /* of the shape */
    int *triangles;
} field_shape;

/* A law, ready for an instance in the plane [1] and in space [0]. */
typedef struct field_law {
    bool good[2];
    struct {
        contact_variant variant; /* rows of friction only */
        contact_numbers numbers; /* scales and Stribeck's only */
        zn_contact contact;
        zn_ball balls[CONTACT_MOST_BALLS];
    } rows[2];
} field_law;

typedef struct field_kind {
    int variant, n_layout, *layout, moving[2]; /* moving: bodies whose motion is part of it, else -1 */
    zn_model *model;
} field_kind;

/* Kinds are expressed for their first candidate, under a lock. */
typedef struct field_kinds {
    pthread_mutex_t lock;
    field_kind *items;
    size_t count, capacity;
} field_kinds;

struct contact_field {
    zn_context *context;
    zn_parts *kept; /* bodies, parameters */
    field_shape *shapes;
    size_t n_shapes, shape_capacity;
    zn_model **pose; /* of bodies that have no coordinates of their own, else NULL: 18 outputs r, A, v, omega */
    parts_stand *pose_stand;
    parts_rule *rules;
    int n_rules;
    int n_groups;
    bool **in_group; /* [group][shape] */
    char **group_names;
    int n_laws; /* rules', then pairs of materials, then the smooth one */
    field_law *laws;
    int n_materials;
    char **materials;
    int *material_law; /* n_materials^2: index of a law, -1: none */
    int n_joined, n_declared;
    int (*joined)[2], (*declared)[2]; /* bodies, geometries: sorted pairs, the smaller first */
    field_kinds *kinds;
};

/* field_shapes.c: all shapes of the builder. */
zn_status field_take_shapes(contact_field *, const zn_parts *);
/* field_rules.c: rules, groups, laws; the rule that names a pair, -1: none; its law. */
zn_status field_take_rules(contact_field *, const zn_parts *);
int field_rule_of(const contact_field *, int shape_a, int shape_b);
const field_law *field_law_of(const contact_field *, int rule, int shape_a, int shape_b);
/* field_poses.c */
zn_status field_take_poses(contact_field *);

#endif
