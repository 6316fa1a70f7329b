# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share."""
import os
import pathlib
import signal
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["ZENO_PROGRAM"]
# A shell ignores interrupts in what it starts in the background, and Python with it: the test of Ctrl-C would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)

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
