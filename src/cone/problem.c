/* SPDX-License-Identifier: Apache-2.0 */
/* The public face of discrete contact problems (zeno/contact_problem.h): checks what it is given, and solves. */
#include "zeno/contact_problem.h"

#include "base/handle.h"
#include "cone/discrete.h"

/* ---- checks ---- */

static zn_status check_numbers(zn_context *context, const char *name, const double *numbers, long count, bool positive) {
    if (!numbers && count > 0) return fail(context, ZN_ERROR_ARGUMENT, "the contact problem has no %s", name);
    for (long i = 0; i < count; i++)
        if (!isfinite(numbers[i]) || (positive && !(numbers[i] >= 0)))
            return fail(context, ZN_ERROR_ARGUMENT, "%s[%ld] of the contact problem is %g: it must be %s", name, i, numbers[i],
                        positive ? "finite and not negative" : "finite");
    return ZN_OK;
}

static zn_status check_matrix(zn_context *context, const char *name, const zn_triplets *m, int rows, int cols) {
    if (m->rows != rows || m->cols != cols)
        return fail(context, ZN_ERROR_ARGUMENT, "%s of the contact problem is %d x %d: it must be %d x %d", name, m->rows, m->cols, rows,
                    cols);
    if (m->count < 0 || (m->count > 0 && (!m->row || !m->col || !m->value)))
        return fail(context, ZN_ERROR_ARGUMENT, "%s of the contact problem has no entries", name);
    for (int k = 0; k < m->count; k++)
        if (m->row[k] < 0 || m->row[k] >= rows || m->col[k] < 0 || m->col[k] >= cols)
            return fail(context, ZN_ERROR_ARGUMENT, "entry %d of %s is at (%d, %d), outside of the matrix", k, name, m->row[k], m->col[k]);
    return check_numbers(context, name, m->value, m->count, false);
}

static zn_status check_dynamics(zn_context *context, const zn_contact_problem *p, int m) {
    if (!p->global) {
        zn_status status = check_matrix(context, "W", &p->W, m, m);
        return status == ZN_OK ? check_numbers(context, "q", p->q, m, false) : status;
    }
    if (p->M.rows < 1) return fail(context, ZN_ERROR_ARGUMENT, "M of the contact problem is empty");
    zn_status status = check_matrix(context, "M", &p->M, p->M.rows, p->M.rows);
    if (status == ZN_OK) status = check_matrix(context, "H", &p->H, p->M.rows, m);
    if (status == ZN_OK) status = check_numbers(context, "f", p->f, p->M.rows, false);
    return status == ZN_OK && p->w ? check_numbers(context, "w", p->w, m, false) : status;
}

static zn_status check(zn_context *context, const zn_contact_problem *p) {
    if (p->dim != 1 && p->dim != 2 && p->dim != 3 && p->dim != 5)
        return fail(context, ZN_ERROR_ARGUMENT, "a contact has 1, 2, 3 or 5 rows, not %d", p->dim);
    if (p->n_contacts < 1 || p->n_contacts > INT32_MAX / 5)
        return fail(context, ZN_ERROR_ARGUMENT, "the contact problem has %d contacts", p->n_contacts);
    zn_status status = check_dynamics(context, p, p->dim * p->n_contacts);
    if (status == ZN_OK && p->dim > 1) status = check_numbers(context, "mu", p->mu, p->n_contacts, true);
    if (status == ZN_OK && p->dim == 5) status = check_numbers(context, "mu_rolling", p->mu_rolling, p->n_contacts, true);
    return status;
}

/* ---- solving ---- */

static discrete_matrix view(const zn_triplets *m) { return (discrete_matrix){m->rows, m->cols, m->count, m->row, m->col, m->value}; }

zn_status zn_contact_problem_solve(zn_context *context, const zn_contact_problem *p, zn_solver solver, double residual, double *r,
                                   double *u, zn_contact_problem_outcome *outcome) {
    NEED_CONTEXT(context);
    NEED(context, p);
    NEED(context, r);
    NEED(context, outcome);
    *outcome = (zn_contact_problem_outcome){.residual = INFINITY};
    if ((int)solver < ZN_SOLVER_AUTO || solver > ZN_SOLVER_PROJECTION)
        return fail(context, ZN_ERROR_ARGUMENT, "there is no solver %d", (int)solver);
    if (!(residual > 0 && isfinite(residual)))
        return fail(context, ZN_ERROR_ARGUMENT, "the residual to reach must be positive, not %g", residual);
    zn_status status = check(context, p);
    if (status == ZN_OK) status = check_numbers(context, "the start r", r, (long)p->dim * p->n_contacts, false);
    if (status != ZN_OK) return status;
    double *zeros = MEM_ARRAY(context, double, p->dim * p->n_contacts);
    if (!zeros) return ZN_ERROR_MEMORY;
    discrete_def def = {p->global,   p->dim, p->n_contacts,       view(&p->W),           p->q,         view(&p->M),
                        view(&p->H), p->f,   p->w ? p->w : zeros, p->mu ? p->mu : zeros, p->mu_rolling};
    discrete *d = cone_discrete_create(context, &def);
    status = d ? ZN_OK : ZN_ERROR_MEMORY;
    if (!d && zn_error_count(context) > 0) status = zn_error_get(context, zn_error_count(context) - 1)->status;
    if (d) {
        discrete_result result = {0};
        status = cone_discrete_solve(d, solver, residual, r, &result);
        outcome->residual = cone_discrete_residual(d, r, u);
        outcome->sweeps = result.cost.sweeps;
        outcome->newton_iterations = result.cost.newton_iterations + result.outcome.iterations[CONE_NEWTON];
        outcome->interior_iterations = result.cost.interior_iterations;
        outcome->fixed_point_iterations = result.cost.fixed_point_iterations + result.outcome.iterations[CONE_PROJECTION];
        outcome->factorisations = result.cost.factorisations;
    }
    if (status == ZN_ERROR_NO_CONVERGENCE)
        fail(context, status, "the contact problem was not solved to %g: the best residual is %g", residual, outcome->residual);
    cone_discrete_destroy(d);
    mem_free(context, zeros);
    return status;
}
