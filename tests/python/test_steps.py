# SPDX-License-Identifier: Apache-2.0
"""Step by step, and the rest: schemes, convergence, contact problems, pages."""
import subprocess
import sys

import numpy
import pytest
import zeno


def test_steps_are_those_of_a_run(root):
    scene = zeno.load(root / "scenes" / "woodpecker.yaml")
    result, simulation = scene.run(end=0.05), scene.simulation(end=0.05)
    q = simulation.q
    rows = [q.copy()]
    while not simulation.done:
        simulation.step()
        rows.append(q.copy())
    assert numpy.array_equal(numpy.array(rows), result.q)
    assert q is simulation.q and not q.flags.writeable and simulation.t == 0.05
    assert set(simulation.gaps) == set(scene.contacts) and set(simulation.percussions) == set(scene.constraints) | set(scene.contacts)
    assert sum(simulation.energy) == result.energy[-1, 2]


def test_a_step_that_fails():
    simulation = zeno.Scene({"coordinates": {"x": {"start": 1}}, "energy": {"kinetic": "x'^2/2", "potential": "x*log(0.05 - t)"},
                             "simulation": {"scheme": "radau-2a", "step": 0.01, "end": 1}}).simulation()
    with pytest.raises(zeno.StepError) as caught:
        while not simulation.done:
            simulation.step()
    assert caught.value.step and 0 < caught.value.time < 0.1 and simulation.t < 0.06


def test_schemes():
    names = {scheme.name: scheme for scheme in zeno.schemes()}
    assert names["rattle"].order == 2 and names["radau-2a"].stages_max >= 3


def test_converge(root):
    study = zeno.converge(zeno.load(root / "scenes" / "rigid-pendulum.yaml"), ["rattle"], [1e-2, 5e-3, 2.5e-3], 2.5e-4, end=0.2)
    assert 1.7 < study["schemes"][0]["order_q"] < 2.3


def two_balls(mu=0.5):
    """A ball that is pushed sideways on a plane, beside another one that leaves it."""
    W = numpy.kron(numpy.eye(2), numpy.diag([1.0, 3.5, 3.5]))
    q = numpy.array([-1.0, 2.0, 0.0, 1.0, 0.0, 0.0])
    return W, q, mu


def test_contact_problem_by_hand():
    W, q, mu = two_balls()
    solution = zeno.solve_contact_problem(W, q, mu)
    # normal: r = 1; friction at its most: 0.5 against the slip, u_T = 2 - 3.5/2
    assert numpy.abs(solution.r - [1, -0.5, 0, 0, 0, 0]).max() < 1e-9
    assert numpy.abs(solution.u - [0, 0.25, 0, 1, 0, 0]).max() < 1e-9
    assert solution.residual <= 1e-10


def test_contact_problem_sparse_and_global():
    scipy = pytest.importorskip("scipy.sparse")
    W, q, mu = two_balls()
    local = zeno.solve_contact_problem(scipy.csr_matrix(W), q, [mu, mu])
    H = scipy.csc_matrix(numpy.linalg.cholesky(W))
    found = zeno.solve_contact_problem(M=scipy.identity(6), H=H, f=numpy.zeros(6), w=q, mu=mu)
    assert numpy.abs(found.r - local.r).max() < 1e-8


def test_wrong_contact_problems():
    W, q, mu = two_balls()
    for arguments in [dict(), dict(W=W), dict(W=W, q=q, M=W), dict(W=W[:5, :5], q=q[:5]), dict(W=W, q=q[:3]), dict(W=W, q=q, mu=-1),
                      dict(W=W, q=q * numpy.nan), dict(W=W, q=q, dim=4), dict(W=W, q=q, solver="x"), dict(W=W, q=q, residual=0)]:
        with pytest.raises(ValueError):
            zeno.solve_contact_problem(**arguments)


