/* SPDX-License-Identifier: Apache-2.0 */
/* geometry: shapes on bodies and on the world. */
#include "scene/scene.h"
#include "scene/shapes.h"

#include "zeno/contact.h"

#include <stdio.h>

/* ---- geometry ---- */

static bool want_vector(scene_loader *loader, const scene_node *node, const char *what, double *v) {
    return scene_want_vector(loader, node, what, 2, 3, v) > 0;
}

/* A type has a word in space and one in the plane, often the same. */
typedef struct type_word {
    const char *word[2], *needs, *may, *sentence;
} type_word;

static const type_word types[] = {
#define X(identifier, space, plane, needs, may, sentence) {{space, plane}, needs, may, sentence},
    ZN_GEOMETRY_LIST(X)
#undef X
};

typedef struct geometry_nodes {
    const scene_node *on, *type, *at, *radius, *length, *size, *axis, *normal, *velocity, *points, *y, *formula, *material, *triangles,
        *file, *scale, *closed, *grid, *z, *heights;
} geometry_nodes;

/* Whether the word is one of the list, which spaces separate. */
static bool is_among(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        if (n == length && memcmp(at, word, n) == 0) return true;
        at += n;
    }
    return false;
}

int scene_shape_count(void) { return ZN_GEOMETRY_TYPE_COUNT; }
const char *scene_shape_word(int index, bool planar) { return types[index].word[planar]; }
const char *scene_shape_sentence(int index) { return types[index].sentence; }

void scene_shape_keys(int index, char *text, size_t room) {
    size_t used = 0;
    *text = 0;
    for (int optional = 0; optional < 2; optional++) {
        const char *list = optional ? types[index].may : types[index].needs, *before = optional ? (used ? " (" : "(") : "";
        for (const char *at = list; *at && used < room; at += strspn(at, " "), before = ", ") {
            size_t n = strcspn(at, " ");
            used += (size_t)snprintf(text + used, room - used, "%s'%.*s'", before, (int)n, at);
            at += n;
        }
        if (optional && *list && used < room) snprintf(text + used, room - used, ")");
    }
}

/* `key` of the table is called `name` here. */
static bool check_use(scene_loader *loader, const scene_node *map, const char *what, int word, const char *key, const char *name,
                      const scene_node *node) {
    const type_word *type = &types[word / 2];
    bool needs = is_among(type->needs, key), may = needs || is_among(type->may, key);
    if (node && !may) {
        char keys[200];
        scene_shape_keys(word / 2, keys, sizeof keys);
        scene_error(loader, node, "%s: a %s has no '%s'; it has %s", what, type->word[word % 2], name, *keys ? keys : "its place only");
    }
    if (!node && needs) scene_error(loader, map, "%s: a %s needs '%s'", what, type->word[word % 2], name);
    return node ? may : !needs;
}

static bool check_together(scene_loader *loader, const scene_node *map, const char *what, zn_geometry_type type, const geometry_nodes *n) {
    if (type == ZN_GEOMETRY_MESH && (n->file ? n->points || n->triangles : !n->points || !n->triangles))
        scene_error(loader, n->file ? n->file : map, "%s: a mesh is given by 'points' and 'triangles', or by a 'file'", what);
    else if (n->scale && !n->file) scene_error(loader, n->scale, "%s has a 'scale', but no 'file'", what);
    else if (type == ZN_GEOMETRY_HEIGHT_FIELD && (n->z && n->heights ? true : n->z ? !n->grid : n->grid != NULL))
        scene_error(loader, n->grid ? n->grid : map,
                    "%s is given by 'heights' (rows of numbers along x), or by 'z' (a formula of x and y) on a 'grid'", what);
    else if (n->y && n->formula) scene_error(loader, n->y, "%s is given by 'y' (of x) or by 'f', not by both", what);
    else return true;
    return false;
}

static bool check_uses(scene_loader *loader, const scene_node *map, const char *what, int word, const geometry_nodes *n) {
    const struct {
        const char *key, *name;
        const scene_node *node;
    } list[] = {{"radius", "radius", n->radius},
                {"length", "length", n->length},
                {"size", "size", n->size},
                {"axis", "axis", n->axis},
                {"normal", "normal", n->normal},
                {"velocity", "velocity", n->velocity},
                {"points", "points", n->points},
                {"triangles", "triangles", n->triangles},
                {"file", "file", n->file},
                {"scale", "scale", n->scale},
                {"closed", "closed", n->closed},
                {"grid", "grid", n->grid},
                {"heights", n->z ? "z" : "heights", n->z ? n->z : n->heights},
                {"formula", n->y ? "y" : "f", n->y ? n->y : n->formula}};
    bool good = true;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        good &= check_use(loader, map, what, word, list[i].key, list[i].name, list[i].node);
    return check_together(loader, map, what, (zn_geometry_type)(word / 2), n) && good;
}

