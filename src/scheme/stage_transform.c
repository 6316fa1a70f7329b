/* SPDX-License-Identifier: Apache-2.0 */
#include "scheme/stage_transform.h"
#include "linalg/complex_lu.h"
#include "linalg/dense.h"
#include "linalg/gmres.h"

#include <float.h>

/* Relative residual of a linear solve: wanted, and the largest one that is still better than factoring the full matrix. With
 * these Newton takes about as many iterations as with an LU; more digits cost only time. `ROUGH`: columns for contacts. */
static const double WANTED = 1e-6, ENOUGH = 1e-3, WANTED_ROUGH = 1e-3, ENOUGH_ROUGH = 1e-2;
/* Right-hand sides at a time; iterations before GMRES gives up. */
enum { WIDTH = 16, DEPTH = 20 };
/* Factors are kept for the next Jacobian of the same solve while they take at most this many iterations more than when new
 * (what the differences between the stages cost, new factors cost as well). New ones are worth about five. */
enum { KEEP_ITERATIONS = 3 };

typedef enum source {
    SOURCE_M,
    SOURCE_R_Q,
    SOURCE_R_U,
    SOURCE_W,
    SOURCE_C0_Q,
    SOURCE_C1_Q,
    SOURCE_C1_U,
    SOURCE_QDOT_Q,
    SOURCE_B,
    SOURCE_COUNT,
    SOURCE_ONE
} source;

/* factor h^h_power lambda^lambda_power times a piece of a mean matrix, at (row, col) of the block of an eigenvalue. */
typedef struct piece {
    const block_cut *cut;
    source from;
    int row, col, h_power, lambda_power;
    double factor;
} piece;

/* A kind of unknowns: dU, dQ or dPi_b. */
typedef struct part {
    int size, first, local; /* of one stage; column of stage 0 in x; column in the block of an eigenvalue */
} part;

enum { PARTS = 3, PIECES = 10 };

struct stage_transform {
    zn_context *context;
    const stages *s;
    int n; /* unknowns of one stage */
    part parts[PARTS];
    lin_eigen eigen;
    piece pieces[PIECES];
    int n_pieces;
    int count[SOURCE_COUNT];
    double *mean[SOURCE_COUNT], *memory; /* of the values now; the factors belong to `kept` at h_kept */
    double *kept;
    size_t n_values;
    double h_kept;
    bool factored, is_new; /* factors exist; they belong to the last Jacobian */
    bool current, gave_up; /* they were asked for in this solve; it needs the full matrix */
    int worst, new_worst;  /* iterations since the last Jacobian; since the last factorisation */
    lin_matrix *real[LIN_EIGEN_MAX];
    lin_lu *real_lu[LIN_EIGEN_MAX];
    lin_complex_lu *complex_lu[LIN_EIGEN_MAX];
    double *b_real, *sum, *U, *Q; /* n x WIDTH; nx x WIDTH; columns of one stage */
    double complex *b_complex;
    lin_gmres *gmres;
    stage_transform_counts counts;
};

bool stage_transform_pays(const stages *s) {
    const cone_problem *p = &s->problem;
    if (s->m < 2 || p->nx < STAGE_TRANSFORM_SIZE || !lin_matrix_is_dense(p->phi_x)) return false;
    return p->ny <= STAGE_TRANSFORM_CONTACTS * (s->m - 1) * p->nx / s->m;
}

stage_transform_counts stage_transform_count(const stage_transform *t) { return t->counts; }

static const zn_pattern *source_pattern(const zn_model *model, source from) {
    const zn_patterns *p = &model->pattern;
    const zn_pattern *list[SOURCE_COUNT] = {&p->M, &p->r_q, &p->r_u, &p->W, &p->c0_q, &p->c1_q, &p->c1_u, &p->qdot_q, &p->B};
    return list[from];
}

static const double *source_values(const answers *at, source from) {
    const double *list[SOURCE_COUNT] = {at->M, at->r_q, at->r_u, at->W, at->c0_q, at->c1_q, at->c1_u, at->qdot_q, at->B};
    return list[from];
}

/* ---- the blocks of the eigenvalues ---- */

static void add_piece(stage_transform *t, const block_cut *cut, source from, int row, int col, double factor, int h_power,
                      int lambda_power) {
    t->pieces[t->n_pieces++] = (piece){cut, from, row, col, h_power, lambda_power, factor};
}

