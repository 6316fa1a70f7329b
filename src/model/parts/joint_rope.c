/* SPDX-License-Identifier: Apache-2.0 */
/* Ropes and belts: a line of constant length along a path of points and pulleys, massless and stiff.
 *
 *     span k from place i to place j        d = c_j - c_i,   r = +R where the path turns left around a pulley, -R where right, 0 for a
 * point
 *                                           l = sqrt(d.d - (r_j - r_i)^2),   beta = angle of d - atan2(r_j - r_i, l)
 *     line in it                            S = l + (r_i - r_j) beta                 arcs are differences of beta: r_j (beta_k+1 - beta_k)
 *     at a pulley that grips                S = ... + r_i (beta - phi_i),  ... - r_j (beta - phi_j)    the line is counted from its
 * material
 *
 *     rope   gap = L - sum S >= 0           its force is the tension
 *     belt   g   = L - sum S  = 0
 *
 * In space a pulley lies in the plane x, y of its frame, and the path turns left as seen from the tip of z. Spans that are not in this
 * plane leave the pulley where their projections do, and run straight from there:
 *
 *     l as above,   beta = angle of (x, y) - atan2(r_j - r_i, sqrt(x^2 + y^2 - (r_j - r_i)^2)),   x = d.e_x, y = d.e_y
 *
 * is an angle in the frame of the pulley, that is beta - phi. An arc is the angle from one span to the next; where a line ends at a pulley
 * that grips a mark counts the turns of beta (joint_motion.c). Neighbouring pulleys have parallel axes at the start; should they tilt, each
 * has its own beta.
 *
 * Pulleys that grip cut a line into parts, each with a row of its own. Over one place of a part the rope may rub: A before and B after it,
 * tensions T -+ f for a tension T of gap = L - A - B and a force f on the slip A' - B'. Euler and Eytelwein's law for the angle alpha of
 * the arc
 * (that of the start), T_B <= T_A exp(mu alpha) either way, is
 *
 *     |f| <= tanh(mu alpha/2) T:      Coulomb's law.
 *
 * Other angles beta, and arcs in space, are those of the start plus less than half a turn. */
#include "model/parts/joint.h"

#include <stdio.h>

enum { PLACE_NUMBERS = ROPE_PLACE_NUMBERS, ROPE_MOST = ZN_ROPE_MOST_PLACES };

typedef struct place {
    int body;
    vec3 c;
    mat3 axes;                  /* of its frame; in the plane those of I */
    double r, in, out;          /* angles of the spans before and behind it */
    double phi, friction, wrap; /* wrap: the angle of its arc */
    bool grips;
    double frame[SKETCH_FRAME_PARAMETERS];
} place;

/* ---- expressions ---- */

typedef struct span {
    expr l, beta;
} span;

/* A direction in a plane, of any length. */
typedef struct direction {
    expr c, s;
} direction;

/* (x, y) turned back by atan2(rho, l) */
static direction turn_back(sketch *k, expr x, expr y, expr l, expr rho) {
    return (direction){sketch_add(k, sketch_mul(k, x, l), sketch_mul(k, y, rho)),
                       sketch_sub(k, sketch_mul(k, y, l), sketch_mul(k, x, rho))};
}

static expr root_of_difference(sketch *k, expr square, expr rho) {
    return expr_unary(k->g, EXPR_SQRT, sketch_sub(k, square, sketch_mul(k, rho, rho)));
}

static span express_span(sketch *k, evec d, expr r_i, expr r_j, expr beta_0) {
    expr square = evec_dot(k, d, d);
    double r[2];
    bool straight = expr_is_constant(k->g, r_i, &r[0]) && expr_is_constant(k->g, r_j, &r[1]) && r[0] == 0 && r[1] == 0;
    if (straight) return (span){expr_unary(k->g, EXPR_SQRT, square), sketch_constant(k, 0)};
    expr c = expr_unary(k->g, EXPR_COS, beta_0), s = expr_unary(k->g, EXPR_SIN, beta_0), rho = sketch_sub(k, r_j, r_i);
    expr l = root_of_difference(k, square, rho);
    expr along = sketch_add(k, sketch_mul(k, c, d.x[0]), sketch_mul(k, s, d.x[1]));
    expr across = sketch_sub(k, sketch_mul(k, c, d.x[1]), sketch_mul(k, s, d.x[0]));
    direction e = turn_back(k, along, across, l, rho); /* seen from the direction of the start */
    return (span){l, sketch_add(k, beta_0, expr_binary(k->g, EXPR_ATAN2, e.s, e.c))};
}

