/* SPDX-License-Identifier: Apache-2.0 */
/* The drawing of a model from parts: shapes of bodies, joints, springs, contacts with their forces. */
#ifndef VIEW_PICTURE_H
#define VIEW_PICTURE_H

#include "model/parts/builder.h"

/* More contacts than these are drawn without points and forces: each needs up to nine columns of the result. */
enum { PICTURE_MOST_CONTACTS = 1000 };
enum { PICTURE_MOST_ROPE = 64 }; /* points of a rope over pulleys */

/* Its pose is given by outputs, not by coordinates. */
static inline bool picture_needs_pose(body_kind kind) { return body_is_moving(kind) || body_is_section(kind); }

/* Pieces whose outputs are the poses of moving bodies and the places of contacts. Once, before the model is built. */
zn_status parts_add_poses(zn_parts *);
/* Writes the drawing into the model. */
zn_status parts_set_drawing(zn_parts *, zn_model *);

#endif
