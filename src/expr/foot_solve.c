/* SPDX-License-Identifier: Apache-2.0 */
/* The point P of f = 0 nearest to p, by Newton's method from p. With g = grad f, H its derivative, n = g/|g|:
 *
 *     f(P) = 0,   r = (I - n n')(p - P) = 0
 *
 * A step is -e n + s, e = f/|g|, and s tangential with s + mu Q H s = r + mu e Q H n,  mu = n.(p - P)/|g|,  Q = I - n n'.
 * Where the left side is not clearly positive (beyond the centre of curvature) s = r leads downhill. Steps that do not bring
 * the point nearer to a solution are halved.
 *
 * Of a point that is far from a sharply curved place this may lead nowhere. Outside of a surface that is convex
 *
 *     P + t g(P) = p
 *
 * has one solution P for each t >= 0, and f(P) falls from f(p) > 0 as t grows: df/dt = -g' (I + t H)^-1 g. Newton's method for t, from 0,
 * finds its zero; where f is quadratic f(P) is convex in t, and no step goes too far. */
#include "expr/foot.h"

enum { MOST_STEPS = 80, MOST_HALVINGS = 6 };
static const double ENOUGH = 1e-15;   /* error relative to the size of the points */
static const double ROUNDOFF = 1e-11; /* below this an error that does not shrink is round-off */
static const double CURVED = 0.05;    /* least 1 + curvature times distance that is trusted */

typedef struct foot_place {
    double P[3], n[3], H[3][3], r[3];
    double slope, e, distance, error;
} foot_place;

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* variables: the point, then the parameters. */
static void look(const expr_tape *tape, double *registers, int dim, const double *p, double *variables, foot_place *at) {
    double values[EXPR_SURFACE_OUTPUTS];
    memcpy(variables, at->P, sizeof at->P);
    expr_tape_run(tape, registers, variables, 1, (double *const[]){values});
    const double *g = values + 1, *h = values + 4;
    const double H[3][3] = {{h[0], h[1], h[2]}, {h[1], h[3], h[4]}, {h[2], h[4], h[5]}};
    memcpy(at->H, H, sizeof H);
    at->slope = dim == 2 ? hypot(g[0], g[1]) : sqrt(dot(g, g));
    at->e = values[0] / at->slope;
    double w[3];
    for (int i = 0; i < 3; i++) at->n[i] = g[i] / at->slope, w[i] = p[i] - at->P[i];
    at->distance = dot(at->n, w);
    for (int i = 0; i < 3; i++) at->r[i] = w[i] - at->distance * at->n[i];
    at->error = sqrt(at->e * at->e + dot(at->r, at->r));
}

/* a := H a without its normal part. */
static void curve(const foot_place *at, const double *a, double *out) {
    for (int i = 0; i < 3; i++) out[i] = dot(at->H[i], a);
    double along = dot(out, at->n);
    for (int i = 0; i < 3; i++) out[i] -= along * at->n[i];
}

/* (I + A) s = b in the tangent plane: s = ((1 + tr A) b - A b)/(1 + tr A + det A). In the plane A has one direction, det A = 0. */
static void step_from(const foot_place *at, int dim, double *step) {
    double mu = at->distance / at->slope, Hn[3], bent[3], b[3], Ab[3], H2 = 0, trace = 0;
    for (int i = 0; i < 3; i++) Hn[i] = dot(at->H[i], at->n);
    curve(at, at->n, bent);
    for (int i = 0; i < 3; i++) b[i] = at->r[i] + mu * at->e * bent[i];
    curve(at, b, Ab);
    double nHn = dot(at->n, Hn);
    for (int i = 0; i < 3; i++) trace += at->H[i][i], H2 += dot(at->H[i], at->H[i]);
    trace = mu * (trace - nHn);
    double squares = mu * mu * (H2 - 2 * dot(Hn, Hn) + nHn * nHn), det = dim == 2 ? 0 : (trace * trace - squares) / 2;
    bool trusted = 1 + trace + det > CURVED && (dim == 2 || 1 + trace / 2 > CURVED);
    for (int i = 0; i < 3; i++) {
        double s = trusted ? (dim == 2 ? b[i] : (1 + trace) * b[i] - mu * Ab[i]) / (1 + trace + det) : b[i];
        step[i] = s - at->e * at->n[i];
    }
}

