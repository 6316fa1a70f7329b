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

/* Without points nothing is reported here: that error was reported before. */
static bool read_corners(scene_loader *loader, const scene_node *node, const char *what, int n_points, int triangle[3]) {
    double corners[3];
    if (!scene_want_vector(loader, node, what, 3, 3, corners)) return false;
    for (int i = 0; i < 3; i++) {
        bool exists = corners[i] >= 1 && corners[i] <= n_points && corners[i] == floor(corners[i]);
        if (!exists && n_points > 0) {
            scene_error(loader, node, "%s has the point %g, but points are counted from 1 to %d", what, corners[i], n_points);
            return false;
        }
        triangle[i] = exists ? (int)corners[i] - 1 : -1;
    }
    return true;
}

int (*scene_read_triangles(scene_loader *loader, const scene_node *node, const char *what, int n_points, int *count))[3] {
    int(*triangles)[3] = scene_alloc(loader->arena, (size_t)node->count + 1, sizeof *triangles);
    *count = 0;
    for (const scene_entry *entry = node->first; triangles && entry && !scene_gave_up(loader); entry = entry->next)
        if (read_corners(loader, entry->value, scene_format(loader, "triangle %d of %s", *count + 1, what), n_points, triangles[*count]))
            ++*count;
    return triangles;
}
