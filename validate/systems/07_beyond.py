# SPDX-License-Identifier: Apache-2.0
"""Not of the papers: laws that they describe but do not show alone, and systems for schemes that few of theirs suit."""
import math

from drawing import circle, line, snapshots
from orders import orders_of
from table import ALPHA, CLOSED, MOREAU, PARTITIONED, PROJECTED, Curve, System, closed_joints, no_penetration, projection_too

# ---- pivoting

disk = System("spinning-disk", "Spinning disk", "beyond the papers (pivoting law of 002: 3.5)",
              "Sliding and pivoting friction as two independent laws of one contact: both velocities fall on straight lines to rest.",
              needs=("contacts", "friction"), laws=("coulomb", "pivoting"))
disk.run()
EULER = ("moreau", "moreau-shifted", "radau-2a:1")
disk.fact("x′ = 1 − μ g t on the grid (t = 0.25)", lambda r: r.on_grid("x'", 0.25), 0.5, 1e-9, "analytic")
disk.fact("φ′ = 20 − μ_P m g t/J on the grid (t = 2)", lambda r: r.on_grid("phi'", 2), 12, 1e-8, "analytic")
disk.fact("x at rest", lambda r: r.last("x"), 0.25, {EULER: 5.1e-3, "*": 1e-6}, "analytic; Euler's rule in q: h x′(0)/2 = 5e-3")
disk.fact("φ at rest", lambda r: r.last("phi"), 50, {EULER: 0.101, "*": 1e-6}, "analytic; Euler's rule in q: h φ′(0)/2 = 0.1")
disk.fact("spin ends at", lambda r: r.first("phi'", lambda w: abs(w) < 1e-8), 5, 1.1e-2, "analytic")
no_penetration(disk, wrong=1e-3)
FRICTION = MOREAU + PARTITIONED + PROJECTED + ALPHA[:1]
projection_too(disk, FRICTION)
disk.column("x at rest", lambda r: r.last("x"))
disk.column("φ at rest", lambda r: r.last("phi"))
disk.figure("Speed of sliding and of spin (over 20)", [Curve("radau-2a:2", "t", "x'", "x′"), Curve("radau-2a:2", "t", lambda r: [w / 20 for w in r["phi'"]], "φ′/20")], "t", "")

# ---- tangential restitution

ball = System("superball", "Superball", "beyond the papers (impact law of 002: 3.6)",
              "A rubber ball with spin: the slip velocity turns round in the impact.", needs=("contacts", "friction"), laws=("coulomb", "impact", "tangential restitution"))
ball.run()
ball.run(["radau-2a:2", "rattle", "generalized-alpha", "moreau"], tag="plain", sets=["e_F=0"])
ball.fact("x′ after the impact", lambda r: r.on_grid("x'", 0.6), 1 - 1.6 * 3 / 3.5, 1e-8, "analytic")
ball.fact("φ′ after the impact", lambda r: r.on_grid("phi'", 0.6), 20 - 1.6 * 3 / 3.5 * 25, 1e-7, "analytic")
ball.fact("slip velocity is turned round: γ_F after over γ_F before", lambda r: (r.on_grid("x'", 0.6) + 0.1 * r.on_grid("phi'", 0.6)) / 3, -0.6, 1e-8, "analytic")
ball.fact("without tangential restitution it rolls", lambda r: r.on_grid("x'", 0.6) + 0.1 * r.on_grid("phi'", 0.6), 0, 1e-8, "analytic", tag="plain", wrong=0.1)
no_penetration(ball, wrong=1e-2)
projection_too(ball, FRICTION, high=1e-9)
ball.column("x′ after", lambda r: r.on_grid("x'", 0.6))
ball.figure("Path of the centre with and without tangential restitution", [Curve("radau-2a:2", "x", "y", "e_F = 0.6"), Curve("radau-2a:2", "x", "y", "e_F = 0", "plain")], "x", "y", equal=True)
ball.drawing = lambda r: [("floor", line((-0.2, 0), (0.8, 0))), ("ball", snapshots(r, [0, 0.2, 0.42, 0.6, 0.8], lambda row: circle(row("x"), row("y"), 0.1, row("phi"))))]

