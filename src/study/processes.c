/* SPDX-License-Identifier: Apache-2.0 */
/* Processes: the manager of a team has the file and hands out lots; each worker has two at a time, so that it never waits for an answer.
 *
 *   worker -> manager    a report: the lot (number -1: here I am), seconds, rows
 *   manager -> worker    a lot, the first run of the file, the part of the study; of no rows: that was all
 *
 * A lot takes as long as the manager needs for the messages of all workers, many times over. */
#include "study/crew.h"

#include <signal.h>
#include <time.h>

enum { LOTS_AHEAD = 2, MESSAGE = 5 };
static const double shortest_lot = 0.02, seconds_per_message = 1e-5, busy_share = 0.1; /* of the manager's time, with lots and reports */
static const struct timespec nap = {.tv_nsec = 200 * 1000};

typedef struct report {
    study_lot lot;
    double seconds;
} report;

/* ---- workers ---- */

/* A process that is asked to end is not lost: its run is not counted. */
static volatile long *volatile own_run;
static volatile sig_atomic_t terminated;
static void on_termination(int number) {
    (void)number;
    if (own_run) *own_run = 0;
    own_run = NULL;
    terminated = 1;
}

/* Places are in a file of the part. */
static void take_place(const study_shared *s, study_place *place, long part, long *part_before) {
    if (place->page && part == *part_before) return;
    char *path = part ? study_part_path(s->context, s->def->out, (int)part) : NULL;
    own_run = NULL;
    study_place_leave(place);
    study_place_take(place, path ? path : s->def->out, s->def->transport->rank - 1), own_run = place->run;
    mem_free(s->context, path);
    *part_before = part;
}

static zn_status serve(const study_shared *s, int manager, study_worker *w, study_row *row, study_parcel *parcel) {
    const study_transport *t = s->def->transport;
    study_lot lot = {.number = -1};
    study_place place = {0};
    report said = {.lot = lot};
    size_t size;
    long part = 0;
    for (int i = 0; i < LOTS_AHEAD; i++) t->send(manager, &said, sizeof said);
    for (;;) {
        long message[MESSAGE];
        t->await(manager, &size);
        if (size != sizeof message) return fail(s->context, ZN_ERROR_INTERNAL, "a message of the manager is not complete");
        t->receive(manager, message, sizeof message);
        lot = (study_lot){message[0], message[1], message[2]};
        if (lot.count == 0) break;
        take_place(s, &place, message[4], &part);
        if (terminated) place.run = NULL;
        double begun = base_seconds();
        parcel->size = sizeof said;
        if (!study_parcel_grow(parcel, sizeof said) || !study_run_lot(w, &place, &lot, message[3], row, parcel)) return ZN_ERROR_MEMORY;
        said = (report){lot, base_seconds() - begun};
        memcpy(parcel->bytes, &said, sizeof said);
        t->send(manager, parcel->bytes, parcel->size);
    }
    own_run = NULL;
    study_place_leave(&place);
    return ZN_OK;
}

zn_status study_serve(const study_shared *s, int manager) {
    study_worker worker;
    study_row row;
    study_parcel parcel = {0};
    struct sigaction action = {.sa_handler = on_termination};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    zn_status status = study_worker_create(s, &worker);
    if (status != ZN_OK) return status;
    status = study_row_create(&worker, &row);
    if (status == ZN_OK) status = serve(s, manager, &worker, &row, &parcel);
    study_row_free(&worker, &row);
    study_worker_free(&worker);
    study_parcel_free(&parcel);
    return status == ZN_OK && terminated ? ZN_STOPPED : status;
}

/* ---- the manager ---- */

typedef struct manager {
    study_team *team;
    study_handout handout;
} manager;

zn_status study_team_create(zn_context *context, study_team *team, const study_transport *t, int first, int count) {
    *team = (study_team){
        .transport = t, .first = first, .count = count, .above = -1, .idle = MEM_ARRAY(context, int, LOTS_AHEAD *(size_t)count)};
    return team->idle ? ZN_OK : ZN_ERROR_MEMORY;
}

void study_team_free(zn_context *context, study_team *team) { mem_free(context, team->idle); }

static void send_lot(const study_team *team, int to, study_lot lot, long first) {
    const long message[MESSAGE] = {lot.number, lot.first, lot.count, first, team->part};
    team->transport->send(to, message, sizeof message);
}

static void hand_out(manager *m) {
    study_lot lot;
    while (m->team->n_idle > 0 && study_handout_next(&m->handout, &lot))
        send_lot(m->team, m->team->idle[--m->team->n_idle], lot, m->handout.table->first);
}

/* False: there was no message. */
static bool take_report(manager *m, study_parcel *parcel, zn_status *status) {
    const study_transport *t = m->team->transport;
    int from;
    size_t size;
    report said;
    if (!t->look(&from, &size)) return false;
    bool above = from == m->team->above;
    if ((!above && size < sizeof said) || !study_parcel_grow(parcel, size)) {
        *status = above || size >= sizeof said ? ZN_ERROR_MEMORY : ZN_ERROR_INTERNAL;
        return false;
    }
    t->receive(from, parcel->bytes, size);
    parcel->size = size;
    if (above) m->team->stop = true; /* whatever it is: while a part is being done there is nothing else to say */
    if (above) return true;
    memcpy(&said, parcel->bytes, sizeof said);
    m->team->idle[m->team->n_idle++] = from;
    if (said.lot.number >= 0) study_handout_return(&m->handout, &said.lot, said.seconds, parcel, sizeof said);
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
    double begun = base_seconds(), reported = begun;
    long before = table->rows;
    zn_status status = ZN_OK;
    while (h->next < h->end || h->written < h->lots) {
        bool busy = false;
        while (take_report(m, &parcel, &status)) busy = true;
        hand_out(m);
        busy = write_ready(m, &status) || busy;
        double now = base_seconds();
        if (watch->progress && now - reported >= 0.1) {
            reported = now;
            if ((watch->progress(watch->user, table->count, table->rows, table->failed, now - begun) || m->team->stop) &&
                !outcome->stopped) {
                outcome->stopped = true;
                if (status == ZN_OK) status = study_table_flush(table); /* there may be little time */
            }
        }
        if (status != ZN_OK || outcome->stopped) study_handout_stop(h);
        if (!busy) nanosleep(&nap, NULL);
    }
    study_parcel_free(&parcel);
    outcome->done = table->rows - before;
    outcome->seconds = base_seconds() - begun;
    return status;
}

zn_status study_manage(const study_shared *s, study_team *team, study_table *table, study_lost *lost, const study_watch *watch,
                       study_outcome *outcome) {
    double messages = seconds_per_message * team->count / busy_share;
    manager m = {.team = team};
    zn_status status =
        study_handout_create(&m.handout, s, table, lost, LOTS_AHEAD * team->count, messages > shortest_lot ? messages : shortest_lot);
    if (status == ZN_OK) status = manage(&m, watch, outcome);
    study_handout_free(&m.handout);
    return status;
}

void study_dismiss(const study_team *team) {
    for (int i = 0; i < team->count; i++) send_lot(team, team->first + i, (study_lot){0}, 0);
}
