# SPDX-License-Identifier: Apache-2.0
"""One ball: falling, spinning, rolling, in a cylinder and in a corner."""
import math

from drawing import circle, line, snapshots
from table import ALPHA, CLOSED, MOREAU, PARTITIONED, PROJECTED, Curve, System, no_penetration, penetration, projection_too

FRICTION = MOREAU + PARTITIONED + PROJECTED + ALPHA[:1]  # the schemes with friction

# ---- bouncing ball

G, E = 9.81, 0.75
FALL = math.sqrt(2 / G)
bouncing = System("bouncing-ball", "Bouncing ball", "003, Fig. 1 and 2",
                  "A ball bounces infinitely often in finite time. Event-capturing schemes pass the accumulation point without noticing it; "
                  "those with the contact law on velocity level penetrate by up to the way of one step.",
                  needs=("contacts",), laws=("impact",))
bouncing.run()
for k in range(1, 6):
    exact = FALL * (1 + 2 * sum(E**j for j in range(1, k)))
    bouncing.fact(f"time of impact {k} = √(2/g)(1 + 2e + ... ), to O(h)", lambda r, k=k: r.impacts("percussion.ground.normal", 0.01)[k - 1],
                  exact, 3e-3 * k, "003 Fig. 2; analytic")
STOP = FALL * (1 + E) / (1 - E)
bouncing.fact("accumulation point = √(2/g)(1 + e)/(1 − e): last time with a speed above 0.02", lambda r: r.last_time("q'", lambda v: abs(v) > 0.02),
              STOP - 2 * 0.02 / G / (1 - E), {"radau-2a:1": 0.13, "*": 0.04}, "003 Fig. 2; analytic")
bouncing.run(["moreau", "rattle", "radau-2a:1", "radau-2a:2", "generalized-alpha", "generalized-alpha-pva"], tag="fine", step=1e-4, weight=3)
bouncing.fact("accumulation point, with h = 1e-4", lambda r: r.last_time("q'", lambda v: abs(v) > 0.02), STOP - 2 * 0.02 / G / (1 - E), 0.02,
              "003 Fig. 2; analytic", tag="fine")
bouncing.below("at rest afterwards: |q′| at the end", lambda r: abs(r.last("q'")), 1e-9, "003 Fig. 2", wrong=G * 1e-3)  # the impulse of gravity of a step
bouncing.fact("impulse in all = m (g t_end − u_end)", lambda r: r.summary["percussion_total"]["ground"]["normal"] - 0.1 * (G * 4 + r.last("q'")), 0,
              {tuple(MOREAU): 5e-4, "*": 1e-9}, "analytic; Moreau-type schemes start with half a step of gravity", wrong=0.1 * G * 1e-2)
no_penetration(bouncing, wrong=1e-4)
projection_too(bouncing, FRICTION, high=1e-9)
WAY = 1e-3 * (G * FALL + G * 1e-3)  # of one step, at the speed of the first impact
bouncing.below("Moreau-type schemes penetrate by no more than the way of one step", penetration, WAY, "003, section 5", wrong=2 * WAY, schemes=MOREAU)
bouncing.above("Moreau-type schemes penetrate", penetration, 1e-4, "003, section 5", wrong=1e-9, schemes=MOREAU)
bouncing.column("first impact", lambda r: r.impacts("percussion.ground.normal", 0.01)[0])
bouncing.column("fifth impact", lambda r: r.impacts("percussion.ground.normal", 0.01)[4])
bouncing.figure("003 Fig. 2: gap of the bouncing ball", [Curve("moreau", "t", "gap.ground", "moreau"), Curve("radau-2a:2", "t", "gap.ground", "radau-2a:2")],
                "t", "q")
bouncing.figure("The accumulation point in detail: Moreau's scheme comes to rest below the ground",
                [Curve("moreau", "t", "gap.ground", "moreau"), Curve("radau-2a:2", "t", "gap.ground", "radau-2a:2"),
                 Curve("generalized-alpha", "t", "gap.ground", "generalized-alpha")], "t", "q", x_range=(2.9, 3.3), y_range=(-0.0015, 0.006))

