# SPDX-License-Identifier: Apache-2.0
"""Runs every benchmark of the papers with every scheme, checks the facts, and writes one page. `make validate` calls it.

python3 validate [--zeno build/zeno] [--out validation] [--work build/validate] [--jobs N] [--quiet] [--no-page] [SYSTEM...]

Exit status: 0 every fact holds, 1 some do not, 2 wrong usage."""
import argparse
import importlib.util
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from animation import Animator, peers_section  # noqa: E402
from drawing import Artist  # noqa: E402
from judging import LARGEST_BITE, judge  # noqa: E402
from page import number, page  # noqa: E402
from running import Runner, processors  # noqa: E402
import table  # noqa: E402



def load_systems(names, scenes):
    """The System of each file in systems/, in the order of their numbers; those without their scene are left out."""
    found = []
    for path in sorted((HERE / "systems").glob("*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found += module.SYSTEMS
    missing = [system for system in found if not all((scenes / f"{run.scene}.yaml").exists() for run in system.runs.values())]
    for system in missing:
        print(f"validate: {system.name} is left out, its scene is missing", file=sys.stderr)
    found = [system for system in found if system not in missing]
    unknown = set(names) - {system.name for system in found}
    if unknown:
        sys.exit(f"validate: there is no system {', '.join(sorted(unknown))}; there are {', '.join(s.name for s in found)}")
    return [system for system in found if not names or system.name in names]


def only_schemes(systems, patterns):
    """The part of the tables that some schemes can answer: their runs, their rows in studies, facts of single schemes."""
    for system in systems:
        system.runs = {key: run for key, run in system.runs.items() if table.matches(key[1], patterns)}
        for study in system.studies.values():
            study.schemes = [scheme for scheme in study.schemes if table.matches(scheme, patterns)]
        system.studies = {tag: study for tag, study in system.studies.items() if study.schemes}
        system.facts = [fact for fact in system.facts if any(tag == fact.tag and table.matches(scheme, fact.schemes) for tag, scheme in system.runs)]
        system.singles = [single for single in system.singles
                          if isinstance(single.value, table.Order) and table.matches(single.scheme, patterns) and single.value.tag in system.studies]
        for limit in system.limits_of:
            limit.orders = {scheme: order for scheme, order in limit.orders.items() if table.matches(scheme, patterns)}
        system.limits_of = [limit for limit in system.limits_of if limit.orders and not callable(limit.expected)]


def scheme_features(zeno):
    """What `zeno schemes` says: {scheme: {"contacts": True, ...}}."""
    lines = subprocess.run([zeno, "schemes"], capture_output=True, text=True, check=True).stdout.splitlines()
    heads = lines[0].split()[3:7]
    return {words[0]: {head: word == "yes" for head, word in zip(heads, words[3:7])} for words in map(str.split, lines[1:])}


class Pictures:
    def __init__(self, artist, animator, system, results):
        self.figures = [artist.figure(figure, results) for figure in system.figures]
        self.studies = {tag: artist.inline(study.picture) for tag, study in results.studies.items()}
        self.drawing = artist.picture(system, results) if system.drawing else None
        self.animation = animator.add(system, results)


class About:
    def __init__(self, zeno, runs, seconds, tail, peers):
        self.tail, self.peers = tail, peers
        version = subprocess.run([zeno, "--version"], capture_output=True, text=True).stdout.strip()
        self.text = ("Every system of the five papers that Zeno follows, simulated with every scheme that supports it, and compared with "
                     "analytic solutions, independent computations and what the papers show. docs/validation.md explains how to read "
                     "this page, what is not reproduced and why, and which scheme to take.")
        self.footer = f"{version}. {runs} runs, {seconds:.0f} s. Times per step were measured while all cores were busy."


def reason(verdict):
    if verdict.bite > LARGEST_BITE:
        return f"{verdict.scheme or 'it'} can not fail: the tolerance is {number(verdict.bite, 2)} of the error that must be noticed"
    return f"{verdict.scheme or 'it'} {number(verdict.value, 9)} not in [{number(verdict.low, 9)}, {number(verdict.high, 9)}]"


def list_bites(items):
    """Every fact with the largest part that its tolerance takes of the error that must be noticed, the weakest first."""
    rows = [(max((v.bite for v in fact.verdicts), default=0.0), system.name, fact.text) for system, _, judged, _ in items for fact in judged if fact.source]
    for part, name, text in sorted(rows, reverse=True):
        print(f"{part:8.2g}  {name}: {text}")


def report(items, quiet):
    """Failing facts on standard output, and one line at the end."""
    facts = [(system, fact) for system, _, judged, _ in items for fact in judged]
    wrong = [(system, fact) for system, fact in facts if not fact.passed]
    for system, fact in wrong:
        verdicts = [v for v in fact.verdicts if not v.passed]
        shown = ", ".join(reason(v) for v in verdicts[:6])
        print(f"FAILED {system.name}: {fact.text}: {shown or 'no run'}{' ...' if len(verdicts) > 6 else ''}")
    if not quiet or wrong:
        print(f"validate: {len(facts) - len(wrong)} of {len(facts)} facts hold in {len(items)} systems")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(prog="validate", description=__doc__.split("\n")[0])
    parser.add_argument("systems", nargs="*", metavar="SYSTEM")
    parser.add_argument("--zeno", default="build/zeno")
    parser.add_argument("--scenes", default=str(HERE.parent / "scenes"))
    parser.add_argument("--out", default="validation")
    parser.add_argument("--work", default="build/validate", help="where results are kept")
    parser.add_argument("--peers", default="build/peers", help="where `make peers` has written")
    parser.add_argument("--jobs", type=int, default=processors())
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--schemes", help="only these, separated by commas, with * and ?; facts about several schemes are left out")
    parser.add_argument("--no-page", action="store_true", help="only the facts")
    parser.add_argument("--bites", action="store_true", help="list every fact with its tolerance as a part of the error that it must notice")
    options = parser.parse_args()
    begun = time.monotonic()
    zeno = str(Path(options.zeno).resolve())
    if not Path(zeno).exists():
        sys.exit(f"validate: {options.zeno} is missing; `make build` makes it")
    systems = load_systems(options.systems, Path(options.scenes))
    if options.schemes:
        only_schemes(systems, options.schemes.split(","))
        options.no_page = True
    runner = Runner(zeno, options.scenes, options.work, options.jobs)
    results = runner.everything(systems, options.quiet)
    features = scheme_features(zeno)
    artist, animator, items = Artist(zeno, options.work), Animator(zeno, runner), []
    if animator.viewer is None and not options.no_page:
        print("validate: the viewer is not there (`make viewer`), so the page has drawings instead of animations", file=sys.stderr)
    for system in systems:
        judged = judge(results[system.name], features)
        pictures = None if options.no_page else Pictures(artist, animator, system, results[system.name])
        items.append((system, results[system.name], judged, pictures))
        for result in results[system.name].runs.values():
            result.forget()
    if not options.no_page:
        Path(options.out).mkdir(parents=True, exist_ok=True)
        runs = sum(len(system.runs) + len(system.studies) for system in systems)
        place = Path(options.out) / "index.html"
        place.write_text(page(items, About(zeno, runs, time.monotonic() - begun, animator.scripts(), peers_section(options.peers, artist))))
        if not options.quiet:
            print(f"validate: {place} written ({place.stat().st_size / 1e6:.1f} MB), {runner.fresh} of {runs} runs were new, "
                  f"{time.monotonic() - begun:.0f} s")
    if options.bites:
        list_bites(items)
    return report(items, options.quiet)


if __name__ == "__main__":
    sys.exit(main())
