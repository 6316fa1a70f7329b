/* SPDX-License-Identifier: Apache-2.0 */
/* Step size control. A step is accepted when its error of positions, in units of what is allowed,
 *
 *   err = max_i |error_i| / (accuracy scale_i),   scale_i = max(reach_i, SCALE_FLOOR max_j reach_j)
 *
 * with reach_i the largest |q_i| so far,
 *
 * is at most 1. error comes from the scheme (scheme_class.error, of size O(h^k)); for schemes without an estimate from one step
 * of h against two of h/2, which are then taken (k = order + 1).
 *
 *   next step   h SAFETY err^(-0.7/k) err_before^(0.4/k), within MOST_SHRINK and MOST_GROWTH                  (PI controller)
 *
 * Impacts. Where a contact that was open is pushed, velocities jump at an unknown time inside the step and the position at
 * its end is wrong by about
 *
 *   error_i = h/2 |jump of q'_i|,    jump = change of q' beyond what forces did in a step of the same length before
 *
 * whatever the order. Too large an error does not shrink the step as above: from the rejected step it is known by which time
 * the impact happens (`bracket`) and how small a step may contain it (`capture` = h / err). Steps go towards the impact, to
 * where the gap's parabola says or else by halves, and the one of length `capture` that contains it is accepted as it is
 * (event capturing). Afterwards steps grow again. With impacts that accumulate the jumps become smaller, so `capture` becomes
 * larger, until whole bounces fit into a step: the number of steps to pass the accumulation point is bounded.
 *
 * Moreau's schemes notice an impact one step late. For schemes without an estimate a gap that is negative at the end of a step
 * counts as an impact too, with error h/2 |gap rate|, and the impact itself is expected in the step that follows.
 *
 * An error that does not fall when steps do (a start that is off a contact by less than the start's tolerance is moved onto it
 * by the first step, however small; round-off) is not one of the step size: after two such trials the step is accepted, and the
 * next is as large as the first trial was.
 *
 * A step of h_min is accepted with any error. A solve that fails halves the step.                                          */
#include "sim/control.h"

#include "sim/simulation.h"

static const double SAFETY = 0.9;             /* aims at this part of the allowed error's step */
static const double INTEGRAL_POWER = 0.7;     /* of err, divided by k */
static const double PROPORTIONAL_POWER = 0.4; /* of err_before, divided by k */
static const double MOST_GROWTH = 5;          /* of a step against the one before */
static const double MOST_SHRINK = 0.2;
static const double LEAST_ERROR = 1e-12;    /* smaller ones say nothing more about growth */
static const double LEAST_BEFORE = 1e-2;    /* an error before that was far below the allowed one does not hold growth back */
static const double CAPTURE_SHARE = 0.5;    /* an impact is half a step away from where the scheme puts it */
static const double PUSH_FLOOR = 1e-14;     /* of the largest normal percussion so far: smaller ones are round-off */
static const double FIRST_STEP_PART = 1e-4; /* of the end: first step, unless velocities ask for less */
static const double FIRST_MOVE = 1e-2;      /* of a coordinate's size: largest move in the first step */
static const double MIN_STEP_PART = 1e-12;  /* of the end: smallest step */
static const double MAX_STEP_PART = 0.05;   /* of the end: largest step, as a contact may appear without warning */
static const double MOST_SUM = 2;           /* accuracies: sum of the errors of steps */
static const double CAPTURE_PART = 1e-3;    /* of a step that cannot be solved with located events: taken by the laws */
static const double FUTILE_HALF = 0.5;      /* a step smaller by this ... */
static const double FUTILE_GAIN = 0.7;      /* ... should bring at least this reduction of the error */
enum { FUTILE_TRIALS = 2 };
enum { MOST_PARTS = 8 }; /* steps in a row that can be solved in part only: the next one is passed by the laws */
static const double NOISE_MARGIN = 4, NOISE_KEPT = 0.9; /* what does not become smaller may be larger at times; of it, from step to step */
static const double LANDING_STRETCH = 1.01;             /* a step may grow by that to land */

