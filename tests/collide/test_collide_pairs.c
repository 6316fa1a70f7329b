/* SPDX-License-Identifier: Apache-2.0 */
/* Every pair of classes, at random places a given distance apart: the least gap is the distance found by brute force, its normal and points
 * are the nearest ones, and no candidate is nearer than the shapes are. */
#include "brute.h"

#include <string.h>

static unsigned long long seed = 88172645463325252ULL;
static double uniform(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0;
}
static double between(double a, double b) { return a + (b - a) * uniform(); }
/* One number after the other: compilers take those of a list, or of arguments, in an order of their own. */
static vec3 random_vector(double size, bool flat) {
    double x = between(-size, size), y = between(-size, size), z = flat ? 0 : between(-size, size);
    return (vec3){x, y, z};
}
static vec3 random_unit(void) {
    vec3 a = random_vector(1, false);
    return vec3_norm(a) > 0.1 && vec3_norm(a) < 1 ? vec3_normalised(a) : random_unit();
}
static quat random_turn(bool planar) {
    double angle = between(-4, 4);
    return quat_rotation(planar ? (vec3){0, 0, 1} : random_unit(), angle);
}

static const double tetra[] = {0.3, 0, -0.1, -0.2, 0.3, -0.1, -0.2, -0.3, -0.15, 0.05, 0.02, 0.4, 0.25, 0.2, 0.1};
static const double pentagon[] = {0.4, 0, 0, 0.15, 0.35, 0, -0.3, 0.2, 0, -0.3, -0.25, 0, 0.2, -0.3, 0};
static const int faces_of_tetra[] = {0, 1, 2};
static const double flat_triangle[] = {0.4, 0, 0, -0.3, 0.3, 0, -0.2, -0.4, 0};
static const double heights[] = {0.1, 0.1, 0.1, 0.1};

typedef struct kind {
    const char *name;
    collide_shape shape;
} kind;

#define SHAPE(class_, ...) \
    { .class = class_, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, __VA_ARGS__ }

static const kind spatial[] = {
    {"sphere", SHAPE(COLLIDE_SPHERE, .size = {0.3})},
    {"capsule", SHAPE(COLLIDE_CAPSULE, .size = {0.1, 0.6})},
    {"box", SHAPE(COLLIDE_BOX, .size = {0.4, 0.6, 0.3})},
    {"rounded box", SHAPE(COLLIDE_BOX, .size = {0.4, 0.6, 0.3}, .radius = 0.05)},
    {"polyhedron", SHAPE(COLLIDE_POLYHEDRON, .n_points = 5, .points = tetra)},
    {"rounded polyhedron", SHAPE(COLLIDE_POLYHEDRON, .n_points = 5, .points = tetra, .radius = 0.02)},
    {"plane", SHAPE(COLLIDE_PLANE, .size = {0})},
    {"cylinder", SHAPE(COLLIDE_CYLINDER, .size = {0.2, 0.5})},
    {"cone", SHAPE(COLLIDE_CONE, .size = {0.25, 0.5})},
    {"ellipsoid", SHAPE(COLLIDE_ELLIPSOID, .size = {0.2, 0.3, 0.4})},
    {"rectangle", SHAPE(COLLIDE_RECTANGLE, .size = {0.7, 0.5})},
    {"mesh", SHAPE(COLLIDE_MESH, .n_points = 3, .points = flat_triangle, .n_triangles = 1, .triangles = faces_of_tetra)},
};
static const kind planar[] = {
    {"disk", SHAPE(COLLIDE_SPHERE, .planar = true, .size = {0.3})},
    {"capsule", SHAPE(COLLIDE_CAPSULE, .planar = true, .size = {0.1, 0.6})},
    {"segment", SHAPE(COLLIDE_CAPSULE, .planar = true, .size = {0, 0.6})},
    {"box", SHAPE(COLLIDE_BOX, .planar = true, .size = {0.4, 0.6})},
    {"rounded box", SHAPE(COLLIDE_BOX, .planar = true, .size = {0.4, 0.6}, .radius = 0.05)},
    {"polygon", SHAPE(COLLIDE_POLYHEDRON, .planar = true, .n_points = 5, .points = pentagon)},
    {"ellipse", SHAPE(COLLIDE_ELLIPSOID, .planar = true, .size = {0.2, 0.35})},
    {"line", SHAPE(COLLIDE_PLANE, .planar = true)},
};

/* The first of two shapes is as many times as large; and the unit in which the library gets lengths, in those of brute force. */
static double ratio = 1, unit = 1;

