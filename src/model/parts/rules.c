/* SPDX-License-Identifier: Apache-2.0 */
/* Rules and groups of the builder. */
#include "model/parts/rules.h"

#include "base/nearest.h"
#include "model/parts/flexible.h"

#include <stdio.h>

void parts_free_rules(zn_parts *parts) {
    zn_context *context = parts->context;
    for (size_t i = 0; i < parts->n_groups; i++) {
        mem_free(context, parts->groups[i].name);
        mem_free(context, parts->groups[i].members);
    }
    for (size_t i = 0; i < parts->n_rules; i++) {
        mem_free(context, parts->rules[i].name);
        mem_free(context, parts->rules[i].except);
    }
    mem_free(context, parts->groups);
    mem_free(context, parts->rules);
    mem_free(context, parts->declared);
}

/* ---- names of sets ---- */

static int find_group(const zn_parts *parts, const char *name) {
    for (size_t i = 0; i < parts->n_groups; i++)
        if (!strcmp(parts->groups[i].name, name)) return (int)i;
    return -1;
}

static void suggest(const char *name, const char *other, const char **nearest, int *least) {
    int distance = nearest_distance(name, other);
    if (nearest_is_close(name, distance) && (!*nearest || distance < *least)) *nearest = other, *least = distance;
}

static zn_status no_set(zn_parts *parts, const char *name) {
    const char *nearest = NULL;
    int least = 0;
    for (size_t i = 0; i < parts->n_groups; i++) suggest(name, parts->groups[i].name, &nearest, &least);
    for (size_t i = 0; i < parts->n_bodies; i++) suggest(name, parts->bodies[i].name, &nearest, &least);
    for (size_t i = 0; i < parts->n_geometries; i++) suggest(name, parts->geometries[i].name, &nearest, &least);
    char hint[120] = "";
    if (nearest) snprintf(hint, sizeof hint, " (did you mean '%s'?)", nearest);
    return fail(parts->context, ZN_ERROR_ARGUMENT, "there is no group, body or geometry '%.60s'%s", name, hint);
}

bool parts_is_set(const zn_parts *parts, const char *name) {
    if (!strcmp(name, "all") || find_group(parts, name) >= 0) return true;
    return parts_find_body(parts, name, strlen(name)) >= 0 && parts_find_geometry(parts, name) < 0;
}

/* All, a group, else a body (all of its shapes), else a geometry. */
static zn_status find_set(zn_parts *parts, const char *name, parts_set *set) {
    if (!strcmp(name, "all")) {
        *set = (parts_set){SET_ALL, 0};
        return ZN_OK;
    }
    const struct {
        set_kind kind;
        int index;
    } found[] = {{SET_GROUP, find_group(parts, name)},
                 {SET_BODY, parts_find_body(parts, name, strlen(name))},
                 {SET_GEOMETRY, parts_find_geometry(parts, name)}};
    for (int i = 0; i < 3; i++)
        if (found[i].index >= 0) {
            *set = (parts_set){found[i].kind, found[i].index};
            return ZN_OK;
        }
    return no_set(parts, name);
}

/* ---- groups ---- */

zn_status zn_parts_group(zn_parts *parts, const char *name, int n_members, const char *const *members) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_context *context = parts->context;
    if (!name || !*name) return fail(context, ZN_ERROR_ARGUMENT, "a group needs a name");
    if (n_members < 0 || (n_members > 0 && !members))
        return fail(context, ZN_ERROR_ARGUMENT, "the group '%.60s' has %d members that are not given", name, n_members);
    if (!strcmp(name, "all")) return fail(context, ZN_ERROR_ARGUMENT, "no group can be named 'all', which means every shape");
    if (find_group(parts, name) >= 0) return fail(context, ZN_ERROR_ARGUMENT, "there are two groups named '%.60s'", name);
    parts_set same;
    if (parts_find_body(parts, name, strlen(name)) >= 0 || parts_find_geometry(parts, name) >= 0)
        return fail(context, ZN_ERROR_ARGUMENT, "the name '%.60s' of a group is already taken by a body or geometry", name);
    parts_group group = {.name = mem_text(context, name), .n_members = n_members, .members = MEM_ARRAY(context, parts_set, n_members)};
    zn_status status =
        group.name && group.members && mem_grow(context, (void **)&parts->groups, &parts->group_capacity, parts->n_groups + 1, sizeof group)
            ? ZN_OK
            : ZN_ERROR_MEMORY;
    for (int i = 0; i < n_members && status == ZN_OK; i++) {
        status = members[i] ? find_set(parts, members[i], &same)
                            : fail(context, ZN_ERROR_ARGUMENT, "member %d of the group '%.60s' is NULL", i + 1, name);
        if (status == ZN_OK) group.members[i] = same;
    }
    if (status == ZN_OK) {
        parts->groups[parts->n_groups++] = group;
        return ZN_OK;
    }
    mem_free(context, group.name);
    mem_free(context, group.members);
    return status;
}

/* ---- rules ---- */

zn_collision_def zn_default_collision_def(void) { return (zn_collision_def){0}; }

static bool is_moving_part(const zn_parts *parts, const parts_geometry *g) { return body_is_free(parts->bodies[g->body].kind); }

