/* SPDX-License-Identifier: Apache-2.0 */
/* A round: its loop is stored, then it opens; members join an open round, take tasks by counters, and leave. When the caller finds no more
 * tasks it closes the round and waits only for the members that joined, not for those that are still waking up. Loops follow each other
 * within microseconds, or within milliseconds where there is other work between them, and waking a thread takes longer than many loops: so
 * members poll for the next round for a while before they sleep. */
#include "base/team.h"

#include "base/context.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { LOOKS = 64 };                 /* polls between readings of the clock, at which the thread yields */
static const double awake = 2e-3;    /* seconds that a member polls for the next round */
static const double patience = 1e-4; /* seconds that the caller polls for the end of tasks */

typedef struct member {
    base_team *team;
    int number;
    pthread_t thread;
} member;

/* Tasks that are taken in their order. Each row has its own cache line, so that threads on different rows do not contend for it. */
enum { CACHE_LINE = 64 };
typedef struct row {
    atomic_int next;
    int end;
    char apart[CACHE_LINE - sizeof(atomic_int) - sizeof(int)];
} row;

struct base_team {
    int size, asked; /* asked: how many were asked for; there may be fewer */
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    atomic_uint round; /* changes when there is work, or the end */
    atomic_uint state; /* OPEN, and JOINED for each member in the round */
    atomic_bool over;
    int threads, n_rows; /* of the open round, as all below */
    row rows[TEAM_MOST];
    void (*work)(void *, int, int);
    void *user;
    member members[TEAM_MOST];
};
enum { OPEN = 1, JOINED = 2 };

/* From one row after the other, beginning with the member's own. */
static void take_tasks(base_team *team, int number) {
    for (int k = 0; k < team->n_rows; k++) {
        row *from = &team->rows[(number + k) % team->n_rows];
        for (int task; (task = atomic_fetch_add(&from->next, 1)) < from->end;) team->work(team->user, task, number);
    }
}

/* So that polling does not slow the other hardware thread of the core. */
static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Polls for some time until *word is, or is not, `value`. */
static bool look_for(atomic_uint *word, unsigned value, bool is, double seconds) {
    double end = base_seconds() + seconds;
    do {
        for (int k = 0; k < LOOKS; k++, pause_briefly())
            if ((atomic_load(word) == value) == is) return true;
        sched_yield();
    } while (base_seconds() < end);
    return false;
}

static void await_round(base_team *team, unsigned last) {
    if (look_for(&team->round, last, false, awake)) return;
    pthread_mutex_lock(&team->lock);
    while (atomic_load(&team->round) == last) pthread_cond_wait(&team->begins, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

static bool join(base_team *team) {
    unsigned state = atomic_load(&team->state);
    while (state & OPEN)
        if (atomic_compare_exchange_weak(&team->state, &state, state + JOINED)) return true;
    return false;
}

static void leave(base_team *team) {
    if (atomic_fetch_sub(&team->state, JOINED) != JOINED) return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_signal(&team->ends);
    pthread_mutex_unlock(&team->lock);
}

static void *serve(void *user) {
    member *self = user;
    base_team *team = self->team;
    unsigned last = 0;
    for (;;) {
        await_round(team, last);
        last = atomic_load(&team->round);
        if (atomic_load(&team->over)) return NULL;
        if (!join(team)) continue;
        if (self->number < team->threads) take_tasks(team, self->number);
        leave(team);
    }
}

static void begin_round(base_team *team) {
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->round, 1);
    pthread_cond_broadcast(&team->begins);
    pthread_mutex_unlock(&team->lock);
}

static void end_round(base_team *team) {
    if (atomic_fetch_and(&team->state, ~(unsigned)OPEN) == OPEN || look_for(&team->state, 0, true, patience)) return;
    pthread_mutex_lock(&team->lock);
    while (atomic_load(&team->state) != 0) pthread_cond_wait(&team->ends, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

static void run(base_team *team, int threads, int n_rows, int tasks, void (*work)(void *, int, int), void *user) {
    if (!team || threads < 2 || tasks < 2) {
        for (int task = 0; task < tasks; task++) work(user, task, 0);
        return;
    }
    team->threads = threads, team->n_rows = n_rows, team->work = work, team->user = user;
    for (int i = 0; i < n_rows; i++) {
        atomic_store(&team->rows[i].next, (int)((long)tasks * i / n_rows));
        team->rows[i].end = (int)((long)tasks * (i + 1) / n_rows);
    }
    atomic_store(&team->state, OPEN);
    begin_round(team);
    take_tasks(team, 0);
    end_round(team);
}

void base_team_run(base_team *team, int threads, int tasks, void (*work)(void *, int, int), void *user) {
    run(team, threads, 1, tasks, work, user);
}

void base_team_spread(base_team *team, int threads, int tasks, void (*work)(void *, int, int), void *user) {
    run(team, threads, threads < TEAM_MOST ? threads : TEAM_MOST, tasks, work, user);
}

typedef struct shared {
    int count, each;
    void (*work)(void *, int, int);
    void *user;
} shared;

static void share_piece(void *user, int task, int number) {
    (void)number;
    const shared *loop = user;
    int first = task * loop->each, left = loop->count - first;
    loop->work(loop->user, first, first + (left < loop->each ? left : loop->each));
}

void base_share_pieces(zn_context *context, int threads, int count, int each, void (*work)(void *, int, int), void *user) {
    base_team_spread(base_team_of(context, threads), threads, (count + each - 1) / each, share_piece, &(shared){count, each, work, user});
}

int base_team_size(const base_team *team) { return team ? team->size : 1; }

static void destroy(zn_context *context, base_team *team) {
    atomic_store(&team->over, true);
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
    team->asked = threads;
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
    if (context->team && context->team->asked >= threads) return context->team;
    base_team_end(context);
    return create(context, threads);
}
