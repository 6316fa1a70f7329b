/* SPDX-License-Identifier: Apache-2.0 */
/* Joints: what they need, their rows, and how a definition becomes a piece. */
#include "base/list.h"
#include "model/machine.h"
#include "model/parts/joint.h"

LIST_IS_WHOLE(ZN_JOINT_LIST, ZN_JOINT_TYPE_COUNT);
#define X(name, identifier, word, sentence) extern const joint_type joint_##identifier;
ZN_JOINT_LIST(X)
#undef X

const joint_type *const joint_types[] = {
#define X(name, identifier, word, sentence) &joint_##identifier,
    ZN_JOINT_LIST(X)
#undef X
};

zn_joint_def zn_default_joint_def(void) { return (zn_joint_def){.type = ZN_JOINT_REVOLUTE}; }

/* ---- shared rows ---- */

void joint_same_point(joint_sketch *j) {
    for (int i = 0; i < (j->planar ? 2 : 3); i++) sketch_g(j->k, j->d.x[i]);
}

void joint_same_axis(joint_sketch *j) {
    sketch_g(j->k, evec_dot(j->k, j->a.z, j->b.x));
    sketch_g(j->k, evec_dot(j->k, j->a.z, j->b.y));
}

void joint_same_rotation(joint_sketch *j) {
    sketch_g(j->k, evec_dot(j->k, j->a.x, j->b.y));
    if (j->planar) return;
    sketch_g(j->k, evec_dot(j->k, j->a.y, j->b.z));
    sketch_g(j->k, evec_dot(j->k, j->a.z, j->b.x));
}

void joint_on_axis(joint_sketch *j) {
    if (!j->planar) sketch_g(j->k, evec_dot(j->k, j->d, j->a.x));
    sketch_g(j->k, evec_dot(j->k, j->d, j->a.y));
}

/* ---- from definitions to pieces ---- */

zn_status parts_express_joint(zn_parts *parts, sketch *k, const parts_piece *piece) {
    const joint_type *type = joint_types[piece->variant & JOINT_TYPE_MASK];
    joint_sketch j = {.k = k, .a = sketch_next_frame(k, 0), .b = sketch_next_frame(k, 1)};
    sketch_is_geometric(k);
    j.planar = body_is_planar(k->body[0].kind) && body_is_planar(k->body[1].kind);
    j.turns = body_turns(k->body[0].kind) || body_turns(k->body[1].kind);
    j.d = evec_sub(k, j.b.p, j.a.p);
    if (type->extra) j.extra = sketch_parameter(k);
    zn_status status = type->has_drive ? parts_formula_of_time(parts, k, piece, &piece->formulas[0], &j.drive) : ZN_OK;
    bool on_positions = j.planar ? type->g_plane : type->g_space;
    if (status == ZN_OK && type->has_drive && on_positions) j.drive = machine_functions(k->s.machine, k->g, k->s.input, j.drive);
    if (status == ZN_OK && !(piece->variant & JOINT_LOOSE)) type->express(&j);
    if (status == ZN_OK && piece->variant & JOINT_RUBS) sketch_slip(k, joint_rate(&j, type->slides));
    return status;
}

/* The contact of friction by what the joint carries: its force is the first rows, in whatever directions. */
static void set_friction(parts_piece *piece, const joint_type *type, bool planar, const zn_joint_options *o) {
    zn_contact *c = &piece->contacts[0];
    *c = (zn_contact){.row_N = -1, .normal_force = o->preload, .row_F = piece->rows.ng, .nF = 1, .n_balls = 1, .balls = piece->balls};
    piece->balls[0] = (zn_ball){1, type->slides ? o->friction : o->friction * o->friction_radius};
    c->n_load = type->carries + !planar;
    for (int i = 0; i < c->n_load; i++) c->load_rows[i] = i;
    if (!(o->friction_length > 0) || !type->slides || piece->rows.ng < (planar ? 2 : 5)) return; /* particles do not turn: no moments */
    /* Rows of rotation, in the plane x_a.y_b; in space y_a.z_b and z_a.x_b are moments -m_x and -m_y. The ends of a sleeve carry f/2 +-
     * (m_y, -m_x)/L. */
    c->load_length = o->friction_length;
    c->n_load = planar ? 2 : 4;
    c->load_rows[planar ? 1 : 2] = planar ? 1 : 4;
    if (!planar) c->load_rows[3] = 3;
}

static zn_status check_bodies(zn_parts *parts, const zn_joint_def *def, const joint_type *type, const parts_body *a, const parts_body *b) {
    zn_context *context = parts->context;
    if (a == b) return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s' joins '%s' to itself", type->what, def->name, a->name);
    if (!body_is_free(a->kind) && !body_is_free(b->kind))
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s' joins '%s' and '%s', neither of which has coordinates", type->what, def->name,
                    a->name, b->name);
    if (type->space_only && body_is_planar(a->kind) && body_is_planar(b->kind))
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s' is for space, but '%s' and '%s' are in the plane", type->what, def->name,
                    a->name, b->name);
    if (type->needs_turning && !body_turns(a->kind) && !body_turns(b->kind))
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s' needs a body that can turn, but '%s' and '%s' cannot", type->what, def->name,
                    a->name, b->name);
    if (type->extra == JOINT_RADIUS && !body_turns(a->kind))
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s': '%s' is to roll, but cannot turn", type->what, def->name, a->name);
    return ZN_OK;
}

