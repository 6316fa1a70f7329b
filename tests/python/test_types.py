# SPDX-License-Identifier: Apache-2.0
"""Type hints: mypy --strict knows every public name, finds nothing wrong in the package, and finds what is wrong in a script."""
import inspect
import os
import pathlib
import subprocess
import sys

import pytest
import zeno

SCRIPT = """
import numpy
from numpy.typing import NDArray
import zeno

scene = zeno.load("a.yaml", omega=2)
result: zeno.Result = scene.run("rattle", step=1e-3, inputs={"a": 3})
q: NDArray[numpy.float64] = result.q + result["x"]
with scene.simulation(end=3) as simulation:
    simulation.step()
    x: float = simulation["x"] + simulation.t + float(simulation.q[0])
    simulation.inputs["a"] = x
names: list[str] = [scheme.name for scheme in zeno.schemes()]
try:
    study: zeno.Study = zeno.sweep("a.yaml", {"x": [1, 2]}, "last:q")
except zeno.StepError as error:
    when: float | None = error.time
"""


def test_the_package_and_a_script_are_typed(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "wrong.py").write_text(SCRIPT + 'zeno.lod("a")\nnumber: int = result.q\nscene.run(out=3)\n')
    package = pathlib.Path(zeno.__file__).resolve().parent
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, str(package), "script.py", "wrong.py"], cwd=tmp_path,
                          capture_output=True, text=True, check=False, env={**os.environ, "MYPYPATH": str(package.parent)})
    found = [line for line in done.stdout.splitlines() if " error: " in line]
    assert len(found) == 3 and all(line.startswith("wrong.py:") for line in found), done.stdout


def test_everything_public_has_a_docstring():
    for name in zeno.__all__:
        value = getattr(zeno, name)
        assert inspect.getdoc(value), name
        if inspect.isclass(value) and value.__module__.startswith("zeno"):
            for member, what in vars(value).items():
                if not member.startswith("_") and (inspect.isfunction(what) or isinstance(what, property)):
                    assert inspect.getdoc(what), f"{name}.{member}"


def test_the_stub_of_the_extension_names_what_is_there():
    stub = (pathlib.Path(zeno.__file__).parent / "_zeno.pyi").read_text()
    from zeno import _zeno

    for kind in ("Scene", "Model", "Simulation", "Result"):
        for member in vars(getattr(_zeno, kind)):
            assert member.startswith("__") or f" {member}(" in stub or f"    {member}: " in stub, f"{kind}.{member}"
    for name in vars(_zeno):
        assert name.startswith("__") or f"class {name}" in stub or f"def {name}(" in stub, name
