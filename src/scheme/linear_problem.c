/* SPDX-License-Identifier: Apache-2.0 */
/* The linear contact problem as a cone problem with z = (x, P_b), y = (P_N, P_F):
 *
 *   phi:  M x - f - W_b P_b - W_c y = 0,   c_b + (dc1_b/du) x = 0          psi:  c_c + (dc1_c/du) x, then the directions     */
#include "scheme/linear_reduced.h"

#include "base/team.h"
#include "base/wide.h"

/* phi with f. */
ALWAYS_INLINE void add_balance(const linear_problem *p, const double *f, const double *z, const double *y, double *phi) {
    const zn_model *model = p->model;
    const zn_patterns *pattern = &model->pattern;
    int nu = model->size.nu, nb = model_row_N(model);
    for (int i = 0; i < nu; i++) phi[i] = -f[i];
    for (int j = 0; j < nb; j++) phi[nu + j] = p->c[j];
    lin_multiply(&pattern->M, p->at.M, 1, z, phi);
    lin_multiply(&p->W_b.p, p->at.W, -1, z + nu, phi);
    lin_multiply_transposed(&p->c1_b.p, p->at.c1_u, 1, z, phi + nu);
    lin_multiply(&p->W_c.p, p->at.W + scheme_column_offset(&pattern->W, nb), -1, y, phi);
}

/* What threads share: phi is one task, which adds to the same numbers again and again; the others are rows of contacts, with what belongs
 * to them. */
enum { ROWS_OF_TASK = 128 };

typedef struct evaluation {
    const linear_problem *p;
    const double *f, *z, *y;
    cone_values *out;
    int phi; /* number of the task: 0, or -1 if it is not asked for */
} evaluation;

ALWAYS_INLINE void find_rows(const evaluation *e, int first, int last) {
    const linear_problem *p = e->p;
    const cone_values *out = e->out;
    int nb = model_row_N(p->model);
    const double *W_c = p->at.W + scheme_column_offset(&p->model->pattern.W, nb);
    const double *c1_c = p->at.c1_u + scheme_column_offset(&p->model->pattern.c1_u, nb);
    zn_pattern rows = p->c1_c.p; /* these only */
    rows.cols = last - first, rows.start += first;
    if (out->psi) {
        memcpy(out->psi + first, p->c + nb + first, (size_t)rows.cols * sizeof *out->psi);
        lin_multiply_transposed(&rows, c1_c, 1, e->z, out->psi + first);
    }
    for (int k = p->W_c.start[first], end = p->W_c.start[last]; out->phi_y && k < end; k++) out->phi_y[k] = -W_c[k];
    for (int k = rows.start[0], end = rows.start[rows.cols]; out->psi_x && k < end; k++) out->psi_x[p->psi_x_place[k]] = c1_c[k];
}

static void evaluate_some(void *user, int first, int last) {
    const evaluation *e = user;
    for (int task = first; task < last; task++) {
        int row = (task - (e->phi == 0)) * ROWS_OF_TASK, left = e->p->nc - row;
        if (task == e->phi) add_balance(e->p, e->f, e->z, e->y, e->out->phi);
        else find_rows(e, row, row + (left < ROWS_OF_TASK ? left : ROWS_OF_TASK));
    }
}

int linear_problem_evaluate(void *user, const double *z, const double *y, cone_values *out) {
    linear_problem *p = user;
    const zn_model *model = p->model;
    int tasks = (p->nc + ROWS_OF_TASK - 1) / ROWS_OF_TASK + (out->phi != NULL);
    evaluation all = {p, p->f, z, y, out, out->phi ? 0 : -1};
    if (out->phi && p->implicit.add) {
        memcpy(p->f_x, p->f, (size_t)model->size.nu * sizeof *p->f);
        if (p->implicit.add(p->implicit.user, z, p->f_x)) return 1;
        all.f = p->f_x;
    }
    if (p->threads > 1) base_share(p->context, p->threads, tasks, 1, evaluate_some, &all);
    else {
        if (out->phi) add_balance(p, all.f, z, y, out->phi);
        find_rows(&all, 0, p->nc);
    }
    if (out->psi) memcpy(out->psi + p->nc, p->direction, (size_t)model->size.nF * sizeof *out->psi);
    if (out->jacobian) {
        lin_matrix_zero(p->K);
        lin_matrix_add(p->K, p->block_M, 1, p->at.M);
        lin_matrix_add(p->K, p->block_W, -1, p->at.W);
        lin_matrix_add(p->K, p->block_c1, 1, p->at.c1_u);
        if (p->implicit.add_derivative && p->implicit.add_derivative(p->implicit.user, z, p->K)) return 1;
    }
    return 0;
}

