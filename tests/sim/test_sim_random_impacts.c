/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of restitution on random systems: chains of rods, free or on a hinge, in the plane and in space, whose ends hit walls with friction.
 * Nothing else does work (no gravity, no springs), so that energy changes in impacts alone, up to the error of the scheme. */
#include "trial.h"

#include <stdarg.h>

enum { MOST_RODS = 3, MOST_WALLS = 4, MOST_TEXT = 8000, SYSTEMS = 10, MANY_SYSTEMS = 3 * SYSTEMS, MOST_REJECTED = 400 };

typedef struct maker {
    uint64_t seed;
    char text[MOST_TEXT];
    size_t used;
    bool spatial;
    double most_friction;
} maker;

static double number(maker *k, double low, double high) {
    k->seed = k->seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(k->seed >> 11) / 9007199254740992.0;
}

__attribute__((format(printf, 2, 3))) static void put(maker *k, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    k->used += (size_t)vsnprintf(k->text + k->used, sizeof k->text - k->used, format, arguments);
    va_end(arguments);
    assert_true(k->used < sizeof k->text);
}

static void put_vector(maker *k, const double *v) { put(k, k->spatial ? "[%.17g, %.17g, %.17g]" : "[%.17g, %.17g]", v[0], v[1], v[2]); }

static void direction(maker *k, double *v) {
    double size;
    do {
        for (int i = 0; i < 3; i++) v[i] = i < 2 || k->spatial ? number(k, -1, 1) : 0;
        size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    } while (size < 0.2 || size > 1);
    for (int i = 0; i < 3; i++) v[i] /= size;
}

/* Rods from the origin; `ends` are their ends. */
static void put_rods(maker *k, int rods, double (*ends)[3]) {
    double from[3] = {0};
    put(k, "bodies:\n");
    for (int i = 0; i < rods; i++) {
        double d[3], middle[3], length = number(k, 0.4, 1), mass = number(k, 0.5, 2), J = mass * length * length / 12;
        direction(k, d);
        for (int j = 0; j < 3; j++) middle[j] = from[j] + d[j] * length / 2, ends[i][j] = from[j] += d[j] * length;
        put(k, "  r%d: {type: %s, mass: %.6g, position: ", i, k->spatial ? "spatial" : "planar", mass);
        put_vector(k, middle);
        put(k, ", inertia: %.6g, velocity: ", J);
        put_vector(k, (double[]){number(k, -5, 5), number(k, -5, 5), number(k, -5, 5)});
        if (k->spatial) {
            put(k, ", angular_velocity: ");
            put_vector(k, (double[]){number(k, -15, 15), number(k, -15, 15), number(k, -15, 15)});
        } else put(k, ", angle_rate: %.6g", number(k, -15, 15));
        for (int j = 0; j < 3; j++) d[j] *= length / 2;
        put(k, ", frames: {end: ");
        put_vector(k, d);
        put(k, "}}\n");
    }
}

static void put_joints(maker *k, int rods, bool hinged, double (*ends)[3]) {
    static const double origin[3] = {0};
    if (rods + hinged > 1) put(k, "joints:\n");
    for (int i = hinged ? 0 : 1; i < rods; i++) {
        put(k, "  j%d: {type: %s, between: [", i, k->spatial ? "spherical" : "revolute");
        i == 0 ? put(k, "world, r0], at: ") : put(k, "r%d, r%d], at: ", i - 1, i);
        put_vector(k, i == 0 ? origin : ends[i - 1]);
        put(k, "}\n");
    }
}

