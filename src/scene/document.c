/* SPDX-License-Identifier: Apache-2.0 */
/* YAML text to a tree of nodes. The events of libfyaml are used, not its documents: so aliases share nodes (a file of a
 * hundred lines cannot become gigabytes), and the error about a repeated key names both places. */
#include "scene/scene.h"

#include "base/names.h"

#include <ctype.h>
#include <libfyaml.h>
#include <stdarg.h>

typedef struct anchor {
    const char *name;
    const scene_node *node; /* NULL while the node is not complete: an alias inside would be a loop */
    struct anchor *next;
} anchor;

typedef struct reader {
    scene_arena *arena;
    const char *file, *text;
    size_t length; /* of the text */
    struct fy_parser *parser;
    anchor *anchors;
    int aliases, repeated;
    zn_status status;
} reader;

static void *stop(reader *r, zn_status status, int line, int column, const char *format, ...) __attribute__((format(printf, 5, 6)));

static void *stop(reader *r, zn_status status, int line, int column, const char *format, ...) {
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    error_place place = {.file = r->file, .line = line, .column = column, .time = NAN};
    r->status = fail_at(r->arena->context, status, &place, "%s", sentence);
    return NULL;
}

static void *out_of_memory(reader *r) {
    r->status = ZN_ERROR_MEMORY;
    return NULL;
}

/* ---- the characters, before YAML sees them ---- */

/* Length of the UTF-8 character at `s`, 0 when it is none. */
static int utf8_length(const unsigned char *s) {
    if (s[0] < 0x80) return 1;
    int length = s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0; /* overlong, surrogate */
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return length;
}

static bool check_characters(reader *r) {
    int line = 1, column = 1;
    for (const unsigned char *s = (const unsigned char *)r->text; *s;) {
        int length = utf8_length(s);
        bool control = (*s < 0x20 && *s != '\t' && *s != '\n' && *s != '\r') || *s == 0x7f;
        if (length == 0 || control) {
            stop(r, ZN_ERROR_SYNTAX, line, column, "this is not a text file (byte 0x%02x is not a character)", *s);
            return false;
        }
        column++;
        if (*s == '\n') line++, column = 1;
        s += length;
    }
    return true;
}

/* ---- nodes ---- */

static scene_node *new_node(reader *r, scene_kind kind, const struct fy_mark *mark) {
    scene_node *node = SCENE_NEW(r->arena, scene_node, 1);
    if (!node) return out_of_memory(r);
    *node = (scene_node){.kind = kind, .file = r->file, .line = mark ? mark->line + 1 : 1, .column = mark ? mark->column + 1 : 1};
    return node;
}

static bool same_but_space(const char *a, const char *b) {
    for (;; a++, b++) {
        while (isspace((unsigned char)*a)) a++;
        while (isspace((unsigned char)*b)) b++;
        if (*a != *b) return false;
        if (!*a) return true;
    }
}

/* The scalar as it stands in the file. */
static const char *source_of(reader *r, const struct fy_event *event, const char *text) {
    const struct fy_mark *start = fy_event_start_mark((struct fy_event *)(uintptr_t)event);
    const struct fy_mark *end = fy_event_end_mark((struct fy_event *)(uintptr_t)event);
    if (!start || !end || end->input_pos < start->input_pos || end->input_pos > r->length) return text;
    char *source = scene_copy(r->arena, r->text + start->input_pos, end->input_pos - start->input_pos);
    if (!source) return out_of_memory(r);
    return same_but_space(source, text) ? source : text;
}

static scene_node *read_scalar(reader *r, const struct fy_event *event) {
    struct fy_token *value = event->scalar.value;
    size_t length = 0;
    const char *text = value ? fy_token_get_text(value, &length) : "";
    scene_node *node = new_node(r, SCENE_SCALAR, fy_event_start_mark((struct fy_event *)(uintptr_t)event));
    if (!node) return NULL;
    if (text && memchr(text, 0, length)) return stop(r, ZN_ERROR_SCENE, node->line, node->column, "a text must not contain \\0");
    node->text = scene_copy(r->arena, text ? text : "", text ? length : 0);
    if (!node->text) return out_of_memory(r);
    bool plain = !value || fy_token_scalar_style(value) == FYSS_PLAIN;
    if (plain && (!*node->text || !strcmp(node->text, "~") || !strcmp(node->text, "null"))) node->kind = SCENE_NULL;
    node->source = value ? source_of(r, event, node->text) : node->text;
    return node->source ? node : NULL;
}

