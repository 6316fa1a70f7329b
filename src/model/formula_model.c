/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled formula models: the questions are answered by running tapes on (t, q, u, a, lambda). */
#include "model/formula_model.h"
#include "model/machine.h"

#include "linalg/dense.h"

/* work: the registers of the current tape, which begin with the variables. `loads`: the tape reads a or lambda. */
static double *set_point(const formula_model *m, void *work, const zn_point *at, bool loads) {
    double *v = work;
    const zn_sizes *n = &m->base.size;
    const formula_tapes *p = m->tapes;
    size_t nu = (size_t)n->nu, rows = (size_t)(p->parameter - p->lambda);
    v[0] = at->t;
    memcpy(v + p->q, at->q, (size_t)n->nq * sizeof *v);
    if (at->u) memcpy(v + p->u, at->u, nu * sizeof *v);
    else memset(v + p->u, 0, nu * sizeof *v);
    if (p->n_parameters) memcpy(v + p->parameter, m->parameters, (size_t)p->n_parameters * sizeof *v);
    if (p->n_inputs) memcpy(v + p->input + p->first_input, m->base.inputs + p->first_input, (size_t)p->n_inputs * sizeof *v);
    if (!loads) return v;
    if (at->a) memcpy(v + p->a, at->a, nu * sizeof *v);
    else memset(v + p->a, 0, nu * sizeof *v);
    if (at->lambda) memcpy(v + p->lambda, at->lambda, rows * sizeof *v);
    else memset(v + p->lambda, 0, rows * sizeof *v);
    return v;
}

/* Runs a tape up to the last section that is wanted. */
static void run(const expr_tape *tape, double *v, int n_sections, double *const *results) {
    while (n_sections > 0 && !results[n_sections - 1]) n_sections--;
    if (n_sections) expr_tape_run(tape, v, v, n_sections, results);
}

static int kinematics(const zn_model *model, void *work, const zn_point *at, zn_kinematics *out) {
    const formula_model *m = (const formula_model *)model;
    if (model->natural && !out->B && !out->qdot_q && !out->qddot) { /* q' = u */
        if (out->qdot) memcpy(out->qdot, at->u, (size_t)model->size.nq * sizeof *out->qdot);
        return 0;
    }
    double *v = set_point(m, work, at, out->qddot);
    run(m->tapes->of[FORMULA_KINEMATICS], v, 3, (double *[]){out->qdot, out->B, out->qdot_q});
    run(m->tapes->of[FORMULA_QDDOT], v, 1, (double *[]){out->qddot});
    return 0;
}

static int balance(const zn_model *model, void *work, const zn_point *at, zn_balance *out) {
    const formula_model *m = (const formula_model *)model;
    bool derivatives = out->r_q || out->r_u, free = formula_is_free(at, out);
    double *v = set_point(m, work, at, derivatives || (out->r && !free));
    if (free) run(m->tapes->of[FORMULA_FREE], v, 3, (double *[]){out->r, out->M, out->W});
    else if (out->r || derivatives)
        run(out->no_force ? m->tapes->of[FORMULA_IMPACT] : m->tapes->of[FORMULA_BALANCE], v, 5,
            (double *[]){out->r, out->M, out->W, out->r_q, out->r_u});
    else run(m->tapes->of[FORMULA_INERTIA], v, 2, (double *[]){out->M, out->W});
    return 0;
}

static int constraints(const zn_model *model, void *work, const zn_point *at, zn_constraints *out) {
    const formula_model *m = (const formula_model *)model;
    double *v = set_point(m, work, at, out->c2 || out->c2_q || out->c2_u);
    if (formula_wants_both(out)) {
        run(m->tapes->of[FORMULA_ROWS], v, 5, (double *[]){out->c0, out->c1, out->c1_u, out->c0_q, out->c1_q});
    } else {
        run(m->tapes->of[FORMULA_POSITION], v, 2, (double *[]){out->c0, out->c0_q});
        run(m->tapes->of[FORMULA_VELOCITY], v, 3, (double *[]){out->c1, out->c1_u, out->c1_q});
    }
    run(m->tapes->of[FORMULA_ACCELERATION], v, 3, (double *[]){out->c2, out->c2_q, out->c2_u});
    return 0;
}

