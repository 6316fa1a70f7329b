/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts that come and go, against the same contacts declared, and against what mechanics says. */
#include "contact_runs.h"

#include <stdlib.h>

/* A whole run of a scene by every scheme that knows contacts, and what must come out. */
static void with_all_schemes(const char *text, void (*check)(const trial *, const char *scheme)) {
    for (int i = 0; i < zn_scheme_count(); i++) {
        if (!zn_scheme_get(i).contacts) continue;
        trial r = trial_complete(text, (trial_options){.scheme = zn_scheme_get(i).name});
        check(&r, zn_scheme_get(i).name);
        trial_end(&r);
    }
}

/* A ball falls on a box that falls on a plane: the same motion, percussions, energies and dissipation as with declared contacts, for every
 * scheme. */
static void like_declared(void **state) {
    (void)state;
    int tried = 0;
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        if (!info.contacts || !info.friction) continue;
        for (int chosen = 0; chosen < 2; chosen++) {
            trial a = trial_begin(DECLARED, (trial_options){.scheme = info.name}),
                  b = trial_begin(FOUND, (trial_options){.scheme = info.name});
            if (chosen) { /* step: auto */
                for (int k = 0; k < 2; k++) {
                    trial *t = k ? &b : &a;
                    zn_settings settings = *zn_simulation_settings(t->simulation);
                    zn_simulation_destroy(t->simulation);
                    settings.step_auto = true, settings.step = 0, settings.accuracy = 1e-5;
                    settings.end = 0.4;
                    assert_int_equal(zn_simulation_create(t->context, zn_scene_model(t->scene), &settings, &t->simulation), ZN_OK);
                }
            }
            zn_account *account[2];
            for (int k = 0; k < 2; k++)
                assert_int_equal(zn_account_create(k ? b.context : a.context, k ? b.simulation : a.simulation, &account[k]), ZN_OK);
            trial_run(&a);
            trial_run(&b);
            assert_int_equal(zn_simulation_statistics(b.simulation).steps, zn_simulation_statistics(a.simulation).steps);
            same_motion(&a, &b, chosen ? 1e-9 : 1e-12);
            const double *P = zn_simulation_percussion_totals(a.simulation);
            check_close(total_of(b.simulation, "ball", "box"), P[0], 1e-9);
            check_close(total_of(b.simulation, "world", "box"), P[1] + P[2], 1e-9);
            for (int k = 0; k < 2; k++) assert_int_equal(zn_account_update(account[k]), ZN_OK);
            zn_part_account x = zn_account_total(account[0]), y = zn_account_total(account[1]);
            check_close(y.normal, x.normal, 1e-9);
            check_close(y.friction, x.friction, 1e-9);
            check_close(y.scheme, x.scheme, 1e-9);
            for (int k = 0; k < 2; k++) zn_account_destroy(account[k]);
            zn_statistics stats = zn_simulation_statistics(b.simulation);
            assert_true(stats.contacts_found && stats.found_max == 3 && stats.found_lists >= 3 && stats.missed_pairs == 0);
            assert_false(zn_simulation_statistics(a.simulation).contacts_found);
            trial_end(&a);
            trial_end(&b);
            tried++;
        }
    }
    assert_true(tried >= 2 * 15);
}

/* The same with the staged law of friction, with rows inside steps, and beside joints that say the same twice. */
static void like_declared_elsewhere(void **state) {
    (void)state;
    static const char twice[] = "joints: {one: {type: prismatic, between: [box, world], axis: [0, 1]}, two: {type: prismatic, between: "
                                "[box, world], axis: [0, 1]}}\n";
    const char *const schemes[] = {"rattle", "radau-2a", "generalized-alpha", "moreau-midpoint", "tr-bdf2", "lobatto-3a3b"};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++)
        for (int kind = 0; kind < 3; kind++) {
            trial r[2];
            double sum[2] = {0};
            long rows[2] = {0};
            for (int k = 0; k < 2; k++) {
                char text[2000];
                snprintf(text, sizeof text, "%s%s", k ? FOUND : DECLARED, kind == 2 ? twice : "");
                r[k] = trial_begin(text, (trial_options){.scheme = schemes[s]});
                zn_settings settings = *zn_simulation_settings(r[k].simulation);
                zn_simulation_destroy(r[k].simulation);
                if (kind == 0) settings.friction_law = ZN_FRICTION_STAGED;
                if (kind == 1) settings.record_step = 7e-3;
                assert_int_equal(zn_simulation_create(r[k].context, zn_scene_model(r[k].scene), &settings, &r[k].simulation), ZN_OK);
                while (!zn_simulation_done(r[k].simulation)) {
                    trial_step(&r[k]);
                    while (zn_simulation_next_row(r[k].simulation)) {
                        const double *q = zn_simulation_positions(r[k].simulation);
                        for (int i = 0; i < 6; i++) sum[k] += (i + 1) * q[i];
                        rows[k]++;
                    }
                }
            }
            assert_int_equal(rows[1], rows[0]);
            check_close(sum[1], sum[0], 1e-9);
            same_motion(&r[0], &r[1], 1e-11);
            assert_true(total_of(r[1].simulation, "ball", "box") > 1);
            assert_int_equal(zn_simulation_statistics(r[1].simulation).redundant_rows,
                             zn_simulation_statistics(r[0].simulation).redundant_rows);
            assert_true((zn_simulation_statistics(r[1].simulation).redundant_rows > 0) == (kind == 2));
            for (int k = 0; k < 2; k++) trial_end(&r[k]);
        }
}

