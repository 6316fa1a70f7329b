/* SPDX-License-Identifier: Apache-2.0 */
/* Siconos' text form. Numbers separated by white space:
 *
 *   dim, contacts, matrix W, q, mu (, mu_rolling)                          local
 *   dim, contacts, matrix M, matrix H, f, w, mu (, mu_rolling)             global
 *
 *   dim: 2 planar, 3 spatial, 5 spatial and rolling; planar and rolling (N, T, R) has 3 as well, and mu_rolling distinguishes the two.
 *
 *   matrix, dense:         0, rows, cols, rows, cols, entries column by column
 *   matrix, sparse blocks: 1, rows, cols, blocks, block rows, block cols, ends of the block rows, ends of the block cols,
 *                          length of start, length of index, start, index, and for each block its number and its entries
 *                          column by column; block k of block row i: start[i] <= k < start[i+1], block column index[k]
 *   matrix, printed:       2, rows, cols, kind (older files have none), and what CSparse prints of a matrix: a line with its version, then
 *                            ROWS-by-COLS, nzmax: A nnz: B, 1-norm: C     and for each column
 *                            col J : locations A to B                     and its entries  ROW : VALUE
 *                          or
 *                            triplet: ROWS-by-COLS, nzmax: A nnz: B       and the entries  ROW COL : VALUE
 *                          kind 3, compressed rows: the transposed matrix by columns
 *
 * Nothing says which of the forms it is; the count of words decides. A last number (symmetry) may follow. */
#include "result/contact_problem.h"
#include "result/internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { READ_AT_ONCE = 1 << 16, HEAD_WORDS_MOST = 40 };

/* The words of a file, parsed when they are needed. */
typedef struct word_list {
    zn_context *context;
    const char *path;
    char *text;
    size_t *start, count, capacity, next;
    bool failed;
} word_list;

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0'; }

static size_t left(const word_list *list) { return list->count - list->next; }
static const char *word(const word_list *list) { return list->text + list->start[list->next]; }
static int word_length(const word_list *list) {
    const char *first = word(list), *end = first;
    while (!is_space(*end)) end++;
    return (int)(end - first);
}
static bool word_is(const word_list *list, const char *wanted) {
    size_t length = strlen(wanted);
    return left(list) > 0 && strncmp(word(list), wanted, length) == 0 && is_space(word(list)[length]);
}

/* The place is that of the next word, or the end of the text. */
static zn_status wrong_text(word_list *list, const char *what) {
    error_place place = ERROR_PLACE_NONE;
    place.file = list->path;
    place.line = place.column = 1;
    const char *end = left(list) > 0 ? word(list) : list->text + strlen(list->text);
    for (const char *c = list->text; c < end; c++) {
        place.column = *c == '\n' ? 1 : place.column + 1;
        place.line += *c == '\n';
    }
    list->failed = true;
    return fail_at(list->context, ZN_ERROR_SYNTAX, &place, "%s", what);
}
/* The same for the word that was just read. */
static zn_status wrong_word(word_list *list, const char *what) {
    list->next--;
    return wrong_text(list, what);
}

static zn_status split_words(word_list *list, size_t size) {
    for (size_t k = 0; k < size; k++) {
        if (list->text[k] == '\0') list->text[k] = '?'; /* no number: refused where it is read */
        if (is_space(list->text[k]) || (k > 0 && !is_space(list->text[k - 1]))) continue;
        if (!mem_grow(list->context, (void **)&list->start, &list->capacity, list->count + 1, sizeof(size_t))) return ZN_ERROR_MEMORY;
        list->start[list->count++] = k;
    }
    return ZN_OK;
}

static zn_status read_words(word_list *list) {
    errno = 0;
    FILE *file = fopen(list->path, "r");
    if (!file) return fail_file(list->context, list->path, "read", errno);
    size_t size = 0, capacity = 0, got = 1;
    zn_status status = ZN_OK;
    while (status == ZN_OK && got > 0) {
        if (!mem_grow(list->context, (void **)&list->text, &capacity, size + READ_AT_ONCE + 1, 1)) status = ZN_ERROR_MEMORY;
        else size += got = fread(list->text + size, 1, READ_AT_ONCE, file);
    }
    if (status == ZN_OK && ferror(file)) status = fail_file(list->context, list->path, "read", errno);
    fclose(file);
    if (status != ZN_OK) return status;
    list->text[size] = '\0';
    return split_words(list, size);
}

