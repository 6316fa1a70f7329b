/* SPDX-License-Identifier: Apache-2.0 */
/* Interior point method. In y = (mu r_N, r_T), z = (u_N/mu + |u_T|, u_T) both cones are the Lorentz cone L = {x_0 >= |x_1..|}, and
 *
 *     z = V y + p + |z_T| e,   y in L, z in L, y o z = 0,       V = P W P, p = P q, P = diag(1/mu, 1 ..)
 *
 * y o z = 2 sigma tau e is followed to tau = 0 with the scaling of Nesterov and Todd: T = T' with T z = T^-1 y = l,
 *
 *     T^2 = b^2 (2 w w' - J),   T^-2 = (2 (J w)(J w)' - J)/b^2
 *     l o (T dz + T^-1 dy) = 2 sigma tau e - l o l - (T dz_a) o (T^-1 dy_a) = l o (T c)   =>   dz = c - T^-2 dy
 *     (V + G T^-2) dy = G c - (1 - sigma) rho,    rho = V y + p + |z_T| e - z,    G = 1 - theta e z_T'/|z_T|
 *
 * with dz_a, dy_a the step for sigma = 0 (Mehrotra). With theta = 1, G is the derivative of z - |z_T| e. With theta = 0, that is with |z_T|
 * of the last iterate, the problem is convex, and there is always a way on, but the iteration becomes a slow fixed point (40 iterations for
 * three digits, instead of
 * 30 for nine). Since |z_T| e is not monotone, the path to tau = 0 may turn back: steps become short there. Then theta falls, and grows
 * again with long steps. Where sliding begins, |z_T| has a kink, at which the path turns sharply: some starts follow sqrt(|z_T|^2 + eps^2)
 * - eps instead, with eps^2 = blunt^2 tau, which is smooth and ends in the same problem. With eps = blunt_rest tau only what is nearly at
 * rest is smoothed: z_T of a contact that sticks goes to zero as tau does, and its direction, which the kink feeds back into z_0, says
 * nothing. What does not get through is left to path.c. The structure of the matrix never changes, and it is regular also where contacts
 * are redundant; Newton's method on the contacts that turned out active finds the last digits. */
#include "cone/many/inside.h"

#define HELD 1e12 /* on their diagonal */
#define TO_BOUNDARY 0.9
#define SHORT 0.1 /* a step this short makes no progress */
#define CENTRING 0.8
#define CENTRING_AFTER 0.8 /* times (1 - t)^2 after a step of length t: who came near to the boundary goes back to the middle */
#define LONG 0.8
#define THETA_FALL 0.3
#define THETA_GROWTH 2 /* and THETA_LEAST more */
#define THETA_LEAST 0.1

void many_interior_destroy(many_system *s) {
    struct interior *i = s->interior;
    if (!i) return;
    void *memory[] = {i->V, i->p, i->D, i->E, i->y, i->z, i->dy, i->dz, i->rho, i->c};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) mem_free(s->context, memory[k]);
    mem_free(s->context, i);
    s->interior = NULL;
}

bool inside_create(many_system *s) {
    if (!many_need_factors(s)) return false;
    if (s->interior) return true;
    struct interior *f = s->interior = MEM_ARRAY(s->context, struct interior, 1);
    if (!f) return false;
    f->V = MEM_ARRAY(s->context, double, s->room.numbers);
    f->D = MEM_ARRAY(s->context, double, s->room.rows *CONTACT_ROWS_MOST);
    f->E = MEM_ARRAY(s->context, double, s->room.rows *CONTACT_ROWS_MOST);
    double **vectors[] = {&f->p, &f->y, &f->z, &f->dy, &f->dz, &f->rho, &f->c};
    bool fine = f->V && f->D && f->E;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        fine = fine && (*vectors[k] = MEM_ARRAY(s->context, double, s->room.rows));
    if (!fine) many_interior_destroy(s);
    return fine;
}

/* V and p. */
void inside_enter(many_system *s, struct interior *f) {
    if (s->interior_ready) return;
    int d = s->d;
    size_t dd = (size_t)(d * d);
    s->interior_ready = true;
    for (int c = 0; c < s->n; c++)
        for (int k = s->start[c]; k < s->start[c + 1]; k++) {
            const double *own = s->W + (size_t)k * dd;
            double a = 1 / lorentz(s, c), b = 1 / lorentz(s, s->index[k]);
            for (int i = 0; i < d; i++)
                for (int j = 0; j < d; j++) f->V[(size_t)k * dd + (size_t)(i * d + j)] = own[i * d + j] * (i ? 1 : a) * (j ? 1 : b);
        }
    for (int k = 0; k < s->m; k++) f->p[k] = s->q[k] / (k % d ? 1 : lorentz(s, k / d));
}

