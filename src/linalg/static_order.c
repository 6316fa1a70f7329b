/* SPDX-License-Identifier: Apache-2.0 */
/* The order of pivots of a matrix with a structure like that of bodies (rows with a diagonal) and constraints (rows without). A constraint is eliminated
 * together with a body that its force acts on, after all rows of it: then its pivot is c' M^-1 w of this body at least, and not zero. Each body takes as
 * many constraints as it has rows, of one joint only (constraints on the same bodies): what another joint holds of it may be what the first one holds
 * already, and its pivot zero, as where a loop is closed.
 *
 * Up to a few hundred rows: the row with fewest neighbours comes next, constraints not before their body. Beyond, bodies with their constraints are ordered
 * as a whole by approximate minimum degree (AMD), which costs less and leaves a little more fill. A tree costs in proportion to its length either way. */
#include "linalg/static_lu.h"

#include <amd.h>

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

enum { WORD = 64, MOST_ROWS = 1000 };

static int count_bits(const uint64_t *set, int words) {
    int count = 0;
    for (int w = 0; w < words; w++)
        for (uint64_t left = set[w]; left; left &= left - 1) count++;
    return count;
}

typedef struct degrees {
    int words;
    uint64_t *neighbours;  /* n sets of rows that are left */
    int *degree, *waiting; /* waiting: per group, rows with a diagonal that are left */
    bool *done;
} degrees;

static void eliminate(const grouping *g, degrees *d, int k) {
    uint64_t *own = d->neighbours + (size_t)k * (size_t)d->words;
    d->done[k] = true;
    if (g->diagonal[k]) d->waiting[g->group[k]]--;
    for (int j = 0; j < g->n; j++) {
        if (!(own[j / WORD] >> (j % WORD) & 1)) continue;
        uint64_t *other = d->neighbours + (size_t)j * (size_t)d->words;
        for (int w = 0; w < d->words; w++) other[w] |= own[w];
        other[k / WORD] &= ~(UINT64_C(1) << (k % WORD));
        other[j / WORD] &= ~(UINT64_C(1) << (j % WORD));
        d->degree[j] = count_bits(other, d->words);
    }
}

static zn_status order_rows(const grouping *g, int *order) {
    zn_context *context = g->context;
    degrees d = {.words = (g->n + WORD - 1) / WORD};
    d.neighbours = MEM_ARRAY(context, uint64_t, (size_t)g->n * (size_t)d.words);
    d.degree = MEM_ARRAY(context, int, g->n);
    d.waiting = MEM_ARRAY(context, int, g->n_groups);
    d.done = MEM_ARRAY(context, bool, g->n);
    bool good = d.neighbours && d.degree && d.waiting && d.done;
    for (int j = 0; good && j < g->n; j++)
        for (int e = g->p->start[j]; e < g->p->start[j + 1]; e++) {
            int i = g->p->index[e];
            if (i == j) continue;
            d.neighbours[(size_t)j * (size_t)d.words + (size_t)(i / WORD)] |= UINT64_C(1) << (i % WORD);
            d.neighbours[(size_t)i * (size_t)d.words + (size_t)(j / WORD)] |= UINT64_C(1) << (j % WORD);
        }
    for (int j = 0; good && j < g->n; j++) d.degree[j] = count_bits(d.neighbours + (size_t)j * (size_t)d.words, d.words);
    for (int c = 0; good && c < g->n_groups; c++) d.waiting[c] = g->size[c] ? g->size[c] : g->n; /* without a body: last of all */
    for (int next = 0; good && next < g->n; next++) {
        int best = -1, last = -1;
        for (int k = 0; k < g->n; k++) {
            if (d.done[k]) continue;
            if (last < 0) last = k;
            if ((g->diagonal[k] || d.waiting[g->group[k]] == 0) && (best < 0 || d.degree[k] < d.degree[best])) best = k;
        }
        order[next] = best >= 0 ? best : last;
        eliminate(g, &d, order[next]);
    }
    void *blocks[] = {d.neighbours, d.degree, d.waiting, d.done};
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
        make_groups(&g, body);
        status = g.n <= MOST_ROWS ? order_rows(&g, order) : order_groups(&g, order);
    }
    void *blocks[] = {g.diagonal, g.group, g.size, g.taken, g.first};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    return status;
}
