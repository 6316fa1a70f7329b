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
/* How many times cheaper a factorisation is in the plane: blocks of 2 x 2 instead of 3 x 3 account for (3/2)^3 = 3.4, less fill for the
 * rest, which is measured
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
    base_team_spread(s->team, contacts < MANY_SHARED ? 1 : s->threads, (contacts + MANY_TASK - 1) / MANY_TASK, work, user);
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

/* One pass over the blocks in order finds every mirror image: block (c, j) is the next one of row j that was not met yet. `reach` lends the
 * memory for that. */
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

typedef struct judgement {
    many_system *s;
    const double *r;
    double *u, largest[TEAM_MOST], sum; /* largest: per member; sum: in order, so of one member */
} judgement;

/* cone_measure_project for contacts that do not roll: whether |z_T| is cut decides between two values of the normal part. */
ALWAYS_INLINE void project_sliding(const int nT, double mu, double *z) {
    double square = 0;
    for (int i = 1; i <= nT; i++) square += z[i] * z[i];
    double a = sqrt(square), t = z[0];
    if (a > mu * t) t = (t + mu * a) / (1 + mu * mu);
    bool cut = !(a <= mu * t), inside = !(t <= 0); /* not a number is inside, so that it is not lost */
    double factor = cut ? mu * t / a : 1;
    z[0] = inside ? t : 0;
    for (int i = 1; i <= nT; i++) z[i] = !inside ? 0 : cut ? z[i] * factor : z[i];
}

ALWAYS_INLINE void project(const int d, const many_system *s, int c, double *z) {
    if (d <= 3) project_sliding(d - 1, s->friction[c], z);
    else cone_measure_project(s->nT, s->friction[c], s->nR, s->rolling[c], z);
}

/* Square of the residual of contact c in velocities; of the natural map into *natural. */
ALWAYS_INLINE double judge_contact(const int d, const many_system *s, int c, const double *r, const double *u, double *natural) {
    double rc[CONTACT_ROWS_MOST], uc[CONTACT_ROWS_MOST], z[CONTACT_ROWS_MOST], w = s->weight[c], one = 0;
    const double *S = s->S + c * d;
    for (int i = 0; i < d; i++) rc[i] = s->theta * S[i] * r[i], uc[i] = s->theta / S[i] * u[i];
    double turn = 0;
    for (int i = 1; i <= (d <= 3 ? d - 1 : 2); i++) turn += uc[i] * uc[i];
    uc[0] += s->friction[c] * sqrt(turn) + (d <= 3 ? 0 : s->rolling[c] * many_norm(uc + 3, d - 3));
    for (int i = 0; i < d; i++) z[i] = w * rc[i] - uc[i];
    project(d, s, c, z);
    for (int i = 0; i < d; i++) one += (w * rc[i] - z[i]) * (w * rc[i] - z[i]);
    if (!natural) return one * s->unit[c] * s->unit[c];
    *natural = 0;
    for (int i = 0; i < d; i++) z[i] = rc[i] - uc[i];
    project(d, s, c, z);
    for (int i = 0; i < d; i++) *natural += (rc[i] - z[i]) * (rc[i] - z[i]);
    return one * s->unit[c] * s->unit[c];
}

ALWAYS_INLINE void judge_these(const int d, judgement *j, int first, int last, int member) {
    const many_system *s = j->s;
    double natural = 0, largest = j->largest[member];
    for (int c = first; c < last; c++) {
        velocity_of(d, s, j->r, c, j->u + c * d);
        double one = judge_contact(d, s, c, j->r + c * d, j->u + c * d, s->settings.natural_map ? &natural : NULL);
        largest = larger(one, largest);
        if (s->settings.natural_map) j->sum += natural;
    }
    j->largest[member] = largest;
}

WIDE static void judge_in_space(judgement *j, int first, int last, int member) { judge_these(3, j, first, last, member); }
WIDE static void judge_in_plane(judgement *j, int first, int last, int member) { judge_these(2, j, first, last, member); }

static void judge_some(void *user, int task, int member) {
    judgement *j = user;
    int first = task * MANY_TASK, last = first + MANY_TASK < j->s->n ? first + MANY_TASK : j->s->n;
    if (j->s->d == 3) judge_in_space(j, first, last, member);
    else if (j->s->d == 2) judge_in_plane(j, first, last, member);
    else if (j->s->d == 1) judge_these(1, j, first, last, member);
    else judge_these(5, j, first, last, member);
}

