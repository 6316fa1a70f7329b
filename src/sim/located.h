/* SPDX-License-Identifier: Apache-2.0 */
/* Contact events that are located (contact_events: located; docs/located-events.md). Steps are taken with the modes of all contacts frozen;
 * where an event function is negative at the end, the sub-step is found at whose end it is zero, and the event is a map of its own.
 *
 *   located.c     a step of the grid: frozen sub-steps, events, and plain steps where that fails; located_memory.c: what it needs
 *   substep.c     a frozen sub-step, to the first event in it; locate.c: guesses of when that is
 *   watch.c       steps in which no force can have met its limit
 *   stops.c       slip in several directions that ends
 *   modes.c       modes of a state, event functions
 *   wedges.c      friction that gaps hold already
 *   borders.c     contacts that leave the features they were found for
 *   transition.c  what an event does: impact, projection, new modes
 */
#ifndef SIM_LOCATED_H
#define SIM_LOCATED_H

#include "base/bytes.h"
#include "scheme/impact_map.h"
#include "scheme/scheme.h"

/* What contacts do between events: all that goes from step to step. */
typedef struct sim_modes {
    bool known;           /* else they are found at the present */
    cone_frozen *contact; /* per contact of sim->model */
    unsigned char *ball;  /* per ball, contact after contact: cone_mode */
    double *along;        /* per row of friction, contact after contact: direction of slip */
    double *memory;
} sim_modes;

/* Event functions at a state. Event k < n_contacts: impact or opening of contact k; then balls, contact after contact: end or begin of
 * slip; then contacts
 * again: the singular point of slip (painleve.c); and again: it leaves the features that it was found for (borders.c). */
typedef struct event_sample {
    double h;           /* since the start of the sub-step */
    double *phi, *rate; /* negative: it has happened; rate NAN: not known */
} event_sample;

enum { LOCATE_GUESSES = 40, LOCATE_SAMPLES = LOCATE_GUESSES + 4 };

typedef struct sim_located {
    bool on;
    bool stale; /* the problems below belong to another scheme */
    sim_modes modes;
    /* At a fixed (t, q), for the rows that the scheme sees: */
    linear_problem *forces;     /* accelerations and forces by modes, or by the laws */
    linear_problem *velocities; /* projections of velocities */
    impact_map *impacts;
    /* Numbering: */
    int n_events, n_balls;
    int *first_ball, *first_row; /* per contact: of its balls, of its rows in `along` */
    int *ball_contact, *ball_of; /* per ball: its contact, its number there */
    /* Samples of one sub-step, in the order in which they were taken; the first is its start. */
    event_sample sample[LOCATE_SAMPLES];
    int n_samples;
    bool start_known; /* the first sample belongs to the present and its modes, */
    bool start_whole; /* and has forces, too */
    bool end_known;   /* the second one is at the end of a step that was watched */
    bool next_seen;   /* gaps and rates in `forces` are those of sim->next */
    /* Steps in which no force can have met its limit (watch.c): per contact and ball, at the last solve, means of the step at hand and of
     * the one before. */
    int watched;
    double *calm, *mean, *mean_before;
    double *offset; /* per contact: a gap that is negative at the start, which counts as zero */
    /* The event at hand: */
    bool *which;         /* per event: happens now */
    unsigned char *told; /* per event: its kind, or ZN_CONTACT_EVENT_KINDS */
    bool *hit, *kept;    /* per contact: was hit at the present; opens at the present */
    bool *stays;         /* per contact: beyond the border of its features, and no others have taken over */
    bool *takes;         /* per contact: takes over */
    bool *law, frees;    /* per contact: is free for the rest of the step; some is */
    bool *began;         /* per ball: began to slip at the present */
    bool *wedged;        /* per ball: is held by gaps, and was taken to its limit at the last choice */
    bool *begins;        /* per ball of several rows: slips, and has no velocity at the present */
    double *second;      /* per contact: gddot_N at the present, after modes were chosen */
    double *slack;       /* per contact that opens: what its force may still be */
    double *P;           /* n rows */
    scheme_state before;
    sim_modes undo;
    double *memory;
    bool *flags;
    int *numbers;
    /* The running step: */
    zn_status (*halves)(zn_simulation *, double h); /* of step: auto: what a frozen step of h is compared with; NULL: it is not */
    bool (*judge)(zn_simulation *, double h);       /* whether `next`, the step, is accurate enough */
    bool rejected;                                  /* it was not */
    double h;                                       /* from its start to its end */
    int events;                                     /* in it */
    bool eased;                                     /* the sub-step could be solved in part only */
    bool stopping;                                  /* the sub-step leads towards a stop of slip in several directions, */
    double ease;                                    /* shortened by this, */
    int tries;                                      /* after so many others */
    double *longest;                                /* per ball: the largest time in which its slip changes */
    int *times;                                     /* per contact: its events that were close to each other */
    /* Counted: */
    long located, captured, accumulations, steps;
    long solves; /* of frozen steps */
    /* What happened, in the order of time; names are kept apart, one for each contact that had an event. */
    zn_contact_event *list;
    size_t n_list, list_room;
    struct event_name *names;
} sim_located;

