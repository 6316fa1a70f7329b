/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts that come and go. The model of a step is the one that was given and a part for each pair of features that may touch:
 *
 *   before a step   where a shape has left the box that the list was found for: a new list, for the way of some steps and a margin
 *   after it        shapes that went through each other: the step is taken in parts, where the nearest features are those that meet;
 *                   shapes that overlap at its end by features that are not in the list, or are there with other numbers (the tangent of
 *                   a rim where it was at the start): the step is repeated with them
 *   another list    entries are sorted by their identity (shapes, features); what is known of one goes to the same one of the next list
 *                   (adopt.c), and parts that are in both are kept                                                                     */
#include "sim/simulation.h"

/* Of the smallest shape's size: what shapes may come nearer than thought before a list is renewed; overlap that is no round-off. */
static const double margin_share = 0.1, overlap_share = 1e-7;
/* The part of this margin within which shapes at rest are listed, so that a pile has not many contacts that are open. */
static const double least_margin = 0.1;
/* A list is found for the way of this many steps. */
static const double steps_ahead = 2;
/* Of a step, with more contacts each time, or with parts of features that fit its end better: what is still missed then makes the step be
 * cut. */
enum { MOST_REPEATS = 25 };

zn_status sim_contacts_create(zn_simulation *sim) {
    sim_contacts *c = &sim->contacts;
    if (!(c->field = contact_field_of(sim->base))) return ZN_OK;
    zn_status status = scheme_check_found(sim->context, scheme_find(sim->settings.scheme), contact_field_rubs(c->field));
    if (status != ZN_OK) return status;
    int bodies = contact_field_bodies(c->field);
    if (!(c->poses = c->pose_memory = MEM_ARRAY(sim->context, collide_pose, 4 * bodies))) return ZN_ERROR_MEMORY;
    c->poses_end = c->poses + bodies, c->poses_between = c->poses_end + bodies, c->poses_seen = c->poses_between + bodies;
    if (!(c->world = contact_field_world(sim->context, c->field))) {
        int errors = zn_error_count(sim->context);
        return errors ? zn_error_get(sim->context, errors - 1)->status : ZN_ERROR_MEMORY;
    }
    double size = collide_smallest(c->world);
    collide_list_less(c->world, least_margin);
    collide_share(c->world, sim->settings.threads);
    c->margin = margin_share * size;
    c->tolerance = overlap_share * size;
    return sim_rules_create(sim);
}

static void free_part(zn_context *context, const sim_met *m) {
    model_free(context, m->part);
    mem_free(context, m->q);
}

static void free_met(zn_context *context, sim_met *m) {
    free_part(context, m);
    *m = (sim_met){0};
}

void sim_contacts_destroy(zn_simulation *sim) {
    sim_contacts *c = &sim->contacts;
    for (size_t i = 0; i < c->list.count; i++) free_met(sim->context, &c->list.at[i]);
    for (int i = 0; i < 2; i++) model_free(sim->context, c->models[i]);
    collide_destroy(c->world);
    sim_rules_destroy(sim);
    void *blocks[] = {c->pose_memory, c->list.at, c->other.at, c->found.at, c->missed.at,
                      c->merged.at,   c->extra,   c->from,     c->gone.at,  c->pairs};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(sim->context, blocks[i]);
    *c = (sim_contacts){0};
}

/* ---- another list ---- */

/* The part of an entry; pole: of the same contact before, or NULL. */
static zn_status make_part(zn_simulation *sim, const double *pole, sim_met *m) {
    int q[CONTACT_FIELD_MOST], u[CONTACT_FIELD_MOST];
    zn_status status = contact_field_instance(sim->context, sim->contacts.field, &m->candidate, pole, m->pole, &m->part, q, u);
    if (status != ZN_OK) return status;
    const zn_sizes *size = &m->part->size;
    if (size->nN + size->nF > SIM_MOST_ROWS) return fail(sim->context, ZN_ERROR_INTERNAL, "a contact has %d rows", size->nN + size->nF);
    if (!(m->q = MEM_ARRAY(sim->context, int, size->nq + size->nu))) return ZN_ERROR_MEMORY;
    m->u = m->q + size->nq;
    memcpy(m->q, q, (size_t)size->nq * sizeof *q);
    memcpy(m->u, u, (size_t)size->nu * sizeof *u);
    return ZN_OK;
}

