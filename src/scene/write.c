/* SPDX-License-Identifier: Apache-2.0 */
/* A scene as it was run, as a self-contained text: it contains included files, tables and meshes, parameters have the values that were set,
 * and `simulation` has all settings; inputs are as the simulation has them: numbers, or the points of the tables that they follow, and
 * `starts` has all starts where one was replaced. It is YAML in the form of JSON: every value is a quoted text, which is read like any
 * other formula or number. */
#include "scene/scene.h"

#include "base/buffer.h"
#include "expr/table.h"
#include "model/machine.h"
#include "sim/simulation.h"

#include <stdio.h>

typedef struct writing {
    text_buffer to;
    const zn_scene_options *options;
    const zn_simulation *simulation; /* NULL: not available */
} writing;

static void put_text(writing *w, const char *text) { buffer_text(&w->to, text); }

static void put_quoted(writing *w, const char *text) {
    char code[8];
    put_text(w, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') code[0] = '\\', code[1] = *c, buffer_add(&w->to, code, 2);
        else if ((unsigned char)*c < 32) buffer_put(&w->to, "\\x%02x", (unsigned)(unsigned char)*c);
        else buffer_add(&w->to, c, 1);
    }
    put_text(w, "\"");
}

static void put_node(writing *w, const scene_node *node) {
    if (!node || node->kind == SCENE_NULL) put_text(w, "null");
    else if (node->kind == SCENE_SCALAR) put_quoted(w, node->text);
    else {
        put_text(w, node->kind == SCENE_MAP ? "{" : "[");
        for (const scene_entry *e = node->first; e; e = e->next) {
            if (e != node->first) put_text(w, ", ");
            if (node->kind == SCENE_MAP) put_quoted(w, e->key->text), put_text(w, ": ");
            put_node(w, e->value);
        }
        put_text(w, node->kind == SCENE_MAP ? "}" : "]");
    }
}

/* The expression that a parameter was set to; NULL: none. */
static const char *set_to(const writing *w, const char *name) {
    size_t length = strlen(name);
    for (int i = w->options ? w->options->n_sets - 1 : -1; i >= 0; i--)
        if (!strncmp(w->options->sets[i], name, length) && w->options->sets[i][length] == '=') return w->options->sets[i] + length + 1;
    return NULL;
}

/* What the simulation has by this name; false: nothing, or there is no simulation. */
static bool find_input(const writing *w, const char *name, sim_input_now *now) {
    for (int i = 0; w->simulation && sim_input(w->simulation, i, now); i++)
        if (now->may_be_set && !strcmp(now->name, name)) return true;
    return false;
}

static void put_number(writing *w, double value) { buffer_put(&w->to, "\"%.17g\"", value); }

static void put_start(writing *w, int *n, const char *name, double value) {
    put_text(w, (*n)++ ? ", " : ""), put_quoted(w, name), put_text(w, ": "), put_number(w, value);
}

static void put_parameters(writing *w, const scene_node *map) {
    int n = 0;
    put_text(w, "{");
    for (const scene_entry *e = map->first; e; e = e->next) {
        const char *value = set_to(w, e->key->text);
        sim_input_now now;
        bool live = find_input(w, e->key->text, &now);
        if (live && now.table) continue;
        if (n++) put_text(w, ", ");
        put_quoted(w, e->key->text), put_text(w, ": ");
        if (live && now.changed) put_text(w, "{\"live\": \"true\", \"value\": "), put_number(w, now.value), put_text(w, "}");
        else if (!value) put_node(w, e->value);
        else if (e->value->kind == SCENE_MAP) put_text(w, "{\"live\": \"true\", \"value\": "), put_quoted(w, value), put_text(w, "}");
        else put_quoted(w, value);
    }
    put_text(w, "}");
}

static void put_settings(writing *w, const zn_settings *settings) {
    const zn_settings usual = zn_settings_default();
    char text[100], other[100];
    zn_scheme_info info;
    put_text(w, "{");
    bool known = zn_scheme_find(settings->scheme, &info);
    snprintf(text, sizeof text, settings->stages > 0 && known && info.stages_min < info.stages_max ? "%s:%d" : "%s",
             settings->scheme ? settings->scheme : usual.scheme, settings->stages);
    put_text(w, "\"scheme\": "), put_quoted(w, text);
    for (int i = 0; zn_settings_name(i); i++) {
        const char *name = zn_settings_name(i);
        if (!strcmp(name, "scheme") || !strcmp(name, "stages") ||
            zn_settings_get(w->to.context, settings, name, text, sizeof text) != ZN_OK ||
            zn_settings_get(w->to.context, &usual, name, other, sizeof other) != ZN_OK || !strcmp(text, other))
            continue;
        put_text(w, ", "), put_quoted(w, name), put_text(w, ": "), put_quoted(w, text);
    }
    put_text(w, "}");
}

