/* SPDX-License-Identifier: Apache-2.0 */
/* Large problems: semismooth Newton on (x, y) together with one sparse matrix,
 *
 *     [ phi_x            phi_y              ] [dx]     [phi]
 *     [ R_psi psi_x      R_psi psi_y + R_mu A ] [dy] = - [ R ]
 *
 * Its pattern holds every state of every cone: a row of R takes the rows of psi and mu of its whole ball, the slip direction
 * and the radius. Only values change, so the symbolic analysis is made once; pivots are chosen again when states changed.
 *
 * Of many contacts most may be open: then their rows are those of the identity with R = 0, and dy = 0. Where few others are left, x is
 * eliminated with the factors of phi_x, for which an order of pivots is known that does not fill up (static_lu.c): a chain over a plane
 * that it does not touch costs what it costs without the plane. */
#include "cone/solver.h"

#include "linalg/dense.h"

/* Rows that say more than that a multiplier stays zero; up to so many, a solve with the factors of phi_x for each of them is less than
 * pivots of the whole. */
enum { FEW_ROWS = 24 };
/* Of the largest entry of its column, in rows of one size; a smaller pivot is left to the whole matrix. */
static const double few_pivot = 1e-10;

/* Row `to` of R depends on row `from` of psi or mu; what the coefficient is follows from the state of the ball. */
typedef enum link_kind { LINK_NORMAL_PSI, LINK_PSI, LINK_STICK, LINK_GUIDE, LINK_MU, LINK_RADIUS } link_kind;
typedef struct row_link {
    int from, to;
    int cone, ball, i, j; /* ball: number over all; i, j: rows inside the ball */
    link_kind kind;
} row_link;

struct cone_sparse {
    lin_matrix *K;
    lin_lu *lu;
    int phi_x_block, phi_y_block, lower_block;
    int n_psi_links, n_mu_links;
    row_link *psi_links, *mu_links; /* sorted by `from` */
    int *psi_start, *mu_start;      /* first link of each row of psi, mu */
    double *psi_weight, *mu_weight; /* coefficient of each link at the present states */
    lin_pattern identity, lower;    /* in place of A; ny x (nx + ny) */
    double *ones, *lower_values, *rhs;
    int *place; /* of each product of an entry with a link in `lower`, in the order of filling */
    uint64_t hash;
    bool factored;
    int few[FEW_ROWS], pivot[FEW_ROWS], *number; /* rows that take part; per row of R: 1 + its place among them, 0 */
    double *columns, *T;                         /* v and columns of G; what they leave of the lower rows */
    bool have_phi_x;                             /* its factors belong to the derivatives at hand */
};

static void link_rows(row_link *list, int *count, row_link link) {
    if (list) list[*count] = link;
    (*count)++;
}

/* Both lists; called once to count and once to fill. */
static void collect_links(const cone_solver *s, row_link *psi, int *n_psi, row_link *mu, int *n_mu) {
    const cone_problem *p = s->p;
    *n_psi = *n_mu = 0;
    for (int k = 0; k < p->ny; k++) link_rows(mu, n_mu, (row_link){k, k, -1, -1, 0, 0, LINK_MU});
    for (int k = 0; k < p->n_cones; k++) {
        const cone *c = &p->cones[k];
        if (c->psi_N >= 0) link_rows(psi, n_psi, (row_link){c->psi_N, c->mu_N, k, -1, 0, 0, LINK_NORMAL_PSI});
        int row = c->mu_F;
        for (int b = 0; b < c->n_balls; b++) {
            int dim = c->balls[b].dim, ball = s->first_ball[k] + b, offset = row - c->mu_F;
            for (int i = 0; i < dim; i++) {
                for (int j = 0; j < dim; j++) {
                    link_rows(psi, n_psi, (row_link){c->psi_F + offset + j, row + i, k, ball, i, j, LINK_PSI});
                    /* psi_F may become psi_D in later solves. */
                    if (c->stick_of == -1 && c->psi_D >= 0 && c->psi_D != c->psi_F)
                        link_rows(psi, n_psi, (row_link){c->psi_D + offset + j, row + i, k, ball, i, j, LINK_PSI});
                    if (c->psi_stick > 0) link_rows(psi, n_psi, (row_link){c->psi_stick + offset + j, row + i, k, ball, i, j, LINK_STICK});
                    if (c->psi_D >= 0) link_rows(psi, n_psi, (row_link){c->psi_D + offset + j, row + i, k, ball, i, j, LINK_GUIDE});
                    if (i != j) link_rows(mu, n_mu, (row_link){row + j, row + i, k, ball, i, j, LINK_MU});
                }
                if (c->mu_R >= 0) link_rows(mu, n_mu, (row_link){c->mu_R, row + i, k, ball, i, 0, LINK_RADIUS});
            }
            row += dim;
        }
    }
}

