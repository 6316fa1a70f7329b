/* SPDX-License-Identifier: Apache-2.0 */
/* Where energy goes: impacts, friction, drives, and what the scheme adds. */
#include "base/counting_allocator.h"
#include "trial.h"

typedef struct balance {
    zn_part_account all;
    zn_contact_work contact; /* the first one */
} balance;

static balance settle(trial *r) {
    zn_account *account = NULL;
    assert_int_equal(zn_account_create(r->context, r->simulation, &account), ZN_OK);
    while (!zn_simulation_done(r->simulation)) {
        trial_step(r);
        assert_int_equal(zn_account_update(account), ZN_OK);
    }
    balance b = {zn_account_total(account), zn_simulation_contact_work(r->simulation, 0)};
    double T, V, sum = b.all.start + b.all.work + b.all.supplied + b.all.events - b.all.normal - b.all.friction + b.all.scheme;
    zn_simulation_energy(r->simulation, &T, &V);
    check_close(b.all.kinetic + b.all.potential, T + V, 1e-12);
    check_close(sum, T + V, 1e-12);
    zn_account_destroy(account);
    return b;
}

static balance run(const char *scene, trial_options o) {
    trial r = trial_begin(scene, o);
    balance b = settle(&r);
    trial_end(&r);
    return b;
}

/* Calls `use` for each scheme that can do the scene. */
static int each_scheme(const char *scene, double step, double end, void (*use)(const char *name, double step, const balance *)) {
    int count = 0;
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        zn_context *context = zn_context_create(NULL);
        zn_scene *parsed = NULL;
        zn_simulation *simulation = NULL;
        assert_int_equal(zn_scene_parse(context, "test", scene, NULL, &parsed), ZN_OK);
        trial_options o = {.scheme = info.name, .step = step, .end = end};
        zn_settings settings = trial_settings(parsed, &o);
        zn_status status = zn_simulation_create(context, zn_scene_model(parsed), &settings, &simulation);
        zn_simulation_destroy(simulation);
        zn_scene_destroy(parsed);
        zn_context_destroy(context);
        if (status == ZN_ERROR_UNSUPPORTED) continue;
        balance b = run(scene, o);
        use(info.name, step, &b);
        count++;
    }
    return count;
}

/* ---- impacts ---- */

#define WALLS                                                                           \
    "parameters: {m: 2, v: 3, e: 0.6}\n"                                                \
    "coordinates: {x: {start: 0.5, velocity: v}}\n"                                     \
    "energy: {kinetic: m/2*x'^2}\n"                                                     \
    "contacts: {right: {gap: 1 - x, restitution: e}, left: {gap: x, restitution: 1}}\n" \
    "simulation: {step: 1e-2, end: 1.5}\n"

static void check_walls(const char *name, double step, const balance *b) {
    (void)step;
    double T = 0.5 * 2 * 9, expected = T * (1 - pow(0.36, 2)); /* twice at the right wall, once at the left one without loss */
    if (fabs(b->contact.normal - expected) > 1e-9) print_error("%s: %.17g, not %.17g\n", name, b->contact.normal, expected);
    check_close(b->contact.normal, expected, 1e-9);
    check_close(b->all.normal, expected, 1e-9);
    check_close(b->contact.friction, 0, 0);
    check_close(b->all.scheme, 0, 1e-9);
}

/* (1 - e^2) T an impact, at the wall that takes it. */
static void impacts_take_their_share(void **state) {
    (void)state;
    assert_true(each_scheme(WALLS, 1e-2, 1.5, check_walls) >= 10);
}

