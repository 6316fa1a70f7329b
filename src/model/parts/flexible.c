/* SPDX-License-Identifier: Apache-2.0 */
/* Flexible bodies: their table, names, nodes, elements, frames and sections. */
#include "model/parts/flexible.h"
#include "base/list.h"

#include <stdio.h>

LIST_IS_WHOLE(ZN_FLEXIBLE_LIST, ZN_FLEXIBLE_TYPE_COUNT);
static const flexible_type *const types[] = {
#define X(name, identifier, word, sentence) &flexible_##identifier,
    ZN_FLEXIBLE_LIST(X)
#undef X
};

enum { MOST_ELEMENTS = 100000, MOST_RECORDED = 50 };

zn_flexible_def zn_default_flexible_def(void) { return (zn_flexible_def){.type = ZN_FLEXIBLE_BEAM, .elements = 1}; }

/* ---- names and handles ---- */

int parts_find_flexible(const zn_parts *parts, const char *name, size_t length) {
    for (size_t i = 0; i < parts->n_flexibles; i++)
        if (parts->flexibles[i].complete && strlen(parts->flexibles[i].name) == length && !memcmp(parts->flexibles[i].name, name, length))
            return (int)i;
    return -1;
}

void parts_free_flexibles(zn_parts *parts) {
    for (size_t i = 0; i < parts->n_flexibles; i++) mem_free(parts->context, parts->flexibles[i].name);
    mem_free(parts->context, parts->flexibles);
}

static parts_flexible *get(zn_parts *parts, zn_flexible handle) {
    if (handle.stamp == parts_stamp(parts, 'x') && handle.index >= 0 && (size_t)handle.index < parts->n_flexibles)
        return &parts->flexibles[handle.index];
    fail(parts->context, ZN_ERROR_ARGUMENT,
         handle.stamp ? "the flexible body belongs to another builder" : "the flexible body was never created (its handle is empty)");
    return NULL;
}

zn_status zn_parts_find_flexible(zn_parts *parts, const char *name, zn_flexible *handle) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, handle);
    *handle = (zn_flexible){0, 0};
    NEED(parts->context, name);
    int index = parts_find_flexible(parts, name, strlen(name));
    *handle = (zn_flexible){index < 0 ? 0 : parts_stamp(parts, 'x'), index < 0 ? 0 : index};
    return index < 0 ? fail(parts->context, ZN_ERROR_ARGUMENT, "there is no flexible body '%.60s'", name) : ZN_OK;
}

int zn_parts_node_count(const zn_parts *parts, zn_flexible handle) {
    bool known = HANDLE_GOOD(parts, HANDLE_PARTS) && handle.stamp == parts_stamp(parts, 'x') && handle.index >= 0 &&
                 (size_t)handle.index < parts->n_flexibles;
    return known ? parts->flexibles[handle.index].n_nodes : 0;
}

zn_status zn_parts_node(zn_parts *parts, zn_flexible handle, int node, zn_body *body) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, body);
    *body = (zn_body){0, 0};
    const parts_flexible *f = get(parts, handle);
    if (!f) return ZN_ERROR_ARGUMENT;
    if (node < 0 || node >= f->n_nodes)
        return fail(parts->context, ZN_ERROR_ARGUMENT, "'%s' has the nodes 0 to %d, not %d", f->name, f->n_nodes - 1, node);
    *body = (zn_body){parts_stamp(parts, 'b'), f->first_node + node};
    return ZN_OK;
}

int parts_node_frame(const zn_parts *parts, int flexible, const char *name) {
    const parts_flexible *f = &parts->flexibles[flexible];
    size_t digits = strlen(name) > 4 ? strlen(name) - 4 : 0;
    if (strncmp(name, "node", 4) || digits == 0 || digits > 6 || strspn(name + 4, "0123456789") != digits) return -1;
    int node = 0;
    for (const char *c = name + 4; *c; c++) node = 10 * node + (*c - '0');
    return node < f->n_nodes ? parts->bodies[f->first_node + node].frame : -1;
}

/* ---- nodes and elements ---- */

static zn_status copy_numbers(zn_context *context, int count, const double *from, double **to) {
    *to = count ? MEM_ARRAY(context, double, count) : NULL;
    if (count && !*to) return ZN_ERROR_MEMORY;
    if (count) memcpy(*to, from, (size_t)count * sizeof **to);
    return ZN_OK;
}

zn_status flexible_add_node(zn_parts *parts, parts_flexible *f, const parts_body *node) {
    zn_context *context = parts->context;
    parts_body b = *node;
    b.is_node = true;
    b.group = f->name;
    b.carriers = NULL, b.motion = NULL;
    b.name = mem_format(context, "%s_%d", f->name, f->n_nodes);
    zn_status status = copy_numbers(context, node->n_numbers, node->numbers, &b.numbers);
    if (!b.name) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = parts_check_name(parts, b.name, "node");
    if (status != ZN_OK) {
        parts_free_body(context, &b);
        return status;
    }
    if (f->n_nodes++ == 0) f->first_node = (int)parts->n_bodies;
    return parts_add_body(parts, &b, NULL);
}

