/* SPDX-License-Identifier: Apache-2.0 */
/* The cone problem and its solvers. Knows nothing about mechanics.
 *
 *     phi(x, y) = 0    subject to    psi(x, y) in K(mu),    mu = A y + mu_0
 *
 * x (nx) smooth unknowns, y (ny) multipliers. mu has nmu >= ny rows, the first ny belong to y one to one (equation k of the
 * inclusions replaces row k); further rows serve as radii. psi has npsi >= ny rows, further rows serve as slip directions.
 *
 * Each cone k couples
 *     psi_N in N_{R0-}(-mu_N)                           Signorini
 *     psi_F in N_{ball(mu_friction * radius)}(-mu_F)    per ball, radius = mu[mu_R] + radius_0 or a constant reservoir
 */
#ifndef CONE_CONE_H
#define CONE_CONE_H

#include "linalg/linalg.h"
#include "zeno/types.h"

#include <float.h>

typedef enum cone_gate {
    CONE_ALWAYS,    /* the inclusion holds in any case */
    CONE_IF_CLOSED, /* it holds where the normal inclusion of cone `gate` is closed (r psi_N - mu_N <= 0 and its own gate
                          open); elsewhere mu = 0 */
    CONE_OFF        /* mu = 0 in any case */
} cone_gate;

#define CONE_SLIPS (-2)

/* A mode replaces the comparison that selects the branch of the residual; signs of multipliers and radii do not matter then. */
typedef enum cone_mode {
    CONE_LAW,    /* the comparison: the inclusion holds */
    CONE_OPEN,   /* mu = 0 */
    CONE_CLOSED, /* psi_N = 0 */
    CONE_STICK,  /* psi_F = 0 */
    CONE_SLIP    /* mu_F = -mu radius d */
} cone_mode;
typedef struct cone_frozen {
    cone_mode normal;          /* CONE_LAW (then balls have it too), CONE_OPEN, CONE_CLOSED */
    const unsigned char *ball; /* per ball of a closed cone: CONE_LAW, CONE_STICK, CONE_SLIP */
    const double
        *along; /* per row of friction: d of balls of one row; of others d is that of psi_D (psi_F where psi_D < 0), and this where that
                                  is zero */
    const bool *begins; /* NULL, or per ball: it begins to slip, and where the cone stands at the start (cone.starts) d is `along` */
} cone_frozen;

typedef struct cone {
    int psi_N, mu_N; /* rows; -1: no normal inclusion here */
    int psi_F, mu_F; /* first rows of the friction part, consecutive over the balls */
    int n_balls;     /* 0: frictionless */
    const zn_ball *balls;
    int mu_R; /* row of mu that scales the radii (usually mu_N); -1: `reservoir` */
    double reservoir;
    double radius_0; /* added to mu[mu_R]: a part of the radius that is known; where it is positive, friction needs no normal multiplier */
    cone_gate gate_kind;
    int gate; /* number of an earlier cone */
    int stick_of; /* -1, CONE_SLIPS (slips along d = psi[psi_D ..] in any case), or an earlier cone with the same balls: where its ball slips, this one has
                                mu_F = -mu radius d/|d| with d = psi[psi_D ..], radius signed; where it sticks, the inclusion */
    int psi_D;
    const cone_frozen *frozen; /* NULL: the law */
    bool starts;               /* a cone of the start of a step, where velocities have no direction yet if slip begins */
    int psi_stick;             /* 0, or further rows of psi that vanish in place of psi_F where a ball sticks by its mode */
} cone;

/* Where a residual row lives, for honest reports in units. */
typedef enum cone_unit { CONE_MOMENTUM, CONE_LENGTH, CONE_VELOCITY, CONE_ACCELERATION, CONE_UNIT_COUNT } cone_unit;

/* Values wanted at (x, y); NULL members are not wanted. phi_x is written into problem->phi_x by the callee when
 * `jacobian` is true, phi_y, psi_x, psi_y into the arrays given. */
typedef struct cone_values {
    double *phi, *psi;
    bool jacobian;
    double *phi_y, *psi_x, *psi_y;
} cone_values;

/* Another way to solve with phi_x than its LU, for structures that only the caller knows. With it `evaluate` leaves phi_x
 * alone. `factor` follows an evaluation with `jacobian`. What these two cannot solve is solved by `fill` and the LU. */
typedef struct cone_linear {
    void *user;
    zn_status (*factor)(void *user); /* not ZN_OK: phi_x is to be filled and factored */
    /* Returns how many leading columns were solved; the others are as they were. `rough`: columns of phi_x^-1 phi_y, which
     * only steer the iteration; a few correct digits are enough. */
    int (*solve)(void *user, double *b, int columns, bool rough);
    void (*fill)(void *user); /* writes phi_x of the last evaluation with `jacobian` */
} cone_linear;

