/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a benchmark as a file, where one is asked for. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>
#include <stdio.h>

/* path NULL: none. False: it cannot be written, as standard error says. */
static inline bool bench_open(const char *path, FILE **table) {
    *table = path ? fopen(path, "w") : NULL;
    if (path && !*table) fprintf(stderr, "bench: '%s' cannot be written\n", path);
    return !path || *table;
}

#endif
