/* SPDX-License-Identifier: Apache-2.0 */
/* Private to cone/: what a solver keeps, and the pieces it is made of.
 *
 *   rows.c        states of the cones at (psi, mu), active-set residual R and its generalized Jacobian
 *   schur.c       factors of phi_x, columns of the total derivative D = d psi/d y = psi_y - psi_x phi_x^-1 phi_y
 *   local.c       the linearised problem in y alone: semismooth Newton, least norm
 *   sweeps.c      Gauss-Seidel on the same, a start for Newton when it cycles
 *   projection.c  the same by sweeps alone, accelerated
 *   sparse.c      large problems: one sparse matrix for (x, y)
 *   single.c      the same for a single contact by closed forms
 *   pieces.c, piece_matrix.c  many contacts: pieces that share no equation, a block-sparse contact matrix
 *   newton.c      outer Newton iteration on (x, y)
 *   outcome.c     the independent judgement of (x, y)
 *   noise.c       residuals that are round-off
 *   contradiction.c  redundant bilateral rows that do not quite fit
 *   solver.c      memory, automatic choice
 */
#ifndef CONE_SOLVER_H
#define CONE_SOLVER_H

#include "cone/cone.h"
#include "law/law.h"
#include "linalg/dense.h"

typedef enum ball_state {
    BALL_OFF,   /* R = mu_F */
    BALL_STICK, /* R = psi_F */
    BALL_SLIP,  /* R = mu_F + r n,  n = a/|a|,  a = rho psi_F - mu_F */
    BALL_GUIDED /* R = mu_F + r n,  n = d/|d|,  d = psi[psi_D ..]   (stick_of, slipping there) */
} ball_state;

enum { CONE_BALL_DIM_MAX = 8 };
/* Up to this many multipliers singular systems are solved by a complete orthogonal decomposition, above by regularisation. */
enum { CONE_COD_SIZE = 100, CONE_BLOCKS_SIZE = 400 /* of contacts with modes, which are solved block by block */ };
/* Up to this many multipliers Gauss-Seidel sweeps have their matrix. */
enum { CONE_SWEEP_SIZE = 1000 };
/* Former iterates that accelerate a projection. */
enum { CONE_ANDERSON_WINDOW = 10, CONE_ANDERSON_WINDOWS = 4, CONE_ANDERSON_VECTORS = 7 };
/* From this many multipliers on, problems with a sparse structure are solved by one sparse matrix (sparse.c). */
enum { CONE_SPARSE_SIZE = 150 };
/* Up to this many multipliers what pieces.c does not solve is given to the other methods; above, that would take longer than a step of half
 * the length. */
enum { CONE_SECOND_TRY = 200 };

typedef struct cone_sparse cone_sparse;
typedef struct cone_pieces cone_pieces;

/* What row k of R stands for: rows of psi, of mu alone, or of slip (units of mu). */
typedef enum row_kind { CONE_ROW_MULTIPLIER, CONE_ROW_PSI, CONE_ROW_SLIP } row_kind;

/* Dense linear algebra of the system in y: how its matrix is inverted. */
typedef enum cone_inverse { CONE_LU, CONE_MINIMUM_NORM, CONE_REGULARISED } cone_inverse;

struct cone_solver {
    zn_context *context;
    const cone_problem *p;
    cone_settings settings;
    int n_balls;
    int *first_ball;        /* per cone: number of its first ball */
    int leaders;            /* cones before this one follow no other, and the others only these; -1: it is not so */
    bool plain;             /* the cones are plain contacts now, and threads may share them */
    int *normal_of;         /* per cone: the cone (itself or earlier) whose mu_N scales its radii; -1: none */
    int *psi_row;           /* ny: row of psi that belongs to row k of R; -1: none */
    const double *y_local;  /* the y that the linearised problem begins at */
    double *rho, *root_rho; /* ny: prox parameters of this solve and their square roots */
    double *own_rho;        /* ny: of sweeps, by the blocks of E */
    double *row_scale;      /* 2 per row of R: for units of psi, for units of mu */

