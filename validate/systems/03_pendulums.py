# SPDX-License-Identifier: Apache-2.0
"""Pendulums: constraints and their drift, stiffness, energy over long times, levels of the generalized-alpha variants."""
import math

from drawing import circle, line, snapshots
from orders import orders_of, pairs
from table import ALPHA, CLOSED, MOREAU, PARTITIONED, PROJECTED, Curve, Points, System, closed_joints, no_penetration, projection_too

# ---- pendulum in Cartesian coordinates

POSITION = orders_of("position")
LOW_ORDER = {scheme: order for scheme, order in POSITION.items() if order < 3}
cartesian = System("cartesian-pendulum", "Pendulum in Cartesian coordinates", "002: Ex. 4.9 to 4.11 and 5.3, Fig. 4.1, 4.3 and 5.2",
                   "A differential-algebraic system without contact: what a scheme keeps of the constraint, and the orders with and without the "
                   "projection of velocities.")
cartesian.run()
cartesian.run(["radau-2a:2", "radau-2a:3", "lobatto-3c:2", "lobatto-3c:3", "tr-bdf2"], tag="unprojected", settings={"projection": "none"})
ERROR = lambda r: math.hypot(r.last("x") - 0.99986641, r.last("y") + 0.01634492)  # noqa: E731
cartesian.fact("distance from the exact q(2.5) = (0.99986641, −0.01634492), order 3 and more", ERROR, 0, {"radau-2a:2": 5e-5, "*": 2e-6}, "reference numbers, independent computation", wrong=1e-2,
               schemes=[scheme for scheme, order in POSITION.items() if order > 2])
cartesian.fact("the same, order 2", ERROR, 0, 5e-4, "reference numbers, independent computation", wrong=1e-2, schemes=[scheme for scheme, order in POSITION.items() if order == 2])
cartesian.converges("y(2.5)", lambda r: r.last("y"), -0.01634492, 5e-9, "reference numbers, independent computation", {s: p for s, p in LOW_ORDER.items() if p == 1}, 2.5e-3, every=1000, wrong=0.05)
cartesian.converges("y(2.5)", lambda r: r.last("y"), -0.01634492, 5e-9, "reference numbers, independent computation", {s: p for s, p in LOW_ORDER.items() if p == 2}, 1e-2, prefix="order 2, ", every=250, wrong=0.05)
cartesian.run(["radau-2a:3", "lobatto-3a3b:4", "lobatto-3a3b:3", "lobatto-3c:3"], tag="fine", step=2.5e-3)
cartesian.fact("the same with h = 2.5e-3", ERROR, 0, 1e-8, "reference numbers (its digits)", tag="fine", wrong=1e-2)
cartesian.fact("Radau IIA 2 without projection: max |ġ|", lambda r: r.summary["max_gdot"], 1.22e-3, 1e-5, "reference numbers; 002 Fig. 4.1", tag="unprojected", schemes=["radau-2a:2"])
cartesian.below("positions stay on the constraint without projection, too", lambda r: r.summary["max_g"], 1e-9, "002: 4.3", wrong=1e-2, tag="unprojected")
KEEPS = [s for s in CLOSED if s not in ("generalized-alpha-p", "generalized-alpha-v")]
closed_joints(cartesian, wrong=1e-3, schemes=KEEPS + ["generalized-alpha-pv"])
cartesian.above("Moreau-type schemes drift", lambda r: r.summary["max_g"], 0.1, "002: 5.5", wrong=1e-8, schemes=MOREAU)
HIGHEST = ["lobatto-3a3b:4", "radau-2a:3"]
cartesian.study("orders", "projected and partitioned schemes on [0, 0.2048], 002 Fig. 4.3 (right) and 5.2", PARTITIONED + PROJECTED, [8e-4 * 2**k for k in range(7)], 2e-4, 0.2048, weight=8)
cartesian.orders("orders", pairs({s: p for s, p in POSITION.items() if s in PARTITIONED + PROJECTED and s not in HIGHEST}), "reference numbers; 002 Fig. 4.3, 5.2")
cartesian.study("highest", "the highest orders on [0, 1.6384], with larger steps", HIGHEST, [1.28e-2 * 2**k for k in range(5)], 1.6e-3, 1.6384)
cartesian.orders("highest", pairs({s: POSITION[s] for s in HIGHEST}), "reference numbers; 002 Fig. 4.3, 5.2")
cartesian.study("unprojected", "without projection, 002 Fig. 4.3 (left)", ["radau-2a:1", "radau-2a:2", "radau-2a:3", "lobatto-3c:2", "lobatto-3c:3", "sdirk2", "sdirk3"],
                [8e-4 * 2**k for k in range(7)], 2e-4, 0.2048, settings={"projection": "none"})