static int momentum(const zn_model *model, void *work, const zn_point *at, zn_momentum *out) {
    const formula_model *m = (const formula_model *)model;
    double *v = set_point(m, work, at, false);
    run(m->tapes->of[FORMULA_MOMENTUM], v, 5, (double *[]){out->p, out->b, out->p_q, out->b_q, out->b_u});
    return 0;
}

static int energy(const zn_model *model, void *work, const zn_point *at, double *kinetic, double *potential) {
    const formula_model *m = (const formula_model *)model;
    double *v = set_point(m, work, at, false), values[2];
    run(m->tapes->of[FORMULA_ENERGY], v, 1, (double *[]){values});
    *kinetic = values[0];
    *potential = values[1];
    return 0;
}

static int outputs(const zn_model *model, void *work, const zn_point *at, double *values) {
    const formula_model *m = (const formula_model *)model;
    run(m->tapes->of[FORMULA_OUTPUTS], set_point(m, work, at, false), 1, (double *[]){values});
    return 0;
}

static int probes(const zn_model *model, void *work, const zn_point *at, double *values) {
    const formula_model *m = (const formula_model *)model;
    run(m->tapes->of[FORMULA_PROBES], set_point(m, work, at, false), 1, (double *[]){values});
    return 0;
}

const formula_model *formula_model_of(const zn_model *model) { return model->energy == energy ? (const formula_model *)model : NULL; }

bool formula_model_power(const zn_model *model, void *work, const zn_point *at, double *power) {
    const formula_model *m = formula_model_of(model);
    if (!m) return false;
    run(m->tapes->of[FORMULA_ENERGY], set_point(m, work, at, false), 2, (double *[]){NULL, power});
    return true;
}

int formula_model_switches(const zn_model *model, void *work, const zn_point *at, double *values) {
    const formula_model *m = formula_model_of(model);
    if (!m || m->tapes->n_switches == 0) return 0;
    if (values) run(m->tapes->of[FORMULA_SWITCHES], set_point(m, work, at, false), 1, (double *[]){values});
    return m->tapes->n_switches;
}

static void release_tapes(zn_context *context, formula_tapes *p) {
    if (!p || --p->references > 0) return;
    for (int i = 0; i < FORMULA_QUESTIONS; i++) expr_tape_destroy(context, p->of[i]);
    lin_pattern *patterns[] = {&p->qdot_q, &p->B,    &p->r_q,  &p->r_u,  &p->M,   &p->W,   &p->c0_q,
                               &p->c1_q,   &p->c1_u, &p->c2_q, &p->c2_u, &p->p_q, &p->b_q, &p->b_u};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) lin_pattern_destroy(context, patterns[i]);
    mem_free(context, p->used);
    mem_free(context, p->states);
    mem_free(context, p);
}

static void destroy(zn_context *context, zn_model *model) {
    formula_model *m = (formula_model *)model;
    release_tapes(context, m->tapes);
    formula_system_free(context, &m->owned);
    mem_free(context, m->parameters);
    machine_release(context, (machine_plan *)(uintptr_t)m->base.machine);
}

/* ---- copies that read other inputs ---- */

static void destroy_bound(zn_context *context, zn_model *model) { release_tapes(context, ((formula_model *)model)->tapes); }

static zn_status bind(zn_context *context, const zn_model *model, const double *inputs, zn_model **bound) {
    formula_model *m = MEM_ARRAY(context, formula_model, 1);
    if (!m) return ZN_ERROR_MEMORY;
    *m = *(const formula_model *)model;
    m->tapes->references++;
    m->base.drawing = NULL; /* nothing else is owned */
    m->base.inputs = inputs;
    m->base.destroy = destroy_bound;
    *bound = &m->base;
    return ZN_OK;
}

void formula_model_set_machine(formula_model *m, machine_plan *machine) {
    machine->references++;
    m->base.machine = machine;
    m->base.inputs = machine->start;
}

