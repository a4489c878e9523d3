"""Figures, ratios and verdicts as text, the same on the terminal, in Markdown and in charts."""


def figure(value, unit):
    if value is None:
        return "n/a"
    if unit == "ns":
        for limit, divisor, name in ((1e3, 1, "ns"), (1e6, 1e3, "µs"), (float("inf"), 1e6, "ms")):
            if value < limit * 0.9995:
                return f"{_three_digits(value / divisor)} {name}"
    if unit == "B":
        for limit, divisor, name in ((4096, 1, "B"), (1 << 22, 1 << 10, "KiB"), (float("inf"), 1 << 20, "MiB")):
            if abs(value) < limit:
                return f"{value / divisor:.{0 if divisor == 1 else 1}f} {name}"
    return f"{_three_digits(value)} {unit}"


def power_of_ten(power):
    """The label of a grid line: 10**power nanoseconds."""
    for at, name in ((9, "s"), (6, "ms"), (3, "µs"), (0, "ns")):
        if power >= at:
            return f"{10 ** (power - at)} {name}"
    return f"{10.0 ** power:g} ns"


def ratio(value):
    if value is None:
        return ""
    if 0 <= value < 0.0005:
        return "<0.001"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}" \
        if value >= 0.1 else f"{value:.3f}"


def _three_digits(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def limit(value, row):
    """A bar or a goal: a ratio, or a figure where the row says so."""
    if value is None:
        return ""
    return figure(value, row.unit) if row.absolute else f"{value:g}"


def verdict(value, bar, goal):
    """'goal', 'bar' or 'MISSED'; '' if there is nothing to judge."""
    if value is None or bar is None:
        return ""
    if goal is not None and value <= goal:
        return "goal"
    return "bar" if value <= bar else "MISSED"
