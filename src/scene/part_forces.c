/* SPDX-License-Identifier: Apache-2.0 */
/* forces of a scene with bodies: maps are forces between frames, formulas act on a coordinate ("crank.phi: -0.1*crank.phi'"). */
#include "scene/scene.h"

static const char *const words[] = {
#define X(name, identifier, word, keys, sentence) word,
    ZN_FORCE_LIST(X)
#undef X
};
static const char *const known_keys[] = {
#define X(name, identifier, word, keys, sentence) keys,
    ZN_FORCE_LIST(X)
#undef X
};

typedef struct force_nodes {
    const scene_node *type, *name, *between, *on, *at, *axis, *stiffness, *damping, *length, *angle, *value, *potential, *force, *torque,
        *components, *along, *target, *limit, *side;
} force_nodes;

static void read_formulas(scene_loader *loader, const scene_node *node, const char *what, int least, zn_formula *out) {
    const scene_node *items[3];
    int count = scene_want_list(loader, node, what, least, 3, items);
    for (int i = 0; i < count; i++) out[i] = scene_formula(loader, items[i]);
}

/* A torque in the plane is one formula. */
static void read_torque(scene_loader *loader, const scene_node *node, zn_formula *out) {
    if (node->kind == SCENE_SCALAR) out[2] = scene_formula(loader, node);
    else read_formulas(loader, node, "torque", 3, out);
}

static bool read_frames(scene_loader *loader, const force_nodes *n, const scene_node *map, const char *what, zn_force_def *def) {
    if (def->type != ZN_FORCE_BODY && def->type != ZN_FORCE_FIELD) {
        if (n->on) scene_error(loader, n->on, "%s acts between two frames: 'between: [a, b]'", what);
        else if (!n->between) scene_error(loader, map, "%s lacks 'between'", what);
        bool turns = def->type == ZN_FORCE_TORSION_SPRING || def->type == ZN_FORCE_ANGLE_SERVO;
        if (!n->between || !scene_want_frames(loader, n->between, n->at, n->axis, what, &def->a, &def->b)) return false;
        if (turns && n->at && !n->axis) scene_align_second(loader, def->a, def->b);
        return true;
    }
    if (n->between) scene_error(loader, n->between, "%s acts on one frame: 'on: a'", what);
    else if (!n->on) scene_error(loader, map, "%s lacks 'on'", what);
    return n->on && scene_placed(loader, zn_parts_find_frame(loader->parts, n->on->text, &def->a), n->on);
}

/* Each key that only some types have must be in the row of this one, as 'key' or 'key: ..'. */
static void check_keys(scene_loader *loader, zn_force_type type, const char *what, int count, const scene_key *keys) {
    int row = (int)type;
    while (row > 0 && !strcmp(known_keys[row], "the same")) row--;
    for (int i = 0; i < count; i++) {
        const char *name = keys[i].name;
        if (!*keys[i].value) continue;
        if (!strstr(known_keys[row], scene_format(loader, "'%s'", name)) && !strstr(known_keys[row], scene_format(loader, "'%s:", name)))
            scene_error(loader, *keys[i].value, "%s is of type %s, which has no '%s'; it has %s", what, words[type], name, known_keys[row]);
    }
}

/* A spring without a law, or a force without components, lacks a required key. */
static void check_law(scene_loader *loader, const force_nodes *n, zn_force_type type, const char *what) {
    bool elastic = type == ZN_FORCE_SPRING || type == ZN_FORCE_LINEAR_SPRING || type == ZN_FORCE_TORSION_SPRING;
    if (elastic && !n->stiffness && !n->damping && !n->value)
        scene_error(loader, n->type, "%s lacks 'stiffness', 'damping' or 'value'", what);
    if (type == ZN_FORCE_BODY && !n->force && !n->torque) scene_error(loader, n->type, "%s lacks 'force' or 'torque'", what);
}

