/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a solver, checks of the description, and the order in which the methods are tried. */
#include "cone/solver.h"

cone_settings cone_settings_default(void) {
    return (cone_settings){.solver = ZN_SOLVER_AUTO, .tolerance = 1e-10, .newton_max = 40, .projection_max = 6000};
}

static bool rows_fit(int first, int count, int total) { return first >= 0 && count >= 0 && first <= total - count; }

static bool cone_is_valid(const cone_problem *p, int k) {
    const cone *c = &p->cones[k];
    int rows = 0;
    if (c->psi_N >= 0 && !(rows_fit(c->psi_N, 1, p->npsi) && rows_fit(c->mu_N, 1, p->ny))) return false;
    for (int b = 0; b < c->n_balls; b++) {
        if (c->balls[b].dim < 1 || c->balls[b].dim > CONE_BALL_DIM_MAX || !(c->balls[b].mu >= 0)) return false;
        rows += c->balls[b].dim;
    }
    if (rows > 0 && !(rows_fit(c->psi_F, rows, p->npsi) && rows_fit(c->mu_F, rows, p->ny))) return false;
    if (c->mu_R >= p->nmu || (c->gate_kind == CONE_IF_CLOSED && !(c->gate >= 0 && c->gate < k))) return false;
    if (c->stick_of == CONE_SLIPS) return rows_fit(c->psi_D, rows, p->npsi);
    if (c->stick_of < 0) return true;
    return c->stick_of < k && p->cones[c->stick_of].n_balls == c->n_balls && rows_fit(c->psi_D, rows, p->npsi);
}

static zn_status check_problem(zn_context *context, const cone_problem *p) {
    if (p->nx < 0 || p->ny < 0 || p->npsi < 0 || p->nmu < p->ny || p->n_settled > p->nx || !p->evaluate)
        return fail(context, ZN_ERROR_INTERNAL, "a cone problem has impossible sizes");
    if (!p->A.start && p->nmu != p->ny) return fail(context, ZN_ERROR_INTERNAL, "a cone problem without A has extra multipliers");
    if (p->nx > 0 && (!p->phi_x || lin_matrix_size(p->phi_x) != p->nx))
        return fail(context, ZN_ERROR_INTERNAL, "a cone problem has no matrix for its %d smooth unknowns", p->nx);
    for (int k = 0; k < p->n_cones; k++)
        if (!cone_is_valid(p, k)) return fail(context, ZN_ERROR_INTERNAL, "cone %d of a cone problem is described wrongly", k);
    return ZN_OK;
}

static bool take_vectors(cone_solver *s) {
    const cone_problem *p = s->p;
    zn_context *c = s->context;
    int nx = p->nx, ny = p->ny, npsi = p->npsi, nmu = p->nmu;
    struct {
        double **place;
        int count;
    } doubles[] = {
        /* clang-format off */
        {&s->rho, ny}, {&s->root_rho, ny}, {&s->own_rho, ny}, {&s->centre, ny}, {&s->d_psi, npsi},
        {&s->anderson, (CONE_ANDERSON_WINDOWS * CONE_ANDERSON_WINDOW + CONE_ANDERSON_VECTORS) * ny}, {&s->row_scale, 2 * ny},
        {&s->phi, nx}, {&s->psi, npsi}, {&s->mu, nmu}, {&s->R, ny}, {&s->phi_y, lin_nnz(&p->phi_y)}, {&s->psi_x, lin_nnz(&p->psi_x)},
        {&s->psi_y, lin_nnz(&p->psi_y)}, {&s->normal, ny}, {&s->turn, s->n_balls}, {&s->v, nx}, {&s->psi_free, npsi}, {&s->dy, ny},
        {&s->dy_best, ny}, {&s->dy_try, ny}, {&s->dy_swept, ny}, {&s->psi_l, npsi}, {&s->mu_l, nmu}, {&s->step, ny}, {&s->row, ny},
        {&s->column, nmu}, {&s->factor, ny}, {&s->z, ny}, {&s->x0, nx}, {&s->y0, ny}, {&s->x_best, nx}, {&s->y_best, ny},
        {&s->x_old, nx}, {&s->y_old, ny}, {&s->dx, nx}, {&s->seen, CONE_SUSPECT_MEMORY * (nx + ny)}, {&s->x_floor, nx},
        {&s->y_floor, ny}
        /* clang-format on */
    };
    for (size_t k = 0; k < sizeof doubles / sizeof *doubles; k++)
        if (!(*doubles[k].place = MEM_ARRAY(c, double, doubles[k].count))) return false;
    struct {
        unsigned char **place;
        int count;
    } bytes[] = {{&s->on, p->n_cones}, {&s->closed, p->n_cones}, {&s->ball, s->n_balls},
                 {&s->kind, ny},       {&s->have, ny},           {&s->takes_part, ny}};
    for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++)
        if (!(*bytes[k].place = MEM_ARRAY(c, unsigned char, bytes[k].count))) return false;
    struct {
        int **place;
        int count;
    } integers[] = {{&s->psi_row, ny},           {&s->normal_of, p->n_cones}, {&s->component_of, ny}, {&s->component_start, ny + 1},
                    {&s->component_rows, ny},    {&s->A_pivot, ny},           {&s->active, ny},       {&s->pivot, ny},
                    {&s->cones_here, p->n_cones}};
    for (size_t k = 0; k < sizeof integers / sizeof *integers; k++)
        if (!(*integers[k].place = MEM_ARRAY(c, int, integers[k].count))) return false;
    return true;
}