/* The frame of an entry's tangents is singular where the normal is opposite to its pole: up to this cosine it is kept. */
static const double turned = -0.5;

/* The part of an entry serves the same candidate found again. */
static bool is_same(const sim_met *m, const collide_candidate *found) {
    double along = m->pole[0] * found->n[0] + m->pole[1] * found->n[1] + m->pole[2] * found->n[2];
    return collide_same_features(&m->candidate, found) && along > turned;
}

/* An entry of the next list from the same one of the present list. *passes: what is known of it is in the same directions. */
static zn_status renew(zn_simulation *sim, const sim_met *old, sim_met *m, bool *passes) {
    const collide_candidate found = m->candidate;
    *m = *old;
    m->candidate = found;
    *passes = true;
    if (is_same(old, &found)) return ZN_OK;
    m->part = NULL, m->q = NULL;
    zn_status status = make_part(sim, old->pole, m);
    *passes = memcmp(m->pole, old->pole, sizeof m->pole) == 0;
    return status;
}

static bool is_wanted(const collide_list *wanted, const collide_candidate *c) {
    size_t low = 0, high = wanted->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = collide_compare(&wanted->at[middle], c);
        if (order == 0) return true;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return false;
}

/* A ball that goes over to another facet in the same plane: what was known of it is still true. Normals that differ by less than this
 * (squared) are of one plane. */
static const double same_plane = 1e-20;
static bool goes_over(const collide_candidate *old, const collide_candidate *now) {
    double apart = 0;
    if (old->of[1].kind != FEATURE_PLANE || old->of[0].kind != now->of[0].kind || now->of[1].kind != FEATURE_PLANE) return false;
    for (int i = 0; i < 3; i++) apart += (old->of[1].axis[i] - now->of[1].axis[i]) * (old->of[1].axis[i] - now->of[1].axis[i]);
    return apart <= same_plane && old->side == now->side;
}

static bool is_same_touching(const collide_candidate *a, const collide_candidate *b) {
    return a->shape[0] == b->shape[0] && a->shape[1] == b->shape[1] && a->feature[0] == b->feature[0];
}

/* The entry of the present list that entry i of the wanted one goes on from, which is beside `old` in the order of lists, is not wanted,
 * and that no other one before i took. -1: there is none. */
static int predecessor(const sim_contacts *c, const collide_list *wanted, int declared, size_t i, size_t old) {
    const collide_candidate *now = &wanted->at[i];
    size_t first = old, last = old;
    while (first > 0 && is_same_touching(&c->list.at[first - 1].candidate, now)) first--;
    while (last < c->list.count && is_same_touching(&c->list.at[last].candidate, now)) last++;
    for (size_t k = first; k < last; k++) {
        bool taken = is_wanted(wanted, &c->list.at[k].candidate);
        for (size_t j = i; j > 0 && !taken && is_same_touching(&wanted->at[j - 1], now); j--)
            taken = c->from[(size_t)declared + j - 1] == declared + (int)k;
        if (!taken && goes_over(&c->list.at[k].candidate, now)) return (int)k;
    }
    return -1;
}

