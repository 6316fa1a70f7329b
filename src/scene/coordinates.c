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
        if (velocity && loader->velocities && !loader->parts) {
            scene_error(loader, velocity, "the scene has 'velocities' of its own; start them there");
            velocity = NULL;
        }
        if (loader->parts) {
            double at = 0, rate = 0;
            if (start) scene_want_number(loader, start, "the start of a coordinate", scene_any_number, &at);
            if (velocity) scene_want_number(loader, velocity, "the start velocity of a coordinate", scene_any_number, &rate);
            if (!loader->names_incomplete) scene_placed(loader, zn_parts_coordinate(loader->parts, entry->key->text, at, rate), entry->key);
            continue;
        }
        zn_formula q = scene_constant(loader, start, "the start of a coordinate", scene_any_number, "0");
        zn_formula u = scene_constant(loader, velocity, "the start velocity of a coordinate", scene_any_number, "0");
        zn_formula_coordinate(loader->builder, entry->key->text, q, u);
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
        if (loader->parts) {
            double rate = 0;
            if (start) scene_want_number(loader, start, "the start of a velocity", scene_any_number, &rate);
            if (!loader->names_incomplete) scene_placed(loader, zn_parts_velocity(loader->parts, entry->key->text, rate), entry->key);
        } else
            zn_formula_velocity(loader->builder, entry->key->text,
                                scene_constant(loader, start, "the start of a velocity", scene_any_number, "0"));
    }
}

void scene_read_kinematics(scene_loader *loader, const scene_node *node) {
    int errors = zn_error_count(loader->context);
    if (loader->parts && loader->names_incomplete) return;
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        const char *name = entry->key->text;
        if (!loader->coordinates || !scene_find(loader->coordinates, name)) {
            scene_error(loader, entry->key, "kinematics: there is no coordinate '%.60s'%s", name,
                        scene_hint(loader, name, loader->coordinates));
            continue;
        }
        if (!scene_want_kind(loader, entry->value, SCENE_SCALAR, scene_format(loader, "kinematics of '%s'", name))) continue;
        if (loader->parts) scene_placed(loader, zn_parts_kinematics(loader->parts, name, scene_formula(loader, entry->value)), entry->key);
        else zn_formula_kinematics(loader->builder, name, scene_formula(loader, entry->value));
    }
    if (loader->parts) { /* the others have velocities of their own */
        loader->names_incomplete |= zn_error_count(loader->context) > errors;
        return;
    }
    for (const scene_entry *entry = loader->coordinates->first; entry && !scene_gave_up(loader); entry = entry->next)
        if (!scene_find(node, entry->key->text)) {
            scene_error(loader, node, "kinematics lacks coordinate '%s'", entry->key->text);
            loader->names_incomplete = true;
        }
}
