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

typedef struct type_word {
    const char *word;
    zn_geometry_type type;
} type_word;

static const type_word types[] = {{"point", ZN_GEOMETRY_POINT},
                                  {"points", ZN_GEOMETRY_POINTS},
                                  {"sphere", ZN_GEOMETRY_SPHERE},
                                  {"disk", ZN_GEOMETRY_SPHERE},
                                  {"box", ZN_GEOMETRY_BOX},
                                  {"capsule", ZN_GEOMETRY_CAPSULE},
                                  {"ring", ZN_GEOMETRY_RING},
                                  {"ellipsoid", ZN_GEOMETRY_ELLIPSOID},
                                  {"ellipse", ZN_GEOMETRY_ELLIPSOID},
                                  {"plane", ZN_GEOMETRY_PLANE},
                                  {"line", ZN_GEOMETRY_PLANE},
                                  {"hollow-sphere", ZN_GEOMETRY_HOLLOW_SPHERE},
                                  {"hollow-circle", ZN_GEOMETRY_HOLLOW_SPHERE},
                                  {"cylinder", ZN_GEOMETRY_CYLINDER},
                                  {"hollow-cylinder", ZN_GEOMETRY_HOLLOW_CYLINDER},
                                  {"curve", ZN_GEOMETRY_SURFACE},
                                  {"surface", ZN_GEOMETRY_SURFACE},
                                  {"cone", ZN_GEOMETRY_CONE},
                                  {"polyhedron", ZN_GEOMETRY_POLYHEDRON},
                                  {"polygon", ZN_GEOMETRY_POLYHEDRON},
                                  {"mesh", ZN_GEOMETRY_MESH},
                                  {"height-field", ZN_GEOMETRY_HEIGHT_FIELD},
                                  {"rectangle", ZN_GEOMETRY_RECTANGLE},
                                  {"segment", ZN_GEOMETRY_SEGMENT},
                                  {"polyline", ZN_GEOMETRY_POLYLINE}};
enum { N_TYPES = sizeof types / sizeof *types };

typedef struct geometry_nodes {
    const scene_node *on, *type, *at, *radius, *length, *size, *axis, *normal, *velocity, *points, *y, *formula, *material, *triangles,
        *file, *scale, *closed, *grid, *z, *heights;
} geometry_nodes;

/* What each type is described by: "!": needed, "": allowed, NULL: not. */
static const struct {
    const char *radius, *length, *size, *axis, *normal, *velocity, *points, *formula, *triangles, *file, *closed, *grid, *heights;
} uses[ZN_GEOMETRY_TYPE_COUNT] = {
    [ZN_GEOMETRY_POINT] = {0},
    [ZN_GEOMETRY_POINTS] = {.points = "!"},
    [ZN_GEOMETRY_SPHERE] = {.radius = "!"},
    [ZN_GEOMETRY_BOX] = {.size = "!", .radius = ""},
    [ZN_GEOMETRY_CAPSULE] = {.radius = "!", .length = "!", .axis = ""},
    [ZN_GEOMETRY_RING] = {.radius = "!", .axis = "", .length = ""},
    [ZN_GEOMETRY_ELLIPSOID] = {.size = "!"},
    [ZN_GEOMETRY_PLANE] = {.normal = "", .velocity = ""},
    [ZN_GEOMETRY_HOLLOW_SPHERE] = {.radius = "!"},
    [ZN_GEOMETRY_CYLINDER] = {.radius = "!", .axis = "", .length = ""},
    [ZN_GEOMETRY_HOLLOW_CYLINDER] = {.radius = "!", .axis = ""},
    [ZN_GEOMETRY_SURFACE] = {.formula = "!"},
    [ZN_GEOMETRY_CONE] = {.radius = "!", .length = "!", .axis = ""},
    [ZN_GEOMETRY_POLYHEDRON] = {.points = "!", .radius = "", .velocity = ""},
    [ZN_GEOMETRY_MESH] = {.points = "", .triangles = "", .file = "", .radius = "", .velocity = ""},
    [ZN_GEOMETRY_HEIGHT_FIELD] = {.size = "!", .grid = "", .heights = "!", .radius = "", .velocity = ""},
    [ZN_GEOMETRY_RECTANGLE] = {.size = "!", .normal = "", .velocity = ""},
    [ZN_GEOMETRY_SEGMENT] = {.points = "!", .radius = "", .velocity = ""},
    [ZN_GEOMETRY_POLYLINE] = {.points = "!", .closed = "", .radius = "", .velocity = ""},
};

int scene_shape_count(void) { return N_TYPES; }
const char *scene_shape_word(int index) { return types[index].word; }

