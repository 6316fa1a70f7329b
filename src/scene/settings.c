/* SPDX-License-Identifier: Apache-2.0 */
/* simulation: how to simulate, by the table of settings. */
#include "scheme/settings.h"
#include "scene/scene.h"

static void read_setting(scene_loader *loader, const scene_node *node, const setting *row) {
    zn_settings *settings = loader->settings;
    char why[200];
    double value;
    if (row->kind == SETTING_SCHEME) {
        if (!settings_take_scheme(node->text, settings, why, sizeof why)) scene_error(loader, node, "%s", why);
    } else if (row->words) {
        int word = scene_want_word(loader, node, row->name, row->n_words, row->words);
        if (word >= 0) setting_store(row, settings, word);
    } else if (row->kind == SETTING_STEP && !strcmp(node->text, "auto")) {
        settings->step_auto = true;
    } else if (scene_want_number(loader, node, row->name, row->range, &value)) {
        setting_store(row, settings, value);
    }
}

void scene_read_settings(scene_loader *loader, const scene_node *map) {
    scene_key keys[SETTINGS_MOST] = {0};
    const setting *rows[SETTINGS_MOST];
    const scene_node *nodes[SETTINGS_MOST];
    int n = 0;
    for (int i = 0; i < settings_count; i++) {
        if (settings_rows[i].kind == SETTING_AUTO) continue;
        rows[n] = &settings_rows[i];
        keys[n] = (scene_key){rows[n]->name, SCENE_SCALAR, false, &nodes[n]};
        n++;
    }
    if (!scene_want_map(loader, map, "simulation", n, keys)) return;
    for (int i = 0; i < n; i++)
        if (nodes[i]) read_setting(loader, nodes[i], rows[i]), loader->scheme_named |= rows[i]->kind == SETTING_SCHEME;
}