/* Fills `other` with the entries of a sorted list, and `from`. like: NULL, or entries that they were once, which are made again. */
static zn_status fill(zn_simulation *sim, const collide_list *wanted, const sim_met *like) {
    sim_contacts *c = &sim->contacts;
    int declared = sim->base->size.n_contacts;
    c->other.count = 0;
    if (!mem_grow(sim->context, (void **)&c->other.at, &c->other.room, wanted->count, sizeof *c->other.at) ||
        !mem_grow(sim->context, (void **)&c->from, &c->from_room, (size_t)declared + wanted->count + 1, sizeof *c->from) ||
        !mem_grow(sim->context, (void **)&c->extra, &c->extra_room, wanted->count, sizeof *c->extra))
        return ZN_ERROR_MEMORY;
    for (int k = 0; k < declared; k++) c->from[k] = k;
    size_t old = 0;
    for (size_t i = 0; i < wanted->count; i++) {
        sim_met *m = &c->other.at[i];
        *m = (sim_met){.candidate = wanted->at[i]};
        while (old < c->list.count && collide_compare(&c->list.at[old].candidate, &m->candidate) < 0) old++;
        bool known = !like && old < c->list.count && collide_compare(&c->list.at[old].candidate, &m->candidate) == 0, passes = false;
        c->other.count++;
        int before = like ? -1 : known ? (int)old : predecessor(c, wanted, declared, i, old);
        zn_status status = known ? renew(sim, &c->list.at[old], m, &passes)
                                 : make_part(sim,
                                             like          ? like[i].pole
                                             : before >= 0 ? c->list.at[before].pole
                                                           : NULL,
                                             m);
        if (status != ZN_OK) return status;
        if (!known && before >= 0) passes = memcmp(m->pole, c->list.at[before].pole, sizeof m->pole) == 0;
        c->from[(size_t)declared + i] = passes ? declared + before : -1;
        c->extra[i] = (assembly_extra){m->part, m->q, m->u};
    }
    return ZN_OK;
}

/* Frees the parts of a list that the other one does not have. */
static void free_others(zn_simulation *sim, sim_mets *list, const sim_mets *kept) {
    size_t k = 0;
    for (size_t i = 0; i < list->count; i++) {
        while (k < kept->count && collide_compare(&kept->at[k].candidate, &list->at[i].candidate) < 0) k++;
        bool has = k < kept->count && kept->at[k].part == list->at[i].part;
        if (!has) free_met(sim->context, &list->at[i]);
    }
    list->count = 0;
}

static bool has_percussion(const sim_met *m) {
    for (int k = 0; k < SIM_MOST_ROWS; k++)
        if (m->P[k] != 0 || m->P_row[k] != 0) return true;
    return false;
}

/* Entries that leave with a percussion that no row has shown yet. */
static zn_status see_off(zn_simulation *sim) {
    sim_contacts *c = &sim->contacts;
    size_t k = 0;
    for (size_t i = 0; i < c->list.count; i++) {
        sim_met *m = &c->list.at[i];
        while (k < c->other.count && collide_compare(&c->other.at[k].candidate, &m->candidate) < 0) k++;
        if (k < c->other.count && collide_compare(&c->other.at[k].candidate, &m->candidate) == 0) continue;
        if (!has_percussion(m)) continue;
        if (!mem_grow(sim->context, (void **)&c->gone.at, &c->gone.room, c->gone.count + 1, sizeof *c->gone.at)) return ZN_ERROR_MEMORY;
        c->gone.at[c->gone.count] = *m;
        c->gone.at[c->gone.count].part = NULL, c->gone.at[c->gone.count].q = NULL;
        c->gone.count++;
    }
    return ZN_OK;
}

/* The same entries, of which some have other numbers (a rim that has rolled on, a point that slides along an edge): the model takes these
 * over, and all the rest stays. */
static bool has_same_entries(const zn_simulation *sim) {
    const sim_contacts *c = &sim->contacts;
    int declared = sim->base->size.n_contacts;
    bool same = sim->scheme && !sim->located.on && c->other.count == c->list.count;
    for (size_t i = 0; same && i < c->other.count; i++)
        same =
            c->from[(size_t)declared + i] == declared + (int)i && collide_compare(&c->other.at[i].candidate, &c->list.at[i].candidate) == 0;
    return same;
}

