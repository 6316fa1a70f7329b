/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a scene: the sections in the order of their dependence. */
#include "scene/scene.h"

#include "sim/simulation.h"

#include "base/handle.h"
#include "base/names.h"
#include "model/formula_model.h"
#include "model/machine.h"
#include "model/model.h"
#include "scene/study_section.h"
#include "scene/view.h"
#include "scene/where.h"

enum { SCENE_NAMED = 10 };

struct zn_scene {
    HANDLE_HEAD;
    scene_arena arena; /* the scene itself is not in it */
    const char *text, *title;
    zn_model *model;
    zn_settings settings;
    const char *choice; /* why the scheme was chosen; NULL: it was not */
    scene_study study;
    int n_parameters;
    const expr_name *parameters;          /* only their names */
    const scene_node *root;               /* with what it includes */
    zn_scene_options options;             /* copies */
    bool started;                         /* a start was replaced */
    const scene_node *named[SCENE_NAMED]; /* sections whose entries have names that errors are about */
    name_table starts; /* places of coordinates, then velocities, then values of the machine; made when a start is asked for by its name */
};

typedef struct sections {
    const scene_node *title, *parameters, *coordinates, *energy, *forces, *velocities, *kinematics, *mass, *force, *constraints, *contacts,
        *simulation, *bodies, *frames, *joints, *gravity, *geometry, *materials, *groups, *outputs, *view, *study, *inputs, *tables,
        *states, *sampled, *modes, *events, *files, *starts;
} sections;

/* ---- which sections are there ---- */

/* Also where no node has a place. */
static bool fail_empty(scene_loader *loader, const scene_node *root) {
    error_place place = scene_place_of(loader, root);
    if (!place.line) place.line = place.column = 1;
    fail_at(loader->context, ZN_ERROR_SCENE, &place, "the scene is empty");
    return false;
}

static bool read_sections(scene_loader *loader, const scene_node *root, sections *s) {
    if (!root || root->kind == SCENE_NULL || (root->kind == SCENE_MAP && root->count == 0)) return fail_empty(loader, root);
    const int map = SCENE_MAP | SCENE_NULL;
    const scene_key keys[] = {{"title", SCENE_SCALAR | SCENE_NULL, false, &s->title},
                              {"parameters", map, false, &s->parameters},
                              {"coordinates", SCENE_MAP, false, &s->coordinates},
                              {"energy", map, false, &s->energy},
                              {"forces", SCENE_LIST | map, false, &s->forces},
                              {"velocities", map, false, &s->velocities},
                              {"kinematics", map, false, &s->kinematics},
                              {"mass", SCENE_LIST | map, false, &s->mass},
                              {"force", SCENE_LIST | map, false, &s->force},
                              {"constraints", map, false, &s->constraints},
                              {"contacts", map, false, &s->contacts},
                              {"simulation", map, false, &s->simulation},
                              {"bodies", map, false, &s->bodies},
                              {"frames", map, false, &s->frames},
                              {"joints", SCENE_LIST | map, false, &s->joints},
                              {"gravity", SCENE_LIST | SCENE_NULL, false, &s->gravity},
                              {"geometry", map, false, &s->geometry},
                              {"materials", map, false, &s->materials},
                              {"groups", map, false, &s->groups},
                              {"outputs", map, false, &s->outputs},
                              {"view", map, false, &s->view},
                              {"study", map, false, &s->study},
                              {"inputs", map, false, &s->inputs},
                              {"tables", map, false, &s->tables},
                              {"states", map, false, &s->states},
                              {"sampled", SCENE_LIST | map, false, &s->sampled},
                              {"modes", map, false, &s->modes},
                              {"events", map, false, &s->events},
                              {"files", map, false, &s->files},
                              {"starts", map, false, &s->starts}};
    enum { N_KEYS = sizeof keys / sizeof *keys };
    if (!scene_want_map(loader, root, "a scene", N_KEYS, keys)) return false;
    /* The names in a misspelt section are missing. */
    for (const scene_entry *entry = root->first; entry; entry = entry->next) {
        bool known = false;
        for (int i = 0; i < N_KEYS; i++)
            known |= !strcmp(entry->key->text, keys[i].name) && (*keys[i].value || entry->value->kind == SCENE_NULL);
        loader->names_incomplete |= !known;
    }
    if (!s->bodies && !scene_find(root, "coordinates") && !scene_find(root, "bodies"))
        scene_error(loader, root, "a scene lacks 'coordinates' (or 'bodies')");
    if (s->coordinates && s->coordinates->count == 0 && !s->bodies) {
        scene_error(loader, s->coordinates, "a scene needs at least one coordinate");
        s->coordinates = NULL;
    }
    const scene_node *large[] = {s->coordinates, s->velocities};
    for (int i = 0; i < 2; i++)
        if (large[i] && large[i]->count > SCENE_MAX_COORDINATES) {
            scene_error(loader, large[i], "%d are too many for formulas (at most %d)", large[i]->count, SCENE_MAX_COORDINATES);
            return false;
        }
    return true;
}

