/* SPDX-License-Identifier: Apache-2.0 */
/* The script and gnuplot's messages are unnamed files; the picture comes through a pipe and is written here, so that a full disk
 * is noticed. */
#include "cli/gnuplot_run.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { TAIL = 64 };

typedef struct gnuplot {
    zn_context *context;
    FILE *script, *complaints;
    int picture; /* the end of the pipe that we read */
    pid_t child;
} gnuplot;

static zn_status start(gnuplot *g) {
    int ends[2];
    if (pipe(ends) != 0) return fail(g->context, ZN_ERROR_FILE, "no pipe from gnuplot: too many files are open");
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(g->script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(g->complaints), STDERR_FILENO);
    /* A file with a name is read in large pieces, standard input byte by byte. */
    char *arguments[] = {(char[]){"gnuplot"}, (char[]){"-d"}, access("/dev/stdin", R_OK) == 0 ? (char[]){"/dev/stdin"} : (char[]){"-"},
                         NULL};
    int reason = posix_spawnp(&g->child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    g->picture = ends[0];
    if (reason == 0) return ZN_OK;
    close(ends[0]);
    if (reason == ENOENT)
        return fail(g->context, ZN_ERROR_FILE, "the program gnuplot is missing; install the package gnuplot-nox (or gnuplot)");
    return fail(g->context, ZN_ERROR_FILE, "gnuplot cannot be started: %s", strerror(reason));
}

/* All that gnuplot draws; `tail` keeps its last bytes. After a failed write the rest is read and dropped, so that the child can end. */
static zn_status copy_picture(gnuplot *g, output_file *output, char tail[TAIL]) {
    static const size_t piece = 1 << 16;
    char *bytes = MEM_ARRAY(g->context, char, piece);
    zn_status status = bytes ? ZN_OK : ZN_ERROR_MEMORY;
    ssize_t got;
    memset(tail, 0, TAIL);
    while (bytes && ((got = read(g->picture, bytes, piece)) > 0 || (got < 0 && errno == EINTR))) {
        if (got < 0) continue;
        if (status == ZN_OK) status = output_write(output, bytes, (size_t)got);
        size_t fresh = (size_t)got < TAIL ? (size_t)got : TAIL;
        memmove(tail, tail + fresh, TAIL - fresh);
        memcpy(tail + TAIL - fresh, bytes + got - fresh, fresh);
    }
    mem_free(g->context, bytes);
    close(g->picture);
    return status;
}

static bool ends_with(const char tail[TAIL], const char *ending) {
    size_t n = strlen(ending), end = TAIL;
    while (end > n && strchr("\n\r\t ", tail[end - 1])) end--;
    return memcmp(tail + end - n, ending, n) == 0;
}

static zn_status complain(gnuplot *g) {
    char words[300];
    rewind(g->complaints);
    size_t n = fread(words, 1, sizeof words - 1, g->complaints);
    while (n > 0 && (words[n - 1] == '\n' || words[n - 1] == ' ')) n--;
    words[n] = '\0';
    return fail(g->context, ZN_ERROR_FILE, "gnuplot could not draw the picture: %s", n ? words : "it gave no reason");
}

static zn_status draw(gnuplot *g, output_file *output, gnuplot_writer *write, void *user, const char *ending) {
    char tail[TAIL];
    write(g->script, user);
    if (fflush(g->script) != 0 || ferror(g->script) || lseek(fileno(g->script), 0, SEEK_SET) != 0)
        return fail(g->context, ZN_ERROR_FILE, "the directory for temporary files is full: the script for gnuplot cannot be written");
    zn_status status = start(g);
    if (status != ZN_OK) return status;
    status = copy_picture(g, output, tail);
    int result = 0;
    while (waitpid(g->child, &result, 0) < 0 && errno == EINTR) continue;
    if (status == ZN_OK && (!WIFEXITED(result) || WEXITSTATUS(result) != 0 || !ends_with(tail, ending))) status = complain(g);
    return status;
}

zn_status gnuplot_run(zn_context *context, output_file *output, gnuplot_writer *write, void *user, const char *ending) {
    gnuplot g = {.context = context, .script = tmpfile(), .complaints = tmpfile()};
    zn_status status =
        g.script && g.complaints ? draw(&g, output, write, user, ending) : fail(context, ZN_ERROR_FILE, "no temporary file can be created");
    if (g.script) fclose(g.script);
    if (g.complaints) fclose(g.complaints);
    return status;
}
