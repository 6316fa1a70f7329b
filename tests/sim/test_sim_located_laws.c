/* SPDX-License-Identifier: Apache-2.0 */
/* contact_events: located: orders through events of all laws of friction and kinds of bodies, against runs of order five with fine steps,
 * and the truth of a thrown sphere. */
#include "located_cases.h"

#define ECCENTRIC_SPHERE_BY(law)                                                                                                      \
    "parameters: {g: 10, R: 0.1, e: 0.02, A: 0.004, C: 0.003, th0: 1}\n"                                                              \
    "coordinates:\n"                                                                                                                  \
    "  x: {start: 0, velocity: 2.4}\n"                                                                                                \
    "  y: {start: 0, velocity: 0.3}\n"                                                                                                \
    "  z: {start: R + e*cos(th0) + 0.05, velocity: 0}\n"                                                                              \
    "  phi: {start: 0.3, velocity: 2}\n"                                                                                              \
    "  theta: {start: th0, velocity: 0}\n"                                                                                            \
    "  psi: {start: 0, velocity: 22}\n"                                                                                               \
    "energy:\n"                                                                                                                       \
    "  kinetic: (x'^2 + y'^2 + z'^2)/2 + A/2*(theta'^2 + phi'^2*sin(theta)^2) + C/2*(psi' + phi'*cos(theta))^2\n"                     \
    "  potential: g*z\n"                                                                                                              \
    "contacts:\n"                                                                                                                     \
    "  plane:\n"                                                                                                                      \
    "    gap: z - e*cos(theta) - R\n"                                                                                                 \
    "    slip:\n"                                                                                                                     \
    "      - x' - (theta'*sin(phi) - psi'*sin(theta)*cos(phi))*(e*cos(theta) + R) - (phi' + psi'*cos(theta))*e*sin(theta)*cos(phi)\n" \
    "      - y' - (phi' + psi'*cos(theta))*e*sin(theta)*sin(phi) + (theta'*cos(phi) + psi'*sin(theta)*sin(phi))*(e*cos(theta) + R)\n" \
    "    friction: 0.3\n"                                                                                                             \
    "simulation: {scheme: radau-2a, step: 2e-3, end: 0.5, restitution_law: " law "}\n"
#define ECCENTRIC_SPHERE ECCENTRIC_SPHERE_BY("newton")
#define SPATIAL_BALL(start)                                                          \
    "gravity: [0, 0, -10]\n"                                                         \
    "bodies:\n"                                                                      \
    "  s: {type: spatial, shape: {type: sphere, radius: 0.1}, mass: 1, " start "}\n" \
    "geometry: {floor: {type: plane}}\n"                                             \
    "simulation: {scheme: radau-2a, step: 0.02, end: 1}\n"
#define THROWN_BALL                                                                              \
    SPATIAL_BALL("position: [0, 0, 0.3], velocity: [1, 0.5, 0], angular_velocity: [10, -20, 5]") \
    "contacts: {c: {between: [s, floor], friction: 0.2, restitution: 0.4, rolling: 0.02, pivoting: 0.03}}\n"
#define ROLLING_BALL                                                                             \
    SPATIAL_BALL("position: [0, 0, 0.1], velocity: [0.5, 0.1, 0], angular_velocity: [-1, 2, 6]") \
    "contacts: {c: {between: [s, floor], friction: 0.2, rolling: 0.004, pivoting: 0.003}}\n"
#define ELASTIC_BAR(n)                                                                                                           \
    "bodies:\n"                                                                                                                  \
    "  bar: {type: bar, from: [-10.1003, 0], to: [-0.1003, 0], elements: " n ", mass: lumped, young: 900, area: 1, density: 1, " \
    "velocity: [10, 0]}\n"                                                                                                       \
    "contacts: {wall: {gap: -bar_end.x}}\n"                                                                                      \
    "simulation: {scheme: radau-2a, step: 2e-3, end: 0.9}\n"
#define DOUBLE_PENDULUM                                                                                                         \
    "coordinates: {a: 1.2, b: 0.3}\n"                                                                                           \
    "energy: {kinetic: a'^2 + b'^2/2 + a'*b'*cos(a - b), potential: -10*(2*cos(a) + cos(b))}\n"                                 \
    "contacts: {left: {gap: sin(a) + sin(b) + 0.6, restitution: 0.6}, right: {gap: 1.3 - sin(a) - sin(b), restitution: 0.5}}\n" \
    "simulation: {scheme: radau-2a, step: 0.05, end: 3}\n"
