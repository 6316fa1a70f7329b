/* SPDX-License-Identifier: Apache-2.0 */
/* zeno schemes, settings, joints, shapes, forces: the library's tables of what there is, as text, as they stand in docs/ (--markdown) or as
 * JSON (--summary). */
#include "cli/args.h"
#include "cli/commands.h"
#include "cli/summary.h"
#include "model/parts/joint.h"
#include "scene/shapes.h"
#include "scheme/settings.h"
#include "zeno/zeno.h"

#include <ctype.h>
#include <stdio.h>

enum { MOST_COLUMNS = 9, CELL = 400 };

typedef struct reference {
    const char *usage, *help;
    int count, n_columns;
    const char *columns[MOST_COLUMNS];
    void (*cell)(int row, int column, char *text); /* CELL characters; words of scenes in single quotes */
} reference;

#define PUT(text, ...) snprintf(text, CELL, __VA_ARGS__)

/* ---- the tables ---- */

static void scheme_cell(int row, int column, char *text) {
    zn_scheme_info s = zn_scheme_get(row);
    const bool marks[] = {s.contacts, s.friction, s.general_kinematics, s.velocity_constraints};
    if (column == 0) PUT(text, "%s", s.name);
    else if (column == 1 && s.order_text) PUT(text, "%s", s.order_text);
    else if (column == 1) PUT(text, "%d", s.order);
    else if (column == 2) PUT(text, s.stages_min == s.stages_max ? "%d" : "%d..%d", s.stages_min, s.stages_max);
    else if (column < 7) PUT(text, "%s", marks[column - 3] ? "yes" : "-");
    else PUT(text, "%s", s.summary);
}

/* step_auto has no key. */
static const setting *setting_of(int row) {
    for (int i = 0; i < settings_count; i++)
        if (settings_rows[i].kind != SETTING_AUTO && row-- == 0) return &settings_rows[i];
    return NULL;
}

static void setting_cell(int row, int column, char *text) {
    const setting *s = setting_of(row);
    if (column == 0) PUT(text, "%s", s->name);
    else if (column == 1) setting_values_text(s, text, CELL);
    else if (column == 2) setting_default_text(s, text, CELL);
    else if (column == 3) PUT(text, "%s", s->applies ? s->applies : "all");
    else PUT(text, "%s%s%s%s", s->sentence, s->more ? " (" : "", s->more ? s->more : "", s->more ? ")" : "");
}

static void put_rows(char *text, size_t room, int g, int y) {
    if (g == 0 && y == 0) snprintf(text, room, "-");
    else if (g == 0 || y == 0) snprintf(text, room, "%d", g + y);
    else snprintf(text, room, "%d+%d", g, y);
}

static void joint_cell(int row, int column, char *text) {
    static const char *const words[][2] = {
#define X(name, identifier, word, sentence) {word, sentence},
        ZN_JOINT_LIST(X)
#undef X
    };
    const joint_type *type = joint_types[row];
    if (column == 1) put_rows(text, CELL, type->g_plane + type->g_plane_turning, type->y_plane);
    else if (column == 2) put_rows(text, CELL, type->g_space + type->g_space_turning, type->y_space);
    else PUT(text, "%s", words[row][column == 3]);
}

static void force_cell(int row, int column, char *text) {
    static const char *const words[][3] = {
#define X(name, identifier, word, keys, sentence) {word, keys, sentence},
        ZN_FORCE_LIST(X)
#undef X
    };
    PUT(text, "%s", words[row][column]);
}

/* A body's shape is known by the same word. */
static const char *mass_of(const char *space, const char *plane) {
    static const char *const words[][2] = {
#define X(identifier, word, geometry, sentence) {word, sentence},
        ZN_SHAPE_LIST(X)
#undef X
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i][0], space) || !strcmp(words[i][0], plane)) return words[i][1];
    return "-";
}

static void shape_cell(int row, int column, char *text) {
    const char *space = scene_shape_word(row, false), *plane = scene_shape_word(row, true);
    bool same = strcmp(space, plane) == 0;
    if (column == 0) PUT(text, "%s%s%s", space, same ? "" : ", ", same ? "" : plane);
    else if (column == 1) scene_shape_keys(row, text, CELL);
    else PUT(text, "%s", column == 2 ? scene_shape_sentence(row) : mass_of(space, plane));
}

/* ---- printing ---- */

static void print_text(const reference *r) {
    int width[MOST_COLUMNS] = {0};
    char text[CELL];
    for (int row = -1; row < r->count; row++)
        for (int c = 0; c < r->n_columns; c++) {
            if (row >= 0) r->cell(row, c, text);
            int length = (int)strlen(row < 0 ? r->columns[c] : text);
            if (length > width[c]) width[c] = length;
        }
    for (int row = -1; row < r->count; row++)
        for (int c = 0; c < r->n_columns; c++) {
            bool last = c == r->n_columns - 1;
            if (row >= 0) r->cell(row, c, text);
            printf("%-*s%s", last ? 0 : width[c] + 2, row < 0 ? r->columns[c] : text, last ? "\n" : "");
        }
}

