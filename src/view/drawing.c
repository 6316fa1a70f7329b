/* SPDX-License-Identifier: Apache-2.0 */
/* Drawings as text. */
#include "view/drawing.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

static char *room_for(drawing *d, size_t bytes) {
    if (d->failed) return NULL;
    if (mem_grow(d->context, (void **)&d->text, &d->capacity, d->length + bytes + 1, 1)) return d->text + d->length;
    d->failed = true;
    return NULL;
}

void drawing_put(drawing *d, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *to = bytes >= 0 ? room_for(d, (size_t)bytes) : NULL;
    if (!to) return;
    va_start(arguments, format);
    vsnprintf(to, (size_t)bytes + 1, format, arguments);
    va_end(arguments);
    d->length += (size_t)bytes;
}

void drawing_text(drawing *d, const char *text) {
    char piece[TEXT_PIECE];
    drawing_put(d, "\"");
    while (*text) {
        text_json(&text, piece);
        drawing_put(d, "%s", piece);
    }
    drawing_put(d, "\"");
}

void drawing_name(drawing *d, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = bytes < 0 || d->failed ? NULL : MEM_ARRAY(d->context, char, bytes + 1);
    if (!text) {
        d->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, (size_t)bytes + 1, format, arguments);
    va_end(arguments);
    drawing_text(d, text);
    mem_free(d->context, text);
}

void drawing_number(drawing *d, double value) {
    if (isfinite(value)) drawing_put(d, "%.9g", value);
    else drawing_put(d, "null");
}

void drawing_numbers(drawing *d, int count, const double *values) {
    drawing_put(d, "[");
    for (int i = 0; i < count; i++) {
        if (i) drawing_put(d, ", ");
        drawing_number(d, values[i]);
    }
    drawing_put(d, "]");
}

void drawing_free(drawing *d) {
    mem_free(d->context, d->text);
    *d = (drawing){.context = d->context};
}

char *drawing_end(drawing *d) {
    char *end = room_for(d, 0), *text = d->text;
    if (!end) {
        drawing_free(d);
        return NULL;
    }
    *end = 0;
    *d = (drawing){.context = d->context};
    return text;
}
