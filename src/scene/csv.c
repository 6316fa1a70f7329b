/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a file of comma-separated values: a line of names, then lines of numbers. Empty lines and lines with # are skipped. Texts may
 * be quoted, as other programs write them. */
#include "scene/csv.h"
#include "scene/scene.h"

#include <stdlib.h>

enum { MAX_CSV_BYTES = 64 << 20 };

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

/* The field at *rest, which moves on to the next one (NULL: there is none), without spaces around it. Within quotes a comma is part of it,
 * and "" is a quote; NULL: the quotes are not closed before the next comma. */
static char *take_field(char **rest) {
    char *text = *rest + strspn(*rest, " \t"), *end = text + strcspn(text, ","), *to = end;
    if (*text == '"') {
        to = end = ++text;
        for (; *end && (*end != '"' || end[1] == '"'); *to++ = *end++) end += *end == '"';
        if (!*end) return NULL;
        end += 1 + strspn(end + 1, " \t");
        if (*end && *end != ',') return NULL;
    }
    *rest = *end ? end + 1 : NULL;
    while (to > text && strchr(" \t", to[-1])) to--;
    *to = 0;
    return text;
}

/* The next field of a line, with an error where its quotes do not end. */
static char *next_field(csv *c, const char *line, char **rest) {
    int column = (int)(*rest - line) + 1;
    char *text = take_field(rest);
    if (!text) COMPLAIN(c, column, "a quoted text must end with a quote before the next comma or line; double the quotes inside it");
    return text;
}

enum { MISSING = -1, TWICE = -2 };

static void note_column(int *at, int index) { *at = *at == MISSING ? index : TWICE; }

/* Where the columns stand; false with an error. */
static bool read_header(csv *c, const char *const names[2], int at[2], int *columns) {
    static const char *const times[] = {"t", "time"};
    int time_at[] = {MISSING, MISSING};
    char *header = next_line(c), *written = header ? scene_copy(c->loader->arena, header, strlen(header)) : NULL;
    if (!header) {
        if (c->line == 0) c->line = 1;
        COMPLAIN(c, 1, "the file is empty: a line with the names of its columns is missing");
    }
    if (!written) return false;
    at[0] = at[1] = MISSING, *columns = 0;
    for (char *rest = header; rest; ++*columns) {
        const char *text = next_field(c, header, &rest);
        if (!text) return false;
        for (int i = 0; i < 2; i++) {
            if (names[i] && !strcmp(text, names[i])) note_column(&at[i], *columns);
            if (!strcmp(text, times[i])) note_column(&time_at[i], *columns);
        }
    }
    if (!names[0]) at[0] = time_at[0] != MISSING ? time_at[0] : time_at[1] != MISSING ? time_at[1] : 0;
    for (int i = 0; i < 2; i++) {
        if (at[i] >= 0) continue;
        if (at[i] == TWICE) COMPLAIN(c, 1, "there are two columns '%.60s'", names[i] ? names[i] : "of time");
        else
            COMPLAIN(c, 1, "there is no column '%.60s'; its columns are %.200s%s", names[i], written,
                     *columns == 1 && strpbrk(written, ";\t") ? " (they are separated by commas)" : "");
        return false;
    }
    if (!names[0] && at[0] == at[1])
        COMPLAIN(c, 1, "'%.60s' is the time column ('t', 'time', or else the first one): choose another column for the values", names[1]);
    return names[0] || at[0] != at[1];
}

static bool read_number(csv *c, int column, int index, const char *text, double *value) {
    char *end;
    if (!*text) {
        COMPLAIN(c, column, "a number is missing in column %d", index + 1);
        return false;
    }
    *value = strtod(text, &end);
    if (!*end && isfinite(*value)) return true;
    COMPLAIN(c, column, "'%.40s' is not a finite number", text);
    return false;
}

