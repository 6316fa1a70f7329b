/* SPDX-License-Identifier: Apache-2.0 */
/* The list of schemes, looked up by name. A new scheme adds one line here. */
#include "scheme/scheme.h"

extern const scheme_class scheme_moreau_midpoint, scheme_moreau_shifted;

const scheme_class *const scheme_classes[] = {
    &scheme_moreau_midpoint,
    &scheme_moreau_shifted,
};
const int scheme_class_count = (int)(sizeof scheme_classes / sizeof *scheme_classes);

const scheme_class *scheme_find(const char *name) {
    for (int i = 0; name && i < scheme_class_count; i++)
        if (strcmp(scheme_classes[i]->info.name, name) == 0) return scheme_classes[i];
    return NULL;
}

int zn_scheme_count(void) { return scheme_class_count; }

zn_scheme_info zn_scheme_get(int index) {
    return index >= 0 && index < scheme_class_count ? scheme_classes[index]->info : (zn_scheme_info){0};
}

bool zn_scheme_find(const char *name, zn_scheme_info *info) {
    const scheme_class *class = scheme_find(name);
    if (class && info) *info = class->info;
    return class != NULL;
}
