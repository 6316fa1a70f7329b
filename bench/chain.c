/* SPDX-License-Identifier: Apache-2.0 */
/* Does the cost grow linearly with the number of bodies? A chain of n links from parts, in the plane (revolute joints) and in space
 * (spherical joints), let go from a straight line: milliseconds to build the model and to create a simulation, microseconds to answer all
 * questions with all derivatives, and microseconds a step.
 *
 *   bench_chain [--out FILE.csv] [--most N] [--seconds S]                                                                       */
#include "growth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double gravity[2][3] = {{0, -9.81, 0}, {0, 0, -9.81}};
static const double length = 0.1;

static zn_model *make_chain(zn_context *context, int n, bool spatial) {
    zn_parts *parts = zn_parts_create(context);
    zn_model *model = NULL;
    zn_body last = zn_parts_world(parts);
    zn_status status = zn_parts_gravity(parts, gravity[spatial]);
    for (int i = 0; i < n && status == ZN_OK; i++) {
        char name[32], pin[32];
        snprintf(name, sizeof name, "link%d", i + 1);
        snprintf(pin, sizeof pin, "pin%d", i + 1);
        zn_body_def def = zn_default_body_def();
        zn_joint_def joint = zn_default_joint_def();
        zn_body link;
        def.name = name;
        def.type = spatial ? ZN_BODY_SPATIAL : ZN_BODY_PLANAR;
        def.position[0] = (i + 0.5) * length;
        def.mass = 0.1;
        def.shape = (zn_shape_def){.type = ZN_SHAPE_BOX, .size = {length, 0.02, 0.02}};
        joint.name = pin;
        joint.type = spatial ? ZN_JOINT_SPHERICAL : ZN_JOINT_REVOLUTE;
        status = zn_parts_body(parts, &def, &link);
        const double at[3] = {i * length, 0, 0};
        if (status == ZN_OK) status = zn_parts_frame_at(parts, last, NULL, at, NULL, &joint.a);
        if (status == ZN_OK) status = zn_parts_frame_at(parts, link, NULL, at, NULL, &joint.b);
        if (status == ZN_OK) status = zn_parts_joint(parts, &joint);
        last = link;
    }
    if (status == ZN_OK) status = zn_parts_build(parts, &model);
    if (status != ZN_OK) fprintf(stderr, "bench: %s\n", zn_error_text(context));
    zn_parts_destroy(parts);
    return model;
}

/* ---- the table ---- */

enum { COLUMNS = 6 };
static const char *const columns[COLUMNS] = {"build_ms",  "evaluation_us",      "midpoint_us",
                                             "rattle_us", "midpoint_create_ms", "rattle_create_ms"};

static void measure(bool spatial, int most, double seconds, FILE *csv) {
    static const int sizes[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    double cost[SIZES][COLUMNS];
    int count = 0;
    printf("%s\n%7s", spatial ? "space" : "plane", "links");
    for (int c = 0; c < COLUMNS; c++) printf(" %18s", columns[c]);
    printf("\n");
    for (; count < SIZES && sizes[count] <= most; count++) {
        zn_context *context = zn_context_create(NULL);
        double before = bench_now();
        zn_model *model = make_chain(context, sizes[count], spatial);
        double *c = cost[count];
        c[0] = (bench_now() - before) * 1e3;
        if (!model) return;
        c[1] = bench_evaluation(model, seconds);
        c[2] = bench_stepping(context, model, "moreau-midpoint", seconds, &c[4]);
        c[3] = bench_stepping(context, model, "rattle", seconds, &c[5]);
        printf("%7d", sizes[count]);
        for (int k = 0; k < COLUMNS; k++) printf(" %18.4g", c[k]);
        printf("\n");
        if (csv) fprintf(csv, "%s,%d,%g,%g,%g,%g,%g,%g\n", spatial ? "space" : "plane", sizes[count], c[0], c[1], c[2], c[3], c[4], c[5]);
        zn_model_destroy(context, model);
        zn_context_destroy(context);
    }
    bench_powers(count, sizes, COLUMNS, cost[0]);
}

int main(int count, char **arguments) {
    const char *out = NULL;
    int most = 1000;
    double seconds = 0.3;
    for (int i = 1; i + 1 < count; i += 2) {
        if (!strcmp(arguments[i], "--out")) out = arguments[i + 1];
        else if (!strcmp(arguments[i], "--most")) most = atoi(arguments[i + 1]);
        else if (!strcmp(arguments[i], "--seconds")) seconds = atof(arguments[i + 1]);
    }
    FILE *csv = out ? fopen(out, "w") : NULL;
    if (csv) fprintf(csv, "chain,links,%s,%s,%s,%s,%s,%s\n", columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]);
    measure(false, most, seconds, csv);
    measure(true, most, seconds, csv);
    return csv && fclose(csv) != 0;
}