static bool renumber(zn_simulation *sim) {
    sim_contacts *c = &sim->contacts;
    if (!has_same_entries(sim) || !assembly_renumber(c->models[c->present], (int)c->other.count, c->extra)) return false;
    for (size_t i = 0; i < c->other.count; i++) {
        sim_met *m = &c->other.at[i], *old = &c->list.at[i];
        if (m->part == old->part) continue;
        free_part(sim->context, m);
        m->part = old->part, m->q = old->q, m->u = old->u;
    }
    sim_mets swap = c->list;
    c->list = c->other, c->other = swap;
    c->other.count = 0;
    c->changes++;
    return true;
}

/* The simulation goes on with another list; at the start, where there is no scheme yet, it begins with it. */
static zn_status change(zn_simulation *sim, const collide_list *wanted, const sim_met *like) {
    sim_contacts *c = &sim->contacts;
    zn_model **next = &c->models[!c->present];
    zn_status status = fill(sim, wanted, like);
    if (status == ZN_OK && !like && renumber(sim)) return sim_adopt_numbers(sim);
    if (status == ZN_OK) status = assembly_extend(sim->context, sim->base, (int)c->other.count, c->extra, next);
    if (status == ZN_OK) assembly_share(*next, sim->settings.threads);
    if (status == ZN_OK && sim->scheme) status = sim_adopt(sim, *next, c->from);
    if (!sim->scheme && status == ZN_OK) sim->model = *next;
    if (sim->model != *next) { /* nothing has changed */
        free_others(sim, &c->other, &c->list);
        return status;
    }
    c->present = !c->present;
    if (status == ZN_OK) status = see_off(sim);
    free_others(sim, &c->list, &c->other);
    sim_mets swap = c->list;
    c->list = c->other, c->other = swap;
    c->changes++;
    return status;
}

/* Whether a sorted list has the entries that there are. */
static bool is_present(const zn_simulation *sim, const collide_list *found) {
    const sim_mets *list = &sim->contacts.list;
    bool same = found->count == list->count && sim->contacts.changes > 0;
    for (size_t i = 0; same && i < found->count; i++)
        same = collide_compare(&list->at[i].candidate, &found->at[i]) == 0 && is_same(&list->at[i], &found->at[i]);
    return same;
}

static zn_status find(zn_simulation *sim, double h) {
    sim_contacts *c = &sim->contacts;
    zn_status status = collide_find(c->world, c->poses, steps_ahead * h, c->margin, &c->found);
    return status != ZN_OK || is_present(sim, &c->found) ? status : change(sim, &c->found, NULL);
}

zn_status sim_contacts_start(zn_simulation *sim, const double *q, const double *u, double h) {
    sim_contacts *c = &sim->contacts;
    if (!c->field) return ZN_OK;
    contact_field_poses(c->field, sim->now.t, q, u, c->poses);
    c->posed = false;
    return find(sim, h);
}

zn_status sim_contacts_renew(zn_simulation *sim, double h) {
    sim_contacts *c = &sim->contacts;
    contact_field_poses(c->field, sim->now.t, sim->now.q, sim->now.u, c->poses);
    c->posed = true;
    collide_doubt(c->world, &c->missed);
    return find(sim, h);
}

zn_status sim_contacts_switch(zn_simulation *sim) {
    bool changed;
    zn_status status = sim_rules_look(sim, &changed);
    if (status == ZN_OK && changed) status = sim_rules_check(sim);
    if (status != ZN_OK || !changed) return status;
    return sim_contacts_start(sim, sim->now.q, sim->now.u, sim->settings.step_auto ? sim->control.h : sim->settings.step);
}

zn_status sim_contacts_prepare(zn_simulation *sim, double h) {
    sim_contacts *c = &sim->contacts;
    if (!c->field) return ZN_OK;
    c->repeats = 0;
    c->passing[0] = -1;
    if (!c->posed) contact_field_poses(c->field, sim->now.t, sim->now.q, sim->now.u, c->poses);
    c->posed = true;
    return collide_still_serves(c->world, c->poses, h) ? ZN_OK : find(sim, h);
}

