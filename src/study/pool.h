/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a worker: simulations of one scene allocate the same blocks again and again, so freed blocks are reused. */
#ifndef STUDY_POOL_H
#define STUDY_POOL_H

#include "base/base.h"

enum { STUDY_POOL_CLASSES = 40 };

/* Zeros: empty. For one thread at a time. */
typedef struct study_pool {
    void *free[STUDY_POOL_CLASSES]; /* lists of blocks of one size */
    void *chunks;                   /* what they were cut from */
    char *next;                     /* the rest of the last chunk */
    size_t left;
} study_pool;

zn_allocator study_pool_allocator(study_pool *);
/* All blocks but those too large for it, which are freed one by one. */
void study_pool_free(study_pool *);

#endif
