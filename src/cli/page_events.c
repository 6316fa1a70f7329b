/* SPDX-License-Identifier: Apache-2.0 */
/* Events, for the time line of the page: names of contacts and kinds, and [time, contact, kind] of each event. */
#include "cli/page_data.h"

#include "cli/summary.h"
#include "zeno/zeno.h"

static void put_names(FILE *to, const char *key, int count, const char *const *names) {
    fprintf(to, "\"%s\": [", key);
    for (int i = 0; i < count; i++) {
        if (i) fputs(", ", to);
        cli_json_text(to, names[i]);
    }
    fputs("], ", to);
}

/* Entries of a table: the kind of each is `first` and the number in a column. */
static void put_list(FILE *to, const zn_contact_table *table, int kind, int n_kinds, int first, const char **between) {
    int time = result_entry_column(table, "time"), contact = result_entry_column(table, "contact");
    long every = table->count / PAGE_MOST_EVENTS + 1;
    for (long i = 0; i < table->count; i += every) {
        const double *e = table->values + i * table->n_columns;
        if (!isfinite(e[time]) || !(e[kind] >= 0 && e[kind] < n_kinds)) continue;
        bool named = first == 0 && contact >= 0 && e[contact] >= 0 && e[contact] < table->n_names;
        fprintf(to, "%s[", *between);
        cli_json_number(to, e[time]);
        fprintf(to, ", %d, %d]", named ? (int)e[contact] : -1, first + (int)e[kind]);
        *between = ", ";
    }
}

/* Events of the scene follow, each name a kind of its own. */
zn_status page_put_events(FILE *to, const page_data *data) {
    zn_contact_table table, scene;
    zn_status status = zn_result_contact_events(data->result, &table);
    if (status == ZN_OK) status = zn_result_events(data->result, &scene);
    if (status != ZN_OK) return status;
    int kind = result_entry_column(&table, "kind"), event = result_entry_column(&scene, "event");
    if (kind < 0 && event < 0) return ZN_OK;
    int n_kinds = ZN_CONTACT_EVENT_KINDS + scene.n_names;
    const char **kinds = MEM_ARRAY(data->context, const char *, n_kinds), *between = "";
    if (!kinds) return ZN_ERROR_MEMORY;
    for (int k = 0; k < n_kinds; k++)
        kinds[k] = k < ZN_CONTACT_EVENT_KINDS ? zn_contact_event_text((zn_contact_event_kind)k) : scene.names[k - ZN_CONTACT_EVENT_KINDS];
    fprintf(to, "\"events\": {\"count\": %ld, ", table.count + scene.count);
    put_names(to, "contacts", table.n_names, table.names);
    put_names(to, "kinds", n_kinds, kinds);
    fputs("\"list\": [", to);
    if (kind >= 0) put_list(to, &table, kind, ZN_CONTACT_EVENT_KINDS, 0, &between);
    if (event >= 0) put_list(to, &scene, event, scene.n_names, ZN_CONTACT_EVENT_KINDS, &between);
    fputs("]},\n", to);
    mem_free(data->context, kinds);
    return ZN_OK;
}