/* Entries of a sorted list and those that were missed (and may be in it), sorted. */
static zn_status add_missed(zn_simulation *sim, const collide_entries *list, const collide_list *missed) {
    sim_contacts *c = &sim->contacts;
    collide_list *all = &c->merged;
    size_t i = 0, k = 0;
    if (!mem_grow(sim->context, (void **)&all->at, &all->capacity, list->count + missed->count, sizeof *all->at)) return ZN_ERROR_MEMORY;
    for (all->count = 0; i < list->count || k < missed->count; all->count++) {
        const collide_candidate *next = (const void *)((const char *)list->first + i * list->size);
        int order = k == missed->count ? -1 : i == list->count ? 1 : collide_compare(next, &missed->at[k]);
        all->at[all->count] = order < 0 ? *next : missed->at[k];
        i += order <= 0, k += order >= 0;
    }
    collide_list swap = c->found;
    c->found = c->merged, c->merged = swap;
    collide_keep(c->world, &c->found);
    return change(sim, &c->found, NULL);
}

zn_status sim_contacts_add_overlaps(zn_simulation *sim) {
    sim_contacts *c = &sim->contacts;
    collide_overlap overlap;
    if (!c->field) return ZN_OK;
    const collide_entries list = {c->list.at, c->list.count, sizeof *c->list.at};
    zn_status status = collide_check(c->world, c->poses, c->tolerance, &list, &c->missed, &overlap);
    return status != ZN_OK || c->missed.count == 0 ? status : add_missed(sim, &list, &c->missed);
}

/* The step is repeated with what was missed. Pairs that missed something are checked again where the step begins, for when their lists were
 * made, and with that what is in these, depends on other bodies and the axes of the scene. What repetitions have added stays. */
static zn_status repeat_with(zn_simulation *sim, double h) {
    sim_contacts *c = &sim->contacts;
    collide_entries list = {c->list.at, c->list.count, sizeof *c->list.at};
    if (c->repeats == 1) {
        collide_doubt(c->world, &c->missed);
        zn_status status = collide_find(c->world, c->poses, steps_ahead * h, c->margin, &c->found);
        if (status != ZN_OK) return status;
        list = (collide_entries){c->found.at, c->found.count, sizeof *c->found.at};
    }
    return add_missed(sim, &list, &c->missed);
}

/* Entries of a sorted list that the present one does not have. */
static long count_new(const sim_contacts *c, const collide_list *list) {
    long count = 0;
    size_t k = 0;
    for (size_t i = 0; i < list->count; i++) {
        while (k < c->list.count && collide_compare(&c->list.at[k].candidate, &list->at[i]) < 0) k++;
        count += k == c->list.count || collide_compare(&c->list.at[k].candidate, &list->at[i]) != 0;
    }
    return count;
}

/* A body that forces have driven out of its box went another way than its velocity said: what may have been met on that way is searched for
 * again.
 * *count: contacts that the list lacks. */
static zn_status look_along_the_way(zn_simulation *sim, double h, long *count) {
    sim_contacts *c = &sim->contacts;
    *count = 0;
    if (collide_still_serves(c->world, c->poses_end, 0)) return ZN_OK;
    for (int i = 0, n = contact_field_bodies(c->field); i < n; i++) {
        c->poses_between[i] = c->poses[i];
        for (int k = 0; k < 3; k++) {
            double v = (c->poses_end[i].r[k] - c->poses[i].r[k]) / h;
            if (fabs(v) > fabs(c->poses[i].v[k])) c->poses_between[i].v[k] = v;
        }
    }
    zn_status status = collide_find_along(c->world, c->poses_between, c->poses_end, h, c->margin, &c->found);
    if (status == ZN_OK) *count = count_new(c, &c->found);
    return status;
}

