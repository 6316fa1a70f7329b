/* SPDX-License-Identifier: Apache-2.0 */
/* Inside a simulation. */
#ifndef SIM_SIMULATION_H
#define SIM_SIMULATION_H

#include "base/bytes.h"
#include "base/handle.h"
#include "expr/table.h"
#include "model/assembly.h"
#include "model/contact_field.h"
#include "model/model.h"
#include "scheme/answers.h"
#include "scheme/impact_map.h"
#include "scheme/scheme.h"
#include "sim/chatter.h"
#include "sim/contacts.h"
#include "sim/control.h"
#include "sim/located.h"

/* recorder.c: a recorder in memory for many simulations of one model, one after the other. Restarting forgets all rows; false: the columns
 * would be others. */
struct zn_recorder;
struct zn_result;
bool sim_recorder_restart(struct zn_recorder *, const zn_simulation *);
struct zn_result *sim_recorder_rows(const struct zn_recorder *);
/* As zn_recorder_create, with the scene as it is run, by which `zeno run RESULT` repeats it. */
typedef struct sim_recorder_texts {
    const char *title, *scene, *as_run;
} sim_recorder_texts;
zn_status sim_recorder_create(zn_context *, const zn_simulation *, const sim_recorder_texts *, const char *path, struct zn_recorder **);
/* What goes from row to row, as bytes; the first rows of an earlier run, whose columns are the same. */
void sim_recorder_carry(struct zn_recorder *, byte_stream *);
zn_status sim_recorder_copy(struct zn_recorder *, struct zn_result *, long rows);
/* account.c */
struct zn_account;
void sim_account_carry(struct zn_account *, byte_stream *);

/* What is watched at every accepted state. */
typedef struct sim_monitor {
    answers at;
    lin_envelope *pivots; /* of the mass matrix */
    double *gaps;         /* per contact */
    int declared;         /* contacts; behind them are those of shapes, whose penetration is their overlap (contacts.c) */
    bool rates;           /* at.c1 has all rows of the state that was evaluated last */
    double max_penetration, max_g, max_gdot, max_gamma;
    double end; /* of the run: no step looks at the mass matrix there but this */
} sim_monitor;

/* Memory for a model; maxima stay. */
zn_status sim_monitor_take(zn_context *, const zn_model *, int declared, sim_monitor *);
void sim_monitor_destroy(zn_context *, sim_monitor *);
/* ZN_ERROR_NOT_FINITE when the state or a constraint is not, or at the end the mass matrix is not positive definite. */
zn_status sim_monitor_look(sim_monitor *, const scheme_state *);
/* The same where another one has asked the model already; NULL: not yet. */
zn_status sim_monitor_see(sim_monitor *, const scheme_state *, const answers *);
/* A state that does not count leaves no maxima. */
void sim_monitor_forget(sim_monitor *, const sim_monitor *before);
/* The first value that is not finite at a state, as words ("the force on 'x'"); NULL: everything is finite. */

/* What is shown to an observer: the present, or a row of the record grid inside the last step. */
typedef struct sim_view {
    double t;
    const double *q, *u, *gaps, *P_total, *work;
} sim_view;

/* Rows at multiples of record_step. */
typedef struct sim_rows {
    bool dense;                            /* inside steps, by the scheme's interpolation; else steps land on them */
    long next;                             /* row to show next is at next * record_step */
    bool shown;                            /* the present was shown */
    double *q, *u, *gaps, *P_total, *work; /* memory of a row inside a step */
} sim_rows;

/* A step of the fixed grid, in parts where the whole fails; counted in units of h / 2^n. */
typedef struct sim_grid {
    long index;             /* grid points passed */
    long begun;             /* the same when the step began */
    bool between;           /* now is not at a grid point, but at a row */
    long part, done;        /* done 0: a new one begins, unless */
    bool inside, last_hope; /* now is at a contact event in it; its smallest part has got all work again */
    double h, t_start, t_end;
    int in_vain, in_vain_of_step; /* attempts whose long work failed: since the last part that was solved, and of all */
} sim_grid;