/* Rows of M that are coupled are a body. */
static zn_status name_bodies(const linear_problem *p, lin_matrix *matrix) {
    const zn_pattern *M = &p->model->pattern.M;
    int *body = MEM_ARRAY(p->context, int, p->nx);
    if (!body) return ZN_ERROR_MEMORY;
    for (int i = 0; i < p->nx; i++) body[i] = i < M->cols ? i : -1;
    for (bool changed = true; changed;) {
        changed = false;
        for (int j = 0; j < M->cols; j++)
            for (int e = M->start[j]; e < M->start[j + 1]; e++) {
                int i = M->index[e];
                if (body[i] == body[j]) continue;
                body[i] = body[j] = body[i] < body[j] ? body[i] : body[j];
                changed = true;
            }
    }
    zn_status status = lin_matrix_set_bodies(matrix, body);
    mem_free(p->context, body);
    return status;
}

static zn_status make_matrix(linear_problem *p, bool in_cells) {
    lin_matrix *m = p->K = lin_matrix_create(p->context, p->nx);
    if (!m) return ZN_ERROR_MEMORY;
    p->block_M = lin_matrix_block(m, &p->model->pattern.M, false, 0, 0);
    p->block_W = lin_matrix_block(m, &p->W_b.p, false, 0, p->model->size.nu);
    p->block_c1 = lin_matrix_block(m, &p->c1_b.p, true, p->model->size.nu, 0);
    if (p->block_M < 0 || p->block_W < 0 || p->block_c1 < 0) return ZN_ERROR_MEMORY;
    if (p->implicit.declare && p->implicit.declare(p->implicit.user, m)) return ZN_ERROR_MEMORY;
    zn_status status = in_cells ? name_bodies(p, m) : ZN_OK;
    return status == ZN_OK ? lin_matrix_finish(m, LIN_AUTO) : status;
}

static zn_status make_patterns(linear_problem *p) {
    zn_context *context = p->context;
    const zn_patterns *pattern = &p->model->pattern;
    int nb = model_row_N(p->model), nc = model_rows(p->model) - nb;
    zn_status status = scheme_pattern_columns(context, &pattern->W, 0, nb, &p->W_b);
    if (status == ZN_OK) status = scheme_pattern_columns(context, &pattern->W, nb, nc, &p->W_c);
    if (status == ZN_OK) status = scheme_pattern_columns(context, &pattern->c1_u, 0, nb, &p->c1_b);
    if (status == ZN_OK) status = scheme_pattern_columns(context, &pattern->c1_u, nb, nc, &p->c1_c);
    if (status == ZN_OK) status = scheme_pattern_transposed(context, &p->c1_c.p, p->nx, &p->psi_x, &p->psi_x_place);
    return status;
}

static int count_balls(const zn_model *model) {
    int balls = 0;
    for (int k = 0; k < model->size.n_contacts; k++) balls += model->contacts[k].n_balls;
    return balls;
}

