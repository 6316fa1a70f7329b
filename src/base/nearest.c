/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

enum { LENGTH_MAX = 63 };

static int shortened(const char *text) {
    size_t length = strlen(text);
    return length < LENGTH_MAX ? (int)length : LENGTH_MAX;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static int smaller_count(int a, int b) { return a < b ? a : b; }

/* d[i][j], the distance of the first i bytes of a and the first j of b, for three consecutive i:
 *   d[i][j] = min(d[i-1][j] + 1, d[i][j-1] + 1, d[i-1][j-1] + [a_i != b_j], d[i-2][j-2] + 1 where the last two are swapped) */
int nearest_distance(const char *a, const char *b) {
    int n = shortened(a), m = shortened(b);
    int rows[3][LENGTH_MAX + 1];
    for (int j = 0; j <= m; j++) rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            int differ = lower(a[i - 1]) != lower(b[j - 1]);
            int best = smaller_count(before[j - 1] + differ, smaller_count(before[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                best = smaller_count(best, earlier[j - 2] + 1);
            now[j] = best;
        }
    }
    return rows[n % 3][m];
}

/* One letter of a short name, two of five, a third of a longer one; never all of it. */
int nearest_is_close(const char *name, int distance) {
    int length = shortened(name), allowed = length < 5 ? 1 : (length + 1) / 3;
    return distance <= allowed && (distance == 0 || distance < length);
}

const char *nearest_name(const char *name, const char *const *names, int count) {
    const char *best = NULL;
    int best_distance = INT_MAX;
    for (int i = 0; i < count; i++) {
        int distance = nearest_distance(name, names[i]);
        if (distance >= best_distance) continue;
        best_distance = distance;
        best = names[i];
    }
    return best && nearest_is_close(name, best_distance) ? best : NULL;
}
