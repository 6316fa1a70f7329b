/* SPDX-License-Identifier: Apache-2.0 */
/* From a YAML text to a model and settings, in three layers:
 *
 *   document.c, file.c            bytes -> a tree of nodes that know their line and column
 *   include.c, reuse.c            files that are included; repeat and use, as if written by hand
 *   want.c, formula.c             "expected a map with these keys", "expected a constant", else an error
 *   vectors.c                     lists of numbers, rotations
 *   parameters.c, coordinates.c, dynamics.c, contacts.c, settings.c   one section of a scene each
 *   bodies.c, flexible.c, joints.c, part_*.c                                      the same for models from parts
 *
 * scene.c calls them in order. Errors do not stop the reading: wrong values are replaced by harmless ones, so that
 * one run finds all independent mistakes. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "base/base.h"
#include "base/range.h"
#include "expr/expr.h"
#include "model/parts/builder.h"
#include "zeno/scene.h"

/* ---- memory: everything of a scene lives in its arena and is freed with it ---- */

typedef struct scene_block scene_block;
/* files.c: a file beside the scene, by the name that the scene has for it. bytes NULL: not read, or too large to be kept. */
typedef struct scene_file {
    const char *name, *path, *bytes;
    size_t length;
    bool given; /* in the scene itself: nothing is read from the folder */
    struct scene_file *next;
} scene_file;
typedef struct scene_arena {
    zn_context *context;
    scene_block *blocks;
    scene_file *files; /* in the order in which they were named */
    uint64_t read;     /* a hash of the bytes of all files that were read into it */
} scene_arena;

void *scene_alloc(scene_arena *, size_t count, size_t size);      /* zeroed; NULL: out of memory (in the context) */
char *scene_copy(scene_arena *, const char *text, size_t length); /* ends with 0 */
void scene_arena_free(scene_arena *);
#define SCENE_NEW(arena, type, count) ((type *)scene_alloc(arena, (size_t)(count), sizeof(type)))

/* write.c: a self-contained text; freed by mem_free. NULL: no memory. */
typedef struct scene_run {
    const scene_file *files;
    const zn_scene_options *options;
    const zn_settings *settings;
    const zn_simulation *simulation; /* has the values of inputs; NULL: not available */
    const zn_model *started;         /* the model whose starts differ from the scene's text; NULL: none differ */
} scene_run;
struct scene_node;
char *scene_write(zn_context *, const struct scene_node *root, const scene_run *);

/* places.c */
int scene_source_of(const zn_scene *, const struct scene_node *root, const zn_scene_options *, const char *name);

/* ---- the document ---- */

/* Bits, so that a set of allowed kinds is their sum. SCENE_NULL: an empty value, or `~`. */
typedef enum scene_kind { SCENE_SCALAR = 1, SCENE_LIST = 2, SCENE_MAP = 4, SCENE_NULL = 8 } scene_kind;

typedef struct scene_node scene_node;
typedef struct scene_entry scene_entry;

struct scene_entry {
    const scene_node *key; /* a scalar; NULL in lists */
    const scene_node *value;
    scene_entry *next;
};

struct scene_node {
    scene_kind kind;
    int line, column; /* from 1; of the first character inside the quotes */
    const char *file;
    const char *used;   /* of a copy by reuse.c: where it was asked for, "scene.yaml:12 (i = 3): "; else NULL */
    const char *text;   /* scalars: their value */
    const char *source; /* scalars: as written when that has the same characters except for white space, else `text`;
                              * formulas use it, because its lines and columns are those of the file */
    scene_entry *first;
    int count;
};

