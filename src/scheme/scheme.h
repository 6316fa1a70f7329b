/* SPDX-License-Identifier: Apache-2.0 */
/* What a scheme is: a pure map from a state at t to a state at t + h. */
#ifndef SCHEME_SCHEME_H
#define SCHEME_SCHEME_H

#include "cone/cone.h"
#include "scheme/scales.h"
#include "scheme/tableau.h"
#include "zeno/simulation.h"

/* Everything that one step passes to the next. A scheme keeps nothing about the motion elsewhere, so a failed or rejected
 * step is undone by using the old state again. */
typedef struct scheme_state {
    double t;
    double *q, *u; /* comparable between schemes: values at t */
    double *P;     /* percussion of the step that ended at t, n rows of lambda */
    double *P_all; /* the simulation's: P shared among all rows of its model, of which the scheme may know fewer (sim/selection.c) */
    double *carry; /* the scheme's own (accelerations, midpoints ...), scheme_class.carry_size doubles */
    double noise;  /* the simulation's: what scheme.noise is in a step from here */
    bool opened;   /* in the step that ended here a contact was closed in a stage and open in a later one */
    long staged_accepted, staged_repeated; /* on the way here: steps with the staged friction law, attempts that were discarded */
} scheme_state;

typedef struct scheme scheme;

/* What carry is made of, one piece after the other. */
typedef enum carry_kind {
    CARRY_NUMBERS,      /* `count` numbers that do not belong to rows */
    CARRY_CONTACTS,     /* `count` times one for each contact; `new_value` of a contact that was not there before */
    CARRY_BILATERAL,    /* the same for bilateral rows, */
    CARRY_CONTACT_ROWS, /* for rows of contacts, */
    CARRY_ROWS          /* for all rows of lambda */
} carry_kind;
typedef struct carry_piece {
    carry_kind kind;
    int count;
    double new_value;
} carry_piece;
enum { CARRY_MOST_PIECES = 8 };

typedef struct scheme_class {
    zn_scheme_info info;
    int variant;                 /* what tells schemes of one file apart */
    tableau_maker *method;       /* of Runge-Kutta schemes */
    double (*bound)(int stages); /* h omega up to which steps are stable, omega the fastest frequency; NULL: any */
    bool takes_modes;            /* steps obey scheme.modes */
    bool drifts;                 /* bilateral constraints are met on velocity level only: those of positions drift */
    bool reads_restitution;      /* e_N at each step: it may be another one between runs */
    bool needs_start_forces;     /* a0 and lambda0 below are asked for (else NULL) */
    size_t (*carry_size)(const zn_model *, const zn_settings *);
    /* Allocates all memory that steps need. Refuses with ZN_ERROR_UNSUPPORTED and a sentence naming the feature. */
    zn_status (*create)(zn_context *, const struct scheme_class *, const zn_model *, const zn_settings *, scheme **);
    /* The pieces of carry (of what is used of it); their number. With them it goes to a scheme of the same class for other contacts.
     * NULL: `start` makes the carry of that one, too. */
    int (*carried)(const scheme *, carry_piece *);
    /* Before that: what else in the carry comes from contacts that do not stay (per contact) is taken out of it. NULL: nothing does. */
    zn_status (*let_go)(scheme *, scheme_state *, const bool *stays);
    /* Whether its rows are forces, which keep their meaning in a scheme with fewer or other bilateral rows. Else `start` makes the carry of
     * that one. */
    bool carries_forces;
    /* Fills carry of the consistent initial state (a_0, lambda_0 given). */
    zn_status (*start)(scheme *, scheme_state *, const double *a0, const double *lambda0);
    /* `to` has its memory; on failure its content is undefined. The outcome is filled also on failure. */
    zn_status (*step)(scheme *, const scheme_state *from, double h, scheme_state *to, cone_outcome *);
    /* The motion inside the step that led from `from` to `to`, at from->t + x (to->t - from->t), 0 <= x <= 1 (dense output).
     * It has the order of the stages, not that of the ends; at x = 1 the velocity is the one before the impact of the end.
     * NULL: not offered. */
    void (*interpolate)(const scheme *, const scheme_state *from, const scheme_state *to, double x, double *q, double *u);
    /* Right after a successful step: an estimate of its error in positions, error_q (nq), of size O(h^k) while motion is smooth;
     * returns k. NULL: not offered, a step is then compared with two halves. */
    int (*error)(scheme *, const scheme_state *from, const scheme_state *to, double h, double *error_q);
    bool error_is_partial; /* it does not see all errors: rotations at constant velocity have some, too */
    /* Accelerations (nu) and forces lambda (all rows) of the smooth motion at a state. NULL: the scheme has none. */
    void (*forces)(const scheme *, const scheme_state *, const double **a, const double **lambda);
    void (*destroy)(scheme *);
} scheme_class;

/* The members of a row that every scheme has. A macro, so that none can be left out. */
#define SCHEME_INFO(name, text, order, order_text, least, most, usual, contacts, friction, general, velocity, any_dynamics) \
    .info = {name, text, order, order_text, least, most, usual, contacts, friction, general, velocity, any_dynamics, {0}}
#define SCHEME_FUNCTIONS(size, make, begin, go, end) .carry_size = size, .create = make, .start = begin, .step = go, .destroy = end

/* What every scheme begins with. */
struct scheme {
    zn_context *context;
    const scheme_class *class;
    const zn_model *model;
    problem_scales scales; /* what the tolerance is relative to; made and destroyed by the creator of the scheme */
    /* Set by the simulation before each step: */
    double noise;  /* 0: the tolerance must be met; else round-off of the model is above it, of about this size (cone_expect_noise) */
    bool hopeless; /* see cone_expected */
    const cone_frozen *modes; /* per contact: what it does in the whole step (cone.h); NULL: the laws decide */
    bool again;               /* the same step once more, after an attempt that came close: it continues from there */
};

const scheme_class *scheme_find(const char *name); /* NULL: that of the default settings */
/* "there is no scheme 'radau'; did you mean ...". */
void scheme_unknown(const char *name, char *text, size_t room);
/* Bounds: of the leapfrog, and of Lobatto IIIA-IIIB. */
double scheme_bound_leapfrog(int stages), scheme_bound_lobatto(int stages);
/* ZN_ERROR_UNSUPPORTED with a sentence that names the feature and the schemes that can, where the model asks for too much. */
zn_status scheme_check(zn_context *, const scheme_class *, const zn_model *);
/* The same for contacts that will come by themselves, with friction or without. */
zn_status scheme_check_found(zn_context *, const scheme_class *, bool rubbing);

#endif
