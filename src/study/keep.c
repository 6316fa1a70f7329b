/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a run, from the rows t_0 < t_1 < ... < t_n of its result with t_i >= from, for a column x:
 *
 *   last, final    x_n
 *   min, max       over the rows
 *   mean           1/(t_n - t_0) sum (x_i + x_{i+1})/2 (t_{i+1} - t_i)
 *   rms            the root of the mean of x^2
 *   period         mean time between the rising zeros of x; not a number where there are fewer than two
 *   summary        a number of the whole run: steps, max_penetration ...
 *
 * and at events, any number for each run,
 *
 *   impact:CONTACT:x,...    rows with a normal percussion of the contact, after one without
 *   rising:COLUMN:x,...     zeros of the column between two rows, upwards; x by linear interpolation
 *   falling:COLUMN:x,...    downwards */
#include "study/keep.h"

#include "base/nearest.h"

#include <stddef.h>
#include <stdio.h>

enum { LAST, FINAL, MIN, MAX, MEAN, RMS, PERIOD, SUMMARY, N_NUMBERS, IMPACT = N_NUMBERS, RISING, FALLING, N_WORDS };
static const char *const words[N_WORDS] = {"last",   "final",   "min",    "max",    "mean",   "rms",
                                           "period", "summary", "impact", "rising", "falling"};

