/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that follow a column of a file. */
#ifndef SCENE_CSV_H
#define SCENE_CSV_H

#include "zeno/scene.h"

/* "NAME=FILE.csv:COLUMN", held, or with ",linear" or ",cubic" behind it, over the column "t", "time" or the first one. */
zn_status scene_follow_csv(zn_context *, zn_simulation *, const char *text);

#endif