static bool read_row(csv *c, char *line, const int at[2], int columns, double *values[2], int row) {
    int index = 0, ends = (int)strlen(line) + 1;
    for (char *rest = line; rest; index++) {
        const char *text = next_field(c, line, &rest);
        if (!text) return false;
        for (int i = 0; i < 2; i++)
            if (index == at[i] && !read_number(c, (int)(text - line) + 1, index, text, &values[i][row])) return false;
    }
    if (index > columns) COMPLAIN(c, 1, "the row has %d entries, and there are %d columns", index, columns);
    if (index > columns) return false;
    for (int i = 0; i < 2; i++)
        if (index <= at[i]) return read_number(c, ends, at[i], "", &values[i][row]);
    if (row == 0 || values[0][row] > values[0][row - 1]) return true;
    COMPLAIN(c, 1, "the rows are not sorted: %g follows %g in column %d", values[0][row], values[0][row - 1], at[0] + 1);
    return false;
}

static int read_rows(csv *c, const int at[2], int columns, double *values[2]) {
    int rows = 0;
    for (char *line = next_line(c); line; line = next_line(c), rows++)
        if (!read_row(c, line, at, columns, values, rows)) return 0;
    if (rows >= 2) return rows;
    COMPLAIN(c, 1, rows ? "the file has one row of numbers, and needs at least two" : "the file has no rows of numbers");
    return 0;
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

typedef struct input_text {
    char *name, *file, *column;
    int way;
} input_text;

/* The parts of NAME=FILE.csv:COLUMN,WAY, in place. What is wrong; "": nothing. */
static const char *divide(scene_loader *loader, char *text, input_text *parts) {
    static const char *const ways[] = {"held", "linear", "cubic"};
    char *equals = strchr(text, '='), *quoted = equals ? strstr(equals, ":\"") : NULL;
    char *column = quoted ? quoted : equals ? strrchr(equals, ':') : NULL;
    if (!column) return "an input is written NAME=FILE.csv:COLUMN, optionally followed by ,linear or ,cubic";
    char *rest = column + 1;
    *equals = *column = 0;
    *parts = (input_text){.name = text, .file = equals + 1, .column = take_field(&rest)};
    if (!parts->column) return "the quotes around the column have no end";
    while (rest && parts->way < 3 && strcmp(rest, ways[parts->way]) != 0) parts->way++;
    return parts->way < 3
               ? ""
               : scene_format(loader, "'%s' is none of held, linear and cubic (a column with a comma in its name goes in quotes)", rest);
}

zn_status scene_follow_csv(zn_context *context, zn_simulation *simulation, const char *text) {
    scene_arena arena = {.context = context};
    scene_loader loader = {.context = context, .arena = &arena, .file = text};
    char *copy = scene_copy(&arena, text, strlen(text));
    error_place place = {.file = scene_format(&loader, "--input %s", text), .time = NAN};
    input_text parts = {0};
    const char *wrong = copy ? divide(&loader, copy, &parts) : NULL;
    zn_status status = wrong ? ZN_OK : ZN_ERROR_MEMORY;
    if (wrong && *wrong) status = fail_at(context, ZN_ERROR_SCENE, &place, "%s", wrong);
    if (status == ZN_OK) {
        double *values[2];
        int errors = zn_error_count(context);
        zn_table_def def = {.n = scene_read_csv(&loader, parts.file, place, (const char *const[]){NULL, parts.column}, values)};
        if (def.n > 0) {
            def.x = values[0], def.y = values[1];
            def.interpolation = parts.way == 2 ? ZN_INTERPOLATION_CUBIC : ZN_INTERPOLATION_LINEAR;
            status = zn_simulation_follow(simulation, parts.name, &def, parts.way == 0);
            if (status != ZN_OK && zn_error_count(context) > errors) fail_add_place(context, &place);
        } else status = zn_error_count(context) > errors ? ZN_ERROR_SCENE : ZN_ERROR_MEMORY;
    }
    scene_arena_free(&arena);
    return status;
}
