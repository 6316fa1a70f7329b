/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes whose shapes find each other: rules and groups, all shapes, meshes in files, and mistakes in each of them. */
#include "scene_check.h"

#include "model/parts/field.h"
#include "scene/where.h"

#include <unistd.h>

#define RULE_SCENE                                                                                               \
    "parameters: {R: 0.1}\n"                                                                                     \
    "bodies:\n"                                                                                                  \
    "  a: {type: planar, shape: {type: disk, radius: R}, density: 1, position: [0, 1]}\n"                        \
    "  b: {type: planar, shape: {type: disk, radius: R}, density: 1, position: [1, 1]}\n"                        \
    "  c: {type: planar, shape: {type: box, size: [R, R]}, density: 1, position: [2, 1], frames: {f: [0, 0]}}\n" \
    "  d: {type: planar, mass: 1, inertia: 1, position: [2, 2]}\n"                                               \
    "joints: {pin: {type: distance, between: [b, c]}, rail: {type: distance, between: [world, a]}}\n"            \
    "geometry:\n"                                                                                                \
    "  floor: {type: line, material: stone}\n"                                                                   \
    "  d1: {on: d, type: disk, radius: R, material: wood}\n"                                                     \
    "  d2: {on: d, type: disk, radius: R, at: [1, 0]}\n"                                                         \
    "groups: {round: [a, b], things: [round, c]}\n"                                                              \
    "contacts:\n"                                                                                                \
    "  rule: {between: all, friction: 0.5}\n"                                                                    \
    "simulation: {step: 1e-3, end: 1}\n"

#define check_rule(old, now, ...)                   \
    do {                                            \
        char *changed = with(RULE_SCENE, old, now); \
        check_errors(changed, __VA_ARGS__);         \
        free(changed);                              \
    } while (0)

/* ---- who meets whom ---- */

static int shape_named(const contact_field *f, const char *name, size_t length) {
    for (int i = 0; i < contact_field_shapes(f); i++)
        if (strlen(contact_field_shape_name(f, i)) == length && !strncmp(contact_field_shape_name(f, i), name, length)) return i;
    fail_msg("no shape %s", name);
    return -1;
}

#define LAW ", friction: 0.5}\n"

/* `pairs`: "a-b a-c", all that may meet among the shapes of the scene. */
static void check_meetings(const char *rules, const char *pairs) {
    zn_context *context = zn_context_create(NULL);
    char *text = with(RULE_SCENE, "  rule: {between: all, friction: 0.5}\n", rules);
    zn_scene *scene = load_good(context, text, 0, NULL);
    const contact_field *f = contact_field_of(zn_scene_model(scene));
    assert_non_null(f);
    int n = contact_field_shapes(f), expected[16][16] = {{0}};
    assert_true(n <= 16);
    for (const char *at = pairs; *at;) {
        size_t first = strcspn(at, "-"), second = strcspn(at + first + 1, " ");
        int x = shape_named(f, at, first), y = shape_named(f, at + first + 1, second);
        expected[x][y] = expected[y][x] = 1;
        at += first + 1 + second;
        at += *at == ' ';
    }
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n; y++)
            if ((field_rule_of(f, x, y) >= 0) != expected[x][y])
                fail_msg("%s: '%s' and '%s' %s", rules, contact_field_shape_name(f, x), contact_field_shape_name(f, y),
                         expected[x][y] ? "never meet" : "may meet");
    free(text);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static void rules_say_who_meets_whom(void **state) {
    (void)state;
    /* b and c have a joint, d1 and d2 are on one body; a joint with the world connects nothing */
    check_meetings("  rule: {between: all" LAW, "a-b a-c a-d1 a-d2 a-floor b-d1 b-d2 b-floor c-d1 c-d2 c-floor d1-floor d2-floor");
    check_meetings("  rule: {between: all, joined: true" LAW,
                   "a-b a-c b-c a-d1 a-d2 a-floor b-d1 b-d2 b-floor c-d1 c-d2 c-floor d1-floor d2-floor");
    check_meetings("  rule: {between: round" LAW, "a-b");
    check_meetings("  rule: {between: [round, round]" LAW, "a-b");
    check_meetings("  rule: {between: things" LAW, "a-b a-c");
    check_meetings("  rule: {between: [things, world]" LAW, "a-floor b-floor c-floor");
    check_meetings("  rule: {between: [world, things], except: [[round, floor]]" LAW, "c-floor");
    check_meetings("  rule: {between: [d, a]" LAW, "a-d1 a-d2");
    check_meetings("  rule: {between: [all, a]" LAW, "a-b a-c a-d1 a-d2 a-floor");
    check_meetings("  rule: {between: [round, all], except: [[a, b], [d, round], [floor, b]]" LAW, "a-c a-floor");
    /* a box and a box as a pair: a rule for it alone, whatever joints say; a disk and a line: declared, and no rule's */
    check_meetings("  pair: {between: [c, d1]" LAW, "c-d1");
    check_meetings("  pair: {between: [a, floor]}\n  rule: {between: [things, floor]" LAW, "b-floor c-floor");
}

