/* SPDX-License-Identifier: Apache-2.0 */
/* Chatter, with step: auto. Bodies with faces, edges and corners land with one corner after the other, hundreds of times within
 * milliseconds; the motion then depends on its data discontinuously, steps end at each impact, and friction that faces share has no frozen
 * step. What steps take on that is an effort, counted in solves for each pair of shapes (each declared contact), and separately for steps
 * that cannot be solved:
 *
 *   effort <- max(0, effort - dt/h)        motion pays back one solve for each h, the step below
 *   effort <- effort + solves              an event of the pair; a step that cannot be solved (FAILED for each solve), or by long work only
 *
 * A ball that bounces at intervals above h never gets far; an accumulation of impacts takes log(...)/log(1/e_N) events, and is closed
 * before. Where an effort exceeds
 *
 *   E = max(LEAST_EFFORT, (EFFORT_SIZE/(velocities and rows))^2)              a large system pays more for a solve
 *
 * a stretch of time is passed by captured steps of
 *
 *   h = max(min(smooth, end/RUN_PARTS), LEAST_PART end)                       smooth: the step that accuracy allows between events
 *
 * which are of first order with any scheme: they are those of rattle, the cheapest that holds gaps on position level, unless stiff forces
 * would make it unstable or the chosen scheme holds velocities only. A stretch is STRETCH h long, and twice as long as the one before where
 * the time since that was less than CALM times its length. So the work is at most in proportion to that of captured steps, plus E for each
 * doubling.   */
#include "sim/simulation.h"

#include "scheme/settings.h"

static const double FAILED = 8;              /* solves that one counts for that fails: it takes so many more iterations */
static const double SOLVE_WORK = 2e7;        /* operations: more of them are many solves of a system with many contacts */
static const double LEAST_EFFORT = 30;       /* solves */
static const double EFFORT_SIZE = 700;       /* unknowns of a system with one solve */
static const double RUN_PARTS = 2000;        /* of the end */
static const double LEAST_PART = 2e-4;       /* of the end: steps are not shorter */
static const double STRETCH = 8;             /* steps */
static const double CALM = 4;                /* stretches: so much time without one */
static const double SMOOTH_NEW = 0.25;       /* what a new step of smooth motion counts in the mean */
static const double STABLE = 0.5;            /* of the bound */
static const double LEAST_CUT = 1 / 1024.0;  /* of h: a step that cannot be solved is cut down to this */
static const uint64_t FAILURES = UINT64_MAX; /* the pair of steps that cannot be solved */

/* ---- the scheme of such steps ---- */

zn_settings sim_scheme_settings(const zn_simulation *sim) {
    zn_settings settings = sim->settings;
    if (!sim->chatter.on || sim->chatter.own) return settings;
    settings.scheme = "rattle";
    settings.stages = scheme_find(settings.scheme)->info.stages_default;
    return settings;
}

void sim_control_choose(zn_simulation *sim) {
    const scheme_class *class = scheme_find(sim->settings.scheme);
    bool blind = !class->error || (class->error_is_partial && sim->settings.contact_events == ZN_EVENTS_LOCATED);
    sim->control.doubling = blind && !sim->chatter.on;
}

/* Rattle would throw apart what a scheme on velocity level has left overlapping. */
static bool may_change(zn_simulation *sim, double h) {
    const scheme_class *class = scheme_find("rattle");
    double frequency, largest;
    return !scheme_find(sim->settings.scheme)->drifts &&
           !sim_scheme_is_unstable(sim, class, class->info.stages_default, h / STABLE, &frequency, &largest);
}

/* The same model goes on with the scheme of sim_scheme_settings. */
static zn_status change_scheme(zn_simulation *sim) {
    int n = sim->model->size.n_contacts;
    int *same = MEM_ARRAY(sim->context, int, n);
    if (!same) return ZN_ERROR_MEMORY;
    for (int k = 0; k < n; k++) same[k] = k;
    sim_control_choose(sim);
    zn_status status = sim_adopt(sim, sim->model, same);
    mem_free(sim->context, same);
    return status;
}

