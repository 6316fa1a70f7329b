/* SPDX-License-Identifier: Apache-2.0 */
#include "collide/tree.h"

typedef struct tree_node {
    box3 box;
    int parent, child[2]; /* child[0] < 0: a leaf */
    int leaf;             /* its box */
} tree_node;

/* Middles are copied beside their boxes' numbers while the tree is built: halves are then made in one stretch of memory. */
typedef struct item {
    double middle[3];
    int of;
} item;

static bool comes_first(const item *a, const item *b, int axis) {
    return a->middle[axis] != b->middle[axis] ? a->middle[axis] < b->middle[axis] : a->of < b->of;
}

/* Puts the smallest `half` of list[0..n) first (quickselect; the order is total, so the halves depend on nothing else). */
static void select_half(item *list, int n, int half, int axis) {
    int lo = 0, hi = n - 1;
    while (lo < hi) {
        item pivot = list[lo + (hi - lo) / 2];
        int i = lo, j = hi;
        while (i <= j) {
            while (i < hi && comes_first(&list[i], &pivot, axis)) i++;
            while (j > lo && comes_first(&pivot, &list[j], axis)) j--;
            if (i > j) break;
            item t = list[i];
            list[i++] = list[j];
            list[j--] = t;
        }
        if (half <= j) hi = j;
        else if (half >= i) lo = i;
        else return;
    }
}

static int widest_axis(const item *list, int n) {
    double lo[3], hi[3];
    for (int k = 0; k < 3; k++) lo[k] = hi[k] = list[0].middle[k];
    for (int i = 1; i < n; i++)
        for (int k = 0; k < 3; k++) {
            lo[k] = smaller(list[i].middle[k], lo[k]);
            hi[k] = larger(list[i].middle[k], hi[k]);
        }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (hi[k] - lo[k] > hi[axis] - lo[axis]) axis = k;
    return axis;
}

static int build(tree *T, item *list, int n, int parent) {
    int at = T->n_nodes++;
    tree_node *t = &T->node[at];
    t->parent = parent;
    t->child[0] = t->child[1] = -1;
    if (n == 1) {
        t->leaf = list[0].of;
        t->box = T->box[list[0].of];
        T->leaf[list[0].of] = at;
        return at;
    }
    t->leaf = -1;
    select_half(list, n, n / 2, widest_axis(list, n));
    t->child[0] = build(T, list, n / 2, at);
    t->child[1] = build(T, list + n / 2, n - n / 2, at);
    t->box = box_union(&T->node[t->child[0]].box, &T->node[t->child[1]].box);
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
    item *items = MEM_ARRAY(context, item, n);
    if (!items) return ZN_ERROR_MEMORY;
    T->box = box;
    T->n_nodes = 0;
    for (int i = 0; i < count; i++) T->leaf[i] = -1;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) items[i].middle[k] = box[list[i]].lo[k] + box[list[i]].hi[k];
        items[i].of = list[i];
    }
    if (n > 0) build(T, items, n, -1);
    for (int i = 0; i < n; i++) list[i] = items[i].of;
    mem_free(context, items);
    return ZN_OK;
}

void tree_widen(tree *T, int of) {
    int at = T->leaf[of];
    T->node[at].box = T->box[of];
    for (int up = T->node[at].parent; up >= 0; up = T->node[up].parent) {
        if (box_inside(&T->box[of], &T->node[up].box)) return;
        T->node[up].box = box_union(&T->node[up].box, &T->box[of]);
    }
}

void tree_free(zn_context *context, tree *T) {
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
        if (t->child[0] < 0) return t->leaf;
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
    p->stack[p->n++][1] = b;
}

bool tree_pairs_next(tree_pairs *p, int *a, int *b) {
    const tree_node *node = p->of->node;
    while (p->n > 0) {
        const int *top = p->stack[--p->n];
        int i = top[0], j = top[1];
        const tree_node *x = &node[i], *y = &node[j];
        if (i == j) {
            if (x->child[0] < 0) continue;
            push(p, x->child[0], x->child[1]);
            push(p, x->child[1], x->child[1]);
            push(p, x->child[0], x->child[0]);
            continue;
        }
        if (!boxes_meet(&x->box, &y->box)) continue;
        if (x->child[0] < 0 && y->child[0] < 0) {
            *a = x->leaf, *b = y->leaf;
            return true;
        }
        bool split_x = y->child[0] < 0 ||
                       (x->child[0] >= 0 && x->box.hi[0] - x->box.lo[0] + x->box.hi[1] - x->box.lo[1] + x->box.hi[2] - x->box.lo[2] >
                                                y->box.hi[0] - y->box.lo[0] + y->box.hi[1] - y->box.lo[1] + y->box.hi[2] - y->box.lo[2]);
        for (int k = 1; k >= 0; k--) push(p, split_x ? x->child[k] : i, split_x ? j : y->child[k]);
    }
    return false;
}
