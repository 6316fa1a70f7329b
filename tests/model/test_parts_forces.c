/* SPDX-License-Identifier: Apache-2.0 */
/* Forces between bodies of all kinds: derivatives, the account of energy, action and reaction, what is refused. */
#include "check.h"
#include "model/parts_mechanisms.h"

typedef struct force_case {
    zn_force_def def;
    const char *what;
} force_case;

/* u.h + V' = power, at a random state; h from the balance without accelerations. */
static double energy_error(const zn_model *model, uint64_t *seed) {
    const zn_sizes *n = &model->size;
    double q[32], u[32], r[32], qdot[32], zero[32] = {0}, V[2], T;
    random_numbers(seed, n->nq, q);
    scale_quaternions(model, seed, q);
    random_numbers(seed, n->nu, u);
    void *work = calloc(1, model->work_bytes);
    zn_point at = {0.4, q, u, zero, zero};
    model->balance(model, work, &at, &(zn_balance){.r = r});
    model->kinematics(model, work, &at, &(zn_kinematics){.qdot = qdot});
    double power = 0, supplied = 0;
    for (int i = 0; i < n->nu; i++) power -= u[i] * r[i];
    for (int side = 0; side < 2; side++) {
        double moved[32];
        for (int i = 0; i < n->nq; i++) moved[i] = q[i] + (side ? 1e-5 : -1e-5) * qdot[i];
        model->energy(model, work, &(zn_point){0.4, moved, u, NULL, NULL}, &T, &V[side]);
    }
    double sum_T = 0, sum_V = 0, V_now;
    for (int i = 0; i < zn_model_part_count(model); i++) {
        zn_part_energy e;
        assert_int_equal(zn_model_part_energy(model, work, i, &at, &e), ZN_OK);
        supplied += e.power, sum_T += e.kinetic, sum_V += e.potential;
    }
    model->energy(model, work, &at, &T, &V_now);
    check_close(sum_T, T, 1e-12);
    check_close(sum_V, V_now, 1e-12);
    free(work);
    return power + (V[1] - V[0]) / 2e-5 - supplied;
}

static bool is_spring(int type) { return type <= ZN_FORCE_TORSION_SPRING; }

/* Variants of springs: with and without a length at rest, pushing, pulling, by a formula. */
enum { N_VARIANTS = 5 };
static zn_force_def spring_of(int type, int variant) {
    zn_force_def def = zn_default_force_def();
    def.name = "force";
    def.type = (zn_force_type)type;
    if (variant == 4) {
        def.value =
            type == ZN_FORCE_TORSION_SPRING ? ZN_FORMULA("k*angle^3 + 0.4*rate*angle^2 + sin(t)") : ZN_FORMULA("k*length^2 + rate*length");
        return def;
    }
    def.stiffness = 3, def.damping = 0.7, def.length = variant == 1 ? 0 : 0.8, def.angle = 0.2;
    def.side = variant == 2 ? ZN_SPRING_PUSH : variant == 3 ? ZN_SPRING_PULL : ZN_SPRING_BOTH;
    return def;
}

static zn_force_def force_of(int type, int variant) {
    if (is_spring(type)) return spring_of(type, variant);
    zn_force_def def = zn_default_force_def();
    def.name = "force";
    def.type = (zn_force_type)type;
    def.stiffness = 3, def.damping = 0.7, def.limit = variant ? 0.3 : 0;
    def.along_axis = def.in_frame = variant;
    def.value = ZN_FORMULA("k*sin(t) + 0.3*t^2");
    if (type == ZN_FORCE_FIELD) {
        def.value = variant ? (zn_formula){0} : ZN_FORMULA("x^2*y + k*cos(z)");
        if (variant) def.force[0] = ZN_FORMULA("-k*x'*x"), def.force[1] = ZN_FORMULA("y*z + t"), def.force[2] = ZN_FORMULA("x - z'");
    }
    if (type == ZN_FORCE_BODY) {
        def.value = (zn_formula){0};
        def.force[0] = ZN_FORMULA("sin(t)"), def.force[1] = ZN_FORMULA("k"), def.torque[2] = ZN_FORMULA("0.3*t"),
        def.torque[0] = ZN_FORMULA("0.5");
    }
    return def;
}