static void an_elastic_cradle_loses_nothing(void **state) {
    (void)state;
    trial r = trial_begin("newtons-cradle", (trial_options){.scheme = "moreau-midpoint"});
    zn_account *account = NULL;
    assert_int_equal(zn_account_create(r.context, r.simulation, &account), ZN_OK);
    trial_run(&r);
    assert_int_equal(zn_account_update(account), ZN_OK);
    zn_part_account all = zn_account_total(account);
    double pushed = 0;
    const zn_model *model = zn_simulation_model(r.simulation);
    for (int k = 0; k < model->size.n_contacts; k++) {
        check_close(zn_simulation_contact_work(r.simulation, k).normal, 0, 1e-8);
        pushed += zn_simulation_percussion_totals(r.simulation)[model->contacts[k].row_N];
    }
    check_below(0.1, pushed); /* there were impacts */
    check_close(all.normal, 0, 1e-8);
    check_close(all.friction, 0, 0);
    zn_account_destroy(account);
    trial_end(&r);
}

/* ---- friction ---- */

#define BLOCK                                                  \
    "parameters: {m: 3, g: 9.81, mu: 0.2, v: 2}\n"             \
    "coordinates: {x: {velocity: v}, y: 0}\n"                  \
    "energy: {kinetic: m/2*(x'^2 + y'^2), potential: m*g*y}\n" \
    "contacts: {floor: {gap: y, slip: x', friction: mu}}\n"    \
    "simulation: {step: 1e-2, end: 0.8}\n"

static void check_block(const char *name, double step, const balance *b) {
    double t = 0.8, way = 2 * t - 0.2 * 9.81 * t * t / 2, expected = 0.2 * 3 * 9.81 * way;
    bool staggered = strcmp(name, "moreau-symmetric") == 0 || strcmp(name, "moreau-variational") == 0; /* velocities of half steps */
    double tolerance = staggered ? 6 * step * step : 1e-12;
    if (fabs(b->contact.friction - expected) > tolerance) print_error("%s: %g, not %g\n", name, b->contact.friction, expected);
    check_close(b->contact.friction, expected, tolerance);
    check_close(b->contact.normal, 0, 3 * pow(9.81 * step, 2) + 1e-9); /* some notice the contact after a step of free fall */
    check_close(b->contact.moving, 0, 0);
}

/* mu m g s. */
static void sliding_takes_its_way(void **state) {
    (void)state;
    assert_true(each_scheme(BLOCK, 1e-2, 0.8, check_block) >= 8);
}

/* A ball that slides first: when it rolls, 2/7 of its energy is gone, and then nothing more is lost. */
static void a_ball_rolls_in_the_end(void **state) {
    (void)state;
    const char *scene =
        "gravity: [0, 0, -10]\n"
        "bodies: {ball: {type: spatial, shape: {type: sphere, radius: 0.1}, mass: 2, position: [0, 0, 0.1], velocity: [3, 4, 0]}}\n"
        "geometry: {floor: {type: plane}}\n"
        "contacts: {floor: {between: [ball, floor], friction: 0.5}}\n"
        "simulation: {step: 1e-3, end: 1}\n";
    double T = 0.5 * 2 * 25;
    balance b = run(scene, (trial_options){.scheme = "moreau-midpoint"});
    check_close(b.contact.friction, T * 2 / 7, 2e-3);
    check_close(b.all.kinetic + b.all.potential, T * 5 / 7 + 2, 2e-3);
    check_close(b.all.scheme, 0, 1e-9);
    balance longer = run(scene, (trial_options){.scheme = "moreau-midpoint", .end = 3});
    check_close(longer.contact.friction, b.contact.friction, 1e-9);
}

