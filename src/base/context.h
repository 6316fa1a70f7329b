/* SPDX-License-Identifier: Apache-2.0 */
/* The context's content: only base looks inside. */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include "base/base.h"

#include <pthread.h>

typedef struct kept_error {
    zn_error view; /* what users see; its texts are the ones below */
    char *message, *file, *subject;
} kept_error;

struct zn_context {
    zn_allocator allocator;
    const volatile int *stop; /* NULL, or the address of a flag: not zero asks long work to stop */
    zn_log_function *log;
    void *log_user;
    kept_error *errors;
    size_t n_errors, error_capacity;
    bool memory_failed; /* an error could not be kept for lack of memory */
    zn_error memory_error;
    char *text;                 /* what zn_error_text returned last */
    void *retired[MEM_RETIRED]; /* the newest destroyed handles: see mem_retire */
    size_t n_retired;           /* ever */
    unsigned n_builders;        /* ever: see mem_number */
    struct base_team *team;     /* NULL: none (team.c) */
    pthread_mutex_t lock;       /* of the allocator, while there is a team */
};

/* threads.c */
void base_single_thread(void);
/* team.c */
void base_team_end(zn_context *);

#endif
