/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations: step by step, or to the end at the speed of C. */
#include "zeno_python.h"

#include <string.h>
#include <time.h>

typedef struct simulation_object {
    PyObject_HEAD
    context_object *context;
    PyObject *model; /* kept alive */
    const zn_model *description;
    zn_simulation *simulation;
    zn_account *account;
    double *memory, *q, *u;     /* the present state, at places that do not move */
    bool busy;
} simulation_object;

static void show_present(simulation_object *self) {
    const zn_sizes *size = &self->description->size;
    memcpy(self->q, zn_simulation_positions(self->simulation), (size_t)size->nq * sizeof(double));
    memcpy(self->u, zn_simulation_velocities(self->simulation), (size_t)size->nu * sizeof(double));
}

static bool create(simulation_object *self, zn_settings *settings) {
    const zn_sizes *size = &self->description->size;
    zn_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = zn_simulation_create(self->context->context, self->description, settings, &self->simulation);
    Py_END_ALLOW_THREADS;
    if (status != ZN_OK) {
        if (!model_raise(self->model)) raise_status(state_of_object(self), self->context, status);
        return false;
    }
    self->memory = PyMem_Calloc((size_t)(size->nq + size->nu) + 1, sizeof(double));
    if (!self->memory) {
        PyErr_NoMemory();
        return false;
    }
    self->q = self->memory;
    self->u = self->memory + size->nq;
    show_present(self);
    return true;
}

/* Simulation(model or scene, settings) */
static PyObject *simulation_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"model", "settings", NULL};
    module_state *state = state_of_type(type);
    PyObject *model, *chosen;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO!", names, &model, &PyDict_Type, &chosen)) return NULL;
    int is_scene = PyObject_IsInstance(model, (PyObject *)state->scene), is_model = PyObject_IsInstance(model, (PyObject *)state->model);
    if (is_scene < 0 || is_model < 0) return NULL;
    if (!is_scene && !is_model) {
        PyErr_SetString(PyExc_TypeError, "a simulation needs a scene or a model");
        return NULL;
    }
    zn_settings settings = zn_settings_default();
    if (is_scene) settings = *zn_scene_settings(((scene_object *)model)->scene);
    simulation_object *self = object_new(type);
    if (!self) return NULL;
    self->model = Py_NewRef(model);
    self->description = ((model_object *)model)->model;
    self->context = context_new(state);
    if (self->context && settings_from(state, self->context, chosen, &settings) && create(self, &settings)) return (PyObject *)self;
    drop(self);
    return NULL;
}

static void simulation_dealloc(simulation_object *self) {
    zn_account_destroy(self->account);
    zn_simulation_destroy(self->simulation);
    PyMem_Free(self->memory);
    drop(self->context);
    Py_XDECREF(self->model);
    object_free(self);
}

/* ---- steps ---- */

static PyObject *simulation_step(simulation_object *self, PyObject *unused) {
    (void)unused;
    BUSY(self, NULL);
    zn_status status;
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS;
    status = zn_simulation_step(self->simulation);
    Py_END_ALLOW_THREADS;
    self->busy = false;
    if (status != ZN_OK) return model_raise(self->model) ? NULL : raise_status(state_of_object(self), self->context, status);
    show_present(self);
    return Py_NewRef(Py_None);
}

/* ---- runs ---- */

typedef struct run_state {
    simulation_object *self;
    zn_recorder *recorder;
    PyObject *progress; /* or NULL: called with (t, steps) */
    double next_look;   /* monotonic seconds */
    long steps;
} run_state;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define LOOK_SECONDS 0.05

/* From time to time: Ctrl-C, other signals, the progress bar. False: an exception is set. */
static bool look(run_state *run) {
    double now = seconds();
    if (now < run->next_look) return true;
    run->next_look = now + LOOK_SECONDS;
    PyGILState_STATE gil = PyGILState_Ensure();
    bool go_on = PyErr_CheckSignals() == 0;
    if (go_on && run->progress) {
        PyObject *r = PyObject_CallFunction(run->progress, "dl", zn_simulation_time(run->self->simulation), run->steps);
        go_on = r != NULL;
        Py_XDECREF(r);
    }
    PyGILState_Release(gil);
    return go_on;
}

static zn_status go(run_state *run) {
    zn_simulation *simulation = run->self->simulation;
    zn_status status = run->recorder ? zn_recorder_row(run->recorder) : ZN_OK;
    while (status == ZN_OK && !zn_simulation_done(simulation)) {
        status = zn_simulation_step(simulation);
        if (status == ZN_OK && run->self->account) status = zn_account_update(run->self->account);
        while (status == ZN_OK && zn_simulation_next_row(simulation))
            if (run->recorder) status = zn_recorder_row(run->recorder);
        run->steps++;
        if (status == ZN_OK && !look(run)) status = ZN_STOPPED;
    }
    return status;
}

