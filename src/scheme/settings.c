/* SPDX-License-Identifier: Apache-2.0 */
/* The table of settings. A member of zn_settings without its row, or in another place than its row, does not compile. */
#include "scheme/settings.h"

#include "base/handle.h"
#include "base/nearest.h"
#include "scheme/scheme.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* More steps or rows than this are a mistake; times would lose their digits. */
static const double MAX_COUNT = 1e15;
/* Errors of a step below this part of a position are round-off, which no step reduces. */
#define LEAST_ACCURACY 1e-12

#define WORDS(name, count, ...)                      \
    static const char *const name[] = {__VA_ARGS__}; \
    _Static_assert(sizeof name / sizeof *name == (count), "a word for each choice")

WORDS(solvers, ZN_SOLVER_COUNT, "auto", "newton", "projection");
WORDS(projections, ZN_PROJECTION_COUNT, "velocity", "none");
WORDS(percussions, ZN_PERCUSSION_COUNT, "stage", "integrated");
WORDS(iterations, ZN_ITERATION_COUNT, "coupled", "decoupled");
WORDS(alphas, ZN_ALPHA_COUNT, "chung-hulbert", "hht", "newmark");
WORDS(multiplier_kinds, ZN_MULTIPLIERS_COUNT, "starred", "printed");
WORDS(starts, ZN_START_FORCES_COUNT, "consistent", "zero");
WORDS(friction_laws, ZN_FRICTION_LAW_COUNT, "accumulated", "staged");
WORDS(restitution_laws, ZN_RESTITUTION_LAW_COUNT, "newton", "poisson", "energetic");
WORDS(event_kinds, ZN_EVENTS_COUNT, "captured", "located", "auto");
WORDS(flags, 2, "false", "true");

#define NUMBER(...) .kind = SETTING_NUMBER, .range = {__VA_ARGS__}
#define WHOLE(first, last) .kind = SETTING_WHOLE, .range = {.low = first, .high = last, .whole = true}
#define WORD(list) .kind = SETTING_WORD, .words = list, .n_words = (int)(sizeof list / sizeof *list)
#define POSITIVE 0, INFINITY, true, false, false
#define NOT_NEGATIVE 0, INFINITY, false, false, false
#define ZERO_TO_ONE 0, 1, false, false, false

/* Known by its address: a user who names this scheme passes another string. */
static const char unnamed_scheme[] = "moreau-midpoint";