cartesian.orders("unprojected", {"radau-2a:2": (None, 2), "radau-2a:3": (None, 3), "lobatto-3c:2": (None, 1), "lobatto-3c:3": (None, 2)}, "reference numbers; 002 Fig. 4.3")
cartesian.study("alpha", "Moreau-type and generalized-alpha schemes on the same interval", MOREAU + ALPHA, [8e-4 * 2**k for k in range(6)], 2e-4, 0.2048)
cartesian.orders("alpha", pairs({s: POSITION[s] for s in MOREAU + ALPHA}), "docs/schemes.md; 004: 3")
cartesian.column("distance from q(2.5)", ERROR)
cartesian.figure("002 Fig. 4.1: ġ of Radau IIA 2, without and with projection",
                 [Curve("radau-2a:2", "t", lambda r: [2 * (x * u + y * v) for x, y, u, v in zip(r["x"], r["y"], r["x'"], r["y'"])], "without", "unprojected"),
                  Curve("radau-2a:2", "t", lambda r: [2 * (x * u + y * v) for x, y, u, v in zip(r["x"], r["y"], r["x'"], r["y'"])], "projected")], "t", "ġ")
cartesian.figure("g: drift of Moreau's schemes against Runge-Kutta", [Curve(s, "t", lambda r: [x * x + y * y - 1 for x, y in zip(r["x"], r["y"])], s)
                                                                       for s in ("moreau", "moreau-midpoint", "radau-2a:2", "rattle")], "t", "g")
cartesian.drawing = lambda r: [("path", list(zip(r["x"], r["y"]))), ("pendulum", snapshots(r, [0, 0.3, 0.6, 0.9, 1.2], lambda row: line((0, 0), (row("x"), row("y"))) + circle(row("x"), row("y"), 0.04)))]

# ---- stiff pendulum


def agm_k(k):
    """Complete elliptic integral of the first kind."""
    a, b = 1.0, math.sqrt(1 - k * k)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / 2 / a


UNIT = math.sqrt(1 / 10)  # sqrt(L/g)
FIRST = UNIT * agm_k(math.sin(math.pi / 4))  # a quarter of the period from the horizontal
SECOND = FIRST + 2 * UNIT * agm_k(math.sqrt(0.25 / 2))  # up with half the speed: a quarter of the height, and back
THIRD = SECOND + 2 * UNIT * agm_k(math.sqrt(0.0625 / 2))
stiff = System("stiff-pendulum", "Stiff pendulum with impacts", "002: 7.5, Fig. 7.7",
               "A point mass on a spring of stiffness 1e8 swings against a wall. Stiffly accurate schemes damp the fast vibration and stay close to "
               "the rigid pendulum at h = 1e-2; partitioned and explicit ones need h near 1e-4.",
               needs=("contacts",), laws=("impact",))
stiff.run()
stiff.fails(["moreau", "moreau-midpoint", "moreau-shifted", "moreau-symmetric", "moreau-variational", *PARTITIONED], "h ω = 100: explicit in character, needs h near 1e-4 (002: 7.5)")
stiff.run(["rattle", "lobatto-3a3b:2", "lobatto-3a3b:3", "radau-2a:2"], tag="h = 1e-4", step=1e-4, end=3)
impacts = lambda r, k: r.impacts("percussion.wall.normal", 0.5)[k]  # noqa: E731
STABLE = ["radau-2a:*", "tr-bdf2", "sdirk*", "lobatto-3c:*"]
for k, exact in enumerate((FIRST, SECOND, THIRD)):
    stiff.fact(f"time of impact {k + 1} as of the rigid pendulum, h = 1e-2", lambda r, k=k: impacts(r, k), exact,
               0.0202, "002: 7.5; elliptic integrals, to two steps", schemes=STABLE)
    stiff.fact(f"time of impact {k + 1}, h = 1e-4", lambda r, k=k: impacts(r, k), exact, 2e-4, "002: 7.5; elliptic integrals, to two steps", tag="h = 1e-4")
