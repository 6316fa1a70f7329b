/* SPDX-License-Identifier: Apache-2.0 */
/* Misuse of base, models, scenes, simulations, accounts and recorders; the rows of parts are in rows_of_parts.c. */
#include "misuse/misuse.h"

#include "scheme/settings.h"

static const zn_formula zero = {.text = "0"};

/* ---- base ---- */

ROW(zn_status_text) {
    (void)w;
    assert_string_equal(zn_status_text((zn_status)99), "unknown status");
    assert_string_equal(zn_status_text((zn_status)-1), "unknown status");
}
ROW(zn_context_create) {
    (void)w;
    zn_context_def half = {.allocator = {.user = w}}; /* no functions: malloc */
    zn_context *context = zn_context_create(&half);
    assert_non_null(context);
    zn_context_destroy(context);
}
ROW(zn_context_destroy) { (void)w, zn_context_destroy(NULL); }
ROW(zn_context_watch) { zn_context_watch(NULL, NULL), zn_context_watch(w->context, NULL); }
ROW(zn_error_count) { (void)w, assert_int_equal(zn_error_count(NULL), 0); }
ROW(zn_error_get) {
    assert_null(zn_error_get(NULL, 0));
    const int wrong[] = {-1, 0, 7, INT_MIN, INT_MAX};
    for (int i = 0; i < 5; i++) assert_null(zn_error_get(w->context, wrong[i]));
}
ROW(zn_error_text) { (void)w, assert_string_equal(zn_error_text(NULL), ""); }
ROW(zn_error_clear) { (void)w, zn_error_clear(NULL); }
ROW(zn_version_number) { (void)w, assert_int_equal(zn_version_number(), ZN_VERSION_NUMBER); }
ROW(zn_version) { (void)w, assert_true(strlen(zn_version()) > 0); }

/* ---- models ---- */

ROW(zn_model_destroy) {
    zn_model_destroy(w->context, NULL);
    zn_model_destroy(NULL, w->model);
    assert_non_null(w->model->balance);
    zn_model_destroy(w->context, w->dead_model); /* twice */
    assert_int_equal(zn_error_count(w->context), 1);
    zn_error_clear(w->context);
}
ROW(zn_model_set_drawing) {
    REFUSED_SILENTLY(zn_model_set_drawing(NULL, w->model, "{}"));
    REFUSED(zn_model_set_drawing(w->context, NULL, "{}"));
    REFUSED(zn_model_set_drawing(w->context, w->dead_model, "{}"));
    assert_int_equal(zn_model_set_drawing(w->context, w->model, NULL), ZN_OK);
}

static double callback_mass;
static int balance(const zn_model *model, void *work, const zn_point *at, zn_balance *out) {
    (void)model, (void)work;
    if (out->M) *out->M = callback_mass;
    if (out->r) *out->r = callback_mass * (at->a ? at->a[0] : 0);
    if (out->r_q) *out->r_q = 0;
    if (out->r_u) *out->r_u = 0;
    return 0;
}

/* The model of one coordinate with a mass; a change to it must be refused. */
typedef void damage(zn_model *);
static void no_balance(zn_model *m) { m->balance = NULL; }
static void no_coordinates(zn_model *m) { m->size.nq = m->size.nu = 0; }
static void negative_rows(zn_model *m) { m->size.ng = -1; }
static void negative_contacts(zn_model *m) { m->size.n_contacts = -3; }
static void negative_outputs(zn_model *m) { m->n_outputs = -1; }
static void huge(zn_model *m) { m->size.nq = m->size.nu = INT_MAX; }
static void rows_without_answer(zn_model *m) { m->size.ng = 1; }
static void contacts_without_list(zn_model *m) { m->size.n_contacts = 1; }
static void not_natural(zn_model *m) { m->natural = false; }
static void lagrangian(zn_model *m) { m->lagrangian = true; }
static void outputs_without_answer(zn_model *m) { m->n_outputs = 2; }
static void start_nan(zn_model *m) {
    static const double start = NAN;
    m->q_start = &start;
}
static void velocity_infinite(zn_model *m) {
    static const double start = INFINITY;
    m->u_start = &start;
}
static void pattern_without_rows(zn_model *m) {
    static const int start[] = {0, 1};
    m->pattern.M = (zn_pattern){1, 1, start, NULL};
}
static void pattern_backwards(zn_model *m) {
    static const int start[] = {0, -5}, index[] = {0};
    m->pattern.M = (zn_pattern){1, 1, start, index};
}
static void pattern_too_long(zn_model *m) {
    static const int start[] = {0, INT_MAX}, index[] = {0};
    m->pattern.M = (zn_pattern){1, 1, start, index};
}
static damage *const damages[] = {
    no_balance,          no_coordinates,        negative_rows,     negative_contacts, negative_outputs,       huge,
    rows_without_answer, contacts_without_list, not_natural,       lagrangian,        outputs_without_answer, start_nan,
    velocity_infinite,   pattern_without_rows,  pattern_backwards, pattern_too_long};

