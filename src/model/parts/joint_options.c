/* SPDX-License-Identifier: Apache-2.0 */
/* Options of joints, each a contact on the joint's own motion: s its angle or displacement, s' its rate (joint_motion.c).
 *
 *     stop       gap  = +-(s - limit) >= 0                   with restitution; a play of j has limits -j/2 and j/2
 *     play       gap  = j/2 +- (s - f(t)) >= 0             of a drive, instead of its row
 *     gear       gap  = j/2 +- (theta_a + i theta_b) >= 0   angles from the start about the axes z, which keep their direction in space
 *     clutch     gap  = +-(s - m) >= 0,  m the mark          m is the farthest s so far: after each step m = s where the gap is open, so
 * that the
 *                                                            free direction stays free and the other one begins where the joint is
 *     friction   slip = s',  |force| <= a given force        by a coefficient: |force| <= mu (preload + what the joint carries), a row of
 * the joint's own
 *                                                            piece (joints.c), because its reservoir are multipliers there (scheme/loads.h)
 *
 * Parameters of their pieces: both frames, offset of the angle, sign, limit. */
#include "model/machine.h"
#include "model/parts/joint.h"

#include <stdio.h>

typedef enum option_kind { STOP, CLUTCH, FRICTION, PLAY } option_kind;
enum { OPTION_KIND = 3, OPTION_TURNS = 4, OPTION_NUMBERS = 3 };

zn_joint_options zn_default_joint_options(void) { return (zn_joint_options){.stops = {-INFINITY, INFINITY}}; }

/* ---- expressions ---- */

static zn_status express(zn_parts *parts, sketch *k, const parts_piece *piece) {
    sketch_frame a = sketch_next_frame(k, 0), b = sketch_next_frame(k, 1);
    expr offset = sketch_parameter(k), sign = sketch_parameter(k), limit = sketch_parameter(k);
    bool planar = body_is_planar(k->body[0].kind) && body_is_planar(k->body[1].kind);
    option_kind kind = (option_kind)(piece->variant & OPTION_KIND);
    joint_motion s =
        piece->variant & OPTION_TURNS ? joint_angle(k, &a, &b, offset, planar ? NULL : &k->body[2]) : joint_displacement(k, &a, &b, planar);
    if (kind == PLAY) { /* limit is half of it */
        expr drive;
        zn_status status = parts_formula_of_time(parts, k, piece, &piece->formulas[0], &drive);
        if (status != ZN_OK) return status;
        drive = machine_functions(k->s.machine, k->g, k->s.input, drive);
        sketch_contact(k, sketch_add(k, limit, sketch_mul(k, sign, sketch_sub(k, s.value, drive))), 0, NULL);
        return ZN_OK;
    }
    if (kind == CLUTCH) limit = k->body[k->n_bodies - 1].phi;
    if (kind == FRICTION) sketch_slip(k, s.rate);
    else sketch_gap(k, sketch_mul(k, sign, sketch_sub(k, s.value, limit)), sketch_mul(k, sign, sketch_rate(k, s.value)));
    return ZN_OK;
}

/* The mark of a clutch, the last coordinate of its part, goes along in the free direction. */
static void follow(const zn_model *model, double t, double *q) {
    double registers[JOINT_MOST_REGISTERS], rest[JOINT_MOST_REGISTERS], gap, sign;
    if (model->size.nu > JOINT_MOST_REGISTERS) return;
    memset(rest, 0, (size_t)model->size.nu * sizeof *rest);
    zn_point at = {.t = t, .q = q, .u = rest};
    if (model->constraints(model, registers, &at, &(zn_constraints){.c0 = &gap}) || !(gap > 0)) return;
    double before = q[model->size.nq - 1];
    q[model->size.nq - 1] = before + 1; /* gap = sign (s - m): the sign is minus its derivative */
    double moved;
    if (model->constraints(model, registers, &at, &(zn_constraints){.c0 = &moved})) moved = gap;
    sign = moved < gap ? 1 : -1;
    q[model->size.nq - 1] = before + sign * gap;
}

/* ---- pieces ---- */

typedef struct option_shape {
    option_kind kind;
    const char *end, *what; /* NAME.end */
    double sign, limit;
    zn_formula drive; /* of a play */
    zn_contact contact;
} option_shape;

