/* SPDX-License-Identifier: Apache-2.0 */
/* How schemes take the law of restitution (restitution_law). Newton's law is a shift of the rates, xi = c1+ + e c1-. Any other law is
 * a map from the rates before to those after an impact (impact_map.h), which the scheme follows up to what forces do in the step: with
 * the percussion I and the rates c^ after the impact, taken at the position of the scheme's impact law,
 *
 *   gdot_N+ - gdot^_N  in N_{R0-}(-P_N)                           contacts with I_N > 0; where no force acts P_N = I_N
 *   gamma_F+           in N_{C(P_N - I_N)}(-(P_F - I_F))          friction of the impact, and of the forces in the step on top of it
 *
 * Contacts without an impact keep Newton's law; they have gdot- >= 0. For a contact without friction that is hit alone gdot^ = -e gdot-:
 * the same as Newton's. */
#ifndef SCHEME_IMPACT_LAW_H
#define SCHEME_IMPACT_LAW_H

#include "scheme/impact_map.h"

/* *out: NULL for Newton's law (and without contacts). Refuses unknown words, and what the law has no meaning for. */
zn_status impact_law_create(zn_context *, const zn_model *, const zn_settings *, problem_scales *, impact_map **out);

/* The impact at M, W, c1_u of a stage. before: n rows c1-. ZN_OK: law->any says whether there is one. */
zn_status impact_law_find(impact_map *, const answers *, const bool *active, const double *before);
/* After that: whether the contact has a percussion, and what is added to its row gdot_N. before: as above. */
bool impact_law_hits(const impact_map *, const zn_contact *);
double impact_law_shift(const impact_map *, const zn_contact *, const double *before);
/* before: c1(t_n, q_n, u_n) in, the rates that the law takes out: those of u_n at the end of the step, where the impact is computed.
 * Contacts without friction keep theirs, as Newton's law does. With rates of another position a contact whose bodies can move in some
 * directions only would never come to rest. The memory of p is work space. Nonzero: cannot be evaluated. */
int impact_law_before(linear_problem *p, const zn_point *end, double *before);
/* Adds what the law needs to the rows c = c1 of a linear problem whose matrices and active contacts are known. */
zn_status impact_law_rows(impact_map *, linear_problem *, const double *before);
/* After that was solved: whether contacts that are hit kept their percussion. In a solution of the stages that has nothing to do with the
 * motion there is none of it left, and friction without a normal force. The outcome names the contact. */
bool impact_law_holds(const impact_map *, const linear_problem *p, cone_outcome *);
/* Moreau's schemes: c holds c1 of the velocity before, at.c0 the gaps, and at.r minus the forces (r at a = 0, lambda = 0). Contacts with
 * g_N <= 0, or nearly (less than a hundredth of the way that these forces drive them in a step of h), become active, and the rows of c
 * become those of the law at x = 0. */
zn_status impact_law_at_gaps(impact_map *, linear_problem *, double h);

#endif
