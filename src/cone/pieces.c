/* SPDX-License-Identifier: Apache-2.0 */
/* Many contacts. The problem falls apart by itself: unknowns that share no equation belong to different pieces.
 *
 *     cells     of x: connected by phi_x, found once (a free body, a mechanism); its weak entries connect nothing, and Newton's iteration
 *               does without those between cells
 *     pieces    cells connected by contacts that are present, found again in every iteration
 *
 * A contact is present when its inclusion is on and may close: its psi_N is not far above zero, or it has a multiplier. What was left out
 * and is violated after all takes part in the next iteration. Each iteration is a Newton step of every piece that is not solved yet:
 * linearise, and solve the linearised inclusions by the methods of many/ (piece_matrix.c). The steps of pieces do not depend on each other,
 * so that a piece has the same bits alone and among others. */
#include "cone/pieces.h"

/* Rows from which on it pays; below, one dense system for all is faster. */
enum { PIECES_ROWS = 64 };
enum { PASSES_MOST = 20, POOR_PASSES_MOST = 2 };
/* A gap this many times the scale of its row does not close in a step. */
static const double far_away = 20;
/* Inclusions are solved to this part of the tolerance. */
static const double inner_share = 0.5;
/* After a poor pass they are solved to this part of that. */
static const double poor_factor = 0.1;
/* As in newton.c: a start counts as solution only when it is this much better than asked for. */
static const double start_share = 1e-5;
/* A pass that leaves more than this of the residual was poor. */
static const double poor_share = 0.5;

/* ---- contacts ---- */

static bool add_balls(const cone_problem *p, int k, piece_contact *c) {
    const cone *from = &p->cones[k];
    for (int b = 0, offset = 0; b < from->n_balls; offset += from->balls[b++].dim) {
        int dim = from->balls[b].dim;
        bool fits = (c->n_balls == 0 && dim <= 2) || (c->n_balls == 1 && dim == 2 && c->dim == 3);
        if (!fits) return false;
        for (int i = 0; i < dim; i++, c->dim++) c->y[c->dim] = from->mu_F + offset + i, c->psi[c->dim] = from->psi_F + offset + i;
        c->ball_cone[c->n_balls] = k, c->ball[c->n_balls] = b, c->psi_F[c->n_balls++] = from->psi_F;
    }
    return true;
}

/* False: a cone is of another kind, whatever its gate will be, or follows another one. */
static bool find_contacts(const cone_solver *s, cone_pieces *k, int *number) {
    const cone_problem *p = s->p;
    for (int c = 0; c < p->n_cones; c++) {
        number[c] = -1;
        if (p->cones[c].gate_kind == CONE_IF_CLOSED) return false;
        if (p->cones[c].psi_N < 0) continue;
        k->contacts[k->n] = (piece_contact){.normal = c, .dim = 1, .y = {p->cones[c].mu_N}, .psi = {p->cones[c].psi_N}};
        number[c] = k->n++;
    }
    for (int c = 0; c < p->n_cones; c++) {
        int normal = s->normal_of[c];
        if (p->cones[c].n_balls == 0) continue;
        if (normal < 0 || p->cones[c].mu_R >= p->ny || !add_balls(p, c, &k->contacts[number[normal]])) return false;
    }
    return true;
}

