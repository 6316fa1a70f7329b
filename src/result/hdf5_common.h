/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the HDF5 library, which writes and never reads (h5_file.h does): one thread at a time, silent, its errors turned into our
 * sentences. */
#ifndef RESULT_HDF5_COMMON_H
#define RESULT_HDF5_COMMON_H

#include "result/internal.h"

#include <hdf5.h>

typedef struct hdf5_guard {
    H5E_auto2_t print;
    void *print_data;
} hdf5_guard;

/* Around every group of calls of HDF5. Does not nest. */
void hdf5_enter(hdf5_guard *guard);
void hdf5_leave(const hdf5_guard *guard);

/* The first failure of HDF5 since hdf5_enter as our error; before hdf5_leave. */
zn_status hdf5_fail(zn_context *context, const char *path);

/* Of variable length, UTF-8; negative on failure. */
hid_t hdf5_text_type(void);

#endif
