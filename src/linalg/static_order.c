/* SPDX-License-Identifier: Apache-2.0 */
/* The order of pivots of a matrix with a structure like that of bodies (rows with a diagonal) and constraints (rows without). A constraint
 * is eliminated together with a body that its force acts on, after all rows of it: then its pivot is c' M^-1 w of this body at least, and
 * not zero. Each body takes as many constraints as it has rows, of one joint only (constraints on the same bodies): what another joint
 * holds of it may be what the first one holds already, and its pivot zero, as where a loop is closed.
 *
 * The row with fewest neighbours comes next, constraints not before their body, and those of a body in their own order: the same constraint
 * in the stages of a scheme has pivots (A A)_ii, of which the second of radau-2a:2 is zero where it comes first. Where that would take
 * long, since much fills up, bodies with their constraints are ordered as a whole by approximate minimum degree (AMD). */
#include "linalg/static_lu.h"

#include <amd.h>
#include <stdlib.h>

typedef struct grouping {
    zn_context *context;
    const zn_pattern *p;
    int n, n_groups;
    bool *diagonal;
    int *group;        /* per row */
    int *size, *taken; /* per group: rows with a diagonal; constraints */
    int *first;        /* per group: the constraint that it took first */
} grouping;

/* Whether column i acts on no other groups than column j. */
static bool acts_within(const grouping *g, int i, int j) {
    for (int e = g->p->start[i]; e < g->p->start[i + 1]; e++) {
        bool found = !g->diagonal[g->p->index[e]];
        for (int f = g->p->start[j]; f < g->p->start[j + 1] && !found; f++)
            found = g->diagonal[g->p->index[f]] && g->group[g->p->index[f]] == g->group[g->p->index[e]];
        if (!found) return false;
    }
    return true;
}

/* Of the groups that column j acts on the smallest one that has room, of equal ones that with most room. -1: none. */
static int find_body(const grouping *g, int j) {
    int best = -1;
    for (int e = g->p->start[j]; e < g->p->start[j + 1]; e++) {
        int i = g->p->index[e];
        if (!g->diagonal[i]) continue;
        int c = g->group[i], room = g->size[c] - g->taken[c];
        if (room <= 0 || c == best) continue;
        if (g->taken[c] && !(acts_within(g, j, g->first[c]) && acts_within(g, g->first[c], j))) continue;
        if (best < 0 || g->size[c] < g->size[best] || (g->size[c] == g->size[best] && room > g->size[best] - g->taken[best])) best = c;
    }
    return best;
}

static void make_groups(grouping *g, const int *body) {
    int n = g->n, *number = g->taken; /* not in use yet */
    for (int j = 0; j < n; j++)
        for (int e = g->p->start[j]; e < g->p->start[j + 1]; e++)
            if (g->p->index[e] == j) g->diagonal[j] = true;
    for (int k = 0; k < n; k++) number[k] = -1;
    for (int k = 0; k < n; k++) {
        int b = body ? body[k] : -1;
        if (!g->diagonal[k]) continue;
        if (b >= 0 && number[b] < 0) number[b] = g->n_groups++;
        g->group[k] = b >= 0 ? number[b] : g->n_groups++;
        g->size[g->group[k]]++;
    }
    for (int k = 0; k < n; k++) g->taken[k] = 0;
    for (int j = 0; j < n; j++) {
        if (g->diagonal[j]) continue;
        int c = find_body(g, j);
        if (c >= 0 && g->taken[c]++ == 0) g->first[c] = j;
        g->group[j] = c >= 0 ? c : g->n_groups++;
    }
}

/* Which groups are coupled, by columns, without doubles. false: memory is out. */
static bool couple(const grouping *g, int *start, int **index) {
    int *member_start = MEM_ARRAY(g->context, int, g->n_groups + 2), *member = MEM_ARRAY(g->context, int, g->n);
    int *seen = MEM_ARRAY(g->context, int, g->n_groups), count = 0;
    *index = MEM_ARRAY(g->context, int, lin_nnz(g->p));
    bool good = member_start && member && seen && *index;
    for (int k = 0; good && k < g->n; k++) member_start[g->group[k] + 2]++;
    for (int c = 0; good && c < g->n_groups; c++) member_start[c + 2] += member_start[c + 1];
    for (int k = 0; good && k < g->n; k++) member[member_start[g->group[k] + 1]++] = k;
    for (int c = 0; good && c < g->n_groups; start[++c] = count)
        for (int m = member_start[c]; m < member_start[c + 1]; m++)
            for (int e = g->p->start[member[m]]; e < g->p->start[member[m] + 1]; e++) {
                int other = g->group[g->p->index[e]];
                if (seen[other] == c + 1) continue;
                seen[other] = c + 1;
                (*index)[count++] = other;
            }
    mem_free(g->context, member_start);
    mem_free(g->context, member);
    mem_free(g->context, seen);
    return good;
}

