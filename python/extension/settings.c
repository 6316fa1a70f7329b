/* SPDX-License-Identifier: Apache-2.0 */
/* zn_settings as a dictionary. One table says what there is; a member that is missing in it is missing in Python. */
#include "zeno_python.h"

#include <stddef.h>
#include <string.h>

typedef enum value_type { TEXT, NUMBER, INTEGER, TRUTH, SOLVER } value_type;

static const struct member {
    const char *name;
    value_type type;
    size_t place;
} members[] = {
#define MEMBER(name, type) {#name, type, offsetof(zn_settings, name)}
    MEMBER(scheme, TEXT),        MEMBER(stages, INTEGER),      MEMBER(step, NUMBER),         MEMBER(end, NUMBER),
    MEMBER(step_auto, TRUTH),    MEMBER(accuracy, NUMBER),     MEMBER(damping, NUMBER),      MEMBER(theta, NUMBER),
    MEMBER(projection, TEXT),    MEMBER(percussion, TEXT),     MEMBER(iteration, TEXT),      MEMBER(solver, SOLVER),
    MEMBER(tolerance, NUMBER),   MEMBER(record_every, INTEGER), MEMBER(record_step, NUMBER), MEMBER(project_start, TRUTH),
    MEMBER(alpha, TEXT),         MEMBER(multipliers, TEXT),    MEMBER(activation, INTEGER),  MEMBER(start_forces, TEXT),
    MEMBER(friction_law, TEXT),  MEMBER(contradiction, NUMBER), MEMBER(restitution_law, TEXT),
#undef MEMBER
};
enum { N_MEMBERS = sizeof members / sizeof *members };
static const char *const solvers[] = {"auto", "newton", "projection"};

static bool put_solver(const char *text, zn_solver *solver) {
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, solvers[i])) {
            *solver = (zn_solver)i;
            return true;
        }
    PyErr_Format(PyExc_ValueError, "there is no solver '%s'; the solvers are auto, newton and projection", text);
    return false;
}

static bool put(const struct member *m, PyObject *value, zn_settings *settings) {
    char *place = (char *)settings + m->place;
    if (m->type == TEXT || m->type == SOLVER) {
        const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
        if (!text && !PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "the setting '%s' must be a text", m->name);
        if (!text) return false;
        if (m->type == SOLVER) return put_solver(text, (zn_solver *)place);
        memcpy(place, &text, sizeof text);
    } else if (m->type == NUMBER) {
        double number = PyFloat_AsDouble(value);
        memcpy(place, &number, sizeof number);
    } else if (m->type == INTEGER) {
        long number = PyLong_AsLong(value);
        if (!PyErr_Occurred() && (number < INT_MIN || number > INT_MAX))
            PyErr_Format(PyExc_ValueError, "the setting '%s' cannot be %ld", m->name, number);
        int fits = (int)number;
        memcpy(place, &fits, sizeof fits);
    } else {
        bool truth = PyObject_IsTrue(value) > 0;
        memcpy(place, &truth, sizeof truth);
    }
    if (!PyErr_Occurred()) return true;
    if (PyErr_ExceptionMatches(PyExc_TypeError)) PyErr_Format(PyExc_TypeError, "the setting '%s' must be a number", m->name);
    return false;
}

static bool put_named(PyObject *name, PyObject *value, zn_settings *settings) {
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    for (int i = 0; text && i < N_MEMBERS; i++)
        if (!strcmp(text, members[i].name)) return put(&members[i], value, settings);
    if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "there is no setting %R", name);
    return false;
}

bool settings_from(PyObject *dictionary, zn_settings *settings) {
    PyObject *name, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(dictionary, &position, &name, &value))
        if (!put_named(name, value, settings)) return false;
    return true;
}

PyObject *settings_to(const zn_settings *settings) {
    PyObject *dictionary = PyDict_New();
    for (int i = 0; dictionary && i < N_MEMBERS; i++) {
        const char *place = (const char *)settings + members[i].place;
        PyObject *value = NULL;
        switch (members[i].type) {
        case TEXT: value = Py_BuildValue("z", *(const char *const *)(const void *)place); break;
        case SOLVER: value = Py_BuildValue("s", solvers[*(const zn_solver *)(const void *)place]); break;
        case NUMBER: value = PyFloat_FromDouble(*(const double *)(const void *)place); break;
        case INTEGER: value = PyLong_FromLong(*(const int *)(const void *)place); break;
        case TRUTH: value = PyBool_FromLong(*(const bool *)(const void *)place); break;
        }
        if (!value || PyDict_SetItemString(dictionary, members[i].name, value) < 0) Py_CLEAR(dictionary);
        Py_XDECREF(value);
    }
    return dictionary;
}
