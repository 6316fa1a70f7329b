/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the projected schemes: exact Jacobians, memory, motion inside a step, and what is refused. */
#include "base/counting_allocator.h"
#include "general_scenes.h"
#include "projected_runs.h"

#include "scheme/projected_stages.h"
#include "scheme/scheme.h"
#include "scheme/tableau.h"

#include <stdlib.h>

static unsigned long long seed = 7;
static double uniform(void) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

typedef struct values {
    double *phi, *psi, *phi_y, *psi_x;
} values;

static values take_values(const cone_problem *p) {
    return (values){calloc((size_t)p->nx, sizeof(double)), calloc((size_t)p->npsi + 1, sizeof(double)),
                    calloc((size_t)lin_nnz(&p->phi_y) + 1, sizeof(double)), calloc((size_t)lin_nnz(&p->psi_x) + 1, sizeof(double))};
}
static void free_values(values *v) { free(v->phi), free(v->psi), free(v->phi_y), free(v->psi_x); }

static void evaluate_at(const cone_problem *p, const double *x, const double *y, values *v, bool jacobian) {
    cone_values out = {
        .phi = v->phi, .psi = v->psi, .jacobian = jacobian, .phi_y = jacobian ? v->phi_y : NULL, .psi_x = jacobian ? v->psi_x : NULL};
    assert_int_equal(p->evaluate(p->user, x, y, &out), 0);
}

/* Jacobian times a direction against central differences in that direction. */
static void check_direction(stages *s, double *x, double *y) {
    const cone_problem *p = &s->problem;
    values at = take_values(p), plus = take_values(p), minus = take_values(p);
    double *dx = calloc((size_t)p->nx, sizeof *dx), *dy = calloc((size_t)p->ny + 1, sizeof *dy), step = 1e-5;
    double *phi = calloc((size_t)p->nx, sizeof *phi), *psi = calloc((size_t)p->npsi + 1, sizeof *psi);
    for (int i = 0; i < p->nx; i++) dx[i] = uniform();
    for (int i = 0; i < p->ny; i++) dy[i] = uniform();
    evaluate_at(p, x, y, &at, true);
    lin_matrix_multiply(p->phi_x, dx, phi);
    lin_multiply(&p->phi_y, at.phi_y, 1, dy, phi);
    lin_multiply(&p->psi_x, at.psi_x, 1, dx, psi);
    for (int sign = 0; sign < 2; sign++) {
        double move = sign ? -2 * step : step;
        for (int i = 0; i < p->nx; i++) x[i] += move * dx[i];
        for (int i = 0; i < p->ny; i++) y[i] += move * dy[i];
        evaluate_at(p, x, y, sign ? &minus : &plus, false);
    }
    for (int i = 0; i < p->nx; i++) check_close_relative(phi[i], (plus.phi[i] - minus.phi[i]) / (2 * step), 1e-9, 1e-7);
    for (int i = 0; i < p->npsi; i++) check_close_relative(psi[i], (plus.psi[i] - minus.psi[i]) / (2 * step), 1e-9, 1e-7);
    free_values(&at), free_values(&plus), free_values(&minus);
    free(dx), free(dy), free(phi), free(psi);
}

static void jacobians_are_exact(void **state) {
    (void)state;
    const char *scenes[] = {general, natural};
    for (int k = 0; k < 2; k++)
        for (int m = 1; m <= 3; m++) {
            run r;
            zn_settings settings = open_scene(&r, scenes[k], NULL);
            assert_true(r.model->natural == (k == 1));
            tableau radau;
            assert_int_equal(tableau_radau_2a(r.context, m, 0, &radau), ZN_OK);
            stages *s = stages_create(r.context, r.model, &settings, m, radau.A, NULL);
            assert_non_null(s);
            s->h = 0.3; /* large, so that no term hides behind M */
            const zn_sizes *size = &r.model->size;
            for (int i = 0; i < m; i++) {
                s->tau[i] = 0.1 + s->h * radau.c[i];
                for (int j = 0; j < size->nq; j++) s->Q0[i * size->nq + j] = r.model->q_start[j] + 0.1 * uniform();
                for (int j = 0; j < size->nu; j++) s->U0[i * size->nu + j] = uniform();
            }
            for (int i = 0; i < s->problem.nx; i++) s->x[i] = 0.3 * uniform();
            for (int i = 0; i < s->problem.ny; i++) s->dPi_c[i] = uniform();
            for (int tries = 0; tries < 5; tries++) check_direction(s, s->x, s->dPi_c);
            stages_destroy(s);
            close_run(&r);
        }
}

/* ---- memory ---- */

