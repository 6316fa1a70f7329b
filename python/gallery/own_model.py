# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A model of one's own
# A pendulum on a cart, by functions: the mass matrix depends on the angle, so its derivative stands in the balance.
# %%
import numpy
import zeno

m, M, l, g = 1.0, 2.0, 1.0, 9.81


def balance(t, q, u, a, lam, no_force=False):
    s, c = numpy.sin(q[1]), numpy.cos(q[1])
    mass = numpy.array([[M + m, m * l * c], [m * l * c, m * l**2]])
    h = numpy.zeros(2) if no_force else numpy.array([m * l * s * u[1] ** 2, -m * g * l * s])
    turning = 0.0 if no_force else 1.0
    r_q = numpy.array([[0, -m * l * s * a[1] - turning * m * l * c * u[1] ** 2], [0, -m * l * s * a[0] + turning * m * g * l * c]])
    r_u = numpy.array([[0, -turning * 2 * m * l * s * u[1]], [0, 0]])
    return {"r": mass @ a - h, "r_q": r_q, "r_u": r_u, "M": mass, "W": numpy.zeros((2, 0))}


def energy(t, q, u):
    mass = balance(t, q, u, numpy.zeros(2), None)["M"]
    return u @ mass @ u / 2, -m * g * l * numpy.cos(q[1])


model = zeno.Model({"x": 0, "phi": 2}, balance=balance, energy=energy, title="Pendulum on a cart")
# %%
result = model.run(scheme="radau-2a:3", step=1e-2, end=2)
total = result.energy[:, 2]
print(f"energy changes by {abs(total - total[0]).max():.1e} of {abs(total[0]):.2f}")
assert abs(total - total[0]).max() < 1e-5