/* 'word' becomes `word`: a quote opens a word unless a letter is before it, and closes it before a space or punctuation. A path becomes a
 * link. */
static void print_markdown_cell(const char *text) {
    const char *path = strstr(text, "(docs/");
    bool inside = false;
    for (const char *c = text; *c && c != path; c++) {
        bool opens = !inside && *c == '\'' && (c == text || !isalnum((unsigned char)c[-1]));
        bool closes = inside && *c == '\'' && (!c[1] || strchr(" ,;:).", c[1]));
        if (opens || closes) inside = opens, putchar('`');
        else putchar(*c);
    }
    if (path) printf("([how](%.*s))", (int)strcspn(path + 6, ")"), path + 6);
}

static void print_markdown(const reference *r) {
    char text[CELL];
    for (int c = 0; c < r->n_columns; c++) printf("| %s ", r->columns[c]);
    printf("|\n");
    for (int c = 0; c < r->n_columns; c++) printf("|---");
    printf("|\n");
    for (int row = 0; row < r->count; row++) {
        for (int c = 0; c < r->n_columns; c++) {
            r->cell(row, c, text);
            printf(c ? "| " : "| `");
            print_markdown_cell(text);
            printf(c ? " " : "` ");
        }
        printf("|\n");
    }
}

static void print_json(const reference *r) {
    char text[CELL];
    printf("{\"columns\": [");
    for (int c = 0; c < r->n_columns; c++) printf(c ? ", " : ""), cli_json_text(stdout, r->columns[c]);
    printf("], \"rows\": [");
    for (int row = 0; row < r->count; row++) {
        printf(row ? ",\n [" : "\n [");
        for (int c = 0; c < r->n_columns; c++) {
            r->cell(row, c, text);
            printf(c ? ", " : "");
            cli_json_text(stdout, text);
        }
        printf("]");
    }
    printf("]}\n");
}

static int show(const reference *r, int argc, char **argv) {
    bool help = false, markdown = false, summary = false;
    const cli_option options[] = {
        {"--help", NULL, &help, NULL, 0}, {"--markdown", NULL, &markdown, NULL, 0}, {"--summary", NULL, &summary, NULL, 0}};
    int n_positional;
    if (!cli_parse(argc, argv, r->usage, 3, options, 0, NULL, &n_positional)) return CLI_USAGE;
    if (help) printf("usage: %s\n\n%s\n", r->usage, r->help);
    else if (summary) print_json(r);
    else if (markdown) print_markdown(r);
    else print_text(r);
    return CLI_OK;
}

int cli_schemes(int argc, char **argv) {
    const reference r = {"zeno schemes [--markdown | --summary]",
                         "order: while contacts stay as they are, s the number of stages, where nothing else is said on the right\n"
                         "(docs/schemes.md, Orders, has all of them); general: velocities other than q';\n"
                         "velocity: bilateral constraints on velocity level",
                         zn_scheme_count(),
                         8,
                         {"scheme", "order", "stages", "contacts", "friction", "general", "velocity", "what it is"},
                         scheme_cell};
    return show(&r, argc, argv);
}

int cli_settings(int argc, char **argv) {
    const reference r = {"zeno settings [--markdown | --summary]",
                         "keys of `simulation:` in scenes, members of zn_settings in C, and options of zeno run, check and converge\n"
                         "(--friction-law for friction_law)",
                         settings_count - 1,
                         5,
                         {"key", "value", "default", "for", "meaning"},
                         setting_cell};
    return show(&r, argc, argv);
}

int cli_joints(int argc, char **argv) {
    const reference r = {"zeno joints [--markdown | --summary]",
                         "in the plane, in space: rows of constraints, on position level + on velocity level; -: none there",
                         ZN_JOINT_TYPE_COUNT,
                         4,
                         {"type", "in the plane", "in space", "constraint"},
                         joint_cell};
    return show(&r, argc, argv);
}

int cli_shapes(int argc, char **argv) {
    const reference r = {
        "zeno shapes [--markdown | --summary]",
        "type: in space, in the plane; keys: needed (others), beside type, on, at and material; docs/contacts.md says what they mean",
        scene_shape_count(),
        4,
        {"type", "keys", "what it is", "as a shape with mass"},
        shape_cell};
    return show(&r, argc, argv);
}

int cli_forces(int argc, char **argv) {
    const reference r = {"zeno forces [--markdown | --summary]",
                         "keys: beside type and between",
                         ZN_FORCE_TYPE_COUNT,
                         3,
                         {"type", "keys", "what it does"},
                         force_cell};
    return show(&r, argc, argv);
}
