/* SPDX-License-Identifier: Apache-2.0 */
/* bodies, their shapes and frames, and gravity. */
#include "scene/scene.h"

#include "linalg/geometry.h"
#include "model/parts/flexible.h"

/* ---- shapes ---- */

static double number_or(scene_loader *loader, const scene_node *node, const char *what, scene_range range, double otherwise) {
    double value;
    return node && scene_want_number(loader, node, what, range, &value) ? value : otherwise;
}

/* A mesh is listed, or in a file. */
static void read_shape_mesh(scene_loader *loader, const scene_node *file, const scene_node *scale, zn_shape_def *shape) {
    scene_mesh mesh;
    if (!scene_read_mesh(loader, file, number_or(loader, scale, "scale", scene_positive, 1), &mesh)) return;
    shape->n_points = mesh.n_points, shape->n_triangles = mesh.n_triangles;
    shape->points = (const double(*)[3])mesh.points, shape->triangles = (const int(*)[3])mesh.triangles;
}

static void read_shape(scene_loader *loader, const scene_node *node, const char *name, zn_shape_def *shape) {
    static const char *const words[] = {
#define X(identifier, word, geometry, sentence) word,
        ZN_SHAPE_LIST(X)
#undef X
            "ellipse"};
    enum { N_WORDS = sizeof words / sizeof *words };
    const char *what = scene_format(loader, "shape of '%s'", name);
    const scene_node *type, *radius, *length, *size, *points, *triangles, *file, *scale, *material;
    const scene_key keys[] = {
        {"type", SCENE_SCALAR, true, &type},  {"radius", SCENE_SCALAR, false, &radius}, {"length", SCENE_SCALAR, false, &length},
        {"size", SCENE_LIST, false, &size},   {"points", SCENE_LIST, false, &points},   {"triangles", SCENE_LIST, false, &triangles},
        {"file", SCENE_SCALAR, false, &file}, {"scale", SCENE_SCALAR, false, &scale},   {"material", SCENE_SCALAR, false, &material}};
    if (!scene_want_map(loader, node, what, sizeof keys / sizeof *keys, keys) || !type) return;
    int word = scene_want_word(loader, type, what, N_WORDS, words);
    if (word < 0) return;
    shape->material = material ? material->text : NULL;
    shape->type = word == N_WORDS - 1 ? ZN_SHAPE_ELLIPSOID : (zn_shape_type)(ZN_SHAPE_SPHERE + word);
    const scene_node *lonely = file ? file : scale;
    if (lonely && shape->type != ZN_SHAPE_MESH) scene_error(loader, lonely, "only a mesh comes from a file");
    else if (scale && !file) scene_error(loader, scale, "%s has a 'scale', but no 'file'", what);
    else if (file && (points || triangles))
        scene_error(loader, file, "%s is given by 'file' or by 'points' and 'triangles', not by both", what);
    shape->radius = number_or(loader, radius, "radius", scene_positive, 0);
    shape->length = number_or(loader, length, "length", scene_positive, 0);
    if (size) scene_want_vector(loader, size, "size", 2, 3, shape->size);
    if (points)
        shape->points =
            (const double(*)[3])scene_read_points(loader, points, what, shape->type == ZN_SHAPE_POLYGON ? 2 : 3, &shape->n_points);
    if (triangles) shape->triangles = (const int(*)[3])scene_read_triangles(loader, triangles, what, shape->n_points, &shape->n_triangles);
    if (file && shape->type == ZN_SHAPE_MESH && !points && !triangles) read_shape_mesh(loader, file, scale, shape);
}

/* ---- frames ---- */

