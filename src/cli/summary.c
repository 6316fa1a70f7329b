/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of a run, as JSON and as a short table. */
#include "cli/summary.h"

#include "base/text.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

void cli_json_text(FILE *to, const char *text) {
    char piece[TEXT_PIECE];
    fputc('"', to);
    while (*text) {
        text_json(&text, piece);
        fputs(piece, to);
    }
    fputc('"', to);
}

void cli_json_number(FILE *to, double value) {
    if (isfinite(value)) fprintf(to, "%.17g", value);
    else fprintf(to, "null");
}

static void names(FILE *to, const char *key, int count, const char *const *list) {
    fprintf(to, "\"%s\": [", key);
    for (int i = 0; i < count; i++) {
        if (i) fprintf(to, ", ");
        cli_json_text(to, list[i]);
    }
    fprintf(to, "], ");
}

static void numbers(FILE *to, int count, const double *list) {
    fputc('[', to);
    for (int i = 0; i < count; i++) {
        if (i) fprintf(to, ", ");
        cli_json_number(to, list[i]);
    }
    fputc(']', to);
}

static void number(FILE *to, const char *key, double value) {
    fprintf(to, "\"%s\": ", key);
    cli_json_number(to, value);
    fprintf(to, ", ");
}

static void contacts(FILE *to, const zn_model *model, const double *totals) {
    fprintf(to, "\"contacts\": [");
    for (int k = 0; k < model->size.n_contacts; k++) {
        if (k) fprintf(to, ", ");
        cli_json_text(to, model->contacts[k].name);
    }
    fprintf(to, "], \"percussion_total\": {");
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        if (k) fprintf(to, ", ");
        cli_json_text(to, contact->name);
        fprintf(to, ": {\"normal\": ");
        cli_json_number(to, contact->row_N >= 0 ? totals[contact->row_N] : NAN);
        fprintf(to, ", \"friction\": ");
        numbers(to, contact->nF, totals + contact->row_F);
        fputc('}', to);
    }
    fprintf(to, "}, ");
}

static void dissipation(FILE *to, const zn_simulation *sim) {
    const zn_model *model = zn_simulation_model(sim);
    fprintf(to, "\"dissipation\": {");
    for (int k = 0; k < model->size.n_contacts; k++) {
        zn_contact_work work = zn_simulation_contact_work(sim, k);
        if (k) fprintf(to, ", ");
        cli_json_text(to, model->contacts[k].name);
        fprintf(to, ": {");
        number(to, "normal", work.normal);
        number(to, "friction", work.friction);
        fprintf(to, "\"moving\": ");
        cli_json_number(to, work.moving);
        fputc('}', to);
    }
    fprintf(to, "}, ");
}

/* kinetic ... friction of a part or of all; without the brace at the end. */
static void account_entries(FILE *to, const zn_part_account *a) {
    number(to, "kinetic", a->kinetic);
    number(to, "potential", a->potential);
    number(to, "work", a->work);
    number(to, "supplied", a->supplied);
    number(to, "normal", a->normal);
    fprintf(to, "\"friction\": ");
    cli_json_number(to, a->friction);
}

static bool same_group(const zn_part_info *a, const zn_part_info *b) { return b->group && !strcmp(a->group, b->group); }

/* Nodes and elements of a flexible body are one entry: the first of them adds up all others. False: not the first. */
static bool add_group(const zn_model *model, const zn_account *account, int index, zn_part_account *sum) {
    zn_part_info info = zn_model_part_info(model, index);
    if (info.nu == 0) return false; /* an element; nodes come first */
    zn_part_info before = index > 0 ? zn_model_part_info(model, index - 1) : (zn_part_info){0};
    if (same_group(&info, &before)) return false;
    for (int i = index + 1; i < zn_model_part_count(model); i++) {
        zn_part_info other = zn_model_part_info(model, i);
        if (!same_group(&info, &other)) continue;
        zn_part_account part = zn_account_part(account, i);
        sum->kinetic += part.kinetic, sum->potential += part.potential, sum->work += part.work;
        sum->supplied += part.supplied, sum->normal += part.normal, sum->friction += part.friction;
    }
    return true;
}

