/* SPDX-License-Identifier: Apache-2.0 */
/* Forces: what they need, and how a definition becomes a piece. Gravity belongs to the bodies. */
#include "base/list.h"
#include "model/parts/force.h"

enum { N_FORMULAS = 7 }; /* value, force[3], torque[3] */

LIST_IS_WHOLE(ZN_FORCE_LIST, ZN_FORCE_TYPE_COUNT);
#define X(name, identifier, word, keys, sentence) extern const force_type force_##identifier;
ZN_FORCE_LIST(X)
#undef X

const force_type *const force_types[] = {
#define X(name, identifier, word, keys, sentence) &force_##identifier,
    ZN_FORCE_LIST(X)
#undef X
};
_Static_assert(ZN_FORCE_TYPE_COUNT <= FORCE_TYPE_MASK + 1, "variants have bits for every type");

zn_force_def zn_default_force_def(void) { return (zn_force_def){.type = ZN_FORCE_SPRING}; }

/* at: the bodies of the frames in the sketch, and what counts turns. */
static zn_status express_type(zn_parts *parts, force_sketch *f, const int *at, const parts_piece *piece) {
    const force_type *type = force_types[piece->variant & FORCE_TYPE_MASK];
    sketch *k = f->k;
    if (type->two_frames) {
        f->planar = body_is_planar(k->body[at[0]].kind) && body_is_planar(k->body[at[1]].kind);
        f->d = evec_sub(k, f->b.p, f->a.p);
    }
    if (type->has_angle && !f->planar) f->mark = &k->body[at[2]];
    if (type->formulas) return type->formulas(parts, f, piece);
    if (piece->n_formulas) return force_express_formula_spring(parts, f, type, piece);
    force_express_spring(f, type);
    return ZN_OK;
}

static zn_status express(zn_parts *parts, sketch *k, const parts_piece *piece) {
    const force_type *type = force_types[piece->variant & FORCE_TYPE_MASK];
    force_sketch f = {.k = k, .variant = piece->variant, .a = sketch_next_frame(k, 0), .host = piece};
    if (type->two_frames) f.b = sketch_next_frame(k, 1);
    return express_type(parts, &f, (const int[]){0, 1, 2}, piece);
}

bool parts_is_force(const zn_parts *parts, int piece, bool *turns) {
    const parts_piece *p = &parts->pieces[piece];
    if (p->express != express || !force_types[p->variant & FORCE_TYPE_MASK]->two_frames) return false;
    *turns = force_types[p->variant & FORCE_TYPE_MASK]->needs_turning;
    return true;
}

zn_status parts_force_value(zn_parts *parts, sketch *k, int force, const parts_piece *host, expr *value) {
    const parts_piece *piece = &parts->pieces[force];
    int at[3] = {-1, -1, -1};
    for (int b = 0; b < 3 && b < piece->n_bodies; b++)
        for (int i = 0; i < k->n_bodies; i++)
            if (host->bodies[i] == piece->bodies[b]) at[b] = i;
    force_sketch f = {.k = k, .variant = piece->variant, .value = value, .host = host};
    f.a = parts_frame_sketch(k, at[0], piece->parameters), f.b = parts_frame_sketch(k, at[1], piece->parameters + SKETCH_FRAME_PARAMETERS);
    f.numbers = piece->parameters + 2 * SKETCH_FRAME_PARAMETERS;
    return express_type(parts, &f, at, piece);
}

static zn_status check_spring(zn_context *context, const zn_force_def *def, const force_type *type, const char *name) {
    if ((int)def->side < ZN_SPRING_BOTH || def->side > ZN_SPRING_PULL)
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s': unknown side %d", type->what, name, (int)def->side);
    if (def->value.text && (def->stiffness != 0 || def->damping != 0 || def->length != 0 || def->angle != 0 || def->side))
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s' has a value (formula), which replaces stiffness and damping", type->what,
                    name);
    if (def->side && def->type == ZN_FORCE_SPRING && !(def->length > 0))
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s' with a side needs its length at rest", type->what, name);
    return ZN_OK;
}

static zn_status check(zn_parts *parts, const zn_force_def *def, const force_type *type, const parts_body *a, const parts_body *b) {
    zn_context *context = parts->context;
    const char *name = def->name ? def->name : "";
    if (type->two_frames && a == b)
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s' acts between '%s' and itself", type->what, name, a->name);
    if (!body_is_free(a->kind) && (!b || !body_is_free(b->kind)))
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s' acts on '%s', which has no coordinates", type->what, name, a->name);
    if (type->needs_turning && !body_turns(a->kind) && !body_turns(b->kind))
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s' needs a body that can turn, but '%s' and '%s' cannot", type->what, name,
                    a->name, b->name);
    if (type->needs_value && !def->value.text)
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s' needs a value (formula)", type->what, name);
    bool spring = type->motion != NULL;
    double numbers[] = {def->stiffness, def->damping, def->length, def->angle, def->limit};
    for (int i = 0; (spring || type->servo) && i < 5; i++)
        if (!isfinite(numbers[i])) return fail(context, ZN_ERROR_ARGUMENT, "a number of the %s '%s' is not finite", type->what, name);
    if ((spring || type->servo) && (def->stiffness < 0 || def->damping < 0 || (def->type == ZN_FORCE_SPRING && def->length < 0)))
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s' has a negative stiffness, damping or length (%g, %g, %g)", type->what, name,
                    def->stiffness, def->damping, def->length);
    if (type->servo && (def->limit < 0 || !(def->stiffness > 0 || def->damping > 0)))
        return fail(context, ZN_ERROR_ARGUMENT, "the %s '%s' needs stiffness or damping, and a limit that is not negative", type->what,
                    name);
    return spring ? check_spring(context, def, type, name) : ZN_OK;
}

