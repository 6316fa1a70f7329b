/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation as bytes:
 *
 *     head       what it is, version, hashes of model and settings, length and hash of what follows
 *     values that may be set (machine.c), time, q, u
 *     structure  contacts that were found, chosen rows: reading them makes the scheme that goes with them
 *     the rest   `rows` below, the one list of what a simulation carries from step to step; a member that is added needs a row there
 *
 * Steps are functions of these: a run that goes on from a snapshot has the bits of one that was not interrupted. */
#include "model/machine.h"
#include "sim/simulation.h"

#include <stdio.h>

static const char what[8] = "zenosim"; /* with its ending zero */
enum { FORMAT = 3, VERSION_TEXT = 24 };

typedef struct snapshot_head {
    char what[8], version[VERSION_TEXT];
    uint64_t format, model, settings, length, content;
} snapshot_head;

/* ---- what is carried ---- */

static void carry_state(zn_simulation *sim, byte_stream *b, scheme_state *s) {
    if (!s->q) return;
    BYTES_PASS(b, s->t), BYTES_PASS(b, s->noise), BYTES_PASS(b, s->staged_accepted), BYTES_PASS(b, s->staged_repeated),
        BYTES_PASS(b, s->opened);
    BYTES_PASS_ARRAY(b, s->q, sim_state_size(sim)); /* q, u, P_all, carry */
}

static void carry_warnings(sim_impacts *o, byte_stream *b) {
    BYTES_PASS(b, o->count);
    for (long i = 0; i < o->count && i < ZN_ENERGY_WARNINGS_KEPT; i++) {
        BYTES_PASS(b, o->first[i].contact), BYTES_PASS(b, o->first[i].t), BYTES_PASS(b, o->first[i].gained);
        BYTES_PASS(b, o->names[i]);
    }
}

static void carry_control(zn_simulation *sim, byte_stream *b) {
    sim_control *c = &sim->control;
    size_t nq = (size_t)sim->model->size.nq, contacts = (size_t)sim->model->size.n_contacts;
    if (!sim->settings.step_auto) return;
    BYTES_PASS(b, c->h), BYTES_PASS(b, c->error_before), BYTES_PASS(b, c->bracket), BYTES_PASS(b, c->capture);
    BYTES_PASS(b, c->aimed), BYTES_PASS(b, c->push);
    BYTES_PASS(b, c->judged), BYTES_PASS(b, c->judged_h), BYTES_PASS(b, c->judged_size), BYTES_PASS(b, c->futile), BYTES_PASS(b, c->noise);
    BYTES_PASS(b, c->parts);
    sim_chatter_carry(sim, b);
    BYTES_PASS_ARRAY(b, c->closed, contacts);
    BYTES_PASS_ARRAY(b, c->gap_rate, 2 * contacts); /* and bends */
    BYTES_PASS_ARRAY(b, c->reach, 5 * nq);          /* and errors, rates */
    carry_state(sim, b, &c->middle);
    carry_state(sim, b, &c->coarse);
    if (sim->switches.count > 0) BYTES_PASS(b, sim->switches.from), BYTES_PASS(b, sim->switches.to), BYTES_PASS(b, sim->switches.at);
}

static void carry_work(zn_simulation *sim, byte_stream *b) {
    sim_work *w = &sim->work;
    size_t n = (size_t)model_rows(sim->model), contacts = (size_t)sim->model->size.n_contacts;
    BYTES_PASS_ARRAY(b, w->step, w->count);
    BYTES_PASS_ARRAY(b, w->total, w->count);
    BYTES_PASS(b, w->known), BYTES_PASS(b, w->smooth), BYTES_PASS(b, w->left), BYTES_PASS(b, w->is_left);
    BYTES_PASS_ARRAY(b, w->at[0].gamma, 2 * n + contacts); /* and chi, smooth */
}

