/* SPDX-License-Identifier: Apache-2.0 */
/* Context, status, errors, memory and log: the basis of every other call. */
#ifndef ZENO_BASE_H
#define ZENO_BASE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define ZN_API
#else
#define ZN_API __attribute__((visibility("default")))
#endif

/* The version of these headers; zn_version_number() is that of the library. */
#define ZN_VERSION_MAJOR 0
#define ZN_VERSION_MINOR 2
#define ZN_VERSION_PATCH 0
#define ZN_VERSION_NUMBER (ZN_VERSION_MAJOR * 10000 + ZN_VERSION_MINOR * 100 + ZN_VERSION_PATCH)

/* Room for members of later versions, so that a program runs with a later library without being compiled again. Zeros: begin with a default
 * function or an initialiser. A definition that has something there is ZN_ERROR_ARGUMENT: it is one of a later version. */
#define ZN_RESERVED size_t reserved[8]

/* The one list of outcomes: name, word, sentence. */
#define ZN_STATUS_LIST(X)                                                                         \
    X(ZN_OK, "ok", "done")                                                                        \
    X(ZN_STOPPED, "stopped", "the run was stopped before its end")                                \
    X(ZN_ERROR_MEMORY, "memory", "out of memory")                                                 \
    X(ZN_ERROR_ARGUMENT, "argument", "an argument is wrong")                                      \
    X(ZN_ERROR_FILE, "file", "a file cannot be read or written")                                  \
    X(ZN_ERROR_SYNTAX, "syntax", "a text cannot be parsed")                                       \
    X(ZN_ERROR_SCENE, "scene", "the scene is wrong")                                              \
    X(ZN_ERROR_MODEL, "model", "the model is wrong")                                              \
    X(ZN_ERROR_UNSUPPORTED, "unsupported", "the scheme does not support a feature of the system") \
    X(ZN_ERROR_START, "start", "the initial state is inconsistent")                               \
    X(ZN_ERROR_SINGULAR, "singular", "a matrix is singular")                                      \
    X(ZN_ERROR_NO_CONVERGENCE, "no-convergence", "the equations of a step could not be solved")   \
    X(ZN_ERROR_NOT_FINITE, "not-finite", "a value is not finite")                                 \
    X(ZN_ERROR_INTERNAL, "internal", "internal error, please report it")

typedef enum zn_status {
#define X(name, word, sentence) name,
    ZN_STATUS_LIST(X)
#undef X
        ZN_STATUS_COUNT
} zn_status;

/* The general sentence of a status. */
ZN_API const char *zn_status_text(zn_status status);

/* Misuse. An argument that a function cannot use (NULL where a value is needed, an unknown choice, a number that makes no sense) gives
 * ZN_ERROR_ARGUMENT and a sentence in the context; without a context (NULL) there is only the status. Functions that return a value return
 * NULL, NaN, 0 or an empty structure instead. Destroyed handles are recognised in the same way while their context exists, the 64 most
 * recent ones of each context; older ones, destroyed contexts, and pointers that never came from the library cannot be recognised. */

typedef struct zn_context zn_context;

/* Memory hook. All memory of the library itself goes through it (HDF5 and libfyaml keep their own). `reallocate` gets NULL
 * for a new block; the returned memory must be aligned as malloc's. */
typedef struct zn_allocator {
    void *(*reallocate)(void *user, void *block, size_t bytes);
    void (*release)(void *user, void *block);
    void *user;
} zn_allocator;

typedef enum zn_log_level { ZN_LOG_INFO, ZN_LOG_WARNING } zn_log_level;
typedef void zn_log_function(void *user, zn_log_level level, const char *message);

typedef struct zn_context_def {
    zn_allocator allocator; /* zeros: malloc and free */
    zn_log_function *log;   /* NULL: silent */
    void *log_user;
    ZN_RESERVED;
} zn_context_def;

/* One error with what is known about its place. Unknown: NULL, 0 for line, column and step, NaN for time. */
typedef struct zn_error {
    zn_status status;
    const char *message; /* the sentence, without the place */
    const char *file;
    int line, column; /* from 1 */
    long step;
    double time;
    const char *subject; /* the contact, constraint, coordinate ... it is about */
    ZN_RESERVED;
} zn_error;

/* `def` may be NULL. NULL only when out of memory. Where OpenBLAS is used it is set to one thread, for the whole process, unless the
 * environment variable OPENBLAS_NUM_THREADS asks for a number. */
ZN_API zn_context *zn_context_create(const zn_context_def *def);
/* NULL is allowed, here and in every destroy function. Destroy what was made with a context before the context. */
ZN_API void zn_context_destroy(zn_context *context);

/* A flag that a signal handler or another thread sets: while it is not zero, steps end soon, also from inside of long solves, with
 * ZN_STOPPED; the simulation then is at its last good state and can go on. NULL: none. It must stay alive. */
ZN_API void zn_context_watch(zn_context *context, const volatile int *stop);

/* Errors are kept in order until cleared; one failing call may leave several (a scene with three mistakes). */
ZN_API int zn_error_count(const zn_context *context);
ZN_API const zn_error *zn_error_get(const zn_context *context, int index);
/* All errors, one per line, "file:line:column: sentence"; "" when there is none. Valid until the next call with the context. */
ZN_API const char *zn_error_text(zn_context *context);
ZN_API void zn_error_clear(zn_context *context);

ZN_API const char *zn_version(void); /* "0.2.0" */
ZN_API int zn_version_number(void);  /* 100 */

#ifdef __cplusplus
}
#endif
#endif
