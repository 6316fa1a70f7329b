/* SPDX-License-Identifier: Apache-2.0 */
/* Points of the unit cube. Coordinate d of point k is a function of (seed, d, k) alone, whichever process computes it and in whatever
 * order. */
#ifndef STUDY_SAMPLE_H
#define STUDY_SAMPLE_H

#include <stdint.h>

typedef enum study_sampling { STUDY_RANDOM, STUDY_LATIN, STUDY_SOBOL, STUDY_SAMPLING_COUNT } study_sampling;
enum { STUDY_SOBOL_DIMENSIONS = 21 };

/* Philox4x32-10 of Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy as 1, 2, 3 (2011). */
typedef struct study_block {
    uint32_t word[4];
} study_block;
study_block study_philox(study_block counter, uint32_t key0, uint32_t key1);

/* In (0, 1), never an end. count: points in all. */
double study_sample(study_sampling, uint64_t seed, int dimension, uint64_t k, uint64_t count);

/* The distribution function of the standard normal distribution and its inverse, 0 < p < 1. */
double study_normal(double x);
double study_normal_quantile(double p);

#endif
