/* SPDX-License-Identifier: Apache-2.0 */
/* The central path through its folds. |z_T| e is not monotone, so that tau need not fall along the path to a solution: in a dense pile with
 * friction the path turns back dozens of times, where a few contacts go over from one state to another. interior.c, which steers by tau,
 * stops there. Here tau is an unknown like the others:
 *
 *     H(y, z, tau) = ( V y + p + s(z_T) e - z - (tau/tau_0) rho_0,   y o z - tau e ) = 0,   s = sqrt(|z_T|^2 + eps^2) - eps
 *
 * with 1/eps^2 = 1/(blunt^2 tau) + 1/(blunt_rest tau)^2 is a smooth curve, of which (e, e, 1) is a point by the choice of rho_0. It goes on
 * until tau = 0, unless it goes to infinity. Each step has one factorisation, that of the interior point method, with which three systems
 * are solved (T is that of the point at hand, d stands for (dy, dz, dtau)):
 *
 *     along    H' t = 0
 *     across   H' k = -H,                       <t, k> = 0
 *     bend     H' b = -H''(d, d)/2 as far as it matters: (T dz) o (T^-1 dy), and s less its linear part;   <t, b> = 0,   d = k + h t
 *
 * and goes to + k + h t + b. h is as long as the way to the boundary of the cones, halved until what is left is small, and falls where k
 * does not become smaller from then
 * on: there a step has cut a corner, and is done again, shorter.
 *
 * The sizes of changes are relative: |(T^-1 dy, T dz)|/sqrt(tau) of a contact, |dtau|/tau. At most folds a single contact or a few move, so
 * that `across` cannot mean the sum over all: <a, b> weighs the contacts by the squares of their changes along t. The direction is that in
 * which the determinant stays on its side: tau falls where det(V + G T^-2) > 0, and grows where it is negative. So the curve is not walked
 * back, also where a step has skipped a fold, which the direction of the last step cannot tell. */
#include "cone/many/inside.h"

#define GOOD 0.3     /* largest relative change across at a point from which to go along */
#define LEFT 0.3     /* |T rho|/sqrt(tau) of a contact after a step */
#define CENTRAL 0.01 /* eigenvalues of y o z, by tau: at least this and at most its inverse */
#define INSIDE 1e-4  /* at least, in steps across */
#define GROWTH 4     /* of h */
#define SHORTER (0.25 / GROWTH)
#define STEP_LEAST 1e-8
#define STEP_MOST 5     /* where no boundary is in the way */
#define TAU_LEAST 0.005 /* of tau in one step */
#define TO_BOUNDARY 0.9
#define SHORT 0.3  /* a step that has to be cut to this is tried with half of h */
#define CLOSER 0.8 /* across after a step across, over before */
#define DESCENT 0.2
enum { HALVINGS = 8, CORRECTIONS = 4 };

typedef struct motion {
    double *y, *z, tau;
} motion;

struct path {
    double *w, *b, *weight, *change; /* scaling of contacts; the same as weights of <a, b>, and relative changes */
    double *rho_0, *right;
    motion along, across, bend, next, good; /* the last two are points */
    double weight_tau, square, tau, tau_0;  /* square: <t, t> */
    double blunt, sharp;                    /* of eps */
    double longest, size, last_size;        /* of the next step along; largest relative change across, and that before */
    int corrections;
    bool has_good;
};

void many_path_destroy(many_system *s) {
    struct path *p = s->path;
    if (!p) return;
    motion *motions[] = {&p->along, &p->across, &p->bend, &p->next, &p->good};
    for (size_t k = 0; k < sizeof motions / sizeof *motions; k++) mem_free(s->context, motions[k]->y), mem_free(s->context, motions[k]->z);
    double *memory[] = {p->w, p->b, p->weight, p->change, p->rho_0, p->right};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) mem_free(s->context, memory[k]);
    mem_free(s->context, p);
    s->path = NULL;
}

