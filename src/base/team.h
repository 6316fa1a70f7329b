/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of a context that share a loop. Tasks must not depend on each other, nor on who does them, so that results have the same bits with
 * any number of threads. */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include "base/base.h"

enum { TEAM_MOST = 64 };

typedef struct base_team base_team;

/* The team of a context, of at least as many threads as asked for, this one included; it ends with the context. NULL: one is enough, or there is
 * no memory, or the system gives no threads: everything is then done by the caller. */
base_team *base_team_of(zn_context *, int threads);
int base_team_size(const base_team *); /* NULL: 1 */
/* work(user, task, member) for each task, by any of the first `threads` members (0: the caller). Returns when all are done. Tasks may allocate from
 * the context, but not start loops of their own. */
void base_team_run(base_team *, int threads, int tasks, void (*work)(void *user, int task, int member), void *user);

#endif
