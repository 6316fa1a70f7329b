# SPDX-License-Identifier: Apache-2.0
"""What a system of the validation states: its scene, runs, facts with tolerance and source, studies and figures.

A file in systems/ makes one System and fills it by the methods below. Nothing runs here."""
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

# Every scheme of `zeno schemes`, those with stages in the sizes that the papers use.
MOREAU = ["moreau", "moreau-midpoint", "moreau-shifted", "moreau-symmetric", "moreau-variational", "moreau-theta"]
PARTITIONED = ["rattle", "lobatto-3a3b:2", "lobatto-3a3b:3", "lobatto-3a3b:4", "lobatto-3a3b-lagrange:3"]
PROJECTED = ["radau-2a:1", "radau-2a:2", "radau-2a:3", "lobatto-3c:2", "lobatto-3c:3", "sdirk2", "sdirk3", "tr-bdf2", "trx2", "tr-theta"]
ALPHA = ["generalized-alpha", "generalized-alpha-pva", "generalized-alpha-pvv", "generalized-alpha-p", "generalized-alpha-v", "generalized-alpha-pv"]
ALL = MOREAU + PARTITIONED + PROJECTED + ALPHA
# Those that enforce gaps on position level.
CLOSED = PARTITIONED + PROJECTED + ALPHA[:3]


# Orders differ by one, and an order is measured at the finest steps whose errors are above round-off (result.py).
ORDER_TOLERANCE = 0.2


def matches(scheme, patterns):
    return any(fnmatchcase(scheme, pattern) for pattern in ([patterns] if isinstance(patterns, str) else patterns))


def chosen(value, scheme):
    """A tolerance for each scheme: a number, or a map of patterns, the first that matches."""
    if not isinstance(value, dict):
        return value
    for pattern, entry in value.items():
        if matches(scheme, pattern if isinstance(pattern, tuple) else [pattern]):
            return entry
    raise KeyError(f"no entry for {scheme}")


@dataclass(frozen=True)
class Run:
    scene: str
    scheme: str
    step: object = None       # None: the scene's
    end: object = None
    sets: tuple = ()          # ("omega=0", ...)
    settings: tuple = ()      # (("damping", "0.5"), ...) put into the scene's simulation
    weight: float = 1         # expected seconds, to start long runs first
    timed: bool = False       # also without a result file, to know what a step costs


@dataclass
class Fact:
    text: str
    source: str               # where the number is from
    value: object             # function of a Result
    tag: str
    schemes: object           # patterns
    expected: object = None   # |value - expected| <= tolerance ...
    tolerance: object = None  # a number or a map by scheme; unused with low and high
    low: object = None        # ... or low <= value, or value <= high
    high: object = None
    wrong: object = None      # the error that must be noticed, see judging.bite; None: a tenth of what is expected


@dataclass
class Single:
    """A fact about several runs together, or a study: function of all results of the system."""
    text: str
    source: str
    value: object
    expected: object = None
    tolerance: object = None
    low: object = None
    high: object = None
    scheme: str = ""          # whose cell of the overview it counts for
    wrong: object = None


@dataclass
class Convergence:
    """A value that schemes approach as their orders say: three runs, each with half the step of the one before. Judged are the order of the
    differences, and the limit, whose tolerance follows from them (judging.py)."""
    text: str
    source: str
    value: object
    tags: tuple
    orders: dict              # {scheme: order}
    expected: object          # a number, or a function of all results of the system
    digits: float             # what is not known of it
    wrong: object = None


@dataclass
class Curve:
    scheme: str
    x: object                 # a column, or a function of a Result that gives a list
    y: object
    label: str
    tag: str = ""


@dataclass
class Points:
    """A curve over several runs: function of the system's results that gives [(x, y)]."""
    label: str
    points: object


@dataclass
class Figure:
    caption: str
    curves: list
    x: str
    y: str
    options: dict


@dataclass
class Study:
    """zeno converge: a table, a picture, orders."""
    tag: str
    caption: str
    scene: str
    schemes: list
    steps: list
    reference: float
    end: float
    sets: tuple
    settings: tuple
    weight: float