static void account(FILE *to, const cli_summary *s) {
    if (!s->account) return;
    const zn_model *model = zn_simulation_model(s->simulation);
    zn_part_account all = zn_account_total(s->account);
    fprintf(to, "\"account\": {");
    number(to, "start", all.start);
    account_entries(to, &all);
    fprintf(to, ", \"events\": ");
    cli_json_number(to, all.events);
    fprintf(to, ", \"scheme\": ");
    cli_json_number(to, all.scheme);
    fprintf(to, ", \"available\": ");
    cli_json_number(to, all.available);
    fprintf(to, ", \"created\": ");
    cli_json_number(to, all.created);
    fprintf(to, ", \"created_at\": ");
    cli_json_number(to, all.created_at);
    fprintf(to, ", \"diverged\": %s, \"jumped\": %s", all.diverged ? "true" : "false", all.jumped ? "true" : "false");
    if (zn_model_part_count(model)) fprintf(to, ", \"parts\": [");
    bool first = true;
    for (int i = 0; i < zn_model_part_count(model); i++) {
        zn_part_info info = zn_model_part_info(model, i);
        zn_part_account part = zn_account_part(s->account, i);
        if (info.group && !add_group(model, s->account, i, &part)) continue;
        fprintf(to, "%s{\"name\": ", first ? "" : ", ");
        first = false;
        cli_json_text(to, info.group ? info.group : info.name);
        fprintf(to, ", \"what\": ");
        cli_json_text(to, info.group ? "flexible body" : info.what);
        fprintf(to, ", ");
        account_entries(to, &part);
        fputc('}', to);
    }
    fprintf(to, zn_model_part_count(model) ? "]}, " : "}, ");
}

/* The setting, or with step: auto the mean. */
static double step_told(const zn_settings *settings, const zn_simulation *sim, const zn_statistics *stats) {
    return settings->step_auto && stats->steps > 0 ? zn_simulation_time(sim) / (double)stats->steps : settings->step;
}

/* Poses of the drawing are for pages only. */
static void json_outputs(FILE *to, const cli_summary *s) {
    const zn_model *model = zn_simulation_model(s->simulation);
    int shown = 0;
    for (int i = 0; s->outputs && i < model->n_outputs; i++) {
        if (model_is_pose(model->output_names[i])) continue;
        fprintf(to, shown++ ? ", " : "\"outputs\": {");
        cli_json_text(to, model->output_names[i]);
        fprintf(to, ": ");
        cli_json_number(to, s->outputs[i]);
    }
    if (shown) fprintf(to, "}, ");
}

static void scales(FILE *to, const zn_simulation *sim) {
    const zn_sizes *size = &zn_simulation_model(sim)->size;
    zn_scales s = zn_simulation_scales(sim);
    fprintf(to, "\"scales\": {\"positions\": ");
    numbers(to, size->nq, s.positions);
    fprintf(to, ", \"velocities\": ");
    numbers(to, size->nu, s.velocities);
    fprintf(to, ", \"roundoff\": ");
    numbers(to, size->nu, s.roundoff);
    fprintf(to, "}, ");
}

/* Impacts that created energy: the first ones, and how many in all. */
static void json_status(FILE *to, const cli_summary *s) {
    const char *stop = s->status == ZN_OK ? zn_simulation_stop_message(s->simulation) : NULL;
    fprintf(to, "\"status\": \"%s\", \"message\": ",
            stop                      ? "event"
            : s->status == ZN_OK      ? "ok"
            : s->status == ZN_STOPPED ? "stopped"
                                      : "failed");
    cli_json_text(to, stop ? stop : s->message);
}

/* Of the scene, in their order. */
static void json_events(FILE *to, const zn_simulation *sim) {
    int count = zn_simulation_event_count(sim);
    fprintf(to, "\"events\": [");
    for (int i = 0; i < count; i++) {
        zn_event event = zn_simulation_event(sim, i);
        fprintf(to, "%s{\"name\": ", i ? ", " : "");
        cli_json_text(to, event.name);
        fprintf(to, ", \"t\": ");
        cli_json_number(to, event.t);
        fprintf(to, "}");
    }
    fprintf(to, "], ");
}

static void energy_warnings(FILE *to, const zn_simulation *sim, long count) {
    fprintf(to, "\"energy_warnings\": [");
    for (int i = 0; i < count && i < ZN_ENERGY_WARNINGS_KEPT; i++) {
        zn_energy_warning warning = zn_simulation_energy_warning(sim, i);
        fprintf(to, "%s{\"contact\": ", i ? ", " : "");
        cli_json_text(to, warning.name);
        fprintf(to, ", ");
        number(to, "t", warning.t);
        fprintf(to, "\"gained\": ");
        cli_json_number(to, warning.gained);
        fputc('}', to);
    }
    fprintf(to, "], \"energy_warnings_total\": %ld, ", count);
}

/* Found contacts; pairs of bodies only where a reader could read them. */
enum { MOST_PAIRS_TOLD = 100 };