/* Whether the cones as they are now are plain contacts. Multipliers of cones that are off become zero. */
static bool is_plain(const cone_solver *s, double *y) {
    const cone_problem *p = s->p;
    for (int c = 0; c < p->n_cones; c++) {
        const cone *one = &p->cones[c];
        if (one->gate_kind == CONE_IF_CLOSED || cone_is_frozen(one)) return false;
        if (one->gate_kind == CONE_ALWAYS && one->n_balls > 0 && (one->stick_of != -1 || one->radius_0 != 0)) return false;
    }
    for (int c = 0; c < s->pieces->n; c++) {
        const piece_contact *contact = &s->pieces->contacts[c];
        for (int b = 0; b < contact->n_balls; b++)
            if (p->cones[contact->ball_cone[b]].psi_F != contact->psi_F[b]) return false;
    }
    if (!cone_piece_invert_groups(s)) return false;
    for (int c = 0; c < p->n_cones; c++) {
        const cone *one = &p->cones[c];
        if (one->gate_kind == CONE_ALWAYS) continue;
        if (p->A.start || p->mu_0) return false;
        if (one->psi_N >= 0) y[one->mu_N] = 0;
        for (int b = 0, row = one->mu_F; b < one->n_balls; b++)
            for (int i = 0; i < one->balls[b].dim; i++) y[row++] = 0;
    }
    return true;
}

/* ---- what contacts touch ---- */

/* Unknowns that the same contacts touch, one after the other (the velocities of a body whose inertia is diagonal), are one cell: fewer and
 * larger blocks. Those of one unknown may be some of those of the other. `joined`, `mark` and `size` (per unknown, per contact, per
 * unknown) are zero at first. */
enum { JOINED_MOST = 6 };
static void join_unknowns(const cone_solver *s, const int *contact_of, unsigned char *joined, int *mark, int *size) {
    const zn_pattern *p = &s->p->psi_x;
    for (int j = 0, length = 1; j < p->cols; j++) { /* mark: 1 + the last unknown that the contact touches */
        int common = 0;
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int contact = contact_of[p->index[e]];
            if (contact < 0 || mark[contact] == j + 1) continue;
            common += j > 0 && mark[contact] == j;
            mark[contact] = j + 1;
            size[j]++;
        }
        bool same = common > 0 && length < JOINED_MOST && (common == size[j] || common == size[j - 1]);
        joined[j] = same;
        length = same ? length + 1 : 1;
    }
}

/* Entries of psi_x (by rows of contacts) and phi_y (by columns), as (contact, cell, entry). */
typedef struct triple {
    int contact, cell;
    cell_entry entry;
} triple;

static int collect(const cone_solver *s, const cone_pieces *k, const int *contact_of, const int *row_of, bool psi, triple *out) {
    const zn_pattern *p = psi ? &s->p->psi_x : &s->p->phi_y;
    int count = 0;
    for (int j = 0; j < p->cols; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int row = psi ? p->index[e] : j, x = psi ? j : p->index[e];
            if (contact_of[row] < 0) continue;
            if (out) out[count] = (triple){contact_of[row], k->map.of[x], {row_of[row], k->map.place[x], e}};
            count++;
        }
    return count;
}

/* Stable counting sorts by cell, then by contact. */
static bool sort(zn_context *context, int count, triple *t, int cells, int contacts) {
    triple *other = MEM_ARRAY(context, triple, count);
    int *start = MEM_ARRAY(context, int, (cells > contacts ? cells : contacts) + 1);
    bool fine = other && start;
    for (int pass = 0; fine && pass < 2; pass++) {
        int keys = pass ? contacts : cells;
        memset(start, 0, (size_t)(keys + 1) * sizeof *start);
        for (int i = 0; i < count; i++) start[(pass ? t[i].contact : t[i].cell) + 1]++;
        for (int i = 0; i < keys; i++) start[i + 1] += start[i];
        for (int i = 0; i < count; i++) other[start[pass ? t[i].contact : t[i].cell]++] = t[i];
        memcpy(t, other, (size_t)count * sizeof *t);
    }
    mem_free(context, other);
    mem_free(context, start);
    return fine;
}

