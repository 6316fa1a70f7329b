/* SPDX-License-Identifier: Apache-2.0 */
/* Recording: which columns a simulation has, and filling a row of them. */
#include "zeno/recorder.h"
#include "model/machine.h"
#include "model/model.h"
#include "result/result.h"
#include "sim/simulation.h"

#include <stdio.h>

struct zn_recorder {
    HANDLE_HEAD;
    const zn_simulation *simulation;
    result_writer *writer;
    result_file *memory;      /* without a path: instead of the writer */
    double *row, *last_total; /* percussion totals at the last row */
    double *outputs;          /* all of the model; poses of its drawing stand apart in a row */
    bool poses;               /* are recorded: not in CSV, which cannot hold the drawing */
    long last_step, rows;
    long last_iterations[CONE_PATH_COUNT];
    bool forces;                                 /* the scheme knows accelerations and forces */
    bool found;                                  /* shapes find each other */
    bool events;                                 /* of the scene, */
    bool contact_events;                         /* of contacts, that are located */
    int found_table, scene_table, contact_table; /* numbers of tables of entries */
    double *event;                               /* entry of one of the scene */
    long last_event, last_contact_event;         /* those that are recorded */
};

/* Found contacts: numbers in a row of the result, and columns of their own table. */
enum { N_FOUND = 3, N_ENTRY = 16 };
static const char *const found_names[N_FOUND] = {"listed", "pushing", "normal"};
static const char *const entry_names[N_ENTRY] = {"row", "shape_a", "shape_b", "feature_a", "feature_b", "x",  "y",  "z",
                                                 "nx",  "ny",      "nz",      "gap",       "normal",    "px", "py", "pz"};

enum { N_ENERGIES = 3 };
static const char *const energy_names[N_ENERGIES] = {"kinetic", "potential", "total"};
static const char *const iteration_names[CONE_PATH_COUNT] = {"newton", "least_norm", "projection"};

/* Names of the rows of lambda: "rod", "floor.normal", "floor.friction" or "floor.friction1", "floor.friction2" ... */
static bool percussion_names(zn_context *context, const zn_model *model, char **names) {
    for (int i = 0; i < model_row_N(model); i++) names[i] = mem_text(context, model->bilateral_names[i]);
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        if (contact->row_N >= 0) names[contact->row_N] = mem_format(context, "%s.normal", contact->name);
        for (int i = 0; i < contact->nF; i++)
            names[contact->row_F + i] = contact->nF == 1 ? mem_format(context, "%s.friction", contact->name)
                                                         : mem_format(context, "%s.friction%d", contact->name, i + 1);
    }
    for (int i = 0; i < model_rows(model); i++)
        if (!names[i]) return false;
    return true;
}

/* Names of outputs: those that were asked for, or (poses) those of the drawing without their prefix. Returns how many. */
static int output_names(const zn_model *model, bool poses, const char **names) {
    int count = 0;
    for (int i = 0; i < model->n_outputs; i++)
        if (model_is_pose(model->output_names[i]) == poses)
            names[count++] = model->output_names[i] + (poses ? sizeof MODEL_POSE_PREFIX - 1 : 0);
    return count;
}

static zn_status create_sink(zn_recorder *r, const char *path, const result_layout *layout) {
    r->row = MEM_ARRAY(r->context, double, result_layout_width(layout));
    if (!r->row) return ZN_ERROR_MEMORY;
    return path ? result_writer_create(r->context, path, layout, &r->writer) : result_memory_create(r->context, layout, &r->memory);
}

/* ---- tables of entries: found contacts, events of the scene, contact events ---- */

enum { N_EVENT = 11 };
static const char *const event_names[N_EVENT + 1] = {"row",
                                                     "time",
                                                     "contact",
                                                     "kind",
                                                     "normal_before",
                                                     "normal_after",
                                                     "tangential_before",
                                                     "tangential_after",
                                                     "normal_impulse",
                                                     "tangential_impulse",
                                                     "energy_lost",
                                                     "other"};