/* Nothing was given; anything wrong has been reported. */
static bool is_missing(const scene_node *root, const char *section) {
    const scene_node *node = scene_find(root, section);
    return !node || node->kind == SCENE_NULL;
}

/* Formulas alone have either an energy (natural coordinates) or velocities, kinematics and mass. */
static void check_formula_sections(scene_loader *loader, const scene_node *root, sections *s) {
    if (s->forces && !scene_want_kind(loader, s->forces, SCENE_MAP, "forces")) s->forces = NULL;
    loader->names_incomplete |= !s->coordinates;
    loader->first_order = s->mass || s->velocities || s->kinematics;
    if (!loader->first_order) {
        if (is_missing(root, "energy") && is_missing(root, "mass"))
            scene_error(loader, root, "the scene lacks 'energy' (or 'velocities', 'kinematics', 'mass' and 'force')");
        if (!s->energy) loader->names_incomplete = true;
        if (s->force) scene_error(loader, s->force, "'force' belongs to a scene with 'mass'; non-potential forces are 'forces'");
        s->force = NULL;
        return;
    }
    const struct {
        const char *name;
        const scene_node *node;
    } needed[] = {{"velocities", s->velocities}, {"kinematics", s->kinematics}, {"mass", s->mass}};
    for (int i = 0; i < 3; i++) {
        if (needed[i].node) continue;
        loader->names_incomplete = true;
        if (is_missing(root, needed[i].name))
            scene_error(loader, root, "a scene with 'velocities', 'kinematics' or 'mass' needs all three; '%s' is missing", needed[i].name);
    }
    if (s->forces) scene_error(loader, s->forces, "'forces' belongs to a scene with 'energy'; beside 'mass' it is 'force'");
    s->forces = NULL;
}

/* Velocities by formulas beside bodies need their masses, and sections about them need them, too. */
static void check_part_sections(scene_loader *loader, const sections *s) {
    int errors = zn_error_count(loader->context);
    const struct {
        const char *name;
        const scene_node *node;
    } needs[] = {{"mass", s->mass}, {"force", s->force}};
    for (int i = 0; i < 2 && !s->velocities; i++)
        if (needs[i].node)
            scene_error(loader, needs[i].node, "'%s' is for 'velocities' of the scene's own: bodies have their mass, 'forces' act on them",
                        needs[i].name);
    if (s->velocities && !s->mass) scene_error(loader, s->velocities, "the velocities need a 'mass'");
    loader->names_incomplete |= zn_error_count(loader->context) > errors;
}

/* The key that an error is about, by its subject: a contact, a geometry ("rod.tip" is one of rod), a coordinate, its velocity ("x'"), a
 * state, a body, a constraint, a joint ("pin.2" is a row of pin), a force or an output. NULL: none of these. */
