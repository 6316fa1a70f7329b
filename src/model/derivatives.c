/* SPDX-License-Identifier: Apache-2.0 */
/* Every derivative of a model against differences: with f_k = f(x + k e),
 *
 *     f'(x) = (45 (f_1 - f_-1) - 9 (f_2 - f_-2) + (f_3 - f_-3)) / (60 e) + O(e^6),
 *
 * because a lower order would show its own error where splines are short. */
#include "base/handle.h"
#include "linalg/linalg.h"
#include "model/model.h"

typedef enum variable { BY_Q, BY_U, BY_A, BY_LAMBDA, BY_TIME, BY_MOTION } variable;
typedef int answer(const zn_model *, void *work, const zn_point *, double *out);

enum { POINTS = 6 };

typedef struct checker {
    zn_context *context;
    const zn_model *model;
    void *work;
    const zn_point *at;
    double *q, *u, *a, *lambda; /* moved point */
    double *qdot;               /* at the point */
    double *value[POINTS], *difference, *matrix, *dense;
    zn_derivative_check *result;
    bool failed; /* a function of the model failed */
} checker;

static int qdot_of(const zn_model *m, void *w, const zn_point *at, double *out) {
    return m->kinematics(m, w, at, &(zn_kinematics){.qdot = out});
}
static int r_of(const zn_model *m, void *w, const zn_point *at, double *out) { return m->balance(m, w, at, &(zn_balance){.r = out}); }
static int impact_of(const zn_model *m, void *w, const zn_point *at, double *out) {
    return m->balance(m, w, at, &(zn_balance){.no_force = true, .r = out});
}
static int c0_of(const zn_model *m, void *w, const zn_point *at, double *out) {
    return m->constraints(m, w, at, &(zn_constraints){.c0 = out});
}
static int c1_of(const zn_model *m, void *w, const zn_point *at, double *out) {
    return m->constraints(m, w, at, &(zn_constraints){.c1 = out});
}
static int c2_of(const zn_model *m, void *w, const zn_point *at, double *out) {
    return m->constraints(m, w, at, &(zn_constraints){.c2 = out});
}
static int p_of(const zn_model *m, void *w, const zn_point *at, double *out) { return m->momentum(m, w, at, &(zn_momentum){.p = out}); }
static int b_of(const zn_model *m, void *w, const zn_point *at, double *out) { return m->momentum(m, w, at, &(zn_momentum){.b = out}); }

/* The answer with variable number `index` moved by e; BY_MOTION moves t, q and u along the motion. */
static void moved(checker *c, answer *f, variable by, int index, double e, double *out) {
    const zn_sizes *n = &c->model->size;
    memcpy(c->q, c->at->q, (size_t)n->nq * sizeof(double));
    memcpy(c->u, c->at->u, (size_t)n->nu * sizeof(double));
    memcpy(c->a, c->at->a, (size_t)n->nu * sizeof(double));
    memcpy(c->lambda, c->at->lambda, (size_t)model_rows(c->model) * sizeof(double));
    zn_point at = {c->at->t, c->q, c->u, c->a, c->lambda};
    if (by == BY_Q) c->q[index] += e;
    if (by == BY_U) c->u[index] += e;
    if (by == BY_A) c->a[index] += e;
    if (by == BY_LAMBDA) c->lambda[index] += e;
    if (by == BY_MOTION) {
        at.t += e;
        for (int i = 0; i < n->nq; i++) c->q[i] += e * c->qdot[i];
        for (int i = 0; i < n->nu; i++) c->u[i] += e * c->at->a[i];
    }
    if (f(c->model, c->work, &at, out)) c->failed = true;
}

static void differentiate(checker *c, answer *f, int rows, variable by, int index) {
    double step = 1e-4;    /* small against centimetres, large against round-off */
    if (by == BY_MOTION) { /* a fast motion is followed over the same distance */
        double fastest = 1;
        for (int i = 0; i < c->model->size.nq; i++) fastest = larger(fastest, fabs(c->qdot[i]));
        for (int i = 0; i < c->model->size.nu; i++) fastest = larger(fastest, fabs(c->at->a[i]));
        step /= fastest;
    }
    for (int k = 0; k < POINTS; k++) moved(c, f, by, index, (double[]){-3, -2, -1, 1, 2, 3}[k] * step, c->value[k]);
    for (int i = 0; i < rows; i++)
        c->difference[i] =
            (45 * (c->value[3][i] - c->value[2][i]) - 9 * (c->value[4][i] - c->value[1][i]) + (c->value[5][i] - c->value[0][i])) /
            (60 * step);
}

/* An entry: sign is that of the claimed matrix. */
typedef struct entry {
    const char *what;
    int row, column;
    double claimed, sign, size;
} entry;

static void compare(checker *c, const entry *e) {
    double difference = c->difference[e->row], error = fabs(e->claimed - difference) / larger(1, e->size);
    if (!is_worse(error, c->result->worst)) return;
    *c->result = (zn_derivative_check){error, e->what, e->row, e->column, e->sign * e->claimed, e->sign * difference};
}