/* Velocities of rows at a state: all of it, the part that is not from u, and per contact that of smooth friction. */
typedef struct sim_rates {
    double *gamma, *chi, *smooth;
} sim_rates;

/* What rows of lambda did: see work.c. Per declared contact three numbers, one for each bilateral row, then three of all found
 * contacts. */
enum { SIM_NORMAL, SIM_FRICTION, SIM_MOVING, SIM_WORK_OF_CONTACT };
typedef struct sim_work {
    double *memory, *zero, *step, *total, *rates;
    size_t count, others; /* numbers in step and total; where those of found contacts are */
    size_t outside;       /* where that of events and of values and states that are set is */
    double left;          /* energy before they changed something */
    bool is_left;
    sim_rates at[2]; /* before and after a step */
    bool known;      /* at[0] belongs to the present */
    bool smooth;     /* some friction is in the directions of normal forces (Stribeck) */
} sim_work;

/* Impacts that created energy: see impacts.c. */
typedef struct sim_impacts {
    bool watched;
    impact_map *map; /* NULL: too many contacts, or not watched */
    long count;
    zn_energy_warning first[ZN_ENERGY_WARNINGS_KEPT];
    char names[ZN_ENERGY_WARNINGS_KEPT][SIM_NAME];
} sim_impacts;

/* Steps that create energy: see gains.c. */
typedef struct sim_gains {
    void *work;   /* NULL: not watched */
    bool law;     /* impacts create no energy */
    bool refused; /* the last step that was tried was solved and refused */
    double usual; /* error of energy in a step without percussions */
} sim_gains;

/* Impacts without an approach: see painleve.c. */
typedef struct sim_painleve {
    linear_problem *problem; /* made when it is needed first, where lists of contacts change */
    linear_problem *impact;  /* of the scheme's rows: velocities of it, and accelerations after it */
    linear_problem *forces;
    cone_frozen *modes; /* per contact */
    double *numbers;    /* per row */
    int wait;           /* steps until it is checked again */
    bool watched;       /* some contacts rub, and they are not too many */
    long count;
} sim_painleve;

/* Rows of redundant constraints that the scheme does not see: see selection.c. */
typedef struct sim_selection {
    bool offered;             /* at the start some rows followed from others */
    struct independent *rows; /* NULL: the scheme sees all rows; else `model` is what it sees */
    zn_model *model;
    double wear;              /* of the choice, when it was checked last: the largest coefficient of a row left out */
    long due, every;          /* steps until that is done again, and from one time to the next */
    double accepted_wear;     /* up to here no other choice is better */
    struct row_merge *merges; /* of the model */
    bool merged;              /* rows that contradict each other slightly are satisfied by least squares */
    bool squares;             /* so are those of the present model, for this or another reason */
    bool asked;               /* for percussions of bilateral rows */
    double *lambda;           /* forces shared among all rows, then work space */
    long wait, patience;      /* steps until a choice is tried again, and the next time */
    long made;                /* choices so far */
} sim_selection;

typedef struct sim_event {
    double t;
    int event;
} sim_event;

