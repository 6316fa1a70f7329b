/* SPDX-License-Identifier: Apache-2.0 */
/* The section view: items and poses of formulas and of bodies, places of contacts, mistakes with their place, all scenes. */
#include "base/counting_allocator.h"
#include "json_check.h"
#include "scene_check.h"

#include "model/model.h"

#include <dirent.h>

#define HEAD                                                                                \
    "parameters: {R: 0.1, w: 3}\ncoordinates: {x: {start: 1, velocity: 2}, y: 2, phi: 0}\n" \
    "energy: {kinetic: (x'^2 + y'^2 + phi'^2)/2}\n"                                         \
    "contacts: {floor: {gap: y - R, slip: x', friction: 0.3}}\n"
#define TAIL "simulation: {scheme: rattle, step: 1e-2, end: 0.1}\n"

typedef struct loaded {
    zn_context *context;
    zn_scene *scene;
    zn_simulation *simulation;
    const zn_model *model;
    double values[400];
} loaded;

static loaded load(const char *text) {
    loaded s = {.context = zn_context_create(NULL)};
    zn_status status = zn_scene_parse(s.context, "view", text, NULL, &s.scene);
    if (status != ZN_OK) fail_msg("%s", zn_error_text(s.context));
    s.model = zn_scene_model(s.scene);
    assert_true(s.model->n_outputs <= 400);
    if (zn_simulation_create(s.context, s.model, zn_scene_settings(s.scene), &s.simulation) != ZN_OK)
        fail_msg("%s", zn_error_text(s.context));
    assert_int_equal(zn_simulation_outputs(s.simulation, s.values), ZN_OK);
    return s;
}

static void unload(loaded *s) {
    zn_simulation_destroy(s->simulation);
    zn_scene_destroy(s->scene);
    zn_context_destroy(s->context);
}

static double output(const loaded *s, const char *name) {
    for (int i = 0; i < s->model->n_outputs; i++)
        if (!strcmp(s->model->output_names[i], name)) return s->values[i];
    fail_msg("there is no output '%s'", name);
    return NAN;
}

/* Every name of a pose in the drawing is an output of the model. */
static void check_names(const zn_model *model, const char *scene) {
    for (const char *at = model->drawing; (at = strstr(at, "\"" MODEL_POSE_PREFIX)); at++) {
        size_t length = strcspn(at + 1, "\"");
        bool found = false;
        for (int i = 0; i < model->n_outputs && !found; i++)
            found = strlen(model->output_names[i]) == length && !strncmp(model->output_names[i], at + 1, length);
        if (!found) fail_msg("%s: '%.*s' is no output", scene, (int)length, at + 1);
    }
}

static void has(const zn_model *model, const char *piece) {
    if (!strstr(model->drawing, piece)) fail_msg("'%s' is not in\n%s", piece, model->drawing);
}

/* ---- formulas ---- */

static void test_formulas(void **state) {
    (void)state;
    loaded s = load(HEAD "view:\n"
                         "  ball: {shape: disk, radius: R, at: [x, 2*y], angle: phi + w*t + 1}\n"
                         "  rod: {shape: segment, from: [0, 2*R], to: [x - 1, y]}\n"
                         "  slope: {shape: curve, of: [s, exp(-s*w)], range: [s, 0, R]}\n"
                         "  wall: {shape: line, at: [3, 0], normal: [2, 0]}\n"
                         "  contacts: {floor: {at: [x, y - R], normal: [0, 1], tangent: [1, 0]}}\n"
                         "  trail: ball\n  speed: w/2\n  plots: [[x, y], {x: x, y: x'}]\n" TAIL);
    assert_true(json_is_valid(s.model->drawing));
    check_names(s.model, "formulas");
    check_close(output(&s, "view.ball.x"), 1, 0);
    check_close(output(&s, "view.ball.y"), 4, 0);
    check_close(output(&s, "view.ball.angle"), 1, 0);
    check_close(output(&s, "view.rod.to_x"), 0, 0);
    check_close(output(&s, "view.contact.floor.y"), 1.9, 1e-15);
    has(s.model, "\"space\": 2");
    has(s.model, "\"shape\": \"disk\", \"at\": [\"view.ball.x\", \"view.ball.y\"], \"angle\": \"view.ball.angle\", \"radius\": 0.1");
    has(s.model, "\"from\": [0, 0.2]");
    has(s.model, "[0.1, 0.740818221]]"); /* exp(-0.3) at the end of the curve */
    has(s.model, "\"axes\": [0, -1, 0, 1, 0, 0]");
    has(s.model, "\"percussion\": \"percussion.floor.normal\", \"friction\": [[\"percussion.floor.friction\", 1]]");
    has(s.model, "\"trail\": \"ball\", \"speed\": 1.5, \"plots\": [{\"x\": \"t\", \"y\": [\"x\", \"y\"]}, {\"x\": \"x\", "
                 "\"y\": [\"x'\"]}]");
    unload(&s);
    s = load(HEAD TAIL);
    assert_null(s.model->drawing);
    assert_int_equal(s.model->n_outputs, 0);
    unload(&s);
    s = load(HEAD "view:\n  a: {shape: sphere, radius: 1, at: [x, y, 0], turns: [[z, phi], [x, 1]]}\n"
                  "  b: {shape: surface, of: [r, s, r*s], range: [[r, 0, 1], [s, 0, 1]]}\n" TAIL);
    assert_true(json_is_valid(s.model->drawing));
    has(s.model, "\"space\": 3");
    has(s.model, "\"turns\": [[\"z\", \"view.a.turn1\"], [\"x\", 1]]");
    has(s.model, "[1, 1, 1]]");
    unload(&s);
}

