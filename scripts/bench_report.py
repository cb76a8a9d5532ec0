"""What the comparing benchmarks share: medians and spreads of interleaved pairs, their table, plot and history."""
import datetime
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess

KEYS = ('ops_per_second', 'cpu_us_per_op', 'p50_us', 'p99_us', 'p999_us', 'max_us', 'pause_us', 'seconds', 'cpu_seconds',
        'write_amplification', 'space_bytes', 'commits_per_sync')
COLOURS = ('#2f7d6d', '#b5533c', '#3b6fb5', '#8a6d3b')


def summarise(results):
    """Rows of medians, from {(workload, threads): {'ours': [run...], 'peer': [run...]}} with the runs in pairs."""
    rows = []
    for (workload, threads), runs in results.items():
        ratios = [a['ops_per_second'] / b['ops_per_second'] for a, b in zip(runs['ours'], runs['peer'])]
        median = {name: {key: statistics.median(r[key] for r in runs[name]) for key in KEYS if key in runs[name][0]}
                  for name in runs}
        rows.append({'workload': workload, 'threads': threads, 'ours': median['ours'], 'peer': median['peer'],
                     'ratio': statistics.median(ratios), 'lowest': min(ratios), 'highest': max(ratios)})
    return rows


def commit(root):
    done = subprocess.run(['git', '-C', str(root), 'rev-parse', '--short', 'HEAD'], capture_output=True, text=True)
    return done.stdout.strip() or 'unknown'


def append_history(path, rows, root, what):
    """One line of JSON per row: how the ratios move from commit to commit."""
    with path.open('a') as file:
        for r in rows:
            file.write(json.dumps({'date': datetime.date.today().isoformat(), 'commit': commit(root), 'what': what,
                                   'machine': machine(), **r}) + '\n')


def table(rows):
    lines = ['| workload | threads | Cairn ops/s | peer ops/s | ratio (lowest to highest) | Cairn CPU µs/op | peer CPU µs/op |',
             '| --- | ---: | ---: | ---: | ---: | ---: | ---: |']
    for r in rows:
        lines.append(f'| {r["workload"]} | {r["threads"]} | {r["ours"]["ops_per_second"]:,.0f} | '
                     f'{r["peer"]["ops_per_second"]:,.0f} | **{r["ratio"]:.2f}** ({r["lowest"]:.2f} to '
                     f'{r["highest"]:.2f}) | {r["ours"]["cpu_us_per_op"]:.2f} | {r["peer"]["cpu_us_per_op"]:.2f} |')
    return '\n'.join(lines)


def clients(row):
    kind = 'fiber' if row.get('fiber_workers') else 'thread'
    return f'{row["threads"]} {kind}{"s" * (row["threads"] > 1)}'


def plot(rows, title):
    """Bars of the median ratio with whiskers from the lowest to the highest; a line at 1."""
    longest = max((len(f'{r["workload"]}, {clients(r)}') for r in rows), default=0)
    row_height, left, width = 34, max(190, 20 + 7 * longest), 720
    top = 48
    height = top + row_height * len(rows) + 40
    largest = max([1.5, *(r['highest'] for r in rows)]) * 1.05
    scale = (width - left - 70) / largest
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="13">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="12" y="24" font-size="15">{title}</text>']
    for i, r in enumerate(rows):
        y = top + i * row_height
        colour = '#2f7d6d' if r['ratio'] >= 1 else '#b5533c'
        middle = y + row_height / 2
        low, high = left + r['lowest'] * scale, left + r['highest'] * scale
        parts += [f'<text x="12" y="{middle + 4}">{r["workload"]}, {clients(r)}</text>',
                  f'<rect x="{left}" y="{y + 7}" width="{r["ratio"] * scale:.1f}" height="{row_height - 14}" fill="{colour}"/>',
                  f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}" stroke="#222" stroke-width="2"/>',
                  f'<text x="{high + 8:.1f}" y="{middle + 4}">{r["ratio"]:.2f}</text>']
    one = left + scale
    parts += [f'<line x1="{one:.1f}" x2="{one:.1f}" y1="{top}" y2="{height - 36}" stroke="#555" stroke-dasharray="4 3"/>',
              f'<text x="{one - 4:.1f}" y="{height - 18}">1</text>', '</svg>']
    return '\n'.join(parts) + '\n'