/* Merges both sorted lists into touches. Called to count and to fill. */
static int make_touches(cone_pieces *k, int n_psi, const triple *psi, int n_phi, const triple *phi, touch *out) {
    int count = 0, a = 0, b = 0;
    size_t G = 0;
    while (a < n_psi || b < n_phi) {
        const triple *first =
            b == n_phi ||
                    (a < n_psi && (psi[a].contact < phi[b].contact || (psi[a].contact == phi[b].contact && psi[a].cell <= phi[b].cell)))
                ? &psi[a]
                : &phi[b];
        touch t = {.contact = first->contact, .cell = first->cell, .psi_first = a, .phi_first = b, .G = G};
        while (a < n_psi && psi[a].contact == t.contact && psi[a].cell == t.cell) a++;
        while (b < n_phi && phi[b].contact == t.contact && phi[b].cell == t.cell) b++;
        t.psi_last = a, t.phi_last = b;
        int size = k->map.start[t.cell + 1] - k->map.start[t.cell];
        G += (size_t)size * (size_t)k->contacts[t.contact].dim;
        if (out) {
            out[count] = t;
            k->touch_start[t.contact + 1]++;
        }
        count++;
    }
    if (out) k->G = MEM_ARRAY(k->context, double, G);
    return count;
}

static bool list_by_cells(cone_pieces *k) {
    k->cell_start = MEM_ARRAY(k->context, int, k->map.count + 2);
    k->cell_touch = MEM_ARRAY(k->context, int, k->n_touches);
    if (!k->cell_start || !k->cell_touch) return false;
    int *next = k->cell_start + 1;
    for (int t = 0; t < k->n_touches; t++) next[k->touches[t].cell + 1]++;
    for (int c = 0; c < k->map.count; c++) next[c + 1] += next[c];
    for (int t = 0; t < k->n_touches; t++) k->cell_touch[next[k->touches[t].cell]++] = t;
    return true;
}

static bool find_touches(const cone_solver *s, cone_pieces *k, int *contact_of, int *row_of) {
    zn_context *context = k->context;
    int n_psi = collect(s, k, contact_of, row_of, true, NULL), n_phi = 0;
    triple *psi = MEM_ARRAY(context, triple, n_psi), *phi = NULL;
    bool fine = psi != NULL;
    if (fine) collect(s, k, contact_of, row_of, true, psi);
    for (int r = 0; r < s->p->npsi || r < s->p->ny; r++) contact_of[r] = -1;
    for (int c = 0; c < k->n; c++)
        for (int i = 0; i < k->contacts[c].dim; i++) contact_of[k->contacts[c].y[i]] = c, row_of[k->contacts[c].y[i]] = i;
    n_phi = collect(s, k, contact_of, row_of, false, NULL);
    fine = fine && (phi = MEM_ARRAY(context, triple, n_phi));
    if (fine) collect(s, k, contact_of, row_of, false, phi);
    fine = fine && sort(context, n_psi, psi, k->map.count, k->n) && sort(context, n_phi, phi, k->map.count, k->n);
    if (fine) {
        k->n_touches = make_touches(k, n_psi, psi, n_phi, phi, NULL);
        k->touches = MEM_ARRAY(context, touch, k->n_touches);
        k->touch_start = MEM_ARRAY(context, int, k->n + 1);
        k->psi_entries = MEM_ARRAY(context, cell_entry, n_psi);
        k->phi_entries = MEM_ARRAY(context, cell_entry, n_phi);
        fine = k->touches && k->touch_start && k->psi_entries && k->phi_entries;
    }
    if (fine) {
        make_touches(k, n_psi, psi, n_phi, phi, k->touches);
        for (int c = 0; c < k->n; c++) k->touch_start[c + 1] += k->touch_start[c];
        for (int e = 0; e < n_psi; e++) k->psi_entries[e] = psi[e].entry;
        for (int e = 0; e < n_phi; e++) k->phi_entries[e] = phi[e].entry;
    }
    mem_free(context, psi);
    mem_free(context, phi);
    return fine && k->G && list_by_cells(k);
}

/* ---- memory ---- */

