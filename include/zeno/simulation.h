/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations: a model, a scheme and a solver going through time. */
#ifndef ZENO_SIMULATION_H
#define ZENO_SIMULATION_H

#include "zeno/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum zn_solver { ZN_SOLVER_AUTO, ZN_SOLVER_NEWTON, ZN_SOLVER_PROJECTION } zn_solver;

/* How to simulate. Texts must live as long as the settings; those of a scene live as long as the scene. NULL texts mean the
 * default. What a scheme does not use it ignores. */
typedef struct zn_settings {
    const char *scheme;     /* see zn_scheme_count, zn_scheme_info; default moreau-midpoint */
    int stages;             /* 0 (default): the scheme's default */
    double step, end;       /* no default: 0 until given */
    bool step_auto;         /* the step is chosen from `accuracy`; `step` is then the first one (0: chosen too) */
    double accuracy;        /* of step_auto: relative error of positions in a step; default 1e-6 */
    double damping;         /* spectral radius rho_inf of generalized-alpha and TR-theta, 0 to 1; default 0.9 */
    double theta;           /* of moreau-theta, 0 to 1; default 0.5 */
    const char *projection; /* of velocities at the end of a Runge-Kutta step: "velocity" (default) or "none" */
    const char *percussion; /* in the inclusions of partitioned Runge-Kutta schemes: "stage" (default) or "integrated" */
    const char *iteration;  /* of the subproblems of generalized-alpha: "coupled" (default) or "decoupled" */
    zn_solver solver;       /* default auto */
    double tolerance;       /* of the cone solver; default 1e-10 */
    int record_every;       /* default 1 */
    double record_step;     /* rows at its multiples instead of after steps; default 0: after steps */
    bool project_start;     /* moves an inconsistent start onto the constraints instead of refusing it; default false */
    const char *alpha;      /* coefficients of generalized-alpha: "chung-hulbert" (default), "hht" or "newmark" */
    const char *multipliers; /* of generalized-alpha-pva where a contact is open: "starred" totals vanish (default), or "printed" */
    int activation;         /* contacts in the smooth motion of generalized-alpha-pva, -pvv: 1, 2, 3; 0 (default): the scheme's */
    const char *start_forces; /* accelerations at the start: "consistent" (default), or "zero", a disturbance */
    const char *friction_law; /* of Runge-Kutta schemes and generalized-alpha: "accumulated" (default), or "staged", which keeps the
                                 order where the direction of slip turns */
    double contradiction;     /* redundant constraints (more joints than needed) whose numbers do not quite fit may contradict each
                                 other by this much at the start: they are then met in the sense of least squares, and the
                                 context's log says so; default 1e-6, in their units; 0: never */
    const char *
        restitution_law; /* what e means in an impact: "newton" (default), the papers' law, which can create energy with friction;
                                    "poisson" or "energetic", which cannot (docs/contacts.md) */
} zn_settings;

/* The defaults, in the order of the members. */
#define ZN_SETTINGS_DEFAULT                                                                                             \
    {                                                                                                                   \
        "moreau-midpoint", 0, 0, 0, false, 1e-6, 0.9, 0.5, "velocity", "stage", "coupled", ZN_SOLVER_AUTO, 1e-10, 1, 0, \
            false, "chung-hulbert", "starred", 0, "consistent", "accumulated", 1e-6, "newton"                           \
    }
ZN_API zn_settings zn_settings_default(void);

typedef struct zn_scheme_info {
    const char *name, *summary;
    int order;                     /* of positions while contacts stay as they are */
    const char *order_text;        /* where it depends on the number of stages s: "2s-1"; else NULL */
    int stages_min, stages_max, stages_default;
    /* What it supports: contacts, friction, velocities other than q', bilateral constraints on velocity level, models without
     * a Lagrangian. */
    bool contacts, friction, general_kinematics, velocity_constraints, any_dynamics;
} zn_scheme_info;

ZN_API int zn_scheme_count(void);
ZN_API zn_scheme_info zn_scheme_get(int index);
ZN_API bool zn_scheme_find(const char *name, zn_scheme_info *info);

typedef struct zn_simulation zn_simulation;

/* Checks model and settings against each other, finds the scheme, makes the start consistent. The model must stay alive. A mass matrix
 * at the start that is not finite or not positive definite, and energies that are not finite there, are ZN_MODEL. */
ZN_API zn_status zn_simulation_create(zn_context *context, const zn_model *model, const zn_settings *settings,
                                      zn_simulation **simulation);
ZN_API void zn_simulation_destroy(zn_simulation *simulation);

/* One step (the last one is cut to land on the end exactly). ZN_OK until and at the end; on failure the last good state stays. Energies
 * that are not finite at the end, or in a row that is recorded, are ZN_NOT_FINITE. */
ZN_API zn_status zn_simulation_step(zn_simulation *simulation);
/* After a step: the next row to record. true: it is what all functions below tell about; it may lie inside of the step (rows
 * at multiples of record_step). false: none is left, and the state at the end of the step is shown again. */
ZN_API bool zn_simulation_next_row(zn_simulation *simulation);
ZN_API bool zn_simulation_done(const zn_simulation *simulation);

