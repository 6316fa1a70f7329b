/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a scene, runs it and prints the motion: bouncing_ball [SCENE.yaml] */
#include <stdio.h>
#include <zeno/zeno.h>

static int print_row(void *user, const zn_simulation *simulation) {
    (void)user;
    printf("%6.3f %10.6f %10.6f\n", zn_simulation_time(simulation), zn_simulation_positions(simulation)[0],
           zn_simulation_velocities(simulation)[0]);
    return 0; /* nonzero would stop the run */
}

int main(int argc, char **argv) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    zn_simulation *simulation = NULL;
    zn_status status = zn_scene_load(context, argc > 1 ? argv[1] : "scenes/bouncing-ball.yaml", NULL, &scene);
    if (status == ZN_OK) {
        zn_settings settings = *zn_scene_settings(scene);
        settings.end = 3;
        settings.record_every = 500; /* steps between two rows */
        status = zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation);
    }
    if (status == ZN_OK) status = zn_simulation_run(simulation, print_row, NULL);
    if (status != ZN_OK) fprintf(stderr, "%s\n", zn_error_text(context));
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return status == ZN_OK ? 0 : 1;
}
