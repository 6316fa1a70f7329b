# SPDX-License-Identifier: Apache-2.0
"""Scenes: a description of a system, and runs of it."""
from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Optional

from . import _zeno, errors
from .result import Result
from .simulation import POSES, Progress, Simulation, number, settings_of, values_of


def _sets(parameters: Mapping[str, Any]) -> list[str]:
    """Parameters as the library takes them: a number as a formula with all of its digits, a text is a formula itself."""

    def formula(name: str, value: Any) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return repr(value)
        value = number(value, f"parameter '{name}'")
        if value != value or value in (float("inf"), -float("inf")):
            raise ValueError(f"parameter '{name}' must be finite, not {value}")
        return repr(value)

    return [f"{name}={formula(name, value)}" for name, value in parameters.items()]


def _plain(value: Any, where: str = "a scene") -> Any:
    """Arrays and tuples as lists, for JSON; `where` says what holds the value."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item, f"'{key}' of {where}" if where == "a scene" else f"{where}: '{key}'") for key, item in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple, range)):
        return [_plain(item, where) for item in value]
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        raise ValueError(f"{where} must be finite, not {value}")
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise TypeError(f"{where} cannot hold {value!r}")


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
        self._sets = _sets(parameters or {})
        self._made: Optional[_zeno.Scene] = None
        if isinstance(description, os.PathLike) or (isinstance(description, str) and description.endswith((".yaml", ".yml", ".h5")) and "\n" not in description):
            raise TypeError(f"a scene is made from a text or a dictionary; zeno.load reads the file {os.fsdecode(description)!r}")
        if not isinstance(description, (str, Mapping, type(None))):
            raise TypeError(f"a scene is made from a text or a dictionary, not from {description!r}")
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
        self._sets = _sets(parameters)
        self._core
        return self

    @property
    def _core(self) -> _zeno.Scene:
        if self._made is None:
            text = self._text if self._text is not None or self._path is not None else json.dumps(self._entries, indent=1)
            try:
                self._made = _zeno.Scene(self._path, self._name, text, self._sets)
            except _zeno.Error as error:
                raise errors.from_library(error, errors.SceneError) from None
        return self._made

    def __getstate__(self) -> dict[str, Any]:
        path = None if self._path is None else os.path.abspath(self._path)
        return {**self.__dict__, "_made": None, "_path": path}

    # ---- building ----

    def add(self, section: str, name: str, **entries: Any) -> "Scene":
        """Adds an entry to a section of the scene: ``scene.add("contacts", "floor", between=["ball", "ground"])``."""
        if self._text is not None or self._path is not None:
            raise TypeError("parts can be added to a scene that is a dictionary, not to a text")
        here = self._entries.setdefault(section, {})
        if name in here:
            raise ValueError(f"there is '{name}' in '{section}' already")
        here[name] = _plain(entries, f"'{name}' of {section}")
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
    def as_run(self) -> str:
        """A text that needs nothing else: with what it includes, and with the values that parameters were set to."""
        return self._core.as_run

    @property
    def log(self) -> list[tuple[str, str]]:
        """What the library had to say about it: (level, sentence)."""
        return self._core.log

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of its runs, unless they say otherwise."""
        return values_of(self._core.settings)

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates."""
        return list(self._core.model["coordinates"])

    @property
    def velocities(self) -> list[str]:
        """Names of the velocities."""
        return list(self._core.model["velocities"])

    @property
    def constraints(self) -> list[str]:
        """Names of the rows of bilateral constraints."""
        return list(self._core.model["constraints"])

    @property
    def contacts(self) -> list[str]:
        """Names of the contacts."""
        return [contact["name"] for contact in self._core.model["contacts"]]

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs."""
        return [name for name in self._core.model["outputs"] if not name.startswith(POSES)]

    def __repr__(self) -> str:
        try:
            self._core
        except errors.Error as error:  # parts may still be missing
            return f"<zeno.Scene that cannot run yet: {str(error).splitlines()[0]}>"
        return f"<zeno.Scene {self.title!r}: {len(self.coordinates)} coordinates, {len(self.constraints)} constraints, {len(self.contacts)} contacts>"

    # ---- runs ----

    def simulation(self, scheme: Optional[str] = None, step: Any = None, end: Optional[float] = None, *, inputs: Optional[Mapping[str, Any]] = None,
                   **settings: Any) -> Simulation:
        """A simulation that goes step by step. ``inputs``: values of inputs, or tables (times, values) that they follow."""
        return Simulation(self, settings_of(scheme, step, end, settings), inputs)

    def run(self, scheme: Optional[str] = None, step: Any = None, end: Optional[float] = None, *, inputs: Optional[Mapping[str, Any]] = None,
            out: "Optional[str | os.PathLike[str]]" = None, progress: Progress = False, account: bool = True, **settings: Any) -> Result:
        """Runs to the end. ``scheme`` may have its stages ("radau-2a:2"), ``step`` may be "auto"; other settings go by their names in scenes.

        With ``out`` the rows are written to a file as they are computed. ``progress`` is True, or a function of (t, steps). ``inputs`` has values of
        inputs, or tables: ``inputs={"torque": (times, values, "linear")}``.
        """
        return self.simulation(scheme, step, end, inputs=inputs, **settings).run(out, progress, account)


def load(path: "str | os.PathLike[str]", **parameters: Any) -> Scene:
    """Reads a scene, or that of a result (.h5) as it was run; keyword arguments replace entries of its ``parameters``: ``zeno.load("scene.yaml", omega=20)``."""
    return Scene._load(os.fsdecode(path), parameters)
