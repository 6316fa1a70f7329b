/* SPDX-License-Identifier: Apache-2.0 */
/* Names in formulas over parts: what they belong to and mean. */
#ifndef MODEL_PARTS_FORMULA_NAMES_H
#define MODEL_PARTS_FORMULA_NAMES_H

#include "expr/lexer.h"
#include "model/parts/joint.h"

/* Bodies that formulas name, each once. */
typedef struct body_list {
    int *items, count;
    size_t room;
} body_list;
/* false: memory is out. */
bool formula_add_body(zn_context *, body_list *, int body);

/* Names of a scope, each a copy. */
typedef struct name_list {
    expr_name *items;
    int count;
    size_t room;
    bool failed;
} name_list;

void formula_add_name(zn_parts *, name_list *, const char *name, expr value);

error_place formula_place(zn_formula, size_t at);
/* "friction", or "friction1" ... of one of several directions. */
bool formula_is_friction(const char *word);
/* The next name in a text, after t; false: there is none. */
bool formula_next_name(const char *text, token *t, char *name, size_t room);

bool formula_is_answer(const zn_parts *, const char *name);
/* Accelerations and forces, which outputs may read. Whether a name is one: known to outputs from now on, refused elsewhere. */
zn_status formula_take_answer(zn_parts *, zn_formula, const token *, bool *taken, body_list *);
/* Those that are expressions on the bodies of an output: forces between frames, accelerations of points. */
zn_status formula_answer_names(zn_parts *, sketch *, const parts_piece *, name_list *);

#endif
