/* SPDX-License-Identifier: Apache-2.0 */
/* What the other folders use of base: failing with a sentence, memory, log. */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include "base/size.h"
#include "zeno/base.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Leaves an error in the context and returns its status, so that a caller writes `return fail(...)`. The `subject` and
 * the place are optional. Never fails itself: without memory a fixed sentence is kept. Without a context (NULL) there is only the
 * status. */
typedef struct error_place {
    const char *file; /* copied */
    int line, column;
    const char *subject; /* copied */
    long step;
    double time; /* NaN when unknown; use ERROR_PLACE_NONE as a start */
} error_place;
#define ERROR_PLACE_NONE ((error_place){.time = NAN})

zn_status fail(zn_context *context, zn_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
zn_status fail_at(zn_context *context, zn_status status, const error_place *place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds what a caller knows to the newest error where it is unknown (step and time, for instance). */
void fail_add_place(zn_context *context, const error_place *place);
void fail_set_place(zn_context *context, int index, const error_place *place); /* of an error that is not the newest */

void log_message(zn_context *context, zn_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Zeroed array of count elements, or NULL with ZN_ERROR_MEMORY left in the context. count 0 gives a valid pointer. */
void *mem_array(zn_context *context, size_t count, size_t size);
/* Grows to at least `needed` elements (doubling); *capacity is updated. New elements are zero. false: out of memory. */
bool mem_grow(zn_context *context, void **block, size_t *capacity, size_t needed, size_t size);
/* Arrays of numbers in one block: each list entry gets its place. Gives the block, zeroed, or NULL. */
typedef struct mem_part {
    double **array;
    long count;
} mem_part;
double *mem_parts(zn_context *context, const mem_part *list, size_t n);
#define MEM_PARTS(context, list) mem_parts(context, list, sizeof(list) / sizeof *(list))
char *mem_text(zn_context *context, const char *text); /* copy */
char *mem_format(zn_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mem_free(zn_context *context, void *block);
/* Frees a block later: once MEM_RETIRED others have been retired, or with the context. Until then it may be read. */
enum { MEM_RETIRED = 64 };
void mem_retire(zn_context *context, void *block);
/* 1, 2, 3 ...: a number that nothing else of the context has. */
unsigned mem_number(zn_context *context);

/* Whether long work has been asked to stop: see zn_context_watch. */
bool base_stopped(const zn_context *context);

#define MEM_ARRAY(context, type, count) ((type *)mem_array(context, (size_t)(count), sizeof(type)))

/* Seconds of a monotonic clock. */
double base_seconds(void);

#endif