static const scene_node *blamed(const scene_node *const *maps, const zn_error *error) {
    const char *subject = error && error->subject ? error->subject : "";
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < SCENE_NAMED; i++)
            for (const scene_entry *entry = maps[i] ? maps[i]->first : NULL; entry; entry = entry->next) {
                const scene_node *key = entry->key ? entry->key : entry->value->kind == SCENE_MAP ? scene_find(entry->value, "name") : NULL;
                size_t length = key && key->text ? strlen(key->text) : 0;
                if (length == 0 || strncmp(key->text, subject, length) != 0) continue;
                if (part ? subject[length] == '.' : !subject[length] || !strcmp(subject + length, "'")) return key;
            }
    return NULL;
}

void scene_place_errors(zn_scene *scene) {
    scene_loader loader = {.context = scene->context, .arena = &scene->arena};
    for (int i = 0; i < zn_error_count(scene->context); i++) {
        const zn_error *error = zn_error_get(scene->context, i);
        const scene_node *key = error->line ? NULL : blamed(scene->named, error);
        error_place place = scene_place_of(&loader, key);
        if (key) fail_set_place(scene->context, i, &place);
    }
}

static const scene_node *blamed_last(const scene_loader *loader, const zn_scene *scene) {
    return blamed(scene->named, zn_error_get(loader->context, zn_error_count(loader->context) - 1));
}

/* The sections that others refer to. */
static void read_names(scene_loader *loader, const sections *s, const zn_scene_options *options) {
    scene_read_parameters(loader, s->parameters, options);
    scene_add_parameters(loader);
    if (s->tables) scene_read_tables(loader, s->tables);
    if (s->inputs) scene_read_inputs(loader, s->inputs);
    if (s->modes) scene_read_modes(loader, s->modes);
    if (s->sampled) scene_read_sampled(loader, s->sampled);
    if (s->gravity && s->bodies) scene_read_gravity(loader, s->gravity);
    if (s->bodies) scene_read_bodies(loader, s->bodies);
    if (s->coordinates) scene_read_coordinates(loader, s->coordinates);
    if (s->velocities) scene_read_velocities(loader, s->velocities);
    if (s->kinematics && (s->coordinates || !loader->alone)) scene_read_kinematics(loader, s->kinematics);
    if (s->states) scene_read_states(loader, s->states);
    if (s->events) scene_read_events(loader, s->events);
}

static void read_laws(scene_loader *loader, const sections *s) {
    if (s->bodies && s->frames) scene_read_frames(loader, s->frames);
    if (s->bodies && s->joints) scene_read_joints(loader, s->joints);
    if (s->energy) scene_read_energy(loader, s->energy);
    if (s->mass && s->velocities) scene_read_mass(loader, s->mass);
    if (s->forces && !loader->alone) scene_read_part_forces(loader, s->forces);
    else if (s->forces && s->coordinates) scene_read_forces(loader, s->forces, "forces", s->coordinates);
    if (s->force && s->velocities) scene_read_forces(loader, s->force, "force", s->velocities);
    if (s->constraints) scene_read_constraints(loader, s->constraints);
    int errors = zn_error_count(loader->context);
    if (s->bodies && s->geometry) scene_read_geometry(loader, NULL, s->geometry);
    if (s->bodies && s->materials) scene_read_materials(loader, s->materials);
    if (s->bodies && s->groups) scene_read_groups(loader, s->groups);
    bool shapes = zn_error_count(loader->context) == errors; /* else contacts would only repeat their mistakes */
    if (shapes && s->contacts) scene_read_contacts(loader, s->contacts);
    if (s->outputs) scene_read_outputs(loader, s->outputs);
}

static void build_parts(scene_loader *loader, zn_scene *scene, const sections *s, scene_view *view) {
    if (scene_view_parts(view) != ZN_OK) return;
    zn_status built = zn_parts_build(loader->parts, &scene->model);
    const scene_node *key = blamed_last(loader, scene), *whole = s->bodies ? s->bodies : s->coordinates ? s->coordinates : s->velocities;
    if (!scene_placed(loader, built, key ? key : whole) || scene_has_errors(loader)) return;
    if (s->joints) scene_check_joints(loader, s->joints, scene->model, scene->settings.project_start);
    if (s->contacts && !scene->settings.project_start) scene_check_gaps(loader, s->contacts, scene->model);
}

