# SPDX-License-Identifier: Apache-2.0
"""Whatever is wrong is an exception with a sentence, and nothing crashes."""
import os
import random
import signal
import threading
import time

import numpy
import pytest
import zeno


def test_a_scene_with_mistakes_has_all_of_them():
    with pytest.raises(zeno.SceneError) as caught:
        zeno.Scene("coordinates: {x: {strt: 1}}\nenergy: {kinetic: x'^2/2, potential: z}\nsimulation: {step: 1, end: 2}")
    assert len(caught.value.errors) >= 2
    assert "did you mean 'start'" in str(caught.value) and caught.value.errors[0]["line"] == 1


def test_missing_files():
    with pytest.raises(zeno.SceneError, match="no such file"):
        zeno.load("nothing.yaml")
    with pytest.raises(zeno.FileError, match="nothing.h5") as caught:
        zeno.open("nothing.h5")
    assert isinstance(caught.value, OSError) and caught.value.status == "file"


def test_a_damaged_file(tmp_path, ball):
    path = tmp_path / "a.h5"
    zeno.Scene(ball).run(end=0.01).save(path)
    content = bytearray(path.read_bytes())
    generator = random.Random(4)
    for _ in range(200):
        damaged = bytearray(content)
        for _ in range(generator.randrange(1, 20)):
            damaged[generator.randrange(len(damaged))] = generator.randrange(256)
        path.write_bytes(damaged[: generator.randrange(1, len(damaged) + 1)])
        try:
            result = zeno.open(path)
            for column in result.columns:
                result[column]
        except (zeno.Error, KeyError):
            pass


def test_settings(ball):
    scene = zeno.Scene(ball)
    for wrong, kind, sentence in [({"scheme": "radau"}, zeno.SceneError, "radau"), ({"step": -1}, zeno.SceneError, "step"),
                                  ({"stepp": 1}, zeno.SceneError, "did you mean 'step'"), ({"scheme": 3}, zeno.SceneError, "3"),
                                  ({"solver": "magic"}, zeno.SceneError, "auto, newton"), ({"tolerance": "small"}, zeno.SceneError, "tolerance"),
                                  ({"stages": 10**12}, zeno.SceneError, "whole"), ({"project_start": 1}, zeno.SceneError, "true"), ({"step": float("nan")}, zeno.SceneError, "step"),
                                  ({"end": float("inf")}, zeno.SceneError, "end")]:
        with pytest.raises(kind, match=sentence):
            scene.run(**wrong)


def test_columns(ball):
    result = zeno.Scene(ball).run(end=0.01)
    with pytest.raises(KeyError, match="did you mean"):
        result["energy.kinetik"]
    with pytest.raises(TypeError):
        result[3]
    with pytest.raises(AttributeError, match="datasets"):
        result.nothing
    with pytest.raises(KeyError):
        result.dataset("nothing")
    with pytest.raises(zeno.Error, match=".h5"):
        result.save("result.txt")


def test_a_failed_step_keeps_what_was_computed():
    scene = zeno.Scene({"coordinates": {"x": {"start": 1}}, "energy": {"kinetic": "x'^2/2", "potential": "1e-3*x*log(1.5 - t)"},
                        "simulation": {"scheme": "radau-2a", "step": 0.01, "end": 2}})
    with pytest.raises(zeno.StepError) as caught:
        scene.run()
    result = caught.value.result
    assert caught.value.status == "not-finite" and 1.4 < result.t[-1] < 1.5 and result.status == "not-finite"
    assert numpy.isfinite(result.q).all()


@pytest.mark.parametrize("watched", [True, False])
def test_ctrl_c_keeps_what_was_computed(ball, watched):
    scene = zeno.Scene(ball)
    runs = threading.Event()
    begin = time.process_time()  # whatever else the machine does

    def interrupt():
        while not runs.wait(0.01) and (watched or time.process_time() - begin < 0.3):
            pass
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt) as caught:
        scene.run(step=1e-9, end=1e3, record_every=10**6, progress=(lambda t, steps: runs.set()) if watched else None)
    assert time.process_time() - begin < 3
    assert isinstance(caught.value, zeno.Stopped) and caught.value.result.status == "stopped" and len(caught.value.result) > 0


def test_an_exception_of_the_progress_function_comes_back(ball):
    def progress(t, steps):
        raise ZeroDivisionError("from progress")

    with pytest.raises(ZeroDivisionError, match="from progress"):
        zeno.Scene(ball).run(step=1e-9, end=1e3, record_every=10**6, progress=progress)


def test_one_simulation_serves_one_thread(ball):
    simulation = zeno.Scene(ball).simulation(step=1e-9, end=1e3, record_every=10**6)
    runs, stop = threading.Event(), threading.Event()

    def progress(t, steps):
        runs.set()
        if stop.is_set():
            raise InterruptedError

    def work():
        with pytest.raises(InterruptedError):
            simulation.run(progress=progress)

    thread = threading.Thread(target=work)
    thread.start()
    runs.wait()
    with pytest.raises(RuntimeError, match="another thread"):
        simulation.step()
    stop.set()
    thread.join()


def test_threads_each_with_a_simulation(root):
    scene = zeno.load(root / "scenes" / "rotating-ball.yaml")
    expected = scene.run().q[-1].tolist()
    found = [None] * 4

    def work(i):
        found[i] = scene.run().q[-1].tolist()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_random_texts_are_refused_not_followed(ball):
    generator = random.Random(7)
    letters = ball + "\"'{}[]:,#&*!|>%@`\n\t\x00é"
    for _ in range(300):
        text = list(ball)
        for _ in range(generator.randrange(1, 8)):
            text[generator.randrange(len(text))] = generator.choice(letters)
        try:
            zeno.Scene("".join(text))
        except (zeno.SceneError, ValueError):
            pass


def test_nothing_leaks(ball):
    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def cycle(count):
        for _ in range(count):
            scene = zeno.Scene(ball)
            result = scene.run(end=0.005)
            assert result["y"][-1] < 1
            with pytest.raises(zeno.SceneError):
                zeno.Scene("coordinates: 1")

    cycle(200)
    before = resident()
    cycle(1500)
    assert resident() - before < 2e6  # less than 1.4 kB a cycle; a scene alone is larger


def test_energies_that_are_not_finite_have_time_and_step():
    scene = zeno.Scene("coordinates: {x: 1}\nenergy: {kinetic: x'^2/2, potential: log(x)}\nsimulation: {step: 0.01, end: 5}")
    with pytest.raises(zeno.StepError) as raised:
        scene.run()
    assert raised.value.time == pytest.approx(1.26) and raised.value.step == 126 and raised.value.result.t[-1] == pytest.approx(1.25)