# ---- rotating ball

rotating = System("rotating-ball", "Rotating ball", "000: 6.1, Fig. 3 and 4; 001: 10.1, Fig. 1 and 2; 002: 7.1, Fig. 7.1 and 7.2",
                  "A spinning ball falls on a rough floor. Case 1 bounces (no spin, e = 0.5), case 2 slips after the impact and then rolls "
                  "(ω = 50), case 3 sticks at once (ω = 10). The table is of case 2 with the data of 002.",
                  needs=("contacts", "friction"), laws=("coulomb", "impact"))
rotating.run()
rotating.run(scene="rotating-ball-zeno", tag="case 1")
rotating.run(scene="rotating-ball-stick", tag="case 3")
rotating.run(["lobatto-3a3b:3"], tag="000, case 2", sets=["g=9.81"])
rotating.run(["lobatto-3a3b:3"], tag="000, case 3", sets=["g=9.81", "omega=10"])
for case, omega, e in ((1, 0, 0.5), (2, 50, 0), (3, 10, 0)):
    rotating.run(["generalized-alpha"], tag=f"001, case {case}", sets=["g=9.81", f"omega={omega}", f"e_N={e}"], step=2e-3, settings={"damping": 0.5})
rotating.run(["radau-2a:2", "rattle", "generalized-alpha"], tag="fine", step=1e-4)
N, F = "percussion.floor.normal", "percussion.floor.friction"
LATE = [s for s in CLOSED if s not in ("radau-2a:1", "generalized-alpha-pva", "generalized-alpha-pvv")]
step_of_impact = lambda r: r.first(N, lambda p: p > 1)  # noqa: E731
percussion = lambda name: lambda r: r.on_grid(name, step_of_impact(r))  # noqa: E731
rotating.fact("case 2: the step of the impact ends at", step_of_impact, {"radau-2a:1": 0.42, "*": 0.43}, 1e-9, "reference numbers", schemes=CLOSED)
rotating.fact("case 2: normal percussion of the impact step", percussion(N), {"radau-2a:1": 4.2, "*": 4.3}, 1e-9, "002: 7.1, corrected", schemes=CLOSED)
rotating.fact("case 2: friction percussion = −μ times the normal one", percussion(F), {"radau-2a:1": -0.84, "*": -0.86}, 1e-9, "002: 7.1, corrected", schemes=CLOSED)
rotating.fact("case 2: P_F/P_N of the impact step = −μ", lambda r: percussion(F)(r) / percussion(N)(r), -0.2, 1e-9, "analytic")
rotating.fact("case 2: |λ_F| = μ m g while slipping (t = 0.6)", lambda r: r.on_grid(F, 0.6) / r.step, -2, 1e-7, "002: 7.1; analytic")
rotating.fact("case 2: λ_F = 0 after the slip-stick transition", lambda r: r.largest(F, 0.745), 0, 1e-9, "002: 7.1; analytic", wrong=0.02)  # mu m g h
rotating.fact("case 2: sticks at = 0.7142857: the last step with slip ends within a step of it", lambda r: r.last_time("phi'", lambda w: w > 14.2857143 + 1e-4), 5 / 7, 0.0101, "reference numbers")
rotating.fact("case 2: velocity at the end, x", lambda r: r.last("x'"), -10 / 7, 1e-8, "analytic")
rotating.fact("case 2: velocity at the end, φ", lambda r: r.last("phi'"), 100 / 7, 1e-7, "analytic")
rotating.fact("case 2 with h = 1e-4: impulse of the impact = √18 within the impulse of gravity of a step", percussion(N), math.sqrt(18), 1.1e-3,
              "analytic (002: 7.1)", tag="fine")
rotating.fact("case 2 with h = 1e-4: Λ_T = −0.8485", percussion(F), -0.8485, 3e-4, "002: 7.1, corrected", tag="fine")
rotating.fact("case 3: friction percussion of the impact = −2/7 m R ω", lambda r: r.summary["percussion_total"]["floor"]["friction"][0], -2 / 7, 1e-8,
              "001: 10.1; analytic", tag="case 3")