ROW(zn_model_from_callbacks) {
    const zn_model good = {.size = {.nq = 1, .nu = 1}, .natural = true, .balance = balance};
    zn_model *model = w->model;
    REFUSED_SILENTLY(zn_model_from_callbacks(NULL, &good, &model));
    REFUSED(zn_model_from_callbacks(w->context, &good, NULL));
    REFUSED(zn_model_from_callbacks(w->context, NULL, &model));
    assert_null(model);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        zn_model def = good;
        damages[i](&def);
        REFUSED(zn_model_from_callbacks(w->context, &def, &model));
    }
    const zn_ball balls[] = {{1, NAN}, {1, -1}, {0, 1}, {2, 1}, {INT_MAX, 1}};
    for (size_t i = 0; i <= sizeof balls / sizeof *balls; i++) {
        const zn_contact contact = {.row_N = -1, .row_F = 0, .nF = 1, .n_balls = 1, .balls = i < 5 ? &balls[i] : NULL};
        zn_model def = good;
        def.size.nF = def.size.n_contacts = 1, def.contacts = &contact;
        def.constraints = (int (*)(const zn_model *, void *, const zn_point *, zn_constraints *))(void (*)(void))balance;
        REFUSED(zn_model_from_callbacks(w->context, &def, &model));
    }
    const double masses[] = {-1, 0, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++) {
        callback_mass = masses[i];
        REFUSED(zn_model_from_callbacks(w->context, &good, &model));
        assert_null(model);
    }
    callback_mass = 1;
}
ROW(zn_model_check_derivatives) {
    const double x = 0;
    const zn_point at = {.q = &x, .u = &x, .a = &x, .lambda = &x}, no_q = {.u = &x, .a = &x, .lambda = &x};
    zn_derivative_check check = {0};
    REFUSED_SILENTLY(zn_model_check_derivatives(NULL, w->model, &at, &check));
    REFUSED(zn_model_check_derivatives(w->context, NULL, &at, &check));
    REFUSED(zn_model_check_derivatives(w->context, w->dead_model, &at, &check));
    REFUSED(zn_model_check_derivatives(w->context, w->model, NULL, &check));
    REFUSED(zn_model_check_derivatives(w->context, w->model, &no_q, &check));
    REFUSED(zn_model_check_derivatives(w->context, w->model, &at, NULL));
}
ROW(zn_model_part_count) {
    assert_int_equal(zn_model_part_count(NULL), 0);
    assert_int_equal(zn_model_part_count(w->dead_model), 0);
}
ROW(zn_model_part_info) {
    const int wrong[] = {-1, 1000, INT_MIN, INT_MAX};
    for (int i = 0; i < 4; i++) assert_string_equal(zn_model_part_info(zn_scene_model(w->scene), wrong[i]).name, "");
    assert_string_equal(zn_model_part_info(NULL, 0).name, "");
    assert_string_equal(zn_model_part_info(w->dead_model, 0).name, "");
}
ROW(zn_model_redundant_rows) {
    bool redundant[8];
    int count = 7;
    REFUSED_SILENTLY(zn_model_redundant_rows(NULL, w->model, redundant, &count));
    REFUSED(zn_model_redundant_rows(w->context, NULL, redundant, &count));
    REFUSED(zn_model_redundant_rows(w->context, w->dead_model, redundant, &count));
    REFUSED(zn_model_redundant_rows(w->context, w->model, NULL, &count));
    REFUSED(zn_model_redundant_rows(w->context, w->model, redundant, NULL));
}
ROW(zn_model_part_energy) {
    const zn_model *model = zn_scene_model(w->scene);
    double x[8] = {0};
    void *work = test_malloc(model->work_bytes + 1);
    zn_part_energy energy;
    const zn_point at = {.q = x, .u = x}, nothing = {0};
    REFUSED_SILENTLY(zn_model_part_energy(NULL, work, 0, &at, &energy));
    REFUSED_SILENTLY(zn_model_part_energy(w->dead_model, work, 0, &at, &energy));
    REFUSED_SILENTLY(zn_model_part_energy(model, NULL, 0, &at, &energy));
    REFUSED_SILENTLY(zn_model_part_energy(model, work, -1, &at, &energy));
    REFUSED_SILENTLY(zn_model_part_energy(model, work, INT_MAX, &at, &energy));
    REFUSED_SILENTLY(zn_model_part_energy(model, work, 0, NULL, &energy));
    REFUSED_SILENTLY(zn_model_part_energy(model, work, 0, &nothing, &energy));
    REFUSED_SILENTLY(zn_model_part_energy(model, work, 0, &at, NULL));
    test_free(work);
}

