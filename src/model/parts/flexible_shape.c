/* SPDX-License-Identifier: Apache-2.0 */
/* What the types of flexible bodies share: the curve at the start, material and cross section, shape functions, Gauss points. */
#include "model/parts/flexible.h"

/* ---- the curve ---- */

static bool finite3(const double *v) { return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]); }

/* Formulas of s, which is variable 0 of the builder's graph for numbers. */
static zn_status parse_curve(zn_parts *parts, const zn_flexible_def *def, flexible_curve *curve) {
    expr_graph *g = parts->numbers;
    expr_name *names = MEM_ARRAY(parts->context, expr_name, parts->n_parameters + 1);
    if (!names) return ZN_ERROR_MEMORY;
    names[0] = (expr_name){"s", expr_variable(g, 0)};
    for (size_t i = 0; i < parts->n_parameters; i++)
        names[i + 1] = (expr_name){parts->parameters[i].name, expr_constant(g, parts->parameters[i].value)};
    expr_scope scope = {.count = (int)parts->n_parameters + 1, .names = names};
    zn_status status = ZN_OK, one;
    for (int i = 0; i < 3; i++) {
        curve->r[i] = curve->r_s[i] = expr_constant(g, 0);
        if (!def->curve[i].text) continue;
        if ((one = expr_parse(g, parts->context, &scope, def->curve[i], &curve->r[i])) != ZN_OK) status = one;
        else curve->r_s[i] = expr_derivative(g, curve->r[i], 0);
    }
    mem_free(parts->context, names);
    return status;
}

zn_status flexible_curve_make(zn_parts *parts, const zn_flexible_def *def, flexible_curve *curve) {
    zn_context *context = parts->context;
    *curve = (flexible_curve){.parts = parts,
                              .from = vec3_from(def->from),
                              .to = vec3_from(def->to),
                              .curvature = def->curvature,
                              .by_formula = def->curve[0].text || def->curve[1].text || def->curve[2].text,
                              .velocity = vec3_from(def->velocity),
                              .omega = vec3_from(def->angular_velocity)};
    if (!finite3(def->from) || !finite3(def->to) || !isfinite(def->curvature) || !finite3(def->velocity) || !finite3(def->angular_velocity))
        return fail(context, ZN_ERROR_ARGUMENT, "the start of '%s' is not finite", def->name);
    double length = vec3_norm(vec3_sub(curve->to, curve->from));
    curve->left = (vec3){def->from[1] - def->to[1], def->to[0] - def->from[0], 0};
    if (curve->by_formula && (length > 0 || def->curvature != 0))
        return fail(context, ZN_ERROR_ARGUMENT, "'%s' has a curve; it cannot also have 'from', 'to' or 'curvature'", def->name);
    if (!curve->by_formula && !(length > 0))
        return fail(context, ZN_ERROR_ARGUMENT, "'%s' needs two different points 'from' and 'to', or a curve", def->name);
    zn_status status = curve->by_formula ? parse_curve(parts, def, curve) : ZN_OK;
    if (status != ZN_OK) return status;
    vec3 r_s;
    flexible_curve_at(curve, 0, &curve->origin, &r_s);
    enum { SAMPLES = 32 };
    for (int i = 0; i <= SAMPLES && curve->by_formula; i++) {
        vec3 r;
        flexible_curve_at(curve, (double)i / SAMPLES, &r, &r_s);
        if (!isfinite(vec3_norm(r)) || !isfinite(vec3_norm(r_s)) || !(vec3_norm(r_s) > 0))
            return fail(context, ZN_ERROR_ARGUMENT, "the curve of '%s' is not smooth at s = %g: r or dr/ds is zero or not finite",
                        def->name, (double)i / SAMPLES);
    }
    return ZN_OK;
}

