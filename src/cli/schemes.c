/* SPDX-License-Identifier: Apache-2.0 */
/* zeno schemes: the table of schemes. */
#include "cli/args.h"
#include "cli/commands.h"
#include "zeno/zeno.h"

#include <stdio.h>

static const char usage[] = "zeno schemes";

static const char *mark(bool supported) { return supported ? "yes" : "-"; }

int cli_schemes(int argc, char **argv) {
    bool help = false;
    const cli_option options[] = {{"--help", NULL, &help, NULL, 0}};
    int n_positional;
    if (!cli_parse(argc, argv, usage, 1, options, 0, NULL, &n_positional)) return CLI_USAGE;
    if (help) {
        printf("usage: %s\n\norder: while contacts stay as they are, s the number of stages, where nothing else is said on the right\n"
               "(docs/schemes.md, Orders, has all of them); general: velocities other than q';\n"
               "velocity: bilateral constraints on velocity level\n", usage);
        return CLI_OK;
    }
    printf("%-24s %-6s %-9s %-9s %-9s %-8s %-9s %s\n", "scheme", "order", "stages", "contacts", "friction", "general", "velocity", "what it is");
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info s = zn_scheme_get(i);
        char stages[24], order[16];
        snprintf(stages, sizeof stages, s.stages_min == s.stages_max ? "%d" : "%d..%d", s.stages_min, s.stages_max);
        snprintf(order, sizeof order, "%d", s.order);
        printf("%-24s %-6s %-9s %-9s %-9s %-8s %-9s %s\n", s.name, s.order_text ? s.order_text : order, stages, mark(s.contacts), mark(s.friction),
               mark(s.general_kinematics), mark(s.velocity_constraints), s.summary);
    }
    return CLI_OK;
}