/* Links sorted by `from` (counting sort), start of each. */
static bool sort_links(zn_context *context, int rows, int count, const row_link *unsorted, row_link **links, int **start) {
    *links = MEM_ARRAY(context, row_link, count);
    *start = MEM_ARRAY(context, int, rows + 2);
    if (!*links || !*start) return false;
    for (int k = 0; k < count; k++) (*start)[unsorted[k].from + 2]++;
    for (int r = 0; r < rows; r++) (*start)[r + 2] += (*start)[r + 1];
    for (int k = 0; k < count; k++) (*links)[(*start)[unsorted[k].from + 1]++] = unsorted[k];
    return true;
}

/* The own links of mu, unsorted the first ny, learn their ball. */
static void name_balls(const cone_solver *s, row_link *mu) {
    for (int k = 0; k < s->p->n_cones; k++) {
        const cone *c = &s->p->cones[k];
        int row = c->mu_F;
        for (int b = 0; b < c->n_balls; b++)
            for (int i = 0; i < c->balls[b].dim; i++, row++) mu[row] = (row_link){row, row, k, s->first_ball[k] + b, i, i, LINK_MU};
    }
}

/* d R_to / d (psi or mu)_from at the present states. */
static double coefficient(const cone_solver *s, const row_link *l) {
    if (l->kind == LINK_NORMAL_PSI) return s->closed[l->cone] ? 1 : 0;
    if (l->ball < 0) return s->kind[l->to] == CONE_ROW_PSI ? 0 : 1;
    ball_state state = (ball_state)s->ball[l->ball];
    const cone *c = &s->p->cones[l->cone];
    int first = l->to - l->i;
    double n_i = s->normal[l->to], n_j = s->normal[first + l->j], same = l->i == l->j, t = s->turn[l->ball];
    switch (l->kind) {
    case LINK_PSI:
        if (l->from != c->psi_F + first - c->mu_F + l->j) return 0;
        if (state == BALL_GUIDED && c->psi_D < 0) return t * (same - n_i * n_j); /* slips by its mode */
        if (state == BALL_STICK && c->psi_stick > 0 && cone_is_frozen(c)) return 0;
        return state == BALL_STICK ? same : state == BALL_SLIP ? t * s->rho[first] * (same - n_i * n_j) : 0;
    case LINK_STICK: return state == BALL_STICK && cone_is_frozen(c) ? same : 0;
    case LINK_GUIDE: return state == BALL_GUIDED ? t * (same - n_i * n_j) : 0;
    case LINK_MU: return state == BALL_STICK ? 0 : state == BALL_SLIP ? same - t * (same - n_i * n_j) : same;
    default: return state == BALL_SLIP || state == BALL_GUIDED ? c->balls[l->ball - s->first_ball[l->cone]].mu * n_i : 0;
    }
}

/* All products of entries with links: to count, to note coordinates, or to add values. */
typedef struct product {
    int *row, *col;
    double *values;
    const int *place;
    int count;
} product;

static void multiply_block(const zn_pattern *pattern, const double *values, const row_link *links, const int *start, const double *weight,
                           int shift, product *out) {
    int cols = pattern->start ? pattern->cols : 0;
    for (int j = 0; j < cols; j++)
        for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++)
            for (int l = start[pattern->index[e]]; l < start[pattern->index[e] + 1]; l++, out->count++) {
                if (out->row) {
                    out->row[out->count] = links[l].to;
                    out->col[out->count] = shift + j;
                }
                if (out->values) out->values[out->place[out->count]] += weight[l] * values[e];
            }
}

static void multiply_all(const cone_sparse *k, const cone_solver *s, product *out) {
    const cone_problem *p = s->p;
    const zn_pattern *A = p->A.start ? &p->A : &k->identity.p;
    out->count = 0;
    if (p->nx > 0) multiply_block(&p->psi_x, s->psi_x, k->psi_links, k->psi_start, k->psi_weight, 0, out);
    multiply_block(&p->psi_y, s->psi_y, k->psi_links, k->psi_start, k->psi_weight, p->nx, out);
    multiply_block(A, p->A.start ? p->A_values : k->ones, k->mu_links, k->mu_start, k->mu_weight, p->nx, out);
}

