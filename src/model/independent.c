/* SPDX-License-Identifier: Apache-2.0 */
/* Redundant bilateral rows. v_j = E^-1 w_j / l_j are columns of W of size 1 without units (row_weights.h), E as it was at the choice:
 *
 *     choice     QR with column pivots of (v_1 .. v_n): the rows K chosen first are independent, the others L depend on them
 *     v_L = v_K C,   C = G^-1 v_K' v_L,   G = v_K' v_K
 *
 * Forces are shared with weights from the masses: D is the diagonal of M, s_j = |D^-1/2 w_j|, and C from here on that of w_j/s_j, i.e. C_ij
 * s_i/l_i l_j/s_j,
 *
 *     sharing    p_j = s_j P_j:  |p| least with v_K p_K + v_L p_L given:  p_K += C p_L,  p_L = (1 + C'C)^-1 C' p_K,  p_K -= C p_L
 *     merging    g_j/s_j = gamma_j:  |gamma| least:  gamma_K + C gamma_L = 0, and with multipliers p_L = C' p_K  (row_merge)
 *                or g_j/l_j = gamma_j, with the C of the v_j: independent of the masses
 *
 * Rows that are connected by common coordinates, directly or through other rows, form a group; each group is treated by itself.
 *
 * In a singular position rows are dependent that are independent elsewhere. With u such that the rows K hold, c2 = d/dt c1 at a = 0 comes
 * from their curvature; a row that depends on others in all positions depends on them on this level too:  c2_L/l_L = C' c2_K/l_K  for every
 * such u. Where this fails for a random u, no row of the group is left out. */
#include "model/independent_rows.h"
#include "model/row_weights.h"

static const double new_part = 1e-9;        /* of a column: a smaller independent part counts as none */
static const double later_rows = 1e-6;      /* the last row of a group counts this much less: round-off must not choose among equal rows */
static const double same_direction = 1e-9;  /* forces of a row act along its velocity up to this */
static const double no_motion = 1e-8;       /* what is left of a velocity of size 1 where rows allow none */
static const double curvature_error = 1e-6; /* relative, of the test for singular positions */
static const double curvature_floor = 1e-9; /* times |u| and the largest curvature: what is below is round-off */
/* Limit for a group, in multiplications for the choice (about a second); larger groups keep all rows. */
static const double most_work = 1e9;

/* ---- columns of W ---- */

void independent_sizes(independent *a, const double *M, const double *W) {
    row_mobilities(a->model, M, a->mobility);
    row_sizes(a->model, W, a->mobility, a->size);
    row_sizes(a->model, W, a->inverse, a->length);
}

/* x = E^-2 w_row / l, or zeros again */
static void scatter(independent *a, const double *W, int row, bool clear) {
    const zn_pattern *w = &a->model->pattern.W;
    double s = clear ? 0 : per_length(a, row);
    for (int k = w->start[row]; k < w->start[row + 1]; k++) a->x[w->index[k]] = s * W[k] * a->inverse[w->index[k]];
}

/* v_row' of what was scattered */
static double gather(const independent *a, const double *W, int row) {
    const zn_pattern *w = &a->model->pattern.W;
    double sum = 0;
    for (int k = w->start[row]; k < w->start[row + 1]; k++) sum += W[k] * a->x[w->index[k]];
    return sum * per_length(a, row);
}

/* ---- groups ---- */