static double read_number(word_list *list) {
    if (list->failed) return 0;
    if (left(list) == 0) return wrong_text(list, "the file ends too early"), 0;
    char *end, message[96];
    double value = strtod(word(list), &end);
    if (!is_space(*end) || !isfinite(value)) {
        snprintf(message, sizeof message, "'%.*s' is not a %snumber", word_length(list) < 40 ? word_length(list) : 40, word(list),
                 is_space(*end) ? "finite " : "");
        return wrong_text(list, message), 0;
    }
    list->next++;
    return value;
}

/* From 0 to `most`; `what` it counts or numbers, for errors. */
static int read_integer(word_list *list, int most, const char *what) {
    double value = read_number(list);
    char message[128];
    if (list->failed || (value >= 0 && value <= most && value == floor(value))) return (int)value;
    if (most < INT_MAX / 8) snprintf(message, sizeof message, "%s is not a whole number from 0 to %d", what, most);
    else snprintf(message, sizeof message, "%s is not a whole number that is possible here", what);
    return wrong_word(list, message), 0;
}

static double *read_vector(word_list *list, int n) {
    if (list->failed) return NULL;
    if (left(list) < (size_t)n) return wrong_text(list, "the file ends inside a vector"), NULL;
    double *v = MEM_ARRAY(list->context, double, n);
    if (!v) list->failed = true;
    for (int k = 0; k < n && v; k++) v[k] = read_number(list);
    return v;
}

static double *read_coefficients(word_list *list, int n) {
    size_t first = list->next;
    double *mu = read_vector(list, n);
    for (int k = 0; k < n && !list->failed; k++) {
        if (mu[k] >= 0) continue;
        list->next = first + (size_t)k;
        wrong_text(list, "a friction coefficient is negative");
    }
    return mu;
}

static void add_block(word_list *list, contact_matrix *m, int row, int col, int rows, int cols) {
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            m->row[m->count] = row + i;
            m->col[m->count] = col + j;
            m->value[m->count++] = read_number(list);
        }
}

static void read_dense(word_list *list, contact_matrix *m, int rows, int cols) {
    int rows_again = read_integer(list, INT_MAX, "the number of rows"), cols_again = read_integer(list, INT_MAX, "the number of columns");
    if (list->failed) return;
    if (rows_again != rows || cols_again != cols) {
        wrong_word(list, "the size of a dense matrix is given in two ways");
        return;
    }
    if (left(list) / (size_t)(rows > 0 ? rows : 1) < (size_t)cols) {
        wrong_text(list, "the file ends inside a matrix");
        return;
    }
    if (!result_contact_reserve(list->context, m, rows, cols, (long)rows * cols)) list->failed = true;
    else add_block(list, m, 0, 0, rows, cols);
}

typedef struct block_shape {
    int n_blocks, block_rows, block_cols, *row_end, *col_end, *start, *index;
} block_shape;

static int *read_integers(word_list *list, int n) {
    if (list->failed || left(list) < (size_t)n) {
        if (!list->failed) wrong_text(list, "the file ends inside a sparse matrix");
        return NULL;
    }
    int *v = MEM_ARRAY(list->context, int, n);
    if (!v) list->failed = true;
    for (int k = 0; k < n && v; k++) v[k] = read_integer(list, INT_MAX, "a number in the structure of a sparse matrix");
    return v;
}

static bool shape_is_valid(const block_shape *s, int rows, int cols, int n_start, int n_index) {
    if (n_start != s->block_rows + 1 || n_index != s->n_blocks || s->start[0] != 0) return false;
    for (int i = 0; i < s->block_rows; i++)
        if (s->start[i + 1] < s->start[i] || s->row_end[i] < (i ? s->row_end[i - 1] : 0)) return false;
    for (int j = 0; j < s->block_cols; j++)
        if (s->col_end[j] < (j ? s->col_end[j - 1] : 0)) return false;
    for (int k = 0; k < n_index; k++)
        if (s->index[k] < 0 || s->index[k] >= s->block_cols) return false;
    return s->start[s->block_rows] == s->n_blocks && (s->block_rows ? s->row_end[s->block_rows - 1] : 0) == rows &&
           (s->block_cols ? s->col_end[s->block_cols - 1] : 0) == cols;
}