static zn_status make_memory(linear_problem *p, cone_unit unit) {
    zn_context *context = p->context;
    const zn_sizes *size = &p->model->size;
    int nu = size->nu, n = model_rows(p->model), nx = p->nx, ny = p->nc;
    const mem_part list[] = {
        {&p->z, nx},
        {&p->phi_scale, nx},
        {&p->y, ny},
        {&p->f, nu},
        {&p->f_x, nu},
        {&p->x, nu},
        {&p->c, n},
        {&p->P, n},
        {&p->direction, size->nF},
        {&p->friction_0, size->nF},
        {&p->radius_0, size->n_contacts},
        {&p->psi_scale, p->problem.npsi},
    };
    p->memory = MEM_PARTS(context, list);
    p->phi_unit = MEM_ARRAY(context, unsigned char, nx);
    p->psi_unit = MEM_ARRAY(context, unsigned char, p->problem.npsi);
    p->cones = MEM_ARRAY(context, cone, p->problem.n_cones);
    p->active = MEM_ARRAY(context, bool, size->n_contacts);
    p->wanted = MEM_ARRAY(context, bool, ny);
    p->ball_modes = MEM_ARRAY(context, cone_frozen, p->problem.n_cones - size->n_contacts);
    if (!p->ball_modes || !p->wanted || !p->memory || !p->phi_unit || !p->psi_unit || !p->cones || !p->active) return ZN_ERROR_MEMORY;
    p->accelerations = unit == CONE_ACCELERATION;
    memset(p->phi_unit, (int)unit, (size_t)nx); /* momentum rows are scaled by the mass */
    memset(p->psi_unit, (int)unit, (size_t)p->problem.npsi);
    for (int i = 0; i < nx; i++) p->phi_scale[i] = 1;
    for (int i = 0; i < p->problem.npsi; i++) p->psi_scale[i] = 1;
    return ZN_OK;
}

/* A cone of its own for every ball, so that one ball of a contact may slip in any case while another follows the law. */
static void make_cones(linear_problem *p) {
    const zn_model *model = p->model;
    int first = model_row_N(model), next = model->size.n_contacts;
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        int normal = contact->row_N < 0 ? -1 : contact->row_N - first;
        p->cones[k] = (cone){.psi_N = normal, .mu_N = normal, .mu_R = -1, .gate = -1, .stick_of = -1, .psi_D = -1};
        for (int b = 0, row = contact->row_F - first; b < contact->n_balls; row += contact->balls[b++].dim)
            p->cones[next++] = (cone){.psi_N = -1,
                                      .mu_N = -1,
                                      .psi_F = row,
                                      .mu_F = row,
                                      .n_balls = 1,
                                      .balls = &contact->balls[b],
                                      .mu_R = normal,
                                      .gate = -1,
                                      .stick_of = -1,
                                      .psi_D = p->nc + row - model->size.nN};
    }
}

/* Many contacts are solved by pieces, as they are; few are reduced to their rows first. */
static void choose_solver(linear_problem *p, const cone_settings *settings, cone_unit unit, bool responsive) {
    if (p->implicit.add || (!responsive && cone_may_fall_apart(&p->problem, settings))) {
        p->solver = cone_solver_create(p->context, &p->problem, settings);
        if (p->implicit.add || !p->solver || cone_solver_by_pieces(p->solver)) return;
        cone_solver_destroy(p->solver);
        p->solver = NULL;
    }
    p->reduced = linear_reduced_create(p, settings, unit);
}

static zn_status solve_once(void *user, cone_outcome *outcome) {
    linear_problem *p = user;
    return p->reduced ? linear_reduced_solve(p->reduced, p->any_active, outcome) : cone_solve(p->solver, p->z, p->y, outcome);
}

/* |P_b - load_P| on the rows of a load. */
static double rest_of(const linear_problem *p, const zn_contact *contact) {
    double rest[LOADS_MOST] = {0};
    for (int i = 0; i < contact->n_load; i++) {
        int row = contact->load_rows[i];
        if (row >= 0) rest[i] = p->z[p->model->size.nu + row] - p->load_P[row];
    }
    return loads_size(contact, rest);
}

/* Radii of friction by what joints carry. */
static void find_loads(void *user, double *radius) {
    const linear_problem *p = user;
    const zn_model *model = p->model;
    for (int k = 0, ball = model->size.n_contacts; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        for (int b = 0; b < contact->n_balls; b++, ball++)
            if (contact->n_load) radius[ball] = p->time_measure * contact->normal_force + p->load_0[k] + rest_of(p, contact);
    }
}