typedef struct cone_problem {
    int nx, ny, npsi, nmu, n_cones;
    const cone *cones; /* may change between solves (gates, reservoirs), not during one */
    void *user;
    int (*evaluate)(void *user, const double *x, const double *y, cone_values *); /* nonzero: cannot (not finite) */
    lin_matrix *phi_x;                                                            /* nx x nx, assembled by evaluate */
    const unsigned char *phi_x_weak; /* per entry of a sparse phi_x: not needed for convergence; NULL */
    const cone_linear *linear;       /* NULL: by the LU of phi_x; else phi_x is dense */
    zn_pattern phi_y, psi_x, psi_y;  /* nx x ny, npsi x nx, npsi x ny (start NULL: psi does not depend on y) */
    zn_pattern A;                    /* nmu x ny; start NULL: identity (nmu = ny) */
    const double *A_values, *mu_0;   /* NULL: zeros */
    const double *rho;               /* ny prox parameters: 1 / (d psi/d mu) estimates, alpha = 1 */
    const double *phi_scale;         /* nx: residual row times scale is compared with the tolerance; NULL: ones */
    const double *slack;     /* n_slack: by how much phi_scale is smaller than wanted, because round-off is larger; NULL: not at all. */
    int n_slack, slack_rows; /* It holds for row i < slack_rows at i % n_slack */
    const double *psi_scale; /* npsi; NULL: ones */
    const double *psi_noise; /* npsi: round-off of what gaps are computed from, times psi_scale; NULL: none is known */
    const unsigned char *phi_unit, *psi_unit; /* cone_unit of each row (after scaling); NULL: momentum, velocity */
    int n_settled;                            /* leading x rows whose change decides the projection (without bilateral multipliers);
                                             the rows of phi after them are bilateral constraints */
    double rows_per_length;                   /* bilateral rows of unit length are lengths times this (1/h); 0: 1 */
} cone_problem;

typedef struct cone_settings {
    zn_solver solver;
    double tolerance;               /* on scaled residuals */
    int newton_max, projection_max; /* Newton's iterations; sweeps of the projection */
    int threads;                    /* for many contacts; 0, 1: the caller's only */
    double contradiction;           /* 0, or: bilateral rows that depend on each other may contradict each other by this much (in
                                    units of length, before scaling; contradiction.c) */
} cone_settings;
cone_settings cone_settings_default(void);

typedef enum cone_path { CONE_NEWTON, CONE_LEAST_NORM, CONE_PROJECTION, CONE_PATH_COUNT } cone_path;

/* Work on many contacts (pieces.c), and on few. */
typedef struct cone_cost {
    long runs, pieces, pieces_most; /* solves; pieces with contacts that share no equation: of all solves, the most of one */
    long sweeps, factorisations, solves;
    double dense, swept; /* sum of n^3 over the dense systems of n multipliers; multiplications of projections */
    double seconds;
} cone_cost;

/* Why a solve ended; of several solves the last of these words counts. */
typedef enum cone_end {
    CONE_SOLVED,
    CONE_UNFINISHED, /* bounded work on many contacts left it above the tolerance, but not far: the best point is a solution for now */
    CONE_FAILED,     /* may be by round-off of the model: to expect that may help */
    CONE_SMOOTH,     /* what is left is in an inclusion, and no round-off of the model: expecting that does not help */
    CONE_EXHAUSTED   /* all work that it may have is done: trying the same again does not help */
} cone_end;

typedef struct cone_outcome {
    cone_path path; /* the one that ended it */
    int iterations[CONE_PATH_COUNT];
    int solves;                       /* cone problems in this outcome: 1 after cone_solve, more after cone_outcome_add */
    int most;                         /* iterations of the path in the solve that took most */
    double residual[CONE_UNIT_COUNT]; /* phi, largest scaled row by unit, from the final x, y */
    double gap, velocity;             /* largest violation of psi_N >= 0 on rows of unit length, velocity (and acceleration) */
    double complementarity;           /* largest natural-map residual of the inclusions, in units of psi */
    double cone_violation;            /* largest |mu_F| - mu radius, relative to the radius or, where that is less, absolute */
    int roundoff;                     /* problems solved to round-off of the model: by noise.c, or where slack was needed */
    double roundoff_residual;         /* the largest of those, as it would be without slack */
    double
        worst; /* the largest scaled one of all; converged iff <= tolerance, except for contradictions, round-off and what is unfinished */
    int worst_cone; /* -1: not a cone row */
    int worst_row;  /* phi row, when worst_cone is -1 */
    cone_cost cost;
    cone_end end;
} cone_outcome;

/* A ball of a cone with a mode, of several rows, whose direction is that of the mode. */
static inline bool cone_begins(const cone *c, int ball) { return c->starts && c->frozen->begins && c->frozen->begins[ball]; }
static inline bool cone_is_frozen(const cone *c) { return c->frozen && c->frozen->normal != CONE_LAW; }

/* What scales the radii of a cone's balls. */
static inline double cone_radius(const cone *c, const double *mu) { return c->mu_R >= 0 ? mu[c->mu_R] + c->radius_0 : c->reservoir; }

/* Adds the outcome of another solve of the same step: the worst of both and the sum of the work. Start from zeros. */
void cone_outcome_add(cone_outcome *total, const cone_outcome *part);
void cone_outcome_add_cost(cone_cost *total, const cone_cost *part);

