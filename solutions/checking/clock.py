"""The clock of positions: a table of sines and cosines as dials whose hands turn."""

from __future__ import annotations

import base64
import io
from html import escape

import matplotlib.pyplot as plt
import torch

from checking.pictures import heatmap

CLOCK = """<style>
.positions-clock { display: flex; flex-wrap: wrap; gap: 6px 18px; align-items: center;
  padding: 2px; overflow-x: auto; font-variant-numeric: tabular-nums; --ink: rgb(30, 110, 200);
  accent-color: var(--ink); print-color-adjust: exact;
  p { width: 100%; margin: 0 }
  .dials { display: grid; grid-template-columns: repeat(4, 66px); gap: 8px }
  .dials p { grid-column: 1 / -1; display: flex; gap: 8px; align-items: center }
  svg { width: 66px; height: 90px; overflow: visible; font: .3px sans-serif; fill: currentColor;
    stroke: none; text-anchor: middle }
  circle { fill: none; stroke: currentColor; stroke-width: .03; opacity: .45 }
  .tip { fill: currentColor; stroke: none; opacity: .25 }
  line { stroke: var(--ink); stroke-width: .12; stroke-linecap: round }
  table { width: auto; margin: 0; border: 0; border-collapse: separate; border-spacing: 1px;
    font: inherit; font-size: 10px; color: inherit }
  tr { background: none !important }
  th, td { min-width: 24px; padding: 2px 1px; border: 0; line-height: 13px; font-weight: 400;
    text-align: right !important }
}
.positions-clock.live {
  button { all: unset; cursor: pointer } input { width: 150px }
  :focus-visible { outline: 2px solid var(--ink); outline-offset: 1px }
  svg { cursor: pointer } svg.lit circle { opacity: 1; stroke-width: .07 }
  g { transition: transform .3s }
  tbody tr { cursor: pointer } tbody tr:not(.lit) td:not(.lit) { opacity: .55 }
  tr.lit > * { font-weight: 700 } tr.lit th { background: var(--ink); color: #fff }
  td.lit, thead th.lit { font-weight: 700 }
}
@media (prefers-reduced-motion: reduce) { .positions-clock.live g { transition: none } }
</style><script>
for (const view of document.querySelectorAll(".positions-clock:not(.live)")) {
  const dials = [...view.querySelectorAll("svg")], [head, ...rows] = view.querySelectorAll("tr")
  const controls = document.createElement("p"), angles = dials.map(() => 0)
  controls.innerHTML = `<button aria-label="play">▶</button>
    <input type="range" aria-label="position" data-lm-suppress-shortcuts="true"><output></output>`
  const [play, slider, label] = controls.children
  let position = +view.dataset.position, hand = -1, timer
  const draw = () => {
    slider.value = position
    slider.ariaValueText = label.textContent = `position ${position}`
    rows.forEach((row, p) => row.classList.toggle("lit", p == position))
    for (const row of [head, ...rows]) [...row.cells].forEach((cell, c) =>
      cell.classList.toggle("lit", c > 0 && c - 1 >> 1 == hand))
    dials.forEach((dial, i) => {
      const [sine, cosine] = [1, 2].map(c => +rows[position].cells[2 * i + c].textContent)
      const turn = Math.atan2(sine, cosine) - angles[i]
      angles[i] += turn - 2 * Math.PI * Math.round(turn / 2 / Math.PI)  // the shorter way round
      dial.querySelector("g").style.transform = `rotate(${angles[i]}rad)`
      dial.classList.toggle("lit", i == hand)
    })
  }
  view.addEventListener("pointerover", ({ target }) => {
    const row = target.closest("tbody tr"), dial = target.closest("svg")
    if (row) clearInterval(timer), position = rows.indexOf(row)
    hand = dial ? dials.indexOf(dial) : -1
    draw()
  })
  slider.max = rows.length - 1
  slider.oninput = () => { clearInterval(timer); position = +slider.value; draw() }
  play.onclick = () => {
    clearInterval(timer)
    draw(position = 0)
    timer = setInterval(() => rows[position + 1] ? draw(position++) : clearInterval(timer), 600)
  }
  view.querySelector(".dials").append(controls)
  view.classList.add("live")
  draw()
}
</script>"""


