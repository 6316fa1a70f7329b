/* SPDX-License-Identifier: Apache-2.0 */
/* Models: the three questions that every scheme asks, and the two public ways to answer them (formulas, callbacks).
 *
 *   state       positions q (nq), velocities u (nu)
 *   multipliers lambda = (lambda_g, lambda_y, lambda_N, lambda_F), n = ng + ny + nN + nF rows, in this order:
 *               bilateral position level, bilateral velocity level, contact normal, contact friction
 *   constraints c = the same n rows: c0 on position level (rows g and N only), c1 on velocity level (all rows),
 *               c2 on acceleration level (all rows)
 */
#ifndef ZENO_MODEL_H
#define ZENO_MODEL_H

#include "zeno/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zn_contact {
    const char *name;
    int row_N;           /* row of lambda; -1: no gap, the normal force is constant */
    double normal_force; /* used when row_N is -1 */
    double e_N, e_F;     /* Newton's restitution, normal and tangential */
    int row_F, nF;       /* first friction row and their number (0: frictionless) */
    int n_balls;         /* their dims add up to nF */
    const zn_ball *balls;
    const double *scale; /* per friction row: physical force = scale * lambda_F; NULL: ones */
    /* row_N -1: bilateral rows of lambda, at most four, whose norm is added to normal_force: the friction of a joint by what it carries. A
     * row that is -1 counts as zero. With load_length L, the rows are a force f (one row, or two) and a moment m (as many), and |f/2 + c| +
     * |f/2 - c| is added, c = m/L or
     * (-m_1, m_2)/L: what the two ends of a guide of this length carry. */
    int n_load, load_rows[4];
    double load_length;
} zn_contact;

typedef struct zn_sizes {
    int nq, nu, ng, ny, nN, nF, n_contacts;
} zn_sizes;

/* Where the questions are asked. `a` and `lambda` are only read by the questions that name them. */
typedef struct zn_point {
    double t;
    const double *q, *u, *a, *lambda;
} zn_point;

/* Answers go into the caller's memory; a NULL member is not wanted. Matrices hold the values of the model's patterns. */
typedef struct zn_kinematics {
    double *qdot;       /* B u + beta                                          nq */
    double *qdot_q, *B; /* d qdot/dq (nq x nq), d qdot/du (nq x nu) */
    double *qddot;      /* B a + (d qdot/dq) qdot + d qdot/dt                  nq */
} zn_kinematics;

typedef struct zn_balance {
    bool no_force;     /* leave h out: r = M a - W lambda (impact equations) */
    double *r;         /* M a - h - W lambda                                  nu */
    double *r_q, *r_u; /* its derivatives (nu x nq, nu x nu) at fixed a, lambda */
    double *M, *W;     /* d r/da (nu x nu), - d r/dlambda (nu x n) */
} zn_balance;

typedef struct zn_constraints {
    double *c0, *c0_q;        /* position level; rows y and F are zero            n, n x nq */
    double *c1, *c1_q, *c1_u; /* velocity level                                   n, n x nq, TRANSPOSED: nu x n */
    double *c2, *c2_q, *c2_u; /* acceleration level; d c2/da = d c1/du            n, n x nq, n x nu */
} zn_constraints;

typedef struct zn_momentum {
    double *p, *p_q;       /* dL/du (nu) and its derivative by q (nu x nq); its derivative by u is M */
    double *b, *b_q, *b_u; /* dL/dq + f (nu), its derivatives */
} zn_momentum;

/* Patterns of all matrices above. c1_u has the pattern nu x n of a transposed matrix. */
typedef struct zn_patterns {
    zn_pattern qdot_q, B, r_q, r_u, M, W, c0_q, c1_q, c1_u, c2_q, c2_u, p_q, b_q, b_u;
} zn_patterns;

/* Rates of states: anything; affine in the states; affine in the states, coordinates and velocities, with coefficients that never
 * change. */
