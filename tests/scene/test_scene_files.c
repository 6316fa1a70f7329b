/* SPDX-License-Identifier: Apache-2.0 */
/* Files: the scenes of the project load and start consistently; what is no scene file is refused. */
#include "scene_check.h"

#include <dirent.h>

/* Sizes and start energy (kinetic + potential) of each scene, computed by hand from the papers' data. */
static const struct {
    const char *file;
    int nq, ng, n_contacts;
    double energy;
} known[] = {
    {"ball-in-corner", 3, 0, 2, 10},       {"ball-in-cylinder", 3, 0, 1, 1},
    {"block-on-belt", 1, 0, 1, 0.04},      {"block-on-belt-light", 1, 0, 1, 0.04},
    {"bouncing-ball", 1, 0, 1, 0.981},     {"bouncing-pendulum", 3, 2, 1, 2.588190451025207},
    {"cartesian-pendulum", 2, 1, 0, 2.5},  {"painleve-rod", 3, 0, 1, 455.1503807491005},
    {"rigid-pendulum", 3, 2, 0, 60},       {"rolling-ball", 3, 0, 1, 1.502},
    {"rotating-ball", 3, 0, 1, 15},        {"rotating-ball-stick", 3, 0, 1, 10.2},
    {"rotating-ball-zeno", 3, 0, 1, 9.81}, {"sleigh", 3, 0, 0, 0.78},
    {"slider-crank", 9, 6, 4, 7.49554875}, {"slope", 2, 0, 1, 10},
    {"slope-drop", 2, 0, 1, 15},           {"spring-pendulum", 2, 0, 1, -7.130389275784037},
    {"stiff-pendulum", 2, 0, 1, 0},        {"woodpecker", 3, 0, 3, 3.541873368245625e-4},
};
enum { N_KNOWN = sizeof known / sizeof *known };

static int find_known(const char *file, size_t length) {
    for (int i = 0; i < N_KNOWN; i++)
        if (strlen(known[i].file) == length && !strncmp(known[i].file, file, length)) return i;
    return -1;
}

static void check_start(const zn_model *model, const char *file, double energy) {
    int n = model->size.ng + model->size.ny + model->size.nN + model->size.nF;
    void *work = calloc(1, model->work_bytes + 1);
    double *c0 = calloc((size_t)n + 1, sizeof *c0), *c1 = calloc((size_t)n + 1, sizeof *c1);
    zn_point point = {.t = 0, .q = model->q_start, .u = model->u_start};
    zn_constraints constraints = {.c0 = c0, .c1 = c1};
    assert_int_equal(model->constraints(model, work, &point, &constraints), 0);
    int ng = model->size.ng, first_N = ng + model->size.ny;
    for (int i = 0; i < ng; i++) {
        check_close_at(c0[i], 0, 1e-15, 0, file, __FILE__, __LINE__);
        check_close_at(c1[i], 0, 1e-13, 0, file, __FILE__, __LINE__);
    }
    for (int i = ng; i < first_N; i++) check_close_at(c1[i], 0, 1e-13, 0, file, __FILE__, __LINE__);
    for (int i = first_N; i < first_N + model->size.nN; i++) check_below_at(-c0[i], 1e-4, file, __FILE__, __LINE__);
    double T, V;
    assert_int_equal(model->energy(model, work, &point, &T, &V), 0);
    check_close_at(T + V, energy, 1e-15, 1e-12, file, __FILE__, __LINE__);
    free(work);
    free(c0);
    free(c1);
}

static void test_scenes_of_the_project(void **state) {
    (void)state;
    int found[N_KNOWN] = {0}, missing = 0;
    DIR *folder = opendir(ZENO_SOURCE_DIR "/scenes");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *end = strstr(entry->d_name, ".yaml");
        if (!end || end[5]) continue;
        char path[1024];
        snprintf(path, sizeof path, ZENO_SOURCE_DIR "/scenes/%s", entry->d_name);
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        zn_status status = zn_scene_load(context, path, NULL, &scene);
        if (status != ZN_OK) print_error("%s\n", zn_error_text(context));
        assert_int_equal(status, ZN_OK);
        assert_true(*zn_scene_title(scene));
        assert_true(zn_scene_settings(scene)->step > 0 && zn_scene_settings(scene)->end > 0);
        int index = find_known(entry->d_name, (size_t)(end - entry->d_name));
        if (index >= 0) { /* others may have been added */
            const zn_model *model = zn_scene_model(scene);
            assert_int_equal(model->size.nq, known[index].nq);
            assert_int_equal(model->size.ng, known[index].ng);
            assert_int_equal(model->size.n_contacts, known[index].n_contacts);
            check_start(model, known[index].file, known[index].energy);
            found[index] = 1;
        }
        zn_scene_destroy(scene);
        zn_context_destroy(context);
    }
    closedir(folder);
    for (int i = 0; i < N_KNOWN; i++)
        if (!found[i]) missing++, print_error("scenes/%s.yaml is missing\n", known[i].file);
    assert_int_equal(missing, 0);
}

static void check_file_error(const char *path, zn_status expected, const char *part) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    assert_int_equal(zn_scene_load(context, path, NULL, &scene), expected);
    assert_null(scene);
    assert_int_equal(zn_error_count(context), 1);
    const zn_error *error = zn_error_get(context, 0);
    assert_string_equal(error->file, path);
    if (!strstr(error->message, part)) print_error("%s\n", error->message);
    assert_non_null(strstr(error->message, part));
    zn_context_destroy(context);
}

static void write_file(const char *path, const char *bytes, size_t length) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    fclose(stream);
}

static void test_refused_files(void **state) {
    (void)state;
    check_file_error("/no/such/scene.yaml", ZN_ERROR_FILE, "no such file");
    check_file_error(ZENO_SOURCE_DIR "/scenes", ZN_ERROR_FILE, "directory");
    char path[] = ZENO_BINARY_DIR "/test-scene-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    write_file(path, "a: 1\0\1\2", 7);
    check_file_error(path, ZN_ERROR_FILE, "zero bytes");
    write_file(path,
               "\x7f"
               "ELF\x02\x01",
               6);
    check_file_error(path, ZN_ERROR_SYNTAX, "not a text file");
    write_file(path, "", 0);
    check_file_error(path, ZN_ERROR_SCENE, "the scene is empty");
    char *large = malloc(SCENE_MAX_BYTES + 1);
    memset(large, '#', SCENE_MAX_BYTES + 1);
    write_file(path, large, SCENE_MAX_BYTES + 1);
    free(large);
    check_file_error(path, ZN_ERROR_FILE, "too large");
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes_of_the_project), cmocka_unit_test(test_refused_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
