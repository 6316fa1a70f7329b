/* SPDX-License-Identifier: Apache-2.0 */
/* How long steps took: the largest, and the median to a few parts in a hundred, without keeping all of them. */
#ifndef CLI_STEP_TIMES_H
#define CLI_STEP_TIMES_H

enum { STEP_TIMES_BINS = 768 };

typedef struct step_times {
    long count, bins[STEP_TIMES_BINS]; /* each bin is 4 % wide */
    double largest;
} step_times;

void step_times_add(step_times *, double seconds);
double step_times_median(const step_times *); /* 0: there was no step */

#endif