/* ---- builders of formulas ---- */

ROW(zn_formula_model_create) { (void)w, assert_null(zn_formula_model_create(NULL)); }
ROW(zn_formula_model_destroy) {
    zn_formula_model_destroy(NULL);
    zn_formula_model_destroy(w->dead_formulas);
    assert_int_equal(zn_error_count(w->context), 1);
    zn_error_clear(w->context);
}
#define ROW_OF_FORMULAS(function, ...)                         \
    ROW(function) {                                            \
        REFUSED_SILENTLY(function(NULL, "x", __VA_ARGS__));    \
        REFUSED(function(w->dead_formulas, "x", __VA_ARGS__)); \
        REFUSED(function(w->formulas, NULL, __VA_ARGS__));     \
        REFUSED(function(w->formulas, "", __VA_ARGS__));       \
    }
ROW_OF_FORMULAS(zn_formula_parameter, zero)
ROW_OF_FORMULAS(zn_formula_coordinate, zero, zero)
ROW_OF_FORMULAS(zn_formula_force, zero)
ROW_OF_FORMULAS(zn_formula_velocity, zero)
ROW_OF_FORMULAS(zn_formula_kinematics, zero)
ROW_OF_FORMULAS(zn_formula_mass, "x", zero)
ROW_OF_FORMULAS(zn_formula_position_constraint, zero)
ROW_OF_FORMULAS(zn_formula_velocity_constraint, zero)
ROW_OF_FORMULAS(zn_formula_output, zero)
ROW(zn_formula_energy) {
    REFUSED_SILENTLY(zn_formula_energy(NULL, zero, zero));
    REFUSED(zn_formula_energy(w->dead_formulas, zero, zero));
}
ROW(zn_formula_contact) {
    const zn_formula slip = {.text = "x'"};
    const zn_friction_def good = {.n_slips = 1, .slips = &slip, .n_friction = 1, .friction = &zero};
    const zn_contact_def def = {.gap = {.text = "x"}, .n_laws = 1, .laws = &good};
    REFUSED_SILENTLY(zn_formula_contact(NULL, "c", &def));
    REFUSED(zn_formula_contact(w->dead_formulas, "c", &def));
    REFUSED(zn_formula_contact(w->formulas, NULL, &def));
    REFUSED(zn_formula_contact(w->formulas, "c", NULL));
    REFUSED(zn_formula_contact(w->formulas, "c", &(zn_contact_def){.gap = {.text = "x"}, .n_laws = -1}));
    REFUSED(zn_formula_contact(w->formulas, "c", &(zn_contact_def){.gap = {.text = "x"}, .n_laws = 1}));
    for (int i = 0; i < 6; i++) {
        zn_friction_def law = good;
        if (i == 0) law.reservoir = (zn_reservoir)99;
        if (i == 1) law.reservoir = (zn_reservoir)-1;
        if (i == 2) law.n_slips = -1;
        if (i == 3) law.slips = NULL;
        if (i == 4) law.friction = NULL;
        if (i == 5) law.n_friction = INT_MIN;
        REFUSED(zn_formula_contact(w->formulas, "c", &(zn_contact_def){.gap = {.text = "x"}, .n_laws = 1, .laws = &law}));
    }
    zn_model *model = NULL; /* what was refused left nothing behind */
    assert_int_equal(zn_formula_model_build(w->formulas, &model), ZN_OK);
    assert_int_equal(model->size.n_contacts, 0);
    zn_model_destroy(w->context, model);
}
ROW(zn_formula_model_build) {
    zn_model *model;
    REFUSED_SILENTLY(zn_formula_model_build(NULL, &model));
    REFUSED(zn_formula_model_build(w->dead_formulas, &model));
    REFUSED(zn_formula_model_build(w->formulas, NULL));
}

