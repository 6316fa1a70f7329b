/* SPDX-License-Identifier: Apache-2.0 */
/* Coupled stages solved by the eigenvalues of A: the same steps as with the LU of all stages. */
#include "base/counting_allocator.h"
#include "dense_masses.h"
#include "general_scenes.h"
#include "projected_runs.h"

#include "linalg/complex_lu.h"
#include "scheme/stage_transform.h"
#include "scheme/tableau.h"
#include "sim/simulation.h"

static unsigned long long seed = 5;
static double uniform(void) { return 2 * dense_masses_random(&seed) - 1; }

/* ---- one solve ---- */

static void evaluate(stages *s) {
    const cone_problem *p = &s->problem;
    double *phi = calloc((size_t)p->nx, 8), *psi = calloc((size_t)p->npsi + 1, 8), *phi_y = calloc((size_t)lin_nnz(&p->phi_y) + 1, 8),
           *psi_x = calloc((size_t)lin_nnz(&p->psi_x) + 1, 8);
    cone_values out = {.phi = phi, .psi = psi, .jacobian = true, .phi_y = phi_y, .psi_x = psi_x};
    assert_int_equal(p->evaluate(p->user, s->x, s->dPi_c, &out), 0);
    free(phi), free(psi), free(phi_y), free(psi_x);
}

/* The solution of the transformed system, put into the matrix of all stages. Stages of no extent (all at one point) make the
 * frozen matrices exact: one iteration. */
static void solve_once(stages *s, double extent) {
    int nx = s->problem.nx, nq = s->model->size.nq, nu = s->model->size.nu;
    enum { COLUMNS = 19 }; /* more than one batch */
    double *b = malloc((size_t)(nx * COLUMNS) * 8), *x = malloc((size_t)(nx * COLUMNS) * 8), *r = malloc((size_t)nx * 8);
    s->h = 0.1;
    for (int i = 0; i < s->m; i++) {
        s->tau[i] = 0.1 * extent * i;
        for (int j = 0; j < nq; j++) s->Q0[i * nq + j] = s->model->q_start[j] + 0.3 * extent * uniform();
        for (int j = 0; j < nu; j++) s->U0[i * nu + j] = extent * uniform();
    }
    memset(s->x, 0, (size_t)nx * 8);
    memset(s->dPi_c, 0, (size_t)s->problem.ny * 8);
    for (int i = 0; i < nx * COLUMNS; i++) b[i] = x[i] = uniform();
    assert_int_equal(stages_transform(s), ZN_OK);
    assert_non_null(s->problem.linear);
    evaluate(s);
    stage_transform_begin(s->transform);
    stage_transform_counts before = stage_transform_count(s->transform);
    assert_int_equal(s->linear.factor(s->linear.user), ZN_OK);
    assert_int_equal(s->linear.solve(s->linear.user, x, COLUMNS, false), COLUMNS);
    long taken = stage_transform_count(s->transform).iterations - before.iterations;
    s->linear.fill(s->linear.user);
    for (int c = 0; c < COLUMNS; c++) {
        double error = 0, size = 0;
        lin_matrix_multiply(s->problem.phi_x, x + c * nx, r);
        for (int i = 0; i < nx; i++)
            error += pow(s->phi_scale[i] * (r[i] - b[c * nx + i]), 2), size += pow(s->phi_scale[i] * b[c * nx + i], 2);
        check_below(sqrt(error / size), 1.1e-6);
    }
    if (extent == 0) assert_int_equal(taken, 1);
    free(b), free(x), free(r);
}

static void solves_with_the_exact_matrix(void **state) {
    (void)state;
    const char *scenes[] = {natural, general};
    for (int k = 0; k < 2; k++)
        for (int m = 2; m <= 6; m++)
            for (int lobatto = 0; lobatto < 2; lobatto++) {
                run r;
                zn_settings settings = open_scene(&r, scenes[k], NULL);
                tableau scheme_tableau;
                assert_int_equal((lobatto ? tableau_lobatto_3c : tableau_radau_2a)(r.context, m, 0, &scheme_tableau), ZN_OK);
                stages *s = stages_create(r.context, r.model, &settings, m, scheme_tableau.A, NULL);
                assert_non_null(s);
                assert_null(s->problem.linear); /* too small to pay */
                solve_once(s, 0);
                solve_once(s, 0.3);
                stages_destroy(s);
                close_run(&r);
            }
}

