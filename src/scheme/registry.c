/* SPDX-License-Identifier: Apache-2.0 */
/* The list of schemes, looked up by name. A new scheme adds one line here. */
#include "expr/expr.h"
#include "scheme/scheme.h"

#include <stddef.h>
#include <stdio.h>

extern const scheme_class scheme_moreau, scheme_moreau_symmetric, scheme_moreau_variational, scheme_moreau_theta;
extern const scheme_class scheme_moreau_midpoint, scheme_moreau_shifted;
extern const scheme_class scheme_rattle, scheme_lobatto_3a3b, scheme_lobatto_3a3b_lagrange;
extern const scheme_class scheme_radau_2a, scheme_lobatto_3c, scheme_sdirk2, scheme_sdirk3, scheme_tr_bdf2, scheme_trx2, scheme_tr_theta;
extern const scheme_class scheme_generalized_alpha, scheme_generalized_alpha_pva, scheme_generalized_alpha_pvv, scheme_generalized_alpha_p,
    scheme_generalized_alpha_v, scheme_generalized_alpha_pv;

const scheme_class *const scheme_classes[] = {
    &scheme_moreau,
    &scheme_moreau_midpoint,
    &scheme_moreau_shifted,
    &scheme_moreau_symmetric,
    &scheme_moreau_variational,
    &scheme_moreau_theta,
    &scheme_rattle,
    &scheme_lobatto_3a3b,
    &scheme_lobatto_3a3b_lagrange,
    &scheme_radau_2a,
    &scheme_lobatto_3c,
    &scheme_sdirk2,
    &scheme_sdirk3,
    &scheme_tr_bdf2,
    &scheme_trx2,
    &scheme_tr_theta,
    &scheme_generalized_alpha,
    &scheme_generalized_alpha_pva,
    &scheme_generalized_alpha_pvv,
    &scheme_generalized_alpha_p,
    &scheme_generalized_alpha_v,
    &scheme_generalized_alpha_pv,
};
const int scheme_class_count = (int)(sizeof scheme_classes / sizeof *scheme_classes);

const scheme_class *scheme_find(const char *name) {
    for (int i = 0; name && i < scheme_class_count; i++)
        if (strcmp(scheme_classes[i]->info.name, name) == 0) return scheme_classes[i];
    return NULL;
}

static const char *name_at(const void *list, int i) { return ((const scheme_class *const *)list)[i]->info.name; }

const char *scheme_nearest(const char *name) { return expr_nearest_name(name, scheme_class_count, name_at, scheme_classes); }

int zn_scheme_count(void) { return scheme_class_count; }

zn_scheme_info zn_scheme_get(int index) {
    return index >= 0 && index < scheme_class_count ? scheme_classes[index]->info : (zn_scheme_info){0};
}

bool zn_scheme_find(const char *name, zn_scheme_info *info) {
    const scheme_class *class = scheme_find(name);
    if (class && info) *info = class->info;
    return class != NULL;
}

/* ---- features ---- */

typedef struct feature {
    const char *what;
    size_t flag; /* of zn_scheme_info */
} feature;

#define FEATURE(text, member) {text, offsetof(zn_scheme_info, member)}

static bool supports(const zn_scheme_info *info, const feature *f) { return *(const bool *)((const char *)info + f->flag); }

static zn_status refuse(zn_context *context, const scheme_class *class, const feature *f, const char *subject) {
    char able[400] = "";
    size_t used = 0;
    for (int i = 0; i < scheme_class_count; i++) {
        const zn_scheme_info *info = &scheme_classes[i]->info;
        if (!supports(info, f) || used + strlen(info->name) + 3 > sizeof able) continue;
        used += (size_t)snprintf(able + used, sizeof able - used, "%s%s", used ? ", " : "", info->name);
    }
    error_place place = {.subject = subject, .time = NAN};
    return fail_at(context, ZN_UNSUPPORTED, &place, "%s does not support %s%s%s%s; schemes that do: %s", class->info.name, f->what,
                   subject ? " (here '" : "", subject ? subject : "", subject ? "')" : "", able);
}

zn_status scheme_check(zn_context *context, const scheme_class *class, const zn_model *model) {
    static const feature contacts = FEATURE("contacts", contacts), friction = FEATURE("friction", friction),
                         general = FEATURE("velocities other than the derivatives of the coordinates", general_kinematics),
                         velocity = FEATURE("constraints on velocity level", velocity_constraints),
                         dynamics = FEATURE("systems without a kinetic and a potential energy", any_dynamics);
    const zn_scheme_info *info = &class->info;
    if (model->size.n_contacts && !supports(info, &contacts)) return refuse(context, class, &contacts, model->contacts[0].name);
    for (int k = 0; k < model->size.n_contacts; k++)
        if (model->contacts[k].nF && !supports(info, &friction)) return refuse(context, class, &friction, model->contacts[k].name);
    if (!model->natural && !supports(info, &general)) return refuse(context, class, &general, NULL);
    if (model->size.ny && !supports(info, &velocity)) return refuse(context, class, &velocity, model->bilateral_names[model->size.ng]);
    if (!model->lagrangian && !supports(info, &dynamics)) return refuse(context, class, &dynamics, NULL);
    return ZN_OK;
}
