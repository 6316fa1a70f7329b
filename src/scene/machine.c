/* SPDX-License-Identifier: Apache-2.0 */
/* inputs: what changes between steps. */
#include "scene/scene.h"

/* ---- tables ---- */

/* Points [[x, y], ...]; their number, 0 with an error. */
static int read_table_points(scene_loader *loader, const scene_node *node, const char *what, double *values[2]) {
    int count = 0, errors = zn_error_count(loader->context);
    for (int i = 0; i < 2; i++)
        if (!(values[i] = SCENE_NEW(loader->arena, double, node->count + 1))) return 0;
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        double point[SCENE_MAX_VECTOR];
        if (scene_want_vector(loader, entry->value, scene_format(loader, "a point of %s", what), 2, 2, point) != 2) continue;
        values[0][count] = point[0], values[1][count++] = point[1];
    }
    return zn_error_count(loader->context) == errors ? count : 0;
}

static int read_table_file(scene_loader *loader, const scene_node *file, const scene_node *columns, const char *what, double *values[2]) {
    const char *names[2] = {NULL, NULL};
    const scene_node *items[2];
    if (!columns) {
        scene_error(loader, file, "%s lacks 'columns: [x, y]', the names of two columns of the file", what);
        return 0;
    }
    if (scene_want_list(loader, columns, scene_format(loader, "columns of %s", what), 2, 2, items) != 2) return 0;
    for (int i = 0; i < 2; i++) names[i] = items[i]->text;
    const char *path = scene_path_beside(loader->arena, file);
    return path ? scene_read_csv(loader, path, scene_place_of(loader, file), names, values) : 0;
}

/* The keys of a table; `held`: NULL, or whether each value holds until the next point, which is the default. Returns the node of its
 * points; NULL with an error. */
static const scene_node *read_table_def(scene_loader *loader, const scene_entry *entry, const char *what, zn_table_def *def, bool *held) {
    static const char *const ways[] = {"linear", "cubic", "held"}, *const truth[] = {"false", "true"};
    const scene_node *points, *file, *columns, *way, *periodic;
    const scene_key keys[] = {{"points", SCENE_LIST, false, &points},
                              {"file", SCENE_SCALAR, false, &file},
                              {"columns", SCENE_LIST, false, &columns},
                              {"interpolation", SCENE_SCALAR, false, &way},
                              {"periodic", SCENE_SCALAR, false, &periodic}};
    int errors = zn_error_count(loader->context), which = 2;
    if (!scene_want_map(loader, entry->value, what, 5, keys) || zn_error_count(loader->context) != errors) return NULL;
    double *values[2];
    if (points && file) scene_error(loader, file, "%s has both 'points' and 'file'", what);
    else if (!points && !file) scene_error(loader, entry->value, "%s lacks 'points' or 'file'", what);
    if (way) which = scene_want_word(loader, way, scene_format(loader, "interpolation of %s", what), held ? 3 : 2, ways);
    def->interpolation = which == 1 ? ZN_INTERPOLATION_CUBIC : ZN_INTERPOLATION_LINEAR;
    if (held) *held = which == 2;
    if (periodic) def->periodic = scene_want_word(loader, periodic, scene_format(loader, "periodic of %s", what), 2, truth) == 1;
    if (zn_error_count(loader->context) != errors) return NULL;
    def->n = points ? read_table_points(loader, points, what, values) : read_table_file(loader, file, columns, what, values);
    if (zn_error_count(loader->context) != errors || (def->n == 0 && !points)) return NULL;
    def->x = values[0], def->y = values[1];
    return points ? points : file;
}

static void read_table(scene_loader *loader, const scene_entry *entry) {
    zn_table_def def = {0};
    scene_declare(loader, "table", entry->key);
    const scene_node *place = read_table_def(loader, entry, scene_format(loader, "table '%s'", entry->key->text), &def, NULL);
    if (place) scene_placed(loader, zn_machine_table(zn_parts_machine(loader->parts), entry->key->text, &def), place);
}

void scene_read_tables(scene_loader *loader, const scene_node *node) {
    int errors = zn_error_count(loader->context);
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) read_table(loader, entry);
    if (zn_error_count(loader->context) != errors) loader->names_incomplete = true; /* what reads a table would only repeat the mistake */
}

/* ---- inputs: a number, or a table over time ---- */

