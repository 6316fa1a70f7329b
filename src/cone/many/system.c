/* SPDX-License-Identifier: Apache-2.0 */
/* The scaled problem and its judge.
 *
 * Scale of contact c in each group (N, T, R): s = 1/sqrt(mean of the diagonal of W_cc in the group); a group whose mean is next to
 * nothing takes that of the whole diagonal. Then r = theta S r~, u = theta S^-1 u~, theta = max_c |S_c q_c|, and
 * mu~ = mu s_N/s_T, nu~ = nu s_N/s_R keep the form of cone and g. All diagonals are 1, and |q~| <= 1.
 *
 * Residuals, in the caller's units:
 *     in velocities   e_v = max_c |w r_c - P_K(w r_c - u_c - g n)| scale_c,   w = tr(W_cc)/d,  scale_c = 1/max |q_c| unless given
 *     natural map     e_1 = |r - P_K(r - u - g n)| / |q| */
#include "cone/many/velocity.h"

#include "cone/discrete_measure.h"

/* Groups below this part of the mean diagonal have no inertia of their own. */
#define NO_DIAGONAL 1e-6
/* Of numbers, in the factorisations of a huge system with bounded work: some seconds. */
#define PRODUCTS_MOST 1e10
/* How many times cheaper a factorisation is in the plane: blocks of 2 x 2 instead of 3 x 3 account for (3/2)^3 = 3.4, less fill for the rest, which is measured
 * (walls and pyramids against piles of 5000 and 20000 contacts), not derived. */
enum { PLANAR_CHEAPER = 8 };
/* Relative difference from which W counts as unsymmetric. */
#define ASYMMETRY 1e-12

double many_norm(const double *v, int n) { return cone_measure_norm(v, n); }

WIDE static void velocities_in_space(const many_system *s, const double *r, int first, int last, double *u) {
    for (int c = first; c < last; c++) velocity_of(3, s, r, c, u + c * 3);
}

WIDE static void velocities_in_plane(const many_system *s, const double *r, int first, int last, double *u) {
    for (int c = first; c < last; c++) velocity_of(2, s, r, c, u + c * 2);
}

void many_velocity(const many_system *s, const double *r, int c, double *u) {
    if (s->d == 3) velocity_of(3, s, r, c, u);
    else if (s->d == 2) velocity_of(2, s, r, c, u);
    else velocity_of(s->d, s, r, c, u);
}

static void run_tasks(const many_system *s, int contacts, void (*work)(void *, int, int), void *user) {
    base_team_run(s->team, contacts < MANY_SHARED ? 1 : s->threads, (contacts + MANY_TASK - 1) / MANY_TASK, work, user);
}

typedef struct velocities {
    const many_system *s;
    const double *r;
    double *u;
} velocities;

static void find_velocities(void *user, int task, int member) {
    (void)member;
    const velocities *v = user;
    int first = task * MANY_TASK, last = first + MANY_TASK < v->s->n ? first + MANY_TASK : v->s->n;
    if (v->s->d == 3) velocities_in_space(v->s, v->r, first, last, v->u);
    else if (v->s->d == 2) velocities_in_plane(v->s, v->r, first, last, v->u);
    else
        for (int c = first; c < last; c++) many_velocity(v->s, v->r, c, v->u + c * v->s->d);
}

void many_velocities(const many_system *s, const double *r, double *u) { run_tasks(s, s->n, find_velocities, &(velocities){s, r, u}); }

void many_project(const many_system *s, int c, double *z) { cone_measure_project(s->nT, s->mu[c], s->nR, s->nR ? s->nu[c] : 0, z); }

/* One pass over the blocks in order finds every mirror image: block (c, j) is the next one of row j that was not met yet. `reach` lends the memory
 * for that. */
static void find_mirror_images(many_system *s) {
    int *next = s->reach;
    for (int c = 0; c < s->n; c++) next[c] = s->start[c];
    for (int c = 0; c < s->n; c++)
        for (int k = s->start[c]; k < s->start[c + 1]; k++) s->transposed[k] = next[s->index[k]]++;
}

static bool is_symmetric(const many_system *s) {
    int d = s->d;
    for (int c = 0; c < s->n; c++)
        for (int k = s->start[c]; k < s->start[c + 1]; k++) {
            const double *a = s->W + (size_t)k * (size_t)(d * d), *b = s->W + (size_t)s->transposed[k] * (size_t)(d * d);
            for (int i = 0; i < d; i++)
                for (int j = 0; j < d; j++)
                    if (fabs(a[i * d + j] - b[j * d + i]) > ASYMMETRY) return false;
        }
    return true;
}

