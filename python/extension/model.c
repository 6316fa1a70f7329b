/* SPDX-License-Identifier: Apache-2.0 */
/* Models whose questions are answered by a Python function:
 *
 *     ask(question, t, q, u, a, lambda, wanted, no_force) -> {name: values}
 *
 * with states as bytes and answers as buffers of doubles of the right shape. Exceptions of the function end the step, and come back to
 * the caller of the step as they are. */
#include "zeno_python.h"

#include <string.h>

typedef struct functions {
    PyObject *ask;
    PyObject *exception;
    bool gone; /* the object is being destroyed */
} functions;

typedef struct python_model {
    model_object base;
    zn_model *own;
    functions *functions;
} python_model;

/* One answer of a question: where it goes, and its shape. What has no entries is not asked for. */
enum { VECTOR = -1 };
typedef struct answer {
    const char *name;
    double *to;
    int rows, cols; /* cols: or VECTOR */
    bool by_rows; /* row by row (C order), else column by column */
} answer;

static PyObject *bytes_of(const double *values, int count) {
    if (!values) return Py_NewRef(Py_None);
    return PyBytes_FromStringAndSize((const char *)values, (Py_ssize_t)count * (Py_ssize_t)sizeof *values);
}

static bool copy_answer(const answer *a, PyObject *value, const char *question) {
    Py_buffer view;
    if (PyObject_GetBuffer(value, &view, PyBUF_FULL_RO) < 0) return false;
    Py_ssize_t count = (Py_ssize_t)a->rows * (a->cols == VECTOR ? 1 : a->cols);
    bool fits = view.format && !strcmp(view.format, "d") && view.len == count * (Py_ssize_t)sizeof(double) &&
                (a->cols == VECTOR ? view.ndim == 1 : view.ndim == 2 && view.shape[0] == a->rows);
    if (fits)
        fits = PyBuffer_ToContiguous(a->to, &view, view.len, a->by_rows ? 'C' : 'F') == 0;
    else if (!fits && a->cols != VECTOR)
        PyErr_Format(PyExc_ValueError, "%s: '%s' must be a matrix of %d x %d doubles", question, a->name, a->rows, a->cols);
    else if (!fits)
        PyErr_Format(PyExc_ValueError, "%s: '%s' must be a vector of %d doubles", question, a->name, a->rows);
    PyBuffer_Release(&view);
    return fits;
}

static bool is_wanted(const answer *a) { return a->to && a->rows > 0 && a->cols != 0; }

static bool copy_answers(const answer *answers, int count, PyObject *values, const char *question) {
    if (!PyDict_Check(values)) {
        PyErr_Format(PyExc_TypeError, "%s: the answer must be a dictionary", question);
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!is_wanted(&answers[i])) continue;
        PyObject *value = PyDict_GetItemString(values, answers[i].name);
        if (!value) {
            PyErr_Format(PyExc_KeyError, "%s: the answer lacks '%s'", question, answers[i].name);
            return false;
        }
        if (!copy_answer(&answers[i], value, question)) return false;
    }
    return true;
}

