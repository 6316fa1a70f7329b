/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of scenes share. */
#ifndef TESTS_SCENE_CHECK_H
#define TESTS_SCENE_CHECK_H

#include "check.h"
#include "scene/scene.h"
#include "zeno/zeno.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A small scene that is right; tests break it. */
#define GOOD_SCENE                                                         \
    "title: Ball\n"                                                        \
    "parameters: {m: 2, g: 9.81, r: m/20}\n"                               \
    "coordinates:\n"                                                       \
    "  x: {start: 0, velocity: 1}\n"                                       \
    "  y: 3*r\n"                                                           \
    "energy:\n"                                                            \
    "  kinetic: m/2*(x'^2 + y'^2)\n"                                       \
    "  potential: m*g*y\n"                                                 \
    "forces: {x: -0.1*x'}\n"                                               \
    "constraints:\n"                                                       \
    "  guide: {position: x - y}\n"                                         \
    "contacts:\n"                                                          \
    "  floor: {gap: y - r, slip: [x'], friction: 0.2, restitution: 0.5}\n" \
    "simulation: {scheme: moreau, step: 1e-3, end: 1}\n"

/* Loads a text that must be right. */
static inline zn_scene *load_good(zn_context *context, const char *text, int n_sets, const char *const *sets) {
    zn_scene *scene = NULL;
    zn_scene_options options = {.n_sets = n_sets, .sets = sets};
    zn_status status = zn_scene_parse(context, "good.yaml", text, &options, &scene);
    if (status != ZN_OK) print_error("%s\n%s\n", text, zn_error_text(context));
    assert_int_equal(status, ZN_OK);
    assert_int_equal(zn_error_count(context), 0);
    return scene;
}

/* Mistakes are printed and counted, so that one run shows all of them; `no_mismatches` as a teardown fails the test. */
static int mismatches;
static inline int no_mismatches(void **state) {
    (void)state;
    int found = mismatches;
    mismatches = 0;
    return found ? -1 : 0;
}

/* Loads a text that must be wrong; `expected` is "line:column: part of the sentence" for each error, ended by NULL. */
static inline void check_errors_set(const char *text, const char *set, const char *const *expected) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    zn_scene_options options = {.n_sets = set ? 1 : 0, .sets = &set};
    zn_status status = zn_scene_parse(context, "bad.yaml", text, &options, &scene);
    int count = 0;
    while (expected[count]) count++;
    bool same = status != ZN_OK && !scene && zn_error_count(context) == count;
    for (int i = 0; same && i < count; i++) {
        const zn_error *error = zn_error_get(context, i);
        char place[32];
        int length = snprintf(place, sizeof place, "%d:%d: ", error->line, error->column);
        same = !strncmp(place, expected[i], (size_t)length) && strstr(error->message, expected[i] + length);
        same = same && (set || !strcmp(error->file, "bad.yaml"));
    }
    if (!same) {
        print_error("text:\n%s\nerrors:\n%s\nexpected:\n", text, zn_error_text(context));
        for (int i = 0; i < count; i++) print_error("%s\n", expected[i]);
        mismatches++;
    }
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}
#define check_errors(text, ...) check_errors_set(text, NULL, (const char *const[]){__VA_ARGS__, NULL})

/* A copy of a text with the first `old` replaced. The caller frees it. */
static inline char *with(const char *text, const char *old, const char *now) {
    const char *at = strstr(text, old);
    assert_non_null(at);
    size_t size = strlen(text) + strlen(now) + 1;
    char *copy = malloc(size);
    snprintf(copy, size, "%.*s%s%s", (int)(at - text), text, now, at + strlen(old));
    return copy;
}
#define check_change(old, now, ...)                 \
    do {                                            \
        char *changed = with(GOOD_SCENE, old, now); \
        check_errors(changed, __VA_ARGS__);         \
        free(changed);                              \
    } while (0)

#endif
