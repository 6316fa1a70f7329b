/* SPDX-License-Identifier: Apache-2.0 */
/* joints: two frames and the rows that connect them; whether they close at the start. */
#include "scene/scene.h"

#include "linalg/geometry.h"
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

bool scene_want_frames(scene_loader *loader, const scene_node *between, const scene_node *at, const scene_node *axis, const char *what,
                       zn_frame *a, zn_frame *b) {
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
    return type == ZN_JOINT_REVOLUTE || type == ZN_JOINT_PRISMATIC || type == ZN_JOINT_CYLINDRICAL || type == ZN_JOINT_UNIVERSAL ||
           type == ZN_JOINT_FIXED || type == ZN_JOINT_PLANAR || type == ZN_JOINT_ANGLE_DRIVE;
}

/* Axes closer than this are those of bodies that are not turned against each other. */
#define SAME_AXES 1e-12

void scene_align_second(scene_loader *loader, zn_frame first, zn_frame second) {
    parts_frame *frames = loader->parts->frames, *a = &frames[first.index], *b = &frames[second.index];
    vec3 r;
    mat3 A_a, A_b;
    if (parts_place_at_start(loader->parts, a->body, &r, &A_a) != ZN_OK || parts_place_at_start(loader->parts, b->body, &r, &A_b) != ZN_OK)
        return;
    mat3 At_b = mat3_transposed(&A_b), turn = mat3_product(&At_b, &A_a), axes = mat3_product(&turn, &a->rotation);
    double difference = 0;
    for (int i = 0; i < 9; i++) difference = larger(difference, fabs(axes.m[i / 3][i % 3] - b->rotation.m[i / 3][i % 3]));
    if (difference > SAME_AXES) b->rotation = axes;
}

/* ---- options ---- */

/* A stop: a number, or null where there is none on that side. */
static void read_stops(scene_loader *loader, const scene_node *node, const char *what, zn_joint_options *o) {
    int count = 0, errors = zn_error_count(loader->context);
    for (const scene_entry *entry = node->first; entry; entry = entry->next, count++)
        if (count < 2 && entry->value->kind != SCENE_NULL)
            scene_want_number(loader, entry->value, "a stop", scene_any_number, &o->stops[count]);
    if (count != 2) scene_error(loader, node, "the stops of %s are two: [lower, upper], null where there is none", what);
    else if (zn_error_count(loader->context) == errors && !(o->stops[0] < o->stops[1]))
        scene_error(loader, node, "the lower stop of %s must be below the upper one", what);
}

static void read_friction(scene_loader *loader, const scene_node *node, const char *what, bool turns, zn_joint_options *o) {
    const scene_node *given = NULL, *coefficient = NULL, *preload = NULL;
    const scene_node *size = NULL; /* the radius of a bearing, the length of a sleeve */
    const scene_key keys[] = {{turns ? "torque" : "force", SCENE_SCALAR, false, &given},
                              {"coefficient", SCENE_SCALAR, false, &coefficient},
                              {"preload", SCENE_SCALAR, false, &preload},
                              {turns ? "radius" : "length", SCENE_SCALAR, false, &size}};
    const char *of = scene_format(loader, "friction of %s", what);
    if (node->kind == SCENE_MAP && !scene_want_map(loader, node, of, 4, keys)) return; /* a single number does not say which it is */
    if (given) scene_want_number(loader, given, turns ? "torque" : "force", scene_positive, &o->friction_force);
    if (coefficient) scene_want_number(loader, coefficient, "coefficient", scene_positive, &o->friction);
    if (size) scene_want_number(loader, size, keys[3].name, scene_positive, turns ? &o->friction_radius : &o->friction_length);
    if (preload) scene_want_number(loader, preload, "preload", scene_not_negative, &o->preload);
    if (given ? coefficient || size || preload : !coefficient)
        scene_error(loader, node,
                    turns ? "%s is a 'torque', as in {torque: 0.1}, or a 'coefficient' with a 'radius' and a 'preload'"
                          : "%s is a 'force', as in {force: 0.1}, or a 'coefficient' with a 'preload' and a 'length'",
                    of);
    else if (turns && coefficient && !size) scene_error(loader, node, "%s needs the 'radius' of the bearing", of);
}

typedef struct option_nodes {
    const scene_node *stops, *restitution, *backlash, *clutch, *friction;
} option_nodes;