void scene_read_inputs(scene_loader *loader, const scene_node *node) {
    zn_machine *machine = zn_parts_machine(loader->parts);
    for (const scene_entry *entry = node->first; machine && entry && !scene_gave_up(loader); entry = entry->next) {
        const char *what = scene_format(loader, "input '%s'", entry->key->text);
        const scene_node *table = NULL;
        zn_table_def def = {0};
        bool held = false;
        double start = 0;
        int errors = zn_error_count(loader->context);
        scene_declare(loader, "input", entry->key);
        loader->names_incomplete |= !scene_want_kind(loader, entry->value, SCENE_SCALAR | SCENE_MAP, what);
        if (zn_error_count(loader->context) != errors) continue;
        if (entry->value->kind == SCENE_MAP) table = read_table_def(loader, entry, what, &def, &held);
        else scene_want_number(loader, entry->value, what, scene_any_number, &start);
        loader->names_incomplete |= zn_error_count(loader->context) != errors;
        if (zn_error_count(loader->context) != errors) continue;
        bool good = scene_placed(loader, zn_machine_input(machine, entry->key->text, table ? def.y[0] : start), entry->key);
        if (good && table) scene_placed(loader, zn_machine_follow(machine, entry->key->text, &def, held), table);
    }
}

/* ---- states ---- */

void scene_read_states(scene_loader *loader, const scene_node *node) {
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        const char *what = scene_format(loader, "state '%s'", entry->key->text);
        const scene_node *start, *rate = NULL;
        const scene_key keys[] = {{"start", SCENE_SCALAR, false, &start}, {"rate", SCENE_SCALAR, true, &rate}};
        double value = 0;
        int errors = zn_error_count(loader->context);
        scene_declare(loader, "state", entry->key);
        if (!scene_want_map(loader, entry->value, what, 2, keys)) continue;
        if (start) scene_want_number(loader, start, scene_format(loader, "start of %s", what), scene_any_number, &value);
        if (!rate || zn_error_count(loader->context) != errors) loader->names_incomplete = true;
        else
            scene_placed(loader, zn_machine_state(zn_parts_machine(loader->parts), entry->key->text, value, scene_formula(loader, rate)),
                         entry->key);
    }
}

/* ---- sampled values and modes ---- */

static void read_samples(scene_loader *loader, const scene_node *map) {
    const scene_node *every = scene_find(map, "every");
    double time = 1;
    if (!every) scene_error(loader, map, "sampled values lack 'every', the time between samples");
    else if (!map->first->next) scene_error(loader, map, "'sampled' has a time between samples, but no value");
    else if (!scene_want_number(loader, every, "every", scene_positive, &time)) time = 1;
    for (const scene_entry *entry = map->first; entry && !scene_gave_up(loader); entry = entry->next) {
        if (!strcmp(entry->key->text, "every")) continue;
        const char *what = scene_format(loader, "sampled value '%s'", entry->key->text);
        const scene_node *value = entry->value, *start = NULL;
        const scene_key keys[] = {{"start", SCENE_SCALAR, false, &start}, {"value", SCENE_SCALAR, true, &value}};
        double first = 0;
        int errors = zn_error_count(loader->context);
        scene_declare(loader, "sampled value", entry->key);
        if (!scene_want_kind(loader, entry->value, SCENE_SCALAR | SCENE_MAP, what)) continue;
        if (entry->value->kind == SCENE_MAP) scene_want_map(loader, entry->value, what, 2, keys);
        if (start) scene_want_number(loader, start, scene_format(loader, "start of %s", what), scene_any_number, &first);
        if (zn_error_count(loader->context) != errors || !value) loader->names_incomplete = true;
        else
            scene_placed(loader,
                         zn_machine_sampled(zn_parts_machine(loader->parts), entry->key->text, first, time, scene_formula(loader, value)),
                         entry->key);
    }
}

void scene_read_sampled(scene_loader *loader, const scene_node *node) {
    if (node->kind == SCENE_MAP) read_samples(loader, node);
    for (const scene_entry *entry = node->first; node->kind == SCENE_LIST && entry; entry = entry->next)
        if (scene_want_kind(loader, entry->value, SCENE_MAP, "an entry of 'sampled'")) read_samples(loader, entry->value);
}

/* on, true, off, false. -1: neither. */
static int truth_of(const scene_node *node) {
    static const char *const words[] = {"off", "on", "false", "true", "0", "1"};
    for (int i = 0; node->kind == SCENE_SCALAR && i < 6; i++)
        if (!strcmp(node->text, words[i])) return i % 2;
    return -1;
}

void scene_read_modes(scene_loader *loader, const scene_node *node) {
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        int errors = zn_error_count(loader->context), on = truth_of(entry->value);
        scene_declare(loader, "mode", entry->key);
        if (on < 0) scene_error(loader, entry->value, "mode '%s' must be on or off", entry->key->text);
        if (zn_error_count(loader->context) == errors)
            scene_placed(loader, zn_machine_mode(zn_parts_machine(loader->parts), entry->key->text, on == 1), entry->key);
    }
}

/* ---- if ---- */

