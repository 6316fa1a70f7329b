/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the methods: what is cheap first, what is robust last, and from the best point so far, except that Newton also starts from
 * zero, since a bad start can be the cause of its failure. */
#include "cone/many/system.h"

enum {
    SWEEPS_FIRST = 20,
    ACCELERATED = 60,
    FIXED_POINT_FIRST = 600,
    FIXED_POINT_GROWTH = 3,
    INTERIOR_MOST = 100,
    POLISH_MOST = 150,
    POLISH_FAR = 50,
    SPLITTING_MOST = 400,
    PROJECTION_LOT = 1000,
    PROJECTION_PATIENCE = 3000,
    LARGE = 200, /* contacts */
    CONTACTS_PER_SWEEP = 13,
    SWEPT_STEPS = 60,
    FOLLOW_PATIENCE = 40, /* factorisations without a gain */
    INTERIOR_BRIEF = 25,
    PATH_MOST = 250,
    DRIFT_LEAST = 50, /* contacts, where few digits are wanted */
    DRIFT_LOT = 1200, /* sweeps */
    DRIFT_LOTS = 20,
    DRIFT_LOTS_EXACT = 3,
    DRIFT_STEPS = 6,
    SWEPT_POLISH = 30
};
#define INTERIOR_ENOUGH 1e-6
#define PATH_ENOUGH 1e-5   /* where Newton's steps arrive from */
#define EXACT 1e-6         /* residuals below this are the business of factorisations */
#define NEARLY 10          /* times the residual that is wanted */
#define INTERIOR_NEAR 1e-7 /* enough of a brief look from inside */
#define POLISH_NEAR 1e-4
#define FOLLOW_NEAR 1e-4 /* from further away hardly one point in ten arrives */
/* Relative residual at which the interior point method hands over to Newton's method in the plane, where friction is two half-lines and not
 * a curved cone: Newton's steps are exact there once the modes of the contacts are right. Chosen, not derived. */
#define PLANAR_NEAR 1e-2
#define PROJECTION_STUCK 0.8 /* of the residual left by a lot of iterations */

/* Piles in space: a factorisation takes as long as many sweeps, hundreds where there are thousands of contacts. Not so with rolling
 * friction, whose sweeps iterate at each contact; and with `solver: projection` nothing else follows the sweeps, so that these are not cut
 * short. */
static bool follows_drift(const many_system *s) {
    return !s->settings.projections_only && s->nR == 0 && !many_is_planar(s) &&
           s->n >= (s->settings.residual < EXACT ? LARGE : DRIFT_LEAST);
}

/* Sweeps cost little, and find few digits: the fewer are wanted, the more of them; of large systems as many as take half the time of a
 * factorisation. */
static int sweeps_worth(const many_system *s) {
    double residual = s->settings.residual;
    if (follows_drift(s)) return SWEEPS_FIRST;
    if (residual >= 1e-4) return 3000;
    int most = (int)many_sweeps_of_factorisation(s, CONTACTS_PER_SWEEP);
    if (s->n >= LARGE) return most > SWEEPS_FIRST ? most : SWEEPS_FIRST;
    return residual >= 1e-6 ? 400 : SWEEPS_FIRST;
}

/* There is no need, or no use, to go on. */
static bool is_final(zn_status status) { return status == ZN_OK || status == ZN_ERROR_MEMORY || status == ZN_STOPPED; }

static newton_plan newton_of_round(int round) {
    if (round == 0) return (newton_plan){.outer = 6, .inner = 12};
    if (round == 1 || round == 3) return (newton_plan){.outer = 40, .inner = 30, .from_zero = true, .delta = round == 1 ? 1e-2 : 1e-1};
    return (newton_plan){.outer = 40, .inner = 30, .large_ro = true};
}

/* Large piles: many iterations with few factorisations, before methods that take one for each. */
static zn_status solve_by_splitting(many_system *s) {
    zn_status status = many_fixed_point(s, (fixed_point_plan){.iterations = ACCELERATED, .accelerate = true});
    return is_final(status) ? status : many_fixed_point(s, (fixed_point_plan){.iterations = SPLITTING_MOST});
}

/* The last digits, with a bounded number of factorisations: from a point that is not near to a solution Newton's method rarely arrives. */
static zn_status polish(many_system *s) {
    int most = s->settings.factorisations_most, end = s->out->factorisations + (s->best_residual < POLISH_NEAR ? POLISH_MOST : POLISH_FAR);
    if (most == 0 || end < most) s->settings.factorisations_most = end;
    zn_status status = many_newton(s, (newton_plan){.outer = 60, .inner = 15});
    s->settings.factorisations_most = most;
    return status;
}

