/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of attributes: of fixed length, or of variable length in a global heap; numbers, which become texts with all digits. Others are
 * passed over. */
#include "result/h5_group.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

typedef struct h5_attribute {
    const char *name;
    size_t name_length;
    const unsigned char *data;
    size_t data_size, element; /* bytes of an element in data */
    uint64_t count;
    bool is_text, variable;
    result_kind kind;
} h5_attribute;

static size_t padded(size_t size, bool pad) { return pad ? (size + 7) / 8 * 8 : size; }

/* Class 3 is a text of fixed length, class 9 with kind 1 one of variable length; class 0 a whole number, class 1 a real one, of which those
 * of 8 bytes in little-endian order are taken, signed and IEEE 754. */
static void look_at_type(h5_attribute *a, const unsigned char *type, size_t size) {
    enum { WHOLE = 0, REAL = 1, FIXED = 3, VARIABLE = 9, HEAD = 8, REFERENCE = 16, SIGNED = 8, ORDER = 1, VAX = 64 };
    if (size < HEAD) return;
    int class = type[0] & 15;
    a->element = (size_t)h5_number(type + 4, 4);
    a->variable = class == VARIABLE && (type[1] & 15) == 1 && a->element == REFERENCE;
    a->is_text = (a->variable || class == FIXED) && a->element > 0;
    if (a->element != sizeof(double)) return;
    if (class == WHOLE && (type[1] & (ORDER | SIGNED)) == SIGNED) a->kind = RESULT_WHOLE;
    if (class == REAL && !(type[1] & (ORDER | VAX))) a->kind = RESULT_REAL;
}

/* Versions 1 to 3: the sizes of name, type and space, then these three (padded to 8 bytes in version 1), then the values. */
static zn_status parse(h5_file *file, const unsigned char *m, size_t size, h5_attribute *a) {
    static const char cut[] = "an attribute is truncated";
    *a = (h5_attribute){0};
    if (size < 8 || m[0] < 1 || m[0] > 3) return h5_damaged(file, cut);
    bool pad = m[0] == 1, shared = m[0] > 1 && m[1] & 3;
    size_t name = (size_t)h5_number(m + 2, 2), type = (size_t)h5_number(m + 4, 2), space = (size_t)h5_number(m + 6, 2);
    size_t name_at = m[0] == 3 ? 9 : 8, type_at = name_at + padded(name, pad), space_at = type_at + padded(type, pad);
    size_t data_at = space_at + padded(space, pad);
    if (data_at > size || name == 0) return h5_damaged(file, cut);
    if (shared) return h5_unknown(file, "attributes whose type is stored elsewhere");
    a->name = (const char *)m + name_at;
    a->name_length = strnlen(a->name, name);
    a->data = m + data_at;
    a->data_size = size - data_at;
    look_at_type(a, m + type_at, type);
    if (!a->is_text && a->kind == RESULT_TEXT) return ZN_OK;
    h5_space extent;
    zn_status status = h5_dataspace(file, m + space_at, space, &extent);
    if (status != ZN_OK) return status;
    a->count = extent.rank == 0 ? 1 : extent.extent[0];
    if (extent.rank > 1 || a->count > a->data_size / a->element) return h5_damaged(file, "an attribute has fewer values than it says");
    return ZN_OK;
}

/* ---- values ---- */

/* The collection of the global heap that was used last: texts that follow one another lie in one. */
typedef struct h5_collection {
    uint64_t at, size;
    const unsigned char *bytes;
} h5_collection;

static zn_status open_collection(h5_file *file, h5_collection *c, uint64_t at) {
    enum { HEAD = 16 };
    if (c->bytes && c->at == at) return ZN_OK;
    const unsigned char *head = h5_take(file, at, HEAD);
    if (!head) return h5_failed(file);
    if (memcmp(head, "GCOL", 4) != 0) return h5_damaged(file, "a text is not where it should be");
    *c = (h5_collection){.at = at, .size = h5_number(head + 8, 8)};
    c->bytes = h5_take(file, at, c->size);
    return c->bytes ? ZN_OK : h5_failed(file);
}

static zn_status find_in_collection(h5_file *file, h5_collection *c, uint64_t index, const char **text, size_t *size) {
    enum { COLLECTION_HEAD = 16, HEAD = 16 };
    for (uint64_t at = COLLECTION_HEAD; at + HEAD <= c->size;) {
        uint64_t here = h5_number(c->bytes + at, 2), length = h5_number(c->bytes + at + 8, 8);
        if (here == 0 || length > c->size - at - HEAD) break; /* the rest is free, or damaged */
        *text = (const char *)c->bytes + at + HEAD;
        *size = (size_t)length;
        if (here == index) return ZN_OK;
        at += HEAD + padded((size_t)length, true);
    }
    return h5_damaged(file, "a text is not where it should be");
}