zn_status sim_located_create(zn_simulation *);
void sim_located_destroy(zn_simulation *);
/* Memory that goes with the contacts of sim->model. */
zn_status sim_located_take(zn_simulation *);
void sim_located_drop(zn_simulation *);

/* What goes from step to step, as bytes; the list of events with it. */
zn_status sim_located_carry(zn_simulation *, byte_stream *);
zn_status sim_events_carry(zn_simulation *, byte_stream *);

/* A step from the present to t_end. Sub-steps are accepted one after the other; with rows inside of steps it returns after each, and
 * *reached says whether that was the last. */
zn_status sim_located_step(zn_simulation *, double t_end, bool *reached, cone_outcome *);

/* The pieces of it, for step: auto. A step of about h begins; one sub-step towards t_end, or events at the present; the laws alone up to
 * t_end; its end. */
zn_status sim_located_begin(zn_simulation *, double h);
zn_status sim_located_advance(zn_simulation *, double t_end, cone_outcome *);
zn_status sim_located_plain(zn_simulation *, double t_end, cone_outcome *);
void sim_located_end(zn_simulation *);
/* Of a sub-step: the laws alone may do better. */
bool sim_located_failed(zn_status);

/* The problems of the present scheme. */
zn_status sim_located_renew(zn_simulation *);
/* Gaps and rates of sim->next, if they are known for all rows of the model; else NULL. */
const answers *sim_located_seen(const zn_simulation *);
/* Of the scheme, in smooth motion. */
int sim_order(const zn_simulation *);

/* A rest of the step below this part of it is none. Accuracy of the time of an impact, relative to the sub-step. */
#define SIM_NO_REST 1e-12
#define SIM_TIME_SHARE 1e-10

/* substep.c: into next, by at most `rest`; *h: how far it goes. Unseen: it cannot be solved, and forces at the present, which say why, are
 * not known yet. */
typedef enum substep_kind { SUBSTEP_ACCEPTED, SUBSTEP_EVENT_HERE, SUBSTEP_EVENT_THERE, SUBSTEP_REJECTED, SUBSTEP_UNSEEN } substep_kind;
zn_status sim_substep(zn_simulation *, double rest, double *h, substep_kind *, cone_outcome *);

/* watch.c: whether no force can have met its limit in the frozen step of h to `next`. */
bool sim_watch_allows(zn_simulation *, double h);
/* A step is accepted; event functions at its end, with forces, say whether the next ones can be watched. */
void sim_watch_step(zn_simulation *);
void sim_watch_begin(zn_simulation *, const event_sample *);

/* The same of slip in several directions, after event functions without forces at its end: it is still fast. */
bool sim_watch_slips(const zn_simulation *);

/* stops.c, at the state of event functions: |gamma_F| of a ball; the time to its stop, less where sub-steps must soon be shorter than
 * steps, 0 where they must be now. */
double sim_slip_speed(const zn_simulation *, int ball), sim_stops_time(zn_simulation *, int ball);
/* How far a sub-step may go; *any: balls stop at the present, `which`. */
double sim_stops_limit(zn_simulation *, double rest, bool *any);
/* A sub-step towards a stop cannot be solved: the factor for it, and for those that follow until they are forgotten. */
double sim_stops_ease(zn_simulation *);
void sim_stops_forget(zn_simulation *);
enum { SIM_STOP_TRIES = 12 };
/* Balls that stop soon, where no step leads nearer to it: `which`. */
bool sim_stops_near(zn_simulation *);

