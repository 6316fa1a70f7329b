/* SPDX-License-Identifier: Apache-2.0 */
/* The questions to an assembly: each part is asked on its own coordinates, and its answers are added at their places. */
#include "model/assembly_internal.h"

/* Scratch memory of one caller: the local point, one local vector and matrix for every answer, then the parts' own. */
typedef struct scratch {
    double *q, *u, *a, *lambda;
    double *vector[3];
    double *matrix[5];
    void *work;
} scratch;

static scratch lay_out(const assembly_model *m, void *work) {
    double *next = work;
    size_t q = (size_t)m->most_q, u = (size_t)m->most_u, rows = (size_t)m->most_rows, most = q + u + rows;
    scratch s = {.q = next, .u = next + q, .a = next + q + u, .lambda = next + q + 2 * u};
    next += q + 2 * u + rows;
    for (int i = 0; i < 3; i++, next += most) s.vector[i] = next;
    for (int i = 0; i < 5; i++, next += m->most_nnz) s.matrix[i] = next;
    s.work = next;
    return s;
}

static size_t scratch_bytes(const assembly_model *m) {
    size_t q = (size_t)m->most_q, u = (size_t)m->most_u, rows = (size_t)m->most_rows, largest = 0;
    for (int i = 0; i < m->n_parts; i++) largest = m->parts[i].model->work_bytes > largest ? m->parts[i].model->work_bytes : largest;
    return (q + 2 * u + rows + 3 * (q + u + rows) + 5 * (size_t)m->most_nnz) * sizeof(double) + largest;
}

static const double *gather(const double *from, const int *index, int count, double *to) {
    if (!from) return NULL;
    for (int i = 0; i < count; i++) to[i] = from[index[i]];
    return to;
}

static zn_point local_point(const part *p, const zn_point *at, const scratch *s) {
    const zn_sizes *n = &p->model->size;
    return (zn_point){at->t, gather(at->q, p->q, n->nq, s->q), gather(at->u, p->u, n->nu, s->u), gather(at->a, p->u, n->nu, s->a),
                      gather(at->lambda, p->rows, model_rows(p->model), s->lambda)};
}

static void clear(double *values, int count) {
    if (values) memset(values, 0, (size_t)count * sizeof *values);
}

static void add_vector(double *to, const double *from, const int *index, int count) {
    for (int i = 0; to && i < count; i++) to[index[i]] += from[i];
}

static void add_matrix(double *to, const double *from, const part *p, matrix_name name) {
    const int *place = p->place[name];
    if (!to || !place) return;
    for (int k = 0, count = lin_nnz(assembly_pattern(&p->model->pattern, name)); k < count; k++) to[place[k]] += from[k];
}

#define IF(wanted, memory) ((wanted) ? (memory) : NULL)

static int kinematics(const zn_model *model, void *work, const zn_point *at, zn_kinematics *out) {
    const assembly_model *m = (const assembly_model *)model;
    scratch s = lay_out(m, work);
    clear(out->qdot, model->size.nq), clear(out->qddot, model->size.nq), clear(out->qdot_q, m->nnz[QDOT_Q]), clear(out->B, m->nnz[B]);
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        if (!p->kinematics) continue;
        zn_point here = local_point(p, at, &s);
        zn_kinematics local = {IF(out->qdot, s.vector[0]), IF(out->qdot_q, s.matrix[0]), IF(out->B, s.matrix[1]), IF(out->qddot, s.vector[1])};
        if (p->model->kinematics(p->model, s.work, &here, &local)) return 1;
        add_vector(out->qdot, local.qdot, p->q, p->model->size.nq);
        add_vector(out->qddot, local.qddot, p->q, p->model->size.nq);
        add_matrix(out->qdot_q, local.qdot_q, p, QDOT_Q);
        add_matrix(out->B, local.B, p, B);
    }
    return 0;
}

static int balance(const zn_model *model, void *work, const zn_point *at, zn_balance *out) {
    const assembly_model *m = (const assembly_model *)model;
    scratch s = lay_out(m, work);
    clear(out->r, model->size.nu), clear(out->r_q, m->nnz[R_Q]), clear(out->r_u, m->nnz[R_U]), clear(out->M, m->nnz[M]), clear(out->W, m->nnz[W]);
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        bool forces = at->lambda || !p->silent;
        if (!forces && !out->W) continue;
        zn_point here = local_point(p, at, &s);
        zn_balance local = {out->no_force, IF(out->r && forces, s.vector[0]), IF(out->r_q && forces, s.matrix[0]), IF(out->r_u && forces, s.matrix[1]),
                            IF(out->M, s.matrix[2]), IF(out->W, s.matrix[3])};
        if (p->model->balance(p->model, s.work, &here, &local)) return 1;
        if (forces) {
            add_vector(out->r, local.r, p->u, p->model->size.nu);
            add_matrix(out->r_q, local.r_q, p, R_Q);
            add_matrix(out->r_u, local.r_u, p, R_U);
        }
        add_matrix(out->M, local.M, p, M);
        add_matrix(out->W, local.W, p, W);
    }
    return 0;
}

