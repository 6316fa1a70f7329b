/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra of coupled stages without the matrix of all of them. With the model's matrices frozen (their mean over
 * the stages) phi_x of projected_stages.h is a sum of Kronecker products of 1, A and A A with matrices of one stage. With
 * A = T diag(lambda) T^-1 it falls apart into one matrix for each eigenvalue; natural models:
 *
 *     [ M + h lambda r_u + h^2 lambda^2 r_q    -W_b ]
 *     [ h lambda^2 g_q                            0 ]        (T^-1 x 1) phi_x (T x 1) = diag of these
 *     [ h lambda^2 gamma_q + lambda gamma_u       0 ]
 *
 * a real one for a real eigenvalue, one complex for a pair of conjugates: 1 and 4 units of work instead of s^3. The factors
 * precondition GMRES on the exact phi_x, which is applied stage by stage and never formed, so Newton converges as with an
 * LU. Where GMRES does not get far enough phi_x is filled and factored after all (cone_linear). Models with general
 * kinematics have dQ as unknowns and the same structure.
 *
 * The factors are kept within one solve while few iterations do, and from step to step only where all values are the same
 * bit by bit: a step depends on nothing but its state. */
#ifndef SCHEME_STAGE_TRANSFORM_H
#define SCHEME_STAGE_TRANSFORM_H

#include "scheme/projected_stages.h"

/* It pays from this many smooth unknowns on (of all stages together), when their matrix is dense, and up to this number of contact
 * rows for each unknown of a stage, times s - 1: a right-hand side costs more than with an LU (bench/README.md). */
#define STAGE_TRANSFORM_SIZE 200
#define STAGE_TRANSFORM_CONTACTS 0.3
/* Eigenvectors of A worse conditioned than this are no use; 12 stages of Radau IIA have 2e6. */
#define STAGE_TRANSFORM_CONDITION 1e8

typedef struct stage_transform stage_transform;

bool stage_transform_pays(const stages *);
/* Takes all memory. *out is NULL with ZN_OK where A has no good eigenvectors. The stages must stay alive. */
zn_status stage_transform_create(const stages *, stage_transform **out);
void stage_transform_destroy(stage_transform *);
/* As cone_linear asks for. */
zn_status stage_transform_factor(stage_transform *);
int stage_transform_solve(stage_transform *, double *b, int columns, bool rough);
/* Before each solve of the stages. */
void stage_transform_begin(stage_transform *);

typedef struct stage_transform_counts {
    long factorisations, kept; /* Jacobians with new and with kept factors */
    long solves, iterations;   /* calls for right-hand sides; GMRES iterations in all of them, the most of the columns */
    long failures;             /* calls that ended with the full matrix */
} stage_transform_counts;
stage_transform_counts stage_transform_count(const stage_transform *);

#endif
