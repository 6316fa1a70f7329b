/* SPDX-License-Identifier: Apache-2.0 */
/* view: how a scene looks on the page of `zeno page`. Each item has a shape, sizes, and a pose by formulas; a formula that changes
 * with the motion becomes an output "view.ITEM.x", which results keep. The JSON is that of docs/page.md. */
#include "scene/view.h"

typedef enum view_place { PLACE_POSE, PLACE_ENDS, PLACE_POINTS, PLACE_CURVE, PLACE_SURFACE } view_place;

typedef struct view_shape {
    const char *name;
    view_place place;
    bool radius, length, size; /* needed */
} view_shape;

static const view_shape shapes[] = {{"disk", PLACE_POSE, true, false, false},          {"sphere", PLACE_POSE, true, false, false},
                                    {"circle", PLACE_POSE, true, false, false},        {"ring", PLACE_POSE, true, false, false},
                                    {"cylinder", PLACE_POSE, true, true, false},       {"capsule", PLACE_POSE, true, true, false},
                                    {"hollow-sphere", PLACE_POSE, true, false, false}, {"hollow-cylinder", PLACE_POSE, true, true, false},
                                    {"box", PLACE_POSE, false, false, true},           {"ellipse", PLACE_POSE, false, false, true},
                                    {"ellipsoid", PLACE_POSE, false, false, true},     {"point", PLACE_POSE, false, false, false},
                                    {"joint", PLACE_POSE, false, false, false},        {"line", PLACE_POSE, false, false, false},
                                    {"plane", PLACE_POSE, false, false, false},        {"segment", PLACE_ENDS, false, false, false},
                                    {"spring", PLACE_ENDS, false, false, false},       {"polygon", PLACE_POINTS, false, false, false},
                                    {"polyline", PLACE_POINTS, false, false, false},   {"curve", PLACE_CURVE, false, false, false},
                                    {"surface", PLACE_SURFACE, false, false, false}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static const char *const letters[] = {"x", "y", "z"};

/* ---- values ---- */

/* A number, or the name of the output that the formula becomes: view.ITEM.END. */
static void put_value(scene_view *v, const scene_node *node, const char *item, const char *end) {
    scene_loader *loader = v->loader;
    zn_formula formula = scene_formula(loader, node);
    double value;
    if (scene_is_constant(loader, formula)) {
        scene_evaluate(loader, formula, scene_format(loader, "'%s' of the view of '%s'", end, item), &value);
        buffer_number(&v->text, value);
        return;
    }
    const char *name = scene_format(loader, MODEL_POSE_PREFIX "%s.%s", item, end);
    buffer_json(&v->text, name);
    const formula_said said = {.name = name, .value = formula};
    scene_placed(loader, parts_say(loader->parts, TEXT_OUTPUT, &said), node);
}

void view_put_values(scene_view *v, const char *member, const scene_node *node, const char *item, const char *prefix, int least, int most) {
    const scene_node *items[SCENE_MAX_VECTOR];
    int count = scene_want_list(v->loader, node, scene_format(v->loader, "'%s' of the view of '%s'", member, item), least, most, items);
    if (count == 3) v->spatial = true;
    buffer_put(&v->text, ", \"%s\": [", member);
    for (int i = 0; i < count; i++) {
        if (i) buffer_put(&v->text, ", ");
        put_value(v, items[i], item, scene_format(v->loader, "%s%s", prefix, i < 3 ? letters[i] : "?"));
    }
    buffer_put(&v->text, "]");
}

static void put_number(scene_view *v, const char *member, const scene_node *node, const char *item) {
    double value;
    if (!node ||
        !scene_want_number(v->loader, node, scene_format(v->loader, "%s of the view of '%s'", member, item), scene_positive, &value))
        return;
    buffer_put(&v->text, ", \"%s\": ", member);
    buffer_number(&v->text, value);
}

/* ---- poses ---- */

typedef struct item_nodes {
    const scene_node *shape, *on, *at, *angle, *turns, *direction, *normal, *radius, *length, *size, *from, *to, *points, *of, *range,
        *thin;
} item_nodes;

/* Constant directions: of a line its own or its normal, of a plane its normal. */
static void put_direction(scene_view *v, const item_nodes *n, const char *item) {
    double d[3] = {0};
    const scene_node *node = n->direction ? n->direction : n->normal;
    int count = scene_want_vector(v->loader, node, scene_format(v->loader, "direction of the view of '%s'", item), 2, 3, d);
    if (!count) return;
    vec3 t1, t2, axis = vec3_from(d);
    if (!(vec3_norm(axis) > 0)) {
        scene_error(v->loader, node, "the direction of the view of '%s' is zero", item);
        return;
    }
    axis = vec3_normalised(axis);
    vec3_tangents(axis, &t1, &t2);
    if (count == 2) {
        t1 = n->direction ? axis : (vec3){axis.y, -axis.x, 0};
        t2 = (vec3){-t1.y, t1.x, 0};
    }
    buffer_put(&v->text, ", \"axes\": ");
    buffer_numbers(&v->text, 6, (double[]){t1.x, t1.y, t1.z, t2.x, t2.y, t2.z});
    if (count == 3) v->spatial = true;
}

/* turns: [[z, phi], [x, theta]]: rotations about moving axes, one after the other. */
static void put_turns(scene_view *v, const scene_node *node, const char *item) {
    static const char *const axes[] = {"x", "y", "z"};
    const char *what = scene_format(v->loader, "a turn of the view of '%s'", item);
    int number = 0;
    buffer_put(&v->text, ", \"turns\": [");
    for (const scene_entry *entry = node->first; entry; entry = entry->next, number++) {
        const scene_node *pair[2];
        if (!scene_want_list(v->loader, entry->value, what, 2, 2, pair)) continue;
        int axis = scene_want_word(v->loader, pair[0], "the axis of a turn", 3, axes);
        buffer_put(&v->text, "%s[\"%s\", ", number ? ", " : "", axis < 0 ? "x" : axes[axis]);
        put_value(v, pair[1], item, scene_format(v->loader, "turn%d", number + 1));
        buffer_put(&v->text, "]");
    }
    buffer_put(&v->text, "]");
}

static void put_pose(scene_view *v, const item_nodes *n, const char *item) {
    if (n->at) view_put_values(v, "at", n->at, item, "", 2, 3);
    if (n->angle) {
        buffer_put(&v->text, ", \"angle\": ");
        put_value(v, n->angle, item, "angle");
    } else if (n->turns) put_turns(v, n->turns, item);
    else if (n->direction || n->normal) put_direction(v, n, item);
}

/* ---- points and curves ---- */

static void put_points(scene_view *v, const scene_node *node, const char *item) {
    bool first = true;
    buffer_put(&v->text, ", \"points\": [");
    for (const scene_entry *entry = node->first; entry; entry = entry->next) {
        double point[3] = {0};
        int count = scene_want_vector(v->loader, entry->value, scene_format(v->loader, "a point of the view of '%s'", item), 2, 3, point);
        if (!count) continue;
        if (!first) buffer_put(&v->text, ", ");
        buffer_numbers(&v->text, count, point);
        if (count == 3) v->spatial = true;
        first = false;
    }
    buffer_put(&v->text, "]");
}

/* ---- items ---- */

static bool read_item_map(scene_loader *loader, const scene_entry *entry, const char *what, item_nodes *n) {
    const int one = SCENE_SCALAR, list = SCENE_LIST;
    const scene_key keys[] = {
        {"shape", one, true, &n->shape},     {"on", one, false, &n->on},         {"at", list, false, &n->at},
        {"angle", one, false, &n->angle},    {"turns", list, false, &n->turns},  {"direction", list, false, &n->direction},
        {"normal", list, false, &n->normal}, {"radius", one, false, &n->radius}, {"length", one, false, &n->length},
        {"size", list, false, &n->size},     {"from", list, false, &n->from},    {"to", list, false, &n->to},
        {"points", list, false, &n->points}, {"of", list, false, &n->of},        {"range", list, false, &n->range},
        {"thin", one, false, &n->thin}};
    return scene_want_map(loader, entry->value, what, sizeof keys / sizeof *keys, keys);
}

/* What the shape needs; false with an error. */
static bool check_item(scene_loader *loader, const scene_entry *entry, const view_shape *shape, const item_nodes *n) {
    const struct {
        const char *name;
        bool needed;
        const scene_node *node;
    } needs[] = {{"radius", shape->radius, n->radius},
                 {"length", shape->length, n->length},
                 {"size", shape->size, n->size},
                 {"from", shape->place == PLACE_ENDS, n->from},
                 {"to", shape->place == PLACE_ENDS, n->to},
                 {"points", shape->place == PLACE_POINTS, n->points},
                 {"of", shape->place == PLACE_CURVE || shape->place == PLACE_SURFACE, n->of},
                 {"range", shape->place == PLACE_CURVE || shape->place == PLACE_SURFACE, n->range}};
    bool good = true;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].needed && !needs[i].node) {
            scene_error(loader, entry->value, "the view of '%s' is a %s and needs '%s'", entry->key->text, shape->name, needs[i].name);
            good = false;
        }
    return good;
}