static void derivatives_and_energies(void **state) {
    (void)state;
    static const char *const names[] = {"world", "p", "s", "l", "b", "m"};
    uint64_t seed = 3;
    int checked = 0;
    zn_context *context = zn_context_create(NULL);
    for (int type = 0; type < ZN_FORCE_TYPE_COUNT; type++)
        for (int variant = 0; variant < (is_spring(type) ? N_VARIANTS : 2); variant++)
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++) {
                    zn_parts *parts = zn_parts_create(context);
                    char other[8];
                    snprintf(other, sizeof other, "%s2", names[j]);
                    assert_int_equal(zn_parts_parameter(parts, "k", 1.7), ZN_OK);
                    assert_int_equal(zn_parts_gravity(parts, (double[]){0.2, -9.81, 0.3}), ZN_OK);
                    zn_force_def def = force_of(type, variant);
                    def.a = random_frame(parts, &seed, i, names[i]);
                    def.b = j ? random_frame(parts, &seed, j, other) : zn_parts_body_frame(parts, zn_parts_world(parts));
                    if (zn_parts_force(parts, &def) == ZN_OK) {
                        zn_model *model = NULL;
                        assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
                        const char *what = "";
                        double worst = worst_derivative(context, model, &seed, &what);
                        double allowed = type == ZN_FORCE_TORSION_SPRING || type == ZN_FORCE_ANGLE_SERVO
                                             ? 1e-5
                                             : 1e-7; /* near the jump of an angle differences say less */
                        if (!(worst < allowed))
                            fail_msg("force %d between %s and %s: %s differs by %g", type, names[i], names[j], what, worst);
                        bool moved = i == 5 || j == 5; /* their motion does work of its own */
                        if (!moved) check_close(energy_error(model, &seed), 0, 1e-7);
                        zn_model_destroy(context, model);
                        checked++;
                    } else assert_int_equal(zn_error_get(context, 0)->status, ZN_ERROR_ARGUMENT);
                    zn_error_clear(context);
                    zn_parts_destroy(parts);
                }
    assert_true(checked > 500);
    zn_context_destroy(context);
}

/* Internal forces change neither momentum nor angular momentum: forces in I add up to zero, and their torques about the origin. */
static void action_is_reaction(void **state) {
    (void)state;
    uint64_t seed = 11;
    zn_context *context = zn_context_create(NULL);
    for (int type = 0; type <= ZN_FORCE_TORQUE_ACTUATOR; type++)
        for (int variant = 0; variant < 2; variant++) {
            if (type == ZN_FORCE_LINEAR_SPRING || variant) continue; /* along an axis of a: not along the line of the points */
            zn_parts *parts = zn_parts_create(context);
            zn_parts_parameter(parts, "k", 1.7);
            zn_force_def def = force_of(type, variant);
            def.a = random_frame(parts, &seed, 3, "a");
            def.b = random_frame(parts, &seed, 3, "b");
            zn_model *model = NULL;
            assert_int_equal(zn_parts_force(parts, &def), ZN_OK);
            assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
            double q[6], u[6], r[6], zero[6] = {0};
            random_numbers(&seed, 6, q);
            random_numbers(&seed, 6, u);
            void *work = calloc(1, model->work_bytes);
            model->balance(model, work, &(zn_point){0.3, q, u, zero, zero}, &(zn_balance){.r = r});
            check_close(r[0] + r[3], 0, 1e-12);
            check_close(r[1] + r[4], 0, 1e-12);
            double torque = 0;
            for (int i = 0; i < 6; i += 3) torque += q[i] * r[i + 1] - q[i + 1] * r[i] + r[i + 2];
            check_close(torque, 0, 1e-12);
            free(work);
            zn_model_destroy(context, model);
            zn_parts_destroy(parts);
        }
    zn_context_destroy(context);
}

static void an_angle_counts_its_turns(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = zn_parts_create(context);
    zn_body_def def = zn_default_body_def();
    def.name = "wheel", def.mass = 1, def.inertia[2] = 2, def.angle = 7;
    zn_body wheel;
    zn_frame tilted;
    assert_int_equal(zn_parts_body(parts, &def, &wheel), ZN_OK);
    assert_int_equal(zn_parts_frame(parts, wheel, "tilted", NULL, (double[]){cos(0.25), 0, 0, sin(0.25)}, &tilted), ZN_OK);
    zn_force_def spring = zn_default_force_def();
    spring.name = "spring", spring.type = ZN_FORCE_TORSION_SPRING, spring.stiffness = 2, spring.angle = 0.5;
    spring.a = zn_parts_body_frame(parts, zn_parts_world(parts)), spring.b = tilted;
    assert_int_equal(zn_parts_force(parts, &spring), ZN_OK);
    zn_model *model = NULL;
    assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
    double r[3], zero[3] = {0};
    void *work = calloc(1, model->work_bytes);
    model->balance(model, work, &(zn_point){0, model->q_start, model->u_start, zero, NULL}, &(zn_balance){.r = r});
    check_close(r[2], 2 * (7 + 0.5 - 0.5), 1e-13);
    free(work);
    zn_model_destroy(context, model);
    zn_parts_destroy(parts);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_and_energies),
        cmocka_unit_test(action_is_reaction),
        cmocka_unit_test(an_angle_counts_its_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
