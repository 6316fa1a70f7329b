/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled formula model: tapes, patterns, names. */
#ifndef MODEL_FORMULA_MODEL_H
#define MODEL_FORMULA_MODEL_H

#include "model/formula.h"
#include "model/model.h"

/* What is asked of a model, each with a tape of its own, and the sections of the tape in this order. */
typedef enum formula_question {
    FORMULA_KINEMATICS,   /* q', B, dq'/dq */
    FORMULA_QDDOT,        /* q'' */
    FORMULA_BALANCE,      /* r, M, W, dr/dq, dr/du */
    FORMULA_IMPACT,       /* the same without h */
    FORMULA_FREE,         /* r at a = 0 and lambda = 0, M, W */
    FORMULA_INERTIA,      /* M, W */
    FORMULA_POSITION,     /* c0, dc0/dq */
    FORMULA_VELOCITY,     /* c1, dc1/du, dc1/dq */
    FORMULA_ROWS,         /* c0, c1, dc1/du, dc0/dq, dc1/dq: common terms are computed once */
    FORMULA_ACCELERATION, /* c2, dc2/dq, dc2/du */
    FORMULA_MOMENTUM,     /* p, b, dp/dq, db/dq, db/du */
    FORMULA_ENERGY,       /* (T, V), power */
    FORMULA_OUTPUTS,
    FORMULA_PROBES,
    FORMULA_SWITCHES, /* of t: see model_switches */
    FORMULA_QUESTIONS
} formula_question;

/* The compiled part: shared by all models of one kind (see formula_model_instance), constant. */
typedef struct formula_tapes {
    _Atomic int references;
    int q, u, a, lambda, parameter, n_parameters, input, first_input, n_inputs, variables,
        registers;     /* variables: t, then from these registers on */
    int *used, n_used; /* parameters that some tape reads */
    expr_tape *of[FORMULA_QUESTIONS];
    bool *states; /* per coordinate: a state whose rate is answered */
    zn_rates rates;
    int n_switches;
    lin_pattern qdot_q, B, r_q, r_u, M, W, c0_q, c1_q, c1_u, c2_q, c2_u, p_q, b_q, b_u;
} formula_tapes;

typedef struct formula_model {
    zn_model base; /* first, so that a zn_model of this kind is a formula_model */
    formula_tapes *tapes;
    double *parameters;   /* values of the parameter variables */
    formula_system owned; /* names, contacts and start values only */
} formula_model;

/* Forces without accelerations and multipliers, whose terms are not computed. */
static inline bool formula_is_free(const zn_point *at, const zn_balance *out) {
    return out->r && !out->no_force && !at->a && !at->lambda && !out->r_q && !out->r_u;
}
/* Both levels of constraints. */
static inline bool formula_wants_both(const zn_constraints *out) { return (out->c0 || out->c0_q) && (out->c1 || out->c1_u || out->c1_q); }

formula_model *formula_model_create(zn_context *context);
/* NULL: another kind of model. */
const formula_model *formula_model_of(const zn_model *);
/* Takes names, contacts, sizes and start values out of the system, and fills the answers of `base`. */
void formula_model_adopt(formula_model *model, formula_system *system);
/* Another model of the same kind: its tapes are shared, parameters (copied), names and contacts are its own. */
zn_status formula_model_instance(zn_context *context, const zn_model *kind, const double *parameters, const char *const *bilateral_names,
                                 int n_contacts, const zn_contact *contacts, const char *const *output_names, zn_model **model);
/* Whether two formula models are of one kind; then the first can take over the parameters of the other. */
bool formula_model_like(const zn_model *, const zn_model *);
void formula_model_renumber(zn_model *, const zn_model *);
/* The values that change between steps; shared with others. */
void formula_model_set_machine(formula_model *, struct machine_plan *);
/* The power of its forces without potential; false: not a formula model. */
bool formula_model_power(const zn_model *model, void *work, const zn_point *at, double *power);
/* See model_switches. 0: none, or another kind of model. */
int formula_model_switches(const zn_model *model, void *work, const zn_point *at, double *values);
/* Which of its sources a parameter is; -1: none. */
int formula_model_source(const zn_model *, const char *name);
/* Other values of n sources (-1: nothing), with the bits that a new model would have; *changed: bits of the kinds of numbers that have
 * changed. false: a new model is needed, and this one can no longer be used; an error may be left. */
bool formula_model_move(zn_context *, zn_model *, int n, const int *sources, const double *values, unsigned *changed);
/* Mass positive definite and everything finite at the start. */
zn_status formula_model_check(zn_context *context, formula_model *model);

#endif
