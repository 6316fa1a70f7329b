# SPDX-License-Identifier: Apache-2.0
"""Facts against results: what passed, by how much, and which schemes refuse or fail where."""
import math
from dataclasses import dataclass

from table import chosen, matches


@dataclass
class Verdict:
    """One fact for one scheme."""
    scheme: str
    value: object      # None: there is none
    low: object
    high: object
    passed: bool


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


def judge_value(scheme, value, low, high):
    good = value is not None and not math.isnan(value) and (low is None or value >= low) and (high is None or value <= high)
    return Verdict(scheme, value, low, high, good)


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
        verdicts.append(judge_value(scheme, value, *bounds(fact, scheme)))
    return Judged(fact.text, fact.source, fact.expected, fact.tag, verdicts)


def judge_single(single, results):
    value = value_of(single.value, results)
    return Judged(single.text, single.source, single.expected, "", [judge_value(single.scheme, value, *bounds(single, single.scheme))])


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
    return judged
