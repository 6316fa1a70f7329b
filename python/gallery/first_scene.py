# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A first scene
# A ball falls on the floor and bounces, infinitely often in finite time.
# %%
import zeno

scene = zeno.Scene("""
title: Bouncing ball
coordinates: {y: {start: 1}}
energy: {kinetic: y'^2/2, potential: 9.81*y}
contacts: {floor: {gap: y, restitution: 0.8}}
simulation: {scheme: moreau-midpoint, step: 1e-4, end: 6}
""")
result = scene.run()

# %% [markdown]
# The bounces end at t = sqrt(2/9.81) (1 + 0.8)/(1 - 0.8).
# %%
end = (2 / 9.81) ** 0.5 * (1 + 0.8) / (1 - 0.8)
late = result["y"][result.t > end + 0.1]
print(f"bounces end at {end:.4f}; height after that: {abs(late).max():.1e}")
assert abs(late).max() < 1e-3

# %%
try:
    result.plot("y")
except ImportError:
    print("no picture: matplotlib is not installed")
