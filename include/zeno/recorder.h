/* SPDX-License-Identifier: Apache-2.0 */
/* Recording a simulation: to a file, HDF5 (.h5, .hdf5) or CSV (.csv), or in memory. */
#ifndef ZENO_RECORDER_H
#define ZENO_RECORDER_H

#include "zeno/result.h"
#include "zeno/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zn_recorder zn_recorder;

/* Writes PATH.partial until finished. `title` and `scene_text` (may be NULL) are kept inside the file. Two recorders of one PATH, also in
 * different processes, exclude each other: creating the second one fails, and nothing of the first is lost. Without a path (NULL) rows are
 * kept in memory until zn_recorder_keep. */
ZN_API zn_status zn_recorder_create(zn_context *context, const zn_simulation *simulation, const char *title, const char *scene_text,
                                    const char *path, zn_recorder **recorder);
/* Adds a row: t, q, u, percussions since the last row, gaps, energies, iterations since the last row. */
ZN_API zn_status zn_recorder_row(zn_recorder *recorder);
/* Writes all rows to the disk; rows older than a second have been written anyway. */
ZN_API zn_status zn_recorder_flush(zn_recorder *recorder);
/* Number of rows in the file now; fewer than were added if the disk is full. */
ZN_API long zn_recorder_rows(const zn_recorder *recorder);
/* The file that is written: PATH.partial (beside the target, when PATH is a symbolic link). */
ZN_API const char *zn_recorder_path(const zn_recorder *recorder);
/* success: PATH.partial becomes PATH; otherwise it stays, readable, and an existing PATH is untouched. Destroys the recorder. */
ZN_API zn_status zn_recorder_finish(zn_recorder *recorder, bool success);

/* The rows of a recorder without a path as a result, which is the caller's. Destroys the recorder. */
ZN_API zn_status zn_recorder_keep(zn_recorder *recorder, zn_result **result);

#ifdef __cplusplus
}
#endif
#endif
