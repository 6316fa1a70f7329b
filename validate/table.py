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
    low: object = None        # ... or low <= value <= high
    high: object = None
    unit: str = ""


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

    def fact(self, text, value, expected, tolerance, source, tag="", schemes="*"):
        self.facts.append(Fact(text, source, value, tag, schemes, expected=expected, tolerance=tolerance))

    def between(self, text, value, low, high, source, tag="", schemes="*"):
        self.facts.append(Fact(text, source, value, tag, schemes, low=low, high=high))

    def single(self, text, value, expected=None, tolerance=None, source="", low=None, high=None, scheme=""):
        self.singles.append(Single(text, source, value, expected, tolerance, low, high, scheme))

    def column(self, head, value):
        self.columns.append((head, value))

    def figure(self, caption, curves, x, y, **options):
        self.figures.append(Figure(caption, curves, x, y, options))

    def study(self, tag, caption, schemes, steps, reference, end, scene=None, sets=(), settings=(), weight=5):
        self.studies[tag] = Study(tag, caption, scene or self.scene, list(schemes), list(steps), reference, end, tuple(sets),
                                  tuple(dict(settings).items()), weight)

    def orders(self, tag, orders, source, tolerance=0.3):
        """Fitted orders of q and u: {scheme: (order_q, order_u)}; None is not judged."""
        for scheme, pair in orders.items():
            for name, order in zip(("order_q", "order_u"), pair):
                if order is not None:
                    self.single(f"order of {name[-1]}, {scheme}, {self.studies[tag].caption}", Order(tag, scheme, name), order, tolerance,
                                source, scheme=scheme)

    def fails(self, schemes, reason, tag=""):
        self.known.append((schemes, tag, reason))

    def limit(self, schemes, reason):
        self.limits.append((schemes, reason))

    def note(self, text):
        self.notes.append(text)


@dataclass(frozen=True)
class Order:
    """The fitted order of a scheme in a study, as the value of a Single."""
    tag: str
    scheme: str
    name: str

    def __call__(self, all_results):
        return all_results.study(self.tag).row(self.scheme)[self.name]


# ---- facts that many systems share

def no_penetration(system, schemes=None, tag="", bound=1e-9, source="no penetration: 000, 001, 002, 004"):
    system.between("no penetration", lambda r: r.summary["max_penetration"], None, bound, source, tag, schemes or CLOSED)


def closed_joints(system, schemes=None, tag="", bound=1e-8):
    system.between("constraints closed on position level", lambda r: r.summary["max_g"], None, bound, "methods.md 4, 5, 7", tag,
                   schemes or CLOSED)
    system.between("constraints closed on velocity level", lambda r: r.summary["max_gdot"], None, bound * 10, "methods.md 4, 5, 7", tag,
                   schemes or CLOSED)
