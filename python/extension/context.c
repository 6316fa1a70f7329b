/* SPDX-License-Identifier: Apache-2.0 */
/* One context of the library, and its errors as exceptions. */
#include "zeno_python.h"

/* The library may log while the GIL is released. */
static void keep_log(void *user, zn_log_level level, const char *message) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *line = Py_BuildValue("(ss)", level == ZN_LOG_WARNING ? "warning" : "info", message);
    if (!line || PyList_Append(((context_object *)user)->log, line) < 0) PyErr_Clear();
    Py_XDECREF(line);
    PyGILState_Release(gil);
}

context_object *context_new(module_state *state) {
    context_object *self = object_new(state->context);
    if (!self) return NULL;
    self->log = PyList_New(0);
    zn_context_def def = {.log = keep_log, .log_user = self};
    self->context = self->log ? zn_context_create(&def) : NULL;
    if (self->context) return self;
    drop(self);
    return (context_object *)PyErr_NoMemory();
}

static void context_dealloc(context_object *self) {
    zn_context_destroy(self->context);
    Py_XDECREF(self->log);
    object_free(self);
}

static PyObject *place_or_none(int number) { return number > 0 ? PyLong_FromLong(number) : Py_NewRef(Py_None); }

static PyObject *error_dictionary(const zn_error *e) {
    return Py_BuildValue("{s:i,s:s,s:z,s:N,s:N,s:N,s:N,s:z}", "status", (int)e->status, "message", e->message, "file", e->file, "line",
                         place_or_none(e->line), "column", place_or_none(e->column), "step",
                         e->step > 0 ? PyLong_FromLong(e->step) : Py_NewRef(Py_None), "time",
                         e->time == e->time ? PyFloat_FromDouble(e->time) : Py_NewRef(Py_None), "subject", e->subject);
}

PyObject *take_errors(context_object *context, zn_status status) {
    zn_context *c = context->context;
    PyObject *errors = PyList_New(0);
    for (int i = 0; errors && i < zn_error_count(c); i++) {
        PyObject *e = error_dictionary(zn_error_get(c, i));
        if (!e || PyList_Append(errors, e) < 0) Py_CLEAR(errors);
        Py_XDECREF(e);
    }
    const char *text = zn_error_text(c);
    PyObject *value = errors ? Py_BuildValue("(isN)", (int)status, *text ? text : zn_status_text(status), errors) : NULL;
    zn_error_clear(c);
    return value;
}

PyObject *raise_status(module_state *state, context_object *context, zn_status status) {
    if (PyErr_Occurred()) return NULL;
    if (status == ZN_ERROR_MEMORY) return PyErr_NoMemory();
    PyObject *value = take_errors(context, status);
    if (value) PyErr_SetObject(state->error, value);
    Py_XDECREF(value);
    return NULL;
}

static PyType_Slot slots[] = {{Py_tp_dealloc, context_dealloc}, {0, NULL}};
PyType_Spec context_spec = {"zeno._zeno.Context", sizeof(context_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
