# SPDX-License-Identifier: Apache-2.0
"""The orders that docs/schemes.md claims, where the benchmarks of the papers do not show them."""
import math

from orders import orders_of, pairs
from table import ALL, Curve, System

G, STEP, FRACTION = 10, 2.56e-2, 5 / 7
orders = System("orders", "Orders of the schemes", "beyond the papers (docs/schemes.md; turning slip: spring-slider)",
                "Order of convergence for every scheme: smooth motion, constraints on velocity level, sticking contacts, and after an impact. (Position "
                "constraints are in cartesian-pendulum, sliding contacts in slope.) Lobatto IIIA-IIIB has order 2s − 2, but s − 1 with constraints on "
                "velocity level and while contacts stick: these hold at the stages i = 2 .. s for velocities of the method IIIB, whose stages are "
                "of lower order than its steps.", scene="elastic-pendulum")
orders.run(end=2)
orders.fact("energy at the start", lambda r: r.summary["energy_start"], 0.5 - 9.81 * 1.1 * math.cos(math.pi / 4), 1e-9, "analytic")
SMALL = [4e-4 * 2**k for k in range(8)]
orders.study("smooth", "smooth motion: elastic pendulum on [0, 0.4096]", ALL, SMALL, 1e-4, 0.4096, scene="elastic-pendulum")
orders.orders("smooth", pairs(orders_of("smooth")), "docs/schemes.md; 003: 5")
orders.study("velocity", "constraint on velocity level: skate with its centre of mass ahead of the blade, and a spring, on [0, 0.8192]", orders_of("velocity"),
             [3.2e-3 * 2**k for k in range(6)], 4e-4, 0.8192, scene="skate", sets=["a=0.2", "k=4"])
orders.orders("velocity", pairs(orders_of("velocity")), "measured: pointwise velocity rows leave order s-1")
orders.study("sticking", "sticking contact: a rod falls over its foot, on [0, 0.4096]", orders_of("sticking"), SMALL, 5e-5, 0.4096, scene="painleve-rod", sets=["v_0=0", "phi_0=-1"])
orders.orders("sticking", {**pairs(orders_of("sticking")), "lobatto-3c:3": (4, 4)}, "measured: pointwise velocity rows leave order s-1")
orders.study("rolling", "sticking contact on a curve: a ball rolls in a cylinder, on [0, 0.8192]", orders_of("sticking"), [3.2e-3 * 2**k for k in range(6)], 4e-4, 0.8192,
             scene="ball-in-cylinder", sets=["mu=10", "x_0=-0.9*cos(0.3)", "y_0=-0.9*sin(0.3)"])
orders.orders("rolling", {**pairs(orders_of("sticking")), "rattle": (2, 2), "lobatto-3a3b:2": (2, 2)}, "measured: a ball that rolls in a circle keeps order 2")
orders.note("Sticking: lobatto-3c:3 has order 4 on flat ground and 3 on a curve. Lobatto IIIA-IIIB of two stages has order 1, but 2 where W_F′u does not change with q along the motion, "
            "as for a ball that rolls in a circle. The table of docs/schemes.md has the lower ones.")
# The time of the impact lies at 5/7 of a step for all steps of the study (ratio 8), so that its error is C h and not a saw tooth.
IMPACT = STEP * (12 + FRACTION)
orders.study("impact", "after an impact with friction: mass dropped on the slope, on [0, 0.8192]", [s for s in orders_of("impact") if s not in ("generalized-alpha-pva", "generalized-alpha-pvv")],
             [STEP / 64, STEP / 8, STEP], STEP / 512, 0.8192, scene="slope-drop", sets=[f"height={1 + G / 2 * IMPACT**2:.17g}"])
orders.orders("impact", {s: pair for s, pair in pairs(orders_of("impact")).items() if s in orders.studies["impact"].schemes}, "002: 7.7")
orders.study("bounce", "after an impact without friction: bouncing ball, on [0, 0.512]", ["generalized-alpha-pva", "generalized-alpha-pvv"], [STEP / 64, STEP / 8, STEP], STEP / 512, 0.512,
             scene="bouncing-ball", sets=[f"g={2 / IMPACT**2:.17g}"])
orders.orders("bounce", {s: (1, 1) for s in ("generalized-alpha-pva", "generalized-alpha-pvv")}, "004: 3")
orders.figure("Path of the elastic pendulum", [Curve("rattle", lambda r: [l * math.sin(p) for l, p in zip(r["l"], r["phi"])], lambda r: [-l * math.cos(p) for l, p in zip(r["l"], r["phi"])], "path")], "x", "y", equal=True)

# ---- velocity constraint with a known solution

S, W = 5, 2
skate = System("skate", "Skate on inclined ice", "beyond the papers (Neimark and Fufaev; constraints on velocity level)",
               "A blade that turns evenly on a slope moves to and fro and across, but not down for good: a nonholonomic system with an elementary solution.", needs=("velocity",))
skate.run()
EXACT = {"x": S / (2 * W**2) * math.sin(5 * W) ** 2, "y": S / (2 * W**2) * (5 * W - math.sin(10 * W) / 2)}
for name, value in EXACT.items():
    skate.fact(f"{name}(5)", lambda r, name=name: r.last(name), value, {("radau-2a:2", "lobatto-3a3b:4"): 2e-5, ("radau-2a:3", "lobatto-3c:3"): 5e-8, "*": 3e-3},
               "analytic", wrong=0.05, schemes=[s for s, order in orders_of("velocity").items() if order > 1])
FIRST = [s for s, order in orders_of("velocity").items() if order == 1]
skate.converges("y(5)", lambda r: r.last("y"), EXACT["y"], 1e-6, "analytic", {s: 1 for s in FIRST}, 1e-2, every=500)
skate.fact("φ(5) = 10, turns evenly", lambda r: r.last("phi"), 10, 1e-9, "analytic")
skate.below("does not move sideways: largest γ", lambda r: r.summary["max_gamma"], 1e-8, "docs/theory.md", wrong=1e-3, schemes=[s for s in orders_of("velocity") if s not in ("moreau-midpoint", "moreau-theta")])
skate.note("moreau-midpoint and moreau-theta meet velocity constraints at the middle of a step, not in the reported states.")
skate.column("error of y(5)", lambda r: abs(r.last("y") - EXACT["y"]))
skate.figure("Path of the blade", [Curve("lobatto-3a3b:3", "x", "y", "lobatto-3a3b:3"), Curve("rattle", "x", "y", "rattle")], "x", "y", equal=True)
skate.drawn = ("", "lobatto-3a3b:3")

SYSTEMS = [orders, skate]