/* Column by column; claimed entries outside the pattern are zero. sign is that of the claimed matrix (W = - dr/dlambda). */
static void check_matrix(checker *c, const char *what, const zn_pattern *p, bool transposed, double sign, const double *values, answer *f,
                         variable by) {
    int rows = transposed ? p->cols : p->rows, cols = transposed ? p->rows : p->cols;
    memset(c->dense, 0, (size_t)rows * (size_t)cols * sizeof(double));
    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            c->dense[transposed ? j + p->index[k] * rows : p->index[k] + j * rows] = sign * values[k];
    for (int j = 0; j < cols; j++) {
        differentiate(c, f, rows, by, j);
        double size = 0;
        for (int i = 0; i < rows; i++) size = larger(size, larger(fabs(c->value[0][i]), fabs(c->difference[i])));
        for (int i = 0; i < rows; i++) compare(c, &(entry){what, i, j, c->dense[i + j * rows], sign, size});
    }
}

static void check_rate(checker *c, const char *what, int rows, const double *claimed, answer *f, const bool *skip) {
    differentiate(c, f, rows, BY_MOTION, 0);
    for (int i = 0; i < rows; i++)
        if (!skip || !skip[i]) compare(c, &(entry){what, i, -1, claimed[i], 1, larger(fabs(claimed[i]), fabs(c->value[0][i]))});
}

static void check_kinematics(checker *c) {
    const zn_model *m = c->model;
    const zn_patterns *p = &m->pattern;
    if (m->kinematics(m, c->work, c->at, &(zn_kinematics){.qdot_q = c->matrix})) c->failed = true;
    check_matrix(c, "d qdot/dq", &p->qdot_q, false, 1, c->matrix, qdot_of, BY_Q);
    if (m->kinematics(m, c->work, c->at, &(zn_kinematics){.B = c->matrix})) c->failed = true;
    check_matrix(c, "B", &p->B, false, 1, c->matrix, qdot_of, BY_U);
    if (m->kinematics(m, c->work, c->at, &(zn_kinematics){.qddot = c->matrix})) c->failed = true;
    check_rate(c, "qddot", m->size.nq, c->matrix, qdot_of, NULL);
}

static void check_balance(checker *c, bool no_force) {
    const zn_model *m = c->model;
    const zn_patterns *p = &m->pattern;
    answer *f = no_force ? impact_of : r_of;
    if (m->balance(m, c->work, c->at, &(zn_balance){.no_force = no_force, .r_q = c->matrix})) c->failed = true;
    check_matrix(c, no_force ? "d r/dq without force" : "d r/dq", &p->r_q, false, 1, c->matrix, f, BY_Q);
    if (m->balance(m, c->work, c->at, &(zn_balance){.no_force = no_force, .r_u = c->matrix})) c->failed = true;
    check_matrix(c, no_force ? "d r/du without force" : "d r/du", &p->r_u, false, 1, c->matrix, f, BY_U);
    if (m->balance(m, c->work, c->at, &(zn_balance){.no_force = no_force, .M = c->matrix})) c->failed = true;
    check_matrix(c, "M", &p->M, false, 1, c->matrix, f, BY_A);
    if (m->balance(m, c->work, c->at, &(zn_balance){.no_force = no_force, .W = c->matrix})) c->failed = true;
    check_matrix(c, "W", &p->W, false, -1, c->matrix, f, BY_LAMBDA);
}

static void check_constraints(checker *c) {
    const zn_model *m = c->model;
    const zn_patterns *p = &m->pattern;
    int n = model_rows(m), first_y = m->size.ng, first_N = model_row_N(m), first_F = model_row_F(m);
    if (m->constraints(m, c->work, c->at, &(zn_constraints){.c0_q = c->matrix})) c->failed = true;
    check_matrix(c, "d c0/dq", &p->c0_q, false, 1, c->matrix, c0_of, BY_Q);
    if (m->constraints(m, c->work, c->at, &(zn_constraints){.c1_q = c->matrix})) c->failed = true;
    check_matrix(c, "d c1/dq", &p->c1_q, false, 1, c->matrix, c1_of, BY_Q);
    if (m->constraints(m, c->work, c->at, &(zn_constraints){.c1_u = c->matrix})) c->failed = true;
    check_matrix(c, "d c1/du", &p->c1_u, true, 1, c->matrix, c1_of, BY_U);
    check_matrix(c, "d c2/da", &p->c1_u, true, 1, c->matrix, c2_of, BY_A);
    if (m->constraints(m, c->work, c->at, &(zn_constraints){.c2_q = c->matrix})) c->failed = true;
    check_matrix(c, "d c2/dq", &p->c2_q, false, 1, c->matrix, c2_of, BY_Q);
    if (m->constraints(m, c->work, c->at, &(zn_constraints){.c2_u = c->matrix})) c->failed = true;
    check_matrix(c, "d c2/du", &p->c2_u, false, 1, c->matrix, c2_of, BY_U);
    bool *no_position = MEM_ARRAY(c->context, bool, n);
    if (!no_position) return;
    for (int i = 0; i < n; i++) no_position[i] = (i >= first_y && i < first_N) || i >= first_F;
    if (c1_of(m, c->work, c->at, c->matrix)) c->failed = true;
    check_rate(c, "c1 as the rate of c0", n, c->matrix, c0_of, no_position);
    if (c2_of(m, c->work, c->at, c->matrix)) c->failed = true;
    check_rate(c, "c2 as the rate of c1", n, c->matrix, c1_of, NULL);
    mem_free(c->context, no_position);
}