/* Walls near the ends, none of which is behind one of them. */
static void put_walls(maker *k, int rods, int walls, double (*ends)[3]) {
    double radius = 0.05, normals[MOST_WALLS][3], at[MOST_WALLS][3];
    put(k, "geometry:\n");
    for (int i = 0; i < rods; i++) put(k, "  e%d: {on: r%d.end, type: %s, radius: %g}\n", i, i, k->spatial ? "sphere" : "disk", radius);
    for (int w = 0; w < walls; w++) {
        double least = INFINITY, gap = number(k, 0.01, 0.1);
        direction(k, normals[w]);
        for (int i = 0; i < rods; i++) {
            double along = 0;
            for (int j = 0; j < 3; j++) along += normals[w][j] * ends[i][j];
            least = fmin(least, along);
        }
        for (int j = 0; j < 3; j++) at[w][j] = (least - radius - gap) * normals[w][j];
        put(k, "  w%d: {type: %s, at: ", w, k->spatial ? "plane" : "line"), put_vector(k, at[w]);
        put(k, ", normal: "), put_vector(k, normals[w]), put(k, "}\n");
    }
    put(k, "contacts:\n");
    for (int w = 0; w < walls; w++)
        for (int i = 0; i < rods; i++) { /* one after the other: compilers differ in the order of arguments */
            double friction = number(k, fmin(0.2, k->most_friction), k->most_friction), restitution = number(k, 0.3, 0.9);
            put(k, "  e%dw%d: {between: [e%d, w%d], restitution: %.3g, friction: %.3g}\n", i, w, i, w, restitution, friction);
        }
}

static const char *make(maker *k, int system, double most_friction) {
    double ends[MOST_RODS][3];
    *k = (maker){.seed = 1000 + (uint64_t)system, .spatial = system % 2 == 1, .most_friction = most_friction};
    for (int i = 0; i < 10; i++) number(k, 0, 1);
    int rods = 1 + system % MOST_RODS, walls = 2 + system / 2 % (MOST_WALLS - 1);
    bool hinged = system % 5 != 0 && rods > 0;
    put_rods(k, rods, ends);
    put_joints(k, rods, hinged, ends);
    put_walls(k, rods, walls, ends);
    put(k, "simulation: {step: 1e-3, end: 0.3, project_start: true}\n");
    return k->text;
}

/* What a run under a law does. */
typedef struct gains {
    int impacts, warnings;
    bool jams;   /* ended with the sentence that Newton's law has no solution */
    bool wedged; /* ended with the sentence that a contact is wedged, and what to try */
    double start, end, largest, all,
        reported; /* energy: at first, at last, its largest growth in a step, all of it in impacts, what warnings say */
} gains;

/* patience: rejected parts of steps after which a run counts as wedged; 0: any number. */
static gains run_with(const char *text, const char *scheme, int stages, zn_restitution_law law, long patience) {
    gains g = {0};
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    zn_simulation *sim = NULL;
    if (zn_scene_parse(context, "test", text, NULL, &scene) != ZN_OK) fail_msg("%s\n%s", zn_error_text(context), text);
    zn_settings settings = *zn_scene_settings(scene);
    settings.scheme = scheme, settings.stages = stages, settings.restitution_law = law;
    if (zn_simulation_create(context, zn_scene_model(scene), &settings, &sim) != ZN_OK) fail_msg("%s\n%s", zn_error_text(context), text);
    const zn_model *model = zn_scene_model(scene);
    double T, V, before;
    zn_simulation_energy(sim, &T, &V);
    g.start = before = T + V;
    while (!zn_simulation_done(sim)) {
        if (zn_simulation_step(sim) != ZN_OK) {
            g.jams = law == ZN_RESTITUTION_NEWTON && strstr(zn_error_text(context), "Newton's impact law has no solution");
            g.wedged = law != ZN_RESTITUTION_NEWTON && strstr(zn_error_text(context), "is wedged: joints and friction hold it") &&
                       strstr(zn_error_text(context), ", or a friction below ");
            if (!g.jams && !g.wedged) fail_msg("%s, law %d: %s\n%s", scheme, (int)law, zn_error_text(context), text);
            break;
        }
        if (patience && zn_simulation_statistics(sim).rejected > patience) {
            g.wedged = true;
            break;
        }
        zn_simulation_energy(sim, &T, &V);
        double gain = T + V - before;
        bool hit = false;
        for (int k = 0; k < model->size.n_contacts; k++) hit = hit || zn_simulation_percussions(sim)[model->contacts[k].row_N] > 1e-3;
        g.impacts += hit;
        g.largest = fmax(g.largest, gain);
        if (hit && gain > 1e-6 * g.start) g.all += gain;
        g.end = before = T + V;
    }
    g.warnings = (int)zn_simulation_statistics(sim).energy_warnings;
    for (int i = 0; i < g.warnings; i++) g.reported += zn_simulation_energy_warning(sim, i).gained;
    zn_simulation_destroy(sim);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return g;
}