static void carry_counts(zn_simulation *sim, byte_stream *b) {
    BYTES_PASS(b, sim->step), BYTES_PASS(b, sim->rejected), BYTES_PASS(b, sim->cut_steps), BYTES_PASS(b, sim->cut_impacts);
    BYTES_PASS(b, sim->step_min), BYTES_PASS(b, sim->step_max);
    BYTES_PASS(b, sim->path_steps), BYTES_PASS(b, sim->path_solves), BYTES_PASS(b, sim->path_iterations_there);
    BYTES_PASS(b, sim->path_iterations), BYTES_PASS(b, sim->path_max);
    cone_cost *cost = &sim->cost; /* but seconds, which differ from run to run, and dense and swept, which matter within a step */
    BYTES_PASS(b, cost->runs), BYTES_PASS(b, cost->pieces), BYTES_PASS(b, cost->pieces_most);
    BYTES_PASS(b, cost->sweeps), BYTES_PASS(b, cost->factorisations), BYTES_PASS(b, cost->solves);
    BYTES_PASS(b, sim->painleve.wait), BYTES_PASS(b, sim->painleve.count);
    BYTES_PASS(b, sim->roundoff_steps), BYTES_PASS(b, sim->unfinished_steps), BYTES_PASS(b, sim->max_residual),
        BYTES_PASS(b, sim->roundoff_residual);
}

/* All but the structure. The order is that of the bytes. */
static void rows(zn_simulation *sim, byte_stream *b) {
    size_t n = (size_t)model_rows(sim->base), contacts = (size_t)sim->model->size.n_contacts;
    sim_grid *grid = &sim->grid;
    sim_monitor *m = &sim->monitor;
    carry_state(sim, b, &sim->now);
    carry_state(sim, b, &sim->next);
    scales_carry(&sim->scheme->scales, b);
    BYTES_PASS(b, sim->scheme->hopeless);
    BYTES_PASS_ARRAY(b, sim->P, 2 * n); /* and totals */
    BYTES_PASS_ARRAY(b, m->gaps, contacts);
    BYTES_PASS(b, m->max_penetration), BYTES_PASS(b, m->max_g), BYTES_PASS(b, m->max_gdot), BYTES_PASS(b, m->max_gamma);
    BYTES_PASS(b, grid->index), BYTES_PASS(b, grid->begun), BYTES_PASS(b, grid->between), BYTES_PASS(b, grid->part),
        BYTES_PASS(b, grid->done), BYTES_PASS(b, grid->inside), BYTES_PASS(b, grid->last_hope);
    BYTES_PASS(b, grid->h), BYTES_PASS(b, grid->t_start), BYTES_PASS(b, grid->t_end), BYTES_PASS(b, grid->in_vain),
        BYTES_PASS(b, grid->in_vain_of_step);
    BYTES_PASS(b, sim->rows.next), BYTES_PASS(b, sim->rows.shown);
    BYTES_PASS(b, sim->gains.refused), BYTES_PASS(b, sim->gains.usual);
    BYTES_PASS(b, sim->cut), BYTES_PASS(b, sim->calm), BYTES_PASS(b, sim->energy_start), BYTES_PASS(b, sim->gains.usual);
    BYTES_PASS_ARRAY(b, sim->approach, contacts);
    carry_control(sim, b);
    carry_work(sim, b);
    carry_warnings(&sim->impacts, b);
    carry_counts(sim, b);
}

static uint64_t hash_table(const expr_table *table) {
    uint64_t hash = bytes_hash(BYTES_HASH, &table->n, sizeof table->n);
    const double kind[] = {table->degree, table->periodic, table->last};
    hash = bytes_hash(hash, kind, sizeof kind);
    hash = bytes_hash(hash, table->x, (size_t)table->n * sizeof *table->x);
    return bytes_hash(hash, table->c, 4 * (size_t)(table->n - 1) * sizeof *table->c);
}

/* Tables that inputs follow are the caller's: those at hand must be the same ones. */
static zn_status carry_tables(zn_simulation *sim, byte_stream *b) {
    const sim_machine *m = &sim->machine;
    for (int i = 0; i < m->of->n_values; i++) {
        uint64_t own = m->follow[i] ? hash_table(m->follow[i]) + m->held[i] : 0, hash = own;
        BYTES_PASS(b, hash);
        if (hash == own || b->missing) continue;
        return fail(sim->context, ZN_ERROR_ARGUMENT,
                    own == 0    ? "in the snapshot the input '%s' follows a table: it must follow the same one here"
                    : hash == 0 ? "in the snapshot the input '%s' follows no table, as it does here"
                                : "in the snapshot the input '%s' follows another table than here",
                    m->of->values[i].name);
    }
    return ZN_OK;
}

