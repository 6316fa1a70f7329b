/* SPDX-License-Identifier: Apache-2.0 */
/* What contact_events: located costs: questions to the model in steps without events, against captured ones; steps that are computed for a
 * given error. */
#include "located_cases.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

typedef struct scheme_name {
    const char *name;
    int stages;
} scheme_name;

/* ---- steps without events ---- */

static const zn_model *asked;
static long questions;

static int count_balance(const zn_model *model, void *work, const zn_point *at, zn_balance *out) {
    (void)model;
    questions++;
    return asked->balance(asked, work, at, out);
}

static int count_constraints(const zn_model *model, void *work, const zn_point *at, zn_constraints *out) {
    (void)model;
    questions++;
    return asked->constraints(asked, work, at, out);
}

typedef struct quiet_motion {
    const char *name, *scene;
    double step;
    int from, to; /* steps that are counted */
    double most;  /* questions of located steps, of those of captured ones */
} quiet_motion;

/* Questions between two steps of a run without events. */
static long ask_in_steps(const quiet_motion *m, scheme_name scheme, zn_contact_events mode) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    zn_simulation *sim = NULL;
    long start = 0;
    assert_int_equal(zn_scene_parse(context, "test", m->scene, NULL, &scene), ZN_OK);
    asked = zn_scene_model(scene);
    zn_model definition = *asked, *counted = NULL;
    definition.balance = count_balance, definition.constraints = count_constraints, definition.energy = NULL, definition.destroy = NULL;
    definition.momentum = NULL, definition.lagrangian = false, definition.drawing = NULL, definition.data = NULL;
    assert_int_equal(zn_model_from_callbacks(context, &definition, &counted), ZN_OK);
    zn_settings settings = *zn_scene_settings(scene);
    settings.scheme = scheme.name, settings.stages = scheme.stages, settings.step = m->step, settings.end = 1e3 * m->step;
    settings.contact_events = mode;
    assert_int_equal(zn_simulation_create(context, counted, &settings, &sim), ZN_OK);
    for (int i = 0; i < m->to; i++) {
        if (i == m->from) start = questions;
        assert_int_equal(zn_simulation_step(sim), ZN_OK);
    }
    long count = questions - start;
    assert_int_equal(zn_simulation_statistics(sim).events_located, 0);
    zn_simulation_destroy(sim);
    zn_model_destroy(context, counted);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return count;
}

#define SPHERE(motion, turn, friction)                                                                                       \
    "coordinates: {x: {start: 0, velocity: 2}, y: {start: 0, velocity: 1}, z: " motion ", a: {start: 0, velocity: -10*" turn \
    "}, b: {start: 0, velocity: -5*" turn "}}\n"                                                                             \
    "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2 + 2e-3*(a'^2 + b'^2), potential: 10*z + x^2 + y^2}\n"                          \
    "contacts: {floor: {gap: z, slip: [x' + 0.1*a', y' + 0.1*b'], friction: " friction "}}\n"                                \
    "simulation: {step: 1e-3, end: 1}\n"
#define BLOCK(friction)                                               \
    "coordinates: {x: {start: 0, velocity: 2}, y: 0}\n"               \
    "energy: {kinetic: (x'^2 + y'^2)/2, potential: \"10*y + x^2\"}\n" \
    "contacts: {floor: {gap: y, slip: x', friction: " friction "}}\n" \
    "simulation: {step: 1e-3, end: 1}\n"

/* A ball that lies in a corner, where friction holds it more often than it can move. */
#define CORNER                                                                                   \
    "coordinates: {x: 0, y: 0.1*sqrt(2), phi: 0}\n"                                              \
    "energy: {kinetic: (x'^2 + y'^2)/2 + 2e-3*phi'^2, potential: 10*y}\n"                        \
    "contacts:\n"                                                                                \
    "  left: {gap: (x + y)/sqrt(2) - 0.1, slip: (x' - y')/sqrt(2) + 0.1*phi', friction: 0.4}\n"  \
    "  right: {gap: (y - x)/sqrt(2) - 0.1, slip: (x' + y')/sqrt(2) + 0.1*phi', friction: 0.4}\n" \
    "simulation: {step: 1e-2, end: 1}\n"

/* Velocities at the start of a step are what weighted rows and turning directions of Lobatto IIIA-IIIB are made of: one question more;
 * gaps, rates and the work of contacts are one question instead of two. */
static void steps_without_events(void **state) {
    (void)state;
    const quiet_motion motions[] = {
        {"flight", SPHERE("5", "0", "0.2"), 1e-3, 10, 210, 0.9},
        {"slip in the plane", SPHERE("0", "0", "0.02"), 1e-3, 10, 210, 1.05},
        {"slip along a line", BLOCK("0.02"), 1e-3, 10, 210, 1.05},
        {"rolling", SPHERE("0", "2", "0.8"), 1e-3, 10, 210, 1.05},
    };
    const scheme_name schemes[] = {{"radau-2a", 2},   {"radau-2a", 3}, {"rattle", 0},           {"lobatto-3a3b", 3},
                                   {"lobatto-3c", 3}, {"tr-bdf2", 0},  {"generalized-alpha", 0}};
    for (size_t i = 0; i < COUNT(motions); i++)
        for (size_t k = 0; k < COUNT(schemes); k++) {
            long captured = ask_in_steps(&motions[i], schemes[k], ZN_EVENTS_CAPTURED);
            long located = ask_in_steps(&motions[i], schemes[k], ZN_EVENTS_LOCATED);
            print_message("%s, %s:%d: %ld captured, %ld located\n", motions[i].name, schemes[k].name, schemes[k].stages, captured, located);
            assert_true((double)located <= motions[i].most * (double)captured);
        }
}

