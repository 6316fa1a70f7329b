/* SPDX-License-Identifier: Apache-2.0 */
/* Redundant constraints: the scheme sees rows that are independent, and the others follow.
 *
 *   start      rows that follow from others (model/independent.c) are left out of the model that the scheme knows
 *   a step     omitted rows are checked like any other: their violation is explained by that of the rows kept (drift), or the step is
 *              discarded and repeated with all rows
 *   after it   the scheme's percussions are distributed over all rows, if they were asked for; what the rows left out have to do with
 *              the others is followed, rows that became badly chosen are exchanged; where all rows are in use, the choice is tried again
 * later
 *
 * Rows whose numbers do not quite fit are merged into those that they should follow from, so that all of them are satisfied in the sense of
 * least squares; the remaining violation may grow to what the settings allow. Schemes on velocity level let positions drift, and rows that
 * follow from others where the joints fit do not quite so where they have come apart: they are merged, too, and the velocities of all rows
 * stay as small as they can
 * (rows that were left out would drift freely). Their violation is drift, as in any other row.
 *
 * A scheme for other rows is a new one, made between two steps. What it carries from step to step is kept where it knows nothing of
 * rows or can be converted, and else starts again at the present state. */
#include "sim/simulation.h"

#include <float.h>

#include "model/fewer_rows.h"
#include "model/independent.h"
#include "model/machine.h"

static const double most_open = 10;     /* tolerances: may be open in a row left out, whatever is open in the others */
static const double most_drift = 2;     /* of what is open in the rows that the scheme sees may show in others */
static const double most_spread = 1e3;  /* of the mobilities of rows that are merged because they drift */
static const double most_change = 0.05; /* of coefficients, from one look at them to the next */
static const double worn = 10;          /* coefficients above: other rows are the better choice */
static const double roundoff = 1e-13;   /* constraints that contradict each other by less fit */
static const double exact = 0.1;        /* tolerances: the same where least squares are not allowed */
enum { LONGEST_WAIT = 1024, /* steps before the choice is tried again */ LONGEST_TRUST = 64 /* and before coefficients are checked */ };

const zn_model *sim_scheme_model(const zn_simulation *sim) { return sim->selection.model ? sim->selection.model : sim->model; }

int sim_selection_count(const zn_simulation *sim) { return sim->selection.model ? independent_count(sim->selection.rows) : 0; }

void sim_selection_destroy(zn_simulation *sim) {
    independent_destroy(sim->context, sim->selection.rows);
    sim_selection_drop_model(sim);
    sim->selection = (sim_selection){0};
}

/* ---- at the start ---- */

static zn_status find(zn_simulation *sim, const zn_point *at, bool nearly, independent **rows) {
    /* Constraints that contradict each other by less than the tolerance differ in their directions by no more than that. */
    independent_wish wish = {
        .doubt = larger(sim->settings.tolerance, INDEPENDENT_LEAST_DOUBT), .nearly = nearly, .before = sim->selection.rows};
    return independent_find(sim->context, sim->base, at, wish, rows);
}

/* Whether rows are merged: their numbers do not fit, or the scheme lets them drift apart. Of bodies that turn much more easily than they
 * move, most of a sum of rows would be round-off. */
static bool in_least_squares(const zn_simulation *sim, const independent *rows) {
    return sim->selection.merged || (scheme_find(sim->settings.scheme)->drifts && independent_spread(rows) <= most_spread);
}

static zn_status make_model(zn_simulation *sim, const independent *rows, zn_model **model, row_merge **merges) {
    int count = in_least_squares(sim, rows) ? independent_merges(rows, !sim->selection.merged, NULL) : 0;
    sim->selection.squares = count > 0;
    *merges = MEM_ARRAY(sim->context, row_merge, count);
    if (!*merges) return ZN_ERROR_MEMORY;
    if (count > 0) independent_merges(rows, !sim->selection.merged, *merges);
    return fewer_rows_create(sim->context, sim->model, independent_left_out(rows), count, *merges, model);
}

/* By how much rows contradict each other at the start, where least squares are not allowed. NaN: they cannot be evaluated. */
static zn_status contradiction(zn_simulation *sim, const zn_point *at, const independent *rows, double *size) {
    const zn_model *model = sim->base;
    void *work = mem_array(sim->context, model->work_bytes, 1);
    double *c0 = MEM_ARRAY(sim->context, double, model_rows(model)), *c1 = MEM_ARRAY(sim->context, double, model_rows(model));
    zn_status status = work && c0 && c1 ? ZN_OK : ZN_ERROR_MEMORY;
    *size = NAN;
    if (status == ZN_OK && !model->constraints(model, work, at, &(zn_constraints){.c0 = c0, .c1 = c1}))
        *size = larger(independent_contradiction(rows, c0), independent_contradiction(rows, c1));
    mem_free(sim->context, work);
    mem_free(sim->context, c0);
    mem_free(sim->context, c1);
    return status;
}