/* Falls on its feet, one after the other, slides and stops. */
#define BOX(turned)                                                                                                             \
    "gravity: [-0.8, 1, -10]\n"                                                                                                 \
    "bodies:\n"                                                                                                                 \
    "  b: {type: spatial, mass: 2, inertia: [0.02, 0.03, 0.04], position: [0, 0, 0.15], velocity: [0.7, 0.2, 0]" turned "}\n"   \
    "geometry:\n"                                                                                                               \
    "  feet: {on: b, type: points, points: [[0.2, 0.15, -0.1], [-0.2, 0.15, -0.1], [0.2, -0.15, -0.1], [-0.2, -0.15, -0.1]]}\n" \
    "  floor: {type: plane}\n"                                                                                                  \
    "contacts: {c: {between: [feet, floor], friction: 0.3}}\n"                                                                  \
    "simulation: {scheme: radau-2a, step: 0.02, end: 0.5}\n"
/* Slides and turns on feet that are no rectangle. */
#define OTHER_BOX                                                                                                                          \
    "gravity: [0, 0, -10]\n"                                                                                                               \
    "bodies:\n"                                                                                                                            \
    "  b: {type: spatial, mass: 2, inertia: [0.02, 0.03, 0.04], position: [0, 0, 0.1], velocity: [1.5, 0.4, 0], angular_velocity: [0, 0, " \
    "4]}\n"                                                                                                                                \
    "geometry:\n"                                                                                                                          \
    "  feet: {on: b, type: points, points: [[0.3, 0.15, -0.1], [-0.2, 0.15, -0.1], [0.3, -0.12, -0.1], [-0.2, -0.15, -0.1]]}\n"            \
    "  floor: {type: plane}\n"                                                                                                             \
    "contacts: {c: {between: [feet, floor], friction: 0.3}}\n"                                                                             \
    "simulation: {scheme: radau-2a, step: 0.02, end: 0.32}\n"
#define SUPERBALL                                                                                                            \
    "coordinates: {x: {start: 0, velocity: 1}, y: 0.4, phi: {start: 0, velocity: 20}}\n"                                     \
    "energy: {kinetic: (x'^2 + y'^2)/2 + 0.002*phi'^2, potential: 10*y}\n"                                                   \
    "forces: {x: -3*x' - x*phi', phi: -0.01*phi'*x', y: -2*y'*phi'^2/400}\n"                                                 \
    "contacts: {floor: {gap: y - 0.1, slip: x' + 0.1*phi', friction: 0.3, restitution: 0.7, tangential_restitution: 0.5}}\n" \
    "simulation: {scheme: radau-2a, step: 0.05, end: 1.2}\n"

/* Hits a wall and a floor that turns and is shaken, where it begins to slip: its slip velocity is then small against what positions make of
 * it within a step. */
#define SHAKEN_CAPSULE                                                                                                                \
    "gravity: [1.6323, 0, -4.8432]\n"                                                                                                 \
    "bodies:\n"                                                                                                                       \
    "  b: {type: spatial, mass: 2.0963, inertia: [0.0126, 0.0181, 0.0131], position: [-0.5, 0, 0.2584], velocity: [-1.8465, 1.2978, " \
    "-1.1523], rotation: {axis: [-0.364, 0.5208, -0.6363], angle: 1.5657}, angular_velocity: [8.0524, -0.1485, 1.162]}\n"             \
    "  ground: {type: prescribed, position: [0, 0.0937*sin(10.6965*t), 0.0079*sin(8.1693*t)], axis: [0, 0, 1], angle: -0.1983*t}\n"   \
    "geometry:\n"                                                                                                                     \
    "  s: {on: b, type: capsule, radius: 0.056, length: 0.1698, at: [-0.0215, -0.0265, -0.0335]}\n"                                   \
    "  floor: {on: ground, type: plane, at: [0, 0, -0.2]}\n"                                                                          \
    "  wall: {type: plane, normal: [1, 0.1846, 0.121], at: [-1, 0, 0]}\n"                                                             \
    "contacts: {c: {between: [s, floor], friction: 0.6786, rolling: 0.0073}, d: {between: [s, wall], friction: 0.6786, rolling: "     \
    "0.0073}}\n"                                                                                                                      \
    "simulation: {scheme: radau-2a, step: 2e-3, end: 0.4}\n"