/* Rows of the groups in their order: first those with a diagonal; constraints that no body took come last of all. */
static void expand(const grouping *g, const int *by_degree, int *position, int *order) {
    int next = 0, *begin = position;
    for (int c = 0; c < g->n_groups; c++) {
        int group = by_degree[c];
        begin[group] = next;
        if (g->size[group] > 0) next += g->size[group] + g->taken[group];
    }
    for (int c = 0; c < g->n_groups; c++)
        if (g->size[c] == 0) begin[c] = next++;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < g->n; k++)
            if (g->diagonal[k] == (pass == 0)) order[begin[g->group[k]]++] = k;
}

/* ---- row by row ---- */

/* Of merged lists: rather more than a matrix has that a static LU is made for. */
static const double most_work = 3e7;

typedef struct degrees {
    int **list, *count; /* neighbours that are left, ascending */
    size_t *room;
    int *merged;       /* memory for one list */
    int *waiting;      /* per group, rows with a diagonal that are left */
    int *head, *next;  /* constraints of a group */
    int *heap, *where; /* rows that may come next: fewest neighbours first, of equal ones the first; where - 1: place in the heap */
    int n_heap;
    bool *done;
    double work;
} degrees;

static bool comes_before(const degrees *d, int a, int b) { return d->count[a] != d->count[b] ? d->count[a] < d->count[b] : a < b; }

static void put(degrees *d, int place, int row) {
    d->heap[place] = row;
    d->where[row] = place + 1;
}

/* To where it belongs, from a place that is free. */
static void sift(degrees *d, int place, int row) {
    for (; place > 0 && comes_before(d, row, d->heap[(place - 1) / 2]); place = (place - 1) / 2) put(d, place, d->heap[(place - 1) / 2]);
    for (int child; (child = 2 * place + 1) < d->n_heap; place = child) {
        if (child + 1 < d->n_heap && comes_before(d, d->heap[child + 1], d->heap[child])) child++;
        if (!comes_before(d, d->heap[child], row)) break;
        put(d, place, d->heap[child]);
    }
    put(d, place, row);
}

static void add_candidate(degrees *d, int row) {
    d->n_heap++;
    sift(d, d->n_heap - 1, row);
}

static int take_candidate(degrees *d) {
    int first = d->heap[0], last = d->heap[--d->n_heap];
    if (d->n_heap > 0) sift(d, 0, last);
    return first;
}

/* The neighbours of k become neighbours of j; k is gone. */
static bool merge(zn_context *context, degrees *d, int j, int k) {
    const int *a = d->list[j], *b = d->list[k], *end_a = a + d->count[j], *end_b = b + d->count[k];
    int count = 0;
    while (a < end_a || b < end_b) {
        int row = b == end_b || (a < end_a && *a < *b) ? *a : *b;
        if (a < end_a && *a == row) a++;
        if (b < end_b && *b == row) b++;
        if (row != j && row != k) d->merged[count++] = row;
    }
    if (!mem_grow(context, (void **)&d->list[j], &d->room[j], (size_t)count, sizeof(int))) return false;
    if (count > 0) memcpy(d->list[j], d->merged, (size_t)count * sizeof(int));
    d->work += d->count[j] + d->count[k];
    d->count[j] = count;
    return true;
}

static bool eliminate(const grouping *g, degrees *d, int k) {
    d->done[k] = true;
    int next = g->diagonal[k] ? (--d->waiting[g->group[k]] == 0 ? d->head[g->group[k]] : 0) : g->size[g->group[k]] > 0 ? d->next[k] : 0;
    if (next > 0) add_candidate(d, next - 1);
    for (int i = 0; i < d->count[k]; i++) {
        int j = d->list[k][i];
        if (!merge(g->context, d, j, k)) return false;
        if (d->where[j]) sift(d, d->where[j] - 1, j);
    }
    return true;
}