/* The table, and blocks of memory that go with it. */
typedef struct recorder_table {
    result_entries entries;
    const char **names, **columns;
} recorder_table;

/* Shapes have the numbers behind those of declared contacts. */
static zn_status make_contact_events(const zn_recorder *r, recorder_table *t) {
    const zn_model *model = r->simulation->base;
    const contact_field *field = r->simulation->contacts.field;
    int n = model->size.n_contacts, n_shapes = field ? contact_field_shapes(field) : 0;
    if (!(t->names = MEM_ARRAY(r->context, const char *, n + n_shapes))) return ZN_ERROR_MEMORY;
    for (int k = 0; k < n; k++) t->names[k] = model->contacts[k].name;
    for (int i = 0; i < n_shapes; i++) t->names[n + i] = contact_field_shape_name(field, i);
    t->entries =
        (result_entries){"contact_events",
                         field ? "contact events in the order of time: row at or after the event, time, contact (of a found one its "
                                 "first shape, see the attribute contacts), kind (0 impact, 1 opening, 2 end of slip, 3 begin of slip, "
                                 "4 accumulation of impacts, 5 impact without approach), rate of the gap before and after, size of the "
                                 "slip velocity before and after, impulses of the contact, kinetic energy lost, second shape of a found "
                                 "contact (else -1)"
                               : "contact events in the order of time: row at or after the event, time, contact, kind (0 impact, 1 "
                                 "opening, 2 end of slip, 3 begin of slip, "
                                 "4 accumulation of impacts, 5 impact without approach), rate of the gap before and after, size of the "
                                 "slip velocity before and after, "
                                 "impulses of the contact, kinetic energy lost",
                         N_EVENT + (field != NULL),
                         event_names,
                         "contacts",
                         n + n_shapes,
                         t->names,
                         NULL};
    return ZN_OK;
}

/* Events of the scene: the columns of the tables of studies, and then the state that the event met. */
enum { N_EVENT_HEAD = 3 };

static zn_status make_scene_events(zn_recorder *r, recorder_table *t) {
    const zn_model *model = r->simulation->base;
    const machine_plan *of = r->simulation->machine.of;
    int n = N_EVENT_HEAD + sim_event_width(r->simulation), next = N_EVENT_HEAD;
    t->columns = MEM_ARRAY(r->context, const char *, n), t->names = MEM_ARRAY(r->context, const char *, of->n_events);
    r->event = MEM_ARRAY(r->context, double, n);
    if (!t->columns || !t->names || !r->event) return ZN_ERROR_MEMORY;
    t->columns[0] = "row", t->columns[1] = "event", t->columns[2] = "time";
    for (int i = 0; i < model->size.nq; i++) t->columns[next++] = model->q_names[i];
    for (int i = 0; i < model->size.nu; i++) t->columns[next++] = model->u_names[i];
    for (int i = 0; i < of->n_values; i++)
        if (!of->values[i].of) t->columns[next++] = of->values[i].name;
    for (int i = 0; i < of->n_events; i++) t->names[i] = of->events[i].name;
    t->entries = (result_entries){"events",
                                  "events of the scene in the order of time: row at or after the event, which one (see the attribute "
                                  "events), time; positions, velocities and values that are constant within a step, before it set any",
                                  n,
                                  t->columns,
                                  "events",
                                  of->n_events,
                                  t->names,
                                  NULL};
    return ZN_OK;
}

/* Found contacts; it names their shapes. */
static zn_status make_found(const zn_recorder *r, recorder_table *t) {
    const contact_field *field = r->simulation->contacts.field;
    int n_shapes = contact_field_shapes(field);
    if (!(t->names = MEM_ARRAY(r->context, const char *, n_shapes))) return ZN_ERROR_MEMORY;
    for (int i = 0; i < n_shapes; i++) t->names[i] = contact_field_shape_name(field, i);
    t->entries = (result_entries){
        "contacts",
        "found contacts that have pushed since the row before or touch, row by row: shapes and their features, the point where they touch, "
        "the normal (from b to a), the gap at t (not a number: it has left the list), percussions since the row before: normal, "
        "and with friction as a vector on a",
        N_ENTRY,
        entry_names,
        "shapes",
        n_shapes,
        t->names,
        NULL};
    return ZN_OK;
}

