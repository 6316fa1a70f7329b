/* SPDX-License-Identifier: Apache-2.0 */
/* Options of joints, ropes and belts: derivatives between all kinds of bodies at random states, and what they refuse. */
#include "check.h"
#include "linalg/geometry.h"
#include "model/parts_mechanisms.h"

enum { N_BODIES = 6, N_OPTIONS = 6 };
static const char *const names[N_BODIES] = {"world", "p", "s", "l", "b", "m"};

static zn_joint_options options_of(int option) {
    zn_joint_options o = zn_default_joint_options();
    if (option == 0) o.stops[0] = -20, o.restitution = 0.3;
    if (option == 1) o.stops[0] = -30, o.stops[1] = 20;
    if (option == 2) o.clutch = ZN_CLUTCH_FORWARD;
    if (option == 3) o.clutch = ZN_CLUTCH_BACKWARD, o.friction_force = 2;
    if (option == 4) o.friction = 0.3, o.friction_radius = 0.1, o.preload = 2;
    if (option == 5) o.backlash = 50;
    return o;
}

/* A mark has no velocity: rows that use it do not have its rate. */
static double worst_of(zn_context *context, const zn_model *model, uint64_t *seed, const char **what) {
    double q[40], u[40], a[40], lambda[40], worst = 0;
    int rows = model->size.ng + model->size.ny + model->size.nN + model->size.nF;
    for (int visit = 0; visit < 3; visit++) {
        random_numbers(seed, model->size.nq, q);
        scale_quaternions(model, seed, q);
        random_numbers(seed, model->size.nu, u);
        random_numbers(seed, model->size.nu, a);
        random_numbers(seed, rows, lambda);
        for (int i = 0; i < model->size.nu; i++)
            if (strstr(model->u_names[i], ".clutch'") || strstr(model->u_names[i], ".turn'")) u[i] = a[i] = 0;
        zn_derivative_check check;
        zn_point at = {0.7 + 0.2 * visit, q, u, a, lambda};
        assert_int_equal(zn_model_check_derivatives(context, model, &at, &check), ZN_OK);
        if (check.worst > worst) worst = check.worst, *what = check.what;
    }
    return worst;
}

static void derivatives_of_options(void **state) {
    (void)state;
    static const zn_joint_type types[] = {ZN_JOINT_REVOLUTE, ZN_JOINT_PRISMATIC, ZN_JOINT_GEAR, ZN_JOINT_ANGLE_DRIVE,
                                          ZN_JOINT_POSITION_DRIVE};
    uint64_t seed = 5;
    int checked = 0;
    zn_context *context = zn_context_create(NULL);
    for (int t = 0; t < 5; t++)
        for (int option = t < 2 ? 0 : N_OPTIONS - 1; option < N_OPTIONS; option++)
            for (int i = 0; i < N_BODIES; i++)
                for (int j = 0; j < N_BODIES; j++) {
                    zn_parts *parts = zn_parts_create(context);
                    char other[8];
                    snprintf(other, sizeof other, "%s2", names[j]);
                    zn_joint_def def = zn_default_joint_def();
                    zn_joint_options options = options_of(option);
                    def.name = "joint", def.type = types[t], def.options = &options, def.ratio = -2;
                    if (t > 2) def.drive = ZN_FORMULA("0.3*sin(2*t) + t");
                    def.a = random_frame(parts, &seed, i, names[i]);
                    def.b = j || i ? random_frame(parts, &seed, j, other) : def.a;
                    if (zn_parts_joint(parts, &def) == ZN_OK) {
                        zn_model *model = NULL;
                        assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
                        assert_true(model->size.nN + model->size.nF > 0);
                        const char *what = "";
                        double worst = worst_of(context, model, &seed, &what);
                        if (!(worst < 1e-6)) /* near the axis of an angle differences say less */
                            fail_msg("option %d of joint %d between %s and %s: %s differs by %g", option, t, names[i], names[j], what,
                                     worst);
                        zn_model_destroy(context, model);
                        checked++;
                    } else assert_int_equal(zn_error_get(context, 0)->status, ZN_ERROR_ARGUMENT);
                    zn_error_clear(context);
                    zn_parts_destroy(parts);
                }
    assert_true(checked > 250);
    zn_context_destroy(context);
}