enum {
    SCENE_MAX_BYTES = 4 << 20,  /* of a scene file; the longest scene by hand has a few thousand */
    SCENE_MAX_DEPTH = 16,       /* of nested maps and lists; the format needs 5 */
    SCENE_MAX_ENTRIES = 200000, /* of one list */
    SCENE_MAX_NAMES = 2600000,  /* of one map: `starts` of a result has 13 for each spatial body, of which `repeat` makes 200000 at most */
    SCENE_MAX_ALIASES = 1000,   /* a small file with many aliases stands for a huge one */
    SCENE_MAX_COORDINATES = 2000,    /* also of velocities: the mass matrix of formulas is a full one */
    SCENE_MAX_VECTOR = 16,           /* numbers of a list that has a meaning for each */
    SCENE_MAX_KEPT = 1 << 20,        /* of a file that the text of a run takes along */
    SCENE_MAX_MESH_BYTES = 64 << 20, /* of a file with a mesh: a million triangles as binary STL */
    SCENE_MAX_ERRORS = 40            /* reported for one scene */
};

/* The bytes of a file in the arena, a zero behind them. NULL with a reason, or an empty one when memory is out. `what`: "scene", "mesh". */
enum { SCENE_WHY = 160 };
char *scene_read_bytes(scene_arena *, const char *path, const char *what, size_t limit, size_t *length, char why[SCENE_WHY]);
/* The path that a text names: in the folder of the file that it stands in, unless it begins at the root. NULL: out of memory. */
const char *scene_path_beside(scene_arena *, const scene_node *);
/* files.c: a name for a path, before it is read; false: no memory. The bytes that the scene contains for a path (NULL: none), in the arena.
 * The bytes that were read are kept. */
bool scene_file_name(scene_arena *, const char *name, const char *path);
char *scene_file_given(scene_arena *, const char *path, size_t *length);
void scene_file_keep(scene_arena *, const char *path, const char *bytes, size_t length);
/* The bytes as a text, in base64 where `coded`; freed by mem_free. */
char *scene_file_text(zn_context *, const scene_file *, bool *coded);
/* The text of a file in the arena, or NULL with an error. */
char *scene_read_file(scene_arena *, const char *path);
/* Files that the scene includes become part of its tree. */
zn_status scene_include(scene_arena *, const char *file, const scene_node **root);
/* The tree of the one document of a text. */
zn_status scene_read_document(scene_arena *, const char *file, const char *text, const scene_node **root);

/* ---- loading ---- */

typedef struct scene_name {
    const char *name;
    const char *what; /* "parameter", "coordinate", "velocity" */
    const scene_node *node;
} scene_name;

typedef struct scene_loader {
    zn_context *context;
    scene_arena *arena;
    const char *file;
    int errors_before;     /* errors in the context that are not ours */
    bool parameters_read;  /* before the sections: reuse.c needs their values */
    bool names_incomplete; /* names are missing: formulas are not checked, they would only repeat the mistake */
    bool alone;            /* formulas alone, no bodies */
    bool first_order;      /* formulas alone, with velocities and a mass of their own */
    zn_parts *parts;       /* the builder; NULL until the sections are known */
    expr_graph *graph;     /* for constants; the builder has its own */
    scene_name *names;     /* every name of formulas, in order of declaration */
    size_t n_names, name_capacity;
    expr_name *values; /* the parameters' values */
    int n_values;
    struct scene_parameter *parameters; /* parameters.c: all of them, for the builder */
    int n_parameters;
    const scene_node *coordinates, *velocities; /* the maps, for order and hints; velocities NULL: natural */
    zn_settings *settings;
    bool scheme_named; /* in `simulation` */
} scene_loader;

/* Whether a scene has repeat, use or templates; and the scene without them, as if it were written by hand. NULL: errors. The parameters are
 * read before. */
bool scene_reuses(const scene_node *root);
const scene_node *scene_reuse(scene_loader *, const scene_node *root);

/* The file of a node as errors name it, and its place. */
const char *scene_file_of(const scene_loader *, const scene_node *);
error_place scene_place_of(const scene_loader *, const scene_node *);

