# SPDX-License-Identifier: Apache-2.0
"""Not of the papers: laws of restitution where friction turns the slip round (docs/contacts.md)."""
import math

from drawing import line, snapshots
from table import Curve, System, no_penetration


def free_motion(a, b, da, db, height):
    """Kane's pendulum until its tip meets the floor: fourth order in steps of 1e-5, the last one cut by Newton's method."""
    def rate(z):
        a, b, da, db = z
        c, s = math.cos(a - b) / 2, math.sin(a - b) / 2
        f, g = -s * db * db, s * da * da  # of (4/3) a'' + c b'' = f, c a'' + b''/3 = g
        d = 4 / 9 - c * c
        return (da, db, (f / 3 - c * g) / d, (4 / 3 * g - c * f) / d)

    def step(z, h):
        k1 = rate(z)
        k2 = rate([x + h / 2 * k for x, k in zip(z, k1)])
        k3 = rate([x + h / 2 * k for x, k in zip(z, k2)])
        k4 = rate([x + h * k for x, k in zip(z, k3)])
        return [x + h / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(z, k1, k2, k3, k4)]

    def gap(z):
        return height - math.cos(z[0]) - math.cos(z[1])

    z, t = [a, b, da, db], 0.0
    while gap(step(z, 1e-5)) > 0:
        z, t = step(z, 1e-5), t + 1e-5
    while abs(gap(z)) > 1e-15:
        h = -gap(z) / (math.sin(z[0]) * z[2] + math.sin(z[1]) * z[3])
        z, t = step(z, h), t + h
    return z, t


def energy_after(z, law, mu, e):
    """Closed forms for a slip that stops in expansion and then sticks or turns round: Newton's law, Poisson's and Stronge's."""
    a, b, da, db = z
    M = [[4 / 3, math.cos(a - b) / 2], [math.cos(a - b) / 2, 1 / 3]]
    W = [[math.sin(a), math.sin(b)], [math.cos(a), math.cos(b)]]
    d = M[0][0] * M[1][1] - M[0][1] ** 2
    inverse = [[M[1][1] / d, -M[0][1] / d], [-M[0][1] / d, M[0][0] / d]]
    D = [[sum(W[i][k] * inverse[k][m] * W[j][m] for k in (0, 1) for m in (0, 1)) for j in (0, 1)] for i in (0, 1)]
    gdot, slip = (W[i][0] * da + W[i][1] * db for i in (0, 1))
    T = (M[0][0] * da * da + 2 * M[0][1] * da * db + M[1][1] * db * db) / 2
    if law == "newton":  # slips at the end against P_F = -mu sign P_N
        sign = 1
        P = -(1 + e) * gdot / (D[0][0] - sign * mu * D[0][1])
        impulse = (P, -sign * mu * P)
        assert sign * (slip + D[1][0] * impulse[0] + D[1][1] * impulse[1]) > 0
    else:
        sign = math.copysign(1, slip)
        first, stop = D[0][0] - sign * mu * D[0][1], -slip / (D[1][0] - sign * mu * D[1][1])
        there = gdot + first * stop
        assert stop > 0 and there > 0
        ratio = -D[1][0] / D[1][1]
        slope = ratio if abs(ratio) <= mu else sign * mu
        second = D[0][0] + D[0][1] * slope
        turn, left = -gdot / first, (e * e * gdot**2 - there**2) / (2 * first)  # work that is still to be given back
        end = (1 + e) * turn if law == "poisson" else stop + (math.sqrt(there**2 + 2 * second * left) - there) / second
        assert end > stop
        impulse = (end, -sign * mu * stop + slope * (end - stop))
    after = [c + D[i][0] * impulse[0] + D[i][1] * impulse[1] for i, c in enumerate((gdot, slip))]
    return T + sum(p * (x + y) / 2 for p, x, y in zip(impulse, (gdot, slip), after))


MU, E, A, B = 0.5, 0.7, math.radians(20), math.radians(30)
HIT, TIME = free_motion(A, B, -0.1, -0.2, math.cos(A) + math.cos(B) + 1e-3)

kane = System("kane-pendulum", "Kane's double pendulum", "beyond the papers (impact law of 002: 3.6)",
              "Newton's law of restitution with friction creates energy where the slip turns round, and the run says so; Poisson's and the energetic restitution do not.",
              needs=("contacts", "friction"), laws=("coulomb", "impact"))
kane.run()
kane.run(tag="poisson", settings={"restitution_law": "poisson"})
kane.run(tag="energetic", settings={"restitution_law": "energetic"})
# The angles of an impact that a step of 1e-4 puts elsewhere are off by 0.2 h = 2e-5; the energy changes by less than as much of 1 J.
for tag, law in (("", "newton"), ("poisson", "poisson"), ("energetic", "energetic")):
    kane.fact(f"energy after the impact, {law}", lambda r: r.summary["energy_end"], energy_after(HIT, law, MU, E), 2e-5, "closed form", tag=tag)
    kane.fact(f"impacts that created energy, {law}", lambda r: r.summary["energy_warnings_total"], 1 if law == "newton" else 0, 0, "closed form", tag=tag, wrong=1)
kane.fact("amount reported", lambda r: r.summary["energy_warnings"][0]["gained"], energy_after(HIT, "newton", MU, E) - 0.0231814108634554, 2e-5, "closed form")
kane.fact("time reported", lambda r: r.summary["energy_warnings"][0]["t"], TIME, 2e-4, "closed form")
no_penetration(kane, wrong=1e-4)
kane.column("energy after", lambda r: r.summary["energy_end"])
kane.figure("Rate of the lower rod", [Curve("radau-2a:2", "t", "b'", "newton"), Curve("radau-2a:2", "t", "b'", "poisson", "poisson"), Curve("radau-2a:2", "t", "b'", "energetic", "energetic")], "t", "b′")
kane.drawing = lambda r: [("floor", line((-0.5, -math.cos(A) - math.cos(B) - 1e-3), (1.5, -math.cos(A) - math.cos(B) - 1e-3))),
                          ("rods", snapshots(r, [0, 0.05], lambda row: [(0, 0), (math.sin(row("a")), -math.cos(row("a"))), (math.sin(row("a")) + math.sin(row("b")), -math.cos(row("a")) - math.cos(row("b")))]))]

SYSTEMS = [kane]
