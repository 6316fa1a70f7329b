/* SPDX-License-Identifier: Apache-2.0 */
/* Very many processes: one writer would be too slow for all of them (docs/studies.md), so they form teams, each with a manager that writes
 * its own part of the study; the first process, the head, hands out parts as teams become free, and joins them at the end. Few processes
 * are one team, whose manager is the first process.
 *
 *   head -> all        role: the rank of the manager (its own: which workers; none: exit)
 *   manager -> head    a report: progress, or a finished part and the request for another
 *   head -> manager    a part; 0: the end; STOP: hand out no more runs (at any time, without an answer)      */
#include "study/crew.h"

#include <stdio.h>
#include <time.h>

enum { WORKERS_OF_TEAM = 500, LEAST_RUNS_OF_WORKER = 256, STOP = -1, TEXT = 400 };
static const struct timespec nap = {.tv_nsec = 200 * 1000};

typedef struct role {
    int manager, first, count;
} role;

typedef struct team_report {
    long part, runs, failed, done; /* of the part */
    int status;
    bool asks, stopped;
    char text[TEXT];
} team_report;

/* ---- the others ---- */

typedef struct reporting {
    const study_watch *watch;
    const study_transport *t;
    team_report said;
} reporting;

static int report_progress(void *user, long runs, long done, long failed, double seconds) {
    reporting *r = user;
    r->said.runs = done, r->said.failed = failed;
    r->t->send(0, &r->said, sizeof r->said);
    return r->watch->progress ? r->watch->progress(r->watch->user, runs, done, failed, seconds) : 0;
}

static int await_part(const study_transport *t, const team_report *said, int *parts) {
    int order[2];
    size_t size;
    t->send(0, said, sizeof *said);
    do {
        t->await(0, &size);
        t->receive(0, order, size < sizeof order ? size : sizeof order);
    } while (order[0] == STOP); /* it crossed a report that is being answered */
    *parts = order[1];
    return order[0];
}

static zn_status write_parts(const study_shared *s, const study_watch *watch, int first, int count) {
    reporting r = {.watch = watch, .t = s->def->transport};
    study_team team;
    int part, parts;
    zn_status status = study_team_create(s->context, &team, r.t, first, count);
    if (status != ZN_OK) return status;
    team.above = 0;
    r.said.asks = true;
    while ((part = await_part(r.t, &r.said, &parts)) > 0) {
        study_outcome outcome;
        r.said = (team_report){.part = part};
        team.stop = false;
        status = study_part(s, &team, part, parts, &(study_watch){report_progress, &r}, &outcome);
        r.said = (team_report){.part = part, .runs = outcome.runs, .failed = outcome.failed, .done = outcome.done};
        r.said.status = (int)status, r.said.asks = true, r.said.stopped = outcome.stopped;
        if (status != ZN_OK) snprintf(r.said.text, sizeof r.said.text, "%s", zn_error_text(s->context));
    }
    study_dismiss(&team);
    study_team_free(s->context, &team);
    return ZN_OK; /* the head reports errors */
}

zn_status study_follow(const study_shared *s, const study_watch *watch) {
    const study_transport *t = s->def->transport;
    role own;
    size_t size;
    t->await(0, &size);
    if (size != sizeof own) return fail(s->context, ZN_ERROR_INTERNAL, "a message of the first process is not complete");
    t->receive(0, &own, sizeof own);
    if (own.manager < 0) return ZN_OK;
    return own.manager == t->rank ? write_parts(s, watch, own.first, own.count) : study_serve(s, own.manager);
}

/* ---- the head ---- */

static int count_teams(const study_shared *s) {
    int workers = s->def->transport->size - 1, most = workers / 2, wanted = s->def->writers;
    if (s->def->n_shards > 0) return 1;
    if (wanted == 0 && s->plan.runs / LEAST_RUNS_OF_WORKER >= workers) wanted = workers / WORKERS_OF_TEAM;
    return wanted > most ? most : wanted > 1 ? wanted : 1;
}

static role team_at(const study_transport *t, int teams, int i) {
    long others = t->size - 1;
    int from = 1 + (int)(others * i / teams), to = 1 + (int)(others * (i + 1) / teams);
    return (role){from, from + 1, to - from - 1};
}