/* A block that sticks to a belt: the belt supplies what the spring gets; one that slides on it heats by mu N times the slip. */
static void a_belt_supplies_and_heats(void **state) {
    (void)state;
    const char *scene = "parameters: {k: 0, mu: 0.1}\n"
                        "gravity: [0, -10]\n"
                        "bodies: {block: {type: particle, mass: 1}}\n"
                        "forces: {spring: {type: spring, between: [world, block], stiffness: k}}\n"
                        "geometry: {point: {on: block, type: point}, belt: {type: line, velocity: [2, 0]}}\n"
                        "contacts: {belt: {between: [point, belt], friction: mu}}\n"
                        "simulation: {scheme: moreau-midpoint, step: 1e-3, end: 1}\n";
    balance free = run(scene, (trial_options){.scheme = "moreau-midpoint"});
    check_close(free.all.kinetic, 0.5, 1e-9);          /* v = mu g t = 1, still slower than the belt */
    check_close(free.contact.friction, 2 - 0.5, 1e-9); /* F times (2 t - t^2/2), F = 1 */
    check_close(free.contact.moving, 2, 1e-9);
    check_close(free.all.supplied, 2, 1e-9);
    check_close(free.all.scheme, 0, 1e-9);
    balance stuck = run(scene, (trial_options){.scheme = "moreau-midpoint", .end = 4, .set = "mu=0.1"});
    check_close(stuck.all.kinetic, 2, 1e-9);
    check_close(stuck.contact.friction, 2, 1e-6); /* F (2 t - t^2/2) until t = 2 */
    check_close(stuck.contact.moving, 4, 1e-6);
}

/* Friction that falls with the speed: mu(v) N v is the power, though half of the law is a smooth force. */
static void stribeck_counts_in_full(void **state) {
    (void)state;
    const char *scene = "gravity: [0, -10]\n"
                        "bodies: {block: {type: particle, mass: 1, velocity: [2, 0]}}\n"
                        "geometry: {point: {on: block, type: point}, floor: {type: line}}\n"
                        "contacts: {floor: {between: [point, floor], friction: 0.3, stribeck: {dynamic: 0.1, rate: 5}}}\n"
                        "simulation: {scheme: moreau-midpoint, step: 1e-3, end: 0.5}\n";
    balance b = run(scene, (trial_options){.scheme = "moreau-midpoint"});
    check_below(0.5, b.contact.friction);
    check_close(b.contact.friction, 2 - b.all.kinetic, 1e-4);
    check_close(b.all.scheme, 0, 1e-4);
    check_close(b.contact.normal, 0, 1e-3);
}

/* ---- drives ---- */

static void drives_supply_the_energy(void **state) {
    (void)state;
    const char *slider = "bodies: {block: {type: planar, mass: 2, inertia: 1}}\n"
                         "joints:\n"
                         "  guide: {type: prismatic, between: [world, block], axis: [1, 0]}\n"
                         "  drive: {type: position-drive, between: [world, block], axis: [1, 0], drive: 0.5*t^2}\n"
                         "simulation: {step: 1e-2, end: 1}\n";
    const char *schemes[] = {"moreau-midpoint", "rattle", "radau-2a", "lobatto-3a3b", "generalized-alpha"};
    for (int i = 0; i < 5; i++) {
        balance b = run(slider, (trial_options){.scheme = schemes[i]});
        check_close(b.all.kinetic, 1, 2e-2);
        check_close(b.all.supplied, 1, 2e-2);
        check_close(b.all.work, 0, 0);
    }
    trial r = trial_begin(slider, (trial_options){.scheme = "rattle"});
    zn_account *account = NULL;
    assert_int_equal(zn_account_create(r.context, r.simulation, &account), ZN_OK);
    trial_run(&r);
    assert_int_equal(zn_account_update(account), ZN_OK);
    check_close(zn_account_part(account, 1).supplied, 0, 1e-12); /* the guide does not work */
    check_close(zn_account_part(account, 2).supplied, 1, 1e-9);  /* P = m a h exactly, v at both ends */
    check_close(zn_simulation_constraint_work(r.simulation, 2), zn_account_part(account, 2).supplied, 1e-14);
    check_close(zn_simulation_constraint_work(r.simulation, -1), 0, 0);
    check_close(zn_simulation_constraint_work(r.simulation, 3), 0, 0);
    zn_account_destroy(account);
    trial_end(&r);
    const char *motor = "bodies: {wheel: {type: planar, mass: 1, inertia: 0.5}}\n"
                        "joints:\n"
                        "  axle: {type: revolute, between: [world, wheel]}\n"
                        "  motor: {type: motor, between: [world, wheel], drive: 4*t}\n"
                        "simulation: {step: 1e-3, end: 1}\n";
    balance b = run(motor, (trial_options){.scheme = "radau-2a"});
    check_close(b.all.kinetic, 4, 1e-9);
    check_close(b.all.supplied, 4, 1e-5);
    /* A spring whose end is moved: the work is that of what moves by itself. */
    const char *shaken =
        "bodies: {hand: {type: prescribed, position: [0, 0.3*sin(3*t)]}, bob: {type: particle, mass: 1, position: [0, -1]}}\n"
        "forces: {spring: {type: spring, between: [hand, bob], stiffness: 20, length: 1}}\n"
        "simulation: {step: 1e-3, end: 1}\n";
    b = run(shaken, (trial_options){.scheme = "lobatto-3a3b"});
    check_below(0.05, fabs(b.all.work));
    check_close(b.all.scheme, 0, 1e-5);
}