static int root(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* parent: rows with the same root have coordinates in common. */
static void join_rows(const zn_model *model, int *parent, int *owner) {
    const zn_pattern *w = &model->pattern.W;
    for (int i = 0; i < model->size.nu; i++) owner[i] = -1;
    for (int j = 0; j < model_row_N(model); j++) parent[j] = j;
    for (int j = 0; j < model_row_N(model); j++)
        for (int k = w->start[j]; k < w->start[j + 1]; k++) {
            int i = w->index[k];
            if (owner[i] < 0) owner[i] = j;
            int one = root(parent, j), other = root(parent, owner[i]);
            if (one != other) parent[one > other ? one : other] = one < other ? one : other;
        }
}

static zn_status make_groups(zn_context *context, independent *a) {
    const zn_model *model = a->model;
    int n = model_row_N(model), nu = model->size.nu;
    int *parent = MEM_ARRAY(context, int, n), *owner = MEM_ARRAY(context, int, nu), *group_of = MEM_ARRAY(context, int, n);
    zn_status status = parent && owner && group_of ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        join_rows(model, parent, owner);
        for (int j = 0; j < n; j++) group_of[j] = root(parent, j) == j ? a->n_groups++ : -1;
        if (!(a->groups = MEM_ARRAY(context, row_group, a->n_groups))) status = ZN_ERROR_MEMORY;
    }
    for (int j = 0; status == ZN_OK && j < n; j++) a->groups[group_of[root(parent, j)]].n++;
    for (int i = 0; status == ZN_OK && i < nu; i++)
        if (owner[i] >= 0) a->groups[group_of[root(parent, owner[i])]].m++;
    for (int g = 0; status == ZN_OK && g < a->n_groups; g++) {
        row_group *group = &a->groups[g];
        group->row = MEM_ARRAY(context, int, group->n);
        group->coordinate = MEM_ARRAY(context, int, group->m);
        if (!group->row || !group->coordinate) status = ZN_ERROR_MEMORY;
        group->n = group->m = 0;
    }
    for (int j = 0; status == ZN_OK && j < n; j++) {
        row_group *group = &a->groups[group_of[root(parent, j)]];
        group->row[group->n++] = j;
        group->kept = group->n;
    }
    for (int i = 0; status == ZN_OK && i < nu; i++) {
        if (owner[i] < 0) continue;
        row_group *group = &a->groups[group_of[root(parent, owner[i])]];
        group->coordinate[group->m++] = i;
    }
    mem_free(context, parent), mem_free(context, owner), mem_free(context, group_of);
    return status;
}

/* ---- G and its factors ---- */

static void forget_factors(zn_context *context, row_group *g) {
    lin_lu_destroy(g->lu);
    lin_matrix_destroy(g->matrix);
    lin_pattern_destroy(context, &g->gram);
    mem_free(context, g->values);
    g->lu = NULL, g->matrix = NULL, g->values = NULL;
}

static bool overlap(const zn_pattern *w, int a, int b) {
    for (int i = w->start[a], k = w->start[b]; i < w->start[a + 1] && k < w->start[b + 1];) {
        if (w->index[i] == w->index[k]) return true;
        if (w->index[i] < w->index[k]) i++;
        else k++;
    }
    return false;
}

static zn_status make_gram(zn_context *context, const zn_model *model, row_group *g) {
    int n = g->kept, count = 0;
    forget_factors(context, g);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) {
            g->gram.start = MEM_ARRAY(context, int, n + 1);
            g->gram.index = MEM_ARRAY(context, int, count);
            g->values = MEM_ARRAY(context, double, count);
            if (!g->gram.start || !g->gram.index || !g->values) return ZN_ERROR_MEMORY;
        }
        count = 0;
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                if (i != j && !overlap(&model->pattern.W, g->row[i], g->row[j])) continue;
                if (pass == 1) g->gram.index[count] = i;
                count++;
            }
            if (pass == 1) g->gram.start[j + 1] = count;
        }
    }
    g->gram.p = (zn_pattern){n, n, g->gram.start, g->gram.index};
    if (!(g->matrix = lin_matrix_create(context, n))) return ZN_ERROR_MEMORY;
    if ((g->block = lin_matrix_block(g->matrix, &g->gram.p, false, 0, 0)) < 0) return ZN_ERROR_MEMORY;
    zn_status status = lin_matrix_finish(g->matrix, LIN_AUTO);
    if (status == ZN_OK && !(g->lu = lin_lu_create(context, g->matrix))) status = ZN_ERROR_MEMORY;
    return status;
}

