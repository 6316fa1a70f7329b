/* SPDX-License-Identifier: Apache-2.0 */
/* Names: known functions, valid names, and the nearest known name to a mistyped one. */
#include "expr/graph.h"

#include <ctype.h>

static const expr_function functions[] = {
    {"sin", EXPR_SIN, 1, false},     {"cos", EXPR_COS, 1, false},   {"tan", EXPR_TAN, 1, false},
    {"asin", EXPR_ASIN, 1, false},   {"acos", EXPR_ACOS, 1, false}, {"atan", EXPR_ATAN, 1, false},
    {"atan2", EXPR_ATAN2, 2, false}, {"sinh", EXPR_SINH, 1, false}, {"cosh", EXPR_COSH, 1, false},
    {"tanh", EXPR_TANH, 1, false},   {"exp", EXPR_EXP, 1, false},   {"log", EXPR_LOG, 1, false},
    {"sqrt", EXPR_SQRT, 1, false},   {"abs", EXPR_ABS, 1, false},   {"sign", EXPR_SIGN, 1, false},
    {"min", EXPR_MIN, 2, true},      {"max", EXPR_MAX, 2, true},    {"hypot", EXPR_HYPOT, 2, true},
    {"pow", EXPR_POW, 2, false},     {"if", EXPR_IF, 3, false},
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
    static const char *const pairs[][2] = {{"ln", "log"},        {"arcsin", "asin"}, {"arccos", "acos"}, {"arctan", "atan"},
                                           {"arctan2", "atan2"}, {"sgn", "sign"},    {"signum", "sign"}, {"fabs", "abs"},
                                           {"power", "pow"},     {"norm", "hypot"},  {"root", "sqrt"},   {"where", "if"},
                                           {"select", "if"},     {"minimum", "min"}, {"maximum", "max"}};
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
    return !expr_find_function(name, length);
}

#define NAME_MAX_LENGTH 63 /* longer names are near to nothing */

static int smaller(int a, int b) { return a < b ? a : b; }

/* Insertions, deletions, changes and swaps of neighbours; letters that differ in case only cost half (all costs doubled). */
static int edit_distance(const char *a, int n, const char *b, int m) {
    int rows[3][NAME_MAX_LENGTH + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= m; j++) before[j] = last[j] = 2 * j;
    for (int i = 1; i <= n; i++) {
        row[0] = 2 * i;
        for (int j = 1; j <= m; j++) {
            bool same = a[i - 1] == b[j - 1];
            bool case_only = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            int best = smaller(last[j - 1] + (same ? 0 : case_only ? 1 : 2), smaller(last[j], row[j - 1]) + 2);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) best = smaller(best, before[j - 2] + 2);
            row[j] = best;
        }
        int *swap = before;
        before = last;
        last = row;
        row = swap;
    }
    return last[m];
}

const char *expr_nearest_name(const char *name, int count, const char *(*get)(const void *, int), const void *user) {
    size_t length = strlen(name);
    if (length == 0 || length > NAME_MAX_LENGTH) return NULL;
    int allowed = 2 * ((int)length + 1) / 3; /* one edit in names of two and three letters, two in five ... */
    const char *nearest = NULL;
    for (int i = 0; i < count; i++) {
        const char *other = get(user, i);
        size_t m = other ? strlen(other) : 0;
        if (m == 0 || m > NAME_MAX_LENGTH) continue;
        int distance = edit_distance(name, (int)length, other, (int)m);
        if (distance > allowed || (nearest && distance == allowed)) continue;
        nearest = other;
        allowed = distance;
    }
    return nearest;
}
