# SPDX-License-Identifier: Apache-2.0
"""Figures: curves of results, thinned out, drawn by `zeno plot` and put into the page as SVG."""
import hashlib
import math
import re
import subprocess
from pathlib import Path

DISTANCE = 0.0015   # points closer than this part of the picture are not told apart
MOST_POINTS = 3000


def finite(points):
    return [(x, y) for x, y in points if not (math.isnan(x) or math.isnan(y))]


def thin(points, log_x=False, log_y=False):
    """Points that make a difference in the picture. (NaN, NaN) interrupts a curve and stays."""
    real = finite(points)
    if len(real) < 500:
        return points
    xs, ys = [p[0] for p in real], [p[1] for p in real]
    width, height = (max(xs) - min(xs)) or 1, (max(ys) - min(ys)) or 1
    if log_x or log_y:
        return points[:: max(1, len(points) // MOST_POINTS)]
    kept, last = [], None
    for i, point in enumerate(points):
        if math.isnan(point[0]) or i + 1 == len(points):
            kept.append(point)
            last = None
            continue
        near = last and math.hypot((point[0] - last[0]) / width, (point[1] - last[1]) / height) < DISTANCE
        if not near:
            if last and i and kept[-1] is not points[i - 1] and not math.isnan(points[i - 1][0]):
                kept.append(points[i - 1])  # the corner before a jump
            kept.append(point)
            last = point
    return kept if len(kept) <= 2 * MOST_POINTS else extremes(kept)


def extremes(points):
    """Of each bunch of points the lowest and the highest: dense oscillations stay a band."""
    size, kept = max(1, 2 * len(points) // MOST_POINTS), []
    for i in range(0, len(points), size):
        bunch = finite(points[i: i + size])
        if bunch:
            kept += sorted({bunch[0], min(bunch, key=lambda p: p[1]), max(bunch, key=lambda p: p[1]), bunch[-1]}, key=bunch.index)
    return kept


class Artist:
    def __init__(self, zeno, work):
        self.zeno, self.folder, self.count = str(zeno), Path(work) / "figures", 0
        self.folder.mkdir(parents=True, exist_ok=True)

    def _table(self, points):
        text = "x,y\n" + "".join(f"{x:.7g},{y:.7g}\n" for x, y in points)
        place = self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.csv"
        if not place.exists():
            place.write_text(text)
        return place

    def draw(self, curves, x, y, log="", equal=False, style="lines", x_range=None, y_range=None, size=(560, 400), key="below"):
        """curves: [(label, points)]. The SVG's text."""
        tables = [self._table(thin(points, "x" in log, "y" in log)) for _, points in curves]
        arguments = [*map(str, tables), "--x", "x", "--y", "y", "--x-label", x, "--y-label", y, "--title", "", "--style", style,
                     "--size", f"{size[0]},{size[1]}", "--key", key]
        for label, _ in curves:
            arguments += ["--label", label]
        for name, value in (("--log", log), ("--x-range", x_range), ("--y-range", y_range)):
            arguments += [name, value if isinstance(value, str) else f"{value[0]}:{value[1]}"] if value else []
        arguments += ["--equal"] if equal else []
        place = self.folder / f"{hashlib.sha256(' '.join(arguments).encode()).hexdigest()[:24]}.svg"
        if not place.exists():
            done = subprocess.run([self.zeno, "plot", *arguments, "--out", str(place)], capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(f"zeno plot: {done.stderr.strip()}")
        return self.inline(place)

    def inline(self, path):
        """An SVG for the middle of a page: names of its own, fonts that every reader has."""
        self.count += 1
        text = Path(path).read_text()
        text = text[text.index("<svg"):]
        text = re.sub(r"<desc>.*?</desc>|<title>.*?</title>", "", text, flags=re.DOTALL)
        text = re.sub(r"\b(id=[\"'])", rf"\g<1>f{self.count}-", text)
        text = re.sub(r"(href=[\"']#|url\(#)", rf"\g<1>f{self.count}-", text)
        text = text.replace('font-family="DejaVu Sans"', 'font-family="DejaVu Sans, Verdana, sans-serif"')
        return re.sub(r"\n\s*", "\n", text)

    def figure(self, figure, results):
        curves = []
        for curve in figure.curves:
            if hasattr(curve, "points"):
                curves.append((curve.label, curve.points(results)))
                continue
            result = results(curve.scheme, curve.tag)
            if result.path.exists():
                curves.append((curve.label, list(zip(result.column(curve.x), result.column(curve.y)))))
        return self.draw(curves, figure.x, figure.y, **figure.options)

    def picture(self, system, results):
        """The system's static drawing, in x and y with equal scales."""
        tag, scheme = system.drawn
        return self.draw(system.drawing(results(scheme, tag)), "x", "y", equal=True, size=(560, 420))


# ---- shapes for drawings: lists of points

GAP = (math.nan, math.nan)


def circle(x, y, radius, angle=None, n=40):
    points = [(x + radius * math.cos(2 * math.pi * i / n), y + radius * math.sin(2 * math.pi * i / n)) for i in range(n + 1)]
    if angle is not None:  # a spoke shows how it is turned
        points += [GAP, (x, y), (x + radius * math.cos(angle), y + radius * math.sin(angle))]
    return points + [GAP]


def polygon(x, y, angle, corners):
    c, s = math.cos(angle), math.sin(angle)
    return [(x + c * a - s * b, y + s * a + c * b) for a, b in [*corners, corners[0]]] + [GAP]


def line(*points):
    return [*points, GAP]


def snapshots(result, times, shape):
    """The points of `shape(row)` at several times; row(name) is a column's value there."""
    points = []
    for t in times:
        i = result.index(t)
        points += shape(lambda name: result.column(name)[i])
    return points
