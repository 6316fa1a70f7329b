/* SPDX-License-Identifier: Apache-2.0 */
#include "base/range.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

bool range_has(number_range r, double value) {
    bool low = r.low_open ? value > r.low : value >= r.low, high = r.high_open ? value < r.high : value <= r.high;
    return low && high && (!r.whole || (value == floor(value) && value <= INT_MAX));
}

const char *range_demand(number_range r, char *text, size_t room) {
    if (r.whole && r.high < INFINITY) snprintf(text, room, "must be a whole number, %g to %g", r.low, r.high);
    else if (r.whole) snprintf(text, room, "must be a whole number, %g or more", r.low);
    else if (r.high < INFINITY)
        snprintf(text, room, "must be %s %g %s %g", r.high_open ? "from" : "between", r.low, r.high_open ? "to below" : "and", r.high);
    else if (r.low > -INFINITY) snprintf(text, room, r.low_open ? "must be greater than %g" : "must not be less than %g", r.low);
    else snprintf(text, room, "must be a number");
    return text;
}