/* ---- everything at once ---- */

/* The slider-crank with clearance: four contacts, joints, impacts. What the scheme adds goes away with the step. */
static void the_slider_crank_closes(void **state) {
    (void)state;
    double worst[2], steps[2] = {2e-5, 5e-6};
    for (int i = 0; i < 2; i++) {
        balance b = run("slider-crank-parts", (trial_options){.scheme = "moreau-midpoint", .step = steps[i], .end = 0.05});
        check_below(0.01, b.all.normal);
        check_below(0.001, b.all.friction);
        worst[i] = fabs(b.all.scheme);
    }
    check_below(worst[0], 2e-4);
    check_below(worst[1], 0.25 * worst[0]); /* a quarter of the step */
}

/* The body frame scene of other tests: first-order formulas, a floor, a constraint on velocity level. */
static void check_body_frame(const char *name, double step, const balance *b) {
    if (fabs(b->all.scheme) > 4 * step) print_error("%s: %g\n", name, b->all.scheme);
    check_below(0.05, b->all.normal + b->all.friction);
    check_close(b->all.scheme, 0, 4 * step);
    check_close(b->all.supplied, 0, 1e-12);
}

static void first_order_models_have_an_account(void **state) {
    (void)state;
    assert_true(each_scheme(BODY_FRAME_SCENE, 1e-3, 0.5, check_body_frame) >= 4);
}

/* Steps by accuracy, in halves, and rows inside steps: the same sums. */
static void steps_of_all_kinds(void **state) {
    (void)state;
    const char *schemes[] = {"moreau-midpoint", "radau-2a"}; /* compared with halves, and with an estimate of its own */
    for (int i = 0; i < 2; i++) {
        trial r = trial_begin(WALLS, (trial_options){.scheme = schemes[i]});
        zn_settings settings = *zn_simulation_settings(r.simulation);
        zn_simulation_destroy(r.simulation);
        r.simulation = NULL;
        settings.scheme = schemes[i];
        settings.step_auto = true;
        settings.end = 1.5;
        settings.record_step = i == 1 ? 0.013 : 0;
        assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation), ZN_OK);
        double last = 0;
        while (!zn_simulation_done(r.simulation)) {
            trial_step(&r);
            while (zn_simulation_next_row(r.simulation)) {
                double now = zn_simulation_contact_work(r.simulation, 0).normal;
                check_below(last - 1e-12, now);
                last = now;
            }
        }
        check_close(last, 9 * (1 - pow(0.36, 2)), 1e-9);
        check_close(zn_simulation_contact_work(r.simulation, 7).normal, 0, 0);
        trial_end(&r);
    }
}

/* ---- misuse ---- */

