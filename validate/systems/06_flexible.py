# SPDX-License-Identifier: Apache-2.0
"""Flexible bodies with contact: bar, beam pendulum, hopper."""
from drawing import line, snapshots
from table import CLOSED, MOREAU, PARTITIONED, PROJECTED, Curve, System, closed_joints, no_penetration

TWO = ["generalized-alpha-pva", "generalized-alpha-pvv"]

# ---- elastic bar

bar = System("elastic-bar", "Elastic bar against a wall", "004: 6.3, Fig. 13 to 16",
             "A bar of 200 elements flies against a wall. A pressure wave runs to its free end and back, so that the contact lasts 2 L √(ρ/E) = 2/3 with the "
             "constant force 300. With the contact in the smooth motion (PVA) a step takes about one Newton iteration, without it (PVV) many.",
             needs=("contacts",), laws=("impact",))
EXPLICIT = [*[s for s in MOREAU if s != "moreau-theta"], "rattle", "lobatto-3a3b:2"]
bar.run(weight=4)
bar.fails(EXPLICIT, "h ω = 4.2: explicit in character, needs h below 1e-3")
bar.run(EXPLICIT, tag="h = 5e-4", step=5e-4, weight=4)
WALL = "percussion.wall.normal"


def contact(r):
    times = [t for t, p in zip(r.t, r[WALL]) if p > 1e-6]
    return times[0], times[-1]


def duration(r):
    begin, end = contact(r)
    return end - begin + r.step


plateau = lambda r: sum(r.within(WALL, 0.7, 1.0)) / len(r.within(WALL, 0.7, 1.0)) / r.step  # noqa: E731


def newton_in_contact(r):
    begin, end = contact(r)
    values = r.within("iterations.newton", begin, end)
    return sum(values) / len(values)


bar.fact("first contact after d/v = 0.5 (round-off decides between 0.500 and 0.502)", lambda r: contact(r)[0], 0.501, 1.1e-3, "analytic", schemes=CLOSED)
bar.fact("contact lasts 2 L √(ρ/E) = 2/3", duration, 2 / 3, 6e-3, "analytic, to three steps", schemes=["generalized-alpha*", "radau-2a:*", "tr*", "rattle", "lobatto-3a3b:*"])
bar.fact("contact of PVA lasts", duration, 0.670, 2.1e-3, "reference numbers", schemes=TWO[:1])
bar.fact("plateau of the force = A √(E ρ) v", plateau, 300, 1e-2, "analytic", wrong=1, schemes=["generalized-alpha*", "radau-2a:*", "tr*", "rattle", "lobatto-3a3b:*"])
bar.fact("energy before", lambda r: r.summary["energy_start"], 500, 1e-6, "analytic")
bar.fact("explicit schemes with h = 5e-4: plateau of the force", plateau, 300, 1e-2, "analytic", wrong=1, tag="h = 5e-4")
bar.fact("explicit schemes with h = 5e-4: contact lasts", duration, 2 / 3, 3e-3, "analytic, to six steps of 5e-4", tag="h = 5e-4")
bar.note("Schemes that are explicit in character need h below 2/ω = 1.7e-3 here, so they have runs of their own.")
bar.fact("energy at t = 2, PVA", lambda r: r.summary["energy_end"], 497.53, 5e-3, "reference numbers", schemes=TWO[:1], wrong=0.02)
bar.run(TWO, tag="to 2.5 s", end=2.5, weight=4)
bar.run(TWO[:1], tag="printed", end=2.5, settings={"multipliers": "printed"}, weight=4)
bar.fact("energy at t = 2.5, PVA with the totals of the multipliers (starred), and PVV", lambda r: r.summary["energy_end"], 497.3367, 6e-5, "reference numbers", tag="to 2.5 s", wrong=0.028)
bar.fact("energy at t = 2.5, PVA with the multipliers as printed", lambda r: r.summary["energy_end"], 497.3647, 6e-5, "corrections to 004 (65f), (65i)", tag="printed", wrong=0.028)
bar.single("PVA (starred) and PVV are the same motion where M and W_N are constant: largest difference of the gap", lambda all_: max(abs(a - b) for a, b in zip(all_(TWO[0], "to 2.5 s")["gap.wall"], all_(TWO[1], "to 2.5 s")["gap.wall"])),
           source="docs/validation.md", high=1e-8, wrong=1e-3, scheme="generalized-alpha-pvv")
LOSSES = ["generalized-alpha-pva", "radau-2a:2", "radau-2a:3", "tr-bdf2"]
bar.run(LOSSES, tag="loss", end=2.5, weight=4)
bar.run(LOSSES, tag="loss, h = 5e-4", step=5e-4, end=2.5, weight=12)
AFTER = 500 - 0.025 * 10**2 / 2  # the end's mass, half an element, stops
loss = lambda r: AFTER - r.summary["energy_end"]  # noqa: E731
bar.fact("energy → 500 − m v²/2 of the last node (half an element): at t = 2.5 with h = 5e-4", lambda r: r.summary["energy_end"], AFTER, {"radau-2a:3": 0.01, "*": 0.15}, "analytic, but for the scheme's dissipation", tag="loss, h = 5e-4",
         schemes=["radau-2a:3", "generalized-alpha-pva"], wrong=1.25)
