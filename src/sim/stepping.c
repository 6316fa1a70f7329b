/* SPDX-License-Identifier: Apache-2.0 */
/* Steps: trying, accepting, and the fixed grid that lands on the end exactly, with parts of steps where a solve fails. */
#include "sim/simulation.h"

/* A failed step is retried with halves, quarters ... down to this power of two of the step. */
enum { MAX_HALVINGS = 10 };

void sim_count_outcome(zn_simulation *sim, const cone_outcome *outcome) {
    int path = outcome->path;
    sim->path_steps[path]++;
    sim->path_solves[path] += outcome->solves;
    for (int i = 0; i < CONE_PATH_COUNT; i++) sim->path_iterations[i] += outcome->iterations[i];
    sim->path_iterations_there[path] += outcome->iterations[path];
    if (outcome->most > sim->path_max[path]) sim->path_max[path] = outcome->most;
    cone_outcome_add_cost(&sim->cost, &outcome->cost);
    sim->roundoff_steps += outcome->roundoff > 0;
    if (outcome->roundoff > 0) sim->roundoff_residual = larger(sim->roundoff_residual, outcome->roundoff_residual);
    sim->max_residual = larger(sim->max_residual, outcome->worst);
    if (outcome->end == CONE_UNFINISHED && sim->unfinished_steps++ == 0)
        log_message(sim->context, ZN_LOG_WARNING,
                    "the step to t = %.9g ended with a residual of %.2g, above the tolerance of %g: its many contacts need more work than "
                    "the limit for a step (the summary counts further cases)",
                    sim->now.t, outcome->worst, sim->settings.tolerance);
}

void sim_begin_percussion(zn_simulation *sim) {
    memset(sim->P, 0, (size_t)model_rows(sim->base) * sizeof *sim->P);
    sim_contacts_begin_percussion(sim);
    sim_work_begin(sim);
}

/* The account of energy is the same whether or not percussions are asked for: rows at rest do no work. */
void sim_book(zn_simulation *sim, const scheme_state *from, const scheme_state *to) {
    const double *P = sim_selection_shared(sim, from, to);
    for (int i = 0, n = model_rows(sim->base); i < n; i++) sim->P[i] += P[sim_row_of_base(sim, i)];
    sim_contacts_add_percussion(sim, P);
    sim_work_add(sim, from, to, sim->model->rows_rest ? to->P_all : P);
}

void sim_end_percussion(zn_simulation *sim) {
    const zn_model *model = sim->base;
    for (int k = 0; k < model->size.n_contacts; k++)
        for (int i = 0; model->contacts[k].scale && i < model->contacts[k].nF; i++)
            sim->P[model->contacts[k].row_F + i] *= model->contacts[k].scale[i];
    for (int i = 0, n = model_rows(model); i < n; i++) sim->P_total[i] += sim->P[i];
    sim_contacts_end_percussion(sim);
    sim_work_end(sim);
}

static zn_status try_once(zn_simulation *sim, const scheme_state *from, double h, scheme_state *to, cone_outcome *outcome) {
    *outcome = (cone_outcome){.worst_cone = -1, .worst_row = -1};
    to->noise = from->noise;
    to->opened = false;
    to->staged_accepted = from->staged_accepted, to->staged_repeated = from->staged_repeated;
    return sim->scheme->class->step(sim->scheme, from, h, to, outcome);
}

/* Attempts with long projections, or many factors of many contacts, that did not converge, before those of smaller parts are shortened: of
 * one part of the step, for what follows a part that was solved is another problem, and of the whole step, so that the work of a failing
 * step is bounded. One with both counts twice. One that came near to the tolerance counts once, and for the whole step only: the next part
 * is half as long, and more work may well solve it. */
static const double near_share = 1e3;
enum { ATTEMPTS_IN_VAIN = 2, ATTEMPTS_OF_STEP = 8, LONG_PROJECTION = 5000, MANY_FACTORS = 200 };
#define MUCH_DENSE 2e9

static void count_in_vain(zn_simulation *sim, const cone_outcome *outcome) {
    bool projected = outcome->iterations[CONE_PROJECTION] >= LONG_PROJECTION || outcome->cost.solves >= LONG_PROJECTION;
    int count = projected + (outcome->cost.factorisations >= MANY_FACTORS) + (outcome->cost.dense + outcome->cost.swept >= MUCH_DENSE);
    bool near = outcome->worst <= near_share * sim->settings.tolerance;
    sim_grid *grid = &sim->grid;
    grid->in_vain = near ? 0 : grid->in_vain + count;
    grid->in_vain_of_step += near && count > 1 ? 1 : count;
    sim->scheme->hopeless = grid->in_vain >= ATTEMPTS_IN_VAIN || grid->in_vain_of_step >= ATTEMPTS_OF_STEP;
}

