/* SPDX-License-Identifier: Apache-2.0 */
#include "scheme/impact_map.h"

#include "linalg/dense.h"
#include "scheme/impact_path.h"

/* In tolerances: an approach slower than this is the error of solves, the rate should be zero. */
static const double RATE_TOLERANCES = 10;
/* Percussions below this part of the largest are round-off: the contact is not hit. */
static const double HIT_ROUNDOFF = 1e-12;
/* Energies of an impact that are smaller than this part of |P c-| are round-off. */
static const double GAIN_ROUNDOFF = 1e-13;
/* To which the share f of the expansion is found, and in how many attempts at most. */
static const double SHARE_ACCURACY = 1e-12;
enum { MOST_SHARES = 60 };
/* Part of the trace of D that is added to D where it is singular; part of the rates before below which rates are zero. */
static const double SINGULAR = 1e-13, STUCK = 1e-8;

impact_map *impact_map_create(zn_context *context, const zn_model *model, const zn_settings *settings, zn_restitution_law law) {
    impact_map *m = MEM_ARRAY(context, impact_map, 1);
    if (!m) return NULL;
    size_t n = (size_t)model_rows(model);
    m->law = law;
    m->tolerance = RATE_TOLERANCES * settings->tolerance;
    m->problem = law == ZN_RESTITUTION_NEWTON ? linear_problem_create(context, model, settings, CONE_VELOCITY)
                                              : linear_problem_create_responsive(context, model, settings, CONE_VELOCITY);
    m->memory = MEM_ARRAY(context, double, 5 * n);
    m->active = MEM_ARRAY(context, bool, model->size.n_contacts);
    if (!m->problem || !m->memory || !m->active) {
        impact_map_destroy(context, m);
        return NULL;
    }
    m->P = m->memory, m->after = m->P + n, m->before = m->after + n, m->P_C = m->before + n, m->turn = m->P_C + n;
    return m;
}

void impact_map_destroy(zn_context *context, impact_map *m) {
    if (!m) return;
    linear_problem_destroy(m->problem);
    mem_free(context, m->memory);
    mem_free(context, m->active);
    mem_free(context, m);
}

double impact_map_still(const impact_map *m, int row) {
    const problem_scales *scales = m->problem->scales;
    return m->tolerance / (scales ? scales_of_rate(scales, row) : 1);
}

bool impact_map_wanted(const impact_map *m, const double *before, const bool *active) {
    const zn_model *model = m->problem->model;
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        if (active[k] && row >= 0 && before[row] < 0 && before[row] < -impact_map_still(m, row)) return true;
    }
    return false;
}

/* c+ = c + (dc1/du) x of a solve from c, contact rows. */
static void add_rates(const linear_problem *p, const double *c, double *after) {
    const zn_pattern *c1_u = &p->model->pattern.c1_u; /* transposed */
    for (int i = model_row_N(p->model), n = model_rows(p->model); i < n; i++) {
        after[i] = c[i];
        for (int e = c1_u->start[i]; e < c1_u->start[i + 1]; e++) after[i] += p->at.c1_u[e] * p->x[c1_u->index[e]];
    }
}

/* Rates before a phase into the rows of the problem. */
static void begin(linear_problem *p, const double *c) {
    int n = model_rows(p->model);
    memcpy(p->c, c, (size_t)n * sizeof *p->c);
    memset(p->f, 0, (size_t)p->model->size.nu * sizeof *p->f);
    memset(p->x, 0, (size_t)p->model->size.nu * sizeof *p->x);
    memset(p->P, 0, (size_t)n * sizeof *p->P);
    p->time_measure = 0; /* constant normal forces have no impulse */
    linear_problem_forget(p);
}

/* Velocities before an impact are those of another position, and at the present one joints have rates. They are taken out first, by the
 * joints alone: where these let a contact move in some directions only, no percussion of it would bring it to rest otherwise. */
static zn_status settle_joints(impact_map *m) {
    linear_problem *p = m->problem;
    const zn_model *model = p->model;
    size_t contacts = (size_t)model->size.n_contacts * sizeof *p->active;
    int nb = model_row_N(model);
    cone_outcome outcome;
    bool moves = false;
    for (int i = 0; i < nb; i++) moves = moves || m->before[i] != 0;
    if (!moves) return ZN_OK;
    memcpy(m->active, p->active, contacts);
    memset(p->active, 0, contacts);
    begin(p, m->before);
    zn_status status = linear_problem_solve(p, &outcome);
    memcpy(p->active, m->active, contacts);
    add_rates(p, m->before, m->before);
    memset(m->before, 0, (size_t)nb * sizeof *m->before);
    return status;
}

