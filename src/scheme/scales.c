/* SPDX-License-Identifier: Apache-2.0 */
#include "scheme/scales.h"

#include "base/team.h"
#include "base/wide.h"

#include <float.h>

/* Round-off of gaps and joints, relative to their terms; least round-off of balances, as a share of it. */
static const double length_roundoff = 32 * DBL_EPSILON, force_share = 4.0 / 32;
/* The same for the gaps of bodies at rest. */
static const double length_noise = 4 * DBL_EPSILON;
/* Bodies at rest are held as exactly as this share of the energy. */
static const double share = 1e-3;
/* General kinematics are checked again when coordinates or velocities have grown by this much. */
static const double growth = 1.25;
/* Part of a length: motion in a step that is slower than this is not distinguished from rest. */
static const double slow = 1e-6;

static size_t memory_size(const zn_model *model) {
    size_t nq = (size_t)model->size.nq, nu = (size_t)model->size.nu, n = (size_t)model_rows(model);
    return nq + 6 * nu + 3 * n + (model->natural ? 0 : 2 * nq + nu + (size_t)lin_nnz(&model->pattern.B));
}

zn_status scales_create(zn_context *context, const zn_model *model, double tolerance, problem_scales *s) {
    *s = (problem_scales){.context = context, .model = model, .reach = length_roundoff / tolerance};
    size_t nq = (size_t)model->size.nq, nu = (size_t)model->size.nu, n = (size_t)model_rows(model);
    double *next = s->memory = MEM_ARRAY(context, double, memory_size(model));
    if (!next) return ZN_ERROR_MEMORY;
    s->q = next, next += nq;
    s->u = next, next += nu;
    s->speed = next, next += nu;
    s->velocity = next, next += nu;
    s->force = next, next += nu;
    s->noise = next, next += nu;
    s->slack = next, next += nu;
    s->row = next, next += n;
    s->row_place = next, next += n;
    s->row_speed = next, next += n;
    if (model->natural) s->place = s->q, s->rate = s->velocity;
    else s->place = next, s->rate = s->place + nu, s->drift = s->rate + nq, s->B = s->drift + nq;
    return ZN_OK;
}

void scales_destroy(zn_context *context, problem_scales *s) {
    mem_free(context, s->memory);
    *s = (problem_scales){0};
}

void scales_take(problem_scales *s, const problem_scales *from) {
    if (!s->memory || !from->memory) return;
    size_t nq = (size_t)s->model->size.nq, nu = (size_t)s->model->size.nu;
    memcpy(s->memory, from->memory, (nq + 6 * nu) * sizeof *s->memory); /* all but rows */
    if (s->B) memcpy(s->place, from->place, (2 * nq + nu + (size_t)lin_nnz(&s->model->pattern.B)) * sizeof *s->place);
    s->h = from->h, s->energy = from->energy, s->begun = from->begun, s->renew = from->renew;
}

void scales_carry(problem_scales *s, byte_stream *b) {
    if (s->memory) BYTES_PASS_ARRAY(b, s->memory, memory_size(s->model));
    BYTES_PASS(b, s->h), BYTES_PASS(b, s->energy), BYTES_PASS(b, s->begun), BYTES_PASS(b, s->renew);
}

/* True: one of them has grown so much that sizes derived from it must be updated. */
static bool follow(int n, const double *x, double *most) {
    bool grown = false;
    for (int i = 0; i < n; i++) {
        double size = fabs(x[i]);
        if (size <= most[i]) continue;
        grown = grown || size > growth * most[i];
        most[i] = size;
    }
    return grown;
}

/* The end of the vector whose first component is velocity j. */
static int vector_end(const zn_model *model, int j) {
    int end = j + 1;
    while (end < model->size.nu && model->same_vector[end]) end++;
    return end;
}

/* Speeds: |u| of vectors. */
static void follow_speeds(problem_scales *s, const double *u) {
    if (!s->model->same_vector) return;
    for (int j = 0, end; j < s->model->size.nu; j = end) {
        double square = 0;
        end = vector_end(s->model, j);
        for (int i = j; i < end; i++) square += u[i] * u[i];
        double size = end == j + 1 ? fabs(u[j]) : sqrt(square);
        for (int i = j; i < end && size > s->speed[j]; i++) s->speed[end - 1 - (i - j)] = size;
    }
}

