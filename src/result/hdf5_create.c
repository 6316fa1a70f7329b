/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of a file of HDF5: attributes, and datasets without rows. Why space is reserved: hdf5_write.c. */
#include "result/h5_file.h"
#include "result/hdf5_sink.h"

#include <stdlib.h>

enum {
    COMPACT_COLUMNS_MAX = 3000,      /* an attribute of the oldest format holds 64 KiB, 16 bytes a name */
    RESERVE_DATASET_BYTES = 1 << 12, /* room for metadata, besides that of the file: of each dataset (its header) ... */
    RESERVE_NAME_BYTES = 64,         /* ... and of each text besides its length */
    NODES_OF_FLUSH = 8,              /* of each index: the path to the last leaf, and what splits add to it */
    DEFLATE_LEVEL = 1                /* higher ones take longer and save little of shuffled numbers */
};

hid_t hdf5_note_type(void) {
    hid_t type = H5Tcopy(H5T_C_S1);
    bool ok = type >= 0 && H5Tset_size(type, RESULT_NOTE_BYTES) >= 0 && H5Tset_strpad(type, H5T_STR_NULLTERM) >= 0 &&
              H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    if (!ok && type >= 0) H5Tclose(type);
    return ok ? type : -1;
}

hid_t hdf5_uncached_access(void) {
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    if (access >= 0 && H5Pset_chunk_cache(access, 0, 0, 1.0) < 0) {
        H5Pclose(access);
        access = -1;
    }
    return access;
}

static size_t creation_bytes(const result_layout *layout) {
    size_t bytes = RESERVE_BYTES;
    for (int i = 0; i < layout->n_texts; i++) bytes += strlen(layout->texts[i].name) + strlen(layout->texts[i].value) + RESERVE_NAME_BYTES;
    for (int d = 0; d < layout->n_datasets; d++) {
        const result_dataset *dataset = &layout->datasets[d];
        bytes += RESERVE_DATASET_BYTES + strlen(dataset->name) + (dataset->meaning ? strlen(dataset->meaning) : 0);
        for (int c = 0; dataset->columns && c < dataset->n_columns; c++) bytes += strlen(dataset->columns[c]) + RESERVE_NAME_BYTES;
    }
    if (layout->notes) bytes += RESERVE_DATASET_BYTES;
    for (const result_entries *e = layout->entries; e; e = e->next) {
        bytes += RESERVE_DATASET_BYTES + strlen(e->meaning);
        for (int c = 0; c < e->n_columns; c++) bytes += strlen(e->columns[c]) + RESERVE_NAME_BYTES;
        for (int c = 0; c < e->n_names; c++) bytes += strlen(e->names[c]) + RESERVE_NAME_BYTES;
    }
    return bytes;
}

static bool put_texts(hid_t object, const char *name, const char *const *texts, int count, bool array) {
    hsize_t size = (hsize_t)count;
    hid_t type = hdf5_text_type();
    hid_t space = array ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    hid_t properties = H5Pcreate(H5P_ATTRIBUTE_CREATE);
    hid_t attribute = -1;
    if (type >= 0 && space >= 0 && properties >= 0 && H5Pset_char_encoding(properties, H5T_CSET_UTF8) >= 0)
        attribute = H5Acreate2(object, name, type, space, properties, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, type, texts) >= 0;
    if (attribute >= 0) ok = H5Aclose(attribute) >= 0 && ok;
    if (properties >= 0) H5Pclose(properties);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return ok;
}

static bool put_text(hid_t object, const char *name, const char *text) { return put_texts(object, name, &text, 1, false); }

static bool put_number(hid_t object, const result_text *number) {
    bool real = number->kind == RESULT_REAL;
    double value = strtod(number->value, NULL);
    long long whole = strtoll(number->value, NULL, 10);
    hid_t space = H5Screate(H5S_SCALAR), attribute = -1;
    if (space >= 0) attribute = H5Acreate2(object, number->name, real ? H5T_IEEE_F64LE : H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok =
        attribute >= 0 && (real ? H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value) : H5Awrite(attribute, H5T_NATIVE_LLONG, &whole)) >= 0;
    if (attribute >= 0) ok = H5Aclose(attribute) >= 0 && ok;
    if (space >= 0) H5Sclose(space);
    return ok;
}

