/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs that a drawing needs beside the coordinates: where bodies are that have none of their own (with a prescribed motion, and
 * sections of flexible bodies), and where contacts are.
 *
 *   view.body.NAME.x, y, phi                      in the plane
 *   view.body.NAME.x, y, z, a1 ... a6             in space: a are the first two columns of the rotation
 *   view.line.NAME.x1, y1, x2 ...                 points of a rope over pulleys (in space x1, y1, z1 ...)
 *   view.contact.NAME.x, y, nx, ny                point and normal
 *   view.contact.NAME.x, y, z, nx, ny, nz, tx ... and the first tangent in space */
#include "model/model.h"
#include "model/parts/contact_builder.h"
#include "model/parts/joint.h"
#include "view/picture.h"

#include <stdio.h>

static const char *const place_plane[] = {"x", "y", "phi"};
static const char *const place_space[] = {"x", "y", "z", "a1", "a2", "a3", "a4", "a5", "a6"};
static const char *const contact_plane[] = {"x", "y", "nx", "ny"};
static const char *const contact_space[] = {"x", "y", "z", "nx", "ny", "nz", "tx", "ty", "tz"};

static zn_status express_place(zn_parts *parts, sketch *k, const parts_piece *piece) {
    (void)parts, (void)piece;
    const sketch_body *b = &k->body[0];
    bool planar = body_is_planar(b->kind);
    for (int i = 0; i < (planar ? 2 : 3); i++) sketch_output(k, b->r.x[i]);
    if (planar) sketch_output(k, body_turns(b->kind) ? b->phi : sketch_constant(k, 0));
    for (int i = 0; !planar && i < 6; i++) sketch_output(k, b->A.column[i / 3].x[i % 3]);
    return ZN_OK;
}

static zn_status name_outputs(zn_parts *parts, parts_piece *piece, const char *kind, const char *name, const char *const *ends) {
    for (int i = 0; i < piece->n_outputs; i++)
        if (!(piece->outputs[i] = mem_format(parts->context, MODEL_POSE_PREFIX "%s.%s.%s", kind, name, ends[i]))) return ZN_ERROR_MEMORY;
    return ZN_OK;
}

/* `bodies`, `parameters` and `formula` belong to the caller. */
static zn_status add(zn_parts *parts, const parts_piece *like, const char *kind, const char *name, int n, const char *const *ends) {
    parts_piece shape = *like;
    shape.what = "output";
    shape.n_outputs = n;
    if (!(shape.name = mem_format(parts->context, MODEL_POSE_PREFIX "%s.%s", kind, name))) return ZN_ERROR_MEMORY;
    parts_piece *piece = parts_piece_begin(parts, &shape);
    mem_free(parts->context, shape.name);
    if (!piece) return parts_last_status(parts);
    if (like->n_parameters) memcpy(piece->parameters, like->parameters, (size_t)like->n_parameters * sizeof *like->parameters);
    zn_status status = name_outputs(parts, piece, kind, name, ends);
    if (status == ZN_OK && like->n_formulas) status = parts_keep_formula(parts, &piece->formulas[0], formula_of(&like->formulas[0]));
    return status;
}

static zn_status add_contact_place(zn_parts *parts, size_t index) {
    parts_piece like = parts->pieces[index]; /* the list may move */
    bool planar = contact_unpack(like.variant).frame == CONTACT_PLANAR;
    parts_piece shape = {.express = parts_express_contact_place,
                         .variant = like.variant,
                         .own_kind = like.own_kind,
                         .n_bodies = like.n_bodies,
                         .bodies = like.bodies,
                         .n_parameters = like.n_parameters,
                         .parameters = like.parameters,
                         .n_formulas = like.n_formulas,
                         .formulas = like.formulas};
    return add(parts, &shape, "contact", like.name, planar ? 4 : 9, planar ? contact_plane : contact_space);
}

static zn_status add_line(zn_parts *parts, size_t index) {
    parts_piece like = parts->pieces[index]; /* the list may move */
    bool planar = parts_rope_is_planar(&like);
    int points = parts_rope_points(&like), dimensions = planar ? 2 : 3;
    char names[3 * PICTURE_MOST_ROPE][8];
    const char *ends[3 * PICTURE_MOST_ROPE];
    if (!points || points > PICTURE_MOST_ROPE) return ZN_OK;
    for (int i = 0; i < dimensions * points; i++) {
        snprintf(names[i], sizeof names[i], "%c%d", "xyz"[i % dimensions], i / dimensions + 1);
        ends[i] = names[i];
    }
    parts_piece shape = {.express = planar ? parts_express_rope_points : parts_express_rope_points_in_space,
                         .own_kind = true,
                         .n_bodies = like.n_bodies,
                         .bodies = like.bodies,
                         .n_parameters = like.n_parameters,
                         .parameters = like.parameters};
    return add(parts, &shape, "line", like.name, dimensions * points, ends);
}

zn_status parts_add_poses(zn_parts *parts) {
    zn_status status = ZN_OK;
    size_t n_pieces = parts->n_pieces, n_contacts = 0;
    for (int i = 0; i < (int)parts->n_bodies && status == ZN_OK; i++) {
        const parts_body *b = &parts->bodies[i];
        bool planar = body_is_planar(b->kind);
        if (!picture_needs_pose(b->kind)) continue;
        parts_piece shape = {.express = express_place, .n_bodies = 1, .bodies = &i};
        status = add(parts, &shape, "body", b->name, planar ? 3 : 9, planar ? place_plane : place_space);
    }
    for (size_t i = 0; i < n_pieces && status == ZN_OK; i++)
        if (parts->pieces[i].glyph == GLYPH_LINE) status = add_line(parts, i);
    for (size_t i = 0; i < n_pieces; i++) n_contacts += parts->pieces[i].glyph == GLYPH_CONTACT;
    parts->contacts_have_view = n_contacts <= PICTURE_MOST_CONTACTS;
    for (size_t i = 0; i < n_pieces && status == ZN_OK && parts->contacts_have_view; i++)
        if (parts->pieces[i].glyph == GLYPH_CONTACT) status = add_contact_place(parts, i);
    return status;
}
