/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of restitution in runs: what Newton's law creates is reported, the others create nothing, and all schemes follow the same law. */
#include "trial.h"

#include "scheme/impact_path.h"

static const char *const LAWS[] = {"newton", "poisson", "energetic"};

/* Kane's double pendulum: two rods hang at 20 and 30 degrees, their tip 1 mm above the floor. */
#define KANE                                                                                                             \
    "parameters: {L: 1, m: 1, mu: 0.5, e: 0.7, side: 1, height: L*cos(20*pi/180) + L*cos(30*pi/180) + 1e-3*L}\n"         \
    "coordinates: {a: {start: side*20*pi/180, velocity: -0.1*side}, b: {start: side*30*pi/180, velocity: -0.2*side}}\n"  \
    "energy: {kinetic: m*L^2/6*a'^2 + m/2*(L^2*a'^2 + L^2/4*b'^2 + L^2*a'*b'*cos(a - b)) + m*L^2/24*b'^2}\n"             \
    "contacts:\n  tip: {gap: height - L*cos(a) - L*cos(b), slip: L*cos(a)*a' + L*cos(b)*b', friction: mu, restitution: " \
    "e}\n"                                                                                                               \
    "simulation: {step: 1e-4, end: 0.03}\n"

typedef struct ending {
    zn_status status;
    char message[300];
    int nq, nu;
    double q[40], u[40];
    zn_statistics stats;
    zn_energy_warning first;
    double highest; /* largest rise of the energy in a step */
} ending;

typedef struct asked {
    const char *scheme, *law;
    double step, end;
    const char *set;
    zn_friction_law friction_law;
    zn_projection projection;
} asked;

static zn_restitution_law law_of(const char *word) { /* ZN_RESTITUTION_LAW_COUNT: none */
    int law = 0;
    while (law < ZN_RESTITUTION_LAW_COUNT && strcmp(word, LAWS[law])) law++;
    return (zn_restitution_law)law;
}

static ending go(const char *scene, asked a) {
    ending out = {0};
    zn_context *context = zn_context_create(NULL);
    zn_scene *parsed = NULL;
    zn_simulation *sim = NULL;
    zn_scene_options options = {.n_sets = a.set ? 1 : 0, .sets = &a.set};
    if (zn_scene_parse(context, "test", scene, &options, &parsed) != ZN_OK) fail_msg("%s", zn_error_text(context));
    zn_settings settings = *zn_scene_settings(parsed);
    if (a.scheme) settings.scheme = a.scheme, settings.stages = 0;
    if (a.law) settings.restitution_law = law_of(a.law);
    if (a.step > 0) settings.step = a.step;
    if (a.end > 0) settings.end = a.end;
    if (a.friction_law) settings.friction_law = a.friction_law;
    if (a.projection) settings.projection = a.projection;
    const zn_model *model = zn_scene_model(parsed);
    out.status = zn_simulation_create(context, model, &settings, &sim);
    double T, V, before = NAN;
    while (out.status == ZN_OK && !zn_simulation_done(sim)) {
        zn_simulation_energy(sim, &T, &V);
        before = T + V;
        out.status = zn_simulation_step(sim);
        zn_simulation_energy(sim, &T, &V);
        out.highest = fmax(out.highest, T + V - before);
    }
    snprintf(out.message, sizeof out.message, "%s", out.status == ZN_OK ? "" : zn_error_text(context));
    if (out.status == ZN_OK) {
        out.nq = model->size.nq, out.nu = model->size.nu;
        assert_true(out.nq <= 40);
        memcpy(out.q, zn_simulation_positions(sim), (size_t)out.nq * sizeof(double));
        memcpy(out.u, zn_simulation_velocities(sim), (size_t)out.nu * sizeof(double));
        out.stats = zn_simulation_statistics(sim);
        out.first = zn_simulation_energy_warning(sim, 0);
    }
    zn_simulation_destroy(sim);
    zn_scene_destroy(parsed);
    zn_context_destroy(context);
    return out;
}

