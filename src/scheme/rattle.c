/* SPDX-License-Identifier: Apache-2.0 */
/* Nonsmooth RATTLE (002: 5.59, 5.60): Lobatto IIIA-IIIB with two stages, where U_1 = U_2 = u* = u_{n+1/2}.
 *
 *   M(t_n, q_n) (u* - u_n) = h/2 h(t_n, q_n, u*) + 1/2 W(t_n, q_n) dPi_1
 *   q_{n+1} = q_n + h/2 (q'(t_n, q_n, u*) + q'(t_{n+1}, q_{n+1}, u*))
 *   g(t_{n+1}, q_{n+1}) = 0,  gamma(t_n, q_n, u*) + gamma(t_{n+1}, q_{n+1}, u*) = 0
 *   g_N(t_{n+1}, q_{n+1}) in N(-dPi_N,1),  gamma_F(t_{n+1}, q_{n+1}, u*) in N_C(dPi_N,1)(-dPi_F,1)
 *
 *   M(t_{n+1}, q_{n+1}) (u_{n+1} - u*) = h/2 h(t_{n+1}, q_{n+1}, u*) + W(t_{n+1}, q_{n+1}) (P - 1/2 dPi_1)
 *   gdot = 0, gamma = 0 and the impact law xi in N(-P) at (t_{n+1}, q_{n+1}, u_{n+1}); P = 0 for open contacts
 *
 * The two problems are those of partitioned.c for s = 2.                                                                  */
#include "scheme/partitioned.h"

const scheme_class scheme_rattle = {
    SCHEME_INFO("rattle", "Lobatto IIIA-IIIB with two stages: cheap; order 1 while contacts stick (located: 2); not for stiff systems", 2,
                NULL, 2, 2, 2, true, true, true, true, true),
    SCHEME_FUNCTIONS(partitioned_carry_size, partitioned_create, partitioned_start, partitioned_step, partitioned_destroy),
    .carried = partitioned_carried,
    .takes_modes = true,
    .method = tableau_lobatto_3a3b,
    .bound = scheme_bound_leapfrog,
    .interpolate = partitioned_interpolate,
    .error = partitioned_error,
    .error_is_partial = true,
};
