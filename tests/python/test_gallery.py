# SPDX-License-Identifier: Apache-2.0
"""The scripts of the gallery run; each asserts what it shows."""
import runpy

import pytest

GALLERY = sorted((__import__("pathlib").Path(__file__).resolve().parents[2] / "python" / "gallery").glob("*.py"))


def test_there_are_five():
    assert len(GALLERY) == 5


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_script(path, capsys, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
