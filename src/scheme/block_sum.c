/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of scaled blocks: layout once, one pass per filling. */
#include "scheme/block_sum.h"

enum { HIGHEST_POWER = 2 };

static zn_status take_entries(zn_context *context, int count, block_cut *cut) {
    *cut = (block_cut){.count = count,
                       .row = MEM_ARRAY(context, int, count),
                       .col = MEM_ARRAY(context, int, count),
                       .from = MEM_ARRAY(context, int, count)};
    return cut->row && cut->col && cut->from ? ZN_OK : ZN_ERROR_MEMORY;
}

static bool inside(block_range range, int i) { return i >= range.first && i < range.first + range.count; }

zn_status block_cut_create(zn_context *context, const zn_pattern *p, bool transposed, block_range rows, block_range cols, block_cut *cut) {
    zn_status status = take_entries(context, lin_nnz(p), cut);
    if (status != ZN_OK) return status;
    int count = 0;
    for (int j = 0; p->start && j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            int row = transposed ? j : p->index[k], col = transposed ? p->index[k] : j;
            if (!inside(rows, row) || !inside(cols, col)) continue;
            cut->row[count] = row - rows.first;
            cut->col[count] = col - cols.first;
            cut->from[count++] = k;
        }
    cut->count = count;
    return ZN_OK;
}

zn_status block_cut_identity(zn_context *context, int n, block_cut *cut) {
    zn_status status = take_entries(context, n, cut);
    for (int i = 0; status == ZN_OK && i < n; i++) cut->row[i] = cut->col[i] = i;
    return status;
}

void block_cut_destroy(zn_context *context, block_cut *cut) {
    mem_free(context, cut->row);
    mem_free(context, cut->col);
    mem_free(context, cut->from);
    *cut = (block_cut){0};
}

void block_sum_start(zn_context *context, block_sum *sum) { *sum = (block_sum){.context = context}; }

void block_sum_add(block_sum *sum, const block_cut *cut, const double *source, int row, int col, double factor, int power) {
    if (factor == 0 || cut->count == 0 || sum->failed) return;
    if (!mem_grow(sum->context, (void **)&sum->pieces, &sum->capacity, sum->n_pieces + 1, sizeof *sum->pieces)) {
        sum->failed = true;
        return;
    }
    sum->pieces[sum->n_pieces++] = (block_piece){cut, source, row, col, power, factor};
    sum->n_entries += (size_t)cut->count;
}

zn_status block_sum_finish(block_sum *sum, int rows, int cols) {
    if (sum->failed) return ZN_ERROR_MEMORY;
    zn_context *context = sum->context;
    int *row = MEM_ARRAY(context, int, sum->n_entries), *col = MEM_ARRAY(context, int, sum->n_entries);
    sum->place = MEM_ARRAY(context, int, sum->n_entries);
    zn_status status = row && col && sum->place ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        size_t e = 0;
        for (size_t b = 0; b < sum->n_pieces; b++) {
            const block_piece *piece = &sum->pieces[b];
            for (int k = 0; k < piece->cut->count; k++, e++) {
                row[e] = piece->row + piece->cut->row[k];
                col[e] = piece->col + piece->cut->col[k];
            }
        }
        status = lin_pattern_create(context, rows, cols, (int)sum->n_entries, row, col, &sum->pattern, sum->place);
    }
    mem_free(context, row);
    mem_free(context, col);
    return status;
}

void block_sum_body(block_sum *sum, const block_cut *cut) { sum->body[sum->n_body++] = cut; }

static int find_root(int *parent, int k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

static zn_status name_bodies(const block_sum *sum, lin_matrix *matrix) {
    int n = lin_matrix_size(matrix), *body = MEM_ARRAY(sum->context, int, n);
    if (!body) return ZN_ERROR_MEMORY;
    for (int i = 0; i < n; i++) body[i] = i;
    for (size_t b = 0; b < sum->n_pieces; b++) {
        const block_piece *piece = &sum->pieces[b];
        bool of_body = false;
        for (int c = 0; c < sum->n_body; c++) of_body = of_body || sum->body[c] == piece->cut;
        for (int k = 0; of_body && k < piece->cut->count; k++) {
            int i = find_root(body, piece->row + piece->cut->row[k]), j = find_root(body, piece->col + piece->cut->col[k]);
            body[i > j ? i : j] = i < j ? i : j;
        }
    }
    for (int i = 0; i < n; i++) body[i] = find_root(body, i);
    zn_status status = lin_matrix_set_bodies(matrix, body);
    mem_free(sum->context, body);
    return status;
}

zn_status block_sum_into_matrix(block_sum *sum, lin_storage storage, lin_matrix **out) {
    lin_matrix *matrix = *out = lin_matrix_create(sum->context, sum->pattern.p.rows);
    if (!matrix) return ZN_ERROR_MEMORY;
    int block = lin_matrix_block(matrix, &sum->pattern.p, false, 0, 0);
    zn_status status = block < 0 ? ZN_ERROR_MEMORY : sum->n_body ? name_bodies(sum, matrix) : ZN_OK;
    if (status == ZN_OK) status = lin_matrix_finish(matrix, storage);
    if (status != ZN_OK) return status;
    const int *place = lin_matrix_places(matrix, block);
    for (size_t e = 0; e < sum->n_entries; e++) sum->place[e] = place[sum->place[e]];
    return ZN_OK;
}

void block_sum_destroy(block_sum *sum) {
    if (!sum->context) return;
    mem_free(sum->context, sum->pieces);
    mem_free(sum->context, sum->place);
    lin_pattern_destroy(sum->context, &sum->pattern);
    *sum = (block_sum){0};
}

void block_sum_fill(const block_sum *sum, double h, double *values) {
    const double power[HIGHEST_POWER + 1] = {1, h, h * h};
    const int *place = sum->place;
    for (size_t b = 0; b < sum->n_pieces; b++) {
        const block_piece *piece = &sum->pieces[b];
        const double *source = piece->source;
        const int *from = piece->cut->from;
        double factor = piece->factor * power[piece->power];
        int count = piece->cut->count;
        for (int k = 0; k < count; k++) values[place[k]] += factor * source[from[k]];
        place += count;
    }
}
