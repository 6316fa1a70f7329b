/* SPDX-License-Identifier: Apache-2.0 */
/* study: what `zeno sweep` varies and keeps by default. Only the form is checked here; src/study interprets the texts. */
#include "scene/scene.h"
#include "scene/study_section.h"

/* "NAME=V1,V2": values as one text or as a list. */
static const char *vary_text(scene_loader *loader, const scene_entry *entry) {
    const scene_node **items;
    const char *name = entry->key->text;
    int count = scene_want_scalars(loader, entry->value, scene_format(loader, "'%s' of vary", name), &items);
    size_t length = strlen(name) + 2;
    for (int i = 0; i < count; i++) length += strlen(items[i]->text) + 1;
    char *text = SCENE_NEW(loader->arena, char, length);
    if (!text) return "";
    strcpy(text, name);
    for (int i = 0; i < count; i++) strcat(strcat(text, i ? "," : "="), items[i]->text);
    return text;
}

static void read_vary(scene_loader *loader, const scene_node *map, scene_study *study) {
    const char **vary = SCENE_NEW(loader->arena, const char *, map->count);
    if (!vary) return;
    for (const scene_entry *entry = map->first; entry; entry = entry->next) vary[study->n_vary++] = vary_text(loader, entry);
    study->vary = vary;
}

static void read_keep(scene_loader *loader, const scene_node *node, scene_study *study) {
    const scene_node **items;
    int count = scene_want_scalars(loader, node, "keep", &items);
    const char **keep = SCENE_NEW(loader->arena, const char *, count);
    if (!keep) return;
    for (int i = 0; i < count; i++) keep[i] = items[i]->text;
    study->keep = keep;
    study->n_keep = count;
}

void scene_read_study(scene_loader *loader, const scene_node *map, struct scene_study *study) {
    const scene_node *vary, *keep, *samples, *sampling, *seed, *from, *zip;
    const scene_key keys[] = {{"vary", SCENE_MAP, true, &vary},           {"keep", SCENE_SCALAR | SCENE_LIST, true, &keep},
                              {"samples", SCENE_SCALAR, false, &samples}, {"sampling", SCENE_SCALAR, false, &sampling},
                              {"seed", SCENE_SCALAR, false, &seed},       {"from", SCENE_SCALAR, false, &from},
                              {"zip", SCENE_SCALAR, false, &zip}};
    static const char *const flags[] = {"false", "true"};
    *study = (scene_study){0};
    if (!scene_want_map(loader, map, "study", sizeof keys / sizeof *keys, keys)) return;
    if (vary) read_vary(loader, vary, study);
    if (keep) read_keep(loader, keep, study);
    study->samples = samples ? samples->text : NULL;
    study->sampling = sampling ? sampling->text : NULL;
    study->seed = seed ? seed->text : NULL;
    study->from = from ? from->text : NULL;
    study->zip = zip && scene_want_word(loader, zip, "zip", 2, flags) == 1;
}