static linear_problem *create(zn_context *context, const zn_model *model, const zn_settings *settings, cone_unit unit,
                              linear_problem_implicit implicit, bool responsive) {
    linear_problem *p = MEM_ARRAY(context, linear_problem, 1);
    if (!p) return NULL;
    p->implicit = implicit;
    p->context = context;
    p->model = model;
    p->threads = settings->threads;
    p->nx = model->size.nu + model_row_N(model);
    p->nc = model_rows(model) - model_row_N(model);
    p->problem = (cone_problem){.nx = p->nx,
                                .ny = p->nc,
                                .npsi = p->nc + model->size.nF,
                                .nmu = p->nc,
                                .n_cones = model->size.n_contacts + count_balls(model),
                                .user = p,
                                .evaluate = linear_problem_evaluate,
                                .n_settled = model->size.nu};
    zn_status status = answers_create(context, model, &p->at);
    if (status == ZN_OK) status = prox_create(context, model, &p->prox);
    if (status == ZN_OK) p->prox.threads = settings->threads;
    if (status == ZN_OK) status = make_patterns(p);
    if (status == ZN_OK) status = make_memory(p, unit);
    const cone_settings chosen = scheme_solver_settings(settings);
    if (status == ZN_OK) status = make_matrix(p, !implicit.add && !responsive && cone_may_fall_apart(&p->problem, &chosen));
    if (status == ZN_OK) {
        make_cones(p);
        p->problem.cones = p->cones;
        p->problem.phi_x = p->K;
        p->problem.phi_y = p->W_c.p;
        p->problem.phi_y.rows = p->nx;
        p->problem.psi_x = p->psi_x.p;
        p->problem.psi_x.rows = p->problem.npsi;
        p->problem.rho = p->prox.rho;
        p->problem.phi_scale = p->phi_scale;
        p->problem.psi_scale = p->psi_scale;
        p->problem.phi_unit = p->phi_unit;
        p->problem.psi_unit = p->psi_unit;
        choose_solver(p, &chosen, unit, responsive);
    }
    if (p->solver || p->reduced)
        status =
            loads_create(context, model, &p->problem, p->cones, settings->tolerance, (loads_way){p, find_loads, solve_once}, &p->loads);
    if (p->loads && !(p->load_0 = MEM_ARRAY(context, double, model->size.n_contacts + model_row_N(model)))) status = ZN_ERROR_MEMORY;
    if (p->load_0) p->load_P = p->load_0 + model->size.n_contacts;
    if (status == ZN_OK && (p->solver || p->reduced)) return p;
    linear_problem_destroy(p);
    return NULL;
}

linear_problem *linear_problem_create(zn_context *context, const zn_model *model, const zn_settings *settings, cone_unit unit) {
    return create(context, model, settings, unit, (linear_problem_implicit){0}, false);
}

linear_problem *linear_problem_create_responsive(zn_context *context, const zn_model *model, const zn_settings *settings, cone_unit unit) {
    return create(context, model, settings, unit, (linear_problem_implicit){0}, true);
}

linear_problem *linear_problem_create_implicit(zn_context *context, const zn_model *model, const zn_settings *settings, cone_unit unit,
                                               linear_problem_implicit implicit) {
    return create(context, model, settings, unit, implicit, false);
}

void linear_problem_destroy(linear_problem *p) {
    if (!p) return;
    zn_context *context = p->context;
    cone_solver_destroy(p->solver);
    loads_destroy(p->loads);
    linear_reduced_destroy(context, p->reduced);
    lin_matrix_destroy(p->K);
    answers_destroy(context, &p->at);
    prox_destroy(context, &p->prox);
    lin_pattern *patterns[] = {&p->W_b, &p->W_c, &p->c1_b, &p->c1_c, &p->psi_x};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) lin_pattern_destroy(context, patterns[i]);
    void *blocks[] = {p->psi_x_place, p->memory, p->phi_unit, p->psi_unit, p->cones, p->ball_modes, p->active, p->wanted, p->load_0, p};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