/* Located events count the gap of an open contact from what it was at the start of the step where that was negative (features that do not
 * face each other, which the list has kept): such a contact does not push shapes apart. */
static bool is_blind(const zn_simulation *sim, size_t entry) {
    const sim_located *l = &sim->located;
    return l->on && l->offset[(size_t)sim->base->size.n_contacts + entry] < -sim->contacts.tolerance;
}

/* The list without these, in work space. */
static zn_status seeing_entries(zn_simulation *sim, collide_entries *listed) {
    sim_contacts *c = &sim->contacts;
    collide_list *seeing = &c->merged;
    seeing->count = 0;
    if (!sim->located.on) return ZN_OK;
    if (!mem_grow(sim->context, (void **)&seeing->at, &seeing->capacity, c->list.count + 1, sizeof *seeing->at)) return ZN_ERROR_MEMORY;
    for (size_t i = 0; i < c->list.count; i++)
        if (!is_blind(sim, i)) seeing->at[seeing->count++] = c->list.at[i].candidate;
    *listed = (collide_entries){seeing->at, seeing->count, sizeof *seeing->at};
    return ZN_OK;
}

/* Schemes on velocity level leave shapes overlapping, also by features that were not in the list. Where others of the same two shapes were,
 * about as deep, they push these apart already in this step; in the next one, these are listed with the others. */
static zn_status leave_to_next(zn_simulation *sim) {
    sim_contacts *c = &sim->contacts;
    const double as_deep = 0.5;
    size_t kept = 0;
    collide_list *next = &c->merged;
    next->count = 0;
    if (!mem_grow(sim->context, (void **)&next->at, &next->capacity, c->missed.count, sizeof *next->at)) return ZN_ERROR_MEMORY;
    for (size_t k = 0; k < c->missed.count; k++) {
        const collide_candidate *m = &c->missed.at[k];
        bool known = false;
        for (size_t i = 0; i < c->list.count && !known; i++) {
            collide_candidate listed = c->list.at[i].candidate;
            if (is_blind(sim, i) || !collide_is_of_pair(&listed, m->shape)) continue;
            collide_measure(c->world, c->poses_end, &listed);
            known = listed.gap < as_deep * m->gap;
        }
        if (known) next->at[next->count++] = *m;
        else c->missed.at[kept++] = *m;
    }
    c->missed.count = kept;
    collide_doubt(c->world, next);
    return ZN_OK;
}

/* A step that would be accepted, although it could be cut no further. Where shapes overlap by more than the thinner one is thick, it is not
 * clear to which side to push: they would be on the other side without a word. So they are where a gap is the distance from a thin round
 * shape, and has been met on its other side. */
static zn_status check_depth(sim_contacts *c, double h, const collide_overlap *overlap) {
    int pair[2] = {overlap->pair[0], overlap->pair[1]};
    zn_status status = ZN_OK;
    if (!collide_goes_through(c->world, c->poses, overlap))
        status = collide_passes(c->world, c->poses, c->poses_end, h, true, c->poses_between, pair);
    if (status != ZN_OK || pair[0] < 0) return status;
    memcpy(c->passing, pair, sizeof c->passing);
    return ZN_ERROR_NO_CONVERGENCE;
}