int parts_rope_places(const parts_piece *piece) { return piece->n_parameters / PLACE_NUMBERS; }

static const double *numbers_of(const parts_piece *piece, int i) {
    return piece->parameters + (ptrdiff_t)i * PLACE_NUMBERS + SKETCH_FRAME_PARAMETERS;
}

/* `passed`: its rate is that of the line over the place that rubs. */
static void express_rows(sketch *k, const parts_piece *piece, expr sum, expr passed) {
    expr gap = sketch_sub(k, sketch_parameter(k), sum);
    sketch_parameter(k);
    expr slip = sketch_rate(k, passed);
    if (piece->rows.ng) sketch_g(k, gap);
    else sketch_contact(k, gap, piece->rows.nF, &slip);
}

/* The last two parameters are the length and the place that rubs (0: none). Structure is in numbers: each rope is a kind of its own. */
static zn_status express(zn_parts *parts, sketch *k, const parts_piece *piece) {
    (void)parts;
    int n = piece->n_bodies, rubs = (int)piece->parameters[piece->n_parameters - 1];
    expr before = sketch_constant(k, 0), after = before, *sum = &before, r_last = before, beta_0 = before;
    evec last = evec_zero(k);
    for (int i = 0; i < n; i++) {
        const double *number = numbers_of(piece, i);
        sketch_frame f = sketch_next_frame(k, i);
        for (int j = 0; j < 4; j++) sketch_parameter(k);
        expr r = sketch_constant(k, number[0]);
        expr turned = sketch_sub(k, k->body[i].phi, sketch_constant(k, number[3]));
        bool held = number[1] != 0 || (rubs == i && rubs > 0);
        if (i > 0) {
            span s = express_span(k, evec_sub(k, f.p, last), r_last, r, beta_0);
            *sum = sketch_add(k, *sum, sketch_add(k, s.l, sketch_mul(k, sketch_sub(k, r_last, r), s.beta)));
            if (held) *sum = sketch_add(k, *sum, sketch_mul(k, r, turned));
        }
        if (rubs == i && i > 0) sum = &after;
        if (held && i < n - 1) *sum = sketch_sub(k, *sum, sketch_mul(k, r, turned));
        last = f.p, r_last = r, beta_0 = sketch_constant(k, number[2]);
    }
    express_rows(k, piece, sketch_add(k, before, after), sketch_sub(k, before, after));
    return ZN_OK;
}

/* ---- in space ---- */

/* The angle at an end, for its mark. Parameters: its frame and that of the next place, +1 where the line begins (-1: it ends), r_j -
 * r_i. */
static direction express_direction(sketch *k, const sketch_frame *pulley, evec d, expr rho) {
    expr x = evec_dot(k, d, pulley->x), y = evec_dot(k, d, pulley->y);
    expr square = sketch_add(k, sketch_mul(k, x, x), sketch_mul(k, y, y));
    return turn_back(k, x, y, root_of_difference(k, square, rho), rho);
}

static zn_status express_end(zn_parts *parts, sketch *k, const parts_piece *piece) {
    (void)parts, (void)piece;
    sketch_frame a = sketch_next_frame(k, 0), b = sketch_next_frame(k, 1);
    expr sign = sketch_parameter(k);
    direction e = express_direction(k, &a, evec_scale(k, sign, evec_sub(k, b.p, a.p)), sketch_parameter(k));
    sketch_output(k, joint_counted_angle(k, e.c, e.s, &k->body[2]));
    return ZN_OK;
}

static expr express_arc(sketch *k, direction in, direction out, double start) {
    expr c = sketch_constant(k, cos(start)), s = sketch_constant(k, sin(start));
    expr x = sketch_add(k, sketch_mul(k, in.c, out.c), sketch_mul(k, in.s, out.s));
    expr y = sketch_sub(k, sketch_mul(k, in.c, out.s), sketch_mul(k, in.s, out.c));
    expr across = sketch_sub(k, sketch_mul(k, c, y), sketch_mul(k, s, x)), along = sketch_add(k, sketch_mul(k, c, x), sketch_mul(k, s, y));
    return sketch_add(k, sketch_constant(k, start), expr_binary(k->g, EXPR_ATAN2, across, along));
}

