/* SPDX-License-Identifier: Apache-2.0 */
/* Private to cone/: problems of many contacts by pieces.
 *
 *   pieces.c        contacts and the cells of phi_x; which of them hang together; Newton's iteration over all pieces
 *   piece_groups.c  multipliers coupled by A: stages of one contact
 *   piece_matrix.c  one piece: its block-sparse contact matrix, its solve by the methods of many/, its step */
#ifndef CONE_PIECES_H
#define CONE_PIECES_H

#include "cone/many/many.h"
#include "cone/solver.h"
#include "linalg/cells.h"

/* Contacts that A may couple with each other. */
enum { PIECE_STAGES_MOST = 20 };

/* A contact: a normal inclusion and the balls whose radii it scales. */
typedef struct piece_contact {
    int normal;                                       /* its cone */
    int dim, n_balls;                                 /* rows; at most two balls */
    int ball_cone[2], ball[2];                        /* cone and ball in it ... */
    int psi_F[2];                                     /* ... and its slip velocities, when the rows below were found */
    int stage;                                        /* its place in its group */
    int y[CONTACT_ROWS_MOST], psi[CONTACT_ROWS_MOST]; /* its rows: normal, friction */
} piece_contact;

/* One entry of psi_x or phi_y between a contact and a cell. */
typedef struct cell_entry {
    int row, place; /* row of the contact, place in the cell */
    int entry;      /* of the values */
} cell_entry;

/* A contact and a cell that it depends on or acts on. */
typedef struct touch {
    int contact, cell;
    int psi_first, psi_last, phi_first, phi_last; /* its entries of psi_x and of phi_y */
    size_t G;                                     /* phi_x^-1 phi_y: rows of the cell times rows of the contact */
} touch;

enum { PIECE_TASK = 32 }; /* cells or contacts of one task */

/* What one thread needs to solve a piece. */
typedef struct piece_worker {
    many_system *many;
    many_outcome cost;
    int *start, *index, *length,
        *place; /* blocks of a piece; length: of its rows, in the making; place: per contact, its number in the piece, then its block in a row */
    double *q, *mu, *nu, *scale, *r, *b;
    double *NT, *TN; /* per contact: squares of the entries of its row that lead from T to N, and back */
    size_t start_room, length_room, index_room, row_room, contact_room;
    bool failed; /* some inclusions were not solved as well as wanted */
    cone_cost sum;
} piece_worker;

struct cone_pieces {
    zn_context *context;
    lin_cells *cells;
    lin_cell_map map;
    int n;
    piece_contact *contacts;
    int n_touches, *touch_start; /* per contact */
    touch *touches;
    cell_entry *psi_entries, *phi_entries;
    int *cell_start, *cell_touch; /* per cell: its touches, by contacts */
    double *G;
    /* groups of contacts that A couples; inverse NULL: there is no A */
    int n_groups, *group_of, *group_start, *grouped;
    size_t *group_inverse;
    double *inverse; /* per group and row of its contacts: A^-1, column by column */
    /* of the present iteration */
    unsigned char *present;           /* per contact */
    int *root, n_pieces;              /* per cell: its piece */
    int *piece_cell, *cells_of;       /* per piece: its cells */
    int *piece_contact, *contacts_of; /* and contacts */
    unsigned char *open;              /* per piece: still to be solved */
    double *norm;                     /* per piece */
    int *number;                      /* per contact: its number in its piece */
    int *open_piece, n_open;          /* pieces to be solved */
    zn_status *status;                /* of these */
    base_team *team;
    int threads;   /* one worker for each */
    bool together; /* pieces are solved one by one, each by all threads */
    piece_worker *workers;
};

bool cone_piece_groups(const cone_solver *, cone_pieces *, const int *contact_of, bool *fine);
bool cone_piece_invert_groups(const cone_solver *); /* false: A is singular */
void cone_piece_combine(cone_pieces *, int contact);
double cone_piece_set(const cone_solver *, int contact, int j, double r, double *y); /* returns the change of r */

/* The step of one piece: x and y become those of the linearised problem. */
zn_status cone_piece_solve(cone_solver *, piece_worker *, int piece, double wanted, double *x, double *y);
void cone_piece_run(const cone_pieces *, int count, void (*work)(void *, int task, int member), void *user); /* in groups of PIECE_TASK */

#endif
