# SPDX-License-Identifier: Apache-2.0
"""Orders of convergence with friction: the point mass on the slope."""
import math

from drawing import circle, line, snapshots
from orders import orders_of, pairs
from table import MOREAU, Curve, System, no_penetration, projection_too

STEPS = [8e-4 * 2**k for k in range(8)]
ORDERS = orders_of("sliding")
slope = System("slope", "Point mass on a slope, sliding", "000: 6.3, Fig. 8 and 9; 002: 7.7, Fig. 7.11 and 7.12",
               "A point mass slides with friction on y = exp(−x), always in contact: Runge-Kutta schemes keep the orders that they have for "
               "constrained systems. It comes to rest at t = 2.0974.",
               needs=("contacts", "friction"), laws=("coulomb",))
slope.run()
slope.run(["radau-2a:2", "lobatto-3a3b:3"], tag="h = 1e-2", step=1e-2)


def rest(r):
    return r.first("x'", lambda v: v < 1e-9, after=0.5)


EXACT = {"x": 1.09289185303, "y": 0.33524560952, "x'": 2.25581335701, "y'": -0.75625152384}
# Orders 1, 2 and above at h = 1.6e-3: C h and C h^2 with C = 4, and the digits of the reference.
HIGH = ("radau-2a:2", "radau-2a:3", "lobatto-3a3b:3", "lobatto-3a3b:4", "lobatto-3a3b-lagrange:3", "lobatto-3c:3")
TOLERANCE = {("moreau*", "radau-2a:1"): 6e-3, ("sdirk*",): 4e-4, HIGH: 2e-9, "*": 1e-5}
for name, value in EXACT.items():
    slope.fact(f"{name}(0.8192)", lambda r, name=name: r.on_grid(name, 0.8192), value, TOLERANCE, "reference numbers, independent computation")
slope.fact("comes to rest at", rest, 2.09735228, {("moreau*", "radau-2a:1"): 3.3e-3, "*": 1.61e-3}, "reference numbers, to a step; two for first order")
slope.fact("x at rest", lambda r: r.last("x"), 2.84918465, {("moreau*", "radau-2a:1"): 1.2e-2, ("sdirk*",): 4e-4, "*": 1e-5}, "reference numbers")
slope.converges("x(0.8192)", lambda r: r.on_grid("x", 0.8192), EXACT["x"], 1e-11, "reference numbers, independent computation", {s: p for s, p in ORDERS.items() if p < 3}, 3.2e-3, end=0.8192)
no_penetration(slope, wrong=1e-4)
slope.study("orders", "case 1 on [0, 0.8192], 002 Fig. 7.12", ORDERS, STEPS, 2e-4, 0.8192, weight=20)
slope.orders("orders", pairs(ORDERS), "002 Fig. 7.12; docs/schemes.md")
slope.study("integrated", "integrated percussions (5.42): order reduction, 002 Fig. 7.12", ["lobatto-3a3b:2", "lobatto-3a3b:3", "lobatto-3a3b:4"],
            [2.56e-2, 5.12e-2, 1.024e-1, 2.048e-1], 2e-4, 0.8192,
            settings={"percussion": "integrated"})
slope.orders("integrated", {"lobatto-3a3b:3": (3, None), "lobatto-3a3b:4": (4, None)}, "002: 7.7; measured")
slope.study("000", "case 1 on [0, 1.6384], 000 Fig. 9 (an interval that all steps divide)", ["lobatto-3a3b-lagrange:2", "lobatto-3a3b-lagrange:3", "lobatto-3a3b-lagrange:4"],
            [3.2e-3 * 2**k for k in range(6)], 1e-4, 1.6384)
slope.orders("000", {"lobatto-3a3b-lagrange:2": (2, 2), "lobatto-3a3b-lagrange:3": (4, 4), "lobatto-3a3b-lagrange:4": (6, 6)}, "000 Fig. 9")
slope.column("error of x(0.8192)", lambda r: abs(r.on_grid("x", 0.8192) - EXACT["x"]))
slope.column("error of x′(0.8192)", lambda r: abs(r.on_grid("x'", 0.8192) - EXACT["x'"]))
slope.column("rest at", rest)


