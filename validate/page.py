# SPDX-License-Identifier: Apache-2.0
"""The page: an overview of systems and schemes, then each system with drawing, figures, table, facts and reasons."""
import html
import math
from pathlib import Path

from judging import excuse, limited
from table import ALL

HERE = Path(__file__).parent


def esc(text):
    return html.escape(str(text))


def number(value, digits=6):
    if value is None:
        return "–"
    if isinstance(value, (int, float)) and math.isnan(value):
        return "none"
    if value == 0:
        return "0"
    text = f"{value:.{digits}g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", "−")


def mark(passed):
    return '<span class="yes">✓ pass</span>' if passed else '<span class="no">✗ fail</span>'


# ---- overview

def cell(system, results, judged, scheme):
    """(class, symbol, explanation) of one system and one scheme."""
    verdicts = [(fact, verdict) for fact in judged for verdict in fact.verdicts if verdict.scheme == scheme]
    runs = {tag: result for (tag, name), result in results.runs.items() if name == scheme}
    wrong = [fact.text for fact, verdict in verdicts if not verdict.passed]
    if wrong:
        return "no", "✗", "fails: " + "; ".join(wrong[:4])
    known = [excuse(system, tag, scheme) for tag, result in runs.items() if result.status == "failed"]
    if limited(system, scheme):
        known.append(limited(system, scheme))
    if known:
        return "known", "!", known[0]
    if runs and all(result.status == "refused" for result in runs.values()):
        return "refused", "–", next(iter(runs.values())).message.split(";")[0]
    if not runs and not verdicts:
        return "none", "", "not run"
    count = sum(1 for fact, _ in verdicts if fact.source)
    return "yes", "✓", f"{count} facts hold"


def overview(items):
    heads = "".join(f'<th class="up"><span>{esc(scheme)}</span></th>' for scheme in ALL)
    rows = []
    for system, results, judged, _ in items:
        cells = []
        for scheme in ALL:
            kind, symbol, title = cell(system, results, judged, scheme)
            cells.append(f'<td class="{kind}" title="{esc(scheme)}: {esc(title)}">{symbol}</td>')
        passed = all(fact.passed for fact in judged)
        rows.append(f'<tr><th scope="row"><a href="#{system.name}">{esc(system.name)}</a></th>'
                    f'<td class="{"yes" if passed else "no"}">{"✓" if passed else "✗"}</td>{"".join(cells)}</tr>')
    return ('<div class="wide"><table class="overview"><thead><tr><th>system</th><th class="up"><span>all facts</span></th>'
            f'{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
            '<p class="legend"><span class="yes">✓</span> every fact holds · <span class="no">✗</span> a fact or a run fails · '
            '<span class="known">!</span> does not get through, for a known reason · <span class="refused">–</span> the scheme refuses '
            'the system and says why · empty: not run</p>')


# ---- comparison of schemes

def quiet(function, *arguments):
    try:
        return function(*arguments)
    except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError, OSError):
        return None


def microseconds(results, scheme):
    summary = results.runs["", scheme].summary
    return 1e6 * summary["wall_seconds"] / summary["steps"]


def comparison(items):
    """One row for each scheme from the tables below: orders, errors, what it keeps, cost. Empty without the systems that it needs."""
    found = {system.name: results for system, results, _, _ in items}
    if not {"slope", "cartesian-pendulum", "rotating-ball", "slider-crank", "tippedisk", "ball-in-cylinder"} <= set(found):
        return ""
    heads = ["scheme", "systems: run, refused", "order q, u: pendulum", "order q, u: slope", "error of x, slope, h = 1.6e-3", "penetration, cylinder, h = 2e-2",
             "drift g, ġ, pendulum", "µs per step: rotating-ball", "slider-crank", "tippedisk"]
    def orders(name, tags, scheme):
        for tag in tags:
            study = found[name].studies[tag]
            if quiet(study.row, scheme):
                return ", ".join(number(quiet(study.order, scheme, name), 2) for name in "qu")
        return "–"
    rows = []
    for scheme in ALL:
        statuses = [result.status for results in found.values() for (tag, name), result in results.runs.items() if name == scheme and tag == ""]
        pendulum = found["cartesian-pendulum"].runs["", scheme].summary
        cells = [f'{statuses.count("ok")}, {statuses.count("refused")}', orders("cartesian-pendulum", ["orders", "alpha"], scheme), orders("slope", ["orders"], scheme),
                 number(quiet(lambda: abs(found["slope"](scheme).on_grid("x", 0.8192) - 1.09289185303)), 2),
                 number(quiet(lambda: found["ball-in-cylinder"](scheme).summary["max_penetration"]), 2),
                 f'{number(pendulum.get("max_g"), 2)}, {number(pendulum.get("max_gdot"), 2)}']
        cells += [number(quiet(microseconds, found[name], scheme), 2) for name in ("rotating-ball", "slider-crank", "tippedisk")]
        rows.append(f'<tr><th scope="row">{esc(scheme)}</th>' + "".join(f"<td>{text}</td>" for text in cells) + "</tr>")
    head = "".join(f"<th>{esc(text)}</th>" for text in heads)
    return (f'<h2 id="comparison">Comparison of schemes</h2><p>From the tables below; docs/validation.md draws the conclusions.</p><div class="wide"><table><thead><tr>{head}</tr>'
            f'</thead><tbody>{"".join(rows)}</tbody></table></div>')