static void hope_of_part(zn_simulation *sim) {
    sim->grid.in_vain = 0;
    sim->scheme->hopeless = sim->grid.in_vain_of_step >= ATTEMPTS_OF_STEP;
}

void sim_hope(zn_simulation *sim) {
    sim->grid.in_vain_of_step = 0;
    sim->grid.last_hope = false;
    hope_of_part(sim);
}

/* Before a step is given up because its smallest part has no solution by little work, it gets all of it again, once. */
static bool may_hope_again(zn_simulation *sim) {
    if (sim->grid.part > 1 || !sim->scheme->hopeless || sim->grid.last_hope) return false;
    sim_hope(sim);
    return sim->grid.last_hope = true;
}

/* A step that cannot be solved is tried once more, down to round-off of the model. If that was the reason, later steps expect it. */
zn_status sim_try(zn_simulation *sim, const scheme_state *from, double h, double t_end, scheme_state *to, cone_outcome *outcome) {
    scheme *with = sim->scheme;
    sim_machine_follow(sim, from->t, h);
    sim->located.next_seen = false;
    with->noise = from->noise;
    sim->gains.refused = false;
    zn_status status = try_once(sim, from, h, to, outcome);
    sim_chatter_work(sim, &outcome->cost);
    bool near = outcome->worst <= CONE_MOST_NOISE * sim->settings.tolerance;
    if (status == ZN_ERROR_NO_CONVERGENCE && near && outcome->end <= CONE_FAILED) {
        with->noise = INFINITY;
        with->scales.renew = with->again = true;
        status = try_once(sim, from, h, to, outcome);
        with->again = false;
    }
    if (status != ZN_OK) {
        count_in_vain(sim, outcome);
        return status;
    }
    if (outcome->worst > sim->settings.tolerance && outcome->end != CONE_UNFINISHED) to->noise = outcome->worst;
    to->t = t_end;
    if (sim->model->after_step) sim->model->after_step(sim->model, to->t, to->q);
    sim_selection_expand(sim, to);
    return ZN_OK;
}

void sim_accept(zn_simulation *sim, double h) {
    scheme_state old = sim->now;
    sim_work_return(sim); /* the values of the step */
    sim->now = sim->next;
    sim->next = old;
    if (sim->machine.following) sim_work_leave(sim);
    sim->step_min = sim->step_min > 0 ? smaller(sim->step_min, h) : h;
    sim->step_max = larger(sim->step_max, h);
    sim_contacts_accept(sim);
}

bool sim_fatal(zn_status status) { return status == ZN_ERROR_MEMORY || status == ZN_ERROR_UNSUPPORTED; }

/* ---- the fixed grid ---- */

/* Relative tolerances grow with a motion that diverges: whether it does is asked whenever velocities have grown this much. */
static const double grown = 1e3;

static bool has_grown(zn_simulation *sim) {
    double energy = sim->scheme->scales.energy;
    bool much = sim->calm > 0 && energy > grown * sim->calm;
    if (much || !(sim->calm > 0)) sim->calm = energy;
    return much;
}

/* The step at hand is about to be cut. An impact in it will be another one: that of a part of the step. */
static void note_cut(zn_simulation *sim) {
    const zn_model *model = sim->model;
    answers *at = &sim->monitor.at;
    sim->cut_steps++;
    sim->cut = true;
    if (model->size.nN == 0) return;
    zn_point point = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    if (model->constraints(model, at->work, &point, &(zn_constraints){.c1 = at->c1})) return;
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N, seen = sim_scheme_model(sim)->contacts[k].row_N;
        sim->approach[k] = row >= 0 ? -at->c1[row] / scales_rate(&sim->scheme->scales, seen) : 0;
    }
}

