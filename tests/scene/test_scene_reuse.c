/* SPDX-License-Identifier: Apache-2.0 */
/* repeat, templates and use, include, merge keys: what comes out is the scene that one would have written by hand. */
#define _XOPEN_SOURCE 700
#include "memory_check.h"

#include <sys/stat.h>
#include <unistd.h>

#define SETTINGS "simulation: {scheme: rattle, step: 0.01, end: 0.3}\n"

static void check_same_model(zn_context *context, const zn_scene *a, const zn_scene *b) {
    const zn_model *m = zn_scene_model(a), *n = zn_scene_model(b);
    assert_memory_equal(&m->size, &n->size, sizeof m->size);
    zn_simulation *simulations[2] = {NULL, NULL};
    const zn_scene *scenes[2] = {a, b};
    for (int i = 0; i < m->size.nq; i++) assert_string_equal(m->q_names[i], n->q_names[i]);
    for (int i = 0; i < m->size.ng + m->size.ny; i++) assert_string_equal(m->bilateral_names[i], n->bilateral_names[i]);
    for (int k = 0; k < m->size.n_contacts; k++) assert_string_equal(m->contacts[k].name, n->contacts[k].name);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(zn_simulation_create(context, zn_scene_model(scenes[i]), zn_scene_settings(scenes[i]), &simulations[i]), ZN_OK);
        assert_int_equal(zn_simulation_run(simulations[i], NULL, NULL), ZN_OK);
    }
    assert_memory_equal(zn_simulation_positions(simulations[0]), zn_simulation_positions(simulations[1]),
                        (size_t)m->size.nq * sizeof(double));
    for (int i = 0; i < 2; i++) zn_simulation_destroy(simulations[i]);
}

static void check_equal(const char *short_text, const char *by_hand) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *a = load_good(context, short_text, 0, NULL), *b = load_good(context, by_hand, 0, NULL);
    check_same_model(context, a, b);
    zn_scene_destroy(a);
    zn_scene_destroy(b);
    zn_context_destroy(context);
}

#define CHAIN_HEAD "parameters: {n: 3, l: 0.5}\ngravity: [0, -9.81]\n"
static const char chain_by_hand[] = CHAIN_HEAD "bodies:\n"
                                               "  p1: {type: planar, mass: 1, inertia: 0.02, position: [0.25, 0]}\n"
                                               "  p2: {type: planar, mass: 1, inertia: 0.02, position: [0.75, 0]}\n"
                                               "  p3: {type: planar, mass: 1, inertia: 0.02, position: [1.25, 0]}\n"
                                               "joints:\n"
                                               "  pin0: {type: revolute, between: [world, p1], at: [0, 0]}\n"
                                               "  pin1: {type: revolute, between: [p1, p2], at: [0.5, 0]}\n"
                                               "  pin2: {type: revolute, between: [p2, p3], at: [1, 0]}\n" SETTINGS;