static void found(FILE *to, const zn_simulation *sim, const zn_statistics *stats) {
    if (!stats->contacts_found) return;
    fprintf(to, "\"contacts_present\": {");
    number(to, "mean", stats->found_mean);
    fprintf(to, "\"max\": %d, \"lists\": %ld, \"missed_pairs\": %ld}, ", stats->found_max, stats->found_lists, stats->missed_pairs);
    number(to, "max_overlap", stats->max_overlap);
    int pairs = zn_simulation_pair_count(sim);
    fprintf(to, "\"pair_percussion\": {");
    for (int i = 0; pairs <= MOST_PAIRS_TOLD && i < pairs; i++) {
        zn_pair_total pair = zn_simulation_pair(sim, i);
        char name[200];
        snprintf(name, sizeof name, "%s/%s", pair.bodies[0], pair.bodies[1]);
        fprintf(to, i ? ", " : "");
        cli_json_text(to, name);
        fprintf(to, ": ");
        cli_json_number(to, pair.normal);
    }
    fprintf(to, "}, ");
}

static void found_lines(FILE *to, const zn_simulation *sim, const zn_statistics *stats) {
    if (!stats->contacts_found) return;
    int pairs = zn_simulation_pair_count(sim);
    const int few = 20;
    if (pairs > 0 && pairs <= few) fprintf(to, "\n  %-25s %18s\n", "bodies that touched", "normal percussion");
    for (int i = 0; pairs <= few && i < pairs; i++) {
        zn_pair_total pair = zn_simulation_pair(sim, i);
        fprintf(to, "  %-12s %-12s %18.9g\n", pair.bodies[0], pair.bodies[1], pair.normal);
    }
    fprintf(to, "\n  found contacts: %.1f in a step on average, at most %d; largest overlap %.3g", stats->found_mean, stats->found_max,
            stats->max_overlap);
    if (stats->missed_pairs) fprintf(to, "; %ld were missed at first, and their steps repeated", stats->missed_pairs);
    fprintf(to, "\n");
}

/* What depends on the machine comes last. */
static void costs(FILE *to, const cli_summary *s, const zn_statistics *stats) {
    fprintf(to, ", \"cone\": {\"components\": {\"mean\": ");
    cli_json_number(to, stats->components_mean);
    fprintf(to, ", \"max\": %ld}, \"sweeps\": %ld, \"factorisations\": %ld, \"solves\": %ld, \"seconds\": ", stats->components_max,
            stats->sweeps, stats->factorisations, stats->linear_solves);
    cli_json_number(to, stats->cone_seconds);
    fprintf(to, "}, \"step_seconds\": {\"median\": ");
    cli_json_number(to, step_times_median(s->steps));
    fprintf(to, ", \"max\": ");
    cli_json_number(to, s->steps->largest);
    fprintf(to, "}");
}

static void contact_events(FILE *to, const zn_settings *settings, const zn_statistics *stats) {
    fprintf(to,
            "}, \"contact_events\": {\"mode\": \"%s\", \"located\": %ld, \"captured\": %ld, \"solves\": %ld, \"accumulations\": %ld, "
            "\"painleve\": %ld, \"chatter\": {\"stretches\": %ld, \"steps\": %ld, \"time\": ",
            settings->contact_events == ZN_EVENTS_LOCATED ? "located" : "captured", stats->events_located, stats->events_captured,
            stats->event_solves, stats->event_accumulations, stats->painleve, stats->chatter_stretches, stats->chatter_steps);
    cli_json_number(to, stats->chatter_time);
    fprintf(to, "}}, ");
}

