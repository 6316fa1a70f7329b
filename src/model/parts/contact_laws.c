/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts as numbers: laws to balls and scales, shapes to parameters, and the choice of tangent frames. */
#include "model/parts/contact.h"

#include "linalg/geometry.h"

/* ---- laws ---- */

static zn_status wrong(zn_context *context, const char *name, const char *why) {
    error_place place = {.subject = name, .time = NAN};
    return fail_at(context, ZN_ERROR_MODEL, &place, "the contact '%s': %s", name, why);
}

typedef struct law_sum {
    contact_numbers *numbers;
    zn_contact *contact;
    zn_ball *balls;
} law_sum;

static const char *add_law(law_sum *sum, const law_reservoir *reservoir) {
    const char *why = NULL;
    zn_contact *c = sum->contact;
    int balls = law_balls(reservoir, sum->numbers->scale + c->nF, sum->balls + c->n_balls, &why);
    if (balls < 0) return why;
    c->nF += reservoir->dim;
    c->n_balls += balls;
    return NULL;
}

static const char *add_sliding(law_sum *sum, const zn_contact_law *law, bool planar, contact_variant *v) {
    if (law->n_friction < 1 || law->n_friction > 2) return "there are one or two coefficients of friction";
    if ((int)law->reservoir < 0 || law->reservoir >= ZN_RESERVOIR_COUNT) return "unknown reservoir";
    if (planar && law->reservoir != ZN_RESERVOIR_BALL)
        return "in the plane there is one slip velocity, so that the reservoir is an interval";
    if (law->n_friction == 2 && law_coefficients(law->reservoir) == 1)
        return "two coefficients of friction belong to an ellipse or a rectangle";
    v->n_sliding = planar ? 1 : law_needs_pivoting(law->reservoir) ? 3 : 2;
    law_reservoir reservoir = {.kind = law->reservoir, .dim = v->n_sliding, .radius = law->radius};
    for (int i = 0; i < v->n_sliding; i++) reservoir.mu[i] = law->friction[i < law->n_friction ? i : 0];
    if (!law->stribeck) return add_law(sum, &reservoir);
    if (law->reservoir != ZN_RESERVOIR_BALL) return "Stribeck's law needs the same friction in all directions and no contact radius";
    if (!(law->stribeck_dynamic >= 0) || !(law->stribeck_dynamic <= law->friction[0]))
        return "the dynamic friction of Stribeck's law is between zero and the static one";
    if (!(law->stribeck_rate >= 0) || isinf(law->stribeck_rate)) return "the rate of Stribeck's law must not be negative";
    v->stribeck = true;
    sum->numbers->stribeck_size = (law->friction[0] - law->stribeck_dynamic) * 2 / acos(-1.0);
    sum->numbers->stribeck_rate = law->stribeck_rate;
    return add_law(sum, &reservoir);
}

static const char *add_turning(law_sum *sum, const zn_contact_law *law, bool planar, contact_variant *v) {
    if (law->n_rolling < 0 || law->n_rolling > 2) return "there are one or two coefficients of rolling friction";
    if (law->n_rolling == 2 && planar) return "in the plane there is one coefficient of rolling friction";
    if (law->n_rolling) {
        v->n_rolling = planar ? 1 : 2;
        law_reservoir rolling = {.kind = ZN_RESERVOIR_RECTANGLE, .dim = v->n_rolling};
        for (int i = 0; i < v->n_rolling; i++) rolling.mu[i] = law->rolling[i < law->n_rolling ? i : 0];
        const char *why = add_law(sum, &rolling);
        if (why) return why;
    }
    if (law->pivoting == 0) return NULL;
    if (planar) return "in the plane there is no pivoting friction";
    v->pivoting = true;
    return add_law(sum, &(law_reservoir){.kind = ZN_RESERVOIR_BALL, .dim = 1, .mu = {law->pivoting}});
}

