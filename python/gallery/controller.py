# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A loop as in Gymnasium
# An environment has `reset` and `step`; the agent here looks when the ball falls and counts bounces.
# %%
import zeno


class Bouncing:
    """A ball above a floor; an observation is (height, velocity), the reward is the height."""

    def __init__(self, step=1e-2, end=2.0):
        self.scene = zeno.Scene({"coordinates": {"y": {"start": 1}}, "energy": {"kinetic": "y'^2/2", "potential": "9.81*y"},
                                 "contacts": {"floor": {"gap": "y", "restitution": 0.7}}, "simulation": {"step": step, "end": end}})

    def reset(self):
        self.simulation = self.scene.simulation()
        return self.observation(), {}

    def observation(self):
        return float(self.simulation.q[0]), float(self.simulation.u[0])

    def step(self, action=None):
        self.simulation.step()
        observation = self.observation()
        return observation, observation[0], False, self.simulation.done, {"gaps": self.simulation.gaps}


# %%
environment = Bouncing()
(height, velocity), _ = environment.reset()
bounces, total, truncated = 0, 0.0, False
while not truncated:
    before = velocity
    (height, velocity), reward, terminated, truncated, info = environment.step()
    bounces += before < 0 < velocity
    total += reward
print(f"{bounces} bounces, mean height {total / 200:.3f}")
assert bounces >= 3

# %% [markdown]
# # A controller
# A cart is held at 1 by a force that is computed in Python before each step.
# %%
cart = zeno.Scene({"inputs": {"force": 0}, "coordinates": {"x": 0}, "energy": {"kinetic": "x'^2"}, "forces": {"x": "force"},
                   "simulation": {"scheme": "rattle", "step": 1e-2, "end": 5}}).simulation()
while not cart.done:
    cart.inputs["force"] = 20 * (1 - cart.q[0]) - 9 * cart.u[0]
    cart.step()
print(f"the cart stands at {cart.q[0]:.4f}")
assert abs(cart.q[0] - 1) < 1e-3

# %% [markdown]
# Looking ahead: from a snapshot every plan begins at the same state.
# %%
cart.reset()
cart.inputs["force"] = 0
for _ in range(50):
    cart.step()
here, best = cart.snapshot(), None
for force in (-2.0, 0.0, 2.0):
    cart.restore(here)
    cart.inputs["force"] = force
    for _ in range(50):
        cart.step()
    error = abs(cart.q[0] - 0.125)
    best = min(best or (error, force), (error, force))
print(f"the best push is {best[1]}")