static zn_status create_sink_with_tables(zn_recorder *r, const char *path, result_layout *layout) {
    recorder_table tables[RESULT_TABLES] = {0};
    zn_status status = ZN_OK;
    int n = 0;
    if (r->found) status = make_found(r, &tables[r->found_table = n++]);
    if (r->events && status == ZN_OK) status = make_scene_events(r, &tables[r->scene_table = n++]);
    if (r->contact_events && status == ZN_OK) status = make_contact_events(r, &tables[r->contact_table = n++]);
    for (int i = 0; i + 1 < n; i++) tables[i].entries.next = &tables[i + 1].entries;
    layout->entries = n > 0 ? &tables[0].entries : NULL;
    if (status == ZN_OK) status = create_sink(r, path, layout);
    for (int i = 0; i < n; i++) mem_free(r->context, tables[i].names), mem_free(r->context, tables[i].columns);
    layout->entries = NULL;
    return status;
}

static zn_status put_entry(zn_recorder *r, int table, const double *entry) {
    return r->memory ? result_memory_entry(r->memory, table, entry) : result_writer_entry(r->writer, table, entry);
}

static zn_status open_writer(zn_recorder *r, const sim_recorder_texts *about, const char *path, char **percussions, const char **contacts,
                             const char **outputs) {
    const zn_model *model = r->simulation->base;
    const zn_settings *settings = &r->simulation->settings;
    for (int k = 0; k < model->size.n_contacts; k++) contacts[k] = model->contacts[k].name;
    int n_outputs = output_names(model, false, outputs), n_poses = output_names(model, true, outputs + n_outputs);
    r->poses = !path || result_path_has_drawings(path);
    char step[40], end[40], stages[16], tolerance[40];
    snprintf(step, sizeof step, "%.17g", settings->step);
    snprintf(end, sizeof end, "%.17g", settings->end);
    snprintf(stages, sizeof stages, "%d", settings->stages);
    snprintf(tolerance, sizeof tolerance, "%.17g", settings->tolerance);
    const result_dataset datasets[] = {
        {"t", "time, in the units of the scene", 1, NULL, true},
        {"q", "positions at t, in the units of the scene", model->size.nq, model->q_names, true},
        {"u", "velocities at t (right after impacts), in the units of the scene", model->size.nu, model->u_names, true},
        {"percussion", "integral of force over time since the row before, impacts included; units of momentum", model_rows(model),
         (const char *const *)percussions, false},
        {"gap", "distance of each contact at t, negative when penetrating; not a number where a contact has no gap", model->size.n_contacts,
         contacts, false},
        {"energy", "energies at t", N_ENERGIES, energy_names, false},
        {"output", "values that the scene asks for, at t", n_outputs, outputs, true},
        {"view", "poses of the drawing at t", r->poses ? n_poses : 0, outputs + n_outputs, false},
        {"dissipation", "energy that each contact has dissipated until t, impacts and friction", model->size.n_contacts, contacts, false},
        {"acceleration", "derivatives of the velocities at t, of the smooth motion (without impacts)", r->forces ? model->size.nu : 0,
         model->u_names, false},
        {"force", "forces of constraints and contacts at t, of the smooth motion (without impacts)", r->forces ? model_rows(model) : 0,
         (const char *const *)percussions, false},
        {"found", "found contacts: listed for the next step, with a percussion since the row before, sum of their normal percussions",
         r->found ? N_FOUND : 0, found_names, false},
        {"iterations", "iterations of the solver since the row before, by path", CONE_PATH_COUNT, iteration_names, false},
    };
    const result_text texts[] = {
        {"scene", about->scene ? about->scene : "", RESULT_TEXT},
        {"run", about->as_run ? about->as_run : "", RESULT_TEXT},
        {"title", about->title ? about->title : "", RESULT_TEXT},
        {"version", zn_version(), RESULT_TEXT},
        {"scheme", settings->scheme, RESULT_TEXT},
        {"stages", stages, RESULT_WHOLE},
        {"step", step, RESULT_REAL},
        {"end", end, RESULT_REAL},
        {"tolerance", tolerance, RESULT_REAL},
        {"drawing", r->simulation->given->drawing ? r->simulation->given->drawing : "", RESULT_TEXT},
    };
    result_layout layout = {
        .n_datasets = sizeof datasets / sizeof *datasets, .datasets = datasets, .n_texts = sizeof texts / sizeof *texts, .texts = texts};
    return create_sink_with_tables(r, path, &layout);
}

