/* SPDX-License-Identifier: Apache-2.0 */
/* Which shapes of a field may meet, and by what law. */
#include "model/parts/field.h"

#include <stdlib.h>

/* ---- pairs that never meet ---- */

static int by_pair(const void *left, const void *right) {
    const int *a = left, *b = right;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

static bool has_pair(int count, int (*pairs)[2], int a, int b) {
    const int key[2] = {a < b ? a : b, a < b ? b : a};
    return count && bsearch(key, pairs, (size_t)count, sizeof *pairs, by_pair);
}

static void put_pair(int (*pairs)[2], int *count, int a, int b) {
    pairs[*count][0] = a < b ? a : b;
    pairs[(*count)++][1] = a < b ? b : a;
}

static bool is_joint(const parts_piece *piece) {
    return piece->express == parts_express_joint && piece->bodies[0] > 0 && piece->bodies[1] > 0;
}

static zn_status take_pairs(contact_field *f, const zn_parts *parts) {
    zn_context *context = f->context;
    f->joined = mem_array(context, parts->n_pieces, sizeof *f->joined);
    f->declared = mem_array(context, parts->n_declared, sizeof *f->declared);
    if (!f->joined || !f->declared) return ZN_ERROR_MEMORY;
    for (size_t i = 0; i < parts->n_pieces; i++)
        if (is_joint(&parts->pieces[i])) put_pair(f->joined, &f->n_joined, parts->pieces[i].bodies[0], parts->pieces[i].bodies[1]);
    for (size_t i = 0; i < parts->n_declared; i++) put_pair(f->declared, &f->n_declared, parts->declared[i][0], parts->declared[i][1]);
    qsort(f->joined, (size_t)f->n_joined, sizeof *f->joined, by_pair);
    qsort(f->declared, (size_t)f->n_declared, sizeof *f->declared, by_pair);
    return ZN_OK;
}

/* ---- sets ---- */

static bool in_set(const contact_field *f, parts_set set, int shape) {
    switch (set.kind) {
    case SET_GROUP: return f->in_group[set.index][shape];
    case SET_BODY: return f->shapes[shape].body == set.index;
    case SET_GEOMETRY: return f->shapes[shape].geometry == set.index;
    default: return true;
    }
}

/* Groups come after their members, so that these are known. */
static zn_status take_groups(contact_field *f, const zn_parts *parts) {
    f->n_groups = (int)parts->n_groups;
    f->in_group = MEM_ARRAY(f->context, bool *, f->n_groups);
    f->group_names = MEM_ARRAY(f->context, char *, f->n_groups);
    if (!f->in_group || !f->group_names) return ZN_ERROR_MEMORY;
    for (int g = 0; g < f->n_groups; g++) {
        f->in_group[g] = MEM_ARRAY(f->context, bool, f->n_shapes);
        f->group_names[g] = mem_text(f->context, parts->groups[g].name);
        if (!f->in_group[g] || !f->group_names[g]) return ZN_ERROR_MEMORY;
        for (int m = 0; m < parts->groups[g].n_members; m++)
            for (size_t i = 0; i < f->n_shapes; i++) f->in_group[g][i] |= in_set(f, parts->groups[g].members[m], (int)i);
    }
    return ZN_OK;
}

/* ---- rules ---- */

static bool names_pair(const contact_field *f, parts_set a, parts_set b, int x, int y) {
    return (in_set(f, a, x) && in_set(f, b, y)) || (in_set(f, a, y) && in_set(f, b, x));
}

static bool rule_names(const contact_field *f, const parts_rule *rule, int x, int y, bool joined) {
    if ((joined && !rule->joined) || !names_pair(f, rule->a, rule->b, x, y)) return false;
    for (int i = 0; i < rule->n_except; i++)
        if (names_pair(f, rule->except[i][0], rule->except[i][1], x, y)) return false;
    return true;
}

int field_rule_of(const contact_field *f, int x, int y) {
    const field_shape *a = &f->shapes[x], *b = &f->shapes[y];
    const parts_body *bodies = f->kept->bodies;
    if (a->body == b->body || a->shape.planar != b->shape.planar) return -1;
    if (!body_is_free(bodies[a->body].kind) && !body_is_free(bodies[b->body].kind)) return -1;
    if (has_pair(f->n_declared, f->declared, a->geometry, b->geometry)) return -1;
    bool joined = has_pair(f->n_joined, f->joined, a->body, b->body);
    for (int r = f->n_rules - 1; r >= 0; r--)
        if (rule_names(f, &f->rules[r], x, y, joined)) return r;
    return -1;
}

const field_law *field_law_of(const contact_field *f, int rule, int x, int y) {
    if (f->rules[rule].has_law) return &f->laws[rule];
    int a = f->shapes[x].material, b = f->shapes[y].material;
    int law = a < 0 || b < 0 ? f->n_laws - 1 : f->material_law[a * f->n_materials + b];
    return law < 0 ? NULL : &f->laws[law];
}

static zn_status copy_rules(contact_field *f, const zn_parts *parts) {
    if (!(f->rules = MEM_ARRAY(f->context, parts_rule, parts->n_rules))) return ZN_ERROR_MEMORY;
    for (size_t i = 0; i < parts->n_rules; i++) {
        parts_rule *to = &f->rules[f->n_rules++];
        const parts_rule *from = &parts->rules[i];
        *to = *from;
        to->name = mem_text(f->context, from->name);
        to->except = mem_array(f->context, (size_t)from->n_except, sizeof *to->except);
        if (!to->name || !to->except) return ZN_ERROR_MEMORY;
        if (from->n_except) memcpy(to->except, from->except, (size_t)from->n_except * sizeof *to->except);
    }
    return ZN_OK;
}

/* ---- laws ---- */

static bool has_shapes(const contact_field *f, bool planar) {
    for (size_t i = 0; i < f->n_shapes; i++)
        if (f->shapes[i].shape.planar == planar) return true;
    return false;
}

static zn_status prepare(contact_field *f, const char *name, const zn_contact_law *law, field_law *to) {
    for (int planar = 0; planar < 2; planar++) {
        if (!has_shapes(f, planar)) continue;
        zn_status status = contact_law_rows(f->context, name, law, planar, &to->rows[planar].variant, &to->rows[planar].numbers,
                                            &to->rows[planar].contact, to->rows[planar].balls);
        if (status != ZN_OK) return status;
        to->good[planar] = true;
    }
    return ZN_OK;
}

static int material_index(const contact_field *f, const char *name) {
    for (int i = 0; i < f->n_materials; i++)
        if (!strcmp(f->materials[i], name)) return i;
    return -1;
}

static zn_status take_laws(contact_field *f, const zn_parts *parts) {
    static const zn_contact_law smooth = {0};
    zn_status status = ZN_OK;
    f->n_laws = f->n_rules + (int)parts->n_material_pairs + 1;
    f->laws = MEM_ARRAY(f->context, field_law, f->n_laws);
    f->material_law = MEM_ARRAY(f->context, int, f->n_materials * f->n_materials);
    if (!f->laws || !f->material_law) return ZN_ERROR_MEMORY;
    for (int i = 0; i < f->n_materials * f->n_materials; i++) f->material_law[i] = -1;
    for (int i = 0; i < f->n_rules && status == ZN_OK; i++)
        if (f->rules[i].has_law) status = prepare(f, f->rules[i].name, &f->rules[i].law, &f->laws[i]);
    for (size_t i = 0; i < parts->n_material_pairs && status == ZN_OK; i++) {
        int law = f->n_rules + (int)i, a = material_index(f, parts->material_pairs[i].a), b = material_index(f, parts->material_pairs[i].b);
        if (a < 0 || b < 0) continue; /* no shape is of this material */
        f->material_law[a * f->n_materials + b] = f->material_law[b * f->n_materials + a] = law;
        status = prepare(f, parts->material_pairs[i].a, &parts->material_pairs[i].law, &f->laws[law]);
    }
    return status == ZN_OK ? prepare(f, "none", &smooth, &f->laws[f->n_laws - 1]) : status;
}

/* A rule that leaves the law to materials needs one for every two that it names. */
static zn_status check_materials(contact_field *f) {
    bool *seen = MEM_ARRAY(f->context, bool, f->n_materials * f->n_materials);
    if (!seen) return ZN_ERROR_MEMORY;
    zn_status status = ZN_OK;
    for (size_t x = 0; x < f->n_shapes && status == ZN_OK; x++)
        for (size_t y = x + 1; y < f->n_shapes && status == ZN_OK; y++) {
            int a = f->shapes[x].material, b = f->shapes[y].material;
            if (a < 0 || b < 0 || f->material_law[a * f->n_materials + b] >= 0 || seen[a * f->n_materials + b]) continue;
            int rule = field_rule_of(f, (int)x, (int)y);
            if (rule < 0 || f->rules[rule].has_law) continue;
            seen[a * f->n_materials + b] = seen[b * f->n_materials + a] = true;
            status = fail_at(f->context, ZN_ERROR_MODEL, &(error_place){.subject = f->rules[rule].name, .time = NAN},
                             "the rule '%s' has no law, and no law is defined for the materials '%s' and '%s' of '%s' and '%s'",
                             f->rules[rule].name, f->materials[a], f->materials[b], f->shapes[x].name, f->shapes[y].name);
        }
    mem_free(f->context, seen);
    return status;
}

zn_status field_take_rules(contact_field *f, const zn_parts *parts) {
    zn_status status = take_pairs(f, parts);
    if (status == ZN_OK) status = take_groups(f, parts);
    if (status == ZN_OK) status = copy_rules(f, parts);
    if (status == ZN_OK) status = take_laws(f, parts);
    return status == ZN_OK && f->n_materials ? check_materials(f) : status;
}
