/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that find each other, against closed forms: boxes on edges, cylinders that tip and roll, slides over seams, edges on edges,
 * planks, impacts without loss. */
#include "contact_runs.h"

static const double g = 9.81;

static trial begin(const char *scheme, double step, double end, const char *text) {
    return trial_begin(text, (trial_options){.scheme = scheme, .step = step, .end = end});
}

static const double *q_of(const trial *r) { return zn_simulation_positions(r->simulation); }
static const double *u_of(const trial *r) { return zn_simulation_velocities(r->simulation); }

/* A cube of edge a that tips over an edge which does not slip: with alpha from the upright and r = a/sqrt(2), I = 2 m a^2/3 about the edge,
 *   I w^2/2 = m g r (cos alpha_0 - cos alpha). */
static void a_box_tips_over_its_edge(void **state) {
    (void)state;
    for (int space = 0; space < 2; space++) {
        const double a = 0.2, r = a / sqrt(2), tilt = 0.3, beta = acos(-1) / 4 + tilt; /* of the diagonal: alpha_0 = tilt */
        char text[1000];
        if (space)
            snprintf(text, sizeof text,
                     "gravity: [0, 0, -9.81]\nbodies: {b: {type: spatial, shape: {type: box, size: [0.2, 0.3, 0.2]}, mass: 1, position: "
                     "[0, 0, %.17g], "
                     "rotation: {axis: [0, 1, 0], angle: %.17g}}}\n"
                     "geometry: {floor: {type: plane}}\ncontacts: {all: {between: all, friction: 5}}\nsimulation: {step: 1e-3, end: 0.1}\n",
                     r * cos(tilt), beta);
        else
            snprintf(text, sizeof text,
                     "gravity: [0, -9.81]\nbodies: {b: {type: planar, shape: {type: box, size: [0.2, 0.2]}, mass: 1, position: [0, %.17g], "
                     "angle: %.17g}}\n"
                     "geometry: {floor: {type: line}}\ncontacts: {all: {between: all, friction: 5}}\nsimulation: {step: 1e-3, end: 0.1}\n",
                     r * cos(tilt), -beta);
        const char *const schemes[] = {"rattle", "radau-2a", "moreau-midpoint"};
        for (size_t s = 0; s < 3; s++) {
            trial t = begin(schemes[s], 1e-3, 0.1, text);
            trial_run(&t);
            double height = q_of(&t)[space ? 2 : 1], w = u_of(&t)[space ? 4 : 2];
            double I = space ? (a * a + a * a) / 12 + r * r : 2 * a * a / 3;
            assert_true(fabs(w) > 1);
            /* schemes of order 2: h^2 of the rate, w^3; of order 1: h */
            check_close(w * w / 2 * I, g * (r * cos(tilt) - height), strncmp(schemes[s], "moreau", 6) ? 1e-5 : 2e-3);
            trial_end(&t);
        }
    }
}

static const char *const on_positions[] = {"rattle", "lobatto-3a3b", "radau-2a", "lobatto-3c", "generalized-alpha"};
enum { ON_POSITIONS = sizeof on_positions / sizeof *on_positions };

