/* SPDX-License-Identifier: Apache-2.0 */
/* zeno cone: solves a discrete frictional contact problem from a file. */
#include "cli/args.h"
#include "cli/commands.h"
#include "cli/stopping.h"
#include "cli/summary.h"
#include "cone/discrete.h"
#include "result/contact_problem.h"
#include "scheme/settings.h"

#include <stdio.h>
#include <string.h>

static const char usage[] = "zeno cone FILE [--solver auto|newton|projection] [--residual R] [--time-limit SECONDS] [--summary]";

static void help(void) {
    printf("usage: %s\n\n"
           "Solves a discrete frictional contact problem: Siconos' text form (.dat; planar, spatial, rolling, global) or "
           "FCLIB\n"
           "(.hdf5; local, global, rolling). The residual is the natural map |r - P_K(r - (u + mu |u_T| e_N))| relative to "
           "|q|.\n\n"
           "  --solver      auto (default), newton or projection\n"
           "  --residual    to reach (default 1e-10)\n"
           "  --time-limit  seconds after which the best point so far is the result\n"
           "  --summary     one JSON object instead of the table\n",
           usage);
}

static discrete_matrix view(const contact_matrix *m) { return (discrete_matrix){m->rows, m->cols, m->count, m->row, m->col, m->value}; }

static discrete *build(zn_context *context, const contact_problem *p) {
    discrete_def def = {.global = p->global,
                        .dim = p->dim,
                        .n_contacts = p->n_contacts,
                        .W = view(&p->W),
                        .q = p->q,
                        .M = view(&p->M),
                        .H = view(&p->H),
                        .f = p->f,
                        .w = p->w,
                        .mu = p->mu,
                        .mu_rolling = p->mu_rolling};
    return cone_discrete_create(context, &def);
}

typedef struct cone_report {
    const char *file, *path;
    const contact_problem *problem;
    const discrete_result *result;
    int open, stick, slip;
    double wall_seconds;
} cone_report;

/* From r and u: a contact without force is open, one with a velocity in its plane slips. */
static void count_states(cone_report *report, const double *r, const double *u) {
    int dim = report->problem->dim, nT = dim == 5 ? 2 : dim - 1;
    double largest_r = 0, largest_u = 0;
    for (int k = 0; k < report->problem->n_contacts * dim; k++) {
        largest_r = larger(r[k], largest_r);
        largest_u = larger(fabs(u[k]), largest_u);
    }
    for (int c = 0; c < report->problem->n_contacts; c++) {
        double slip = 0;
        for (int i = 1; i <= nT; i++) slip += u[c * dim + i] * u[c * dim + i];
        if (r[c * dim] <= 1e-9 * largest_r) report->open++;
        else if (sqrt(slip) <= 1e-8 * largest_u) report->stick++;
        else report->slip++;
    }
}

static int rows_in_file(const contact_problem *p) { return p->planar_rolling ? 3 : p->dim; }

static void print_json(const cone_report *r) {
    const cone_outcome *o = &r->result->outcome;
    const many_outcome *c = &r->result->cost;
    printf("{\"file\": ");
    cli_json_text(stdout, r->file);
    printf(", \"form\": \"%s\", \"dimension\": %d, \"contacts\": %d, \"velocities\": %d, \"status\": \"%s\", \"path\": "
           "\"%s\",\n"
           " \"solves\": %d, \"iterations\": {\"newton\": %d, \"least_norm\": %d, \"projection\": %d}, \"residual\": ",
           r->problem->global ? "global" : "local", rows_in_file(r->problem), r->problem->n_contacts, r->problem->M.rows,
           r->result->status == ZN_OK ? "ok" : zn_status_text(r->result->status), r->path, r->result->solves, o->iterations[CONE_NEWTON],
           o->iterations[CONE_LEAST_NORM], o->iterations[CONE_PROJECTION]);
    cli_json_number(stdout, r->result->residual);
    printf(",\n \"cost\": {\"sweeps\": %d, \"newton\": %d, \"interior\": %d, \"fixed_point\": %d, \"factorisations\": %d, "
           "\"solves\": %d}",
           c->sweeps, c->newton_iterations, c->interior_iterations, c->fixed_point_iterations, c->factorisations, c->solves);
    printf(", \"open\": %d, \"stick\": %d, \"slip\": %d, \"wall_seconds\": ", r->open, r->stick, r->slip);
    cli_json_number(stdout, r->wall_seconds);
    printf("}\n");
}

