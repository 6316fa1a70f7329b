/* SPDX-License-Identifier: Apache-2.0 */
/* zeno check: everything except the run. */
#include "base/text.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/sweep.h"
#include "model/contact_field.h"
#include "scene/study_section.h"
#include "scene/where.h"

#include <stdio.h>
#include <string.h>

static const char usage[] = "zeno check SCENE [--scheme NAME[:STAGES]] [--SETTING VALUE]... [--set NAME=EXPR]...";

/* ---- what a model from parts is made of ---- */

static bool is_body(const zn_part_info *part) { return part->nu > 0; }
/* Marks count the turns of a joint; they do not move by themselves. */
static bool is_mark(const zn_part_info *part) { return !strcmp(part->what, "mark"); }
static bool moves(const zn_part_info *part) { return is_body(part) && !is_mark(part); }

static void print_group(const zn_model *model, const char *title, bool (*belongs)(const zn_part_info *)) {
    enum { MOST_SHOWN = 40 };
    int shown = 0, more = 0;
    for (int i = 0; i < zn_model_part_count(model); i++) {
        zn_part_info part = zn_model_part_info(model, i);
        if (part.group || !belongs(&part)) continue;
        if (shown == MOST_SHOWN) {
            more++;
            continue;
        }
        if (!shown++) printf("  %s\n", title);
        printf("    %s: %s", part.name, part.what);
        if (is_body(&part)) printf(", %d degree%s of freedom", part.nu, part.nu == 1 ? "" : "s");
        for (int k = 0; !is_body(&part) && k < 2 && part.bodies[k]; k++) printf("%s %s", k ? " and" : ",", part.bodies[k]);
        if (part.ng) printf(", %d row%s on position level", part.ng, part.ng == 1 ? "" : "s");
        if (part.ny) printf(", %d row%s on velocity level", part.ny, part.ny == 1 ? "" : "s");
        printf("\n");
    }
    if (more) printf("    ... and %d more\n", more);
}

static bool is_joint(const zn_part_info *part) { return !is_body(part) && part->ng + part->ny > 0; }
static bool is_output(const zn_part_info *part) { return !strcmp(part->what, "output"); }
static bool is_force(const zn_part_info *part) {
    return !is_body(part) && part->ng + part->ny == 0 && !part->n_contacts && !is_output(part);
}

/* One line for each flexible body: its nodes follow one another, and so do its elements. */
static void print_flexible(const zn_model *model) {
    bool titled = false;
    for (int i = 0, count = zn_model_part_count(model); i < count; i++) {
        zn_part_info first = zn_model_part_info(model, i);
        if (!first.group || (i > 0 && is_body(&first) && zn_model_part_info(model, i - 1).group &&
                             !strcmp(zn_model_part_info(model, i - 1).group, first.group)))
            continue;
        if (!is_body(&first)) break; /* elements come after all bodies */
        int nodes = 0, elements = 0, freedom = 0;
        const char *what = "";
        for (int k = i; k < count; k++) {
            zn_part_info part = zn_model_part_info(model, k);
            if (!part.group || strcmp(part.group, first.group)) continue;
            nodes += is_body(&part), elements += !is_body(&part), freedom += part.nu;
            if (!is_body(&part)) what = part.what;
        }
        if (!titled) printf("  flexible bodies\n");
        titled = true;
        printf("    %s: %d node%s, %d %s%s, %d degrees of freedom\n", first.group, nodes, nodes == 1 ? "" : "s", elements, what,
               elements == 1 ? "" : "s", freedom);
    }
}

static void print_names(const char *what, int count, const char *const *names) {
    enum { MOST_SHOWN = 60 };
    printf("  %d %s:", count, what);
    for (int i = 0; i < count && i < MOST_SHOWN; i++) printf(" %s", names[i]);
    if (count > MOST_SHOWN) printf(" ... and %d more", count - MOST_SHOWN);
    printf("\n");
}

static void print_parts(const zn_model *model) {
    print_group(model, "bodies", moves);
    print_flexible(model);
    print_group(model, "joints", is_joint);
    print_group(model, "forces and energies", is_force);
}

/* Shapes with contacts by rules: how many of each class, which have the names of their bodies, and the rules. */
static void print_field(const zn_model *model) {
    enum { MOST_COMPARED = 3000 };
    const contact_field *field = contact_field_of(model);
    if (!field) return;
    int n = contact_field_shapes(field);
    printf("  %d shapes in contact rules:", n);
    for (int i = 0, kinds = 0; i < n; i++) {
        const char *class = contact_field_shape_class(field, i);
        int count = 0, earlier = 0;
        for (int j = 0; j < n; j++)
            if (!strcmp(contact_field_shape_class(field, j), class)) count++, earlier += j < i;
        if (!earlier)
            printf("%s %d %s%s", kinds++ ? "," : "", count, class, count == 1 ? "" : class[strlen(class) - 1] == 'x' ? "es" : "s");
    }
    printf("\n");
    for (int r = 0; r < contact_field_rules(field); r++) {
        char text[400];
        long pairs = 0;
        for (int i = 0; n <= MOST_COMPARED && i < n; i++)
            for (int j = i + 1; j < n; j++) pairs += contact_field_rule_of(field, i, j) == r;
        printf("    %s", contact_field_rule_text(field, r, text, sizeof text));
        if (n <= MOST_COMPARED) printf("; %ld pair%s of shapes may meet", pairs, pairs == 1 ? "" : "s");
        printf("\n");
    }
}

