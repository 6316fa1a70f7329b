# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["ZENO_PROGRAM"]

BALL = """
title: Ball
coordinates: {y: {start: 1}}
energy: {kinetic: y'^2/2, potential: 9.81*y}
contacts: {floor: {gap: y, restitution: 0.5}}
simulation: {scheme: moreau-midpoint, step: 1e-3, end: 1}
"""


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def ball():
    return BALL


@pytest.fixture
def program():
    def run(*arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=True).stdout

    return run