/* Of several rules the last that names a pair counts; a rule without a law has that of the materials. */
static void rules_have_laws(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    char *text = with(
        RULE_SCENE, "  rule: {between: all, friction: 0.5}\n",
        "  rule: {between: all}\n  rough: {between: [things, world], friction: 0.7}\n  slick: {between: [round, world], friction: 0.1}\n"
        "materials: {ws: {between: [wood, stone], friction: 0.3}}\n");
    zn_scene *scene = load_good(context, text, 0, NULL);
    const contact_field *f = contact_field_of(zn_scene_model(scene));
    const struct {
        const char *shape;
        double mu;
    } expected[] = {{"a", 0.1}, {"c", 0.7}, {"d1", 0.3}, {"d2", 0}};
    int floor = shape_named(f, "floor", 5);
    for (int i = 0; i < 4; i++) {
        int shape = shape_named(f, expected[i].shape, strlen(expected[i].shape));
        const field_law *law = field_law_of(f, field_rule_of(f, shape, floor), shape, floor);
        assert_true(law->good[1]);
        check_close(law->rows[1].contact.nF ? law->rows[1].balls[0].mu : 0, expected[i].mu, 0);
    }
    free(text);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static void mistakes_in_rules(void **state) {
    (void)state;
    check_rule("between: all", "between: al", "14:19: there is no group, body or geometry 'al' (did you mean 'a'?)");
    check_rule("between: all", "between: [round, flor]", "14:19: there is no group, body or geometry 'flor' (did you mean 'floor'?)");
    check_rule("between: all", "between: [round, floor, a]", "14:19: must name two, but here are 3");
    check_rule("between: all", "between: [round, [a, b]]", "14:27: entry 2");
    check_rule("friction: 0.5", "frictoin: 0.5", "14:24: did you mean 'friction'");
    check_rule("friction: 0.5", "friction: -1", "14:34: must not be less than 0");
    check_rule("friction: 0.5", "friction: [1, 2]", "14:19: in the plane");
    check_rule("friction: 0.5", "except: [a, b]", "14:33: must name two, but here is 1");
    check_rule("friction: 0.5", "except: [[a, b, c]]", "14:33: must name two");
    check_rule("friction: 0.5", "except: [[a, x]]", "14:19: there is no group, body or geometry 'x'");
    check_rule("friction: 0.5", "except: all", "14:32: must be a list");
    check_rule("friction: 0.5", "joined: maybe", "14:32: 'maybe' is unknown in joined; known: false, true");
    check_rule("friction: 0.5", "normal_force: 1", "14:24: 'normal_force' is unknown");
    check_rule("friction: 0.5", "tangent: {direction: [1, 0]}", "14:24: 'tangent' is unknown");
    check_rule("between: all", "between: world", "14:19: names no body that can move");
    check_rule("groups: {round: [a, b]", "groups: {round: [a, q]", "12:17: there is no group, body or geometry 'q'",
               "12:33: no group, body or geometry 'round'");
    check_rule("groups: {round: [a, b]", "groups: {a: [a, b]", "12:13: already taken", "12:29: no group, body or geometry 'round'");
    check_rule("groups: {round: [a, b]", "groups: {all: [a, b]", "12:15: which means every shape",
               "12:31: no group, body or geometry 'round'");
    check_rule("groups: {round: [a, b], things: [round, c]}", "groups: [a, b]", "12:9: must be a map");
    char *text = with(RULE_SCENE, "between: all, friction: 0.5", "between: all");
    check_errors(text, "14:3: no law is defined for the materials 'stone' and 'wood'");
    free(text);
}

/* ---- shapes ---- */

#define SHAPE_SCENE                                                                                        \
    "bodies:\n"                                                                                            \
    "  a: {type: spatial, density: 1, position: [0, 0, 2], shape: {type: cone, radius: 0.1, length: 1}}\n" \
    "geometry:\n"                                                                                          \
    "  g: {type: rectangle, size: [1, 2], normal: [0, 0, 1]}\n"                                            \
    "simulation: {step: 1e-3, end: 1}\n"

#define check_shape(old, now, ...)                   \
    do {                                             \
        char *changed = with(SHAPE_SCENE, old, now); \
        check_errors(changed, __VA_ARGS__);          \
        free(changed);                               \
    } while (0)

static void check_good(const char *old, const char *now) {
    zn_context *context = zn_context_create(NULL);
    char *text = with(SHAPE_SCENE, old, now);
    zn_scene *scene = load_good(context, text, 0, NULL);
    free(text);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

#define CUBE "points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles: [[1, 3, 2], [1, 2, 4], [2, 3, 4], [3, 1, 4]]"

static void shapes_of_scenes(void **state) {
    (void)state;
    check_good("type: cone, radius: 0.1, length: 1", "type: ellipsoid, size: [1, 2, 3]");
    check_good("type: cone, radius: 0.1, length: 1", "type: box, size: [1, 2, 3], radius: 0.1");
    check_good("type: cone, radius: 0.1, length: 1", "type: mesh, " CUBE);
    const char *const geometries[] = {"type: cone, radius: 1, length: 2, axis: [1, 0, 0], at: [0, 0, 1]",
                                      "type: cylinder, radius: 1, length: 2, axis: [1, 0, 0]",
                                      "type: ellipsoid, size: [1, 2, 3]",
                                      "type: box, size: [1, 2, 3], radius: 0.1",
                                      "type: polyhedron, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], radius: 0.1",
                                      ("type: mesh, " CUBE),
                                      "type: height-field, size: [1, 2], grid: [3, 4], z: 0.1*sin(x) + y^2",
                                      "type: height-field, size: [1, 2], heights: [[0, 1, 2], [3, 4, 5]]",
                                      "type: rectangle, size: [1, 2]",
                                      "type: segment, points: [[0, 0, 0], [1, 0, 0]], radius: 0.1"};
    for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++)
        check_good("type: rectangle, size: [1, 2], normal: [0, 0, 1]", geometries[i]);
}

static void mistakes_in_shapes(void **state) {
    (void)state;
    check_shape("radius: 0.1, length: 1", "radius: 0.1", "2:62: the length of a cone must be positive");
    check_shape("radius: 0.1, length: 1", "radius: -1, length: 1", "2:83: must be greater than 0");
    check_shape("type: cone", "type: conus", "2:69: unknown in shape of 'a'");
    check_shape("type: cone", "type: polygon", "2:62: planar bodies");
    check_shape("type: cone, radius: 0.1, length: 1", "type: box, size: [1, 1, 1], scale: 2", "2:98: only a mesh comes from a file");
    check_shape("type: cone, radius: 0.1, length: 1", "type: mesh, file: a.stl, points: [[0, 0, 0]]", "2:81: not by both");
    check_shape("type: cone, radius: 0.1, length: 1", "type: mesh, file: none.stl", "2:81: there is no such file");
    check_shape("type: cone, radius: 0.1, length: 1", "type: mesh, file: none.ply", "2:81: neither an STL nor an OBJ file");
    check_shape("type: cone, radius: 0.1, length: 1", "type: mesh, scale: 2, " CUBE, "2:82: but no 'file'");
    check_shape("size: [1, 2], normal", "normal", "4:6: a rectangle needs 'size'");
    check_shape("size: [1, 2], normal", "size: [1, -2], normal", "4:3: both sizes must be positive");
    check_shape("type: rectangle", "type: height-field", "4:49: a height-field has no 'normal'", "4:6: a height-field needs 'heights'");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "height-field, size: [1, 2], z: x", "4:6: on a 'grid'");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "height-field, size: [1, 2], z: x, grid: [1, 2]",
                "4:54: must be a whole number, 2 or more");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "height-field, size: [1, 2], z: x + q, grid: [2, 2]",
                "4:48: unknown name 'q'");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "height-field, size: [1, 2], z: 1/x, grid: [3, 3]",
                "4:3: no finite height at x = 0");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "height-field, size: [1, 2], z: x, grid: [99999, 99999]", "4:3: at most");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "height-field, size: [1, 2], heights: [[1, 2], [3]]",
                "4:59: has 1 numbers, but the first has 2");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "height-field, size: [1, 2], heights: [[1, 2], 3]", "4:59: must be a list");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "mesh, points: [[0, 0, 0]]", "4:6: 'points' and 'triangles', or by a 'file'");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "mesh, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[1, 2, 4]]",
                "4:74: triangle 1 of geometry 'g' has the point 4, but points are counted from 1 to 3");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "mesh, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 2]]",
                "4:74: has the point 0, but points are counted from 1 to 3");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "mesh, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[1, 1.5, 2]]",
                "4:74: has the point 1.5, but points are counted from 1 to 3");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "polyhedron, points: [[0, 0, 0], [1, 0, 0]]", "4:3: at least 4 points");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "segment, points: [[0, 0, 0]]", "4:3: two points");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "polyline, points: [[0, 0], [1, 1]], closed: perhaps",
                "4:57: unknown in closed");
    check_shape("rectangle, size: [1, 2], normal: [0, 0, 1]", "polyline, points: [[0, 0], [1]]", "4:40: needs 2 to 3");
}

