#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the cost of a step grows with the number of bodies: a table, a CSV file and a picture with logarithmic axes.

    growth.py [--zeno build/zeno] [--largest N] [--repeats 2] [--csv FILE] [--svg FILE]

Of each scene (piles/make.py) the first step, in which all forces are new, and a later one are measured, in processor seconds of one thread: a run of one step less the reading
of the scene, and a run of more less that of one. The fastest of the repeats counts, as other work on the machine only adds.
"""
import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make  # noqa: E402

# Name in the picture, scene, sizes (rows of a pyramid), time step, later steps, tolerance.
KINDS = [("boxes apart", make.boxes, [16, 64, 256], 1e-3, 100, "1e-8"),
         ("dominoes", make.dominoes, [75, 150, 300], 2e-4, 200, "1e-8"),
         ("bricks of a wall", make.wall, [75, 150, 300, 1200], 1e-3, 100, "1e-8"),
         ("boxes of a pyramid", make.pyramid, [10, 20, 40, 70], 1 / 60, 30, "1e-8"),
         ("spheres that fall into a box", make.pile, [100, 300, 1000], 1e-3, 40, "1e-2")]
NOISE = 5  # milliseconds that reading the same scene twice may differ by
COLOURS = ["#1b6ca8", "#c0392b", "#27864e", "#8e5ea2", "#b8860b"]


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(options, build, size, step, steps, tolerance, folder):
    """Bodies; milliseconds of the first step and of a later one."""
    lines = build(size)
    scene = f"{folder}/scene.yaml"
    with open(scene, "w") as file:
        file.write("\n".join(lines) + "\n")
    run = [options.zeno, "run", scene, "--step", repr(step), "--tolerance", tolerance, "--quiet", "--end"]
    times = [min(seconds(command) for _ in range(options.repeats))
             for command in ([options.zeno, "check", scene], run + [repr(step)], run + [repr((1 + steps) * step)])]
    bodies = sum("type: planar" in line or "type: spatial" in line for line in lines)
    return bodies, 1e3 * max(times[1] - times[0], 0), 1e3 * max(times[2] - times[1], 1e-6) / steps


def slope(points):
    """Of a straight line through the logarithms: the power that the cost grows with."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((a - x) ** 2 for a in xs)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / spread if spread else math.nan


def picture(curves):
    """Milliseconds over bodies."""
    width, height, left, top, right, bottom = 640, 400, 60, 20, 450, 350
    points = [p for _, curve in curves for p in curve]
    low = [10 ** math.floor(math.log10(min(p[k] for p in points))) for k in (0, 1)]
    high = [10 ** math.ceil(math.log10(max(p[k] for p in points))) for k in (0, 1)]

    def place(x, y):
        a, b = math.log(x / low[0]) / math.log(high[0] / low[0]), math.log(y / low[1]) / math.log(high[1] / low[1])
        return left + a * (right - left), bottom - b * (bottom - top)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="#fff"/>',
           f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" fill="none" stroke="#888"/>']
    for axis in (0, 1):
        value = low[axis]
        while value <= high[axis] * 1.001:
            x, y = place(value, low[1]) if axis == 0 else place(low[0], value)
            line = f'M{x:.1f} {top}V{bottom}' if axis == 0 else f'M{left} {y:.1f}H{right}'
            text = (x, bottom + 16, "middle") if axis == 0 else (left - 6, y + 4, "end")
            out.append(f'<path d="{line}" stroke="#ddd"/><text x="{text[0]:.1f}" y="{text[1]:.1f}" text-anchor="{text[2]}">{value:g}</text>')
            value *= 10
    out.append(f'<text x="{(left + right) / 2}" y="{bottom + 34}" text-anchor="middle">bodies</text>')
    out.append(f'<text x="16" y="{(top + bottom) / 2}" text-anchor="middle" transform="rotate(-90 16 {(top + bottom) / 2})">milliseconds a step</text>')
    for k, (name, curve) in enumerate(curves):
        colour, at = COLOURS[k % len(COLOURS)], [place(*p) for p in curve]
        out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="' + " ".join("%.1f,%.1f" % p for p in at) + '"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in at]
        y = top + 20 + 40 * k
        out.append(f'<text x="{right + 10}" y="{y}" fill="{colour}">{name}</text><text x="{right + 10}" y="{y + 15}" fill="{colour}">power {slope(curve):.2f}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--zeno", default="build/zeno")
    parser.add_argument("--largest", type=int, default=10 ** 9, help="no more bodies (rows of a pyramid) than that")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--csv")
    parser.add_argument("--svg")
    options = parser.parse_args()
    curves, rows = [], ["scene,bodies,first_ms,step_ms"]
    print(f"{'scene':<30} {'bodies':>7} {'first step':>14} {'later step':>14}")
    with tempfile.TemporaryDirectory() as folder:
        for name, build, sizes, step, steps, tolerance in KINDS:
            curve = []
            for size in [s for s in sizes if s <= options.largest]:
                bodies, first, later = measure(options, build, size, step, steps, tolerance, folder)
                curve.append((bodies, later))
                rows.append(f"{name},{bodies},{first:.4g},{later:.4g}")
                shown = f"{first:>11.1f} ms" if first > NOISE else f"{f'< {NOISE}':>11} ms"
                print(f"{name:<30} {bodies:>7} {shown} {later:>11.3f} ms", flush=True)
            if curve:
                curves.append((name, curve))
            if len(curve) > 1:
                print(f"{'':<30} {'power':>7} {'':>14} {slope(curve):>11.2f}")
    for path, text in ((options.csv, "\n".join(rows) + "\n"), (options.svg, picture(curves) if options.svg else "")):
        if path:
            with open(path, "w") as file:
                file.write(text)


if __name__ == "__main__":
    main()
