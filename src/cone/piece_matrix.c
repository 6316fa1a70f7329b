/* SPDX-License-Identifier: Apache-2.0 */
/* One piece: cells of x and the contacts that connect them. Linearised and with x eliminated cell by cell,
 *
 *     v = phi_x^-1 phi,   G_c = phi_x^-1 phi_y,c           over the cells that contact c touches
 *     psi = q + W y,      W_bc = -psi_x,b G_c              a block for each pair of contacts that touch the same cell
 *     q = psi - psi_x v - W y_old
 *     dx = -v - sum_c G_c dy_c
 *
 * Where normal rows are gaps and tangential ones velocities, W is symmetric but for the factor between them: W_NT = f W_TN'. The tangential
 * rows are multiplied by f; inclusions do not change by that. */
#include "cone/pieces.h"

#include "base/wide.h"

#include <limits.h>

/* Factors this near to 1 are round-off. */
static const double same_units = 1e-3;
/* Half of the tolerance is asked for (pieces.c). What is nearly as good as the tolerance itself is not worth hundreds of factorisations. */
static const double enough_share = 1.8;
/* Factorisations for one solve, the fewer the larger the piece; steps of half the length are cheaper than more. */
enum { WORK_MOST = 1000, WORK_LEAST = 100, WORK_CONTACTS = 500000, WORK_HOPELESS = 30 };
static int work_most(const cone_solver *s, int contacts) {
    int most = WORK_CONTACTS / contacts;
    if (s->expected.hopeless) return WORK_HOPELESS;
    return most > WORK_MOST ? WORK_MOST : most < WORK_LEAST ? WORK_LEAST : most;
}

/* The same for iterations of projections, each of which costs a solve with factors at hand. */
enum { PROJECTIONS_MOST = 30000, PROJECTIONS_LEAST = 1000, PROJECTIONS_CONTACTS = 3000000 };
static int projections_most(const cone_solver *s, int contacts) {
    int most = PROJECTIONS_CONTACTS / contacts;
    if (s->expected.hopeless) return PROJECTIONS_LEAST;
    return most > PROJECTIONS_MOST ? PROJECTIONS_MOST : most < PROJECTIONS_LEAST ? PROJECTIONS_LEAST : most;
}

static int cell_size(const cone_pieces *k, int cell) { return k->map.start[cell + 1] - k->map.start[cell]; }

static bool grow(zn_context *context, double **array, size_t *room, size_t count) {
    return mem_grow(context, (void **)array, room, count, sizeof(double));
}

static bool make_room(zn_context *context, piece_worker *w, int contacts, int rows) {
    double **per_contact[] = {&w->mu, &w->nu, &w->scale, &w->NT, &w->TN}, **per_row[] = {&w->q, &w->r};
    size_t contact_room = 0, row_room = 0;
    for (size_t i = 0; i < sizeof per_contact / sizeof *per_contact; i++) {
        contact_room = w->contact_room;
        if (!grow(context, per_contact[i], &contact_room, (size_t)contacts)) return false;
    }
    for (size_t i = 0; i < sizeof per_row / sizeof *per_row; i++) {
        row_room = w->row_room;
        if (!grow(context, per_row[i], &row_room, (size_t)rows)) return false;
    }
    w->contact_room = contact_room, w->row_room = row_room;
    return mem_grow(context, (void **)&w->length, &w->length_room, (size_t)contacts, sizeof(int)) &&
           mem_grow(context, (void **)&w->start, &w->start_room, (size_t)contacts + 1, sizeof(int));
}

/* Loops over cells or contacts of a piece that threads may share. */
typedef struct shared_loop {
    cone_solver *s;
    piece_worker *w;
    int first, last, d;
    double *x, *y;
    const double *factors;       /* of tangential rows, by stages */
    zn_status status[TEAM_MOST]; /* per member */
} shared_loop;

static int end_of(const shared_loop *loop, int task) {
    int end = loop->first + (task + 1) * PIECE_TASK;
    return end < loop->last ? end : loop->last;
}

/* Memory of the thread at work. */
static piece_worker *worker_of(const shared_loop *loop, int member) {
    return loop->s->pieces->together ? &loop->s->pieces->workers[member] : loop->w;
}

/* v of the cells, and the factors. */
static zn_status solve_cell(cone_solver *s, piece_worker *w, int cell) {
    cone_pieces *k = s->pieces;
    int size = cell_size(k, cell);
    const int *rows = k->map.row + k->map.start[cell];
    zn_status status = lin_cells_factor(k->cells, s->p->phi_x, cell);
    if (status != ZN_OK) return status;
    for (int i = 0; i < size; i++) w->b[i] = s->phi[rows[i]];
    lin_cells_solve(k->cells, cell, w->b, 1);
    for (int i = 0; i < size; i++) s->v[rows[i]] = w->b[i];
    return ZN_OK;
}

