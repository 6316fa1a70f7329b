/* SPDX-License-Identifier: Apache-2.0 */
/* CSV as csv_write.c makes it, also with CR LF and a byte order mark. A last line without its end is what a killed run left
 * behind: it is dropped, because a number in it may be cut. */
#include "result/internal.h"

#include <locale.h>
#include <stdlib.h>

/* One field of the header; *cursor goes behind it. false: out of memory, or *reason says what is wrong. */
static char *header_field(zn_context *context, const char **cursor, const char *end, const char **reason) {
    const char *c = *cursor;
    char *field = NULL, *out;
    if (c < end && *c == '"') {
        const char *close = c + 1;
        while (close < end && (*close != '"' || (close + 1 < end && close[1] == '"'))) close += *close == '"' ? 2 : 1;
        if (close >= end) {
            *reason = "a quotation mark is not closed";
            return NULL;
        }
        out = field = MEM_ARRAY(context, char, close - c);
        for (c++; field && c < close; c += *c == '"' ? 2 : 1) *out++ = *c;
        *cursor = close + 1;
    } else {
        const char *stop = c;
        while (stop < end && *stop != ',' && *stop != '\n' && *stop != '\r') stop++;
        field = MEM_ARRAY(context, char, stop - c + 1);
        if (field) memcpy(field, c, (size_t)(stop - c));
        *cursor = stop;
    }
    return field;
}

static bool looks_like_number(const char *text) {
    char *end;
    strtod(text, &end);
    return end != text && *end == '\0' && strpbrk(text, "0123456789");
}

static zn_status add_dataset(result_file *result, size_t *capacity, char *name) {
    if (!mem_grow(result->context, (void **)&result->datasets, capacity, (size_t)result->width + 1, sizeof *result->datasets)) {
        mem_free(result->context, name);
        return ZN_ERROR_MEMORY;
    }
    result->datasets[result->width++] = (result_dataset){.name = name, .n_columns = 1};
    result->layout.datasets = result->datasets;
    result->layout.n_datasets = result->width;
    return ZN_OK;
}

static zn_status read_header(result_file *result, const char **cursor, const char *end) {
    size_t capacity = 0;
    const char *c = *cursor;
    if (end - c >= 3 && memcmp(c, "\xef\xbb\xbf", 3) == 0) c += 3;
    for (bool more = true; more;) {
        const char *reason = NULL;
        char *name = header_field(result->context, &c, end, &reason);
        if (!name) return reason ? result_fail_content(result, 1, "%s", reason) : ZN_ERROR_MEMORY;
        if (!*name || looks_like_number(name)) {
            zn_status status = result_fail_content(result, 1, "the first line must hold the names of the columns, not \"%.40s\"", name);
            mem_free(result->context, name);
            return status;
        }
        zn_status status = add_dataset(result, &capacity, name);
        if (status != ZN_OK) return status;
        if (c < end && *c == '\r') c++;
        if (c >= end) return result_fail_content(result, 1, "ends before the end of its first line");
        if (*c != ',' && *c != '\n') return result_fail_content(result, 1, "a quoted name is followed by other characters");
        more = *c++ == ',';
    }
    *cursor = c;
    return ZN_OK;
}

static int compare_names(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static zn_status check_names(result_file *result) {
    const char **names = MEM_ARRAY(result->context, const char *, result->width);
    if (!names) return ZN_ERROR_MEMORY;
    for (int i = 0; i < result->width; i++) names[i] = result->datasets[i].name;
    qsort(names, (size_t)result->width, sizeof *names, compare_names);
    zn_status status = ZN_OK;
    for (int i = 1; i < result->width && status == ZN_OK; i++)
        if (strcmp(names[i - 1], names[i]) == 0) status = result_fail_content(result, 1, "two columns are called \"%.40s\"", names[i]);
    mem_free(result->context, names);
    return status;
}

/* The fields of one line into row `row`. The line has a newline, so strtod stops within it when it starts in it. */
static zn_status read_row(result_file *result, const char **cursor, long row) {
    const char *c = *cursor;
    for (int i = 0; i < result->width; i++) {
        char *end = NULL;
        bool starts = (*c >= '0' && *c <= '9') || (*c != '\0' && strchr("+-.nNiI", *c));
        if (starts) result->columns[i][row] = strtod(c, &end);
        if (!starts || end == c)
            return result_fail_content(result, row + 2, "field %d (%.40s) is not a number", i + 1, result->datasets[i].name);
        c = end;
        if (i + 1 < result->width) {
            if (*c != ',') return result_fail_content(result, row + 2, "has %d fields where the header has %d", i + 1, result->width);
            c++;
        }
    }
    if (*c == '\r') c++;
    if (*c != '\n') return result_fail_content(result, row + 2, "something follows the last of the %d numbers", result->width);
    *cursor = c + 1;
    return ZN_OK;
}

static zn_status read_rows(result_file *result, const char *cursor, const char *end) {
    long lines = 0;
    for (const char *c = cursor; (c = memchr(c, '\n', (size_t)(end - c))) != NULL; c++) lines++;
    /* A line has at least two bytes a field: more lines than that cannot all be right, and need no memory. */
    long possible = (long)((end - cursor) / 2 / result->width) + 1;
    long room = lines < possible ? lines : possible;
    for (int i = 0; i < result->width; i++)
        if (!(result->columns[i] = MEM_ARRAY(result->context, double, room))) return ZN_ERROR_MEMORY;
    zn_status status = ZN_OK;
    while (result->rows < lines && status == ZN_OK) {
        status = result->rows < room ? read_row(result, &cursor, result->rows)
                                     : result_fail_content(result, result->rows + 2, "is an empty line");
        if (status == ZN_OK) result->rows++;
    }
    return status;
}

zn_status result_csv_open(result_file *result, char *content, size_t size) {
    const char *cursor = content, *end = content + size;
    /* Numbers have a point whatever the locale of the program. */
    locale_t neutral = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (neutral == (locale_t)0) return fail(result->context, ZN_ERROR_MEMORY, "out of memory");
    locale_t before = uselocale(neutral);
    zn_status status = read_header(result, &cursor, end);
    if (status == ZN_OK) status = check_names(result);
    if (status == ZN_OK) status = result_allocate_columns(result);
    if (status == ZN_OK) status = read_rows(result, cursor, end);
    uselocale(before);
    freelocale(neutral);
    return status;
}
