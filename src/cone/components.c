/* SPDX-License-Identifier: Apache-2.0 */
/* The square part of A by its connected components: for s stages each multiplier has a component of s rows, so its inverse is
 * many tiny ones, and a component whose multipliers all vanish can be left out of the linear algebra. */
#include "cone/solver.h"

static int find_root(int *parent, int k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

zn_status cone_find_components(cone_solver *s) {
    const cone_problem *p = s->p;
    int ny = p->ny, *root = s->component_of, n = 0;
    for (int k = 0; k < ny; k++) root[k] = k;
    for (int j = 0; j < ny && p->A.start; j++)
        for (int e = p->A.start[j]; e < p->A.start[j + 1]; e++)
            if (p->A.index[e] < ny) root[find_root(root, p->A.index[e])] = find_root(root, j);
    for (int k = 0; k < ny; k++) root[k] = find_root(root, k);
    int *number = s->active;     /* of the component of a root */
    for (int k = 0; k < ny; k++) /* rows of a component in ascending order, components by their root */
        if (root[k] == k) number[k] = n++;
    s->n_components = n;
    memset(s->component_start, 0, (size_t)(n + 1) * sizeof(int));
    for (int k = 0; k < ny; k++) s->component_start[number[root[k]] + 1]++;
    for (int c = 0; c < n; c++) s->component_start[c + 1] += s->component_start[c];
    for (int k = ny - 1; k >= 0; k--) s->component_rows[--s->component_start[number[root[k]] + 1]] = k;
    for (int c = 0; c < n; c++) s->component_start[c] = s->component_start[c + 1];
    s->component_start[n] = ny;
    return ZN_OK;
}

size_t cone_component_entries(const cone_solver *s) {
    size_t sum = 0;
    for (int c = 0; c < s->n_components; c++) {
        size_t n = (size_t)(s->component_start[c + 1] - s->component_start[c]);
        sum += n * n;
    }
    return sum;
}

bool cone_factor_A(cone_solver *s) {
    const cone_problem *p = s->p;
    if (!p->A.start) return true;
    double *lu = s->A_lu;
    for (int c = 0; c < s->n_components; c++) {
        const int *rows = s->component_rows + s->component_start[c];
        int n = s->component_start[c + 1] - s->component_start[c];
        memset(lu, 0, (size_t)n * (size_t)n * sizeof *lu);
        for (int j = 0; j < n; j++)
            for (int e = p->A.start[rows[j]]; e < p->A.start[rows[j] + 1]; e++)
                for (int i = 0; i < n; i++)
                    if (p->A.index[e] == rows[i]) lu[i + n * j] = p->A_values[e];
        if (lin_dense_lu_factor(n, lu, s->A_pivot + s->component_start[c]) != 0) return false;
        lu += (size_t)n * (size_t)n;
    }
    return true;
}

void cone_solve_A(const cone_solver *s, const double *mu, double *y) {
    const cone_problem *p = s->p;
    double *lu = s->A_lu, *b = s->z;
    for (int c = 0; c < s->n_components; c++) {
        const int *rows = s->component_rows + s->component_start[c];
        int n = s->component_start[c + 1] - s->component_start[c];
        for (int i = 0; i < n; i++) b[i] = mu[rows[i]] - (p->mu_0 ? p->mu_0[rows[i]] : 0);
        if (p->A.start) lin_dense_lu_solve(n, lu, s->A_pivot + s->component_start[c], b, 1);
        for (int i = 0; i < n; i++) y[rows[i]] = b[i];
        lu += (size_t)n * (size_t)n;
    }
}