/* ---- effort ---- */

static uint64_t pair_of(const zn_simulation *sim, int contact) {
    int declared = sim->base->size.n_contacts;
    if (contact < declared) return (uint64_t)contact;
    const int *shape = sim->contacts.list.at[contact - declared].candidate.shape;
    uint64_t low = (uint64_t)(shape[0] < shape[1] ? shape[0] : shape[1]), high = (uint64_t)(shape[0] < shape[1] ? shape[1] : shape[0]);
    return (uint64_t)declared + (high << 31) + low;
}

static double step_of(const zn_simulation *sim) {
    double end = sim->settings.end, most = end / RUN_PARTS, smooth = sim->chatter.smooth;
    return smooth > 0 ? larger(smaller(smooth, most), LEAST_PART * end) : most;
}

static double left_of(const sim_effort *e, double t, double h) { return larger(e->solves - (t - e->t) / h, 0); }

static double most_effort(const zn_simulation *sim) {
    double size = EFFORT_SIZE / (sim->model->size.nu + model_rows(sim->model));
    return larger(LEAST_EFFORT, size * size);
}

/* The least of all makes room for a pair that is not known. */
static void add_effort(zn_simulation *sim, uint64_t pair, double solves) {
    sim_chatter *c = &sim->chatter;
    if (c->on) return;
    double t = sim->now.t, h = step_of(sim);
    int at = 0;
    for (int i = 0; i < SIM_EFFORTS; i++) {
        c->effort[i].solves = left_of(&c->effort[i], t, h), c->effort[i].t = t;
        if (c->effort[i].solves < c->effort[at].solves) at = i;
    }
    for (int i = 0; i < SIM_EFFORTS; i++)
        if (c->effort[i].pair == pair && c->effort[i].solves > 0) at = i;
    if (c->effort[at].pair != pair) c->effort[at] = (sim_effort){.pair = pair, .t = t};
    c->effort[at].solves += solves;
    c->due = c->due || (!c->stuck && c->effort[at].solves > most_effort(sim));
}

void sim_chatter_event(zn_simulation *sim, int contact, double solves) { add_effort(sim, pair_of(sim, contact), solves); }
void sim_chatter_failure(zn_simulation *sim, double solves) { add_effort(sim, FAILURES, FAILED * solves); }

void sim_chatter_work(zn_simulation *sim, const cone_cost *cost) {
    double solves = (cost->dense + cost->swept) / SOLVE_WORK;
    if (sim->settings.step_auto && solves > 1) add_effort(sim, FAILURES, solves);
}

void sim_chatter_smooth(zn_simulation *sim, double h) {
    sim_chatter *c = &sim->chatter;
    c->smooth = c->smooth > 0 ? c->smooth + SMOOTH_NEW * (h - c->smooth) : h;
}

/* ---- stretches ---- */

static void tell(const zn_simulation *sim) {
    const sim_chatter *c = &sim->chatter;
    if (c->stretches > 1) return;
    log_message(
        sim->context, ZN_LOG_WARNING,
        "at t = %.9g impacts follow each other faster than they can be resolved: the run goes on with captured steps of %.3g for %.3g, "
        "whose error is of first order, and does not keep the accuracy of %.3g there (the summary counts further cases)",
        sim->now.t, c->h, c->length, sim->settings.accuracy);
}

static zn_status begin(zn_simulation *sim) {
    sim_chatter *c = &sim->chatter;
    double h = step_of(sim), shortest = STRETCH * h;
    bool again = c->stretches > 0 && sim->now.t - c->since < CALM * c->length;
    c->length = larger(again ? 2 * c->length : 0, shortest);
    c->until = sim->now.t + c->length;
    c->h = h;
    c->on = true;
    c->own = !may_change(sim, h);
    memset(c->effort, 0, sizeof c->effort);
    c->due = false;
    c->stretches++;
    tell(sim);
    return change_scheme(sim);
}

