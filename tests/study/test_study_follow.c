/* SPDX-License-Identifier: Apache-2.0 */
/* A worker whose model follows a parameter gives, bit for bit, the rows of workers that read the scene for each run: for every parameter of
 * every scene of formulas, over values near its own, of another sign, and those at which formulas become simpler; schemes take turns. */
#include "check.h"
#include "model/formula_model.h"
#include "study/single.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 6, MOST_TEXT = 1 << 16 };
static const char *const schemes[] = {NULL,           "moreau-midpoint", "rattle",         "radau-2a:2", "generalized-alpha",
                                      "lobatto-3a3b", "tr-bdf2",         "moreau-shifted", "trx2"};
enum { N_SCHEMES = sizeof schemes / sizeof *schemes };

typedef struct counts {
    long runs, followed, failed;
} counts;

static char *slurp(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = calloc(MOST_TEXT, 1);
    size_t size = fread(text, 1, MOST_TEXT - 1, file);
    fclose(file);
    text[size] = '\0';
    return text;
}

static void run_by_itself(const study_shared *shared, long run, study_row *row) {
    study_worker w;
    assert_int_equal(study_worker_create(shared, &w), ZN_OK);
    study_worker_run(&w, run, row);
    study_worker_free(&w);
}

static void compare(zn_context *context, const study_def *def, counts *sum) {
    study_shared shared;
    study_worker w;
    if (study_shared_create(context, def, &shared) != ZN_OK) { /* a scheme that does not support the scene */
        zn_error_clear(context);
        return;
    }
    int width = study_row_width(&shared);
    study_row a = {.numbers = calloc((size_t)width, sizeof(double)), .events.memory = context};
    study_row b = {.numbers = calloc((size_t)width, sizeof(double)), .events.memory = context};
    assert_int_equal(study_worker_create(&shared, &w), ZN_OK);
    for (long k = 0; k < shared.plan.runs; k++) {
        w.sets[0][0] = '\0'; /* a scene that is read has it again */
        study_worker_run(&w, k, &a);
        run_by_itself(&shared, k, &b);
        bool same = !memcmp(a.numbers, b.numbers, (size_t)width * sizeof(double)) && !strcmp(a.message, b.message);
        if (!same) {
            print_error("%s, --vary %s, run %ld%s%s: \"%s\" \"%s\"\n", def->name, def->plan.vary[0], k,
                        def->n_settings > 1 ? ", scheme " : "", def->n_settings > 1 ? def->settings[1].value : "", a.message, b.message);
            for (int i = 0; i < width; i++) print_error("  %.17g %.17g\n", a.numbers[i], b.numbers[i]);
        }
        assert_true(same);
        sum->runs++;
        sum->followed += !w.sets[0][0];
        sum->failed += a.message[0] != '\0';
    }
    study_worker_free(&w);
    study_shared_free(&shared);
    mem_free(context, a.events.entries), mem_free(context, b.events.entries);
    free(a.numbers), free(b.numbers);
}

static void check_scene(zn_context *context, const char *name, const char *text, int *turn, counts *sum) {
    zn_scene *scene = NULL;
    if (zn_scene_parse(context, name, text, NULL, &scene) != ZN_OK) print_error("%s\n", zn_error_text(context));
    assert_non_null(scene);
    const formula_model *m = formula_model_of(zn_scene_model(scene));
    char end[40], vary[400], scheme[60];
    snprintf(end, sizeof end, "%.17g", STEPS * zn_scene_settings(scene)->step);
    for (int i = 0; m && i < m->owned.n_sources; i++) {
        double v = m->owned.sources[i];
        if (!m->owned.source_names[i][0]) continue;
        snprintf(vary, sizeof vary, "%s=%.17g,%.17g,%.17g,%.17g,0,%.17g,1,%.17g", m->owned.source_names[i], v, 1.01 * v, 0.97 * v, 1.02 * v,
                 1.003 * v, -v);
        const char *keep[] = {"last:q,u,energy.total,summary:max_residual,newton_total"}, *varies[] = {vary};
        const char *as = schemes[(*turn)++ % N_SCHEMES]; /* NULL: the scene's own */
        if (as) snprintf(scheme, sizeof scheme, "%s", as);
        const study_setting settings[] = {{"end", end}, {"scheme", scheme}};
        compare(context,
                &(study_def){.name = name,
                             .text = text,
                             .n_settings = as ? 2 : 1,
                             .settings = settings,
                             .plan = {.n_vary = 1, .vary = varies},
                             .n_keep = 1,
                             .keep = keep,
                             .from = -HUGE_VAL},
                sum);
    }
    zn_scene_destroy(scene);
}

static void models_follow_parameters(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    DIR *folder = opendir(ZENO_SOURCE_DIR "/scenes");
    assert_non_null(folder);
    counts sum = {0};
    int turn = 0, scenes = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[512];
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
        snprintf(path, sizeof path, "%s/scenes/%s", ZENO_SOURCE_DIR, entry->d_name);
        char *text = slurp(path);
        assert_non_null(text);
        if (!strstr(text, "\nbodies:") && !strstr(text, "\nrepeat:") && strstr(text, "\nparameters:"))
            check_scene(context, path, text, &turn, &sum), scenes++;
        free(text);
    }
    closedir(folder);
    print_message("%d scenes: %ld runs, %ld followed, %ld failed\n", scenes, sum.runs, sum.followed, sum.failed);
    /* of 8 values 4 are special, or come after such a one */
    assert_true(scenes > 25 && sum.followed > sum.runs / 4);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_follow_parameters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
