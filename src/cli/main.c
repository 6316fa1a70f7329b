/* SPDX-License-Identifier: Apache-2.0 */
/* zeno: the command-line program. */
#include "cli/args.h"
#include "cli/commands.h"
#include "expr/expr.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef struct command {
    const char *name, *arguments, *summary;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
#define X(name, arguments, summary) {#name, arguments, summary, cli_##name},
    CLI_COMMANDS(X)
#undef X
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void help(FILE *to) {
    fprintf(to, "zeno %s: mechanical systems with frictional contact and impacts\n\n", zn_version());
    for (int i = 0; i < N_COMMANDS; i++)
        fprintf(to, "  zeno %-8s %-40s %s\n", commands[i].name, commands[i].arguments, commands[i].summary);
    fprintf(to, "\n'zeno COMMAND --help' shows the options of a command. To begin: zeno run scenes/rotating-ball.yaml\n");
}

static const char *command_name(const void *list, int i) { return ((const command *)list)[i].name; }

/* Standard streams that are closed are opened: otherwise the next file would take their number and receive their output.
 * Writing to this standard output fails, which is reported at the end. */
static void open_closed_streams(void) {
    static const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
    for (int stream = 0; stream < 3; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", modes[stream]) != stream) return;
}

/* The results are complete only when the last flush has succeeded. */
static int end_output(int status) {
    errno = 0;
    bool failed = fflush(stdout) != 0;
    int reason = errno;
    failed = ferror(stdout) != 0 || failed;
    if (fclose(stdout) != 0 && !failed) failed = true, reason = errno;
    if (!failed) return status;
    fprintf(stderr, "zeno: standard output cannot be written: %s\n",
            reason == EBADF    ? "it is closed"
            : reason == ENOSPC ? "the disk is full"
            : reason           ? strerror(reason)
                               : "a part of it was lost (is the disk full?)");
    return status == CLI_OK ? CLI_FAILED : status;
}

static int run_command(int argc, char **argv) {
    if (argc < 2) {
        help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        help(stdout);
        return CLI_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("zeno %s\n", zn_version());
        return CLI_OK;
    }
    for (int i = 0; i < N_COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argc - 2, argv + 2);
    const char *near = expr_nearest_name(argv[1], N_COMMANDS, command_name, commands);
    fprintf(stderr, "zeno: there is no command '%s'%s%s%s\n", argv[1], near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    help(stderr);
    return CLI_USAGE;
}

int main(int argc, char **argv) {
    open_closed_streams();
    signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is then an error of the write, which is reported */
    return end_output(run_command(argc, argv));
}
