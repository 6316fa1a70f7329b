# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as exceptions with sentences."""
from __future__ import annotations

from typing import Any, Optional

from . import _zeno

_names = _zeno.statuses()


class Error(Exception):
    """An error of the library.

    ``status`` is a word ("scene", "no-convergence", ...), ``errors`` a list of dictionaries with the keys ``message``, ``file``,
    ``line``, ``column``, ``step``, ``time`` and ``subject`` (``None`` where unknown), one for each mistake that was found.
    """

    def __init__(self, message: str, status: str = "argument", errors: Optional[list[dict[str, Any]]] = None):
        super().__init__(message)
        self.status = status
        self.errors = errors or []

    def _first(self, key: str) -> Any:
        return self.errors[0][key] if self.errors else None

    @property
    def file(self) -> Optional[str]:
        """The file of the first mistake."""
        file: Optional[str] = self._first("file")
        return file

    @property
    def line(self) -> Optional[int]:
        """The line of the first mistake, from 1."""
        line: Optional[int] = self._first("line")
        return line

    @property
    def column(self) -> Optional[int]:
        """The column of the first mistake, from 1."""
        column: Optional[int] = self._first("column")
        return column


class SceneError(Error, ValueError):
    """A scene, a model or a setting is wrong: ``errors`` has all mistakes with file, line and column."""


class StepError(Error, ArithmeticError):
    """A step failed. ``time`` and ``step`` say when, ``result`` has what was computed before (``None``: nothing was recorded)."""

    def __init__(self, message: str, status: str = "no-convergence", errors: Optional[list[dict[str, Any]]] = None, result: Any = None):
        super().__init__(message, status, errors)
        self.result = result

    @property
    def time(self) -> Optional[float]:
        """The time of the failed step."""
        time: Optional[float] = self._first("time")
        return time

    @property
    def step(self) -> Optional[int]:
        """The number of the failed step."""
        step: Optional[int] = self._first("step")
        return step


class Stopped(KeyboardInterrupt):
    """Ctrl-C ended a run. ``result`` has what was computed until then."""

    def __init__(self, message: str, result: Any = None):
        super().__init__(message)
        self.result = result


class FileError(Error, OSError):
    """A file cannot be read or written, or is damaged."""

    def __str__(self) -> str:
        return str(self.args[0])


def from_library(error: Any, kind: type[Error] = Error, **more: Any) -> Error:
    """The exception for (status, sentence, list of errors) of the library."""
    status, sentence, errors = error.args if isinstance(error, BaseException) else error
    for one in errors:
        one["status"] = _names[one["status"]]
    if _names[status] == "file" and kind is Error:
        kind = FileError
    return kind(sentence, _names[status], errors, **more)
