/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/plot_events.h"

zn_status plot_contact_events(zn_context *context, result_file *result, const char *path, plot_ticks ticks[ZN_CONTACT_EVENT_KINDS]) {
    zn_contact_table table;
    zn_status status = zn_result_contact_events(result, &table);
    if (status != ZN_OK) return status;
    int time = result_entry_column(&table, "time"), kind = result_entry_column(&table, "kind");
    if (time < 0 || kind < 0)
        return fail(context, ZN_ERROR_ARGUMENT,
                    "%s has no contact events: HDF5 results of runs with contact_events: located have, where no contacts are found by "
                    "rules and the "
                    "scene has no events",
                    path);
    for (int k = 0; k < ZN_CONTACT_EVENT_KINDS; k++) ticks[k].name = zn_contact_event_text((zn_contact_event_kind)k);
    for (long i = 0; i < table.count; i++) {
        const double *entry = table.values + i * table.n_columns;
        if (!(entry[kind] >= 0 && entry[kind] < ZN_CONTACT_EVENT_KINDS))
            return fail(context, ZN_ERROR_FILE, "%s: contact event %ld has no kind that is known", path, i);
        plot_ticks *of = &ticks[(int)entry[kind]];
        if (!mem_grow(context, (void **)&of->x, &of->room, (size_t)of->count + 1, sizeof *of->x)) return ZN_ERROR_MEMORY;
        of->x[of->count++] = entry[time];
    }
    return ZN_OK;
}