typedef struct scheme_order {
    const char *name;
    int stages, order;
} scheme_order;
static const scheme_order ALL[] = {{"radau-2a", 2, 3},     {"radau-2a", 3, 5},   {"rattle", 0, 2},  {"lobatto-3a3b", 3, 4},
                                   {"lobatto-3a3b", 4, 6}, {"lobatto-3c", 3, 4}, {"tr-bdf2", 0, 2}, {"generalized-alpha", 0, 2}};

static long all_events, all_solves;

/* The order from the finest of four grids whose error is above what is known. */
static void check_case(const located_case *c, const scheme_order *s) {
    double error[4], order = 0, last_order = 0;
    int last = 0;
    for (int k = 0; k < 4; k++) {
        located_outcome out = located_run(c, s->name, s->stages, c->steps << k);
        error[k] = out.error;
        if (error[k] > 5 * c->known) last = k;
        all_events += out.statistics.events_located + out.statistics.event_accumulations;
        all_solves += out.statistics.event_solves;
        assert_int_equal(out.statistics.events_captured, 0);
    }
    assert_true(last > 0 || error[3] < 5 * c->known);
    if (last > 0) last_order = log2(error[last - 1] / error[last]), order = last > 1 ? log2(error[last - 2] / error[last]) / 2 : last_order;
    print_message("%s, %s:%d: %.2e %.2e %.2e %.2e, order %.2f\n", c->name, s->name, s->stages, error[0], error[1], error[2], error[3],
                  order);
    assert_true(last == 0 || order > s->order - 0.25 || last_order > s->order - 0.25);
}

/* The truth is known as well as two fine grids agree. */
static void check_all(located_case c, int finer) {
    located_outcome exact = located_run(&c, "radau-2a", 3, finer * c.steps),
                    other = located_run(&c, "radau-2a", 3, 3 * finer / 4 * c.steps);
    for (int i = 0; i < c.n; i++) {
        c.truth[i] = exact.q[c.at[i]];
        c.known = fmax(c.known, fabs(other.q[c.at[i]] - c.truth[i]));
    }
    print_message("%s: known to %.1e, %ld events\n", c.name, c.known, exact.statistics.events_located);
    assert_true(c.known < 1e-8);
    for (size_t k = 0; k < sizeof ALL / sizeof *ALL; k++) check_case(&c, &ALL[k]);
}

static void eccentric_sphere(void **state) {
    (void)state;
    check_all((located_case){"eccentric sphere", ECCENTRIC_SPHERE, NULL, 0.5, 50, 6, {0, 1, 2, 3, 4, 5}, {0}, 1e-12}, 24);
}

/* Laws of restitution differ by what they do in impacts, and slip goes on as before: friction of generalized-alpha once was that of a wrong
 * percussion with these. */
static void other_laws_of_restitution(void **state) {
    (void)state;
    const char *const scenes[] = {ECCENTRIC_SPHERE_BY("poisson"), ECCENTRIC_SPHERE_BY("energetic")};
    const scheme_order schemes[] = {{"radau-2a", 2, 3}, {"rattle", 0, 2}, {"generalized-alpha", 0, 2}};
    for (int i = 0; i < 2; i++) {
        located_case c = {
            i ? "eccentric sphere, energetic" : "eccentric sphere, poisson", scenes[i], NULL, 0.5, 50, 6, {0, 1, 2, 3, 4, 5}, {0}, 1e-7};
        located_outcome exact = located_run(&c, "radau-2a", 3, 8 * c.steps);
        for (int j = 0; j < c.n; j++) c.truth[j] = exact.q[c.at[j]];
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) check_case(&c, &schemes[k]);
    }
}

/* The orientation turns in flight, with superconvergence of radau-2a: places only. */
static void rolling_and_pivoting(void **state) {
    (void)state;
    check_all((located_case){"thrown ball", THROWN_BALL, NULL, 1, 40, 7, {0, 1, 2, 3, 4, 5, 6}, {0}, 1e-14}, 16);
    check_all((located_case){"rolling ball", ROLLING_BALL, NULL, 1, 40, 7, {0, 1, 2, 3, 4, 5, 6}, {0}, 1e-14}, 16);
}

static void elastic_bar(void **state) {
    (void)state;
    check_all((located_case){"elastic bar", ELASTIC_BAR("20"), NULL, 0.9, 400, 3, {0, 10, 20}, {0}, 1e-12}, 8);
}