/* Also dp/dt = b + W lambda along the motion with the accelerations that the balance asks for: r = dp/dt - b - W lambda. */
static void check_momentum(checker *c) {
    const zn_model *m = c->model;
    const zn_patterns *p = &m->pattern;
    if (m->momentum(m, c->work, c->at, &(zn_momentum){.p_q = c->matrix})) c->failed = true;
    check_matrix(c, "d p/dq", &p->p_q, false, 1, c->matrix, p_of, BY_Q);
    if (m->balance(m, c->work, c->at, &(zn_balance){.M = c->matrix})) c->failed = true;
    check_matrix(c, "M as d p/du", &p->M, false, 1, c->matrix, p_of, BY_U);
    if (m->momentum(m, c->work, c->at, &(zn_momentum){.b_q = c->matrix})) c->failed = true;
    check_matrix(c, "d b/dq", &p->b_q, false, 1, c->matrix, b_of, BY_Q);
    if (m->momentum(m, c->work, c->at, &(zn_momentum){.b_u = c->matrix})) c->failed = true;
    check_matrix(c, "d b/du", &p->b_u, false, 1, c->matrix, b_of, BY_U);
    zn_point free_of_rows = *c->at;
    free_of_rows.lambda = NULL;
    double *b = c->value[0];
    if (b_of(m, c->work, &free_of_rows, b)) c->failed = true;
    if (m->balance(m, c->work, &free_of_rows, &(zn_balance){.r = c->matrix})) c->failed = true;
    for (int i = 0; i < m->size.nu; i++) c->matrix[i] += b[i];
    check_rate(c, "r + b as the rate of p", m->size.nu, c->matrix, p_of, NULL);
}

static int largest_matrix(const zn_model *m) {
    const zn_patterns *p = &m->pattern;
    const zn_pattern *list[] = {&p->qdot_q, &p->B,    &p->r_q,  &p->r_u,  &p->M,   &p->W,   &p->c0_q,
                                &p->c1_q,   &p->c1_u, &p->c2_q, &p->c2_u, &p->p_q, &p->b_q, &p->b_u};
    int largest = m->size.nq + m->size.nu + model_rows(m);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) largest = lin_nnz(list[i]) > largest ? lin_nnz(list[i]) : largest;
    return largest;
}

zn_status zn_model_check_derivatives(zn_context *context, const zn_model *model, const zn_point *at, zn_derivative_check *result) {
    NEED_CONTEXT(context);
    NEED(context, result);
    *result = (zn_derivative_check){.worst = NAN, .what = "nothing", .column = -1};
    zn_status status = model_check(context, model, __func__);
    if (status != ZN_OK) return status;
    NEED(context, at);
    if (!at->q || !at->u || !at->a || (!at->lambda && model_rows(model)))
        return fail(context, ZN_ERROR_ARGUMENT, "%s: q, u, a and lambda of the point must be given", __func__);
    *result = (zn_derivative_check){.what = "all", .column = -1};
    checker c = {.context = context, .model = model, .at = at, .result = result};
    size_t nq = (size_t)model->size.nq, nu = (size_t)model->size.nu, n = (size_t)model_rows(model), most = nq + nu + n;
    double *memory =
        MEM_ARRAY(context, double, (POINTS + 2) * most + nq + (size_t)largest_matrix(model) + most * most + 2 * nq + 2 * nu + n);
    c.work = mem_array(context, model->work_bytes, 1);
    if (!memory || !c.work) {
        mem_free(context, memory);
        mem_free(context, c.work);
        return ZN_ERROR_MEMORY;
    }
    double *next = memory;
    for (int i = 0; i < POINTS; i++, next += most) c.value[i] = next;
    c.difference = next, next += most;
    c.dense = next, next += most * most;
    c.q = next, next += nq;
    c.u = next, next += nu;
    c.a = next, next += nu;
    c.lambda = next, next += n;
    c.qdot = next, next += nq;
    c.matrix = next;
    c.failed = qdot_of(model, c.work, at, c.qdot) != 0;
    check_kinematics(&c);
    check_balance(&c, false);
    check_balance(&c, true);
    if (n) check_constraints(&c);
    if (model->lagrangian) check_momentum(&c);
    mem_free(context, memory);
    mem_free(context, c.work);
    if (!c.failed) return ZN_OK;
    *result = (zn_derivative_check){.worst = NAN, .what = "nothing", .column = -1};
    return fail(context, ZN_ERROR_NOT_FINITE, "%s: the model cannot answer near this point", __func__);
}