static zn_status factor_gram(independent *a, row_group *g, const double *W) {
    for (int j = 0; j < g->kept; j++) {
        scatter(a, W, g->row[j], false);
        for (int k = g->gram.start[j]; k < g->gram.start[j + 1]; k++) g->values[k] = gather(a, W, g->row[g->gram.index[k]]);
        scatter(a, W, g->row[j], true);
    }
    lin_matrix_zero(g->matrix);
    lin_matrix_add(g->matrix, g->block, 1, g->values);
    return lin_lu_factor(g->lu, g->matrix, false); /* with its own pivots, not earlier ones, so that forces are functions of the state */
}

double independent_coefficients(independent *a, row_group *g, const double *W) {
    int kept = g->kept, left = g->n - kept;
    double largest = 0;
    if (factor_gram(a, g, W) != ZN_OK) return INFINITY;
    for (int l = 0; l < left; l++) {
        scatter(a, W, g->row[kept + l], false);
        for (int i = 0; i < kept; i++) g->C[(size_t)l * (size_t)kept + (size_t)i] = gather(a, W, g->row[i]);
        scatter(a, W, g->row[kept + l], true);
    }
    lin_lu_solve_many(g->lu, g->C, left);
    for (int l = 0; l < left; l++)
        for (int i = 0; i < kept; i++) {
            double *c = &g->C[(size_t)l * (size_t)kept + (size_t)i];
            largest = larger(largest, fabs(*c));
            *c *= a->size[g->row[i]] * per_length(a, g->row[i]) * a->length[g->row[kept + l]] * scale(a, g->row[kept + l]);
        }
    return isfinite(largest) ? largest : INFINITY;
}

/* ---- the choice ---- */

typedef struct point_values {
    void *work;
    double *M, *W, *c1_u, *c2, *u, *zero;
} point_values;

/* Forces of every row act along its velocity. */
static bool is_symmetric(independent *a, const row_group *g, const point_values *v) {
    const zn_pattern *w = &a->model->pattern.W, *c = &a->model->pattern.c1_u;
    bool same = true;
    for (int r = 0; r < g->n; r++) {
        int j = g->row[r];
        for (int k = w->start[j]; k < w->start[j + 1]; k++) a->x[w->index[k]] = v->W[k];
        for (int k = c->start[j]; k < c->start[j + 1]; k++) a->x[c->index[k]] -= v->c1_u[k];
        for (int k = c->start[j]; k < c->start[j + 1]; k++) {
            int i = c->index[k];
            if (!(fabs(a->x[i]) * sqrt(a->inverse[i]) <= same_direction * a->length[j])) same = false;
            a->x[i] = 0;
        }
        for (int k = w->start[j]; k < w->start[j + 1]; k++) {
            int i = w->index[k];
            if (!(fabs(a->x[i]) * sqrt(a->inverse[i]) <= same_direction * a->length[j])) same = false;
            a->x[i] = 0;
        }
    }
    return same;
}

/* Rows in the order of the choice, and how many are kept: `wanted`, or (0) as many as are independent. */
static zn_status choose(zn_context *context, const independent *a, row_group *g, const double *W, int wanted) {
    const zn_pattern *w = &a->model->pattern.W;
    size_t m = (size_t)g->m, n = (size_t)g->n;
    double *v = MEM_ARRAY(context, double, m *n), *diagonal = MEM_ARRAY(context, double, n);
    int *column = MEM_ARRAY(context, int, n), *row = MEM_ARRAY(context, int, n), *place = MEM_ARRAY(context, int, a->model->size.nu);
    zn_status status = v && diagonal && column && row && place ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        for (int i = 0; i < g->m; i++) place[g->coordinate[i]] = i;
        for (int j = 0; j < g->n; j++) {
            double size = per_length(a, g->row[j]) * (1 - later_rows * j / g->n);
            for (int k = w->start[g->row[j]]; k < w->start[g->row[j] + 1]; k++)
                v[(size_t)j * m + (size_t)place[w->index[k]]] = size * sqrt(a->inverse[w->index[k]]) * W[k];
        }
        status = lin_dense_pivots(context, g->m, g->n, v, column, diagonal);
    }
    if (status == ZN_OK) {
        int kept = 0;
        while (kept < g->n && diagonal[kept] > (a->wish.nearly ? a->wish.doubt : new_part)) kept++;
        bool doubtful = kept > 0 && diagonal[kept - 1] < a->wish.doubt;
        g->kept = wanted > 0 ? wanted : doubtful ? g->n : kept;
        for (int j = 0; j < g->n; j++) row[j] = g->row[column[j]];
        memcpy(g->row, row, n * sizeof *row);
    }
    mem_free(context, v), mem_free(context, diagonal), mem_free(context, column), mem_free(context, row), mem_free(context, place);
    return status;
}

