/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation of an assembly. Parts of one kind are evaluated together, EXPR_LANES at a time: the point on their coordinates goes into the
 * registers of their tapes, the sections run, and their outputs are added to the whole from there. Threads share blocks of parts that add
 * to different numbers, so each number is the same sum whichever thread computes it. */
#include "model/assembly_internal.h"

#include "base/team.h"
#include "base/wide.h"

/* Scratch memory of one caller: the local point of a part that is asked alone; registers of all lanes, for each thread. */
typedef struct scratch {
    double *q, *u, *a, *lambda;
    double *registers;
} scratch;

static scratch lay_out(const assembly_model *m, void *work) {
    double *next = work;
    size_t q = (size_t)m->most_q, u = (size_t)m->most_u, rows = (size_t)m->most_rows;
    return (scratch){next, next + q, next + q + u, next + q + 2 * u, next + q + 2 * u + rows};
}

static size_t scratch_bytes(const assembly_model *m) {
    size_t point = (size_t)m->most_q + 2 * (size_t)m->most_u + (size_t)m->most_rows;
    size_t members = m->threads > 1 ? (size_t)m->threads : 1;
    return (point + members * EXPR_LANES * (size_t)m->most_registers) * sizeof(double);
}

/* ---- asking a kind ---- */

/* Where the outputs of a section are added: a vector over coordinates, velocities, rows, the energies, or a matrix. */
typedef enum target_index { BY_Q = N_MATRICES, BY_U, BY_ROWS, BY_NUMBER } target_index;
typedef struct target {
    double *to; /* NULL: not wanted */
    int index;  /* target_index or matrix_name */
} target;

enum { MOST_SECTIONS = ASSEMBLY_MOST_SECTIONS, MOST_QUERIES = 3 };
typedef struct query {
    formula_question question;
    target sections[MOST_SECTIONS];
} query;

static const int *places(const part *p, int index) {
    static const int numbers[] = {0, 1};
    switch (index) {
    case BY_Q: return p->q;
    case BY_U: return p->u;
    case BY_ROWS: return p->rows;
    case BY_NUMBER: return numbers;
    default: return p->place[index];
    }
}

static void gather(const double *from, const int *index, int count, double *to, int lanes) {
    for (int i = 0; i < count; i++) to[i * lanes] = from ? from[index[i]] : 0;
}

ALWAYS_INLINE const int *take(const double *restrict from, const int *restrict index, int count, double *restrict to) {
    if (from)
        for (int i = 0; i < count; i++) to[i] = from[index[i]];
    else memset(to, 0, (size_t)count * sizeof *to);
    return index + count;
}

/* A block of lanes: index and numbers as assembly_internal.h says. `loads`: the tapes read a or lambda. The compiler knows how many lanes
 * there are. */
ALWAYS_INLINE void load(const int lanes, const part_kind *kind, const double *inputs, const int *index, const double *numbers,
                        const zn_point *at, bool loads, double *v) {
    const formula_tapes *n = kind->tapes;
    for (int k = 0; k < lanes; k++) v[k] = at->t;
    const int *u = take(at->q, index, kind->nq * lanes, v + n->q * lanes);
    const int *rows = take(at->u, u, kind->nu * lanes, v + n->u * lanes);
    for (int i = 0; i < n->n_used; i++, numbers += lanes)
        for (int k = 0; k < lanes; k++) v[(n->parameter + n->used[i]) * lanes + k] = numbers[k];
    if (lanes == 1 && n->n_inputs > 0) memcpy(v + n->input + n->first_input, inputs + n->first_input, (size_t)n->n_inputs * sizeof *v);
    for (int i = n->first_input; lanes > 1 && i < n->first_input + n->n_inputs; i++)
        for (int k = 0; k < lanes; k++) v[(n->input + i) * lanes + k] = inputs[i];
    if (!loads) return;
    take(at->a, u, kind->nu * lanes, v + n->a * lanes);
    take(at->lambda, rows, kind->rows * lanes, v + n->lambda * lanes);
}

/* Sections up to the last one that is wanted and has outputs. */
static int count_sections(const query *q, const part_kind *kind) {
    unsigned answers = kind->answers[q->question];
    int n = answers ? MOST_SECTIONS : 0;
    while (n > 0 && !(q->sections[n - 1].to && answers >> (n - 1) & 1)) n--;
    return n;
}