static gains run(const char *text, const char *scheme, int stages, zn_restitution_law law) {
    return run_with(text, scheme, stages, law, 0);
}

/* A step keeps the energy of smooth motion up to (h omega)^(p+1), with h omega up to 0.026: 8e-9 of it for p = 4, 2e-5 for p = 2, times
 * what a chain adds. */
static void other_laws_never_gain(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int stages;
        double error;
    } schemes[] = {{"radau-2a", 3, 1e-9},          {"lobatto-3a3b", 3, 1e-8}, {"lobatto-3c", 3, 1e-8},
                   {"generalized-alpha", 0, 2e-4}, {"rattle", 0, 2e-4},       {"moreau-midpoint", 0, 2e-4}};
    static maker k;
    int impacts = 0;
    for (int system = 0; system < REPEATED(SYSTEMS, 4); system++) {
        const char *text = make(&k, system, 0.5);
        for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
            for (int law = ZN_RESTITUTION_POISSON; law <= ZN_RESTITUTION_ENERGETIC; law++) {
                gains g = run(text, schemes[i].name, schemes[i].stages, (zn_restitution_law)law);
                check_below(g.largest, schemes[i].error * g.start);
                assert_int_equal(g.warnings, 0);
                impacts += g.impacts;
            }
    }
    assert_true(impacts > REPEATED(100, 10));
}

/* The same with friction from none to 2, where contacts wedge: joints and friction hold them in every direction, their percussions are not
 * unique, and stages can be met by any. No scheme gains more than its error; one that cannot go on says why, those without stages hardly
 * ever. */
static void much_friction_never_gains(void **state) {
    (void)state;
    static const double frictions[] = {0, 0.8, 1.2, 2};
    static maker k;
    int runs = 0, wedged = 0, steadfast = 0, names = 0;
    const char *name[64];
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        if (info.contacts && info.friction && info.general_kinematics && names < 64) name[names++] = info.name;
    }
    for (int system = 0; system < REPEATED(MANY_SYSTEMS, 6); system++)
        for (int mu = 0; mu < 4; mu++)
            for (int i = 0; i < 3; i++) { /* each system takes three schemes; those without stages more often */
                static const char *const simple[] = {"rattle", "moreau-midpoint"};
                const char *scheme = i < 2 ? name[(system + 5 * mu + 7 * i) % names] : simple[(system + mu) % 2];
                zn_restitution_law law = (system + i + mu) % 2 ? ZN_RESTITUTION_POISSON : ZN_RESTITUTION_ENERGETIC;
                /* A wedged system may creep on in the smallest parts of steps, each of which tries every method. */
                gains g = run_with(make(&k, system, frictions[mu]), scheme, 0, law, MOST_REJECTED);
                check_below(g.largest, 4e-4 * g.start); /* first order: (h omega)^2 of it */
                runs++, wedged += g.wedged;
                if (g.wedged) print_message("system %d, friction up to %g: %s ends wedged\n", system, frictions[mu], scheme);
                steadfast += i == 2 && !g.wedged;
            }
    print_message("%d runs, %d end wedged\n", runs, wedged);
    assert_true(steadfast >= runs / 3 - 1 && wedged <= runs / 20);
}