/* modes.c */

/* Slower than this is at rest; nearer is touching. Rows of the scheme. */
double sim_still(const zn_simulation *, int row), sim_touching(const zn_simulation *, int row);
double sim_gap_roundoff(const zn_simulation *, int row);
/* c2 of a row at the accelerations of a solve. */
double sim_second_rate(const linear_problem *, int row);
/* Modes by the laws at the present: contacts that touch and do not move apart, but not those in kept_open; balls that slip by their
 * velocity, or (which) begin to slip. Accelerations and forces are then in `forces`. */
zn_status sim_modes_choose(zn_simulation *);
/* Row of a ball, by its number. */
int sim_row_of_ball(const zn_simulation *, int ball);
/* The contact of an event. */
int sim_event_contact(const zn_simulation *, int event);
/* Event functions at a state; of gaps and slip alone, without forces (INFINITY) and rates of slip (0). */
zn_status sim_gaps_at(zn_simulation *, const scheme_state *, event_sample *);
zn_status sim_events_at(zn_simulation *, const scheme_state *, event_sample *);
/* Values below this are zero. */
double sim_event_noise(const zn_simulation *, const event_sample *, int event);
bool sim_event_is_negative(const zn_simulation *, const event_sample *, int event);
/* Whether a contact touches and does not move apart, by the gaps and rates that p has seen. */
bool sim_rests(const zn_simulation *, const linear_problem *p, int contact);
void sim_modes_direct(const zn_simulation *, linear_problem *);
/* The mode of a ball by the velocities that `forces` has seen last. */
void sim_ball_by_velocity(zn_simulation *, int contact, int ball);
/* Directions of balls of several rows that slip, by the same velocities. */
void sim_modes_turn(zn_simulation *);
void sim_modes_copy(const zn_simulation *, const sim_modes *from, sim_modes *to);
/* The event that the motion of a clutch reverses, which is held from then on. */
bool sim_reverses(const zn_simulation *, int event);
static inline bool sim_is_closed(const sim_modes *modes, int contact) { return modes->contact[contact].normal == CONE_CLOSED; }

/* wedges.c: after modes were chosen, friction that gaps hold already is at its limit. */
zn_status sim_wedges_release(zn_simulation *);

/* borders.c, at a state: event functions of contacts that leave their features. */
void sim_borders_at(zn_simulation *, const scheme_state *, event_sample *);
bool sim_is_border(const zn_simulation *, int event);
/* Impacts of `which` at a state are none where the contact is beyond its border: it leaves its features instead. */
void sim_borders_judge(zn_simulation *, const scheme_state *);
/* Of `which`: whether some leave; they are noted, and do so at the present: the list of contacts is another one, with new modes. */
bool sim_borders_met(const zn_simulation *);
zn_status sim_borders_note(zn_simulation *);
zn_status sim_borders_pass(zn_simulation *);

/* locate.c: where event e is zero between samples; lo < result < hi. */
double locate_guess(const event_sample *, int n, int event, double lo, double hi);
/* Root of the cubic with values f0, f1 and slopes d0, d1 at 0 and h where it falls through zero, a root at 0 left out; NAN: none. */
double locate_cubic(double h, double f0, double d0, double f1, double d1);
/* Where that cubic is least inside, and how much that is. */
double locate_dip(double h, double f0, double d0, double f1, double d1, double *least);

/* events.c: an event of a contact at the present, between the velocities of `before` and now, with the percussions P of the transition. */
zn_status sim_note_event(zn_simulation *, int contact, zn_contact_event_kind);
void sim_events_destroy(zn_simulation *);

/* transition.c: contacts of the model `successor` are closed, as far as forces hold them, and velocities fit that. Modes are known. */
zn_status sim_take_over(zn_simulation *, const bool *successor);
/* The events `which` happen at the present. */
zn_status sim_transition(zn_simulation *);
/* An accumulation of impacts that ends within theta h is closed. *closed: one was. */
zn_status sim_close_accumulation(zn_simulation *, bool *closed);

#endif