formula_model *formula_model_create(zn_context *context) {
    formula_model *model = MEM_ARRAY(context, formula_model, 1);
    if (!model) return NULL;
    model->base.destroy = destroy;
    if (!(model->tapes = MEM_ARRAY(context, formula_tapes, 1))) {
        mem_free(context, model);
        return NULL;
    }
    model->tapes->references = 1;
    return model;
}

void formula_model_adopt(formula_model *m, formula_system *s) {
    formula_tapes *p = m->tapes;
    p->q = s->q, p->u = s->u, p->a = s->a, p->lambda = s->lambda, p->parameter = s->parameter, p->variables = s->count;
    p->n_parameters = s->input - s->parameter, p->input = s->input;
    zn_model *base = &m->base;
    base->size = s->size;
    base->pattern = (zn_patterns){p->qdot_q.p, p->B.p,    p->r_q.p,  p->r_u.p,  p->M.p,   p->W.p,   p->c0_q.p,
                                  p->c1_q.p,   p->c1_u.p, p->c2_q.p, p->c2_u.p, p->p_q.p, p->b_q.p, p->b_u.p};
    base->natural = base->lagrangian = s->lagrangian && s->size.nq == s->size.nu;
    base->states = p->states, base->rates = p->rates;
    base->others_natural = s->lagrangian;
    base->contacts = s->contacts;
    base->q_names = (const char *const *)s->q_names;
    base->u_names = (const char *const *)s->u_names;
    base->bilateral_names = (const char *const *)s->bilateral_names;
    base->q_start = s->q_start;
    base->u_start = s->u_start;
    base->work_bytes = (size_t)(p->registers > p->variables ? p->registers : p->variables) * sizeof(double);
    base->kinematics = kinematics;
    base->balance = balance;
    base->constraints = constraints;
    base->momentum = base->lagrangian ? momentum : NULL;
    base->energy = energy;
    base->n_outputs = s->n_outputs;
    base->output_names = (const char *const *)s->output_names;
    base->outputs = s->n_outputs ? outputs : NULL;
    base->n_probes = s->n_probes;
    base->probes = s->n_probes ? probes : NULL;
    base->bind = bind;
    s->trace = expr_trace_take(s->graph);
    expr_graph_destroy(s->graph); /* the tapes do not need it */
    s->graph = NULL;
    m->owned = *s;
    *s = (formula_system){0};
}

zn_status formula_model_check(zn_context *context, formula_model *m) {
    const zn_sizes *n = &m->base.size;
    int rows = model_rows(&m->base);
    double *work, *r, *qdot, *c0, *c1;
    const mem_part list[] = {{&work, (int)(m->base.work_bytes / sizeof(double))}, {&r, n->nu}, {&qdot, n->nq}, {&c0, rows}, {&c1, rows}};
    double *memory = MEM_PARTS(context, list);
    zn_status status = memory ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        zn_point at = {.q = m->base.q_start, .u = m->base.u_start};
        balance(&m->base, work, &at, &(zn_balance){.r = r});
        kinematics(&m->base, work, &at, &(zn_kinematics){.qdot = qdot});
        constraints(&m->base, work, &at, &(zn_constraints){.c0 = c0, .c1 = c1});
        for (int i = 0; i < n->nu && status == ZN_OK; i++)
            if (!isfinite(r[i]))
                status = fail_at(context, ZN_ERROR_MODEL, &(error_place){.subject = m->base.u_names[i], .time = NAN},
                                 "the force on '%s' is not finite at the start (%g)", m->base.u_names[i], -r[i]);
        for (int i = 0; i < n->nq && status == ZN_OK; i++)
            if (!isfinite(qdot[i]))
                status = fail_at(context, ZN_ERROR_MODEL, &(error_place){.subject = m->base.q_names[i], .time = NAN},
                                 "%s' is not finite at the start (%g)", m->base.q_names[i], qdot[i]);
        for (int i = 0; i < rows && status == ZN_OK; i++)
            if (!isfinite(c0[i]) || !isfinite(c1[i]))
                status = fail(context, ZN_ERROR_MODEL, "%s is not finite at the start", model_row_text(&m->base, i, (char[96]){0}, 96));
        if (status == ZN_OK) status = model_check_start(context, &m->base);
    }
    mem_free(context, memory);
    return status;
}