static bool take_links(cone_solver *s, cone_sparse *k) {
    zn_context *context = s->context;
    collect_links(s, NULL, &k->n_psi_links, NULL, &k->n_mu_links);
    row_link *psi = MEM_ARRAY(context, row_link, k->n_psi_links), *mu = MEM_ARRAY(context, row_link, k->n_mu_links);
    bool ok = psi && mu;
    if (ok) {
        collect_links(s, psi, &k->n_psi_links, mu, &k->n_mu_links);
        name_balls(s, mu);
        ok = sort_links(context, s->p->npsi, k->n_psi_links, psi, &k->psi_links, &k->psi_start) &&
             sort_links(context, s->p->nmu, k->n_mu_links, mu, &k->mu_links, &k->mu_start);
    }
    mem_free(context, psi);
    mem_free(context, mu);
    k->psi_weight = MEM_ARRAY(context, double, k->n_psi_links);
    k->mu_weight = MEM_ARRAY(context, double, k->n_mu_links);
    return ok && k->psi_weight && k->mu_weight;
}

static bool take_identity(cone_solver *s, cone_sparse *k) {
    int ny = s->p->ny, *index = MEM_ARRAY(s->context, int, ny);
    k->ones = MEM_ARRAY(s->context, double, ny);
    bool ok = index && k->ones;
    for (int i = 0; ok && i < ny; i++) {
        index[i] = i;
        k->ones[i] = 1;
    }
    ok = ok && lin_pattern_create(s->context, ny, ny, ny, index, index, &k->identity, NULL) == ZN_OK;
    mem_free(s->context, index);
    return ok;
}

static bool take_lower(cone_solver *s, cone_sparse *k) {
    zn_context *context = s->context;
    int ny = s->p->ny, n = s->p->nx + ny;
    product all = {0};
    multiply_all(k, s, &all);
    int count = all.count;
    all.row = MEM_ARRAY(context, int, count);
    all.col = MEM_ARRAY(context, int, count);
    k->place = MEM_ARRAY(context, int, count);
    bool ok = all.row && all.col && k->place;
    if (ok) multiply_all(k, s, &all);
    ok = ok && lin_pattern_create(context, ny, n, count, all.row, all.col, &k->lower, k->place) == ZN_OK;
    mem_free(context, all.row);
    mem_free(context, all.col);
    return ok && (k->lower_values = MEM_ARRAY(context, double, lin_nnz(&k->lower.p)));
}

static bool take_matrix(cone_solver *s, cone_sparse *k) {
    const cone_problem *p = s->p;
    k->rhs = MEM_ARRAY(s->context, double, p->nx + p->ny);
    k->K = lin_matrix_create(s->context, p->nx + p->ny);
    if (!k->rhs || !k->K) return false;
    if (p->nx > 0) {
        k->phi_x_block = lin_matrix_block(k->K, lin_matrix_pattern(p->phi_x), false, 0, 0);
        k->phi_y_block = lin_matrix_block(k->K, &p->phi_y, false, 0, p->nx);
        if (k->phi_x_block < 0 || k->phi_y_block < 0) return false;
    }
    k->number = MEM_ARRAY(s->context, int, p->ny);
    k->columns = MEM_ARRAY(s->context, double, (size_t)p->nx *(FEW_ROWS + 1));
    k->T = MEM_ARRAY(s->context, double, (size_t)FEW_ROWS *FEW_ROWS);
    if (!k->number || !k->columns || !k->T) return false;
    k->lower_block = lin_matrix_block(k->K, &k->lower.p, false, p->nx, 0);
    if (k->lower_block < 0 || lin_matrix_finish(k->K, LIN_SPARSE) != ZN_OK) return false;
    k->lu = lin_lu_create(s->context, k->K);
    return k->lu && lin_lu_reserve_regularised(k->lu, k->K) == ZN_OK && lin_lu_weigh_rows(k->lu, k->K, p->nx, p->phi_scale) == ZN_OK;
}

