/* SPDX-License-Identifier: Apache-2.0 */
/* Round-off. Stiff models compute forces as differences of large numbers; what is lost there may be larger than the tolerance, and no
 * iteration gets below it. Whether a residual f(x) is such noise shows in its neighbourhood: at points x + k d, k = 0, 1, 2 .., so near to
 * each other that a smooth f is a straight line there, and so far apart that every number in it changes (some hundred units in the last
 * place),
 *
 *     f_2 - 2 f_1 + f_0 = 0    for smooth f,    about sqrt(1 + 4 + 1) s = 2.4 s    for noise of the size s,
 *
 * and a third of f_0 tells one from the other; noise that happens to lie on a line does not do so again at the next points. Rows of one
 * unit are judged together: noise of the forces does not excuse an open joint. */
#include "cone/solver.h"

static const double noisy_share = 1.0 / 3; /* second differences of noise are larger */

/* Each unknown has a direction and a distance of its own: where all go together differences stay the same, and multiples of the unit in the
 * last place are rounded alike. */
double cone_probe(int i, int k, double distance) {
    double place = fmod(0.6180339887498949 * (i + 1), 1), size = distance * (1 + fabs(place - 0.5));
    return k * (place < 0.5 ? -size : size);
}

void cone_probe_add(int n, const double *rows, int k, double *seen) {
    double *last = seen, *slope = last + n, *difference = slope + n;
    for (int i = 0; i < n; i++) {
        double rise = rows[i] - last[i];
        difference[i] = k < 2 ? 0 : fmax(difference[i], fabs(rise - slope[i]));
        slope[i] = rise;
        last[i] = rows[i];
    }
}

void cone_noise_add(cone_noise *noise, int unit, double size, double difference) {
    noise->size[unit] = fmax(noise->size[unit], fabs(size));
    noise->difference[unit] = fmax(noise->difference[unit], fabs(difference));
}

double cone_noise_size(const cone_noise *noise, double tolerance) {
    double size = 0;
    for (int u = 0; u < CONE_UNIT_COUNT; u++) {
        if (noise->size[u] <= tolerance) continue;
        if (!(noise->size[u] <= CONE_MOST_NOISE * tolerance) || !(noise->difference[u] > noisy_share * noise->size[u])) return 0;
        size = fmax(size, noise->size[u]);
    }
    return size;
}

/* The residual at x against the differences seen around it. */
static double judge(const cone_solver *s, const double *phi, const double *R) {
    const cone_problem *p = s->p;
    const double *phi_difference = s->seen + 2 * p->nx, *R_difference = s->seen + 3 * p->nx + 2 * p->ny;
    cone_noise noise = {0};
    for (int i = 0; i < p->nx; i++) {
        double scale = p->phi_scale ? p->phi_scale[i] : 1, left = s->forgives ? s->left[i] : 0;
        cone_noise_add(&noise, p->phi_unit ? p->phi_unit[i] : CONE_MOMENTUM, scale * (phi[i] - left), scale * phi_difference[i]);
    }
    for (int k = 0; k < p->ny; k++) {
        double scale = s->row_scale[2 * k + (s->kind[k] == CONE_ROW_PSI ? 0 : 1)];
        int unit = p->psi_unit && s->psi_row[k] >= 0 ? p->psi_unit[s->psi_row[k]] : CONE_VELOCITY;
        cone_noise_add(&noise, unit, scale * R[k], scale * R_difference[k]);
    }
    return cone_noise_size(&noise, s->settings.tolerance);
}

static zn_status evaluate_probe(cone_solver *s, const double *x, const double *y, int k) {
    const cone_problem *p = s->p;
    for (int i = 0; i < p->n_settled; i++)
        s->x_old[i] = x[i] + cone_probe(i, k, p->phi_unit && p->phi_unit[i] == CONE_LENGTH ? s->expected.length : s->expected.velocity);
    zn_status status = cone_evaluate(s, s->x_old, y, false);
    cone_residual(s, s->psi, s->mu, s->R);
    return status;
}

double cone_noise_at(cone_solver *s, const double *x, const double *y) {
    const cone_problem *p = s->p;
    double *phi = s->dx, *R = s->dy_swept, size = 0; /* the step is done: its memory is free */
    memcpy(s->x_old, x, (size_t)p->nx * sizeof(double));
    memcpy(phi, s->phi, (size_t)p->nx * sizeof(double));
    memcpy(R, s->R, (size_t)p->ny * sizeof(double));
    for (int k = 0; k < CONE_PROBES && !(size > 0); k++) {
        if (k > 0 && evaluate_probe(s, x, y, k) != ZN_OK) break;
        cone_probe_add(p->nx, s->phi, k, s->seen);
        cone_probe_add(p->ny, s->R, k, s->seen + 3 * p->nx);
        if (k > 1) size = judge(s, phi, R);
    }
    if (!(size > 0)) evaluate_probe(s, x, y, 0);
    return size;
}
