/* SPDX-License-Identifier: Apache-2.0 */
/* energy, forces, mass, force, constraints and outputs. */
#include "scene/scene.h"

void scene_read_energy(scene_loader *loader, const scene_node *node) {
    const bool first_order = loader->first_order;
    const scene_node *kinetic, *potential;
    const scene_key keys[] = {{"kinetic", SCENE_SCALAR, !first_order && loader->alone, &kinetic},
                              {"potential", SCENE_SCALAR | SCENE_NULL, false, &potential}};
    if (!scene_want_map(loader, node, "energy", 2, keys)) return;
    if (!kinetic && !first_order && loader->alone) loader->names_incomplete = true;
    if (kinetic && first_order) {
        scene_error(loader, kinetic, "the scene has 'mass'; with it, energy has only 'potential' (for the account of energy)");
        kinetic = NULL;
    }
    scene_placed(loader, zn_parts_energy(loader->parts, "energy", scene_formula(loader, kinetic), scene_formula(loader, potential)), node);
}

static void add_force(scene_loader *loader, const scene_node *owner, const scene_node *value) {
    if (!scene_want_kind(loader, value, SCENE_SCALAR, scene_format(loader, "the force on '%s'", owner->text))) return;
    const formula_said said = {.name = owner->text, .value = scene_formula(loader, value)};
    scene_placed(loader, parts_say(loader->parts, TEXT_FORCE, &said), owner);
}

/* A formula for each of `owners`, by name or (a list) in their order. */
static void read_by_name(scene_loader *loader, const scene_node *node, const char *section, const scene_node *owners) {
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        const char *name = entry->key->text;
        if (!scene_find(owners, name))
            scene_error(loader, entry->key, "%s: there is no %s '%.60s'%s", section,
                        owners == loader->velocities ? "velocity" : "coordinate", name, scene_hint(loader, name, owners));
        else add_force(loader, entry->key, entry->value);
    }
}

void scene_read_forces(scene_loader *loader, const scene_node *node, const char *section, const scene_node *owners) {
    if (node->kind == SCENE_MAP) {
        read_by_name(loader, node, section, owners);
        return;
    }
    if (node->count != owners->count) {
        scene_error(loader, node, "%s has %d entries, but there are %d velocities", section, node->count, owners->count);
        return;
    }
    const scene_entry *owner = owners->first;
    for (const scene_entry *entry = node->first; entry; entry = entry->next, owner = owner->next)
        add_force(loader, owner->key, entry->value);
}

/* ---- mass ---- */

static void add_mass(scene_loader *loader, const scene_node *row, const scene_node *column, const scene_node *value) {
    if (!scene_want_kind(loader, value, SCENE_SCALAR, scene_format(loader, "the mass of '%s'", row->text))) return;
    zn_formula formula = scene_formula(loader, value);
    if (!strcmp(value->text, "0") && row != column) return;
    double mass;
    if (row == column && scene_is_constant(loader, formula) &&
        !scene_want_number(loader, value, scene_format(loader, "the mass of '%s'", row->text), scene_positive, &mass))
        formula = ZN_FORMULA("1");
    const formula_said said = {.name = row->text, .second = column->text, .value = formula};
    scene_placed(loader, parts_say(loader->parts, TEXT_MASS, &said), value);
}

static void read_diagonal_by_name(scene_loader *loader, const scene_node *node) {
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        const scene_entry *owner = loader->velocities->first;
        while (owner && strcmp(owner->key->text, entry->key->text)) owner = owner->next;
        if (owner) add_mass(loader, owner->key, owner->key, entry->value);
        else
            scene_error(loader, entry->key, "mass: there is no velocity '%.60s'%s", entry->key->text,
                        scene_hint(loader, entry->key->text, loader->velocities));
    }
    for (const scene_entry *owner = loader->velocities->first; owner && !scene_gave_up(loader); owner = owner->next)
        if (!scene_find(node, owner->key->text)) {
            scene_error(loader, node, "mass lacks velocity '%s'", owner->key->text);
            loader->names_incomplete = true;
        }
}

static void read_matrix_row(scene_loader *loader, const scene_node *node, const scene_node *row) {
    if (!scene_want_kind(loader, node, SCENE_LIST, scene_format(loader, "the mass row of '%s'", row->text))) return;
    if (node->count != loader->velocities->count) {
        scene_error(loader, node, "the mass row of '%s' has %d entries, but there are %d velocities", row->text, node->count,
                    loader->velocities->count);
        return;
    }
    const scene_entry *column = loader->velocities->first;
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next, column = column->next)
        add_mass(loader, row, column->key, entry->value);
}

