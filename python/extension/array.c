/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles that belong to somebody else, as a read-only buffer. */
#include "zeno_python.h"

enum { MOST_DIMENSIONS = 2 };

typedef struct array_object {
    PyObject_HEAD
    PyObject *owner;
    const double *data;
    int n_dimensions;
    Py_ssize_t shape[MOST_DIMENSIONS], strides[MOST_DIMENSIONS]; /* strides in bytes */
} array_object;

PyObject *array_new(module_state *state, PyObject *owner, const double *data, int n_dimensions, const Py_ssize_t *shape, const Py_ssize_t *strides) {
    array_object *self = object_new(state->array);
    if (!self) return NULL;
    self->owner = Py_NewRef(owner);
    self->data = data;
    self->n_dimensions = n_dimensions;
    for (int i = 0; i < n_dimensions; i++) {
        self->shape[i] = shape[i];
        self->strides[i] = strides[i] * (Py_ssize_t)sizeof(double);
    }
    return (PyObject *)self;
}

PyObject *array_of_vector(module_state *state, PyObject *owner, const double *data, Py_ssize_t count) {
    const Py_ssize_t one = 1;
    return array_new(state, owner, data, 1, &count, &one);
}

static void array_dealloc(array_object *self) {
    Py_XDECREF(self->owner);
    object_free(self);
}

static int array_getbuffer(array_object *self, Py_buffer *view, int flags) {
    if (flags & PyBUF_WRITABLE & ~PyBUF_SIMPLE) {
        PyErr_SetString(PyExc_BufferError, "these values are read-only");
        return -1;
    }
    Py_ssize_t count = 1;
    bool contiguous = true;
    for (int i = self->n_dimensions - 1; i >= 0; i--) {
        contiguous = contiguous && (self->shape[i] <= 1 || self->strides[i] == count * (Py_ssize_t)sizeof(double));
        count *= self->shape[i];
    }
    if (!contiguous && !(flags & PyBUF_STRIDES & ~PyBUF_ND)) {
        PyErr_SetString(PyExc_BufferError, "these values do not stand one after the other");
        return -1;
    }
    static double nothing;
    view->buf = (void *)(self->data ? self->data : &nothing);
    view->obj = Py_NewRef((PyObject *)self);
    view->len = count * (Py_ssize_t)sizeof(double);
    view->itemsize = sizeof(double);
    view->readonly = 1;
    view->ndim = self->n_dimensions;
    view->format = flags & PyBUF_FORMAT ? (char *)"d" : NULL;
    view->shape = self->shape;
    view->strides = self->strides;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

static PyType_Slot slots[] = {{Py_tp_dealloc, array_dealloc},
                              {Py_bf_getbuffer, array_getbuffer},
                              {Py_tp_doc, (void *)"Doubles of the library, as a read-only buffer."},
                              {0, NULL}};
PyType_Spec array_spec = {"zeno._zeno.Array", sizeof(array_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
