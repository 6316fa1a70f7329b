/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities of their own beside bodies. A planar body is written down twice: as a body, and by formulas with velocities (a, b, w) in its
 * own frame, x' = a cos phi - b sin phi, ..., m (a' - w b) = F_1, m (b' + w a) = F_2. Whatever couples it to other bodies (springs and
 * potentials, constraints, contacts), both move alike. */
#include "memory_check.h"
#include "trial.h"

#include <math.h>

#define GRAVITY "gravity: [0, -9.81]\n"
#define BODY "bodies:\n  k: {type: planar, mass: 2, inertia: 0.5, position: [0.2, 1], velocity: [1, 0.4], angle_rate: 3}\n"
#define OTHERS "  p: {type: particle, mass: 1, position: [1.5, 1.2], velocity: [0, 1]}\n"
#define FORMULAS(force_x, force_y, moment)                                                                                    \
    "parameters: {m: 2, J: 0.5, g: 9.81}\n"                                                                                   \
    "coordinates: {x: 0.2, y: 1, phi: 0}\nvelocities: {a: 1, b: 0.4, w: 3}\n"                                                 \
    "kinematics: {x: a*cos(phi) - b*sin(phi), y: a*sin(phi) + b*cos(phi), phi: w}\nmass: [[m, 0, 0], [0, m, 0], [0, 0, J]]\n" \
    "force:\n  a: m*w*b + (" force_x ")*cos(phi) + (" force_y " - m*g)*sin(phi)\n"                                            \
    "  b: -m*w*a - (" force_x ")*sin(phi) + (" force_y " - m*g)*cos(phi)\n  w: " moment "\n"

typedef struct end {
    double x, y, phi, other, energy;
} end;

static double named(const zn_model *model, const double *q, const char *name) {
    for (int i = 0; i < model->size.nq; i++)
        if (!strcmp(model->q_names[i], name)) return q[i];
    fail_msg("no coordinate %s", name);
    return 0;
}

/* The end of a run; the names of the three coordinates begin with `prefix`. */
static end run(const char *text, const char *scheme, double step, double last, const char *prefix) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = load_good(context, text, 0, NULL);
    const zn_model *model = zn_scene_model(scene);
    zn_settings settings = *zn_scene_settings(scene);
    settings.scheme = scheme, settings.step = step, settings.end = last;
    zn_simulation *simulation = NULL;
    zn_status status = zn_simulation_create(context, model, &settings, &simulation);
    if (status == ZN_OK) status = zn_simulation_run(simulation, NULL, NULL);
    if (status != ZN_OK) print_error("%s: %s\n", scheme, zn_error_text(context));
    assert_int_equal(status, ZN_OK);
    const double *q = zn_simulation_positions(simulation);
    char x[20], y[20], phi[20];
    snprintf(x, sizeof x, "%sx", prefix), snprintf(y, sizeof y, "%sy", prefix), snprintf(phi, sizeof phi, "%sphi", prefix);
    double kinetic, potential;
    zn_simulation_energy(simulation, &kinetic, &potential);
    end e = {named(model, q, x), named(model, q, y), named(model, q, phi), named(model, q, "p.y"), kinetic + potential};
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return e;
}

static void check_same(const char *bodies, const char *formulas, const char *scheme, double step, double last, double tolerance) {
    end one = run(bodies, scheme, step, last, "k."), two = run(formulas, scheme, step, last, "");
    double worst = fmax(fmax(fabs(one.x - two.x), fabs(one.y - two.y)), fmax(fabs(one.phi - two.phi), fabs(one.other - two.other)));
    if (!(worst <= tolerance)) print_error("%s: %.17g %.17g %.17g differ by %g\n", scheme, two.x, two.y, two.phi, worst);
    assert_true(worst <= tolerance);
}

/* A potential over both: its force on the body follows, that on the velocities is part of `force`. */
#define SPRING(x, y) "energy: {potential: 20*((" x " - p.x)^2 + (" y " - p.y)^2)}\n"
static const char spring_bodies[] = GRAVITY BODY OTHERS "coordinates: {}\n" SPRING("k.x", "k.y");
static const char spring_formulas[] = GRAVITY "bodies:\n" OTHERS FORMULAS("-40*(x - p.x)", "-40*(y - p.y)", "0") SPRING("x", "y");

/* The schemes discretise other velocities, so both differ by their errors, of order 3 and 2 in h: ratios 8 and 4, with a quarter less for
 * the rest. */
static void potentials_couple(void **state) {
    (void)state;
    const struct {
        const char *scheme;
        int order;
    } cases[] = {{"radau-2a", 3}, {"lobatto-3c", 2}, {"generalized-alpha", 2}};
    for (int i = 0; i < 3; i++) {
        double before = 0;
        for (double h = 8e-3; h > 3e-3; h /= 2) {
            end one = run(spring_bodies, cases[i].scheme, h, 0.8, "k."), two = run(spring_formulas, cases[i].scheme, h, 0.8, "");
            double error = hypot(hypot(one.x - two.x, one.y - two.y), one.phi - two.phi);
            if (before > 0 && !(error < before / pow(2, cases[i].order) / 0.75)) print_error("%s: %g %g\n", cases[i].scheme, before, error);
            if (before > 0) assert_true(error < before / pow(2, cases[i].order) / 0.75);
            before = error;
        }
    }
}

