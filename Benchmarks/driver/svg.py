"""The pieces that charts are drawn from. Colours are attributes and the background is opaque, so that a chart looks the
same on light and dark pages, whatever the system setting and whatever draws it."""

from xml.sax.saxutils import escape, quoteattr

INK, PALE, GRID, BAR = "#24292f", "#57606a", "#d8dee4", "#cf222e"

# A colour that colour-blind readers can tell apart (Okabe, Ito), and a shape.
STYLES = {"ours": ("#0072b2", "bar"), "libdispatch": ("#6e7781", "line"), "dispatch-global": ("#24292f", "dash"),
          "mutex": ("#009e73", "square"), "plain": ("#b8860b", "triangle"), "glib": ("#cc79a7", "diamond"),
          "asio": ("#d55e00", "circle"), "by-hand": ("#6e7781", "line"), "chain": ("#009e73", "square"),
          "rust-std": ("#b8860b", "square"), "crossbeam": ("#009e73", "triangle"), "tokio": ("#cc79a7", "circle"), "go": ("#56b4e9", "diamond"),
          "java": ("#a0522d", "square"), "tbb": ("#5b3f99", "diamond"), "uv": ("#7f8c2d", "triangle"), "ours-pooled": ("#0072b2", "dash"),
          "best": ("#6e7781", "line"), "plain-tasks": ("#b8860b", "triangle"), "task-group": ("#009e73", "square"), "dispatch-groups": ("#24292f", "dash")}


def document(width, height, label, parts):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" width="{width:g}" height="{height}" role="img" '
        f'aria-label={quoteattr(label)} font-family="Helvetica, Arial, sans-serif" font-size="12">',
        f'<rect x="0.5" y="0.5" width="{width - 1:g}" height="{height - 1}" rx="8" fill="#ffffff" stroke="{GRID}"/>',
        *parts, "</svg>\n"])


def text(x, y, words, anchor="start", size=12, colour=INK, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}" '
            f'font-weight="{weight}">{escape(words)}</text>')


def line(x1, y1, x2, y2, colour=GRID, width=1.0):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def box(x, y, width, height, colour, opacity=1.0):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}" fill-opacity="{opacity}"/>'


def target(x, top, bottom):
    """A bar that must hold: visible on bars and marks alike."""
    return line(x, top, x, bottom, "#ffffff", 6) + line(x, top, x, bottom, BAR, 3)


def mark(style, x, y):
    colour, shape = style
    points = {"triangle": ((-5, 4), (5, 4), (0, -5)), "diamond": ((-5.5, 0), (0, -5.5), (5.5, 0), (0, 5.5)),
              "square": ((-4, -4), (4, -4), (4, 4), (-4, 4)), "dash": ((-1.5, -7), (1.5, -7), (1.5, 7), (-1.5, 7))}.get(shape)
    if points:
        corners = " ".join(f"{x + right:.1f},{y + down:.1f}" for right, down in points)
        return f'<polygon points="{corners}" fill="{colour}" stroke="#ffffff" stroke-width="0.8"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}" stroke="#ffffff" stroke-width="0.8"/>'