static bool take_matrices(cone_solver *s) {
    const cone_problem *p = s->p;
    size_t ny = (size_t)p->ny;
    if (s->has_matrices) return true;
    s->has_matrices = true;
    if (!(s->A_lu = MEM_ARRAY(s->context, double, p->A.start ? cone_component_entries(s) : 0))) return false;
    if (p->nx > 0) {
        s->lu = lin_lu_create(s->context, p->phi_x);
        if (!s->lu || lin_lu_reserve_regularised(s->lu, p->phi_x) != ZN_OK) return false;
        if (lin_lu_weigh_rows(s->lu, p->phi_x, p->nx, p->phi_scale) != ZN_OK) return false;
    }
    if (cone_allows_contradiction(s)) {
        s->left = MEM_ARRAY(s->context, double, p->nx);
        s->left_x = MEM_ARRAY(s->context, double, p->nx);
        if (!s->left || !s->left_x) return false;
    }
    bool projects = s->settings.solver == ZN_SOLVER_PROJECTION;
    if (!projects && cone_sparse_pays(p)) {
        if (!(s->sparse = cone_sparse_create(s))) return false;
        if (p->ny > CONE_SWEEP_SIZE) return true;
    }
    /* A projection has no use for the next two, but cones with modes are solved by Newton's method in any case. */
    if (p->ny <= CONE_COD_SIZE && !(s->cod = lin_cod_create(s->context, p->ny, p->ny))) return false;
    s->G = MEM_ARRAY(s->context, double, (size_t)p->nx *ny);
    s->D = MEM_ARRAY(s->context, double, (size_t)p->npsi *ny);
    s->S = MEM_ARRAY(s->context, double, ny *ny);
    if ((p->ny <= CONE_SWEEP_SIZE || projects) && !(s->E = MEM_ARRAY(s->context, double, (size_t)p->npsi *ny))) return false;
    return s->G && s->D && s->S;
}

/* Row of psi that belongs to each row of R, for its scale, and the normal inclusion behind each radius. */
static bool note_psi_rows(cone_solver *s) {
    const cone_problem *p = s->p;
    int *cone_of = MEM_ARRAY(s->context, int, p->nmu); /* per row of mu: 1 + the latest cone whose normal multiplier it is */
    if (!cone_of) return false;
    for (int k = 0; k < p->ny; k++) s->psi_row[k] = -1;
    for (int k = 0; k < p->n_cones; k++) {
        const cone *c = &p->cones[k];
        if (c->psi_N >= 0) s->psi_row[c->mu_N] = c->psi_N, cone_of[c->mu_N] = k + 1;
        int row = 0;
        for (int b = 0; b < c->n_balls; b++)
            for (int i = 0; i < c->balls[b].dim; i++, row++) s->psi_row[c->mu_F + row] = c->psi_F + row;
        s->normal_of[k] = c->mu_R >= 0 ? cone_of[c->mu_R] - 1 : -1;
        if (c->mu_R >= p->ny && c->psi_N >= 0) s->normal_of[k] = k; /* a radius of its own; open is open all the same */
    }
    mem_free(s->context, cone_of);
    while (s->leaders < p->n_cones && (s->normal_of[s->leaders] < 0 || s->normal_of[s->leaders] == s->leaders)) s->leaders++;
    for (int k = s->leaders; k < p->n_cones; k++)
        if (s->normal_of[k] != k && s->normal_of[k] >= s->leaders) s->leaders = -1, k = p->n_cones;
    return true;
}