for scheme in LOSSES:
    bar.single(f"what {scheme} dissipates falls with the step: loss with h = 5e-4 over that with 2e-3", lambda all_, scheme=scheme: loss(all_(scheme, "loss, h = 5e-4")) / loss(all_(scheme, "loss")), source="order 1 at least: 1/4",
               high=0.25, wrong=1, scheme=scheme)
bar.run(TWO, tag="decoupled", settings={"iteration": "decoupled"}, weight=4)
bar.below("subproblems in turn (004: Algorithm 1), PVA: about one Newton iteration per contact step", newton_in_contact, 1.3, "reference numbers; 004: 6.3", 7, tag="decoupled", schemes=TWO[:1])
bar.above("subproblems in turn, PVV: seven or more", newton_in_contact, 7, "reference numbers; 004: 6.3 (about 10)", 1.3, tag="decoupled", schemes=TWO[1:])
bar.single("subproblems in turn: mean Newton iterations, PVA over PVV (the paper: 0.80 over 2.94)", lambda all_: all_(TWO[0], "decoupled").summary["newton"]["mean"] / all_(TWO[1], "decoupled").summary["newton"]["mean"], source="004: 6.3", high=0.5, wrong=1,
           scheme="generalized-alpha-pva")
bar.below("one coupled problem with its exact matrix: one iteration for both", newton_in_contact, 1.3, "the problem is linear", 7, schemes=TWO)
no_penetration(bar, wrong=1e-3)
bar.column("contact lasts", duration)
bar.column("plateau force", plateau)
bar.column("Newton per contact step", newton_in_contact)
bar.figure("004 Fig. 14: gap", [Curve(s, "t", "gap.wall", s) for s in TWO], "t", "g")
bar.figure("004 Fig. 14: gap velocity", [Curve(s, "t", lambda r: [-v for v in r["bar_200.x'"]], s) for s in TWO], "t", "ġ")
bar.figure("004 Fig. 15: contact force", [Curve(s, "t", lambda r: [p / r.step for p in r[WALL]], s) for s in TWO], "t", "P/h", x_range=(0.4, 1.3), y_range=(-50, 600))
bar.figure("004 Fig. 16: energy", [Curve(s, "t", "energy.total", s) for s in TWO], "t", "E")
bar.figure("Newton iterations of each step, subproblems in turn (004: Algorithm 1)", [Curve(s, "t", "iterations.newton", s, "decoupled") for s in TWO], "t", "iterations")
bar.drawn = ("", "generalized-alpha-pva")
bar.note("The last node has half an element's mass and stops in the first step of contact: its impulse, m v = 0.25 within one step, is the spike at the begin of the plateau.")

# ---- flexible pendulum

beam = System("flexible-pendulum", "Bouncing flexible pendulum", "004: 6.2, Fig. 9 to 12",
              "A geometrically exact beam of four elements falls from the horizontal until its tip hits an obstacle. The first contact is a series of close "
              "impulses between t = 0.327 and 0.348; energy never grows.",
              needs=("contacts",), laws=("impact",))
beam.run(TWO, settings={"record_every": 5}, weight=25)
LARGE = ["moreau-theta", "generalized-alpha", *PROJECTED]
beam.run(LARGE, tag="h = 1e-4", step=1e-4, settings={"record_every": 1}, weight=2)
beam.fact("steps of 1e-4, 20 times those of the paper: first contact", lambda r: r.first(WALL, lambda p: p > 1e-9), 0.327025, 1.01e-4, "reference numbers; 004: 6.2, to a step", wrong=2e-3, tag="h = 1e-4")
beam.run(TWO, tag="before", end="0.32702", settings={"record_every": 1000}, weight=12)
beam.run(TWO, tag="first", end="0.327025", settings={"record_every": 1000}, weight=12)
total = lambda r: r.summary["percussion_total"]["wall"]["normal"]  # noqa: E731
beam.fact("no impulse until t = 0.32702", total, 0, 1e-12, "reference numbers: first contact 0.327025", wrong=0.1837, tag="before")
beam.fact("impulse of the step that ends at 0.327025", total, 0.18373188, 6e-9, "reference numbers (its digits)", tag="first", schemes=TWO[:1])
beam.fact("first contact phase begins at", lambda r: r.first(WALL, lambda p: p > 1e-9), 0.327025, 2.51e-5, "reference numbers; 004: 6.2; a row", wrong=2.5e-4)
beam.fact("and ends about", lambda r: max(t for t, p in zip(r.t, r[WALL]) if p > 1e-9 and t < 0.37), 0.348, 2e-3, "004: 6.2", wrong=5e-3)
beam.below("energy decays: largest increase between rows over the loss in all", lambda r: max(b - a for a, b in zip(r["energy.total"], r["energy.total"][1:])) / (r["energy.total"][0] - r["energy.total"][-1]), 1e-3,
           "004 Fig. 12", wrong=1e-2)
