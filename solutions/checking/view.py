"""The attention view: a picture of attention weights to point at."""

from __future__ import annotations

import base64
import io
import json
from html import escape

import matplotlib.pyplot as plt
import torch
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle
from PIL import Image

from checking.pictures import heatmap

VIEW = """<style>
.attention { display: flex; flex-wrap: wrap; gap: 8px 32px; overflow-x: auto; padding: 2px;
  font-variant-numeric: tabular-nums; --ink: rgb(30, 110, 200); accent-color: var(--ink);
  print-color-adjust: exact;
  p, span { display: flex; gap: 12px; align-items: center; margin: 0 } p { width: 100% }
  table { width: auto; margin: 0; border: 0; border-collapse: separate; border-spacing: 2px;
    font: inherit; font-size: 13px; color: inherit }
  caption { padding: 0; text-align: left; color: inherit; font-weight: 600 }
  tr { background: none !important }
  th, td { min-width: 36px; padding: 7px 4px; border: 0; border-radius: 4px; line-height: 16px;
    text-align: center !important; font-weight: 400; position: relative; transition: opacity .2s }
  tr > :first-child { text-align: right !important; white-space: nowrap }
  thead td:first-child { font-size: 10px; line-height: 12px }
  .zero { background: repeating-linear-gradient(135deg, transparent 0 4px, #8886 4px 5px) }
  .lit, .off { font-weight: 700 }
}
.attention.live {
  button { all: unset; cursor: pointer }
  :focus-visible { outline: 2px solid var(--ink); outline-offset: 1px }
  th { cursor: pointer; &.lit { background: var(--ink); color: #fff } }
  table:is(:hover, :focus-within) tbody td:not(.lit) { opacity: .45 }
  :is(tfoot td, td:last-child) { background: none !important; &.off { color: #d55e00 } }
  &:not(.key) tfoot { visibility: hidden }
  &.key td:last-child { font-size: 0; color: inherit; opacity: 1 !important }
  &:not(.mask) thead::before { content: ""; display: block; height: 64px }
  :where(thead th, tbody td:last-child)::before { content: attr(data-n); position: absolute;
    font-size: 11px; font-weight: 400; border: 0 solid var(--ink); transition: border .2s }
  thead th::before { bottom: 100%; inset-inline: calc(50% - 13px);
    border-bottom-width: calc(46px * var(--w)) }
  tbody td:last-child::before { left: 0; padding-left: 4px;
    border-left-width: calc(46px * var(--w)) }
}
</style><script>
for (const view of document.querySelectorAll(".attention[data-view]:not(.live)")) {
  const { weights, frames, heads, most, mask, at } = JSON.parse(view.dataset.view)
  const tables = [...view.querySelectorAll("table")], controls = document.createElement("span")
  controls.innerHTML = `<button aria-label="play">▶</button>
    <input type="range" aria-label="frame" data-lm-suppress-shortcuts="true"><output></output>`
  const [play, slider, label] = controls.children
  let timer, frame = 0, row = at ?? (weights[0][0].length + 1 >> 1), column = 0  // where the lit word is
  const text = x => x === null ? "NaN" : mask ? (x ? "✓" : "") : x ? x.toFixed(2) : "0"
  const draw = () => {
    view.classList.toggle("key", !row)
    slider.value = frame
    slider.ariaValueText = label.textContent = frames[frame]
    tables.forEach((table, h) => [...table.rows].forEach(({ cells }, r, rows) => {
      const at = (r, c) => weights[frame][h][r - 1]?.[c - 1]
      for (const cell of cells) {
        const c = cell.cellIndex, x = at(r, c), bar = r ? at(r, column) : at(row, c)
        const lit = row ? r == row : c == column, sum = c == cells.length - 1
        const off = !mask && sum && r < rows.length - 1 && !(Math.abs(x - 1) < 0.005)
        cell.dataset.n = bar === undefined || mask ? "" : text(bar)
        cell.style.setProperty("--w", mask ? 0 : (bar || 0) / most)
        cell.classList.toggle("lit", lit)
        if (cell.tagName == "TH") cell.tabIndex = lit - 1
        if (x === undefined || (mask && (sum || r == rows.length - 1))) continue
        cell.textContent = text(x) + (off ? " ≠ 1" : "")
        cell.classList.toggle("off", off)
        cell.classList.toggle("zero", x === 0)
        cell.style.background = x ? `rgba(30,110,200,${0.7 * x / most})` : ""
      }
    }))
  }
  const choose = ({ target }) => {
    const cell = target.closest("th, tbody td")
    if (cell) row = cell.parentNode.rowIndex, column = row ? 0 : cell.cellIndex, draw()
  }
  const move = event => {
    const { rows } = event.target.closest("table") ?? {}, word = rows && {
      ArrowUp: rows[Math.max(row - 1, 1)].cells[0], ArrowDown: rows[row + 1].cells[0],
      ArrowLeft: rows[0].cells[Math.max(column - 1, 1)], ArrowRight: rows[0].cells[column + 1],
    }[event.key]
    if (word) word.focus(), event.preventDefault()
  }
  view.addEventListener("pointerover", choose)
  view.addEventListener("focusin", choose)
  view.addEventListener("keydown", move)
  slider.max = frames.length - 1
  slider.oninput = () => { clearInterval(timer); frame = +slider.value; draw() }
  play.onclick = () => {
    clearInterval(timer)
    draw(frame = 0)
    timer = setInterval(() => frames[frame + 1] ? draw(frame++) : clearInterval(timer), 700)
  }
  tables.splice(heads.length).forEach(table => table.remove())
  tables.forEach((table, h) => { table.caption.textContent = heads[h] })
  if (frames.length > 1) view.querySelector("p").append(controls)
  view.classList.add("live")
  draw()
}
</script>"""