/* Whether there are any. */
static bool read_options(scene_loader *loader, const option_nodes *n, const char *what, zn_joint_type type, zn_joint_options *o) {
    static const char *const ways[] = {"forward", "backward"};
    *o = zn_default_joint_options();
    if (n->stops) read_stops(loader, n->stops, what, o);
    if (n->backlash) scene_want_number(loader, n->backlash, "backlash", scene_positive, &o->backlash);
    if (n->restitution) scene_want_number(loader, n->restitution, "restitution", scene_zero_to_one, &o->restitution);
    if (n->clutch) o->clutch = (zn_clutch)(1 + scene_want_word(loader, n->clutch, "clutch", 2, ways));
    if (n->friction) read_friction(loader, n->friction, what, type != ZN_JOINT_PRISMATIC, o);
    if (n->restitution && !n->stops && !n->backlash && type != ZN_JOINT_ROPE)
        scene_error(loader, n->restitution, "%s has a restitution, but neither stops nor backlash", what);
    return n->stops || n->backlash || n->clutch || n->friction || n->restitution;
}

/* ---- ropes and belts ---- */

/* A place of a path: the name of a frame, or {over: frame, radius, around, grip, friction}. */
static bool read_place(scene_loader *loader, const scene_node *node, const char *what, zn_rope_place *place) {
    static const char *const ways[] = {"counterclockwise", "clockwise"}, *const truths[] = {"false", "true"};
    const scene_node *over = node, *radius = NULL, *around = NULL, *grip = NULL, *friction = NULL;
    const scene_key keys[] = {{"over", SCENE_SCALAR, true, &over},
                              {"radius", SCENE_SCALAR, false, &radius},
                              {"around", SCENE_SCALAR, false, &around},
                              {"grip", SCENE_SCALAR, false, &grip},
                              {"friction", SCENE_SCALAR, false, &friction}};
    if (node->kind != SCENE_SCALAR && !scene_want_map(loader, node, scene_format(loader, "a place of %s", what), 5, keys)) return false;
    if (!over || !scene_placed(loader, zn_parts_find_frame(loader->parts, over->text, &place->frame), over)) return false;
    if (radius) scene_want_number(loader, radius, "radius", scene_positive, &place->radius);
    if (friction) scene_want_number(loader, friction, "friction", scene_not_negative, &place->friction);
    if (around) place->clockwise = scene_want_word(loader, around, "around", 2, ways) == 1;
    if (grip) place->grips = scene_want_word(loader, grip, "grip", 2, truths) == 1;
    if (radius && !around) scene_error(loader, node, "a pulley of %s lacks 'around': counterclockwise or clockwise", what);
    return true;
}

static bool read_path(scene_loader *loader, const scene_node *between, const char *what, zn_joint_def *def, zn_rope_place *places) {
    int count = 0;
    bool good = true;
    for (const scene_entry *entry = between->first; entry; entry = entry->next, count++)
        if (count < ZN_ROPE_MOST_PLACES) good = read_place(loader, entry->value, what, &places[count]) && good;
    if (count < 2 || count > ZN_ROPE_MOST_PLACES)
        scene_error(loader, between, "the path of %s has 2 to %d places, but here are %d", what, ZN_ROPE_MOST_PLACES, count);
    def->n_path = count, def->path = places;
    return good && count >= 2 && count <= ZN_ROPE_MOST_PLACES;
}

/* ---- a joint ---- */

