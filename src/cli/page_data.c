/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a page: facts, the scene's text, the drawing, and all columns as numbers of 4 bytes (8 for time and energy) in base64.
 * Long results are thinned out; percussions and iterations, which count since the previous row, are then added up. */
#include "cli/page_data.h"

#include "cli/summary.h"

#include <stdlib.h>

/* ---- numbers ---- */

void page_put_base64(FILE *to, const unsigned char *bytes, size_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        unsigned group = (unsigned)bytes[i] << 16 | (i + 1 < count ? (unsigned)bytes[i + 1] << 8 : 0) | (i + 2 < count ? bytes[i + 2] : 0);
        fputc(digits[group >> 18], to);
        fputc(digits[group >> 12 & 63], to);
        fputc(i + 1 < count ? digits[group >> 6 & 63] : '=', to);
        fputc(i + 2 < count ? digits[group & 63] : '=', to);
    }
}

/* Little-endian, whatever this machine is. */
void page_store(double value, bool wide, unsigned char *to) {
    uint64_t bits = 0;
    float narrow = (float)value;
    uint32_t narrow_bits;
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    memcpy(&bits, &value, sizeof bits);
    if (!wide) bits = narrow_bits;
    for (int i = 0; i < (wide ? 8 : 4); i++) to[i] = (unsigned char)(bits >> 8 * i);
}

static page_rows select_rows(const result_file *result) {
    long rows = result_rows(result), width = result_layout_width(result_get_layout(result)),
         most = PAGE_MOST_VALUES / (width > 0 ? width : 1);
    if (most > PAGE_MOST_ROWS) most = PAGE_MOST_ROWS;
    if (most < PAGE_LEAST_ROWS) most = PAGE_LEAST_ROWS;
    page_rows s = {rows, rows, 1};
    if (rows > most) {
        s.every = (rows - 2) / (most - 1) + 1;
        s.kept = (rows - 2) / s.every + 2;
    }
    return s;
}

long page_row_of(const page_rows *s, long k) { return k + 1 == s->kept ? s->rows - 1 : k * s->every; }

static double value_of(const page_rows *s, const double *values, long k, bool sum) {
    long row = page_row_of(s, k);
    if (!sum || k == 0) return values[row];
    double total = 0;
    for (long i = page_row_of(s, k - 1) + 1; i <= row; i++) total += values[i];
    return total;
}

static zn_status put_column(FILE *to, const page_data *data, const page_rows *s, int index, const char *name, const result_dataset *dataset,
                            const char *group) {
    const double *values;
    zn_status status = result_column(data->result, index, &values);
    bool wide = !strcmp(group, "t") || !strcmp(group, "energy"),
         sum = !strcmp(group, "percussion") || !strcmp(group, "iterations") || !strcmp(name, "found.normal");
    unsigned char *bytes = status == ZN_OK ? MEM_ARRAY(data->context, unsigned char, (size_t)s->kept * 8) : NULL;
    if (!bytes) return status == ZN_OK ? ZN_ERROR_MEMORY : status;
    for (long k = 0; k < s->kept; k++) page_store(value_of(s, values, k, sum), wide, bytes + k * (wide ? 8 : 4));
    fprintf(to, "%s{\"name\": ", index ? ",\n" : "");
    cli_json_text(to, name);
    fputs(", \"dataset\": ", to);
    cli_json_text(to, group);
    if (dataset->meaning) {
        fputs(", \"meaning\": ", to);
        cli_json_text(to, dataset->meaning);
    }
    fprintf(to, ", \"type\": \"%s\", \"data\": \"", wide ? "f64" : "f32");
    page_put_base64(to, bytes, (size_t)s->kept * (wide ? 8 : 4));
    fputs("\"}", to);
    mem_free(data->context, bytes);
    return ZN_OK;
}

