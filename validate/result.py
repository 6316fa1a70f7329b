# SPDX-License-Identifier: Apache-2.0
"""Results of runs as columns, with the questions that facts ask. Standard library only."""
import json
import math

ROUND_OFF = 5e-12  # errors of a study below this are not used for its order


class Result:
    """A run that reached its end (status "ok"), failed on the way ("failed"), or was refused by the scheme ("refused")."""

    def __init__(self, run, status, summary, message, path, command):
        self.run, self.status, self.summary, self.message, self.path, self.command = run, status, summary, message, path, command
        self._columns = {}
        self._names = None

    def _head(self):
        with open(self.path) as file:
            self._names = file.readline().strip().split(",")

    @property
    def names(self):
        if self._names is None:
            self._head()
        return self._names

    def column(self, name):
        """The values of a column; loaded once."""
        if callable(name):
            return name(self)
        if name not in self._columns:
            place = self.names.index(name)
            with open(self.path) as file:
                file.readline()
                self._columns[name] = [float(line.split(",", place + 1)[place]) for line in file]
        return self._columns[name]

    __getitem__ = column

    @property
    def t(self):
        return self.column("t")

    @property
    def step(self):
        return self.summary["step"]

    def forget(self):
        self._columns = {}

    # ---- questions

    def last(self, name):
        return self.column(name)[-1]

    def index(self, t):
        """The row nearest to a time."""
        times = self.t
        low, high = 0, len(times) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if times[middle] <= t else (low, middle)
        return low if abs(times[low] - t) <= abs(times[high] - t) else high

    def at(self, name, t):
        """Linear between rows."""
        values, times, i = self.column(name), self.t, self.index(t)
        j = i + 1 if t > times[i] and i + 1 < len(times) else max(i - 1, 0)
        if times[i] == times[j]:
            return values[i]
        return values[i] + (values[j] - values[i]) * (t - times[i]) / (times[j] - times[i])

    def on_grid(self, name, t):
        return self.column(name)[self.index(t)]

    def first(self, name, condition, after=-1.0):
        """The first time after `after` at which a condition on a column holds; None when never."""
        for t, value in zip(self.t, self.column(name)):
            if t > after and condition(value):
                return t
        return None

    def crossing(self, name, level=0.0, after=-1.0, rising=None):
        """The first time at which a column passes a level, interpolated; rising True, False or None for both."""
        times, values = self.t, self.column(name)
        for i in range(1, len(times)):
            a, b = values[i - 1] - level, values[i] - level
            if times[i] <= after or (a < 0) == (b < 0) or a == b:
                continue
            if rising is None or rising == (b > a):
                return times[i - 1] + (times[i] - times[i - 1]) * a / (a - b)
        return None

    def last_time(self, name, condition):
        found = None
        for t, value in zip(self.t, self.column(name)):
            if condition(value):
                found = t
        return found

    def within(self, name, begin, end):
        return [value for t, value in zip(self.t, self.column(name)) if begin <= t <= end]

    def largest(self, name, begin=-1.0, end=1e300):
        return max((abs(value) for value in self.within(name, begin, end)), default=None)

    def impacts(self, name, level):
        """Times of rows with a percussion above a level whose predecessor is below it."""
        values = self.column(name)
        return [t for i, t in enumerate(self.t) if i and values[i] > level and not values[i - 1] > level]


class StudyResult:
    """What zeno converge --summary printed."""

    def __init__(self, study, status, text, message, picture, command):
        self.study, self.status, self.message, self.picture, self.command = study, status, message, picture, command
        self.data = json.loads(text) if text else {"schemes": []}
        self.schemes = {f"{row['scheme']}:{row['stages']}": row for row in self.data["schemes"]}

    def row(self, scheme):
        if scheme in self.schemes:
            return self.schemes[scheme]
        for row in self.data["schemes"]:
            if row["scheme"] == scheme:
                return row
        raise KeyError(f"the study has no {scheme}")

    def order(self, scheme, name):
        """From the two finest steps whose errors are above round-off. The study's errors are differences to the scheme itself with the step h0,
        e(h) = C (h^p - h0^p): the order is the p that fits both."""
        row, h0 = self.row(scheme), self.data["reference"]
        points = [(h, e) for h, e in sorted(zip(row["steps"], row[f"error_{name}"])) if e is not None and e > ROUND_OFF]
        (h1, e1), (h2, e2) = points[:2]
        return solve(lambda p: math.log((h2**p - h0**p) / (h1**p - h0**p)) - math.log(e2 / e1), 1e-3, 16.0)


def solve(function, low, high):
    """The zero of an increasing function, by halving; None outside the interval."""
    if function(low) > 0 or function(high) < 0:
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2