rotating.fact("case 3: rolls afterwards, x′ + R φ′", lambda r: r.last("x'") + 0.1 * r.last("phi'"), 0, 1e-8, "001: 10.1", tag="case 3", wrong=0.1)
rotating.fact("case 1: at rest after the accumulation point (speed at the end)", lambda r: r.last("y'"), 0, 1e-9, "000 Fig. 3", tag="case 1", wrong=9.81e-2)
rotating.fact("case 1: time of the first impact", step_of_impact, math.sqrt(1.8 / 9.81), 1.2e-2, "analytic, to h", tag="case 1")
rotating.fact("000 data, case 2: P_F/P_N", lambda r: percussion(F)(r) / percussion(N)(r), -0.2, 1e-9, "000 Fig. 4", tag="000, case 2")
rotating.fact("000 data, case 3: P_F", lambda r: r.summary["percussion_total"]["floor"]["friction"][0], -2 / 7, 1e-8, "000 Fig. 4", tag="000, case 3")
rotating.fact("001 data, case 2: Λ_N = m √(2 g (y0 − R)) ≈ 4.2", percussion(N), math.sqrt(2 * 9.81 * 0.9), 2.1e-2, "001: 10.1", tag="001, case 2")
rotating.fact("001 data, case 2: λ_F = −μ m g", lambda r: r.on_grid(F, 0.6) / r.step, -0.2 * 9.81, 1e-6, "001: 10.1, sign corrected", tag="001, case 2")
rotating.fact("001 data, case 3: Λ_F", lambda r: r.summary["percussion_total"]["floor"]["friction"][0], -2 / 7, 1e-8, "001: 10.1", tag="001, case 3")
for case in ("", "case 1", "case 3"):
    no_penetration(rotating, wrong=0.01, tag=case)
rotating.above("case 1: Moreau-type schemes penetrate", penetration, 5e-3, "002: 7.1", wrong=1e-9, tag="case 1", schemes=MOREAU)
rotating.below("case 1: but by no more than the way of a step", penetration, 0.0421, "002: 7.1", wrong=0.0842, tag="case 1", schemes=MOREAU)
projection_too(rotating, FRICTION)
rotating.column("P_N of the impact", percussion(N))
rotating.column("P_F", percussion(F))
rotating.column("x′ at the end", lambda r: r.last("x'"))
rotating.figure("000 Fig. 3, 001 Fig. 1, 002 Fig. 7.1: gap of case 1",
                [Curve("radau-2a:1", "t", "gap.floor", "radau-2a:1", "case 1"), Curve("radau-2a:2", "t", "gap.floor", "radau-2a:2", "case 1"),
                 Curve("lobatto-3a3b:3", "t", "gap.floor", "lobatto-3a3b:3", "case 1")], "t", "g_N")
for case, tag in ((2, ""), (3, "case 3")):
    rotating.figure(f"002 Fig. 7.2, 000 Fig. 4: percussions of case {case}",
                    [Curve("radau-2a:1", "t", N, "ΔΠ_N, radau-2a:1", tag), Curve("radau-2a:2", "t", N, "ΔΠ_N, radau-2a:2", tag),
                     Curve("radau-2a:1", "t", F, "ΔΠ_T, radau-2a:1", tag), Curve("radau-2a:2", "t", F, "ΔΠ_T, radau-2a:2", tag)], "t", "percussion", x_range=(0.35, 0.8))
rotating.figure("001 Fig. 2: friction percussion over the step, cases 2 and 3 (generalized-alpha, h = 2e-3)",
                [Curve("generalized-alpha", "t", F, "ω = 50", "001, case 2"), Curve("generalized-alpha", "t", F, "ω = 10", "001, case 3")], "t", "P_F", x_range=(0.35, 0.8))
