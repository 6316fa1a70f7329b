/* SPDX-License-Identifier: Apache-2.0 */
/* include: sections of other files. Maps are joined and lists are put one behind the other, in the order of the files, the including one
 * last; of `parameters`, `simulation`, `view`, and of what is a single value, the later file overrides the earlier ones. A file that
 * several include is read once. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "scene/scene.h"

#include "base/names.h"

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

/* What goes together: entries in a row, with room for those of two nodes. */
typedef struct joining {
    scene_node *node;
    scene_entry *entries;
} joining;

static bool begin(including *in, joining *j, const scene_node *first, const scene_node *second, scene_kind kind) {
    *j = (joining){SCENE_NEW(in->arena, scene_node, 1), SCENE_NEW(in->arena, scene_entry, first->count + second->count + 2)};
    if (!j->node || !j->entries) return !(in->failed = true);
    *j->node = *second;
    j->node->kind = kind, j->node->first = NULL, j->node->count = 0;
    return true;
}

static void append(joining *j, const scene_node *key, const scene_node *value) {
    scene_entry *entry = &j->entries[j->node->count++];
    *entry = (scene_entry){key, value, NULL};
    if (entry == j->entries) j->node->first = entry;
    else entry[-1].next = entry;
}

static const char *kind_word(const scene_node *node) {
    return node->kind == SCENE_MAP ? "map" : node->kind == SCENE_LIST ? "list" : "single value";
}

static void stop_twice(including *in, const scene_node *key, const scene_node *before) {
    error_place place = {.file = key->file, .line = key->line, .column = key->column, .time = NAN};
    fail_at(in->arena->context, ZN_ERROR_SCENE, &place, "'%.60s' occurs twice; the first one is in %s, line %d", key->text, before->file,
            before->line);
    in->failed = true;
}

static bool is_one_of(const char *section, const char *const *list) {
    while (*list && strcmp(*list, section) != 0) list++;
    return *list != NULL;
}

/* Sections whose entries the later file replaces; values, which are replaced as a whole; lists of maps, or one map. */
static const char *const replaced[] = {"parameters", "simulation", "view", NULL};
static const char *const values[] = {"title", "gravity", "mass", "force", NULL};
static const char *const several[] = {"repeat", "sampled", NULL};

/* The entries of `first`, then those of `second`, which is the section of the later file. */
static const scene_node *join_maps(including *in, const char *section, const scene_node *first, const scene_node *second) {
    joining j;
    name_table names = {0};
    if (!begin(in, &j, first, second, SCENE_MAP)) return NULL;
    for (const scene_entry *entry = first->first; entry && !in->failed; entry = entry->next) {
        append(&j, entry->key, entry->value);
        in->failed = !names_add(in->arena->context, &names, 0, entry->key->text, j.node->count - 1);
    }
    for (const scene_entry *entry = second->first; entry && !in->failed; entry = entry->next) {
        int at = names_find(&names, 0, entry->key->text, strlen(entry->key->text));
        scene_entry *there = at < 0 ? NULL : &j.entries[at];
        if (!there) append(&j, entry->key, entry->value);
        else if (is_one_of(section, replaced)) there->key = entry->key, there->value = entry->value;
        else stop_twice(in, entry->key, there->key);
    }
    names_free(in->arena->context, &names);
    return j.node;
}

static const scene_node *join_lists(including *in, const scene_node *first, const scene_node *second) {
    const scene_node *both[] = {first, second};
    joining j;
    if (!begin(in, &j, first, second, SCENE_LIST)) return NULL;
    for (int i = 0; i < 2; i++) {
        if (both[i]->kind != SCENE_LIST) append(&j, NULL, both[i]);
        for (const scene_entry *entry = both[i]->kind == SCENE_LIST ? both[i]->first : NULL; entry; entry = entry->next)
            append(&j, NULL, entry->value);
    }
    return j.node;
}

static const scene_node *join(including *in, const scene_entry *first, const scene_entry *second) {
    const char *section = first->key->text;
    const scene_node *a = first->value, *b = second->value;
    if (a->kind == SCENE_NULL || b->kind == SCENE_NULL) return b->kind == SCENE_NULL ? a : b;
    if (is_one_of(section, several) || (a->kind == SCENE_LIST && b->kind == SCENE_LIST && !is_one_of(section, values)))
        return join_lists(in, a, b);
    if (a->kind == SCENE_MAP && b->kind == SCENE_MAP) return join_maps(in, section, a, b);
    if (a->kind == b->kind || is_one_of(section, values)) return b;
    error_place place = {.file = second->key->file, .line = second->key->line, .column = second->key->column, .time = NAN};
    fail_at(in->arena->context, ZN_ERROR_SCENE, &place, "'%.60s' is a %s here, and a %s in %s, line %d", section, kind_word(b),
            kind_word(a), first->key->file, first->key->line);
    in->failed = true;
    return b;
}

/* The sections of a later file behind those that are there. */
static void join_roots(including *in, scene_node *root, const scene_node *later) {
    joining j;
    if (!begin(in, &j, root, later, SCENE_MAP)) return;
    for (const scene_entry *entry = root->first; entry; entry = entry->next) append(&j, entry->key, entry->value);
    for (const scene_entry *entry = later->first; entry && !in->failed; entry = entry->next) {
        if (!strcmp(entry->key->text, "include")) continue;
        scene_entry *there = find(j.node, entry->key->text);
        if (!there) append(&j, entry->key, entry->value);
        else there->value = join(in, there, entry), there->key = entry->key;
    }
    root->first = j.node->first, root->count = j.node->count;
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

/* A root appended to the files that it includes, without its entry `include`. */
static scene_node *read_root(including *in, const scene_node *root) {
    scene_node *whole = SCENE_NEW(in->arena, scene_node, 1);
    if (!whole) return NULL;
    *whole = *root;
    whole->first = NULL, whole->count = 0;
    const scene_node *files = scene_find(root, "include");
    if (files && files->kind != SCENE_LIST) include_file(in, whole, files);
    for (const scene_entry *entry = files && files->kind == SCENE_LIST ? files->first : NULL; entry && !in->failed; entry = entry->next)
        include_file(in, whole, entry->value);
    if (!in->failed) join_roots(in, whole, root);
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
