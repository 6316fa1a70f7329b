/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of shapes with schemes that hold gaps: nothing overlaps, as an algorithm says that is independent of the library (overlap.h), nor
 * is anything below a plane. Shapes and the names of their poses are taken from the drawing of the model; polygons are cut into triangles
 * here. */
#include "contact_runs.h"
#include "overlap.h"

#include <stdlib.h>

enum { MOST_PIECES = 1200, MOST_NUMBERS = 4000, MOST_BODIES = 700, MOST_NAMES = 9, MOST_OUTPUTS = 2000, NAME = 80 };

/* A convex piece of a shape on a body (0: none), or a half space. */
typedef struct piece {
    grain is;
    place at;
    int body;
    bool plane;
    double reach; /* from its place */
} piece;

typedef struct pictured {
    bool planar;
    int n_bodies, n_pieces;
    char body[MOST_BODIES][NAME];
    int n_names[MOST_BODIES];
    char pose[MOST_BODIES][MOST_NAMES][NAME]; /* columns */
    piece piece[MOST_PIECES];
} pictured;

static const double THICK = 0.2; /* of what is flat */
static const place still = {.A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/* ---- the drawing ---- */

static void copy_text(const char *from, char *to) {
    size_t length = strcspn(from, "\"");
    assert_true(length < NAME);
    memcpy(to, from, length);
    to[length] = 0;
}

/* The value of a key in an item that ends at `end`: NULL: it has none. */
static const char *value_of(const char *item, const char *end, const char *key) {
    char quoted[NAME];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(item, quoted);
    return at && at < end ? at + strlen(quoted) : NULL;
}

static int numbers_of(const char *item, const char *end, const char *key, double *x) {
    const char *at = value_of(item, end, key);
    int n = 0, depth = 0;
    for (; at && at < end; at++) {
        char *after;
        if (*at == '[') depth++;
        else if (*at == ']') depth--;
        else if (*at != ',' && *at != ' ') {
            assert_true(n < MOST_NUMBERS);
            x[n++] = strtod(at, &after);
            assert_true(after > at);
            at = after - 1;
        }
        if (depth == 0) break;
    }
    return n;
}

static int body_named(const pictured *p, const char *name) {
    for (int i = 0; i < p->n_bodies; i++)
        if (!strcmp(p->body[i], name)) return i;
    fail_msg("no body '%s'", name);
    return 0;
}

/* "bodies": {"NAME": {"at": ["...", ...], "angle": "..."}, ...}; number 0 stays for what is fixed. */
static void read_bodies(pictured *p, const char *drawing) {
    const char *at = strstr(drawing, "\"bodies\": {") + strlen("\"bodies\": {"), *end = strstr(drawing, "\"items\":");
    for (p->n_bodies = 1; (at = strchr(at, '"')) && at < end; p->n_bodies++) {
        assert_true(p->n_bodies < MOST_BODIES);
        copy_text(at + 1, p->body[p->n_bodies]);
        const char *object = strchr(at, '{'), *close = strchr(object, '}');
        int n = 0;
        for (at = strchr(object, '"'); at && at < close; at = strchr(strchr(at + 1, '"') + 1, '"')) {
            char word[NAME];
            copy_text(at + 1, word);
            bool key = !strcmp(word, "at") || !strcmp(word, "angle") || !strcmp(word, "rotation") || !strcmp(word, "axes");
            if (!key) strcpy(p->pose[p->n_bodies][n++], word);
        }
        p->n_names[p->n_bodies] = n;
        at = close + 1;
    }
}

static piece *add_piece(pictured *p, int body, grain is, place at) {
    assert_true(p->n_pieces < MOST_PIECES);
    piece *made = &p->piece[p->n_pieces++];
    *made = (piece){.is = is, .at = at, .body = body};
    for (int side = 0; side < 64; side++) { /* as far as from any side, and a little more */
        double z = 1 - (side + 0.5) / 32, turn = 2.4 * side, d[3] = {sqrt(1 - z * z) * cos(turn), sqrt(1 - z * z) * sin(turn), z}, x[3];
        support(&is, d, x);
        made->reach = fmax(made->reach, 1.1 * sqrt(dot(x, x)));
    }
    return made;
}

/* With its own middle as its place, about which it is shrunk. */
static void add_hull(pictured *p, int body, grain g) {
    place at = still;
    for (int i = 0; i < g.n; i++)
        for (int k = 0; k < 3; k++) at.r[k] += g.point[i][k] / g.n;
    for (int i = 0; i < g.n; i++) minus(g.point[i], at.r, g.point[i]);
    add_piece(p, body, g, at);
}

/* Corners in the plane become edges across it. */
static void add_flat(pictured *p, int body, int n, double (*x)[2], double radius) {
    grain g = {.kind = HULL, .n = 2 * n, .radius = radius};
    for (int i = 0; i < 2 * n; i++) g.point[i][0] = x[i / 2][0], g.point[i][1] = x[i / 2][1], g.point[i][2] = (i % 2 - 0.5) * THICK;
    add_hull(p, body, g);
}

static double area(const double *a, const double *b, const double *c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* A polygon, ear by ear. */
static void add_polygon(pictured *p, int body, int n, double (*x)[2], double radius) {
    double sum = 0;
    for (int i = 1; i + 1 < n; i++) sum += area(x[0], x[i], x[i + 1]);
    for (int i = 0; sum < 0 && i < n / 2; i++)
        for (int k = 0; k < 2; k++) {
            double swap = x[i][k];
            x[i][k] = x[n - 1 - i][k], x[n - 1 - i][k] = swap;
        }
    while (n >= 3) {
        int ear = -1;
        for (int k = 0; k < n && ear < 0; k++) {
            const double *a = x[(k + n - 1) % n], *b = x[k], *c = x[(k + 1) % n];
            bool is_ear = area(a, b, c) > 0;
            for (int i = 0; i < n && is_ear; i++)
                is_ear = x[i] == a || x[i] == b || x[i] == c || area(a, b, x[i]) < 0 || area(b, c, x[i]) < 0 || area(c, a, x[i]) < 0;
            if (is_ear) ear = k;
        }
        assert_true(ear >= 0);
        double corners[3][2];
        for (int k = 0; k < 3; k++) memcpy(corners[k], x[(ear + n - 1 + k) % n], sizeof corners[k]);
        add_flat(p, body, 3, corners, radius);
        memmove(x[ear], x[ear + 1], (size_t)(n - 1 - ear) * sizeof *x);
        n--;
    }
}

static void add_item(pictured *p, const char *item, const char *end) {
    static double x[MOST_NUMBERS], triangles[MOST_NUMBERS], flat[MOST_NUMBERS / 2][2];
    char shape[NAME], name[NAME];
    double radius = 0, length = 0, at[3] = {0}, axes[6] = {1, 0, 0, 0, 1, 0}, size[3] = {0};
    const char *body_name = value_of(item, end, "body");
    copy_text(value_of(item, end, "shape") + 1, shape);
    if (!strcmp(shape, "joint") || !strcmp(shape, "spring") || value_of(item, end, "from")) return;
    if (body_name) copy_text(body_name + 1, name);
    int body = body_name ? body_named(p, name) : 0, n;
    numbers_of(item, end, "radius", &radius), numbers_of(item, end, "length", &length), numbers_of(item, end, "at", at);
    numbers_of(item, end, "axes", axes), numbers_of(item, end, "size", size);
    place own = still;
    for (int i = 0; i < 3; i++) own.r[i] = at[i], own.A[i][0] = axes[i], own.A[i][1] = axes[3 + i];
    double z[3];
    cross(axes, axes + 3, z);
    for (int i = 0; i < 3; i++) own.A[i][2] = z[i];
    grain g = {.radius = radius};
    if (!strcmp(shape, "plane") || !strcmp(shape, "line")) {
        add_piece(p, body, g, own)->plane = true;
        for (int i = 0; p->planar && i < 3; i++) p->piece[p->n_pieces - 1].at.A[i][2] = own.A[i][1]; /* its normal */
        return;
    }
    if ((n = numbers_of(item, end, "points", x)) > 0 && p->planar) {
        for (int i = 0; i < n / 2; i++) memcpy(flat[i], x + 2 * i, sizeof flat[i]);
        if (!strcmp(shape, "polygon")) add_polygon(p, body, n / 2, flat, radius);
        for (int i = 0; strcmp(shape, "polygon") != 0 && i + 1 < n / 2; i++) add_flat(p, body, 2, flat + i, radius);
        return;
    }
    if (!strcmp(shape, "mesh")) {
        int count = numbers_of(item, end, "triangles", triangles) / 3;
        for (int t = 0; t < count; t++) {
            grain facet = {.kind = HULL, .n = 3, .radius = radius};
            for (int k = 0; k < 3; k++) memcpy(facet.point[k], x + 3 * (int)triangles[3 * t + k], sizeof facet.point[k]);
            add_hull(p, body, facet);
        }
        return;
    }
    if (!strcmp(shape, "box")) g.kind = radius > 0 ? ROUNDED : BOX, memcpy(g.size, size, sizeof size);
    else if (!strcmp(shape, "sphere")) g.kind = BALL;
    else if (!strcmp(shape, "capsule"))
        g.kind = p->planar ? ROUNDED : CAPSULE, g.size[0] = p->planar ? length : 0, g.size[1] = p->planar ? 0 : length;
    else if (!strcmp(shape, "cylinder") || !strcmp(shape, "disk"))
        g = (grain){.kind = CYLINDER, .size = {radius, length > 0 ? length : THICK}};
    else fail_msg("'%s' is not known here", shape);
    if (p->planar && g.kind != CYLINDER) g.size[2] = THICK;
    add_piece(p, body, g, own);
}

static void read_drawing(pictured *p, const char *drawing) {
    p->n_pieces = 0;
    p->planar = strstr(drawing, "\"space\": 2") != NULL;
    read_bodies(p, drawing);
    const char *item = strstr(drawing, "\"items\": ["), *stop = strstr(item, "\"contacts\": [");
    while ((item = strstr(item, "{\"name\":")) && item < stop) {
        const char *end = strchr(item, '}');
        add_item(p, item, end);
        item = end;
    }
}

/* ---- poses ---- */

static double column(const trial *r, const double *outputs, const char *name) {
    const zn_model *model = zn_scene_model(r->scene);
    for (int i = 0; i < model->size.nq; i++)
        if (!strcmp(model->q_names[i], name)) return zn_simulation_positions(r->simulation)[i];
    for (int i = 0; i < model->n_outputs; i++)
        if (!strcmp(model->output_names[i], name)) return outputs[i];
    fail_msg("no column '%s'", name);
    return NAN;
}

static place pose_of(const pictured *p, const trial *r, const double *outputs, int body) {
    double v[MOST_NAMES];
    int n = p->n_names[body];
    if (body == 0) return still;
    for (int i = 0; i < n; i++) v[i] = column(r, outputs, p->pose[body][i]);
    assert_true(n == 3 || n == 7 || n == 9);
    if (n != 9) return place_of(v, n == 3);
    place at = {.r = {v[0], v[1], v[2]}};
    double z[3];
    cross(v + 3, v + 6, z);
    for (int i = 0; i < 3; i++) at.A[i][0] = v[3 + i], at.A[i][1] = v[6 + i], at.A[i][2] = z[i];
    return at;
}

/* b as seen from the frame in which a is given. */
static place after(const place *a, const place *b) {
    place c = {.r = {a->r[0], a->r[1], a->r[2]}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            c.r[i] += a->A[i][j] * b->r[j];
            for (int k = 0; k < 3; k++) c.A[i][j] += a->A[i][k] * b->A[k][j];
        }
    return c;
}

/* How deep x is below a plane. */
static double below(const place *p, const piece *x, const place *q) {
    double n[3] = {p->A[0][2], p->A[1][2], p->A[2][2]}, lowest[3], d[3];
    support_at(&x->is, q, n, -1, lowest);
    minus(lowest, p->r, d);
    return -dot(n, d);
}

/* Whether two bodies overlap: their names in who. *near: how many pairs were near each other is added to it. */
static bool overlapping(const pictured *p, const trial *r, const char *who[2], long *near) {
    static place at[MOST_PIECES], body[MOST_BODIES];
    static double outputs[MOST_OUTPUTS];
    assert_true(zn_scene_model(r->scene)->n_outputs <= MOST_OUTPUTS);
    assert_int_equal(zn_simulation_outputs(r->simulation, outputs), ZN_OK);
    for (int i = 0; i < p->n_bodies; i++) body[i] = pose_of(p, r, outputs, i);
    for (int i = 0; i < p->n_pieces; i++) at[i] = after(&body[p->piece[i].body], &p->piece[i].at);
    for (int i = 0; i < p->n_pieces; i++)
        for (int j = 0; j < i; j++) {
            const piece *a = &p->piece[i], *b = &p->piece[j];
            double d[3];
            if (a->body == b->body || (a->plane && b->plane)) continue;
            minus(at[i].r, at[j].r, d);
            const bool by_plane = a->plane || b->plane, is_near = by_plane || sqrt(dot(d, d)) < a->reach + b->reach;
            if (near) *near += is_near;
            who[0] = p->body[a->body], who[1] = p->body[b->body];
            if (by_plane && (a->plane ? below(&at[i], b, &at[j]) : below(&at[j], a, &at[i])) > 1e-7) return true;
            if (!by_plane && is_near && overlap(&a->is, &at[i], &b->is, &at[j])) return true;
        }
    return false;
}

/* every: of how many steps one is looked at. */
static void check_scene(const char *scene, const char *scheme, const char *set, double end, int every) {
    static pictured p;
    trial r = trial_begin(scene, (trial_options){.scheme = scheme, .end = end, .set = set});
    read_drawing(&p, zn_scene_model(r.scene)->drawing);
    const char *who[2];
    long near = 0;
    for (long k = 0; !zn_simulation_done(r.simulation); k++) {
        trial_step(&r);
        if (k % every == 0 && overlapping(&p, &r, who, &near))
            fail_msg("%s, %s, t = %g: '%s' and '%s' overlap", scene, scheme, zn_simulation_time(r.simulation), who[0], who[1]);
    }
    assert_true(near > 0);
    trial_end(&r);
}

static void scenes_hold_their_gaps(void **state) {
    (void)state;
    const struct {
        const char *scene, *scheme, *set;
        double end;
        int every;
    } runs[] = {
        {"stairs", "rattle", NULL, 3, 1},         {"stairs", "radau-2a", NULL, 3, 5},         {"pyramid", "rattle", "n=8", 0.3, 1},
        {"domino-wave", "rattle", "n=20", 1, 10}, {"geneva", "rattle", NULL, 3, 5},           {"ratchet", "rattle", NULL, 4, 5},
        {"gears", "rattle", NULL, 0.1, 10},       {"gripper", "rattle", NULL, 2, 5},          {"gripper", "generalized-alpha", NULL, 2, 5},
        {"wall", "rattle", "rows=2", 0.3, 5},     {"funnel", "rattle", NULL, 1.5, 10},        {"funnel", "radau-2a", NULL, 1, 10},
        {"ring-chain", "rattle", NULL, 0.5, 5},   {"ring-chain", "lobatto-3c", NULL, 0.3, 5}, {"spheres", "rattle", NULL, 0.08, 20},
        {"vehicle", "rattle", NULL, 1.5, 10},     {"vehicle", "radau-2a", NULL, 0.6, 10},     {"wall", "radau-2a", "rows=2", 0.15, 5},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        check_scene(runs[i].scene, runs[i].scheme, runs[i].set, runs[i].end, runs[i].every);
}

/* The beginnings of all of them, with all other schemes that hold gaps. */
static void with_every_scheme(void **state) {
    (void)state;
    const char *const schemes[] = {"radau-2a", "lobatto-3c", "lobatto-3a3b", "generalized-alpha"};
    const struct {
        const char *scene, *set;
        double end;
        int every;
    } runs[] = {
        {"stairs", NULL, 2, 2},      {"gripper", NULL, 1, 10},   {"geneva", NULL, 1, 10},     {"ratchet", NULL, 1, 10},
        {"gears", NULL, 0.05, 10},   {"vehicle", NULL, 0.3, 10}, {"funnel", NULL, 0.5, 10},   {"ring-chain", NULL, 0.15, 5},
        {"spheres", NULL, 0.04, 20}, {"pyramid", "n=8", 0.1, 2}, {"wall", "rows=2", 0.02, 5}, {"domino-wave", "n=20", 0.5, 10},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
            check_scene(runs[i].scene, schemes[k], runs[i].set, runs[i].end, runs[i].every);
}

/* The test of the test: a scheme that holds velocities lets a crate sink into the steps by what it moves in a step. */
static void overlaps_are_seen(void **state) {
    (void)state;
    static pictured p;
    trial r = trial_begin("stairs", (trial_options){.scheme = "moreau-midpoint"});
    long seen = 0;
    read_drawing(&p, zn_scene_model(r.scene)->drawing);
    while (!zn_simulation_done(r.simulation)) {
        const char *who[2];
        trial_step(&r);
        seen += overlapping(&p, &r, who, NULL);
    }
    assert_true(zn_simulation_statistics(r.simulation).max_overlap > 1e-3);
    assert_true(seen > 10);
    trial_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(overlaps_are_seen), cmocka_unit_test(scenes_hold_their_gaps),
                                       cmocka_unit_test(with_every_scheme)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
