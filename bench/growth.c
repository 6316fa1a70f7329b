/* SPDX-License-Identifier: Apache-2.0 */
#include "growth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double bench_now(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* ---- all answers ---- */

static int entries(const zn_pattern *p) { return p->start ? p->start[p->cols] : 0; }
static double *doubles(int count) { return calloc((size_t)count + 1, sizeof(double)); }

double bench_evaluation(const zn_model *m, double seconds) {
    const zn_patterns *p = &m->pattern;
    int rows = m->size.ng + m->size.ny + m->size.nN + m->size.nF;
    double *memory[] = {doubles(m->size.nq),
                        doubles(entries(&p->qdot_q)),
                        doubles(entries(&p->B)),
                        doubles(m->size.nu),
                        doubles(entries(&p->r_q)),
                        doubles(entries(&p->r_u)),
                        doubles(entries(&p->M)),
                        doubles(entries(&p->W)),
                        doubles(rows),
                        doubles(entries(&p->c0_q)),
                        doubles(rows),
                        doubles(entries(&p->c1_q)),
                        doubles(entries(&p->c1_u)),
                        doubles(rows),
                        doubles(entries(&p->c2_q)),
                        doubles(entries(&p->c2_u)),
                        doubles(m->size.nu),
                        doubles(rows)};
    void *work = calloc(1, m->work_bytes);
    zn_point at = {0, m->q_start, m->u_start, memory[16], memory[17]};
    zn_kinematics kinematics = {.qdot = memory[0], .qdot_q = memory[1], .B = memory[2]};
    zn_balance balance = {.r = memory[3], .r_q = memory[4], .r_u = memory[5], .M = memory[6], .W = memory[7]};
    zn_constraints constraints = {memory[8], memory[9], memory[10], memory[11], memory[12], memory[13], memory[14], memory[15]};
    double start = bench_now(), best = INFINITY;
    do {
        double before = bench_now();
        int repeats = 1 + 2000 / (m->size.nq + 1);
        for (int i = 0; i < repeats; i++) {
            m->kinematics(m, work, &at, &kinematics);
            m->balance(m, work, &at, &balance);
            m->constraints(m, work, &at, &constraints);
        }
        best = fmin(best, (bench_now() - before) / repeats);
    } while (bench_now() - start < seconds);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) free(memory[i]);
    free(work);
    return best * 1e6;
}

/* ---- steps ---- */

double bench_stepping(zn_context *context, const zn_model *model, const char *scheme, double seconds, double *create) {
    enum { STEPS = 10 };
    zn_settings settings = zn_settings_default();
    settings.scheme = scheme;
    settings.step = 1e-4;
    settings.end = 1;
    double start = bench_now(), best = INFINITY;
    *create = INFINITY;
    do {
        zn_simulation *simulation = NULL;
        double before = bench_now();
        if (zn_simulation_create(context, model, &settings, &simulation) != ZN_OK) {
            fprintf(stderr, "bench: %s\n", zn_error_text(context));
            return NAN;
        }
        *create = fmin(*create, (bench_now() - before) * 1e3);
        zn_simulation_step(simulation); /* the first one factorises */
        before = bench_now();
        for (int i = 0; i < STEPS; i++)
            if (zn_simulation_step(simulation) != ZN_OK) fprintf(stderr, "bench: %s\n", zn_error_text(context));
        best = fmin(best, (bench_now() - before) / STEPS);
        zn_simulation_destroy(simulation);
    } while (bench_now() - start < seconds);
    return best * 1e6;
}

/* ---- growth ---- */

void bench_powers(int count, const int *n, int columns, const double *cost) {
    printf("%7s", "power");
    for (int c = 0; c < columns; c++) {
        double sx = 0, sy = 0, sxx = 0, sxy = 0;
        int used = 0;
        for (int i = 0; i < count; i++) {
            if (n[i] < 10) continue;
            double x = log(n[i]), y = log(cost[i * columns + c]);
            sx += x, sy += y, sxx += x * x, sxy += x * y, used++;
        }
        printf(" %18.3f", used > 1 ? (used * sxy - sx * sy) / (used * sxx - sx * sx) : NAN);
    }
    printf("\n");
}