/* Also after errors: the builder finds those of the formulas. */
static void build_formulas(scene_loader *loader, zn_scene *scene, const sections *s, scene_view *view) {
    int errors = zn_error_count(loader->context);
    if (zn_parts_build(loader->parts, &scene->model) == ZN_OK) scene_view_formulas(view, scene->model);
    if (zn_error_count(loader->context) == errors) return;
    /* Errors of the whole (a mass matrix that is not positive definite) get the place of the section that defines it. */
    const scene_node *key = blamed_last(loader, scene), *whole = s->mass ? s->mass : s->energy;
    error_place place = scene_place_of(loader, key ? key : whole);
    fail_add_place(loader->context, &place);
}

/* Starts by the names of columns in results; they replace those of bodies and coordinates. */
static void read_starts(scene_loader *loader, zn_scene *scene, const scene_node *starts) {
    for (const scene_entry *e = starts->first; e; e = e->next) {
        double value;
        if (!scene_want_number(loader, e->value, e->key->text, scene_any_number, &value)) continue;
        if (!scene_start_at(scene, e->key->text, strlen(e->key->text), value))
            scene_error(loader, e->key, "the scene has no coordinate, velocity or input '%s'", e->key->text);
    }
}

/* Coordinates with an energy beside velocities of the scene's own, which have a mass: parts, too, although there is no body. */
static bool is_mixed(const scene_node *root) {
    const scene_node *energy = scene_find(root, "energy");
    return energy && energy->kind == SCENE_MAP && scene_find(energy, "kinetic") && scene_find(root, "velocities");
}

/* repeat and use need the values of parameters, which are then read first. */
static bool replace_reuse(scene_loader *loader, const scene_node **root, const zn_scene_options *options) {
    if (!scene_reuses(*root)) return true;
    const scene_node *parameters = scene_find(*root, "parameters");
    if (parameters && parameters->kind == SCENE_NULL) parameters = NULL;
    if (parameters && !scene_want_kind(loader, parameters, SCENE_MAP, "parameters")) return false;
    scene_read_parameters(loader, parameters, options);
    loader->parameters_read = true;
    return !scene_has_errors(loader) && (*root = scene_reuse(loader, *root));
}

static void read_scene(scene_loader *loader, zn_scene *scene, const scene_node *root, scene_view *view, const zn_scene_options *options) {
    sections s = {0};
    if (!replace_reuse(loader, &root, options)) return;
    if (!read_sections(loader, root, &s)) return;
    if (s.files) scene_read_files(loader, s.files);
    const scene_node *named[] = {s.contacts, s.geometry,    s.coordinates, s.velocities, s.states,
                                 s.bodies,   s.constraints, s.joints,      s.forces,     s.outputs};
    memcpy(scene->named, named, sizeof named);
    scene->title = s.title ? s.title->text : "";
    if (s.study) scene_read_study(loader, s.study, &scene->study);
    const scene_node *lonely = s.joints      ? s.joints
                               : s.frames    ? s.frames
                               : s.geometry  ? s.geometry
                               : s.materials ? s.materials
                               : s.groups    ? s.groups
                                             : s.gravity;
    loader->alone = !s.bodies && !is_mixed(root);
    loader->parts = loader->alone ? parts_create_alone(loader->context) : zn_parts_create(loader->context);
    if (!loader->parts) return;
    const scene_node *switched[] = {s.joints, s.forces, s.contacts, s.constraints};
    for (int i = 0; i < 4; i++) scene_read_conditions(loader, switched[i]);
    if (lonely && !s.bodies) scene_error(loader, lonely, "the scene has no 'bodies' that this could belong to");
    if (loader->alone) check_formula_sections(loader, root, &s);
    else check_part_sections(loader, &s);
    loader->velocities = s.velocities;
    read_names(loader, &s, options);
    /* Formulas can be read although names are missing; parts cannot. */
    if (loader->alone || !loader->names_incomplete) read_laws(loader, &s);
    if (!loader->names_incomplete) scene_read_view(view, loader, s.view, s.contacts);
    if (s.simulation) scene_read_settings(loader, s.simulation);
    if (loader->names_incomplete || scene_gave_up(loader)) return;
    (loader->alone ? build_formulas : build_parts)(loader, scene, &s, view);
    if (s.starts && scene->model) read_starts(loader, scene, s.starts);
}