#define PLANE_SCENE                                                                         \
    "bodies:\n"                                                                             \
    "  a: {type: planar, shape: {type: disk, radius: 0.1}, density: 1, position: [0, 9]}\n" \
    "geometry:\n"                                                                           \
    "  g: {type: SHAPE}\n"                                                                  \
    "contacts: {all: {between: all}}\nsimulation: {step: 1e-3, end: 1}\n"

static void mistakes_in_the_plane(void **state) {
    (void)state;
    const struct {
        const char *shape, *error;
    } wrong[] = {
        {"polyline, points: [[0, 0]]", "4:3: at least 2 points"},
        {"polyline, points: [[0, 0], [1, 0]], closed: true", "4:3: at least 3 points"},
        {"polygon, points: [[0, 0], [1, 0]]", "4:3: a polygon needs at least 3 points"},
        {"polygon, points: [[0, 0], [1, 1], [1, 0], [0, 1]]", "4:3: the polygon 'g' crosses itself"},
        {"polyline, points: [[-1, 0], [1, 1], [1, 0], [-1, 1]]",
         "4:3: the chain 'g' crosses itself: its segments from point 1 and from point 3 meet"},
        {"polyline, points: [[0, 0], [2, 0], [2, 2], [1, -1]], closed: true",
         "4:3: the chain 'g' crosses itself: its segments from point 1 and"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *text = with(PLANE_SCENE, "SHAPE", wrong[i].shape);
        check_errors(text, wrong[i].error);
        free(text);
    }
}

/* Two shapes are one mistake, however many of their features overlap; it is where the first of them is. */
static void overlaps_have_a_place(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = load_good(context,
                                "bodies:\n"
                                "  a: {type: spatial, shape: {type: box, size: [1, 1, 1]}, density: 1, position: [0, 0, 0.5]}\n"
                                "  b: {type: spatial, shape: {type: box, size: [1, 1, 1]}, density: 1, position: [0, 0.25, 1.125]}\n"
                                "  c: {type: spatial, shape: {type: sphere, radius: 0.5}, density: 1, position: [9, 0, 0.25]}\n"
                                "geometry:\n"
                                "  floor: {type: plane}\n"
                                "contacts: {all: {between: all}}\nsimulation: {step: 1e-3, end: 1}\n",
                                0, NULL);
    zn_simulation *simulation = NULL;
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation), ZN_ERROR_START);
    scene_place_errors(scene);
    const char *const told[] = {"'a' and 'b' overlap by 0.375 at the start: ", "'c' and 'floor' overlap by 0.25 at the start: "};
    assert_int_equal(zn_error_count(context), 2);
    for (int i = 0; i < 2; i++) {
        const zn_error *error = zn_error_get(context, i);
        if (!strstr(error->message, told[i])) fail_msg("'%s' has no '%s'", error->message, told[i]);
        assert_int_equal(error->line, i == 0 ? 2 : 4);
        assert_int_equal(error->column, 3);
    }
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

