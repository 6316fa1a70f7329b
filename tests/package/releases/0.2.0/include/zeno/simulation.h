/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations: a model, a scheme and a solver going through time. */
#ifndef ZENO_SIMULATION_H
#define ZENO_SIMULATION_H

#include "zeno/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Choices; the first of each is the default. */
typedef enum zn_projection { ZN_PROJECTION_VELOCITY, ZN_PROJECTION_NONE, ZN_PROJECTION_COUNT } zn_projection;
typedef enum zn_percussion { ZN_PERCUSSION_STAGE, ZN_PERCUSSION_INTEGRATED, ZN_PERCUSSION_COUNT } zn_percussion;
typedef enum zn_iteration { ZN_ITERATION_COUPLED, ZN_ITERATION_DECOUPLED, ZN_ITERATION_COUNT } zn_iteration;
typedef enum zn_alpha { ZN_ALPHA_CHUNG_HULBERT, ZN_ALPHA_HHT, ZN_ALPHA_NEWMARK, ZN_ALPHA_COUNT } zn_alpha;
typedef enum zn_multipliers { ZN_MULTIPLIERS_STARRED, ZN_MULTIPLIERS_PRINTED, ZN_MULTIPLIERS_COUNT } zn_multipliers;
typedef enum zn_start_forces { ZN_START_FORCES_CONSISTENT, ZN_START_FORCES_ZERO, ZN_START_FORCES_COUNT } zn_start_forces;
typedef enum zn_friction_law { ZN_FRICTION_ACCUMULATED, ZN_FRICTION_STAGED, ZN_FRICTION_LAW_COUNT } zn_friction_law;
typedef enum zn_restitution_law {
    ZN_RESTITUTION_NEWTON,
    ZN_RESTITUTION_POISSON,
    ZN_RESTITUTION_ENERGETIC,
    ZN_RESTITUTION_LAW_COUNT
} zn_restitution_law;

typedef enum zn_contact_events { ZN_EVENTS_CAPTURED, ZN_EVENTS_LOCATED, ZN_EVENTS_COUNT } zn_contact_events;

/* How to simulate: begin with zn_settings_default(). `zeno settings` and docs/scene.md say what each member means, its range
 * and its default. Every member is checked, also those that the scheme does not use. */
typedef struct zn_settings {
    const char *scheme; /* see zn_scheme_count, zn_scheme_info; NULL: moreau-midpoint. Must live as long as the settings */
    int stages;         /* 0: the scheme's default */
    double step, end;   /* no default: 0 until given */
    bool step_auto;     /* the step is chosen from `accuracy`; `step` is then the first one (0: chosen too) */
    double accuracy;
    double damping;
    double theta;
    zn_projection projection;
    zn_percussion percussion;
    zn_iteration iteration;
    zn_solver solver;
    double tolerance;
    int record_every;
    double record_step; /* 0: rows after steps */
    bool project_start;
    zn_alpha alpha;
    zn_multipliers multipliers;
    int activation; /* 0: the scheme's */
    zn_start_forces start_forces;
    zn_friction_law friction_law;
    double contradiction;
    zn_restitution_law restitution_law;
    zn_contact_events contact_events;
    int threads; /* 0: 1 */
    size_t reserved[7];
} zn_settings;

/* The settings of a simulation that asks for nothing else. */
ZN_API zn_settings zn_settings_default(void);
/* A setting by its name in scenes and its value as text, as the options of the program take it: "scheme" "radau-2a:2", "step" "auto",
 * "damping" "0.8", "friction_law" "staged". The settings stay as they were where a name or a text is wrong; numbers are checked with the
 * simulation. */
ZN_API zn_status zn_settings_set(zn_context *context, zn_settings *settings, const char *name, const char *value);
/* The value as such a text, cut to `room` bytes with its ending zero. */
ZN_API zn_status zn_settings_get(zn_context *context, const zn_settings *settings, const char *name, char *text, size_t room);
/* All names, from 0; NULL after the last. */
ZN_API const char *zn_settings_name(int index);

typedef struct zn_scheme_info {
    const char *name, *summary;
    int order;              /* of positions while contacts stay as they are */
    const char *order_text; /* where it depends on the number of stages s: "2s-1"; else NULL */
    int stages_min, stages_max, stages_default;
    /* What it supports: contacts, friction, velocities other than q', bilateral constraints on velocity level, models without
     * a Lagrangian. */
    bool contacts, friction, general_kinematics, velocity_constraints, any_dynamics;
    ZN_RESERVED;
} zn_scheme_info;

