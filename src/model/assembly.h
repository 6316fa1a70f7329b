/* SPDX-License-Identifier: Apache-2.0 */
/* A model made of parts. Each part is itself a model: it answers the questions on its own few coordinates, and the assembly
 * adds its answers to the whole at places that are computed once.
 *
 *   bodies own coordinates and velocities: they say what q' is, and have mass
 *   joints, forces and contacts act on coordinates of bodies: they add rows and forces, and no kinematics
 *
 * Rows of lambda in the whole: all g rows in the order of parts, then all y rows, all N rows, all F rows. */
#ifndef MODEL_ASSEMBLY_H
#define MODEL_ASSEMBLY_H

#include "linalg/linalg.h"
#include "model/model.h"

typedef struct assembly assembly;

assembly *assembly_create(zn_context *);
void assembly_destroy(assembly *);

/* Coordinates and velocities of the whole; names are copied. Return the index, or -1 (out of memory). */
int assembly_coordinate(assembly *, const char *name, double start);
int assembly_velocity(assembly *, const char *name, double start);
/* Velocity `index` belongs to the same vector as the one before it. */
void assembly_same_vector(assembly *, int index);

/* Adds a part. q and u give the places of its coordinates and velocities in the whole; `kinematics`: it owns them and gives
 * their q'. The assembly takes over the model (it is destroyed with the whole; also when adding fails). Names of its
 * constraints and contacts are those of the whole. */
zn_status assembly_part(assembly *, zn_model *part, const int *q, const int *u, bool kinematics);

/* A part in words, and the likely reason where its rows are not finite (or NULL). */
typedef struct assembly_words {
    const char *what, *fault;
} assembly_words;

/* Describes the part that was added last: name, words (not copied), the flexible body that it belongs to (or NULL), names of the bodies
 * that it acts on (or NULL). */
zn_status assembly_describe(assembly *, const char *name, assembly_words, const char *group, const char *const bodies[2]);

/* Computes patterns and places. The assembly may be destroyed afterwards. */
zn_status assembly_finish(assembly *, zn_model **model);

/* Values that change between steps, which its parts may read; shared with other models. */
struct machine_plan;
void assembly_set_machine(zn_model *, struct machine_plan *);

/* A part that is added to a finished model, on coordinates and velocities of the whole: without bilateral rows, mass, and forces other than
 * those of its multipliers. */
typedef struct assembly_extra {
    zn_model *model;
    int *q, *u;
} assembly_extra;
/* The parts of `model` (an assembly), then the extras, whose contacts come behind the others. All arguments remain the caller's and must
 * outlive the result. *extended: NULL, or an earlier result for the same model, which becomes the new one in the memory that it has. On
 * failure it may only be destroyed (model_free) or extended again. */
zn_status assembly_extend(zn_context *, const zn_model *model, int count, const assembly_extra *, zn_model **extended);

/* Lets the threads of the context share the parts of large kinds; the answers do not depend on the number of threads. To be called before
 * work space is allocated. */
void assembly_share(zn_model *extended, int threads);

/* Replaces the parameters of the extras of `extended` by those of other extras (which remain the caller's) of the same kinds on the same
 * coordinates, one by one. False: the kinds differ, and nothing has changed. */
bool assembly_renumber(zn_model *extended, int count, const assembly_extra *others);

/* Per entry of r_q: whether only contacts have it, so that it comes from their multipliers. False: not an assembly, nothing is written. */
bool assembly_entries_of_contacts(const zn_model *, unsigned char *only);

#endif
