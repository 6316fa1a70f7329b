/* SPDX-License-Identifier: Apache-2.0 */
/* repeat and use: sections that are written once and occur in the scene several times.
 *
 *     repeat: {i: 1..20, j: [0, 1], bodies: {"p{i}_{j}": {position: ["{i}*0.1", "{j}"]}}}          (or a list of such maps)
 *     templates: {wheel: {parameters: {r: 0.1}, bodies: {"{name}": {shape: {type: disk, radius: "{r}"}}}}}
 *     use: {left: {template: wheel, r: 0.2}}
 *
 * {expression} in names and values is replaced: beside a letter or a digit it is part of a name, and must be a whole number; elsewhere it
 * is a number. The result is a scene as if written by hand; errors name the line of the text and the line of its use. */
#include "scene/scene.h"

#include "base/buffer.h"
#include "base/names.h"

#include <ctype.h>
#include <stdio.h>

enum { MOST_VARIABLES = 16, MOST_NESTED = 8, MOST_COPIES = 200000, MOST_ROUNDS = 4 * MOST_COPIES, MOST_SECTIONS = 32 };
#define MOST_WHOLE 1e9 /* in names */

typedef struct section {
    scene_node *node;
    scene_entry **last;
    name_table names;
} section;

typedef struct reuse {
    scene_loader *loader;
    scene_node *root; /* the result */
    section sections[MOST_SECTIONS];
    int n_sections;
    const scene_node *templates;
    long copies, rounds; /* rounds: of repeat and use, also those without copies */
} reuse;

/* A variable of {..} beside the parameters of the scene: a text, taken literally, a list or a map, or a number. */
typedef struct variable {
    const char *name, *text;
    const scene_node *node;
    double value;
} variable;
typedef struct scope {
    variable variables[MOST_VARIABLES];
    int count, depth;
    const char *used; /* "scene.yaml:12 (i = 3): ", before the file in errors */
} scope;

/* ---- {expression} ---- */

static const variable *find_variable(const scope *s, const char *name, size_t length) {
    for (int i = s->count - 1; i >= 0; i--)
        if (strlen(s->variables[i].name) == length && !strncmp(s->variables[i].name, name, length)) return &s->variables[i];
    return NULL;
}

/* The value of a formula over the parameters and the variables that are numbers. */
static bool evaluate(scene_loader *loader, const scope *s, zn_formula formula, const char *what, double *value) {
    expr_name *own = loader->values, names[MOST_VARIABLES];
    int n_own = loader->n_values, n = 0;
    for (int i = 0; i < s->count; i++)
        if (!s->variables[i].text && !s->variables[i].node)
            names[n++] = (expr_name){s->variables[i].name, expr_constant(loader->graph, s->variables[i].value)};
    expr_name *all = SCENE_NEW(loader->arena, expr_name, n_own + n);
    if (!all) return false;
    memcpy(all, names, (size_t)n * sizeof *all);
    if (n_own) memcpy(all + n, own, (size_t)n_own * sizeof *all);
    loader->values = all;
    loader->n_values = n_own + n;
    bool good = scene_evaluate(loader, formula, what, value);
    loader->values = own;
    loader->n_values = n_own;
    return good;
}

static bool joins_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool write_number(scene_loader *loader, const scene_node *node, text_buffer *w, double value, bool in_name) {
    if (in_name && (value != floor(value) || value < 0 || value > MOST_WHOLE)) {
        scene_error(loader, node, "{..} in a name must be a whole number, 0 or more, but is %g", value);
        return false;
    }
    buffer_put(w, in_name ? "%.0f" : value < 0 ? "(%.17g)" : "%.17g", value);
    return true;
}