static void release(zn_recorder *r) {
    result_writer_destroy(r->writer);
    result_close(r->memory);
    mem_free(r->context, r->row);
    mem_free(r->context, r->last_total);
    mem_free(r->context, r->outputs);
    mem_free(r->context, r->event);
}

zn_status zn_recorder_create(zn_context *context, const zn_simulation *simulation, const char *title, const char *scene_text,
                             const char *path, zn_recorder **out) {
    return sim_recorder_create(context, simulation, &(sim_recorder_texts){title, scene_text, NULL}, path, out);
}

zn_status sim_recorder_create(zn_context *context, const zn_simulation *simulation, const sim_recorder_texts *about, const char *path,
                              zn_recorder **out) {
    NEED_CONTEXT(context);
    NEED(context, out);
    *out = NULL;
    NEED(context, simulation);
    NEED_HANDLE(simulation, HANDLE_SIMULATION);
    const zn_model *model = simulation->base;
    int n = model_rows(model);
    zn_recorder *r = MEM_ARRAY(context, zn_recorder, 1);
    if (!r) return ZN_ERROR_MEMORY;
    r->head = (handle_head){HANDLE_RECORDER, context};
    r->simulation = simulation;
    sim_selection_ask(simulation);
    r->forces = simulation->scheme->class->forces != NULL;
    r->found = simulation->contacts.field;
    r->events = sim_has_events(simulation);
    r->contact_events = simulation->located.on && (r->found || model->size.n_contacts > 0);
    r->last_total = MEM_ARRAY(context, double, n);
    char **percussions = MEM_ARRAY(context, char *, n);
    const char **contacts = MEM_ARRAY(context, const char *, model->size.n_contacts);
    const char **outputs = MEM_ARRAY(context, const char *, model->n_outputs);
    r->outputs = MEM_ARRAY(context, double, model->n_outputs);
    zn_status status = r->last_total && r->outputs && percussions && contacts && outputs && percussion_names(context, model, percussions)
                           ? open_writer(r, about, path, percussions, contacts, outputs)
                           : ZN_ERROR_MEMORY;
    for (int i = 0; percussions && i < n; i++) mem_free(context, percussions[i]);
    mem_free(context, percussions);
    mem_free(context, contacts);
    mem_free(context, outputs);
    if (status == ZN_OK) *out = r;
    else release(r), mem_free(context, r);
    return status;
}

static double *put(double *to, const double *from, int count) {
    memcpy(to, from, (size_t)count * sizeof *to);
    return to + count;
}

static double *put_outputs(zn_recorder *r, double *next) {
    const zn_model *model = r->simulation->base;
    for (int poses = 0; poses <= (int)r->poses; poses++)
        for (int i = 0; i < model->n_outputs; i++)
            if (model_is_pose(model->output_names[i]) == (bool)poses) *next++ = r->outputs[i];
    return next;
}

