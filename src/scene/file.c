/* SPDX-License-Identifier: Apache-2.0 */
/* Files as bytes or as text: what can be read, is not too large and ends. */
#include "scene/scene.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

static zn_status fail_file(scene_arena *arena, const char *path, const char *why) {
    error_place place = ERROR_PLACE_NONE;
    place.file = path;
    return fail_at(arena->context, ZN_ERROR_FILE, &place, "%s", why);
}

char *scene_read_bytes(scene_arena *arena, const char *path, const char *what, size_t limit, size_t *length, char why[SCENE_WHY]) {
    char *bytes = scene_file_given(arena, path, length), *buffer = NULL;
    *why = 0;
    if (bytes) return bytes;
    FILE *stream = fopen(path, "rb");
    *length = 0;
    if (!stream) {
        snprintf(why, SCENE_WHY, "%s", errno == ENOENT ? "there is no such file" : strerror(errno));
        return NULL;
    }
    struct stat about;
    if (fstat(fileno(stream), &about) == 0 && S_ISDIR(about.st_mode)) {
        snprintf(why, SCENE_WHY, "this is a directory, not a %s file", what);
        goto done;
    }
    /* Sizes of pipes are unknown, so the limit is on what is read. */
    size_t capacity = 0;
    for (;;) {
        if (!mem_grow(arena->context, (void **)&buffer, &capacity, *length + 4096, 1)) break;
        size_t got = fread(buffer + *length, 1, capacity - *length, stream);
        *length += got;
        if (got == 0 || *length > limit) break;
    }
    if (ferror(stream)) snprintf(why, SCENE_WHY, "the file cannot be read");
    else if (*length > limit) snprintf(why, SCENE_WHY, "the file is too large for a %s (more than %zu MiB)", what, limit >> 20);
    else if (feof(stream)) bytes = scene_copy(arena, buffer, *length);
    for (size_t i = 0; bytes && i < *length; i++)
        arena->read = (arena->read ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3) + 1; /* FNV */
    if (bytes && strcmp(what, "scene") != 0) scene_file_keep(arena, path, bytes, *length);
    mem_free(arena->context, buffer);
done:
    fclose(stream);
    return bytes;
}

const char *scene_path_beside(scene_arena *arena, const scene_node *node) {
    const char *name = node->text, *base = node->file, *slash = strrchr(base, '/');
    if (!slash || name[0] == '/') return scene_file_name(arena, name, name) ? name : NULL;
    size_t folder = (size_t)(slash - base) + 1, length = strlen(name);
    char *path = SCENE_NEW(arena, char, folder + length + 1);
    if (!path) return NULL;
    memcpy(path, base, folder);
    memcpy(path + folder, name, length);
    return scene_file_name(arena, name, path) ? path : NULL;
}

char *scene_read_file(scene_arena *arena, const char *path) {
    size_t length;
    char why[SCENE_WHY], *text = scene_read_bytes(arena, path, "scene", SCENE_MAX_BYTES, &length, why);
    const char *zero = text ? memchr(text, 0, length) : NULL;
    if (*why) fail_file(arena, path, why);
    if (*why || !zero) return *why ? NULL : text;
    error_place place = {.file = path, .line = 1, .column = 1, .time = NAN};
    for (const char *c = text; c < zero; c++) *c == '\n' ? (place.line++, place.column = 1) : place.column++;
    fail_at(arena->context, ZN_ERROR_FILE, &place, "this is not a text file (it has zero bytes)");
    return NULL;
}