/* The constant entries of a matrix that was read without errors, row by row; NULL for those that are not constant. */
static const scene_node **constant_entries(scene_loader *loader, const scene_node *matrix) {
    const scene_node **entries = SCENE_NEW(loader->arena, const scene_node *, matrix->count * matrix->count);
    const scene_node **next = entries;
    for (const scene_entry *row = matrix->first; entries && row; row = row->next)
        for (const scene_entry *entry = row->value->first; entry; entry = entry->next)
            *next++ = scene_is_constant(loader, scene_formula(loader, entry->value)) ? entry->value : NULL;
    return entries;
}

/* Of constants; the builder compares other entries as formulas. */
static void check_symmetry(scene_loader *loader, const scene_node *matrix) {
    const int n = matrix->count;
    const scene_node **entries = constant_entries(loader, matrix);
    for (int i = 1; entries && i < n; i++)
        for (int j = 0; j < i; j++) {
            const scene_node *lower = entries[i * n + j], *upper = entries[j * n + i];
            double a, b;
            const scene_node *only = !upper ? lower : !lower ? upper : NULL;
            if (only && !strcmp(only->text, "0")) /* the builder treats zeros as not given */
                scene_error(loader, only, "the mass matrix is not symmetric: 0 here, but a formula in its other half");
            if (!lower || !upper || !strcmp(lower->text, upper->text) ||
                !scene_evaluate(loader, scene_formula(loader, lower), "a mass", &a) ||
                !scene_evaluate(loader, scene_formula(loader, upper), "a mass", &b))
                continue;
            if (fabs(a - b) > 1e-12 * (fabs(a) + fabs(b)))
                scene_error(loader, lower, "the mass matrix is not symmetric: %g here, %g in line %d, column %d", a, b, upper->line,
                            upper->column);
        }
}

void scene_read_mass(scene_loader *loader, const scene_node *node) {
    if (node->kind == SCENE_MAP) {
        read_diagonal_by_name(loader, node);
        return;
    }
    int size = loader->velocities->count;
    if (node->count != size) {
        scene_error(loader, node, "mass has %d entries, but there are %d velocities", node->count, size);
        loader->names_incomplete = true;
        return;
    }
    int errors = zn_error_count(loader->context);
    bool matrix = node->first && node->first->value->kind == SCENE_LIST;
    const scene_entry *owner = loader->velocities->first;
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next, owner = owner->next) {
        if (matrix) read_matrix_row(loader, entry->value, owner->key);
        else add_mass(loader, owner->key, owner->key, entry->value);
    }
    if (matrix && zn_error_count(loader->context) == errors) check_symmetry(loader, node);
    if (zn_error_count(loader->context) != errors) loader->names_incomplete = true; /* no further checks of an incomplete matrix */
}

/* ---- constraints ---- */

void scene_read_constraints(scene_loader *loader, const scene_node *node) {
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        if (!scene_want_label(loader, "constraint", entry->key)) continue;
        const char *name = entry->key->text;
        const char *what = scene_format(loader, "constraint '%s'", name);
        const scene_node *position, *velocity;
        const scene_key keys[] = {{"position", SCENE_SCALAR, false, &position}, {"velocity", SCENE_SCALAR, false, &velocity}};
        int errors = zn_error_count(loader->context);
        if (!scene_want_map(loader, entry->value, what, 2, keys)) continue;
        if (position && velocity) scene_error(loader, entry->value, "%s has both 'position' and 'velocity'; make it two constraints", what);
        else if (position || velocity) {
            const formula_said said = {.name = name, .value = scene_formula(loader, position ? position : velocity)};
            const text_kind kind = position ? TEXT_POSITION_CONSTRAINT : TEXT_VELOCITY_CONSTRAINT;
            scene_placed(loader, parts_say(loader->parts, kind, &said), entry->key);
        } else if (zn_error_count(loader->context) == errors) scene_error(loader, entry->value, "%s lacks 'position' or 'velocity'", what);
    }
}

/* ---- outputs ---- */

void scene_read_outputs(scene_loader *loader, const scene_node *node) {
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        const char *name = entry->key->text;
        if (!scene_want_label(loader, "output", entry->key)) continue;
        if (!scene_want_kind(loader, entry->value, SCENE_SCALAR, scene_format(loader, "output '%s'", name))) continue;
        const formula_said said = {.name = name, .value = scene_formula(loader, entry->value)};
        scene_placed(loader, parts_say(loader->parts, TEXT_OUTPUT, &said), entry->key);
    }
}