/* In the order of the members: type in C, name, default, and the rest of its row. */
#define SETTINGS(X)                                                                                                                      \
    X(const char *, scheme, unnamed_scheme, .kind = SETTING_SCHEME,                                                                      \
      .sentence = "a name from 'zeno schemes', optionally with stages: 'NAME:STAGES'. Default for scenes with joints: 'radau-2a'; for "  \
                  "scenes that do not give a step: 'radau-2a:3'")                                                                        \
    X(int, stages, 0, WHOLE(1, INFINITY), .unset = "the scheme's", .applies = "Runge-Kutta schemes", .sentence = "number of stages")     \
    X(double, step, 0, .kind = SETTING_STEP, .range = {POSITIVE}, .unset = "'auto'",                                                     \
      .sentence = "the time step, or 'auto': chosen from 'accuracy'", .more = "docs/schemes.md#step-auto")                               \
    X(double, end, 0, NUMBER(NOT_NEGATIVE), .unset = "from '--end'", .sentence = "the time at which the run ends")                       \
    X(bool, step_auto, false, .kind = SETTING_AUTO)                                                                                      \
    X(double, accuracy, 1e-6, NUMBER(LEAST_ACCURACY, 1, false, true, false), .applies = "'step: auto'",                                  \
      .sentence = "relative error of positions in a step")                                                                               \
    X(double, damping, 0.9, NUMBER(ZERO_TO_ONE), .applies = "generalized-alpha and TR-theta",                                            \
      .sentence = "spectral radius at infinity, from 0 (most damping) to 1 (none)")                                                      \
    X(double, theta, 0.5, NUMBER(ZERO_TO_ONE), .applies = "'moreau-theta'", .sentence = "where in the step forces are evaluated")        \
    X(zn_projection, projection, ZN_PROJECTION_VELOCITY, WORD(projections), .applies = "Runge-Kutta schemes",                            \
      .sentence = "projection of velocities at the end of a step; 'none' shows its effect")                                              \
    X(zn_percussion, percussion, ZN_PERCUSSION_STAGE, WORD(percussions), .applies = "partitioned Runge-Kutta schemes",                   \
      .sentence = "which percussions the contact laws use")                                                                              \
    X(zn_iteration, iteration, ZN_ITERATION_COUPLED, WORD(iterations), .applies = "generalized-alpha",                                   \
      .sentence = "one problem, or three subproblems in turn ('decoupled')")                                                             \
    X(zn_solver, solver, ZN_SOLVER_AUTO, WORD(solvers), .sentence = "method for the contact problem of a step")                          \
    X(double, tolerance, 1e-10, NUMBER(POSITIVE), .sentence = "largest residual of a step, relative to the magnitudes of the problem",   \
      .more = "docs/guide.md#10-units-and-tolerance")                                                                                    \
    X(int, record_every, 1, WHOLE(1, INFINITY), .sentence = "record the state every this many steps")                                    \
    X(double, record_step, 0, NUMBER(POSITIVE), .unset = "after steps", .sentence = "record at multiples of this time instead",          \
      .more = "docs/schemes.md#rows-at-given-times")                                                                                     \
    X(bool, project_start, false, .kind = SETTING_FLAG, .words = flags, .n_words = 2,                                                    \
      .sentence = "move an inconsistent start onto the constraints instead of refusing it")                                              \
    X(zn_alpha, alpha, ZN_ALPHA_CHUNG_HULBERT, WORD(alphas), .applies = "generalized-alpha",                                             \
      .sentence = "choice of coefficients; 'hht' needs a damping of at least 0.5, 'newmark' is first order unless damping is 1")         \
    X(zn_multipliers, multipliers, ZN_MULTIPLIERS_STARRED, WORD(multiplier_kinds), .applies = "'generalized-alpha-pva'",                 \
      .sentence = "which multipliers vanish in open contacts: the totals over the step ('starred'), or only their nonsmooth parts")      \
    X(int, activation, 0, WHOLE(1, 3), .unset = "3, '-pvv' 2", .applies = "'generalized-alpha-pva', '-pvv'",                             \
      .sentence = "what acts on the smooth motion: 1 nothing, 2 the bilateral constraints, 3 ('-pva') contacts too")                     \
    X(zn_start_forces, start_forces, ZN_START_FORCES_CONSISTENT, WORD(starts), .applies = "generalized-alpha",                           \
      .sentence = "accelerations at the start; 'zero' is a perturbation for studying schemes")                                           \
    X(zn_friction_law, friction_law, ZN_FRICTION_ACCUMULATED, WORD(friction_laws),                                                       \
      .applies = "Runge-Kutta schemes and 'generalized-alpha'",                                                                          \
      .sentence = "'accumulated': the law of the papers; 'staged' keeps the order when the slip direction turns",                        \
      .more = "docs/turning-slip.md")                                                                                                    \
    X(double, contradiction, 1e-6, NUMBER(NOT_NEGATIVE),                                                                                 \
      .sentence = "largest contradiction between redundant constraints at the start, in their units; up to this they are satisfied in "  \
                  "the least-squares sense; 0: not accepted",                                                                            \
      .more = "docs/parts.md")                                                                                                           \
    X(zn_restitution_law, restitution_law, ZN_RESTITUTION_NEWTON, WORD(restitution_laws),                                                \
      .sentence = "meaning of the restitution coefficient; 'newton': the law of the papers, which can create energy with friction; the " \
                  "others cannot",                                                                                                       \
      .more = "docs/contacts.md#impacts")                                                                                                \
    X(zn_contact_events, contact_events, ZN_EVENTS_AUTO, WORD(event_kinds),                                                              \
      .applies = "Runge-Kutta schemes of order two or higher, 'generalized-alpha'",                                                      \
      .sentence = "'captured': steps pass over impacts and stick-slip; 'located': steps are divided at events, which keeps the order; "  \
                  "'auto': located if no step is given, else captured",                                                                  \
      .more = "docs/located-events.md")                                                                                                  \
    X(int, threads, 0, WHOLE(1, 64), .unset = "1", .applies = "many contacts",                                                           \
      .sentence = "number of threads; results do not depend on it", .more = "docs/many-contacts.md")

