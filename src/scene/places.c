/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that only formulas of the model use: the model follows them to other values (model/formula_model.h), and the scene need not be
 * read again. */
#include "scene/scene.h"

#include "model/formula_model.h"
#include "scene/study_section.h"

static bool occurs(const char *text, const char *name) {
    size_t length;
    for (const char *next = scene_next_name(text, &length); next; next = scene_next_name(next + length, &length)) {
        while (length && next[length - 1] == '\'') length--;
        if (strlen(name) == length && !strncmp(next, name, length)) return true;
        while (next[length] == '\'') length++;
    }
    return false;
}

static bool occurs_in(const scene_node *node, const char *name) {
    if (node->kind == SCENE_SCALAR) return occurs(node->text, name);
    for (const scene_entry *e = node->first; e; e = e->next)
        if (occurs_in(e->value, name)) return true;
    return false;
}

/* Sections whose formulas go into the model as they are; what is drawn matters to whole results only, for which scenes are read. */
static bool follows(const char *section) {
    static const char *const sections[] = {"title",  "study",  "view",        "parameters", "coordinates", "velocities", "kinematics",
                                           "energy", "forces", "constraints", "contacts",   "outputs",     "mass",       "force"};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (!strcmp(sections[i], section)) return true;
    return false;
}

int scene_source_of(const zn_scene *scene, const scene_node *root, const zn_scene_options *options, const char *name) {
    if (scene_reuses(root) || scene_find(root, "bodies") || scene_find(root, "templates")) return -1;
    for (int i = 0; i < options->n_sets; i++) {
        const char *value = strchr(options->sets[i], '=');
        if (value && occurs(value + 1, name)) return -1;
    }
    for (const scene_entry *e = root->first; e; e = e->next)
        if (e->key && !follows(e->key->text) && occurs_in(e->value, name)) return -1;
    return formula_model_source(zn_scene_model(scene), name);
}
