/* SPDX-License-Identifier: Apache-2.0 */
/* Random mechanisms, each with two schemes: they agree to the error that is to be expected, or a run fails and says why.
 *
 *   random_mechanisms COUNT [FIRST]   mechanisms FIRST (1) .. FIRST + COUNT - 1; exit status 1: some do not hold
 *   random_mechanisms --scene NUMBER  prints the scene of one, with the first of its schemes: for `zeno run`
 *
 * The expected error. A scheme runs with the steps h, h/2, h/4 to x1, x2, x3. Where its error is c h^p with p >= 1 (an impact within a
 * step leaves p = 1 to every scheme) that of x3 is |x2 - x3|/(2^p - 1), at most |x2 - x3|, and at most |x1 - x2|/2, which are the
 * same for p = 1. E is the larger of both. Two schemes a, b with right results differ by at most E_a + E_b, up to terms of higher order in
 * h, for which there is a factor 2; and up to FLOOR for what the tolerance of the solver leaves. The comparison proves something only
 * where E is small: steps are divided by 4, twice at most, until E_a + E_b <= GOOD times the size of the mechanism. What is then
 * still larger depends on its data without measure (a stop that is just touched or just missed, a passage through a singular
 * position): it is counted and must stay rare. A run that fails is tried again with the finer steps, too: most failures of explicit
 * schemes with stiff springs ask for them.
 *
 * Where |x2 - x3| > |x1 - x2| the error is not c h^p yet: steps over which a scheme damps a fast oscillation away all have the same result,
 * and differ when they begin to see it. Such runs prove nothing against each other either, and are refined once more. */
#include "mechanisms/mechanism.h"
#include "zeno/zeno.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define END 0.2
#define FIRST_STEP 4e-3
#define GOOD 2e-2           /* of the size: an agreement to two per cent of the motion's scale or better */
#define FLOOR 1e-7          /* of the size: 800 steps with residuals of 1e-10, amplified by what a stop or a singular place does to them */
#define MOST_SENSITIVE 0.03 /* of all mechanisms */
#define MOST_FAILED 0.05    /* of all mechanisms, those that take too long included */
#ifdef __SANITIZE_ADDRESS__
#define MOST_SECONDS 60.0 /* processor time of one run */
#else
#define MOST_SECONDS 5.0
#endif

typedef struct scheme {
    const char *name;
    int stages;
} scheme;
static const scheme schemes[] = {{"rattle", 0},         {"radau-2a", 2}, {"generalized-alpha", 0}, {"lobatto-3a3b", 3},
                                 {"lobatto-3c", 2},     {"tr-bdf2", 0},  {"moreau-midpoint", 0},   {"radau-2a", 1},
                                 {"moreau-shifted", 0}, {"trx2", 0},     {"lobatto-3c", 3},        {"tr-theta", 0}};
enum { N_SCHEMES = sizeof schemes / sizeof *schemes, LEVELS = 3, MOST_Q = 64, MOST_REFINEMENTS = 2 };

typedef enum outcome { AGREED, FAILED, SLOW, SENSITIVE, WRONG, OUTCOMES } outcome;

typedef struct result {
    outcome outcome; /* AGREED: it ran to its end */
    char reason[300];
    double q[LEVELS][MOST_Q], expected; /* E */
    bool grows;                         /* |x2 - x3| > |x1 - x2| */
} result;

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* Largest difference of coordinates; quaternions of opposite sign are the same rotation. */
static double difference(const zn_model *model, const double *a, const double *b) {
    double largest = 0;
    for (int i = 0; i < model->size.nq; i++) {
        const char *dot = strrchr(model->q_names[i], '.');
        if (dot && !strcmp(dot, ".p0")) {
            double minus = 0, plus = 0;
            for (int k = i; k < i + 4; k++) minus = fmax(minus, fabs(a[k] - b[k])), plus = fmax(plus, fabs(a[k] + b[k]));
            largest = fmax(largest, fmin(minus, plus));
            i += 3;
        } else if (!(fabs(a[i] - b[i]) <= largest)) largest = fabs(a[i] - b[i]); /* a NaN stays */
    }
    return largest;
}

