/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the assembly: its parts and where their answers go. */
#ifndef MODEL_ASSEMBLY_INTERNAL_H
#define MODEL_ASSEMBLY_INTERNAL_H

#include "model/assembly.h"
#include "model/contact_field.h"
#include "model/formula_model.h"

/* The matrices of a model, in the order of zn_patterns. */
typedef enum matrix_name { QDOT_Q, B, R_Q, R_U, M, W, C0_Q, C1_Q, C1_U, C2_Q, C2_U, P_Q, B_Q, B_U, N_MATRICES } matrix_name;

typedef struct part {
    zn_model *model;
    int *q, *u;                   /* indices in the whole */
    const int *rows;              /* the same: in memory of the whole */
    const int *place[N_MATRICES]; /* where entry k of its matrix stands in the whole's values: in memory of the whole */
    bool kinematics;
    bool silent;                    /* all of its forces come from its multipliers: none where these are zero */
    char *name, *group, *bodies[2]; /* assembly_describe */
    assembly_words words;
} part;

struct assembly {
    zn_context *context;
    part *parts;
    size_t n_parts, part_capacity;
    char **q_names, **u_names;
    double *q_start, *u_start;
    bool *same_vector;
    size_t nq, q_capacity, q_start_capacity, nu, u_capacity, u_start_capacity, same_capacity;
    bool failed; /* memory ran out while adding */
};

/* Indices that grow and are kept. */
typedef struct assembly_indices {
    int *at;
    size_t room;
} assembly_indices;

/* Parts with the same tapes, which are asked together. */
typedef struct part_kind {
    const formula_tapes *tapes;
    bool natural, kinematics, silent;
    bool alone; /* no two of its parts have a coordinate or velocity in common */
    int rows;   /* of lambda, of each part */
    int nq, nu;
    int first, count;                    /* in the list by kinds */
    int index, numbers;                  /* where its lanes begin in `lane_index` and `lane_numbers` */
    unsigned answers[FORMULA_QUESTIONS]; /* bit s: section s of the tape has outputs, */
    unsigned works[FORMULA_QUESTIONS];   /* has instructions */
} part_kind;
enum { ASSEMBLY_MOST_SECTIONS = 5 };
enum { MOST_KINDS = 64 }; /* that parts are compared with: parts of further kinds are evaluated one by one */

/* Lanes of a block when this many parts are left: no wider than pays. */
static inline int assembly_lanes(int left) { return left == 1 ? 1 : left <= EXPR_FEW_LANES ? EXPR_FEW_LANES : EXPR_LANES; }

typedef struct assembly_model {
    zn_model base; /* first */
    zn_context *context;
    part *parts;
    size_t part_room;
    int n_parts;
    lin_pattern patterns[N_MATRICES];
    int nnz[N_MATRICES];
    assembly_indices rows, places[N_MATRICES]; /* of all parts, one after the other */
    assembly_indices row, col;                 /* entries of a pattern in the making */
    assembly_indices by_kind;                  /* parts: those of a kind together, else in their order */
    /* What lanes read, block after block of EXPR_LANES parts of a kind (the last one: assembly_lanes): places of q, u and rows; parameters
     * that are used. */
    assembly_indices lane_index;
    double *lane_numbers;
    size_t lane_room;
    part_kind *kinds; /* in the order of their first parts */
    size_t kind_room;
    int n_kinds;
    lin_sorting sorting;
    int threads; /* that share the parts of a kind; 0, 1: the caller's only */
    /* Largest sizes of a part, for the scratch memory of one caller. */
    int most_q, most_u, most_rows, most_registers;
    char **q_names, **u_names;
    const char **bilateral_names, **output_names; /* those of the parts */
    zn_contact *contacts;
    zn_ball *balls;
    double *scales, *q_start, *u_start;
    bool *states, *same_vector, *follows;
    size_t contact_room, ball_room, scale_room;
    contact_field *field; /* NULL: none */
    void (*destroy_field)(zn_context *, contact_field *);
} assembly_model;

const zn_pattern *assembly_pattern(const zn_patterns *, matrix_name);
/* Rows, contacts, patterns and places of the parts that are there; `same` (may be NULL): a model whose first parts they are, which shares
 * patterns that the others add nothing to. */
zn_status assembly_lay_out(assembly_model *, const assembly_model *same);
void assembly_free_layout(assembly_model *);
/* What lanes read, from the parts. */
void assembly_fill_lanes(assembly_model *);
/* NULL: not an assembly. */
const assembly_model *assembly_of(const zn_model *);
/* The point on the coordinates of a part, in the caller's scratch memory; *own_work: that of the part. */
zn_point assembly_local_point(const assembly_model *, const part *, void *work, const zn_point *, void **own_work);
/* assembly_extend.c: a copy whose parts read other inputs. */
zn_status assembly_bind(zn_context *, const zn_model *, const double *inputs, zn_model **bound);
/* The questions, answered by the parts. */
void assembly_set_answers(assembly_model *);

#endif
