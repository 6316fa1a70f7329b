/* SPDX-License-Identifier: Apache-2.0 */
#include "collide/tree.h"

#include <stdint.h>

/* As large as a line of the cache. */
typedef struct tree_node {
    box3 box;
    int parent, child[2]; /* child[0] < 0: a leaf; child[1]: its box then */
    float girth;          /* sum of the edges */
} tree_node;

static bool is_leaf(const tree_node *t) { return t->child[0] < 0; }

static void set_box(tree_node *t, const box3 *box) {
    t->box = *box;
    t->girth = (float)(box->hi[0] - box->lo[0] + box->hi[1] - box->lo[1] + box->hi[2] - box->lo[2]);
}

/* Boxes are put into the order of a curve that fills space: the binary digits of their middles' three coordinates, in turn, are one number
 * (Morton's). Those that agree in their first digits are near each other, so that a node is a stretch of the sorted list, cut where the
 * first digit differs. Sorting by digits and cutting cost O(n). */
typedef struct tree_item {
    uint64_t key;
    int of;
} item;

enum { CURVE_DIGITS = 21, RADIX = 256, FEW = 64 };

/* Two zeros between the digits of x. */
static uint64_t spread(uint64_t x) {
    x = (x | x << 32) & 0x1f00000000ffffULL;
    x = (x | x << 16) & 0x1f0000ff0000ffULL;
    x = (x | x << 8) & 0x100f00f00f00f00fULL;
    x = (x | x << 4) & 0x10c30c30c30c30c3ULL;
    return (x | x << 2) & 0x1249249249249249ULL;
}

static void number_items(const box3 *box, item *items, int n) {
    double lo[3] = {INFINITY, INFINITY, INFINITY}, wide = 0;
    for (int k = 0; k < 3; k++) {
        double hi = -INFINITY;
        for (int i = 0; i < n; i++) {
            double x = box[items[i].of].lo[k] + box[items[i].of].hi[k];
            lo[k] = smaller(x, lo[k]);
            hi = larger(x, hi);
        }
        wide = larger(hi - lo[k], wide);
    }
    const double most = (1 << CURVE_DIGITS) - 1;
    for (int i = 0; i < n; i++) {
        items[i].key = 0;
        for (int k = 0; k < 3; k++) {
            double x = most * ((box[items[i].of].lo[k] + box[items[i].of].hi[k] - lo[k]) / wide);
            items[i].key |= spread(x > 0 ? (uint64_t)(x < most ? x : most) : 0) << k;
        }
    }
}

/* By keys; items with the same key stay in their order. */
static void sort_few(item *list, int n) {
    for (int i = 1; i < n; i++) {
        item x = list[i];
        int j = i;
        for (; j > 0 && list[j - 1].key > x.key; j--) list[j] = list[j - 1];
        list[j] = x;
    }
}

/* Returns where the result is: in list or in other. */
static item *sort_items(item *list, item *other, int n) {
    if (n < FEW) return sort_few(list, n), list;
    for (int shift = 0; shift < 64; shift += 8) {
        int end[RADIX] = {0}, sum = 0;
        for (int i = 0; i < n; i++) end[list[i].key >> shift & (RADIX - 1)]++;
        if (end[list[0].key >> shift & (RADIX - 1)] == n) continue;
        for (int d = 0; d < RADIX; d++) {
            int count = end[d];
            end[d] = sum, sum += count;
        }
        for (int i = 0; i < n; i++) other[end[list[i].key >> shift & (RADIX - 1)]++] = list[i];
        item *swap = list;
        list = other, other = swap;
    }
    return list;
}

/* How many of a sorted list agree with the first one in the digit where first and last differ first. */
static int cut(const item *list, int n) {
    uint64_t differ = list[0].key ^ list[n - 1].key;
    if (differ == 0) return n / 2;
    while (differ & (differ - 1)) differ &= differ - 1; /* its highest digit */
    int lo = 1, hi = n - 1;
    while (lo < hi) {
        int middle = lo + (hi - lo) / 2;
        if (list[middle].key & differ) hi = middle;
        else lo = middle + 1;
    }
    return lo;
}

