/* SPDX-License-Identifier: Apache-2.0 */
/* Proximal points of the whole problem, one after the other. Around a centre rbar
 *
 *     r = P_K(rbar - (u + g(u) n)/delta),   u = W r + q
 *
 * is the problem with W + delta I and q - delta rbar, and r becomes the next centre: a step of length 1/delta of Euler's implicit method
 * along the way that percussions go under sweeps, of which it stands for some 1/delta. Where that way is long (a matrix that is flat in
 * some direction, a self-stress that grows until a contact can bear it, sliding that feeds itself) Newton's method on the problem itself
 * jumps to where many contacts are in other states, and does not come back; here steps are as long as Newton's method converges in
 * them, which it nearly always does where they are short enough.
 *
 * Newton's iteration is in a point l with u = W l + q, whose response is r, so that it is over when  F = r - l = 0:
 *
 *     x = rbar - (u + g n)/delta,   r = P_K(x),   D = P_K'(x) (I + n g'(u)')
 *     (D W + delta I) dl = delta F,   in rows with D = 0: dl = F
 *
 * P_K' is that of the whole cone, with its normal part: the functions of Alart and Curnier (newton.c) cut friction at the present normal
 * percussion. Contacts that roll are left to the other methods. */
#include "cone/many/system.h"

#define DELTA_START_MOST 1e-2
#define DELTA_START_LEAST 1e-4
#define DELTA_LEAST 1e-8
#define DELTA_MOST 10
#define START_SHARE 10 /* times the residual: the first delta */
#define FAILED 5       /* delta grows after steps without a solution, and falls by how many iterations one took: */
#define QUICK_FALL 0.1
#define FALL 0.3
#define SLOW_FALL 0.7
enum { QUICK = 4, MIDDLING = 6, ITERATIONS_MOST = 8, HALVINGS = 5 };
#define DECREASE 0.3 /* of |F| times the length of a step */
#define ACCURACY 0.1 /* |F| as a share of delta |r - rbar|, the velocity that a step leaves */
#define LEAST 1e-15  /* round-off */
#define GAIN 0.5     /* of the residual: worth going on for */

struct follow {
    unsigned char *wanted;                     /* per contact: D is not zero */
    double *D, *values, *diagonal;             /* blocks: D, D W, delta I */
    double *centre, *point, *velocity;         /* l, u */
    double *next, *next_velocity, *difference; /* F */
};

void many_follow_destroy(many_system *s) {
    struct follow *f = s->follow;
    if (!f) return;
    void *memory[] = {f->wanted, f->D, f->values, f->diagonal, f->centre, f->point, f->velocity, f->next, f->next_velocity, f->difference};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) mem_free(s->context, memory[k]);
    mem_free(s->context, f);
    s->follow = NULL;
}

static bool create(many_system *s) {
    if (!many_need_factors(s)) return false;
    if (s->follow) return true;
    struct follow *f = s->follow = MEM_ARRAY(s->context, struct follow, 1);
    if (!f) return false;
    f->wanted = MEM_ARRAY(s->context, unsigned char, s->room.contacts);
    f->values = MEM_ARRAY(s->context, double, s->room.numbers);
    f->D = MEM_ARRAY(s->context, double, s->room.rows *CONTACT_ROWS_MOST);
    f->diagonal = MEM_ARRAY(s->context, double, s->room.rows *CONTACT_ROWS_MOST);
    bool fine = f->wanted && f->values && f->D && f->diagonal;
    double **vectors[] = {&f->centre, &f->point, &f->velocity, &f->next, &f->next_velocity, &f->difference};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        fine = fine && (*vectors[k] = MEM_ARRAY(s->context, double, s->room.rows));
    if (!fine) many_follow_destroy(s);
    return fine;
}

/* x of contact c. */
static void before_projection(const many_system *s, const double *centre, const double *u, double delta, int c, double *x) {
    int d = s->d;
    for (int i = 0; i < d; i++) x[i] = centre[c * d + i] - u[c * d + i] / delta;
    x[0] -= s->mu[c] * many_norm(u + c * d + 1, s->nT) / delta;
}

