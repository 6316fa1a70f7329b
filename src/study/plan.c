/* SPDX-License-Identifier: Apache-2.0 */
/* What varies. Run k of crossed axes with n_1, ..., n_m values and S samples:
 *
 *   k = ((i_1 n_2 + i_2) n_3 + ... + i_m) S + s          value of axis j: number i_j of its values, or of its distribution
 *
 *   linear        A + (B - A) i/(n - 1)
 *   log           A (B/A)^(i/(n - 1))
 *   uniform       A + (B - A) x_s                        x_s: coordinate of sample s in (0, 1)
 *   normal        MEAN + DEVIATION Phi^-1(x_s)
 *   truncated     the same with Phi(l) + x_s (Phi(h) - Phi(l)) for x_s, where l and h are the standardised bounds
 *
 * Side by side (zip) all axes have the same number of values, and i_j = s = k. */
#include "study/plan.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_FIELDS = 8 };

static bool is_distribution(study_values values) { return values >= STUDY_UNIFORM; }

static bool read_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    while (*end == ' ') end++;
    return end != text && !*end && isfinite(*value);
}

static zn_status wrong(zn_context *context, const char *vary, const char *sentence) {
    return fail(context, ZN_ERROR_ARGUMENT, "--vary %s: %s", vary, sentence);
}

/* Splits in place; returns how many, at most `most`; -1: more. */
static int split(char *text, char separator, int most, char **fields) {
    int n = 0;
    for (char *next = text; next; n++) {
        if (n == most) return -1;
        fields[n] = next;
        next = strchr(next, separator);
        if (next) *next++ = '\0';
    }
    return n;
}

static zn_status read_list(zn_context *context, const char *vary, char *values, study_axis *axis) {
    int count = 1;
    for (const char *c = values; *c; c++) count += *c == ',';
    char **fields = MEM_ARRAY(context, char *, count);
    axis->list = MEM_ARRAY(context, double, count);
    if (!fields || !axis->list) {
        mem_free(context, fields);
        return ZN_ERROR_MEMORY;
    }
    split(values, ',', count, fields);
    axis->count = count;
    zn_status status = ZN_OK;
    int words = 0;
    for (int i = 0; i < count; i++) {
        fields[i] += strspn(fields[i], " ");
        if (!*fields[i]) status = wrong(context, vary, "a value is empty");
        words += !read_number(fields[i], &axis->list[i]);
    }
    if (words > 0 && status == ZN_OK) {
        axis->words = MEM_ARRAY(context, char *, count);
        for (int i = 0; axis->words && i < count; i++) axis->list[i] = i, axis->words[i] = mem_text(context, fields[i]);
        if (!axis->words || !axis->words[count - 1]) status = ZN_ERROR_MEMORY;
    }
    mem_free(context, fields);
    return status;
}

static zn_status check_axis(zn_context *context, const char *vary, study_axis *axis, double count) {
    const double *n = axis->number;
    if (axis->values == STUDY_LINEAR || axis->values == STUDY_LOG) {
        if (!(count >= 1 && count <= 1e15 && count == floor(count)))
            return wrong(context, vary, "the number of values must be a whole number, 1 or more");
        axis->count = (long)count;
    }
    if (axis->values == STUDY_LOG && !(n[0] * n[1] > 0))
        return wrong(context, vary, "a logarithmic range has both ends above 0, or both below");
    if (axis->values == STUDY_UNIFORM && !(n[0] < n[1])) return wrong(context, vary, "uniform:A:B needs A < B");
    if (axis->values >= STUDY_NORMAL && !(n[1] > 0)) return wrong(context, vary, "the deviation must be greater than 0");
    if (axis->values != STUDY_TRUNCATED) return ZN_OK;
    if (!(n[2] < n[3])) return wrong(context, vary, "truncated:MEAN:DEVIATION:LOW:HIGH needs LOW < HIGH");
    double low = study_normal((n[2] - n[0]) / n[1]), high = study_normal((n[3] - n[0]) / n[1]);
    return high > low ? ZN_OK : wrong(context, vary, "nothing of the distribution lies between the bounds");
}

