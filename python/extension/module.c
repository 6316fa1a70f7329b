/* SPDX-License-Identifier: Apache-2.0 */
/* The module: its types, its error, and what belongs to no object. */
#include "zeno_python.h"

module_state *state_of(PyObject *module) { return PyModule_GetState(module); }

module_state *state_of_type(PyTypeObject *type) { return PyType_GetModuleState(type); }

/* [(name, summary, order, order_text, stages_min, stages_max, stages_default, contacts, friction, general_kinematics,
 * velocity_constraints, any_dynamics)] */
static PyObject *schemes(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    int n = zn_scheme_count();
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        zn_scheme_info s = zn_scheme_get(i);
        PyObject *one = Py_BuildValue("{s:s,s:s,s:i,s:z,s:i,s:i,s:i,s:O,s:O,s:O,s:O,s:O}", "name", s.name, "summary", s.summary, "order",
                                      s.order, "order_text", s.order_text, "stages_min", s.stages_min, "stages_max", s.stages_max,
                                      "stages_default", s.stages_default, "contacts", s.contacts ? Py_True : Py_False, "friction",
                                      s.friction ? Py_True : Py_False, "general_kinematics", s.general_kinematics ? Py_True : Py_False,
                                      "velocity_constraints", s.velocity_constraints ? Py_True : Py_False, "any_dynamics",
                                      s.any_dynamics ? Py_True : Py_False);
        if (!one || PyList_SetItem(list, i, one) < 0) Py_CLEAR(list);
    }
    return list;
}

/* Words of contact events, by their number. */
static PyObject *contact_event_kinds(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    const char *words[ZN_CONTACT_EVENT_KINDS];
    for (int i = 0; i < ZN_CONTACT_EVENT_KINDS; i++) words[i] = zn_contact_event_text((zn_contact_event_kind)i);
    return list_of_texts(words, ZN_CONTACT_EVENT_KINDS);
}

static PyObject *version(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyUnicode_FromString(zn_version());
}

/* Words of statuses: ["ok", "stopped", ...] */
static PyObject *statuses(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    static const char *const words[] = {
#define X(name, word, sentence) word,
        ZN_STATUS_LIST(X)
#undef X
    };
    PyObject *list = PyList_New(ZN_STATUS_COUNT);
    for (int i = 0; list && i < ZN_STATUS_COUNT; i++) {
        PyObject *word = PyUnicode_FromString(words[i]);
        if (!word || PyList_SetItem(list, i, word) < 0) Py_CLEAR(list);
    }
    return list;
}

static bool add_type(PyObject *module, PyType_Spec *spec, const char *name, PyTypeObject **type) {
    *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    return *type && PyModule_AddObjectRef(module, name, (PyObject *)*type) == 0;
}

static int execute(PyObject *module) {
    module_state *state = state_of(module);
    state->error = PyErr_NewExceptionWithDoc("zeno._zeno.Error", "An error of the library: (status, sentence, list of errors).", NULL, NULL);
    if (!state->error || PyModule_AddObjectRef(module, "Error", state->error) < 0) return -1;
    return add_type(module, &context_spec, "Context", &state->context) && add_type(module, &array_spec, "Array", &state->array) &&
                   add_type(module, &scene_spec, "Scene", &state->scene) && add_type(module, &model_spec, "Model", &state->model) &&
                   add_type(module, &simulation_spec, "Simulation", &state->simulation) &&
                   add_type(module, &result_spec, "Result", &state->result)
               ? 0
               : -1;
}

static int traverse(PyObject *module, visitproc visit, void *arg) {
    module_state *s = state_of(module);
    Py_VISIT(s->error);
    PyTypeObject *types[] = {s->context, s->array, s->scene, s->model, s->simulation, s->result};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) Py_VISIT(types[i]);
    return 0;
}

static int clear(PyObject *module) {
    module_state *s = state_of(module);
    Py_CLEAR(s->error);
    PyTypeObject **types[] = {&s->context, &s->array, &s->scene, &s->model, &s->simulation, &s->result};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) Py_CLEAR(*types[i]);
    return 0;
}

static PyMethodDef functions[] = {{"schemes", schemes, METH_NOARGS, NULL},
                                  {"version", version, METH_NOARGS, NULL},
                                  {"statuses", statuses, METH_NOARGS, NULL},
                                  {"contact_event_kinds", contact_event_kinds, METH_NOARGS, NULL},
                                  {"solve_contact_problem", solve_contact_problem, METH_VARARGS, NULL},
                                  {0}};
static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, execute}, {0, NULL}};
PyModuleDef zeno_module = {.m_base = PyModuleDef_HEAD_INIT,
                           .m_name = "zeno._zeno",
                           .m_size = sizeof(module_state),
                           .m_methods = functions,
                           .m_slots = module_slots,
                           .m_traverse = traverse,
                           .m_clear = clear};

PyMODINIT_FUNC PyInit__zeno(void) { return PyModuleDef_Init(&zeno_module); }
