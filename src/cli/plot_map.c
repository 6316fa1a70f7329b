/* SPDX-License-Identifier: Apache-2.0 */
/* A map over two things that vary: a colour for each run. Runs on a grid are cells, whose edges lie halfway between neighbours,
 *
 *   e_0 = x_0 - (x_1 - x_0)/2,  e_i = (x_{i-1} + x_i)/2,  e_n = x_{n-1} + (x_{n-1} - x_{n-2})/2    (of logarithms where the axis is
 * logarithmic);
 *
 * others (samples) are points. Colours are those of classes, with a legend, or of a scale. Neighbours in a row with one colour are one
 * rectangle. */
#include "cli/plot_study.h"

#include <stdlib.h>

enum { MOST_CLASSES = 8, SHADES = 128, SPARSE = 4, CLASS_TEXT = 100 };
static const char *const class_colours[MOST_CLASSES + 1] = {"#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442",
                                                            "#0072b2", "#d55e00", "#8c6d46", "#b0b0b0"};
static const double overlap = 0.6; /* points by which cells overlap, as seams would show otherwise */

enum { EMPTY = -1, NO_VALUE = MOST_CLASSES }; /* instead of a class */

typedef struct map {
    const plot_def *plot;
    const plot_map_def *def;
    const char *name;
    const study_view_axis *x, *y;
    study_points points;
    bool classes, failed;  /* failed: of what has no value, some runs failed */
    int n_classes, *cells; /* cells: class or shade, NULL: no grid */
    double value[MOST_CLASSES], low, high;
    long without; /* value */
    double *edges_x, *edges_y;
} map;

/* ---- classes ---- */

/* Few whole values are classes; others need levels. */
static zn_status find_classes(zn_context *context, map *m) {
    const study_points *p = &m->points;
    m->classes = m->def->n_levels > 0;
    m->n_classes = m->def->n_levels + 1;
    if (m->classes) return ZN_OK;
    double *distinct = MEM_ARRAY(context, double, p->count);
    if (!distinct) return ZN_ERROR_MEMORY;
    for (long i = 0; i < p->count; i++) distinct[i] = isfinite(p->values[i]) ? p->values[i] : NAN;
    long n = study_view_sort_distinct(distinct, p->count);
    m->classes = n > 0 && n <= MOST_CLASSES;
    for (long i = 0; i < n && m->classes; i++) m->classes = distinct[i] == floor(distinct[i]);
    m->n_classes = m->classes ? (int)n : 0;
    for (int i = 0; i < m->n_classes; i++) m->value[i] = distinct[i];
    if (n > 0) m->low = distinct[0], m->high = distinct[n - 1];
    mem_free(context, distinct);
    return n > 0 ? ZN_OK : fail(context, ZN_ERROR_ARGUMENT, "there are no finite values of %s to draw", m->name);
}

static int class_of(const map *m, double value) {
    if (!isfinite(value)) return NO_VALUE;
    if (!m->classes)
        return NO_VALUE + 1 + (m->high > m->low ? (int)((value - m->low) / (m->high - m->low) * (SHADES - 1) + 0.5) : SHADES / 2);
    int k = 0;
    if (m->def->n_levels > 0) {
        while (k < m->def->n_levels && value >= m->def->levels[k]) k++;
        return k;
    }
    while (k + 1 < m->n_classes && m->value[k] != value) k++;
    return k;
}

/* "x < -0.5", "x from -0.5 to 0.5", "x > 0.5", or "x = 1" */
static void class_text(const map *m, int k, char text[CLASS_TEXT]) {
    const double *level = m->def->levels;
    int n = m->def->n_levels;
    if (k < m->def->n_labels) snprintf(text, CLASS_TEXT, "%.90s", m->def->labels[k]);
    else if (n == 0) snprintf(text, CLASS_TEXT, "%.40s = %.6g", m->name, m->value[k]);
    else if (k == 0) snprintf(text, CLASS_TEXT, "%.40s < %.6g", m->name, level[0]);
    else if (k == n) snprintf(text, CLASS_TEXT, "%.40s \xe2\x89\xa5 %.6g", m->name, level[n - 1]);
    else snprintf(text, CLASS_TEXT, "%.40s from %.6g to %.6g", m->name, level[k - 1], level[k]);
}

