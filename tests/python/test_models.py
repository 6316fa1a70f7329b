# SPDX-License-Identifier: Apache-2.0
"""Scenes from Python objects, and models from Python functions."""
import math

import numpy
import pytest
import zeno


def pendulum(**changes):
    """A point at the end of a massless rod, x and y with one constraint."""
    g = 9.81

    def balance(t, q, u, a, lam, no_force=False):
        W = numpy.array([[q[0]], [q[1]]])
        h = numpy.zeros(2) if no_force else numpy.array([0, -g])
        return {"r": a - h - W @ lam, "r_q": changes.get("factor", 1) * -lam[0] * numpy.eye(2), "r_u": numpy.zeros((2, 2)), "M": numpy.eye(2), "W": W}

    def constraints(t, q, u, a):
        return {"c0": [(q @ q - 1) / 2], "c0_q": [q], "c1": [q @ u], "c1_q": [u], "c1_u": [q],
                "c2": [u @ u + q @ a], "c2_q": [a], "c2_u": [2 * u]}

    def energy(t, q, u):
        return u @ u / 2, g * q[1]

    return zeno.Model({"x": 1.0, "y": 0.0}, balance=balance, constraints=constraints, energy=energy, position_constraints=["rod"],
                      outputs={"angle": lambda t, q, u: math.atan2(q[0], -q[1])}, title="Pendulum by functions")


def test_functions_agree_with_formulas():
    scene = zeno.Scene({"coordinates": {"x": {"start": 1}, "y": {"start": 0}}, "energy": {"kinetic": "(x'^2 + y'^2)/2", "potential": "9.81*y"},
                        "constraints": {"rod": {"position": "(x^2 + y^2 - 1)/2"}}})
    for scheme in ("rattle", "radau-2a:2", "moreau-midpoint", "generalized-alpha"):
        a, b = pendulum().run(scheme=scheme, step=1e-2, end=1), scene.run(scheme=scheme, step=1e-2, end=1)
        assert numpy.abs(a.q - b.q).max() < 1e-9, scheme
    assert abs(a["angle"][0] - math.pi / 2) < 1e-15


def test_a_wrong_derivative_is_refused_with_its_name():
    with pytest.raises(zeno.SceneError, match=r"d r/dq( without force)?\[(0, 0|1, 1)\] is "):
        pendulum(factor=2)


def test_the_wrong_entry_is_named():
    def balance(t, q, u, a, lam, no_force=False, wrong=None):
        h = numpy.zeros(2) if no_force else numpy.array([-q[1], -q[0] ** 2])
        given = {"r": numpy.diag([1, 2]) @ a - h - [0, 3 * lam[0]], "r_q": [[0, 0], [0, 0]] if no_force else [[0, 1], [2 * q[0], 0]],
                 "r_u": numpy.zeros((2, 2)), "M": numpy.diag([1.0, 2.0]), "W": [[0.0], [3.0]]}
        return {**given, **(wrong(given) if wrong else {})}

    def constraints(t, q, u, a):
        return {"c0": [3 * q[1]], "c0_q": [[0, 3]], "c1": [3 * u[1]], "c1_q": [[0, 0]], "c1_u": [[0, 3]], "c2": [3 * a[1]], "c2_q": [[0, 0]], "c2_u": [[0, 0]]}

    def make(wrong=None):
        return zeno.Model({"x": 1, "y": 2}, balance=lambda *a, **k: balance(*a, wrong=wrong, **k), constraints=constraints, contacts=[{"name": "floor"}])

    assert make().check_derivatives() < 1e-6
    for name, (row, column), by, sentence in [("M", (0, 1), 0.5, r"M\[0, 1\] is 0.5, but differences give (-?\d.*e-\d+|0|-0)$"), ("W", (1, 0), 1, r"W\[1, 0\] is 4, but differences give 3"),
                                              ("r_u", (1, 1), 7, r"d r/du.*\[1, 1\] is 7")]:
        def wrong(given, name=name, row=row, column=column, by=by):
            matrix = numpy.array(given[name], float)
            matrix[row, column] += by
            return {name: matrix}

        with pytest.raises(zeno.SceneError, match=sentence):
            make(wrong)