static bool replace(scene_loader *loader, const scope *s, const scene_node *node, bool is_key, text_buffer *w) {
    const char *from = node->text;
    for (const char *open; (open = strchr(from, '{')); from = strchr(open, '}') + 1) {
        const char *close = strchr(open, '}');
        if (!close) return scene_error(loader, node, "'{' without '}'"), false;
        buffer_add(w, from, (size_t)(open - from));
        const variable *known = find_variable(s, open + 1, (size_t)(close - open - 1));
        if (known && known->text) {
            buffer_text(w, known->text);
            continue;
        }
        if (known && known->node)
            return scene_error(loader, node, "'%s' is a %s, so it can only be used alone: \"{%s}\"", known->name,
                               known->node->kind == SCENE_LIST ? "list" : "map", known->name),
                   false;
        char *expression = scene_copy(loader->arena, open + 1, (size_t)(close - open - 1));
        if (!expression) return false;
        double value;
        zn_formula formula = {expression, scene_formula(loader, node).file, node->line, node->column};
        if (!evaluate(loader, s, formula, "{..}", &value)) return false;
        bool in_name = is_key || (open > node->text && joins_name(open[-1])) || joins_name(close[1]);
        if (!write_number(loader, node, w, value, in_name)) return false;
    }
    buffer_text(w, from);
    return true;
}

/* ---- copies ---- */

/* The list or map that a whole value stands for, "{axis}"; NULL: none. */
static const scene_node *stands_for(const scope *s, const scene_node *node) {
    size_t length = node->kind == SCENE_SCALAR ? strlen(node->text) : 0;
    if (length < 3 || node->text[0] != '{' || node->text[length - 1] != '}') return NULL;
    const variable *known = find_variable(s, node->text + 1, length - 2);
    return known ? known->node : NULL;
}

static const scene_node *copy(scene_loader *loader, const scope *s, const scene_node *node, bool is_key) {
    scene_node *c = SCENE_NEW(loader->arena, scene_node, 1);
    if (!c) return NULL;
    if (!is_key && stands_for(s, node)) return stands_for(s, node);
    *c = *node;
    c->used = s->used;
    c->first = NULL;
    if (node->kind == SCENE_SCALAR && strchr(node->text, '{')) {
        text_buffer w = {.context = loader->context};
        bool good = replace(loader, s, c, is_key, &w);
        size_t length = w.length;
        char *text = buffer_end(&w);
        good = good && text && (c->text = c->source = scene_copy(loader->arena, text, length));
        mem_free(loader->context, text);
        return good ? c : NULL;
    }
    scene_entry **last = &c->first;
    for (const scene_entry *entry = node->first; entry; entry = entry->next) {
        scene_entry *e = SCENE_NEW(loader->arena, scene_entry, 1);
        if (!e || (entry->key && !(e->key = copy(loader, s, entry->key, true))) || !(e->value = copy(loader, s, entry->value, false)))
            return NULL;
        *last = e;
        last = &e->next;
    }
    return c;
}

/* ---- sections of the result ---- */

static bool take_names(reuse *r, section *s) {
    s->last = &s->node->first;
    for (scene_entry *entry = s->node->first; entry; entry = entry->next) {
        if (entry->key && !names_add(r->loader->context, &s->names, 0, entry->key->text, entry->key->line)) return false;
        s->last = &entry->next;
    }
    return true;
}

/* The section of a name, a copy of its own that may grow; made where there is none. NULL: a mistake, or no memory. */
static section *section_of(reuse *r, const scene_node *key, scene_kind kind) {
    scene_entry **place = &r->root->first;
    while (*place && strcmp((*place)->key->text, key->text)) place = &(*place)->next;
    for (int i = 0; *place && i < r->n_sections; i++)
        if (r->sections[i].node == (*place)->value) return &r->sections[i];
    if (r->n_sections == MOST_SECTIONS) return scene_error(r->loader, key, "there are too many sections"), NULL;
    scene_node *node = SCENE_NEW(r->loader->arena, scene_node, 1);
    if (!node) return NULL;
    *node = (scene_node){.kind = kind, .line = key->line, .column = key->column, .file = key->file, .used = key->used};
    if (*place && (*place)->value->kind != SCENE_NULL) *node = *(*place)->value;
    if (!*place) {
        if (!(*place = SCENE_NEW(r->loader->arena, scene_entry, 1))) return NULL;
        (*place)->key = key;
        r->root->count++;
    }
    /* Entries of the file stay as they are: the list gets entries of its own. */
    scene_entry **last = &node->first;
    for (const scene_entry *entry = node->first; entry; entry = entry->next, last = &(*last)->next) {
        scene_entry *own = SCENE_NEW(r->loader->arena, scene_entry, 1);
        if (!own) return NULL;
        *own = (scene_entry){entry->key, entry->value, NULL};
        *last = own;
    }
    (*place)->value = node;
    section *s = &r->sections[r->n_sections++];
    s->node = node;
    return take_names(r, s) ? s : NULL;
}

