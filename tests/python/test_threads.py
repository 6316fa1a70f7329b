# SPDX-License-Identifier: Apache-2.0
"""Many threads: scenes and results are shared, each thread has its simulations. Every number is that of one thread alone."""
import concurrent.futures
import random

import zeno

SCENES = ["rotating-ball", "slider-crank", "woodpecker", "compass-walker", "pid-slider", "two-link-arm", "stairs", "motor-friction", "flexible-pendulum"]


def test_many_threads_many_scenes(root, tmp_path):
    paths = {name: root / "scenes" / f"{name}.yaml" for name in SCENES}
    scenes = {name: zeno.load(path) for name, path in paths.items()}
    ends = {name: 0.02 * scene.settings["end"] for name, scene in scenes.items()}
    expected = {name: scene.run(end=ends[name]).q[-1].tolist() for name, scene in scenes.items()}
    shared = scenes["rotating-ball"].run(end=0.2)
    last = shared["x"][-1]

    def by_steps(name):
        with scenes[name].simulation(end=ends[name]) as simulation:
            while not simulation.done:
                simulation.step()
            assert len(simulation.gaps) == len(scenes[name].contacts) and simulation.energy and simulation.outputs is not None
            return simulation.q.tolist()

    def work(number):
        generator = random.Random(number)
        for i in range(4):
            name = generator.choice(SCENES)
            found = scenes[name].run(end=ends[name]).q[-1].tolist() if generator.random() < 0.5 else by_steps(name)
            assert found == expected[name], name
            assert "nothing" not in shared and shared["x"][-1] == last
            try:
                zeno.Scene("coordinates: 1")
                return False
            except zeno.SceneError:
                pass
            file = tmp_path / f"{number}-{i}.h5"
            shared.save(file)
            assert zeno.open(file)["x"][-1] == last and zeno.load(paths[name]).coordinates == scenes[name].coordinates
        return True

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(18)))
