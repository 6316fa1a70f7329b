/* SPDX-License-Identifier: Apache-2.0 */
/* Signals and limits of time. A timer ticks while there are limits; steps reset its count with one store, so that limits cost nothing.
 *
 * Solvers look at the flag between their iterations. A single factorisation of a huge system may take minutes and cannot be interrupted: a
 * process that has not stopped some seconds after the request is ended. Rows are written as they come, so that none is lost. */
#include "cli/stopping.h"

#include "cli/args.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

enum { GRACE = 5 }; /* seconds */
static const double ticks_per_limit = 50, tick_least = 1e-3, tick_most = 0.1;

/* The only state outside functions, as signals leave no other way. */
static volatile sig_atomic_t stopped, ticks_of_run, ticks_of_step;
static sig_atomic_t run_most = SIG_ATOMIC_MAX, step_most = SIG_ATOMIC_MAX, patient;

static void end_now(int signal_number) {
    static const char text[] =
        "\nstopped within a step that did not end in 5 s; what was written before is in the .partial file of --out\n";
    (void)signal_number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(CLI_FAILED);
    _exit(CLI_FAILED);
}

/* From now on SIGALRM is the end; alarm() also takes the place of the timer of limits. */
static void give_grace(void) {
    if (patient) return;
    signal(SIGALRM, end_now);
    alarm(GRACE);
}

static void on_signal(int signal_number) {
    if (signal_number != SIGALRM) {
        if (!stopped) give_grace();
        stopped = STOP_SIGNAL;
        return;
    }
    ticks_of_run = ticks_of_run + 1;
    ticks_of_step = ticks_of_step + 1;
    if (!stopped && ticks_of_run >= run_most) stopped = STOP_TIME;
    if (!stopped && ticks_of_step >= step_most) stopped = STOP_STEP;
    if (stopped) give_grace();
}

static bool parse_limit(const char *option, const char *text, double *seconds) {
    *seconds = 0;
    if (!text) return true;
    if (!cli_number(option, text, seconds)) return false;
    if (*seconds > 0) return true;
    fprintf(stderr, "error: %s takes a positive number of seconds, not '%s'\n", option, text);
    return false;
}

bool stopping_parse(const char *run, const char *step, stop_limits *limits) {
    return parse_limit("--time-limit", run, &limits->run) && parse_limit("--step-limit", step, &limits->step);
}

static sig_atomic_t in_ticks(double limit, double tick) {
    double count = limit / tick;
    return limit > 0 && count < SIG_ATOMIC_MAX ? (sig_atomic_t)count + 1 : SIG_ATOMIC_MAX;
}

void stopping_begin(const stop_limits *limits, bool usr1) {
    patient = usr1;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (usr1) sigaction(SIGUSR1, &action, NULL);
    double shortest = limits->step > 0 && !(limits->run > 0 && limits->run < limits->step) ? limits->step : limits->run;
    if (!(shortest > 0)) return;
    double tick = shortest / ticks_per_limit;
    tick = tick < tick_least ? tick_least : tick > tick_most ? tick_most : tick;
    run_most = in_ticks(limits->run, tick);
    step_most = in_ticks(limits->step, tick);
    sigaction(SIGALRM, &action, NULL);
    struct timeval period = {.tv_sec = (time_t)tick, .tv_usec = (suseconds_t)(1e6 * (tick - (double)(time_t)tick))};
    setitimer(ITIMER_REAL, &(struct itimerval){period, period}, NULL);
}

void stopping_end(void) {
    signal(SIGALRM, SIG_IGN);
    alarm(0);
    patient = true;
}

void stopping_step(void) { ticks_of_step = 0; }

const volatile sig_atomic_t *stopping_flag(void) { return &stopped; }

stop_cause stopping_cause(void) { return (stop_cause)stopped; }

void stopping_tell(const stop_limits *limits, const char *what, char *text, size_t room) {
    if (stopped == STOP_TIME) snprintf(text, room, "stopped by --time-limit %g in %s", limits->run, what);
    else if (stopped == STOP_STEP)
        snprintf(text, room, "stopped by --step-limit %g: %s takes longer; a larger tolerance or a smaller step makes it cheaper",
                 limits->step, what);
    else snprintf(text, room, "stopped in %s", what);
}