typedef enum zn_rates { ZN_RATES_GENERAL, ZN_RATES_AFFINE, ZN_RATES_CONSTANT } zn_rates;

/* A model. Constant while simulations use it; one model may serve many threads, each with its own `work`. */
typedef struct zn_model zn_model;
struct zn_model {
    zn_sizes size;
    zn_patterns pattern;
    const zn_contact *contacts;                  /* n_contacts */
    const char *const *q_names, *const *u_names; /* u_names: "x'" for natural systems */
    const char *const *bilateral_names;          /* ng + ny */
    bool natural;                                /* q' = u */
    bool lagrangian;                             /* natural and `momentum` answers */
    bool force_uses_velocity;                    /* h depends on u */
    bool rows_rest;                              /* c1 has no part without u: no drives, belts, prescribed bodies; false: not known */
    const double *q_start, *u_start;
    int n_outputs; /* values of interest that results keep: see `outputs` */
    const char *const *output_names;
    const struct machine_plan *machine; /* values that change between steps (zeno/machine.h); NULL: none. Set by builders */
    const double *inputs;               /* these values: at their start, or those of a simulation */
    int n_probes;                       /* values that the machine asks for: see `probes` */
    const char *drawing;                /* how it looks, as JSON (docs/page.md); NULL: no drawing. Set by zn_model_set_drawing */
    size_t work_bytes;                  /* scratch memory of one caller of the questions */
    void *data;
    /* Nonzero: the question cannot be answered (the step fails, ZN_ERROR_NOT_FINITE). */
    int (*kinematics)(const zn_model *, void *work, const zn_point *, zn_kinematics *);
    int (*balance)(const zn_model *, void *work, const zn_point *, zn_balance *);
    int (*constraints)(const zn_model *, void *work, const zn_point *, zn_constraints *);
    int (*momentum)(const zn_model *, void *work, const zn_point *, zn_momentum *); /* NULL unless lagrangian */
    int (*energy)(const zn_model *, void *work, const zn_point *, double *kinetic, double *potential);
    int (*outputs)(const zn_model *, void *work, const zn_point *, double *values); /* n_outputs values of (t, q, u); NULL: none */
    int (*probes)(const zn_model *, void *work, const zn_point *, double *values);  /* the same for n_probes values; NULL: none */
    /* A copy that shares everything, but reads its inputs elsewhere, as long as both live; with a machine only. */
    zn_status (*bind)(zn_context *, const zn_model *, const double *inputs, zn_model **bound);
    void (*after_step)(const zn_model *, double t, double *q); /* normalise quaternions, follow turns and clutches; NULL: nothing to do */
    void (*destroy)(zn_context *, zn_model *);
    const bool *states;  /* per coordinate: the state of a controller, without a velocity. NULL: none. Set by builders, with the next two */
    zn_rates rates;      /* how the rates of states depend on states */
    bool others_natural; /* q' = u for the other coordinates, in their order */
    ZN_RESERVED;
};

/* Frees a model; NULL is allowed. Simulations of it must be gone. */
ZN_API void zn_model_destroy(zn_context *context, zn_model *model);
/* The drawing that results keep and `zeno page` shows; the text is copied, NULL removes it. */
ZN_API zn_status zn_model_set_drawing(zn_context *context, zn_model *model, const char *json);

/* ---- models from callbacks --------------------------------------------------------------------------------------- */

/* A model whose questions are answered by the functions in `def`. Sizes, balance and (with rows) constraints are needed.
 * Everything in `def` except `data` is copied. What may be left out: patterns with start NULL are dense (column by column; c1_u
 * transposed all the same), kinematics of natural systems, names ("q1", "u1", "c1"), start values (zeros), momentum, energy,
 * after_step, destroy. `destroy` gets the copy and frees what `data` owns. A mass matrix at the
 * start that is not finite or not positive definite, and energies that are not finite there, are ZN_ERROR_MODEL. */
ZN_API zn_status zn_model_from_callbacks(zn_context *context, const zn_model *def, zn_model **model);

