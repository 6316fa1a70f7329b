/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes from files: STL (text or binary) and OBJ, as other programs write them. STL repeats the corners of every triangle, and so do some
 * OBJ files: equal points become one. */
#include "collide/collide.h"
#include "scene/scene.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_TRIANGLES = 2000000, STL_HEAD = 84, STL_TRIANGLE = 50 };

typedef struct mesh_reader {
    scene_loader *loader;
    const char *path;
    const char *next, *end, *line_start; /* text */
    int line;
    double scale;
    scene_mesh *mesh;
    int *face; /* corners of the current face */
    size_t point_capacity, triangle_capacity, face_capacity;
} mesh_reader;

static bool wrong(mesh_reader *r, const char *at, const char *why) {
    error_place place = {.file = r->path, .line = r->line, .column = r->line ? (int)(at - r->line_start) + 1 : 0, .time = NAN};
    fail_at(r->loader->context, ZN_ERROR_FILE, &place, "%s", why);
    return false;
}

/* ---- lists that grow ---- */

static bool add_point(mesh_reader *r, const double *p) {
    scene_mesh *m = r->mesh;
    if (m->n_points >= 3 * MOST_TRIANGLES) return wrong(r, r->next, "the mesh has too many points");
    if (!mem_grow(r->loader->context, (void **)&m->points, &r->point_capacity, (size_t)m->n_points + 1, sizeof *m->points)) return false;
    for (int i = 0; i < 3; i++) m->points[m->n_points][i] = r->scale * p[i] + 0.0; /* -0 and 0 are one */
    m->n_points++;
    return true;
}

static bool add_triangle(mesh_reader *r, int a, int b, int c) {
    scene_mesh *m = r->mesh;
    if (m->n_triangles >= MOST_TRIANGLES)
        return wrong(r, r->next, "the mesh has too many triangles (more than 2 million): make it coarser");
    if (!mem_grow(r->loader->context, (void **)&m->triangles, &r->triangle_capacity, (size_t)m->n_triangles + 1, sizeof *m->triangles))
        return false;
    const int corners[3] = {a, b, c};
    memcpy(m->triangles[m->n_triangles++], corners, sizeof corners);
    return true;
}

/* ---- equal points ---- */

typedef struct numbered_point {
    double at[3];
    int number;
} numbered_point;

