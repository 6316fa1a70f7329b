/* SPDX-License-Identifier: Apache-2.0 */
/* Errors kept in the context, and the log. */
#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>

const char *zn_status_text(zn_status status) {
    static const char *const sentences[] = {
#define X(name, word, sentence) sentence,
        ZN_STATUS_LIST(X)
#undef X
    };
    return (unsigned)status < ZN_STATUS_COUNT ? sentences[status] : "unknown status";
}

__attribute__((format(printf, 2, 0))) static char *format_text(zn_context *context, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = mem_array(context, (size_t)(length < 0 ? 0 : length) + 1, 1);
    if (text) vsnprintf(text, (size_t)(length < 0 ? 0 : length) + 1, format, again);
    va_end(again);
    return text;
}

static void free_error(zn_context *context, kept_error *error) {
    mem_free(context, error->message);
    mem_free(context, error->file);
    mem_free(context, error->subject);
    *error = (kept_error){0};
}

static void set_text(zn_context *context, char **kept, const char **view, const char *text) {
    if (!text || *kept) return;
    *kept = mem_text(context, text);
    *view = *kept;
}

static void add_place(zn_context *context, kept_error *error, const error_place *place) {
    set_text(context, &error->file, &error->view.file, place->file);
    set_text(context, &error->subject, &error->view.subject, place->subject);
    if (!error->view.line) {
        error->view.line = place->line;
        error->view.column = place->column;
    }
    if (!error->view.step) error->view.step = place->step;
    if (isnan(error->view.time)) error->view.time = place->time;
}

__attribute__((format(printf, 4, 0))) static void keep_error(zn_context *context, zn_status status, const error_place *place,
                                                             const char *format, va_list arguments) {
    if (!mem_grow(context, (void **)&context->errors, &context->error_capacity, context->n_errors + 1, sizeof(kept_error))) return;
    kept_error *error = &context->errors[context->n_errors];
    *error = (kept_error){.view = {.status = status, .time = NAN}};
    error->message = format_text(context, format, arguments);
    if (!error->message) return;
    error->view.message = error->message;
    add_place(context, error, place);
    context->n_errors++;
}

zn_status fail(zn_context *context, zn_status status, const char *format, ...) {
    va_list arguments;
    if (!context) return status;
    va_start(arguments, format);
    keep_error(context, status, &ERROR_PLACE_NONE, format, arguments);
    va_end(arguments);
    return status;
}

zn_status fail_at(zn_context *context, zn_status status, const error_place *place, const char *format, ...) {
    va_list arguments;
    if (!context) return status;
    va_start(arguments, format);
    keep_error(context, status, place, format, arguments);
    va_end(arguments);
    return status;
}

void fail_add_place(zn_context *context, const error_place *place) {
    if (context->n_errors) add_place(context, &context->errors[context->n_errors - 1], place);
}

void fail_set_place(zn_context *context, int index, const error_place *place) {
    if ((size_t)index < context->n_errors) add_place(context, &context->errors[index], place);
}

int zn_error_count(const zn_context *context) { return context ? (int)context->n_errors + (context->memory_failed ? 1 : 0) : 0; }

const zn_error *zn_error_get(const zn_context *context, int index) {
    if (!context || index < 0) return NULL;
    if ((size_t)index < context->n_errors) return &context->errors[index].view;
    return context->memory_failed && (size_t)index == context->n_errors ? &context->memory_error : NULL;
}

void zn_error_clear(zn_context *context) {
    if (!context) return;
    for (size_t i = 0; i < context->n_errors; i++) free_error(context, &context->errors[i]);
    context->n_errors = 0;
    context->memory_failed = false;
}

/* "file:line:column: message (step 12, t = 0.3)"; returns the length it needs, writes at most `room` characters. */
static size_t write_error(const zn_error *error, char *out, size_t room) {
    size_t used = 0;
#define PUT(...) used += (size_t)snprintf(used < room ? out + used : NULL, used < room ? room - used : 0, __VA_ARGS__)
    if (error->file) PUT("%s:", error->file);
    if (error->line) PUT("%d:", error->line);
    if (error->line && error->column) PUT("%d:", error->column);
    if (used) PUT(" ");
    PUT("%s", error->message);
    bool has_time = !isnan(error->time);
    if (error->step) PUT(" (step %ld", error->step);
    if (has_time) PUT(error->step ? ", t = %.6g" : " (t = %.6g", error->time);
    if (error->step || has_time) PUT(")");
    PUT("\n");
#undef PUT
    return used;
}

const char *zn_error_text(zn_context *context) {
    if (!context) return "";
    mem_free(context, context->text);
    context->text = NULL;
    int count = zn_error_count(context);
    if (count == 0) return "";
    size_t length = 0;
    for (int i = 0; i < count; i++) length += write_error(zn_error_get(context, i), NULL, 0);
    bool had_failed = context->memory_failed;
    context->text = mem_array(context, length + 1, 1);
    context->memory_failed = had_failed;
    if (!context->text) return zn_status_text(ZN_ERROR_MEMORY);
    size_t used = 0;
    for (int i = 0; i < count; i++) used += write_error(zn_error_get(context, i), context->text + used, length + 1 - used);
    context->text[length - 1] = 0; /* no newline at the end */
    return context->text;
}

void log_message(zn_context *context, zn_log_level level, const char *format, ...) {
    if (!context->log) return;
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    context->log(context->log_user, level, message);
}