cone_solver *cone_solver_create(zn_context *context, const cone_problem *p, const cone_settings *settings) {
    if (check_problem(context, p) != ZN_OK) return NULL;
    cone_solver *s = MEM_ARRAY(context, cone_solver, 1);
    if (!s) return NULL;
    s->context = context;
    s->p = p;
    s->settings = settings ? *settings : cone_settings_default();
    s->first_ball = MEM_ARRAY(context, int, p->n_cones + 1);
    if (!s->first_ball) goto failed;
    for (int k = 0; k < p->n_cones; k++) s->first_ball[k + 1] = s->first_ball[k] + p->cones[k].n_balls;
    s->n_balls = s->first_ball[p->n_cones];
    if (!take_vectors(s)) goto failed;
    cone_find_components(s);
    if (!note_psi_rows(s) || cone_pieces_create(s) != ZN_OK) goto failed;
    if (!s->pieces && !take_matrices(s)) goto failed;
    return s;
failed:
    cone_solver_destroy(s);
    return NULL;
}

void cone_solver_destroy(cone_solver *s) {
    if (!s) return;
    void *blocks[] = {
        /* clang-format off */
        s->first_ball, s->rho, s->root_rho, s->own_rho, s->centre, s->d_psi, s->anderson, s->row_scale, s->phi, s->psi, s->mu, s->R,
        s->phi_y, s->psi_x, s->psi_y, s->normal, s->turn, s->v, s->psi_free, s->dy, s->dy_best, s->dy_try, s->dy_swept, s->psi_l,
        s->mu_l, s->step, s->row, s->column, s->factor, s->z, s->x0, s->y0, s->x_best, s->y_best, s->x_old, s->y_old, s->dx, s->seen,
        s->x_floor, s->y_floor, s->on, s->closed, s->ball, s->kind, s->have, s->psi_row, s->normal_of, s->component_of,
        s->component_start, s->component_rows, s->A_pivot, s->active, s->pivot, s->cones_here, s->takes_part, s->A_lu, s->G, s->D, s->S, s->E, s->left, s->left_x
        /* clang-format on */
    };
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) mem_free(s->context, blocks[k]);
    lin_lu_destroy(s->lu);
    lin_cod_destroy(s->cod);
    lin_cod_destroy(s->blocks);
    cone_sparse_destroy(s->context, s->sparse);
    cone_pieces_destroy(s->context, s->pieces);
    mem_free(s->context, s);
}

/* Prox parameters and scales of this solve. */
static void prepare(cone_solver *s) {
    const cone_problem *p = s->p;
    for (int k = 0; k < p->ny; k++) {
        double rho = p->rho ? p->rho[k] : 1;
        s->rho[k] = rho > 0 && isfinite(rho) ? rho : 1;
        s->root_rho[k] = sqrt(s->rho[k]);
        double scale = p->psi_scale && s->psi_row[k] >= 0 ? p->psi_scale[s->psi_row[k]] : 1;
        s->row_scale[2 * k] = scale;
        s->row_scale[2 * k + 1] = scale / s->rho[k];
    }
    s->frozen = s->plain = false;
    for (int k = 0; k < p->n_cones; k++) s->frozen = s->frozen || cone_is_frozen(&p->cones[k]);
    s->factored = false; /* pivots of an earlier solve are no part of this one: steps are functions of their state */
    if (s->sparse) cone_sparse_forget(s->sparse);
    s->least_norm = false;
    s->rank_known = s->forgives = false;
    s->floor = 0;
}

/* Multipliers that vanish up to round-off are set to zero: an open contact has exactly no force. Where A couples rows this
 * is done for groups of rows that are open together. True: y has changed. */
static bool clear_open_rows(cone_solver *s, double *y) {
    const cone_problem *p = s->p;
    bool changed = false;
    for (int c = 0; c < s->n_components; c++) {
        const int *rows = s->component_rows + s->component_start[c];
        int n = s->component_start[c + 1] - s->component_start[c];
        bool open = true;
        for (int i = 0; open && i < n; i++) open = s->kind[rows[i]] == CONE_ROW_MULTIPLIER && (n == 1 || !p->mu_0 || p->mu_0[rows[i]] == 0);
        for (int i = 0; open && i < n; i++) {
            double value = n == 1 && p->mu_0 && !p->A.start ? -p->mu_0[rows[i]] : 0;
            if (n == 1 && p->mu_0 && p->A.start && p->mu_0[rows[i]] != 0) continue;
            changed = changed || y[rows[i]] != value;
            y[rows[i]] = value;
        }
    }
    return changed;
}

static zn_status look_again(cone_solver *s, const double *x, double *y) {
    zn_status evaluated = cone_evaluate(s, x, y, false);
    if (evaluated == ZN_OK) cone_classify(s, s->psi, s->mu);
    return evaluated;
}

