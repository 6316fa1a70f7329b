/* SPDX-License-Identifier: Apache-2.0 */
/* geometry: shapes on bodies and on the world. */
#include "scene/scene.h"

#include "zeno/contact.h"

/* ---- geometry ---- */

static bool want_vector(scene_loader *loader, const scene_node *node, const char *what, double *v) {
    return scene_want_vector(loader, node, what, 2, 3, v) > 0;
}

static bool want_points(scene_loader *loader, const scene_node *node, const char *what, zn_geometry_def *def) {
    if (!scene_want_kind(loader, node, SCENE_LIST, what)) return false;
    double *points = SCENE_NEW(loader->arena, double, 3 * (node->count ? node->count : 1));
    if (!points) return false;
    bool good = true;
    for (const scene_entry *entry = node->first; entry; entry = entry->next)
        good &= scene_want_kind(loader, entry->value, SCENE_LIST, what) &&
                want_vector(loader, entry->value, what, points + 3 * def->n_points++);
    def->points = points;
    return good;
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
                                  {"surface", ZN_GEOMETRY_SURFACE}};
enum { N_TYPES = sizeof types / sizeof *types };

typedef struct geometry_nodes {
    const scene_node *on, *type, *at, *radius, *length, *size, *axis, *normal, *velocity, *points, *y, *formula, *material;
} geometry_nodes;

/* What each type is described by. */
static const struct {
    const char *radius, *length, *size, *axis, *normal, *velocity, *points,
        *formula; /* "!": needed, "": allowed, NULL: not */
} uses[ZN_GEOMETRY_TYPE_COUNT] = {
    [ZN_GEOMETRY_POINT] = {0},
    [ZN_GEOMETRY_POINTS] = {.points = "!"},
    [ZN_GEOMETRY_SPHERE] = {.radius = "!"},
    [ZN_GEOMETRY_BOX] = {.size = "!"},
    [ZN_GEOMETRY_CAPSULE] = {.radius = "!", .length = "!", .axis = ""},
    [ZN_GEOMETRY_RING] = {.radius = "!", .axis = "", .length = ""},
    [ZN_GEOMETRY_ELLIPSOID] = {.size = "!"},
    [ZN_GEOMETRY_PLANE] = {.normal = "", .velocity = ""},
    [ZN_GEOMETRY_HOLLOW_SPHERE] = {.radius = "!"},
    [ZN_GEOMETRY_CYLINDER] = {.radius = "!", .axis = ""},
    [ZN_GEOMETRY_HOLLOW_CYLINDER] = {.radius = "!", .axis = ""},
    [ZN_GEOMETRY_SURFACE] = {.formula = "!"},
};

static bool check_use(scene_loader *loader, const scene_node *map, const char *what, const char *word, const char *key,
                      const scene_node *node, const char *use) {
    if (node && !use) scene_error(loader, node, "%s: a %s has no '%s'", what, word, key);
    if (!node && use && *use) scene_error(loader, map, "%s: a %s needs '%s'", what, word, key);
    return node ? use != NULL : !use || !*use;
}

static bool check_uses(scene_loader *loader, const scene_node *map, const char *what, const type_word *type,
                       const geometry_nodes *n) {
    const char *word = type->word;
    bool good = check_use(loader, map, what, word, "radius", n->radius, uses[type->type].radius);
    good &= check_use(loader, map, what, word, "length", n->length, uses[type->type].length);
    good &= check_use(loader, map, what, word, "size", n->size, uses[type->type].size);
    good &= check_use(loader, map, what, word, "axis", n->axis, uses[type->type].axis);
    good &= check_use(loader, map, what, word, "normal", n->normal, uses[type->type].normal);
    good &= check_use(loader, map, what, word, "velocity", n->velocity, uses[type->type].velocity);
    good &= check_use(loader, map, what, word, "points", n->points, uses[type->type].points);
    if (n->y && n->formula) {
        scene_error(loader, n->y, "%s is given by 'y' (of x) or by 'f', not by both", what);
        return false;
    }
    return check_use(loader, map, what, word, n->y ? "y" : "f", n->y ? n->y : n->formula, uses[type->type].formula) && good;
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

static bool read_numbers(scene_loader *loader, const char *what, const geometry_nodes *n, zn_geometry_def *def) {
    bool good = true;
    if (n->radius)
        good &=
            scene_want_number(loader, n->radius, scene_format(loader, "radius of %s", what), scene_positive, &def->radius);
    if (n->length)
        good &=
            scene_want_number(loader, n->length, scene_format(loader, "length of %s", what), scene_positive, &def->length);
    if (n->at) good &= want_vector(loader, n->at, scene_format(loader, "'at' of %s", what), def->centre);
    if (n->size) good &= want_vector(loader, n->size, scene_format(loader, "size of %s", what), def->size);
    if (n->axis) good &= want_vector(loader, n->axis, scene_format(loader, "axis of %s", what), def->axis);
    if (n->normal) good &= want_vector(loader, n->normal, scene_format(loader, "normal of %s", what), def->axis);
    if (n->velocity)
        good &= want_vector(loader, n->velocity, scene_format(loader, "velocity of %s", what), def->surface_velocity);
    if (n->points) good &= want_points(loader, n->points, scene_format(loader, "points of %s", what), def);
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
    if (!scene_placed(loader,
                      zn_parts_find_frame(loader->parts,
                                          frame  ? frame
                                          : n.on ? n.on->text
                                                 : "world",
                                          &def.frame),
                      place))
        return;
    if (!read_numbers(loader, what, &n, &def)) return;
    if (n.y || n.formula) def.formula = surface_formula(loader, &n);
    scene_placed(loader, zn_parts_geometry(loader->parts, &def, NULL), entry->key);
}

void scene_read_geometry(scene_loader *loader, const char *body, const scene_node *node) {
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next)
        read_geometry(loader, body, entry);
}