@dataclass
class System:
    name: str
    title: str
    papers: str               # "002: 7.2, Fig. 7.3"
    about: str                # what it shows
    scene: str = ""
    needs: tuple = ()         # of `zeno schemes`: contacts, friction, general, velocity
    laws: tuple = ()          # friction and impact laws that occur
    runs: dict = field(default_factory=dict)      # (tag, scheme) -> Run
    facts: list = field(default_factory=list)
    singles: list = field(default_factory=list)
    limits_of: list = field(default_factory=list)  # Convergence
    columns: list = field(default_factory=list)   # (head, function of a Result) for the table
    figures: list = field(default_factory=list)
    studies: dict = field(default_factory=dict)
    known: list = field(default_factory=list)     # (patterns, tag, reason): runs that may fail
    limits: list = field(default_factory=list)    # (patterns, reason): schemes that are run and shown but not judged here
    notes: list = field(default_factory=list)
    drawing: object = None                        # function of a Result: list of (label, points)
    drawn: tuple = ("", "radau-2a:2")             # (tag, scheme) of the drawing and the animation

    def __post_init__(self):
        self.scene = self.scene or self.name

    def run(self, schemes=None, tag="", scene=None, step=None, end=None, sets=(), settings=(), weight=1):
        """Runs of the same kind for several schemes; the tag "" is the table's."""
        for scheme in ALL if schemes is None else schemes:
            self.runs[tag, scheme] = Run(scene or self.scene, scheme, step, end, tuple(sets), tuple(dict(settings).items()), weight, tag == "")

    def fact(self, text, value, expected, tolerance, source, tag="", schemes="*", wrong=None):
        """`wrong`: by how much a wrong result is off at least. Where zero is expected there is no default."""
        self.facts.append(Fact(text, source, value, tag, schemes, expected=expected, tolerance=tolerance, wrong=wrong))

    def below(self, text, value, high, source, wrong, tag="", schemes="*"):
        """`wrong`: what a result has of which the statement is not true."""
        self.facts.append(Fact(text, source, value, tag, schemes, high=high, wrong=wrong))

    def above(self, text, value, low, source, wrong=0.0, tag="", schemes="*"):
        self.facts.append(Fact(text, source, value, tag, schemes, low=low, wrong=wrong))

    def single(self, text, value, expected=None, tolerance=None, source="", low=None, high=None, scheme="", wrong=None):
        self.singles.append(Single(text, source, value, expected, tolerance, low, high, scheme, wrong))

    def converges(self, text, value, expected, digits, source, orders, step, end=None, scene=None, sets=(), settings=(), prefix="", every=1, weight=1, wrong=None):
        """Runs with step, step/2 and step/4 for the schemes of `orders`; `every` is record_every of the first."""
        tags = tuple(f"{prefix}h = {step / 2**k:g}" for k in range(3))
        for k, tag in enumerate(tags):
            self.run(orders, tag, scene, step / 2**k, end, sets, {**dict(settings), "record_every": every * 2**k}, weight * 2**k)
        self.limits_of.append(Convergence(text, source, value, tags, orders, expected, digits, wrong))

    def column(self, head, value):
        self.columns.append((head, value))

    def figure(self, caption, curves, x, y, **options):
        self.figures.append(Figure(caption, curves, x, y, options))

    def study(self, tag, caption, schemes, steps, reference, end, scene=None, sets=(), settings=(), weight=5):
        self.studies[tag] = Study(tag, caption, scene or self.scene, list(schemes), list(steps), reference, end, tuple(sets),
                                  tuple(dict(settings).items()), weight)

    def orders(self, tag, orders, source):
        """Orders of q and u: {scheme: (order_q, order_u)}; None is not judged."""
        for scheme, pair in orders.items():
            for name, order in zip("qu", pair):
                if order is not None:
                    self.single(f"order of {name}, {scheme}, {self.studies[tag].caption}", Order(tag, scheme, name), order, ORDER_TOLERANCE,
                                source, scheme=scheme, wrong=1)

    def fails(self, schemes, reason, tag=""):
        self.known.append((schemes, tag, reason))

    def limit(self, schemes, reason):
        self.limits.append((schemes, reason))

    def note(self, text):
        self.notes.append(text)


@dataclass(frozen=True)
class Order:
    """The order of a scheme in a study, of q or u, as the value of a Single."""
    tag: str
    scheme: str
    name: str

    def __call__(self, all_results):
        return all_results.study(self.tag).order(self.scheme, self.name)


# ---- facts that many systems share

def penetration(r):
    return r.summary["max_penetration"]


def no_penetration(system, wrong, schemes=None, tag="", bound=1e-9, source="no penetration: 000, 001, 002, 004"):
    """`wrong`: the penetration of schemes whose contacts are on velocity level (from the runs where they are), or the way of a step."""
    system.below("no penetration", penetration, bound, source, wrong, tag, schemes or CLOSED)


def closed_joints(system, wrong, schemes=None, tag="", bound=1e-8):
    """`wrong`: the drift of schemes that do not keep the level."""
    for name, level, factor in (("max_g", "position", 1), ("max_gdot", "velocity", 10)):
        system.below(f"constraints closed on {level} level", lambda r, name=name: r.summary[name], bound * factor, "docs/theory.md", wrong, tag,
                     schemes or CLOSED)


def projection_too(system, schemes, high=1e-6, wrong=1e-3):
    """The iterative projection alone (002: Alg. 2) ends where the semismooth Newton method does. `wrong`: a part of the way of a step."""
    system.run(schemes, tag="projection", settings={"solver": "projection"})
    system.above("solver: projection: steps that it solved", lambda r: r.summary["projection"]["steps"], 1, "002: 6.4", wrong=0.0, tag="projection")
    for scheme in schemes:
        system.single(f"solver: projection gives the same as Newton's method, {scheme}: largest difference of q at the end",
                      lambda all_, scheme=scheme: max(abs(a - b) for a, b in zip(all_(scheme, "projection").summary["q"], all_(scheme).summary["q"])),
                      source="002: 6.4", high=high, wrong=wrong, scheme=scheme)