/* y = F(x) is the surface y - (F) = 0; columns of errors stay those of F. */
static zn_formula surface_formula(scene_loader *loader, const geometry_nodes *n) {
    if (!n->y) return scene_formula(loader, n->formula);
    zn_formula f = scene_formula(loader, n->y);
    static const char before[] = "y-(";
    size_t length = strlen(f.text), room = sizeof before - 1;
    char *text = SCENE_NEW(loader->arena, char, length + room + 2);
    if (!text) return f;
    memcpy(text, before, room);
    memcpy(text + room, f.text, length);
    text[room + length] = ')';
    f.text = text;
    f.column -= (int)room;
    return f;
}

/* Rows of numbers, each along x, all of the same length. */
static bool read_heights(scene_loader *loader, const scene_node *node, const char *what, zn_geometry_def *def) {
    const scene_node *first = node->first ? node->first->value : NULL;
    int columns = first && first->kind == SCENE_LIST ? first->count : 0, row = 0;
    double *heights = SCENE_NEW(loader->arena, double, (size_t)columns *(size_t)node->count + 1);
    if (!heights) return false;
    for (const scene_entry *entry = node->first; entry; entry = entry->next, row++) {
        const char *this = scene_format(loader, "row %d of the heights of %s", row + 1, what);
        if (!scene_want_kind(loader, entry->value, SCENE_LIST, this)) return false;
        if (entry->value->count != columns) {
            scene_error(loader, entry->value, "%s has %d numbers, but the first has %d", this, entry->value->count, columns);
            return false;
        }
        int column = 0;
        for (const scene_entry *item = entry->value->first; item; item = item->next, column++)
            if (!scene_want_number(loader, item->value, this, scene_any_number, &heights[column + row * columns])) return false;
    }
    def->grid[0] = columns, def->grid[1] = row;
    def->heights = heights;
    return true;
}

static bool read_grid(scene_loader *loader, const scene_node *node, const char *what, zn_geometry_def *def) {
    const scene_node *items[2];
    if (scene_want_list(loader, node, what, 2, 2, items) != 2) return false;
    return scene_want_integer(loader, items[0], what, 2, &def->grid[0]) && scene_want_integer(loader, items[1], what, 2, &def->grid[1]);
}

/* Points, triangles, heights. */
static bool read_lists(scene_loader *loader, const char *what, const geometry_nodes *n, zn_geometry_def *def) {
    const int errors = zn_error_count(loader->context);
    if (n->points) {
        double(*points)[3] = scene_read_points(loader, n->points, what, 2, &def->n_points);
        def->points = points ? points[0] : NULL;
    }
    if (n->triangles) {
        int(*triangles)[3] = scene_read_triangles(loader, n->triangles, what, def->n_points, &def->n_triangles);
        def->triangles = triangles ? triangles[0] : NULL;
    }
    double scale = 1;
    scene_mesh mesh;
    if (n->scale) scene_want_number(loader, n->scale, scene_format(loader, "scale of %s", what), scene_positive, &scale);
    if (n->file && scene_read_mesh(loader, n->file, scale, &mesh)) {
        def->n_points = mesh.n_points, def->n_triangles = mesh.n_triangles;
        def->points = mesh.points[0], def->triangles = mesh.triangles[0];
    }
    if (n->closed) def->closed = scene_want_word(loader, n->closed, "closed", 2, (const char *const[]){"false", "true"}) == 1;
    if (n->grid) read_grid(loader, n->grid, scene_format(loader, "grid of %s", what), def);
    if (n->heights) read_heights(loader, n->heights, what, def);
    if (n->z) def->formula = scene_formula(loader, n->z);
    return zn_error_count(loader->context) == errors;
}

