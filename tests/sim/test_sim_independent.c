/* SPDX-License-Identifier: Apache-2.0 */
/* Redundant constraints: rows that follow from others are found once and left out. Every scheme goes through as if they were not there,
 * with residuals at the tolerance; all rows share the forces; and what only looks redundant, or contradicts the rest, is noticed. */
#include "trial.h"

static bool is_moreau(const char *scheme) { return strncmp(scheme, "moreau", 6) == 0; }

/* No rounds by round-off or least norm, no rejected step, one choice of rows. */
static void check_smooth_run(const trial *r, int redundant) {
    zn_statistics s = zn_simulation_statistics(r->simulation);
    assert_int_equal(s.redundant_rows, redundant);
    assert_int_equal(s.row_choices, 1);
    assert_int_equal(s.roundoff_steps, 0);
    assert_int_equal(s.least_norm_steps, 0);
    assert_int_equal(s.projection_steps, 0);
    assert_int_equal(s.rejected, 0);
    check_below(s.max_residual, 1e-10);
}

static void check_same_motion(const trial *a, const trial *b, double allowed) {
    const zn_model *model = zn_simulation_model(a->simulation);
    for (int i = 0; i < model->size.nq; i++) check_close(trial_q(a, i), trial_q(b, i), allowed);
    for (int i = 0; i < model->size.nu; i++) check_close(trial_u(a, i), trial_u(b, i), 10 * allowed);
}

/* A run that must not go through: the sentence says which rows contradict each other. */
static void check_contradiction(const char *scene, const char *scheme) {
    trial r = {.context = zn_context_create(NULL)};
    assert_int_equal(zn_scene_parse(r.context, "test", scene, NULL, &r.scene), ZN_OK);
    trial_options o = {.scheme = scheme};
    zn_settings settings = trial_settings(r.scene, &o);
    zn_status status = zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation);
    if (status == ZN_OK) status = zn_simulation_run(r.simulation, NULL, NULL);
    if (status == ZN_OK) print_error("%s goes through\n", scheme);
    assert_int_equal(status, ZN_ERROR_NO_CONVERGENCE);
    assert_non_null(strstr(zn_error_text(r.context), "contradicts those before it by"));
    trial_end(&r);
}

/* ---- Bricard's mechanism ---- */

/* scenes/bricard.yaml with one text in place of another. */
static void load_bricard(char *text, size_t room, const char *from, const char *to) {
    char all[4000];
    FILE *file = fopen(ZENO_SOURCE_DIR "/scenes/bricard.yaml", "r");
    assert_non_null(file);
    all[fread(all, 1, sizeof all - 1, file)] = '\0';
    fclose(file);
    const char *place = strstr(all, from);
    assert_non_null(place);
    snprintf(text, room, "%.*s%s%s", (int)(place - all), all, to, place + strlen(from));
}

static void bricard_with_every_scheme(void **state) {
    (void)state;
    char open[4000]; /* the last hinge without its redundant row is a universal joint */
    load_bricard(open, sizeof open, "f: {type: revolute", "f: {type: universal");
    int schemes = 0;
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        if (!info.general_kinematics) continue;
        schemes++;
        trial_options o = {.scheme = info.name, .step = 4e-3, .end = 0.4};
        trial a = trial_complete("bricard", o), b = trial_complete(open, o);
        check_smooth_run(&a, 1);
        zn_statistics s = zn_simulation_statistics(a.simulation), t = zn_simulation_statistics(b.simulation);
        assert_int_equal(t.redundant_rows, 0);
        /* Schemes on velocity level drift: what is open in the row left out is a matter of the drift, which is of first order. */
        check_same_motion(&a, &b, is_moreau(info.name) ? 5e-3 : 1e-8);
        assert_true((double)s.newton_total <= 1.1 * (double)t.newton_total + 2);
        check_close(s.energy_end, s.energy_start, (is_moreau(info.name) ? 5e-2 : 2e-2) * fabs(s.energy_start) * 0.4);
        if (!is_moreau(info.name)) {
            check_below(s.max_g, 1e-12);
            check_below(s.max_gdot, 1e-11);
        }
        trial_end(&a);
        trial_end(&b);
    }
    assert_true(schemes >= 12);
}

