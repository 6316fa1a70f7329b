/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces by formulas. Their texts are lists of a builder of formulas (model/formula.h): one text, or all those of a model from formulas
 * alone. */
#ifndef MODEL_PARTS_FORMULAS_H
#define MODEL_PARTS_FORMULAS_H

#include "model/parts/joint.h"

/* What becomes of the outputs of a piece; its variant. */
typedef enum formula_use { FORMULA_OUTPUT, FORMULA_PROBE, FORMULA_CONDITION } formula_use;

/* The body and the number of its velocity that "crank.phi", "crank.phi'", "top.wx" or a free "s" name; -1: none. */
int formula_find_velocity(const zn_parts *, const char *name, int *velocity);
/* Whether results have a column of this name: of a coordinate, a velocity or another output. */
bool formula_is_column(const zn_parts *, const char *name);
/* The error that there is none that `what` ("could have a mass"). */
zn_status formula_no_velocity(zn_parts *, const char *name, zn_formula where, const char *what);
/* Of a model from formulas alone: probes and conditions of the machine. */
zn_status formula_express_machine(zn_parts *, sketch *, const zn_formula_model *texts, const expr_scope *);

#endif