static PyObject *finish(simulation_object *self, run_state *run, bool in_memory, zn_status status) {
    PyObject *type = NULL, *value = NULL, *trace = NULL, *result = NULL;
    PyErr_Fetch(&type, &value, &trace); /* an exception of the observer or of a function of the model comes back last */
    zn_result *kept = NULL;
    zn_status ended = ZN_OK;
    if (run->recorder) ended = in_memory ? zn_recorder_keep(run->recorder, &kept) : zn_recorder_finish(run->recorder, status == ZN_OK);
    if (status == ZN_OK) status = ended;
    if (kept && !(result = result_new(state_of_object(self), self->context, kept))) zn_result_close(kept);
    if (!type && model_raise(self->model)) PyErr_Fetch(&type, &value, &trace);
    PyObject *error = NULL;
    if (type) {
        PyErr_NormalizeException(&type, &value, &trace);
        error = Py_NewRef(value);
    } else {
        error = status == ZN_OK ? Py_NewRef(Py_None) : take_errors(self->context, status);
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    if (!error || PyErr_Occurred()) {
        Py_XDECREF(error);
        Py_XDECREF(result);
        return NULL;
    }
    return Py_BuildValue("(iNN)", (int)status, result ? result : Py_NewRef(Py_None), error);
}

/* run(path or None, keep: bool, account: bool, title, text, progress) -> (status, result or None, error or None) */
static PyObject *simulation_run(simulation_object *self, PyObject *args) {
    const char *path, *title, *text;
    int keep, account;
    PyObject *progress;
    if (!PyArg_ParseTuple(args, "zppzzO", &path, &keep, &account, &title, &text, &progress)) return NULL;
    BUSY(self, NULL);
    module_state *state = state_of_object(self);
    run_state run = {.self = self, .progress = progress == Py_None ? NULL : progress, .next_look = seconds() + LOOK_SECONDS};
    zn_context *context = self->context->context;
    zn_status status = ZN_OK;
    if (path || keep) status = zn_recorder_create(context, self->simulation, title, text, path, &run.recorder);
    if (status == ZN_OK && account && !self->account && self->description->energy)
        status = zn_account_create(context, self->simulation, &self->account);
    if (status != ZN_OK) {
        zn_recorder_finish(run.recorder, false);
        return raise_status(state, self->context, status);
    }
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS;
    status = go(&run);
    Py_END_ALLOW_THREADS;
    self->busy = false;
    show_present(self);
    return finish(self, &run, keep && !path, status);
}

/* ---- what it knows ---- */

static PyObject *get_t(simulation_object *self, void *unused) {
    (void)unused;
    return PyFloat_FromDouble(zn_simulation_time(self->simulation));
}
static PyObject *get_done(simulation_object *self, void *unused) {
    (void)unused;
    return PyBool_FromLong(zn_simulation_done(self->simulation));
}
static PyObject *get_q(simulation_object *self, void *unused) {
    (void)unused;
    return array_of_vector(state_of_object(self), (PyObject *)self, self->q, self->description->size.nq);
}
static PyObject *get_u(simulation_object *self, void *unused) {
    (void)unused;
    return array_of_vector(state_of_object(self), (PyObject *)self, self->u, self->description->size.nu);
}

/* Copies: these belong to the step. */
static PyObject *list_of(const double *values, int count) {
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        PyObject *number = PyFloat_FromDouble(values[i]);
        if (!number || PyList_SetItem(list, i, number) < 0) Py_CLEAR(list);
    }
    return list;
}

static int rows_of(const zn_model *m) { return m->size.ng + m->size.ny + m->size.nN + m->size.nF; }

static PyObject *get_percussions(simulation_object *self, void *unused) {
    (void)unused;
    return list_of(zn_simulation_percussions(self->simulation), rows_of(self->description));
}
static PyObject *get_totals(simulation_object *self, void *unused) {
    (void)unused;
    return list_of(zn_simulation_percussion_totals(self->simulation), rows_of(self->description));
}
static PyObject *get_gaps(simulation_object *self, void *unused) {
    (void)unused;
    return list_of(zn_simulation_gaps(self->simulation), self->description->size.n_contacts);
}
static PyObject *get_energy(simulation_object *self, void *unused) {
    (void)unused;
    double kinetic, potential;
    zn_simulation_energy(self->simulation, &kinetic, &potential);
    return Py_BuildValue("(dd)", kinetic, potential);
}
static PyObject *get_outputs(simulation_object *self, void *unused) {
    (void)unused;
    int n = self->description->n_outputs;
    double *values = PyMem_Calloc((size_t)n + 1, sizeof *values);
    if (!values) return PyErr_NoMemory();
    zn_status status = zn_simulation_outputs(self->simulation, values);
    PyObject *list = status == ZN_OK ? list_of(values, n) : raise_status(state_of_object(self), self->context, status);
    PyMem_Free(values);
    return list;
}
static PyObject *get_settings(simulation_object *self, void *unused) {
    (void)unused;
    return settings_to(self->context, zn_simulation_settings(self->simulation));
}
static PyObject *get_log(simulation_object *self, void *unused) {
    (void)unused;
    return Py_NewRef(self->context->log);
}