stiff.below("length stays 1 (largest deviation), h = 1e-2", lambda r: max(abs(math.hypot(x, y) - 1) for x, y in zip(r["x"], r["y"])), 2e-6, "002: 7.5: the spring's m g/c = 1e-7 and the impact's", wrong=1e-4, schemes=STABLE)
stiff.single("Lobatto IIIA-IIIB does not get through with h = 1e-2", lambda all_: sum(all_(s).status == "failed" for s in PARTITIONED), len(PARTITIONED), 0, "002: 7.5", scheme="rattle")
no_penetration(stiff, wrong=1e-2, schemes=PROJECTED + ALPHA[:3])
stiff.column("first impact", lambda r: impacts(r, 0))
stiff.column("largest |length − 1|", lambda r: max(abs(math.hypot(x, y) - 1) for x, y in zip(r["x"], r["y"])))
for name, label in (("x'", "u_x"), ("y'", "u_y")):
    stiff.figure(f"002 Fig. 7.7: {label}", [Curve("radau-2a:2", "t", name, "radau-2a:2, h = 1e-2"), Curve("tr-bdf2", "t", name, "tr-theta(0), h = 1e-2"),
                                            Curve("rattle", "t", name, "rattle, h = 1e-4", "h = 1e-4")], "t", label)
stiff.drawing = lambda r: [("wall", line((0, 0.2), (0, -1.2))), ("pendulum", snapshots(r, [0, 0.3, 0.45, 0.58, 0.9], lambda row: line((0, 0), (row("x"), row("y"))) + circle(row("x"), row("y"), 0.04)))]

# ---- spring pendulum

spring = System("spring-pendulum", "Spring pendulum against a wall", "003, Fig. 3 to 5",
                "Impacts without loss, an energy that must be kept, and a mass matrix that depends on the configuration: the symmetric and the variational "
                "Moreau-type scheme keep the energy over 1000 seconds; Moreau's damps the swing and feeds the spring, Jean's θ-method has a smaller error.",
                needs=("contacts",), laws=("impact",))
spring.run()
LONG = ["moreau", "moreau-symmetric", "moreau-variational", "moreau-theta"]
spring.run(LONG, tag="1000 s", end=1000, settings={"record_every": 500}, weight=30)
spring.run(["lobatto-3a3b-lagrange:3", "radau-2a:2"], tag="1000 s", step=1e-2, end=1000, settings={"record_every": 50}, weight=30)
relative = lambda r: [(e - r["energy.total"][0]) / r["energy.total"][0] for e in r["energy.total"]]  # noqa: E731
spring.fact("energy at the start", lambda r: r.summary["energy_start"], 0.5 - 9.81 * 1.1 * math.cos(math.pi / 4), 1e-9, "003: 5; reference numbers")
for scheme, l, phi in (("moreau", 1.0603125, 0.5882744), ("moreau-symmetric", 1.0614470, 0.5960561), ("moreau-variational", 1.0614470, 0.5960561), ("moreau-theta", 1.0633508, 0.5880206)):
    spring.fact(f"l(10), {scheme}", lambda r: r.last("l"), l, 6e-8, "reference numbers, independent implementation", schemes=[scheme])
    spring.fact(f"φ(10), {scheme}", lambda r: r.last("phi"), phi, 6e-8, "reference numbers, independent implementation", schemes=[scheme])
spring.single("symmetric and variational differ by about 1e-9 only (of φ(10))", lambda all_: abs(all_("moreau-symmetric").last("phi") - all_("moreau-variational").last("phi")),
              source="corrections to 003; their common error is 8e-3", high=1e-8, wrong=8e-3, scheme="moreau-variational")