/* ---- bodies ---- */

/* Point, normal and tangent of contacts against what is known of a ball, of corners above a plane, and of a moving body. */
static void test_bodies(void **state) {
    (void)state;
    loaded s = load("gravity: [0, 0, -10]\n"
                    "bodies:\n"
                    "  top:\n    type: spatial\n    mass: 1\n    inertia: 1\n    position: [1, 2, 3]\n    rotation: {axis: "
                    "[1, 2, -1], angle: 0.7}\n"
                    "    geometry:\n      c: {type: points, points: [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -1, 0]]}\n"
                    "  m: {type: prescribed, position: [sin(t) + 4, 0, 1], rotation: [1, 0, 0, 1]}\n"
                    "geometry: {floor: {type: plane, normal: [0, 3, 4]}}\n"
                    "contacts: {c: {between: [top.c, floor], friction: 0.3}}\n"
                    "simulation: {scheme: rattle, step: 1e-2, end: 0.1}\n");
    assert_true(json_is_valid(s.model->drawing));
    check_names(s.model, "bodies");
    const double *gaps = zn_simulation_gaps(s.simulation);
    for (int k = 1; k <= 4; k++) {
        double v[9];
        for (int i = 0; i < 9; i++) {
            char name[40];
            snprintf(name, sizeof name, "view.contact.c.%d.%s", k,
                     (const char *const[]){"x", "y", "z", "nx", "ny", "nz", "tx", "ty", "tz"}[i]);
            v[i] = output(&s, name);
        }
        check_close(v[3] * v[0] + v[4] * v[1] + v[5] * v[2], gaps[k - 1], 1e-13);
        check_close(v[3], 0, 1e-15), check_close(v[4], 0.6, 1e-15), check_close(v[5], 0.8, 1e-15);
        check_close(v[3] * v[6] + v[4] * v[7] + v[5] * v[8], 0, 1e-15);
        check_close(v[6] * v[6] + v[7] * v[7] + v[8] * v[8], 1, 1e-14);
    }
    check_close(output(&s, "view.body.m.x"), 4, 1e-15);
    check_close(output(&s, "view.body.m.a2"), 1, 1e-15); /* a quarter turn about z: the first axis is y */
    check_close(output(&s, "view.body.m.a4"), -1, 1e-15);
    has(s.model, "\"hull\"");
    has(s.model, "\"friction\": [[\"percussion.c.1.friction1\"");
    unload(&s);
    s = load("gravity: [0, -10]\nbodies:\n  a: {type: planar, mass: 1, inertia: 1, position: [1, 0]}\n"
             "  b: {type: planar, mass: 1, inertia: 1, position: [3, 0]}\n  c: {type: particle, mass: 1, position: [5, 5]}\n"
             "joints:\n  p: {type: revolute, between: [world, a], at: [0, 0]}\n  q: {type: revolute, between: [a, b], at: "
             "[2, 0]}\n"
             "forces: {s: {type: spring, between: [b, c], stiffness: 1, length: 1}}\n"
             "view: {own: {shape: box, size: [1, 2], on: b, at: [0.5, 0]}, trail: c}\n"
             "simulation: {scheme: rattle, step: 1e-2, end: 0.1}\n");
    assert_true(json_is_valid(s.model->drawing));
    has(s.model, "{\"name\": \"a\", \"shape\": \"segment\", \"colour_of\": \"a\", \"from\": {\"body\": \"a\", \"at\": [-1, "
                 "0, 0]}, \"to\": {\"body\": \"a\", \"at\": [1, 0, 0]}}");
    has(s.model, "{\"name\": \"p\", \"shape\": \"joint\", \"at\": [0, 0, 0]}");
    has(s.model, "\"shape\": \"spring\"");
    has(s.model, "{\"name\": \"own\", \"shape\": \"box\", \"body\": \"b\", \"at\": [0.5, 0], \"size\": [1, 2]}");
    assert_null(strstr(s.model->drawing, "\"name\": \"b\"")); /* it has a picture of its own */
    has(s.model, "\"trail\": \"c\"");
    unload(&s);
    s = load(
        "bodies:\n  a: {type: spatial, mass: 12, inertia: [13, 10, 5]}\n  b: {type: planar, mass: 1, inertia: 2, position: [1, 1]}\n" TAIL);
    has(s.model, "\"shape\": \"box\", \"body\": \"a\", \"size\": [1, 2, 3]"); /* J = m/12 (b^2 + c^2) ... */
    has(s.model, "\"shape\": \"disk\", \"body\": \"b\", \"radius\": 2");      /* J = m r^2/2 */
    unload(&s);
    s = load("bodies:\n  a: {type: planar, shape: {type: polygon, points: [[0, 0], [3, 0], [0, 3]], radius: 0.25}, mass: 1}\n"
             "geometry: {c: {type: polyline, points: [[-9, -2], [9, -2]], radius: 0.125}}\n" TAIL);
    has(s.model, "[-1, 2]], \"radius\": 0.25}");
    has(s.model, "\"points\": [[-9, -2], [9, -2]], \"radius\": 0.125}");
    unload(&s);
}