    /* values at the current point and the states that belong to them */
    double *phi, *psi, *mu, *R;
    double *phi_y, *psi_x, *psi_y;
    unsigned char *on, *closed, *ball, *kind;
    double *normal; /* ny: n of slipping balls at the rows of mu_F */
    double *turn;   /* per ball: r/|a|, or r/|d| */

    /* A: its inverse by connected components */
    int *component_of, n_components, *component_start, *component_rows;
    double *A_lu; /* factors of the components, packed */
    int *A_pivot;

    /* Schur complement */
    lin_lu *lu;
    bool factored;       /* lu holds factors of an earlier phi_x of this solve */
    bool use_linear;     /* the problem's own solver stands for lu, until the next Jacobian */
    double *v;           /* phi_x^-1 phi */
    double *psi_free;    /* psi - psi_x v: psi of the linearised problem at dy = 0 */
    double *G, *D;       /* columns nx x ny, npsi x ny */
    double *E;           /* npsi x ny: d psi/d mu (sweeps.c); NULL when large */
    unsigned char *have; /* per column */

    cone_sparse *sparse; /* NULL: does not pay; else there are G, D, S only up to CONE_SWEEP_SIZE */
    bool use_sparse;
    cone_pieces *pieces; /* NULL: does not pay; else the memory of the other methods is taken when they are needed */
    bool has_matrices;

    /* local problem */
    double *dy, *dy_best, *dy_try, *dy_swept, *psi_l, *mu_l, *S, *step, *row, *column, *factor, *z; /* column stays zero between uses */
    int *active, *pivot, *cones_here;
    unsigned char *takes_part;
    double *centre, *d_psi; /* ny, npsi: of proximal points (local.c) */
    double *anderson;       /* memory of projection.c */
    lin_cod *cod;           /* of ny rows; NULL when large */
    lin_cod *blocks;        /* the same where contacts have modes; NULL: cod serves, or none did so far */

    double *x0, *y0, *x_best, *y_best, *x_old, *y_old, *dx, *x_floor, *y_floor;
    double *left, *left_x; /* nx: what of phi is forgiven; work space. NULL unless contradictions are allowed */
    bool rank_known;       /* lu holds the factors of lin_lu_factor_rank */
    bool forgives;         /* `left` belongs to phi and is not more than allowed */
    cone_outcome *out;     /* of the running solve */
    bool least_norm;
    bool soft;              /* the matrix of the last step of Newton's method was nearly singular */
    double floor;           /* residual at (x_floor, y_floor), which round-off does not let fall; 0: there is none */
    cone_expected expected; /* noise: 0, or a floor is a solution */
    double *seen;           /* memory of cone_noise, nx + ny rows */
    bool projecting;        /* linearised problems go to projection.c instead of local.c */
    bool frozen;            /* some cone has a mode: solves are brief */
    bool augmented;         /* balls that slip by their mode are directed by rho psi - mu */
    bool brief;             /* one run of Newton with few iterations, nothing else */
    bool current;           /* phi, psi, mu and the states are those of the x and y that Newton returned */
};

/* psi times this is what is compared with the tolerance. */
static inline double cone_psi_scale(const cone_problem *p, int row) { return p->psi_scale ? p->psi_scale[row] : 1; }

/* rows.c */
void cone_multipliers(const cone_solver *, const double *y, double *mu);           /* mu = A y + mu_0 */
void cone_multiply_A(const cone_solver *, const double *dy, double *dmu);          /* dmu += A dy */
void cone_classify(cone_solver *, const double *psi, const double *mu);            /* states */
void cone_assume_sticking(cone_solver *, bool as_closed);                          /* states: all closed, or those that are */
void cone_assume_directions(cone_solver *);                                        /* of balls that slip by modes */
void cone_residual(cone_solver *, const double *psi, const double *mu, double *R); /* at the states */
/* Rows of n cones; the others are not meant. */
void cone_apply_rows(const cone_solver *, int n, const int *cones, const double *dpsi, const double *dmu, double *dR);
double cone_row_norm(const cone_solver *, const double *R);      /* largest scaled row, NaN kept */
double cone_smooth_norm(const cone_solver *, const double *phi); /* without what is forgiven */
uint64_t cone_state_hash(const cone_solver *);

