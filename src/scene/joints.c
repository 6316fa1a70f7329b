/* SPDX-License-Identifier: Apache-2.0 */
/* joints: two frames and what holds them; and whether they close at the start. */
#include "scene/scene.h"

#include "linalg/geometry.h"
#include "model/parts/builder.h"
#include "sim/simulation.h"

/* ---- two frames ---- */

/* One side of a joint or force: the frame of this name, or the frame on its body at a point and along an axis given in I. */
static bool read_side(scene_loader *loader, const scene_node *side, const double *at, const double *axis, zn_frame *frame) {
    if (!scene_placed(loader, zn_parts_find_frame(loader->parts, side->text, frame), side)) return false;
    if (!at && !axis) return true;
    const parts_frame *f = &loader->parts->frames[frame->index];
    vec3 r;
    mat3 A;
    if (!scene_placed(loader, parts_place_at_start(loader->parts, f->body, &r, &A), side)) return false;
    vec3 origin = vec3_add(r, mat3_apply(&A, f->position));
    double point[3];
    vec3_store(origin, point);
    zn_body body = {zn_parts_world(loader->parts).stamp, f->body};
    return scene_placed(loader, zn_parts_frame_at(loader->parts, body, NULL, at ? at : point, axis, frame), side);
}

bool scene_want_frames(scene_loader *loader, const scene_node *between, const scene_node *at, const scene_node *axis,
                       const char *what, zn_frame *a, zn_frame *b) {
    const scene_node *sides[2];
    double point[3] = {0}, direction[3] = {0};
    if (scene_want_list(loader, between, scene_format(loader, "'between' of %s", what), 2, 2, sides) != 2) return false;
    if (at && !scene_want_vector(loader, at, "at", 2, 3, point)) return false;
    if (axis && !scene_want_vector(loader, axis, "axis", 2, 3, direction)) return false;
    bool first = read_side(loader, sides[0], at ? point : NULL, axis ? direction : NULL, a);
    bool second = read_side(loader, sides[1], at ? point : NULL, axis ? direction : NULL, b);
    return first && second;
}

/* ---- joints ---- */

static const char *const words[] = {
#define X(name, identifier, word, sentence) word,
    ZN_JOINT_LIST(X)
#undef X
};

static double start_distance(scene_loader *loader, zn_frame a, zn_frame b) {
    const parts_frame *frames[2] = {&loader->parts->frames[a.index], &loader->parts->frames[b.index]};
    vec3 p[2];
    for (int i = 0; i < 2; i++) {
        vec3 r;
        mat3 A;
        if (parts_place_at_start(loader->parts, frames[i]->body, &r, &A) != ZN_OK) return 0;
        p[i] = vec3_add(r, mat3_apply(&A, frames[i]->position));
    }
    return vec3_norm(vec3_sub(p[1], p[0]));
}

/* Joints that hold directions of their bodies. */
static bool holds_directions(zn_joint_type type) {
    return type == ZN_REVOLUTE || type == ZN_PRISMATIC || type == ZN_CYLINDRICAL || type == ZN_UNIVERSAL || type == ZN_FIXED || type == ZN_PLANAR;
}

/* Axes closer than this are those of bodies that are not turned against each other. */
#define SAME_AXES 1e-12

/* A place without an axis: the axes are those of the first body, and the second one is held as it stands at the start. */
static void align_second(scene_loader *loader, const zn_joint_def *def) {
    parts_frame *frames = loader->parts->frames, *a = &frames[def->a.index], *b = &frames[def->b.index];
    vec3 r;
    mat3 A_a, A_b;
    if (parts_place_at_start(loader->parts, a->body, &r, &A_a) != ZN_OK || parts_place_at_start(loader->parts, b->body, &r, &A_b) != ZN_OK) return;
    mat3 At_b = mat3_transposed(&A_b), turn = mat3_product(&At_b, &A_a), axes = mat3_product(&turn, &a->rotation);
    double difference = 0;
    for (int i = 0; i < 9; i++) difference = larger(difference, fabs(axes.m[i / 3][i % 3] - b->rotation.m[i / 3][i % 3]));
    if (difference > SAME_AXES) b->rotation = axes;
}

