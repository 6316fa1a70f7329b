/* SPDX-License-Identifier: Apache-2.0 */
/* The place in the file of an entry that an error of a simulation names. */
#ifndef SCENE_WHERE_H
#define SCENE_WHERE_H

#include "zeno/scene.h"

/* Adds file, line and column to all errors of the context that name an entry of the scene (a constraint, say) and have no place. */
void scene_place_errors(zn_scene *);

#endif