/* Rods that wedge end with the same energy under all schemes, that of the motion they still have. Percussions of wedged rods are not
 * unique: which of them a solve finds, and so which runs with several stages or levels come to their end, depends on round-off, that of the
 * LAPACK at hand too: a tip that sticks cannot close the last 1e-9 of its gap, since the joint would let it slip on the way. Most of them
 * do with each, and all do with the schemes that the sentence about wedged contacts names. */
static void wedged_rods_agree(void **state) {
    (void)state;
    static const struct {
        int system;
        double energy, error;
    } rods[] = {{3, 1.5956, 0.003}, {21, 4.8965, 0.006}, {28, 0.333, 0.02}};
    static const char *const schemes[] = {"rattle", "moreau-midpoint", "generalized-alpha", "lobatto-3c", "radau-2a"};
    static maker k;
    int ended = 0;
    for (size_t r = 0; r < sizeof rods / sizeof *rods; r++)
        for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
            gains g = run(make(&k, rods[r].system, 1.2), schemes[i], strcmp(schemes[i], "radau-2a") ? 0 : 3, ZN_RESTITUTION_POISSON);
            check_close(g.end, rods[r].energy, rods[r].error);
            ended += !g.wedged;
            if (!strcmp(schemes[i], "rattle") || !strcmp(schemes[i], "moreau-midpoint")) assert_false(g.wedged);
        }
    print_message("%d of 15 come to the end\n", ended);
    assert_true(2 * ended > 15);
}

/* Newton's law with much friction: what an impact creates is reported, all of it and nothing else, up to the motion of a chain within the
 * step; where it has no solution the run says so. */
static void newtons_gains_are_reported(void **state) {
    (void)state;
    static maker k;
    int gaining = 0, jams = 0;
    for (int system = 0; system < 3 * SYSTEMS; system++) {
        gains g = run(make(&k, system, 1.2), "radau-2a", 3, ZN_RESTITUTION_NEWTON);
        check_close(g.reported, g.all, 0.2 * g.all + 1e-6 * g.start);
        assert_int_equal(g.warnings > 0, g.all > 0);
        gaining += g.warnings > 0;
        jams += g.jams;
    }
    print_message("%d systems gain, %d jam\n", gaining, jams);
    assert_true(gaining >= 1 && jams >= 1 && jams <= 6);
}

/* A rod on a ball joint whose end meets a wall at 20 degrees from its axis: within the friction cone, so that no percussion of the wall
 * turns it back. Newton's law has no solution, and says so; under the others the rod stops. */
static void a_rod_jams(void **state) {
    (void)state;
    static const char rod[] = "bodies:\n"
                              "  rod: {type: spatial, mass: 1, inertia: 0.1, position: [0.25, 0, 0.433], velocity: [0.866, 0, -0.5], "
                              "angular_velocity: [0, 2, 0],\n"
                              "        frames: {end: [0.25, 0, 0.433]}}\n"
                              "joints: {pin: {type: spherical, between: [world, rod], at: [0, 0, 0]}}\n"
                              "geometry:\n"
                              "  tip: {on: rod.end, type: sphere, radius: 0.05}\n"
                              "  wall: {type: plane, at: [0.5766, 0, 0.930], normal: [-0.766, 0, -0.643]}\n"
                              "contacts: {hit: {between: [tip, wall], restitution: 0.5, friction: 0.8}}\n"
                              "simulation: {step: 1e-3, end: 0.3, project_start: true}\n";
    int schemes = 0;
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        if (!info.contacts || !info.friction || !info.general_kinematics || !strcmp(info.name, "trx2")) continue; /* trx2 rings */
        for (int law = ZN_RESTITUTION_POISSON; law <= ZN_RESTITUTION_ENERGETIC; law++) {
            gains g = run(rod, info.name, 0, (zn_restitution_law)law);
            assert_true(g.impacts > 0);
            check_below(g.largest, 1e-6 * g.start); /* second order: (h omega)^3 of it */
        }
        schemes++;
    }
    assert_true(schemes >= 10);
    static const char *const tell[] = {"moreau-midpoint", "rattle", "generalized-alpha", "lobatto-3c", "radau-2a"};
    for (size_t i = 0; i < sizeof tell / sizeof *tell; i++) assert_true(run(rod, tell[i], 0, ZN_RESTITUTION_NEWTON).jams);
}

