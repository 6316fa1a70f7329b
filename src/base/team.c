/* SPDX-License-Identifier: Apache-2.0 */
/* Workers wait for a new round, take tasks by a counter, and report. They look for a while before they sleep, since loops follow each other
 * within microseconds. */
#include "base/team.h"

#include "base/context.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { LOOKS = 2000 };

typedef struct member {
    base_team *team;
    int number;
    pthread_t thread;
} member;

struct base_team {
    int size;
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    atomic_uint round; /* changes when there is work, or the end */
    atomic_int next, busy;
    bool over;
    int tasks, threads;
    void (*work)(void *, int, int);
    void *user;
    member members[TEAM_MOST];
};

static void take_tasks(base_team *team, int number) {
    int tasks = team->tasks;
    for (int task; (task = atomic_fetch_add(&team->next, 1)) < tasks;) team->work(team->user, task, number);
}

static void await_round(base_team *team, unsigned last) {
    for (int k = 0; k < LOOKS; k++) {
        if (atomic_load(&team->round) != last) return;
        if (k % 64 == 63) sched_yield();
    }
    pthread_mutex_lock(&team->lock);
    while (atomic_load(&team->round) == last) pthread_cond_wait(&team->begins, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

static void *serve(void *user) {
    member *self = user;
    base_team *team = self->team;
    unsigned last = 0;
    for (;;) {
        await_round(team, last);
        last = atomic_load(&team->round);
        if (team->over) return NULL;
        if (self->number < team->threads) take_tasks(team, self->number);
        if (atomic_fetch_sub(&team->busy, 1) != 1) continue;
        pthread_mutex_lock(&team->lock);
        pthread_cond_signal(&team->ends);
        pthread_mutex_unlock(&team->lock);
    }
}

static void begin_round(base_team *team) {
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->round, 1);
    pthread_cond_broadcast(&team->begins);
    pthread_mutex_unlock(&team->lock);
}

void base_team_run(base_team *team, int threads, int tasks, void (*work)(void *, int, int), void *user) {
    if (!team || threads < 2 || tasks < 2) {
        for (int task = 0; task < tasks; task++) work(user, task, 0);
        return;
    }
    team->tasks = tasks, team->threads = threads, team->work = work, team->user = user;
    atomic_store(&team->next, 0);
    atomic_store(&team->busy, team->size - 1);
    begin_round(team);
    take_tasks(team, 0);
    for (int k = 0; k < LOOKS; k++) {
        if (atomic_load(&team->busy) == 0) return;
        if (k % 64 == 63) sched_yield();
    }
    pthread_mutex_lock(&team->lock);
    while (atomic_load(&team->busy) != 0) pthread_cond_wait(&team->ends, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

int base_team_size(const base_team *team) { return team ? team->size : 1; }

static void destroy(zn_context *context, base_team *team) {
    team->over = true;
    begin_round(team);
    for (int k = 1; k < team->size; k++) pthread_join(team->members[k].thread, NULL);
    pthread_cond_destroy(&team->begins);
    pthread_cond_destroy(&team->ends);
    pthread_mutex_destroy(&team->lock);
    context->team = NULL;
    mem_free(context, team);
}

void base_team_end(zn_context *context) {
    if (context->team) destroy(context, context->team);
}

static base_team *create(zn_context *context, int threads) {
    base_team *team = MEM_ARRAY(context, base_team, 1);
    if (!team) return NULL;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begins, NULL);
    pthread_cond_init(&team->ends, NULL);
    for (team->size = 1; team->size < threads; team->size++) {
        member *one = &team->members[team->size];
        *one = (member){.team = team, .number = team->size};
        if (pthread_create(&one->thread, NULL, serve, one) != 0) break;
    }
    context->team = team;
    return team;
}

base_team *base_team_of(zn_context *context, int threads) {
    if (threads > TEAM_MOST) threads = TEAM_MOST;
    if (threads < 2) return NULL;
    if (context->team && context->team->size >= threads) return context->team;
    base_team_end(context);
    return create(context, threads);
}
