/* SPDX-License-Identifier: Apache-2.0 */
/* A file for contact problems in a folder of its own, for the whole group of tests. */
#ifndef TESTS_PROBLEM_FILE_H
#define TESTS_PROBLEM_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/zeno-cone-XXXXXX", file_path[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return 1;
    snprintf(file_path, sizeof file_path, "%s/problem", folder);
    return 0;
}
static int remove_folder(void **state) {
    (void)state;
    unlink(file_path);
    return rmdir(folder);
}

#endif
