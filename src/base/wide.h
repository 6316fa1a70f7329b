/* SPDX-License-Identifier: Apache-2.0 */
/* WIDE before a function: it is compiled twice and chosen when the program starts, with vectors of four numbers where the machine has them.
 * Without fused operations, so with the same bits. */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

#include <stdlib.h> /* says which C library this is */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) /* whose functions are not available yet when the choice is made */
#elif defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute) && !defined(__clang__)
#if __has_attribute(target_clones)
#define WIDE __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef WIDE
#define WIDE
#endif

/* Four numbers, of which operators take all at once; `four_there`: where they lie among others in an array of numbers. */
typedef double four __attribute__((vector_size(4 * sizeof(double))));
typedef four four_there __attribute__((aligned(sizeof(double)), may_alias));

/* Inlined into its callers, so that it is compiled with their vectors and with the sizes that they know. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

#endif
