/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring one row of the table, here and in Siconos. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "zeno/zeno.h"

typedef struct bench_row {
    const char *scene, *scheme;
    int stages;             /* 0: the scheme's default */
    zn_iteration iteration; /* coupled: the scene's */
    double peer_tolerance;  /* largest difference of q at the end from Siconos' result; 0: not compared */
} bench_row;

enum { BENCH_Q_MAX = 64 };

typedef struct bench_result {
    double step, end;
    long steps;
    double median, fastest;         /* microseconds of processor time a step */
    double iterations, allocations; /* a step */
    int nq;
    double q[BENCH_Q_MAX]; /* at the end */
} bench_result;

typedef struct bench_peer {
    double median, fastest;
    double difference; /* largest of |q - q_peer| / max(1, |q|) */
} bench_peer;

/* Both say on standard error why they fail. */
bool bench_measure(const bench_row *row, const char *scenes, double seconds, bench_result *result);
bool bench_measure_peer(const char *program, const bench_row *row, double seconds, const bench_result *ours, bench_peer *peer);

#endif
