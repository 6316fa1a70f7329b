/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the formula models: the builder's lists, and the system of expressions they become. */
#ifndef MODEL_FORMULA_H
#define MODEL_FORMULA_H

#include "base/handle.h"
#include "expr/expr.h"
#include "linalg/linalg.h"
#include "zeno/machine.h"
#include "zeno/model.h"

/* ---- the user's formulas ---- */

typedef struct formula_text {
    char *text; /* NULL: not given */
    char *file;
    int line, column;
} formula_text;

typedef struct named_formula {
    char *name, *second_name; /* second_name: the column of a mass entry */
    formula_text value, velocity;
} named_formula;

typedef struct formula_list {
    named_formula *items;
    size_t count, capacity;
} formula_list;

typedef struct friction_text {
    zn_reservoir reservoir;
    int n_slips, n_friction;
    formula_text *slips, *friction;
    formula_text radius, stribeck_dynamic, stribeck_rate;
} friction_text;

typedef struct contact_text {
    char *name;
    formula_text gap, normal_force, restitution, tangential_restitution;
    int n_laws;
    friction_text *laws;
} contact_text;

/* What a formula defines; of each kind there may be many. */
typedef enum text_kind {
    TEXT_PARAMETER,
    TEXT_COORDINATE,
    TEXT_VELOCITY,
    TEXT_KINEMATICS,
    TEXT_STATE,
    TEXT_MASS,
    TEXT_FORCE,
    TEXT_POSITION_CONSTRAINT,
    TEXT_VELOCITY_CONSTRAINT,
    TEXT_OUTPUT,
    TEXT_KIND_COUNT
} text_kind;

/* `second`: the column of an entry of the mass; `rate`: of a coordinate at the start, of a state always. */
typedef struct formula_said {
    const char *name, *second;
    zn_formula value, rate;
} formula_said;

struct zn_formula_model {
    HANDLE_HEAD;
    union {
        formula_list lists[TEXT_KIND_COUNT];
        struct {
            formula_list parameters, coordinates, velocities, kinematics, states, mass, forces, position, velocity, outputs;
        };
    };
    formula_text kinetic, potential;
    contact_text *contacts;
    size_t n_contacts, contact_capacity;
    zn_machine *machine; /* NULL: none was asked for */
};

/* Keeps copies. */
zn_status formula_say(zn_formula_model *, text_kind, const formula_said *);
/* Of a builder that is internal. */
void formula_texts_free(zn_formula_model *);
/* Checks the definition of a contact apart from its formulas; `def` and its members may be NULL. */
zn_status formula_check_contact(zn_context *, const char *name, const zn_contact_def *def);

/* ---- their meaning ---- */

/* One constraint row of lambda on its levels. c0 is EXPR_NONE for rows without a position level. */
typedef struct formula_row {
    expr c0, c1;
} formula_row;

/* A derivative as the sum of those by n other variables times factors; n = 0: it is found by itself. */
typedef struct formula_chain {
    int n, variable[3];
    expr factor[3];
} formula_chain;

/* A number of the model that follows from parameters, and what it is: schemes may have kept copies of coefficients. */
typedef enum formula_kind { FORMULA_START, FORMULA_RESTITUTION, FORMULA_FRICTION, FORMULA_COEFFICIENT } formula_kind;
typedef struct formula_value {
    double *number;
    int slot; /* of the trace */
    double low, high;
    formula_kind kind;
} formula_value;

/* Variables of the graph, in this order: t, q, u, a, lambda, parameters (of kinds of parts; elsewhere they are constants), inputs
 * (machine.h). */
typedef struct formula_system {
    expr_graph *graph;
    zn_sizes size;
    int n;                                        /* rows of lambda */
    int q, u, a, lambda, parameter, input, count; /* first variable of each group, number of variables */
    struct zn_machine *machine;                   /* of the builder; may be NULL */
    bool *state;                                  /* per coordinate: whether it is the state of a controller */
    formula_chain *chain; /* NULL, or per coordinate: how the derivative by it follows from others, of all but rates */
    int answered;         /* how many of the first coordinates the part owns and gives rates for */
    bool lagrangian;      /* every velocity is the rate of a coordinate; there may be states beside */
    bool moves;           /* the graph knows the motion (formula_tell_motion) */
    double *q_start, *u_start;
    expr T, V;
    expr power;        /* of forces without potential */
    expr *qdot;        /* nq */
    expr *M;           /* nu x nu, column-major, symmetric */
    expr *h;           /* nu */
    expr *p, *b;       /* nu, lagrangian only */
    expr *force;       /* nu: smooth part of friction laws (Stribeck); contains normal multipliers */
    formula_row *rows; /* n */
    zn_contact *contacts;
    zn_ball *balls; /* shared storage of all contacts */
    double *scales; /* per friction row */
    int n_outputs;
    expr *outputs; /* values of interest: of t, q, u */
    int n_probes;
    expr *probes;       /* values that the machine asks for */
    bool switches_rows; /* of bilateral constraints, by a condition */
    char **q_names, **u_names, **bilateral_names, **contact_names, **output_names;
    int n_sources; /* parameters of a model from formulas alone; */
    char **source_names;
    expr *source_nodes; /* NULL: there are none; */
    double *sources;    /* their values, */
    expr_trace *trace;  /* how constants follow from them, */
    formula_value *places;
    size_t n_places, place_capacity;
    int *list;          /* work space for one variable of each kind */
    bool out_of_memory; /* variables could not be listed: the system is not complete */
} formula_system;

