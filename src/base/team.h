/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of a context that share a loop. Tasks must depend neither on each other nor on the thread that runs them, so that results have
 * the same bits with any number of threads. */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include "base/base.h"

enum { TEAM_MOST = 64 };

typedef struct base_team base_team;

/* The team of a context, of at least as many threads as asked for, this one included; it ends with the context. NULL: one is enough, or
 * memory or threads are not available; the caller then does all the work. */
base_team *base_team_of(zn_context *, int threads);
int base_team_size(const base_team *); /* NULL: 1 */
/* work(user, task, member) for each task, by any of the first `threads` members (0: the caller), which take them in order. Returns when all
 * are done. Tasks may allocate from the context, but not start loops of their own. */
void base_team_run(base_team *, int threads, int tasks, void (*work)(void *user, int task, int member), void *user);
/* The same for tasks that never wait for each other: each member begins with the same part every time, so that loops over the same data
 * find it in the cache of their core. Moving it between cores may take as long as the work itself. */
void base_team_spread(base_team *, int threads, int tasks, void (*work)(void *user, int task, int member), void *user);
/* A loop over 0 .. count - 1: work(user, first, last) for pieces of `each` numbers, shared where there are enough of them to pay for waking
 * threads; otherwise one piece, handled inline so that small loops cost no call. */
enum { TEAM_PIECES_LEAST = 4 };
void base_share_pieces(zn_context *, int threads, int count, int each, void (*work)(void *user, int first, int last), void *user);
static inline void base_share(zn_context *context, int threads, int count, int each, void (*work)(void *, int, int), void *user) {
    if (threads < 2 || count < TEAM_PIECES_LEAST * each) work(user, 0, count);
    else base_share_pieces(context, threads, count, each, work, user);
}

#endif
