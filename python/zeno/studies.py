# SPDX-License-Identifier: Apache-2.0
"""Convergence studies and the table of schemes."""
from __future__ import annotations

import os
import tempfile
from typing import Any, NamedTuple, Optional, Sequence

from . import _zeno, program
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


def converge(scene: "Scene | str | os.PathLike[str]", schemes: "str | Sequence[str]", steps: Sequence[float], reference: float,
             end: Optional[float] = None) -> dict[str, Any]:
    """Errors and orders over the step size, against a run with the step ``reference``: what ``zeno converge --summary`` tells."""
    names = schemes if isinstance(schemes, str) else ",".join(schemes)
    arguments = ["--scheme", names, "--steps", ",".join(repr(float(h)) for h in steps), "--reference", repr(float(reference))]
    if end is not None:
        arguments += ["--end", repr(float(end))]
    if not isinstance(scene, Scene):
        return program.run_json("converge", os.fspath(scene), *arguments)
    for replacement in scene._sets:
        arguments += ["--set", replacement]
    if scene._path is not None:
        return program.run_json("converge", scene._path, *arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scene.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(scene.text)
        return program.run_json("converge", path, *arguments)