def steps_of_axis(largest, most=5):
    """0 and round numbers up to at least the largest value."""
    size = 10.0 ** math.floor(math.log10(largest)) if largest > 0 else 1.0
    step = next(size * f for f in (0.1, 0.2, 0.5, 1, 2, 5, 10) if largest / (size * f) <= most)
    return [step * i for i in range(math.ceil(largest / step - 1e-9) + 1)]


def short(value):
    for limit, unit in ((1e9, 'G'), (1e6, 'M'), (1e3, 'k')):
        if value >= limit:
            return f'{value / limit:g}{unit}'
    return f'{value:.3g}'


def line_plot(panels, title):
    """Panels in rows of two (one alone takes the whole width), each {'title', 'x', 'series': {name: [(x, y)...]}} with
    'log_x' if the x axis is logarithmic. One name has one colour in all of them."""
    columns = min(2, len(panels))
    width, height, top = (900 if columns == 1 else 460), 300, 64
    names = list(dict.fromkeys(name for panel in panels for name in panel['series']))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    total = width * columns, top + height * math.ceil(len(panels) / columns)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{total[0]}" height="{total[1]}" font-family="sans-serif" '
             'font-size="12">', f'<rect width="{total[0]}" height="{total[1]}" fill="white"/>',
             f'<text x="12" y="24" font-size="15">{title}</text>']
    for i, name in enumerate(names):
        parts += [f'<rect x="{14 + 190 * i}" y="38" width="14" height="4" fill="{colours[name]}"/>',
                  f'<text x="{34 + 190 * i}" y="44">{name}</text>']
    for i, panel in enumerate(panels):
        parts.append(f'<g transform="translate({width * (i % columns)},{top + height * (i // columns)})">')
        parts += panel_of(panel, colours, width, height)
        parts.append('</g>')
    return '\n'.join([*parts, '</svg>']) + '\n'


def panel_of(panel, colours, width, height):
    left, right, upper, lower = 58, width - 20, 26, height - 44
    points = [point for series in panel['series'].values() for point in series]
    if not points:
        return [f'<text x="{left}" y="{upper}">{panel["title"]}: not measured</text>']
    place = math.log10 if panel.get('log_x') else float
    xs = sorted({x for x, _ in points})
    first, last = place(xs[0]), place(xs[-1])
    ticks = steps_of_axis(max(y for _, y in points))
    x_of = lambda x: left + (right - left) * ((place(x) - first) / (last - first) if last > first else 0.5)  # noqa: E731
    y_of = lambda y: lower - (lower - upper) * y / ticks[-1]  # noqa: E731
    parts = [f'<text x="{left}" y="14" font-size="13">{panel["title"]}</text>',
             f'<text x="{(left + right) / 2}" y="{height - 12}" text-anchor="middle">{panel["x"]}</text>']
    for tick in ticks:
        y = y_of(tick)
        parts += [f'<line x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>',
                  f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{short(tick)}</text>']
    for x in xs if len(xs) <= 6 else [t for t in steps_of_axis(xs[-1]) if xs[0] <= t <= xs[-1]]:
        parts.append(f'<text x="{x_of(x):.1f}" y="{lower + 18}" text-anchor="middle">{short(x)}</text>')
    for name, series in panel['series'].items():
        line = ' '.join(f'{x_of(x):.1f},{y_of(y):.1f}' for x, y in series)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colours[name]}" stroke-width="1.6"/>')
        if len(series) <= 6:
            parts += [f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="3.5" fill="{colours[name]}"/>' for x, y in series]
    return parts


def machine():
    model = 'unknown CPU'
    for line in pathlib.Path('/proc/cpuinfo').read_text().splitlines():
        if line.startswith('model name'):
            model = line.split(':', 1)[1].strip()
            break
    return f'{model}, {os.cpu_count()} cores, Linux {platform.release()}'
