/* SPDX-License-Identifier: Apache-2.0 */
/* What studies need from a scene: its parameters, and the texts of its section `study`. */
#ifndef SCENE_STUDY_SECTION_H
#define SCENE_STUDY_SECTION_H

#include "zeno/scene.h"

#include <stdint.h>

bool scene_has_parameter(const zn_scene *, const char *name);
/* The one that was probably meant, or NULL. */
const char *scene_nearest_parameter(const zn_scene *, const char *name);

/* A hash of all files that it read besides its own text: includes, meshes. */
uint64_t scene_files_hash(const zn_scene *);
/* Another start of a coordinate or velocity, for simulations that are created afterwards. */
void scene_set_start(zn_scene *, bool velocity, int index, double value);
/* The same by name, of `length` letters. false: the scene has none of this name. */
bool scene_start_at(zn_scene *, const char *name, size_t length, double value);

/* Another start of an input or a live parameter: -1: there is none of this name. */
int scene_find_input(const zn_scene *, const char *name);
void scene_set_input(zn_scene *, int index, double value);
/* A parameter that the model can follow to other values; -1: it has other uses, too, and another value needs another scene. */
int scene_parameter_source(const zn_scene *, const char *name);
/* Contacts with other numbers, which schemes may keep from their beginning on. */
typedef struct scene_changes {
    bool restitution, coefficients;
} scene_changes;
/* Other values of parameters, with the bits of a scene that is read with them. false: such a scene is needed, and this one can no longer be
 * used; an error may be left. */
bool scene_move(zn_scene *, int n, const int *sources, const double *values, scene_changes *);

/* As the options of `zeno sweep` would have them; nothing where a scene has no such section. */
typedef struct scene_study {
    int n_vary, n_keep;
    const char *const *vary, *const *keep;
    const char *samples, *sampling, *seed, *from; /* NULL: not given */
    bool zip;
} scene_study;
const scene_study *scene_get_study(const zn_scene *);

#endif