/* Degrees of freedom that the constraints leave, and the rows that take none. */
static void print_freedom(zn_context *context, const zn_model *model) {
    int marks = 0;
    for (int i = 0; i < zn_model_part_count(model); i++) {
        zn_part_info part = zn_model_part_info(model, i);
        marks += is_mark(&part);
    }
    int rows = model->size.ng + model->size.ny, count = 0;
    bool redundant[ZN_MODEL_MOST_ROWS];
    if (rows == 0 || rows > ZN_MODEL_MOST_ROWS || zn_model_redundant_rows(context, model, redundant, &count) != ZN_OK) return;
    int freedom = model->size.nu - marks - rows + count;
    printf("  %d degree%s of freedom: %d velocities, %d constraint row%s", freedom, freedom == 1 ? "" : "s", model->size.nu, rows,
           rows == 1 ? "" : "s");
    if (count) printf(", of which %d redundant:", count);
    for (int i = 0; count && i < rows; i++)
        if (redundant[i]) printf(" %s", model->bilateral_names[i]);
    if (marks) printf(count ? "; %d of the velocities at rest (marks)" : ", %d of the velocities at rest (marks)", marks);
    printf("\n");
}

/* Control characters of a title must not reach the terminal. */
static void print_title(const char *title) {
    for (char piece[TEXT_PIECE]; *title;) text_plain(&title, piece), fputs(piece, stdout);
    printf("\n");
}

static void print_sizes(zn_context *context, const zn_scene *scene, const zn_settings *settings) {
    const zn_model *model = zn_scene_model(scene);
    const zn_sizes *n = &model->size;
    print_title(zn_scene_title(scene));
    print_names("coordinates", n->nq, model->q_names);
    print_names("velocities", n->nu, model->u_names);
    printf("  kind: %s\n", model->lagrangian ? "natural, from energies"
                           : model->natural  ? "natural"
                                             : "first order, velocities of its own");
    if (n->ng) printf("  %d constraints on position level\n", n->ng);
    if (n->ny) printf("  %d constraints on velocity level\n", n->ny);
    print_freedom(context, model);
    print_parts(model);
    print_field(model);
    for (int k = 0; k < n->n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        printf("  contact %s:", contact->name);
        if (contact->n_load) printf(" normal force %g and what its joint carries", contact->normal_force);
        else if (contact->row_N < 0) printf(" normal force %g", contact->normal_force);
        else printf(" restitution %g", contact->e_N);
        for (int b = 0; b < contact->n_balls; b++)
            printf(", friction %g in %d dimension%s", contact->balls[b].mu, contact->balls[b].dim, contact->balls[b].dim == 1 ? "" : "s");
        printf("\n");
    }
    if (settings->step_auto)
        printf("  scheme %s, step auto with accuracy %g, end %g\n", settings->scheme, settings->accuracy, settings->end);
    else printf("  scheme %s, step %g, end %g\n", settings->scheme, settings->step, settings->end);
}

/* The section `study`, if there is one. */
static int check_study(zn_context *context, const char *path, const cli_scene_options *options, const zn_scene *scene) {
    study_setting settings[SETTINGS_MOST];
    study_def def = {.name = path, .text = zn_scene_text(scene), .n_sets = options->n_sets, .sets = options->sets, .settings = settings};
    long runs;
    if (scene_get_study(scene)->n_vary == 0) return CLI_OK;
    for (int i = 0; i < settings_count; i++)
        if (options->values[i]) settings[def.n_settings++] = (study_setting){settings_rows[i].name, options->values[i]};
    if (!cli_study_def(context, scene, &(cli_study_texts){0}, &def) || study_check(context, &def, &runs) != ZN_OK) {
        cli_print_errors(context);
        return CLI_USAGE;
    }
    printf("  the study has %ld run%s\n", runs, runs == 1 ? "" : "s");
    return CLI_OK;
}

int cli_check(int argc, char **argv) {
    cli_scene_options scene_options = {0};
    const char *path = NULL;
    bool help = false;
    cli_option options[CLI_MAX_OPTIONS] = {{"--help", NULL, &help, NULL, 0}};
    int n_positional, n_options = cli_add_settings(options, 1, &scene_options, NULL);
    if (!cli_parse(argc, argv, usage, n_options, options, 1, &path, &n_positional)) return CLI_USAGE;
    if (help || !path) {
        fprintf(help ? stdout : stderr, "usage: %s\n", usage);
        return help ? CLI_OK : CLI_USAGE;
    }
    zn_context *context = cli_context(false);
    if (!context) return CLI_FAILED;
    zn_scene *scene = NULL;
    zn_simulation *simulation = NULL;
    zn_settings settings;
    int exit_status = CLI_USAGE;
    if (cli_load(context, path, &scene_options, &scene, &settings)) {
        settings_complete(&settings);
        print_sizes(context, scene, &settings);
        if (zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation) == ZN_OK) {
            printf("  the start is consistent\n");
            exit_status = check_study(context, path, &scene_options, scene);
        } else {
            scene_place_errors(scene);
            cli_print_errors(context);
        }
    }
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return exit_status;
}