/* ---- further models of a kind ---- */

static bool copy_names(zn_context *context, const char *const *from, int count, char ***to) {
    if (!(*to = MEM_ARRAY(context, char *, count))) return false;
    for (int i = 0; i < count; i++)
        if (!((*to)[i] = mem_text(context, from[i]))) return false;
    return true;
}

static bool copy_contacts(zn_context *context, int count, const zn_contact *from, formula_system *to) {
    int balls = 0, first_F = to->size.ng + to->size.ny + to->size.nN;
    for (int k = 0; k < count; k++) balls += from[k].n_balls;
    to->contacts = MEM_ARRAY(context, zn_contact, count);
    to->contact_names = MEM_ARRAY(context, char *, count);
    to->balls = MEM_ARRAY(context, zn_ball, balls);
    to->scales = MEM_ARRAY(context, double, to->size.nF);
    if (!to->contacts || !to->contact_names || !to->balls || !to->scales) return false;
    zn_ball *next = to->balls;
    for (int k = 0; k < count; k++) {
        zn_contact *contact = &to->contacts[k];
        *contact = from[k];
        if (!(to->contact_names[k] = mem_text(context, from[k].name))) return false;
        contact->name = to->contact_names[k];
        for (int b = 0; b < from[k].n_balls; b++) next[b] = from[k].balls[b];
        contact->balls = next;
        next += from[k].n_balls;
        for (int i = 0; i < from[k].nF; i++) to->scales[from[k].row_F - first_F + i] = from[k].scale ? from[k].scale[i] : 1;
        contact->scale = from[k].nF ? &to->scales[from[k].row_F - first_F] : NULL;
    }
    return true;
}

zn_status formula_model_instance(zn_context *context, const zn_model *kind, const double *parameters, const char *const *bilateral_names,
                                 int n_contacts, const zn_contact *contacts, const char *const *output_names, zn_model **model) {
    const formula_model *from = (const formula_model *)kind;
    formula_model *m = MEM_ARRAY(context, formula_model, 1);
    if (!m) return ZN_ERROR_MEMORY;
    m->base = from->base;
    m->tapes = from->tapes;
    m->tapes->references++;
    m->owned.size = from->base.size;
    m->owned.size.nq = m->owned.size.nu = 0; /* no names of coordinates: those of the whole count */
    m->base.size.n_contacts = m->owned.size.n_contacts = n_contacts;
    m->base.q_names = m->base.u_names = NULL;
    m->owned.n_outputs = kind->n_outputs;
    m->base.q_start = m->base.u_start = NULL;
    m->parameters = MEM_ARRAY(context, double, m->tapes->n_parameters);
    int bilateral = kind->size.ng + kind->size.ny;
    if (!m->parameters || !copy_names(context, bilateral_names, bilateral, &m->owned.bilateral_names) ||
        !copy_contacts(context, n_contacts, contacts, &m->owned) ||
        !copy_names(context, output_names, kind->n_outputs, &m->owned.output_names)) {
        model_free(context, &m->base);
        return ZN_ERROR_MEMORY;
    }
    if (m->tapes->n_parameters) memcpy(m->parameters, parameters, (size_t)m->tapes->n_parameters * sizeof *parameters);
    m->base.bilateral_names = (const char *const *)m->owned.bilateral_names;
    m->base.contacts = m->owned.contacts;
    m->base.output_names = (const char *const *)m->owned.output_names;
    *model = &m->base;
    return ZN_OK;
}

bool formula_model_like(const zn_model *a, const zn_model *b) {
    const formula_model *x = formula_model_of(a), *y = formula_model_of(b);
    return x && y && x->tapes == y->tapes;
}

void formula_model_renumber(zn_model *a, const zn_model *b) {
    const formula_model *from = (const formula_model *)b;
    formula_model *to = (formula_model *)a;
    if (from->tapes->n_parameters) memcpy(to->parameters, from->parameters, (size_t)from->tapes->n_parameters * sizeof *to->parameters);
}