/* Worth it for many multipliers in a matrix that is mostly empty. */
bool cone_sparse_pays(const cone_problem *p) {
    if (p->ny < CONE_SPARSE_SIZE || (p->nx > 0 && lin_matrix_is_dense(p->phi_x))) return false;
    double entries = (double)lin_nnz(&p->phi_y) + lin_nnz(&p->psi_x) + lin_nnz(&p->psi_y), rows = (double)p->nx + p->ny;
    return entries < 0.05 * rows * p->ny;
}

cone_sparse *cone_sparse_create(cone_solver *s) {
    cone_sparse *k = MEM_ARRAY(s->context, cone_sparse, 1);
    if (!k) return NULL;
    if (take_links(s, k) && take_identity(s, k) && take_lower(s, k) && take_matrix(s, k)) return k;
    cone_sparse_destroy(s->context, k);
    return NULL;
}

void cone_sparse_forget(cone_sparse *k) { k->factored = k->have_phi_x = false; }
void cone_sparse_renew(cone_sparse *k) { k->have_phi_x = false; }

void cone_sparse_destroy(zn_context *context, cone_sparse *k) {
    if (!k) return;
    lin_lu_destroy(k->lu);
    lin_matrix_destroy(k->K);
    lin_pattern_destroy(context, &k->identity);
    lin_pattern_destroy(context, &k->lower);
    void *blocks[] = {k->psi_links,    k->mu_links, k->psi_start, k->mu_start, k->psi_weight, k->mu_weight, k->ones,
                      k->lower_values, k->rhs,      k->place,     k->number,   k->columns,    k->T};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    mem_free(context, k);
}

/* Marks rows that depend on x, or not by 1 on their own multiplier, and then those that depend on a multiplier of a marked one: friction on
 * the normal force of its contact. */
static void mark_few(const cone_sparse *k, const cone_solver *s) {
    const zn_pattern *lower = &k->lower.p;
    int nx = s->p->nx;
    for (int i = 0; i < s->p->ny; i++) k->number[i] = 1;
    for (int j = nx; j < lower->cols; j++)
        for (int e = lower->start[j]; e < lower->start[j + 1]; e++)
            if (lower->index[e] == j - nx) k->number[j - nx] = k->lower_values[e] != 1 || s->R[j - nx] != 0;
    for (int j = 0; j < nx; j++)
        for (int e = lower->start[j]; e < lower->start[j + 1]; e++)
            if (k->lower_values[e] != 0) k->number[lower->index[e]] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (int j = nx; j < lower->cols; j++)
            for (int e = lower->start[j]; k->number[j - nx] && e < lower->start[j + 1]; e++) {
                int i = lower->index[e];
                if (k->number[i] || k->lower_values[e] == 0) continue;
                k->number[i] = 1;
                changed = true;
            }
    }
}

/* Rows other than "mu = 0, and it is"; -1: too many. */
static int find_few(const cone_sparse *k, const cone_solver *s, int *few) {
    int n = 0;
    mark_few(k, s);
    for (int i = 0; i < s->p->ny; i++) {
        if (!k->number[i]) continue;
        if (n == FEW_ROWS) return -1;
        few[n++] = i;
        k->number[i] = n;
    }
    return n;
}

/* T = R_y - R_x G of the few, and their right sides R_x v - R. */
static void reduce_few(const cone_sparse *k, const cone_solver *s, int n, double *T, double *right) {
    const zn_pattern *lower = &k->lower.p;
    int nx = s->p->nx;
    memset(T, 0, (size_t)(n * n) * sizeof *T);
    for (int a = 0; a < n; a++) right[a] = -s->R[k->few[a]];
    for (int j = 0; j < lower->cols; j++) {
        int own = j < nx ? 0 : k->number[j - nx];
        for (int e = lower->start[j]; e < lower->start[j + 1]; e++) {
            int a = k->number[lower->index[e]] - 1;
            double value = k->lower_values[e];
            if (a < 0 || value == 0) continue;
            if (own) T[(own - 1) * n + a] += value;
            if (j >= nx) continue;
            right[a] += value * k->columns[j];
            for (int c = 0; c < n; c++) T[c * n + a] -= value * k->columns[(size_t)(c + 1) * (size_t)nx + (size_t)j];
        }
    }
}

