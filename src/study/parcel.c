/* SPDX-License-Identifier: Apache-2.0 */
/* A row: its numbers; number of its events and length of its message; events; message. */
#include "study/parcel.h"

#include <stdlib.h>

typedef struct parcel_head {
    uint64_t events, message;
} parcel_head;

bool study_parcel_grow(study_parcel *p, size_t size) {
    if (size <= p->room) return true;
    size_t room = p->room < 256 ? 256 : p->room;
    while (room < size) room *= 2;
    unsigned char *bytes = realloc(p->bytes, room);
    if (!bytes) return false;
    p->bytes = bytes, p->room = room;
    return true;
}

void study_parcel_free(study_parcel *p) {
    free(p->bytes);
    *p = (study_parcel){0};
}

static void put(study_parcel *p, const void *bytes, size_t size) {
    if (size > 0) memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
}

bool study_parcel_add(study_parcel *p, const study_shared *s, const study_row *row) {
    size_t numbers = (size_t)study_row_width(s) * sizeof(double),
           events = row->events.count * (2 + (size_t)s->keep.n_values) * sizeof(double), message = strlen(row->message);
    if (!study_parcel_grow(p, p->size + numbers + sizeof(parcel_head) + events + message)) return false;
    put(p, row->numbers, numbers);
    put(p, &(parcel_head){row->events.count, message}, sizeof(parcel_head));
    put(p, row->events.entries, events);
    put(p, row->message, message);
    return true;
}

typedef struct reading {
    const study_parcel *from;
    size_t at;
    bool missing;
} reading;

static const void *get(reading *r, size_t size) {
    r->missing = r->missing || size > r->from->size - r->at;
    if (r->missing) return NULL;
    const void *bytes = r->from->bytes + r->at;
    r->at += size;
    return bytes;
}

/* Numbers go through memory of their own: bytes of a parcel are not aligned. */
zn_status study_parcel_write(const study_parcel *p, size_t from, long count, const study_shared *s, study_table *t) {
    size_t numbers = (size_t)study_row_width(s) * sizeof(double), entry = (2 + (size_t)s->keep.n_values) * sizeof(double);
    study_row row = {.numbers = mem_array(t->context, numbers, 1), .events.memory = t->context};
    reading r = {.from = p, .at = from, .missing = from > p->size};
    zn_status status = row.numbers ? ZN_OK : ZN_ERROR_MEMORY;
    for (long i = 0; i < count && status == ZN_OK; i++) {
        parcel_head head = {0};
        const void *own = get(&r, numbers), *counts = get(&r, sizeof head);
        if (own) memcpy(row.numbers, own, numbers);
        if (counts) memcpy(&head, counts, sizeof head);
        r.missing = r.missing || head.events > p->size / entry || head.message >= sizeof row.message;
        const void *events = r.missing ? NULL : get(&r, (size_t)head.events * entry), *message = get(&r, (size_t)head.message);
        if (r.missing) status = fail(t->context, ZN_ERROR_INTERNAL, "rows of a worker are not complete");
        else if (!mem_grow(t->context, (void **)&row.events.entries, &row.events.room, (size_t)head.events * entry / sizeof(double) + 1,
                           sizeof(double)))
            status = ZN_ERROR_MEMORY;
        if (status != ZN_OK) break;
        if (head.events) memcpy(row.events.entries, events, (size_t)head.events * entry);
        memcpy(row.message, message, (size_t)head.message);
        row.message[head.message] = '\0';
        row.events.count = (size_t)head.events;
        status = study_table_row(t, &row);
    }
    mem_free(t->context, row.events.entries);
    mem_free(t->context, row.numbers);
    return status;
}
