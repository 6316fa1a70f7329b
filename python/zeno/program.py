# SPDX-License-Identifier: Apache-2.0
"""The command-line program, which comes with the package."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any

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
        from .errors import Error

        raise Error(done.stderr.strip() or f"zeno {arguments[0]} failed with status {done.returncode}", "stopped")
    return done.stdout


def run_json(*arguments: str) -> Any:
    """Runs a command with --summary and returns the object that it prints."""
    return json.loads(run(*arguments, "--summary"))
