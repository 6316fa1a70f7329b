/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes: a YAML text that describes a model and how to simulate it. */
#ifndef ZENO_SCENE_H
#define ZENO_SCENE_H

#include "zeno/recorder.h"

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

/* The context gets all independent mistakes as errors with file, line and column. A result (.h5, .hdf5) gives the scene from which it was
 * made, as it was run. */
ZN_API zn_status zn_scene_load(zn_context *context, const char *path, const zn_scene_options *options, zn_scene **scene);
/* The same from memory; `name` (may be NULL) stands for the file in errors. */
ZN_API zn_status zn_scene_parse(zn_context *context, const char *name, const char *text, const zn_scene_options *options, zn_scene **scene);
ZN_API void zn_scene_destroy(zn_scene *scene);

/* The title, or "". */
ZN_API const char *zn_scene_title(const zn_scene *scene);
/* The scene as it was read. */
ZN_API const char *zn_scene_text(const zn_scene *scene);
/* The scene as it is run with these settings (NULL: its own), as a text that needs nothing else but mesh and table files: what it includes
 * is in it, parameters have the values that were set. Freed by zn_scene_free_text. */
ZN_API zn_status zn_scene_as_run(const zn_scene *scene, const zn_settings *settings, char **text);
ZN_API void zn_scene_free_text(const zn_scene *scene, char *text);
/* A recorder (as zn_recorder_create makes it) of a simulation of this scene: the file also knows the scene as it is run, by which `zeno run
 * FILE` repeats it. */
ZN_API zn_status zn_scene_record(zn_context *context, const zn_scene *scene, const zn_simulation *simulation, const char *path,
                                 zn_recorder **recorder);
ZN_API const zn_model *zn_scene_model(const zn_scene *scene);
/* Valid as long as the scene. */
ZN_API const zn_settings *zn_scene_settings(const zn_scene *scene);
/* The reason for the choice of the scheme, if the scene names none and the choice differs from the default settings ("it has joints ...");
 * else NULL. */
ZN_API const char *zn_scene_choice(const zn_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
