/* SPDX-License-Identifier: Apache-2.0 */
/* The table of settings: what zn_settings has, one row for each member. Scenes, the options of the program, the checks of the C interface,
 * `zeno settings` and the table in docs/scene.md are made from it. */
#ifndef SCHEME_SETTINGS_H
#define SCHEME_SETTINGS_H

#include "base/range.h"
#include "zeno/simulation.h"

typedef enum setting_kind {
    SETTING_SCHEME, /* NAME or NAME:STAGES, which also sets the stages */
    SETTING_STEP,   /* a number, or auto, which sets step_auto */
    SETTING_AUTO,   /* step_auto: has no key of its own */
    SETTING_NUMBER,
    SETTING_WHOLE,
    SETTING_FLAG,
    SETTING_WORD
} setting_kind;

typedef struct setting {
    const char *name; /* of the member, and the key of scenes; an option of the program has - for _ */
    size_t offset;    /* in zn_settings */
    setting_kind kind;
    number_range range;       /* of numbers */
    const char *unset;        /* what 0 means, which then is allowed in C and is the default; NULL: nothing but the number */
    const char *const *words; /* n_words of them, in the order of the enumeration */
    int n_words;
    const char *applies;  /* to which schemes; NULL: all */
    const char *sentence; /* words in single quotes */
    const char *more;     /* where more is said, from the top of the repository; NULL: nowhere */
} setting;

extern const setting settings_rows[];
extern const int settings_count;
enum { SETTINGS_MOST = 64 }; /* for arrays of them */

/* The number or the index of the word. */
double setting_value(const setting *, const zn_settings *);
void setting_store(const setting *, zn_settings *, double value);
/* The word of a setting as it is now: "staged". */
const char *setting_word(const zn_settings *, const char *name);
/* "auto, newton, projection"; "greater than 0". */
void setting_values_text(const setting *, char *text, size_t room);
void setting_default_text(const setting *, char *text, size_t room);

/* A setting from its text: "staged", "1e-3", "auto". false: `why` has the sentence, in which the setting is called `label`. Whether a
 * number is in its range is found by settings_check. */
bool settings_take(const setting *, const char *label, const char *text, zn_settings *, char *why, size_t room);
/* "radau-2a:3": the scheme radau-2a with 3 stages. false: `why` has the sentence, and the settings are as they were. */
bool settings_take_scheme(const char *text, zn_settings *, char *why, size_t room);

/* Without a step it is chosen (step: auto); contact events that are not set are then located if the scheme can do it, which the default
 * scheme can. */
void settings_complete(zn_settings *);

/* ZN_ERROR_ARGUMENT with a sentence where a member is out of its range, or two do not go together. */
zn_status settings_check(zn_context *, const zn_settings *);

#endif
