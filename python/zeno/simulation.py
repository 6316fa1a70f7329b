# SPDX-License-Identifier: Apache-2.0
"""Simulations: a system that goes through time, step by step or to the end."""
from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, NamedTuple, Optional, Union

from . import _zeno, arrays, errors, look
from .arrays import Array
from .result import Result

Progress = Union[bool, Callable[[float, int], None]]

#: How an input follows a table over time.
_WAYS = ("held", "linear", "cubic")
#: Outputs that only the drawing reads begin with it.
POSES = "view."


def number(value: Any, what: str) -> float:
    """A number, or a sentence. True and False are none, though Python counts with them."""
    if isinstance(value, (bool, arrays.Bool)) or (isinstance(value, str) and what != "step"):
        raise TypeError(f"{what} must be a number, not {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be a number, not {value!r}") from None


def settings_of(scheme: Optional[str], step: Any, end: Optional[float], more: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as the library takes them, from the words of scenes; what is None is not given."""
    first = {"scheme": scheme, "step": step if step is None or (isinstance(step, str) and step == "auto") else number(step, "step"),
             "end": None if end is None else number(end, "end")}
    return {name: bool(value) if isinstance(value, arrays.Bool) else value for name, value in {**first, **more}.items() if value is not None}


def values_of(settings: Mapping[str, str]) -> dict[str, Any]:
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


class Event(NamedTuple):
    """An event of the scene that has happened."""

    name: str
    time: float


class Inputs(MutableMapping[str, float]):
    """Inputs and live parameters of a simulation by name; what is set is used by the next step.

    A sequence of times and one of values, ``inputs["torque"] = times, values``, is a table that the input follows from then on; a third word says how:
    "held" (each value holds until the next time; the default), "linear" or "cubic".
    """

    def __init__(self, simulation: "Simulation"):
        self._simulation = simulation

    def __getitem__(self, name: str) -> float:
        if name not in self._simulation._core.inputs:
            raise KeyError(f"there is no input {name!r}; the inputs are {', '.join(self) or 'none'}")
        value: float = self._simulation._core.input(name)
        return value

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(value, tuple):
            self._follow(name, *value)
        else:
            self._simulation._ask(self._simulation._core.set_input, name, number(value, f"input '{name}'"))

    def _follow(self, name: str, times: Any, values: Any = None, how: str = "held") -> None:
        if values is None:
            raise TypeError(f"the table of input '{name}' is (times, values), optionally followed by \"held\", \"linear\" or \"cubic\"")
        if how not in _WAYS:
            raise ValueError(f"an input is {', '.join(_WAYS[:-1])} or {_WAYS[-1]}, not {how!r}")
        x, y = arrays.floats(times, f"the times of input '{name}'"), arrays.floats(values, f"the values of input '{name}'")
        if len(x) != len(y):
            raise ValueError(f"the table of input '{name}' has {len(x)} times, but {len(y)} values")
        self._simulation._ask(self._simulation._core.follow, name, x, y, how == "cubic", how == "held")
        self._simulation._tables[name] = x, y, how

    def __delitem__(self, name: str) -> None:
        raise TypeError("an input can be set, not deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._simulation._core.inputs)

    def __len__(self) -> int:
        return len(self._simulation._core.inputs)

    def __repr__(self) -> str:
        return repr(dict(self))


class Simulation:
    """A system that goes through time step by step.

    ``q`` and ``u`` are arrays that always show the present state; they are read-only. A copy (``copy.deepcopy``, also by ``pickle``) goes on by itself from the
    present state, bit for bit. ``close`` or a ``with`` statement frees its memory before Python would.
    """

    q: Array
    u: Array
    inputs: Inputs

    def __init__(self, owner: Any, chosen: Mapping[str, Any], inputs: Optional[Mapping[str, Any]] = None):
        core_model = owner._core
        try:
            self._core = _zeno.Simulation(core_model, dict(chosen))
        except _zeno.Error as error:
            raise errors.from_library(error, errors.SceneError) from None
        self._owner, self._chosen = owner, dict(chosen)
        self._model = core_model.model
        self._tables: dict[str, tuple[Any, Any, str]] = {}  # that inputs follow
        self.q = arrays.asarray(self._core.q)
        self.u = arrays.asarray(self._core.u)
        self._step = self._core.step
        self.inputs = Inputs(self)
        for name, value in (inputs or {}).items():
            self.inputs[name] = value

    def _ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except _zeno.Error as error:
            raise errors.from_library(error, errors.Error) from None

    def __reduce__(self) -> Any:
        return _again, (self._owner, self._chosen, self._tables, self.snapshot())

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<zeno.Simulation {self._owner.title!r} at t = {self.t:.9g}{', done' if self.done else ''}>"

    def close(self) -> None:
        """Frees its memory. ``q``, ``u`` and ``t`` stay as they are; everything else is a RuntimeError from then on."""
        self._core.close()

    def snapshot(self) -> bytes:
        """Everything that goes from one step to the next, as bytes."""
        snapshot: bytes = self._ask(self._core.save)
        return snapshot

    def restore(self, snapshot: bytes) -> None:
        """Goes on from a snapshot of the same system with the same settings (but for the end), bit for bit."""
        self._ask(self._core.restore, bytes(snapshot))

    def reset(self) -> None:
        """Back to the start, with the inputs of the scene; those that follow tables do so again."""
        self._ask(self._core.reset)

    def set_state(self, q: Any = None, u: Any = None, project: bool = True) -> None:
        """Other positions and velocities at the present time; moved onto the constraints unless ``project`` is false."""
        floats = [None if values is None else arrays.floats(values, name) for name, values in (("q", q), ("u", u))]
        self._ask(self._core.set_state, *floats, project)

    def step(self) -> None:
        """One step; the last one lands on the end."""
        try:
            self._step()
        except _zeno.Error as error:
            raise errors.from_library(error, errors.StepError) from None

    def __getitem__(self, name: str) -> float:
        """A present value by its name in formulas: a coordinate, velocity, input, sampled value, mode (1 or 0), or an output."""
        for names, values in ((self._model["coordinates"], self.q), (self._model["velocities"], self.u)):
            if name in names:
                return float(values[names.index(name)])
        try:
            value: float = self._core.input(name)
            return value
        except _zeno.Error:
            pass
        outputs = self.outputs
        if name in outputs:
            return outputs[name]
        raise KeyError(f"there is no {name!r}; the names are {', '.join([*self.coordinates, *self.velocities, *self.inputs, *outputs])}")

    @property
    def t(self) -> float:
        """The present time."""
        return self._core.t

    @property
    def done(self) -> bool:
        """Whether the end is reached, or an event stopped it."""
        return self._core.done

    @property
    def settings(self) -> dict[str, Any]:
        """All settings: numbers as numbers, choices as words."""
        return values_of(self._core.settings)

    @property
    def coordinates(self) -> list[str]:
        """Names of the entries of ``q``."""
        return list(self._model["coordinates"])

    @property
    def velocities(self) -> list[str]:
        """Names of the entries of ``u``."""
        return list(self._model["velocities"])

    @property
    def outputs(self) -> dict[str, float]:
        """The outputs that the scene asks for, at the present state."""
        try:
            values = zip(self._model["outputs"], self._core.outputs)
        except _zeno.Error as error:
            raise errors.from_library(error, errors.StepError) from None
        return {name: value for name, value in values if not name.startswith(POSES)}

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
    def found_contacts(self) -> list[dict[str, Any]]:
        """Contacts that shapes have found: of each its ``name``, ``shapes``, ``features``, ``gap``, ``point``, ``normal`` (from the second shape to the first), ``push``
        (normal percussion of the last step) and ``percussion`` (with friction, on the first)."""
        return self._core.found

    @property
    def events(self) -> list[Event]:
        """Events of the scene so far."""
        return [Event(*event) for event in self._core.events]

    @property
    def message(self) -> str:
        """The message of the event that stopped it; empty where none did."""
        return self._core.stop_message or ""

    @property
    def contact_events(self) -> list[dict[str, Any]]:
        """Contact events that were located so far (``contact_events="located"``): ``time``, ``contact``, ``kind``, velocities before and after, impulses."""
        return self._core.contact_events

    @property
    def energy_warnings(self) -> list[dict[str, Any]]:
        """The first impacts that created energy: ``contact``, ``time``, ``gained``."""
        return self._core.energy_warnings

    @property
    def statistics(self) -> dict[str, Any]:
        """What the steps took so far, and the largest violations."""
        return self._core.statistics

    @property
    def log(self) -> list[tuple[str, str]]:
        """What the library had to say: (level, sentence)."""
        return self._core.log

    def run(self, out: "Optional[str | os.PathLike[str]]" = None, progress: Progress = False, account: bool = True) -> Result:
        """Goes on to the end and returns the rows since now; with ``out`` they are written to a file as they are computed."""
        bar = look.Bar(float(self.settings["end"])) if progress is True else None
        report = bar if bar is not None else progress if callable(progress) else None
        path = None if out is None else os.fsdecode(out)
        try:
            status, core, error = self._core.run(path, path is None, bool(account), self._owner.title, self._owner.text, report)
        except _zeno.Error as failure:
            raise errors.from_library(failure) from None
        finally:
            if bar is not None:
                bar.close()
        return self._finish(core, error, path)

    def _finish(self, core: Any, error: Any, path: Optional[str]) -> Result:
        if core is None and path is not None:
            core = _zeno.Result(path if error is None else path + ".partial")
        message = self.message
        facts = {"status": "event" if message else "ok", "message": message, "statistics": self.statistics, "account": self._core.account, "log": self._core.log,
                 "energy_warnings": self.energy_warnings}
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


def _again(owner: Any, chosen: Mapping[str, Any], tables: Mapping[str, Any], snapshot: bytes) -> Simulation:
    """A copy: another one of the same system, that goes on from a snapshot."""
    simulation = Simulation(owner, chosen, tables)
    simulation.restore(snapshot)
    return simulation
