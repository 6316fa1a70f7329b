/* SPDX-License-Identifier: Apache-2.0 */
/* Curves and surfaces of a view, as points. */
#include "scene/view.h"

typedef struct sampled {
    expr formula[3];
    int n;
    double low[2], high[2];
} sampled;

/* range: [s, 0, 1], or two of them. Their names stand for variables 0 and 1 in the formulas. */
static bool read_range(scene_view *v, const scene_node *range, const char *item, expr_name *name, int variable, sampled *s) {
    scene_loader *loader = v->loader;
    const scene_node *nodes[3];
    const char *what = scene_format(loader, "range of the view of '%s'", item);
    if (!scene_want_list(loader, range, what, 3, 3, nodes)) return false;
    if (!expr_name_is_valid(nodes[0]->text) || scene_known_name(loader, nodes[0]->text, strlen(nodes[0]->text))) {
        scene_error(loader, nodes[0], "%s begins with a new name, as in [s, 0, 1]", what);
        return false;
    }
    *name = (expr_name){nodes[0]->text, expr_variable(loader->graph, variable)};
    if (!scene_want_number(loader, nodes[1], what, scene_any_number, &s->low[variable]) ||
        !scene_want_number(loader, nodes[2], what, scene_any_number, &s->high[variable]))
        return false;
    if (s->low[variable] < s->high[variable]) return true;
    scene_error(loader, range, "%s ends at %g, which is not after its start %g", what, s->high[variable], s->low[variable]);
    return false;
}

static bool read_formulas(scene_view *v, const scene_node *of, const char *item, int n_names, const expr_name *own, sampled *s) {
    scene_loader *loader = v->loader;
    const scene_node *nodes[3];
    s->n = scene_want_list(loader, of, scene_format(loader, "'of' of the view of '%s'", item), n_names == 2 ? 3 : 2, 3, nodes);
    if (!s->n) return false;
    expr_name *names = SCENE_NEW(loader->arena, expr_name, loader->n_values + n_names);
    if (!names) return false;
    memcpy(names, own, (size_t)n_names * sizeof *names);
    if (loader->n_values) memcpy(names + n_names, loader->values, (size_t)loader->n_values * sizeof *names);
    const expr_scope scope = {.count = loader->n_values + n_names, .names = names};
    for (int i = 0; i < s->n; i++)
        if (expr_parse(loader->graph, loader->context, &scope, scene_formula(loader, nodes[i]), &s->formula[i]) != ZN_OK) return false;
    return true;
}

/* Where a formula has no value there is a gap. */
static void put_point(scene_view *v, const sampled *s, const double *at, bool first) {
    double point[3];
    bool finite = true;
    for (int i = 0; i < s->n; i++) finite = isfinite(point[i] = expr_value(v->loader->graph, s->formula[i], at)) && finite;
    if (!first) buffer_put(&v->text, ", ");
    if (finite) buffer_numbers(&v->text, s->n, point);
    else buffer_put(&v->text, "null");
}

void view_put_curve(scene_view *v, const scene_node *of, const scene_node *range, const char *item) {
    sampled s = {0};
    expr_name name;
    if (!read_range(v, range, item, &name, 0, &s) || !read_formulas(v, of, item, 1, &name, &s)) return;
    if (s.n == 3) v->spatial = true;
    buffer_put(&v->text, ", \"points\": [");
    for (int i = 0; i < VIEW_CURVE_POINTS; i++) {
        const double at[2] = {s.low[0] + (s.high[0] - s.low[0]) * i / (VIEW_CURVE_POINTS - 1), 0};
        put_point(v, &s, at, i == 0);
    }
    buffer_put(&v->text, "]");
}

void view_put_surface(scene_view *v, const scene_node *of, const scene_node *range, const char *item) {
    sampled s = {0};
    expr_name names[2];
    if (range->count != 2) {
        scene_error(v->loader, range, "a surface has two ranges, as in [[r, 0, 1], [s, 0, 2*pi]]");
        return;
    }
    const scene_node *ranges[2] = {range->first->value, range->first->next->value};
    for (int i = 0; i < 2; i++)
        if (!read_range(v, ranges[i], item, &names[i], i, &s)) return;
    if (!read_formulas(v, of, item, 2, names, &s)) return;
    v->spatial = true;
    const int n = VIEW_SURFACE_LINES;
    buffer_put(&v->text, ", \"columns\": %d, \"points\": [", n);
    for (int i = 0; i < n * n; i++) {
        double at[2];
        for (int k = 0; k < 2; k++) at[k] = s.low[k] + (s.high[k] - s.low[k]) * (k ? i % n : i / n) / (n - 1);
        put_point(v, &s, at, i == 0);
    }
    buffer_put(&v->text, "]");
}