void linear_problem_slips(linear_problem *p, int contact, int ball, bool slips) {
    int k = p->model->size.n_contacts + ball;
    for (int i = 0; i < contact; i++) k += p->model->contacts[i].n_balls;
    p->cones[k].stick_of = slips ? CONE_SLIPS : -1;
}

void linear_problem_reset(linear_problem *p) {
    for (int k = 0; k < p->problem.n_cones; k++) p->cones[k].stick_of = -1;
    memset(p->P, 0, (size_t)model_rows(p->model) * sizeof *p->P);
    memset(p->x, 0, (size_t)p->model->size.nu * sizeof *p->x);
}

void linear_problem_freeze(linear_problem *p, const cone_frozen *modes) {
    const zn_model *model = p->model;
    int n_contacts = model->size.n_contacts, ball = 0;
    scheme_freeze(modes, n_contacts, 1, p->cones);
    for (int k = 0; k < n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        bool frozen = modes && modes[k].normal != CONE_LAW;
        if (frozen) p->active[k] = modes[k].normal == CONE_CLOSED;
        for (int b = 0, row = 0; b < contact->n_balls; row += contact->balls[b++].dim, ball++) {
            p->cones[n_contacts + ball].frozen = frozen ? &p->ball_modes[ball] : NULL;
            if (frozen) p->ball_modes[ball] = (cone_frozen){CONE_CLOSED, modes[k].ball + b, modes[k].along + row, NULL};
        }
    }
}

void linear_problem_clear_frozen(const linear_problem *p, double *before) {
    for (int k = 0; k < p->model->size.n_contacts; k++) {
        const zn_contact *contact = &p->model->contacts[k];
        if (!cone_is_frozen(&p->cones[k])) continue;
        if (contact->row_N >= 0) before[contact->row_N] = 0;
        memset(before + contact->row_F, 0, (size_t)contact->nF * sizeof *before);
    }
}

void linear_problem_forget(linear_problem *p) {
    if (!p->known) return;
    memset(p->friction_0, 0, (size_t)p->model->size.nF * sizeof(double));
    memset(p->radius_0, 0, (size_t)p->model->size.n_contacts * sizeof(double));
    p->known = false;
}

void linear_problem_count_loads(linear_problem *p, int count, const double *b, double scale, const double *dPi) {
    const zn_model *model = p->model;
    int n = model_rows(model), nb = model_row_N(model);
    if (!p->loads) return;
    memset(p->load_0, 0, (size_t)(model->size.n_contacts + nb) * sizeof *p->load_0);
    for (int j = 0; j < count; j++) {
        for (int k = 0; k < model->size.n_contacts; k++) p->load_0[k] += scale * b[j] * loads_of(&model->contacts[k], dPi + j * n);
        for (int i = 0; i < nb; i++) p->load_P[i] += scale * b[j] * dPi[j * n + i];
    }
}

double linear_problem_response(const linear_problem *p, int i, int j) {
    int nb = model_row_N(p->model);
    return linear_reduced_response(p->reduced, i - nb, j - nb);
}

/* Gates of the cones and rows of active contacts. True: there is one. */
static bool set_gates(linear_problem *p) {
    const zn_model *model = p->model;
    int ball = model->size.n_contacts, first = model_row_N(model);
    bool any = false;
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        cone_gate gate = p->active[k] ? CONE_ALWAYS : CONE_OFF, friction = p->frictionless ? CONE_OFF : gate;
        p->cones[k].gate_kind = gate;
        for (int b = 0; b < contact->n_balls; b++, ball++) {
            p->cones[ball].gate_kind = friction;
            p->cones[ball].reservoir = p->time_measure * contact->normal_force;
            p->cones[ball].radius_0 = p->radius_0[k];
        }
        if (contact->row_N >= 0) p->wanted[contact->row_N - first] = p->active[k];
        for (int i = 0; i < contact->nF; i++) p->wanted[contact->row_F + i - first] = friction != CONE_OFF;
        any = any || p->active[k];
    }
    return any;
}

zn_status linear_problem_respond(linear_problem *p) {
    set_gates(p);
    return linear_reduced_respond(p->reduced);
}