static bool take_lists(cone_pieces *k) {
    zn_context *context = k->context;
    int cells = k->map.count;
    struct {
        int **place;
        int count;
    } lists[] = {{&k->root, cells},       {&k->piece_cell, cells + 1}, {&k->cells_of, cells},  {&k->piece_contact, cells + 1},
                 {&k->contacts_of, k->n}, {&k->number, k->n},          {&k->open_piece, cells}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!(*lists[i].place = MEM_ARRAY(context, int, lists[i].count))) return false;
    k->present = MEM_ARRAY(context, unsigned char, k->n);
    k->open = MEM_ARRAY(context, unsigned char, cells);
    k->norm = MEM_ARRAY(context, double, cells);
    k->status = MEM_ARRAY(context, zn_status, cells);
    int most = 1;
    for (int c = 0; c < cells; c++) most = k->map.start[c + 1] - k->map.start[c] > most ? k->map.start[c + 1] - k->map.start[c] : most;
    if (!(k->workers = MEM_ARRAY(context, piece_worker, k->threads))) return false;
    for (int i = 0; i < k->threads; i++) {
        piece_worker *w = &k->workers[i];
        w->many = many_create_empty(context);
        w->b = MEM_ARRAY(context, double, most);
        w->place = MEM_ARRAY(context, int, k->n);
        if (!w->many || !w->b || !w->place) return false;
    }
    return k->present && k->open && k->norm && k->status;
}

/* What is wanted of a problem whatever the cones do. */
bool cone_may_fall_apart(const cone_problem *p, const cone_settings *settings) {
    return settings->solver != ZN_SOLVER_NEWTON && p->ny >= PIECES_ROWS && p->nx > 0 && p->nmu == p->ny && !p->psi_y.start && !p->linear &&
           !(settings->contradiction > 0 && p->nx > p->n_settled);
}

zn_status cone_pieces_create(cone_solver *s) {
    const cone_problem *p = s->p;
    zn_context *context = s->context;
    if (!cone_may_fall_apart(p, &s->settings)) return ZN_OK;
    cone_pieces *k = MEM_ARRAY(context, cone_pieces, 1);
    int rows = p->npsi > p->ny ? p->npsi : p->ny;
    unsigned char *joined = MEM_ARRAY(context, unsigned char, p->nx);
    int *mark = MEM_ARRAY(context, int, p->n_cones), *size = MEM_ARRAY(context, int, p->nx);
    int *number = MEM_ARRAY(context, int, p->n_cones), *contact_of = MEM_ARRAY(context, int, rows), *row_of = MEM_ARRAY(context, int, rows);
    bool fine = k && joined && mark && size && number && contact_of && row_of, plain = false;
    if (fine) {
        k->context = context;
        k->team = base_team_of(context, s->settings.threads);
        k->threads = base_team_size(k->team) < s->settings.threads ? base_team_size(k->team) : s->settings.threads;
        if (k->threads < 1) k->threads = 1;
        fine = (k->contacts = MEM_ARRAY(context, piece_contact, p->n_cones));
        plain = fine && find_contacts(s, k, number);
    }
    if (plain) {
        for (int r = 0; r < rows; r++) contact_of[r] = -1;
        for (int c = 0; c < k->n; c++)
            for (int i = 0; i < k->contacts[c].dim; i++) contact_of[k->contacts[c].psi[i]] = c, row_of[k->contacts[c].psi[i]] = i;
        join_unknowns(s, contact_of, joined, mark, size);
        /* Weak entries are taken all or not at all: larger cells would hold those of one body without those of its neighbours. */
        fine = (k->cells = lin_cells_create(context, p->phi_x, p->phi_x_weak, p->phi_x_weak ? NULL : joined));
        if (fine) k->map = lin_cells_map(k->cells);
        fine = fine && find_touches(s, k, contact_of, row_of) && take_lists(k);
        plain = fine && cone_piece_groups(s, k, contact_of, &fine);
    }
    void *memory[] = {joined, mark, size, number, contact_of, row_of};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) mem_free(context, memory[i]);
    if (fine && plain) s->pieces = k;
    else cone_pieces_destroy(context, k);
    return fine ? ZN_OK : ZN_ERROR_MEMORY;
}

