/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces by formulas over coordinates of parts: constraints, forces, energies, masses, contacts, outputs. A formula becomes a piece on the
 * bodies that it names and on no others, so that large models stay sparse. Their meaning: formula_express.c. */
#include "model/parts/formulas.h"

#include <stdio.h>

/* A piece on the bodies that formulas name; `given`: bodies that come first, ended by -1; NULL: none. Its texts are the caller's to add. */
static parts_piece *begin(zn_parts *parts, const char *name, const char *what, zn_sizes rows, int n, const zn_formula *formulas,
                          const int *given, zn_status *status) {
    int count, *bodies, n_given = 0;
    while (given && given[n_given] >= 0) n_given++;
    *status = parts_bodies_of(parts, n, formulas, n_given, given, &count, &bodies);
    if (*status != ZN_OK) return NULL;
    parts_piece shape = {.what = what,
                         .name = (char *)(uintptr_t)name,
                         .express = parts_express_formulas,
                         .own_kind = true,
                         .n_bodies = count,
                         .bodies = bodies,
                         .rows = rows,
                         .n_outputs = !strcmp(what, "output")};
    parts_piece *piece = parts_piece_begin(parts, &shape);
    mem_free(parts->context, bodies);
    if (!piece) *status = parts_last_status(parts);
    else if (!(piece->texts = zn_formula_model_create(parts->context))) *status = ZN_ERROR_MEMORY;
    return *status == ZN_OK ? piece : NULL;
}

zn_status zn_parts_position_constraint(zn_parts *parts, const char *name, zn_formula g) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_status status;
    parts_piece *piece = begin(parts, name, "formula constraint", (zn_sizes){.ng = 1}, 1, &g, NULL, &status);
    return piece ? zn_formula_position_constraint(piece->texts, name, g) : status;
}

zn_status zn_parts_velocity_constraint(zn_parts *parts, const char *name, zn_formula gamma) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_status status;
    parts_piece *piece = begin(parts, name, "formula velocity constraint", (zn_sizes){.ny = 1}, 1, &gamma, NULL, &status);
    return piece ? zn_formula_velocity_constraint(piece->texts, name, gamma) : status;
}

bool formula_is_column(const zn_parts *parts, const char *name) {
    char text[320];
    int body = parts_find_body(parts, name, strcspn(name, ".'"));
    if (!strcmp(name, "t")) return true;
    for (int i = 0; body >= 0 && i < body_nq(parts->bodies[body].kind); i++)
        if (!strcmp(parts_q_name(&parts->bodies[body], i, text, sizeof text), name)) return true;
    for (int i = 0; body >= 0 && i < body_nu(parts->bodies[body].kind); i++)
        if (!strcmp(parts_u_name(&parts->bodies[body], i, text, sizeof text), name)) return true;
    for (size_t i = 0; i < parts->n_pieces; i++)
        for (int k = 0; k < parts->pieces[i].n_outputs; k++)
            if (parts->pieces[i].outputs[k] && !strcmp(parts->pieces[i].outputs[k], name)) return true;
    return false;
}

zn_status parts_add_probes(zn_parts *parts) {
    zn_status status = ZN_OK;
    for (int i = 0, n = machine_probe_count(parts->machine); status == ZN_OK && i < n; i++) {
        char name[40];
        zn_formula formula = machine_probe(parts->machine, i);
        snprintf(name, sizeof name, "probe %d", i);
        parts_piece *piece = begin(parts, name, "probe", (zn_sizes){0}, 1, &formula, NULL, &status);
        if (!piece) continue;
        piece->variant = machine_probe_is_condition(parts->machine, i) ? FORMULA_CONDITION : FORMULA_PROBE;
        status = zn_formula_output(piece->texts, name, formula);
    }
    return status;
}

zn_status zn_parts_output(zn_parts *parts, const char *name, zn_formula value) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_status status;
    if (!name || !*name) return fail(parts->context, ZN_ERROR_ARGUMENT, "an output needs a name");
    if (formula_is_column(parts, name)) {
        error_place place = {.file = value.file, .line = value.line, .column = value.column, .time = NAN};
        return fail_at(parts->context, ZN_ERROR_MODEL, &place, "the name '%s' of an output is already taken", name);
    }
    char *label = mem_format(parts->context, "output %s", name); /* its column may have the name of a joint */
    if (!label) return ZN_ERROR_MEMORY;
    parts->in_output = true;
    parts_piece *piece = begin(parts, label, "output", (zn_sizes){0}, 1, &value, NULL, &status);
    parts->in_output = false;
    if (piece) status = zn_formula_output(piece->texts, name, value);
    if (piece && !(piece->outputs[0] = mem_text(parts->context, name))) status = ZN_ERROR_MEMORY;
    mem_free(parts->context, label);
    return status;
}

static zn_status add_energy(zn_parts *parts, const char *name, const char *what, zn_formula kinetic, zn_formula potential) {
    zn_status status;
    parts_piece *piece = begin(parts, name, what, (zn_sizes){0}, 2, (zn_formula[]){kinetic, potential}, NULL, &status);
    return piece ? zn_formula_energy(piece->texts, kinetic, potential) : status;
}