ALWAYS_INLINE void add_outputs(const int lanes, int count, const int32_t *restrict outputs, const double *restrict registers,
                               const int *restrict place, double *restrict to) {
    for (int i = 0; i < count; i++) to[place[i]] += registers[(ptrdiff_t)outputs[i] * lanes];
}

/* Runs the first n sections of a tape; p: the parts of the first `used` lanes. */
ALWAYS_INLINE void run(const int lanes, const query *q, int n, const part_kind *kind, const part *const *p, int used, double *registers) {
    const expr_tape *tape = kind->tapes->of[q->question];
    unsigned answers = kind->answers[q->question], works = kind->works[q->question];
    int count;
    if (n > 0) expr_tape_begin(tape, registers, lanes);
    for (int s = 0; s < n; s++) {
        double *to = q->sections[s].to;
        if (works >> s & 1) expr_tape_section(tape, registers, lanes, s);
        if (!to || !(answers >> s & 1)) continue;
        const int32_t *outputs = expr_tape_outputs(tape, s, &count);
        for (int k = 0; k < used; k++) {
            const int *place = places(p[k], q->sections[s].index);
            if (place) add_outputs(lanes, count, outputs, registers + k, place, to);
        }
    }
}

/* What a kind is asked. */
typedef struct asking {
    const assembly_model *m;
    const part_kind *kind;
    const zn_point *at;
    bool loads;
    int n_queries, sections[MOST_QUERIES];
    const query *queries;
    double *registers; /* of the first member, then of the others */
} asking;

ALWAYS_INLINE void ask_lanes(const int lanes, const asking *a, const part *const *p, int used, const int *index, const double *numbers,
                             double *registers) {
    const double *inputs = a->kind->tapes->n_inputs > 0 ? p[0]->model->inputs : NULL; /* reading a model costs as much as some formulas */
    load(lanes, a->kind, inputs, index, numbers, a->at, a->loads, registers);
    for (int i = 0; i < a->n_queries; i++) run(lanes, &a->queries[i], a->sections[i], a->kind, p, used, registers);
}

static void ask_block(const asking *a, int block, double *registers) {
    const part_kind *kind = a->kind;
    int first = block * EXPR_LANES, left = kind->count - first, used = left < EXPR_LANES ? left : EXPR_LANES, lanes = assembly_lanes(left);
    const int *index = a->m->lane_index.at + kind->index + first * (kind->nq + kind->nu + kind->rows);
    const double *numbers = a->m->lane_numbers + kind->numbers + first * kind->tapes->n_used;
    const int *number = a->m->by_kind.at + kind->first + first;
    const part *p[EXPR_LANES] = {&a->m->parts[number[0]]};
    for (int k = 1; k < used; k++) p[k] = &a->m->parts[number[k]];
    if (lanes == 1) ask_lanes(1, a, p, 1, index, numbers, registers);
    else if (lanes == EXPR_FEW_LANES) ask_lanes(EXPR_FEW_LANES, a, p, used, index, numbers, registers);
    else ask_lanes(EXPR_LANES, a, p, used, index, numbers, registers);
}

/* Blocks of a task: some microseconds of work; for kinds with fewer than SHARED blocks waking threads does not pay. */
enum { TASK = 8, SHARED = 4 * TASK };

static int count_blocks(const part_kind *kind) { return (kind->count + EXPR_LANES - 1) / EXPR_LANES; }

static void ask_task(void *user, int task, int member) {
    const asking *a = user;
    int end = (task + 1) * TASK, blocks = count_blocks(a->kind);
    double *registers = a->registers + (size_t)member * EXPR_LANES * (size_t)a->m->most_registers;
    for (int block = task * TASK; block < end && block < blocks; block++) ask_block(a, block, registers);
}

/* Whether no two parts of a kind add to the same number: rows of lambda belong to one part, and so do entries of a kind marked `alone`. */
static bool is_apart(const asking *a) {
    for (int i = 0; i < a->n_queries; i++)
        for (int s = 0; s < a->sections[i]; s++) {
            int index = a->queries[i].sections[s].index;
            bool own = index == BY_ROWS || index == W || (index >= C0_Q && index <= C2_U);
            if (a->queries[i].sections[s].to && !own && (index == BY_NUMBER || !a->kind->alone)) return false;
        }
    return true;
}