static void print_table(const cone_report *r) {
    const cone_outcome *o = &r->result->outcome;
    printf("%s: %s form, %d contacts of %d rows", r->file, r->problem->global ? "global" : "local", r->problem->n_contacts,
           rows_in_file(r->problem));
    if (r->problem->global) printf(", %d velocities", r->problem->M.rows);
    const many_outcome *c = &r->result->cost;
    printf("\n  %s by %s", r->result->status == ZN_OK ? "solved" : "NOT solved", r->path);
    if (r->result->as_cones)
        printf(", iterations: Newton %d, least norm %d, projection %d\n", o->iterations[CONE_NEWTON], o->iterations[CONE_LEAST_NORM],
               o->iterations[CONE_PROJECTION]);
    else
        printf(": %d sweeps, iterations: Newton %d, interior point %d, fixed point %d; %d factorisations\n", c->sweeps,
               c->newton_iterations, c->interior_iterations, c->fixed_point_iterations, c->factorisations);
    printf("  residual of the natural map relative to |q|: %.2e\n", r->result->residual);
    printf("  contacts: %d open, %d stick, %d slip\n  time %.3g s\n", r->open, r->stick, r->slip, r->wall_seconds);
}

static int solve_file(zn_context *context, const char *path, zn_solver solver, double residual, const stop_limits *limits, bool summary) {
    static const char *const path_names[CONE_PATH_COUNT] = {"newton", "least norm", "projection"};
    contact_problem *problem = NULL;
    discrete_result result = {0};
    if (result_contact_read(context, path, &problem) != ZN_OK) return CLI_USAGE;
    int m = problem->dim * problem->n_contacts, code = CLI_FAILED;
    discrete *d = build(context, problem);
    double *r = MEM_ARRAY(context, double, m), *u = MEM_ARRAY(context, double, m);
    if (d && r && u) {
        cone_report report = {.file = path, .problem = problem, .result = &result};
        double start = base_seconds();
        zn_status status = cone_discrete_solve(d, solver, residual, r, &result);
        report.wall_seconds = base_seconds() - start;
        report.path = result.as_cones ? path_names[result.outcome.path] : "blocks";
        result.residual = cone_discrete_residual(d, r, u);
        count_states(&report, r, u);
        if (summary) print_json(&report);
        else print_table(&report);
        code = status == ZN_OK ? CLI_OK : CLI_FAILED;
        char stop[200] = "";
        if (stopping_cause()) stopping_tell(limits, "the solve", stop, sizeof stop);
        if (status != ZN_OK) fprintf(stderr, "zeno: %s: %s\n", path, *stop ? stop : zn_status_text(status));
    }
    mem_free(context, r);
    mem_free(context, u);
    cone_discrete_destroy(d);
    result_contact_destroy(problem);
    return code;
}

static bool find_solver(const char *name, zn_solver *solver) {
    zn_settings settings = zn_settings_default();
    for (*solver = 0; *solver < ZN_SOLVER_COUNT; ++*solver) {
        settings.solver = *solver;
        if (strcmp(name, setting_word(&settings, "solver")) == 0) return true;
    }
    fprintf(stderr, "zeno: there is no solver '%s'; the solvers are auto, newton and projection\n", name);
    return false;
}

int cli_cone(int argc, char **argv) {
    const char *file = NULL, *solver_name = "auto", *residual_text = "1e-10", *limit_text = NULL;
    bool help_wanted = false, summary = false;
    const cli_option options[] = {
        {"--help", NULL, &help_wanted, NULL, 0},       {"--solver", &solver_name, NULL, NULL, 0},
        {"--residual", &residual_text, NULL, NULL, 0}, {"--time-limit", &limit_text, NULL, NULL, 0},
        {"--summary", NULL, &summary, NULL, 0},
    };
    int n_positional = 0;
    zn_solver solver = ZN_SOLVER_AUTO;
    double residual = 0;
    if (!cli_parse(argc, argv, usage, 5, options, 1, &file, &n_positional)) return CLI_USAGE;
    if (help_wanted) {
        help();
        return CLI_OK;
    }
    if (n_positional < 1) {
        fprintf(stderr, "usage: %s\n", usage);
        return CLI_USAGE;
    }
    if (!find_solver(solver_name, &solver) || !cli_number("--residual", residual_text, &residual)) return CLI_USAGE;
    if (!(residual > 0)) {
        fprintf(stderr, "zeno: --residual must be positive\n");
        return CLI_USAGE;
    }
    stop_limits limits;
    if (!stopping_parse(limit_text, NULL, &limits)) return CLI_USAGE;
    zn_context *context = zn_context_create(NULL);
    if (!context) return CLI_FAILED;
    stopping_begin(&limits, false);
    zn_context_watch(context, stopping_flag());
    int code = solve_file(context, file, solver, residual, &limits, summary);
    if (zn_error_count(context) > 0) fprintf(stderr, "%s\n", zn_error_text(context));
    zn_context_destroy(context);
    return code;
}
