/* SPDX-License-Identifier: Apache-2.0 */
/* Threads take lots of runs in order; the thread that called writes their rows, in order, too. A ring of lots lies between them: a worker
 * that is further ahead of the writer than its length waits, so memory does not grow with the number of runs. */
#include "study/crew.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 1024, WAIT_NANOSECONDS = 100 * 1000 * 1000 };
static const double lot_seconds = 5e-3; /* long compared with locking, short compared with a second */

typedef struct study_crew {
    pthread_mutex_t lock;
    pthread_cond_t lot_done, room; /* for the writer; for workers */
    study_handout handout;
    bool writer_waits;
    int room_waits;
    double begun; /* before the first worker started */
} study_crew;

typedef struct study_hand {
    study_crew *crew;
    study_worker worker;
    study_place place;
    pthread_t thread;
} study_hand;

bool study_run_lot(study_worker *w, study_place *place, const study_lot *lot, long first, study_row *row, study_parcel *parcel) {
    bool ok = true;
    for (long i = 0; i < lot->count && ok; i++) {
        study_place_at(place, first + lot->first + i);
        study_worker_run(w, first + lot->first + i, row);
        ok = study_parcel_add(parcel, w->shared, row);
    }
    study_place_at(place, -1);
    return ok;
}

zn_status study_row_create(study_worker *w, study_row *row) {
    *row = (study_row){.events.memory = w->context, .numbers = MEM_ARRAY(w->context, double, study_row_width(w->shared))};
    return row->numbers ? ZN_OK : ZN_ERROR_MEMORY;
}

void study_row_free(study_worker *w, study_row *row) {
    mem_free(w->context, row->numbers);
    mem_free(w->context, row->events.entries);
}

/* Under the lock. False: no work is left. */
static bool take_lot(study_crew *crew, study_lot *lot) {
    while (!study_handout_next(&crew->handout, lot)) {
        if (crew->handout.next >= crew->handout.end) return false;
        crew->room_waits++;
        pthread_cond_wait(&crew->room, &crew->lock);
        crew->room_waits--;
    }
    return true;
}

static void *work(void *user) {
    study_hand *hand = user;
    study_crew *crew = hand->crew;
    study_parcel parcel = {0};
    study_row row;
    study_lot lot;
    bool ok = study_row_create(&hand->worker, &row) == ZN_OK;
    pthread_mutex_lock(&crew->lock);
    while (ok && take_lot(crew, &lot)) {
        pthread_mutex_unlock(&crew->lock);
        double begun = base_seconds();
        ok = study_run_lot(&hand->worker, &hand->place, &lot, crew->handout.table->first, &row, &parcel);
        double seconds = base_seconds() - begun;
        pthread_mutex_lock(&crew->lock);
        study_handout_return(&crew->handout, &lot, seconds, &parcel, 0);
        if (crew->writer_waits && lot.number == crew->handout.written) pthread_cond_signal(&crew->lot_done);
    }
    if (crew->writer_waits) pthread_cond_signal(&crew->lot_done); /* rows of lost runs may be the last */
    pthread_mutex_unlock(&crew->lock);
    study_parcel_free(&parcel);
    study_row_free(&hand->worker, &row);
    return NULL;
}

/* Under the lock. Waits at most a tenth of a second for the next lot. */
static void await_lot(study_crew *crew) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
    crew->writer_waits = true;
    pthread_cond_timedwait(&crew->lot_done, &crew->lock, &until);
    crew->writer_waits = false;
}

/* Until all rows up to the end are in the file. After a stop or a failure of the file no more runs are begun. */
static zn_status write_rows(study_crew *crew, study_progress *progress, void *user, study_outcome *outcome) {
    study_handout *h = &crew->handout;
    study_table *table = h->table;
    double begun = crew->begun, reported = begun;
    long before = table->rows;
    zn_status status = ZN_OK;
    if (progress) outcome->stopped = progress(user, table->count, before, table->failed, 0) != 0; /* rows from before */
    pthread_mutex_lock(&crew->lock);
    while (h->next < h->end || h->written < h->lots) {
        const study_slot *slot = study_handout_ready(h);
        if (slot) {
            pthread_mutex_unlock(&crew->lock);
            if (status == ZN_OK) status = study_handout_write(h, slot);
            pthread_mutex_lock(&crew->lock);
            study_handout_written(h);
            if (crew->room_waits) pthread_cond_broadcast(&crew->room);
        } else await_lot(crew);
        double now = base_seconds();
        if (progress && now - reported >= 0.1) {
            reported = now;
            pthread_mutex_unlock(&crew->lock);
            bool stop = progress(user, table->count, table->rows, table->failed, now - begun) != 0;
            pthread_mutex_lock(&crew->lock);
            if (stop) outcome->stopped = true;
        }
        if (status != ZN_OK || outcome->stopped) study_handout_stop(h);
    }
    pthread_cond_broadcast(&crew->room);
    pthread_mutex_unlock(&crew->lock);
    outcome->done = table->rows - before;
    outcome->seconds = base_seconds() - begun;
    return status;
}

