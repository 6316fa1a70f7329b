/* SPDX-License-Identifier: Apache-2.0 */
/* Contact events, for the time line of the page: names of contacts and kinds, and [time, contact, kind] of each event. */
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

zn_status page_put_events(FILE *to, const page_data *data) {
    zn_contact_table table;
    zn_status status = zn_result_contact_events(data->result, &table);
    int time = result_entry_column(&table, "time"), contact = result_entry_column(&table, "contact"),
        kind = result_entry_column(&table, "kind");
    if (status != ZN_OK || time < 0 || contact < 0 || kind < 0) return status;
    const char *kinds[ZN_CONTACT_EVENT_KINDS];
    for (int k = 0; k < ZN_CONTACT_EVENT_KINDS; k++) kinds[k] = zn_contact_event_text((zn_contact_event_kind)k);
    fprintf(to, "\"events\": {\"count\": %ld, ", table.count);
    put_names(to, "contacts", table.n_names, table.names);
    put_names(to, "kinds", ZN_CONTACT_EVENT_KINDS, kinds);
    fputs("\"list\": [", to);
    long every = table.count / PAGE_MOST_EVENTS + 1;
    const char *between = "";
    for (long i = 0; i < table.count; i += every) {
        const double *e = table.values + i * table.n_columns;
        if (!isfinite(e[time]) || !(e[kind] >= 0 && e[kind] < ZN_CONTACT_EVENT_KINDS)) continue;
        bool named = e[contact] >= 0 && e[contact] < table.n_names;
        fprintf(to, "%s[", between);
        cli_json_number(to, e[time]);
        fprintf(to, ", %d, %d]", named ? (int)e[contact] : -1, (int)e[kind]);
        between = ", ";
    }
    fputs("]},\n", to);
    return ZN_OK;
}