class AttentionView:
    """What attention_view returns: a live table, or its still picture where no HTML is shown."""

    def __init__(self, html, picture, text):
        self.html, self.picture, self.text = html, picture, text

    def _repr_mimebundle_(self, **_):
        return {"text/html": self.html, "image/png": self.picture, "text/plain": self.text}


def still_picture(weights, queries, keys, frames, heads, legend="", beside=None):
    """Every head in every frame, with its numbers, as one PNG. weights (frames, heads, q, k)

    beside: {title: (frames, heads, q)}, the numbers to the right of the rows; None for a mask.
    """
    n_frames, n_heads, q, k = weights.shape
    more = list(beside or {})  # one column of numbers for each, and below one row of sums
    wide, high = 0.34 * (k + 1.7 * len(more)) + 0.15, 0.34 * (q + bool(more)) + 0.4
    across = n_heads if n_heads > 1 else max(1, min(n_frames, int(8.5 // wide)))
    down = -(-n_frames * n_heads // across)
    words = 0.08 * max(map(len, queries)), 0.05 * max(map(len, keys))
    edge = 0.6 + words[0], 0.85 + words[1] + 0.16 * len(legend.splitlines())
    figure, axes = plt.subplots(
        down, across, figsize=(edge[0] + wide * across, edge[1] + high * down), sharex=True,
        sharey=True, squeeze=False, dpi=100, layout="constrained",
    )  # fmt: skip
    blue = ListedColormap([(0.12, 0.43, 0.78, 0.7 * share / 255) for share in range(256)])
    most = weights.nan_to_num().max() or 1
    maps = [(frame, head) for frame in range(n_frames) for head in range(n_heads)]
    for ax, (frame, head) in zip(axes.flat, maps):
        matrix, title = weights[frame, head], f"{heads[head]} {frames[frame]}"
        heatmap(ax, matrix, title, queries, keys, cmap=blue, vmin=0, vmax=most)
        for place in (matrix == 0).nonzero().tolist():
            hidden = Rectangle((place[1] - 0.5, place[0] - 0.5), 1, 1, fill=False, hatch="////")
            hidden.set(edgecolor="0.6", lw=0)
            ax.add_patch(hidden)
        ax.set(xlim=(-0.5, k + 1.7 * len(more) - 0.5), ylim=(q + bool(more) - 0.5, -0.5))
        ax.spines[:].set_visible(False)
        if more:
            numbers = {name: column[frame, head] for name, column in beside.items()}
            still_numbers(ax, matrix, numbers)
    names = [*keys, *more], [*range(k), *(k + 0.35 + 1.7 * n for n in range(len(more)))]
    axes[0, 0].set_xticks(names[1], names[0])
    axes[0, 0].set_yticks(range(q + bool(more)), [*queries, *["sum"] * bool(more)])
    for ax in axes[:, 0]:
        ax.set_ylabel("query")
    for ax in axes.flat[len(maps) - across : len(maps)]:  # the lowest of each column
        ax.set_xlabel("key")
        ax.tick_params(labelbottom=True)
        plt.setp(ax.get_xticklabels(), rotation=45, ha="right", rotation_mode="anchor")
    for ax in axes.flat:
        ax.tick_params(length=0)
    for ax in axes.flat[len(maps) :]:
        ax.axis("off")
    figure.supxlabel(legend, fontsize=8)
    data = io.BytesIO()
    figure.savefig(data, format="png")
    plt.close(figure)
    picture, data = Image.open(data).convert("RGB").quantize(128, method=2, dither=0), io.BytesIO()
    picture.save(data, format="png", optimize=True)  # a quarter of the size
    return base64.b64encode(data.getvalue()).decode()


def still_numbers(ax, matrix, beside):
    """Write the numbers of a map (q, k) into its cells, and those of beside and the sums around."""

    def write(column, row, x, gone="", **style):
        text = "NaN" if x.isnan() else f"{x:.2f}"
        ax.text(column, row, text + gone, ha="center", va="center", fontsize=6, **style)

    for (row, column), x in zip(torch.ones_like(matrix).nonzero().tolist(), matrix.flatten()):
        if x != 0:  # what is exactly 0 is hatched
            write(column, row, x)
    for column, total in enumerate(matrix.sum(0)):
        write(column, len(matrix), total, color="0.4")
    for place, numbers in enumerate(beside.values()):
        for row, total in enumerate(numbers):
            at, even = matrix.shape[1] + 0.35 + 1.7 * place, abs(total - 1) < 0.005
            write(at, row, total, "" if even else " ≠ 1", color="0.4" if even else "#d55e00")


def attention_view(weights, queries, keys=None, frames=None, heads=None, title="", at=None):
    """A picture of attention to point at.

    weights: (q, k), (heads, q, k) or (frames, heads, q, k); or a mask of that shape, in bool.
    queries, keys, frames, heads: lists of names. Where frames are named, (frames, q, k) will do.
    at: the query whose row is lit at first, by its place; by default one in the middle.
    Point at a word, or use Tab and the arrow keys, to see which words it attends to. A weight that
    is exactly 0, or a pair that the mask hides, is hatched.
    """
    mask = weights.dtype == torch.bool
    w = weights.detach().double().cpu()
    w = w[:, None] if frames and w.ndim == 3 else w[(None,) * (4 - w.ndim)]  # (frames, heads, q, k)
    keys = keys or queries
    frames = frames or ([f"frame {f}" for f in range(len(w))] if len(w) > 1 else [""])
    heads = heads or ([f"head {h}" for h in range(w.shape[1])] if w.shape[1] > 1 else [""])
    expected = (len(frames), len(heads), len(queries), len(keys))
    if w.shape != expected:
        raise ValueError(f"the names ask for {expected}, the weights are {tuple(w.shape)}")
    legend = "✓ may attend, hatched: hidden" if mask else "hatched: exactly 0"
    legend = legend if (w == 0).any() else ""
    sums = None if mask else {"sum": w.sum(-1)}
    picture = still_picture(w, queries, keys, frames, heads, legend.replace("✓", "blue:"), sums)
    most = round(w.nan_to_num().max().item(), 3) or 1
    w = torch.cat([w, w.sum(-1, keepdim=True)], -1)  # the sum of each row
    w = torch.cat([w, w.sum(-2, keepdim=True)], -2)  # and of each column
    tiny = (w != 0) & (w.abs() < 5e-5)  # 0 stays for what is exactly 0
    w = torch.where(tiny, 1e-4, w.round(decimals=4)).tolist()

    def cell(x, ink=0):  # where no style is shown, a stroke stands for the hatching
        style = f' style="background:rgba(30,110,200,{0.7 * ink / most:.2f})"' if ink else ""
        if mask:
            return f"<td{style}>✓" if x else '<td class="zero">╱'
        return f"<td{style}>{x:.2f}" if x else '<td class="zero">0'

    def total(x):
        return "<td>" if mask else f"<td>{x:.2f}" + ("" if abs(x - 1) < 0.005 else " ≠ 1")

    def table(f, h):
        *rows, sums = w[f][h]
        names = "".join(f'<th scope="col">{escape(key)}' for key in keys)
        yield f"<table><caption>{escape(f'{heads[h]} {frames[f]}')}</caption>"
        yield f"<thead><tr><td>key →<br>query ↓{names}<td>{'' if mask else 'sum'}</thead><tbody>"
        for word, (*row, row_sum) in zip(queries, rows):
            yield f'<tr><th scope="row">{escape(word)}'
            yield "".join(cell(x, x) for x in row) + total(row_sum)
        columns = "".join("<td>" if mask else f"<td>{x:.2f}" for x in sums[:-1])
        yield f"</tbody><tfoot><tr><td>{'' if mask else 'sum'}{columns}<td></tfoot></table>"

    every = ((f, h) for f in range(len(frames)) for h in range(len(heads)))
    tables = "".join(tag for place in every for tag in table(*place))  # where no script runs
    data = {"weights": w, "frames": frames, "heads": heads, "most": most, "mask": mask}
    data |= {} if at is None else {"at": at + 1}  # the names of the keys are row 0
    data = escape(json.dumps(data, separators=(",", ":")).replace("NaN", "null"))
    title = f"<p><b>{escape(title)}</b> <span>{legend}</span></p>"
    kind = "attention mask" if mask else "attention"
    html = f'<div class="{kind}" data-view="{data}">{title}{tables}{VIEW}</div>'
    return AttentionView(html, picture, f"{kind}: {len(queries)} queries, {len(keys)} keys")
