/* SPDX-License-Identifier: Apache-2.0 */
/* HDF5 as hdf5_write.c makes it. Every size is compared with the file's before memory is asked for. */
#include "result/hdf5_common.h"

#include <limits.h>

enum { CACHE_BYTES = 1 << 25 }; /* chunks stay there while the columns of a dataset are read one by one */

typedef struct hdf5_source {
    hid_t file;
    hid_t *datasets;
    size_t size;
} hdf5_source;

static void close_datasets(result_file *result) {
    hdf5_source *source = result->source;
    for (int d = 0; source->datasets && d < result->layout.n_datasets; d++)
        if (source->datasets[d] >= 0) H5Dclose(source->datasets[d]);
    if (source->file >= 0) H5Fclose(source->file);
}

static void hdf5_close_source(result_file *result) {
    hdf5_source *source = result->source;
    hdf5_guard guard;
    hdf5_enter(&guard);
    close_datasets(result);
    hdf5_leave(&guard);
    mem_free(result->context, source->datasets);
    mem_free(result->context, source);
}

static zn_status damaged(const result_file *result, const char *what) {
    return result_fail_content(result, 0, "cannot be read, it is damaged: %s", what);
}

/* The texts of an open attribute. *count: their number, 1 for a scalar. */
static zn_status read_texts(const result_file *result, hid_t attribute, char ***texts, int *count) {
    const hdf5_source *source = result->source;
    zn_context *context = result->context;
    *texts = NULL;
    *count = 0;
    hid_t stored = H5Aget_type(attribute), space = H5Aget_space(attribute), type = hdf5_text_type();
    char **raw = NULL;
    zn_status status = ZN_OK;
    hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    bool text = stored >= 0 && type >= 0 && H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) > 0;
    if (!text || n < 0 || (size_t)n > source->size / 16 + 1 || n > INT_MAX) status = damaged(result, "a text is not one");
    if (status == ZN_OK) {
        raw = MEM_ARRAY(context, char *, n);
        *texts = MEM_ARRAY(context, char *, n);
        if (!raw || !*texts) status = ZN_MEMORY;
    }
    if (status == ZN_OK && H5Aread(attribute, type, raw) < 0) status = hdf5_fail(context, result->path, "read");
    if (status == ZN_OK) {
        *count = (int)n;
        for (int i = 0; i < *count && status == ZN_OK; i++) {
            (*texts)[i] = mem_text(context, raw[i] ? raw[i] : "");
            if (!(*texts)[i]) status = ZN_MEMORY;
        }
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw);
    }
    if (status != ZN_OK) {
        result_free_texts(context, *texts, *count);
        *texts = NULL;
        *count = 0;
    }
    mem_free(context, raw);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    if (stored >= 0) H5Tclose(stored);
    return status;
}

/* Of the attribute `name`; no texts when it is not there. */
static zn_status read_named_texts(const result_file *result, hid_t object, const char *name, char ***texts, int *count) {
    *texts = NULL;
    *count = 0;
    htri_t exists = H5Aexists(object, name);
    if (exists < 0) return hdf5_fail(result->context, result->path, "read");
    if (exists == 0) return ZN_OK;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return hdf5_fail(result->context, result->path, "read");
    zn_status status = read_texts(result, attribute, texts, count);
    H5Aclose(attribute);
    return status;
}

/* One text, owned by the caller; NULL when it is not there. */
static zn_status read_named_text(const result_file *result, hid_t object, const char *name, char **text) {
    char **texts;
    int count;
    zn_status status = read_named_texts(result, object, name, &texts, &count);
    *text = count > 0 ? texts[0] : NULL;
    for (int i = 1; i < count; i++) mem_free(result->context, texts[i]);
    mem_free(result->context, texts);
    return status;
}

static zn_status check_format(const result_file *result, hid_t file) {
    char *format = NULL;
    zn_status status = read_named_text(result, file, "format", &format);
    if (status == ZN_OK && (!format || strncmp(format, "zeno result ", 12) != 0))
        status = result_fail_content(result, 0, "is an HDF5 file, but not a result of zeno");
    else if (status == ZN_OK && strcmp(format, RESULT_FORMAT_TEXT) != 0)
        status = result_fail_content(result, 0, "has the format \"%.40s\"; this program reads \"" RESULT_FORMAT_TEXT "\"",
                                     format);
    mem_free(result->context, format);
    return status;
}

