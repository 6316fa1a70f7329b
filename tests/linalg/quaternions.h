/* SPDX-License-Identifier: Apache-2.0 */
/* What tests need of quaternions besides linalg/geometry.h. */
#ifndef TESTS_LINALG_QUATERNIONS_H
#define TESTS_LINALG_QUATERNIONS_H

#include "linalg/geometry.h"

static inline quat quat_conjugate(quat p) { return (quat){{p.p[0], -p.p[1], -p.p[2], -p.p[3]}}; }

/* p' = 1/2 Q(p) Omega. */
static inline quat quat_rate(quat p, vec3 Omega) {
    vec3 v = quat_vector(p), w = vec3_add_scaled(vec3_cross(v, Omega), p.p[0], Omega);
    return (quat){{-0.5 * vec3_dot(v, Omega), 0.5 * w.x, 0.5 * w.y, 0.5 * w.z}};
}

#endif