/* Shapes whose middles, or whose axes, meet: no direction is given, and no features that could be listed. They overlap all the same, and
 * are moved apart if that is wanted. */
static void what_has_no_direction_overlaps(void **state) {
    (void)state;
    static const char *const shapes[][2] = {
        {"sphere, radius: 0.1", "sphere, radius: 0.1"},
        {"capsule, radius: 0.1, length: 1", "sphere, radius: 0.1"},
        {"capsule, radius: 0.1, length: 1", "capsule, radius: 0.1, length: 1"},
        {"capsule, radius: 0.1, length: 1", "capsule, radius: 0.1, length: 1, axis: [1, 0, 0]"},
        {"capsule, radius: 0.1, length: 1", "ellipsoid, size: [0.2, 0.3, 0.2]"},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int project = 0; project < 2; project++) {
            char text[600];
            snprintf(text, sizeof text,
                     "bodies:\n  a: {type: spatial, mass: 1, inertia: [1, 1, 1]}\n  b: {type: spatial, mass: 1, inertia: [1, 1, 1]}\n"
                     "geometry:\n  x: {on: a, type: %s}\n  y: {on: b, type: %s}\n"
                     "contacts: {all: {between: all}}\nsimulation: {scheme: rattle, step: 1e-3, end: 0.01, project_start: %s}\n",
                     shapes[i][0], shapes[i][1], project ? "true" : "false");
            zn_context *context = zn_context_create(NULL);
            zn_scene *scene = load_good(context, text, 0, NULL);
            zn_simulation *simulation = NULL;
            zn_status status = zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation);
            assert_int_equal(status, project ? ZN_OK : ZN_ERROR_START);
            if (project) {
                assert_int_equal(zn_simulation_run(simulation, NULL, NULL), ZN_OK);
                check_below(zn_simulation_statistics(simulation).max_overlap, 1e-9);
            } else assert_non_null(strstr(zn_error_text(context), "'x' and 'y' overlap by 0.2"));
            zn_simulation_destroy(simulation);
            zn_scene_destroy(scene);
            zn_context_destroy(context);
        }
}

