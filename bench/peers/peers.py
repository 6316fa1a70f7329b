#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same five single-body systems in Zeno, Siconos, MuJoCo, Rapier and Jolt, measured against what is exact.

    bench/peers/peers.py --zeno build/zeno --out build/peers

Programs that are not installed are left out, with a message. Writes peers.json, peers.html (tables, for the validation page), one SVG a
plot, and prints the table. See README.md for the settings of each program."""
import argparse
import csv
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ZENO_SCHEMES = ["moreau-midpoint", "generalized-alpha", "radau-2a:2"]
ENGINES = ["mujoco", "rapier", "jolt"]


# ---- running ----

def run_json(command, **options):
    """The JSON list that a program prints as its last line; None with a message when it cannot run."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    lines = [line for line in done.stdout.splitlines() if line.startswith("[{")]
    if done.returncode == 0 and lines:
        return json.loads(lines[-1])
    reason = (done.stderr.strip().splitlines() or ["no output"])[-1]
    print(f"peers: {' '.join(map(str, command[:3]))}: left out ({reason})", file=sys.stderr)
    return None


def zeno_runs(zeno, cases, steps):
    results = []
    version = subprocess.run([zeno, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            for scheme in ZENO_SCHEMES:
                for step in steps:
                    out = pathlib.Path(folder) / "run.csv"
                    command = [zeno, "run", HERE / "scenes" / f"{case['name']}.yaml", "--scheme", scheme, "--step", str(step), "--summary", "--quiet"]
                    timed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
                    subprocess.run([*command, "--out", out], capture_output=True, check=True)
                    results.append({"program": f"zeno {scheme}", "version": version, "case": case["name"], "step": step,
                                    "seconds_per_step": timed["wall_seconds"] / timed["steps"], "rows": zeno_rows(out)})
    return results


def zeno_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    rows = []
    for line in table[:: max(1, len(table) // 1000)] + [table[-1]]:
        value = {name.removeprefix("body."): float(text) for name, text in line.items() if name == "t" or name.startswith("body.")}
        p = [value[f"p{i}"] for i in range(4)]
        spin = rotate(p, [value["wx"], value["wy"], value["wz"]])
        rows.append([value["t"], *(value[k] for k in "xyz"), *(value[k + "'"] for k in "xyz"), *spin, *p])
    return rows


# ---- measuring ----

def rotate(p, v):
    """p v p^-1 for a unit quaternion, scalar first."""
    w, q = p[0], p[1:]
    t = [2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]), 2 * (q[0] * v[1] - q[1] * v[0])]
    return [v[0] + w * t[0] + q[1] * t[2] - q[2] * t[1], v[1] + w * t[1] + q[2] * t[0] - q[0] * t[2], v[2] + w * t[2] + q[0] * t[1] - q[1] * t[0]]


def inertia(case):
    if case["shape"] == "sphere":
        return [0.4 * case["mass"] * case["radius"] ** 2] * 3
    a, b, c = (s * s * case["mass"] / 12 for s in case["size"])
    return [b + c, a + c, a + b]


def energy(case, row):
    m, g = case["mass"], case["gravity"]
    x, v, w, p = row[1:4], row[4:7], row[7:10], row[10:14]
    in_body = rotate([p[0], -p[1], -p[2], -p[3]], w)
    return m / 2 * sum(c * c for c in v) - m * sum(a * b for a, b in zip(g, x)) + sum(j * c * c for j, c in zip(inertia(case), in_body)) / 2


def depth(case, row):
    """How far the lowest point is below the floor."""
    if case["shape"] == "sphere":
        return case["radius"] - row[3]
    half = [s / 2 for s in case["size"]]
    heights = [rotate(row[10:14], [0] * i + [e] + [0] * (2 - i))[2] for i, e in enumerate(half)]
    return sum(map(abs, heights)) - row[3]


def restitution(case, rows):
    """From the height of the first bounce."""
    g, R = -case["gravity"][2], case["radius"]
    fallen = False
    for row in rows:
        fallen = fallen or row[6] < -1
        if fallen and row[6] > 0 and row[3] > R:
            return math.sqrt(max(0, row[3] + row[6] ** 2 / (2 * g) - R) / (case["position"][2] - R))
    return 0.0


def measure(case, rows):
    """Name and value of what a case is about."""
    last, facts = rows[-1], {}
    if case["floor"]:
        facts["penetration"] = max(0.0, *(depth(case, row) for row in rows))
    if case["name"] == "drop":
        facts["restitution error"] = restitution(case, rows) - case["restitution"]
    if case["name"] == "incline":
        facts["creep"] = math.hypot(last[1] - rows[0][1], last[2] - rows[0][2])
    if case["name"] == "slide":
        facts["stopping distance error"] = last[1] - case["velocity"][0] ** 2 / (2 * case["friction"] * 9.81)
    if case["name"] == "roll":
        facts["velocity error"] = last[4] - 5 / 7 * case["velocity"][0]
    if case["name"] == "top":
        energies = [energy(case, row) for row in rows]
        facts["energy error"] = max(abs(e - energies[0]) for e in energies) / energies[0]
    return facts


UNITS = {"penetration": "m", "restitution error": "", "creep": "m in 10 s", "stopping distance error": "m", "velocity error": "m/s",
         "energy error": "relative"}


# ---- showing ----

def table_rows(cases, results):
    for case in cases:
        for fact in facts_of(case):
            for step in sorted({r["step"] for r in results}, reverse=True):
                yield case, fact, step, {r["program"]: r["facts"][fact] for r in results if r["case"] == case["name"] and r["step"] == step}


def facts_of(case):
    """The names that `measure` gives, in its order."""
    still = [[0.0, *case["position"], *case["velocity"], *case["spin"], 1.0, 0, 0, 0]] * 2
    return list(measure(case, still))


def programs_of(results):
    return list(dict.fromkeys(r["program"] for r in results))


def print_table(cases, results):
    programs = programs_of(results)
    print(f"{'':46}" + "".join(f"{p.removeprefix('zeno '):>18}" for p in programs))
    for case, fact, step, values in table_rows(cases, results):
        print(f"{case['name'] + ': ' + fact:34}{UNITS[fact]:>10} {step:<6g}"[:51].ljust(46) + "".join(f"{values.get(p, math.nan):18.2e}" for p in programs))
    for step in sorted({r["step"] for r in results}, reverse=True):
        cost = [cost_of(results, p, step) for p in programs]
        print(f"{'microseconds a step (mean of the cases)':39}{step:<7g}" + "".join(f"{c:18.1f}" for c in cost))


def cost_of(results, program, step):
    times = [r["seconds_per_step"] for r in results if r["program"] == program and r["step"] == step]
    return 1e6 * sum(times) / len(times)


def html_table(cases, results):
    programs = programs_of(results)
    head = "".join(f"<th>{p}</th>" for p in programs)
    lines = [f"<table class='peers'><thead><tr><th>system</th><th>h</th>{head}</tr></thead><tbody>"]
    for case, fact, step, values in table_rows(cases, results):
        cells = "".join(f"<td>{values.get(p, math.nan):.1e}</td>" for p in programs)
        unit = f" ({UNITS[fact]})" if UNITS[fact] else ""
        lines.append(f"<tr><td title='{case['title']}'>{case['name']}: {fact}{unit}</td><td>{step:g}</td>{cells}</tr>")
    for step in sorted({r["step"] for r in results}, reverse=True):
        cells = "".join(f"<td>{cost_of(results, p, step):.1f}</td>" for p in programs)
        lines.append(f"<tr><td>microseconds a step</td><td>{step:g}</td>{cells}</tr>")
    return "\n".join(lines) + "</tbody></table>\n"


def gnuplot(out, title, x, y, curves, extra=""):
    """curves: (label, [(x, y)])."""
    if not shutil.which("gnuplot"):
        return
    style = "set term svg size 760,420 font 'sans,13' background rgb 'white'; set key outside right; set grid lc rgb '#dddddd'"
    data = "".join(f"$c{i} << E\n" + "".join(f"{a:.9g} {b:.9g}\n" for a, b in points) + "E\n" for i, (_, points) in enumerate(curves))
    plot = ", ".join(f"$c{i} with lines lw 1.6 title \"{label}\"" for i, (label, _) in enumerate(curves))
    script = f"{style}\nset output '{out}'\nset title '{title}'\nset xlabel '{x}'\nset ylabel '{y}'\n{extra}\n{data}plot {plot}\n"
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def draw(folder, cases, results):
    by_name = {c["name"]: c for c in cases}
    coarse = max(r["step"] for r in results)
    of = lambda name: [r for r in results if r["case"] == name and r["step"] == coarse]
    gnuplot(folder / "drop.svg", f"Height of the ball above the floor, h = {coarse:g} s", "t in s", "height in m",
            [(r["program"], [(row[0], row[3] - by_name["drop"]["radius"]) for row in r["rows"]]) for r in of("drop")])
    gnuplot(folder / "incline.svg", f"Creep on the incline, h = {coarse:g} s", "t in s", "way in m",
            [(r["program"], [(row[0], max(1e-16, math.hypot(row[1], row[2]))) for row in r["rows"][1:]]) for r in of("incline")], "set logscale y; set format y '10^{%L}'")
    top = by_name["top"]
    start = energy(top, of("top")[0]["rows"][0])
    gnuplot(folder / "top.svg", f"Energy of the tumbling body, h = {coarse:g} s", "t in s", "|E/E_0 - 1|",
            [(r["program"], [(row[0], max(1e-16, abs(energy(top, row) / start - 1))) for row in r["rows"][1:]]) for r in of("top")],
            "set logscale y; set format y '10^{%L}'")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--zeno", default="build/zeno")
    parser.add_argument("--out", default="build/peers", type=pathlib.Path)
    args = parser.parse_args()
    with open(HERE / "cases.json", encoding="utf-8") as file:
        described = json.load(file)
    cases, steps = described["cases"], described["steps"]
    results = zeno_runs(args.zeno, cases, steps)
    results += run_json([sys.executable, HERE / "siconos_cases.py", HERE / "cases.json"]) or []
    for engine in ENGINES:
        if shutil.which("node") and (HERE / "engines/node_modules").is_dir():
            results += run_json(["node", "run.mjs", engine, "../cases.json"], cwd=HERE / "engines") or []
        else:
            print(f"peers: {engine}: left out (make peers installs it from npm)", file=sys.stderr)
    by_name = {c["name"]: c for c in cases}
    for r in results:
        r["facts"] = measure(by_name[r["case"]], r["rows"])
    args.out.mkdir(parents=True, exist_ok=True)
    draw(args.out, cases, results)
    summary = [{k: v for k, v in r.items() if k != "rows"} for r in results]
    (args.out / "peers.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    (args.out / "peers.html").write_text(html_table(cases, results), encoding="utf-8")
    print_table(cases, results)


if __name__ == "__main__":
    main()