/* u + a velocity that the rows kept allow, at random (the same in every run) and as large as u. */
static void random_motion(independent *a, row_group *g, const point_values *v, const double *u) {
    const zn_pattern *w = &a->model->pattern.W;
    uint64_t seed = 1;
    double was = 0, is = 0;
    memcpy(v->u, v->zero, (size_t)a->model->size.nu * sizeof *u);
    for (int i = 0; i < g->m; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        v->u[g->coordinate[i]] = sqrt(a->inverse[g->coordinate[i]]) * ((double)(seed >> 11) / 4503599627370496.0 - 1);
    }
    for (int j = 0; j < g->kept; j++) {
        g->p[j] = 0;
        for (int k = w->start[g->row[j]]; k < w->start[g->row[j] + 1]; k++)
            g->p[j] += per_length(a, g->row[j]) * v->W[k] * v->u[w->index[k]];
    }
    lin_lu_solve(g->lu, g->p);
    for (int j = 0; j < g->kept; j++)
        for (int k = w->start[g->row[j]]; k < w->start[g->row[j] + 1]; k++)
            v->u[w->index[k]] -= g->p[j] * per_length(a, g->row[j]) * v->W[k] * a->inverse[w->index[k]];
    for (int i = 0; i < g->m; i++) {
        int k = g->coordinate[i];
        was += u[k] * u[k] / a->inverse[k];
        is += v->u[k] * v->u[k] / a->inverse[k];
    }
    double factor = is > g->m * no_motion * no_motion ? larger(sqrt(was), 1) / sqrt(is) : 0;
    for (int i = 0; i < a->model->size.nu; i++) v->u[i] = u[i] + factor * v->u[i];
}

/* Whether the rows left out depend on the others in neighbouring positions, too. */
static bool stays_dependent(independent *a, row_group *g, const point_values *v, const zn_point *at) {
    random_motion(a, g, v, at->u);
    zn_point moving = {.t = at->t, .q = at->q, .u = v->u, .a = v->zero};
    if (a->model->constraints(a->model, v->work, &moving, &(zn_constraints){.c2 = v->c2})) return false;
    double speed = 0, largest = 0;
    for (int i = 0; i < g->m; i++) speed += v->u[g->coordinate[i]] * v->u[g->coordinate[i]] / a->inverse[g->coordinate[i]];
    for (int i = 0; i < g->kept; i++) largest = larger(largest, fabs(per_length(a, g->row[i]) * v->c2[g->row[i]]));
    for (int l = g->kept; l < g->n; l++) {
        double left = per_length(a, g->row[l]) * v->c2[g->row[l]], size = fabs(left);
        double factor = a->size[g->row[l]] * per_length(a, g->row[l]);
        for (int i = 0; i < g->kept; i++) {
            double part = factor * g->C[(size_t)(l - g->kept) * (size_t)g->kept + (size_t)i] * scale(a, g->row[i]) * v->c2[g->row[i]];
            left -= part;
            size += fabs(part);
        }
        if (!(fabs(left) <= curvature_error * size + curvature_floor * (sqrt(speed) + largest))) return false;
    }
    return true;
}