static bool create(many_system *s) {
    if (!inside_create(s)) return false;
    if (s->path) return true;
    struct path *p = s->path = MEM_ARRAY(s->context, struct path, 1);
    if (!p) return false;
    double **vectors[] = {&p->along.y, &p->along.z, &p->across.y, &p->across.z, &p->bend.y, &p->bend.z, &p->next.y,
                          &p->next.z,  &p->good.y,  &p->good.z,   &p->w,        &p->rho_0,  &p->right};
    double **numbers[] = {&p->b, &p->weight, &p->change};
    bool fine = true;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        fine = fine && (*vectors[k] = MEM_ARRAY(s->context, double, s->room.rows));
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        fine = fine && (*numbers[k] = MEM_ARRAY(s->context, double, s->room.contacts));
    if (!fine) many_path_destroy(s);
    return fine;
}

/* eps^2 = blunt^2 tau^2/(tau + sharp) */
static double eps_of(const struct path *p, double tau) { return p->blunt * tau / sqrt(tau + p->sharp); }
/* d(eps^2/2)/d tau, of which the change of s takes the part 1/sqrt(|z_T|^2 + eps^2) - 1/eps */
static double eps_rate(const struct path *p) {
    double sum = p->tau + p->sharp;
    return p->blunt * p->blunt * (p->tau / sum - p->tau * p->tau / (2 * sum * sum));
}

/* f->rho = first part of H at f->y, f->z. */
static void find_residual(many_system *s, struct interior *f, const struct path *p, double tau) {
    f->eps = eps_of(p, tau);
    inside_residual(s, f);
    for (int k = 0; k < s->m; k++) f->rho[k] -= tau / p->tau_0 * p->rho_0[k];
}

/* T^-1 x for the response x of l o x = rhs, as c of the contact. */
static void respond(const many_system *s, struct interior *f, const struct path *p, int c, const double *l, const double *rhs) {
    vec x;
    int n = rows_of(s, c);
    divide(l, rhs, n, x);
    apply(p->w + c * s->d, p->b[c], true, x, n, f->c + c * s->d);
    for (int i = n; i < s->d; i++) f->c[c * s->d + i] = 0;
}

/* Relative changes by contacts; returns the largest. */
static double find_changes(const many_system *s, struct path *p, const motion *m) {
    double largest = 0;
    for (int c = 0; c < s->n; c++) {
        int n = rows_of(s, c), at = c * s->d;
        vec a, b;
        apply(p->w + at, p->b[c], true, m->y + at, n, a);
        apply(p->w + at, p->b[c], false, m->z + at, n, b);
        p->change[c] = sqrt((many_dot(a, a, n) + many_dot(b, b, n)) / p->tau);
        largest = larger(p->change[c], largest);
    }
    return largest;
}

static double product(const many_system *s, const struct path *p, const motion *m, const motion *o) {
    double sum = 0;
    for (int c = 0; c < s->n; c++) {
        int n = rows_of(s, c), at = c * s->d;
        vec a, b;
        apply(p->w + at, p->b[c], true, m->y + at, n, a);
        apply(p->w + at, p->b[c], true, o->y + at, n, b);
        double one = many_dot(a, b, n);
        apply(p->w + at, p->b[c], false, m->z + at, n, a);
        apply(p->w + at, p->b[c], false, o->z + at, n, b);
        sum += p->weight[c] * (one + many_dot(a, b, n));
    }
    return sum / p->tau + p->weight_tau * m->tau * o->tau / (p->tau * p->tau);
}

/* Solves for a motion with dtau = 0 from f->c and p->right, and makes it orthogonal to t. */
static void find_orthogonal(many_system *s, const struct interior *f, struct path *p, motion *m) {
    memcpy(m->y, p->right, (size_t)s->m * sizeof(double));
    inside_solve(s, f, m->y, m->z);
    m->tau = 0;
    double part = product(s, p, m, &p->along) / p->square;
    for (int k = 0; k < s->m; k++) m->y[k] -= part * p->along.y[k], m->z[k] -= part * p->along.z[k];
    m->tau = -part * p->along.tau;
}