static PyObject *wanted_names(const answer *answers, int count) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count; i++) {
        if (!is_wanted(&answers[i])) continue;
        PyObject *name = PyUnicode_FromString(answers[i].name);
        if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static int rows_of(const zn_model *m) { return m->size.ng + m->size.ny + m->size.nN + m->size.nF; }

static int ask(const zn_model *m, const char *question, const zn_point *at, bool no_force, const answer *answers, int count) {
    functions *f = m->data;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *values = NULL;
    if (!f->exception && !f->gone) {
        PyObject *wanted = wanted_names(answers, count);
        if (wanted)
            values = PyObject_CallFunction(f->ask, "sdNNNNNO", question, at->t, bytes_of(at->q, m->size.nq), bytes_of(at->u, m->size.nu),
                                           bytes_of(at->a, m->size.nu), bytes_of(at->lambda, rows_of(m)), wanted, no_force ? Py_True : Py_False);
    }
    bool good = values && copy_answers(answers, count, values, question);
    Py_XDECREF(values);
    if (!good && PyErr_Occurred()) {
        PyObject *type, *trace;
        PyErr_Fetch(&type, &f->exception, &trace);
        PyErr_NormalizeException(&type, &f->exception, &trace);
        if (trace) PyException_SetTraceback(f->exception, trace);
        Py_XDECREF(type);
        Py_XDECREF(trace);
    }
    PyGILState_Release(gil);
    return !good;
}

#define COUNT(answers) (int)(sizeof answers / sizeof *answers)

static int kinematics(const zn_model *m, void *work, const zn_point *at, zn_kinematics *out) {
    (void)work;
    int nq = m->size.nq, nu = m->size.nu;
    const answer answers[] = {{"qdot", out->qdot, nq, VECTOR, false}, {"qdot_q", out->qdot_q, nq, nq, false}, {"B", out->B, nq, nu, false}, {"qddot", out->qddot, nq, VECTOR, false}};
    return ask(m, "kinematics", at, false, answers, COUNT(answers));
}

static int balance(const zn_model *m, void *work, const zn_point *at, zn_balance *out) {
    (void)work;
    int nq = m->size.nq, nu = m->size.nu;
    const answer answers[] = {{"r", out->r, nu, VECTOR, false},
                              {"r_q", out->r_q, nu, nq, false},
                              {"r_u", out->r_u, nu, nu, false},
                              {"M", out->M, nu, nu, false},
                              {"W", out->W, nu, rows_of(m), false}};
    return ask(m, "balance", at, out->no_force, answers, COUNT(answers));
}

static int constraints(const zn_model *m, void *work, const zn_point *at, zn_constraints *out) {
    (void)work;
    int nq = m->size.nq, nu = m->size.nu, n = rows_of(m);
    const answer answers[] = {{"c0", out->c0, n, VECTOR, false},      {"c0_q", out->c0_q, n, nq, false}, {"c1", out->c1, n, VECTOR, false},
                              {"c1_q", out->c1_q, n, nq, false}, {"c1_u", out->c1_u, n, nu, true}, /* wanted transposed */
                              {"c2", out->c2, n, VECTOR, false},      {"c2_q", out->c2_q, n, nq, false}, {"c2_u", out->c2_u, n, nu, false}};
    return ask(m, "constraints", at, false, answers, COUNT(answers));
}

static int energy(const zn_model *m, void *work, const zn_point *at, double *kinetic, double *potential) {
    (void)work;
    const answer answers[] = {{"kinetic", kinetic, 1, VECTOR, false}, {"potential", potential, 1, VECTOR, false}};
    return ask(m, "energy", at, false, answers, COUNT(answers));
}

static int outputs(const zn_model *m, void *work, const zn_point *at, double *values) {
    (void)work;
    const answer answers[] = {{"outputs", values, m->n_outputs, VECTOR, false}};
    return ask(m, "outputs", at, false, answers, COUNT(answers));
}

/* The model may outlive its object by a moment: what it needs is freed here. */
static void destroy(zn_context *context, zn_model *m) {
    (void)context;
    functions *f = m->data;
    Py_XDECREF(f->ask);
    Py_XDECREF(f->exception);
    PyMem_Free(f);
}

bool model_raise(PyObject *object) {
    module_state *state = state_of_type(Py_TYPE(object));
    if (!PyObject_IsInstance(object, (PyObject *)state->model)) return false;
    functions *f = ((python_model *)object)->functions;
    if (!f || !f->exception) return false;
    PyErr_SetObject((PyObject *)Py_TYPE(f->exception), f->exception);
    Py_CLEAR(f->exception);
    return true;
}

/* ---- making one ---- */

enum { MOST_CONTACTS = 4096 };

typedef struct definition {
    zn_model def;
    const char **q_names, **u_names, **bilateral_names, **output_names;
    double *q_start, *u_start;
    zn_contact *contacts;
    zn_ball *balls;
} definition;

static void definition_free(definition *d) {
    void *blocks[] = {d->q_names, d->u_names, d->bilateral_names, d->output_names, d->q_start, d->u_start, d->contacts, d->balls};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) PyMem_Free(blocks[i]);
}

static const char **names_from(PyObject *list, Py_ssize_t *count) {
    *count = PySequence_Size(list);
    if (*count < 0) return NULL;
    const char **names = PyMem_Calloc((size_t)*count + 1, sizeof *names);
    if (!names) PyErr_NoMemory();
    for (Py_ssize_t i = 0; names && i < *count; i++) {
        PyObject *item = PySequence_GetItem(list, i); /* the list keeps it alive */
        if (!item || !(names[i] = PyUnicode_AsUTF8AndSize(item, NULL))) {
            Py_XDECREF(item);
            PyMem_Free(names);
            return NULL;
        }
        Py_DECREF(item);
    }
    return names;
}

