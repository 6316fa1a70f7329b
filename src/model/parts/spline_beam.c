/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a spline beam: control points of its undeformed shape, parameters of its elements, weights of its sections. */
#include "model/parts/spline.h"

/* ---- the undeformed shape ---- */

/* Interpolation at the points of Greville: row i has the functions of the element that point i lies in. The matrix is banded
 * and totally positive, so elimination needs no pivots. */
static void interpolate(int degree, int elements, double *band, double (*x)[2]) {
    int n = elements + degree, width = 2 * degree + 1;
    double N[3][SPLINE_MOST_FUNCTIONS];
    for (int i = 0; i < n; i++) {
        double xi = spline_greville(degree, elements, i);
        int element = spline_element(elements, xi);
        spline_functions(degree, elements, element, xi, N);
        for (int j = 0; j <= degree; j++) band[i * width + element + j - i + degree] = N[0][j];
    }
    for (int i = 0; i < n; i++)
        for (int row = i + 1; row < n && row <= i + degree; row++) {
            double factor = band[row * width + i - row + degree] / band[i * width + degree];
            for (int column = i; column < n && column <= i + degree; column++)
                band[row * width + column - row + degree] -= factor * band[i * width + column - i + degree];
            for (int axis = 0; axis < 2; axis++) x[row][axis] -= factor * x[i][axis];
        }
    for (int i = n; i-- > 0;)
        for (int axis = 0; axis < 2; axis++) {
            for (int j = i + 1; j < n && j <= i + degree; j++) x[i][axis] -= band[i * width + j - i + degree] * x[j][axis];
            x[i][axis] /= band[i * width + degree];
        }
}

static zn_status through_points(zn_context *context, int degree, int elements, double (*points)[2]) {
    double *band = MEM_ARRAY(context, double, (size_t)(elements + degree) * (size_t)(2 * degree + 1));
    if (!band) return ZN_ERROR_MEMORY;
    interpolate(degree, elements, band, points);
    mem_free(context, band);
    return ZN_OK;
}

/* Point, slope and second derivative by xi of the undeformed centre line. */
static void reference_curve(const spline_beam *beam, int element, double N[3][SPLINE_MOST_FUNCTIONS], double curve[3][2]) {
    for (int order = 0; order < 3; order++)
        for (int axis = 0; axis < 2; axis++) {
            curve[order][axis] = 0;
            for (int i = 0; i <= beam->degree; i++) curve[order][axis] += N[order][i] * beam->reference[element + i][axis];
        }
}

/* ---- elements ---- */

enum { VARIANT_POINTS = 8, VARIANT_DAMPED = VARIANT_POINTS * 16, VARIANT_RECORD = VARIANT_DAMPED * 2 };

static int variant_of(const spline_beam *beam, unsigned record) {
    return beam->degree + VARIANT_POINTS * beam->points + (beam->damping > 0 ? VARIANT_DAMPED : 0) + VARIANT_RECORD * (int)record;
}
int spline_variant_degree(int variant) { return variant % VARIANT_POINTS; }
int spline_variant_points(int variant) { return variant % VARIANT_DAMPED / VARIANT_POINTS; }
unsigned spline_variant_record(int variant) { return (unsigned)variant / VARIANT_RECORD; }
bool spline_variant_damped(int variant) { return variant & VARIANT_DAMPED; }

static int parameter_count(const spline_beam *beam) {
    int n = beam->degree + 1;
    return 3 + n * (n + 1) / 2 + n + 3 + beam->points * (2 + 2 * n);
}

/* Points of Gauss are in [-1, 1]. */
static double xi_of(const spline_beam *beam, int element, double point) { return (element + (1 + point) / 2) / beam->elements; }

/* m_ij = integral of rho N_i N_j, then the integrals of rho N_i, by a rule that is exact for straight beams. */
static double *put_mass(const spline_beam *beam, int element, double *next) {
    int n = beam->degree + 1, count = beam->points > n ? beam->points : n;
    double points[SPLINE_MOST_POINTS], weights[SPLINE_MOST_POINTS], N[3][SPLINE_MOST_FUNCTIONS], curve[3][2];
    double *m = next, *load = next + n * (n + 1) / 2;
    flexible_gauss(count, points, weights);
    for (int i = 0; i < n * (n + 1) / 2 + n; i++) next[i] = 0;
    for (int point = 0; point < count; point++) {
        spline_functions(beam->degree, beam->elements, element, xi_of(beam, element, points[point]), N);
        reference_curve(beam, element, N, curve);
        double share = beam->line_density * weights[point] / (2 * beam->elements) * hypot(curve[1][0], curve[1][1]);
        for (int i = 0, k = 0; i < n; i++) {
            for (int j = 0; j <= i; j++, k++) m[k] += share * N[0][i] * N[0][j];
            load[i] += share * N[0][i];
        }
    }
    return load + n;
}

/* w, kappa_0, a_i, b_i of a point of Gauss, G = ds/dxi there. */
static double *put_point(const spline_beam *beam, int element, double xi, double weight, double *next) {
    int n = beam->degree + 1;
    double N[3][SPLINE_MOST_FUNCTIONS], curve[3][2];
    spline_functions(beam->degree, beam->elements, element, xi, N);
    reference_curve(beam, element, N, curve);
    double G = hypot(curve[1][0], curve[1][1]);
    *next++ = weight / (2 * beam->elements) * G;
    *next++ = (curve[1][0] * curve[2][1] - curve[1][1] * curve[2][0]) / (G * G * G);
    for (int i = 0; i < n; i++) *next++ = N[1][i] / G;
    for (int i = 0; i < n; i++) *next++ = N[2][i] / (G * G);
    return next;
}

