/* SPDX-License-Identifier: Apache-2.0 */
/* Points of the unit cube (0, 1)^D, k = 0 .. N-1.
 *
 *   random   x_kd = U(k, d)                        U: uniform, from Philox with the counter (k, d)
 *   latin    x_kd = (pi_d(k) + U(k, d))/N          pi_d: a permutation of 0 .. N-1, computed and not stored
 *   sobol    x_kd = (s_kd xor r_d + 1/2)/2^32      s_kd = xor of the direction numbers v_j of d over the bits j of k; r_d: random
 *
 * v_j = m_j 2^(32-j), m_j by the recurrence of a primitive polynomial of degree s with the coefficients a,
 *
 *   m_j = 2 a_1 m_{j-1} xor 4 a_2 m_{j-2} xor ... xor 2^s m_{j-s} xor m_{j-s}        (Joe, Kuo 2008)
 */
#include "study/sample.h"

#include "base/base.h"

enum { ROUNDS = 10, SOBOL_BITS = 32, MOST_DEGREE = 7, FEISTEL_ROUNDS = 6 };
/* What a block of random numbers is for: the last word of the counter. */
enum { FOR_VALUE, FOR_PERMUTATION, FOR_SHIFT };

study_block study_philox(study_block c, uint32_t key0, uint32_t key1) {
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t a = UINT64_C(0xD2511F53) * c.word[0], b = UINT64_C(0xCD9E8D57) * c.word[2];
        c = (study_block){{(uint32_t)(b >> 32) ^ c.word[1] ^ key0, (uint32_t)b, (uint32_t)(a >> 32) ^ c.word[3] ^ key1, (uint32_t)a}};
        key0 += UINT32_C(0x9E3779B9);
        key1 += UINT32_C(0xBB67AE85);
    }
    return c;
}

static study_block block(uint64_t seed, int dimension, uint64_t k, uint32_t purpose) {
    study_block counter = {{(uint32_t)k, (uint32_t)(k >> 32), (uint32_t)dimension, purpose}};
    return study_philox(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
}

/* 52 bits and a half: never 0 or 1. */
static double uniform(uint64_t seed, int dimension, uint64_t k) {
    study_block b = block(seed, dimension, k, FOR_VALUE);
    uint64_t bits = ((uint64_t)b.word[0] << 32 | b.word[1]) >> 12;
    return ldexp((double)bits + 0.5, -52);
}

/* ---- Latin hypercube ---- */

/* A permutation of 0 .. 2^(2 half) - 1: rounds (l, r) -> (r, l xor f(r)). What falls outside 0 .. count-1 is sent through again, until
 * it is inside: that is a permutation of these. */
static uint64_t permuted(uint64_t seed, int dimension, uint64_t k, uint64_t count) {
    int half = 1;
    while (half < 31 && UINT64_C(1) << 2 * half < count) half++;
    uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = k >> half, right = k & mask;
        for (uint64_t round = 0; round < FEISTEL_ROUNDS; round++) {
            uint64_t next = left ^ (block(seed, dimension, right | round << 32, FOR_PERMUTATION).word[0] & mask);
            left = right;
            right = next;
        }
        k = left << half | right;
    } while (k >= count);
    return k;
}

/* ---- Sobol ---- */

typedef struct sobol_row {
    int degree, a;
    uint32_t m[MOST_DEGREE];
} sobol_row;

/* Dimensions 2 to 21; the first is the sequence of van der Corput. */
static const sobol_row sobol_rows[STUDY_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

static uint32_t sobol(int dimension, uint64_t k) {
    uint32_t m[SOBOL_BITS], x = 0;
    const sobol_row *row = dimension ? &sobol_rows[dimension - 1] : NULL;
    for (int j = 0; j < SOBOL_BITS && k >> j; j++) {
        if (!row) m[j] = 1;
        else if (j < row->degree) m[j] = row->m[j];
        else {
            m[j] = m[j - row->degree] ^ m[j - row->degree] << row->degree;
            for (int i = 1; i < row->degree; i++)
                if (row->a >> (row->degree - 1 - i) & 1) m[j] ^= m[j - i] << i;
        }
        if (k >> j & 1) x ^= m[j] << (SOBOL_BITS - 1 - j);
    }
    return x;
}

double study_sample(study_sampling sampling, uint64_t seed, int dimension, uint64_t k, uint64_t count) {
    if (sampling == STUDY_LATIN) return ((double)permuted(seed, dimension, k, count) + uniform(seed, dimension, k)) / (double)count;
    if (sampling == STUDY_SOBOL) return ldexp((sobol(dimension, k) ^ block(seed, dimension, 0, FOR_SHIFT).word[0]) + 0.5, -SOBOL_BITS);
    return uniform(seed, dimension, k);
}

/* ---- normal distribution ---- */

double study_normal(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }

/* Newton's method for log Phi(x) = log p, p <= 1/2: log Phi is concave, so from the second point on x grows towards the solution. */
double study_normal_quantile(double p) {
    enum { MOST_ITERATIONS = 100 };
    const double inverse_root_two_pi = 0.39894228040143267794;
    if (p > 0.5) return -study_normal_quantile(1 - p);
    double x = -sqrt(-2 * log(p)), aim = log(p);
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        double phi = study_normal(x), dx = (aim - log(phi)) * phi / (inverse_root_two_pi * exp(-x * x / 2));
        x += dx;
        if (!(fabs(dx) > 1e-15 * (1 + fabs(x)))) break;
    }
    return x;
}