/* ---- the whole ---- */

/* Without a name in the scene the default scheme, unless that would let joints drift: it only solves for their velocities. */
static void choose_scheme(zn_scene *scene) {
    if (!scene->model->size.ng) return;
    scene->settings.scheme = "radau-2a";
    scene->choice = "the scene names no scheme and has position constraints, which this scheme satisfies";
}

static zn_status load_document(zn_scene *scene, const char *file, const scene_node *root, const zn_scene_options *options,
                               int errors_before) {
    scene_loader loader = {
        .context = scene->context, .arena = &scene->arena, .file = file, .errors_before = errors_before, .settings = &scene->settings};
    loader.graph = expr_graph_create(scene->context);
    scene_view *view = MEM_ARRAY(scene->context, scene_view, 1);
    if (loader.graph && view) read_scene(&loader, scene, root, view, options);
    if (view) scene_free_view(view);
    mem_free(scene->context, view);
    if (!loader.scheme_named && scene->model) choose_scheme(scene);
    scene->parameters = loader.values;
    scene->n_parameters = loader.n_values;
    zn_parts_destroy(loader.parts);
    expr_graph_destroy(loader.graph);
    mem_free(scene->context, loader.names);
    int count = zn_error_count(scene->context);
    for (int i = errors_before; i < count; i++)
        if (zn_error_get(scene->context, i)->status == ZN_ERROR_MEMORY) return ZN_ERROR_MEMORY;
    if (count > errors_before) return ZN_ERROR_SCENE;
    return scene->model ? ZN_OK : fail(scene->context, ZN_ERROR_INTERNAL, "the scene gave neither a model nor an error");
}

/* `text` NULL: the file is read. */
static zn_status load(zn_context *context, const char *file, const char *text, const zn_scene_options *options, zn_scene **out) {
    *out = NULL;
    const int errors_before = zn_error_count(context);
    zn_scene *scene = MEM_ARRAY(context, zn_scene, 1);
    if (!scene) return ZN_ERROR_MEMORY;
    *scene = (zn_scene){.head = {HANDLE_SCENE, context}, .arena = {.context = context}, .title = "", .settings = zn_settings_default()};
    zn_status status = ZN_OK;
    scene->text = text ? scene_copy(&scene->arena, text, strlen(text)) : scene_read_file(&scene->arena, file);
    const char *name = scene_copy(&scene->arena, file, strlen(file));
    if (!scene->text || !name) {
        const zn_error *error = zn_error_get(context, zn_error_count(context) - 1);
        status = error ? error->status : ZN_ERROR_MEMORY;
    }
    const scene_node *root = NULL;
    if (status == ZN_OK) status = scene_read_document(&scene->arena, name, scene->text, &root);
    if (status == ZN_OK) status = scene_include(&scene->arena, name, &root);
    if (status == ZN_OK) status = load_document(scene, name, root, options, errors_before);
    if (status != ZN_OK) {
        model_free(context, scene->model);
        names_free(context, &scene->starts);
        scene_arena_free(&scene->arena);
        mem_free(context, scene);
        return status;
    }
    scene->root = root;
    const char **sets = SCENE_NEW(&scene->arena, const char *, options ? options->n_sets + 1 : 1);
    for (int i = 0; sets && options && i < options->n_sets; i++) {
        sets[i] = scene_copy(&scene->arena, options->sets[i], strlen(options->sets[i]));
        scene->options.n_sets += sets[i] != NULL;
    }
    scene->options.sets = sets;
    *out = scene;
    return ZN_OK;
}

static char *as_run(const zn_scene *scene, const zn_settings *settings, const zn_simulation *simulation) {
    const scene_run run = {.files = scene->arena.files,
                           .options = &scene->options,
                           .settings = settings,
                           .simulation = simulation,
                           .started = scene->started ? scene->model : NULL};
    return scene_write(scene->context, scene->root, &run);
}