/* hypot, which takes its time, where neither is zero. */
static double length_with(double size, double next) { return size == 0 || next == 0 ? fabs(size + next) : hypot(size, next); }

/* x_j = |q|/|B_j| over the coordinates that u_j moves. */
static zn_status see_kinematics(problem_scales *s, answers *at, const zn_point *point) {
    const zn_model *model = s->model;
    const zn_pattern *p = &model->pattern.B;
    if (model->kinematics(model, at->work, point, &(zn_kinematics){.qdot = at->qdot, .B = at->B})) return ZN_ERROR_NOT_FINITE;
    follow(model->size.nq, at->qdot, s->drift);
    follow(lin_nnz(p), at->B, s->B);
    for (int j = 0; j < p->cols; j++) {
        double size = 0, norm = 0;
        for (int k = p->start[j]; k < p->start[j + 1]; k++) size = length_with(size, s->q[p->index[k]]), norm = length_with(norm, s->B[k]);
        s->place[j] = norm > 0 ? size / norm : 0;
    }
    return ZN_OK;
}

/* Most entries are of contacts, whose forces do not act here: they are passed by four at a time. */
static void add_sizes(const zn_pattern *p, const double *values, const double *x, double *sum) {
    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j], end = p->start[j + 1]; k < end; k++) {
            const double *v = values + k;
            for (; end - k >= 4 && !((v[0] != 0) | (v[1] != 0) | (v[2] != 0) | (v[3] != 0)); v += 4) k += 4;
            if (k < end && *v != 0) sum[p->index[k]] += fabs(*v * x[j]);
        }
}

/* Speeds that forces give to bodies at rest in a step, but at most those that they give over a distance as long as the
 * coordinate. Round-off does not count as a force. */
static void add_kicks(problem_scales *s, const answers *at) {
    const zn_pattern *p = &s->model->pattern.M;
    for (int j = 0; j < s->model->size.nu; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            if (p->index[k] != j || !(at->M[k] > 0)) continue;
            double a = fabs(at->r[j]) / at->M[k], speed = s->h * a;
            if (a <= length_roundoff * s->force[j]) continue;
            if (s->place[j] > 0) speed = smaller(speed, sqrt(a * s->place[j]));
            if (isfinite(speed)) s->u[j] = larger(s->u[j], speed);
        }
    follow_speeds(s, s->u);
}

/* What forces are computed from; of a body that rests, forces at both ends of the step. */
static zn_status see_forces(problem_scales *s, answers *at, const zn_point *point) {
    const zn_model *model = s->model;
    const zn_patterns *p = &model->pattern;
    bool rests = !s->begun || !(s->energy > 0);
    zn_point end = *point;
    end.t += s->h;
    if (model->balance(model, at->work, point, &(zn_balance){.r = at->r, .M = at->M, .r_q = at->r_q, .r_u = at->r_u}))
        return ZN_ERROR_NOT_FINITE;
    memset(s->force, 0, (size_t)model->size.nu * sizeof *s->force);
    add_sizes(&p->r_q, at->r_q, point->q, s->force);
    add_sizes(&p->r_u, at->r_u, point->u, s->force);
    for (int j = 0; j < model->size.nu; j++)
        for (int k = p->M.start[j]; k < p->M.start[j + 1]; k++)
            if (p->M.index[k] == j && at->M[k] > 0) s->force[j] /= at->M[k];
    if (!rests) return ZN_OK;
    add_kicks(s, at);
    if (model->balance(model, at->work, &end, &(zn_balance){.r = at->r}) == 0) add_kicks(s, at);
    return ZN_OK;
}

zn_status scales_see(problem_scales *s, answers *at, const zn_point *point, double h) {
    s->h = h;
    if (!s->memory) return ZN_OK;
    const zn_model *model = s->model;
    bool grown = follow(model->size.nq, point->q, s->q);
    grown = follow(model->size.nu, point->u, s->u) || grown;
    follow_speeds(s, point->u);
    zn_status status = grown && !model->natural ? see_kinematics(s, at, point) : ZN_OK;
    if (status == ZN_OK && (grown || s->renew || !s->begun || !(s->energy > 0))) status = see_forces(s, at, point);
    s->begun = true;
    s->renew = false;
    return status;
}

