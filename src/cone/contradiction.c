/* SPDX-License-Identifier: Apache-2.0 */
/* Redundant bilateral rows that contradict each other slightly, satisfied in the sense of least squares.
 *
 * With J = phi_x of deficient rank the Gauss-Newton step -J^+ phi vanishes where phi is orthogonal to the range of J:
 *
 *     phi = J J^+ phi + left        J J^+ phi: what steps reduce, must be below the tolerance;   left: stays
 *
 * `left` is in the dependent rows alone, since an independent row can always be satisfied. It is accepted in bilateral rows, up
 * to what the settings allow; if it is larger anywhere, nothing is accepted. */
#include "cone/solver.h"

bool cone_forgive(int n, int first, const unsigned char *unit, double most, double per_length, double *left) {
    bool fits = true;
    for (int i = first; i < n; i++)
        if (!(fabs(left[i]) <= most * (unit && unit[i] == CONE_LENGTH ? per_length : CONE_CONTRADICTION_RATE))) fits = false;
    memset(left, 0, (size_t)(fits ? first : n) * sizeof *left);
    return fits;
}

bool cone_allows_contradiction(const cone_solver *s) {
    return s->settings.contradiction > 0 && s->settings.solver != ZN_SOLVER_NEWTON && s->p->nx > s->p->n_settled;
}

void cone_find_contradiction(cone_solver *s) {
    const cone_problem *p = s->p;
    s->forgives = false;
    if (!s->rank_known) return;
    double per_length = p->rows_per_length > 0 ? p->rows_per_length : 1;
    lin_lu_unreachable(s->lu, p->phi_x, s->phi, s->left_x, s->left);
    s->forgives = cone_forgive(p->nx, p->n_settled, p->phi_unit, s->settings.contradiction, per_length, s->left);
}
