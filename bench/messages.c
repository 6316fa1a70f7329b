/* SPDX-License-Identifier: Apache-2.0 */
/* What limits a study on very many machines: reports of lots and answers to them that one manager takes in a second, and bytes of rows.
 * Under mpirun, with the messages of the program: each worker sends reports of a size and waits for two answers at a time, as in
 * src/study/processes.c; there are no runs.
 *
 *   mpirun -n 4 build/bench/bench_messages build/zeno-mpi.so                                                                     */
#include "study/transport.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ANSWER_BYTES = 32, AHEAD = 2, LARGEST = 1 << 20 };
static const size_t sizes[] = {64, 4096, 65536, LARGEST};
static const double seconds_each = 1;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* An answer that begins with 0 ends the size. */
static void work(const study_transport *t, char *bytes, size_t size) {
    size_t got;
    for (int i = 0; i < AHEAD; i++) t->send(0, bytes, size);
    for (int ended = 0; ended < AHEAD;) {
        t->await(0, &got);
        t->receive(0, bytes, got);
        if (bytes[0]) t->send(0, bytes, size);
        else ended++;
        bytes[0] = 1;
    }
}

static void manage(const study_transport *t, char *bytes, size_t size) {
    char answer[ANSWER_BYTES] = {1};
    double begun = now(), end = begun + seconds_each;
    long count = 0;
    for (int open = AHEAD * (t->size - 1), from; open > 0;) {
        size_t got;
        if (!t->look(&from, &got)) continue;
        t->receive(from, bytes, got);
        answer[0] = now() < end;
        if (!answer[0]) open--;
        t->send(from, answer, sizeof answer);
        count++;
    }
    double seconds = now() - begun;
    printf("%8zu %14.0f %10.1f\n", size, (double)count / seconds, 1e-6 * (double)count * (double)size / seconds);
}

int main(int argc, char **argv) {
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    void *symbol = module ? dlsym(module, STUDY_TRANSPORT_SYMBOL) : NULL;
    study_transport_open *open_transport = NULL;
    memcpy(&open_transport, &symbol, sizeof symbol);
    const study_transport *t = open_transport ? open_transport(&argc, &argv) : NULL;
    char *bytes = calloc(LARGEST, 1);
    if (!t || t->size < 2 || !bytes) {
        fprintf(stderr, "usage: mpirun -n N bench_messages PATH/zeno-mpi.so, N at least 2\n");
        return 2;
    }
    if (t->rank == 0) printf("%d workers\n   bytes     messages/s       MB/s\n", t->size - 1);
    bytes[0] = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (t->rank == 0) manage(t, bytes, sizes[i]);
        else work(t, bytes, sizes[i]);
    t->end();
    free(bytes);
    return 0;
}
