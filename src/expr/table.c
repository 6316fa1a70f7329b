/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: functions through given points, as polynomials between them,
 *
 *   p_i(s) = c_0 + c_1 s + c_2 s^2 + c_3 s^3,   s = x - x_i,   x_i <= x < x_(i+1).
 *
 * linear   straight lines
 * cubic    the spline with continuous second derivatives, and at the ends third ones across the points beside them (not-a-knot), so that a
 * cubic
 *          is met exactly; periodic ones have derivatives that fit together. With the slopes m_i at the points and d_i = (y_(i+1) -
 * y_i)/h_i
 *
 *              h_i m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_(i-1) m_(i+1) = 3 (h_i d_(i-1) + h_(i-1) d_i)
 *
 * Outside its points a table keeps its first or last value; a periodic table repeats itself. */
#include "expr/table.h"

/* ---- slopes ---- */

/* Rows low_i m_(i-1) + middle_i m_i + high_i m_(i+1) = m_i, solved in place from above: pivots stay positive (see open_rows). */
typedef struct band {
    double *low, *middle, *high, *m;
} band;

static void solve(int n, const band *r) {
    for (int i = 1; i < n; i++) {
        double factor = r->low[i] / r->middle[i - 1];
        r->middle[i] -= factor * r->high[i - 1];
        r->m[i] -= factor * r->m[i - 1];
    }
    r->m[n - 1] /= r->middle[n - 1];
    for (int i = n - 2; i >= 0; i--) r->m[i] = (r->m[i] - r->high[i] * r->m[i + 1]) / r->middle[i];
}

static void inner_row(const band *r, int i, double before, double after, double d_before, double d_after) {
    r->low[i] = after;
    r->middle[i] = 2 * (before + after);
    r->high[i] = before;
    r->m[i] = 3 * (after * d_before + before * d_after);
}

/* An end with the intervals h0 and h1 beside it: h1 m_0 + (h0 + h1) m_1 = ((3 h0 + 2 h1) h1 d0 + h0^2 d1)/(h0 + h1). The row after it then
 * has the pivot h0 + h1, and all others are diagonally dominant. */
static double end_value(double h0, double h1, double d0, double d1) { return ((3 * h0 + 2 * h1) * h1 * d0 + h0 * h0 * d1) / (h0 + h1); }

static void open_slopes(int n, const double *h, const double *d, const band *r) {
    if (n == 2) {
        r->m[0] = r->m[1] = d[0];
        return;
    }
    if (n == 3) { /* a parabola */
        r->m[1] = (h[1] * d[0] + h[0] * d[1]) / (h[0] + h[1]);
        r->m[0] = 2 * d[0] - r->m[1];
        r->m[2] = 2 * d[1] - r->m[1];
        return;
    }
    int e = n - 1;
    for (int i = 1; i < e; i++) inner_row(r, i, h[i - 1], h[i], d[i - 1], d[i]);
    r->middle[0] = h[1], r->high[0] = h[0] + h[1], r->m[0] = end_value(h[0], h[1], d[0], d[1]);
    r->middle[e] = h[e - 2], r->low[e] = h[e - 1] + h[e - 2], r->m[e] = end_value(h[e - 1], h[e - 2], d[e - 1], d[e - 2]);
    solve(n, r);
}

/* All points but the last, in a ring. The corners are a product v w' of rank one, which is added after a second solve (Sherman and
 * Morrison). */
static void ring_slopes(int n, const double *h, const double *d, const band *r, double *second) {
    int e = n - 1;
    if (e == 1) {
        r->m[0] = 0;     /* two points of equal value */
    } else if (e == 2) { /* m_0 and m_1 are neighbours on both sides */
        double a = 2 * (h[0] + h[1]), b = h[0] + h[1], y = 3 * (h[0] * d[1] + h[1] * d[0]);
        r->m[0] = r->m[1] = y / (a + b);
    } else {
        for (int i = 0; i < e; i++) inner_row(r, i, h[(i + e - 1) % e], h[i], d[(i + e - 1) % e], d[i]);
        double corner = r->low[0], other = r->high[e - 1], shift = -r->middle[0];
        r->middle[0] -= shift, r->middle[e - 1] -= corner * other / shift;
        memset(second, 0, (size_t)e * sizeof *second);
        second[0] = shift, second[e - 1] = other;
        band again = {r->low, r->middle + n, r->high, second};
        memcpy(again.middle, r->middle, (size_t)e * sizeof *second);
        solve(e, r);
        solve(e, &again);
        double factor = (r->m[0] + corner / shift * r->m[e - 1]) / (1 + second[0] + corner / shift * second[e - 1]);
        for (int i = 0; i < e; i++) r->m[i] -= factor * second[i];
    }
    r->m[e] = r->m[0];
}

