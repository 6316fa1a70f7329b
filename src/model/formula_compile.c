/* SPDX-License-Identifier: Apache-2.0 */
/* From expressions to a model: every answer and every derivative becomes an output of a tape.
 *
 *   kinematics   q' ; dq'/dq, B              q'' = B a + (dq'/dq) q' + dq'/dt
 *   balance      r = M a - h - W lambda ; M, W ; dr/dq, dr/du     (and the same without h)
 *   constraints  c0 ; dc0/dq     c1 ; dc1/du ; dc1/dq     c2 = (dc1/du) a + (dc1/dq) q' + dc1/dt ; dc2/dq, dc2/du
 *   momentum     p ; dp/dq ; b ; db/dq, db/du                                                                              */
#include "model/formula_model.h"
#include "model/machine.h"

/* Expressions of a matrix in the order of its pattern. */
typedef struct matrix {
    expr *values;
    int count;
} matrix;

typedef struct compiler {
    zn_context *context;
    formula_system *s;
    formula_model *model;
    expr_list switches;
    expr *qdot, *r, *r_no_force, *r_free, *qddot, *c0, *c1, *c2, *load; /* load: W lambda + smooth friction; r_free: at a = 0, lambda = 0 */
    matrix qdot_q, B, r_q, r_u, r_q_no_force, r_u_no_force, M, W, c0_q, c1_q, c1_u, c2_q, c2_u, p_q, b_q, b_u;
} compiler;

static expr add(compiler *c, expr a, expr b) { return expr_binary(c->s->graph, EXPR_ADD, a, b); }
static expr sub(compiler *c, expr a, expr b) { return expr_binary(c->s->graph, EXPR_SUB, a, b); }
static expr mul(compiler *c, expr a, expr b) { return expr_binary(c->s->graph, EXPR_MUL, a, b); }
static expr var(compiler *c, int index) { return expr_variable(c->s->graph, index); }
static expr diff(compiler *c, expr e, int index) { return expr_derivative(c->s->graph, e, index); }

/* (de/dq) q' + (de/du) a + de/dt, the total derivative in time. */
static expr total_derivative(compiler *c, expr e) {
    formula_system *s = c->s;
    if (s->moves) return diff(c, e, EXPR_MOTION);
    expr sum = diff(c, e, 0);
    for (int k = 0, n = formula_variables(s, e, s->q, s->size.nq); k < n; k++)
        sum = add(c, sum, mul(c, diff(c, e, s->q + s->list[k]), s->qdot[s->list[k]]));
    for (int k = 0, n = formula_variables(s, e, s->u, s->size.nu); k < n; k++)
        sum = add(c, sum, mul(c, diff(c, e, s->u + s->list[k]), var(c, s->a + s->list[k])));
    return sum;
}

static expr *array(compiler *c, int count) { return MEM_ARRAY(c->context, expr, count); }

/* -h - f(lambda = 0); f is mostly zero. */
static bool make_free(compiler *c) {
    formula_system *s = c->s;
    expr zero = expr_constant(s->graph, 0), *zeros = array(c, s->n);
    for (int i = 0; zeros && i < s->n; i++) zeros[i] = zero;
    for (int i = 0; zeros && i < s->size.nu; i++) {
        expr force = expr_is_zero(s->graph, s->force[i]) ? zero : expr_substitute(s->graph, s->force[i], s->lambda, s->n, zeros);
        c->r_free[i] = sub(c, sub(c, zero, force), s->h[i]);
    }
    mem_free(c->context, zeros);
    return zeros;
}