/* ---- files ---- */

static void write_file(const char *path, const void *bytes, size_t length) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    fclose(stream);
}

/* Loads a scene with the mesh `bytes` beside it; NULL: it must be good, with mass 1/6; else part of the error. */
static void check_mesh(const char *name, const void *bytes, size_t length, const char *why) {
    char folder[] = "/tmp/zeno-mesh-XXXXXX", path[64], scene_path[64], text[256];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(scene_path, sizeof scene_path, "%s/scene.yaml", folder);
    write_file(path, bytes, length);
    int size = snprintf(
        text, sizeof text,
        "bodies:\n  a: {type: spatial, density: 8, shape: {type: mesh, file: %s, scale: 0.5}}\nsimulation: {step: 1e-3, end: 1}\n", name);
    write_file(scene_path, text, (size_t)size);
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    zn_status status = zn_scene_load(context, scene_path, NULL, &scene);
    if (!why) {
        if (status != ZN_OK) fail_msg("%s", zn_error_text(context));
        const zn_model *model = zn_scene_model(scene);
        double M[36], work[4096];
        assert_true(model->work_bytes <= sizeof work);
        assert_int_equal(model->balance(model, work, &(zn_point){.q = model->q_start, .u = model->u_start}, &(zn_balance){.M = M}), 0);
        check_close(M[0], 1.0 / 6, 1e-15); /* the tetrahedron of volume 1/6, scaled by 1/2, of density 8 */
    } else {
        assert_int_not_equal(status, ZN_OK);
        if (!strstr(zn_error_text(context), why)) fail_msg("'%s' has no '%s'", zn_error_text(context), why);
    }
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    unlink(path), unlink(scene_path), rmdir(folder);
}

static void check_text_mesh(const char *name, const char *text, const char *why) { check_mesh(name, text, strlen(text), why); }