typedef struct settings_of_table {
#define X(type, name, ...) type name;
    SETTINGS(X)
#undef X
    size_t reserved[sizeof((zn_settings *)0)->reserved / sizeof(size_t)];
} settings_of_table;
#define X(type, name, ...) _Static_assert(offsetof(zn_settings, name) == offsetof(settings_of_table, name), "rows in the order of members");
SETTINGS(X)
#undef X
_Static_assert(sizeof(zn_settings) == sizeof(settings_of_table), "each member of zn_settings has a row");

const setting settings_rows[] = {
#define X(type, member, initial, ...) {.name = #member, .offset = offsetof(zn_settings, member), __VA_ARGS__},
    SETTINGS(X)
#undef X
};
_Static_assert(sizeof settings_rows / sizeof *settings_rows <= SETTINGS_MOST, "make room");
const int settings_count = (int)(sizeof settings_rows / sizeof *settings_rows);

zn_settings zn_settings_default(void) {
    return (zn_settings){
#define X(type, name, initial, ...) .name = initial,
        SETTINGS(X)
#undef X
    };
}

/* ---- values ---- */

double setting_value(const setting *row, const zn_settings *settings) {
    const char *at = (const char *)settings + row->offset;
    switch (row->kind) {
    case SETTING_STEP:
    case SETTING_NUMBER: return *(const double *)at;
    case SETTING_AUTO:
    case SETTING_FLAG: return *(const bool *)at;
    case SETTING_WHOLE:
    case SETTING_WORD: return *(const int *)at;
    default: return 0;
    }
}

void setting_store(const setting *row, zn_settings *settings, double value) {
    char *at = (char *)settings + row->offset;
    if (row->kind == SETTING_STEP || row->kind == SETTING_NUMBER) *(double *)at = value;
    if (row->kind == SETTING_AUTO || row->kind == SETTING_FLAG) *(bool *)at = value != 0;
    if (row->kind == SETTING_WHOLE || row->kind == SETTING_WORD) *(int *)at = (int)value;
}

const char *setting_word(const zn_settings *settings, const char *name) {
    for (int i = 0; i < settings_count; i++)
        if (settings_rows[i].words && strcmp(settings_rows[i].name, name) == 0)
            return settings_rows[i].words[(int)setting_value(&settings_rows[i], settings)];
    return "";
}

static void list_words(const setting *row, char *text, size_t room) {
    size_t used = 0;
    *text = 0;
    for (int i = 0; i < row->n_words && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "", row->words[i]);
}

void setting_values_text(const setting *row, char *text, size_t room) {
    char demand[80];
    if (row->words) {
        list_words(row, text, room);
    } else if (row->kind == SETTING_SCHEME) {
        snprintf(text, room, "a name");
    } else { /* without "must" and "be" */
        const char *be = strstr(range_demand(row->range, demand, sizeof demand), "be ");
        snprintf(text, room, "%.*s%s", (int)(be - demand) - 5, demand + 5, be + 3);
    }
}

