/* SPDX-License-Identifier: Apache-2.0 */
/* The extension module zeno._zeno: the public C interface as Python objects, with the limited API of Python 3.11, so that one binary
 * serves all later versions. Everything that is convenient stands in Python (zeno/); here are handles, memory, threads and errors.
 *
 *   Context     one zn_context; every object that came from it keeps it alive
 *   Array       doubles of somebody else as a buffer (numpy.asarray makes an array of it without a copy)
 *   Scene, Model, Simulation, Result
 *
 * A call that computes releases the GIL. A simulation at work in one thread refuses another (see READY); a result lets them wait. */
#ifndef ZENO_PYTHON_H
#define ZENO_PYTHON_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

#include <zeno/zeno.h>

typedef struct module_state {
    PyObject *error; /* zeno._zeno.Error */
    PyTypeObject *context, *array, *scene, *model, *simulation, *result;
} module_state;
module_state *state_of(PyObject *module);
extern PyModuleDef zeno_module;
/* The state of the module that a type belongs to. */
module_state *state_of_type(PyTypeObject *);

/* Memory of an object, its state, one reference less. */
static inline void *object_new(PyTypeObject *type) { return ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0); }
static inline module_state *state_of_object(void *self) { return state_of_type(Py_TYPE((PyObject *)self)); }
static inline void drop(void *object) { Py_XDECREF((PyObject *)object); }
/* At the end of a dealloc: the memory, and the reference that objects of heap types have to their type. */
static inline void object_free(void *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    drop(type);
}

/* ---- context and errors (context.c) ---- */

typedef struct context_object {
    PyObject_HEAD
    zn_context *context;
    PyObject *log; /* list of (level, message) */
} context_object;
extern PyType_Spec context_spec;
context_object *context_new(module_state *);
/* (status, sentence, list of errors) from what the context knows, which is cleared. */
PyObject *take_errors(context_object *, zn_status);
/* Raises zeno._zeno.Error(status, sentence, list of errors) from what the context knows, and clears it. Returns NULL. */
PyObject *raise_status(module_state *, context_object *, zn_status);

/* ---- arrays (array.c) ---- */

extern PyType_Spec array_spec;
/* A view of doubles that `owner` keeps alive; strides in doubles. */
PyObject *array_new(module_state *, PyObject *owner, const double *data, int n_dimensions, const Py_ssize_t *shape, const Py_ssize_t *strides);
PyObject *array_of_vector(module_state *, PyObject *owner, const double *data, Py_ssize_t count);

/* ---- models, scenes (scene.c, model.c) ---- */

typedef struct model_object { /* also the beginning of a scene */
    PyObject_HEAD
    context_object *context;
    const zn_model *model;
} model_object;
typedef struct scene_object {
    model_object base;
    zn_scene *scene;
} scene_object;
extern PyType_Spec scene_spec, model_spec;
PyObject *list_of_texts(const char *const *texts, int count);
/* Adds a new reference, which is taken also on failure. False: an exception is set. */
static inline bool dictionary_put(PyObject *dictionary, const char *name, PyObject *value) {
    bool good = dictionary && value && PyDict_SetItemString(dictionary, name, value) == 0;
    drop(value);
    return good;
}
/* Sets an item, for which `item` is a new reference or NULL with an exception; the list is then dropped. */
static inline PyObject *list_put(PyObject *list, Py_ssize_t i, PyObject *item) {
    if (item && PyList_SetItem(list, i, item) == 0) return list;
    drop(list);
    return NULL;
}
/* Names, sizes, contacts of a model as a dictionary. */
PyObject *describe_model(const zn_model *);
/* After a failure: whether a function of the model has left a Python exception (then it is raised). */
bool model_raise(PyObject *model);

/* ---- settings (settings.c) ---- */

/* Puts the entries of a dictionary into settings. False: an exception is set. */
bool settings_from(module_state *, context_object *, PyObject *dictionary, zn_settings *);
/* {name: text} */
PyObject *settings_to(context_object *, const zn_settings *);

/* ---- simulations and results ---- */

typedef struct simulation_object {
    PyObject_HEAD
    context_object *context;
    PyObject *model; /* kept alive */
    const zn_model *description;
    zn_simulation *simulation;
    zn_account *account;
    double *memory, *q, *u; /* the present state, at places that do not move */
    double t;               /* that of q and u, also while a run is at work */
    bool done, busy;
} simulation_object;
extern PyType_Spec simulation_spec, result_spec;
extern PyGetSetDef simulation_members[]; /* present.c */
PyObject *result_new(module_state *, context_object *, zn_result *);
PyObject *solve_contact_problem(PyObject *module, PyObject *args);

/* A simulation is used by one thread at a time, and not after its end. */
#define READY(self)                                                                                                                  \
    if (!(self)->simulation || (self)->busy) {                                                                                       \
        PyErr_SetString(PyExc_RuntimeError,                                                                                          \
                        (self)->busy ? "the simulation is at work in another thread" : "the simulation was closed");                 \
        return NULL;                                                                                                                 \
    }

#endif
