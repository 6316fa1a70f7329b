/* SPDX-License-Identifier: Apache-2.0 */
/* contact_events: located: the order of the scheme through impacts, openings, stick and slip, and through accumulations of impacts. */
#include "located_cases.h"

typedef struct expectation {
    const located_case *c;
    const char *scheme;
    int stages;
    double order, finest; /* error with eight times the steps of the coarsest grid, at most */
} expectation;

/* Orders from the finest steps above the digits of the truth; every event located. */
static void check_order(const expectation *e, long *all_events, long *all_solves) {
    double error[4], order = 0, before = 0;
    int last = 0;
    long events = 0, solves = 0;
    for (int k = 0; k < 4; k++) {
        located_outcome out = located_run(e->c, e->scheme, e->stages, e->c->steps << k);
        error[k] = out.error;
        if (error[k] > 5 * e->c->known) last = k;
        events += out.statistics.events_located + out.statistics.event_accumulations;
        solves += out.statistics.event_solves;
        assert_int_equal(out.statistics.events_captured, 0);
    }
    assert_true(last >= 1);
    order = log2(error[last - 1] / error[last]);
    before = last > 1 ? log2(error[last - 2] / error[last]) / 2 : order; /* over two halvings */
    print_message("%s, %s:%d: %.2e %.2e %.2e %.2e, order %.2f, solves per event %.2f\n", e->c->name, e->scheme, e->stages, error[0],
                  error[1], error[2], error[3], before, (double)solves / (double)events);
    assert_true(fabs(order - e->order) <= 0.25 || fabs(before - e->order) <= 0.25);
    assert_true(error[3] <= e->finest);
    *all_events += events, *all_solves += solves;
}

/* An event costs at most four solves more than the step that it is in. */
static void check_list(const expectation *list, size_t n) {
    long events = 0, solves = 0;
    for (size_t i = 0; i < n; i++) check_order(&list[i], &events, &solves);
    print_message("solves per event %.2f\n", (double)solves / (double)events);
    assert_true(solves <= 4 * events);
}

static void impacts(void **state) {
    (void)state;
    const expectation list[] = {
        {&DRAG, "radau-2a", 2, 3, 8e-8},        {&DRAG, "radau-2a", 3, 5, 2e-13},  {&DRAG, "rattle", 0, 2, 5e-5},
        {&DRAG, "lobatto-3a3b", 3, 4, 8e-11},   {&DRAG, "tr-bdf2", 0, 2, 2.5e-5},  {&DRAG, "generalized-alpha", 0, 2, 6e-5},
        {&WALL, "radau-2a", 2, 3, 1.5e-7},      {&WALL, "radau-2a", 3, 5, 2e-12},  {&WALL, "rattle", 0, 2, 2e-5},
        {&WALL, "lobatto-3a3b", 3, 4, 2.1e-10}, {&WALL, "tr-bdf2", 0, 2, 2.5e-5},  {&WALL, "generalized-alpha", 0, 2, 5e-5},
        {&CRANK, "radau-2a", 2, 3, 9e-9},       {&CRANK, "radau-2a", 3, 5, 2e-12}, {&CRANK, "rattle", 0, 2, 4e-6},
        {&CRANK, "lobatto-3a3b", 3, 4, 2e-12},  {&CRANK, "tr-bdf2", 0, 2, 2.5e-7}, {&CRANK, "generalized-alpha", 0, 2, 2.5e-7},
        {&CRANK, "lobatto-3c", 3, 4, 3e-11},
    };
    check_list(list, sizeof list / sizeof *list);
}