/* Entries of the row to come, and the numbers in it. */
static zn_status put_found(zn_recorder *r, double *numbers) {
    const zn_simulation *sim = r->simulation;
    numbers[0] = (double)sim->contacts.list.count, numbers[1] = numbers[2] = 0;
    double row = (double)(r->memory ? result_rows(r->memory) : r->rows);
    zn_status status = ZN_OK;
    for (int i = 0, count = zn_simulation_found_count(sim); i < count && status == ZN_OK; i++) {
        zn_found_contact c;
        status = zn_simulation_found(sim, i, &c);
        const double entry[N_ENTRY] = {
            row,         c.shape[0],  c.shape[1],  c.feature[0], c.feature[1],        c.point[0],      c.point[1],      c.point[2],
            c.normal[0], c.normal[1], c.normal[2], c.gap,        c.normal_percussion, c.percussion[0], c.percussion[1], c.percussion[2]};
        numbers[1] += c.normal_percussion > 0;
        numbers[2] += c.normal_percussion;
        bool open = c.gap > 0 && c.normal_percussion == 0; /* listed, and nothing more: not worth its bytes */
        if (status == ZN_OK && !open) status = put_entry(r, r->found_table, entry);
    }
    return status;
}

/* Events up to the row to come. */
static zn_status put_events(zn_recorder *r) {
    const zn_simulation *sim = r->simulation;
    double row = (double)(r->memory ? result_rows(r->memory) : r->rows);
    zn_status status = ZN_OK;
    for (;
         status == ZN_OK && r->last_contact_event < (long)sim->located.n_list && sim->located.list[r->last_contact_event].t <= sim->view.t;
         r->last_contact_event++) {
        const zn_contact_event *e = &sim->located.list[r->last_contact_event];
        int declared = sim->base->size.n_contacts;
        bool found = e->contact < 0;
        const double entry[N_EVENT + 1] = {row,
                                           e->t,
                                           found ? declared + e->shape[0] : e->contact,
                                           (double)e->kind,
                                           e->normal_before,
                                           e->normal_after,
                                           e->tangential_before,
                                           e->tangential_after,
                                           e->normal_impulse,
                                           e->tangential_impulse,
                                           e->energy_lost,
                                           found ? declared + e->shape[1] : -1};
        status = put_entry(r, r->contact_table, entry);
    }
    return status;
}

static zn_status put_scene_events(zn_recorder *r) {
    const sim_machine *m = &r->simulation->machine;
    zn_status status = ZN_OK;
    r->event[0] = (double)(r->memory ? result_rows(r->memory) : r->rows);
    for (; status == ZN_OK && r->last_event < (long)m->n_log && m->log[r->last_event].t <= r->simulation->view.t; r->last_event++) {
        r->event[1] = m->log[r->last_event].event, r->event[2] = m->log[r->last_event].t;
        put(r->event + N_EVENT_HEAD, sim_event_values(r->simulation, (size_t)r->last_event), sim_event_width(r->simulation));
        status = put_entry(r, r->scene_table, r->event);
    }
    return status;
}

zn_status zn_recorder_row(zn_recorder *r) {
    NEED_HANDLE(r, HANDLE_RECORDER);
    NEED_HANDLE(r->simulation, HANDLE_SIMULATION);
    const zn_simulation *sim = r->simulation;
    const zn_model *model = sim->base;
    int n = model_rows(model);
    double *next = r->row, kinetic, potential;
    zn_status status = zn_simulation_outputs(sim, r->outputs);
    if (status != ZN_OK) return status;
    *next++ = sim->view.t;
    next = put(next, sim->view.q, model->size.nq);
    next = put(next, sim->view.u, model->size.nu);
    bool one_step = sim->step - r->last_step == 1 && !sim->rows.dense; /* then free of the totals' round-off */
    for (int i = 0; i < n; i++) *next++ = one_step ? sim->P[i] : sim->view.P_total[i] - r->last_total[i];
    r->last_step = sim->step;
    next = put(next, sim->view.gaps, model->size.n_contacts);
    zn_simulation_energy(sim, &kinetic, &potential);
    if (model->energy && !isfinite(kinetic + potential)) return sim_fail_energy(r->context, sim, "the model", kinetic, potential);
    *next++ = kinetic;
    *next++ = potential;
    *next++ = kinetic + potential;
    next = put_outputs(r, next);
    for (int k = 0; k < model->size.n_contacts; k++) {
        zn_contact_work work = zn_simulation_contact_work(sim, k);
        *next++ = work.normal + work.friction;
    }
    if (r->forces) {
        const double *a, *lambda;
        sim_forces(sim, &a, &lambda);
        next = put(next, a, model->size.nu);
        for (int i = 0; i < n; i++) *next++ = lambda[sim_row_of_base(sim, i)];
    }
    if (r->found) {
        status = put_found(r, next);
        if (status != ZN_OK) return status;
        next += N_FOUND;
    }
    if (r->events) status = put_scene_events(r);
    if (r->contact_events && status == ZN_OK) status = put_events(r);
    if (status != ZN_OK) return status;
    r->rows++;
    for (int i = 0; i < CONE_PATH_COUNT; i++) {
        *next++ = (double)(sim->path_iterations[i] - r->last_iterations[i]);
        r->last_iterations[i] = sim->path_iterations[i];
    }
    memcpy(r->last_total, sim->view.P_total, (size_t)n * sizeof *r->last_total);
    return r->memory ? result_memory_row(r->memory, r->row) : result_writer_row(r->writer, r->row);
}