/* Schemes without contacts or friction say so at the start, and not when the first shapes meet. */
static void refuses_schemes(void **state) {
    (void)state;
    const char *const schemes[] = {"generalized-alpha-pv", "generalized-alpha-p", "generalized-alpha-pva"};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        zn_simulation *simulation = NULL;
        assert_int_equal(zn_scene_parse(context, "test", FOUND, NULL, &scene), ZN_OK);
        zn_settings settings = *zn_scene_settings(scene);
        settings.scheme = schemes[s];
        assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation), ZN_ERROR_UNSUPPORTED);
        assert_non_null(strstr(zn_error_text(context), s < 2 ? "contacts" : "friction"));
        assert_non_null(strstr(zn_error_text(context), "radau-2a"));
        zn_scene_destroy(scene);
        zn_context_destroy(context);
    }
}

/* Stribeck's law, whose smooth part acts along normal forces: motion, and what friction took. */
static void like_declared_with_stribeck(void **state) {
    (void)state;
#define SLIDE                                                                                                              \
    "gravity: [0, -10]\n"                                                                                                  \
    "bodies: {box: {type: planar, shape: {type: box, size: [0.6, 0.2]}, mass: 2, position: [0, 0.1], velocity: [2, 0]}}\n" \
    "simulation: {step: 1e-3, end: 1.5}\n"
#define STRIBECK "friction: 0.4, stribeck: {dynamic: 0.2, rate: 5}}}\n"
    static const char declared[] =
        SLIDE "geometry: {floor: {type: line}, feet: {on: box, type: points, points: [[-0.3, -0.1], [0.3, -0.1]]}}\n"
              "contacts: {b: {between: [feet, floor], " STRIBECK;
    static const char found[] = SLIDE "geometry: {floor: {type: line}}\ncontacts: {all: {between: all, " STRIBECK;
    const char *const schemes[] = {"rattle", "radau-2a", "moreau-midpoint"};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        trial r[2];
        zn_part_account total[2];
        for (int k = 0; k < 2; k++) {
            zn_account *account;
            r[k] = trial_begin(k ? found : declared, (trial_options){.scheme = schemes[s]});
            assert_int_equal(zn_account_create(r[k].context, r[k].simulation, &account), ZN_OK);
            trial_run(&r[k]);
            assert_int_equal(zn_account_update(account), ZN_OK);
            total[k] = zn_account_total(account);
            zn_account_destroy(account);
        }
        same_motion(&r[0], &r[1], 1e-11);
        check_close(total[1].friction, total[0].friction, 1e-10);
        check_close(total[1].friction, 4, 0.01); /* all of m v^2/2 */
        for (int k = 0; k < 2; k++) trial_end(&r[k]);
    }
}