/* After a cut step: contacts that were approached and have a percussion. The first one is reported. */
static void report_cut_impacts(zn_simulation *sim) {
    const zn_model *model = sim->model;
    bool any = false;
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        if (row < 0 || !(sim_normal_percussion(sim, k) > 0) || !(sim->approach[k] > sim->settings.tolerance)) continue;
        if (sim->cut_impacts == 0 && !any)
            log_message(sim->context, ZN_LOG_WARNING,
                        "the step of %g to t = %.9g could not be solved as a whole and was divided; contact '%s' has its impact in one of "
                        "the parts (the summary counts further cases)",
                        sim->grid.h, sim->now.t, model->contacts[k].name);
        any = true;
    }
    sim->cut_impacts += any;
    sim->cut = false;
}

/* Of the kinetic energy, that a part of a cut step may gain or lose without percussions at contacts (forces do less when the part is
 * halved); and of the largest so far: what has less is at rest. */
static const double most_change = 0.2, little_change = 1e-6;

/* Where a step has no solution (friction that holds what restitution throws back), the equations of a part of it may have one that has
 * nothing to do with the motion: velocities jump, and no contact is the cause. */
static bool is_plausible(zn_simulation *sim) {
    const zn_model *model = sim->model;
    double T[2], V[2];
    if (!model->energy || !model->rows_rest || model->size.nN == 0) return true;
    for (int k = 0; k < model->size.n_contacts; k++)
        if (model->contacts[k].row_N < 0 || sim->next.P_all[model->contacts[k].row_N] > 0) return true;
    const scheme_state *states[2] = {&sim->now, &sim->next};
    for (int i = 0; i < 2; i++)
        if (model->energy(model, sim->monitor.at.work, &(zn_point){.t = states[i]->t, .q = states[i]->q, .u = states[i]->u}, &T[i], &V[i]))
            return true;
    double change = fabs(T[1] + V[1] - T[0] - V[0]), largest = sim->scheme->scales.energy;
    if (T[0] <= little_change * largest * largest) return true; /* forces may move what rests */
    if (change <= 2 * fabs(V[1] - V[0])) return true;           /* velocities of some schemes stand half a step beside the positions */
    return !(change > most_change * T[0]);
}

zn_status sim_examine(zn_simulation *sim, double h, cone_outcome *outcome, bool *again) {
    const sim_monitor before = sim->monitor; /* the maxima of a step that is discarded do not count */
    zn_status status = sim_monitor_see(&sim->monitor, &sim->next, sim_located_seen(sim));
    *again = false;
    if (status == ZN_OK &&
        ((sim->cut && !is_plausible(sim)) || !sim_gains_allow(sim, h, sim->grid.part == 1) || !sim_rings_allow(sim, outcome))) {
        sim_monitor_forget(&sim->monitor, &before);
        outcome->worst = INFINITY;
        status = ZN_ERROR_NO_CONVERGENCE;
    }
    if (status != ZN_OK) return status;
    if (!sim_selection_holds(sim, h, outcome)) {
        *again = true;
        status = sim->selection.merged ? ZN_ERROR_NO_CONVERGENCE : sim_selection_leave(sim);
    } else status = sim_contacts_check(sim, &sim->next, h, sim->grid.part > 1, again);
    if (*again || status != ZN_OK) sim_monitor_forget(&sim->monitor, &before);
    *again = *again && status == ZN_OK;
    return status;
}

/* Into next. A step that does not meet the rows that were left out is repeated with all of them; a step at whose end shapes overlap that
 * were not in its list of contacts is repeated with these. */
static zn_status try_rows(zn_simulation *sim, double h, double t_end, cone_outcome *outcome) {
    zn_status status = sim_contacts_prepare(sim, h);
    bool again = status == ZN_OK;
    while (again) {
        again = false;
        status = sim_try(sim, &sim->now, h, t_end, &sim->next, outcome);
        if (status == ZN_OK) status = sim_examine(sim, h, outcome, &again);
    }
    if (status == ZN_OK && !sim_painleve_allows(sim, sim->grid.part == 1)) status = ZN_ERROR_NO_CONVERGENCE;
    return status;
}

void sim_take_next(zn_simulation *sim, double h, const cone_outcome *outcome) {
    sim_accept(sim, h);
    sim_count_outcome(sim, outcome);
    sim_book(sim, &sim->next, &sim->now);
}

zn_status sim_plain_step(zn_simulation *sim, double h, double t_end, cone_outcome *outcome) {
    const sim_monitor before = sim->monitor;
    zn_status status = try_rows(sim, h, t_end, outcome);
    if (status == ZN_OK) status = sim_events_look(sim, &sim->machine.again);
    if (status == ZN_OK && !sim->machine.again) sim_take_next(sim, h, outcome);
    else sim_monitor_forget(&sim->monitor, &before);
    return status;
}