/* Forces that are not unique are held from step to step where stages start from the last step: one question for each stage, as in captured
 * steps. */
static void rest_in_a_corner(void **state) {
    (void)state;
    const quiet_motion corner = {"rest in a corner", CORNER, 1e-2, 10, 60, 1.05};
    const scheme_name schemes[] = {{"radau-2a", 2}, {"radau-2a", 3}, {"lobatto-3c", 3}, {"tr-bdf2", 0}};
    for (size_t k = 0; k < COUNT(schemes); k++) {
        long captured = ask_in_steps(&corner, schemes[k], ZN_EVENTS_CAPTURED),
             located = ask_in_steps(&corner, schemes[k], ZN_EVENTS_LOCATED);
        print_message("%s, %s:%d: %ld captured, %ld located\n", corner.name, schemes[k].name, schemes[k].stages, captured, located);
        assert_true((double)located <= corner.most * (double)captured);
    }
}

/* Slip that turns faster than it ends: steps need not be shorter because of a stop that is far. */
static void slip_that_turns(void **state) {
    (void)state;
    const scheme_name schemes[] = {{"radau-2a", 2}, {"radau-2a", 3}, {"lobatto-3a3b", 3}, {"lobatto-3c", 3}};
    for (size_t k = 0; k < COUNT(schemes); k++) {
        located_outcome out = located_run(&CIRCLING, schemes[k].name, schemes[k].stages, 8 * CIRCLING.steps);
        print_message("%s, %s:%d: %ld solves\n", CIRCLING.name, schemes[k].name, schemes[k].stages, out.statistics.event_solves);
        assert_int_equal(out.statistics.events_located, 1);
        assert_true(out.statistics.event_solves <= 10);
    }
}

/* ---- work for a given error ---- */

typedef struct work_row {
    const located_case *c;
    scheme_name scheme;
    double error;
    int halvings; /* of the coarsest step */
    long most;    /* steps of the grid, and those computed beyond */
} work_row;

static void work_for_an_error(void **state) {
    (void)state;
    const work_row rows[] = {
        {&DRAG, {"radau-2a", 2}, 8e-8, 3, 134},
        {&DRAG, {"radau-2a", 3}, 2e-9, 0, 24},
        {&DRAG, {"radau-2a", 3}, 2.2e-12, 2, 70},
        {&DRAG, {"lobatto-3a3b", 3}, 3e-7, 0, 24},
        {&DRAG, {"rattle", 0}, 3e-3, 0, 24},
        {&DRAG, {"tr-bdf2", 0}, 2.5e-5, 3, 134},
        {&DRAG, {"generalized-alpha", 0}, 5.5e-5, 3, 135},
        {&WALL, {"radau-2a", 2}, 1.5e-7, 3, 294},
        {&WALL, {"radau-2a", 3}, 3.2e-8, 0, 44},
        {&WALL, {"radau-2a", 3}, 3.5e-11, 2, 151},
        {&WALL, {"lobatto-3a3b", 3}, 3.3e-9, 2, 151},
        {&WALL, {"rattle", 0}, 7.2e-5, 2, 152},
        {&WALL, {"tr-bdf2", 0}, 1e-4, 2, 152},
        {&WALL, {"generalized-alpha", 0}, 5e-5, 3, 296},
        {&CYLINDER, {"radau-2a", 2}, 6e-4, 1, 51},
        {&CYLINDER, {"radau-2a", 3}, 3e-6, 0, 32},
        {&CYLINDER, {"radau-2a", 3}, 1e-7, 1, 51},
        {&CYLINDER, {"lobatto-3a3b", 3}, 2.5e-7, 1, 51},
        {&CYLINDER, {"rattle", 0}, 1.4e-4, 3, 170},
        {&CYLINDER, {"tr-bdf2", 0}, 7e-5, 3, 170},
        {&CYLINDER, {"generalized-alpha", 0}, 2.5e-4, 3, 171},
        {&CRANK, {"radau-2a", 2}, 7e-8, 2, 50},
        {&CRANK, {"radau-2a", 3}, 9e-10, 0, 19},
        {&CRANK, {"radau-2a", 3}, 1e-12, 2, 50},
        {&CRANK, {"lobatto-3a3b", 3}, 2e-11, 2, 50},
        {&CRANK, {"rattle", 0}, 1.5e-5, 2, 52},
        {&CRANK, {"tr-bdf2", 0}, 8e-7, 2, 52},
        {&CRANK, {"generalized-alpha", 0}, 9.5e-7, 2, 52},
        {&BELT, {"radau-2a", 2}, 6.5e-5, 1, 100},
        {&BELT, {"radau-2a", 3}, 4e-7, 0, 52},
        {&BELT, {"lobatto-3a3b", 3}, 3.3e-7, 1, 100},
        {&BELT, {"rattle", 0}, 6.3e-5, 1, 100},
        {&BELT, {"tr-bdf2", 0}, 4.2e-5, 2, 197},
        {&BELT, {"generalized-alpha", 0}, 2.6e-5, 3, 389},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const work_row *r = &rows[i];
        int steps = r->c->steps << r->halvings;
        located_outcome out = located_run(r->c, r->scheme.name, r->scheme.stages, steps);
        long work = steps + out.statistics.event_solves, events = out.statistics.events_located + out.statistics.event_accumulations;
        print_message("%s, %s:%d: error %.2e (%.1e), work %ld (%ld), %ld events\n", r->c->name, r->scheme.name, r->scheme.stages, out.error,
                      r->error, work, r->most, events);
        assert_true(out.error <= r->error);
        assert_true(work <= r->most);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_without_events), cmocka_unit_test(rest_in_a_corner),
                                       cmocka_unit_test(slip_that_turns), cmocka_unit_test(work_for_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
