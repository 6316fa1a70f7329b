/* SPDX-License-Identifier: Apache-2.0 */
/* materials: laws between materials; contacts between two geometries, or by a rule between groups of shapes; gaps at the start. */
#include "scene/scene.h"

#include "model/model.h"
#include "model/parts/contact_builder.h"
#include "sim/simulation.h"
#include "zeno/contact.h"

/* ---- laws ---- */

typedef struct law_nodes {
    const scene_node *friction, *reservoir, *radius, *stribeck, *restitution, *tangential, *rolling, *pivoting;
} law_nodes;

/* One or two numbers. */
static int want_coefficients(scene_loader *loader, const scene_node *node, const char *what, double *values) {
    const scene_node **items;
    int count = scene_want_scalars(loader, node, what, &items);
    if (count > 2) {
        scene_error(loader, node, "%s must have one or two values, but here are %d", what, count);
        return 0;
    }
    for (int i = 0; i < count; i++)
        if (!scene_want_number(loader, items[i], what, scene_not_negative, &values[i])) return 0;
    return count;
}

static void read_stribeck(scene_loader *loader, const scene_node *node, zn_contact_law *law) {
    const scene_node *dynamic, *rate;
    const scene_key keys[] = {{"dynamic", SCENE_SCALAR, true, &dynamic}, {"rate", SCENE_SCALAR, true, &rate}};
    if (!scene_want_map(loader, node, "stribeck", 2, keys) || !dynamic || !rate) return;
    law->stribeck = scene_want_number(loader, dynamic, "stribeck dynamic", scene_not_negative, &law->stribeck_dynamic) &&
                    scene_want_number(loader, rate, "stribeck rate", scene_positive, &law->stribeck_rate);
}

static zn_contact_law read_law(scene_loader *loader, const char *what, const law_nodes *n) {
    zn_contact_law law = {0};
    if (n->friction) law.n_friction = want_coefficients(loader, n->friction, scene_format(loader, "friction of %s", what), law.friction);
    const scene_node *lonely = n->reservoir ? n->reservoir : n->radius ? n->radius : n->stribeck;
    if (!n->friction && lonely) scene_error(loader, lonely, "%s has no friction that this could belong to", what);
    law.reservoir = scene_read_reservoir(loader, n->reservoir, n->radius, what, law.n_friction);
    if (n->radius) scene_want_number(loader, n->radius, scene_format(loader, "radius of %s", what), scene_not_negative, &law.radius);
    if (n->stribeck) read_stribeck(loader, n->stribeck, &law);
    if (n->restitution)
        scene_want_number(loader, n->restitution, scene_format(loader, "restitution of %s", what), scene_zero_to_one, &law.restitution);
    if (n->tangential)
        scene_want_number(loader, n->tangential, scene_format(loader, "tangential_restitution of %s", what), scene_zero_to_one,
                          &law.tangential_restitution);
    if (n->rolling) law.n_rolling = want_coefficients(loader, n->rolling, scene_format(loader, "rolling of %s", what), law.rolling);
    if (n->pivoting)
        scene_want_number(loader, n->pivoting, scene_format(loader, "pivoting of %s", what), scene_not_negative, &law.pivoting);
    return law;
}

static bool has_law(const law_nodes *n) { return n->friction || n->restitution || n->tangential || n->rolling || n->pivoting; }

#define LAW_KEYS(n)                                                                                                               \
    {"friction", SCENE_SCALAR | SCENE_LIST, false, &(n).friction}, {"reservoir", SCENE_SCALAR, false, &(n).reservoir},            \
        {"radius", SCENE_SCALAR, false, &(n).radius}, {"stribeck", SCENE_MAP, false, &(n).stribeck},                              \
        {"restitution", SCENE_SCALAR, false, &(n).restitution}, {"tangential_restitution", SCENE_SCALAR, false, &(n).tangential}, \
        {"rolling", SCENE_SCALAR | SCENE_LIST, false, &(n).rolling}, {                                                            \
        "pivoting", SCENE_SCALAR, false, &(n).pivoting                                                                            \
    }

/* The two names of `between`. */
static bool want_two(scene_loader *loader, const scene_node *node, const char *what, const scene_node **two) {
    const scene_node **items;
    int count = scene_want_scalars(loader, node, what, &items);
    if (count && count != 2) scene_error(loader, node, "%s must name two, but here %s %d", what, count == 1 ? "is" : "are", count);
    if (count == 2) two[0] = items[0], two[1] = items[1];
    return count == 2;
}