/* rho = V y + p + |z_T| e - z, by W itself, which may be unsymmetric. */
void inside_residual(many_system *s, struct interior *f) {
    int d = s->d;
    for (int k = 0; k < s->m; k++) s->r[k] = f->y[k] / (k % d ? 1 : lorentz(s, k / d));
    many_velocities(s, s->r, s->u);
    for (int c = 0; c < s->n; c++) {
        int n = rows_of(s, c);
        for (int i = 0; i < d; i++) f->rho[c * d + i] = i < n ? s->u[c * d + i] / (i ? 1 : lorentz(s, c)) - f->z[c * d + i] : 0;
        if (n > 1) f->rho[c * d] += slip(f, f->z + c * d + 1, n - 1) - f->eps;
    }
}

int inside_factor(many_system *s, struct interior *f) {
    int d = s->d;
    for (int c = 0; c < s->n; c++) {
        int n = rows_of(s, c);
        vec w;
        double b = scaling(f->y + c * d, f->z + c * d, n, w), *D = f->D + (size_t)c * (size_t)(d * d);
        memset(D, 0, (size_t)(d * d) * sizeof *D);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                D[i * d + j] = (2 * w[i] * w[j] * ((i > 0) == (j > 0) ? 1 : -1) + (i == j ? (i ? 1 : -1) : 0)) / (b * b);
        for (int i = n; i < d; i++) D[i * d + i] = HELD;
        double *E = f->E + (size_t)c * (size_t)(d * d), size = slip(f, f->z + c * d + 1, n - 1);
        memcpy(E, D, (size_t)(d * d) * sizeof *E);
        for (int i = 1; i < n && size > 0; i++)
            for (int j = 0; j < d; j++) E[j] -= f->theta * f->z[c * d + i] / size * D[i * d + j];
    }
    s->out->factorisations++;
    s->out->interior_iterations++;
    lin_block_values matrix = {.blocks = f->V, .transposed = s->transposed, .diagonal = f->E};
    return lin_block_lu_factor(s->factors, &matrix);
}

void inside_solve(many_system *s, const struct interior *f, double *dy, double *dz) {
    int d = s->d;
    for (int k = 0; k < s->m; k++) dy[k] += f->c[k];
    for (int c = 0; c < s->n; c++) {
        double size = slip(f, f->z + c * d + 1, rows_of(s, c) - 1);
        for (int i = 1; i < rows_of(s, c) && size > 0; i++) dy[c * d] -= f->theta * f->z[c * d + i] / size * f->c[c * d + i];
    }
    lin_block_lu_solve(s->factors, dy);
    s->out->solves++;
    for (int c = 0; c < s->n; c++) {
        const double *D = f->D + (size_t)c * (size_t)(d * d);
        int n = rows_of(s, c);
        for (int i = 0; i < d; i++) dz[c * d + i] = i < n ? f->c[c * d + i] - many_dot(D + i * d, dy + c * d, n) : 0;
    }
}

/* dy, dz for the target 2 sigma tau e; `correct`: with the products of the step at hand. */
static void find_step(many_system *s, struct interior *f, double sigma, double tau, bool correct) {
    double target = sigma * tau;
    int d = s->d;
    for (int c = 0; c < s->n; c++) {
        int n = rows_of(s, c), at = c * d;
        vec w = {0}, l, a, b, rhs, x;
        double beta = scaling(f->y + at, f->z + at, n, w);
        apply(w, beta, false, f->z + at, n, l);
        rhs[0] = target - many_dot(l, l, n);
        for (int i = 1; i < n; i++) rhs[i] = -2 * l[0] * l[i];
        if (correct) {
            apply(w, beta, false, f->dz + at, n, a);
            apply(w, beta, true, f->dy + at, n, b);
            rhs[0] -= many_dot(a, b, n);
            for (int i = 1; i < n; i++) rhs[i] -= a[0] * b[i] + b[0] * a[i];
        }
        divide(l, rhs, n, x);
        apply(w, beta, true, x, n, f->c + at);
        for (int i = n; i < d; i++) f->c[at + i] = 0;
    }
    for (int k = 0; k < s->m; k++) f->dy[k] = -((1 - sigma) * f->rho[k]);
    inside_solve(s, f, f->dy, f->dz);
}

/* The largest t <= 1 with x + t dx in L, for one contact. */
static double reach(const double *x, const double *dx, int n) {
    double a = dx[0] * dx[0] - many_dot(dx + 1, dx + 1, n - 1), b = x[0] * dx[0] - many_dot(x + 1, dx + 1, n - 1), c = det(x, n), t = 1;
    double disc = b * b - a * c;
    if (n == 1) return dx[0] < 0 && -x[0] / dx[0] < 1 ? -x[0] / dx[0] : 1;
    if (disc >= 0 && !(b >= 0 && a >= 0)) { /* smallest positive root of c + 2 b t + a t^2 */
        double root = b < 0 ? c / (-b + sqrt(disc)) : -(b + sqrt(disc)) / a;
        if (root > 0 && root < t) t = root;
    }
    if (dx[0] < 0 && -x[0] / dx[0] < t) t = -x[0] / dx[0];
    return t;
}