/* Marks stand behind the places. */
static zn_status express_in_space(zn_parts *parts, sketch *k, const parts_piece *piece) {
    (void)parts;
    int n = parts_rope_places(piece), mark = n, rubs = (int)piece->parameters[piece->n_parameters - 1];
    sketch_frame f[ROPE_MOST];
    for (int i = 0; i < n; i++) {
        f[i] = sketch_next_frame(k, i);
        for (int j = 0; j < 4; j++) sketch_parameter(k);
    }
    expr zero = sketch_constant(k, 0), before = zero, after = zero, *sum = &before, bend = zero, passed = zero;
    direction in = {zero, zero}, out = in;
    for (int i = 0; i < n; i++) {
        const double *number = numbers_of(piece, i);
        evec d = i < n - 1 ? evec_sub(k, f[i + 1].p, f[i].p) : evec_zero(k);
        double rho_in = i > 0 ? number[0] - numbers_of(piece, i - 1)[0] : 0,
               rho_out = i < n - 1 ? numbers_of(piece, i + 1)[0] - number[0] : 0;
        bool round = number[0] != 0;
        expr r = sketch_constant(k, number[0]);
        if (round && i > 0) in = express_direction(k, &f[i], evec_sub(k, f[i].p, f[i - 1].p), sketch_constant(k, rho_in));
        if (round && i < n - 1) out = express_direction(k, &f[i], d, sketch_constant(k, rho_out));
        if (round && i == 0) *sum = sketch_add(k, *sum, sketch_mul(k, r, joint_counted_angle(k, out.c, out.s, &k->body[mark++])));
        else if (round && i == n - 1) *sum = sketch_sub(k, *sum, sketch_mul(k, r, joint_counted_angle(k, in.c, in.s, &k->body[mark])));
        else if (round && i == rubs) { /* of the angles only rates count */ bend = sketch_mul(k, r, express_arc(k, in, out, number[2]));
            passed =
                sketch_mul(k, r, sketch_add(k, expr_binary(k->g, EXPR_ATAN2, in.s, in.c), expr_binary(k->g, EXPR_ATAN2, out.s, out.c)));
        } else if (round) *sum = sketch_add(k, *sum, sketch_mul(k, r, express_arc(k, in, out, number[2])));
        if (i == rubs && i > 0) sum = &after;
        if (i < n - 1) *sum = sketch_add(k, *sum, root_of_difference(k, evec_dot(k, d, d), sketch_constant(k, rho_out)));
    }
    express_rows(k, piece, sketch_add(k, sketch_add(k, before, after), bend), sketch_sub(k, sketch_sub(k, before, after), passed));
    return ZN_OK;
}

/* ---- the picture ---- */

enum { ARC_POINTS = 5 };

static double radius_of(const parts_piece *piece, int i) { return numbers_of(piece, i)[0]; }

int parts_rope_points(const parts_piece *piece) {
    int count = 0, round = 0, n = parts_rope_places(piece);
    for (int i = 0; i < n; i++) {
        bool arc = radius_of(piece, i) != 0 && i > 0 && i < n - 1;
        count += arc ? ARC_POINTS : 1, round += radius_of(piece, i) != 0;
    }
    return round ? count : 0;
}

bool parts_rope_is_planar(const parts_piece *piece) { return piece->express == express; }

/* c - r n(beta), n to the left of the direction beta */
static void put_point(sketch *k, evec c, expr r, expr beta) {
    expr s = expr_unary(k->g, EXPR_SIN, beta), l = expr_unary(k->g, EXPR_COS, beta);
    sketch_output(k, sketch_add(k, c.x[0], sketch_mul(k, r, s)));
    sketch_output(k, sketch_sub(k, c.x[1], sketch_mul(k, r, l)));
}