/* Interior point from one start, and Newton's steps between sweeps from where it ended, also where something better was known, which waits
 * in v. */
static zn_status begin_inside(many_system *s, const interior_plan *start, bool path) {
    memcpy(s->v, s->best, (size_t)s->m * sizeof(double));
    s->best_residual = INFINITY;
    zn_status status = path ? many_path(s, start) : many_interior(s, *start);
    return is_final(status) || !(s->best_residual < INFINITY) ? status : many_swept_newton(s, SWEPT_POLISH);
}

static void keep_better(many_system *s, double before) {
    if (s->best_residual <= before) return;
    memcpy(s->best, s->v, (size_t)s->m * sizeof(double));
    s->best_residual = before;
}

/* From several starts, in space: the interior point method, which steers by tau, arrives after some dozens of iterations, or not at all;
 * along the path and through its folds it takes longer, but arrives more often. With another smoothing of slip the path is another one. */
static zn_status solve_from_inside(many_system *s) {
    static const struct {
        bool path;
        interior_plan plan;
    } starts[] = {{false, {INTERIOR_MOST, PLANAR_NEAR, 10, 0.1, 0, 0}}, /* in the plane only */
                  {false, {INTERIOR_MOST, INTERIOR_ENOUGH, 10, 0.1, 0, 0}},
                  {true, {PATH_MOST, PATH_ENOUGH, 1, 0, 0.2, 6}},
                  {true, {PATH_MOST, PATH_ENOUGH, 1, 0, 0.2, 60}},
                  {true, {PATH_MOST, PATH_ENOUGH, 1, 0, 3, 3}},
                  {false, {INTERIOR_MOST, INTERIOR_ENOUGH, 10, 0.1, 0.03, 0}}};
    zn_status status = ZN_ERROR_NO_CONVERGENCE;
    for (size_t k = !many_is_planar(s); k < sizeof starts / sizeof *starts && !is_final(status); k++) {
        double before = s->best_residual;
        status = begin_inside(s, &starts[k].plan, starts[k].path);
        if (!is_final(status) && s->best_residual < FOLLOW_NEAR) status = many_follow(s, FOLLOW_PATIENCE);
        if (!is_final(status) && s->best_residual < INFINITY && s->n < LARGE) status = polish(s);
        keep_better(s, before);
    }
    return status;
}

/* Few contacts and many digits. Newton's method first; what it does not find from the last percussions are the impacts of stacks and walls,
 * whose faces have more contacts than they need. The interior point method takes a dozen factorisations to where Newton's steps can tell
 * which contacts bear. */
static zn_status solve_few(many_system *s) {
    zn_status status = many_newton(s, (newton_plan){.outer = 6, .inner = 10, .brief = true});
    if (is_final(status) || s->settings.residual >= EXACT || s->nR > 0) return status;
    double before = s->best_residual;
    int spent = s->out->factorisations;
    status = begin_inside(
        s, &(interior_plan){.iterations = INTERIOR_BRIEF, .enough = INTERIOR_NEAR, .start = 1, .fall = 0.1, .blunt_rest = 1}, false);
    if (is_final(status)) return status;
    if (s->best_residual > FOLLOW_NEAR) s->best_residual = INFINITY; /* a bad start for what follows */
    keep_better(s, before);
    if (s->settings.factorisations_most > 0) s->settings.factorisations_most += s->out->factorisations - spent;
    return status;
}

/* Cones in the plane have no curved sides: from a point that is near Newton's method jumps to the faces, however many there are. From afar
 * (a pyramid of 5000 boxes is let go) it goes astray among them, whereas the interior point method is there after a dozen factorisations,
 * which cost little in the plane. */
static zn_status solve_in_plane(many_system *s) {
    zn_status status = ZN_ERROR_NO_CONVERGENCE;
    if (s->best_residual <= PLANAR_NEAR) {
        status = many_newton(s, (newton_plan){.outer = 6, .inner = 10, .brief = true});
        if (!is_final(status)) status = many_swept_newton(s, SWEPT_POLISH);
    }
    return is_final(status) ? status : solve_from_inside(s);
}

/* Sweeps along their drift, which arrive at few digits without factorisations. Where more are wanted a few of Newton's steps in between
 * look whether they are near enough. The sweeps go on from their own point, which on its way past changes of contacts may be worse for a
 * while. */