zn_status sim_contacts_check(zn_simulation *sim, const scheme_state *end, double h, bool may_cut, bool *again) {
    sim_contacts *c = &sim->contacts;
    int pair[2];
    collide_overlap overlap = {0};
    *again = false;
    c->passing[0] = -1;
    if (!c->field) return ZN_OK;
    contact_field_poses(c->field, end->t, end->q, end->u, c->poses_end);
    long lacking = 0;
    collide_entries listed = {c->list.at, c->list.count, sizeof *c->list.at};
    zn_status status = look_along_the_way(sim, h, &lacking);
    if (status != ZN_OK) return status;
    if (lacking > 0 && c->repeats++ < MOST_REPEATS) {
        c->missed_pairs += lacking;
        *again = true;
        return add_missed(sim, &listed, &c->found);
    }
    if (may_cut) status = collide_passes(c->world, c->poses, c->poses_end, h, false, c->poses_between, pair);
    if (status != ZN_OK || (may_cut && pair[0] >= 0)) return status != ZN_OK ? status : ZN_ERROR_NO_CONVERGENCE;
    status = seeing_entries(sim, &listed);
    if (status == ZN_OK) status = collide_check(c->world, c->poses_end, c->tolerance, &listed, &c->missed, &overlap);
    c->overlap = overlap.depth;
    if (status == ZN_OK) status = leave_to_next(sim);
    if (status != ZN_OK) return status;
    if (may_cut && overlap.unexplained > c->unexplained + c->tolerance) return ZN_ERROR_NO_CONVERGENCE;
    c->unexplained_end = overlap.unexplained;
    if (c->missed.count == 0) return may_cut ? ZN_OK : check_depth(c, h, &overlap);
    if (c->repeats++ >= MOST_REPEATS) return may_cut ? ZN_ERROR_NO_CONVERGENCE : check_depth(c, h, &overlap);
    c->missed_pairs += (long)c->missed.count;
    *again = true;
    return repeat_with(sim, h);
}

/* ---- accepted steps ---- */

void sim_contacts_accept(zn_simulation *sim) {
    sim_contacts *c = &sim->contacts;
    if (!c->field) return;
    collide_pose *swap = c->poses;
    c->poses = c->poses_end, c->poses_end = swap;
    c->max_overlap = larger(c->max_overlap, c->overlap);
    /* Not the gaps of the list: those of features that do not face each other any more may be negative where nothing overlaps. */
    sim->monitor.max_penetration = larger(sim->monitor.max_penetration, c->overlap);
    c->unexplained = c->unexplained_end;
    c->sum += (long)c->list.count;
    c->steps++;
    if ((int)c->list.count > c->most) c->most = (int)c->list.count;
}

/* A new step: what the last one did that no row has shown goes to the next row. */
static void roll(const sim_contacts *c, sim_met *m) {
    for (int k = 0; k < SIM_MOST_ROWS; k++) {
        m->P_row[k] = (c->shown ? 0 : m->P_row[k]) + (1 - c->share) * m->P[k];
        m->P[k] = 0;
    }
}

void sim_contacts_begin_percussion(zn_simulation *sim) {
    sim_contacts *c = &sim->contacts;
    size_t kept = 0;
    for (size_t i = 0; i < c->list.count; i++) roll(c, &c->list.at[i]);
    for (size_t i = 0; i < c->gone.count; i++) {
        roll(c, &c->gone.at[i]);
        if (has_percussion(&c->gone.at[i])) c->gone.at[kept++] = c->gone.at[i];
    }
    c->gone.count = kept;
    c->shown = c->seen = false;
    c->share = c->share_before = 0;
}

void sim_contacts_add_percussion(zn_simulation *sim, const double *P) {
    int declared = sim->base->size.n_contacts;
    for (size_t i = 0; i < sim->contacts.list.count; i++) {
        double *sum = sim->contacts.list.at[i].P;
        const zn_contact *contact = &sim->model->contacts[(size_t)declared + i];
        sum[0] += P[contact->row_N];
        for (int k = 0; k < contact->nF; k++) sum[1 + k] += P[contact->row_F + k] * contact->scale[k];
    }
}

void sim_contacts_show(zn_simulation *sim, double share) {
    sim_contacts *c = &sim->contacts;
    c->first = !c->shown;
    c->share_before = c->share;
    c->share = share;
    c->shown = true;
}

/* ---- as bytes ---- */

