/* SPDX-License-Identifier: Apache-2.0 */
/* Row c of W r + q with the number of rows known when it is compiled, for functions that are WIDE. Blocks of W are multiplied as they lie
 * in memory, a vector of four numbers at a time; the fourth of three belongs to something else, and is left out of the sum. So W and r need
 * MANY_BEYOND numbers behind their last. */
#ifndef CONE_MANY_VELOCITY_H
#define CONE_MANY_VELOCITY_H

#include "base/wide.h"
#include "cone/many/system.h"

/* stride: numbers from one contact to the next in r. */
ALWAYS_INLINE void velocity_in_space(const int stride, const many_system *s, const double *r, int c, double *u) {
    four_there first = {0}, second = {0}, third = {0};
    for (int k = s->start[c]; k < s->start[c + 1]; k++) {
        const double *w = s->W + (size_t)k * 9;
        four_there rk = *(const four_there *)(r + s->index[k] * stride);
        first += *(const four_there *)w * rk;
        second += *(const four_there *)(w + 3) * rk;
        third += *(const four_there *)(w + 6) * rk;
    }
    const double *q = s->q + c * 3;
    u[0] = q[0] + (first[0] + first[1] + first[2]);
    u[1] = q[1] + (second[0] + second[1] + second[2]);
    u[2] = q[2] + (third[0] + third[1] + third[2]);
}

ALWAYS_INLINE void velocity_in_plane(const many_system *s, const double *r, int c, double *u) {
    four_there both = {0};
    for (int k = s->start[c]; k < s->start[c + 1]; k++) {
        const double *rk = r + s->index[k] * 2;
        both += *(const four_there *)(s->W + (size_t)k * 4) * (four_there){rk[0], rk[1], rk[0], rk[1]};
    }
    u[0] = s->q[c * 2] + (both[0] + both[1]);
    u[1] = s->q[c * 2 + 1] + (both[2] + both[3]);
}

ALWAYS_INLINE void velocity_of(const int d, const many_system *s, const double *r, int c, double *u) {
    if (d == 3) {
        velocity_in_space(3, s, r, c, u);
        return;
    }
    if (d == 2) {
        velocity_in_plane(s, r, c, u);
        return;
    }
    double sum[CONTACT_ROWS_MOST];
    for (int i = 0; i < d; i++) sum[i] = s->q[c * d + i];
    for (int k = s->start[c]; k < s->start[c + 1]; k++) {
        const double *w = s->W + (size_t)k * (size_t)(d * d), *rk = r + s->index[k] * d;
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++) sum[i] += w[i * d + j] * rk[j];
    }
    for (int i = 0; i < d; i++) u[i] = sum[i];
}

#endif
