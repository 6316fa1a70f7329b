/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts that shapes find (contacts.c), and the rules that switch them (rules.c). */
#ifndef SIM_CONTACTS_H
#define SIM_CONTACTS_H

#include "model/assembly.h"
#include "model/contact_field.h"
#include "scheme/scheme.h"

enum { SIM_NAME = 96 }; /* of a contact that may be gone: the rest is cut off */

/* A found contact: see contacts.c. */
enum { SIM_MOST_ROWS = 8 }; /* of it */
typedef struct sim_met {
    collide_candidate candidate; /* first: see sim_contacts_check */
    zn_model *part;
    int *q, *u;
    double pole[6];
    double P[SIM_MOST_ROWS], P_row[SIM_MOST_ROWS]; /* physical, its rows N and F: of the last step; since the last row until then */
} sim_met;

/* Normal percussions of two bodies, the smaller number first. */
typedef struct sim_pair {
    int body[2];
    double normal;
} sim_pair;

typedef struct sim_mets {
    sim_met *at;
    size_t count, room;
} sim_mets;

typedef struct sim_rules sim_rules;

typedef struct sim_contacts {
    const contact_field *field; /* NULL: all contacts are declared */
    sim_rules *rules;           /* NULL: none is switched */
    collide_world *world;
    collide_pose *pose_memory, *poses, *poses_end, *poses_between; /* of the present, the end of a step, and on the way */
    bool posed;                                                    /* poses are those of `now` */
    collide_pose *poses_seen;                                      /* of the row that is examined */
    bool seen;
    double seen_at;
    double margin, tolerance;
    sim_mets list, other; /* sorted; `other`: the one before, or the next */
    sim_mets gone;        /* without parts: left the list with a percussion that no row has shown yet */
    zn_model *models[2];  /* the present one and its successor */
    int present;
    collide_list found, missed; /* found: by the last search */
    collide_list merged;        /* work space */
    assembly_extra *extra;
    int *from; /* of each contact: its number before */
    size_t extra_room, from_room;
    sim_pair *pairs; /* sorted */
    size_t n_pairs, pair_room;
    char text[SIM_NAME];                    /* of the name asked for last */
    bool shown, first;                      /* a row was shown in this step; the last one was its first */
    double share, share_before;             /* of the step: up to the last row in it, and up to the one before */
    int repeats, passing[2];                /* of the present step; shapes that overlap by more than they are thick (-1: none) */
    long missed_pairs, changes, sum, steps; /* sum: of contacts over accepted steps */
    int most;
    double overlap, max_overlap;
    double unexplained, unexplained_end; /* overlap that no features push apart, now and at the end of the step */
} sim_contacts;

/* rules.c: rules for contacts that are switched, before the first list. */
zn_status sim_rules_create(zn_simulation *);
void sim_rules_destroy(zn_simulation *);
/* Which of them hold by the values of now. *changed: the list is to be found again. */
zn_status sim_rules_look(zn_simulation *, bool *changed);
/* Of shapes whose rules the last look found switched on: an error names two that overlap. */
zn_status sim_rules_check(zn_simulation *);

/* contacts.c: contacts that come and go. */

zn_status sim_contacts_create(zn_simulation *);
void sim_contacts_destroy(zn_simulation *);
/* The list of contacts at a state, for a step of h, before there is a scheme. */
zn_status sim_contacts_start(zn_simulation *, const double *q, const double *u, double h);
zn_status sim_contacts_add_overlaps(zn_simulation *); /* after that: what overlaps there without being listed */
/* The list at the present; pairs of `missed` are checked again in any case. */
zn_status sim_contacts_renew(zn_simulation *, double h);
/* At the present: values have changed that rules depend on. */
zn_status sim_contacts_switch(zn_simulation *);
/* Before a step of h from the present. */
zn_status sim_contacts_prepare(zn_simulation *, double h);
/* After it, at its end. *again: shapes overlap that were not in the list; they are now, and the step is to be repeated.
 * ZN_ERROR_NO_CONVERGENCE: shapes went through each other, or overlap in a way that no features describe: the step is to be cut (if it may
 * be). */
zn_status sim_contacts_check(zn_simulation *, const scheme_state *end, double h, bool may_cut, bool *again);
void sim_contacts_accept(zn_simulation *);
/* The list as bytes. Reading makes another scheme, what it carries is to be read after it. */
zn_status sim_contacts_carry(zn_simulation *, byte_stream *);
void sim_contacts_add_percussion(zn_simulation *, const double *P);
void sim_contacts_begin_percussion(zn_simulation *), sim_contacts_end_percussion(zn_simulation *);
void sim_contacts_show(zn_simulation *, double share); /* a row is shown at a share of the step */

#endif
