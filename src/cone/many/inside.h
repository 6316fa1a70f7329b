/* SPDX-License-Identifier: Apache-2.0 */
/* What methods inside the cones share (interior.c has the equations): the problem over Lorentz cones, their algebra, and steps from the
 * factors at hand. */
#ifndef CONE_MANY_INSIDE_H
#define CONE_MANY_INSIDE_H

#include "cone/many/system.h"

#define NO_FRICTION 1e-9 /* mu below it: the tangential rows stay zero */

typedef double vec[CONTACT_ROWS_MOST];

struct interior {
    double *V, *p, *D, *E;             /* blocks of V, made symmetric; p; T^-2 by contacts */
    double *y, *z, *dy, *dz, *rho, *c; /* m each */
    double theta, eps;
};

bool inside_create(many_system *);                                                 /* s->interior; false: no memory */
void inside_enter(many_system *, struct interior *);                               /* V and p */
void inside_residual(many_system *, struct interior *);                            /* rho */
int inside_factor(many_system *, struct interior *);                               /* V + G T^-2 at (y, z); 0: it could be done */
void inside_solve(many_system *, const struct interior *, double *dy, double *dz); /* dy = (V + G T^-2)^-1 (dy + G c), dz = c - T^-2 dy */
double inside_longest_step(const many_system *, const struct interior *);          /* t <= 1 with y + t dy, z + t dz in L */
double inside_look(many_system *, const struct interior *);                        /* the residual of y as r, projected, which is offered */

static inline double lorentz(const many_system *s, int c) { return s->mu[c] > NO_FRICTION ? s->mu[c] : 1; }
static inline int rows_of(const many_system *s, int c) { return s->mu[c] > NO_FRICTION ? s->d : 1; }

/* |z_T|, blunted by eps. */
static inline double slip(const struct interior *f, const double *z, int n) {
    double size = many_norm(z, n);
    return f->eps > 0 && n > 0 ? sqrt(size * size + f->eps * f->eps) : size;
}

static inline double det(const double *x, int n) {
    double t = many_norm(x + 1, n - 1);
    return (x[0] - t) * (x[0] + t);
}

/* x o a = b for x. */
static inline void divide(const double *a, const double *b, int n, double *x) {
    x[0] = (a[0] * b[0] - many_dot(a + 1, b + 1, n - 1)) / det(a, n);
    for (int i = 1; i < n; i++) x[i] = (b[i] - x[0] * a[i]) / a[0];
}

/* w and b of T at (y, z). */
static inline double scaling(const double *y, const double *z, int n, double *w) {
    double dy = sqrt(det(y, n)), dz = sqrt(det(z, n)), g = sqrt((1 + many_dot(y, z, n) / (dy * dz)) / 2);
    for (int i = 0; i < n; i++) w[i] = (y[i] / dy + (i ? -1 : 1) * z[i] / dz) / (2 * g);
    return sqrt(dy / dz);
}

/* out = T x or (inverse) T^-1 x, with v = (w + e)/sqrt(2 (w_0 + 1)):  T = b (2 v v' - J),  T^-1 = (2 (J v)(J v)' - J)/b. */
static inline void apply(const double *w, double b, bool inverse, const double *x, int n, double *out) {
    vec v;
    double scale = 1 / sqrt(2 * (w[0] + 1)), along;
    for (int i = 0; i < n; i++) v[i] = (w[i] + (i == 0)) * scale * (inverse && i ? -1 : 1);
    along = 2 * many_dot(v, x, n);
    for (int i = 0; i < n; i++) out[i] = (along * v[i] + (i ? x[i] : -x[i])) * (inverse ? 1 / b : b);
}

#endif