static bool make_vectors(compiler *c) {
    formula_system *s = c->s;
    int nq = s->size.nq, nu = s->size.nu;
    c->r = array(c, nu), c->r_no_force = array(c, nu), c->r_free = array(c, nu), c->load = array(c, nu), c->qddot = array(c, nq),
    c->qdot = array(c, nq);
    c->c0 = array(c, s->n), c->c1 = array(c, s->n), c->c2 = array(c, s->n);
    if (!c->r || !c->r_no_force || !c->r_free || !c->load || !c->qddot || !c->qdot || !c->c0 || !c->c1 || !c->c2) return false;
    for (int i = 0; i < nq; i++) {
        bool own = i < s->answered;
        c->qdot[i] = own ? s->qdot[i] : expr_constant(s->graph, 0);
        c->qddot[i] = own ? total_derivative(c, s->qdot[i]) : c->qdot[i];
    }
    for (int j = 0; j < s->n; j++) {
        c->c0[j] = s->rows[j].c0 == EXPR_NONE ? expr_constant(s->graph, 0) : s->rows[j].c0;
        c->c1[j] = s->rows[j].c1;
        c->c2[j] = total_derivative(c, c->c1[j]);
    }
    memcpy(c->load, s->force, (size_t)nu * sizeof *c->load);
    for (int j = 0; j < s->n; j++)
        for (int k = 0, n = formula_variables(s, c->c1[j], s->u, nu); k < n; k++) {
            expr *load = &c->load[s->list[k]];
            *load = add(c, *load, mul(c, diff(c, c->c1[j], s->u + s->list[k]), var(c, s->lambda + j)));
        }
    for (int i = 0; i < nu; i++) {
        expr inertia = expr_constant(s->graph, 0);
        for (int j = 0; j < nu; j++)
            if (!expr_is_zero(s->graph, s->M[j + i * nu])) /* symmetric, with columns together in memory */
                inertia = add(c, inertia, mul(c, s->M[i + j * nu], var(c, s->a + j)));
        c->r_no_force[i] = sub(c, inertia, c->load[i]);
        c->r[i] = sub(c, c->r_no_force[i], s->h[i]);
    }
    return make_free(c);
}

/* Entries of a matrix as they are found, row by row. */
typedef struct entries {
    struct entry {
        int row, col;
        expr value, also;
    } * list;
    size_t count, room;
} entries;

/* Where rows[i] or also[i] (may be NULL) depends on variable first + j there is an entry: (i, j), or (j, i) if transposed. */
typedef struct jacobian {
    int n_rows;
    const expr *rows, *also;
    int first, n_cols;
    bool transposed;
    lin_pattern *pattern;
    matrix *out, *out_also;
} jacobian;

/* By variable first + j. */
static expr entry_of(compiler *c, const jacobian *of, expr row, int j) {
    const formula_system *s = c->s;
    if (of->first != s->q || of->rows == c->qdot || !s->chain || s->chain[j].n == 0) return diff(c, row, of->first + j);
    expr sum = expr_constant(s->graph, 0);
    for (int i = 0; i < s->chain[j].n; i++) sum = add(c, sum, mul(c, s->chain[j].factor[i], diff(c, row, s->chain[j].variable[i])));
    return sum;
}

static zn_status find_entries(compiler *c, const jacobian *of, entries *found) {
    formula_system *s = c->s;
    int first = of->first;
    for (int r = 0; r < of->n_rows; r++) {
        expr both[2] = {of->rows[r], of->also ? of->also[r] : of->rows[r]};
        int n = expr_variables(s->graph, 2, both, first, of->n_cols, s->list);
        if (n < 0) return ZN_ERROR_MEMORY;
        for (int k = 0; k < n; k++) {
            struct entry e = {r, s->list[k], entry_of(c, of, both[0], s->list[k]), entry_of(c, of, both[1], s->list[k])};
            if (e.value == EXPR_NONE || e.also == EXPR_NONE) return ZN_ERROR_MEMORY;
            if (expr_is_zero(s->graph, e.value) && expr_is_zero(s->graph, e.also)) continue;
            if (!mem_grow(c->context, (void **)&found->list, &found->room, found->count + 1, sizeof e)) return ZN_ERROR_MEMORY;
            found->list[found->count++] = e;
        }
    }
    return ZN_OK;
}

static zn_status make_jacobian(compiler *c, const jacobian *of) {
    matrix *out = of->out, *out_also = of->out_also;
    entries found = {0};
    zn_status status = find_entries(c, of, &found);
    int count = (int)found.count, *row = MEM_ARRAY(c->context, int, count), *col = MEM_ARRAY(c->context, int, count),
        *place = MEM_ARRAY(c->context, int, count);
    *out = (matrix){MEM_ARRAY(c->context, expr, count), count};
    if (out_also) *out_also = (matrix){MEM_ARRAY(c->context, expr, count), count};
    if (!row || !col || !place || !out->values || (out_also && !out_also->values)) status = ZN_ERROR_MEMORY;
    for (int i = 0; status == ZN_OK && i < count; i++) {
        const struct entry *e = &found.list[i];
        row[i] = of->transposed ? e->col : e->row, col[i] = of->transposed ? e->row : e->col;
    }
    int inner = of->transposed ? of->n_cols : of->n_rows, outer = of->transposed ? of->n_rows : of->n_cols;
    if (status == ZN_OK) status = lin_pattern_create(c->context, inner, outer, count, row, col, of->pattern, place);
    for (int i = 0; status == ZN_OK && i < count; i++) {
        out->values[place[i]] = found.list[i].value;
        if (out_also) out_also->values[place[i]] = found.list[i].also;
    }
    void *blocks[] = {found.list, row, col, place};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(c->context, blocks[i]);
    return status;
}

