/* SPDX-License-Identifier: Apache-2.0 */
/* Drawings: a JSON text (docs/page.md) that says how a model looks. Here: growing such a text. */
#ifndef MODEL_DRAWING_H
#define MODEL_DRAWING_H

#include "model/model.h"

/* Outputs whose names begin so are poses of a drawing: results keep them apart, and summaries leave them out. */
#define DRAWING_PREFIX "view."
static inline bool drawing_is_pose(const char *output) {
    return !strncmp(output, DRAWING_PREFIX, sizeof DRAWING_PREFIX - 1);
}

/* Begin with {.context = ...}. After a failure nothing is added and drawing_end says NULL. */
typedef struct drawing {
    zn_context *context;
    char *text;
    size_t length, capacity;
    bool failed;
} drawing;

void drawing_put(drawing *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void drawing_text(drawing *, const char *text);                                              /* as a JSON string */
void drawing_name(drawing *, const char *format, ...) __attribute__((format(printf, 2, 3))); /* the same, put together */
void drawing_number(drawing *, double value);
void drawing_numbers(drawing *, int count, const double *values); /* [1, 2, 3] */
/* The text, the caller's to free with mem_free; NULL: out of memory. */
char *drawing_end(drawing *);
void drawing_free(drawing *);

#endif