/* Values that change between steps, and everything that the simulation remembers of them: one block of numbers (machine.c). */
typedef struct sim_machine {
    const struct machine_plan *of; /* NULL: none */
    zn_model *model;               /* the one that was given, reading these values: `base` */
    double *memory;
    size_t count;                                 /* numbers in memory */
    double *values;                               /* in memory, in the order of the machine */
    double *samples;                              /* the same: number of the next sample */
    double *side, *reach;                         /* of each event: its sign at the last state, its largest size so far */
    double *burst, *burst_begin;                  /* how often it happened since then, within a step */
    double *fate;                                 /* what becomes of them at the end of the step, at `landing` */
    double *probes, *other, *seen, *q, *u, *rate; /* work space */
    double *at, *left, *before; /* of events: share of the step where they are zero; there: their functions and these functions' rates */
    double landing;             /* where the step ends, for landing_event; INFINITY: nowhere */
    int landing_event, improvements;
    double landed_at, landed_value; /* the end before, for the secant */
    expr_table **follow;            /* per value: NULL, or the table that it follows */
    bool *held;                     /* per value: its steps are landed on */
    sim_event *log;
    size_t n_log, log_room;
    double *log_values; /* q, u and values of each entry of the log, before it happened */
    size_t log_values_room;
    int stopped;    /* 1 + the event that stopped the run; 0: none did */
    bool following; /* some input follows a table */
    bool timed;     /* some value has times that steps land on */
    bool record;    /* a row is due */
    bool again;     /* the step that was tried is to end at the event */
    bool was_set;   /* an input was, since the last step */
} sim_machine;

/* Times at which formulas jump or bend (switches.c). */
typedef struct sim_switches {
    int count;            /* 0: there are none, or steps do not land on them */
    double *here, *there; /* their values, work space */
    double from, to;      /* what was searched: from <= t < to */
    double at;            /* the first one behind it; INFINITY: none */
    double landing;       /* where the step that leads there ends; INFINITY: nowhere */
} sim_switches;

struct zn_simulation {
    HANDLE_HEAD;
    const zn_model *given; /* by the user */
    const zn_model *base;  /* the same with the values of this simulation: rows and contacts of results */
    const zn_model *model; /* that steps are made with: base, or base and the found contacts, behind its own */
    sim_contacts contacts;
    sim_machine machine;
    sim_switches switches;
    zn_settings settings;
    scheme *scheme;
    scheme_state now, next; /* after a step `next` holds the state before it */
    double *state_memory;
    double *P, *P_total; /* rows of base: of the last step (physical), and of all */
    sim_monitor monitor;
    sim_selection selection;
    sim_grid grid;
    sim_control control;
    sim_chatter chatter;
    sim_rows rows;
    sim_work work;
    sim_impacts impacts;
    sim_located located;
    sim_gains gains;
    bool rings;     /* some declared contact is one of a ring and a plane: see rings.c */
    int ring_jumps; /* the one whose point jumped in the step that was tried last; -1: none */
    sim_painleve painleve;
    sim_view view;
    long step;                             /* steps done */
    long rejected, cut_steps, cut_impacts; /* cut: of the fixed grid, taken in parts; those of them with an impact */
    bool cut;                              /* the present step was */
    double *approach;                      /* per contact: its speed before a step that was cut, relative to its scale */
    double calm;                           /* energy of the scales when they were last checked (stepping.c) */
    double step_min, step_max;             /* of accepted steps and parts */
    long path_steps[CONE_PATH_COUNT];      /* steps by the path that ended them */
    long path_solves[CONE_PATH_COUNT], path_iterations_there[CONE_PATH_COUNT]; /* solves in those steps, their iterations of the path */
    long path_iterations[CONE_PATH_COUNT];                                     /* iterations of each path in all steps */
    int path_max[CONE_PATH_COUNT];
    cone_cost cost; /* of many contacts, over all steps */
    long roundoff_steps, unfinished_steps;
    double max_residual, roundoff_residual;
    double contradiction; /* of redundant constraints at the start, which the scheme satisfies by least squares; 0: none */
    double energy_start;
    double fastest; /* natural frequency at the start; negative: not asked for */
};

/* Memory of a state: what sim_state_place puts into `memory`, and how many doubles that is. */
size_t sim_state_size(const zn_simulation *);
void sim_state_place(const zn_simulation *, double *memory, scheme_state *);

