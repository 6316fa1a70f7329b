/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of numbers, and the sentence for a number outside one. */
#ifndef BASE_RANGE_H
#define BASE_RANGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct number_range {
    double low, high;
    bool low_open, high_open; /* the bound itself is not allowed */
    bool whole;               /* whole numbers only, that fit into an int */
} number_range;

/* NaN is in no range. */
bool range_has(number_range, double value);
/* "must be between 0 and 1", "must be greater than 0", "must be a whole number, 1 or more". */
const char *range_demand(number_range, char *text, size_t room);

#endif