static bool add_neighbour(zn_context *context, degrees *d, int j, int i) {
    if (!mem_grow(context, (void **)&d->list[j], &d->room[j], (size_t)d->count[j] + 1, sizeof(int))) return false;
    d->list[j][d->count[j]++] = i;
    return true;
}

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Of A + A'. */
static bool list_neighbours(const grouping *g, degrees *d) {
    for (int j = 0; j < g->n; j++)
        for (int e = g->p->start[j]; e < g->p->start[j + 1]; e++) {
            int i = g->p->index[e];
            if (i != j && !(add_neighbour(g->context, d, j, i) && add_neighbour(g->context, d, i, j))) return false;
        }
    for (int j = 0; j < g->n; j++) {
        int count = 0, *list = d->list[j];
        if (d->count[j] > 0) qsort(list, (size_t)d->count[j], sizeof *list, by_value);
        for (int e = 0; e < d->count[j]; e++)
            if (e == 0 || list[e] != list[e - 1]) d->merged[count++] = list[e];
        if (count > 0) memcpy(list, d->merged, (size_t)count * sizeof *list);
        d->count[j] = count;
    }
    return true;
}

/* *done: false where it would take too long. */
static bool choose_rows(const grouping *g, degrees *d, int *order, bool *done) {
    if (!list_neighbours(g, d)) return false;
    for (int c = 0; c < g->n_groups; c++) d->waiting[c] = g->size[c] ? g->size[c] : g->n; /* without a body: last of all */
    for (int k = g->n - 1; k >= 0; k--) {
        int c = g->group[k];
        if (!g->diagonal[k]) d->next[k] = d->head[c], d->head[c] = k + 1;
    }
    for (int k = 0; k < g->n; k++)
        if (g->diagonal[k]) add_candidate(d, k);
    for (int next = 0, left = 0; next < g->n; next++) {
        while (left < g->n && d->done[left]) left++;
        order[next] = d->n_heap > 0 ? take_candidate(d) : left;
        if (!eliminate(g, d, order[next])) return false;
        *done = d->work <= most_work;
        if (!*done) return true;
    }
    *done = true;
    return true;
}

static zn_status order_rows(const grouping *g, int *order, bool *done) {
    zn_context *context = g->context;
    degrees d = {.list = MEM_ARRAY(context, int *, g->n)};
    d.count = MEM_ARRAY(context, int, g->n);
    d.room = MEM_ARRAY(context, size_t, g->n);
    d.merged = MEM_ARRAY(context, int, g->n);
    d.waiting = MEM_ARRAY(context, int, g->n_groups);
    d.head = MEM_ARRAY(context, int, g->n_groups);
    d.next = MEM_ARRAY(context, int, g->n);
    d.heap = MEM_ARRAY(context, int, g->n);
    d.where = MEM_ARRAY(context, int, g->n);
    d.done = MEM_ARRAY(context, bool, g->n);
    bool good = d.list && d.count && d.room && d.merged && d.waiting && d.head && d.next && d.heap && d.where && d.done &&
                choose_rows(g, &d, order, done);
    for (int k = 0; d.list && k < g->n; k++) mem_free(context, d.list[k]);
    void *blocks[] = {d.list, d.count, d.room, d.merged, d.waiting, d.head, d.next, d.heap, d.where, d.done};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    return good ? ZN_OK : ZN_ERROR_MEMORY;
}

/* ---- body by body ---- */

static zn_status order_groups(const grouping *g, int *order) {
    zn_context *context = g->context;
    int *start = MEM_ARRAY(context, int, g->n + 1), *by_degree = MEM_ARRAY(context, int, g->n), *position = MEM_ARRAY(context, int, g->n);
    int *index = NULL;
    bool good = start && by_degree && position && couple(g, start, &index);
    if (good && g->n_groups > 0 && amd_order(g->n_groups, start, index, by_degree, NULL, NULL) < AMD_OK) {
        fail(context, ZN_ERROR_MEMORY, "no memory to order a sparse matrix of %d rows", g->n);
        good = false;
    }
    if (good) expand(g, by_degree, position, order);
    void *blocks[] = {start, by_degree, position, index};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    return good ? ZN_OK : ZN_ERROR_MEMORY;
}

zn_status lin_static_order(zn_context *context, const zn_pattern *p, const int *body, int *order) {
    grouping g = {.context = context, .p = p, .n = p->cols};
    g.diagonal = MEM_ARRAY(context, bool, g.n);
    g.group = MEM_ARRAY(context, int, g.n);
    g.size = MEM_ARRAY(context, int, g.n);
    g.taken = MEM_ARRAY(context, int, g.n);
    g.first = MEM_ARRAY(context, int, g.n);
    zn_status status = g.diagonal && g.group && g.size && g.taken && g.first ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        bool done = false;
        make_groups(&g, body);
        status = order_rows(&g, order, &done);
        if (status == ZN_OK && !done) status = order_groups(&g, order);
    }
    void *blocks[] = {g.diagonal, g.group, g.size, g.taken, g.first};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    return status;
}
