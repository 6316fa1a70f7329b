/* SPDX-License-Identifier: Apache-2.0 */
/* The linear contact problem at a fixed (t, q): impacts, velocity steps and consistent accelerations are all of this form.
 *
 *   M x = f + W_b P_b + W_c P_c           b = (g, y) bilateral rows, c = (N, F) contact rows of lambda
 *   c_b + (dc1_b/du) x = 0
 *   c_N + (dc1_N/du) x  in N_{R0-}(-P_N),   c_F + (dc1_F/du) x  in N_{C(P_N)}(-P_F)   for cones that are on, else P = 0
 */
#ifndef SCHEME_LINEAR_PROBLEM_H
#define SCHEME_LINEAR_PROBLEM_H

#include "scheme/answers.h"
#include "scheme/cones.h"
#include "scheme/loads.h"
#include "scheme/scales.h"
#include "zeno/simulation.h"

/* A smooth part of f that depends on x: f = f_0 + s(x). Implicit schemes add it. */
typedef struct linear_problem_implicit {
    void *user;
    /* Declares the blocks of ds/dx (nu x nu at 0, 0) once; nonzero: out of memory. */
    int (*declare)(void *user, lin_matrix *phi_x);
    /* Adds s(x) to f; nonzero: cannot. */
    int (*add)(void *user, const double *x, double *f);
    /* Adds -ds/dx at x to phi_x. */
    int (*add_derivative)(void *user, const double *x, lin_matrix *phi_x);
} linear_problem_implicit;

/* Without an implicit part everything is linear in z = (x, P_b): the problem is reduced to the contact rows, unless these are many. */
typedef struct linear_reduced linear_reduced;

typedef struct linear_problem {
    zn_context *context;
    const zn_model *model;
    int threads;
    /* Filled by the caller before a solve: */
    answers at;             /* M, W, c1_u; the other members are free to use */
    double *f;              /* nu */
    double *c;              /* n rows of lambda */
    double *direction;      /* nF: slip velocities of rows that slip in any case (see linear_problem_slips) */
    bool *active;           /* per contact */
    bool frictionless;      /* leave all friction rows out (projections) */
    problem_scales *scales; /* of the scheme; NULL: units of the scene. Its h makes accelerations of velocities */
    double *friction_0;     /* nF: a known part of P_F, of an impact; the laws hold for the rest (see impact_law.h) */
    double *radius_0;       /* per contact: added to P_N in the radius of friction */
    bool known;             /* some friction_0 or radius_0 is not zero */
    double good_enough;     /* a residual below this is a solution where no iteration reaches the tolerance; 0: the tolerance must be met */
    double time_measure;    /* a constant normal force times this is the reservoir: h for percussions, 1 for forces */
    /* Results: */
    double *x; /* nu */
    double *P; /* n rows of lambda; kept as the start of the next solve */
    /* Inside: */
    linear_problem_implicit implicit;
    double *f_x; /* nu: f at the x of an evaluation */
    prox_estimate prox;
    cone_problem problem;
    cone *cones;             /* one a contact (normal), then one a ball */
    cone_frozen *ball_modes; /* one a ball */
    cone_solver *solver;
    int nx, nc;    /* of z = (x, P_b) and y = (P_N, P_F) */
    lin_matrix *K; /* dphi/dz */
    lin_pattern W_b, W_c, c1_b, c1_c, psi_x;
    int *psi_x_place;
    int block_M, block_W, block_c1;
    bool *wanted; /* per contact row: the cone of its contact is on */
    double *load_0,
        *load_P; /* per contact with a load, per bilateral row: what stages have given of its radius, and of P_b; the rest is |P_b - load_P| */
    loads *loads;            /* NULL: no joint rubs by what it carries */
    linear_reduced *reduced; /* NULL: the solver solves the problem as it is */
    double *memory, *z, *y, *phi_scale, *psi_scale;
    bool any_active;    /* in the current solve */
    bool accelerations; /* the unit is CONE_ACCELERATION */
    unsigned char *phi_unit, *psi_unit;
} linear_problem;

/* `unit` is that of the rows c: CONE_VELOCITY for impacts, CONE_ACCELERATION for forces. */
linear_problem *linear_problem_create(zn_context *, const zn_model *, const zn_settings *, cone_unit unit);
/* One that linear_problem_response can be asked of; it is dense. */
linear_problem *linear_problem_create_responsive(zn_context *, const zn_model *, const zn_settings *, cone_unit unit);
linear_problem *linear_problem_create_implicit(zn_context *, const zn_model *, const zn_settings *, cone_unit unit,
                                               linear_problem_implicit);
void linear_problem_destroy(linear_problem *);

/* Declares that a ball of a contact slips along `direction` whatever the solution is, or not. Reset by linear_problem_reset. */
void linear_problem_slips(linear_problem *, int contact, int ball, bool slips);
void linear_problem_reset(linear_problem *);
/* Modes of contacts, until the next call; NULL: the law. Those that are frozen become active or not. */
void linear_problem_freeze(linear_problem *, const cone_frozen *modes);
/* Rates of contacts with a mode become zero: they have no impact in the step. n rows. */
void linear_problem_clear_frozen(const linear_problem *, double *before);
/* Column of W' M^-1 W (with joints) after a solve, dc1_i per percussion in row j; rows of lambda of an active contact. Only of
 * a responsive problem. */
double linear_problem_response(const linear_problem *, int i, int j);
/* These columns without a solve, of the contacts that are active. */
zn_status linear_problem_respond(linear_problem *);
/* gdot_N of a contact that slips along d (its rows of friction), per unit of its normal percussion, which friction -mu d follows, relative
 * to that without
 * friction:  1 - sum mu D_NF d/D_NN. Negative: a normal percussion lets the contact approach (Painleve). INFINITY: not known, since there
 * are many contacts. */
double linear_problem_slip_response(const linear_problem *, int contact, const double *d);
/* No part of P_F is known any more. */
void linear_problem_forget(linear_problem *);
/* The next solve starts from these, so that it does not depend on solves that were discarded. */
void linear_problem_recall(linear_problem *, const double *x, const double *P);
/* The total percussion of a step is asked for, and stages have given the share b_j dPi_j of it (j < count, dPi_j a row of n numbers): radii
 * of friction by what joints carry are sums of their sizes, not the size of their sum. */
void linear_problem_count_loads(linear_problem *, int count, const double *b, double scale, const double *dPi);
/* The result stays in x and P also when it fails (best iterate). */
zn_status linear_problem_solve(linear_problem *, cone_outcome *);

#endif
