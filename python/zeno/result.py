# SPDX-License-Identifier: Apache-2.0
"""Results: what a run computed, from memory or from a file."""
from __future__ import annotations

import os
from typing import Any, Iterator, Optional

from . import _zeno, arrays, errors, look


class Result:
    """A table over time.

    ``result["crank.phi"]`` is a column by name, ``result.t``, ``result.q``, ``result.u`` and the other datasets are arrays with one
    row for each recorded time. Arrays are read-only views of the memory of the result.
    """

    def __init__(self, core: Any, facts: Optional[dict[str, Any]] = None):
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

    def __getitem__(self, name: str) -> Any:
        if not isinstance(name, str):
            raise TypeError(f"a column goes by its name, not by {name!r}")
        if name not in self._cache:
            try:
                self._cache[name] = arrays.asarray(self._core.values(self._core.find(name)))
            except _zeno.Error as error:
                sentence = error.args[1]
                raise KeyError(sentence) from None
        return self._cache[name]

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
        table = self._core.table(first, count)
        if table is not None:
            return arrays.asarray(table)
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
    def scheme(self) -> Optional[str]:
        """The scheme of the run."""
        return self._core.text("scheme")

    @property
    def version(self) -> Optional[str]:
        """The version of Zeno that computed it."""
        return self._core.text("version")

    @property
    def status(self) -> Optional[str]:
        """"ok", or how the run ended. A result from a file does not know (``None``)."""
        return self._facts.get("status")

    @property
    def message(self) -> str:
        """Why the run ended early; empty where it did not."""
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
        try:
            values, columns, names = self._core.contacts()
        except _zeno.Error as error:
            raise errors.from_library(error) from None
        numpy = arrays.need_numpy("found_contacts")
        table = arrays.asarray(values)
        if not columns:
            return {"names": names}
        at = {name: i for i, name in enumerate(columns)}
        found: dict[str, Any] = {name: table[:, at[name]].astype(int) for name in ("row", "shape_a", "shape_b", "feature_a", "feature_b")}
        for name, first in (("point", "x"), ("normal", "nx"), ("percussion", "px")):
            found[name] = table[:, at[first] : at[first] + 3]
        found["gap"], found["push"] = table[:, at["gap"]], table[:, at["normal"]]
        found["names"] = numpy.array(names, dtype=object)
        return found

    # ---- out ----

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the result: .h5 (everything) or .csv. The bytes are those that ``zeno run --out`` writes."""
        try:
            self._core.save(os.fspath(path))
        except _zeno.Error as error:
            raise errors.from_library(error) from None

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with a column for each column, indexed by t."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self.columns if name != "t"}, index=pandas.Index(self["t"], name="t"))

    def plot(self, y: "str | list[str]", x: str = "t", ax: Any = None) -> Any:
        """Draws columns over another one with matplotlib and returns the axes."""
        return look.plot(self, y, x, ax)

    def page(self) -> str:
        """The page with the animation and plots, as HTML."""
        return look.page(self)

    def show(self, height: int = 620) -> Any:
        """Shows the page: inside of a notebook there, elsewhere in a browser."""
        return look.show(self, height)

    def _repr_html_(self) -> str:
        return look.frame(self)

    def __repr__(self) -> str:
        ended = f", {self.status}" if self.status else ""
        return f"<zeno.Result {self.title!r}: {len(self)} rows, {len(self.columns)} columns{ended}>"


def open(path: "str | os.PathLike[str]") -> Result:
    """Reads a result file (.h5 or .csv; also the .partial of a run that goes on)."""
    try:
        return Result(_zeno.Result(os.fspath(path)))
    except _zeno.Error as error:
        raise errors.from_library(error) from None
