/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies that a piece depends on. A section depends on its carriers, so several bodies of a piece may share a holder. */
#include "model/parts/builder.h"

void parts_stand_free(zn_context *context, parts_stand *s) {
    mem_free(context, s->holders);
    mem_free(context, s->layout);
    mem_free(context, s->numbers);
    *s = (parts_stand){0};
}

static int find_holder(parts_stand *s, int body) {
    for (int i = 0; i < s->n_holders; i++)
        if (s->holders[i] == body) return i;
    s->holders[s->n_holders] = body;
    return s->n_holders++;
}

/* The bodies whose coordinates give the pose of a body: itself, its carriers, or none. */
static int carriers_of(const zn_parts *parts, const int *body, const int **carriers) {
    const parts_body *b = &parts->bodies[*body];
    *carriers = body_is_section(b->kind) ? b->carriers : body;
    return body_is_section(b->kind) ? b->n_carriers : body_is_held(b->kind);
}

static void put_numbers(parts_stand *s, const parts_body *b) {
    for (int i = 0; i < b->n_numbers; i++) s->numbers[s->n_numbers++] = b->numbers[i];
}

static bool take_memory(zn_parts *parts, int n_bodies, const int *bodies, parts_stand *s) {
    size_t most = 0, numbers = 0;
    for (int i = 0; i < n_bodies; i++) {
        const int *carriers;
        int count = carriers_of(parts, &bodies[i], &carriers);
        most += (size_t)count;
        numbers += (size_t)parts->bodies[bodies[i]].n_numbers;
        for (int c = 0; c < count; c++) numbers += (size_t)parts->bodies[carriers[c]].n_numbers;
    }
    s->holders = MEM_ARRAY(parts->context, int, most);
    s->numbers = MEM_ARRAY(parts->context, double, numbers);
    s->layout = MEM_ARRAY(parts->context, int, 2 + 3 * most + 3 * (size_t)n_bodies);
    return s->holders && s->numbers && s->layout;
}

zn_status parts_stand_make(zn_parts *parts, int n_bodies, const int *bodies, parts_stand *s) {
    *s = (parts_stand){0};
    if (!take_memory(parts, n_bodies, bodies, s)) {
        parts_stand_free(parts->context, s);
        return ZN_ERROR_MEMORY;
    }
    const int *carriers;
    for (int i = 0; i < n_bodies; i++)
        for (int c = 0, count = carriers_of(parts, &bodies[i], &carriers); c < count; c++) find_holder(s, carriers[c]);
    int *next = s->layout;
    *next++ = s->n_holders;
    for (int h = 0; h < s->n_holders; h++) {
        const parts_body *b = &parts->bodies[s->holders[h]];
        *next++ = (int)b->kind, *next++ = b->n_numbers;
        put_numbers(s, b);
    }
    *next++ = n_bodies;
    for (int i = 0; i < n_bodies; i++) {
        const parts_body *b = &parts->bodies[bodies[i]];
        bool section = body_is_section(b->kind);
        int count = carriers_of(parts, &bodies[i], &carriers);
        *next++ = (int)b->kind, *next++ = section ? b->n_numbers : 0, *next++ = count;
        for (int c = 0; c < count; c++) *next++ = find_holder(s, carriers[c]);
        if (section) put_numbers(s, b);
    }
    s->n_layout = (int)(next - s->layout);
    return ZN_OK;
}