zn_status sim_selection_start(zn_simulation *sim, const double *q, const double *u) {
    sim_selection *s = &sim->selection;
    zn_point at = {.q = q, .u = u};
    independent *rows = NULL;
    double size = 0;
    s->merged = sim->contradiction > 0;
    zn_status status = find(sim, &at, s->merged, &rows);
    if (status == ZN_OK && !rows && sim->given->machine && sim->given->machine->switches_rows) { /* they may be fewer later */
        s->offered = true;
        s->wait = s->patience = LONGEST_WAIT;
        return sim_selection_make_model(sim);
    }
    if (status != ZN_OK || !rows) return status;
    s->rows = rows;
    if (!s->merged) status = contradiction(sim, &at, rows, &size);
    if (status != ZN_OK) return status;
    if (!(size <= exact * sim->settings.tolerance +
                      roundoff * largest_size(sim->model->size.nq, q, 0))) { /* too much: the first step will say so */
        sim_selection_destroy(sim);
        return ZN_OK;
    }
    s->offered = true;
    s->patience = 1;
    s->made = s->every = 1;
    return sim_selection_make_model(sim);
}

zn_status sim_selection_make_model(zn_simulation *sim) {
    sim_selection *s = &sim->selection;
    if (!s->offered) return ZN_OK;
    s->lambda = MEM_ARRAY(sim->context, double, 3 * model_rows(sim->model) + sim->model->size.nq);
    if (!s->lambda) return ZN_ERROR_MEMORY;
    return s->rows ? make_model(sim, s->rows, &s->model, &s->merges) : ZN_OK;
}

void sim_selection_drop_model(zn_simulation *sim) {
    model_free(sim->context, sim->selection.model);
    mem_free(sim->context, sim->selection.lambda);
    mem_free(sim->context, sim->selection.merges);
}

/* ---- other rows ---- */

void sim_place_percussion(const zn_simulation *sim, scheme_state *state) {
    state->P = sim->selection.model ? state->P_all + model_rows(sim->model) : state->P_all;
}

/* Multipliers of a scheme with the rows of `from` (NULL: all) as those of the present one, with the same forces at the present. */
static void convert(zn_simulation *sim, const zn_model *from, const double *old, double *out) {
    const sim_selection *s = &sim->selection;
    size_t bytes = (size_t)model_rows(sim->model) * sizeof(double);
    zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    const answers *at = &sim->monitor.at;
    if (from) fewer_rows_expand(from, old, s->lambda);
    else memcpy(s->lambda, old, bytes);
    if (!s->model) {
        memcpy(out, s->lambda, bytes);
        return;
    }
    if (!s->squares) independent_collect(s->rows, s->lambda);
    else if (!sim->model->balance(sim->model, at->work, &now, &(zn_balance){.M = at->M, .W = at->W}))
        independent_share(s->rows, at->M, at->W, s->lambda);
    fewer_rows_pick(s->model, s->lambda, out);
}

static void convert_carry(zn_simulation *sim, const scheme *before, const zn_model *from, const scheme *with) {
    const double *old = sim->next.carry; /* which is free between steps */
    double *out = sim->now.carry;
    int n_before = model_rows(before->model), n = model_rows(with->model);
    carry_piece pieces[CARRY_MOST_PIECES];
    memcpy(sim->next.carry, sim->now.carry, with->class->carry_size(before->model, &sim->settings) * sizeof *out);
    for (int i = 0, count = with->class->carried(with, pieces); i < count; i++) {
        const carry_piece *p = &pieces[i];
        bool rows = p->kind == CARRY_ROWS;
        size_t size = (size_t)p->count * (p->kind == CARRY_CONTACTS ? (size_t)with->model->size.n_contacts : 1);
        for (int k = 0; rows && k < p->count; k++, old += n_before, out += n) convert(sim, from, old, out);
        if (rows) continue;
        memcpy(out, old, size * sizeof *out);
        old += size, out += size;
    }
}

/* The present becomes the start of another scheme; `from` is the model of the one before (NULL: with all rows). */
static zn_status restart_scheme(zn_simulation *sim, const zn_model *from, scheme *with) {
    const scheme_class *class = with->class;
    const zn_model *fewer = from ? from : sim_scheme_model(sim);
    if (sim->selection.model) fewer_rows_pick(sim->selection.model, sim->now.P_all, sim->now.P); /* contacts are what schemes look at */
    if (class->carries_forces) convert_carry(sim, sim->scheme, from, with);
    else if (class->carry_size(sim->model, &sim->settings) != class->carry_size(fewer, &sim->settings))
        return class->start(with, &sim->now, NULL, NULL);
    return ZN_OK;
}