/* ---- mistakes ---- */

static void test_mistakes(void **state) {
    (void)state;
    const struct {
        const char *view, *place, *sentence;
    } cases[] = {
        {"view: [1]\n", ":5:7:", "view"},
        {"view: {a: 1}\n", ":5:11:", "the view of 'a'"},
        {"view: {a: {radius: 1}}\n", ":5:11:", "shape"},
        {"view: {a: {shape: disc}}\n", ":5:19:", "did you mean 'disk'"},
        {"view: {a: {shape: disk}}\n", ":5:11:", "needs 'radius'"},
        {"view: {a: {shape: disk, radius: x}}\n", ":5:33:", "must be constant"},
        {"view: {a: {shape: disk, radius: -1}}\n", ":5:33:", "greater than 0"},
        {"view: {a: {shape: disk, radius: R, at: x}}\n", ":5:40:", "a list"},
        {"view: {a: {shape: disk, radius: R, at: [x]}}\n", ":5:40:", "2 to 3"},
        {"view: {a: {shape: disk, radius: R, at: [x, z]}}\n", ":5:44:", "unknown name 'z'"},
        {"view: {a: {shape: disk, radius: R, at: [x, 1/0]}}\n", ":5:44:", "not a finite"},
        {"view: {a: {shape: disk, radius: R, on: ball}}\n", ":5:40:", "no bodies"},
        {"view: {a: {shape: segment, from: [0, 0]}}\n", ":5:11:", "needs 'to'"},
        {"view: {a: {shape: line, normal: [0, 0]}}\n", ":5:33:", "is zero"},
        {"view: {a: {shape: box, size: [1]}}\n", ":5:30:", "2 to 3"},
        {"view: {a: {shape: point, turns: [[u, 1]]}}\n", ":5:35:", "axis of a turn"},
        {"view: {a: {shape: point, turns: [1]}}\n", ":5:34:", "a list"},
        {"view: {a: {shape: polygon, points: [[0, 0], 1]}}\n", ":5:45:", "a list"},
        {"view: {a: {shape: curve, of: [s, s], range: [x, 0, 1]}}\n", ":5:46:", "new name"},
        {"view: {a: {shape: curve, of: [s, s], range: [s, 1, 0]}}\n", ":5:45:", "not after its start"},
        {"view: {a: {shape: curve, of: [s, v], range: [s, 0, 1]}}\n", ":5:34:", "unknown name 'v'"},
        {"view: {a: {shape: surface, of: [r, s, 0], range: [r, 0, 1]}}\n", ":5:50:", "two ranges"},
        {"view: {a: {shape: surface, of: [r, s], range: [[r, 0, 1], [s, 0, 1]]}}\n", ":5:32:", "needs 3"},
        {"view: {contacts: {flor: {at: [x, y], normal: [0, 1]}}}\n", ":5:19:", "did you mean 'floor'"},
        {"view: {contacts: {floor: {at: [x, y]}}}\n", ":5:26:", "normal"},
        {"view: {contacts: [floor]}\n", ":5:18:", "contacts"},
        {"view: {trail: a}\n", ":5:15:", "no item 'a'"},
        {"view: {trail: [a]}\n", ":5:15:", "trail"},
        {"view: {speed: 0}\n", ":5:15:", "greater than 0"},
        {"view: {speed: x}\n", ":5:15:", "constant"},
        {"view: {plots: x}\n", ":5:15:", "plots"},
        {"view: {plots: [{x: t}]}\n", ":5:16:", "'y'"},
        {"view: {a b: {shape: point}}\n", ":5:8:", "a b"},
        {"view: {a: {shape: point, colour: red}}\n", ":5:26:", "colour"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene;
        char text[1000];
        snprintf(text, sizeof text, HEAD "%s" TAIL, cases[i].view);
        zn_status status = zn_scene_parse(context, "s", text, NULL, &scene);
        const char *error = zn_error_text(context);
        if (status != ZN_ERROR_SCENE || !strstr(error, cases[i].place) || !strstr(error, cases[i].sentence))
            fail_msg("%s-> %s (wanted %s %s)", cases[i].view, error, cases[i].place, cases[i].sentence);
        zn_context_destroy(context);
    }
}

/* ---- all scenes ---- */

static void test_all_scenes(void **state) {
    (void)state;
    DIR *folder = opendir(ZENO_SOURCE_DIR "/scenes");
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".yaml") != 0) continue;
        char path[1000];
        snprintf(path, sizeof path, "%s/scenes/%s", ZENO_SOURCE_DIR, entry->d_name);
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene;
        assert_int_equal(zn_scene_load(context, path, NULL, &scene), ZN_OK);
        const zn_model *model = zn_scene_model(scene);
        if (!model->drawing || !strstr(model->drawing, "\"shape\""))
            fail_msg("%s shows nothing: it needs a section view, see docs/page.md", entry->d_name);
        if (!json_is_valid(model->drawing)) fail_msg("%s: no JSON:\n%s", entry->d_name, model->drawing);
        check_names(model, entry->d_name);
        zn_scene_destroy(scene);
        zn_context_destroy(context);
        count++;
    }
    closedir(folder);
    assert_true(count > 40);
}