/* Sampled values as a list of groups, each with an `every` of its own: so that copies can be added to each other and to those of the
 * scene. */
static const scene_node *listed(scene_loader *loader, const scene_node *key, const scene_node *value) {
    if (strcmp(key->text, "sampled") || value->kind != SCENE_MAP) return value;
    scene_node *list = SCENE_NEW(loader->arena, scene_node, 1);
    if (!list || !(list->first = SCENE_NEW(loader->arena, scene_entry, 1))) return NULL;
    *list = (scene_node){.kind = SCENE_LIST,
                         .line = value->line,
                         .column = value->column,
                         .file = value->file,
                         .used = value->used,
                         .first = list->first,
                         .count = 1};
    list->first->value = value;
    return list;
}

/* A name without braces is the same in all copies: the usual mistake, with its cure. */
static void same_name(scene_loader *loader, const scene_node *written, const scene_node *name, int line) {
    const char *cure = "";
    if (!strchr(written->text, '{'))
        cure = scene_format(loader, "; every copy needs a name of its own, like '{name}.%.60s' in a template or '%.60s{i}' in 'repeat'",
                            written->text, written->text);
    scene_error(loader, name, "'%.60s' occurs twice; the first one is in line %d%s", name->text, line, cure);
}

/* Adds copies of the entries of a section. */
static bool add_section(reuse *r, const scope *s, const scene_node *key, const scene_node *value) {
    scene_loader *loader = r->loader;
    if (!(value = listed(loader, key, value))) return false;
    if (value->kind != SCENE_MAP && value->kind != SCENE_LIST)
        return scene_error(loader, value, "'%.60s' cannot be repeated: it is neither a map nor a list", key->text), false;
    section *to = section_of(r, key, value->kind);
    if (!to) return false;
    if (to->node->kind != value->kind)
        return scene_error(loader, value, "'%.60s' is a %s here and a %s in line %d", key->text, value->kind == SCENE_MAP ? "map" : "list",
                           to->node->kind == SCENE_MAP ? "map" : "list", to->node->line),
               false;
    for (const scene_entry *entry = value->first; entry; entry = entry->next) {
        scene_entry *e = SCENE_NEW(loader->arena, scene_entry, 1);
        if (!e || (entry->key && !(e->key = copy(loader, s, entry->key, true))) || !(e->value = copy(loader, s, entry->value, false)))
            return false;
        int line = e->key ? names_find(&to->names, 0, e->key->text, strlen(e->key->text)) : -1;
        if (line >= 0) return same_name(loader, entry->key, e->key, line), false;
        if (e->key && !names_add(loader->context, &to->names, 0, e->key->text, e->key->line)) return false;
        *to->last = e;
        to->last = &e->next;
        to->node->count++;
        if (++r->copies > MOST_COPIES) return scene_error(loader, key, "'repeat' and 'use' make more than %d entries", MOST_COPIES), false;
    }
    return true;
}

static bool repeat_all(reuse *, const scope *, const scene_node *);
static bool use_all(reuse *, const scope *, const scene_node *);

static const char *const kept[] = {"bodies", "frames",  "joints", "forces",      "constraints", "contacts",   "geometry", "materials",
                                   "groups", "outputs", "view",   "coordinates", "velocities",  "kinematics", "mass",     "force",
                                   "states", "inputs",  "tables", "modes",       "events",      "sampled"};

static bool is_section(const char *name) {
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (!strcmp(kept[i], name)) return true;
    return !strcmp(name, "repeat") || !strcmp(name, "use");
}

/* Sections that a scene has only once. */
static bool is_single(const char *name) {
    static const char *const singles[] = {"title",     "parameters", "energy", "gravity", "simulation",
                                          "templates", "include",    "study",  "files",   "starts"};
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++)
        if (!strcmp(singles[i], name)) return true;
    return false;
}