/* A derivative by Q: of natural models dQ_i = h sum_k (A A)_ik dU_k, else dQ_i = sum_k a_ik dQ_k. */
static void add_by_Q(stage_transform *t, const block_cut *cut, source from, int row, double factor, int h_power) {
    bool natural = t->s->natural;
    add_piece(t, cut, from, row, t->parts[natural ? 0 : 1].local, factor, h_power + natural, natural ? 2 : 1);
}

static void describe(stage_transform *t) {
    const stages *s = t->s;
    const stages_cuts *c = &s->cuts;
    int sizes[PARTS] = {s->model->size.nu, s->natural ? 0 : s->model->size.nq, s->nb};
    for (int k = 0; k < PARTS; k++) {
        t->parts[k] = (part){sizes[k], s->m * t->n, t->n};
        t->n += sizes[k];
    }
    int U = 0, Q = t->parts[1].local, P = t->parts[2].local, y = P + s->model->size.ng;
    add_piece(t, &c->M, SOURCE_M, U, U, 1, 0, 0);
    add_piece(t, &c->r_u, SOURCE_R_U, U, U, 1, 1, 1);
    add_by_Q(t, &c->r_q, SOURCE_R_Q, U, 1, 1);
    add_piece(t, &c->W_b, SOURCE_W, U, P, -1, 0, 0);
    add_by_Q(t, &c->g_q, SOURCE_C0_Q, P, 1, 0);
    add_by_Q(t, &c->y_q, SOURCE_C1_Q, y, 1, 0);
    add_piece(t, &c->y_u, SOURCE_C1_U, y, U, 1, 0, 1);
    if (s->natural) return;
    add_piece(t, &c->one, SOURCE_ONE, Q, Q, 1, 0, 0);
    add_by_Q(t, &c->qdot_q, SOURCE_QDOT_Q, Q, -1, 1);
    add_piece(t, &c->B, SOURCE_B, Q, U, -1, 1, 1);
}

static double complex coefficient_of(const piece *p, double h, double complex lambda) {
    double complex value = p->factor;
    for (int k = 0; k < p->h_power; k++) value *= h;
    for (int k = 0; k < p->lambda_power; k++) value *= lambda;
    return value;
}

static const double *piece_values(const stage_transform *t, const piece *p) {
    static const double one = 1;
    return p->from == SOURCE_ONE ? &one : t->mean[p->from];
}

static zn_status factor_real(stage_transform *t, int e) {
    double *values = lin_matrix_values(t->real[e]);
    lin_matrix_zero(t->real[e]);
    for (int b = 0; b < t->n_pieces; b++) {
        const piece *p = &t->pieces[b];
        const block_cut *cut = p->cut;
        const double *v = piece_values(t, p);
        double factor = creal(coefficient_of(p, t->s->h, t->eigen.value[e]));
        for (int k = 0; k < cut->count; k++)
            values[(size_t)(p->col + cut->col[k]) * (size_t)t->n + (size_t)(p->row + cut->row[k])] += factor * v[cut->from[k]];
    }
    return lin_lu_factor(t->real_lu[e], t->real[e], true);
}

static zn_status factor_complex(stage_transform *t, int e) {
    double complex *values = lin_complex_lu_matrix(t->complex_lu[e]);
    memset(values, 0, (size_t)t->n * (size_t)t->n * sizeof *values);
    for (int b = 0; b < t->n_pieces; b++) {
        const piece *p = &t->pieces[b];
        const block_cut *cut = p->cut;
        const double *v = piece_values(t, p);
        double complex factor = coefficient_of(p, t->s->h, t->eigen.value[e]);
        for (int k = 0; k < cut->count; k++)
            values[(size_t)(p->col + cut->col[k]) * (size_t)t->n + (size_t)(p->row + cut->row[k])] += factor * v[cut->from[k]];
    }
    return lin_complex_lu_factor(t->complex_lu[e]);
}

/* ---- factors ---- */

/* False: a value is not finite. */
static bool take_means(stage_transform *t) {
    const stages *s = t->s;
    double share = 1.0 / s->m;
    int bad = 0;
    memset(t->memory, 0, t->n_values * sizeof *t->memory);
    for (int from = 0; from < SOURCE_COUNT; from++)
        for (int i = 0; i < s->m; i++) {
            const double *restrict v = source_values(&s->at[i], from);
            double *restrict mean = t->mean[from];
            for (int k = 0; k < t->count[from]; k++) mean[k] += share * v[k];
        }
    for (size_t k = 0; k < t->n_values; k++) bad |= !(fabs(t->memory[k]) <= DBL_MAX);
    return !bad;
}