/* The loop swings from the cube through its lowest position and back: ten seconds with one choice of rows, energy without drift. */
static void bricard_swings(void **state) {
    (void)state;
    trial r = trial_begin("bricard", (trial_options){.scheme = "rattle", .step = 4e-3});
    double lowest = 0, highest = -3, last = 0;
    int turns = 0;
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        double y = 0, rate = trial_u(&r, 4); /* of the rod on the first hinge, about the vertical */
        for (int body = 0; body < 5; body++) y += trial_q(&r, 7 * body + 1) / 5;
        lowest = fmin(lowest, y);
        highest = fmax(highest, y);
        if (rate * last < 0) turns++;
        if (rate != 0) last = rate;
    }
    check_smooth_run(&r, 1);
    check_close(highest, -0.6, 1e-3); /* never above the start: the cube, y = (0 - 0.5 - 1 - 1 - 0.5)/5, at rest */
    check_close(lowest, -0.6928, 1e-4);
    assert_int_equal(turns, 4); /* a period of 4.99 s */
    zn_statistics s = zn_simulation_statistics(r.simulation);
    check_near(s.energy_end, s.energy_start, 1e-4);
    check_below(s.max_g, 1e-12);
    trial_end(&r);
}

/* Schemes on velocity level let the loop come apart. All of its rows are met in the sense of least squares: none of them drifts freely, and
 * the motion does not depend on which row is left out, which is another one where joints come in another order. */
static void bricard_drifts_evenly(void **state) {
    (void)state;
    static const char *const joints[] = {"  a: {type: revolute, between: [world, one], at: [0, 0, 0], axis: [0, 1, 0]}\n",
                                         "  e: {type: revolute, between: [four, five], at: [0, -l, l], axis: [0, 0, 1]}\n"};
    static const char *const names[] = {"moreau-midpoint", "moreau-shifted"};
    char loop[4000], other[4000];
    load_bricard(loop, sizeof loop, "Bricard", "Bricard");
    load_bricard(other, sizeof other, "Bricard", "Bricard");
    for (int k = 0; k < 2; k++) { /* the first joint and the fifth change places */
        char *from = strstr(loop, joints[k]), *to = strstr(other, joints[k]);
        assert_non_null(from);
        memmove(to, to + strlen(joints[k]), strlen(to + strlen(joints[k])) + 1);
    }
    char *second = strstr(other, "  b: "), *last = strstr(other, "  f: ");
    char rest[4000];
    assert_true(second && last);
    snprintf(rest, sizeof rest, "%.*s%s%.*s%s%s", (int)(second - other), other, joints[1], (int)(last - second), second, joints[0], last);
    for (int i = 0; i < 2; i++) {
        trial_options o = {.scheme = names[i], .step = 1e-3, .end = 10};
        trial a = trial_complete(loop, o), b = trial_complete(rest, o);
        zn_statistics s = zn_simulation_statistics(a.simulation);
        assert_int_equal(s.rejected, 0);
        check_below(s.max_gdot, 3e-3); /* 1.4e-2 where one row drifts freely */
        check_same_motion(&a, &b, 1e-6);
        trial_end(&a);
        trial_end(&b);
    }
}

/* Millimetres and tonnes: other numbers, the same rows. */
static void bricard_in_other_units(void **state) {
    (void)state;
    char loop[4000];
    load_bricard(loop, sizeof loop, "l: 1, m: 1, r: 0.01", "l: 1000, m: 1e-3, r: 10");
    static const char *const names[] = {"moreau-midpoint", "rattle", "radau-2a", "generalized-alpha"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        trial r = trial_complete(loop, (trial_options){.scheme = names[i], .step = 4e-3, .end = 0.2});
        check_smooth_run(&r, 1);
        trial_end(&r);
    }
}

/* Rods so slender that their axes turn as if they had no inertia, in metres and in millimetres: the same rows, and the motion of rods ten
 * times as thick, whose inertia about their axes is 6e-8 of that across. */