void sim_forget(zn_simulation *sim) {
    byte_stream b = {.way = BYTES_CLEAR};
    rows(sim, &b);
}

/* Values, samples and memory of events; what happened. */
static zn_status carry_machine(zn_simulation *sim, byte_stream *b) {
    sim_machine *m = &sim->machine;
    if (!m->of) return ZN_OK;
    zn_status status = carry_tables(sim, b);
    if (status != ZN_OK) return status;
    BYTES_PASS(b, m->stopped);
    if (m->stopped < 0 || m->stopped > m->of->n_events) return ZN_ERROR_ARGUMENT;
    BYTES_PASS_ARRAY(b, m->memory, m->count);
    BYTES_PASS(b, m->landing), BYTES_PASS(b, m->landing_event), BYTES_PASS(b, m->improvements), BYTES_PASS(b, m->landed_at);
    BYTES_PASS(b, m->landed_value), BYTES_PASS(b, m->record), BYTES_PASS(b, m->again), BYTES_PASS(b, m->was_set);
    m->n_log = bytes_pass_count(b, m->n_log, sizeof m->log->t);
    if (b->way == BYTES_READ && !mem_grow(sim->context, (void **)&m->log, &m->log_room, m->n_log + 1, sizeof *m->log))
        return ZN_ERROR_MEMORY;
    bool known = m->landing_event >= 0 && m->landing_event <= m->of->n_events;
    for (size_t i = 0; i < m->n_log; i++) {
        BYTES_PASS(b, m->log[i].t), BYTES_PASS(b, m->log[i].event);
        known = known && m->log[i].event >= 0 && m->log[i].event < m->of->n_events;
    }
    if (!known) return ZN_ERROR_ARGUMENT;
    size_t values = m->n_log * (size_t)sim_event_width(sim);
    if (b->way == BYTES_READ && !mem_grow(sim->context, (void **)&m->log_values, &m->log_values_room, values + 1, sizeof *m->log_values))
        return ZN_ERROR_MEMORY;
    BYTES_PASS_ARRAY(b, m->log_values, values);
    return ZN_OK;
}

static zn_status carry(zn_simulation *sim, byte_stream *b) {
    scheme_state *now = &sim->now;
    zn_status status = carry_machine(sim, b);
    if (status != ZN_OK) return status;
    BYTES_PASS(b, now->t); /* at first, for what is made while the structure is read is made there */
    BYTES_PASS_ARRAY(b, now->q, sim->model->size.nq);
    BYTES_PASS_ARRAY(b, now->u, sim->model->size.nu);
    status = sim_chatter_carry_scheme(sim, b);
    if (status == ZN_OK) status = sim_contacts_carry(sim, b);
    if (status == ZN_OK) status = sim_selection_carry(sim, b);
    if (status == ZN_OK) rows(sim, b);
    return status == ZN_OK ? sim_located_carry(sim, b) : status;
}

/* ---- what it belongs to ---- */

static uint64_t hash_text(uint64_t hash, const char *text) { return bytes_hash(hash, text ? text : "", text ? strlen(text) + 1 : 1); }

static uint64_t hash_names(uint64_t hash, int count, const char *const *names) {
    for (int i = 0; i < count && names; i++) hash = hash_text(hash, names[i]);
    return hash;
}

static uint64_t hash_contacts(uint64_t hash, const zn_model *model) {
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *c = &model->contacts[k];
        hash = hash_text(hash, c->name);
        const double numbers[] = {c->row_N, c->row_F, c->nF, c->n_balls, c->normal_force, c->e_N, c->e_F};
        hash = bytes_hash(hash, numbers, sizeof numbers);
        for (int i = 0; i < c->n_balls; i++) hash = bytes_hash(hash, &c->balls[i].mu, sizeof c->balls[i].mu);
        for (int i = 0; c->scale && i < c->nF; i++) hash = bytes_hash(hash, &c->scale[i], sizeof *c->scale);
    }
    return hash;
}