static zn_status make_matrices(compiler *c) {
    formula_system *s = c->s;
    formula_tapes *m = c->model->tapes;
    int nq = s->size.nq, nu = s->size.nu, n = s->n;
    const jacobian list[] = {
        {nq, c->qdot, NULL, s->q, nq, false, &m->qdot_q, &c->qdot_q, NULL},
        {nq, c->qdot, NULL, s->u, nu, false, &m->B, &c->B, NULL},
        {nu, c->r, c->r_no_force, s->q, nq, false, &m->r_q, &c->r_q, &c->r_q_no_force},
        {nu, c->r, c->r_no_force, s->u, nu, false, &m->r_u, &c->r_u, &c->r_u_no_force},
        {nu, c->r, NULL, s->a, nu, false, &m->M, &c->M, NULL},
        {nu, c->load, NULL, s->lambda, n, false, &m->W, &c->W, NULL},
        {n, c->c0, NULL, s->q, nq, false, &m->c0_q, &c->c0_q, NULL},
        {n, c->c1, NULL, s->q, nq, false, &m->c1_q, &c->c1_q, NULL},
        {n, c->c1, NULL, s->u, nu, true, &m->c1_u, &c->c1_u, NULL},
        {n, c->c2, NULL, s->q, nq, false, &m->c2_q, &c->c2_q, NULL},
        {n, c->c2, NULL, s->u, nu, false, &m->c2_u, &c->c2_u, NULL},
        {nu, s->p, NULL, s->q, nq, false, &m->p_q, &c->p_q, NULL},
        {nu, s->b, NULL, s->q, nq, false, &m->b_q, &c->b_q, NULL},
        {nu, s->b, NULL, s->u, nu, false, &m->b_u, &c->b_u, NULL},
    };
    zn_status status = ZN_OK;
    for (size_t i = 0; status == ZN_OK && i < sizeof list / sizeof *list; i++) status = make_jacobian(c, &list[i]);
    return status;
}

/* Which inputs a model reads: those from the first to the last that a tape needs. */
static void note_inputs(compiler *c, int count, const expr *outputs) {
    formula_system *s = c->s;
    formula_tapes *m = c->model->tapes;
    int n = s->count > s->input ? expr_variables(s->graph, count, outputs, s->input, s->count - s->input, s->list) : 0;
    if (n < 0) s->out_of_memory = true;
    if (n <= 0) return;
    int end = m->first_input + m->n_inputs, first = s->list[0], last = s->list[n - 1];
    if (m->n_inputs == 0 || first < m->first_input) m->first_input = first;
    m->n_inputs = (last + 1 > end ? last + 1 : end) - m->first_input;
}

/* Which parameters it reads: kinds have many more (those of all contacts) than most of them need. */
static bool note_parameters(compiler *c, int count, const expr *outputs) {
    formula_system *s = c->s;
    formula_tapes *m = c->model->tapes;
    int all = s->input - s->parameter;
    if (all > 0 && !m->used && !(m->used = MEM_ARRAY(c->context, int, all))) return false;
    int n = all > 0 ? expr_variables(s->graph, count, outputs, s->parameter, all, s->list) : 0;
    for (int i = 0, k = 0; i < n; i++) {
        while (k < m->n_used && m->used[k] < s->list[i]) k++;
        if (k < m->n_used && m->used[k] == s->list[i]) continue;
        memmove(m->used + k + 1, m->used + k, (size_t)(m->n_used++ - k) * sizeof *m->used);
        m->used[k] = s->list[i];
    }
    return n >= 0;
}

static bool make_tape(compiler *c, formula_question question, int n_sections, const expr_section *sections) {
    expr_tape *tape = expr_compile(c->s->graph, c->context, c->s->count, n_sections, sections);
    c->model->tapes->of[question] = tape;
    if (!tape) return false;
    for (int i = 0; i < n_sections; i++) {
        note_inputs(c, sections[i].count, sections[i].outputs);
        if (!note_parameters(c, sections[i].count, sections[i].outputs)) return false;
    }
    int registers = expr_tape_registers(tape);
    if (registers > c->model->tapes->registers) c->model->tapes->registers = registers;
    return true;
}

#define VECTOR(count, values) \
    { count, values }
#define MATRIX(m) \
    { (m).count, (m).values }