/* Extent of an open dataset, which must be a table of doubles. */
static zn_status read_extent(const result_file *result, hid_t id, hsize_t extent[2], int *rank) {
    const hdf5_source *source = result->source;
    hid_t type = H5Dget_type(id), space = H5Dget_space(id);
    *rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    bool ok = type >= 0 && H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == sizeof(double) &&
              (*rank == 1 || *rank == 2) && H5Sget_simple_extent_dims(space, extent, NULL) == *rank;
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    if (ok && *rank == 1) extent[1] = 1;
    if (!ok || extent[1] == 0 || extent[1] > INT_MAX / 2 || extent[0] > source->size / sizeof(double) / extent[1])
        return damaged(result, "a dataset has the wrong type or size");
    return ZN_OK;
}

/* A run killed in the middle of a flush may have announced rows whose chunk the file does not know yet. A chunk is never
 * larger than the file (HDF5 would ask for that much memory). */
static zn_status count_rows(const result_file *result, hid_t id, int rank, hsize_t announced, long *rows) {
    const hdf5_source *source = result->source;
    hsize_t chunk[2] = {0, 1}, most = source->size / sizeof(double);
    hid_t properties = H5Dget_create_plist(id);
    bool chunked =
        properties >= 0 && H5Pget_layout(properties) == H5D_CHUNKED && H5Pget_chunk(properties, rank, chunk) == rank;
    if (properties >= 0) H5Pclose(properties);
    *rows = 0;
    if (announced == 0) return ZN_OK;
    if (!chunked || chunk[0] == 0 || chunk[1] == 0 || chunk[0] > most / chunk[1])
        return damaged(result, "a chunk is too large");
    hsize_t present = H5Dget_storage_size(id) / (chunk[0] * chunk[1] * sizeof(double)) * chunk[0];
    *rows = (long)(present < announced ? present : announced);
    return ZN_OK;
}

static zn_status open_dataset(result_file *result, int d, const char *name, long *rows) {
    hdf5_source *source = result->source;
    result_dataset *dataset = &result->datasets[d];
    hid_t id = source->datasets[d] = H5Dopen2(source->file, name, H5P_DEFAULT);
    if (id < 0) return hdf5_fail(result->context, result->path, "read");
    hsize_t extent[2];
    int rank = 0, n_names = 0;
    char **names = NULL, *plain = NULL, *meaning = NULL;
    zn_status status = read_extent(result, id, extent, &rank);
    if (status == ZN_OK && !(dataset->name = mem_text(result->context, name))) status = ZN_MEMORY;
    if (status == ZN_OK) status = read_named_text(result, id, "meaning", &meaning);
    dataset->meaning = meaning;
    if (status == ZN_OK) status = read_named_text(result, id, "names", &plain);
    dataset->plain = plain && strcmp(plain, "plain") == 0;
    mem_free(result->context, plain);
    dataset->n_columns = 1;
    if (status == ZN_OK && rank == 2) {
        status = read_named_texts(result, id, "columns", &names, &n_names);
        dataset->columns = (const char *const *)names;
        dataset->n_columns = n_names;
        if (status == ZN_OK && (hsize_t)n_names != extent[1]) status = damaged(result, "names of columns are missing");
    }
    if (status != ZN_OK) return status;
    result->width += (int)extent[1];
    return count_rows(result, id, rank, extent[0], rows);
}

/* A killed run may have extended some of the datasets only: the shortest counts. */
static zn_status open_datasets(result_file *result) {
    hdf5_source *source = result->source;
    char **names;
    int count;
    zn_status status = read_named_texts(result, source->file, "datasets", &names, &count);
    if (status != ZN_OK) return status;
    result->datasets = MEM_ARRAY(result->context, result_dataset, count);
    source->datasets = MEM_ARRAY(result->context, hid_t, count);
    if (!result->datasets || !source->datasets) status = ZN_MEMORY;
    for (int d = 0; source->datasets && d < count; d++) source->datasets[d] = -1;
    if (status == ZN_OK) {
        result->layout.datasets = result->datasets;
        result->layout.n_datasets = count;
    }
    for (int d = 0; d < count && status == ZN_OK; d++) {
        long rows = 0;
        status = open_dataset(result, d, names[d], &rows);
        if (status == ZN_OK && (d == 0 || rows < result->rows)) result->rows = rows;
        if (status == ZN_OK && result->width > INT_MAX / 2) status = damaged(result, "too many columns");
    }
    if (status == ZN_OK && count == 0) status = damaged(result, "it has no datasets");
    result_free_texts(result->context, names, count);
    return status;
}

