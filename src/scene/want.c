/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of nodes, "expected a map here", from which sections are read. */
#include "scene/scene.h"

#include <stdarg.h>
#include <stdio.h>

bool scene_has_errors(const scene_loader *loader) { return zn_error_count(loader->context) > loader->errors_before; }

bool scene_gave_up(const scene_loader *loader) {
    int count = zn_error_count(loader->context);
    if (count <= loader->errors_before) return false;
    return count - loader->errors_before >= SCENE_MAX_ERRORS || zn_error_get(loader->context, count - 1)->status == ZN_ERROR_MEMORY;
}

const char *scene_file_of(const scene_loader *loader, const scene_node *node) {
    const char *file = node && node->file ? node->file : loader->file;
    if (!node || !node->used) return file;
    size_t before = strlen(node->used), length = strlen(file);
    char *both = scene_alloc(loader->arena, before + length + 1, 1);
    if (!both) return file;
    memcpy(both, node->used, before);
    memcpy(both + before, file, length);
    return both;
}

error_place scene_place_of(const scene_loader *loader, const scene_node *node) {
    return (error_place){
        .file = scene_file_of(loader, node), .line = node ? node->line : 0, .column = node ? node->column : 0, .time = NAN};
}

void scene_error(scene_loader *loader, const scene_node *node, const char *format, ...) {
    if (scene_gave_up(loader)) return;
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    error_place place = scene_place_of(loader, node);
    fail_at(loader->context, ZN_ERROR_SCENE, &place, "%s", sentence);
}

char *scene_format(scene_loader *loader, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = scene_copy(loader->arena, text, strlen(text));
    static char unknown[] = "?"; /* out of memory, which soon ends the loading */
    return copy ? copy : unknown;
}

static const char *kind_text(int kinds) {
    switch (kinds & (SCENE_SCALAR | SCENE_LIST | SCENE_MAP)) {
    case SCENE_SCALAR: return "a number, formula or text";
    case SCENE_LIST: return "a list";
    case SCENE_MAP: return "a map (name: value)";
    case SCENE_SCALAR | SCENE_LIST: return "a formula or a list of formulas";
    case SCENE_SCALAR | SCENE_MAP: return "a formula or a map (name: value)";
    case SCENE_LIST | SCENE_MAP: return "a list or a map (name: value)";
    default: return "a value";
    }
}

bool scene_want_kind(scene_loader *loader, const scene_node *node, int kinds, const char *what) {
    if ((unsigned)node->kind & (unsigned)kinds) return true;
    const char *found = node->kind == SCENE_NULL     ? "nothing"
                        : node->kind == SCENE_SCALAR ? "a single value"
                        : node->kind == SCENE_LIST   ? "a list"
                                                     : "a map";
    scene_error(loader, node, "%s must be %s, but here is %s", what, kind_text(kinds), found);
    return false;
}

const scene_node *scene_find(const scene_node *map, const char *key) {
    for (const scene_entry *entry = map ? map->first : NULL; entry; entry = entry->next)
        if (!strcmp(entry->key->text, key)) return entry->value;
    return NULL;
}

/* ---- hints ---- */

static const char *hint_text(scene_loader *loader, const char *nearest) {
    return nearest ? scene_format(loader, " (did you mean '%s'?)", nearest) : "";
}

typedef struct key_list {
    int count;
    const char **names;
} key_list;

static const char *get_listed(const void *user, int index) { return ((const key_list *)user)->names[index]; }

const char *scene_hint(scene_loader *loader, const char *name, const scene_node *map) {
    if (!map || scene_gave_up(loader)) return "";
    key_list list = {0, SCENE_NEW(loader->arena, const char *, map->count)};
    if (!list.names) return "";
    for (const scene_entry *entry = map->first; entry; entry = entry->next) list.names[list.count++] = entry->key->text;
    return hint_text(loader, expr_nearest_name(name, list.count, get_listed, &list));
}

static const char *get_key(const void *user, int index) { return ((const scene_key *)user)[index].name; }

/* All allowed words, for errors without a near one: "a, b, c". */
static void list_words(char *out, size_t room, int count, const char *(*get)(const void *, int), const void *user) {
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < count && used < room; i++) {
        int wrote = snprintf(out + used, room - used, "%s%s", i ? ", " : "", get(user, i));
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

static void unknown_word(scene_loader *loader, const scene_node *node, const char *what, int count, const char *(*get)(const void *, int),
                         const void *user) {
    if (scene_gave_up(loader)) return;
    if (strcspn(node->text, "(") > strcspn(node->text, ")")) { /* the rest of a formula */
        scene_error(loader, node, "'%.60s' is unknown in %s; a formula with a comma inside { } or [ ] must be quoted", node->text, what);
        return;
    }
    const char *nearest = expr_nearest_name(node->text, count, get, user);
    if (nearest) {
        scene_error(loader, node, "'%.60s' is unknown in %s (did you mean '%s'?)", node->text, what, nearest);
    } else {
        char words[320];
        list_words(words, sizeof words, count, get, user);
        scene_error(loader, node, "'%.60s' is unknown in %s; known: %s", node->text, what, words);
    }
}

/* ---- maps, lists, words ---- */

static const scene_key *find_key(int n_keys, const scene_key *keys, const char *name) {
    for (int i = 0; i < n_keys; i++)
        if (!strcmp(keys[i].name, name)) return &keys[i];
    return NULL;
}

bool scene_want_map(scene_loader *loader, const scene_node *node, const char *what, int n_keys, const scene_key *keys) {
    for (int i = 0; i < n_keys; i++) *keys[i].value = NULL;
    if (!scene_want_kind(loader, node, SCENE_MAP, what)) return false;
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        const scene_key *key = find_key(n_keys, keys, entry->key->text);
        if (!key) unknown_word(loader, entry->key, what, n_keys, get_key, keys);
        else if (scene_want_kind(loader, entry->value, key->kinds, key->name) && entry->value->kind != SCENE_NULL)
            *key->value = entry->value;
    }
    for (int i = 0; i < n_keys; i++)
        if (keys[i].required && !scene_find(node, keys[i].name)) scene_error(loader, node, "%s lacks '%s'", what, keys[i].name);
    return true;
}

static const char *get_word(const void *user, int index) { return ((const char *const *)user)[index]; }

int scene_want_word(scene_loader *loader, const scene_node *node, const char *what, int n_words, const char *const *words) {
    for (int i = 0; i < n_words; i++)
        if (!strcmp(words[i], node->text)) return i;
    unknown_word(loader, node, what, n_words, get_word, words);
    return -1;
}

int scene_want_scalars(scene_loader *loader, const scene_node *node, const char *what, const scene_node ***items) {
    int count = node->kind == SCENE_LIST ? node->count : 1;
    *items = SCENE_NEW(loader->arena, const scene_node *, count);
    if (!*items || !scene_want_kind(loader, node, SCENE_SCALAR | SCENE_LIST, what)) return 0;
    if (count == 0) scene_error(loader, node, "%s is an empty list", what);
    if (node->kind == SCENE_SCALAR) {
        (*items)[0] = node;
        return 1;
    }
    int index = 0;
    for (const scene_entry *entry = node->first; entry; entry = entry->next) {
        if (!scene_want_kind(loader, entry->value, SCENE_SCALAR, scene_format(loader, "entry %d of %s", index + 1, what))) return 0;
        (*items)[index++] = entry->value;
    }
    return count;
}