static void opening_stick_and_slip(void **state) {
    (void)state;
    const expectation list[] = {
        {&DOME, "radau-2a", 2, 3, 3e-8},
        {&DOME, "radau-2a", 3, 5, 1e-12},
        {&DOME, "rattle", 0, 2, 3e-5},
        {&DOME, "lobatto-3a3b", 3, 4, 3e-11},
        {&DOME, "tr-bdf2", 0, 2, 3e-6},
        {&DOME, "generalized-alpha", 0, 2, 6e-6},
        {&BELT, "radau-2a", 2, 3, 1e-6},
        {&BELT, "radau-2a", 3, 5, 2e-11},
        {&BELT, "rattle", 0, 2, 6e-6},
        {&BELT, "lobatto-3a3b", 3, 4, 1.5e-9},
        {&BELT, "tr-bdf2", 0, 2, 1.1e-5},
        {&BELT, "generalized-alpha", 0, 2, 3e-5},
        {&TURN, "radau-2a", 2, 3, 1e-6},
        {&TURN, "radau-2a", 3, 5, 1e-11},
        {&TURN, "lobatto-3a3b", 3, 4, 1e-8},
        {&TURN, "rattle", 0, 2, 1e-3},
        {&CYLINDER, "radau-2a", 2, 3, 9e-6},
        {&CYLINDER, "radau-2a", 3, 5, 1.1e-10},
        {&CYLINDER, "rattle", 0, 2, 1.5e-4},
        {&CYLINDER, "lobatto-3a3b", 3, 4, 1.3e-9},
        {&CYLINDER, "lobatto-3a3b", 4, 6, 1e-11},
        {&CYLINDER, "tr-bdf2", 0, 2, 7e-5},
        {&CYLINDER, "generalized-alpha", 0, 2, 3e-4},
    };
    check_list(list, sizeof list / sizeof *list);
}

static void slip_that_ends_in_the_plane(void **state) {
    (void)state;
    const expectation list[] = {{&SLIDER, "radau-2a", 2, 3, 1.1e-7},       {&SLIDER, "radau-2a", 3, 5, 2.2e-12},
                                {&SLIDER, "lobatto-3a3b", 3, 4, 2.7e-9},   {&SLIDER, "rattle", 0, 2, 2e-5},
                                {&SLIDER, "tr-bdf2", 0, 2, 2e-5},          {&SLIDER, "generalized-alpha", 0, 2, 3e-5},
                                {&CIRCLING, "radau-2a", 2, 3, 3e-6},       {&CIRCLING, "radau-2a", 3, 5, 7e-11},
                                {&CIRCLING, "lobatto-3a3b", 3, 4, 1.2e-8}, {&CIRCLING, "rattle", 0, 2, 9e-6}};
    check_list(list, sizeof list / sizeof *list);
}

/* A slip that began at rest is fast, and then ends, within the steps in which forces are not asked for. What is left out before each stop
 * is O(h^p), but not smooth in h: errors of high orders are compared with limits. */
static void slips_of_a_few_steps(void **state) {
    (void)state;
    const expectation list[] = {{&SHAKEN, "radau-2a", 2, 3, 1e-7},
                                {&SHAKEN, "rattle", 0, 2, 2e-5},
                                {&SHAKEN, "tr-bdf2", 0, 2, 9e-6},
                                {&SHAKEN, "generalized-alpha", 0, 2, 2e-5}};
    check_list(list, sizeof list / sizeof *list);
    const char *const names[] = {"radau-2a", "lobatto-3a3b"};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            located_outcome out = located_run(&SHAKEN, names[i], 3, SHAKEN.steps << k);
            print_message("%s, %s:3: %.2e, %ld solves\n", SHAKEN.name, names[i], out.error, out.statistics.event_solves);
            assert_int_equal(out.statistics.events_captured, 0);
            assert_int_equal(out.statistics.events_located, 9);
            assert_true(out.error <= fmax(2e-6 * pow(2, -4 * k), 1e-9));
            assert_true(out.statistics.event_solves <= 4 * out.statistics.events_located);
        }
}

/* Directions follow velocities that grow from zero: the motion across them is stiff for a while, and Lobatto IIIA-IIIB loses an order or
 * two there, without captured steps. */