# ---- slip that turns

slider = System("spring-slider", "Spring slider: slip that turns", "beyond the papers (docs/turning-slip.md)",
                "A mass on a rough plane, pulled to the origin by a spring. With the papers' friction law every scheme is of first order when the direction of "
                "slip turns; the staged law keeps the orders.", needs=("contacts", "friction"), laws=("coulomb",))
slider.run()
STEPS = [2e-3 * 2**k for k in range(1, 6)]
SIX = {"radau-2a:2": 3, "radau-2a:3": 5, "lobatto-3a3b:2": 2, "lobatto-3a3b:3": 4, "tr-bdf2": 2, "generalized-alpha": 2}
slider.study("staged", "friction_law: staged", SIX, STEPS, 2e-3 / 8, 0.512)
slider.study("accumulated", "friction_law: accumulated, the papers' law", SIX, STEPS, 2e-3 / 8, 0.512, settings={"friction_law": "accumulated"})
slider.orders("staged", {scheme: (order, order) for scheme, order in SIX.items()}, "docs/turning-slip.md")
slider.orders("accumulated", {scheme: (1, 1) for scheme in SIX}, "docs/theory/turning-slip.md")
for name, value in (("x", 0.5622288416851952), ("y", 0.7463607620016071)):
    slider.fact(f"{name}(0.512)", lambda r, name=name: r.last(name), value, {("moreau*", "radau-2a:1"): 1e-2, "radau-2a:2": 1e-7, ("radau-2a:3", "lobatto-3a3b:3", "lobatto-3a3b:4", "lobatto-3a3b-lagrange:3", "lobatto-3c:3"): 1e-9, "*": 5e-5},
                "exact (scene)")
slider.converges("x(0.512)", lambda r: r.last("x"), 0.5622288416851952, 1e-13, "exact (scene)", {**{s: 1 for s in (*MOREAU, "radau-2a:1")}, **{s: 2 for s in ("rattle", "lobatto-3c:2", "tr-bdf2", "trx2", "tr-theta", "generalized-alpha")}}, 8e-3)
slider.column("error of x", lambda r: abs(r.last("x") - 0.5622288416851952))
slider.figure("Path", [Curve("radau-2a:2", "x", "y", "radau-2a:2")], "x", "y", equal=True)

# ---- double pendulum, rolling disk: constraints from parts

double = System("double-pendulum", "Double pendulum from parts", "beyond the papers",
                "Two rods with hinges, smooth: also for the generalized-alpha variants P, V and PV.")
double.run(end=1)
# radau-2a:3 and lobatto-3a3b:4 with h = 2e-4 agree to 1e-10
UPPER, LOWER = -2.58557818867, -2.6932423959
POSITION, VELOCITY = orders_of("position"), orders_of("velocity")
for name, value in (("upper.phi", UPPER), ("lower.phi", LOWER)):
    double.fact(f"{name}(1), order 2 and more", lambda r, name=name: r.last(name), value, {"radau-2a:2": 1e-6, ("radau-2a:3", "lobatto-3a3b:3", "lobatto-3a3b:4", "lobatto-3a3b-lagrange:3", "lobatto-3c:3"): 5e-9, "*": 2e-4},
                "radau-2a:3 and lobatto-3a3b:4 with h = 2e-4", wrong=1e-2, schemes=[s for s, p in POSITION.items() if p > 1])
