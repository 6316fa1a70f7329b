/* SPDX-License-Identifier: Apache-2.0 */
/* Toys that live from a turning slip direction: the staged law reaches their exact times with steps that are too large for the
 * papers' law (docs/theory/corrections.md: tippe-top upright at 0.972947, stick touches at 1.371043). */
#include "trial.h"

typedef struct toy {
    double upright; /* when e_z^K is horizontal */
    double touch;   /* end of the step in which the second contact has its first percussion */
} toy;

/* cos of the angle between e_z^K and e_z for the quaternion at q[3..6]. */
static double tilt(const double *q) {
    const double *p = q + 3;
    return 1 - 2 * (p[1] * p[1] + p[2] * p[2]) / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
}

static toy spin(const char *scheme, int stages, zn_friction_law law, double step) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    zn_simulation *simulation = NULL;
    if (zn_scene_load(context, ZENO_SOURCE_DIR "/scenes/tippe-top.yaml", NULL, &scene) != ZN_OK) fail_msg("%s", zn_error_text(context));
    zn_settings settings = *zn_scene_settings(scene);
    settings.scheme = scheme, settings.stages = stages, settings.friction_law = law, settings.step = step, settings.end = 1.5;
    if (zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation) != ZN_OK) fail_msg("%s", zn_error_text(context));
    toy result = {0};
    double before = 1, t_before = 0;
    while (!zn_simulation_done(simulation)) {
        if (zn_simulation_step(simulation) != ZN_OK) fail_msg("%s", zn_error_text(context));
        double t = zn_simulation_time(simulation), now = tilt(zn_simulation_positions(simulation));
        if (before > 0 && now <= 0 && result.upright == 0) result.upright = t_before + (t - t_before) * before / (before - now);
        if (zn_simulation_percussions(simulation)[zn_scene_model(scene)->contacts[1].row_N] > 0 && result.touch == 0) result.touch = t;
        before = now, t_before = t;
    }
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return result;
}

static void tippe_top_turns_in_time(void **state) {
    (void)state;
    static const struct {
        const char *scheme;
        int stages;
        double upright; /* allowed error at h = 2e-3 */
    } cases[] = {{"radau-2a", 2, 1e-4}, {"radau-2a", 3, 1e-4}, {"generalized-alpha", 0, 6e-3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        toy staged = spin(cases[i].scheme, cases[i].stages, ZN_FRICTION_STAGED, 2e-3);
        toy papers = spin(cases[i].scheme, cases[i].stages, ZN_FRICTION_ACCUMULATED, 2e-3);
        print_message("%s: upright at %.6f (accumulated %.6f), stick at %.4f (%.4f)\n", cases[i].scheme, staged.upright, papers.upright,
                      staged.touch, papers.touch);
        check_close(staged.upright, 0.972947, cases[i].upright);
        check_close(staged.touch, 1.371043, 0.0081);
        assert_true(fabs(papers.upright - 0.972947) > fabs(staged.upright - 0.972947));
        assert_true(fabs(papers.touch - 1.371043) > 3 * fabs(staged.touch - 1.371043));
    }
}

/* ---- full order with a joint between two bodies, an elliptical reservoir, and two laws on one contact ---- */

static const char rod[] =
    "title: two pucks joined by a rod, sliding and turning\n"
    "coordinates: {x1: {start: 1, velocity: 0}, y1: {start: 0, velocity: 2}, z1: 0, x2: 0, y2: {start: 0, velocity: -1}, z2: 0}\n"
    "energy: {kinetic: (x1'^2 + y1'^2 + z1'^2)/2 + (x2'^2 + y2'^2 + z2'^2), potential: 10*z1 + 20*z2}\n"
    "constraints: {rod: {position: (x1 - x2)^2 + (y1 - y2)^2 + (z1 - z2)^2 - 1}}\n"
    "contacts:\n"
    "  a: {gap: z1, slip: [x1', y1'], friction: 0.1}\n"
    "  b: {gap: z2, slip: [x2', y2'], friction: [0.05, 0.1]}\n"
    "simulation: {scheme: radau-2a, step: 1e-2, end: 0.256, friction_law: staged}\n";
static const char laws[] = "title: puck with two laws, sliding and pivoting\n"
                           "coordinates: {x: 1, y: {start: 0, velocity: 2}, z: 0, psi: {start: 0, velocity: 9}}\n"
                           "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2 + 0.01*psi'^2, potential: 10*z + 2*(x^2 + y^2)}\n"
                           "contacts: {floor: {gap: z, slip: [x', y'], friction: 0.1, pivoting: {slip: psi', friction: 0.002}}}\n"
                           "simulation: {scheme: radau-2a, step: 1e-2, end: 0.256, friction_law: staged}\n";

static double error_of(const char *text, const char *scheme, int stages, double step, const double *exact, int nq) {
    trial r = trial_complete(text, (trial_options){.scheme = scheme, .stages = stages, .step = step, .tolerance = 1e-12});
    double worst = 0;
    for (int i = 0; i < nq; i++) worst = fmax(worst, fabs(zn_simulation_positions(r.simulation)[i] - exact[i]));
    assert_true(zn_simulation_statistics(r.simulation).staged_accepted > 0);
    trial_end(&r);
    return worst;
}

static void full_order_with_joints_and_several_laws(void **state) {
    (void)state;
    static const char *const texts[] = {rod, laws};
    static const int nq[] = {6, 4};
    static const struct {
        const char *scheme;
        int stages;
        double order;
    } cases[] = {{"radau-2a", 2, 3}, {"lobatto-3a3b", 3, 4}, {"tr-bdf2", 0, 2}, {"generalized-alpha", 0, 2}};
    for (int k = 0; k < 2; k++) {
        double exact[6];
        trial fine = trial_complete(texts[k], (trial_options){.scheme = "radau-2a", .stages = 3, .step = 1e-3, .tolerance = 1e-12});
        memcpy(exact, zn_simulation_positions(fine.simulation), (size_t)nq[k] * sizeof *exact);
        trial_end(&fine);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            double coarse = error_of(texts[k], cases[i].scheme, cases[i].stages, 1.6e-2, exact, nq[k]);
            double half = error_of(texts[k], cases[i].scheme, cases[i].stages, 8e-3, exact, nq[k]);
            print_message("%s: order %.2f, error %.1e\n", cases[i].scheme, log2(coarse / half), half);
            check_close(log2(coarse / half), cases[i].order, 0.2);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tippe_top_turns_in_time),
                                       cmocka_unit_test(full_order_with_joints_and_several_laws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