static zn_status solve_by_drift(many_system *s) {
    size_t bytes = (size_t)s->m * sizeof(double);
    bool exact = s->settings.residual < EXACT;
    memcpy(s->work, s->best, bytes);
    for (int lot = 0; lot < (exact ? DRIFT_LOTS_EXACT : DRIFT_LOTS); lot++) {
        memcpy(s->r, s->work, bytes);
        if (many_drift(s, DRIFT_LOT)) return ZN_OK;
        if (base_stopped(s->context)) return ZN_STOPPED;
        memcpy(s->work, s->r, bytes);
        if (!exact) continue;
        zn_status status = many_swept_newton(s, DRIFT_STEPS);
        if (is_final(status)) return status;
    }
    return ZN_ERROR_NO_CONVERGENCE;
}

/* Projections onto the cones alone, as long as they get on. They need no derivatives, so they do not cycle as Newton's method does; the
 * price is a linear rate. */
static zn_status solve_by_projections(many_system *s) {
    zn_status status = many_fixed_point(s, (fixed_point_plan){.iterations = SPLITTING_MOST, .accelerate = true});
    double before = INFINITY;
    s->has_v = false;
    for (int done = 0; done < s->settings.projections_most && !is_final(status); done += PROJECTION_LOT) {
        if (!s->settings.projections_only && done >= PROJECTION_PATIENCE && s->best_residual > PROJECTION_STUCK * before) break;
        before = s->best_residual;
        status = many_fixed_point(s, (fixed_point_plan){.iterations = PROJECTION_LOT, .go_on = done > 0});
    }
    return status;
}

static zn_status solve(many_system *s) {
    if (many_offer(s, s->best, s->u) || many_sweep(s, sweeps_worth(s))) return ZN_OK;
    if (s->settings.projections_only) return solve_by_projections(s);
    bool large = s->n >= LARGE;
    zn_status status = follows_drift(s) ? solve_by_drift(s) : ZN_ERROR_NO_CONVERGENCE;
    if (is_final(status)) return status;
    if (s->best_residual <
        NEARLY * s->settings.residual) { /* what rests goes on resting: one factorisation, and no contact changes its state */
        status = many_fixed_point(s, (fixed_point_plan){.iterations = ACCELERATED, .accelerate = true});
        if (is_final(status)) return status;
    }
    if (large && s->best_residual <= s->settings.enough) return ZN_OK;
    if (large && many_is_planar(s)) status = solve_in_plane(s);
    else if (!large) status = solve_few(s);
    if (is_final(status)) return status;
    status = many_follow(s, FOLLOW_PATIENCE);
    if (!is_final(status)) status = many_swept_newton(s, SWEPT_STEPS);
    if (is_final(status) || (s->n >= MANY_HUGE && many_may_go_on(s) != ZN_OK)) return status;
    if (large) {
        status = solve_by_splitting(s);
        if (is_final(status)) return status;
        s->has_v = false;
    }
    if (s->nR == 0 && !(large && many_is_planar(s))) {
        status = solve_from_inside(s);
        if (is_final(status)) return status;
    }
    status = many_newton(s, (newton_plan){.outer = 40, .inner = 30});
    if (!is_final(status) && !large && s->settings.projections_most > 0) status = solve_by_projections(s);
    if (is_final(status) || s->settings.rounds_most == 0) return status;
    status = many_fixed_point(s, (fixed_point_plan){.iterations = ACCELERATED, .accelerate = true});
    int iterations = FIXED_POINT_FIRST;
    for (int round = 0; round < s->settings.rounds_most; round++, iterations *= FIXED_POINT_GROWTH) {
        if (is_final(status)) return status;
        status = many_fixed_point(s, (fixed_point_plan){.iterations = iterations, .go_on = round > 0});
        if (is_final(status)) return status;
        status = many_newton(s, newton_of_round(round));
    }
    return status;
}

zn_status many_solve(many_system *s, const many_settings *settings, double *r, many_outcome *out) {
    *out = (many_outcome){.residual = INFINITY};
    s->settings = *settings;
    s->out = out;
    s->best_residual = INFINITY;
    s->has_v = false;
    memset(s->slip, 0, (size_t)s->n * sizeof *s->slip);
    for (int k = 0; k < s->m; k++) s->best[k] = r[k] / (s->theta * s->S[k]);
    for (int c = 0; c < s->n; c++) many_project(s, c, s->best + c * s->d);
    zn_status status = solve(s);
    for (int k = 0; k < s->m; k++) r[k] = s->theta * s->S[k] * s->best[k];
    out->residual = s->best_residual;
    return s->best_residual <= larger(settings->residual, settings->enough) ? ZN_OK : is_final(status) ? status : ZN_ERROR_NO_CONVERGENCE;
}
