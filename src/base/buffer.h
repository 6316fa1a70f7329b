/* SPDX-License-Identifier: Apache-2.0 */
/* A text that grows. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include "base/base.h"

/* Begin with {.context = ...}. After a failure nothing is added, and buffer_end returns NULL. */
typedef struct text_buffer {
    zn_context *context;
    char *text;
    size_t length, capacity;
    bool failed;
} text_buffer;

void buffer_add(text_buffer *, const char *bytes, size_t length);
void buffer_text(text_buffer *, const char *text);
void buffer_put(text_buffer *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_json(text_buffer *, const char *text); /* as a JSON string */
void buffer_json_format(text_buffer *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_number(text_buffer *, double value);                     /* of JSON */
void buffer_numbers(text_buffer *, int count, const double *values); /* [1, 2, 3] */
/* The text, the caller's to free with mem_free; NULL: out of memory. */
char *buffer_end(text_buffer *);
void buffer_free(text_buffer *);

#endif
