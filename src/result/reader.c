/* SPDX-License-Identifier: Apache-2.0 */
/* Reading back: the parts that both formats share, and columns by name. */
#include "result/internal.h"

#include "base/nearest.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

zn_status result_fail_content(const result_file *result, long line, const char *format, ...) {
    char sentence[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    error_place place = ERROR_PLACE_NONE;
    place.file = result->path;
    place.line = line > INT_MAX ? INT_MAX : (int)line;
    return fail_at(result->context, ZN_ERROR_FILE, &place, "%s", sentence);
}

zn_status result_allocate_columns(result_file *result) {
    result->columns = MEM_ARRAY(result->context, double *, result->width);
    return result->columns ? ZN_OK : ZN_ERROR_MEMORY;
}

static void free_const(zn_context *context, const void *block) { mem_free(context, (void *)(uintptr_t)block); }

static void free_layout(result_file *result) {
    zn_context *context = result->context;
    for (int d = 0; result->datasets && d < result->layout.n_datasets; d++) {
        result_dataset *dataset = &result->datasets[d];
        free_const(context, dataset->name);
        free_const(context, dataset->meaning);
        for (int c = 0; dataset->columns && c < dataset->n_columns; c++) free_const(context, dataset->columns[c]);
        free_const(context, dataset->columns);
    }
    for (int i = 0; result->texts && i < result->layout.n_texts; i++) {
        free_const(context, result->texts[i].name);
        free_const(context, result->texts[i].value);
    }
    mem_free(context, result->datasets);
    mem_free(context, result->texts);
}

void result_close(result_file *result) {
    if (!result) return;
    zn_context *context = result->context;
    if (result->close_source) result->close_source(result);
    for (int c = 0; result->columns && c < result->width; c++) mem_free(context, result->columns[c]);
    mem_free(context, result->columns);
    mem_free(context, result->table);
    result_free_texts(context, result->labels, result->width);
    result_free_texts(context, result->full_names, result->width);
    free_layout(result);
    result_entries_free(result);
    mem_free(context, result->path);
    handle_retire(&result->head, sizeof *result);
}

/* The whole of a text; of any other file only as much as shows what it is. One zero byte follows. */
static zn_status read_content(result_file *result, char **content, size_t *size, const result_format **format) {
    struct stat info;
    FILE *file = fopen(result->path, "rb");
    if (!file) return fail_file(result->context, result->path, "read", errno);
    zn_status status = ZN_OK;
    char head[RESULT_SIGNATURE] = {0};
    if (fstat(fileno(file), &info) != 0) status = fail_file(result->context, result->path, "read", errno);
    else if (S_ISDIR(info.st_mode)) status = fail_file(result->context, result->path, "read", EISDIR);
    else if (!S_ISREG(info.st_mode)) status = result_fail_content(result, 0, "is not a file");
    else if (info.st_size == 0) status = result_fail_content(result, 0, "is empty");
    if (status == ZN_OK) {
        *size = (size_t)info.st_size;
        size_t n = fread(head, 1, sizeof head, file);
        *format = result_format_by_content(result->path, head, n);
        char names[60];
        if (!*format) status = result_fail_content(result, 1, "is neither %s", result_format_names(names, sizeof names));
    }
    if (status == ZN_OK && !(*format)->signature) {
        rewind(file);
        *content = MEM_ARRAY(result->context, char, *size + 1);
        if (!*content) status = ZN_ERROR_MEMORY;
        else *size = fread(*content, 1, *size, file);
        if (status == ZN_OK && ferror(file)) status = fail_file(result->context, result->path, "read", errno);
    }
    fclose(file);
    return status;
}

zn_status result_make_names(result_file *result) {
    result->labels = result_layout_labels(result->context, &result->layout);
    result->full_names = MEM_ARRAY(result->context, char *, result->width);
    if (!result->labels || !result->full_names) return ZN_ERROR_MEMORY;
    int i = 0;
    for (int d = 0; d < result->layout.n_datasets; d++) {
        const result_dataset *dataset = &result->datasets[d];
        for (int c = 0; c < result_dataset_width(dataset); c++, i++) {
            result->full_names[i] = dataset->columns ? mem_format(result->context, "%s.%s", dataset->name, dataset->columns[c])
                                                     : mem_text(result->context, dataset->name);
            if (!result->full_names[i]) return ZN_ERROR_MEMORY;
        }
    }
    return ZN_OK;
}

result_file *result_allocate(zn_context *context, const char *path) {
    result_file *r = MEM_ARRAY(context, result_file, 1);
    if (!r) return NULL;
    r->head = (handle_head){HANDLE_RESULT, context};
    if ((r->path = mem_text(context, path))) return r;
    mem_free(context, r);
    return NULL;
}

zn_status result_open(zn_context *context, const char *path, result_file **result) {
    *result = NULL;
    result_file *r = result_allocate(context, path);
    if (!r) return ZN_ERROR_MEMORY;
    char *content = NULL;
    size_t size = 0;
    const result_format *format = NULL;
    zn_status status = read_content(r, &content, &size, &format);
    if (status == ZN_OK) status = format->open(r, content, size);
    mem_free(context, content);
    if (status == ZN_OK) status = result_make_names(r);
    if (status == ZN_OK) *result = r;
    else result_close(r);
    return status;
}

long result_rows(const result_file *result) { return result->rows; }

const result_layout *result_get_layout(const result_file *result) { return &result->layout; }

const char *result_get_text(const result_file *result, const char *name) {
    for (int i = 0; i < result->layout.n_texts; i++)
        if (strcmp(result->texts[i].name, name) == 0) return result->texts[i].value;
    return NULL;
}

const char *result_column_name(const result_file *result, int index) { return result->labels[index]; }

zn_status result_column(result_file *result, int index, const double **values) {
    *values = NULL;
    if (index < 0 || index >= result->width) return fail(result->context, ZN_ERROR_ARGUMENT, "there is no column %d", index);
    zn_status status = result->columns[index] ? ZN_OK
                       : result->table        ? result_memory_column(result, index)
                       : result->read_column  ? result->read_column(result, index)
                                              : ZN_OK;
    if (status == ZN_OK) *values = result->columns[index];
    return status;
}

/* ---- columns by name --------------------------------------------------------------------------------------------- */

static int find_exact(char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

/* Whether `full` ends with `name` after a dot: "percussion.floor.normal" with "floor.normal". */
static bool ends_with_name(const char *full, const char *name) {
    size_t n = strlen(full), m = strlen(name);
    return n > m && full[n - m - 1] == '.' && strcmp(full + n - m, name) == 0;
}

/* Appends ", "-separated names to a sentence as long as there is room. */
static void add_name(char *list, size_t size, const char *name) {
    size_t used = strlen(list);
    if (used + strlen(name) + 8 < size) snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
    else if (used + 6 < size && (used < 3 || strcmp(list + used - 3, "...") != 0)) strcat(list, ", ...");
}

static zn_status fail_unknown(const result_file *result, const char *name) {
    const char *best = NULL;
    int best_distance = INT_MAX;
    char list[200] = "";
    for (int i = 0; i < result->width; i++) {
        add_name(list, sizeof list, result->labels[i]);
        /* A mistake may be in any of the forms that would have been found. */
        for (const char *form = result->full_names[i]; form; form = strchr(form, '.') ? strchr(form, '.') + 1 : NULL) {
            int distance = nearest_distance(name, form);
            if (distance >= best_distance) continue;
            best_distance = distance;
            best = result->labels[i];
        }
    }
    error_place place = ERROR_PLACE_NONE;
    place.file = result->path;
    if (best && nearest_is_close(name, best_distance))
        return fail_at(result->context, ZN_ERROR_ARGUMENT, &place, "there is no column \"%s\"; did you mean \"%s\"?", name, best);
    return fail_at(result->context, ZN_ERROR_ARGUMENT, &place, "there is no column \"%s\"; the columns are %s", name, list);
}

zn_status result_find(result_file *result, const char *name, int *index) {
    *index = find_exact(result->labels, result->width, name);
    if (*index < 0) *index = find_exact(result->full_names, result->width, name);
    if (*index >= 0) return ZN_OK;
    int matches = 0;
    char list[200] = "";
    for (int i = 0; i < result->width; i++) {
        if (!ends_with_name(result->full_names[i], name)) continue;
        if (matches++ == 0) *index = i;
        add_name(list, sizeof list, result->full_names[i]);
    }
    if (matches == 1) return ZN_OK;
    *index = -1;
    if (matches == 0) return fail_unknown(result, name);
    error_place place = ERROR_PLACE_NONE;
    place.file = result->path;
    return fail_at(result->context, ZN_ERROR_ARGUMENT, &place, "\"%s\" is ambiguous: it may be any of %s", name, list);
}
