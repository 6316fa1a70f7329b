/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts that come and go. A model with rules for contacts between shapes is a family of models: the same coordinates, another list of
 * contacts. The builder makes a field, the model owns it, and the simulation asks it between steps:
 *
 *     list = field_find(t, q, u, h)           what may touch until t + h
 *     model = model_with_contacts(base, list) the model of this step: base and one instance of a kind for each entry
 *
 * Kinds (pairs of features, law, kinds of bodies) are expressed as formulas, differentiated and compiled once; an entry only adds
 * parameters. */
#ifndef MODEL_CONTACT_FIELD_H
#define MODEL_CONTACT_FIELD_H

#include "collide/collide.h"
#include "model/model.h"

typedef struct contact_field contact_field;

/* The field of a model; NULL: its contacts are all declared. `own`: the model (an assembly) destroys it with `destroy`. */
contact_field *contact_field_of(const zn_model *);
void contact_field_own(zn_model *, contact_field *, void (*destroy)(zn_context *, contact_field *));
int contact_field_bodies(const contact_field *);
/* Poses and velocities of all its bodies at a state, for collide. */
void contact_field_poses(const contact_field *, double t, const double *q, const double *u, collide_pose *);
/* A world of the caller's own (collide_destroy) with all shapes and the pairs that may meet, as a model may serve several simulations. The
 * field must live as long. NULL: error in the context. */
collide_world *contact_field_world(zn_context *, const contact_field *);
int contact_field_shapes(const contact_field *);
int contact_field_body_of(const contact_field *, int shape);
const char *contact_field_shape_name(const contact_field *, int shape);
const char *contact_field_shape_class(const contact_field *, int shape); /* "sphere", in the plane "disk" */
/* "all: all, friction 0.5 in 2 dimensions, restitution 0": rule i as a line. */
int contact_field_rules(const contact_field *);
const char *contact_field_rule_text(const contact_field *, int i, char *text, size_t room);
/* The rule that names a pair of shapes, -1: they never meet. */
int contact_field_rule_of(const contact_field *, int shape_a, int shape_b);
/* "ball3/box7", and "ball3/box7.2.5" with the numbers of features where a pair of shapes may have several contacts; written into text. */
const char *contact_field_name(const contact_field *, const collide_candidate *, char *text, size_t room);
/* The part that a candidate is: a model on some coordinates q and velocities u of the whole (room for CONTACT_FIELD_MOST each). With the
 * law of its pair, one contact. The frame of its tangents is chosen again from the normal, unless `pole` (6 numbers: pole and reference of
 * the same contact in the last list) is given; pole_out (NULL: not wanted) gets those of this one: different from `pole` where the normal
 * has come near the opposite of the pole. The caller owns the model. */
enum { CONTACT_FIELD_MOST = 64 };
zn_status contact_field_instance(zn_context *, const contact_field *, const collide_candidate *, const double *pole, double *pole_out,
                                 zn_model **part, int *q, int *u);
/* Directions of the sliding velocities of a candidate (measured at the poses), whose pole is that of its part; returns how many there are:
 * its first friction rows. */
int contact_field_tangents(const contact_field *, const collide_candidate *, const double *pole, const collide_pose *, double t[2][3]);
const char *contact_field_body_name(const contact_field *, int body);
/* Some of its laws have friction. */
bool contact_field_rubs(const contact_field *);
/* Some of its laws have Stribeck's smooth part. */
bool contact_field_is_smooth(const contact_field *);

#endif