#define OBJ "# a tetrahedron\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1 3 2\nf 1//1 2//1 4//1\nf 2/1 3/1 4/1\nf -2 -4 -1\n"
#define FACET(a, b, c) "facet normal 0 0 0\n outer loop\n  vertex " a "\n  vertex " b "\n  vertex " c "\n endloop\nendfacet\n"
#define STL                                                                                                             \
    "solid t\n" FACET("0 0 0", "0 1 0", "1 0 0") FACET("0 0 0", "1 0 0", "0 0 1") FACET("1 0 0", "0 1.0 0", "-0 0 1e0") \
        FACET("0 1 0", "0 0 0", "0 0 1") "endsolid t\n"

#define LOW "0"
#define HIGH "0.055555555555555556"
#define L_PRISM                                                                                                                 \
    "v 0 0 " HIGH "\nv 2 0 " HIGH "\nv 2 1 " HIGH "\nv 1 1 " HIGH "\nv 1 2 " HIGH "\nv 0 2 " HIGH "\nv 0 0 " LOW "\nv 2 0 " LOW \
    "\nv 2 1 " LOW "\nv 1 1 " LOW "\nv 1 2 " LOW "\nv 0 2 " LOW                                                                 \
    "\nf 1 7 8 2\nf 2 8 9 3\nf 3 9 10 4\nf 4 10 11 5\nf 5 11 12 6\nf 6 12 7 1\n"

static size_t binary_stl(unsigned char *bytes) {
    static const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    memset(bytes, 0, 84 + 200);
    memcpy(bytes, "solid but binary", 16);
    bytes[80] = 4;
    for (int t = 0; t < 4; t++)
        for (int k = 0; k < 3; k++) memcpy(bytes + 84 + 50 * t + 12 + 12 * k, corners[faces[t][k]], 12);
    return 84 + 200;
}