static zn_status read_attribute(result_file *result, hid_t attribute) {
    ssize_t length = H5Aget_name(attribute, 0, NULL);
    if (length < 0 || (size_t)length > ((hdf5_source *)result->source)->size)
        return damaged(result, "an attribute has no name");
    char *name = MEM_ARRAY(result->context, char, length + 1), **values = NULL;
    int count = 0;
    if (!name) return ZN_MEMORY;
    H5Aget_name(attribute, (size_t)length + 1, name);
    bool ours = strcmp(name, "format") == 0 || strcmp(name, "datasets") == 0;
    zn_status status = ours ? ZN_OK : read_texts(result, attribute, &values, &count);
    if (status == ZN_OK && !ours && count == 1) {
        result->texts[result->layout.n_texts++] = (result_text){name, values[0]};
        name = values[0] = NULL;
    }
    result_free_texts(result->context, values, count);
    mem_free(result->context, name);
    return status;
}

static zn_status read_attributes(result_file *result) {
    hid_t file = ((hdf5_source *)result->source)->file;
    H5O_info_t info;
    if (H5Oget_info_by_name(file, "/", &info, H5P_DEFAULT) < 0) return hdf5_fail(result->context, result->path, "read");
    if (info.num_attrs > ((hdf5_source *)result->source)->size) return damaged(result, "too many attributes");
    result->texts = MEM_ARRAY(result->context, result_text, info.num_attrs);
    if (!result->texts) return ZN_MEMORY;
    result->layout.texts = result->texts;
    zn_status status = ZN_OK;
    for (hsize_t i = 0; i < info.num_attrs && status == ZN_OK; i++) {
        hid_t attribute = H5Aopen_by_idx(file, "/", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT);
        if (attribute < 0) return hdf5_fail(result->context, result->path, "read");
        status = read_attribute(result, attribute);
        H5Aclose(attribute);
    }
    return status;
}

static zn_status read_column_locked(result_file *result, int d, int column, double *values) {
    hdf5_source *source = result->source;
    hsize_t start[2] = {0, (hsize_t)column}, count[2] = {(hsize_t)result->rows, 1};
    hid_t file_space = H5Dget_space(source->datasets[d]), memory_space = H5Screate_simple(1, count, NULL);
    bool ok = file_space >= 0 && memory_space >= 0 &&
              H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dread(source->datasets[d], H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT, values) >= 0;
    zn_status status = ok ? ZN_OK : hdf5_fail(result->context, result->path, "read");
    if (memory_space >= 0) H5Sclose(memory_space);
    if (file_space >= 0) H5Sclose(file_space);
    return status;
}

static zn_status hdf5_read_column(result_file *result, int index) {
    int d = 0, column = index;
    while (column >= result_dataset_width(&result->datasets[d])) column -= result_dataset_width(&result->datasets[d++]);
    double *values = MEM_ARRAY(result->context, double, result->rows);
    if (!values) return ZN_MEMORY;
    zn_status status = ZN_OK;
    if (result->rows > 0) {
        hdf5_guard guard;
        hdf5_enter(&guard);
        status = read_column_locked(result, d, column, values);
        hdf5_leave(&guard);
    }
    if (status == ZN_OK)
        result->columns[index] = values;
    else
        mem_free(result->context, values);
    return status;
}

static hid_t open_file(const char *path, bool locking) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    bool ok = access >= 0 && H5Pset_cache(access, 0, 521, CACHE_BYTES, 0.75) >= 0;
    (void)locking;
#if H5_VERSION_GE(1, 10, 7)
    ok = ok && H5Pset_file_locking(access, locking, true) >= 0;
#endif
    if (ok) file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (access >= 0) H5Pclose(access);
    return file;
}

zn_status result_hdf5_open(result_file *result, size_t size) {
    hdf5_source *source = MEM_ARRAY(result->context, hdf5_source, 1);
    if (!source) return ZN_MEMORY;
    *source = (hdf5_source){.file = -1, .size = size};
    result->source = source;
    result->close_source = hdf5_close_source;
    result->read_column = hdf5_read_column;
    hdf5_guard guard;
    hdf5_enter(&guard);
    source->file = open_file(result->path, true);
    if (source->file < 0) source->file = open_file(result->path, false); /* of a run that goes on in another process */
    zn_status status =
        source->file >= 0 ? check_format(result, source->file) : hdf5_fail(result->context, result->path, "read");
    if (status == ZN_OK) status = open_datasets(result);
    if (status == ZN_OK) status = read_attributes(result);
    hdf5_leave(&guard);
    return status == ZN_OK ? result_allocate_columns(result) : status;
}