# ---- one system

def scheme_table(system, results):
    rows = [(scheme, result) for (tag, scheme), result in results.runs.items() if tag == ""]
    done = [result for _, result in rows if result.status == "ok"]
    if not rows:
        return ""
    def any_of(name):
        return any(result.summary[name] for result in done)
    summary = [("penetration", "max_penetration"), ("drift g", "max_g"), ("drift ġ", "max_gdot"), ("drift γ", "max_gamma")]
    summary = [(head, name) for head, name in summary if any_of(name)]
    heads = ["scheme", *[head for head, _ in system.columns], *[head for head, _ in summary], "energy change", "Newton mean / max", "µs per step"]
    lines = []
    for scheme, result in rows:
        if result.status != "ok":
            reason = excuse(system, "", scheme) if result.status == "failed" else None
            text = f"{result.message}" + (f" ({reason})" if reason else "")
            lines.append(f'<tr><th scope="row">{esc(scheme)}</th><td class="reason" colspan="{len(heads) - 1}">{result.status}: {esc(text)}</td></tr>')
            continue
        s = result.summary
        cells = [number(value_or_none(function, result), 6) for _, function in system.columns]
        cells += [number(s[name], 2) for _, name in summary]
        cells.append(number(s["energy_end"] - s["energy_start"], 4))
        cells.append(f'{number(s["newton"]["mean"], 3)} / {s["newton"]["max"]}')
        cells.append(number(1e6 * s["wall_seconds"] / max(1, s["steps"]), 3))
        lines.append(f'<tr><th scope="row">{esc(scheme)}</th>' + "".join(f"<td>{text}</td>" for text in cells) + "</tr>")
    head = "".join(f"<th>{esc(text)}</th>" for text in heads)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def value_or_none(function, result):
    try:
        return function(result)
    except (IndexError, KeyError, TypeError, ValueError, ZeroDivisionError):
        return None


def interval(verdict):
    low, high = verdict.low, verdict.high
    if low is not None and high is not None:
        middle = (low + high) / 2
        if low == high:
            return f"= {number(low)}"
        return f"{number(middle, 9)} ± {number((high - low) / 2, 2)}"
    return f"≤ {number(high)}" if high is not None else f"≥ {number(low)}"


def deviation(verdict):
    if verdict.value is None:
        return math.inf
    low, high = verdict.low, verdict.high
    if low is not None and high is not None:
        return abs(verdict.value - (low + high) / 2) / ((high - low) / 2 or 1e-300)
    return verdict.value / high if high else -verdict.value if high is None else verdict.value


def fact_row(fact):
    if not fact.verdicts:
        return f'<tr><td>{esc(fact.text)}</td><td>{esc(fact.source)}</td><td colspan="4">no run</td><td>{mark(False)}</td></tr>'
    worst = max(fact.verdicts, key=deviation)
    scheme = f'{esc(worst.scheme)}' if worst.scheme else ""
    if len(fact.verdicts) > 1:
        entries = "".join(f'<tr><td>{esc(v.scheme)}</td><td>{number(v.value, 9)}</td><td>{interval(v)}</td><td class="{"yes" if v.passed else "no"}">'
                          f'{"✓" if v.passed else "✗"}</td></tr>' for v in fact.verdicts)
        scheme = (f'<details><summary>{len(fact.verdicts)} schemes, worst {scheme}</summary><table>{entries}</table></details>')
    return (f'<tr><td>{esc(fact.text)}</td><td class="source">{esc(fact.source)}</td><td>{interval(worst)}</td>'
            f'<td>{number(worst.value, 9)}</td><td>{number(max(v.bite for v in fact.verdicts), 1)}</td><td>{scheme}</td><td>{mark(fact.passed)}</td></tr>')


