# SPDX-License-Identifier: Apache-2.0
"""What people try: copies, pickles, processes, odd numbers and paths, names in other scripts, objects that are gone."""
import concurrent.futures
import copy
import gc
import multiprocessing
import pickle

import numpy
import pytest
import zeno


def test_pickles_and_copies(root, tmp_path):
    scene = zeno.load(root / "scenes" / "rotating-ball.yaml", omega=20)
    result = scene.run(end=0.5)
    for make in (copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
        again = make(scene)
        assert numpy.array_equal(again.run(end=0.5).q, result.q)
        other = make(result)
        assert numpy.array_equal(other.q, result.q) and other.status == "ok" and other.statistics == result.statistics
        simulation = scene.simulation(end=0.5)
        for _ in range(7):
            simulation.step()
        twin = make(simulation)
        assert twin.t == simulation.t and numpy.array_equal(twin.run().q, simulation.run().q)
    built = zeno.Scene(gravity=[0, -1])
    built.body("a", type="planar", mass=1, inertia=1)
    branch = copy.deepcopy(built).body("b", type="planar", mass=1, inertia=1)
    assert len(built.coordinates) == 3 and len(branch.coordinates) == 6


def fall(height):
    """In another process."""
    if height < 0:
        zeno.Scene({"coordinates": {"y": "nothing"}})
    return zeno.Scene({"coordinates": {"y": height}, "energy": {"kinetic": "y'^2/2", "potential": "y"}}).run(scheme="rattle", step=0.1, end=1)


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_processes(way):
    fall(1.0)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(way)) as pool:
        found = list(pool.map(fall, [1.0, 2.0, 3.0]))
        assert [round(result["y"][-1], 9) for result in found] == [0.5, 1.5, 2.5]
        with pytest.raises(zeno.SceneError, match="nothing") as caught:
            pool.submit(fall, -1.0).result()
    assert caught.value.errors and caught.value.status == "scene"


def test_exceptions_can_be_pickled(tmp_path):
    for error in (zeno.SceneError("a", "scene", [{"line": 3}]), zeno.StepError("b", "no-convergence", [{"time": 2.0, "step": 1}]), zeno.FileError("c", "file"),
                  zeno.Stopped("d", 3)):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error) and again.__dict__ == error.__dict__


def test_odd_numbers(root):
    path = root / "scenes" / "rotating-ball.yaml"
    assert zeno.load(str(path).encode(), omega=numpy.float32(20)).run(end=0.01)["phi'"][0] == 20
    assert zeno.load(path, omega=numpy.array(20)).run(end=0.01)["phi'"][0] == 20
    for wrong, kind in [(True, TypeError), (numpy.bool_(True), TypeError), (numpy.ones(2), TypeError), (float("nan"), ValueError), (numpy.inf, ValueError), (None, TypeError)]:
        with pytest.raises(kind, match="omega"):
            zeno.load(path, omega=wrong)
    scene = zeno.load(path)
    assert scene.run(step=numpy.float32(0.5), end=numpy.int64(1), record_every=numpy.int8(2), project_start=numpy.bool_(True), theta=None).t.shape == (2,)
    for wrong in ({"step": True}, {"step": [0.1]}, {"end": "late"}, {"end": None, "step": "fast"}):
        with pytest.raises(TypeError, match="step|end"):
            scene.run(**wrong)
    simulation = scene.simulation()
    simulation.set_state(q=numpy.array([0, 1, 0], dtype=numpy.float32))
    for wrong, kind in [([1, 2], ValueError), (numpy.zeros((3, 1)), ValueError), ("abc", TypeError), ([numpy.nan, 1, 0], zeno.Error), (3.0, ValueError)]:
        with pytest.raises(kind):
            simulation.set_state(q=wrong)
    for wrong in (True, "1", None, [1]):
        with pytest.raises(TypeError, match="number"):
            zeno.Scene({"inputs": {"a": 0}, "coordinates": {"x": 0}, "energy": {"kinetic": "x'^2/2"}}).simulation(step=1, end=1, inputs={"a": wrong})


def test_odd_scenes(root, tmp_path):
    for wrong in (root / "scenes" / "chain.yaml", "scenes/chain.yaml"):
        with pytest.raises(TypeError, match="zeno.load"):
            zeno.Scene(wrong)
    for wrong, kind in [([1], TypeError), (3, TypeError), ({"coordinates": {"x": float("nan")}}, ValueError), ({"coordinates": {"x": 1j}}, TypeError),
                        ({"coordinates": {"x": {1, 2}}}, TypeError), ("\ud800", ValueError), ("a\0b", ValueError), ("", zeno.SceneError), ({}, zeno.SceneError)]:
        with pytest.raises(kind):
            zeno.Scene(wrong)
    with pytest.raises(ValueError, match="'mass'"):
        zeno.Scene().body("a", type="planar", mass=numpy.nan)
    assert "cannot run yet" in repr(zeno.Scene())
    folder = tmp_path / "Ordner mit Ümlaut 漢字"
    folder.mkdir()
    (folder / "größe.yaml").write_text("title: Größe 漢字\ncoordinates: {x: 1}\nenergy: {kinetic: x'^2/2}\nsimulation: {step: 0.1, end: 1}\n", encoding="utf-8")
    result = zeno.load(folder / "größe.yaml").run(out=folder / "ß.h5")
    assert result.title == "Größe 漢字" and zeno.open(folder / "ß.h5").title == result.title and "Größe" in repr(result)
    with pytest.raises(zeno.FileError, match="zeno.load"):
        zeno.open(folder / "größe.yaml")


def test_closed_and_deleted(root):
    scene = zeno.load(root / "scenes" / "rotating-ball.yaml")
    with scene.simulation() as simulation:
        simulation.step()
        q = simulation.q
        before = q.copy()
    for use in (simulation.step, simulation.run, simulation.snapshot, simulation.reset, lambda: simulation.energy, lambda: simulation.gaps, lambda: simulation.outputs,
                lambda: simulation.statistics, lambda: simulation.settings, lambda: dict(simulation.inputs), lambda: simulation.events, lambda: simulation["zz"],
                lambda: simulation.found_contacts, lambda: simulation.set_state(), lambda: simulation.restore(b""), lambda: copy.deepcopy(simulation)):
        with pytest.raises(RuntimeError, match="closed"):
            use()
    simulation.close()
    assert "t = 0.01" in repr(simulation)
    del simulation, scene
    gc.collect()
    assert (q == before).all()  # the memory of a view lives as long as it


def test_errors_of_studies_are_those_of_scenes(root, tmp_path):
    (tmp_path / "wrong.yaml").write_text("coordinates: {x: 1}\nenergy: {kinetic: z}\n")
    with pytest.raises(zeno.SceneError) as caught:
        zeno.converge(tmp_path / "wrong.yaml", "rattle", [0.1], 0.01, end=1)
    assert caught.value.line == 2 and caught.value.file.endswith("wrong.yaml") and caught.value.column
    with pytest.raises(zeno.SceneError, match="no such file"):
        zeno.sweep("nothing.yaml", {"a": [1]}, "last:q")


def test_a_scene_may_be_read_again_while_threads_use_results(ball):
    """Results are shared by threads: who comes second waits."""
    result = zeno.Scene(ball).run()
    expected = {name: result[name].copy() for name in result.columns}

    def work(_):
        again = pickle.loads(pickle.dumps(result))
        return all(numpy.array_equal(again[name], expected[name], equal_nan=True) for name in again.columns) and "nothing" not in result

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(40)))
