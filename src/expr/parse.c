/* SPDX-License-Identifier: Apache-2.0 */
/* Formula text to a graph node, by recursive descent:
 *
 *   any        = both { "or" both }             power   = primary [ "^" signed ]
 *   both       = negation { "and" negation }    primary = number | name | function "(" any { "," any } ")" | "(" any ")"
 *   negation   = "not" negation | comparison    signed  = ("-" | "+") signed | power
 *   comparison = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
 *   sum        = product { ("+" | "-") product }
 *   product    = signed { ("*" | "/") signed }
 */
#include "expr/lexer.h"

#include <stdio.h>

#define NESTING_MAX 200
#define LENGTH_MAX 100000
#define QUOTE_MAX 40
#define SHORT_SUM 8

typedef struct parser {
    expr_graph *graph;
    zn_context *context;
    const expr_scope *scope;
    zn_formula formula;
    token now, before;
    int nesting;
    zn_status status;
} parser;

typedef struct quote {
    char text[4 * QUOTE_MAX + 4];
} quote;

static expr parse_any(parser *p);
static expr parse_signed(parser *p);

static void advance(parser *p) {
    p->before = p->now;
    p->now = expr_next_token(p->formula.text, p->now.start + p->now.length);
}

static bool accept(parser *p, token_kind kind) {
    if (p->now.kind != kind) return false;
    advance(p);
    return true;
}

/* ---- errors: the first one counts ---- */

/* The text of a token, cut when long, with what cannot be printed as \xNN. */
static quote quote_of(const parser *p, token t) {
    quote q;
    size_t used = 0, length = t.length < QUOTE_MAX ? t.length : QUOTE_MAX;
    bool is_utf8 = t.length > 1; /* the lexer gives broken sequences byte by byte */
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)p->formula.text[t.start + i];
        if (c < 32 || c == 127 || (c >= 128 && !is_utf8)) used += (size_t)snprintf(q.text + used, 5, "\\x%02x", c);
        else q.text[used++] = (char)c;
    }
    memcpy(q.text + used, length < t.length ? "..." : "", length < t.length ? 4 : 1);
    return q;
}

static error_place place_of(const parser *p, size_t at) {
    bool placed = p->formula.line > 0;
    int line = placed ? p->formula.line : 1, column = placed && p->formula.column > 0 ? p->formula.column : 1;
    expr_text_place(p->formula.text, at, &line, &column);
    error_place place = ERROR_PLACE_NONE;
    place.file = p->formula.file;
    place.line = line;
    place.column = column;
    return place;
}

#define COMPLAIN(p, at, ...)                                                                    \
    do {                                                                                        \
        if ((p)->status == ZN_OK) {                                                             \
            const error_place complain_place = place_of(p, at);                                 \
            (p)->status = fail_at((p)->context, ZN_ERROR_SYNTAX, &complain_place, __VA_ARGS__); \
        }                                                                                       \
    } while (0)

static expr complain_wrong(parser *p) {
    COMPLAIN(p, p->now.start, "unexpected '%s'; %s", quote_of(p, p->now).text, p->now.hint);
    return EXPR_NONE;
}

/* The token cannot begin a value. */
static expr complain_no_value(parser *p) {
    token t = p->now;
    if (t.kind == TOKEN_WRONG) return complain_wrong(p);
    if (p->before.length == 0) {
        if (t.kind == TOKEN_END) COMPLAIN(p, t.start, "the formula '' is empty; write 0 for nothing");
        else COMPLAIN(p, t.start, "unexpected '%s' at the start; a number, a name or '(' is expected", quote_of(p, t).text);
    } else if (t.kind == TOKEN_END) {
        COMPLAIN(p, t.start, "the formula ends after '%s'; a value is missing", quote_of(p, p->before).text);
    } else {
        COMPLAIN(p, t.start, "unexpected '%s' after '%s'; a value is missing between them", quote_of(p, t).text,
                 quote_of(p, p->before).text);
    }
    return EXPR_NONE;
}