/* rows (NULL: all) become those of the scheme. `restart`: what it carries begins at the present; else the caller fills it. */
static zn_status change_rows(zn_simulation *sim, independent *rows, bool restart) {
    sim_selection *s = &sim->selection, old = *s;
    zn_model *fewer = NULL;
    row_merge *merges = NULL;
    scheme *with = NULL;
    zn_status status = rows ? make_model(sim, rows, &fewer, &merges) : ZN_OK;
    const zn_model *model = fewer ? fewer : sim->model;
    if (status == ZN_OK) status = sim_make_scheme(sim, model, &with);
    if (status != ZN_OK) {
        model_free(sim->context, fewer);
        mem_free(sim->context, merges);
        return status;
    }
    s->rows = rows, s->model = fewer, s->merges = merges;
    scheme_state *states[] = {&sim->now, &sim->next, &sim->control.middle, &sim->control.coarse};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (states[i]->P_all) sim_place_percussion(sim, states[i]);
    if (restart) status = restart_scheme(sim, old.model, with);
    scales_take(&with->scales, &sim->scheme->scales);
    scales_destroy(sim->context, &sim->scheme->scales);
    sim->scheme->class->destroy(sim->scheme);
    sim->scheme = with;
    independent_destroy(sim->context, old.rows);
    model_free(sim->context, old.model);
    mem_free(sim->context, old.merges);
    s->wear = 0;
    s->due = s->every = 1;
    return status;
}

zn_status sim_selection_leave(zn_simulation *sim) {
    sim_selection *s = &sim->selection;
    s->wait = s->patience;
    if (s->patience < LONGEST_WAIT) s->patience *= 2;
    return change_rows(sim, NULL, true);
}

/* ---- a step ---- */

static void share(zn_simulation *sim, const zn_point *point, const double *fewer, double *all) {
    const zn_model *model = sim->model;
    const answers *at = &sim->monitor.at;
    fewer_rows_expand(sim->selection.model, fewer, all);
    if (!model->balance(model, at->work, point, &(zn_balance){.M = at->M, .W = at->W}))
        independent_share(sim->selection.rows, at->M, at->W, all);
}

void sim_selection_expand(const zn_simulation *sim, scheme_state *state) {
    if (sim->selection.model) fewer_rows_expand(sim->selection.model, state->P, state->P_all);
}

/* In the middle of the step, where forces act on average. */
const double *sim_selection_shared(zn_simulation *sim, const scheme_state *from, const scheme_state *to) {
    const sim_selection *s = &sim->selection;
    if (!s->model || (!s->asked && sim->model->rows_rest)) return to->P_all;
    double *q = s->lambda + 3 * model_rows(sim->model);
    for (int i = 0; i < sim->model->size.nq; i++) q[i] = (from->q[i] + to->q[i]) / 2;
    zn_point middle = {.t = (from->t + to->t) / 2, .q = q, .u = to->u};
    share(sim, &middle, to->P, s->lambda);
    return s->lambda;
}

/* What was before is shared as it would be at the present. */
void sim_selection_ask(const zn_simulation *asked) {
    zn_simulation *sim = (zn_simulation *)(uintptr_t)asked;
    const zn_model *model = sim->model;
    const answers *at = &sim->monitor.at;
    zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    bool shared = sim->selection.asked || !model->rows_rest;
    sim->selection.asked = true;
    if (shared || !sim->selection.model || model->balance(model, at->work, &now, &(zn_balance){.M = at->M, .W = at->W})) return;
    independent_share(sim->selection.rows, at->M, at->W, sim->P);
    independent_share(sim->selection.rows, at->M, at->W, sim->P_total);
}

void sim_forces(const zn_simulation *sim, const double **a, const double **lambda) {
    sim->scheme->class->forces(sim->scheme, &sim->now, a, lambda);
    if (!sim->selection.model) return;
    zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    share((zn_simulation *)(uintptr_t)sim, &now, *lambda, sim->selection.lambda);
    *lambda = sim->selection.lambda;
}

void sim_selection_spread(const zn_simulation *sim, const zn_point *at, double *lambda) {
    if (!sim->selection.model) return;
    share((zn_simulation *)(uintptr_t)sim, at, lambda, sim->selection.lambda);
    memcpy(lambda, sim->selection.lambda, (size_t)model_rows(sim->model) * sizeof *lambda);
}

