"""The plane of unit 00: a word to drag, and what attention makes of it in two sentences."""

from __future__ import annotations

import base64
import io
import json
from html import escape

import matplotlib.pyplot as plt
import torch

PLANE = """<style>
.plane { display: flex; flex-wrap: wrap; gap: 8px 28px; padding: 2px; overflow-x: auto; --ink: rgb(30, 110, 200);
  font-variant-numeric: tabular-nums; print-color-adjust: exact;
  > p { width: 100%; margin: 0 }
  figure { margin: 0; max-width: 330px } figcaption, .told { font-size: 13px }
  svg { width: 100%; max-width: 300px; height: auto; overflow: visible; font: 10px sans-serif; fill: currentColor }
  path { stroke: currentColor; stroke-width: .6; opacity: .5; fill: none }
  .dot { opacity: .6 } .word { fill: var(--ink) }
  line { stroke: var(--ink); stroke-width: 2 } .end { fill: none; stroke: var(--ink); stroke-width: 2 }
  table { width: auto; margin: 2px 0 0; border: 0; border-collapse: separate; border-spacing: 2px; font: inherit;
    font-size: 11px; color: inherit }
  tr { background: none !important }
  th, td { min-width: 22px; padding: 3px 1px; border: 0; border-radius: 3px; text-align: center !important;
    font-weight: 400; line-height: 14px }
  th.own { font-weight: 700 }
}
.plane.live { .word { cursor: grab; touch-action: none } .word:active { cursor: grabbing }
  .word:focus-visible { outline: 2px solid var(--ink); outline-offset: 3px }
  button { font: inherit; font-size: 13px; color: inherit; background: none; border: 1px solid currentColor;
    border-radius: 4px; padding: 1px 8px; cursor: pointer } }
</style><script>
for (const view of document.querySelectorAll(".plane:not(.live)")) {
  const { table, lines, word, scale, left, top } = JSON.parse(view.dataset.plane), start = table[word]
  const figures = [...view.querySelectorAll("figure")], at = ([x, y]) => [scale * (x - left), scale * (top - y)]
  const said = v => "(" + v.map(x => x.toFixed(2)).join(", ") + ")"
  const draw = () => figures.forEach((figure, l) => {
    const rows = lines[l].map(name => table[name])
    const powers = rows.map(([x, y]) => Math.exp((table[word][0] * x + table[word][1] * y) / Math.SQRT2))
    const sum = powers.reduce((a, b) => a + b), weights = powers.map(power => power / sum)
    const end = [0, 1].map(axis => rows.reduce((all, row, j) => all + weights[j] * row[axis], 0))
    const [[x1, y1], [x2, y2]] = [at(table[word]), at(end)], handle = figure.querySelector(".word")
    const place = (one, numbers) => Object.entries(numbers).forEach(([name, x]) => one.setAttribute(name, x.toFixed(1)))
    place(figure.querySelector("line"), { x1, y1, x2, y2 })
    place(figure.querySelector(".end"), { cx: x2, cy: y2 })
    place(figure.querySelector(".name"), { x: x1 + 8, y: y1 - 6 })
    place(handle, { cx: x1, cy: y1 })
    handle.setAttribute("aria-valuenow", table[word][0].toFixed(2))
    handle.setAttribute("aria-valuetext", `money ${table[word][0].toFixed(2)}, water ${table[word][1].toFixed(2)}`)
    figure.querySelector(".told").textContent = `${word} ${said(table[word])} becomes ${said(end)}`
    figure.querySelectorAll("td").forEach((cell, j) => {
      cell.textContent = weights[j].toFixed(2)
      cell.style.background = `rgba(30,110,200,${(0.7 * weights[j]).toFixed(2)})`
    })
  })
  const move = (x, y) => {
    const round = (x, most) => Math.round(100 * Math.min(Math.max(x, -0.5), most)) / 100
    table[word] = [round(x, 2.5), round(y, 2.3)]
    draw()
  }
  for (const figure of figures) {
    const handle = figure.querySelector(".word"), svg = figure.querySelector("svg")
    handle.onpointerdown = event => {
      handle.setPointerCapture(event.pointerId)
      handle.focus()
      event.preventDefault()
    }
    handle.onpointermove = event => {
      if (!handle.hasPointerCapture(event.pointerId)) return
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse())
      move(x / scale + left, top - y / scale)
    }
    handle.onkeydown = event => {
      const step = { ArrowLeft: [-.1, 0], ArrowRight: [.1, 0], ArrowUp: [0, .1], ArrowDown: [0, -.1] }[event.key]
      if (step) move(table[word][0] + step[0], table[word][1] + step[1]), event.preventDefault()
    }
    for (const [name, x] of Object.entries({ role: "slider", tabindex: 0, "aria-label": word,
      "aria-valuemin": -0.5, "aria-valuemax": 2.5, "data-lm-suppress-shortcuts": "true" })) handle.setAttribute(name, x)
  }
  const back = document.createElement("button")
  back.textContent = `put ${word} back`
  back.onclick = () => move(...start)
  view.querySelector("p").append(" ", back)
  view.classList.add("live")
  draw()
}
</script>"""
SCALE, LEFT, TOP = 90, -0.6, 2.5  # pixels for 1, and the numbers at the left edge and at the top