double sim_control_first_step(const zn_model *model, const zn_settings *settings) {
    double h = FIRST_STEP_PART * settings->end;
    for (int i = 0; model->natural && i < model->size.nq; i++) {
        double size = fabs(model->q_start[i]), speed = fabs(model->u_start[i]);
        if (size > 0 && speed * h > FIRST_MOVE * size) h = FIRST_MOVE * size / speed;
    }
    return larger(h, MIN_STEP_PART * settings->end);
}

/* ---- memory ---- */

static int rate_of_positions(zn_simulation *sim, const scheme_state *at, double *qdot) {
    zn_point point = {.t = at->t, .q = at->q, .u = at->u};
    return sim->model->kinematics(sim->model, sim->monitor.at.work, &point, &(zn_kinematics){.qdot = qdot});
}

/* Rates of gaps at the present, and from their change in the last step of h the second derivatives. Only for aiming. */
static void look_at_gaps(zn_simulation *sim, double h) {
    sim_control *c = &sim->control;
    const zn_model *model = sim->model;
    if (model->size.nN == 0) return;
    zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    if (model->constraints(model, sim->monitor.at.work, &now, &(zn_constraints){.c1 = sim->monitor.at.c1})) return;
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        if (row < 0) continue;
        double rate = sim->monitor.at.c1[row];
        c->gap_bend[k] = h > 0 ? (rate - c->gap_rate[k]) / h : 0;
        c->gap_rate[k] = rate;
    }
}

zn_status sim_control_take_contacts(zn_simulation *sim) {
    sim_control *c = &sim->control;
    size_t contacts = (size_t)sim->model->size.n_contacts, state = sim_state_size(sim);
    if (!sim->settings.step_auto) return ZN_OK;
    c->closed = MEM_ARRAY(sim->context, bool, contacts);
    c->gap_rate = MEM_ARRAY(sim->context, double, 2 * contacts);
    c->states = MEM_ARRAY(sim->context, double, c->doubling ? 2 * state : 0);
    c->middle = c->coarse = (scheme_state){0};
    if (!c->closed || !c->gap_rate || !c->states) return ZN_ERROR_MEMORY;
    c->gap_bend = c->gap_rate + contacts;
    if (c->doubling) {
        sim_state_place(sim, c->states, &c->middle);
        sim_state_place(sim, c->states + state, &c->coarse);
    }
    return ZN_OK;
}

void sim_control_drop_contacts(zn_simulation *sim) {
    mem_free(sim->context, sim->control.closed);
    mem_free(sim->context, sim->control.gap_rate);
    mem_free(sim->context, sim->control.states);
}

void sim_control_see_rates(zn_simulation *sim) {
    const zn_model *model = sim->model;
    zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    double *c1 = sim->monitor.at.c1;
    if (model->size.nN == 0 || model->constraints(model, sim->monitor.at.work, &now, &(zn_constraints){.c1 = c1})) return;
    for (int k = 0; k < model->size.n_contacts; k++)
        if (model->contacts[k].row_N >= 0) sim->control.gap_rate[k] = c1[model->contacts[k].row_N];
}

zn_status sim_control_start(zn_simulation *sim) {
    const zn_settings *settings = &sim->settings;
    if (!settings->step_auto) return ZN_OK;
    sim->control.h = settings->step > 0 ? settings->step : sim_control_first_step(sim->model, settings);
    return sim_control_begin(sim);
}

zn_status sim_control_create(zn_simulation *sim) {
    sim_control *c = &sim->control;
    const zn_model *model = sim->model;
    const zn_settings *settings = &sim->settings;
    if (!settings->step_auto) return ZN_OK;
    size_t nq = (size_t)model->size.nq;
    sim_control_choose(sim);
    c->reach = MEM_ARRAY(sim->context, double, 5 * nq);
    if (!c->reach) return ZN_ERROR_MEMORY;
    c->error = c->reach + nq, c->qdot = c->error + nq, c->qdot_next = c->qdot + nq, c->rate = c->qdot_next + nq;
    zn_status status = sim_control_take_contacts(sim);
    if (status != ZN_OK) return status;
    c->h_min = MIN_STEP_PART * settings->end;
    c->h_max = MAX_STEP_PART * settings->end;
    return sim_control_start(sim);
}