static void repeat_is_writing_by_hand(void **state) {
    (void)state;
    check_equal(CHAIN_HEAD
                "joints: {pin0: {type: revolute, between: [world, p1], at: [0, 0]}}\n"
                "repeat:\n"
                "  - {i: 1..n, bodies: {\"p{i}\": {type: planar, mass: 1, inertia: 0.02, position: [\"({i} - 0.5)*l\", 0]}}}\n"
                "  - {i: 1..n-1, joints: {\"pin{i}\": {type: revolute, between: [\"p{i}\", \"p{i + 1}\"], at: [\"{i*l}\", 0]}}}\n" SETTINGS,
                chain_by_hand);
    /* Sampled values: each copy has its time between samples, beside those of the scene. */
    check_equal("coordinates: {x1: 1, x2: 2, y: 3}\nenergy: {kinetic: (x1'^2 + x2'^2 + y'^2)/2}\nsampled: {every: 0.05, g: -y}\n"
                "repeat: {i: 1..2, sampled: {every: \"{i*0.02}\", \"f{i}\": {start: 0, value: \"f{i} - x{i}\"}}}\n"
                "forces: {x1: f1, x2: f2, y: g}\n" SETTINGS,
                "coordinates: {x1: 1, x2: 2, y: 3}\nenergy: {kinetic: (x1'^2 + x2'^2 + y'^2)/2}\n"
                "sampled: [{every: 0.05, g: -y}, {every: 0.02, f1: f1 - x1}, {every: 0.04, f2: f2 - x2}]\n"
                "forces: {x1: f1, x2: f2, y: g}\n" SETTINGS);
    check_equal("templates:\n  loop: {parameters: {T: ~}, bodies: {\"{name}\": {type: particle, mass: 2, position: [\"{T}\", 0]}},\n"
                "    sampled: [{every: \"{T}\", \"{name}_f\": \"-{name}.x\"}], forces: {\"{name}.x\": \"{name}_f\"}}\n"
                "use: {a: {template: loop, T: 0.1}, b: {template: loop, T: 0.015}}\n" SETTINGS,
                "bodies: {a: {type: particle, mass: 2, position: [0.1, 0]}, b: {type: particle, mass: 2, position: [0.015, 0]}}\n"
                "sampled: [{every: 0.1, a_f: -a.x}, {every: 0.015, b_f: -b.x}]\nforces: {a.x: a_f, b.x: b_f}\n" SETTINGS);
    /* Several variables, lists, negative numbers, coordinates and formulas; the last variable is the fastest. */
    check_equal("repeat: {i: [1, 2], j: -1..0, coordinates: {\"x{i}{j + 1}\": {start: \"2*{j}\"}}}\n"
                "energy: {kinetic: (x10'^2 + x11'^2 + x20'^2 + x21'^2)/2}\nforces: {x10: 1}\n"
                "constraints: {}\n" SETTINGS,
                "coordinates: {x10: {start: -2}, x11: {start: 0}, x20: {start: -2}, x21: {start: 0}}\n"
                "energy: {kinetic: (x10'^2 + x11'^2 + x20'^2 + x21'^2)/2}\nforces: {x10: 1}\n" SETTINGS);
    /* An empty range makes nothing. */
    check_equal("repeat: {i: 1..0, coordinates: {\"y{i}\": 1}}\ncoordinates: {x: 1}\nenergy: {kinetic: x'^2}\n" SETTINGS,
                "coordinates: {x: 1}\nenergy: {kinetic: x'^2}\n" SETTINGS);
}

static const char legs_by_hand[] = "bodies:\n"
                                   "  trunk: {type: planar, mass: 5, inertia: 1, position: [0, 1]}\n"
                                   "  left: {type: planar, mass: 1, inertia: 0.1, position: [-0.4, 0.5]}\n"
                                   "  right: {type: planar, mass: 2, inertia: 0.1, position: [0.4, 0.5]}\n"
                                   "joints:\n"
                                   "  left.hip: {type: revolute, between: [trunk, left], at: [-0.4, 1]}\n"
                                   "  right.hip: {type: revolute, between: [trunk, right], at: [0.4, 1]}\n" SETTINGS;

