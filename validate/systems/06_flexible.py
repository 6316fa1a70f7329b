# SPDX-License-Identifier: Apache-2.0
"""Flexible bodies with contact: bar, beam pendulum, hopper."""
import math

from table import CLOSED, MOREAU, PARTITIONED, PROJECTED, Curve, Points, System, no_penetration

TWO = ["generalized-alpha-pva", "generalized-alpha-pvv"]

# ---- elastic bar

bar = System("elastic-bar", "Elastic bar against a wall", "004: 6.3, Fig. 13 to 16",
             "A bar of 200 elements flies against a wall. A pressure wave runs to its free end and back, so that the contact lasts 2 L √(ρ/E) = 2/3 with the "
             "constant force 300. With the contact in the smooth motion (PVA) a step takes about one Newton iteration, without it (PVV) many.",
             needs=("contacts",), laws=("impact",))
bar.run(["moreau-theta", *PROJECTED, *TWO, "generalized-alpha"], weight=4)
bar.run(["rattle"], tag="h = 5e-4", step=5e-4, weight=4)
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


bar.fact("first contact after d/v = 0.5 (round-off decides between 0.500 and 0.502)", lambda r: contact(r)[0], 0.501, 1.1e-3, "analytic; errata, pitfall 19", schemes=CLOSED)
bar.fact("contact lasts 2 L √(ρ/E) = 2/3", duration, 2 / 3, 1.2e-2, "analytic", schemes=["generalized-alpha*", "radau-2a:*", "tr*", "rattle", "lobatto-3a3b:*"])
bar.fact("contact of PVA lasts", duration, 0.670, 2.1e-3, "errata", schemes=TWO[:1])
bar.fact("plateau of the force = A √(E ρ) v", plateau, 300, 1.5, "analytic", schemes=["generalized-alpha*", "radau-2a:*", "tr*", "rattle", "lobatto-3a3b:*"])
bar.fact("energy before", lambda r: r.summary["energy_start"], 500, 1e-6, "analytic")
bar.fact("rattle with h = 5e-4: plateau of the force", plateau, 300, 1.5, "analytic", tag="h = 5e-4")
bar.fact("rattle with h = 5e-4: contact lasts", duration, 2 / 3, 1.2e-2, "analytic", tag="h = 5e-4")
bar.note("Schemes that are explicit in character need h below 2/ω = 1.7e-3 here, so rattle has a run of its own.")
bar.fact("energy afterwards, PVA", lambda r: r.summary["energy_end"], 497.4, 0.06, "errata (lumped mass)", schemes=TWO[:1])
bar.between("energy kept but for the scheme's dissipation", lambda r: r.summary["energy_end"], 480, 500.001, "004: 6.3", schemes=["generalized-alpha*", "radau-2a:2", "radau-2a:3", "tr-bdf2", "tr-theta"])
bar.between("PVA: about one Newton iteration per contact step", newton_in_contact, None, 1.3, "errata; 004: 6.3", schemes=TWO[:1])
bar.between("PVV: seven or more", newton_in_contact, 7, None, "errata; 004: 6.3 (about 10)", schemes=TWO[1:])
bar.single("mean Newton iterations, PVA over PVV (the paper: 0.80 over 2.94)", lambda all_: all_(TWO[0]).summary["newton"]["mean"] / all_(TWO[1]).summary["newton"]["mean"], source="004: 6.3", high=0.5,
           scheme="generalized-alpha-pva")
no_penetration(bar)
bar.column("contact lasts", duration)
bar.column("plateau force", plateau)
bar.column("Newton per contact step", newton_in_contact)
bar.figure("004 Fig. 14: gap", [Curve(s, "t", "gap.wall", s) for s in TWO], "t", "g")
bar.figure("004 Fig. 14: gap velocity", [Curve(s, "t", lambda r: [-v for v in r["bar_200.x'"]], s) for s in TWO], "t", "ġ")
bar.figure("004 Fig. 15: contact force", [Curve(s, "t", lambda r: [p / r.step for p in r[WALL]], s) for s in TWO], "t", "P/h", x_range=(0.4, 1.3), y_range=(-50, 600))
bar.figure("004 Fig. 16: energy", [Curve(s, "t", "energy.total", s) for s in TWO], "t", "E")
bar.figure("Newton iterations of each step", [Curve(s, "t", "iterations.newton", s) for s in TWO], "t", "iterations")
bar.drawn = ("", "generalized-alpha-pva")
bar.note("The last node has half an element's mass and stops in the first step of contact: its impulse, m v = 0.25 within one step, is the spike at the begin of the plateau.")

SYSTEMS = [bar]