static void slip_that_begins_in_the_plane(void **state) {
    (void)state;
    const expectation list[] = {
        {&PULLED, "radau-2a", 2, 3, 2.5e-8},     {&PULLED, "radau-2a", 3, 5, 1e-12},           {&PULLED, "lobatto-3c", 3, 4, 2.5e-10},
        {&PULLED, "rattle", 0, 2, 5e-5},         {&PULLED, "generalized-alpha", 0, 2, 4.5e-5}, {&PULLED, "tr-bdf2", 0, 2, 2e-5},
        {&RELEASED, "radau-2a", 2, 3, 8e-8},     {&RELEASED, "radau-2a", 3, 5, 1e-12},         {&RELEASED, "lobatto-3c", 3, 4, 3e-10},
        {&RELEASED, "lobatto-3a3b", 3, 3, 6e-8}, {&RELEASED, "lobatto-3a3b", 4, 5, 1e-12},     {&RELEASED, "rattle", 0, 2, 3e-5},
        {&RELEASED, "tr-bdf2", 0, 2, 2.2e-5}};
    long events = 0, solves = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) check_order(&list[i], &events, &solves);
    assert_true(solves <= 4 * events);
    const struct {
        const char *name;
        int stages;
        double error;
    } fine[] = {{"lobatto-3a3b", 3, 2e-9}, {"lobatto-3a3b", 4, 1e-10}, {"generalized-alpha", 0, 3e-6}, {"tr-bdf2", 0, 1.2e-6}};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) { /* velocities of 1e-6 in the first step, which turn at once */
        located_outcome out = located_run(&PULLED, fine[i].name, fine[i].stages, 640);
        assert_int_equal(out.statistics.events_captured, 0);
        assert_int_equal(out.statistics.events_located, 1);
        assert_true(out.error < fine[i].error);
    }
}

static void accumulation(void **state) {
    (void)state;
    const expectation list[] = {{&CRANK_LONG, "radau-2a", 2, 3, 1.2e-8}, {&CRANK_LONG, "rattle", 0, 2, 4e-6},
                                {&CRANK_LONG, "tr-bdf2", 0, 2, 2e-6},    {&SLOPE, "radau-2a", 2, 3, 3e-7},
                                {&SLOPE, "rattle", 0, 2, 8e-5},          {&SLOPE, "generalized-alpha", 0, 2, 3e-5}};
    check_list(list, sizeof list / sizeof *list);
    assert_true(located_run(&CRANK_LONG, "radau-2a", 3, 40).error < 1e-10);
    assert_true(located_run(&SLOPE, "radau-2a", 3, 80).error < 1e-8);
}

/* y0 = 0.05, e = 0.7: the accumulation is exact, x(1.2) = 2.89868 and u_x(1.2) = 1.8228 up to round-off whatever the scheme and the
 * step. */
static void accumulation_on_a_plane(void **state) {
    (void)state;
    const struct {
        const char *name;
        int stages;
    } schemes[] = {{"radau-2a", 2}, {"radau-2a", 3},          {"lobatto-3a3b", 3}, {"rattle", 0},
                   {"tr-bdf2", 0},  {"generalized-alpha", 0}, {"sdirk3", 0}};
    const located_case plane = {"bouncing on a plane", BOUNCING_PLANE_SCENE, NULL, 1.2, 12, 1, {0}, {2.89868}, 1e-14};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        for (int steps = 12; steps <= 48; steps *= 2) {
            located_outcome out = located_run(&plane, schemes[i].name, schemes[i].stages, steps);
            assert_true(out.error <= 2e-14);
            assert_int_equal(out.statistics.event_accumulations, 1);
            assert_int_equal(out.statistics.events_captured, 0);
        }
}

