/* SPDX-License-Identifier: Apache-2.0 */
/* Trial set, tests and end of the step of the staged friction law. */
#include "scheme/staged.h"

/* Slower than this part of the velocities in a row counts as sticking. */
static const double SLIP_PART = 1e-8;
/* Gaps and normal velocities below this part of the lengths and velocities in a row count as at rest. */
static const double REST_PART = 1e-8;
/* Percussions above minus this part of the normal one count as not negative. */
static const double SIGN_ROUNDOFF = 1e-10;
/* A step is tried with K_n, with less, and with nothing. */
enum { MOST_ATTEMPTS = 2 };

/* ---- islands ---- */

static int find_group(int *group, int k) {
    while (group[k] != k) k = group[k] = group[group[k]];
    return k;
}

/* Velocities with an entry in one column of a matrix of forces move together. */
static void join_column(int *group, const zn_pattern *p, int column) {
    int first = p->start[column];
    for (int e = first + 1; e < p->start[column + 1]; e++) group[find_group(group, p->index[e])] = find_group(group, p->index[first]);
}

static void join_fixed(staged_law *law) {
    const zn_pattern *M = &law->model->pattern.M, *W = &law->model->pattern.W;
    int *group = law->fixed_group;
    for (int j = 0; j < M->cols; j++) group[j] = j;
    for (int j = 0; j < M->cols; j++)
        for (int e = M->start[j]; e < M->start[j + 1]; e++) group[find_group(group, M->index[e])] = find_group(group, j);
    for (int row = 0; row < model_row_N(law->model); row++) join_column(group, W, row);
}

static void join_contact(staged_law *law, int k) {
    const zn_contact *contact = &law->model->contacts[k];
    const zn_pattern *W = &law->model->pattern.W;
    int any = -1;
    for (int i = -1; i < contact->nF; i++) {
        int row = i < 0 ? contact->row_N : contact->row_F + i;
        if (row < 0 || W->start[row] == W->start[row + 1]) continue;
        join_column(law->group, W, row);
        int here = find_group(law->group, W->index[W->start[row]]);
        if (any >= 0) law->group[here] = find_group(law->group, any);
        any = here;
    }
}

/* -1: acts on nothing. */
static int island_of(staged_law *law, int k) {
    const zn_contact *contact = &law->model->contacts[k];
    const zn_pattern *W = &law->model->pattern.W;
    for (int i = -1; i < contact->nF; i++) {
        int row = i < 0 ? contact->row_N : contact->row_F + i;
        if (row >= 0 && W->start[row] < W->start[row + 1]) return find_group(law->group, W->index[W->start[row]]);
    }
    return -1;
}

void staged_see_new_contacts(staged_law *law, const double *P) {
    const zn_model *model = law->model;
    bool any = false;
    for (int k = 0; k < model->size.n_contacts && !any; k++) any = !law->touching[k] && P[model->contacts[k].row_N] > 0;
    if (!any) return;
    memcpy(law->group, law->fixed_group, (size_t)model->size.nu * sizeof *law->group);
    for (int k = 0; k < model->size.n_contacts; k++)
        if (law->touching[k] || P[model->contacts[k].row_N] > 0) join_contact(law, k);
    for (int k = 0; k < model->size.n_contacts; k++) {
        if (law->touching[k] || !(P[model->contacts[k].row_N] > 0)) continue;
        int island = island_of(law, k);
        for (int j = 0; j < model->size.n_contacts; j++)
            if (law->trial[j] && island_of(law, j) == island) law->rejected[j] = true;
    }
}

/* ---- memory ---- */

/* Directions of one row cannot turn; there the papers' law has its full order. */
static bool can_turn(const zn_contact *contact) {
    bool turns = false;
    for (int b = 0; b < contact->n_balls; b++) turns = turns || (contact->balls[b].dim > 1 && contact->balls[b].mu > 0);
    return turns;
}

zn_status staged_create(zn_context *context, const zn_model *model, const zn_settings *settings, const problem_scales *scales,
                        staged_law *law) {
    *law = (staged_law){.context = context, .model = model, .scales = scales};
    bool staged = settings->friction_law == ZN_FRICTION_STAGED, located = settings->contact_events == ZN_EVENTS_LOCATED;
    for (int k = 0; k < model->size.n_contacts && (staged || located); k++)
        law->offered = law->offered || (can_turn(&model->contacts[k]) && (located || model->contacts[k].e_F == 0));
    if (!law->offered) return ZN_OK;
    int contacts = model->size.n_contacts, n = model_rows(model), nu = model->size.nu;
    law->memory = MEM_ARRAY(context, bool, 6 * contacts);
    law->numbers = MEM_ARRAY(context, double, 2 * n + model->size.nF);
    law->groups = MEM_ARRAY(context, int, 2 * nu);
    if (!law->memory || !law->numbers || !law->groups) {
        staged_destroy(law);
        return ZN_ERROR_MEMORY;
    }
    law->turns = law->memory;
    law->closed = law->turns + contacts;
    law->trial = law->closed + contacts;
    law->rejected = law->trial + contacts;
    law->touching = law->rejected + contacts;
    law->tried = law->touching + contacts;
    law->start = law->numbers;
    law->last = law->start + n;
    law->shift = law->last + n;
    law->fixed_group = law->groups;
    law->group = law->groups + nu;
    for (int k = 0; k < contacts; k++) law->turns[k] = staged && can_turn(&model->contacts[k]) && model->contacts[k].e_F == 0;
    join_fixed(law);
    return ZN_OK;
}

