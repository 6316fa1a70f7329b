/* SPDX-License-Identifier: Apache-2.0 */
/* Flexible bodies: derivatives of all elements and of joints, forces and contacts on their nodes and sections; rigid motions
 * make no strain; names, frames, energies; what is refused. */
#include "base/counting_allocator.h"
#include "check.h"
#include "model/parts_mechanisms.h"
#include "trial.h"

#define BEAM "type: beam, elements: 2, young: 5, poisson: 0.3, area: 0.8, inertia: 0.3, density: 1.5"

/* ---- derivatives ---- */

static void check_derivatives(const char *scene) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *loaded = NULL;
    if (zn_scene_parse(context, "test", scene, NULL, &loaded) != ZN_OK) fail_msg("%s\n%s", scene, zn_error_text(context));
    uint64_t seed = 5;
    const char *what = "";
    double worst = worst_derivative(context, zn_scene_model(loaded), &seed, &what);
    if (!(worst < 2e-6)) fail_msg("%s\n%s: %g", scene, what, worst);
    zn_scene_destroy(loaded);
    zn_context_destroy(context);
}

static void derivatives_of_elements(void **state) {
    (void)state;
    check_derivatives("gravity: [1, -2]\nbodies:\n  b: {" BEAM ", from: [0, 0], to: [1, 0.5]}\n");
    check_derivatives("gravity: [1, -2]\nbodies:\n  b: {" BEAM ", from: [0, 0], to: [1, 0.5], order: 2, damping: 0.2}\n");
    check_derivatives("gravity: [1, -2]\nbodies:\n  b: {" BEAM ", curve: [\"cos(2*s)\", \"s + s^2\"], order: 2}\n");
    check_derivatives("gravity: [1, -2]\nbodies:\n"
                      "  b: {type: bar, elements: 3, from: [1, 0], to: [2, 2], EA: 4, line_density: 2, damping: 0.3}\n");
    check_derivatives("gravity: [1, -2]\nbodies:\n"
                      "  b: {type: bar, elements: 3, from: [1, 0], to: [2, 2], EA: 4, line_density: 2, mass: lumped}\n");
}

/* A joint between sections whose elements share a node; forces and contacts on a section between nodes. */
static void derivatives_of_parts_on_sections(void **state) {
    (void)state;
#define BODIES                                                                                                        \
    "bodies:\n  b: {" BEAM ", from: [0, 0], to: [1, 0], frames: {f: {s: 0.3, at: [0.1, 0.2], angle: 0.4}, g: 0.7}}\n" \
    "  c: {" BEAM ", order: 2, from: [0.3, 0], to: [2, 1], frames: {f: 0.2}}\n"                                       \
    "  k: {type: bar, elements: 2, from: [0.3, 0], to: [2, 1], EA: 4, line_density: 2, frames: {f: 0.2}}\n"           \
    "  d: {type: planar, mass: 1, inertia: 1}\nsimulation: {project_start: true}\n"
    const char *const parts[] = {
        "joints: {j: {type: fixed, between: [b.f, c.f]}}\n",
        "joints: {j: {type: revolute, between: [b.f, b.g]}}\n",
        "joints: {j: {type: revolute, between: [b.g, b.node1]}}\n",
        "joints: {j: {type: prismatic, between: [d, c.f]}}\n",
        "joints: {j: {type: angle-drive, between: [world, b.f], drive: sin(t)}}\n",
        "joints: {j: {type: distance, between: [k.f, b.f], length: 1}}\n",
        "forces: {j: {type: spring, between: [k.f, b.end], stiffness: 2, damping: 0.5, length: 0.1}}\n",
        "forces: {j: {type: torsion-spring, between: [b.g, c.f], stiffness: 2, damping: 0.5}}\n",
        "forces: {j: {type: body, on: b.f, force: [1, 2], torque: 3, components: frame}}\n",
        "forces: {j: {type: body, on: c.f, force: [b_f.x, k_f.y'], torque: b_g.phi*c_f.phi'}}\n",
        "energy: {kinetic: 0, potential: b_f.x^2*c_f.phi}\n",
        "contacts: {j: {gap: b_f.y + b_f.phi - c_f.x, slip: [b_f.x' + b_f.phi'], friction: 0.3}}\n",
        "geometry: {p: {on: b.f, type: disk, radius: 0.1}, q: {on: world, type: line, at: [0, -9], normal: [0.6, 0.8]}}\n"
        "contacts: {j: {between: [p, q], friction: 0.3}}\n",
        "geometry: {p: {on: b.f, type: point}, q: {on: d, type: disk, at: [5, 3], radius: 0.1}}\n"
        "contacts: {j: {between: [p, q], friction: 0.3}}\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char scene[2000];
        snprintf(scene, sizeof scene, BODIES "%s", parts[i]);
        check_derivatives(scene);
    }
#undef BODIES
}