/* Belts, and bodies whose motion is given; with each law of restitution. */
static void like_declared_on_moving_ground(void **state) {
    (void)state;
    static const char *const text[2][2] = {
        {"gravity: [0, -10]\nbodies: {box: {type: planar, shape: {type: box, size: [0.6, 0.2]}, mass: 2, position: [0, 0.101]}}\n"
         "geometry: {floor: {type: line, velocity: [1, 0]}, feet: {on: box, type: points, points: [[-0.3, -0.1], [0.3, -0.1]]}}\n"
         "contacts: {b: {between: [feet, floor], friction: 0.3}}\nsimulation: {step: 1e-3, end: 0.6}\n",
         "gravity: [0, -10]\nbodies: {box: {type: planar, shape: {type: box, size: [0.6, 0.2]}, mass: 2, position: [0, 0.101]}}\n"
         "geometry: {floor: {type: line, velocity: [1, 0]}}\ncontacts: {all: {between: all, friction: 0.3}}\nsimulation: {step: 1e-3, end: "
         "0.6}\n"},
        {"gravity: [0, -10]\nbodies:\n  table: {type: prescribed, position: [0.05*sin(20*t), 0.02*sin(30*t)]}\n"
         "  ball: {type: planar, shape: {type: disk, radius: 0.1}, mass: 1, position: [0, 0.2001], velocity: [0, 0.6]}\n"
         "geometry: {top: {on: table, type: line, at: [0, 0.1]}, round: {on: ball, type: disk, radius: 0.1}}\n"
         "contacts: {b: {between: [round, top], friction: 0.3, restitution: 0.3}}\nsimulation: {step: 1e-3, end: 0.6}\n",
         "gravity: [0, -10]\nbodies:\n  table: {type: prescribed, position: [0.05*sin(20*t), 0.02*sin(30*t)]}\n"
         "  ball: {type: planar, shape: {type: disk, radius: 0.1}, mass: 1, position: [0, 0.2001], velocity: [0, 0.6]}\n"
         "geometry: {plate: {on: table, type: box, size: [2, 0.2]}}\n"
         "contacts: {all: {between: all, friction: 0.3, restitution: 0.3}}\nsimulation: {step: 1e-3, end: 0.6}\n"},
    };
    for (int kind = 0; kind < 2; kind++)
        for (int law = 0; law < 3; law++) {
            trial r[2];
            zn_part_account total[2];
            for (int k = 0; k < 2; k++) {
                zn_account *account;
                r[k] = trial_begin(text[kind][k], (trial_options){.scheme = "rattle"});
                zn_settings settings = *zn_simulation_settings(r[k].simulation);
                zn_simulation_destroy(r[k].simulation);
                settings.restitution_law = (zn_restitution_law)law;
                assert_int_equal(zn_simulation_create(r[k].context, zn_scene_model(r[k].scene), &settings, &r[k].simulation), ZN_OK);
                assert_int_equal(zn_account_create(r[k].context, r[k].simulation, &account), ZN_OK);
                trial_run(&r[k]);
                assert_int_equal(zn_account_update(account), ZN_OK);
                total[k] = zn_account_total(account);
                zn_account_destroy(account);
            }
            same_motion(&r[0], &r[1], 1e-11);
            check_close(total[1].supplied, total[0].supplied, 1e-10);
            check_close(total[1].friction, total[0].friction, 1e-10);
            assert_true(total[1].supplied > 0.5);
            for (int k = 0; k < 2; k++) trial_end(&r[k]);
        }
}

/* Momentum of disks that collide without gravity is conserved, and the percussions of the table are what each body's momentum changed
 * by. */
enum { DISKS = 30 };

static void cloud(char *text, size_t room, const int *order, double restitution) {
    size_t used = (size_t)snprintf(text, room, "bodies:\n");
    for (int i = 0; i < DISKS; i++) {
        int k = order ? order[i] : i;
        srand(100u + (unsigned)k);
        double x = k % 6 + 0.2 * rand() / RAND_MAX, y = k / 6 + 0.2 * rand() / RAND_MAX, vx = 2.0 * rand() / RAND_MAX - 1,
               vy = 2.0 * rand() / RAND_MAX - 1;
        used += (size_t)snprintf(
            text + used, room - used,
            "  d%d: {type: planar, shape: {type: disk, radius: %g}, mass: %g, position: [%.9g, %.9g], velocity: [%.9g, %.9g]}\n", k,
            0.25 + 0.01 * (k % 7), 1 + 0.1 * (k % 5), x, y, vx, vy);
    }
    snprintf(text + used, room - used,
             "contacts: {all: {between: all, friction: 0.3, restitution: %g}}\nsimulation: {step: 5e-3, end: 2}\n", restitution);
}

static void conserves_momentum(void **state) {
    (void)state;
    char text[8000];
    cloud(text, sizeof text, NULL, 0.5);
    const char *const schemes[] = {"moreau-midpoint", "rattle", "radau-2a", "generalized-alpha"};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        trial r = trial_begin(text, (trial_options){.scheme = schemes[s]});
        const double turned = 5e-3 * 4 / 0.5; /* most of a normal in a step: h |v|/distance; percussions of a step act somewhere in it */
        double mass[DISKS], before[3] = {0}, last[DISKS][2];
        long touched = 0;
        for (int k = 0; k < DISKS; k++) mass[k] = 1 + 0.1 * (k % 5);
        const double *q = zn_simulation_positions(r.simulation), *u = zn_simulation_velocities(r.simulation);
        for (int k = 0; k < DISKS; k++) {
            double R = 0.25 + 0.01 * (k % 7);
            before[0] += mass[k] * u[3 * k], before[1] += mass[k] * u[3 * k + 1];
            before[2] += mass[k] * (q[3 * k] * u[3 * k + 1] - q[3 * k + 1] * u[3 * k]) + mass[k] * R * R / 2 * u[3 * k + 2];
        }
        while (!zn_simulation_done(r.simulation)) {
            u = zn_simulation_velocities(r.simulation);
            for (int k = 0; k < DISKS; k++) last[k][0] = u[3 * k], last[k][1] = u[3 * k + 1];
            trial_step(&r);
            assert_true(zn_simulation_next_row(r.simulation));
            u = zn_simulation_velocities(r.simulation);
            for (int k = 0; k < DISKS; k++)
                for (int i = 0; i < 2; i++) last[k][i] = mass[k] * (u[3 * k + i] - last[k][i]);
            double size = 0;
            for (int c = 0; c < zn_simulation_found_count(r.simulation); c++) {
                zn_found_contact found;
                assert_int_equal(zn_simulation_found(r.simulation, c, &found), ZN_OK);
                touched += found.normal_percussion > 0;
                size += fabs(found.normal_percussion);
                for (int side = 0; side < 2; side++) {
                    int k = atoi(found.shapes[side] + 1);
                    for (int i = 0; i < 2; i++) last[k][i] -= (side ? -1 : 1) * found.percussion[i];
                }
            }
            for (int k = 0; k < DISKS; k++) check_below(hypot(last[k][0], last[k][1]), 1e-9 + turned * size);
        }
        double after[3] = {0};
        q = zn_simulation_positions(r.simulation), u = zn_simulation_velocities(r.simulation);
        for (int k = 0; k < DISKS; k++) {
            double R = 0.25 + 0.01 * (k % 7);
            after[0] += mass[k] * u[3 * k], after[1] += mass[k] * u[3 * k + 1];
            after[2] += mass[k] * (q[3 * k] * u[3 * k + 1] - q[3 * k + 1] * u[3 * k]) + mass[k] * R * R / 2 * u[3 * k + 2];
        }
        check_close(after[0], before[0], 1e-8);
        check_close(after[1], before[1], 1e-8);
        check_close(after[2], before[2], 0.05);
        assert_true(touched >= 10);
        check_below(zn_simulation_statistics(r.simulation).max_overlap, strncmp(schemes[s], "moreau", 6) ? 1e-9 : 0.02);
        trial_end(&r);
    }
}

