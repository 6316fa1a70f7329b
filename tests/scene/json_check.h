/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a text is JSON (RFC 8259, without a look at the bytes of strings). */
#ifndef TESTS_SCENE_JSON_CHECK_H
#define TESTS_SCENE_JSON_CHECK_H

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline void json_space(const char **s) {
    while (**s && strchr(" \t\r\n", **s)) (*s)++;
}

static inline bool json_string(const char **s) {
    if (*(*s)++ != '"') return false;
    for (; **s && **s != '"'; (*s)++) {
        if ((unsigned char)**s < 0x20) return false;
        if (**s == '\\' && !strchr("\"\\/bfnrtu", *++(*s))) return false;
    }
    return *(*s)++ == '"';
}

static inline bool json_value(const char **s, int depth) {
    json_space(s);
    char open = **s, close = open == '{' ? '}' : ']';
    if (depth > 20) return false;
    if (open == '"') return json_string(s);
    if (open == '{' || open == '[') {
        (*s)++;
        json_space(s);
        if (**s == close) return (*s)++, true;
        do {
            json_space(s);
            if (open == '{' && (!json_string(s) || *(*s)++ != ':')) return false;
            if (!json_value(s, depth + 1)) return false;
            json_space(s);
        } while (*(*s)++ == ',');
        return (*s)[-1] == close;
    }
    for (size_t i = 0; i < 3; i++) {
        const char *word = (const char *const[]){"null", "true", "false"}[i];
        if (!strncmp(*s, word, strlen(word))) return *s += strlen(word), true;
    }
    if (!isdigit((unsigned char)**s) && **s != '-') return false; /* strtod knows inf and nan, JSON does not */
    char *end;
    strtod(*s, &end);
    bool number = end > *s;
    *s = end;
    return number;
}

static inline bool json_is_valid(const char *text) {
    if (!json_value(&text, 0)) return false;
    json_space(&text);
    return !*text;
}

#endif