rotating.drawing = lambda r: [("floor", line((-2.4, 0), (0.4, 0))), ("ball", snapshots(r, [0, 0.25, 0.43, 0.7, 1, 1.5, 2], lambda row: circle(row("x"), row("y"), 0.1, row("phi"))))]

# ---- rolling ball

T1, T2, A0, A1 = 0.4, 2.08, (0.005 - 0.01) * 10 / 0.004, 0.005 * 10 / 0.014


def exact_spin(t):
    w1 = -1 + A0 * T1
    return -1 + A0 * t if t < T1 else w1 + A1 * (t - T1) if t < T2 else 0.0


def exact_speed(t):
    return 1 - t if t < T1 else -0.1 * exact_spin(t)


rolling = System("rolling-ball", "Rolling ball", "002: 7.2, Fig. 7.3",
                 "A ball slips, rolls and comes to rest under Coulomb and rolling friction in one contact. The solution is known: slip until "
                 "t1 = 0.4, rest at t2 = 2.08.",
                 needs=("contacts", "friction"), laws=("coulomb", "rolling"))
rolling.run()
rolling.run(["moreau-shifted", "moreau-midpoint", "moreau"], tag="h = 0.1", step=0.1)
grid = lambda name, exact: lambda r: max(abs(v - exact(t)) for t, v in zip(r.t, r.column(name)) if t < 0.395 or 0.405 < t < 2.075 or t > 2.085)  # noqa: E731
rolling.fact("exact velocities at the grid points, x′", grid("x'", exact_speed), 0, 1e-8, "002: 7.2; analytic", wrong=1e-2)  # mu g h
rolling.fact("exact velocities at the grid points, φ′", grid("phi'", exact_spin), 0, 1e-7, "002: 7.2; analytic", wrong=1e-2)
rolling.fact("x at rest", lambda r: r.last("x"), 0.824, {("moreau", "moreau-shifted", "radau-2a:1"): 5.1e-3, "*": 1e-6}, "reference numbers; Euler's rule in q: h x′(0)/2 = 5e-3")
rolling.fact("φ at rest", lambda r: r.last("phi"), -6.44, {("moreau", "moreau-shifted", "radau-2a:1"): 5.1e-3, "*": 1e-6}, "reference numbers; Euler's rule in q: h φ′(0)/2 = 5e-3")
rolling.fact("at rest at the end, x′", lambda r: r.last("x'"), 0, 1e-9, "002: 7.2", wrong=1e-3)
LATE_ROW = {("moreau-symmetric", "moreau-variational"): 1.01e-2, "*": 1e-9}  # these start with half a step of the forces
rolling.fact("slips until t1 = 0.4 (first row without slip)", lambda r: next(t for t, u, w in zip(r.t, r["x'"], r["phi'"]) if abs(u + 0.1 * w) < 1e-9), T1, LATE_ROW, "002 (7.6), corrected")
rolling.fact("rests at t2 = 2.08 (first row at rest)", lambda r: r.first("phi'", lambda w: abs(w) < 1e-9), T2, LATE_ROW, "002 (7.10)")
no_penetration(rolling, wrong=1e-3)
projection_too(rolling, MOREAU + PARTITIONED + PROJECTED)
rolling.column("x at rest", lambda r: r.last("x"))
rolling.column("φ at rest", lambda r: r.last("phi"))
rolling.column("error of x′ on the grid", grid("x'", exact_speed))
for name, exact, label in (("x", lambda t: None, "x"), ("x'", exact_speed, "x′"), ("phi'", exact_spin, "φ′")):
    curves = [Curve("moreau-shifted", "t", name, "moreau-shifted, h = 0.1", "h = 0.1"), Curve("moreau-midpoint", "t", name, "moreau-midpoint, h = 0.1", "h = 0.1")]
    curves.append(Curve("radau-2a:2", "t", name, "radau-2a:2, h = 0.01") if name == "x" else
                  Curve("radau-2a:2", "t", lambda r, exact=exact: [exact(t) for t in r.t], "analytic"))
    rolling.figure(f"002 Fig. 7.3: {label}", curves, "t", label)
