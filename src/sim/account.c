/* SPDX-License-Identifier: Apache-2.0 */
/* The account of energy: what each part has, what its forces without potential have supplied so far, and what is missing.
 *
 *     work of a part   sum over steps of h/2 (P_begin + P_end), P the power of its forces without potential
 *     lost             T + V at the start + work of all parts - (T + V) now: contacts, drives, and the scheme's own error      */
#include "sim/simulation.h"
#include "zeno/parts.h"

struct zn_account {
    zn_context *context;
    const zn_simulation *simulation;
    void *work;
    int n_parts;
    zn_part_energy *now; /* of each part; power at the last row */
    double *supplied;
    double t, start;
};

static zn_status ask(zn_account *a, zn_part_energy *energies, double *total) {
    const zn_simulation *s = a->simulation;
    const zn_model *model = zn_simulation_model(s);
    zn_point at = {.t = zn_simulation_time(s), .q = zn_simulation_positions(s), .u = zn_simulation_velocities(s)};
    *total = 0;
    for (int i = 0; i < a->n_parts; i++) {
        zn_status status = zn_model_part_energy(model, a->work, i, &at, &energies[i]);
        if (status != ZN_OK)
            return fail(a->context, status, "the energy of '%s' cannot be evaluated", zn_model_part_info(model, i).name);
        *total += energies[i].kinetic + energies[i].potential;
    }
    return ZN_OK;
}

zn_status zn_account_create(zn_context *context, const zn_simulation *simulation, zn_account **out) {
    const zn_model *model = zn_simulation_model(simulation);
    *out = NULL;
    if (!zn_model_part_count(model))
        return fail(context, ZN_ARGUMENT, "the model is not made of parts: it has no account of their energies");
    zn_account *a = MEM_ARRAY(context, zn_account, 1);
    if (!a) return ZN_MEMORY;
    *a = (zn_account){.context = context,
                      .simulation = simulation,
                      .n_parts = zn_model_part_count(model),
                      .t = zn_simulation_time(simulation)};
    a->work = mem_array(context, model->work_bytes, 1);
    a->now = MEM_ARRAY(context, zn_part_energy, a->n_parts);
    a->supplied = MEM_ARRAY(context, double, a->n_parts);
    zn_status status = a->work && a->now && a->supplied ? ask(a, a->now, &a->start) : ZN_MEMORY;
    if (status != ZN_OK)
        zn_account_destroy(a);
    else
        *out = a;
    return status;
}

void zn_account_destroy(zn_account *a) {
    if (!a) return;
    void *blocks[] = {a->work, a->now, a->supplied};
    for (int i = 0; i < 3; i++) mem_free(a->context, blocks[i]);
    mem_free(a->context, a);
}

zn_status zn_account_update(zn_account *a) {
    double t = zn_simulation_time(a->simulation), half = (t - a->t) / 2, total;
    for (int i = 0; i < a->n_parts; i++) a->supplied[i] += half * a->now[i].power;
    zn_status status = ask(a, a->now, &total);
    for (int i = 0; i < a->n_parts; i++) a->supplied[i] += half * a->now[i].power;
    a->t = t;
    return status;
}

zn_part_account zn_account_part(const zn_account *a, int part) {
    if (part < 0 || part >= a->n_parts) return (zn_part_account){0};
    return (zn_part_account){a->now[part].kinetic, a->now[part].potential, a->supplied[part], 0};
}

zn_part_account zn_account_total(const zn_account *a) {
    zn_part_account sum = {0};
    for (int i = 0; i < a->n_parts; i++) {
        sum.kinetic += a->now[i].kinetic;
        sum.potential += a->now[i].potential;
        sum.work += a->supplied[i];
    }
    sum.lost = a->start + sum.work - sum.kinetic - sum.potential;
    return sum;
}
