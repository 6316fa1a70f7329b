# SPDX-License-Identifier: Apache-2.0
"""The command-line program, which comes with the package."""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from typing import Any

from . import errors

_PLACE = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<message>.*)")
_here = os.path.dirname(os.path.abspath(__file__))


def path() -> str:
    """Where the program is: in the package, else on the PATH."""
    own = os.path.join(_here, "bin", "zeno")
    found = os.environ.get("ZENO_PROGRAM") or (own if os.access(own, os.X_OK) else shutil.which("zeno"))
    if not found:
        raise FileNotFoundError("the program zeno is neither in the package nor on the PATH")
    return found


def environment() -> dict[str, str]:
    """The program's libraries come with the package, too."""
    variables = dict(os.environ)
    libraries = os.path.join(_here, "libs")
    if os.path.isdir(libraries):
        older = variables.get("LD_LIBRARY_PATH")
        variables["LD_LIBRARY_PATH"] = libraries + (os.pathsep + older if older else "")
    return variables


def run(*arguments: str) -> str:
    """Runs a command and returns what it prints; an exception has its message."""
    done = subprocess.run([path(), *arguments], env=environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise _failure(arguments[0], done)
    return done.stdout


def _failure(command: str, done: "subprocess.CompletedProcess[str]") -> errors.Error:
    """What the program says as an exception: usage and scenes (status 2), or the work itself (1)."""
    said = [line[len("error: "):] for line in done.stderr.splitlines() if line.startswith("error: ")]
    found: list[dict[str, Any]] = []
    for line in said:
        place = _PLACE.fullmatch(line)
        found.append({"status": "scene", "message": place["message"] if place else line, "file": place["file"] if place else None,
                      "line": int(place["line"]) if place else None, "column": int(place["column"]) if place else None,
                      "step": None, "time": None, "subject": None})
    sentence = "\n".join(said) or done.stderr.strip() or f"zeno {command} failed with status {done.returncode}"
    return errors.SceneError(sentence, "scene", found) if done.returncode == 2 else errors.StepError(sentence, "stopped", found)


def run_json(*arguments: str) -> Any:
    """Runs a command with --summary and returns the object that it prints."""
    return json.loads(run(*arguments, "--summary"))