largest = lambda r: max(abs(e) for e in relative(r))  # noqa: E731
spring.below("energy error over 1000 s stays bounded", largest, 3e-3, "003 Fig. 4", wrong=0.08, tag="1000 s", schemes=["moreau-symmetric", "moreau-variational"])
spring.fact("Moreau's scheme changes the energy much: the paper plots −1.42", largest, 1.42, 0.05, "003 Fig. 4; corrected", tag="1000 s", schemes=["moreau"])
spring.below("Moreau's scheme damps out the swing: largest φ in the last 100 s", lambda r: max(r.within("phi", 900, 1000)), 0.2, "003 Fig. 4", wrong=math.pi / 4, tag="1000 s", schemes=["moreau"])
spring.note("The paper calls the error of Moreau's scheme a loss. The swing is indeed damped out, but the oscillation of the spring grows: the total energy rises from -7.1 to 3 (E(0) is negative).")
spring.single("Jean's θ-method: less than Moreau's, more than the symmetric one", lambda all_: largest(all_("moreau-theta", "1000 s")) / largest(all_("moreau", "1000 s")),
              source="003 Fig. 4", high=0.2, wrong=1, scheme="moreau-theta")
spring.single("Jean's θ-method loses more than the symmetric scheme", lambda all_: largest(all_("moreau-theta", "1000 s")) / largest(all_("moreau-symmetric", "1000 s")),
              source="003 Fig. 4", low=20, wrong=1, scheme="moreau-theta")
SPAN, ROW = 10.0, 0.01
HALVES = [1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4]
spring.run(["moreau-symmetric"], tag="reference", step=1e-5, end=SPAN, settings={"record_every": 1000}, weight=5)
for h in HALVES:
    spring.run(LONG, tag=f"h = {h:g}", step=h, end=SPAN, settings={"record_every": round(ROW / h)})


def mean_square(all_, scheme, h):
    """(65): the mean of |q_ref - q|^2."""
    a, b = all_("moreau-symmetric", "reference"), all_(scheme, f"h = {h:g}")
    rows = list(zip(a["phi"], a["l"], b["phi"], b["l"]))
    return sum((p - q) ** 2 + (l - m) ** 2 for p, l, q, m in rows) / len(rows)


def slope_of(all_, scheme):
    points = [(math.log(h), math.log(mean_square(all_, scheme, h))) for h in HALVES]
    n, sx, sy = len(points), sum(x for x, _ in points), sum(y for _, y in points)
    return (n * sum(x * y for x, y in points) - sx * sy) / (n * sum(x * x for x, _ in points) - sx * sx)


for scheme in LONG:
    spring.single(f"slope of the squared error (65), {scheme}: first order is 2", lambda all_, scheme=scheme: slope_of(all_, scheme), 2, 0.2, "003 Fig. 5; corrected", scheme=scheme, wrong=2)
spring.single("the symmetric scheme is more accurate than Moreau's (ratio of squared errors at h = 1e-3)",
              lambda all_: mean_square(all_, "moreau-symmetric", 1e-3) / mean_square(all_, "moreau", 1e-3), source="003 Fig. 5", high=0.5, wrong=1, scheme="moreau-symmetric")
no_penetration(spring, wrong=1e-4)
spring.column("l(10)", lambda r: r.last("l"))
spring.column("φ(10)", lambda r: r.last("phi"))
spring.column("largest |energy error|/|E(0)|", largest)
spring.figure("003 Fig. 4: relative energy error over 1000 s (E(0) is negative: a negative value is a gain)", [Curve(s, "t", relative, s, "1000 s") for s in LONG], "t", "(E − E(0))/E(0)")
spring.figure("The same for the symmetric and variational scheme, and Runge-Kutta with h = 1e-2",
              [Curve(s, "t", relative, s, "1000 s") for s in ("moreau-symmetric", "moreau-variational", "lobatto-3a3b-lagrange:3", "radau-2a:2")], "t", "(E − E(0))/E(0)")
