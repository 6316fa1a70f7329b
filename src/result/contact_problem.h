/* SPDX-License-Identifier: Apache-2.0 */
/* Files with discrete frictional contact problems, as exchanged in the field: Siconos' text form and FCLIB's HDF5 layout.
 *
 *   local   u = W r + q                       global   M v = H r + f,  u = H' v + w
 *
 * with `dim` rows per contact, normal component first: 2 (planar), 3, or 5 (rolling: normal, two tangents, two rolling axes). Planar
 * contacts that roll, (N, T, R) in the file, become spatial ones: (N, T, 0, R, 0). */
#ifndef RESULT_CONTACT_PROBLEM_H
#define RESULT_CONTACT_PROBLEM_H

#include "base/base.h"

/* Entries in any order; repeated ones add. */
typedef struct contact_matrix {
    int rows, cols, count;
    int *row, *col;
    double *value;
} contact_matrix;

typedef struct contact_problem {
    zn_context *context;
    bool global;
    bool planar_rolling; /* three rows per contact in the file */
    int dim, n_contacts;
    contact_matrix W;        /* local */
    double *q;               /* local: dim n_contacts */
    contact_matrix M, H;     /* global */
    double *f, *w;           /* rows of M; dim n_contacts */
    double *mu, *mu_rolling; /* per contact; mu_rolling NULL unless dim is 5 */
} contact_problem;

/* FCLIB by the signature of the file, else text. On failure: an error with the file's name (and the number's place in a text). */
zn_status result_contact_read(zn_context *, const char *path, contact_problem **);
void result_contact_destroy(contact_problem *);

/* Private to the readers. */
bool result_contact_reserve(zn_context *, contact_matrix *, int rows, int cols, long count);
void result_contact_free_matrix(zn_context *, contact_matrix *);
/* Within the room that was reserved. */
void result_contact_append(contact_matrix *, int row, int col, double value);
void result_contact_transpose(contact_matrix *);
zn_status result_contact_text(contact_problem *, const char *path);
zn_status result_contact_fclib(contact_problem *, const char *path);

#endif