/* A box lands flat on four corners, slides and comes to rest, under each law: four contacts that say the same, and that stick while they
 * leave. */
static void a_box_lands_flat(void **state) {
    (void)state;
    static const char box[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies: {box: {type: spatial, mass: 1, inertia: [0.02, 0.03, 0.04], position: [0, 0, 0.3], velocity: [0.5, 0, 0]}}\n"
        "geometry:\n"
        "  a: {on: box, at: [0.2, 0.1, -0.05], type: point}\n"
        "  b: {on: box, at: [-0.2, 0.1, -0.05], type: point}\n"
        "  c: {on: box, at: [0.2, -0.1, -0.05], type: point}\n"
        "  d: {on: box, at: [-0.2, -0.1, -0.05], type: point}\n"
        "  floor: {type: plane, at: [0, 0, 0], normal: [0, 0, 1]}\n"
        "contacts:\n"
        "  a: {between: [a, floor], restitution: 0.3, friction: 0.3}\n"
        "  b: {between: [b, floor], restitution: 0.3, friction: 0.3}\n"
        "  c: {between: [c, floor], restitution: 0.3, friction: 0.3}\n"
        "  d: {between: [d, floor], restitution: 0.3, friction: 0.3}\n"
        "simulation: {step: 2e-3, end: 1}\n";
    static const char *const names[] = {"generalized-alpha", "rattle", "radau-2a", "moreau-midpoint"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int law = 0; law < ZN_RESTITUTION_LAW_COUNT; law++) {
            trial r = {.context = zn_context_create(NULL)};
            assert_int_equal(zn_scene_parse(r.context, "test", box, NULL, &r.scene), ZN_OK);
            zn_settings settings = *zn_scene_settings(r.scene);
            settings.scheme = names[i], settings.restitution_law = (zn_restitution_law)law;
            assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation), ZN_OK);
            if (zn_simulation_run(r.simulation, NULL, NULL) != ZN_OK) fail_msg("%s: %s", names[i], zn_error_text(r.context));
            check_close(zn_simulation_statistics(r.simulation).energy_end, 9.81 * 0.05, 1e-3); /* rests: the weight at half its height */
            trial_end(&r);
        }
}

/* A can tips onto its flat face. By a rule it comes to rest on it, at half its height; as a declared edge, which has no lowest point there,
 * the run ends with the sentence that says so. */
static void a_can_lies_flat(void **state) {
    (void)state;
#define CAN(shape, contacts)                                                                                                \
    "gravity: [0, 0, -9.81]\n"                                                                                              \
    "bodies: {can: {type: spatial, mass: 1, " shape ", position: [0, 0, 0.25], rotation: {axis: [1, 0, 0], angle: 0.4}}}\n" \
    "geometry: {floor: {type: plane, at: [0, 0, 0], normal: [0, 0, 1]}" contacts ", friction: 0.3, restitution: 0}}\n"      \
    "simulation: {step: 1e-3, end: 2}\n"
    static const char *const texts[] = {
        CAN("shape: {type: cylinder, radius: 0.1, length: 0.2}", "}\ncontacts: {c: {between: all"),
        CAN("inertia: [0.01, 0.01, 0.005]",
            ", low: {on: can, at: [0, 0, -0.1], type: ring, radius: 0.1}}\ncontacts: {c: {between: [low, floor]")};
    static const char *const names[] = {"radau-2a", "rattle", "moreau-midpoint"};
    for (int declared = 0; declared < 2; declared++)
        for (int i = 0; i < (declared ? 1 : 3); i++) {
            trial r = {.context = zn_context_create(NULL)};
            assert_int_equal(zn_scene_parse(r.context, "test", texts[declared], NULL, &r.scene), ZN_OK);
            zn_settings settings = *zn_scene_settings(r.scene);
            settings.scheme = names[i];
            assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation), ZN_OK);
            zn_status status = zn_simulation_run(r.simulation, NULL, NULL);
            if (declared) {
                assert_int_equal(status, ZN_ERROR_NO_CONVERGENCE);
                assert_non_null(strstr(zn_error_text(r.context), "an edge that lies flat on a plane has no lowest point"));
            } else {
                assert_int_equal(status, ZN_OK);
                check_close(zn_simulation_statistics(r.simulation).energy_end, 9.81 * 0.1, 2e-3); /* Moreau's scheme penetrates by v h */
            }
            trial_end(&r);
        }
}