static double angle_of(const parts_frame *frame) {
    const mat3 *axes = parts_frame_axes(frame, true);
    return atan2(axes->m[1][0], axes->m[0][0]);
}

/* The formulas have the angles of bodies, so the frames' own angles move the one at rest. */
static double rest_of(const zn_parts *parts, const zn_force_def *def, const parts_frame *a, const parts_frame *b) {
    if (def->type != ZN_FORCE_TORSION_SPRING) return def->length;
    return parts_frames_are_planar(parts, a, b) ? def->angle - (angle_of(b) - angle_of(a)) : def->angle;
}

static int variant_of(const zn_force_def *def) {
    int variant = (int)def->type;
    if (def->type == ZN_FORCE_SPRING && def->length == 0 && !def->value.text) variant |= FORCE_NO_LENGTH;
    if (def->side == ZN_SPRING_PUSH) variant |= FORCE_PUSHES;
    if (def->side == ZN_SPRING_PULL) variant |= FORCE_PULLS;
    if (def->limit > 0) variant |= FORCE_LIMITED;
    if (def->along_axis) variant |= FORCE_ALONG_AXIS;
    if (def->in_frame) variant |= FORCE_IN_FRAME;
    return variant;
}

static zn_status keep_formulas(zn_parts *parts, const zn_formula *formulas, parts_piece *piece) {
    zn_status status = ZN_OK;
    for (int i = 0; i < N_FORMULAS && status == ZN_OK; i++) status = parts_keep_formula(parts, &piece->formulas[i], formulas[i]);
    return status;
}

/* The piece on the given bodies: one or two, and in space one that counts turns. */
static zn_status add(zn_parts *parts, const zn_force_def *def, const int *given, const double *frames, double rest) {
    const force_type *type = force_types[def->type];
    const zn_formula formulas[N_FORMULAS] = {def->value,     def->force[0],  def->force[1], def->force[2],
                                             def->torque[0], def->torque[1], def->torque[2]};
    bool by_formula = !type->motion || def->value.text;
    int count, *bodies, n_frames = 1 + type->two_frames, n_numbers = type->motion ? 3 : type->servo ? 4 : 0;
    zn_status status = parts_bodies_of(parts, by_formula ? N_FORMULAS : 0, formulas, n_frames + (given[2] > 0), given, &count, &bodies);
    if (status != ZN_OK) return status;
    parts_piece shape = {.what = type->what,
                         .glyph = type->two_frames && !type->needs_turning ? GLYPH_SPRING : GLYPH_NONE,
                         .name = (char *)(uintptr_t)def->name,
                         .express = express,
                         .variant = variant_of(def),
                         .own_kind = by_formula,
                         .n_bodies = count,
                         .bodies = bodies,
                         .n_parameters = n_frames * SKETCH_FRAME_PARAMETERS + n_numbers,
                         .n_formulas = by_formula ? N_FORMULAS : 0};
    parts_piece *piece = parts_piece_begin(parts, &shape);
    mem_free(parts->context, bodies);
    if (!piece) return parts_last_status(parts);
    double *next = piece->parameters + n_frames * SKETCH_FRAME_PARAMETERS;
    const double numbers[] = {def->stiffness, def->damping, rest, def->limit};
    memcpy(piece->parameters, frames, (size_t)n_frames * SKETCH_FRAME_PARAMETERS * sizeof *next);
    memcpy(next, numbers, (size_t)n_numbers * sizeof *next);
    return by_formula ? keep_formulas(parts, formulas, piece) : ZN_OK;
}

zn_status zn_parts_force(zn_parts *parts, const zn_force_def *def) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED_DEF(parts->context, def);
    if ((int)def->type < 0 || def->type >= ZN_FORCE_TYPE_COUNT) return fail(parts->context, ZN_ERROR_ARGUMENT, "unknown type of force");
    if (!def->name || !*def->name) return fail(parts->context, ZN_ERROR_ARGUMENT, "a %s needs a name", force_types[def->type]->what);
    const force_type *type = force_types[def->type];
    parts_frame *a = parts_get_frame(parts, def->a, type->what),
                *b = type->two_frames && a ? parts_get_frame(parts, def->b, type->what) : NULL;
    if (!a || (type->two_frames && !b)) return ZN_ERROR_ARGUMENT;
    zn_status status = check(parts, def, type, &parts->bodies[a->body], b ? &parts->bodies[b->body] : NULL);
    if (status == ZN_OK) status = parts_check_axes(parts, a, b, type->what, def->name);
    if (status != ZN_OK) return status;
    double frames[2 * SKETCH_FRAME_PARAMETERS], rest = rest_of(parts, def, a, b);
    bool planar = parts_frames_are_planar(parts, a, b);
    parts_put_frame(frames, a, planar);
    if (b) parts_put_frame(frames + SKETCH_FRAME_PARAMETERS, b, planar);
    int given[3] = {a->body, b ? b->body : 0, 0};
    if (type->servo && type->has_angle) status = parts_angle_offset(parts, given, frames, &rest);
    if (status == ZN_OK && type->has_angle && !planar && (given[2] = parts_add_turns(parts, def->name, given, frames, 0)) < 0)
        status = parts_last_status(parts);
    return status == ZN_OK ? add(parts, def, given, frames, rest) : status;
}