double linear_problem_slip_response(const linear_problem *p, int contact, const double *d) {
    const zn_contact *k = &p->model->contacts[contact];
    if (!p->reduced || k->row_N < 0) return INFINITY;
    double whole = linear_problem_response(p, k->row_N, k->row_N), sum = whole;
    for (int b = 0, i = 0; b < k->n_balls; b++)
        for (int end = i + k->balls[b].dim; i < end; i++) sum -= k->balls[b].mu * d[i] * linear_problem_response(p, k->row_N, k->row_F + i);
    return whole > 0 ? sum / whole : INFINITY;
}

/* Cones of balls come after those of the contacts; callers know contacts. */
static int contact_of_cone(const zn_model *model, int number) {
    if (number < model->size.n_contacts) return number;
    int k = 0;
    for (int end = model->size.n_contacts; (end += model->contacts[k].n_balls) <= number;) k++;
    return k;
}

/* What residuals are multiplied by before they are compared with the tolerance. */
static void set_scales(linear_problem *p) {
    int nu = p->model->size.nu, nb = model_row_N(p->model);
    memcpy(p->phi_scale, p->prox.mass_scale, (size_t)nu * sizeof *p->phi_scale);
    if (!p->scales) return;
    double time = p->accelerations ? p->scales->h : 1;
    scales_rows(p->scales, p->prox.mass_scale, p->at.W);
    scales_tell(p->scales, 1, &p->problem);
    for (int i = 0; i < nu; i++) p->phi_scale[i] *= time * scales_of_balance(p->scales, i);
    for (int i = 0; i < nb; i++) p->phi_scale[nu + i] = time * scales_of_rate(p->scales, i);
    for (int i = 0; i < p->nc; i++) p->psi_scale[i] = time * scales_of_rate(p->scales, nb + i);
}

/* What is known of P_F goes to the load (sign 1) and leaves P, or comes back into P (-1). */
static void shift_friction(linear_problem *p, double sign) {
    const zn_model *model = p->model;
    const zn_pattern *W = &model->pattern.W;
    int first = model_row_F(model);
    for (int j = 0; j < model->size.nF; j++) {
        double known = p->friction_0[j];
        p->P[first + j] -= sign * known;
        for (int k = W->start[first + j]; sign > 0 && known != 0 && k < W->start[first + j + 1]; k++)
            p->f[W->index[k]] += p->at.W[k] * known;
    }
}

void linear_problem_recall(linear_problem *p, const double *x, const double *P) {
    memcpy(p->x, x, (size_t)p->model->size.nu * sizeof *x);
    memcpy(p->P, P, (size_t)model_rows(p->model) * sizeof *P);
}

zn_status linear_problem_solve(linear_problem *p, cone_outcome *outcome) {
    const zn_model *model = p->model;
    int nu = model->size.nu, nb = model_row_N(model);
    if (p->known) shift_friction(p, 1);
    bool contacts = set_gates(p);
    zn_status status = prox_update(&p->prox, p->at.M, p->at.W, p->active);
    if (status != ZN_OK) return status;
    set_scales(p);
    memcpy(p->z, p->x, (size_t)nu * sizeof *p->z);
    memcpy(p->z + nu, p->P, (size_t)nb * sizeof *p->z);
    memcpy(p->y, p->P + nb, (size_t)p->nc * sizeof *p->y);
    p->any_active = contacts;
    status = p->loads && !p->frictionless ? loads_solve(p->loads, outcome) : solve_once(p, outcome);
    if (status != ZN_STOPPED) { /* else the step is taken again, from the same start */
        memcpy(p->x, p->z, (size_t)nu * sizeof *p->x);
        memcpy(p->P, p->z + nu, (size_t)nb * sizeof *p->P);
        memcpy(p->P + nb, p->y, (size_t)p->nc * sizeof *p->P);
    }
    if (p->known) shift_friction(p, -1);
    if (status == ZN_ERROR_NO_CONVERGENCE && outcome->worst <= p->good_enough) status = ZN_OK;
    outcome->worst_cone = contact_of_cone(model, outcome->worst_cone);
    return status;
}
