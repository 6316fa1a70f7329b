/* SPDX-License-Identifier: Apache-2.0 */
/* The BLAS is limited to one thread: for small matrices threads cost ten times what they gain, and results must not depend on the
 * load of the machine. OpenBLAS has one setting for the whole process, read at load; every context sets it (by a weak symbol: other
 * providers are used as they are) before anything is computed, unless the environment asks for a number of threads. A program that uses
 * OpenBLAS with threads elsewhere in the process sets it back after creating a context. */
#include "base/context.h"

#include <stdlib.h>

extern void openblas_set_num_threads(int) __attribute__((weak));

void base_single_thread(void) {
    const char *asked = getenv("OPENBLAS_NUM_THREADS");
    if (openblas_set_num_threads && !(asked && *asked)) openblas_set_num_threads(1);
}