zn_status contact_law_rows(zn_context *context, const char *name, const zn_contact_law *law, bool planar, contact_variant *v,
                           contact_numbers *numbers, zn_contact *contact, zn_ball *balls) {
    law_sum sum = {numbers, contact, balls};
    contact->name = name;
    contact->e_N = law->restitution, contact->e_F = law->tangential_restitution;
    contact->nF = contact->n_balls = 0;
    if (!(contact->e_N >= 0 && contact->e_N <= 1)) return wrong(context, name, "the restitution is between 0 and 1");
    if (!(contact->e_F >= 0 && contact->e_F <= 1)) return wrong(context, name, "the tangential restitution is between 0 and 1");
    const char *why = law->n_friction ? add_sliding(&sum, law, planar, v) : NULL;
    if (!why && !law->n_friction && law->stribeck) why = "Stribeck's law needs static friction";
    if (!why) why = add_turning(&sum, law, planar, v);
    if (why) return wrong(context, name, why);
    contact->row_N = v->given_force ? -1 : 0;
    contact->row_F = v->given_force ? 0 : 1;
    contact->balls = balls;
    contact->scale = numbers->scale;
    return ZN_OK;
}

/* ---- shapes ---- */

/* The inverse of a symmetric matrix; of its part in the plane where nothing is out of it. */
static void invert(const double *m, double *inverse) {
    mat3 a = {{{m[0], m[3], m[6]}, {m[1], m[4], m[7]}, {m[2], m[5], m[8]}}};
    const bool planar = m[8] == 0;
    if (planar) a.m[2][2] = 1;
    const double det = mat3_determinant(&a);
    for (int i = 0; i < 3; i++) { /* cofactors: rows of the inverse are cross products of columns */
        vec3 row = vec3_scale(1 / det, vec3_cross(mat3_column(&a, (i + 1) % 3), mat3_column(&a, (i + 2) % 3)));
        vec3_store(row, inverse + 3 * i);
    }
    if (planar) inverse[8] = 0;
}

static bool is_origin(const double *x) { return x[0] == 0 && x[1] == 0 && x[2] == 0; }

void contact_note_centres(contact_variant *v, const contact_numbers *n) {
    v->centred[0] = v->touching == FEATURE_BALL && is_origin(n->a_point);
    v->centred[1] = v->surface == FEATURE_SPHERE && is_origin(n->b_point);
}

void contact_set_features(contact_numbers *n, const feature *touching, const feature *surface) {
    memcpy(n->a_point, touching->point, sizeof n->a_point);
    memcpy(n->a_axis, touching->axis, sizeof n->a_axis);
    n->a_radius = touching->radius;
    memcpy(n->a_matrix, touching->frame, sizeof n->a_matrix);
    memcpy(n->b_point, surface->point, sizeof n->b_point);
    memcpy(n->b_axis, surface->axis, sizeof n->b_axis);
    if (surface->kind == FEATURE_ELLIPSOID) invert(surface->frame, n->b_axes);
    else memcpy(n->b_axes, surface->frame, sizeof n->b_axes);
    n->b_radius = surface->radius, n->b_half_length = surface->half_length, n->b_side = surface->side;
    memcpy(n->b_velocity, surface->velocity, sizeof n->b_velocity);
    memcpy(n->a_velocity, touching->velocity, sizeof n->a_velocity);
}

/* ---- tangents ---- */

static vec3 unit_across(vec3 a, vec3 n) {
    vec3 t = vec3_add_scaled(a, -vec3_dot(a, n), n);
    return vec3_scale(1 / sqrt(vec3_dot(t, t)), t);
}

void contact_tangent_of_plane(const double *normal, double *t1) {
    vec3 n = vec3_from(normal);
    const double steep = 0.9; /* cosine above which e_x is nearly the normal */
    vec3_store(unit_across(fabs(n.x) < steep ? (vec3){1, 0, 0} : (vec3){0, 1, 0}, n), t1);
}

void contact_choose_pole(const double *normal, const double *velocity, double *pole, double *reference) {
    const double small = 1e-6; /* sine of an angle below which two directions say nothing about a plane */
    vec3 n = vec3_from(normal), v = vec3_from(velocity), out = vec3_cross(n, v);
    double size = sqrt(vec3_dot(v, v));
    if (!(sqrt(vec3_dot(out, out)) > small * size)) out = vec3_cross(n, (vec3){0, 0, 1});
    if (!(sqrt(vec3_dot(out, out)) > small)) out = (vec3){0, 1, 0};
    out = unit_across(out, n);
    vec3 p = vec3_scale(sqrt(0.5), vec3_add(n, out));
    vec3_store(p, pole);
    vec3_store(unit_across(fabs(p.x) < 0.9 ? (vec3){1, 0, 0} : (vec3){0, 1, 0}, p), reference);
}