bool many_need_factors(many_system *s) {
    if (!s->mirrored) {
        find_mirror_images(s);
        s->symmetric = is_symmetric(s);
        s->mirrored = true;
    }
    if (s->factors) return lin_block_lu_renew(s->factors, s->n, s->d, s->start, s->index);
    s->factors = lin_block_lu_create(s->context, s->n, s->d, s->start, s->index);
    return s->factors != NULL;
}

bool many_is_planar(const many_system *s) { return s->nT == 1 && s->nR == 0; }

double many_sweeps_of_factorisation(const many_system *s, int contacts) {
    return (double)s->n / (many_is_planar(s) ? PLANAR_CHEAPER * contacts : contacts);
}

zn_status many_may_go_on(const many_system *s) {
    if (base_stopped(s->context)) return ZN_STOPPED;
    int most = s->settings.factorisations_most;
    if (most > 0 && s->n >= MANY_HUGE && s->factors && s->out->factorisations * lin_block_lu_work(s->factors) > PRODUCTS_MOST)
        return ZN_ERROR_NO_CONVERGENCE;
    return most > 0 && s->out->factorisations >= most ? ZN_ERROR_NO_CONVERGENCE : ZN_OK;
}

double many_judge(many_system *s, const double *r, double *u) {
    int d = s->d;
    double largest = 0, sum = 0;
    many_velocities(s, r, u);
    for (int c = 0; c < s->n; c++) {
        double rc[CONTACT_ROWS_MOST], uc[CONTACT_ROWS_MOST], z[CONTACT_ROWS_MOST], w = s->weight[c], one = 0, two = 0;
        for (int i = 0; i < d; i++) {
            rc[i] = s->theta * s->S[c * d + i] * r[c * d + i];
            uc[i] = s->theta / s->S[c * d + i] * u[c * d + i];
        }
        double mu = s->friction[c], nu = s->rolling[c];
        uc[0] += mu * many_norm(uc + 1, s->nT) + nu * many_norm(uc + 1 + s->nT, s->nR);
        for (int i = 0; i < d; i++) z[i] = w * rc[i] - uc[i];
        cone_measure_project(s->nT, mu, s->nR, nu, z);
        for (int i = 0; i < d; i++) one += (w * rc[i] - z[i]) * (w * rc[i] - z[i]);
        largest = larger(one * s->unit[c] * s->unit[c], largest);
        if (!s->settings.natural_map) continue;
        for (int i = 0; i < d; i++) z[i] = rc[i] - uc[i];
        cone_measure_project(s->nT, mu, s->nR, nu, z);
        for (int i = 0; i < d; i++) two += (rc[i] - z[i]) * (rc[i] - z[i]);
        sum += two;
    }
    double velocity = sqrt(largest), natural = sqrt(sum) / s->q_norm;
    if (isnan(velocity) || isnan(natural)) return INFINITY;
    return s->settings.natural_map ? larger(natural, velocity) : velocity;
}

double many_offer_measured(many_system *s, const double *r, double *u) {
    double residual = many_judge(s, r, u);
    if (residual < s->best_residual) {
        s->best_residual = residual;
        if (r != s->best) memcpy(s->best, r, (size_t)s->m * sizeof(double));
    }
    return residual;
}

bool many_offer(many_system *s, const double *r, double *u) {
    many_offer_measured(s, r, u);
    return s->best_residual <= s->settings.residual;
}

/* ---- memory ---- */

static void release(many_system *s) {
    many_fixed_point_destroy(s);
    many_newton_destroy(s);
    many_interior_destroy(s);
    void *memory[] = {s->start, s->index,  s->diagonal, s->transposed, s->W,    s->q,    s->mu,    s->nu,
                      s->S,     s->weight, s->friction, s->rolling,    s->unit, s->slip, s->reach, s->own,
                      s->best,  s->r,      s->u,        s->work,       s->v,    s->z,    s->x};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) mem_free(s->context, memory[k]);
    s->start = s->index = s->diagonal = s->transposed = s->reach = NULL;
    s->own = NULL;
    s->slip = s->W = s->q = s->mu = s->nu = s->S = s->weight = s->friction = s->rolling = s->unit = s->best = s->r = s->u = s->work = s->v =
        s->z = s->x = NULL;
    s->room.contacts = s->room.rows = s->room.blocks = s->room.numbers = 0;
}

/* Half as much again, so that a list that grows slowly does not ask often. */
static size_t ample(size_t have, size_t wanted) { return wanted > have ? wanted + wanted / 2 : have; }