static zn_status newton(impact_map *m) {
    linear_problem *p = m->problem;
    const zn_model *model = p->model;
    cone_outcome outcome;
    begin(p, m->before);
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        if (contact->row_N >= 0) p->c[contact->row_N] *= 1 + contact->e_N;
        for (int i = contact->row_F; i < contact->row_F + contact->nF; i++) p->c[i] *= 1 + contact->e_F;
    }
    zn_status status = linear_problem_solve(p, &outcome);
    memcpy(m->P, p->P, (size_t)model_rows(model) * sizeof *m->P);
    add_rates(p, m->before, m->after);
    return status;
}

/* The contact that alone is active and closes, of the kind that has a path; -1: none. */
static int single(const impact_map *m) {
    const zn_model *model = m->problem->model;
    int found = -1;
    for (int k = 0; k < model->size.n_contacts; k++) {
        if (!m->problem->active[k] || model->contacts[k].row_N < 0) continue;
        if (found >= 0) return -1;
        found = k;
    }
    bool simple = found >= 0 && model->contacts[found].n_balls == 1 && model->contacts[found].nF <= IMPACT_FRICTION_MAX;
    return simple ? found : -1;
}

/* The smallest a >= 0 with P + a z in the cone; INFINITY: none. */
static double into_cone(int dim, double mu, const double *P, const double *z) {
    double zz = -mu * mu * z[0] * z[0], Pz = -mu * mu * P[0] * z[0], PP = -mu * mu * P[0] * P[0];
    for (int i = 1; i <= dim; i++) zz += z[i] * z[i], Pz += P[i] * z[i], PP += P[i] * P[i];
    if (PP <= 0 && P[0] >= 0) return 0;
    double root = Pz * Pz - zz * PP, a = zz < 0 && root >= 0 ? (-Pz - sqrt(root)) / zz : INFINITY; /* z points into it */
    return a >= 0 && P[0] + a * z[0] >= 0 ? a : INFINITY;
}

/* The responses of one contact. */
typedef struct responses {
    int n, row[IMPACT_ROWS], pivot[IMPACT_ROWS];
    double D[IMPACT_ROWS * IMPACT_ROWS], A[IMPACT_ROWS * IMPACT_ROWS]; /* and the factors of D, a little regularised */
    double trace, z[IMPACT_ROWS];                                      /* the direction that moves least, into the cone */
    bool held;                                                         /* joints carry a percussion along it: D z = 0 */
} responses;

static bool ask_responses(const linear_problem *p, int k, responses *o) {
    const zn_contact *contact = &p->model->contacts[k];
    int n = 1 + contact->nF;
    *o = (responses){.n = n, .row = {contact->row_N}, .z = {1}};
    for (int i = 1; i < n; i++) o->row[i] = contact->row_F + i - 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) o->D[i + j * n] = linear_problem_response(p, o->row[i], o->row[j]);
        o->trace += o->D[i + i * n];
    }
    for (int i = 0; i < n * n; i++) o->A[i] = o->D[i] + (i % (n + 1) == 0 ? SINGULAR * o->trace : 0);
    if (lin_dense_lu_factor(n, o->A, o->pivot) != 0) return false;
    for (int twice = 0; twice < 2; twice++) {
        double size = 0;
        lin_dense_lu_solve(n, o->A, o->pivot, o->z, 1);
        for (int i = 0; i < n; i++) size += o->z[i] * o->z[i];
        for (int i = 0; i < n; i++) o->z[i] /= (o->z[0] < 0 ? -1 : 1) * sqrt(size);
    }
    double moves = 0;
    for (int i = 0; i < n; i++) {
        double of_z = 0;
        for (int j = 0; j < n; j++) of_z += o->D[i + j * n] * o->z[j];
        moves = larger(moves, fabs(of_z));
    }
    o->held = moves <= STUCK * o->trace;
    return true;
}

/* A compression that ends in stick, D P_C = -c-, by the smallest percussion. Where joints let the contact move in some directions only D is
 * singular, D z = 0, and a percussion along z, which joints carry, comes in if P_C is not in the cone otherwise. False: it does not end
 * so. */