static int build(tree *T, const item *list, int n, int parent) {
    int at = T->n_nodes++;
    tree_node *t = &T->node[at];
    t->parent = parent;
    if (n == 1) {
        t->child[0] = -1, t->child[1] = list[0].of;
        set_box(t, &T->box[list[0].of]);
        T->leaf[list[0].of] = at;
        return at;
    }
    int first = cut(list, n);
    t->child[0] = build(T, list, first, at);
    t->child[1] = build(T, list + first, n - first, at);
    box3 both = box_union(&T->node[t->child[0]].box, &T->node[t->child[1]].box);
    set_box(t, &both);
    return at;
}

zn_status tree_build(zn_context *context, tree *T, int count, const box3 *box, int *list, int n) {
    if (T->room < count || !T->node) {
        tree_free(context, T);
        T->node = MEM_ARRAY(context, tree_node, (size_t)2 * (size_t)count);
        T->leaf = MEM_ARRAY(context, int, count);
        if (!T->node || !T->leaf) return ZN_ERROR_MEMORY;
        T->room = count;
    }
    if (!T->items && !(T->items = MEM_ARRAY(context, item, 2 * (size_t)T->room))) return ZN_ERROR_MEMORY;
    item *items = T->items;
    T->box = box;
    T->n_nodes = 0;
    for (int i = 0; i < count; i++) T->leaf[i] = -1;
    for (int i = 0; i < n; i++) items[i].of = list[i];
    number_items(box, items, n);
    const item *sorted = sort_items(items, items + n, n);
    if (n > 0) build(T, sorted, n, -1);
    for (int i = 0; i < n; i++) list[i] = sorted[i].of;
    return ZN_OK;
}

void tree_widen(tree *T, int of) {
    int at = T->leaf[of];
    set_box(&T->node[at], &T->box[of]);
    for (int up = T->node[at].parent; up >= 0; up = T->node[up].parent) {
        if (box_inside(&T->box[of], &T->node[up].box)) return;
        box3 both = box_union(&T->node[up].box, &T->box[of]);
        set_box(&T->node[up], &both);
    }
}

void tree_trim(zn_context *context, tree *T) {
    mem_free(context, T->items);
    T->items = NULL;
}

void tree_free(zn_context *context, tree *T) {
    tree_trim(context, T);
    mem_free(context, T->node);
    mem_free(context, T->leaf);
    *T = (tree){0};
}

tree_walk tree_begin(const tree *T, const box3 *box) {
    tree_walk walk = {.of = T, .box = *box};
    if (T->n_nodes > 0) walk.stack[walk.n++] = 0;
    return walk;
}

int tree_next(tree_walk *walk) {
    while (walk->n > 0) {
        const tree_node *t = &walk->of->node[walk->stack[--walk->n]];
        if (!boxes_meet(&t->box, &walk->box)) continue;
        if (is_leaf(t)) return t->child[1];
        walk->stack[walk->n++] = t->child[1];
        walk->stack[walk->n++] = t->child[0];
    }
    return -1;
}

/* A node with itself: its halves with themselves and with each other. Two nodes that meet: the larger one by its halves. */
tree_pairs tree_pairs_begin(const tree *T) {
    tree_pairs p = {.of = T};
    if (T->n_nodes > 1) p.stack[p.n][0] = p.stack[p.n][1] = 0, p.n++;
    return p;
}

static void push(tree_pairs *p, int a, int b) {
    p->stack[p->n][0] = a;
    p->stack[p->n][1] = b;
    p->n += a == b || boxes_meet(&p->of->node[a].box, &p->of->node[b].box); /* no branch: it could not be predicted */
}

bool tree_pairs_next(tree_pairs *p, int *a, int *b) {
    const tree_node *node = p->of->node;
    while (p->n > 0) {
        const int *top = p->stack[--p->n];
        int i = top[0], j = top[1];
        const tree_node *x = &node[i], *y = &node[j];
        if (i == j) {
            if (is_leaf(x)) continue;
            push(p, x->child[0], x->child[1]);
            push(p, x->child[1], x->child[1]);
            push(p, x->child[0], x->child[0]);
            continue;
        }
        if (is_leaf(x) && is_leaf(y)) {
            *a = x->child[1], *b = y->child[1];
            return true;
        }
        bool split_x = is_leaf(y) || (!is_leaf(x) && x->girth > y->girth);
        int other = split_x ? j : i;
        const int *child = split_x ? x->child : y->child;
        int first = child[0], second = child[1];
        push(p, second, other);
        push(p, first, other);
    }
    return false;
}