static void templates_are_writing_by_hand(void **state) {
    (void)state;
#define LEG                                                                                             \
    "templates:\n"                                                                                      \
    "  leg:\n"                                                                                          \
    "    parameters: {x: ~, carrier: trunk, m: 1}\n"                                                    \
    "    bodies: {\"{name}\": {type: planar, mass: \"{m}\", inertia: 0.1, position: [\"{x}\", 0.5]}}\n" \
    "    joints: {\"{name}.hip\": {type: revolute, between: [\"{carrier}\", \"{name}\"], at: [\"{x}\", 1]}}\n"
#define TRUNK "bodies: {trunk: {type: planar, mass: 5, inertia: 1, position: [0, 1]}}\n"
    check_equal(LEG TRUNK "use: {left: {template: leg, x: -0.4}, right: {template: leg, x: 0.2 + 0.2, m: 2, carrier: trunk}}\n" SETTINGS,
                legs_by_hand);
    /* A use inside of a repeat, with names made by it. */
    check_equal(LEG TRUNK "repeat: {i: 1..2, use: {\"leg{i}\": {template: leg, x: \"{i}/10\", m: \"{i}\"}}}\n" SETTINGS,
                TRUNK "repeat: {i: 1..2, bodies: {\"leg{i}\": {type: planar, mass: \"{i}\", inertia: 0.1, position: [\"{i}/10\", 0.5]}},\n"
                      "  joints: {\"leg{i}.hip\": {type: revolute, between: [trunk, \"leg{i}\"], at: [\"{i}/10\", 1]}}}\n" SETTINGS);
    /* Values that are no numbers stand for themselves: frames of bodies, formulas (in parentheses), lists and maps, also through a second
     * template and a repeat. */
#define PARTS \
    "bodies: {a: {type: planar, mass: 1, inertia: 1, frames: {tip: [1, 0]}}, b: {type: planar, mass: 1, inertia: 1, position: [0, 1]}}\n"
    check_equal(
        "inputs: {push: 1}\ntemplates:\n  strut:\n    parameters: {from: ~, to: ~, value: 0, axis: [0, 1]}\n"
        "    forces: {\"{name}\": {type: actuator, between: [\"{from}\", \"{to}\"], along: axis, axis: \"{axis}\", value: \"2*{value}\"}}\n"
        "  pair:\n    parameters: {of: ~, axes: ~, law: ~}\n    repeat: {n: [one, two], use: {\"{name}_{n}\": {template: strut, from: "
        "world, "
        "to: \"{of}\", axis: \"{axes}\", value: \"{law}\"}}}\n" PARTS
        "use: {s: {template: strut, from: a.tip, to: b, value: push - 3}, p: {template: pair, of: a.tip, axes: [1, 0], law: push + "
        "b.x'}}\n" SETTINGS,
        "inputs: {push: 1}\n" PARTS "forces:\n  s: {type: actuator, between: [a.tip, b], along: axis, axis: [0, 1], value: 2*(push - 3)}\n"
        "  p_one: {type: actuator, between: [world, a.tip], along: axis, axis: [1, 0], value: 2*(push + b.x')}\n"
        "  p_two: {type: actuator, between: [world, a.tip], along: axis, axis: [1, 0], value: 2*(push + b.x')}\n" SETTINGS);
    /* A template with bodies that nobody uses: the scene is one of formulas alone. */
#define FALL                                                                                                                 \
    "parameters: {g: 9.81}\ncoordinates: {x: 0, y: {start: g, velocity: 1}}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: " \
    "g*y}\n" SETTINGS
    check_equal("templates: {ball: {bodies: {\"{name}\": {type: particle, mass: 1, position: [0, 1]}}}}\n" FALL, FALL);
}

static void merge_keys(void **state) {
    (void)state;
    check_equal("bodies:\n  a: &usual {type: planar, mass: 1, inertia: 2, velocity: [1, 0]}\n  b: {<<: *usual, mass: 3, position: [5, 0]}\n"
                "  c: {inertia: 7, <<: [*usual]}\n" SETTINGS,
                "bodies:\n  a: {type: planar, mass: 1, inertia: 2, velocity: [1, 0]}\n  b: {type: planar, inertia: 2, velocity: [1, 0], "
                "mass: 3, position: [5, 0]}\n"
                "  c: {type: planar, mass: 1, inertia: 7, velocity: [1, 0]}\n" SETTINGS);
}

/* ---- files ---- */

static char folder[256];

static void write_file(const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static zn_status load_file(zn_context *context, const char *name, zn_scene **scene) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return zn_scene_load(context, path, NULL, scene);
}

static int make_folder(void **state) {
    (void)state;
    char path[512];
    snprintf(folder, sizeof folder, "%s/reuse-XXXXXX", ZENO_BINARY_DIR);
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/parts", folder);
    return mkdir(path, 0700);
}