beam.note("The paper sees PVV lose energy faster. Here both lose the same: the tip's coordinate carries a mass of its own and is held or free in the same steps, so the smooth part makes no difference to the rest of the beam.")
no_penetration(beam, wrong=1e-5)
beam.column("impulse in all", total)
beam.figure("004 Fig. 10: gap", [Curve(s, "t", "gap.wall", s) for s in TWO], "t", "g_1")
beam.figure("004 Fig. 10: gap, first contact phase", [Curve(s, "t", "gap.wall", s) for s in TWO], "t", "g_1", x_range=(0.325, 0.352), y_range=(-0.0005, 0.008))
beam.figure("004 Fig. 11: reaction, impulses of five steps over their time", [Curve(s, "t", lambda r: [p / (5 * r.step) for p in r[WALL]], s) for s in TWO], "t", "P/h", x_range=(0.325, 0.352))
beam.figure("004 Fig. 12: energy", [Curve(s, "t", "energy.total", s) for s in TWO], "t", "E")
beam.drawn = ("", "generalized-alpha-pva")
beam.drawing = lambda r: [("wall", line((0.5**0.5, 0.2), (0.5**0.5, -1)))] + [
    (f"t = {t}", snapshots(r, [t], lambda row: line(*[(row(f"beam_{k}.x"), row(f"beam_{k}.y")) for k in range(5)]))) for t in (0, 0.2, 0.327, 0.34, 0.45)]

# ---- guided hopper

hopper = System("guided-hopper", "Guided hopper", "001: 10.5, Fig. 6",
                "A body on a vertical guide with a driven leg whose shank is an elastic beam: time-dependent constraints, flexible parts and friction. The paper "
                "shows percussions only; there are no printed numbers.",
                needs=("contacts", "friction"), laws=("coulomb", "impact"))
hopper.run(["generalized-alpha"], weight=10)
hopper.run([*PROJECTED, "moreau-theta"], step=1e-4, settings={"record_every": 5}, weight=10)
hopper.fails(["trx2"], "may fail: does not damp the fastest modes, which the impact excites (h ω of some 100)")
FOOT, RUB = "percussion.foot.normal", "percussion.foot.friction"
hopper.fact("the foot lands at", lambda r: r.first(FOOT, lambda p: p > 1e-9), 0.1262, 5.01e-4, "to a row; independent integration of the free phase (scene)")
hopper.below("friction stays within ±μ P_N: largest |P_F| − μ P_N", lambda r: max(abs(f) - 0.2 * n for f, n in zip(r[RUB], r[FOOT])), 1e-9, "001 Fig. 6", wrong=1e-4)
hopper.above("the foot slips: steps with |P_F| = μ P_N (a part of those in contact)", lambda r: sum(abs(abs(f) - 0.2 * n) < 1e-9 for f, n in zip(r[RUB], r[FOOT]) if n > 1e-9) / sum(n > 1e-9 for n in r[FOOT]), {"trx2": 0.5, "*": 0.8},
             "001 Fig. 6; trx2 does not damp the vibration of the leg, which lets the foot stick at times", wrong=0.2)
hopper.single("generalized-alpha and radau-2a:2 agree until the first take-off: largest difference of y to t = 0.3", lambda all_: max(abs(a - all_("radau-2a:2").at("hip.y", t)) for t, a in zip(all_("generalized-alpha").t, all_("generalized-alpha")["hip.y"]) if t < 0.3), source="two schemes", high=5e-4, wrong=1e-2, scheme="generalized-alpha")
no_penetration(hopper, wrong=1e-5)
closed_joints(hopper, wrong=1e-5)
hopper.column("the foot lands at", lambda r: r.first(FOOT, lambda p: p > 1e-9))
hopper.column("y(1)", lambda r: r.last("hip.y"))
hopper.figure("001 Fig. 6: percussions of the foot, P_F between ±μ P_N (ten steps each)", [Curve("generalized-alpha", "t", RUB, "P_F"), Curve("generalized-alpha", "t", lambda r: [0.2 * p for p in r[FOOT]], "μ P_N"),
                                                          Curve("generalized-alpha", "t", lambda r: [-0.2 * p for p in r[FOOT]], "−μ P_N")], "t", "percussion")
hopper.figure("Height of the body", [Curve("generalized-alpha", "t", "hip.y", "generalized-alpha"), Curve("radau-2a:2", "t", "hip.y", "radau-2a:2")], "t", "y")
hopper.figure("Gap of the foot", [Curve("generalized-alpha", "t", "gap.foot", "generalized-alpha")], "t", "g_N")
hopper.drawn = ("", "generalized-alpha")


def leg(row):
    """Hip, knee, and the beam's control points (the curve stays close to them)."""
    return line((0, row("hip.y")), *[(row(f"shank_{k}.x"), row(f"shank_{k}.y")) for k in range(4)])


hopper.drawing = lambda r: [("ground", line((-0.2, 0), (0.4, 0)))] + [(f"t = {t}", snapshots(r, [t], leg)) for t in (0, 0.13, 0.3, 0.5, 0.8)]

SYSTEMS = [bar, beam, hopper]
