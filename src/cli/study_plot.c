/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/study_plot.h"

#include "cli/gnuplot.h"

enum { PICTURE_WIDTH = 900, PICTURE_HEIGHT = 560, LEGEND_ROW_HEIGHT = 20, LEGEND_COLUMNS = 3, MAX_ORDER = 12 };
/* Points below this are round-off; they would only stretch the axis. */
static const double least_shown = 1e-15;
/* Triangles stand this far below the curve they belong to. */
static const double triangle_below = 0.35;

/* Cross, star, square, circle, triangles, diamonds: open and filled ones in turn, so that curves of one colour differ. */
static int point_type(int k) {
    static const int types[] = {7, 5, 9, 11, 13, 6, 4, 8, 10, 12, 2, 3, 1};
    return types[(k + k / 8) % (int)(sizeof types / sizeof *types)];
}

static const double *errors_of(const study_result *result, bool of_u) { return of_u ? result->error_u : result->error_q; }

static bool shown(double error) { return error >= least_shown && isfinite(error); }

static void put_errors(FILE *script, const study_picture *p, bool of_u) {
    for (int k = 0; k < p->n_schemes; k++) {
        double y[STUDY_MAX_STEPS];
        for (int i = 0; i < p->n_steps; i++) y[i] = shown(errors_of(&p->results[k], of_u)[i]) ? errors_of(&p->results[k], of_u)[i] : NAN;
        plot_put_curve(script, of_u ? "u" : "q", k, &(plot_curve){.x = p->step, .y = y, .rows = p->n_steps});
    }
}

static int order_of(const study_result *result, bool of_u) {
    double order = of_u ? result->order_u : result->order_q;
    return isfinite(order) && order > 0.5 && order < MAX_ORDER ? (int)lround(order) : 0;
}

/* The scheme of this order with the smallest error at its finest step that counts: nothing of the same slope is below. */
static int lowest_of_order(const study_picture *p, bool of_u, int order) {
    int best = -1;
    double least = INFINITY;
    for (int k = 0; k < p->n_schemes; k++) {
        if (order_of(&p->results[k], of_u) != order) continue;
        double largest = 0;
        for (int i = 0; i < p->n_steps; i++)
            if (isfinite(errors_of(&p->results[k], of_u)[i])) largest = larger(largest, errors_of(&p->results[k], of_u)[i]);
        if (largest < least) least = largest, best = k;
    }
    return best;
}

/* The two smallest steps whose errors count: there curves of different orders are farthest apart. */
static bool pick_steps(const study_picture *p, const double *error, int *low, int *high) {
    int used[STUDY_MAX_STEPS], n = 0;
    for (int i = 0; i < p->n_steps; i++) {
        if (!(error[i] >= STUDY_LEAST_ERROR && isfinite(error[i]))) continue;
        int place = n++;
        for (; place > 0 && p->step[used[place - 1]] > p->step[i]; place--) used[place] = used[place - 1];
        used[place] = i;
    }
    if (n < 2) return false;
    *low = used[0], *high = used[1];
    return true;
}

/* A triangle of the slope `order` below the curve: level, up, and the order beside. */
static void put_triangle(FILE *script, const study_picture *p, bool of_u, int order, int *object) {
    int k = lowest_of_order(p, of_u, order), low, high;
    if (k < 0) return;
    const double *error = errors_of(&p->results[k], of_u);
    if (!pick_steps(p, error, &low, &high)) return;
    double x0 = p->step[low], x1 = p->step[high], y0 = triangle_below * error[low], y1 = y0 * pow(x1 / x0, order);
    fprintf(script,
            "set object %d polygon from %.6g,%.6g to %.6g,%.6g to %.6g,%.6g to %.6g,%.6g fillstyle empty border linecolor '#555555' "
            "linewidth 1\n",
            ++*object, x0, y0, x1, y0, x1, y1, x0, y0);
    fprintf(script, "set label %d '%d' at %.6g,%.6g offset character 0.5,0 textcolor '#333333'\n", *object, order, x1, sqrt(y0 * y1));
}

