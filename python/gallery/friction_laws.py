# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Friction laws side by side
# A ball is thrown over a table with much spin about the vertical. Coulomb's law for sliding alone does not see the spin. The law of
# Coulomb-Contensou couples both over the contact patch: while the ball spins, friction against sliding is smaller. Pivoting friction takes
# the spin away.
# %%
import zeno


def ball(law):
    return zeno.Scene({
        "gravity": [0, 0, -9.81],
        "bodies": {"ball": {"type": "spatial", "shape": {"type": "sphere", "radius": 0.05}, "mass": 0.2, "position": [0, 0, 0.05],
                            "velocity": [1, 0, 0], "angular_velocity": [0, 0, 200]}},
        "geometry": {"table": {"type": "plane"}},
        "contacts": {"table": {"between": ["ball", "table"], **law}},
        "simulation": {"scheme": "radau-2a", "stages": 2, "step": 1e-3, "end": 1},
    })


laws = {
    "isotropic": {"friction": 0.3},
    "Contensou": {"friction": 0.3, "reservoir": "contensou", "radius": 0.01},
    "isotropic and pivoting": {"friction": 0.3, "pivoting": 0.01},
}
# %%
speed = {}
for name, law in laws.items():
    result = ball(law).run(end=0.05)
    speed[name] = float(result["ball.x'"][-1])
    print(f"{name:25s} speed at the end {speed[name]:.3f} m/s, spin {result['ball.wz'][-1]:.1f} 1/s")
assert abs(speed["isotropic"] - (1 - 0.3 * 9.81 * 0.05)) < 1e-9  # slides all the time
assert speed["Contensou"] > speed["isotropic"] + 0.05