/* What the model answers at its start and beside it: other masses, lengths or forces are another model. */
static zn_status hash_answers(zn_context *context, const zn_model *model, uint64_t *hash) {
    size_t nq = (size_t)model->size.nq, nu = (size_t)model->size.nu;
    answers at = {0};
    double *q = MEM_ARRAY(context, double, nq + nu), *u = q + nq;
    zn_status status = q ? answers_create(context, model, &at) : ZN_ERROR_MEMORY;
    for (int i = 0; i < 2 && status == ZN_OK; i++) {
        for (size_t k = 0; k < nq; k++) q[k] = model->q_start[k] + i * (0.011 + 0.007 * (double)(k % 5));
        for (size_t k = 0; k < nu; k++) u[k] = model->u_start[k] + i * (0.13 + 0.05 * (double)(k % 7));
        zn_point point = {.t = 0.3 * i, .q = q, .u = u};
        bool answered =
            !model->balance(model, at.work, &point, &(zn_balance){.r = at.r, .M = at.M, .W = at.W}) &&
            (model_rows(model) == 0 || !model->constraints(model, at.work, &point, &(zn_constraints){.c0 = at.c0, .c1 = at.c1}));
        *hash = bytes_hash(*hash, &answered, sizeof answered);
        if (!answered) continue;
        *hash = bytes_hash(*hash, at.r, nu * sizeof *at.r);
        *hash = bytes_hash(*hash, at.M, (size_t)lin_nnz(&model->pattern.M) * sizeof *at.M);
        *hash = bytes_hash(*hash, at.W, (size_t)lin_nnz(&model->pattern.W) * sizeof *at.W);
        if (model_rows(model) == 0) continue;
        *hash = bytes_hash(*hash, at.c0, (size_t)model_rows(model) * sizeof *at.c0);
        *hash = bytes_hash(*hash, at.c1, (size_t)model_rows(model) * sizeof *at.c1);
    }
    answers_destroy(context, &at);
    mem_free(context, q);
    return status;
}

static uint64_t hash_shapes(uint64_t hash, const contact_field *field) {
    char text[256];
    for (int i = 0; field && i < contact_field_shapes(field); i++) hash = hash_text(hash, contact_field_shape_name(field, i));
    for (int i = 0; field && i < contact_field_rules(field); i++)
        hash = hash_text(hash, contact_field_rule_text(field, i, text, sizeof text));
    return hash;
}

static zn_status hash_model(zn_context *context, const zn_simulation *sim, uint64_t *out) {
    const zn_model *model = sim->given; /* with its own values: those that were set are content */
    uint64_t hash = bytes_hash(BYTES_HASH, &model->size, sizeof model->size);
    hash = hash_names(hash, model->size.nq, model->q_names);
    hash = hash_names(hash, model->size.nu, model->u_names);
    hash = hash_names(hash, model_row_N(model), model->bilateral_names);
    hash = bytes_hash(hash, model->q_start, (size_t)model->size.nq * sizeof(double));
    hash = bytes_hash(hash, model->u_start, (size_t)model->size.nu * sizeof(double));
    hash = hash_shapes(hash_contacts(hash, model), sim->contacts.field);
    *out = hash;
    return hash_answers(context, model, out);
}

/* All settings but the end and the threads, which may differ in another run. */
static bool may_differ(const char *name) { return strcmp(name, "end") == 0 || strcmp(name, "threads") == 0; }

static uint64_t hash_settings(zn_context *context, const zn_settings *settings) {
    uint64_t hash = BYTES_HASH;
    char text[200];
    for (int i = 0; zn_settings_name(i); i++)
        if (!may_differ(zn_settings_name(i)) && zn_settings_get(context, settings, zn_settings_name(i), text, sizeof text) == ZN_OK)
            hash = hash_text(hash_text(hash, zn_settings_name(i)), text);
    return hash;
}

static zn_status make_head(const zn_simulation *sim, snapshot_head *head) {
    *head = (snapshot_head){.format = FORMAT};
    memcpy(head->what, what, sizeof head->what);
    snprintf(head->version, sizeof head->version, "%s", zn_version());
    head->settings = hash_settings(sim->context, &sim->settings);
    return hash_model(sim->context, sim, &head->model);
}