/* An arc: the angle against the chord's direction e at its begin is kappa L s. */
void flexible_curve_at(const flexible_curve *c, double s, vec3 *r, vec3 *r_s) {
    if (c->by_formula) {
        double values[2][3];
        for (int i = 0; i < 3; i++) {
            values[0][i] = expr_value(c->parts->numbers, c->r[i], &s);
            values[1][i] = expr_value(c->parts->numbers, c->r_s[i], &s);
        }
        *r = vec3_from(values[0]), *r_s = vec3_from(values[1]);
        return;
    }
    vec3 along = vec3_sub(c->to, c->from);
    if (c->curvature == 0) {
        *r = vec3_add(c->from, vec3_scale(s, along)), *r_s = along;
        return;
    }
    double angle = c->curvature * vec3_norm(along) * s, full = c->curvature * vec3_norm(along);
    *r_s = vec3_add(vec3_scale(cos(angle), along), vec3_scale(sin(angle), c->left));
    *r = vec3_add(c->from, vec3_add(vec3_scale(sin(angle) / full, along), vec3_scale((1 - cos(angle)) / full, c->left)));
}

vec3 flexible_curve_velocity(const flexible_curve *c, vec3 r) {
    return vec3_add(c->velocity, vec3_cross(c->omega, vec3_sub(r, c->origin)));
}

/* ---- material ---- */

static zn_status product(zn_parts *parts, const zn_flexible_def *def, const char *what, double given, double modulus, double section,
                         const char *factors, double *out) {
    *out = given != 0 ? given : modulus * section;
    if (given != 0 && modulus != 0 && section != 0)
        return fail(parts->context, ZN_ERROR_ARGUMENT, "'%s' has %s and %s; give one of them", def->name, what, factors);
    if (!(*out > 0) || !isfinite(*out))
        return fail(parts->context, ZN_ERROR_ARGUMENT, "'%s' needs %s (positive), or %s", def->name, what, factors);
    return ZN_OK;
}

static zn_status check_numbers(zn_parts *parts, const zn_flexible_def *d) {
    const double numbers[] = {d->young,      d->shear,        d->density,   d->area,      d->shear_area[0], d->shear_area[1], d->inertia[0],
                              d->inertia[1], d->EA,           d->GA[0],     d->GA[1],     d->EI[0],         d->EI[1],         d->GJ,
                              d->torsion,    d->line_density, d->rotary[0], d->rotary[1], d->damping};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(numbers[i] >= 0) || !isfinite(numbers[i]))
            return fail(parts->context, ZN_ERROR_ARGUMENT,
                        "a number of the material or cross section of '%s' is negative or not finite (%g)", d->name, numbers[i]);
    if (!(d->poisson > -1 && d->poisson <= 0.5))
        return fail(parts->context, ZN_ERROR_ARGUMENT, "Poisson's ratio of '%s' is between -1 and 0.5, not %g", d->name, d->poisson);
    if (d->shear != 0 && d->poisson != 0)
        return fail(parts->context, ZN_ERROR_ARGUMENT, "'%s' has 'shear' and 'poisson'; give one of them", d->name);
    return ZN_OK;
}