static void eigenvectors_of_the_methods(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    for (int s = 2; s <= TABLEAU_S_MAX; s++) {
        tableau radau, lobatto;
        lin_eigen of_radau, of_lobatto;
        assert_int_equal(tableau_radau_2a(context, s, 0, &radau), ZN_OK);
        assert_int_equal(tableau_lobatto_3c(context, s, 0, &lobatto), ZN_OK);
        assert_int_equal(lin_eigen_create(context, s, radau.A, &of_radau), ZN_OK);
        assert_int_equal(lin_eigen_create(context, s, lobatto.A, &of_lobatto), ZN_OK);
        print_message("s = %d: condition of the eigenvectors %.2g (Radau IIA), %.2g (Lobatto IIIC)\n", s, of_radau.condition,
                      of_lobatto.condition);
        assert_int_equal(of_radau.count, (s + 1) / 2); /* one real eigenvalue at most */
        assert_int_equal(of_lobatto.count, (s + 1) / 2);
        if (s <= 6) check_below(fmax(of_radau.condition, of_lobatto.condition), 1e4);
        check_below(fmax(of_radau.condition, of_lobatto.condition), STAGE_TRANSFORM_CONDITION);
    }
    zn_context_destroy(context);
}

/* ---- whole motions ---- */

typedef struct motion {
    double q[400], u[400], contact; /* contact: sum of the normal percussions */
    double newton;
    stage_transform_counts counts;
} motion;

static void finish(zn_context *context, zn_simulation *simulation, bool transformed, motion *m) {
    stages *s = projected_stages(simulation->scheme);
    s->problem.linear = NULL;
    if (transformed) assert_int_equal(stages_transform(s), ZN_OK);
    const zn_sizes *size = &simulation->model->size;
    m->contact = 0;
    while (!zn_simulation_done(simulation)) {
        zn_status status = zn_simulation_step(simulation);
        if (status != ZN_OK) print_error("%s\n", zn_error_text(context));
        assert_int_equal(status, ZN_OK);
        for (int k = 0; k < size->nN; k++) m->contact += simulation->now.P[size->ng + size->ny + k];
    }
    memcpy(m->q, zn_simulation_positions(simulation), (size_t)size->nq * 8);
    memcpy(m->u, zn_simulation_velocities(simulation), (size_t)size->nu * 8);
    m->newton = (double)zn_simulation_statistics(simulation).newton_total;
    m->counts = transformed ? stage_transform_count(s->transform) : (stage_transform_counts){0};
}

static double difference(const zn_sizes *size, const motion *a, const motion *b) {
    double worst = 0;
    for (int i = 0; i < size->nq; i++) worst = fmax(worst, fabs(a->q[i] - b->q[i]));
    for (int i = 0; i < size->nu; i++) worst = fmax(worst, fabs(a->u[i] - b->u[i]));
    return worst;
}

/* 120 masses, stiff and not, with constraints on both levels, impacts and friction. */
static void large_dense_system(void **state) {
    (void)state;
    static motion full, fast;
    const struct {
        const char *scheme;
        int stages;
        double stiffness, cubic;
    } list[] = {
        {"radau-2a", 2, 1e3, 1}, {"radau-2a", 3, 1e3, 1}, {"lobatto-3c", 3, 1e3, 1}, {"radau-2a", 2, 1e5, 1}, {"radau-2a", 3, 1e3, 30}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        zn_context *context = zn_context_create(NULL);
        dense_masses masses;
        zn_model *model;
        assert_int_equal(dense_masses_open(context, &masses, 120, 3, 1, 5, list[k].stiffness, list[k].cubic, &model), ZN_OK);
        zn_settings settings = zn_settings_default();
        settings.scheme = list[k].scheme, settings.stages = list[k].stages, settings.step = 1e-2, settings.end = 0.15;
        settings.tolerance = 1e-12;
        for (int transformed = 0; transformed < 2; transformed++) {
            zn_simulation *simulation;
            assert_int_equal(zn_simulation_create(context, model, &settings, &simulation), ZN_OK);
            assert_non_null(projected_stages(simulation->scheme)->problem.linear); /* it pays */
            finish(context, simulation, transformed, transformed ? &fast : &full);
            zn_simulation_destroy(simulation);
        }
        print_message("%s:%d stiffness %g, cubic %g: difference %.1e, Newton %g and %g, %ld factorisations, %ld solves of "
                      "%.1f iterations\n",
                      list[k].scheme, list[k].stages, list[k].stiffness, list[k].cubic, difference(&model->size, &full, &fast), full.newton,
                      fast.newton, fast.counts.factorisations, fast.counts.solves,
                      (double)fast.counts.iterations / (double)fast.counts.solves);
        assert_true(full.contact > 0);
        check_below(difference(&model->size, &full, &fast), 1e-10);
        check_close(fast.contact, full.contact, 1e-9);
        assert_int_equal(fast.counts.failures, 0);
        check_below(fast.newton, full.newton * 1.25 + 2);
        check_below((double)fast.counts.iterations, 7 * (double)fast.counts.solves);
        assert_true(fast.counts.factorisations <= 20); /* 15 steps, of several Jacobians each */
        zn_model_destroy(context, model);
        dense_masses_close(&masses);
        zn_context_destroy(context);
    }
}

