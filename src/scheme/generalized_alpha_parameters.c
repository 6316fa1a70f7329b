/* SPDX-License-Identifier: Apache-2.0 */
#include "scheme/generalized_alpha_parameters.h"

zn_status alpha_parameters_choose(zn_context *context, const zn_settings *settings, alpha_parameters *p) {
    double r = settings->damping;
    *p = (alpha_parameters){0};
    if (settings->alpha == ZN_ALPHA_CHUNG_HULBERT) {
        p->am = (2 * r - 1) / (r + 1);
        p->af = r / (r + 1);
    } else if (settings->alpha == ZN_ALPHA_HHT) {
        if (r < 0.5) return fail(context, ZN_ERROR_ARGUMENT, "alpha: hht has a damping from 0.5 to 1, not %g", r);
        p->af = (1 - r) / (1 + r);
    }
    p->ga = settings->alpha == ZN_ALPHA_NEWMARK ? (3 - r) / (2 + 2 * r) : 0.5 + p->af - p->am;
    p->be = 0.25 * (0.5 + p->ga) * (0.5 + p->ga);
    p->c = (1 - p->af) / (1 - p->am);
    return ZN_OK;
}
