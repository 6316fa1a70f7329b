/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of contacts by rules: the sum of their normal forces over time, and the network of forces at a moment. A contact is
 * drawn as a line from the middle of one body through the point where they touch to the middle of the other, wider and darker the larger
 * its force is; a shape that has no coordinates (a floor) ends there. The widest line is as wide as a part of the usual length of lines, so
 * that those of a large pile stay apart. Forces are means over a short time, so that impacts show. */
#include "cli/plot_contacts.h"

#include <stdlib.h>

enum { CLASSES = 8, ENTRY = 16 };
enum { ROW, SHAPE_A, SHAPE_B, X = 5, Z = 7, NORMAL = 12 };                        /* columns of the table */
static const double widest = 10, thinnest = 1.2, wide_share = 0.3, windows = 250; /* points; of a length; parts of the whole time */

/* ---- forces over time ---- */

zn_status plot_contact_force(zn_context *context, result_file *result, plot_def *plot, const char *out) {
    int t_index, index;
    const double *t, *normal;
    zn_status status = result_find(result, "t", &t_index);
    if (status == ZN_OK) status = result_find(result, "found.normal", &index);
    if (status == ZN_OK) status = result_column(result, t_index, &t);
    if (status == ZN_OK) status = result_column(result, index, &normal);
    long rows = result_rows(result);
    double *force = status == ZN_OK ? MEM_ARRAY(context, double, rows) : NULL;
    if (status == ZN_OK && !force) status = ZN_ERROR_MEMORY;
    for (long i = 0; status == ZN_OK && i < rows; i++) force[i] = i > 0 && t[i] > t[i - 1] ? normal[i] / (t[i] - t[i - 1]) : NAN;
    plot_curve curve = {"sum of normal forces", t, force, rows};
    plot->n_curves = 1, plot->curves = &curve, plot->x_name = plot->x_name ? plot->x_name : "t";
    if (status == ZN_OK) status = plot_draw(context, plot, out);
    mem_free(context, force);
    return status;
}

/* ---- the network ---- */

typedef struct network {
    const plot_def *plot;
    long n_lines;
    double (*line)[6]; /* three points */
    double *force, largest;
    int up; /* the coordinate that is drawn upwards: y, in space z */
    const char *title;
} network;

/* A coordinate of the body of a shape: that of its name, or of what is before the dot in it. NULL: it has none. */
static const double *coordinate(zn_context *context, result_file *result, const char *shape, char axis) {
    const double *values = NULL;
    char name[300];
    size_t head = strcspn(shape, ".");
    for (int part = 0; part < 2 && !values; part++) {
        snprintf(name, sizeof name, "%.*s.%c", part ? (int)head : 250, shape, axis);
        for (int c = 0; c < result_layout_width(result_get_layout(result)) && !values; c++)
            if (strcmp(result_column_name(result, c), name) == 0 && result_column(result, c, &values) != ZN_OK) zn_error_clear(context);
    }
    return values;
}

/* The first row whose percussions count, and their time. */
static long window(const double *t, long last, double whole, double *time) {
    long first = last;
    while (first > 1 && t[last] - t[first - 1] < whole / windows) first--;
    *time = last > 0 ? t[last] - t[first > 0 ? first - 1 : 0] : 0;
    return first;
}