void cone_pieces_destroy(zn_context *context, cone_pieces *k) {
    if (!k) return;
    for (int i = 0; k->workers && i < k->threads; i++) {
        piece_worker *w = &k->workers[i];
        void *own[] = {w->start, w->index, w->length, w->place, w->q, w->mu, w->nu, w->scale, w->r, w->b, w->NT, w->TN};
        many_destroy(w->many);
        for (size_t j = 0; j < sizeof own / sizeof *own; j++) mem_free(context, own[j]);
    }
    lin_cells_destroy(k->cells);
    void *memory[] = {k->contacts, k->touch_start, k->touches,     k->psi_entries,   k->phi_entries,   k->cell_start, k->cell_touch,
                      k->G,        k->group_of,    k->group_start, k->grouped,       k->group_inverse, k->inverse,    k->present,
                      k->root,     k->piece_cell,  k->cells_of,    k->piece_contact, k->contacts_of,   k->open,       k->norm,
                      k->number,   k->open_piece,  k->status,      k->workers};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) mem_free(context, memory[i]);
    mem_free(context, k);
}

/* ---- pieces ---- */

static bool may_close(const cone_solver *s, const piece_contact *c) {
    const cone_problem *p = s->p;
    if (p->cones[c->normal].gate_kind != CONE_ALWAYS) return false;
    for (int i = 0; i < c->dim; i++)
        if (s->mu[c->y[i]] != 0) return true;
    int row = c->psi[0];
    bool length = p->psi_unit && p->psi_unit[row] == CONE_LENGTH && p->psi_scale;
    return !length || !(s->psi[row] * p->psi_scale[row] > far_away);
}

