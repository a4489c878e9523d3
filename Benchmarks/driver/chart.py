"""The bar chart: the ratio to libdispatch of each row's time and processor time, on a logarithmic scale, as SVG."""

import math

import svg
import words

PLOT, LEFT, RIGHT, ROW, BOTTOM = 502, 262, 196, 30, 66
LETTER = 6.4  # the width of one at size 12, rather too much
HEADER = 64  # title and explanation; the legend follows, a line for each entry
ENTRY = 18


class Scale:
    """Ratios to pixels. The ends are powers of ten that hold all ratios of `shown`, but at most a thousandth and a
    thousandfold; what lies beyond is drawn at the end."""

    def __init__(self, shown, left):
        self.left, self.width = left, left + PLOT + RIGHT
        powers = [min(3.0, max(-3.0, math.log10(ratio))) for ratio in shown]
        self.low, self.high = min(-1, math.floor(min(powers))), max(1, math.ceil(max(powers)))

    def x(self, ratio):
        part = (min(self.high, max(self.low, math.log10(ratio))) - self.low) / (self.high - self.low)
        return self.left + part * PLOT


def ratios(rows, results, contenders, base, title, facts):
    """`contenders`: ours first. Rows without a ratio of ours are left out. None if there is none left."""
    ours, others = contenders[0], [each for each in contenders[1:] if each.name != base]
    base_title = next(each.title for each in contenders if each.name == base)
    shown = [row for row in rows if not row.absolute and results.ratio(row.scenario, ours.name, row.metric, base)]
    if not shown:
        return None
    left = max(LEFT, 22 + LETTER * max(len(row.title) for row in shown))  # no title loses its beginning
    scale = Scale(list(_all_ratios(shown, results, contenders, base)), left)
    top = HEADER + ENTRY * (4 + len(others)) + 30
    bottom = top + ROW * len(shown)
    out = [svg.text(16, 28, title, size=16, weight="bold"),
           svg.text(16, 48, f"Figures divided by {base}'s, on a logarithmic scale: what ends left of 1 is faster, right of it slower.",
                    colour=svg.PALE)]
    out += _legend(ours, others, f"{base}: {base_title}")
    seen, drawn = set(), []
    for number, row in enumerate(shown):
        if number % 2:
            out.append(svg.box(8, top + ROW * number, scale.width - 16, ROW, svg.GRID, 0.35))
        cpu = None if row.scenario in seen else results.ratio(row.scenario, ours.name, "cpu", base)
        seen.add(row.scenario)
        drawn += _row(row, results, ours, others, base, cpu, scale, top + ROW * (number + 0.5))
    out += _grid(scale, base, top, bottom) + drawn
    out.append(svg.text(16, bottom + BOTTOM - 14, facts, size=11, colour=svg.PALE))
    return svg.document(scale.width, bottom + BOTTOM, title, out)


def _all_ratios(rows, results, contenders, base):
    yield 1.0
    for row in rows:
        if row.limits[""][0]:
            yield row.limits[""][0]
        for contender in contenders:
            for metric in (row.metric, "cpu") if contender is contenders[0] else (row.metric,):
                ratio = results.ratio(row.scenario, contender.name, metric, base)
                if ratio:
                    yield ratio


def _legend(ours, others, of_base):
    colour = svg.STYLES["ours"][0]
    out, y = [], HEADER + 10
    out += [svg.box(16, y - 10, 30, 11, colour), svg.text(58, y, "this library, time per task")]
    y += ENTRY
    out += [svg.box(16, y - 7, 30, 5, colour, 0.45), svg.text(58, y, "this library, processor time per task, all threads")]
    y += ENTRY
    out += [svg.target(31, y - 12, y + 3), svg.text(58, y, "the bar: the highest ratio that this project accepts for the row")]
    y += ENTRY
    out += [svg.line(31, y - 12, 31, y + 3, svg.INK, 1.5), svg.text(58, y, of_base)]
    for contender in others:
        y += ENTRY
        out += [svg.mark(svg.STYLES[contender.name], 31, y - 4), svg.text(58, y, f"{contender.name}, time: {contender.title}")]
    return out


def _grid(scale, base, top, bottom):
    out = []
    for power in range(scale.low, scale.high + 1):
        x = scale.x(10.0 ** power)
        out.append(svg.line(x, top - 6, x, bottom + 4, svg.INK if power == 0 else svg.GRID, 1.5 if power == 0 else 1))
        label = "1" if power == 0 else f"{10.0 ** power:g}"
        for y in (top - 12, bottom + 18):
            out.append(svg.text(x, y, label, "middle", 11, svg.INK if power == 0 else svg.PALE, "bold" if power == 0 else "normal"))
    axis = f"ratio to {base} (1 = {base}), logarithmic scale"
    out.append(svg.text(scale.left + PLOT / 2, bottom + 36, axis, "middle", 11, svg.PALE))
    out.append(svg.text(scale.left + PLOT + 22, top - 12, "time (ratio) · CPU ratio", size=11, colour=svg.PALE))
    return out


def _bar(scale, ratio, y, height, opacity):
    low, high = sorted((scale.x(1.0), scale.x(ratio)))
    return svg.box(low, y, max(1.5, high - low), height, svg.STYLES["ours"][0], opacity)


def _row(row, results, ours, others, base, cpu, scale, y):
    own = results.ratio(row.scenario, ours.name, row.metric, base)
    figure = words.figure(results.median(row.scenario, ours.name, row.metric), row.unit)
    bar = row.limits[""][0]
    missed = bar is not None and own > bar
    out = [svg.text(scale.left - 14, y + 4, row.title, "end"), _bar(scale, own, y - 9, 11, 1.0)]
    if cpu:
        out.append(_bar(scale, cpu, y + 4, 5, 0.45))
    if bar:
        out.append(svg.target(scale.x(bar), y - 13, y + 12))
    for number, contender in enumerate(others):
        ratio = results.ratio(row.scenario, contender.name, row.metric, base)
        if ratio:  # marks that lie on one another stay visible
            style = svg.STYLES[contender.name]
            aside = 0 if style[1] == "dash" else 2.5 * (number - (len(others) - 1) / 2)
            out.append(svg.mark(style, scale.x(ratio), y - 3.5 + aside))
    summary = f"{figure} ({words.ratio(own)})" + (f" · {words.ratio(cpu)}" if cpu else "")
    out.append(svg.text(scale.left + PLOT + 22, y + 4, summary, colour=svg.BAR if missed else svg.INK))
    return out