static void ask(const assembly_model *m, const part_kind *kind, void *work, const zn_point *at, bool loads, int n_queries,
                const query *queries) {
    asking a = {.m = m, .kind = kind, .at = at, .loads = loads, .n_queries = n_queries, .queries = queries};
    int any = 0, blocks = count_blocks(kind);
    for (int i = 0; i < n_queries; i++) any += a.sections[i] = count_sections(&queries[i], kind);
    if (!any) return; /* the kind contributes nothing */
    a.registers = lay_out(m, work).registers;
    if (m->threads > 1 && blocks >= SHARED && is_apart(&a))
        base_team_spread(base_team_of(m->context, m->threads), m->threads, (blocks + TASK - 1) / TASK, ask_task, &a);
    else
        for (int block = 0; block < blocks; block++) ask_block(&a, block, a.registers);
}

static void clear(double *values, int count) {
    if (values) memset(values, 0, (size_t)count * sizeof *values);
}

/* ---- the questions ---- */

static void add_velocities(const assembly_model *m, const part_kind *kind, const double *u, double *qdot) {
    for (int i = 0; i < kind->count; i++) {
        const part *p = &m->parts[m->by_kind.at[kind->first + i]];
        for (int k = 0; k < p->model->size.nq; k++) qdot[p->q[k]] += u[p->u[k]];
    }
}

static int kinematics(const zn_model *model, void *work, const zn_point *at, zn_kinematics *out) {
    const assembly_model *m = (const assembly_model *)model;
    clear(out->qdot, model->size.nq), clear(out->qddot, model->size.nq), clear(out->qdot_q, m->nnz[QDOT_Q]), clear(out->B, m->nnz[B]);
    const query queries[] = {{FORMULA_KINEMATICS, {{out->qdot, BY_Q}, {out->B, B}, {out->qdot_q, QDOT_Q}}},
                             {FORMULA_QDDOT, {{out->qddot, BY_Q}}}};
    bool more = out->B || out->qdot_q || out->qddot;
    for (int i = 0; i < m->n_kinds; i++) {
        const part_kind *kind = &m->kinds[i];
        if (!kind->kinematics) continue;
        if (more || !kind->natural) ask(m, kind, work, at, out->qddot, 2, queries);
        else if (out->qdot) add_velocities(m, kind, at->u, out->qdot);
    }
    return 0;
}

static int balance(const zn_model *model, void *work, const zn_point *at, zn_balance *out) {
    const assembly_model *m = (const assembly_model *)model;
    clear(out->r, model->size.nu), clear(out->r_q, m->nnz[R_Q]), clear(out->r_u, m->nnz[R_U]), clear(out->M, m->nnz[M]),
        clear(out->W, m->nnz[W]);
    const query forces = {out->no_force ? FORMULA_IMPACT : FORMULA_BALANCE,
                          {{out->r, BY_U}, {out->M, M}, {out->W, W}, {out->r_q, R_Q}, {out->r_u, R_U}}};
    const query free = {FORMULA_FREE, {{out->r, BY_U}, {out->M, M}, {out->W, W}}};
    const query inertia = {FORMULA_INERTIA, {{out->M, M}, {out->W, W}}};
    bool is_free = formula_is_free(at, out);
    for (int i = 0; i < m->n_kinds; i++) {
        const part_kind *kind = &m->kinds[i];
        bool loaded = (out->r || out->r_q || out->r_u) && (at->lambda || !kind->silent);
        if (loaded || !kind->silent || out->W)
            ask(m, kind, work, at, loaded && !is_free, 1, !loaded ? &inertia : is_free ? &free : &forces);
    }
    return 0;
}