/* Variables first .. first + count - 1 that an expression depends on, in s->list: the loops below run over the variables of an expression,
 * not of the system, so that the cost of a large system is that of its terms. Returns their number; out of memory: 0, and
 * s->out_of_memory. */
int formula_variables(formula_system *s, expr e, int first, int count);
/* Registers the rates of variables with the graph: t' = 1, q' and u' = a. false: out of memory. */
bool formula_tell_motion(formula_system *);

/* d/dt of an expression of q and t along the motion. */
expr formula_rate(formula_system *, expr);
void formula_system_free(zn_context *context, formula_system *system);

/* Rows and laws of the contacts of a builder. `scope` has all names. */
zn_status formula_system_contacts(const zn_formula_model *builder, formula_system *system, const expr_scope *scope);

/* The smooth part of Stribeck's law, size arctan(eps |gamma|) gamma/|gamma|, and its limit at rest. size: (mu_s - mu_d) lambda_N 2/pi;
 * applied: the normal force is given, so that this is a force like any other. */
void formula_stribeck(formula_system *, int n, const expr *slip, expr size, expr eps, bool applied);

/* Helpers. A text that is not given has the value `otherwise`. */
/* Copies the user's text; false: out of memory. */
bool formula_text_copy(zn_context *, formula_text *to, zn_formula from);
void formula_text_free(zn_context *, formula_text *);
zn_formula formula_of(const formula_text *text);
zn_status formula_parse(formula_system *system, zn_context *context, const expr_scope *scope, const formula_text *text, expr *out);
/* Parses a formula that must be constant and finite. `what` names it in errors. */
zn_status formula_number(formula_system *system, zn_context *context, const expr_scope *scope, const formula_text *text, double otherwise,
                         const char *what, double *out);
/* A start of the model. */
zn_status formula_start(formula_system *system, zn_context *context, const expr_scope *scope, const formula_text *text, const char *name,
                        double *out);
/* The values of parameters, from which others follow; `scope` has tables. */
zn_status formula_sources(formula_system *system, zn_context *context, expr_scope scope, const formula_list *parameters);
/* The same for a number that keeps its place and may change within these bounds. */
zn_status formula_place_number(formula_system *system, zn_context *context, const expr_scope *scope, const formula_text *text,
                               const char *what, formula_value place);
zn_status formula_fail(zn_context *context, const formula_text *text, const char *subject, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Lets some or all rows of a system, and its forces, act only while the condition holds. */
void formula_switch_rows(formula_system *system, expr condition, int first, int count);
/* The error where a condition is not constant within a step. */
zn_status formula_check_condition(formula_system *system, zn_context *context, const formula_text *text, expr condition);
/* A row given on position level (its velocity level follows), or on velocity level. `kind` names it in errors. */
zn_status formula_position_row(formula_system *system, zn_context *context, const expr_scope *scope, const formula_text *text,
                               const char *name, const char *kind, formula_row *row);
zn_status formula_velocity_row(formula_system *system, zn_context *context, const expr_scope *scope, const formula_text *text,
                               const char *name, const char *kind, formula_row *row);
/* Whether an expression is at most linear in the velocities. */
bool formula_linear_in_u(formula_system *system, expr e);

/* The model that answers the questions by tapes. Takes over the system's names, contacts and start values. */
struct machine_plan; /* may be NULL */
zn_status formula_model_compile(zn_context *context, formula_system *system, struct machine_plan *machine, zn_model **model);

/* The same for a kind of part: without checks, as parameters have no values yet. */
zn_status formula_kind_compile(zn_context *context, formula_system *system, zn_model **kind);

#endif
