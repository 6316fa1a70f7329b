/* SPDX-License-Identifier: Apache-2.0 */
/* A run on the disk: `zeno run --checkpoint FILE[,every=SECONDS]`, `--continue FILE`. */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "zeno/zeno.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct checkpoint {
    char *path;   /* NULL: none is written */
    double every; /* seconds; 0: only at the end */
    double last;  /* when the last one was written, or the run began */
} checkpoint;

/* "FILE" or "FILE,every=SECONDS". False: said why. */
bool checkpoint_parse(const char *text, checkpoint *);
void checkpoint_free(checkpoint *);

/* The run, its account and its recorder; NULL: there is none. */
typedef struct checkpoint_of {
    zn_context *context;
    zn_simulation *simulation;
    zn_account *account;
    zn_recorder *recorder;
    const char *out; /* of the recorder */
    long rows;       /* in it */
} checkpoint_of;

/* After a step and its rows. */
zn_status checkpoint_write(const char *path, const checkpoint_of *);

/* To continue a run, in this order: */
typedef struct checkpoint_head {
    char what[8];
    long rows;
    uint64_t recorder, snapshot, length, content; /* there is one; bytes; bytes in all; their hash */
} checkpoint_head;
typedef struct checkpoint_content {
    const char *path;
    checkpoint_head head;
    unsigned char *bytes;
    size_t size;
    char *old; /* rows that were set aside */
    zn_result *rows;
} checkpoint_content;
/* Restores the simulation. */
zn_status checkpoint_read(const char *path, const checkpoint_of *, checkpoint_content *);
/* The rows of the run so far, before there is a recorder of the same file. */
zn_status checkpoint_find_rows(const checkpoint_of *, checkpoint_content *);
/* Account and recorder, with the rows. */
zn_status checkpoint_go_on(checkpoint_of *, checkpoint_content *);
void checkpoint_forget(zn_context *, checkpoint_content *);

#endif
