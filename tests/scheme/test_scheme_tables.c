/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of schemes and settings: every row is complete, every value of every row works, and nothing else does. */
#include "trial.h"

#include "scheme/scheme.h"
#include "scheme/settings.h"

#include <math.h>

static const char scene[] = "coordinates: {x: 0, y: 1}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                            "simulation: {step: 1e-2, end: 0.1}\n";

static void every_scheme_is_its_own(void **state) {
    (void)state;
    trial r = trial_begin(scene, (trial_options){.scheme = "radau-2a"});
    const zn_model *model = zn_scene_model(r.scene);
    for (int i = 0; i < zn_scheme_count(); i++) {
        const scheme_class *class = scheme_find(zn_scheme_get(i).name);
        scheme *made = NULL;
        zn_settings settings = *zn_scene_settings(r.scene);
        settings.scheme = class->info.name, settings.stages = class->info.stages_default;
        assert_true(class->carry_size && class->create && class->start && class->step && class->destroy);
        assert_true(class->info.summary && *class->info.summary);
        assert_int_equal(class->create(r.context, class, model, &settings, &made), ZN_OK);
        assert_ptr_equal(made->class, class);
        class->destroy(made);
        for (int k = 0; k < i; k++) {
            const scheme_class *other = scheme_find(zn_scheme_get(k).name);
            assert_string_not_equal(other->info.name, class->info.name);
            bool same = class->create == other->create && class->info.stages_max == other->info.stages_max &&
                        class->info.any_dynamics == other->info.any_dynamics;
            if (same && class->method) assert_true(class->method != other->method); /* the same scheme under two names */
            if (same && !class->method) assert_true(class->variant != other->variant);
        }
    }
    trial_end(&r);
}

/* Runs with a text as a setting: what a scene says about it. */
static zn_status try_setting(const char *name, const char *value, char *message, size_t room) {
    char text[400];
    snprintf(text, sizeof text, "coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nsimulation: {step: 1, end: 1, %s: %s}\n", name, value);
    if (strcmp(name, "step") == 0 || strcmp(name, "end") == 0)
        snprintf(text, sizeof text, "coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nsimulation: {%s: %s}\n", name, value);
    zn_context *context = zn_context_create(NULL);
    zn_scene *parsed = NULL;
    zn_status status = zn_scene_parse(context, "test", text, NULL, &parsed);
    snprintf(message, room, "%s", zn_error_text(context));
    zn_scene_destroy(parsed);
    zn_context_destroy(context);
    return status;
}

static void every_setting_has_a_key(void **state) {
    (void)state;
    static const char *const nonsense[] = {"nonsense", "-1", "1e400", "0/0", "[1]", "{a: 1}"};
    char message[400], value[100];
    for (int i = 0; i < settings_count; i++) {
        const setting *row = &settings_rows[i];
        if (row->kind == SETTING_AUTO) continue;
        assert_true(row->sentence && *row->sentence);
        for (int w = 0; w < row->n_words; w++)
            if (try_setting(row->name, row->words[w], message, sizeof message) != ZN_OK) fail_msg("%s: %s", row->words[w], message);
        for (size_t n = 0; n < sizeof nonsense / sizeof *nonsense; n++) {
            assert_int_equal(try_setting(row->name, nonsense[n], message, sizeof message), ZN_ERROR_SCENE);
            assert_non_null(strstr(message, "test:"));
        }
        if (row->words || row->kind == SETTING_SCHEME) continue;
        snprintf(value, sizeof value, "%.17g",
                 isfinite(row->range.high) && !row->range.high_open ? row->range.high : row->range.low + 0.5 * !row->range.whole);
        if (try_setting(row->name, value, message, sizeof message) != ZN_OK) fail_msg("%s: %s: %s", row->name, value, message);
    }
}

/* A word with one letter changed is reported with the word that was meant. */
static void misspelt_words_are_told(void **state) {
    (void)state;
    char message[400], value[100], expected[140];
    for (int i = 0; i < settings_count; i++)
        for (int w = 0; w < settings_rows[i].n_words; w++) {
            const setting *row = &settings_rows[i];
            if (strlen(row->words[w]) < 5) continue;
            snprintf(value, sizeof value, "%s", row->words[w]);
            value[2] = value[2] == 'q' ? 'x' : 'q';
            assert_int_equal(try_setting(row->name, value, message, sizeof message), ZN_ERROR_SCENE);
            snprintf(expected, sizeof expected, "did you mean '%s'?", row->words[w]);
            if (!strstr(message, expected)) fail_msg("%s: %s", value, message);
        }
}

static void values_go_in_and_out(void **state) {
    (void)state;
    for (int i = 0; i < settings_count; i++) {
        const setting *row = &settings_rows[i];
        if (row->kind == SETTING_SCHEME) continue;
        zn_settings settings = zn_settings_default(), before = settings;
        setting_store(row, &settings, 1);
        assert_true(setting_value(row, &settings) == 1);
        setting_store(row, &settings, setting_value(row, &before));
        for (int k = 0; k < settings_count; k++)
            assert_true(setting_value(&settings_rows[k], &settings) == setting_value(&settings_rows[k], &before));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scheme_is_its_own),
        cmocka_unit_test(every_setting_has_a_key),
        cmocka_unit_test(misspelt_words_are_told),
        cmocka_unit_test(values_go_in_and_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
