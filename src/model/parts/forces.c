/* SPDX-License-Identifier: Apache-2.0 */
/* Forces: what they need, and how a definition becomes a piece. Gravity belongs to the bodies. */
#include "model/parts/force.h"

enum { N_FORMULAS = 7 }; /* value, force[3], torque[3] */

#define X(name, identifier, word, keys, sentence) extern const force_type force_##identifier;
ZN_FORCE_LIST(X)
#undef X

const force_type *const force_types[] = {
#define X(name, identifier, word, keys, sentence) &force_##identifier,
    ZN_FORCE_LIST(X)
#undef X
};
_Static_assert(ZN_FORCE_TYPE_COUNT <= FORCE_TYPE_MASK + 1, "variants have bits for every type");

zn_force_def zn_default_force_def(void) { return (zn_force_def){.type = ZN_SPRING}; }

static zn_status express(zn_parts *parts, sketch *k, const parts_piece *piece) {
    const force_type *type = force_types[piece->variant & FORCE_TYPE_MASK];
    force_sketch f = {.k = k, .variant = piece->variant, .a = sketch_next_frame(k, 0)};
    if (type->two_frames) {
        f.b = sketch_next_frame(k, 1);
        f.planar = body_is_planar(k->body[0].kind) && body_is_planar(k->body[1].kind);
        f.d = evec_sub(k, f.b.p, f.a.p);
    }
    if (type->formulas) return type->formulas(parts, &f, piece);
    type->spring(&f);
    return ZN_OK;
}

static zn_status check(zn_parts *parts, const zn_force_def *def, const force_type *type, const parts_body *a,
                       const parts_body *b) {
    zn_context *context = parts->context;
    const char *name = def->name ? def->name : "";
    if (type->two_frames && a == b)
        return fail(context, ZN_ARGUMENT, "the %s '%s' acts between '%s' and itself", type->what, name, a->name);
    if (!body_is_free(a->kind) && (!b || !body_is_free(b->kind)))
        return fail(context, ZN_ARGUMENT, "the %s '%s' acts on '%s', which has no coordinates", type->what, name, a->name);
    if (type->needs_turning && !body_turns(a->kind) && !body_turns(b->kind))
        return fail(context, ZN_ARGUMENT, "the %s '%s' needs a body that can turn, but '%s' and '%s' cannot", type->what,
                    name, a->name, b->name);
    if (type->needs_value && !def->value.text)
        return fail(context, ZN_ARGUMENT, "the %s '%s' needs a value (formula)", type->what, name);
    double numbers[] = {def->stiffness, def->damping, def->length, def->angle};
    for (int i = 0; type->spring && i < 4; i++)
        if (!isfinite(numbers[i]))
            return fail(context, ZN_ARGUMENT, "a number of the %s '%s' is not finite", type->what, name);
    if (type->spring && (def->stiffness < 0 || def->damping < 0 || (def->type == ZN_SPRING && def->length < 0)))
        return fail(context, ZN_ARGUMENT, "the %s '%s' has a negative stiffness, damping or length (%g, %g, %g)", type->what,
                    name, def->stiffness, def->damping, def->length);
    return ZN_OK;
}

static double angle_of(const parts_frame *frame) {
    const mat3 *axes = parts_frame_axes(frame, true);
    return atan2(axes->m[1][0], axes->m[0][0]);
}

/* The formulas have the angles of bodies, so the frames' own angles move the one at rest. */
static double rest_of(const zn_parts *parts, const zn_force_def *def, const parts_frame *a, const parts_frame *b) {
    if (def->type != ZN_TORSION_SPRING) return def->length;
    return parts_frames_are_planar(parts, a, b) ? def->angle - (angle_of(b) - angle_of(a)) : def->angle;
}

static int variant_of(const zn_force_def *def) {
    int variant = (int)def->type;
    if (def->type == ZN_SPRING && def->length == 0) variant |= FORCE_NO_LENGTH;
    if (def->along_axis) variant |= FORCE_ALONG_AXIS;
    if (def->in_frame) variant |= FORCE_IN_FRAME;
    return variant;
}

static zn_status keep_formulas(zn_parts *parts, const zn_formula *formulas, parts_piece *piece) {
    zn_status status = ZN_OK;
    for (int i = 0; i < N_FORMULAS && status == ZN_OK; i++)
        status = parts_keep_formula(parts, &piece->formulas[i], formulas[i]);
    return status;
}

zn_status zn_parts_force(zn_parts *parts, const zn_force_def *def) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED_DEF(parts->context, def);
    if ((int)def->type < 0 || def->type >= ZN_FORCE_TYPE_COUNT)
        return fail(parts->context, ZN_ARGUMENT, "unknown type of force");
    if (!def->name || !*def->name) return fail(parts->context, ZN_ARGUMENT, "a %s needs a name", force_types[def->type]->what);
    const force_type *type = force_types[def->type];
    parts_frame *a = parts_get_frame(parts, def->a, type->what),
                *b = type->two_frames && a ? parts_get_frame(parts, def->b, type->what) : NULL;
    if (!a || (type->two_frames && !b)) return ZN_ARGUMENT;
    zn_status status = check(parts, def, type, &parts->bodies[a->body], b ? &parts->bodies[b->body] : NULL);
    if (status == ZN_OK) status = parts_check_axes(parts, a, b, type->what, def->name);
    if (status != ZN_OK) return status;
    const zn_formula formulas[N_FORMULAS] = {def->value,     def->force[0],  def->force[1], def->force[2],
                                             def->torque[0], def->torque[1], def->torque[2]};
    const int given[2] = {a->body, b ? b->body : 0};
    int count, *bodies;
    status = parts_bodies_of(parts, type->spring ? 0 : N_FORMULAS, formulas, b ? 2 : 1, given, &count, &bodies);
    if (status != ZN_OK) return status;
    parts_piece shape = {.what = type->what,
                         .glyph = type->two_frames && !type->needs_turning ? GLYPH_SPRING : GLYPH_NONE,
                         .name = (char *)(uintptr_t)def->name,
                         .express = express,
                         .variant = variant_of(def),
                         .own_kind = !type->spring,
                         .n_bodies = count,
                         .bodies = bodies,
                         .n_parameters = (b ? 2 : 1) * SKETCH_FRAME_PARAMETERS + (type->spring ? 3 : 0),
                         .n_formulas = type->spring ? 0 : N_FORMULAS};
    parts_piece *piece = parts_piece_begin(parts, &shape);
    mem_free(parts->context, bodies);
    if (!piece) return parts_last_status(parts);
    bool planar = parts_frames_are_planar(parts, a, b);
    double *next = parts_put_frame(piece->parameters, a, planar);
    if (b) next = parts_put_frame(next, b, planar);
    if (!type->spring) return keep_formulas(parts, formulas, piece);
    next[0] = def->stiffness, next[1] = def->damping, next[2] = rest_of(parts, def, a, b);
    return ZN_OK;
}
