/* SPDX-License-Identifier: Apache-2.0 */
/* A slider-crank mechanism from bodies and joints: a motor turns the crank, the slider moves in its guide. Prints the slider's
 * position against the formula of the textbook, and where the energy went. */
#include <math.h>
#include <stdio.h>
#include <zeno/zeno.h>

static const double l1 = 0.15, l2 = 0.3, speed = 10;

static zn_body make_bar(zn_parts *parts, const char *name, double x, double length, double rate) {
    zn_body_def def = zn_default_body_def();
    zn_body body;
    def.name = name;
    def.type = ZN_BODY_PLANAR;
    def.shape = (zn_shape_def){.type = ZN_SHAPE_BOX, .size = {length, 0.01}};
    def.mass = length; /* one kilogramme a metre */
    def.position[0] = x;
    def.velocity[1] = l1 * speed / 2; /* both bars: the crank turns about its left end, the rod about the slider */
    def.angle_rate = rate;
    zn_parts_body(parts, &def, &body);
    return body;
}

/* A joint between two bodies at a point of the start. */
static void join(zn_parts *parts, const char *name, zn_joint_type type, zn_body a, zn_body b, double x, const double *axis) {
    zn_joint_def joint = zn_default_joint_def();
    const double at[3] = {x, 0, 0};
    joint.name = name;
    joint.type = type;
    zn_parts_frame_at(parts, a, NULL, at, axis, &joint.a);
    zn_parts_frame_at(parts, b, NULL, at, axis, &joint.b);
    zn_parts_joint(parts, &joint);
}

static zn_model *make_mechanism(zn_context *context) {
    zn_parts *parts = zn_parts_create(context);
    if (!parts) return NULL;
    zn_body world = zn_parts_world(parts), crank = make_bar(parts, "crank", l1 / 2, l1, speed),
            rod = make_bar(parts, "rod", l1 + l2 / 2, l2, -speed * l1 / l2);
    zn_body slider;
    zn_body_def block = zn_default_body_def();
    block.name = "slider";
    block.type = ZN_BODY_PLANAR;
    block.mass = 0.2;
    block.inertia[2] = 1e-4;
    block.position[0] = l1 + l2;
    zn_parts_body(parts, &block, &slider);
    zn_parts_gravity(parts, (double[]){0, -9.81, 0});

    join(parts, "bearing", ZN_JOINT_REVOLUTE, world, crank, 0, NULL);
    join(parts, "crank_pin", ZN_JOINT_REVOLUTE, crank, rod, l1, NULL);
    join(parts, "slider_pin", ZN_JOINT_REVOLUTE, rod, slider, l1 + l2, NULL);
    join(parts, "guide", ZN_JOINT_PRISMATIC, world, slider, l1 + l2, (double[]){1, 0, 0});
    zn_joint_def motor = zn_default_joint_def();
    motor.name = "motor";
    motor.type = ZN_JOINT_MOTOR;
    motor.a = zn_parts_body_frame(parts, world);
    motor.b = zn_parts_body_frame(parts, crank);
    motor.drive = ZN_FORMULA("10");
    zn_parts_joint(parts, &motor);
    zn_force_def friction = zn_default_force_def();
    friction.name = "oil";
    friction.type = ZN_FORCE_LINEAR_SPRING;
    friction.damping = 2;
    zn_parts_frame_at(parts, world, NULL, NULL, (double[]){1, 0, 0}, &friction.a);
    friction.b = zn_parts_body_frame(parts, slider);
    zn_parts_force(parts, &friction);

    zn_model *model = NULL;
    zn_parts_build(parts, &model); /* every mistake above has left a sentence in the context */
    zn_parts_destroy(parts);
    return model;
}

/* Rounded to the four digits that are printed, so that no zero gets a minus sign. */
static double shown(double x) { return round(x * 1e4) / 1e4 + 0.0; }

static zn_status run(zn_context *context, const zn_model *model) {
    zn_settings settings = zn_settings_default();
    settings.scheme = "radau-2a";
    settings.stages = 2;
    settings.step = 1e-3;
    settings.end = 0.5;
    zn_simulation *simulation = NULL;
    zn_account *account = NULL;
    zn_status status = zn_simulation_create(context, model, &settings, &simulation);
    if (status == ZN_OK) status = zn_account_create(context, simulation, &account);
    for (long step = 1; status == ZN_OK && !zn_simulation_done(simulation); step++) {
        status = zn_simulation_step(simulation);
        if (status == ZN_OK) status = zn_account_update(account);
        if (status != ZN_OK || step % 100) continue;
        double phi = speed * zn_simulation_time(simulation), s = l1 * sin(phi);
        printf("t = %.1f  slider at %.6f (textbook %.6f)\n", zn_simulation_time(simulation), zn_simulation_positions(simulation)[6],
               l1 * cos(phi) + sqrt(l2 * l2 - s * s));
    }
    for (int i = 0; status == ZN_OK && i < zn_model_part_count(model); i++) {
        zn_part_info part = zn_model_part_info(model, i);
        zn_part_account energy = zn_account_part(account, i);
        if (part.nu || energy.work != 0)
            printf("%-6s (%s): kinetic %.4f J, potential %.4f J, work %.4f J\n", part.name, part.what, shown(energy.kinetic),
                   shown(energy.potential), shown(energy.work));
    }
    if (status == ZN_OK) printf("the motor supplied %.3f J\n", -zn_account_total(account).lost);
    zn_account_destroy(account);
    zn_simulation_destroy(simulation);
    return status;
}

int main(void) {
    zn_context *context = zn_context_create(NULL);
    if (!context) return 1;
    zn_model *model = make_mechanism(context);
    bool good = model && zn_error_count(context) == 0 && run(context, model) == ZN_OK;
    if (!good) fprintf(stderr, "%s\n", zn_error_text(context));
    zn_model_destroy(context, model);
    zn_context_destroy(context);
    return good ? 0 : 1;
}
