/* SPDX-License-Identifier: Apache-2.0 */
/* A contact between a feature of body 0 (a ball, a ring, a line or an ellipsoid: it touches) and a surface of body 1.
 *
 *   n            normal, from the surface to the touching body;  c_A, c_B: the nearest points of both, c_B = c_A - g_N n
 *   g_N          the gap; its velocity follows by differentiation, so the derivative of n is in it
 *   gamma_T      t_i . (v_A(c_A) - v_B(c_B)), velocities of material points: v + omega x (c - r)
 *   rolling      t_i . (omega_A - omega_B);   pivoting: n . (omega_A - omega_B)
 */
#ifndef MODEL_PARTS_CONTACT_H
#define MODEL_PARTS_CONTACT_H

#include "law/law.h"
#include "model/parts/geometry.h"
#include "model/parts/sketch.h"

/* The direction t1; t2 = n x t1. */
typedef enum contact_frame {
    CONTACT_PLANAR,      /* t1 = (n_y, -n_x) and no second one */
    CONTACT_FIXED,       /* t1 = A_B reference: planes, where reference is at right angles to the normal */
    CONTACT_AXIS,        /* t1 = A_B axis: cylinders */
    CONTACT_BETWEEN,     /* t1 along A_A axis_A + A_B axis_B: two lines, whichever of them is called A */
    CONTACT_TURNED,      /* reference, turned by the smallest rotation that takes the pole to n: singular at n = -pole only */
    CONTACT_OF_WORLD,    /* projection of reference, fixed in space, */
    CONTACT_OF_TOUCHING, /* to body 0, */
    CONTACT_OF_SURFACE,  /* to body 1: singular where it is along n */
    CONTACT_FRAME_COUNT
} contact_frame;

/* What a sketch depends on. */
typedef struct contact_variant {
    feature_kind touching, surface;
    contact_frame frame;
    int n_sliding; /* rows: 0; 1 in the plane; 2; 3 with the pivoting velocity of Coulomb-Contensou */
    int n_rolling; /* 0; 1 in the plane; 2 */
    bool pivoting;
    bool stribeck;
    bool given_force; /* no gap row: the normal force is a number */
    bool belt;        /* a surface has a velocity of its own */
    bool rounded;     /* a ball with a radius on a surface by formula */
    bool centred[2];  /* a ball or sphere around the origin of its body, whose rotation does not move it */
} contact_variant;

enum { CONTACT_MOST_ROWS = 6, CONTACT_MOST_BALLS = 6 };

/* The parameters of every contact, in this order. */
typedef struct contact_numbers {
    double a_point[3], a_axis[3], a_radius, a_matrix[9], a_velocity[3];
    double b_point[3], b_axis[3], b_axes[9], b_radius, b_half_length, b_side,
        b_velocity[3]; /* b_side of two lines: see collide_candidate */
    double pole[3], reference[3];
    double scale[CONTACT_MOST_ROWS];     /* of friction rows */
    double stribeck_size, stribeck_rate; /* (mu_s - mu_d) 2/pi, eps */
    double normal_force;
} contact_numbers;
enum { CONTACT_NUMBERS = sizeof(contact_numbers) / sizeof(double) };

/* A variant as an integer, and back. */
int contact_pack(contact_variant);
contact_variant contact_unpack(int);
zn_sizes contact_rows(contact_variant);
/* Whether the gap of a pair of features is known. */
bool contact_is_known(feature_kind touching, feature_kind surface);

/* Normal, points and tangents as expressions: also for tests. Nearest points: c - r = arm + along n, from the centres of mass. */
typedef struct contact_sketch {
    expr gap;
    evec n, c[2], t1, t2;
    evec arm[2];
    expr along[2];
    evec d;        /* round surfaces: n = factor d; */
    expr factor;   /* EXPR_NONE elsewhere */
    expr share[2]; /* of turned frames: how they spin as n turns towards t1 and t2 */
} contact_sketch;

/* f of a surface by formula: an expression in three variables that begin at contact_local(); EXPR_NONE for others. */
int contact_local(const sketch *);
contact_sketch contact_express_geometry(sketch *, const contact_variant *, expr f);
/* Adds the rows to a sketch with bodies 0 and 1 and CONTACT_NUMBERS parameters. */
void contact_express(sketch *, const contact_variant *, expr f);

/* ---- numbers ---- */

/* Rows, balls and scales of a law in the plane or in space. ZN_OK, or an error that names the contact. */
zn_status contact_law_rows(zn_context *, const char *name, const zn_contact_law *, bool planar, contact_variant *, contact_numbers *,
                           zn_contact *contact, zn_ball *balls);
void contact_set_features(contact_numbers *, const feature *touching, const feature *surface);
/* Which balls and spheres are centred: their formulas are several times shorter. */
void contact_note_centres(contact_variant *, const contact_numbers *);
/* A direction of length one at right angles to n that is e_x for n = e_z and e_y. */
void contact_tangent_of_plane(const double *n, double *t1);
/* Pole and reference of a turned frame whose normal is n at the start and v the relative velocity there (or zero): the pole is
 * half a right angle away from n, out of the plane of n and v; where v says nothing, out of the vertical plane (z up) of n. */
void contact_choose_pole(const double *n, const double *v, double *pole, double *reference);

#endif
