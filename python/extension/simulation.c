/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations: step by step, or to the end at the speed of C. */
#include "zeno_python.h"

#include <string.h>
#include <time.h>

static void show_present(simulation_object *self) {
    const zn_sizes *size = &self->description->size;
    memcpy(self->q, zn_simulation_positions(self->simulation), (size_t)size->nq * sizeof(double));
    memcpy(self->u, zn_simulation_velocities(self->simulation), (size_t)size->nu * sizeof(double));
    self->t = zn_simulation_time(self->simulation);
    self->done = zn_simulation_done(self->simulation);
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

static void end(simulation_object *self) {
    zn_account_destroy(self->account);
    zn_simulation_destroy(self->simulation);
    self->account = NULL;
    self->simulation = NULL;
}

/* Frees all but q and u, of which there may be arrays. */
static PyObject *simulation_close(simulation_object *self, PyObject *unused) {
    (void)unused;
    if (self->simulation) {
        READY(self);
        end(self);
    }
    return Py_NewRef(Py_None);
}

static void simulation_dealloc(simulation_object *self) {
    end(self);
    PyMem_Free(self->memory);
    drop(self->context);
    Py_XDECREF(self->model);
    object_free(self);
}

/* ---- steps ---- */

static PyObject *simulation_step(simulation_object *self, PyObject *unused) {
    (void)unused;
    READY(self);
    zn_status status;
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS;
    status = zn_simulation_step(self->simulation);
    Py_END_ALLOW_THREADS;
    self->busy = false;
    if (status == ZN_OK || zn_simulation_done(self->simulation)) show_present(self);
    if (status != ZN_OK) return model_raise(self->model) ? NULL : raise_status(state_of_object(self), self->context, status);
    return Py_NewRef(Py_None);
}

/* ---- snapshots, other states, inputs ---- */

static PyObject *nothing_or_error(simulation_object *self, zn_status status) {
    show_present(self);
    if (status == ZN_OK) return Py_NewRef(Py_None);
    return model_raise(self->model) ? NULL : raise_status(state_of_object(self), self->context, status);
}

static PyObject *simulation_save(simulation_object *self, PyObject *unused) {
    (void)unused;
    READY(self);
    size_t size = 0;
    zn_status status = zn_simulation_save(self->simulation, NULL, 0, &size);
    PyObject *bytes = status == ZN_OK ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size) : NULL;
    if (status == ZN_OK && !bytes) return NULL;
    if (status == ZN_OK) status = zn_simulation_save(self->simulation, PyBytes_AsString(bytes), size, &size);
    if (status == ZN_OK) return bytes;
    Py_XDECREF(bytes);
    return nothing_or_error(self, status);
}

static PyObject *simulation_restore(simulation_object *self, PyObject *snapshot) {
    READY(self);
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(snapshot, &bytes, &size) != 0) return NULL;
    return nothing_or_error(self, zn_simulation_restore(self->simulation, bytes, (size_t)size));
}

static PyObject *simulation_reset(simulation_object *self, PyObject *unused) {
    (void)unused;
    READY(self);
    zn_account_destroy(self->account);
    self->account = NULL;
    return nothing_or_error(self, zn_simulation_reset(self->simulation));
}

/* A list of numbers, or None: false with an exception. */
static bool numbers_of(PyObject *list, Py_ssize_t count, const char *what, double **numbers) {
    *numbers = NULL;
    if (list == Py_None) return true;
    PyObject *all = PySequence_List(list);
    if (!all) return false;
    bool good = PyList_Size(all) == count;
    if (!good) PyErr_Format(PyExc_ValueError, "%s needs %zd numbers, not %zd", what, count, PyList_Size(all));
    if (good && !(*numbers = PyMem_Calloc((size_t)count + 1, sizeof(double)))) good = false, PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && good; i++) {
        (*numbers)[i] = PyFloat_AsDouble(PyList_GetItem(all, i));
        good = !PyErr_Occurred();
    }
    drop(all);
    return good;
}

/* set_state(q or None, u or None, project) */
static PyObject *simulation_set_state(simulation_object *self, PyObject *args) {
    PyObject *q, *u, *done = NULL;
    int project;
    double *positions = NULL, *velocities = NULL;
    if (!PyArg_ParseTuple(args, "OOp", &q, &u, &project)) return NULL;
    READY(self);
    const zn_sizes *size = &self->description->size;
    if (numbers_of(q, size->nq, "q", &positions) && numbers_of(u, size->nu, "u", &velocities))
        done = nothing_or_error(self, zn_simulation_set_state(self->simulation, positions, velocities, project));
    PyMem_Free(positions);
    PyMem_Free(velocities);
    return done;
}

static PyObject *simulation_set_input(simulation_object *self, PyObject *args) {
    const char *name;
    double value;
    if (!PyArg_ParseTuple(args, "sd", &name, &value)) return NULL;
    READY(self);
    zn_status status = zn_simulation_set_input(self->simulation, name, value);
    return status == ZN_OK ? Py_NewRef(Py_None) : raise_status(state_of_object(self), self->context, status);
}

static PyObject *simulation_input(simulation_object *self, PyObject *args) {
    const char *name;
    double value;
    if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
    READY(self);
    zn_status status = zn_simulation_input(self->simulation, name, &value);
    return status == ZN_OK ? PyFloat_FromDouble(value) : raise_status(state_of_object(self), self->context, status);
}