/* One run; the reason where it fails. */
static outcome run_once(zn_context *context, const zn_scene *scene, const scheme *s, double step, bool project, double *q, char *reason,
                        size_t room) {
    zn_settings settings = *zn_scene_settings(scene);
    zn_simulation *simulation = NULL;
    settings.scheme = s->name, settings.stages = s->stages, settings.step = step, settings.end = END;
    settings.project_start = project;
    zn_error_clear(context);
    double start = seconds();
    zn_status status = zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation);
    outcome o = AGREED;
    while (status == ZN_OK && o == AGREED && !zn_simulation_done(simulation)) {
        status = zn_simulation_step(simulation);
        if (seconds() - start > MOST_SECONDS) o = SLOW;
    }
    if (status != ZN_OK) {
        snprintf(reason, room, "%s", zn_error_text(context));
        o = *reason ? FAILED : WRONG;
        if (!*reason) snprintf(reason, room, "no reason, status %d", (int)status);
    } else if (o == SLOW) snprintf(reason, room, "more than %g s, at t = %g", MOST_SECONDS, zn_simulation_time(simulation));
    else {
        const zn_statistics statistics = zn_simulation_statistics(simulation);
        memcpy(q, zn_simulation_positions(simulation), (size_t)zn_scene_model(scene)->size.nq * sizeof *q);
        for (int i = 0; i < zn_scene_model(scene)->size.nq; i++)
            if (!isfinite(q[i])) o = WRONG, snprintf(reason, room, "not finite, yet the run says ok");
        if (o == AGREED && !(statistics.max_residual <= settings.tolerance) && statistics.roundoff_steps == 0)
            o = WRONG, snprintf(reason, room, "above the tolerance, yet ok: residual %g", statistics.max_residual);
    }
    zn_simulation_destroy(simulation);
    return o;
}

static void run_levels(zn_context *context, const zn_scene *scene, const scheme *s, double step, bool project, result *r) {
    const zn_model *model = zn_scene_model(scene);
    r->outcome = AGREED;
    for (int level = 0; level < LEVELS && r->outcome == AGREED; level++) {
        r->outcome = run_once(context, scene, s, step, project, r->q[level], r->reason, sizeof r->reason);
        step /= 2;
    }
    if (r->outcome != AGREED) return;
    double D1 = difference(model, r->q[0], r->q[1]), D2 = difference(model, r->q[1], r->q[2]);
    r->expected = fmax(D1 / 2, D2);
    r->grows = D2 > D1;
}

/* Both schemes with finer steps until they prove something. */
static outcome compare(zn_context *context, const zn_scene *scene, const mechanism *m, const scheme *s, result *r, double *gap) {
    double step = FIRST_STEP;
    for (int refinement = 0;; refinement++, step /= 4) {
        outcome worst = AGREED;
        for (int i = 0; i < 2 && worst == AGREED; i++) {
            run_levels(context, scene, &s[i], step, m->moving, &r[i]);
            worst = r[i].outcome;
        }
        if (worst == WRONG || worst == SLOW || (worst == FAILED && refinement >= MOST_REFINEMENTS)) return worst;
        if (worst == FAILED) continue;
        double expected = r[0].expected + r[1].expected;
        *gap = difference(zn_scene_model(scene), r[0].q[LEVELS - 1], r[1].q[LEVELS - 1]);
        bool small = expected <= GOOD * m->size, agree = *gap <= 2 * expected + FLOOR * m->size;
        if (small && agree) return AGREED;
        bool grows = r[0].grows || r[1].grows;
        if (refinement >= MOST_REFINEMENTS + (small && grows)) return small && !grows ? WRONG : SENSITIVE;
    }
}

static const scheme *choose_schemes(uint64_t number, scheme *pair) {
    uint64_t first = number % N_SCHEMES, step = 1 + number / N_SCHEMES % (N_SCHEMES - 1);
    pair[0] = schemes[first], pair[1] = schemes[(first + step) % N_SCHEMES];
    return pair;
}