static bool make_room(many_system *s, size_t contacts, size_t rows, size_t blocks, size_t numbers) {
    zn_context *context = s->context;
    if (contacts <= s->room.contacts && rows <= s->room.rows && blocks <= s->room.blocks && numbers <= s->room.numbers) return true;
    contacts = ample(s->room.contacts, contacts), rows = ample(s->room.rows, rows);
    blocks = ample(s->room.blocks, blocks), numbers = ample(s->room.numbers, numbers);
    release(s);
    double **vectors[] = {&s->q, &s->S, &s->best, &s->r, &s->u, &s->work, &s->v, &s->z, &s->x};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        if (!(*vectors[k] = MEM_ARRAY(context, double, rows))) return false;
    double **per_contact[] = {&s->mu, &s->nu, &s->weight, &s->friction, &s->rolling, &s->unit, &s->slip};
    for (size_t k = 0; k < sizeof per_contact / sizeof *per_contact; k++)
        if (!(*per_contact[k] = MEM_ARRAY(context, double, contacts))) return false;
    if (!(s->start = MEM_ARRAY(context, int, contacts + 1)) || !(s->diagonal = MEM_ARRAY(context, int, contacts)) ||
        !(s->reach = MEM_ARRAY(context, int, contacts)) || !(s->own = MEM_ARRAY(context, many_own, contacts)) ||
        !(s->index = MEM_ARRAY(context, int, blocks)) || !(s->transposed = MEM_ARRAY(context, int, blocks)) ||
        !(s->W = MEM_ARRAY(context, double, numbers)))
        return false;
    s->room.contacts = contacts, s->room.rows = rows, s->room.blocks = blocks, s->room.numbers = numbers;
    return true;
}

/* ---- building ---- */

static void find_diagonal(many_system *s) {
    for (int c = 0; c < s->n; c++)
        for (int k = s->start[c]; k < s->start[c + 1]; k++)
            if (s->index[k] == c) s->diagonal[c] = k;
}

static double mean_diagonal(const many_system *s, int c, int first, int rows) {
    const double *w = s->W + (size_t)s->diagonal[c] * (size_t)(s->d * s->d);
    double sum = 0;
    for (int i = first; i < first + rows; i++) sum += w[i * s->d + i];
    return rows > 0 ? sum / rows : 0;
}

static void choose_scales(many_system *s) {
    const int first[3] = {0, 1, 1 + s->nT}, rows[3] = {1, s->nT, s->nR};
    for (int c = 0; c < s->n; c++) {
        double all = s->weight[c] = mean_diagonal(s, c, 0, s->d), scale[3];
        for (int g = 0; g < 3; g++) {
            double mean = mean_diagonal(s, c, first[g], rows[g]);
            if (!(mean > NO_DIAGONAL * all)) mean = all;
            scale[g] = mean > 0 ? 1 / sqrt(mean) : 1;
            for (int i = 0; i < rows[g]; i++) s->S[c * s->d + first[g] + i] = scale[g];
        }
        s->mu[c] = s->friction[c] * scale[0] / scale[1];
        s->nu[c] = s->rolling[c] * scale[0] / scale[2];
    }
}

ALWAYS_INLINE void scale_blocks(const int d, many_system *s) {
    for (int c = 0; c < s->n; c++)
        for (int k = s->start[c]; k < s->start[c + 1]; k++) {
            double *block = s->W + (size_t)k * (size_t)(d * d), own[CONTACT_ROWS_MOST], other[CONTACT_ROWS_MOST];
            for (int i = 0; i < d; i++) own[i] = s->S[c * d + i], other[i] = s->S[s->index[k] * d + i];
            for (int i = 0; i < d; i++)
                for (int j = 0; j < d; j++) block[i * d + j] *= own[i] * other[j];
        }
}

static void scale_all(many_system *s, const double *q) {
    int d = s->d;
    double largest_scaled = 0, sum = 0;
    s->q_largest = 0;
    choose_scales(s);
    for (int c = 0; c < s->n; c++) {
        double size = many_norm(q + c * d, d);
        s->q_largest = larger(size, s->q_largest);
        sum += size * size;
        for (int i = 0; i < d; i++) s->q[c * d + i] = s->S[c * d + i] * q[c * d + i];
        largest_scaled = larger(many_norm(s->q + c * d, d), largest_scaled);
    }
    s->q_norm = sqrt(sum);
    if (!(s->q_norm > 0)) s->q_norm = s->q_largest = 1;
    s->theta = largest_scaled > 0 ? largest_scaled : 1;
    for (int k = 0; k < s->m; k++) s->q[k] /= s->theta;
    if (d == 3) scale_blocks(3, s);
    else scale_blocks(d, s);
}