parts_piece *flexible_add_element(zn_parts *parts, parts_flexible *f, const parts_piece *shape, const int *nodes) {
    parts_piece element = *shape;
    int bodies[SKETCH_MOST_CARRIERS];
    char *name = mem_format(parts->context, "%s[%d]", f->name, ++f->made);
    if (!name) return NULL;
    for (int i = 0; i < element.n_bodies && i < SKETCH_MOST_CARRIERS; i++) bodies[i] = f->first_node + nodes[i];
    element.name = name;
    element.what = f->type->element;
    element.bodies = bodies;
    element.group = f->name;
    parts_piece *piece = parts_piece_begin(parts, &element);
    mem_free(parts->context, name);
    return piece;
}

/* ---- outputs ---- */

int flexible_output_count(const parts_flexible *f, int n_points, int n) {
    return n_points * n * ((f->record & FLEXIBLE_FORCES ? 1 : 0) + (f->record & FLEXIBLE_STRAINS ? 1 : 0));
}

zn_status flexible_name_outputs(zn_parts *parts, parts_flexible *f, parts_piece *piece, int n_points, int n, const char *const *forces,
                                const char *const *strains) {
    char **next = piece->outputs;
    for (int p = 0; p < n_points; p++) {
        f->points++;
        for (int i = 0; i < n && (f->record & FLEXIBLE_FORCES); i++)
            if (!(*next++ = mem_format(parts->context, "%s.%s_%d", f->name, forces[i], f->points))) return ZN_ERROR_MEMORY;
        for (int i = 0; i < n && (f->record & FLEXIBLE_STRAINS); i++)
            if (!(*next++ = mem_format(parts->context, "%s.%s_%d", f->name, strains[i], f->points))) return ZN_ERROR_MEMORY;
    }
    return ZN_OK;
}

void flexible_express_outputs(sketch *k, unsigned record, int n, const expr *forces, const expr *strains) {
    for (int i = 0; i < n && (record & FLEXIBLE_FORCES); i++) sketch_output(k, forces[i]);
    for (int i = 0; i < n && (record & FLEXIBLE_STRAINS); i++) sketch_output(k, strains[i]);
}

/* ---- sections ---- */

/* The section as a body without coordinates, for frames and for names in formulas. */
static zn_status add_section_body(zn_parts *parts, int index, const flexible_section *s, char *name, int *body) {
    zn_context *context = parts->context;
    const parts_flexible *f = &parts->flexibles[index];
    parts_body b = {.name = name, .kind = f->type->section, .p = quat_identity(), .group = f->name};
    b.n_carriers = s->n_carriers;
    b.n_numbers = s->n_numbers;
    b.carriers = MEM_ARRAY(context, int, s->n_carriers);
    zn_status status = copy_numbers(context, s->n_numbers, s->numbers, &b.numbers);
    if (!b.carriers || status != ZN_OK) {
        parts_free_body(context, &b);
        return ZN_ERROR_MEMORY;
    }
    for (int i = 0; i < s->n_carriers; i++) b.carriers[i] = f->first_node + s->carriers[i];
    b.v = parts->bodies[b.carriers[0]].v;
    *body = (int)parts->n_bodies;
    return parts_add_body(parts, &b, NULL);
}

static zn_status add_section(zn_parts *parts, int index, double s, const char *name, const double *position, const double *rotation,
                             zn_frame *frame) {
    const parts_flexible *f = &parts->flexibles[index];
    zn_context *context = parts->context;
    flexible_section section = f->type->at(parts, f, s);
    char *text = name ? mem_format(context, "%s_%s", f->name, name) : mem_format(context, "%s(%g)", f->name, s);
    if (text && !name && parts_find_body(parts, text, strlen(text)) >= 0) { /* another one at the same place */
        mem_free(context, text);
        text = mem_format(context, "%s(%g)_%zu", f->name, s, parts->n_bodies);
    }
    if (!text) return ZN_ERROR_MEMORY;
    zn_status status = name ? parts_check_name(parts, text, "section") : ZN_OK;
    int body = 0;
    if (status != ZN_OK) {
        mem_free(context, text);
        return status;
    }
    status = add_section_body(parts, index, &section, text, &body);
    if (status != ZN_OK) return status;
    if (section.node >= 0) body = f->first_node + section.node; /* the same pose, and the kinds of rigid bodies are enough */
    return parts_add_frame(parts, body, index + 1, name, position, rotation, frame);
}

