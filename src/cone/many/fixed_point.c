/* SPDX-License-Identifier: Apache-2.0 */
/* ADMM, that is Douglas-Rachford splitting in one variable v, with the matrix factored once for many iterations:
 *
 *     W + rho I, factored
 *     z = P_K(v),  y = v - z                                   -rho y estimates u + g n
 *     s = rho (mu |y_T| + nu |y_R|) n                          g, renewed in every iteration
 *     x = (W + rho I)^-1 (rho (z - y) - q - s)
 *     v <- v + alpha (x - z)
 *
 * rho follows the ratio of the two kinds of error. alpha = 1 is robust; alpha = 1.6 with Anderson's acceleration is faster on easy
 * problems, but can cycle, since g is not monotone: it comes first and ends soon. z is the candidate that is judged. */
#include "cone/many/system.h"

#include "linalg/dense.h"

enum { LOOK_EVERY = 10, WINDOW = 10 };
#define RHO_START 0.3
#define RHO_LEAST 1e-7
#define RHO_MOST 1e3
#define RELAXATION_FAST 1.6
#define IMBALANCE 5          /* ratio of the errors from which rho is changed */
#define FACTOR_MOST 10       /* of rho at once */
#define ANDERSON_SHIFT 1e-10 /* of the normal equations, relative to their trace */
#define ANDERSON_REJECT 2    /* growth of the step that sends the iteration back to the plain image */

/* Anderson's memory: differences of v and of the plain step T(v) - v. */
typedef struct memory {
    double *dv, *df, *last_v, *last_f; /* WINDOW x m, WINDOW x m, m, m */
    int columns, next;
    bool has_last;
    double last_size;
} memory;

static bool create(many_system *s) {
    if (!many_need_factors(s)) return false;
    if (s->shift) return true;
    s->history = MEM_ARRAY(s->context, double, (2 * WINDOW + 2) * s->room.rows);
    s->shift = MEM_ARRAY(s->context, double, s->room.rows *CONTACT_ROWS_MOST);
    if (s->history && s->shift) return true;
    many_fixed_point_destroy(s);
    return false;
}

void many_fixed_point_destroy(many_system *s) {
    mem_free(s->context, s->shift);
    mem_free(s->context, s->history);
    s->shift = s->history = NULL;
}

static zn_status factor(many_system *s) {
    int d = s->d;
    memset(s->shift, 0, (size_t)(s->m * d) * sizeof(double));
    for (int c = 0; c < s->n; c++)
        for (int i = 0; i < d; i++) s->shift[(c * d + i) * d + i] = s->rho;
    s->out->factorisations++;
    lin_block_values matrix = {.blocks = s->W, .transposed = s->symmetric ? NULL : s->transposed, .diagonal = s->shift};
    return lin_block_lu_factor(s->factors, &matrix) == 0 ? ZN_OK : ZN_ERROR_SINGULAR;
}

static void project_all(const many_system *s, const double *v, double *z) {
    memcpy(z, v, (size_t)s->m * sizeof(double));
    for (int c = 0; c < s->n; c++) many_project(s, c, z + c * s->d);
}

/* x from v and z. */
static void resolve(many_system *s) {
    int d = s->d;
    for (int c = 0; c < s->n; c++) {
        double y[CONTACT_ROWS_MOST];
        for (int i = 0; i < d; i++) {
            int k = c * d + i;
            y[i] = s->v[k] - s->z[k];
            s->x[k] = s->rho * (s->z[k] - y[i]) - s->q[k];
        }
        s->x[c * d] -= s->rho * (s->mu[c] * many_norm(y + 1, s->nT) + s->nu[c] * many_norm(y + 1 + s->nT, s->nR));
    }
    lin_block_lu_solve(s->factors, s->x);
    s->out->solves++;
}

/* v = r + (a - P_K(a))/rho,  a = r - u - g n: the iteration whose z is r. */
static void begin(many_system *s) {
    int d = s->d;
    many_velocities(s, s->best, s->u);
    for (int c = 0; c < s->n; c++) {
        double a[CONTACT_ROWS_MOST], z[CONTACT_ROWS_MOST];
        const double *u = s->u + c * d, *r = s->best + c * d;
        for (int i = 0; i < d; i++) a[i] = r[i] - u[i];
        a[0] -= s->mu[c] * many_norm(u + 1, s->nT) + s->nu[c] * many_norm(u + 1 + s->nT, s->nR);
        memcpy(z, a, sizeof z);
        many_project(s, c, z);
        for (int i = 0; i < d; i++) s->v[c * d + i] = r[i] + (a[i] - z[i]) / s->rho;
    }
}

/* Anderson's step of type II from v with the plain step f; false: the plain one is to be taken. */
static bool extrapolate(memory *h, int m, double *v, const double *f) {
    int n = h->columns;
    double G[WINDOW * WINDOW], b[WINDOW], trace = 0;
    if (n < 2) return false;
    for (int i = 0; i < n; i++) {
        const double *a = h->df + (size_t)i * (size_t)m;
        b[i] = 0;
        for (int k = 0; k < m; k++) b[i] += a[k] * f[k];
        for (int j = 0; j <= i; j++) {
            const double *c = h->df + (size_t)j * (size_t)m;
            double sum = 0;
            for (int k = 0; k < m; k++) sum += a[k] * c[k];
            G[i + j * n] = G[j + i * n] = sum;
        }
        trace += G[i + i * n];
    }
    for (int i = 0; i < n; i++) G[i + i * n] += ANDERSON_SHIFT * trace;
    if (lin_dense_cholesky_factor(n, G) != 0) return false;
    lin_dense_cholesky_solve(n, G, b, 1);
    for (int k = 0; k < m; k++) v[k] += f[k];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++) v[k] -= b[i] * (h->dv[(size_t)i * (size_t)m + (size_t)k] + h->df[(size_t)i * (size_t)m + (size_t)k]);
    return true;
}

