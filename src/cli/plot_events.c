/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/plot_events.h"

static zn_status add(zn_context *context, plot_ticks *to, double time) {
    if (!mem_grow(context, (void **)&to->x, &to->room, (size_t)to->count + 1, sizeof *to->x)) return ZN_ERROR_MEMORY;
    to->x[to->count++] = time;
    return ZN_OK;
}

/* Events of the scene are kinds of their own, by their names. */
static zn_status add_scene(zn_context *context, const zn_contact_table *table, plot_ticks *ticks) {
    int event = result_entry_column(table, "event"), time = result_entry_column(table, "time");
    zn_status status = ZN_OK;
    for (int i = 0; i < table->n_names && i < PLOT_SCENE_EVENTS; i++) ticks[i].name = table->names[i];
    for (long i = 0; i < table->count && status == ZN_OK; i++) {
        const double *entry = table->values + i * table->n_columns;
        if (entry[event] >= 0 && entry[event] < smaller(table->n_names, PLOT_SCENE_EVENTS))
            status = add(context, &ticks[(int)entry[event]], entry[time]);
    }
    return status;
}

zn_status plot_events(zn_context *context, result_file *result, const char *path, plot_ticks ticks[PLOT_EVENT_KINDS]) {
    zn_contact_table table, scene;
    zn_status status = zn_result_contact_events(result, &table);
    if (status == ZN_OK) status = zn_result_events(result, &scene);
    if (status != ZN_OK) return status;
    int time = result_entry_column(&table, "time"), kind = result_entry_column(&table, "kind");
    if ((time < 0 || kind < 0) && scene.n_columns == 0)
        return fail(context, ZN_ERROR_ARGUMENT,
                    "%s has no events: only HDF5 results of runs with contact_events: located, or of scenes with events, have them", path);
    for (int k = 0; k < ZN_CONTACT_EVENT_KINDS; k++) ticks[k].name = zn_contact_event_text((zn_contact_event_kind)k);
    for (long i = 0; i < table.count && status == ZN_OK; i++) {
        const double *entry = table.values + i * table.n_columns;
        if (!(entry[kind] >= 0 && entry[kind] < ZN_CONTACT_EVENT_KINDS))
            return fail(context, ZN_ERROR_FILE, "%s: contact event %ld is of an unknown kind", path, i);
        status = add(context, &ticks[(int)entry[kind]], entry[time]);
    }
    return status == ZN_OK ? add_scene(context, &scene, ticks + ZN_CONTACT_EVENT_KINDS) : status;
}