static bool put_attribute(hid_t object, const result_text *text) {
    return text->kind == RESULT_TEXT ? put_text(object, text->name, text->value) : put_number(object, text);
}

/* Rows that were announced but never arrived read as NaN. No times: equal runs give equal bytes. */
static hid_t dataset_properties(hsize_t chunk_rows, int width, int names, bool deflated) {
    int rank = width ? 2 : 1;
    hsize_t chunk[2] = {chunk_rows, (hsize_t)hdf5_columns(width)};
    double missing = NAN;
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    bool ok = properties >= 0 && H5Pset_chunk(properties, rank, chunk) >= 0 &&
              H5Pset_fill_value(properties, H5T_NATIVE_DOUBLE, &missing) >= 0 && H5Pset_obj_track_times(properties, false) >= 0;
    if (ok && deflated) ok = H5Pset_shuffle(properties) >= 0 && H5Pset_deflate(properties, DEFLATE_LEVEL) >= 0;
    if (ok && names > COMPACT_COLUMNS_MAX)
        ok = H5Pset_attr_creation_order(properties, H5P_CRT_ORDER_TRACKED) >= 0 && H5Pset_attr_phase_change(properties, 0, 0) >= 0;
    if (!ok && properties >= 0) H5Pclose(properties);
    return ok ? properties : -1;
}

static hid_t create_table(const hdf5_sink *h5, const char *name, int width, hsize_t chunk_rows, int names) {
    hsize_t extent[2] = {0, (hsize_t)hdf5_columns(width)}, largest[2] = {H5S_UNLIMITED, extent[1]};
    hid_t id = -1, space = H5Screate_simple(width ? 2 : 1, extent, largest);
    hid_t links = H5Pcreate(H5P_LINK_CREATE), properties = dataset_properties(chunk_rows, width, names, h5->packed && h5->deflates),
          access = hdf5_uncached_access();
    if (space >= 0 && links >= 0 && properties >= 0 && access >= 0 && H5Pset_char_encoding(links, H5T_CSET_UTF8) >= 0 &&
        H5Pset_create_intermediate_group(links, 1) >= 0)
        id = H5Dcreate2(h5->file, name, H5T_IEEE_F64LE, space, links, properties, access);
    if (access >= 0) H5Pclose(access);
    if (properties >= 0) H5Pclose(properties);
    if (links >= 0) H5Pclose(links);
    if (space >= 0) H5Sclose(space);
    return id;
}

static bool create_dataset(hdf5_sink *h5, int d, const result_dataset *dataset) {
    int width = dataset->columns ? dataset->n_columns : 0;
    h5->widths[d] = width;
    hid_t id = h5->datasets[d] = create_table(h5, dataset->name, width, h5->chunk_rows, width);
    bool ok = id >= 0;
    if (ok && width) ok = put_texts(id, "columns", dataset->columns, width, true);
    if (ok && dataset->meaning) ok = put_text(id, "meaning", dataset->meaning);
    if (ok && dataset->plain) ok = put_text(id, "names", "plain");
    return ok;
}

static bool create_entries(hdf5_sink *h5, int table, const result_entries *entries) {
    hdf5_entries *e = &h5->entries[table];
    hid_t id = e->dataset = create_table(h5, entries->name, e->width, e->chunk_rows, entries->n_names);
    return id >= 0 && put_texts(id, "columns", entries->columns, entries->n_columns, true) && put_text(id, "meaning", entries->meaning) &&
           put_texts(id, entries->names_of, entries->names, entries->n_names, true);
}

/* An attribute names them, with commas between. */
static bool create_tables(hdf5_sink *h5, const result_entries *entries) {
    char names[RESULT_TABLES * (H5_NAME_LONGEST + 1) + 1] = "";
    int table = 0;
    bool ok = true;
    for (const result_entries *e = entries; e && ok; e = e->next) {
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", table ? "," : "", e->name);
        ok = create_entries(h5, table++, e);
    }
    return ok && (!entries || put_text(h5->file, "entries", names));
}

