/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a tape. A step is ready when its operands are computed; the operation with the most
 * ready steps goes next, and continues until none of its kind is ready. So a tape rarely switches operations, and most
 * consecutive steps are independent. */
#include "expr/tape.h"

typedef struct scheduler {
    const tape_step *steps;
    int first;             /* step of the section; the arrays below count from it */
    int *missing;          /* operands that are not computed yet */
    int *users, *next_use; /* list of edges per step: edge 3 i + j leads to step i */
    int *next_ready;       /* queues of ready steps, one per operation */
    int head[TAPE_OPS], tail[TAPE_OPS], ready[TAPE_OPS];
} scheduler;

static void make_ready(scheduler *s, int step) {
    int op = s->steps[s->first + step].op;
    s->next_ready[step] = -1;
    if (s->ready[op]++ == 0) s->head[op] = step;
    else s->next_ready[s->tail[op]] = step;
    s->tail[op] = step;
}

static int take(scheduler *s, int op) {
    int step = s->head[op];
    s->head[op] = s->next_ready[step];
    s->ready[op]--;
    return step;
}

/* producer[node] is the step in this section that computes it, + 1. */
static void find_edges(scheduler *s, int count, const int *producer) {
    for (int i = 0; i < count; i++) s->users[i] = -1;
    for (int i = 0; i < count; i++) {
        const tape_step *step = &s->steps[s->first + i];
        const int32_t operands[3] = {step->a, step->b, step->c};
        s->missing[i] = 0;
        for (int j = 0; j < 3; j++) {
            int from = producer[operands[j]] - 1;
            if (from < 0) continue;
            s->missing[i]++;
            s->next_use[3 * i + j] = s->users[from];
            s->users[from] = 3 * i + j;
        }
    }
    for (int i = 0; i < count; i++)
        if (s->missing[i] == 0) make_ready(s, i);
}

static void order_section(scheduler *s, int count, tape_step *out) {
    int op = 0;
    for (int done = 0; done < count; done++) {
        if (s->ready[op] == 0)
            for (int other = 0; other < TAPE_OPS; other++)
                if (s->ready[other] > s->ready[op]) op = other;
        int step = take(s, op);
        out[done] = s->steps[s->first + step];
        for (int edge = s->users[step]; edge >= 0; edge = s->next_use[edge])
            if (--s->missing[edge / 3] == 0) make_ready(s, edge / 3);
    }
}

bool expr_schedule(zn_context *context, tape_step *steps, int n_sections, const int *code_end, size_t n_nodes) {
    int longest = 0;
    for (int k = 0, start = 0; k < n_sections; start = code_end[k++])
        if (code_end[k] - start > longest) longest = code_end[k] - start;
    scheduler s = {.steps = steps};
    int *producer = MEM_ARRAY(context, int, n_nodes);
    tape_step *ordered = MEM_ARRAY(context, tape_step, longest);
    s.missing = MEM_ARRAY(context, int, longest);
    s.users = MEM_ARRAY(context, int, longest);
    s.next_use = MEM_ARRAY(context, int, 3 * (size_t)longest);
    s.next_ready = MEM_ARRAY(context, int, longest);
    bool good = producer && ordered && s.missing && s.users && s.next_use && s.next_ready;
    for (int k = 0; k < n_sections && good; k++) {
        int count = code_end[k] - s.first;
        for (int i = 0; i < count; i++) producer[steps[s.first + i].to] = i + 1;
        find_edges(&s, count, producer);
        order_section(&s, count, ordered);
        for (int i = 0; i < count; i++) {
            steps[s.first + i] = ordered[i];
            producer[ordered[i].to] = 0; /* later sections find it computed */
        }
        s.first = code_end[k];
    }
    mem_free(context, producer);
    mem_free(context, ordered);
    mem_free(context, s.missing);
    mem_free(context, s.users);
    mem_free(context, s.next_use);
    mem_free(context, s.next_ready);
    return good;
}
