/* SPDX-License-Identifier: Apache-2.0 */
/* The section `view`: read before the model is built (its formulas become outputs), finished with the model. */
#ifndef SCENE_VIEW_H
#define SCENE_VIEW_H

#include "base/buffer.h"
#include "linalg/geometry.h"
#include "model/model.h"
#include "scene/scene.h"

enum { VIEW_MOST_CONTACTS = 100, VIEW_CURVE_POINTS = 241, VIEW_SURFACE_LINES = 49 };

typedef struct view_contact {
    const char *name;
    char *place; /* JSON members at, normal, tangent */
} view_contact;

typedef struct scene_view {
    scene_loader *loader;
    text_buffer text; /* what is being written */
    char *items, *members;
    int n_items, n_contacts;
    view_contact contacts[VIEW_MOST_CONTACTS];
    bool given, spatial;
} scene_view;

/* `contacts`: the section of the scene, for their names. Free afterwards, whatever happened. */
void scene_read_view(scene_view *, scene_loader *, const scene_node *view, const scene_node *contacts);
/* Passes it to the builder of parts before building; a scene from formulas gets it after building. */
zn_status scene_view_parts(scene_view *);
zn_status scene_view_formulas(scene_view *, zn_model *);
void scene_free_view(scene_view *);

/* ---- within view*.c ---- */

/* ", "member": [...]" of formulas; outputs are named view.ITEM.PREFIXx ... */
void view_put_values(scene_view *, const char *member, const scene_node *, const char *item, const char *prefix, int least, int most);
/* Samples of a curve of one parameter, of a surface of two. */
void view_put_curve(scene_view *, const scene_node *of, const scene_node *range, const char *item);
void view_put_surface(scene_view *, const scene_node *of, const scene_node *range, const char *item);
/* contacts, trail, follow, speed, plots. */
void view_read_setting(scene_view *, const scene_node *view, const scene_entry *, const scene_node *contacts);

#endif
