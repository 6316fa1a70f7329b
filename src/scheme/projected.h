/* SPDX-License-Identifier: Apache-2.0 */
/* Projected Runge-Kutta schemes (projected.c): a tableau and its row make one. */
#ifndef SCHEME_PROJECTED_H
#define SCHEME_PROJECTED_H

#include "scheme/scheme.h"

size_t projected_carry_size(const zn_model *, const zn_settings *);
int projected_carried(const scheme *, carry_piece *);
zn_status projected_create(zn_context *, const scheme_class *, const zn_model *, const zn_settings *, scheme **);
zn_status projected_start(scheme *, scheme_state *, const double *a0, const double *lambda0);
zn_status projected_step(scheme *, const scheme_state *from, double h, scheme_state *to, cone_outcome *);
void projected_interpolate(const scheme *, const scheme_state *from, const scheme_state *to, double x, double *q, double *u);
int projected_error(scheme *, const scheme_state *from, const scheme_state *to, double h, double *error_q);
void projected_destroy(scheme *);

/* name: as registry.c has it; maker: its tableau; stages from least to most, usually `usual`; estimate: projected_error, or NULL. */
#define PROJECTED_SCHEME(identifier, maker, name, text, order, order_text, least, most, usual, estimate)              \
    const scheme_class scheme_##identifier = {                                                                        \
        SCHEME_INFO(name, text, order, order_text, least, most, usual, true, true, true, true, true),                 \
        SCHEME_FUNCTIONS(projected_carry_size, projected_create, projected_start, projected_step, projected_destroy), \
        .carried = projected_carried,                                                                                 \
        .takes_modes = true,                                                                                          \
        .method = maker,                                                                                              \
        .interpolate = projected_interpolate,                                                                         \
        .error = estimate}

#endif
