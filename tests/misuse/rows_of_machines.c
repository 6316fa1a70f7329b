/* SPDX-License-Identifier: Apache-2.0 */
/* Misuse of machines: inputs and what else changes between steps. */
#include "misuse/misuse.h"

static const double wrong_numbers[] = {NAN, INFINITY, -INFINITY};
static const char *const wrong_names[] = {NULL, "", "b", "a b", "pi", "t", "sin"};
enum { N_WRONG_NAMES = sizeof wrong_names / sizeof *wrong_names };

ROW(zn_formula_machine) {
    assert_null(zn_formula_machine(NULL));
    assert_null(zn_formula_machine(w->dead_formulas));
    zn_error_clear(w->context);
    assert_ptr_equal(zn_formula_machine(w->formulas), zn_formula_machine(w->formulas));
}
ROW(zn_parts_machine) {
    assert_null(zn_parts_machine(NULL));
    assert_null(zn_parts_machine(w->dead_parts));
    zn_error_clear(w->context);
    assert_ptr_equal(zn_parts_machine(w->parts), w->machine);
}
ROW(zn_machine_input) {
    REFUSED_SILENTLY(zn_machine_input(NULL, "i", 1));
    REFUSED(zn_machine_input(w->dead_machine, "i", 1));
    for (int i = 0; i < N_WRONG_NAMES; i++) REFUSED(zn_machine_input(w->machine, wrong_names[i], 1));
    for (int i = 0; i < 3; i++) REFUSED(zn_machine_input(w->machine, "i", wrong_numbers[i]));
    assert_int_equal(zn_machine_input(w->machine, "i", 1), ZN_OK);
    REFUSED(zn_machine_input(w->machine, "i", 1));
}
ROW(zn_machine_parameter) {
    REFUSED_SILENTLY(zn_machine_parameter(NULL, "p", 1));
    REFUSED(zn_machine_parameter(w->dead_machine, "p", 1));
    for (int i = 0; i < N_WRONG_NAMES; i++) REFUSED(zn_machine_parameter(w->machine, wrong_names[i], 1));
    for (int i = 0; i < 3; i++) REFUSED(zn_machine_parameter(w->machine, "p", wrong_numbers[i]));
}
ROW(zn_machine_table) {
    const double x[] = {0, 1}, y[] = {0, 1};
    const zn_table_def good = {.n = 2, .x = x, .y = y};
    REFUSED_SILENTLY(zn_machine_table(NULL, "f", &good));
    REFUSED(zn_machine_table(w->dead_machine, "f", &good));
    for (int i = 0; i < N_WRONG_NAMES; i++) REFUSED(zn_machine_table(w->machine, wrong_names[i], &good));
    const zn_table_def wrong[] = {{.n = 2, .x = x},
                                  {.n = 2, .y = y},
                                  {.n = 1, .x = x, .y = y},
                                  {.n = -1, .x = x, .y = y},
                                  {.n = 2, .x = x, .y = y, .interpolation = (zn_interpolation)7}};
    for (int i = 0; i < 5; i++) REFUSED(zn_machine_table(w->machine, "f", &wrong[i]));
    REFUSED(zn_machine_table(w->machine, "f", NULL));
    assert_int_equal(zn_machine_table(w->machine, "f", &good), ZN_OK);
    REFUSED(zn_machine_table(w->machine, "f", &good));
}
ROW(zn_machine_state) {
    REFUSED_SILENTLY(zn_machine_state(NULL, "s", 0, ZN_FORMULA("1")));
    REFUSED(zn_machine_state(w->dead_machine, "s", 0, ZN_FORMULA("1")));
    for (int i = 0; i < N_WRONG_NAMES; i++) REFUSED(zn_machine_state(w->machine, wrong_names[i], 0, ZN_FORMULA("1")));
    for (int i = 0; i < 3; i++) REFUSED(zn_machine_state(w->machine, "s", wrong_numbers[i], ZN_FORMULA("1")));
    REFUSED(zn_machine_state(w->machine, "s", 0, (zn_formula){0}));
}
ROW(zn_machine_sampled) {
    REFUSED_SILENTLY(zn_machine_sampled(NULL, "s", 0, 1, ZN_FORMULA("1")));
    REFUSED(zn_machine_sampled(w->dead_machine, "s", 0, 1, ZN_FORMULA("1")));
    for (int i = 0; i < N_WRONG_NAMES; i++) REFUSED(zn_machine_sampled(w->machine, wrong_names[i], 0, 1, ZN_FORMULA("1")));
    for (int i = 0; i < 3; i++) {
        REFUSED(zn_machine_sampled(w->machine, "s", wrong_numbers[i], 1, ZN_FORMULA("1")));
        REFUSED(zn_machine_sampled(w->machine, "s", 0, wrong_numbers[i], ZN_FORMULA("1")));
    }
    REFUSED(zn_machine_sampled(w->machine, "s", 0, 0, ZN_FORMULA("1")));
    REFUSED(zn_machine_sampled(w->machine, "s", 0, 1, (zn_formula){0}));
}
ROW(zn_machine_mode) {
    REFUSED_SILENTLY(zn_machine_mode(NULL, "m", true));
    REFUSED(zn_machine_mode(w->dead_machine, "m", true));
    for (int i = 0; i < N_WRONG_NAMES; i++) REFUSED(zn_machine_mode(w->machine, wrong_names[i], true));
}
ROW(zn_machine_switch) {
    REFUSED_SILENTLY(zn_machine_switch(NULL, "j", ZN_FORMULA("1")));
    REFUSED(zn_machine_switch(w->dead_machine, "j", ZN_FORMULA("1")));
    REFUSED(zn_machine_switch(w->machine, NULL, ZN_FORMULA("1")));
    REFUSED(zn_machine_switch(w->machine, "", ZN_FORMULA("1")));
    REFUSED(zn_machine_switch(w->machine, "j", (zn_formula){0}));
    assert_int_equal(zn_machine_switch(w->machine, "j", ZN_FORMULA("1")), ZN_OK);
    REFUSED(zn_machine_switch(w->machine, "j", ZN_FORMULA("1")));
    zn_model *model = NULL; /* there is no such joint */
    REFUSED(zn_parts_build(w->parts, &model));
}
ROW(zn_machine_event) {
    const zn_event_set nothing = {0};
    const zn_event_def good = {.name = "e", .when = ZN_FORMULA("t - 1"), .stop = true};
    zn_event_def wrong[6] = {good, good, good, good, good, good};
    wrong[0].name = NULL, wrong[1].name = "", wrong[2].when.text = NULL, wrong[3].direction = (zn_direction)9, wrong[4].n_sets = -1,
    wrong[5].n_sets = 1;
    REFUSED_SILENTLY(zn_machine_event(NULL, &good));
    REFUSED(zn_machine_event(w->dead_machine, &good));
    REFUSED(zn_machine_event(w->machine, NULL));
    for (int i = 0; i < 6; i++) REFUSED(zn_machine_event(w->machine, &wrong[i]));
    wrong[5].sets = &nothing;
    REFUSED(zn_machine_event(w->machine, &wrong[5]));
    assert_int_equal(zn_machine_event(w->machine, &good), ZN_OK);
    REFUSED(zn_machine_event(w->machine, &good));
}
ROW(zn_simulation_event_count) {
    assert_int_equal(zn_simulation_event_count(NULL), 0);
    assert_int_equal(zn_simulation_event_count(w->dead_simulation), 0);
    assert_int_equal(zn_simulation_event_count(w->simulation), 0);
    zn_error_clear(w->context);
}
ROW(zn_simulation_event) {
    const int wrong[] = {0, -1, INT_MIN, INT_MAX};
    for (int i = 0; i < 4; i++) assert_null(zn_simulation_event(w->simulation, wrong[i]).name);
    assert_null(zn_simulation_event(NULL, 0).name);
    assert_null(zn_simulation_event(w->dead_simulation, 0).name);
    zn_error_clear(w->context);
}
ROW(zn_simulation_stop_message) {
    assert_null(zn_simulation_stop_message(NULL));
    assert_null(zn_simulation_stop_message(w->dead_simulation));
    assert_null(zn_simulation_stop_message(w->simulation));
    zn_error_clear(w->context);
}
ROW(zn_simulation_set_input) {
    REFUSED_SILENTLY(zn_simulation_set_input(NULL, "i", 1));
    REFUSED(zn_simulation_set_input(w->dead_simulation, "i", 1));
    REFUSED(zn_simulation_set_input(w->simulation, NULL, 1));
    REFUSED(zn_simulation_set_input(w->simulation, "i", 1));
}
ROW(zn_machine_follow) {
    const double x[] = {0, 1}, y[] = {0, 1};
    const zn_table_def good = {.n = 2, .x = x, .y = y}, periodic = {.n = 2, .x = x, .y = x, .periodic = true};
    const zn_table_def wrong[] = {{.n = 2, .x = x},
                                  {.n = 2, .y = y},
                                  {.n = 1, .x = x, .y = y},
                                  {.n = -1, .x = x, .y = y},
                                  {.n = 2, .x = x, .y = y, .interpolation = (zn_interpolation)7}};
    REFUSED_SILENTLY(zn_machine_follow(NULL, "followed", &good, true));
    REFUSED(zn_machine_follow(w->dead_machine, "followed", &good, true));
    REFUSED(zn_machine_follow(w->machine, "nobody", &good, true));
    (void)zn_machine_input(w->machine, "followed", 1); /* it may be there from before */
    zn_error_clear(w->context);
    REFUSED(zn_machine_follow(w->machine, NULL, &good, true));
    REFUSED(zn_machine_follow(w->machine, "followed", NULL, true));
    REFUSED(zn_machine_follow(w->machine, "followed", &periodic, true));
    for (int i = 0; i < 5; i++) REFUSED(zn_machine_follow(w->machine, "followed", &wrong[i], false));
    assert_int_equal(zn_machine_follow(w->machine, "followed", &good, true), ZN_OK);
    assert_int_equal(zn_machine_follow(w->machine, "followed", &good, false), ZN_OK); /* instead */
}
ROW(zn_simulation_follow) {
    const double x[] = {0, 1}, y[] = {0, 1};
    const zn_table_def good = {.n = 2, .x = x, .y = y}, wrong = {.n = 2, .x = x};
    REFUSED_SILENTLY(zn_simulation_follow(NULL, "i", &good, true));
    REFUSED(zn_simulation_follow(w->dead_simulation, "i", &good, true));
    REFUSED(zn_simulation_follow(w->simulation, NULL, &good, true));
    REFUSED(zn_simulation_follow(w->simulation, "i", NULL, true));
    REFUSED(zn_simulation_follow(w->simulation, "i", &wrong, true));
    REFUSED(zn_simulation_follow(w->simulation, "i", &good, true));
}
ROW(zn_simulation_input) {
    double value;
    REFUSED_SILENTLY(zn_simulation_input(NULL, "i", &value));
    REFUSED(zn_simulation_input(w->dead_simulation, "i", &value));
    REFUSED(zn_simulation_input(w->simulation, NULL, &value));
    REFUSED(zn_simulation_input(w->simulation, "i", NULL));
    REFUSED(zn_simulation_input(w->simulation, "i", &value));
}
ROW(zn_simulation_input_name) {
    const int wrong[] = {0, -1, INT_MIN, INT_MAX};
    for (int i = 0; i < 4; i++) assert_null(zn_simulation_input_name(w->simulation, wrong[i]));
    assert_null(zn_simulation_input_name(NULL, 0));
    assert_null(zn_simulation_input_name(w->dead_simulation, 0));
    zn_error_clear(w->context);
}

#define R(function) \
    { #function, row_##function }
const misuse_row rows_of_machines[] = {R(zn_formula_machine),        R(zn_parts_machine),     R(zn_machine_input),
                                       R(zn_machine_parameter),      R(zn_machine_table),     R(zn_machine_follow),
                                       R(zn_machine_state),          R(zn_machine_sampled),   R(zn_machine_mode),
                                       R(zn_machine_switch),         R(zn_simulation_follow), R(zn_machine_event),
                                       R(zn_simulation_event_count), R(zn_simulation_event),  R(zn_simulation_stop_message),
                                       R(zn_simulation_set_input),   R(zn_simulation_input),  R(zn_simulation_input_name)};
const int n_rows_of_machines = sizeof rows_of_machines / sizeof *rows_of_machines;