static void write_parameters(const spline_beam *beam, int element, double *parameters) {
    double points[SPLINE_MOST_POINTS], weights[SPLINE_MOST_POINTS], *next = parameters;
    vec3_store((vec3){0, 0, 0}, next);
    next = put_mass(beam, element, next + 3);
    *next++ = beam->EA, *next++ = beam->EI, *next++ = beam->damping;
    flexible_gauss(beam->points, points, weights);
    for (int i = 0; i < beam->points; i++) next = put_point(beam, element, xi_of(beam, element, points[i]), weights[i], next);
}

/* ---- the type ---- */

static zn_status check_gauss(zn_parts *parts, const zn_flexible_def *def, int degree, int points) {
    int n = def->elements;
    if (points < 1 || points > SPLINE_MOST_POINTS)
        return fail(parts->context, ZN_ERROR_ARGUMENT, "the spline beam '%s' can have 1 to %d Gauss points in an element, not %d",
                    def->name, SPLINE_MOST_POINTS, points);
    /* 2 strains at each point must see all 2 (n + p) - 3 ways to deform. */
    if (n * points < n + degree - 1)
        return fail(parts->context, ZN_ERROR_ARGUMENT,
                    "the spline beam '%s' could bend without strain energy: %d Gauss points in each of %d elements are too few for degree "
                    "%d; %d are enough",
                    def->name, points, n, degree, (2 * n + degree - 2) / n);
    return ZN_OK;
}

static zn_status add_nodes(zn_parts *parts, const zn_flexible_def *def, parts_flexible *flexible, double (*points)[2]) {
    flexible_curve curve;
    int degree = flexible->order, n = def->elements + degree;
    zn_status status = flexible_curve_make(parts, def, &curve);
    for (int i = 0; status == ZN_OK && i < n; i++) {
        vec3 r, r_s;
        flexible_curve_at(&curve, spline_greville(degree, def->elements, i), &r, &r_s);
        points[i][0] = r.x, points[i][1] = r.y;
    }
    bool straight = !curve.by_formula && curve.curvature == 0;
    if (status == ZN_OK && !straight) status = through_points(parts->context, degree, def->elements, points);
    for (int i = 0; status == ZN_OK && i < n; i++) {
        parts_body node = {.kind = BODY_PARTICLE_2D, .r = {points[i][0], points[i][1], 0}};
        node.v = flexible_curve_velocity(&curve, node.r); /* linear in r: the control points of the velocity */
        status = flexible_add_node(parts, flexible, &node);
    }
    return status;
}

static zn_status add_elements(zn_parts *parts, const spline_beam *beam, parts_flexible *flexible) {
    static const char *const forces[] = {"N", "M"}, *const strains[] = {"strain", "curvature"};
    parts_piece shape = {.express = spline_express_element,
                         .variant = variant_of(beam, flexible->record),
                         .n_bodies = beam->degree + 1,
                         .n_parameters = parameter_count(beam),
                         .n_outputs = flexible_output_count(flexible, beam->points, 2),
                         .gravity = 1};
    zn_status status = ZN_OK;
    for (int e = 0; status == ZN_OK && e < beam->elements; e++) {
        int nodes[SPLINE_MOST_FUNCTIONS];
        for (int i = 0; i <= beam->degree; i++) nodes[i] = e + i;
        parts_piece *piece = flexible_add_element(parts, flexible, &shape, nodes);
        if (!piece) return parts_last_status(parts);
        write_parameters(beam, e, piece->parameters);
        status = flexible_name_outputs(parts, flexible, piece, beam->points, 2, forces, strains);
    }
    return status;
}

static zn_status make(zn_parts *parts, const zn_flexible_def *def, parts_flexible *flexible) {
    int degree = flexible->order;
    spline_beam beam = {.degree = degree, .elements = def->elements, .points = def->gauss ? def->gauss : degree};
    flexible_material material;
    zn_status status = check_gauss(parts, def, degree, beam.points);
    if (status == ZN_OK) status = flexible_material_make(parts, def, FLEXIBLE_NEEDS_EI, &material);
    if (status != ZN_OK) return status;
    beam.EA = material.EA, beam.EI = material.EI[0], beam.line_density = material.line_density;
    beam.damping = material.damping;
    double(*points)[2] = mem_array(parts->context, (size_t)(def->elements + degree), sizeof *points);
    if (!points) return ZN_ERROR_MEMORY;
    beam.reference = (const double(*)[2])points;
    status = add_nodes(parts, def, flexible, points);
    if (status == ZN_OK) status = add_elements(parts, &beam, flexible);
    mem_free(parts->context, points);
    return status;
}

static flexible_section section_at(const zn_parts *parts, const parts_flexible *flexible, double s) {
    int degree = flexible->order, n = degree + 1, element = spline_element(flexible->n_elements, s);
    double N[3][SPLINE_MOST_FUNCTIONS], x = 0, y = 0;
    flexible_section section = {.node = -1, .n_carriers = n, .n_numbers = 2 * n + 1};
    spline_functions(degree, flexible->n_elements, element, s, N);
    for (int i = 0; i < n; i++) {
        const parts_body *node = &parts->bodies[flexible->first_node + element + i];
        section.carriers[i] = element + i;
        section.numbers[i] = N[0][i], section.numbers[n + i] = N[1][i];
        x += N[1][i] * node->r.x, y += N[1][i] * node->r.y;
    }
    section.numbers[2 * n] = atan2(y, x);
    return section;
}

const flexible_type flexible_spline = {.what = "spline beam",
                                       .element = "spline beam element",
                                       .least_order = SPLINE_LEAST_DEGREE,
                                       .most_order = SPLINE_MOST_DEGREE,
                                       .default_order = 3,
                                       .planar = true,
                                       .section = BODY_SECTION_SPLINE,
                                       .make = make,
                                       .at = section_at};