static int constraints(const zn_model *model, void *work, const zn_point *at, zn_constraints *out) {
    const assembly_model *m = (const assembly_model *)model;
    scratch s = lay_out(m, work);
    int n = model_rows(model);
    clear(out->c0, n), clear(out->c1, n), clear(out->c2, n);
    clear(out->c0_q, m->nnz[C0_Q]), clear(out->c1_q, m->nnz[C1_Q]), clear(out->c1_u, m->nnz[C1_U]);
    clear(out->c2_q, m->nnz[C2_Q]), clear(out->c2_u, m->nnz[C2_U]);
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        int rows = model_rows(p->model);
        if (!rows) continue;
        zn_point here = local_point(p, at, &s);
        zn_constraints local = {IF(out->c0, s.vector[0]),  IF(out->c0_q, s.matrix[0]), IF(out->c1, s.vector[1]),
                                IF(out->c1_q, s.matrix[1]), IF(out->c1_u, s.matrix[2]), IF(out->c2, s.vector[2]),
                                IF(out->c2_q, s.matrix[3]), IF(out->c2_u, s.matrix[4])};
        if (p->model->constraints(p->model, s.work, &here, &local)) return 1;
        add_vector(out->c0, local.c0, p->rows, rows);
        add_vector(out->c1, local.c1, p->rows, rows);
        add_vector(out->c2, local.c2, p->rows, rows);
        add_matrix(out->c0_q, local.c0_q, p, C0_Q);
        add_matrix(out->c1_q, local.c1_q, p, C1_Q);
        add_matrix(out->c1_u, local.c1_u, p, C1_U);
        add_matrix(out->c2_q, local.c2_q, p, C2_Q);
        add_matrix(out->c2_u, local.c2_u, p, C2_U);
    }
    return 0;
}

static int momentum(const zn_model *model, void *work, const zn_point *at, zn_momentum *out) {
    const assembly_model *m = (const assembly_model *)model;
    scratch s = lay_out(m, work);
    clear(out->p, model->size.nu), clear(out->b, model->size.nu);
    clear(out->p_q, m->nnz[P_Q]), clear(out->b_q, m->nnz[B_Q]), clear(out->b_u, m->nnz[B_U]);
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        zn_point here = local_point(p, at, &s);
        zn_momentum local = {IF(out->p, s.vector[0]), IF(out->p_q, s.matrix[0]), IF(out->b, s.vector[1]), IF(out->b_q, s.matrix[1]),
                             IF(out->b_u, s.matrix[2])};
        if (p->model->momentum(p->model, s.work, &here, &local)) return 1;
        add_vector(out->p, local.p, p->u, p->model->size.nu);
        add_vector(out->b, local.b, p->u, p->model->size.nu);
        add_matrix(out->p_q, local.p_q, p, P_Q);
        add_matrix(out->b_q, local.b_q, p, B_Q);
        add_matrix(out->b_u, local.b_u, p, B_U);
    }
    return 0;
}

static int energy(const zn_model *model, void *work, const zn_point *at, double *kinetic, double *potential) {
    const assembly_model *m = (const assembly_model *)model;
    scratch s = lay_out(m, work);
    *kinetic = *potential = 0;
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        double T = 0, V = 0;
        zn_point here = local_point(p, at, &s);
        if (p->model->energy && p->model->energy(p->model, s.work, &here, &T, &V)) return 1;
        *kinetic += T;
        *potential += V;
    }
    return 0;
}

static int outputs(const zn_model *model, void *work, const zn_point *at, double *values) {
    const assembly_model *m = (const assembly_model *)model;
    scratch s = lay_out(m, work);
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        if (!p->model->n_outputs) continue;
        zn_point here = local_point(p, at, &s);
        if (p->model->outputs(p->model, s.work, &here, values)) return 1;
        values += p->model->n_outputs;
    }
    return 0;
}

const assembly_model *assembly_of(const zn_model *model) { return model->energy == energy ? (const assembly_model *)model : NULL; }

zn_point assembly_local_point(const assembly_model *m, const part *p, void *work, const zn_point *at, void **own_work) {
    scratch s = lay_out(m, work);
    *own_work = s.work;
    return local_point(p, at, &s);
}

enum { MOST_NORMALISED = 32 }; /* coordinates of a part that wants to be looked at after a step */

static void after_step(const zn_model *model, double *q) {
    const assembly_model *m = (const assembly_model *)model;
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        double local[MOST_NORMALISED];
        if (!p->kinematics || !p->model->after_step || p->model->size.nq > MOST_NORMALISED) continue;
        gather(q, p->q, p->model->size.nq, local);
        p->model->after_step(p->model, local);
        for (int k = 0; k < p->model->size.nq; k++) q[p->q[k]] = local[k];
    }
}

void assembly_set_answers(assembly_model *m) {
    zn_model *base = &m->base;
    base->work_bytes = scratch_bytes(m);
    base->kinematics = kinematics;
    base->balance = balance;
    base->constraints = constraints;
    base->momentum = base->lagrangian ? momentum : NULL;
    base->energy = energy;
    base->outputs = base->n_outputs ? outputs : NULL;
    base->after_step = after_step;
}
