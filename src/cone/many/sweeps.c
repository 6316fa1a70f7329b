/* SPDX-License-Identifier: Apache-2.0 */
/* Gauss-Seidel over the contacts, each contact solved exactly for its own r (relax.c). The order is that of the contacts, which mostly
 * follows the bodies. By colours, for threads, a pile needs two to six times as many sweeps.
 *
 * So threads share sweeps that follow each other, and change no bit: segment b of sweep k may begin when segment b - 1 of the same sweep is
 * done, and of the sweep before all segments that b has neighbours in, the furthest of them reach[b]. With  lag = max_b reach[b] - b
 * segments of the same  b + k (lag + 1)  do not wait for each other, and tasks in this order never wait for a later one. */
#include "cone/many/system.h"

#include <sched.h>
#include <stdatomic.h>

/* ---- sweeps by several threads ---- */

enum { SEGMENT = 32, SWEEPS_AT_ONCE = 16, LOOKS = 64 };

typedef struct pipeline {
    many_system *s;
    bool forward;
    int segments, sweeps, lag, width; /* width: tasks of the same b + k (lag + 1), at most */
    atomic_int done[SWEEPS_AT_ONCE];  /* segments, per sweep */
} pipeline;

/* Segments count in the direction of the sweep. */
static void find_reach(pipeline *p) {
    const many_system *s = p->s;
    for (int b = 0; b < p->segments; b++) s->reach[b] = b;
    for (int c = 0; c < s->n; c++) {
        int own = (p->forward ? c : s->n - 1 - c) / SEGMENT;
        int furthest = (p->forward ? s->index[s->start[c + 1] - 1] : s->n - 1 - s->index[s->start[c]]) / SEGMENT;
        if (furthest > s->reach[own]) s->reach[own] = furthest;
    }
    for (int b = 0; b < p->segments; b++)
        if (s->reach[b] - b > p->lag) p->lag = s->reach[b] - b;
    p->width = (p->segments - 1) / (p->lag + 1) + 1;
}

static void await(atomic_int *done, int wanted) {
    for (int k = 1; atomic_load_explicit(done, memory_order_acquire) < wanted; k++)
        if (k % LOOKS == 0) sched_yield();
}

static void sweep_segment(void *user, int task, int member) {
    (void)member;
    pipeline *p = user;
    int turn = task / p->width, first = turn < p->segments ? 0 : (turn - p->segments) / (p->lag + 1) + 1;
    int k = first + task % p->width, b = turn - k * (p->lag + 1), n = p->s->n;
    if (k >= p->sweeps || b < 0) return;
    await(&p->done[k], b);
    if (k > 0) await(&p->done[k - 1], p->s->reach[b] + 1);
    int begin = b * SEGMENT, count = n - begin < SEGMENT ? n - begin : SEGMENT;
    many_relax(p->s, p->forward ? begin : n - begin - count, count, p->forward);
    atomic_store_explicit(&p->done[k], b + 1, memory_order_release);
}

void many_sweep_times(many_system *s, int sweeps, bool forward) {
    bool shared = s->threads > 1 && s->n >= MANY_SHARED;
    pipeline p = {.s = s, .forward = forward, .segments = (s->n + SEGMENT - 1) / SEGMENT};
    if (shared) find_reach(&p);
    shared = shared && p.width > 1;
    many_gather(s);
    for (int left = sweeps; left > 0 && !base_stopped(s->context); left -= p.sweeps) {
        p.sweeps = !shared ? 1 : left < SWEEPS_AT_ONCE ? left : SWEEPS_AT_ONCE;
        for (int k = 0; k < p.sweeps; k++) atomic_store(&p.done[k], 0);
        if (!shared) many_relax(s, 0, s->n, forward);
        else base_team_run(s->team, s->threads, (p.segments + (p.sweeps - 1) * (p.lag + 1)) * p.width, sweep_segment, &p);
        s->out->sweeps += p.sweeps;
    }
    many_scatter(s);
}

/* ---- how many ---- */

enum { LOOK_LEAST = 4, LOOK_MOST = 20, SWEEPS_OF_A_TRIAL = 200, FACTORISATIONS_OF_A_TRIAL = 50, CONTACTS_PER_SWEEP = 8 };
#define FAST 0.8         /* of the residual: hardly a sweep leaves less */
#define NEAR 5           /* times the residual that is wanted */
#define NO_PROGRESS 0.95 /* of the residual: sweeps that leave more are at their end */

/* After a trial: whether the sweeps that it would still take at this rate cost less than the other methods, that is some 50 factorisations,
 * each as much as a sweep for every eight contacts. The residual of sweeps goes up and down: who is near goes on as long as that costs. */
static bool are_worth_it(const many_system *s, int sweeps, double before, double after) {
    double most = FACTORISATIONS_OF_A_TRIAL * many_sweeps_of_factorisation(s, CONTACTS_PER_SWEEP);
    if (after <= NEAR * s->settings.residual && sweeps <= most) return true;
    if (!(after <= NO_PROGRESS * before)) return false;
    double needed = SWEEPS_OF_A_TRIAL * log(after / s->settings.residual) / log(before / after);
    return needed <= most;
}

/* Sweeps that are not enough, for all one knows: until then nobody looks. */
static int sweeps_to_look(double residual, double wanted) {
    double least = log(residual / wanted) / log(1 / FAST);
    return !(least < LOOK_MOST) ? LOOK_MOST : least < LOOK_LEAST ? LOOK_LEAST : (int)least;
}

/* One sweep forward, one backward, and then all in the direction that leaves less: in piles, whose contacts are listed from below, that
 * matters by a factor of ten. */
bool many_sweep(many_system *s, int sweeps) {
    double before = s->best_residual, after[2] = {INFINITY, INFINITY};
    memcpy(s->r, s->best, (size_t)s->m * sizeof(double));
    for (int k = 0, trial = SWEEPS_OF_A_TRIAL, times = 1; k < sweeps && !base_stopped(s->context);) {
        s->backward = k == 1 || (k > 1 && after[1] < after[0]);
        many_sweep_times(s, times, !s->backward);
        k += times;
        double residual = many_offer_measured(s, s->r, s->u);
        if (residual <= s->settings.residual) return true;
        if (k <= 2) after[k - 1] = residual;
        if (k >= trial) {
            if (!are_worth_it(s, k, before, s->best_residual)) return false;
            before = s->best_residual, trial += SWEEPS_OF_A_TRIAL;
        }
        int most = sweeps < trial ? sweeps - k : trial - k, wished = k < 2 ? 1 : sweeps_to_look(residual, s->settings.residual);
        times = wished < most ? wished : most;
    }
    return false;
}