/* A CSV file has only names: "energy.total" shows its group, a prime marks velocities. */
static const char *group_of(const result_dataset *dataset) {
    static const char *const groups[] = {"percussion", "gap", "energy", "iterations", "view"};
    if (dataset->columns) return dataset->name;
    size_t n = strlen(dataset->name), head = strcspn(dataset->name, ".");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (strlen(groups[i]) == head && !memcmp(groups[i], dataset->name, head)) return groups[i];
    return !strcmp(dataset->name, "t") ? "t" : n && dataset->name[n - 1] == '\'' ? "u" : "q";
}

static zn_status put_columns(FILE *to, const page_data *data, const page_rows *s) {
    const result_layout *layout = result_get_layout(data->result);
    zn_status status = ZN_OK;
    int index = 0;
    fputs("\"columns\": [", to);
    for (int d = 0; d < layout->n_datasets; d++) {
        const result_dataset *dataset = &layout->datasets[d];
        for (int c = 0; c < (dataset->columns ? dataset->n_columns : 1) && status == ZN_OK; c++, index++)
            status = put_column(to, data, s, index, result_column_name(data->result, index), dataset, group_of(dataset));
    }
    fputs("]", to);
    return status;
}

/* ---- facts ---- */

static void put_fact(FILE *to, const char *name, const char *value) {
    fputs(", [", to);
    cli_json_text(to, name);
    fputs(", ", to);
    cli_json_text(to, value);
    fputs("]", to);
}

static const char *text_of(const page_data *data, const char *name) {
    const char *text = result_get_text(data->result, name);
    return text ? text : "";
}

static void put_facts(FILE *to, const page_data *data, const page_rows *s) {
    char text[200], end[40];
    const double *energy;
    int index;
    snprintf(text, sizeof text, s->kept < s->rows ? "%ld of %ld" : "%ld", s->kept, s->rows);
    fputs("\"facts\": [[\"rows\", ", to);
    cli_json_text(to, text);
    fputs("]", to);
    const char *scheme = text_of(data, "scheme"), *stages = text_of(data, "stages");
    snprintf(text, sizeof text, atoi(stages) > 1 ? "%.150s, %.10s stages" : "%.150s", scheme, stages);
    if (*scheme) put_fact(to, "scheme", text);
    snprintf(text, sizeof text, "%.9g", atof(text_of(data, "step")));
    snprintf(end, sizeof end, "%.9g", atof(text_of(data, "end")));
    if (*scheme && atof(text) > 0) put_fact(to, "step", text);
    if (*scheme) put_fact(to, "end", end);
    bool found = false;
    for (int d = 0; d < result_layout_width(result_get_layout(data->result)) && !found; d++)
        if (!strcmp(result_column_name(data->result, d), "energy.total")) index = d, found = true;
    if (found && s->rows > 0 && result_column(data->result, index, &energy) == ZN_OK) {
        snprintf(text, sizeof text, "%.6g to %.6g", energy[0], energy[s->rows - 1]);
        put_fact(to, "energy", text);
    }
    fputs("],\n", to);
}

/* ---- the whole ---- */

const char *page_title(const page_data *data) {
    const char *title = data->title ? data->title : text_of(data, "title"), *slash = strrchr(data->path, '/');
    return *title ? title : slash ? slash + 1 : data->path;
}

zn_status page_put_data(FILE *to, const page_data *data) {
    page_rows s = select_rows(data->result);
    if (s.rows == 0) return fail(data->context, ZN_ERROR_FILE, "%s has no rows to show", data->path);
    fputs("{\"format\": \"zeno page 1\", \"title\": ", to);
    cli_json_text(to, page_title(data));
    fputs(",\n", to);
    put_facts(to, data, &s);
    fprintf(to, "\"rows\": %ld,\n\"scene\": ", s.kept);
    cli_json_text(to, text_of(data, "scene"));
    fputs(",\n\"drawing\": ", to);
    cli_json_text(to, text_of(data, "drawing")); /* as a text: no content of the file can break the page */
    fputs(",\n", to);
    zn_status status = page_put_contacts(to, data, &s);
    if (status == ZN_OK) status = page_put_events(to, data);
    if (status == ZN_OK) status = put_columns(to, data, &s);
    fputs("}\n", to);
    return status;
}