/* Number of schemes. */
ZN_API int zn_scheme_count(void);
/* A scheme by its place in the table, 0 .. count - 1; an empty one otherwise. */
ZN_API zn_scheme_info zn_scheme_get(int index);
/* A scheme by its name; false: there is none. */
ZN_API bool zn_scheme_find(const char *name, zn_scheme_info *info);

typedef struct zn_simulation zn_simulation;

/* Checks model and settings against each other, finds the scheme, makes the start consistent. The model must stay alive. */
ZN_API zn_status zn_simulation_create(zn_context *context, const zn_model *model, const zn_settings *settings, zn_simulation **simulation);
ZN_API void zn_simulation_destroy(zn_simulation *simulation);

/* One step (the last one is cut to land on the end exactly). ZN_OK until and at the end; on failure the last good state stays. Energies
 * that are not finite at the end, or in a row that is recorded, are ZN_ERROR_NOT_FINITE. */
ZN_API zn_status zn_simulation_step(zn_simulation *simulation);
/* After a step: the next row to record. true: all functions below refer to it; it may lie inside the step (rows
 * at multiples of record_step). false: none is left, and they refer to the end of the step again. */
ZN_API bool zn_simulation_next_row(zn_simulation *simulation);
ZN_API bool zn_simulation_done(const zn_simulation *simulation);

/* The time of the row that is shown. */
ZN_API double zn_simulation_time(const zn_simulation *simulation);
/* q at that time; the array belongs to the simulation and changes with it. */
ZN_API const double *zn_simulation_positions(const zn_simulation *simulation);
/* u at that time, likewise. */
ZN_API const double *zn_simulation_velocities(const zn_simulation *simulation);
/* Percussions (time integrals of forces, units of momentum) in the rows of lambda (model.h), friction rows in physical
 * units: of the last step, and the sum over all steps. Among redundant constraints forces are shared such that they are the smallest
 * (docs/parts.md), which costs time: from the first call of one of these on, or with a recorder. What was before that is shared as it would
 * be at the state of the first call. */
ZN_API const double *zn_simulation_percussions(const zn_simulation *simulation);
ZN_API const double *zn_simulation_percussion_totals(const zn_simulation *simulation);
/* At the current state: gaps in the order of contacts (NaN where a contact has none), energies. */
ZN_API const double *zn_simulation_gaps(const zn_simulation *simulation);
/* NULL is allowed for an energy that is not wanted. */
ZN_API void zn_simulation_energy(const zn_simulation *simulation, double *kinetic, double *potential);
/* The model's outputs at the current state: n_outputs values. Without outputs nothing is filled. */
ZN_API zn_status zn_simulation_outputs(const zn_simulation *simulation, double *values);
/* The energy balance of a contact so far: dissipated by its normal percussions (impacts with restitution below 1) and by friction,
 * and supplied to the bodies by a surface with a prescribed motion (a belt, a prescribed body). Of a step with percussion P it is
 * P (gamma_begin + gamma_end)/2: exact for an impact, of second order in the step for forces. */
typedef struct zn_contact_work {
    double normal, friction; /* dissipated: energy lost counts as positive */
    double moving;           /* supplied */
    ZN_RESERVED;
} zn_contact_work;
/* What a contact did so far. */
ZN_API zn_contact_work zn_simulation_contact_work(const zn_simulation *simulation, int contact);
/* The work of the force of a bilateral row (ng + ny) so far: that of drives, zero for joints without a drive. */
ZN_API double zn_simulation_constraint_work(const zn_simulation *simulation, int row);
ZN_API const zn_model *zn_simulation_model(const zn_simulation *simulation);
ZN_API const zn_settings *zn_simulation_settings(const zn_simulation *simulation);

/* ---- found contacts (zn_parts_collide) ---- */

/* Shapes that find each other have no rows in the model: their contacts are a list that changes from step to step. It has what may touch in
 * the next step, and what has left it since the row before with a percussion. */
typedef struct zn_found_contact {
    const char *name;           /* "ball/box.2.5": shapes, and the numbers of their features where they may have several contacts */
    const char *shapes[2];      /* names: the first touches the second */
    int shape[2], feature[2];   /* the same as numbers */
    double gap;                 /* not a number: it has left the list */
    double point[3], normal[3]; /* in space; the normal points from the second to the first. In the plane z is 0 */
    double normal_percussion;   /* since the row before, of the row that is shown */
    double percussion
        [3]; /* the same on the first body, in space: the normal one and friction against sliding (of Stribeck's law what is not smooth) */
    ZN_RESERVED;
} zn_found_contact;
/* Number of contacts by rule that are present or have acted since the last row. */
ZN_API int zn_simulation_found_count(const zn_simulation *simulation);
/* index from 0, in an order that depends on the shapes only. Texts live until the next step. */
ZN_API zn_status zn_simulation_found(const zn_simulation *simulation, int index, zn_found_contact *contact);