rolling.drawing = lambda r: [("floor", line((-0.2, 0), (1, 0))), ("ball", snapshots(r, [0, 0.2, 0.4, 0.8, 2.3], lambda row: circle(row("x"), row("y"), 0.1, row("phi"))))]

# ---- ball in a cylinder

cylinder = System("ball-in-cylinder", "Ball in a cylinder", "001: 10.3, Fig. 4; 002: 7.3, Fig. 7.4",
                  "A ball slips and rolls inside a hollow cylinder. On curved surfaces the contact law on velocity level alone lets bodies "
                  "sink in; schemes that also enforce the gap do not penetrate.",
                  needs=("contacts", "friction"), laws=("coulomb",))
cylinder.run()
OF_001 = ["g=9.81", "P_y=1", "x_0=-0.9", "y_0=1"]
cylinder.run(["moreau", "generalized-alpha", "radau-2a:2", "rattle"], tag="001", sets=OF_001, step=1e-2, settings={"damping": 0.5})
cylinder.run(["radau-2a:2", "rattle", "generalized-alpha", "tr-bdf2"], tag="fine", step=1e-4, end=1)


def slip(r):
    return [(a * -y + b * x) / math.hypot(x, y) + 0.1 * w for x, y, a, b, w in zip(r["x"], r["y"], r["x'"], r["y'"], r["phi'"])]


def rolls(r):
    times = [t for t, v in zip(r.t, slip(r)) if t > 0.5 and abs(v) < 1e-7]
    return times[0], times[-1]


cylinder.fact("time of the impact (h = 1e-4)", lambda r: r.first("percussion.cylinder.normal", lambda p: p > 0.01), 0.3200970, 1.01e-4, "reference numbers, to a step", tag="fine")
cylinder.fact("slip to roll (h = 1e-4)", lambda r: rolls(r)[0], 0.7749711, 1.01e-4, "reference numbers, to a step", tag="fine")
cylinder.fact("roll to slip (h = 1e-4)", lambda r: rolls(r)[1], 0.7818292, 1.01e-4, "reference numbers, to a step", tag="fine")
for name, value, tolerance in (("x", 0.80839905, 5e-6), ("y", -0.39558940, 1e-5), ("phi", -12.2475438, 4e-4)):
    cylinder.fact(f"{name}(1), h = 1e-4", lambda r, name=name: r.last(name), value, tolerance, "reference numbers", tag="fine")
cylinder.fact("Moreau's scheme penetrates 0.118 at h = 2e-2", penetration, 0.118, 5e-4, "reference numbers", schemes=["moreau"])
cylinder.above("all Moreau-type schemes penetrate visibly", penetration, 0.1, "002 Fig. 7.4", wrong=1e-9, schemes=MOREAU)
no_penetration(cylinder, wrong=0.1)
no_penetration(cylinder, wrong=0.05, tag="001", schemes=["generalized-alpha", "radau-2a:2", "rattle"])
cylinder.above("001 data: Moreau's scheme penetrates", penetration, 0.05, "001 Fig. 4", wrong=1e-9, tag="001", schemes=["moreau"])
cylinder.fact("001 data: the start is consistent with λ_N = 0 (friction percussion of the first step below that of free fall)",
              lambda r: abs(r["percussion.cylinder.friction"][1]), 0, 1e-4, "consistent start: a plain stick solve gives 2.8 h", wrong=2.8e-2, tag="001", schemes=["generalized-alpha", "radau-2a:2", "rattle"])
cylinder.column("x(1)", lambda r: r.at("x", 1))
cylinder.column("y(1)", lambda r: r.at("y", 1))
arc = lambda cx, cy, radius: circle(cx, cy, radius, n=160)  # noqa: E731
for tag, caption in (("", "002 Fig. 7.4: path of the centre, h = 2e-2"), ("001", "001 Fig. 4: path of the centre, data of 001, h = 1e-2")):
    cylinder.figure(caption, [Curve("moreau-midpoint" if not tag else "moreau", "x", "y", "moreau-midpoint" if not tag else "moreau", tag),
                              Curve("rattle", "x", "y", "rattle", tag), Curve("radau-2a:2", "x", "y", "radau-2a:2", tag),
                              Curve("generalized-alpha", "x", "y", "generalized-alpha", tag)], "x", "y", equal=True)
