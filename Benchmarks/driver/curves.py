"""The growth charts: small panels of lines, nanoseconds per task on a logarithmic scale."""

import math

import svg
import words

WIDTH, PANEL_WIDTH, PANEL_HEIGHT, GAP, TOP = 860, 330, 190, 100, 112
DASHES = {"": "", "submit": "", "drain": ' stroke-dasharray="5 4"'}


def draw(panels, label, facts):
    """`panels`: (panel, series) as growth.py makes them; `label(panel, value)` is the text below a value."""
    down = (len(panels) + 1) // 2
    height = TOP + down * (PANEL_HEIGHT + GAP) - 10
    contenders = list(dict.fromkeys(name for _, series in panels for name, _, _ in series))
    title = "How the cost of a task grows"
    out = [svg.text(16, 28, title, size=16, weight="bold"),
           svg.text(16, 48, "Time per task, on a logarithmic scale: lower is faster.", colour=svg.PALE)]
    x = 16.0
    for name in contenders:
        out += [svg.line(x, 66, x + 26, 66, svg.STYLES[name][0], 2.2),
                svg.text(x + 34, 70, "this library" if name == "ours" else name)]
        x += 140
    for number, (panel, series) in enumerate(panels):
        left = 66 + (number % 2) * (PANEL_WIDTH + GAP)
        top = TOP + (number // 2) * (PANEL_HEIGHT + GAP)
        out += _panel(panel, series, label, left, top)
    out.append(svg.text(16, height - 12, facts, size=11, colour=svg.PALE))
    return svg.document(WIDTH, height, title, out)


def _panel(panel, series, label, left, top):
    shown = [max(value, 0.5) for _, _, values in series for value in values if value is not None]
    if not shown:
        return []
    low, high = math.floor(math.log10(min(shown))), math.ceil(math.log10(max(shown)))
    high = max(high, low + 2)  # what is flat is to look flat
    bottom = top + PANEL_HEIGHT

    def across(index):
        return left + 14 + index * (PANEL_WIDTH - 28) / max(1, len(panel.values) - 1)

    def up(value):
        return bottom - (math.log10(max(value, 10.0 ** low)) - low) / (high - low) * PANEL_HEIGHT

    out = [svg.text(left - 50, top - 14, panel.title)]
    for power in range(low, high + 1):
        y = up(10.0 ** power)
        out += [svg.line(left, y, left + PANEL_WIDTH, y),
                svg.text(left - 8, y + 4, words.power_of_ten(power), "end", 11, svg.PALE)]
    for index, value in enumerate(panel.values):
        out.append(svg.text(across(index), bottom + 18, label(panel, value), "middle", 11, svg.PALE))
    out.append(svg.text(left + PANEL_WIDTH / 2, bottom + 36, panel.axis, "middle", 11, svg.PALE))
    for contender, name, values in series:
        colour = svg.STYLES[contender][0]
        points = [(across(index), up(value)) for index, value in enumerate(values) if value is not None]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.2"{DASHES[name]}/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>' for x, y in points]
    return out