static void bricard_of_slender_rods(void **state) {
    (void)state;
    char thick[4000], slender[2][4000];
    load_bricard(thick, sizeof thick, "r: 0.01", "r: 1e-4");
    load_bricard(slender[0], sizeof slender[0], "r: 0.01", "r: 1e-5");
    load_bricard(slender[1], sizeof slender[1], "l: 1, m: 1, r: 0.01", "l: 1000, m: 1e-3, r: 1e-2");
    char *gravity = strstr(slender[1], "[0, -9.81, 0]");
    memcpy(gravity, "[0, -9810, 0]", 13);
    static const char *const names[] = {"moreau-midpoint", "rattle", "radau-2a", "generalized-alpha"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int k = 0; k < 2; k++) {
            trial_options o = {.scheme = names[i], .step = 4e-3, .end = 0.2};
            trial a = trial_complete(slender[k], o), b = trial_complete(thick, o);
            zn_statistics s = zn_simulation_statistics(a.simulation);
            assert_int_equal(s.redundant_rows, 1);
            assert_int_equal(s.row_choices, 1);
            assert_int_equal(s.least_norm_steps + s.rejected, 0);
            for (int j = 0; j < 35; j++) {
                double unit = k == 1 && j % 7 < 3 ? 1000 : 1; /* positions before quaternions */
                check_close(trial_q(&a, j) / unit, trial_q(&b, j), is_moreau(names[i]) ? 1e-4 : 1e-6);
            }
            trial_end(&a);
            trial_end(&b);
        }
}

/* An open chain of two rods, the second of which is held by the axis of the first, that of least inertia: no row follows from others,
 * however slender they are. */
static void two_slender_rods(void **state) {
    (void)state;
#define TWO_RODS(r)                                                                                                                    \
    "gravity: [0, 0, -9.81]\n"                                                                                                         \
    "bodies:\n"                                                                                                                        \
    "  a: {type: spatial, shape: {type: cylinder, radius: " r ", length: 1}, mass: 1, position: [0.5, 0, 0], rotation: {axis: [0, 1, " \
    "0], angle: pi/2}}\n"                                                                                                              \
    "  b: {type: spatial, shape: {type: cylinder, radius: " r ", length: 1}, mass: 1, position: [1, 0.5, 0], rotation: {axis: [1, 0, " \
    "0], angle: pi/2}, velocity: [0, 0, 1]}\n"                                                                                         \
    "joints:\n"                                                                                                                        \
    "  one: {type: revolute, between: [world, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"                                                   \
    "  two: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"                                                       \
    "simulation: {project_start: true, step: 4e-3, end: 0.2}\n"
    static const char *const names[] = {"moreau-midpoint", "rattle", "radau-2a", "lobatto-3c", "generalized-alpha"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        trial_options o = {.scheme = names[i]};
        trial a = trial_complete(TWO_RODS("1e-7"), o), b = trial_complete(TWO_RODS("1e-4"), o);
        assert_int_equal(zn_simulation_statistics(a.simulation).redundant_rows, 0);
        check_same_motion(&a, &b, 1e-6);
        trial_end(&a);
        trial_end(&b);
    }
}

/* Numbers that do not quite fit, in every scheme, and a step that is chosen. */
static void bricard_that_does_not_quite_fit(void **state) {
    (void)state;
    char loop[4000];
    load_bricard(loop, sizeof loop, "[world, five], at: [0, 0, l], axis: [1, 0, 0]}",
                 "[world.end, five.end]}\n"
                 "frames:\n"
                 "  world.end: {at: [0, 2e-7, l], rotation: {axis: [0, 1, 0], angle: pi/2}}\n"
                 "  five.end: {at: [0, l/2, 0], rotation: {axis: [0, 1, 0], angle: pi/2}}");
    static const char *const names[] = {"moreau-midpoint", "rattle", "lobatto-3a3b", "radau-2a", "tr-bdf2", "generalized-alpha"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        trial_options o = {.scheme = names[i], .step = 4e-3, .end = 0.2};
        trial a = trial_complete(loop, o), b = trial_complete("bricard", o);
        zn_statistics s = zn_simulation_statistics(a.simulation);
        assert_int_equal(s.redundant_rows, 1);
        assert_int_equal(s.least_norm_steps + s.roundoff_steps + s.rejected, 0);
        assert_true(s.contradiction > 1e-8);
        check_same_motion(&a, &b, is_moreau(names[i]) ? 1e-3 : 1e-5);
        if (!is_moreau(names[i])) check_below(s.max_g, 3e-7);
        trial_end(&a);
        trial_end(&b);
    }
}

