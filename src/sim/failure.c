/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences about steps that failed: when, what is at fault, and what would help. */
#include "sim/simulation.h"

#include <stdio.h>

/* A motion whose kinetic energy has grown by this factor over all energy that was there at the start has diverged. */
static const double diverged = 1e6;

/* Where masses vanish velocities grow without bounds, and steps fail before: two steps, of which one may have been this much longer
 * before it was cut, are checked. */
enum { MOST_CUTS = 1024 };

const char *sim_contradiction(zn_context *context, const zn_model *model, const zn_settings *settings, const problem_scales *scales,
                              const zn_point *at, char *text, size_t room) {
    double size, step = settings->step > 0 ? settings->step : 1;
    int row = model_contradiction(context, model, at, &size);
    *text = '\0';
    if (row >= 0) {
        double passes = 2 * (scales ? scales_tolerance(scales, row, size, step) : larger(size / step, size)),
               digit = pow(10, floor(log10(passes)));
        snprintf(text, room,
                 ". The constraint '%s' is redundant but contradicts those before it by %.3g: remove it, give its numbers exactly "
                 "(sqrt(3)/2 instead of 0.866), or set tolerance: %.0e",
                 model->bilateral_names[row], size, ceil(passes / digit) * digit);
    }
    return text;
}

/* A sentence about constraints that were independent at the start and are not any more; "" when none are. */
static const char *dead_point(const zn_simulation *sim, char *text, size_t room) {
    const zn_model *model = sim->model;
    zn_point start = {.q = model->q_start, .u = model->u_start}, now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    double before, after;
    int row = model_dead_point(sim->context, model, &start, &now, &before, &after);
    *text = '\0';
    if (row >= 0)
        snprintf(text, room,
                 ". The mechanism is near a dead point: the constraint '%s' is only %.2g %% independent of those before it, compared with "
                 "%.2g %% at the start. No drive can move it past this point; let the drive end before, or act elsewhere",
                 model->bilateral_names[row], 100 * after, 100 * before);
    return text;
}

/* ZN_OK: the step is not too large for the scheme. */
zn_status sim_report_unstable(zn_simulation *sim, double h) {
    double frequency, largest;
    if (!sim_step_is_unstable(sim, h, &frequency, &largest)) return ZN_OK;
    error_place place = {.step = sim->step + 1, .time = sim->now.t};
    return fail_at(sim->context, ZN_ERROR_NO_CONVERGENCE, &place,
                   "the step of %g from t = %.9g failed: it is too large for %s, which is stable for steps below about %.3g here (the "
                   "fastest natural frequency is about %.3g 1/s); radau-2a, tr-theta and generalized-alpha take larger steps",
                   h, sim->now.t, sim->settings.scheme, largest, frequency);
}

/* What iterations over many contacts have reached they reach again where it is asked of them, which is half of the tolerance. */
static const double accepted_share = 2;

/* A run with an unsolved step is not a solution, however far it went. */
zn_status sim_report_unfinished(const zn_simulation *sim) {
    if (sim->unfinished_steps == 0) return ZN_OK;
    error_place place = {.step = sim->step, .time = sim->now.t};
    double enough = accepted_share * sim->max_residual, digit = pow(10, floor(log10(enough)));
    return fail_at(sim->context, ZN_ERROR_NO_CONVERGENCE, &place,
                   "the run reached its end, t = %.9g, but %ld of its steps %s left above the tolerance %.3g, with residuals up to %.3g: "
                   "many contacts needed more work than the limit for a step; tolerance: %.0e would accept this%s",
                   sim->now.t, sim->unfinished_steps, sim->unfinished_steps == 1 ? "was" : "were", sim->settings.tolerance,
                   sim->max_residual, ceil(enough / digit) * digit, sim->settings.solver == ZN_SOLVER_AUTO ? "" : ", or try solver: auto");
}

