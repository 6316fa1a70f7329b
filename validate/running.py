# SPDX-License-Identifier: Apache-2.0
"""Executes runs and studies side by side, keeps what they gave by (program, scene, arguments), and says how far it is."""
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from result import Result, StudyResult

TIME_LIMIT = 300  # seconds for one run; a run that needs longer is a failure


def with_settings(text, settings):
    """A scene's text with entries of its `simulation: {...}` replaced or added."""
    if not settings:
        return text
    match = re.search(r"^simulation: *\{(.*)\} *$", text, re.MULTILINE)
    if not match:
        raise ValueError("the scene has no line `simulation: {...}`")
    entries = dict(part.split(":", 1) for part in match.group(1).split(","))
    entries = {key.strip(): value.strip() for key, value in entries.items()}
    entries.update({key: str(value) for key, value in settings})
    line = "simulation: {" + ", ".join(f"{key}: {value}" for key, value in entries.items()) + "}"
    return text[: match.start()] + line + text[match.end():]


def run_options(run):
    options = ["--scheme", run.scheme]
    for name, value in (("--step", run.step), ("--end", run.end)):
        options += [name, f"{value:g}" if isinstance(value, float) else str(value)] if value is not None else []
    for entry in run.sets:
        options += ["--set", entry]
    return options


class Runner:
    def __init__(self, zeno, scenes, work, jobs):
        self.zeno, self.scenes, self.jobs = str(zeno), Path(scenes), jobs
        self.cache = Path(work) / "cache"
        self.cache.mkdir(parents=True, exist_ok=True)
        self.program = hashlib.sha256(Path(zeno).read_bytes()).hexdigest()
        self.fresh = 0

    def scene_text(self, name, settings):
        return with_settings((self.scenes / f"{name}.yaml").read_text(), settings)

    def _place(self, scene_text, arguments):
        key = hashlib.sha256("\0".join([self.program, scene_text, *arguments]).encode()).hexdigest()[:32]
        return self.cache / key

    def _scene_file(self, name, settings):
        """The scene itself, or a copy with the settings."""
        if not settings:
            return self.scenes / f"{name}.yaml"
        text = self.scene_text(name, settings)
        place = self.cache / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.yaml"
        if not place.exists():
            place.write_text(text)
        return place

    def _execute(self, arguments):
        try:
            done = subprocess.run([self.zeno, *arguments], capture_output=True, text=True, timeout=TIME_LIMIT)
            return done.returncode, done.stdout, done.stderr.strip()
        except subprocess.TimeoutExpired:
            return 1, "", f"error: not done after {TIME_LIMIT} s"

    def _kept(self, place, arguments, outputs):
        """(status, stdout, stderr) from the cache or by execution; `outputs` are files that must be there."""
        record = place.with_suffix(".json")
        if record.exists() and all(Path(path).exists() for path in outputs):
            return json.loads(record.read_text())
        self.fresh += not place.name.endswith("-time")
        answer = self._execute(arguments)
        if answer[0] == 0:
            outputs = [path for path in outputs if not Path(path).exists()]
            if outputs:
                raise RuntimeError(f"{outputs[0]} was not written by {self.zeno} {' '.join(arguments)}")
        record.write_text(json.dumps(answer))
        return answer

    def run(self, run):
        text = self.scene_text(run.scene, run.settings)
        options = run_options(run)
        place = self._place(text, ["run", *options])
        table = place.with_suffix(".csv")
        scene = self._scene_file(run.scene, run.settings)
        record = place.with_suffix(".json")
        kept = record.exists() and (table.exists() or json.loads(record.read_text())[0] != 0)
        code, out, err = self._kept(place, ["run", str(scene), *options, "--summary", "--out", str(table)], [table] if not kept else [])
        summary = json.loads(out) if out.strip() else {}
        if run.timed and code == 0:
            out = self._kept(Path(f"{place}-time"), ["run", str(scene), *options, "--summary"], [])[1]
            summary["wall_seconds"] = json.loads(out)["wall_seconds"]
        status = {0: "ok", 1: "failed"}.get(code, "refused")
        message = err.split("\n")[0].removeprefix("error: ").split("; schemes that do")[0] if status == "refused" else summary.get("message") or err.split("\n")[0]
        path = table if status == "ok" else Path(str(table) + ".partial")
        extra = "".join(f"  # {key}: {value}" for key, value in run.settings)
        return Result(run, status, summary, message, path, " ".join(["zeno run", f"scenes/{run.scene}.yaml", *options]) + extra)

    def page_data(self, run, every):
        """What the viewer shows of a run of which every so many steps are recorded: JSON, or None."""
        settings = tuple({**dict(run.settings), "record_every": str(every)}.items())
        options = run_options(run)
        place = self._place(self.scene_text(run.scene, settings), ["page", *options])
        result, data = place.with_suffix(".h5"), Path(f"{place}-page.json")
        if not data.exists():
            scene = self._scene_file(run.scene, settings)
            if self._execute(["run", str(scene), *options, "--quiet", "--out", str(result)])[0] == 0:
                self._execute(["page", str(result), "--out", str(data)])
        return data.read_text() if data.exists() else None

    def study(self, study):
        text = self.scene_text(study.scene, study.settings)
        options = ["--scheme", ",".join(study.schemes), "--steps", ",".join(f"{h:.10g}" for h in study.steps), "--reference",
                   f"{study.reference:.10g}", "--end", f"{study.end:.10g}"]
        for entry in study.sets:
            options += ["--set", entry]
        place = self._place(text, ["converge", *options])
        picture = place.with_suffix(".svg")
        scene = self._scene_file(study.scene, study.settings)
        arguments = ["converge", str(scene), *options, "--summary", "--plot", str(picture)]
        code, out, err = self._kept(place, arguments, [picture])
        extra = "".join(f"  # {key}: {value}" for key, value in study.settings)
        return StudyResult(study, "ok" if code == 0 else "failed", out, err.split("\n")[0], picture,
                           " ".join(["zeno converge", f"scenes/{study.scene}.yaml", *options]) + extra)

    def everything(self, systems, quiet=False):
        """All runs and studies of all systems: {system name: SystemResults}."""
        results = {system.name: SystemResults(system) for system in systems}
        tasks = [(run.weight, "run", system.name, key, run) for system in systems for key, run in system.runs.items()]
        tasks += [(study.weight, "study", system.name, tag, study) for system in systems for tag, study in system.studies.items()]
        tasks.sort(key=lambda task: -task[0])
        begun = time.monotonic()
        with ThreadPoolExecutor(self.jobs) as pool:
            waiting = {pool.submit(self.run if kind == "run" else self.study, task): (kind, name, key) for _, kind, name, key, task in tasks}
            for count, future in enumerate(as_completed(waiting), 1):
                kind, name, key = waiting[future]
                (results[name].runs if kind == "run" else results[name].studies)[key] = future.result()
                if not quiet:
                    progress(count, len(tasks), time.monotonic() - begun)
        return results


def progress(count, total, seconds):
    if sys.stderr.isatty():
        print(f"\rvalidate: {count} of {total} runs, {seconds:.0f} s", end="\n" if count == total else "", file=sys.stderr, flush=True)
    elif count == total or count % 100 == 0:
        print(f"validate: {count} of {total} runs, {seconds:.0f} s", file=sys.stderr, flush=True)


class SystemResults:
    """What the runs of one system gave, for facts over several of them."""

    def __init__(self, system):
        self.system, self.runs, self.studies = system, {}, {}

    def __call__(self, scheme, tag=""):
        return self.runs[tag, scheme]

    def study(self, tag):
        return self.studies[tag]


def processors():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
