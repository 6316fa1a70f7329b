/* SPDX-License-Identifier: Apache-2.0 */
/* What studies want of a scene: its parameters, and the texts of its section `study`. */
#ifndef SCENE_STUDY_SECTION_H
#define SCENE_STUDY_SECTION_H

#include "zeno/scene.h"

#include <stdint.h>

bool scene_has_parameter(const zn_scene *, const char *name);
/* The one that was probably meant, or NULL. */
const char *scene_nearest_parameter(const zn_scene *, const char *name);

/* Of the bytes of all files that it took in besides its own text: includes, meshes. */
uint64_t scene_files_hash(const zn_scene *);
/* Another start of a coordinate or velocity, for simulations that are created afterwards. */
void scene_set_start(zn_scene *, bool velocity, int index, double value);

/* As the options of `zeno sweep` would have them; nothing where a scene has no such section. */
typedef struct scene_study {
    int n_vary, n_keep;
    const char *const *vary, *const *keep;
    const char *samples, *sampling, *seed, *from; /* NULL: not given */
    bool zip;
} scene_study;
const scene_study *scene_get_study(const zn_scene *);

#endif
