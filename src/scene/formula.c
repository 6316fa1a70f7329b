/* SPDX-License-Identifier: Apache-2.0 */
/* Names and formulas: places for the builder, values of what must be constant. */
#include "scene/scene.h"

#include <ctype.h>

const scene_range scene_any_number = {.low = -INFINITY, .high = INFINITY};
const scene_range scene_not_negative = {.high = INFINITY};
const scene_range scene_positive = {.high = INFINITY, .low_open = true};
const scene_range scene_zero_to_one = {.high = 1};

/* ---- names ---- */

static bool looks_like_name(const char *text) {
    if (!isalpha((unsigned char)*text) && *text != '_') return false;
    while (isalnum((unsigned char)*text) || *text == '_') text++;
    return !*text;
}

const scene_name *scene_known_name(const scene_loader *loader, const char *name, size_t length) {
    for (size_t i = 0; i < loader->n_names; i++)
        if (strlen(loader->names[i].name) == length && !strncmp(loader->names[i].name, name, length)) return &loader->names[i];
    return NULL;
}

static const char *article(const char *what) { return strchr("aeiou", what[0]) ? "an" : "a"; }

void scene_declare(scene_loader *loader, const char *what, const scene_node *key) {
    const scene_name *known = scene_known_name(loader, key->text, strlen(key->text));
    bool valid = expr_name_is_valid(key->text);
    if (!valid && looks_like_name(key->text))
        scene_error(loader, key, "'%s' cannot be the name of %s %s: formulas know it already", key->text, article(what), what);
    else if (!valid)
        scene_error(loader, key, "'%.60s' cannot be the name of %s %s: a letter, then letters, digits and _", key->text, article(what),
                    what);
    else if (known)
        scene_error(loader, key, "'%s' cannot be the name of %s %s: line %d has %s %s of this name", key->text, article(what), what,
                    known->node->line, article(known->what), known->what);
    if (!valid || known) loader->names_incomplete = true;
    if (!mem_grow(loader->context, (void **)&loader->names, &loader->name_capacity, loader->n_names + 1, sizeof *loader->names)) return;
    loader->names[loader->n_names++] = (scene_name){key->text, what, key};
}

bool scene_want_label(scene_loader *loader, const char *what, const scene_node *key) {
    const char *s = key->text;
    while (isalnum((unsigned char)*s) || (unsigned char)*s >= 0x80 || (*s && strchr("_-.", *s))) s++;
    if (s > key->text && !*s) return true;
    scene_error(loader, key, "'%.60s' cannot be the name of %s %s: letters, digits, _, - and . only", key->text,
                strchr("aeio", *what) ? "an" : "a", what);
    return false;
}

/* ---- formulas ---- */

zn_formula scene_formula(const scene_loader *loader, const scene_node *node) {
    if (!node) return (zn_formula){0};
    return (zn_formula){node->source, scene_file_of(loader, node), node->line, node->column};
}

const char *scene_next_name(const char *text, size_t *length) {
    while (*text) {
        if (isdigit((unsigned char)*text) || *text == '.') { /* 1e5 is a number, not a name e5 */
            while (isalnum((unsigned char)*text) || *text == '.') text++;
        } else if (isalpha((unsigned char)*text) || *text == '_') {
            const char *end = text;
            while (isalnum((unsigned char)*end) || *end == '_' || (*end == '.' && (isalpha((unsigned char)end[1]) || end[1] == '_'))) end++;
            while (*end == '\'') end++;
            *length = (size_t)(end - text);
            return text;
        } else {
            text++;
        }
    }
    return NULL;
}

static size_t without_primes(const char *name, size_t length) {
    while (length && name[length - 1] == '\'') length--;
    return length;
}

/* The first name that changes with the motion (coordinate, velocity, time), or NULL. */
static const char *first_variable(const scene_loader *loader, const char *text, size_t *length) {
    for (const char *name = scene_next_name(text, length); name; name = scene_next_name(name + *length, length)) {
        if (*length == 1 && *name == 't') return name;
        if (!loader->alone && memchr(name, '.', *length)) return name; /* a coordinate of a body */
        const scene_name *known = scene_known_name(loader, name, without_primes(name, *length));
        if (known && strcmp(known->what, "parameter") && strcmp(known->what, "table")) return name;
    }
    return NULL;
}

/* Inputs and the like. */
static bool is_value(const scene_loader *loader, const char *name, size_t length) {
    const scene_name *known = scene_known_name(loader, name, length);
    return known && (!strcmp(known->what, "input") || !strcmp(known->what, "live parameter") || !strcmp(known->what, "mode") ||
                     !strcmp(known->what, "sampled value"));
}

bool scene_is_constant(const scene_loader *loader, zn_formula formula) {
    size_t length;
    return formula.text && !first_variable(loader, formula.text, &length);
}

error_place scene_place_in(zn_formula formula, const char *at) {
    error_place place = {.file = formula.file, .line = formula.line, .column = formula.column, .time = NAN};
    for (const char *s = formula.text; place.line && s < at; s++) {
        place.column++;
        if (*s == '\n') place.line++, place.column = 1;
    }
    return place;
}

bool scene_evaluate(scene_loader *loader, zn_formula formula, const char *what, double *value) {
    *value = 0;
    if (scene_gave_up(loader)) return false;
    size_t length;
    const char *variable = first_variable(loader, formula.text, &length);
    if (variable) {
        error_place place = scene_place_in(formula, variable);
        fail_at(loader->context, ZN_ERROR_SCENE, &place, "%s must be constant, but '%.*s' %s", what, (int)length, variable,
                is_value(loader, variable, length) ? "may change between steps" : "changes with the motion");
        return false;
    }
    expr result = EXPR_NONE;
    expr_scope scope = {.count = loader->n_values, .names = loader->values};
    if (expr_parse(loader->graph, loader->context, &scope, formula, &result) != ZN_OK) return false;
    *value = expr_value(loader->graph, result, NULL);
    if (isfinite(*value)) return true;
    error_place place = scene_place_in(formula, formula.text);
    fail_at(loader->context, ZN_ERROR_SCENE, &place, "%s is not a finite number (its value is %g)", what, *value);
    return false;
}

/* ---- constants ---- */

bool scene_want_number(scene_loader *loader, const scene_node *node, const char *what, scene_range range, double *value) {
    char demand[80];
    *value = 0;
    if (!scene_want_kind(loader, node, SCENE_SCALAR, what)) return false;
    if (!scene_evaluate(loader, scene_formula(loader, node), what, value)) return false;
    if (range_has(range, *value)) return true;
    scene_error(loader, node, "%s %s, but is %g", what, range_demand(range, demand, sizeof demand), *value);
    return false;
}

bool scene_want_integer(scene_loader *loader, const scene_node *node, const char *what, int low, int *value) {
    double number;
    if (!scene_want_number(loader, node, what, (scene_range){.low = low, .high = INFINITY, .whole = true}, &number)) return false;
    *value = (int)number;
    return true;
}

zn_formula scene_constant(scene_loader *loader, const scene_node *node, const char *what, scene_range range, const char *instead) {
    double value;
    if (!node) return (zn_formula){0};
    return scene_want_number(loader, node, what, range, &value) ? scene_formula(loader, node) : ZN_FORMULA(instead);
}