void staged_destroy(staged_law *law) {
    mem_free(law->context, law->memory);
    mem_free(law->context, law->numbers);
    mem_free(law->context, law->groups);
    *law = (staged_law){.context = law->context, .model = law->model, .scales = law->scales};
}

/* ---- attempts ---- */

/* Every |gamma_F| is more than a part of the velocities in its rows. */
static bool all_balls_slip(const staged_law *law, const zn_contact *contact, const double *c1) {
    for (int b = 0, row = contact->row_F; b < contact->n_balls; row += contact->balls[b++].dim) {
        double usual = 0;
        for (int i = row; i < row + contact->balls[b].dim; i++) usual = larger(usual, scales_rate(law->scales, i));
        if (!(length_of(contact->balls[b].dim, c1 + row) > SLIP_PART * usual)) return false;
    }
    return true;
}

bool staged_any(const staged_law *law) {
    for (int k = 0; law->offered && k < law->model->size.n_contacts; k++)
        if (law->trial[k]) return true;
    return false;
}

bool staged_rejects(const staged_law *law) {
    for (int k = 0; law->offered && k < law->model->size.n_contacts; k++)
        if (law->trial[k] && law->rejected[k]) return true;
    return false;
}

bool staged_rests(const staged_law *law, int k, const double *c0) {
    int row = law->model->contacts[k].row_N;
    return row < 0 || (fabs(c0[row]) <= REST_PART * scales_length(law->scales, row) &&
                       fabs(law->start[row]) <= REST_PART * scales_rate(law->scales, row));
}

/* Caution: how many rejections in a row, and how many steps to wait: 0, 1, 3, 7 after the first, second .. of them. */
enum { MOST_REJECTIONS = 4, WAIT_UNIT = 8 };

bool staged_begin(staged_law *law, const double *caution) {
    for (int k = 0; k < law->model->size.n_contacts; k++)
        law->tried[k] = law->trial[k] =
            law->turns[k] && law->closed[k] && caution[k] < WAIT_UNIT && all_balls_slip(law, &law->model->contacts[k], law->start);
    law->attempts = 0;
    return staged_any(law);
}

void staged_freeze(staged_law *law, const cone_frozen *modes) {
    law->modes = modes;
    if (!law->offered || !modes) return;
    for (int k = 0; k < law->model->size.n_contacts; k++) {
        law->tried[k] = false;
        law->trial[k] = scheme_may_turn(&law->model->contacts[k], &modes[k]);
    }
    law->attempts = 0;
    staged_attempt(law);
}

void staged_end(const staged_law *law, const double *caution, double *next) {
    for (int k = 0; k < law->model->size.n_contacts; k++) {
        int rejections = (int)caution[k] % WAIT_UNIT, wait = (int)caution[k] / WAIT_UNIT;
        if (law->tried[k]) {
            rejections = law->trial[k] ? 0 : rejections < MOST_REJECTIONS ? rejections + 1 : MOST_REJECTIONS;
            wait = rejections > 0 ? (1 << (rejections - 1)) - 1 : 0;
        } else if (wait > 0) wait--;
        next[k] = rejections + WAIT_UNIT * wait;
    }
}

void staged_attempt(staged_law *law) {
    memset(law->rejected, 0, (size_t)law->model->size.n_contacts * sizeof *law->rejected);
    memcpy(law->last, law->start, (size_t)model_rows(law->model) * sizeof *law->last);
}

void staged_follow(staged_law *law, int k, const double *c1) {
    const zn_contact *contact = &law->model->contacts[k];
    bool goes_on = all_balls_slip(law, contact, c1);
    for (int b = 0, row = contact->row_F; b < contact->n_balls; row += contact->balls[b++].dim)
        goes_on = goes_on && dot_product(contact->balls[b].dim, c1 + row, law->last + row) > 0;
    if (!goes_on) law->rejected[k] = true;
    memcpy(law->last + contact->row_F, c1 + contact->row_F, (size_t)contact->nF * sizeof *c1);
}

