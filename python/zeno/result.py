# SPDX-License-Identifier: Apache-2.0
"""Results: what a run computed, from memory or from a file."""
from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any, Optional

from . import _zeno, arrays, errors, look
from .arrays import Array


class Result:
    """A table over time.

    ``result["crank.phi"]`` is a column by name, ``result.t``, ``result.q``, ``result.u`` and the other datasets are arrays with one
    row for each recorded time. Arrays are read-only views of the memory of the result.
    """

    t: Array
    q: Array
    u: Array
    percussion: Array
    gap: Array
    energy: Array
    output: Array
    dissipation: Array
    acceleration: Array
    force: Array
    iterations: Array

    def __init__(self, core: _zeno.Result, facts: Optional[dict[str, Any]] = None):
        self._core = core
        self._facts = facts or {}
        self._datasets = core.datasets
        self._cache: dict[str, Any] = {}

    # ---- columns ----

    def __len__(self) -> int:
        return self._core.rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self.columns or self._find(name) is not None)

    def _find(self, name: str) -> Optional[int]:
        try:
            return self._core.find(name)
        except _zeno.Error:
            return None

    def __getitem__(self, name: str) -> Array:
        if not isinstance(name, str):
            raise TypeError(f"a column goes by its name, not by {name!r}")
        if name not in self._cache:
            try:
                self._cache[name] = arrays.asarray(self._core.values(self._core.find(name)))
            except _zeno.Error as error:
                sentence = error.args[1]
                raise KeyError(sentence) from None
        column: Array = self._cache[name]
        return column

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return self._core.columns

    @property
    def datasets(self) -> dict[str, str]:
        """The datasets with a sentence about each."""
        return {name: meaning or "" for name, (_, _, _, meaning, _) in self._datasets.items()}

    def names(self, dataset: str) -> list[str]:
        """The names of the columns within a dataset: ``result.names("q")``."""
        return list(self._dataset(dataset)[2])

    def _dataset(self, name: str) -> Any:
        if name not in self._datasets:
            raise KeyError(f"there is no dataset '{name}'; the datasets are {', '.join(self._datasets)}")
        return self._datasets[name]

    def dataset(self, name: str) -> Any:
        """A dataset as an array of rows x columns (``t``: a vector)."""
        key = "dataset " + name
        if key not in self._cache:
            first, count, _, _, is_vector = self._dataset(name)
            if is_vector:
                self._cache[key] = arrays.asarray(self._core.values(first))
            else:
                self._cache[key] = self._table(first, count)
        return self._cache[key]

    def _table(self, first: int, count: int) -> Any:
        block = self._core.table(first, count)
        if block is not None:
            return arrays.asarray(block)
        columns = [arrays.asarray(self._core.values(first + i)) for i in range(count)]
        if arrays.numpy is None:
            return columns
        table = arrays.numpy.stack(columns, axis=1)
        table.flags.writeable = False
        return table

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._datasets:
            return self.dataset(name)
        raise AttributeError(f"a result has no '{name}'; the datasets are {', '.join(self._datasets)}")

    def __dir__(self) -> list[str]:
        return sorted(set(super().__dir__()) | set(self._datasets))

    # ---- facts ----

    @property
    def title(self) -> str:
        """The title of the scene."""
        return self._core.text("title") or ""

    @property
    def scene_text(self) -> str:
        """The scene, as the run read it."""
        return self._core.text("scene") or ""

    @property
    def as_run(self) -> str:
        """The scene with everything that it includes and all that was set: ``zeno.load`` of the file runs it again."""
        return self._core.text("run") or ""

    @property
    def scheme(self) -> Optional[str]:
        """The scheme of the run."""
        return self._core.text("scheme")

    @property
    def settings(self) -> dict[str, Any]:
        """``scheme``, ``stages``, ``step``, ``end`` and ``tolerance`` of the run, where the file has them."""
        found = {name: self._core.number(name) for name in ("stages", "step", "end", "tolerance")}
        known: dict[str, Any] = {name: value for name, value in found.items() if value is not None}
        if "stages" in known:
            known["stages"] = int(known["stages"])
        return {"scheme": self.scheme, **known} if self.scheme else known

    @property
    def version(self) -> Optional[str]:
        """The version of Zeno that computed it."""
        return self._core.text("version")

    @property
    def status(self) -> Optional[str]:
        """"ok", "event" (one stopped the run: see ``message``), or how it failed. A result from a file does not know (``None``)."""
        return self._facts.get("status")

    @property
    def message(self) -> str:
        """Why the run ended early, or what the event says that stopped it; else empty."""
        return self._facts.get("message", "")

    @property
    def statistics(self) -> dict[str, Any]:
        """What the run took, and the largest violations; of a result from a file, empty."""
        return self._facts.get("statistics", {})

    @property
    def account(self) -> Optional[dict[str, dict[str, float]]]:
        """The account of energy: in total and for each part. ``None``: not asked for, or from a file."""
        return self._facts.get("account")

    @property
    def energy_warnings(self) -> list[dict[str, Any]]:
        """The first impacts that created energy, as some laws of restitution can: ``contact``, ``time``, ``gained``."""
        return self._facts.get("energy_warnings", [])

    @property
    def log(self) -> list[tuple[str, str]]:
        """What the library had to say: (level, sentence)."""
        return self._facts.get("log", [])

    @property
    def contacts(self) -> dict[str, dict[str, Any]]:
        """For each contact its ``gap``, ``normal`` percussions, ``friction`` percussions (a list) and ``dissipation``."""
        found: dict[str, dict[str, Any]] = {}
        for name in self.names("gap") if "gap" in self._datasets else []:
            here = found[name] = {"gap": self[f"gap.{name}"], "friction": []}
            for column in self.names("percussion"):
                if column == f"{name}.normal":
                    here["normal"] = self[f"percussion.{column}"]
                elif column.startswith(f"{name}.friction"):
                    here["friction"].append(self[f"percussion.{column}"])
            if "dissipation" in self._datasets:
                here["dissipation"] = self[f"dissipation.{name}"]
        return found

    @property
    def found_contacts(self) -> dict[str, Any]:
        """Contacts that shapes found by themselves, one entry for each that touched or pushed since the row before: arrays ``row``, ``shape_a``,
        ``shape_b`` (numbers of ``names``), ``feature_a``, ``feature_b``, ``point``, ``normal``, ``gap``, ``push`` (normal percussion) and
        ``percussion`` (with friction, on a)."""
        numpy = arrays.need_numpy("found_contacts")
        table, columns, names = self._entries(self._core.contacts)
        if not columns:
            return {"names": names}
        at = {name: i for i, name in enumerate(columns)}
        found: dict[str, Any] = {name: table[:, at[name]].astype(int) for name in ("row", "shape_a", "shape_b", "feature_a", "feature_b")}
        for name, first in (("point", "x"), ("normal", "nx"), ("percussion", "px")):
            found[name] = table[:, at[first] : at[first] + 3]
        found["gap"], found["push"] = table[:, at["gap"]], table[:, at["normal"]]
        found["names"] = numpy.array(names, dtype=object)
        return found

    def _entries(self, ask: Callable[[], Any]) -> tuple[Any, list[str], list[str]]:
        try:
            values, columns, names = ask()
        except _zeno.Error as error:
            raise errors.from_library(error) from None
        return arrays.asarray(values), columns, names

    @property
    def events(self) -> dict[str, Any]:
        """Events of the scene in the order of time, an array for each column: ``row`` (the first one at or after it), ``event`` (its name), ``time``, then
        positions, velocities, inputs, sampled values and modes that it met, by their names. Empty where the result has none."""
        return self._table_of_names("events", self._core.events, {"event": None})

    @property
    def contact_events(self) -> dict[str, Any]:
        """Contact events that were located (``contact_events="located"``) in the order of time, an array for each column: ``row``, ``time``, ``contact``, ``kind``
        ("impact", "stick" ...), ``normal_before``, ``normal_after``, ``tangential_before``, ``tangential_after``, ``normal_impulse``, ``tangential_impulse``,
        ``energy_lost``. Where contacts are found by rules ``contact`` is the first shape of a found one, and ``other`` the second ("" for the others). Empty where the
        result has none."""
        return self._table_of_names("contact_events", self._core.contact_events, {"contact": None, "kind": _zeno.contact_event_kinds(), "other": None})

    def _table_of_names(self, what: str, ask: Callable[[], Any], words: dict[str, Optional[list[str]]]) -> dict[str, Any]:
        numpy = arrays.need_numpy(what)
        table, columns, names = self._entries(ask)
        found: dict[str, Any] = {}
        for i, column in enumerate(columns):
            if column in words and (i < 4 or what == "contact_events"):  # behind them stand names of the scene
                texts = numpy.array([*(words[column] or names), ""], dtype=object)  # -1: none
                found[column] = texts[table[:, i].astype(int)]
            else:
                found[column] = table[:, i].astype(int) if column == "row" and i == 0 else table[:, i]
        return found

    # ---- out ----

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the result: .h5 (everything) or .csv. The bytes are those that ``zeno run --out`` writes."""
        try:
            self._core.save(os.fsdecode(path))
        except _zeno.Error as error:
            raise errors.from_library(error) from None

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with a column for each column, indexed by t."""
        import pandas  # type: ignore[import]

        return pandas.DataFrame({name: self[name] for name in self.columns if name != "t"}, index=pandas.Index(self["t"], name="t"))

    def plot(self, y: "str | list[str]", x: str = "t", ax: Any = None) -> Any:
        """Draws columns over another one with matplotlib and returns the axes."""
        return look.plot(self, y, x, ax)

    def page(self) -> str:
        """The page with the animation and plots, as HTML."""
        return look.page(self)

    def show(self, height: int = 620) -> Optional[str]:
        """Shows the page: inside of a notebook there, elsewhere in a browser; then it returns the path of the file."""
        return look.show(self, height)

    def __reduce__(self) -> Any:
        return _from_bytes, (self._bytes(), self._facts)

    def _bytes(self) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.h5")
            self.save(path)
            with io.open(path, "rb") as file:
                return file.read()

    def _repr_html_(self) -> str:
        return look.inline(self)

    def __repr__(self) -> str:
        ended = f", {self.status}" if self.status else ""
        return f"<zeno.Result {self.title!r}: {len(self)} rows, {len(self.columns)} columns{ended}>"


def open(path: "str | os.PathLike[str]") -> Result:
    """Reads a result file (.h5 or .csv; also the .partial of a run that goes on)."""
    name = os.fsdecode(path)
    if name.endswith((".yaml", ".yml")):
        raise errors.FileError(f"{name}: this is a scene, which zeno.load reads; results are .h5 and .csv", "file")
    try:
        return Result(_zeno.Result(name))
    except _zeno.Error as error:
        raise errors.from_library(error) from None


def _from_bytes(content: bytes, facts: dict[str, Any]) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.h5")
        with io.open(path, "wb") as file:
            file.write(content)
        result = open(path)  # the file stays open while the result lives, and goes with it
    result._facts = facts
    return result