/* A cylinder that tips about a point of its rim and comes to lie on its end; I about the tangent of the rim. */
static void a_cylinder_tips_onto_its_face(void **state) {
    (void)state;
    const double R = 0.1, L = 0.1, r2 = R * R + L * L / 4, tilt = 0.4, upright = atan2(R, L / 2); /* from the lowest point to the centre */
    const double height = sqrt(r2) * cos(upright - tilt), I = R * R / 4 + L * L / 12 + r2;
    char text[1000];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\nbodies: {c: {type: spatial, shape: {type: cylinder, radius: 0.1, length: 0.1}, mass: 1, position: "
             "[0, 0, %.17g], rotation: "
             "{axis: [1, 0, 0], angle: %.17g}}}\n"
             "geometry: {floor: {type: plane}}\ncontacts: {all: {between: all, friction: 5}}\nsimulation: {step: 1e-3, end: 0.6}\n",
             height, tilt);
    for (int scheme = 0; scheme < ON_POSITIONS; scheme++) {
        trial t = begin(on_positions[scheme], 5e-4, 0.6, text);
        bool fell = false;
        while (!zn_simulation_done(t.simulation)) {
            trial_step(&t);
            double z = q_of(&t)[2], w = u_of(&t)[3];
            if (z < L / 2 + 0.005 || fell) fell = true;
            else check_close(w * w / 2 * I, g * (height - z), 1e-4 * g * height);
        }
        check_close(q_of(&t)[2], L / 2, 1e-8);
        for (int i = 0; i < 6; i++) check_close(u_of(&t)[i], 0, 1e-6);
        check_below(zn_simulation_statistics(t.simulation).max_overlap, 1e-8);
        trial_end(&t);
    }
}

/* A cylinder leans with its upper rim against a smooth wall and rests with its lower rim on a rough floor. About the point on the floor:
 * N_wall L cos = m g (L/2 sin - R cos). */
static void a_cylinder_leans_on_its_rims(void **state) {
    (void)state;
    const double R = 0.1, L = 0.6, lean = 0.6, m = 2, s = sin(lean), c = cos(lean), end = 1;
    const double start[3] = {0, 0, L / 2 * c + R * s}, wall = m * g * (s / (2 * c) - R / L);
    char text[1000];
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.81]\nbodies: {c: {type: spatial, mass: %g, shape: {type: cylinder, radius: %g, length: %g}, position: [0, 0, "
        "%.17g], rotation: {axis: [0, 1, 0], angle: %.17g}}}\n"
        "geometry: {floor: {type: plane}, wall: {type: plane, normal: [-1, 0, 0], at: [%.17g, 0, 0]}}\n"
        "groups: {leaning: [c], low: [floor], high: [wall]}\n"
        "contacts: {rough: {between: [leaning, low], friction: 0.6}, smooth: {between: [leaning, high]}}\n"
        "simulation: {step: 1e-3, end: 1}\n",
        m, R, L, start[2], lean, L / 2 * s + R * c);
    for (int scheme = 0; scheme < ON_POSITIONS; scheme++) {
        trial t = begin(on_positions[scheme], 1e-3, end, text);
        trial_run(&t);
        for (int i = 0; i < 3; i++) check_close(q_of(&t)[i], start[i], 1e-12);
        const double turned[4] = {cos(lean / 2), 0, sin(lean / 2), 0};
        for (int i = 0; i < 4; i++) check_close(q_of(&t)[3 + i], turned[i], 1e-12);
        double of[2] = {0};
        for (int i = 0; i < zn_simulation_found_count(t.simulation); i++) {
            zn_found_contact contact;
            assert_int_equal(zn_simulation_found(t.simulation, i, &contact), ZN_OK);
            of[fabs(contact.normal[2]) < 0.5] += contact.normal_percussion;
        }
        /* each of 1000 steps is solved to 1e-10 of what gravity gives in it */
        check_close(of[0], m * g * end, 1e-9 * m * g);
        check_close(of[1], wall * end, 1e-9 * m * g);
        trial_end(&t);
    }
}

/* A cylinder on its side rolls down with 2/3 of g sin a, and a sphere with 5/7. */
static void cylinders_roll(void **state) {
    (void)state;
    const double tangent = 0.3, c = 1 / sqrt(1 + tangent * tangent), end = 0.4;
    for (int ball = 0; ball < 2; ball++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "gravity: [%.17g, 0, %.17g]\nbodies: {c: {type: spatial, shape: {type: %s}, mass: 1, position: [0, 0, 0.1], rotation: "
                 "{axis: [1, 0, 0], "
                 "angle: %.17g}}}\n"
                 "geometry: {floor: {type: plane}}\ncontacts: {all: {between: all, friction: 0.5}}\nsimulation: {step: 1e-3, end: 0.4}\n",
                 g * c * tangent, -g * c, ball ? "sphere, radius: 0.1" : "cylinder, radius: 0.1, length: 0.3", acos(-1) / 2);
        trial t = begin("rattle", 1e-3, end, text);
        trial_run(&t);
        double a = (ball ? 5.0 / 7 : 2.0 / 3) * g * c * tangent;
        check_close(u_of(&t)[0], a * end, 1e-6);
        check_close(q_of(&t)[0], a * end * end / 2, 1e-6);
        check_close(q_of(&t)[1], 0, 1e-8);
        check_close(q_of(&t)[2], 0.1, 1e-8);
        trial_end(&t);
    }
}

/* A box slides over a floor of 128 triangles as over a plane: straight, and v = v_0 - mu g t. */
static void a_box_slides_over_seams(void **state) {
    (void)state;
    enum { N = 9 };
    char text[8000];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.81]\nbodies: {b: {type: spatial, shape: {type: box, size: [0.3, 0.2, 0.1]}, mass: 1, position: [-0.7, "
        "0.013, 0.05], velocity: [2, 0, 0]}}\ngeometry:\n  floor: {type: mesh, points: [");
    for (int i = 0; i < N * N; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s[%g, %g, 0]", i ? ", " : "", 0.25 * (i % N - 4), 0.25 * (i / N - 4));
    used += (size_t)snprintf(text + used, sizeof text - used, "], triangles: [");
    for (int j = 0; j < N - 1; j++)
        for (int i = 0; i < N - 1; i++) {
            int a = j * N + i + 1;
            used += (size_t)snprintf(text + used, sizeof text - used, "%s[%d, %d, %d], [%d, %d, %d]", a > 1 ? ", " : "", a, a + 1,
                                     a + N + 1, a, a + N + 1, a + N);
        }
    snprintf(text + used, sizeof text - used, "]}\ncontacts: {all: {between: all, friction: 0.2}}\nsimulation: {step: 1e-3, end: 0.5}\n");
    const char *const schemes[] = {"rattle", "moreau-midpoint",
                                   "generalized-alpha"}; /* the last one remembers most of a contact: that goes over the seams, too */
    for (size_t s = 0; s < 3; s++) {
        trial t = begin(schemes[s], 1e-3, 0.5, text);
        trial_run(&t);
        const double *q = q_of(&t), *u = u_of(&t);
        check_close(u[0], 2 - 0.2 * g * 0.5, 1e-9);
        check_close(q[0], -0.7 + 2 * 0.5 - 0.2 * g * 0.125, s == 1 ? 2e-3 : 1e-9);
        check_close(q[1], 0.013, 1e-12);
        check_close(q[2], 0.05, 1e-12);
        for (int i = 4; i < 7; i++) check_close(q[i], 0, 1e-12);
        for (int i = 1; i < 6; i++) check_close(u[i], 0, 1e-10);
        trial_end(&t);
    }
}

/* A cube falls with an edge on the edge of another one, at a right angle, and bounces straight up: v+ = e v-. */
static void edge_to_edge(void **state) {
    (void)state;
    const double half = 0.1 * sqrt(2), fall = 0.05, e = 0.5, quarter = acos(-1) / 4;
    char text[1000];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\nbodies:\n  high: {type: spatial, shape: {type: box, size: [0.2, 0.2, 0.2]}, mass: 1, position: [0, "
             "0, %.17g], rotation: {axis: [0, 1, 0], "
             "angle: %.17g}}\n"
             "  low: {type: prescribed, rotation: {axis: [1, 0, 0], angle: %.17g}, geometry: {block: {type: box, size: [0.2, 0.2, 0.2]}}}\n"
             "contacts: {all: {between: all, friction: 0.3, restitution: %g}}\nsimulation: {step: 1e-4, end: 1}\n",
             2 * half + fall, quarter, quarter, e);
    double touch = sqrt(2 * fall / g), end = touch + 0.02;
    trial t = begin("rattle", 1e-4, end, text);
    trial_run(&t);
    check_close(u_of(&t)[2], e * g * touch - g * 0.02, 3e-3); /* two steps of g (1 + e) h */
    for (int i = 0; i < 6; i++)
        if (i != 2) check_close(u_of(&t)[i], 0, 1e-9);
    check_below(zn_simulation_statistics(t.simulation).max_overlap, 1e-9);
    trial_end(&t);
}

/* A plank of length 2 l and thickness 2 d leans at the angle a against a smooth wall, on a rough floor. A corner is on the floor, another
 * at the wall, h above it, and the centre x beside it: N_w h = m g x. */
static void a_plank_leans(void **state) {
    (void)state;
    const double l = 0.5, d = 0.02, a = 1.1, c = cos(a), s = sin(a), end = 2;
    double foot[2] = {-l * c + d * s, -l * s - d * c},
           top[2] = {l * c + d * s, l * s - d * c}; /* corners (-l, -d) and (l, -d) of the plank */
    double x = -foot[0], h = top[1] - foot[1], N = g * x / h;
    char text[1200];
    snprintf(text, sizeof text,
             "gravity: [0, -9.81]\nbodies: {p: {type: planar, shape: {type: box, size: [1, 0.04]}, mass: 1, position: [0, %.17g], angle: "
             "%.17g}}\n"
             "geometry: {floor: {type: line}, wall: {type: line, normal: [-1, 0], at: [%.17g, 0]}}\n"
             "groups: {below: [floor], beside: [wall]}\ncontacts: {rough: {between: [p, below], friction: 0.6}, smooth: {between: [p, "
             "beside], friction: 0}}\nsimulation: {step: 1e-2, end: 2}\n",
             -foot[1], a, top[0]);
    const char *const schemes[] = {"rattle", "moreau-midpoint", "generalized-alpha"};
    for (size_t k = 0; k < 3; k++) {
        trial t = begin(schemes[k], 1e-2, end, text);
        trial_run(&t);
        double wall = 0, floor = 0;
        for (int i = 0; i < zn_simulation_found_count(t.simulation); i++) {
            zn_found_contact f;
            assert_int_equal(zn_simulation_found(t.simulation, i, &f), ZN_OK);
            if (!strcmp(f.shapes[1], "wall")) wall += f.normal_percussion;
            else floor += f.normal_percussion;
        }
        check_near(wall, N * end, 1e-7); /* no row was asked for, so they are since the start */
        check_near(floor, g * end, 1e-7);
        for (int i = 0; i < 3; i++) check_close(u_of(&t)[i], 0, 1e-9);
        trial_end(&t);
    }
}

/* A cylinder of radius R and length 2 d rolls on its rim, round a circle of radius c: its axis e leans by theta from the upright and turns
 * about it with Omega, the centre of mass C is at the height z, the point that touches at P - C = -z e_z + a e_r, and it turns with omega =
 * Omega e_z + sigma e. With A, B the moments of inertia about its axis and across it,
 *   z = d cos + R sin,  a = R cos - d sin,   rolling: sigma = -Omega (c + a)/R,
 *   Omega^2 (sin (A (cos - (c + a)/R) - B cos) - m z c) = -m a g.
 * The feature that touches is the same one all the time: the schemes have their orders. */
static void a_cylinder_rolls_on_its_rim(void **state) {
    (void)state;
    const double R = 0.1, d = 0.02, lean = 1.2, c = 0.5, s = sin(lean), k = cos(lean), A = R * R / 2, B = (3 * R * R + 4 * d * d) / 12;
    const double z = d * k + R * s, a = R * k - d * s, Omega = sqrt(-a * g / (s * (A * (k - (c + a) / R) - B * k) - z * c));
    const double sigma = -Omega * (c + a) / R;
    const struct {
        const char *scheme;
        double step, order, error;
    } of[] = {{"radau-2a", 4e-3, 3, 1e-6}, {"generalized-alpha", 4e-3, 2, 1e-3}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        double error[2];
        for (int half = 0; half < 2; half++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "gravity: [0, 0, -9.81]\nbodies: {c: {type: spatial, mass: 1, shape: {type: cylinder, radius: %g, length: %g}, "
                     "position: [%g, 0, "
                     "%.17g], velocity: [0, %.17g, 0], rotation: {axis: [0, 1, 0], angle: %g}, angular_velocity: [%.17g, 0, %.17g]}}\n"
                     "geometry: {floor: {type: plane}}\ncontacts: {all: {between: all, friction: 2}}\nsimulation: {step: 1e-3, end: 1}\n",
                     R, 2 * d, c, z, Omega * c, lean, -Omega * s, sigma + Omega * k);
            trial t = begin(of[i].scheme, of[i].step / (1 + half), 1, text);
            trial_run(&t);
            error[half] = hypot(q_of(&t)[0] - c * cos(Omega), q_of(&t)[1] - c * sin(Omega));
            check_close(q_of(&t)[2], z, of[i].error);
            trial_end(&t);
        }
        check_below(error[1], of[i].error);
        assert_true(log2(error[0] / error[1]) > of[i].order - 0.3);
    }
}

/* Momentum, angular momentum and energy of boxes in space. */
static void balance_of(const trial *t, int n, const double m[], double size[][3], double sum[7]) {
    memset(sum, 0, 7 * sizeof *sum);
    for (int i = 0; i < n; i++) {
        const double *q = q_of(t) + 7 * i, *u = u_of(t) + 6 * i, a = q[3], b = q[4], c = q[5], d = q[6];
        const double R[3][3] = {{1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)},
                                {2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)},
                                {2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)}};
        double spin[3];
        for (int k = 0; k < 3; k++) {
            double y = size[i][(k + 1) % 3], z = size[i][(k + 2) % 3];
            spin[k] = m[i] * (y * y + z * z) / 12 * u[3 + k];
            sum[6] += m[i] * u[k] * u[k] / 2 + spin[k] * u[3 + k] / 2;
        }
        for (int k = 0; k < 3; k++) {
            int y = (k + 1) % 3, z = (k + 2) % 3;
            sum[k] += m[i] * u[k];
            sum[3 + k] += m[i] * (q[y] * u[z] - q[z] * u[y]) + R[k][0] * spin[0] + R[k][1] * spin[1] + R[k][2] * spin[2];
        }
    }
}