many_system *many_create_empty(zn_context *context) {
    many_system *s = MEM_ARRAY(context, many_system, 1);
    if (s) s->context = context;
    return s;
}

void many_share(many_system *s, base_team *team, int threads) { s->team = team, s->threads = threads; }

bool many_lay_out(many_system *s, int dim, int n, const int *start, const int *index) {
    s->d = dim;
    s->nR = dim == 5 ? 2 : 0;
    s->nT = dim - 1 - s->nR;
    s->n = n;
    s->m = dim * n;
    size_t blocks = (size_t)start[n], numbers = blocks * (size_t)(dim * dim);
    if (!make_room(s, (size_t)n, (size_t)s->m + MANY_BEYOND, blocks, numbers + MANY_BEYOND)) return false;
    memcpy(s->start, start, (size_t)(n + 1) * sizeof *start);
    memcpy(s->index, index, blocks * sizeof *index);
    memset(s->W, 0, numbers * sizeof *s->W);
    find_diagonal(s);
    return true;
}

double *many_blocks(many_system *s) { return s->W; }

void many_subtract(many_system *s, const double *r, double *q) {
    memcpy(s->work, r, (size_t)s->m * sizeof *r);
    memset(s->q, 0, (size_t)s->m * sizeof *s->q);
    many_velocities(s, s->work, s->u);
    for (int k = 0; k < s->m; k++) q[k] -= s->u[k];
}

void many_load(many_system *s, const many_load_def *load) {
    for (int c = 0; c < s->n; c++) {
        s->friction[c] = load->mu ? load->mu[c] : 0;
        s->rolling[c] = load->nu ? load->nu[c] : 0;
    }
    scale_all(s, load->q);
    for (int c = 0; c < s->n; c++) s->unit[c] = load->scale ? load->scale[c] : 1 / s->q_largest;
    s->mirrored = false;
    if (s->nR == 0) many_prepare_own(s);
    s->interior_ready = false;
}

/* Block (c, j) for every entry of W in it and its mirror image, and all diagonal ones. Columns of a symmetric structure are its rows. */
static bool find_blocks(zn_context *context, const many_def *def, lin_pattern *blocks, int *place) {
    const zn_pattern *p = def->pattern;
    int nnz = lin_nnz(p), count = 2 * nnz + def->n, k = 0;
    int *row = MEM_ARRAY(context, int, count), *col = MEM_ARRAY(context, int, count);
    bool fine = row && col;
    if (fine) {
        for (int j = 0; j < p->cols; j++)
            for (int e = p->start[j]; e < p->start[j + 1]; e++, k++) {
                row[k] = col[nnz + k] = p->index[e] / def->dim;
                col[k] = row[nnz + k] = j / def->dim;
            }
        for (int c = 0; c < def->n; c++) row[2 * nnz + c] = col[2 * nnz + c] = c;
        /* position of block (c, j) by rows is that of (j, c) by columns */
        fine = lin_pattern_create(context, def->n, def->n, count, col, row, blocks, place) == ZN_OK;
    }
    mem_free(context, row);
    mem_free(context, col);
    return fine;
}

static void fill_blocks(many_system *s, const many_def *def, const int *place) {
    const zn_pattern *p = def->pattern;
    int d = s->d, k = 0;
    for (int j = 0; j < p->cols; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++, k++)
            s->W[(size_t)place[k] * (size_t)(d * d) + (size_t)(p->index[e] % d * d + j % d)] += def->values[e];
}

many_system *many_create(zn_context *context, const many_def *def) {
    many_system *s = many_create_empty(context);
    lin_pattern blocks = {0};
    int *place = MEM_ARRAY(context, int, 2 * (size_t)lin_nnz(def->pattern) + (size_t)def->n);
    bool fine = s && place && find_blocks(context, def, &blocks, place) && many_lay_out(s, def->dim, def->n, blocks.start, blocks.index);
    if (fine) {
        fill_blocks(s, def, place);
        many_load(s, &(many_load_def){.q = def->q, .mu = def->mu, .nu = def->nu});
    }
    mem_free(context, place);
    lin_pattern_destroy(context, &blocks);
    if (fine) return s;
    many_destroy(s);
    return NULL;
}

void many_destroy(many_system *s) {
    if (!s) return;
    release(s);
    lin_block_lu_destroy(s->factors);
    mem_free(s->context, s);
}