static zn_body planar_body(zn_parts *parts, const char *name, double x, double y) {
    zn_body_def def = zn_default_body_def();
    def.name = name, def.type = ZN_BODY_PLANAR, def.mass = 1, def.inertia[2] = 0.3, def.position[0] = x, def.position[1] = y;
    zn_body body;
    assert_int_equal(zn_parts_body(parts, &def, &body), ZN_OK);
    return body;
}

static zn_body spatial_body(zn_parts *parts, const char *name, double x, double y) {
    zn_body_def def = zn_default_body_def();
    static const double p[4] = {0.5, -0.5, 0.1, 0.7}; /* the same for all: axes are parallel */
    double n = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
    mat3 A = quat_matrix((quat){{p[0] / sqrt(n), p[1] / sqrt(n), p[2] / sqrt(n), p[3] / sqrt(n)}});
    vec3_store(mat3_apply(&A, (vec3){x, y, 0.1 * x * y}), def.position);
    def.name = name, def.type = ZN_BODY_SPATIAL, def.mass = 1;
    for (int i = 0; i < 3; i++) def.inertia[i] = 0.3;
    for (int i = 0; i < 4; i++) def.rotation[i] = p[i] / sqrt(n);
    zn_body body;
    assert_int_equal(zn_parts_body(parts, &def, &body), ZN_OK);
    return body;
}

/* Lines over points, pulleys that slide, rub and grip, both ways round, in the plane and in space, at random states near the start. */
static void derivatives_of_lines(void **state) {
    (void)state;
    uint64_t seed = 9;
    zn_context *context = zn_context_create(NULL);
    for (int variant = 0; variant < 48; variant++) {
        zn_body (*body)(zn_parts *, const char *, double, double) = variant < 24 ? planar_body : spatial_body;
        zn_parts *parts = zn_parts_create(context);
        zn_rope_place path[4] = {0};
        const double place[4][2] = {{-3, -2}, {-1, 1}, {1.5, 1.2}, {3, -2}};
        static const char *const bodies[] = {"a", "b", "c", "d"};
        for (int i = 0; i < 4; i++) path[i].frame = zn_parts_body_frame(parts, body(parts, bodies[i], place[i][0], place[i][1]));
        path[1].radius = variant % 2 ? 0.3 : 0, path[2].radius = 0.4;
        path[1].clockwise = variant % 3 == 0, path[2].clockwise = variant % 4 < 2;
        path[2].grips = variant % 8 > 3;
        if (!path[2].grips) path[2].friction = 0.2;
        zn_joint_def def = zn_default_joint_def();
        def.name = "line", def.type = variant % 24 < 12 || !path[2].grips ? ZN_JOINT_ROPE : ZN_JOINT_BELT, def.n_path = 4, def.path = path;
        assert_int_equal(zn_parts_joint(parts, &def), ZN_OK);
        zn_model *model = NULL;
        assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
        int rows = model->size.ng + model->size.nN + model->size.nF;
        assert_int_equal(rows, 2); /* two parts, or one that rubs */
        double q[40], u[40], a[40], lambda[4], c0[4];
        assert_true(model->size.nq <= 40 && model->size.nq >= (variant < 24 ? 12 : 28));
        void *work = calloc(1, model->work_bytes);
        model->constraints(model, work, &(zn_point){0, model->q_start, model->u_start, NULL, NULL}, &(zn_constraints){.c0 = c0});
        check_close(c0[0], 0, 1e-14); /* taut as it stands */
        free(work);
        int nq = model->size.nq, nu = model->size.nu;
        random_numbers(&seed, nq, q), random_numbers(&seed, nu, u), random_numbers(&seed, nu, a), random_numbers(&seed, 4, lambda);
        for (int i = 0; i < nq; i++) q[i] = model->q_start[i] + (variant < 24 ? 0.3 : 0.1) * q[i];
        for (int i = 0; i < nu; i++)
            if (strstr(model->u_names[i], ".begin'") || strstr(model->u_names[i], ".end'")) u[i] = a[i] = 0;
        zn_derivative_check check;
        assert_int_equal(zn_model_check_derivatives(context, model, &(zn_point){0.3, q, u, a, lambda}, &check), ZN_OK);
        if (!(check.worst < 1e-8)) fail_msg("line %d: %s differs by %g", variant, check.what, check.worst);
        zn_model_destroy(context, model);
        zn_parts_destroy(parts);
    }
    zn_context_destroy(context);
}

/* ---- what is refused ---- */