/* Members of the summary; whole numbers become doubles. */
typedef struct member {
    const char *name;
    size_t offset;
    enum { REAL, WHOLE, INTEGER } type;
} member;
#define MEMBER(name, type) \
    { #name, offsetof(zn_statistics, name), type }
static const member members[] = {MEMBER(steps, WHOLE),
                                 MEMBER(rejected, WHOLE),
                                 MEMBER(cut_steps, WHOLE),
                                 MEMBER(cut_impacts, WHOLE),
                                 MEMBER(step_min, REAL),
                                 MEMBER(step_max, REAL),
                                 MEMBER(max_penetration, REAL),
                                 MEMBER(max_g, REAL),
                                 MEMBER(max_gdot, REAL),
                                 MEMBER(max_gamma, REAL),
                                 MEMBER(energy_start, REAL),
                                 MEMBER(energy_end, REAL),
                                 MEMBER(max_residual, REAL),
                                 MEMBER(newton_total, WHOLE),
                                 MEMBER(projection_total, WHOLE),
                                 MEMBER(newton_max, INTEGER),
                                 MEMBER(projection_max, INTEGER),
                                 MEMBER(energy_warnings, WHOLE),
                                 MEMBER(max_overlap, REAL),
                                 MEMBER(missed_pairs, WHOLE)};
enum { N_MEMBERS = sizeof members / sizeof *members };

static double member_value(const member *m, const zn_statistics *statistics) {
    const char *at = (const char *)statistics + m->offset;
    if (m->type == REAL) return *(const double *)(const void *)at;
    return m->type == WHOLE ? (double)*(const long *)(const void *)at : (double)*(const int *)(const void *)at;
}

/* ---- reading ---- */

/* The next piece of a list, up to a comma outside double quotes, without the quotes. *text goes behind it; NULL after the last. */
static char *next_piece(zn_context *context, const char **text) {
    char *piece = mem_text(context, *text), *to = piece;
    bool quoted = false;
    if (!piece) return NULL;
    const char *c = *text;
    while (*c == ' ') c++;
    for (; *c && (quoted || *c != ','); c++)
        if (*c == '"') quoted = !quoted;
        else *to++ = *c;
    *to = '\0';
    *text = *c ? c + 1 : NULL;
    return piece;
}

static int word_of(const char *piece, const char **rest) {
    const char *colon = strchr(piece, ':');
    for (int i = 0; colon && i < N_WORDS; i++)
        if (strlen(words[i]) == (size_t)(colon - piece) && !strncmp(words[i], piece, (size_t)(colon - piece))) {
            *rest = colon + 1;
            return i;
        }
    return -1;
}

static zn_status wrong(const study_keep *keep, const char *text, const char *sentence, const char *name) {
    return fail(keep->context, ZN_ERROR_ARGUMENT, "--keep %s: %s%s", text, sentence, name);
}

/* The columns of an item, by their names in a result: one, or those of a dataset. */
static zn_status find_columns(study_keep *keep, result_file *like, study_item *item) {
    zn_context *context = keep->context;
    const result_layout *layout = result_get_layout(like);
    int first = 0, found = -1, count = 1;
    for (int d = 0; d < layout->n_datasets && found < 0; d++) {
        int n = layout->datasets[d].columns ? layout->datasets[d].n_columns : 1;
        if (layout->datasets[d].columns && !strcmp(layout->datasets[d].name, item->what)) found = first, count = n, item->n_columns = n;
        first += n;
    }
    int exact = -1;
    for (int i = 0; exact < 0 && i < result_layout_width(layout); i++)
        if (!strcmp(result_column_name(like, i), item->what)) exact = i;
    if (exact >= 0 || found < 0) { /* a column takes precedence over a dataset of the same name */
        zn_status status = exact >= 0 ? ZN_OK : result_find(like, item->what, &exact);
        if (status != ZN_OK) return status;
        found = exact, count = 1, item->n_columns = 0;
    }
    item->columns = MEM_ARRAY(context, char *, count);
    item->short_names = MEM_ARRAY(context, char *, count);
    item->index = MEM_ARRAY(context, int, count);
    bool ok = item->columns && item->short_names && item->index;
    for (int i = 0; ok && i < count; i++) {
        const char *label = result_column_name(like, found + i);
        size_t prefix = strlen(item->what);
        bool prefixed = !strncmp(label, item->what, prefix) && label[prefix] == '.';
        item->index[i] = found + i;
        item->columns[i] = mem_text(context, label);
        item->short_names[i] = mem_text(context, prefixed ? label + prefix + 1 : label);
        ok = item->columns[i] && item->short_names[i];
    }
    keep->width += count;
    return ok ? ZN_OK : ZN_ERROR_MEMORY;
}

static zn_status find_member(study_keep *keep, study_item *item) {
    const char *names[N_MEMBERS];
    for (int i = 0; i < N_MEMBERS; i++) {
        names[i] = members[i].name;
        if (!strcmp(item->what, members[i].name)) {
            item->member = i;
            keep->width++;
            return ZN_OK;
        }
    }
    const char *near = nearest_name(item->what, names, N_MEMBERS);
    return fail(keep->context, ZN_ERROR_ARGUMENT, "--keep %s: the summary has no '%s'%s%s%s", item->name, item->what,
                near ? " (did you mean '" : "", near ? near : "",
                near ? "'?)" : "; it has steps, max_penetration, max_residual, energy_end and others (docs/studies.md)");
}

static zn_status add_item(study_keep *keep, result_file *like, int word, const char *what) {
    zn_context *context = keep->context;
    study_item *items = MEM_ARRAY(context, study_item, keep->n_items + 1);
    if (!items) return ZN_ERROR_MEMORY;
    if (keep->n_items) memcpy(items, keep->items, (size_t)keep->n_items * sizeof *items);
    mem_free(context, keep->items);
    keep->items = items;
    study_item *item = &items[keep->n_items++];
    item->word = word;
    item->name = mem_format(context, "%s:%s", words[word], what);
    item->what = mem_text(context, what);
    if (!item->name || !item->what) return ZN_ERROR_MEMORY;
    for (int i = 0; i + 1 < keep->n_items; i++)
        if (!strcmp(items[i].name, item->name)) return wrong(keep, item->name, "this is there twice", "");
    if (strchr(what, '/')) return wrong(keep, item->name, "a name has no slash", "");
    return word == SUMMARY ? find_member(keep, item) : find_columns(keep, like, item);
}

static zn_status add_value(study_keep *keep, result_file *like, const char *name) {
    zn_context *context = keep->context;
    int index;
    zn_status status = result_find(like, name, &index);
    if (status != ZN_OK) return status;
    for (int i = 0; i < keep->n_values; i++)
        if (keep->value_index[i] == index) return ZN_OK;
    if (keep->n_values == STUDY_MOST_VALUES)
        return fail(context, ZN_ERROR_ARGUMENT, "at most %d columns can be kept at events", STUDY_MOST_VALUES);
    char **values = MEM_ARRAY(context, char *, keep->n_values + 1);
    int *places = MEM_ARRAY(context, int, keep->n_values + 1);
    char *label = mem_text(context, result_column_name(like, index));
    if (!values || !places || !label) {
        mem_free(context, values), mem_free(context, places), mem_free(context, label);
        return ZN_ERROR_MEMORY;
    }
    for (int i = 0; i < keep->n_values; i++) values[i] = keep->values[i], places[i] = keep->value_index[i];
    values[keep->n_values] = label, places[keep->n_values++] = index;
    mem_free(context, keep->values);
    mem_free(context, keep->value_index);
    keep->values = values, keep->value_index = places;
    return ZN_OK;
}

/* "floor:x'": the contact or column, and the first value. */
static zn_status add_event(study_keep *keep, result_file *like, int word, const char *text) {
    zn_context *context = keep->context;
    const char *colon = strchr(text, ':');
    if (!colon || colon == text || !colon[1])
        return fail(context, ZN_ERROR_ARGUMENT, "--keep %s:%s: it is written %s:%s:COLUMN,...", words[word], text, words[word],
                    word == IMPACT ? "CONTACT" : "COLUMN");
    study_event *events = MEM_ARRAY(context, study_event, keep->n_events + 1);
    if (!events) return ZN_ERROR_MEMORY;
    if (keep->n_events) memcpy(events, keep->events, (size_t)keep->n_events * sizeof *events);
    mem_free(context, keep->events);
    keep->events = events;
    study_event *event = &events[keep->n_events++];
    int length = (int)(colon - text);
    event->word = word;
    event->name = mem_format(context, "%s:%.*s", words[word], length, text);
    event->column =
        word == IMPACT ? mem_format(context, "percussion.%.*s.normal", length, text) : mem_format(context, "%.*s", length, text);
    if (!event->name || !event->column) return ZN_ERROR_MEMORY;
    zn_status status = result_find(like, event->column, &event->index);
    if (status != ZN_OK) return status;
    char *label = mem_text(context, result_column_name(like, event->index));
    if (!label) return ZN_ERROR_MEMORY;
    mem_free(context, event->column);
    event->column = label;
    return add_value(keep, like, colon + 1);
}

static zn_status read_text(study_keep *keep, result_file *like, const char *text) {
    int word = -1;
    const char *all = text;
    zn_status status = ZN_OK;
    while (text && status == ZN_OK) {
        char *piece = next_piece(keep->context, &text);
        if (!piece) return ZN_ERROR_MEMORY;
        const char *what = piece;
        int next = word_of(piece, &what);
        if (next >= 0) word = next;
        if (word < 0)
            status = wrong(keep, all,
                           "it begins with last:, min:, max:, mean:, rms:, period:, summary:, impact:, rising: or falling:, not ", piece);
        else if (!*what) status = wrong(keep, all, "a name is missing", "");
        else if (word < N_NUMBERS) status = add_item(keep, like, word, what);
        else if (next >= 0) status = add_event(keep, like, word, what);
        else status = add_value(keep, like, what);
        mem_free(keep->context, piece);
    }
    return status;
}

zn_status study_keep_create(zn_context *context, int n, const char *const *texts, double from, result_file *like, study_keep *keep) {
    *keep = (study_keep){.context = context, .from = from};
    zn_status status = ZN_OK;
    if (n == 0) status = fail(context, ZN_ERROR_ARGUMENT, "--keep WHAT is missing: choose what to keep, for instance --keep last:q,u");
    for (int i = 0; i < n && status == ZN_OK; i++) status = read_text(keep, like, texts[i]);
    if (status != ZN_OK) study_keep_free(keep);
    return status;
}

void study_keep_free(study_keep *keep) {
    zn_context *context = keep->context;
    if (!context) return;
    for (int i = 0; i < keep->n_items; i++) {
        study_item *item = &keep->items[i];
        int count = item->n_columns ? item->n_columns : 1;
        for (int k = 0; item->columns && k < count; k++) mem_free(context, item->columns[k]);
        for (int k = 0; item->short_names && k < count; k++) mem_free(context, item->short_names[k]);
        void *blocks[] = {item->columns, item->short_names, item->index, item->name, item->what};
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) mem_free(context, blocks[k]);
    }
    for (int i = 0; i < keep->n_events; i++) mem_free(context, keep->events[i].name), mem_free(context, keep->events[i].column);
    for (int i = 0; i < keep->n_values; i++) mem_free(context, keep->values[i]);
    mem_free(context, keep->items);
    mem_free(context, keep->events);
    mem_free(context, keep->values);
    mem_free(context, keep->value_index);
    *keep = (study_keep){0};
}

