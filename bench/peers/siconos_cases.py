# SPDX-License-Identifier: Apache-2.0
"""The cases in Siconos, by its Moreau-Jean scheme (theta = 1/2, gaps forecast by h/2). Prints what engines/run.mjs prints.

The crates are points with planar friction (their rotation does nothing in these cases), the balls planar, the top a Newton-Euler body."""
import json
import sys
import time

import numpy as np
import siconos
import siconos.kernel as sk
import siconos.numerics as sn

MAX_ROWS = 1000


def planar(case):
    """q = (x, z) or (x, z, angle about y) with its matrix of contact velocities (normal, tangential)."""
    m = case["mass"]
    start, velocity = case["position"], case["velocity"]
    if case["shape"] == "box":
        q, u, mass, radius = [start[0], start[2]], [velocity[0], velocity[2]], np.diag([m, m]), case["size"][2] / 2
        H = np.array([[0.0, 1], [1, 0]])
    else:
        radius = case["radius"]
        q, u = [start[0], start[2], 0.0], [velocity[0], velocity[2], 0.0]
        mass = np.diag([m, m, 0.4 * m * radius**2])
        H = np.array([[0.0, 1, 0], [1, 0, -radius]])
    body = sk.LagrangianLinearTIDS(q, u, mass)
    force = np.zeros(len(q))
    force[0], force[1] = m * case["gravity"][0], m * case["gravity"][2]
    body.setFExtPtr(force)
    if case["friction"] > 0:
        law, relation = sk.NewtonImpactFrictionNSL(case["restitution"], 0.0, case["friction"], 2), sk.LagrangianLinearTIR(H, [-radius, 0.0])
    else:
        law, relation = sk.NewtonImpactNSL(case["restitution"]), sk.LagrangianLinearTIR(H[:1], [-radius])
    return body, sk.Interaction(law, relation)


def row_planar(body):
    q, u = body.q(), body.velocity()
    angle, rate = (q[2], u[2]) if len(q) > 2 else (0.0, 0.0)
    return [q[0], 0, q[1], u[0], 0, u[1], 0, rate, 0, np.cos(angle / 2), 0, np.sin(angle / 2), 0]


def free(case):
    a, b, c = case["size"]
    m = case["mass"]
    inertia = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) * m / 12
    return sk.NewtonEulerDS(case["position"] + [1.0, 0, 0, 0], case["velocity"] + case["spin"], m, inertia), None


def row_free(body):
    q, u = np.array(body.q()), np.array(body.twist())
    w, v = q[3], q[4:7]
    spin = u[3:6] + 2 * np.cross(v, np.cross(v, u[3:6]) + w * u[3:6])
    return [*q[:3], *u[:3], *spin, *q[3:7]]


def simulate(case, h):
    body, contact = planar(case) if case["floor"] else free(case)
    row = row_planar if case["floor"] else row_free
    system = sk.NonSmoothDynamicalSystem(0, case["end"])
    system.insertDynamicalSystem(body)
    if contact:
        system.link(contact, body)
    problem = sk.FrictionContact(2) if case["friction"] > 0 else sk.LCP()
    if case["friction"] > 0:
        problem.numericsSolverOptions().dparam[sn.SICONOS_DPARAM_TOL] = 1e-10
    stepping = sk.TimeStepping(system, sk.TimeDiscretisation(0, h), sk.MoreauJeanOSI(0.5, 0.5), problem)
    stepping.setNewtonTolerance(1e-12)
    count = round(case["end"] / h)
    every = max(1, round(count / MAX_ROWS))
    rows, seconds = [[0.0, *map(float, row(body))]], 0.0
    for i in range(1, count + 1):
        begin = time.perf_counter()
        stepping.computeOneStep()
        stepping.nextStep()
        seconds += time.perf_counter() - begin
        if i % every == 0 or i == count:
            rows.append([i * h, *map(float, row(body))])
    return {"program": "siconos", "version": getattr(siconos, "__version__", ""), "case": case["name"], "step": h,
            "seconds_per_step": seconds / count, "rows": rows}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        described = json.load(file)
    print(json.dumps([simulate(c, h) for c in described["cases"] for h in described["steps"]]))
