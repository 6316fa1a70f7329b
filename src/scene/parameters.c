/* SPDX-License-Identifier: Apache-2.0 */
/* parameters: in the order of the file, each a formula over earlier ones; --set replaces entries. */
#include "scene/scene.h"

#include <ctype.h>

struct scene_parameter {
    const scene_node *key;
    zn_formula formula;
    double value;
    bool live;
};

/* The replacement of one parameter. */
typedef struct replacement {
    const char *name;
    zn_formula value;
} replacement;

/* Splits "NAME = EXPR". The errors of a replacement name it whole: "--set m=1/0: ...". */
static bool split_set(scene_loader *loader, const char *set, replacement *out) {
    const char *file = scene_format(loader, "--set %s", set);
    const char *equals = strchr(set, '=');
    error_place place = {.file = file, .time = NAN};
    const char *start = set, *end = equals;
    while (isspace((unsigned char)*start)) start++;
    while (equals && end > start && isspace((unsigned char)end[-1])) end--;
    if (!equals || end <= start || !equals[1 + strspn(equals + 1, " \t")]) {
        fail_at(loader->context, ZN_ERROR_SCENE, &place, "a replacement is written NAME=FORMULA");
        return false;
    }
    out->name = scene_copy(loader->arena, start, (size_t)(end - start));
    out->value = (zn_formula){equals + 1, file, 0, 0};
    return out->name != NULL;
}

static replacement *read_sets(scene_loader *loader, const scene_node *parameters, const zn_scene_options *options, int *count) {
    int n_sets = options ? options->n_sets : 0;
    replacement *sets = SCENE_NEW(loader->arena, replacement, n_sets);
    *count = 0;
    for (int i = 0; sets && i < n_sets && !scene_gave_up(loader); i++) {
        replacement *set = &sets[*count];
        if (!split_set(loader, options->sets[i], set)) continue;
        ++*count;
        if (scene_find(parameters, set->name)) continue;
        error_place place = {.file = set->value.file, .time = NAN};
        if (parameters && parameters->count)
            fail_at(loader->context, ZN_ERROR_SCENE, &place, "the scene has no parameter '%s'%s", set->name,
                    scene_hint(loader, set->name, parameters));
        else fail_at(loader->context, ZN_ERROR_SCENE, &place, "the scene has no parameters");
    }
    return sets;
}

/* false: with an error. */
static bool value_of(scene_loader *loader, const scene_entry *own, zn_formula formula, double *value) {
    size_t length;
    for (const char *name = scene_next_name(formula.text, &length); name; name = scene_next_name(name + length, &length)) {
        const scene_entry *later = own;
        while (later && (strlen(later->key->text) != length || strncmp(later->key->text, name, length))) later = later->next;
        if (!later) continue;
        error_place place = scene_place_in(formula, name);
        if (later == own) fail_at(loader->context, ZN_ERROR_SCENE, &place, "parameter '%s' is defined by itself", own->key->text);
        else
            fail_at(loader->context, ZN_ERROR_SCENE, &place,
                    "parameter '%s' uses '%s', which comes later (line %d): parameters may use earlier ones only", own->key->text,
                    later->key->text, later->key->line);
        return false;
    }
    return scene_evaluate(loader, formula, scene_format(loader, "parameter '%s'", own->key->text), value);
}

/* NAME: {value: FORMULA, live: true}: *value the formula's node; NULL with an error. */
static bool read_live(scene_loader *loader, const scene_entry *entry, const scene_node **value) {
    static const char *const words[] = {"false", "true"};
    const char *what = scene_format(loader, "parameter '%s'", entry->key->text);
    const scene_node *live;
    *value = entry->value;
    if (entry->value->kind != SCENE_MAP) return false;
    const scene_key keys[] = {{"value", SCENE_SCALAR, true, value}, {"live", SCENE_SCALAR, false, &live}};
    scene_want_map(loader, entry->value, what, 2, keys);
    return live && scene_want_word(loader, live, scene_format(loader, "live of %s", what), 2, words) == 1;
}

void scene_read_parameters(scene_loader *loader, const scene_node *node, const zn_scene_options *options) {
    if (loader->parameters_read) return;
    int n_sets;
    replacement *sets = read_sets(loader, node, options, &n_sets);
    if (!node || !sets) return;
    loader->values = SCENE_NEW(loader->arena, expr_name, node->count);
    loader->parameters = SCENE_NEW(loader->arena, struct scene_parameter, node->count);
    if (!loader->values || !loader->parameters) return;
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        const char *name = entry->key->text;
        const scene_node *given;
        const bool live = read_live(loader, entry, &given);
        zn_formula formula = scene_formula(loader, given);
        bool replaced = false;
        for (int i = 0; i < n_sets; i++) /* the last one counts */
            if (!strcmp(sets[i].name, name)) formula = sets[i].value, replaced = true;
        double value = 1; /* stands in for one that is wrong, so that what uses it is still checked */
        bool good = (replaced || (given && scene_want_kind(loader, given, SCENE_SCALAR, scene_format(loader, "parameter '%s'", name)))) &&
                    value_of(loader, entry, formula, &value);
        if (!good) value = 1;
        bool nameable = expr_name_is_valid(name);
        scene_declare(loader, live ? "live parameter" : "parameter", entry->key);
        if (!nameable) continue;
        loader->parameters[loader->n_parameters++] = (struct scene_parameter){entry->key, good ? formula : ZN_FORMULA("1"), value, live};
        if (!live) loader->values[loader->n_values++] = (expr_name){name, expr_constant(loader->graph, value)};
    }
}

void scene_add_parameters(scene_loader *loader) {
    for (int i = 0; i < loader->n_parameters && !scene_gave_up(loader); i++) {
        const struct scene_parameter *p = &loader->parameters[i];
        const formula_said said = {.name = p->key->text, .value = p->formula};
        scene_placed(loader,
                     p->live ? zn_machine_parameter(zn_parts_machine(loader->parts), p->key->text, p->value)
                             : parts_say(loader->parts, TEXT_PARAMETER, &said),
                     p->key);
    }
}
