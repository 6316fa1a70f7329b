/* SPDX-License-Identifier: Apache-2.0 */
/* A model answered by functions of one's own: a bead m above the bowl y = x^2/2, without friction.
 *
 *   balance      r = m a - h - W lambda = (m a_x + x lambda, m a_y + m g - lambda),    W = dg/dq' = (-x, 1)
 *   gap          c0 = y - x^2/2,   c1 = y' - x x',   c2 = a_y - x a_x - x'^2
 *
 * Matrices are dense here and go column by column. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zeno/zeno.h>

typedef struct bead {
    double m, g;
} bead;

static void fill(double *to, int count, const double *values) {
    if (to) memcpy(to, values, (size_t)count * sizeof *to); /* NULL: not wanted */
}

static int balance(const zn_model *model, void *work, const zn_point *at, zn_balance *out) {
    (void)work;
    const bead *b = model->data;
    double x = at->q[0], lambda = at->lambda ? at->lambda[0] : 0, weight = out->no_force ? 0 : b->m * b->g;
    double ax = at->a ? at->a[0] : 0, ay = at->a ? at->a[1] : 0;
    fill(out->r, 2, (double[]){b->m * ax + x * lambda, b->m * ay + weight - lambda});
    fill(out->r_q, 4, (double[]){lambda, 0, 0, 0});
    fill(out->r_u, 4, (double[]){0, 0, 0, 0});
    fill(out->M, 4, (double[]){b->m, 0, 0, b->m});
    fill(out->W, 2, (double[]){-x, 1});
    return 0;
}

static int constraints(const zn_model *model, void *work, const zn_point *at, zn_constraints *out) {
    (void)model, (void)work;
    double x = at->q[0], y = at->q[1], vx = at->u ? at->u[0] : 0, vy = at->u ? at->u[1] : 0;
    double ax = at->a ? at->a[0] : 0, ay = at->a ? at->a[1] : 0;
    fill(out->c0, 1, (double[]){y - x * x / 2});
    fill(out->c0_q, 2, (double[]){-x, 1});
    fill(out->c1, 1, (double[]){vy - x * vx});
    fill(out->c1_q, 2, (double[]){-vx, 0});
    fill(out->c1_u, 2, (double[]){-x, 1}); /* transposed: nu x n */
    fill(out->c2, 1, (double[]){ay - x * ax - vx * vx});
    fill(out->c2_q, 2, (double[]){-ax, 0});
    fill(out->c2_u, 2, (double[]){-2 * vx, 0});
    return 0;
}

static int energy(const zn_model *model, void *work, const zn_point *at, double *kinetic, double *potential) {
    (void)work;
    const bead *b = model->data;
    *kinetic = b->m / 2 * (at->u[0] * at->u[0] + at->u[1] * at->u[1]);
    *potential = b->m * b->g * at->q[1];
    return 0;
}

/* Derivatives by hand are worth a look before anything else. */
static zn_status check(zn_context *context, const zn_model *model) {
    const zn_point at = {
        .t = 0, .q = (double[]){0.7, -0.6}, .u = (double[]){0.3, 1.1}, .a = (double[]){-0.4, 2}, .lambda = (double[]){1.5}};
    zn_derivative_check result;
    zn_status status = zn_model_check_derivatives(context, model, &at, &result);
    if (status == ZN_OK) printf("derivatives: %s\n", result.worst < 1e-7 ? "right" : result.what);
    return status;
}

static int print_row(void *user, const zn_simulation *simulation) {
    (void)user;
    double kinetic, potential;
    zn_simulation_energy(simulation, &kinetic, &potential);
    const double *q = zn_simulation_positions(simulation);
    printf("t = %.1f   x = %8.5f   y = %8.5f   energy = %.4f\n", zn_simulation_time(simulation), q[0], q[1], kinetic + potential);
    return 0;
}

int main(void) {
    bead data = {.m = 0.5, .g = 9.81};
    const zn_contact bowl = {.name = "bowl", .row_N = 0, .e_N = 0.2};
    const zn_model def = {.size = {.nq = 2, .nu = 2, .nN = 1, .n_contacts = 1},
                          .contacts = &bowl,
                          .natural = true,
                          .q_names = (const char *const[]){"x", "y"},
                          .q_start = (double[]){0.5, 1},
                          .data = &data,
                          .balance = balance,
                          .constraints = constraints,
                          .energy = energy};
    zn_context *context = zn_context_create(NULL);
    if (!context) return 1;
    zn_model *model = NULL;
    zn_simulation *simulation = NULL;
    zn_settings settings = zn_settings_default();
    settings.scheme = "radau-2a";
    settings.step = 1e-3;
    settings.end = 4;
    settings.record_every = 1000;
    zn_status status = zn_model_from_callbacks(context, &def, &model);
    if (status == ZN_OK) status = check(context, model);
    if (status == ZN_OK) status = zn_simulation_create(context, model, &settings, &simulation);
    if (status == ZN_OK) status = zn_simulation_run(simulation, print_row, NULL);
    if (status != ZN_OK) fprintf(stderr, "%s\n", zn_error_text(context));
    zn_simulation_destroy(simulation);
    zn_model_destroy(context, model);
    zn_context_destroy(context);
    return status == ZN_OK ? 0 : 1;
}
