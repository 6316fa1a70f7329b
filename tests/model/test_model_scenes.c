/* SPDX-License-Identifier: Apache-2.0 */
/* Every derivative of every model in scenes/, at its start and at random states near it. */
#include "check.h"

#include "model/model.h"
#include "zeno/zeno.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double noise(void) { return 2 * (double)rand() / RAND_MAX - 1; }

static void check_state(zn_context *context, const zn_model *model, const char *name, double spread) {
    int nq = model->size.nq, nu = model->size.nu, n = model_rows(model);
    double *v = calloc((size_t)(nq + 2 * nu + n), sizeof *v), *q = v, *u = q + nq, *a = u + nu, *lambda = a + nu;
    for (int i = 0; i < nq; i++) q[i] = model->q_start[i] + spread * noise();
    for (int i = 0; i < nu; i++) u[i] = model->u_start[i] + noise(), a[i] = noise();
    /* Marks of joints (clutches, turns) change between steps only: they have no velocity, and rows do not have their rate. */
    for (int i = 0; i < nu; i++)
        if (strstr(model->u_names[i], ".clutch'") || strstr(model->u_names[i], ".turn'")) u[i] = a[i] = 0;
    for (int i = 0; i < n; i++) lambda[i] = noise();
    zn_derivative_check result;
    zn_point at = {0.3, q, u, a, lambda};
    assert_int_equal(zn_model_check_derivatives(context, model, &at, &result), ZN_OK);
    if (!(result.worst < 1e-8)) fail_msg("%s: %s is wrong by %g", name, result.what, result.worst);
    free(v);
}

static void derivatives_of_all_scenes(void **state) {
    (void)state;
    int scenes = 0;
    DIR *folder = opendir(ZENO_SOURCE_DIR "/scenes");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".yaml") != 0) continue;
        char path[512];
        snprintf(path, sizeof path, "%s/scenes/%s", ZENO_SOURCE_DIR, entry->d_name);
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        if (zn_scene_load(context, path, NULL, &scene) != ZN_OK) fail_msg("%s", zn_error_text(context));
        /* The work grows with the square of the size, and large scenes are many bodies of one kind. */
        unsigned states = zn_scene_model(scene)->size.nq > 200 ? REPEATED(1, 0) : REPEATED(6, 2);
        for (unsigned seed = 1; seed <= states; seed++) {
            srand(seed); /* the same states whatever other scenes there are */
            check_state(context, zn_scene_model(scene), entry->d_name, 0.02);
        }
        zn_scene_destroy(scene);
        zn_context_destroy(context);
        scenes++;
    }
    closedir(folder);
    print_message("%d scenes\n", scenes);
    assert_true(scenes >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_of_all_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