zn_status parts_express_rope_points(zn_parts *parts, sketch *k, const parts_piece *piece) {
    (void)parts;
    int n = piece->n_bodies;
    evec c[ROPE_MOST];
    expr r[ROPE_MOST], beta[ROPE_MOST];
    for (int i = 0; i < n; i++) {
        const double *number = numbers_of(piece, i);
        c[i] = sketch_next_frame(k, i).p;
        for (int j = 0; j < 4; j++) sketch_parameter(k);
        r[i] = sketch_constant(k, number[0]), beta[i] = sketch_constant(k, number[2]);
    }
    for (int i = 0; i + 1 < n; i++) beta[i] = express_span(k, evec_sub(k, c[i + 1], c[i]), r[i], r[i + 1], beta[i]).beta;
    for (int i = 0; i < n; i++) {
        bool arc = radius_of(piece, i) != 0 && i > 0 && i < n - 1;
        for (int j = 0; j < (arc ? ARC_POINTS : 1); j++) {
            expr share = sketch_constant(k, (double)j / (ARC_POINTS - 1)), from = beta[i > 0 ? i - 1 : 0];
            put_point(k, c[i], r[i], arc ? sketch_add(k, from, sketch_mul(k, share, sketch_sub(k, beta[i], from))) : from);
        }
    }
    return ZN_OK;
}

/* The same in the plane of a pulley: c + r (sin beta e_x - cos beta e_y) */
static void put_point_on(sketch *k, const sketch_frame *f, expr r, expr beta) {
    expr s = expr_unary(k->g, EXPR_SIN, beta), c = expr_unary(k->g, EXPR_COS, beta);
    evec point = evec_add(k, f->p, evec_scale(k, r, evec_sub(k, evec_scale(k, s, f->x), evec_scale(k, c, f->y))));
    for (int i = 0; i < 3; i++) sketch_output(k, point.x[i]);
}

zn_status parts_express_rope_points_in_space(zn_parts *parts, sketch *k, const parts_piece *piece) {
    (void)parts;
    int n = parts_rope_places(piece);
    sketch_frame f[ROPE_MOST];
    for (int i = 0; i < n; i++) {
        f[i] = sketch_next_frame(k, i);
        for (int j = 0; j < 4; j++) sketch_parameter(k);
    }
    for (int i = 0; i < n; i++) {
        double radius = radius_of(piece, i);
        expr r = sketch_constant(k, radius), from = r, arc = sketch_constant(k, 0);
        direction in = {r, r}, out = in;
        if (i > 0) in = express_direction(k, &f[i], evec_sub(k, f[i].p, f[i - 1].p), sketch_constant(k, radius - radius_of(piece, i - 1)));
        if (i < n - 1)
            out = express_direction(k, &f[i], evec_sub(k, f[i + 1].p, f[i].p), sketch_constant(k, radius_of(piece, i + 1) - radius));
        if (i == 0) in = out;
        if (radius != 0) from = expr_binary(k->g, EXPR_ATAN2, in.s, in.c);
        bool bends = radius != 0 && i > 0 && i < n - 1;
        if (bends) arc = express_arc(k, in, out, numbers_of(piece, i)[2]);
        for (int j = 0; j < (bends ? ARC_POINTS : 1); j++)
            put_point_on(k, &f[i], r, sketch_add(k, from, sketch_mul(k, sketch_constant(k, (double)j / (ARC_POINTS - 1)), arc)));
    }
    return ZN_OK;
}

/* ---- the path at the start ---- */

static const double turn = 6.283185307179586476925287;

static zn_status wrong(zn_parts *parts, const zn_joint_def *def, const char *why) {
    return fail(parts->context, ZN_ERROR_ARGUMENT, "the %s '%s': %s", joint_types[def->type]->what, def->name, why);
}

static zn_status take_place(zn_parts *parts, const zn_joint_def *def, const zn_rope_place *from, bool planar, place *to) {
    const parts_frame *frame = parts_get_frame(parts, from->frame, joint_types[def->type]->what);
    vec3 r;
    mat3 A;
    if (!frame) return ZN_ERROR_ARGUMENT;
    *to = (place){.body = frame->body, .grips = from->grips, .friction = from->friction, .axes = mat3_identity()};
    parts_put_frame(to->frame, frame, planar);
    zn_status status = parts_place_at_start(parts, to->body, &r, &A);
    if (status == ZN_OK) status = parts_angle_at_start(parts, to->body, &to->phi);
    if (status != ZN_OK) return status;
    to->c = vec3_add(r, mat3_apply(&A, frame->position));
    if (!planar) to->axes = mat3_product(&A, parts_frame_axes(frame, planar));
    if (!(from->radius >= 0) || !isfinite(from->radius)) return wrong(parts, def, "the radius of a pulley must not be negative");
    if (!(from->friction >= 0) || !isfinite(from->friction)) return wrong(parts, def, "the friction of a pulley must not be negative");
    if (from->grips && !(from->radius > 0)) return wrong(parts, def, "only pulleys with a radius grip");
    to->r = from->clockwise ? -from->radius : from->radius;
    return ZN_OK;
}

