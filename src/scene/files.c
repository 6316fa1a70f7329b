/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a scene refers to (tables, meshes) and may contain: the section `files` has their bytes by the names that others use, as a
 * text or as {base64: TEXT}. Files that are read are kept, so that the text of a run contains them, and a result can be repeated without
 * them. */
#include "scene/scene.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static scene_file *find(const scene_arena *arena, const char *path) {
    for (scene_file *f = arena->files; f; f = f->next)
        if (!strcmp(f->path, path)) return f;
    return NULL;
}

bool scene_file_name(scene_arena *arena, const char *name, const char *path) {
    if (find(arena, path)) return true;
    scene_file *f = SCENE_NEW(arena, scene_file, 1), **last = &arena->files;
    if (!f || !(f->name = scene_copy(arena, name, strlen(name))) || !(f->path = scene_copy(arena, path, strlen(path)))) return false;
    while (*last) last = &(*last)->next;
    *last = f;
    return true;
}

char *scene_file_given(scene_arena *arena, const char *path, size_t *length) {
    const scene_file *f = find(arena, path);
    if (!f || !f->given) return NULL;
    *length = f->length;
    return scene_copy(arena, f->bytes, f->length);
}

void scene_file_keep(scene_arena *arena, const char *path, const char *bytes, size_t length) {
    scene_file *f = find(arena, path);
    if (!f || f->bytes || length > SCENE_MAX_KEPT) return;
    f->bytes = scene_copy(arena, bytes, length), f->length = length;
}

/* ---- the section ---- */

/* Three bytes of four digits; false: there is something else in the text. */
static bool decode(const char *text, char *bytes, size_t *length) {
    unsigned bits = 0;
    int held = 0;
    *length = 0;
    for (; *text && *text != '='; text++) {
        const char *digit = strchr(digits, *text);
        if (strchr(" \n\r\t", *text)) continue;
        if (!digit) return false;
        bits = bits << 6 | (unsigned)(digit - digits), held += 6;
        if (held >= 8) held -= 8, bytes[(*length)++] = (char)(bits >> held & 255);
    }
    return true;
}

static void read_file(scene_loader *loader, const scene_entry *entry) {
    const scene_node *value = entry->value, *coded = NULL;
    const char *path = scene_path_beside(loader->arena, entry->key), *what = scene_format(loader, "file '%s'", entry->key->text);
    const scene_key keys[] = {{"base64", SCENE_SCALAR, true, &coded}};
    if (!path || !scene_want_kind(loader, value, SCENE_SCALAR | SCENE_MAP, what)) return;
    if (value->kind == SCENE_MAP && (!scene_want_map(loader, value, what, 1, keys) || !coded)) return;
    scene_file *f = find(loader->arena, path);
    const char *text = coded ? coded->text : value->text;
    char *bytes = scene_copy(loader->arena, text, strlen(text));
    if (!f || !bytes) return;
    f->bytes = bytes, f->length = strlen(text), f->given = true;
    if (coded && !decode(text, bytes, &f->length)) scene_error(loader, coded, "%s has characters that are not those of base64", what);
}

void scene_read_files(scene_loader *loader, const scene_node *node) {
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) read_file(loader, entry);
}

/* ---- the text of a run ---- */

static bool is_text(const scene_file *f) {
    for (size_t i = 0; i < f->length; i++) {
        unsigned char c = (unsigned char)f->bytes[i];
        if (c > 126 || (c < 32 && !strchr("\n\r\t", c ? c : ' '))) return false;
    }
    return true;
}

char *scene_file_text(zn_context *context, const scene_file *f, bool *coded) {
    *coded = !is_text(f);
    if (!*coded) return mem_text(context, f->bytes);
    char *text = MEM_ARRAY(context, char, (f->length + 2) / 3 * 4 + 1), *to = text;
    for (size_t i = 0; text && i < f->length; i += 3) {
        unsigned bits = 0;
        for (size_t k = 0; k < 3; k++) bits = bits << 8 | (i + k < f->length ? (unsigned char)f->bytes[i + k] : 0);
        for (size_t k = 0; k < 4; k++) *to++ = i + k > f->length ? '=' : digits[bits >> (18 - 6 * k) & 63];
    }
    return text;
}
