/* SPDX-License-Identifier: Apache-2.0 */
/* Rods among the flexible bodies: nodes and elements along the curve at the start. rod.h has the equations.
 *
 * Frames of the nodes: x along the curve; y begins as the part of `direction` across the curve, is carried along without
 * turning about the tangent (by the shortest rotation from tangent to tangent, in small steps), and is turned by the twist. */
#include "model/parts/rod.h"

/* ---- frames ---- */

/* The shortest rotation that takes the unit vector a to b; a = -b has none. */
static quat shortest_rotation(vec3 a, vec3 b) {
    vec3 axis = vec3_cross(a, b);
    return quat_normalised((quat){{1 + vec3_dot(a, b), axis.x, axis.y, axis.z}});
}

/* The rotation with columns x, y, z, by the largest of its four squares. */
static quat quat_of_axes(vec3 x, vec3 y, vec3 z) {
    double squares[4] = {1 + x.x + y.y + z.z, 1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (squares[i] > squares[largest]) largest = i;
    quat p = largest == 0   ? (quat){{squares[0], y.z - z.y, z.x - x.z, x.y - y.x}}
             : largest == 1 ? (quat){{y.z - z.y, squares[1], y.x + x.y, z.x + x.z}}
             : largest == 2 ? (quat){{z.x - x.z, y.x + x.y, squares[2], z.y + y.z}}
                            : (quat){{x.y - y.x, z.x + x.z, z.y + y.z, squares[3]}};
    return quat_normalised(p);
}

/* The frame at s = 0. Without a direction y is level, so that a rod in the plane z = 0 has the axes of a beam there. */
static zn_status first_frame(zn_parts *parts, const zn_flexible_def *def, vec3 tangent, quat *p) {
    const double parallel = 1e-6;
    vec3 wanted = vec3_from(def->direction), up = {0, 0, 1};
    bool given = vec3_norm(wanted) > 0;
    if (!isfinite(vec3_norm(wanted)) || !isfinite(def->twist))
        return fail(parts->context, ZN_ERROR_ARGUMENT, "the direction or twist of '%s' is not finite", def->name);
    if (!given) wanted = vec3_norm(vec3_cross(up, tangent)) > parallel ? vec3_cross(up, tangent) : (vec3){0, 1, 0};
    wanted = vec3_normalised(wanted);
    vec3 y = vec3_add_scaled(wanted, -vec3_dot(wanted, tangent), tangent);
    if (!(vec3_norm(y) > parallel))
        return fail(parts->context, ZN_ERROR_ARGUMENT, "the direction of '%s' is along the rod; give one across it", def->name);
    y = vec3_normalised(y);
    *p = quat_of_axes(tangent, y, vec3_cross(tangent, y));
    return ZN_OK;
}

/* ---- nodes ---- */

static zn_status add_nodes(zn_parts *parts, const zn_flexible_def *def, flexible_curve *curve, parts_flexible *f) {
    enum { STEPS = 16 };                   /* of the carried frame, between nodes */
    const double quarter_turn = sqrt(0.5); /* as p.p of two quaternions */
    int n = f->n_elements * f->order;
    vec3 r, r_s;
    flexible_curve_at(curve, 0, &r, &r_s);
    vec3 tangent = vec3_normalised(r_s);
    quat carried = quat_identity(), before = carried;
    zn_status status = first_frame(parts, def, tangent, &carried);
    mat3 axes = quat_matrix(carried);
    curve->left = vec3_scale(vec3_norm(r_s), mat3_column(&axes, 1)); /* an arc bends towards y */
    for (int i = 0; status == ZN_OK && i <= n; i++) {
        for (int k = 1; k <= STEPS && i > 0; k++) {
            flexible_curve_at(curve, (i - 1 + (double)k / STEPS) / n, &r, &r_s);
            vec3 next = vec3_normalised(r_s);
            carried = quat_product(shortest_rotation(tangent, next), carried);
            tangent = next;
        }
        /* small rotations keep the sign: neighbours have the same one, unless the rod turns too far between them */
        quat p = quat_normalised(quat_product(carried, quat_rotation((vec3){1, 0, 0}, def->twist * i / n)));
        if (i > 0 && !(quat_dot(before, p) > quarter_turn && fabs(def->twist) / n < acos(-1)))
            return fail(parts->context, ZN_ERROR_ARGUMENT,
                        "the rod '%s' turns by more than 90 degrees from one node to the next; it needs more elements", def->name);
        before = p;
        mat3 A = quat_matrix(p);
        parts_body node = {
            .kind = BODY_SPATIAL, .r = r, .p = p, .v = flexible_curve_velocity(curve, r), .Omega = mat3_apply_transposed(&A, curve->omega)};
        status = flexible_add_node(parts, f, &node);
    }
    return status;
}

/* ---- elements ---- */

/* J = ds/dxi of the curve at n Gauss points of an element. */
static void stretches(const flexible_curve *curve, const parts_flexible *f, int element, int n, double *J) {
    double xi[ROD_MASS_POINTS], weight[ROD_MASS_POINTS];
    flexible_gauss(n, xi, weight);
    for (int i = 0; i < n; i++) {
        vec3 r, r_s;
        flexible_curve_at(curve, (element + (1 + xi[i]) / 2) / f->n_elements, &r, &r_s);
        J[i] = vec3_norm(r_s) / (2 * f->n_elements);
    }
}

/* Bending in the direction y is about z: the first of EI is about z, the second about y. */
static rod_material material_of(const flexible_material *m, bool lumped) {
    return (rod_material){.gamma = {m->EA, m->GA[0], m->GA[1]},
                          .kappa = {m->GJ, m->EI[1], m->EI[0]},
                          .rhoA = m->line_density,
                          .rhoI = {m->rotary[0] + m->rotary[1], m->rotary[1], m->rotary[0]},
                          .damping = m->damping,
                          .lumped = lumped};
}

static zn_status make(zn_parts *parts, const zn_flexible_def *def, parts_flexible *f) {
    flexible_curve curve;
    flexible_material m;
    zn_status status = flexible_curve_make(parts, def, &curve);
    if (status == ZN_OK) status = flexible_material_make(parts, def, FLEXIBLE_NEEDS_GA | FLEXIBLE_NEEDS_EI | FLEXIBLE_SPATIAL, &m);
    if (status == ZN_OK) status = add_nodes(parts, def, &curve, f);
    if (status != ZN_OK) return status;
    rod_material material = material_of(&m, def->lumped);
    int variant = rod_variant(f->order, m.damping > 0, f->record);
    static const char *const forces[] = {"N", "Qy", "Qz", "T", "My", "Mz"}, *const strains[] = {"strain", "shear_y",     "shear_z",
                                                                                                "twist",  "curvature_y", "curvature_z"};
    parts_piece shape = {.express = rod_express_element,
                         .variant = variant,
                         .n_bodies = f->order + 1,
                         .n_parameters = rod_parameter_count(variant),
                         .n_outputs = flexible_output_count(f, f->order, 6),
                         .gravity = 1 + ROD_GRAVITY};
    for (int e = 0; e < f->n_elements && status == ZN_OK; e++) {
        int first = e * f->order;
        rod_reference start;
        for (int i = 0; i <= f->order; i++) {
            const parts_body *node = &parts->bodies[f->first_node + first + i];
            start.r[i] = node->r, start.p[i] = node->p;
        }
        stretches(&curve, f, e, f->order, start.J);
        stretches(&curve, f, e, ROD_MASS_POINTS, start.J_mass);
        parts_piece *piece = flexible_add_element(parts, f, &shape, (int[]){first, first + 1, first + 2});
        if (!piece) return parts_last_status(parts);
        rod_put_parameters(variant, &material, &start, piece->parameters);
        status = flexible_name_outputs(parts, f, piece, f->order, 6, forces, strains);
    }
    return status;
}

const flexible_type flexible_rod = {.what = "rod",
                                    .element = "rod element",
                                    .least_order = 1,
                                    .most_order = 2,
                                    .default_order = 1,
                                    .section = BODY_SECTION_ROD,
                                    .make = make,
                                    .at = flexible_lagrange_section};
