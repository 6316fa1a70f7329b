# SPDX-License-Identifier: Apache-2.0
"""Studies: convergence, sweeps over parameters; the table of schemes."""
from __future__ import annotations

import builtins
import json
import math
import os
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

from . import _zeno, arrays, program, result
from .scene import Scene


class Scheme(NamedTuple):
    """A scheme and what it supports."""

    name: str
    summary: str
    order: int
    order_text: Optional[str]
    stages_min: int
    stages_max: int
    stages_default: int
    contacts: bool
    friction: bool
    general_kinematics: bool
    velocity_constraints: bool
    any_dynamics: bool


def schemes() -> list[Scheme]:
    """All schemes."""
    return [Scheme(**entry) for entry in _zeno.schemes()]


class Setting(NamedTuple):
    """A setting of runs: an entry of ``simulation`` in scenes, a keyword argument of ``run``."""

    name: str
    value: str
    default: str
    applies: str
    meaning: str


class Joint(NamedTuple):
    """A type of joints, with its rows of constraints in the plane and in space ("-": it is not there)."""

    name: str
    plane: str
    space: str
    meaning: str


class Shape(NamedTuple):
    """A type of shapes, with its keys: needed (others); what it is, and as a shape with mass ("-": it has none)."""

    name: str
    keys: str
    summary: str
    mass: str


class Force(NamedTuple):
    """A type of forces, with its keys: needed (others)."""

    name: str
    keys: str
    meaning: str


def _rows(command: str) -> list[list[str]]:
    rows: list[list[str]] = program.run_json(command)["rows"]
    return rows


def settings() -> list[Setting]:
    """All settings of runs."""
    return [Setting(*row) for row in _rows("settings")]


def joints() -> list[Joint]:
    """All types of joints."""
    return [Joint(*row) for row in _rows("joints")]


def shapes() -> list[Shape]:
    """All types of shapes that touch."""
    return [Shape(*row) for row in _rows("shapes")]


def forces() -> list[Force]:
    """All types of forces, springs and actuators."""
    return [Force(*row) for row in _rows("forces")]


def converge(scene: "Scene | str | os.PathLike[str]", schemes: "str | Sequence[str]", steps: Sequence[float], reference: float,
             end: Optional[float] = None) -> dict[str, Any]:
    """Errors and orders over the step size, against a run with the step ``reference``: what ``zeno converge --summary`` tells."""
    names = schemes if isinstance(schemes, str) else ",".join(schemes)
    arguments = ["--scheme", names, "--steps", ",".join(repr(float(h)) for h in steps), "--reference", repr(float(reference))]
    if end is not None:
        arguments += ["--end", repr(float(end))]
    with tempfile.TemporaryDirectory() as folder:
        path, sets = _file_of(scene, folder)
        found: dict[str, Any] = program.run_json("converge", path, *arguments, *sets)
        return found