static scene_node *read_alias(reader *r, struct fy_event *event) {
    const char *name = fy_token_get_text0(event->alias.anchor);
    const struct fy_mark *mark = fy_event_start_mark(event);
    int line = mark ? mark->line + 1 : 1, column = mark ? mark->column + 1 : 1;
    if (!name) return out_of_memory(r);
    if (++r->aliases > SCENE_MAX_ALIASES)
        return stop(r, ZN_ERROR_SCENE, line, column, "too many aliases (more than %d)", SCENE_MAX_ALIASES);
    for (anchor *known = r->anchors; known; known = known->next) {
        if (strcmp(known->name, name)) continue;
        if (known->node) return (scene_node *)(uintptr_t)known->node;
        return stop(r, ZN_ERROR_SCENE, line, column, "the alias '*%.60s' is inside the value that it stands for", name);
    }
    return stop(r, ZN_ERROR_SCENE, line, column, "there is no anchor '&%.60s' before this alias", name);
}

/* Remembers the anchor of a node; NULL without one. */
static anchor *add_anchor(reader *r, struct fy_token *token) {
    if (!token) return NULL;
    const char *name = fy_token_get_text0(token);
    anchor *added = name ? SCENE_NEW(r->arena, anchor, 1) : NULL;
    if (!added || !(added->name = scene_copy(r->arena, name, strlen(name)))) return out_of_memory(r);
    added->next = r->anchors;
    r->anchors = added;
    return added;
}

static scene_node *read_node(reader *r, struct fy_event *event, int depth);

/* Reads the next node, or NULL at the event `end` (and on failure). */
static scene_node *next_node(reader *r, enum fy_event_type end, int depth) {
    struct fy_event *event = fy_parser_parse(r->parser);
    if (!event) {
        if (r->status == ZN_OK) r->status = ZN_ERROR_SYNTAX; /* the sentence is in the diagnostics */
        return NULL;
    }
    scene_node *node = event->type == end ? NULL : read_node(r, event, depth);
    fy_parser_event_free(r->parser, event);
    return node;
}

/* Reports a key that is there already; reading goes on without the second one. */
static bool is_repeated(reader *r, name_table *names, const scene_node *key) {
    int line = names_find(names, 0, key->text, strlen(key->text));
    if (line < 0) {
        if (!names_add(r->arena->context, names, 0, key->text, key->line)) out_of_memory(r);
        return false;
    }
    if (r->repeated++ < SCENE_MAX_ERRORS)
        stop(r, ZN_ERROR_SCENE, key->line, key->column, "'%.60s' occurs twice; the first one is in line %d", key->text, line);
    r->status = ZN_OK;
    return true;
}

static bool add_entry(reader *r, scene_node *parent, scene_entry ***last, const scene_node *key, const scene_node *value) {
    scene_entry *entry = SCENE_NEW(r->arena, scene_entry, 1);
    if (!entry) return out_of_memory(r), false;
    *entry = (scene_entry){key, value, NULL};
    **last = entry;
    *last = &entry->next;
    parent->count++;
    return true;
}

/* The merge key of YAML, <<: *anchor or a list of them: entries that the map does not have itself. */
static bool merge(reader *r, scene_node *map, scene_entry ***last, name_table *names, const scene_node *value) {
    if (value->kind == SCENE_LIST) {
        for (const scene_entry *entry = value->first; entry; entry = entry->next)
            if (entry->value->kind != SCENE_MAP || !merge(r, map, last, names, entry->value)) return false;
        return true;
    }
    if (value->kind != SCENE_MAP) return stop(r, ZN_ERROR_SCENE, value->line, value->column, "'<<' needs a map, or a list of maps"), false;
    for (const scene_entry *entry = value->first; entry; entry = entry->next) {
        if (names_find(names, 0, entry->key->text, strlen(entry->key->text)) >= 0) continue;
        if (!names_add(r->arena->context, names, 0, entry->key->text, entry->key->line)) return out_of_memory(r), false;
        if (!add_entry(r, map, last, entry->key, entry->value)) return false;
    }
    return true;
}

static scene_node *read_entries(reader *r, scene_node *parent, int depth, name_table *names) {
    const bool map = parent->kind == SCENE_MAP;
    const int most = map ? SCENE_MAX_NAMES : SCENE_MAX_ENTRIES;
    const scene_node *merged = NULL;
    const enum fy_event_type end = map ? FYET_MAPPING_END : FYET_SEQUENCE_END;
    if (depth > SCENE_MAX_DEPTH)
        return stop(r, ZN_ERROR_SCENE, parent->line, parent->column, "this is nested too deeply (more than %d levels)", SCENE_MAX_DEPTH);
    scene_entry **last = &parent->first;
    for (;;) {
        scene_node *key = NULL, *value = next_node(r, end, depth);
        if (!value) return r->status == ZN_OK && (!merged || merge(r, parent, &last, names, merged)) ? parent : NULL;
        if (parent->count == most) return stop(r, ZN_ERROR_SCENE, value->line, value->column, "too many entries (more than %d)", most);
        if (map) {
            key = value;
            if (key->kind != SCENE_SCALAR) return stop(r, ZN_ERROR_SCENE, key->line, key->column, "a key must be a name");
            value = next_node(r, FYET_NONE, depth);
            if (!value) return NULL;
            if (is_repeated(r, names, key)) continue;
            if (r->status != ZN_OK) return NULL;
            if (!strcmp(key->text, "<<")) {
                merged = value;
                continue;
            }
            if (value->kind == SCENE_NULL && !*value->text) value->line = key->line, value->column = key->column;
        }
        if (!add_entry(r, parent, &last, key, value)) return NULL;
    }
}

