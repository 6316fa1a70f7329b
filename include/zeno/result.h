/* SPDX-License-Identifier: Apache-2.0 */
/* Results: tables over time, from a file (HDF5, CSV) or from a recording in memory. Rows are points in time; columns have names, and
 * columns of one kind (positions, velocities, percussions ...) stand together as a dataset. */
#ifndef ZENO_RESULT_H
#define ZENO_RESULT_H

#include "zeno/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zn_result zn_result;

/* Opens a file written by a recorder, including the .partial file of a killed or active run; HDF5 and CSV are distinguished by content. */
ZN_API zn_status zn_result_open(zn_context *context, const char *path, zn_result **result);
ZN_API void zn_result_close(zn_result *result);

/* Number of rows. */
ZN_API long zn_result_rows(const zn_result *result);
/* Number of columns, the time among them. */
ZN_API int zn_result_columns(const zn_result *result);
/* As in the header of a CSV file: "t", "x", "x'", "energy.kinetic"; NULL: there is no such column. */
ZN_API const char *zn_result_column_name(const zn_result *result, int column);
/* Finds a column by that name, by "dataset.column", or by a unique ending after a dot ("floor.normal"). An error names the nearest
 * column, or the candidates. */
ZN_API zn_status zn_result_find(zn_result *result, const char *name, int *column);
/* Row i of a column is first[i * stride]. Valid until the result is closed. */
ZN_API zn_status zn_result_values(zn_result *result, int column, const double **first, ptrdiff_t *stride);

typedef struct zn_result_dataset {
    const char *name, *meaning; /* meaning: a sentence; NULL where the file has none */
    int first_column, n_columns;
    const char *const *columns; /* names within the dataset; NULL: one column with the name of the dataset */
    ZN_RESERVED;
} zn_result_dataset;
/* Number of datasets; 0 for CSV. */
ZN_API int zn_result_dataset_count(const zn_result *result);
/* An empty structure: there is no such dataset. */
ZN_API zn_result_dataset zn_result_get_dataset(const zn_result *result, int index);

/* What the file says about its run: "scene", "title", "version", "scheme", "stages", "step", "end", "tolerance", "drawing", and "run", the
 * scene as it was run. NULL: not there. */
ZN_API const char *zn_result_text(const zn_result *result, const char *name);
/* The numbers among these: "stages", "step", "end", "tolerance". ZN_ERROR_ARGUMENT and NaN if it is missing or a text. */
ZN_API zn_status zn_result_number(zn_result *result, const char *name, double *value);

/* Found contacts: a table with an entry for each of them that has pushed since the row before or touches, in the order of rows. Columns:
 * row (from 0), shape_a, shape_b (numbers of names), feature_a, feature_b, x, y, z (where they touch), nx, ny, nz (normal, from b to a),
 * gap (not a number where the contact has left the list since the row before), normal (percussion since the row before), px, py, pz (the
 * same with friction, on a). */
typedef struct zn_contact_table {
    long count;
    int n_columns;
    const char *const *columns;
    const double *values; /* entry i at values[i * n_columns] */
    int n_names;
    const char *const *names; /* of shapes; of contacts; of events */
    ZN_RESERVED;
} zn_contact_table;
/* An empty table where the result has none. Valid until the result is closed. */
ZN_API zn_status zn_result_contacts(zn_result *result, zn_contact_table *table);

/* Contact events that were located (contact_events: located): a table in the order of time. Columns: row (from 0, the first one at
 * or after the event), time, contact (number of names), kind (of zn_contact_event_kind), normal_before, normal_after (rates of the gap),
 * tangential_before, tangential_after (sizes of the slip velocity), normal_impulse, tangential_impulse, energy_lost. Where contacts are
 * found, names of shapes follow those of contacts, contact is the first shape of a found one, and a last column, other, its second shape
 * (-1: not a found one). An empty table where the result has none. */
ZN_API zn_status zn_result_contact_events(zn_result *result, zn_contact_table *table);

/* Events of the scene: a table in the order of time. Columns: row (from 0, the first one at or after the event), event (number of
 * names), time, then positions, velocities and inputs, sampled values and modes by their names, all before the event set any. An empty
 * table where the result has none. */
ZN_API zn_status zn_result_events(zn_result *result, zn_contact_table *table);

/* Writes all of it to a new file: .h5, .hdf5 or .csv (which holds neither texts nor poses). The bytes are those that a recorder with this
 * path would have written. */
ZN_API zn_status zn_result_save(zn_result *result, const char *path);

#ifdef __cplusplus
}
#endif
#endif
