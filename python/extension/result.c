/* SPDX-License-Identifier: Apache-2.0 */
/* Results, from memory or from a file. */
#include "zeno_python.h"

#include <stdint.h>

typedef struct result_object {
    PyObject_HEAD
    context_object *context;
    zn_result *result;
    PyThread_type_lock lock; /* files are read and written without the GIL, by one thread at a time */
} result_object;

static void enter(result_object *self) {
    if (PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) return;
    Py_BEGIN_ALLOW_THREADS;
    PyThread_acquire_lock(self->lock, WAIT_LOCK);
    Py_END_ALLOW_THREADS;
}
static void leave(result_object *self) { PyThread_release_lock(self->lock); }

/* The errors of a call that is over are taken before another thread may enter. */
static PyObject *leave_with(result_object *self, zn_status status) {
    PyObject *nothing = status == ZN_OK ? Py_NewRef(Py_None) : raise_status(state_of_object(self), self->context, status);
    leave(self);
    return nothing;
}

PyObject *result_new(module_state *state, context_object *context, zn_result *result) {
    result_object *self = object_new(state->result);
    if (!self) return NULL;
    if (!(self->lock = PyThread_allocate_lock())) {
        drop(self);
        return PyErr_NoMemory();
    }
    self->context = (context_object *)Py_NewRef((PyObject *)context);
    self->result = result;
    return (PyObject *)self;
}

static PyObject *result_open(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"path", NULL};
    const char *path;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "s", names, &path)) return NULL;
    module_state *state = state_of_type(type);
    context_object *context = context_new(state);
    if (!context) return NULL;
    zn_result *result = NULL;
    zn_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = zn_result_open(context->context, path, &result);
    Py_END_ALLOW_THREADS;
    PyObject *self = status == ZN_OK ? result_new(state, context, result) : raise_status(state, context, status);
    if (!self) zn_result_close(result);
    drop(context);
    return self;
}

static void result_dealloc(result_object *self) {
    zn_result_close(self->result);
    if (self->lock) PyThread_free_lock(self->lock);
    drop(self->context);
    object_free(self);
}

static PyObject *result_find(result_object *self, PyObject *name) {
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    int column;
    if (!text) return NULL;
    enter(self);
    PyObject *done = leave_with(self, zn_result_find(self->result, text, &column));
    drop(done);
    return done ? PyLong_FromLong(column) : NULL;
}

/* values(column): the column as an Array. */
static PyObject *result_values(result_object *self, PyObject *number) {
    long column = PyLong_AsLong(number);
    if (PyErr_Occurred()) return NULL;
    const double *first = NULL;
    ptrdiff_t stride = 1;
    zn_status status;
    enter(self);
    Py_BEGIN_ALLOW_THREADS;
    status = zn_result_values(self->result, column > INT_MAX ? INT_MAX : (int)column, &first, &stride);
    Py_END_ALLOW_THREADS;
    PyObject *done = leave_with(self, status);
    drop(done);
    if (!done) return NULL;
    const Py_ssize_t rows = zn_result_rows(self->result), step = stride;
    return array_new(state_of_object(self), (PyObject *)self, first, 1, &rows, &step);
}

/* table(first column, columns): rows x columns as one Array where they stand in one block, row by row or column by column, else None. */
static PyObject *result_table(result_object *self, PyObject *args) {
    int first_column, n_columns;
    if (!PyArg_ParseTuple(args, "ii", &first_column, &n_columns)) return NULL;
    if (first_column < 0 || n_columns < 0 || n_columns > zn_result_columns(self->result) - first_column) {
        PyErr_SetString(PyExc_ValueError, "there are no such columns");
        return NULL;
    }
    const double *first = NULL;
    ptrdiff_t stride = 1;
    const Py_ssize_t rows = zn_result_rows(self->result);
    bool in_columns = true; /* of a file: one behind the other */
    zn_status status = ZN_OK;
    enter(self);
    Py_BEGIN_ALLOW_THREADS;
    for (int i = 0; i < n_columns && status == ZN_OK; i++) {
        const double *column = NULL;
        status = zn_result_values(self->result, first_column + i, &column, &stride);
        if (i == 0) first = column;
        else in_columns = in_columns && (uintptr_t)column == (uintptr_t)first + (uintptr_t)(i * rows) * sizeof(double);
    }
    Py_END_ALLOW_THREADS;
    PyObject *done = leave_with(self, status);
    drop(done);
    if (!done) return NULL;
    if (n_columns > 1 && stride == 1 && !in_columns) return Py_NewRef(Py_None);
    const Py_ssize_t shape[] = {rows, n_columns}, strides[] = {stride, stride == 1 ? rows : 1};
    return array_new(state_of_object(self), (PyObject *)self, first, 2, shape, strides);
}