static void memory_may_fail_anywhere(void **state) {
    (void)state;
    counting_allocator memory = COUNTING_ALLOCATOR;
    zn_context *context = counting_context(&memory);
    zn_scene *scene;
    assert_int_equal(zn_scene_parse(context, "general", general, NULL, &scene), ZN_OK);
    static const char *const schemes[] = {"radau-2a", "tr-bdf2"};
    for (int k = 0; k < 2; k++) {
        zn_settings settings = *zn_scene_settings(scene);
        settings.scheme = schemes[k];
        settings.stages = 0;
        const scheme_class *class = scheme_find(schemes[k]);
        settings.stages = class->info.stages_default;
        zn_status status = ZN_ERROR_MEMORY;
        int failures = 0;
        while (status != ZN_OK) {
            scheme *s = NULL;
            counting_allow(&memory, failures);
            status = class->create(context, class, zn_scene_model(scene), &settings, &s);
            if (status == ZN_OK) class->destroy(s);
            else assert_int_equal(status, ZN_ERROR_MEMORY), failures++;
            assert_true(failures < 1000);
        }
        counting_allow(&memory, -1);
        assert_true(failures > 20);
    }
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static void steps_take_no_memory(void **state) {
    (void)state;
    static const char *const schemes[] = {"radau-2a", "lobatto-3c", "sdirk2", "tr-theta"};
    for (int k = 0; k < 4; k++) {
        counting_allocator memory = COUNTING_ALLOCATOR;
        zn_context *context = counting_context(&memory);
        zn_scene *scene;
        assert_int_equal(zn_scene_load(context, ZENO_SOURCE_DIR "/scenes/rotating-ball.yaml", NULL, &scene), ZN_OK);
        zn_settings settings = *zn_scene_settings(scene);
        settings.scheme = schemes[k], settings.stages = 0;
        zn_simulation *simulation;
        assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation), ZN_OK);
        long requests = memory.requests;
        while (!zn_simulation_done(simulation)) assert_int_equal(zn_simulation_step(simulation), ZN_OK);
        assert_int_equal(memory.requests, requests);
        zn_simulation_destroy(simulation);
        zn_scene_destroy(scene);
        zn_context_destroy(context);
    }
}

/* ---- inside a step ---- */

typedef struct bare {
    scheme_state from, to;
    double *memory;
} bare;

static bare bare_states(const zn_model *model, const scheme_class *class, const zn_settings *settings) {
    size_t nq = (size_t)model->size.nq, nu = (size_t)model->size.nu, n = (size_t)model_rows(model);
    size_t carry = class->carry_size(model, settings), each = nq + nu + n + carry;
    bare b = {.memory = calloc(2 * each, sizeof(double))};
    scheme_state *list[2] = {&b.from, &b.to};
    for (size_t i = 0; i < 2; i++) {
        double *m = b.memory + i * each;
        *list[i] = (scheme_state){.q = m, .u = m + nq, .P = m + nq + nu, .carry = m + nq + nu + n};
    }
    memcpy(b.from.q, model->q_start, nq * sizeof(double));
    memcpy(b.from.u, model->u_start, nu * sizeof(double));
    return b;
}

/* Largest error of positions inside one step of h from the start, against short steps. */
static double inside_error(method m, double h) {
    run r;
    zn_settings settings = open_scene(&r, "cartesian-pendulum", NULL);
    settings.scheme = m.name, settings.stages = m.stages, settings.tolerance = 1e-13;
    const scheme_class *class = scheme_find(m.name);
    scheme *s;
    assert_int_equal(class->create(r.context, class, r.model, &settings, &s), ZN_OK);
    bare b = bare_states(r.model, class, &settings);
    b.from.u[1] = 2; /* along the circle */
    assert_int_equal(class->start(s, &b.from, NULL, NULL), ZN_OK);
    cone_outcome outcome;
    assert_int_equal(class->step(s, &b.from, h, &b.to, &outcome), ZN_OK);
    double q[2], u[2], worst = 0;
    class->interpolate(s, &b.from, &b.to, 0, q, u);
    for (int i = 0; i < 2; i++) assert_true(q[i] == b.from.q[i] && u[i] == b.from.u[i]);
    class->interpolate(s, &b.from, &b.to, 1, q, u);
    for (int i = 0; i < 2; i++) check_close(q[i], b.to.q[i], 1e-14);
    for (int part = 1; part < 4; part++) {
        const scheme_class *fine_class = scheme_find("radau-2a");
        zn_settings fine_settings = settings;
        fine_settings.scheme = "radau-2a", fine_settings.stages = 5;
        scheme *fine;
        assert_int_equal(fine_class->create(r.context, fine_class, r.model, &fine_settings, &fine), ZN_OK);
        bare exact = bare_states(r.model, fine_class, &fine_settings);
        exact.from.u[1] = 2;
        assert_int_equal(fine_class->start(fine, &exact.from, NULL, NULL), ZN_OK);
        assert_int_equal(fine_class->step(fine, &exact.from, h * part / 4, &exact.to, &outcome), ZN_OK);
        class->interpolate(s, &b.from, &b.to, part / 4.0, q, u);
        for (int i = 0; i < 2; i++) worst = fmax(worst, fabs(q[i] - exact.to.q[i]));
        fine_class->destroy(fine);
        free(exact.memory);
    }
    class->destroy(s);
    free(b.memory);
    close_run(&r);
    return worst;
}