/* What the forces of formulas do beyond the potential is counted: mu is constant, so energies agree with those of the bodies. */
static void energies_are_those_of_bodies(void **state) {
    (void)state;
    end one = run(spring_bodies, "radau-2a", 1e-3, 0.8, "k."), two = run(spring_formulas, "radau-2a", 1e-3, 0.8, "");
    /* the weight of the formulas is a force without potential: m g y more in the potential of the body */
    assert_true(fabs(two.energy - (one.energy - 2 * 9.81 * one.y)) <= 1e-5);
}

/* A rod without mass between both, by a formula. */
#define ROD(x, y) "constraints: {rod: {position: (" x " - p.x)^2 + (" y " - p.y)^2 - 1.3^2 - 0.2^2}}\nsimulation: {project_start: true}\n"
static void constraints_couple(void **state) {
    (void)state;
    const char *bodies = GRAVITY BODY OTHERS ROD("k.x", "k.y"),
               *formulas = GRAVITY "bodies:\n" OTHERS FORMULAS("0", "0", "0") ROD("x", "y");
    check_same(bodies, formulas, "radau-2a", 1e-3, 0.5, 1e-8); /* h^3 and h^2 times numbers near those of the system */
    check_same(bodies, formulas, "rattle", 1e-3, 0.5, 1e-5);
}

/* The formulas' body falls with its point e on the floor, and the particle onto a line that the body carries. */
#define CONTACTS(x, y, phi, dx, dy, w)                                                                                              \
    "contacts:\n  floor: {gap: " y " - 0.3*cos(" phi "), slip: " dx " + 0.3*cos(" phi ")*" w ", friction: 0.3, restitution: 0.5}\n" \
    "  lid: {gap: p.y - " y " - 0.1, slip: p.x' - (" dx "), friction: 0.2}\n"
static void contacts_couple(void **state) {
    (void)state;
    const char *bodies = GRAVITY BODY OTHERS CONTACTS("k.x", "k.y", "k.phi", "k.x'", "k.y'", "k.phi'");
    const char *formulas = GRAVITY "bodies:\n" OTHERS FORMULAS("0", "0", "0")
        CONTACTS("x", "y", "phi", "a*cos(phi) - b*sin(phi)", "a*sin(phi) + b*cos(phi)", "w");
    /* of first order, as impacts are: a tenth for a tenth of the step */
    check_same(bodies, formulas, "moreau-midpoint", 1e-4, 0.6, 3e-4);
    check_same(bodies, formulas, "moreau-midpoint", 1e-5, 0.6, 3e-5);
}