double sim_fixed_step(const zn_simulation *sim) { return smaller(sim->settings.step, sim->settings.end); }

/* The next grid point, or the row before it. */
static void begin_grid_step(zn_simulation *sim) {
    sim_grid *grid = &sim->grid;
    double step = sim_fixed_step(sim), end = sim->settings.end, target = sim_rows_target(sim), point = (double)(grid->index + 1) * step;
    if (point > end - SIM_STEP_ROUNDOFF * step) point = end;
    bool to_point = point <= target + SIM_STEP_ROUNDOFF * step;
    grid->t_start = sim->now.t;
    grid->t_end = to_point ? point : target;
    grid->h = step;
    bool may_differ = grid->between || !to_point || point == end;
    if (may_differ && fabs(grid->t_end - grid->t_start - step) > SIM_STEP_ROUNDOFF * step) grid->h = grid->t_end - grid->t_start;
    grid->begun = grid->index;
    grid->between = !to_point;
    if (to_point) grid->index++;
    grid->part = 1L << MAX_HALVINGS;
}

/* With rows inside steps the parts of a step are steps of their own, so that each can be interpolated. */
zn_status sim_grid_step(zn_simulation *sim) {
    const long whole = 1L << MAX_HALVINGS;
    sim_grid *grid = &sim->grid;
    cone_outcome outcome;
    if (grid->done == 0 && has_grown(sim) && sim_report_unstable(sim, sim->settings.step) != ZN_OK) return ZN_ERROR_NO_CONVERGENCE;
    zn_status status = sim_selection_renew(sim);
    if (status != ZN_OK) return status;
    sim_begin_percussion(sim);
    const sim_grid before = *grid;
    if (grid->done == 0 && !grid->inside) begin_grid_step(sim), sim_hope(sim);
    bool pause = false, reached = true;
    while (grid->done < whole && !pause) {
        double fraction = (double)grid->part / (double)whole;
        bool last = grid->done + grid->part == whole;
        double t_next = last ? grid->t_end : grid->t_start + grid->h * ((double)(grid->done + grid->part) / (double)whole);
        status =
            sim->located.on ? sim_located_step(sim, t_next, &reached, &outcome) : sim_plain_step(sim, grid->h * fraction, t_next, &outcome);
        grid->inside = status == ZN_OK && !reached;
        if (status == ZN_OK && sim->machine.again) { /* what is left of the step is a new one, up to the event */
            sim->machine.again = false;
            grid->index = grid->begun;
            grid->between = true;
            grid->done = 0;
            begin_grid_step(sim);
        } else if (grid->inside) {
            pause = true; /* at an event in the step, so that the motion up to it can be interpolated */
        } else if (status == ZN_OK) {
            grid->done += grid->part;
            hope_of_part(sim);
            while (grid->part < whole && grid->done % (2 * grid->part) == 0 && grid->done < whole) grid->part *= 2;
            pause = sim->rows.dense;
        } else if (status == ZN_STOPPED) { /* what is done of the step stays, and the next call goes on with the rest */
            if (grid->done == 0) *grid = before;
            break;
        } else if (!sim_fatal(status) && may_hope_again(sim)) { /* the same part again */
        } else if (!sim_fatal(status) && grid->part == 1 && sim->selection.model) {
            status = sim_selection_leave(sim);
            if (status != ZN_OK) status = sim_report_failure(sim, status, grid->h * fraction, &outcome);
            if (status != ZN_OK) break;
        } else if (sim_fatal(status) || (grid->part == 1 && !sim_painleve_happens(sim, NULL))) {
            status = sim_report_failure(sim, status, grid->h * fraction, &outcome);
            break;
        } else if (grid->part == whole && sim_report_unstable(sim, grid->h) != ZN_OK) {
            status = ZN_ERROR_NO_CONVERGENCE; /* halves of it would hide that the motion diverges */
            break;
        } else if (grid->part > 1) {
            if (!sim->cut) note_cut(sim);
            grid->part /= 2;
            sim->rejected++;
        }
    }
    sim_end_percussion(sim);
    if (status == ZN_OK && sim->cut && grid->done == whole) report_cut_impacts(sim);
    if (status == ZN_OK) sim->step++;
    if (grid->done == whole) grid->done = 0;
    return status;
}