zn_status stage_transform_factor(stage_transform *t) {
    size_t bytes = t->n_values * sizeof *t->memory;
    if (t->gave_up) return ZN_ERROR_NO_CONVERGENCE;
    if (!take_means(t)) return ZN_ERROR_NOT_FINITE;
    bool same = t->factored && t->h_kept == t->s->h && memcmp(t->memory, t->kept, bytes) == 0;
    bool keep = same || (t->factored && t->current && t->h_kept == t->s->h && t->worst <= t->new_worst + KEEP_ITERATIONS);
    t->worst = 0;
    t->current = true;
    t->is_new = same; /* equal factors count as new: what an earlier step did with them must not matter */
    if (keep) {
        t->counts.kept++;
        return ZN_OK;
    }
    t->counts.factorisations++;
    t->factored = false;
    zn_status status = ZN_OK;
    for (int e = 0; e < t->eigen.count && status == ZN_OK; e++) status = t->real[e] ? factor_real(t, e) : factor_complex(t, e);
    if (status != ZN_OK) return status;
    t->factored = t->is_new = true;
    t->h_kept = t->s->h;
    memcpy(t->kept, t->memory, bytes);
    return ZN_OK;
}

/* ---- the preconditioner: (T x 1) diag of inverses (T^-1 x 1) ---- */

/* block += weight x_k and back, over the unknowns of stage k. A complex block is two real ones with a stride of 2. */
static void into_block(const stage_transform *t, int k, double weight, const double *x, double *block, int stride) {
    for (int p = 0; p < PARTS; p++) {
        const double *from = x + t->parts[p].first + k * t->parts[p].size;
        double *to = block + t->parts[p].local * stride;
        for (int j = 0; j < t->parts[p].size; j++) to[j * stride] += weight * from[j];
    }
}

static void from_block(const stage_transform *t, int k, double weight, const double *block, int stride, double *x) {
    for (int p = 0; p < PARTS; p++) {
        const double *from = block + t->parts[p].local * stride;
        double *to = x + t->parts[p].first + k * t->parts[p].size;
        for (int j = 0; j < t->parts[p].size; j++) to[j] += weight * from[j * stride];
    }
}

static void add_real(stage_transform *t, int e, const double *b, int columns) {
    const lin_eigen *eigen = &t->eigen;
    size_t n = (size_t)t->n, nx = (size_t)t->s->problem.nx, count = (size_t)columns;
    memset(t->b_real, 0, n * count * sizeof *t->b_real);
    for (size_t c = 0; c < count; c++)
        for (int k = 0; k < t->s->m; k++) into_block(t, k, creal(eigen->inverse[e][k]), b + c * nx, t->b_real + c * n, 1);
    lin_lu_solve_many(t->real_lu[e], t->b_real, columns);
    for (size_t c = 0; c < count; c++)
        for (int k = 0; k < t->s->m; k++) from_block(t, k, creal(eigen->T[e][k]), t->b_real + c * n, 1, t->sum + c * nx);
}

/* A pair: its conjugate doubles the real part and takes away the imaginary one. */
static void add_pair(stage_transform *t, int e, const double *b, int columns) {
    const lin_eigen *eigen = &t->eigen;
    size_t n = (size_t)t->n, nx = (size_t)t->s->problem.nx, count = (size_t)columns;
    memset(t->b_complex, 0, n * count * sizeof *t->b_complex);
    for (size_t c = 0; c < count; c++) {
        double *block = (double *)(t->b_complex + c * n);
        for (int k = 0; k < t->s->m; k++) {
            into_block(t, k, creal(eigen->inverse[e][k]), b + c * nx, block, 2);
            into_block(t, k, cimag(eigen->inverse[e][k]), b + c * nx, block + 1, 2);
        }
    }
    lin_complex_lu_solve(t->complex_lu[e], t->b_complex, columns);
    for (size_t c = 0; c < count; c++) {
        const double *block = (const double *)(t->b_complex + c * n);
        for (int k = 0; k < t->s->m; k++) {
            from_block(t, k, 2 * creal(eigen->T[e][k]), block, 2, t->sum + c * nx);
            from_block(t, k, -2 * cimag(eigen->T[e][k]), block + 1, 2, t->sum + c * nx);
        }
    }
}

static void precondition(void *user, double *b, int columns) {
    stage_transform *t = user;
    size_t bytes = (size_t)t->s->problem.nx * (size_t)columns * sizeof *b;
    memset(t->sum, 0, bytes);
    for (int e = 0; e < t->eigen.count; e++) t->real[e] ? add_real(t, e, b, columns) : add_pair(t, e, b, columns);
    memcpy(b, t->sum, bytes);
}