static zn_status end(zn_simulation *sim) {
    sim_chatter *c = &sim->chatter;
    c->on = false;
    c->since = sim->now.t;
    zn_status status = change_scheme(sim);
    if (status == ZN_OK) status = sim_start_scheme(sim);
    sim->control.h = c->h;
    return status == ZN_OK ? sim_control_begin(sim) : status;
}

zn_status sim_chatter_look(zn_simulation *sim) {
    if (sim->chatter.on) return sim->now.t >= sim->chatter.until ? end(sim) : ZN_OK;
    return sim->chatter.due ? begin(sim) : ZN_OK;
}

/* One step of about h, or what of it can be solved. */
static zn_status take(zn_simulation *sim, cone_outcome *outcome) {
    sim_chatter *c = &sim->chatter;
    double wanted = c->h, t = sim->now.t;
    zn_status status;
    do {
        double left = sim_rows_target(sim) - t, h = left <= 1.5 * wanted ? left : wanted;
        sim->grid.part = h > LEAST_CUT * c->h ? 2 : 1;
        sim->machine.again = false;
        double t_end = h == left ? sim_rows_target(sim) : t + h;
        status = sim->located.on ? sim_located_plain(sim, t_end, outcome) : sim_plain_step(sim, h, t_end, outcome);
        if (status == ZN_OK || status == ZN_STOPPED || sim_fatal(status)) continue;
        wanted /= 2;
        sim->rejected++;
        status = wanted > LEAST_CUT / 2 * c->h ? ZN_OK : status;
    } while (status == ZN_OK && sim->now.t == t);
    return status;
}

zn_status sim_chatter_step(zn_simulation *sim, bool *taken) {
    sim_chatter *c = &sim->chatter;
    cone_outcome outcome = {.worst_cone = -1, .worst_row = -1};
    double t = sim->now.t;
    zn_status status = sim_switches_look(sim);
    if (status == ZN_OK) status = sim_selection_renew(sim);
    if (status != ZN_OK) return status;
    sim_hope(sim);
    sim_begin_percussion(sim);
    status = take(sim, &outcome);
    sim_end_percussion(sim);
    if (status == ZN_OK) {
        sim->step++;
        c->steps++;
        c->time += sim->now.t - t;
        sim_control_reach(sim);
    }
    bool failed = status != ZN_OK && status != ZN_STOPPED && !sim_fatal(status);
    *taken = !failed; /* else the steps of the settings may get further, however long they take for it */
    c->stuck = failed;
    return failed ? end(sim) : status;
}

void sim_chatter_carry(zn_simulation *sim, byte_stream *b) {
    sim_chatter *c = &sim->chatter;
    for (int i = 0; i < SIM_EFFORTS; i++)
        BYTES_PASS(b, c->effort[i].pair), BYTES_PASS(b, c->effort[i].solves), BYTES_PASS(b, c->effort[i].t);
    BYTES_PASS(b, c->due), BYTES_PASS(b, c->smooth), BYTES_PASS(b, c->h), BYTES_PASS(b, c->until), BYTES_PASS(b, c->since),
        BYTES_PASS(b, c->length);
    BYTES_PASS(b, c->stretches), BYTES_PASS(b, c->steps), BYTES_PASS(b, c->time);
}

zn_status sim_chatter_carry_scheme(zn_simulation *sim, byte_stream *b) {
    sim_chatter *c = &sim->chatter;
    bool on = c->on, own = c->own;
    BYTES_PASS(b, on), BYTES_PASS(b, own);
    if (b->way != BYTES_READ || b->missing || (on == c->on && own == c->own)) return ZN_OK;
    c->on = on, c->own = own;
    return change_scheme(sim);
}