zn_status zn_parts_section(zn_parts *parts, zn_flexible handle, double s, const char *name, const double position[3],
                           const double rotation[4], zn_frame *frame) {
    if (frame) *frame = (zn_frame){0, 0};
    NEED_HANDLE(parts, HANDLE_PARTS);
    const parts_flexible *f = get(parts, handle);
    if (!f) return ZN_ERROR_ARGUMENT;
    if (!(s >= 0 && s <= 1))
        return fail(parts->context, ZN_ERROR_ARGUMENT, "a section of '%s' is at s from 0 (start) to 1 (end), not %g", f->name, s);
    if (name && !expr_name_is_valid(name))
        return fail(parts->context, ZN_ERROR_ARGUMENT, "'%s' cannot name a frame: names are letters, digits and _", name);
    for (int i = 0; i < 4; i++)
        if ((position && i < 3 && !isfinite(position[i])) || (rotation && !isfinite(rotation[i])))
            return fail(parts->context, ZN_ERROR_ARGUMENT, "a section of '%s' needs a finite position and rotation", f->name);
    if (name && !strncmp(name, "node", 4) && name[4] && strspn(name + 4, "0123456789") == strlen(name + 4))
        return fail(parts->context, ZN_ERROR_ARGUMENT, "the frame '%s' of '%s' would hide a node", name, f->name);
    return add_section(parts, handle.index, s, name, position, rotation, frame);
}

/* ---- making ---- */

static zn_status check(zn_parts *parts, const zn_flexible_def *def, const flexible_type **type, int *order) {
    zn_context *context = parts->context;
    zn_status status = parts_check_name(parts, def->name, "flexible body");
    if (status != ZN_OK) return status;
    if ((int)def->type < 0 || def->type >= ZN_FLEXIBLE_TYPE_COUNT)
        return fail(context, ZN_ERROR_ARGUMENT, "'%s': unknown type of flexible body", def->name);
    *type = types[def->type];
    *order = def->order ? def->order : (*type)->default_order;
    if (def->elements < 1 || def->elements > MOST_ELEMENTS)
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s' has 1 to %d elements, not %d", (*type)->what, def->name, (int)MOST_ELEMENTS,
                    def->elements);
    if (*order < (*type)->least_order || *order > (*type)->most_order)
        return fail(context, ZN_ERROR_ARGUMENT, "the %s of the %s '%s' is %d to %d, not %d",
                    def->type == ZN_FLEXIBLE_SPLINE_BEAM ? "degree" : "order", (*type)->what, def->name, (*type)->least_order,
                    (*type)->most_order, *order);
    if ((int)def->record < 0 || def->record > ZN_RECORD_ALL)
        return fail(context, ZN_ERROR_ARGUMENT, "'%s': unknown value of 'record'", def->name);
    if ((*type)->planar && (def->from[2] != 0 || def->to[2] != 0 || def->velocity[2] != 0 || def->curve[2].text ||
                            def->angular_velocity[0] != 0 || def->angular_velocity[1] != 0))
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s' lives in the plane z = 0, but its start leaves it", (*type)->what, def->name);
    return ZN_OK;
}

zn_status zn_parts_flexible(zn_parts *parts, const zn_flexible_def *def, zn_flexible *handle) {
    if (handle) *handle = (zn_flexible){0, 0};
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED_DEF(parts->context, def);
    zn_context *context = parts->context;
    const flexible_type *type = NULL;
    int order = 0;
    zn_status status = check(parts, def, &type, &order);
    if (status != ZN_OK) return status;
    parts_flexible flexible = {.name = mem_text(context, def->name), .type = type, .order = order, .n_elements = def->elements};
    zn_flexible_record record = def->record;
    if (record == ZN_RECORD_AUTO) record = def->elements <= MOST_RECORDED ? ZN_RECORD_FORCES : ZN_RECORD_NONE;
    flexible.record = (unsigned)(record - ZN_RECORD_NONE);
    if (!flexible.name ||
        !mem_grow(context, (void **)&parts->flexibles, &parts->flexible_capacity, parts->n_flexibles + 1, sizeof *parts->flexibles)) {
        mem_free(context, flexible.name);
        return ZN_ERROR_MEMORY;
    }
    int index = (int)parts->n_flexibles++;
    parts->flexibles[index] = flexible;
    status = type->make(parts, def, &parts->flexibles[index]);
    parts->flexibles[index].complete = status == ZN_OK;
    if (status == ZN_OK) status = add_section(parts, index, 0, "start", NULL, NULL, NULL);
    if (status == ZN_OK) status = add_section(parts, index, 1, "end", NULL, NULL, NULL);
    if (status == ZN_OK && handle) *handle = (zn_flexible){parts_stamp(parts, 'x'), index};
    return status;
}