/* ---- scenes ---- */

static void check_options(world *w, zn_status (*load)(world *, const zn_scene_options *)) {
    const char *const sets[] = {"a=1", NULL};
    REFUSED(load(w, &(zn_scene_options){.n_sets = -1, .sets = NULL}));
    REFUSED(load(w, &(zn_scene_options){.n_sets = INT_MIN, .sets = sets}));
    REFUSED(load(w, &(zn_scene_options){.n_sets = 1, .sets = NULL}));
    REFUSED(load(w, &(zn_scene_options){.n_sets = 2, .sets = sets}));
}
static zn_status load_file(world *w, const zn_scene_options *options) {
    zn_scene *scene = w->scene;
    zn_status status = zn_scene_load(w->context, ZENO_SOURCE_DIR "/scenes/four-bar.yaml", options, &scene);
    assert_null(scene);
    return status;
}
static zn_status parse_text(world *w, const zn_scene_options *options) {
    zn_scene *scene = w->scene;
    zn_status status = zn_scene_parse(w->context, "name", "coordinates: {x: 0}\nenergy: {kinetic: x'^2}", options, &scene);
    assert_null(scene);
    return status;
}
ROW(zn_scene_load) {
    zn_scene *scene = NULL;
    REFUSED_SILENTLY(zn_scene_load(NULL, "x", NULL, &scene));
    REFUSED(zn_scene_load(w->context, NULL, NULL, &scene));
    REFUSED(zn_scene_load(w->context, "x", NULL, NULL));
    check_options(w, load_file);
}
ROW(zn_scene_parse) {
    zn_scene *scene = NULL;
    REFUSED_SILENTLY(zn_scene_parse(NULL, "x", "", NULL, &scene));
    REFUSED(zn_scene_parse(w->context, ZENO_SOURCE_DIR "/scenes/four-bar.yaml", NULL, NULL, &scene)); /* no file is opened */
    assert_null(scene);
    REFUSED(zn_scene_parse(w->context, "x", "", NULL, NULL));
    check_options(w, parse_text);
    assert_int_equal(zn_scene_parse(w->context, NULL, "", NULL, &scene), ZN_ERROR_SCENE); /* a text may have no name */
    zn_error_clear(w->context);
}
ROW(zn_scene_destroy) {
    zn_scene_destroy(NULL);
    zn_scene_destroy(w->dead_scene);
    assert_int_equal(zn_error_count(w->context), 1);
    zn_error_clear(w->context);
}
#define ROW_OF_GETTER(function, dead, good)                                  \
    ROW(function) {                                                          \
        const void *from_null = function(NULL), *from_dead = function(dead); \
        assert_null(from_null);                                              \
        assert_null(from_dead);                                              \
        assert_int_equal(zn_error_count(w->context), 1);                     \
        zn_error_clear(w->context);                                          \
        assert_non_null(function(good));                                     \
    }
ROW_OF_GETTER(zn_scene_title, w->dead_scene, w->scene)
ROW_OF_GETTER(zn_scene_text, w->dead_scene, w->scene)
ROW_OF_GETTER(zn_scene_model, w->dead_scene, w->scene)
ROW_OF_GETTER(zn_scene_settings, w->dead_scene, w->scene)

/* ---- simulations ---- */