/* r in s->r and F, of the point l with velocities u; returns |F|. */
static double differ(many_system *s, struct follow *f, const double *point, const double *u, double delta) {
    int d = s->d;
    for (int c = 0; c < s->n; c++) {
        before_projection(s, f->centre, u, delta, c, s->r + c * d);
        many_project(s, c, s->r + c * d);
    }
    for (int k = 0; k < s->m; k++) f->difference[k] = s->r[k] - point[k];
    return many_norm(f->difference, s->m);
}

/* P_K' at x, d rows; false: zero. With a = |x_T|, e = x_T/a and r_N = (x_N + mu a)/(1 + mu^2), on the side of the cone it is
 *     (1, mu e) (1, mu e)'/(1 + mu^2) + mu r_N/a (I - e e') */
static bool derivative(const double *x, int d, double mu, double *D) {
    double a = many_norm(x + 1, d - 1), side[CONTACT_ROWS_MOST] = {1};
    memset(D, 0, (size_t)(d * d) * sizeof *D);
    if (a <= mu * x[0]) {
        for (int i = 0; i < d; i++) D[i * d + i] = 1;
        return true;
    }
    double N = (x[0] + mu * a) / (1 + mu * mu);
    if (!(N > 0)) return false;
    for (int i = 1; i < d; i++) side[i] = mu * x[i] / a;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double around = i && j ? mu * N / a * ((i == j) - x[i] * x[j] / (a * a)) : 0;
            D[i * d + j] = side[i] * side[j] / (1 + mu * mu) + around;
        }
    return true;
}

/* D W, with the derivative of g, and delta I. */
static void fill_matrix(many_system *s, struct follow *f, double delta) {
    int d = s->d;
    size_t dd = (size_t)(d * d);
    for (int c = 0; c < s->n; c++) {
        double x[CONTACT_ROWS_MOST], *D = f->D + (size_t)c * dd;
        const double *u = f->velocity + c * d;
        before_projection(s, f->centre, f->velocity, delta, c, x);
        f->wanted[c] = derivative(x, d, s->mu[c], D);
        double size = many_norm(u + 1, s->nT);
        for (int i = 0; i < d; i++)
            for (int j = 1; j < d && size > 0; j++) D[i * d + j] += D[i * d] * s->mu[c] * u[j] / size;
        for (int k = s->start[c]; k < s->start[c + 1] && f->wanted[c]; k++) {
            const double *W = s->W + (size_t)k * dd;
            double *to = f->values + (size_t)k * dd;
            for (int i = 0; i < d; i++)
                for (int j = 0; j < d; j++) {
                    double sum = 0;
                    for (int l = 0; l < d; l++) sum += D[i * d + l] * W[l * d + j];
                    to[i * d + j] = sum;
                }
        }
        for (size_t i = 0; i < dd; i++) f->diagonal[(size_t)c * dd + i] = i % (size_t)(d + 1) == 0 ? delta : 0;
    }
}

/* W x without q. */
static void multiply(const many_system *s, const double *x, double *out) {
    many_velocities(s, x, out);
    for (int k = 0; k < s->m; k++) out[k] -= s->q[k];
}