static bool read_numbers(scene_loader *loader, const char *what, const geometry_nodes *n, zn_geometry_def *def) {
    bool good = true;
    if (n->radius) good &= scene_want_number(loader, n->radius, scene_format(loader, "radius of %s", what), scene_positive, &def->radius);
    if (n->length) good &= scene_want_number(loader, n->length, scene_format(loader, "length of %s", what), scene_positive, &def->length);
    if (n->at) good &= want_vector(loader, n->at, scene_format(loader, "'at' of %s", what), def->centre);
    if (n->size) good &= want_vector(loader, n->size, scene_format(loader, "size of %s", what), def->size);
    if (n->axis) good &= want_vector(loader, n->axis, scene_format(loader, "axis of %s", what), def->axis);
    if (n->normal) good &= want_vector(loader, n->normal, scene_format(loader, "normal of %s", what), def->axis);
    if (n->velocity) good &= want_vector(loader, n->velocity, scene_format(loader, "velocity of %s", what), def->surface_velocity);
    good &= read_lists(loader, what, n, def);
    const scene_node *direction = n->axis ? n->axis : n->normal;
    if (good && direction && def->axis[0] == 0 && def->axis[1] == 0 && def->axis[2] == 0) {
        scene_error(loader, direction, "%s: this direction is zero", what);
        return false;
    }
    return good;
}

/* 2 type + (1: by its word in the plane); -1: none. */
static int want_type(scene_loader *loader, const scene_node *node) {
    const char *words[2 * ZN_GEOMETRY_TYPE_COUNT];
    int number[2 * ZN_GEOMETRY_TYPE_COUNT], count = 0;
    for (int i = 0; i < 2 * ZN_GEOMETRY_TYPE_COUNT; i++) {
        const char *const *word = types[i / 2].word;
        if (i % 2 == 0 || strcmp(word[0], word[1])) words[count] = word[i % 2], number[count++] = i;
    }
    int found = scene_want_word(loader, node, "type", count, words);
    return found < 0 ? -1 : number[found];
}

/* `body`: the geometry is listed under it, and is named after it. */
static void read_geometry(scene_loader *loader, const char *body, const scene_entry *entry) {
    const char *name = body ? scene_format(loader, "%s.%s", body, entry->key->text) : entry->key->text, *frame = body,
               *what = scene_format(loader, "geometry '%s'", name);
    geometry_nodes n;
    if (!scene_want_label(loader, "geometry", entry->key)) return;
    const int vector = SCENE_LIST;
    const scene_key keys[] = {{"on", SCENE_SCALAR, false, &n.on},
                              {"type", SCENE_SCALAR, true, &n.type},
                              {"at", vector, false, &n.at},
                              {"radius", SCENE_SCALAR, false, &n.radius},
                              {"length", SCENE_SCALAR, false, &n.length},
                              {"size", vector, false, &n.size},
                              {"axis", vector, false, &n.axis},
                              {"normal", vector, false, &n.normal},
                              {"velocity", vector, false, &n.velocity},
                              {"points", SCENE_LIST, false, &n.points},
                              {"y", SCENE_SCALAR, false, &n.y},
                              {"f", SCENE_SCALAR, false, &n.formula},
                              {"triangles", SCENE_LIST, false, &n.triangles},
                              {"file", SCENE_SCALAR, false, &n.file},
                              {"scale", SCENE_SCALAR, false, &n.scale},
                              {"closed", SCENE_SCALAR, false, &n.closed},
                              {"grid", SCENE_LIST, false, &n.grid},
                              {"z", SCENE_SCALAR, false, &n.z},
                              {"heights", SCENE_LIST, false, &n.heights},
                              {"material", SCENE_SCALAR, false, &n.material}};
    if (!scene_want_map(loader, entry->value, what, sizeof keys / sizeof *keys, keys) || !n.type) return;
    int word = want_type(loader, n.type);
    if (body && n.on) frame = scene_format(loader, "%s.%s", body, n.on->text); /* one of its own frames */
    if (word < 0 || !check_uses(loader, entry->value, what, word, &n)) return;
    zn_geometry_def def = zn_default_geometry_def();
    def.name = name;
    def.type = (zn_geometry_type)(word / 2);
    def.material = n.material ? n.material->text : NULL;
    const scene_node *place = n.on ? n.on : entry->key;
    if (!scene_placed(loader, zn_parts_find_frame(loader->parts, frame ? frame : n.on ? n.on->text : "world", &def.frame), place)) return;
    if (!read_numbers(loader, what, &n, &def)) return;
    if (n.y || n.formula) def.formula = surface_formula(loader, &n);
    scene_placed(loader, zn_parts_geometry(loader->parts, &def, NULL), entry->key);
}

void scene_read_geometry(scene_loader *loader, const char *body, const scene_node *node) {
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) read_geometry(loader, body, entry);
}