#define TAPE(question, ...) \
    make_tape(c, question, (int)(sizeof((expr_section[]){__VA_ARGS__}) / sizeof(expr_section)), (expr_section[]){__VA_ARGS__})

static bool make_tapes(compiler *c) {
    formula_system *s = c->s;
    int nq = s->size.nq, nu = s->size.nu, n = s->n;
    expr energies[3] = {s->T, s->V, s->power};
    return TAPE(FORMULA_KINEMATICS, VECTOR(nq, c->qdot), MATRIX(c->B), MATRIX(c->qdot_q)) && TAPE(FORMULA_QDDOT, VECTOR(nq, c->qddot)) &&
           TAPE(FORMULA_BALANCE, VECTOR(nu, c->r), MATRIX(c->M), MATRIX(c->W), MATRIX(c->r_q), MATRIX(c->r_u)) &&
           TAPE(FORMULA_IMPACT, VECTOR(nu, c->r_no_force), MATRIX(c->M), MATRIX(c->W), MATRIX(c->r_q_no_force), MATRIX(c->r_u_no_force)) &&
           TAPE(FORMULA_FREE, VECTOR(nu, c->r_free), MATRIX(c->M), MATRIX(c->W)) && TAPE(FORMULA_INERTIA, MATRIX(c->M), MATRIX(c->W)) &&
           TAPE(FORMULA_POSITION, VECTOR(n, c->c0), MATRIX(c->c0_q)) &&
           TAPE(FORMULA_VELOCITY, VECTOR(n, c->c1), MATRIX(c->c1_u), MATRIX(c->c1_q)) &&
           TAPE(FORMULA_ROWS, VECTOR(n, c->c0), VECTOR(n, c->c1), MATRIX(c->c1_u), MATRIX(c->c0_q), MATRIX(c->c1_q)) &&
           TAPE(FORMULA_ACCELERATION, VECTOR(n, c->c2), MATRIX(c->c2_q), MATRIX(c->c2_u)) &&
           TAPE(FORMULA_MOMENTUM, VECTOR(nu, s->p), VECTOR(nu, s->b), MATRIX(c->p_q), MATRIX(c->b_q), MATRIX(c->b_u)) &&
           TAPE(FORMULA_ENERGY, VECTOR(2, energies), VECTOR(1, energies + 2)) && TAPE(FORMULA_OUTPUTS, VECTOR(s->n_outputs, s->outputs)) &&
           TAPE(FORMULA_PROBES, VECTOR(s->n_probes, s->probes)) && TAPE(FORMULA_SWITCHES, VECTOR((int)c->switches.count, c->switches.at));
}

/* Where given functions of time jump or bend. */
static bool find_switches(compiler *c) {
    formula_system *s = c->s;
    const struct {
        int n;
        const expr *at;
    } roots[] = {{s->answered, c->qdot}, {s->size.nu, c->r}, {s->n, c->c0}, {s->n, c->c1}};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (!expr_switches(s->graph, roots[i].n, roots[i].at, 0, s->q, s->parameter - s->q, &c->switches)) return false;
    c->model->tapes->n_switches = (int)c->switches.count;
    return true;
}

static void free_compiler(compiler *c) {
    expr *blocks[] = {c->qdot,
                      c->r,
                      c->r_no_force,
                      c->r_free,
                      c->load,
                      c->qddot,
                      c->c0,
                      c->c1,
                      c->c2,
                      c->qdot_q.values,
                      c->B.values,
                      c->r_q.values,
                      c->r_u.values,
                      c->r_q_no_force.values,
                      c->r_u_no_force.values,
                      c->M.values,
                      c->W.values,
                      c->c0_q.values,
                      c->c1_q.values,
                      c->c1_u.values,
                      c->c2_q.values,
                      c->c2_u.values,
                      c->p_q.values,
                      c->b_q.values,
                      c->b_u.values,
                      c->switches.at};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(c->context, blocks[i]);
}

static bool force_uses_velocity(formula_system *s) {
    for (int i = 0; i < s->size.nu; i++)
        if (expr_depends_range(s->graph, s->h[i], s->u, s->size.nu)) return true;
    return false;
}

/* W is dc1/du transposed: the same expressions at the same places. */
static bool forces_follow_rows(const compiler *c) {
    const zn_pattern *W = &c->model->tapes->W.p, *c1_u = &c->model->tapes->c1_u.p;
    if (c->W.count != c->c1_u.count) return false;
    for (int j = 0; j <= W->cols; j++)
        if (W->start[j] != c1_u->start[j]) return false;
    for (int k = 0; k < c->W.count; k++)
        if (W->index[k] != c1_u->index[k] || c->W.values[k] != c->c1_u.values[k]) return false;
    return true;
}