zn_status sim_control_begin(zn_simulation *sim) {
    sim_control *c = &sim->control;
    const zn_model *model = sim->model;
    if (!sim->settings.step_auto) return ZN_OK;
    c->error_before = 1;
    c->bracket = 0;
    memset(c->rate, 0, (size_t)model->size.nq * sizeof *c->rate);
    sim_control_reach(sim);
    double *tolerance = MEM_ARRAY(sim->context, double, model_rows(model));
    zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    zn_status status = tolerance ? sim_start_tolerances(sim->context, model, &now, 1, tolerance) : ZN_ERROR_MEMORY;
    for (int k = 0, row; k < model->size.n_contacts && status == ZN_OK; k++)
        c->closed[k] = (row = model->contacts[k].row_N) >= 0 && sim->monitor.gaps[k] <= tolerance[row];
    mem_free(sim->context, tolerance);
    if (status != ZN_OK) return status;
    look_at_gaps(sim, 0);
    return rate_of_positions(sim, &sim->now, c->qdot) ? ZN_ERROR_NOT_FINITE : ZN_OK;
}

void sim_control_destroy(zn_simulation *sim) {
    sim_control_drop_contacts(sim);
    mem_free(sim->context, sim->control.reach);
}

/* ---- a trial and its error ---- */

typedef struct control_trial {
    double h, t_end;
    double error;         /* 1: as large as allowed */
    int order;            /* the error is O(h^order) in smooth motion */
    bool impact;          /* a contact closed in it */
    bool missed;          /* a contact should have closed in it, and will in the next step */
    cone_outcome outcome; /* of the step, or of its halves together */
} control_trial;

/* Into next: one step with the scheme's estimate, or two halves and the step of h that they are compared with. */
static zn_status try_step(zn_simulation *sim, control_trial *trial) {
    sim_control *c = &sim->control;
    const scheme_class *class = sim->scheme->class;
    double h = trial->h;
    if (!c->doubling) {
        zn_status status = sim_try(sim, &sim->now, h, trial->t_end, &sim->next, &trial->outcome);
        if (status == ZN_OK) trial->order = class->error(sim->scheme, &sim->now, &sim->next, h, c->error);
        return status;
    }
    cone_outcome half;
    zn_status status = sim_try(sim, &sim->now, h, trial->t_end, &c->coarse, &trial->outcome);
    if (status == ZN_OK) status = sim_try(sim, &sim->now, h / 2, sim->now.t + h / 2, &c->middle, &trial->outcome);
    if (status != ZN_OK) return status;
    status = sim_try(sim, &c->middle, h / 2, trial->t_end, &sim->next, &half);
    cone_outcome_add(&trial->outcome, &half);
    if (status != ZN_OK) return status;
    for (int i = 0; i < sim->model->size.nq; i++) c->error[i] = sim->next.q[i] - c->coarse.q[i];
    trial->order = class->info.order + 1;
    return ZN_OK;
}

static double normal_percussion(const zn_simulation *sim, int contact) {
    int row = sim->model->contacts[contact].row_N;
    if (row < 0) return 0;
    return sim->next.P_all[row] + (sim->control.doubling ? sim->control.middle.P_all[row] : 0);
}

/* The contact pushes in the trial. */
static bool pushed(const zn_simulation *sim, int contact) { return normal_percussion(sim, contact) > PUSH_FLOOR * sim->control.push; }

/* Largest rate of an open gap that a trial without percussion goes through; 0: none. */
static double missed_rate(zn_simulation *sim) {
    const zn_model *model = sim->model;
    double worst = 0, *c0 = sim->monitor.at.c0;
    if (!sim->control.doubling || model->size.nN == 0) return 0;
    zn_point end = {.t = sim->next.t, .q = sim->next.q, .u = sim->next.u};
    if (model->constraints(model, sim->monitor.at.work, &end, &(zn_constraints){.c0 = c0})) return INFINITY;
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        bool through = row >= 0 && c0[row] < 0 && sim->monitor.gaps[k] >= 0 && !sim->control.closed[k] && !pushed(sim, k);
        if (through) worst = larger(worst, fabs(sim->control.gap_rate[k]));
    }
    return worst;
}