typedef struct foot_surface {
    const expr_tape *tape;
    double *registers, *variables;
    int dim;
} foot_surface;

/* From at->P, which is a start. */
static bool newton(const foot_surface *s, const double *p, foot_place *at) {
    foot_place next;
    look(s->tape, s->registers, s->dim, p, s->variables, at);
    for (int it = 0; it < MOST_STEPS && isfinite(at->error); it++) {
        double size = sqrt(dot(p, p)) + sqrt(dot(at->P, at->P)), step[3];
        if (at->error <= ENOUGH * size || at->error == 0) return true;
        step_from(at, s->dim, step);
        double share = 1;
        for (int half = 0; half <= MOST_HALVINGS; half++, share /= 2) {
            for (int i = 0; i < 3; i++) next.P[i] = at->P[i] + share * step[i];
            look(s->tape, s->registers, s->dim, p, s->variables, &next);
            if (next.error < at->error) break;
        }
        if (at->error <= ROUNDOFF * size && !(next.error < at->error)) return true;
        *at = next;
    }
    return false;
}

/* (I + t H) x = b by Cramer's rule. */
static void solve(const foot_place *at, double t, const double *b, double *x) {
    double A[3][3], C[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A[i][j] = t * at->H[i][j] + (i == j);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = (i + 1) % 3, l = (i + 2) % 3, m = (j + 1) % 3, n = (j + 2) % 3;
            C[i][j] = A[k][m] * A[l][n] - A[k][n] * A[l][m];
        }
    double det = dot(A[0], C[0]);
    for (int i = 0; i < 3; i++) x[i] = (C[0][i] * b[0] + C[1][i] * b[1] + C[2][i] * b[2]) / det;
}

/* P + t g(P) = p, from at->P. */
static bool point_at(const foot_surface *s, const double *p, double t, foot_place *at) {
    double left = INFINITY;
    for (int it = 0; it < MOST_STEPS; it++) {
        double r[3], step[3];
        look(s->tape, s->registers, s->dim, p, s->variables, at);
        for (int i = 0; i < 3; i++) r[i] = p[i] - at->P[i] - t * at->slope * at->n[i];
        double before = left, size = sqrt(dot(p, p)) + sqrt(dot(at->P, at->P));
        left = sqrt(dot(r, r));
        if (!isfinite(left)) return false;
        if (left <= ENOUGH * size || (left <= ROUNDOFF * size && !(left < before))) return true;
        solve(at, t, r, step);
        for (int i = 0; i < 3; i++) at->P[i] += step[i];
    }
    return false;
}

static bool from_outside(const foot_surface *s, const double *p, foot_place *at) {
    double t = 0;
    memcpy(at->P, p, sizeof at->P);
    for (int it = 0; it < MOST_STEPS; it++) {
        double g[3], x[3];
        if (!point_at(s, p, t, at)) return false;
        if (fabs(at->e) <= ROUNDOFF * (sqrt(dot(p, p)) + sqrt(dot(at->P, at->P)))) return true;
        if (it == 0 && !(at->e > 0)) return false;
        for (int i = 0; i < 3; i++) g[i] = at->slope * at->n[i];
        solve(at, t, g, x);
        t += at->e * at->slope / dot(g, x);
        if (!(t > 0)) return false;
    }
    return false;
}

void expr_foot_solve(const expr_tape *tape, double *registers, int dim, const double *p, int n_parameters, const double *parameters,
                     double *out) {
    double variables[3 + EXPR_SURFACE_PARAMETERS];
    if (n_parameters) memcpy(variables + 3, parameters, (size_t)n_parameters * sizeof *variables);
    const foot_surface s = {tape, registers, variables, dim};
    const double point[3] = {p[0], p[1], dim == 2 ? 0 : p[2]};
    foot_place at = {.P = {point[0], point[1], point[2]}};
    bool good = newton(&s, point, &at) || from_outside(&s, point, &at);
    for (int i = 0; i < 3; i++) out[i] = good ? at.P[i] : NAN;
    out[3] = good ? at.distance : NAN;
}