/* ---- cells ---- */

static double *edges_of(zn_context *context, const study_view_axis *axis, bool log) {
    long n = axis->n_distinct;
    double *e = MEM_ARRAY(context, double, n + 1);
    if (!e) return NULL;
    const double *x = axis->distinct;
    for (long i = 1; i < n; i++) e[i] = log ? sqrt(x[i - 1] * x[i]) : 0.5 * (x[i - 1] + x[i]);
    if (n == 1) {
        double half = x[0] != 0 ? 0.1 * fabs(x[0]) : 0.5;
        e[0] = log ? x[0] / 1.1 : x[0] - half, e[1] = log ? x[0] * 1.1 : x[0] + half;
        return e;
    }
    e[0] = log ? x[0] * x[0] / e[1] : 2 * x[0] - e[1];
    e[n] = log ? x[n - 1] * x[n - 1] / e[n - 1] : 2 * x[n - 1] - e[n - 1];
    return e;
}

static long place_of(const study_view_axis *axis, double value) {
    long low = 0, high = axis->n_distinct;
    while (high - low > 1) {
        long middle = low + (high - low) / 2;
        if (axis->distinct[middle] <= value) low = middle;
        else high = middle;
    }
    return low;
}

/* What varies besides both axes, so that cells have several runs. */
static const char *also_varies(const study_view *v, const map *m) {
    for (int i = study_view_varying(v, -1); i >= 0; i = study_view_varying(v, i))
        if (&v->axes[i] != m->x && &v->axes[i] != m->y) return v->axes[i].name;
    return NULL;
}

static zn_status fill_cells(study_view *v, map *m) {
    long nx = m->x->n_distinct, ny = m->y->n_distinct;
    if (nx * ny > SPARSE * m->points.count) return ZN_OK;
    const char *also = also_varies(v, m);
    if (also)
        return fail(v->context, ZN_ERROR_ARGUMENT,
                    "each cell of the map has several runs, as %s varies too: choose one of its values with --where \"%s=VALUE\"", also,
                    also);
    m->cells = MEM_ARRAY(v->context, int, nx *ny);
    m->edges_x = edges_of(v->context, m->x, m->plot->log_x), m->edges_y = edges_of(v->context, m->y, m->plot->log_y);
    if (!m->cells || !m->edges_x || !m->edges_y) return ZN_ERROR_MEMORY;
    for (long i = 0; i < nx * ny; i++) m->cells[i] = EMPTY;
    for (long i = 0; i < m->points.count; i++) {
        long row = m->points.rows[i];
        m->cells[place_of(m->y, m->y->values[row]) * nx + place_of(m->x, m->x->values[row])] = class_of(m, m->points.values[i]);
    }
    return ZN_OK;
}

/* ---- the script ---- */

/* Behind a place: the colour of a class as a number, or the value of a shade. */
static void put_colour(FILE *script, const map *m, int class) {
    if (class <= NO_VALUE) fprintf(script, " %ld\n", strtol(class_colours[class] + 1, NULL, 16));
    else {
        fputc(' ', script);
        plot_put_number(script, m->high > m->low ? m->low + (m->high - m->low) * (class - NO_VALUE - 1) / (SHADES - 1) : m->low);
        fputc('\n', script);
    }
}

static void put_numbers(FILE *script, int n, const double *numbers) {
    for (int i = 0; i < n; i++) {
        if (i) fputc(' ', script);
        plot_put_number(script, numbers[i]);
    }
}

/* The upper end of a cell, a little further where another cell will lie upon it. */
static double end_of(double end, bool last, double first, double whole, int size, bool log) {
    if (last) return end;
    return log ? end * pow(whole / first, overlap / size) : end + (whole - first) * overlap / size;
}

