/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete contact problems. */
#include "zeno_python.h"

#include <string.h>

/* Numbers of one kind in a buffer ("d" or "i"), one after the other; an exception says what is wrong. */
static bool get_numbers(PyObject *object, const char *name, char format, Py_ssize_t count, Py_buffer *view, bool writable) {
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)) < 0) return false;
    if (view->format && strlen(view->format) == 1 && *view->format == format && (count < 0 || view->len / view->itemsize == count)) return true;
    PyErr_Format(PyExc_ValueError, "'%s' must be %zd values of type %c", name, count, format);
    PyBuffer_Release(view);
    return false;
}

enum { MOST_BUFFERS = 16 };
typedef struct buffers {
    Py_buffer views[MOST_BUFFERS];
    int count;
} buffers;

static const void *take(buffers *b, PyObject *object, const char *name, char format, Py_ssize_t count, bool writable) {
    if (PyErr_Occurred() || object == Py_None) return NULL;
    if (!get_numbers(object, name, format, count, &b->views[b->count], writable)) return NULL;
    return b->views[b->count++].buf;
}

static Py_ssize_t length_of_last(const buffers *b) { return b->count ? b->views[b->count - 1].len / b->views[b->count - 1].itemsize : 0; }

/* (rows, columns, row indices, column indices, values) or None */
static zn_triplets take_matrix(buffers *b, PyObject *tuple, const char *name) {
    zn_triplets m = {0};
    PyObject *row, *col, *value;
    if (PyErr_Occurred() || tuple == Py_None) return m;
    if (!PyArg_ParseTuple(tuple, "iiOOO", &m.rows, &m.cols, &row, &col, &value)) return m;
    m.value = take(b, value, name, 'd', -1, false);
    Py_ssize_t count = length_of_last(b);
    if (count > INT_MAX) PyErr_Format(PyExc_ValueError, "'%s' has too many entries", name);
    m.count = (int)count;
    m.row = take(b, row, name, 'i', count, false);
    m.col = take(b, col, name, 'i', count, false);
    return m;
}

/* solve_contact_problem(dim, n, W, q, M, H, f, w, mu, mu_rolling, solver, residual, r, u) -> (status, outcome, error or None) */
PyObject *solve_contact_problem(PyObject *module, PyObject *args) {
    module_state *state = state_of(module);
    int dim, n, solver;
    double residual;
    PyObject *W, *q, *M, *H, *f, *w, *mu, *mu_rolling, *r, *u;
    if (!PyArg_ParseTuple(args, "iiOOOOOOOOidOO", &dim, &n, &W, &q, &M, &H, &f, &w, &mu, &mu_rolling, &solver, &residual, &r, &u)) return NULL;
    buffers b = {.count = 0};
    Py_ssize_t m = (Py_ssize_t)dim * n;
    zn_contact_problem p = {.global = M != Py_None, .dim = dim, .n_contacts = n};
    p.W = take_matrix(&b, W, "W");
    p.M = take_matrix(&b, M, "M");
    p.H = take_matrix(&b, H, "H");
    p.q = take(&b, q, "q", 'd', m, false);
    p.f = take(&b, f, "f", 'd', p.M.rows, false);
    p.w = take(&b, w, "w", 'd', m, false);
    p.mu = take(&b, mu, "mu", 'd', n, false);
    p.mu_rolling = take(&b, mu_rolling, "mu_rolling", 'd', n, false);
    double *r_values = (double *)take(&b, r, "r", 'd', m, true), *u_values = (double *)take(&b, u, "u", 'd', m, true);
    context_object *context = PyErr_Occurred() ? NULL : context_new(state);
    PyObject *answer = NULL;
    if (context) {
        zn_contact_problem_outcome o = {0};
        zn_status status;
        Py_BEGIN_ALLOW_THREADS;
        status = zn_contact_problem_solve(context->context, &p, (zn_solver)solver, residual, r_values, u_values, &o);
        Py_END_ALLOW_THREADS;
        PyObject *error = status == ZN_OK ? Py_NewRef(Py_None) : take_errors(context, status);
        answer = Py_BuildValue("(i{s:d,s:i,s:i,s:i,s:i,s:i}N)", (int)status, "residual", o.residual, "sweeps", o.sweeps, "newton_iterations",
                               o.newton_iterations, "interior_iterations", o.interior_iterations, "fixed_point_iterations",
                               o.fixed_point_iterations, "factorisations", o.factorisations, error);
    }
    drop(context);
    for (int i = 0; i < b.count; i++) PyBuffer_Release(&b.views[i]);
    return answer;
}
