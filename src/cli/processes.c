/* SPDX-License-Identifier: Apache-2.0 */
/* The module with MPI, zeno-mpi.so, stands beside the program or in lib/zeno. What starts processes says in the environment how many there
 * are. */
#include "cli/processes.h"
#include "base/base.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ZENO_LIBRARY_FOLDER /* sources of the program are also compiled into tests */
#define ZENO_LIBRARY_FOLDER "lib"
#endif

enum { PATH_ROOM = 4096 };

/* OpenMPI, MPICH (Hydra) and others with PMI, srun. */
static long process_count(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        long count = text ? strtol(text, NULL, 10) : 0;
        if (count > 1) return count;
    }
    return 1;
}

static void *load_module(void) {
    static const char *const places[] = {"zeno-mpi.so", "../" ZENO_LIBRARY_FOLDER "/zeno/zeno-mpi.so", "../lib/zeno/zeno-mpi.so"};
    char own[PATH_ROOM], path[PATH_ROOM + 64];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0) return NULL;
    own[length] = '\0';
    char *slash = strrchr(own, '/');
    if (slash) slash[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s", own, places[i]);
        void *module = access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
        if (module) return module;
    }
    return NULL;
}

zn_status cli_processes(zn_context *context, const study_transport **transport) {
    *transport = NULL;
    long count = process_count();
    if (count == 1) return ZN_OK;
    void *module = load_module();
    study_transport_open *open_transport = NULL;
    void *symbol = module ? dlsym(module, STUDY_TRANSPORT_SYMBOL) : NULL;
    memcpy(&open_transport, &symbol, sizeof symbol); /* C has no other way from an object to a function */
    if (open_transport) *transport = open_transport(NULL, NULL);
    if (*transport && (*transport)->size > 1) return ZN_OK;
    const char *why = dlerror();
    if (*transport)
        return fail(
            context, ZN_ERROR_UNSUPPORTED,
            "%ld processes were started, but by another MPI than the one that zeno was built with: each is alone (use the mpirun of that "
            "MPI, or --shard)",
            count);
    return fail(context, ZN_ERROR_UNSUPPORTED,
                "%ld processes were started, but this zeno has no MPI%s%s: install it (libopenmpi-dev) and build again, or use --shard",
                count, why ? ": " : "", why ? why : "");
}
