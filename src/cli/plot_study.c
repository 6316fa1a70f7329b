/* SPDX-License-Identifier: Apache-2.0 */
/* Curves and scatters of a study. What varies besides the horizontal axis makes a curve for each of its values, as long as there are few of
 * them: a single line through all runs would zigzag. */
#include "cli/plot_study.h"

#include <stdlib.h>

enum { MOST_GROUPS = 12, VALUE_TEXT = 40 };

/* ---- lists of curves ---- */

zn_status plot_curves_add(zn_context *context, plot_curves *c, char *name, const double *x, const double *y, long rows, double *block) {
    size_t need = (size_t)c->count + 1;
    bool ok = name && mem_grow(context, (void **)&c->list, &c->list_room, need, sizeof *c->list) &&
              mem_grow(context, (void **)&c->blocks, &c->blocks_room, need, sizeof(double *));
    if (!ok) {
        mem_free(context, name);
        mem_free(context, block);
        return ZN_ERROR_MEMORY;
    }
    c->list[c->count] = (plot_curve){.name = name, .x = x, .y = y, .rows = rows};
    c->blocks[c->count++] = block;
    return ZN_OK;
}

void plot_curves_free(zn_context *context, plot_curves *c) {
    for (int k = 0; k < c->count; k++) mem_free(context, (void *)c->list[k].name), mem_free(context, c->blocks[k]);
    mem_free(context, c->list);
    mem_free(context, c->blocks);
    *c = (plot_curves){0};
}

/* ---- groups ---- */

typedef struct grouping {
    int axes[MOST_GROUPS], n_axes; /* what varies besides x */
    long first[MOST_GROUPS];       /* a run of each group */
    int count;
} grouping;

static bool same_group(const study_view *v, const grouping *g, long a, long b) {
    for (int i = 0; i < g->n_axes; i++)
        if (v->axes[g->axes[i]].values[a] != v->axes[g->axes[i]].values[b]) return false;
    return true;
}

static int group_of(const study_view *v, const grouping *g, long row) {
    for (int k = 0; k < g->count; k++)
        if (same_group(v, g, g->first[k], row)) return k;
    return -1;
}

/* One group of all runs where there would be too many. */
static void find_groups(const study_view *v, int x_axis, grouping *g) {
    *g = (grouping){0};
    for (int i = study_view_varying(v, -1); i >= 0 && g->n_axes < MOST_GROUPS; i = study_view_varying(v, i))
        if (i != x_axis) g->axes[g->n_axes++] = i;
    for (long row = 0; row < v->rows; row++) {
        if (!v->used[row] || group_of(v, g, row) >= 0) continue;
        if (g->count == MOST_GROUPS) {
            *g = (grouping){.count = 1, .first = {row}};
            return;
        }
        g->first[g->count++] = row;
    }
}

/* "max:x, mu = 0.1, scheme = moreau, balls.h5", of which only the parts that differ between curves. */
static char *curve_name(const study_view *v, const grouping *g, int group, const char *column, bool with_column, const char *of) {
    char *name = mem_text(v->context, with_column ? column : ""), value[VALUE_TEXT];
    for (int i = 0; name && i < g->n_axes; i++) {
        const study_view_axis *axis = &v->axes[g->axes[i]];
        char *longer = mem_format(v->context, "%s%s%s = %s", name, *name ? ", " : "", axis->name,
                                  study_view_text(axis, axis->values[g->first[group]], value, sizeof value));
        mem_free(v->context, name);
        name = longer;
    }
    if (!name || !of) return name;
    char *longer = mem_format(v->context, "%s%s%s", name, *name ? ", " : "", of);
    mem_free(v->context, name);
    return longer;
}

/* ---- curves ---- */

