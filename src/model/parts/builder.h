/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the builder of models from parts.
 *
 * Everything but bodies and frames is a *piece*: a function that sketches it, the bodies it acts on, values of its parameters, names.
 * Building expresses the kind of each piece once for all pieces with the same `express`, variant and kinds of bodies, and
 * makes an instance of it. New kinds of pieces only need to fill one: see parts_piece_begin. */
#ifndef MODEL_PARTS_BUILDER_H
#define MODEL_PARTS_BUILDER_H

#include "base/names.h"
#include "linalg/geometry.h"
#include "model/machine.h"
#include "model/parts/sketch.h"
#include "zeno/flexible.h"
#include "zeno/parts.h"

typedef struct parts_piece parts_piece;

/* Draws rows, forces and energies into a sketch that has the bodies of the piece in their order. ZN_OK, or an error in the
 * context (formulas). A sketch that is kept for other pieces (own_kind false) must only look at `variant` and the sketch. */
typedef zn_status parts_express(zn_parts *, sketch *, const parts_piece *);

/* The picture of a piece (view/picture.c). All but contacts have frames a and b first among their parameters. */
typedef enum piece_glyph { GLYPH_NONE, GLYPH_JOINT, GLYPH_ROD, GLYPH_SPRING, GLYPH_ROLLING, GLYPH_CONTACT, GLYPH_LINE } piece_glyph;

struct parts_piece {
    const char *what;  /* "revolute joint": not copied */
    const char *fault; /* the likely reason where its rows are not finite, or NULL: not copied */
    piece_glyph glyph;
    char *name;
    parts_express *express;
    int variant;           /* what the sketch depends on beside the kinds of its bodies */
    bool own_kind;         /* it has formulas: a kind of its own */
    int n_bodies, *bodies; /* indices of bodies */
    zn_sizes rows;         /* ng, ny, nN, nF */
    int n_parameters;
    double *parameters; /* in the order in which the sketch takes them */
    int n_contacts;
    zn_contact *contacts; /* rows as in the piece; a name that is NULL becomes that of the piece */
    int n_balls, n_scales;
    zn_ball *balls; /* memory for what the contacts point to */
    double *scales;
    int n_formulas;
    formula_text *formulas;  /* for the sketch */
    zn_formula_model *texts; /* of a piece by formulas, else NULL */
    bool whole;              /* the texts of a model from formulas alone, which are not its own */
    int n_outputs;
    char **outputs;                                            /* their names in results, each from mem_text, as many as the sketch has */
    void (*after_step)(const zn_model *, double t, double *q); /* of its model; NULL: nothing to do */
    char *contact_name;                                        /* of its contact; NULL: that of the piece */
    int mark;                                                  /* joints: 0, or the body that counts its turns (joint_motion.c) */
    double turned;                                             /* joints: added to the angle at the start, whole turns */
    const formula_text *condition;                             /* acts only while it holds; NULL: always. While building: of the machine */
    int gravity;       /* 0, or 1 + the first of three parameters that become gravity when building */
    const char *group; /* the flexible body that it is an element of, else NULL: not copied */
};

typedef struct parts_motion {
    formula_text position[3], angle;
    vec3 axis;
} parts_motion;

typedef struct parts_body {
    char *name;
    body_kind kind;
    vec3 r, v, Omega; /* at the start */
    quat p;
    double angle, angle_rate;
    double mass, inertia[6];
    double start, velocity;    /* scalars */
    formula_text rate;         /* of states and kinematic coordinates */
    parts_motion *motion;      /* of moving bodies */
    int frame;                 /* the frame K */
    bool own_picture;          /* the view has its picture: none is made automatically */
    int q, u;                  /* first coordinate and velocity in the whole, while building */
    bool is_node;              /* its mass comes from elements */
    const char *group;         /* the flexible body of a node or section, else NULL: not copied */
    int n_carriers, *carriers; /* sections: the nodes that they follow */
    int n_numbers;             /* parameters of sections and line bodies */
    double *numbers;
} parts_body;

typedef struct parts_flexible parts_flexible; /* see flexible.h */