/* Two disks between four walls, and a ball on a floor, all elastic, over 50 s with steps of 0.01: impacts take nothing. */
static void elastic_systems(void **state) {
    (void)state;
    char disks[3000] = "gravity: [0, -9.81]\n"
                       "bodies:\n"
                       "  a: {type: planar, mass: 1, inertia: 0.005, position: [0.3, 0.5], velocity: [1, 0.3]}\n"
                       "  b: {type: planar, mass: 2, inertia: 0.02, position: [0.7, 0.4], velocity: [-0.7, 0.2]}\n"
                       "geometry:\n"
                       "  da: {on: a, type: disk, radius: 0.1}\n"
                       "  db: {on: b, type: disk, radius: 0.15}\n"
                       "  floor: {type: line, normal: [0, 1], at: [0, 0]}\n"
                       "  top: {type: line, normal: [0, -1], at: [0, 1]}\n"
                       "  left: {type: line, normal: [1, 0], at: [0, 0]}\n"
                       "  right: {type: line, normal: [-1, 0], at: [1, 0]}\n"
                       "contacts:\n"
                       "  ab: {between: [da, db], restitution: 1}\n";
    const char *const walls[] = {"floor", "top", "left", "right"};
    for (int i = 0; i < 8; i++)
        snprintf(disks + strlen(disks), sizeof disks - strlen(disks), "  c%d: {between: [d%c, %s], restitution: 1}\n", i, i < 4 ? 'a' : 'b',
                 walls[i % 4]);
    strcat(disks, "simulation: {scheme: radau-2a, step: 0.01, end: 50}\n");
    const char *ball = "coordinates: {q: 1}\nenergy: {kinetic: q'^2/2, potential: 9.81*q}\ncontacts: {floor: {gap: q, restitution: 1}}\n"
                       "simulation: {scheme: radau-2a, step: 0.01, end: 50}\n";
    const located_case cases[] = {{"disks", disks, NULL, 50, 5000, 0, {0}, {0}, 0}, {"ball", ball, NULL, 50, 5000, 0, {0}, {0}, 0}};
    const char *const schemes[] = {"radau-2a", "lobatto-3a3b"};
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < 2; k++) {
            located_outcome out = located_run(&cases[c], schemes[k], 3, 5000);
            zn_statistics *s = &out.statistics;
            print_message("%s, %s: %ld events, energy %.3e relative, penetration %.1e\n", cases[c].name, schemes[k], s->events_located,
                          s->energy_end / s->energy_start - 1, s->max_penetration);
            assert_true(fabs(s->energy_end / s->energy_start - 1) < 1e-10);
            assert_true(s->max_penetration < 1e-10);
            assert_int_equal(s->events_captured, 0);
            assert_true(s->events_located >= (c == 0 ? 400 : 55));
        }
}

/* Contacts that hit in turn: intervals fall to nothing, by two contacts of which neither accumulates alone. They are closed, by every
 * scheme; x, y: at rest in the corner, phi: captured with steps of 1e-5, -11.5604. */
static void crowds(void **state) {
    (void)state;
    const located_case corner = {"ball in corner", "ball-in-corner", NULL, 2, 100, 3, {0, 1, 2}, {0, 0.1414213562373095, -11.560826461}, 0};
    const struct {
        const char *name;
        int stages;
        double error;
    } list[] = {{"radau-2a", 2, 5e-5},     {"radau-2a", 3, 2e-6}, {"rattle", 0, 5e-5},
                {"lobatto-3a3b", 3, 2e-6}, {"tr-bdf2", 0, 5e-5},  {"generalized-alpha", 0, 5e-5}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        located_outcome out = located_run(&corner, list[i].name, list[i].stages, 400);
        print_message("%s: error %.2e, %ld events, %ld solves\n", list[i].name, out.error, out.statistics.events_located,
                      out.statistics.event_solves);
        assert_true(out.error < list[i].error);
        assert_true(out.statistics.event_solves < 400);
    }
}

static int observe_row(void *user, const zn_simulation *sim) {
    (void)sim;
    return zn_recorder_row(user) != ZN_OK;
}

/* The same events in a file, read back, and in a copy of it. */
static void recorded_events(zn_context *context, const zn_model *model, const zn_settings *settings) {
    zn_simulation *sim = NULL;
    zn_recorder *recorder = NULL;
    zn_result *result = NULL;
    zn_contact_table table;
    char path[300], copy[300];
    snprintf(path, sizeof path, "%s/located-events.h5", ZENO_BINARY_DIR);
    snprintf(copy, sizeof copy, "%s/located-events-copy.h5", ZENO_BINARY_DIR);
    assert_int_equal(zn_simulation_create(context, model, settings, &sim), ZN_OK);
    assert_int_equal(zn_recorder_create(context, sim, "ball", "", path, &recorder), ZN_OK);
    assert_int_equal(zn_simulation_run(sim, observe_row, recorder), ZN_OK);
    assert_int_equal(zn_recorder_finish(recorder, true), ZN_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(zn_result_open(context, i == 0 ? path : copy, &result), ZN_OK);
        assert_int_equal(zn_result_contact_events(result, &table), ZN_OK);
        assert_int_equal(table.count, 2);
        assert_int_equal(table.n_columns, 11);
        assert_string_equal(table.names[0], "floor");
        for (int k = 0; k < 2; k++) {
            const double *row = table.values + 11 * k;
            zn_contact_event e = zn_simulation_contact_event(sim, k);
            check_close(row[0], ceil(e.t / settings->step), 0.5);
            check_close(row[1], e.t, 0);
            check_close(row[3], ZN_CONTACT_IMPACT, 0);
            check_close(row[5], e.normal_after, 0);
            check_close(row[8], e.normal_impulse, 0);
            check_close(row[10], e.energy_lost, 0);
        }
        assert_int_equal(zn_result_contacts(result, &table), ZN_OK);
        assert_int_equal(table.count, 0);
        if (i == 0) assert_int_equal(zn_result_save(result, copy), ZN_OK);
        zn_result_close(result);
    }
    zn_simulation_destroy(sim);
}