ROW(zn_settings_default) { (void)w, assert_true(zn_settings_default().tolerance > 0); }
ROW(zn_scheme_count) { (void)w, assert_true(zn_scheme_count() > 0); }
ROW(zn_scheme_get) {
    (void)w;
    const int wrong[] = {-1, 1000, INT_MIN, INT_MAX};
    for (int i = 0; i < 4; i++) assert_null(zn_scheme_get(wrong[i]).name);
}
ROW(zn_scheme_find) {
    (void)w;
    zn_scheme_info info;
    assert_false(zn_scheme_find(NULL, &info));
    assert_false(zn_scheme_find("", &info));
    assert_true(zn_scheme_find("rattle", NULL));
}
ROW(zn_simulation_create) {
    zn_settings good = zn_settings_default();
    zn_simulation *simulation = w->simulation;
    good.step = 0.1, good.end = 1;
    REFUSED_SILENTLY(zn_simulation_create(NULL, w->model, &good, &simulation));
    REFUSED(zn_simulation_create(w->context, w->model, &good, NULL));
    REFUSED(zn_simulation_create(w->context, NULL, &good, &simulation));
    assert_null(simulation);
    REFUSED(zn_simulation_create(w->context, w->dead_model, &good, &simulation));
    REFUSED(zn_simulation_create(w->context, w->model, NULL, &simulation));
    const double wrong[] = {NAN, -1, INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 7; k++) {
            zn_settings s = good;
            double *members[] = {&s.step, &s.end, &s.tolerance, &s.record_step, &s.contradiction, &s.damping, &s.theta};
            *members[k] = wrong[i];
            REFUSED(zn_simulation_create(w->context, w->model, &s, &simulation));
        }
    const int numbers[] = {99, -1, INT_MIN, INT_MAX};
    for (int i = 0; i < 4; i++) {
        zn_settings s = good;
        for (int k = 0; k < settings_count; k++) {
            if (settings_rows[k].kind != SETTING_WORD && strcmp(settings_rows[k].name, "activation")) continue;
            s = good;
            setting_store(&settings_rows[k], &s, numbers[i]);
            REFUSED(zn_simulation_create(w->context, w->model, &s, &simulation));
        }
        s = good, s.stages = numbers[i];
        REFUSED(zn_simulation_create(w->context, w->model, &s, &simulation));
        if (numbers[i] > 0) continue;
        s = good, s.record_every = numbers[i];
        REFUSED(zn_simulation_create(w->context, w->model, &s, &simulation));
    }
    zn_settings s = good;
    s.scheme = "no such scheme";
    REFUSED(zn_simulation_create(w->context, w->model, &s, &simulation));
    s = good, s.reserved[0] = 1; /* of a later version */
    REFUSED(zn_simulation_create(w->context, w->model, &s, &simulation));
    s = good, s.reserved[sizeof s.reserved / sizeof *s.reserved - 1] = 1;
    REFUSED(zn_simulation_create(w->context, w->model, &s, &simulation));
    s = good, s.scheme = NULL;
    assert_int_equal(zn_simulation_create(w->context, w->model, &s, &simulation), ZN_OK); /* NULL means the default */
    assert_string_equal(zn_simulation_settings(simulation)->scheme, zn_settings_default().scheme);
    zn_simulation_destroy(simulation);
}
ROW(zn_simulation_destroy) {
    zn_simulation_destroy(NULL);
    zn_simulation_destroy(w->dead_simulation);
    assert_int_equal(zn_error_count(w->context), 1);
    zn_error_clear(w->context);
}
ROW(zn_simulation_step) {
    REFUSED_SILENTLY(zn_simulation_step(NULL));
    REFUSED(zn_simulation_step(w->dead_simulation));
    zn_formula_model *builder = zn_formula_model_create(w->context); /* the model goes first */
    zn_model *model;
    zn_simulation *simulation;
    zn_settings s = zn_settings_default();
    s.step = 0.1, s.end = 1;
    zn_formula_coordinate(builder, "x", zero, zero);
    zn_formula_energy(builder, ZN_FORMULA("x'^2"), zero);
    assert_int_equal(zn_formula_model_build(builder, &model), ZN_OK);
    assert_int_equal(zn_simulation_create(w->context, model, &s, &simulation), ZN_OK);
    zn_model_destroy(w->context, model);
    REFUSED(zn_simulation_step(simulation));
    zn_formula_model_destroy(builder);
    zn_simulation_destroy(simulation);
}
ROW(zn_simulation_run) {
    REFUSED_SILENTLY(zn_simulation_run(NULL, NULL, NULL));
    REFUSED(zn_simulation_run(w->dead_simulation, NULL, NULL));
}
ROW(zn_simulation_next_row) {
    assert_false(zn_simulation_next_row(NULL));
    assert_false(zn_simulation_next_row(w->dead_simulation));
}
ROW(zn_simulation_done) {
    assert_true(zn_simulation_done(NULL)); /* a loop over steps ends */
    assert_true(zn_simulation_done(w->dead_simulation));
}
ROW(zn_simulation_time) {
    assert_true(isnan(zn_simulation_time(NULL)));
    assert_true(isnan(zn_simulation_time(w->dead_simulation)));
}
ROW_OF_GETTER(zn_simulation_positions, w->dead_simulation, w->simulation)
ROW_OF_GETTER(zn_simulation_velocities, w->dead_simulation, w->simulation)
ROW_OF_GETTER(zn_simulation_percussions, w->dead_simulation, w->simulation)
ROW_OF_GETTER(zn_simulation_percussion_totals, w->dead_simulation, w->simulation)
ROW_OF_GETTER(zn_simulation_gaps, w->dead_simulation, w->simulation)
ROW_OF_GETTER(zn_simulation_model, w->dead_simulation, w->simulation)
ROW_OF_GETTER(zn_simulation_settings, w->dead_simulation, w->simulation)
ROW(zn_simulation_energy) {
    double kinetic = 1, potential = 1;
    zn_simulation_energy(NULL, &kinetic, &potential);
    assert_true(isnan(kinetic) && isnan(potential));
    kinetic = 1;
    zn_simulation_energy(w->dead_simulation, &kinetic, NULL);
    assert_true(isnan(kinetic));
    zn_simulation_energy(w->simulation, NULL, NULL);
    zn_simulation_energy(w->simulation, NULL, &potential);
    check_close(potential, 10, 1e-12); /* m g y = 1 . 10 . 1 */
    zn_error_clear(w->context);
}
ROW(zn_simulation_outputs) {
    double values[8];
    REFUSED_SILENTLY(zn_simulation_outputs(NULL, values));
    REFUSED(zn_simulation_outputs(w->dead_simulation, values));
    REFUSED(zn_simulation_outputs(w->simulation, NULL));
}
ROW(zn_simulation_contact_work) {
    const int wrong[] = {-1, 1, INT_MIN, INT_MAX};
    for (int i = 0; i < 4; i++) check_close(zn_simulation_contact_work(w->simulation, wrong[i]).normal, 0, 0);
    check_close(zn_simulation_contact_work(NULL, 0).normal, 0, 0);
    check_close(zn_simulation_contact_work(w->dead_simulation, 0).normal, 0, 0);
    zn_error_clear(w->context);
}
ROW(zn_simulation_constraint_work) {
    const int wrong[] = {-1, 0, 1, INT_MIN, INT_MAX};
    for (int i = 0; i < 5; i++) check_close(zn_simulation_constraint_work(w->simulation, wrong[i]), 0, 0);
    check_close(zn_simulation_constraint_work(NULL, 0), 0, 0);
    check_close(zn_simulation_constraint_work(w->dead_simulation, 0), 0, 0);
    zn_error_clear(w->context);
}
ROW(zn_simulation_scales) {
    assert_null(zn_simulation_scales(NULL).positions);
    assert_null(zn_simulation_scales(w->dead_simulation).positions);
    zn_error_clear(w->context);
}
ROW(zn_simulation_energy_warning) {
    const int wrong[] = {-1, 0, 1000, INT_MIN, INT_MAX};
    for (int i = 0; i < 5; i++) assert_int_equal(zn_simulation_energy_warning(w->simulation, wrong[i]).contact, -1);
    assert_int_equal(zn_simulation_energy_warning(NULL, 0).contact, -1);
    assert_int_equal(zn_simulation_energy_warning(w->dead_simulation, 0).contact, -1);
    zn_error_clear(w->context);
}
ROW(zn_simulation_found_count) {
    assert_int_equal(zn_simulation_found_count(NULL), 0);
    assert_int_equal(zn_simulation_found_count(w->dead_simulation), 0);
    assert_int_equal(zn_simulation_found_count(w->simulation), 0);
    zn_error_clear(w->context);
}
ROW(zn_simulation_found) {
    zn_found_contact found;
    const int wrong[] = {-1, 0, 1000, INT_MIN, INT_MAX};
    REFUSED_SILENTLY(zn_simulation_found(NULL, 0, &found));
    REFUSED(zn_simulation_found(w->dead_simulation, 0, &found));
    REFUSED(zn_simulation_found(w->simulation, 0, NULL));
    for (int i = 0; i < 5; i++) REFUSED(zn_simulation_found(w->simulation, wrong[i], &found));
}
ROW(zn_simulation_pair_count) {
    assert_int_equal(zn_simulation_pair_count(NULL), 0);
    assert_int_equal(zn_simulation_pair_count(w->dead_simulation), 0);
    zn_error_clear(w->context);
}
ROW(zn_simulation_pair) {
    const int wrong[] = {-1, 0, 1000, INT_MIN, INT_MAX};
    for (int i = 0; i < 5; i++) assert_null(zn_simulation_pair(w->simulation, wrong[i]).bodies[0]);
    assert_null(zn_simulation_pair(NULL, 0).bodies[0]);
    assert_null(zn_simulation_pair(w->dead_simulation, 0).bodies[0]);
    zn_error_clear(w->context);
}
ROW(zn_simulation_statistics) {
    assert_int_equal(zn_simulation_statistics(NULL).steps, 0);
    assert_int_equal(zn_simulation_statistics(w->dead_simulation).steps, 0);
    zn_error_clear(w->context);
}