/* v <- the next iterate, f = T(v) - v in s->work. */
static void accelerated_step(many_system *s, memory *h) {
    int m = s->m;
    double *f = s->work, size = many_norm(f, m);
    if (h->has_last && size > ANDERSON_REJECT * h->last_size) { /* back to the plain image of the last point */
        for (int k = 0; k < m; k++) s->v[k] = h->last_v[k] + h->last_f[k];
        h->columns = h->next = 0;
        h->has_last = false;
        return;
    }
    if (h->has_last) {
        double *dv = h->dv + (size_t)h->next * (size_t)m, *df = h->df + (size_t)h->next * (size_t)m;
        for (int k = 0; k < m; k++) {
            dv[k] = s->v[k] - h->last_v[k];
            df[k] = f[k] - h->last_f[k];
        }
        h->next = (h->next + 1) % WINDOW;
        if (h->columns < WINDOW) h->columns++;
    }
    memcpy(h->last_v, s->v, (size_t)m * sizeof(double));
    memcpy(h->last_f, f, (size_t)m * sizeof(double));
    h->last_size = size;
    h->has_last = true;
    if (!extrapolate(h, m, s->v, f))
        for (int k = 0; k < m; k++) s->v[k] += f[k];
}

/* Sum of log(|x - z+| / (rho |z+ - z|)), z+ = P_K(v+), since the last change of rho. */
typedef struct balance {
    double sum;
    int count, since, factorisations;
} balance;

static void weigh(many_system *s, balance *b, double *next_z) {
    double primal = 0, dual = 0;
    project_all(s, s->v, next_z);
    for (int k = 0; k < s->m; k++) {
        primal += (s->x[k] - next_z[k]) * (s->x[k] - next_z[k]);
        dual += (next_z[k] - s->z[k]) * (next_z[k] - s->z[k]);
    }
    if (primal > 0 && dual > 0) {
        b->sum += log(sqrt(primal) / (s->rho * sqrt(dual)));
        b->count++;
    }
}

/* Changes rho where one error outweighs the other; y = v - z is divided by the factor. */
static zn_status rebalance(many_system *s, balance *b, bool *changed) {
    int wait = b->factorisations < 4 ? 15 : b->factorisations < 8 ? 60 : 400;
    *changed = false;
    if (++b->since < wait || b->count == 0) return ZN_OK;
    double ratio = exp(b->sum / b->count), factor_ = sqrt(ratio);
    *b = (balance){.factorisations = b->factorisations};
    if (ratio < IMBALANCE && ratio > 1.0 / IMBALANCE) return ZN_OK;
    double rho = s->rho * larger(smaller(factor_, FACTOR_MOST), 1.0 / FACTOR_MOST);
    rho = larger(smaller(rho, RHO_MOST), RHO_LEAST);
    if (rho == s->rho) return ZN_OK;
    project_all(s, s->v, s->z);
    for (int k = 0; k < s->m; k++) s->v[k] = s->z[k] + (s->v[k] - s->z[k]) * s->rho / rho;
    s->rho = rho;
    b->factorisations++;
    *changed = true;
    return factor(s);
}

zn_status many_fixed_point(many_system *s, fixed_point_plan plan) {
    int m = s->m;
    if (!create(s)) return ZN_ERROR_MEMORY;
    bool fresh = !s->has_v || !plan.go_on, changed;
    if (fresh) {
        if (!s->has_v) s->rho = RHO_START;
        begin(s);
    }
    s->has_v = true;
    zn_status status = factor(s);
    memory h = {.dv = s->history,
                .df = s->history + (size_t)WINDOW * (size_t)m,
                .last_v = s->history + (size_t)(2 * WINDOW) * (size_t)m,
                .last_f = s->history + (size_t)(2 * WINDOW + 1) * (size_t)m};
    balance b = {0};
    double alpha = plan.accelerate ? RELAXATION_FAST : 1;
    for (int k = 1; k <= plan.iterations && status == ZN_OK; k++) {
        if (base_stopped(s->context)) return ZN_STOPPED;
        project_all(s, s->v, s->z);
        if (k % LOOK_EVERY == 0 && many_offer(s, s->z, s->u)) return ZN_OK;
        resolve(s);
        s->out->fixed_point_iterations++;
        for (int i = 0; i < m; i++) s->work[i] = alpha * (s->x[i] - s->z[i]);
        if (plan.accelerate) accelerated_step(s, &h);
        else
            for (int i = 0; i < m; i++) s->v[i] += s->work[i];
        weigh(s, &b, s->u);
        status = rebalance(s, &b, &changed);
        if (changed) h.columns = h.next = 0, h.has_last = false;
    }
    if (status != ZN_OK) return status;
    project_all(s, s->v, s->z);
    return many_offer(s, s->z, s->u) ? ZN_OK : ZN_ERROR_NO_CONVERGENCE;
}
