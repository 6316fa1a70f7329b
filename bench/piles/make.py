#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scenes of many contacts, to standard output:

    make.py pile N [h] [steps]       spheres that fall into an open box and find each other
    make.py cube                     6 x 6 x 6 spheres without friction on a plane
    make.py block SIDE               SIDE x SIDE x SIDE spheres that touch each other and a box: 3 SIDE^3 + 2 SIDE^2 contacts, one step
    make.py spheres N [h] [steps]    the pile with declared near contacts
    make.py boxes N                  separate boxes on a floor
    make.py dominoes N               a row in the plane
    make.py wall N                   a wall of about N bricks in the plane
    make.py pyramid ROWS             boxes in the plane, ROWS at the bottom, one at the top
"""
import math
import random
import sys


def head(dim, step, end, extra=""):
    gravity = "[0, -9.81]" if dim == 2 else "[0, 0, -9.81]"
    return [f"gravity: {gravity}", f"simulation: {{scheme: moreau-midpoint, step: {step}, end: {end}{extra}}}"]


RADIUS = 0.1


def lattice(n):
    """Layers of a square lattice with jitter, each above the gaps of the one below, so that they settle into each other soon; and half the width
    of the box around them."""
    rng = random.Random(1)
    pitch, jitter = 0.21, 0.004
    side = max(2, round((n / 1.4) ** (1 / 3)))
    centres = []
    while len(centres) < n:
        layer, place = divmod(len(centres), side * side)
        shift = (layer % 2) * pitch / 2 - pitch / 4
        centres.append((-side * pitch / 2 + pitch * (place % side + 0.5) + shift + jitter * rng.random(),
                        -side * pitch / 2 + pitch * (place // side + 0.5) + shift + jitter * rng.random(),
                        0.101 + layer * 0.152))
    return centres, side * pitch / 2 + pitch / 4 + 0.01


def box_of_spheres(centres, wall, step, steps, mass=1, law="friction: 0.5", sides=True, radius=RADIUS):
    out = head(3, step, step * steps)
    out.append("bodies:")
    for i, c in enumerate(centres):
        out.append(f"  b{i}: {{type: spatial, shape: {{type: sphere, radius: {radius!r}}}, mass: {mass}, "
                   f"position: [{c[0]!r}, {c[1]!r}, {c[2]!r}]}}")
    out += ["geometry:", "  floor: {type: plane, normal: [0, 0, 1]}"]
    for name, normal, at in (("left", "[1, 0, 0]", f"[{-wall}, 0, 0]"), ("right", "[-1, 0, 0]", f"[{wall}, 0, 0]"),
                             ("front", "[0, 1, 0]", f"[0, {-wall}, 0]"), ("back", "[0, -1, 0]", f"[0, {wall}, 0]")):
        if sides:
            out.append(f"  {name}: {{type: plane, normal: {normal}, at: {at}}}")
    return out + [f"contacts: {{all: {{between: all, {law}}}}}"]


def pile(n, step=1e-3, steps=200):
    return box_of_spheres(*lattice(n), step, int(steps))


def cube_centres():
    rng = random.Random(6)
    return [tuple(0.21 * k + 0.001 * rng.random() + (0.101 if axis == 2 else 0) for axis, k in enumerate((x, y, z)))
            for z in range(6) for y in range(6) for x in range(6)]


def cube(_=0, steps=10000):
    return box_of_spheres(cube_centres(), 0, 1e-3, int(steps), 10, "friction: 0, restitution: 0", False)


def block(side, steps=1):
    places = [(2 * k + 1) * RADIUS for k in range(side)]
    centres = [(x - side * RADIUS, y - side * RADIUS, z) for z in places for y in places for x in places]
    return box_of_spheres(centres, side * RADIUS, 1e-3, int(steps))


def spheres(n, step=1e-3, steps=200):
    """As pile, with the contacts that are near at the start."""
    centres, wall = lattice(n)
    radius = RADIUS
    out = head(3, step, step * steps)
    out.append("bodies:")
    for i, c in enumerate(centres):
        out.append(f"  b{i}: {{type: spatial, shape: {{type: sphere, radius: {radius}}}, mass: 1, "
                   f"position: [{c[0]:.6f}, {c[1]:.6f}, {c[2]:.6f}]}}")
    out.append("geometry:")
    out.append("  floor: {type: plane, normal: [0, 0, 1]}")
    for name, normal, at in (("left", "[1, 0, 0]", f"[{-wall}, 0, 0]"), ("right", "[-1, 0, 0]", f"[{wall}, 0, 0]"),
                             ("front", "[0, 1, 0]", f"[0, {-wall}, 0]"), ("back", "[0, -1, 0]", f"[0, {wall}, 0]")):
        out.append(f"  {name}: {{type: plane, normal: {normal}, at: {at}}}")
    out.append("contacts:")
    cells = {}
    for i, c in enumerate(centres):
        cells.setdefault(tuple(int(v // 0.3) for v in c), []).append(i)
    law = "friction: 0.5, restitution: 0"
    for i, c in enumerate(centres):
        key = tuple(int(v // 0.3) for v in c)
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                for dz in (-1, 0, 1):
                    for j in cells.get((key[0] + dx, key[1] + dy, key[2] + dz), []):
                        if j > i and math.dist(c, centres[j]) < 0.3:
                            out.append(f"  c{i}_{j}: {{between: [b{i}, b{j}], {law}}}")
        for name, gap in (("floor", c[2]), ("left", c[0] + wall), ("right", wall - c[0]), ("front", c[1] + wall), ("back", wall - c[1])):
            if gap < 0.2:
                out.append(f"  {name}{i}: {{between: [b{i}, {name}], {law}}}")
    return out


def boxes(n):
    out = head(3, 1e-3, 0.5)
    out.append("bodies:")
    for i in range(n):
        out.append(f"  b{i}: {{type: spatial, shape: {{type: box, size: [0.2, 0.2, 0.1]}}, density: 100, position: [{i}, 0, 0.06], "
                   f"velocity: [0.5, 0.2, 0]}}")
    out += ["geometry:", "  floor: {type: plane, normal: [0, 0, 1]}", "contacts:"]
    for i in range(n):
        out.append(f"  c{i}: {{between: [b{i}, floor], friction: 0.4, restitution: 0.2}}")
    return out


def dominoes(n):
    a, b, s, push = 0.01, 0.06, 0.03, 5
    out = head(2, 2e-4, 0.1)
    out.append("bodies:")
    for i in range(n):
        extra = f", angle_rate: {-push}, velocity: [{push * b / 2}, {push * a / 2}]" if i == 0 else ""
        out.append(f"  d{i}: {{type: planar, shape: {{type: box, size: [{a}, {b}]}}, density: 10, position: [{i * s}, {b / 2}]{extra}}}")
    out += ["geometry:", "  floor: {type: line}"]
    for i in range(n):
        out.append(f"  corner{i}: {{on: d{i}, type: point, at: [{a / 2}, {b / 2}]}}")
        out.append(f"  face{i}: {{on: d{i}, type: line, at: [{-a / 2}, 0], normal: [-1, 0]}}")
    out.append("contacts:")
    for i in range(n):
        out.append(f"  floor{i}: {{between: [d{i}, floor], friction: 0.6}}")
        if i + 1 < n:
            out.append(f"  hit{i}: {{between: [corner{i}, face{i + 1}], friction: 0.2}}")
    return out


def stack(rows, step, end):
    """Rows of bricks (lists of centres x), each standing on those below that it overlaps with."""
    a, b = 0.2, 0.1
    out = head(2, step, end)
    out.append("bodies:")
    for r, xs in enumerate(rows):
        for i, x in enumerate(xs):
            out.append(f"  b{r}_{i}: {{type: planar, shape: {{type: box, size: [{a}, {b}]}}, density: 100, position: [{x:.6f}, {b / 2 + r * b}]}}")
    out += ["geometry:", "  floor: {type: line}"]
    contacts = []
    for r, xs in enumerate(rows):
        for i, x in enumerate(xs):
            out.append(f"  top{r}_{i}: {{on: b{r}_{i}, type: line, at: [0, {b / 2}]}}")
            if r == 0:
                out.append(f"  foot{r}_{i}: {{on: b{r}_{i}, type: points, points: [[{-a / 2}, {-b / 2}], [{a / 2}, {-b / 2}]]}}")
                contacts.append(f"  f{r}_{i}: {{between: [foot{r}_{i}, floor], friction: 0.5}}")
                continue
            for j, y in enumerate(rows[r - 1]):
                lower, upper = max(x - a / 2, y - a / 2), min(x + a / 2, y + a / 2)
                if upper - lower < 1e-3:
                    continue
                out.append(f"  e{r}_{i}_{j}: {{on: b{r}_{i}, type: points, points: [[{lower - x:.6f}, {-b / 2}], [{upper - x:.6f}, {-b / 2}]]}}")
                contacts.append(f"  c{r}_{i}_{j}: {{between: [e{r}_{i}_{j}, top{r - 1}_{j}], friction: 0.5}}")
    return out + ["contacts:"] + contacts


def wall(n):
    wide = max(2, round(math.sqrt(n / 1.5)))
    rows = [[(i + 0.5 * (r % 2)) * 0.2 for i in range(wide)] for r in range(max(1, n // wide))]
    return stack(rows, 1e-3, 0.1)


def pyramid(n):
    return stack([[(i + 0.5 * r) * 0.21 for i in range(n - r)] for r in range(n)], 1 / 60, 500 / 60)


if __name__ == "__main__":
    kinds = {"pile": pile, "cube": cube, "block": block, "spheres": spheres, "boxes": boxes, "dominoes": dominoes, "wall": wall, "pyramid": pyramid}
    if len(sys.argv) < (2 if sys.argv[1:2] == ["cube"] else 3) or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    numbers = [int(v) for v in sys.argv[2:3]] + [float(v) for v in sys.argv[3:]]
    print("\n".join(kinds[sys.argv[1]](*numbers)))
