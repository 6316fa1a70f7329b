/* SPDX-License-Identifier: Apache-2.0 */
/* Handles: an object that users hold by a pointer knows its own kind, so that NULL and destroyed objects are reported, not dereferenced.
 *
 * The structure begins with HANDLE_HEAD. Destroying clears it and keeps its memory with the context for a while (mem_retire), so that using
 * a destroyed handle finds a head without a stamp, and no freed memory is read. Not recognised: a handle that was destroyed more than
 * MEM_RETIRED destroyed handles ago, and any handle whose context is destroyed. */
#ifndef BASE_HANDLE_H
#define BASE_HANDLE_H

#include "base/base.h"

/* Kind, and its word in messages. */
#define HANDLE_KINDS(X)                     \
    X(FORMULA_MODEL, "builder of formulas") \
    X(PARTS, "builder of parts")            \
    X(MACHINE, "machine")                   \
    X(SCENE, "scene")                       \
    X(SIMULATION, "simulation")             \
    X(ACCOUNT, "account")                   \
    X(RECORDER, "recorder")                 \
    X(RESULT, "result")

typedef enum handle_kind {
    HANDLE_DESTROYED,
    HANDLE_BEFORE = 0x5a4e00,
#define X(kind, word) HANDLE_##kind,
    HANDLE_KINDS(X)
#undef X
} handle_kind;

typedef struct handle_head {
    handle_kind kind;
    zn_context *context;
} handle_head;

#define HANDLE_HEAD                  \
    union {                          \
        handle_head head;            \
        struct {                     \
            handle_kind handle_kind; \
            zn_context *context;     \
        };                           \
    }

/* Whether it is a live handle of this kind. If not, and where it has a context: an error that names the function. */
bool handle_is_good(const handle_head *, handle_kind, const char *function);
/* At the end of destroying: the memory of the structure, `bytes` long, is cleared and retired. */
void handle_retire(handle_head *, size_t bytes);

#define HANDLE_OF(pointer) ((pointer) ? &(pointer)->head : NULL)
#define HANDLE_GOOD(pointer, kind) handle_is_good(HANDLE_OF(pointer), kind, __func__)
/* The first lines of public functions. */
#define NEED_HANDLE(pointer, kind) \
    if (!HANDLE_GOOD(pointer, kind)) return ZN_ERROR_ARGUMENT
#define NEED(context, pointer) \
    if (!(pointer)) return fail(context, ZN_ERROR_ARGUMENT, "%s: '%s' must not be NULL", __func__, #pointer)
/* A definition, whose reserved members are zeros. */
#define NEED_DEF(context, pointer)                                                         \
    NEED(context, pointer);                                                                \
    if (!handle_no_later(sizeof(pointer)->reserved / sizeof(size_t), (pointer)->reserved)) \
    return fail(context, ZN_ERROR_ARGUMENT, HANDLE_LATER, __func__, #pointer)
#define HANDLE_LATER "%s: '%s' was not initialised by its default function or with zeros, or belongs to a later version"
bool handle_no_later(size_t count, const size_t *reserved);
#define NEED_CONTEXT(context) \
    if (!(context)) return ZN_ERROR_ARGUMENT

#endif