bool staged_stands(staged_law *law, zn_status status, cone_outcome *outcome, cone_outcome *cost) {
    if (!staged_any(law)) return true;
    if (status == ZN_OK && !staged_rejects(law)) return true;
    law->attempts++;
    for (int k = 0; k < law->model->size.n_contacts; k++)
        if (law->rejected[k] || status != ZN_OK || law->attempts == MOST_ATTEMPTS) law->trial[k] = false;
    for (int i = 0; i < CONE_PATH_COUNT; i++) cost->iterations[i] += outcome->iterations[i];
    return false;
}

void staged_add_cost(const staged_law *law, scheme_state *to, cone_outcome *outcome, const cone_outcome *cost) {
    for (int i = 0; i < CONE_PATH_COUNT; i++) outcome->iterations[i] += cost->iterations[i];
    to->staged_accepted += staged_any(law);
    to->staged_repeated += law->attempts;
}

/* ---- the end of the step ---- */

/* P_F - before_F = -mu (P_N - before_N) d  <=>  P_F = -mu P_N d + shift,  shift = before_F + mu before_N d. The unknown of the
 * linear problem is P_F - shift, which slips along d in any case. */
static void prepare_ball(staged_law *law, linear_problem *p, int row, const zn_ball *ball, const double *slip, double before_N,
                         const double *before, const double *along) {
    const zn_pattern *W = &law->model->pattern.W;
    int first_F = model_row_F(law->model);
    double length = slip ? length_of(ball->dim, slip + row) : 0;
    for (int i = row; i < row + ball->dim; i++) {
        double d = along && (ball->dim == 1 || !(length > 0)) ? along[i - row] : slip[i] / length,
               shift = before[i] + ball->mu * before_N * d;
        p->direction[i - first_F] = d;
        law->shift[i - first_F] = shift;
        p->P[i] -= shift;
        for (int e = W->start[i]; e < W->start[i + 1]; e++) p->f[W->index[e]] += p->at.W[e] * shift;
    }
}

void staged_end_prepare(staged_law *law, linear_problem *p, const double *slip, const double *before, double share) {
    if (!law->offered) return;
    const zn_model *model = law->model;
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        if (law->trial[k] && !law->modes) staged_follow(law, k, slip);
        bool staged = law->trial[k] && !law->rejected[k] && p->active[k];
        if (law->trial[k] && !staged) law->rejected[k] = true;
        double before_N = contact->row_N < 0 ? share * p->time_measure * contact->normal_force : before[contact->row_N];
        for (int b = 0, row = contact->row_F; b < contact->n_balls; row += contact->balls[b++].dim) {
            bool slips = staged && !(law->modes && law->modes[k].ball[b] == CONE_STICK);
            linear_problem_slips(p, k, b, slips);
            for (int i = row; staged && !slips && i < row + contact->balls[b].dim; i++) law->shift[i - model_row_F(model)] = 0;
            const cone_frozen *mode = law->modes ? &law->modes[k] : NULL;
            bool begins = law->one_velocity && mode && mode->begins && mode->begins[b]; /* then velocities have no direction */
            if (slips)
                prepare_ball(law, p, row, &contact->balls[b], begins ? NULL : slip, before_N, before,
                             mode ? mode->along + row - contact->row_F : NULL);
        }
    }
}

/* gamma_F(u+) . d > 0 for every ball. */
static bool still_slips(const linear_problem *p, const zn_contact *contact) {
    const zn_pattern *c1_u = &p->model->pattern.c1_u; /* transposed */
    int first_F = model_row_F(p->model);
    for (int b = 0, row = contact->row_F; b < contact->n_balls; row += contact->balls[b++].dim) {
        double along = 0;
        for (int i = row; i < row + contact->balls[b].dim; i++) {
            double slip = p->c[i];
            for (int e = c1_u->start[i]; e < c1_u->start[i + 1]; e++) slip += p->at.c1_u[e] * p->x[c1_u->index[e]];
            along += slip * p->direction[i - first_F];
        }
        if (!(along > 0)) return false;
    }
    return true;
}

void staged_end_finish(staged_law *law, linear_problem *p, const double *before, const double *last) {
    if (!law->offered) return;
    const zn_model *model = law->model;
    int first_F = model_row_F(model);
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        if (!law->trial[k] || law->rejected[k]) continue;
        for (int i = contact->row_F; i < contact->row_F + contact->nF; i++) p->P[i] += law->shift[i - first_F];
        if (law->modes) continue;
        if (!still_slips(p, contact)) law->rejected[k] = true;
        if (contact->row_N < 0) continue;
        double P_N = p->P[contact->row_N], rest = P_N - before[contact->row_N] + (last ? last[contact->row_N] : 0);
        if (!(P_N > 0) || rest < -SIGN_ROUNDOFF * P_N) law->rejected[k] = true;
    }
    if (!law->modes) staged_see_new_contacts(law, p->P);
}
