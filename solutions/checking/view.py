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


def still_picture(weights, queries, keys, frames, heads, legend=""):
    """Every head, in the first frame and in the last, as one PNG. weights (frames, heads, q, k)"""
    ends = sorted({0, len(frames) - 1})
    least = 2.2 if legend else 0  # under few rows the legend would stand on the word "key"
    size = (1.8 + 0.3 * len(keys), max(least, 1.3 + 0.3 * len(queries)))
    figure, axes = plt.subplots(
        len(ends), len(heads), figsize=(size[0] * len(heads), size[1] * len(ends)),
        squeeze=False, dpi=80, layout="constrained",
    )  # fmt: skip
    blue = ListedColormap([(0.12, 0.43, 0.78, 0.7 * share / 255) for share in range(256)])
    most = weights.nan_to_num().max() or 1
    for row, frame in enumerate(ends):
        for ax, head, matrix in zip(axes[row], heads, weights[frame]):
            title = f"{head} {frames[frame]}"
            heatmap(ax, matrix, title, queries, keys, cmap=blue, vmin=0, vmax=most)
            plt.setp(ax.get_xticklabels(), rotation=45, ha="right", rotation_mode="anchor")
            for q, k in matrix.isnan().nonzero().tolist():
                ax.text(k, q, "NaN", ha="center", va="center", fontsize=6)
            for q, k in (matrix == 0).nonzero().tolist():
                hidden = Rectangle((k - 0.5, q - 0.5), 1, 1, fill=False, hatch="////", lw=0)
                ax.add_patch(hidden).set_edgecolor("0.6")
            ax.set(xlabel="key", ylabel="query")
    figure.supxlabel(legend, fontsize=8)
    data = io.BytesIO()
    figure.savefig(data, format="png")
    plt.close(figure)
    return base64.b64encode(data.getvalue()).decode()


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
    picture = still_picture(w, queries, keys, frames, heads, legend.replace("✓", "blue:"))
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

    ends = sorted({0, len(frames) - 1})  # where no script runs, the first frame and the last
    tables = "".join(tag for f in ends for h in range(len(heads)) for tag in table(f, h))
    data = {"weights": w, "frames": frames, "heads": heads, "most": most, "mask": mask}
    data |= {} if at is None else {"at": at + 1}  # the names of the keys are row 0
    data = escape(json.dumps(data, separators=(",", ":")).replace("NaN", "null"))
    title = f"<p><b>{escape(title)}</b> <span>{legend}</span></p>"
    kind = "attention mask" if mask else "attention"
    html = f'<div class="{kind}" data-view="{data}">{title}{tables}{VIEW}</div>'
    return AttentionView(html, picture, f"{kind}: {len(queries)} queries, {len(keys)} keys")