static void meshes_come_from_files(void **state) {
    (void)state;
    unsigned char bytes[512];
    check_text_mesh("t.obj", OBJ, NULL);
    check_text_mesh("t.stl", STL, NULL);
    /* as others write them: ends of lines, continued lines, corners that are repeated, capital letters */
    check_text_mesh(
        "t.obj", "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0 1.0\r\nv 0 0 1\r\ns off\r\nf 1 3 2\r\nf 1 2 \\\r\n 4\r\nf 2 3 4\r\nf -2 -4 -1\r\n", NULL);
    check_text_mesh("t.obj",
                    "v 0 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 4 5 6\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 7 8 9\nv 0 1 "
                    "0\nv 0 0 0\nv 0 0 1\nf -3 -2 -1\n",
                    NULL);
    /* faces with notches, wherever they begin, and with corners on straight edges: an L of area 3 */
    check_text_mesh("t.obj", L_PRISM "f 7 12 11 10 9 8\nf 2 3 4 5 6 1\n", NULL);
    check_text_mesh("t.obj", L_PRISM "f 9 8 7 12 11 10\nf 5 6 1 2 3 4\n", NULL);
    check_text_mesh("t.obj", L_PRISM "f 9 8 7 12 11 10\nf 5 6 1 3 2 4\n", "t.obj:20:3: the face crosses itself");
    check_text_mesh("t.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3 4\n", "t.obj:5:3: the face has no area");
    char capitals[sizeof STL];
    for (size_t i = 0; i < sizeof STL; i++) capitals[i] = (char)(STL[i] >= 'a' && STL[i] <= 'z' ? STL[i] - 32 : STL[i]);
    check_text_mesh("t.stl", capitals, NULL);
    /* words, not lines: a facet in a line, and a name like any other words */
    char one_line[sizeof STL];
    for (size_t i = 0; i < sizeof STL; i++)
        one_line[i] = (char)(i > sizeof "solid t" && i + sizeof "endsolid t\n" < sizeof STL && STL[i] == '\n' ? ' ' : STL[i]);
    check_text_mesh("t.stl", one_line, NULL);
    char *named = with(STL, "solid t\n", "solid with a vertex 1 2 and an endloop\n");
    check_text_mesh("t.stl", named, NULL);
    free(named);
    size_t length = binary_stl(bytes);
    check_mesh("T.STL", bytes, length, NULL);
    check_mesh("t.stl", bytes, length - 1,
               "there is no triangle in this file; as a binary STL file it would have 284 bytes for 4 triangles, but it has 283");
    memset(bytes + 84 + 12, 0xff, 4);
    check_mesh("t.stl", bytes, length, "not finite");
    char *cut = with(STL, "endsolid t\n", "facet normal 0 0 1\n");
    check_text_mesh("t.stl", cut, "t.stl:31:1: the file ends without 'endsolid'");
    free(cut);
    check_text_mesh("t.obj", "", "there is no face");
    check_text_mesh("t.stl", "", "there is no triangle");
    check_text_mesh("t.obj", "v 0 0 0\nv 1 0 x\n", "t.obj:2:7: a number is wanted");
    check_text_mesh("t.obj", "v 0 0\nv 1 0 1\n", "t.obj:1:6: a point has three numbers");
    check_text_mesh("t.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\n", "t.obj:3:7: there is no point with this number");
    check_text_mesh("t.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "t.obj:3:6: a face has at least three points");
    check_text_mesh("t.obj", "v 0 0 0\nf 1 0 1\n", "t.obj:2:5: there is no point");
    check_text_mesh("t.obj", "v 0 0 0\nf 1 99999999999999999999 1\n", "t.obj:2:5: there is no point");
    check_text_mesh("t.stl", "solid\nvertex 0 0 nan\n", "t.stl:2:12: a number is wanted");
    check_text_mesh("t.stl", "solid\nvertex 0 0 1\nendloop\n", "t.stl:3:8: a triangle has three points");
    check_text_mesh("t.stl", "solid\nvertex 0 0 1\nvertex 0 1 1", "ends within a triangle");
    char *open = with(OBJ, "f -2 -4 -1\n", "");
    check_text_mesh("t.obj", open, "at least 4 points and 4 triangles");
    free(open);
    char *inside = with(OBJ, "f -2 -4 -1\n", "f -1 -4 -2\n");
    check_text_mesh("t.obj", inside, "not closed");
    free(inside);
}

/* Random damage never crashes: it loads, or is an error. */
static void damaged_files(void **state) {
    (void)state;
    unsigned seed = 5;
    unsigned char bytes[512];
    for (int run = 0; run < 300; run++) {
        const char *name = run % 3 == 0 ? "t.obj" : "t.stl";
        size_t length = run % 3 == 0 ? strlen(OBJ) : run % 3 == 1 ? strlen(STL) : 0;
        if (run % 3 == 2) length = binary_stl(bytes);
        else if (length > sizeof bytes) length = sizeof bytes;
        if (run % 3 < 2) memcpy(bytes, run % 3 ? STL : OBJ, length);
        for (int k = 0; k < 4; k++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[(seed >> 8) % length] = (unsigned char)(seed >> 24);
        }
        char folder[] = "/tmp/zeno-mesh-XXXXXX", path[64], scene_path[64];
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof path, "%s/%s", folder, name);
        snprintf(scene_path, sizeof scene_path, "%s/scene.yaml", folder);
        write_file(path, bytes, length);
        char text[200];
        int size = snprintf(text, sizeof text, "bodies:\n  a: {type: spatial, density: 8, shape: {type: mesh, file: %s}}\n", name);
        write_file(scene_path, text, (size_t)size);
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        zn_status status = zn_scene_load(context, scene_path, NULL, &scene);
        assert_true((status == ZN_OK) == (zn_error_count(context) == 0));
        zn_scene_destroy(scene);
        zn_context_destroy(context);
        unlink(path), unlink(scene_path), rmdir(folder);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules_say_who_meets_whom),
                                       cmocka_unit_test(rules_have_laws),
                                       cmocka_unit_test_teardown(mistakes_in_rules, no_mismatches),
                                       cmocka_unit_test(shapes_of_scenes),
                                       cmocka_unit_test_teardown(mistakes_in_shapes, no_mismatches),
                                       cmocka_unit_test_teardown(mistakes_in_the_plane, no_mismatches),
                                       cmocka_unit_test(overlaps_have_a_place),
                                       cmocka_unit_test(what_has_no_direction_overlaps),
                                       cmocka_unit_test(meshes_come_from_files),
                                       cmocka_unit_test(damaged_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
