/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/step_times.h"

#include <math.h>

/* From a nanosecond on, 16 bins for each doubling. */
static const double shortest = 1e-9;
enum { BINS_PER_DOUBLING = 16 };

void step_times_add(step_times *t, double seconds) {
    double place = seconds > shortest ? BINS_PER_DOUBLING * log2(seconds / shortest) : 0;
    int bin = place < STEP_TIMES_BINS - 1 ? (int)place : STEP_TIMES_BINS - 1;
    t->bins[bin]++;
    t->count++;
    if (seconds > t->largest) t->largest = seconds;
}

double step_times_median(const step_times *t) {
    long below = 0;
    int bin = 0;
    if (t->count == 0) return 0;
    while (2 * (below + t->bins[bin]) < t->count) below += t->bins[bin++];
    return shortest * exp2((bin + 0.5) / BINS_PER_DOUBLING);
}
