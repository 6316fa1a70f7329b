# SPDX-License-Identifier: Apache-2.0
"""Models from Python functions: NumPy arrays in, NumPy arrays out."""
from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

from . import _zeno, arrays, errors
from .result import Result
from .simulation import Progress, Simulation, settings_of

#: Derivatives that differ from differences by more than this, relative to the size of their row, are wrong.
DERIVATIVE_TOLERANCE = 1e-5


class Model:
    """A mechanical system by functions.

    =============  ====================================================================================================
    ``balance``    ``(t, q, u, a, lam) -> {"r": M a - h - W lam, "r_q": ..., "r_u": ..., "M": ..., "W": ...}``
    ``constraints`` ``(t, q, u, a) -> {"c0", "c0_q", "c1", "c1_q", "c1_u", "c2", "c2_q", "c2_u"}``: rows on position, velocity and
                   acceleration level with their derivatives; order of rows: position constraints, velocity constraints,
                   gaps of contacts, slips of contacts (``c0`` of velocity constraints and slips is zero)
    ``kinematics`` ``(t, q, u, a) -> {"qdot", "qdot_q", "B", "qddot"}``; left out: q' = u
    ``energy``     ``(t, q, u) -> (kinetic, potential)``; may be left out
    ``outputs``    ``{name: function of (t, q, u)}``; may be left out
    =============  ====================================================================================================

    ``balance`` gets a keyword argument ``no_force``: then h is left out (impacts). Contacts are dictionaries with ``name``, ``slips``
    (0, 1, 2 or 3), ``friction``, ``restitution``, ``tangential_restitution``. All derivatives are compared with differences when the model
    is made; ``check=False`` leaves that out.
    """

    def __init__(self, q: Mapping[str, float], u: Optional[Mapping[str, float]] = None, *, balance: Callable[..., Mapping[str, Any]],
                 constraints: Optional[Callable[..., Mapping[str, Any]]] = None, kinematics: Optional[Callable[..., Mapping[str, Any]]] = None,
                 energy: Optional[Callable[..., tuple[float, float]]] = None, outputs: Optional[Mapping[str, Callable[..., float]]] = None,
                 position_constraints: Sequence[str] = (), velocity_constraints: Sequence[str] = (),
                 contacts: Sequence[Mapping[str, Any]] = (), force_uses_velocity: bool = True, title: str = "", check: bool = True):
        self._numpy = arrays.need_numpy("a model from Python functions")
        self._made_of = {"q": q, "u": u, "balance": balance, "constraints": constraints, "kinematics": kinematics, "energy": energy, "outputs": outputs,
                         "position_constraints": position_constraints, "velocity_constraints": velocity_constraints, "contacts": contacts,
                         "force_uses_velocity": force_uses_velocity, "title": title, "check": False}
        self._functions: dict[str, Any] = {"balance": balance, "constraints": constraints, "kinematics": kinematics, "energy": energy}
        self._outputs = dict(outputs or {})
        self.title, self.text = title, ""
        if u is None:
            u = {name + "'": 0.0 for name in q}
        if kinematics is None and len(u) != len(q):
            raise ValueError(f"without kinematics there are as many velocities as coordinates, not {len(u)} and {len(q)}")
        rows = [(c["name"], int(c.get("slips", 0)), float(c.get("friction", 0)), float(c.get("restitution", 0)),
                 float(c.get("tangential_restitution", 0))) for c in contacts]
        self._start = list(map(float, q.values())), list(map(float, u.values()))
        n_rows = len(position_constraints) + len(velocity_constraints) + len(rows) + sum(row[1] for row in rows)
        self._sizes = len(q), len(u), len(u), n_rows
        if n_rows and constraints is None:
            raise ValueError("a model with constraints or contacts needs the function 'constraints'")
        try:
            self._core = _zeno.Model(self._ask, list(q), list(u), *self._start,
                                     list(position_constraints), list(velocity_constraints), rows, list(self._outputs),
                                     kinematics is None, kinematics is not None, energy is not None, force_uses_velocity)
        except _zeno.Error as error:
            raise errors.from_library(error, errors.SceneError) from None
        if check:
            self.check_derivatives()

    def __reduce__(self) -> Any:  # functions that can be pickled make a model that can
        return functools.partial(Model, **self._made_of), ()

    def _ask(self, question: str, t: float, q: Any, u: Any, a: Any, lam: Any, wanted: list[str], no_force: bool) -> dict[str, Any]:
        numpy = self._numpy
        # What a question does not depend on is not given: zeros, so that functions need not ask.
        q, u, a, lam = (numpy.zeros(n) if b is None else numpy.frombuffer(b) for b, n in zip((q, u, a, lam), self._sizes))
        if question == "energy":
            kinetic, potential = self._functions["energy"](t, q, u)
            return {"kinetic": numpy.array([kinetic], float), "potential": numpy.array([potential], float)}
        if question == "outputs":
            return {"outputs": numpy.array([function(t, q, u) for function in self._outputs.values()], float)}
        function = self._functions[question]
        if question == "balance":
            given = function(t, q, u, a, lam, no_force=no_force) if no_force else function(t, q, u, a, lam)
        else:
            given = function(t, q, u, a)
        return {name: numpy.asarray(given[name], dtype=float) for name in wanted if name in given}

    def check_derivatives(self, seed: int = 1) -> float:
        """Compares all derivatives with differences near the start, and returns the largest relative error; a wrong one is a SceneError."""
        model, generator = self._core.model, self._numpy.random.default_rng(seed)
        start = self._start
        n_rows = model["ng"] + model["ny"] + model["nN"] + model["nF"]

        def near(values: list[float]) -> list[float]:
            return [value + 0.1 * generator.standard_normal() for value in values]

        try:
            worst, what, row, column, given, difference = self._core.check_derivatives(0.1, near(start[0]), near(start[1]), list(generator.standard_normal(model["nu"])),
                                                       list(generator.standard_normal(n_rows)))
        except _zeno.Error as error:
            raise errors.from_library(error, errors.SceneError) from None
        if not worst <= DERIVATIVE_TOLERANCE:
            entry = f"[{row}]" if column < 0 else f"[{row}, {column}]"
            raise errors.SceneError(f"a derivative is wrong: {what}{entry} is {given:.6g}, but differences give {difference:.6g}", "model")
        return worst

    def simulation(self, scheme: Optional[str] = None, step: Any = None, end: Optional[float] = None, **settings: Any) -> Simulation:
        """A simulation that goes step by step."""
        return Simulation(self, settings_of(scheme, step, end, settings))

    def run(self, scheme: Optional[str] = None, step: Any = None, end: Optional[float] = None, *, out: Any = None, progress: Progress = False,
            account: bool = True, **settings: Any) -> Result:
        """Runs to the end, as ``Scene.run`` does."""
        return self.simulation(scheme, step, end, **settings).run(out, progress, account)
