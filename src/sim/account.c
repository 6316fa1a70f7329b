/* SPDX-License-Identifier: Apache-2.0 */
/* The account of energy: what each part has, what it supplied and took so far, and what is missing.
 *
 *     work of a part      sum over steps of h/2 (P_begin + P_end), P the power of its forces without potential
 *     supplied, normal,
 *     friction            work of the rows of lambda: see work.c
 *     events              what events, inputs and samples did between steps: see work.c
 *     scheme              what is left: energy now - start - work - supplied - events + normal + friction
 *     available           T_start + V_start - min V + sum over updates of the positive parts of work, supplied and events, and of -normal
 * and -friction where
 *                         the law of impacts created energy (impacts.c)
 *     created             the largest growth of `scheme`, as far as energy grew, in a step in which contacts did work: where a step does
 * not resolve its impacts (bodies that turn by a third of a
 *                         radian in it) much may be gained at once, and the motion be right afterwards. Without contacts the energy of
 * explicit schemes goes up and
 *                         down by itself
 *
 * Energy that is present, T + V - min V, is at most what was available, whatever was dissipated. A motion with twice as much, and not just
 * round-off,
 * diverges: no error of a correct run gets there, for energy that comes and goes, by drives and dampers, counts each time that it comes. */
#include "zeno/account.h"
#include "model/formula_model.h"
#include "sim/simulation.h"
#include "zeno/parts.h"

/* Of the energies that velocities have shown: less than this is round-off of a system at rest. */
static const double noticeable = 0.1;
/* More than what was available by this factor is too much. */
static const double much = 2;
/* Of what was available: more than this is not created in a step by errors of a correct run. */
static const double jump = 0.1;

/* The rows and contacts of a part in the whole: first and number. */
typedef struct account_rows {
    int g, ng, y, ny, contact, n_contacts;
} account_rows;

struct zn_account {
    HANDLE_HEAD;
    const zn_simulation *simulation;
    void *work;
    int n_parts;
    bool whole;          /* not made of parts: one part that is everything */
    zn_part_energy *now; /* of each part; power at the last row */
    double *supplied;    /* by forces */
    account_rows *rows;
    double *before; /* work of rows when the account was made */
    double t, start;
    double kinetic_start, potential_start, potential_least;
    double came, came_by_impacts; /* sums of what was supplied */
    double created, created_at;
    zn_part_account last; /* totals at the last update */
};

static zn_status ask(zn_account *a, zn_part_energy *energies, double *total) {
    const zn_simulation *s = a->simulation;
    const zn_model *model = s->base;
    zn_point at = {.t = zn_simulation_time(s), .q = zn_simulation_positions(s), .u = zn_simulation_velocities(s)};
    *total = 0;
    for (int i = 0; i < a->n_parts; i++) {
        zn_part_energy *e = &energies[i];
        zn_status status = ZN_OK;
        if (!a->whole) status = zn_model_part_energy(model, a->work, i, &at, e);
        else if (model->energy(model, a->work, &at, &e->kinetic, &e->potential)) status = ZN_ERROR_NOT_FINITE;
        else formula_model_power(model, a->work, &at, &e->power);
        if (status != ZN_OK)
            return fail(a->context, status, "the energy of '%s' cannot be evaluated",
                        a->whole ? "the model" : zn_model_part_info(model, i).name);
        if (!isfinite(e->kinetic + e->potential))
            return sim_fail_energy(a->context, s, a->whole ? "the model" : zn_model_part_info(model, i).name, e->kinetic, e->potential);
        *total += e->kinetic + e->potential;
    }
    return ZN_OK;
}

static bool is_noticeable(const zn_account *a, double energy) {
    double seen = a->simulation->scheme->scales.energy; /* the root of twice the energy of a velocity, forces of a first step included */
    return energy > noticeable * seen * seen;
}

/* Rows of lambda are numbered through the parts: all g, then all y, then the contacts. */
static void find_rows(zn_account *a) {
    const zn_sizes *size = &a->simulation->base->size;
    account_rows next = {.y = size->ng};
    for (int i = 0; i < a->n_parts; i++) {
        zn_part_info info = zn_model_part_info(a->simulation->base, i);
        if (a->whole) info = (zn_part_info){.ng = size->ng, .ny = size->ny, .n_contacts = size->n_contacts};
        next.ng = info.ng, next.ny = info.ny, next.n_contacts = info.n_contacts;
        a->rows[i] = next;
        next.g += info.ng, next.y += info.ny, next.contact += info.n_contacts;
    }
}

