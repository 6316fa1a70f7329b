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