void scene_read_materials(scene_loader *loader, const scene_node *node) {
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        const char *what = scene_format(loader, "material pair '%s'", entry->key->text);
        const scene_node *between, *two[2];
        law_nodes n;
        const scene_key keys[] = {{"between", SCENE_LIST, true, &between}, LAW_KEYS(n)};
        if (!scene_want_map(loader, entry->value, what, sizeof keys / sizeof *keys, keys) || !between) continue;
        const int errors = zn_error_count(loader->context);
        zn_contact_law law = read_law(loader, what, &n);
        if (zn_error_count(loader->context) == errors && want_two(loader, between, scene_format(loader, "'between' of %s", what), two))
            scene_placed(loader, zn_parts_material_pair(loader->parts, two[0]->text, two[1]->text, &law), entry->key);
    }
}

/* ---- contacts ---- */

bool scene_is_pair(const scene_node *contact) { return contact->kind == SCENE_MAP && scene_find(contact, "between"); }

static bool want_vector(scene_loader *loader, const scene_node *node, const char *what, double *v) {
    return scene_want_vector(loader, node, what, 2, 3, v) > 0;
}

static bool read_tangent(scene_loader *loader, const scene_node *node, const char *what, zn_contact_pair_def *def) {
    static const char *const words[] = {"world", "touching", "surface"};
    const scene_node *direction, *of;
    const scene_key keys[] = {{"direction", SCENE_LIST, true, &direction}, {"of", SCENE_SCALAR, false, &of}};
    if (!scene_want_map(loader, node, what, 2, keys) || !direction) return false;
    int word = of ? scene_want_word(loader, of, "of", 3, words) : 0;
    if (word < 0 || !want_vector(loader, direction, what, def->direction)) return false;
    def->tangent = (zn_tangent)(ZN_TANGENT_WORLD + word);
    return true;
}

static void read_pair(scene_loader *loader, const scene_entry *entry) {
    const char *name = entry->key->text, *what = scene_format(loader, "contact '%s'", name);
    const scene_node *between, *two[2], *tangent, *normal_force;
    law_nodes n;
    const scene_key keys[] = {{"between", SCENE_LIST, true, &between},
                              LAW_KEYS(n),
                              {"tangent", SCENE_MAP, false, &tangent},
                              {"normal_force", SCENE_SCALAR, false, &normal_force}};
    if (!scene_want_map(loader, entry->value, what, sizeof keys / sizeof *keys, keys) || !between) return;
    const int errors = zn_error_count(loader->context);
    zn_contact_pair_def def = zn_default_contact_pair_def();
    zn_contact_law law = read_law(loader, what, &n);
    def.name = name;
    if (normal_force) {
        def.has_normal_force = true;
        if (n.restitution)
            scene_error(loader, n.restitution, "%s has a given normal force: it has no impacts, so it has no restitution", what);
        if (!scene_want_number(loader, normal_force, scene_format(loader, "normal_force of %s", what), scene_not_negative,
                               &def.normal_force))
            return;
    }
    if (tangent && !read_tangent(loader, tangent, scene_format(loader, "tangent of %s", what), &def)) return;
    if (!want_two(loader, between, scene_format(loader, "'between' of %s", what), two)) return;
    if (!scene_placed(loader, zn_parts_find_geometry(loader->parts, two[0]->text, &def.a), two[0]) ||
        !scene_placed(loader, zn_parts_find_geometry(loader->parts, two[1]->text, &def.b), two[1]))
        return;
    if (has_law(&n)) def.law = &law;
    if (zn_error_count(loader->context) == errors) scene_placed(loader, zn_parts_contact(loader->parts, &def), entry->key);
}

/* ---- rules ---- */

void scene_read_groups(scene_loader *loader, const scene_node *node) {
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        const char *what = scene_format(loader, "group '%s'", entry->key->text);
        const scene_node **items;
        if (!scene_want_label(loader, "group", entry->key)) continue;
        int count = scene_want_scalars(loader, entry->value, what, &items);
        const char **members = SCENE_NEW(loader->arena, const char *, count + 1);
        if (!count || !members) continue;
        for (int i = 0; i < count; i++) members[i] = items[i]->text;
        scene_placed(loader, zn_parts_group(loader->parts, entry->key->text, count, members), entry->value);
    }
}

/* Pairs of names. */
static bool read_except(scene_loader *loader, const scene_node *node, const char *what, zn_collision_def *def) {
    const char *(*pairs)[2] = scene_alloc(loader->arena, (size_t)node->count + 1, sizeof *pairs);
    if (!pairs) return false;
    for (const scene_entry *entry = node->first; entry; entry = entry->next) {
        const scene_node *two[2];
        if (!want_two(loader, entry->value, scene_format(loader, "each exception of %s", what), two)) return false;
        for (int i = 0; i < 2; i++) pairs[def->n_except][i] = two[i]->text;
        def->n_except++;
    }
    def->except = (const char *const(*)[2])pairs;
    return true;
}