static int no_force(const zn_model *model, void *work, const zn_point *at, zn_balance *out) {
    (void)model, (void)work;
    if (out->r) out->r[0] = at->a ? at->a[0] : 0;
    if (out->M) out->M[0] = 1;
    if (out->r_q) out->r_q[0] = 0;
    if (out->r_u) out->r_u[0] = 0;
    return 0;
}

/* ---- divergence ---- */

static zn_part_account account_of(const char *scene, const char *scheme, double step, double end) {
    trial r = trial_begin(scene, (trial_options){.scheme = scheme, .step = step, .end = end});
    zn_account *account = NULL;
    assert_int_equal(zn_account_create(r.context, r.simulation, &account), ZN_OK);
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        assert_int_equal(zn_account_update(account), ZN_OK);
    }
    zn_part_account all = zn_account_total(account);
    zn_account_destroy(account);
    trial_end(&r);
    return all;
}

#define OSCILLATOR(x, more)        \
    "parameters: {m: 1, k: 1e4}\n" \
    "coordinates: {x: " x "}\n"    \
    "energy: {kinetic: m/2*x'^2, potential: k/2*x^2}\n" more "simulation: {step: 1e-3, end: 1}\n"

/* A leapfrog with h omega = 2.02 multiplies the amplitude by exp(acosh(2.02^2/2 - 1)) = 1.33 a step: by 70 in 15 steps, which no overflow
 * tells. With h omega = 1 its energy oscillates by a third, and implicit schemes are stable. Neither is rest, whose energy is round-off,
 * nor a drive that a damper consumes for long, a case for alarm. */
/* A pendulum that is kicked at its lowest point: a kick k gives k v + k^2/2, and the amplitude grows without an end. Events did it, and
 * nothing diverges. */
static void check_kicks(const char *name, double step, const balance *b) {
    double v = 0.1, given = 0;
    for (int i = 1; i <= 20; i++) given += v * 0.2 + 0.02, v += 0.2; /* a half turn each; the last kick is at t = 20 */
    if (b->all.diverged) print_error("%s diverges\n", name);
    assert_false(b->all.diverged);
    check_close(b->all.events, given, 20 * step * given);
    check_close(b->all.available, 0.005 + given, 20 * step * given);
    check_close(b->all.scheme, 0, 20 * step * given);
}

static void kicks_supply_energy(void **state) {
    (void)state;
    int count =
        each_scheme("coordinates: {x: {start: 0, velocity: 0.1}}\nenergy: {kinetic: x'^2/2, potential: pi^2/2*x^2}\n"
                    "events: {up: {when: x, direction: up, do: {x': x' + 0.2}}, down: {when: x, direction: down, do: {x': x' - 0.2}}}\n"
                    "simulation: {step: 2e-3, end: 20.5}\n",
                    2e-3, 20.5, check_kicks);
    assert_true(count >= 10);
}

