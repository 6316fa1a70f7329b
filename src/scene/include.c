/* SPDX-License-Identifier: Apache-2.0 */
/* include: sections of other files. Maps are joined, the included ones first; of `parameters`, `simulation`, `view`, and of what is not a map,
 * the including scene has the last word. A file that several include is read once. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "scene/scene.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_FILES = 64 };

typedef struct including {
    scene_arena *arena;
    const char *folder; /* real path of the scene's folder, which files must not leave */
    const char *seen[MOST_FILES];
    bool open[MOST_FILES]; /* being read: including it again is a cycle */
    int n_seen;
    bool failed;
} including;

static bool stop(including *in, const scene_node *node, zn_status status, const char *sentence, const char *path) {
    error_place place = {.file = node->file, .line = node->line, .column = node->column, .time = NAN};
    fail_at(in->arena->context, status, &place, "'%.200s' cannot be included: %s", path, sentence);
    in->failed = true;
    return false;
}

/* The path without links and dots, in the arena; NULL: there is no such file, or no memory. */
static char *real_path(scene_arena *arena, const char *path) {
    char *real = realpath(path, NULL), *copy = real ? scene_copy(arena, real, strlen(real)) : NULL;
    free(real);
    return copy;
}

/* ---- joining ---- */

static scene_entry *find(const scene_node *map, const char *key) {
    for (scene_entry *entry = map->first; entry; entry = entry->next)
        if (!strcmp(entry->key->text, key)) return entry;
    return NULL;
}

static bool append(including *in, scene_node *map, const scene_node *key, const scene_node *value) {
    scene_entry *entry = SCENE_NEW(in->arena, scene_entry, 1), **last = &map->first;
    if (!entry) return !(in->failed = true);
    *entry = (scene_entry){key, value, NULL};
    while (*last) last = &(*last)->next;
    *last = entry;
    map->count++;
    return true;
}

static scene_node *copy_map(including *in, const scene_node *map) {
    scene_node *copy = SCENE_NEW(in->arena, scene_node, 1);
    if (!copy) return in->failed = true, NULL;
    *copy = *map;
    copy->first = NULL, copy->count = 0;
    for (const scene_entry *entry = map->first; entry && !in->failed; entry = entry->next) append(in, copy, entry->key, entry->value);
    return copy;
}

static bool may_replace(const char *section) {
    return !strcmp(section, "parameters") || !strcmp(section, "simulation") || !strcmp(section, "view");
}

/* The entries of `first`, then those of `second`, which is the section of the including file. */
static const scene_node *join_maps(including *in, const char *section, const scene_node *first, const scene_node *second) {
    scene_node *joined = copy_map(in, first);
    if (!joined) return NULL;
    for (const scene_entry *entry = second->first; entry && !in->failed; entry = entry->next) {
        scene_entry *there = find(joined, entry->key->text);
        if (!there) {
            append(in, joined, entry->key, entry->value);
        } else if (may_replace(section)) {
            there->key = entry->key, there->value = entry->value;
        } else {
            error_place place = {.file = entry->key->file, .line = entry->key->line, .column = entry->key->column, .time = NAN};
            fail_at(in->arena->context, ZN_ERROR_SCENE, &place, "'%.60s' occurs twice; the first one is in %s, line %d", entry->key->text,
                    there->key->file, there->key->line);
            in->failed = true;
        }
    }
    joined->line = second->line, joined->column = second->column, joined->file = second->file;
    return joined;
}

static void join_roots(including *in, scene_node *root, const scene_node *included) {
    for (const scene_entry *entry = included->first; entry && !in->failed; entry = entry->next) {
        if (!strcmp(entry->key->text, "include")) continue;
        scene_entry *own = find(root, entry->key->text);
        if (!own) append(in, root, entry->key, entry->value);
        else if (own->value->kind == SCENE_MAP && entry->value->kind == SCENE_MAP)
            own->value = join_maps(in, entry->key->text, entry->value, own->value);
    }
}

/* ---- files ---- */

