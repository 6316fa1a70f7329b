/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of results. A new one adds its row here. */
#include "result/internal.h"

#include <stdio.h>
#include <strings.h>

static const result_format formats[] = {
    {"HDF5", {".h5", ".hdf5"}, RESULT_HDF5_SIGNATURE, true, result_hdf5_create, true, result_hdf5_open},
    {"CSV", {".csv"}, NULL, false, result_csv_create, false, result_csv_open},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static const result_format *format_of_ending(const char *path, size_t length) {
    for (int i = 0; i < N_FORMATS; i++)
        for (int k = 0; k < RESULT_ENDINGS && formats[i].endings[k]; k++) {
            const char *ending = formats[i].endings[k];
            size_t n = strlen(ending);
            if (length > n && strncasecmp(path + length - n, ending, n) == 0 && path[length - n - 1] != '/') return &formats[i];
        }
    return NULL;
}

const result_format *result_format_of(const char *path) { return format_of_ending(path, strlen(path)); }

const result_format *result_format_by_content(const char *path, const char *head, size_t size) {
    const result_format *text = NULL;
    for (int i = N_FORMATS - 1; i >= 0; i--) {
        const char *signature = formats[i].signature;
        if (signature && size == RESULT_SIGNATURE && memcmp(head, signature, RESULT_SIGNATURE) == 0) return &formats[i];
        if (!signature) text = &formats[i];
    }
    if (memchr(head, 0, size)) return NULL;
    static const char partial[] = ".partial";
    size_t length = strlen(path), end = sizeof partial - 1;
    if (length > end && strcmp(path + length - end, partial) == 0) length -= end;
    const result_format *named = format_of_ending(path, length);
    return named && !named->signature ? named : text;
}

const char *result_format_names(char *text, size_t room) {
    size_t used = 0;
    *text = 0;
    for (int i = 0; i < N_FORMATS && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s", i ? " nor " : "", formats[i].name);
    return text;
}

bool result_path_has_drawings(const char *path) { return result_format_of(path) && result_format_of(path)->drawings; }

bool result_path_ok(zn_context *context, const char *path) {
    if (result_format_of(path)) return true;
    char known[120];
    size_t used = 0;
    for (int i = 0; i < N_FORMATS; i++) {
        const result_format *f = &formats[i];
        for (int k = 0; k < RESULT_ENDINGS && f->endings[k]; k++)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? " or " : i ? ", " : "", f->endings[k]);
        used += (size_t)snprintf(known + used, sizeof known - used, " (%s)", f->name);
    }
    error_place place = ERROR_PLACE_NONE;
    place.file = path;
    fail_at(context, ZN_ERROR_ARGUMENT, &place, "the ending of a result's name gives its format: %s", known);
    return false;
}