/* teams: 0: all processes exit; 1: the head is the manager. */
static void send_roles(const study_transport *t, int teams) {
    for (int i = 0; i < teams || i == 0; i++) {
        role r = teams > 1 ? team_at(t, teams, i) : (role){teams - 1, 1, t->size - 1};
        if (teams > 1) t->send(r.manager, &r, sizeof r);
        for (int k = 0; k < r.count; k++) t->send(r.first + k, &r, sizeof r);
    }
}

typedef struct head {
    const study_shared *s;
    const study_transport *t;
    int teams, parts, next, open; /* open: managers that are not dismissed */
    bool *left;                   /* of each team: it is */
    long *runs, *failed;          /* of each part */
    bool stopped;
    zn_status status;
} head;

static void stop_teams(head *h) {
    if (h->stopped) return;
    h->stopped = true;
    const int order[2] = {STOP, h->parts};
    for (int i = 0; i < h->teams; i++)
        if (!h->left[i]) h->t->send(team_at(h->t, h->teams, i).manager, order, sizeof order);
}

static bool take_team_report(head *h, study_outcome *outcome) {
    int from;
    size_t size;
    team_report said;
    if (!h->t->look(&from, &size)) return false;
    if (size != sizeof said) h->t->abort(1);
    h->t->receive(from, &said, sizeof said);
    if (said.part > 0) h->runs[said.part - 1] = said.runs, h->failed[said.part - 1] = said.failed;
    if (!said.asks) return true;
    outcome->done += said.done;
    if (said.status != ZN_OK && h->status == ZN_OK) h->status = fail(h->s->context, (zn_status)said.status, "%s", said.text);
    if (said.status != ZN_OK || said.stopped) stop_teams(h);
    int order[2] = {h->stopped || h->next > h->parts ? 0 : h->next++, h->parts};
    h->t->send(from, order, sizeof order);
    if (order[0] > 0) return true;
    for (int i = 0; i < h->teams; i++)
        if (team_at(h->t, h->teams, i).manager == from) h->left[i] = true;
    h->open--;
    return true;
}

static long sum(const long *of, int n) {
    long all = 0;
    for (int i = 0; i < n; i++) all += of[i];
    return all;
}

static zn_status lead_teams(head *h, const study_watch *watch, study_outcome *outcome) {
    double begun = base_seconds(), reported = begun;
    while (h->open > 0) {
        bool busy = take_team_report(h, outcome);
        double now = base_seconds();
        if (watch->progress && now - reported >= 0.1) {
            reported = now;
            if (watch->progress(watch->user, h->s->plan.runs, sum(h->runs, h->parts), sum(h->failed, h->parts), now - begun)) stop_teams(h);
        }
        if (!busy) nanosleep(&nap, NULL);
    }
    outcome->seconds = base_seconds() - begun;
    outcome->runs = sum(h->runs, h->parts), outcome->failed = sum(h->failed, h->parts);
    outcome->stopped = h->stopped && h->status == ZN_OK;
    return h->status == ZN_OK && !h->stopped ? study_parts_join(h->s, h->parts, outcome) : h->status;
}

static zn_status lead_team(const study_shared *s, int parts, const study_watch *watch, study_outcome *outcome) {
    study_team team;
    zn_status status = study_team_create(s->context, &team, s->def->transport, 1, s->def->transport->size - 1);
    send_roles(s->def->transport, status == ZN_OK);
    if (status != ZN_OK) return status;
    status = parts ? study_parts_alone(s, &team, parts, watch, outcome) : study_file(s, &team, watch, outcome);
    study_dismiss(&team);
    study_team_free(s->context, &team);
    return status;
}

zn_status study_lead(const study_shared *s, const study_watch *watch, study_outcome *outcome) {
    zn_context *context = s->context;
    head h = {.s = s, .t = s->def->transport, .teams = count_teams(s), .next = 1};
    zn_status status = study_parts_plan(s, h.teams, h.t->size - 1, &h.parts);
    if (status == ZN_OK && (h.teams == 1 || h.parts == 0)) return lead_team(s, h.parts, watch, outcome);
    h.open = h.teams;
    h.left = MEM_ARRAY(context, bool, h.teams);
    h.runs = MEM_ARRAY(context, long, h.parts);
    h.failed = MEM_ARRAY(context, long, h.parts);
    if (status == ZN_OK && !(h.left && h.runs && h.failed)) status = ZN_ERROR_MEMORY;
    send_roles(h.t, status == ZN_OK ? h.teams : 0);
    if (status == ZN_OK) status = lead_teams(&h, watch, outcome);
    mem_free(context, h.left);
    mem_free(context, h.runs);
    mem_free(context, h.failed);
    return status;
}
