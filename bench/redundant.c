/* SPDX-License-Identifier: Apache-2.0 */
/* What a redundant row costs: Bricard's mechanism (30 rows of which one is redundant) against the same loop without that row (a universal
 * joint in place of a hinge) and against the loop cut open at that hinge.
 *
 *   bench_redundant [--scenes FOLDER] [--out FILE.csv] [--seconds S] [--only SCHEME] [--loop closed|independent|open]
 *
 * The three run in turn, for at least S seconds together, and the fastest run of each counts. With --only and --loop one of them runs once,
 * for callgrind (--toggle-collect=zn_simulation_step). */
#include "zeno/zeno.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N_LOOPS = 3, SCENE_MAX = 8000 };
static const char *const loops[N_LOOPS] = {"closed", "independent", "open"};
static const char hinge[] = "  f: {type: revolute, between: [world, five], at: [0, 0, l], axis: [1, 0, 0]}\n";
static const char universal[] = "  f: {type: universal, between: [world, five], at: [0, 0, l], axis: [1, 0, 0]}\n";
static const double step = 1e-3, end = 0.2;

typedef struct options {
    const char *scenes, *out, *only, *loop;
    double seconds;
} options;

static bool load_text(const char *folder, int loop, char *text) {
    char path[600], all[SCENE_MAX / 2];
    snprintf(path, sizeof path, "%s/bricard.yaml", folder);
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(all, 1, sizeof all - 1, file) : 0;
    if (file) fclose(file);
    all[length] = '\0';
    char *place = strstr(all, hinge);
    if (!place) return fprintf(stderr, "%s does not have the last hinge as expected\n", path), false;
    const char *instead = loop == 0 ? hinge : loop == 1 ? universal : "";
    snprintf(text, SCENE_MAX, "%.*s%s%s", (int)(place - all), all, instead, place + strlen(hinge));
    return true;
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Microseconds a step of one run; negative: it failed. */
static double run(const char *text, const char *scheme, zn_statistics *statistics) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    zn_simulation *simulation = NULL;
    zn_status status = zn_scene_parse(context, "bricard", text, NULL, &scene);
    if (status == ZN_OK) {
        zn_settings settings = *zn_scene_settings(scene);
        settings.scheme = scheme, settings.step = step, settings.end = end;
        status = zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation);
    }
    double begin = processor_seconds();
    if (status == ZN_OK) status = zn_simulation_run(simulation, NULL, NULL);
    double seconds = processor_seconds() - begin;
    if (status == ZN_OK) *statistics = zn_simulation_statistics(simulation);
    else fprintf(stderr, "%s: %s\n", scheme, zn_error_text(context));
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return status == ZN_OK ? 1e6 * seconds / (double)statistics->steps : -1;
}

static bool measure(char text[N_LOOPS][SCENE_MAX], const char *scheme, const options *o, FILE *csv) {
    double fastest[N_LOOPS] = {0}, begin = processor_seconds();
    zn_statistics statistics[N_LOOPS];
    do {
        for (int loop = 0; loop < N_LOOPS; loop++) {
            if (o->loop && strcmp(o->loop, loops[loop]) != 0) continue;
            double time = run(text[loop], scheme, &statistics[loop]);
            if (time < 0) return false;
            if (fastest[loop] == 0 || time < fastest[loop]) fastest[loop] = time;
        }
    } while (!o->loop && processor_seconds() - begin < o->seconds);
    if (o->loop) return true;
    const zn_statistics *s = &statistics[0];
    double of_independent = fastest[0] / fastest[1], of_open = fastest[0] / fastest[2];
    printf("%-18s %9.1f %12.1f %9.1f %7.2f %7.2f %10.1e %8ld\n", scheme, fastest[0], fastest[1], fastest[2], of_independent, of_open,
           s->max_residual, s->roundoff_steps);
    if (csv)
        fprintf(csv, "%s,%g,%g,%g,%g,%g,%g,%ld\n", scheme, fastest[0], fastest[1], fastest[2], of_independent, of_open, s->max_residual,
                s->roundoff_steps);
    return true;
}

int main(int count, char **words) {
    static char text[N_LOOPS][SCENE_MAX];
    options o = {.scenes = "scenes", .seconds = 2};
    for (int i = 1; i + 1 < count; i += 2) {
        const struct {
            const char *name, **value;
        } texts[] = {{"--scenes", &o.scenes}, {"--out", &o.out}, {"--only", &o.only}, {"--loop", &o.loop}};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            if (strcmp(words[i], texts[k].name) == 0) *texts[k].value = words[i + 1];
        if (strcmp(words[i], "--seconds") == 0) o.seconds = atof(words[i + 1]);
    }
    for (int loop = 0; loop < N_LOOPS; loop++)
        if (!load_text(o.scenes, loop, text[loop])) return 1;
    FILE *csv = o.out ? fopen(o.out, "w") : NULL;
    if (csv) fprintf(csv, "scheme,closed,independent,open,by_independent,by_open,max_residual,roundoff_steps\n");
    printf("us/step            redundant  independent      open   ratio   ratio   residual round-off\n");
    bool ok = true;
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        if (!info.general_kinematics || (o.only && strcmp(o.only, info.name) != 0)) continue;
        ok = measure(text, info.name, &o, csv) && ok;
    }
    if (csv) fclose(csv);
    return ok ? 0 : 1;
}