static zn_status judge(zn_simulation *sim, control_trial *trial) {
    sim_control *c = &sim->control;
    trial->impact = false;
    for (int k = 0; k < sim->model->size.n_contacts; k++) {
        if (c->closed[k] || !pushed(sim, k)) continue;
        trial->impact = true;
        sim_chatter_event(sim, k, 1);
    }
    if (rate_of_positions(sim, &sim->next, c->qdot_next)) return ZN_ERROR_NOT_FINITE;
    trial->error = sim_error_in_motion(sim, trial->h);
    double missed = sim_error_moves(sim) ? missed_rate(sim) : 0, largest = 0;
    trial->missed = missed > 0;
    if (trial->missed) {
        for (int i = 0; i < sim->model->size.nq; i++) largest = larger(largest, c->reach[i]);
        trial->error = larger(trial->error, CAPTURE_SHARE * trial->h * missed / (sim->settings.accuracy * largest));
    }
    for (int i = 0; trial->impact && i < sim->model->size.nq; i++) {
        double jump = c->qdot_next[i] - c->qdot[i] - trial->h * c->rate[i];
        c->error[i] = CAPTURE_SHARE * trial->h * jump;
    }
    if (trial->impact) trial->error = larger(trial->error, sim_error_in_motion(sim, trial->h));
    return isfinite(trial->error) ? ZN_OK : ZN_ERROR_NOT_FINITE;
}

/* ---- the next step size ---- */

/* Time until the first open contact closes, by the parabola of its gap; INFINITY: none will. */
static double time_to_impact(const zn_simulation *sim) {
    const sim_control *c = &sim->control;
    double first = INFINITY;
    for (int k = 0; k < sim->model->size.n_contacts; k++) {
        double gap = sim->monitor.gaps[k], rate = c->gap_rate[k], root = rate * rate - 2 * c->gap_bend[k] * gap;
        if (sim->model->contacts[k].row_N < 0 || c->closed[k] || !(gap > 0) || root < 0) continue;
        double below = sqrt(root) - rate; /* gap + rate t + bend t^2/2 = 0, its first positive root without cancellation */
        if (below > 0) first = smaller(first, 2 * gap / below);
    }
    return first;
}

/* Towards the impact in the bracket: to just before it where it is known well enough, else half of the bracket. */
static double step_in_bracket(zn_simulation *sim) {
    sim_control *c = &sim->control;
    double left = c->bracket - sim->now.t;
    if (left <= LANDING_STRETCH * c->capture) return left;
    double aim = time_to_impact(sim) - c->capture / 2;
    c->aimed = !c->aimed;
    if (c->aimed && aim < left) return larger(aim, c->capture);
    return larger(left / 2, c->capture);
}

static void shrink(zn_simulation *sim, const control_trial *trial, bool again) {
    sim_control *c = &sim->control;
    if (trial->impact || trial->missed) {
        c->bracket = sim->now.t + trial->h;
        c->capture = larger(SAFETY * trial->h / trial->error, c->h_min);
        c->h = step_in_bracket(sim);
        return;
    }
    double factor = again ? MOST_SHRINK : SAFETY * pow(trial->error, -1.0 / trial->order);
    c->h = trial->h * smaller(larger(factor, MOST_SHRINK), SAFETY);
    c->error_before = 1;
}