static void solve_some_cells(void *user, int task, int member) {
    shared_loop *loop = user;
    for (int c = loop->first + task * PIECE_TASK; c < end_of(loop, task); c++) {
        zn_status status = solve_cell(loop->s, worker_of(loop, member), loop->s->pieces->cells_of[c]);
        if (status != ZN_OK) loop->status[member] = status;
    }
}

static zn_status solve_cells(cone_solver *s, piece_worker *w, int piece) {
    cone_pieces *k = s->pieces;
    shared_loop loop = {.s = s, .w = w, .first = k->piece_cell[piece], .last = k->piece_cell[piece + 1]};
    cone_piece_run(k, loop.last - loop.first, solve_some_cells, &loop);
    zn_status worst = ZN_OK;
    for (int i = 0; i < TEAM_MOST; i++) worst = loop.status[i] > worst ? loop.status[i] : worst;
    return worst;
}

static void make_own_columns(const cone_solver *s, int contact) {
    cone_pieces *k = s->pieces;
    int dim = k->contacts[contact].dim;
    for (int t = k->touch_start[contact]; t < k->touch_start[contact + 1]; t++) {
        const touch *at = &k->touches[t];
        int size = cell_size(k, at->cell);
        double *G = k->G + at->G;
        memset(G, 0, (size_t)(size * dim) * sizeof *G);
        for (int e = at->phi_first; e < at->phi_last; e++)
            G[k->phi_entries[e].row * size + k->phi_entries[e].place] = s->phi_y[k->phi_entries[e].entry];
        lin_cells_solve(k->cells, at->cell, G, dim);
    }
}

/* d x/d r of a contact; of all stages at once, with the first of them that is present. */
static void make_columns(const cone_solver *s, int contact) {
    cone_pieces *k = s->pieces;
    if (!k->inverse) {
        make_own_columns(s, contact);
        return;
    }
    int g = k->group_of[contact];
    const int *group = k->grouped + k->group_start[g];
    for (int a = 0; a < k->contacts[contact].stage; a++)
        if (k->present[group[a]]) return;
    for (int a = 0; a < k->group_start[g + 1] - k->group_start[g]; a++) make_own_columns(s, group[a]);
    cone_piece_combine(k, contact);
}

static void make_some_columns(void *user, int task, int member) {
    (void)member;
    const shared_loop *loop = user;
    for (int c = loop->first + task * PIECE_TASK; c < end_of(loop, task); c++) make_columns(loop->s, loop->s->pieces->contacts_of[c]);
}

/* Contacts that are present and touch a cell, ascending, merged into those that a row has already. `merged`: memory for as many. */
static int merge_row(const cone_pieces *k, int cell, const int *row, int count, int *merged) {
    int at = 0, size = 0;
    for (int e = k->cell_start[cell]; e < k->cell_start[cell + 1]; e++) {
        int contact = k->touches[k->cell_touch[e]].contact;
        if (!k->present[contact]) continue;
        int number = k->number[contact];
        while (at < count && row[at] < number) merged[size++] = row[at++];
        if (at < count && row[at] == number) at++;
        merged[size++] = number;
    }
    while (at < count) merged[size++] = row[at++];
    return size;
}

/* The row of a contact; back and forth between its place in the list and the memory behind it. */
static void find_row(const cone_pieces *k, piece_worker *w, int contact) {
    int c = k->number[contact], from = k->touch_start[contact], to = k->touch_start[contact + 1], size = 0;
    int *row = w->index + w->start[c], *other = w->index + (w->start[c] + w->start[c + 1]) / 2, *rows[] = {row, other};
    for (int t = from; t < to; t++) size = merge_row(k, k->touches[t].cell, rows[(t - from) % 2], size, rows[(t - from + 1) % 2]);
    if ((to - from) % 2) memcpy(row, other, (size_t)size * sizeof *row);
    w->length[c] = size;
}

static void find_some_rows(void *user, int task, int member) {
    (void)member;
    const shared_loop *loop = user;
    for (int c = loop->first + task * PIECE_TASK; c < end_of(loop, task); c++)
        find_row(loop->s->pieces, loop->w, loop->s->pieces->contacts_of[c]);
}

/* Block rows: contacts that touch a cell of contact c, ascending. Each is found where there is room for it twice, for all contacts of its
 * cells; then they move together. */
