/* SPDX-License-Identifier: Apache-2.0 */
/* Active-set residual of the inclusions and its generalized Jacobian (docs/theory/solver.md; 002: 6.8).
 *
 *     a_N = rho psi_N - mu_N:   a_N <= 0   ->  R_N = psi_N      else  R_N = mu_N
 *     a_F = rho psi_F - mu_F:   |a_F| <= r ->  R_F = psi_F      else  R_F = mu_F + r a_F/|a_F|
 *     r <= 0 or the contact open:              R_F = mu_F
 *
 * rho enters only the switch and the direction. A gate that is shut makes every row of its cone R = mu. */
#include "cone/solver.h"

#include "base/team.h"

void cone_multiply_A(const cone_solver *s, const double *dy, double *dmu) {
    const cone_problem *p = s->p;
    if (p->A.start) lin_multiply(&p->A, p->A_values, 1, dy, dmu);
    else
        for (int k = 0; k < p->ny; k++) dmu[k] += dy[k];
}

void cone_multipliers(const cone_solver *s, const double *y, double *mu) {
    const cone_problem *p = s->p;
    for (int k = 0; k < p->nmu; k++) mu[k] = p->mu_0 ? p->mu_0[k] : 0;
    cone_multiply_A(s, y, mu);
}

/* Direction n of length 1 and r/|v| for a ball that slips along v; false when v has no direction. */
static bool slip_along(int dim, const double *v, double r, double *n, double *turn) {
    double squared = 0;
    for (int i = 0; i < dim; i++) squared += v[i] * v[i];
    double length = sqrt(squared);
    if (!(length > 0)) return false;
    for (int i = 0; i < dim; i++) n[i] = v[i] / length;
    *turn = r / length;
    return true;
}

/* Rows of psi that vanish where balls stick. */
static int sticking_rows(const cone *c) { return cone_is_frozen(c) && c->psi_stick > 0 ? c->psi_stick : c->psi_F; }

/* Rows of psi that direct a ball that slips by its mode or its guide. */
static int directing_rows(const cone *c) { return c->psi_D >= 0 ? c->psi_D : c->psi_F; }

/* A direction of one row is a sign that the mode knows: the branch is smooth through psi_F = 0. Where slip in several directions begins,
 * small velocities turn fast, and
 * d = psi/|psi| leads Newton's method round and round; with a = rho psi - mu, which has the same direction in the solution, the branch is
 * smooth there, too. */
static ball_state freeze_slip(cone_solver *s, const cone *c, int b, int row, double r, const double *psi, const double *mu, double *turn) {
    int offset = row - c->mu_F, dim = c->balls[b].dim;
    double *n = s->normal + row, a[CONE_BALL_DIM_MAX];
    if (s->augmented && dim > 1 && r > 0 && !cone_begins(c, b)) {
        for (int i = 0; i < dim; i++) a[i] = s->rho[row] * psi[directing_rows(c) + offset + i] - mu[row + i];
        if (slip_along(dim, a, r, n, turn)) return BALL_SLIP;
    }
    if (dim == 1 || cone_begins(c, b) || !slip_along(dim, psi + directing_rows(c) + offset, r, n, turn))
        for (int i = 0; i < dim; i++) n[i] = c->frozen->along[offset + i];
    return BALL_GUIDED;
}

/* Velocities below the tolerance may be round-off, and their direction with them: what slips no faster on one level is not guided by that
 * on the next. Contacts that wedge a body have one velocity, zero, and many forces, of which some are at their limit. */
static bool has_direction(const cone_solver *s, const cone *c, int offset, int dim, const double *psi) {
    double squared = 0;
    for (int i = c->psi_D + offset, end = i + dim; i < end; i++) squared += pow(psi[i] * cone_psi_scale(s->p, i), 2);
    return c->stick_of < 0 || squared > pow(s->settings.tolerance, 2);
}