static void grow(zn_simulation *sim, const control_trial *trial, bool rejected) {
    sim_control *c = &sim->control;
    double error = larger(trial->error, LEAST_ERROR), factor = MOST_GROWTH;
    if (!trial->impact) {
        if (!trial->missed) sim_chatter_smooth(sim, smaller(SAFETY * trial->h * pow(error, -1.0 / trial->order), c->h_max));
        factor = SAFETY * pow(error, -INTEGRAL_POWER / trial->order) * pow(c->error_before, PROPORTIONAL_POWER / trial->order);
        c->error_before = larger(error, LEAST_BEFORE);
    } else c->error_before = 1;
    factor = smaller(larger(factor, MOST_SHRINK), rejected && !trial->impact ? 1 : MOST_GROWTH);
    bool cut = trial->h < c->h; /* to land: the larger step stays wanted */
    c->h = smaller(cut ? larger(c->h, trial->h * factor) : trial->h * factor, c->h_max);
    if (trial->missed) c->h = trial->h;
    if (trial->impact || trial->missed || c->bracket - sim->now.t <= c->h_min) c->bracket = 0;
    if (c->bracket > 0) c->h = smaller(c->h, step_in_bracket(sim));
    c->h = larger(c->h, c->h_min);
}

/* The wanted step, shortened or stretched to land on the next time that must be hit; no tiny rest is left. */
static void fit(const zn_simulation *sim, control_trial *trial) {
    double h = sim->control.h, target = sim_rows_target(sim), left = target - sim->now.t;
    trial->t_end = target;
    trial->h = left;
    if (LANDING_STRETCH * h >= left) return;
    trial->h = sim->control.bracket > 0 ? h : smaller(h, left / 2);
    trial->t_end = sim->now.t + trial->h;
}

/* ---- a step ---- */

/* *missed: nothing was accepted, the step is to be repeated with contacts that it lacked. */
static zn_status accept(zn_simulation *sim, control_trial *trial, bool rejected, bool *missed) {
    sim_control *c = &sim->control;
    const zn_model *model = sim->model;
    const sim_monitor before = sim->monitor; /* the maxima of a step that is discarded do not count */
    zn_status status = sim_monitor_look(&sim->monitor, &sim->next);
    if (status != ZN_OK) return status;
    if (!sim_gains_allow(sim, trial->h, trial->h <= LANDING_STRETCH * c->h_min) || !sim_rings_allow(sim, &trial->outcome)) {
        sim_monitor_forget(&sim->monitor, &before);
        return ZN_ERROR_NO_CONVERGENCE;
    }
    if (!sim_selection_holds(sim, c->doubling ? trial->h / 2 : trial->h, &trial->outcome)) {
        sim_monitor_forget(&sim->monitor, &before);
        if (!sim->selection.merged) status = sim_selection_leave(sim);
        return status == ZN_OK ? ZN_ERROR_NO_CONVERGENCE : status;
    }
    status = sim_contacts_check(sim, &sim->next, trial->h, trial->h > LANDING_STRETCH * c->h_min, missed);
    if (status != ZN_OK || *missed) {
        sim_monitor_forget(&sim->monitor, &before);
        return status;
    }
    if (!sim_painleve_allows(sim, trial->h <= LANDING_STRETCH * c->h_min)) {
        sim_monitor_forget(&sim->monitor, &before);
        return ZN_ERROR_NO_CONVERGENCE;
    }
    for (int k = 0; k < model->size.n_contacts; k++) {
        c->closed[k] = pushed(sim, k);
        c->push = larger(c->push, normal_percussion(sim, k));
    }
    sim_accept(sim, trial->h);
    for (int i = 0; i < model->size.nq; i++) {
        c->reach[i] = larger(c->reach[i], fabs(sim->now.q[i]));
        if (!trial->impact) c->rate[i] = (c->qdot_next[i] - c->qdot[i]) / trial->h;
        c->qdot[i] = c->qdot_next[i];
    }
    look_at_gaps(sim, trial->h);
    if (c->doubling) sim_book(sim, &sim->next, &c->middle);
    sim_book(sim, c->doubling ? &c->middle : &sim->next, &sim->now);
    sim_count_outcome(sim, &trial->outcome);
    grow(sim, trial, rejected);
    return ZN_OK;
}

