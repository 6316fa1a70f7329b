/* SPDX-License-Identifier: Apache-2.0 */
/* What turns a mechanical system into a machine: inputs, controllers, events and modes.
 *
 * A machine belongs to its builder and lives as long as that. Its names can be used in every formula of the builder; what is
 * declared first is known to what comes later. The values themselves belong to a simulation (zn_simulation_set_input): the model stays
 * constant. */
#ifndef ZENO_MACHINE_H
#define ZENO_MACHINE_H

#include "zeno/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zn_machine zn_machine;

/* NULL: a wrong builder, or out of memory. */
ZN_API zn_machine *zn_formula_machine(zn_formula_model *builder);
ZN_API zn_machine *zn_parts_machine(zn_parts *parts);

/* A named value that is constant within a step and may be set between steps. */
ZN_API zn_status zn_machine_input(zn_machine *machine, const char *name, double start);
/* A parameter that may be changed between steps. */
ZN_API zn_status zn_machine_parameter(zn_machine *machine, const char *name, double value);

/* A state of a controller: a coordinate without mass and velocity, x' = rate(t, q, u, x, inputs), integrated by the scheme together with
 * the mechanics. Its rate may use every name of the builder, including later ones. */
ZN_API zn_status zn_machine_state(zn_machine *machine, const char *name, double start, zn_formula rate);
/* A value that a discrete controller computes at t = 0, every, 2 every ...: steps end there, all formulas are evaluated with the previous
 * values, and the results hold until the next time. */
ZN_API zn_status zn_machine_sampled(zn_machine *machine, const char *name, double start, double every, zn_formula value);
/* A mode: 1 or 0, changed by events. */
ZN_API zn_status zn_machine_mode(zn_machine *machine, const char *name, bool on);
/* The joint, force, constraint or contact with this name acts only while a condition holds: a formula of modes, inputs and other values
 * that are constant within a step. Declared before or after it; checked when the model is built. */
ZN_API zn_status zn_machine_switch(zn_machine *machine, const char *name, zn_formula condition);

typedef enum zn_direction { ZN_DIRECTION_BOTH, ZN_DIRECTION_UP, ZN_DIRECTION_DOWN } zn_direction;
/* An action of an event: it sets a state, a coordinate, a velocity ("x'"), a mode, an input or a sampled value. Formulas see the values
 * before the event. */
typedef struct zn_event_set {
    const char *name;
    zn_formula value;
} zn_event_set;
typedef struct zn_event_def {
    const char *name;
    zn_formula when;      /* zero at the event */
    zn_formula condition; /* where the event would happen; text NULL: always */
    zn_direction direction;
    bool stop, record;
    const char *message; /* of the stop; NULL: "event 'NAME'" */
    int n_sets;
    const zn_event_set *sets;
    ZN_RESERVED;
} zn_event_def;
/* Adds an event; names that its formulas use may be declared later. */
ZN_API zn_status zn_machine_event(zn_machine *machine, const zn_event_def *def);

/* A function through points for table(NAME, x) in formulas. x ascends; outside the points the first and the last value hold. Periodic: the
 * last value is the first one. */
typedef enum zn_interpolation { ZN_INTERPOLATION_LINEAR, ZN_INTERPOLATION_CUBIC } zn_interpolation;
typedef struct zn_table_def zn_table_def;
struct zn_table_def {
    int n;
    const double *x, *y;
    zn_interpolation interpolation;
    bool periodic;
    ZN_RESERVED;
};
/* Adds a table, which formulas read as table(NAME, x); its points are copied. */
ZN_API zn_status zn_machine_table(zn_machine *machine, const char *name, const zn_table_def *def);
/* An input that follows a table over time from the start, as zn_simulation_follow says. */
ZN_API zn_status zn_machine_follow(zn_machine *machine, const char *input, const zn_table_def *table, bool held);

#ifdef __cplusplus
}
#endif
#endif