static zn_status read_value(h5_file *file, const h5_attribute *a, uint64_t i, h5_collection *c, char **value) {
    const unsigned char *element = a->data + i * a->element;
    const char *text = (const char *)element;
    size_t size = a->element;
    if (a->variable) {
        uint64_t length = h5_number(element, 4), at = h5_number(element + 4, 8);
        zn_status status = ZN_OK;
        text = "";
        size = 0;
        if (length > 0 && at > 0) {
            status = open_collection(file, c, at);
            if (status == ZN_OK) status = find_in_collection(file, c, h5_number(element + 12, 4), &text, &size);
        }
        if (status != ZN_OK) return status;
        if (length < size) size = (size_t)length;
    }
    size = strnlen(text, size);
    zn_status status = h5_spend(file, size);
    if (status != ZN_OK) return status;
    *value = MEM_ARRAY(h5_context(file), char, size + 1);
    if (!*value) return ZN_ERROR_MEMORY;
    memcpy(*value, text, size);
    return ZN_OK;
}

static void free_values(h5_file *file, char **values, uint64_t count) {
    for (uint64_t i = 0; values && i < count; i++) mem_free(h5_context(file), values[i]);
    mem_free(h5_context(file), values);
}

static zn_status read_values(h5_file *file, const h5_attribute *a, char ***values) {
    h5_collection c = {0};
    *values = NULL;
    zn_status status = h5_spend(file, a->count * sizeof(char *));
    if (status != ZN_OK) return status;
    if (a->count > INT_MAX) return h5_damaged(file, "an attribute has too many texts");
    *values = MEM_ARRAY(h5_context(file), char *, a->count);
    if (!*values) return ZN_ERROR_MEMORY;
    for (uint64_t i = 0; i < a->count && status == ZN_OK; i++) status = read_value(file, a, i, &c, &(*values)[i]);
    if (status == ZN_OK) return ZN_OK;
    free_values(file, *values, a->count);
    *values = NULL;
    return status;
}

/* ---- attributes of an object ---- */

typedef struct h5_wanted {
    h5_file *file;
    const char *name; /* NULL: all that have one text */
    char **values;
    int count;
    h5_take_text *take;
    void *user;
} h5_wanted;

static char *number_text(h5_file *file, const h5_attribute *a) {
    uint64_t bits = h5_number(a->data, sizeof bits);
    double value;
    memcpy(&value, &bits, sizeof value);
    return a->kind == RESULT_REAL ? mem_format(h5_context(file), "%.17g", value) : mem_format(h5_context(file), "%" PRId64, (int64_t)bits);
}

static zn_status take_one(h5_wanted *w, const h5_attribute *a, char **values) {
    zn_context *context = h5_context(w->file);
    char *name = MEM_ARRAY(context, char, a->name_length + 1);
    if (!name) {
        free_values(w->file, values, a->count);
        return ZN_ERROR_MEMORY;
    }
    memcpy(name, a->name, a->name_length);
    char *value = values[0];
    mem_free(context, values);
    return w->take(w->user, name, value, a->kind);
}

static zn_status look_at_attribute(void *user, const h5_message *m) {
    h5_wanted *w = user;
    h5_attribute a;
    zn_status status = parse(w->file, m->data, m->size, &a);
    if (status != ZN_OK) return status;
    if (w->name ? w->values || a.name_length != strlen(w->name) || memcmp(a.name, w->name, a.name_length) != 0 : a.count != 1) return ZN_OK;
    if (!a.is_text && (w->name || a.kind == RESULT_TEXT)) return w->name ? h5_damaged(w->file, "a text has another type") : ZN_OK;
    char **values;
    if (a.kind != RESULT_TEXT) {
        values = MEM_ARRAY(h5_context(w->file), char *, 1);
        if (values && !(values[0] = number_text(w->file, &a))) mem_free(h5_context(w->file), values), values = NULL;
        return values ? take_one(w, &a, values) : ZN_ERROR_MEMORY;
    }
    status = read_values(w->file, &a, &values);
    if (status != ZN_OK) return status;
    if (!w->name) return take_one(w, &a, values);
    w->values = values;
    w->count = (int)a.count;
    return ZN_OK;
}

static zn_status look_at_object(h5_wanted *w, const h5_object *object) {
    zn_status status = ZN_OK;
    for (int i = 0; i < object->n_messages && status == ZN_OK; i++) {
        const h5_message *m = &object->messages[i];
        if (m->type == H5_ATTRIBUTE_INFO) status = h5_dense(w->file, m, look_at_attribute, w);
        if (m->type != H5_ATTRIBUTE) continue;
        status = m->flags & H5_SHARED ? h5_unknown(w->file, "attributes that are stored elsewhere") : look_at_attribute(w, m);
    }
    if (status == ZN_OK) return ZN_OK;
    free_values(w->file, w->values, (uint64_t)w->count);
    w->values = NULL;
    return status;
}

zn_status h5_texts(h5_file *file, const h5_object *object, const char *name, char ***texts, int *count) {
    h5_wanted w = {.file = file, .name = name};
    zn_status status = look_at_object(&w, object);
    *texts = w.values;
    *count = w.values ? w.count : 0;
    return status;
}

zn_status h5_one_text(h5_file *file, const h5_object *object, const char *name, char **text) {
    char **texts;
    int count;
    zn_status status = h5_texts(file, object, name, &texts, &count);
    *text = count > 0 ? texts[0] : NULL;
    for (int i = 1; i < count; i++) mem_free(h5_context(file), texts[i]);
    mem_free(h5_context(file), texts);
    return status;
}

zn_status h5_all_texts(h5_file *file, const h5_object *object, h5_take_text *take, void *user) {
    h5_wanted w = {.file = file, .take = take, .user = user};
    return look_at_object(&w, object);
}
