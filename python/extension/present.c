/* SPDX-License-Identifier: Apache-2.0 */
/* What a simulation knows of its present and of its past. Everything is a copy but q and u; what would read the memory of a step refuses while one is at
 * work. */
#include "zeno_python.h"

static PyObject *get_t(simulation_object *self, void *unused) {
    (void)unused;
    return PyFloat_FromDouble(self->t);
}
static PyObject *get_done(simulation_object *self, void *unused) {
    (void)unused;
    return PyBool_FromLong(self->done);
}
static PyObject *get_q(simulation_object *self, void *unused) {
    (void)unused;
    return array_of_vector(state_of_object(self), (PyObject *)self, self->q, self->description->size.nq);
}
static PyObject *get_u(simulation_object *self, void *unused) {
    (void)unused;
    return array_of_vector(state_of_object(self), (PyObject *)self, self->u, self->description->size.nu);
}

static PyObject *list_of(const double *values, int count) {
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++) list = list_put(list, i, PyFloat_FromDouble(values[i]));
    return list;
}

static int rows_of(const zn_model *m) { return m->size.ng + m->size.ny + m->size.nN + m->size.nF; }

static PyObject *get_percussions(simulation_object *self, void *unused) {
    (void)unused;
    READY(self);
    return list_of(zn_simulation_percussions(self->simulation), rows_of(self->description));
}
static PyObject *get_totals(simulation_object *self, void *unused) {
    (void)unused;
    READY(self);
    return list_of(zn_simulation_percussion_totals(self->simulation), rows_of(self->description));
}
static PyObject *get_gaps(simulation_object *self, void *unused) {
    (void)unused;
    READY(self);
    return list_of(zn_simulation_gaps(self->simulation), self->description->size.n_contacts);
}
static PyObject *get_energy(simulation_object *self, void *unused) {
    (void)unused;
    READY(self);
    double kinetic, potential;
    zn_simulation_energy(self->simulation, &kinetic, &potential);
    return Py_BuildValue("(dd)", kinetic, potential);
}
static PyObject *get_outputs(simulation_object *self, void *unused) {
    (void)unused;
    READY(self);
    int n = self->description->n_outputs;
    double *values = PyMem_Calloc((size_t)n + 1, sizeof *values);
    if (!values) return PyErr_NoMemory();
    zn_status status = zn_simulation_outputs(self->simulation, values);
    PyObject *list = NULL;
    if (status == ZN_OK) list = list_of(values, n);
    else if (!model_raise(self->model)) raise_status(state_of_object(self), self->context, status);
    PyMem_Free(values);
    return list;
}
static PyObject *get_settings(simulation_object *self, void *unused) {
    (void)unused;
    READY(self);
    return settings_to(self->context, zn_simulation_settings(self->simulation));
}
static PyObject *get_log(simulation_object *self, void *unused) {
    (void)unused;
    return PySequence_List(self->context->log);
}

