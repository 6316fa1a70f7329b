/* SPDX-License-Identifier: Apache-2.0 */
/* How to repeat one run of a study, for readers of its file: the attribute `case`, JSON,
 *
 *   {"scene": "toy.yaml", "options": [["--end", "3"]], "axes": [{"name": "mu", "option": "--set"},
 *    {"name": "scheme", "option": "--scheme", "words": [...]}]}
 *
 * The command is `zeno run SCENE`, the options, and for each axis its option with the run's value: NAME=VALUE after --set and --start, else
 * VALUE. */
#include "study/single.h"

#include "base/buffer.h"

#include <stdio.h>

/* The option of a setting has its name, with - for _. */
static void put_setting(text_buffer *c, const char *name) {
    char option[64];
    snprintf(option, sizeof option, "--%.60s", name);
    for (char *letter = option; *letter; letter++)
        if (*letter == '_') *letter = '-';
    buffer_json(c, option);
}

static void put_options(text_buffer *c, const study_def *d) {
    buffer_text(c, ", \"options\": [");
    for (int i = 0; i < d->n_settings; i++) {
        buffer_text(c, i ? ", [" : "[");
        put_setting(c, d->settings[i].name);
        buffer_text(c, ", "), buffer_json(c, d->settings[i].value), buffer_text(c, "]");
    }
    for (int i = 0; i < d->n_sets; i++) {
        buffer_text(c, i || d->n_settings ? ", [\"--set\", " : "[\"--set\", ");
        buffer_json(c, d->sets[i]), buffer_text(c, "]");
    }
    buffer_text(c, "]");
}

static void put_axis(text_buffer *c, const study_axis *axis, study_target target) {
    buffer_text(c, "{\"name\": "), buffer_json(c, axis->name);
    buffer_text(c, ", \"option\": ");
    if (target == STUDY_SETTING) put_setting(c, axis->name);
    else buffer_text(c, target == STUDY_PARAMETER ? "\"--set\"" : "\"--start\"");
    if (axis->words) {
        buffer_text(c, ", \"words\": [");
        for (long i = 0; i < axis->count; i++) buffer_text(c, i ? ", " : ""), buffer_json(c, axis->words[i]);
        buffer_text(c, "]");
    }
    buffer_text(c, "}");
}

char *study_case_text(const study_shared *s) {
    text_buffer c = {.context = s->context};
    buffer_text(&c, "{\"scene\": "), buffer_json(&c, s->def->name);
    put_options(&c, s->def);
    buffer_text(&c, ", \"axes\": [");
    for (int i = 0; i < s->plan.n_axes; i++) buffer_text(&c, i ? ", " : ""), put_axis(&c, &s->plan.axes[i], s->targets[i]);
    buffer_text(&c, "]}");
    return buffer_end(&c);
}