/* Two boxes tumble against each other in space, without friction and loss: with located impacts all seven stay. */
static void tumbling_boxes_conserve_all(void **state) {
    (void)state;
    double m[2] = {2, 1}, size[2][3] = {{0.3, 0.2, 0.1}, {0.2, 0.2, 0.3}}, before[7], after[7];
    static const char text[] =
        "bodies:\n"
        "  a: {type: spatial, mass: 2, shape: {type: box, size: [0.3, 0.2, 0.1]}, position: [-0.4, 0.03, 0.02], velocity: [1, 0.1, 0], "
        "angular_velocity: [3, -2, 4], rotation: {axis: [1, 2, 3], angle: 0.7}}\n"
        "  b: {type: spatial, mass: 1, shape: {type: box, size: [0.2, 0.2, 0.3]}, position: [0.3, 0, 0], velocity: [-1, 0, 0.1], "
        "angular_velocity: [-2, 1, 3], rotation: {axis: [1, -1, 0.3], angle: 1.1}}\n"
        "contacts: {all: {between: all, restitution: 1}}\nsimulation: {step: 1e-3, end: 1, contact_events: located}\n";
    trial t = begin("rattle", 2e-3, 1, text);
    balance_of(&t, 2, m, size, before);
    trial_run(&t);
    balance_of(&t, 2, m, size, after);
    assert_true(total_of(t.simulation, "a", "b") > 0.5);
    for (int k = 0; k < 7; k++) check_close(after[k], before[k], k >= 3 && k < 6 ? 1e-5 : 1e-9);
    check_below(zn_simulation_statistics(t.simulation).max_overlap, 1e-9);
    trial_end(&t);
}