/* Other numbers of the same bodies: the same motion. */
static void order_does_not_matter(void **state) {
    (void)state;
    char one[8000], two[8000];
    int order[DISKS];
    for (int i = 0; i < DISKS; i++) order[i] = (7 * i + 3) % DISKS;
    cloud(one, sizeof one, NULL, 0);
    cloud(two, sizeof two, order, 0);
    trial a = trial_begin(one, (trial_options){.scheme = "rattle", .end = 0.5}),
          b = trial_begin(two, (trial_options){.scheme = "rattle", .end = 0.5});
    trial_run(&a);
    trial_run(&b);
    assert_true(zn_simulation_pair_count(a.simulation) >= 5);
    for (int i = 0; i < DISKS; i++)
        for (int k = 0; k < 3; k++)
            check_close(zn_simulation_positions(b.simulation)[3 * i + k], zn_simulation_positions(a.simulation)[3 * order[i] + k], 1e-9);
    trial_end(&a);
    trial_end(&b);
}

/* A stack of boxes stays where it is for a minute. */
static void stack_rests(void **state) {
    (void)state;
    enum { BOXES = 5 };
    char text[4000];
    size_t used = (size_t)snprintf(text, sizeof text, "gravity: [0, -9.81]\nbodies:\n");
    for (int i = 0; i < BOXES; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  b%d: {type: planar, shape: {type: box, size: [0.3, 0.2]}, mass: 1, position: [%g, %.17g]}\n", i,
                                 0.01 * (i % 2), 0.1 + 0.2 * i);
    snprintf(text + used, sizeof text - used,
             "geometry: {floor: {type: line}}\ncontacts: {all: {between: all, friction: 0.5}}\nsimulation: {step: 1e-2, end: 60}\n");
    trial r = trial_begin(text, (trial_options){.scheme = "rattle"});
    trial_run(&r);
    const zn_model *model = zn_simulation_model(r.simulation);
    for (int i = 0; i < model->size.nq; i++) check_close(zn_simulation_positions(r.simulation)[i], model->q_start[i], 1e-12);
    check_near(total_of(r.simulation, "world", "b0"), BOXES * 9.81 * 60, 1e-9);
    check_near(total_of(r.simulation, "b3", "b4"), 9.81 * 60, 1e-9);
    check_below(zn_simulation_statistics(r.simulation).max_overlap, 1e-12);
    trial_end(&r);
}

/* A box on a tilted box: it sticks below the angle of friction and slides above, with g (sin a - mu cos a). */
static void friction_angle(void **state) {
    (void)state;
    const char *const schemes[] = {"moreau-midpoint", "rattle", "radau-2a", "generalized-alpha"};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++)
        for (int steep = 0; steep < 2; steep++) {
            double mu = 0.4, tangent = steep ? 0.401 : 0.399, c = 1 / sqrt(1 + tangent * tangent), a = 9.81 * c, end = 0.5;
            char text[1000];
            /* gravity is tilted instead of the boxes: numbers stay exact */
            snprintf(text, sizeof text,
                     "gravity: [%.17g, %.17g]\nbodies:\n"
                     "  high: {type: planar, shape: {type: box, size: [0.4, 0.2]}, mass: 1, position: [0, 1.1]}\n"
                     "geometry: {low: {type: box, size: [4, 1], at: [0, 0.5]}}\n"
                     "contacts: {all: {between: all, friction: %g}}\nsimulation: {step: 1e-2, end: %g}\n",
                     a * tangent, -a, mu, end);
            trial r = trial_begin(text, (trial_options){.scheme = schemes[s]});
            trial_run(&r);
            double slid = steep ? 9.81 * c * (tangent - mu) : 0;
            check_close(zn_simulation_velocities(r.simulation)[0], slid * end, 1e-9);
            check_close(zn_simulation_positions(r.simulation)[0], slid * end * end / 2, strncmp(schemes[s], "moreau", 6) ? 1e-9 : 1e-5);
            trial_end(&r);
        }
}

