/* SPDX-License-Identifier: Apache-2.0 */
#include "result/hdf5_common.h"

#include <pthread.h>

typedef struct found_error {
    bool found;
    char innermost[200];
} found_error;

/* The usual build of HDF5 may not be called from two threads at once. Its state is the process's, so the lock is too, and
 * what the lock guards: the first error since hdf5_enter (HDF5 forgets it with the next call, even of a close function). */
static pthread_mutex_t hdf5_lock = PTHREAD_MUTEX_INITIALIZER;
static found_error first_error;

static herr_t inspect(unsigned n, const H5E_error2_t *error, void *user) {
    found_error *found = user;
    if (n == 0 && error->desc) {
        strncpy(found->innermost, error->desc, sizeof found->innermost - 1);
        found->innermost[sizeof found->innermost - 1] = '\0';
    }
    return 0;
}

/* HDF5 calls it instead of printing. */
static herr_t keep_error(hid_t stack, void *user) {
    found_error *found = user;
    if (!found->found) H5Ewalk2(stack, H5E_WALK_UPWARD, inspect, found);
    found->found = true;
    return 0;
}

void hdf5_enter(hdf5_guard *guard) {
    pthread_mutex_lock(&hdf5_lock);
    *guard = (hdf5_guard){0};
    first_error = (found_error){0};
    H5Eget_auto2(H5E_DEFAULT, &guard->print, &guard->print_data);
    H5Eset_auto2(H5E_DEFAULT, keep_error, &first_error);
}

void hdf5_leave(const hdf5_guard *guard) {
    H5Eset_auto2(H5E_DEFAULT, guard->print, guard->print_data);
    pthread_mutex_unlock(&hdf5_lock);
}

zn_status hdf5_fail(zn_context *context, const char *path) {
    error_place place = ERROR_PLACE_NONE;
    place.file = path;
    return fail_at(context, ZN_ERROR_FILE, &place, "cannot be written (HDF5: %s)", first_error.innermost);
}

hid_t hdf5_text_type(void) {
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        type = -1;
    }
    return type;
}