static zn_status read_values(zn_context *context, const char *vary, char *text, study_axis *axis) {
    static const struct {
        const char *word;
        study_values values;
        int numbers;
    } kinds[] = {{"linear", STUDY_LINEAR, 3},
                 {"log", STUDY_LOG, 3},
                 {"uniform", STUDY_UNIFORM, 2},
                 {"normal", STUDY_NORMAL, 2},
                 {"truncated", STUDY_TRUNCATED, 4}};
    enum { N_KINDS = sizeof kinds / sizeof *kinds };
    static const char forms[] =
        "values are V1,V2,... or A:B:N or log:A:B:N or uniform:A:B or normal:MEAN:DEVIATION or truncated:MEAN:DEVIATION:LOW:HIGH";
    const char *colon = strchr(text, ':'), *comma = strchr(text, ',');
    if (!colon || (comma && comma < colon)) return read_list(context, vary, text, axis);
    char *fields[MOST_FIELDS];
    int n = split(text, ':', MOST_FIELDS, fields), kind = -1, first = 1;
    for (int i = 0; i < N_KINDS; i++)
        if (!strcmp(fields[0] + strspn(fields[0], " "), kinds[i].word)) kind = i;
    double ignored, numbers[4] = {0};
    if (kind < 0 && n == 2) { /* a scheme with stages, "radau-2a:3" */
        fields[1][-1] = ':';
        if (!read_number(fields[0], &ignored) && strspn(fields[0], "0123456789.+-") == 0) return read_list(context, vary, text, axis);
    }
    if (kind < 0) kind = first = 0;
    if (n - first != kinds[kind].numbers) return wrong(context, vary, forms);
    for (int i = first; i < n; i++)
        if (!read_number(fields[i], &numbers[i - first])) return wrong(context, vary, forms);
    axis->values = kinds[kind].values;
    memcpy(axis->number, numbers, sizeof axis->number);
    return check_axis(context, vary, axis, numbers[2]);
}

static zn_status read_axis(zn_context *context, const char *vary, study_axis *axis) {
    const char *equals = strchr(vary, '='), *begin = vary + strspn(vary, " "), *end = equals;
    while (equals && end > begin && end[-1] == ' ') end--;
    if (!equals || end == begin) return wrong(context, vary, "it is written NAME=VALUES");
    if (!equals[1 + strspn(equals + 1, " ")]) return wrong(context, vary, "there are no values");
    axis->name = mem_format(context, "%.*s", (int)(end - begin), begin);
    char *text = mem_text(context, equals + 1);
    zn_status status = axis->name && text ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK && strpbrk(axis->name, "/")) status = wrong(context, vary, "a name has no slash");
    if (status == ZN_OK) status = read_values(context, vary, text, axis);
    mem_free(context, text);
    return status;
}

static zn_status count_runs(study_plan *plan) {
    zn_context *context = plan->context;
    long runs = plan->zip ? 0 : 1;
    for (int i = 0; i < plan->n_axes; i++) {
        long count = plan->axes[i].count;
        if (plan->zip && i > 0 && count != runs)
            return fail(context, ZN_ERROR_ARGUMENT, "side by side, all must have the same number of values: '%s' has %ld, '%s' has %ld",
                        plan->axes[0].name, runs, plan->axes[i].name, count);
        if (plan->zip) runs = count;
        else if (!is_distribution(plan->axes[i].values)) {
            if (runs > LONG_MAX / 4096 / count) return fail(context, ZN_ERROR_ARGUMENT, "these are too many runs");
            runs *= count;
        }
    }
    if (!plan->zip && plan->n_dimensions > 0) {
        if (runs > LONG_MAX / 4096 / plan->samples) return fail(context, ZN_ERROR_ARGUMENT, "these are too many runs");
        runs *= plan->samples;
    }
    plan->runs = runs;
    return ZN_OK;
}

static zn_status check_samples(study_plan *plan) {
    zn_context *context = plan->context;
    if (plan->n_dimensions > 0 && plan->samples < 1)
        return fail(context, ZN_ERROR_ARGUMENT, "distributions need a number of samples: --samples N");
    if (plan->n_dimensions == 0 && plan->samples > 0)
        return fail(context, ZN_ERROR_ARGUMENT, "--samples is for distributions (uniform, normal, truncated), and none is given");
    if (plan->sampling == STUDY_SOBOL && plan->n_dimensions > STUDY_SOBOL_DIMENSIONS)
        return fail(context, ZN_ERROR_ARGUMENT, "Sobol points have at most %d dimensions; latin and random have no limit",
                    STUDY_SOBOL_DIMENSIONS);
    if (plan->samples > (long)UINT32_MAX)
        return fail(context, ZN_ERROR_ARGUMENT, "there may be at most %lu samples", (unsigned long)UINT32_MAX);
    return ZN_OK;
}