static ending must(const char *scene, asked a) {
    ending out = go(scene, a);
    if (out.status != ZN_OK) print_error("%s, %s: %s\n", a.scheme ? a.scheme : "", a.law ? a.law : "", out.message);
    assert_int_equal(out.status, ZN_OK);
    return out;
}

/* Schemes that have contacts with friction. */
static const char *each(int *i) {
    for (; *i < zn_scheme_count(); (*i)++) {
        zn_scheme_info info = zn_scheme_get(*i);
        if (!info.contacts || !info.friction) continue;
        for (int k = 0; k < zn_scheme_count(); k++)
            if (strcmp(zn_scheme_get(k).name, info.name) == 0) return (*i)++, zn_scheme_get(k).name;
    }
    return NULL;
}

/* Newton's law: 0.0232 J become 0.0647 J, reported once, with the contact, the time to a step, and the amount. The others lose, and all
 * schemes come to the same motion: positions at the impact differ by less than what the fastest point moves in a step. */
static void kanes_pendulum(void **state) {
    (void)state;
    const double h = 1e-4, turn = 0.2; /* rates of angles before the impact; an impact's angle is off by turn h at most */
    ending exact[3];
    for (int l = 0; l < 3; l++) exact[l] = must(KANE, (asked){"radau-2a", LAWS[l], 2e-6, 0, NULL, 0, 0});
    check_close(exact[0].stats.energy_start, 0.0232, 5e-5);
    check_close(exact[0].stats.energy_end, 0.0647, 5e-5);
    check_close(exact[0].first.gained, exact[0].stats.energy_end - exact[0].stats.energy_start, 1e-6);
    const char *name;
    int schemes = 0;
    for (int i = 0; (name = each(&i));) {
        schemes++;
        for (int l = 0; l < 3; l++) {
            ending r = must(KANE, (asked){name, LAWS[l], h, 0, NULL, 0, 0});
            for (int k = 0; k < 2; k++) check_close(r.u[k], exact[l].u[k], 10 * turn * h);
            assert_int_equal(r.stats.energy_warnings, l == 0);
            if (l > 0) check_below(r.highest, 1e-3 * h);
            if (l > 0) continue;
            assert_int_equal(r.first.contact, 0);
            check_close(r.first.t, exact[0].first.t, 2 * h);
            check_close(r.first.gained, exact[0].first.gained, 10 * turn * h);
        }
    }
    assert_true(schemes >= 17);
}

