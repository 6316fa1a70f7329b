# SPDX-License-Identifier: Apache-2.0
"""Facts against results: what passed, by how much, and which schemes refuse or fail where.

A fact that can not fail proves nothing. Each states the least error of a wrong result, `wrong`, and its tolerance may use up half of that:
    |value - expected| <= tolerance        bite = tolerance/wrong,   wrong: the least error; a tenth of |expected| if not said otherwise
    value <= high,  value >= low           bite = high/wrong, wrong/low,   wrong: a value of which the statement is not true
A verdict with a bite above 1/2 does not pass, whatever the value.

Limits. Runs with h, h/2, h/4 give v_0, v_1, v_2 with v(h) = v + C h^p + D h^(p+1) + ..., p the scheme's order. Then
    log2(|v_0 - v_1|/|v_1 - v_2|) -> p,    r_k = v_k + (v_k - v_(k-1))/(2^p - 1) = v + O(h^(p+1))
and |r_2 - r_1|/(2^(p+1) - 1) is the error of r_2 to leading order. r_2 is judged with three times this and the unknown digits of v."""
import math
from dataclasses import dataclass

from table import ORDER_TOLERANCE, chosen, matches

LARGEST_BITE = 0.5
PART = 0.1    # of what is expected: an error that must be noticed if nothing else is said
SAFETY = 3    # on the estimated error of a limit


@dataclass
class Verdict:
    """One fact for one scheme."""
    scheme: str
    value: object      # None: there is none
    low: object
    high: object
    passed: bool
    bite: float = 0.0  # tolerance over the error that must be noticed


@dataclass
class Judged:
    text: str
    source: str
    expected: object
    tag: str
    verdicts: list

    @property
    def passed(self):
        return bool(self.verdicts) and all(verdict.passed for verdict in self.verdicts)


def bounds(entry, scheme):
    """The interval in which a value must lie."""
    expected, tolerance = chosen(entry.expected, scheme), chosen(entry.tolerance, scheme)
    if expected is None:
        return chosen(entry.low, scheme), chosen(entry.high, scheme)
    return expected - tolerance, expected + tolerance


def bite(entry, scheme, tolerance, results):
    """Tolerance over the error that must be noticed; infinite where the fact can not fail."""
    wrong = chosen(entry.wrong, scheme)
    if callable(wrong):
        wrong = value_of(wrong, results)
    expected = chosen(entry.expected, scheme)
    if expected is not None:
        wrong = PART * abs(expected) if wrong is None else wrong
        return tolerance / wrong if wrong else math.inf
    low, high = chosen(entry.low, scheme), chosen(entry.high, scheme)
    if wrong is None or (low is None) == (high is None):
        return math.inf
    if high is not None:
        return max(high, 0.0) / wrong if wrong > high else math.inf
    return max(wrong, 0.0) / low if wrong < low else math.inf


def judge_value(scheme, value, low, high, part=0.0):
    good = value is not None and not math.isnan(value) and (low is None or value >= low) and (high is None or value <= high)
    return Verdict(scheme, value, low, high, good and part <= LARGEST_BITE, part)


def value_of(function, argument):
    """None where a result does not have what is asked for: then the fact fails, and the page says that there is no value."""
    try:
        return function(argument)
    except (IndexError, KeyError, TypeError, ValueError, ZeroDivisionError, FileNotFoundError):
        return None


def judge_fact(fact, results):
    verdicts = []
    for (tag, scheme), result in results.runs.items():
        if tag != fact.tag or not matches(scheme, fact.schemes) or result.status == "refused":
            continue
        if limited(results.system, scheme) or result.status == "failed" and excuse(results.system, tag, scheme):
            continue
        value = value_of(fact.value, result) if result.status == "ok" else None
        verdicts.append(judge_value(scheme, value, *bounds(fact, scheme), bite(fact, scheme, chosen(fact.tolerance, scheme), results)))
    return Judged(fact.text, fact.source, fact.expected, fact.tag, verdicts)


def judge_single(single, results):
    value, part = value_of(single.value, results), bite(single, single.scheme, single.tolerance, results)
    return Judged(single.text, single.source, single.expected, "", [judge_value(single.scheme, value, *bounds(single, single.scheme), part)])


def extrapolated(values, order):
    """(order of the differences, limit, its error), or None."""
    v0, v1, v2 = values
    if v0 == v1 or v1 == v2:
        return None
    factor = 2**order - 1
    r1, r2 = v1 + (v1 - v0) / factor, v2 + (v2 - v1) / factor
    return math.log2(abs((v0 - v1) / (v1 - v2))), r2, abs(r2 - r1) / (2 ** (order + 1) - 1)


def judge_limit(limit, results):
    """Two facts: the order, and the value for h -> 0."""
    orders, values = [], []
    expected = value_of(limit.expected, results) if callable(limit.expected) else limit.expected
    for scheme, order in limit.orders.items():
        runs = [results.runs[tag, scheme] for tag in limit.tags if (tag, scheme) in results.runs]
        if not runs or any(run.status == "refused" for run in runs):
            continue
        three = [value_of(limit.value, run) if run.status == "ok" else None for run in runs]
        found = None if None in three or expected is None else extrapolated(three, order)
        measured, value, error = found or (None, None, 0.0)
        tolerance = limit.digits + SAFETY * error
        part = tolerance / (limit.wrong or PART * abs(expected or 0.0) or tolerance)
        orders.append(judge_value(scheme, measured, order - ORDER_TOLERANCE, order + ORDER_TOLERANCE, ORDER_TOLERANCE))
        values.append(judge_value(scheme, value, (expected or 0.0) - tolerance, (expected or 0.0) + tolerance, part))
    about = f"{limit.tags[0]} and halves"
    return [Judged(f"order of {limit.text}, {about}", "docs/theory.md", None, limit.tags[0], orders),
            Judged(f"{limit.text} for h → 0, from {about}", limit.source, expected, limit.tags[0], values)]


def excuse(system, tag, scheme):
    """Why a run may fail; None when it must not."""
    for patterns, of_tag, reason in system.known:
        if of_tag == tag and matches(scheme, patterns):
            return reason
    return None


def limited(system, scheme):
    """Why the results of a scheme are not judged in this system; None as a rule."""
    return next((reason for patterns, reason in system.limits if matches(scheme, patterns)), None)


def judge_status(results, features):
    """Runs reach their end, unless `zeno schemes` says that the scheme does not support the system, or a reason is known."""
    system, verdicts = results.system, []
    for (tag, scheme), result in results.runs.items():
        supported = all(features[scheme.split(":")[0]][need] for need in system.needs)
        refused, failed = result.status == "refused", result.status == "failed"
        good = refused != supported and (not failed or excuse(system, tag, scheme) is not None)
        verdicts.append(Verdict(scheme, 1.0 if good else 0.0, 1.0, None, good))
    text = "every run ends, or the scheme says why not (as in `zeno schemes`)"
    return Judged(text, "", None, "", verdicts)


def judge(results, features):
    """All facts of a system, in the order of its file."""
    system = results.system
    judged = [judge_status(results, features)] if system.runs else []
    judged += [judge_fact(fact, results) for fact in system.facts]
    judged += [judge_single(single, results) for single in system.singles]
    return judged + [fact for limit in system.limits_of for fact in judge_limit(limit, results)]