/* Shades and classes in separate blocks: gnuplot takes a colour or a value, not both. */
static void put_cells(FILE *script, const map *m, bool shades) {
    long nx = m->x->n_distinct, ny = m->y->n_distinct;
    const double *ex = m->edges_x, *ey = m->edges_y;
    for (long j = 0; j < ny; j++)
        for (long i = 0, next; i < nx; i = next) {
            int class = m->cells[j * nx + i];
            for (next = i + 1; next < nx && m->cells[j * nx + next] == class;) next++;
            if (class == EMPTY || (class > NO_VALUE) != shades) continue;
            double right = end_of(ex[next], next == nx, ex[0], ex[nx], m->plot->width, m->plot->log_x);
            double top = end_of(ey[j + 1], j + 1 == ny, ey[0], ey[ny], m->plot->height, m->plot->log_y);
            put_numbers(script, 6, (double[]){0.5 * (ex[i] + ex[next]), 0.5 * (ey[j] + ey[j + 1]), ex[i], right, ey[j], top});
            put_colour(script, m, class);
        }
}

static void put_points(FILE *script, const map *m, bool shades) {
    for (long i = 0; i < m->points.count; i++) {
        int class = class_of(m, m->points.values[i]);
        long row = m->points.rows[i];
        if ((class > NO_VALUE) != shades) continue;
        put_numbers(script, 2, (double[]){m->x->values[row], m->y->values[row]});
        put_colour(script, m, class);
    }
}

static void put_axes(FILE *script, const map *m) {
    const plot_def *plot = m->plot;
    if (plot->log_x) fputs("set logscale x\nset format x '10^{%L}'\n", script);
    if (plot->log_y) fputs("set logscale y\nset format y '10^{%L}'\n", script);
    plot_range x = plot->x, y = plot->y;
    if (m->cells) {
        if (!isfinite(x.low)) x.low = m->edges_x[0];
        if (!isfinite(x.high)) x.high = m->edges_x[m->x->n_distinct];
        if (!isfinite(y.low)) y.low = m->edges_y[0];
        if (!isfinite(y.high)) y.high = m->edges_y[m->y->n_distinct];
    }
    plot_put_range(script, 'x', x);
    plot_put_range(script, 'y', y);
    plot_put_words(script, 'x', m->x->n_words, m->x->words);
    plot_put_words(script, 'y', m->y->n_words, m->y->words);
    if (plot->equal) fputs("set size ratio -1\n", script);
    fputs(m->cells ? "set border 15\nunset grid\n" : "set offsets graph 0.02, graph 0.02, graph 0.02, graph 0.02\n", script);
    plot_put_labels(script, plot, plot->x_name ? plot->x_name : m->x->name, plot->y_name ? plot->y_name : m->y->name);
}

static void put_scale(FILE *script, const map *m) {
    fputs("set palette defined (0 '#440154', 1 '#482878', 2 '#3e4989', 3 '#31688e', 4 '#26828e', 5 '#1f9e89', 6 '#35b779', 7 '#6ece58', 8 "
          "'#b5de2b', 9 '#fde725')\nset rmargin 14\nset cblabel ",
          script);
    plot_put_text(script, m->name, PLOT_LONGEST_NAME);
    fputs(" noenhanced offset character 1.2,0 textcolor '#222222'\nset cbrange [", script);
    plot_put_number(script, m->low);
    fputc(':', script);
    plot_put_number(script, m->high > m->low ? m->high : m->low + 1);
    fputs("]\n", script);
}

static void put_key_entry(FILE *script, int class, const char *text) {
    fprintf(script, ", keyentry with points pointtype 5 pointsize 1.6 linecolor rgb '%s' title ", class_colours[class]);
    plot_put_text(script, text, PLOT_LONGEST_NAME);
}