/* Pulleys beside each other are seen from the same side: one whose axis points the other way is turned about x, and the path around it with
 * it. */
static zn_status face(zn_parts *parts, const zn_joint_def *def, const place *p, place *next) {
    if (p->r == 0 || next->r == 0) return ZN_OK;
    vec3 a = mat3_column(&p->axes, 2), b = mat3_column(&next->axes, 2);
    if (vec3_norm(vec3_cross(a, b)) > 1e-6)
        return wrong(parts, def,
                     "neighbouring pulleys must have parallel axes at the start (or put a point between them to guide the line)");
    if (vec3_dot(a, b) > 0) return ZN_OK;
    next->r = -next->r;
    for (int j = 6; j < SKETCH_FRAME_PARAMETERS; j++) next->frame[j] = -next->frame[j];
    for (int i = 0; i < 3; i++) next->axes.m[i][1] = -next->axes.m[i][1], next->axes.m[i][2] = -next->axes.m[i][2];
    return ZN_OK;
}

/* The angle of a span in the plane of a place. false: there is no tangent. */
static bool angle_at(const place *p, vec3 d, double rho, double *beta) {
    double x = vec3_dot(d, mat3_column(&p->axes, 0)), y = vec3_dot(d, mat3_column(&p->axes, 1)), square = x * x + y * y - rho * rho;
    *beta = atan2(y, x) - atan2(rho, sqrt(square > 0 ? square : 0));
    return square > 0;
}

/* Directions of the spans and angles of the arcs. */
static zn_status look(zn_parts *parts, const zn_joint_def *def, bool planar, int n, place *p) {
    for (int i = 0; i + 1 < n; i++) {
        zn_status status = planar ? ZN_OK : face(parts, def, &p[i], &p[i + 1]);
        if (status != ZN_OK) return status;
        vec3 d = vec3_sub(p[i + 1].c, p[i].c);
        double D = vec3_norm(d), rho = p[i + 1].r - p[i].r, beta;
        bool tangent = angle_at(&p[i + 1], d, rho, &p[i + 1].in) || p[i + 1].r == 0;
        tangent = (angle_at(&p[i], d, rho, &beta) || p[i].r == 0) && tangent;
        if (!tangent || !(D > fabs(rho)))
            return wrong(parts, def, "two of its places coincide at the start, or a pulley is inside another");
        if (i == 0) p[i].out = beta;
        else { /* around a pulley: the arc is less than a turn; at a point: the bend */
            double side = p[i].r < 0 ? -1 : 1, arc = fmod(side * (beta - p[i].in), turn), back;
            if (arc < 0) arc += turn;
            if (turn - arc < 1e-9) arc = 0;
            p[i].out = p[i].in + side * arc;
            vec3 e = vec3_sub(p[i].c, p[i - 1].c);
            back = vec3_dot(d, e) / (D * vec3_norm(e));
            p[i].wrap = p[i].r != 0 ? arc : acos(back > 1 ? 1 : back < -1 ? -1 : back);
        }
        if (planar) p[i + 1].in = p[i].out; /* one plane: angles go on */
    }
    return ZN_OK;
}

static double length_at_start(const place *p, int first, int last) {
    double sum = 0;
    for (int i = first; i < last; i++) {
        vec3 d = vec3_sub(p[i + 1].c, p[i].c);
        double rho = p[i + 1].r - p[i].r;
        sum += sqrt(vec3_dot(d, d) - rho * rho) + p[i].r * p[i].out - p[i + 1].r * p[i + 1].in;
    }
    return sum;
}

/* ---- pieces ---- */

typedef struct part {
    const place *places;
    int first, last, rubs; /* rubs: 0, or its number from `first` on */
    double length;
    const char *name;
    bool planar;
} part;