/* ---- the exact phi_x, stage by stage ---- */

/* y += factor A x for a matrix of the model. */
static void add_product(const zn_pattern *p, const double *values, double factor, const double *x, int ldx, double *y, int ldy,
                        int columns) {
    int entries = lin_nnz(p);
    if (entries == 0) return;
    if (entries == p->rows * p->cols) lin_dense_multiply_many((lin_product){p->rows, p->cols, columns, ldx, ldy}, values, x, factor, y);
    else
        for (int c = 0; c < columns; c++) lin_multiply(p, values, factor, x + (size_t)c * (size_t)ldx, y + (size_t)c * (size_t)ldy);
}

static void add_cut(const block_cut *cut, const double *values, double factor, const double *x, int ldx, double *y, int ldy, int columns) {
    for (int c = 0; c < columns; c++, x += ldx, y += ldy)
        for (int k = 0; k < cut->count; k++) y[cut->row[k]] += factor * values[cut->from[k]] * x[cut->col[k]];
}

/* to = factor sum_k weights[k] x_k of one kind of unknowns, columns packed */
static void combine(const stage_transform *t, const part *kind, const double *weights, double factor, const double *x, double *to,
                    int columns) {
    size_t nx = (size_t)t->s->problem.nx, size = (size_t)kind->size;
    memset(to, 0, size * (size_t)columns * sizeof *to);
    for (size_t c = 0; c < (size_t)columns; c++)
        for (int k = 0; k < t->s->m; k++) {
            const double *from = x + c * nx + kind->first + k * kind->size;
            double weight = factor * weights[k];
            for (size_t j = 0; j < size; j++) to[c * size + j] += weight * from[j];
        }
}

static void multiply_stage(stage_transform *t, int i, const double *x, double *y, int columns) {
    const stages *s = t->s;
    const zn_patterns *p = &s->model->pattern;
    const stages_cuts *cut = &s->cuts;
    const answers *at = &s->at[i];
    const part *U = &t->parts[0], *Q = &t->parts[1], *P = &t->parts[2];
    int nx = s->problem.nx, nu = U->size, nq = s->model->size.nq;
    combine(t, U, s->A + i * s->m, 1, x, t->U, columns);
    if (s->natural) combine(t, U, s->AA + i * s->m, s->h, x, t->Q, columns);
    else combine(t, Q, s->A + i * s->m, 1, x, t->Q, columns);
    double *balance = y + U->first + i * nu, *bilateral = y + P->first + i * P->size, *level = bilateral + s->model->size.ng;
    add_product(&p->M, at->M, 1, x + U->first + i * nu, nx, balance, nx, columns);
    add_product(&p->r_q, at->r_q, s->h, t->Q, nq, balance, nx, columns);
    add_product(&p->r_u, at->r_u, s->h, t->U, nu, balance, nx, columns);
    add_cut(&cut->W_b, at->W, -1, x + P->first + i * P->size, nx, balance, nx, columns);
    add_cut(&cut->g_q, at->c0_q, 1, t->Q, nq, bilateral, nx, columns);
    add_cut(&cut->y_q, at->c1_q, 1, t->Q, nq, level, nx, columns);
    add_cut(&cut->y_u, at->c1_u, 1, t->U, nu, level, nx, columns);
    if (s->natural) return;
    double *kinematics = y + Q->first + i * nq;
    const double *dQ = x + Q->first + i * nq;
    for (int c = 0; c < columns; c++)
        for (int j = 0; j < nq; j++) kinematics[(size_t)c * (size_t)nx + (size_t)j] += dQ[(size_t)c * (size_t)nx + (size_t)j];
    add_product(&p->qdot_q, at->qdot_q, -s->h, t->Q, nq, kinematics, nx, columns);
    add_product(&p->B, at->B, -s->h, t->U, nu, kinematics, nx, columns);
}

static void multiply(void *user, const double *x, double *y, int columns) {
    stage_transform *t = user;
    memset(y, 0, (size_t)t->s->problem.nx * (size_t)columns * sizeof *y);
    for (int i = 0; i < t->s->m; i++) multiply_stage(t, i, x, y, columns);
}

/* ---- solves ---- */