double inside_longest_step(const many_system *s, const struct interior *f) {
    double t = 1;
    for (int c = 0; c < s->n; c++) {
        int n = rows_of(s, c), at = c * s->d;
        double ty = reach(f->y + at, f->dy + at, n), tz = reach(f->z + at, f->dz + at, n);
        t = smaller(smaller(ty, tz), t);
    }
    return t;
}

static double gap(const many_system *s, const struct interior *f, double t) {
    double sum = 0;
    for (int k = 0; k < s->m; k++) sum += (f->y[k] + t * f->dy[k]) * (f->z[k] + t * f->dz[k]);
    return sum / s->n;
}

/* In the middle of the cones, `size` away from their apex. */
static void begin(many_system *s, struct interior *f, double size) {
    for (int k = 0; k < s->m; k++) {
        f->y[k] = k % s->d ? 0 : size * lorentz(s, k / s->d);
        f->z[k] = k % s->d ? 0 : size;
        f->dy[k] = f->dz[k] = 0;
    }
}

/* |z_T| grows by more than its derivative says. z_0 takes that up, which leads away from the boundary, and rho is as small as if |z_T| were
 * linear. */
static void bend(many_system *s, struct interior *f, double t) {
    for (int c = 0; c < s->n; c++) {
        int n = rows_of(s, c), at = c * s->d;
        double size = slip(f, f->z + at + 1, n - 1), along = 0;
        vec next = {0};
        for (int i = 1; i < n; i++) {
            next[i] = f->z[at + i] + t * f->dz[at + i];
            if (size > 0) along += f->theta * f->z[at + i] / size * f->dz[at + i];
        }
        double extra = slip(f, next + 1, n - 1) - size - t * along;
        if (extra > 0) f->z[at] += extra;
    }
}

/* The residual of the candidate: y as r, projected. */
double inside_look(many_system *s, const struct interior *f) {
    for (int k = 0; k < s->m; k++) s->r[k] = f->y[k] / (k % s->d ? 1 : lorentz(s, k / s->d));
    for (int c = 0; c < s->n; c++) {
        for (int i = rows_of(s, c); i < s->d; i++) s->r[c * s->d + i] = 0;
        many_project(s, c, s->r + c * s->d);
    }
    return many_offer_measured(s, s->r, s->u);
}

zn_status many_interior(many_system *s, interior_plan plan) {
    if (!inside_create(s)) return ZN_ERROR_MEMORY;
    struct interior *f = s->interior;
    double last_t = 1;
    inside_enter(s, f);
    begin(s, f, plan.start);
    f->theta = 1;
    for (int it = 0; it < plan.iterations; it++) {
        zn_status allowed = many_may_go_on(s);
        if (allowed != ZN_OK) return allowed;
        double tau = gap(s, f, 0);
        f->eps = plan.blunt * sqrt(tau) + plan.blunt_rest * tau;
        inside_residual(s, f);
        if (inside_factor(s, f) != 0) return ZN_ERROR_NO_CONVERGENCE;
        find_step(s, f, 0, tau, false);
        double t = inside_longest_step(s, f), after = gap(s, f, t), sigma = after / tau;
        sigma = smaller(sigma * sigma * sigma, 1);
        sigma = larger(sigma, CENTRING_AFTER * (1 - last_t) * (1 - last_t));
        find_step(s, f, sigma, tau, true);
        t = TO_BOUNDARY * inside_longest_step(s, f);
        if (t < SHORT) { /* towards the middle of the cones, without the corrector */
            find_step(s, f, CENTRING, tau, false);
            t = TO_BOUNDARY * inside_longest_step(s, f);
        }
        if (!(t > 0)) return ZN_ERROR_NO_CONVERGENCE;
        last_t = t;
        bend(s, f, t);
        for (int k = 0; k < s->m; k++) {
            f->y[k] += t * f->dy[k];
            f->z[k] += t * f->dz[k];
        }
        if (t < plan.fall) f->theta *= THETA_FALL;
        else if (t > LONG) f->theta = smaller(1, THETA_GROWTH * f->theta + THETA_LEAST);
        double now = inside_look(s, f);
        if (now <= s->settings.residual) return ZN_OK;
        if (now < plan.enough) return ZN_ERROR_NO_CONVERGENCE;
    }
    return ZN_ERROR_NO_CONVERGENCE;
}
