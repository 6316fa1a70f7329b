/* SPDX-License-Identifier: Apache-2.0 */
/* The table of shapes (part_geometry.c) for those who list it. */
#ifndef SCENE_SHAPES_H
#define SCENE_SHAPES_H

#include <stdbool.h>
#include <stddef.h>

int scene_shape_count(void);
const char *scene_shape_word(int index, bool planar);
const char *scene_shape_sentence(int index);
/* "'radius', 'length' ('axis')": keys that are needed, and others. */
void scene_shape_keys(int index, char *text, size_t room);

#endif