int stage_transform_solve(stage_transform *t, double *b, int columns, bool rough) {
    lin_gmres_system system = {t, multiply, precondition, t->s->phi_scale};
    int solved = rough ? lin_gmres_solve(t->gmres, &system, b, columns, WANTED_ROUGH, ENOUGH_ROUGH)
                       : lin_gmres_solve(t->gmres, &system, b, columns, WANTED, ENOUGH);
    int taken = lin_gmres_iterations(t->gmres);
    t->worst = taken > t->worst ? taken : t->worst;
    if (t->is_new) t->new_worst = t->worst;
    t->counts.solves++;
    t->counts.iterations += taken;
    if (solved < columns) {
        t->gave_up = true;
        t->counts.failures++;
    }
    return solved;
}

void stage_transform_begin(stage_transform *t) { t->current = t->gave_up = false; }

/* ---- memory ---- */

static zn_status create_real(stage_transform *t, int e) {
    lin_pattern full;
    zn_status status = lin_pattern_dense(t->context, t->n, t->n, &full);
    if (status != ZN_OK) return status;
    t->real[e] = lin_matrix_create(t->context, t->n);
    status =
        t->real[e] && lin_matrix_block(t->real[e], &full.p, false, 0, 0) >= 0 ? lin_matrix_finish(t->real[e], LIN_DENSE) : ZN_ERROR_MEMORY;
    if (status == ZN_OK && !(t->real_lu[e] = lin_lu_create(t->context, t->real[e]))) status = ZN_ERROR_MEMORY;
    lin_pattern_destroy(t->context, &full);
    return status;
}

static zn_status take_memory(stage_transform *t) {
    zn_context *context = t->context;
    const stages *s = t->s;
    size_t n = (size_t)t->n, nx = (size_t)s->problem.nx, nq = (size_t)s->model->size.nq, nu = (size_t)s->model->size.nu;
    for (int from = 0; from < SOURCE_COUNT; from++) {
        bool unused = s->natural && (from == SOURCE_QDOT_Q || from == SOURCE_B); /* not asked for */
        t->count[from] = unused ? 0 : lin_nnz(source_pattern(s->model, from));
        t->n_values += (size_t)t->count[from];
    }
    t->memory = MEM_ARRAY(context, double, t->n_values);
    t->kept = MEM_ARRAY(context, double, t->n_values);
    t->b_real = MEM_ARRAY(context, double, n *WIDTH);
    t->b_complex = MEM_ARRAY(context, double complex, n *WIDTH);
    t->sum = MEM_ARRAY(context, double, nx *WIDTH);
    t->U = MEM_ARRAY(context, double, nu *WIDTH);
    t->Q = MEM_ARRAY(context, double, nq *WIDTH);
    t->gmres = lin_gmres_create(context, s->problem.nx, WIDTH, DEPTH);
    if (!t->memory || !t->kept || !t->b_real || !t->b_complex || !t->sum || !t->U || !t->Q || !t->gmres) return ZN_ERROR_MEMORY;
    double *next = t->memory;
    for (int from = 0; from < SOURCE_COUNT; next += t->count[from], from++) t->mean[from] = next;
    zn_status status = ZN_OK;
    for (int e = 0; e < t->eigen.count && status == ZN_OK; e++) {
        if (cimag(t->eigen.value[e]) == 0) status = create_real(t, e);
        else if (!(t->complex_lu[e] = lin_complex_lu_create(context, t->n))) status = ZN_ERROR_MEMORY;
    }
    return status;
}

zn_status stage_transform_create(const stages *s, stage_transform **out) {
    *out = NULL;
    if (s->m > LIN_EIGEN_MAX) return ZN_OK;
    stage_transform *t = MEM_ARRAY(s->context, stage_transform, 1);
    if (!t) return ZN_ERROR_MEMORY;
    t->context = s->context;
    t->s = s;
    describe(t);
    zn_status status = lin_eigen_create(s->context, s->m, s->A, &t->eigen);
    bool good = status == ZN_OK && t->eigen.condition <= STAGE_TRANSFORM_CONDITION;
    if (good) status = take_memory(t);
    if (good && status == ZN_OK) {
        *out = t;
        return ZN_OK;
    }
    stage_transform_destroy(t);
    return status == ZN_ERROR_MEMORY ? ZN_ERROR_MEMORY : ZN_OK;
}

void stage_transform_destroy(stage_transform *t) {
    if (!t) return;
    zn_context *context = t->context;
    for (int e = 0; e < LIN_EIGEN_MAX; e++) {
        lin_lu_destroy(t->real_lu[e]);
        lin_matrix_destroy(t->real[e]);
        lin_complex_lu_destroy(t->complex_lu[e]);
    }
    lin_gmres_destroy(t->gmres);
    void *blocks[] = {t->memory, t->kept, t->b_real, t->b_complex, t->sum, t->U, t->Q, t};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}