static zn_status add(zn_parts *parts, int joint, const option_shape *o) {
    bool turns = parts_joint_turns(parts, joint);
    int bodies[4], count = parts_joint_bodies(parts, joint, turns, bodies);
    double offset = 0;
    zn_status status = count < 0 ? parts_last_status(parts) : turns ? parts_joint_offset(parts, joint, &offset) : ZN_OK;
    if (status != ZN_OK) return status;
    char *name = mem_format(parts->context, "%s.%s", parts->pieces[joint].name, o->end);
    if (!name) return ZN_ERROR_MEMORY;
    if (o->kind == CLUTCH && (bodies[count++] = parts_add_mark(parts, name, o->limit)) < 0) status = ZN_ERROR_MEMORY;
    bool rubs = o->kind == FRICTION;
    parts_piece shape = {.what = o->what,
                         .name = name,
                         .express = express,
                         .variant = (int)o->kind | (turns ? OPTION_TURNS : 0),
                         .n_bodies = count,
                         .bodies = bodies,
                         .rows = {.nN = !rubs, .nF = rubs},
                         .n_parameters = 2 * SKETCH_FRAME_PARAMETERS + OPTION_NUMBERS,
                         .n_contacts = 1,
                         .n_balls = rubs,
                         .own_kind = o->kind == PLAY,
                         .n_formulas = o->kind == PLAY,
                         .after_step = o->kind == CLUTCH ? follow : NULL};
    parts_piece *piece = status == ZN_OK ? parts_piece_begin(parts, &shape) : NULL;
    mem_free(parts->context, name);
    if (!piece) return status == ZN_OK ? parts_last_status(parts) : status;
    double *next = piece->parameters + 2 * SKETCH_FRAME_PARAMETERS;
    memcpy(piece->parameters, parts->pieces[joint].parameters, 2 * SKETCH_FRAME_PARAMETERS * sizeof *next);
    next[0] = offset, next[1] = o->sign, next[2] = o->limit;
    if (rubs) piece->balls[0] = (zn_ball){1, 1};
    piece->contacts[0] = o->contact;
    piece->contacts[0].balls = piece->balls;
    return o->kind == PLAY ? parts_keep_formula(parts, &piece->formulas[0], o->drive) : ZN_OK;
}

static const char *const ends[2] = {"lower", "upper"};

static zn_status add_play(zn_parts *parts, int joint, const zn_joint_def *def) {
    zn_status status = ZN_OK;
    for (int i = 0; i < 2 && status == ZN_OK; i++) {
        option_shape side = {.kind = PLAY, .end = ends[i], .what = "backlash", .sign = i ? -1 : 1, .limit = def->options->backlash / 2};
        side.drive = def->drive;
        side.contact = (zn_contact){.row_N = 0, .e_N = def->options->restitution};
        status = add(parts, joint, &side);
    }
    return status;
}

/* A turn more or less where that brings the angle of the start between the stops. */
static zn_status choose_turn(zn_parts *parts, int joint, const double stops[2], double *start) {
    bool turns = parts_joint_turns(parts, joint);
    zn_status status = parts_joint_start(parts, joint, turns, start);
    if (status != ZN_OK || !turns) return status;
    const double turn = 2 * acos(-1.0);
    double below = ceil((stops[0] - *start) / turn), above = floor((stops[1] - *start) / turn), turned = 0;
    if (*start < stops[0] && *start + below * turn <= stops[1]) turned = below * turn;
    if (*start > stops[1] && *start + above * turn >= stops[0]) turned = above * turn;
    parts->pieces[joint].turned = turned;
    *start += turned;
    return ZN_OK;
}

/* Starts may miss a stop by round-off. */
static const double touching = 1e-9;

static zn_status add_stops(zn_parts *parts, int joint, const zn_joint_def *def, const double stops[2]) {
    double start;
    zn_status status = choose_turn(parts, joint, stops, &start);
    if (status != ZN_OK) return status;
    if (start < stops[0] - touching || start > stops[1] + touching)
        return fail(parts->context, ZN_ERROR_MODEL, "the %s '%s' starts at %g, which is not between its stops %g and %g",
                    joint_types[def->type]->what, def->name, start, stops[0], stops[1]);
    for (int i = 0; i < 2 && status == ZN_OK; i++) {
        option_shape stop = {.kind = STOP, .end = ends[i], .what = "stop", .sign = i ? -1 : 1, .limit = stops[i]};
        bool held = def->options->clutch == (i ? ZN_CLUTCH_FORWARD : ZN_CLUTCH_BACKWARD); /* by the clutch: it cannot rebound */
        stop.contact = (zn_contact){.row_N = 0, .e_N = held ? 0 : def->options->restitution};
        if (isfinite(stops[i])) status = add(parts, joint, &stop);
    }
    return status;
}