/* Not less than v of any component. */
static void complete_speeds(problem_scales *s) {
    for (int j = 0, end; j < s->model->size.nu; j = end) {
        double most = s->speed[j];
        end = vector_end(s->model, j);
        for (int i = j; i < end; i++) most = larger(most, s->velocity[i]);
        for (int i = j; i < end; i++) s->speed[i] = most;
    }
}

bool scales_are_together(const zn_model *model, int a, int b) {
    while (b > a && model->same_vector && model->same_vector[b]) b--;
    return b == a;
}

/* Of a row of joints: also what the energy of the fastest does to the lightest. */
static void see_bilateral(problem_scales *s, const double *mass_scale, const double *W, int row) {
    const zn_pattern *p = &s->model->pattern.W;
    double V = 0, x = 0, mobility = 0;
    for (int e = p->start[row]; e < p->start[row + 1]; e++) {
        int j = p->index[e];
        double size = fabs(W[e]);
        V += size * s->velocity[j], x += size * s->place[j], mobility += size * size * mass_scale[j];
    }
    s->row_speed[row] = s->row[row] = larger(V, s->energy * sqrt(mobility));
    s->row_place[row] = x;
}

/* Of a row of contacts: the sum over vectors of |w| |v|, which is the same in all frames; `components`, the sum over components, where
 * there are no vectors. */
ALWAYS_INLINE double contact_speed(const problem_scales *s, const double *W, int row, double components) {
    const zn_pattern *p = &s->model->pattern.W;
    const int *index = p->index;
    const bool *same = s->model->same_vector;
    double speed = 0;
    for (int e = p->start[row], last = p->start[row + 1], end; e < last && same; e = end) {
        double square = W[e] * W[e];
        for (end = e + 1; end < last; end++) {
            int a = index[end - 1], b = index[end];
            if (b == a + 1 ? !same[b] : !scales_are_together(s->model, a, b)) break;
            square += W[end] * W[end];
        }
        speed += (end == e + 1 ? fabs(W[e]) : sqrt(square)) * s->speed[index[e]];
    }
    return same ? speed : components;
}

ALWAYS_INLINE void see_contact(problem_scales *s, const double *W, int row) {
    const zn_pattern *p = &s->model->pattern.W;
    const double *velocity = s->velocity, *place = s->place;
    double V = 0, x = 0;
    for (int e = p->start[row], last = p->start[row + 1]; e < last; e++) {
        double size = fabs(W[e]);
        V += size * velocity[p->index[e]], x += size * place[p->index[e]];
    }
    s->row[row] = V;
    s->row_place[row] = x;
    s->row_speed[row] = contact_speed(s, W, row, V);
}

typedef struct seen_rows {
    problem_scales *of;
    const double *W;
    int first; /* row of a contact */
} seen_rows;

static void see_some_contacts(void *user, int first, int last) {
    const seen_rows *rows = user;
    problem_scales *s = rows->of;
    const double *W = rows->W;
    for (int k = rows->first + first, end = rows->first + last; k < end; k++) see_contact(s, W, k);
}

void scales_rows(problem_scales *s, const double *mass_scale, const double *W) {
    enum { TASK = 128 };
    if (!s->memory) return;
    const zn_pattern *B = &s->model->pattern.B;
    int nu = s->model->size.nu, n = model_rows(s->model);
    for (int i = 0; i < nu; i++) {
        double squared = s->u[i] * s->u[i] / mass_scale[i];
        if (squared > s->energy * s->energy) s->energy = sqrt(squared);
    }
    for (int i = 0; i < nu; i++) {
        s->velocity[i] = larger(s->u[i], share * s->energy * sqrt(mass_scale[i]));
        s->noise[i] = force_share * s->reach * s->h * s->force[i];
        s->slack[i] = s->noise[i] > s->velocity[i] ? s->noise[i] * scales_inverse(s->velocity[i]) : 1;
    }
    if (s->model->same_vector) complete_speeds(s);
    int bilateral = model_row_N(s->model);
    for (int k = 0; k < bilateral; k++) see_bilateral(s, mass_scale, W, k);
    int first_F = model_row_F(s->model); /* apart, so that a thread has normal rows and friction of the same contacts */
    base_share(s->context, s->threads, first_F - bilateral, TASK, see_some_contacts, &(seen_rows){s, W, bilateral});
    base_share(s->context, s->threads, n - first_F, TASK, see_some_contacts, &(seen_rows){s, W, first_F});
    if (!s->B) return;
    memset(s->rate, 0, (size_t)s->model->size.nq * sizeof *s->rate);
    for (int j = 0; j < nu; j++)
        for (int k = B->start[j]; k < B->start[j + 1]; k++) s->rate[B->index[k]] += s->B[k] * s->velocity[j];
    for (int i = 0; i < s->model->size.nq; i++) s->rate[i] = larger(s->rate[i], s->drift[i]); /* states move by themselves */
}