def test_contacts_of_functions():
    def balance(t, q, u, a, lam, no_force=False):
        return {"r": a - (0 if no_force else -9.81) - lam, "r_q": [[0.0]], "r_u": [[0.0]], "M": [[1.0]], "W": [[1.0]]}

    def constraints(t, q, u, a):
        return {"c0": q, "c0_q": [[1.0]], "c1": u, "c1_q": [[0.0]], "c1_u": [[1.0]], "c2": a, "c2_q": [[0.0]], "c2_u": [[0.0]]}

    model = zeno.Model({"y": 1}, balance=balance, constraints=constraints, contacts=[{"name": "floor", "restitution": 0.5}])
    by_formula = zeno.Scene({"coordinates": {"y": {"start": 1}}, "energy": {"kinetic": "y'^2/2", "potential": "9.81*y"},
                             "contacts": {"floor": {"gap": "y", "restitution": 0.5}}})
    assert numpy.abs(model.run(step=1e-3, end=2).q - by_formula.run(step=1e-3, end=2).q).max() < 1e-9


def test_exceptions_and_wrong_shapes_of_functions_come_back():
    def balance(t, q, u, a, lam, no_force=False):
        if t > 0.5:
            raise LookupError("no table beyond 0.5")
        return {"r": a, "r_q": [[0.0]], "r_u": [[0.0]], "M": [[1.0]], "W": numpy.zeros((1, 0))}

    model = zeno.Model({"x": 1}, balance=balance)
    with pytest.raises(LookupError, match="no table"):
        model.run(step=0.01, end=1)
    model.run(step=0.01, end=0.4)  # it can be used again
    for wrong in ({"r": [1.0, 2.0]}, {"r": [[1.0]]}, {"r": "text"}, {}):
        with pytest.raises((ValueError, KeyError, TypeError)):
            zeno.Model({"x": 1}, balance=lambda t, q, u, a, lam, no_force=False, wrong=wrong: wrong)


def test_wrong_definitions():
    with pytest.raises(ValueError, match="as many"):
        zeno.Model({"x": 1}, {"a": 1, "b": 2}, balance=lambda *a: {})
    with pytest.raises(ValueError, match="constraints"):
        zeno.Model({"x": 1}, balance=lambda *a: {}, contacts=[{"name": "floor"}])


def test_parts_by_keyword_arguments():
    scene = zeno.Scene(title="Pendulum", gravity=[0, -9.81], simulation={"scheme": "rattle", "step": 1e-3, "end": 1})
    scene.body("rod", type="planar", mass=1, inertia=1 / 12, position=[0.5, 0])
    scene.joint("pin", type="revolute", between=["world", "rod"], at=[0, 0])
    result = scene.run()
    assert result.statistics["max_g"] < 1e-9
    # A rod about its end: phi'^2 / 2 * I = m g l/2 (sin of the way down)
    energy = result.energy[:, 2]
    assert numpy.abs(energy - energy[0]).max() < 1e-4
    with pytest.raises(ValueError, match="already"):
        scene.body("rod", type="planar", mass=2)
    scene.joint("wrong", type="revolut", between=["world", "rod"])
    with pytest.raises(zeno.SceneError, match="did you mean"):
        scene.run()


def test_arrays_in_scenes():
    scene = zeno.Scene({"gravity": numpy.array([0, -9.81]), "bodies": {"ball": {"type": "planar", "mass": numpy.float64(2), "inertia": 1, "position": numpy.zeros(2)}},
                        "simulation": {"step": 0.1, "end": 1}})
    assert abs(scene.run(scheme="rattle")["ball.y"][-1] + 9.81 / 2) < 1e-9
    with pytest.raises(TypeError, match="cannot hold"):
        zeno.Scene({"title": object()})


def test_parameters_replace(root):
    path = root / "scenes" / "rotating-ball.yaml"
    assert zeno.load(path, omega=20).run(end=0.01)["phi'"][0] == 20 and zeno.load(path, omega="10 + 10").run(end=0.01)["phi'"][0] == 20
    with pytest.raises(zeno.SceneError, match="--set"):
        zeno.load(path, nothing=1)
