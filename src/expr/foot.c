/* SPDX-License-Identifier: Apache-2.0 */
/* The point P of a curve or surface f = 0 nearest to a point p, and the distance d, as nodes of a graph. A foot node has the
 * operands p and the value P_x; its parts (P_y, P_z, d) have it as operand. Derivatives, exact by the implicit function theorem,
 * with g = grad f(P), n = g/|g|, H the second derivatives, Q = I - n n':
 *
 *     d' = n.p'
 *     P' = t (t.p')/(1 + kappa d),  kappa = t.H t/|g|, t the tangent                         in the plane
 *     P' = ((1 + tr A) Q p' - A Q p')/(1 + tr A + det A),  A = d/|g| Q H Q                   in space                          */
#include "expr/foot.h"

static expr add(expr_graph *graph, expr a, expr b) { return expr_binary(graph, EXPR_ADD, a, b); }
static expr sub(expr_graph *graph, expr a, expr b) { return expr_binary(graph, EXPR_SUB, a, b); }
static expr mul(expr_graph *graph, expr a, expr b) { return expr_binary(graph, EXPR_MUL, a, b); }
static expr quotient(expr_graph *graph, expr a, expr b) { return expr_binary(graph, EXPR_DIV, a, b); }
static expr dot(expr_graph *graph, const expr *a, const expr *b) {
    return add(graph, add(graph, mul(graph, a[0], b[0]), mul(graph, a[1], b[1])), mul(graph, a[2], b[2]));
}

