/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include "base/base.h"
#include "base/size.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { BAR_WIDTH = 24, COLUMNS = 79 };
#define DRAW_SECONDS 0.1
#define QUIET_SECONDS 0.3 /* a run shorter than that shows nothing */

progress progress_begin(double start, double end, bool quiet) {
    progress bar = {.shown = !quiet && isatty(STDERR_FILENO), .start = start, .end = end};
    bar.begun = base_seconds();
    bar.drawn = bar.begun + QUIET_SECONDS - DRAW_SECONDS;
    return bar;
}

static void duration_text(char *out, size_t size, double time) {
    if (!isfinite(time) || time < 0 || time > 1e7) snprintf(out, size, "?");
    else if (time < 60) snprintf(out, size, "%.0f s", ceil(time));
    else if (time < 3600) snprintf(out, size, "%d:%02d min", (int)time / 60, (int)time % 60);
    else snprintf(out, size, "%d:%02d h", (int)time / 3600, (int)time / 60 % 60);
}

void progress_text(char *out, size_t size, int columns, const progress *bar, double t, long steps, double elapsed) {
    double done = bar->end > bar->start ? (t - bar->start) / (bar->end - bar->start) : 0;
    done = done > 0 ? smaller(done, 1) : 0; /* also when t is not a number */
    char blocks[BAR_WIDTH + 1], left[32], line[200];
    for (int i = 0; i < BAR_WIDTH; i++) blocks[i] = i < (int)(done * BAR_WIDTH) ? '#' : '.';
    blocks[BAR_WIDTH] = '\0';
    duration_text(left, sizeof left, done > 0 ? elapsed * (1 - done) / done : NAN);
    snprintf(line, sizeof line, "[%s] %3d%%  t = %.4g  %.3g steps/s  %s left", blocks, (int)(100 * done), t,
             elapsed > 0 ? (double)steps / elapsed : 0.0, left);
    snprintf(out, size, "%.*s", columns, line);
}

void progress_update(progress *bar, double t, long steps) {
    if (!bar->shown) return;
    double now = base_seconds();
    if (now - bar->drawn < DRAW_SECONDS) return;
    bar->drawn = now;
    char line[COLUMNS + 1];
    progress_text(line, sizeof line, COLUMNS, bar, t, steps, now - bar->begun);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
}

void progress_end(progress *bar) {
    if (bar->shown) fputs("\r\033[K", stderr);
    fflush(stderr);
    bar->shown = false;
}

/* ---- loading ---- */

/* Loading is one call of the library, so an alarm shows that it is still running. Only async-signal-safe calls are made. */
static void say_loading(int signal_number) {
    static const char text[] = "\rloading ... (Ctrl-C stops)\033[K";
    (void)signal_number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return; /* there is no reader */
}

void progress_loading(bool begins) {
    if (!isatty(STDERR_FILENO)) return;
    struct sigaction action = {.sa_handler = begins ? say_loading : SIG_DFL, .sa_flags = SA_RESTART};
    struct itimerval timer = {.it_value = {.tv_sec = begins}}, before;
    sigemptyset(&action.sa_mask);
    if (begins) sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, &before);
    if (begins) return;
    sigaction(SIGALRM, &action, NULL);
    if (before.it_value.tv_sec == 0 && before.it_value.tv_usec == 0) fprintf(stderr, "\r\033[K"); /* the alarm has gone off */
}
