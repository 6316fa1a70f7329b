/* SPDX-License-Identifier: Apache-2.0 */
/* Proximal semismooth Newton. Around a centre rbar the problem with W_d = W + delta I, q - delta rbar in place of W, q has one solution,
 * the one nearest to rbar where contacts are redundant; no rank has to be decided. Inside, Newton on the functions of Alart and Curnier:
 *
 *     y = r - ro u_d,  tau = y_N,   u_d = W_d r + q - delta rbar
 *     open  (tau <= 0):             r+ = 0, the contact leaves the system
 *     closed, normal row:           (W_d r+)_N = -(q - delta rbar)_N
 *     stick (|y_T| <= mu tau):      (W_d r+)_T = -(q - delta rbar)_T
 *     slip:                         r_T+ - mu yh r_N+ - kappa Q (r_T+ - ro u_T+) = 0,   yh = y_T/|y_T|,  Q = I - yh yh',  kappa = mu
 * tau/|y_T|
 *
 * and the same rows for rolling with nu. In blocks: J_cj = P_c (W_d)_cj, plus D_c on the diagonal, and the right side is -P_c (q - delta
 * rbar)_c.
 *
 * The other way to use such steps is between sweeps. In a large pile there is nearly always a contact somewhere that is about to slip,
 * stick or open, at which a step makes the merit worse, and a line search holds all of the pile back for it. Sweeps solve each contact
 * exactly, whatever its state, so that they mend in a few rounds what a full step has spoiled here and there, but are slow where
 * percussions go far: that the step has done. */
#include "cone/many/system.h"

enum { HALVINGS = 6, MERITS = 4, FAILURES_MOST = 6, FREE_STEPS = 6, PATIENCE = 6 };
#define FREE_GROWTH 3 /* of the merit, in the first steps */
#define DECREASE 1e-4
#define DELTA_LEAST 1e-9
#define DELTA_MOST 10
#define DELTA_START_MOST 1e-2
#define DELTA_START_LEAST 1e-7
#define INNER_ACCURACY 1e-3 /* of the merit at the start of an inner iteration */
#define INNER_DONE 1e-12    /* of the merit: no need for more, unless the residual that is wanted needs it */
#define INNER_LEAST 1e-15   /* round-off */
#define INNER_SHARE 0.1     /* of the residual that is wanted */
#define ENOUGH_SHARE 0.1
enum { SWEEPS_BETWEEN_STEPS = 30, CONTACTS_PER_SWEEP = 13, STEPS_WITHOUT_GAIN = 20 };
#define STEP_GAINS 0.5 /* of the residual that a step leaves: there is nothing to mend */

/* Per contact: what its rows are. */
typedef struct contact_rows {
    double P[CONTACT_ROWS_MOST * CONTACT_ROWS_MOST], D[CONTACT_ROWS_MOST * CONTACT_ROWS_MOST];
} contact_rows;

struct active_matrix {
    unsigned char *wanted; /* per contact: active */
    contact_rows *rows;
    double *values, *diagonal; /* blocks P_c W_cj; P_c delta + D_c */
    double *centre, *y, *step, *trial;
    double done; /* merit at which an inner iteration has found its solution */
};

void many_newton_destroy(many_system *s) {
    struct active_matrix *a = s->active;
    if (!a) return;
    void *memory[] = {a->wanted, a->rows, a->values, a->diagonal, a->centre, a->y, a->step, a->trial};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) mem_free(s->context, memory[k]);
    mem_free(s->context, a);
    s->active = NULL;
}

static bool create(many_system *s) {
    if (!many_need_factors(s)) return false;
    if (s->active) return true;
    struct active_matrix *a = s->active = MEM_ARRAY(s->context, struct active_matrix, 1);
    if (!a) return false;
    a->wanted = MEM_ARRAY(s->context, unsigned char, s->room.contacts);
    a->rows = MEM_ARRAY(s->context, contact_rows, s->room.contacts);
    a->values = MEM_ARRAY(s->context, double, s->room.numbers);
    a->diagonal = MEM_ARRAY(s->context, double, s->room.rows *CONTACT_ROWS_MOST);
    bool fine = a->wanted && a->rows && a->values && a->diagonal;
    double **vectors[] = {&a->centre, &a->y, &a->step, &a->trial};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        fine = fine && (*vectors[k] = MEM_ARRAY(s->context, double, s->room.rows));
    if (!fine) many_newton_destroy(s);
    return fine;
}

