/* SPDX-License-Identifier: Apache-2.0 */
/* "did you mean": which of the known names was probably meant. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b; letters of other case count as equal.
 * Names beyond 63 bytes are compared by their first 63. */
int nearest_distance(const char *a, const char *b);
/* Whether a distance is small enough, for a name that long, to suggest the other. */
int nearest_is_close(const char *name, int distance);
/* The nearest of the names, or NULL when none is close. */
const char *nearest_name(const char *name, const char *const *names, int count);

#endif