static bool stick(impact_map *m, int k) {
    const linear_problem *p = m->problem;
    const zn_contact *contact = &p->model->contacts[k];
    responses o;
    double P[IMPACT_ROWS], none[IMPACT_ROWS] = {0}, left = 0, c = 0;
    if (!ask_responses(p, k, &o)) return false;
    for (int i = 0; i < o.n; i++) {
        P[i] = -m->before[o.row[i]];
        c = larger(c, fabs(P[i]));
    }
    lin_dense_lu_solve(o.n, o.A, o.pivot, P, 1);
    for (int i = 0; i < o.n; i++) {
        double rate = m->before[o.row[i]];
        for (int j = 0; j < o.n; j++) rate += o.D[i + j * o.n] * P[j];
        left = larger(left, fabs(rate));
    }
    double a = into_cone(contact->nF, contact->balls[0].mu, P, o.held ? o.z : none);
    if (!(left <= STUCK * c) || !isfinite(a)) return false;
    memset(m->P_C, 0, (size_t)model_rows(p->model) * sizeof *m->P_C);
    memcpy(m->turn, m->before, (size_t)model_rows(p->model) * sizeof *m->turn);
    for (int i = 0; i < o.n; i++) m->P_C[o.row[i]] = P[i] + a * o.z[i], m->turn[o.row[i]] = 0;
    m->alone = k;
    return true;
}

bool impact_map_wedges(impact_map *m, int contact) {
    linear_problem *p = m->problem;
    const zn_model *model = p->model;
    responses o;
    cone_outcome outcome;
    for (int k = 0; k < model->size.n_contacts; k++) p->active[k] = k == contact;
    if (single(m) != contact || model->contacts[contact].nF == 0) return false;
    memset(m->before, 0, (size_t)model_rows(model) * sizeof *m->before);
    begin(p, m->before);
    if (linear_problem_solve(p, &outcome) != ZN_OK || !ask_responses(p, contact, &o) || !o.held) return false;
    double friction = 0;
    for (int i = 1; i < o.n; i++) friction += o.z[i] * o.z[i];
    return sqrt(friction) <= model->contacts[contact].balls[0].mu * o.z[0];
}

static zn_status compress(impact_map *m) {
    linear_problem *p = m->problem;
    const zn_model *model = p->model;
    cone_outcome outcome;
    begin(p, m->before);
    zn_status status = linear_problem_solve(p, &outcome);
    int only = single(m);
    if (only >= 0 && stick(m, only)) return ZN_OK;
    memcpy(m->P_C, p->P, (size_t)model_rows(model) * sizeof *m->P_C);
    add_rates(p, m->before, m->turn);
    double largest = 0;
    for (int k = 0; k < model->size.n_contacts; k++)
        if (model->contacts[k].row_N >= 0) largest = larger(largest, m->P_C[model->contacts[k].row_N]);
    int hit = 0;
    m->alone = -1;
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        if (row < 0 || !(m->P_C[row] > HIT_ROUNDOFF * largest)) continue;
        m->alone = k;
        hit++;
    }
    bool simple = hit == 1 && model->contacts[m->alone].n_balls <= 1 && model->contacts[m->alone].nF <= IMPACT_FRICTION_MAX;
    if (!simple) m->alone = -1;
    return status;
}

/* The contact hit alone, by its path. False: there is none, or another contact would be hit too. */
static bool follow(impact_map *m, double share) {
    const linear_problem *p = m->problem;
    const zn_model *model = p->model;
    const zn_contact *contact = &model->contacts[m->alone];
    int row[IMPACT_ROWS] = {contact->row_N}, n = 1 + contact->nF;
    impact_path path = {.dim = contact->nF,
                        .mu = contact->nF ? contact->balls[0].mu : 0,
                        .e = share * contact->e_N,
                        .energetic = m->law == ZN_RESTITUTION_ENERGETIC};
    for (int i = 1; i < n; i++) row[i] = contact->row_F + i - 1;
    for (int i = 0; i < n; i++) {
        path.before[i] = m->before[row[i]];
        for (int j = 0; j < n; j++) path.D[i][j] = linear_problem_response(p, row[i], row[j]);
    }
    if (!impact_path_follow(&path)) return false;
    memset(m->P, 0, (size_t)model_rows(model) * sizeof *m->P);
    for (int i = 0; i < n; i++) m->P[row[i]] = path.P[i];
    for (int i = model_row_N(model); i < model_rows(model); i++) {
        m->after[i] = m->before[i];
        for (int j = 0; j < n; j++) m->after[i] += linear_problem_response(p, i, row[j]) * path.P[j];
    }
    for (int i = 0; i < n; i++) m->after[row[i]] = path.after[i];
    for (int k = 0; k < model->size.n_contacts; k++) {
        int other = model->contacts[k].row_N;
        if (p->active[k] && other >= 0 && k != m->alone && m->after[other] < smaller(m->before[other], 0) - impact_map_still(m, other))
            return false;
    }
    return true;
}