/* between: all, GROUP, or [GROUP, GROUP]; a group may also be a body or a geometry. */
static bool read_sets(scene_loader *loader, const scene_node *between, const char *what, zn_collision_def *def) {
    const scene_node *two[2] = {between, between};
    if (between->kind == SCENE_LIST && !want_two(loader, between, scene_format(loader, "'between' of %s", what), two)) return false;
    const bool all[2] = {!strcmp(two[0]->text, "all"), !strcmp(two[1]->text, "all")};
    def->a = all[0] ? NULL : two[0]->text;
    def->b = all[1] ? NULL : two[1]->text;
    if (all[0] && !all[1]) def->a = def->b, def->b = "all"; /* NULL after a name would be the same name */
    else if (all[1] && !all[0]) def->b = "all";
    return true;
}

static void read_rule(scene_loader *loader, const scene_entry *entry) {
    const char *what = scene_format(loader, "contact '%s'", entry->key->text);
    const scene_node *between, *except, *joined;
    law_nodes n;
    const scene_key keys[] = {{"between", SCENE_SCALAR | SCENE_LIST, true, &between},
                              LAW_KEYS(n),
                              {"except", SCENE_LIST, false, &except},
                              {"joined", SCENE_SCALAR, false, &joined}};
    const int errors = zn_error_count(loader->context);
    if (!scene_want_map(loader, entry->value, what, sizeof keys / sizeof *keys, keys) || !between) return;
    zn_collision_def def = zn_default_collision_def();
    zn_contact_law law = read_law(loader, what, &n);
    def.name = entry->key->text;
    if (has_law(&n)) def.law = &law;
    if (!read_sets(loader, between, what, &def) || (except && !read_except(loader, except, what, &def))) return;
    if (joined) def.joined = scene_want_word(loader, joined, "joined", 2, (const char *const[]){"false", "true"}) == 1;
    if (zn_error_count(loader->context) == errors) scene_placed(loader, zn_parts_collide(loader->parts, &def), between);
}

/* Two geometries: a contact that is declared. Everything else is a rule. */
void scene_read_pair(scene_loader *loader, const scene_entry *entry) {
    const scene_node *between = scene_find(entry->value, "between");
    bool geometries = between->kind == SCENE_LIST && between->count != 2;
    if (between->kind == SCENE_LIST && between->count == 2) {
        const scene_node *a = between->first->value, *b = between->first->next->value;
        geometries = a->kind != SCENE_SCALAR || b->kind != SCENE_SCALAR ||
                     (!parts_is_set(loader->parts, a->text) && !parts_is_set(loader->parts, b->text));
    }
    if (!scene_want_label(loader, "contact", entry->key)) return;
    geometries &= !scene_find(entry->value, "except") && !scene_find(entry->value, "joined");
    geometries ? read_pair(loader, entry) : read_rule(loader, entry);
}

/* ---- the start ---- */

/* The entry of a contact, or of the pair that "NAME.3" belongs to. */
static const scene_node *find_contact(const scene_node *contacts, const char *name) {
    for (const scene_entry *entry = contacts->first; entry; entry = entry->next) {
        size_t length = strlen(entry->key->text);
        if (!strncmp(entry->key->text, name, length) && (!name[length] || (name[length] == '.' && scene_is_pair(entry->value))))
            return entry->key;
    }
    return contacts;
}

void scene_check_gaps(scene_loader *loader, const scene_node *contacts, const zn_model *model) {
    double *c0 = scene_alloc(loader->arena, (size_t)model_rows(model) + 1, sizeof *c0);
    void *work = mem_array(loader->context, model->work_bytes, 1);
    double *tolerance = scene_alloc(loader->arena, (size_t)model_rows(model) + 1, sizeof *tolerance);
    zn_point start = {.q = model->q_start, .u = model->u_start};
    bool sized = c0 && work && tolerance && sim_start_tolerances(loader->context, model, &start, 1, tolerance) == ZN_OK;
    if (sized && !model->constraints(model, work, &start, &(zn_constraints){.c0 = c0}))
        for (int i = 0; i < model->size.n_contacts && !scene_gave_up(loader); i++) {
            const zn_contact *contact = &model->contacts[i];
            if (contact->row_N < 0 || c0[contact->row_N] >= -tolerance[contact->row_N]) continue;
            const scene_node *node = find_contact(contacts, contact->name);
            if (isfinite(c0[contact->row_N]))
                scene_error(loader, node, "the bodies of contact '%s' overlap at the start: its gap is %g", contact->name,
                            c0[contact->row_N]);
            else if (sim_is_ring(model, i))
                scene_error(loader, node,
                            "the edge of contact '%s' lies flat at the start, so it has no lowest point: use a contact rule ({between: "
                            "all}) instead, with which it rests on several points",
                            contact->name);
            else
                scene_error(loader, node, "the gap of contact '%s' is not a number at the start: is it where its normal is undefined?",
                            contact->name);
        }
    mem_free(loader->context, work);
}