/* Declared edges that fall flat, or nearly: whatever the scheme, energy is not created, and a run that ends says why. Exactly flat they are
 * refused. */
static void edges_never_gain(void **state) {
    (void)state;
    static const char *const tilts[] = {"1e-2", "1e-3", "1e-4", "1e-7"};
    int ended = 0;
    for (int i = 0; i < zn_scheme_count(); i++)
        for (int k = 0; k < 4; k++) {
            zn_scheme_info info = zn_scheme_get(i);
            if (!info.contacts || !info.friction || !info.general_kinematics || !strcmp(info.name, "trx2")) continue; /* trx2 rings */
            char text[800];
            snprintf(
                text, sizeof text,
                "gravity: [0, 0, -9.81]\nbodies: {can: {type: spatial, mass: 1, inertia: [0.006, 0.006, 0.005], position: [0, 0, 0.15], "
                "velocity: [0.3, 0, 0], angular_velocity: [0, 0, 1], rotation: {axis: [0.6, 0.8, 0], angle: %s}}}\n"
                "geometry: {floor: {type: plane}, low: {on: can, at: [0, 0, -0.1], type: ring, radius: 0.1}}\n"
                "contacts: {c: {between: [low, floor], friction: 0.4, restitution: 0.3}}\nsimulation: {step: 1e-3, end: 0.5}\n",
                tilts[k]);
            trial r = {.context = zn_context_create(NULL)};
            assert_int_equal(zn_scene_parse(r.context, "test", text, NULL, &r.scene), ZN_OK);
            zn_settings settings = *zn_scene_settings(r.scene);
            settings.scheme = info.name;
            assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation), ZN_OK);
            zn_status status = zn_simulation_run(r.simulation, NULL, NULL);
            zn_statistics s = zn_simulation_statistics(r.simulation);
            if (status != ZN_OK && !strstr(zn_error_text(r.context), "an edge that lies flat on a plane has no lowest point"))
                fail_msg("%s, tilt %s: %s", info.name, tilts[k], zn_error_text(r.context));
            if (!(s.energy_end <= 1.02 * s.energy_start))
                fail_msg("%s, tilt %s: energy %g -> %g", info.name, tilts[k], s.energy_start, s.energy_end);
            ended += status != ZN_OK;
            trial_end(&r);
        }
    assert_true(ended > 10);
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    assert_int_not_equal(zn_scene_parse(context, "test",
                                        "bodies: {can: {type: spatial, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.1]}}\n"
                                        "geometry: {floor: {type: plane}, low: {on: can, at: [0, 0, -0.1], type: ring, radius: 0.1}}\n"
                                        "contacts: {c: {between: [low, floor]}}\nsimulation: {step: 1e-3, end: 0.5}\n",
                                        NULL, &scene),
                         ZN_OK);
    assert_non_null(strstr(zn_error_text(context), "lies flat at the start"));
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(other_laws_never_gain),
                                       cmocka_unit_test(much_friction_never_gains),
                                       cmocka_unit_test(wedged_rods_agree),
                                       cmocka_unit_test(newtons_gains_are_reported),
                                       cmocka_unit_test(a_rod_jams),
                                       cmocka_unit_test(a_box_lands_flat),
                                       cmocka_unit_test(a_can_lies_flat),
                                       cmocka_unit_test(edges_never_gain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