/* Memory for the results of the choice. */
static zn_status take_choice(zn_context *context, const zn_model *model, row_group *g) {
    size_t kept = (size_t)g->kept, left = (size_t)(g->n - g->kept);
    g->C = MEM_ARRAY(context, double, kept *left);
    g->other_C = MEM_ARRAY(context, double, kept *left);
    g->p = MEM_ARRAY(context, double, kept);
    g->z = MEM_ARRAY(context, double, left);
    g->Z = MEM_ARRAY(context, double, left *left);
    if (!g->C || !g->other_C || !g->p || !g->z || !g->Z) return ZN_ERROR_MEMORY;
    return g->kept > 0 ? make_gram(context, model, g) : ZN_OK;
}

static zn_status look_at_group(zn_context *context, independent *a, row_group *g, const point_values *v, const zn_point *at, int wanted) {
    g->kept = g->n;
    if (g->n < 2 || (double)g->n * g->n * g->m > most_work || !is_symmetric(a, g, v)) return ZN_OK;
    zn_status status = make_gram(context, a->model, g);
    bool certain = status == ZN_OK && factor_gram(a, g, v->W) == ZN_OK && lin_lu_rcond(g->lu) > a->wish.doubt * a->wish.doubt;
    if (status == ZN_OK && (!certain || wanted > 0)) status = choose(context, a, g, v->W, wanted);
    if (status != ZN_OK || g->kept == g->n) return status;
    status = take_choice(context, a->model, g);
    if (status != ZN_OK) return status;
    bool may =
        g->kept == 0 || (isfinite(independent_coefficients(a, g, v->W)) && (wanted > 0 || a->wish.nearly || stays_dependent(a, g, v, at)));
    if (!may) g->kept = g->n;
    for (int l = g->kept; l < g->n; l++) a->left_out[g->row[l]] = true;
    a->count += g->n - g->kept;
    return ZN_OK;
}

static zn_status look(zn_context *context, independent *a, const point_values *v, const zn_point *at) {
    const independent *before = a->wish.before;
    const zn_model *model = a->model;
    if (model->balance(model, v->work, at, &(zn_balance){.M = v->M, .W = v->W}) ||
        model->constraints(model, v->work, at, &(zn_constraints){.c1_u = v->c1_u}))
        return ZN_OK; /* nothing is known */
    row_mobilities(model, v->M, a->mobility);
    row_weights(model, v->W, a->mobility, a->inverse);
    independent_sizes(a, v->M, v->W);
    zn_status status = make_groups(context, a);
    for (int i = 0; i < a->n_groups && status == ZN_OK; i++) {
        if (before && before->groups[i].kept == before->groups[i].n) continue;
        status = look_at_group(context, a, &a->groups[i], v, at, before ? before->groups[i].kept : 0);
    }
    return status;
}

static independent *begin(zn_context *context, const zn_model *model) {
    size_t nu = (size_t)model->size.nu, n = (size_t)model_row_N(model);
    independent *a = MEM_ARRAY(context, independent, 1);
    if (!a) return NULL;
    a->model = model;
    a->left_out = MEM_ARRAY(context, bool, n);
    a->size = MEM_ARRAY(context, double, n);
    a->length = MEM_ARRAY(context, double, n);
    a->inverse = MEM_ARRAY(context, double, nu);
    a->mobility = MEM_ARRAY(context, double, nu);
    a->x = MEM_ARRAY(context, double, nu);
    a->other_size = MEM_ARRAY(context, double, n);
    a->other_length = MEM_ARRAY(context, double, n);
    a->other_mobility = MEM_ARRAY(context, double, nu);
    bool others = a->other_size && a->other_length && a->other_mobility;
    if (a->left_out && a->size && a->length && a->inverse && a->mobility && a->x && others) return a;
    independent_destroy(context, a);
    return NULL;
}