/* Shapes of other proportions and roundings than those of the table. points: room for the new ones. */
static bool varied;
static collide_shape other_proportions(collide_shape s, double *points) {
    double factor[3];
    if (!varied) return s;
    for (int i = 0; i < 3; i++) s.size[i] *= pow(3, between(-1, 1));
    for (int i = 0; i < 3 && s.points; i++) factor[i] = pow(3, between(-1, 1));
    for (int i = 0; i < 3 * s.n_points; i++) points[i] = s.points[i] * factor[i % 3];
    if (s.points) s.points = points;
    bool may_be_rounded =
        s.class == COLLIDE_BOX || s.class == COLLIDE_POLYHEDRON || s.class == COLLIDE_MESH || s.class == COLLIDE_RECTANGLE;
    if (may_be_rounded) s.radius = uniform() < 0.4 ? pow(10, between(-3, -0.5)) : 0;
    if (s.planar && s.class == COLLIDE_CAPSULE && uniform() < 0.2) s.radius = 0;
    return s;
}

/* points: room for the new ones. */
static collide_shape times(collide_shape s, double factor, double *points) {
    for (int i = 0; i < 3; i++) s.size[i] *= factor;
    for (int i = 0; i < 3 * s.n_points; i++) points[i] = factor * s.points[i];
    s.radius *= factor;
    if (s.points) s.points = points;
    return s;
}

static void add_in_units(world *w, collide_shape s, collide_pose p) {
    double points[3 * BRUTE_MOST];
    for (int i = 0; i < 3; i++) p.r[i] *= unit;
    world_add(w, times(s, unit, points), p);
}

/* Back in units of brute force. */
static void find_in_units(world *w, double margin) {
    world_find(w, 0, unit * margin);
    for (size_t i = 0; i < w->list.count; i++) {
        w->list.at[i].gap /= unit;
        for (int k = 0; k < 3; k++) w->list.at[i].point[k] /= unit;
    }
}

static bool one_sided(const collide_shape *s) {
    return s->class == COLLIDE_RECTANGLE || s->class == COLLIDE_MESH || s->class == COLLIDE_HEIGHTS || s->class == COLLIDE_CHAIN;
}

/* How far the vertices of a set reach along n, and how many of them are there. */
static int at_support(const brute *s, vec3 n, double tolerance) {
    double most = -INFINITY;
    int count = 0;
    for (int i = 0; i < s->n; i++) most = larger(most, vec3_dot(n, s->x[i]));
    for (int i = 0; i < s->n; i++) count += vec3_dot(n, s->x[i]) > most - tolerance;
    return count;
}

/* Without radii a gap is one only where a vertex is over a face or edges cross: elsewhere the normal would be undefined at the touch. */
static bool well_defined(const brute *a, const brute *b, const brute_answer *near, bool flat) {
    if (a->kind == BRUTE_PLANE || b->kind == BRUTE_PLANE) return true;
    if (a->radius + b->radius > 0 && a->kind == BRUTE_HULL && b->kind == BRUTE_HULL) return true;
    if (a->kind != BRUTE_HULL || b->kind != BRUTE_HULL) return true;
    vec3 n = vec3_normalised(vec3_sub(near->a, near->b));
    int i = at_support(a, vec3_scale(-1, n), 1e-6), j = at_support(b, n, 1e-6);
    return flat ? i + j == 3 : (i == 1 && j >= 3) || (j == 1 && i >= 3) || (i == 2 && j == 2);
}

/* Moves the second from afar against `way` until it is `gap` away: never farther at once than they are apart, so that they do not
 * overlap. */
static void bring_near(const collide_shape *s, const collide_pose *p, const collide_shape *t, collide_pose *q, vec3 way, double gap) {
    double x = 4 * larger(ratio, 1);
    vec3 start = vec3_from(q->r);
    for (int turn = 0; turn < 3000; turn++) {
        vec3_store(vec3_add_scaled(start, x, way), q->r);
        brute a = brute_of(s, p), b = brute_of(t, q);
        double left = brute_distance(&a, &b).distance - gap;
        if (!(left > 1e-12 * smaller(ratio, 1))) return;
        x -= left;
    }
}

/* ---- the table of the documentation ---- */