/* The sections of a map, with {..} replaced. */
static bool add_sections(reuse *r, const scope *s, const scene_node *map) {
    if (s->depth > MOST_NESTED)
        return scene_error(r->loader, map, "'repeat' and 'use' are nested too deeply (more than %d levels)", MOST_NESTED), false;
    if (++r->rounds > MOST_ROUNDS) return scene_error(r->loader, map, "'repeat' and 'use' take more than %d rounds", MOST_ROUNDS), false;
    for (const scene_entry *entry = map->first; entry; entry = entry->next) {
        const char *name = entry->key->text;
        if (!is_section(name)) continue;
        bool good = !strcmp(name, "repeat") ? repeat_all(r, s, entry->value)
                    : !strcmp(name, "use")  ? use_all(r, s, entry->value)
                                            : add_section(r, s, entry->key, entry->value);
        if (!good || scene_gave_up(r->loader)) return false;
    }
    return true;
}

/* ---- repeat ---- */

typedef struct loop {
    double first;
    long count;
    const scene_node *list; /* or NULL: first, first + 1 ... */
} loop;

/* "1..20" */
static bool read_range(reuse *r, const scope *s, const scene_node *node, loop *l) {
    const char *dots = strstr(node->text, "..");
    zn_formula place = scene_formula(r->loader, node);
    double ends[2];
    if (!dots)
        return scene_error(r->loader, node, "a variable of 'repeat' is a range like 1..20 or a list, not '%.60s'", node->text), false;
    char *texts[2] = {scene_copy(r->loader->arena, node->text, (size_t)(dots - node->text)),
                      scene_copy(r->loader->arena, dots + 2, strlen(dots + 2))};
    for (int i = 0; i < 2; i++) {
        if (!texts[i]) return false;
        place.text = texts[i];
        if (!evaluate(r->loader, s, place, "an end of the range", &ends[i])) return false;
        if (ends[i] != floor(ends[i]) || fabs(ends[i]) > MOST_WHOLE)
            return scene_error(r->loader, node, "a range goes from a whole number to a whole number, but one is %g", ends[i]), false;
    }
    if (ends[1] - ends[0] + 1 > MOST_COPIES) return scene_error(r->loader, node, "the range has more than %d numbers", MOST_COPIES), false;
    *l = (loop){ends[0], ends[1] < ends[0] ? 0 : (long)(ends[1] - ends[0]) + 1, NULL};
    return true;
}

/* Whether a formula has only names that have a value by now. */
static bool is_known(const reuse *r, const scope *s, const char *text) {
    size_t length;
    for (const char *name = scene_next_name(text, &length); name; name = scene_next_name(name + length, &length)) {
        const variable *own = find_variable(s, name, length);
        bool known = own && !own->text && !own->node;
        for (int i = 0; i < r->loader->n_values; i++)
            known |= strlen(r->loader->values[i].name) == length && !strncmp(r->loader->values[i].name, name, length);
        char *copied = scene_copy(r->loader->arena, name, length);
        bool function = copied && !expr_name_is_valid(copied) && strcmp(copied, "t") != 0 && !strpbrk(copied, ".'");
        if (!known && !function) return false;
    }
    return true;
}

/* "rod.tip", "x'" */
static bool is_path(const char *text) {
    size_t length;
    const char *name = scene_next_name(text, &length);
    return name == text && !text[length];
}

/* A formula as part of another one. */
static const char *in_parentheses(scene_loader *loader, const char *text) {
    size_t length = strlen(text);
    char *both = scene_alloc(loader->arena, length + 3, 1);
    if (!both) return NULL;
    both[0] = '(';
    memcpy(both + 1, text, length);
    both[length + 1] = ')';
    return both;
}

/* A value that has a number is one. Names and formulas without a value yet remain texts; formulas get parentheses. */
static bool set_variable(reuse *r, scope *s, const char *name, const scene_node *node, const scope *values_in) {
    if (s->count == MOST_VARIABLES) return scene_error(r->loader, node, "there are more than %d variables", MOST_VARIABLES), false;
    if (node->kind == SCENE_NULL) return scene_error(r->loader, node, "'%.60s' has no value", name), false;
    const scene_node *given = copy(r->loader, values_in, node, false);
    if (!given) return false;
    variable v = {.name = name};
    const variable *outer = given->kind == SCENE_SCALAR ? find_variable(values_in, given->text, strlen(given->text)) : NULL;
    if (given->kind != SCENE_SCALAR) v.node = given;
    else if (outer) v.text = outer->text, v.node = outer->node, v.value = outer->value;
    else if (!is_known(r, values_in, given->text)) {
        v.text = is_path(given->text) ? given->text : in_parentheses(r->loader, given->text);
        if (!v.text) return false;
    } else if (!evaluate(r->loader, values_in, scene_formula(r->loader, given), scene_format(r->loader, "'%s'", name), &v.value))
        return false;
    s->variables[s->count++] = v;
    return true;
}