double.converges("lower.phi(1)", lambda r: r.last("lower.phi"), LOWER, 1e-9, "radau-2a:3 and lobatto-3a3b:4 with h = 2e-4", {s: p for s, p in POSITION.items() if p == 1}, 1e-3, end=1, every=1000, wrong=1e-2)
double.converges("energy", lambda r: r.summary["energy_end"] - r.summary["energy_start"], 0, 1e-9, "conservation", {s: p for s, p in POSITION.items() if p == 1}, 1e-3, end=1, every=1000, wrong=0.05)
closed_joints(double, wrong=1e-5, schemes=[s for s in CLOSED if s not in ("generalized-alpha-p", "generalized-alpha-v")])
double.fact("energy is kept, order 2 and more", lambda r: r.summary["energy_end"] - r.summary["energy_start"], 0, {"radau-2a:2": 5e-5, ("radau-2a:3", "lobatto-3a3b:3", "lobatto-3a3b:4", "lobatto-3a3b-lagrange:3", "lobatto-3c:3"): 1e-7, "*": 2e-3}, "conservation",
            wrong=0.05, schemes=[s for s, p in POSITION.items() if p > 1])
double.column("angle of the lower rod", lambda r: r.last("lower.phi"))
double.figure("Path of the lower rod's centre", [Curve("radau-2a:2", "lower.x", "lower.y", "radau-2a:2")], "x", "y", equal=True)

roll = System("rolling-disk", "Rolling disk", "beyond the papers (constraints on velocity level, 002: 3.3)",
              "A thin disk rolls without slip in a circle: nonholonomic constraints, an analytic steady turn.", needs=("general", "velocity"))
roll.run()
LEAN, RATE, RADIUS = 0.3, 1.5, 0.5
W3 = (RATE**2 * math.sin(LEAN) * math.cos(LEAN) / 4 - 9.81 / RADIUS * math.sin(LEAN)) / (1.5 * RATE * math.cos(LEAN))
CIRCLE = -RADIUS * W3 / RATE
LOW = ("moreau-midpoint", "moreau-shifted", "rattle", "lobatto-3a3b:2", "radau-2a:1", "sdirk2", "sdirk3")
HIGH = ("radau-2a:3", "lobatto-3c:3")
STEADY = (("x(5) = v/w sin(5 w)", "disk.x", CIRCLE * math.sin(5 * RATE)), ("y(5) = v/w (1 − cos(5 w))", "disk.y", CIRCLE * (1 - math.cos(5 * RATE))), ("height of the centre = R cos(θ)", "disk.z", RADIUS * math.cos(LEAN)))
for text, name, exact in STEADY:
    roll.fact(text, lambda r, name=name: r.last(name), exact, {HIGH: 2e-7, ("lobatto-3a3b:3", "lobatto-3a3b:4"): 5e-6, "lobatto-3c:2": 1e-2, "*": 4e-4}, "analytic", wrong=0.05, schemes=[s for s in CLOSED if s not in LOW])
    if name != "disk.x":  # at its extreme there, where errors nearly cancel
        roll.converges(text, lambda r, name=name: r.last(name), exact, 1e-9, "analytic", {s: min(POSITION[s], VELOCITY[s]) for s in LOW}, 1e-3, every=5000, wrong=0.12)
roll.below("rolls without slip: largest γ", lambda r: r.summary["max_gamma"], 1e-8, "docs/theory.md", wrong=1e-3, schemes=CLOSED)
roll.column("error of x(5)", lambda r: abs(r.last("disk.x") - CIRCLE * math.sin(5 * RATE)))
roll.figure("Path of the centre", [Curve(s, "disk.x", "disk.y", s) for s in ("lobatto-3a3b:3", "radau-2a:2", "moreau-midpoint")], "x", "y", equal=True)

# ---- smooth motion with velocities of its own: known solutions

top = System("euler-top", "Free rigid body", "beyond the papers (Euler)",
             "A body without forces that nearly turns about its middle axis tumbles. Energy and angular momentum are kept.", needs=("general",))
