/* SPDX-License-Identifier: Apache-2.0 */
/* Poses of bodies by number. Bodies with coordinates: r and A(p) from q, v and omega = A Omega from u. Those that follow something (a
 * prescribed motion, the nodes of a flexible body) have a small model whose outputs are r, A, v, omega. */
#include "model/parts/field.h"

enum { POSE_OUTPUTS = 18, POSE_MOST_REGISTERS = 4096 };

static zn_status express_pose(zn_parts *parts, sketch *k, const parts_piece *piece) {
    (void)parts, (void)piece;
    const sketch_body *b = &k->body[0];
    const evec *shown[] = {&b->r, &b->A.column[0], &b->A.column[1], &b->A.column[2], &b->v, &b->omega};
    for (int i = 0; i < POSE_OUTPUTS; i++) sketch_output(k, shown[i / 3]->x[i % 3]);
    return ZN_OK;
}

static zn_status take_pose(contact_field *f, int index) {
    static const char *const names[POSE_OUTPUTS] = {"", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", ""};
    zn_context *context = f->context;
    parts_piece piece = {.what = "pose",
                         .name = f->kept->bodies[index].name,
                         .express = express_pose,
                         .n_bodies = 1,
                         .bodies = &index,
                         .n_outputs = POSE_OUTPUTS};
    zn_model *kind = NULL;
    parts_stand *stand = &f->pose_stand[index];
    zn_status status = parts_stand_make(f->kept, 1, &index, stand);
    if (status == ZN_OK) status = parts_express_kind(f->kept, &piece, stand->layout, &kind);
    if (status == ZN_OK) status = formula_model_instance(context, kind, stand->numbers, NULL, 0, NULL, names, &f->pose[index]);
    if (kind) model_free(context, kind);
    if (status == ZN_OK &&
        (f->pose[index]->work_bytes > POSE_MOST_REGISTERS * sizeof(double) || f->pose[index]->size.nq > CONTACT_FIELD_MOST))
        status =
            fail(context, ZN_ERROR_UNSUPPORTED, "the formula of the motion of '%s' is too long for a body in contact rules", piece.name);
    return status;
}

zn_status field_take_poses(contact_field *f) {
    size_t n = f->kept->n_bodies;
    f->pose = MEM_ARRAY(f->context, zn_model *, n);
    f->pose_stand = MEM_ARRAY(f->context, parts_stand, n);
    if (!f->pose || !f->pose_stand) return ZN_ERROR_MEMORY;
    zn_status status = ZN_OK;
    for (size_t i = 0; i < n && status == ZN_OK; i++) {
        body_kind kind = f->kept->bodies[i].kind;
        if (body_is_moving(kind) || body_is_section(kind) || kind == BODY_LINE) status = take_pose(f, (int)i);
    }
    return status;
}

static void ask(const contact_field *f, int index, double t, const double *q, const double *u, collide_pose *pose) {
    double registers[POSE_MOST_REGISTERS], own_q[CONTACT_FIELD_MOST], own_u[CONTACT_FIELD_MOST], out[POSE_OUTPUTS];
    const parts_stand *stand = &f->pose_stand[index];
    int nq = 0, nu = 0;
    for (int h = 0; h < stand->n_holders; h++) {
        const parts_body *b = &f->kept->bodies[stand->holders[h]];
        for (int i = 0; i < body_nq(b->kind); i++) own_q[nq++] = q[b->q + i];
        for (int i = 0; i < body_nu(b->kind); i++) own_u[nu++] = u[b->u + i];
    }
    f->pose[index]->outputs(f->pose[index], registers, &(zn_point){.t = t, .q = own_q, .u = own_u}, out);
    memcpy(pose->r, out, sizeof pose->r);
    memcpy(pose->A, out + 3, sizeof pose->A);
    memcpy(pose->v, out + 12, sizeof pose->v);
    memcpy(pose->omega, out + 15, sizeof pose->omega);
}

static void put_rotation(const mat3 *A, double *columns) {
    for (int j = 0; j < 3; j++) vec3_store(mat3_column(A, j), columns + 3 * j);
}

static void place(const parts_body *b, const double *q, const double *u, collide_pose *pose) {
    mat3 A = mat3_identity();
    *pose = (collide_pose){0};
    int n = body_is_planar(b->kind) ? 2 : 3;
    bool has_place = b->kind == BODY_PARTICLE_2D || b->kind == BODY_PARTICLE_3D || b->kind == BODY_PLANAR || b->kind == BODY_SPATIAL;
    for (int i = 0; i < n && has_place; i++) pose->r[i] = q[b->q + i], pose->v[i] = u[b->u + i];
    if (b->kind == BODY_PLANAR) {
        A = quat_matrix(quat_rotation((vec3){0, 0, 1}, q[b->q + 2]));
        pose->omega[2] = u[b->u + 2];
    }
    if (b->kind == BODY_SPATIAL) {
        A = quat_matrix(quat_from(q + b->q + 3));
        vec3_store(mat3_apply(&A, vec3_from(u + b->u + 3)), pose->omega);
    }
    put_rotation(&A, pose->A);
}

void contact_field_poses(const contact_field *f, double t, const double *q, const double *u, collide_pose *poses) {
    for (size_t i = 0; i < f->kept->n_bodies; i++)
        if (f->pose[i]) ask(f, (int)i, t, q, u, &poses[i]);
        else place(&f->kept->bodies[i], q, u, &poses[i]);
}