zn_status flexible_material_make(zn_parts *parts, const zn_flexible_def *def, unsigned needs, flexible_material *m) {
    zn_flexible_def filled;
    zn_status status = flexible_cross_section(parts, def, &filled);
    const zn_flexible_def *d = &filled;
    *m = (flexible_material){.damping = d->damping};
    const double shear = d->shear != 0 ? d->shear : d->young / (2 * (1 + d->poisson));
    const double density = d->line_density != 0 && d->area != 0 && d->density == 0 ? d->line_density / d->area : d->density;
    const int directions = needs & FLEXIBLE_SPATIAL ? 2 : 1;
    if (status == ZN_OK) status = check_numbers(parts, d);
    if (status == ZN_OK) status = product(parts, d, "EA", d->EA, d->young, d->area, "young and area", &m->EA);
    if (status == ZN_OK)
        status = product(parts, d, "line_density", d->line_density, d->density, d->area, "density and area", &m->line_density);
    for (int i = 0; i < directions && status == ZN_OK; i++) {
        double area = d->shear_area[i] != 0 ? d->shear_area[i] : 5.0 / 6 * d->area;
        bool given = d->GA[i] != 0 && d->shear_area[i] == 0; /* then the area is only that of EA */
        if (needs & FLEXIBLE_NEEDS_GA)
            status =
                product(parts, d, "GA", d->GA[i], shear, given ? 0 : area, "young, poisson (or shear) and area (or shear_area)", &m->GA[i]);
        if (status == ZN_OK && (needs & FLEXIBLE_NEEDS_EI))
            status = product(parts, d, "EI", d->EI[i], d->young, d->inertia[i], "young and inertia (second moment of area)", &m->EI[i]);
        /* of a homogeneous section, when only stiffnesses are given: rho I = rho_A EI/EA */
        m->rotary[i] = d->rotary[i] != 0             ? d->rotary[i]
                       : density * d->inertia[i] > 0 ? density * d->inertia[i]
                                                     : m->line_density * m->EI[i] / m->EA;
    }
    if (status == ZN_OK && (needs & FLEXIBLE_SPATIAL))
        status = product(parts, d, "GJ", d->GJ, shear,
                         d->torsion != 0 ? d->torsion
                         : d->GJ != 0    ? 0
                                         : d->inertia[0] + d->inertia[1],
                         "young, poisson (or shear) and torsion (or inertia)", &m->GJ);
    return status;
}

/* ---- shape functions ---- */

void flexible_lagrange(int order, double xi, double *N, double *N_xi) {
    if (order == 1) {
        N[0] = (1 - xi) / 2, N[1] = (1 + xi) / 2;
        N_xi[0] = -0.5, N_xi[1] = 0.5;
        return;
    }
    N[0] = xi * (xi - 1) / 2, N[1] = 1 - xi * xi, N[2] = xi * (xi + 1) / 2;
    N_xi[0] = xi - 0.5, N_xi[1] = -2 * xi, N_xi[2] = xi + 0.5;
}

flexible_section flexible_lagrange_section(const zn_parts *parts, const parts_flexible *f, double s) {
    (void)parts;
    const double near = 1e-12; /* a section at a node is the node */
    double along = s * f->n_elements * f->order;
    int node = (int)floor(along + 0.5), element = (int)floor(s * f->n_elements);
    if (fabs(along - node) < near * (f->n_nodes + 1))
        return (flexible_section){.node = node, .n_carriers = 1, .n_numbers = 1, .carriers = {node}, .numbers = {1}};
    if (element >= f->n_elements) element = f->n_elements - 1;
    flexible_section section = {.node = -1, .n_carriers = f->order + 1, .n_numbers = f->order + 1};
    double N_xi[3];
    flexible_lagrange(f->order, 2 * (s * f->n_elements - element) - 1, section.numbers, N_xi);
    for (int i = 0; i <= f->order; i++) section.carriers[i] = element * f->order + i;
    return section;
}

/* Newton's method on Legendre's polynomials. */
void flexible_gauss(int n, double *x, double *w) {
    const double pi = acos(-1);
    for (int i = 0; i < n; i++) {
        double z = cos(pi * (i + 0.75) / (n + 0.5)), slope = 1;
        for (int iteration = 0; iteration < 100; iteration++) {
            double p = 1, before = 0;
            for (int k = 1; k <= n; k++) {
                double next = ((2 * k - 1) * z * p - (k - 1) * before) / k;
                before = p, p = next;
            }
            slope = n * (z * p - before) / (z * z - 1);
            double step = p / slope;
            z -= step;
            if (fabs(step) < 1e-16) break;
        }
        x[n - 1 - i] = z;
        w[n - 1 - i] = 2 / ((1 - z * z) * slope * slope);
    }
    if (n % 2) x[n / 2] = 0;
}
