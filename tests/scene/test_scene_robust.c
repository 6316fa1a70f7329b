/* SPDX-License-Identifier: Apache-2.0 */
/* Broken input and missing memory: an error, never a crash or a leak (the sanitizers watch). */
#include "scene_check.h"

/* Uses everything of the format once. */
static const char *const rich_scenes[] = {
    GOOD_SCENE,
    "title: \"Every \\u00e9 section\"\n"
    "parameters:\n  m: &m 2\n  n: *m\n  k: >-\n    m +\n    n\n"
    "coordinates:\n  x: {start: 0}\n  z: [1]\n",
    "parameters: {m: 2, mu: [0.3]}\n"
    "coordinates: {x: 0, y: {start: 1, velocity: m}}\n"
    "velocities: {v: {start: 1}, w: 2}\n"
    "kinematics: {x: v*cos(y), y: w}\n"
    "mass:\n- [m, 0]\n- [0, 1]\n"
    "force: {v: -v, w: 'x + 1'}\n"
    "energy: {potential: x}\n"
    "constraints:\n  skate: {velocity: v - w}\n  rod: {position: x^2 + y^2 - 1}\n",
    "coordinates: {x: 0, y: 0, z: 1}\n"
    "energy: {kinetic: x'^2 + y'^2 + z'^2, potential: 3*z}\n"
    "contacts:\n"
    "  a: {gap: z, slip: [x', y'], friction: [0.3, 0.1], reservoir: rectangle, restitution: 1/2}\n"
    "  b:\n    normal_force: 3\n    slip: x'\n    friction: 0.5\n    stribeck: {dynamic: 0.3, rate: 3}\n"
    "    rolling: {slip: y', friction: 0.1}\n    pivoting: {slip: x', friction: 0.2}\n"
    "simulation: {scheme: radau-2a:2, step: auto, accuracy: 1e-5, end: 1, solver: newton}\n"};
enum { N_RICH = sizeof rich_scenes / sizeof *rich_scenes };

/* Whatever comes out, it is a scene or at least one error. */
static void load_anything(zn_context *context, const char *text) {
    zn_scene *scene = NULL;
    zn_status status = zn_scene_parse(context, "any.yaml", text, NULL, &scene);
    bool good = (status == ZN_OK) == (scene != NULL) && (status == ZN_OK) == (zn_error_count(context) == 0);
    good = good && status != ZN_ERROR_INTERNAL && status != ZN_ERROR_MEMORY;
    for (int i = 0; good && i < zn_error_count(context); i++) {
        const zn_error *error = zn_error_get(context, i);
        good = error->file && !strcmp(error->file, "any.yaml");
    }
    if (!good) print_error("%s\nstatus %d, errors: %s\n", text, (int)status, zn_error_text(context));
    assert_true(good);
    zn_scene_destroy(scene);
    zn_error_clear(context);
}

static void test_every_truncation(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    for (int k = 0; k < N_RICH; k++) {
        char *text = strdup(rich_scenes[k]);
        for (size_t length = strlen(text); length-- > 0;) {
            text[length] = 0;
            load_anything(context, text);
        }
        free(text);
    }
    zn_context_destroy(context);
}

static uint64_t next_random(uint64_t *seed) { /* xorshift64* */
    *seed ^= *seed >> 12, *seed ^= *seed << 25, *seed ^= *seed >> 27;
    return *seed * 0x2545f4914f6cdd1dull >> 11;
}

static void mutate(char *text, uint64_t *seed) {
    static const char bytes[] = "{}[]:,-#&*!|>'\"%@`? \n\t~0129.eExymtkv+*/^()\x01\xc3\xff\\";
    size_t length = strlen(text);
    for (uint64_t changes = 1 + next_random(seed) % 4; changes-- > 0 && length > 2;) {
        size_t at = next_random(seed) % length;
        switch (next_random(seed) % 4) {
        case 0: text[at] = bytes[next_random(seed) % (sizeof bytes - 1)]; break;
        case 1: memmove(text + at, text + at + 1, length - at), length--; break;
        case 2: text[at] = text[next_random(seed) % length]; break;
        default: { /* a piece copied elsewhere */
            size_t from = next_random(seed) % length, piece = 1 + next_random(seed) % 8;
            if (from + piece <= length && at + piece <= length) memmove(text + at, text + from, piece);
        }
        }
    }
}

static void test_random_mutations(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    uint64_t seed = 20240611;
    for (int i = 0; i < 4000; i++) {
        char *text = strdup(rich_scenes[i % N_RICH]);
        mutate(text, &seed);
        load_anything(context, text);
        free(text);
    }
    zn_context_destroy(context);
}

static void test_random_bytes(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    uint64_t seed = 7;
    for (int i = 0; i < 2000; i++) {
        char text[64] = {0};
        size_t length = next_random(&seed) % 63;
        for (size_t k = 0; k < length; k++) text[k] = (char)(i % 2 ? next_random(&seed) % 256 : 32 + next_random(&seed) % 95);
        load_anything(context, text);
    }
    zn_context_destroy(context);
}

typedef struct counter {
    long count, fail_at, live; /* the fail_at-th request and all later ones fail; 0: none */
} counter;

static void *count_reallocate(void *user, void *block, size_t bytes) {
    counter *c = user;
    c->count++;
    if (c->fail_at && c->count >= c->fail_at) return NULL;
    void *grown = realloc(block, bytes);
    if (grown && !block) c->live++;
    return grown;
}

static void count_release(void *user, void *block) {
    ((counter *)user)->live--;
    free(block);
}

/* The status of a load whose memory ends after a number of requests. */
static zn_status load_with(counter *c, const char *text) {
    c->count = c->live = 0;
    zn_status status = ZN_ERROR_MEMORY;
    zn_context *context = zn_context_create(&(zn_context_def){.allocator = {count_reallocate, count_release, c}});
    if (context) {
        zn_scene *scene = NULL;
        status = zn_scene_parse(context, "m.yaml", text, NULL, &scene);
        assert_true((status == ZN_OK) == (scene != NULL));
        assert_true(status == ZN_OK || zn_error_count(context) > 0);
        zn_scene_destroy(scene);
        zn_context_destroy(context);
    }
    assert_int_equal(c->live, 0);
    return status;
}

static void test_memory_ends_anywhere(void **state) {
    (void)state;
    for (int k = 0; k < N_RICH; k++) {
        counter c = {0};
        zn_status complete = load_with(&c, rich_scenes[k]);
        long requests = c.count;
        assert_true(requests > 10);
        for (long at = 1; at <= requests; at++) {
            c.fail_at = at;
            zn_status status = load_with(&c, rich_scenes[k]);
            if (status != ZN_ERROR_MEMORY) print_error("scene %d, request %ld of %ld: %d\n", k, at, requests, (int)status);
            assert_int_equal(status, ZN_ERROR_MEMORY);
        }
        c.fail_at = 0;
        assert_int_equal(load_with(&c, rich_scenes[k]), complete);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_truncation), cmocka_unit_test(test_random_mutations),
                                       cmocka_unit_test(test_random_bytes), cmocka_unit_test(test_memory_ends_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