static void files_are_joined(void **state) {
    (void)state;
    write_file("parts/base.yaml",
               "title: Base\nparameters: {n: 5, l: 0.5}\ngravity: [0, -9.81]\nsimulation: {scheme: moreau, step: 0.01, end: 0.3}\n");
    write_file("parts/links.yaml",
               "include: ../parts/base.yaml\nrepeat: {i: 1..n, bodies: {\"p{i}\": {type: planar, mass: 1, inertia: 0.02, "
               "position: [\"({i} - 0.5)*l\", 0]}}}\n");
    write_file(
        "chain.yaml",
        "title: Chain\ninclude: [parts/links.yaml, parts/base.yaml]\nparameters: {n: 3}\nsimulation: {scheme: rattle}\n"
        "joints:\n  pin0: {type: revolute, between: [world, p1], at: [0, 0]}\n  pin1: {type: revolute, between: [p1, p2], at: [0.5, 0]}\n"
        "  pin2: {type: revolute, between: [p2, p3], at: [1, 0]}\n");
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL, *by_hand = load_good(context, chain_by_hand, 0, NULL);
    zn_status status = load_file(context, "chain.yaml", &scene);
    if (status != ZN_OK) print_error("%s\n", zn_error_text(context));
    assert_int_equal(status, ZN_OK);
    assert_string_equal(zn_scene_title(scene), "Chain");
    check_same_model(context, scene, by_hand);
    zn_scene_destroy(scene);
    zn_scene_destroy(by_hand);
    zn_context_destroy(context);
}

/* Sections of several files follow each other in the order of the files: parameters use those of earlier files, repeats and groups of
 * samples stand side by side, lists are joined, an empty section adds nothing. */
static void files_follow_each_other(void **state) {
    (void)state;
    write_file("parts/first.yaml",
               "parameters: {n: 2, l: 0.5}\ngravity: [0, -1]\nsampled: {every: 0.1, a: t}\njoints:\n"
               "repeat: {i: 1..n, bodies: {\"p{i}\": {type: planar, mass: 1, inertia: 0.02, position: [\"({i} - 0.5)*l\", 0]}}}\n"
               "forces: [{name: f1, type: body, on: p1, force: [1, 0]}]\n");
    write_file("parts/second.yaml", "parameters: {g: 9.81*l/0.5, l: 0.5}\nsampled: [{every: 0.2, b: t}]\ngravity: [0, -g]\n"
                                    "joints: {pin0: {type: revolute, between: [world, p1], at: [0, 0]}}\n"
                                    "forces: [{name: f2, type: body, on: p2, force: [0, a]}]\n");
    write_file(
        "both.yaml",
        "include: [parts/first.yaml, parts/second.yaml]\nsampled: {every: 0.3, c: t}\n"
        "repeat: {j: 3..n+1, bodies: {\"p{j}\": {type: planar, mass: 1, inertia: 0.02, position: [\"({j} - 0.5)*l\", 0]}}}\n"
        "joints:\n  pin1: {type: revolute, between: [p1, p2], at: [0.5, 0]}\n  pin2: {type: revolute, between: [p2, p3], at: [1, 0]}\n"
        "simulation: {scheme: rattle, step: 0.01, end: 0.3}\n");
    write_file(
        "hand.yaml",
        "gravity: [0, -9.81]\nsampled: [{every: 0.1, a: t}, {every: 0.2, b: t}, {every: 0.3, c: t}]\nbodies:\n"
        "  p1: {type: planar, mass: 1, inertia: 0.02, position: [0.25, 0]}\n  p2: {type: planar, mass: 1, inertia: 0.02, position: [0.75, "
        "0]}\n"
        "  p3: {type: planar, mass: 1, inertia: 0.02, position: [1.25, 0]}\n"
        "joints:\n  pin0: {type: revolute, between: [world, p1], at: [0, 0]}\n  pin1: {type: revolute, between: [p1, p2], at: [0.5, 0]}\n"
        "  pin2: {type: revolute, between: [p2, p3], at: [1, 0]}\n"
        "forces: [{name: f1, type: body, on: p1, force: [1, 0]}, {name: f2, type: body, on: p2, force: [0, a]}]\n"
        "simulation: {scheme: rattle, step: 0.01, end: 0.3}\n");
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL, *by_hand = NULL;
    if (load_file(context, "both.yaml", &scene) != ZN_OK || load_file(context, "hand.yaml", &by_hand) != ZN_OK)
        fail_msg("%s", zn_error_text(context));
    check_same_model(context, scene, by_hand);
    zn_scene_destroy(scene);
    zn_scene_destroy(by_hand);
    zn_context_destroy(context);
}