/* Whether to stop asking for a smaller error: counts the trials in which smaller steps did not help. */
static bool is_futile(const control_trial *trial, const control_trial *before, int *count) {
    bool halved = before->h > 0 && trial->h <= FUTILE_HALF * before->h;
    bool better = trial->error < FUTILE_GAIN * before->error;
    *count = halved && !better && !trial->impact && !trial->missed ? *count + 1 : 0;
    return *count >= FUTILE_TRIALS;
}

/* ---- located contact events ---- */

/* Frozen steps are smooth, and no impact is captured: the error of a step of order p is about (h/T)^(p+1), with T the time in which the
 * motion changes. Errors of steps add up, and their sum is to be as small as asked for. An estimate of size (h/T)^k, k <= p + 1, which is
 * to be the accuracy at most, is then allowed less by
 *
 *   end/(MOST_SUM h) accuracy^((p + 1 - k)/k)                  number of steps, and error per estimate
 *
 * Where the scheme has no estimate, or one that does not see all, one step is compared with two halves of it, k = p + 1. */

/* The estimate is O(h^k), k = .. */
static int estimate_order(const zn_simulation *sim) {
    return sim->control.doubling ? sim_order(sim) + 1 : sim->scheme->class->info.order_text ? sim->settings.stages + 1 : 3;
}

/* Into coarse; before the step itself, which dense output and sub-steps are made from. */
static zn_status take_halves(zn_simulation *sim, double h) {
    sim_control *c = &sim->control;
    cone_outcome outcome;
    if (!c->doubling) return ZN_OK;
    sim->scheme->modes = sim->located.modes.contact;
    zn_status status = sim_try(sim, &sim->now, h / 2, sim->now.t + h / 2, &c->middle, &outcome);
    if (status == ZN_OK) status = sim_try(sim, &c->middle, h / 2, sim->now.t + h, &c->coarse, &outcome);
    sim->scheme->modes = NULL;
    sim->located.solves += 2;
    return status;
}

static void take_for_noise(const zn_simulation *sim, sim_control *c) {
    double largest = 0;
    for (int i = 0; i < sim->model->size.nq; i++) largest = larger(largest, fabs(c->error[i]));
    c->noise = larger(c->noise, NOISE_MARGIN * largest);
}

/* An error that smaller steps do not make smaller is noise: round-off of what constraints are made of (1 - cos of a drive that begins), or
 * what solvers leave. It counts as no error from then on, less and less, and the step goes back to where it was met: steps would become
 * smaller for ever. */
static bool is_noise(const zn_simulation *sim, sim_control *c, double h, double size) {
    if (!(c->judged_h > 0 && h <= FUTILE_HALF * c->judged_h)) return false;
    if (size < FUTILE_GAIN * c->judged_size) c->futile = 0;
    else if (c->futile++ == 0) c->calm_h = c->judged_h;
    if (c->futile < FUTILE_TRIALS) return false;
    take_for_noise(sim, c);
    c->futile = 0;
    return true;
}

static bool judge_frozen(zn_simulation *sim, double h) {
    sim_control *c = &sim->control;
    if (!c->doubling) sim->scheme->class->error(sim->scheme, &sim->now, &sim->next, h, c->error);
    for (int i = 0; c->doubling && i < sim->model->size.nq; i++) c->error[i] = sim->next.q[i] - c->coarse.q[i];
    int k = estimate_order(sim);
    sim_error_drop_roundoff(sim);
    double size = sim_error_size(sim, sim->next.q), less = pow(sim->settings.accuracy, (double)(sim_order(sim) + 1 - k) / k);
    if (size > 1 && !rate_of_positions(sim, &sim->now, c->qdot) && !rate_of_positions(sim, &sim->next, c->qdot_next))
        size = sim_error_in_motion(sim, h);
    c->back = is_noise(sim, c, h, size);
    c->judged_size = size;
    c->judged = size * larger(1, sim->settings.end / (MOST_SUM * h) * less);
    c->judged_h = h;
    if (c->judged > 1 &&
        h <= LANDING_STRETCH * c->h_min) { /* what is left in the smallest step is noise, too, or steps would stay as small */
        take_for_noise(sim, c);
        c->judged = 0;
    }
    return !c->back && c->judged <= 1;
}