/* Expansion with share f of the percussions of compression. */
static zn_status expand(impact_map *m, double share) {
    linear_problem *p = m->problem;
    const zn_model *model = p->model;
    const zn_pattern *W = &model->pattern.W;
    cone_outcome outcome;
    begin(p, m->turn);
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        if (contact->row_N < 0) continue;
        double back = share * contact->e_N * m->P_C[contact->row_N];
        for (int i = W->start[contact->row_N]; i < W->start[contact->row_N + 1]; i++) p->f[W->index[i]] += p->at.W[i] * back;
        p->radius_0[k] = back;
    }
    p->known = true;
    zn_status status = linear_problem_solve(p, &outcome);
    add_rates(p, m->turn, m->after);
    for (int i = model_row_N(model); i < model_rows(model); i++) m->P[i] = m->P_C[i] + p->P[i];
    for (int k = 0; k < model->size.n_contacts; k++)
        if (model->contacts[k].row_N >= 0) m->P[model->contacts[k].row_N] += p->radius_0[k];
    linear_problem_forget(p);
    return status;
}

/* With share f: one contact by its path, several by two phases. */
static zn_status attempt(impact_map *m, double share) {
    if (m->alone >= 0 && !follow(m, share)) m->alone = -1;
    return m->alone >= 0 ? ZN_OK : expand(m, share);
}

static double gain_of(const impact_map *m, double *size) {
    const zn_model *model = m->problem->model;
    double gain = 0;
    *size = 0;
    for (int i = model_row_N(model); i < model_rows(model); i++) {
        if (m->P[i] == 0) continue;
        gain += m->P[i] * (m->before[i] + m->after[i]) / 2;
        *size += fabs(m->P[i]) * (fabs(m->before[i]) + fabs(m->after[i]));
    }
    return gain;
}

/* Work of the normal percussions in the present expansion, and the work that they should give back. */
static double normal_work(const impact_map *m, double *wanted) {
    const zn_model *model = m->problem->model;
    double work = 0;
    *wanted = 0;
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        double e = model->contacts[k].e_N;
        if (row < 0 || m->P[row] == 0) continue;
        work += (m->P[row] - m->P_C[row]) * (m->turn[row] + m->after[row]) / 2;
        *wanted -= e * e * m->P_C[row] * (m->before[row] + m->turn[row]) / 2;
    }
    return work;
}

/* The share for which normal percussions give back what energetic restitution asks for: their work grows like its square. */
static zn_status find_share(impact_map *m, double *share) {
    zn_status status = ZN_OK;
    for (int i = 0; i < MOST_SHARES && status == ZN_OK; i++) {
        double wanted, work = normal_work(m, &wanted);
        if (!(wanted > 0) || !(work > STUCK * wanted)) return attempt(m, *share = 0); /* nothing to give back, or no way to */
        if (fabs(work - wanted) <= SHARE_ACCURACY * wanted) return ZN_OK;
        *share *= sqrt(wanted / work);
        status = attempt(m, *share);
    }
    return status;
}

/* The largest share up to `most` without a gain of energy; zero has none. */
static zn_status lower_share(impact_map *m, double most) {
    double low = 0, high = most, size;
    zn_status status = ZN_OK;
    for (int i = 0; i < MOST_SHARES && status == ZN_OK; i++) {
        double middle = (low + high) / 2;
        status = attempt(m, middle);
        if (gain_of(m, &size) > 0) high = middle;
        else low = middle;
    }
    return status == ZN_OK ? attempt(m, low) : status;
}

zn_status impact_map_solve(impact_map *m, const double *before) {
    const linear_problem *p = m->problem;
    size_t bytes = (size_t)model_rows(p->model) * sizeof *before;
    memcpy(m->before, before, bytes);
    memcpy(m->after, before, bytes);
    memset(m->P, 0, bytes);
    m->gain = 0;
    m->any = impact_map_wanted(m, before, p->active);
    if (!m->any) return ZN_OK;
    if (m->law == ZN_RESTITUTION_NEWTON) {
        zn_status status = newton(m);
        m->gain = gain_of(m, &(double){0});
        return status;
    }
    double share = 1, size;
    zn_status status = settle_joints(m);
    if (status == ZN_OK) status = compress(m);
    if (status == ZN_OK) status = attempt(m, share);
    if (status == ZN_OK && m->alone < 0 && m->law == ZN_RESTITUTION_ENERGETIC) status = find_share(m, &share);
    if (status == ZN_OK && gain_of(m, &size) > GAIN_ROUNDOFF * size) status = lower_share(m, share);
    m->gain = gain_of(m, &size);
    return status;
}