static bool find_blocks(const cone_pieces *k, shared_loop *loop) {
    piece_worker *w = loop->w;
    int n = loop->last - loop->first;
    size_t room = 0;
    for (int c = 0; c < n; c++) {
        int contact = k->contacts_of[loop->first + c];
        w->start[c] = (int)room;
        for (int t = k->touch_start[contact]; t < k->touch_start[contact + 1]; t++)
            room += 2 * (size_t)(k->cell_start[k->touches[t].cell + 1] - k->cell_start[k->touches[t].cell]);
        if (room > INT_MAX) return fail(k->context, ZN_ERROR_MEMORY, "a matrix of %d contacts has too many blocks", n), false;
    }
    w->start[n] = (int)room;
    if (!mem_grow(k->context, (void **)&w->index, &w->index_room, room + 1, sizeof(int))) return false;
    cone_piece_run(k, n, find_some_rows, loop);
    for (int c = 0, count = 0; c <= n; c++) {
        if (c < n) memmove(w->index + count, w->index + w->start[c], (size_t)w->length[c] * sizeof(int));
        w->start[c] = count;
        count += c < n ? w->length[c] : 0;
    }
    return true;
}

/* W_bc -= psi_x,b G_c for a cell that both touch. */
static void add_product(const cone_pieces *k, const cone_solver *s, const touch *b, const touch *c, int d, double *block) {
    const double *G = k->G + c->G;
    int size = cell_size(k, c->cell), dim = k->contacts[c->contact].dim;
    for (int e = b->psi_first; e < b->psi_last; e++) {
        const cell_entry *at = &k->psi_entries[e];
        double value = s->psi_x[at->entry], *row = block + at->row * d;
        for (int j = 0; j < dim; j++) row[j] -= value * G[j * size + at->place];
    }
}

/* The same for contacts of three rows and a cell of six unknowns, a body in space, by columns of the block. psi: by unknowns, the rows of
 * b, with zeros where there are no entries. */
enum { PLAIN = 6 };
ALWAYS_INLINE void add_plain_product(const four psi[PLAIN], const double *G, double *block) {
    for (int j = 0; j < 3; j++) {
        four sum = {0};
        for (int k = 0; k < PLAIN; k++) sum += psi[k] * G[j * PLAIN + k];
        for (int i = 0; i < 3; i++) block[i * 3 + j] -= sum[i];
    }
}

ALWAYS_INLINE void fill_row(const cone_solver *s, const piece_worker *w, int *place, int contact, int d) {
    const cone_pieces *k = s->pieces;
    double *W = many_blocks(w->many);
    int c = k->number[contact];
    for (int e = w->start[c]; e < w->start[c + 1]; e++) place[w->index[e]] = e;
    for (size_t e = (size_t)w->start[c] * (size_t)(d * d), end = (size_t)w->start[c + 1] * (size_t)(d * d); e < end; e++) W[e] = 0;
    for (int t = k->touch_start[contact]; t < k->touch_start[contact + 1]; t++) {
        const touch *own = &k->touches[t];
        int cell = own->cell;
        bool plain = d == 3 && cell_size(k, cell) == PLAIN;
        four psi[PLAIN] = {0};
        for (int e = own->psi_first; plain && e < own->psi_last; e++)
            psi[k->psi_entries[e].place][k->psi_entries[e].row] = s->psi_x[k->psi_entries[e].entry];
        for (int e = k->cell_start[cell]; e < k->cell_start[cell + 1]; e++) {
            const touch *other = &k->touches[k->cell_touch[e]];
            if (!k->present[other->contact]) continue;
            double *block = W + (size_t)place[k->number[other->contact]] * (size_t)(d * d);
            if (plain && k->contacts[other->contact].dim == 3) add_plain_product(psi, k->G + other->G, block);
            else add_product(k, s, own, other, d, block);
        }
    }
    double *own = W + (size_t)place[c] * (size_t)(d * d);
    for (int i = k->contacts[contact].dim; i < d; i++) own[i * d + i] = own[0]; /* rows that this contact does not have */
}

/* Squares of the entries that lead from T to N, and back. */
ALWAYS_INLINE void add_squares(const int d, const double *block, double *NT, double *TN) {
    for (int i = 1; i < d; i++) *NT += block[i] * block[i], *TN += block[i * d] * block[i * d];
}

/* Of the blocks between contacts of the same stage. others: the contacts of the piece. */
ALWAYS_INLINE void measure_row(const cone_pieces *k, const piece_worker *w, const int *others, int contact, const int d) {
    const double *W = many_blocks(w->many);
    int c = k->number[contact], stage = k->contacts[contact].stage;
    double NT = 0, TN = 0;
    for (int e = w->start[c]; e < w->start[c + 1]; e++)
        if (!k->inverse || stage == k->contacts[others[w->index[e]]].stage) add_squares(d, W + (size_t)e * (size_t)(d * d), &NT, &TN);
    w->NT[c] = NT, w->TN[c] = TN;
}