static PyObject *get_statistics(simulation_object *self, void *unused) {
    (void)unused;
    zn_statistics s = zn_simulation_statistics(self->simulation);
#define LONG(name) #name, s.name
    return Py_BuildValue("{s:l,s:l,s:l,s:l,s:l,s:l,s:l,s:l,s:l,s:l,s:l,s:l,s:l,s:l,"
                         "s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:i,s:i,s:i,s:i,s:l}",
                         LONG(steps), LONG(rejected), LONG(cut_steps), LONG(cut_impacts), LONG(newton_steps), LONG(least_norm_steps),
                         LONG(projection_steps), LONG(newton_total), LONG(least_norm_total), LONG(projection_total), LONG(roundoff_steps),
                         LONG(staged_accepted), LONG(staged_repeated), LONG(energy_warnings), LONG(step_min), LONG(step_max),
                         LONG(max_penetration), LONG(max_g), LONG(max_gdot), LONG(max_gamma), LONG(energy_start), LONG(energy_end),
                         LONG(newton_mean), LONG(least_norm_mean), LONG(projection_mean), LONG(max_residual), LONG(roundoff_residual),
                         LONG(contradiction), LONG(newton_max), LONG(least_norm_max), LONG(projection_max), LONG(redundant_rows),
                         LONG(row_choices));
#undef LONG
}

static PyObject *account_dictionary(zn_part_account a) {
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:O}", "kinetic", a.kinetic, "potential", a.potential, "work", a.work, "lost",
                         a.lost, "supplied", a.supplied, "normal", a.normal, "friction", a.friction, "start", a.start, "scheme", a.scheme,
                         "available", a.available, "diverged", a.diverged ? Py_True : Py_False);
}

/* None: nobody asked for it. Else {"total": {...}, part: {...}} */
static PyObject *get_account(simulation_object *self, void *unused) {
    (void)unused;
    if (!self->account) return Py_NewRef(Py_None);
    PyObject *all = PyDict_New(), *one = all ? account_dictionary(zn_account_total(self->account)) : NULL;
    if (!one || PyDict_SetItemString(all, "total", one) < 0) goto failed;
    for (int i = 0; i < zn_model_part_count(self->description); i++) {
        Py_DECREF(one);
        one = account_dictionary(zn_account_part(self->account, i));
        if (!one || PyDict_SetItemString(all, zn_model_part_info(self->description, i).name, one) < 0) goto failed;
    }
    Py_DECREF(one);
    return all;
failed:
    Py_XDECREF(one);
    Py_XDECREF(all);
    return NULL;
}

static PyMethodDef methods[] = {{"step", (PyCFunction)simulation_step, METH_NOARGS, NULL}, {"run", (PyCFunction)simulation_run, METH_VARARGS, NULL}, {0}};
static PyGetSetDef members[] = {{"t", (getter)get_t, NULL, NULL, NULL},
                                {"done", (getter)get_done, NULL, NULL, NULL},
                                {"q", (getter)get_q, NULL, NULL, NULL},
                                {"u", (getter)get_u, NULL, NULL, NULL},
                                {"percussions", (getter)get_percussions, NULL, NULL, NULL},
                                {"percussion_totals", (getter)get_totals, NULL, NULL, NULL},
                                {"gaps", (getter)get_gaps, NULL, NULL, NULL},
                                {"energy", (getter)get_energy, NULL, NULL, NULL},
                                {"outputs", (getter)get_outputs, NULL, NULL, NULL},
                                {"settings", (getter)get_settings, NULL, NULL, NULL},
                                {"statistics", (getter)get_statistics, NULL, NULL, NULL},
                                {"account", (getter)get_account, NULL, NULL, NULL},
                                {"log", (getter)get_log, NULL, NULL, NULL},
                                {0}};
static PyType_Slot slots[] = {{Py_tp_new, simulation_new}, {Py_tp_dealloc, simulation_dealloc}, {Py_tp_methods, methods}, {Py_tp_getset, members}, {0, NULL}};
PyType_Spec simulation_spec = {"zeno._zeno.Simulation", sizeof(simulation_object), 0, Py_TPFLAGS_DEFAULT, slots};