/* The scheme in use (sim_scheme_settings) for a model: the simulation's, or that with fewer rows. */
zn_status sim_make_scheme(zn_simulation *, const zn_model *, scheme **);
/* q, u: where to start, on the constraints (project_start), whether redundant constraints contradict each other there, and which. */
zn_status sim_choose_start(zn_simulation *, double *q, double *u);
/* Rows and energies begin at the present. */
void sim_see_start(zn_simulation *);
/* Memory of states and per contact for sim->model. */
zn_status sim_take_states(zn_simulation *);

/* place.c: contacts for the present at q and u, which are moved onto the constraints if wanted. */
zn_status sim_place(zn_simulation *, double *q, double *u, bool project);
/* From the start of the same model, whose numbers may be others, with the same settings, in the memory that is there: the bits are those of
 * a new simulation. *restarted false: it takes a new one. After a failure the simulation can only be destroyed. */
zn_status sim_restart(zn_simulation *, bool *restarted);
/* Whether the simulation, which may be NULL, takes restitution from the model at each step. */
bool sim_reads_restitution(const zn_simulation *);
/* snapshot.c: what goes from step to step is zero, as in a new one. */
void sim_forget(zn_simulation *);
/* impacts.c: whether contacts create energy by the law of the settings. */
bool sim_impacts_possible(const zn_simulation *);
zn_status sim_start_scheme(zn_simulation *); /* what the scheme carries begins at the present */
/* The present is at q and u, which are consistent: checked, and what the scheme carries begins there. */
zn_status sim_begin_at(zn_simulation *, const double *q, const double *u);

/* adopt.c: another model of the same coordinates and declared contacts; contact: of each of its contacts the number in sim->model, -1: new.
 * The old model may be destroyed afterwards. */
zn_status sim_adopt(zn_simulation *, const zn_model *, const int *contact);
/* The model has other numbers in the same contacts. */
zn_status sim_adopt_numbers(zn_simulation *);

/* selection.c */

zn_status sim_selection_start(zn_simulation *, const double *q, const double *u);
/* The model of the present choice, of sim->model; memory for it. */
zn_status sim_selection_make_model(zn_simulation *);
void sim_selection_drop_model(zn_simulation *);
void sim_selection_destroy(zn_simulation *);
const zn_model *sim_scheme_model(const zn_simulation *);
int sim_selection_count(const zn_simulation *); /* rows left out */
/* P of a state where it belongs for the present choice. */
void sim_place_percussion(const zn_simulation *, scheme_state *);
/* After a step of the scheme: P_all, with the same forces. */
void sim_selection_expand(const zn_simulation *, scheme_state *);
/* Percussions of an accepted step in all rows, shared among those that follow from each other if they were asked for, or where rows move
 * and do work; else P_all. Valid until the next question. */
const double *sim_selection_shared(zn_simulation *, const scheme_state *from, const scheme_state *to);
void sim_selection_ask(const zn_simulation *);
/* Accelerations and forces of the scheme in all rows. */
void sim_forces(const zn_simulation *, const double **a, const double **lambda);
/* Forces in the rows of the scheme become those in all rows. */
void sim_selection_spread(const zn_simulation *, const zn_point *, double *lambda);
/* Whether rows left out hold after a step of h, whose end was seen by the monitor; the outcome says what is open in them. If
 * not, the step is repeated after `leave`. */
bool sim_selection_holds(zn_simulation *, double h, cone_outcome *);
zn_status sim_selection_leave(zn_simulation *);
/* Between steps: another choice, after constraints were switched. */
zn_status sim_selection_again(zn_simulation *);
/* Between steps: another choice where that is due. */
zn_status sim_selection_renew(zn_simulation *);
/* The choice as bytes. Reading makes another scheme, what it carries is to be read after it. */
zn_status sim_selection_carry(zn_simulation *, byte_stream *);

/* switches.c: times at which formulas jump or bend. Before a step: the next one, in switches.landing; after it: the present is there. What
 * is known is not true any more. */
