"""Line charts as SVG text: one file that needs nothing else, readable on light and dark."""
import collections
import math
from xml.sax.saxutils import escape, quoteattr

Series = collections.namedtuple("Series", "name points")  # points: [(x, y), ...]

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 20, 76, 52
LIGHT = ("#0b5cad", "#b5480b", "#15713a", "#7a3ca8")
DARK = ("#6cb2ff", "#ffa05c", "#6fd08c", "#c8a2ff")
DASHES = ("", "7 4", "2 4", "10 4 2 4")
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1d2127 }
.title { font-size: 16px; font-weight: 600 }
.paper { fill: #ffffff }
.grid { stroke: #d5d9de; stroke-width: 1 }
.axis { stroke: #59616b; stroke-width: 1 }
.line { fill: none; stroke-width: 2.5 }
"""


def ticks(low, high, most=8):
    """At most about `most` round numbers that reach from low or below to high or above."""
    if high <= low:
        high = low + 1
    size = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(m * size for m in (1, 2, 5, 10) if m * size * most >= (high - low) * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def powers(low, high):
    """Powers of two or, over a wide range, of four, from low to high."""
    values, value, factor = [], 1, 2 if high / low <= 256 else 4
    while value < low:
        value *= factor
    while value <= high:
        values.append(value)
        value *= factor
    return values


def shown(value):
    return f"{value:.10g}"


def marker(kind, x, y, label):
    """A small shape for each series, so that colour is not all that tells them apart."""
    shapes = (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4">', "</circle>",
              f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8">', "</rect>",
              f'<path d="M{x:.1f} {y - 5:.1f}l5 9h-10z">', "</path>",
              f'<path d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z">', "</path>")
    return f"{shapes[2 * kind]}<title>{escape(label)}</title>{shapes[2 * kind + 1]}"


def chart_style(n):
    light = "".join(f".s{i} {{ color: {LIGHT[i]} }}\n" for i in range(n))
    dark = "".join(f".s{i} {{ color: {DARK[i]} }}\n" for i in range(n))
    return (STYLE + light + ".line { stroke: currentColor }\n.mark { fill: currentColor }\n"
            "@media (prefers-color-scheme: dark) {\ntext { fill: #e8eaed }\n"
            ".paper { fill: #16191d }\n.grid { stroke: #353b43 }\n.axis { stroke: #9aa3ad }\n"
            + dark + "}\n")


class Axes:
    """Where values stand in the picture."""

    def __init__(self, points, is_log, y_from):
        xs, ys = [x for x, _ in points], [y for _, y in points]
        self.place = math.log2 if is_log else float
        self.x_ticks = powers(min(xs), max(xs)) if is_log else ticks(min(xs), max(xs))
        self.y_ticks = ticks(min(ys) if y_from is None else min(y_from, *ys), max(ys))
        self.x0 = self.place(min(xs + self.x_ticks))
        self.x1 = self.place(max(xs + self.x_ticks))

    def x(self, value):
        share = (self.place(value) - self.x0) / ((self.x1 - self.x0) or 1)
        return LEFT + (WIDTH - LEFT - RIGHT) * share

    def y(self, value):
        low, high = self.y_ticks[0], self.y_ticks[-1]
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low)


def draw_axes(axes, x_label, y_label):
    parts = []
    for y in axes.y_ticks:
        parts.append(f'<path class="grid" d="M{LEFT} {axes.y(y):.1f}H{WIDTH - RIGHT}"/>'
                     f'<text x="{LEFT - 8}" y="{axes.y(y) + 4:.1f}" text-anchor="end">'
                     f"{shown(y)}</text>")
    for x in axes.x_ticks:
        parts.append(f'<path class="axis" d="M{axes.x(x):.1f} {HEIGHT - BOTTOM}v5"/>'
                     f'<text x="{axes.x(x):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">'
                     f"{shown(x)}</text>")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(f'<path class="axis" d="M{LEFT} {HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>'
                 f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 10}" '
                 f'text-anchor="middle">{escape(x_label)}</text>'
                 f'<text transform="translate(18 {middle:.0f}) rotate(-90)" '
                 f'text-anchor="middle">{escape(y_label)}</text>')
    return parts


def draw_series(axes, i, series, legend_x):
    dash = f' stroke-dasharray="{DASHES[i]}"' if DASHES[i] else ""
    path = "L".join(f"{axes.x(x):.1f} {axes.y(y):.1f}" for x, y in series.points)
    marks = "".join(marker(i, axes.x(x), axes.y(y), f"{series.name}: {x:.6g}, {y:.6g}")
                    for x, y in series.points)
    line = f'<path class="line" d="M{path}"{dash}/>' if path else ""
    return (f'<g class="s{i}">{line}<path class="line" d="M{legend_x:.0f} 50h30"{dash}/>'
            f'<g class="mark">{marker(i, legend_x + 15, 50, series.name)}{marks}</g></g>'
            f'<text x="{legend_x + 38:.0f}" y="54">{escape(series.name)}</text>')


def chart(series, title, x_label, y_label, is_log=False, y_from=None):
    """A chart of one to four series as SVG text. is_log: the x axis goes by factors. y_from: a value
    that the y axis shows in any case (0 for amounts)."""
    if not 1 <= len(series) <= len(LIGHT):
        raise ValueError(f"chart {title}: {len(series)} series; must be 1 to {len(LIGHT)}")
    points = [point for s in series for point in s.points]
    if not points:
        raise ValueError(f"chart {title}: there are no points")
    axes = Axes(points, is_log, y_from)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             f'width="{WIDTH}" height="{HEIGHT}" role="img" aria-label={quoteattr(title)}>',
             f"<title>{escape(title)}</title>", f"<style>{chart_style(len(series))}</style>",
             f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
             f'<text class="title" x="{LEFT}" y="26">{escape(title)}</text>']
    parts += draw_axes(axes, x_label, y_label)
    legend_x = LEFT
    for i, s in enumerate(series):
        parts.append(draw_series(axes, i, s, legend_x))
        legend_x += 60 + 7.5 * len(s.name)
    return "\n".join(parts) + "\n</svg>\n"