/* ---- other mechanisms ---- */

/* A planar parallelogram, once in the plane and once in space, where hinges hold what the plane holds already: 4 more rows than needed for
 * each of two loops, less the ways that the plane allows: 18 velocities move in one way under 30 rows. */
#define CRANKS "parameters: {l: 1, b: 2, c: cos(0.7), s: sin(0.7)}\n"
static const char flat_bars[] = CRANKS "gravity: [0, -9.81]\n"
                                       "bodies:\n"
                                       "  left:  {type: planar, mass: 1, inertia: 0.1, position: [l/2*c, l/2*s], angle: 0.7}\n"
                                       "  right: {type: planar, mass: 1, inertia: 0.1, position: [b + l/2*c, l/2*s], angle: 0.7}\n"
                                       "  top:   {type: planar, mass: 1, inertia: 0.4, position: [b/2 + l*c, l*s]}\n"
                                       "  spare: {type: planar, mass: 1, inertia: 0.4, position: [b/2 + l/2*c, l/2*s]}\n"
                                       "joints:\n"
                                       "  a: {type: revolute, between: [world, left], at: [0, 0]}\n"
                                       "  b: {type: revolute, between: [world, right], at: [b, 0]}\n"
                                       "  c: {type: revolute, between: [left, top], at: [l*c, l*s]}\n"
                                       "  d: {type: revolute, between: [right, top], at: [b + l*c, l*s]}\n"
                                       "  e: {type: revolute, between: [left, spare], at: [l/2*c, l/2*s]}\n"
                                       "  f: {type: revolute, between: [right, spare], at: [b + l/2*c, l/2*s]}\n"
                                       "simulation: {step: 5e-3, end: 0.5}\n";
static const char spatial_bars[] =
    CRANKS "gravity: [0, -9.81, 0]\n"
           "bodies:\n"
           "  left:  {type: spatial, mass: 1, inertia: 0.1, position: [l/2*c, l/2*s, 0], rotation: {axis: [0, 0, 1], angle: 0.7}}\n"
           "  right: {type: spatial, mass: 1, inertia: 0.1, position: [b + l/2*c, l/2*s, 0], rotation: {axis: [0, 0, 1], angle: "
           "0.7}}\n"
           "  top:   {type: spatial, mass: 1, inertia: 0.4, position: [b/2 + l*c, l*s, 0]}\n"
           "  spare: {type: spatial, mass: 1, inertia: 0.4, position: [b/2 + l/2*c, l/2*s, 0]}\n"
           "joints:\n"
           "  a: {type: revolute, between: [world, left], at: [0, 0, 0], axis: [0, 0, 1]}\n"
           "  b: {type: revolute, between: [world, right], at: [b, 0, 0], axis: [0, 0, 1]}\n"
           "  c: {type: revolute, between: [left, top], at: [l*c, l*s, 0], axis: [0, 0, 1]}\n"
           "  d: {type: revolute, between: [right, top], at: [b + l*c, l*s, 0], axis: [0, 0, 1]}\n"
           "  e: {type: revolute, between: [left, spare], at: [l/2*c, l/2*s, 0], axis: [0, 0, 1]}\n"
           "  f: {type: revolute, between: [right, spare], at: [b + l/2*c, l/2*s, 0], axis: [0, 0, 1]}\n"
           "simulation: {step: 5e-3, end: 0.5}\n";