/* Of what least squares leave of phi, the part that may stay: rows from `first` on (bilateral ones), and only when none is
 * above `most` (a length; rows of lengths are those times per_length). False: nothing may stay, all rows are zero. */
bool cone_forgive(int n, int first, const unsigned char *unit, double most, double per_length, double *left);
/* Rank tolerance (lin_lu_factor_rank) for such rows. Rows that depend on each other up to d make a singular value of about
 * d^2: d of up to some 1e-6 counts as dependent. */
#define CONE_CONTRADICTION_RANK 1e-10
/* Rows of velocity and acceleration may differ by as much as rows of length do in motions of this many 1/s. */
#define CONE_CONTRADICTION_RATE 10

/* Residuals above this many tolerances are not accepted, whatever they are. */
#define CONE_MOST_NOISE 1e7
enum { CONE_SUSPECT_MEMORY = 5 };
/* Points of the test for noise are some hundred units in the last place apart. */
#define CONE_PROBE_SHARE (512 * DBL_EPSILON)
/* The test of noise.c, for any solver: rows of a residual at the points x + k d. */
typedef struct cone_suspect {
    void *user;
    int n;
    int (*rows)(void *user, int k, double *rows); /* scaled, without what is forgiven; k = 0: as at hand; nonzero: cannot */
    cone_unit (*unit)(void *user, int i);
    double *memory; /* CONE_SUSPECT_MEMORY n */
} cone_suspect;
double cone_probe(int i, int k, double distance);         /* k d_i, |d_i| about distance */
double cone_probe_multiplier(int i, int k, double value); /* value + k d_i, |d_i| about CONE_PROBE_SHARE |value| */
/* The largest row at x, where all rows above the tolerance are noise; else 0. */
double cone_noise(const cone_suspect *, double tolerance);

typedef struct cone_solver cone_solver;

/* All memory is taken here; solves do not allocate. The problem must stay alive. */
cone_solver *cone_solver_create(zn_context *, const cone_problem *, const cone_settings *);
void cone_solver_destroy(cone_solver *);
/* Whether a solver may, and whether it does, solve the pieces of the problem that share no equation on their own, by methods for many
 * contacts. */
bool cone_may_fall_apart(const cone_problem *, const cone_settings *);
bool cone_solver_by_pieces(const cone_solver *);
/* x, y: start in, solution out. ZN_OK only when outcome->worst <= tolerance, or outcome->roundoff or CONE_UNFINISHED says why not;
 * otherwise ZN_ERROR_NO_CONVERGENCE, ZN_ERROR_SINGULAR or ZN_ERROR_NOT_FINITE, without leaving an error in the context (the caller may
 * retry), x and y then hold the best iterate. */
zn_status cone_solve(cone_solver *, double *x, double *y, cone_outcome *);

/* psi of a problem without x at y, and how it depends on it: D by columns; rows of psi beyond `rows` do not. */
typedef struct cone_linear_psi {
    const double *psi, *D;
    int rows;
} cone_linear_psi;
/* A few contacts that all have modes, where psi is linear: at once, without a solver. False: y is as it was, and cone_solve has to do
 * it. */
bool cone_solve_modes(const cone_problem *, const cone_linear_psi *, double tolerance, double *y, cone_outcome *);
typedef struct cone_expected {
    double noise;            /* 0: the tolerance must be met. Otherwise a residual above it that proves to be round-off of the model counts
                                as solved, and the outcome says so (noise.c); this is its expected size, INFINITY where that is not known */
    double velocity, length; /* some hundred units in the last place of velocities and of positions; x has those of the unit of its row */
    bool hopeless;           /* similar solves were long and did not converge: the next one is short */
} cone_expected;
void cone_expect_noise(cone_solver *, cone_expected);

/* Rules of Newton's iteration, which the active sets of a scheme share. A start is taken as the solution only when it is this much better
 * than asked
 * for: errors of many steps in which nothing happens would add up to the tolerance otherwise. */
#define CONE_START_SHARE 1e-5
enum { CONE_BRIEF_ITERATIONS = 10 };
/* Whether the derivatives at hand will do: the rate seen promises convergence with them, or the end in noise. */
static inline bool cone_keeps_derivatives(double norm, double rate, double tolerance, const cone_expected *expected) {
    return rate < 0.1 && (norm * rate <= 0.2 * tolerance || norm <= 2 * expected->noise);
}
/* Whether a residual is worth the test for noise: it is small, and the last step has left much of it. */
static inline bool cone_may_be_noise(double norm, double rate, const cone_expected *expected) {
    return rate > 0.25 && norm <= 2 * expected->noise;
}

/* While brief, a solve is one run of Newton with few iterations and no other method after it: for attempts that have a
 * substitute. ZN_SOLVER_PROJECTION stays as it is. */
void cone_be_brief(cone_solver *, bool brief);
/* After a solve: whether cone k's normal inclusion is closed (a_N <= 0, gate considered). */
bool cone_is_closed(const cone_solver *, int k);
/* Closed, or open by no more than the tolerance: of contacts without a force round-off says which is which. */
bool cone_touches(const cone_solver *, int k);
bool cone_sticks(const cone_solver *, int k, int ball);

#endif
