/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes: a YAML text that describes a model and how to simulate it. */
#ifndef ZENO_SCENE_H
#define ZENO_SCENE_H

#include "zeno/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zn_scene zn_scene;

/* A replacement "NAME=EXPR" of an entry of `parameters`. Errors in it name it as "--set". */
typedef struct zn_scene_options {
    int n_sets;
    const char *const *sets;
    ZN_RESERVED;
} zn_scene_options;

/* All independent mistakes in the text are left in the context as errors with file, line and column. */
ZN_API zn_status zn_scene_load(zn_context *context, const char *path, const zn_scene_options *options, zn_scene **scene);
/* The same from memory; `name` (may be NULL) stands for the file in errors. */
ZN_API zn_status zn_scene_parse(zn_context *context, const char *name, const char *text, const zn_scene_options *options,
                                zn_scene **scene);
ZN_API void zn_scene_destroy(zn_scene *scene);

ZN_API const char *zn_scene_title(const zn_scene *scene);
ZN_API const char *zn_scene_text(const zn_scene *scene);
ZN_API const zn_model *zn_scene_model(const zn_scene *scene);
/* Valid as long as the scene. */
ZN_API const zn_settings *zn_scene_settings(const zn_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