cylinder.drawing = lambda r: [("cylinder", arc(0, 0, 1)), ("ball", snapshots(r, [0, 0.32, 0.5, 0.7, 1.0, 1.3], lambda row: circle(row("x"), row("y"), 0.1, row("phi"))))]

# ---- ball in a corner

corner = System("ball-in-corner", "Ball in a corner", "001: 10.2, Fig. 3; 002: 7.9, Fig. 7.14",
                "A ball comes to rest between two planes. There the force directions are linearly dependent and Newton's matrix is singular; "
                "the solver goes on with other means.",
                needs=("contacts", "friction"), laws=("coulomb", "impact"))
corner.run()
corner.run(["generalized-alpha"], tag="001", sets=["g=9.81"], step=1e-4, settings={"damping": 0.5}, end=2, weight=4)
AT_REST = PARTITIONED + PROJECTED + ALPHA[:1]
corner.fact("at rest at the end: x′", lambda r: r.last("x'"), 0, 1e-9, "002: 7.9", wrong=1e-2)
corner.fact("at rest at the end: y′", lambda r: r.last("y'"), 0, 1e-9, "002: 7.9", wrong=1e-2)  # a tenth of g h
for name in ("right", "left"):
    corner.fact(f"contact closed at rest: {name}", lambda r, name=name: r.last(f"gap.{name}"), 0, {tuple(MOREAU): 1e-3, "*": 1e-9}, "001: 10.2; 002: 7.9; half of g h²", wrong=1e-2)
corner.fact("resting forces: λ_N1 + λ_F1 = m g/√2", lambda r: (r.last("percussion.right.normal") + r.last("percussion.right.friction")) / r.step, 10 / math.sqrt(2),
            1e-4, "analytic; only this sum is unique", schemes=AT_REST)
no_penetration(corner, wrong=1e-2)
corner.above("Moreau's midpoint rule penetrates", penetration, 1e-2, "002 Fig. 7.14", wrong=1e-9, schemes=["moreau-midpoint"])
corner.fact("001 data: at rest by t ≈ 1.36 (both gaps below 1e-6 from)", lambda r: r.last_time("gap.right", lambda g: g > 1e-6), 1.36, 5e-3, "001: 10.2 (its digits)", tag="001")
corner.column("steps with Newton's matrix singular", lambda r: r.summary["least_norm"]["steps"] + r.summary["projection"]["steps"])
corner.column("λ_N1 + λ_F1 at rest", lambda r: (r.last("percussion.right.normal") + r.last("percussion.right.friction")) / r.step)
corner.figure("002 Fig. 7.14: gaps", [Curve(s, "t", f"gap.{k}", f"{k}, {s}") for s in ("radau-2a:2", "rattle", "moreau-midpoint") for k in ("right", "left")], "t", "g_N")
corner.figure("002 Fig. 7.14, magnified: Moreau's midpoint rule penetrates",
              [Curve(s, "t", "gap.right", s) for s in ("radau-2a:2", "rattle", "moreau-midpoint")], "t", "g_N of the right plane", y_range=(-0.02, 0.05), x_range=(0.3, 1.6))
corner.figure("001 Fig. 3: gaps, data of 001 (generalized-alpha, h = 1e-4)",
              [Curve("generalized-alpha", "t", f"gap.{k}", k, "001") for k in ("right", "left")], "t", "g_N")
corner.drawing = lambda r: [("planes", line((-1, 1), (0, 0), (1, 1))), ("ball", snapshots(r, [0, 0.3, 0.5, 0.8, 2], lambda row: circle(row("x"), row("y"), 0.1, row("phi"))))]

SYSTEMS = [bouncing, rotating, rolling, cylinder, corner]