/* ---- memory ---- */

static void test_memory(void **state) {
    (void)state;
    const char *const texts[] = {HEAD "view:\n  ball: {shape: disk, radius: R, at: [x, 2*y], angle: phi}\n"
                                      "  c: {shape: curve, of: [s, s], range: [s, 0, 1]}\n"
                                      "  contacts: {floor: {at: [x, y], normal: [0, 1]}}\n  trail: ball\n" TAIL,
                                 "bodies:\n  m: {type: prescribed, position: [sin(t), 0]}\n  b: {type: planar, mass: 1, "
                                 "inertia: 1, position: [0, 1]}\n"
                                 "geometry: {d: {on: b, type: disk, radius: 0.1}, f: {type: line}}\n"
                                 "contacts: {c: {between: [d, f]}}\nview: {x: {shape: point, at: [2*b.x, 1]}}\n" TAIL};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        counting_allocator count = COUNTING_ALLOCATOR;
        zn_context *context = counting_context(&count);
        zn_scene *scene;
        assert_int_equal(zn_scene_parse(context, "s", texts[k], NULL, &scene), ZN_OK);
        zn_scene_destroy(scene);
        zn_context_destroy(context);
        assert_int_equal(count.live, 0);
        for (long at = 3; at < count.requests; at += 1 + at / 60) {
            counting_allocator memory = {.fail_at = at, .only_once = true};
            context = counting_context(&memory);
            if (!context) continue;
            scene = NULL;
            zn_status status = zn_scene_parse(context, "s", texts[k], NULL, &scene);
            if (status == ZN_OK) zn_scene_destroy(scene); /* the request was for a sentence */
            zn_context_destroy(context);
            assert_int_equal(memory.live, 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formulas), cmocka_unit_test(test_bodies), cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_all_scenes), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