typedef struct parts_frame {
    char *name; /* NULL: unnamed */
    int body;
    vec3 position; /* in K */
    mat3 rotation; /* from the frame to K */
    int flexible;  /* 0, or 1 + the flexible body that it is a frame of: "beam.end" */
    /* Made along an axis. Which of its own axes that is depends on the user of the frame, as the world (and a body that moves in
     * the plane) also carries bodies in space: x where all bodies are planar, else z. No rotation in the plane: zeros. */
    bool along_axis;
    mat3 in_plane, in_space;
} parts_frame;

typedef struct parts_parameter {
    char *name;
    double value;
} parts_parameter;

typedef struct parts_kind {
    parts_express *express;
    int variant, n_layout, *layout;
    zn_model *model;
} parts_kind;

typedef struct parts_geometry parts_geometry; /* see contact_builder.h */
typedef struct parts_material_pair parts_material_pair;
typedef struct parts_group parts_group; /* see rules.h */
typedef struct parts_rule parts_rule;

struct zn_parts {
    HANDLE_HEAD;
    unsigned number; /* among the builders of the context: part of the stamps of its handles */
    vec3 gravity;
    parts_body *bodies; /* the first is the world */
    parts_frame *frames;
    parts_piece *pieces;
    parts_parameter *parameters;
    parts_kind *kinds;
    size_t n_bodies, body_capacity, n_frames, frame_capacity, n_pieces, piece_capacity;
    size_t n_parameters, parameter_capacity, n_kinds, kind_capacity;
    parts_geometry *geometries;
    parts_material_pair *material_pairs;
    size_t n_geometries, geometry_capacity, n_material_pairs, material_pair_capacity;
    parts_group *groups;
    parts_rule *rules;
    int (*declared)[2]; /* geometries whose contact is declared: rules leave them out */
    size_t n_groups, group_capacity, n_rules, rule_capacity, n_declared, declared_capacity;
    parts_flexible *flexibles;
    size_t n_flexibles, flexible_capacity;
    expr_graph *numbers;                             /* for formulas that must be constant */
    name_table body_names, piece_names, frame_names; /* frames: of a body, or (negative) of a flexible body */
    name_table geometry_names;
    bool in_output;                    /* its formula may read accelerations and forces */
    bool in_force;                     /* the formula of a force is read for an output */
    zn_machine *machine;               /* NULL: none was asked for */
    bool has_view, contacts_have_view; /* see view/picture.h */
    char *view_items, *view_members;
    zn_formula_model *alone; /* NULL; of a builder for formulas alone all texts, those of its one piece */
};

/* ---- handles ---- */

unsigned parts_stamp(const zn_parts *, char kind); /* 'b' body, 'f' frame, 'g' geometry */
/* The body or frame of a handle, NULL with an error. `what` names the use: "joint 'pin'". */
parts_body *parts_get_body(zn_parts *, zn_body, const char *what);
parts_frame *parts_get_frame(zn_parts *, zn_frame, const char *what);
/* By name; -1 when there is none. The name ends after `length` bytes. */
int parts_find_body(const zn_parts *, const char *name, size_t length);
/* The error that there is none. */
zn_status parts_no_body(zn_parts *, const char *name, size_t length);
/* " (did you mean 'crank'?)" or "". */
const char *parts_body_hint(const zn_parts *, const char *name, char *text, size_t room);

/* ---- bodies ---- */

/* Adds a body. Takes over its name, motion, carriers and numbers, also when it fails. */
zn_status parts_add_body(zn_parts *, parts_body *, zn_body *handle);
/* A name that bodies, coordinates, flexible bodies and parameters have not taken. */
zn_status parts_check_name(zn_parts *, const char *name, const char *what);
/* A state of a controller. */
zn_status parts_add_state(zn_parts *, const char *name, double start, zn_formula rate);
void parts_free_body(zn_context *, parts_body *);

/* ---- pieces ---- */

/* A new piece with copies of name and bodies and room for what `shape` says (n_parameters, n_contacts, n_balls, n_scales,
 * n_formulas, n_outputs); the caller fills it before the next piece begins. NULL: error in the context. Names of pieces are unique. */
