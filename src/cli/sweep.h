/* SPDX-License-Identifier: Apache-2.0 */
/* A study from options and from the section `study` of a scene. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "study/study.h"

/* Texts of options; 0 and NULL: not given. */
typedef struct cli_study_texts {
    int n_vary, n_keep;
    const char *const *vary, *const *keep;
    const char *samples, *sampling, *seed, *from;
    bool zip;
} cli_study_texts;

/* false: an error is left in the context. */
bool cli_study_def(zn_context *, const zn_scene *, const cli_study_texts *, study_def *);

#endif