void cli_summary_json(FILE *to, const cli_summary *s) {
    const zn_simulation *sim = s->simulation;
    const zn_model *model = zn_simulation_model(sim);
    const zn_settings *settings = zn_simulation_settings(sim);
    zn_statistics stats = zn_simulation_statistics(sim);
    fprintf(to, "{\"scene\": ");
    cli_json_text(to, s->scene);
    fprintf(to, ", \"scheme\": ");
    cli_json_text(to, settings->scheme);
    fprintf(to, ", \"stages\": %d, ", settings->stages);
    number(to, "step", step_told(settings, sim, &stats));
    number(to, "step_min", stats.step_min);
    number(to, "step_max", stats.step_max);
    fprintf(to, "\"steps\": %ld, ", stats.steps);
    number(to, "t", zn_simulation_time(sim));
    json_status(to, s);
    fprintf(to, ", ");
    names(to, "coordinates", model->size.nq, model->q_names);
    fprintf(to, "\"q\": ");
    numbers(to, model->size.nq, zn_simulation_positions(sim));
    fprintf(to, ", ");
    names(to, "velocities", model->size.nu, model->u_names);
    fprintf(to, "\"u\": ");
    numbers(to, model->size.nu, zn_simulation_velocities(sim));
    fprintf(to, ", ");
    contacts(to, model, zn_simulation_percussion_totals(sim));
    json_outputs(to, s);
    json_events(to, sim);
    dissipation(to, sim);
    found(to, sim, &stats);
    number(to, "max_penetration", stats.max_penetration);
    number(to, "max_g", stats.max_g);
    number(to, "max_gdot", stats.max_gdot);
    number(to, "max_gamma", stats.max_gamma);
    number(to, "energy_start", stats.energy_start);
    number(to, "energy_end", stats.energy_end);
    account(to, s);
    energy_warnings(to, sim, stats.energy_warnings);
    number(to, "max_residual", stats.max_residual);
    scales(to, sim);
    number(to, "redundant_contradiction", stats.contradiction);
    fprintf(to, "\"redundant_rows\": %d, \"row_choices\": %ld, ", stats.redundant_rows, stats.row_choices);
    fprintf(to, "\"newton\": {\"steps\": %ld, ", stats.newton_steps);
    number(to, "mean", stats.newton_mean);
    fprintf(to, "\"max\": %d}, \"least_norm\": {\"steps\": %ld, ", stats.newton_max, stats.least_norm_steps);
    number(to, "mean", stats.least_norm_mean);
    fprintf(to, "\"max\": %d}, \"projection\": {\"steps\": %ld, ", stats.least_norm_max, stats.projection_steps);
    number(to, "mean", stats.projection_mean);
    fprintf(to, "\"max\": %d}, \"roundoff\": {\"steps\": %ld, ", stats.projection_max, stats.roundoff_steps);
    fprintf(to, "\"residual\": ");
    cli_json_number(to, stats.roundoff_residual);
    contact_events(to, settings, &stats);
    fprintf(to,
            "\"staged\": {\"accepted\": %ld, \"repeated\": %ld}, \"rejected\": %ld, \"cut\": {\"steps\": %ld, \"impacts\": %ld}, "
            "\"unfinished_steps\": %ld, \"wall_seconds\": ",
            stats.staged_accepted, stats.staged_repeated, stats.rejected, stats.cut_steps, stats.cut_impacts, stats.unfinished_steps);
    cli_json_number(to, s->wall_seconds);
    costs(to, s, &stats);
    fprintf(to, "}\n");
}

/* What changed the energy, where anything but the scheme did. */
static void account_line(FILE *to, const zn_account *account) {
    zn_part_account all = zn_account_total(account);
    const struct {
        const char *name;
        double value;
    } entries[] = {{"forces", all.work},
                   {"drives and joints", all.supplied},
                   {"events and inputs", all.events},
                   {"impacts", -all.normal},
                   {"friction", -all.friction}};
    const double roundoff = 1e-12; /* of the largest one: ideal joints need no line */
    double largest = fabs(all.kinetic) + fabs(all.potential);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) largest = larger(largest, fabs(entries[i].value));
    const char *before = "\n  by ";
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (fabs(entries[i].value) <= roundoff * largest) continue;
        fprintf(to, "%s%s %.6g", before, entries[i].name, entries[i].value);
        before = ", ";
    }
    const double noticeable = 1e-3; /* of the energy: worth a line even where nothing else changed it */
    if (*before == ',' || (fabs(all.scheme) > noticeable * fabs(all.start) && fabs(all.scheme) > roundoff * largest))
        fprintf(to, "%sthe scheme %.3g", before, all.scheme);
}

static void energy_warning_line(FILE *to, const zn_simulation *sim, long count) {
    if (count == 0) return;
    zn_energy_warning first = zn_simulation_energy_warning(sim, 0);
    fprintf(to, "\n  warning: ");
    if (count == 1) fprintf(to, "an impact created energy,");
    else fprintf(to, "%ld impacts created energy, the first", count);
    fprintf(to, " %.3g at contact '%s', t = %.6g: %s", first.gained, first.name, first.t,
            zn_simulation_settings(sim)->restitution_law == ZN_RESTITUTION_NEWTON
                ? "Newton's law of restitution can do that with friction; restitution_law: poisson and energetic cannot"
                : "the contact is wedged, and the step is too large for it; try a smaller one, or scheme: rattle");
}

static void event_line(FILE *to, const zn_statistics *stats) {
    fprintf(to, "\n  %ld contact events located", stats->events_located);
    if (stats->event_accumulations) fprintf(to, ", %ld accumulations of impacts closed", stats->event_accumulations);
    if (stats->events_captured) fprintf(to, ", %ld steps not located but captured", stats->events_captured);
}

