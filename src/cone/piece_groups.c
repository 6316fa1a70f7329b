/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts whose multipliers are coupled by mu = A y + mu_0: the stages of one contact. The unknowns of many/ are r = mu, and
 *
 *     y = A^-1 (r - mu_0),   d psi/d r = d psi/d y A^-1,   A^-1 of a group: one small matrix for each row of its contacts. */
#include "cone/pieces.h"

/* A group's contacts have as many rows each, and row j of one is coupled with the rows j of the others only. */
static bool takes_all(const cone_solver *s, const cone_pieces *k, const int *group, int n, const int *contact_of) {
    const zn_pattern *A = &s->p->A;
    for (int a = 0; a < n; a++) {
        const piece_contact *own = &k->contacts[group[a]], *first = &k->contacts[group[0]];
        if (own->dim != first->dim) return false;
        int touches = k->touch_start[group[a] + 1] - k->touch_start[group[a]];
        if (touches != k->touch_start[group[0] + 1] - k->touch_start[group[0]]) return false;
        for (int t = 0; t < touches; t++)
            if (k->touches[k->touch_start[group[a]] + t].cell != k->touches[k->touch_start[group[0]] + t].cell) return false;
        for (int j = 0; j < own->dim; j++)
            for (int e = A->start[own->y[j]]; e < A->start[own->y[j] + 1]; e++) {
                int other = contact_of[A->index[e]];
                if (other < 0 || k->group_of[other] != k->group_of[group[a]] || k->contacts[other].y[j] != A->index[e]) return false;
            }
    }
    return true;
}

/* Groups by the components of A of the normal rows. */
static bool list_groups(const cone_solver *s, cone_pieces *k, const int *contact_of) {
    k->n_groups = 0;
    for (int c = 0; c < k->n; c++) k->group_of[c] = -1;
    for (int c = 0; c < s->n_components; c++) {
        int first = k->group_start[k->n_groups], last = first;
        for (int e = s->component_start[c]; e < s->component_start[c + 1]; e++) {
            int row = s->component_rows[e], contact = contact_of[row];
            if (contact < 0) return false;
            if (k->contacts[contact].y[0] != row) continue;
            k->group_of[contact] = k->n_groups;
            k->contacts[contact].stage = last - first;
            k->grouped[last++] = contact;
        }
        if (last > first) k->group_start[++k->n_groups] = last;
    }
    size_t numbers = 0;
    for (int g = 0; g < k->n_groups; g++) {
        int n = k->group_start[g + 1] - k->group_start[g];
        const int *group = k->grouped + k->group_start[g];
        if (n > PIECE_STAGES_MOST || !takes_all(s, k, group, n, contact_of)) return false;
        k->group_inverse[g] = numbers;
        numbers += (size_t)(n * n * k->contacts[group[0]].dim);
    }
    return k->group_start[k->n_groups] == k->n && (k->inverse = MEM_ARRAY(k->context, double, numbers));
}

/* False: A has another form, or there is no memory. contact_of: per row of y. */
bool cone_piece_groups(const cone_solver *s, cone_pieces *k, const int *contact_of, bool *fine) {
    if (!s->p->A.start) return true;
    int **lists[] = {&k->group_of, &k->grouped, &k->group_start};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!(*lists[i] = MEM_ARRAY(k->context, int, k->n + 1))) return *fine = false;
    if (!(k->group_inverse = MEM_ARRAY(k->context, size_t, k->n + 1))) return *fine = false;
    return list_groups(s, k, contact_of);
}

static double entry_of(const cone_problem *p, int row, int column) {
    for (int e = p->A.start[column]; e < p->A.start[column + 1]; e++)
        if (p->A.index[e] == row) return p->A_values[e];
    return 0;
}

bool cone_piece_invert_groups(const cone_solver *s) {
    cone_pieces *k = s->pieces;
    double A[PIECE_STAGES_MOST * PIECE_STAGES_MOST];
    int pivot[PIECE_STAGES_MOST];
    for (int g = 0; k->inverse && g < k->n_groups; g++) {
        const int *group = k->grouped + k->group_start[g];
        int n = k->group_start[g + 1] - k->group_start[g], dim = k->contacts[group[0]].dim;
        for (int j = 0; j < dim; j++) {
            double *inverse = k->inverse + k->group_inverse[g] + j * n * n;
            for (int b = 0; b < n; b++)
                for (int a = 0; a < n; a++) {
                    A[b * n + a] = entry_of(s->p, k->contacts[group[a]].y[j], k->contacts[group[b]].y[j]);
                    inverse[b * n + a] = a == b;
                }
            if (lin_dense_lu_factor(n, A, pivot) != 0) return false;
            lin_dense_lu_solve(n, A, pivot, inverse, n);
        }
    }
    return true;
}

/* G of the group of a contact: sum_a G_a (A^-1)_ab in place of G_b. */
void cone_piece_combine(cone_pieces *k, int contact) {
    int g = k->group_of[contact], n = k->group_start[g + 1] - k->group_start[g];
    const int *group = k->grouped + k->group_start[g];
    int dim = k->contacts[contact].dim, touches = k->touch_start[contact + 1] - k->touch_start[contact];
    double old[PIECE_STAGES_MOST];
    for (int t = 0; t < touches; t++) {
        int cell = k->touches[k->touch_start[contact] + t].cell, size = k->map.start[cell + 1] - k->map.start[cell];
        for (int j = 0; j < dim; j++) {
            const double *inverse = k->inverse + k->group_inverse[g] + j * n * n;
            for (int i = 0; i < size; i++) {
                for (int a = 0; a < n; a++) old[a] = k->G[k->touches[k->touch_start[group[a]] + t].G + (size_t)(j * size + i)];
                for (int b = 0; b < n; b++) {
                    double sum = 0;
                    for (int a = 0; a < n; a++) sum += old[a] * inverse[b * n + a];
                    k->G[k->touches[k->touch_start[group[b]] + t].G + (size_t)(j * size + i)] = sum;
                }
            }
        }
    }
}

/* r of row j of a contact, and y of the whole group that belongs to it. */
double cone_piece_set(const cone_solver *s, int contact, int j, double r, double *y) {
    const cone_pieces *k = s->pieces;
    int row = k->contacts[contact].y[j];
    double change = r - s->mu[row];
    if (!k->inverse) {
        y[row] = s->p->mu_0 ? r - s->p->mu_0[row] : r;
        return change;
    }
    int g = k->group_of[contact], n = k->group_start[g + 1] - k->group_start[g], b = k->contacts[contact].stage;
    const double *inverse = k->inverse + k->group_inverse[g] + j * n * n;
    for (int a = 0; a < n; a++) y[k->contacts[k->grouped[k->group_start[g] + a]].y[j]] += inverse[b * n + a] * change;
    return change;
}