def slope_figures(system, where):
    system.figure(f"{where}: positions", [Curve("radau-2a:2", "t", "x", "x", "h = 1e-2"), Curve("radau-2a:2", "t", "y", "y", "h = 1e-2")], "t", "position")
    system.figure(f"{where}: velocities", [Curve("radau-2a:2", "t", "x'", "x′", "h = 1e-2"), Curve("radau-2a:2", "t", "y'", "y′", "h = 1e-2")], "t", "velocity")
    system.figure("002 Fig. 7.11: percussions", [Curve("radau-2a:2", "t", "percussion.slope.normal", "ΔΠ_N", "h = 1e-2"),
                                                 Curve("radau-2a:2", "t", "percussion.slope.friction", "ΔΠ_T", "h = 1e-2")], "t", "percussion")


slope_figures(slope, "000 Fig. 8, 002 Fig. 7.11, case 1")
ground = line(*[(x / 20, math.exp(-x / 20)) for x in range(-4, 66)])
slope.drawing = lambda r: [("slope", ground), ("mass", snapshots(r, [0, 0.4, 0.8, 1.2, 1.6, 3], lambda row: circle(row("x"), row("y"), 0.04)))]

drop = System("slope-drop", "Point mass dropped on the slope", "000: 6.3, Fig. 8 and 9; 002: 7.7, Fig. 7.11 and 7.12",
              "The same mass starts above the slope: across the impact every event-capturing scheme is of first order.",
              needs=("contacts", "friction"), laws=("coulomb", "impact"))
drop.run()
drop.run(["radau-2a:2"], tag="h = 1e-2", step=1e-2)
drop.run(["radau-2a:2", "lobatto-3a3b:3", "rattle", "tr-bdf2", "generalized-alpha"], tag="fine", step=1e-4)
for name, value in (("x", 0.9973042131), ("y", 0.3688725037)):
    drop.fact(f"{name}(0.8192)", lambda r, name=name: r.on_grid(name, 0.8192), value, {tuple(MOREAU): 6e-3, "*": 5e-4}, "reference numbers, independent computation")
    drop.fact(f"{name}(0.8192), h = 1e-4", lambda r, name=name: r.at(name, 0.8192), value, 4e-5, "reference numbers", tag="fine")
drop.fact("comes to rest at", rest, 2.18788317, {tuple(MOREAU): 3.3e-3, "*": 1.61e-3}, "reference numbers, to a step; two for first order")
drop.fact("comes to rest at, h = 1e-4", rest, 2.18788317, 1.01e-4, "reference numbers, to a step", tag="fine")
drop.fact("velocity jumps at t ≈ 0.3 (first percussion)", lambda r: r.first("percussion.slope.normal", lambda p: p > 0), math.sqrt(0.1), {tuple(MOREAU): 3.3e-3, "*": 1.61e-3}, "000: 6.3, 002: 7.7, to a step")
no_penetration(drop, wrong=1e-3)
projection_too(drop, ORDERS, high=1e-9, wrong=1e-5)
drop.study("orders", "case 2 on [0, 0.8192], 002 Fig. 7.12", [s for s in ORDERS if s not in MOREAU], STEPS, 2e-4, 0.8192, weight=20)
drop.note("The errors of 002 Fig. 7.12 are not monotonous: where in a step the impact lies changes with the step. The orders are judged in the system orders, with steps that have it at the same place.")
drop.column("error of x(0.8192)", lambda r: abs(r.on_grid("x", 0.8192) - 0.9973042131))
drop.column("rest at", rest)
slope_figures(drop, "000 Fig. 8, 002 Fig. 7.11, case 2")
drop.drawing = lambda r: [("slope", ground), ("mass", snapshots(r, [0, 0.2, 0.32, 0.7, 1.2, 1.6, 3], lambda row: circle(row("x"), row("y"), 0.04)))]

SYSTEMS = [slope, drop]