/* One friction group of an active contact: rows first .. first + n - 1, radius mu tau. */
static void friction_rows(contact_rows *rows, int d, int first, int n, double mu, double ro, const double *y) {
    double size = many_norm(y + first, n), tau = y[0];
    if (size <= mu * tau) { /* sticks */
        for (int i = first; i < first + n; i++) rows->P[i * d + i] = 1;
        return;
    }
    double kappa = mu * tau / size;
    for (int i = 0; i < n; i++) {
        double yi = y[first + i] / size;
        rows->D[(first + i) * d] = -mu * yi;
        for (int j = 0; j < n; j++) {
            double Q = (i == j) - yi * y[first + j] / size;
            rows->P[(first + i) * d + first + j] = kappa * ro * Q;
            rows->D[(first + i) * d + first + j] = (i == j) - kappa * Q;
        }
    }
}

static void describe_rows(many_system *s, struct active_matrix *a, double ro) {
    int d = s->d;
    for (int c = 0; c < s->n; c++) {
        const double *y = a->y + c * d;
        a->wanted[c] = y[0] > 0;
        if (!a->wanted[c]) continue;
        contact_rows *rows = &a->rows[c];
        memset(rows, 0, sizeof *rows);
        rows->P[0] = 1;
        friction_rows(rows, d, 1, s->nT, s->mu[c], ro, y);
        friction_rows(rows, d, 1 + s->nT, s->nR, s->nu[c], ro, y);
    }
}

/* P_c W_cj, P_c delta + D_c, and the right side in a->trial. */
static void fill_matrix(many_system *s, struct active_matrix *a, double delta) {
    int d = s->d;
    size_t dd = (size_t)(d * d);
    memset(a->trial, 0, (size_t)s->m * sizeof(double));
    for (int c = 0; c < s->n; c++) {
        if (!a->wanted[c]) continue;
        const contact_rows *rows = &a->rows[c];
        for (int k = s->start[c]; k < s->start[c + 1]; k++) {
            if (!a->wanted[s->index[k]]) continue;
            const double *W = s->W + (size_t)k * dd;
            double *to = a->values + (size_t)k * dd;
            for (int i = 0; i < d; i++)
                for (int j = 0; j < d; j++) {
                    double sum = 0;
                    for (int l = 0; l < d; l++) sum += rows->P[i * d + l] * W[l * d + j];
                    to[i * d + j] = sum;
                }
        }
        for (int i = 0; i < d; i++)
            for (int l = 0; l < d; l++) {
                a->diagonal[(size_t)c * dd + (size_t)(i * d + l)] = rows->P[i * d + l] * delta + rows->D[i * d + l];
                a->trial[c * d + i] -= rows->P[i * d + l] * (s->q[c * d + l] - delta * a->centre[c * d + l]);
            }
    }
}

/* y = r - ro u_d at r, and |Alart-Curnier residual| / ro. */
static double merit(many_system *s, const double *r, double ro, double delta, const double *centre, double *y) {
    int d = s->d;
    double sum = 0;
    many_velocities(s, r, s->u);
    for (int c = 0; c < s->n; c++) {
        double *yc = y + c * d, f[CONTACT_ROWS_MOST];
        const double *rc = r + c * d;
        for (int i = 0; i < d; i++) yc[i] = rc[i] - ro * (s->u[c * d + i] + delta * (rc[i] - centre[c * d + i]));
        double tau = yc[0] > 0 ? yc[0] : 0;
        f[0] = rc[0] - tau;
        const int first[2] = {1, 1 + s->nT}, rows[2] = {s->nT, s->nR};
        const double radius[2] = {s->mu[c] * tau, s->nu[c] * tau};
        for (int g = 0; g < 2; g++) {
            double size = many_norm(yc + first[g], rows[g]), factor = size > radius[g] ? radius[g] / size : 1;
            for (int i = first[g]; i < first[g] + rows[g]; i++) f[i] = rc[i] - factor * yc[i];
        }
        for (int i = 0; i < d; i++) sum += f[i] * f[i];
    }
    return sqrt(sum) / ro;
}

/* The right side less J r, of the contacts that stay: what is solved for is the change, whose round-off is less than that of r+. */
static void subtract_present(many_system *s, struct active_matrix *a) {
    int d = s->d;
    for (int c = 0; c < s->n; c++)
        for (int i = 0; i < d; i++) a->step[c * d + i] = a->wanted[c] ? s->r[c * d + i] : 0;
    for (int c = 0; c < s->n; c++) {
        if (!a->wanted[c]) continue;
        double u[CONTACT_ROWS_MOST], *to = a->trial + c * d;
        const double *own = a->diagonal + (size_t)c * (size_t)(d * d), *r = a->step + c * d;
        many_velocity(s, a->step, c, u);
        for (int i = 0; i < d; i++) u[i] -= s->q[c * d + i];
        for (int i = 0; i < d; i++)
            for (int l = 0; l < d; l++) to[i] -= a->rows[c].P[i * d + l] * u[l] + own[i * d + l] * r[l];
    }
}