/* ---- evaluation ---- */

/* A column from the first row that counts on. */
typedef struct series {
    const double *t, *x;
    ptrdiff_t dt, dx; /* strides */
    long rows;
} series;

static double at(const series *s, long i) { return s->x[i * s->dx]; }
static double time_at(const series *s, long i) { return s->t[i * s->dt]; }

/* Of x or of x^2. */
static double mean_of(const series *s, bool squared) {
    double sum = 0, span = time_at(s, s->rows - 1) - time_at(s, 0);
    if (!(span > 0)) return squared ? at(s, 0) * at(s, 0) : at(s, 0);
    for (long i = 0; i + 1 < s->rows; i++) {
        double a = at(s, i), b = at(s, i + 1);
        sum += 0.5 * (squared ? a * a + b * b : a + b) * (time_at(s, i + 1) - time_at(s, i));
    }
    return sum / span;
}

/* Where between rows i and i + 1 the column passes zero upwards (sign 1) or downwards (-1): 0 < share <= 1; 0: nowhere. */
static double crossing(const series *s, long i, double sign) {
    double a = sign * at(s, i), b = sign * at(s, i + 1);
    return a < 0 && b >= 0 ? a / (a - b) : 0;
}

static double period_of(const series *s) {
    double first = NAN, last = NAN;
    long count = 0;
    for (long i = 0; i + 1 < s->rows; i++) {
        double share = crossing(s, i, 1);
        if (!(share > 0)) continue;
        last = time_at(s, i) + share * (time_at(s, i + 1) - time_at(s, i));
        if (count++ == 0) first = last;
    }
    return count > 1 ? (last - first) / (double)(count - 1) : NAN;
}