static void put_map(FILE *script, void *user) {
    const map *m = user;
    char text[CLASS_TEXT];
    const char *with =
        m->cells ? "using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid 1 noborder" : "using 1:2:3 with points pointtype 7 pointsize 0.7";
    put_axes(script, m);
    for (int shades = 0; shades < 2; shades++) {
        fprintf(script, "$map%d << EOD\n", shades);
        if (m->cells) put_cells(script, m, shades);
        else put_points(script, m, shades);
        fputs("EOD\n", script);
    }
    if (m->classes || m->without) plot_put_key(script, m->plot->key);
    else fputs("set key off\n", script);
    if (!m->classes) put_scale(script, m);
    if (!m->classes && m->plot->key == PLOT_KEY_RIGHT)
        fputs("set key outside bottom center horizontal\nset rmargin 14\nset bmargin -1\n", script);
    fputs("plot ", script);
    if (m->classes || m->without) fprintf(script, "$map0 %s linecolor rgb variable notitle%s", with, m->classes ? "" : ", ");
    if (!m->classes) fprintf(script, "$map1 %s linecolor palette notitle", with);
    for (int k = 0; m->classes && k < m->n_classes; k++) {
        class_text(m, k, text);
        put_key_entry(script, k, text);
    }
    if (m->without) put_key_entry(script, NO_VALUE, m->failed ? "failed" : "no value");
    fputc('\n', script);
}

/* ---- the map ---- */

static zn_status choose_axes(study_view *v, const plot_map_def *def, map *m) {
    int x = def->x ? study_view_axis_of(v, def->x) : study_view_varying(v, -1), y;
    if (def->x && x < 0) return fail(v->context, ZN_ERROR_ARGUMENT, "--x %s: nothing of this name varies in the study", def->x);
    if (def->y) y = study_view_axis_of(v, def->y);
    else
        for (y = study_view_varying(v, -1); y >= 0 && y == x;) y = study_view_varying(v, y);
    if (def->y && y < 0) return fail(v->context, ZN_ERROR_ARGUMENT, "--y %s: nothing of this name varies in the study", def->y);
    if (x < 0 || y < 0 || x == y)
        return fail(v->context, ZN_ERROR_ARGUMENT, "a map needs two different things that vary; the study has fewer");
    m->x = &v->axes[x], m->y = &v->axes[y];
    if ((m->plot->log_x && !(m->x->distinct[0] > 0)) || (m->plot->log_y && !(m->y->distinct[0] > 0)))
        return fail(v->context, ZN_ERROR_ARGUMENT, "a logarithmic axis needs positive values");
    return ZN_OK;
}

zn_status plot_map(study_view *v, const plot_map_def *def, const plot_def *plot, const char *out) {
    zn_context *context = v->context;
    map m = {.plot = plot, .def = def};
    zn_status status = choose_axes(v, def, &m);
    if (status == ZN_OK) status = study_view_points(v, def->name, &m.points);
    m.name = m.points.name;
    if (status == ZN_OK && m.points.events)
        status = fail(context, ZN_ERROR_ARGUMENT, "a map shows one value of each run, and %s has one for each event", def->name);
    if (status == ZN_OK && def->n_levels >= MOST_CLASSES)
        status = fail(context, ZN_ERROR_ARGUMENT, "a map has at most %d classes, so at most %d levels", MOST_CLASSES, MOST_CLASSES - 1);
    if (status == ZN_OK) status = find_classes(context, &m);
    for (long i = 0; status == ZN_OK && i < m.points.count; i++) {
        if (isfinite(m.points.values[i])) continue;
        m.without++;
        m.failed = m.failed || v->status[m.points.rows[i]] != 0;
    }
    if (status == ZN_OK) status = fill_cells(v, &m);
    if (status == ZN_OK) status = plot_run(context, out, plot->width, plot->height, put_map, &m);
    mem_free(context, m.cells);
    mem_free(context, m.edges_x);
    mem_free(context, m.edges_y);
    study_points_free(context, &m.points);
    return status;
}
