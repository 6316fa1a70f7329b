# SPDX-License-Identifier: Apache-2.0
"""The tables of the validation are complete: schemes, friction laws, scenes, sources. usage: tables.py SOURCE ZENO"""
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
source, zeno = Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(source / "validate"))
from running import with_settings  # noqa: E402
from result import Result  # noqa: E402
from drawing import thin  # noqa: E402
from judging import judge_value  # noqa: E402
import importlib.util  # noqa: E402

spec = importlib.util.spec_from_file_location("validation", source / "validate" / "__main__.py")
validation = importlib.util.module_from_spec(spec)
spec.loader.exec_module(validation)
failures = []


def check(good, text):
    if not good:
        failures.append(text)
        print("FAILED:", text)


systems = validation.load_systems([], source / "scenes")
features = validation.scheme_features(zeno)
# what the benchmarks name
for name in """bouncing-ball rotating-ball rolling-ball ball-in-cylinder block-on-belt stiff-pendulum slider-crank slope slope-drop painleve-rod ball-in-corner
        spring-pendulum woodpecker cartesian-pendulum rigid-pendulum bouncing-pendulum flexible-pendulum elastic-bar guided-hopper tippe-top tippedisk tetrahedron""".split():
    check(name in {system.name for system in systems}, f"no system {name}")
check(len({system.name for system in systems}) == len(systems), "two systems have one name")
# every scheme in at least three systems
for scheme, known in features.items():
    there = [system.name for system in systems if any(name.split(":")[0] == scheme for _, name in system.runs) and all(known[need] for need in system.needs)]
    check(len(there) >= 3, f"{scheme} is in {len(there)} systems only: {there}")
# every law in at least one
for law in ("coulomb", "ellipse", "rectangle", "coulomb-contensou", "rolling", "pivoting", "stribeck", "given normal force", "impact", "tangential restitution"):
    check(any(law in system.laws for system in systems), f"no system has the law {law}")
# facts say where they are from; every system has some, and a figure
for system in systems:
    check(len(system.facts) + len(system.singles) >= 4, f"{system.name} has few facts")
    check(system.figures or system.studies, f"{system.name} has no figure")
    for fact in system.facts + system.singles:
        check(fact.source, f"{system.name}: '{fact.text}' has no source")
        check(fact.expected is not None or fact.low is not None or fact.high is not None, f"{system.name}: '{fact.text}' can not fail")
        check(fact.expected is None or fact.tolerance is not None, f"{system.name}: '{fact.text}' has no tolerance")
# every scene says in its comment what it shows and how to try it, and is in the list of scenes
listed = (source / "scenes" / "README.md").read_text()
for path in sorted((source / "scenes").glob("*.yaml")):
    head = path.read_text().split("title:")[0]
    check(len(head) > 150 and "zeno " in head, f"{path.name} has no comment on what it shows and how to run it")
    used = any(run.scene == path.stem for system in systems for run in system.runs.values())
    check(not used or f"`{path.stem}`" in listed, f"scenes/README.md does not list {path.stem}")
# tools
changed = with_settings("a: 1\nsimulation: {step: 1, end: 2}\n", (("step", "3"), ("damping", "0.5")))
check(changed == "a: 1\nsimulation: {step: 3, end: 2, damping: 0.5}\n", f"with_settings: {changed}")
try:
    with_settings("a: 1\n", (("step", "3"),))
    check(False, "with_settings takes a scene without settings")
except ValueError:
    pass
with tempfile.TemporaryDirectory() as folder:
    table = Path(folder) / "r.csv"
    table.write_text("t,x,p.n\n" + "".join(f"{i / 10},{(i - 4.5) / 10},{1.0 if i in (3, 7) else 0.0}\n" for i in range(11)))
    r = Result(None, "ok", {}, "", table, "")
    check(abs(r.crossing("x") - 0.45) < 1e-12, "crossing")
    check(r.crossing("x", rising=False) is None, "crossing of the other direction")
    check(r.impacts("p.n", 0.5) == [0.3, 0.7], f"impacts {r.impacts('p.n', 0.5)}")
    check(abs(r.at("x", 0.25) + 0.2) < 1e-12 and r.on_grid("x", 0.21) == r["x"][2], "values at a time")
    check(r.first("x", lambda v: v > 0) == 0.5 and r.last_time("x", lambda v: v < 0) == 0.4, "first and last time")
wave = [(i, float(i % 2)) for i in range(20000)]
check(len(thin(wave)) < 10000 and max(y for _, y in thin(wave)) == 1.0, "a thinned curve keeps its extremes")
check(not judge_value("", float("nan"), 0, 1).passed and not judge_value("", None, None, 1).passed and judge_value("", 0.5, None, 1).passed, "judge_value")
print("all good" if not failures else f"{len(failures)} failed")
sys.exit(1 if failures else 0)