/* t, with a largest relative change of 1, and the weights. */
static void find_along(many_system *s, struct interior *f, struct path *p) {
    double rate = eps_rate(p);
    for (int c = 0; c < s->n; c++) {
        int n = rows_of(s, c), at = c * s->d;
        vec l, e = {1};
        apply(p->w + at, p->b[c], false, f->z + at, n, l);
        respond(s, f, p, c, l, e);
        for (int i = 0; i < s->d; i++) p->along.y[at + i] = i < n ? p->rho_0[at + i] / p->tau_0 : 0;
        if (n > 1) p->along.y[at] -= rate * (1 / slip(f, f->z + at + 1, n - 1) - 1 / f->eps);
    }
    inside_solve(s, f, p->along.y, p->along.z);
    double largest = larger(find_changes(s, p, &p->along), 1 / p->tau), factor = -lin_block_lu_sign(s->factors) / largest;
    for (int c = 0; c < s->n; c++) p->weight[c] = p->change[c] * p->change[c] / (largest * largest);
    for (int k = 0; k < s->m; k++) p->along.y[k] *= factor, p->along.z[k] *= factor;
    p->along.tau = factor;
    p->weight_tau = factor * factor / (p->tau * p->tau);
    p->square = product(s, p, &p->along, &p->along);
}

static void find_across(many_system *s, struct interior *f, struct path *p) {
    for (int c = 0; c < s->n; c++) {
        int n = rows_of(s, c), at = c * s->d;
        vec l, rhs;
        apply(p->w + at, p->b[c], false, f->z + at, n, l);
        rhs[0] = p->tau - many_dot(l, l, n);
        for (int i = 1; i < n; i++) rhs[i] = -2 * l[0] * l[i];
        respond(s, f, p, c, l, rhs);
    }
    for (int k = 0; k < s->m; k++) p->right[k] = -f->rho[k];
    find_orthogonal(s, f, p, &p->across);
    p->size = find_changes(s, p, &p->across);
}

/* For the motion f->dy, f->dz, dtau. */
static void find_bend(many_system *s, struct interior *f, struct path *p, double dtau) {
    double eps = eps_of(p, p->tau + dtau), rate = eps_rate(p);
    memset(p->right, 0, (size_t)s->m * sizeof(double));
    for (int c = 0; c < s->n; c++) {
        int n = rows_of(s, c), at = c * s->d;
        vec l, a, b, rhs;
        apply(p->w + at, p->b[c], false, f->z + at, n, l);
        apply(p->w + at, p->b[c], false, f->dz + at, n, a);
        apply(p->w + at, p->b[c], true, f->dy + at, n, b);
        rhs[0] = -many_dot(a, b, n);
        for (int i = 1; i < n; i++) rhs[i] = -(a[0] * b[i] + b[0] * a[i]);
        respond(s, f, p, c, l, rhs);
        if (n == 1) continue;
        double size = slip(f, f->z + at + 1, n - 1), square = eps * eps, linear = rate * (1 / size - 1 / f->eps) * dtau;
        for (int i = 1; i < n; i++) {
            double z = f->z[at + i] + f->dz[at + i];
            square += z * z;
            linear += f->z[at + i] / size * f->dz[at + i];
        }
        p->right[at] = -((sqrt(square) - eps) - (size - f->eps) - linear);
    }
    find_orthogonal(s, f, p, &p->bend);
}

/* |T rho|/sqrt(tau) of the contact where it is largest, of f->rho. */
static double left_over(const many_system *s, const struct interior *f, const double *y, const double *z, double tau) {
    double largest = 0;
    for (int c = 0; c < s->n; c++) {
        int n = rows_of(s, c), at = c * s->d;
        vec w = {0}, x;
        double b = scaling(y + at, z + at, n, w);
        apply(w, b, false, f->rho + at, n, x);
        largest = larger(many_norm(x, n), largest);
    }
    return largest / sqrt(tau);
}

