/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/exact.h"

#include "model/model.h"
#include "result/result.h"

/* Times that differ by less are the same. */
static const double time_roundoff = 1e-9;

/* Does a column have this name, alone or behind its dataset ("q.x" where another one is called x, too)? */
static bool is_named(const char *column, const char *dataset, const char *name) {
    size_t length = strlen(dataset);
    return strcmp(column, name) == 0 ||
           (strncmp(column, dataset, length) == 0 && column[length] == '.' && strcmp(column + length + 1, name) == 0);
}

/* The place of a column in (q, u); -1: it is none of them. */
static int place_of(const zn_model *model, const char *column) {
    for (int i = 0; i < model->size.nq; i++)
        if (is_named(column, "q", model->q_names[i])) return i;
    for (int i = 0; i < model->size.nu; i++)
        if (is_named(column, "u", model->u_names[i])) return model->size.nq + i;
    return -1;
}

/* A table of one row was written as an exact solution, so an unknown name in it is a mistake. */
static zn_status take_column(zn_context *context, const char *path, const zn_model *model, double end, result_file *file, int column,
                             double *x) {
    const char *name = result_column_name(file, column);
    long rows = result_rows(file);
    bool time = strcmp(name, "t") == 0;
    int place = time ? -1 : place_of(model, name);
    if (!time && place < 0)
        return rows > 1 ? ZN_OK
                        : fail(context, ZN_ERROR_ARGUMENT, "%s: '%s' is neither t nor a coordinate or velocity of the scene", path, name);
    const double *values;
    zn_status status = result_column(file, column, &values);
    if (status != ZN_OK) return status;
    double value = values[rows - 1];
    if (!isfinite(value)) return fail(context, ZN_ERROR_ARGUMENT, "%s: %s is not a finite number in the last row", path, name);
    if (time && !(fabs(value - end) <= time_roundoff * fabs(end)))
        return fail(context, ZN_ERROR_ARGUMENT, "%s has the exact solution at t = %.9g, but the runs end at %.9g; choose --end", path,
                    value, end);
    if (!time) x[place] = value;
    return ZN_OK;
}

zn_status exact_read(zn_context *context, const char *path, const zn_model *model, double end, double *x) {
    int nq = model->size.nq, n = nq + model->size.nu, known = 0;
    result_file *file = NULL;
    for (int i = 0; i < n; i++) x[i] = NAN;
    zn_status status = result_open(context, path, &file);
    if (status != ZN_OK) return status;
    if (result_rows(file) == 0) status = fail(context, ZN_ERROR_ARGUMENT, "%s has no row; a line counts when it ends with a newline", path);
    for (int c = 0; status == ZN_OK && c < result_layout_width(result_get_layout(file)); c++)
        status = take_column(context, path, model, end, file, c, x);
    for (int i = 0; i < nq; i++) known += isfinite(x[i]);
    if (status == ZN_OK && known == 0)
        status = fail(context, ZN_ERROR_ARGUMENT, "%s has no coordinate of the scene: its columns should have their names, as '%s'", path,
                      nq > 0 ? model->q_names[0] : "");
    result_close(file);
    return status;
}
