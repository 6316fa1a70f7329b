/* SPDX-License-Identifier: Apache-2.0 */
/* The spatial Cosserat rod: elements of order 1 (two nodes) and 2 (three nodes, the second inside) on spatial nodes (r, p).
 *
 *   s            arc length of the reference shape, J = ds/dxi for xi in [-1, 1]
 *   K            frame of a cross-section: e_x along the rod, e_y and e_z the principal axes of the section
 *   r(s), p(s)   sum N_i r_i, sum N_i p_i; A(p) divides by p.p. Quaternions of neighbours have the same sign.
 *   strains      gamma = A(p)' r_s                  stretch and two shears
 *                kappa = 2 vec(conj(p) p_s)/p.p     twist and two curvatures; A_s = A kappa~
 *   energy       V = 1/2 int (gamma - gamma_0)' C_gamma (gamma - gamma_0) + (kappa - kappa_0)' C_kappa (kappa - kappa_0) ds
 *
 * A rigid rotation P turns every p_i into P p_i and so p(s) into P p(s): strains do not change. The integral takes one (order
 * 1) or two (order 2) Gauss points, one less than exact: thin rods do not lock. Forces follow from V with p_i' = 1/2 Q(p_i)
 * Omega_i, so they keep the energy. Inertia, with w_ij = int N_i N_j ds:
 *
 *   T = 1/2 sum w_ij (rhoA v_i.v_j + Omega_i.rhoI Omega_j)
 *   balance of moments of node i:  sum_j w_ij rhoI Omega_j' + Omega_i x sum_j w_ij rhoI Omega_j = ...
 *
 * T depends on velocities in K only, so the angular momentum sum_i r_i x sum_j w_ij rhoA v_j + A_i sum_j w_ij rhoI Omega_j
 * stays what it is when no moment acts, exactly. Damping: C replaced by C + damping C d/dt. */
#ifndef MODEL_PARTS_ROD_H
#define MODEL_PARTS_ROD_H

#include "model/parts/flexible.h"

enum {
    ROD_MOST_NODES = 3,
    ROD_MASS_POINTS = 3,
    ROD_MOST_PARAMETERS = 36,
    ROD_GRAVITY = 10 /* first parameter of gravity */
};

/* Of a cross-section, in its frame K. */
typedef struct rod_material {
    double gamma[3]; /* EA, GA_y, GA_z */
    double kappa[3]; /* GJ, EI_y, EI_z */
    double rhoA, rhoI[3];
    double damping; /* seconds; 0: none */
    bool lumped;    /* mass at the nodes */
} rod_material;

/* An element free of stress: its nodes, whose p have the same sign (p.p > 0 of neighbours), J at the Gauss points of the strains (order)
 * and at those of the mass (3). */
typedef struct rod_reference {
    vec3 r[ROD_MOST_NODES];
    quat p[ROD_MOST_NODES];
    double J[ROD_MOST_NODES - 1], J_mass[ROD_MASS_POINTS];
} rod_reference;

/* What the sketch of an element depends on; record: FLEXIBLE_FORCES, FLEXIBLE_STRAINS. */
static inline int rod_variant(int order, bool damped, unsigned record) { return order + (damped ? 4 : 0) + 8 * (int)record; }
static inline int rod_order(int variant) { return variant & 3; }
static inline bool rod_is_damped(int variant) { return variant & 4; }
static inline unsigned rod_record(int variant) { return (unsigned)variant / 8; }

/* Draws an element on order + 1 spatial bodies without mass of their own. */
parts_express rod_express_element;

int rod_parameter_count(int variant);
/* Gravity is left at zero. */
void rod_put_parameters(int variant, const rod_material *, const rod_reference *, double *parameters);

/* gamma and kappa of nodes (r, p) at xi, per unit of xi (J = 1). */
void rod_strains(int order, double xi, const vec3 *r, const quat *p, double gamma[3], double kappa[3]);

/* A section by weights N_i: p = sum N_i p_i, Omega = 2 vec(conj(p) p')/p.p with p' = sum N_i p_i'. */
section_express rod_express_section;

#endif