zn_status zn_recorder_flush(zn_recorder *r) {
    if (!r) return ZN_OK;
    NEED_HANDLE(r, HANDLE_RECORDER);
    return r->writer ? result_writer_flush(r->writer) : ZN_OK;
}

long zn_recorder_rows(const zn_recorder *r) {
    if (!HANDLE_GOOD(r, HANDLE_RECORDER)) return 0;
    return r->memory ? result_rows(r->memory) : result_writer_rows(r->writer);
}

const char *zn_recorder_path(const zn_recorder *r) {
    return HANDLE_GOOD(r, HANDLE_RECORDER) && r->writer ? result_writer_path(r->writer) : "";
}

zn_status zn_recorder_finish(zn_recorder *r, bool success) {
    if (!r) return ZN_OK;
    NEED_HANDLE(r, HANDLE_RECORDER);
    zn_status status = r->writer ? result_writer_finish(r->writer, success) : ZN_OK;
    release(r);
    handle_retire(&r->head, sizeof *r);
    return status;
}

zn_status zn_recorder_keep(zn_recorder *r, zn_result **result) {
    NEED_HANDLE(r, HANDLE_RECORDER);
    NEED(r->context, result);
    *result = NULL;
    if (!r->memory)
        return fail(r->context, ZN_ERROR_ARGUMENT, "%s: the recorder writes %s; only a recorder without a path keeps its rows in memory",
                    __func__, zn_recorder_path(r));
    *result = r->memory;
    r->memory = NULL;
    release(r);
    handle_retire(&r->head, sizeof *r);
    return ZN_OK;
}

/* ---- for many simulations of one model ---- */

result_file *sim_recorder_rows(const zn_recorder *r) { return r->memory; }

bool sim_recorder_restart(zn_recorder *r, const zn_simulation *sim) {
    if (!r->memory || r->forces != (sim->scheme->class->forces != NULL) || r->found != (sim->contacts.field != NULL) ||
        r->events != (sim_has_events(sim) && !r->found))
        return false;
    r->simulation = sim;
    r->last_step = r->rows = r->last_event = r->last_contact_event = 0;
    memset(r->last_total, 0, (size_t)model_rows(sim->base) * sizeof *r->last_total);
    memset(r->last_iterations, 0, sizeof r->last_iterations);
    result_memory_clear(r->memory);
    return true;
}

/* ---- going on with the rows of an earlier run ---- */

void sim_recorder_carry(zn_recorder *r, byte_stream *b) {
    BYTES_PASS(b, r->last_event), BYTES_PASS(b, r->last_contact_event); /* of those that the simulation carries */
    BYTES_PASS(b, r->rows), BYTES_PASS(b, r->last_step), BYTES_PASS(b, r->last_iterations);
    BYTES_PASS_ARRAY(b, r->last_total, model_rows(r->simulation->base));
}

zn_status sim_recorder_copy(zn_recorder *r, result_file *from, long rows) { return result_writer_append(r->writer, from, rows); }