static scene_node *read_root(including *in, const scene_node *root);

static const char *why_not(const char *name) {
    if (!*name || *name == '/') return "files are named from the folder of the scene";
    return NULL;
}

static bool include_file(including *in, scene_node *root, const scene_node *node) {
    const char *why = node->kind == SCENE_SCALAR ? why_not(node->text) : "a file is named by a text";
    if (why) return stop(in, node, ZN_ERROR_SCENE, why, node->kind == SCENE_SCALAR ? node->text : "this");
    const char *path = scene_path_beside(in->arena, node), *real = path ? real_path(in->arena, path) : NULL;
    if (!path) return !(in->failed = true);
    if (!real) return stop(in, node, ZN_ERROR_FILE, "there is no such file", path);
    size_t folder = strlen(in->folder);
    if (strncmp(real, in->folder, folder) || real[folder] != '/')
        return stop(in, node, ZN_ERROR_SCENE, "it is outside the folder of the scene", path);
    struct stat kind;
    if (stat(real, &kind) == 0 && S_ISDIR(kind.st_mode)) return stop(in, node, ZN_ERROR_SCENE, "it is a folder", path);
    for (int i = 0; i < in->n_seen; i++)
        if (!strcmp(in->seen[i], real)) {
            return !in->open[i] || stop(in, node, ZN_ERROR_SCENE, "it includes this file, directly or through others", path);
        }
    if (in->n_seen == MOST_FILES) return stop(in, node, ZN_ERROR_SCENE, "there are too many files", path);
    int number = in->n_seen++;
    in->seen[number] = real;
    in->open[number] = true;
    const scene_node *tree = NULL;
    char *text = scene_read_file(in->arena, path);
    if (!text || scene_read_document(in->arena, path, text, &tree) != ZN_OK) return !(in->failed = true);
    if (tree && tree->kind != SCENE_MAP && tree->kind != SCENE_NULL)
        return stop(in, node, ZN_ERROR_SCENE, "it is not a map of sections", path);
    const scene_node *whole = tree && tree->kind == SCENE_MAP ? read_root(in, tree) : NULL;
    if (whole && !in->failed) join_roots(in, root, whole);
    in->open[number] = false;
    return !in->failed;
}

/* A copy of a root with what it includes; the line `include` is gone. */
static scene_node *read_root(including *in, const scene_node *root) {
    scene_node *whole = copy_map(in, root);
    if (!whole) return NULL;
    for (scene_entry **place = &whole->first; *place; place = &(*place)->next)
        if (!strcmp((*place)->key->text, "include")) {
            *place = (*place)->next;
            whole->count--;
            break;
        }
    const scene_node *files = scene_find(root, "include");
    if (!files) return whole;
    if (files->kind != SCENE_LIST) include_file(in, whole, files);
    for (const scene_entry *entry = files->kind == SCENE_LIST ? files->first : NULL; entry && !in->failed; entry = entry->next)
        include_file(in, whole, entry->value);
    return whole;
}

zn_status scene_include(scene_arena *arena, const char *file, const scene_node **root) {
    if (!*root || (*root)->kind != SCENE_MAP || !scene_find(*root, "include")) return ZN_OK;
    int errors = zn_error_count(arena->context);
    including in = {.arena = arena};
    const scene_node here = {.text = ".", .file = file};
    const char *folder = scene_path_beside(arena, &here), *real = real_path(arena, file);
    in.folder = folder ? real_path(arena, folder) : NULL;
    if (!in.folder && zn_error_count(arena->context) == errors)
        stop(&in, scene_find(*root, "include"), ZN_ERROR_FILE, "the scene's folder cannot be read", file);
    if (!in.folder) return ZN_ERROR_FILE;
    if (real) in.seen[in.n_seen] = real, in.open[in.n_seen++] = true;
    *root = read_root(&in, *root);
    if (!in.failed && *root) return ZN_OK;
    int count = zn_error_count(arena->context);
    return count > errors ? zn_error_get(arena->context, count - 1)->status : ZN_ERROR_MEMORY;
}