static void read_blocks(word_list *list, const block_shape *s, contact_matrix *m, int rows, int cols) {
    if (!result_contact_reserve(list->context, m, rows, cols, (long)left(list))) list->failed = true;
    for (int i = 0; i < s->block_rows && !list->failed; i++)
        for (int k = s->start[i]; k < s->start[i + 1] && !list->failed; k++) {
            int row = i ? s->row_end[i - 1] : 0, col = s->index[k] ? s->col_end[s->index[k] - 1] : 0;
            int height = s->row_end[i] - row, width = s->col_end[s->index[k]] - col;
            int number = read_integer(list, INT_MAX, "the number of a block");
            if (list->failed) return;
            if (number != k || left(list) / (size_t)(height > 0 ? height : 1) < (size_t)width)
                wrong_word(list, "a block of a sparse matrix is out of order or cut off");
            else add_block(list, m, row, col, height, width);
        }
}

static void read_sparse(word_list *list, contact_matrix *m, int rows, int cols) {
    block_shape s = {0};
    s.n_blocks = read_integer(list, INT_MAX / 2, "the number of blocks");
    s.block_rows = read_integer(list, INT_MAX / 2, "the number of rows of blocks");
    s.block_cols = read_integer(list, INT_MAX / 2, "the number of columns of blocks");
    s.row_end = read_integers(list, s.block_rows);
    s.col_end = read_integers(list, s.block_cols);
    int n_start = read_integer(list, INT_MAX / 2, "a length"), n_index = read_integer(list, INT_MAX / 2, "a length");
    s.start = read_integers(list, n_start);
    s.index = read_integers(list, n_index);
    if (!list->failed && !shape_is_valid(&s, rows, cols, n_start, n_index))
        wrong_text(list, "the structure of a sparse matrix contradicts itself");
    if (!list->failed) read_blocks(list, &s, m, rows, cols);
    int *integers[] = {s.row_end, s.col_end, s.start, s.index};
    for (int k = 0; k < 4; k++) mem_free(list->context, integers[k]);
}

/* Takes the next word if it is this one. */
static bool skip(word_list *list, const char *wanted) {
    bool found = !list->failed && word_is(list, wanted);
    if (found) list->next++;
    return found;
}

static void expect(word_list *list, const char *wanted) {
    char message[96];
    if (list->failed || skip(list, wanted)) return;
    snprintf(message, sizeof message, "in a matrix printed by CSparse '%s' is missing", wanted);
    wrong_text(list, message);
}

/* Words up to the number of entries: the version of CSparse, then the sizes, which must be those given before. */
static int read_printed_head(word_list *list, int rows, int cols, bool *triplets) {
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%d-by-%d,", rows, cols);
    *triplets = false;
    size_t first = list->next;
    for (; left(list) > 0 && list->next - first < HEAD_WORDS_MOST && !word_is(list, sizes); list->next++)
        if (word_is(list, "triplet:")) *triplets = true;
    if (list->next - first == HEAD_WORDS_MOST) list->next = first;
    expect(list, sizes);
    expect(list, "nzmax:");
    read_integer(list, INT_MAX, "nzmax");
    expect(list, "nnz:");
    if (!*triplets && !list->failed && left(list) > 0) { /* a comma follows: "nnz: 7, 1-norm: 2" */
        char *end;
        long count = strtol(word(list), &end, 10);
        if (count < 0 || count > INT_MAX || *end != ',' || !is_space(end[1])) return wrong_text(list, "the number of entries is wrong"), 0;
        list->next++;
        expect(list, "1-norm:");
        if (!list->failed && left(list) > 0) list->next++; /* not used, and NaN where there are no entries */
        return (int)count;
    }
    return read_integer(list, INT_MAX, "the number of entries");
}

/* Up to the next entry: the heads of columns, of which some may be empty. */
static void read_column_heads(word_list *list, int cols, int *col) {
    while (skip(list, "col")) {
        *col = read_integer(list, cols - 1, "a column");
        expect(list, ":");
        expect(list, "locations");
        read_number(list);
        expect(list, "to");
        read_number(list); /* -1 after an empty first column */
    }
}

enum { PRINTED_BY_ROWS = 3 };