static const char *describe(reuse *r, const scope *outer, const scope *s, const scene_node *at) {
    char text[160];
    size_t used = 0;
    for (int i = outer->count; i < s->count && used < sizeof text; i++) {
        const variable *v = &s->variables[i];
        const char *comma = i > outer->count ? ", " : "", *known = v->node ? (v->node->kind == SCENE_LIST ? "[..]" : "{..}") : v->text;
        used += (size_t)(known ? snprintf(text + used, sizeof text - used, "%s%s = %s", comma, v->name, known)
                               : snprintf(text + used, sizeof text - used, "%s%s = %g", comma, v->name, v->value));
    }
    return scene_format(r->loader, "%s%s:%d (%.150s): ", outer->used ? outer->used : "", at->file, at->line, text);
}

enum { MOST_LOOPS = 6 };

/* One map of repeat: the last variable is the fastest. */
static bool repeat_one(reuse *r, const scope *outer, const scene_node *map) {
    loop loops[MOST_LOOPS];
    const scene_entry *names[MOST_LOOPS];
    int n = 0;
    if (!scene_want_kind(r->loader, map, SCENE_MAP, "'repeat'")) return false;
    for (const scene_entry *entry = map->first; entry; entry = entry->next) {
        if (is_section(entry->key->text)) continue;
        if (is_single(entry->key->text) || !expr_name_is_valid(entry->key->text) ||
            scene_known_name(r->loader, entry->key->text, strlen(entry->key->text)))
            return scene_error(r->loader, entry->key,
                               "'%.60s' cannot be a variable of 'repeat': it is not a valid name, already in use, or a section that a "
                               "scene has only once",
                               entry->key->text),
                   false;
        if (n == MOST_LOOPS) return scene_error(r->loader, entry->key, "'repeat' has more than %d variables", MOST_LOOPS), false;
        if (!scene_want_kind(r->loader, entry->value, SCENE_SCALAR | SCENE_LIST, "a variable of 'repeat'")) return false;
        names[n] = entry;
        loops[n] = (loop){0, entry->value->count, entry->value};
        if (entry->value->kind == SCENE_SCALAR && !read_range(r, outer, entry->value, &loops[n])) return false;
        n++;
    }
    if (!n) return scene_error(r->loader, map, "'repeat' has no variable, like i: 1..20"), false;
    if (n == map->count) return scene_error(r->loader, map, "'repeat' has no section that it could repeat"), false;
    long index[MOST_LOOPS] = {0};
    for (int k = 0; k < n; k++)
        if (!loops[k].count) return true;
    for (;;) {
        scope s = *outer;
        s.depth++;
        for (int k = 0; k < n; k++) {
            const scene_entry *item = loops[k].list ? loops[k].list->first : NULL;
            for (long i = 0; item && i < index[k]; i++) item = item->next;
            if (item && !set_variable(r, &s, names[k]->key->text, item->value, outer)) return false;
            if (!item && s.count == MOST_VARIABLES)
                return scene_error(r->loader, map, "there are more than %d variables", MOST_VARIABLES), false;
            if (!item) s.variables[s.count++] = (variable){.name = names[k]->key->text, .value = loops[k].first + (double)index[k]};
        }
        s.used = describe(r, outer, &s, map);
        if (!add_sections(r, &s, map)) return false;
        int k = n - 1;
        while (k >= 0 && ++index[k] == loops[k].count) index[k--] = 0;
        if (k < 0) return true;
    }
}

static bool repeat_all(reuse *r, const scope *s, const scene_node *node) {
    if (node->kind != SCENE_LIST) return repeat_one(r, s, node);
    for (const scene_entry *entry = node->first; entry; entry = entry->next)
        if (!repeat_one(r, s, entry->value)) return false;
    return true;
}

/* ---- templates ---- */

static bool check_template(scene_loader *loader, const scene_node *map) {
    for (const scene_entry *entry = map->first; entry; entry = entry->next)
        if (!is_section(entry->key->text) && strcmp(entry->key->text, "parameters"))
            return scene_error(loader, entry->key, "'%.60s' is unknown in a template: it has 'parameters' and sections of a scene",
                               entry->key->text),
                   false;
    return true;
}