/* [x, y(, z)], or {at: [..], angle: .. | rotation: .. | axis: [..]}: in the frame K of the body. */
static void read_frame(scene_loader *loader, zn_body body, const char *name, const scene_node *key, const scene_node *node) {
    const char *what = scene_format(loader, "frame '%s'", key->text);
    const scene_node *at = node->kind == SCENE_LIST ? node : NULL, *angle = NULL, *rotation = NULL, *axis = NULL;
    const scene_key keys[] = {{"at", SCENE_LIST, false, &at},
                              {"angle", SCENE_SCALAR, false, &angle},
                              {"rotation", SCENE_LIST | SCENE_MAP, false, &rotation},
                              {"axis", SCENE_LIST, false, &axis}};
    if (!scene_want_kind(loader, node, SCENE_LIST | SCENE_MAP, what)) return;
    if (node->kind == SCENE_MAP && !scene_want_map(loader, node, what, 4, keys)) return;
    double position[3] = {0}, quaternion[4] = {1}, turn, direction[3] = {0};
    int errors = zn_error_count(loader->context);
    if (at) scene_want_vector(loader, at, what, 2, 3, position);
    if ((angle != NULL) + (rotation != NULL) + (axis != NULL) > 1)
        scene_error(loader, node, "%s has several of 'angle', 'rotation' and 'axis'; give one", what);
    if (angle && scene_want_number(loader, angle, "angle", scene_any_number, &turn))
        quaternion[0] = cos(turn / 2), quaternion[3] = sin(turn / 2);
    if (rotation) scene_want_rotation(loader, rotation, what, quaternion);
    if (axis) scene_want_vector(loader, axis, "axis", 2, 3, direction);
    if (zn_error_count(loader->context) == errors)
        scene_placed(loader,
                     axis ? parts_frame_along(loader->parts, body, name, position, direction, axis->count, NULL)
                          : zn_parts_frame(loader->parts, body, name, position, quaternion, NULL),
                     key);
}

void scene_read_frames(scene_loader *loader, const scene_node *node) {
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next) {
        const char *name = entry->key->text, *dot = strchr(name, '.');
        zn_body body;
        zn_flexible flexible;
        const char *owner = dot ? scene_copy(loader->arena, name, (size_t)(dot - name)) : NULL;
        if (!dot || !dot[1]) scene_error(loader, entry->key, "a frame is named BODY.NAME, as in crank.tip, not '%.60s'", name);
        else if (owner && parts_find_flexible(loader->parts, owner, strlen(owner)) >= 0) {
            if (zn_parts_find_flexible(loader->parts, owner, &flexible) == ZN_OK)
                scene_read_section(loader, flexible, dot + 1, entry->key, entry->value);
        } else if (owner && scene_placed(loader, zn_parts_find_body(loader->parts, owner, &body), entry->key))
            read_frame(loader, body, dot + 1, entry->key, entry->value);
    }
}

/* ---- bodies ---- */

typedef struct body_nodes {
    const scene_node *type, *position, *velocity, *angle, *angle_rate, *rotation, *angular_velocity, *mass, *inertia, *shape, *density,
        *axis, *frames, *geometry;
} body_nodes;

static void read_inertia(scene_loader *loader, const scene_node *node, zn_body_def *def) {
    const char *what = scene_format(loader, "inertia of '%s'", def->name);
    if (def->type == ZN_BODY_PLANAR) {
        scene_want_number(loader, node, what, scene_positive, &def->inertia[2]);
    } else if (node->kind == SCENE_SCALAR) {
        double all;
        if (scene_want_number(loader, node, what, scene_positive, &all)) def->inertia[0] = def->inertia[1] = def->inertia[2] = all;
    } else if (node->count != 3 && node->count != 6) {
        scene_error(loader, node, "%s is a number (all axes), [xx, yy, zz] or [xx, yy, zz, xy, xz, yz], not %d numbers", what, node->count);
    } else {
        scene_want_vector(loader, node, what, 3, 6, def->inertia);
    }
}

/* A motion is one in space where it has three coordinates or an axis, or where others move in space and nothing in a plane; else it is in
 * the plane as long as it stays there. */