/* A spring whose stiffness is set while it is stretched: x^2/2 times the change, no matter what sets it. Velocities that are set, too. */
static void what_is_set_supplies_energy(void **state) {
    (void)state;
    const char *sampled = "coordinates: {x: {start: 1, velocity: 0}}\nsampled: {every: 0.5, k: {value: 1 + t^2, start: 1}}\n"
                          "energy: {kinetic: x'^2/2, potential: k/2*x^2}\nsimulation: {step: 1e-3, end: 1.2}\n";
    balance b = run(sampled, (trial_options){.scheme = "radau-2a", .stages = 3});
    double x = cos(0.5), v = -sin(0.5), w = sqrt(1.25), given = 0.125 * x * x;
    double x1 = x * cos(0.5 * w) + v / w * sin(0.5 * w);
    given += 0.375 * x1 * x1; /* from 1.25 to 2 at t = 1 */
    check_close(b.all.events, given, 1e-9);
    check_close(b.all.scheme, 0, 1e-9);

    const char *live = "inputs: {k: 1}\ncoordinates: {x: {start: 1, velocity: 0}}\nenergy: {kinetic: x'^2/2, potential: k/2*x^2}\n"
                       "simulation: {step: 1e-2, end: 1}\n";
    const double times[] = {0, 1}, k[] = {1, 3};
    const zn_table_def table = {.n = 2, .x = times, .y = k};
    double error[2];
    for (int i = 0; i < 2; i++) { /* k = 1 + 2 t: dE/dt = x^2 */
        trial r = trial_begin(live, (trial_options){.scheme = "rattle", .step = i ? 0.005 : 0.01});
        assert_int_equal(zn_simulation_follow(r.simulation, "k", &table, false), ZN_OK);
        b = settle(&r);
        error[i] = fabs(b.all.scheme);
        assert_true(b.all.events > 0.3 && b.all.events < 1);
        trial_end(&r);
    }
    assert_true(error[1] < 2e-5 && error[1] < 0.3 * error[0]);

    trial r = trial_begin(live, (trial_options){.scheme = "radau-2a", .stages = 3});
    zn_account *account = NULL;
    assert_int_equal(zn_account_create(r.context, r.simulation, &account), ZN_OK);
    double set_x = 2, set_v = 3;
    assert_int_equal(zn_simulation_set_state(r.simulation, &set_x, &set_v, false), ZN_OK);
    assert_int_equal(zn_simulation_set_input(r.simulation, "k", 4), ZN_OK);
    trial_step(&r);
    assert_int_equal(zn_account_update(account), ZN_OK);
    zn_part_account all = zn_account_total(account);
    check_close(all.events, 4.5 + 8 - 0.5, 1e-12);
    check_close(all.scheme, 0, 1e-9);
    assert_false(all.diverged);
    zn_account_destroy(account);
    trial_end(&r);
}

static void a_motion_that_diverges_is_seen(void **state) {
    (void)state;
    const char *const explicit[] = {"moreau-variational", "moreau-symmetric", "rattle"};
    for (int i = 0; i < 3; i++) {
        zn_part_account unstable = account_of(OSCILLATOR("1", ""), explicit[i], 2.02e-2, 15 * 2.02e-2),
                        stable = account_of(OSCILLATOR("1", ""), explicit[i], 1e-2, 10);
        assert_true(unstable.diverged);
        check_below(100 * unstable.available, unstable.kinetic + unstable.potential);
        assert_false(stable.diverged);
        check_close(stable.available, 3750, 1e-5); /* x = cos(k pi/3), so that the spring keeps a quarter at least */
        assert_false(account_of(OSCILLATOR("0", ""), explicit[i], 1e-2, 1).diverged);
        assert_false(account_of(OSCILLATOR("0", "forces: {x: 100*sin(100*t) - 20*x'}\n"), explicit[i], 1e-3, 20).diverged);
    }
    assert_false(account_of(OSCILLATOR("1", ""), "radau-2a", 2.02e-2, 1).diverged);
    assert_false(account_of(BLOCK, "moreau-midpoint", 1e-2, 0.8).diverged);
    assert_false(account_of("kane-pendulum", "moreau-midpoint", 1e-3, 0.2).diverged);
}

/* Spinning grains fall onto each other with steps in which they turn by a third of a radian. In one of them two gain more than all had.
 * Where energy only falls, or explicit schemes let it oscillate, there is no alarm. */