/* The full step: trial = r+. */
static bool full_step(many_system *s, struct active_matrix *a, double ro, double delta) {
    describe_rows(s, a, ro);
    fill_matrix(s, a, delta);
    subtract_present(s, a);
    s->out->factorisations++;
    s->out->newton_iterations++;
    lin_block_values matrix = {.blocks = a->values, .transposed = s->transposed, .diagonal = a->diagonal, .present = a->wanted};
    if (lin_block_lu_factor(s->factors, &matrix) != 0) return false;
    lin_block_lu_solve(s->factors, a->trial);
    for (int k = 0; k < s->m; k++) a->trial[k] += a->step[k];
    s->out->solves++;
    return true;
}

static void project_all(const many_system *s, double *r) {
    for (int c = 0; c < s->n; c++) many_project(s, c, r + c * s->d);
}

/* Where the slip of a contact in space turns, a step along the tangent of the circle leads out of it: the percussion is shortened to what
 * friction can bear. */
static void turn_slip(const many_system *s, double *r) {
    if (s->nT != 2 || s->nR > 0) return;
    for (int c = 0; c < s->n; c++) {
        double *own = r + c * s->d, size = many_norm(own + 1, s->nT), most = own[0] > 0 ? s->mu[c] * own[0] : 0;
        if (own[0] < 0) own[0] = 0;
        for (int i = 1; i <= s->nT && size > most; i++) own[i] *= most / size;
    }
}

/* Inner iteration from s->r around the centre; *taken iterations. ZN_OK: solved; ZN_ERROR_MEMORY; else not. */
static zn_status inner(many_system *s, struct active_matrix *a, int most, double ro, double delta, int *taken) {
    double past[MERITS], F = merit(s, s->r, ro, delta, a->centre, a->y), wanted = larger(INNER_ACCURACY * F, a->done);
    for (int k = 0; k < MERITS; k++) past[k] = F;
    for (*taken = 0; *taken < most; ++*taken) {
        if (F <= wanted) return ZN_OK;
        zn_status allowed = many_may_go_on(s);
        if (allowed != ZN_OK) return allowed;
        if (!full_step(s, a, ro, delta)) return ZN_ERROR_NO_CONVERGENCE;
        double largest = past[0], t = 1, next = INFINITY;
        for (int k = 1; k < MERITS; k++) largest = larger(past[k], largest);
        int halving = 0;
        for (; halving < HALVINGS; halving++, t /= 2) {
            for (int i = 0; i < s->m; i++) a->step[i] = s->r[i] + t * (a->trial[i] - s->r[i]);
            turn_slip(s, a->step);
            next = merit(s, a->step, ro, delta, a->centre, a->y);
            if (next <= (1 - DECREASE * t) * largest * (*taken < FREE_STEPS ? FREE_GROWTH : 1)) break;
        }
        if (halving == HALVINGS && F < INNER_DONE) return ZN_OK; /* that is round-off */
        if (halving == HALVINGS) {                               /* the full step, projected, may lead out of a cycle */
            if (2 * *taken >= most) return ZN_ERROR_NO_CONVERGENCE;
            memcpy(a->step, a->trial, (size_t)s->m * sizeof(double));
            project_all(s, a->step);
            next = merit(s, a->step, ro, delta, a->centre, a->y);
            for (int k = 0; k < MERITS; k++) past[k] = next;
        }
        if (!isfinite(next)) return ZN_ERROR_NO_CONVERGENCE;
        memcpy(s->r, a->step, (size_t)s->m * sizeof(double));
        F = past[*taken % MERITS] = next;
    }
    return F <= wanted ? ZN_OK : ZN_ERROR_NO_CONVERGENCE;
}

/* The merit that belongs to the residual that is wanted. */
static double merit_wanted(const many_system *s) {
    double least = INFINITY;
    for (int c = 0; c < s->n; c++)
        for (int i = 0; i < s->d; i++) least = smaller(s->S[c * s->d + i] / (s->theta * s->unit[c]), least);
    double wanted = INNER_SHARE * s->settings.residual * least;
    return wanted < INNER_DONE ? larger(wanted, INNER_LEAST) : INNER_DONE;
}

/* How delta goes on: down after successes, up after failures, and only after several successes below what failed: g is not monotone, so
 * that the way to a solution may be long, and lead past points that are nearly solutions. */
typedef struct prox {
    double delta, failed;
    int failures, successes;
} prox;

/* The residual fell to the part `rate`, and is to fall to the part `wanted`. It will fall in proportion to delta, so that there is no need
 * to go below what does that at once: a small delta makes the matrix nearly singular where contacts are redundant. */
