/* SPDX-License-Identifier: Apache-2.0 */
/* A separate program against the installed library: a ball falls on the floor, bounces and comes to rest. */
#include <zeno/zeno.h>

#include <math.h>
#include <stdio.h>

static const char text[] = "coordinates: {y: {start: 1}}\n"
                           "energy: {kinetic: y'^2/2, potential: 9.81*y}\n"
                           "contacts: {floor: {gap: y, restitution: 0.5}}\n"
                           "simulation: {scheme: moreau-midpoint, step: 1e-3, end: 2}\n";

static zn_status run(zn_context *context, double *t, double *y) {
    zn_scene *scene = NULL;
    zn_simulation *simulation = NULL;
    zn_status status = zn_scene_parse(context, "ball", text, NULL, &scene);
    if (status == ZN_OK) status = zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation);
    if (status == ZN_OK) status = zn_simulation_run(simulation, NULL, NULL);
    if (status == ZN_OK) {
        *t = zn_simulation_time(simulation);
        *y = zn_simulation_positions(simulation)[0];
    }
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    return status;
}

int main(void) {
    zn_context *context = zn_context_create(NULL);
    if (!context) return 1;
    double t = 0, y = 1;
    zn_status status = run(context, &t, &y);
    if (status != ZN_OK) fprintf(stderr, "%s\n", zn_error_text(context));
    zn_context_destroy(context);
    printf("zeno %s: y(%g) = %g\n", zn_version(), t, y);
    /* At rest since sqrt(2/g) (1 + e)/(1 - e) = 1.35; a Moreau scheme penetrates by at most h times the speed of impact. */
    return status == ZN_OK && t == 2 && fabs(y) < 4.43e-3 ? 0 : 1;
}