zn_status zn_scene_as_run(const zn_scene *scene, const zn_settings *settings, char **text) {
    NEED_HANDLE(scene, HANDLE_SCENE);
    NEED(scene->context, text);
    *text = as_run(scene, settings ? settings : &scene->settings, NULL);
    return *text ? ZN_OK : ZN_ERROR_MEMORY;
}

void zn_scene_free_text(const zn_scene *scene, char *text) {
    if (HANDLE_GOOD(scene, HANDLE_SCENE)) mem_free(scene->context, text);
}

zn_status zn_scene_record(zn_context *context, const zn_scene *scene, const zn_simulation *simulation, const char *path,
                          zn_recorder **recorder) {
    NEED_CONTEXT(context);
    NEED(context, recorder);
    *recorder = NULL;
    if (!HANDLE_GOOD(scene, HANDLE_SCENE)) return fail(context, ZN_ERROR_ARGUMENT, "%s: 'scene' is not a scene", __func__);
    NEED(context, simulation);
    const zn_settings *settings = zn_simulation_settings(simulation);
    if (!settings) return fail(context, ZN_ERROR_ARGUMENT, "%s: 'simulation' was destroyed", __func__);
    char *run = as_run(scene, settings, simulation);
    if (!run) return ZN_ERROR_MEMORY;
    sim_recorder_texts about = {scene->title, scene->text, run};
    zn_status status = sim_recorder_create(context, simulation, &about, path, recorder);
    mem_free(scene->context, run);
    return status;
}

static zn_status check_options(zn_context *context, const zn_scene_options *options) {
    if (!options) return ZN_OK;
    if (options->n_sets < 0 || (options->n_sets > 0 && !options->sets))
        return fail(context, ZN_ERROR_ARGUMENT, "the options of a scene have %d sets%s", options->n_sets,
                    options->n_sets < 0 ? "" : ", but no texts of them");
    for (int i = 0; i < options->n_sets; i++)
        if (!options->sets[i])
            return fail(context, ZN_ERROR_ARGUMENT, "set %d of the options of a scene is NULL, not \"NAME=EXPR\"", i + 1);
    return ZN_OK;
}

static bool is_result(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".h5") || !strcmp(dot, ".hdf5"));
}

/* The scene that a result was made from, as it was run. */
static zn_status load_result(zn_context *context, const char *path, const zn_scene_options *options, zn_scene **scene) {
    zn_result *result = NULL;
    zn_status status = zn_result_open(context, path, &result);
    if (status != ZN_OK) return status;
    const char *text = zn_result_text(result, "run");
    if (text && *text) status = load(context, path, text, options, scene);
    else
        status =
            fail(context, ZN_ERROR_ARGUMENT, "%s has no record of how it was run; results of scenes have it since version 0.1.0", path);
    zn_result_close(result);
    return status;
}

zn_status zn_scene_load(zn_context *context, const char *path, const zn_scene_options *options, zn_scene **scene) {
    NEED_CONTEXT(context);
    NEED(context, scene);
    *scene = NULL;
    NEED(context, path);
    zn_status status = check_options(context, options);
    if (status != ZN_OK) return status;
    return is_result(path) ? load_result(context, path, options, scene) : load(context, path, NULL, options, scene);
}

zn_status zn_scene_parse(zn_context *context, const char *name, const char *text, const zn_scene_options *options, zn_scene **scene) {
    NEED_CONTEXT(context);
    NEED(context, scene);
    *scene = NULL;
    NEED(context, text);
    zn_status status = check_options(context, options);
    return status == ZN_OK ? load(context, name ? name : "scene", text, options, scene) : status;
}

void zn_scene_destroy(zn_scene *scene) {
    if (!HANDLE_GOOD(scene, HANDLE_SCENE)) return;
    zn_model_destroy(scene->context, scene->model);
    names_free(scene->context, &scene->starts);
    scene_arena_free(&scene->arena);
    handle_retire(&scene->head, sizeof *scene);
}