static void painleve_line(FILE *to, long count) {
    if (count) fprintf(to, "\n  Painleve: %ld %s without an approach ended slip", count, count == 1 ? "impact" : "impacts");
}

void cli_summary_table(FILE *to, const cli_summary *s) {
    const zn_simulation *sim = s->simulation;
    const zn_model *model = zn_simulation_model(sim);
    const zn_settings *settings = zn_simulation_settings(sim);
    const double *q = zn_simulation_positions(sim), *u = zn_simulation_velocities(sim), *total = zn_simulation_percussion_totals(sim);
    zn_statistics stats = zn_simulation_statistics(sim);
    fprintf(to, "%s, ", settings->scheme);
    if (settings->step_auto) fprintf(to, "steps from %.3g to %.3g (%ld rejected)", stats.step_min, stats.step_max, stats.rejected);
    else fprintf(to, "step %g", settings->step);
    fprintf(to, ": %ld steps to t = %.9g in %.3g s\n\n", stats.steps, zn_simulation_time(sim), s->wall_seconds);
    if (model->natural) {
        fprintf(to, "  %-12s %18s %18s\n", "coordinate", "position", "velocity");
        for (int i = 0; i < model->size.nq; i++) fprintf(to, "  %-12s %18.9g %18.9g\n", model->q_names[i], q[i], u[i]);
    } else {
        fprintf(to, "  %-12s %18s\n", "coordinate", "position");
        for (int i = 0; i < model->size.nq; i++) fprintf(to, "  %-12s %18.9g\n", model->q_names[i], q[i]);
        fprintf(to, "  %-12s %18s\n", "velocity", "value");
        for (int i = 0; i < model->size.nu; i++) fprintf(to, "  %-12s %18.9g\n", model->u_names[i], u[i]);
    }
    for (int i = 0, shown = 0; s->outputs && i < model->n_outputs; i++) {
        if (model_is_pose(model->output_names[i])) continue;
        if (!shown++) fprintf(to, "\n  %-12s %18s\n", "output", "value");
        fprintf(to, "  %-12s %18.9g\n", model->output_names[i], s->outputs[i]);
    }
    if (model->size.n_contacts) fprintf(to, "\n  %-12s %18s %18s\n", "contact", "normal percussion", "friction");
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        if (contact->row_N >= 0) fprintf(to, "  %-12s %18.9g", contact->name, total[contact->row_N]);
        else fprintf(to, "  %-12s %18s", contact->name, "given");
        for (int i = 0; i < contact->nF; i++) fprintf(to, " %18.9g", total[contact->row_F + i]);
        fprintf(to, "\n");
    }
    found_lines(to, sim, &stats);
    fprintf(to, "\n  energy %.9g -> %.9g", stats.energy_start, stats.energy_end);
    if (model->size.nN) fprintf(to, ", largest penetration %.3g", stats.max_penetration);
    if (model->size.ng) fprintf(to, ", constraint drift %.3g (velocity %.3g)", stats.max_g, stats.max_gdot);
    if (stats.roundoff_steps)
        fprintf(to,
                "\n  %ld steps were solved to round-off of the forces only, which exceeds the tolerance %.3g: up to %.3g of the velocities",
                stats.roundoff_steps, settings->tolerance, stats.roundoff_residual);
    if (stats.unfinished_steps)
        fprintf(to, "\n  %ld steps with many contacts did not reach the tolerance %.3g: residuals up to %.3g", stats.unfinished_steps,
                settings->tolerance, stats.max_residual);
    if (stats.cut_steps)
        fprintf(to, "\n  %ld steps could not be solved as a whole and were divided, %ld of them with an impact", stats.cut_steps,
                stats.cut_impacts);
    if (s->account) account_line(to, s->account);
    if (settings->contact_events == ZN_EVENTS_LOCATED) event_line(to, &stats);
    painleve_line(to, stats.painleve);
    if (stats.chatter_steps)
        fprintf(to, "\n  impacts that could not be resolved one by one: %.3g of the time passed by %ld captured steps, of first order",
                stats.chatter_time, stats.chatter_steps);
    int events = zn_simulation_event_count(sim);
    if (zn_simulation_stop_message(sim)) fprintf(to, "\n  stopped: %s", zn_simulation_stop_message(sim));
    if (events)
        fprintf(to, "\n  %d event%s, the last one '%s' at t = %.9g", events, events > 1 ? "s" : "",
                zn_simulation_event(sim, events - 1).name, zn_simulation_event(sim, events - 1).t);
    energy_warning_line(to, sim, stats.energy_warnings);
    fprintf(to, "\n");
}