static bool use_one(reuse *r, const scope *outer, const scene_entry *use) {
    scene_loader *loader = r->loader;
    const scene_node *key = copy(loader, outer, use->key, true);
    if (!key || !scene_want_kind(loader, use->value, SCENE_MAP, scene_format(loader, "use '%.60s'", key->text))) return false;
    const scene_node *named = scene_find(use->value, "template");
    if (!named || named->kind != SCENE_SCALAR) return scene_error(loader, use->value, "use '%.60s' lacks 'template'", key->text), false;
    const scene_node *found = r->templates ? scene_find(r->templates, named->text) : NULL;
    if (!found)
        return scene_error(loader, named, "there is no template '%.60s'%s", named->text, scene_hint(loader, named->text, r->templates)),
               false;
    if (!scene_want_kind(loader, found, SCENE_MAP, "a template") || !check_template(loader, found)) return false;
    const scene_node *parameters = scene_find(found, "parameters");
    if (parameters && !scene_want_kind(loader, parameters, SCENE_MAP, "'parameters' of a template")) return false;
    scope s = {.depth = outer->depth + 1, .used = outer->used};
    s.variables[s.count++] = (variable){.name = "name", .text = key->text};
    for (const scene_entry *p = parameters ? parameters->first : NULL; p; p = p->next) {
        const scene_node *given = scene_find(use->value, p->key->text);
        if (!given && p->value->kind == SCENE_NULL)
            return scene_error(loader, use->key, "use '%.60s' lacks the parameter '%s' of the template '%s'", key->text, p->key->text,
                               named->text),
                   false;
        if (!set_variable(r, &s, p->key->text, given ? given : p->value, given ? outer : &s)) return false;
    }
    for (const scene_entry *entry = use->value->first; entry; entry = entry->next)
        if (strcmp(entry->key->text, "template") && !(parameters && scene_find(parameters, entry->key->text)))
            return scene_error(loader, entry->key, "the template '%s' has no parameter '%.60s'%s", named->text, entry->key->text,
                               scene_hint(loader, entry->key->text, parameters)),
                   false;
    scope none = {.used = outer->used};
    s.used = describe(r, &none, &s, use->key);
    return add_sections(r, &s, found);
}

static bool use_all(reuse *r, const scope *s, const scene_node *node) {
    if (!scene_want_kind(r->loader, node, SCENE_MAP, "'use'")) return false;
    for (const scene_entry *entry = node->first; entry; entry = entry->next)
        if (!use_one(r, s, entry)) return false;
    return true;
}

/* ---- the whole ---- */

bool scene_reuses(const scene_node *root) {
    return root && root->kind == SCENE_MAP && (scene_find(root, "repeat") || scene_find(root, "use") || scene_find(root, "templates"));
}

const scene_node *scene_reuse(scene_loader *loader, const scene_node *root) {
    scene_node *whole = SCENE_NEW(loader->arena, scene_node, 1);
    if (!whole) return NULL;
    *whole = *root;
    whole->first = NULL, whole->count = 0;
    scene_entry **last = &whole->first;
    for (const scene_entry *entry = root->first; entry; entry = entry->next) {
        const char *name = entry->key->text;
        if (!strcmp(name, "repeat") || !strcmp(name, "use") || !strcmp(name, "templates")) continue;
        scene_entry *e = SCENE_NEW(loader->arena, scene_entry, 1);
        if (!e || !(e->value = listed(loader, entry->key, entry->value))) return NULL;
        e->key = entry->key;
        *last = e;
        last = &e->next;
        whole->count++;
    }
    reuse r = {.loader = loader, .root = whole, .templates = scene_find(root, "templates")};
    const scope outermost = {0};
    const scene_node *repeat = scene_find(root, "repeat"), *use = scene_find(root, "use");
    bool good = !r.templates || r.templates->kind == SCENE_NULL || scene_want_kind(loader, r.templates, SCENE_MAP, "'templates'");
    if (good && use) good = use_all(&r, &outermost, use);
    if (good && repeat) good = repeat_all(&r, &outermost, repeat);
    for (int i = 0; i < r.n_sections; i++) names_free(loader->context, &r.sections[i].names);
    return good ? whole : NULL;
}
