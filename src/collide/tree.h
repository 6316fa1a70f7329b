/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes in a binary tree, built in O(n) along a curve that fills space. A box that changes widens its ancestors. */
#ifndef COLLIDE_TREE_H
#define COLLIDE_TREE_H

#include "linalg/linalg.h"

typedef struct box3 {
    double lo[3], hi[3];
} box3;

/* Without branches, which could not be predicted. */
static inline bool boxes_meet(const box3 *a, const box3 *b) {
    int apart = 0;
    for (int k = 0; k < 3; k++) apart |= !(a->lo[k] <= b->hi[k]) | !(b->lo[k] <= a->hi[k]);
    return !apart;
}

static inline box3 box_union(const box3 *a, const box3 *b) {
    box3 c;
    for (int k = 0; k < 3; k++) {
        c.lo[k] = smaller(a->lo[k], b->lo[k]);
        c.hi[k] = larger(a->hi[k], b->hi[k]);
    }
    return c;
}

static inline bool box_inside(const box3 *a, const box3 *b) {
    for (int k = 0; k < 3; k++)
        if (!(a->lo[k] >= b->lo[k] && a->hi[k] <= b->hi[k])) return false;
    return true;
}

typedef struct tree {
    const box3 *box; /* of the leaves, owned by others */
    struct tree_node *node;
    struct tree_item *items; /* to build it with; kept for the next time */
    int n_nodes, room;
    int *leaf; /* node of a box, -1: not in the tree */
} tree;

/* Of the boxes list[0..n) among `count`; list is put into the order of the leaves, in which near boxes are near. */
zn_status tree_build(zn_context *, tree *, int count, const box3 *, int *list, int n);
void tree_trim(zn_context *, tree *); /* what only building needs */
void tree_widen(tree *, int box);
void tree_free(zn_context *, tree *);

/* All boxes that meet one: tree_next gives them one by one, then -1. */
enum { TREE_DEPTH = 128 };
typedef struct tree_walk {
    const tree *of;
    box3 box;
    int n, stack[TREE_DEPTH];
} tree_walk;
tree_walk tree_begin(const tree *, const box3 *);
int tree_next(tree_walk *);

/* All pairs of boxes that meet, each once; false at the end. Faster than asking for each box when most are wanted. */
typedef struct tree_pairs {
    const tree *of;
    int n, stack[4 * TREE_DEPTH][2];
} tree_pairs;
tree_pairs tree_pairs_begin(const tree *);
bool tree_pairs_next(tree_pairs *, int *a, int *b);

#endif
