/* SPDX-License-Identifier: Apache-2.0 */
/* Names and sizes of what a result holds. */
#include "result/internal.h"

#include <stdlib.h>

int result_dataset_width(const result_dataset *dataset) { return dataset->columns ? dataset->n_columns : 1; }

int result_layout_width(const result_layout *layout) {
    int width = 0;
    for (int d = 0; d < layout->n_datasets; d++) width += result_dataset_width(&layout->datasets[d]);
    return width;
}

void result_free_texts(zn_context *context, char **texts, int count) {
    if (!texts) return;
    for (int i = 0; i < count; i++) mem_free(context, texts[i]);
    mem_free(context, texts);
}

static int compare_texts(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Without its group. Of a column of CSV a slash is nothing but a letter. */
static const char *own_name(const result_dataset *dataset) {
    const char *slash = dataset->columns || dataset->plain ? strchr(dataset->name, '/') : NULL;
    return slash ? slash + 1 : dataset->name;
}

static const char *column_name(const result_dataset *dataset, int c) { return dataset->columns ? dataset->columns[c] : own_name(dataset); }

bool result_dataset_name_ok(const char *name) {
    const char *slash = strchr(name, '/'), *last = slash ? slash + 1 : name;
    bool group = !slash || (slash > name && !(slash == name + 1 && *name == '.'));
    return group && *last && !strchr(last, '/') && strcmp(last, ".") != 0;
}

/* The short names, sorted: those that a column could be called by if it were alone. */
static const char **sorted_short_names(zn_context *context, const result_layout *layout, int *count) {
    const char **names = MEM_ARRAY(context, const char *, result_layout_width(layout));
    *count = 0;
    for (int d = 0; names && d < layout->n_datasets; d++) {
        const result_dataset *dataset = &layout->datasets[d];
        if (dataset->columns && !dataset->plain) continue;
        for (int c = 0; c < result_dataset_width(dataset); c++) names[(*count)++] = column_name(dataset, c);
    }
    if (names) qsort(names, (size_t)*count, sizeof *names, compare_texts);
    return names;
}

static bool is_unique(const char *const *sorted, int count, const char *name) {
    const char **found = bsearch(&name, sorted, (size_t)count, sizeof *sorted, compare_texts);
    if (!found) return true;
    if (found > sorted && strcmp(found[-1], name) == 0) return false;
    return found + 1 >= sorted + count || strcmp(found[1], name) != 0;
}

char **result_layout_labels(zn_context *context, const result_layout *layout) {
    int width = result_layout_width(layout), n_short = 0, i = 0;
    const char **short_names = sorted_short_names(context, layout, &n_short);
    char **labels = short_names ? MEM_ARRAY(context, char *, width) : NULL;
    for (int d = 0; labels && d < layout->n_datasets; d++) {
        const result_dataset *dataset = &layout->datasets[d];
        for (int c = 0; c < result_dataset_width(dataset); c++, i++) {
            const char *name = column_name(dataset, c);
            bool alone = !dataset->columns && name == dataset->name; /* not in a group */
            bool plain = alone || ((!dataset->columns || dataset->plain) && is_unique(short_names, n_short, name));
            labels[i] = plain               ? mem_text(context, name)
                        : !dataset->columns ? mem_text(context, dataset->name)
                                            : mem_format(context, "%s.%s", own_name(dataset), name);
            if (labels[i]) continue;
            result_free_texts(context, labels, i);
            mem_free(context, short_names);
            return NULL;
        }
    }
    mem_free(context, short_names);
    return labels;
}

static zn_status check_labels(zn_context *context, const char *path, const result_layout *layout) {
    int width = result_layout_width(layout);
    char **labels = result_layout_labels(context, layout);
    if (!labels) return ZN_ERROR_MEMORY;
    qsort(labels, (size_t)width, sizeof *labels, compare_texts);
    zn_status status = ZN_OK;
    for (int i = 1; i < width && status == ZN_OK; i++) {
        if (strcmp(labels[i - 1], labels[i]) != 0) continue;
        error_place place = ERROR_PLACE_NONE;
        place.file = path;
        status = fail_at(context, ZN_ERROR_ARGUMENT, &place, "two columns of the result are called \"%s\"", labels[i]);
    }
    result_free_texts(context, labels, width);
    return status;
}

zn_status result_layout_check(zn_context *context, const char *path, const result_layout *layout) {
    error_place place = ERROR_PLACE_NONE;
    place.file = path;
    if (result_layout_width(layout) <= 0) return fail_at(context, ZN_ERROR_ARGUMENT, &place, "the result would have no columns");
    for (int d = 0; d < layout->n_datasets; d++) {
        const char *name = layout->datasets[d].name;
        if (!name || !result_dataset_name_ok(name))
            return fail_at(context, ZN_ERROR_ARGUMENT, &place, "\"%s\" cannot be the name of a dataset", name ? name : "");
        for (int e = 0; e < d; e++)
            if (strcmp(name, layout->datasets[e].name) == 0)
                return fail_at(context, ZN_ERROR_ARGUMENT, &place, "two datasets of the result are called \"%s\"", name);
    }
    for (int i = 0; i < layout->n_texts; i++) {
        const char *name = layout->texts[i].name;
        if (!*name || strcmp(name, "format") == 0 || strcmp(name, "datasets") == 0)
            return fail_at(context, ZN_ERROR_ARGUMENT, &place, "\"%s\" cannot be the name of a text of the result", name);
    }
    return check_labels(context, path, layout);
}