static scene_node *read_children(reader *r, scene_node *parent, int depth) {
    name_table names = {0};
    scene_node *node = read_entries(r, parent, depth, &names);
    names_free(r->arena->context, &names);
    return node;
}

static scene_node *read_node(reader *r, struct fy_event *event, int depth) {
    const struct fy_mark *mark = fy_event_start_mark(event);
    struct fy_token *anchored = event->type == FYET_SCALAR           ? event->scalar.anchor
                                : event->type == FYET_MAPPING_START  ? event->mapping_start.anchor
                                : event->type == FYET_SEQUENCE_START ? event->sequence_start.anchor
                                                                     : NULL;
    anchor *known = add_anchor(r, anchored);
    if (r->status != ZN_OK) return NULL;
    scene_node *node = NULL;
    switch (event->type) {
    case FYET_SCALAR: node = read_scalar(r, event); break;
    case FYET_ALIAS: node = read_alias(r, event); break;
    case FYET_MAPPING_START:
        node = new_node(r, SCENE_MAP, mark);
        if (node) node = read_children(r, node, depth + 1);
        break;
    case FYET_SEQUENCE_START:
        node = new_node(r, SCENE_LIST, mark);
        if (node) node = read_children(r, node, depth + 1);
        break;
    default: return stop(r, ZN_ERROR_SYNTAX, mark ? mark->line + 1 : 0, mark ? mark->column + 1 : 0, "something else is expected here");
    }
    if (known) known->node = node;
    return node;
}

/* ---- the stream: exactly one document ---- */

static const scene_node *read_stream(reader *r) {
    const scene_node *root = NULL;
    struct fy_event *event;
    while (r->status == ZN_OK && (event = fy_parser_parse(r->parser))) {
        const struct fy_mark *mark = fy_event_start_mark(event);
        switch (event->type) {
        case FYET_STREAM_START:
        case FYET_DOCUMENT_END:
        case FYET_STREAM_END: break;
        case FYET_DOCUMENT_START:
            if (root)
                stop(r, ZN_ERROR_SCENE, mark ? mark->line + 1 : 0, mark ? mark->column + 1 : 0,
                     "a second document starts here; a file holds one scene");
            break;
        default: root = read_node(r, event, 0); break;
        }
        fy_parser_event_free(r->parser, event);
    }
    if (r->status == ZN_OK && fy_parser_get_stream_error(r->parser)) r->status = ZN_ERROR_SYNTAX;
    return r->status == ZN_OK ? root : NULL;
}

/* Turns what libfyaml collected into our errors. */
static void take_diagnostics(reader *r, struct fy_diag *diag) {
    void *position = NULL;
    bool any = false;
    for (struct fy_diag_error *error; (error = fy_diag_errors_iterate(diag, &position)); any = true)
        stop(r, ZN_ERROR_SYNTAX, error->line, error->column, "YAML: %s", error->msg ? error->msg : "syntax error");
    if (!any) stop(r, ZN_ERROR_SYNTAX, 0, 0, "YAML: the text cannot be read");
}

zn_status scene_read_document(scene_arena *arena, const char *file, const char *text, const scene_node **root) {
    reader r = {.arena = arena, .file = file, .text = text, .length = strlen(text)};
    *root = NULL;
    if (!check_characters(&r)) return r.status;
    struct fy_diag_cfg quiet;
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL; /* collected, never printed */
    quiet.colorize = false;
    struct fy_diag *diag = fy_diag_create(&quiet);
    if (!diag) return fail(arena->context, ZN_ERROR_MEMORY, "out of memory");
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE, .diag = diag};
    r.parser = fy_parser_create(&config);
    if (!r.parser || fy_parser_set_string(r.parser, text, strlen(text)) != 0) {
        r.status = fail(arena->context, ZN_ERROR_MEMORY, "out of memory");
    } else {
        *root = read_stream(&r);
        if (r.status == ZN_ERROR_SYNTAX && fy_parser_get_stream_error(r.parser)) take_diagnostics(&r, diag);
    }
    fy_parser_destroy(r.parser);
    fy_diag_destroy(diag);
    return r.status;
}