spring.figure("003 Fig. 5: squared error (65) over the step", [Points(s, lambda all_, s=s: [(h, mean_square(all_, s, h)) for h in HALVES]) for s in LONG], "h", "e_q", log="xy", style="both")
spring.figure("Path of the mass for 10 s", [Curve("moreau-variational", lambda r: [l * math.sin(p) for l, p in zip(r["l"], r["phi"])], lambda r: [-l * math.cos(p) for l, p in zip(r["l"], r["phi"])], "path")], "x", "y", equal=True)

# ---- rigid pendulum

rigid = System("rigid-pendulum", "Rigid pendulum", "004: 5, Fig. 1 to 3",
               "Constraints of a smooth system on three levels: generalized-alpha with the constraint on position (P), velocity (V), both (PV) and also "
               "acceleration level (PVA), from a consistent start and from one with wrong accelerations, as after an impact.")
rigid.run()
rigid.run(ALPHA, tag="a0 = 0", settings={"start_forces": "zero"})
NAMES = {"generalized-alpha-p": 21.1673323, "generalized-alpha-v": 21.1680078, "generalized-alpha-pv": 21.1673857, "generalized-alpha-pva": 21.1673784, "generalized-alpha": 21.1673784}
rigid.fact("θ(2)", lambda r: r.last("theta"), NAMES, 2e-7, "reference numbers, independent implementation", schemes=list(NAMES))
rigid.fact("θ(2) against the exact 21.1681389", lambda r: r.last("theta"), 21.1681389, {"radau-2a:2": 6e-5, ("generalized-*", "rattle", "lobatto-3a3b:2", "lobatto-3c:2", "tr*"): 1.5e-3, "*": 2e-7}, "reference numbers",
           schemes=[scheme for scheme, order in POSITION.items() if order > 1])
rigid.converges("θ(2)", lambda r: r.last("theta"), 21.1681389, 5e-8, "reference numbers, exact", {s: p for s, p in POSITION.items() if p == 1}, 5e-4, every=4000, wrong=0.1)
rigid.converges("θ(2)", lambda r: r.last("theta"), 21.1681389, 5e-8, "reference numbers, exact", {s: p for s, p in POSITION.items() if p == 2}, 2e-3, prefix="order 2, ", every=1000, wrong=0.01)


def level(r, k):
    """Largest constraint on position (0), velocity (1) and acceleration (2) level; from the second step on."""
    most = 0.0
    second = r["acceleration.theta'"] if k == 2 else [0] * len(r.t)
    ax, ay = (r["acceleration.x'"], r["acceleration.y'"]) if k == 2 else (second, second)
    for i in range(1, len(r.t)):
        th, w, a = r["theta"][i], r["theta'"][i], second[i]
        c, s = math.cos(th), math.sin(th)
        values = ((r["x"][i] - c, r["y"][i] - s), (r["x'"][i] + s * w, r["y'"][i] - c * w), (ax[i] + s * a + c * w * w, ay[i] - c * a + s * w * w))[k]
        most = max(most, abs(values[0]), abs(values[1]))
    return most


def g_second(r):
    return [a + math.sin(th) * b + math.cos(th) * w * w for a, th, b, w in zip(r["acceleration.x'"], r["theta"], r["acceleration.theta'"], r["theta'"])]


def largest_change(r, begin, end):
    values = r.within("force.hinge_x", begin, end)
    return max(abs(a - b) for a, b in zip(values, values[1:]))


KEPT = {"p": (0,), "v": (1,), "pv": (0, 1), "pva": (0, 1, 2)}
for variant, levels in KEPT.items():
    for k in range(3):
        name = ("position", "velocity", "acceleration")[k]
        if k in levels:
            rigid.below(f"{variant.upper()}: keeps the {name} level", lambda r, k=k: level(r, k), (1e-11, 1e-9, 1e-7)[k], "004 Fig. 2", (8e-5, 4e-4, 2e-2)[k], schemes=[f"generalized-alpha-{variant}"])
        else:
            rigid.above(f"{variant.upper()}: does not keep the {name} level", lambda r, k=k: level(r, k), (1e-6, 1e-4, 1e-2)[k], "004 Fig. 2", (1e-11, 1e-9, 1e-7)[k], schemes=[f"generalized-alpha-{variant}"])
