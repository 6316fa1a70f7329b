/* SPDX-License-Identifier: Apache-2.0 */
/* gnuplot runs as a child that reads script and numbers from a pipe: no shell, no files but the picture. */
#include "cli/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Okabe and Ito's colours, told apart also by the colour-blind; those that stand out on white first. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000", "#B8A800"};
enum { N_COLOURS = sizeof colours / sizeof *colours, LEGEND_ROWS = 24, SVG_FONT = 14, PNG_FONT = 16 };

static bool ends_with(const char *text, const char *ending) {
    size_t n = strlen(text), m = strlen(ending);
    return n > m && strcasecmp(text + n - m, ending) == 0;
}

bool plot_path_ok(const char *out) { return ends_with(out, ".svg") || ends_with(out, ".png"); }

/* In double quotes, where a quote and a backslash would have a meaning for gnuplot.
 * A prime becomes the typographic one. */
void plot_put_text(FILE *script, const char *text) {
    fputc('"', script);
    for (const char *c = text; *c; c++) {
        if (*c == '\'')
            fputs("\xe2\x80\xb2", script);
        else if (*c == '"' || *c == '\\')
            fprintf(script, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            fputc(' ', script);
        else
            fputc(*c, script);
    }
    fputc('"', script);
}

static void put_terminal(FILE *script, const char *out, int width, int height) {
    if (ends_with(out, ".svg"))
        fprintf(script,
                "set terminal svg size %d,%d dynamic enhanced font 'DejaVu Sans,%d' background '#ffffff' rounded "
                "linewidth 1.2\n",
                width, height, SVG_FONT);
    else
        fprintf(script,
                "set terminal pngcairo size %d,%d enhanced font 'DejaVu Sans,%d' background '#ffffff' rounded linewidth "
                "1.5\n",
                width * 3 / 2, height * 3 / 2, PNG_FONT);
    fputs("set encoding utf8\nset decimalsign locale 'C'\nset decimalsign '.'\n"
          "set border 3 linecolor '#444444' linewidth 1\nset tics nomirror out scale 0.6 textcolor '#222222'\n"
          "set grid xtics ytics back linecolor '#dddddd' linetype 1 linewidth 0.7\n"
          "set bmargin 4\nset rmargin 3\nset minussign\nset format '%h'\nset datafile missing 'NaN'\n",
          script);
    for (int i = 0; i < N_COLOURS; i++)
        fprintf(script, "set linetype %d linecolor rgb '%s' linewidth 1.7 pointtype 7 pointsize 0.35\n", i + 1, colours[i]);
    fprintf(script, "set linetype cycle %d\n", N_COLOURS);
}

static bool rises(const double *values, long n) {
    for (long i = 1; i < n; i++)
        if (!(values[i] > values[i - 1])) return false;
    return n > 1;
}

static void put_range(FILE *script, char axis, plot_range range) {
    fprintf(script, "set %crange [", axis);
    if (isfinite(range.low)) plot_put_number(script, range.low);
    else fputc('*', script);
    fputc(':', script);
    if (isfinite(range.high)) plot_put_number(script, range.high);
    else fputc('*', script);
    fputs("]\n", script);
}

/* Time goes from edge to edge; other axes get a little air, where no range is given. */
static void put_ranges(FILE *script, const plot_def *plot) {
    double air_x = rises(plot->curves[0].x, plot->curves[0].rows) || plot->log_x ? 0 : 0.04, air_y = plot->log_y ? 0 : 0.04;
    double left = isfinite(plot->x.low) ? 0 : air_x, right = isfinite(plot->x.high) ? 0 : air_x;
    double bottom = isfinite(plot->y.low) ? 0 : air_y, top = isfinite(plot->y.high) ? 0 : air_y;
    if (plot->log_x) fputs("set logscale x\nset format x '10^{%L}'\n", script);
    if (plot->log_y) fputs("set logscale y\nset format y '10^{%L}'\n", script);
    if (!plot->log_x) fputs("set autoscale xfix\n", script);
    if (!plot->log_y) fputs("set autoscale yfix\n", script);
    put_range(script, 'x', plot->x);
    put_range(script, 'y', plot->y);
    if (plot->equal) fputs("set size ratio -1\n", script);
    fprintf(script, "set offsets graph %g, graph %g, graph %g, graph %g\n", left, right, top, bottom);
}

static void put_axis_name(FILE *script, const char *axis, const char *name) {
    fprintf(script, "set %s ", axis);
    plot_put_text(script, name);
    fprintf(script, " noenhanced textcolor '#222222'\n");
}

/* The legend stands beside or below the curves, where it hides none; a single curve is named by its axis. */
static void put_labels(FILE *script, const plot_def *plot) {
    put_axis_name(script, "xlabel", plot->x_name);
    if (plot->y_name) put_axis_name(script, "ylabel", plot->y_name);
    else if (plot->n_curves == 1) put_axis_name(script, "ylabel", plot->curves[0].name);
    if (plot->n_curves == 1 || plot->key == PLOT_KEY_OFF) fputs("set key off\n", script);
    else if (plot->key == PLOT_KEY_BELOW)
        fputs("set key outside bottom center horizontal Left reverse samplen 1.6 height 0.7 noenhanced textcolor '#222222'\nset bmargin -1\n",
              script);
    else
        fprintf(script,
                "set key outside right top vertical Left reverse samplen 1.6 spacing 1.3 noenhanced maxrows %d textcolor "
                "'#222222'\nset rmargin -1\n",
                LEGEND_ROWS);
    if (plot->title && *plot->title) put_axis_name(script, "title", plot->title);
}

void plot_put_number(FILE *script, double value) {
    if (!isfinite(value)) {
        fputs("NaN", script);
        return;
    }
    char text[40];
    snprintf(text, sizeof text, "%.9g", value);
    for (char *c = text; *c; c++) fputc(*c == ',' ? '.' : *c, script); /* the locale's decimal point */
}

void plot_put_curve(FILE *script, const char *name, int k, const plot_curve *curve) {
    fprintf(script, "$%s%d << EOD\n", name, k);
    for (long i = 0; i < curve->rows; i++) {
        if (isfinite(curve->x[i]) && isfinite(curve->y[i])) {
            plot_put_number(script, curve->x[i]);
            fputc(' ', script);
            plot_put_number(script, curve->y[i]);
        }
        fputc('\n', script); /* an empty line interrupts */
    }
    fputs("EOD\n", script);
}

static void put_curves(FILE *script, void *user) {
    static const char *const with[] = {"lines", "points", "linespoints pointsize 0.5"};
    const plot_def *plot = user;
    put_ranges(script, plot);
    put_labels(script, plot);
    for (int k = 0; k < plot->n_curves; k++) plot_put_curve(script, "curve", k, &plot->curves[k]);
    fputs("plot ", script);
    for (int k = 0; k < plot->n_curves; k++) {
        fprintf(script, "%s$curve%d using 1:2 with %s linetype %d title ", k ? ", " : "", k, with[plot->style], k + 1);
        plot_put_text(script, plot->curves[k].name);
    }
    fputc('\n', script);
}

/* What a picture consists of, for the functions below. */
typedef struct picture {
    const char *out, *path; /* as asked for, and where gnuplot writes */
    int width, height;
    plot_writer *write;
    void *user;
} picture;

static void put_script(FILE *script, const picture *p) {
    put_terminal(script, p->out, p->width, p->height);
    fputs("set output '", script);
    for (const char *c = p->path; *c; c++) fputs(*c == '\'' ? "''" : (char[2]){*c, 0}, script);
    fputs("'\n", script);
    p->write(script, p->user);
    fputs("unset output\nexit\n", script);
}

/* What gnuplot complains about goes into `complaint`, a file without a name. */
static zn_status start_gnuplot(zn_context *context, int complaint, pid_t *child, FILE **script) {
    int ends[2];
    if (pipe(ends) != 0) return fail(context, ZN_FILE, "no pipe to gnuplot: too many files are open");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, complaint, STDERR_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    char *arguments[] = {(char[]){"gnuplot"}, (char[]){"-d"}, (char[]){"-"}, NULL};
    int reason = posix_spawnp(child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (reason != 0) {
        close(ends[1]);
        if (reason == ENOENT)
            return fail(context, ZN_FILE, "the program gnuplot is missing; install the package gnuplot-nox (or gnuplot)");
        return fail(context, ZN_FILE, "gnuplot cannot be started (system error %d)", reason);
    }
    *script = fdopen(ends[1], "w");
    if (*script) return ZN_OK;
    close(ends[1]);
    waitpid(*child, NULL, 0);
    return fail(context, ZN_MEMORY, "out of memory");
}

static zn_status run_gnuplot(zn_context *context, const picture *p) {
    FILE *complaint = tmpfile(), *script = NULL;
    pid_t child;
    if (!complaint) return fail(context, ZN_FILE, "no temporary file can be made");
    zn_status status = start_gnuplot(context, fileno(complaint), &child, &script);
    if (status == ZN_OK) {
        struct sigaction ignore = {.sa_handler = SIG_IGN}, before; /* gnuplot may end before it has read all */
        sigaction(SIGPIPE, &ignore, &before);
        put_script(script, p);
        fclose(script);
        sigaction(SIGPIPE, &before, NULL);
        int result = 0;
        while (waitpid(child, &result, 0) < 0 && errno == EINTR) continue;
        struct stat info;
        if (!WIFEXITED(result) || WEXITSTATUS(result) != 0 || stat(p->path, &info) != 0 || info.st_size == 0) {
            char words[300];
            rewind(complaint);
            size_t n = fread(words, 1, sizeof words - 1, complaint);
            while (n > 0 && (words[n - 1] == '\n' || words[n - 1] == ' ')) n--;
            words[n] = '\0';
            status = fail(context, ZN_FILE, "gnuplot could not draw %s: %s", p->out, n ? words : "it gave no reason");
        }
    }
    fclose(complaint);
    return status;
}

/* gnuplot would say "all points y value undefined". */
static zn_status check_values(zn_context *context, const plot_def *plot) {
    for (int k = 0; k < plot->n_curves; k++)
        for (long i = 0; i < plot->curves[k].rows; i++) {
            double x = plot->curves[k].x[i], y = plot->curves[k].y[i];
            if (isfinite(x) && isfinite(y) && !(plot->log_x && x <= 0) && !(plot->log_y && y <= 0)) return ZN_OK;
        }
    return fail(context, ZN_ARGUMENT, "there are no finite values to draw%s",
                plot->log_x || plot->log_y ? " (and a logarithmic axis needs positive ones)" : "");
}

zn_status plot_run(zn_context *context, const char *out, int width, int height, plot_writer *write, void *user) {
    char *path = mem_format(context, "%s.partial", out);
    if (!path) return ZN_MEMORY;
    zn_status status;
    picture p = {out, path, width, height, write, user};
    error_place place = ERROR_PLACE_NONE;
    place.file = out;
    struct stat info;
    int file = stat(out, &info) == 0 && S_ISDIR(info.st_mode) ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        status =
            fail_at(context, ZN_FILE, &place, "cannot be written: the directory is missing, closed, or of the same name");
    } else {
        close(file);
        status = run_gnuplot(context, &p);
        if (status == ZN_OK && rename(path, out) != 0) status = fail_at(context, ZN_FILE, &place, "cannot be written");
        if (status != ZN_OK) unlink(path);
    }
    mem_free(context, path);
    return status;
}

zn_status plot_draw(zn_context *context, const plot_def *plot, const char *out) {
    zn_status status = check_values(context, plot);
    plot_def copy = *plot;
    return status == ZN_OK ? plot_run(context, out, plot->width, plot->height, put_curves, &copy) : status;
}
