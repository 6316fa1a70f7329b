/* SPDX-License-Identifier: Apache-2.0 */
/* Where in the file that is which an error of a simulation names. */
#ifndef SCENE_WHERE_H
#define SCENE_WHERE_H

#include "zeno/scene.h"

/* File, line and column for all errors of the context about an entry of the scene, a constraint say, that have none. */
void scene_place_errors(zn_scene *);

#endif
