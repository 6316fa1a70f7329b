/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are constant within a step: their declarations in a builder, and what a model keeps of them.
 *
 * Formulas read them as variables behind all others. A built model reads their values at the start; a simulation has a copy of the model,
 * which shares everything but reads the simulation's own values (model_bind). */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include "base/handle.h"
#include "model/formula.h"
#include "zeno/machine.h"

typedef enum machine_kind {
    MACHINE_INPUT,
    MACHINE_PARAMETER,
    MACHINE_SAMPLED,
    MACHINE_MODE,
    MACHINE_ANSWER,
    MACHINE_KIND_COUNT
} machine_kind;
extern const char *const machine_kind_words[MACHINE_KIND_COUNT]; /* "an input" */

typedef enum machine_answer_kind {
    ANSWER_ACCELERATION,
    ANSWER_ROW,
    ANSWER_JOINT,
    ANSWER_CONTACTS,
    ANSWER_PUSH,
    ANSWER_RULE
} machine_answer_kind;

typedef struct machine_value {
    char *name;
    machine_kind kind;
    double every; /* sampled values: the time between samples */
    int probe;    /* sampled values: their formula */
    /* Answers, accelerations and forces that only outputs read: the name of the velocity, row or contact; JOINT|+VELOCITY: what the rows of
     * a joint do to a velocity, with a sign; #CONTACT|+VELOCITY: the same for a contact;
     * @RULE|+VELOCITY, @RULE|normal: for the contacts that a rule finds, by its number. NULL: this is none. */
    char *of;
    machine_answer_kind answer;
    int index; /* of the velocity or row; of contacts -1: normal, else the direction of friction; of rules -1: normal, else the velocity */
    int first, count; /* rows of a joint; contacts of one name; first: the rule */
    double sign;
    expr_table *follow; /* inputs: the table that they follow; else NULL */
    bool held;
    bool in_positions; /* positions follow its table, in formulas: another one cannot take its place */
} machine_value;

typedef enum machine_target { MACHINE_POSITION, MACHINE_VELOCITY, MACHINE_VALUE } machine_target;
typedef struct machine_set {
    machine_target target;
    int index, probe;
} machine_set;

typedef struct machine_event {
    char *name, *message;
    zn_direction direction;
    bool stop, record;
    bool changes;        /* the motion: the step must end at the event */
    int when, condition; /* probes; condition -1: none */
    int n_sets;
    machine_set *sets;
} machine_event;

/* A formula whose value the simulation asks for, and its place for errors of a run. `late`: its value is only used at a sample or an
 * event. */
typedef struct machine_probe_text {
    const char *what; /* "event" */
    char *name;
    formula_text text;
    bool late;
} machine_probe_text;

/* A rule for contacts that shapes find, by its number, and the probe of its condition. */
typedef struct machine_rule {
    int rule, probe;
} machine_rule;

/* Of a model: constant. Models and their copies share it. */
typedef struct machine_plan {
    _Atomic int references;
    int n_values;
    machine_value *values;
    double *start;
    int n_events;
    machine_event *events;
    int n_rules;
    machine_rule *rules;
    int n_probes;
    machine_probe_text *probes;
    bool switches_rows; /* bilateral constraints come and go */
} machine_plan;

typedef struct machine_switch {
    char *name;
    int rule; /* 1 + the rule for contacts that it switches; 0: it switches no rule */
    formula_text condition;
} machine_switch;

typedef struct machine_event_text {
    char *name, *message;
    formula_text when, condition, *values;
    char **names; /* of what is set */
    int n_sets;
    zn_direction direction;
    bool stop, record;
} machine_event_text;

/* Of a builder. */
struct zn_machine {
    HANDLE_HEAD;
    machine_value *values;
    double *start;
    size_t n_values, value_room, start_room;
    formula_text *formulas; /* of values, empty but for sampled ones */
    size_t formula_room;
    expr_table_name *tables;
    size_t n_tables, table_room;
    machine_switch *switches;
    size_t n_switches, switch_room;
    machine_event_text *events;
    size_t n_events, event_room;
    /* Function of the builder: whether a name is taken there, with an error. */
    zn_status (*check_name)(void *builder, const char *name, const char *what);
    zn_status (*add_state)(void *builder, const char *name, double start, zn_formula rate);
    void *builder;
};

zn_machine *machine_create(zn_context *, void *builder, zn_status (*check_name)(void *, const char *, const char *),
                           zn_status (*add_state)(void *, const char *, double, zn_formula));
void machine_destroy(zn_machine *);
/* Its tables join the names of a scope; NULL: it has none. */
void machine_scope(const zn_machine *, expr_scope *);
/* Adds the name of an acceleration or force, which outputs may read from now on. */
/* Makes the table that inputs and formulas read from the user's points; `held`: each value holds until the next point. */
zn_status machine_make_table(zn_context *, const zn_table_def *, bool held, expr_table **table);
zn_status machine_answer(zn_machine *, const char *name, const char *of);
/* Where inputs that are interpolated over time prescribe positions, which need rates, they are functions of t; elsewhere, like all other
 * inputs, they are constant within a step. `first`: the variable of the first value. EXPR_NONE: no memory. */
bool machine_is_function(const machine_value *);
expr machine_functions(zn_machine *, expr_graph *, int first, expr);
/* -1: there is none. `length` bytes of name. */
int machine_find(const zn_machine *, const char *name, size_t length);
/* Formulas whose values the simulation asks for, in the order of all probes. */
int machine_probe_count(const zn_machine *);
/* Of the condition of a rule for contacts, which must be constant within a step. */
bool machine_probe_is_condition(const zn_machine *, int index);
zn_formula machine_probe(const zn_machine *, int index);
/* Finds what events set by the names of the model. */
zn_status machine_resolve(const zn_machine *, machine_plan *, const zn_model *);
/* What the model keeps; *out NULL where the machine is NULL or empty. */
zn_status machine_freeze(const zn_machine *, machine_plan **out);
void machine_release(zn_context *, machine_plan *);

/* A copy of the model whose values are those of the caller: for one simulation. It refers to the model, and is destroyed by model_free.
 * NULL where the model has no such values. */
zn_status model_bind(zn_context *, const zn_model *, const double *values, zn_model **bound);

#endif