static const int SECOND[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

int expr_surface(expr_graph *graph, expr f, int first, int dim, int parameters, int n_parameters) {
    if (f < 0 || n_parameters > EXPR_SURFACE_PARAMETERS ||
        !mem_grow(graph->context, (void **)&graph->surfaces, &graph->surface_capacity, graph->n_surfaces + 1, sizeof(expr_surface_node)))
        return -1;
    expr_surface_node s = {.f = f, .first = first, .dim = dim, .parameters = parameters, .n_parameters = n_parameters};
    expr zero = expr_constant(graph, 0);
    bool good = zero >= 0;
    for (int i = 0; i < 3; i++) {
        s.g[i] = i < dim ? expr_derivative(graph, f, first + i) : zero;
        for (int j = i; j < 3; j++) {
            s.H[SECOND[i][j]] = j < dim ? expr_derivative(graph, s.g[i], first + j) : zero;
            good = good && s.H[SECOND[i][j]] >= 0;
        }
        good = good && s.g[i] >= 0;
    }
    if (!good) return -1;
    graph->surfaces[graph->n_surfaces] = s;
    return (int)graph->n_surfaces++;
}

expr_tape *expr_surface_compile(expr_graph *graph, zn_context *context, int surface) {
    const expr_surface_node s = graph->surfaces[surface];
    expr outputs[EXPR_SURFACE_OUTPUTS], from[EXPR_SURFACE_OUTPUTS];
    const int last = s.first + 3, after = s.parameters + s.n_parameters, count = last > after ? last : after;
    expr *by = MEM_ARRAY(context, expr, count);
    if (!by) return NULL;
    from[0] = s.f;
    memcpy(from + 1, s.g, sizeof s.g);
    memcpy(from + 4, s.H, sizeof s.H);
    for (int i = 0; i < count; i++) by[i] = expr_variable(graph, i);
    for (int i = 0; i < s.n_parameters; i++) by[s.parameters + i] = expr_variable(graph, 3 + i);
    for (int i = 0; i < 3; i++) by[s.first + i] = expr_variable(graph, i);
    for (int i = 0; i < EXPR_SURFACE_OUTPUTS; i++) outputs[i] = expr_substitute(graph, from[i], 0, count, by);
    mem_free(context, by);
    return expr_compile(graph, context, 3 + s.n_parameters, 1, &(expr_section){EXPR_SURFACE_OUTPUTS, outputs});
}

static expr part(expr_graph *graph, expr foot, int component) {
    if (foot < 0) return EXPR_NONE;
    return component == 0 ? foot : expr_intern_value(graph, EXPR_FOOT_PART, foot, EXPR_NONE, EXPR_NONE, component);
}

expr_nearest expr_nearest_point(expr_graph *graph, int surface, const expr *p) {
    const expr_nearest none = {{EXPR_NONE, EXPR_NONE, EXPR_NONE}, {EXPR_NONE, EXPR_NONE, EXPR_NONE}, EXPR_NONE};
    expr_nearest out = none;
    if (surface < 0 || !mem_grow(graph->context, (void **)&graph->feet, &graph->foot_capacity, graph->n_feet + 1, sizeof(expr_foot_node)))
        return out;
    const expr_surface_node s = graph->surfaces[surface];
    expr zero = expr_constant(graph, 0);
    expr_foot_node f = {.surface = surface, .p = {p[0], p[1], s.dim == 2 ? zero : p[2]}};
    size_t index = 0;
    while (index < graph->n_feet && (graph->feet[index].surface != surface || memcmp(graph->feet[index].p, f.p, sizeof f.p) != 0)) index++;
    expr node = expr_intern_value(graph, EXPR_FOOT, f.p[0], f.p[1], f.p[2], (double)index);
    for (int i = 0; i < 3; i++) out.point[i] = i < s.dim ? part(graph, node, i) : zero;
    out.distance = part(graph, node, 3);
    if (out.distance < 0 || out.point[1] < 0 || out.point[2] < 0) return none;
    bool good = true;
    for (int i = 0; i < 3; i++) good = (f.g[i] = expr_substitute(graph, s.g[i], s.first, 3, out.point)) >= 0 && good;
    for (int i = 0; i < 6; i++) good = (f.H[i] = expr_substitute(graph, s.H[i], s.first, 3, out.point)) >= 0 && good;
    memcpy(out.gradient, f.g, sizeof f.g);
    if (!good) return none;
    if (index == graph->n_feet) graph->feet[graph->n_feet++] = f;
    return out;
}

/* P' in the plane: t = (-g_y, g_x)/|g|. */
static expr planar(expr_graph *graph, const expr_foot_node *f, expr distance, int component, const expr *dp) {
    expr g2 = add(graph, mul(graph, f->g[0], f->g[0]), mul(graph, f->g[1], f->g[1])),
         t[2] = {expr_unary(graph, EXPR_NEG, f->g[1]), f->g[0]};
    expr tHt = add(graph, mul(graph, mul(graph, t[0], t[0]), f->H[0]),
                   add(graph, mul(graph, mul(graph, expr_constant(graph, 2), mul(graph, t[0], t[1])), f->H[1]),
                       mul(graph, mul(graph, t[1], t[1]), f->H[3])));
    expr along = add(graph, mul(graph, t[0], dp[0]), mul(graph, t[1], dp[1]));
    expr bend = quotient(graph, mul(graph, distance, tHt), expr_unary(graph, EXPR_SQRT, g2)); /* kappa d g2 */
    return quotient(graph, mul(graph, t[component], along), add(graph, g2, bend));
}

static expr spatial(expr_graph *graph, const expr_foot_node *f, expr distance, int component, const expr *dp) {
    expr size = expr_unary(graph, EXPR_SQRT, dot(graph, f->g, f->g)), factor = quotient(graph, distance, size),
         one = expr_constant(graph, 1);
    expr n[3], H[3][3], Hn[3], v[3], Hv[3], trace = expr_constant(graph, 0), squares = trace;
    for (int i = 0; i < 3; i++) {
        n[i] = quotient(graph, f->g[i], size);
        for (int j = 0; j < 3; j++) H[i][j] = mul(graph, factor, f->H[SECOND[i][j]]);
    }
    expr along = dot(graph, n, dp);
    for (int i = 0; i < 3; i++) v[i] = sub(graph, dp[i], mul(graph, along, n[i]));
    for (int i = 0; i < 3; i++) {
        Hn[i] = dot(graph, H[i], n);
        Hv[i] = dot(graph, H[i], v);
        trace = add(graph, trace, H[i][i]);
        squares = add(graph, squares, dot(graph, H[i], H[i]));
    }
    expr nHn = dot(graph, n, Hn), nHv = dot(graph, n, Hv);
    trace = sub(graph, trace, nHn);
    squares = add(graph, sub(graph, squares, mul(graph, expr_constant(graph, 2), dot(graph, Hn, Hn))), mul(graph, nHn, nHn));
    expr det = mul(graph, expr_constant(graph, 0.5), sub(graph, mul(graph, trace, trace), squares)), whole = add(graph, one, trace);
    expr Av = sub(graph, Hv[component], mul(graph, nHv, n[component]));
    return quotient(graph, sub(graph, mul(graph, whole, v[component]), Av), add(graph, whole, det));
}

expr expr_foot_derivative(expr_graph *graph, expr foot, int component, const expr *dp) {
    const expr_foot_node f = graph->feet[(size_t)graph->nodes[foot].value];
    if (component == 3) {
        int dim = graph->surfaces[f.surface].dim;
        expr square = dim == 2 ? add(graph, mul(graph, f.g[0], f.g[0]), mul(graph, f.g[1], f.g[1])) : dot(graph, f.g, f.g);
        return quotient(graph, dot(graph, f.g, dp), expr_unary(graph, EXPR_SQRT, square));
    }
    expr distance = part(graph, foot, 3);
    return graph->surfaces[f.surface].dim == 2 ? planar(graph, &f, distance, component, dp) : spatial(graph, &f, distance, component, dp);
}

/* Looks at values of nodes that lie in graph->values, so it must not make nodes while they are in use: the tape is kept. */
double expr_foot_value(expr_graph *graph, const expr_node *foot, int component, const double *values, const double *variables) {
    expr_surface_node *s = &graph->surfaces[graph->feet[(size_t)foot->value].surface];
    const double p[3] = {values[foot->a], values[foot->b], values[foot->c]};
    double out[4] = {NAN, NAN, NAN, NAN};
    double *registers = s->tape ? MEM_ARRAY(graph->context, double, expr_tape_registers(s->tape)) : NULL;
    if (registers) expr_foot_solve(s->tape, registers, s->dim, p, s->n_parameters, variables + s->parameters, out);
    mem_free(graph->context, registers);
    return out[component];
}