zn_status sim_switches_create(zn_simulation *);
void sim_switches_destroy(zn_simulation *);
zn_status sim_switches_look(zn_simulation *);
zn_status sim_switches_pass(zn_simulation *);
void sim_switches_forget(zn_simulation *);

/* machine.c: values that change between steps. */

/* base and model of the simulation. */
zn_status sim_machine_create(zn_simulation *);
void sim_machine_destroy(zn_simulation *);
/* At the start, before forces are known; before and after each step. */
zn_status sim_machine_begin(zn_simulation *);
zn_status sim_machine_before_step(zn_simulation *);
zn_status sim_machine_after_step(zn_simulation *);
/* The time that the next step must not pass. */
double sim_machine_target(const zn_simulation *);
/* What an input is at present, by its number among all values; false: there is no such value. */
typedef struct sim_input_now {
    const char *name;
    bool may_be_set, parameter, changed; /* changed: since the start */
    double value;
    const expr_table *table; /* NULL: it follows none */
    bool held;
} sim_input_now;
bool sim_input(const zn_simulation *, int index, sim_input_now *);

/* Before a step from t of length h: inputs that follow tables. */
void sim_machine_follow(zn_simulation *, double t, double h);
/* Inputs follow the tables of another simulation of the same model. */
zn_status sim_machine_follow_as(zn_simulation *, const zn_simulation *other);
/* The present is elsewhere: events are evaluated again there, and none has stopped the run. */
zn_status sim_machine_elsewhere(zn_simulation *);
/* What the machine asks for, at a state. */
zn_status sim_machine_probe(zn_simulation *, double t, const double *q, const double *u, double *out);
/* An error that has the place of this formula, unless its value is finite. */
zn_status sim_machine_finite(zn_simulation *, int probe, double t, double value);
/* Values were changed; positions or velocities too; rows may be switched. */
zn_status sim_machine_changed(zn_simulation *, bool moved, bool switched);

/* control.c: positions or velocities have jumped. */
void sim_control_restart(zn_simulation *);

/* events.c */

/* Accelerations and forces for the outputs of the state at hand; they are forgotten afterwards, so that snapshots do not know them. */
zn_status sim_machine_answers(const zn_simulation *);
void sim_machine_forget(const zn_simulation *);
/* Signs at the present count from now on; _start: a motion begins here, and those that are zero have the sign of their rates. */
zn_status sim_events_begin(zn_simulation *);
zn_status sim_events_start(zn_simulation *);
/* At the step that was tried, now to next. *again: it is to be repeated, and to end at machine.landing. */
zn_status sim_events_look(zn_simulation *, bool *again);
/* After a step. */
zn_status sim_events_fire(zn_simulation *);
bool sim_has_events(const zn_simulation *);
/* Of an entry of the log: q, u and the values of the machine, before it happened. */
int sim_event_width(const zn_simulation *);
const double *sim_event_values(const zn_simulation *, size_t entry);

/* contacts.h */

/* The row of sim->model that a row of base is. */
static inline int sim_row_of_base(const zn_simulation *sim, int row) {
    return row < model_row_F(sim->base) ? row : row + sim->model->size.nN - sim->base->size.nN;
}
/* Of a contact of sim->model in the last step. */
static inline double sim_normal_percussion(const zn_simulation *sim, int contact) {
    int declared = sim->base->size.n_contacts;
    return contact < declared ? sim->P[sim->base->contacts[contact].row_N] : sim->contacts.list.at[contact - declared].P[0];
}

/* stepping.c */