static int by_place(const void *left, const void *right) {
    const numbered_point *a = left, *b = right;
    for (int i = 0; i < 3; i++)
        if (a->at[i] != b->at[i]) return a->at[i] < b->at[i] ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Points keep the order in which they come first. */
static bool join_points(mesh_reader *r) {
    scene_mesh *m = r->mesh;
    zn_context *context = r->loader->context;
    size_t n = (size_t)m->n_points;
    numbered_point *list = MEM_ARRAY(context, numbered_point, n);
    int *first = MEM_ARRAY(context, int, n), *now = MEM_ARRAY(context, int, n);
    bool good = list && first && now;
    for (size_t i = 0; good && i < n; i++) {
        memcpy(list[i].at, m->points[i], sizeof list[i].at);
        list[i].number = (int)i;
    }
    if (good && n) qsort(list, n, sizeof *list, by_place);
    for (size_t i = 0; good && i < n; i++)
        first[list[i].number] = i && !memcmp(list[i].at, list[i - 1].at, sizeof list[i].at) ? first[list[i - 1].number] : list[i].number;
    int count = 0;
    for (size_t i = 0; good && i < n; i++) {
        if (first[i] == (int)i) {
            now[i] = count;
            memmove(m->points[count++], m->points[i], sizeof *m->points);
        } else now[i] = now[first[i]];
    }
    for (int t = 0; good && t < m->n_triangles; t++)
        for (int i = 0; i < 3; i++) m->triangles[t][i] = now[m->triangles[t][i]];
    if (good) m->n_points = count;
    mem_free(context, list);
    mem_free(context, first);
    mem_free(context, now);
    return good;
}

/* ---- text ---- */

/* A backslash at its end continues a line. */
static bool skip_continuation(mesh_reader *r) {
    const char *at = r->next + 1;
    if (r->next >= r->end || *r->next != '\\') return false;
    if (at < r->end && *at == '\r') at++;
    if (at >= r->end || *at != '\n') return false;
    r->line_start = r->next = at + 1;
    r->line++;
    return true;
}

static void skip_blanks(mesh_reader *r) {
    while (r->next < r->end) {
        if (*r->next == ' ' || *r->next == '\t' || *r->next == '\r') r->next++;
        else if (!skip_continuation(r)) return;
    }
}

static bool at_end_of_line(mesh_reader *r) {
    skip_blanks(r);
    return r->next >= r->end || *r->next == '\n' || *r->next == '#';
}

static bool next_line(mesh_reader *r) {
    while (r->next < r->end && *r->next != '\n') r->next++;
    if (r->next >= r->end) return false;
    r->line_start = ++r->next;
    r->line++;
    return r->next < r->end;
}

/* Whether the line goes on with this word, in small or capital letters. */
static bool takes_word(mesh_reader *r, const char *word) {
    size_t length = strlen(word);
    skip_blanks(r);
    if ((size_t)(r->end - r->next) < length) return false;
    for (size_t i = 0; i < length; i++)
        if ((r->next[i] | 0x20) != word[i]) return false;
    if (r->next + length < r->end && !strchr(" \t\r\n", r->next[length])) return false;
    r->next += length;
    return true;
}

static bool take_numbers(mesh_reader *r, double *values) {
    for (int i = 0; i < 3; i++) {
        skip_blanks(r);
        char *after;
        if (r->next >= r->end || *r->next == '\n') return wrong(r, r->next, "a point has three numbers");
        values[i] = strtod(r->next, &after);
        if (after == r->next || !isfinite(values[i])) return wrong(r, r->next, "a number is wanted here");
        r->next = after;
    }
    return true;
}

static void skip_word(mesh_reader *r) {
    while (r->next < r->end && *r->next != ' ' && *r->next != '\t' && *r->next != '\r' && *r->next != '\n') r->next++;
}

/* Word by word: ends of lines only matter for names, which may contain any words. */
static bool read_stl_text(mesh_reader *r) {
    int corner = 0;
    bool more = true, complete = false;
    while (more) {
        double p[3];
        if (at_end_of_line(r) || takes_word(r, "solid")) more = next_line(r);
        else if (takes_word(r, "endsolid")) complete = true, more = next_line(r);
        else if (takes_word(r, "endloop")) {
            if (corner != 0) return wrong(r, r->next, "a triangle has three points");
        } else if (takes_word(r, "vertex")) {
            if (!take_numbers(r, p) || !add_point(r, p)) return false;
            int n = r->mesh->n_points;
            complete = false;
            if (++corner == 3 && !add_triangle(r, n - 3, n - 2, n - 1)) return false;
            corner %= 3;
        } else skip_word(r);
    }
    if (corner) return wrong(r, r->next, "the file ends within a triangle");
    if (!complete && r->mesh->n_triangles) return wrong(r, r->next, "the file ends without 'endsolid': its end is missing");
    return join_points(r);
}

/* Corners "7", "7/1", "7//3", "-1": counted from 1, or backwards from the last point so far. */
static bool take_corner(mesh_reader *r, int *corner) {
    char *after;
    errno = 0;
    long value = strtol(r->next, &after, 10);
    if (after == r->next) return wrong(r, r->next, "the number of a point is expected here");
    long index = value > 0 ? value - 1 : r->mesh->n_points + value;
    if (errno || value == 0 || index < 0 || index >= r->mesh->n_points)
        return wrong(r, r->next, "there is no point with this number so far");
    r->next = after;
    skip_word(r);
    *corner = (int)index;
    return true;
}

/* A face with more than three corners: divided in its plane. */
static bool divide_face(mesh_reader *r, const char *at, int n) {
    zn_context *context = r->loader->context;
    double(*points)[3] = mem_array(context, (size_t)n, sizeof *points);
    int(*triangles)[3] = mem_array(context, (size_t)n, sizeof *triangles);
    const char *why = NULL;
    bool good = points && triangles;
    for (int k = 0; good && k < n; k++) memcpy(points[k], r->mesh->points[r->face[k]], sizeof *points);
    good = good && collide_cut_face(context, n, points[0], triangles, &why) == ZN_OK;
    if (good && why) good = wrong(r, at, why);
    for (int t = 0; good && t < n - 2; t++)
        good = add_triangle(r, r->face[triangles[t][0]], r->face[triangles[t][1]], r->face[triangles[t][2]]);
    mem_free(context, points);
    mem_free(context, triangles);
    return good;
}

static bool read_face(mesh_reader *r) {
    int count = 0;
    skip_blanks(r);
    const char *at = r->next;
    for (int corner; !at_end_of_line(r); count++) {
        if (!take_corner(r, &corner)) return false;
        if (!mem_grow(r->loader->context, (void **)&r->face, &r->face_capacity, (size_t)count + 1, sizeof *r->face)) return false;
        r->face[count] = corner;
    }
    if (count < 3) return wrong(r, r->next, "a face has at least three points");
    return count == 3 ? add_triangle(r, r->face[0], r->face[1], r->face[2]) : divide_face(r, at, count);
}

static bool read_obj(mesh_reader *r) {
    do {
        double p[3];
        if (takes_word(r, "v")) {
            if (!take_numbers(r, p) || !add_point(r, p)) return false;
        } else if (takes_word(r, "f") && !read_face(r)) return false;
    } while (next_line(r));
    return join_points(r);
}

/* ---- binary ---- */

static uint32_t number_at(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool is_binary(const char *bytes, size_t length) {
    return length >= STL_HEAD && length == STL_HEAD + (size_t)STL_TRIANGLE * number_at((const unsigned char *)bytes + 80);
}

static bool read_stl_binary(mesh_reader *r, const char *bytes, size_t length) {
    r->line = 0;
    for (size_t t = 0; t < (length - STL_HEAD) / STL_TRIANGLE; t++) {
        const unsigned char *from = (const unsigned char *)bytes + STL_HEAD + t * STL_TRIANGLE + 12; /* after the normal */
        for (int k = 0; k < 3; k++) {
            double p[3];
            for (int i = 0; i < 3; i++) {
                uint32_t bits = number_at(from + 12 * k + 4 * i);
                float value;
                memcpy(&value, &bits, sizeof value);
                if (!isfinite((p[i] = (double)value)))
                    return wrong(r, r->next, scene_format(r->loader, "a coordinate of triangle %zu is not finite", t + 1));
            }
            if (!add_point(r, p)) return false;
        }
        int n = r->mesh->n_points;
        if (!add_triangle(r, n - 3, n - 2, n - 1)) return false;
    }
    return join_points(r);
}

/* Neither words of a text were found, nor a binary file as long as it says. */
static bool without_triangles(mesh_reader *r, const char *bytes, size_t length) {
    char why[200] = "there is no triangle in this file; a binary STL file has 84 bytes and 50 for each triangle";
    if (length >= STL_HEAD && memchr(bytes, 0, length)) {
        uint32_t triangles = number_at((const unsigned char *)bytes + 80);
        unsigned long long wanted = STL_HEAD + (unsigned long long)STL_TRIANGLE * triangles;
        if (wanted != length)
            snprintf(why, sizeof why,
                     "there is no triangle in this file; as a binary STL file it would have %llu bytes for %lu triangles, but it has %llu",
                     wanted, (unsigned long)triangles, (unsigned long long)length);
    }
    return wrong(r, bytes, why);
}

/* ---- the whole ---- */

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), tail = strlen(end);
    if (length < tail) return false;
    for (size_t i = 0; i < tail; i++)
        if ((name[length - tail + i] | 0x20) != end[i]) return false;
    return true;
}

