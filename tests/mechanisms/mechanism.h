/* SPDX-License-Identifier: Apache-2.0 */
/* Random mechanisms as texts of scenes: the number of a mechanism is its seed, so that each can be made again.
 *
 *   planar or spatial; a chain of rods on a pin: open, closed to a loop, on a slider, or three parallel cranks; in space also in a plane
 *   of any direction with parallel axes (then each loop has three redundant rows), or with joints of mixed types;
 *   redundant joints on purpose: a joint twice, or a distance that a rod keeps anyway; drives on velocity and position level;
 *   springs of stiffness 1 to 10^6 N/m, with and without damping; stops: a floor or wall with restitution and friction. */
#ifndef TESTS_MECHANISMS_MECHANISM_H
#define TESTS_MECHANISMS_MECHANISM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MECHANISM_MOST_TEXT = 16384 };

typedef struct mechanism {
    char text[MECHANISM_MOST_TEXT]; /* the scene without `simulation` */
    bool moving;                    /* bodies turn at the start, and project_start makes their velocities fit the joints */
    bool spatial, closed, redundant, driven, has_stop, has_friction;
    int n_rods, n_springs;
    double stiffest; /* N/m; 0: no spring */
    double size;     /* m: sum of the lengths of its rods */
} mechanism;

/* Makes mechanism `number` (from 1). */
void mechanism_make(uint64_t number, mechanism *);

#endif