void scene_shape_keys(int index, char *text, size_t room) {
    static const char *const keys[] = {"radius",  "length",    "size", "axis",   "normal", "velocity", "points",
                                       "formula", "triangles", "file", "closed", "grid",   "heights"};
    const char *use[sizeof keys / sizeof *keys];
    _Static_assert(sizeof use == sizeof uses[0], "a name for each key");
    memcpy(use, &uses[types[index].type], sizeof use);
    size_t used = 0;
    *text = 0;
    for (int optional = 0; optional < 2; optional++)
        for (size_t k = 0, n = 0; k < sizeof keys / sizeof *keys && used < room; k++) {
            if (!use[k] || (*use[k] == 0) != optional) continue;
            const char *before = n++ ? ", " : optional ? (used ? " (" : "(") : "";
            used += (size_t)snprintf(text + used, room - used, "%s'%s'", before, keys[k]);
        }
    if (strchr(text, '(') && used < room) snprintf(text + used, room - used, ")");
}

static bool check_use(scene_loader *loader, const scene_node *map, const char *what, const type_word *type, const char *key,
                      const scene_node *node, const char *use) {
    const char *word = type->word;
    if (node && !use) {
        char keys[200];
        scene_shape_keys((int)(type - types), keys, sizeof keys);
        scene_error(loader, node, "%s: a %s has no '%s'; it has %s", what, word, key, *keys ? keys : "its place only");
    }
    if (!node && use && *use) scene_error(loader, map, "%s: a %s needs '%s'", what, word, key);
    return node ? use != NULL : !use || !*use;
}

static bool check_uses(scene_loader *loader, const scene_node *map, const char *what, const type_word *type, const geometry_nodes *n) {
    bool good = check_use(loader, map, what, type, "radius", n->radius, uses[type->type].radius);
    good &= check_use(loader, map, what, type, "length", n->length, uses[type->type].length);
    good &= check_use(loader, map, what, type, "size", n->size, uses[type->type].size);
    good &= check_use(loader, map, what, type, "axis", n->axis, uses[type->type].axis);
    good &= check_use(loader, map, what, type, "normal", n->normal, uses[type->type].normal);
    good &= check_use(loader, map, what, type, "velocity", n->velocity, uses[type->type].velocity);
    good &= check_use(loader, map, what, type, "points", n->points, uses[type->type].points);
    good &= check_use(loader, map, what, type, "triangles", n->triangles, uses[type->type].triangles);
    good &= check_use(loader, map, what, type, "file", n->file, uses[type->type].file);
    good &= check_use(loader, map, what, type, "scale", n->scale, uses[type->type].file);
    good &= check_use(loader, map, what, type, "closed", n->closed, uses[type->type].closed);
    good &= check_use(loader, map, what, type, "grid", n->grid, uses[type->type].grid);
    good &= check_use(loader, map, what, type, n->z ? "z" : "heights", n->z ? n->z : n->heights, uses[type->type].heights);
    if (type->type == ZN_GEOMETRY_MESH && (n->file ? n->points || n->triangles : !n->points || !n->triangles)) {
        scene_error(loader, n->file ? n->file : map, "%s: a mesh is given by 'points' and 'triangles', or by a 'file'", what);
        return false;
    }
    if (n->scale && !n->file) {
        scene_error(loader, n->scale, "%s has a 'scale', but no 'file'", what);
        return false;
    }
    if (type->type == ZN_GEOMETRY_HEIGHT_FIELD && (n->z && n->heights ? true : n->z ? !n->grid : n->grid != NULL)) {
        scene_error(loader, n->grid ? n->grid : map,
                    "%s is given by 'heights' (rows of numbers along x), or by 'z' (a formula of x and y) on a 'grid'", what);
        return false;
    }
    if (n->y && n->formula) {
        scene_error(loader, n->y, "%s is given by 'y' (of x) or by 'f', not by both", what);
        return false;
    }
    return check_use(loader, map, what, type, n->y ? "y" : "f", n->y ? n->y : n->formula, uses[type->type].formula) && good;
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
        int(*triangles)[3] = scene_read_triangles(loader, n->triangles, what, &def->n_triangles);
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
    const char *words[N_TYPES];
    for (int i = 0; i < N_TYPES; i++) words[i] = types[i].word;
    int word = scene_want_word(loader, n.type, "type", N_TYPES, words);
    if (body && n.on) frame = scene_format(loader, "%s.%s", body, n.on->text); /* one of its own frames */
    if (word < 0 || !check_uses(loader, entry->value, what, &types[word], &n)) return;
    zn_geometry_def def = zn_default_geometry_def();
    def.name = name;
    def.type = types[word].type;
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