static void put_panel(FILE *script, const study_picture *p, bool of_u) {
    int object = 0;
    const char *data = of_u ? "u" : "q";
    fputs("unset object\nunset label\n", script);
    for (int order = 1; order < MAX_ORDER; order++) put_triangle(script, p, of_u, order, &object);
    fprintf(script, "set title 'error of %s' textcolor '#222222'\nset key off\nplot ", of_u ? "velocities" : "positions");
    for (int k = 0; k < p->n_schemes; k++)
        fprintf(script, "%s$%s%d using 1:2 with linespoints linetype %d pointtype %d pointsize 0.6", k ? ", " : "", data, k, k + 1,
                point_type(k));
    fputc('\n', script);
}

/* The legend is a panel of its own below both: curves that are never seen, in a plot without axes. */
static void put_legend(FILE *script, const study_picture *p) {
    fputs("unset object\nunset label\nunset title\nunset xlabel\nunset ylabel\nunset border\nunset tics\nunset grid\nunset logscale\n"
          "set lmargin 1\nset rmargin 1\nset tmargin 0\nset bmargin 0\nset xrange [0:1]\nset yrange [0:1]\n",
          script);
    fprintf(script, "set key inside center center horizontal Left reverse samplen 2 maxcols %d noenhanced textcolor '#222222'\nplot ",
            LEGEND_COLUMNS);
    for (int k = 0; k < p->n_schemes; k++) {
        fprintf(script, "%sNaN with linespoints linetype %d pointtype %d pointsize 0.7 title ", k ? ", " : "", k + 1, point_type(k));
        plot_put_text(script, p->names[k], PLOT_LONGEST_NAME);
    }
    fputc('\n', script);
}

static int legend_height(const study_picture *p) {
    return LEGEND_ROW_HEIGHT * ((p->n_schemes + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS) + LEGEND_ROW_HEIGHT;
}

static void put_step_range(FILE *script, const study_picture *p) {
    double low = p->step[0], high = p->step[0];
    for (int i = 1; i < p->n_steps; i++) low = smaller(low, p->step[i]), high = larger(high, p->step[i]);
    fprintf(script, "set xrange [%.6g:%.6g]\n", low / 1.5, high * 1.5);
}

/* Exact solutions from files may have positions alone. */
static bool has_errors(const study_picture *p, bool of_u) {
    for (int k = 0; k < p->n_schemes; k++)
        for (int i = 0; i < p->n_steps; i++)
            if (shown(errors_of(&p->results[k], of_u)[i])) return true;
    return false;
}

static void put_picture(FILE *script, void *user) {
    const study_picture *p = user;
    bool both = has_errors(p, false) && has_errors(p, true);
    double total = PICTURE_HEIGHT + legend_height(p), bottom = legend_height(p) / total;
    put_errors(script, p, false);
    put_errors(script, p, true);
    fputs("set multiplot title ", script);
    plot_put_text(script, p->title, PLOT_LONGEST_TEXT);
    fputs(" noenhanced textcolor '#222222'\nset logscale xy\nset format '10^{%L}'\nset xlabel 'step' textcolor '#222222'\n"
          "set lmargin 8\nset rmargin 2\nset tmargin 4\nset bmargin 3\n",
          script);
    put_step_range(script, p);
    fprintf(script, "set size %s,%.4f\nset origin 0,%.4f\n", both ? "0.5" : "1", 1 - bottom, bottom);
    put_panel(script, p, !has_errors(p, false));
    if (both) {
        fprintf(script, "set origin 0.5,%.4f\n", bottom);
        put_panel(script, p, true);
    }
    fprintf(script, "set size 1,%.4f\nset origin 0,0\n", bottom);
    put_legend(script, p);
    fputs("unset multiplot\n", script);
}

zn_status study_draw(zn_context *context, const study_picture *picture, output_file *output, const char *out) {
    if (!has_errors(picture, false) && !has_errors(picture, true))
        return fail(context, ZN_ERROR_ARGUMENT, "there are no errors above %g to draw", least_shown);
    study_picture copy = *picture;
    return plot_run_to(context, output, out, PICTURE_WIDTH, PICTURE_HEIGHT + legend_height(picture), put_picture, &copy);
}
