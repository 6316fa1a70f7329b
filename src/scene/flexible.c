/* SPDX-License-Identifier: Apache-2.0 */
/* Flexible bodies of a scene: entries of `bodies` whose type is bar, beam, spline-beam or rod. */
#include "scene/scene.h"

#include "zeno/flexible.h"

#include <stddef.h>

static const char *const type_words[] = {
#define X(name, identifier, word, sentence) word,
    ZN_FLEXIBLE_LIST(X)
#undef X
};
enum { BAR = 1 << ZN_FLEXIBLE_BAR, BEAM = 1 << ZN_FLEXIBLE_BEAM, SPLINE = 1 << ZN_FLEXIBLE_SPLINE_BEAM, ROD = 1 << ZN_FLEXIBLE_ROD };
enum { ALL = BAR | BEAM | SPLINE | ROD, BENDS = BEAM | SPLINE | ROD, SHEARS = BEAM | ROD };

/* Keys that are one number, or (many) one for each direction of the cross section. */
static const struct number_key {
    const char *name;
    size_t offset;
    int many; /* numbers that the key may have */
    unsigned types;
    bool any_sign;
} numbers[] = {
#define NUMBER(key, types) \
    { #key, offsetof(zn_flexible_def, key), 1, types, false }
#define NUMBERS(key, types) \
    { #key, offsetof(zn_flexible_def, key), 2, types, false }
    NUMBER(young, ALL),
    NUMBER(shear, SHEARS),
    {"poisson", offsetof(zn_flexible_def, poisson), 1, SHEARS, true},
    NUMBER(density, ALL),
    NUMBER(radius, ALL),
    NUMBER(height, ALL),
    NUMBER(width, ALL),
    NUMBER(area, ALL),
    NUMBERS(shear_area, SHEARS),
    NUMBERS(inertia, BENDS),
    NUMBER(torsion, ROD),
    NUMBER(EA, ALL),
    NUMBERS(GA, SHEARS),
    NUMBERS(EI, BENDS),
    NUMBER(GJ, ROD),
    NUMBER(line_density, ALL),
    NUMBERS(rotary, SHEARS),
    NUMBER(damping, ALL),
    {"curvature", offsetof(zn_flexible_def, curvature), 1, BENDS, true},
    {"twist", offsetof(zn_flexible_def, twist), 1, ROD, true},
#undef NUMBER
#undef NUMBERS
};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

typedef struct flexible_nodes {
    const scene_node *type, *from, *to, *curve, *elements, *order, *degree, *gauss, *mass, *direction, *velocity, *angle_rate,
        *angular_velocity, *record, *frames, *geometry, *numbers[N_NUMBERS];
} flexible_nodes;

bool scene_is_flexible(const scene_node *body) {
    const scene_node *type = body->kind == SCENE_MAP ? scene_find(body, "type") : NULL;
    for (int i = 0; type && type->kind == SCENE_SCALAR && i < ZN_FLEXIBLE_TYPE_COUNT; i++)
        if (!strcmp(type->text, type_words[i])) return true;
    return false;
}

static void read_number(scene_loader *loader, const struct number_key *key, const scene_node *node, zn_flexible_def *def) {
    double *out = (double *)((char *)def + key->offset);
    bool spatial = def->type == ZN_FLEXIBLE_ROD;
    const scene_range range = key->any_sign ? scene_any_number : scene_not_negative;
    if (!(key->types & 1u << def->type)) {
        scene_error(loader, node, "a %s has no '%s'", type_words[def->type], key->name);
        return;
    }
    if (node->kind == SCENE_LIST && (key->many < 2 || !spatial)) {
        scene_error(loader, node, "'%s' of '%s' is one number", key->name, def->name);
        return;
    }
    if (node->kind == SCENE_LIST) {
        scene_want_vector(loader, node, key->name, 2, 2, out);
        return;
    }
    if (scene_want_number(loader, node, scene_format(loader, "%s of '%s'", key->name, def->name), range, out) && key->many > 1)
        out[1] = out[0];
}

static void read_curve(scene_loader *loader, const flexible_nodes *n, int dim, zn_flexible_def *def) {
    if (n->from) scene_want_vector(loader, n->from, "from", 2, dim, def->from);
    if (n->to) scene_want_vector(loader, n->to, "to", 2, dim, def->to);
    const scene_node *items[3];
    int count = n->curve ? scene_want_list(loader, n->curve, "curve", dim, dim, items) : 0;
    for (int i = 0; i < count; i++) def->curve[i] = scene_formula(loader, items[i]);
    if (n->curve && (n->from || n->to)) scene_error(loader, n->curve, "'%s' has a curve; it cannot also have 'from' or 'to'", def->name);
    if (n->direction && def->type != ZN_FLEXIBLE_ROD) scene_error(loader, n->direction, "only a rod has a 'direction'");
    if (n->direction) scene_want_vector(loader, n->direction, "direction", 3, 3, def->direction);
}

static void read_start(scene_loader *loader, const flexible_nodes *n, int dim, zn_flexible_def *def) {
    if (n->velocity) scene_want_vector(loader, n->velocity, "velocity", 2, dim, def->velocity);
    if (n->angle_rate && dim == 3) scene_error(loader, n->angle_rate, "a rod turns by 'angular_velocity'");
    if (n->angular_velocity && dim == 2) scene_error(loader, n->angular_velocity, "a %s turns by 'angle_rate'", type_words[def->type]);
    if (n->angle_rate) scene_want_number(loader, n->angle_rate, "angle_rate", scene_any_number, &def->angular_velocity[2]);
    if (n->angular_velocity) scene_want_vector(loader, n->angular_velocity, "angular_velocity", 3, 3, def->angular_velocity);
}

static void read_discretisation(scene_loader *loader, const flexible_nodes *n, zn_flexible_def *def) {
    static const char *const masses[] = {"consistent", "lumped"}, *const records[] = {"none", "forces", "strains", "all"};
    const bool spline = def->type == ZN_FLEXIBLE_SPLINE_BEAM;
    if (n->elements) scene_want_integer(loader, n->elements, "elements", 1, &def->elements);
    const scene_node *wrong = spline ? n->order : n->degree;
    if (wrong) scene_error(loader, wrong, spline ? "a spline-beam has a 'degree'" : "only a spline-beam has a 'degree'");
    const scene_node *order = spline ? n->degree : n->order;
    if (order) scene_want_integer(loader, order, spline ? "degree" : "order", 1, &def->order);
    if (n->gauss && !spline) scene_error(loader, n->gauss, "only a spline-beam has 'gauss' (points of an element)");
    if (n->gauss) scene_want_integer(loader, n->gauss, "gauss", 1, &def->gauss);
    if (n->mass && def->type != ZN_FLEXIBLE_BAR && def->type != ZN_FLEXIBLE_ROD)
        scene_error(loader, n->mass, "only bars and rods have a choice of 'mass'; a %s has 'density' or 'line_density'",
                    type_words[def->type]);
    if (n->mass) def->lumped = scene_want_word(loader, n->mass, "mass", 2, masses) == 1;
    int word = n->record ? scene_want_word(loader, n->record, "record", 4, records) : -1;
    if (word >= 0) def->record = (zn_flexible_record)(ZN_RECORD_NONE + word);
}

/* {s: 0.5, at: [..], angle: ..}: a frame in the cross section at s; or just s. */
void scene_read_section(scene_loader *loader, zn_flexible flexible, const char *name, const scene_node *key, const scene_node *node) {
    const char *what = scene_format(loader, "frame '%s'", key->text);
    const scene_node *s = node->kind == SCENE_SCALAR ? node : NULL, *at = NULL, *angle = NULL, *rotation = NULL;
    const scene_key keys[] = {{"s", SCENE_SCALAR, true, &s},
                              {"at", SCENE_LIST, false, &at},
                              {"angle", SCENE_SCALAR, false, &angle},
                              {"rotation", SCENE_LIST | SCENE_MAP, false, &rotation}};
    if (!scene_want_kind(loader, node, SCENE_SCALAR | SCENE_MAP, what)) return;
    if (node->kind == SCENE_MAP && !scene_want_map(loader, node, what, 4, keys)) return;
    double where = 0, position[3] = {0}, quaternion[4] = {1}, turn;
    int errors = zn_error_count(loader->context);
    if (s) scene_want_number(loader, s, scene_format(loader, "s of %s", what), scene_zero_to_one, &where);
    if (at) scene_want_vector(loader, at, what, 2, 3, position);
    if (angle && rotation) scene_error(loader, rotation, "%s has both 'angle' and 'rotation'", what);
    if (angle && scene_want_number(loader, angle, "angle", scene_any_number, &turn))
        quaternion[0] = cos(turn / 2), quaternion[3] = sin(turn / 2);
    if (rotation) scene_want_rotation(loader, rotation, what, quaternion);
    if (s && zn_error_count(loader->context) == errors)
        scene_placed(loader, zn_parts_section(loader->parts, flexible, where, name, position, quaternion, NULL), key);
}

static int make_keys(flexible_nodes *n, scene_key *keys) {
    const scene_key fixed[] = {{"type", SCENE_SCALAR, true, &n->type},
                               {"from", SCENE_LIST, false, &n->from},
                               {"to", SCENE_LIST, false, &n->to},
                               {"curve", SCENE_LIST, false, &n->curve},
                               {"elements", SCENE_SCALAR, true, &n->elements},
                               {"order", SCENE_SCALAR, false, &n->order},
                               {"degree", SCENE_SCALAR, false, &n->degree},
                               {"gauss", SCENE_SCALAR, false, &n->gauss},
                               {"mass", SCENE_SCALAR, false, &n->mass},
                               {"direction", SCENE_LIST, false, &n->direction},
                               {"velocity", SCENE_LIST, false, &n->velocity},
                               {"angle_rate", SCENE_SCALAR, false, &n->angle_rate},
                               {"angular_velocity", SCENE_LIST, false, &n->angular_velocity},
                               {"record", SCENE_SCALAR, false, &n->record},
                               {"frames", SCENE_MAP, false, &n->frames},
                               {"geometry", SCENE_MAP, false, &n->geometry}};
    int count = sizeof fixed / sizeof *fixed;
    memcpy(keys, fixed, sizeof fixed);
    for (int i = 0; i < N_NUMBERS; i++) keys[count++] = (scene_key){numbers[i].name, SCENE_SCALAR | SCENE_LIST, false, &n->numbers[i]};
    return count;
}

void scene_read_flexible(scene_loader *loader, const scene_entry *entry) {
    enum { MOST_KEYS = 64 };
    const char *name = entry->key->text, *what = scene_format(loader, "body '%s'", name);
    flexible_nodes n = {0};
    scene_key keys[MOST_KEYS];
    int n_keys = make_keys(&n, keys), errors = zn_error_count(loader->context);
    zn_flexible_def def = zn_default_flexible_def();
    zn_flexible flexible;
    scene_declare(loader, "body", entry->key);
    int word = scene_want_map(loader, entry->value, what, n_keys, keys) && n.type
                   ? scene_want_word(loader, n.type, "type", ZN_FLEXIBLE_TYPE_COUNT, type_words)
                   : -1;
    if (word >= 0) {
        def.name = name;
        def.type = (zn_flexible_type)word;
        const int dim = def.type == ZN_FLEXIBLE_ROD ? 3 : 2;
        read_curve(loader, &n, dim, &def);
        read_start(loader, &n, dim, &def);
        read_discretisation(loader, &n, &def);
        for (int i = 0; i < N_NUMBERS; i++)
            if (n.numbers[i]) read_number(loader, &numbers[i], n.numbers[i], &def);
    }
    if (zn_error_count(loader->context) == errors && scene_placed(loader, zn_parts_flexible(loader->parts, &def, &flexible), entry->key)) {
        for (const scene_entry *frame = n.frames ? n.frames->first : NULL; frame && !scene_gave_up(loader); frame = frame->next)
            scene_read_section(loader, flexible, frame->key->text, frame->key, frame->value);
        if (n.geometry && zn_error_count(loader->context) == errors) scene_read_geometry(loader, name, n.geometry);
    }
    if (zn_error_count(loader->context) != errors) loader->names_incomplete = true;
}
