/* SPDX-License-Identifier: Apache-2.0 */
/* Motors, on velocity level; f(t) is the given speed.
 *
 *     motor          gamma = z_a.(omega_b - omega_a) - f(t)
 *     slider motor   gamma = (d.e)' - f(t),   e the axis of a */
#include "model/parts/joint.h"

static void express_motor(joint_sketch *j) {
    sketch *k = j->k;
    evec relative = evec_sub(k, j->b.omega, j->a.omega);
    sketch_gamma(k, sketch_sub(k, evec_dot(k, j->a.z, relative), j->drive));
}

static void express_slider_motor(joint_sketch *j) {
    sketch *k = j->k;
    sketch_gamma(k, sketch_sub(k, sketch_rate(k, evec_dot(k, j->d, joint_axis(j))), j->drive));
}

const joint_type joint_motor = {
    .what = "motor", .express = express_motor, .y_plane = 1, .y_space = 1, .needs_turning = true, .has_drive = true, .turns = true};
const joint_type joint_slider_motor = {
    .what = "slider motor", .express = express_slider_motor, .y_plane = 1, .y_space = 1, .has_drive = true, .slides = true};