static PyObject *get_inputs(simulation_object *self, void *unused) {
    (void)unused;
    READY(self);
    PyObject *names = PyList_New(0);
    for (int i = 0; names && zn_simulation_input_name(self->simulation, i); i++) {
        PyObject *name = PyUnicode_FromString(zn_simulation_input_name(self->simulation, i));
        if (!name || PyList_Append(names, name) != 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

/* ---- what happened ---- */

/* [(name, time)] */
static PyObject *get_events(simulation_object *self, void *unused) {
    (void)unused;
    READY(self);
    int n = zn_simulation_event_count(self->simulation);
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        zn_event e = zn_simulation_event(self->simulation, i);
        list = list_put(list, i, Py_BuildValue("(sd)", e.name, e.t));
    }
    return list;
}

static PyObject *get_stop_message(simulation_object *self, void *unused) {
    (void)unused;
    READY(self);
    return Py_BuildValue("z", zn_simulation_stop_message(self->simulation));
}

static PyObject *get_contact_events(simulation_object *self, void *unused) {
    (void)unused;
    READY(self);
    long n = zn_simulation_contact_event_count(self->simulation);
    PyObject *list = PyList_New(n);
    for (long i = 0; list && i < n; i++) {
        zn_contact_event e = zn_simulation_contact_event(self->simulation, i);
        list = list_put(list, i,
                        Py_BuildValue("{s:d,s:z,s:z,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "time", e.t, "contact", e.name, "kind",
                                      zn_contact_event_text(e.kind), "normal_before", e.normal_before, "normal_after", e.normal_after,
                                      "tangential_before", e.tangential_before, "tangential_after", e.tangential_after, "normal_impulse",
                                      e.normal_impulse, "tangential_impulse", e.tangential_impulse, "energy_lost", e.energy_lost));
    }
    return list;
}

static PyObject *get_energy_warnings(simulation_object *self, void *unused) {
    (void)unused;
    READY(self);
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < ZN_ENERGY_WARNINGS_KEPT; i++) {
        zn_energy_warning w = zn_simulation_energy_warning(self->simulation, i);
        if (!w.name) break;
        PyObject *one = Py_BuildValue("{s:s,s:d,s:d}", "contact", w.name, "time", w.t, "gained", w.gained);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *get_found(simulation_object *self, void *unused) {
    (void)unused;
    READY(self);
    int n = zn_simulation_found_count(self->simulation);
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        zn_found_contact c;
        zn_status status = zn_simulation_found(self->simulation, i, &c);
        if (status != ZN_OK) {
            drop(list);
            return raise_status(state_of_object(self), self->context, status);
        }
        list = list_put(list, i,
                        Py_BuildValue("{s:s,s:(ss),s:(ii),s:d,s:(ddd),s:(ddd),s:d,s:(ddd)}", "name", c.name, "shapes", c.shapes[0], c.shapes[1],
                                      "features", c.feature[0], c.feature[1], "gap", c.gap, "point", c.point[0], c.point[1], c.point[2],
                                      "normal", c.normal[0], c.normal[1], c.normal[2], "push", c.normal_percussion, "percussion",
                                      c.percussion[0], c.percussion[1], c.percussion[2]));
    }
    return list;
}

#define NUMBERS_OF_STEPS(X)                                                                                                            \
    X(steps) X(rejected) X(cut_steps) X(cut_impacts) X(newton_steps) X(least_norm_steps) X(projection_steps) X(newton_total)           \
    X(least_norm_total) X(projection_total) X(newton_max) X(least_norm_max) X(projection_max) X(roundoff_steps) X(staged_accepted)     \
    X(staged_repeated) X(energy_warnings) X(redundant_rows) X(row_choices) X(found_max) X(found_lists) X(missed_pairs)                 \
    X(components_max) X(sweeps) X(factorisations) X(linear_solves) X(events_located) X(events_captured) X(event_solves)                \
    X(event_accumulations) X(painleve) X(unfinished_steps) X(chatter_stretches) X(chatter_steps)
#define SIZES_OF_STEPS(X)                                                                                                              \
    X(step_min) X(step_max) X(max_penetration) X(max_g) X(max_gdot) X(max_gamma) X(energy_start) X(energy_end) X(newton_mean)          \
    X(least_norm_mean) X(projection_mean) X(max_residual) X(roundoff_residual) X(contradiction) X(found_mean) X(max_overlap)           \
    X(components_mean) X(cone_seconds) X(chatter_time)

static PyObject *get_statistics(simulation_object *self, void *unused) {
    (void)unused;
    READY(self);
    zn_statistics s = zn_simulation_statistics(self->simulation);
    PyObject *all = PyDict_New();
    bool good = all != NULL;
#define X(name) good = good && dictionary_put(all, #name, PyLong_FromLong((long)s.name));
    NUMBERS_OF_STEPS(X)
#undef X
#define X(name) good = good && dictionary_put(all, #name, PyFloat_FromDouble(s.name));
    SIZES_OF_STEPS(X)
#undef X
    if (good && dictionary_put(all, "contacts_found", PyBool_FromLong(s.contacts_found))) return all;
    Py_XDECREF(all);
    return NULL;
}

static PyObject *account_dictionary(zn_part_account a) {
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:O,s:O}", "kinetic", a.kinetic, "potential", a.potential, "work", a.work, "lost",
                         a.lost, "supplied", a.supplied, "events", a.events, "normal", a.normal, "friction", a.friction, "start", a.start, "scheme", a.scheme,
                         "available", a.available, "created", a.created, "created_at", a.created_at, "diverged", a.diverged ? Py_True : Py_False, "jumped",
                         a.jumped ? Py_True : Py_False);
}

/* None: nobody asked for it. Else {"total": {...}, part: {...}} */
static PyObject *get_account(simulation_object *self, void *unused) {
    (void)unused;
    READY(self);
    if (!self->account) return Py_NewRef(Py_None);
    PyObject *all = PyDict_New();
    bool good = dictionary_put(all, "total", account_dictionary(zn_account_total(self->account)));
    for (int i = 0; good && i < zn_model_part_count(self->description); i++)
        good = dictionary_put(all, zn_model_part_info(self->description, i).name, account_dictionary(zn_account_part(self->account, i)));
    if (good) return all;
    Py_XDECREF(all);
    return NULL;
}

PyGetSetDef simulation_members[] = {{"t", (getter)get_t, NULL, NULL, NULL},
                                    {"done", (getter)get_done, NULL, NULL, NULL},
                                    {"q", (getter)get_q, NULL, NULL, NULL},
                                    {"u", (getter)get_u, NULL, NULL, NULL},
                                    {"percussions", (getter)get_percussions, NULL, NULL, NULL},
                                    {"percussion_totals", (getter)get_totals, NULL, NULL, NULL},
                                    {"gaps", (getter)get_gaps, NULL, NULL, NULL},
                                    {"energy", (getter)get_energy, NULL, NULL, NULL},
                                    {"outputs", (getter)get_outputs, NULL, NULL, NULL},
                                    {"inputs", (getter)get_inputs, NULL, NULL, NULL},
                                    {"events", (getter)get_events, NULL, NULL, NULL},
                                    {"stop_message", (getter)get_stop_message, NULL, NULL, NULL},
                                    {"contact_events", (getter)get_contact_events, NULL, NULL, NULL},
                                    {"energy_warnings", (getter)get_energy_warnings, NULL, NULL, NULL},
                                    {"found", (getter)get_found, NULL, NULL, NULL},
                                    {"settings", (getter)get_settings, NULL, NULL, NULL},
                                    {"statistics", (getter)get_statistics, NULL, NULL, NULL},
                                    {"account", (getter)get_account, NULL, NULL, NULL},
                                    {"log", (getter)get_log, NULL, NULL, NULL},
                                    {0}};