/* Where it does not pay the LU stays: few unknowns, or many contacts. */
static void small_systems_and_many_contacts(void **state) {
    (void)state;
    static const int list[][3] = {{60, 5, 0}, {110, 5, 1}, {110, 40, 0}}; /* n, contacts, whether */
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        zn_context *context = zn_context_create(NULL);
        dense_masses masses;
        zn_model *model;
        assert_int_equal(dense_masses_open(context, &masses, list[k][0], 0, 0, list[k][1], 1e3, 1, &model), ZN_OK);
        zn_settings settings = zn_settings_default();
        tableau radau;
        assert_int_equal(tableau_radau_2a(context, 2, 0, &radau), ZN_OK);
        stages *s = stages_create(context, model, &settings, 2, radau.A, NULL);
        assert_non_null(s);
        assert_int_equal(s->problem.linear != NULL, list[k][2]);
        stages_destroy(s);
        zn_model_destroy(context, model);
        dense_masses_close(&masses);
        zn_context_destroy(context);
    }
}

/* Constant matrices are factored once for all steps. */
static void linear_systems_are_factored_once(void **state) {
    (void)state;
    static motion m;
    zn_context *context = zn_context_create(NULL);
    dense_masses masses;
    zn_model *model;
    assert_int_equal(dense_masses_open(context, &masses, 80, 0, 0, 3, 1e3, 0, &model), ZN_OK);
    zn_settings settings = zn_settings_default();
    settings.scheme = "radau-2a", settings.stages = 3, settings.step = 0x1p-7, settings.end = 20 * 0x1p-7;
    zn_simulation *simulation;
    assert_int_equal(zn_simulation_create(context, model, &settings, &simulation), ZN_OK);
    finish(context, simulation, true, &m);
    assert_true(m.contact > 0);
    assert_int_equal(m.counts.factorisations, 1);
    assert_int_equal(m.counts.iterations, m.counts.solves);
    zn_simulation_destroy(simulation);
    zn_model_destroy(context, model);
    dense_masses_close(&masses);
    zn_context_destroy(context);
}

/* Scenes of the library, forced through the transformation: impacts, friction, joints (redundant ones too), bodies. */
static void scenes_move_as_before(void **state) {
    (void)state;
    static motion full, fast;
    static const char redundant[] = "title: redundant\n"
                                    "coordinates: {x: 0.6, y: -0.8}\n"
                                    "energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}\n"
                                    "constraints: {bar: {position: x^2 + y^2 - 1}, again: {position: 2*x^2 + 2*y^2 - 2}}\n"
                                    "simulation: {scheme: radau-2a, step: 1e-2, end: 1}\n";
    const struct {
        const char *scene;
        double step, end, bound;
    } list[] = {{"cartesian-pendulum", 1e-2, 1, 1e-10}, {"slope", 1e-2, 0.8, 1e-10},        {"rotating-ball", 1e-2, 1, 1e-10},
                {"slider-crank", 1e-3, 0.05, 1e-10},    {"rolling-ball", 1e-2, 0.5, 1e-10}, {redundant, 1e-2, 0.3, 1e-10}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int count = 2; count <= 3; count++) {
            zn_sizes size = {0};
            for (int transformed = 0; transformed < 2; transformed++) {
                run r;
                zn_settings settings = open_scene(&r, list[k].scene, NULL);
                settings.scheme = "radau-2a", settings.stages = count, settings.step = list[k].step, settings.end = list[k].end;
                settings.tolerance = 1e-12;
                start_run(&r, &settings);
                size = r.model->size;
                finish(r.context, r.simulation, transformed, transformed ? &fast : &full);
                close_run(&r);
            }
            print_message("%.20s:%d difference %.1e, Newton %g and %g, failures %ld\n", list[k].scene, count,
                          difference(&size, &full, &fast), full.newton, fast.newton, fast.counts.failures);
            check_below(difference(&size, &full, &fast), list[k].bound);
        }
}