/* Other laws, against a run of fine steps of order five: tangential restitution, a double pendulum between two walls, rolling and pivoting
 * friction of a thrown sphere. */
static void other_laws(void **state) {
    (void)state;
    const char *superball =
        "coordinates: {x: {start: 0, velocity: 1}, y: 0.4, phi: {start: 0, velocity: 20}}\n"
        "energy: {kinetic: (x'^2 + y'^2)/2 + 0.002*phi'^2, potential: 10*y}\n"
        "forces: {x: -0.3*x', phi: -0.001*phi'}\n"
        "contacts: {floor: {gap: y - 0.1, slip: x' + 0.1*phi', friction: 0.3, restitution: 0.7, tangential_restitution: 0.5}}\n"
        "simulation: {scheme: radau-2a, step: 0.05, end: 0.8}\n";
    const char *pendulum =
        "coordinates: {a: 1.2, b: 0.3}\n"
        "energy: {kinetic: a'^2 + b'^2/2 + a'*b'*cos(a - b), potential: -10*(2*cos(a) + cos(b))}\n"
        "contacts: {left: {gap: sin(a) + sin(b) + 0.6, restitution: 0.6}, right: {gap: 1.3 - sin(a) - sin(b), restitution: 0.5}}\n"
        "simulation: {scheme: radau-2a, step: 0.05, end: 1.6}\n";
    const char *sphere = "gravity: [0, 0, -10]\n"
                         "bodies:\n"
                         "  s: {type: spatial, shape: {type: sphere, radius: 0.1}, mass: 1, position: [0, 0, 0.3], velocity: [1, 0.5, 0], "
                         "angular_velocity: [10, -20, 5]}\n"
                         "geometry: {floor: {type: plane}}\n"
                         "contacts: {c: {between: [s, floor], friction: 0.2, restitution: 0.4, rolling: 0.002, pivoting: 0.003}}\n"
                         "simulation: {scheme: radau-2a, step: 0.02, end: 0.6}\n";
    located_case cases[] = {{"tangential restitution", superball, NULL, 0.8, 16, 3, {0, 1, 2}, {0}, 0},
                            {"double pendulum", pendulum, NULL, 1.6, 64, 2, {0, 1}, {0}, 0},
                            {"rolling and pivoting", sphere, NULL, 0.6, 24, 3, {0, 1, 2}, {0}, 0}};
    const struct {
        const char *name;
        int stages;
        double order;
    } schemes[] = {{"radau-2a", 2, 3}, {"rattle", 0, 2}, {"lobatto-3a3b", 3, 4}, {"tr-bdf2", 0, 2}, {"generalized-alpha", 0, 2}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        located_outcome exact = located_run(&cases[c], "radau-2a", 3, 40 * cases[c].steps);
        for (int i = 0; i < cases[c].n; i++) cases[c].truth[i] = exact.q[cases[c].at[i]];
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
            located_outcome coarse = located_run(&cases[c], schemes[k].name, schemes[k].stages, 2 * cases[c].steps),
                            fine = located_run(&cases[c], schemes[k].name, schemes[k].stages, 8 * cases[c].steps);
            double order = log2(coarse.error / fine.error) / 2;
            print_message("%s, %s: %.2e %.2e, order %.2f, %ld events\n", cases[c].name, schemes[k].name, coarse.error, fine.error, order,
                          fine.statistics.events_located);
            assert_true(order > schemes[k].order - 0.25 || fine.error < 1e-13);
            assert_int_equal(coarse.statistics.events_captured + fine.statistics.events_captured, 0);
        }
    }
}