static void planar_loops_in_space(void **state) {
    (void)state;
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        trial flat = trial_complete(flat_bars, (trial_options){.scheme = info.name});
        check_smooth_run(&flat, 1);
        if (info.general_kinematics) {
            trial spatial = trial_complete(spatial_bars, (trial_options){.scheme = info.name});
            check_smooth_run(&spatial, 30 - 23);
            double error = is_moreau(info.name) ? 1e-2 : 1e-4; /* other coordinates: equal up to the error of the scheme, h or h^2 */
            for (int k = 0; k < 4; k++) {
                check_close(trial_q(&spatial, 7 * k), trial_q(&flat, 3 * k), error);
                check_close(trial_q(&spatial, 7 * k + 1), trial_q(&flat, 3 * k + 1), error);
                check_close(trial_u(&spatial, 6 * k + 5), trial_u(&flat, 3 * k + 2), 10 * error);
            }
            trial_end(&spatial);
        }
        trial_end(&flat);
    }
}

/* The parallelogram hangs and swings through the flat position, where its rows are dependent for a moment, and where the three bars
 * (without the spare one) could leave the family of parallelograms. With the spare bar a row is redundant besides. */
static void singular_positions_are_passed(void **state) {
    (void)state;
    static const char *const names[] = {"moreau-midpoint", "rattle", "radau-2a", "tr-bdf2", "generalized-alpha"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        trial r = trial_complete(flat_bars, (trial_options){.scheme = names[i], .end = 1});
        assert_int_equal(zn_simulation_statistics(r.simulation).redundant_rows, 1);
        check_close(trial_q(&r, 2), trial_q(&r, 5), is_moreau(names[i]) ? 1e-3 : 1e-7); /* both cranks at the same angle */
        assert_true(trial_q(&r, 2) < -0.5);
        trial_end(&r);
        trial flat = trial_complete(flat_bars, (trial_options){.scheme = names[i], .end = 0.2, .set = "c=1"});
        trial_end(&flat);
    }
}

/* The same started in the flat position: there one row more is dependent, which is not redundant anywhere else. */
static const char flat_start[] = "gravity: [0, -9.81]\n"
                                 "bodies:\n"
                                 "  left:  {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0], velocity: [0, 0.5], angle_rate: 1}\n"
                                 "  right: {type: planar, mass: 1, inertia: 0.1, position: [2.5, 0], velocity: [0, 0.5], angle_rate: 1}\n"
                                 "  top:   {type: planar, mass: 1, inertia: 0.4, position: [2, 0], velocity: [0, 1]}\n"
                                 "joints:\n"
                                 "  a: {type: revolute, between: [world, left], at: [0, 0]}\n"
                                 "  b: {type: revolute, between: [world, right], at: [2, 0]}\n"
                                 "  c: {type: revolute, between: [left, top], at: [1, 0]}\n"
                                 "  d: {type: revolute, between: [right, top], at: [3, 0]}\n"
                                 "simulation: {step: 5e-3, end: 0.2}\n";

static void a_singular_start_is_not_redundant(void **state) {
    (void)state;
    static const char *const names[] = {"rattle", "radau-2a", "tr-bdf2", "generalized-alpha"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        trial r = trial_complete(flat_start, (trial_options){.scheme = names[i]});
        assert_int_equal(zn_simulation_statistics(r.simulation).redundant_rows, 0);
        check_below(zn_simulation_statistics(r.simulation).max_g, 1e-9);
        check_close(trial_q(&r, 2), trial_q(&r, 5), 1e-6);
        trial_end(&r);
    }
}

/* Rows that turn against each other: (1, 0), (cos, sin)(t + 0.3), (cos, sin)(2t + 0.6). The first choice becomes dependent by and by, while
 * another one is not; forces of least norm at the end are known. */
static const char turning[] = "coordinates: {x: 0, y: 0, z: {start: 0, velocity: 1}}\n"
                              "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2, potential: 3*x - 5*y + z^2/2}\n"
                              "constraints:\n"
                              "  one: {position: x}\n"
                              "  two: {position: x*cos(t + 0.3) + y*sin(t + 0.3)}\n"
                              "  three: {position: x*cos(2*t + 0.6) + y*sin(2*t + 0.6)}\n"
                              "simulation: {step: 1e-2, end: 2}\n";