/* Order 2s - 1 of the pendulum, with steps of the transformation. */
static void orders_are_unchanged(void **state) {
    (void)state;
    static motion at[4];
    for (int count = 2; count <= 3; count++) {
        for (int k = 0; k < 4; k++) {
            run r;
            zn_settings settings = open_scene(&r, "cartesian-pendulum", NULL);
            settings.scheme = "radau-2a", settings.stages = k < 3 ? count : 5, settings.tolerance = 1e-13;
            settings.end = 0.2048, settings.step = settings.end / (k < 3 ? 8 << k : 64);
            start_run(&r, &settings);
            finish(r.context, r.simulation, true, &at[k]);
            close_run(&r);
        }
        zn_sizes size = {.nq = 2, .nu = 2};
        double order = log2(difference(&size, &at[0], &at[3]) / difference(&size, &at[2], &at[3])) / 2;
        print_message("stages %d: order %.2f\n", count, order);
        check_close(order, 2 * count - 1, 0.2);
    }
}

/* ---- when it cannot ---- */

typedef struct broken {
    stages *s;
    int calls, every; /* each so many calls nothing, or half of the columns, is solved */
    bool factors;
} broken;

static zn_status broken_factor(void *user) {
    broken *b = user;
    return b->factors ? stage_transform_factor(b->s->transform) : ZN_ERROR_SINGULAR;
}
static int broken_solve(void *user, double *x, int columns, bool rough) {
    broken *b = user;
    bool fails = b->calls++ % b->every == 0;
    int wanted = fails ? columns / 2 : columns;
    return stage_transform_solve(b->s->transform, x, wanted, rough);
}
static void broken_fill(void *user) {
    broken *b = user;
    b->s->linear.fill(b->s->linear.user);
}

static void the_full_matrix_takes_over(void **state) {
    (void)state;
    static motion full, other;
    for (int kind = 0; kind < 4; kind++) {
        zn_sizes size = {0};
        for (int k = 0; k < 2; k++) {
            run r;
            zn_settings settings = open_scene(&r, "rotating-ball", NULL);
            settings.scheme = "radau-2a", settings.stages = 3, settings.step = 1e-2, settings.end = 0.5, settings.tolerance = 1e-12;
            start_run(&r, &settings);
            size = r.model->size;
            stages *s = projected_stages(r.simulation->scheme);
            if (k == 0) finish(r.context, r.simulation, false, &full);
            else {
                assert_int_equal(stages_transform(s), ZN_OK);
                broken b = {s, 0, 1 + kind, kind > 0};
                cone_linear linear = {&b, broken_factor, broken_solve, broken_fill};
                s->problem.linear = &linear;
                while (!zn_simulation_done(r.simulation)) step_run(&r);
                memcpy(other.q, zn_simulation_positions(r.simulation), (size_t)size.nq * 8);
                memcpy(other.u, zn_simulation_velocities(r.simulation), (size_t)size.nu * 8);
                assert_true((b.calls > 0) == b.factors);
            }
            close_run(&r);
        }
        check_below(difference(&size, &full, &other), 1e-10);
    }
}

/* Not finite in, not finite out: no crash, the step fails or is solved. */
static void values_that_are_not_finite(void **state) {
    (void)state;
    run r;
    zn_settings settings = open_scene(&r, natural, NULL);
    tableau radau;
    assert_int_equal(tableau_radau_2a(r.context, 3, 0, &radau), ZN_OK);
    stages *s = stages_create(r.context, r.model, &settings, 3, radau.A, NULL);
    assert_non_null(s);
    solve_once(s, 0.1);
    s->at[1].r_u[0] = NAN;
    assert_int_equal(s->linear.factor(s->linear.user), ZN_ERROR_NOT_FINITE);
    s->at[1].r_u[0] = INFINITY;
    assert_int_equal(s->linear.factor(s->linear.user), ZN_ERROR_NOT_FINITE);
    stages_destroy(s);
    close_run(&r);
}

/* ---- a step depends on its state only ---- */

