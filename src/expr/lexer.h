/* SPDX-License-Identifier: Apache-2.0 */
/* Formula text to tokens. */
#ifndef EXPR_LEXER_H
#define EXPR_LEXER_H

#include "expr/graph.h"

typedef enum token_kind {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_TIMES,
    TOKEN_OVER,
    TOKEN_POWER,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_COMMA,
    TOKEN_LESS,
    TOKEN_LESS_EQUAL,
    TOKEN_GREATER,
    TOKEN_GREATER_EQUAL,
    TOKEN_EQUAL,
    TOKEN_NOT_EQUAL,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_WRONG /* text that formulas cannot have; hint says more */
} token_kind;

typedef struct token {
    token_kind kind;
    size_t start, length; /* in the text, bytes */
    double value;
    const char *hint; /* of TOKEN_WRONG */
} token;

/* The token at or after `at`. The text ends with a NUL. */
token expr_next_token(const char *text, size_t at);
/* Line and column of a byte of the text, whose first character is at (line, column); columns count characters. */
void expr_text_place(const char *text, size_t at, int *line, int *column);

#endif
