#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Piles of spheres in Zeno, ODE (QuickStep) and Bullet: time per step and penetrations, in one run.

    compare.py --zeno build/zeno [--sizes 100,300,1000] [--tolerances 1e-2,1e-4,1e-8] [--steps 100] [--warm 100] [--threads 2] [--cube] [--limit SECONDS]
               [--out FILE.json]

A pile falls into a box in ODE and comes to rest; where it lies is the start of all programs, with radii less by the largest penetration there. The first
`warm` steps are not counted. Times are processor seconds of one thread. Of Zeno they are those of a run of warm + steps less those of a run of warm steps.
--threads: Zeno with the first tolerance again, with one thread and with so many, by the wall clock: on a quiet machine only.
--cube: 6 x 6 x 6 spheres without friction that fall on a plane, 10 s, as well. What is not installed (libode-dev, libbullet-dev) is left out.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
STEP = 1e-3


def build(folder):
    """The programs of the peers that compile here."""
    recipes = {"ode": ["cc", "-O2", f"{HERE}/pile_ode.c", "-lode", "-lm", "-o"],
               "bullet": ["c++", "-O2", f"{HERE}/pile_bullet.cpp", "-I/usr/include/bullet", "-lBulletDynamics", "-lBulletCollision", "-lLinearMath", "-o"]}
    found = {}
    for name, recipe in recipes.items():
        done = subprocess.run(recipe + [f"{folder}/{name}"], capture_output=True, text=True)
        if done.returncode == 0:
            found[name] = f"{folder}/{name}"
        else:
            print(f"{name} is left out: {done.stderr.strip().splitlines()[0] if done.stderr else 'it does not compile'}", file=sys.stderr)
    return found


