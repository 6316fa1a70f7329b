/* SPDX-License-Identifier: Apache-2.0 */
/* Rows on their way from a worker to the file, as bytes: within a process and between processes alike. */
#ifndef STUDY_PARCEL_H
#define STUDY_PARCEL_H

#include "study/table.h"

/* Zeros: empty. Memory by malloc: parcels go from thread to thread. */
typedef struct study_parcel {
    unsigned char *bytes;
    size_t size, room;
} study_parcel;

/* Room for `size` bytes in all. */
bool study_parcel_grow(study_parcel *, size_t size);
void study_parcel_free(study_parcel *);
bool study_parcel_add(study_parcel *, const study_shared *, const study_row *);
/* Its `count` rows, from byte `from` on, to the file. */
zn_status study_parcel_write(const study_parcel *, size_t from, long count, const study_shared *, study_table *);

#endif
