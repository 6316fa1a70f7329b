/* SPDX-License-Identifier: Apache-2.0 */
/* Consistent initial conditions (docs/theory/system.md, consistent starts; 002: 3.7).
 *
 *   check     g = 0, gdot = 0, gamma = 0;  g_N >= 0;  gdot_N >= 0 where closed
 *   project   positions: M d = W P, g + W_g' d = 0, g_N + W_N' d >= 0, q += B d, repeated;  velocities: the same once
 *   forces    M a = h + W lambda, gddot = 0, gammadot = 0; closed contacts with gdot_N = 0: gddot_N in N(-lambda_N);
 *             sticking rows gammadot_F in N_C(-lambda_F), slipping ones lambda_F = -mu lambda_N gamma_F/|gamma_F|            */
#include "sim/simulation.h"

#include <float.h>

#include "model/fewer_rows.h"
#include "model/independent.h"
#include "scheme/consistent_forces.h"

enum { MAX_PROJECTIONS = 50 };
/* What is shorter or slower than this in the units of the scene is judged by its own size: numbers of papers are rounded. */
#define SMALL_SCENE 1e-4
/* Of what may be open in a start: left by a projection. */
#define PROJECTED_PART 1e-6

static zn_status violated(zn_context *context, const zn_model *model, int row, const char *what, double value, const char *should) {
    char text[160];
    model_row_text(model, row, text, sizeof text);
    int contact = model_row_contact(model, row);
    error_place place = {.subject = contact >= 0 ? model->contacts[contact].name : model->bilateral_names[row], .time = NAN};
    if (!isfinite(value))
        return fail_at(context, ZN_ERROR_NOT_FINITE, &place, "%s: %s is not finite at the start " MODEL_OUT_OF_RANGE, text, what);
    return fail_at(context, ZN_ERROR_START, &place,
                   "the start violates %s: %s = %.9g, must be %s (simulation: {project_start: true} moves the start)", text, what, value,
                   should);
}

/* The deepest of the found contacts of two shapes that overlap: together they are one mistake. */
typedef struct overlap {
    const collide_candidate *of; /* NULL: none */
    double gap;
} overlap;

/* Lists are sorted by pairs of shapes: with the next one that overlaps (NULL: there is none) what came before may be complete. */
static zn_status note_overlap(const zn_simulation *sim, overlap *o, const collide_candidate *next, double gap) {
    const contact_field *field = sim->contacts.field;
    zn_status status = ZN_OK;
    if (o->of && (!next || !collide_is_of_pair(next, o->of->shape))) {
        int first = o->of->shape[0] < o->of->shape[1] ? 0 : 1;
        const char *a = contact_field_shape_name(field, o->of->shape[first]), *b = contact_field_shape_name(field, o->of->shape[!first]);
        status =
            fail_at(sim->context, ZN_ERROR_START, &(error_place){.subject = a, .time = NAN},
                    "'%s' and '%s' overlap by %.3g at the start: move one of them, let the contact rule leave them out ('except'), or let "
                    "the start be moved (simulation: {project_start: true})",
                    a, b, -o->gap);
        o->of = NULL;
    }
    if (next && (!o->of || gap < o->gap)) *o = (overlap){next, gap};
    return status;
}

/* W and sizes of lengths and rates at a state, before steps of h. None where forces or some direction cannot be evaluated. */
static zn_status see_sizes(zn_context *context, const zn_model *model, answers *at, const zn_point *point, double h,
                           problem_scales *scales) {
    zn_status status = scales_create(context, model, zn_settings_default().tolerance, scales);
    if (status == ZN_OK) status = scales_see(scales, at, point, h);
    if (status == ZN_OK && model->balance(model, at->work, point, &(zn_balance){.W = at->W})) status = ZN_ERROR_NOT_FINITE;
    if (status == ZN_OK && !all_finite(model->pattern.W.start[model_rows(model)], at->W))
        status = ZN_ERROR_NOT_FINITE; /* some row: others are judged */
    if (status == ZN_OK) return ZN_OK;
    scales_destroy(context, scales);
    *scales = (problem_scales){0};
    return status == ZN_ERROR_MEMORY ? status : ZN_OK;
}

/* How far a row may be from its constraint, on position and on velocity level. Without sizes: in the units of the scene. */
static double open_length(const problem_scales *scales, const double *W, int row, double part, double roundoff) {
    return larger(part * SIM_START_TOLERANCE * (scales->model ? scales_small_length(scales, W, row, SMALL_SCENE) : 1), roundoff);
}

static double roundoff_of(const problem_scales *scales, const double *W) { return scales->model ? scales_length_roundoff(scales, W) : 0; }