class PlaneView:
    """What plane_view returns: a live plane, or its still picture where no HTML is shown."""

    def __init__(self, html, picture, text):
        self.html, self.picture, self.text = html, picture, text

    def _repr_mimebundle_(self, **_):
        return {"text/html": self.html, "image/png": self.picture, "text/plain": self.text}


def attended(table, line, word):
    """The weights of a word in its line, and where attention takes it: (seq,), (2,)."""
    x = torch.tensor([table[name] for name in line], dtype=torch.float64)
    weights = (x @ x[line.index(word)] / 2**0.5).softmax(-1)
    return weights, weights @ x


def told(table, line, word):
    """What becomes of a word, as a sentence."""
    before, after = (f"({x:.2f}, {y:.2f})" for x, y in (table[word], attended(table, line, word)[1].tolist()))
    return f"{word} {before} becomes {after}"


def still_plane(table, lines, word, named):
    """Both lines as one PNG, with the weight of each word."""
    figure, axes = plt.subplots(1, len(lines), figsize=(8.6, 4.2), sharey=True, dpi=80, layout="constrained")
    for ax, line in zip(axes, lines):
        weights, end = attended(table, line, word)
        for name in line:
            ax.plot(*table[name], "o", color="tab:blue" if name == word else "0.6")
            if name in named:
                ax.annotate(name, table[name], xytext=(6, 4), textcoords="offset points")
        arrow = {"arrowstyle": "-|>", "color": "tab:blue", "lw": 2}
        ax.annotate("", end.tolist(), table[word], arrowprops=arrow)
        shares = [f"{name} {weight:.2f}" for name, weight in zip(line, weights)]
        half = (len(shares) + 1) // 2
        rows = "\n".join("   ".join(part) for part in (shares[:half], shares[half:]))
        ax.set(title=told(table, line, word), xlabel=f"money\n\n{rows}", xlim=(-0.6, 2.6), ylim=(-0.5, 2.4))
    axes[0].set_ylabel("water")
    data = io.BytesIO()
    figure.savefig(data, format="png")
    plt.close(figure)
    return base64.b64encode(data.getvalue()).decode()


def plane_view(table, lines, word, named):
    """A word to drag in a plane, and what attention makes of it in each line.

    table: {word: [money, water]}. lines: lists of words, each with `word` in it. named: the words that get a label.
    Drag the word, or move it by the arrow keys: its weights and its mixture follow, in every line.
    """

    def at(x, y):
        return SCALE * (x - LEFT), SCALE * (TOP - y)

    def plane(line):
        weights, end = attended(table, line, word)
        (x1, y1), (x2, y2) = at(*table[word]), at(*end.tolist())
        (left, down), (right, up), (zero, level) = at(-0.5, -0.5), at(2.5, 2.4), at(0, 0)
        axes = f"M{zero:.0f} {up:.0f}V{down:.0f}M{left:.0f} {level:.0f}H{right:.0f}"
        dots = "".join(f'<circle class="dot" r="3.5" cx="{x:.1f}" cy="{y:.1f}"/>'
                       for x, y in (at(*table[name]) for name in line if name != word))  # fmt: skip
        names = "".join(f'<text x="{x + 6:.1f}" y="{y - 5:.1f}">{escape(name)}</text>'
                        for name, (x, y) in ((name, at(*table[name])) for name in line)
                        if name in named and name != word)  # fmt: skip
        own = ' class="own"'
        head = "".join(f'<th scope="col"{own if name == word else ""}>{escape(name)}' for name in line)
        cells = "".join(f'<td style="background:rgba(30,110,200,{0.7 * w:.2f})">{w:.2f}' for w in weights.tolist())
        label = escape(f"a plane, money to the right and water upwards; {told(table, line, word)}")
        return f"""<figure><figcaption>{escape(" ".join(line))}</figcaption>
            <svg viewBox="0 0 290 275" role="group" aria-label="{label}"><path d="{axes}"/>
            <text x="{zero + 4:.0f}" y="10">water ↑</text><text x="245" y="{level + 13:.0f}">money →</text>
            {dots}{names}<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>
            <circle class="end" r="4" cx="{x2:.1f}" cy="{y2:.1f}"/>
            <text class="name" x="{x1 + 8:.1f}" y="{y1 - 6:.1f}">{escape(word)}</text>
            <circle class="word" r="7" cx="{x1:.1f}" cy="{y1:.1f}"/></svg>
            <div class="told" aria-live="polite">{told(table, line, word)}</div>
            <table><thead><tr>{head}</thead><tbody><tr>{cells}</tbody></table></figure>"""

    data = {"table": table, "lines": lines, "word": word, "scale": SCALE, "left": LEFT, "top": TOP}
    html = f'<div class="plane" data-plane="{escape(json.dumps(data))}"><p><b>{escape(f"Drag {word}")}</b></p>'
    html += "".join(map(plane, lines)) + PLANE + "</div>"
    picture = still_plane(table, lines, word, {word, *named})
    return PlaneView(html, picture, "; ".join(told(table, line, word) for line in lines))