bool sim_selection_holds(zn_simulation *sim, double h, cone_outcome *outcome) {
    const sim_selection *s = &sim->selection;
    const answers *at = &sim->monitor.at;
    if (!s->model) return true;
    double *seen0 = s->lambda + model_rows(sim->model), *seen1 = seen0 + model_rows(sim->model);
    fewer_rows_merge(s->model, at->c0, seen0);
    fewer_rows_merge(s->model, at->c1, seen1);
    const problem_scales *scales = &sim->scheme->scales;
    double speed = scales->energy > 0 ? scales->energy : 1, open = most_open * sim->settings.tolerance * speed;
    independent_drift d = {seen0, seen1, scales->place, 0, most_drift, open * h, most_open * DBL_EPSILON};
    double open0 = independent_open(s->rows, at->c0, d), most = s->merged ? sim->settings.contradiction : 0;
    d.rate = 1 / h, d.open = open, d.roundoff /= h;
    double open1 = independent_open(s->rows, at->c1, d);
    bool holds = open0 <= most && open1 <= most * CONE_CONTRADICTION_RATE;
    if (s->merged || !holds) outcome->worst = larger(outcome->worst, larger(open0, open1));
    return holds;
}

/* The choice is the best there is, even though its coefficients are large. */
static bool is_same(const zn_simulation *sim, const independent *rows) {
    size_t n = (size_t)model_row_N(sim->model);
    return sim->selection.rows && memcmp(independent_left_out(rows), independent_left_out(sim->selection.rows), n * sizeof(bool)) == 0;
}

zn_status sim_selection_again(zn_simulation *sim) {
    sim_selection *s = &sim->selection;
    zn_point at = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    independent *rows = NULL;
    independent_wish wish = {.doubt = larger(sim->settings.tolerance, INDEPENDENT_LEAST_DOUBT), .nearly = s->merged};
    zn_status status = independent_find(sim->context, sim->base, &at, wish, &rows);
    if (status != ZN_OK) return status;
    s->wait = s->patience = LONGEST_WAIT;
    s->accepted_wear = 0;
    if (rows || s->model) return s->made++, change_rows(sim, rows, true);
    return ZN_OK;
}

/* What rows left out have to do with the others changes with the motion: it is checked again soon where it changed much. */
static void follow(zn_simulation *sim, double most) {
    sim_selection *s = &sim->selection;
    const answers *at = &sim->monitor.at;
    zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    double change = INFINITY;
    if (--s->due > 0) return;
    bool failed = sim->model->balance(sim->model, at->work, &now, &(zn_balance){.M = at->M, .W = at->W});
    s->wear = failed ? INFINITY : independent_follow(s->rows, at->M, at->W, &change);
    if (!(change <= most_change)) s->every = s->every > 1 ? s->every / 2 : 1;
    else if (change <= most_change / 4 && s->every < LONGEST_TRUST) s->every *= 2;
    s->due = s->every;
    if (!s->squares || !(s->wear <= most)) return;
    independent_merges(s->rows, !s->merged, s->merges); /* least squares go with it */
    fewer_rows_set_factors(s->model, s->merges);
}

zn_status sim_selection_renew(zn_simulation *sim) {
    sim_selection *s = &sim->selection;
    double most = larger(worn, s->accepted_wear);
    if (s->model) follow(sim, most);
    if (!s->offered || (s->model ? s->wear <= most : --s->wait > 0)) return ZN_OK;
    zn_point at = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    independent *rows = NULL;
    zn_status status = find(sim, &at, s->merged, &rows);
    if (status == ZN_OK && rows && !is_same(sim, rows)) {
        s->made++;
        s->accepted_wear = 0;
        return change_rows(sim, rows, true);
    }
    if (rows && isfinite(s->wear)) s->accepted_wear = 2 * s->wear;
    independent_destroy(sim->context, rows);
    s->wait = s->patience;
    return status;
}

/* ---- as bytes ---- */

zn_status sim_selection_carry(zn_simulation *sim, byte_stream *b) {
    sim_selection *s = &sim->selection;
    independent *rows = s->rows;
    if (!s->offered) return ZN_OK;
    zn_status status = independent_carry(sim->context, sim->base, b, &rows);
    if (status == ZN_OK && b->way == BYTES_READ) {
        status = change_rows(sim, rows, false);
        if (status != ZN_OK) independent_destroy(sim->context, rows);
    }
    if (status != ZN_OK) return status;
    int merges = s->squares && s->rows ? independent_merges(s->rows, !s->merged, NULL) : 0;
    for (int i = 0; i < merges; i++) BYTES_PASS(b, s->merges[i].factor);
    if (b->way == BYTES_READ && merges > 0) fewer_rows_set_factors(s->model, s->merges);
    BYTES_PASS(b, s->squares), BYTES_PASS(b, s->asked);
    BYTES_PASS(b, s->wear), BYTES_PASS(b, s->accepted_wear);
    BYTES_PASS(b, s->wait), BYTES_PASS(b, s->patience), BYTES_PASS(b, s->made), BYTES_PASS(b, s->due), BYTES_PASS(b, s->every);
    return ZN_OK;
}