rigid.above("start with a0 = 0: P, V and PV oscillate on acceleration level", lambda r: level(r, 2), 10, "004 Fig. 3", 1e-7, tag="a0 = 0", schemes=["generalized-alpha-p", "generalized-alpha-v", "generalized-alpha-pv"])
rigid.below("start with a0 = 0: PVA does not", lambda r: level(r, 2), 1e-7, "004 Fig. 3", 10, tag="a0 = 0", schemes=["generalized-alpha-pva", "generalized-alpha"])
closed_joints(rigid, wrong=8e-5, schemes=[s for s in CLOSED if s not in ("generalized-alpha-p", "generalized-alpha-v")])
rigid.column("θ(2)", lambda r: r.last("theta"))
for k in range(3):
    rigid.column(("|g|", "|ġ|", "|g̈|")[k], lambda r, k=k: level(r, k))
FOUR = ["generalized-alpha-p", "generalized-alpha-v", "generalized-alpha-pv", "generalized-alpha-pva"]
rigid.figure("004 Fig. 2: constraint on position level", [Curve(s, "t", lambda r: [x - math.cos(th) for x, th in zip(r["x"], r["theta"])], s) for s in FOUR], "t", "g_1")
rigid.figure("004 Fig. 2: velocity level", [Curve(s, "t", lambda r: [u + math.sin(th) * w for u, th, w in zip(r["x'"], r["theta"], r["theta'"])], s) for s in FOUR], "t", "ġ_1")
rigid.figure("004 Fig. 2: acceleration level", [Curve(s, "t", g_second, s) for s in FOUR], "t", "g̈_1")
rigid.figure("004 Fig. 2: multiplier", [Curve(s, "t", "force.hinge_x", s) for s in FOUR], "t", "λ_1")
rigid.figure("004 Fig. 3: acceleration level after a start with a0 = 0", [Curve(s, "t", g_second, s, "a0 = 0") for s in FOUR], "t", "g̈_1", x_range=(0, 0.1))
rigid.figure("004 Fig. 3: multiplier after a start with a0 = 0", [Curve(s, "t", "force.hinge_x", s, "a0 = 0") for s in FOUR], "t", "λ_1", x_range=(0, 0.1))
rigid.drawn = ("", "generalized-alpha-pva")

# ---- bouncing pendulum

bouncing = System("bouncing-pendulum", "Bouncing pendulum", "004: 6.1, Fig. 4 to 8",
                  "The rigid pendulum falls against a wall and comes to rest there after infinitely many impacts. With constraints of the smooth motion on "
                  "velocity level (PVV) accelerations and multipliers oscillate after impacts; on acceleration level (PVA) they do not.",
                  needs=("contacts",), laws=("impact",))