/* Whether the eigenvalues of T z, the roots of those of y o z, are within limits. */
static bool is_central(const many_system *s, const motion *at_point, double least, double most) {
    for (int c = 0; c < s->n; c++) {
        int n = rows_of(s, c), at = c * s->d;
        const double *y = at_point->y + at, *z = at_point->z + at;
        vec w = {0}, l;
        if (!(y[0] > 0 && z[0] > 0 && det(y, n) > 0 && det(z, n) > 0)) return false;
        apply(w, scaling(y, z, n, w), false, z, n, l);
        double side = many_norm(l + 1, n - 1), low = l[0] - side, high = l[0] + side;
        if (!(low * low >= least * at_point->tau && high * high <= most * at_point->tau)) return false;
    }
    return true;
}

/* The residual at p->next; *before: that at hand. Both by the present scaling: else by each point's own. */
static double find_left(many_system *s, struct interior *f, const struct path *p, bool present, double *before) {
    double *y = f->y, *z = f->z;
    *before = left_over(s, f, y, z, p->tau);
    memcpy(p->right, f->rho, (size_t)s->m * sizeof(double));
    f->y = p->next.y, f->z = p->next.z;
    find_residual(s, f, p, p->next.tau);
    f->y = y, f->z = z;
    double after = present ? left_over(s, f, y, z, p->tau) : left_over(s, f, p->next.y, p->next.z, p->next.tau);
    memcpy(f->rho, p->right, (size_t)s->m * sizeof(double));
    f->eps = eps_of(p, p->tau);
    return after;
}

/* p->next with h along t, and at most the part `most` of it. False: it is no good. */
static bool try_step(many_system *s, struct interior *f, struct path *p, double h, double most) {
    for (int k = 0; k < s->m; k++) {
        f->dy[k] = p->across.y[k] + h * p->along.y[k];
        f->dz[k] = p->across.z[k] + h * p->along.z[k];
    }
    double dtau = p->across.tau + h * p->along.tau, before;
    if (!(p->tau + dtau > TAU_LEAST * p->tau)) return false;
    find_bend(s, f, p, dtau);
    dtau += p->bend.tau;
    if (!(p->tau + dtau > TAU_LEAST * p->tau)) return false;
    for (int k = 0; k < s->m; k++) f->dy[k] += p->bend.y[k], f->dz[k] += p->bend.z[k];
    double t = inside_longest_step(s, f);
    t = t < 1 ? TO_BOUNDARY * t : 1;
    if (h > 0 && t < SHORT) return false;
    t = smaller(most, t);
    double less = h > 0 ? 0 : 1 - t; /* the bend of a part of a step is smaller by the square */
    for (int k = 0; k < s->m; k++) {
        p->next.y[k] = f->y[k] + t * (f->dy[k] - less * p->bend.y[k]);
        p->next.z[k] = f->z[k] + t * (f->dz[k] - less * p->bend.z[k]);
    }
    p->next.tau = p->tau + t * (dtau - less * p->bend.tau);
    if (!is_central(s, &p->next, h > 0 ? CENTRAL : INSIDE, h > 0 ? 1 / CENTRAL : INFINITY)) return false;
    double left = find_left(s, f, p, !(h > 0), &before);
    return left <= (h > 0 ? LEFT : larger((1 - DESCENT * t) * before, LEFT / 2));
}

/* To the boundary along t alone. */
static double longest_along(const many_system *s, struct interior *f, const struct path *p) {
    double h = p->along.tau < 0 ? smaller((1 - TAU_LEAST) * p->tau / -p->along.tau, STEP_MOST) : STEP_MOST;
    for (int k = 0; k < s->m; k++) f->dy[k] = h * p->along.y[k], f->dz[k] = h * p->along.z[k];
    double part = inside_longest_step(s, f);
    return part < 1 ? TO_BOUNDARY * part * h : h;
}