static void refuses_file(const char *text, const char *file, int line, const char *sentence) {
    write_file("bad.yaml", text);
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    assert_int_not_equal(load_file(context, "bad.yaml", &scene), ZN_OK);
    const zn_error *error = zn_error_get(context, 0);
    if (!error || !strstr(error->message, sentence) || !strstr(error->file, file) || error->line != line) {
        print_error("%s\n%s\n", text, zn_error_text(context));
        mismatches++;
    }
    zn_context_destroy(context);
}

static void wrong_files_are_refused(void **state) {
    (void)state;
    char path[512], target[512];
    write_file("loop.yaml", "include: bad.yaml\n");
    write_file("wrong.yaml", "bodies:\n  a: {type: planar, masss: 1}\n");
    write_file("list.yaml", "[1, 2]\n");
    write_file("twice.yaml", "bodies:\n  a: {type: planar, mass: 1, inertia: 1}\n");
    snprintf(target, sizeof target, "%s/../outside.yaml", folder);
    FILE *outside = fopen(target, "w");
    assert_non_null(outside);
    fputs("title: x\n", outside);
    fclose(outside);
    snprintf(path, sizeof path, "%s/link.yaml", folder);
    assert_int_equal(symlink(target, path), 0);
    refuses_file("include: missing.yaml\n", "bad.yaml", 1, "no such file");
    refuses_file("title: x\ninclude: ../outside.yaml\n", "bad.yaml", 2, "outside the folder");
    refuses_file("include: parts/../../outside.yaml\n", "bad.yaml", 1, "outside the folder");
    refuses_file("include: link.yaml\n", "bad.yaml", 1, "outside the folder");
    refuses_file("include: /etc/hostname\n", "bad.yaml", 1, "from the folder of the scene");
    refuses_file("include: [[x]]\n", "bad.yaml", 1, "named by a text");
    refuses_file("include: bad.yaml\n", "bad.yaml", 1, "includes this file");
    refuses_file("include: loop.yaml\n", "loop.yaml", 1, "includes this file");
    write_file("parts/up.yaml", "title: x\ninclude: ../bad.yaml\n");
    refuses_file("include: parts/up.yaml\n", "parts/up.yaml", 2, "includes this file");
    refuses_file("title: x\ninclude: [twice.yaml, parts]\n", "bad.yaml", 2, "it is a folder");
    refuses_file("include: list.yaml\n", "bad.yaml", 1, "not a map of sections");
    refuses_file("include: wrong.yaml\n", "wrong.yaml", 2, "did you mean 'mass'");
    refuses_file("include: twice.yaml\nbodies:\n  a: {type: planar, mass: 1, inertia: 1}\n", "bad.yaml", 3,
                 "occurs twice; the first one is in");
    write_file("map.yaml", "joints: {a: {type: fixed, between: [world, p]}}\n");
    refuses_file("include: map.yaml\njoints: [{type: fixed, between: [world, p]}]\n", "bad.yaml", 2,
                 "'joints' is a list here, and a map in");
    unlink(target);
}

/* ---- mistakes ---- */

/* The place is that of the template, and the file's name begins with the place of the use. */
static void refuses(const char *text, const char *before, int line, const char *sentence) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    assert_int_not_equal(zn_scene_parse(context, "bad.yaml", text, NULL, &scene), ZN_OK);
    const zn_error *error = zn_error_get(context, 0);
    bool same = error && strstr(error->message, sentence) && error->line == line && error->column > 0;
    if (same) same = before ? !strncmp(error->file, before, strlen(before)) : !strcmp(error->file, "bad.yaml");
    if (!same) {
        print_error("%s\n%sexpected %s, line %d: %s\n", text, zn_error_text(context), before ? before : "", line, sentence);
        mismatches++;
    }
    zn_context_destroy(context);
}