zn_status independent_find(zn_context *context, const zn_model *model, const zn_point *at, independent_wish wish, independent **out) {
    *out = NULL;
    const zn_patterns *p = &model->pattern;
    size_t nu = (size_t)model->size.nu, rows = (size_t)model_rows(model);
    if (model_row_N(model) < 1) return ZN_OK;
    independent *a = begin(context, model);
    if (!a) return ZN_ERROR_MEMORY;
    a->wish = wish;
    point_values v = {.work = mem_array(context, model->work_bytes, 1),
                      .M = MEM_ARRAY(context, double, lin_nnz(&p->M)),
                      .W = MEM_ARRAY(context, double, lin_nnz(&p->W)),
                      .c1_u = MEM_ARRAY(context, double, lin_nnz(&p->c1_u)),
                      .c2 = MEM_ARRAY(context, double, rows),
                      .u = MEM_ARRAY(context, double, nu),
                      .zero = MEM_ARRAY(context, double, nu)};
    bool memory = v.work && v.M && v.W && v.c1_u && v.c2 && v.u && v.zero;
    zn_status status = memory ? look(context, a, &v, at) : ZN_ERROR_MEMORY;
    void *blocks[] = {v.work, v.M, v.W, v.c1_u, v.c2, v.u, v.zero};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    if (status == ZN_OK && a->count > 0) *out = a;
    else independent_destroy(context, a);
    return status;
}

void independent_destroy(zn_context *context, independent *a) {
    if (!a) return;
    for (int i = 0; a->groups && i < a->n_groups; i++) {
        row_group *g = &a->groups[i];
        forget_factors(context, g);
        void *blocks[] = {g->row, g->coordinate, g->C, g->other_C, g->Z, g->p, g->z};
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) mem_free(context, blocks[k]);
    }
    void *blocks[] = {a->groups, a->left_out,   a->size,         a->length,         a->inverse, a->mobility,
                      a->x,      a->other_size, a->other_length, a->other_mobility, a};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

/* ---- as bytes ---- */

static bool are_rows(const row_group *g, int n) {
    bool good = g->kept >= 0 && g->kept <= g->n;
    for (int j = 0; j < g->n; j++) good = good && g->row[j] >= 0 && g->row[j] < n;
    return good;
}

static zn_status carry_group(zn_context *context, independent *a, row_group *g, byte_stream *b) {
    BYTES_PASS(b, g->kept);
    BYTES_PASS_ARRAY(b, g->row, g->n);
    if (b->missing || !are_rows(g, model_row_N(a->model))) return ZN_ERROR_ARGUMENT;
    if (g->kept == g->n) return ZN_OK;
    zn_status status = b->way == BYTES_READ ? take_choice(context, a->model, g) : ZN_OK;
    if (status == ZN_OK) BYTES_PASS_ARRAY(b, g->C, (size_t)g->kept * (size_t)(g->n - g->kept));
    if (b->way == BYTES_READ) a->count += g->n - g->kept;
    return status;
}

zn_status independent_carry(zn_context *context, const zn_model *model, byte_stream *b, independent **choice) {
    unsigned char there = b->way != BYTES_READ && *choice;
    size_t n = (size_t)model_row_N(model), nu = (size_t)model->size.nu;
    zn_status status = ZN_OK;
    BYTES_PASS(b, there);
    if (b->way == BYTES_READ) *choice = NULL;
    if (!there) return ZN_OK;
    independent *a = b->way == BYTES_READ ? begin(context, model) : *choice;
    if (!a) return ZN_ERROR_MEMORY;
    if (b->way == BYTES_READ) status = make_groups(context, a);
    BYTES_PASS_ARRAY(b, a->left_out, n);
    BYTES_PASS_ARRAY(b, a->size, n);
    BYTES_PASS_ARRAY(b, a->length, n);
    BYTES_PASS_ARRAY(b, a->inverse, nu);
    BYTES_PASS_ARRAY(b, a->mobility, nu);
    for (int i = 0; i < a->n_groups && status == ZN_OK; i++) status = carry_group(context, a, &a->groups[i], b);
    if (b->way != BYTES_READ) return status;
    if (status == ZN_OK) *choice = a;
    else independent_destroy(context, a);
    return status;
}

const bool *independent_left_out(const independent *a) { return a->left_out; }
int independent_count(const independent *a) { return a->count; }