/* The points are exact: the first coefficient of a piece is the value at its begin. */
static void put_table(writing *w, const sim_input_now *input) {
    const expr_table *t = input->table;
    put_text(w, "{\"interpolation\": "), put_quoted(w, input->held ? "held" : t->degree == 3 ? "cubic" : "linear");
    put_text(w, t->periodic ? ", \"periodic\": \"true\", \"points\": [" : ", \"points\": [");
    for (int i = 0; i < t->n; i++) {
        put_text(w, i ? ", [" : "["), put_number(w, t->x[i]), put_text(w, ", ");
        put_number(w, i + 1 < t->n ? t->c[4 * i] : t->last), put_text(w, "]");
    }
    put_text(w, "]}");
}

/* Inputs of the scene, and live parameters that follow tables: these become inputs. */
static void put_inputs(writing *w, const scene_node *map) {
    sim_input_now now;
    int n = 0;
    for (int i = 0; sim_input(w->simulation, i, &now); i++) {
        const scene_node *node = map ? scene_find(map, now.name) : NULL;
        if (!now.may_be_set || (now.parameter ? !now.table : !node)) continue;
        put_text(w, n++ ? ", " : "\"inputs\": {"), put_quoted(w, now.name), put_text(w, ": ");
        if (now.table) put_table(w, &now);
        else if (now.changed) put_number(w, now.value);
        else put_node(w, node);
    }
    if (n) put_text(w, "}\n");
}

/* One name for two files, of scenes that are included from different folders, which one text cannot distinguish. */
static bool is_ambiguous(const scene_file *files) {
    for (const scene_file *f = files; f; f = f->next)
        for (const scene_file *g = f->next; g; g = g->next)
            if (f->bytes && g->bytes && !strcmp(f->name, g->name)) return true;
    return false;
}

static void put_files(writing *w, const scene_file *files) {
    int n = 0;
    for (const scene_file *f = files; f && !w->to.failed; f = f->next) {
        bool coded;
        if (!f->bytes) continue;
        char *text = scene_file_text(w->to.context, f, &coded);
        if (!text) w->to.failed = true;
        put_text(w, n++ ? ", " : "\"files\": {"), put_quoted(w, f->name), put_text(w, coded ? ": {\"base64\": " : ": ");
        put_quoted(w, text ? text : "");
        if (coded) put_text(w, "}");
        mem_free(w->to.context, text);
    }
    if (n) put_text(w, "}\n");
}

/* All of them, to full precision, whether or not they were replaced. */
static void put_starts(writing *w, const zn_model *model) {
    const machine_plan *plan = model->machine;
    int n = 0;
    put_text(w, "\"starts\": {");
    for (int i = 0; i < model->size.nq; i++) put_start(w, &n, model->q_names[i], model->q_start[i]);
    for (int i = 0; i < model->size.nu; i++) put_start(w, &n, model->u_names[i], model->u_start[i]);
    for (int i = 0; plan && i < plan->n_values; i++) {
        const machine_value *v = &plan->values[i];
        sim_input_now now;
        bool follows = find_input(w, v->name, &now) && now.table;
        if ((v->kind == MACHINE_INPUT || v->kind == MACHINE_PARAMETER) && !follows) put_start(w, &n, v->name, plan->start[i]);
    }
    put_text(w, "}\n");
}

char *scene_write(zn_context *context, const scene_node *root, const scene_run *run) {
    const zn_simulation *simulation = run->simulation;
    writing w = {.to = {.context = context}, .options = run->options, .simulation = simulation};
    if (is_ambiguous(run->files)) return mem_text(context, "");
    const scene_node *inputs = scene_find(root, "inputs");
    if (inputs && inputs->kind != SCENE_MAP) inputs = NULL;
    for (const scene_entry *e = root->first; e; e = e->next) {
        if (!strcmp(e->key->text, "simulation") || !strcmp(e->key->text, "include") || !strcmp(e->key->text, "files") ||
            !strcmp(e->key->text, "starts"))
            continue;
        if (!strcmp(e->key->text, "inputs") && simulation) continue;
        put_quoted(&w, e->key->text), put_text(&w, ": ");
        if (!strcmp(e->key->text, "parameters") && e->value->kind == SCENE_MAP) put_parameters(&w, e->value);
        else put_node(&w, e->value);
        put_text(&w, "\n");
    }
    if (simulation) put_inputs(&w, inputs);
    if (run->started) put_starts(&w, run->started);
    put_files(&w, run->files);
    put_text(&w, "\"simulation\": ");
    put_settings(&w, run->settings);
    put_text(&w, "\n");
    return buffer_end(&w.to);
}