/* Gaps up to this are closed. */
static double closed_length(const problem_scales *scales, const double *W, int row) {
    return SIM_START_TOLERANCE * (scales->model ? scales_small_length(scales, W, row, 1) : 1);
}

static double open_rate(const problem_scales *scales, double vigour, const answers *at, int row) {
    return SIM_START_TOLERANCE * (scales->model ? scales_small_rate(scales, vigour, at->M, at->W, row, SMALL_SCENE) : 1);
}

zn_status sim_start_tolerances(zn_context *context, const zn_model *model, const zn_point *point, double part, double *tolerance) {
    answers at;
    problem_scales scales = {0};
    zn_status status = answers_create(context, model, &at);
    if (status != ZN_OK) return status;
    status = see_sizes(context, model, &at, point, 0, &scales);
    double roundoff = status == ZN_OK ? roundoff_of(&scales, at.W) : 0;
    for (int i = 0; i < model_rows(model) && status == ZN_OK; i++) tolerance[i] = open_length(&scales, at.W, i, part, roundoff);
    scales_destroy(context, &scales);
    answers_destroy(context, &at);
    return status;
}

zn_status sim_start_check(zn_simulation *sim, const zn_point *start, double h) {
    zn_context *context = sim->context;
    answers *memory = &sim->monitor.at;
    const zn_model *model = memory->model;
    const int declared = sim->base->size.n_contacts;
    overlap open = {0};
    const answers at = *memory;
    problem_scales scales = {0};
    zn_point point = *start;
    zn_status status = ZN_OK;
    if (model_rows(model) > 0) status = see_sizes(context, model, memory, &point, h, &scales);
    if (status == ZN_OK && model->constraints(model, at.work, &point, &(zn_constraints){.c0 = at.c0, .c1 = at.c1}))
        status = fail(context, ZN_ERROR_START, "the constraints cannot be evaluated at the start");
    int ng = model->size.ng, ny = model->size.ny;
    double roundoff = roundoff_of(&scales, at.W), vigour = scales.model ? scales_vigour(&scales, at.M) : 0;
    for (int i = 0; status != ZN_ERROR_NOT_FINITE && i < ng; i++) {
        if (!(fabs(at.c0[i]) <= open_length(&scales, at.W, i, 1, roundoff))) status = violated(context, model, i, "g", at.c0[i], "0");
        else if (!(fabs(at.c1[i]) <= open_rate(&scales, vigour, &at, i))) status = violated(context, model, i, "its rate", at.c1[i], "0");
    }
    for (int i = ng; i < ng + ny; i++)
        if (!(fabs(at.c1[i]) <= open_rate(&scales, vigour, &at, i))) status = violated(context, model, i, "gamma", at.c1[i], "0");
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        if (row < 0) continue;
        bool overlaps = !(at.c0[row] >= -open_length(&scales, at.W, row, 1, roundoff));
        if (overlaps && k >= declared && isfinite(at.c0[row])) {
            zn_status told = note_overlap(sim, &open, &sim->contacts.list.at[k - declared].candidate, at.c0[row]);
            if (told != ZN_OK) status = told;
        } else if (overlaps) status = violated(context, model, row, "gap", at.c0[row], "at least 0");
        else if (at.c0[row] <= closed_length(&scales, at.W, row) && !(at.c1[row] >= -open_rate(&scales, vigour, &at, row)))
            status = violated(context, model, row, "closed, but its rate", at.c1[row], "at least 0");
    }
    zn_status told = note_overlap(sim, &open, NULL, 0);
    if (told != ZN_OK) status = told;
    scales_destroy(context, &scales);
    return status;
}

/* ---- projection ---- */

static bool ask(linear_problem *p, double t, const double *q, const double *u) {
    const zn_model *model = p->model;
    zn_point at = {.t = t, .q = q, .u = u};
    return !model->balance(model, p->at.work, &at, &(zn_balance){.M = p->at.M, .W = p->at.W}) &&
           !model->kinematics(model, p->at.work, &at, &(zn_kinematics){.B = p->at.B}) &&
           !model->constraints(model, p->at.work, &at, &(zn_constraints){.c0 = p->at.c0, .c1 = p->at.c1, .c1_u = p->at.c1_u});
}

static zn_status solve_projection(zn_context *context, linear_problem *p, const char *what) {
    cone_outcome outcome;
    linear_problem_reset(p);
    memset(p->x, 0, (size_t)p->model->size.nu * sizeof *p->x);
    if (linear_problem_solve(p, &outcome) == ZN_OK) return ZN_OK;
    return fail(context, ZN_ERROR_START, "the %s of the start cannot be projected onto the constraints (residual %.3g)", what,
                outcome.worst);
}