/* ---- accounts and recorders ---- */

ROW(zn_account_create) {
    zn_account *account = w->account;
    REFUSED_SILENTLY(zn_account_create(NULL, w->simulation, &account));
    REFUSED(zn_account_create(w->context, NULL, &account));
    assert_null(account);
    REFUSED(zn_account_create(w->context, w->dead_simulation, &account));
    REFUSED(zn_account_create(w->context, w->simulation, NULL));
}
ROW(zn_account_destroy) {
    zn_account_destroy(NULL);
    zn_account_destroy(w->dead_account);
    assert_int_equal(zn_error_count(w->context), 1);
    zn_error_clear(w->context);
}
ROW(zn_account_update) {
    REFUSED_SILENTLY(zn_account_update(NULL));
    REFUSED(zn_account_update(w->dead_account));
}
ROW(zn_account_part) {
    const int wrong[] = {-1, 1000, INT_MIN, INT_MAX};
    for (int i = 0; i < 4; i++) check_close(zn_account_part(w->account, wrong[i]).kinetic, 0, 0);
    check_close(zn_account_part(NULL, 0).kinetic, 0, 0);
    check_close(zn_account_part(w->dead_account, 0).kinetic, 0, 0);
    zn_error_clear(w->context);
}
ROW(zn_account_total) {
    check_close(zn_account_total(NULL).start, 0, 0);
    check_close(zn_account_total(w->dead_account).start, 0, 0);
    zn_error_clear(w->context);
}
ROW(zn_recorder_create) {
    zn_recorder *recorder = w->recorder;
    REFUSED_SILENTLY(zn_recorder_create(NULL, w->simulation, "", "", "x.csv", &recorder));
    REFUSED(zn_recorder_create(w->context, NULL, "", "", "x.csv", &recorder));
    assert_null(recorder);
    REFUSED(zn_recorder_create(w->context, w->dead_simulation, "", "", "x.csv", &recorder));
    REFUSED(zn_recorder_create(w->context, w->simulation, "", "", "x.csv", NULL));
}
ROW(zn_recorder_row) {
    REFUSED_SILENTLY(zn_recorder_row(NULL));
    REFUSED(zn_recorder_row(w->dead_recorder));
}
ROW(zn_recorder_rows) {
    assert_int_equal(zn_recorder_rows(NULL), 0);
    assert_int_equal(zn_recorder_rows(w->dead_recorder), 0);
    zn_error_clear(w->context);
}
ROW(zn_recorder_flush) {
    assert_int_equal(zn_recorder_flush(NULL), ZN_OK);
    REFUSED(zn_recorder_flush(w->dead_recorder));
}
ROW(zn_recorder_path) {
    assert_string_equal(zn_recorder_path(NULL), "");
    assert_string_equal(zn_recorder_path(w->dead_recorder), "");
    zn_error_clear(w->context);
}
ROW(zn_recorder_finish) {
    assert_int_equal(zn_recorder_finish(NULL, true), ZN_OK);
    REFUSED(zn_recorder_finish(w->dead_recorder, true));
}

