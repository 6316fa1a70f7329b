/* SPDX-License-Identifier: Apache-2.0 */
/* Formula text to tokens; what cannot be a token gets a hint at what was meant. */
#include "expr/lexer.h"

#include <stdlib.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

#define DIGITS_MAX 400

/* Without its decimal point ("1.5e3" is "15e2"), so that strtod does not depend on the locale's decimal point. */
static double number_value(const char *text, size_t length) {
    char digits[DIGITS_MAX + 32];
    size_t used = 0, i = 0;
    long shift = 0;
    bool after_point = false;
    for (; i < length && (is_digit(text[i]) || text[i] == '.'); i++) {
        if (text[i] == '.') {
            after_point = true;
            continue;
        }
        if (after_point) shift--;
        if (used == 0 && text[i] == '0') continue;
        if (used == DIGITS_MAX) shift++; /* beyond any rounding: double has 17 significant digits */
        else digits[used++] = text[i];
    }
    if (used == 0) return 0;
    long exponent = 0;
    if (i < length) {
        bool negative = text[++i] == '-';
        if (text[i] == '-' || text[i] == '+') i++;
        for (; i < length; i++)
            if (exponent < 100000000) exponent = 10 * exponent + (text[i] - '0');
        if (negative) exponent = -exponent;
    }
    exponent += shift;
    digits[used++] = 'e';
    if (exponent < 0) digits[used++] = '-';
    char reversed[24];
    size_t n = 0;
    unsigned long size = exponent < 0 ? (unsigned long)-exponent : (unsigned long)exponent;
    do reversed[n++] = (char)('0' + size % 10);
    while (size /= 10);
    while (n > 0) digits[used++] = reversed[--n];
    digits[used] = 0;
    return strtod(digits, NULL);
}

static token number_token(const char *text, size_t start) {
    size_t i = start;
    while (is_digit(text[i])) i++;
    if (text[i] == '.') i++;
    while (is_digit(text[i])) i++;
    if (text[i] == 'e' || text[i] == 'E') {
        size_t exponent = i + 1;
        if (text[exponent] == '+' || text[exponent] == '-') exponent++;
        if (is_digit(text[exponent])) {
            while (is_digit(text[exponent])) exponent++;
            i = exponent;
        }
    }
    token number = {TOKEN_NUMBER, start, i - start, number_value(text + start, i - start), NULL};
    if (isinf(number.value)) return (token){TOKEN_WRONG, start, i - start, 0, "the number is too large for a double"};
    return number;
}

/* A point inside of a name: crank.phi, and line.2.tension of a numbered part. */
static bool goes_on(const char *point) {
    if (*point != '.') return false;
    const char *next = point + 1;
    while (is_digit(*next)) next++;
    if (next > point + 1 && *next == '.') next++;
    else next = point + 1;
    return is_letter(*next);
}

static token name_token(const char *text, size_t start) {
    size_t i = start;
    while (is_letter(text[i]) || is_digit(text[i]) || goes_on(text + i)) i++;
    size_t length = i - start;
    token_kind kind = TOKEN_NAME;
    if (length == 3 && memcmp(text + start, "and", 3) == 0) kind = TOKEN_AND;
    if (length == 2 && memcmp(text + start, "or", 2) == 0) kind = TOKEN_OR;
    if (length == 3 && memcmp(text + start, "not", 3) == 0) kind = TOKEN_NOT;
    if (kind == TOKEN_NAME)
        while (text[i] == '\'') i++;
    return (token){kind, start, i - start, 0, NULL};
}