ZN_API double zn_simulation_time(const zn_simulation *simulation);
ZN_API const double *zn_simulation_positions(const zn_simulation *simulation);
ZN_API const double *zn_simulation_velocities(const zn_simulation *simulation);
/* Percussions (time integrals of forces, units of momentum) in the rows of lambda (model.h), friction rows in physical
 * units: of the last step, and the sum over all steps. */
ZN_API const double *zn_simulation_percussions(const zn_simulation *simulation);
ZN_API const double *zn_simulation_percussion_totals(const zn_simulation *simulation);
/* At the current state: gaps in the order of contacts (NaN where a contact has none), energies. */
ZN_API const double *zn_simulation_gaps(const zn_simulation *simulation);
/* NULL is allowed for an energy that is not wanted. */
ZN_API void zn_simulation_energy(const zn_simulation *simulation, double *kinetic, double *potential);
/* The model's outputs at the current state: n_outputs values. A model without has nothing to fill. */
ZN_API zn_status zn_simulation_outputs(const zn_simulation *simulation, double *values);
/* What a contact did to energies so far: dissipated by its normal percussions (impacts with restitution below 1) and by friction,
 * and supplied to the bodies by a surface that moves by itself (a belt, a prescribed body). Of a step with percussion P it is
 * P (gamma_begin + gamma_end)/2: exact for an impact, of second order in the step for forces. */
typedef struct zn_contact_work {
    double normal, friction; /* dissipated: energy lost counts as positive */
    double moving;           /* supplied */
} zn_contact_work;
ZN_API zn_contact_work zn_simulation_contact_work(const zn_simulation *simulation, int contact);
/* What the force of a bilateral row (ng + ny) supplied so far: the work of drives, zero for joints that rest. */
ZN_API double zn_simulation_constraint_work(const zn_simulation *simulation, int row);
ZN_API const zn_model *zn_simulation_model(const zn_simulation *simulation);
ZN_API const zn_settings *zn_simulation_settings(const zn_simulation *simulation);

/* What the tolerance is relative to (docs/guide.md, 10): for every coordinate its largest size so far (positions), for every velocity
 * its largest size so far, or more where others move (velocities), and what round-off of the forces makes of it in a step (roundoff). Zeros
 * before the first step. The arrays belong to the simulation. */
typedef struct zn_scales {
    const double *positions, *velocities, *roundoff;
} zn_scales;
ZN_API zn_scales zn_simulation_scales(const zn_simulation *simulation);

/* What happened so far. */
typedef struct zn_statistics {
    long steps, rejected;                               /* rejected: failed solves, and steps that were not accurate enough */
    long cut_steps, cut_impacts;                        /* steps of the fixed grid that were taken in parts because a solve failed; with an impact */
    double step_min, step_max;                          /* smallest and largest accepted step or part of one; 0 before the first */
    double max_penetration, max_g, max_gdot, max_gamma; /* over all accepted states */
    double energy_start, energy_end;
    /* Per path of the cone solver: steps that it ended, its iterations in all, and per cone problem of those steps (a step has
     * one, or one for each of its stages). */
    long newton_steps, least_norm_steps, projection_steps;
    long newton_total, least_norm_total, projection_total;
    double newton_mean, least_norm_mean, projection_mean;
    int newton_max, least_norm_max, projection_max;
    double max_residual;                                /* largest residual of an accepted step, relative to the scales: at most the tolerance */
    long roundoff_steps;                                /* steps solved to round-off of the model's own forces, which is above the tolerance ... */
    double roundoff_residual;                           /* ... and the largest residual of these, relative to the velocities */
    long staged_accepted, staged_repeated;              /* friction_law staged: steps that used it; attempts thrown away */
    double contradiction;                               /* of redundant constraints at the start, met by least squares; 0: none */
    long energy_warnings; /* impacts that created energy, as Newton's law of restitution can do with friction */
    int redundant_rows;                                 /* of constraints: left out of the scheme's equations, since they follow from others */
    long row_choices;                                   /* times that they were chosen: 1 as long as the first choice is kept; 0: never */
} zn_statistics;
ZN_API zn_statistics zn_simulation_statistics(const zn_simulation *simulation);

/* An impact that created energy: the law of restitution did, not the step size. */
typedef struct zn_energy_warning {
    int contact;   /* the one that gained most; -1: no such warning */
    double t;      /* end of the step with the impact */
    double gained; /* by all contacts of the impact */
} zn_energy_warning;
enum { ZN_ENERGY_WARNINGS_KEPT = 16 };
/* The first ones, index from 0. */
ZN_API zn_energy_warning zn_simulation_energy_warning(const zn_simulation *simulation, int index);

/* Steps to the end. `observe` (may be NULL) is called at the start, for every row (record_every, record_step) and at the end; a
 * nonzero return stops the run with ZN_STOPPED. */
typedef int zn_observer(void *user, const zn_simulation *simulation);
ZN_API zn_status zn_simulation_run(zn_simulation *simulation, zn_observer *observe, void *user);

#ifdef __cplusplus
}
#endif
#endif