/* Where the residual is: a contact, or the kind of equations. */
static void name_fault(const zn_simulation *sim, const cone_outcome *outcome, char *text, size_t room) {
    static const char *const equations[CONE_UNIT_COUNT] = {[CONE_MOMENTUM] = "in the equations of motion",
                                                           [CONE_LENGTH] = "in the position constraints",
                                                           [CONE_VELOCITY] = "in the velocity constraints",
                                                           [CONE_ACCELERATION] = "in the accelerations"};
    static const char *const without_joints[CONE_UNIT_COUNT] = {
        [CONE_LENGTH] = "in the equations of positions", [CONE_VELOCITY] = "in the equations of velocities"};
    int unit = CONE_MOMENTUM;
    for (int u = 0; u < CONE_UNIT_COUNT; u++)
        if (equations[u] && is_worse(outcome->residual[u], outcome->residual[unit])) unit = u;
    if (outcome->worst_cone >= 0 && outcome->worst_cone < sim->model->size.n_contacts)
        snprintf(text, room, "at contact '%s'", sim->model->contacts[outcome->worst_cone].name);
    else snprintf(text, room, "%s", model_row_N(sim->model) == 0 && without_joints[unit] ? without_joints[unit] : equations[unit]);
}

/* What would help, as far as is known. */
static void give_advice(zn_simulation *sim, const cone_outcome *outcome, char *text, size_t room) {
    double kinetic = 0, potential = 0, step = sim->settings.step_auto ? 0 : sim->settings.step;
    const char *other = sim->settings.solver != ZN_SOLVER_AUTO     ? "solver: auto"
                        : strcmp(sim->settings.scheme, "radau-2a") ? "scheme: radau-2a"
                                                                   : "scheme: moreau-midpoint";
    if (sim->model->energy)
        sim->model->energy(sim->model, sim->monitor.at.work, &(zn_point){.t = sim->now.t, .q = sim->now.q, .u = sim->now.u}, &kinetic,
                           &potential);
    if (sim->energy_start != 0 && kinetic > diverged * fabs(sim->energy_start))
        snprintf(text, room,
                 "the motion has diverged (kinetic energy %.3g, energy at the start %.3g): the step is too large for it; "
                 "try step: %.3g or %s",
                 kinetic, sim->energy_start, step / 10, other);
    else if (sim_ring_at_fault(sim, outcome) >= 0)
        snprintf(text, room,
                 "an edge that lies flat on a plane has no lowest point: use a contact rule ({between: all}) instead, with which it rests "
                 "on several points");
    else if (outcome->worst <= SIM_NEAR_TOLERANCE * sim->settings.tolerance)
        snprintf(text, room, "the residual is small: tolerance: %.0e would accept it; otherwise try %s",
                 pow(10, ceil(log10(2 * outcome->worst))), other);
    else if (step > 0) snprintf(text, room, "try step: %.3g or %s", step / 10, other);
    else snprintf(text, room, "try a smaller accuracy or %s", other);
}

static zn_status report_passage(zn_simulation *sim, double h) {
    const sim_contacts *c = &sim->contacts;
    error_place place = {.step = sim->step + 1, .time = sim->now.t};
    const char *a = contact_field_shape_name(c->field, c->passing[0]), *b = contact_field_shape_name(c->field, c->passing[1]);
    return fail_at(sim->context, ZN_ERROR_NO_CONVERGENCE, &place,
                   "in the step of %g from t = %.9g '%s' and '%s' overlap by more than the thinner one is thick, or pass through each "
                   "other: it is thin "
                   "against their way in the step; try "
                   "step: %.3g%s, or a thicker shape",
                   h, sim->now.t, a, b, larger(h, sim->settings.step) / 10,
                   strcmp(sim->settings.scheme, "rattle") ? ", scheme: rattle" : "");
}

