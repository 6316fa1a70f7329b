/* SPDX-License-Identifier: Apache-2.0 */
/* coordinates, and for first-order models velocities and kinematics. */
#include "scene/scene.h"

void scene_read_coordinates(scene_loader *loader, const scene_node *node) {
    loader->coordinates = node;
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next)
        scene_declare(loader, "coordinate", entry->key);
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        const char *what = scene_format(loader, "coordinate '%s'", entry->key->text);
        const scene_node *start = NULL, *velocity = NULL;
        const scene_key keys[] = {{"start", SCENE_SCALAR | SCENE_NULL, false, &start},
                                  {"velocity", SCENE_SCALAR | SCENE_NULL, false, &velocity}};
        if (entry->value->kind == SCENE_SCALAR) start = entry->value;
        else if (entry->value->kind != SCENE_NULL && scene_want_kind(loader, entry->value, SCENE_SCALAR | SCENE_MAP, what))
            scene_want_map(loader, entry->value, what, 2, keys);
        if (velocity && loader->velocities && loader->alone) {
            scene_error(loader, velocity, "the scene has 'velocities' of its own; start them there");
            velocity = NULL;
        }
        const formula_said said = {
            .name = entry->key->text,
            .value = scene_constant(loader, start, "the start of a coordinate", scene_any_number, "0"),
            .rate = scene_constant(loader, velocity, "the start velocity of a coordinate", scene_any_number, "0"),
        };
        if (!loader->names_incomplete) scene_placed(loader, parts_say(loader->parts, TEXT_COORDINATE, &said), entry->key);
    }
}

void scene_read_velocities(scene_loader *loader, const scene_node *node) {
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next)
        scene_declare(loader, "velocity", entry->key);
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        const char *what = scene_format(loader, "velocity '%s'", entry->key->text);
        const scene_node *start = NULL;
        const scene_key keys[] = {{"start", SCENE_SCALAR | SCENE_NULL, false, &start}};
        if (entry->value->kind == SCENE_SCALAR) start = entry->value;
        else if (entry->value->kind != SCENE_NULL && scene_want_kind(loader, entry->value, SCENE_SCALAR | SCENE_MAP, what))
            scene_want_map(loader, entry->value, what, 1, keys);
        const formula_said said = {.name = entry->key->text,
                                   .value = scene_constant(loader, start, "the start of a velocity", scene_any_number, "0")};
        if (!loader->names_incomplete) scene_placed(loader, parts_say(loader->parts, TEXT_VELOCITY, &said), entry->key);
    }
}

void scene_read_kinematics(scene_loader *loader, const scene_node *node) {
    int errors = zn_error_count(loader->context);
    if (!loader->alone && loader->names_incomplete) return;
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        const char *name = entry->key->text;
        if (!loader->coordinates || !scene_find(loader->coordinates, name)) {
            scene_error(loader, entry->key, "kinematics: there is no coordinate '%.60s'%s", name,
                        scene_hint(loader, name, loader->coordinates));
            continue;
        }
        if (!scene_want_kind(loader, entry->value, SCENE_SCALAR, scene_format(loader, "kinematics of '%s'", name))) continue;
        const formula_said said = {.name = name, .value = scene_formula(loader, entry->value)};
        scene_placed(loader, parts_say(loader->parts, TEXT_KINEMATICS, &said), entry->key);
    }
    if (!loader->alone) { /* the others have velocities of their own */
        loader->names_incomplete |= zn_error_count(loader->context) > errors;
        return;
    }
    for (const scene_entry *entry = loader->coordinates->first; entry && !scene_gave_up(loader); entry = entry->next)
        if (!scene_find(node, entry->key->text)) {
            scene_error(loader, node, "kinematics lacks coordinate '%s'", entry->key->text);
            loader->names_incomplete = true;
        }
}