/* Every solver: modes are solved by Newton's method whatever the settings say. */
static void every_solver(void **state) {
    (void)state;
    const zn_solver solvers[] = {ZN_SOLVER_AUTO, ZN_SOLVER_NEWTON, ZN_SOLVER_PROJECTION};
    for (int i = 0; i < 3; i++) {
        trial r = {.context = zn_context_create(NULL)};
        assert_int_equal(zn_scene_load(r.context, ZENO_SOURCE_DIR "/scenes/ball-in-cylinder.yaml", NULL, &r.scene), ZN_OK);
        zn_settings settings = *zn_scene_settings(r.scene);
        settings.scheme = "radau-2a", settings.stages = 3, settings.step = 0.025, settings.end = 1;
        settings.solver = solvers[i], settings.contact_events = ZN_EVENTS_LOCATED;
        assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation), ZN_OK);
        trial_run(&r);
        check_close(trial_q(&r, 2), -12.2475438038194, 2e-7);
        assert_int_equal(zn_simulation_statistics(r.simulation).events_located, 3);
        trial_end(&r);
    }
}

/* The list of events against the exact times, velocities, impulses and energies of a ball: m = 1, e = 0.7, u^- = -sqrt(2 g), +-e^n. */
static void events_of_a_ball(void **state) {
    (void)state;
    const char *scene = "coordinates: {q: 1}\n"
                        "energy: {kinetic: q'^2/2, potential: 9.81*q}\n"
                        "contacts: {floor: {gap: q, restitution: 0.7}}\n"
                        "simulation: {scheme: 'radau-2a:3', step: 0.1, end: 1.4, contact_events: located}\n";
    zn_context *context = zn_context_create(NULL);
    zn_scene *loaded = NULL;
    zn_simulation *sim = NULL;
    assert_int_equal(zn_scene_parse(context, "ball", scene, NULL, &loaded), ZN_OK);
    assert_int_equal(zn_simulation_create(context, zn_scene_model(loaded), zn_scene_settings(loaded), &sim), ZN_OK);
    assert_int_equal(zn_simulation_run(sim, NULL, NULL), ZN_OK);
    check_close(zn_simulation_positions(sim)[0], 0.1957422305113, 1e-12);
    check_close(zn_simulation_velocities(sim)[0], -0.9328984067776, 1e-12);
    assert_int_equal(zn_simulation_contact_event_count(sim), 2);
    double speed = sqrt(2 * 9.81), t = sqrt(2 / 9.81);
    for (int i = 0; i < 2; i++) {
        zn_contact_event e = zn_simulation_contact_event(sim, i);
        check_close(e.t, t, 1e-10);
        assert_int_equal(e.kind, ZN_CONTACT_IMPACT);
        assert_int_equal(e.contact, 0);
        assert_string_equal(e.name, "floor");
        check_close(e.normal_before, -speed, 1e-10);
        check_close(e.normal_after, 0.7 * speed, 1e-10);
        check_close(e.normal_impulse, 1.7 * speed, 1e-10);
        check_close(e.energy_lost, (1 - 0.49) * speed * speed / 2, 1e-9);
        speed *= 0.7;
        t += 2 * speed / 9.81;
    }
    recorded_events(context, zn_scene_model(loaded), zn_scene_settings(loaded));
    assert_null(zn_simulation_contact_event(sim, 2).name);
    assert_null(zn_simulation_contact_event(sim, -1).name);
    assert_null(zn_simulation_contact_event(NULL, 0).name);
    assert_int_equal(zn_simulation_contact_event_count(NULL), 0);
    assert_string_equal(zn_contact_event_text(ZN_CONTACT_STICK), "stick");
    assert_null(zn_contact_event_text(ZN_CONTACT_EVENT_KINDS));
    assert_null(zn_contact_event_text((zn_contact_event_kind)-1));
    zn_simulation_destroy(sim);
    zn_scene_destroy(loaded);
    zn_context_destroy(context);
}