def peer(program, centres, wall, radius, mass, friction, steps, warm, positions=False):
    text = f"{len(centres)} {radius!r} {mass} {friction} {STEP} {steps} {warm} {wall}\n" + "".join("%r %r %r\n" % tuple(c) for c in centres)
    lines = subprocess.run([program] + (["positions"] if positions else []), input=text, capture_output=True, text=True, check=True).stdout.splitlines()
    return json.loads(lines[-1]), [tuple(map(float, line.split())) for line in lines[:-1]]


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_zeno(zeno, scene, steps, tolerance, limit, threads=1):
    """Seconds of processor time, the summary, and seconds by the wall clock; None: not within the limit."""
    begin, clock = processor_seconds(), time.monotonic()
    try:
        done = subprocess.run([zeno, "run", scene, "--scheme", "moreau-midpoint", "--end", repr(steps * STEP), "--tolerance", tolerance,
                               "--threads", str(threads), "--summary"], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    return processor_seconds() - begin, json.loads(done.stdout), time.monotonic() - clock


def penetrations(centres, wall, radius):
    """Sum of squares and largest, of all pairs and walls."""
    cells, squares, largest = {}, 0.0, 0.0
    for i, c in enumerate(centres):
        cells.setdefault(tuple(int(v // (2 * radius)) for v in c), []).append(i)
    for i, c in enumerate(centres):
        depths = [radius - c[2]] + ([radius - wall - v for v in (c[0], c[1])] + [radius - wall + v for v in (c[0], c[1])] if wall else [])
        key = tuple(int(v // (2 * radius)) for v in c)
        for near in ((key[0] + x, key[1] + y, key[2] + z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)):
            depths += [2 * radius - sum((a - b) ** 2 for a, b in zip(c, centres[j])) ** 0.5 for j in cells.get(near, []) if j > i]
        squares += sum(d * d for d in depths if d > 0)
        largest = max([largest] + depths)
    return squares, largest


def measure_zeno(options, scene, centres, wall, radius, tolerance):
    warm = run_zeno(options.zeno, scene, options.warm, tolerance, options.limit)
    whole = warm and run_zeno(options.zeno, scene, options.warm + options.steps, tolerance, options.limit)
    if not whole:
        return {"failed": f"not within {options.limit} s"}
    if whole[1]["status"] != "ok":
        return {"failed": whole[1]["message"]}
    q = whole[1]["q"]
    squares, largest = penetrations([q[k:k + 3] for k in range(0, len(q), 7)], wall, radius)
    return {"seconds": (whole[0] - warm[0]) / options.steps, "squares": squares, "largest": largest, "residual": whole[1]["max_residual"],
            "cone": whole[1]["cone"], "longest step over median": whole[1]["step_seconds"]["max"] / whole[1]["step_seconds"]["median"]}


def measure_threads(options, scene, tolerance):
    """Seconds of a step by the wall clock, with one thread and with several, best of three."""
    def step(threads):
        runs = [[run_zeno(options.zeno, scene, n, tolerance, options.limit, threads)[2] for _ in range(3)]
                for n in (options.warm, options.warm + options.steps)]
        return (min(runs[1]) - min(runs[0])) / options.steps
    return {"threads": options.threads, "one": step(1), "all": step(options.threads)}


def show(name, row, against):
    if "failed" in row:
        print(f"  {name:<22} {row['failed']}")
        return
    ratio = f"{row['seconds'] / against:8.2f}" if against else "       -"
    print(f"  {name:<22} {1e3 * row['seconds']:9.3f} ms {ratio}   largest penetration {row['largest'] / make.RADIUS:9.2e} R, sum of squares {row['squares']:9.2e}", flush=True)


def piles(options, programs, folder):
    table = {}
    for n in options.sizes:
        centres, wall = make.lattice(n)
        settled, centres = peer(programs["ode"], centres, wall, make.RADIUS, 1, 0.5, 2500, 2400, True)
        radius = make.RADIUS - 1.01 * settled["largest"]
        scene = f"{folder}/pile{n}.yaml"
        with open(scene, "w") as file:
            file.write("\n".join(make.box_of_spheres(centres, wall, STEP, options.warm + options.steps, radius=radius)) + "\n")
        rows = table[n] = {}
        print(f"{n} spheres, settled: time of a step, and over that of ODE")
        for name, program in programs.items():
            rows[name] = peer(program, centres, wall, radius, 1, 0.5, options.warm + options.steps, options.warm)[0]
        against = rows["ode"]["seconds"]
        for name in programs:
            show(name, rows[name], against)
        for tolerance in options.tolerances:
            rows[f"zeno {tolerance}"] = measure_zeno(options, scene, centres, wall, radius, tolerance)
            show(f"zeno, tolerance {tolerance}", rows[f"zeno {tolerance}"], against)
        if options.threads > 1:
            row = rows["threads"] = measure_threads(options, scene, options.tolerances[0])
            print(f"  zeno, {options.threads} threads       {1e3 * row['all']:9.3f} ms by the wall clock, one {1e3 * row['one']:.3f} ms: "
                  f"{row['one'] / row['all']:.2f} times as fast", flush=True)
    return table


def cube(options, programs, folder):
    centres, steps, rows = make.cube_centres(), 10000, {}
    print("6 x 6 x 6 spheres without friction on a plane, 10 s: the whole run, and the mean over its steps of the sum of squared penetrations")
    for name, program in programs.items():
        rows[name] = row = peer(program, centres, 0, make.RADIUS, 10, 0, steps, 0)[0]
        print(f"  {name:<22} {steps * row['seconds']:9.2f} s   {row['squares']:9.2e}", flush=True)
    scene, csv = f"{folder}/cube.yaml", f"{folder}/cube.csv"
    with open(scene, "w") as file:
        file.write("\n".join(make.cube()) + "\n")
    for scheme in ("moreau-midpoint", "rattle"):
        begin = processor_seconds()
        done = subprocess.run([options.zeno, "run", scene, "--scheme", scheme, "--tolerance", "1e-6", "--record-every", "10", "--out", csv, "--quiet"],
                              capture_output=True, text=True)
        if done.returncode:
            print(f"  zeno, {scheme:<16} {done.stderr.strip().splitlines()[-1]}")
            continue
        seconds, sums = processor_seconds() - begin, []
        with open(csv) as file:
            lines = [line for line in file if not line.startswith("#")]
            names = lines[0].strip().split(",")
            places = [[names.index(f"b{i}.{axis}") for axis in "xyz"] for i in range(len(centres))]
            for line in lines[1:]:
                values = line.split(",")
                sums.append(penetrations([[float(values[k]) for k in place] for place in places], 0, make.RADIUS))
        rows[scheme] = {"seconds": seconds / steps, "squares": sum(s for s, _ in sums) / len(sums), "largest": max(d for _, d in sums)}
        print(f"  zeno, {scheme:<16} {seconds:9.2f} s   {rows[scheme]['squares']:9.2e}   largest {rows[scheme]['largest']:9.2e}", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--zeno", default="build/zeno")
    parser.add_argument("--sizes", type=lambda text: [int(v) for v in text.split(",")], default=[100, 300, 1000])
    parser.add_argument("--tolerances", type=lambda text: text.split(","), default=["1e-2", "1e-4", "1e-8"])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--warm", type=int, default=100)
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cube", action="store_true")
    parser.add_argument("--out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = build(folder)
        if "ode" not in programs:
            sys.exit("the piles settle in ODE: install libode-dev")
        result = {"piles": piles(options, programs, folder)}
        if options.cube:
            result["cube"] = cube(options, programs, folder)
    if options.out:
        with open(options.out, "w") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
