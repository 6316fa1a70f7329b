/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/plot_events.h"

/* Which event and which column of the table; false: the name is none. */
static bool find_event(const result_entries *e, const char *name, int *event, int *column) {
    for (*event = 0; *event < e->n_names; ++*event) {
        size_t length = strlen(e->names[*event]);
        if (strncmp(name, e->names[*event], length) != 0 || name[length] != '.') continue;
        for (*column = 2; *column < e->n_columns; ++*column)
            if (strcmp(name + length + 1, e->columns[*column]) == 0) return true;
    }
    return false;
}

bool plot_event_column(zn_context *context, result_file *result, const char *name, const double *x, plot_curve *curve, double **points) {
    const result_entries *e = result_get_layout(result)->entries;
    const double *entries;
    long count, rows = result_rows(result), n = 0;
    int event, column;
    *points = NULL;
    if (!e || strcmp(e->names_of, "events") != 0 || !find_event(e, name, &event, &column)) return false;
    if (result_get_entries(result, &entries, &count) != ZN_OK) return true;
    double *block = MEM_ARRAY(context, double, 2 * (size_t)count);
    if (!block) return true;
    for (long i = 0; i < count; i++, entries += e->n_columns) {
        if (entries[1] != event || !(entries[0] >= 0 && entries[0] < (double)rows)) continue;
        block[n] = x[(long)entries[0]];
        block[count + n++] = entries[column];
    }
    *curve = (plot_curve){.x = block, .y = block + count, .rows = n};
    *points = block;
    return true;
}
