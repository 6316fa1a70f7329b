/* SPDX-License-Identifier: Apache-2.0 */
/* What steps with located contact events need: the numbering of events, modes, samples, and the problems at a fixed position; as bytes. */
#include "sim/simulation.h"

/* Of maps at a fixed position, where the tolerance asks for more: percussions of impacts are large numbers, and what is left of them by
 * round-off counts as solved up to this. */
static const double MAP_ACCURACY = 1e-10;

static zn_status number_events(zn_simulation *sim) {
    sim_located *l = &sim->located;
    const zn_model *model = sim->model;
    int n = model->size.n_contacts, balls = 0;
    for (int k = 0; k < n; k++) balls += model->contacts[k].n_balls;
    l->n_balls = balls;
    l->n_events = 3 * n + balls;
    l->numbers = MEM_ARRAY(sim->context, int, 3 * n + 2 * balls);
    if (!l->numbers) return ZN_ERROR_MEMORY;
    l->first_ball = l->numbers, l->first_row = l->first_ball + n;
    l->times = l->first_row + n;
    l->ball_contact = l->times + n, l->ball_of = l->ball_contact + balls;
    for (int k = 0, ball = 0, row = 0; k < n; k++) {
        l->first_ball[k] = ball, l->first_row[k] = row;
        for (int b = 0; b < model->contacts[k].n_balls; b++) l->ball_contact[ball] = k, l->ball_of[ball++] = b;
        row += model->contacts[k].nF;
    }
    return ZN_OK;
}

static zn_status take_modes(zn_simulation *sim, sim_modes *modes) {
    sim_located *l = &sim->located;
    int n = sim->model->size.n_contacts;
    *modes = (sim_modes){.contact = MEM_ARRAY(sim->context, cone_frozen, n),
                         .ball = MEM_ARRAY(sim->context, unsigned char, l->n_balls),
                         .along = MEM_ARRAY(sim->context, double, sim->model->size.nF)};
    if (!modes->contact || !modes->ball || !modes->along) return ZN_ERROR_MEMORY;
    for (int k = 0; k < n; k++)
        modes->contact[k] = (cone_frozen){CONE_OPEN, modes->ball + l->first_ball[k], modes->along + l->first_row[k], NULL};
    return ZN_OK;
}

static void drop_modes(zn_simulation *sim, sim_modes *modes) {
    mem_free(sim->context, modes->contact);
    mem_free(sim->context, modes->ball);
    mem_free(sim->context, modes->along);
    *modes = (sim_modes){0};
}

zn_status sim_located_take(zn_simulation *sim) {
    sim_located *l = &sim->located;
    if (!l->on) return ZN_OK;
    const zn_sizes *size = &sim->model->size;
    l->stale = true;
    l->start_known = false;
    l->watched = 0;
    zn_status status = number_events(sim);
    if (status == ZN_OK) status = take_modes(sim, &l->modes);
    if (status == ZN_OK) status = take_modes(sim, &l->undo);
    size_t n = (size_t)size->n_contacts, events = (size_t)l->n_events;
    size_t numbers = 2 * events * LOCATE_SAMPLES + 3 * n + 3 * (n + (size_t)l->n_balls) + (size_t)l->n_balls +
                     (size_t)model_rows(sim->model) + (size_t)(size->nq + size->nu);
    if (status == ZN_OK) {
        l->memory = MEM_ARRAY(sim->context, double, numbers);
        l->flags = MEM_ARRAY(sim->context, bool, events + 5 * n + 3 * (size_t)l->n_balls);
        l->told = MEM_ARRAY(sim->context, unsigned char, events);
        if (!l->memory || !l->flags || !l->told) status = ZN_ERROR_MEMORY;
    }
    if (status != ZN_OK) return status;
    double *next = l->memory;
    for (int i = 0; i < LOCATE_SAMPLES; i++) {
        l->sample[i] = (event_sample){.phi = next, .rate = next + events};
        next += 2 * events;
    }
    l->offset = next, next += n;
    l->second = next, next += n;
    l->slack = next, next += n;
    l->calm = next, next += n + (size_t)l->n_balls;
    l->mean = next, next += n + (size_t)l->n_balls;
    l->mean_before = next, next += n + (size_t)l->n_balls;
    l->longest = next, next += l->n_balls;
    l->P = next, next += model_rows(sim->model);
    l->before = (scheme_state){.q = next, .u = next + size->nq};
    l->which = l->flags, l->hit = l->which + events, l->kept = l->hit + n, l->law = l->kept + n, l->began = l->law + n;
    l->begins = l->began + l->n_balls, l->stays = l->begins + l->n_balls, l->takes = l->stays + n, l->wedged = l->takes + n;
    for (size_t k = 0; k < n; k++) l->modes.contact[k].begins = l->begins + l->first_ball[k];
    return ZN_OK;
}

static void drop_problems(zn_simulation *sim) {
    sim_located *l = &sim->located;
    linear_problem_destroy(l->forces);
    linear_problem_destroy(l->velocities);
    impact_map_destroy(sim->context, l->impacts);
    l->forces = l->velocities = NULL, l->impacts = NULL;
}