static void after_success(prox *p, int taken, double rate, double wanted) {
    double next = p->delta * (taken < 4 ? 0.03 : taken < 8 ? 0.1 : 0.3), needed = p->delta * ENOUGH_SHARE * wanted / rate;
    if (next < needed) next = smaller(needed, p->delta);
    p->failures = 0;
    if (++p->successes % PATIENCE == 0) p->failed *= 0.3;
    p->delta = larger(larger(next, 3 * p->failed), DELTA_LEAST);
}

zn_status many_newton(many_system *s, newton_plan plan) {
    if (!create(s)) return ZN_ERROR_MEMORY;
    struct active_matrix *a = s->active;
    size_t bytes = (size_t)s->m * sizeof(double);
    a->done = merit_wanted(s);
    prox p = {.delta = plan.from_zero ? plan.delta : smaller(larger(s->best_residual, DELTA_START_LEAST), DELTA_START_MOST)};
    if (plan.from_zero) memset(s->r, 0, bytes);
    else memcpy(s->r, s->best, bytes);
    memcpy(a->centre, s->r, bytes);
    double at_centre = many_judge(s, a->centre, s->u);
    for (int k = 0; k < plan.outer && p.failures < FAILURES_MOST && p.delta <= DELTA_MOST; k++) {
        int taken;
        double ro = plan.large_ro ? 1 / sqrt(p.delta) : 1;
        zn_status status = inner(s, a, plan.inner, ro, p.delta, &taken);
        project_all(s, s->r);
        if (many_offer(s, s->r, s->u)) return ZN_OK;
        double now = many_judge(s, s->r, s->u);
        bool better = now < at_centre;
        if (status == ZN_STOPPED) return status;
        if ((status != ZN_OK && plan.brief) || (status == ZN_OK && taken == 0 && !better)) break; /* as good as it can be */
        if (status == ZN_OK) after_success(&p, taken, now / at_centre, s->settings.residual / now);
        else {
            p.failures++, p.successes = 0;
            p.failed = larger(p.delta, p.failed);
            if (!(now < at_centre / 2)) p.delta *= 10;
            if (!better) memcpy(s->r, a->centre, bytes);
        }
        if (status == ZN_OK || better) at_centre = now;
        memcpy(a->centre, s->r, bytes);
    }
    return ZN_ERROR_NO_CONVERGENCE;
}

/* One full step with the centre where it starts, or half of it where that has less merit; s->r is the new point, in K. */
static bool free_step(many_system *s, struct active_matrix *a, double delta) {
    size_t bytes = (size_t)s->m * sizeof(double);
    memcpy(a->centre, s->r, bytes);
    double F = merit(s, s->r, 1, delta, a->centre, a->y);
    if (!full_step(s, a, 1, delta)) return false;
    double half = INFINITY, full;
    memcpy(a->step, a->trial, bytes);
    turn_slip(s, a->step);
    full = merit(s, a->step, 1, delta, a->centre, a->y);
    if (!(full < F)) {
        for (int i = 0; i < s->m; i++) a->trial[i] = s->r[i] + (a->trial[i] - s->r[i]) / 2;
        turn_slip(s, a->trial);
        half = merit(s, a->trial, 1, delta, a->centre, a->y);
    }
    if (!isfinite(full) && !isfinite(half)) return false;
    memcpy(s->r, half < full ? a->trial : a->step, bytes);
    project_all(s, s->r);
    return true;
}

/* About as long as a step takes, and in the direction that leaves less (sweeps.c). */
static void mend(many_system *s) {
    int most = (int)many_sweeps_of_factorisation(s, CONTACTS_PER_SWEEP), sweeps = most > SWEEPS_BETWEEN_STEPS ? most : SWEEPS_BETWEEN_STEPS;
    many_sweep_times(s, sweeps, !s->backward);
}

zn_status many_swept_newton(many_system *s, int steps) {
    if (!create(s)) return ZN_ERROR_MEMORY;
    memcpy(s->r, s->best, (size_t)s->m * sizeof(double));
    double now = many_judge(s, s->r, s->u);
    for (int k = 0, last_gain = 0; k < steps && k - last_gain < STEPS_WITHOUT_GAIN; k++) {
        zn_status allowed = many_may_go_on(s);
        if (allowed != ZN_OK) return allowed;
        double best = s->best_residual, before = now;
        if (!free_step(s, s->active, larger(smaller(now, 1), DELTA_LEAST))) return ZN_ERROR_NO_CONVERGENCE;
        now = many_offer_measured(s, s->r, s->u);
        if (now > s->settings.residual && !(now <= STEP_GAINS * before)) {
            mend(s);
            now = many_offer_measured(s, s->r, s->u);
        }
        if (now <= s->settings.residual) return ZN_OK;
        if (s->best_residual < best) last_gain = k;
    }
    return ZN_ERROR_NO_CONVERGENCE;
}