/* Longer symbols first. */
static const struct {
    const char *text;
    token_kind kind;
    const char *hint;
} symbols[] = {
    {"**", TOKEN_WRONG, "powers are written with ^"},
    {"<=", TOKEN_LESS_EQUAL, NULL},
    {">=", TOKEN_GREATER_EQUAL, NULL},
    {"==", TOKEN_EQUAL, NULL},
    {"!=", TOKEN_NOT_EQUAL, NULL},
    {"=<", TOKEN_WRONG, "write <="},
    {"=>", TOKEN_WRONG, "write >="},
    {"<>", TOKEN_WRONG, "write !="},
    {"&&", TOKEN_WRONG, "write and"},
    {"||", TOKEN_WRONG, "write or"},
    {"+", TOKEN_PLUS, NULL},
    {"-", TOKEN_MINUS, NULL},
    {"*", TOKEN_TIMES, NULL},
    {"/", TOKEN_OVER, NULL},
    {"^", TOKEN_POWER, NULL},
    {"(", TOKEN_OPEN, NULL},
    {")", TOKEN_CLOSE, NULL},
    {",", TOKEN_COMMA, NULL},
    {"<", TOKEN_LESS, NULL},
    {">", TOKEN_GREATER, NULL},
    {"=", TOKEN_WRONG, "a formula has no =; to compare write =="},
    {"!", TOKEN_WRONG, "write not"},
    {"&", TOKEN_WRONG, "write and"},
    {"|", TOKEN_WRONG, "write or, or abs(...) for a magnitude"},
    {"?", TOKEN_WRONG, "write if(condition, a, b)"},
    {"%", TOKEN_WRONG, "there is no remainder; percentages are written as x/100"},
    {"[", TOKEN_WRONG, "use parentheses ( )"},
    {"]", TOKEN_WRONG, "use parentheses ( )"},
    {"{", TOKEN_WRONG, "use parentheses ( )"},
    {"}", TOKEN_WRONG, "use parentheses ( )"},
    {";", TOKEN_WRONG, "a formula is one expression; arguments are separated by commas"},
    {"'", TOKEN_WRONG, "a prime follows the name of a coordinate without a space, as in x'"},
    {"\xc2\xb7", TOKEN_WRONG, "products are written with *"},
    {"\xc3\x97", TOKEN_WRONG, "products are written with *"},
    {"\xe2\x8b\x85", TOKEN_WRONG, "products are written with *"},
    {"\xc3\xb7", TOKEN_WRONG, "quotients are written with /"},
    {"\xe2\x88\x92", TOKEN_WRONG, "use the plain minus sign -"},
    {"\xe2\x80\x93", TOKEN_WRONG, "use the plain minus sign -"},
    {"\xc2\xb2", TOKEN_WRONG, "write ^2"},
    {"\xc2\xb3", TOKEN_WRONG, "write ^3"},
    {"\xcf\x80", TOKEN_WRONG, "write pi"},
    {"\xe2\x88\x9a", TOKEN_WRONG, "write sqrt(...)"},
    {"\xe2\x89\xa4", TOKEN_WRONG, "write <="},
    {"\xe2\x89\xa5", TOKEN_WRONG, "write >="},
    {"\xe2\x80\x99", TOKEN_WRONG, "write the prime as a plain '"},
    {"\xe2\x80\xb2", TOKEN_WRONG, "write the prime as a plain '"},
};

/* Bytes of the character at the start of text, 1 when it is not UTF-8. */
static size_t character_length(const char *text) {
    unsigned char first = (unsigned char)text[0];
    size_t length = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
    if (first >= 0xf8) return 1;
    for (size_t i = 1; i < length; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80) return 1;
    return length;
}

token expr_next_token(const char *text, size_t at) {
    while (is_space(text[at])) at++;
    if (text[at] == 0) return (token){TOKEN_END, at, 0, 0, NULL};
    if (is_digit(text[at]) || (text[at] == '.' && is_digit(text[at + 1]))) return number_token(text, at);
    if (is_letter(text[at])) return name_token(text, at);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        size_t length = strlen(symbols[i].text);
        if (strncmp(text + at, symbols[i].text, length) == 0) return (token){symbols[i].kind, at, length, 0, symbols[i].hint};
    }
    return (token){TOKEN_WRONG, at, character_length(text + at), 0,
                   "formulas are made of numbers, names (letters, digits, _), + - * / ^, comparisons and parentheses"};
}

void expr_text_place(const char *text, size_t at, int *line, int *column) {
    for (size_t i = 0; i < at; i++) {
        if (text[i] == '\n') {
            (*line)++;
            *column = 1;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            (*column)++;
        }
    }
}