static bool is_candidate(const zn_simulation *sim, const collide_candidate *c) {
    bool good = true;
    for (int i = 0; i < 2; i++)
        good = good && c->shape[i] >= 0 && c->shape[i] < contact_field_shapes(sim->contacts.field) && (int)c->of[i].kind >= 0 &&
               c->of[i].kind < FEATURE_KIND_COUNT;
    return good && contact_field_rule_of(sim->contacts.field, c->shape[0], c->shape[1]) >= 0;
}

static zn_status carry_mets(zn_simulation *sim, byte_stream *b, sim_mets *mets) {
    mets->count = bytes_pass_count(b, mets->count, sizeof mets->at->P);
    if (b->way == BYTES_READ && !mem_grow(sim->context, (void **)&mets->at, &mets->room, mets->count + 1, sizeof *mets->at))
        return ZN_ERROR_MEMORY;
    for (size_t i = 0; i < mets->count; i++) {
        sim_met *m = &mets->at[i];
        if (b->way == BYTES_READ) *m = (sim_met){0};
        collide_carry_candidate(b, &m->candidate);
        BYTES_PASS(b, m->pole), BYTES_PASS(b, m->P), BYTES_PASS(b, m->P_row);
        if (b->missing || !is_candidate(sim, &m->candidate)) return ZN_ERROR_ARGUMENT;
    }
    return ZN_OK;
}

/* The list of entries that were read, instead of the present one. */
static zn_status go_on_with(zn_simulation *sim, const sim_mets *read) {
    sim_contacts *c = &sim->contacts;
    c->missed.count = 0; /* free between steps */
    if (!mem_grow(sim->context, (void **)&c->missed.at, &c->missed.capacity, read->count + 1, sizeof *c->missed.at)) return ZN_ERROR_MEMORY;
    for (size_t i = 0; i < read->count; i++) c->missed.at[c->missed.count++] = read->at[i].candidate;
    zn_status status = change(sim, &c->missed, read->at);
    for (size_t i = 0; i < read->count && status == ZN_OK; i++) {
        memcpy(c->list.at[i].P, read->at[i].P, sizeof read->at[i].P);
        memcpy(c->list.at[i].P_row, read->at[i].P_row, sizeof read->at[i].P_row);
    }
    return status;
}

zn_status sim_contacts_carry(zn_simulation *sim, byte_stream *b) {
    sim_contacts *c = &sim->contacts;
    sim_mets read = {0};
    bool changed;
    if (!c->field) return ZN_OK;
    zn_status status = b->way == BYTES_READ ? sim_rules_look(sim, &changed) : ZN_OK;
    if (status == ZN_OK) status = carry_mets(sim, b, b->way == BYTES_READ ? &read : &c->list);
    if (status == ZN_OK && b->way == BYTES_READ) status = go_on_with(sim, &read);
    mem_free(sim->context, read.at);
    if (status == ZN_OK) status = carry_mets(sim, b, &c->gone);
    if (status == ZN_OK) status = collide_carry(c->world, b, &c->found);
    if (status != ZN_OK) return status;
    c->n_pairs = bytes_pass_count(b, c->n_pairs, sizeof *c->pairs);
    if (b->way == BYTES_READ && !mem_grow(sim->context, (void **)&c->pairs, &c->pair_room, c->n_pairs + 1, sizeof *c->pairs))
        return ZN_ERROR_MEMORY;
    BYTES_PASS_ARRAY(b, c->pairs, c->n_pairs);
    BYTES_PASS(b, c->shown), BYTES_PASS(b, c->first), BYTES_PASS(b, c->share), BYTES_PASS(b, c->share_before);
    BYTES_PASS(b, c->missed_pairs), BYTES_PASS(b, c->changes), BYTES_PASS(b, c->sum), BYTES_PASS(b, c->steps), BYTES_PASS(b, c->most);
    BYTES_PASS(b, c->overlap), BYTES_PASS(b, c->max_overlap), BYTES_PASS(b, c->unexplained), BYTES_PASS(b, c->unexplained_end);
    if (b->way == BYTES_READ) c->posed = c->seen = false;
    return ZN_OK;
}