/* A value is complete and neither an operator nor what `opened` needs follows. */
static expr complain_no_operator(parser *p, const token *opened) {
    token t = p->now;
    quote text = quote_of(p, t), before = quote_of(p, p->before);
    switch (t.kind) {
    case TOKEN_WRONG: return complain_wrong(p);
    case TOKEN_END: {
        error_place place = place_of(p, opened->start);
        COMPLAIN(p, t.start, "missing ')' after '%s'; the '(' in line %d, column %d is not closed", before.text, place.line, place.column);
        break;
    }
    case TOKEN_CLOSE: COMPLAIN(p, t.start, "unexpected ')'; there is no '(' for it"); break;
    case TOKEN_COMMA:
        if (p->before.kind == TOKEN_NUMBER)
            COMPLAIN(p, t.start, "unexpected ',' after '%s'; numbers are written with a decimal point", before.text);
        else COMPLAIN(p, t.start, "unexpected ',' after '%s'; commas separate the arguments of functions", before.text);
        break;
    case TOKEN_NUMBER:
    case TOKEN_NAME:
    case TOKEN_OPEN:
        COMPLAIN(p, t.start, "missing operator between '%s' and '%s'; products are written with *", before.text, text.text);
        break;
    default: COMPLAIN(p, t.start, "unexpected '%s' after '%s'; put this part in parentheses", text.text, before.text);
    }
    return EXPR_NONE;
}

static bool enter(parser *p) {
    if (++p->nesting <= NESTING_MAX) return true;
    COMPLAIN(p, p->now.start, "'%s' is nested deeper than %d levels; split the formula by parameters", quote_of(p, p->now).text,
             NESTING_MAX);
    return false;
}

/* ---- names ---- */

static const char *scope_name(const void *user, int index) {
    const expr_scope *scope = user;
    return index < scope->count ? scope->names[index].name : "pi";
}

static const char *function_name(const void *user, int index) {
    (void)user;
    return expr_function_name(index);
}

/* "x, x', y, ..." */
static void list_names(const expr_scope *scope, char *out, size_t room) {
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i <= scope->count; i++) {
        const char *name = scope_name(scope, i);
        if (used + strlen(name) + 8 > room) {
            snprintf(out + used, room - used, ", ...");
            return;
        }
        used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", name);
    }
}

static void complain_name(parser *p, token name) {
    quote text = quote_of(p, name);
    if (expr_find_function(p->formula.text + name.start, name.length)) {
        COMPLAIN(p, name.start, "'%s' is a function; write %s(...)", text.text, text.text);
        return;
    }
    const char *nearest = expr_nearest_name(text.text, p->scope->count + 1, scope_name, p->scope);
    char known[120];
    list_names(p->scope, known, sizeof known);
    if (nearest) COMPLAIN(p, name.start, "unknown name '%s'; did you mean '%s'?", text.text, nearest);
    else COMPLAIN(p, name.start, "unknown name '%s'; known names are %s", text.text, known);
}

static bool find_name(const parser *p, token name, expr *value) {
    const char *text = p->formula.text + name.start;
    const expr_scope *scope = p->scope;
    int i = scope->table ? names_find(scope->table, 0, text, name.length) : 0;
    while (!scope->table && i < scope->count &&
           (strncmp(scope->names[i].name, text, name.length) != 0 || scope->names[i].name[name.length] != 0))
        i++;
    if (i >= 0 && i < scope->count) { /* the table may know names that were added later */
        *value = scope->names[i].value;
        return true;
    }
    if (name.length != 2 || memcmp(text, "pi", 2) != 0) return false;
    *value = expr_constant(p->graph, 3.14159265358979323846);
    return true;
}

static void complain_function(parser *p, token name) {
    quote text = quote_of(p, name);
    expr value;
    if (find_name(p, name, &value)) {
        COMPLAIN(p, name.start, "'%s' is not a function; products are written with *, as in %s*(...)", text.text, text.text);
        return;
    }
    const char *nearest = expr_other_name(text.text);
    if (!nearest) nearest = expr_nearest_name(text.text, expr_function_count(), function_name, NULL);
    if (nearest) COMPLAIN(p, name.start, "unknown function '%s'; did you mean '%s'?", text.text, nearest);
    else
        COMPLAIN(p, name.start,
                 "unknown function '%s'; known are sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt "
                 "abs sign min max hypot pow floor mod table if",
                 text.text);
}

/* ---- the grammar ---- */

#define ARGUMENTS_MAX 3

/* Arguments after the opening parenthesis, or -1. Functions of any number of arguments (min, max, hypot) combine all before the last. */
static int parse_arguments(parser *p, const expr_function *function, token opened, expr *arguments) {
    int count = 0;
    if (accept(p, TOKEN_CLOSE)) return 0;
    do {
        expr argument = parse_any(p);
        if (argument < 0) return -1;
        if (function->more && count >= 2) {
            arguments[0] = expr_binary(p->graph, function->op, arguments[0], arguments[1]);
            arguments[1] = argument;
        } else if (count < ARGUMENTS_MAX) {
            arguments[count] = argument;
        }
        count++;
    } while (accept(p, TOKEN_COMMA));
    if (accept(p, TOKEN_CLOSE)) return count;
    complain_no_operator(p, &opened);
    return -1;
}