static void rows_are_exchanged(void **state) {
    (void)state;
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        trial r = trial_complete(turning, (trial_options){.scheme = info.name});
        zn_statistics s = zn_simulation_statistics(r.simulation);
        assert_int_equal(s.redundant_rows, 1);
        assert_true(s.row_choices >= 2 && s.row_choices < 6);
        assert_int_equal(s.roundoff_steps + s.least_norm_steps + s.rejected, 0);
        check_close(trial_q(&r, 0), 0, 1e-9);
        check_close(trial_q(&r, 1), 0, 1e-9);
        check_close(trial_q(&r, 2), sin(2), 0.02);
        /* W (P_1, P_2, P_3) = h (3, -5) by the least norm, in the middle of the last step */
        double t = 2 - 0.005, a = t + 0.3, w[3][2] = {{1, 0}, {cos(a), sin(a)}, {cos(2 * a), sin(2 * a)}}, G[2][2] = {{0}};
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < 2; m++)
                for (int n = 0; n < 2; n++) G[m][n] += w[k][m] * w[k][n];
        double f[2] = {0.03, -0.05}, det = G[0][0] * G[1][1] - G[0][1] * G[1][0];
        double y[2] = {(G[1][1] * f[0] - G[0][1] * f[1]) / det, (G[0][0] * f[1] - G[1][0] * f[0]) / det};
        for (int k = 0; k < 3; k++) check_close(zn_simulation_percussions(r.simulation)[k], w[k][0] * y[0] + w[k][1] * y[1], 0.02 * 0.05);
        trial_end(&r);
    }
}

/* A rolling wheel whose rows on velocity level are given twice, and a knife edge the same way. */
static void velocity_rows_given_twice(void **state) {
    (void)state;
    static const char model[] = "coordinates: {x: 0, y: 0, phi: {start: 0.2, velocity: 1}}\n"
                                "energy: {kinetic: (x'^2 + y'^2)/2 + 0.05*phi'^2, potential: 3*x + y}\n";
    static const char once[] = "constraints: {edge: {velocity: \"x'*sin(phi) - y'*cos(phi)\"}}\nsimulation: {step: 1e-2, end: 1}\n";
    static const char twice[] = "constraints: {edge: {velocity: \"x'*sin(phi) - y'*cos(phi)\"}, blade: {velocity: "
                                "\"-2*x'*sin(phi) + 2*y'*cos(phi)\"}}\n"
                                "simulation: {step: 1e-2, end: 1}\n";
    char a_text[600], b_text[600];
    snprintf(a_text, sizeof a_text, "%s%s", model, once);
    snprintf(b_text, sizeof b_text, "%s%s", model, twice);
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        if (!info.velocity_constraints) continue;
        trial a = trial_complete(a_text, (trial_options){.scheme = info.name}),
              b = trial_complete(b_text, (trial_options){.scheme = info.name});
        check_smooth_run(&b, 1);
        check_same_motion(&a, &b, 1e-9);
        /* a row twice as large carries, of its half of the force, half as much and with the other sign */
        const double *P = zn_simulation_percussions(b.simulation);
        double alone = zn_simulation_percussions(a.simulation)[0];
        check_close(P[0], 0.5 * alone, 1e-9);
        check_close(P[1], -0.25 * alone, 1e-9);
        trial_end(&a);
        trial_end(&b);
    }
}

/* Forces are shared among redundant rows only if somebody asks: the motion, and the account of energy, do not know whether. */
static void asking_changes_no_motion(void **state) {
    (void)state;
    char text[4000];
    load_bricard(text, sizeof text, "end: 10", "end: 0.2");
    static const char *const names[] = {"moreau-midpoint", "rattle", "generalized-alpha"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        trial a = trial_begin(text, (trial_options){.scheme = names[i]}), b = trial_begin(text, (trial_options){.scheme = names[i]});
        const zn_model *model = zn_simulation_model(a.simulation);
        const double *P = zn_simulation_percussions(a.simulation);
        double last[64] = {0};
        while (!zn_simulation_done(a.simulation)) {
            assert_int_equal(zn_simulation_step(a.simulation), ZN_OK);
            assert_int_equal(zn_simulation_step(b.simulation), ZN_OK);
            memcpy(last, P, (size_t)model->size.ng * sizeof *last);
        }
        assert_memory_equal(zn_simulation_positions(a.simulation), zn_simulation_positions(b.simulation),
                            (size_t)model->size.nq * sizeof(double));
        assert_memory_equal(zn_simulation_velocities(a.simulation), zn_simulation_velocities(b.simulation),
                            (size_t)model->size.nu * sizeof(double));
        double work = 0, other = 0, largest = 0;
        for (int k = 0; k < model->size.ng; k++) {
            work += zn_simulation_constraint_work(a.simulation, k), other += zn_simulation_constraint_work(b.simulation, k);
            largest = fmax(largest, fabs(last[k]));
        }
        assert_true(work == other);
        /* asked only now, the last percussions are shared at the end of the step, half a step of 1e-3 later */
        const double *late = zn_simulation_percussions(b.simulation);
        for (int k = 0; k < model->size.ng; k++) check_close(late[k], last[k], 0.01 * largest);
        trial_end(&a);
        trial_end(&b);
    }
}

