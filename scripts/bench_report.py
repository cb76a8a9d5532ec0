"""What the comparing benchmarks share: medians and spreads of interleaved pairs, their table, plot and history."""
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess

KEYS = ('ops_per_second', 'cpu_us_per_op', 'p50_us', 'p99_us', 'p999_us', 'max_us')


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
    row_height, left, width = 34, 190, 720
    top = 48
    height = top + row_height * len(rows) + 40
    largest = max(1.5, *(r['highest'] for r in rows)) * 1.05
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


def machine():
    model = 'unknown CPU'
    for line in pathlib.Path('/proc/cpuinfo').read_text().splitlines():
        if line.startswith('model name'):
            model = line.split(':', 1)[1].strip()
            break
    return f'{model}, {os.cpu_count()} cores, Linux {platform.release()}'