static void motion_inside_of_a_step(void **state) {
    (void)state;
    static const struct {
        method m;
        double order; /* of the local error */
    } list[] = {{{"radau-2a", 1}, 2}, {{"radau-2a", 2}, 3}, {{"radau-2a", 3}, 4}, {{"lobatto-3c", 3}, 3}, {{"tr-bdf2", 3}, 3}};
    for (size_t e = 0; e < sizeof list / sizeof *list; e++) {
        double coarse = inside_error(list[e].m, 0.04), fine = inside_error(list[e].m, 0.02), order = log2(coarse / fine);
        print_message("%s:%d inside a step: %.3e %.3e, order %.2f\n", list[e].m.name, list[e].m.stages, coarse, fine, order);
        assert_true(order > list[e].order - 0.3);
    }
}

/* ---- refusals and failures ---- */

static void refuse(const char *name, int count, double damping, zn_projection projection, const char *word) {
    run r;
    zn_settings settings = open_scene(&r, "rotating-ball", NULL);
    settings.scheme = name, settings.stages = count, settings.damping = damping, settings.projection = projection;
    assert_int_equal(zn_simulation_create(r.context, r.model, &settings, &r.simulation), ZN_ERROR_ARGUMENT);
    print_message("%s\n", zn_error_text(r.context));
    assert_non_null(strstr(zn_error_text(r.context), word));
    close_run(&r);
}

static void wrong_settings_are_refused(void **state) {
    (void)state;
    refuse("radau-2a", 13, 0.5, ZN_PROJECTION_VELOCITY, "13");
    refuse("radau-2a", -1, 0.5, ZN_PROJECTION_VELOCITY, "-1");
    refuse("lobatto-3c", 1, 0.5, ZN_PROJECTION_VELOCITY, "lobatto-3c");
    refuse("sdirk2", 3, 0.5, ZN_PROJECTION_VELOCITY, "sdirk2");
    refuse("tr-theta", 0, 1.5, ZN_PROJECTION_VELOCITY, "1.5");
    refuse("tr-theta", 0, NAN, ZN_PROJECTION_VELOCITY, "nan");
    refuse("radau-2a", 2, 0.5, ZN_PROJECTION_COUNT, "projection has no choice 2; there are 0 to 1: velocity, none");
}

static void a_wall_of_infinities_fails_cleanly(void **state) {
    (void)state;
    static const char text[] = "title: singular force\n"
                               "coordinates: {x: {start: 1, velocity: -1}}\n"
                               "energy: {kinetic: x'^2/2, potential: 0}\n"
                               "forces: {x: -1/sqrt(x)}\n"
                               "simulation: {scheme: radau-2a, step: 0.1, end: 2}\n";
    static const method list[] = {{"radau-2a", 2}, {"tr-bdf2", 0}, {"sdirk3", 0}};
    for (size_t e = 0; e < sizeof list / sizeof *list; e++) {
        run r;
        zn_settings settings = open_scene(&r, text, NULL);
        settings.scheme = list[e].name, settings.stages = list[e].stages;
        start_run(&r, &settings);
        zn_status status = ZN_OK;
        while (status == ZN_OK && !zn_simulation_done(r.simulation)) status = zn_simulation_step(r.simulation);
        assert_true(status == ZN_ERROR_NOT_FINITE || status == ZN_ERROR_NO_CONVERGENCE || status == ZN_ERROR_SINGULAR);
        double x = zn_simulation_positions(r.simulation)[0];
        assert_true(x >= 0 && x < 0.5 && isfinite(zn_simulation_velocities(r.simulation)[0])); /* the last good state is kept */
        close_run(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_are_exact),        cmocka_unit_test(memory_may_fail_anywhere),
        cmocka_unit_test(steps_take_no_memory),       cmocka_unit_test(motion_inside_of_a_step),
        cmocka_unit_test(wrong_settings_are_refused), cmocka_unit_test(a_wall_of_infinities_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