/* The account and its simulation are there. */
static bool is_open(const zn_account *a) { return HANDLE_GOOD(a, HANDLE_ACCOUNT) && HANDLE_GOOD(a->simulation, HANDLE_SIMULATION); }

zn_part_account zn_account_part(const zn_account *a, int part) {
    if (!is_open(a) || part < 0 || part >= a->n_parts) return (zn_part_account){0};
    const account_rows *rows = &a->rows[part];
    zn_part_account out = {.kinetic = a->now[part].kinetic, .potential = a->now[part].potential, .work = a->supplied[part]};
    const double *now = a->simulation->view.work, *before = a->before;
    for (int k = rows->contact; k < rows->contact + rows->n_contacts; k++) {
        int first = k * SIM_WORK_OF_CONTACT;
        out.normal += now[first + SIM_NORMAL] - before[first + SIM_NORMAL];
        out.friction += now[first + SIM_FRICTION] - before[first + SIM_FRICTION];
        out.supplied += now[first + SIM_MOVING] - before[first + SIM_MOVING];
    }
    int bilateral = SIM_WORK_OF_CONTACT * a->simulation->base->size.n_contacts;
    for (int i = bilateral + rows->g; i < bilateral + rows->g + rows->ng; i++) out.supplied += now[i] - before[i];
    for (int i = bilateral + rows->y; i < bilateral + rows->y + rows->ny; i++) out.supplied += now[i] - before[i];
    return out;
}

static zn_part_account add_parts(const zn_account *a) {
    zn_part_account sum = {.start = a->start};
    for (int i = 0; i < a->n_parts; i++) {
        zn_part_account part = zn_account_part(a, i);
        sum.kinetic += part.kinetic;
        sum.potential += part.potential;
        sum.work += part.work;
        sum.supplied += part.supplied;
        sum.normal += part.normal;
        sum.friction += part.friction;
    }
    const double *now = a->simulation->view.work + a->simulation->work.others, *before = a->before + a->simulation->work.others;
    sum.normal += now[SIM_NORMAL] - before[SIM_NORMAL]; /* found contacts belong to no part */
    sum.friction += now[SIM_FRICTION] - before[SIM_FRICTION];
    sum.supplied += now[SIM_MOVING] - before[SIM_MOVING];
    sum.events = a->simulation->view.work[a->simulation->work.outside] - a->before[a->simulation->work.outside];
    return sum;
}

/* What is left of the energy, and what was available, by the sums so far. */
static void complete(const zn_account *a, zn_part_account *sum) {
    sum->scheme = sum->kinetic + sum->potential - a->start - sum->work - sum->supplied - sum->events + sum->normal + sum->friction;
    sum->available = a->kinetic_start + a->potential_start - a->potential_least + a->came;
    if (a->simulation->impacts.count > 0) sum->available += a->came_by_impacts;
}

static void release(zn_account *a) {
    void *blocks[] = {a->work, a->now, a->supplied, a->rows, a->before};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(a->context, blocks[i]);
}

zn_status zn_account_create(zn_context *context, const zn_simulation *simulation, zn_account **out) {
    NEED_CONTEXT(context);
    NEED(context, out);
    *out = NULL;
    NEED(context, simulation);
    NEED_HANDLE(simulation, HANDLE_SIMULATION);
    const zn_model *model = simulation->base;
    if (!model->energy) return fail(context, ZN_ERROR_ARGUMENT, "the model has no energy function, so there is no account of its energy");
    zn_account *a = MEM_ARRAY(context, zn_account, 1);
    if (!a) return ZN_ERROR_MEMORY;
    int parts = zn_model_part_count(model);
    *a = (zn_account){.head = {HANDLE_ACCOUNT, context},
                      .simulation = simulation,
                      .n_parts = parts ? parts : 1,
                      .whole = parts == 0,
                      .t = zn_simulation_time(simulation)};
    a->work = mem_array(context, model->work_bytes, 1);
    a->now = MEM_ARRAY(context, zn_part_energy, a->n_parts);
    a->supplied = MEM_ARRAY(context, double, a->n_parts);
    a->rows = MEM_ARRAY(context, account_rows, a->n_parts);
    a->before = MEM_ARRAY(context, double, simulation->work.count);
    zn_status status = a->work && a->now && a->supplied && a->rows && a->before ? ask(a, a->now, &a->start) : ZN_ERROR_MEMORY;
    if (status != ZN_OK) {
        release(a), mem_free(context, a);
        return status;
    }
    find_rows(a);
    memcpy(a->before, simulation->view.work, simulation->work.count * sizeof *a->before);
    a->last = add_parts(a);
    a->kinetic_start = a->last.kinetic;
    a->potential_start = a->potential_least = a->last.potential;
    *out = a;
    return ZN_OK;
}