static bool step_along(many_system *s, struct interior *f, struct path *p) {
    double h = smaller(longest_along(s, f, p), p->longest);
    for (int halving = 0; halving < HALVINGS; halving++, h /= 2) {
        if (!try_step(s, f, p, h, 1)) continue;
        p->longest = GROWTH * h;
        return true;
    }
    return false;
}

static bool step_across(many_system *s, struct interior *f, struct path *p) {
    double most = 1;
    for (int halving = 0; halving < HALVINGS; halving++, most /= 2)
        if (try_step(s, f, p, 0, most)) return true;
    return false;
}

static void copy_point(const many_system *s, const double *y, const double *z, double tau, motion *to) {
    memcpy(to->y, y, (size_t)s->m * sizeof(double));
    memcpy(to->z, z, (size_t)s->m * sizeof(double));
    to->tau = tau;
}

/* To p->next, or back to where the last step along began. False: there is no way on. */
static bool step(many_system *s, struct interior *f, struct path *p) {
    bool astray = p->has_good && p->size > GOOD, back = astray && (p->size > CLOSER * p->last_size || ++p->corrections > CORRECTIONS);
    if (!astray) {
        copy_point(s, f->y, f->z, p->tau, &p->good);
        p->has_good = true, p->corrections = 0;
    }
    p->last_size = astray ? p->size : INFINITY;
    if (!back && (!astray && step_along(s, f, p))) return true;
    if (!back && step_across(s, f, p)) return true;
    p->longest *= SHORTER;
    p->has_good = false; /* as good as it can be, also if it is not by the measure above */
    p->last_size = INFINITY, p->corrections = 0;
    copy_point(s, p->good.y, p->good.z, p->good.tau, &p->next);
    return p->longest > STEP_LEAST;
}

/* (e, e, 1) */
static void begin(many_system *s, struct interior *f, struct path *p) {
    for (int k = 0; k < s->m; k++) f->y[k] = f->z[k] = k % s->d == 0;
    for (int k = 0; k < s->m; k++) p->rho_0[k] = 0;
    f->theta = 1;
    p->tau = p->tau_0 = 1;
    p->longest = STEP_MOST, p->last_size = INFINITY, p->corrections = 0, p->has_good = false;
    find_residual(s, f, p, p->tau);
    memcpy(p->rho_0, f->rho, (size_t)s->m * sizeof(double));
}

zn_status many_path(many_system *s, const interior_plan *plan) {
    if (!create(s)) return ZN_ERROR_MEMORY;
    struct interior *f = s->interior;
    struct path *p = s->path;
    inside_enter(s, f);
    p->blunt = plan->blunt, p->sharp = plan->blunt * plan->blunt / (plan->blunt_rest * plan->blunt_rest);
    begin(s, f, p);
    for (int it = 0; it < plan->iterations; it++) {
        zn_status allowed = many_may_go_on(s);
        if (allowed != ZN_OK) return allowed;
        find_residual(s, f, p, p->tau);
        if (inside_factor(s, f) != 0) break;
        for (int c = 0; c < s->n; c++) p->b[c] = scaling(f->y + c * s->d, f->z + c * s->d, rows_of(s, c), p->w + c * s->d);
        find_along(s, f, p);
        find_across(s, f, p);
        if (!step(s, f, p)) break;
        memcpy(f->y, p->next.y, (size_t)s->m * sizeof(double));
        memcpy(f->z, p->next.z, (size_t)s->m * sizeof(double));
        p->tau = p->next.tau;
        double now = inside_look(s, f);
        if (now <= s->settings.residual) return ZN_OK;
        if (now < plan->enough) break;
    }
    return ZN_ERROR_NO_CONVERGENCE;
}