static void refused(zn_parts *parts, zn_context *context, const zn_joint_def *def, const char *word) {
    zn_status status = zn_parts_joint(parts, def);
    assert_true(status == ZN_ERROR_ARGUMENT || status == ZN_ERROR_MODEL);
    if (!strstr(zn_error_text(context), word)) fail_msg("'%s' lacks '%s'", zn_error_text(context), word);
    zn_error_clear(context);
}

static void wrong_options(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = zn_parts_create(context);
    zn_joint_def def = zn_default_joint_def();
    def.name = "pin", def.a = zn_parts_body_frame(parts, zn_parts_world(parts));
    def.b = zn_parts_body_frame(parts, planar_body(parts, "rod", 0, 0));
#define WRONG(word, ...)                                 \
    do {                                                 \
        zn_joint_options o = zn_default_joint_options(); \
        __VA_ARGS__;                                     \
        zn_joint_def wrong = def;                        \
        wrong.options = &o;                              \
        refused(parts, context, &wrong, word);           \
    } while (0)
    WRONG("lower stop", o.stops[0] = 1, o.stops[1] = -1);
    WRONG("lower stop", o.stops[0] = NAN);
    WRONG("not between its stops", o.stops[0] = 1, o.stops[1] = 2);
    WRONG("backlash", o.backlash = -1);
    WRONG("backlash", o.backlash = INFINITY);
    WRONG("give one of the two", o.backlash = 1, o.stops[0] = -1);
    WRONG("restitution", o.stops[0] = -1, o.restitution = 1.5);
    WRONG("restitution", o.stops[0] = -1, o.restitution = NAN);
    WRONG("clutch", o.clutch = (zn_clutch)7);
    WRONG("friction", o.friction_force = NAN);
    WRONG("friction", o.friction = -0.1);
    WRONG("radius", o.friction = 0.1);
    WRONG("preload", o.friction = 0.1, o.friction_radius = 0.1, o.preload = -1);
    WRONG("not both", o.friction = 0.1, o.friction_radius = 0.1, o.friction_force = 1);
    def.type = ZN_JOINT_FIXED;
    WRONG("revolute and prismatic", o.clutch = ZN_CLUTCH_FORWARD);
    def.type = ZN_JOINT_GEAR, def.ratio = 1;
    WRONG("only joint option is backlash", o.clutch = ZN_CLUTCH_FORWARD);
    def.type = ZN_JOINT_ROPE;
    WRONG("only joint option is restitution", o.friction_force = 1);
    def.options = NULL;
    refused(parts, context, &def, "coincide");
    zn_frame near;
    assert_int_equal(zn_parts_frame(parts, zn_parts_world(parts), "near", (double[]){1, 0, 0}, NULL, &near), ZN_OK);
    zn_rope_place path[3] = {{.frame = near}, {.frame = def.a, .radius = 2}, {.frame = def.b}};
    def.n_path = 2, def.path = path;
    refused(parts, context, &def, "must grip it");
    def.n_path = 1;
    refused(parts, context, &def, "2 to 64");
    path[1] = (zn_rope_place){.frame = def.b};
    def.n_path = 2, def.length = 0.5;
    refused(parts, context, &def, "too short");
    def.length = NAN;
    refused(parts, context, &def, "positive");
    zn_frame wheel = zn_parts_body_frame(parts, spatial_body(parts, "wheel", 1, 0)), tilted, above;
    assert_int_equal(zn_parts_frame(parts, zn_parts_world(parts), "tilted", (double[]){5, 0, 0}, (double[]){1, 1, 0, 0}, &tilted), ZN_OK);
    assert_int_equal(zn_parts_frame(parts, zn_parts_world(parts), "above", (double[]){5.05, 0.2, 0}, NULL, &above), ZN_OK);
    zn_rope_place twisted[3] = {{.frame = wheel, .radius = 0.1, .grips = true}, {.frame = tilted, .radius = 0.1, .grips = true}};
    def.path = twisted, def.length = 0;
    refused(parts, context, &def, "parallel axes");
    twisted[0] = (zn_rope_place){.frame = above}, twisted[2] = (zn_rope_place){.frame = wheel}, def.n_path = 3;
    twisted[1].grips = false; /* the point is almost on the axis */
    refused(parts, context, &def, "inside another");
    def.path = path, def.n_path = 2;
    path[0].friction = 0.1, def.length = 0;
    refused(parts, context, &def, "with friction cannot be the end of a line");
    zn_parts_destroy(parts);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_options),
        cmocka_unit_test(derivatives_of_lines),
        cmocka_unit_test(wrong_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