/* The mark that counts the turns of the line at its first place, or at its last; its body, -1 with an error. */
static int add_end(zn_parts *parts, const part *line, bool begins) {
    const place *p = &line->places[begins ? line->first : line->last], *next = begins ? p + 1 : p - 1;
    char *label = mem_format(parts->context, "%s.%s", line->name, begins ? "begin" : "end");
    int mark = label ? parts_add_mark(parts, label, begins ? p->out : p->in) : -1;
    parts_piece shape = {.what = "counter of turns",
                         .name = label,
                         .express = express_end,
                         .n_bodies = 3,
                         .bodies = (int[]){p->body, next->body, mark},
                         .n_parameters = 2 * SKETCH_FRAME_PARAMETERS + 2,
                         .n_outputs = 1,
                         .after_step = parts_count_turns};
    parts_piece *piece = mark < 0 ? NULL : parts_piece_begin(parts, &shape);
    mem_free(parts->context, label);
    if (!piece || !(piece->outputs[0] = mem_format(parts->context, "%s.%s", line->name, begins ? "angle_begin" : "angle_end"))) return -1;
    memcpy(piece->parameters, p->frame, sizeof p->frame);
    memcpy(piece->parameters + SKETCH_FRAME_PARAMETERS, next->frame, sizeof next->frame);
    double *numbers = piece->parameters + (ptrdiff_t)2 * SKETCH_FRAME_PARAMETERS;
    numbers[0] = begins ? 1 : -1, numbers[1] = begins ? next->r - p->r : p->r - next->r;
    return mark;
}

static zn_status add_part(zn_parts *parts, const zn_joint_def *def, const part *line) {
    bool belt = def->type == ZN_JOINT_BELT;
    int n = line->last - line->first + 1, count = n, bodies[ROPE_MOST + 2];
    for (int i = 0; i < n; i++) bodies[i] = line->places[line->first + i].body;
    for (int i = 0; i < 2 && !line->planar; i++)
        if (line->places[i ? line->last : line->first].grips && (bodies[count++] = add_end(parts, line, i == 0)) < 0)
            return parts_last_status(parts);
    const place *rubbing = line->rubs ? &line->places[line->first + line->rubs] : NULL;
    parts_piece shape = {.what = joint_types[def->type]->what,
                         .fault = "(two of its places have come so close that no straight line leads from one to the other: a stop or a "
                                  "contact would keep them apart)",
                         .glyph = GLYPH_LINE,
                         .name = (char *)(uintptr_t)line->name,
                         .express = line->planar ? express : express_in_space,
                         .own_kind = true,
                         .n_bodies = count,
                         .bodies = bodies,
                         .rows = {.ng = belt, .nN = !belt, .nF = rubbing != NULL},
                         .n_parameters = n * PLACE_NUMBERS + 2,
                         .n_contacts = !belt,
                         .n_balls = rubbing != NULL};
    parts_piece *piece = parts_piece_begin(parts, &shape);
    if (!piece) return parts_last_status(parts);
    double *next = piece->parameters;
    for (int i = 0; i < n; i++) {
        const place *p = &line->places[line->first + i];
        memcpy(next, p->frame, sizeof p->frame);
        next += SKETCH_FRAME_PARAMETERS;
        next[0] = p->r, next[1] = p->grips, next[2] = line->planar ? p->out : p->out - p->in, next[3] = p->phi;
        next += 4;
    }
    next[0] = line->length, next[1] = line->rubs;
    if (belt) return ZN_OK;
    piece->contacts[0] = (zn_contact){.row_N = 0, .e_N = def->options ? def->options->restitution : 0, .row_F = 1};
    if (!rubbing) return ZN_OK;
    piece->balls[0] = (zn_ball){1, tanh(rubbing->friction * rubbing->wrap / 2)};
    piece->contacts[0].nF = piece->contacts[0].n_balls = 1;
    piece->contacts[0].balls = piece->balls;
    return ZN_OK;
}