static double *numbers_from(PyObject *list, Py_ssize_t count, const char *name) {
    if (PySequence_Size(list) != count) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "'%s' must have %zd values", name, count);
        return NULL;
    }
    double *numbers = PyMem_Calloc((size_t)count + 1, sizeof *numbers);
    if (!numbers) PyErr_NoMemory();
    for (Py_ssize_t i = 0; numbers && i < count && !PyErr_Occurred(); i++) {
        PyObject *item = PySequence_GetItem(list, i);
        numbers[i] = item ? PyFloat_AsDouble(item) : 0;
        Py_XDECREF(item);
    }
    if (!PyErr_Occurred()) return numbers;
    PyMem_Free(numbers);
    return NULL;
}

/* Contacts as (name, friction rows, mu, restitution, tangential restitution). Rows follow in their order. */
static bool contacts_from(definition *d, PyObject *list) {
    Py_ssize_t n = PySequence_Size(list);
    if (n < 0 || n > MOST_CONTACTS) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "a model has at most %d contacts", MOST_CONTACTS);
        return false;
    }
    zn_sizes *size = &d->def.size;
    d->contacts = PyMem_Calloc((size_t)n + 1, sizeof *d->contacts);
    d->balls = PyMem_Calloc((size_t)n + 1, sizeof *d->balls);
    if (!d->contacts || !d->balls) return PyErr_NoMemory(), false;
    size->n_contacts = size->nN = (int)n;
    int row_N = size->ng + size->ny, row_F = row_N + (int)n;
    for (int i = 0; i < (int)n; i++) {
        zn_contact *c = &d->contacts[i];
        PyObject *item = PySequence_GetItem(list, i);
        bool good = item && PyArg_ParseTuple(item, "siddd", &c->name, &c->nF, &d->balls[i].mu, &c->e_N, &c->e_F);
        Py_XDECREF(item); /* the list keeps it alive */
        if (!good) return false;
        if (c->nF < 0 || c->nF > 3) {
            PyErr_Format(PyExc_ValueError, "the contact '%s' has %d friction rows", c->name, c->nF);
            return false;
        }
        c->row_N = row_N + i;
        c->row_F = row_F;
        c->n_balls = c->nF > 0;
        d->balls[i].dim = c->nF;
        c->balls = &d->balls[i];
        row_F += c->nF;
        size->nF += c->nF;
    }
    d->def.contacts = d->contacts;
    return true;
}

typedef struct model_arguments {
    PyObject *ask, *coordinates, *velocities, *q, *u, *position_rows, *velocity_rows, *contacts, *outputs;
    int natural, has_kinematics, has_energy, uses_velocity;
} model_arguments;