/* ---- the interface ---- */

zn_status zn_simulation_save(const zn_simulation *simulation, void *memory, size_t room, size_t *size) {
    NEED_HANDLE(simulation, HANDLE_SIMULATION);
    NEED(simulation->context, size);
    zn_simulation *sim = (zn_simulation *)(uintptr_t)simulation; /* which counting and writing leave as it is */
    byte_stream count = {.way = BYTES_COUNT};
    *size = 0;
    zn_status status = model_check(sim->context, sim->base, __func__);
    if (status == ZN_OK) status = carry(sim, &count);
    if (status != ZN_OK) return status;
    *size = sizeof(snapshot_head) + count.count;
    if (!memory) return ZN_OK;
    if (room < *size)
        return fail(sim->context, ZN_ERROR_ARGUMENT, "%s: the snapshot needs %zu bytes, but the buffer has %zu", __func__, *size, room);
    snapshot_head head;
    byte_stream b = {.way = BYTES_WRITE, .at = (unsigned char *)memory + sizeof head, .room = count.count};
    status = make_head(sim, &head);
    if (status == ZN_OK) status = carry(sim, &b);
    if (status != ZN_OK) return status;
    head.length = b.count;
    head.content = bytes_hash(BYTES_HASH, b.at, b.count);
    memcpy(memory, &head, sizeof head);
    return ZN_OK;
}

static zn_status check(zn_simulation *sim, const unsigned char *from, size_t size) {
    zn_context *context = sim->context;
    snapshot_head head, own;
    zn_status status = make_head(sim, &own);
    if (status != ZN_OK) return status;
    if (size < sizeof head || memcmp(from, what, sizeof what) != 0)
        return fail(context, ZN_ERROR_ARGUMENT, "this is not a snapshot of a simulation (%zu bytes)", size);
    memcpy(&head, from, sizeof head);
    if (head.format != FORMAT || memcmp(head.version, own.version, VERSION_TEXT) != 0)
        return fail(context, ZN_ERROR_ARGUMENT,
                    "the snapshot was made by version %.*s, but this is version %s: snapshots can be restored by the same version only",
                    VERSION_TEXT, head.version, own.version);
    if (head.length != size - sizeof head)
        return fail(context, ZN_ERROR_ARGUMENT, "the snapshot is not complete: it has %zu of %zu bytes", size,
                    sizeof head + (size_t)head.length);
    if (head.content != bytes_hash(BYTES_HASH, from + sizeof head, size - sizeof head))
        return fail(context, ZN_ERROR_ARGUMENT, "the snapshot is damaged: its checksum is wrong");
    if (head.model != own.model)
        return fail(context, ZN_ERROR_ARGUMENT, "the snapshot belongs to another model: names, numbers and initial state must be the same");
    if (head.settings != own.settings)
        return fail(context, ZN_ERROR_ARGUMENT,
                    "the snapshot belongs to a simulation with other settings (scheme, step ...); only the end and the threads may differ");
    return ZN_OK;
}

zn_status zn_simulation_restore(zn_simulation *sim, const void *snapshot, size_t size) {
    NEED_HANDLE(sim, HANDLE_SIMULATION);
    NEED(sim->context, snapshot);
    zn_status status = model_check(sim->context, sim->base, __func__);
    if (status == ZN_OK) status = check(sim, snapshot, size);
    if (status != ZN_OK) return status;
    byte_stream b = {
        .way = BYTES_READ, .at = (unsigned char *)(uintptr_t)snapshot + sizeof(snapshot_head), .room = size - sizeof(snapshot_head)};
    int errors = zn_error_count(sim->context);
    bool asked = sim->selection.asked; /* for percussions, here: also where the one that was saved had not been asked for them yet */
    status = carry(sim, &b);
    if (asked) sim_selection_ask(sim);
    sim_see_now(sim);
    if (status == ZN_ERROR_MEMORY || zn_error_count(sim->context) > errors) return status;
    if (status != ZN_OK || b.missing || b.count != b.room)
        return fail(sim->context, ZN_ERROR_ARGUMENT, "the snapshot does not fit the simulation, which can only be reset or destroyed now");
    return ZN_OK;
}