/* ---- all of them ---- */

#define R(function) \
    { #function, row_##function }
static const misuse_row rows[] = {
    R(zn_status_text),
    R(zn_context_create),
    R(zn_context_destroy),
    R(zn_context_watch),
    R(zn_error_count),
    R(zn_error_get),
    R(zn_error_text),
    R(zn_error_clear),
    R(zn_version),
    R(zn_version_number),
    R(zn_model_destroy),
    R(zn_model_set_drawing),
    R(zn_model_from_callbacks),
    R(zn_model_check_derivatives),
    R(zn_model_part_count),
    R(zn_model_part_info),
    R(zn_model_redundant_rows),
    R(zn_model_part_energy),
    R(zn_formula_model_create),
    R(zn_formula_model_destroy),
    R(zn_formula_parameter),
    R(zn_formula_coordinate),
    R(zn_formula_force),
    R(zn_formula_velocity),
    R(zn_formula_kinematics),
    R(zn_formula_mass),
    R(zn_formula_position_constraint),
    R(zn_formula_velocity_constraint),
    R(zn_formula_output),
    R(zn_formula_energy),
    R(zn_formula_contact),
    R(zn_formula_model_build),
    R(zn_scene_load),
    R(zn_scene_parse),
    R(zn_scene_destroy),
    R(zn_scene_title),
    R(zn_scene_text),
    R(zn_scene_model),
    R(zn_scene_settings),
    R(zn_settings_default),
    R(zn_scheme_count),
    R(zn_scheme_get),
    R(zn_scheme_find),
    R(zn_simulation_create),
    R(zn_simulation_destroy),
    R(zn_simulation_step),
    R(zn_simulation_run),
    R(zn_simulation_next_row),
    R(zn_simulation_done),
    R(zn_simulation_time),
    R(zn_simulation_positions),
    R(zn_simulation_velocities),
    R(zn_simulation_percussions),
    R(zn_simulation_percussion_totals),
    R(zn_simulation_gaps),
    R(zn_simulation_model),
    R(zn_simulation_settings),
    R(zn_simulation_energy),
    R(zn_simulation_outputs),
    R(zn_simulation_contact_work),
    R(zn_simulation_constraint_work),
    R(zn_simulation_statistics),
    R(zn_simulation_found_count),
    R(zn_simulation_found),
    R(zn_simulation_pair_count),
    R(zn_simulation_pair),
    R(zn_simulation_energy_warning),
    R(zn_simulation_scales),
    R(zn_recorder_rows),
    R(zn_recorder_flush),
    R(zn_recorder_path),
    R(zn_account_create),
    R(zn_account_destroy),
    R(zn_account_update),
    R(zn_account_part),
    R(zn_account_total),
    R(zn_recorder_create),
    R(zn_recorder_row),
    R(zn_recorder_finish),
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static void run_row(const misuse_row *row) {
    world *w = world_create();
    row->run(w);
    zn_error_clear(w->context);
    /* Whatever was refused, the live ones still work. */
    if (zn_simulation_step(w->simulation) != ZN_OK) fail_msg("after %s: %s", row->function, zn_error_text(w->context));
    assert_int_equal(zn_recorder_row(w->recorder), ZN_OK);
    assert_int_equal(zn_account_update(w->account), ZN_OK);
    world_destroy(w);
}

static int count_rows(void) { return N_ROWS + n_rows_of_parts + n_rows_of_results + n_rows_of_machines; }

static const misuse_row *row_number(int i) {
    if (i < N_ROWS) return &rows[i];
    if ((i -= N_ROWS) < n_rows_of_parts) return &rows_of_parts[i];
    return (i -= n_rows_of_parts) < n_rows_of_results ? &rows_of_results[i] : &rows_of_machines[i - n_rows_of_results];
}

static void every_function_is_misused(void **state) {
    (void)state;
    for (int i = 0; i < count_rows(); i++) run_row(row_number(i));
}

/* Rows in random order on one world: what one leaves behind must not hurt another. Some destroy models of their own, and only the newest
 * destroyed handles are known: six rows are less than that. */
static void random_misuse(void **state) {
    (void)state;
    uint64_t seed = 20;
    for (int i = 0; i < 60; i++) {
        world *w = world_create();
        for (int k = 0; k < 6; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            row_number((int)((seed >> 33) % (uint64_t)count_rows()))->run(w);
            zn_error_clear(w->context);
        }
        assert_int_equal(zn_simulation_run(w->simulation, NULL, NULL), ZN_OK);
        world_destroy(w);
    }
}

/* Handles are distinguished from those that were destroyed before, until many others were. */
static void destroyed_handles_are_forgotten_late(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_parts *first = zn_parts_create(context);
    zn_body ground = zn_parts_world(first);
    zn_parts_destroy(first);
    for (int i = 0; i < 60; i++) {
        zn_parts *parts = zn_parts_create(context);
        assert_int_equal(zn_parts_view_body(parts, ground), ZN_ERROR_ARGUMENT); /* of another builder, wherever that was in memory */
        zn_parts_destroy(parts);
    }
    zn_error_clear(context);
    assert_int_equal(zn_parts_gravity(first, (double[3]){0}), ZN_ERROR_ARGUMENT);
    assert_non_null(strstr(zn_error_text(context), "destroyed"));
    zn_context_destroy(context);
}

int main(int n_arguments, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_misused),
        cmocka_unit_test(random_misuse),
        cmocka_unit_test(destroyed_handles_are_forgotten_late),
    };
    for (int i = 0; n_arguments > 1 && !strcmp(arguments[1], "--rows") && i < count_rows(); i++) puts(row_number(i)->function);
    return n_arguments > 1 ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