/* The impact of 200 elements, and the beginning of its wave. */
static void long_bar(void **state) {
    (void)state;
    located_case c = {"bar of 200 elements", ELASTIC_BAR("200"), NULL, 0.02, 40, 2, {198, 200}, {0}, 1e-11};
    const scheme_order schemes[] = {{"radau-2a", 2, 3}, {"radau-2a", 3, 5}, {"generalized-alpha", 0, 2}};
    located_outcome exact = located_run(&c, "radau-2a", 3, 32 * c.steps);
    for (int i = 0; i < c.n; i++) c.truth[i] = exact.q[c.at[i]];
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) check_case(&c, &schemes[k]);
}

static void double_pendulum(void **state) {
    (void)state;
    check_all((located_case){"double pendulum", DOUBLE_PENDULUM, NULL, 3, 120, 2, {0, 1}, {0}, 1e-13}, 16);
}

static void tangential_restitution(void **state) {
    (void)state;
    check_all((located_case){"superball", SUPERBALL, NULL, 1.2, 24, 3, {0, 1, 2}, {0}, 1e-13}, 32);
}

/* Spec data of docs/located-events.md. */
static void thrown_sphere(void **state) {
    (void)state;
    const char *scene =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  s: {type: spatial, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.3], rotation: {axis: [1, 0, 0], angle: 0.4}, "
        "velocity: [1, 0.5, 0], angular_velocity: [10, -20, 5]}\n"
        "geometry: {ball: {on: s, type: sphere, radius: 0.1}, floor: {type: plane}}\n"
        "contacts: {c: {between: [ball, floor], friction: 0.2, restitution: 0.6}}\n"
        "simulation: {scheme: radau-2a, step: 0.02, end: 0.6}\n";
    check_all((located_case){"thrown sphere", scene, NULL, 0.6, 16, 7, {0, 1, 2, 3, 4, 5, 6}, {0}, 1e-13}, 32);
    const located_case place = {"", scene, NULL, 0.6, 16, 3, {0, 1, 2}, {0.32713635015, 0.16522284140, 0.10391015295}, 0};
    assert_true(located_run(&place, "radau-2a", 3, 128).error < 1e-10);
}

static void young_slip_on_a_floor_that_moves(void **state) {
    (void)state;
    located_case c = {"capsule on a shaken floor", SHAKEN_CAPSULE, NULL, 0.4, 200, 7, {0, 1, 2, 3, 4, 5, 6}, {0}, 2e-11};
    const scheme_order rattle = {"rattle", 0, 2}, radau = {"radau-2a", 2, 3};
    located_outcome exact = located_run(&c, "radau-2a", 3, 16 * c.steps);
    for (int i = 0; i < c.n; i++) c.truth[i] = exact.q[c.at[i]];
    check_case(&c, &rattle);
    check_case(&c, &radau);
    assert_true(located_run(&c, "rattle", 0, c.steps).error < 5e-5); /* it was 5e-4, and fell with the step only */
    assert_true(located_run(&c, "lobatto-3a3b", 3, 2 * c.steps).error < 1e-9);
}

/* Resultants of four feet are unique while they slide along one line. */
static void four_feet(void **state) {
    (void)state;
    check_all((located_case){"four feet at once", BOX(""), NULL, 0.5, 20, 7, {0, 1, 2, 3, 4, 5, 6}, {0}, 1e-14}, 32);
}

/* Where they turn as well, friction depends on how the feet share the load: as springs of one stiffness do (src/linalg/cod.c), whose forces
 * n' lambda_N = 0 are smooth functions of the state, and not those of least norm, which depend on the step. */
static void four_feet_that_turn(void **state) {
    (void)state;
    check_all((located_case){"four feet that turn", BOX(", angular_velocity: [0, 0, 3]"), NULL, 0.4, 16, 3, {0, 1, 2}, {0}, 1e-13}, 32);
    check_all((located_case){"another four", OTHER_BOX, NULL, 0.32, 16, 7, {0, 1, 2, 3, 4, 5, 6}, {0}, 1e-13}, 32);
}

static void cost(void **state) {
    (void)state;
    print_message("%.2f solves per event\n", (double)all_solves / (double)all_events);
    assert_true(all_solves <= 4 * all_events);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eccentric_sphere),
        cmocka_unit_test(other_laws_of_restitution),
        cmocka_unit_test(rolling_and_pivoting),
        cmocka_unit_test(elastic_bar),
        cmocka_unit_test(long_bar),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(tangential_restitution),
        cmocka_unit_test(thrown_sphere),
        cmocka_unit_test(four_feet),
        cmocka_unit_test(young_slip_on_a_floor_that_moves),
        cmocka_unit_test(four_feet_that_turn),
        cmocka_unit_test(cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
