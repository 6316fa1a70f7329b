/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between the processes of a study. MPI is one way (src/mpi), which the program loads when it was started by mpirun or srun. */
#ifndef STUDY_TRANSPORT_H
#define STUDY_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

/* What fails ends all processes. */
typedef struct study_transport {
    int rank, size; /* 0: the manager */
    void (*send)(int to, const void *bytes, size_t size);
    /* The size of a message that has come from anyone, and from whom; false: none. */
    bool (*look)(int *from, size_t *size);
    /* The same, but waits for one of `from`. */
    void (*await)(int from, size_t *size);
    void (*receive)(int from, void *bytes, size_t size);
    void (*end)(void); /* all together */
    void (*abort)(int status);
} study_transport;

/* The one symbol of a module. NULL: messages are not possible. */
typedef const study_transport *study_transport_open(int *argc, char ***argv);
#define STUDY_TRANSPORT_SYMBOL "zeno_transport_open"

#endif