void zn_account_destroy(zn_account *a) {
    if (!HANDLE_GOOD(a, HANDLE_ACCOUNT)) return;
    release(a);
    handle_retire(&a->head, sizeof *a);
}

zn_status zn_account_update(zn_account *a) {
    NEED_HANDLE(a, HANDLE_ACCOUNT);
    NEED_HANDLE(a->simulation, HANDLE_SIMULATION);
    double t = zn_simulation_time(a->simulation), half = (t - a->t) / 2, total;
    for (int i = 0; i < a->n_parts; i++) {
        a->supplied[i] += half * a->now[i].power;
        a->came += larger(half * a->now[i].power, 0);
    }
    zn_status status = ask(a, a->now, &total);
    for (int i = 0; i < a->n_parts; i++) {
        a->supplied[i] += half * a->now[i].power;
        a->came += larger(half * a->now[i].power, 0);
    }
    a->t = t;
    zn_part_account sum = add_parts(a);
    a->came += larger(sum.supplied - a->last.supplied, 0) + larger(sum.events - a->last.events, 0);
    a->came_by_impacts += larger(a->last.normal - sum.normal, 0) + larger(a->last.friction - sum.friction, 0);
    a->potential_least = smaller(a->potential_least, sum.potential);
    complete(a, &sum);
    double created = smaller(sum.scheme - a->last.scheme, total - a->last.kinetic - a->last.potential);
    bool acted = sum.normal != a->last.normal || sum.friction != a->last.friction;
    if (acted && is_worse(created, a->created)) a->created = created, a->created_at = t;
    a->last = sum;
    return status;
}

zn_part_account zn_account_total(const zn_account *a) {
    if (!is_open(a)) return (zn_part_account){0};
    zn_part_account sum = add_parts(a);
    sum.lost = a->start + sum.work - sum.kinetic - sum.potential;
    complete(a, &sum);
    double present = sum.kinetic + sum.potential - a->potential_least;
    sum.diverged = present > much * sum.available && is_noticeable(a, present);
    sum.created = a->created, sum.created_at = a->created_at;
    sum.jumped = a->created > jump * sum.available && is_noticeable(a, a->created);
    return sum;
}

/* ---- as bytes ---- */

void sim_account_carry(zn_account *a, byte_stream *b) {
    for (int i = 0; i < a->n_parts; i++) {
        BYTES_PASS(b, a->now[i].kinetic), BYTES_PASS(b, a->now[i].potential), BYTES_PASS(b, a->now[i].power);
        BYTES_PASS(b, a->supplied[i]);
    }
    BYTES_PASS_ARRAY(b, a->before, a->simulation->work.count);
    BYTES_PASS(b, a->t), BYTES_PASS(b, a->start), BYTES_PASS(b, a->kinetic_start), BYTES_PASS(b, a->potential_start);
    BYTES_PASS(b, a->potential_least), BYTES_PASS(b, a->came), BYTES_PASS(b, a->came_by_impacts);
    BYTES_PASS(b, a->created), BYTES_PASS(b, a->created_at), BYTES_PASS(b, a->last.scheme);
    BYTES_PASS(b, a->last.kinetic), BYTES_PASS(b, a->last.potential);
    BYTES_PASS(b, a->last.normal), BYTES_PASS(b, a->last.friction), BYTES_PASS(b, a->last.supplied),
        BYTES_PASS(b, a->last.events); /* all that updates look at */
}