/* Whether a set has a shape that finds others, and one that moves. */
static void look_into(const zn_parts *parts, parts_set set, int *shapes, int *movable) {
    if (set.kind == SET_GROUP) {
        const parts_group *group = &parts->groups[set.index];
        for (int i = 0; i < group->n_members; i++) look_into(parts, group->members[i], shapes, movable);
        return;
    }
    for (size_t i = 0; i < parts->n_geometries; i++) {
        const parts_geometry *g = &parts->geometries[i];
        if ((set.kind == SET_BODY && g->body != set.index) || (set.kind == SET_GEOMETRY && (int)i != set.index)) continue;
        if (!parts_can_collide(parts, g, true) && !parts_can_collide(parts, g, false)) continue;
        ++*shapes;
        *movable += is_moving_part(parts, g);
    }
}

static zn_status check_sets(zn_parts *parts, const zn_collision_def *def, const parts_rule *rule) {
    int shapes[2] = {0}, movable[2] = {0};
    look_into(parts, rule->a, &shapes[0], &movable[0]);
    look_into(parts, rule->b, &shapes[1], &movable[1]);
    for (int i = 0; i < 2; i++)
        if (!shapes[i])
            return fail(parts->context, ZN_ERROR_MODEL,
                        "the rule '%s': '%s' has no shape that could touch another: give its bodies a 'shape' or a geometry", def->name,
                        i && def->b ? def->b
                        : def->a    ? def->a
                                    : "all");
    if (!movable[0] && !movable[1]) return fail(parts->context, ZN_ERROR_MODEL, "the rule '%s' names no body that can move", def->name);
    return ZN_OK;
}

static zn_status add_rule(zn_parts *parts, parts_rule *rule) {
    zn_context *context = parts->context;
    if (mem_grow(context, (void **)&parts->rules, &parts->rule_capacity, parts->n_rules + 1, sizeof *rule)) {
        parts->rules[parts->n_rules++] = *rule;
        return ZN_OK;
    }
    mem_free(context, rule->name);
    mem_free(context, rule->except);
    return ZN_ERROR_MEMORY;
}

int parts_find_rule(const zn_parts *parts, const char *name) {
    for (size_t i = 0; i < parts->n_rules; i++)
        if (!strcmp(parts->rules[i].name, name)) return (int)i;
    return -1;
}

static zn_status check_name(zn_parts *parts, const char *name) {
    if (parts_find_rule(parts, name) >= 0)
        return fail(parts->context, ZN_ERROR_ARGUMENT, "there are two rules for contacts named '%.60s'", name);
    return ZN_OK;
}

/* What is wrong with a law in the plane and in space is wrong altogether. */
static zn_status check_law(zn_parts *parts, const char *name, const zn_contact_law *law) {
    bool planar = true;
    for (size_t i = 1; i < parts->n_bodies; i++) planar = planar && body_is_planar(parts->bodies[i].kind);
    contact_variant v = {0};
    contact_numbers numbers = {0};
    zn_contact contact;
    zn_ball balls[CONTACT_MOST_BALLS];
    return contact_law_rows(parts->context, name, law, planar, &v, &numbers, &contact, balls);
}

zn_status zn_parts_collide(zn_parts *parts, const zn_collision_def *def) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED_DEF(parts->context, def);
    zn_context *context = parts->context;
    if (!def->name || !*def->name) return fail(context, ZN_ERROR_ARGUMENT, "a rule for contacts needs a name");
    if (def->n_except < 0 || (def->n_except > 0 && !def->except))
        return fail(context, ZN_ERROR_ARGUMENT, "the rule '%.60s' has %d exceptions that are not given", def->name, def->n_except);
    zn_status status = check_name(parts, def->name);
    if (status == ZN_OK && def->law) status = check_law(parts, def->name, def->law);
    parts_rule rule = {.has_law = def->law, .joined = def->joined, .n_except = def->n_except};
    if (status == ZN_OK && def->a) status = find_set(parts, def->a, &rule.a);
    rule.b = rule.a;
    if (status == ZN_OK && def->b) status = find_set(parts, def->b, &rule.b);
    if (status == ZN_OK) status = check_sets(parts, def, &rule);
    if (status != ZN_OK) return status;
    if (def->law) rule.law = *def->law;
    rule.name = mem_text(context, def->name);
    rule.except = mem_array(context, (size_t)def->n_except, sizeof *rule.except);
    if (!rule.name || !rule.except) status = ZN_ERROR_MEMORY;
    for (int i = 0; i < 2 * def->n_except && status == ZN_OK; i++) {
        const char *name = def->except[i / 2][i % 2];
        status = name ? find_set(parts, name, &rule.except[i / 2][i % 2])
                      : fail(context, ZN_ERROR_ARGUMENT, "exception %d of the rule '%.60s' is NULL", i / 2 + 1, def->name);
    }
    if (status == ZN_OK) return add_rule(parts, &rule);
    mem_free(context, rule.name);
    mem_free(context, rule.except);
    return status;
}

zn_status parts_rule_for_pair(zn_parts *parts, const char *name, int a, int b, const zn_contact_law *law) {
    zn_status status = check_name(parts, name);
    if (status == ZN_OK && law) status = check_law(parts, name, law);
    if (status != ZN_OK) return status;
    parts_rule rule = {
        .name = mem_text(parts->context, name), .a = {SET_GEOMETRY, a}, .b = {SET_GEOMETRY, b}, .has_law = law, .joined = true};
    if (law) rule.law = *law;
    return rule.name ? add_rule(parts, &rule) : ZN_ERROR_MEMORY;
}
