/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the program was started many times at once, by mpirun or srun, and the messages between these processes. */
#ifndef CLI_PROCESSES_H
#define CLI_PROCESSES_H

#include "study/transport.h"
#include "zeno/zeno.h"

/* *transport NULL: a single process. Not ZN_OK: one of several, but without MPI. */
zn_status cli_processes(zn_context *, const study_transport **transport);

#endif
