/* SPDX-License-Identifier: Apache-2.0 */
/* Misuse of recorders, results and contact problems. */
#include "misuse.h"

/* A result in memory with one row; *dead: one that was closed. */
static zn_result *make(world *w, zn_result **dead) {
    zn_result *results[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        zn_recorder *recorder = NULL;
        assert_int_equal(zn_recorder_create(w->context, w->simulation, NULL, NULL, NULL, &recorder), ZN_OK);
        assert_int_equal(zn_recorder_row(recorder), ZN_OK);
        assert_int_equal(zn_recorder_rows(recorder), 1);
        assert_int_equal(zn_recorder_keep(recorder, &results[i]), ZN_OK);
    }
    *dead = results[1];
    zn_result_close(results[1]);
    return results[0];
}

ROW(zn_recorder_keep) {
    zn_result *result = NULL;
    REFUSED_SILENTLY(zn_recorder_keep(NULL, &result));
    REFUSED(zn_recorder_keep(w->dead_recorder, &result));
    REFUSED(zn_recorder_keep(w->recorder, NULL));
    REFUSED(zn_recorder_keep(w->recorder, &result)); /* it has a path */
    assert_null(result);
}
ROW(zn_result_open) {
    zn_result *result = (zn_result *)(void *)w;
    REFUSED_SILENTLY(zn_result_open(NULL, "x.h5", &result));
    REFUSED(zn_result_open(w->context, NULL, &result));
    assert_null(result);
    REFUSED(zn_result_open(w->context, "x.h5", NULL));
    assert_int_equal(zn_result_open(w->context, "not-there.h5", &result), ZN_ERROR_FILE);
    zn_error_clear(w->context);
}
ROW(zn_result_close) {
    zn_result *dead, *result = make(w, &dead);
    zn_result_close(NULL);
    zn_result_close(dead);
    zn_result_close(result);
    zn_error_clear(w->context);
}

/* Functions that only tell. */
static void ask(world *w, const zn_result *r, bool alive) {
    assert_int_equal(zn_result_rows(r), alive);
    assert_int_equal(zn_result_columns(r) > 0, alive);
    assert_int_equal(zn_result_column_name(r, 0) != NULL, alive);
    assert_null(zn_result_column_name(r, -1));
    assert_null(zn_result_column_name(r, INT_MAX));
    assert_int_equal(zn_result_dataset_count(r) > 0, alive);
    assert_int_equal(zn_result_get_dataset(r, 0).name != NULL, alive);
    assert_null(zn_result_get_dataset(r, -1).name);
    assert_null(zn_result_get_dataset(r, INT_MAX).name);
    assert_int_equal(zn_result_text(r, "scheme") != NULL, alive);
    assert_null(zn_result_text(r, "nothing"));
    assert_null(zn_result_text(r, NULL));
    zn_error_clear(w->context);
}
static void ask_all(world *w) {
    zn_result *dead, *result = make(w, &dead);
    ask(w, NULL, false);
    ask(w, dead, false);
    ask(w, result, true);
    zn_result_close(result);
}
ROW(zn_result_rows) { ask_all(w); }
ROW(zn_result_columns) { ask_all(w); }
ROW(zn_result_column_name) { ask_all(w); }
ROW(zn_result_dataset_count) { ask_all(w); }
ROW(zn_result_get_dataset) { ask_all(w); }
ROW(zn_result_text) { ask_all(w); }
ROW(zn_result_number) {
    zn_result *dead, *result = make(w, &dead);
    double value = 1;
    REFUSED_SILENTLY(zn_result_number(NULL, "step", &value));
    REFUSED(zn_result_number(dead, "step", &value));
    REFUSED(zn_result_number(result, NULL, &value));
    REFUSED(zn_result_number(result, "step", NULL));
    REFUSED(zn_result_number(result, "nothing", &value));
    assert_true(isnan(value));
    value = 1;
    REFUSED(zn_result_number(result, "scheme", &value));
    assert_true(isnan(value));
    assert_int_equal(zn_result_number(result, "step", &value), ZN_OK);
    assert_true(value > 0);
    zn_result_close(result);
}