def status_row(fact):
    wrong = sorted({verdict.scheme for verdict in fact.verdicts if not verdict.passed})
    text = f"{len(fact.verdicts)} runs" + (f"; not: {', '.join(wrong)}" if wrong else "")
    return f'<tr><td>{esc(fact.text)}</td><td class="source"></td><td></td><td></td><td></td><td>{esc(text)}</td><td>{mark(fact.passed)}</td></tr>'


def facts_table(judged):
    rows = "".join(status_row(fact) if not fact.source else fact_row(fact) for fact in judged)
    return ('<div class="wide"><table class="facts"><thead><tr><th>fact</th><th>source</th><th>must be</th><th>is</th><th>bite</th><th>for</th><th></th></tr>'
            f'</thead><tbody>{rows}</tbody></table></div>')


def study_block(study, svg):
    rows = []
    for row in study.data["schemes"]:
        scheme = f'{row["scheme"]}:{row["stages"]}'
        orders = "".join(f"<td>{number(quiet(study.order, scheme, name), 3)}</td>" for name in "qu")
        rows.append(f'<tr><th scope="row">{esc(row["scheme"])}, {row["stages"]}</th>{orders}'
                    f'<td>{number(min((e for e in row["error_q"] if e is not None), default=None), 2)}</td>'
                    f'<td>{number(max((e for e in row["error_q"] if e is not None), default=None), 2)}</td></tr>')
    table = ('<div class="wide"><table><thead><tr><th>scheme, stages</th><th>order of q</th><th>order of u</th><th>least error of q</th>'
             f'<th>largest</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>')
    return (f'<figure class="study"><div class="picture wide">{svg}</div><figcaption>{esc(study.study.caption)}</figcaption></figure>'
            f'<details><summary>orders as a table</summary>{table}<pre>{esc(study.command)}</pre></details>')


def system_section(system, results, judged, pictures):
    passed = sum(fact.passed for fact in judged)
    parts = [f'<section id="{system.name}"><h2>{esc(system.title)} <span class="count {"yes" if passed == len(judged) else "no"}">'
             f'{passed} of {len(judged)} facts</span></h2>',
             f'<p class="papers">{esc(system.papers)} · <code>scenes/{esc(system.scene)}.yaml</code></p><p>{esc(system.about)}</p>']
    parts.append('<div class="figures">')
    if pictures.animation:
        parts.append(pictures.animation)
    if pictures.drawing:
        parts.append(f'<figure><div class="picture">{pictures.drawing}</div><figcaption>The system at several times '
                     f'({esc(system.drawn[1])})</figcaption></figure>')
    for figure, svg in zip(system.figures, pictures.figures):
        parts.append(f'<figure><div class="picture">{svg}</div><figcaption>{esc(figure.caption)}</figcaption></figure>')
    parts.append("</div>")
    for tag in system.studies:
        parts.append(study_block(results.studies[tag], pictures.studies[tag]))
    parts.append(f"<h3>Facts</h3>{facts_table(judged)}")
    table = scheme_table(system, results)
    if table:
        parts.append(f"<h3>Scheme by scheme</h3>{table}")
    for patterns, reason in system.limits:
        parts.append(f'<p class="note">Not judged: {esc(", ".join(patterns))}. {esc(reason)}</p>')
    for note in system.notes:
        parts.append(f'<p class="note">{esc(note)}</p>')
    commands = sorted({result.command for result in results.runs.values()})
    parts.append(f'<details><summary>{len(commands)} commands</summary><pre>{esc(chr(10).join(commands))}</pre></details></section>')
    return "".join(parts)


def page(items, about):
    """items: [(System, SystemResults, judged facts, pictures)]; about: text of the head of the page."""
    facts = [fact for _, _, judged, _ in items for fact in judged]
    passed = sum(fact.passed for fact in facts)
    good = passed == len(facts)
    checks = sum(len(fact.verdicts) for fact in facts)
    links = " · ".join(f'<a href="#{system.name}">{esc(system.name)}</a>' for system, _, _, _ in items)
    body = "".join(system_section(*item) for item in items)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Zeno: validation</title><style>{(HERE / "page.css").read_text()}</style></head><body>
<header><h1>Zeno: validation</h1>
<p class="verdict {"yes" if good else "no"}">{"✓" if good else "✗"} {passed} of {len(facts)} facts hold ({checks} checks of single schemes)</p>
<p>{esc(about.text)}</p></header>
<h2 id="overview">Overview</h2>{overview(items)}
<nav>{links}</nav>
{comparison(items)}
{body}
{about.peers}
<footer><p>{esc(about.footer)}</p></footer>
{about.tail}</body></html>
"""
