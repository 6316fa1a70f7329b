/* SPDX-License-Identifier: Apache-2.0 */
/* Drawings: a JSON text (docs/page.md) that says how a model looks. Here: growing such a text. */
#ifndef VIEW_DRAWING_H
#define VIEW_DRAWING_H

#include "base/base.h"

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