class ClockView:
    """What clock_view returns: a live clock, or its still picture where no HTML is shown."""

    def __init__(self, html, picture, text):
        self.html, self.picture, self.text = html, picture, text

    def _repr_mimebundle_(self, **_):
        return {"text/html": self.html, "image/png": self.picture, "text/plain": self.text}


def still_clock(positions, shown, turns):
    """The dials at one position beside the table, as a PNG."""
    figure = plt.figure(figsize=(9, 2.9), dpi=90, layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[4, 5])
    dials = left.subplots(-(-len(turns) // 4), 4, squeeze=False).flatten()
    for i, (ax, turn) in enumerate(zip(dials, turns)):
        sine, cosine = positions[:, 2 * i], positions[:, 2 * i + 1]
        ax.add_patch(plt.Circle((0, 0), 1, fill=False, color="0.6"))
        ax.plot(sine, cosine, "o", color="0.75", ms=3)
        ax.plot([0, sine[shown]], [0, cosine[shown]], color=(0.12, 0.43, 0.78), lw=2.5)
        ax.set_title(f"hand {i}\n{turn}", fontsize=7)
        ax.set(aspect="equal", xlim=(-1.15, 1.15), ylim=(-1.15, 1.15))
        ax.axis("off")
    ax = right.subplots()
    image = heatmap(ax, positions, f"position {shown}", range(len(positions)), cmap="RdBu")
    ax.set_xticks(range(0, positions.shape[1], 2), range(0, positions.shape[1], 2))
    ax.set(xlabel="column", ylabel="position")
    frame = plt.Rectangle((-0.5, shown - 0.5), positions.shape[1], 1, fill=False, lw=2)
    ax.add_patch(frame)
    image.set(clim=(-1.4, 1.4))
    ax.set_aspect("auto")
    data = io.BytesIO()
    figure.savefig(data, format="png")
    plt.close(figure)
    return base64.b64encode(data.getvalue()).decode()


def clock_view(positions, shown=3, title=""):
    """A clock to play with: positions (seq, d) holds a sine and a cosine column for each hand.

    Move the slider, or point at a row of the table, to set the clock to a position; point at a
    dial to see which two columns it draws. Each hand starts at the top and turns clockwise;
    below it stands in how many words it goes round once.
    """
    p = positions.detach().double().cpu()
    speeds = torch.atan2(p[1, 0::2], p[1, 1::2]).tolist()
    turns = [f"{6.2832 / s:,.{int(s > 0.1)}f} words" if s > 0 else "never" for s in speeds]

    def dial(i):
        tips = "".join(f'<circle class="tip" r=".05" cx="{s:.2f}" cy="{-c:.2f}"/>'
                       for s, c in p[:, 2 * i : 2 * i + 2].tolist())  # fmt: skip
        sine, cosine = p[shown, 2 * i : 2 * i + 2]
        angle = torch.atan2(sine, cosine).rad2deg()
        label = f'role="img" aria-label="hand {i}, one turn: {turns[i]}"'
        return f"""<svg viewBox="-1.1 -1.5 2.2 3" {label}>
            <text y="-1.2">hand {i}</text><text y="1.35">{turns[i]}</text><circle r="1"/>{tips}
            <g transform="rotate({angle:.1f})"><line y2="-.9"/></g></svg>"""

    def cell(x):
        hue = "30,110,200" if x > 0 else "213,94,0"  # one hue for each sign
        return f'<td style="background:rgba({hue},{0.6 * abs(x):.2f})">{x:.2f}'

    head = "".join(f'<th scope="col">{column}' for column in range(p.shape[1]))
    body = "".join(f'<tr><th scope="row">{n}' + "".join(map(cell, row)) for n, row in
                   enumerate(p.tolist()))  # fmt: skip
    dials = "".join(dial(i) for i in range(len(speeds)))
    html = (f'<div class="positions-clock" data-position="{shown}"><p><b>{escape(title)}</b></p>'
            f'<div class="dials">{dials}</div><table><thead><tr><th>position{head}</thead>'
            f"<tbody>{body}</tbody></table>{CLOCK}</div>")  # fmt: skip
    text = f"a clock with {len(speeds)} hands, at {len(p)} positions"
    return ClockView(html, still_clock(p, shown, turns), text)