static void mistakes_name_both_lines(void **state) {
    (void)state;
#define ONE "coordinates: {x: 1}\nenergy: {kinetic: x'^2}\n"
    refuses(ONE "repeat:\n  i: 1..2\n  constraints: {\"c{i}\": {position: z}}\n", "bad.yaml:4 (i = 1): ", 5, "z");
    refuses(ONE "repeat: {i: 1..2, constraints: {\"c{i/2}\": {position: x}}}\n", "bad.yaml:3 (i = 1): ", 3, "whole number");
    refuses(ONE "repeat: {i: 1..2, constraints: {\"c{k}\": {position: x}}}\n", "bad.yaml:3 (i = 1): ", 3, "'k'");
    refuses(ONE "repeat: {i: 1..2, constraints: {\"c{i\": {position: x}}}\n", "bad.yaml:3 (i = 1): ", 3, "without '}'");
    refuses(ONE "repeat: {i: 1..2, constraints: {c: {position: x}}}\n", "bad.yaml:3 (i = 2): ", 3,
            "like '{name}.c' in a template or 'c{i}' in 'repeat'");
    refuses(ONE "repeat: {i: 1..1e9, constraints: {\"c{i}\": {position: x}}}\n", NULL, 3, "more than 200000");
    refuses(ONE "repeat: {i: 1..1000, j: 1..1000, constraints: {\"c{i}_{j}\": {position: x}}}\n", NULL, 3, "more than 200000");
    refuses(ONE "repeat: {i: 5, constraints: {\"c{i}\": {position: x}}}\n", NULL, 3, "a range like 1..20");
    refuses(ONE "repeat: {i: 1.5..3, constraints: {\"c{i}\": {position: x}}}\n", NULL, 3, "whole number");
    refuses(ONE "repeat: {i: {a: 1}, constraints: {}}\n", NULL, 3, "variable of 'repeat'");
    refuses(ONE "repeat: {constraints: {}}\n", NULL, 3, "no variable");
    refuses(ONE "repeat: {i: 1..3}\n", NULL, 3, "no section");
    refuses(ONE "repeat: {i: 1..100000, j: 1..100000, constraints: {}}\n", NULL, 3, "rounds");
    refuses(ONE "repeat: {gravity: 1..2, constraints: {}}\n", NULL, 3, "cannot be"); /* a section that is not repeated is no variable */
    refuses(ONE "repeat: 3\n", NULL, 3, "must be a map");
    refuses(ONE "use: {a: {template: leg}}\n", NULL, 3, "there is no template 'leg'");
    refuses(ONE "templates: {leg: {}}\nuse: {a: {template: lge}}\n", NULL, 4, "did you mean 'leg'");
    refuses(ONE "templates: {leg: {}}\nuse: {a: {}}\n", NULL, 4, "lacks 'template'");
    refuses(ONE "templates: {leg: {parameters: {l: ~}}}\nuse: {a: {template: leg}}\n", NULL, 4,
            "lacks the parameter 'l' of the template 'leg'");
    refuses(ONE "templates: {leg: {parameters: {l: 1}}}\nuse: {a: {template: leg, k: 1}}\n", NULL, 4, "no parameter 'k'");
    refuses(ONE "templates: {leg: {parameters: {l: ~}, constraints: {c: {position: \"x + {l}\"}}}}\nuse: {a: {template: leg, l: y + 2}}\n",
            "bad.yaml:4 (name = a, l = (y + 2)): ", 3, "unknown name 'y'");
    refuses(ONE "templates: {leg: {parameters: {l: ~}, constraints: {c: {position: \"x + {l}\"}}}}\nuse: {a: {template: leg, l: [1]}}\n",
            "bad.yaml:4 (name = a, l = [..]): ", 3, "'l' is a list, so it can only be used alone");
    refuses(ONE "templates: {leg: {simulation: {}}}\nuse: {a: {template: leg}}\n", NULL, 3, "unknown in a template");
    refuses(ONE "templates: {leg: {use: {\"{name}x\": {template: leg}}}}\nuse: {a: {template: leg}}\n", NULL, 3, "nested too deeply");
    refuses(ONE "templates: {leg:\n  {constraints: {\"{name}\": {position: z}}}}\nuse: {a: {template: leg}}\n",
            "bad.yaml:5 (name = a): ", 4, "z");
    refuses("coordinates: {<<: 3, x: 1}\n", NULL, 1, "'<<' needs a map");
}