zn_status sim_report_failure(zn_simulation *sim, zn_status status, double h, const cone_outcome *outcome) {
    const zn_model *model = sim->model;
    char text[160], why[400];
    error_place place = {.step = sim->step + 1, .time = sim->now.t};
    if (sim_report_unstable(sim, h) != ZN_OK) return ZN_ERROR_NO_CONVERGENCE;
    if (sim->contacts.field && sim->contacts.passing[0] >= 0) return report_passage(sim, h);
    double t, reach = status == ZN_ERROR_NOT_FINITE ? 2 * larger(h, sim->settings.step) : h;
    sim_not_finite found;
    if (sim_find_not_finite(sim, h, reach, &found)) {
        place.subject = found.subject;
        return fail_at(sim->context, ZN_ERROR_NOT_FINITE, &place, "%s is not finite at t = %.9g %s; the step of %g from t = %.9g failed",
                       found.what, found.t, found.why, h, sim->now.t);
    }
    bool coupled;
    int massless = sim_find_massless(sim, h, 2 * MOST_CUTS * h, &t, &coupled);
    if (massless >= 0) place.subject = model->u_names[massless];
    if (massless >= 0)
        return fail_at(sim->context, ZN_ERROR_NOT_FINITE, &place,
                       "the mass of '%s'%s is not positive at t = %.9g (a function out of its range?); the step of %g from t = %.9g failed",
                       model->u_names[massless], coupled ? " together with the velocities before it" : "", t, h, sim->now.t);
    if (status == ZN_ERROR_NOT_FINITE)
        return fail_at(sim->context, status, &place,
                       "the step of %g from t = %.9g failed: values in it are not finite, though those of the model are: "
                       "the motion diverges; try step: %.3g "
                       "or scheme: radau-2a",
                       h, sim->now.t, sim->settings.step / 10);
    if (outcome->worst_cone >= 0 && outcome->worst_cone < model->size.n_contacts) place.subject = model->contacts[outcome->worst_cone].name;
    zn_point at = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    name_fault(sim, outcome, text, sizeof text);
    int jams = sim_impact_jams(sim, h), wedged = jams < 0 ? sim_contact_wedged(sim, h) : -1;
    if (wedged >= 0)
        snprintf(why, sizeof why,
                 ". Contact '%s' is wedged: joints and friction hold it in every direction, so its force is not unique, and %s satisfies "
                 "gap, slip and joints together only up to its own error; try %s, or a friction below %.3g",
                 model->contacts[wedged].name, sim->settings.scheme,
                 strcmp(sim->settings.scheme, "rattle") ? "scheme: rattle" : "scheme: moreau-midpoint",
                 model->contacts[wedged].balls[0].mu);
    else if (jams >= 0)
        snprintf(why, sizeof why,
                 ". Newton's impact law has no solution for contact '%s': friction prevents the rebound that the restitution %g requires; "
                 "try restitution_law: poisson or energetic, under which it comes to rest, or restitution: 0",
                 model->contacts[jams].name, model->contacts[jams].e_N);
    else if (!*dead_point(sim, why, sizeof why))
        sim_contradiction(sim->context, model, &sim->settings, sim->selection.model ? NULL : &sim->scheme->scales, &at, why, sizeof why);
    if (!*why) memcpy(why, "; ", 3), give_advice(sim, outcome, why + 2, sizeof why - 2);
    if (sim->ring_jumps >= 0)
        return fail_at(sim->context, status, &place,
                       "the step of %g from t = %.9g has no unique point of contact at '%s': the touching point of its edge jumps%s", h,
                       sim->now.t, model->contacts[sim->ring_jumps].name, why);
    if (sim->gains.refused)
        return fail_at(sim->context, status, &place,
                       "the step of %g from t = %.9g has only a solution whose energy change is not explained by forces and contacts%s", h,
                       sim->now.t, why);
    return fail_at(sim->context, status, &place,
                   "the step of %g from t = %.9g could not be solved %s: residual %.3g is above the tolerance %.3g%s", h, sim->now.t, text,
                   outcome->worst, sim->settings.tolerance, why);
}

/* Squares of large velocities overflow before they do. */
zn_status sim_fail_energy(zn_context *context, const zn_simulation *sim, const char *what, double kinetic, double potential) {
    error_place place = {.step = sim->step, .time = sim->view.t};
    if (isinf(kinetic) || (isinf(potential) && kinetic > diverged * fabs(sim->energy_start)))
        return fail_at(context, ZN_ERROR_NOT_FINITE, &place,
                       "the motion has diverged: at t = %.9g the energy of '%s' is infinite, at the start it was %.3g; try "
                       "step: %.3g or scheme: radau-2a",
                       sim->view.t, what, sim->energy_start, sim->settings.step / 10);
    return fail_at(context, ZN_ERROR_NOT_FINITE, &place, "the %s energy of '%s' is not finite at t = %.9g " MODEL_OUT_OF_RANGE,
                   isfinite(kinetic) ? "potential" : "kinetic", what, sim->view.t);
}