/* The same motion in other units, and in the mirror. */
static void other_units_and_sides(void **state) {
    (void)state;
    ending one = must(KANE, (asked){"rattle", "newton", 0, 0, NULL, 0, 0});
    const struct {
        const char *set;
        double energy;
    } cases[] = {{"L=1000", 1e6}, {"m=1e-6", 1e-6}, {"L=0.05", 2.5e-3}, {"side=-1", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ending r = must(KANE, (asked){"rattle", "newton", 0, 0, cases[i].set, 0, 0});
        assert_int_equal(r.stats.energy_warnings, 1);
        check_near(r.first.gained, one.first.gained * cases[i].energy, 1e-6);
        r = must(KANE, (asked){"rattle", "energetic", 0, 0, cases[i].set, 0, 0});
        assert_int_equal(r.stats.energy_warnings, 0);
        check_below(r.highest, 1e-7 * cases[i].energy);
    }
}

/* The run against the path at the position of the impact: stick, reversed slip and slip through, by friction. */
static void runs_follow_the_path(void **state) {
    (void)state;
    const char *frictions[] = {"mu=0.05", "mu=0.5", "mu=1.5"};
    for (int f = 0; f < 3; f++)
        for (int l = 1; l < 3; l++) {
            ending r = must(KANE, (asked){"radau-2a", LAWS[l], 1e-6, 0.0076, frictions[f], 0, 0});
            ending before = must(KANE, (asked){"radau-2a", LAWS[l], 1e-6, 0.007, frictions[f], 0, 0});
            double a = r.q[0], b = r.q[1], M[2][2] = {{4. / 3, cos(a - b) / 2}, {cos(a - b) / 2, 1. / 3}}, W[2][2];
            W[0][0] = sin(a), W[0][1] = sin(b), W[1][0] = cos(a), W[1][1] = cos(b);
            impact_path path = {.dim = 1, .mu = f == 0 ? 0.05 : f == 1 ? 0.5 : 1.5, .e = 0.7, .energetic = l == 2};
            double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
            for (int i = 0; i < 2; i++) {
                path.before[i] = W[i][0] * before.u[0] + W[i][1] * before.u[1];
                for (int j = 0; j < 2; j++)
                    path.D[i][j] =
                        (W[i][0] * (M[1][1] * W[j][0] - M[0][1] * W[j][1]) + W[i][1] * (M[0][0] * W[j][1] - M[1][0] * W[j][0])) / det;
            }
            assert_true(impact_path_follow(&path));
            for (int i = 0; i < 2; i++)
                check_close(W[i][0] * r.u[0] + W[i][1] * r.u[1], path.after[i], 1e-4); /* turn times the 6e-4 s between */
        }
}

/* Without friction one contact has the same motion under each law, forces, curved gaps and accumulating impacts included. */
#define BOUNCES                                                                           \
    "parameters: {m: 1, g: 9.81}\n"                                                       \
    "coordinates: {x: {start: 0, velocity: 1}, y: 0.4, phi: {start: 0.3, velocity: 2}}\n" \
    "energy: {kinetic: m/2*(x'^2 + y'^2) + m/24*phi'^2, potential: m*g*y}\n"              \
    "contacts: {end: {gap: y - 0.5*sin(phi) + 0.1*x^2, restitution: 0.6}}\n"              \
    "simulation: {step: 1e-3, end: 0.6}\n"

static void frictionless_motion_is_newtons(void **state) {
    (void)state;
    const double allowed = 1e-10 * 15 * 10; /* the tolerance, velocities of up to 15, some ten impacts */
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        if (!info.contacts) continue;
        ending newton = must(BOUNCES, (asked){info.name, "newton", 0, 0, NULL, 0, 0});
        assert_int_equal(newton.stats.energy_warnings, 0);
        for (int l = 1; l < 3; l++) {
            ending r = must(BOUNCES, (asked){info.name, LAWS[l], 0, 0, NULL, 0, 0});
            for (int k = 0; k < 3; k++) {
                check_close(r.q[k], newton.q[k], allowed);
                check_close(r.u[k], newton.u[k], allowed);
            }
        }
    }
}

/* What rests on the floor exactly does not penetrate it by "-0". */
static void no_penetration_is_zero(void **state) {
    (void)state;
    ending r = must("coordinates: {y: 0}\nenergy: {kinetic: y'^2/2, potential: 9.81*y}\ncontacts: {floor: {gap: y}}\nsimulation: {step: "
                    "1e-2, end: 0.1}\n",
                    (asked){"moreau-midpoint", "newton", 0, 0, NULL, 0, 0});
    check_close(r.stats.max_penetration, 0, 0);
    assert_false(signbit(r.stats.max_penetration));
}

/* A ball with friction: central, so that it rebounds by e under each law, and ends rolling with the momentum that friction gave it. */
#define BALL                                                                                \
    "parameters: {m: 1, R: 0.1, g: 9.81, omega: 50}\n"                                      \
    "coordinates: {x: 0, y: 1, phi: {start: 0, velocity: omega}}\n"                         \
    "energy: {kinetic: m/2*(x'^2 + y'^2) + m*R^2/5*phi'^2, potential: m*g*y}\n"             \
    "contacts: {floor: {gap: y - R, slip: x' + R*phi', friction: 0.2, restitution: 0.7}}\n" \
    "simulation: {step: 1e-3, end: 3}\n"