static void derivatives_are_exact(void **state) {
    (void)state;
    const char text[] =
        GRAVITY "bodies:\n" OTHERS "  s: {type: spatial, mass: 1, inertia: [1, 2, 2.5], position: [0, 0, 1]}\n"
                "  c: {type: planar, mass: 1, inertia: 1}\n"
                "parameters: {m: 2}\ncoordinates: {x: 0.3, y: 0.2, n: {start: 1, velocity: 0.5}}\nvelocities: {v: 1, w: 2}\n"
                "states: {z: {start: 0.1, rate: x - z*v}}\n"
                "kinematics: {x: v*cos(y) + 0.1*c.phi', y: w*(1 + 0.2*s.x) + 0.3*sin(t)}\n"
                "mass: [[m + x^2, 0.2*sin(y)], [0.2*sin(y), 1 + s.x^2/5]]\n"
                "force: {v: -v*w*p.y + z, w: -sin(x)*s.wx}\n"
                "energy: {kinetic: (1 + n^2/4)*n'^2/2, potential: x*s.z + 0.5*(y - p.x)^2 + cos(n*x)}\n"
                "constraints: {g: {position: p.y + 0.1*x^2 - s.y}, h: {velocity: v + 2*c.phi' - w*y}}\n"
                "contacts: {k: {gap: 2 + x*y - c.x, slip: [v + c.x', w - s.wy], friction: 0.3}}\n"
                "outputs: {o: x*v + s.x}\n";
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = load_good(context, text, 0, NULL);
    const zn_model *model = zn_scene_model(scene);
    double q[32], u[32], a[32], lambda[32];
    for (int i = 0; i < 32; i++) a[i] = sin(i + 1), lambda[i] = cos(3 * i + 1);
    for (int i = 0; i < model->size.nq; i++) q[i] = model->q_start[i] + 0.1 * sin(2 * i);
    for (int i = 0; i < model->size.nu; i++) u[i] = model->u_start[i] + 0.3 * cos(5 * i);
    zn_derivative_check check;
    assert_int_equal(zn_model_check_derivatives(context, model, &(zn_point){0.3, q, u, a, lambda}, &check), ZN_OK);
    if (!(check.worst <= 1e-8)) print_error("%s: %g\n", check.what, check.worst);
    assert_true(check.worst <= 1e-8);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

/* Without any body: the particle as coordinates with an energy beside the body's own velocities. */
static void formulas_alone_mix(void **state) {
    (void)state;
#define LAST "simulation: {scheme: radau-2a, step: 1e-2, end: 0.5}\n"
    static const char with[] = GRAVITY "bodies:\n" OTHERS FORMULAS("-40*(x - p.x)", "-40*(y - p.y)", "0") SPRING("x", "y") LAST;
    static const char without[] = FORMULAS("-40*(x - X)", "-40*(y - Y)",
                                           "0") "energy: {kinetic: (X'^2 + Y'^2)/2, potential: 20*((x - X)^2 + (y - Y)^2) + g*Y}\n" LAST;
    char text[sizeof without + 100];
    const char *at = strstr(without, "coordinates: {") + strlen("coordinates: {");
    snprintf(text, sizeof text, "%.*sX: 1.5, Y: {start: 1.2, velocity: 1}, %s", (int)(at - without), without, at);
    trial one = trial_begin(with, (trial_options){0}), two = trial_begin(text, (trial_options){0});
    trial_run(&one);
    trial_run(&two);
    const char *names[][2] = {{"x", "x"}, {"y", "y"}, {"phi", "phi"}, {"p.x", "X"}, {"p.y", "Y"}};
    for (int i = 0; i < 5; i++)
        check_close(named(zn_scene_model(one.scene), zn_simulation_positions(one.simulation), names[i][0]),
                    named(zn_scene_model(two.scene), zn_simulation_positions(two.simulation), names[i][1]), 1e-12);
    trial_end(&one);
    trial_end(&two);
}

#define HEAD "bodies: {k: {type: particle, mass: 1}}\ncoordinates: {x: 0}\nvelocities: {v: 1}\n"
static void mistakes_have_places(void **state) {
    (void)state;
    check_errors("bodies: {k: {type: particle, mass: 1}}\nmass: [1]\n", "2:7: 'mass' is for 'velocities' of the scene's own");
    check_errors(HEAD "kinematics: {x: v}\n", "3:13: the velocities need a 'mass'");
    check_errors(HEAD "mass: {v: 1}\nkinematics: {x: v^2}\n", "5:17: x' must be linear in the velocities");
    check_errors(HEAD "mass: {v: 1}\nkinematics: {k: v}\n", "5:14: kinematics: there is no coordinate 'k'");
    check_errors(HEAD "mass: {v: 1 + v}\nkinematics: {x: v}\n", "4:11: the mass matrix must not depend on velocities");
    check_errors(HEAD "mass: {v: 1}\nforce: {u: 1}\nkinematics: {x: v}\n", "5:9: force: there is no velocity 'u'");
    check_errors("bodies: {k: {type: particle, mass: 1}}\ncoordinates: {x: {start: 0, velocity: 1}}\nvelocities: {v: 1}\nmass: [1]\n"
                 "kinematics: {x: v}\n",
                 "5:14: 'x' has kinematics, so its velocity at the start follows and cannot be given");
    check_errors("bodies: {k: {type: particle, mass: 1}}\nvelocities: {v: 1, w: 1}\nmass: [[2, k.x], [2*k.x, 1]]\n",
                 "3:19: the mass matrix is not symmetric: entries (w, v) and (v, w) differ");
    check_errors("bodies: {k: {type: particle, mass: 1}}\nvelocities: {k: 1}\nmass: [1]\n", "2:14: 'k' cannot be the name of a velocity");
}

static void failing_memory_is_clean(void **state) {
    (void)state;
    const char rows[] = "constraints: {g: {position: k.y - x}, h: {velocity: k.x' - v}}\ncontacts: {c: {gap: 1 + x, slip: v, friction: "
                        "0.1}}\noutputs: {o: x*v}\n";
    char text[600];
    snprintf(text, sizeof text, "%s%s%s", HEAD, "kinematics: {x: v*cos(x)}\nmass: {v: 1}\nforce: {v: -v}\nenergy: {potential: x*k.x}\n",
             rows);
    check_memory(text, true);
    check_memory("coordinates: {x: 0, y: 1}\nstates: {z: {start: 1, rate: x - z}}\nenergy: {kinetic: x'^2 + y'^2, potential: x*y}\n"
                 "forces: {x: z}\nconstraints: {g: {position: x}}\noutputs: {o: x + y'}\n",
                 true);
    check_memory(
        "coordinates: {x: 0}\nvelocities: {v: 1}\nkinematics: {x: v}\nmass: {v: 1 + x^2}\nforce: {v: -x}\nenergy: {potential: x^2/2}\n",
        true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(formulas_alone_mix),
                                       cmocka_unit_test(potentials_couple),
                                       cmocka_unit_test(energies_are_those_of_bodies),
                                       cmocka_unit_test(constraints_couple),
                                       cmocka_unit_test(contacts_couple),
                                       cmocka_unit_test(derivatives_are_exact),
                                       cmocka_unit_test(failing_memory_is_clean),
                                       cmocka_unit_test_teardown(mistakes_have_places, no_mismatches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