double many_judge(many_system *s, const double *r, double *u) {
    judgement j = {.s = s, .r = r, .u = u};
    double largest = 0;
    if (s->settings.natural_map) base_team_run(NULL, 1, (s->n + MANY_TASK - 1) / MANY_TASK, judge_some, &j);
    else run_tasks(s, s->n, judge_some, &j);
    for (int i = 0; i < TEAM_MOST; i++) largest = larger(j.largest[i], largest);
    double velocity = sqrt(largest), natural = sqrt(j.sum) / s->q_norm;
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
    many_follow_destroy(s);
    many_path_destroy(s);
    many_interior_destroy(s);
    void *memory[] = {s->quads, s->start, s->index,  s->diagonal, s->transposed, s->W,    s->q,    s->mu,
                      s->nu,    s->S,     s->weight, s->friction, s->rolling,    s->unit, s->slip, s->reach,
                      s->own,   s->best,  s->r,      s->u,        s->work,       s->v,    s->z,    s->x};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) mem_free(s->context, memory[k]);
    s->start = s->index = s->diagonal = s->transposed = s->reach = NULL;
    s->own = NULL;
    s->quads = s->slip = s->W = s->q = s->mu = s->nu = s->S = s->weight = s->friction = s->rolling = s->unit = s->best = s->r = s->u =
        s->work = s->v = s->z = s->x = NULL;
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
        !(s->quads = MEM_ARRAY(context, double, 4 * contacts)) || !(s->index = MEM_ARRAY(context, int, blocks)) ||
        !(s->transposed = MEM_ARRAY(context, int, blocks)) || !(s->W = MEM_ARRAY(context, double, numbers)))
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

typedef struct loading {
    many_system *s;
    const many_load_def *load;
} loading;

static void choose_scales(many_system *s, int c) {
    const int first[3] = {0, 1, 1 + s->nT}, rows[3] = {1, s->nT, s->nR};
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

static void load_some(void *user, int task, int member) {
    (void)member;
    const loading *l = user;
    many_system *s = l->s;
    int first = task * MANY_TASK, last = first + MANY_TASK < s->n ? first + MANY_TASK : s->n, d = s->d;
    for (int c = first; c < last; c++) {
        s->friction[c] = l->load->mu ? l->load->mu[c] : 0;
        s->rolling[c] = l->load->nu ? l->load->nu[c] : 0;
        choose_scales(s, c);
        for (int i = 0; i < d; i++) s->q[c * d + i] = s->S[c * d + i] * l->load->q[c * d + i];
    }
}

ALWAYS_INLINE void scale_row(const int d, const many_system *s, int c) {
    for (int k = s->start[c]; k < s->start[c + 1]; k++) {
        double *block = s->W + (size_t)k * (size_t)(d * d), own[CONTACT_ROWS_MOST], other[CONTACT_ROWS_MOST];
        for (int i = 0; i < d; i++) own[i] = s->S[c * d + i], other[i] = s->S[s->index[k] * d + i];
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++) block[i * d + j] *= own[i] * other[j];
    }
}

static void scale_some(void *user, int task, int member) {
    (void)member;
    many_system *s = user;
    int first = task * MANY_TASK, last = first + MANY_TASK < s->n ? first + MANY_TASK : s->n;
    for (int c = first; c < last; c++)
        if (s->d == 3) scale_row(3, s, c);
        else scale_row(s->d, s, c);
    if (s->nR == 0) many_prepare_own(s, first, last);
}

/* The largest q of a contact before and after scaling, and the norm of all. */
static void measure_q(many_system *s, const double *q) {
    int d = s->d;
    double largest_scaled = 0, sum = 0;
    s->q_largest = 0;
    for (int c = 0; c < s->n; c++) {
        double size = many_norm(q + c * d, d);
        s->q_largest = larger(size, s->q_largest);
        sum += size * size;
        largest_scaled = larger(many_norm(s->q + c * d, d), largest_scaled);
    }
    s->q_norm = sqrt(sum);
    if (!(s->q_norm > 0)) s->q_norm = s->q_largest = 1;
    s->theta = largest_scaled > 0 ? largest_scaled : 1;
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
    run_tasks(s, s->n, load_some, &(loading){s, load});
    measure_q(s, load->q);
    for (int k = 0; k < s->m; k++) s->q[k] /= s->theta;
    run_tasks(s, s->n, scale_some, s);
    for (int c = 0; c < s->n; c++) s->unit[c] = load->scale ? load->scale[c] : 1 / s->q_largest;
    s->mirrored = false;
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
    memset(s->W, 0, (size_t)s->start[s->n] * (size_t)(d * d) * sizeof *s->W);
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