static void ball_comes_to_roll(void **state) {
    (void)state;
    const char *name;
    for (int i = 0; (name = each(&i));)
        for (int l = 0; l < 3; l++) {
            ending r = must(BALL, (asked){name, LAWS[l], 0, 0, NULL, 0, 0});
            check_close(r.u[0], -2. / 7 * 0.1 * 50, 1e-9);
            check_close(r.u[1], 0, 1e-9);
            check_close(r.q[1], 0.1, 2e-2); /* Moreau's schemes penetrate by v h */
            assert_int_equal(r.stats.energy_warnings, 0);
        }
}

/* A block falls onto a corner and rocks; box and wall: contacts that are hit together, with friction and different e. No gravity, so that
 * energy has only impacts to come from: no step raises it beyond round-off. */
#define BLOCK                                                                                                               \
    "b: 0.5, h: 0.3, J: 0.2}\n"                                                                                             \
    "coordinates: {x: {start: 0, velocity: 1.5}, y: {start: h + 0.08, velocity: -1}, phi: {start: tilt, velocity: spin}}\n" \
    "energy: {kinetic: (x'^2 + y'^2 + J*phi'^2)/2}\n"                                                                       \
    "contacts:\n"                                                                                                           \
    "  left: {gap: y - b*sin(phi) - h*cos(phi), slip: x' + (h*cos(phi) + b*sin(phi))*phi', friction: 0.4, restitution: "    \
    "0.8}\n"                                                                                                                \
    "  right: {gap: y + b*sin(phi) - h*cos(phi), slip: x' + (h*cos(phi) - b*sin(phi))*phi', friction: 0.4, restitution: "   \
    "0.6}\n"                                                                                                                \
    "  wall: {gap: 0.8 - x - b*cos(phi) - h*sin(phi), slip: y' + (b*cos(phi) - h*sin(phi))*phi', friction: 0.7, "           \
    "restitution: 0.9}\n"                                                                                                   \
    "simulation: {step: 1e-3, end: 1.5}\n"

static void several_contacts_never_gain(void **state) {
    (void)state;
    const char *starts[] = {"parameters: {tilt: 0, spin: 0, ", "parameters: {tilt: 0.02, spin: -0.3, ",
                            "parameters: {tilt: -0.1, spin: 2, "},
               *name;
    for (int i = 0; (name = each(&i));)
        for (size_t k = 0; k < 3; k++)
            for (int l = 1; l < 3; l++) {
                char scene[2000];
                snprintf(scene, sizeof scene, "%s%s", starts[k], BLOCK);
                ending r = must(scene, (asked){name, LAWS[l], 0, 0, NULL, 0, 0});
                if (!(r.highest <= 1e-2)) print_error("%s %s start %zu\n", name, LAWS[l], k);
                check_below(r.highest, 1e-2); /* energy 2: the positions of an impact are off by h v, rates of corners by h phi'^2 */
                check_below(r.stats.energy_end, r.stats.energy_start);
            }
}

/* Equal balls in a row, e = 1: nothing is lost, under any law, and nothing is reported. */
static void cradle_conserves(void **state) {
    (void)state;
    static const char scene[] = "coordinates: {a: {start: 0, velocity: 1}, b: 0.5, c: 0.6, d: 0.7}\n"
                                "energy: {kinetic: (a'^2 + b'^2 + c'^2 + d'^2)/2}\n"
                                "contacts: {ab: {gap: b - a - 0.1, restitution: 1}, bc: {gap: c - b - 0.1, restitution: 1}, "
                                "cd: {gap: d - c - 0.1, restitution: 1}}\n"
                                "simulation: {step: 1e-3, end: 1}\n";
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        if (!info.contacts) continue;
        for (int l = 0; l < 3; l++) {
            ending r = must(scene, (asked){info.name, LAWS[l], 0, 0, NULL, 0, 0});
            check_close(r.stats.energy_end, 0.5, 1e-9);
            check_close(r.u[0] + r.u[1] + r.u[2] + r.u[3], 1, 1e-9);
            assert_int_equal(r.stats.energy_warnings, 0);
        }
    }
}

