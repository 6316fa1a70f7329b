/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a view: places of contacts, trail, camera, speed, plots. */
#include "scene/view.h"

/* ---- contacts ---- */

static void read_contact(scene_view *v, const scene_entry *entry, const scene_node *contacts) {
    scene_loader *loader = v->loader;
    const char *name = entry->key->text, *what = scene_format(loader, "the view of contact '%s'", name);
    const scene_node *at, *normal, *tangent;
    const scene_key keys[] = {
        {"at", SCENE_LIST, true, &at}, {"normal", SCENE_LIST, true, &normal}, {"tangent", SCENE_LIST, false, &tangent}};
    if (!contacts || !scene_find(contacts, name)) {
        scene_error(loader, entry->key, "there is no contact '%s'%s", name, contacts ? scene_hint(loader, name, contacts) : "");
        return;
    }
    if (!scene_want_map(loader, entry->value, what, 3, keys) || !at || !normal) return;
    if (v->n_contacts == VIEW_MOST_CONTACTS) {
        scene_error(loader, entry->key, "more than %d contacts cannot be shown", VIEW_MOST_CONTACTS);
        return;
    }
    text_buffer before = v->text;
    v->text = (text_buffer){.context = loader->context};
    const char *item = scene_format(loader, "contact.%s", name);
    view_put_values(v, "at", at, item, "", 2, 3);
    view_put_values(v, "normal", normal, item, "n", 2, 3);
    if (tangent) view_put_values(v, "tangent", tangent, item, "t", 2, 3);
    v->contacts[v->n_contacts++] = (view_contact){name, buffer_end(&v->text)};
    v->text = before;
}

/* The row of forces belongs to the model: its friction rows, and what they are scaled by. */
static void put_contact(scene_view *v, text_buffer *d, const view_contact *place, const zn_contact *contact) {
    (void)v;
    buffer_put(d, "{\"name\": ");
    buffer_json(d, contact->name);
    buffer_put(d, "%s", place->place);
    if (contact->row_N < 0) {
        buffer_put(d, ", \"force\": ");
        buffer_number(d, contact->normal_force);
    } else {
        buffer_put(d, ", \"percussion\": ");
        buffer_json_format(d, "percussion.%s.normal", contact->name);
    }
    buffer_put(d, ", \"friction\": [");
    for (int i = 0; i < contact->nF && i < 2; i++) {
        buffer_put(d, i ? ", [" : "[");
        if (contact->nF > 1) buffer_json_format(d, "percussion.%s.friction%d", contact->name, i + 1);
        else buffer_json_format(d, "percussion.%s.friction", contact->name);
        buffer_put(d, ", %.9g]", contact->scale ? contact->scale[i] : 1);
    }
    buffer_put(d, "]}");
}

zn_status scene_view_formulas(scene_view *v, zn_model *model) {
    if (!v->given) return ZN_OK;
    text_buffer d = {.context = v->loader->context};
    buffer_put(&d, "{\"space\": %d,\n\"items\": [%s],\n\"contacts\": [", v->spatial ? 3 : 2, v->items ? v->items : "");
    for (int i = 0, shown = 0; i < v->n_contacts; i++)
        for (int k = 0; k < model->size.n_contacts; k++) {
            if (strcmp(model->contacts[k].name, v->contacts[i].name) != 0 || !v->contacts[i].place) continue;
            if (shown++) buffer_put(&d, ",\n");
            put_contact(v, &d, &v->contacts[i], &model->contacts[k]);
        }
    buffer_put(&d, "]%s}", v->members ? v->members : "");
    char *text = buffer_end(&d);
    zn_status status = text && v->items && v->members ? zn_model_set_drawing(v->loader->context, model, text) : ZN_ERROR_MEMORY;
    mem_free(v->loader->context, text);
    return status;
}

/* ---- plots ---- */

static void put_columns(scene_view *v, const scene_node *node) {
    const scene_node **names;
    int count = scene_want_scalars(v->loader, node, "a plot", &names);
    buffer_put(&v->text, "[");
    for (int i = 0; i < count; i++) {
        if (i) buffer_put(&v->text, ", ");
        buffer_json(&v->text, names[i]->text);
    }
    buffer_put(&v->text, "]");
}

/* [[x, y], {x: phi, y: [phi']}]: columns of the result over t, or over another. */
static void read_plots(scene_view *v, const scene_node *node) {
    bool first = true;
    buffer_put(&v->text, ", \"plots\": [");
    for (const scene_entry *entry = node->first; entry; entry = entry->next) {
        const scene_node *x = NULL, *y = entry->value;
        const scene_key keys[] = {{"x", SCENE_SCALAR, false, &x}, {"y", SCENE_SCALAR | SCENE_LIST, true, &y}};
        if (entry->value->kind == SCENE_MAP && (!scene_want_map(v->loader, entry->value, "a plot", 2, keys) || !y)) continue;
        buffer_put(&v->text, "%s{\"x\": ", first ? "" : ", ");
        buffer_json(&v->text, x ? x->text : "t");
        buffer_put(&v->text, ", \"y\": ");
        put_columns(v, y);
        buffer_put(&v->text, "}");
        first = false;
    }
    buffer_put(&v->text, "]");
}

/* ---- all settings ---- */

static void read_name(scene_view *v, const scene_node *view, const scene_entry *entry) {
    const char *name = entry->value->text;
    zn_body body;
    if (!scene_want_kind(v->loader, entry->value, SCENE_SCALAR, entry->key->text)) return;
    bool known = scene_find(view, name) != NULL;
    if (!known && !v->loader->alone) {
        if (!scene_placed(v->loader, zn_parts_find_body(v->loader->parts, name, &body), entry->value)) return;
    } else if (!known) {
        scene_error(v->loader, entry->value, "the view has no item '%s'%s", name, scene_hint(v->loader, name, view));
        return;
    }
    buffer_put(&v->text, ", \"%s\": ", entry->key->text);
    buffer_json(&v->text, name);
}

void view_read_setting(scene_view *v, const scene_node *view, const scene_entry *entry, const scene_node *contacts) {
    scene_loader *loader = v->loader;
    const char *key = entry->key->text;
    const scene_node *value = entry->value;
    double speed;
    if (!strcmp(key, "contacts")) {
        if (!loader->alone) scene_error(loader, entry->key, "contacts between bodies are drawn automatically");
        else if (scene_want_kind(loader, value, SCENE_MAP, "contacts of the view"))
            for (const scene_entry *contact = value->first; contact; contact = contact->next) read_contact(v, contact, contacts);
    } else if (!strcmp(key, "speed")) {
        if (!scene_want_kind(loader, value, SCENE_SCALAR, "speed of the view") ||
            !scene_want_number(loader, value, "speed of the view", scene_positive, &speed))
            return;
        buffer_put(&v->text, ", \"speed\": ");
        buffer_number(&v->text, speed);
    } else if (!strcmp(key, "plots")) {
        if (scene_want_kind(loader, value, SCENE_LIST, "plots of the view")) read_plots(v, value);
    } else read_name(v, view, entry);
}