/* Velocity-level constraints say nothing about positions: their rows are cleared, which the solver takes as redundant. */
static void clear_velocity_rows(linear_problem *p) {
    const zn_model *model = p->model;
    const zn_pattern *W = &model->pattern.W, *c1_u = &model->pattern.c1_u;
    int first = model->size.ng, last = first + model->size.ny;
    for (int k = W->start[first]; k < W->start[last]; k++) p->at.W[k] = 0;
    for (int k = c1_u->start[first]; k < c1_u->start[last]; k++) p->at.c1_u[k] = 0;
}

/* Up to a part of 1e-6 of what may be open; where redundant constraints contradict each other up to all of it, when no step reduces it. */
static zn_status project_positions(zn_context *context, linear_problem *p, double t, const double *tolerance, bool contradiction, double *q,
                                   const double *u) {
    const zn_model *model = p->model;
    int ng = model->size.ng;
    double step = INFINITY;
    for (int iteration = 0; iteration < MAX_PROJECTIONS; iteration++) {
        if (!ask(p, t, q, u)) return fail(context, ZN_ERROR_START, "the constraints cannot be evaluated at the start");
        double worst = 0;
        memset(p->c, 0, (size_t)model_rows(model) * sizeof *p->c);
        for (int i = 0; i < ng; i++) worst = larger(worst, fabs(p->c[i] = p->at.c0[i]) / tolerance[i]);
        for (int k = 0; k < model->size.n_contacts; k++) {
            int row = model->contacts[k].row_N;
            p->active[k] = row >= 0;
            if (row >= 0) worst = larger(worst, -(p->c[row] = p->at.c0[row]) / tolerance[row]);
        }
        if (worst <= 1 || (contradiction && worst <= 1 / PROJECTED_PART && step <= PROJECTED_PART * SIM_START_TOLERANCE)) return ZN_OK;
        if (!isfinite(worst)) break;
        clear_velocity_rows(p);
        zn_status status = solve_projection(context, p, "positions");
        if (status != ZN_OK) return status;
        step = largest_size(model->size.nu, p->x, 0);
        lin_multiply(&model->pattern.B, p->at.B, 1, p->x, q);
        if (model->after_step) model->after_step(model, t, q);
    }
    char why[400];
    zn_settings settings = zn_settings_default();
    return fail(context, ZN_ERROR_START, "the positions of the start cannot be projected onto the constraints: no convergence%s",
                sim_contradiction(context, model, &settings, NULL, &(zn_point){.t = t, .q = q, .u = u}, why, sizeof why));
}

static zn_status project_velocities(zn_context *context, linear_problem *p, double t, const double *q, double *u) {
    const zn_model *model = p->model;
    problem_scales scales = {0};
    zn_status status = see_sizes(context, model, &p->at, &(zn_point){.t = t, .q = q, .u = u}, 0, &scales);
    if (status == ZN_OK && !ask(p, t, q, u)) status = fail(context, ZN_ERROR_START, "the constraints cannot be evaluated at the start");
    if (status == ZN_OK) {
        memcpy(p->c, p->at.c1, (size_t)model_rows(model) * sizeof *p->c);
        for (int k = 0; k < model->size.n_contacts; k++) {
            int row = model->contacts[k].row_N;
            p->active[k] = row >= 0 && p->at.c0[row] <= closed_length(&scales, p->at.W, row);
        }
        status = solve_projection(context, p, "velocities");
        for (int i = 0; i < model->size.nu; i++) u[i] += p->x[i];
    }
    scales_destroy(context, &scales);
    return status;
}

/* The search for contradictions is cubic: this many multiplications take some 0.1 s. */
static const double most_work = 1e8;

static int find_contradiction(zn_context *context, const zn_model *model, const zn_point *at, double *size) {
    double rows = model_row_N(model);
    return rows * rows * model->size.nu > most_work ? -1 : model_contradiction(context, model, at, size);
}

/* Velocities on the rows from which the others follow: what these fix well, least squares of all rows may lose. u = 0: rows are looked
 * at where velocities do not fit yet. */
static zn_status project_velocities_on(zn_context *context, const zn_model *model, const zn_settings *settings, double t, const double *q,
                                       double *u) {
    double *rest = MEM_ARRAY(context, double, model->size.nu);
    independent *rows = NULL;
    zn_model *fewer = NULL;
    linear_problem *p = NULL;
    zn_status status = rest ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK)
        status = independent_find(context, model, &(zn_point){.t = t, .q = q, .u = rest},
                                  (independent_wish){.doubt = INDEPENDENT_LEAST_DOUBT}, &rows);
    if (status == ZN_OK && rows) status = fewer_rows_create(context, model, independent_left_out(rows), 0, NULL, &fewer);
    if (status == ZN_OK && !(p = linear_problem_create(context, fewer ? fewer : model, settings, CONE_VELOCITY))) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        p->frictionless = true;
        status = project_velocities(context, p, t, q, u);
    }
    linear_problem_destroy(p);
    model_free(context, fewer);
    independent_destroy(context, rows);
    mem_free(context, rest);
    return status;
}