void setting_default_text(const setting *row, char *text, size_t room) {
    zn_settings initial = zn_settings_default();
    if (row->unset) snprintf(text, room, "%s", row->unset);
    else if (row->kind == SETTING_SCHEME) snprintf(text, room, "%s", initial.scheme);
    else if (row->words) snprintf(text, room, "%s", row->words[(int)setting_value(row, &initial)]);
    else {
        snprintf(text, room, "%g", setting_value(row, &initial));
        char *zero = strstr(text, "e-0");
        if (zero) memmove(zero + 2, zero + 3, strlen(zero + 3) + 1);
    }
}

bool settings_take_scheme(const char *text, zn_settings *settings, char *why, size_t room) {
    char name[64];
    size_t length = strcspn(text, ":");
    long stages = 0;
    char *end = NULL;
    if (text[length]) stages = strtol(text + length + 1, &end, 10);
    if (length == 0) return snprintf(why, room, "the scheme has no name"), false;
    if (end && (end == text + length + 1 || *end || stages < 1 || stages > 1000))
        return snprintf(why, room, "a scheme is written NAME or NAME:STAGES, with 1 stage or more"), false;
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    const scheme_class *class = length < sizeof name ? scheme_find(name) : NULL;
    if (!class) return scheme_unknown(name, why, room), false;
    settings->scheme = class->info.name;
    settings->stages = (int)stages;
    return true;
}

static bool take_word(const setting *row, const char *label, const char *text, zn_settings *settings, char *why, size_t room) {
    char words[120];
    for (int i = 0; i < row->n_words; i++)
        if (strcmp(text, row->words[i]) == 0) return setting_store(row, settings, i), true;
    list_words(row, words, sizeof words);
    return snprintf(why, room, "%s is one of %s, not '%.60s'", label, words, text), false;
}

bool settings_take(const setting *row, const char *label, const char *text, zn_settings *settings, char *why, size_t room) {
    if (row->kind == SETTING_SCHEME) return settings_take_scheme(text, settings, why, room);
    if (row->words) return take_word(row, label, text, settings, why, room);
    if (row->kind == SETTING_STEP) settings->step_auto = strcmp(text, "auto") == 0, settings->step = 0;
    if (row->kind == SETTING_STEP && settings->step_auto) return true;
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) return snprintf(why, room, "%s needs a number, not '%.60s'", label, text), false;
    if (row->range.whole && (value != floor(value) || fabs(value) > INT_MAX))
        return snprintf(why, room, "%s needs a whole number, not '%.60s'", label, text), false;
    setting_store(row, settings, value);
    return true;
}

/* ---- by name ---- */

static const setting *find(const char *name) {
    for (int i = 0; i < settings_count; i++)
        if (settings_rows[i].kind != SETTING_AUTO && strcmp(settings_rows[i].name, name) == 0) return &settings_rows[i];
    return NULL;
}

static zn_status fail_unknown(zn_context *context, const char *name) {
    const char *best = NULL;
    int distance = INT_MAX;
    for (int i = 0; i < settings_count; i++) {
        int d = settings_rows[i].kind == SETTING_AUTO ? INT_MAX : nearest_distance(name, settings_rows[i].name);
        if (d < distance) distance = d, best = settings_rows[i].name;
    }
    if (best && nearest_is_close(name, distance))
        return fail(context, ZN_ERROR_ARGUMENT, "there is no setting '%.60s' (did you mean '%s'?)", name, best);
    return fail(context, ZN_ERROR_ARGUMENT, "there is no setting '%.60s'", name);
}

zn_status zn_settings_set(zn_context *context, zn_settings *settings, const char *name, const char *value) {
    NEED_CONTEXT(context);
    NEED(context, settings);
    NEED(context, name);
    NEED(context, value);
    char why[300];
    const setting *row = find(name);
    if (!row) return fail_unknown(context, name);
    zn_settings changed = *settings;
    if (!settings_take(row, row->name, value, &changed, why, sizeof why)) return fail(context, ZN_ERROR_ARGUMENT, "%s", why);
    *settings = changed;
    return ZN_OK;
}