/* A remainder below this part of a step is round-off, not a step. */
#define SIM_STEP_ROUNDOFF 1e-9
/* One step of the scheme, which changes nothing but `to`. */
zn_status sim_try(zn_simulation *, const scheme_state *from, double h, double t_end, scheme_state *to, cone_outcome *);
/* A new step: failed attempts of the last one are forgotten. */
void sim_hope(zn_simulation *);
/* `next`, which the monitor has seen, becomes the present. */
void sim_accept(zn_simulation *, double h);
void sim_count_outcome(zn_simulation *, const cone_outcome *);
/* Whether `next`, after a step of h, can be accepted. *again: with other rows or contacts the step is to be repeated. */
zn_status sim_examine(zn_simulation *, double h, cone_outcome *, bool *again);
/* `next` is accepted, with its percussions and work. */
void sim_take_next(zn_simulation *, double h, const cone_outcome *);
/* A step by the laws alone, accepted. */
zn_status sim_plain_step(zn_simulation *, double h, double t_end, cone_outcome *);
void sim_begin_percussion(zn_simulation *);
/* Percussions and work of an accepted step. */
void sim_book(zn_simulation *, const scheme_state *from, const scheme_state *to);
/* Physical units, totals. */
void sim_end_percussion(zn_simulation *);
/* A failure that smaller steps cannot avoid. */
bool sim_fatal(zn_status);
zn_status sim_report_unfinished(const zn_simulation *); /* ZN_OK: every step is solved */
/* A sentence about joints that contradict each other at a state, into text; "" when none do. Scales may be NULL (at the start). */
const char *sim_contradiction(zn_context *, const zn_model *, const zn_settings *, const problem_scales *, const zn_point *, char *text,
                              size_t room);
zn_status sim_grid_step(zn_simulation *);

/* failure.c: sentences about failed steps; the status is returned. Unstable: ZN_OK where the step is not too large for the scheme. */
zn_status sim_report_failure(zn_simulation *, zn_status, double h, const cone_outcome *);
zn_status sim_report_unstable(zn_simulation *, double h);
/* Energies of `what` that are not finite at a state that is. */
zn_status sim_fail_energy(zn_context *, const zn_simulation *, const char *what, double kinetic, double potential);

/* not_finite.c: what is not finite at the present state, or later, up to t + reach, in the motion that the step of h could not follow;
 * false: nothing was found. */
typedef struct sim_not_finite {
    char what[160];
    const char *why;     /* in parentheses */
    const char *subject; /* the name of what it belongs to; NULL: none */
    double t;
} sim_not_finite;
bool sim_find_not_finite(zn_simulation *, double h, double reach, sim_not_finite *);
/* The velocity whose mass is not positive, alone or (coupled) with those before it, at the present state or later, up to t + reach, as
 * above;
 * -1: none. */
int sim_find_massless(zn_simulation *, double h, double reach, double *t, bool *coupled);

/* stability.c: whether h is too large for the explicit forces of a scheme, or of the one in use, and the model's fastest natural
 * frequency. */
bool sim_scheme_is_unstable(zn_simulation *, const scheme_class *, int stages, double h, double *frequency, double *largest_step);
bool sim_step_is_unstable(zn_simulation *, double h, double *frequency, double *largest_step);

/* work.c */

zn_status sim_work_create(zn_simulation *);
void sim_work_destroy(zn_simulation *);
zn_status sim_work_take_rates(zn_simulation *);
void sim_work_drop_rates(zn_simulation *);
void sim_work_see_friction(zn_simulation *);                     /* at the present: whether some of it is smooth */
void sim_work_leave(zn_simulation *);                            /* the energy of the present, before something from outside changes it */
void sim_work_return(zn_simulation *);                           /* after it: the difference counts, */
void sim_work_jump(zn_simulation *, const scheme_state *before); /* but for what an impact has done in between */
void sim_work_begin(zn_simulation *), sim_work_end(zn_simulation *);
/* Of an accepted step, or of a part of one. */
void sim_work_add(zn_simulation *, const scheme_state *from, const scheme_state *to, const double *P);

/* impacts.c */

