/* SPDX-License-Identifier: Apache-2.0 */
/* Does the cost grow linearly with the number of elements? Flexible bodies of n elements, clamped at one end (bars are
 * free) and let go under their weight: milliseconds to build the model, microseconds to answer all questions with all derivatives, and
 * microseconds a step.
 *
 *   bench_flexible [--out FILE.csv] [--most N] [--seconds S] [--only NAME] */
#include "growth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct flexible_row {
    const char *name;
    zn_flexible_type type;
    int order;
    double damping;
} flexible_row;

static const flexible_row rows[] = {
    {"bar", ZN_FLEXIBLE_BAR, 1, 0},
    {"beam", ZN_FLEXIBLE_BEAM, 1, 0},
    {"beam, order 2", ZN_FLEXIBLE_BEAM, 2, 0},
    {"rod", ZN_FLEXIBLE_ROD, 1, 0},
    {"rod, damped", ZN_FLEXIBLE_ROD, 1, 1e-3},
    {"rod, order 2", ZN_FLEXIBLE_ROD, 2, 0},
    {"spline beam, degree 2", ZN_FLEXIBLE_SPLINE_BEAM, 2, 0},
    {"spline beam, degree 3", ZN_FLEXIBLE_SPLINE_BEAM, 3, 0},
    {"spline beam, degree 3, damped", ZN_FLEXIBLE_SPLINE_BEAM, 3, 1e-3},
};

/* A rubber rod of 20 mm, five centimetres an element, fixed at its start. */
static zn_model *make(zn_context *context, const flexible_row *row, int n) {
    zn_parts *parts = zn_parts_create(context);
    zn_flexible_def def = zn_default_flexible_def();
    zn_joint_def joint = zn_default_joint_def();
    zn_flexible body;
    zn_model *model = NULL;
    const double gravity[3] = {0, -9.81, 0};
    def.name = "body", def.type = row->type, def.elements = n, def.order = row->order, def.damping = row->damping;
    def.to[0] = 0.05 * n, def.radius = 0.01, def.young = 5e6, def.density = 1100, def.record = ZN_RECORD_NONE;
    joint.name = "clamp", joint.type = ZN_JOINT_FIXED;
    zn_status status = zn_parts_gravity(parts, gravity);
    if (status == ZN_OK) status = zn_parts_flexible(parts, &def, &body);
    if (status == ZN_OK && row->type != ZN_FLEXIBLE_BAR) { /* bars lie on their line */
        status = zn_parts_section(parts, body, 0, NULL, NULL, NULL, &joint.b);
        joint.a = zn_parts_body_frame(parts, zn_parts_world(parts));
        if (status == ZN_OK) status = zn_parts_joint(parts, &joint);
    }
    if (status == ZN_OK) status = zn_parts_build(parts, &model);
    if (status != ZN_OK) fprintf(stderr, "bench: %s: %s\n", row->name, zn_error_text(context));
    zn_parts_destroy(parts);
    return model;
}

enum { COLUMNS = 6 };
static const char *const columns[COLUMNS] = {"build_ms", "create_ms", "evaluation_us", "midpoint_us", "alpha_us", "radau_us"};

static void measure(const flexible_row *row, int most, double seconds, FILE *csv) {
    static const int sizes[] = {10, 20, 50, 100, 200, 500, 1000, 2000};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    double cost[SIZES][COLUMNS], ignored;
    int count = 0;
    printf("%s\n%7s", row->name, "n");
    for (int c = 0; c < COLUMNS; c++) printf(" %18s", columns[c]);
    printf("\n");
    for (; count < SIZES && sizes[count] <= most; count++) {
        zn_context *context = zn_context_create(NULL);
        double before = bench_now();
        zn_model *model = make(context, row, sizes[count]);
        double *c = cost[count];
        c[0] = (bench_now() - before) * 1e3;
        if (!model) {
            zn_context_destroy(context);
            return;
        }
        c[2] = bench_evaluation(model, seconds);
        c[3] = bench_stepping(context, model, "moreau-midpoint", seconds, &ignored);
        c[4] = bench_stepping(context, model, "generalized-alpha", seconds, &ignored);
        c[5] = bench_stepping(context, model, "radau-2a", seconds, &c[1]);
        printf("%7d", sizes[count]);
        for (int k = 0; k < COLUMNS; k++) printf(" %18.4g", c[k]);
        printf("\n");
        if (csv) fprintf(csv, "\"%s\",%d,%g,%g,%g,%g,%g,%g\n", row->name, sizes[count], c[0], c[1], c[2], c[3], c[4], c[5]);
        zn_model_destroy(context, model);
        zn_context_destroy(context);
    }
    bench_powers(count, sizes, COLUMNS, cost[0]);
}

int main(int count, char **arguments) {
    const char *out = NULL, *only = NULL;
    int most = 2000;
    double seconds = 0.1;
    for (int i = 1; i + 1 < count; i += 2) {
        if (!strcmp(arguments[i], "--out")) out = arguments[i + 1];
        else if (!strcmp(arguments[i], "--most")) most = atoi(arguments[i + 1]);
        else if (!strcmp(arguments[i], "--seconds")) seconds = atof(arguments[i + 1]);
        else if (!strcmp(arguments[i], "--only")) only = arguments[i + 1];
    }
    FILE *csv = out ? fopen(out, "w") : NULL;
    if (csv) fprintf(csv, "body,elements,%s,%s,%s,%s,%s,%s\n", columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!only || !strncmp(rows[i].name, only, strlen(only))) measure(&rows[i], most, seconds, csv);
    return csv && fclose(csv) != 0;
}