bool scene_has_errors(const scene_loader *);
/* Enough errors were reported, or memory is out. */
bool scene_gave_up(const scene_loader *);
void scene_error(scene_loader *, const scene_node *, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A key that a map may have. `value` becomes the key's value, or NULL when it is missing, of a kind that is not in `kinds`
 * (an error) or null where SCENE_NULL is in `kinds`. */
typedef struct scene_key {
    const char *name;
    int kinds;
    bool required;
    const scene_node **value;
} scene_key;

/* `what` names the map in errors: "contact 'floor'". false: not a map. */
bool scene_want_map(scene_loader *, const scene_node *, const char *what, int n_keys, const scene_key *keys);
bool scene_want_kind(scene_loader *, const scene_node *, int kinds, const char *what);
/* One of the words; -1 with an error. */
int scene_want_word(scene_loader *, const scene_node *, const char *what, int n_words, const char *const *words);
const scene_node *scene_find(const scene_node *map, const char *key);
/* " (did you mean 'x'?)" or "", from the keys of a map. */
const char *scene_hint(scene_loader *, const char *name, const scene_node *map);
/* A scalar or a list of scalars as an array of nodes in the arena; the number, 0 on error. */
int scene_want_scalars(scene_loader *, const scene_node *, const char *what, const scene_node ***items);
char *scene_format(scene_loader *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Names. Declaring checks that the name is one and is not taken. */
void scene_declare(scene_loader *, const char *what, const scene_node *key);
const scene_name *scene_known_name(const scene_loader *, const char *name, size_t length);

/* Names of constraints and contacts stand in results, not in formulas: letters, digits, _ - . */
bool scene_want_label(scene_loader *, const char *what, const scene_node *key);

/* Formulas. NULL nodes give the empty formula. */
zn_formula scene_formula(const scene_loader *, const scene_node *);
/* The next name in a text: its first character, and its length with primes; NULL at the end. */
const char *scene_next_name(const char *text, size_t *length);
/* The place of a character of the formula's text. */
error_place scene_place_in(zn_formula, const char *at);
/* Whether it uses only parameters. */
bool scene_is_constant(const scene_loader *, zn_formula);
/* Its value, which must be finite; false with an error. */
bool scene_evaluate(scene_loader *, zn_formula, const char *what, double *value);

typedef number_range scene_range;
extern const scene_range scene_any_number, scene_not_negative, scene_positive, scene_zero_to_one;

/* The value of a constant in a range; false with an error. */
bool scene_want_number(scene_loader *, const scene_node *, const char *what, scene_range, double *value);
bool scene_want_integer(scene_loader *, const scene_node *, const char *what, int low, int *value);
/* The same, as a formula for the builder: what is wrong is replaced by the text `instead`. */
zn_formula scene_constant(scene_loader *, const scene_node *, const char *what, scene_range, const char *instead);

/* ---- parts ---- */

/* true for ZN_OK; else the newest error gets the place of the node, where it has none. */
bool scene_placed(scene_loader *, zn_status, const scene_node *);
/* A list of scalars, of numbers: how many, 0 with an error. */
int scene_want_list(scene_loader *, const scene_node *, const char *what, int least, int most, const scene_node **items);
int scene_want_vector(scene_loader *, const scene_node *, const char *what, int least, int most, double *values);
/* A quaternion as a list, or {axis, angle}. */
bool scene_want_rotation(scene_loader *, const scene_node *, const char *what, double *quaternion);
/* A place without an axis: the axes are those of the first body, and the second one counts from where it stands at the start. */
void scene_align_second(scene_loader *, zn_frame first, zn_frame second);
/* The two frames of "between: [crank.tip, rod]"; `at` and `axis` (NULL: not given) are in I at the start. */
bool scene_want_frames(scene_loader *, const scene_node *between, const scene_node *at, const scene_node *axis, const char *what,
                       zn_frame *a, zn_frame *b);
/* The name of an entry of a map or list; NULL with an error. */
const char *scene_entry_name(scene_loader *, const scene_entry *, const char *prefix, int number);

/* A surface of triangles: points counted from 0. */
typedef struct scene_mesh {
    int n_points, n_triangles;
    double (*points)[3];
    int (*triangles)[3];
} scene_mesh;
/* From an STL or OBJ file beside the scene; false with an error in the file's or the node's place. */
bool scene_read_mesh(scene_loader *, const scene_node *file, double scale, scene_mesh *);
/* Lists of points, each with `least` to 3 numbers, and of triangles, which count points from 1. */
double (*scene_read_points(scene_loader *, const scene_node *, const char *what, int least, int *count))[3];
int (*scene_read_triangles(scene_loader *, const scene_node *, const char *what, int n_points, int *count))[3];

void scene_read_gravity(scene_loader *, const scene_node *);
void scene_read_bodies(scene_loader *, const scene_node *);
/* A body whose type is that of a flexible one; a frame in one of its cross sections. */
bool scene_is_flexible(const scene_node *body);
void scene_read_flexible(scene_loader *, const scene_entry *);
void scene_read_section(scene_loader *, zn_flexible, const char *name, const scene_node *key, const scene_node *);
void scene_read_frames(scene_loader *, const scene_node *);
void scene_read_joints(scene_loader *, const scene_node *);
void scene_read_part_forces(scene_loader *, const scene_node *);
/* `body`: the section is part of it, and its names are BODY.NAME; NULL: a section of the scene. */
void scene_read_geometry(scene_loader *, const char *body, const scene_node *);
void scene_read_materials(scene_loader *, const scene_node *);
void scene_read_groups(scene_loader *, const scene_node *);
/* A contact between shapes, not by formulas. */
bool scene_is_pair(const scene_node *contact);
void scene_read_pair(scene_loader *, const scene_entry *);
/* Bodies that overlap at the start are errors. */
void scene_check_gaps(scene_loader *, const scene_node *contacts, const zn_model *);
/* Joints that do not close at the start are errors; with `project`: those that cannot be closed. */
void scene_check_joints(scene_loader *, const scene_node *joints, const zn_model *, bool project);

/* ---- sections ---- */

void scene_read_parameters(scene_loader *, const scene_node *, const zn_scene_options *);
/* Passes them to the builder. */
void scene_add_parameters(scene_loader *);
void scene_read_coordinates(scene_loader *, const scene_node *);
/* machine.c: what changes between steps. */
void scene_read_sampled(scene_loader *, const scene_node *);
void scene_read_modes(scene_loader *, const scene_node *);
void scene_read_events(scene_loader *, const scene_node *);
/* Entries of a section with a key `if`, which is taken out of them. */
void scene_read_conditions(scene_loader *, const scene_node *section);
void scene_read_states(scene_loader *, const scene_node *);
void scene_read_tables(scene_loader *, const scene_node *);
void scene_read_files(scene_loader *, const scene_node *);
/* Two columns of a file of comma-separated values, the first one ascending; names that are NULL: "t", "time" or the first one. `asked`:
 * where the file was asked for. The number of rows, 0 with an error. */
int scene_read_csv(scene_loader *, const char *path, error_place asked, const char *const columns[2], double *values[2]);
void scene_read_inputs(scene_loader *, const scene_node *);
void scene_read_velocities(scene_loader *, const scene_node *);
void scene_read_energy(scene_loader *, const scene_node *);
/* `section`: "forces" or "force"; `owners`: the map whose keys may have one. */
void scene_read_forces(scene_loader *, const scene_node *, const char *section, const scene_node *owners);
void scene_read_kinematics(scene_loader *, const scene_node *);
void scene_read_mass(scene_loader *, const scene_node *);
void scene_read_constraints(scene_loader *, const scene_node *);
void scene_read_contacts(scene_loader *, const scene_node *);
/* The set of friction forces of a contact that has `n_friction` coefficients; both nodes may be NULL. */
zn_reservoir scene_read_reservoir(scene_loader *, const scene_node *, const scene_node *radius, const char *what, int n_friction);
/* Formulas that results keep. */
void scene_read_outputs(scene_loader *, const scene_node *);
void scene_read_settings(scene_loader *, const scene_node *);
struct scene_study;
void scene_read_study(scene_loader *, const scene_node *, struct scene_study *);

#endif
