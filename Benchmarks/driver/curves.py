"""The growth charts: small panels of lines, nanoseconds per task on a log scale."""

import math

import chart
import words

WIDTH, PANEL_WIDTH, PANEL_HEIGHT, GAP, TOP = 860, 330, 190, 100, 92
DASHES = {"": "", "submit": "", "drain": ' stroke-dasharray="5 4"'}


def draw(panels, label, facts):
    """`panels`: (panel, series) as growth.py makes them; `label(panel, value)` is the text below a value."""
    down = (len(panels) + 1) // 2
    height = TOP + down * (PANEL_HEIGHT + GAP) - 10
    contenders = list(dict.fromkeys(name for _, series in panels for name, _, _ in series))
    styles = {name: chart.STYLES[name] for name in contenders}
    title = "How the cost of a task grows: time per task, log scale"
    out = [chart.head(WIDTH, height, title, styles), "<style>polyline { fill: none !important; stroke-width: 2.2 }</style>",
           chart.text(12, 22, title, "title")]
    x = 12.0
    for name in contenders:
        out.append(f'<polyline class="{name}" points="{x},40 {x + 26},40"/>')
        out.append(chart.text(x + 34, 44, "this library" if name == "ours" else name))
        x += 130
    for number, (panel, series) in enumerate(panels):
        left = 62 + (number % 2) * (PANEL_WIDTH + GAP)
        top = TOP + (number // 2) * (PANEL_HEIGHT + GAP)
        out += _panel(panel, series, label, left, top)
    out.append(chart.text(12, height - 10, facts, "small"))
    return "\n".join(out) + "\n</svg>\n"


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

    out = [chart.text(left - 50, top - 14, panel.title)]
    for power in range(low, high + 1):
        y = up(10.0 ** power)
        out.append(f'<line class="grid" x1="{left}" x2="{left + PANEL_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>')
        out.append(chart.text(left - 8, y + 4, words.power_of_ten(power), "small end"))
    for index, value in enumerate(panel.values):
        out.append(chart.text(across(index), bottom + 18, label(panel, value), "small middle"))
    out.append(chart.text(left + PANEL_WIDTH / 2, bottom + 36, panel.axis, "small middle"))
    for contender, name, values in series:
        points = [(across(index), up(value)) for index, value in enumerate(values) if value is not None]
        out.append(f'<polyline class="{contender}"{DASHES[name]} points="'
                   + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) + '"/>')
        out += [f'<circle class="{contender}" cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>' for x, y in points]
    return out