/* A ball of a millimetre at 100 m/s, in steps of a hundredth, does not pass a thin plate: it ends in front of it. */
static void check_nothing_tunnels(const trial *r, const char *scheme) {
    (void)scheme;
    assert_true(zn_simulation_positions(r->simulation)[0] < zn_simulation_positions(r->simulation)[3]);
    double jump = 0.1 * 1.5 / (1 + 1e-6);
    check_close(zn_simulation_velocities(r->simulation)[0], 100 - jump / 1e-3, 1e-6);
    check_close(total_of(r->simulation, "ball", "plate"), jump, 1e-9);
}

static void nothing_tunnels(void **state) {
    (void)state;
    static const char text[] =
        "bodies:\n"
        "  ball: {type: planar, shape: {type: disk, radius: 0.001}, mass: 1e-3, position: [-7.3, 0], velocity: [100, 0]}\n"
        "  plate: {type: planar, shape: {type: box, size: [0.002, 2]}, mass: 1000, position: [0, 0]}\n"
        "contacts: {all: {between: all, restitution: 0.5}}\nsimulation: {step: 1e-2, end: 0.5}\n";
    with_all_schemes(text, check_nothing_tunnels);
}

/* Nor one that is ten times as thin as the ball, wherever the step begins: a thousandth of the step is enough to be on the other side. */
static void nothing_passes_what_is_thin(void **state) {
    (void)state;
    const char *const schemes[] = {"moreau-midpoint", "rattle", "radau-2a", "generalized-alpha"};
    for (int k = 0; k < 60; k++) {
        char text[500];
        snprintf(
            text, sizeof text,
            "bodies: {ball: {type: planar, shape: {type: disk, radius: 5e-4}, mass: 1e-3, position: [%.17g, 0.3], velocity: [%g, 7]}}\n"
            "geometry: {plate: {type: box, size: [1e-4, 2]}}\n"
            "contacts: {all: {between: all, restitution: 0.5}}\nsimulation: {step: 1e-2, end: 0.03}\n",
            k % 2 ? 0.3 + 0.0137 * k : -0.3 - 0.0137 * k, k % 2 ? -100.0 : 100.0);
        trial r = trial_begin(text, (trial_options){.scheme = schemes[k % 4]});
        trial_run(&r);
        assert_true((zn_simulation_positions(r.simulation)[0] > 0) == (k % 2 == 1));
        check_close(zn_simulation_velocities(r.simulation)[0], k % 2 ? 50 : -50, 1e-6);
        trial_end(&r);
    }
}

/* Nor a lens, an ellipsoid as thin, of which a step of a metre sees a thousandth part: the way is followed in pieces as short as it is
 * thin, wherever that is in the step. Where the smallest part of a step is longer than lens and ball are thick, the distance from the lens
 * may be met on its other side: that is told. */
static void nothing_passes_a_lens(void **state) {
    (void)state;
    const char *const schemes[] = {"moreau-midpoint", "rattle", "radau-2a", "generalized-alpha"};
    int bounced = 0;
    for (int k = 0; k < 24; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "bodies: {ball: {type: spatial, shape: {type: sphere, radius: 5e-4}, mass: 1e-3, position: [-0.07, 0.2, %.17g], velocity: "
                 "[-4, -15, -99]}}\n"
                 "geometry: {lens: {type: ellipsoid, size: [1, 1, 2e-4]}}\n"
                 "contacts: {all: {between: all, restitution: 0.5}}\nsimulation: {step: 1e-2, end: 0.03}\n",
                 0.2 + 0.0537 * k);
        trial r = trial_begin(text, (trial_options){.scheme = schemes[k % 4]});
        zn_status status = ZN_OK;
        while (status == ZN_OK && !zn_simulation_done(r.simulation)) status = zn_simulation_step(r.simulation);
        bounced += status == ZN_OK;
        assert_true(zn_simulation_positions(r.simulation)[2] > 0);
        if (status == ZN_OK) assert_true(zn_simulation_velocities(r.simulation)[2] > 0);
        else assert_non_null(strstr(zn_error_text(r.context), "'ball' and 'lens'"));
        trial_end(&r);
    }
    assert_true(bounced >= 20);
}

/* A can that hits a plate with its edge keeps most of its velocity, and turns. A scheme on velocity level lets it overlap by what it moves
 * in the smallest part of a step, four times the thickness of the plate, and would push it out on either side: that is told, and what is
 * told helps. */