static zn_status add_clutch(zn_parts *parts, int joint, const zn_joint_options *o) {
    option_shape clutch = {.kind = CLUTCH, .end = "clutch", .what = "clutch", .sign = o->clutch == ZN_CLUTCH_FORWARD ? 1 : -1};
    clutch.contact = (zn_contact){.row_N = 0};
    zn_status status = parts_joint_start(parts, joint, parts_joint_turns(parts, joint), &clutch.limit);
    return status == ZN_OK ? add(parts, joint, &clutch) : status;
}

zn_status parts_joint_options(zn_parts *parts, int joint, const zn_joint_def *def) {
    const zn_joint_options *o = def->options;
    if (!o) return ZN_OK;
    if (def->type == ZN_JOINT_GEAR) return o->backlash > 0 ? parts_loose_gear(parts, joint, def) : ZN_OK;
    if (joint_types[def->type]->has_drive) return o->backlash > 0 ? add_play(parts, joint, def) : ZN_OK;
    zn_status status = ZN_OK;
    const double play[2] = {-o->backlash / 2, o->backlash / 2};
    if (o->backlash > 0) status = add_stops(parts, joint, def, play);
    else if (isfinite(o->stops[0]) || isfinite(o->stops[1])) status = add_stops(parts, joint, def, o->stops);
    if (status == ZN_OK && o->clutch) status = add_clutch(parts, joint, o);
    if (status == ZN_OK && o->friction_force > 0) {
        option_shape friction = {.kind = FRICTION, .end = "friction", .what = "joint friction"};
        friction.contact = (zn_contact){.row_N = -1, .normal_force = o->friction_force, .nF = 1, .n_balls = 1};
        status = add(parts, joint, &friction);
    }
    return status;
}

/* ---- what is wrong with them ---- */

zn_status parts_check_options(zn_parts *parts, const joint_type *type, const zn_joint_def *def) {
    const zn_joint_options *o = def->options;
    zn_context *context = parts->context;
    if (!o) return ZN_OK;
    bool stops = o->stops[0] != -INFINITY || o->stops[1] != INFINITY;
    const char *why = NULL;
    bool loose = def->type == ZN_JOINT_GEAR || def->type == ZN_JOINT_ANGLE_DRIVE || def->type == ZN_JOINT_POSITION_DRIVE;
    if (loose && (stops || o->clutch || o->friction_force != 0 || o->friction != 0)) why = "its only joint option is backlash";
    else if (!loose && def->type != ZN_JOINT_REVOLUTE && def->type != ZN_JOINT_PRISMATIC)
        why = "stops, backlash, clutches and friction are options of revolute and prismatic joints, backlash also of gears and drives";
    else if (!(o->stops[0] < o->stops[1])) why = "the lower stop must be below the upper one";
    else if (!(o->backlash >= 0) || !isfinite(o->backlash)) why = "the backlash must not be negative";
    else if (o->backlash > 0 && stops) why = "backlash is a pair of stops: give one of the two";
    else if (!(o->restitution >= 0 && o->restitution <= 1)) why = "the restitution is between 0 and 1";
    else if ((int)o->clutch < ZN_CLUTCH_NONE || o->clutch > ZN_CLUTCH_BACKWARD) why = "unknown kind of clutch";
    else if (o->friction_force > 0 && o->friction > 0) why = "give either its friction torque (or force) or a coefficient, not both";
    else if (!(o->friction >= 0) || !isfinite(o->friction)) why = "the coefficient of friction must not be negative";
    else if (!(o->preload >= 0) || !isfinite(o->preload)) why = "the preload must not be negative";
    else if (o->friction_length != 0 &&
             !(o->friction > 0 && def->type == ZN_JOINT_PRISMATIC && o->friction_length > 0 && isfinite(o->friction_length)))
        why = "the length of a sleeve must be positive, and is for a coefficient of friction in a prismatic joint";
    else if (o->friction > 0 && def->type == ZN_JOINT_REVOLUTE && !(o->friction_radius > 0 && isfinite(o->friction_radius)))
        why = "a coefficient of friction needs the radius of the bearing";
    else if (!(o->friction_force >= 0) || !isfinite(o->friction_force)) why = "the torque or force of friction must not be negative";
    return why ? fail(context, ZN_ERROR_ARGUMENT, "the %s '%s': %s", type->what, def->name, why) : ZN_OK;
}