/* Ball b of cone k, whose rows begin at `row` and whose radius is r. */
static ball_state classify_ball(cone_solver *s, int k, int b, int row, double r, const double *psi, const double *mu, ball_state guide) {
    const cone *c = &s->p->cones[k];
    double a[CONE_BALL_DIM_MAX], *n = s->normal + row, *turn = &s->turn[s->first_ball[k] + b];
    int offset = row - c->mu_F, dim = c->balls[b].dim;
    cone_mode mode = cone_is_frozen(c) ? (cone_mode)c->frozen->ball[b] : CONE_LAW;
    if (mode == CONE_STICK) return BALL_STICK;
    if (mode == CONE_SLIP) return freeze_slip(s, c, b, row, r, psi, mu, turn);
    if ((guide == BALL_SLIP || guide == BALL_GUIDED) && has_direction(s, c, offset, dim, psi) &&
        slip_along(dim, psi + c->psi_D + offset, r, n, turn))
        return BALL_GUIDED;
    if (!(r > 0)) return BALL_OFF;
    double squared = 0, rho = s->rho[row];
    for (int i = 0; i < dim; i++) {
        a[i] = rho * psi[c->psi_F + offset + i] - mu[row + i];
        squared += a[i] * a[i];
    }
    if (squared <= r * r) return BALL_STICK;
    return slip_along(dim, a, r, n, turn) ? BALL_SLIP : BALL_STICK;
}

/* What the rows of a cone stand for in R. */
static void note_row_kinds(cone_solver *s, int k) {
    static const unsigned char kinds[] = {
        [BALL_OFF] = CONE_ROW_MULTIPLIER, [BALL_STICK] = CONE_ROW_PSI, [BALL_SLIP] = CONE_ROW_SLIP, [BALL_GUIDED] = CONE_ROW_SLIP};
    const cone *c = &s->p->cones[k];
    if (c->psi_N >= 0) s->kind[c->mu_N] = s->closed[k] ? CONE_ROW_PSI : CONE_ROW_MULTIPLIER;
    unsigned char *kind = s->kind + c->mu_F;
    for (int b = 0, ball = s->first_ball[k]; b < c->n_balls; b++, ball++)
        for (int i = 0; i < c->balls[b].dim; i++) *kind++ = kinds[s->ball[ball]];
}

/* Of the tolerance: what a contact may seem to open by round-off. */
static const double tie_share = 1e-4;

/* a_N <= 0. A contact without force that opens by no more than round-off is closed, too: of four corners that land flat the fourth lands
 * with the other three, whatever the last digits say. */
static bool is_closed(const cone_solver *s, int row, double psi, double mu) {
    double a = s->rho[row] * psi - mu;
    return a <= 0 || (mu >= 0 && psi * s->row_scale[2 * row] <= tie_share * s->settings.tolerance);
}

/* What a loop over cones is about. */
typedef struct cone_loop {
    cone_solver *s;
    const double *psi, *mu;
    double *R;
    int first;
} cone_loop;

static void share_cones(cone_loop *loop, int first, int last, void (*work)(void *, int, int)) {
    enum { TASK = 64 };
    const cone_solver *s = loop->s;
    loop->first = first;
    base_share(s->context, s->plain ? s->settings.threads : 1, last - first, TASK, work, loop);
}

/* All its balls are, and so are their rows. */
static void turn_off(cone_solver *s, int k) {
    const cone *c = &s->p->cones[k];
    unsigned char *kind = s->kind + c->mu_F;
    for (int b = 0, ball = s->first_ball[k]; b < c->n_balls; b++, ball++) {
        s->turn[ball] = 0;
        s->ball[ball] = BALL_OFF;
        for (int i = 0; i < c->balls[b].dim; i++) *kind++ = CONE_ROW_MULTIPLIER;
    }
    if (c->psi_N >= 0) s->kind[c->mu_N] = s->closed[k] ? CONE_ROW_PSI : CONE_ROW_MULTIPLIER;
}