/* ---- rigid motions ---- */

typedef struct motion {
    double angle, x, y;
} motion;

/* The largest force per stiffness after a rigid motion of all nodes. */
static void rigid_motion_makes_no_strain(void **state) {
    (void)state;
    const char *const scenes[] = {"bodies:\n  b: {" BEAM ", from: [0, 0], to: [1, 0.5]}\n",
                                  "bodies:\n  b: {" BEAM ", from: [0, 0], to: [1, 0.5], order: 2}\n",
                                  "bodies:\n  b: {" BEAM ", from: [0, 0], to: [1, 0.5], curvature: 3}\n",
                                  "bodies:\n  b: {" BEAM ", order: 2, curve: [\"cos(5*s)\", \"s + sin(5*s)\"]}\n"};
    const motion motions[] = {{0, 100, -50}, {1, 0, 0}, {-200.5, 3, 4}, {3.1415926, -1, 1}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        for (size_t k = 0; k < sizeof motions / sizeof *motions; k++) {
            trial t = trial_begin(scenes[i], (trial_options){.scheme = "radau-2a", .step = 1e-3, .end = 1e-3});
            const zn_model *model = zn_scene_model(t.scene);
            double q[32], r[32], zero[32] = {0}, kinetic, potential, c = cos(motions[k].angle), s = sin(motions[k].angle);
            for (int n = 0; n < model->size.nq; n += 3) {
                const double *q0 = model->q_start + n;
                q[n] = motions[k].x + c * q0[0] - s * q0[1], q[n + 1] = motions[k].y + s * q0[0] + c * q0[1];
                q[n + 2] = q0[2] + motions[k].angle;
            }
            void *work = calloc(1, model->work_bytes);
            zn_point at = {0, q, zero, zero, zero};
            assert_int_equal(model->balance(model, work, &at, &(zn_balance){.r = r}), 0);
            assert_int_equal(model->energy(model, work, &at, &kinetic, &potential), 0);
            for (int n = 0; n < model->size.nu; n++) check_close(r[n], 0, 1e-11); /* positions up to 100: eps 100 EA/l */
            check_close(potential, 0, 1e-22);
            free(work);
            trial_end(&t);
        }
}

/* ---- names, frames, account ---- */

static void nodes_and_frames_have_names(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = zn_parts_create(context);
    zn_flexible_def def = zn_default_flexible_def();
    def.name = "beam";
    def.elements = 2, def.order = 2, def.to[0] = 4, def.EA = def.GA[0] = def.EI[0] = def.line_density = 1;
    zn_flexible beam;
    zn_frame frame;
    zn_body body;
    assert_int_equal(zn_parts_flexible(parts, &def, &beam), ZN_OK);
    assert_int_equal(zn_parts_node_count(parts, beam), 5);
    assert_int_equal(zn_parts_node(parts, beam, 5, &body), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_parts_node(parts, beam, 4, &body), ZN_OK);
    assert_int_equal(zn_parts_find_body(parts, "beam_4", &body), ZN_OK);
    assert_int_equal(zn_parts_section(parts, beam, 0.4, "mid", NULL, NULL, &frame), ZN_OK);
    assert_int_equal(zn_parts_section(parts, beam, 0.4, "mid", NULL, NULL, &frame), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_parts_section(parts, beam, 1.1, "out", NULL, NULL, &frame), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_parts_section(parts, beam, 0.1, "node7", NULL, NULL, &frame), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_parts_section(parts, (zn_flexible){0, 0}, 0.1, "a", NULL, NULL, &frame), ZN_ERROR_ARGUMENT);
    const char *const good[] = {"beam.start", "beam.end", "beam.node3", "beam.mid", "beam_2", "beam_mid", "beam_end"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (zn_parts_find_frame(parts, good[i], &frame) != ZN_OK) fail_msg("%s: %s", good[i], zn_error_text(context));
    const char *const bad[] = {"beam", "beam.node5", "beam.middle", "beam_5", "beam.node", "beam.node0000001"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (zn_parts_find_frame(parts, bad[i], &frame) == ZN_OK) fail_msg("%s is no frame", bad[i]);
    zn_parts_destroy(parts);
    zn_context_destroy(context);
}

/* Mass and weight of a beam with a curved axis are those of its length, whatever the element. */
static void mass_is_that_of_the_length(void **state) {
    (void)state;
    const char *const bodies[] = {"type: bar, from: [0, 0], to: [0, 3], mass: lumped", "type: bar, from: [0, 0], to: [0, 3]",
                                  "type: beam, from: [0, 0], to: [0, 3]", "type: beam, from: [0, 0], to: [0, 3], curvature: 2, order: 2"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char scene[400];
        snprintf(scene, sizeof scene, "gravity: [0, -10]\nbodies:\n  b: {%s, elements: 5, EA: 1, line_density: 2%s, velocity: [0, 4]}\n",
                 bodies[i], i < 2 ? "" : ", GA: 1, EI: 1");
        trial t = trial_begin(scene, (trial_options){.scheme = "radau-2a", .step = 1e-3, .end = 1e-3});
        const zn_model *model = zn_scene_model(t.scene);
        double kinetic, potential;
        void *work = calloc(1, model->work_bytes);
        zn_point at = {0, model->q_start, model->u_start, NULL, NULL};
        assert_int_equal(model->energy(model, work, &at, &kinetic, &potential), 0);
        check_near(kinetic, 0.5 * 2 * 3 * 16, 1e-13);
        if (i < 3) check_near(potential, 10 * 2 * 3 * 1.5, 1e-13);
        free(work);
        trial_end(&t);
    }
}

#define STRAIGHT "from: [0, 0], to: [1, 0], elements: 2, "
#define SECTION "EA: 1, GA: 1, EI: 1, line_density: 1"

/* Each with a word of the sentence that it must get. */
static const struct {
    const char *body, *word;
} wrong[] = {
    {"type: beam, from: [0, 0], to: [1, 0], elements: 0, " SECTION, "elements"},
    {"type: beam, from: [0, 0], to: [1, 0], elements: 1e9, " SECTION, "elements"},
    {"type: beam, from: [0, 0], to: [0, 0], elements: 2, " SECTION, "two different points"},
    {"type: beam, order: 3, " STRAIGHT SECTION, "order"},
    {"type: beam, " STRAIGHT "EA: 1, EI: 1, line_density: 1", "needs GA"},
    {"type: beam, " STRAIGHT "EA: 1, GA: 1, EI: 1", "needs line_density"},
    {"type: beam, " STRAIGHT "EA: -1, GA: 1, EI: 1, line_density: 1", "EA of 'b'"},
    {"type: beam, from: [0, 0, 1], to: [1, 0], elements: 2, " SECTION, "from"},
    {"type: beam, " STRAIGHT "young: 1, area: 1, inertia: 1, poisson: 3, line_density: 1", "Poisson"},
    {"type: beam, " STRAIGHT "young: 1, area: 1, " SECTION, "give one"},
    {"type: beam, curve: [s], elements: 2, " SECTION, "curve"},
    {"type: beam, curve: [s, x], elements: 2, " SECTION, "x"},
    {"type: beam, curve: [s^2, 0], elements: 2, " SECTION, "not smooth"},
    {"type: beam, curve: [s, 0], from: [0, 1], elements: 2, " SECTION, "curve"},
    {"type: beam, " STRAIGHT SECTION ", frames: {a: {s: 2}}", "s of frame"},
    {"type: beam, " STRAIGHT SECTION ", frames: {end: {s: 0.2}}", "taken"},
    {"type: beam, " STRAIGHT SECTION ", frames: {node1: {s: 0.2}}", "hide a node"},
    {"type: beam, " STRAIGHT SECTION ", record: everything", "record"},
    {"type: beam, " STRAIGHT "EA: 1, GA: [1, 2], EI: 1, line_density: 1", "one number"},
    {"type: beam, " STRAIGHT SECTION ", lenght: 2", "lenght"},
    {"type: bar, " STRAIGHT "EA: 1, line_density: 1, velocity: [0, 1]", "along it"},
    {"type: bar, " STRAIGHT "EA: 1, line_density: 1, angle_rate: 1", "angular velocity"},
    {"type: bar, " STRAIGHT "EA: 1, EI: 1, line_density: 1", "EI"},
    {"type: bar, from: [0, 0], to: [1, 0], elements: 2.5, EA: 1, line_density: 1", "elements"},
    {"type: bar, from: [0, 0], to: [1, 0], EA: 1, line_density: 1", "lacks 'elements'"},
    {"type: beem, " STRAIGHT SECTION, "did you mean 'beam'"},
};

static void wrong_definitions_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        char text[400];
        bool told = false;
        snprintf(text, sizeof text, "bodies:\n  b: {%s}\n", wrong[i].body);
        if (zn_scene_parse(context, "test", text, NULL, &scene) != ZN_ERROR_SCENE) fail_msg("accepted: %s", wrong[i].body);
        for (int k = 0; k < zn_error_count(context); k++) {
            assert_true(zn_error_get(context, k)->line > 0);
            told = told || strstr(zn_error_get(context, k)->message, wrong[i].word);
        }
        if (!told) fail_msg("%s: no word of '%s' in: %s", wrong[i].body, wrong[i].word, zn_error_text(context));
        zn_context_destroy(context);
    }
}

/* What failed is not found, and its handle cannot be used. */
static void a_failed_body_is_not_there(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = zn_parts_create(context);
    zn_flexible_def def = zn_default_flexible_def();
    zn_flexible beam;
    zn_frame frame;
    def.name = "beam", def.to[0] = 1, def.elements = 3;
    assert_int_equal(zn_parts_flexible(parts, &def, &beam), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_parts_node_count(parts, beam), 0);
    assert_int_equal(zn_parts_section(parts, beam, 0.5, "mid", NULL, NULL, &frame), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_parts_find_flexible(parts, "beam", &beam), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_parts_find_frame(parts, "beam.end", &frame), ZN_ERROR_ARGUMENT);
    def.EA = def.GA[0] = def.EI[0] = def.line_density = 1; /* the name is free again */
    assert_int_equal(zn_parts_flexible(parts, &def, &beam), ZN_OK);
    zn_parts_destroy(parts);
    zn_context_destroy(context);
}

/* Every allocation fails once; nothing leaks and the status says so. */
static void memory_may_run_out(void **state) {
    (void)state;
    const char *text = "bodies:\n  b: {type: beam, from: [0, 0], to: [1, 0], elements: 2, EA: 1, GA: 1, EI: 1, line_density: 1, "
                       "frames: {m: 0.3}}\njoints: {j: {type: revolute, between: [world, b.m], at: [0.3, 0]}}\n";
    for (long at = 0;; at += 7) {
        counting_allocator memory = {.fail_at = at, .only_once = true};
        zn_context *context = counting_context(&memory);
        zn_scene *scene = NULL;
        zn_status status = context ? zn_scene_parse(context, "test", text, NULL, &scene) : ZN_ERROR_MEMORY;
        zn_scene_destroy(scene);
        zn_context_destroy(context);
        assert_int_equal(memory.live, 0);
        if (memory.requests <= at) break;
        if (status != ZN_OK) assert_int_equal(status, ZN_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_elements),      cmocka_unit_test(derivatives_of_parts_on_sections),
        cmocka_unit_test(rigid_motion_makes_no_strain), cmocka_unit_test(nodes_and_frames_have_names),
        cmocka_unit_test(mass_is_that_of_the_length),   cmocka_unit_test(wrong_definitions_are_refused),
        cmocka_unit_test(a_failed_body_is_not_there),   cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
