#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Python costs on top of C, as ratios within one run of this script: `make bench-python`.

  run    10^6 steps of the rotating ball by Scene.run and by the program: processor time of both, in turns, the least of each; at most 2 % more
  step   simulation.step() against the same steps in C (simulation.run): at most 1 microsecond more for each
  rows   10^6 rows as arrays: from memory nothing is copied; from a file there is one copy in memory, the one that was read
  leak   (--leak N) N times a scene is made, run and dropped: how much the resident memory would grow in N of them, from the least of several moments of the second and of the
         last fifth (it goes up and down by a megabyte or two)

Processor times are less noisy than wall times, but a busy machine still has slower caches: --times more turns help. Exit status 1: something is above its limit."""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy
import zeno
import zeno.program

ROOT = pathlib.Path(__file__).resolve().parents[1]
BALL = ROOT / "scenes" / "rotating-ball.yaml"
STEPS = 1_000_000
LIMIT_RUN, LIMIT_STEP, LIMIT_LEAK = 0.02, 1e-6, 2e6  # a ratio, seconds, bytes


def program_seconds(*arguments):
    """Processor time of the program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([zeno.program.path(), *map(str, arguments)], env=zeno.program.environment(), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def own_seconds(function):
    """Processor time of this process."""
    begin = time.process_time()
    function()
    return time.process_time() - begin


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def compare_runs(times, steps):
    step = 2.0 / steps
    by_program, by_python = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(times):
            by_program.append(program_seconds("run", BALL, "--step", repr(step), "--record-every", "1000", "--quiet", "--out", f"{folder}/ball.h5"))
            by_python.append(own_seconds(lambda: zeno.load(BALL).run(step=step, record_every=1000, account=False, out=f"{folder}/ball2.h5")))
    ratio = min(by_python) / min(by_program) - 1
    print(f"run    {steps} steps: program {min(by_program):.3f} s, Python {min(by_python):.3f} s, {100 * ratio:+.2f} % (at most {100 * LIMIT_RUN:.0f} %)")
    return ratio <= LIMIT_RUN


def compare_steps(times, steps=100_000):
    in_c, in_python = [], []

    def go(simulation):
        step = simulation.step
        while not simulation.done:
            step()

    for _ in range(times):
        for measured, way in ((in_c, lambda simulation: simulation.run(account=False)), (in_python, go)):
            simulation = zeno.load(BALL).simulation(step=2.0 / steps, record_every=steps)
            measured.append(own_seconds(lambda way=way, simulation=simulation: way(simulation)))
    more = (min(in_python) - min(in_c)) / steps
    print(f"step   C {1e6 * min(in_c) / steps:.3f} us, Python {1e6 * min(in_python) / steps:.3f} us: {1e6 * more:.3f} us more (at most {1e6 * LIMIT_STEP:.0f} us)")
    return more <= LIMIT_STEP


def read_rows(rows=1_000_000):
    scene = zeno.Scene({"coordinates": {"x": 1, "y": 2}, "energy": {"kinetic": "(x'^2 + y'^2)/2"}, "simulation": {"step": 1.0 / rows, "end": 1}})
    result = scene.run(account=False)
    bytes_of_q = result.q.nbytes
    before = resident()
    seconds = own_seconds(lambda: [result.q, result.t, result["y"], result["x'"]])
    grown = resident() - before
    good = grown < bytes_of_q / 10 and numpy.shares_memory(result.q, result["y"]) and len(result) == rows + 1
    print(f"rows   {len(result)} rows of {bytes_of_q / 1e6:.0f} MB from memory: {1e6 * seconds:.0f} us, {grown / 1e6:.2f} MB more memory")
    with tempfile.TemporaryDirectory() as folder:
        result.save(f"{folder}/long.h5")
        expected = result.q[-1].copy()
        del result
        file = zeno.open(f"{folder}/long.h5")
        before = resident()
        seconds = own_seconds(lambda: file.q)
        grown = resident() - before
    again = own_seconds(lambda: [file.q, file["x"], file["y"]])
    print(f"rows   from a file: {seconds:.3f} s, {grown / 1e6:.1f} MB more memory for {bytes_of_q / 1e6:.0f} MB of values; once more: {1e6 * again:.0f} us")
    return good and (file.q[-1] == expected).all() and grown < 1.5 * bytes_of_q and numpy.shares_memory(file.q, file["x"]) and again < 1e-2


def look_for_leaks(cycles):
    text = BALL.read_text(encoding="utf-8")

    def cycle(count):
        for _ in range(count):
            result = zeno.Scene(text).run(step=1e-3, end=3e-3)
            assert len(result.q) == 4
            try:
                zeno.Scene("coordinates: 1")
            except zeno.SceneError:
                pass

    begin, pieces, seen = time.monotonic(), 20, []
    for _ in range(pieces):
        cycle(max(cycles // pieces, 10))
        seen.append(resident())
    fifth = pieces // 5
    grown = (min(seen[-fifth:]) - min(seen[fifth:2 * fifth])) / 0.6
    print(f"leak   {cycles} scenes were made, run and dropped in {time.monotonic() - begin:.0f} s: {grown / 1e6:+.3f} MB (at most {LIMIT_LEAK / 1e6:.0f} MB)")
    return grown <= LIMIT_LEAK


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=3, help="turns")
    parser.add_argument("--steps", type=int, default=STEPS, help="of a run")
    parser.add_argument("--leak", type=int, default=0, metavar="N", help="only this: N cycles, 100000 in full")
    o = parser.parse_args()
    if o.leak:
        return 0 if look_for_leaks(o.leak) else 1
    good = [compare_runs(o.times, o.steps), compare_steps(o.times), read_rows()]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