static void read_motion(scene_loader *loader, const body_nodes *n, bool in_space, zn_body_def *def) {
    const scene_node *items[3];
    int count = n->position ? scene_want_list(loader, n->position, "position", 2, 3, items) : 0;
    if (in_space || count == 3 || n->axis) def->motion[2] = (zn_formula){.text = "0"};
    for (int i = 0; i < count; i++) {
        if (i < 2 && scene_is_constant(loader, scene_formula(loader, items[i])))
            scene_want_number(loader, items[i], "position", scene_any_number, &def->position[i]);
        else def->motion[i] = scene_formula(loader, items[i]);
    }
    def->motion_angle = scene_formula(loader, n->angle);
    if (n->axis) scene_want_vector(loader, n->axis, "axis", 3, 3, def->motion_axis);
    const scene_node *wrong = n->velocity           ? n->velocity
                              : n->angle_rate       ? n->angle_rate
                              : n->angular_velocity ? n->angular_velocity
                                                    : n->mass;
    if (wrong) scene_error(loader, wrong, "'%s' has a prescribed motion: its velocity follows from it, and it needs no mass", def->name);
}

static void read_start(scene_loader *loader, const body_nodes *n, bool planar, zn_body_def *def) {
    int least = planar ? 2 : 3, most = least;
    if (n->position)
        scene_want_vector(loader, n->position, scene_format(loader, "position of '%s'", def->name), least, most, def->position);
    if (n->velocity)
        scene_want_vector(loader, n->velocity, scene_format(loader, "velocity of '%s'", def->name), least, most, def->velocity);
    if (n->angle) scene_want_number(loader, n->angle, "angle", scene_any_number, &def->angle);
    if (n->angle_rate) scene_want_number(loader, n->angle_rate, "angle_rate", scene_any_number, &def->angle_rate);
    if (n->angular_velocity) scene_want_vector(loader, n->angular_velocity, "angular_velocity", 3, 3, def->angular_velocity);
    const scene_node *wrong = NULL;
    if (def->type == ZN_BODY_SPATIAL) wrong = n->angle ? n->angle : n->angle_rate;
    if (def->type == ZN_BODY_PLANAR) wrong = n->rotation ? n->rotation : n->angular_velocity;
    if (def->type == ZN_BODY_PARTICLE_2D || def->type == ZN_BODY_PARTICLE_3D)
        wrong = n->angle              ? n->angle
                : n->angle_rate       ? n->angle_rate
                : n->rotation         ? n->rotation
                : n->angular_velocity ? n->angular_velocity
                                      : n->inertia;
    if (!wrong && n->axis) wrong = n->axis;
    if (wrong)
        scene_error(loader, wrong, "'%s' is a %s: it %s", def->name,
                    def->type == ZN_BODY_SPATIAL  ? "spatial body"
                    : def->type == ZN_BODY_PLANAR ? "planar body"
                                                  : "particle",
                    def->type == ZN_BODY_SPATIAL  ? "turns by 'rotation' and 'angular_velocity'"
                    : def->type == ZN_BODY_PLANAR ? "turns by 'angle' and 'angle_rate'"
                                                  : "does not turn");
}

static bool read_type(scene_loader *loader, const body_nodes *n, const char *what, zn_body_type *type) {
    static const char *const words[] = {
        "particle", "planar", "spatial", "prescribed",
#define X(name, identifier, word, sentence) word,
        ZN_FLEXIBLE_LIST(X) /* read elsewhere */
#undef X
    };
    static const zn_body_type types[] = {ZN_BODY_PARTICLE_2D, ZN_BODY_PLANAR, ZN_BODY_SPATIAL, ZN_BODY_PRESCRIBED};
    int word = scene_want_word(loader, n->type, scene_format(loader, "type of %s", what), sizeof words / sizeof *words, words);
    if (word < 0) return false;
    *type = types[word];
    if (word == 0 && ((n->position && n->position->count == 3) || (!n->position && n->velocity && n->velocity->count == 3)))
        *type = ZN_BODY_PARTICLE_3D;
    return true;
}