/* Two boxes meet in free space without friction and loss: energy, momentum and angular momentum stay. */
static void impacts_without_loss(void **state) {
    (void)state;
    static const char text[] =
        "bodies:\n"
        "  a: {type: planar, shape: {type: box, size: [0.3, 0.2]}, mass: 2, position: [-0.4, 0.03], velocity: [1, 0.1], angle_rate: 3}\n"
        "  b: {type: planar, shape: {type: box, size: [0.2, 0.4]}, mass: 1, position: [0.3, 0], velocity: [-1, 0], angle_rate: -2}\n"
        "contacts: {all: {between: all, restitution: 1}}\nsimulation: {step: 1e-3, end: 1}\n";
    const double m[2] = {2, 1}, J[2] = {2 * (0.09 + 0.04) / 12, (0.04 + 0.16) / 12};
    const char *const schemes[] = {"rattle", "moreau-midpoint"};
    for (size_t s = 0; s < 2; s++) {
        trial t = begin(schemes[s], 1e-3, 1, text);
        double before[4] = {0}, after[4] = {0};
        for (int k = 0; k < 2; k++) {
            double *sum = k ? after : before;
            const double *q = q_of(&t), *u = u_of(&t);
            for (int i = 0; i < 2; i++) {
                sum[0] += m[i] * u[3 * i], sum[1] += m[i] * u[3 * i + 1];
                sum[2] += m[i] * (q[3 * i] * u[3 * i + 1] - q[3 * i + 1] * u[3 * i]) + J[i] * u[3 * i + 2];
                sum[3] += m[i] * (u[3 * i] * u[3 * i] + u[3 * i + 1] * u[3 * i + 1]) / 2 + J[i] * u[3 * i + 2] * u[3 * i + 2] / 2;
            }
            if (!k) trial_run(&t);
        }
        assert_true(total_of(t.simulation, "a", "b") > 0.5);
        check_close(after[0], before[0], 1e-9);
        check_close(after[1], before[1], 1e-9);
        check_close(after[2], before[2], 5e-3); /* percussions act where the bodies are in the step: h v P */
        check_close(after[3], before[3], 1e-2); /* normals turn by h w */
        trial_end(&t);
    }
}

