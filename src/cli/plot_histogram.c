/* SPDX-License-Identifier: Apache-2.0 */
/* How often a value occurs among the runs of a study, and its quantiles.
 *
 *   width of a bin:  2 (x_0.75 - x_0.25) n^(-1/3)               (Freedman and Diaconis 1981)
 *   quantile p of sorted x_0 .. x_{n-1}:  x_k + f (x_{k+1} - x_k),  k + f = p (n - 1)                          */
#include "cli/plot_study.h"

#include <stdlib.h>

enum { LEAST_BINS = 5, MOST_BINS = 200 };

typedef struct histogram {
    const plot_def *plot;
    const char *name;
    double low, width, mean, deviation;
    int bins;
    const long *counts;
    long count, left_out;
    bool events;
    int n_quantiles;
    const double *quantiles;
    const double *sorted;
} histogram;

/* Of sorted values, by linear interpolation between them. */
static double quantile(const double *sorted, long count, double share) {
    if (count < 1 || !(share >= 0 && share <= 1)) return NAN;
    double place = share * (double)(count - 1);
    long k = (long)place;
    return k + 1 < count ? sorted[k] + (place - (double)k) * (sorted[k + 1] - sorted[k]) : sorted[count - 1];
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void choose_bins(histogram *h, int wanted) {
    double low = h->sorted[0], high = h->sorted[h->count - 1], span = high - low;
    double width = 2 * (quantile(h->sorted, h->count, 0.75) - quantile(h->sorted, h->count, 0.25)) / cbrt((double)h->count);
    double bins = wanted ? wanted : width > 0 ? ceil(span / width) : LEAST_BINS;
    if (!wanted) bins = bins < LEAST_BINS ? LEAST_BINS : bins > MOST_BINS ? MOST_BINS : bins;
    h->bins = (int)bins;
    if (!(span > 1e-12 * (fabs(low) + fabs(high)))) span = 0.1 * (fabs(low) > 0 ? fabs(low) : 1), low -= 0.5 * span;
    h->low = low, h->width = span / h->bins;
}

static void measure(histogram *h, long *counts) {
    double square = 0, sum = 0;
    for (long i = 0; i < h->count; i++) {
        int bin = (int)((h->sorted[i] - h->low) / h->width);
        counts[bin < 0 ? 0 : bin < h->bins ? bin : h->bins - 1]++;
        sum += h->sorted[i];
    }
    h->mean = sum / (double)h->count;
    for (long i = 0; i < h->count; i++) square += (h->sorted[i] - h->mean) * (h->sorted[i] - h->mean);
    h->deviation = h->count > 1 ? sqrt(square / (double)(h->count - 1)) : 0;
    h->counts = counts;
}

static void put_data(FILE *script, const histogram *h) {
    long most = 0;
    fputs("$bins << EOD\n", script);
    for (int i = 0; i < h->bins; i++) {
        plot_put_number(script, h->low + (i + 0.5) * h->width);
        fprintf(script, " %ld\n", h->counts[i]);
        if (h->counts[i] > most) most = h->counts[i];
    }
    fputs("EOD\n", script);
    for (int k = 0; k < h->n_quantiles; k++) {
        double x = quantile(h->sorted, h->count, h->quantiles[k]);
        fprintf(script, "$quantile%d << EOD\n", k);
        for (int end = 0; end < 2; end++) {
            plot_put_number(script, x);
            fprintf(script, " %.6g\n", end ? 1.05 * (double)most : 0.0);
        }
        fputs("EOD\n", script);
    }
    fprintf(script, "set yrange [0:%.6g]\n", 1.05 * (double)most);
}

static void put_facts(FILE *script, const histogram *h) {
    char text[120];
    const char *what = h->events ? "events" : "runs";
    if (h->left_out) snprintf(text, sizeof text, "%ld %s, %ld left out", h->count, what, h->left_out);
    else snprintf(text, sizeof text, "%ld %s", h->count, what);
    fputs(", keyentry title ", script);
    plot_put_text(script, text, PLOT_LONGEST_NAME);
    snprintf(text, sizeof text, "mean %.5g", h->mean);
    fputs(", keyentry title ", script);
    plot_put_text(script, text, PLOT_LONGEST_NAME);
    snprintf(text, sizeof text, "deviation %.4g", h->deviation);
    fputs(", keyentry title ", script);
    plot_put_text(script, text, PLOT_LONGEST_NAME);
}

static void put_histogram(FILE *script, void *user) {
    static const int dashes[] = {2, 1, 4, 3, 5};
    const histogram *h = user;
    const plot_def *plot = h->plot;
    char text[80];
    put_data(script, h);
    plot_put_labels(script, plot, plot->x_name ? plot->x_name : h->name, plot->y_name ? plot->y_name : h->events ? "events" : "runs");
    plot_put_key(script, plot->key);
    plot_put_range(script, 'x', plot->x);
    fprintf(script,
            "set autoscale xfix\nset boxwidth %.9g\nset style fill solid 0.55 border\nplot $bins using 1:2 with boxes linecolor rgb "
            "'#56b4e9' notitle",
            h->width);
    for (int k = 0; k < h->n_quantiles; k++) {
        snprintf(text, sizeof text, "%.4g %%: %.5g", 100 * h->quantiles[k], quantile(h->sorted, h->count, h->quantiles[k]));
        fprintf(script, ", $quantile%d using 1:2 with lines linecolor rgb '#d55e00' linewidth 1.7 dashtype %d title ", k, dashes[k % 5]);
        plot_put_text(script, text, PLOT_LONGEST_NAME);
    }
    put_facts(script, h);
    fputc('\n', script);
}

zn_status plot_histogram(study_view *v, const char *name, int bins, int n_quantiles, const double *quantiles, const plot_def *plot,
                         const char *out) {
    study_points p;
    long *counts = NULL;
    zn_status status = study_view_points(v, name, &p);
    histogram h = {
        .plot = plot, .name = p.name, .events = p.events, .n_quantiles = n_quantiles, .quantiles = quantiles, .sorted = p.values};
    for (long i = 0; status == ZN_OK && i < p.count; i++)
        if (isfinite(p.values[i])) p.values[h.count++] = p.values[i];
    h.left_out = p.count - h.count;
    if (status == ZN_OK && h.count == 0) status = fail(v->context, ZN_ERROR_ARGUMENT, "there are no finite values of %s to draw", name);
    if (status == ZN_OK) {
        qsort(p.values, (size_t)h.count, sizeof *p.values, compare);
        choose_bins(&h, bins);
        counts = MEM_ARRAY(v->context, long, h.bins);
        if (!counts) status = ZN_ERROR_MEMORY;
    }
    if (status == ZN_OK) {
        measure(&h, counts);
        status = plot_run(v->context, out, plot->width, plot->height, put_histogram, &h);
    }
    mem_free(v->context, counts);
    study_points_free(v->context, &p);
    return status;
}