/* Iterations over many contacts end at the tolerance, and what is within that of a contact may be more than that of a body that hardly
 * spins: then it stays. */
static zn_status clear_open(cone_solver *s, const double *x, double *y) {
    double smooth = cone_smooth_norm(s, s->phi);
    memcpy(s->dy_try, y, (size_t)s->p->ny * sizeof(double));
    if (!clear_open_rows(s, y)) return ZN_OK;
    zn_status evaluated = look_again(s, x, y);
    if (evaluated != ZN_OK || !s->pieces || s->forgives || smooth > s->settings.tolerance ||
        cone_smooth_norm(s, s->phi) <= s->settings.tolerance)
        return evaluated;
    memcpy(y, s->dy_try, (size_t)s->p->ny * sizeof(double));
    return look_again(s, x, y);
}

/* A residual at which a step may be left, where its many contacts take more work than it may have: that of a preview. Parts of such a step
 * are not easier. */
static const double unfinished_most = 1e-2;

/* The verdict on (x, y): evaluated again, then measured. */
static zn_status conclude(cone_solver *s, const double *x, double *y, cone_outcome *out, zn_status status) {
    out->solves = 1;
    out->most = out->iterations[out->path];
    zn_status evaluated = ZN_OK;
    if (!s->current) {
        s->forgives = false;
        evaluated = look_again(s, x, y);
    }
    if (evaluated == ZN_OK && status == ZN_OK) evaluated = clear_open(s, x, y);
    if (evaluated != ZN_OK) {
        out->worst = INFINITY;
        return ZN_ERROR_NOT_FINITE;
    }
    cone_judge(s, out);
    bool exhausted = out->end == CONE_EXHAUSTED || cone_is_exhausted(s) || cone_has_swept_enough(s);
    out->end = CONE_SOLVED;
    if (out->worst <= s->settings.tolerance) {
        for (int u = 0; s->forgives && u < CONE_UNIT_COUNT; u++) out->worst = larger(out->worst, out->residual[u]);
        return ZN_OK;
    }
    if (out->worst <= 2 * s->floor) { /* noise differs from evaluation to evaluation */
        out->roundoff = 1;
        out->roundoff_residual = larger(out->roundoff_residual, out->worst);
        return ZN_OK;
    }
    if (exhausted && s->pieces && cone_pieces_are_large(s->pieces) && out->worst <= unfinished_most) {
        out->end = CONE_UNFINISHED;
        return ZN_OK;
    }
    bool may_be_noise = out->worst_cone < 0 || !(out->worst <= CONE_MOST_NOISE * s->settings.tolerance);
    out->end = exhausted ? CONE_EXHAUSTED : may_be_noise || cone_noise_at(s, x, y) > 0 ? CONE_FAILED : CONE_SMOOTH;
    return status == ZN_OK ? ZN_ERROR_NO_CONVERGENCE : status;
}

static void restart(const cone_solver *s, double *x, double *y) {
    memcpy(x, s->x0, (size_t)s->p->nx * sizeof(double));
    memcpy(y, s->y0, (size_t)s->p->ny * sizeof(double));
}

/* From where the caller starts, then with zero multipliers (percussions of an impact are a bad start for the next step). */
static zn_status newton_with_retry(cone_solver *s, double *x, double *y, bool robust) {
    zn_status status = cone_newton(s, x, y, robust);
    if (status == ZN_OK || s->brief) return status;
    bool zero = true;
    for (int k = 0; k < s->p->ny; k++) zero = zero && s->y0[k] == 0;
    if (zero) return status;
    memcpy(s->y_old, y, (size_t)s->p->ny * sizeof(double));
    restart(s, x, y);
    memset(y, 0, (size_t)s->p->ny * sizeof(double));
    return cone_newton(s, x, y, robust);
}

/* Newton by one sparse matrix where that pays, and else, or when it fails, by the Schur complement, which can do more. */
static zn_status newton_paths(cone_solver *s, double *x, double *y, bool robust) {
    s->use_sparse = s->sparse && !(s->left && s->S);
    zn_status status = newton_with_retry(s, x, y, robust);
    bool last = !s->use_sparse || !s->S || (s->brief && !s->frozen); /* modes of redundant contacts have no regular matrix */
    if (status == ZN_OK || status == ZN_ERROR_NOT_FINITE || last || s->floor > 0) return status;
    s->use_sparse = false;
    restart(s, x, y);
    return newton_with_retry(s, x, y, robust);
}