/* No false alarm: impacts without loss on curved gaps with large steps, whose energy grows by the error of the step; slip that turns
 * around under a normal force; a ball that bounces to rest; tangential restitution. */
static void no_false_alarm(void **state) {
    (void)state;
    static const char *const scenes[] = {
        "coordinates: {a: {start: 0.6, velocity: 3}, b: {start: -0.2, velocity: -4}}\n"
        "energy: {kinetic: a'^2/6 + (a'^2 + b'^2/4 + a'*b'*cos(a - b))/2 + b'^2/24}\n"
        "contacts: {floor: {gap: 1.9 - cos(a) - cos(b), restitution: 1}, wall: {gap: 1.2 - sin(a) - sin(b), restitution: "
        "1}}\n"
        "simulation: {step: 2e-2, end: 20}\n",
        "coordinates: {x: {start: 0, velocity: 1}, y: 0}\n"
        "energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y + 20*x^2}\n"
        "contacts: {floor: {gap: y + 0.1*x^2, slip: x', friction: 0.1, restitution: 0.9}}\n"
        "simulation: {step: 1e-2, end: 10}\n",
        BALL,
        "coordinates: {x: {start: 0, velocity: 2}, y: 1, phi: {start: 0, velocity: 30}}\n"
        "energy: {kinetic: (x'^2 + y'^2)/2 + 0.002*phi'^2, potential: 9.81*y}\n"
        "contacts: {floor: {gap: y - 0.1, slip: x' + 0.1*phi', friction: 0.5, restitution: 1, tangential_restitution: 1}}\n"
        "simulation: {step: 1e-3, end: 5}\n",
    };
    const char *name;
    for (int i = 0; (name = each(&i));)
        for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
            ending r = go(scenes[k], (asked){name, "newton", 0, 0, NULL, 0, 0});
            if (r.status != ZN_OK) continue; /* steps that are too large for a scheme are reported elsewhere */
            if (r.stats.energy_warnings) print_error("%s, scene %zu, t = %g: %g\n", name, k, r.first.t, r.first.gained);
            assert_int_equal(r.stats.energy_warnings, 0);
        }
}

