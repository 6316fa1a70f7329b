/* SPDX-License-Identifier: Apache-2.0 */
/* Joints: derivatives of every type between all kinds of bodies at random states; what they refuse; mechanisms they hold. */
#include "base/counting_allocator.h"
#include "check.h"
#include "model/parts_mechanisms.h"

#include <string.h>

enum { N_BODIES = 6 };
static const char *const names[N_BODIES] = {"world", "p", "s", "l", "b", "m"};

static void all_derivatives_of_all_joints(void **state) {
    (void)state;
    uint64_t seed = 1;
    int checked = 0;
    zn_context *context = zn_context_create(NULL);
    for (int type = 0; type < ZN_JOINT_TYPE_COUNT; type++)
        for (int i = 0; i < N_BODIES; i++)
            for (int j = 0; j < N_BODIES; j++) {
                zn_parts *parts = zn_parts_create(context);
                char other[8];
                snprintf(other, sizeof other, "%s2", names[j]);
                zn_joint_def def = zn_default_joint_def();
                def.name = "joint";
                def.type = (zn_joint_type)type;
                def.a = random_frame(parts, &seed, i, names[i]);
                def.b = j || i ? random_frame(parts, &seed, j, other) : def.a;
                def.length = 1.3, def.radius = 0.4, def.ratio = -2;
                bool driven = type == ZN_JOINT_MOTOR || type == ZN_JOINT_SLIDER_MOTOR || type == ZN_JOINT_ANGLE_DRIVE ||
                              type == ZN_JOINT_POSITION_DRIVE;
                if (driven) def.drive = ZN_FORMULA("0.3*sin(2*t) + t");
                zn_status status = zn_parts_joint(parts, &def);
                bool coordinates = (i > 0 && i < 5) || (j > 0 && j < 5);
                if (!coordinates) assert_int_equal(status, ZN_ERROR_ARGUMENT);
                if (status == ZN_OK) {
                    zn_model *model = NULL;
                    assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
                    assert_true(model->size.ng + model->size.ny + model->size.nN > 0);
                    const char *what = "";
                    double worst = worst_derivative(context, model, &seed, &what);
                    double allowed =
                        type == ZN_JOINT_ROLLING_DISK ? 1e-4 : 1e-8; /* a disk that lies nearly flat has a contact point that runs away */
                    if (!(worst < allowed)) fail_msg("joint %d between %s and %s: %s differs by %g", type, names[i], names[j], what, worst);
                    zn_model_destroy(context, model);
                    checked++;
                } else {
                    assert_int_equal(status, ZN_ERROR_ARGUMENT);
                    assert_int_equal(zn_error_count(context), 1);
                }
                zn_error_clear(context);
                zn_parts_destroy(parts);
            }
    assert_true(checked > 300);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_derivatives_of_all_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