/* Whether some of the bodies are spatial, and none is planar. */
static bool is_space(const scene_node *bodies) {
    bool spatial = false;
    for (const scene_entry *entry = bodies->first; entry; entry = entry->next)
        for (const scene_entry *e = entry->value->kind == SCENE_MAP ? entry->value->first : NULL; e; e = e->next) {
            if (strcmp(e->key->text, "type") != 0 || e->value->kind != SCENE_SCALAR) continue;
            if (!strcmp(e->value->text, "planar")) return false;
            spatial = spatial || !strcmp(e->value->text, "spatial");
        }
    return spatial;
}

static void read_body(scene_loader *loader, const scene_entry *entry, bool in_space) {
    const char *name = entry->key->text, *what = scene_format(loader, "body '%s'", name);
    const int scalar = SCENE_SCALAR, list = SCENE_LIST;
    body_nodes n = {0};
    const scene_key keys[] = {{"type", scalar, true, &n.type},
                              {"position", list, false, &n.position},
                              {"velocity", list, false, &n.velocity},
                              {"angle", scalar, false, &n.angle},
                              {"angle_rate", scalar, false, &n.angle_rate},
                              {"rotation", list | SCENE_MAP, false, &n.rotation},
                              {"angular_velocity", list, false, &n.angular_velocity},
                              {"mass", scalar, false, &n.mass},
                              {"inertia", scalar | list, false, &n.inertia},
                              {"shape", SCENE_MAP, false, &n.shape},
                              {"density", scalar, false, &n.density},
                              {"axis", list, false, &n.axis},
                              {"frames", SCENE_MAP, false, &n.frames},
                              {"geometry", SCENE_MAP, false, &n.geometry}};
    zn_body_def def = zn_default_body_def();
    zn_body body;
    int errors = zn_error_count(loader->context);
    scene_declare(loader, "body", entry->key);
    if (scene_want_map(loader, entry->value, what, sizeof keys / sizeof *keys, keys) && n.type && read_type(loader, &n, what, &def.type)) {
        def.name = name;
        if (def.type == ZN_BODY_PRESCRIBED) read_motion(loader, &n, in_space, &def);
        else read_start(loader, &n, def.type == ZN_BODY_PARTICLE_2D || def.type == ZN_BODY_PLANAR, &def);
        if (n.rotation) scene_want_rotation(loader, n.rotation, scene_format(loader, "rotation of '%s'", name), def.rotation);
        def.mass = number_or(loader, n.mass, scene_format(loader, "mass of '%s'", name), scene_positive, 0);
        def.density = number_or(loader, n.density, scene_format(loader, "density of '%s'", name), scene_positive, 0);
        if (n.inertia) read_inertia(loader, n.inertia, &def);
        if (n.shape) read_shape(loader, n.shape, name, &def.shape);
        if (n.density && !n.shape) scene_error(loader, n.density, "'%s' has a density, but no shape", name);
    }
    if (zn_error_count(loader->context) == errors) {
        const scene_node *at = n.inertia ? n.inertia : n.shape ? n.shape : n.mass ? n.mass : entry->key;
        if (scene_placed(loader, zn_parts_body(loader->parts, &def, &body), at) && n.frames)
            for (const scene_entry *frame = n.frames->first; frame && !scene_gave_up(loader); frame = frame->next)
                read_frame(loader, body, frame->key->text, frame->key, frame->value);
        if (n.geometry && zn_error_count(loader->context) == errors) scene_read_geometry(loader, name, n.geometry);
    }
    if (zn_error_count(loader->context) != errors) loader->names_incomplete = true; /* what uses the body would only repeat the mistake */
}

void scene_read_bodies(scene_loader *loader, const scene_node *node) {
    const bool in_space = is_space(node);
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next)
        scene_is_flexible(entry->value) ? scene_read_flexible(loader, entry) : read_body(loader, entry, in_space);
}

void scene_read_gravity(scene_loader *loader, const scene_node *node) {
    double g[3] = {0};
    if (scene_want_vector(loader, node, "gravity", 2, 3, g)) scene_placed(loader, zn_parts_gravity(loader->parts, g), node);
}