static PyObject *result_save(result_object *self, PyObject *path) {
    const char *text = PyUnicode_AsUTF8AndSize(path, NULL);
    if (!text) return NULL;
    zn_status status;
    enter(self);
    Py_BEGIN_ALLOW_THREADS;
    status = zn_result_save(self->result, text);
    Py_END_ALLOW_THREADS;
    return leave_with(self, status);
}

static PyObject *result_text(result_object *self, PyObject *name) {
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    return text ? Py_BuildValue("z", zn_result_text(self->result, text)) : NULL;
}

/* None: there is no such number. */
static PyObject *result_number(result_object *self, PyObject *name) {
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    double value;
    if (!text) return NULL;
    enter(self);
    zn_status status = zn_result_number(self->result, text, &value);
    zn_error_clear(self->context->context);
    leave(self);
    return status == ZN_OK ? PyFloat_FromDouble(value) : Py_NewRef(Py_None);
}

static PyObject *get_rows(result_object *self, void *unused) {
    (void)unused;
    return PyLong_FromLong(zn_result_rows(self->result));
}

static PyObject *get_columns(result_object *self, void *unused) {
    (void)unused;
    int n = zn_result_columns(self->result);
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        PyObject *name = PyUnicode_FromString(zn_result_column_name(self->result, i));
        if (!name || PyList_SetItem(list, i, name) < 0) Py_CLEAR(list);
    }
    return list;
}

/* {name: (first column, columns, names, meaning, whether it is a vector)} */
static PyObject *get_datasets(result_object *self, void *unused) {
    (void)unused;
    PyObject *all = PyDict_New();
    for (int i = 0; all && i < zn_result_dataset_count(self->result); i++) {
        zn_result_dataset d = zn_result_get_dataset(self->result, i);
        PyObject *one = Py_BuildValue("(iiNzO)", d.first_column, d.n_columns, list_of_texts(d.columns ? d.columns : &d.name, d.n_columns), d.meaning, d.columns ? Py_False : Py_True);
        if (!one || PyDict_SetItemString(all, d.name, one) < 0) Py_CLEAR(all);
        Py_XDECREF(one);
    }
    return all;
}

/* contacts(), events(), contact_events(): (entries x columns, names of columns, names) */
typedef zn_status get_table(zn_result *, zn_contact_table *);
static PyObject *entries_of(result_object *self, get_table *get) {
    zn_contact_table table = {0};
    zn_status status;
    enter(self);
    Py_BEGIN_ALLOW_THREADS;
    status = get(self->result, &table);
    Py_END_ALLOW_THREADS;
    PyObject *done = leave_with(self, status);
    drop(done);
    if (!done) return NULL;
    const Py_ssize_t shape[] = {table.count, table.n_columns}, strides[] = {table.n_columns, 1};
    return Py_BuildValue("(NNN)", array_new(state_of_object(self), (PyObject *)self, table.values, 2, shape, strides),
                         list_of_texts(table.columns, table.n_columns), list_of_texts(table.names, table.n_names));
}
static PyObject *result_contacts(result_object *self, PyObject *unused) {
    (void)unused;
    return entries_of(self, zn_result_contacts);
}
static PyObject *result_events(result_object *self, PyObject *unused) {
    (void)unused;
    return entries_of(self, zn_result_events);
}
static PyObject *result_contact_events(result_object *self, PyObject *unused) {
    (void)unused;
    return entries_of(self, zn_result_contact_events);
}

static PyMethodDef methods[] = {{"find", (PyCFunction)result_find, METH_O, NULL},
                                {"values", (PyCFunction)result_values, METH_O, NULL},
                                {"table", (PyCFunction)result_table, METH_VARARGS, NULL},
                                {"contacts", (PyCFunction)result_contacts, METH_NOARGS, NULL},
                                {"events", (PyCFunction)result_events, METH_NOARGS, NULL},
                                {"contact_events", (PyCFunction)result_contact_events, METH_NOARGS, NULL},
                                {"save", (PyCFunction)result_save, METH_O, NULL},
                                {"text", (PyCFunction)result_text, METH_O, NULL},
                                {"number", (PyCFunction)result_number, METH_O, NULL},
                                {0}};
static PyGetSetDef members[] = {{"rows", (getter)get_rows, NULL, NULL, NULL},
                                {"columns", (getter)get_columns, NULL, NULL, NULL},
                                {"datasets", (getter)get_datasets, NULL, NULL, NULL},
                                {0}};
static PyType_Slot slots[] = {{Py_tp_new, result_open}, {Py_tp_dealloc, result_dealloc}, {Py_tp_methods, methods}, {Py_tp_getset, members}, {0, NULL}};
PyType_Spec result_spec = {"zeno._zeno.Result", sizeof(result_object), 0, Py_TPFLAGS_DEFAULT, slots};
