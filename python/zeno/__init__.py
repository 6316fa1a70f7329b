# SPDX-License-Identifier: Apache-2.0
"""Zeno: mechanical systems with frictional contact and impacts.

>>> import zeno
>>> result = zeno.load("scene.yaml").run(scheme="radau-2a:2", step=1e-3, end=3)
>>> result.t, result.q, result["ball.y"]
"""
from . import _zeno
from .errors import Error, FileError, SceneError, StepError, Stopped
from .model import Model
from .problem import ContactSolution, solve_contact_problem
from .result import Result, open
from .scene import Scene, Simulation, load
from .studies import Scheme, converge, schemes

__version__ = _zeno.version()
__all__ = ["ContactSolution", "Error", "FileError", "Model", "Result", "Scene", "SceneError", "Scheme", "Simulation", "StepError", "Stopped",
           "converge", "load", "open", "schemes", "solve_contact_problem"]
