/* SPDX-License-Identifier: Apache-2.0 */
/* Messages by MPI: a module that the program loads when it was started by mpirun or srun, so that it needs no MPI elsewhere. */
#include "study/transport.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TAG = 1, EAGER_LOOKS = 200 };

static void send_bytes(int to, const void *bytes, size_t size) {
    if (size > INT_MAX) {
        fprintf(stderr, "zeno: a message of %zu bytes is too long for MPI: keep fewer events of each run\n", size);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    MPI_Send(bytes, (int)size, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
}

static bool look_for(int from, int *sender, size_t *size) {
    MPI_Status status;
    int there = 0, count = 0;
    MPI_Iprobe(from, TAG, MPI_COMM_WORLD, &there, &status);
    if (!there) return false;
    MPI_Get_count(&status, MPI_BYTE, &count);
    *sender = status.MPI_SOURCE;
    *size = (size_t)count;
    return true;
}

static bool look(int *from, size_t *size) { return look_for(MPI_ANY_SOURCE, from, size); }

/* MPI waits in a busy loop; a worker that waits long yields to other processes. */
static void await_message(int from, size_t *size) {
    const struct timespec nap = {.tv_nsec = 100 * 1000};
    int sender;
    for (int i = 0; !look_for(from, &sender, size); i++)
        if (i >= EAGER_LOOKS) nanosleep(&nap, NULL);
}

static void receive(int from, void *bytes, size_t size) {
    MPI_Recv(bytes, (int)size, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void end(void) { MPI_Finalize(); }
static void stop(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

__attribute__((visibility("default"))) const study_transport *zeno_transport_open(int *argc, char ***argv);

const study_transport *zeno_transport_open(int *argc, char ***argv) {
    static study_transport transport = {
        .send = send_bytes, .look = look, .await = await_message, .receive = receive, .end = end, .abort = stop};
    if (MPI_Init(argc, argv) != MPI_SUCCESS) return NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &transport.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &transport.size);
    return &transport;
}
