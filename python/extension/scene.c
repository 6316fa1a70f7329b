/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes. */
#include "zeno_python.h"

PyObject *list_of_texts(const char *const *texts, int count) {
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        PyObject *text = PyUnicode_FromString(texts[i]);
        if (!text || PyList_SetItem(list, i, text) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *list_of_contacts(const zn_model *m) {
    PyObject *list = PyList_New(m->size.n_contacts);
    for (int i = 0; list && i < m->size.n_contacts; i++) {
        const zn_contact *c = &m->contacts[i];
        PyObject *one = Py_BuildValue("{s:s,s:i,s:i,s:i,s:d,s:d}", "name", c->name, "row_N", c->row_N, "row_F", c->row_F, "nF", c->nF,
                                      "restitution", c->e_N, "tangential_restitution", c->e_F);
        if (!one || PyList_SetItem(list, i, one) < 0) Py_CLEAR(list);
    }
    return list;
}

PyObject *describe_model(const zn_model *m) {
    const zn_sizes *s = &m->size;
    return Py_BuildValue("{s:i,s:i,s:i,s:i,s:i,s:i,s:N,s:N,s:N,s:N,s:N,s:O,s:z}", "nq", s->nq, "nu", s->nu, "ng", s->ng, "ny", s->ny, "nN",
                         s->nN, "nF", s->nF, "coordinates", list_of_texts(m->q_names, s->nq), "velocities",
                         list_of_texts(m->u_names, s->nu), "constraints", list_of_texts(m->bilateral_names, s->ng + s->ny), "contacts",
                         list_of_contacts(m), "outputs", list_of_texts(m->output_names, m->n_outputs), "has_energy",
                         m->energy ? Py_True : Py_False, "drawing", m->drawing);
}

/* Texts "NAME=VALUE" of a list; the array is the caller's to free. */
static const char **texts_of(PyObject *list, int *count) {
    Py_ssize_t n = PyList_Size(list);
    const char **texts = PyMem_Calloc((size_t)n + 1, sizeof *texts);
    for (Py_ssize_t i = 0; texts && i < n; i++)
        if (!(texts[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL))) {
            PyMem_Free(texts);
            return NULL;
        }
    if (!texts) PyErr_NoMemory();
    *count = (int)n;
    return texts;
}

static PyObject *scene_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"path", "name", "text", "sets", NULL};
    const char *path, *name, *text;
    PyObject *sets;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "zzzO!", names, &path, &name, &text, &PyList_Type, &sets)) return NULL;
    module_state *state = state_of_type(type);
    scene_object *self = object_new(type);
    if (!self) return NULL;
    zn_scene_options options = {0};
    const char **texts = texts_of(sets, &options.n_sets);
    options.sets = texts;
    self->base.context = texts ? context_new(state) : NULL;
    if (!self->base.context) goto failed;
    zn_status status;
    zn_context *context = self->base.context->context;
    Py_BEGIN_ALLOW_THREADS;
    status = path ? zn_scene_load(context, path, &options, &self->scene) : zn_scene_parse(context, name, text, &options, &self->scene);
    Py_END_ALLOW_THREADS;
    if (status != ZN_OK) {
        raise_status(state, self->base.context, status);
        goto failed;
    }
    PyMem_Free(texts);
    self->base.model = zn_scene_model(self->scene);
    return (PyObject *)self;
failed:
    PyMem_Free(texts);
    drop(self);
    return NULL;
}

static void scene_dealloc(scene_object *self) {
    zn_scene_destroy(self->scene);
    drop(self->base.context);
    object_free(self);
}

static PyObject *scene_title(scene_object *self, void *unused) {
    (void)unused;
    return PyUnicode_FromString(zn_scene_title(self->scene));
}
static PyObject *scene_text(scene_object *self, void *unused) {
    (void)unused;
    return PyUnicode_FromString(zn_scene_text(self->scene));
}
static PyObject *scene_as_run(scene_object *self, void *unused) {
    (void)unused;
    char *text = NULL;
    zn_status status = zn_scene_as_run(self->scene, NULL, &text);
    if (status != ZN_OK) return raise_status(state_of_object(self), self->base.context, status);
    PyObject *copy = PyUnicode_FromString(text);
    zn_scene_free_text(self->scene, text);
    return copy;
}
static PyObject *scene_settings(scene_object *self, void *unused) {
    (void)unused;
    return settings_to(self->base.context, zn_scene_settings(self->scene));
}
static PyObject *scene_model(scene_object *self, void *unused) {
    (void)unused;
    return describe_model(self->base.model);
}
static PyObject *scene_log(scene_object *self, void *unused) {
    (void)unused;
    return PySequence_List(self->base.context->log);
}

static PyGetSetDef members[] = {{"title", (getter)scene_title, NULL, NULL, NULL},
                                {"text", (getter)scene_text, NULL, NULL, NULL},
                                {"as_run", (getter)scene_as_run, NULL, NULL, NULL},
                                {"settings", (getter)scene_settings, NULL, NULL, NULL},
                                {"model", (getter)scene_model, NULL, NULL, NULL},
                                {"log", (getter)scene_log, NULL, NULL, NULL},
                                {0}};
static PyType_Slot slots[] = {{Py_tp_new, scene_new}, {Py_tp_dealloc, scene_dealloc}, {Py_tp_getset, members}, {0, NULL}};
PyType_Spec scene_spec = {"zeno._zeno.Scene", sizeof(scene_object), 0, Py_TPFLAGS_DEFAULT, slots};