/* Two pieces: what the potential names has nothing to do with what the kinetic energy names. */
zn_status zn_parts_energy(zn_parts *parts, const char *name, zn_formula kinetic, zn_formula potential) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    const zn_formula none = {0};
    if (parts->alone) return zn_formula_energy(parts->alone, kinetic, potential);
    if (!name || !*name) return fail(parts->context, ZN_ERROR_ARGUMENT, "an energy needs a name");
    zn_status status = kinetic.text ? add_energy(parts, name, "kinetic energy", kinetic, none) : ZN_OK;
    if (status != ZN_OK || !potential.text) return status;
    char *other = kinetic.text ? mem_format(parts->context, "%s.potential", name) : mem_text(parts->context, name);
    if (!other) return ZN_ERROR_MEMORY;
    status = add_energy(parts, other, "potential energy", none, potential);
    mem_free(parts->context, other);
    return status;
}

int formula_find_velocity(const zn_parts *parts, const char *name, int *velocity) {
    int body = parts_find_body(parts, name, strcspn(name, ".'"));
    if (body < 0) return -1;
    const parts_body *b = &parts->bodies[body];
    char text[320];
    for (int i = 0; i < body_nu(b->kind); i++) {
        bool natural = i < 3 || b->kind != BODY_SPATIAL;
        *velocity = i;
        if (!strcmp(parts_u_name(b, i, text, sizeof text), name)) return body;
        if (natural && !strcmp(parts_q_name(b, i, text, sizeof text), name)) return body;
    }
    return -1;
}

zn_status formula_no_velocity(zn_parts *parts, const char *name, zn_formula where, const char *what) {
    char hint[100], prefix[64];
    snprintf(prefix, sizeof prefix, "%.*s", (int)(strcspn(name, ".'") < 60 ? strcspn(name, ".'") : 60), name);
    bool known = parts_find_body(parts, prefix, strlen(prefix)) >= 0;
    error_place place = {.file = where.file, .line = where.line, .column = where.column, .time = NAN};
    return fail_at(parts->context, ZN_ERROR_MODEL, &place, "there is no velocity '%.60s' that %s%s", name, what,
                   known ? "" : parts_body_hint(parts, prefix, hint, sizeof hint));
}

zn_status zn_parts_mass(zn_parts *parts, const char *row, const char *column, zn_formula value) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, row);
    if (!value.text) return fail(parts->context, ZN_ERROR_ARGUMENT, "the mass of '%s' needs a formula", row);
    if (!column) column = row;
    zn_status status = ZN_OK;
    int velocity, bodies[3] = {formula_find_velocity(parts, row, &velocity), formula_find_velocity(parts, column, &velocity), -1};
    for (int i = 0; i < 2; i++)
        if (bodies[i] < 0) return formula_no_velocity(parts, i ? column : row, value, "could have a mass");
    char *name = mem_format(parts->context, "mass of %s, %s", row, column),
         *turned = mem_format(parts->context, "mass of %s, %s", column, row);
    int other = turned && strcmp(row, column) ? names_find(&parts->piece_names, 0, turned, strlen(turned)) : -1;
    parts_piece *piece = other >= 0 ? &parts->pieces[other] : NULL; /* its other half */
    if (!name || !turned) status = ZN_ERROR_MEMORY;
    else if (!piece || piece->texts->mass.count > 1) piece = begin(parts, name, "mass", (zn_sizes){0}, 1, &value, bodies, &status);
    if (status == ZN_OK) status = zn_formula_mass(piece->texts, row, column, value);
    mem_free(parts->context, name);
    mem_free(parts->context, turned);
    return status;
}

zn_status zn_parts_generalised_force(zn_parts *parts, const char *coordinate, zn_formula value) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, coordinate);
    zn_status status;
    int velocity, body = formula_find_velocity(parts, coordinate, &velocity);
    if (body < 0) return formula_no_velocity(parts, coordinate, value, "a force could act on");
    char *name = mem_format(parts->context, "force on %s (%zu)", coordinate, parts->n_pieces);
    if (!name) return ZN_ERROR_MEMORY;
    parts_piece *piece = begin(parts, name, "formula force", (zn_sizes){0}, 1, &value, (int[]){body, -1}, &status);
    if (piece) status = zn_formula_force(piece->texts, coordinate, value);
    mem_free(parts->context, name);
    return status;
}

/* All formulas of a contact that may name coordinates. */
static int contact_names(const zn_contact_def *def, int room, zn_formula *formulas) {
    int count = 0;
    if (def->gap.text) formulas[count++] = def->gap;
    for (int i = 0; i < def->n_laws; i++)
        for (int j = 0; j < def->laws[i].n_slips && count < room; j++) formulas[count++] = def->laws[i].slips[j];
    return count;
}

zn_status zn_parts_contact_formula(zn_parts *parts, const char *name, const zn_contact_def *def) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    enum { MOST = 32 };
    zn_formula formulas[MOST];
    if (parts->alone) return zn_formula_contact(parts->alone, name, def);
    zn_status status = formula_check_contact(parts->context, name, def);
    if (status != ZN_OK) return status;
    zn_sizes rows = {.nN = def->gap.text != NULL};
    for (int i = 0; i < def->n_laws; i++) rows.nF += def->laws[i].n_slips;
    parts_piece *piece = begin(parts, name, "formula contact", rows, contact_names(def, MOST, formulas), formulas, NULL, &status);
    return piece ? zn_formula_contact(piece->texts, name, def) : status;
}