static bool define(definition *d, const model_arguments *a) {
    zn_model *def = &d->def;
    Py_ssize_t nq = 0, nu = 0, ng = 0, ny = 0, n_outputs = 0;
    if (!(d->q_names = names_from(a->coordinates, &nq)) || !(d->u_names = names_from(a->velocities, &nu))) return false;
    PyObject *rows = PySequence_Concat(a->position_rows, a->velocity_rows);
    Py_ssize_t n_rows = 0;
    d->bilateral_names = rows ? names_from(rows, &n_rows) : NULL;
    Py_XDECREF(rows);
    if (!d->bilateral_names || !(d->output_names = names_from(a->outputs, &n_outputs))) return false;
    ng = PySequence_Size(a->position_rows);
    ny = n_rows - ng;
    if (!(d->q_start = numbers_from(a->q, nq, "q")) || !(d->u_start = numbers_from(a->u, nu, "u"))) return false;
    def->size = (zn_sizes){.nq = (int)nq, .nu = (int)nu, .ng = (int)ng, .ny = (int)ny};
    if (!contacts_from(d, a->contacts)) return false;
    def->q_names = d->q_names;
    def->u_names = d->u_names;
    def->bilateral_names = d->bilateral_names;
    def->output_names = d->output_names;
    def->n_outputs = (int)n_outputs;
    def->q_start = d->q_start;
    def->u_start = d->u_start;
    def->natural = a->natural;
    def->force_uses_velocity = a->uses_velocity;
    def->kinematics = a->has_kinematics ? kinematics : NULL;
    def->balance = balance;
    def->constraints = n_rows + def->size.nN + def->size.nF > 0 ? constraints : NULL;
    def->energy = a->has_energy ? energy : NULL;
    def->outputs = n_outputs ? outputs : NULL;
    def->destroy = destroy;
    return true;
}

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"ask", "coordinates", "velocities", "q", "u", "position_rows", "velocity_rows", "contacts", "outputs",
                            "natural", "has_kinematics", "has_energy", "uses_velocity", NULL};
    model_arguments a;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOOOOOOOpppp", names, &a.ask, &a.coordinates, &a.velocities, &a.q, &a.u,
                                     &a.position_rows, &a.velocity_rows, &a.contacts, &a.outputs, &a.natural, &a.has_kinematics,
                                     &a.has_energy, &a.uses_velocity))
        return NULL;
    definition d = {0};
    python_model *self = NULL;
    functions *f = NULL;
    if (!define(&d, &a)) goto failed;
    self = object_new(type);
    if (!self || !(self->base.context = context_new(state_of_type(type)))) goto failed;
    f = PyMem_Calloc(1, sizeof *f);
    if (!f) {
        PyErr_NoMemory();
        goto failed;
    }
    f->ask = Py_NewRef(a.ask);
    d.def.data = f;
    zn_status status = zn_model_from_callbacks(self->base.context->context, &d.def, &self->own);
    if (status != ZN_OK) {
        PyObject *exception = f->exception;
        if (exception) PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
        else raise_status(state_of_type(type), self->base.context, status);
        goto failed;
    }
    self->functions = f;
    self->base.model = self->own;
    definition_free(&d);
    return (PyObject *)self;
failed:
    definition_free(&d);
    if (f && !(self && self->own)) {
        Py_XDECREF(f->ask);
        Py_XDECREF(f->exception);
        PyMem_Free(f);
    }
    drop(self);
    return NULL;
}

static void model_dealloc(python_model *self) {
    if (self->functions) self->functions->gone = true;
    if (self->own) zn_model_destroy(self->base.context->context, self->own);
    drop(self->base.context);
    object_free(self);
}

/* check_derivatives(t, q, u, a, lambda) -> (worst, what, row, column, given, difference) */
static PyObject *model_check(python_model *self, PyObject *args) {
    double t;
    PyObject *lists[4];
    if (!PyArg_ParseTuple(args, "dOOOO", &t, &lists[0], &lists[1], &lists[2], &lists[3])) return NULL;
    const zn_model *m = self->own;
    const int counts[4] = {m->size.nq, m->size.nu, m->size.nu, rows_of(m)};
    static const char *const names[4] = {"q", "u", "a", "lambda"};
    double *values[4] = {NULL};
    bool good = true;
    for (int i = 0; i < 4 && good; i++) good = (values[i] = numbers_from(lists[i], counts[i], names[i])) != NULL;
    PyObject *answer = NULL;
    if (good) {
        zn_point at = {t, values[0], values[1], values[2], values[3]};
        zn_derivative_check check = {0};
        zn_status status = zn_model_check_derivatives(self->base.context->context, m, &at, &check);
        if (status == ZN_OK) answer = Py_BuildValue("(dziidd)", check.worst, check.what, check.row, check.column, check.given, check.difference);
        else if (!model_raise((PyObject *)self)) raise_status(state_of_object(self), self->base.context, status);
    }
    for (int i = 0; i < 4; i++) PyMem_Free(values[i]);
    return answer;
}

static PyObject *model_describe(python_model *self, void *unused) {
    (void)unused;
    return describe_model(self->own);
}

static PyMethodDef methods[] = {{"check_derivatives", (PyCFunction)model_check, METH_VARARGS, NULL}, {0}};
static PyGetSetDef members[] = {{"model", (getter)model_describe, NULL, NULL, NULL}, {0}};
static PyType_Slot slots[] = {{Py_tp_new, model_new}, {Py_tp_dealloc, model_dealloc}, {Py_tp_methods, methods}, {Py_tp_getset, members}, {0, NULL}};
PyType_Spec model_spec = {"zeno._zeno.Model", sizeof(python_model), 0, Py_TPFLAGS_DEFAULT, slots};