void sim_located_drop(zn_simulation *sim) {
    sim_located *l = &sim->located;
    drop_problems(sim);
    drop_modes(sim, &l->modes);
    drop_modes(sim, &l->undo);
    mem_free(sim->context, l->memory);
    mem_free(sim->context, l->flags);
    mem_free(sim->context, l->told);
    mem_free(sim->context, l->numbers);
    l->memory = NULL, l->flags = NULL, l->told = NULL, l->numbers = NULL;
}

/* The problems of the present scheme. */
zn_status sim_located_renew(zn_simulation *sim) {
    sim_located *l = &sim->located;
    const zn_model *model = sim_scheme_model(sim);
    if (!l->stale) return ZN_OK;
    drop_problems(sim);
    l->forces = linear_problem_create(sim->context, model, &sim->settings, CONE_ACCELERATION);
    l->velocities = linear_problem_create(sim->context, model, &sim->settings, CONE_VELOCITY);
    l->impacts = impact_map_create(sim->context, model, &sim->settings, sim->settings.restitution_law);
    if (!l->forces || !l->velocities || !l->impacts) return ZN_ERROR_MEMORY;
    linear_problem *problems[] = {l->forces, l->velocities, l->impacts->problem};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        problems[i]->scales = &sim->scheme->scales;
        problems[i]->good_enough = MAP_ACCURACY;
    }
    l->stale = false;
    l->start_known = l->start_known && !l->start_whole; /* gaps are what they were */
    return ZN_OK;
}

int sim_order(const zn_simulation *sim) {
    const zn_scheme_info *info = &sim->scheme->class->info;
    int s = sim->settings.stages;
    return !info->order_text ? info->order : strcmp(info->order_text, "2s-1") == 0 ? 2 * s - 1 : 2 * s - 2;
}

zn_status sim_located_create(zn_simulation *sim) {
    const zn_settings *settings = &sim->settings;
    const scheme_class *class = sim->scheme->class;
    if (settings->contact_events != ZN_EVENTS_LOCATED) return ZN_OK;
    if (!class->takes_modes || (class->info.order_text && settings->stages == 1))
        return fail(sim->context, ZN_ERROR_UNSUPPORTED,
                    "contact_events: located does not raise the order of %s%s, which is a first-order scheme or has no contact modes: use "
                    "contact_events: captured, or a scheme of order two or higher (rattle, lobatto-3a3b, radau-2a with two or more stages, "
                    "tr-bdf2, generalized-alpha)",
                    class->info.name, class->info.order_text ? " of one stage" : "");
    if (settings->projection == ZN_PROJECTION_NONE || settings->percussion == ZN_PERCUSSION_INTEGRATED)
        return fail(sim->context, ZN_ERROR_UNSUPPORTED,
                    "contact_events: located needs projection: velocity and percussion: stage, the options that keep the order");
    sim->located.on = true;
    return sim_located_take(sim);
}

void sim_located_destroy(zn_simulation *sim) {
    sim_located_drop(sim);
    sim_events_destroy(sim);
}

/* ---- as bytes ---- */

zn_status sim_located_carry(zn_simulation *sim, byte_stream *b) {
    sim_located *l = &sim->located;
    size_t n = (size_t)sim->model->size.n_contacts, events = (size_t)l->n_events;
    if (!l->on) return ZN_OK;
    BYTES_PASS(b, l->modes.known);
    for (size_t k = 0; k < n; k++) BYTES_PASS(b, l->modes.contact[k].normal);
    BYTES_PASS_ARRAY(b, l->modes.ball, l->n_balls);
    BYTES_PASS_ARRAY(b, l->modes.along, sim->model->size.nF);
    BYTES_PASS_ARRAY(b, l->sample[0].phi, 2 * events); /* and rates */
    double *numbers[] = {l->offset, l->second, l->slack};
    bool *flags[] = {l->hit, l->kept, l->law};
    for (int i = 0; i < 3; i++) BYTES_PASS_ARRAY(b, numbers[i], n), BYTES_PASS_ARRAY(b, flags[i], n);
    BYTES_PASS_ARRAY(b, l->which, events);
    BYTES_PASS_ARRAY(b, l->began, l->n_balls), BYTES_PASS_ARRAY(b, l->stays, n);
    BYTES_PASS_ARRAY(b, l->longest, l->n_balls);
    BYTES_PASS_ARRAY(b, l->calm, n + (size_t)l->n_balls);
    BYTES_PASS_ARRAY(b, l->mean_before, n + (size_t)l->n_balls);
    BYTES_PASS(b, l->watched), BYTES_PASS(b, l->start_whole);
    BYTES_PASS_ARRAY(b, l->times, n);
    BYTES_PASS(b, l->frees), BYTES_PASS(b, l->rejected);
    BYTES_PASS(b, l->sample[0].h), BYTES_PASS(b, l->start_known);
    BYTES_PASS(b, l->h), BYTES_PASS(b, l->events);
    BYTES_PASS(b, l->located), BYTES_PASS(b, l->captured), BYTES_PASS(b, l->accumulations);
    BYTES_PASS(b, l->steps), BYTES_PASS(b, l->solves);
    if (b->way == BYTES_READ) l->n_samples = 1;
    return sim_events_carry(sim, b);
}
