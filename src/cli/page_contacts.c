/* SPDX-License-Identifier: Apache-2.0 */
/* Found contacts, for the page. An entry for each contact with a percussion in each row that is kept; percussions of rows that are
 * left out are summed up by contact:
 *
 *   shapes    their names
 *   pairs     two shapes for each contact, 4 bytes a number
 *   start     where the entries of row k begin, and of the row behind the last one
 *   which     the contact of an entry
 *   values    x, y, z, px, py, pz of an entry, as numbers of 4 bytes
 *
 * Where there are too many, each row keeps the largest. */
#include "cli/page_data.h"

#include "cli/summary.h"

#include <stdlib.h>

enum { N_VALUES = 6 };
enum { ROW, SHAPE_A, SHAPE_B, FEATURE_A, FEATURE_B, X, NORMAL = 12, PX = 13, ENTRY = 16 }; /* columns of the table */

typedef struct met {
    const double *entry; /* the last one of the contact in the row, */
    double P[3];         /* and the sum of its percussions */
    int which;
} met;

static int compare_identity(const double *a, const double *b) {
    for (int i = SHAPE_A; i <= FEATURE_B; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int by_identity(const void *a, const void *b) {
    const met *x = a, *y = b;
    int order = compare_identity(x->entry, y->entry);
    return order ? order : x->entry < y->entry ? -1 : x->entry > y->entry;
}

static double size_of(const met *m) { return m->P[0] * m->P[0] + m->P[1] * m->P[1] + m->P[2] * m->P[2]; }

static int by_size(const void *a, const void *b) {
    double x = size_of(a), y = size_of(b);
    return x != y ? (x > y ? -1 : 1) : by_identity(a, b);
}

static int by_entry_identity(const void *a, const void *b) {
    return compare_identity((*(met *const *)a)->entry, (*(met *const *)b)->entry);
}

/* The entries of some rows: one for each contact with a percussion, the `most` largest. Returns how many. */
static long gather(const double *first, const double *end, long most, met *out) {
    long count = 0, n = 0;
    for (const double *e = first; e < end; e += ENTRY)
        if (e[PX] != 0 || e[PX + 1] != 0 || e[PX + 2] != 0) out[count++] = (met){e, {e[PX], e[PX + 1], e[PX + 2]}, 0};
    qsort(out, (size_t)count, sizeof *out, by_identity);
    for (long i = 0; i < count; i++) {
        if (n > 0 && compare_identity(out[n - 1].entry, out[i].entry) == 0) {
            out[n - 1].entry = out[i].entry;
            for (int k = 0; k < 3; k++) out[n - 1].P[k] += out[i].P[k];
        } else out[n++] = out[i];
    }
    if (n <= most) return n;
    qsort(out, (size_t)n, sizeof *out, by_size);
    qsort(out, (size_t)most, sizeof *out, by_identity);
    return most;
}

/* Numbers the contacts; returns how many there are. first[k]: an entry of contact k. */
static int number_contacts(zn_context *context, met *mets, long count, const double **first) {
    met **sorted = MEM_ARRAY(context, met *, count);
    int n = 0;
    if (!sorted) return -1;
    for (long i = 0; i < count; i++) sorted[i] = &mets[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_entry_identity);
    for (long i = 0; i < count; i++) {
        if (n == 0 || compare_identity(first[n - 1], sorted[i]->entry) != 0) first[n++] = sorted[i]->entry;
        sorted[i]->which = n - 1;
    }
    mem_free(context, sorted);
    return n;
}

/* ---- text ---- */

static void put_number(unsigned char *to, uint32_t value) {
    for (int i = 0; i < 4; i++) to[i] = (unsigned char)(value >> 8 * i);
}

static void put_array(FILE *to, const char *name, const unsigned char *bytes, size_t count) {
    fprintf(to, ", \"%s\": \"", name);
    page_put_base64(to, bytes, count);
    fputc('"', to);
}

static void put_all(FILE *to, const zn_contact_table *table, const met *mets, const long *start, long rows, const double *const *first,
                    int contacts, unsigned char *bytes) {
    fputs("\"contacts\": {\"shapes\": [", to);
    for (int i = 0; i < table->n_names; i++) {
        if (i) fputs(", ", to);
        cli_json_text(to, table->names[i]);
    }
    fputc(']', to);
    for (int i = 0; i < contacts; i++)
        put_number(bytes + 8 * i, (uint32_t)first[i][SHAPE_A]), put_number(bytes + 8 * i + 4, (uint32_t)first[i][SHAPE_B]);
    put_array(to, "pairs", bytes, 8 * (size_t)contacts);
    for (long k = 0; k <= rows; k++) put_number(bytes + 4 * k, (uint32_t)start[k]);
    put_array(to, "start", bytes, 4 * (size_t)(rows + 1));
    for (long i = 0; i < start[rows]; i++) put_number(bytes + 4 * i, (uint32_t)mets[i].which);
    put_array(to, "which", bytes, 4 * (size_t)start[rows]);
    for (long i = 0; i < start[rows]; i++)
        for (int k = 0; k < N_VALUES; k++)
            page_store(k < 3 ? mets[i].entry[X + k] : mets[i].P[k - 3], false, bytes + 4 * (N_VALUES * i + k));
    put_array(to, "values", bytes, 4 * (size_t)N_VALUES * (size_t)start[rows]);
    fputs("},\n", to);
}

zn_status page_put_contacts(FILE *to, const page_data *data, const page_rows *rows) {
    zn_contact_table table;
    zn_status status = zn_result_contacts(data->result, &table);
    if (status != ZN_OK || table.count == 0 || table.n_columns != ENTRY) return status;
    zn_context *context = data->context;
    long most = PAGE_MOST_VALUES / N_VALUES / rows->kept, next = 0, used = 0;
    if (most < 1) most = 1;
    met *mets = MEM_ARRAY(context, met, table.count);
    long *start = MEM_ARRAY(context, long, rows->kept + 1);
    const double **first = MEM_ARRAY(context, const double *, table.count);
    size_t room = 4 * ((size_t)N_VALUES * (size_t)table.count + (size_t)rows->kept + 1);
    unsigned char *bytes = MEM_ARRAY(context, unsigned char, room);
    status = mets && start && first && bytes ? ZN_OK : ZN_ERROR_MEMORY;
    for (long k = 0; status == ZN_OK && k < rows->kept; k++) {
        long begin = next;
        while (next < table.count && table.values[next * ENTRY + ROW] <= (double)page_row_of(rows, k)) next++;
        start[k] = used;
        used += gather(table.values + begin * ENTRY, table.values + next * ENTRY, most, mets + used);
    }
    int contacts = 0;
    if (status == ZN_OK) {
        start[rows->kept] = used;
        contacts = number_contacts(context, mets, used, first);
        if (contacts < 0) status = ZN_ERROR_MEMORY;
    }
    if (status == ZN_OK) put_all(to, &table, mets, start, rows->kept, first, contacts, bytes);
    void *blocks[] = {mets, start, (void *)(uintptr_t)first, bytes};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    return status;
}
