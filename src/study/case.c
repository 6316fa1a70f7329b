/* SPDX-License-Identifier: Apache-2.0 */
/* How one run of a study is done by itself, for those who read its file: the attribute `case`, JSON,
 *
 *   {"scene": "toy.yaml", "options": [["--end", "3"]], "axes": [{"name": "mu", "option": "--set"}, {"name": "scheme", "option": "--scheme", "words": [...]}]}
 *
 * The command is `zeno run SCENE`, the options, and for each axis its option with the run's value: NAME=VALUE after --set and --start, else VALUE. */
#include "study/single.h"

#include "base/text.h"

#include <stdio.h>

typedef struct case_text {
    zn_context *context;
    char *text;
    size_t count, room;
    bool failed;
} case_text;

static void put(case_text *c, const char *text) {
    size_t length = strlen(text);
    if (c->failed || !mem_grow(c->context, (void **)&c->text, &c->room, c->count + length + 1, 1)) {
        c->failed = true;
        return;
    }
    memcpy(c->text + c->count, text, length + 1);
    c->count += length;
}

static void put_quoted(case_text *c, const char *text) {
    char piece[TEXT_PIECE];
    put(c, "\"");
    while (*text) {
        text_json(&text, piece);
        put(c, piece);
    }
    put(c, "\"");
}

/* The option of a setting has its name, with - for _. */
static void put_setting(case_text *c, const char *name) {
    char option[64];
    snprintf(option, sizeof option, "--%.60s", name);
    for (char *letter = option; *letter; letter++)
        if (*letter == '_') *letter = '-';
    put_quoted(c, option);
}

static void put_options(case_text *c, const study_def *d) {
    put(c, ", \"options\": [");
    for (int i = 0; i < d->n_settings; i++) {
        put(c, i ? ", [" : "[");
        put_setting(c, d->settings[i].name);
        put(c, ", "), put_quoted(c, d->settings[i].value), put(c, "]");
    }
    for (int i = 0; i < d->n_sets; i++) {
        put(c, i || d->n_settings ? ", [\"--set\", " : "[\"--set\", ");
        put_quoted(c, d->sets[i]), put(c, "]");
    }
    put(c, "]");
}

static void put_axis(case_text *c, const study_axis *axis, study_target target) {
    put(c, "{\"name\": "), put_quoted(c, axis->name);
    put(c, ", \"option\": ");
    if (target == STUDY_SETTING) put_setting(c, axis->name);
    else put(c, target == STUDY_PARAMETER ? "\"--set\"" : "\"--start\"");
    if (axis->words) {
        put(c, ", \"words\": [");
        for (long i = 0; i < axis->count; i++) put(c, i ? ", " : ""), put_quoted(c, axis->words[i]);
        put(c, "]");
    }
    put(c, "}");
}

char *study_case_text(const study_shared *s) {
    case_text c = {.context = s->context};
    put(&c, "{\"scene\": "), put_quoted(&c, s->def->name);
    put_options(&c, s->def);
    put(&c, ", \"axes\": [");
    for (int i = 0; i < s->plan.n_axes; i++) put(&c, i ? ", " : ""), put_axis(&c, &s->plan.axes[i], s->targets[i]);
    put(&c, "]}");
    if (!c.failed) return c.text;
    mem_free(s->context, c.text);
    return NULL;
}
