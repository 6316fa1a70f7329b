/* SPDX-License-Identifier: Apache-2.0 */
/* Names: known functions, valid names, and the nearest known name to a mistyped one. */
#include "base/nearest.h"
#include "expr/graph.h"

#include <ctype.h>
#include <limits.h>

static const expr_function functions[] = {
    {"sin", EXPR_SIN, 1, false},     {"cos", EXPR_COS, 1, false},    {"tan", EXPR_TAN, 1, false},     {"asin", EXPR_ASIN, 1, false},
    {"acos", EXPR_ACOS, 1, false},   {"atan", EXPR_ATAN, 1, false},  {"atan2", EXPR_ATAN2, 2, false}, {"sinh", EXPR_SINH, 1, false},
    {"cosh", EXPR_COSH, 1, false},   {"tanh", EXPR_TANH, 1, false},  {"exp", EXPR_EXP, 1, false},     {"log", EXPR_LOG, 1, false},
    {"sqrt", EXPR_SQRT, 1, false},   {"abs", EXPR_ABS, 1, false},    {"sign", EXPR_SIGN, 1, false},   {"min", EXPR_MIN, 2, true},
    {"max", EXPR_MAX, 2, true},      {"hypot", EXPR_HYPOT, 2, true}, {"pow", EXPR_POW, 2, false},     {"if", EXPR_IF, 3, false},
    {"floor", EXPR_FLOOR, 1, false}, {"mod", EXPR_FLOOR, 2, false},  {"table", EXPR_TABLE, 2, false},
};
#define N_FUNCTIONS ((int)(sizeof functions / sizeof *functions))

int expr_function_count(void) { return N_FUNCTIONS; }
const char *expr_function_name(int index) { return functions[index].name; }

const expr_function *expr_find_function(const char *name, size_t length) {
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0) return &functions[i];
    return NULL;
}

const char *expr_other_name(const char *name) {
    static const char *const pairs[][2] = {
        {"ln", "log"},      {"arcsin", "asin"}, {"arccos", "acos"}, {"arctan", "atan"}, {"arctan2", "atan2"}, {"sgn", "sign"},
        {"signum", "sign"}, {"fabs", "abs"},    {"power", "pow"},   {"norm", "hypot"},  {"root", "sqrt"},     {"where", "if"},
        {"select", "if"},   {"minimum", "min"}, {"maximum", "max"}, {"fmod", "mod"},    {"interp", "table"},  {"lookup", "table"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(pairs[i][0], name) == 0) return pairs[i][1];
    return NULL;
}

bool expr_name_is_valid(const char *name) {
    static const char *const reserved[] = {"pi", "t", "and", "or", "not"};
    if (!name || !(isalpha((unsigned char)name[0]) || name[0] == '_')) return false;
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        if (c >= 128 || !(isalnum(c) || c == '_')) return false;
    }
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], name) == 0) return false;
    /* Words that are common names of bodies, and functions only before a parenthesis. */
    const expr_function *function = expr_find_function(name, length);
    return !function || function->op == EXPR_FLOOR || function->op == EXPR_TABLE;
}

const char *expr_nearest_name(const char *name, int count, const char *(*get)(const void *, int), const void *user) {
    const char *nearest = NULL;
    int best = INT_MAX;
    for (int i = 0; i < count; i++) {
        const char *other = get(user, i);
        int distance = other && *other ? nearest_distance(name, other) : INT_MAX;
        if (distance >= best) continue;
        best = distance;
        nearest = other;
    }
    return nearest && nearest_is_close(name, best) ? nearest : NULL;
}
