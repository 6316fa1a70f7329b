/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts and memory: everything goes through the allocator of the context. */
#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void *default_reallocate(void *user, void *block, size_t bytes) {
    (void)user;
    return realloc(block, bytes);
}

static void default_release(void *user, void *block) {
    (void)user;
    free(block);
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
const char *zn_version(void) { return TEXT(ZN_VERSION_MAJOR) "." TEXT(ZN_VERSION_MINOR) "." TEXT(ZN_VERSION_PATCH); }
int zn_version_number(void) { return ZN_VERSION_NUMBER; }

zn_context *zn_context_create(const zn_context_def *def) {
    zn_allocator allocator = def ? def->allocator : (zn_allocator){0};
    if (!allocator.reallocate || !allocator.release) allocator = (zn_allocator){default_reallocate, default_release, NULL};
    zn_context *context = allocator.reallocate(allocator.user, NULL, sizeof *context);
    if (!context) return NULL;
    memset(context, 0, sizeof *context);
    context->allocator = allocator;
    pthread_mutex_init(&context->lock, NULL);
    base_single_thread();
    context->log = def ? def->log : NULL;
    context->log_user = def ? def->log_user : NULL;
    context->memory_error = (zn_error){.status = ZN_ERROR_MEMORY, .message = zn_status_text(ZN_ERROR_MEMORY), .time = NAN};
    return context;
}

void zn_context_destroy(zn_context *context) {
    if (!context) return;
    base_team_end(context);
    zn_error_clear(context);
    mem_free(context, context->errors);
    mem_free(context, context->text);
    for (size_t i = 0; i < MEM_RETIRED; i++) mem_free(context, context->retired[i]);
    pthread_mutex_destroy(&context->lock);
    zn_allocator allocator = context->allocator;
    allocator.release(allocator.user, context);
}

void zn_context_watch(zn_context *context, const volatile int *stop) {
    if (context) context->stop = stop;
}

bool base_stopped(const zn_context *context) { return context->stop && *context->stop; }

/* Members of a team may allocate at the same time. */
static void lock(zn_context *context) {
    if (context->team) pthread_mutex_lock(&context->lock);
}
static void unlock(zn_context *context) {
    if (context->team) pthread_mutex_unlock(&context->lock);
}

static void *reallocate(zn_context *context, void *block, size_t count, size_t size) {
    void *grown = NULL;
    if (size == 0 || count <= SIZE_MAX / 2 / size) {
        size_t bytes = count * size;
        lock(context);
        grown = context->allocator.reallocate(context->allocator.user, block, bytes ? bytes : 1);
        if (!grown) context->memory_failed = true;
        unlock(context);
    } else context->memory_failed = true;
    return grown;
}

void *mem_array(zn_context *context, size_t count, size_t size) {
    void *block = reallocate(context, NULL, count, size);
    if (block) memset(block, 0, count > 0 && size > 0 ? count * size : 1);
    return block;
}

double *mem_parts(zn_context *context, const mem_part *list, size_t n) {
    size_t total = 0;
    for (size_t i = 0; i < n; i++) total += (size_t)list[i].count;
    double *block = MEM_ARRAY(context, double, total), *next = block;
    for (size_t i = 0; i < n && block; next += list[i].count, i++) *list[i].array = next;
    return block;
}

bool mem_grow(zn_context *context, void **block, size_t *capacity, size_t needed, size_t size) {
    if (needed <= *capacity) return true;
    size_t wanted = *capacity * 2 > needed ? *capacity * 2 : needed;
    if (wanted < 8) wanted = 8;
    void *old; /* the caller's pointer has a type of its own: copied, not read as void * */
    memcpy(&old, block, sizeof old);
    char *grown = reallocate(context, old, wanted, size);
    if (!grown) return false;
    memset(grown + *capacity * size, 0, (wanted - *capacity) * size);
    memcpy(block, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

char *mem_text(zn_context *context, const char *text) {
    size_t length = strlen(text);
    char *copy = mem_array(context, length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

char *mem_format(zn_context *context, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = mem_array(context, (size_t)(length < 0 ? 0 : length) + 1, 1);
    if (text) vsnprintf(text, (size_t)(length < 0 ? 0 : length) + 1, format, again);
    va_end(again);
    return text;
}

void mem_free(zn_context *context, void *block) {
    if (!block) return;
    lock(context);
    context->allocator.release(context->allocator.user, block);
    unlock(context);
}

void mem_retire(zn_context *context, void *block) {
    void **place = &context->retired[context->n_retired++ % MEM_RETIRED];
    mem_free(context, *place);
    *place = block;
}

unsigned mem_number(zn_context *context) { return ++context->n_builders; }