def test_the_program_comes_with_the_package(root):
    done = subprocess.run([sys.executable, "-m", "zeno", "check", str(root / "scenes" / "chain.yaml")], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "chain" in done.stdout.lower()


def test_plot(ball):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot

    axes = zeno.Scene(ball).run().plot(["y", "y'"], ax=matplotlib.pyplot.figure().gca())
    assert len(axes.lines) == 2 and axes.get_xlabel() == "t" and axes.get_title() == "Ball"


def test_auto_step_and_progress(ball):
    seen = []
    result = zeno.Scene(ball).run(scheme="radau-2a:2", step="auto", accuracy=1e-6, progress=lambda t, steps: seen.append(t))
    assert result.status == "ok" and result.t[-1] == 1


def test_snapshots_go_on_bit_for_bit(root):
    scene = zeno.load(root / "scenes" / "slider-crank.yaml")
    a, b = scene.simulation(scheme="radau-2a:2", end=0.02), scene.simulation(scheme="radau-2a:2", end=0.02)
    for _ in range(30):
        a.step()
    snapshot = a.snapshot()
    assert isinstance(snapshot, bytes) and snapshot == a.snapshot()
    for _ in range(30):
        a.step()
    b.restore(snapshot)
    for _ in range(30):
        b.step()
    assert a.t == b.t and (a.q == b.q).all() and (a.u == b.u).all() and a.snapshot() == b.snapshot()
    b.reset()
    assert b.t == 0 and (b.q == scene.simulation(scheme="radau-2a:2", end=0.02).q).all()
    for wrong in [b"", snapshot[:-1], snapshot[:100] + b"x" + snapshot[101:], b"zeno" * 1000]:
        with pytest.raises(zeno.Error, match="snapshot"):
            b.restore(wrong)
    with pytest.raises(zeno.Error, match="settings"):
        scene.simulation(scheme="rattle").restore(snapshot)


def test_states_can_be_set():
    rod = zeno.Scene({"coordinates": {"x": 0, "y": -1}, "energy": {"kinetic": "(x'^2 + y'^2)/2", "potential": "9.81*y"},
                      "constraints": {"rod": {"position": "x^2 + y^2 - 1"}}, "simulation": {"scheme": "rattle", "step": 1e-3, "end": 1}})
    simulation = rod.simulation()
    simulation.set_state(q=[3, -4])
    assert numpy.abs(simulation.q - [0.6, -0.8]).max() < 1e-9
    with pytest.raises(zeno.Error):
        simulation.set_state(q=[3, -4], project=False)
    with pytest.raises(ValueError):
        simulation.set_state(q=[1])
    with pytest.raises(zeno.Error, match="finite"):
        simulation.set_state(u=[numpy.nan, 0])
    simulation.step()


def test_inputs_drive_a_system():
    cart = zeno.Scene({"inputs": {"force": 0}, "coordinates": {"x": 0}, "energy": {"kinetic": "x'^2"}, "forces": {"x": "force"},
                       "simulation": {"scheme": "rattle", "step": 1e-2, "end": 2}})
    simulation = cart.simulation()
    assert dict(simulation.inputs) == {"force": 0} and len(simulation.inputs) == 1
    simulation.inputs["force"] = 4
    for _ in range(100):
        simulation.step()
    assert abs(simulation.q[0] - 1) < 1e-12 and abs(simulation.u[0] - 2) < 1e-12  # a = force/m = 2
    snapshot = simulation.snapshot()
    simulation.inputs["force"] = -1
    simulation.restore(snapshot)
    assert simulation.inputs["force"] == 4
    with pytest.raises(zeno.Error, match="force"):
        simulation.inputs["farce"] = 1
    with pytest.raises(zeno.Error):
        simulation.inputs["force"] = numpy.inf
    with pytest.raises(KeyError):
        simulation.inputs["other"]
    with pytest.raises(TypeError):
        del simulation.inputs["force"]


def test_sweeps(root, tmp_path):
    scene = root / "scenes" / "bouncing-ball.yaml"
    study = zeno.sweep(scene, {"e_N": "0.5:0.9:5", "q_0": [1, 2]}, "last:u,max:q", end=0.5, step=1e-2, out=tmp_path / "study.h5")
    assert len(study) == 10 and (study.status == 0).all() and (study.reached == 0.5).all()
    assert list(study["q_0"][:2]) == [1, 2] and abs(study["e_N"][-1] - 0.9) < 1e-15 and study["last:u"].shape[0] == 10
    again = zeno.sweep(scene, {"e_N": "0.5:0.9:5", "q_0": [1, 2]}, "last:u,max:q", end=0.5, step=1e-2, threads=1)
    assert (again["max:q"] == study["max:q"]).all()
    single = zeno.load(scene, e_N=0.7, q_0=2).run(step=1e-2, end=0.5)
    assert single.u[-1, 0] == study["last:u"].reshape(10, -1)[5, 0]
    with pytest.raises(zeno.Error, match="no parameter"):
        zeno.sweep(scene, {"nothing": "1,2"}, "last:q")