/* Rolling is across the line or plane of b, so its frame does not take the joint's axis. */
static void read_joint(scene_loader *loader, const char *name, const scene_node *key, const scene_node *node) {
    const char *what = scene_format(loader, "joint '%s'", name);
    const scene_node *type, *between, *at, *axis, *length, *radius, *ratio, *drive, *label;
    option_nodes n = {0};
    zn_joint_options options;
    const scene_key keys[] = {{"type", SCENE_SCALAR, true, &type},
                              {"between", SCENE_LIST, true, &between},
                              {"at", SCENE_LIST, false, &at},
                              {"axis", SCENE_LIST, false, &axis},
                              {"length", SCENE_SCALAR, false, &length},
                              {"radius", SCENE_SCALAR, false, &radius},
                              {"ratio", SCENE_SCALAR, false, &ratio},
                              {"drive", SCENE_SCALAR, false, &drive},
                              {"name", SCENE_SCALAR, false, &label},
                              {"stops", SCENE_LIST, false, &n.stops},
                              {"restitution", SCENE_SCALAR, false, &n.restitution},
                              {"backlash", SCENE_SCALAR, false, &n.backlash},
                              {"clutch", SCENE_SCALAR, false, &n.clutch},
                              {"friction", SCENE_SCALAR | SCENE_MAP, false, &n.friction}};
    int errors = zn_error_count(loader->context);
    if (!scene_want_map(loader, node, what, sizeof keys / sizeof *keys, keys) || !type || !between) return;
    zn_joint_def def = zn_default_joint_def();
    int word = scene_want_word(loader, type, scene_format(loader, "type of %s", what), ZN_JOINT_TYPE_COUNT, words);
    if (word < 0) return;
    def.name = name;
    def.type = (zn_joint_type)word;
    bool line = def.type == ZN_JOINT_ROPE || def.type == ZN_JOINT_BELT;
    zn_rope_place places[ZN_ROPE_MOST_PLACES] = {0};
    if (line && (at || axis)) scene_error(loader, at ? at : axis, "%s goes along the places of 'between'", what);
    if (line ? !read_path(loader, between, what, &def, places) : !scene_want_frames(loader, between, at, axis, what, &def.a, &def.b))
        return;
    if (at && !axis && holds_directions(def.type)) scene_align_second(loader, def.a, def.b);
    def.drive = scene_formula(loader, drive);
    if (length) scene_want_number(loader, length, "length", scene_positive, &def.length);
    else if (def.type == ZN_JOINT_DISTANCE) def.length = start_distance(loader, def.a, def.b);
    if (radius) scene_want_number(loader, radius, "radius", scene_positive, &def.radius);
    if (ratio) scene_want_number(loader, ratio, "ratio", scene_any_number, &def.ratio);
    if (read_options(loader, &n, what, def.type, &options)) def.options = &options;
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

/* The fourth row of a universal joint: a frame that is given by its axis z alone has some x, which is rarely the arm of the cross. */
static const char crossed[] = ": z of the first frame must be perpendicular to x of the second, the arms of the cross (give the frame by "
                              "its rotation; an axis does not determine it)";
static bool is_cross(const scene_node *joints, const char *name, const char *row) {
    const scene_node *joint = joints->kind == SCENE_MAP ? scene_find(joints, name) : NULL;
    const scene_node *type = joint && joint->kind == SCENE_MAP ? scene_find(joint, "type") : NULL;
    size_t n = strlen(row);
    return type && type->kind == SCENE_SCALAR && !strcmp(type->text, "universal") && n > 2 && !strcmp(row + n - 2, ".4");
}

/* Reports each joint with an open row once. */
static void report_open(scene_loader *loader, const scene_node *joints, const zn_model *model, const double *g, const double *tolerance,
                        bool projected) {
    const scene_node *last = NULL;
    for (int i = 0; i < model->size.ng; i++) {
        if (fabs(g[i]) <= tolerance[i]) continue;
        const char *name;
        const scene_node *at = find_joint(loader, joints, model->bilateral_names[i], &name);
        if (!at || at == last) continue;
        last = at;
        if (projected)
            scene_error(loader, at, "joint '%s' cannot close: no position near the start was found (%s is off by %.3g at the end)", name,
                        model->bilateral_names[i], fabs(g[i]));
        else
            scene_error(loader, at,
                        "joint '%s' does not close at the start: %s is off by %.6g%s (simulation: {project_start: true} moves "
                        "the start)",
                        name, model->bilateral_names[i], fabs(g[i]), is_cross(joints, name, model->bilateral_names[i]) ? crossed : "");
    }
}

void scene_check_joints(scene_loader *loader, const scene_node *joints, const zn_model *model, bool project) {
    zn_context *context = loader->context;
    int rows = model_rows(model);
    double *q = MEM_ARRAY(context, double, model->size.nq), *u = MEM_ARRAY(context, double, model->size.nu),
           *g = MEM_ARRAY(context, double, rows), *tolerance = MEM_ARRAY(context, double, rows);
    void *work = mem_array(context, model->work_bytes, 1);
    bool memory = q && u && g && tolerance && work;
    if (memory && sim_start_tolerances(context, model, &(zn_point){.q = model->q_start, .u = model->u_start}, 1, tolerance) == ZN_OK) {
        memcpy(q, model->q_start, (size_t)model->size.nq * sizeof *q);
        memcpy(u, model->u_start, (size_t)model->size.nu * sizeof *u);
        int errors = zn_error_count(context);
        zn_status status = project ? sim_start_project(context, model, 0, q, u) : ZN_OK;
        bool failed =
            !model->constraints(model, work, &(zn_point){.q = q, .u = u}, &(zn_constraints){.c0 = g}) && zn_error_count(context) == errors;
        if (!project && failed) report_open(loader, joints, model, g, tolerance, false);
        if (status != ZN_OK) {
            error_place place = scene_place_of(loader, joints);
            fail_add_place(context, &place);
            report_open(loader, joints, model, g, tolerance, true);
        }
    }
    mem_free(context, q), mem_free(context, u), mem_free(context, g), mem_free(context, tolerance), mem_free(context, work);
}
