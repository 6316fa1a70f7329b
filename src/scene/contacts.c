/* SPDX-License-Identifier: Apache-2.0 */
/* contacts: a gap (or a normal force), and up to three friction laws: sliding, rolling, pivoting. */
#include "scene/scene.h"

enum { MAX_LAWS = 3 };

typedef struct law_nodes {
    const scene_node *slip, *friction, *reservoir, *radius, *stribeck;
} law_nodes;

static const zn_formula *slip_formulas(scene_loader *loader, int count, const scene_node **nodes) {
    zn_formula *formulas = SCENE_NEW(loader->arena, zn_formula, count);
    for (int i = 0; formulas && i < count; i++) formulas[i] = scene_formula(loader, nodes[i]);
    return formulas;
}

static const zn_formula *friction_formulas(scene_loader *loader, int count, const scene_node **nodes, const char *what) {
    zn_formula *formulas = SCENE_NEW(loader->arena, zn_formula, count);
    const char *friction = scene_format(loader, "friction of %s", what);
    for (int i = 0; formulas && i < count; i++) formulas[i] = scene_constant(loader, nodes[i], friction, scene_not_negative, "0");
    return formulas;
}

static void read_stribeck(scene_loader *loader, const scene_node *node, zn_friction_def *law) {
    const scene_node *dynamic, *rate;
    const scene_key keys[] = {{"dynamic", SCENE_SCALAR, true, &dynamic}, {"rate", SCENE_SCALAR, true, &rate}};
    if (!scene_want_map(loader, node, "stribeck", 2, keys) || !dynamic || !rate) return;
    law->stribeck_dynamic = scene_constant(loader, dynamic, "stribeck dynamic", scene_not_negative, "0");
    law->stribeck_rate = scene_constant(loader, rate, "stribeck rate", scene_positive, "1");
}

static const struct {
    const char *word;
    int coefficients;
    bool radius;
} reservoirs[] = {
#define X(identifier, word, least, most, coefficients, radius, sentence) {#word, coefficients, radius},
    ZN_RESERVOIR_LIST(X)
#undef X
};

zn_reservoir scene_read_reservoir(scene_loader *loader, const scene_node *node, const scene_node *radius, const char *what,
                                  int n_friction) {
    const char *words[ZN_RESERVOIR_COUNT], *with_radius = "";
    for (int i = 0; i < ZN_RESERVOIR_COUNT; i++) {
        words[i] = reservoirs[i].word;
        if (reservoirs[i].radius) with_radius = words[i];
    }
    int word = node ? scene_want_word(loader, node, "reservoir", ZN_RESERVOIR_COUNT, words) : -1;
    zn_reservoir kind = word >= 0 ? (zn_reservoir)word : n_friction > 1 ? ZN_RESERVOIR_ELLIPSE : ZN_RESERVOIR_BALL;
    if (word >= 0 && n_friction > 1 && reservoirs[kind].coefficients == 1)
        scene_error(loader, node, "a %s has one friction coefficient, but here are %d; ellipse and rectangle have several", words[word],
                    n_friction);
    if (word >= 0 && reservoirs[kind].radius && !radius)
        scene_error(loader, node, "%s is %s, but lacks 'radius' (of the contact patch)", what, words[kind]);
    if (!reservoirs[kind].radius && radius) scene_error(loader, radius, "only 'reservoir: %s' has a radius", with_radius);
    return kind;
}

/* false: no law was filled. */
static bool read_law(scene_loader *loader, const scene_node *map, const char *what, law_nodes nodes, zn_friction_def *law) {
    if (!nodes.slip && !nodes.friction) {
        const scene_node *lonely = nodes.reservoir ? nodes.reservoir : nodes.radius ? nodes.radius : nodes.stribeck;
        if (lonely) scene_error(loader, lonely, "%s has no friction that this could belong to", what);
        return false;
    }
    if (!nodes.slip || !nodes.friction) {
        const char *missing = nodes.slip ? "friction" : "slip", *given = nodes.slip ? "slip" : "friction";
        if (!scene_find(map, missing)) scene_error(loader, map, "%s has '%s', but lacks '%s'", what, given, missing);
        return false;
    }
    const scene_node **slips, **coefficients;
    *law = (zn_friction_def){0};
    law->n_slips = scene_want_scalars(loader, nodes.slip, "slip", &slips);
    law->n_friction = scene_want_scalars(loader, nodes.friction, "friction", &coefficients);
    if (!law->n_slips || !law->n_friction) return false;
    law->slips = slip_formulas(loader, law->n_slips, slips);
    law->friction = friction_formulas(loader, law->n_friction, coefficients, what);
    if (!law->slips || !law->friction) return false;
    law->reservoir = scene_read_reservoir(loader, nodes.reservoir, nodes.radius, what, law->n_friction);
    if (nodes.radius) law->radius = scene_constant(loader, nodes.radius, "radius", scene_not_negative, "1");
    if (nodes.stribeck) read_stribeck(loader, nodes.stribeck, law);
    if (law->n_friction == 1 || law->n_friction == law->n_slips) return true;
    scene_error(loader, nodes.friction, "%s has %d friction coefficients for %d slip velocities; give one, or one for each", what,
                law->n_friction, law->n_slips);
    return false;
}