/* worst: the largest error relative to max(1, size of the row's entries); what: its name. row and column (from 0; column -1: a vector) of
 * the entry, what the model says there and what differences say. */
typedef struct zn_derivative_check {
    double worst;
    const char *what;
    int row, column;
    double given, difference;
} zn_derivative_check;
/* Compares every derivative that a model answers, and the levels of its constraints with each other, with differences at one
 * point (all members of `at` given). */
ZN_API zn_status zn_model_check_derivatives(zn_context *context, const zn_model *model, const zn_point *at, zn_derivative_check *result);

/* ---- models from formulas ---------------------------------------------------------------------------------------- */

typedef struct zn_formula_model zn_formula_model; /* a builder: add pieces in any order, then build */

/* An empty builder, or NULL with the error in the context. */
ZN_API zn_formula_model *zn_formula_model_create(zn_context *context);
/* Frees a builder; models that it built stay. */
ZN_API void zn_formula_model_destroy(zn_formula_model *builder);

/* Every text is a formula. Parameters may use earlier parameters. */
ZN_API zn_status zn_formula_parameter(zn_formula_model *, const char *name, zn_formula value);
/* Natural coordinate: velocity is name'. Empty formulas (text NULL) mean zero. */
ZN_API zn_status zn_formula_coordinate(zn_formula_model *, const char *name, zn_formula start, zn_formula velocity);
/* T (quadratic in the velocities, checked) and V. */
ZN_API zn_status zn_formula_energy(zn_formula_model *, zn_formula kinetic, zn_formula potential);
/* Non-potential force on a coordinate, or (first-order models) the force row of a velocity. Repeated calls add. */
ZN_API zn_status zn_formula_force(zn_formula_model *, const char *name, zn_formula value);
/* First-order models: velocities of their own, q' by formulas linear in them, mass matrix entries. */
ZN_API zn_status zn_formula_velocity(zn_formula_model *, const char *name, zn_formula start);
ZN_API zn_status zn_formula_kinematics(zn_formula_model *, const char *coordinate, zn_formula value);
ZN_API zn_status zn_formula_mass(zn_formula_model *, const char *row, const char *column, zn_formula value);
/* g(t, q) = 0, or gamma(t, q, u) = 0 linear in u. */
ZN_API zn_status zn_formula_position_constraint(zn_formula_model *, const char *name, zn_formula g);
ZN_API zn_status zn_formula_velocity_constraint(zn_formula_model *, const char *name, zn_formula gamma);

/* A friction law of a contact: up to 3 slip velocities (linear in u), one coefficient or one for each of them. */
typedef struct zn_friction_def {
    zn_reservoir reservoir;
    int n_slips;
    const zn_formula *slips;
    int n_friction; /* 1 or n_slips */
    const zn_formula *friction;
    zn_formula radius;           /* of Coulomb-Contensou */
    zn_formula stribeck_dynamic; /* text NULL: no Stribeck part; else friction is mu_s, this mu_d, and the rate eps */
    zn_formula stribeck_rate;
    ZN_RESERVED;
} zn_friction_def;

typedef struct zn_contact_def {
    zn_formula gap; /* text NULL: normal_force instead */
    zn_formula normal_force;
    zn_formula restitution, tangential_restitution; /* text NULL: 0 */
    int n_laws;
    const zn_friction_def *laws;
    ZN_RESERVED;
} zn_contact_def;

/* Adds a contact by formulas of its gap and slips. */
ZN_API zn_status zn_formula_contact(zn_formula_model *, const char *name, const zn_contact_def *def);
/* A value of interest, any formula of t, coordinates and velocities, that results keep beside q and u. */
ZN_API zn_status zn_formula_output(zn_formula_model *, const char *name, zn_formula value);

/* Differentiates, checks and compiles. The builder may be destroyed afterwards. */
ZN_API zn_status zn_formula_model_build(zn_formula_model *, zn_model **model);

#ifdef __cplusplus
}
#endif
#endif