static zn_status check_values(zn_parts *parts, const zn_joint_def *def, const joint_type *type, double *extra) {
    static const char *const names[] = {"", "length", "radius", "ratio"};
    const double values[] = {0, def->length, def->radius, def->ratio};
    *extra = values[type->extra];
    bool good = type->extra == JOINT_RATIO ? *extra != 0 : *extra > 0;
    if (type->extra && (!good || !isfinite(*extra)))
        return fail(parts->context, ZN_ERROR_ARGUMENT, "the %s '%s' needs a %s that is %s, but it is %g", type->what, def->name,
                    names[type->extra], type->extra == JOINT_RATIO ? "not zero" : "positive", *extra);
    if (type->has_drive && !def->drive.text)
        return fail(parts->context, ZN_ERROR_ARGUMENT, "the %s '%s' needs a drive (formula of t)", type->what, def->name);
    if (!type->has_drive && def->drive.text)
        return fail(parts->context, ZN_ERROR_ARGUMENT, "the %s '%s' has no drive", type->what, def->name);
    return ZN_OK;
}

static zn_sizes count_rows(const joint_type *type, body_kind a, body_kind b) {
    bool planar = body_is_planar(a) && body_is_planar(b), turns = body_turns(a) || body_turns(b);
    if (planar) return (zn_sizes){.ng = type->g_plane + (turns ? type->g_plane_turning : 0), .ny = type->y_plane};
    return (zn_sizes){.ng = type->g_space + (turns ? type->g_space_turning : 0), .ny = type->y_space};
}

zn_status zn_parts_joint(zn_parts *parts, const zn_joint_def *def) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED_DEF(parts->context, def);
    if ((int)def->type < 0 || def->type >= ZN_JOINT_TYPE_COUNT) return fail(parts->context, ZN_ERROR_ARGUMENT, "unknown type of joint");
    if (!def->name || !*def->name) return fail(parts->context, ZN_ERROR_ARGUMENT, "a %s needs a name", joint_types[def->type]->what);
    const joint_type *type = joint_types[def->type];
    if (type->line) return parts_rope(parts, def);
    parts_frame *a = parts_get_frame(parts, def->a, type->what), *b = parts_get_frame(parts, def->b, type->what);
    if (!a || !b) return ZN_ERROR_ARGUMENT;
    double extra;
    const body_kind kind_a = parts->bodies[a->body].kind, kind_b = parts->bodies[b->body].kind;
    zn_status status = check_bodies(parts, def, type, &parts->bodies[a->body], &parts->bodies[b->body]);
    if (status == ZN_OK) status = parts_check_axes(parts, a, b, type->what, def->name);
    if (status == ZN_OK) status = check_values(parts, def, type, &extra);
    if (status == ZN_OK) status = parts_check_options(parts, type, def);
    int count = 0, *bodies = NULL; /* those that the drive names come behind */
    if (status == ZN_OK) status = parts_bodies_of(parts, type->has_drive, &def->drive, 2, (int[]){a->body, b->body}, &count, &bodies);
    if (status != ZN_OK) return status;
    const bool rubs = def->options && def->options->friction > 0;
    zn_sizes rows = count_rows(type, kind_a, kind_b);
    const bool loose = def->options && def->options->backlash > 0 && (type->has_drive || def->type == ZN_JOINT_GEAR);
    if (loose) rows = (zn_sizes){0};
    rows.nF = rubs;
    parts_piece shape = {.what = type->what,
                         .glyph = type->glyph,
                         .name = (char *)(uintptr_t)def->name,
                         .express = parts_express_joint,
                         .variant = (int)def->type | (rubs ? JOINT_RUBS : 0) | (loose ? JOINT_LOOSE : 0),
                         .own_kind = type->has_drive,
                         .n_bodies = count,
                         .bodies = bodies,
                         .rows = rows,
                         .n_parameters = 2 * SKETCH_FRAME_PARAMETERS + (type->extra != JOINT_NOTHING),
                         .n_contacts = rubs,
                         .n_balls = rubs,
                         .n_formulas = type->has_drive};
    parts_piece *piece = parts_piece_begin(parts, &shape);
    mem_free(parts->context, bodies);
    if (!piece) return parts_last_status(parts);
    bool planar = parts_frames_are_planar(parts, a, b);
    double *next = parts_put_frame(parts_put_frame(piece->parameters, a, planar), b, planar);
    if (type->extra) *next = extra;
    if (rubs) set_friction(piece, type, planar, def->options);
    if (rubs && !(piece->contact_name = mem_format(parts->context, "%s.friction", def->name))) return ZN_ERROR_MEMORY;
    if (type->has_drive) status = parts_keep_formula(parts, &piece->formulas[0], def->drive);
    return status == ZN_OK ? parts_joint_options(parts, (int)parts->n_pieces - 1, def) : status;
}