def _file_of(scene: "Scene | str | os.PathLike[str]", folder: str) -> tuple[str, list[str]]:
    """The file of a scene, in a folder where it has none, and options for what was replaced in it."""
    if not isinstance(scene, Scene):
        return os.fspath(scene), []
    sets = [part for replacement in scene._sets for part in ("--set", replacement)]
    if scene._path is not None:
        return scene._path, sets
    path = os.path.join(folder, "scene.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(scene.text)
    return path, sets


class Study:
    """What was kept of many runs: an array for each name, with one entry (or row) for each run.

    ``values``: what varies; ``kept``: what was kept; ``names``: of the columns of what has several; ``status`` (0: all went well), ``reached``: the time
    that a run reached.
    """

    def __init__(self, path: "str | os.PathLike[str]"):
        file = result.open(os.fspath(path))
        if "status" not in file.datasets or "reached" not in file.datasets:
            raise ValueError(f"{os.fspath(path)} is no study; zeno.open reads results")
        self.case: dict[str, Any] = json.loads(file._core.text("case") or "{}")
        self.first = int(file._core.text("first") or 0)
        words = {axis["name"]: axis["words"] for axis in self.case.get("axes", []) if "words" in axis}
        self._places = {name[len("values/"):]: arrays.copy(file.dataset(name)) for name in file.datasets if name.startswith("values/")}
        self.values = {name: _words(words[name], places) if name in words else places for name, places in self._places.items()}
        self.kept = {name[len("kept/"):]: arrays.copy(file.dataset(name)) for name in file.datasets if name.startswith("kept/")}
        self.names = {name: file.names("kept/" + name) for name, values in self.kept.items() if getattr(values, "ndim", 1) > 1}
        self.status = arrays.copy(file.dataset("status"))
        self.reached = arrays.copy(file.dataset("reached"))
        self._events: dict[str, Any] = {} if arrays.numpy is None else file.events

    def __getitem__(self, name: str) -> Any:
        return self.values[name] if name in self.values else self.kept[name]

    def __len__(self) -> int:
        return len(self.status)

    def __repr__(self) -> str:
        return f"<zeno.Study of {len(self)} runs over {', '.join(self.values)}: {', '.join(self.kept)}>"

    @property
    def events(self) -> dict[str, Any]:
        """Run (``row``), event, time and columns of each event, as arrays."""
        arrays.need_numpy("events")
        return self._events

    def command(self, run: int, out: str = "run.h5") -> str:
        """How one run is done by itself: a command for a shell, whatever the names in it are."""
        if not self.case:
            raise ValueError("the study has no record of how to repeat its runs: it was made by an earlier version")
        words = ["zeno", "run", self.case["scene"]] + [word for option in self.case["options"] for word in option]
        for axis in self.case["axes"]:
            value = self.values[axis["name"]][run]
            text = value if isinstance(value, str) else repr(float(value))
            words += [axis["option"], f"{axis['name']}={text}" if axis["option"] in ("--set", "--start") else text]
        return shlex.join(words + ["--out", out])

    def to_xarray(self, grid: bool = False) -> Any:
        """An xarray Dataset over ``run``, with what varies as coordinates; with ``grid`` over what varies, where every combination was run once."""
        import xarray

        def over_runs(name: str, values: Any) -> Any:
            return (["run"] + [f"{name} column"] * (values.ndim - 1), values)

        columns = {name: over_runs(name, values) for name, values in self.kept.items()}
        columns["status"], columns["reached"] = over_runs("status", self.status), over_runs("reached", self.reached)
        coordinates = {name: (["run"], values) for name, values in self.values.items()}
        coordinates.update({f"{name} column": ([f"{name} column"], names) for name, names in self.names.items()})
        found = xarray.Dataset(columns, coords=coordinates)
        if not grid:
            return found
        sizes = [len(set(values)) for values in self.values.values()]
        if math.prod(sizes) != len(self) or len(set(builtins.zip(*self.values.values()))) != len(self):
            raise ValueError("the runs are no grid: not every combination of values was run once")
        if len(sizes) == 1:
            return found.swap_dims({"run": next(iter(self.values))})
        return found.set_index(run=list(self.values)).unstack("run")


def _words(words: Sequence[str], places: Any) -> Any:
    """The words that stand at places of a list."""
    found = [words[int(place)] for place in places]
    return found if arrays.numpy is None else arrays.numpy.array(found)


def sweep(scene: "Scene | str | os.PathLike[str]", vary: "Mapping[str, Any] | None" = None, keep: "str | Sequence[str] | None" = None, *,
          start: Optional[float] = None, samples: Optional[int] = None, sampling: Optional[str] = None, seed: Optional[int] = None,
          zip: bool = False, threads: Optional[int] = None, out: "str | os.PathLike[str] | None" = None, **settings: Any) -> Study:
    """Many runs of a scene over parameters, settings and starts, on all cores: ``zeno sweep``.

    ``vary={"omega": "0:100:21", "mu": [0.1, 0.2]}``: texts as the program takes them, or sequences of values. ``keep="last:q,u"``. Rows before ``start``
    do not count. ``out``: the file of the study, which is continued where it exists; else nothing is left behind.
    """
    arguments: list[str] = []
    for name, values in (vary or {}).items():
        text = values if isinstance(values, str) else ",".join(value if isinstance(value, str) else repr(float(value)) for value in values)
        arguments += ["--vary", f"{name}={text}"]
    for text in [keep] if isinstance(keep, str) else keep or []:
        arguments += ["--keep", text]
    options = {"from": start, "samples": samples, "sampling": sampling, "seed": seed, "threads": threads}
    for name, value in {**options, **settings}.items():
        if value is not None:
            arguments += ["--" + name.replace("_", "-"), value if isinstance(value, str) else repr(value)]
    if zip:
        arguments.append("--zip")
    with tempfile.TemporaryDirectory() as folder:
        path, sets = _file_of(scene, folder)
        file = os.fspath(out) if out is not None else os.path.join(folder, "study.h5")
        program.run("sweep", path, *arguments, *sets, "--quiet", "--out", file)
        return Study(file)
