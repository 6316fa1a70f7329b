# SPDX-License-Identifier: Apache-2.0
"""Looking at results: plots, the page, progress."""
from __future__ import annotations

import html
import os
import sys
import tempfile
import time
import webbrowser
from typing import Any, Optional

from . import errors, program


def plot(result: Any, y: "str | list[str]", x: str = "t", ax: Any = None) -> Any:
    """Columns over another one."""
    if ax is None:
        import matplotlib.pyplot  # type: ignore[import]

        ax = matplotlib.pyplot.gca()
    names = [y] if isinstance(y, str) else list(y)
    for name in names:
        ax.plot(result[x], result[name], label=name)
    ax.set_xlabel(x)
    if len(names) == 1:
        ax.set_ylabel(names[0])
    else:
        ax.legend()
    if result.title:
        ax.set_title(result.title)
    return ax


def page(result: Any) -> str:
    """The text of the page."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "result.h5"), os.path.join(folder, "page.html")
        result.save(source)
        program.run("page", source, "--out", target)
        with open(target, encoding="utf-8") as file:
            return file.read()


def frame(result: Any, height: int = 620) -> str:
    """The page inside of a frame, for notebooks: pages of several results do not disturb each other."""
    return f'<iframe srcdoc="{html.escape(page(result))}" width="100%" height="{int(height)}" style="border:0"></iframe>'


def inline(result: Any) -> str:
    """What a notebook shows of a result by itself: the page, or where there is none (the viewer was not built) what it is and why."""
    try:
        return frame(result)
    except (errors.Error, OSError) as error:
        return f"<code>{html.escape(repr(result))}</code><br><small>{html.escape(str(error))}</small>"


class _Frame:
    """Something that a notebook displays."""

    def __init__(self, text: str):
        self._text = text

    def _repr_html_(self) -> str:
        return self._text


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return bool(shell and shell.get_ipython() and "IPKernelApp" in shell.get_ipython().config)


def show(result: Any, height: int = 620) -> Optional[str]:
    """Shows the page where the user is; the path of its file where that is a browser."""
    if _in_notebook():
        from IPython.display import display  # type: ignore[import]

        display(_Frame(frame(result, height)))
        return None
    handle, path = tempfile.mkstemp(prefix="zeno-", suffix=".html")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(page(result))
    webbrowser.open("file://" + path)
    return path


class Bar:
    """A progress bar on standard error, when that is a terminal (or a notebook)."""

    def __init__(self, end: float):
        self.end = end
        self.begin = self.last = time.monotonic()
        self.drawn = False

    def __call__(self, t: float, steps: int) -> None:
        now = time.monotonic()
        if now - self.last < 0.2:
            return
        self.last = now
        part = min(max(t / self.end, 0.0), 1.0) if self.end > 0 else 0.0
        left = (now - self.begin) * (1 - part) / part if part > 0 else float("inf")
        filled = round(30 * part)
        sys.stderr.write(f"\r[{'=' * filled}{' ' * (30 - filled)}] t = {t:.4g}, {steps} steps, {left:.0f} s left ")
        sys.stderr.flush()
        self.drawn = True

    def close(self) -> None:
        """Wipes the line."""
        if self.drawn:
            sys.stderr.write("\r" + " " * 78 + "\r")
            sys.stderr.flush()