const char *zn_scene_title(const zn_scene *scene) { return HANDLE_GOOD(scene, HANDLE_SCENE) ? scene->title : NULL; }
const char *zn_scene_text(const zn_scene *scene) { return HANDLE_GOOD(scene, HANDLE_SCENE) ? scene->text : NULL; }
const zn_model *zn_scene_model(const zn_scene *scene) { return HANDLE_GOOD(scene, HANDLE_SCENE) ? scene->model : NULL; }
const char *zn_scene_choice(const zn_scene *scene) { return HANDLE_GOOD(scene, HANDLE_SCENE) ? scene->choice : NULL; }
const zn_settings *zn_scene_settings(const zn_scene *scene) { return HANDLE_GOOD(scene, HANDLE_SCENE) ? &scene->settings : NULL; }

/* ---- for studies ---- */

static const char *parameter_name(const void *scene, int i) { return ((const zn_scene *)scene)->parameters[i].name; }

bool scene_has_parameter(const zn_scene *scene, const char *name) {
    for (int i = 0; i < scene->n_parameters; i++)
        if (!strcmp(scene->parameters[i].name, name)) return true;
    return false;
}

const char *scene_nearest_parameter(const zn_scene *scene, const char *name) {
    return expr_nearest_name(name, scene->n_parameters, parameter_name, scene);
}

void scene_set_start(zn_scene *scene, bool velocity, int index, double value) {
    const double *start = velocity ? scene->model->u_start : scene->model->q_start; /* memory of the scene */
    ((double *)(uintptr_t)start)[index] = value;
    scene->started = true;
}

static bool is_input(const machine_value *v) { return v->kind == MACHINE_INPUT || v->kind == MACHINE_PARAMETER; }

int scene_find_input(const zn_scene *scene, const char *name) {
    const machine_plan *plan = scene->model->machine;
    for (int i = 0; plan && i < plan->n_values; i++)
        if (is_input(&plan->values[i]) && !strcmp(plan->values[i].name, name)) return i;
    return -1;
}

void scene_set_input(zn_scene *scene, int index, double value) {
    scene->model->machine->start[index] = value;
    scene->started = true;
}

/* A scene from a result names all of them, and a linear search for each would be quadratic. */
static bool list_starts(zn_scene *scene) {
    const zn_model *model = scene->model;
    const int nq = model->size.nq, nu = model->size.nu, n = nq + nu + (model->machine ? model->machine->n_values : 0);
    bool good = true;
    for (int i = 0; i < n && good; i++) {
        const machine_value *v = i < nq + nu ? NULL : &model->machine->values[i - nq - nu];
        if (v && !is_input(v)) continue;
        good = names_add(scene->context, &scene->starts, 0, v ? v->name : i < nq ? model->q_names[i] : model->u_names[i - nq], i);
    }
    return good;
}

bool scene_start_at(zn_scene *scene, const char *name, size_t length, double value) {
    const int nq = scene->model->size.nq, nu = scene->model->size.nu;
    if (!scene->starts.count && !list_starts(scene)) return false;
    int place = names_find(&scene->starts, 0, name, length);
    if (place >= nq + nu) scene_set_input(scene, place - nq - nu, value);
    else if (place >= 0) scene_set_start(scene, place >= nq, place >= nq ? place - nq : place, value);
    return place >= 0;
}

int scene_parameter_source(const zn_scene *scene, const char *name) { return scene_source_of(scene, scene->root, &scene->options, name); }

bool scene_move(zn_scene *scene, int n, const int *sources, const double *values, scene_changes *changes) {
    unsigned changed;
    if (!formula_model_move(scene->context, scene->model, n, sources, values, &changed)) return false;
    *changes = (scene_changes){.restitution = changed >> FORMULA_RESTITUTION & 1, .coefficients = changed >> FORMULA_COEFFICIENT & 1};
    return true;
}

uint64_t scene_files_hash(const zn_scene *scene) { return scene->arena.read; }

const scene_study *scene_get_study(const zn_scene *scene) { return &scene->study; }