/* A rod within four walls, e = 1: more warnings than are kept are counted; with the other laws it comes to rest. */
static void many_warnings_are_counted(void **state) {
    (void)state;
    static const char scene[] =
        "parameters: {mu: 0.8}\n"
        "coordinates: {x: {start: 0.1, velocity: 1}, y: {start: 0, velocity: 0.7}, phi: {start: 0.2, velocity: 3}}\n"
        "energy: {kinetic: (x'^2 + y'^2 + phi'^2/3)/2}\ncontacts:\n"
        "  right1: {gap: 1.5 - x - cos(phi), slip: y' + cos(phi)*phi', friction: mu, restitution: 1}\n"
        "  right2: {gap: 1.5 - x + cos(phi), slip: y' - cos(phi)*phi', friction: mu, restitution: 1}\n"
        "  left1: {gap: 1.5 + x + cos(phi), slip: y' + cos(phi)*phi', friction: mu, restitution: 1}\n"
        "  left2: {gap: 1.5 + x - cos(phi), slip: y' - cos(phi)*phi', friction: mu, restitution: 1}\n"
        "  floor1: {gap: 1.5 + y + sin(phi), slip: x' - sin(phi)*phi', friction: mu, restitution: 1}\n"
        "  floor2: {gap: 1.5 + y - sin(phi), slip: x' + sin(phi)*phi', friction: mu, restitution: 1}\n"
        "  roof1: {gap: 1.5 - y - sin(phi), slip: x' - sin(phi)*phi', friction: mu, restitution: 1}\n"
        "  roof2: {gap: 1.5 - y + sin(phi), slip: x' + sin(phi)*phi', friction: mu, restitution: 1}\n"
        "simulation: {scheme: moreau-midpoint, step: 2e-3, end: 400}\n";
    ending r = must(scene, (asked){0});
    assert_true(r.stats.energy_warnings > ZN_ENERGY_WARNINGS_KEPT);
    assert_true(r.first.contact >= 0 && r.first.gained > 0);
    for (int l = 1; l < 3; l++) {
        r = must(scene, (asked){.law = LAWS[l]});
        assert_int_equal(r.stats.energy_warnings, 0);
        check_below(r.stats.energy_end, r.stats.energy_start);
    }
    zn_context *context = zn_context_create(NULL);
    zn_scene *parsed = NULL;
    zn_simulation *sim = NULL;
    assert_int_equal(zn_scene_parse(context, "test", scene, NULL, &parsed), ZN_OK);
    assert_int_equal(zn_simulation_create(context, zn_scene_model(parsed), zn_scene_settings(parsed), &sim), ZN_OK);
    assert_int_equal(zn_simulation_energy_warning(sim, 0).contact, -1);
    assert_int_equal(zn_simulation_energy_warning(sim, -1).contact, -1);
    assert_int_equal(zn_simulation_energy_warning(sim, 1000).contact, -1);
    zn_simulation_destroy(sim);
    zn_scene_destroy(parsed);
    zn_context_destroy(context);
}

static void refusals_say_what_would_do(void **state) {
    (void)state;
    static const char tangential[] = "coordinates: {x: 0, y: 1}\nenergy: {kinetic: (x'^2 + y'^2)/2}\n"
                                     "contacts: {floor: {gap: y, slip: x', friction: 0.5, restitution: 1, tangential_restitution: 0.5}}\n"
                                     "simulation: {step: 1e-3, end: 1}\n";
    const char *name;
    for (int i = 0; (name = each(&i));) {
        ending r = go(tangential, (asked){name, "poisson", 0, 0, NULL, 0, 0});
        assert_int_equal(r.status, ZN_ERROR_UNSUPPORTED);
        assert_non_null(strstr(r.message, "contact 'floor' has a tangential restitution"));
        assert_non_null(strstr(r.message, "restitution_law: newton"));
        r = go(KANE, (asked){name, "stronge", 0, 0, NULL, 0, 0});
        assert_int_equal(r.status, ZN_ERROR_ARGUMENT);
        assert_non_null(strstr(r.message, "newton, poisson, energetic"));
    }
    ending r = go(KANE, (asked){"radau-2a", "energetic", 0, 0, NULL, ZN_FRICTION_STAGED, 0});
    assert_int_equal(r.status, ZN_ERROR_UNSUPPORTED);
    r = go(KANE, (asked){"radau-2a", "energetic", 0, 0, NULL, 0, ZN_PROJECTION_NONE});
    assert_int_equal(r.status, ZN_ERROR_ARGUMENT);
    assert_non_null(strstr(r.message, "projection: velocity"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kanes_pendulum),
        cmocka_unit_test(other_units_and_sides),
        cmocka_unit_test(runs_follow_the_path),
        cmocka_unit_test(frictionless_motion_is_newtons),
        cmocka_unit_test(no_penetration_is_zero),
        cmocka_unit_test(ball_comes_to_roll),
        cmocka_unit_test(several_contacts_never_gain),
        cmocka_unit_test(cradle_conserves),
        cmocka_unit_test(no_false_alarm),
        cmocka_unit_test(many_warnings_are_counted),
        cmocka_unit_test(refusals_say_what_would_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