/* a - b floor(a/b): of the sign of b. */
static expr modulo(expr_graph *graph, expr a, expr b) {
    expr times = expr_unary(graph, EXPR_FLOOR, expr_binary(graph, EXPR_DIV, a, b));
    return expr_binary(graph, EXPR_SUB, a, expr_binary(graph, EXPR_MUL, b, times));
}

static const char *table_name(const void *scope, int i) { return ((const expr_scope *)scope)->tables[i].name; }

static void complain_table(parser *p, token name) {
    quote text = quote_of(p, name);
    const char *nearest = expr_nearest_name(text.text, p->scope->n_tables, table_name, p->scope);
    COMPLAIN(p, name.start,
             nearest ? "there is no table '%s'; did you mean '%s'?"
                     : "there is no table '%s': write table(NAME, x) with a name of 'tables'%s",
             text.text, nearest ? nearest : "");
}

/* table(NAME, x), after the opening parenthesis. */
static expr parse_table(parser *p, token opened) {
    token name = p->now;
    int k = 0;
    if (name.kind != TOKEN_NAME) {
        COMPLAIN(p, name.start, "a table begins with its name: table(NAME, x)");
        return EXPR_NONE;
    }
    const char *text = p->formula.text + name.start;
    while (k < p->scope->n_tables && (strncmp(table_name(p->scope, k), text, name.length) != 0 || table_name(p->scope, k)[name.length]))
        k++;
    if (k == p->scope->n_tables) {
        complain_table(p, name);
        return EXPR_NONE;
    }
    advance(p);
    if (!accept(p, TOKEN_COMMA)) {
        COMPLAIN(p, p->now.start, "a table needs the place where it is read: table(%s, x)", quote_of(p, name).text);
        return EXPR_NONE;
    }
    expr x = parse_any(p);
    if (x < 0) return EXPR_NONE;
    if (!accept(p, TOKEN_CLOSE)) return complain_no_operator(p, &opened);
    return expr_look_up(p->graph, p->scope->tables[k].table, 0, x);
}

static expr parse_call(parser *p, token name) {
    const expr_function *function = expr_find_function(p->formula.text + name.start, name.length);
    token opened = p->now;
    if (!function) {
        complain_function(p, name);
        return EXPR_NONE;
    }
    advance(p);
    if (function->op == EXPR_TABLE) return parse_table(p, opened);
    expr a[ARGUMENTS_MAX] = {EXPR_NONE, EXPR_NONE, EXPR_NONE};
    int count = parse_arguments(p, function, opened, a);
    if (count < 0) return EXPR_NONE;
    if (count < function->arguments || (count > function->arguments && !function->more)) {
        COMPLAIN(p, name.start, "'%s' takes %s%d argument%s, not %d%s", function->name, function->more ? "at least " : "",
                 function->arguments, function->arguments == 1 ? "" : "s", count,
                 function->op == EXPR_IF      ? "; write if(condition, a, b)"
                 : function->op == EXPR_ATAN2 ? "; write atan2(y, x)"
                                              : "");
        return EXPR_NONE;
    }
    if (function->op == EXPR_FLOOR && function->arguments == 2) return modulo(p->graph, a[0], a[1]);
    if (function->op == EXPR_IF) return expr_if(p->graph, a[0], a[1], a[2]);
    return function->arguments == 1 ? expr_unary(p->graph, function->op, a[0]) : expr_binary(p->graph, function->op, a[0], a[1]);
}

static expr parse_primary(parser *p) {
    token t = p->now;
    expr value = EXPR_NONE;
    switch (t.kind) {
    case TOKEN_NUMBER: advance(p); return expr_constant(p->graph, t.value);
    case TOKEN_NAME:
        advance(p);
        if (p->now.kind == TOKEN_OPEN) return parse_call(p, t);
        if (!find_name(p, t, &value)) complain_name(p, t);
        return value;
    case TOKEN_OPEN:
        advance(p);
        value = parse_any(p);
        if (value < 0 || accept(p, TOKEN_CLOSE)) return value;
        return complain_no_operator(p, &t);
    default: return complain_no_value(p);
    }
}

static expr parse_power(parser *p) {
    expr base = parse_primary(p);
    if (base < 0 || !accept(p, TOKEN_POWER)) return base;
    return expr_binary(p->graph, EXPR_POW, base, parse_signed(p));
}

static expr parse_signed(parser *p) {
    if (!enter(p)) return EXPR_NONE;
    expr value;
    if (accept(p, TOKEN_MINUS)) value = expr_unary(p->graph, EXPR_NEG, parse_signed(p));
    else if (accept(p, TOKEN_PLUS)) value = parse_signed(p);
    else value = parse_power(p);
    p->nesting--;
    return value;
}