static void classify_cone(cone_solver *s, int k, const double *psi, const double *mu) {
    const cone *c = &s->p->cones[k];
    bool on = c->gate_kind == CONE_ALWAYS || (c->gate_kind == CONE_IF_CLOSED && s->closed[c->gate]), closed = on;
    if (cone_is_frozen(c) && c->gate_kind != CONE_OFF) on = true, closed = c->frozen->normal == CONE_CLOSED;
    else if (on && c->psi_N >= 0) closed = is_closed(s, c->mu_N, psi[c->psi_N], mu[c->mu_N]);
    s->on[k] = on;
    s->closed[k] = closed;
    if (!on || (s->normal_of[k] >= 0 && !s->closed[s->normal_of[k]] && !(c->radius_0 > 0))) {
        turn_off(s, k);
        return;
    }
    double normal = cone_radius(c, mu);
    int ball = s->first_ball[k], row = c->mu_F;
    for (int b = 0; b < c->n_balls; b++, ball++) {
        int dim = c->balls[b].dim;
        ball_state guide = c->stick_of == CONE_SLIPS ? BALL_SLIP
                           : c->stick_of >= 0        ? (ball_state)s->ball[s->first_ball[c->stick_of] + b]
                                                     : BALL_STICK;
        s->turn[ball] = 0;
        s->ball[ball] = (unsigned char)classify_ball(s, k, b, row, c->balls[b].mu * normal, psi, mu, guide);
        row += dim;
    }
    note_row_kinds(s, k);
}

static void classify_some(void *user, int first, int last) {
    const cone_loop *loop = user;
    cone_solver *s = loop->s;
    const double *psi = loop->psi, *mu = loop->mu;
    for (int k = loop->first + first, end = loop->first + last; k < end; k++) classify_cone(s, k, psi, mu);
}

/* Those that depend on others come after them. */
void cone_classify(cone_solver *s, const double *psi, const double *mu) {
    cone_loop loop = {.s = s, .psi = psi, .mu = mu};
    if (!s->plain) {
        classify_some(&loop, 0, s->p->n_cones);
        return;
    }
    share_cones(&loop, 0, s->leaders, classify_some);
    share_cones(&loop, s->leaders, s->p->n_cones, classify_some);
}

void cone_assume_sticking(cone_solver *s, bool as_closed) {
    const cone_problem *p = s->p;
    for (int k = 0; k < p->n_cones; k++) {
        const cone *c = &p->cones[k];
        s->on[k] = c->gate_kind != CONE_OFF;
        s->closed[k] = s->on[k] && (!as_closed || c->psi_N < 0 || s->closed[k]);
        bool touches = s->on[k] && (!as_closed || s->normal_of[k] < 0 || s->closed[s->normal_of[k]]);
        for (int b = 0; b < c->n_balls && c->stick_of != CONE_SLIPS; b++)
            s->ball[s->first_ball[k] + b] = touches && c->balls[b].mu > 0 ? BALL_STICK : BALL_OFF;
        note_row_kinds(s, k);
    }
}

void cone_assume_directions(cone_solver *s) {
    const cone_problem *p = s->p;
    for (int k = 0; k < p->n_cones; k++) {
        const cone *c = &p->cones[k];
        int row = c->mu_F;
        for (int b = 0, ball = s->first_ball[k]; b < c->n_balls; row += c->balls[b++].dim, ball++) {
            if (!cone_is_frozen(c) || c->frozen->ball[b] != CONE_SLIP || s->ball[ball] != BALL_GUIDED) continue;
            memcpy(s->normal + row, c->frozen->along + row - c->mu_F, (size_t)c->balls[b].dim * sizeof(double));
            s->turn[ball] = 0;
        }
    }
}

static void find_some_residuals(void *user, int first, int last) {
    const cone_loop *loop = user;
    const cone_solver *s = loop->s;
    const double *psi = loop->psi, *mu = loop->mu;
    double *R = loop->R;
    for (int k = first; k < last; k++) {
        const cone *c = &s->p->cones[k];
        if (c->psi_N >= 0 && s->closed[k]) R[c->mu_N] = psi[c->psi_N];
        double normal = cone_radius(c, mu);
        int row = c->mu_F, ball = s->first_ball[k];
        for (int b = 0; b < c->n_balls; b++, ball++) {
            int dim = c->balls[b].dim;
            double r = c->balls[b].mu * normal;
            if (s->ball[ball] == BALL_STICK)
                for (int i = 0; i < dim; i++) R[row + i] = psi[sticking_rows(c) + row - c->mu_F + i];
            else if (s->ball[ball] != BALL_OFF)
                for (int i = 0; i < dim; i++) R[row + i] = mu[row + i] + r * s->normal[row + i];
            row += dim;
        }
    }
}