enum { PAIRS_OF_FEATURES = 9 };
static const struct {
    feature_kind touching, touched;
    const char *letters;
} listed_as[PAIRS_OF_FEATURES] = {
    {FEATURE_BALL, FEATURE_PLANE, "bp"}, {FEATURE_BALL, FEATURE_SPHERE, "bs"},     {FEATURE_BALL, FEATURE_LINE, "bl"},
    {FEATURE_LINE, FEATURE_LINE, "ll"},  {FEATURE_RING, FEATURE_PLANE, "rp"},      {FEATURE_BALL, FEATURE_RING, "br"},
    {FEATURE_BALL, FEATURE_CONE, "bc"},  {FEATURE_ELLIPSOID, FEATURE_PLANE, "ep"}, {FEATURE_BALL, FEATURE_ELLIPSOID, "be"}};

/* Which pairs of features were nearest in a cell: bits. */
static void note_kind(const collide_candidate *c, unsigned *cell) {
    for (int k = 0; k < PAIRS_OF_FEATURES; k++)
        if (c->of[0].kind == listed_as[k].touching && c->of[1].kind == listed_as[k].touched) {
            *cell |= 1u << k;
            return;
        }
    fail_msg("features %d and %d are not in the table", (int)c->of[0].kind, (int)c->of[1].kind);
}

/* One row: | name | cell | ... up to the diagonal. It must stand in docs/collision.md; ZENO_PRINT prints it. */
static void check_row(const kind *kinds, int i, const unsigned *cells) {
    static char document[100000];
    char row[2000];
    size_t n = (size_t)snprintf(row, sizeof row, "| %s |", kinds[i].name);
    for (int j = 0; j <= i; j++) {
        n += (size_t)snprintf(row + n, sizeof row - n, " ");
        if (cells[j] == 0) n += (size_t)snprintf(row + n, sizeof row - n, "- ");
        for (int k = 0; k < PAIRS_OF_FEATURES; k++)
            if (cells[j] & 1u << k) n += (size_t)snprintf(row + n, sizeof row - n, "%s ", listed_as[k].letters);
        n += (size_t)snprintf(row + n, sizeof row - n, "|");
    }
    if (getenv("ZENO_PRINT")) {
        printf("%s\n", row);
        return;
    }
    FILE *file = fopen(ZENO_SOURCE_DIR "/docs/collision.md", "r");
    assert_non_null(file);
    document[fread(document, 1, sizeof document - 1, file)] = 0;
    fclose(file);
    if (!strstr(document, row)) fail_msg("docs/collision.md has no row %s", row);
}

