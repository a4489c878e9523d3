"""The bar chart: each row's ratio to libdispatch on a log scale, as SVG, legible on a light and on a dark page."""

import math
from xml.sax.saxutils import escape

import words

WIDTH, LEFT, RIGHT, ROW, TOP, BOTTOM = 860, 232, 112, 26, 74, 52

# Colours that keep apart for colour-blind readers (Okabe, Ito), and a shape each.
STYLES = {"ours": ("#0072b2", "#56b4e9", "bar"), "libdispatch": ("#6e7781", "#8b949e", "line"),
          "dispatch-global": ("#24292f", "#e6edf3", "dash"), "mutex": ("#009e73", "#2fc79b", "square"), "plain": ("#b8860b", "#e3b341", "triangle"),
          "by-hand": ("#6e7781", "#8b949e", "line"), "chain": ("#009e73", "#2fc79b", "square"),
          "plain-tasks": ("#b8860b", "#e3b341", "triangle"), "glib": ("#cc79a7", "#e6a0c8", "diamond"), "asio": ("#d55e00", "#ff8c42", "circle")}

HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" \
role="img" aria-label="{label}">
<style>
text {{ font: 12px -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #424a53 }}
.title {{ font-size: 15px; font-weight: 600 }} .small {{ font-size: 11px }} .end {{ text-anchor: end }}
.middle {{ text-anchor: middle }} .grid {{ stroke: #8b949e; stroke-opacity: .28 }} polygon, circle, .square {{ stroke: #ffffff; stroke-width: .8 }}
.one {{ stroke: #6e7781; stroke-width: 1.5 }} .tick {{ stroke: #cf222e; stroke-width: 2 }}
{light}
@media (prefers-color-scheme: dark) {{
text {{ fill: #c9d1d9 }} .one {{ stroke: #8b949e }} .tick {{ stroke: #ff7b72 }}
{dark}
}}
</style>
"""


def head(width, height, label, styles):
    return HEAD.format(width=width, height=height, label=escape(label, {'"': "&quot;"}),
                       light=" ".join(f".{name} {{ fill: {style[0]}; stroke: {style[0]} }}"
                                      for name, style in styles.items()),
                       dark=" ".join(f".{name} {{ fill: {style[1]}; stroke: {style[1]} }}"
                                     for name, style in styles.items()))


def mark(shape, name, x, y):
    if shape == "dash":
        return f'<rect class="{name}" x="{x - 1.5:.1f}" y="{y - 7:.1f}" width="3" height="14"/>'
    if shape == "square":
        return f'<rect class="{name} square" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>'
    if shape == "triangle":
        points = f"{x - 5:.1f},{y + 4:.1f} {x + 5:.1f},{y + 4:.1f} {x:.1f},{y - 5:.1f}"
    elif shape == "diamond":
        points = f"{x - 5.5:.1f},{y:.1f} {x:.1f},{y - 5.5:.1f} {x + 5.5:.1f},{y:.1f} {x:.1f},{y + 5.5:.1f}"
    else:
        return f'<circle class="{name}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
    return f'<polygon class="{name}" points="{points}"/>'


def text(x, y, words_, classes=""):
    return f'<text x="{x:.1f}" y="{y:.1f}"' + (f' class="{classes}"' if classes else "") + f">{escape(words_)}</text>"


class Scale:
    """Ratios to pixels; what lies beyond the ends is drawn at the end."""

    def __init__(self, low, high):
        self.low, self.high = math.log10(low), math.log10(high)

    def x(self, ratio):
        part = (math.log10(max(ratio, 1e-9)) - self.low) / (self.high - self.low)
        return LEFT + min(1.0, max(0.0, part)) * (WIDTH - LEFT - RIGHT)


def ratios(rows, results, names, base, title, facts):
    """`names`: ours first. Rows without a ratio of ours are left out."""
    shown = [row for row in rows if not row.absolute and results.ratio(row.scenario, names[0], row.metric, base)
             is not None]
    if not shown:
        return None
    height = TOP + ROW * len(shown) + BOTTOM
    scale = Scale(0.01, 100)
    styles = {("ours" if name == names[0] else name): STYLES.get(name, STYLES["ours"]) for name in names}
    out = [head(WIDTH, height, title, styles), text(12, 22, title, "title")]
    out += _legend(names, base, styles)
    out.append(text(WIDTH - RIGHT + 14, TOP - 12, "ratio · per task", "small"))
    bottom = TOP + ROW * len(shown)
    for power in range(-2, 3):
        x = scale.x(10.0 ** power)
        out.append(f'<line class="{"one" if power == 0 else "grid"}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" '
                   f'y2="{bottom + 4}"/>')
        label = {0: base, -2: "100 × faster", -1: "10 ×", 1: "10 × slower", 2: "100 ×"}[power]
        out.append(text(x, bottom + 18, label, "small middle"))
    for number, row in enumerate(shown):
        out += _row(row, results, names, base, styles, scale, TOP + ROW * number + ROW / 2)
    out.append(text(12, height - 10, facts, "small"))
    return "\n".join(out) + "\n</svg>\n"


def _legend(names, base, styles):
    out, x = [], 12.0
    for name in names:
        key = "ours" if name == names[0] else name
        if name == base:
            continue
        shape = styles[key][2]
        out.append(f'<rect class="{key}" x="{x:.1f}" y="38" width="22" height="11" rx="2"/>' if shape == "bar"
                   else mark(shape, key, x + 11, 43.5))
        label = "this library" if key == "ours" else name
        out.append(text(x + 28, 48, label))
        x += 46 + 6.6 * len(label)
    out.append(f'<line class="tick" x1="{x + 6:.1f}" x2="{x + 6:.1f}" y1="37" y2="50"/>')
    out.append(text(x + 14, 48, "the bar that must hold"))
    return out


def _row(row, results, names, base, styles, scale, y):
    own = results.ratio(row.scenario, names[0], row.metric, base)
    figure = words.figure(results.median(row.scenario, names[0], row.metric), row.unit)
    low, high = sorted((scale.x(1.0), scale.x(own)))
    out = [text(LEFT - 14, y + 4, row.title, "end"),
           f'<rect class="ours" x="{low:.1f}" y="{y - 7:.1f}" width="{max(1.5, high - low):.1f}" height="14" rx="2"/>']
    if row.bar:
        x = scale.x(row.bar)
        out.append(f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="{y - 10:.1f}" y2="{y + 10:.1f}"/>')
    others = [name for name in names[1:] if name != base]
    for number, name in enumerate(others):
        ratio = results.ratio(row.scenario, name, row.metric, base)
        if ratio is not None:  # those that lie on one another stay visible
            shape = styles[name][2]
            aside = 0 if shape == "dash" else 2.5 * (number - (len(others) - 1) / 2)
            out.append(mark(shape, name, scale.x(ratio), y + aside))
    out.append(text(WIDTH - RIGHT + 14, y + 4, f"{words.ratio(own)} · {figure}"))
    return out
