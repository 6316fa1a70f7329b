# SPDX-License-Identifier: Apache-2.0
"""The order of every scheme: without constraints, with those on position level, with those on velocity level, while contacts stick, while they
slide, and after an impact; None where it does not apply. docs/schemes.md has the same table (tests/validate/tables.py compares), and studies pin
each entry: cartesian-pendulum (position), slope (sliding), orders (the others)."""

KINDS = ("smooth", "position", "velocity", "sticking", "sliding", "impact")
_FIRST, _SECOND = (1, 1, 1, 1, 1, 1), (2, 2, 2, 2, 2, 1)
_ROWS = {
    "moreau": _FIRST, "moreau-midpoint": _FIRST, "moreau-shifted": _FIRST, "moreau-theta": _FIRST,
    "moreau-symmetric": (2, 1, 1, 1, 1, 1), "moreau-variational": (2, 1, 1, 1, 1, 1),
    "rattle": (2, 2, 2, 1, 2, 1), "lobatto-3a3b:2": (2, 2, 2, 1, 2, 1),
    "lobatto-3a3b:3": (4, 4, 4, 2, 4, 1), "lobatto-3a3b:4": (6, 6, 6, 3, 6, 1), "lobatto-3a3b-lagrange:3": (4, 4, 4, 2, 4, 1),
    "radau-2a:1": _FIRST, "radau-2a:2": (3, 3, 3, 3, 3, 1), "radau-2a:3": (5, 5, 5, 5, 5, 1),
    "lobatto-3c:2": _SECOND, "lobatto-3c:3": (4, 4, 4, 3, 3, 1),
    "sdirk2": (2, 1, 2, 1, 1, 1), "sdirk3": (3, 1, 2, 1, 1, 1),
    "tr-bdf2": _SECOND, "trx2": _SECOND, "tr-theta": _SECOND, "generalized-alpha": _SECOND,
    "generalized-alpha-pva": (2, 2, None, None, None, 1), "generalized-alpha-pvv": (2, 2, None, None, None, 1),
    "generalized-alpha-p": (2, 2, None, None, None, None), "generalized-alpha-v": (2, 2, None, None, None, None),
    "generalized-alpha-pv": (2, 2, None, None, None, None),
}
ORDERS = {scheme: dict(zip(KINDS, row)) for scheme, row in _ROWS.items()}


def orders_of(kind, schemes=None):
    """{scheme: order} of one kind, for the schemes that have one."""
    return {scheme: row[kind] for scheme, row in ORDERS.items() if row[kind] is not None and (schemes is None or scheme in schemes)}


def pairs(orders):
    """The same for q and u."""
    return {scheme: (order, order) for scheme, order in orders.items()}
