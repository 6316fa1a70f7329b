/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of numbers, rotations, and places for errors of parts. */
#include "scene/scene.h"

#include "linalg/geometry.h"

bool scene_placed(scene_loader *loader, zn_status status, const scene_node *node) {
    if (status == ZN_OK) return true;
    error_place place = scene_place_of(loader, node);
    fail_add_place(loader->context, &place);
    return false;
}

int scene_want_list(scene_loader *loader, const scene_node *node, const char *what, int least, int most, const scene_node **items) {
    if (!scene_want_kind(loader, node, SCENE_LIST, what)) return 0;
    if (node->count < least || node->count > most) {
        if (least == most) scene_error(loader, node, "%s has %d entries, but needs %d", what, node->count, least);
        else scene_error(loader, node, "%s has %d entries, but needs %d to %d", what, node->count, least, most);
        return 0;
    }
    int index = 0;
    for (const scene_entry *entry = node->first; entry; entry = entry->next) {
        if (!scene_want_kind(loader, entry->value, SCENE_SCALAR, scene_format(loader, "entry %d of %s", index + 1, what))) return 0;
        items[index++] = entry->value;
    }
    return index;
}

int scene_want_vector(scene_loader *loader, const scene_node *node, const char *what, int least, int most, double *values) {
    const scene_node *items[SCENE_MAX_VECTOR];
    int count = scene_want_list(loader, node, what, least, most, items), good = count;
    for (int i = 0; i < count; i++)
        if (!scene_want_number(loader, items[i], what, scene_any_number, &values[i])) values[i] = 0, good = 0;
    return good;
}

/* A quaternion [p0, p1, p2, p3], or {axis: [..], angle: ..}. */
bool scene_want_rotation(scene_loader *loader, const scene_node *node, const char *what, double *quaternion) {
    if (node->kind == SCENE_LIST) {
        if (!scene_want_vector(loader, node, what, 4, 4, quaternion)) return false;
        if (quat_dot(quat_from(quaternion), quat_from(quaternion)) > 0) return true;
        scene_error(loader, node, "%s is a quaternion of zeros; no rotation is [1, 0, 0, 0]", what);
        return false;
    }
    const scene_node *axis, *angle;
    const scene_key keys[] = {{"axis", SCENE_LIST, true, &axis}, {"angle", SCENE_SCALAR, true, &angle}};
    double direction[3], size;
    if (!scene_want_map(loader, node, what, 2, keys) || !axis || !angle || !scene_want_vector(loader, axis, "axis", 3, 3, direction) ||
        !scene_want_number(loader, angle, "angle", scene_any_number, &size))
        return false;
    if (!(vec3_norm(vec3_from(direction)) > 0)) {
        scene_error(loader, axis, "the axis of %s is zero", what);
        return false;
    }
    quat p = quat_rotation(vec3_normalised(vec3_from(direction)), size);
    for (int i = 0; i < 4; i++) quaternion[i] = p.p[i];
    return true;
}
