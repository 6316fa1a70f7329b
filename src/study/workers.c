/* SPDX-License-Identifier: Apache-2.0 */
/* Threads take runs in order, one at a time; the thread that called writes their rows, in order, too. Between both is a ring of rows: who is
 * further ahead of the writer than its length waits. So memory does not grow with the number of runs. */
#include "study/table.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 1024, RING_ROWS = 1024, WAIT_NANOSECONDS = 100 * 1000 * 1000 };

typedef struct study_slot {
    study_row row;
    bool done;
} study_slot;

typedef struct study_crew {
    const study_shared *shared;
    zn_context *memory; /* of the ring: workers make events in it longer, which is safe as malloc is */
    pthread_mutex_t lock;
    pthread_cond_t row_done, room; /* for the writer; for workers */
    study_slot *ring;
    long first;         /* run of row 0 */
    long next, written; /* rows: to be taken; in the file */
    long end;           /* no more rows are taken from here on */
    bool writer_waits;
    double begun;       /* before the first worker was */
} study_crew;

typedef struct study_hand {
    study_crew *crew;
    study_worker worker;
    pthread_t thread;
} study_hand;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *work(void *user) {
    study_hand *hand = user;
    study_crew *crew = hand->crew;
    pthread_mutex_lock(&crew->lock);
    while (crew->next < crew->end) {
        if (crew->next >= crew->written + RING_ROWS) {
            pthread_cond_wait(&crew->room, &crew->lock);
            continue;
        }
        long row = crew->next++;
        study_slot *slot = &crew->ring[row % RING_ROWS];
        pthread_mutex_unlock(&crew->lock);
        study_worker_run(&hand->worker, crew->first + row, &slot->row);
        pthread_mutex_lock(&crew->lock);
        slot->done = true;
        if (crew->writer_waits && row == crew->written) pthread_cond_signal(&crew->row_done);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Under the lock. Waits at most a tenth of a second for the next row. */
static void await_row(study_crew *crew) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
    crew->writer_waits = true;
    pthread_cond_timedwait(&crew->row_done, &crew->lock, &until);
    crew->writer_waits = false;
}

/* Until all rows up to the end are in the file. After a stop or a failure of the file no more runs are begun. */
static zn_status write_rows(study_crew *crew, study_table *table, study_progress *progress, void *user, study_outcome *outcome) {
    double begun = crew->begun, told = begun;
    long before = table->rows;
    zn_status status = ZN_OK;
    pthread_mutex_lock(&crew->lock);
    while (crew->written < crew->end) {
        study_slot *slot = &crew->ring[crew->written % RING_ROWS];
        if (slot->done && crew->written < crew->next) {
            pthread_mutex_unlock(&crew->lock);
            if (status == ZN_OK) status = study_table_row(table, &slot->row);
            pthread_mutex_lock(&crew->lock);
            slot->done = false;
            crew->written++;
            if (crew->next >= crew->written + RING_ROWS - 1) pthread_cond_broadcast(&crew->room);
        } else await_row(crew);
        double now = seconds();
        if (progress && now - told >= 0.1) {
            told = now;
            pthread_mutex_unlock(&crew->lock);
            bool stop = progress(user, table->count, table->rows, table->failed, now - begun) != 0;
            pthread_mutex_lock(&crew->lock);
            if (stop) outcome->stopped = true;
        }
        if ((status != ZN_OK || outcome->stopped) && crew->end > crew->next) crew->end = crew->next;
    }
    crew->end = crew->next; /* whoever waits for room sees it */
    pthread_cond_broadcast(&crew->room);
    pthread_mutex_unlock(&crew->lock);
    outcome->done = table->rows - before;
    outcome->seconds = seconds() - begun;
    return status;
}

static zn_status start(study_crew *crew, study_hand *hands, int wanted, int *started) {
    zn_status status = ZN_OK;
    for (*started = 0; *started < wanted; ++*started) {
        study_hand *hand = &hands[*started];
        hand->crew = crew;
        status = study_worker_create(crew->shared, &hand->worker);
        if (status != ZN_OK) break;
        if (pthread_create(&hand->thread, NULL, work, hand) == 0) continue;
        study_worker_free(&hand->worker);
        status = ZN_MEMORY;
        break;
    }
    if (*started > 0) return ZN_OK; /* fewer do it too */
    return fail(crew->shared->context, status, "no thread can be started");
}

static zn_status create_ring(study_crew *crew) {
    zn_context *context = crew->memory = zn_context_create(NULL);
    if (!context) return ZN_MEMORY;
    crew->ring = MEM_ARRAY(context, study_slot, RING_ROWS);
    for (int i = 0; crew->ring && i < RING_ROWS; i++)
        if (!(crew->ring[i].row.numbers = MEM_ARRAY(context, double, study_row_width(crew->shared)))) return ZN_MEMORY;
        else crew->ring[i].row.events.memory = context;
    return crew->ring ? ZN_OK : ZN_MEMORY;
}

static void free_ring(study_crew *crew) {
    zn_context *context = crew->memory;
    if (!context) return;
    for (int i = 0; crew->ring && i < RING_ROWS; i++) mem_free(context, crew->ring[i].row.numbers), mem_free(context, crew->ring[i].row.events.entries);
    mem_free(context, crew->ring);
    zn_context_destroy(context);
}

static int thread_count(const study_def *def, long runs) {
    long wanted = def->threads > 0 ? def->threads : sysconf(_SC_NPROCESSORS_ONLN);
    if (wanted > MAX_THREADS) wanted = MAX_THREADS;
    if (wanted > runs) wanted = runs;
    return wanted > 1 ? (int)wanted : 1;
}

static zn_status run_all(const study_shared *shared, study_table *table, study_progress *progress, void *user, study_outcome *outcome) {
    zn_context *context = shared->context;
    study_crew crew = {.shared = shared, .first = table->first, .next = table->rows, .written = table->rows, .end = table->count};
    int wanted = thread_count(shared->def, table->count - table->rows), started = 0;
    crew.begun = seconds();
    if (crew.next == crew.end) return ZN_OK;
    study_hand *hands = MEM_ARRAY(context, study_hand, wanted);
    pthread_mutex_init(&crew.lock, NULL);
    pthread_cond_init(&crew.row_done, NULL);
    pthread_cond_init(&crew.room, NULL);
    zn_status status = hands ? create_ring(&crew) : ZN_MEMORY;
    if (status == ZN_OK) status = start(&crew, hands, wanted, &started);
    if (status == ZN_OK) status = write_rows(&crew, table, progress, user, outcome);
    for (int i = 0; i < started; i++) {
        pthread_join(hands[i].thread, NULL);
        study_worker_free(&hands[i].worker);
    }
    pthread_cond_destroy(&crew.room);
    pthread_cond_destroy(&crew.row_done);
    pthread_mutex_destroy(&crew.lock);
    free_ring(&crew);
    mem_free(context, hands);
    return status;
}

zn_status study_check(zn_context *context, const study_def *def, long *runs) {
    study_shared shared;
    zn_status status = study_shared_create(context, def, &shared);
    *runs = status == ZN_OK ? shared.plan.runs : 0;
    study_shared_free(&shared);
    return status;
}

zn_status study_sweep(zn_context *context, const study_def *def, study_progress *progress, void *user, study_outcome *outcome) {
    study_shared shared;
    study_table table;
    *outcome = (study_outcome){0};
    zn_status status = study_shared_create(context, def, &shared);
    if (status != ZN_OK) return status;
    status = study_table_open(&shared, &table);
    if (status == ZN_OK && !table.complete) {
        status = run_all(&shared, &table, progress, user, outcome);
        bool whole = status == ZN_OK && table.rows == table.count;
        zn_status finished = study_table_finish(&table, whole);
        if (status == ZN_OK) status = finished;
    }
    outcome->runs = table.rows, outcome->failed = table.failed, outcome->complete = table.complete;
    study_shared_free(&shared);
    return status;
}