/* s->x = dl, s->z = W dl. */
static bool find_step(many_system *s, struct follow *f, double delta) {
    int d = s->d;
    fill_matrix(s, f, delta);
    for (int k = 0; k < s->m; k++) s->x[k] = f->wanted[k / d] ? 0 : f->difference[k];
    multiply(s, s->x, s->z); /* what is known goes to the right side */
    for (int c = 0; c < s->n; c++)
        for (int i = 0; i < d; i++) {
            const double *row = f->D + (size_t)c * (size_t)(d * d) + i * d;
            s->work[c * d + i] = f->wanted[c] ? delta * f->difference[c * d + i] - many_dot(row, s->z + c * d, d) : 0;
        }
    lin_block_values matrix = {.blocks = f->values, .transposed = s->transposed, .diagonal = f->diagonal, .present = f->wanted};
    s->out->factorisations++;
    s->out->newton_iterations++;
    if (lin_block_lu_factor(s->factors, &matrix) != 0) return false;
    lin_block_lu_solve(s->factors, s->work);
    s->out->solves++;
    for (int k = 0; k < s->m; k++)
        if (f->wanted[k / d]) s->x[k] = s->work[k];
    multiply(s, s->x, s->z);
    return true;
}

/* The next point where |F| falls; *size is |F|. False: nowhere on the way. */
static bool go(many_system *s, struct follow *f, double delta, double *size) {
    double t = 1;
    for (int halving = 0; halving < HALVINGS; halving++, t /= 2) {
        for (int k = 0; k < s->m; k++) f->next[k] = f->point[k] + t * s->x[k], f->next_velocity[k] = f->velocity[k] + t * s->z[k];
        double now = differ(s, f, f->next, f->next_velocity, delta);
        if (!(now < (1 - DECREASE * t) * *size)) continue;
        double *point = f->next, *velocity = f->next_velocity;
        f->next = f->point, f->next_velocity = f->velocity;
        f->point = point, f->velocity = velocity;
        *size = now;
        return true;
    }
    return false;
}

/* The proximal point of the centre in s->r; *taken iterations. ZN_ERROR_NO_CONVERGENCE: not found. */
static zn_status find_proximal(many_system *s, struct follow *f, double delta, double enough, int *taken) {
    memcpy(f->point, f->centre, (size_t)s->m * sizeof(double));
    many_velocities(s, f->point, f->velocity);
    double size = differ(s, f, f->point, f->velocity, delta);
    for (*taken = 0;; ++*taken) {
        double moved = 0;
        for (int k = 0; k < s->m; k++) moved += (s->r[k] - f->centre[k]) * (s->r[k] - f->centre[k]);
        if (size <= larger(ACCURACY * delta * sqrt(moved), enough)) return ZN_OK;
        if (*taken == ITERATIONS_MOST) return ZN_ERROR_NO_CONVERGENCE;
        zn_status allowed = many_may_go_on(s);
        if (allowed != ZN_OK) return allowed;
        if (!find_step(s, f, delta) || !go(s, f, delta, &size)) return ZN_ERROR_NO_CONVERGENCE;
    }
}

zn_status many_follow(many_system *s, int patience) {
    if (s->nR > 0) return ZN_ERROR_NO_CONVERGENCE;
    if (!create(s)) return ZN_ERROR_MEMORY;
    struct follow *f = s->follow;
    double delta = larger(smaller(START_SHARE * s->best_residual, DELTA_START_MOST), DELTA_START_LEAST), gained = s->best_residual;
    int last_gain = s->out->factorisations;
    memcpy(f->centre, s->best, (size_t)s->m * sizeof(double));
    while (delta <= DELTA_MOST && s->out->factorisations - last_gain < patience) {
        int taken;
        zn_status status = find_proximal(s, f, delta, LEAST, &taken);
        if (status != ZN_OK && many_may_go_on(s) != ZN_OK) return many_may_go_on(s);
        if (status != ZN_OK) {
            delta *= FAILED;
            continue;
        }
        if (taken == 0) break; /* as good as it can be, or not finite */
        memcpy(f->centre, s->r, (size_t)s->m * sizeof(double));
        if (many_offer(s, s->r, s->u)) return ZN_OK;
        if (s->best_residual < GAIN * gained) gained = s->best_residual, last_gain = s->out->factorisations;
        delta = larger(delta * (taken < QUICK ? QUICK_FALL : taken < MIDDLING ? FALL : SLOW_FALL), DELTA_LEAST);
    }
    return ZN_ERROR_NO_CONVERGENCE;
}