static void steps_keep_nothing(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    dense_masses masses;
    zn_model *model;
    assert_int_equal(dense_masses_open(context, &masses, 70, 3, 1, 4, 1e3, 10, &model), ZN_OK);
    zn_settings settings = zn_settings_default();
    settings.scheme = "radau-2a", settings.stages = 3, settings.step = 1e-2, settings.end = 1;
    zn_simulation *simulation;
    assert_int_equal(zn_simulation_create(context, model, &settings, &simulation), ZN_OK);
    assert_non_null(projected_stages(simulation->scheme)->problem.linear);
    for (int k = 0; k < 3; k++) assert_int_equal(zn_simulation_step(simulation), ZN_OK);
    scheme *radau = simulation->scheme;
    double q[70], u[70];
    cone_outcome outcome;
    assert_int_equal(radau->class->step(radau, &simulation->now, 1e-2, &simulation->next, &outcome), ZN_OK);
    memcpy(q, simulation->next.q, sizeof q), memcpy(u, simulation->next.u, sizeof u);
    assert_int_equal(radau->class->step(radau, &simulation->now, 3e-3, &simulation->next, &outcome), ZN_OK);
    assert_int_equal(radau->class->step(radau, &simulation->now, 1e-2, &simulation->next, &outcome), ZN_OK);
    assert_memory_equal(q, simulation->next.q, sizeof q);
    assert_memory_equal(u, simulation->next.u, sizeof u);
    zn_simulation_destroy(simulation);
    zn_model_destroy(context, model);
    dense_masses_close(&masses);
    zn_context_destroy(context);
}

/* ---- memory ---- */

static void memory_may_fail_anywhere(void **state) {
    (void)state;
    counting_allocator memory = COUNTING_ALLOCATOR;
    zn_context *context = counting_context(&memory);
    zn_scene *scene;
    assert_int_equal(zn_scene_parse(context, "natural", natural, NULL, &scene), ZN_OK);
    tableau radau;
    assert_int_equal(tableau_radau_2a(context, 3, 0, &radau), ZN_OK);
    stages *s = stages_create(context, zn_scene_model(scene), zn_scene_settings(scene), 3, radau.A, NULL);
    assert_non_null(s);
    int failures = 0;
    for (counting_allow(&memory, 0); stages_transform(s) != ZN_OK; counting_allow(&memory, failures)) {
        assert_null(s->problem.linear);
        assert_true(++failures < 1000);
    }
    counting_allow(&memory, -1);
    assert_true(failures > 15);
    solve_once(s, 0.1);
    stages_destroy(s);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static void steps_take_no_memory(void **state) {
    (void)state;
    counting_allocator memory = COUNTING_ALLOCATOR;
    zn_context *context = counting_context(&memory);
    dense_masses masses;
    zn_model *model;
    assert_int_equal(dense_masses_open(context, &masses, 110, 2, 1, 4, 1e3, 1, &model), ZN_OK);
    zn_settings settings = zn_settings_default();
    settings.scheme = "radau-2a", settings.stages = 2, settings.step = 1e-2, settings.end = 0.1;
    zn_simulation *simulation;
    assert_int_equal(zn_simulation_create(context, model, &settings, &simulation), ZN_OK);
    assert_non_null(projected_stages(simulation->scheme)->problem.linear);
    long requests = memory.requests;
    while (!zn_simulation_done(simulation)) assert_int_equal(zn_simulation_step(simulation), ZN_OK);
    assert_int_equal(memory.requests, requests);
    zn_simulation_destroy(simulation);
    zn_model_destroy(context, model);
    dense_masses_close(&masses);
    zn_context_destroy(context);
}

/* The system of these tests answers with the right derivatives. */
static void the_masses_are_sound(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    dense_masses masses;
    zn_model *model;
    assert_int_equal(dense_masses_open(context, &masses, 30, 3, 2, 4, 10, 3, &model), ZN_OK);
    double u[30], a[30], lambda[13];
    for (int i = 0; i < 30; i++) u[i] = uniform(), a[i] = uniform();
    for (int i = 0; i < 13; i++) lambda[i] = uniform();
    zn_derivative_check check;
    assert_int_equal(zn_model_check_derivatives(context, model, &(zn_point){0, masses.q, u, a, lambda}, &check), ZN_OK);
    check_below(check.worst, 1e-6);
    zn_model_destroy(context, model);
    dense_masses_close(&masses);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_masses_are_sound),
        cmocka_unit_test(eigenvectors_of_the_methods),
        cmocka_unit_test(solves_with_the_exact_matrix),
        cmocka_unit_test(large_dense_system),
        cmocka_unit_test(small_systems_and_many_contacts),
        cmocka_unit_test(linear_systems_are_factored_once),
        cmocka_unit_test(scenes_move_as_before),
        cmocka_unit_test(orders_are_unchanged),
        cmocka_unit_test(the_full_matrix_takes_over),
        cmocka_unit_test(values_that_are_not_finite),
        cmocka_unit_test(steps_keep_nothing),
        cmocka_unit_test(memory_may_fail_anywhere),
        cmocka_unit_test(steps_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