static int compare_pair(const kind *x, const kind *y, bool flat, int trials, unsigned *cell) {
    /* Gaps are a thousandth of the smaller shape, and known to 1e-5 of that; brute force knows directions to what round-off of coordinates
     * is of the gap. */
    const double small = smaller(ratio, 1), of_gap = 1e-8 * small, of_overlap = of_gap, of_normal = 1e-6 + 4e-13 / (1e-3 * small),
                 of_point = 1e-6;
    int compared = 0, same = 0, other = 0;
    for (int trial = 0; trial < trials; trial++) {
        const unsigned long long begun = seed;
        double room[3][3 * BRUTE_MOST];
        collide_shape s = times(other_proportions(x->shape, room[1]), ratio, room[0]), t = other_proportions(y->shape, room[2]);
        if (s.class == COLLIDE_PLANE && t.class == COLLIDE_PLANE) return 1;
        quat turn = random_turn(flat);
        collide_pose p = pose_at(random_vector(9, flat), turn), q;
        vec3 way = random_unit();
        if (flat) way = vec3_normalised((vec3){way.x, way.y, 0});
        /* the side from which a plane or facet is touched */
        for (int side = 0; side < 2; side++) {
            const collide_shape *g = side ? &t : &s;
            if (!one_sided(g) && g->class != COLLIDE_PLANE) continue;
            vec3 front = vec3_from(p.A + (flat ? 3 : 6));
            if (side == 0) way = vec3_normalised(vec3_add_scaled(front, 0.7, way));
            else {
                collide_shape swap = s;
                s = t;
                t = swap;
                way = vec3_normalised(vec3_add_scaled(front, 0.7, way));
            }
            break;
        }
        q = pose_at(vec3_from(p.r), random_turn(flat));
        double gap = 1e-3 * small, in = 0.1 * gap;
        if (one_sided(&s) && one_sided(&t)) continue;
        bring_near(&s, &p, &t, &q, way, gap);
        brute a = brute_of(&s, &p), b = brute_of(&t, &q);
        brute_answer near = brute_distance(&a, &b);
        if (!(fabs(near.distance - gap) < 0.1 * of_gap) || near.slow) continue;
        gap = near.distance;
        vec3 n = vec3_normalised(vec3_sub(near.b, near.a));
        /* what is behind is not met, nor what passes beside with its middle behind */
        vec3 front = vec3_from(p.A + (flat ? 3 : 6)), middle = {0, 0, 0};
        for (int i = 0; i < b.n; i++) middle = vec3_add_scaled(middle, 1.0 / b.n, vec3_sub(b.x[i], a.x[0]));
        if (one_sided(&s) && (vec3_dot(n, front) < 0.05 || vec3_dot(middle, front) < 0)) continue;

        world w = world_begin();
        add_in_units(&w, s, p);
        add_in_units(&w, t, q);
        find_in_units(&w, 4 * gap);
        double least = INFINITY;
        size_t which = 0;
        for (size_t i = 0; i < w.list.count; i++) {
            if (w.list.at[i].gap < gap - of_gap)
                print_error("touching kind %d feature %d, touched kind %d feature %d of %d candidates\n", w.list.at[i].of[0].kind,
                            w.list.at[i].feature[0], w.list.at[i].of[1].kind, w.list.at[i].feature[1], (int)w.list.count);
            check_close_at(w.list.at[i].gap < gap - of_gap ? w.list.at[i].gap : gap, gap, of_gap, 0, x->name, y->name, trial);
            if (w.list.at[i].gap < least) least = w.list.at[i].gap, which = i;
        }
        if (well_defined(&a, &b, &near, flat)) {
            compared++;
            if (w.list.count == 0) fail_msg("%s, %s, ratio %g, seed %llu: no candidate", x->name, y->name, ratio, begun);
            note_kind(&w.list.at[which], cell);
            check_close_at(least, gap, of_gap, 0, x->name, y->name, trial);
            const collide_candidate *c = &w.list.at[which];
            double sign = c->shape[0] == 1 ? 1 : -1;
            for (int k = 0; k < 3; k++) {
                const double m[3] = {n.x, n.y, n.z};
                check_close_at(sign * c->n[k], m[k], of_normal, 0, x->name, "normal", trial);
            }
            vec3 on_a = vec3_add_scaled(vec3_from(c->point), -sign * c->gap / 2, vec3_from(c->n));
            vec3 on_b = vec3_add_scaled(vec3_from(c->point), sign * c->gap / 2, vec3_from(c->n));
            check_close_at(vec3_norm(vec3_sub(on_a, brute_project(&a, on_a))), a.radius, of_point, 0, x->name, "point", trial);
            check_close_at(vec3_norm(vec3_sub(on_b, brute_project(&b, on_b))), b.radius, of_point, 0, x->name, "point", trial);
        }
        collide_overlap overlap;
        assert_int_equal(collide_check(w.of, w.pose, unit * 1e-9 * small, entries_of(&w.list), NULL, &overlap), ZN_OK);
        check_close_at(overlap.depth, 0, 0, 0, x->name, y->name, trial);
        vec3_store(vec3_scale(unit, vec3_add_scaled(vec3_from(q.r), -(gap + in), n)), w.pose[1].r);
        collide_list missed = {0};
        assert_int_equal(collide_check(w.of, w.pose, unit * 1e-9 * small, NULL, &missed, &overlap), ZN_OK);
        overlap.depth /= unit;
        if (missed.count == 0 && well_defined(&a, &b, &near, flat))
            fail_msg("%s, %s, trial %d: nothing is listed where they overlap", x->name, y->name, trial);
        mem_free(w.context, missed.at);
        /* near a corner another way out may be shorter; mostly it is not */
        if (!(overlap.depth > 0 && overlap.depth <= in + of_overlap))
            check_close_at(overlap.depth, in, of_overlap, 0, x->name, y->name, trial);
        same += fabs(overlap.depth - in) <= of_overlap, other += !(fabs(overlap.depth - in) <= of_overlap);
        world_end(&w);
    }
    if (same < other) fail_msg("%s, %s: the depth is not the way back", x->name, y->name);
    return compared;
}

enum { KINDS_MOST = 16 };

/* cells: which pairs of features were nearest; compared: how many trials were. Both are added to. */
typedef struct found {
    unsigned cells[KINDS_MOST][KINDS_MOST];
    int compared[KINDS_MOST][KINDS_MOST];
} found;

static void table(const kind *kinds, int n, bool flat, int trials, found *f) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) f->compared[i][j] += compare_pair(&kinds[j], &kinds[i], flat, trials, &f->cells[i][j]);
}

