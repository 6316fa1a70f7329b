/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing, at most half full. */
#include "base/names.h"

/* FNV-1a over the bytes of the name and the owner. */
static size_t place_of(const name_table *t, int owner, const char *name, size_t length) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ ((uint64_t)(uint32_t)owner * UINT64_C(0x9e3779b97f4a7c15));
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ (hash >> 32)) & (t->size - 1);
}

int names_find(const name_table *t, int owner, const char *name, size_t length) {
    if (!t->size) return -1;
    for (size_t i = place_of(t, owner, name, length); t->entries[i].name; i = (i + 1) & (t->size - 1)) {
        const name_entry *e = &t->entries[i];
        if (e->owner == owner && !strncmp(e->name, name, length) && !e->name[length]) return e->value;
    }
    return -1;
}

static void put(name_table *t, name_entry entry) {
    size_t i = place_of(t, entry.owner, entry.name, strlen(entry.name));
    while (t->entries[i].name) i = (i + 1) & (t->size - 1);
    t->entries[i] = entry;
    t->count++;
}

bool names_add(zn_context *context, name_table *t, int owner, const char *name, int value) {
    if (2 * (t->count + 1) > t->size) {
        name_table larger = {.size = t->size ? 2 * t->size : 64};
        if (!(larger.entries = MEM_ARRAY(context, name_entry, larger.size))) return false;
        for (size_t i = 0; i < t->size; i++)
            if (t->entries[i].name) put(&larger, t->entries[i]);
        mem_free(context, t->entries);
        *t = larger;
    }
    put(t, (name_entry){name, owner, value});
    return true;
}

/* The remaining entries are inserted again, as those behind a gap would not be found. In order from the first empty place on, each
 * lands where it was or earlier. */
void names_drop(name_table *t, int value) {
    size_t begin = 0;
    if (!t->size) return;
    for (size_t i = 0; i < t->size; i++)
        if (t->entries[i].name && t->entries[i].value >= value) t->entries[i].owner = -1, t->entries[i].value = -1, t->count--;
    while (t->entries[begin].name) begin++;
    for (size_t k = 1; k < t->size; k++) {
        name_entry *e = &t->entries[(begin + k) & (t->size - 1)], kept = *e;
        if (!kept.name) continue;
        e->name = NULL;
        if (kept.value < 0) continue;
        t->count--;
        put(t, kept);
    }
}

void names_free(zn_context *context, name_table *t) {
    mem_free(context, t->entries);
    *t = (name_table){0};
}