/* c1 at u = 0 is zero, whatever t, q and the parameters are: *rest. */
static bool find_rest(zn_context *context, formula_system *s, bool *rest) {
    expr *zeros = MEM_ARRAY(context, expr, s->size.nu), zero = expr_constant(s->graph, 0);
    bool good = zeros && zero != EXPR_NONE;
    for (int i = 0; good && i < s->size.nu; i++) zeros[i] = zero;
    *rest = true;
    for (int i = 0; good && i < s->n && *rest; i++) {
        expr chi = expr_substitute(s->graph, s->rows[i].c1, s->u, s->size.nu, zeros);
        good = chi != EXPR_NONE;
        *rest = expr_is_zero(s->graph, chi);
    }
    mem_free(context, zeros);
    return good;
}

/* How a rate depends on states: the more general of the earlier result and this one. GENERAL also when out of memory. */
static zn_rates judge_rate(formula_system *s, expr rate, zn_rates before) {
    if (before > ZN_RATES_CONSTANT && expr_depends_range(s->graph, rate, 0, 1)) before = ZN_RATES_CONSTANT;
    for (int k = s->q; k < s->a && before != ZN_RATES_GENERAL; k++) {
        bool of_state = k < s->u && s->state[k - s->q];
        if (!expr_depends_range(s->graph, rate, k, 1)) continue;
        expr by = expr_derivative(s->graph, rate, k);
        if (by == EXPR_NONE) return ZN_RATES_GENERAL;
        if (before > ZN_RATES_AFFINE && expr_depends_range(s->graph, by, 0, s->count)) before = ZN_RATES_AFFINE;
        for (int j = 0; of_state && j < s->size.nq; j++)
            if (s->state[j] && expr_depends_range(s->graph, by, s->q + j, 1)) before = ZN_RATES_GENERAL;
    }
    return before;
}

/* Which coordinates are states whose rates are answered. */
static bool find_states(zn_context *context, formula_system *s, formula_tapes *tapes) {
    bool any = false;
    for (int i = 0; i < s->answered; i++) any = any || s->state[i];
    if (!any) return true;
    if (!(tapes->states = MEM_ARRAY(context, bool, s->size.nq))) return false;
    tapes->rates = ZN_RATES_STEADY;
    for (int i = 0; i < s->answered; i++) {
        tapes->states[i] = s->state[i];
        if (s->state[i]) tapes->rates = judge_rate(s, s->qdot[i], tapes->rates);
    }
    return true;
}

static zn_status compile(zn_context *context, formula_system *s, formula_model **out) {
    formula_model *model = formula_model_create(context);
    if (!model) return ZN_ERROR_MEMORY;
    compiler c = {.context = context, .s = s, .model = model};
    zn_status status = make_vectors(&c) ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = make_matrices(&c);
    if (s->out_of_memory) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK && (!find_switches(&c) || !make_tapes(&c) || s->out_of_memory)) status = ZN_ERROR_MEMORY;
    bool rest = false;
    if (status == ZN_OK && !find_rest(context, s, &rest)) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK && !find_states(context, s, model->tapes)) status = ZN_ERROR_MEMORY;
    bool uses_velocity = force_uses_velocity(s), along = status == ZN_OK && forces_follow_rows(&c);
    free_compiler(&c);
    if (status != ZN_OK) {
        model_free(context, &model->base);
        return status;
    }
    formula_model_adopt(model, s);
    model->base.force_uses_velocity = uses_velocity;
    model->base.rows_rest = rest;
    model->base.forces_along_rows = along;
    *out = model;
    return ZN_OK;
}

zn_status formula_model_compile(zn_context *context, formula_system *s, machine_plan *machine, zn_model **out) {
    formula_model *model;
    zn_status status = compile(context, s, &model);
    if (status != ZN_OK) return status;
    if (machine) formula_model_set_machine(model, machine);
    status = formula_model_check(context, model);
    if (status != ZN_OK) model_free(context, &model->base);
    else *out = &model->base;
    return status;
}

zn_status formula_kind_compile(zn_context *context, formula_system *s, zn_model **kind) {
    formula_model *model;
    zn_status status = compile(context, s, &model);
    if (status != ZN_OK) return status;
    model->parameters = MEM_ARRAY(context, double, model->tapes->n_parameters);
    if (!model->parameters) {
        model_free(context, &model->base);
        return ZN_ERROR_MEMORY;
    }
    *kind = &model->base;
    return ZN_OK;
}