/* Rolling is across the line or plane of b, so its frame does not take the joint's axis. */
static void read_joint(scene_loader *loader, const char *name, const scene_node *key, const scene_node *node) {
    const char *what = scene_format(loader, "joint '%s'", name);
    const scene_node *type, *between, *at, *axis, *length, *radius, *ratio, *drive, *label;
    const scene_key keys[] = {{"type", SCENE_SCALAR, true, &type},      {"between", SCENE_LIST, true, &between},
                              {"at", SCENE_LIST, false, &at},           {"axis", SCENE_LIST, false, &axis},
                              {"length", SCENE_SCALAR, false, &length}, {"radius", SCENE_SCALAR, false, &radius},
                              {"ratio", SCENE_SCALAR, false, &ratio},   {"drive", SCENE_SCALAR, false, &drive},
                              {"name", SCENE_SCALAR, false, &label}};
    int errors = zn_error_count(loader->context);
    if (!scene_want_map(loader, node, what, sizeof keys / sizeof *keys, keys) || !type || !between) return;
    zn_joint_def def = zn_default_joint_def();
    int word = scene_want_word(loader, type, scene_format(loader, "type of %s", what), ZN_JOINT_TYPE_COUNT, words);
    bool frames = scene_want_frames(loader, between, at, axis, what, &def.a, &def.b);
    if (word < 0 || !frames) return;
    def.name = name;
    def.type = (zn_joint_type)word;
    if (at && !axis && holds_directions(def.type)) align_second(loader, &def);
    def.drive = scene_formula(loader, drive);
    if (length)
        scene_want_number(loader, length, "length", scene_positive, &def.length);
    else if (def.type == ZN_DISTANCE)
        def.length = start_distance(loader, def.a, def.b);
    if (radius) scene_want_number(loader, radius, "radius", scene_positive, &def.radius);
    if (ratio) scene_want_number(loader, ratio, "ratio", scene_any_number, &def.ratio);
    if (zn_error_count(loader->context) == errors) scene_placed(loader, zn_parts_joint(loader->parts, &def), key);
}

/* The name of an entry of a map, or of a list: its `name`, else PREFIX and its number. */
const char *scene_entry_name(scene_loader *loader, const scene_entry *entry, const char *prefix, int number) {
    if (entry->key) return scene_want_label(loader, prefix, entry->key) ? entry->key->text : NULL;
    const scene_node *name = entry->value->kind == SCENE_MAP ? scene_find(entry->value, "name") : NULL;
    if (name && name->kind == SCENE_SCALAR) return scene_want_label(loader, prefix, name) ? name->text : NULL;
    return scene_format(loader, "%s%d", prefix, number);
}

void scene_read_joints(scene_loader *loader, const scene_node *node) {
    int number = 1;
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next, number++) {
        const char *name = scene_entry_name(loader, entry, "joint", number);
        if (name) read_joint(loader, name, entry->key ? entry->key : entry->value, entry->value);
    }
}

/* ---- do they close ---- */

/* The entry that a row of this name belongs to: "pin" or "pin.2". */
static const scene_node *find_joint(scene_loader *loader, const scene_node *joints, const char *row, const char **name) {
    int number = 1;
    for (const scene_entry *entry = joints->first; entry; entry = entry->next, number++) {
        *name = scene_entry_name(loader, entry, "joint", number);
        size_t length = *name ? strlen(*name) : 0;
        if (length && !strncmp(*name, row, length) &&
            (!row[length] || (row[length] == '.' && strspn(row + length + 1, "0123456789") == strlen(row + length + 1))))
            return entry->key ? entry->key : entry->value;
    }
    return NULL;
}

/* Reports each joint with an open row once. */
static void report_open(scene_loader *loader, const scene_node *joints, const zn_model *model, const double *g,
                        bool projected) {
    const scene_node *last = NULL;
    for (int i = 0; i < model->size.ng; i++) {
        if (fabs(g[i]) <= SIM_START_TOLERANCE) continue;
        const char *name;
        const scene_node *at = find_joint(loader, joints, model->bilateral_names[i], &name);
        if (!at || at == last) continue;
        last = at;
        if (projected)
            scene_error(loader, at,
                        "joint '%s' cannot close: no position near the start was found (%s is off by %.3g at the end)", name,
                        model->bilateral_names[i], fabs(g[i]));
        else
            scene_error(loader, at,
                        "joint '%s' does not close at the start: %s is off by %.6g (simulation: {project_start: true} moves "
                        "the start)",
                        name, model->bilateral_names[i], fabs(g[i]));
    }
}

void scene_check_joints(scene_loader *loader, const scene_node *joints, const zn_model *model, bool project) {
    zn_context *context = loader->context;
    int rows = model_rows(model);
    double *q = MEM_ARRAY(context, double, model->size.nq), *u = MEM_ARRAY(context, double, model->size.nu),
           *g = MEM_ARRAY(context, double, rows);
    void *work = mem_array(context, model->work_bytes, 1);
    if (q && u && g && work) {
        memcpy(q, model->q_start, (size_t)model->size.nq * sizeof *q);
        memcpy(u, model->u_start, (size_t)model->size.nu * sizeof *u);
        int errors = zn_error_count(context);
        zn_status status = project ? sim_start_project(context, model, 0, q, u) : ZN_OK;
        bool failed = !model->constraints(model, work, &(zn_point){.q = q, .u = u}, &(zn_constraints){.c0 = g}) &&
                      zn_error_count(context) == errors;
        if (!project && failed) report_open(loader, joints, model, g, false);
        if (status != ZN_OK) {
            error_place place = scene_place_of(loader, joints);
            fail_add_place(context, &place);
            report_open(loader, joints, model, g, true);
        }
    }
    mem_free(context, q), mem_free(context, u), mem_free(context, g), mem_free(context, work);
}