zn_status sim_impacts_create(zn_simulation *);
void sim_impacts_destroy(zn_simulation *);
/* An accepted step, with its rates at hand (work.at). */
void sim_impacts_look(zn_simulation *, const scheme_state *to);
/* A warning: what a contact created. */
void sim_impacts_warn(zn_simulation *, int contact, double t, double gained);
/* A contact that closes within h and for which Newton's law has no percussion, while other laws do; -1: none. */
int sim_impact_jams(zn_simulation *, double h);
/* A contact that closes within h, or is closed, and that joints and friction hold in every direction; -1: none. */
int sim_contact_wedged(zn_simulation *, double h);

/* gains.c */

zn_status sim_gains_create(zn_simulation *);
void sim_gains_destroy(zn_simulation *);
/* Whether the step of h to `next` may stand. last: there are no smaller ones. */
bool sim_gains_allow(zn_simulation *, double h, bool last);

/* A residual below this many tolerances is small: the tolerance is out of reach, not the solution. */
#define SIM_NEAR_TOLERANCE 1e4

/* rings.c */
bool sim_has_rings(const zn_model *), sim_is_ring(const zn_model *, int contact);
/* After a step was solved, before it is accepted: false: the point of a ring that pushes jumped in it. */
bool sim_rings_allow(zn_simulation *, const cone_outcome *);
/* The ring that a step failed at, or that touches where it failed; -1: none. */
int sim_ring_at_fault(zn_simulation *, const cone_outcome *);

/* painleve.c */

zn_status sim_painleve_create(zn_simulation *);
void sim_painleve_destroy(zn_simulation *);
/* Whether the step by the laws to `next` may stand: no contact pulls itself together. last: there are no smaller steps; the impact then
 * happens in `next`. */
bool sim_painleve_allows(zn_simulation *, bool last);
/* No step from the present can be solved, or contacts with other modes than closed open: whether that is because of a singular point, and
 * then the impact, at the present. */
bool sim_painleve_happens(zn_simulation *, const cone_frozen *modes);

/* rows.c */

zn_status sim_rows_create(zn_simulation *);
void sim_rows_destroy(zn_simulation *);
/* Before a step: rows that were not asked for are dropped. */
void sim_rows_begin(zn_simulation *);
/* Where the next step must not go beyond: the end, or a row that steps land on. */
double sim_rows_target(const zn_simulation *);
/* The view becomes the present. */
void sim_see_now(zn_simulation *);

/* Consistent initial conditions (002: 3.7), three parts. */

/* How far a start may be from its constraints, in their units of length and velocity; less where these are small (scales_small_length). */
#define SIM_START_TOLERANCE 1e-6

/* Every violated constraint and contact is an error in the context (ZN_ERROR_START). */
zn_status sim_start_check(zn_simulation *, const zn_point *, double h);
/* A part of that in rows of lambda, on position level; not below round-off. */
zn_status sim_start_tolerances(zn_context *, const zn_model *, const zn_point *, double part, double *tolerance);
/* Velocities on the constraints, by the least change in terms of the mass. */
zn_status sim_start_velocities(zn_context *, const zn_model *, double t, const double *q, double *u);
/* Moves q and u onto the constraints and out of penetration, by the smallest change in the norm of the mass matrix. */
zn_status sim_start_project(zn_context *, const zn_model *, double t, double *q, double *u);
/* By how much redundant constraints contradict each other at a state, when that is little enough for the settings: then the
 * log says so. 0: not at all, or too much. */
zn_status sim_start_contradiction(zn_context *, const zn_model *, const zn_settings *, const zn_point *, double *size);
/* Accelerations and multipliers: Signorini and friction on acceleration level for closed contacts at rest in the normal. */
zn_status sim_start_forces_by(zn_context *, linear_problem *, const zn_settings *, problem_scales *, const zn_point *);
zn_status sim_start_forces(zn_context *, const zn_model *, const zn_settings *, problem_scales *, const zn_point *, double *a0,
                           double *lambda0);

#endif