static zn_status check_part(zn_parts *parts, const zn_joint_def *def, part *line) {
    bool free = false;
    for (int i = line->first; i <= line->last; i++) {
        const place *p = &line->places[i];
        free = free || body_is_free(parts->bodies[p->body].kind);
        if (i == line->first || i == line->last || !(p->friction > 0)) continue;
        if (line->rubs) return wrong(parts, def, "friction is possible at one place only, unless a pulley between two such places grips");
        if (def->type == ZN_JOINT_BELT) return wrong(parts, def, "a belt does not rub (a rope does)");
        line->rubs = i - line->first;
    }
    if (!free) return wrong(parts, def, "its bodies have no coordinates");
    return ZN_OK;
}

static zn_status add_parts(zn_parts *parts, const zn_joint_def *def, bool planar, int n, const place *p) {
    int count = 1, number = 0;
    for (int i = 1; i + 1 < n; i++) count += p[i].grips;
    if (def->length != 0 && count > 1)
        return wrong(parts, def, "pulleys that grip divide it into sections, whose lengths are those at the start");
    for (int first = 0, last = 1; last < n; last++) {
        if (last < n - 1 && !p[last].grips) continue;
        part line = {.planar = planar, .places = p, .first = first, .last = last, .length = length_at_start(p, first, last)};
        bool arcs = p[first].grips || p[last].grips; /* its length has no beginning, and so no meaning */
        if (def->length != 0 && (arcs || !(def->length > 0) || !isfinite(def->length)))
            return wrong(parts, def,
                         arcs ? "the length of a line from a pulley that grips is the one at the start and cannot be given"
                              : "its length must be positive");
        if (def->length != 0 && def->length < line.length * (1 - 1e-12) - 1e-12)
            return fail(parts->context, ZN_ERROR_ARGUMENT,
                        "the %s '%s' is too short: its path is %.6g long at the start, but its length is %.6g",
                        joint_types[def->type]->what, def->name, line.length, def->length);
        if (def->length > line.length) line.length = def->length;
        char *name = count == 1 ? mem_text(parts->context, def->name) : mem_format(parts->context, "%s.%d", def->name, ++number);
        line.name = name;
        zn_status status = name ? check_part(parts, def, &line) : ZN_ERROR_MEMORY;
        if (status == ZN_OK) status = add_part(parts, def, &line);
        mem_free(parts->context, name);
        if (status != ZN_OK) return status;
        first = last;
    }
    return ZN_OK;
}

bool parts_is_line(const parts_piece *piece) { return piece->express == express || piece->express == express_in_space; }

zn_status parts_rope(zn_parts *parts, const zn_joint_def *def) {
    const zn_rope_place ends[2] = {{.frame = def->a}, {.frame = def->b}}, *path = def->n_path ? def->path : ends;
    int n = def->n_path ? def->n_path : 2;
    place places[ROPE_MOST];
    bool planar = true;
    const zn_joint_options *o = def->options;
    if (n < 2 || n > ROPE_MOST || !path) return wrong(parts, def, "its path has 2 to 64 places");
    if (o &&
        (o->friction_force != 0 || o->friction != 0 || o->backlash != 0 || o->clutch || isfinite(o->stops[0]) || isfinite(o->stops[1])))
        return wrong(parts, def, "its only joint option is restitution");
    if (o && (!(o->restitution >= 0 && o->restitution <= 1) || (def->type == ZN_JOINT_BELT && o->restitution > 0)))
        return wrong(parts, def, "the restitution of a rope is between 0 and 1, and belts have none");
    for (int i = 0; i < n; i++) {
        const parts_frame *frame = parts_get_frame(parts, path[i].frame, joint_types[def->type]->what);
        if (!frame) return ZN_ERROR_ARGUMENT;
        planar = planar && body_is_planar(parts->bodies[frame->body].kind);
    }
    for (int i = 0; i < n; i++) {
        zn_status status = take_place(parts, def, &path[i], planar, &places[i]);
        if (status != ZN_OK) return status;
        bool end = i == 0 || i == n - 1;
        if (end && places[i].r != 0 && !places[i].grips) return wrong(parts, def, "a pulley at the end of a line must grip it");
        if (end && places[i].friction > 0) return wrong(parts, def, "a pulley with friction cannot be the end of a line");
    }
    zn_status status = look(parts, def, planar, n, places);
    return status == ZN_OK ? add_parts(parts, def, planar, n, places) : status;
}

const joint_type joint_rope = {.what = "rope", .line = true};
const joint_type joint_belt = {.what = "belt", .line = true, .g_plane = 1, .g_space = 1};
