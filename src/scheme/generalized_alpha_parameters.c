/* SPDX-License-Identifier: Apache-2.0 */
#include "scheme/generalized_alpha_parameters.h"

zn_status alpha_parameters_choose(zn_context *context, const zn_settings *settings, alpha_parameters *p) {
    const char *family = settings->alpha ? settings->alpha : "chung-hulbert";
    double r = settings->damping;
    if (!(r >= 0 && r <= 1)) return fail(context, ZN_ARGUMENT, "damping is a spectral radius from 0 to 1, not %g", r);
    *p = (alpha_parameters){0};
    if (strcmp(family, "chung-hulbert") == 0) {
        p->am = (2 * r - 1) / (r + 1);
        p->af = r / (r + 1);
    } else if (strcmp(family, "hht") == 0) {
        if (r < 0.5) return fail(context, ZN_ARGUMENT, "alpha: hht has a damping from 0.5 to 1, not %g", r);
        p->af = (1 - r) / (1 + r);
    } else if (strcmp(family, "newmark") != 0) {
        return fail(context, ZN_ARGUMENT, "alpha is chung-hulbert, hht or newmark, not '%s'", family);
    }
    p->ga = strcmp(family, "newmark") == 0 ? (3 - r) / (2 + 2 * r) : 0.5 + p->af - p->am;
    p->be = 0.25 * (0.5 + p->ga) * (0.5 + p->ga);
    p->c = (1 - p->af) / (1 - p->am);
    return ZN_OK;
}