static void what_is_too_thin_is_told(void **state) {
    (void)state;
    static const char text[] =
        "bodies: {can: {type: spatial, shape: {type: cylinder, radius: 5e-4, length: 1e-3}, mass: 1e-3, position: [0.05, -0.1, 0.37], "
        "velocity: [2, 0, -100], rotation: {axis: [1, 2, 3], angle: 0.7}}}\n"
        "geometry: {plate: {type: box, size: [1, 1, 1e-4]}}\n"
        "contacts: {all: {between: all, restitution: 0.5}}\nsimulation: {step: 1e-2, end: 0.03}\n";
    trial r = trial_begin(text, (trial_options){.scheme = "moreau-midpoint"});
    zn_status status = ZN_OK;
    while (status == ZN_OK && !zn_simulation_done(r.simulation)) status = zn_simulation_step(r.simulation);
    assert_int_equal(status, ZN_ERROR_NO_CONVERGENCE);
    assert_non_null(strstr(zn_error_text(r.context), "'can' and 'plate' overlap by more than the thinner one is thick"));
    trial_end(&r);
    const trial_options cures[] = {{.scheme = "rattle"}, {.scheme = "moreau-midpoint", .step = 1e-4}};
    for (int k = 0; k < 2; k++) {
        r = trial_begin(text, cures[k]);
        trial_run(&r);
        assert_true(zn_simulation_positions(r.simulation)[2] > 0 && zn_simulation_velocities(r.simulation)[2] > 0);
        trial_end(&r);
    }
}

/* Two small balls that meet in the middle of a step exchange their velocities, although they are apart at both of its ends. */
static void check_bullets_meet(const trial *r, const char *scheme) {
    (void)scheme;
    check_close(zn_simulation_velocities(r->simulation)[0], -50, 1e-9);
    check_close(zn_simulation_velocities(r->simulation)[3], 50, 1e-9);
    assert_int_equal(zn_simulation_statistics(r->simulation).cut_steps, 1);
}

static void bullets_meet(void **state) {
    (void)state;
    static const char text[] = "bodies:\n"
                               "  a: {type: planar, shape: {type: disk, radius: 0.003}, mass: 1, position: [-1.03, 0], velocity: [50, 0]}\n"
                               "  b: {type: planar, shape: {type: disk, radius: 0.003}, mass: 1, position: [1, 0], velocity: [-50, 0]}\n"
                               "contacts: {all: {between: all, restitution: 1}}\nsimulation: {step: 1e-2, end: 0.1}\n";
    with_all_schemes(text, check_bullets_meet);
}

/* Random shots at a thin plate with steps as long as it is high: they are turned aside if and only if their line leads to it. */
static double distance_of_line(double x, double y, double dx, double dy, double length) {
    double least = INFINITY;
    for (int i = 0; i <= 20000; i++) {
        double along = length * i / 20000, px = fabs(x + dx * along) - 0.01, py = fabs(y + dy * along) - 1;
        least = fmin(least, hypot(px > 0 ? px : 0, py > 0 ? py : 0));
    }
    return least;
}

static void shots_hit_or_miss(void **state) {
    (void)state;
    const char *const schemes[] = {"moreau-midpoint", "rattle", "radau-2a"};
    int hits = 0, misses = 0;
    srand(7);
    for (int k = 0; k < 90; k++) {
        double angle = 6.283 * rand() / RAND_MAX, off = 2.6 * rand() / RAND_MAX - 1.3, back = 2 + 2.0 * rand() / RAND_MAX;
        double dx = cos(angle), dy = sin(angle), x = -dx * back - dy * off, y = -dy * back + dx * off;
        double distance = distance_of_line(x, y, dx, dy, 8);
        if (fabs(distance - 0.01) < 2e-3) continue; /* too near to tell: a share of its size may pass */
        char text[600];
        snprintf(text, sizeof text,
                 "bodies: {ball: {type: planar, shape: {type: disk, radius: 0.01}, mass: 1, position: [%.15g, %.15g], velocity: [%.15g, "
                 "%.15g]}}\n"
                 "geometry: {plate: {type: box, size: [0.02, 2], at: [0, 0]}}\n"
                 "contacts: {all: {between: all, restitution: 0.5}}\nsimulation: {step: 1e-2, end: 0.08}\n",
                 x, y, 100 * dx, 100 * dy);
        trial r = trial_begin(text, (trial_options){.scheme = schemes[k % 3]});
        trial_run(&r);
        const double *u = zn_simulation_velocities(r.simulation);
        bool turned = hypot(u[0] - 100 * dx, u[1] - 100 * dy) > 1e-6;
        if (turned != (distance < 0.01)) print_error("shot %d by %s at a distance of %g\n", k, schemes[k % 3], distance);
        assert_true(turned == (distance < 0.01));
        hits += turned, misses += !turned;
        trial_end(&r);
    }
    assert_true(hits > 20 && misses > 20);
}