/* What was read moves to the arena. */
static bool keep(mesh_reader *r, scene_mesh *to) {
    const scene_mesh *m = r->mesh;
    *to = *m;
    to->points = scene_alloc(r->loader->arena, (size_t)m->n_points + 1, sizeof *to->points);
    to->triangles = scene_alloc(r->loader->arena, (size_t)m->n_triangles + 1, sizeof *to->triangles);
    if (!to->points || !to->triangles) return false;
    memcpy(to->points, m->points, (size_t)m->n_points * sizeof *to->points);
    memcpy(to->triangles, m->triangles, (size_t)m->n_triangles * sizeof *to->triangles);
    return true;
}

bool scene_read_mesh(scene_loader *loader, const scene_node *file, double scale, scene_mesh *to) {
    *to = (scene_mesh){0};
    const bool stl = ends_with(file->text, ".stl"), obj = ends_with(file->text, ".obj");
    if (!stl && !obj) {
        scene_error(loader, file, "'%.100s' is neither an STL nor an OBJ file by its name: meshes come from files *.stl and *.obj",
                    file->text);
        return false;
    }
    size_t length;
    scene_mesh mesh = {0};
    char why[SCENE_WHY];
    const char *path = scene_path_beside(loader->arena, file);
    if (!path) return false;
    const char *bytes = scene_read_bytes(loader->arena, path, "mesh", SCENE_MAX_MESH_BYTES, &length, why);
    if (!bytes) {
        if (*why) scene_error(loader, file, "the mesh '%.200s': %s (paths of meshes begin at the folder of the scene)", path, why);
        return false;
    }
    mesh_reader r = {.loader = loader,
                     .path = path,
                     .next = bytes,
                     .end = bytes + length,
                     .line_start = bytes,
                     .line = 1,
                     .scale = scale,
                     .mesh = &mesh};
    bool good = stl && is_binary(bytes, length) ? read_stl_binary(&r, bytes, length) : stl ? read_stl_text(&r) : read_obj(&r);
    if (good && !mesh.n_triangles) {
        r.line = 0;
        good = stl ? without_triangles(&r, bytes, length) : wrong(&r, bytes, "there is no face in this file");
    }
    good = good && keep(&r, to);
    mem_free(loader->context, mesh.points);
    mem_free(loader->context, mesh.triangles);
    mem_free(loader->context, r.face);
    return good;
}