static int find_root(int *parent, int k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

/* Which contacts are present, and the pieces that they make of the cells, numbered by their first cells. */
static void divide(const cone_solver *s) {
    cone_pieces *k = s->pieces;
    int cells = k->map.count, *root = k->root;
    for (int c = 0; c < cells; c++) root[c] = c;
    for (int c = 0; c < k->n; c++) {
        k->present[c] = k->touch_start[c] < k->touch_start[c + 1] && may_close(s, &k->contacts[c]);
        for (int t = k->touch_start[c] + 1; k->present[c] && t < k->touch_start[c + 1]; t++) {
            int a = find_root(root, k->touches[t - 1].cell), b = find_root(root, k->touches[t].cell);
            root[a > b ? a : b] = a < b ? a : b;
        }
    }
    k->n_pieces = 0;
    for (int c = 0; c < cells; c++) { /* a root is the first cell of its piece */
        int r = find_root(root, c);
        if (r == c) k->cells_of[c] = k->n_pieces++;
        else k->cells_of[c] = k->cells_of[r];
    }
    memcpy(root, k->cells_of, (size_t)cells * sizeof *root);
    memset(k->piece_cell, 0, (size_t)(k->n_pieces + 1) * sizeof(int));
    memset(k->piece_contact, 0, (size_t)(k->n_pieces + 1) * sizeof(int));
    for (int c = 0; c < cells; c++) k->piece_cell[root[c] + 1]++;
    for (int c = 0; c < k->n; c++)
        if (k->present[c]) k->piece_contact[root[k->touches[k->touch_start[c]].cell] + 1]++;
    for (int i = 0; i < k->n_pieces; i++) k->piece_cell[i + 1] += k->piece_cell[i], k->piece_contact[i + 1] += k->piece_contact[i];
    for (int c = cells - 1; c >= 0; c--) k->cells_of[--k->piece_cell[root[c] + 1]] = c;
    for (int c = k->n - 1; c >= 0; c--)
        if (k->present[c]) k->contacts_of[--k->piece_contact[root[k->touches[k->touch_start[c]].cell] + 1]] = c;
    /* the ends have moved to the starts of their pieces */
    for (int i = 0; i < k->n_pieces; i++) k->piece_cell[i] = k->piece_cell[i + 1], k->piece_contact[i] = k->piece_contact[i + 1];
    k->piece_cell[k->n_pieces] = cells;
    int present = 0;
    for (int c = 0; c < k->n; c++) present += k->present[c];
    k->piece_contact[k->n_pieces] = present;
}

/* The residual by pieces; contacts that are not present count for the whole only. */
static double measure(cone_solver *s) {
    const cone_problem *p = s->p;
    cone_pieces *k = s->pieces;
    cone_classify(s, s->psi, s->mu);
    cone_residual(s, s->psi, s->mu, s->R);
    for (int i = 0; i < k->n_pieces; i++) {
        double worst = 0;
        for (int c = k->piece_cell[i]; c < k->piece_cell[i + 1]; c++)
            for (int e = k->map.start[k->cells_of[c]]; e < k->map.start[k->cells_of[c] + 1]; e++) {
                int x = k->map.row[e];
                worst = larger(fabs(s->phi[x]) * (p->phi_scale ? p->phi_scale[x] : 1), worst);
            }
        for (int c = k->piece_contact[i]; c < k->piece_contact[i + 1]; c++) {
            const piece_contact *contact = &k->contacts[k->contacts_of[c]];
            for (int j = 0; j < contact->dim; j++) {
                int row = contact->y[j];
                worst = larger(fabs(s->R[row]) * s->row_scale[2 * row + (s->kind[row] == CONE_ROW_PSI ? 0 : 1)], worst);
            }
        }
        k->norm[i] = worst;
    }
    double rows = cone_row_norm(s, s->R), smooth = cone_smooth_norm(s, s->phi);
    return larger(rows, smooth);
}

void cone_piece_run(const cone_pieces *k, int count, void (*work)(void *, int, int), void *user) {
    base_team_spread(k->team, k->together ? k->threads : 1, (count + PIECE_TASK - 1) / PIECE_TASK, work, user);
}

typedef struct open_pieces {
    cone_solver *s;
    double wanted, *x, *y;
} open_pieces;

static void solve_one(void *user, int task, int member) {
    const open_pieces *open = user;
    cone_pieces *k = open->s->pieces;
    k->status[task] = cone_piece_solve(open->s, &k->workers[member], k->open_piece[task], open->wanted, open->x, open->y);
}

/* Pieces by threads, or where there is one that has most of the contacts, each of them by all threads. */
static zn_status solve_open(cone_solver *s, double wanted, double *x, double *y) {
    cone_pieces *k = s->pieces;
    int most = 0, all = 0;
    k->n_open = 0;
    for (int i = 0; i < k->n_pieces; i++) {
        int contacts = k->piece_contact[i + 1] - k->piece_contact[i];
        if (!k->open[i]) continue;
        k->open_piece[k->n_open++] = i;
        all += contacts;
        most = contacts > most ? contacts : most;
    }
    k->together = 2 * most > all;
    for (int i = 0; i < k->threads; i++) {
        k->workers[i].sum = (cone_cost){0};
        many_share(k->workers[i].many, k->team, k->together ? k->threads : 1);
    }
    base_team_run(k->team, k->together ? 1 : k->threads, k->n_open, solve_one, &(open_pieces){s, wanted, x, y});
    for (int i = 0; i < k->threads; i++) {
        cone_outcome_add_cost(&s->out->cost, &k->workers[i].sum);
        if (s->settings.solver == ZN_SOLVER_PROJECTION)
            s->out->iterations[CONE_PROJECTION] += (int)(k->workers[i].sum.sweeps + k->workers[i].sum.solves);
    }
    for (int i = 0; i < k->n_open; i++)
        if (k->status[i] != ZN_OK) return k->status[i];
    return ZN_OK;
}

static bool any_failed(const cone_pieces *k) {
    bool failed = false;
    for (int i = 0; i < k->threads; i++) failed = failed || k->workers[i].failed;
    return failed;
}

bool cone_pieces_are_large(const cone_pieces *k) {
    int most = 0;
    for (int i = 0; i < k->n_pieces; i++) {
        int contacts = k->piece_contact[i + 1] - k->piece_contact[i];
        most = contacts > most ? contacts : most;
    }
    return most >= MANY_HUGE;
}

static void forget_failures(cone_pieces *k) {
    for (int i = 0; i < k->threads; i++) k->workers[i].failed = false;
}

static void count_pieces(cone_solver *s) {
    const cone_pieces *k = s->pieces;
    cone_cost *cost = &s->out->cost;
    cost->runs = 1;
    cost->pieces = 0;
    for (int i = 0; i < k->n_pieces; i++) cost->pieces += k->piece_contact[i] < k->piece_contact[i + 1];
    cost->pieces_most = cost->pieces;
}

/* As cone_newton. ZN_ERROR_UNSUPPORTED: the cones are not plain contacts now. */
static zn_status solve(cone_solver *s, double *x, double *y) {
    cone_pieces *k = s->pieces;
    double tolerance = s->settings.tolerance, best = INFINITY, norm = INFINITY, wanted = inner_share * tolerance;
    int poor = 0;
    k->team = base_team_of(s->context, k->threads); /* another simulation of the context may have asked for a larger one */
    forget_failures(k);
    s->current = s->rank_known = s->forgives = false;
    if (!is_plain(s, y)) return ZN_ERROR_UNSUPPORTED;
    s->plain = s->leaders >= 0;
    zn_status status = cone_evaluate(s, x, y, true);
    for (int pass = 0; status == ZN_OK; pass++) {
        divide(s);
        double old = norm;
        norm = measure(s);
        if (pass == 0) count_pieces(s);
        if (norm < best) {
            best = norm;
            memcpy(s->x_best, x, (size_t)s->p->nx * sizeof(double));
            memcpy(s->y_best, y, (size_t)s->p->ny * sizeof(double));
        }
        double enough = (pass == 0 ? start_share : 1) * tolerance;
        if (norm <= enough) break;
        if (pass > (any_failed(k) ? 0 : 1) && !(norm <= poor_share * old)) poor++, wanted *= poor_factor;
        bool exhausted = any_failed(k) && cone_smooth_norm(s, s->phi) <= tolerance; /* another pass would be the same again */
        if (exhausted) s->out->end = CONE_EXHAUSTED;
        if (pass == PASSES_MOST || poor == POOR_PASSES_MOST || exhausted) break;
        forget_failures(k);
        if (pass > 0) status = cone_evaluate(s, x, y, true);
        for (int i = 0; i < k->n_pieces; i++) k->open[i] = !(k->norm[i] <= enough);
        if (status == ZN_OK) status = solve_open(s, wanted, x, y);
        if (status == ZN_OK) status = cone_evaluate(s, x, y, false);
        if (s->settings.solver != ZN_SOLVER_PROJECTION) s->out->iterations[CONE_NEWTON]++;
    }
    s->current = status == ZN_OK && norm <= tolerance;
    if (s->current) return ZN_OK;
    if (best < INFINITY) {
        memcpy(x, s->x_best, (size_t)s->p->nx * sizeof(double));
        memcpy(y, s->y_best, (size_t)s->p->ny * sizeof(double));
    }
    return status == ZN_OK ? ZN_ERROR_NO_CONVERGENCE : status;
}

zn_status cone_pieces_solve(cone_solver *s, double *x, double *y) {
    double begin = base_seconds();
    zn_status status = solve(s, x, y);
    if (s->settings.solver == ZN_SOLVER_PROJECTION && status != ZN_ERROR_UNSUPPORTED) s->out->path = CONE_PROJECTION;
    s->out->cost.seconds = base_seconds() - begin;
    return status;
}
