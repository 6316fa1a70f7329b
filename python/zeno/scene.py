# SPDX-License-Identifier: Apache-2.0
"""Scenes: a description of a system, and runs of it."""
from __future__ import annotations

import json
import os
from typing import Any, Callable, Mapping, Optional, Union

from . import _zeno, arrays, errors, look
from .result import Result

Progress = Union[bool, Callable[[float, int], None]]


def _formula(value: Any) -> str:
    """A number as a formula with all of its digits; a text is a formula itself."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        raise TypeError("a parameter is a number or a formula, not True or False")
    return repr(int(value)) if isinstance(value, int) else repr(float(value))


def _plain(value: Any) -> Any:
    """Arrays and tuples as lists, for JSON."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise TypeError(f"a scene cannot hold {value!r}")


def settings_of(scheme: Optional[str], step: Any, end: Optional[float], more: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as the library takes them, from the words of scenes."""
    first = {"scheme": scheme, "step": step if step == "auto" or step is None else float(step), "end": None if end is None else float(end)}
    return {**{name: value for name, value in first.items() if value is not None}, **more}


def _values(settings: Mapping[str, str]) -> dict[str, Any]:
    """Settings with numbers as numbers and true and false as such."""

    def value(text: str) -> Any:
        if text in ("true", "false"):
            return text == "true"
        try:
            number = float(text)
        except ValueError:
            return text
        return int(number) if number == int(number) and "e" not in text and "." not in text else number

    return {name: value(text) for name, text in settings.items()}


class Simulation:
    """A system that goes through time step by step.

    ``q`` and ``u`` are arrays that always show the present state; they are read-only.
    """

    def __init__(self, core_model: Any, chosen: Mapping[str, Any], title: str = "", text: str = ""):
        try:
            self._core = _zeno.Simulation(core_model, dict(chosen))
        except _zeno.Error as error:
            raise errors.from_library(error, errors.SceneError) from None
        self._model = core_model.model
        self._title, self._text = title, text
        self.q = arrays.asarray(self._core.q)
        self.u = arrays.asarray(self._core.u)
        self._step = self._core.step

    def step(self) -> None:
        """One step; the last one lands on the end."""
        try:
            self._step()
        except _zeno.Error as error:
            raise errors.from_library(error, errors.StepError) from None

    @property
    def t(self) -> float:
        """The present time."""
        return self._core.t

    @property
    def done(self) -> bool:
        """Whether the end is reached."""
        return self._core.done

    @property
    def settings(self) -> dict[str, Any]:
        """All settings: numbers as numbers, choices as words."""
        return _values(self._core.settings)

    @property
    def coordinates(self) -> list[str]:
        """Names of the entries of ``q``."""
        return self._model["coordinates"]

    @property
    def velocities(self) -> list[str]:
        """Names of the entries of ``u``."""
        return self._model["velocities"]

    @property
    def outputs(self) -> dict[str, float]:
        """The outputs that the scene asks for, at the present state."""
        try:
            return dict(zip(self._model["outputs"], self._core.outputs))
        except _zeno.Error as error:
            raise errors.from_library(error, errors.StepError) from None

    @property
    def energy(self) -> tuple[float, float]:
        """Kinetic and potential energy."""
        return self._core.energy

    @property
    def gaps(self) -> dict[str, float]:
        """The gap of each contact."""
        return dict(zip((contact["name"] for contact in self._model["contacts"]), self._core.gaps))

    @property
    def percussions(self) -> dict[str, list[float]]:
        """Integrals of forces over the last step: of each constraint, and of each contact [normal, friction ...]."""
        return self._by_name(self._core.percussions)

    @property
    def percussion_totals(self) -> dict[str, list[float]]:
        """The same, over all steps."""
        return self._by_name(self._core.percussion_totals)

    def _by_name(self, values: list[float]) -> dict[str, list[float]]:
        found = {name: [values[row]] for row, name in enumerate(self._model["constraints"])}
        for contact in self._model["contacts"]:
            normal = [values[contact["row_N"]]] if contact["row_N"] >= 0 else []
            found[contact["name"]] = normal + values[contact["row_F"] : contact["row_F"] + contact["nF"]]
        return found

    @property
    def statistics(self) -> dict[str, Any]:
        """What the steps took so far, and the largest violations."""
        return self._core.statistics

    def run(self, out: "Optional[str | os.PathLike[str]]" = None, progress: Progress = False, account: bool = True) -> Result:
        """Goes on to the end and returns the rows since now; with ``out`` they are written to a file as they are computed."""
        bar = look.Bar(float(self.settings["end"])) if progress is True else None
        report = bar if bar is not None else progress if callable(progress) else None
        path = None if out is None else os.fspath(out)
        try:
            status, core, error = self._core.run(path, path is None, account, self._title, self._text, report)
        except _zeno.Error as failure:
            raise errors.from_library(failure) from None
        finally:
            if bar is not None:
                bar.close()
        return self._finish(status, core, error, path)

    def _finish(self, status: int, core: Any, error: Any, path: Optional[str]) -> Result:
        if core is None and path is not None:
            core = _zeno.Result(path if error is None else path + ".partial")
        facts = {"status": "ok", "message": "", "statistics": self.statistics, "account": self._core.account, "log": self._core.log}
        result = Result(core, facts)
        if error is None:
            return result
        if isinstance(error, BaseException):
            facts["status"], facts["message"] = "stopped", str(error) or type(error).__name__
            if isinstance(error, KeyboardInterrupt):
                raise errors.Stopped(f"stopped at t = {self.t:.9g}", result) from None
            raise error
        failure = errors.from_library(error, errors.StepError, result=result)
        facts["status"], facts["message"] = failure.status, str(failure)
        raise failure


class Scene:
    """A system with its settings, from YAML text or from a dictionary with the same keys.

    Parts can be added by name, with the keys of scenes as keyword arguments::

        scene = zeno.Scene(title="Pendulum", gravity=[0, -9.81])
        scene.body("rod", type="planar", mass=1, inertia=1 / 12, position=[0, -0.5])
        scene.joint("pin", type="revolute", between=["world", "rod"], at=[0, 0])
    """

    def __init__(self, description: "str | Mapping[str, Any] | None" = None, parameters: Optional[Mapping[str, Any]] = None, name: str = "scene",
                 **entries: Any):
        self._name = name
        self._path: Optional[str] = None
        self._sets = [f"{key}={_formula(value)}" for key, value in (parameters or {}).items()]
        self._made: Any = None
        if isinstance(description, str):
            if entries:
                raise TypeError("entries go into a scene that is a dictionary, not into a text")
            self._text: Optional[str] = description
            self._entries: dict[str, Any] = {}
            self._core  # mistakes are reported here
        else:
            self._text = None
            self._entries = _plain({**(description or {}), **entries})
            if description is not None:
                self._core

    @classmethod
    def _load(cls, path: str, parameters: Mapping[str, Any]) -> "Scene":
        self = cls.__new__(cls)
        self._name, self._path, self._text, self._entries, self._made = path, path, None, {}, None
        self._sets = [f"{key}={_formula(value)}" for key, value in parameters.items()]
        self._core
        return self

    @property
    def _core(self) -> Any:
        if self._made is None:
            text = self._text if self._text is not None or self._path is not None else json.dumps(self._entries, indent=1)
            try:
                self._made = _zeno.Scene(self._path, self._name, text, self._sets)
            except _zeno.Error as error:
                raise errors.from_library(error, errors.SceneError) from None
        return self._made

    # ---- building ----

    def add(self, section: str, name: str, **entries: Any) -> "Scene":
        """Adds an entry to a section of the scene: ``scene.add("contacts", "floor", between=["ball", "ground"])``."""
        if self._text is not None or self._path is not None:
            raise TypeError("parts can be added to a scene that is a dictionary, not to a text")
        here = self._entries.setdefault(section, {})
        if name in here:
            raise ValueError(f"there is '{name}' in '{section}' already")
        here[name] = _plain(entries)
        self._made = None
        return self

    def set(self, **entries: Any) -> "Scene":
        """Sets whole sections: ``scene.set(gravity=[0, -9.81], simulation={"step": 1e-3, "end": 1})``."""
        if self._text is not None or self._path is not None:
            raise TypeError("sections can be set in a scene that is a dictionary, not in a text")
        self._entries.update(_plain(entries))
        self._made = None
        return self

    def body(self, name: str, **entries: Any) -> "Scene":
        """Adds a body."""
        return self.add("bodies", name, **entries)

    def joint(self, name: str, **entries: Any) -> "Scene":
        """Adds a joint."""
        return self.add("joints", name, **entries)

    def force(self, name: str, **entries: Any) -> "Scene":
        """Adds a force, a spring or an actuator."""
        return self.add("forces", name, **entries)

    def geometry(self, name: str, **entries: Any) -> "Scene":
        """Adds a geometry, which contacts are between."""
        return self.add("geometry", name, **entries)

    def contact(self, name: str, **entries: Any) -> "Scene":
        """Adds a contact."""
        return self.add("contacts", name, **entries)

    def flexible(self, name: str, **entries: Any) -> "Scene":
        """Adds a flexible body."""
        return self.add("flexible", name, **entries)

    # ---- what it is ----

    @property
    def title(self) -> str:
        """Its title."""
        return self._core.title

    @property
    def text(self) -> str:
        """Its text."""
        return self._core.text

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of its runs, unless they say otherwise."""
        return _values(self._core.settings)

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates."""
        return self._core.model["coordinates"]

    @property
    def velocities(self) -> list[str]:
        """Names of the velocities."""
        return self._core.model["velocities"]

    @property
    def constraints(self) -> list[str]:
        """Names of the rows of bilateral constraints."""
        return self._core.model["constraints"]

    @property
    def contacts(self) -> list[str]:
        """Names of the contacts."""
        return [contact["name"] for contact in self._core.model["contacts"]]

    def __repr__(self) -> str:
        return f"<zeno.Scene {self.title!r}: {len(self.coordinates)} coordinates, {len(self.constraints)} constraints, {len(self.contacts)} contacts>"

    # ---- runs ----

    def simulation(self, scheme: Optional[str] = None, step: Any = None, end: Optional[float] = None, **settings: Any) -> Simulation:
        """A simulation that goes step by step."""
        core = self._core
        return Simulation(core, settings_of(scheme, step, end, settings), core.title, core.text)

    def run(self, scheme: Optional[str] = None, step: Any = None, end: Optional[float] = None, *,
            out: "Optional[str | os.PathLike[str]]" = None, progress: Progress = False, account: bool = True, **settings: Any) -> Result:
        """Runs to the end. ``scheme`` may have its stages ("radau-2a:2"), ``step`` may be "auto"; other settings go by their names in scenes.

        With ``out`` the rows are written to a file as they are computed. ``progress`` is True, or a function of (t, steps).
        """
        return self.simulation(scheme, step, end, **settings).run(out, progress, account)


def load(path: "str | os.PathLike[str]", **parameters: Any) -> Scene:
    """Reads a scene; keyword arguments replace entries of its ``parameters``: ``zeno.load("scene.yaml", omega=20)``."""
    return Scene._load(os.fspath(path), parameters)
