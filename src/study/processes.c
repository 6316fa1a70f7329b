/* SPDX-License-Identifier: Apache-2.0 */
/* Processes: the manager has the file and hands out lots; each worker has two at a time, so that it never waits for an answer.
 *
 *   worker -> manager    a report: the lot (number -1: here I am), seconds, rows
 *   manager -> worker    a lot; of no rows: that was all
 *
 * A lot takes as long as the manager needs for the messages of all workers, many times over. */
#include "study/crew.h"

#include <signal.h>
#include <time.h>

enum { LOTS_AHEAD = 2 };
static const double shortest_lot = 0.02, seconds_per_message = 1e-5, busy_share = 0.1; /* of the manager's time, with lots and reports */
static const struct timespec nap = {.tv_nsec = 200 * 1000};

typedef struct report {
    study_lot lot;
    double seconds;
} report;

/* ---- workers ---- */

/* Whoever is asked to end is not lost: its run is not counted. */
static volatile long *volatile own_run;
static volatile sig_atomic_t terminated;
static void on_termination(int number) {
    (void)number;
    if (own_run) *own_run = 0;
    own_run = NULL;
    terminated = 1;
}

static zn_status serve(const study_shared *s, study_worker *w, study_row *row, study_parcel *parcel) {
    const study_transport *t = s->def->transport;
    study_lot lot = {.number = -1};
    study_place place = {0};
    report said = {.lot = lot};
    size_t size;
    for (int i = 0; i < LOTS_AHEAD; i++) t->send(0, &said, sizeof said);
    for (;;) {
        long message[4];
        t->await(0, &size);
        if (size != sizeof message) return fail(s->context, ZN_ERROR_INTERNAL, "a message of the manager is not complete");
        t->receive(0, message, sizeof message);
        lot = (study_lot){message[0], message[1], message[2]};
        if (lot.count == 0) break;
        if (!place.page) study_place_take(&place, s->def->out, t->rank - 1), own_run = place.run;
        if (terminated) place.run = NULL;
        double begun = study_seconds();
        parcel->size = sizeof said;
        if (!study_parcel_grow(parcel, sizeof said) || !study_run_lot(w, &place, &lot, message[3], row, parcel)) return ZN_ERROR_MEMORY;
        said = (report){lot, study_seconds() - begun};
        memcpy(parcel->bytes, &said, sizeof said);
        t->send(0, parcel->bytes, parcel->size);
    }
    own_run = NULL;
    study_place_leave(&place);
    return ZN_OK;
}

zn_status study_serve(const study_shared *s) {
    study_worker worker;
    study_row row;
    study_parcel parcel = {0};
    struct sigaction action = {.sa_handler = on_termination};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    zn_status status = study_worker_create(s, &worker);
    if (status != ZN_OK) return status;
    status = study_row_create(&worker, &row);
    if (status == ZN_OK) status = serve(s, &worker, &row, &parcel);
    study_row_free(&worker, &row);
    study_worker_free(&worker);
    study_parcel_free(&parcel);
    return status == ZN_OK && terminated ? ZN_STOPPED : status;
}

/* ---- the manager ---- */

typedef struct manager {
    const study_transport *t;
    study_handout handout;
    int *idle; /* workers that wait for a lot, each as often as it does */
    size_t n_idle;
    long out; /* lots that are not back */
} manager;

static void send_lot(const study_transport *t, int to, study_lot lot, long first) {
    const long message[4] = {lot.number, lot.first, lot.count, first};
    t->send(to, message, sizeof message);
}

static void hand_out(manager *m) {
    study_lot lot;
    for (; m->n_idle > 0 && study_handout_next(&m->handout, &lot); m->out++)
        send_lot(m->t, m->idle[--m->n_idle], lot, m->handout.table->first);
}

/* False: there was no message. */
static bool take_report(manager *m, study_parcel *parcel, zn_status *status) {
    int from;
    size_t size;
    report said;
    if (!m->t->look(&from, &size)) return false;
    if (size < sizeof said || !study_parcel_grow(parcel, size)) {
        *status = size < sizeof said ? ZN_ERROR_INTERNAL : ZN_ERROR_MEMORY;
        return false;
    }
    m->t->receive(from, parcel->bytes, size);
    parcel->size = size;
    memcpy(&said, parcel->bytes, sizeof said);
    m->idle[m->n_idle++] = from;
    if (said.lot.number < 0) return true;
    study_handout_return(&m->handout, &said.lot, said.seconds, parcel, sizeof said);
    m->out--;
    return true;
}

static bool write_ready(manager *m, zn_status *status) {
    const study_slot *slot = study_handout_ready(&m->handout);
    if (!slot) return false;
    if (*status == ZN_OK) *status = study_handout_write(&m->handout, slot);
    study_handout_written(&m->handout);
    return true;
}

static zn_status manage(manager *m, const study_watch *watch, study_outcome *outcome) {
    study_handout *h = &m->handout;
    study_table *table = h->table;
    study_parcel parcel = {0};
    double begun = study_seconds(), told = begun;
    long before = table->rows;
    zn_status status = ZN_OK;
    while (h->next < h->end || h->written < h->lots) {
        bool busy = false;
        while (take_report(m, &parcel, &status)) busy = true;
        hand_out(m);
        busy = write_ready(m, &status) || busy;
        double now = study_seconds();
        if (watch->progress && now - told >= 0.1) {
            told = now;
            if (watch->progress(watch->user, table->count, table->rows, table->failed, now - begun) && !outcome->stopped) {
                outcome->stopped = true;
                if (status == ZN_OK) status = study_table_flush(table); /* there may be little time */
            }
        }
        if (status != ZN_OK || outcome->stopped) study_handout_stop(h);
        if (!busy) nanosleep(&nap, NULL);
    }
    study_parcel_free(&parcel);
    outcome->done = table->rows - before;
    outcome->seconds = study_seconds() - begun;
    return status;
}

zn_status study_manage(const study_shared *s, study_table *table, study_lost *lost, const study_watch *watch, study_outcome *outcome) {
    const study_transport *t = s->def->transport;
    int workers = t->size - 1;
    double messages = seconds_per_message * workers / busy_share;
    manager m = {.t = t, .idle = MEM_ARRAY(s->context, int, LOTS_AHEAD *(size_t)workers)};
    zn_status status =
        m.idle ? study_handout_create(&m.handout, s, table, lost, LOTS_AHEAD * workers, messages > shortest_lot ? messages : shortest_lot)
               : ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = manage(&m, watch, outcome);
    study_handout_free(&m.handout);
    mem_free(s->context, m.idle);
    return status;
}

void study_dismiss(const study_transport *t) {
    for (int i = 1; i < t->size; i++) send_lot(t, i, (study_lot){0}, 0);
}