/* A contact that says what joints say already: the joints carry, or the contact does, and the height stays. */
static void contacts_beside_redundant_joints(void **state) {
    (void)state;
    static const char scene[] = "coordinates: {x: {start: 0, velocity: 1}, y: 0.1}\n"
                                "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                                "constraints: {one: {position: y - 0.1}, two: {position: 3*y - 0.3}}\n"
                                "contacts: {floor: {gap: y - 0.1, slip: x', friction: 0.1}}\n"
                                "simulation: {step: 1e-2, end: 0.5}\n";
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        if (!info.contacts || !info.friction) continue;
        trial r = trial_complete(scene, (trial_options){.scheme = info.name});
        assert_int_equal(zn_simulation_statistics(r.simulation).redundant_rows, 1);
        check_close(trial_q(&r, 1), 0.1, 1e-12);
        const double *P = zn_simulation_percussions(r.simulation);
        check_close(P[0] + 3 * P[1] + P[2], 0.1, 1e-9);
        trial_end(&r);
    }
}

/* A beam clamped twice bends as one that is clamped once. */
static void a_beam_clamped_twice(void **state) {
    (void)state;
    static const char beam[] = "gravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  beam: {type: beam, from: [0, 0], to: [1, 0], elements: 4, young: 2e8, poisson: 0.3, area: "
                               "1e-3, inertia: 8e-8, density: 1200}\n"
                               "joints:\n"
                               "  clamp: {type: fixed, between: [world, beam.start]}\n";
    char twice[600], once[600];
    snprintf(once, sizeof once, "%ssimulation: {step: 1e-3, end: 0.05}\n", beam);
    snprintf(twice, sizeof twice, "%s  again: {type: fixed, between: [world, beam.start]}\nsimulation: {step: 1e-3, end: 0.05}\n", beam);
    static const char *const names[] = {"radau-2a", "tr-bdf2", "generalized-alpha"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        trial a = trial_complete(once, (trial_options){.scheme = names[i]}), b = trial_complete(twice, (trial_options){.scheme = names[i]});
        assert_int_equal(zn_simulation_statistics(b.simulation).redundant_rows, 3);
        check_same_motion(&a, &b, 1e-9);
        for (int k = 0; k < 3; k++) /* each carries half */
            check_close(zn_simulation_percussions(b.simulation)[k], zn_simulation_percussions(b.simulation)[3 + k], 1e-9);
        trial_end(&a);
        trial_end(&b);
    }
}

/* A slider-crank in a plane of any direction, e1 = (2, 1, -2)/3, e2 = (2, -2, 1)/3, e1 x e2 = -(1, 2, 2)/3, driven from rest: no velocity
 * is free, and the drive's acceleration is all that the rows see at the start. */
