# SPDX-License-Identifier: Apache-2.0
"""Zeno: mechanical systems with frictional contact and impacts.

>>> import zeno
>>> result = zeno.load("scene.yaml").run(scheme="radau-2a:2", step=1e-3, end=3)
>>> result.t, result.q, result["ball.y"]
"""
from . import _zeno as _zeno
from .errors import Error, FileError, SceneError, StepError, Stopped
from .model import Model
from .problem import ContactSolution, solve_contact_problem
from .result import Result, open
from .scene import Scene, load
from .simulation import Event, Inputs, Simulation
from .studies import Force, Joint, Scheme, Setting, Shape, Study, converge, forces, joints, schemes, settings, shapes, sweep

__version__: str = _zeno.version()
__all__ = ["ContactSolution", "Error", "Event", "FileError", "Force", "Inputs", "Joint", "Model", "Result", "Scene", "SceneError", "Scheme", "Setting", "Shape",
           "Simulation", "StepError", "Stopped", "Study", "converge", "forces", "joints", "load", "open", "schemes", "settings", "shapes",
           "solve_contact_problem", "sweep"]