/* Normal percussions of all contacts that two bodies had so far. */
typedef struct zn_pair_total {
    const char *bodies[2]; /* NULL: no such pair */
    double normal;
    ZN_RESERVED;
} zn_pair_total;
/* Number of pairs of bodies that have touched by rule. */
ZN_API int zn_simulation_pair_count(const zn_simulation *simulation);
/* Totals of such a pair; an empty one when there is none. */
ZN_API zn_pair_total zn_simulation_pair(const zn_simulation *simulation, int index);

/* ---- inputs (zeno/machine.h) ---- */

/* Sets an input; the next step uses it. Unknown names and values that are not finite are ZN_ERROR_ARGUMENT. */
ZN_API zn_status zn_simulation_set_input(zn_simulation *simulation, const char *name, double value);
/* An input follows a table over time. `held`: each value holds from its time to the next one, and steps land on these times; else it is,
 * within each step, the value in its middle. It can not be set any more. */
struct zn_table_def; /* zeno/machine.h */
ZN_API zn_status zn_simulation_follow(zn_simulation *simulation, const char *input, const struct zn_table_def *table, bool held);
/* Its present value. */
ZN_API zn_status zn_simulation_input(const zn_simulation *simulation, const char *name, double *value);
/* Names that may be set, from 0; NULL after the last. They live as long as the model. */
ZN_API const char *zn_simulation_input_name(const zn_simulation *simulation, int index);

/* ---- snapshots ---- */

/* Everything that goes from one step to the next as bytes; *size: how many. memory NULL: only the size. The same simulation gives the same
 * bytes. */
ZN_API zn_status zn_simulation_save(const zn_simulation *simulation, void *memory, size_t room, size_t *size);
/* A simulation of the same model and settings (but for the end) goes on from there, bit for bit as the one that was saved; where it was
 * does not matter. Bytes that are damaged, of another model, other settings or another version are ZN_ERROR_ARGUMENT, and change
 * nothing. */
ZN_API zn_status zn_simulation_restore(zn_simulation *simulation, const void *snapshot, size_t size);

/* Between steps: other positions and velocities (NULL: as they are) at the present time. `project`: they are moved onto the constraints and
 * out of penetration, by the smallest change in the norm of the mass matrix; else they must be there (ZN_ERROR_START). Statistics and
 * totals go on; an account sees the jump of the energy as that of the scheme. On failure nothing changes. */
ZN_API zn_status zn_simulation_set_state(zn_simulation *simulation, const double *positions, const double *velocities, bool project);
/* Back to the start, as after zn_simulation_create. Accounts and recorders of it have to be made anew. */
ZN_API zn_status zn_simulation_reset(zn_simulation *simulation);

/* Events that have happened (zn_machine_event), in their order. */
typedef struct zn_event {
    const char *name; /* NULL: no such event. Lives as long as the model */
    double t;
    ZN_RESERVED;
} zn_event;
/* Number of events of the scene that were kept. */
ZN_API int zn_simulation_event_count(const zn_simulation *simulation);
/* Such an event, the first one has index 0; an empty one when there is none. */
ZN_API zn_event zn_simulation_event(const zn_simulation *simulation, int index);
/* The message of the event that stopped the run: it is done then, before its end. NULL: none did. */
ZN_API const char *zn_simulation_stop_message(const zn_simulation *simulation);

/* What the tolerance is relative to (docs/guide.md, 10): for every coordinate its largest size so far (positions), for every velocity
 * its largest size so far, or more where others move (velocities), and the change by round-off of the forces in a step (roundoff). Zeros
 * before the first step. The arrays belong to the simulation. */
typedef struct zn_scales {
    const double *positions, *velocities, *roundoff;
} zn_scales;
/* The scales so far. */
ZN_API zn_scales zn_simulation_scales(const zn_simulation *simulation);