zn_status study_plan_create(zn_context *context, const study_plan_def *def, study_plan *plan) {
    *plan = (study_plan){.context = context, .samples = def->samples, .sampling = def->sampling, .seed = def->seed, .zip = def->zip};
    if (def->n_vary == 0) return fail(context, ZN_ERROR_ARGUMENT, "--vary NAME=VALUES is missing: choose what varies");
    plan->axes = MEM_ARRAY(context, study_axis, def->n_vary);
    zn_status status = plan->axes ? ZN_OK : ZN_ERROR_MEMORY;
    for (int i = 0; i < def->n_vary && status == ZN_OK; i++) {
        study_axis *axis = &plan->axes[plan->n_axes++];
        status = read_axis(context, def->vary[i], axis);
        if (status == ZN_OK && is_distribution(axis->values)) axis->dimension = plan->n_dimensions++, axis->count = plan->samples;
        for (int k = 0; k < i && status == ZN_OK; k++)
            if (!strcmp(plan->axes[k].name, axis->name)) status = wrong(context, def->vary[i], "this name is there twice");
    }
    if (status == ZN_OK) status = check_samples(plan);
    if (status == ZN_OK) status = count_runs(plan);
    if (status != ZN_OK) study_plan_free(plan);
    return status;
}

void study_plan_free(study_plan *plan) {
    for (int i = 0; i < plan->n_axes; i++) {
        study_axis *axis = &plan->axes[i];
        for (long k = 0; axis->words && k < axis->count; k++) mem_free(plan->context, axis->words[k]);
        mem_free(plan->context, axis->words);
        mem_free(plan->context, axis->list);
        mem_free(plan->context, axis->name);
    }
    if (plan->context) mem_free(plan->context, plan->axes);
    *plan = (study_plan){0};
}

/* The number of the axis's value. */
static long place_of(const study_plan *plan, int axis, long run) {
    if (plan->zip) return run;
    long samples = plan->n_dimensions > 0 ? plan->samples : 1;
    if (is_distribution(plan->axes[axis].values)) return run % samples;
    run /= samples;
    for (int i = plan->n_axes - 1; i > axis; i--)
        if (!is_distribution(plan->axes[i].values)) run /= plan->axes[i].count;
    return run % plan->axes[axis].count;
}

double study_plan_value(const study_plan *plan, int index, long run) {
    const study_axis *axis = &plan->axes[index];
    const double *n = axis->number;
    long i = place_of(plan, index, run);
    double part = axis->count > 1 ? (double)i / (double)(axis->count - 1) : 0, x = 0;
    if (is_distribution(axis->values)) x = study_sample(plan->sampling, plan->seed, axis->dimension, (uint64_t)i, (uint64_t)plan->samples);
    switch (axis->values) {
    case STUDY_LIST: return axis->list[i];
    case STUDY_LINEAR: return i == axis->count - 1 && i > 0 ? n[1] : n[0] + (n[1] - n[0]) * part;
    case STUDY_LOG: return i == axis->count - 1 && i > 0 ? n[1] : n[0] * pow(n[1] / n[0], part);
    case STUDY_UNIFORM: return n[0] + (n[1] - n[0]) * x;
    case STUDY_NORMAL: return n[0] + n[1] * study_normal_quantile(x);
    case STUDY_TRUNCATED: {
        double low = study_normal((n[2] - n[0]) / n[1]), high = study_normal((n[3] - n[0]) / n[1]);
        double value = n[0] + n[1] * study_normal_quantile(low + x * (high - low));
        return value < n[2] ? n[2] : value > n[3] ? n[3] : value; /* round-off far out in a tail */
    }
    }
    return NAN;
}

const char *study_plan_text(const study_plan *plan, int index, long run, char *text, size_t room) {
    const study_axis *axis = &plan->axes[index];
    if (axis->words) return axis->words[place_of(plan, index, run)];
    snprintf(text, room, "%.17g", study_plan_value(plan, index, run));
    return text;
}
