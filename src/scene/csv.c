/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a file of comma-separated values: a line of names, then lines of numbers. Empty lines and lines with # are skipped. */
#include "scene/csv.h"
#include "scene/scene.h"

#include <stdlib.h>

enum { MAX_CSV_BYTES = 64 << 20, MAX_CSV_COLUMNS = 4096 };

typedef struct csv {
    scene_loader *loader;
    const char *path;
    char *text; /* the rest */
    int line;
} csv;

#define COMPLAIN(c, column_, ...)                                                                           \
    do {                                                                                                    \
        error_place complain_at = {.file = (c)->path, .line = (c)->line, .column = (column_), .time = NAN}; \
        fail_at((c)->loader->context, ZN_ERROR_SCENE, &complain_at, __VA_ARGS__);                           \
    } while (0)

/* The next line with something in it, ended by a zero; NULL at the end. */
static char *next_line(csv *c) {
    while (c->text && *c->text) {
        char *line = c->text, *end = line + strcspn(line, "\n");
        c->text = *end ? end + 1 : end;
        *end = 0;
        c->line++;
        size_t length = strlen(line);
        if (length && line[length - 1] == '\r') line[length - 1] = 0;
        if (line[strspn(line, " \t")] && line[0] != '#') return line;
    }
    return NULL;
}

/* Field `index` of a line, without spaces and quotes around it; NULL: there is none. */
static char *field(char *line, int index, size_t *length) {
    for (; index > 0 && (line = strchr(line, ',')); index--) line++;
    if (!line) return NULL;
    line += strspn(line, " \t\"");
    *length = strcspn(line, ",");
    while (*length && strchr(" \t\"", line[*length - 1])) --*length;
    return line;
}

enum { COLUMN_MISSING = -1, COLUMN_TWICE = -2 };

static int find_column(char *header, const char *name) {
    size_t length;
    int found = COLUMN_MISSING;
    for (int i = 0; i < MAX_CSV_COLUMNS; i++) {
        const char *text = field(header, i, &length);
        if (!text) break;
        if (strlen(name) == length && !strncmp(text, name, length)) found = found == COLUMN_MISSING ? i : COLUMN_TWICE;
    }
    return found;
}

static int count_fields(const char *line) {
    int count = 1;
    for (; *line; line++) count += *line == ',';
    return count;
}

/* Where the columns stand; false with an error. */
static bool read_header(csv *c, const char *const names[2], int at[2], int *columns) {
    char *header = next_line(c);
    if (!header) {
        COMPLAIN(c, 1, "the file is empty: a line with the names of its columns is missing");
        return false;
    }
    *columns = count_fields(header);
    for (int i = 0; i < 2; i++) {
        at[i] = names[i] ? find_column(header, names[i]) : find_column(header, "t");
        if (!names[i] && at[i] == COLUMN_MISSING) at[i] = find_column(header, "time");
        if (!names[i] && at[i] == COLUMN_MISSING) at[i] = 0;
        if (at[i] >= 0) continue;
        if (at[i] == COLUMN_TWICE) COMPLAIN(c, 1, "there are two columns '%.60s'", names[i] ? names[i] : "of time");
        else COMPLAIN(c, 1, "there is no column '%.60s'; its columns are %.200s", names[i], header);
        return false;
    }
    if (!names[0] && at[0] == at[1])
        COMPLAIN(c, 1, "'%.60s' is the column of times ('t', 'time', or else the first one): values need one of their own", names[1]);
    return names[0] || at[0] != at[1];
}

static bool read_number(csv *c, char *line, int index, double *value) {
    size_t length;
    char *text = field(line, index, &length), *end;
    if (!text || length == 0) {
        COMPLAIN(c, text ? (int)(text - line) + 1 : (int)strlen(line) + 1, "a number is missing in column %d", index + 1);
        return false;
    }
    *value = strtod(text, &end);
    if (end == text + length && isfinite(*value)) return true;
    COMPLAIN(c, (int)(text - line) + 1, "'%.*s' is not a finite number", (int)(length < 40 ? length : 40), text);
    return false;
}