static void each_was_compared(const kind *kinds, int n, const found *f) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            if (f->compared[i][j] == 0 && !(one_sided(&kinds[i].shape) && one_sided(&kinds[j].shape)))
                fail_msg("%s, %s: nothing was compared", kinds[i].name, kinds[j].name);
}

/* As many trials as the table of the documentation comes from. */
static void documented(const kind *kinds, int n, bool flat) {
    found f = {0};
    table(kinds, n, flat, 24, &f);
    each_was_compared(kinds, n, &f);
    for (int i = 0; i < n; i++) check_row(kinds, i, f.cells[i]);
}

enum { SPATIAL = sizeof spatial / sizeof *spatial, PLANAR = sizeof planar / sizeof *planar };

static void in_space(void **state) {
    (void)state;
    documented(spatial, SPATIAL, false);
}
static void in_the_plane(void **state) {
    (void)state;
    documented(planar, PLANAR, true);
}

/* A grain on a rock up to ten thousand times as large, or a rock on a grain, in metres or millimetres. */
static void of_all_sizes(void **state) {
    (void)state;
    const double ratios[] = {1e-4, 1e-3, 1e-2, 1e2, 1e3, 1e4};
    found f = {0}, g = {0};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        ratio = ratios[i], unit = i % 2 ? 1e3 : 1;
        table(spatial, SPATIAL, false, 2, &f);
        table(planar, PLANAR, true, 6, &g);
    }
    each_was_compared(spatial, SPATIAL, &f);
    each_was_compared(planar, PLANAR, &g);
    ratio = unit = 1;
}

/* A few of each cell, of other proportions: flat, long, with roundings of all sizes. */
static void of_all_proportions(void **state) {
    (void)state;
    found f = {0}, g = {0};
    varied = true;
    for (int i = 0; i < 3; i++) {
        const double ratios[] = {1, 1e-2, 1e3};
        ratio = ratios[i];
        table(spatial, SPATIAL, false, 2, &f);
        table(planar, PLANAR, true, 6, &g);
    }
    ratio = 1;
    varied = false;
}

static const kind *named(const kind *kinds, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (!strcmp(kinds[i].name, name)) return &kinds[i];
    fail_msg("there is no %s", name);
    return NULL;
}

/* Places, of some hundred thousand, that need care. */
static void at_special_places(void **state) {
    (void)state;
    const struct {
        const char *name[2];
        double ratio;
        bool flat;
        unsigned long long seed;
    } at[] = {
        {{"cone", "ellipsoid"},
         1,
         false,
         3721256990057722078ULL}, /* overlapping, the direction of their middles is far from that of the least depth */
        {{"capsule", "capsule"},
         1e3,
         true,
         650528788387753055ULL}, /* 3e-4 beyond the side of one of a length of 800, and in its direction up to 2e-6 */
        {{"polyhedron", "rounded polyhedron"},
         1e-2,
         false,
         13290111066186670852ULL},                                  /* the lowest corner is none of the face that lies flattest */
        {{"ellipsoid", "mesh"}, 1, false, 5950692615202237867ULL},  /* on an edge, and over the facet beside it up to a tilt of 1e-4 */
        {{"polyhedron", "cone"}, 1, false, 7889614624998757972ULL}, /* an edge over a flat end, tilted by a thousandth */
        {{"cone", "cone"}, 1, false, 13201315425981175482ULL},      /* overlapping, of several ways out each shorter than all beside it, */
        {{"cone", "cone"}, 1, false, 8708151672303843146ULL},       /* the shortest by a factor of 280 and 680, */
        {{"cylinder", "cone"}, 1, false, 7789553831533197028ULL},   /* and 390 */
    };
    const unsigned long long before = seed;
    varied = true;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        const kind *kinds = at[i].flat ? planar : spatial;
        const int n = at[i].flat ? PLANAR : SPATIAL;
        unsigned cell = 0;
        ratio = at[i].ratio, seed = at[i].seed;
        compare_pair(named(kinds, n, at[i].name[0]), named(kinds, n, at[i].name[1]), at[i].flat, 1, &cell);
    }
    ratio = 1, seed = before;
    varied = false;
}

int main(void) {
    (void)heights;
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_the_plane), cmocka_unit_test(in_space), cmocka_unit_test(of_all_sizes),
                                       cmocka_unit_test(of_all_proportions), cmocka_unit_test(at_special_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