/* A sleigh on a blade at (x, y), its centre of mass 0.2 ahead: velocity constraints keep the order 2s-2 of Lobatto IIIA-IIIB. */
static void weighted_velocity_constraints(void **state) {
    (void)state;
    const char *scene = "coordinates: {x: {start: 0, velocity: 1}, y: 0, phi: {start: 0, velocity: 2}}\n"
                        "energy: {kinetic: ((x' - 0.2*phi'*sin(phi))^2 + (y' + 0.2*phi'*cos(phi))^2)/2 + 0.05*phi'^2, potential: 0}\n"
                        "forces: {y: -0.5*y', phi: 0.3*sin(3*t)}\n"
                        "constraints: {blade: {velocity: y'*cos(phi) - x'*sin(phi)}}\n"
                        "simulation: {scheme: rattle, step: 0.1, end: 0.8}\n";
    const located_case sleigh = {"sleigh", scene, NULL, 0.8, 8, 3, {0, 1, 2}, {0.69211157, 0.52884880, 1.19764201}, 5e-9};
    const struct {
        const char *name;
        int stages, steps;
        double order;
    } list[] = {{"rattle", 0, 40, 2},
                {"lobatto-3a3b", 2, 40, 2},
                {"lobatto-3a3b", 3, 8, 4},
                {"lobatto-3a3b-lagrange", 3, 8, 4},
                {"lobatto-3a3b", 4, 3, 6}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        double coarse = located_run(&sleigh, list[i].name, list[i].stages, list[i].steps).error,
               fine = located_run(&sleigh, list[i].name, list[i].stages, 2 * list[i].steps).error;
        print_message("%s:%d %.2e %.2e, order %.2f\n", list[i].name, list[i].stages, coarse, fine, log2(coarse / fine));
        check_close(log2(coarse / fine), list[i].order, 0.25);
    }
}

/* step: auto: the accuracy that is asked for is reached within a factor of ten, relative to the size of the coordinates; no event is
 * captured. */
static void accuracy_asked_is_reached(void **state) {
    (void)state;
    const struct {
        const char *name;
        int stages;
        double least; /* accuracy */
    } schemes[] = {{"radau-2a", 2, 1e-8}, {"radau-2a", 3, 1e-9}, {"lobatto-3a3b", 3, 1e-8},     {"lobatto-3c", 3, 1e-8},
                   {"rattle", 0, 1e-6},   {"tr-bdf2", 0, 1e-6},  {"generalized-alpha", 0, 1e-6}};
    const located_case *const cases[] = {&DRAG, &WALL, &CYLINDER, &BELT, &DOME};
    const double sizes[] = {1, 1, 12, 1, 1};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            for (double accuracy = 1e-4; accuracy > 0.5 * schemes[k].least; accuracy /= 100) {
                located_outcome out = located_run_to(cases[c], schemes[k].name, schemes[k].stages, 0, accuracy);
                print_message("%s, %s:%d: accuracy %.0e, error %.1e, %ld steps, %ld rejected\n", cases[c]->name, schemes[k].name,
                              schemes[k].stages, accuracy, out.error, out.statistics.steps, out.statistics.rejected);
                assert_true(out.error <= 10 * accuracy * sizes[c]);
                assert_int_equal(out.statistics.events_captured, 0);
            }
}

static void refusals(void **state) {
    (void)state;
    const struct {
        const char *settings, *sentence;
    } list[] = {{"scheme: moreau-midpoint", "first-order"},
                {"scheme: 'radau-2a:1'", "of one stage"},
                {"scheme: generalized-alpha-pva", "generalized-alpha"},
                {"scheme: rattle, percussion: integrated", "percussion: stage"},
                {"scheme: radau-2a, projection: none", "projection: velocity"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "coordinates: {q: 1}\nenergy: {kinetic: q'^2/2, potential: 9.81*q}\ncontacts: {floor: {gap: q}}\n"
                 "simulation: {%s, step: 0.1, end: 1, contact_events: located}\n",
                 list[i].settings);
        trial r;
        assert_int_equal(trial_open(text, &r), ZN_ERROR_UNSUPPORTED);
        assert_non_null(strstr(zn_error_text(r.context), list[i].sentence));
        trial_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts),
        cmocka_unit_test(opening_stick_and_slip),
        cmocka_unit_test(slip_that_ends_in_the_plane),
        cmocka_unit_test(slips_of_a_few_steps),
        cmocka_unit_test(slip_that_begins_in_the_plane),
        cmocka_unit_test(accumulation),
        cmocka_unit_test(accumulation_on_a_plane),
        cmocka_unit_test(elastic_systems),
        cmocka_unit_test(crowds),
        cmocka_unit_test(events_of_a_ball),
        cmocka_unit_test(weighted_velocity_constraints),
        cmocka_unit_test(accuracy_asked_is_reached),
        cmocka_unit_test(other_laws),
        cmocka_unit_test(every_solver),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