static int read_rows(csv *c, const int at[2], int columns, double *values[2]) {
    int rows = 0;
    for (char *line = next_line(c); line; line = next_line(c), rows++) {
        if (count_fields(line) > columns) {
            COMPLAIN(c, 1, "the row has %d entries, and there are %d columns", count_fields(line), columns);
            return 0;
        }
        for (int i = 0; i < 2; i++)
            if (!read_number(c, line, at[i], &values[i][rows])) return 0;
        if (rows == 0 || values[0][rows] > values[0][rows - 1]) continue;
        COMPLAIN(c, 1, "the rows are not sorted: %g follows %g in column %d", values[0][rows], values[0][rows - 1], at[0] + 1);
        return 0;
    }
    if (rows == 0) COMPLAIN(c, 1, "the file has no rows of numbers");
    return rows;
}

int scene_read_csv(scene_loader *loader, const char *path, error_place asked, const char *const columns[2], double *values[2]) {
    char why[SCENE_WHY] = "";
    size_t length;
    int at[2], most = 0, count;
    csv c = {.loader = loader, .path = scene_copy(loader->arena, path, strlen(path))};
    c.text = scene_read_bytes(loader->arena, path, "table", MAX_CSV_BYTES, &length, why);
    if (!c.path || !c.text) {
        if (*why) fail_at(loader->context, ZN_ERROR_SCENE, &asked, "the table '%.200s': %s", path, why);
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)c.text[i];
        most += byte == '\n';
        if (byte >= ' ' || strchr("\n\r\t", byte ? byte : ' ')) continue;
        c.line = most + 1;
        COMPLAIN(&c, 1, "the file is not a text: it has a byte %d", byte);
        return 0;
    }
    if (!strncmp(c.text, "\xef\xbb\xbf", 3)) c.text += 3; /* the mark of UTF-8 */
    if (!read_header(&c, columns, at, &count)) return 0;
    for (int i = 0; i < 2; i++)
        if (!(values[i] = SCENE_NEW(loader->arena, double, most + 1))) return 0;
    return read_rows(&c, at, count, values);
}

/* ---- inputs that follow a file: NAME=FILE:COLUMN, NAME=FILE:COLUMN,linear ---- */

zn_status scene_follow_csv(zn_context *context, zn_simulation *simulation, const char *text) {
    static const char *const ways[] = {"held", "linear", "cubic"};
    scene_arena arena = {.context = context};
    scene_loader loader = {.context = context, .arena = &arena, .file = text};
    char *name = scene_copy(&arena, text, strlen(text)), *file = name ? strchr(name, '=') : NULL,
         *column = file ? strrchr(file, ':') : NULL;
    error_place place = {.file = scene_format(&loader, "--input %s", text), .time = NAN};
    zn_status status = name ? ZN_OK : ZN_ERROR_MEMORY;
    int way = 0;
    if (status == ZN_OK && !column)
        status =
            fail_at(context, ZN_ERROR_SCENE, &place, "an input is written NAME=FILE.csv:COLUMN, optionally followed by ,linear or ,cubic");
    if (status == ZN_OK) {
        char *comma = strrchr(column, ',');
        *file++ = 0, *column++ = 0;
        if (comma) {
            *comma++ = 0;
            for (way = 0; way < 3 && strcmp(comma, ways[way]) != 0;) way++;
        }
        if (way == 3) status = fail_at(context, ZN_ERROR_SCENE, &place, "'%s' is none of held, linear and cubic", comma);
    }
    if (status == ZN_OK) {
        double *values[2];
        int errors = zn_error_count(context);
        zn_table_def def = {.n = scene_read_csv(&loader, file, place, (const char *const[]){NULL, column}, values)};
        if (def.n > 0) {
            def.x = values[0], def.y = values[1], def.interpolation = way == 2 ? ZN_INTERPOLATION_CUBIC : ZN_INTERPOLATION_LINEAR;
            status = zn_simulation_follow(simulation, name, &def, way == 0);
            if (status != ZN_OK && zn_error_count(context) > errors) fail_add_place(context, &place);
        } else status = zn_error_count(context) > errors ? ZN_ERROR_SCENE : ZN_ERROR_MEMORY;
    }
    scene_arena_free(&arena);
    return status;
}
