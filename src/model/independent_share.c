/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from a choice of independent rows (equations: independent.c): merges, forces of least norm, the coefficients at other
 * states, and errors of rows that a scheme does not see. */
#include "model/independent_rows.h"

/* Limit for a group, in multiplications for sharing forces (about a millisecond in every step); larger groups are not treated. */
static const double most_sharing = 2e6;

double independent_spread(const independent *a) {
    double spread = 1;
    for (int k = 0; k < a->n_groups; k++) {
        double least = INFINITY, most = 0;
        for (int i = 0; i < a->groups[k].n; i++) {
            double mobility = a->size[a->groups[k].row[i]] * one_over(a->length[a->groups[k].row[i]]);
            least = smaller(least, mobility), most = larger(most, mobility);
        }
        spread = larger(spread, most * one_over(least));
    }
    return spread;
}

static double square(double x) { return x * x; }

int independent_merges(const independent *a, bool lengths, row_merge *list) {
    int count = 0;
    for (int k = 0; k < a->n_groups; k++) {
        const row_group *g = &a->groups[k];
        for (int l = g->kept; l < g->n; l++)
            for (int i = 0; i < g->kept; i++, count++) {
                double c = g->C[(size_t)(l - g->kept) * (size_t)g->kept + (size_t)i] * a->size[g->row[i]] * scale(a, g->row[l]);
                if (lengths) c *= square(a->length[g->row[i]] * scale(a, g->row[i]) * one_over(a->length[g->row[l]] * scale(a, g->row[l])));
                if (list) list[count] = (row_merge){g->row[i], g->row[l], c};
            }
    }
    return count;
}

/* ---- sharing ---- */

static void share(independent *a, row_group *g, double *P) {
    int kept = g->kept, left = g->n - kept;
    if ((double)left * left * kept > most_sharing) return;
    for (int i = 0; i < kept; i++) g->p[i] = a->size[g->row[i]] * P[g->row[i]];
    for (int l = 0; l < left; l++) g->z[l] = a->size[g->row[kept + l]] * P[g->row[kept + l]];
    lin_dense_multiply(kept, left, g->C, 1, g->z, g->p);
    for (int l = 0; l < left; l++) {
        const double *column = g->C + (size_t)l * (size_t)kept;
        g->z[l] = 0;
        for (int i = 0; i < kept; i++) g->z[l] += column[i] * g->p[i];
        for (int k = l; k < left; k++) {
            const double *other = g->C + (size_t)k * (size_t)kept;
            double sum = k == l;
            for (int i = 0; i < kept; i++) sum += column[i] * other[i];
            g->Z[(size_t)l * (size_t)left + (size_t)k] = sum;
        }
    }
    if (lin_dense_cholesky_factor(left, g->Z) != 0) return;
    lin_dense_cholesky_solve(left, g->Z, g->z, 1);
    lin_dense_multiply(kept, left, g->C, -1, g->z, g->p);
    for (int i = 0; i < kept; i++) P[g->row[i]] = g->p[i] * scale(a, g->row[i]);
    for (int l = 0; l < left; l++) P[g->row[kept + l]] = g->z[l] * scale(a, g->row[kept + l]);
}

double independent_contradiction(const independent *a, const double *c) {
    double worst = 0;
    for (int k = 0; k < a->n_groups; k++) {
        const row_group *g = &a->groups[k];
        for (int l = g->kept; l < g->n; l++) {
            const double *column = g->C + (size_t)(l - g->kept) * (size_t)g->kept;
            double left = c[g->row[l]];
            for (int i = 0; i < g->kept; i++) left -= column[i] * c[g->row[i]] * scale(a, g->row[i]) * a->size[g->row[l]];
            worst = larger(worst, fabs(left));
        }
    }
    return worst;
}

void independent_collect(const independent *a, double *P) {
    for (int k = 0; k < a->n_groups; k++) {
        const row_group *g = &a->groups[k];
        for (int l = g->kept; l < g->n; l++) {
            const double *column = g->C + (size_t)(l - g->kept) * (size_t)g->kept;
            for (int i = 0; i < g->kept; i++) P[g->row[i]] += column[i] * a->size[g->row[l]] * P[g->row[l]] * scale(a, g->row[i]);
            P[g->row[l]] = 0;
        }
    }
}

static void swap(double **a, double **b) {
    double *kept = *a;
    *a = *b;
    *b = kept;
}

/* Swaps sizes and coefficients with those of another state. */
static void exchange(independent *a) {
    swap(&a->size, &a->other_size), swap(&a->length, &a->other_length), swap(&a->mobility, &a->other_mobility);
    for (int i = 0; i < a->n_groups; i++) swap(&a->groups[i].C, &a->groups[i].other_C);
}

void independent_share(independent *a, const double *M, const double *W, double *P) {
    exchange(a);
    independent_sizes(a, M, W);
    for (int i = 0; i < a->n_groups; i++) {
        row_group *g = &a->groups[i];
        if (g->kept < g->n && g->kept > 0 && isfinite(independent_coefficients(a, g, W))) share(a, g, P);
    }
    exchange(a);
}

double independent_follow(independent *a, const double *M, const double *W, double *change) {
    double worst = 0;
    *change = 0;
    exchange(a);
    independent_sizes(a, M, W);
    for (int i = 0; i < a->n_groups; i++) {
        row_group *g = &a->groups[i];
        if (g->kept == g->n || g->kept == 0) continue;
        worst = larger(worst, independent_coefficients(a, g, W));
        for (int k = 0; k < g->kept * (g->n - g->kept); k++) *change = larger(*change, fabs(g->C[k] - g->other_C[k]) / (1 + fabs(g->C[k])));
    }
    return worst;
}

double independent_open(const independent *a, const double *c, independent_drift d) {
    double worst = -INFINITY;
    for (int k = 0; k < a->n_groups; k++) {
        const row_group *g = &a->groups[k];
        if (g->kept == g->n) continue;
        double seen = 0, sum = 1, place = 0;
        for (int i = 0; i < g->kept; i++) {
            int row = g->row[i];
            double open = d.rate > 0 ? fabs(d.seen1[row]) + d.rate * fabs(d.seen0[row]) : fabs(d.seen0[row]);
            seen = larger(seen, open * scale(a, row));
        }
        for (int l = 0; l < g->n - g->kept; l++) {
            double of_row = 1;
            for (int i = 0; i < g->kept; i++) of_row += fabs(g->C[(size_t)l * (size_t)g->kept + (size_t)i]);
            sum = larger(sum, of_row);
        }
        for (int i = 0; d.place && i < g->m; i++) {
            int j = g->coordinate[i];
            place += d.place[j] * d.place[j] / a->mobility[j];
        }
        double explained = d.most * sum * seen + d.open + d.roundoff * sqrt(place);
        for (int i = 0; i < g->n; i++) worst = larger(worst, fabs(c[g->row[i]]) - explained * a->size[g->row[i]]);
    }
    return worst;
}