static expr parse_product(parser *p) {
    expr value = parse_signed(p);
    while (value >= 0) {
        if (accept(p, TOKEN_TIMES)) value = expr_binary(p->graph, EXPR_MUL, value, parse_signed(p));
        else if (accept(p, TOKEN_OVER)) value = expr_binary(p->graph, EXPR_DIV, value, parse_signed(p));
        else break;
    }
    return value;
}

/* Long sums are split into short ones, which the processor can add in parallel and which accumulate less round-off. */
static expr parse_sum(parser *p) {
    expr before = EXPR_NONE, value = parse_product(p);
    for (int terms = 1; value >= 0; terms++) {
        bool minus = accept(p, TOKEN_MINUS);
        if (!minus && !accept(p, TOKEN_PLUS)) break;
        if (terms == SHORT_SUM) {
            before = before < 0 ? value : expr_binary(p->graph, EXPR_ADD, before, value);
            value = parse_product(p), terms = 0;
            if (minus && value >= 0) value = expr_unary(p->graph, EXPR_NEG, value);
        } else value = expr_binary(p->graph, minus ? EXPR_SUB : EXPR_ADD, value, parse_product(p));
    }
    return before < 0 || value < 0 ? value : expr_binary(p->graph, EXPR_ADD, before, value);
}

static bool is_comparison(token_kind kind) { return kind >= TOKEN_LESS && kind <= TOKEN_NOT_EQUAL; }

static expr parse_comparison(parser *p) {
    expr a = parse_sum(p);
    if (a < 0 || !is_comparison(p->now.kind)) return a;
    token_kind kind = p->now.kind;
    advance(p);
    expr b = parse_sum(p);
    if (b < 0) return EXPR_NONE;
    if (is_comparison(p->now.kind)) {
        COMPLAIN(p, p->now.start, "'%s' cannot follow another comparison; write a < b and b < c", quote_of(p, p->now).text);
        return EXPR_NONE;
    }
    switch (kind) {
    case TOKEN_LESS: return expr_binary(p->graph, EXPR_LESS, a, b);
    case TOKEN_LESS_EQUAL: return expr_binary(p->graph, EXPR_LESS_EQUAL, a, b);
    case TOKEN_GREATER: return expr_binary(p->graph, EXPR_LESS, b, a);
    case TOKEN_GREATER_EQUAL: return expr_binary(p->graph, EXPR_LESS_EQUAL, b, a);
    case TOKEN_EQUAL: return expr_binary(p->graph, EXPR_EQUAL, a, b);
    default: return expr_unary(p->graph, EXPR_NOT, expr_binary(p->graph, EXPR_EQUAL, a, b));
    }
}

static expr parse_negation(parser *p) {
    if (!accept(p, TOKEN_NOT)) return parse_comparison(p);
    if (!enter(p)) return EXPR_NONE;
    expr value = expr_unary(p->graph, EXPR_NOT, parse_negation(p));
    p->nesting--;
    return value;
}

static expr parse_both(parser *p) {
    expr value = parse_negation(p);
    while (value >= 0 && accept(p, TOKEN_AND)) value = expr_binary(p->graph, EXPR_AND, value, parse_negation(p));
    return value;
}

static expr parse_any(parser *p) {
    expr value = parse_both(p);
    while (value >= 0 && accept(p, TOKEN_OR)) value = expr_binary(p->graph, EXPR_OR, value, parse_both(p));
    return value;
}

zn_status expr_parse(expr_graph *graph, zn_context *context, const expr_scope *scope, zn_formula formula, expr *out) {
    static const expr_scope nothing = {.count = 0, .names = NULL};
    *out = EXPR_NONE;
    if (!formula.text) formula.text = "0"; /* a formula that was not given */
    parser p = {.graph = graph, .context = context, .scope = scope ? scope : &nothing, .formula = formula, .status = ZN_OK};
    if (strnlen(formula.text, LENGTH_MAX + 1) > LENGTH_MAX) {
        p.now = (token){TOKEN_NAME, 0, 10, 0, NULL};
        COMPLAIN(&p, 0, "the formula '%s...' is longer than %d characters; split it by parameters", quote_of(&p, p.now).text, LENGTH_MAX);
        return p.status;
    }
    p.now = expr_next_token(formula.text, 0);
    expr value = parse_any(&p);
    if (value >= 0 && p.now.kind != TOKEN_END) value = complain_no_operator(&p, NULL);
    if (value < 0) return p.status == ZN_OK ? ZN_ERROR_MEMORY : p.status;
    *out = value;
    return ZN_OK;
}