static void read_printed(word_list *list, contact_matrix *m, int rows, int cols) {
    bool triplets, has_kind = left(list) > 0 && word_length(list) == 1;
    bool by_rows = has_kind && read_integer(list, 4, "the kind of a printed matrix") == PRINTED_BY_ROWS;
    if (by_rows) { /* the transposed matrix, turned back below */
        int swap = rows;
        rows = cols;
        cols = swap;
    }
    int count = read_printed_head(list, rows, cols, &triplets), col = -1;
    if (list->failed) return;
    if ((size_t)count > left(list) / 3) {
        wrong_text(list, "the file ends inside a matrix");
        return;
    }
    if (!result_contact_reserve(list->context, m, rows, cols, count)) list->failed = true;
    while (m->count < count && !list->failed) {
        if (!triplets) read_column_heads(list, cols, &col);
        m->row[m->count] = read_integer(list, rows - 1, "a row");
        m->col[m->count] = triplets ? read_integer(list, cols - 1, "a column") : col;
        if (!list->failed && m->col[m->count] < 0) wrong_word(list, "an entry stands before the first column");
        expect(list, ":");
        m->value[m->count++] = read_number(list);
    }
    if (!triplets) read_column_heads(list, cols, &col); /* empty last columns */
    if (by_rows) result_contact_transpose(m);
}

static void read_matrix(word_list *list, contact_matrix *m) {
    int storage = read_integer(list, INT_MAX, "the storage of a matrix");
    if (!list->failed && storage > 2) {
        wrong_word(list, "the storage of a matrix is neither 0 (dense) nor 1 (sparse blocks) nor 2 (printed by CSparse)");
        return;
    }
    int rows = read_integer(list, INT_MAX, "the number of rows"), cols = read_integer(list, INT_MAX, "the number of columns");
    if (list->failed) return;
    if (storage == 0) read_dense(list, m, rows, cols);
    else if (storage == 1) read_sparse(list, m, rows, cols);
    else read_printed(list, m, rows, cols);
}

enum { TRAILING_MOST = 2 };

static void want_size(word_list *list, const contact_matrix *m, int rows, int cols, const char *name) {
    char message[128];
    if (list->failed || (m->rows == rows && m->cols == cols)) return;
    snprintf(message, sizeof message, "the matrix %s before this place is %d x %d, not %d x %d", name, m->rows, m->cols, rows, cols);
    wrong_text(list, message);
}

/* Rows (N, T, R) where three are given and mu_rolling follows. Of one or two contacts the last numbers could be the symmetry, which is
 * written without a point. */
static bool is_planar_rolling(const word_list *list, const contact_problem *p) {
    size_t n = (size_t)p->n_contacts;
    if (list->failed || p->dim != 3 || n == 0 || left(list) < 2 * n) return false;
    word_list after = *list;
    after.next += n;
    return n > TRAILING_MOST || strcspn(word(&after), ".eE") < (size_t)word_length(&after);
}

static zn_status read_problem(word_list *list, contact_problem *p) {
    p->dim = read_integer(list, INT_MAX, "the number of rows per contact");
    if (!list->failed && p->dim != 2 && p->dim != 3 && p->dim != 5) return wrong_word(list, "the dimension is not 2, 3 or 5");
    p->n_contacts = read_integer(list, INT_MAX / 8, "the number of contacts");
    read_matrix(list, &p->M);
    if (list->failed) return ZN_ERROR_SYNTAX;
    int m = p->dim * p->n_contacts;
    size_t vectors = (size_t)m + (size_t)p->n_contacts * (p->dim == 2 ? 1 : 2);
    p->global = left(list) > vectors + TRAILING_MOST;
    if (p->global) {
        want_size(list, &p->M, p->M.rows, p->M.rows, "M");
        read_matrix(list, &p->H);
        want_size(list, &p->H, p->M.rows, m, "H");
        p->f = read_vector(list, p->M.rows);
        p->w = read_vector(list, m);
    } else {
        want_size(list, &p->M, m, m, "W");
        p->W = p->M;
        p->M = (contact_matrix){0};
        p->q = read_vector(list, m);
    }
    p->planar_rolling = is_planar_rolling(list, p);
    p->mu = read_coefficients(list, p->n_contacts);
    if (p->dim == 5 || p->planar_rolling) p->mu_rolling = read_coefficients(list, p->n_contacts);
    if (!list->failed && left(list) > TRAILING_MOST) wrong_text(list, "there are more words than the problem needs");
    while (!list->failed && left(list) > 0) read_number(list);
    return list->failed ? ZN_ERROR_SYNTAX : ZN_OK;
}

zn_status result_contact_text(contact_problem *p, const char *path) {
    word_list list = {.context = p->context, .path = path};
    zn_status status = read_words(&list);
    if (status == ZN_OK) status = read_problem(&list, p);
    mem_free(p->context, list.text);
    mem_free(p->context, list.start);
    return status;
}
