/* SPDX-License-Identifier: Apache-2.0 */
/* Private to many/: the scaled problem, and the methods over it. */
#ifndef CONE_MANY_SYSTEM_H
#define CONE_MANY_SYSTEM_H

#include "cone/many/many.h"
#include "linalg/block_lu.h"

/* What is known of the block A of a contact on its own (relax.c): over_NN = 1/A_NN, TN = A_TN/A_NN, NT = A_NT/A_NN, S = A_TT - A_TN
 * A_NT/A_NN and its inverse. */
typedef struct many_own {
    double over_NN, TN[2], NT[2], S[4], inverse[4];
    bool regular;
} many_own;

struct many_system {
    zn_context *context;
    int d, nT, nR, n, m;        /* m = d n */
    int *start, *index;         /* block row c: start[c] .. start[c + 1] - 1, columns ascending; the structure is symmetric */
    int *diagonal, *transposed; /* per contact: its own block; per block: the one across the diagonal, once there are factors */
    double *W, *q, *mu, *nu;    /* scaled */
    bool mirrored, symmetric;   /* `transposed` and `symmetric` are known: from many_need_factors on */
    double *S, theta;
    double *weight;             /* per contact: mean of its diagonal of W, not scaled */
    double *friction, *rolling; /* mu, nu, not scaled */
    double q_largest, q_norm;   /* of the contacts' q, not scaled */
    double *unit;               /* per contact: velocities times this are compared with the residual */
    struct {
        size_t contacts, rows, blocks, numbers;
    } room; /* for how much there is memory: numbers in blocks */
    many_settings settings;
    base_team *team;
    int threads;
    many_outcome *out;

    double *best, best_residual; /* scaled; what was judged best */
    double *r, *u, *work;        /* m each */

    many_own *own;
    double *quads; /* r by fours (relax.c) */
    double *slip;  /* per contact: the last l of relax.c in this solve */
    int *reach;    /* work of sweeps.c */
    bool backward; /* sweeps in this direction leave less (sweeps.c) */

    lin_block_lu *factors; /* of whatever matrix the method at work has, over the structure of W */

    /* W_sym + rho I (fixed_point.c) */
    double rho;
    double *shift; /* per contact, rho I */
    double *v, *z, *x, *history;
    bool has_v; /* v continues from an earlier call */

    /* active contacts (newton.c) */
    struct active_matrix *active;
    struct follow *follow;
    struct interior *interior;
    struct path *path;
    bool interior_ready; /* its matrix belongs to W */
};

/* ---- system.c ---- */
/* u = W r + q */
void many_velocities(const many_system *, const double *r, double *u);
/* Row c of W r + q. */
void many_velocity(const many_system *, const double *r, int c, double *u);
double many_norm(const double *v, int n);
/* Here, so that the sums over the few rows of a contact cost no call. */
static inline double many_dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}
/* Contacts of a task of the team, and how many are enough for one. */
enum { MANY_TASK = 64, MANY_SHARED = 4 * MANY_TASK };
/* Numbers behind the last one of W, and of every vector of all rows: for kernels that read four at a time (velocity.h). */
enum { MANY_BEYOND = 4 };
bool many_need_factors(many_system *);                    /* false: no memory */
bool many_is_planar(const many_system *);                 /* slip in one direction */
zn_status many_may_go_on(const many_system *);            /* ZN_OK, ZN_STOPPED, or ZN_ERROR_NO_CONVERGENCE: the work is at its limit */
void many_project(const many_system *, int c, double *z); /* onto K of contact c */
/* The residual of r, which is in K; u receives its velocities. */
double many_judge(many_system *, const double *r, double *u);
/* Judges, and keeps the point if it is the best. True: the wanted residual is met. */
bool many_offer(many_system *, const double *r, double *u);
double many_offer_measured(many_system *, const double *r, double *u); /* the same; returns the residual of r */

/* Sweeps that take about as long as a factorisation: `contacts` is how many contacts one of them stands for in space. In the plane factors
 * have few entries beside those of W. */
double many_sweeps_of_factorisation(const many_system *, int contacts);

/* ---- the methods, each from s->best ---- */
/* True: solved. */
bool many_sweep(many_system *, int sweeps);
bool many_drift(many_system *, int sweeps);                     /* of s->r, not of s->best */
void many_sweep_times(many_system *, int sweeps, bool forward); /* of s->r */
/* Some contacts of s->r, between many_gather and many_scatter. */
void many_relax(const many_system *, int first, int count, bool forward);
void many_gather(const many_system *);
void many_scatter(const many_system *);
void many_prepare_own(many_system *, int first, int last); /* of some contacts */
typedef struct fixed_point_plan {
    int iterations;
    bool accelerate, go_on;
} fixed_point_plan;
zn_status many_fixed_point(many_system *, fixed_point_plan);
void many_fixed_point_destroy(many_system *);
typedef struct newton_plan {
    int outer, inner;
    bool from_zero;
    double delta;
    bool large_ro;
    bool brief; /* the first inner iteration that fails is the last one */
} newton_plan;
zn_status many_newton(many_system *, newton_plan);
zn_status many_swept_newton(many_system *, int steps); /* ZN_OK: solved */
void many_newton_destroy(many_system *);
zn_status many_follow(many_system *, int patience); /* factorisations without a gain; ZN_OK: solved */
void many_follow_destroy(many_system *);

typedef struct interior_plan {
    int iterations;
    double enough;     /* a residual to stop at */
    double start;      /* how far from the boundary of the cones, scaled */
    double fall;       /* theta falls after steps shorter than this */
    double blunt;      /* of |z_T|; 0: as it is */
    double blunt_rest; /* the same, of |z_T| that is nearly zero */
} interior_plan;
zn_status many_interior(many_system *, interior_plan); /* ZN_OK: solved */
void many_interior_destroy(many_system *);
zn_status many_path(many_system *, const interior_plan *); /* iterations, enough, blunt, blunt_rest; ZN_OK: solved */
void many_path_destroy(many_system *);

#endif