static int compare_pairs(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* The points of a group, x then y; a curve goes from left to right. */
static zn_status add_group(study_view *v, const grouping *g, int group, const study_points *p, const double *x, char *name, bool sorted,
                           plot_curves *curves) {
    double *pairs = MEM_ARRAY(v->context, double, 2 * p->count), *block = MEM_ARRAY(v->context, double, 2 * p->count);
    long n = 0;
    for (long i = 0; pairs && i < p->count; i++)
        if (group_of(v, g, p->rows[i]) == group) pairs[2 * n] = x[p->rows[i]], pairs[2 * n++ + 1] = p->values[i];
    if (pairs && sorted) qsort(pairs, (size_t)n, 2 * sizeof *pairs, compare_pairs);
    for (long i = 0; pairs && block && i < n; i++) block[i] = pairs[2 * i], block[n + i] = pairs[2 * i + 1];
    mem_free(v->context, pairs);
    if (!block || !pairs) {
        mem_free(v->context, block);
        mem_free(v->context, name);
        return ZN_ERROR_MEMORY;
    }
    return plot_curves_add(v->context, curves, name, block, block + n, n, block);
}

zn_status plot_study_curves(study_view *v, const char *x, int n_names, const char *const *names, const char *of, plot_curves *curves,
                            bool *points) {
    int x_axis = study_view_axis_of(v, x), column;
    const double *values = NULL;
    grouping g;
    zn_status status = x_axis >= 0 ? ZN_OK : result_find(v->result, x, &column);
    if (status == ZN_OK && x_axis < 0) status = result_column(v->result, column, &values);
    if (status != ZN_OK) return status;
    if (x_axis >= 0) values = v->axes[x_axis].values;
    find_groups(v, x_axis, &g);
    bool all = g.n_axes == 0 && g.count == 1; /* runs that differ in more than x may be in one curve */
    *points = (all && x_axis >= 0 && study_view_varying(v, -1) >= 0 && v->axes[x_axis].n_distinct < v->rows) || x_axis < 0;
    for (int k = 0; k < n_names && status == ZN_OK; k++) {
        study_points p;
        status = study_view_points(v, names[k], &p);
        if (status == ZN_OK && p.events) *points = true;
        for (int group = 0; group < g.count && status == ZN_OK; group++) {
            bool several = n_names > 1 || (g.n_axes == 0 && !of);
            status = add_group(v, &g, group, &p, values, curve_name(v, &g, group, p.name, several, of), !p.events && x_axis >= 0, curves);
        }
        study_points_free(v->context, &p);
    }
    return status;
}

/* ---- default pictures ---- */

/* Values that ascend or repeat come from a list or a range; samples do neither. */
static bool is_sampled(const study_view *v, const study_view_axis *axis) {
    bool rises = true;
    for (long i = 1; i < v->rows; i++) rises = rises && axis->values[i] >= axis->values[i - 1];
    return !rises && axis->n_distinct > v->rows / 2;
}

/* Events, a map over two ranges, a curve over one, a histogram over samples: of what was kept first. */
zn_status plot_study_usual(study_view *v, plot_study_kind *kind, char **name) {
    const result_layout *layout = result_get_layout(v->result);
    const result_entries *e = layout->entries;
    int first = study_view_varying(v, -1), second = first >= 0 ? study_view_varying(v, first) : -1, column = v->n_axes;
    *kind = PLOT_STUDY_CURVES, *name = NULL;
    if (e && e->n_names > 0 && e->n_columns > 3) *name = mem_format(v->context, "%s.%s", e->names[0], e->columns[3]);
    else if (column < result_layout_width(layout)) {
        if (first >= 0 && is_sampled(v, &v->axes[first])) *kind = PLOT_STUDY_HISTOGRAM;
        else if (second >= 0) *kind = PLOT_STUDY_MAP;
        *name = mem_text(v->context, result_column_name(v->result, column));
    } else return fail(v->context, ZN_ERROR_FILE, "the study has kept nothing");
    return *name ? ZN_OK : ZN_ERROR_MEMORY;
}