static void driven_without_freedom(void **state) {
    (void)state;
    static const char scene[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  crank: {type: spatial, mass: 1, inertia: 0.02, position: [0.2, -0.05, -0.05]}\n"
        "  rod: {type: spatial, mass: 1, inertia: 0.1, position: [0.6, 0.15, -0.45]}\n"
        "  slider: {type: spatial, mass: 1, inertia: 0.01, position: [0.8, 0.4, -0.8]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [world, crank], at: [0, 0, 0], axis: [1, 2, 2]}\n"
        "  b: {type: revolute, between: [crank, rod], at: [0.4, -0.1, -0.1], axis: [1, 2, 2]}\n"
        "  c: {type: revolute, between: [rod, slider], at: [0.8, 0.4, -0.8], axis: [1, 2, 2]}\n"
        "  d: {type: prismatic, between: [world, slider], at: [0.8, 0.4, -0.8], axis: [2, 1, -2]}\n"
        "  drive: {type: angle-drive, between: [world, crank], at: [0, 0, 0], axis: [-1, -2, -2], drive: 0.4*(1 - cos(5*t))}\n"
        "simulation: {step: 4e-3, end: 0.4}\n";
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        if (!info.general_kinematics || !info.velocity_constraints) continue;
        trial r = trial_complete(scene, (trial_options){.scheme = info.name});
        check_smooth_run(&r, 3);
        double angle = atan(1) + 0.4 * (1 - cos(2)), x = 0.15 * sqrt(2) * cos(angle), y = 0.15 * sqrt(2) * sin(angle);
        double error = is_moreau(info.name) ? 2e-3 : 1e-9; /* on velocity level h theta'' drifts; else positions are prescribed */
        check_close(trial_q(&r, 0), (2 * x + 2 * y) / 3, error);
        check_close(trial_q(&r, 1), (x - 2 * y) / 3, error);
        check_close(trial_q(&r, 2), (-2 * x + y) / 3, error);
        trial_end(&r);
    }
}

/* Drives that say the same at the start, up to the second derivative, and contradict each other afterwards. */
static void a_contradiction_does_not_hide(void **state) {
    (void)state;
    static const char scene[] = "coordinates: {x: {start: 0, velocity: 1}, y: 0}\n"
                                "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y + 5*y^2}\n"
                                "constraints: {slow: {position: x - sin(t)}, fast: {position: 2*x - 2*t}}\n"
                                "simulation: {step: 1e-2, end: 1}\n";
    for (int i = 0; i < zn_scheme_count(); i++) check_contradiction(scene, zn_scheme_get(i).name);
}

/* ---- steps that are chosen, results ---- */

static void chosen_steps(void **state) {
    (void)state;
    static const char *const names[] = {"rattle", "radau-2a", "moreau-midpoint", "generalized-alpha"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        trial r = {.context = zn_context_create(NULL)};
        char path[300];
        snprintf(path, sizeof path, "%s/scenes/bricard.yaml", ZENO_SOURCE_DIR);
        assert_int_equal(zn_scene_load(r.context, path, NULL, &r.scene), ZN_OK);
        trial_options o = {.scheme = names[i], .end = 0.3};
        zn_settings settings = trial_settings(r.scene, &o);
        settings.step = 0, settings.step_auto = true, settings.accuracy = 1e-4, settings.record_every = 1;
        assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation), ZN_OK);
        assert_int_equal(zn_simulation_run(r.simulation, NULL, NULL), ZN_OK);
        zn_statistics s = zn_simulation_statistics(r.simulation);
        assert_int_equal(s.redundant_rows, 1);
        assert_int_equal(s.row_choices, 1);
        check_near(s.energy_end, s.energy_start, 1e-2);
        trial_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricard_with_every_scheme),
        cmocka_unit_test(bricard_swings),
        cmocka_unit_test(bricard_in_other_units),
        cmocka_unit_test(bricard_drifts_evenly),
        cmocka_unit_test(bricard_of_slender_rods),
        cmocka_unit_test(two_slender_rods),
        cmocka_unit_test(bricard_that_does_not_quite_fit),
        cmocka_unit_test(planar_loops_in_space),
        cmocka_unit_test(singular_positions_are_passed),
        cmocka_unit_test(a_singular_start_is_not_redundant),
        cmocka_unit_test(rows_are_exchanged),
        cmocka_unit_test(asking_changes_no_motion),
        cmocka_unit_test(velocity_rows_given_twice),
        cmocka_unit_test(contacts_beside_redundant_joints),
        cmocka_unit_test(a_beam_clamped_twice),
        cmocka_unit_test(driven_without_freedom),
        cmocka_unit_test(a_contradiction_does_not_hide),
        cmocka_unit_test(chosen_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