static zn_status make_cubic(zn_context *context, expr_table *t, const double *y) {
    int n = t->n;
    double *h = MEM_ARRAY(context, double, 8 * (size_t)n), *d = h + n;
    if (!h) return ZN_ERROR_MEMORY;
    const band rows = {h + 2 * n, h + 5 * n, h + 3 * n, h + 4 * n};
    for (int i = 0; i < n - 1; i++) h[i] = t->x[i + 1] - t->x[i], d[i] = (y[i + 1] - y[i]) / h[i];
    if (t->periodic) ring_slopes(n, h, d, &rows, h + 7 * n);
    else open_slopes(n, h, d, &rows);
    for (int i = 0; i < n - 1; i++) {
        double *c = t->c + 4 * i, m = rows.m[i], next = rows.m[i + 1];
        c[0] = y[i], c[1] = m;
        c[2] = (3 * d[i] - 2 * m - next) / h[i];
        c[3] = (m + next - 2 * d[i]) / (h[i] * h[i]);
    }
    mem_free(context, h);
    return ZN_OK;
}

/* ---- tables ---- */

static zn_status check(zn_context *context, const expr_table_def *def) {
    if (def->n < 2) return fail(context, ZN_ERROR_ARGUMENT, "a table needs at least two points, not %d", def->n);
    if (def->n > EXPR_TABLE_MOST)
        return fail(context, ZN_ERROR_ARGUMENT, "%d points are too many for a table (at most %d)", def->n, EXPR_TABLE_MOST);
    for (int i = 0; i < def->n; i++) {
        if (!isfinite(def->x[i]) || !isfinite(def->y[i]))
            return fail(context, ZN_ERROR_ARGUMENT, "point %d of a table is not finite", i + 1);
        if (i > 0 && !(def->x[i] > def->x[i - 1]))
            return fail(context, ZN_ERROR_ARGUMENT, "points of a table must ascend, but %g of point %d follows %g", def->x[i], i + 1,
                        def->x[i - 1]);
    }
    if (def->periodic && def->y[def->n - 1] != def->y[0])
        return fail(context, ZN_ERROR_ARGUMENT, "the last value of a periodic table, %g, must be its first, %g", def->y[def->n - 1],
                    def->y[0]);
    return ZN_OK;
}

zn_status expr_table_create(zn_context *context, const expr_table_def *def, expr_table **out) {
    *out = NULL;
    zn_status status = check(context, def);
    if (status != ZN_OK) return status;
    size_t n = (size_t)def->n;
    expr_table *t = MEM_ARRAY(context, expr_table, 1);
    if (!t) return ZN_ERROR_MEMORY;
    *t = (expr_table){.references = 1, .n = def->n, .periodic = def->periodic, .degree = def->cubic ? 3 : 1};
    t->x = MEM_ARRAY(context, double, n), t->c = MEM_ARRAY(context, double, 4 * n);
    if (!t->x || !t->c) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        memcpy(t->x, def->x, n * sizeof *t->x);
        t->last = def->y[n - 1];
        if (def->cubic) status = make_cubic(context, t, def->y);
        for (size_t i = 0; !def->cubic && i + 1 < n; i++)
            t->c[4 * i] = def->y[i], t->c[4 * i + 1] = (def->y[i + 1] - def->y[i]) / (def->x[i + 1] - def->x[i]);
    }
    if (status == ZN_OK) *out = t;
    else expr_table_release(context, t);
    return status;
}

expr_table *expr_table_keep(expr_table *t) {
    t->references++;
    return t;
}

void expr_table_release(zn_context *context, expr_table *t) {
    if (!t || --t->references > 0) return;
    mem_free(context, t->x);
    mem_free(context, t->c);
    mem_free(context, t);
}

static double interval(const expr_table *t, double x) {
    int low = -1, high = t->n;
    double periods = t->periodic ? floor((x - t->x[0]) / (t->x[t->n - 1] - t->x[0])) : 0;
    if (t->periodic) x -= (t->x[t->n - 1] - t->x[0]) * periods;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x < t->x[middle]) high = middle;
        else low = middle;
    }
    return low + periods * (t->n - 1);
}

double expr_table_value(const expr_table *t, int order, double x) {
    int low = 0, high = t->n - 1;
    if (isnan(x)) return x;
    if (order == EXPR_TABLE_INTERVAL) return interval(t, x);
    if (t->periodic) {
        double period = t->x[high] - t->x[0];
        x -= period * floor((x - t->x[0]) / period);
        if (!isfinite(x)) return NAN;
    } else if (x < t->x[0]) return order == 0 ? t->c[0] : 0;
    if (!t->periodic && x >= t->x[high]) { /* at the end the last piece has the derivatives */
        if (x > t->x[high] || order == 0) return order == 0 ? t->last : 0;
    }
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x < t->x[middle]) high = middle;
        else low = middle;
    }
    const double *c = t->c + 4 * low, s = x - t->x[low];
    switch (order) {
    case 0: return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
    case 1: return c[1] + s * (2 * c[2] + 3 * s * c[3]);
    case 2: return 2 * c[2] + 6 * s * c[3];
    case 3: return 6 * c[3];
    default: return 0;
    }
}
