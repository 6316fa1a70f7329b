# SPDX-License-Identifier: Apache-2.0
"""Results are those of the program, to the bit, and arrays are views."""
import json

import numpy
import pytest
import zeno

SCENES = sorted(path.name for path in __import__("pathlib").Path(__file__).resolve().parents[2].glob("scenes/*.yaml"))
PART = 0.05  # of the scene's own time


@pytest.mark.parametrize("name", SCENES)
def test_every_scene_gives_the_bytes_of_the_program(root, program, tmp_path, name):
    path = root / "scenes" / name
    scene = zeno.load(path)
    end = PART * scene.settings["end"]
    program("run", path, "--end", repr(end), "--quiet", "--out", tmp_path / "program.h5")
    scene.run(end=end).save(tmp_path / "memory.h5")
    scene.run(end=end, out=tmp_path / "file.h5", account=False)
    expected = (tmp_path / "program.h5").read_bytes()
    assert (tmp_path / "memory.h5").read_bytes() == expected
    assert (tmp_path / "file.h5").read_bytes() == expected


def test_csv_is_that_of_the_program(root, program, tmp_path):
    path = root / "scenes" / "slider-crank-parts.yaml"
    program("run", path, "--end", "0.005", "--quiet", "--out", tmp_path / "program.csv")
    zeno.load(path).run(end=0.005).save(tmp_path / "python.csv")
    assert (tmp_path / "python.csv").read_bytes() == (tmp_path / "program.csv").read_bytes()


def test_summary_agrees(root, program):
    path = root / "scenes" / "woodpecker.yaml"
    summary = json.loads(program("run", path, "--summary", "--end", "0.2"))
    result = zeno.load(path).run(end=0.2)
    assert list(result.q[-1]) == summary["q"] and list(result.u[-1]) == summary["u"]
    assert result.statistics["steps"] == summary["steps"]
    assert result.statistics["max_penetration"] == summary["max_penetration"]


def test_arrays_are_views_and_read_only(ball):
    result = zeno.Scene(ball).run()
    assert len(result) == 1001 and result.t.shape == (1001,) and result.q.shape == (1001, 1)
    assert numpy.shares_memory(result.q, result["y"]) and numpy.shares_memory(result.t, result["t"])
    with pytest.raises(ValueError):
        result.q[0, 0] = 1
    y = result["y"]
    del result
    assert y[0] == 1  # the view keeps the result alive


def test_physics_of_the_ball(ball):
    result = zeno.Scene(ball).run(step=1e-4)
    impact = (2 / 9.81) ** 0.5
    i = int(numpy.argmax(result["y'"] > 0))
    assert abs(result.t[i] - impact) < 2e-4
    assert abs(result["y'"][i] - 0.5 * 9.81 * impact) < 2e-3
    assert result.statistics["max_residual"] <= 1e-10
    total = result.account["total"]
    assert abs(total["normal"] - 0.75 * (1 + 0.25) * 9.81) < 1e-2  # e = 1/2 takes three quarters, of two impacts


def test_files_are_read_again(ball, tmp_path):
    result = zeno.Scene(ball).run(end=0.5)
    for name in ("a.h5", "a.csv"):
        result.save(tmp_path / name)
        again = zeno.open(tmp_path / name)
        assert len(again) == len(result)
        for column in result.columns:
            assert numpy.array_equal(again[column], result[column], equal_nan=True), column
    again = zeno.open(tmp_path / "a.h5")
    assert numpy.array_equal(again.q, result.q) and again.names("q") == ["y"] and again.title == "Ball" and again.scene_text == result.scene_text
    again.save(tmp_path / "b.h5")
    assert (tmp_path / "b.h5").read_bytes() == (tmp_path / "a.h5").read_bytes()


def test_contacts(ball):
    contact = zeno.Scene(ball).run(end=0.5).contacts["floor"]
    assert contact["gap"].min() > -1e-2 and contact["normal"].sum() > 0 and contact["friction"] == []
    assert contact["dissipation"][-1] > 0


def test_found_contacts(tmp_path):
    scene = zeno.Scene({"gravity": [0, -9.81], "bodies": {"ball": {"type": "planar", "shape": {"type": "disk", "radius": 0.1}, "mass": 2, "position": [0, 0.3]}},
                        "geometry": {"floor": {"type": "line"}}, "contacts": {"all": {"between": "all", "friction": 0.3}},
                        "simulation": {"scheme": "rattle", "step": 1e-2, "end": 1}})
    result = scene.run()
    result.save(tmp_path / "found.h5")
    for r in (result, zeno.open(tmp_path / "found.h5")):
        found = r.found_contacts
        assert set(found["names"]) == {"ball", "floor"}
        assert numpy.allclose(found["normal"][:, 1] * numpy.where(found["names"][found["shape_a"]] == "ball", 1, -1), 1)
        # The impulse stops the fall and carries the weight.
        assert abs(found["push"].sum() - 2 * 9.81 * 1) < 1e-8
        last = found["row"] == len(r) - 1
        assert last.sum() == 1 and abs(found["push"][last][0] - 2 * 9.81 * 1e-2) < 1e-10 and numpy.allclose(found["point"][last][0], 0, atol=1e-9)


def test_a_million_rows_are_not_copied(tmp_path):
    scene = zeno.Scene({"coordinates": {"x": {"start": 1}}, "energy": {"kinetic": "x'^2/2"}, "simulation": {"step": 1e-6, "end": 1}})
    result = scene.run(account=False)
    assert len(result) == 1_000_001
    assert result.q.base is not None and numpy.shares_memory(result.q, result["x"])
    result.save(tmp_path / "long.h5")
    file = zeno.open(tmp_path / "long.h5")
    assert file["x"][-1] == 1


def test_datasets_of_files_are_views_of_their_columns(root, tmp_path):
    result = zeno.load(root / "scenes" / "rotating-ball.yaml").run()
    result.save(tmp_path / "a.h5")
    for first in ("y", "x", "t"):  # whichever is read first
        file = zeno.open(tmp_path / "a.h5")
        file[first]
        for name in result.datasets:
            table = file.dataset(name)
            assert numpy.array_equal(table, result.dataset(name), equal_nan=True) and not table.flags.writeable
            assert all(numpy.shares_memory(table, file[name if table.ndim == 1 else f"{name}.{column}"]) for column in file.names(name))


def test_numbers_of_a_file_are_numbers(root, tmp_path):
    result = zeno.load(root / "scenes" / "rotating-ball.yaml").run(scheme="radau-2a:3", step=0.1, end=0.3, tolerance=1e-11, out=tmp_path / "a.h5")
    expected = {"scheme": "radau-2a", "stages": 3, "step": 0.1, "end": 0.3, "tolerance": 1e-11}
    assert result.settings == zeno.open(tmp_path / "a.h5").settings == expected and result.version == zeno.__version__
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5") as file:
        assert {name: file.attrs[name] for name in expected} == expected and file.attrs["step"].dtype == float and file.attrs["stages"].dtype == int
