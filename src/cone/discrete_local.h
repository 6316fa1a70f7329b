/* SPDX-License-Identifier: Apache-2.0 */
/* Private: W = H' M^-1 H of a global contact problem. */
#ifndef CONE_DISCRETE_LOCAL_H
#define CONE_DISCRETE_LOCAL_H

#include "linalg/linalg.h"

/* M (nv x nv) has the factors `lu`; H is nv x m. Contacts that share no part of M have no entry. */
zn_status cone_discrete_local(zn_context *, const zn_pattern *M, const lin_lu *lu, const zn_pattern *H, const double *H_values,
                              lin_pattern *W, double **W_values);

#endif