/* Newton's method on phi, with the inclusions by Newton's method over their states or by projection, and the verdict. */
static zn_status solve_by(cone_solver *s, bool projecting, double *x, double *y, cone_outcome *out) {
    bool brief = s->brief;
    s->projecting = projecting;
    s->brief = brief && !projecting;
    s->use_sparse = false;
    zn_status status = projecting ? newton_with_retry(s, x, y, true) : newton_paths(s, x, y, true);
    s->brief = brief;
    out->path = projecting ? CONE_PROJECTION : s->least_norm ? CONE_LEAST_NORM : CONE_NEWTON;
    if (status != ZN_OK && s->floor > 0) {
        memcpy(x, s->x_floor, (size_t)s->p->nx * sizeof(double));
        memcpy(y, s->y_floor, (size_t)s->p->ny * sizeof(double));
        s->current = false;
        status = ZN_OK;
    } else s->floor = 0;
    return conclude(s, x, y, out, status);
}

/* True: that is it. */
static bool solve_by_pieces(cone_solver *s, double *x, double *y, cone_outcome *out, zn_status *status) {
    *status = cone_pieces_solve(s, x, y);
    if (*status == ZN_ERROR_MEMORY || *status == ZN_STOPPED) return true;
    if (*status != ZN_ERROR_UNSUPPORTED) {
        *status = conclude(s, x, y, out, *status);
        if (*status == ZN_OK || *status == ZN_ERROR_NOT_FINITE || s->brief || s->p->ny > CONE_SECOND_TRY) return true;
    }
    if (!take_matrices(s)) return *status = ZN_ERROR_MEMORY, true;
    restart(s, x, y);
    return false;
}

static zn_status solve(cone_solver *s, double *x, double *y, cone_outcome *out) {
    memcpy(s->x0, x, (size_t)s->p->nx * sizeof(double));
    memcpy(s->y0, y, (size_t)s->p->ny * sizeof(double));
    zn_solver solver = s->settings.solver;
    zn_status status = ZN_ERROR_NO_CONVERGENCE;
    if (s->pieces && solve_by_pieces(s, x, y, out, &status)) return status;
    status = solve_by(s, solver == ZN_SOLVER_PROJECTION && !s->frozen, x, y, out);
    if (status == ZN_OK || solver != ZN_SOLVER_AUTO || status == ZN_ERROR_NOT_FINITE || s->brief || !s->E || s->p->ny == 0) return status;
    cone_outcome newton = *out;
    memcpy(s->x_floor, x, (size_t)s->p->nx * sizeof(double)); /* there is no floor */
    memcpy(s->y_floor, y, (size_t)s->p->ny * sizeof(double));
    restart(s, x, y);
    s->floor = 0;
    status = solve_by(s, true, x, y, out);
    if (status == ZN_OK || s->floor > 0 || !(newton.worst < INFINITY) || out->worst <= newton.worst) return status;
    memcpy(newton.iterations, out->iterations, sizeof newton.iterations); /* the result of Newton's method is better */
    *out = newton;
    memcpy(x, s->x_floor, (size_t)s->p->nx * sizeof(double));
    memcpy(y, s->y_floor, (size_t)s->p->ny * sizeof(double));
    return status;
}

zn_status cone_solve(cone_solver *s, double *x, double *y, cone_outcome *out) {
    *out = (cone_outcome){.path = CONE_NEWTON, .worst = INFINITY, .worst_cone = -1, .worst_row = -1};
    s->out = out;
    if (!x) x = s->x0; /* without unknowns of a kind any valid address is fine */
    if (!y) y = s->y0;
    prepare(s);
    bool brief = s->brief;
    s->brief = brief || s->frozen;
    if (s->frozen && !s->cod && !s->blocks && s->p->ny <= CONE_BLOCKS_SIZE && !(s->blocks = lin_cod_create(s->context, s->p->ny, s->p->ny)))
        return ZN_ERROR_MEMORY;
    zn_status status = solve(s, x, y, out);
    s->brief = brief;
    return status;
}

bool cone_solver_by_pieces(const cone_solver *s) { return s->pieces; }
void cone_expect_noise(cone_solver *s, cone_expected expected) { s->expected = expected; }
void cone_be_brief(cone_solver *s, bool brief) { s->brief = brief; }
bool cone_is_closed(const cone_solver *s, int k) { return s->closed[k]; }
bool cone_touches(const cone_solver *s, int k) {
    const cone *c = &s->p->cones[k];
    if (s->closed[k] || !s->on[k] || c->psi_N < 0 || cone_is_frozen(c)) return s->closed[k];
    return s->psi[c->psi_N] * s->row_scale[2 * c->mu_N] <= s->settings.tolerance;
}
bool cone_sticks(const cone_solver *s, int k, int ball) { return s->ball[s->first_ball[k] + ball] == BALL_STICK; }