static void failing_memory_is_clean(void **state) {
    (void)state;
    static const char text[] = "templates: {t: {parameters: {v: 1}, constraints: {\"{name}\": {position: \"x - {v}\"}}}}\n" ONE
                               "repeat: {i: 1..2, outputs: {\"o{i}\": \"{i}*x\"}}\nuse: {c: {template: t}}\n" SETTINGS;
    check_memory(text, false);
}

/* Any change of a few characters is a scene or is refused. */
static void random_changes(void **state) {
    (void)state;
    static const char good[] = LEG TRUNK "repeat: {i: 1..2, use: {\"leg{i}\": {template: leg, x: \"{i}/10\", m: \"{i}\"}}}\n" SETTINGS;
    static const char letters[] = "{}[]\"':,.~*&<0123456789-einame \n#|>";
    char text[sizeof good];
    uint64_t seed = 5;
    for (int k = 0; k < 3000; k++) {
        memcpy(text, good, sizeof good);
        for (int c = 0; c < 3; c++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[(seed >> 33) % (sizeof good - 1)] = letters[(seed >> 20) % (sizeof letters - 1)];
        }
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        zn_status status = zn_scene_parse(context, "random.yaml", text, NULL, &scene);
        assert_int_equal(status == ZN_OK, zn_error_count(context) == 0);
        zn_scene_destroy(scene);
        zn_context_destroy(context);
    }
}

/* Controllers and what happens belong to what is reused: inputs, states, modes, tables, events. */
static void controllers_are_reused(void **state) {
    (void)state;
    check_equal(
        "templates:\n  axis:\n    parameters: {x: ~, k: 20}\n    inputs: {\"{name}_to\": 0.5}\n"
        "    states: {\"{name}_sum\": {start: 0.1, rate: \"{name}_to - {name}.x\"}}\n    modes: {\"{name}_on\": on}\n"
        "    bodies: {\"{name}\": {type: particle, mass: 1, position: [\"{x}\", 0]}}\n"
        "    forces: {\"{name}.x\": \"if({name}_on, {k}*({name}_to - {name}.x) + {name}_sum, table({name}_f, t))\"}\n"
        "    tables: {\"{name}_f\": {points: [[0, 1], [1, \"{k}\"]]}}\n"
        "    events: {\"{name}_off\": {when: \"{name}.x - 0.25\", direction: up, do: {\"{name}_on\": \"off\"}}}\n"
        "repeat: {i: 1..2, use: {\"a{i}\": {template: axis, x: \"0.1*{i}\"}}}\n" SETTINGS,
        "inputs: {a1_to: 0.5, a2_to: 0.5}\nstates: {a1_sum: {start: 0.1, rate: a1_to - a1.x}, a2_sum: {start: 0.1, rate: a2_to - a2.x}}\n"
        "modes: {a1_on: on, a2_on: on}\nbodies: {a1: {type: particle, mass: 1, position: [0.1, 0]}, a2: {type: particle, mass: 1, "
        "position: [0.2, 0]}}\n"
        "forces: {a1.x: \"if(a1_on, 20*(a1_to - a1.x) + a1_sum, table(a1_f, t))\", a2.x: \"if(a2_on, 20*(a2_to - a2.x) + a2_sum, "
        "table(a2_f, t))\"}\n"
        "tables: {a1_f: {points: [[0, 1], [1, 20]]}, a2_f: {points: [[0, 1], [1, 20]]}}\n"
        "events: {a1_off: {when: a1.x - 0.25, direction: up, do: {a1_on: off}}, a2_off: {when: a2.x - 0.25, direction: up, do: {a2_on: "
        "off}}}\n" SETTINGS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeat_is_writing_by_hand),
        cmocka_unit_test(templates_are_writing_by_hand),
        cmocka_unit_test(controllers_are_reused),
        cmocka_unit_test(merge_keys),
        cmocka_unit_test_setup(files_are_joined, make_folder),
        cmocka_unit_test_setup(files_follow_each_other, make_folder),
        cmocka_unit_test_setup_teardown(wrong_files_are_refused, make_folder, no_mismatches),
        cmocka_unit_test_teardown(mistakes_name_both_lines, no_mismatches),
        cmocka_unit_test(failing_memory_is_clean),
        cmocka_unit_test(random_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