/* Sheets have no thickness, and stop a ball of 1 mm with 100 m/s all the same, a step of which is a metre. */
static void nothing_passes_a_sheet(void **state) {
    (void)state;
    static const char *const sheets[] = {
        "type: mesh, points: [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], triangles: [[1, 2, 3], [1, 3, 4]]",
        "type: height-field, size: [2, 2], grid: [11, 11], z: 0", "type: rectangle, size: [2, 2]",
        "type: polyline, points: [[-1, 0], [1, 0]]"};
    const char *const in_space[] = {"moreau-midpoint", "moreau-shifted", "rattle", "radau-2a", "generalized-alpha", "lobatto-3c"};
    for (int k = 0; k < 4; k++) {
        int n = k == 3 ? zn_scheme_count() : (int)(sizeof in_space / sizeof *in_space);
        for (int i = 0; i < n; i++) {
            char text[800];
            if (k == 3 && !zn_scheme_get(i).contacts) continue;
            if (k < 3)
                snprintf(
                    text, sizeof text,
                    "bodies: {ball: {type: spatial, mass: 1e-3, shape: {type: sphere, radius: 1e-3}, position: [0, 0.02, 0.53], velocity: "
                    "[0, 0, -100]}}\ngeometry: {sheet: {%s}}\ncontacts: {all: {between: all}}\nsimulation: {step: 1e-2, end: 0.05}\n",
                    sheets[k]);
            else
                snprintf(
                    text, sizeof text,
                    "bodies: {ball: {type: planar, mass: 1e-3, shape: {type: disk, radius: 1e-3}, position: [0.02, 0.53], velocity: [0, "
                    "-100]}}\ngeometry: {sheet: {%s}}\ncontacts: {all: {between: all}}\nsimulation: {step: 1e-2, end: 0.05}\n",
                    sheets[k]);
            const char *scheme = k == 3 ? zn_scheme_get(i).name : in_space[i];
            trial r = trial_begin(text, (trial_options){.scheme = scheme});
            trial_run(&r);
            bool exact = strncmp(scheme, "moreau", 6) != 0;
            check_close(zn_simulation_positions(r.simulation)[k == 3 ? 1 : 2], 1e-3, exact ? 2e-7 : 1e-3);
            trial_end(&r);
        }
    }
}

/* Nor does a ball that rests in front of it and is driven through it by a force within a step, which no velocity announces. */
static void check_nothing_is_driven_through(const trial *r, const char *scheme) {
    bool exact = strncmp(scheme, "moreau", 6) != 0;
    check_close(zn_simulation_positions(r->simulation)[0], -0.002, exact ? 1e-9 : 2e-3);
    check_close(zn_simulation_velocities(r->simulation)[0], 0, 1e-6);
    check_close(total_of(r->simulation, "world", "ball"), 1e-3 * 1e4 * 0.05,
                exact ? 1e-6 : 0.0501); /* half a step's force: staggered velocities */
    assert_true(zn_simulation_statistics(r->simulation).missed_pairs > 0 || !exact);
}

static void nothing_is_driven_through(void **state) {
    (void)state;
    static const char text[] = "gravity: [1e4, 0]\nbodies:\n"
                               "  ball: {type: planar, shape: {type: disk, radius: 0.001}, mass: 1e-3, position: [-0.3, 0]}\n"
                               "geometry: {plate: {type: box, size: [0.002, 2], at: [0, 0]}}\n"
                               "contacts: {all: {between: all}}\nsimulation: {step: 1e-2, end: 0.05}\n";
    with_all_schemes(text, check_nothing_is_driven_through);
}

/* Lists that change in the middle do not disturb smooth motion: a pendulum of a ball on a rod that passes others closely has the order of
 * its scheme. */
static void keeps_the_order(void **state) {
    (void)state;
    static const char text[] = "gravity: [0, -9.81]\nbodies:\n"
                               "  bob: {type: planar, shape: {type: disk, radius: 0.1}, mass: 1, position: [1, 0]}\n"
                               "geometry: {a: {type: disk, radius: 0.1, at: [0.9, -0.8]}, b: {type: disk, radius: 0.1, at: [0, -1.2005]}}\n"
                               "joints: {rod: {type: revolute, between: [bob, world], at: [0, 0]}}\n"
                               "contacts: {all: {between: all, friction: 0.3}}\nsimulation: {step: 1e-2, end: 1}\n";
    const struct {
        const char *scheme;
        double order;
    } of[] = {{"rattle", 2}, {"generalized-alpha", 2}, {"radau-2a", 3}};
    for (size_t s = 0; s < sizeof of / sizeof *of; s++) {
        double x[3];
        for (int k = 0; k < 3; k++) {
            trial r = trial_begin(text, (trial_options){.scheme = of[s].scheme, .step = k == 2 ? 0.000625 : 0.02 / (1 << k)});
            trial_run(&r);
            x[k] = zn_simulation_positions(r.simulation)[0];
            assert_true(zn_simulation_statistics(r.simulation).found_lists >= 2);
            check_close(total_of(r.simulation, "world", "bob"), 0, 0);
            trial_end(&r);
        }
        assert_true(log2(fabs(x[0] - x[2]) / fabs(x[1] - x[2])) > of[s].order - 0.3);
    }
}

