/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a YAML text: kinds, values, places, and what is refused before any meaning. */
#include "scene_check.h"

static const scene_node *root_of(scene_arena *arena, const char *text) {
    const scene_node *root = NULL;
    zn_status status = scene_read_document(arena, "d.yaml", text, &root);
    if (status != ZN_OK) print_error("%s\n", zn_error_text(arena->context));
    assert_int_equal(status, ZN_OK);
    return root;
}

static void check_place(const scene_node *node, int line, int column) {
    assert_non_null(node);
    assert_int_equal(node->line, line);
    assert_int_equal(node->column, column);
}

static void test_places_of_scalars(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    scene_arena arena = {.context = context};
    const scene_node *root = root_of(&arena, "plain: a + b\n"
                                             "double: \"x'*2\"\n"
                                             "single: 'y + 1'\n"
                                             "folded: >\n"
                                             "    a +\n"
                                             "    b\n"
                                             "literal: |-\n"
                                             "  p\n"
                                             "many: a +\n"
                                             "   b\n"
                                             "flow: [1, {k: 22}]\n"
                                             "escaped: \"\\x41\"\n");
    check_place(scene_find(root, "plain"), 1, 8);
    check_place(scene_find(root, "double"), 2, 10);
    assert_string_equal(scene_find(root, "double")->text, "x'*2");
    check_place(scene_find(root, "single"), 3, 10);
    check_place(scene_find(root, "folded"), 5, 1);
    assert_string_equal(scene_find(root, "folded")->text, "a + b\n");
    assert_int_equal(strncmp(scene_find(root, "folded")->source, "    a +\n    b", 13), 0); /* its columns are the file's */
    check_place(scene_find(root, "literal"), 8, 1);
    check_place(scene_find(root, "many"), 9, 7);
    assert_string_equal(scene_find(root, "many")->text, "a + b");
    assert_string_equal(scene_find(root, "many")->source, "a +\n   b");
    const scene_node *flow = scene_find(root, "flow");
    assert_int_equal(flow->kind, SCENE_LIST);
    assert_int_equal(flow->count, 2);
    check_place(flow->first->value, 11, 8);
    check_place(scene_find(flow->first->next->value, "k"), 11, 15);
    assert_string_equal(scene_find(root, "escaped")->text, "A");
    assert_string_equal(scene_find(root, "escaped")->source, "A");
    scene_arena_free(&arena);
    zn_context_destroy(context);
}

static void test_aliases_share(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    scene_arena arena = {.context = context};
    const scene_node *root = root_of(&arena, "a: &one {k: 1}\nb: *one\nc: ~\nd:\ne: \"\"\nf: null\n");
    assert_ptr_equal(scene_find(root, "a"), scene_find(root, "b"));
    assert_int_equal(scene_find(root, "c")->kind, SCENE_NULL);
    assert_int_equal(scene_find(root, "d")->kind, SCENE_NULL);
    assert_int_equal(scene_find(root, "e")->kind, SCENE_SCALAR);
    assert_int_equal(scene_find(root, "f")->kind, SCENE_NULL);
    scene_arena_free(&arena);
    zn_context_destroy(context);
}

static void test_refused_texts(void **state) {
    (void)state;
    check_errors("a: 1\nb: [1, 2\nc: }\n", "3:4: YAML: mismatched flow mapping end");
    check_errors("a: \"abc", "1:5: YAML: double-quoted scalar without closing quote");
    check_errors("a: b: c\n", "1:5: YAML: ");
    check_errors("a: *x\n", "1:5: there is no anchor '&x'");
    check_errors("a: &x [1, *x]\n", "1:12: inside the value that it stands for");
    check_errors("title: a\n---\ntitle: b\n", "2:1: a second document");
    check_errors("? [1, 2]\n: 3\n", "1:3: a key must be a name");
    check_errors("ok: 1\nbad: \x01\n", "2:6: byte 0x01");
    check_errors("ok: \xc3\xa4\xc3\xa4\xff\n", "1:7: byte 0xff");
    check_errors("a: \xed\xa0\x80\n", "1:4: byte 0xed");
    check_errors("a: \"x\\0y\"\n", "1:5: must not contain");
}

static void test_repeated_keys_are_all_told(void **state) {
    (void)state;
    check_errors("title: a\ntitle: b\ncoordinates: {x: 1, x: 2}\nenergy: {kinetic: x'^2}\n",
                 "2:1: 'title' occurs twice; the first one is in line 1", "3:21: 'x' occurs twice; the first one is in line 3");
}

/* n times `piece`. */
static char *repeat(const char *head, const char *piece, int n, const char *tail) {
    char *text = malloc(strlen(head) + strlen(piece) * (size_t)n + strlen(tail) + 1);
    char *end = text + sprintf(text, "%s", head);
    for (int i = 0; i < n; i++) end += sprintf(end, "%s", piece);
    sprintf(end, "%s", tail);
    return text;
}

/* A result of 16000 spatial bodies has 13 starts of each in one map. */
static void test_many_names(void **state) {
    (void)state;
    enum { COUNT = 13 * 16000, MOST = 24 };
    zn_context *context = zn_context_create(NULL);
    scene_arena arena = {.context = context};
    char *text = malloc((size_t)COUNT * MOST + 1), *end = text;
    assert_non_null(text);
    for (int i = 0; i < COUNT; i++) end += snprintf(end, MOST, "b%d: 1\n", i);
    assert_int_equal(root_of(&arena, text)->count, COUNT);
    free(text);
    scene_arena_free(&arena);
    zn_context_destroy(context);
}

static void test_limits(void **state) {
    (void)state;
    char *deep = repeat("a: ", "[", SCENE_MAX_DEPTH, "");
    check_errors(deep, "1:19: nested too deeply");
    free(deep);
    char *very_deep = repeat("a: ", "{b: ", 100000, ""); /* must not use up the stack */
    check_errors(very_deep, "1:64: nested too deeply");
    free(very_deep);
    char *wide = repeat("a: [", "1, ", SCENE_MAX_ENTRIES + 1, "]\n");
    check_errors(wide, "1:600005: too many entries");
    free(wide);
    char *aliases = repeat("b: &b 1\na: [", "*b, ", SCENE_MAX_ALIASES + 1, "]\n");
    check_errors(aliases, "2:4006: too many aliases");
    free(aliases);
}

#define TEST(name) cmocka_unit_test_teardown(name, no_mismatches)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_places_of_scalars),          TEST(test_aliases_share), TEST(test_refused_texts),
        TEST(test_repeated_keys_are_all_told), TEST(test_limits),        TEST(test_many_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
