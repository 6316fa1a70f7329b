/* SPDX-License-Identifier: Apache-2.0 */
/* The list of schemes, with search by name. A new scheme adds its name here. */
#include "expr/expr.h"
#include "scheme/scheme.h"

#include <stddef.h>
#include <stdio.h>

/* clang-format off */
#define SCHEMES(X) \
    X(moreau) X(moreau_midpoint) X(moreau_shifted) X(moreau_symmetric) X(moreau_variational) X(moreau_theta) X(rattle) \
    X(lobatto_3a3b) X(lobatto_3a3b_lagrange) X(radau_2a) X(lobatto_3c) X(sdirk2) X(sdirk3) X(tr_bdf2) X(trx2) \
    X(tr_theta) X(generalized_alpha) X(generalized_alpha_pva) X(generalized_alpha_pvv) X(generalized_alpha_p) \
    X(generalized_alpha_v) X(generalized_alpha_pv)
/* clang-format on */

#define X(name) extern const scheme_class scheme_##name;
SCHEMES(X)
#undef X

static const scheme_class *const scheme_classes[] = {
#define X(name) &scheme_##name,
    SCHEMES(X)
#undef X
};
static const int scheme_class_count = (int)(sizeof scheme_classes / sizeof *scheme_classes);

const scheme_class *scheme_find(const char *name) {
    if (!name) name = zn_settings_default().scheme;
    for (int i = 0; i < scheme_class_count; i++)
        if (strcmp(scheme_classes[i]->info.name, name) == 0) return scheme_classes[i];
    return NULL;
}

static const char *name_at(const void *list, int i) { return ((const scheme_class *const *)list)[i]->info.name; }

void scheme_unknown(const char *name, char *text, size_t room) {
    const char *near = expr_nearest_name(name, scheme_class_count, name_at, scheme_classes);
    snprintf(text, room, "there is no scheme '%s'%s%s%s; 'zeno schemes' lists them", name, near ? "; did you mean '" : "", near ? near : "",
             near ? "'?" : "");
}

double scheme_bound_leapfrog(int stages) {
    (void)stages;
    return 2;
}

/* The first intervals of stability for s = 2, 3, 4 stages; more stages allow more. */
double scheme_bound_lobatto(int stages) {
    static const double bounds[] = {2, 2.828, 3.11};
    return bounds[stages < 2 ? 0 : stages > 4 ? 2 : stages - 2];
}

int zn_scheme_count(void) { return scheme_class_count; }

zn_scheme_info zn_scheme_get(int index) {
    return index >= 0 && index < scheme_class_count ? scheme_classes[index]->info : (zn_scheme_info){0};
}

bool zn_scheme_find(const char *name, zn_scheme_info *info) {
    const scheme_class *class = name ? scheme_find(name) : NULL;
    if (class && info) *info = class->info;
    return class != NULL;
}

/* ---- features ---- */

typedef struct feature {
    const char *what;
    size_t flag; /* of zn_scheme_info */
} feature;

#define FEATURE(text, member) \
    { text, offsetof(zn_scheme_info, member) }

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
    return fail_at(context, ZN_ERROR_UNSUPPORTED, &place, "%s does not support %s%s%s%s; schemes that do: %s", class->info.name, f->what,
                   subject ? " (here '" : "", subject ? subject : "", subject ? "')" : "", able);
}

static const feature contacts = FEATURE("contacts", contacts), friction = FEATURE("friction", friction);

zn_status scheme_check_found(zn_context *context, const scheme_class *class, bool rubbing) {
    if (!supports(&class->info, &contacts)) return refuse(context, class, &contacts, NULL);
    return rubbing && !supports(&class->info, &friction) ? refuse(context, class, &friction, NULL) : ZN_OK;
}

zn_status scheme_check(zn_context *context, const scheme_class *class, const zn_model *model) {
    static const feature general = FEATURE("velocities other than the derivatives of the coordinates", general_kinematics),
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
