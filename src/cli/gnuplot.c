/* SPDX-License-Identifier: Apache-2.0 */
/* The input of gnuplot: the script of a picture. Texts come from files and arguments and must not mean anything to gnuplot, which
 * executes text in backquotes, also between double quotes, expands @macros and formats "enhanced" texts. So a text is written
 * with letters, digits and a few other characters as they are and every other byte as \ooo: nothing that has a meaning is left. */
#include "cli/gnuplot.h"

#include "base/text.h"
#include "cli/gnuplot_run.h"

#include <strings.h>

/* Okabe and Ito's colours, which colour-blind readers can distinguish, too; those with most contrast on white first. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#B8A800"};
enum { N_COLOURS = sizeof colours / sizeof *colours, LEGEND_ROWS = 24, TICK_COLOURS = 8, SVG_FONT = 14, PNG_FONT = 16 };

/* Ticks of the horizontal axis: darker than curves, and of other colours than the first of them. */
static const char *const tick_colours[] = {"#000000", "#7b3294", "#a6761d", "#e7298a", "#1b9e77", "#d7191c", "#0072b2", "#56b4e9"};
static const double tallest_tick = 0.07, tick_step = 0.006; /* of the height; later ones are shorter, so that all are seen */

static bool ends_with(const char *text, const char *ending) {
    size_t n = strlen(text), m = strlen(ending);
    return n > m && strcasecmp(text + n - m, ending) == 0;
}

bool plot_path_ok(const char *out) { return ends_with(out, ".svg") || ends_with(out, ".png"); }

static bool is_harmless(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr(" .,:;+-_=/()[]", c));
}

static bool is_word(char c) { return is_harmless((unsigned char)c) && !strchr(" ,:;+-=/([", c); }

/* Is the apostrophe at `c` the prime of a derivative? x' and x'' are, don't is not. */
static bool is_prime(const char *text, const char *c) {
    const char *before = c, *after = c;
    while (before > text && before[-1] == '\'') before--;
    while (*after == '\'') after++;
    return before > text && is_word(before[-1]) && !(*after && is_word(*after) && *after != ')' && *after != '.');
}