top.run()
SMOOTH = orders_of("smooth")
SPIN = {"top.wx": -0.66066844321, "top.wy": -2.92805689975, "top.wz": 0.42680315207}
EXACT_ONES = ("radau-2a:3", "lobatto-3a3b:3", "lobatto-3a3b:4", "lobatto-3c:3")
for name, value in SPIN.items():
    top.fact(f"{name}(20)", lambda r, name=name: r.last(name), value, {EXACT_ONES: 1e-8, ("radau-2a:2", "sdirk3"): 5e-5, "*": 5e-4}, "Euler's equations, Runge-Kutta of order 4 with h = 5e-4, and half of it", wrong=0.01,
             schemes=[s for s, p in SMOOTH.items() if p > 1])
top.converges("top.wy(20)", lambda r: r.last("top.wy"), SPIN["top.wy"], 1e-11, "Euler's equations", {s: 1 for s in ("moreau-midpoint", "moreau-shifted", "radau-2a:1")}, 2.5e-3, every=8000, wrong=0.05)
ENERGY = (1 * 0.1**2 + 2 * 3**2 + 3 * 0.2**2) / 2
top.fact("energy at the end = (a w_x² + b w_y² + c w_z²)/2 at the start", lambda r: r.summary["energy_end"], ENERGY, {EXACT_ONES: 1e-8, ("radau-2a:2", "sdirk3"): 5e-5, "*": 2e-3}, "conservation", wrong=0.05,
         schemes=[s for s, p in SMOOTH.items() if p > 1])
top.column("error of w_y(20)", lambda r: abs(r.last("top.wy") - SPIN["top.wy"]))
top.figure("Angular velocities in the body", [Curve("lobatto-3a3b:3", "t", f"top.w{axis}", f"w_{axis}") for axis in "xyz"], "t", "w")

sleigh = System("sleigh", "Chaplygin sleigh", "beyond the papers (Chaplygin)",
                "A sleigh whose blade does not move sideways, in velocities of its own: v along the blade is a hyperbolic tangent, w a hyperbolic secant.", needs=("general",))
sleigh.run()
MASS, ARM, INERTIA, V0, W0 = 1, 0.2, 0.1 + 0.2**2, 1, 2
V_END = math.sqrt(V0**2 + INERTIA * W0**2 / MASS)
W_TOP = V_END * math.sqrt(MASS / INERTIA)
PACE = ARM * MASS * V_END / INERTIA
BEGUN = math.atanh(V0 / V_END) / PACE
turned = lambda t: 2 * math.atan(math.tanh(PACE * (t + BEGUN) / 2)) * W_TOP / PACE  # noqa: E731
KNOWN = {"v": V_END * math.tanh(PACE * (5 + BEGUN)), "w": W_TOP / math.cosh(PACE * (5 + BEGUN)), "phi": turned(5) - turned(0)}
for name, value in KNOWN.items():
    sleigh.fact(f"{name}(5)", lambda r, name=name: r.last(name), value, {EXACT_ONES: 1e-8, ("radau-2a:2", "sdirk3"): 1e-5, "*": 2e-4}, "analytic", wrong={"*": 1e-4 if name == "w" else 0.01},
                schemes=[s for s, p in SMOOTH.items() if p > (2 if name == "w" else 1) and s != "lobatto-3a3b-lagrange:3"])
sleigh.converges("v(1)", lambda r: r.last("v"), V_END * math.tanh(PACE * (1 + BEGUN)), 1e-13, "analytic", {s: 1 for s in ("moreau-midpoint", "moreau-shifted", "radau-2a:1")}, 1e-2, end=1, every=100, wrong=0.01)
sleigh.column("error of φ(5)", lambda r: abs(r.last("phi") - KNOWN["phi"]))
sleigh.figure("Path of the blade", [Curve("radau-2a:2", "x", "y", "radau-2a:2")], "x", "y", equal=True)

SYSTEMS = [disk, ball, slider, double, roll, top, sleigh]