/* ---- the start ---- */

#define OVERLAP                                                                                \
    "bodies:\n"                                                                                \
    "  left: {type: planar, shape: {type: disk, radius: 0.5}, mass: 1, position: [0, 0]}\n"    \
    "  right: {type: planar, shape: {type: disk, radius: 0.5}, mass: 1, position: [0.9, 0]}\n" \
    "  far: {type: planar, shape: {type: disk, radius: 0.5}, mass: 1, position: [1.92, 0]}\n"  \
    "contacts: {all: {between: all}}\n"

static void start_says_who_overlaps(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    zn_simulation *simulation = NULL;
    assert_int_equal(zn_scene_parse(context, "test", OVERLAP "simulation: {step: 1e-3, end: 1}\n", NULL, &scene), ZN_OK);
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation), ZN_ERROR_START);
    const char *text = zn_error_text(context);
    assert_non_null(strstr(text, "left"));
    assert_non_null(strstr(text, "right"));
    assert_non_null(strstr(text, "project_start"));
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

/* Moved out of each other, also of a third one that was not touched before, with the centre of mass where it was. */
static void start_is_projected(void **state) {
    (void)state;
    trial r = trial_begin(OVERLAP "simulation: {step: 1e-3, end: 1, project_start: true}\n", (trial_options){.scheme = "rattle"});
    const double *q = zn_simulation_positions(r.simulation);
    assert_true(q[3] - q[0] >= 1 - 1e-12 && q[6] - q[3] >= 1 - 1e-12);
    check_close(q[3] - q[0], 1, 1e-9);
    check_close(q[0] + q[3] + q[6], 0.9 + 1.92, 1e-9);
    trial_run(&r);
    trial_end(&r);
}

/* A rule that is switched on while a ball is in a box is an error that names both and the time; a little earlier the ball lands on the
 * box. */
static void rules_are_switched_on_while_apart(void **state) {
    (void)state;
    for (int late = 0; late < 2; late++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "gravity: [0, -9.81]\nmodes: {solid: off}\nevents: {go: {when: t - %g, do: {solid: on}}}\nbodies:\n"
                 "  crate: {type: planar, shape: {type: box, size: [0.2, 0.2]}, mass: 1, position: [0, 0.1]}\n"
                 "  ball: {type: planar, shape: {type: disk, radius: 0.1}, mass: 1, position: [0.02, 1]}\n"
                 "geometry: {floor: {type: line}}\n"
                 "contacts: {all: {between: all, friction: 0.5}, both: {between: [crate, ball], friction: 0.5, if: solid}}\n"
                 "simulation: {step: 1e-3, end: 1}\n",
                 late ? 0.41 : 0.3);
        trial r = trial_begin(text, (trial_options){.scheme = "rattle"});
        zn_status status = zn_simulation_run(r.simulation, NULL, NULL);
        if (!late) {
            assert_int_equal(status, ZN_OK);
            check_close(zn_simulation_positions(r.simulation)[4], 0.3, 1e-9);
        } else {
            assert_int_equal(status, ZN_ERROR_START);
            check_close(zn_simulation_time(r.simulation), 0.41, 1e-3);
            const char *const parts[] = {"'crate'", "'ball'", "overlap by 0.125", "while they are apart"}; /* 0.3 - 1 + g 0.41^2/2 */
            for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
                if (!strstr(zn_error_text(r.context), parts[k])) fail_msg("'%s' has no %s", zn_error_text(r.context), parts[k]);
        }
        trial_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_declared),
        cmocka_unit_test(like_declared_elsewhere),
        cmocka_unit_test(like_declared_with_stribeck),
        cmocka_unit_test(like_declared_on_moving_ground),
        cmocka_unit_test(refuses_schemes),
        cmocka_unit_test(conserves_momentum),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(stack_rests),
        cmocka_unit_test(friction_angle),
        cmocka_unit_test(nothing_tunnels),
        cmocka_unit_test(nothing_passes_what_is_thin),
        cmocka_unit_test(nothing_passes_a_lens),
        cmocka_unit_test(what_is_too_thin_is_told),
        cmocka_unit_test(bullets_meet),
        cmocka_unit_test(shots_hit_or_miss),
        cmocka_unit_test(nothing_passes_a_sheet),
        cmocka_unit_test(nothing_is_driven_through),
        cmocka_unit_test(keeps_the_order),
        cmocka_unit_test(start_says_who_overlaps),
        cmocka_unit_test(start_is_projected),
        cmocka_unit_test(rules_are_switched_on_while_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
