/* SPDX-License-Identifier: Apache-2.0 */
/* What stops a command early, also within a solve: Ctrl-C, SIGTERM, and limits of time. */
#ifndef CLI_STOPPING_H
#define CLI_STOPPING_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum stop_cause { STOP_NONE, STOP_SIGNAL, STOP_TIME, STOP_STEP } stop_cause;

/* Seconds of the wall clock, of all and of one step; 0: no limit. */
typedef struct stop_limits {
    double run, step;
} stop_limits;

/* --time-limit, --step-limit: texts, NULL where they are not given. false: said why. */
bool stopping_parse(const char *run, const char *step, stop_limits *);
/* SIGUSR1 too, where it does not kill. Then the current step is completed, as a checkpoint needs; otherwise the program is ended after some
 * seconds, if it has not stopped. */
void stopping_begin(const stop_limits *, bool usr1);
/* The run is complete: closing the results must not be interrupted. */
void stopping_end(void);
/* A step begins: its time counts from here. */
void stopping_step(void);
/* Nonzero: end. For zn_context_watch. */
const volatile sig_atomic_t *stopping_flag(void);
stop_cause stopping_cause(void);
/* A sentence about the cause; `what` was interrupted ("the step from t = 0.1"). */
void stopping_tell(const stop_limits *, const char *what, char *text, size_t room);

#endif
