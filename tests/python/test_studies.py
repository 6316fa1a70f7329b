# SPDX-License-Identifier: Apache-2.0
"""Studies: arrays, words, events, commands, and Datasets of xarray."""
import os
import subprocess

import numpy
import pytest

import zeno

VARY = {"e_N": [0.5, 0.7], "q_0": "1:2:3", "scheme": ["moreau", "radau-2a:2"]}


@pytest.fixture
def study(root, tmp_path):
    return zeno.sweep(root / "scenes" / "bouncing-ball.yaml", VARY, ["last:u,max:q", "impact:ground:q,q'"], end=1, step=1e-2, out=tmp_path / "study.h5")


def test_words_are_values(study, tmp_path):
    assert len(study) == 12 and list(study["scheme"][:2]) == ["moreau", "radau-2a:2"] and list(study["q_0"][:4]) == [1, 1, 1.5, 1.5]
    assert study.names == {"last:u": ["q'"]} and study["last:u"].shape == (12, 1)
    again = zeno.Study(tmp_path / "study.h5")
    assert (again["max:q"] == study["max:q"]).all() and repr(again) == repr(study)


def test_events(study):
    assert set(study.events) >= {"event", "time", "q'"}
    runs = numpy.asarray(study.events["row"])
    assert len(runs) >= 12 and set(runs.astype(int)) == set(range(12))  # each falls by 2 at most, within sqrt(4/g) < 1
    assert (numpy.asarray(study.events["q'"]) >= -1e-9).all()  # after an impact it goes up


def test_a_command_is_the_run(study, tmp_path, root):
    command = study.command(7, out=str(tmp_path / "it's $(touch pwned).h5"))
    program = os.environ.get("ZENO_PROGRAM", "zeno")
    subprocess.run(command.replace("zeno", program, 1) + " --quiet", shell=True, check=True, cwd=tmp_path)
    assert not (tmp_path / "pwned").exists()
    assert zeno.open(tmp_path / "it's $(touch pwned).h5").u[-1, 0] == study["last:u"][7, 0]


def test_failed_runs_are_rows(root):
    study = zeno.sweep(root / "scenes" / "bouncing-ball.yaml", {"e_N": [0.5, 1.5]}, "last:q", end=0.1, step=1e-2)
    assert study.status[0] == 0 and study.status[1] != 0 and numpy.isnan(study["last:q"][1]).all() and not numpy.isnan(study["last:q"][0]).any()


def test_other_files_are_refused(root, tmp_path):
    zeno.load(root / "scenes" / "bouncing-ball.yaml").run(end=0.1, out=tmp_path / "run.h5")
    with pytest.raises(ValueError, match="no study"):
        zeno.Study(tmp_path / "run.h5")


def test_to_xarray(study):
    pytest.importorskip("xarray")  # Debian: python3-xarray
    found = study.to_xarray()
    assert dict(found.sizes) == {"run": 12, "last:u column": 1}
    assert (found["max:q"].values == study["max:q"]).all() and (found.coords["scheme"].values == study["scheme"]).all()
    grid = study.to_xarray(grid=True)
    assert dict(grid.sizes) == {"last:u column": 1, "e_N": 2, "q_0": 3, "scheme": 2}
    for k in range(12):
        place = {name: study[name][k] for name in VARY}
        assert float(grid["max:q"].sel(place)) == study["max:q"][k] and float(grid["last:u"].sel(place).sel({"last:u column": "q'"})) == study["last:u"][k, 0]
    # a ball from rest never rises above its start, so its maximum is that, whatever the rest
    assert (grid["max:q"].max("e_N").sel(scheme="moreau").values == [1, 1.5, 2]).all()


def test_to_xarray_of_one_axis_and_of_no_grid(root):
    pytest.importorskip("xarray")
    scene = root / "scenes" / "bouncing-ball.yaml"
    one = zeno.sweep(scene, {"q_0": [1, 2, 3]}, "max:q", end=0.1, step=1e-2).to_xarray(grid=True)
    assert float(one["max:q"].sel(q_0=2)) == 2
    pairs = zeno.sweep(scene, {"q_0": [1, 2, 3], "e_N": [0.1, 0.2, 0.3]}, "max:q", zip=True, end=0.1, step=1e-2)
    with pytest.raises(ValueError, match="no grid"):
        pairs.to_xarray(grid=True)
    assert pairs.to_xarray().sizes["run"] == 3
