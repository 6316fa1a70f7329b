/* SPDX-License-Identifier: Apache-2.0 */
/* Settings as a dictionary of names and values: both are those of scenes, and the library's own table says what there is. */
#include "zeno_python.h"

/* True and False are the library's words true and false; everything else is written as Python writes it. */
static PyObject *text_of(PyObject *value) {
    if (PyBool_Check(value)) return PyUnicode_FromString(value == Py_True ? "true" : "false");
    return PyObject_Str(value);
}

bool settings_from(module_state *state, context_object *context, PyObject *dictionary, zn_settings *settings) {
    PyObject *name, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(dictionary, &position, &name, &value)) {
        PyObject *text = text_of(value);
        const char *key = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
        const char *words = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
        zn_status status = key && words ? zn_settings_set(context->context, settings, key, words) : ZN_ERROR_ARGUMENT;
        Py_XDECREF(text);
        if (status == ZN_OK) continue;
        raise_status(state, context, status);
        return false;
    }
    return true;
}

PyObject *settings_to(context_object *context, const zn_settings *settings) {
    PyObject *dictionary = PyDict_New();
    const char *name;
    char text[128];
    for (int i = 0; dictionary && (name = zn_settings_name(i)); i++) {
        PyObject *value = NULL;
        if (zn_settings_get(context->context, settings, name, text, sizeof text) == ZN_OK) value = PyUnicode_FromString(text);
        if (!value || PyDict_SetItemString(dictionary, name, value) < 0) Py_CLEAR(dictionary);
        Py_XDECREF(value);
    }
    return dictionary;
}