/* follow(name, times, values, cubic, held): arrays of doubles */
static PyObject *simulation_follow(simulation_object *self, PyObject *args) {
    const char *name;
    PyObject *times, *values, *done = NULL;
    int cubic, held;
    double *x = NULL, *y = NULL;
    if (!PyArg_ParseTuple(args, "sOOpp", &name, &times, &values, &cubic, &held)) return NULL;
    READY(self);
    Py_ssize_t count = PySequence_Size(times);
    if (count < 0) return NULL;
    if (count > INT_MAX) return PyErr_Format(PyExc_ValueError, "a table of %zd points is too long", count);
    if (numbers_of(times, count, "the times of a table", &x) && numbers_of(values, count, "the values of a table", &y)) {
        zn_table_def table = {.n = (int)count, .x = x, .y = y, .interpolation = cubic ? ZN_INTERPOLATION_CUBIC : ZN_INTERPOLATION_LINEAR};
        done = nothing_or_error(self, zn_simulation_follow(self->simulation, name, &table, held));
    }
    PyMem_Free(x);
    PyMem_Free(y);
    return done;
}

/* ---- runs ---- */

typedef struct run_state {
    simulation_object *self;
    zn_recorder *recorder;
    context_object *files; /* of the recorder, and then of its result, which may be used beside the simulation */
    PyObject *progress;    /* or NULL: called with (t, steps) */
    double next_look;      /* monotonic seconds */
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
    double last_row = zn_simulation_time(simulation);
    while (status == ZN_OK && !zn_simulation_done(simulation)) {
        status = zn_simulation_step(simulation);
        bool at_end = status == ZN_ERROR_NO_CONVERGENCE && zn_simulation_done(simulation); /* with steps above the tolerance */
        zn_status updated = (status == ZN_OK || at_end) && run->self->account ? zn_account_update(run->self->account) : ZN_OK;
        if (updated != ZN_OK) status = updated, at_end = false;
        while ((status == ZN_OK || at_end) && zn_simulation_next_row(simulation)) {
            last_row = zn_simulation_time(simulation);
            zn_status recorded = run->recorder ? zn_recorder_row(run->recorder) : ZN_OK;
            if (recorded != ZN_OK) status = recorded;
        }
        run->steps++;
        if (status != ZN_OK || look(run)) continue;
        bool behind = run->recorder && last_row < zn_simulation_time(simulation);
        status = behind ? zn_recorder_row(run->recorder) : ZN_OK; /* what was reached */
        if (status == ZN_OK) status = ZN_STOPPED;
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
    if (kept && !(result = result_new(state_of_object(self), run->files, kept))) zn_result_close(kept);
    if (!type && model_raise(self->model)) PyErr_Fetch(&type, &value, &trace);
    PyObject *error = NULL;
    if (type) {
        PyErr_NormalizeException(&type, &value, &trace);
        error = Py_NewRef(value);
    } else {
        bool of_files = zn_error_count(run->files->context) > 0;
        error = status == ZN_OK ? Py_NewRef(Py_None) : take_errors(of_files ? run->files : self->context, status);
    }
    drop(run->files);
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
    READY(self);
    module_state *state = state_of_object(self);
    run_state run = {.self = self, .progress = progress == Py_None ? NULL : progress, .next_look = seconds() + LOOK_SECONDS};
    zn_context *context = self->context->context;
    zn_status status = ZN_OK;
    int is_scene = PyObject_IsInstance(self->model, (PyObject *)state->scene);
    if (is_scene < 0) return NULL;
    if (!(run.files = context_new(state))) return NULL;
    zn_context *files = run.files->context;
    if ((path || keep) && is_scene)
        status = zn_scene_record(files, ((scene_object *)self->model)->scene, self->simulation, path, &run.recorder);
    else if (path || keep) status = zn_recorder_create(files, self->simulation, title, text, path, &run.recorder);
    if (status == ZN_OK && account && !self->account && self->description->energy)
        status = zn_account_create(context, self->simulation, &self->account);
    if (status != ZN_OK) {
        zn_recorder_finish(run.recorder, false);
        raise_status(state, zn_error_count(files) > 0 ? run.files : self->context, status);
        drop(run.files);
        return NULL;
    }
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS;
    status = go(&run);
    Py_END_ALLOW_THREADS;
    self->busy = false;
    show_present(self);
    return finish(self, &run, keep && !path, status);
}

static PyMethodDef methods[] = {{"step", (PyCFunction)simulation_step, METH_NOARGS, NULL},
                                {"run", (PyCFunction)simulation_run, METH_VARARGS, NULL},
                                {"close", (PyCFunction)simulation_close, METH_NOARGS, NULL},
                                {"save", (PyCFunction)simulation_save, METH_NOARGS, NULL},
                                {"restore", (PyCFunction)simulation_restore, METH_O, NULL},
                                {"reset", (PyCFunction)simulation_reset, METH_NOARGS, NULL},
                                {"set_state", (PyCFunction)simulation_set_state, METH_VARARGS, NULL},
                                {"set_input", (PyCFunction)simulation_set_input, METH_VARARGS, NULL},
                                {"input", (PyCFunction)simulation_input, METH_VARARGS, NULL},
                                {"follow", (PyCFunction)simulation_follow, METH_VARARGS, NULL},
                                {0}};
static PyType_Slot slots[] = {{Py_tp_new, simulation_new},
                              {Py_tp_dealloc, simulation_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, simulation_members},
                              {0, NULL}};
PyType_Spec simulation_spec = {"zeno._zeno.Simulation", sizeof(simulation_object), 0, Py_TPFLAGS_DEFAULT, slots};