static void put_body(scene_view *v, const scene_node *node, const char *item) {
    zn_body body;
    if (v->loader->alone) scene_error(v->loader, node, "the view of '%s' is on a body, but the scene has no bodies", item);
    else if (scene_placed(v->loader, zn_parts_find_body(v->loader->parts, node->text, &body), node)) {
        zn_parts_view_body(v->loader->parts, body);
        buffer_put(&v->text, ", \"body\": ");
        buffer_json(&v->text, node->text);
    }
}

static void read_item(scene_view *v, const scene_entry *entry) {
    scene_loader *loader = v->loader;
    const char *name = entry->key->text, *words[N_SHAPES];
    item_nodes n = {0};
    if (!scene_want_label(loader, "view", entry->key) ||
        !read_item_map(loader, entry, scene_format(loader, "the view of '%s'", name), &n) || !n.shape)
        return;
    for (int i = 0; i < N_SHAPES; i++) words[i] = shapes[i].name;
    int kind = scene_want_word(loader, n.shape, scene_format(loader, "the shape of '%s'", name), N_SHAPES, words);
    if (kind < 0 || !check_item(loader, entry, &shapes[kind], &n)) return;
    buffer_put(&v->text, "%s{\"name\": ", v->n_items++ ? ",\n" : "");
    buffer_json(&v->text, name);
    buffer_put(&v->text, ", \"shape\": \"%s\"", shapes[kind].name);
    if (n.on) put_body(v, n.on, name);
    put_pose(v, &n, name);
    put_number(v, "radius", n.radius, name);
    put_number(v, "length", n.length, name);
    double size[3];
    int sizes = n.size ? scene_want_vector(loader, n.size, scene_format(loader, "size of the view of '%s'", name), 2, 3, size) : 0;
    if (sizes) {
        buffer_put(&v->text, ", \"size\": ");
        buffer_numbers(&v->text, sizes, size);
    }
    if (n.from) view_put_values(v, "from", n.from, name, "from_", 2, 3);
    if (n.to) view_put_values(v, "to", n.to, name, "to_", 2, 3);
    if (n.points) put_points(v, n.points, name);
    if (shapes[kind].place == PLACE_CURVE) view_put_curve(v, n.of, n.range, name);
    if (shapes[kind].place == PLACE_SURFACE) view_put_surface(v, n.of, n.range, name);
    if (n.thin && scene_want_word(loader, n.thin, "thin", 2, (const char *const[]){"false", "true"}) == 1)
        buffer_put(&v->text, ", \"thin\": true");
    buffer_put(&v->text, "}");
}

/* ---- the section ---- */

static bool is_setting(const char *key) {
    static const char *const settings[] = {"contacts", "trail", "follow", "speed", "plots"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (!strcmp(key, settings[i])) return true;
    return false;
}

void scene_read_view(scene_view *v, scene_loader *loader, const scene_node *node, const scene_node *contacts) {
    v->loader = loader;
    v->text.context = loader->context;
    if (!node) return;
    v->given = true;
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next)
        if (!is_setting(entry->key->text)) read_item(v, entry);
    v->items = buffer_end(&v->text);
    for (const scene_entry *entry = node->first; entry && !scene_gave_up(loader); entry = entry->next)
        if (is_setting(entry->key->text)) view_read_setting(v, node, entry, contacts);
    v->members = buffer_end(&v->text);
}

zn_status scene_view_parts(scene_view *v) {
    zn_view_def def = {.items = v->items, .members = v->members};
    return zn_parts_view(v->loader->parts, &def);
}

void scene_free_view(scene_view *v) {
    if (!v->loader) return;
    buffer_free(&v->text);
    mem_free(v->loader->context, v->items);
    mem_free(v->loader->context, v->members);
    for (int i = 0; i < v->n_contacts; i++) mem_free(v->loader->context, v->contacts[i].place);
}