bool sim_control_allows(zn_simulation *sim, const double *u_before, double time) {
    sim_control *c = &sim->control;
    const zn_model *model = sim->model;
    zn_point before = {.t = sim->now.t, .q = sim->now.q, .u = u_before};
    if (!sim->settings.step_auto) return true;
    if (model->kinematics(model, sim->monitor.at.work, &before, &(zn_kinematics){.qdot = c->error})) return false;
    if (rate_of_positions(sim, &sim->now, c->qdot_next)) return false;
    for (int i = 0; i < model->size.nq; i++) c->error[i] = time * (c->qdot_next[i] - c->error[i]);
    return sim_error_size(sim, sim->now.q) <= 1;
}

/* A part of a step that cannot be solved, however small, is passed by the laws; a longer one if the step cannot be solved after that
 * either, a smaller one if they cannot pass it. */
static zn_status pass_by_laws(zn_simulation *sim, const control_trial *trial, double wanted, cone_outcome *outcome) {
    sim_control *c = &sim->control;
    double h = larger(MOST_GROWTH * c->capture, CAPTURE_PART * trial->h) / MOST_SHRINK;
    zn_status status = ZN_ERROR_NO_CONVERGENCE;
    c->h = wanted;
    for (sim->grid.part = 2; sim->grid.part > 1 && status != ZN_OK && !sim_fatal(status) && status != ZN_STOPPED;) {
        h = larger(MOST_SHRINK * h, c->h_min);
        if (!(h > LANDING_STRETCH * c->h_min)) sim->grid.part = 1; /* there is no smaller one */
        status = sim_located_plain(sim, trial->h <= h ? trial->t_end : sim->now.t + h, outcome);
    }
    c->capture = h;
    return status != ZN_OK && !sim_fatal(status) && status != ZN_STOPPED ? sim_report_failure(sim, status, h, outcome) : status;
}

/* A sub-step up to the next event, or as long as its error allows. */
static zn_status located_step(zn_simulation *sim, bool *taken) {
    sim_control *c = &sim->control;
    sim_located *l = &sim->located;
    cone_outcome outcome = {.worst_cone = -1, .worst_row = -1};
    double t, wanted = 0, most = INFINITY;
    int failures = 0;
    long captured = l->captured;
    bool rejected = false;
    control_trial trial = {0};
    zn_status status = sim_switches_look(sim);
    if (status == ZN_OK) status = sim_selection_renew(sim);
    if (status != ZN_OK) return status;
    t = sim->now.t;
    sim_hope(sim);
    sim_begin_percussion(sim);
    l->halves = take_halves;
    l->judge = judge_frozen;
    c->judged_h = c->judged_size = 0;
    c->futile = 0;
    do {
        trial = (control_trial){.order = estimate_order(sim) - 1};
        fit(sim, &trial);
        sim->grid.part = trial.h > LANDING_STRETCH * c->h_min ? 2 : 1;
        l->rejected = sim->machine.again = false;
        if (wanted == 0) status = sim_located_begin(sim, wanted = trial.h);
        l->h = trial.h;
        if (status == ZN_OK && c->parts >= MOST_PARTS) {
            c->parts--; /* and the one after it, if that is no better */
            status = pass_by_laws(sim, &trial, wanted, &outcome);
            continue;
        }
        if (status == ZN_OK) status = sim_located_advance(sim, trial.t_end, &outcome);
        if (l->rejected) {
            double factor = SAFETY * pow(c->judged, -1.0 / trial.order);
            c->h = c->back ? smaller(c->calm_h, most) : larger(c->judged_h * smaller(larger(factor, MOST_SHRINK), SAFETY), c->h_min);
            sim->rejected++;
            rejected = true;
        } else if (sim_located_failed(status) && ++failures < 3) {
            sim_chatter_failure(sim, 1);
            c->h = most = larger(trial.h * MOST_SHRINK, c->h_min); /* longer ones cannot be solved */
            sim->rejected++;
            status = ZN_OK;
        } else if (sim_located_failed(status)) status = pass_by_laws(sim, &trial, wanted, &outcome);
    } while (status == ZN_OK && sim->now.t == t && !sim->chatter.due);
    *taken = sim->now.t > t;
    sim_located_end(sim);
    if (l->captured == captured) c->parts = l->eased ? c->parts + 1 : 0;
    if (l->captured == captured && c->parts == 0) c->capture = 0;
    if (status == ZN_OK && *taken) {
        trial.h = sim->now.t - t;
        trial.error = c->judged;
        c->noise *= NOISE_KEPT;
        sim_control_reach(sim);
        if (trial.h >= c->judged_h * (1 - SIM_STEP_ROUNDOFF)) grow(sim, &trial, rejected); /* else an event ended it, and the step stays */
        sim->step++;
    }
    sim_end_percussion(sim);
    return status;
}