/* What happened so far. */
typedef struct zn_statistics {
    long steps, rejected;        /* rejected: failed solves, and steps that were not accurate enough */
    long cut_steps, cut_impacts; /* steps of the fixed grid that were taken in parts because a solve failed; with an impact */
    double step_min, step_max;   /* smallest and largest accepted step or part of one; 0 before the first */
    double max_penetration, max_g, max_gdot, max_gamma; /* over all accepted states */
    double energy_start, energy_end;
    /* Per path of the cone solver: steps that it ended, its iterations in all, and per cone problem of those steps (a step has
     * one, or one for each of its stages). */
    long newton_steps, least_norm_steps, projection_steps;
    long newton_total, least_norm_total, projection_total;
    double newton_mean, least_norm_mean, projection_mean;
    int newton_max, least_norm_max, projection_max;
    double max_residual;                   /* largest residual of an accepted step, relative to the scales: at most the tolerance */
    long roundoff_steps;                   /* steps solved to round-off of the model's own forces, which is above the tolerance ... */
    double roundoff_residual;              /* ... and the largest residual of these, relative to the velocities */
    long staged_accepted, staged_repeated; /* friction_law staged: steps that used it; discarded attempts */
    double contradiction;                  /* of redundant constraints at the start, satisfied by least squares; 0: none */
    long energy_warnings;                  /* impacts that created energy, as Newton's law of restitution can do with friction */
    int redundant_rows;                    /* of constraints: left out of the scheme's equations, since they follow from others */
    /* Of found contacts: their number in a step (0: no shapes find each other), lists so far, contacts that a step lacked, so that it
     * was repeated, and the largest overlap of any two shapes at the end of a step, found without the list. */
    bool contacts_found;
    double found_mean;
    int found_max;
    long found_lists, missed_pairs;
    double max_overlap;
    long row_choices; /* times that they were chosen: 1 as long as the first choice is kept; 0: never */
    /* Many contacts, which are solved in components that share no equation: components of a solve, and the work on all of them. Zero where
     * contacts are few, and where all are solved together. */
    double components_mean;
    long components_max, sweeps, factorisations, linear_solves;
    double cone_seconds;
    /* contact_events located: events, steps that were passed by the laws instead, step solves beyond one for each step, accumulations of
     * impacts that were closed. Painleve: impacts without an approach, where forces had no solution. */
    long events_located, events_captured, event_solves, event_accumulations, painleve;
    ZN_RESERVED;
} zn_statistics;
/* The statistics so far. */
ZN_API zn_statistics zn_simulation_statistics(const zn_simulation *simulation);

/* A contact event that was located. */
typedef enum zn_contact_event_kind {
    ZN_CONTACT_IMPACT,
    ZN_CONTACT_OPENING,
    ZN_CONTACT_STICK,        /* slip ends; it may go on in another direction */
    ZN_CONTACT_SLIP,         /* sticking ends */
    ZN_CONTACT_ACCUMULATION, /* infinitely many impacts at once: the contact stays closed */
    ZN_CONTACT_PAINLEVE,     /* an impact without an approach */
    ZN_CONTACT_EVENT_KINDS
} zn_contact_event_kind;
/* "impact", "opening", "stick", "slip", "accumulation", "painleve"; NULL: no such kind. */
ZN_API const char *zn_contact_event_text(zn_contact_event_kind kind);
typedef struct zn_contact_event {
    double t;
    int contact;      /* -1: a found one */
    const char *name; /* of that contact; NULL: no such event. Lives as long as the simulation; a long one is cut */
    zn_contact_event_kind kind;
    double normal_before, normal_after;         /* rate of the gap */
    double tangential_before, tangential_after; /* size of the slip velocity */
    double normal_impulse, tangential_impulse;  /* of this contact */
    double energy_lost;                         /* kinetic, by all contacts of the event */
    ZN_RESERVED;
} zn_contact_event;
/* Number of contact events that were located. */
ZN_API long zn_simulation_contact_event_count(const zn_simulation *simulation);
/* Such an event, the first one has index 0; its name is NULL when there is none. */
ZN_API zn_contact_event zn_simulation_contact_event(const zn_simulation *simulation, long index);

/* An impact that created energy, because of the law of restitution and not of the step size. */
typedef struct zn_energy_warning {
    int contact;      /* the one that gained most, -1: a found one */
    const char *name; /* of that contact; NULL: no such warning. Lives as long as the simulation */
    double t;         /* end of the step with the impact */
    double gained;    /* by all contacts of the impact */
    ZN_RESERVED;
} zn_energy_warning;
enum { ZN_ENERGY_WARNINGS_KEPT = 16 };
/* The first ones, index from 0. */
ZN_API zn_energy_warning zn_simulation_energy_warning(const zn_simulation *simulation, int index);

/* Steps to the end. `observe` (may be NULL) is called at the start, for every row (record_every, record_step) and at the end; a
 * nonzero return stops the run with ZN_STOPPED. */
typedef int zn_observer(void *user, const zn_simulation *simulation);
/* Steps to the end; the observer (or NULL) sees the start and every row, and may stop the run. */
ZN_API zn_status zn_simulation_run(zn_simulation *simulation, zn_observer *observe, void *user);

#ifdef __cplusplus
}
#endif
#endif