void plot_put_text(FILE *script, const char *text, int most) {
    char piece[TEXT_PIECE];
    fputc('"', script);
    const char *c = text;
    for (int count = 0; *c && count < most; count++) {
        if (*c == '\'' && is_prime(text, c)) strcpy(piece, "\xe2\x80\xb2"), c++;
        else text_plain(&c, piece);
        for (const unsigned char *byte = (unsigned char *)piece; *byte; byte++)
            fprintf(script, is_harmless(*byte) ? "%c" : "\\%03o", *byte);
    }
    if (*c) fputs("...", script);
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

void plot_put_range(FILE *script, char axis, plot_range range) {
    fprintf(script, "set %crange [", axis);
    if (isfinite(range.low)) plot_put_number(script, range.low);
    else fputc('*', script);
    fputc(':', script);
    if (isfinite(range.high)) plot_put_number(script, range.high);
    else fputc('*', script);
    fputs("]\n", script);
}

/* Time goes from edge to edge; other axes get a margin, unless a range is given. */
static void put_ranges(FILE *script, const plot_def *plot) {
    double air_x = rises(plot->curves[0].x, plot->curves[0].rows) || plot->log_x ? 0 : 0.04, air_y = plot->log_y ? 0 : 0.04;
    double left = isfinite(plot->x.low) ? 0 : air_x, right = isfinite(plot->x.high) ? 0 : air_x;
    double bottom = isfinite(plot->y.low) ? 0 : air_y, top = isfinite(plot->y.high) ? 0 : air_y;
    if (plot->log_x) fputs("set logscale x\nset format x '10^{%L}'\n", script);
    if (plot->log_y) fputs("set logscale y\nset format y '10^{%L}'\n", script);
    if (!plot->log_x) fputs("set autoscale xfix\n", script);
    if (!plot->log_y) fputs("set autoscale yfix\n", script);
    plot_put_range(script, 'x', plot->x);
    plot_put_range(script, 'y', plot->y);
    plot_put_words(script, 'x', plot->n_x_words, plot->x_words);
    if (plot->equal) fputs("set size ratio -1\n", script);
    fprintf(script, "set offsets graph %g, graph %g, graph %g, graph %g\n", left, right, top, bottom);
}

static void put_axis_name(FILE *script, const char *axis, const char *name) {
    fprintf(script, "set %s ", axis);
    plot_put_text(script, name, PLOT_LONGEST_TEXT);
    fprintf(script, " noenhanced textcolor '#222222'\n");
}

void plot_put_words(FILE *script, char axis, int count, char *const *words) {
    if (count == 0) return;
    fprintf(script, "set %ctics noenhanced (", axis);
    for (int i = 0; i < count; i++) {
        if (i) fputs(", ", script);
        plot_put_text(script, words[i], PLOT_LONGEST_NAME);
        fprintf(script, " %d", i);
    }
    fputs(")\n", script);
}

void plot_put_labels(FILE *script, const plot_def *plot, const char *x_name, const char *y_name) {
    put_axis_name(script, "xlabel", x_name);
    if (y_name) put_axis_name(script, "ylabel", y_name);
    if (plot->title && *plot->title) put_axis_name(script, "title", plot->title);
}

/* The legend stands beside or below the curves, so that it covers none of them. */
void plot_put_key(FILE *script, plot_key key) {
    if (key == PLOT_KEY_OFF) fputs("set key off\n", script);
    else if (key == PLOT_KEY_BELOW)
        fputs(
            "set key outside bottom center horizontal Left reverse samplen 1.6 height 0.7 noenhanced textcolor '#222222'\nset bmargin -1\n",
            script);
    else
        fprintf(script,
                "set key outside right top vertical Left reverse samplen 1.6 spacing 1.3 noenhanced maxrows %d textcolor "
                "'#222222'\nset rmargin -1\n",
                LEGEND_ROWS);
}

/* A single curve is named by its axis. */
static void put_labels(FILE *script, const plot_def *plot) {
    bool ticks = false;
    for (int k = 0; k < plot->n_ticks; k++) ticks = ticks || plot->ticks[k].count > 0;
    plot_put_labels(script, plot, plot->x_name, plot->y_name ? plot->y_name : plot->n_curves == 1 ? plot->curves[0].name : NULL);
    plot_put_key(script, plot->n_curves == 1 && !ticks ? PLOT_KEY_OFF : plot->key);
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

/* On an invisible second vertical axis from 0 to 1. */
static void put_ticks(FILE *script, const plot_def *plot) {
    fputs("set y2range [0:1]\n", script);
    for (int k = 0; k < plot->n_ticks; k++) {
        fprintf(script, "$tick%d << EOD\n", k);
        for (long i = 0; i < plot->ticks[k].count; i++) {
            plot_put_number(script, plot->ticks[k].x[i]);
            fputc(' ', script);
            plot_put_number(script, tallest_tick - k * tick_step);
            fputc('\n', script);
        }
        fputs("EOD\n", script);
    }
}

static void put_curves(FILE *script, void *user) {
    static const char *const with[] = {"lines", "points", "linespoints pointsize 0.5"};
    const plot_def *plot = user;
    put_ranges(script, plot);
    put_labels(script, plot);
    for (int k = 0; k < plot->n_curves; k++) plot_put_curve(script, "curve", k, &plot->curves[k]);
    if (plot->n_ticks > 0) put_ticks(script, plot);
    fputs("plot ", script);
    for (int k = 0; k < plot->n_curves; k++) {
        fprintf(script, "%s$curve%d using 1:2 with %s linetype %d title ", k ? ", " : "", k, with[plot->style], k + 1);
        plot_put_text(script, plot->curves[k].name, PLOT_LONGEST_NAME);
    }
    for (int k = 0; k < plot->n_ticks; k++) {
        if (plot->ticks[k].count == 0) continue;
        fprintf(script, ", $tick%d using 1:2 axes x1y2 with impulses linecolor rgb '%s' linewidth 1.3 title ", k,
                tick_colours[k % TICK_COLOURS]);
        plot_put_text(script, plot->ticks[k].name, PLOT_LONGEST_NAME);
    }
    fputc('\n', script);
}

/* gnuplot would say "all points y value undefined". */
static zn_status check_values(zn_context *context, const plot_def *plot) {
    for (int k = 0; k < plot->n_curves; k++)
        for (long i = 0; i < plot->curves[k].rows; i++) {
            double x = plot->curves[k].x[i], y = plot->curves[k].y[i];
            if (isfinite(x) && isfinite(y) && !(plot->log_x && x <= 0) && !(plot->log_y && y <= 0)) return ZN_OK;
        }
    return fail(context, ZN_ERROR_ARGUMENT, "there are no finite values to draw%s",
                plot->log_x || plot->log_y ? " (and a logarithmic axis needs positive ones)" : "");
}

typedef struct picture {
    const char *out;
    int width, height;
    plot_writer *write;
    void *user;
} picture;

static void put_script(FILE *script, void *user) {
    const picture *p = user;
    put_terminal(script, p->out, p->width, p->height);
    p->write(script, p->user);
    fputs("exit\n", script);
}

zn_status plot_run(zn_context *context, const char *out, int width, int height, plot_writer *write, void *user) {
    output_file *output = NULL;
    zn_status status = output_open(context, out, &output);
    if (status == ZN_OK) status = plot_run_to(context, output, out, width, height, write, user);
    output_close(output, false);
    return status;
}

zn_status plot_run_to(zn_context *context, output_file *output, const char *out, int width, int height, plot_writer *write, void *user) {
    picture p = {out, width, height, write, user};
    zn_status status = gnuplot_run(context, output, put_script, &p, ends_with(out, ".svg") ? "</svg>" : "IEND\xae\x42\x60\x82");
    return status == ZN_OK ? output_publish(output) : status;
}

zn_status plot_draw(zn_context *context, const plot_def *plot, const char *out) {
    zn_status status = check_values(context, plot);
    plot_def copy = *plot;
    return status == ZN_OK ? plot_run(context, out, plot->width, plot->height, put_curves, &copy) : status;
}
