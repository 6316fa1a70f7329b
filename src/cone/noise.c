/* SPDX-License-Identifier: Apache-2.0 */
/* Round-off. Stiff models compute forces as differences of large numbers; what is lost there may be larger than the tolerance, and no
 * iteration gets below it. Whether a residual f(x) is such noise shows in its neighbourhood: at points x + k d, k = 0, 1, 2 .., so near to
 * each other that a smooth f is a straight line there, and so far apart that every number in it changes (some hundred units in the last
 * place),
 *
 *     f_2 - 2 f_1 + f_0 = 0    for smooth f,    about sqrt(1 + 4 + 1) s = 2.4 s    for noise of the size s,
 *
 * and a third of f_0 separates the two; noise that happens to lie on a line does not do so again at the next points. Rows of one
 * unit are judged together: noise in the forces does not excuse a violated joint. */
#include "cone/solver.h"

static const double noisy_share = 1.0 / 3; /* second differences of noise are larger */
enum { PROBES = 7 };

/* Each unknown has a direction and a distance of its own: where all go together differences stay the same, and multiples of the unit in the
 * last place are rounded alike. */
double cone_probe(int i, int k, double distance) {
    double place = fmod(0.6180339887498949 * (i + 1), 1), size = distance * (1 + fabs(place - 0.5));
    return k * (place < 0.5 ? -size : size);
}

/* Multipliers have scales of their own: the force that turns a thin rod about its axis is what large ones leave of each other. */
double cone_probe_multiplier(int i, int k, double value) { return value + cone_probe(i, k, CONE_PROBE_SHARE * fabs(value)); }

typedef struct differences {
    double *first, *now, *last, *slope, *second; /* rows at x, at this and the last point, their rise, the largest second differences */
} differences;

static void add_point(int n, int k, differences *d) {
    for (int i = 0; i < n; i++) {
        double rise = d->now[i] - d->last[i];
        if (k == 0) d->first[i] = d->now[i];
        d->second[i] = k < 2 ? 0 : larger(d->second[i], fabs(rise - d->slope[i]));
        d->slope[i] = rise;
        d->last[i] = d->now[i];
    }
}

static double judge(const cone_suspect *s, const differences *d, double tolerance) {
    double size[CONE_UNIT_COUNT] = {0}, second[CONE_UNIT_COUNT] = {0}, largest = 0;
    for (int i = 0; i < s->n; i++) {
        cone_unit unit = s->unit(s->user, i);
        size[unit] = larger(size[unit], fabs(d->first[i]));
        second[unit] = larger(second[unit], d->second[i]);
    }
    for (int u = 0; u < CONE_UNIT_COUNT; u++) {
        if (size[u] <= tolerance) continue;
        if (!(size[u] <= CONE_MOST_NOISE * tolerance) || !(second[u] > noisy_share * size[u])) return 0;
        largest = larger(largest, size[u]);
    }
    return largest;
}

double cone_noise(const cone_suspect *s, double tolerance) {
    double *memory = s->memory, size = 0;
    differences d = {memory, memory + s->n, memory + 2 * s->n, memory + 3 * s->n, memory + 4 * s->n};
    for (int k = 0; k < PROBES && !(size > 0); k++) {
        if (s->rows(s->user, k, d.now)) return 0;
        add_point(s->n, k, &d);
        if (k > 1) size = judge(s, &d, tolerance);
    }
    return size;
}

/* ---- of the cone problem: rows of phi, then of R at the states as they are ---- */

typedef struct point {
    cone_solver *s;
    const double *x, *y;
} point;

static zn_status evaluate_probe(const point *at, int k) {
    cone_solver *s = at->s;
    const cone_problem *p = s->p;
    for (int i = 0; i < p->n_settled; i++)
        s->x_old[i] = at->x[i] + cone_probe(i, k, p->phi_unit && p->phi_unit[i] == CONE_LENGTH ? s->expected.length : s->expected.velocity);
    for (int i = p->n_settled; i < p->nx; i++) s->x_old[i] = cone_probe_multiplier(i, k, at->x[i]);
    for (int j = 0; j < p->ny; j++) s->y_old[j] = cone_probe_multiplier(j, k, at->y[j]);
    zn_status status = cone_evaluate(s, s->x_old, s->y_old, false);
    if (status == ZN_OK) cone_residual(s, s->psi, s->mu, s->R);
    return status;
}

static int probe_rows(void *user, int k, double *rows) {
    const point *at = user;
    const cone_solver *s = at->s;
    const cone_problem *p = s->p;
    if (k > 0 && evaluate_probe(at, k) != ZN_OK) return 1;
    for (int i = 0; i < p->nx; i++) rows[i] = (s->phi[i] - (s->forgives ? s->left[i] : 0)) * (p->phi_scale ? p->phi_scale[i] : 1);
    for (int j = 0; j < p->ny; j++) rows[p->nx + j] = s->R[j] * s->row_scale[2 * j + (s->kind[j] == CONE_ROW_PSI ? 0 : 1)];
    return 0;
}

static cone_unit unit_of(void *user, int i) {
    const cone_solver *s = ((const point *)user)->s;
    const cone_problem *p = s->p;
    if (i < p->nx) return p->phi_unit ? p->phi_unit[i] : CONE_MOMENTUM;
    int row = s->psi_row[i - p->nx];
    return p->psi_unit && row >= 0 ? p->psi_unit[row] : CONE_VELOCITY;
}

double cone_noise_at(cone_solver *s, const double *x, const double *y) {
    point at = {s, x, y};
    double size = cone_noise(&(cone_suspect){&at, s->p->nx + s->p->ny, probe_rows, unit_of, s->seen}, s->settings.tolerance);
    if (!(size > 0)) evaluate_probe(&at, 0);
    return size;
}
