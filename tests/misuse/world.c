/* SPDX-License-Identifier: Apache-2.0 */
#include "misuse/misuse.h"

static const char scene_text[] = "bodies: {b: {type: planar, mass: 1, inertia: 1, position: [0, 1]}}\n"
                                 "gravity: [0, -10]\n"
                                 "geometry: {tip: {on: b, type: point}, floor: {type: line}}\n"
                                 "contacts: {floor: {between: [tip, floor], friction: 0.3}}\n"
                                 "outputs: {height: b.y}\n"
                                 "simulation: {scheme: moreau-midpoint, step: 0.1, end: 1}\n";

static zn_parts *make_parts(zn_context *context, zn_body *body, zn_frame *frame, zn_geometry *geometry, zn_flexible *flexible) {
    zn_parts *parts = zn_parts_create(context);
    zn_body_def b = zn_default_body_def();
    b.name = "b", b.mass = b.inertia[2] = 1;
    assert_int_equal(zn_parts_body(parts, &b, body), ZN_OK);
    assert_int_equal(zn_parts_frame(parts, *body, "f", NULL, NULL, frame), ZN_OK);
    zn_geometry_def g = zn_default_geometry_def();
    g.name = "g", g.frame = *frame;
    assert_int_equal(zn_parts_geometry(parts, &g, geometry), ZN_OK);
    zn_flexible_def f = zn_default_flexible_def();
    f.name = "beam", f.type = ZN_FLEXIBLE_BEAM, f.elements = 2, f.to[0] = 1;
    f.EA = f.GA[0] = f.EI[0] = f.line_density = f.rotary[0] = 1;
    assert_int_equal(zn_parts_flexible(parts, &f, flexible), ZN_OK);
    return parts;
}

static void make_runs(world *w, const char *path, zn_scene **scene, zn_simulation **simulation, zn_account **account,
                      zn_recorder **recorder) {
    assert_int_equal(zn_scene_parse(w->context, "test", scene_text, NULL, scene), ZN_OK);
    assert_int_equal(zn_simulation_create(w->context, zn_scene_model(*scene), zn_scene_settings(*scene), simulation), ZN_OK);
    assert_int_equal(zn_account_create(w->context, *simulation, account), ZN_OK);
    assert_int_equal(zn_recorder_create(w->context, *simulation, "t", NULL, path, recorder), ZN_OK);
}

static zn_formula_model *make_formulas(zn_context *context, zn_model **model) {
    zn_formula_model *builder = zn_formula_model_create(context);
    assert_int_equal(zn_formula_coordinate(builder, "x", ZN_FORMULA("0"), ZN_FORMULA("0")), ZN_OK);
    assert_int_equal(zn_formula_energy(builder, ZN_FORMULA("x'^2/2"), ZN_FORMULA("x")), ZN_OK);
    assert_int_equal(zn_formula_model_build(builder, model), ZN_OK);
    return builder;
}

world *world_create(void) {
    world *w = test_calloc(1, sizeof *w);
    w->context = zn_context_create(NULL);
    w->formulas = make_formulas(w->context, &w->model);
    w->dead_formulas = make_formulas(w->context, &w->dead_model);
    w->parts = make_parts(w->context, &w->body, &w->frame, &w->geometry, &w->flexible);
    w->dead_parts = make_parts(w->context, &w->foreign_body, &w->foreign_frame, &w->foreign_geometry, &w->foreign_flexible);
    w->machine = zn_parts_machine(w->parts);
    w->dead_machine = zn_parts_machine(w->dead_parts);
    zn_parts_destroy(w->dead_parts);
    w->other_parts = make_parts(w->context, &w->foreign_body, &w->foreign_frame, &w->foreign_geometry, &w->foreign_flexible);
    make_runs(w, "misuse-live.csv", &w->scene, &w->simulation, &w->account, &w->recorder);
    make_runs(w, "misuse-dead.csv", &w->dead_scene, &w->dead_simulation, &w->dead_account, &w->dead_recorder);
    zn_recorder_finish(w->dead_recorder, false);
    zn_account_destroy(w->dead_account);
    zn_simulation_destroy(w->dead_simulation);
    zn_scene_destroy(w->dead_scene);
    zn_formula_model_destroy(w->dead_formulas);
    zn_model_destroy(w->context, w->dead_model);
    zn_error_clear(w->context);
    return w;
}

void world_destroy(world *w) {
    zn_recorder_finish(w->recorder, false);
    zn_account_destroy(w->account);
    zn_simulation_destroy(w->simulation);
    zn_scene_destroy(w->scene);
    zn_formula_model_destroy(w->formulas);
    zn_model_destroy(w->context, w->model);
    zn_parts_destroy(w->parts);
    zn_parts_destroy(w->other_parts);
    zn_context_destroy(w->context);
    remove("misuse-live.csv.partial"), remove("misuse-dead.csv.partial");
    test_free(w);
}

void check_refused(world *w, zn_status status, const char *call, const char *file, int line) {
    int count = zn_error_count(w->context);
    const zn_error *error = count ? zn_error_get(w->context, count - 1) : NULL;
    if (status != ZN_ERROR_ARGUMENT && status != ZN_ERROR_MODEL) {
        print_error("%s:%d: %s: status %d\n", file, line, call, (int)status);
        _fail(file, line);
    }
    if (!error || error->status != status || strlen(error->message) < 15) {
        print_error("%s:%d: %s: no sentence\n", file, line, call);
        _fail(file, line);
    }
    zn_error_clear(w->context);
}

void check_refused_silently(world *w, zn_status status, const char *call, const char *file, int line) {
    if (status != ZN_ERROR_ARGUMENT) {
        print_error("%s:%d: %s: status %d\n", file, line, call, (int)status);
        _fail(file, line);
    }
    zn_error_clear(w->context);
}