/* Four grains roll about each other: features of the list that do not face each other any more have gaps of -2e-3 where nothing
 * overlaps. */
static void penetration_is_overlap(void **state) {
    (void)state;
    static const char text[] =
        "gravity: [0, 0, -9.81]\nbodies:\n"
        "  b0: {type: spatial, density: 1000, position: [0.02333, -0.0918208, 0.5], rotation: {axis: [-2.13776, -0.0373726, "
        "1.11086], angle: 1.13706}, angular_velocity: [1.22088, -0.287874, 1.35039], shape: {type: box, size: [0.18014, "
        "0.162112, 0.0900702]}}\n"
        "  b1: {type: spatial, density: 1000, position: [-0.0873345, 0.0376881, 1.1], rotation: {axis: [0.618125, 2.12485, "
        "-2.21414], angle: 2.36878}, angular_velocity: [2.32358, 2.51373, -1.77024], shape: {type: box, size: [0.147147, "
        "0.042452, 0.0735736]}}\n"
        "  b2: {type: spatial, density: 1000, position: [-0.0601034, 0.0772799, 1.7], rotation: {axis: [-0.0720369, 0.682625, "
        "-0.354538], angle: 2.63812}, angular_velocity: [-2.67126, -0.727102, -0.0497296], shape: {type: polyhedron, points: "
        "[[0.0836452, 0, 0], [0, 0.0836452, 0], [0, 0, 0.0836452], [-0.0836452, 0, 0], [0, -0.0836452, 0]]}}\n"
        "  b3: {type: spatial, density: 1000, position: [0.0528726, -0.0604659, 2.3], rotation: {axis: [1.78623, 0.0858722, "
        "-0.0197549], angle: 2.55659}, angular_velocity: [-1.0187, 2.35485, -2.2009], shape: {type: cylinder, radius: "
        "0.0535225, length: 0.0950611}}\n"
        "geometry: {floor: {type: plane, normal: [0.167063, 0.000321356, 1]}}\n"
        "contacts: {all: {between: all, friction: 1.2, restitution: 0}}\nsimulation: {step: 2e-3, end: 2}\n";
    trial t = begin("radau-2a", 2e-3, 2, text);
    while (!zn_simulation_done(t.simulation)) trial_step(&t);
    check_below(zn_simulation_statistics(t.simulation).max_penetration, 1e-8);
    check_close(zn_simulation_statistics(t.simulation).max_penetration, zn_simulation_statistics(t.simulation).max_overlap, 0);
    trial_end(&t);
}