/* The value of an entry without its key `if`. */
static const scene_node *without_condition(scene_loader *loader, const scene_node *map) {
    scene_node *copy = SCENE_NEW(loader->arena, scene_node, 1);
    scene_entry **end = NULL;
    if (!copy) return map;
    *copy = *map;
    copy->first = NULL, copy->count = 0;
    end = (scene_entry **)(uintptr_t)&copy->first;
    for (const scene_entry *entry = map->first; entry; entry = entry->next) {
        if (!strcmp(entry->key->text, "if")) continue;
        scene_entry *next = SCENE_NEW(loader->arena, scene_entry, 1);
        if (!next) return map;
        *next = *entry;
        next->next = NULL;
        *end = next;
        end = (scene_entry **)(uintptr_t)&next->next;
        copy->count++;
    }
    return copy;
}

void scene_read_conditions(scene_loader *loader, const scene_node *section) {
    for (const scene_entry *entry = section ? section->first : NULL; entry && !scene_gave_up(loader); entry = entry->next) {
        const scene_node *condition = entry->value->kind == SCENE_MAP ? scene_find(entry->value, "if") : NULL, *name = entry->key;
        if (!condition) continue;
        bool good = scene_want_kind(loader, condition, SCENE_SCALAR, "if");
        if (section->kind == SCENE_LIST) name = scene_find(entry->value, "name");
        if (!name) scene_error(loader, condition, "an entry with a condition needs a name");
        else if (good)
            scene_placed(loader, zn_machine_switch(zn_parts_machine(loader->parts), name->text, scene_formula(loader, condition)),
                         condition);
        ((scene_entry *)(uintptr_t)entry)->value = without_condition(loader, entry->value);
    }
}

/* ---- events ---- */

/* A word, or a map of names and formulas. */
static void read_action(scene_loader *loader, const scene_node *node, const char *what, zn_event_def *def, zn_event_set *sets) {
    if (node->kind == SCENE_SCALAR) {
        static const char *const words[] = {"stop", "record"};
        int word = scene_want_word(loader, node, scene_format(loader, "do of %s", what), 2, words);
        def->stop |= word == 0, def->record |= word == 1;
        return;
    }
    if (!scene_want_kind(loader, node, SCENE_MAP, scene_format(loader, "do of %s", what))) return;
    for (const scene_entry *entry = node->first; entry; entry = entry->next) {
        const scene_name *known = scene_known_name(loader, entry->key->text, strlen(entry->key->text));
        bool mode = known && !strcmp(known->what, "mode");
        if (!scene_want_kind(loader, entry->value, SCENE_SCALAR, scene_format(loader, "'%s' in do of %s", entry->key->text, what)))
            continue;
        zn_formula value = scene_formula(loader, entry->value);
        int on = truth_of(entry->value);
        if (mode && on >= 0) value.text = on ? "1" : "0";
        sets[def->n_sets++] = (zn_event_set){entry->key->text, value};
    }
}

static int count_sets(const scene_node *node) {
    int count = node->kind == SCENE_MAP ? node->count : 0;
    for (const scene_entry *entry = node->kind == SCENE_LIST ? node->first : NULL; entry; entry = entry->next)
        count += count_sets(entry->value);
    return count;
}

void scene_read_events(scene_loader *loader, const scene_node *node) {
    static const char *const directions[] = {"both", "up", "down"};
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        const char *what = scene_format(loader, "event '%s'", entry->key->text);
        const scene_node *when = NULL, *direction, *action = NULL, *message, *condition;
        const scene_key keys[] = {{"when", SCENE_SCALAR, true, &when},
                                  {"direction", SCENE_SCALAR, false, &direction},
                                  {"do", SCENE_SCALAR | SCENE_MAP | SCENE_LIST, true, &action},
                                  {"message", SCENE_SCALAR, false, &message},
                                  {"if", SCENE_SCALAR, false, &condition}};
        int errors = zn_error_count(loader->context);
        if (!scene_want_label(loader, "event", entry->key) || !scene_want_map(loader, entry->value, what, 5, keys) || !when || !action)
            continue;
        zn_event_set *sets = SCENE_NEW(loader->arena, zn_event_set, count_sets(action) + 1);
        zn_event_def def = {.name = entry->key->text, .when = scene_formula(loader, when), .sets = sets};
        if (!sets) return;
        if (condition) def.condition = scene_formula(loader, condition);
        if (message) def.message = message->text;
        if (direction)
            def.direction = (zn_direction)scene_want_word(loader, direction, scene_format(loader, "direction of %s", what), 3, directions);
        if (action->kind != SCENE_LIST) read_action(loader, action, what, &def, sets);
        for (const scene_entry *item = action->kind == SCENE_LIST ? action->first : NULL; item; item = item->next)
            read_action(loader, item->value, what, &def, sets);
        if (message && !def.stop && zn_error_count(loader->context) == errors)
            scene_error(loader, message, "%s has a message, but does not stop the run: it would never be shown", what);
        if (zn_error_count(loader->context) == errors)
            scene_placed(loader, zn_machine_event(zn_parts_machine(loader->parts), &def), entry->key);
    }
}