static const char GRAINS[] = /* clang-format off */
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  b0: {type: spatial, density: 1000, position: [0.0448899, 0.0531886, 0.5], rotation: {axis: [1.41153, 0.918173, 0.910061], angle: 1.32413}, angular_velocity: [2.19463, 2.92745, -2.30644], shape: {type: box, size: [0.154778, 0.0612256, 0.0773888]}}\n"
    "  b1: {type: spatial, density: 1000, position: [-0.0829763, 0.0521112, 1.1], rotation: {axis: [1.27436, -0.831918, 2.32905], angle: 2.52976}, angular_velocity: [-2.0538, -1.03878, -1.16785], shape: {type: cylinder, radius: 0.127534, length: 0.148745}}\n"
    "  b2: {type: spatial, density: 1000, position: [-0.050804, 0.0192933, 1.7], rotation: {axis: [0.205559, 0.886305, -0.0378766], angle: 0.458795}, angular_velocity: [2.08624, -0.0627444, -1.29515], shape: {type: capsule, radius: 0.0656565, length: 0.131313}}\n"
    "  b3: {type: spatial, density: 1000, position: [-0.0713799, -0.00408968, 2.3], rotation: {axis: [-0.861946, -0.578548, 0.0202677], angle: 2.01114}, angular_velocity: [2.84254, -2.21191, 0.0326715], shape: {type: capsule, radius: 0.0671695, length: 0.134339}}\n"
    "  b4: {type: spatial, density: 1000, position: [-0.0539203, -0.0586899, 2.9], rotation: {axis: [0.467372, 0.274542, -0.484787], angle: 0.917985}, angular_velocity: [-2.6008, -0.824768, -1.0455], shape: {type: polyhedron, points: [[0.199605, 0, 0], [0, 0.199605, 0], [0, 0, 0.199605], [-0.199605, 0, 0], [0, -0.199605, 0]]}}\n"
    "  b5: {type: spatial, density: 1000, position: [-0.025736, -0.0884482, 3.5], rotation: {axis: [1.15208, 0.532224, -0.537839], angle: 1.35261}, angular_velocity: [-1.12457, -0.30765, 1.58402], shape: {type: ellipsoid, size: [0.332344, 0.249258, 0.166172]}}\n"
    "geometry:\n"
    "  floor: {type: plane, on: world, normal: [-0.18501, 0.195698, 1]}\n"
    "contacts: {all: {between: all, friction: 1.2, restitution: 0.8}}\n"
    "simulation: {scheme: lobatto-3c, step: 0.005, end: 2}\n";
/* clang-format on */
#define SPINNING_ROD                                                                                                                 \
    "bodies:\n  rod: {type: planar, mass: 1, inertia: 0.0833, position: [0, 0.45], angle_rate: 30, velocity: [0, -1], angle: 0.3}\n" \
    "geometry:\n  floor: {type: plane, normal: [0, 1]}\n  tip: {type: point, on: rod, at: [0.5, 0]}\n"                               \
    "contacts:\n  hit: {between: [tip, floor], friction: 0, restitution: 0}\nsimulation: {step: 1e-3, end: 0.5}\n"

static void a_step_that_jumps_is_named(void **state) {
    (void)state;
    zn_part_account grains = account_of(GRAINS, "lobatto-3c", 5e-3, 0.8);
    assert_true(grains.jumped);
    check_close(grains.created_at, 0.78, 1e-9);
    check_below(grains.start, grains.created);
    assert_false(account_of(SPINNING_ROD, "lobatto-3c", 2e-2, 0.5).jumped);
    assert_false(account_of(OSCILLATOR("1", ""), "rattle", 1e-2, 1).jumped);
}

static void a_model_without_energy_is_refused(void **state) {
    (void)state;
    trial r = {.context = zn_context_create(NULL)};
    zn_model def = {.size = {.nq = 1, .nu = 1}, .natural = true, .balance = no_force}, *model = NULL;
    assert_int_equal(zn_model_from_callbacks(r.context, &def, &model), ZN_OK);
    zn_settings settings = zn_settings_default();
    settings.step = 0.1, settings.end = 1;
    assert_int_equal(zn_simulation_create(r.context, model, &settings, &r.simulation), ZN_OK);
    zn_account *account = NULL;
    assert_int_equal(zn_account_create(r.context, r.simulation, &account), ZN_ERROR_ARGUMENT);
    assert_null(account);
    assert_non_null(strstr(zn_error_text(r.context), "energy"));
    zn_simulation_destroy(r.simulation);
    zn_model_destroy(r.context, model);
    zn_context_destroy(r.context);
}