static bool solve_reduced(cone_sparse *k, int n, double *right) {
    double largest[FEW_ROWS] = {0}, *T = k->T;
    if (n == 0) return true;
    if (!all_finite(n * n, T)) return false;
    for (int a = 0; a < n; a++) { /* rows of one size */
        double size = 0;
        for (int c = 0; c < n; c++) size = larger(fabs(T[c * n + a]), size);
        if (!(size > 0)) return false;
        for (int c = 0; c < n; c++) largest[c] = larger(fabs(T[c * n + a] /= size), largest[c]);
        right[a] /= size;
    }
    if (lin_dense_lu_factor(n, T, k->pivot) != 0) return false;
    for (int c = 0; c < n; c++)
        if (!(fabs(T[c * (n + 1)]) > few_pivot * largest[c])) return false;
    lin_dense_lu_solve(n, T, k->pivot, right, 1);
    return true;
}

/* The step with the factors of phi_x. False: it is left to the whole matrix. */
static bool step_by_few(cone_solver *s, double *dx, double *dy) {
    cone_sparse *k = s->sparse;
    const cone_problem *p = s->p;
    size_t nx = (size_t)p->nx;
    double right[FEW_ROWS];
    int n = p->nx > 0 && !s->left ? find_few(k, s, k->few) : -1;
    if (n < 0) return false;
    if (!k->have_phi_x) s->factored = k->have_phi_x = lin_lu_factor(s->lu, p->phi_x, s->factored) == ZN_OK;
    if (!k->have_phi_x) return false;
    memcpy(k->columns, s->phi, nx * sizeof(double));
    memset(k->columns + nx, 0, (size_t)n * nx * sizeof(double));
    for (int c = 0; c < n; c++)
        for (int e = p->phi_y.start[k->few[c]]; e < p->phi_y.start[k->few[c] + 1]; e++)
            k->columns[(size_t)(c + 1) * nx + (size_t)p->phi_y.index[e]] = s->phi_y[e];
    lin_lu_solve_many(s->lu, k->columns, n + 1);
    reduce_few(k, s, n, k->T, right);
    if (!solve_reduced(k, n, right)) return false;
    memset(dy, 0, (size_t)p->ny * sizeof(double));
    for (size_t i = 0; i < nx; i++) dx[i] = -k->columns[i];
    for (int c = 0; c < n; c++) {
        dy[k->few[c]] = right[c];
        for (size_t i = 0; i < nx; i++) dx[i] -= k->columns[(size_t)(c + 1) * nx + i] * right[c];
    }
    return all_finite(p->nx, dx) && all_finite(p->ny, dy);
}

/* Newton step at the present values, states and residuals: dx, dy. */
zn_status cone_sparse_step(cone_solver *s, bool robust, double *dx, double *dy) {
    cone_sparse *k = s->sparse;
    const cone_problem *p = s->p;
    for (int l = 0; l < k->n_psi_links; l++) k->psi_weight[l] = coefficient(s, &k->psi_links[l]);
    for (int l = 0; l < k->n_mu_links; l++) k->mu_weight[l] = coefficient(s, &k->mu_links[l]);
    memset(k->lower_values, 0, (size_t)lin_nnz(&k->lower.p) * sizeof(double));
    product all = {.values = k->lower_values, .place = k->place};
    multiply_all(k, s, &all);
    if (step_by_few(s, dx, dy)) return ZN_OK;
    lin_matrix_zero(k->K);
    if (p->nx > 0) {
        lin_matrix_add(k->K, k->phi_x_block, 1, lin_matrix_read(p->phi_x));
        lin_matrix_add(k->K, k->phi_y_block, 1, s->phi_y);
    }
    lin_matrix_add(k->K, k->lower_block, 1, k->lower_values);
    uint64_t hash = cone_state_hash(s);
    zn_status status = lin_lu_factor(k->lu, k->K, k->factored && hash == k->hash);
    k->factored = status == ZN_OK;
    k->hash = hash;
    if (status == ZN_ERROR_SINGULAR && robust) {
        s->least_norm = true;
        status = lin_lu_factor_regularised(k->lu, k->K);
    }
    if (status != ZN_OK) return status;
    for (int i = 0; i < p->nx; i++) k->rhs[i] = -s->phi[i];
    for (int i = 0; i < p->ny; i++) k->rhs[p->nx + i] = -s->R[i];
    lin_lu_solve(k->lu, k->rhs);
    memcpy(dx, k->rhs, (size_t)p->nx * sizeof(double));
    memcpy(dy, k->rhs + p->nx, (size_t)p->ny * sizeof(double));
    return all_finite(p->nx + p->ny, k->rhs) ? ZN_OK : ZN_ERROR_SINGULAR;
}
