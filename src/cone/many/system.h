/* SPDX-License-Identifier: Apache-2.0 */
/* Private to many/: the scaled problem, and the methods over it. */
#ifndef CONE_MANY_SYSTEM_H
#define CONE_MANY_SYSTEM_H

#include "cone/many/many.h"
#include "linalg/block_lu.h"

struct many_system {
    zn_context *context;
    int d, nT, nR, n, m;        /* m = d n */
    int *start, *index;         /* block row c: start[c] .. start[c + 1] - 1, columns ascending; the structure is symmetric */
    int *diagonal, *transposed; /* per contact: its own block; per block: the one across the diagonal */
    double *W, *q, *mu, *nu;    /* scaled */
    bool symmetric;
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

    lin_block_lu *factors; /* of whatever matrix the method at work has, over the structure of W */

    /* W_sym + rho I (fixed_point.c) */
    double *shifted, rho; /* W_sym where W is not symmetric */
    double *shift;        /* per contact, rho I */
    double *v, *z, *x, *history;
    bool has_v; /* v continues from an earlier call */

    /* active contacts (newton.c) */
    struct active_matrix *active;
    struct interior *interior;
    bool interior_ready, shifted_ready; /* their matrices belong to W */
};

/* ---- system.c ---- */
/* u = W r + q */
void many_velocities(const many_system *, const double *r, double *u);
/* Row c of W r + q. */
void many_velocity(const many_system *, const double *r, int c, double *u);
double many_norm(const double *v, int n);
/* work(user, task, member) over the contacts in groups of MANY_TASK: by the team, where there are enough. */
enum { MANY_TASK = 64, MANY_SHARED = 4 * MANY_TASK };
void many_run(const many_system *, int contacts, void (*work)(void *user, int task, int member), void *user);
bool many_need_factors(many_system *);                    /* false: no memory */
zn_status many_may_go_on(const many_system *);            /* ZN_OK, ZN_STOPPED, or ZN_ERROR_NO_CONVERGENCE: the work is at its limit */
void many_project(const many_system *, int c, double *z); /* onto K of contact c */
/* The residual of r, which is in K; u receives its velocities. */
double many_judge(many_system *, const double *r, double *u);
/* Judges, and keeps the point if it is the best. True: the wanted residual is met. */
bool many_offer(many_system *, const double *r, double *u);
double many_offer_measured(many_system *, const double *r, double *u); /* the same; returns the residual of r */

/* ---- the methods, each from s->best ---- */
/* True: solved. */
bool many_sweep(many_system *, int sweeps);
void many_sweep_once(many_system *, bool forward); /* of s->r */
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

typedef struct interior_plan {
    int iterations;
    double enough; /* a residual to stop at */
    double start;  /* how far from the boundary of the cones, scaled */
    double fall;   /* theta falls after steps shorter than this */
    double blunt;  /* of |z_T|; 0: as it is */
} interior_plan;
zn_status many_interior(many_system *, interior_plan); /* ZN_OK: solved */
void many_interior_destroy(many_system *);

#endif
