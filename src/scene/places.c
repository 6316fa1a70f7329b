/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that stand alone: `start: q_0`, `restitution: e_N`. Where a parameter occurs nowhere else, another value of it is another number in the
 * model and nothing more: the scene need not be read again. */
#include "scene/scene.h"

#include "model/model.h"
#include "scene/study_section.h"

typedef struct search {
    const zn_scene *scene;
    const zn_model *model;
    const char *name;
    int count, most;
    scene_number *numbers;
    bool elsewhere;
} search;

static bool is_named(const char *text, const char *name, size_t length) { return strlen(name) == length && !strncmp(text, name, length); }

static bool occurs(const char *text, const char *name) {
    size_t length;
    for (const char *next = scene_next_name(text, &length); next; next = scene_next_name(next + length, &length)) {
        while (length && next[length - 1] == '\'') length--;
        if (is_named(next, name, length)) return true;
        while (next[length] == '\'') length++;
    }
    return false;
}

static bool stands_alone(const scene_node *node, const char *name) {
    const char *text = node->text + strspn(node->text, " \t\n");
    size_t length = strcspn(text, " \t\n");
    return is_named(text, name, length) && !text[length + strspn(text + length, " \t\n")];
}

static void add(search *s, const double *number, double low, double high, int kind) {
    if (s->count == s->most) s->elsewhere = true;
    else s->numbers[s->count++] = (scene_number){(double *)(uintptr_t)number, low, high, kind}; /* the scene's own memory */
}

static int index_of(const char *name, int count, const char *const *names, const char *ending) {
    size_t length = strlen(name);
    for (int i = 0; i < count; i++)
        if (!strncmp(names[i], name, length) && !strcmp(names[i] + length, ending)) return i;
    return -1;
}

/* A node of which the parameter is all: SECTION/ENTRY, or SECTION/ENTRY/KEY. */
static bool take(search *s, const char *section, const char *entry, const char *key) {
    const zn_model *m = s->model;
    bool first = !key || !strcmp(key, "start");
    if (!strcmp(section, "coordinates")) {
        int q = index_of(entry, m->size.nq, m->q_names, ""), u = index_of(entry, m->size.nu, m->u_names, "'");
        if (first && q >= 0) add(s, &m->q_start[q], -INFINITY, INFINITY, SCENE_START);
        else if (key && !strcmp(key, "velocity") && u >= 0) add(s, &m->u_start[u], -INFINITY, INFINITY, SCENE_START);
        else return false;
        return true;
    }
    if (!strcmp(section, "velocities")) {
        int u = index_of(entry, m->size.nu, m->u_names, "");
        if (!first || u < 0) return false;
        add(s, &m->u_start[u], -INFINITY, INFINITY, SCENE_START);
        return true;
    }
    for (int k = 0; key && !strcmp(section, "contacts") && k < m->size.n_contacts; k++) {
        if (strcmp(m->contacts[k].name, entry) != 0) continue;
        if (!strcmp(key, "restitution")) add(s, &m->contacts[k].e_N, 0, 1, SCENE_RESTITUTION);
        else if (!strcmp(key, "tangential_restitution")) add(s, &m->contacts[k].e_F, 0, 1, SCENE_COEFFICIENT);
        else return false;
        return true;
    }
    return false;
}

/* depth 0: sections; 1: their entries; 2: keys of entries. */
static void look(search *s, const scene_node *node, const char *section, const char *entry, const char *key, int depth) {
    if (node->kind == SCENE_SCALAR) {
        if (!occurs(node->text, s->name)) return;
        if (depth > 3 || !entry || !stands_alone(node, s->name) || !take(s, section, entry, key)) s->elsewhere = true;
        return;
    }
    for (const scene_entry *e = node->first; e && !s->elsewhere; e = e->next) {
        const char *name = e->key ? e->key->text : "";
        if (depth == 0 && (!strcmp(name, "title") || !strcmp(name, "study"))) continue;
        if (depth == 1 && !strcmp(section, "parameters") && !strcmp(name, s->name)) continue; /* its own value */
        look(s, e->value, depth == 0 ? name : section, depth == 1 ? name : entry, depth == 2 ? name : key, depth + 1);
    }
}

int scene_numbers_of(const zn_scene *scene, const scene_node *root, const zn_scene_options *options, const char *name, int most,
                     scene_number *numbers) {
    search s = {.scene = scene, .model = zn_scene_model(scene), .name = name, .most = most, .numbers = numbers};
    if (scene_reuses(root) || scene_find(root, "bodies") || scene_find(root, "templates")) return -1;
    for (int i = 0; i < options->n_sets; i++) {
        const char *value = strchr(options->sets[i], '=');
        if (value && occurs(value + 1, name)) return -1;
    }
    look(&s, root, "", NULL, NULL, 0);
    return s.elsewhere ? -1 : s.count;
}