/* An impact that is located while an input follows a table: what it takes is not taken by the input, too. */
static void impacts_take_nothing_through_inputs(void **state) {
    (void)state;
    static const char *const schemes[] = {"radau-2a", "rattle", "generalized-alpha"}, *const ways[] = {"held", "linear"};
    for (int k = 0; k < 6; k++) {
        char text[500];
        snprintf(
            text, sizeof text,
            "inputs: {push: {points: [[0, 1], [0.1, 1], [9, 1]], interpolation: %s}}\ncoordinates: {x: {start: 0, velocity: 2}, y: 0}\n"
            "energy: {kinetic: (x'^2 + y'^2)/2}\nforces: {y: push}\ncontacts: {wall: {gap: 1 - x, restitution: 0.5}}\n"
            "simulation: {step: 0.01, end: 1, contact_events: located}\n",
            ways[k % 2]);
        balance b = run(text, (trial_options){.scheme = schemes[k / 2]});
        check_close(b.all.events, 0, 1e-12);
        check_close(b.all.normal, 0.75 * 2, 1e-9);
        check_close(b.all.scheme, 0, 1e-9);
    }
}

/* Every allocation from the scene to its account may fail, alone or with all that follow. */
static void memory_may_run_out(void **state) {
    (void)state;
    const char *scene = "bodies: {block: {type: particle, mass: 1, velocity: [1, 0]}}\n"
                        "geometry: {point: {on: block, type: point}, floor: {type: line}}\n"
                        "contacts: {floor: {between: [point, floor], friction: 0.3, stribeck: {dynamic: 0.1, rate: 5}}}\n"
                        "simulation: {step: 1e-2, end: 1}\n";
    counting_allocator memory = COUNTING_ALLOCATOR;
    zn_context *context = counting_context(&memory);
    zn_scene *parsed = NULL;
    assert_int_equal(zn_scene_parse(context, "test", scene, NULL, &parsed), ZN_OK);
    for (int once = 0; once < 2; once++) {
        zn_status status = ZN_ERROR_MEMORY;
        for (long at = 0; status != ZN_OK; at++) {
            zn_simulation *simulation = NULL;
            zn_account *account = NULL;
            long live = memory.live;
            zn_error_clear(context);
            memory = (counting_allocator){.live = live, .fail_at = at, .only_once = once};
            status = zn_simulation_create(context, zn_scene_model(parsed), zn_scene_settings(parsed), &simulation);
            if (status == ZN_OK) status = zn_account_create(context, simulation, &account);
            memory.fail_at = -1;
            assert_true(status == ZN_OK || status == ZN_ERROR_MEMORY);
            assert_true((status == ZN_OK) == (account != NULL));
            zn_account_destroy(account);
            zn_simulation_destroy(simulation);
            assert_true(at < 10000);
        }
    }
    zn_scene_destroy(parsed);
    zn_context_destroy(context);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_take_their_share),
        cmocka_unit_test(an_elastic_cradle_loses_nothing),
        cmocka_unit_test(sliding_takes_its_way),
        cmocka_unit_test(a_ball_rolls_in_the_end),
        cmocka_unit_test(a_belt_supplies_and_heats),
        cmocka_unit_test(stribeck_counts_in_full),
        cmocka_unit_test(drives_supply_the_energy),
        cmocka_unit_test(the_slider_crank_closes),
        cmocka_unit_test(first_order_models_have_an_account),
        cmocka_unit_test(steps_of_all_kinds),
        cmocka_unit_test(kicks_supply_energy),
        cmocka_unit_test(what_is_set_supplies_energy),
        cmocka_unit_test(impacts_take_nothing_through_inputs),
        cmocka_unit_test(a_motion_that_diverges_is_seen),
        cmocka_unit_test(a_step_that_jumps_is_named),
        cmocka_unit_test(a_model_without_energy_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
