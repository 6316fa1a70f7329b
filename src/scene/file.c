/* SPDX-License-Identifier: Apache-2.0 */
/* A scene file as text: what can be read, is not too large and ends. */
#include "scene/scene.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

static zn_status fail_file(scene_arena *arena, const char *path, const char *why) {
    error_place place = ERROR_PLACE_NONE;
    place.file = path;
    return fail_at(arena->context, ZN_FILE, &place, "%s", why);
}

char *scene_read_file(scene_arena *arena, const char *path) {
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        fail_file(arena, path, errno == ENOENT ? "there is no such file" : strerror(errno));
        return NULL;
    }
    char *text = NULL;
    struct stat about;
    if (fstat(fileno(stream), &about) == 0 && S_ISDIR(about.st_mode)) {
        fail_file(arena, path, "this is a directory, not a scene file");
        goto done;
    }
    /* Sizes of pipes are unknown, so the limit is on what is read. */
    size_t capacity = 0, length = 0;
    char *buffer = NULL;
    for (;;) {
        if (!mem_grow(arena->context, (void **)&buffer, &capacity, length + 4096, 1)) break;
        size_t got = fread(buffer + length, 1, capacity - length, stream);
        length += got;
        if (got == 0 || length > SCENE_MAX_BYTES) break;
    }
    if (ferror(stream))
        fail_file(arena, path, "the file cannot be read");
    else if (length > SCENE_MAX_BYTES)
        fail_file(arena, path, "the file is too large for a scene (more than 4 MiB)");
    else if (memchr(buffer ? buffer : "", 0, length))
        fail_file(arena, path, "this is not a text file (it has zero bytes)");
    else if (feof(stream))
        text = scene_copy(arena, buffer, length);
    mem_free(arena->context, buffer);
done:
    fclose(stream);
    return text;
}