void cone_residual(cone_solver *s, const double *psi, const double *mu, double *R) {
    cone_loop loop = {.s = s, .psi = psi, .mu = mu, .R = R};
    memcpy(R, mu, (size_t)s->p->ny * sizeof *R);
    if (s->plain) share_cones(&loop, 0, s->p->n_cones, find_some_residuals);
    else find_some_residuals(&loop, 0, s->p->n_cones);
}

/* Slip along a:  dR = dmu_F + m n dmu_R + t (1 - n n')(rho dpsi_F - dmu_F),  t = r/|a|
 * guided by d:   dR = dmu_F + m n dmu_R + t (1 - n n') dpsi_D,               t = r/|d|  */
static void apply_slip(const cone_solver *s, const cone *c, int ball, int b, int row, const double *dpsi, const double *dmu, double *dR) {
    const double *n = s->normal + row;
    int dim = c->balls[b].dim, offset = row - c->mu_F;
    double da[CONE_BALL_DIM_MAX], along = 0, t = s->turn[ball], rho = s->rho[row];
    double stretch = c->mu_R >= 0 ? c->balls[b].mu * dmu[c->mu_R] : 0;
    for (int i = 0; i < dim; i++) {
        double turned = dpsi[(s->ball[ball] == BALL_GUIDED || cone_is_frozen(c) ? directing_rows(c) : c->psi_F) + offset + i];
        da[i] = s->ball[ball] == BALL_GUIDED ? turned : rho * turned - dmu[row + i];
        along += n[i] * da[i];
    }
    for (int i = 0; i < dim; i++) dR[row + i] = dmu[row + i] + stretch * n[i] + t * (da[i] - n[i] * along);
}

void cone_apply_rows(const cone_solver *s, int n, const int *cones, const double *dpsi, const double *dmu, double *dR) {
    const cone_problem *p = s->p;
    memcpy(dR, dmu, (size_t)p->ny * sizeof *dR);
    for (int here = 0; here < n; here++) {
        int k = cones[here];
        const cone *c = &p->cones[k];
        if (c->psi_N >= 0 && s->closed[k]) dR[c->mu_N] = dpsi[c->psi_N];
        int row = c->mu_F, ball = s->first_ball[k];
        for (int b = 0; b < c->n_balls; b++, ball++) {
            int dim = c->balls[b].dim;
            if (s->ball[ball] == BALL_STICK)
                for (int i = 0; i < dim; i++) dR[row + i] = dpsi[sticking_rows(c) + row - c->mu_F + i];
            else if (s->ball[ball] != BALL_OFF) apply_slip(s, c, ball, b, row, dpsi, dmu, dR);
            row += dim;
        }
    }
}

double cone_smooth_norm(const cone_solver *s, const double *phi) {
    double worst = 0;
    const double *left = s->forgives ? s->left : NULL;
    for (int i = 0; i < s->p->nx; i++) {
        double size = fabs(left ? phi[i] - left[i] : phi[i]) * (s->p->phi_scale ? s->p->phi_scale[i] : 1);
        worst = larger(size, worst);
    }
    return worst;
}

/* Rows of psi times psi_scale; rows of mu are brought to the units of psi by 1/rho first. */
double cone_row_norm(const cone_solver *s, const double *R) {
    double worst = 0;
    for (int k = 0; k < s->p->ny; k++) {
        double size = fabs(R[k]) * s->row_scale[2 * k + (s->kind[k] == CONE_ROW_PSI ? 0 : 1)];
        worst = larger(size, worst);
    }
    return worst;
}

uint64_t cone_state_hash(const cone_solver *s) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int k = 0; k < s->p->n_cones; k++) hash = (hash ^ s->closed[k]) * 0x100000001b3u;
    for (int b = 0; b < s->n_balls; b++) hash = (hash ^ s->ball[b]) * 0x100000001b3u;
    return hash;
}
