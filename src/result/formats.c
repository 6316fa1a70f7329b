/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of results. A new one adds its row here. */
#include "result/internal.h"

#include <stdio.h>
#include <strings.h>

const result_format result_formats[] = {
    {"HDF5", {".h5", ".hdf5"}, RESULT_HDF5_SIGNATURE, true, result_hdf5_create, true, result_hdf5_open},
    {"CSV", {".csv"}, NULL, false, result_csv_create, false, result_csv_open},
};
enum { N_FORMATS = sizeof result_formats / sizeof *result_formats };

const result_format *result_format_of(const char *path) {
    size_t length = strlen(path);
    for (int i = 0; i < N_FORMATS; i++)
        for (int k = 0; k < RESULT_ENDINGS && result_formats[i].endings[k]; k++) {
            const char *ending = result_formats[i].endings[k];
            size_t n = strlen(ending);
            if (length > n && strcasecmp(path + length - n, ending) == 0 && path[length - n - 1] != '/') return &result_formats[i];
        }
    return NULL;
}

const result_format *result_format_by_content(const char *head, size_t size) {
    for (int i = 0; i < N_FORMATS; i++) {
        const char *signature = result_formats[i].signature;
        if (signature && size == RESULT_SIGNATURE && memcmp(head, signature, RESULT_SIGNATURE) == 0) return &result_formats[i];
        if (!signature && !memchr(head, 0, size)) return &result_formats[i];
    }
    return NULL;
}

bool result_path_has_drawings(const char *path) { return result_format_of(path) && result_format_of(path)->drawings; }

bool result_path_ok(zn_context *context, const char *path) {
    if (result_format_of(path)) return true;
    char known[120];
    size_t used = 0;
    for (int i = 0; i < N_FORMATS; i++) {
        const result_format *f = &result_formats[i];
        for (int k = 0; k < RESULT_ENDINGS && f->endings[k]; k++)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? " or " : i ? ", " : "", f->endings[k]);
        used += (size_t)snprintf(known + used, sizeof known - used, " (%s)", f->name);
    }
    error_place place = ERROR_PLACE_NONE;
    place.file = path;
    fail_at(context, ZN_ERROR_ARGUMENT, &place, "the ending of a result's name gives its format: %s", known);
    return false;
}