WIDE static void fill_some_rows(void *user, int task, int member) {
    const shared_loop *loop = user;
    const cone_pieces *k = loop->s->pieces;
    for (int c = loop->first + task * PIECE_TASK; c < end_of(loop, task); c++) {
        fill_row(loop->s, loop->w, worker_of(loop, member)->place, k->contacts_of[c], loop->d);
        if (loop->d == 3) measure_row(k, loop->w, k->contacts_of + loop->first, k->contacts_of[c], 3);
        else measure_row(k, loop->w, k->contacts_of + loop->first, k->contacts_of[c], loop->d);
    }
}

/* f by stages: between contacts of the same one. */
static void tangential_factors(const cone_pieces *k, const piece_worker *w, int piece, double *factors) {
    int first = k->piece_contact[piece], n = k->piece_contact[piece + 1] - first;
    double NT[PIECE_STAGES_MOST] = {0}, TN[PIECE_STAGES_MOST] = {0};
    for (int c = 0; c < n; c++) {
        int stage = k->contacts[k->contacts_of[first + c]].stage;
        NT[stage] += w->NT[c], TN[stage] += w->TN[c];
    }
    for (int stage = 0; stage < PIECE_STAGES_MOST; stage++) {
        double factor = sqrt(NT[stage] / TN[stage]);
        factors[stage] = isfinite(factor) && factor > 0 && fabs(factor - 1) > same_units ? factor : 1;
    }
}

static void multiply_tangential_rows(const cone_pieces *k, const piece_worker *w, int piece, int d, const double *factors) {
    int first = k->piece_contact[piece], n = k->piece_contact[piece + 1] - first;
    double *W = many_blocks(w->many);
    for (int c = 0; c < n; c++) {
        double factor = factors[k->contacts[k->contacts_of[first + c]].stage];
        for (int e = w->start[c]; e < w->start[c + 1] && factor != 1; e++)
            for (int i = d; i < d * d; i++) W[(size_t)e * (size_t)(d * d) + (size_t)i] *= factor;
    }
}

/* q, r and the other data of a contact. */
static void load_contact(const cone_solver *s, piece_worker *w, int number, int d, const double *factors) {
    const cone_problem *p = s->p;
    const cone_pieces *k = s->pieces;
    int c = k->number[number];
    const piece_contact *contact = &k->contacts[number];
    double *q = w->q + c * d, *r = w->r + c * d, friction[2] = {0}, unit = 0, factor = factors[contact->stage];
    for (int i = 0; i < d; i++) {
        bool own = i < contact->dim;
        q[i] = own ? s->psi[contact->psi[i]] : 0;
        r[i] = own ? s->mu[contact->y[i]] : 0;
        if (own) unit = larger(cone_psi_scale(p, contact->psi[i]) / (i ? factor : 1), unit);
    }
    for (int t = k->touch_start[number]; t < k->touch_start[number + 1]; t++) {
        const touch *at = &k->touches[t];
        const int *rows = k->map.row + k->map.start[at->cell];
        for (int e = at->psi_first; e < at->psi_last; e++)
            q[k->psi_entries[e].row] -= s->psi_x[k->psi_entries[e].entry] * s->v[rows[k->psi_entries[e].place]];
    }
    for (int b = 0; b < contact->n_balls; b++) {
        const cone *of = &p->cones[contact->ball_cone[b]];
        friction[b] = of->gate_kind == CONE_ALWAYS ? of->balls[contact->ball[b]].mu : 0;
    }
    for (int i = 1; i < d; i++) q[i] *= factor;
    w->mu[c] = friction[0], w->nu[c] = friction[1], w->scale[c] = unit;
}

static void load_some_contacts(void *user, int task, int member) {
    (void)member;
    const shared_loop *loop = user;
    for (int c = loop->first + task * PIECE_TASK; c < end_of(loop, task); c++)
        load_contact(loop->s, loop->w, loop->s->pieces->contacts_of[c], loop->d, loop->factors);
}