/* rolling: independent about each axis; pivoting: one axis. */
static void read_further_law(scene_loader *loader, const scene_node *node, const char *what, bool pivoting, zn_contact_def *def,
                             zn_friction_def *laws) {
    law_nodes nodes = {0};
    const scene_key keys[] = {{"slip", SCENE_SCALAR | SCENE_LIST, true, &nodes.slip},
                              {"friction", SCENE_SCALAR | SCENE_LIST, true, &nodes.friction}};
    what = scene_format(loader, "%s of %s", pivoting ? "pivoting" : "rolling", what);
    if (!scene_want_map(loader, node, what, 2, keys) || !nodes.slip || !nodes.friction) return;
    zn_friction_def *law = &laws[def->n_laws];
    if (!read_law(loader, node, what, nodes, law)) return;
    if (pivoting && law->n_slips != 1) {
        scene_error(loader, nodes.slip, "%s has one slip velocity, but here are %d", what, law->n_slips);
        return;
    }
    law->reservoir = pivoting ? ZN_RESERVOIR_BALL : ZN_RESERVOIR_RECTANGLE;
    def->n_laws++;
}

static void read_contact(scene_loader *loader, const scene_entry *entry) {
    const char *name = entry->key->text, *what = scene_format(loader, "contact '%s'", name);
    const scene_node *map = entry->value, *gap, *normal_force, *restitution, *tangential, *rolling, *pivoting;
    law_nodes sliding;
    if (!scene_want_label(loader, "contact", entry->key)) return;
    const scene_key keys[] = {{"gap", SCENE_SCALAR, false, &gap},
                              {"normal_force", SCENE_SCALAR, false, &normal_force},
                              {"slip", SCENE_SCALAR | SCENE_LIST, false, &sliding.slip},
                              {"friction", SCENE_SCALAR | SCENE_LIST, false, &sliding.friction},
                              {"reservoir", SCENE_SCALAR, false, &sliding.reservoir},
                              {"radius", SCENE_SCALAR, false, &sliding.radius},
                              {"stribeck", SCENE_MAP, false, &sliding.stribeck},
                              {"restitution", SCENE_SCALAR, false, &restitution},
                              {"tangential_restitution", SCENE_SCALAR, false, &tangential},
                              {"rolling", SCENE_MAP, false, &rolling},
                              {"pivoting", SCENE_MAP, false, &pivoting}};
    if (!scene_want_map(loader, map, what, sizeof keys / sizeof *keys, keys)) return;
    if (gap && normal_force) scene_error(loader, normal_force, "%s has both 'gap' and 'normal_force'", what);
    if (!scene_find(map, "gap") && !scene_find(map, "normal_force"))
        scene_error(loader, map, "%s lacks 'gap' (or 'normal_force', when it never opens)", what);
    if (normal_force && !gap && restitution)
        scene_error(loader, restitution, "%s has a given normal force and no gap: it has no impacts, so it has no restitution", what);

    zn_friction_def laws[MAX_LAWS];
    zn_contact_def def = {.laws = laws};
    def.gap = scene_formula(loader, gap);
    if (!gap) def.normal_force = scene_constant(loader, normal_force, "normal_force", scene_not_negative, "1");
    def.restitution = scene_constant(loader, restitution, scene_format(loader, "restitution of %s", what), scene_zero_to_one, "0");
    def.tangential_restitution =
        scene_constant(loader, tangential, scene_format(loader, "tangential_restitution of %s", what), scene_zero_to_one, "0");
    if (read_law(loader, map, what, sliding, &laws[0])) def.n_laws = 1;
    if (rolling) read_further_law(loader, rolling, what, false, &def, laws);
    if (pivoting) read_further_law(loader, pivoting, what, true, &def, laws);
    if (normal_force && !gap && !def.n_laws && !scene_has_errors(loader))
        scene_error(loader, map, "%s has a given normal force, but no friction: it does nothing", what);
    if (gap || normal_force) scene_placed(loader, zn_parts_contact_formula(loader->parts, name, &def), entry->key);
}

void scene_read_contacts(scene_loader *loader, const scene_node *node) {
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next)
        if (!loader->alone && scene_is_pair(entry->value)) scene_read_pair(loader, entry);
        else read_contact(loader, entry);
}