static const char *describe(const mechanism *m, const scheme *s) {
    static char text[200];
    snprintf(text, sizeof text, "%s%s%s%s%s%s %d rods, %d springs (%.1e N/m), %s:%d against %s:%d", m->spatial ? "spatial" : "planar",
             m->closed ? " closed" : "", m->redundant ? " redundant" : "", m->driven ? " driven" : "",
             m->has_stop ? m->has_friction ? " stop+friction" : " stop" : "", m->moving ? " moving" : "", m->n_rods, m->n_springs,
             m->stiffest, s[0].name, s[0].stages, s[1].name, s[1].stages);
    return text;
}

static outcome judge(uint64_t number, double *relative) {
    static mechanism m;
    static result r[2];
    scheme pair[2];
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    double gap = 0, start = seconds();
    mechanism_make(number, &m);
    choose_schemes(number, pair);
    r[0].outcome = r[1].outcome = AGREED;
    outcome o = WRONG;
    if (zn_scene_parse(context, "mechanism", m.text, NULL, &scene) != ZN_OK)
        printf("%llu WRONG scene: %s\n", (unsigned long long)number, zn_error_text(context));
    else if (zn_scene_model(scene)->size.nq > MOST_Q) printf("%llu WRONG: too many coordinates\n", (unsigned long long)number);
    else {
        o = compare(context, scene, &m, pair, r, &gap);
        int which = r[0].outcome != AGREED ? 0 : 1;
        *relative = (r[0].expected + r[1].expected) / m.size;
        static const char *const words[] = {"agrees", "FAILS", "SLOW", "SENSITIVE", "WRONG"};
        if (o != AGREED) printf("%llu %s: %s\n", (unsigned long long)number, words[o], describe(&m, pair));
        if (o != AGREED && r[which].outcome != AGREED) printf("    %s: %s\n", pair[which].name, r[which].reason);
        if (o != AGREED && r[which].outcome == AGREED)
            printf("    they differ by %.3g, expected %.3g and %.3g\n", gap, r[0].expected, r[1].expected);
    }
    if (seconds() - start > 5) printf("%llu takes %.1f s: %s\n", (unsigned long long)number, seconds() - start, describe(&m, pair));
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return o;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int n_arguments, char **arguments) {
    if (n_arguments == 3 && !strcmp(arguments[1], "--scene")) {
        static mechanism m;
        scheme pair[2];
        uint64_t number = strtoull(arguments[2], NULL, 10);
        mechanism_make(number, &m);
        choose_schemes(number, pair);
        printf("%ssimulation: {scheme: %s, step: %g, end: %g, project_start: %s", m.text, pair[0].name, FIRST_STEP, END,
               m.moving ? "true" : "false");
        printf(pair[0].stages ? ", stages: %d}\n" : "}\n", pair[0].stages);
        return 0;
    }
    long count = n_arguments > 1 ? strtol(arguments[1], NULL, 10) : 0;
    uint64_t first = n_arguments > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    double *relative = count > 0 ? calloc((size_t)count, sizeof *relative) : NULL;
    if (!relative) {
        fprintf(stderr, "random_mechanisms COUNT [FIRST] | --scene NUMBER\n");
        return 2;
    }
    long counts[OUTCOMES] = {0}, agreed = 0;
    for (long i = 0; i < count; i++) {
        outcome o = judge(first + (uint64_t)i, &relative[agreed]);
        counts[o]++;
        if (o == AGREED) agreed++;
        fflush(stdout);
    }
    qsort(relative, (size_t)agreed, sizeof *relative, by_size);
    printf("%ld mechanisms: %ld agree, %ld fail with a reason, %ld are slow, %ld are sensitive, %ld are wrong\n", count, counts[AGREED],
           counts[FAILED], counts[SLOW], counts[SENSITIVE], counts[WRONG]);
    if (agreed)
        printf("expected error of both by the size of the mechanism: median %.1e, largest %.1e\n", relative[agreed / 2],
               relative[agreed - 1]);
    free(relative);
    bool good = counts[WRONG] == 0 && (double)counts[SENSITIVE] <= 1 + MOST_SENSITIVE * (double)count &&
                (double)(counts[FAILED] + counts[SLOW]) <= 1 + MOST_FAILED * (double)count;
    return good ? 0 : 1;
}