ROW(zn_result_find) {
    zn_result *dead, *result = make(w, &dead);
    int column;
    REFUSED_SILENTLY(zn_result_find(NULL, "t", &column));
    REFUSED(zn_result_find(dead, "t", &column));
    REFUSED(zn_result_find(result, NULL, &column));
    REFUSED(zn_result_find(result, "t", NULL));
    REFUSED(zn_result_find(result, "nothing", &column));
    zn_result_close(result);
}
ROW(zn_result_values) {
    zn_result *dead, *result = make(w, &dead);
    const double *first;
    ptrdiff_t stride;
    REFUSED_SILENTLY(zn_result_values(NULL, 0, &first, &stride));
    REFUSED(zn_result_values(dead, 0, &first, &stride));
    REFUSED(zn_result_values(result, -1, &first, &stride));
    REFUSED(zn_result_values(result, INT_MAX, &first, &stride));
    assert_null(first);
    REFUSED(zn_result_values(result, 0, NULL, &stride));
    REFUSED(zn_result_values(result, 0, &first, NULL));
    zn_result_close(result);
}
ROW(zn_result_contacts) {
    zn_result *dead, *result = make(w, &dead);
    zn_contact_table table;
    REFUSED_SILENTLY(zn_result_contacts(NULL, &table));
    REFUSED(zn_result_contacts(dead, &table));
    REFUSED(zn_result_contacts(result, NULL));
    assert_int_equal(zn_result_contacts(result, &table), ZN_OK); /* has none */
    assert_int_equal(table.count, 0);
    zn_result_close(result);
}
ROW(zn_result_contact_events) {
    zn_result *dead, *result = make(w, &dead);
    zn_contact_table table;
    REFUSED_SILENTLY(zn_result_contact_events(NULL, &table));
    REFUSED(zn_result_contact_events(dead, &table));
    REFUSED(zn_result_contact_events(result, NULL));
    assert_int_equal(zn_result_contact_events(result, &table), ZN_OK); /* has none */
    assert_int_equal(table.count, 0);
    zn_result_close(result);
}
ROW(zn_result_events) {
    zn_result *dead, *result = make(w, &dead);
    zn_contact_table table;
    REFUSED_SILENTLY(zn_result_events(NULL, &table));
    REFUSED(zn_result_events(dead, &table));
    REFUSED(zn_result_events(result, NULL));
    assert_int_equal(zn_result_events(result, &table), ZN_OK); /* has none */
    assert_int_equal(table.count, 0);
    zn_result_close(result);
}
ROW(zn_contact_event_text) {
    (void)w;
    const int wrong[] = {-1, ZN_CONTACT_EVENT_KINDS, INT_MIN, INT_MAX};
    for (int i = 0; i < 4; i++) assert_null(zn_contact_event_text((zn_contact_event_kind)wrong[i]));
}
ROW(zn_simulation_contact_event_count) {
    assert_int_equal(zn_simulation_contact_event_count(NULL), 0);
    assert_int_equal(zn_simulation_contact_event_count(w->dead_simulation), 0);
    zn_error_clear(w->context);
}
ROW(zn_simulation_contact_event) {
    const long wrong[] = {-1, 0, LONG_MIN, LONG_MAX};
    zn_simulation_contact_event(NULL, 0);
    for (int i = 0; i < 4; i++) {
        zn_simulation_contact_event(w->simulation, wrong[i]);
        zn_simulation_contact_event(w->dead_simulation, wrong[i]);
    }
    zn_error_clear(w->context);
}
ROW(zn_scene_as_run) {
    char *text = (char *)w;
    REFUSED_SILENTLY(zn_scene_as_run(NULL, NULL, &text));
    REFUSED(zn_scene_as_run(w->dead_scene, NULL, &text));
    REFUSED(zn_scene_as_run(w->scene, NULL, NULL));
}
ROW(zn_scene_free_text) {
    zn_scene_free_text(NULL, NULL);
    zn_scene_free_text(w->dead_scene, NULL);
    zn_scene_free_text(w->scene, NULL);
    zn_error_clear(w->context);
}
ROW(zn_scene_record) {
    zn_recorder *recorder = (zn_recorder *)w;
    REFUSED_SILENTLY(zn_scene_record(NULL, w->scene, w->simulation, NULL, &recorder));
    REFUSED(zn_scene_record(w->context, NULL, w->simulation, NULL, &recorder));
    REFUSED(zn_scene_record(w->context, w->dead_scene, w->simulation, NULL, &recorder));
    REFUSED(zn_scene_record(w->context, w->scene, NULL, NULL, &recorder));
    REFUSED(zn_scene_record(w->context, w->scene, w->dead_simulation, NULL, &recorder));
    REFUSED(zn_scene_record(w->context, w->scene, w->simulation, NULL, NULL));
    assert_null(recorder);
}
ROW(zn_simulation_save) {
    size_t size = 0;
    char room[1];
    REFUSED_SILENTLY(zn_simulation_save(NULL, NULL, 0, &size));
    REFUSED(zn_simulation_save(w->dead_simulation, NULL, 0, &size));
    REFUSED(zn_simulation_save(w->simulation, room, sizeof room, &size)); /* too small */
    REFUSED(zn_simulation_save(w->simulation, NULL, 0, NULL));
}
ROW(zn_simulation_restore) {
    const char bytes[64] = "no snapshot";
    REFUSED_SILENTLY(zn_simulation_restore(NULL, bytes, sizeof bytes));
    REFUSED(zn_simulation_restore(w->dead_simulation, bytes, sizeof bytes));
    REFUSED(zn_simulation_restore(w->simulation, NULL, 64));
    REFUSED(zn_simulation_restore(w->simulation, bytes, 0));
    REFUSED(zn_simulation_restore(w->simulation, bytes, sizeof bytes));
}
ROW(zn_simulation_set_state) {
    const double wrong[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    REFUSED_SILENTLY(zn_simulation_set_state(NULL, NULL, NULL, false));
    REFUSED(zn_simulation_set_state(w->dead_simulation, NULL, NULL, false));
    REFUSED(zn_simulation_set_state(w->simulation, wrong, NULL, false));
    REFUSED(zn_simulation_set_state(w->simulation, NULL, wrong, true));
}
ROW(zn_simulation_reset) {
    REFUSED_SILENTLY(zn_simulation_reset(NULL));
    REFUSED(zn_simulation_reset(w->dead_simulation));
}
ROW(zn_result_save) {
    zn_result *dead, *result = make(w, &dead);
    REFUSED_SILENTLY(zn_result_save(NULL, "x.csv"));
    REFUSED(zn_result_save(dead, "x.csv"));
    REFUSED(zn_result_save(result, NULL));
    REFUSED(zn_result_save(result, "x.txt"));
    assert_int_equal(zn_result_save(result, "/nowhere/x.csv"), ZN_ERROR_FILE);
    zn_error_clear(w->context);
    zn_result_close(result);
}

ROW(zn_contact_problem_solve) {
    const int index[] = {0, 1, 2}, outside[] = {0, 1, 3};
    const double value[] = {1, 1, 1}, q[] = {-1, 0, 0}, mu[] = {0.5}, negative[] = {-1}, unknown[] = {-1, NAN, 0};
    const zn_triplets W = {3, 3, 3, index, index, value};
    const zn_contact_problem good = {.dim = 3, .n_contacts = 1, .W = W, .q = q, .mu = mu};
    double r[3] = {0};
    zn_contact_problem_outcome o;
    zn_context *c = w->context;
    REFUSED_SILENTLY(zn_contact_problem_solve(NULL, &good, ZN_SOLVER_AUTO, 1e-10, r, NULL, &o));
    REFUSED(zn_contact_problem_solve(c, NULL, ZN_SOLVER_AUTO, 1e-10, r, NULL, &o));
    REFUSED(zn_contact_problem_solve(c, &good, ZN_SOLVER_AUTO, 1e-10, NULL, NULL, &o));
    REFUSED(zn_contact_problem_solve(c, &good, ZN_SOLVER_AUTO, 1e-10, r, NULL, NULL));
    REFUSED(zn_contact_problem_solve(c, &good, (zn_solver)99, 1e-10, r, NULL, &o));
    REFUSED(zn_contact_problem_solve(c, &good, ZN_SOLVER_AUTO, 0, r, NULL, &o));
    REFUSED(zn_contact_problem_solve(c, &good, ZN_SOLVER_AUTO, NAN, r, NULL, &o));
    zn_contact_problem bad[12];
    for (int i = 0; i < 12; i++) bad[i] = good;
    bad[0].dim = 4, bad[1].n_contacts = -1, bad[2].W.rows = 2, bad[3].W.count = -1, bad[4].W.row = outside, bad[5].W.value = unknown;
    bad[6].q = NULL, bad[7].q = unknown, bad[8].mu = negative, bad[9].global = true, bad[10].W.col = NULL, bad[11].mu = NULL;
    for (int i = 0; i < 12; i++) REFUSED(zn_contact_problem_solve(c, &bad[i], ZN_SOLVER_AUTO, 1e-10, r, NULL, &o));
    assert_int_equal(zn_contact_problem_solve(c, &good, ZN_SOLVER_AUTO, 1e-10, r, NULL, &o), ZN_OK);
    check_close(r[0], 1, 1e-10);
}

ROW(zn_settings_set) {
    zn_settings s = zn_settings_default();
    REFUSED_SILENTLY(zn_settings_set(NULL, &s, "step", "1"));
    REFUSED(zn_settings_set(w->context, NULL, "step", "1"));
    REFUSED(zn_settings_set(w->context, &s, NULL, "1"));
    REFUSED(zn_settings_set(w->context, &s, "step", NULL));
    REFUSED(zn_settings_set(w->context, &s, "stepp", "1"));
    REFUSED(zn_settings_set(w->context, &s, "step_auto", "true")); /* that is step: auto */
    REFUSED(zn_settings_set(w->context, &s, "step", "fast"));
    REFUSED(zn_settings_set(w->context, &s, "step", ""));
    REFUSED(zn_settings_set(w->context, &s, "tolerance", "nan"));
    REFUSED(zn_settings_set(w->context, &s, "stages", "1.5"));
    REFUSED(zn_settings_set(w->context, &s, "scheme", "radau-2a:0"));
    REFUSED(zn_settings_set(w->context, &s, "solver", "magic"));
    check_close(s.step, 0, 0);
}
/* Every setting comes back as it was set; texts are cut, not written beyond their room. */
ROW(zn_settings_get) {
    zn_settings s = zn_settings_default(), again = zn_settings_default();
    char text[64], small[3] = "ab";
    REFUSED_SILENTLY(zn_settings_get(NULL, &s, "step", text, sizeof text));
    REFUSED(zn_settings_get(w->context, NULL, "step", text, sizeof text));
    REFUSED(zn_settings_get(w->context, &s, NULL, text, sizeof text));
    REFUSED(zn_settings_get(w->context, &s, "step", NULL, 0));
    REFUSED(zn_settings_get(w->context, &s, "nothing", text, sizeof text));
    s.step = 0.1, s.end = 1.0 / 3, s.scheme = "rattle", s.solver = ZN_SOLVER_PROJECTION, s.project_start = true, s.activation = 2;
    for (int i = 0; zn_settings_name(i); i++) {
        assert_int_equal(zn_settings_get(w->context, &s, zn_settings_name(i), text, sizeof text), ZN_OK);
        assert_int_equal(zn_settings_set(w->context, &again, zn_settings_name(i), text), ZN_OK);
    }
    assert_string_equal(again.scheme, "rattle");
    assert_true(again.step == s.step && again.end == s.end && again.solver == s.solver && again.project_start && again.activation == 2);
    assert_int_equal(zn_settings_get(w->context, &s, "scheme", small, 2), ZN_OK);
    assert_string_equal(small, "r");
}
ROW(zn_settings_name) {
    (void)w;
    assert_null(zn_settings_name(-1));
    assert_null(zn_settings_name(INT_MAX));
}

#define R(function) \
    { #function, row_##function }
const misuse_row rows_of_results[] = {R(zn_recorder_keep),
                                      R(zn_result_open),
                                      R(zn_result_close),
                                      R(zn_result_rows),
                                      R(zn_result_columns),
                                      R(zn_result_column_name),
                                      R(zn_result_find),
                                      R(zn_result_values),
                                      R(zn_result_dataset_count),
                                      R(zn_result_get_dataset),
                                      R(zn_result_text),
                                      R(zn_result_number),
                                      R(zn_result_save),
                                      R(zn_result_contacts),
                                      R(zn_contact_problem_solve),
                                      R(zn_settings_set),
                                      R(zn_settings_get),
                                      R(zn_settings_name),
                                      R(zn_result_contact_events),
                                      R(zn_result_events),
                                      R(zn_contact_event_text),
                                      R(zn_simulation_contact_event_count),
                                      R(zn_simulation_contact_event),
                                      R(zn_scene_as_run),
                                      R(zn_scene_free_text),
                                      R(zn_scene_record),
                                      R(zn_simulation_save),
                                      R(zn_simulation_restore),
                                      R(zn_simulation_set_state),
                                      R(zn_simulation_reset)};
const int n_rows_of_results = sizeof rows_of_results / sizeof *rows_of_results;