static zn_status solve_contacts(cone_solver *s, piece_worker *w, int piece, double wanted, int *d) {
    cone_pieces *k = s->pieces;
    int first = k->piece_contact[piece], n = k->piece_contact[piece + 1] - first;
    *d = 1;
    for (int c = 0; c < n; c++) {
        int contact = k->contacts_of[first + c];
        k->number[contact] = c;
        *d = k->contacts[contact].dim > *d ? k->contacts[contact].dim : *d;
    }
    shared_loop loop = {.s = s, .w = w, .first = first, .last = first + n, .d = *d};
    if (lin_cells_share_memory(k->cells)) /* contacts of the same cell */
        for (int task = 0; task * PIECE_TASK < n; task++) make_some_columns(&loop, task, 0);
    else cone_piece_run(k, n, make_some_columns, &loop);
    if (!make_room(k->context, w, n, n * *d) || !find_blocks(k, &loop) || !many_lay_out(w->many, *d, n, w->start, w->index))
        return ZN_ERROR_MEMORY;
    cone_piece_run(k, n, fill_some_rows, &loop);
    double factors[PIECE_STAGES_MOST];
    tangential_factors(k, w, piece, factors);
    multiply_tangential_rows(k, w, piece, *d, factors);
    loop.factors = factors;
    cone_piece_run(k, n, load_some_contacts, &loop);
    many_subtract(w->many, w->r, w->q);
    many_load(w->many, &(many_load_def){w->q, w->mu, w->nu, w->scale});
    many_settings settings = {.residual = wanted,
                              .enough = enough_share * wanted,
                              .factorisations_most = work_most(s, n),
                              .projections_most = projections_most(s, n),
                              .projections_only = s->settings.solver == ZN_SOLVER_PROJECTION};
    zn_status status = many_solve(w->many, &settings, w->r, &w->cost);
    w->sum.sweeps += w->cost.sweeps;
    w->sum.factorisations += w->cost.factorisations;
    w->sum.solves += w->cost.solves;
    w->failed = w->failed || status == ZN_ERROR_NO_CONVERGENCE;
    return status == ZN_ERROR_NO_CONVERGENCE ? ZN_OK : status; /* the best point is a step, too */
}

/* r of the contacts becomes its change. */
static void set_some_contacts(void *user, int task, int member) {
    (void)member;
    const shared_loop *loop = user;
    const cone_pieces *k = loop->s->pieces;
    for (int c = loop->first + task * PIECE_TASK; c < end_of(loop, task); c++) {
        int contact = k->contacts_of[c];
        double *r = loop->w->r + (c - loop->first) * loop->d;
        for (int i = 0; i < k->contacts[contact].dim; i++) r[i] = cone_piece_set(loop->s, contact, i, r[i], loop->y);
    }
}

/* x of a cell takes its step: -v - sum G dr. */
static void move_cell(const cone_pieces *k, const shared_loop *loop, int cell) {
    int size = cell_size(k, cell);
    const int *rows = k->map.row + k->map.start[cell];
    double *x = loop->x;
    for (int i = 0; i < size; i++) x[rows[i]] -= loop->s->v[rows[i]];
    for (int e = k->cell_start[cell]; e < k->cell_start[cell + 1]; e++) {
        const touch *at = &k->touches[k->cell_touch[e]];
        if (!k->present[at->contact]) continue;
        const double *change = loop->w->r + k->number[at->contact] * loop->d, *G = k->G + at->G;
        for (int j = 0; j < k->contacts[at->contact].dim; j++, G += size)
            for (int i = 0; i < size && change[j] != 0; i++) x[rows[i]] -= G[i] * change[j];
    }
}

static void move_some_cells(void *user, int task, int member) {
    (void)member;
    const shared_loop *loop = user;
    for (int c = loop->first + task * PIECE_TASK; c < end_of(loop, task); c++)
        move_cell(loop->s->pieces, loop, loop->s->pieces->cells_of[c]);
}

zn_status cone_piece_solve(cone_solver *s, piece_worker *w, int piece, double wanted, double *x, double *y) {
    cone_pieces *k = s->pieces;
    int first = k->piece_contact[piece], n = k->piece_contact[piece + 1] - first, d = 1;
    zn_status status = solve_cells(s, w, piece);
    if (status == ZN_OK && n > 0) status = solve_contacts(s, w, piece, wanted, &d);
    if (status != ZN_OK) return status;
    shared_loop contacts = {.s = s, .w = w, .first = first, .last = first + n, .d = d, .x = x, .y = y}, cells = contacts;
    cells.first = k->piece_cell[piece], cells.last = k->piece_cell[piece + 1];
    if (k->inverse) /* contacts of a group set each other's y */
        for (int task = 0; task * PIECE_TASK < n; task++) set_some_contacts(&contacts, task, 0);
    else cone_piece_run(k, n, set_some_contacts, &contacts);
    cone_piece_run(k, cells.last - cells.first, move_some_cells, &cells);
    return ZN_OK;
}