/* An egg, a can and a cone fall on a block and on each other, in worlds with lengths of micrometres, metres and thousands of kilometres
 * whose gravity is scaled, too: the same motion in other units, to round-off that impacts magnify. Edges meet round sides and rims there,
 * at all ratios of curvatures. */
static void round_shapes_in_worlds_of_any_size(void **state) {
    (void)state;
    enum { NUMBERS = 4 * 7 };
    const double units[] = {1, 1e-6, 1e6};
    double first[NUMBERS];
    for (int k = 0; k < 3; k++) {
        const double u = units[k];
        char text[2000];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, %.17g]\nbodies:\n"
                 "  block: {type: spatial, mass: 5, shape: {type: box, size: [%.17g, %.17g, %.17g]}, position: [0, 0, %.17g]}\n"
                 "  egg: {type: spatial, mass: 1, shape: {type: ellipsoid, size: [%.17g, %.17g, %.17g]}, position: [%.17g, %.17g, %.17g], "
                 "rotation: {axis: [1, 2, 0.5], angle: 0.7}}\n"
                 "  can: {type: spatial, mass: 1, shape: {type: cylinder, radius: %.17g, length: %.17g}, position: [%.17g, %.17g, %.17g], "
                 "rotation: {axis: [1, 1, 0.2], angle: 0.9}}\n"
                 "  hat: {type: spatial, mass: 0.5, shape: {type: cone, radius: %.17g, length: %.17g}, position: [%.17g, %.17g, %.17g], "
                 "rotation: {axis: [1, -1, 0.3], angle: 2.2}}\n"
                 "geometry: {floor: {type: plane}}\ncontacts: {all: {between: all, friction: 0.4}}\nsimulation: {step: 1e-3, end: 0.6}\n",
                 -9.81 * u, 0.4 * u, 0.3 * u, 0.2 * u, 0.1 * u, 0.1 * u, 0.14 * u, 0.08 * u, 0.19 * u, 0.02 * u, 0.36 * u, 0.06 * u,
                 0.2 * u, -0.19 * u, 0.05 * u, 0.36 * u, 0.08 * u, 0.2 * u, 0.02 * u, -0.02 * u, 0.42 * u);
        trial t = begin("rattle", 1e-3, 0.6, text);
        trial_run(&t);
        check_below(zn_simulation_statistics(t.simulation).max_overlap, 1e-8 * u);
        assert_true(zn_simulation_statistics(t.simulation).found_max >= 8);
        for (int i = 0; i < NUMBERS; i++) {
            double scaled = q_of(&t)[i] / (i % 7 < 3 ? u : 1);
            if (k == 0) first[i] = scaled;
            else check_close(scaled, first[i], 1e-11);
        }
        trial_end(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(penetration_is_overlap),
        cmocka_unit_test(a_box_tips_over_its_edge),
        cmocka_unit_test(a_cylinder_tips_onto_its_face),
        cmocka_unit_test(a_cylinder_leans_on_its_rims),
        cmocka_unit_test(cylinders_roll),
        cmocka_unit_test(a_box_slides_over_seams),
        cmocka_unit_test(edge_to_edge),
        cmocka_unit_test(a_plank_leans),
        cmocka_unit_test(impacts_without_loss),
        cmocka_unit_test(a_cylinder_rolls_on_its_rim),
        cmocka_unit_test(tumbling_boxes_conserve_all),
        cmocka_unit_test(round_shapes_in_worlds_of_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
