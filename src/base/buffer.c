/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

static char *room_for(text_buffer *b, size_t bytes) {
    if (b->failed) return NULL;
    if (mem_grow(b->context, (void **)&b->text, &b->capacity, b->length + bytes + 1, 1)) return b->text + b->length;
    b->failed = true;
    return NULL;
}

void buffer_add(text_buffer *b, const char *bytes, size_t length) {
    char *to = room_for(b, length);
    if (!to) return;
    memcpy(to, bytes, length);
    b->length += length;
}

void buffer_text(text_buffer *b, const char *text) { buffer_add(b, text, strlen(text)); }

__attribute__((format(printf, 2, 0))) static void put(text_buffer *b, const char *format, va_list arguments) {
    va_list same;
    va_copy(same, arguments);
    int bytes = vsnprintf(NULL, 0, format, same);
    va_end(same);
    char *to = bytes >= 0 ? room_for(b, (size_t)bytes) : NULL;
    if (!to) return;
    vsnprintf(to, (size_t)bytes + 1, format, arguments);
    b->length += (size_t)bytes;
}

void buffer_put(text_buffer *b, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put(b, format, arguments);
    va_end(arguments);
}

void buffer_json(text_buffer *b, const char *text) {
    char piece[TEXT_PIECE];
    buffer_text(b, "\"");
    while (*text) {
        text_json(&text, piece);
        buffer_text(b, piece);
    }
    buffer_text(b, "\"");
}

void buffer_json_format(text_buffer *b, const char *format, ...) {
    text_buffer string = {.context = b->context, .failed = b->failed};
    va_list arguments;
    va_start(arguments, format);
    put(&string, format, arguments);
    va_end(arguments);
    char *text = buffer_end(&string);
    if (text) buffer_json(b, text);
    else b->failed = true;
    mem_free(b->context, text);
}

void buffer_number(text_buffer *b, double value) {
    if (isfinite(value)) buffer_put(b, "%.9g", value);
    else buffer_text(b, "null");
}

void buffer_numbers(text_buffer *b, int count, const double *values) {
    buffer_text(b, "[");
    for (int i = 0; i < count; i++) {
        if (i) buffer_text(b, ", ");
        buffer_number(b, values[i]);
    }
    buffer_text(b, "]");
}

void buffer_free(text_buffer *b) {
    mem_free(b->context, b->text);
    *b = (text_buffer){.context = b->context};
}

char *buffer_end(text_buffer *b) {
    char *end = room_for(b, 0), *text = b->text;
    if (!end) {
        buffer_free(b);
        return NULL;
    }
    *end = 0;
    *b = (text_buffer){.context = b->context};
    return text;
}