/* By contact, then by row. */
static int by_contact(const void *a, const void *b) {
    const double *x = *(const double *const *)a, *y = *(const double *const *)b;
    for (int i = SHAPE_A; i < X; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return x[ROW] < y[ROW] ? -1 : x[ROW] > y[ROW];
}

static bool same_contact(const double *x, const double *y) { return memcmp(x + SHAPE_A, y + SHAPE_A, (X - SHAPE_A) * sizeof *x) == 0; }

/* Entries of some rows with a percussion, sorted. Returns how many. */
static long entries_of(const zn_contact_table *table, long first, long last, const double **entries) {
    long count = 0;
    for (long i = 0; i < table->count; i++) {
        const double *e = table->values + i * ENTRY;
        if (e[ROW] >= (double)first && e[ROW] <= (double)last && e[NORMAL] > 0) entries[count++] = e;
    }
    qsort(entries, (size_t)count, sizeof *entries, by_contact);
    return count;
}

/* One line for each contact, where it was last. x, y: coordinates of shapes. */
static void draw_lines(network *net, const double *const *entries, long count, double time, const double *const *x, const double *const *y,
                       long last) {
    for (long i = 0; i < count; i++) {
        const double *e = entries[i];
        bool again = i > 0 && same_contact(entries[i - 1], e);
        long k = again ? net->n_lines - 1 : net->n_lines++;
        double *line = net->line[k];
        line[2] = e[X], line[3] = e[X + net->up];
        for (int side = 0; side < 2; side++) {
            int shape = (int)e[SHAPE_A + side];
            bool known = x[shape] && y[shape];
            line[4 * side] = known ? x[shape][last] : e[X], line[4 * side + 1] = known ? y[shape][last] : e[X + net->up];
        }
        net->force[k] = (again ? net->force[k] : 0) + e[NORMAL] / time;
        net->largest = larger(net->largest, net->force[k]);
    }
}

static zn_status collect(zn_context *context, result_file *result, const zn_contact_table *table, const double *t, long last,
                         network *net) {
    double time;
    zn_status status = ZN_OK;
    long first = window(t, last, t[result_rows(result) - 1] - t[0], &time);
    const double **x = MEM_ARRAY(context, const double *, table->n_names), **y = MEM_ARRAY(context, const double *, table->n_names);
    const double **entries = MEM_ARRAY(context, const double *, table->count);
    net->line = mem_array(context, (size_t)table->count, sizeof *net->line);
    net->force = MEM_ARRAY(context, double, table->count);
    if (!x || !y || !entries || !net->line || !net->force) status = ZN_ERROR_MEMORY;
    for (long i = 0; status == ZN_OK && i < table->count; i++) {
        const double *e = table->values + i * ENTRY;
        if (e[Z] != 0) net->up = 2;
        for (int side = 0; side < 2 && status == ZN_OK; side++)
            if (!(e[SHAPE_A + side] >= 0 && e[SHAPE_A + side] < table->n_names))
                status = fail(context, ZN_ERROR_FILE, "the table of contacts names shapes that do not exist");
    }
    for (int i = 0; status == ZN_OK && i < table->n_names; i++) {
        x[i] = coordinate(context, result, table->names[i], 'x');
        y[i] = coordinate(context, result, table->names[i], net->up == 2 ? 'z' : 'y');
    }
    if (status == ZN_OK && time > 0) draw_lines(net, entries, entries_of(table, first, last, entries), time, x, y, last);
    mem_free(context, x);
    mem_free(context, y);
    mem_free(context, entries);
    return status;
}

/* Where the lines are. */
static void extent_of(const network *net, double low[2], double high[2]) {
    low[0] = low[1] = INFINITY, high[0] = high[1] = -INFINITY;
    for (long i = 0; i < net->n_lines; i++)
        for (int p = 0; p < 6; p++) {
            double x = net->line[i][p];
            low[p % 2] = smaller(low[p % 2], x), high[p % 2] = larger(high[p % 2], x);
        }
}

/* So that a row of dominoes does not become a line: the least height of the picture as a part of its width, or the reverse. */
static const double least_aspect = 0.25;

static void put_range(FILE *script, const network *net) {
    double low[2], high[2];
    extent_of(net, low, high);
    for (int i = 0; i < 2; i++) {
        double least = least_aspect * (high[1 - i] - low[1 - i]), middle = (low[i] + high[i]) / 2;
        if (!(high[i] - low[i] < least)) continue;
        fprintf(script, "set %crange [", i == 0 ? 'x' : 'y');
        plot_put_number(script, middle - least / 2);
        fputc(':', script);
        plot_put_number(script, middle + least / 2);
        fputs("]\n", script);
    }
}

/* Points for the widest line. */
static double width_of(const network *net) {
    double low[2], high[2], length = 0;
    extent_of(net, low, high);
    for (long i = 0; i < net->n_lines; i++) {
        const double *line = net->line[i];
        length += (hypot(line[2] - line[0], line[3] - line[1]) + hypot(line[4] - line[2], line[5] - line[3])) / (double)net->n_lines;
    }
    double scale = smaller(net->plot->width / (high[0] - low[0]), net->plot->height / (high[1] - low[1])),
           width = wide_share * length * scale;
    return !(width < widest) ? widest : width > thinnest ? width : thinnest;
}

static int class_of(const network *net, double force) {
    int k = (int)(force / net->largest * CLASSES);
    return k < CLASSES ? k : CLASSES - 1;
}

static void put_network(FILE *script, void *user) {
    const network *net = user;
    fprintf(script, "set size ratio -1\nset key off\nset xlabel 'x'\nset ylabel '%c'\nset title ", net->up == 2 ? 'z' : 'y');
    plot_put_text(script, net->title, PLOT_LONGEST_TEXT);
    fputs(" noenhanced textcolor '#222222'\n", script);
    put_range(script, net);
    for (int k = 0; k < CLASSES; k++) {
        fprintf(script, "$net%d << EOD\nNaN NaN NaN\n", k);
        for (long i = 0; i < net->n_lines; i++) {
            if (class_of(net, net->force[i]) != k) continue;
            for (int p = 0; p < 3; p++) {
                plot_put_number(script, net->line[i][2 * p]);
                fputc(' ', script);
                plot_put_number(script, net->line[i][2 * p + 1]);
                fputc(' ', script);
                plot_put_number(script, net->force[i]);
                fputc('\n', script);
            }
            fputc('\n', script);
        }
        fputs("EOD\n", script);
    }
    fputs("set palette defined (0 '#9ecae1', 1 '#4292c6', 2 '#08519c', 3 '#081d58')\nset rmargin 14\nset cblabel 'normal force' offset "
          "character 1.5,0 textcolor "
          "'#222222'\nset cbrange [0:",
          script);
    plot_put_number(script, net->largest);
    fputs("]\nplot ", script);
    for (int k = 0; k < CLASSES; k++) {
        fprintf(script, "%s$net%d using 1:2:3 with lines linecolor palette linewidth ", k ? ", " : "", k);
        plot_put_number(script, width_of(net) * (k + 0.5) / CLASSES);
    }
    fputc('\n', script);
}

zn_status plot_contact_network(zn_context *context, result_file *result, const plot_def *plot, double at, const char *out) {
    zn_contact_table table;
    int index;
    const double *t;
    zn_status status = zn_result_contacts(result, &table);
    if (status == ZN_OK && table.n_columns != ENTRY)
        status = fail(context, ZN_ERROR_ARGUMENT, "the result has no table of contacts: only HDF5 has one, where shapes find each other");
    if (status == ZN_OK) status = result_find(result, "t", &index);
    if (status == ZN_OK) status = result_column(result, index, &t);
    if (status != ZN_OK) return status;
    long last = result_rows(result) - 1;
    while (last > 0 && t[last - 1] >= at) last--;
    char title[200];
    network net = {.plot = plot, .up = 1, .title = title};
    status = collect(context, result, &table, t, last, &net);
    snprintf(title, sizeof title, "%s%sforces at t = %.6g, up to %.3g", plot->title ? plot->title : "",
             plot->title && *plot->title ? ": " : "", t[last], net.largest);
    if (status == ZN_OK && net.n_lines == 0) status = fail(context, ZN_ERROR_ARGUMENT, "no contact carries a force at t = %.9g", t[last]);
    if (status == ZN_OK) status = plot_run(context, out, plot->width, plot->height, put_network, &net);
    mem_free(context, net.line);
    mem_free(context, net.force);
    return status;
}
