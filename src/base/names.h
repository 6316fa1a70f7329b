/* SPDX-License-Identifier: Apache-2.0 */
/* Which number a name has: a hash table, so that a builder with 10^5 names does not compare each with all. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "base/base.h"

typedef struct name_entry {
    const char *name; /* the caller's; NULL: empty */
    int owner, value;
} name_entry;

/* Zeros: empty. */
typedef struct name_table {
    name_entry *entries;
    size_t size, count;
} name_table;

/* The value of a name of `length` bytes among those of an owner, the first one that was added; -1: none. */
int names_find(const name_table *, int owner, const char *name, size_t length);
/* The name must live as long as its entry. false: out of memory. */
bool names_add(zn_context *, name_table *, int owner, const char *name, int value);
/* Forgets all values from `value` on, before their names are freed. */
void names_drop(name_table *, int value);
void names_free(zn_context *, name_table *);

#endif