bouncing.run()
TWO = ["generalized-alpha-pva", "generalized-alpha-pvv"]
bouncing.run(TWO, tag="to 4 s", end=4)
bouncing.run(TWO, tag="rho = 1", settings={"damping": 1})
bouncing.run(["generalized-alpha-pva"], tag="printed", settings={"multipliers": "printed"})
bouncing.run(TWO, tag="decoupled", settings={"iteration": "decoupled"})
bouncing.fails(["generalized-alpha-pva"], "with the printed multipliers a step after an impact with e > 0 can have no solution (corrections to 004)", tag="printed")
WALL = "percussion.wall.normal"
bouncing.fact("the step of the first impact ends at", lambda r: r.first(WALL, lambda p: p > 1), 0.487, {("moreau", "moreau-*", "radau-2a:1", "sdirk*"): 3e-3, "lobatto-3a3b:4": 4e-3, "*": 1e-9}, "reference numbers")
bouncing.note("lobatto-3a3b:4: while a contact is open at the end of a step its percussion in all is zero, but those of single stages need not be: an impact can be delayed by a few steps.")
bouncing.fact("impulse Λ*_3 of the first impact", lambda r: r.on_grid(WALL, 0.487), 9.7856927, 6e-8, "reference numbers", schemes=["generalized-alpha-pva", "generalized-alpha"])
bouncing.fact("PVV: the constraint on acceleration level oscillates, largest g̈ = 12.66", lambda r: level(r, 2), 12.66, 5e-3, "reference numbers; 004 Fig. 6", schemes=["generalized-alpha-pvv"])
bouncing.below("PVA: it does not", lambda r: level(r, 2), 1e-7, "reference numbers; 004 Fig. 6", 12.66, schemes=["generalized-alpha-pva", "generalized-alpha"])
bouncing.below("ρ = 1: PVA does not oscillate either", lambda r: level(r, 2), 1e-7, "004 Fig. 8", 12.66, tag="rho = 1", schemes=["generalized-alpha-pva"])
bouncing.above("ρ = 1: oscillations of PVV never disappear (largest change of λ_1 over a step in the last 0.2 s)", lambda r: largest_change(r, 1.8, 2.0), 20, "004 Fig. 8", 1e-6, tag="rho = 1", schemes=["generalized-alpha-pvv"])
bouncing.below("ρ = 1: PVA has none at rest", lambda r: largest_change(r, 1.8, 2.0), 1e-6, "004 Fig. 8", 20, tag="rho = 1", schemes=["generalized-alpha-pva"])
bouncing.fact("after the accumulation the pendulum rests on the wall: θ", lambda r: r.last("theta"), -math.pi / 4, {("moreau", "moreau-*"): 3e-3, "*": 1e-9}, "004 Fig. 5; Moreau-type schemes rest up to the way of a step inside the wall")
bouncing.single("PVA equals generalized-alpha with friction of 001 (largest difference of q)", lambda all_: max(abs(a - b) for n in ("x", "y", "theta") for a, b in zip(all_("generalized-alpha-pva")[n], all_("generalized-alpha")[n])),
                source="corrections to 004", high=1e-9, wrong=1e-4, scheme="generalized-alpha-pva")
bouncing.single("decoupled iteration gives the same (PVA)", lambda all_: max(abs(a - b) for a, b in zip(all_("generalized-alpha-pva", "decoupled")["theta"], all_("generalized-alpha-pva")["theta"])), source="004: Algorithm 1", high=1e-8, wrong=1e-4, scheme="generalized-alpha-pva")
no_penetration(bouncing, wrong=1e-3)
closed_joints(bouncing, wrong=1e-3)
projection_too(bouncing, MOREAU + PARTITIONED + PROJECTED + ALPHA[:1], high=1e-9)
bouncing.column("first impact", lambda r: r.first(WALL, lambda p: p > 1))
bouncing.column("its impulse", lambda r: r.on_grid(WALL, r.first(WALL, lambda p: p > 1)))
bouncing.column("largest |g̈|", lambda r: level(r, 2))
pair = lambda column, tag="": [Curve(s, "t", column, s, tag) for s in TWO]  # noqa: E731
bouncing.figure("004 Fig. 5 (left): gap", pair("gap.wall", "to 4 s"), "t", "g_3")
bouncing.figure("004 Fig. 5 (right): gap velocity", pair("x'", "to 4 s"), "t", "ġ_3")
bouncing.figure("004 Fig. 6 (top): bilateral constraint on acceleration level, first impact", pair(g_second), "t", "g̈_1", x_range=(0.45, 0.7))
bouncing.figure("004 Fig. 6 (bottom): smooth multiplier, first impact", pair("force.hinge_x"), "t", "λ_1", x_range=(0.45, 0.7))
bouncing.figure("004 Fig. 7: percussion of the wall over the step", pair(WALL, "to 4 s"), "t", "P_3")
bouncing.figure("004 Fig. 8: smooth multiplier with ρ = 1", pair("force.hinge_x", "rho = 1"), "t", "λ_1", x_range=(0.4, 1.4))
bouncing.drawn = ("", "generalized-alpha-pva")
for system in (rigid, bouncing):
    system.drawing = lambda r, system=system: ([("wall", line((math.sqrt(0.5), 0.5), (math.sqrt(0.5), -1)))] if system is bouncing else []) + [
        ("pendulum", snapshots(r, [0, 0.2, 0.35, 0.487], lambda row: line((0, 0), (row("x"), row("y"))) + circle(row("x"), row("y"), 0.04, row("theta"))))]

SYSTEMS = [cartesian, stiff, spring, rigid, bouncing]