zn_status zn_settings_get(zn_context *context, const zn_settings *settings, const char *name, char *text, size_t room) {
    NEED_CONTEXT(context);
    NEED(context, settings);
    NEED(context, name);
    NEED(context, text);
    const setting *row = find(name);
    if (!row) return fail_unknown(context, name);
    zn_settings initial = zn_settings_default();
    double value = setting_value(row, settings);
    if (row->kind == SETTING_SCHEME) snprintf(text, room, "%s", settings->scheme ? settings->scheme : initial.scheme);
    else if (row->kind == SETTING_STEP && settings->step_auto) snprintf(text, room, "auto");
    else if (row->words) snprintf(text, room, "%s", value >= 0 && value < row->n_words ? row->words[(int)value] : "");
    else snprintf(text, room, "%.17g", value);
    return ZN_OK;
}

const char *zn_settings_name(int index) {
    for (int i = 0; i < settings_count; i++)
        if (settings_rows[i].kind != SETTING_AUTO && index-- == 0) return settings_rows[i].name;
    return NULL;
}

/* ---- what is not given ---- */

static bool may_locate(const zn_settings *s) {
    const scheme_class *class = scheme_find(s->scheme);
    return class && class->takes_modes && !(class->info.order_text && s->stages == 1) && s->projection == ZN_PROJECTION_VELOCITY &&
           s->percussion == ZN_PERCUSSION_STAGE;
}

void settings_complete(zn_settings *s) {
    bool open = s->step == 0 && !s->step_auto;
    if (!s->scheme) s->scheme = unnamed_scheme;
    if (open && s->scheme == unnamed_scheme) s->scheme = "radau-2a", s->stages = s->stages ? s->stages : 3;
    if (open) s->step_auto = true;
    if (s->contact_events == ZN_EVENTS_AUTO) s->contact_events = open && may_locate(s) ? ZN_EVENTS_LOCATED : ZN_EVENTS_CAPTURED;
}

/* ---- checks ---- */

/* Each member by itself. An enumerator is read as the int that it is. */
static zn_status check_member(zn_context *context, const zn_settings *s, const setting *row) {
    char text[120];
    double value = setting_value(row, s);
    if (row->kind == SETTING_WORD) {
        if (value >= 0 && value < row->n_words) return ZN_OK;
        list_words(row, text, sizeof text);
        return fail(context, ZN_ERROR_ARGUMENT, "%s has no choice %g; there are 0 to %d: %s", row->name, value, row->n_words - 1, text);
    }
    bool number = row->kind == SETTING_NUMBER || row->kind == SETTING_WHOLE || row->kind == SETTING_STEP;
    if (!number || (row->unset && value == 0) || (isfinite(value) && range_has(row->range, value))) return ZN_OK;
    return fail(context, ZN_ERROR_ARGUMENT, "%s %s, but is %g", row->name, range_demand(row->range, text, sizeof text), value);
}

zn_status settings_check(zn_context *context, const zn_settings *s) {
    zn_status status = ZN_OK;
    for (int i = 0; i < settings_count && status == ZN_OK; i++)
        if (settings_rows[i].offset != offsetof(zn_settings, accuracy) || s->step_auto) /* else nothing looks at it */
            status = check_member(context, s, &settings_rows[i]);
    if (status != ZN_OK) return status;
    char why[200];
    if (!scheme_find(s->scheme)) return scheme_unknown(s->scheme, why, sizeof why), fail(context, ZN_ERROR_ARGUMENT, "%s", why);
    if (s->step > 0 && s->end / s->step > MAX_COUNT)
        return fail(context, ZN_ERROR_ARGUMENT, "a step of %g is too small for an end of %g", s->step, s->end);
    if (s->record_step > 0 && s->end / s->record_step > MAX_COUNT)
        return fail(context, ZN_ERROR_ARGUMENT, "a record_step of %g is too small for an end of %g", s->record_step, s->end);
    if (s->record_step > 0 && s->record_every != 1)
        return fail(context, ZN_ERROR_ARGUMENT, "record_every counts steps and record_step is a time: give one of them");
    return ZN_OK;
}