void sim_control_restart(zn_simulation *sim) {
    sim_control *c = &sim->control;
    rate_of_positions(sim, &sim->now, c->qdot);
    memset(c->rate, 0, (size_t)sim->model->size.nq * sizeof *c->rate);
    c->bracket = 0;
    look_at_gaps(sim, 0);
}

static zn_status captured_step(zn_simulation *sim, bool *taken) {
    sim_control *c = &sim->control;
    control_trial before = {0};
    double first = 0;
    int futile = 0;
    bool missed = false; /* contacts, which the trial is repeated with */
    *taken = false;
    zn_status status = sim_selection_renew(sim);
    if (status != ZN_OK) return status;
    sim_hope(sim);
    sim_begin_percussion(sim);
    while (!sim->chatter.due) {
        control_trial trial = {0};
        fit(sim, &trial);
        if (first == 0) first = trial.h;
        status = missed ? ZN_OK : sim_contacts_prepare(sim, trial.h);
        missed = false;
        if (status == ZN_OK) status = try_step(sim, &trial);
        if (status == ZN_OK) status = judge(sim, &trial);
        bool event = false;
        if (status == ZN_OK && trial.error <= 1) status = sim_events_look(sim, &event);
        if (event && status == ZN_OK) continue; /* the step will end there */
        bool smallest = trial.h <= c->h_min * LANDING_STRETCH;
        if (status == ZN_OK) {
            bool give_up = trial.error > 1 && (is_futile(&trial, &before, &futile) || smallest);
            if (trial.error <= 1 || give_up) {
                status = accept(sim, &trial, before.h > 0, &missed);
                if (missed && status == ZN_OK) continue;
                if (status == ZN_OK && give_up && !trial.impact) c->h = larger(c->h, smaller(first, c->h_max));
                *taken = status == ZN_OK;
                if (*taken) break;
            }
        }
        if (status == ZN_STOPPED) break;
        if (status != ZN_OK && !sim_fatal(status) && smallest && sim->selection.model) status = sim_selection_leave(sim), smallest = false;
        if (status != ZN_OK && !sim_fatal(status) && smallest && sim_painleve_happens(sim, NULL)) continue;
        if (status != ZN_OK && (sim_fatal(status) || smallest)) {
            status = sim_report_failure(sim, status, trial.h, &trial.outcome);
            break;
        }
        if (status == ZN_OK) shrink(sim, &trial, before.h > 0);
        else c->h = trial.h / 2, c->bracket = 0, sim_chatter_failure(sim, 1);
        c->h = larger(c->h, c->h_min);
        sim->rejected++;
        status = ZN_OK;
        before = trial;
    }
    sim_end_percussion(sim);
    if (*taken) sim->step++;
    return status;
}

zn_status sim_control_step(zn_simulation *sim) {
    bool taken = false;
    zn_status status = ZN_OK;
    while (status == ZN_OK && !taken) { /* what chatters is given up */
        status = sim_chatter_look(sim);
        if (status == ZN_OK && sim->chatter.on) status = sim_chatter_step(sim, &taken);
        else if (status == ZN_OK) status = sim->located.on ? located_step(sim, &taken) : captured_step(sim, &taken);
    }
    sim->chatter.stuck = false;
    return status;
}
