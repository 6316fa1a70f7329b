# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A parameter study on all cores
# Runs release the interpreter's lock, so threads are enough.
# %%
from concurrent.futures import ThreadPoolExecutor

import numpy
import zeno

SCENE = """
title: Block that is thrown over a rough floor
parameters: {mu: 0.3, v: 2}
coordinates: {x: {velocity: v}, y: 0}
energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}
contacts: {floor: {gap: y, slip: x', friction: mu}}
simulation: {scheme: radau-2a, stages: 2, step: 1e-3, end: 3}
"""


def distance(mu):
    return float(zeno.Scene(SCENE, parameters={"mu": mu}).run(account=False)["x"][-1])


# %%
friction = numpy.linspace(0.1, 0.9, 9)
with ThreadPoolExecutor() as pool:
    found = numpy.array(list(pool.map(distance, friction)))
stop = 2 / (friction * 9.81)
exact = numpy.where(stop < 3, 2**2 / (2 * friction * 9.81), 2 * 3 - friction * 9.81 * 3**2 / 2)
print(f"largest error {abs(found - exact).max():.1e}")
assert abs(found - exact).max() < 1e-5