parts_piece *parts_piece_begin(zn_parts *, const parts_piece *shape);
/* Removes all pieces but the first `count`. */
void parts_drop_pieces(zn_parts *, size_t count);
/* The status of the newest error, after a function that returned NULL. */
zn_status parts_last_status(const zn_parts *);
zn_status parts_keep_formula(zn_parts *, formula_text *to, zn_formula from);
/* Whether frames (b may be NULL) are used in the plane: all of their bodies are planar. */
bool parts_frames_are_planar(const zn_parts *, const parts_frame *a, const parts_frame *b);
/* Its axes there; zeros where it has none. */
const mat3 *parts_frame_axes(const parts_frame *, bool planar);
/* An error where a frame has no axes in the plane. `what` and `name` are those of its user. */
zn_status parts_check_axes(zn_parts *, const parts_frame *a, const parts_frame *b, const char *what, const char *name);
/* A frame along an axis that is given, as the position, in K by 2 or 3 coordinates. */
zn_status parts_frame_along(zn_parts *, zn_body, const char *name, const double position[3], const double axis[3], int coordinates,
                            zn_frame *frame);
/* Writes position and rotation of a frame: SKETCH_FRAME_PARAMETERS numbers, as sketch_next_frame takes them. */
double *parts_put_frame(double *parameters, const parts_frame *, bool planar);
/* Position and rotation of a body and of a frame in I at the start. Moving bodies: at t = 0. */
zn_status parts_place_at_start(zn_parts *, int body, vec3 *r, mat3 *A);
/* The angle of a body in the plane at the start, with its turns. */
zn_status parts_angle_at_start(zn_parts *, int body, double *phi);

/* ---- contacts ---- */

/* The shape that a body's mass came from is also a geometry, named like the body, unless another one is. */
zn_status parts_geometry_of_shape(zn_parts *, int body, const zn_shape_def *);
int parts_find_geometry(const zn_parts *, const char *name); /* -1: none */
void parts_free_contacts(zn_parts *);
void parts_free_rules(zn_parts *);

/* ---- formulas ---- */

/* A builder for formulas alone (formula_alone.c): one piece, the whole model. NULL: memory is out. */
zn_parts *parts_create_alone(zn_context *);
/* What a formula may define, in the same words for formulas alone and beside bodies. */
zn_status parts_say(zn_parts *, text_kind, const formula_said *);

/* Names of all parameters, t, and coordinates and velocities of the sketch's bodies; `locals` come first. Free the names. */
zn_status parts_scope(zn_parts *, sketch *, const parts_piece *, int n_locals, const expr_name *locals, expr_scope *scope);
void parts_scope_free(zn_parts *, expr_scope *);
/* Adds the bodies that formulas name to a list that begins with `n` given ones. The list is the caller's to free. */
zn_status parts_bodies_of(zn_parts *, int n_formulas, const zn_formula *formulas, int n, const int *given, int *count, int **bodies);
/* Expression of a formula of t and parameters only; with a piece: of what its formulas may use. */
zn_status parts_formula_of_time(zn_parts *, sketch *, const parts_piece *, const formula_text *, expr *out);

/* Pieces for what the machine asks for. */
zn_status parts_add_probes(zn_parts *);

/* ---- building ---- */

/* What a piece acts on: the bodies whose coordinates it needs (holders, each once), its layout (see sketch_begin_on; pieces
 * with the same may share their kind), and the numbers of its bodies. */
typedef struct parts_stand {
    int n_holders, *holders; /* indices of bodies */
    int n_layout, *layout;
    int n_numbers;
    double *numbers;
} parts_stand;
zn_status parts_stand_make(zn_parts *, int n_bodies, const int *bodies, parts_stand *);
void parts_stand_free(zn_context *, parts_stand *);

parts_express parts_express_body, parts_express_joint, parts_express_formulas;
/* What a contact shows: its point, normal and (in space) first tangent. */
parts_express parts_express_contact_place;
/* The model of the pieces, without the view, which view/build.c adds. */
zn_status parts_build(zn_parts *, zn_model **model);
/* The rates of states and kinematic coordinates, passed to a sketch. */
parts_express parts_express_rates;
/* The kind of a piece, expressed and compiled. */
zn_status parts_express_kind(zn_parts *, const parts_piece *, const int *layout, zn_model **kind);
/* A builder that has the bodies (with their places in the model) and parameters of another one, and can express kinds after that is
 * destroyed. NULL: out of memory. */
zn_parts *parts_keep(const zn_parts *);
void parts_free(zn_parts *);

/* Names of coordinate i and velocity i of a body, "crank.phi", written into text. */
const char *parts_q_name(const parts_body *, int i, char *text, size_t room);
const char *parts_u_name(const parts_body *, int i, char *text, size_t room);

#endif