static zn_status start(study_crew *crew, const study_shared *shared, study_hand *hands, int wanted, int *started) {
    zn_status status = ZN_OK;
    for (*started = 0; *started < wanted; ++*started) {
        study_hand *hand = &hands[*started];
        hand->crew = crew;
        status = study_worker_create(shared, &hand->worker);
        if (status != ZN_OK) break;
        study_place_take(&hand->place, shared->def->out, *started);
        if (pthread_create(&hand->thread, NULL, work, hand) == 0) continue;
        study_place_leave(&hand->place);
        study_worker_free(&hand->worker);
        status = ZN_ERROR_MEMORY;
        break;
    }
    if (*started > 0) return ZN_OK; /* fewer are enough */
    return fail(shared->context, status, "no thread can be started");
}

static int thread_count(const study_def *def, long runs) {
    long wanted = def->threads > 0 ? def->threads : sysconf(_SC_NPROCESSORS_ONLN);
    if (wanted > MAX_THREADS) wanted = MAX_THREADS;
    if (wanted > runs) wanted = runs;
    return wanted > 1 ? (int)wanted : 1;
}

static zn_status run_threads(const study_shared *shared, study_table *table, study_lost *lost, const study_watch *watch,
                             study_outcome *outcome) {
    zn_context *context = shared->context;
    study_crew crew = {.begun = base_seconds()};
    int wanted = thread_count(shared->def, table->count - table->rows), started = 0;
    study_hand *hands = MEM_ARRAY(context, study_hand, wanted);
    pthread_mutex_init(&crew.lock, NULL);
    pthread_cond_init(&crew.lot_done, NULL);
    pthread_cond_init(&crew.room, NULL);
    zn_status status = hands ? study_handout_create(&crew.handout, shared, table, lost, wanted, lot_seconds) : ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = start(&crew, shared, hands, wanted, &started);
    if (status == ZN_OK) status = write_rows(&crew, watch->progress, watch->user, outcome);
    for (int i = 0; i < started; i++) {
        pthread_join(hands[i].thread, NULL);
        study_place_leave(&hands[i].place);
        study_worker_free(&hands[i].worker);
    }
    pthread_cond_destroy(&crew.room);
    pthread_cond_destroy(&crew.lot_done);
    pthread_mutex_destroy(&crew.lock);
    study_handout_free(&crew.handout);
    mem_free(context, hands);
    return status;
}

static zn_status run_all(const study_shared *shared, study_team *team, study_table *table, const study_watch *watch,
                         study_outcome *outcome) {
    if (table->rows == table->count) return ZN_OK;
    study_lost *lost = study_lost_begin(shared->context, shared->def->out, table->hash, table->first + table->rows);
    if (!lost) return ZN_ERROR_MEMORY;
    zn_status status = team ? study_manage(shared, team, table, lost, watch, outcome) : run_threads(shared, table, lost, watch, outcome);
    study_lost_end(lost, status == ZN_OK);
    return status;
}

zn_status study_file(const study_shared *shared, study_team *team, const study_watch *watch, study_outcome *outcome) {
    study_table table;
    *outcome = (study_outcome){0};
    zn_status status = study_table_open(shared, &table);
    if (status == ZN_OK && !table.complete) {
        status = run_all(shared, team, &table, watch, outcome);
        bool whole = status == ZN_OK && table.rows == table.count;
        zn_status finished = study_table_finish(&table, whole);
        if (status == ZN_OK) status = finished;
    }
    outcome->runs = table.rows, outcome->failed = table.failed, outcome->complete = table.complete;
    return status;
}

zn_status study_check(zn_context *context, const study_def *def, long *runs) {
    study_shared shared;
    zn_status status = study_shared_create(context, def, &shared);
    *runs = status == ZN_OK ? shared.plan.runs : 0;
    study_shared_free(&shared);
    return status;
}

static zn_status make_folder(zn_context *context, const char *path) {
    if (!path || mkdir(path, 0777) == 0 || errno == EEXIST) return ZN_OK;
    return fail(context, ZN_ERROR_FILE, "the folder %s cannot be created: %s", path, strerror(errno));
}

zn_status study_sweep(zn_context *context, const study_def *def, study_progress *progress, void *user, study_outcome *outcome) {
    study_shared shared;
    const study_watch watch = {progress, user};
    int parts = 0;
    *outcome = (study_outcome){0};
    zn_status status = make_folder(context, def->results);
    if (status == ZN_OK) status = study_shared_create(context, def, &shared);
    if (status != ZN_OK) return status;
    if (def->transport) status = def->transport->rank > 0 ? study_follow(&shared, &watch) : study_lead(&shared, &watch, outcome);
    else {
        status = study_parts_plan(&shared, 1, 1, &parts);
        if (status == ZN_OK)
            status = parts ? study_parts_alone(&shared, NULL, parts, &watch, outcome) : study_file(&shared, NULL, &watch, outcome);
    }
    study_shared_free(&shared);
    return status;
}