static bool create_notes(hdf5_sink *h5, const char *name) {
    hsize_t extent = 0, largest = H5S_UNLIMITED, chunk = NOTE_ROWS;
    static const char none[RESULT_NOTE_BYTES];
    hid_t space = H5Screate_simple(1, &extent, &largest), type = hdf5_note_type(), properties = H5Pcreate(H5P_DATASET_CREATE),
          access = hdf5_uncached_access();
    bool ok = space >= 0 && type >= 0 && properties >= 0 && access >= 0 && H5Pset_chunk(properties, 1, &chunk) >= 0 &&
              H5Pset_fill_value(properties, type, none) >= 0 && H5Pset_obj_track_times(properties, false) >= 0;
    if (ok) h5->notes.dataset = H5Dcreate2(h5->file, name, type, space, H5P_DEFAULT, properties, access);
    if (access >= 0) H5Pclose(access);
    if (properties >= 0) H5Pclose(properties);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return h5->notes.dataset >= 0 && put_text(h5->file, "notes", name);
}

/* Readable by HDF5 1.8 and later. Metadata goes to the driver only when flushed (hdf5_write.c). No locks of HDF5's own: the output's keeps
 * other writers out, and lets readers in. */
static hid_t file_access(hdf5_sink *h5) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    bool ok =
        access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18) >= 0 && H5Pget_mdc_config(access, &cache) >= 0;
    cache.evictions_enabled = false;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    ok = ok && H5Pset_mdc_config(access, &cache) >= 0 && H5Pset_evict_on_close(access, true) >= 0;
    ok = ok && hdf5_driver_use(&h5->driver, h5->context, h5->reserve, access);
    if (!ok && access >= 0) H5Pclose(access);
    return ok ? access : -1;
}

static zn_status create_file(hdf5_sink *h5, const result_layout *layout) {
    hid_t access = file_access(h5), properties = H5Pcreate(H5P_FILE_CREATE);
    if (access >= 0 && properties >= 0 && H5Pset_obj_track_times(properties, false) >= 0)
        h5->file = H5Fcreate(h5->path, H5F_ACC_TRUNC, properties, access);
    if (access >= 0) H5Pclose(access);
    if (properties >= 0) H5Pclose(properties);
    if (h5->file < 0) return hdf5_outcome(h5, false);
    zn_status status = hdf5_reserve(h5, 0, creation_bytes(layout));
    if (status != ZN_OK) return status;
    bool ok = put_text(h5->file, "format", RESULT_FORMAT_TEXT);
    for (int i = 0; ok && i < layout->n_texts; i++) ok = put_attribute(h5->file, &layout->texts[i]);
    return hdf5_outcome(h5, ok);
}

zn_status hdf5_create_all(hdf5_sink *h5, const result_layout *layout) {
    const char **names = MEM_ARRAY(h5->context, const char *, layout->n_datasets);
    if (!names) return ZN_ERROR_MEMORY;
    /* Before the first call, when nothing can be left half-done. Creation cuts the file off, so once more after it. */
    zn_status status = hdf5_reserve(h5, 0, creation_bytes(layout));
    if (status == ZN_OK) status = create_file(h5, layout);
    h5->deflates = H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0;
    bool ok = status == ZN_OK;
    int n = 0;
    for (int d = 0; ok && d < layout->n_datasets; d++) {
        const result_dataset *dataset = &layout->datasets[d];
        if (result_dataset_width(dataset) == 0) continue;
        names[n] = dataset->name;
        ok = create_dataset(h5, n++, dataset);
    }
    ok = ok && create_tables(h5, layout->entries);
    if (layout->notes) ok = ok && create_notes(h5, layout->notes);
    ok = ok && put_texts(h5->file, "datasets", names, n, true) && H5Fflush(h5->file, H5F_SCOPE_LOCAL) >= 0;
    h5->n_datasets = n;
    mem_free(h5->context, names);
    if (status != ZN_OK) return status;
    if (ok && !hdf5_driver_expect(&h5->driver, (size_t)(n + h5->n_entries + 1) * NODES_OF_FLUSH * NODE_BYTES)) return ZN_ERROR_MEMORY;
    return hdf5_outcome(h5, ok);
}