static void read_values(scene_loader *loader, const force_nodes *n, const char *what, zn_force_def *def) {
    static const char *const sides[] = {"world", "frame"}, *const ways[] = {"line", "axis"}, *const springs[] = {"push", "pull"};
    if (n->stiffness) scene_want_number(loader, n->stiffness, "stiffness", scene_not_negative, &def->stiffness);
    if (n->damping) scene_want_number(loader, n->damping, "damping", scene_not_negative, &def->damping);
    if (n->length) scene_want_number(loader, n->length, "length", scene_any_number, &def->length);
    if (n->angle) scene_want_number(loader, n->angle, "angle", scene_any_number, &def->angle);
    if (n->limit) scene_want_number(loader, n->limit, "limit", scene_positive, &def->limit);
    if (n->side) def->side = (zn_spring_side)(1 + scene_want_word(loader, n->side, "side", 2, springs));
    bool servo = def->type == ZN_FORCE_ANGLE_SERVO || def->type == ZN_FORCE_POSITION_SERVO;
    if (servo && !n->target) scene_error(loader, n->type, "%s lacks 'target'", what);
    if (n->value && n->potential) scene_error(loader, n->potential, "%s has both 'value' and 'potential'", what);
    def->value = scene_formula(loader, servo ? n->target : n->value ? n->value : n->potential);
    if (n->force) read_formulas(loader, n->force, "force", 2, def->force);
    if (n->torque) read_torque(loader, n->torque, def->torque);
    if (n->components) def->in_frame = scene_want_word(loader, n->components, "components", 2, sides) == 1;
    if (n->along) def->along_axis = scene_want_word(loader, n->along, "along", 2, ways) == 1;
}

static void read_force(scene_loader *loader, const char *name, const scene_node *key, const scene_node *map) {
    const char *what = scene_format(loader, "force '%s'", name);
    const int scalar = SCENE_SCALAR, list = SCENE_LIST;
    force_nodes n = {0};
    const scene_key keys[] = {{"type", scalar, true, &n.type},
                              {"name", scalar, false, &n.name},
                              {"between", list, false, &n.between},
                              {"on", scalar, false, &n.on},
                              {"at", list, false, &n.at},
                              {"axis", list, false, &n.axis},
                              {"stiffness", scalar, false, &n.stiffness},
                              {"damping", scalar, false, &n.damping},
                              {"length", scalar, false, &n.length},
                              {"angle", scalar, false, &n.angle},
                              {"value", scalar, false, &n.value},
                              {"potential", scalar, false, &n.potential},
                              {"force", list, false, &n.force},
                              {"torque", scalar | list, false, &n.torque},
                              {"components", scalar, false, &n.components},
                              {"along", scalar, false, &n.along},
                              {"target", scalar, false, &n.target},
                              {"limit", scalar, false, &n.limit},
                              {"side", scalar, false, &n.side}};
    int errors = zn_error_count(loader->context);
    if (!scene_want_map(loader, map, what, sizeof keys / sizeof *keys, keys) || !n.type) return;
    zn_force_def def = zn_default_force_def();
    int word = scene_want_word(loader, n.type, scene_format(loader, "type of %s", what), ZN_FORCE_TYPE_COUNT, words);
    if (word < 0) return;
    def.name = name;
    def.type = (zn_force_type)word;
    enum { FIRST = 6 }; /* of the keys that only some have */
    check_keys(loader, def.type, what, (int)(sizeof keys / sizeof *keys) - FIRST, keys + FIRST);
    bool framed = read_frames(loader, &n, map, what, &def);
    read_values(loader, &n, what, &def);
    if (zn_error_count(loader->context) == errors) check_law(loader, &n, def.type, what);
    if (framed && zn_error_count(loader->context) == errors) scene_placed(loader, zn_parts_force(loader->parts, &def), key);
}

void scene_read_part_forces(scene_loader *loader, const scene_node *node) {
    int number = 1;
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next, number++) {
        if (entry->key && entry->value->kind == SCENE_SCALAR) {
            scene_placed(loader, zn_parts_generalised_force(loader->parts, entry->key->text, scene_formula(loader, entry->value)),
                         entry->key);
            continue;
        }
        const char *name = scene_entry_name(loader, entry, "force", number);
        if (name) read_force(loader, name, entry->key ? entry->key : entry->value, entry->value);
    }
}