zn_status sim_start_velocities(zn_context *context, const zn_model *model, double t, const double *q, double *u) {
    zn_settings settings = zn_settings_default();
    settings.tolerance = 1e-12;
    settings.contradiction = 0;
    return model_rows(model) ? project_velocities_on(context, model, &settings, t, q, u) : ZN_OK;
}

/* Where redundant constraints contradict each other the least-squares solution is looked for, and may be off by as much as any
 * start. */
zn_status sim_start_project(zn_context *context, const zn_model *model, double t, double *q, double *u) {
    double size;
    int row = find_contradiction(context, model, &(zn_point){.t = t, .q = q, .u = u}, &size);
    if (row == -2) return ZN_ERROR_MEMORY;
    bool contradiction = row >= 0;
    zn_settings settings = zn_settings_default();
    settings.tolerance = 1e-12;
    settings.contradiction = contradiction ? DBL_MAX : 0; /* during the iteration */
    linear_problem *p = linear_problem_create(context, model, &settings, CONE_VELOCITY);
    if (!p) return ZN_ERROR_MEMORY;
    p->frictionless = true;
    double *tolerance = MEM_ARRAY(context, double, model_rows(model));
    zn_status status =
        tolerance ? sim_start_tolerances(context, model, &(zn_point){.t = t, .q = q, .u = u}, PROJECTED_PART, tolerance) : ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = project_positions(context, p, t, tolerance, contradiction, q, u);
    mem_free(context, tolerance);
    linear_problem_destroy(p);
    return status == ZN_OK ? project_velocities_on(context, model, &settings, t, q, u) : status;
}

zn_status sim_start_contradiction(zn_context *context, const zn_model *model, const zn_settings *settings, const zn_point *at,
                                  double *size) {
    *size = 0;
    if (settings->contradiction == 0 || settings->solver == ZN_SOLVER_NEWTON) return ZN_OK;
    int row = find_contradiction(context, model, at, size);
    if (row < 0 || *size > settings->contradiction) *size = 0;
    if (*size > 0)
        log_message(context, ZN_LOG_WARNING,
                    "the constraint '%s' is redundant but contradicts those before it by %.3g: they are satisfied in the least-squares "
                    "sense (give numbers exactly: sqrt(3)/2 instead of 0.866025)",
                    model->bilateral_names[row], *size);
    return row == -2 ? ZN_ERROR_MEMORY : ZN_OK;
}

/* ---- forces ---- */

static zn_status solve_forces(zn_context *context, linear_problem *p, const zn_settings *settings, const zn_point *at) {
    cone_outcome outcome;
    zn_status status = p->scales ? scales_see(p->scales, &p->at, at, settings->step) : ZN_OK;
    if (status == ZN_OK) status = consistent_forces(p, at->t, at->q, at->u, SIM_START_TOLERANCE, &outcome);
    if (status == ZN_OK) return ZN_OK;
    if (status == ZN_ERROR_NOT_FINITE) return fail(context, ZN_ERROR_START, "the forces cannot be evaluated at the start");
    char why[400];
    return fail(context, ZN_ERROR_START, "the forces at the start cannot be found: %s (residual %.3g)%s", zn_status_text(status),
                outcome.worst, sim_contradiction(context, p->model, settings, p->scales, at, why, sizeof why));
}

zn_status sim_start_forces_by(zn_context *context, linear_problem *p, const zn_settings *settings, problem_scales *scales,
                              const zn_point *at) {
    if (settings->step > 0) p->scales = scales; /* else accelerations have no scale yet */
    return solve_forces(context, p, settings, at);
}

zn_status sim_start_forces(zn_context *context, const zn_model *model, const zn_settings *settings, problem_scales *scales,
                           const zn_point *at, double *a0, double *lambda0) {
    linear_problem *p = linear_problem_create(context, model, settings, CONE_ACCELERATION);
    if (!p) return ZN_ERROR_MEMORY;
    zn_status status = sim_start_forces_by(context, p, settings, scales, at);
    memcpy(a0, p->x, (size_t)model->size.nu * sizeof *a0);
    memcpy(lambda0, p->P, (size_t)model_rows(model) * sizeof *lambda0);
    linear_problem_destroy(p);
    return status;
}
