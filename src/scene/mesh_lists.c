/* SPDX-License-Identifier: Apache-2.0 */
/* Points and triangles that are listed in a scene. */
#include "scene/scene.h"

double (*scene_read_points(scene_loader *loader, const scene_node *node, const char *what, int least, int *count))[3] {
    double(*points)[3] = scene_alloc(loader->arena, (size_t)node->count + 1, sizeof *points);
    *count = 0;
    for (const scene_entry *entry = node->first; points && entry && !scene_gave_up(loader); entry = entry->next)
        if (scene_want_vector(loader, entry->value, scene_format(loader, "point %d of %s", *count + 1, what), least, 3, points[*count]))
            ++*count;
    return points;
}

int (*scene_read_triangles(scene_loader *loader, const scene_node *node, const char *what, int *count))[3] {
    int(*triangles)[3] = scene_alloc(loader->arena, (size_t)node->count + 1, sizeof *triangles);
    *count = 0;
    for (const scene_entry *entry = node->first; triangles && entry && !scene_gave_up(loader); entry = entry->next) {
        double corners[3];
        if (!scene_want_vector(loader, entry->value, scene_format(loader, "triangle %d of %s", *count + 1, what), 3, 3, corners)) continue;
        for (int i = 0; i < 3; i++) triangles[*count][i] = corners[i] >= 1 ? (int)smaller(corners[i], 1e9) - 1 : -1;
        ++*count;
    }
    return triangles;
}