static int constraints(const zn_model *model, void *work, const zn_point *at, zn_constraints *out) {
    const assembly_model *m = (const assembly_model *)model;
    int n = model_rows(model);
    clear(out->c0, n), clear(out->c1, n), clear(out->c2, n);
    clear(out->c0_q, m->nnz[C0_Q]), clear(out->c1_q, m->nnz[C1_Q]), clear(out->c1_u, m->nnz[C1_U]);
    clear(out->c2_q, m->nnz[C2_Q]), clear(out->c2_u, m->nnz[C2_U]);
    const query position = {FORMULA_POSITION, {{out->c0, BY_ROWS}, {out->c0_q, C0_Q}}},
                velocity = {FORMULA_VELOCITY, {{out->c1, BY_ROWS}, {out->c1_u, C1_U}, {out->c1_q, C1_Q}}},
                rows = {FORMULA_ROWS, {{out->c0, BY_ROWS}, {out->c1, BY_ROWS}, {out->c1_u, C1_U}, {out->c0_q, C0_Q}, {out->c1_q, C1_Q}}},
                acceleration = {FORMULA_ACCELERATION, {{out->c2, BY_ROWS}, {out->c2_q, C2_Q}, {out->c2_u, C2_U}}};
    const query apart[] = {position, velocity, acceleration}, together[] = {rows, acceleration};
    bool both = formula_wants_both(out);
    for (int i = 0; i < m->n_kinds; i++)
        if (m->kinds[i].rows) ask(m, &m->kinds[i], work, at, out->c2 || out->c2_q || out->c2_u, both ? 2 : 3, both ? together : apart);
    return 0;
}

static int momentum(const zn_model *model, void *work, const zn_point *at, zn_momentum *out) {
    const assembly_model *m = (const assembly_model *)model;
    clear(out->p, model->size.nu), clear(out->b, model->size.nu);
    clear(out->p_q, m->nnz[P_Q]), clear(out->b_q, m->nnz[B_Q]), clear(out->b_u, m->nnz[B_U]);
    const query question = {FORMULA_MOMENTUM, {{out->p, BY_U}, {out->b, BY_U}, {out->p_q, P_Q}, {out->b_q, B_Q}, {out->b_u, B_U}}};
    for (int i = 0; i < m->n_kinds; i++) ask(m, &m->kinds[i], work, at, false, 1, &question);
    return 0;
}

static int energy(const zn_model *model, void *work, const zn_point *at, double *kinetic, double *potential) {
    const assembly_model *m = (const assembly_model *)model;
    double energies[2] = {0};
    const query question = {FORMULA_ENERGY, {{energies, BY_NUMBER}}};
    for (int i = 0; i < m->n_kinds; i++) ask(m, &m->kinds[i], work, at, false, 1, &question);
    *kinetic = energies[0];
    *potential = energies[1];
    return 0;
}

static int outputs(const zn_model *model, void *work, const zn_point *at, double *values) {
    const assembly_model *m = (const assembly_model *)model;
    void *own_work;
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        if (!p->model->n_outputs) continue;
        zn_point here = assembly_local_point(m, p, work, at, &own_work);
        if (p->model->outputs(p->model, own_work, &here, values)) return 1;
        values += p->model->n_outputs;
    }
    return 0;
}

static int probes(const zn_model *model, void *work, const zn_point *at, double *values) {
    const assembly_model *m = (const assembly_model *)model;
    void *own_work;
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        if (!p->model->n_probes) continue;
        zn_point here = assembly_local_point(m, p, work, at, &own_work);
        if (p->model->probes(p->model, own_work, &here, values)) return 1;
        values += p->model->n_probes;
    }
    return 0;
}

const assembly_model *assembly_of(const zn_model *model) { return model->energy == energy ? (const assembly_model *)model : NULL; }

zn_point assembly_local_point(const assembly_model *m, const part *p, void *work, const zn_point *at, void **own_work) {
    scratch s = lay_out(m, work);
    const zn_sizes *n = &p->model->size;
    gather(at->q, p->q, n->nq, s.q, 1);
    gather(at->u, p->u, n->nu, s.u, 1);
    gather(at->a, p->u, n->nu, s.a, 1);
    gather(at->lambda, p->rows, model_rows(p->model), s.lambda, 1);
    *own_work = s.registers;
    return (zn_point){at->t, s.q, s.u, s.a, s.lambda};
}

enum { MOST_NORMALISED = 128 }; /* coordinates of a part that has a function after_step */

static void after_step(const zn_model *model, double t, double *q) {
    const assembly_model *m = (const assembly_model *)model;
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        double local[MOST_NORMALISED];
        if (!p->model->after_step || p->model->size.nq > MOST_NORMALISED) continue;
        gather(q, p->q, p->model->size.nq, local, 1);
        p->model->after_step(p->model, t, local);
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
    base->probes = base->n_probes ? probes : NULL;
    base->bind = assembly_bind;
}