void scales_tell(const problem_scales *s, int blocks, cone_problem *p) {
    p->slack = s->slack;
    p->n_slack = s->memory ? s->model->size.nu : 0;
    p->slack_rows = blocks * p->n_slack;
}

double scales_rate(const problem_scales *s, int row) { return s->memory ? 1 / scales_inverse(s->row[row]) : 1; }
double scales_length(const problem_scales *s, int row) {
    return s->memory ? 1 / scales_inverse(larger(s->row_place[row], s->h * s->row[row])) : 1;
}
double scales_noise(const problem_scales *s, int row) {
    return s->memory ? length_noise * s->row_place[row] * scales_of_length(s, row) : 0;
}
double scales_of_position(const problem_scales *s, int i) {
    return s->memory ? scales_inverse(larger(SCALES_LENGTH_SHARE * s->h * s->rate[i], s->reach * s->q[i])) : 1 / s->h;
}

static double along(const problem_scales *s, const double *W, int row, const double *sizes) {
    double sum = 0;
    const zn_pattern *p = &s->model->pattern.W;
    for (int e = p->start[row]; s->memory && e < p->start[row + 1]; e++) sum += fabs(W[e]) * sizes[p->index[e]];
    return sum;
}

static double small(double size, double usual) { return size > 0 ? smaller(size / usual, 1) : 1; }

static double length(const problem_scales *s, const double *W, int row) {
    return larger(along(s, W, row, s->place), s->h * along(s, W, row, s->u));
}

double scales_small_length(const problem_scales *s, const double *W, int row, double usual) { return small(length(s, W, row), usual); }

static double diagonal(const zn_pattern *p, const double *M, int j) {
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
        if (p->index[e] == j) return M[e];
    return 0;
}

/* The root of max_j M_jj u_j^2; in steps, of the run so far. */
double scales_vigour(const problem_scales *s, const double *M) {
    double most = s->energy;
    for (int j = 0; s->memory && j < s->model->size.nu; j++) {
        double mass = diagonal(&s->model->pattern.M, M, j);
        if (mass > 0) most = larger(most, sqrt(mass) * s->u[j]);
    }
    return most;
}

double scales_small_rate(const problem_scales *s, double vigour, const double *M, const double *W, int row, double usual) {
    if (!(s->h > 0) || !s->memory) return 1;
    const zn_pattern *p = &s->model->pattern.W;
    double mobility = 0;
    for (int e = p->start[row]; e < p->start[row + 1]; e++) {
        double mass = diagonal(&s->model->pattern.M, M, p->index[e]);
        if (mass > 0) mobility += W[e] * W[e] / mass;
    }
    double own = larger(along(s, W, row, s->u), along(s, W, row, s->velocity)), moved = slow * along(s, W, row, s->place) / s->h;
    return small(larger(larger(own, moved), vigour * sqrt(mobility)), usual);
}

double scales_length_roundoff(const problem_scales *s, const double *W) {
    double longest = 0;
    for (int row = 0, n = model_rows(s->model); row < n; row++) longest = larger(longest, length(s, W, row));
    return length_roundoff * longest;
}

double scales_closed(const problem_scales *s, const double *W, int row) {
    double tolerance = length_roundoff / s->reach, V = 0, x = 0;
    if (!s->memory) return tolerance * s->h;
    const zn_pattern *p = &s->model->pattern.W;
    for (int e = p->start[row]; e < p->start[row + 1]; e++) {
        int j = p->index[e];
        V += fabs(W[e]) * larger(s->u[j], s->velocity[j]), x += fabs(W[e]) * s->place[j];
    }
    return larger(tolerance * SCALES_LENGTH_SHARE * s->h * contact_speed(s, W, row, V), length_roundoff * x);
}

double scales_tolerance(const problem_scales *s, int row, double size, double h) {
    double rate = scales_of_rate(s, row);
    return size * rate * larger(1, 1 / (SCALES_LENGTH_SHARE * h));
}