/* schur.c */
zn_status cone_evaluate(cone_solver *, const double *x, const double *y, bool jacobian);
zn_status cone_factor(cone_solver *);
void cone_linearise(cone_solver *); /* v and psi_free from phi, psi and the kept factors */
void cone_need_column(cone_solver *, int j);
void cone_need_columns(cone_solver *, int n, const int *columns);
void cone_need_runs(cone_solver *, int n, const int *columns);      /* no others than these */
void cone_smooth_step(cone_solver *, const double *dy, double *dx); /* dx = -v - G dy */

/* contradiction.c */
bool cone_allows_contradiction(const cone_solver *);
void cone_find_contradiction(cone_solver *); /* `left` of the present phi by the present factors */

/* noise.c: the size of the residual at (x, y), where all of it that is above the tolerance is round-off; phi, psi, mu and R are then those
 * of another point. Else 0, and they are those of (x, y), as before. */
double cone_noise_at(cone_solver *, const double *x, const double *y);

/* local.c */
typedef struct local_result {
    double norm;
    int iterations, projections;
    cone_inverse inverse;
    bool turned;   /* some states of the solution are not those of the start */
    bool doubtful; /* at the start a contact may touch, or not, without a force */
} local_result;
void cone_local_point(cone_solver *, const double *dy);
bool cone_is_exhausted(const cone_solver *);     /* the work on dense systems is all that a solve may have */
bool cone_has_swept_enough(const cone_solver *); /* the same of projections */
zn_status cone_solve_local(cone_solver *, const double *y, bool robust, double norm, local_result *); /* norm: of the whole residual */

/* sweeps.c */
bool cone_prepare_sweeps(cone_solver *);                    /* E and rho; false: A cannot be inverted */
void cone_set_multipliers(cone_solver *, const double *mu); /* mu_l, and psi_l that belongs to it */
double cone_sweep(cone_solver *);                           /* of mu_l, psi_l; the largest change, in units of psi */
bool cone_sweeps(cone_solver *, int count, double enough);  /* from s->dy, which becomes the result; false: not finite */

/* sparse.c */
bool cone_sparse_pays(const cone_problem *);
cone_sparse *cone_sparse_create(cone_solver *);
void cone_sparse_destroy(zn_context *, cone_sparse *);
void cone_sparse_forget(cone_sparse *); /* pivots */
void cone_sparse_renew(cone_sparse *);  /* derivatives were evaluated again */
zn_status cone_sparse_step(cone_solver *, bool robust, double *dx, double *dy);

/* pieces.c: s->pieces where it pays. Solve: ZN_ERROR_UNSUPPORTED where the cones are not plain contacts now. */
zn_status cone_pieces_create(cone_solver *);
void cone_pieces_destroy(zn_context *, cone_pieces *);
zn_status cone_pieces_solve(cone_solver *, double *x, double *y);
bool cone_pieces_are_large(const cone_pieces *); /* one has MANY_HUGE contacts or more */

/* single.c: dy of a single contact by closed forms and the norm of its residual; false: not of that form, or not found */
bool cone_solve_single(cone_solver *, double *dy, double *norm);

/* frozen.c: the same of a few contacts that all have modes */
bool cone_solve_frozen(cone_solver *, double *dy, double *norm);

/* projection.c: s->dy_best, as cone_solve_local */
zn_status cone_project_local(cone_solver *, double norm, local_result *);

/* newton.c, outcome.c */
zn_status cone_newton(cone_solver *, double *x, double *y, bool robust);
/* components.c */
zn_status cone_find_components(cone_solver *);
size_t cone_component_entries(const cone_solver *);
bool cone_factor_A(cone_solver *);
void cone_solve_A(const cone_solver *, const double *mu, double *y); /* y = A^-1 (mu - mu_0) */
void cone_judge(cone_solver *, cone_outcome *);

#endif