static double number_of(int word, const series *s) {
    if (s->rows == 0) return NAN;
    double extreme = at(s, 0);
    switch (word) {
    case MIN:
        for (long i = 1; i < s->rows; i++) extreme = smaller(extreme, at(s, i));
        return extreme;
    case MAX:
        for (long i = 1; i < s->rows; i++) extreme = larger(extreme, at(s, i));
        return extreme;
    case MEAN: return mean_of(s, false);
    case RMS: return sqrt(mean_of(s, true));
    case PERIOD: return period_of(s);
    default: return at(s, s->rows - 1);
    }
}

/* The column, at its last place or else by a search, as another scheme may have other columns. */
static zn_status get_series(result_file *result, const char *name, int index, long first, series *s) {
    const char *there = index < zn_result_columns(result) ? result_column_name(result, index) : NULL;
    zn_status status = there && !strcmp(there, name) ? ZN_OK : result_find(result, name, &index);
    if (status == ZN_OK) status = zn_result_values(result, index, &s->x, &s->dx);
    if (status == ZN_OK) s->x += first * s->dx;
    return status;
}

static zn_status add_entry(study_events *events, int event, double t, int n_values, const double *values) {
    size_t width = 2 + (size_t)n_values;
    if (!mem_grow(events->memory, (void **)&events->entries, &events->room, (events->count + 1) * width, sizeof *events->entries))
        return ZN_ERROR_MEMORY;
    double *entry = events->entries + events->count++ * width;
    entry[0] = event, entry[1] = t;
    memcpy(entry + 2, values, (size_t)n_values * sizeof *values);
    return ZN_OK;
}

static zn_status take_events(const study_keep *keep, result_file *result, long first, const series *time, study_events *events) {
    series watched = *time;
    series values[STUDY_MOST_VALUES];
    double numbers[STUDY_MOST_VALUES];
    zn_status status = ZN_OK;
    for (int v = 0; v < keep->n_values && status == ZN_OK; v++)
        values[v] = *time, status = get_series(result, keep->values[v], keep->value_index[v], first, &values[v]);
    for (int e = 0; e < keep->n_events && status == ZN_OK; e++) {
        const study_event *event = &keep->events[e];
        status = get_series(result, event->column, event->index, first, &watched);
        for (long i = 0; i + 1 < watched.rows && status == ZN_OK; i++) {
            double share = event->word == IMPACT ? at(&watched, i + 1) > 0 && !(at(&watched, i) > 0)
                                                 : crossing(&watched, i, event->word == RISING ? 1 : -1);
            if (!(share > 0)) continue;
            for (int v = 0; v < keep->n_values; v++) numbers[v] = at(&values[v], i) + share * (at(&values[v], i + 1) - at(&values[v], i));
            if (share == 1)
                for (int v = 0; v < keep->n_values; v++) numbers[v] = at(&values[v], i + 1);
            status = add_entry(events, e, time_at(time, i) + share * (time_at(time, i + 1) - time_at(time, i)), keep->n_values, numbers);
        }
    }
    return status;
}

zn_status study_keep_take(const study_keep *keep, result_file *result, const zn_statistics *statistics, double *numbers,
                          study_events *events) {
    series time = {.rows = zn_result_rows(result)};
    long first = 0;
    zn_status status = get_series(result, "t", 0, 0, &time);
    if (status != ZN_OK) return status;
    while (first < time.rows && !(time.x[first * time.dx] >= keep->from)) first++;
    time.t = time.x + first * time.dx, time.dt = time.dx, time.rows -= first;
    for (int i = 0; i < keep->n_items && status == ZN_OK; i++) {
        const study_item *item = &keep->items[i];
        if (item->word == SUMMARY) {
            *numbers++ = member_value(&members[item->member], statistics);
            continue;
        }
        for (int k = 0; k < (item->n_columns ? item->n_columns : 1) && status == ZN_OK; k++) {
            series s = time;
            status = get_series(result, item->columns[k], item->index[k], first, &s);
            if (status == ZN_OK) *numbers++ = number_of(item->word, &s);
        }
    }
    return status == ZN_OK && keep->n_events ? take_events(keep, result, first, &time, events) : status;
}
