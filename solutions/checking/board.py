"""The mask board of unit 06: weights to click on, which the mask then hides or allows."""

from __future__ import annotations

import json
from html import escape

from checking.view import VIEW, AttentionView, still_picture

BOARD = """<style>
.board { td { transition: background .3s } .off { color: #d55e00 }
  td:nth-last-child(-n+2) { min-width: 64px }
  button { all: unset; box-sizing: border-box; width: calc(100% + 8px); margin: -7px -4px;
    padding: 7px 4px; border-radius: 4px; cursor: pointer }
  button:hover { box-shadow: inset 0 0 0 1px var(--ink) }
  button:focus-visible { outline: 2px solid var(--ink); outline-offset: 1px } }
</style><script>
for (const board of document.querySelectorAll(".board:not(.ready)")) {
  const { scores, mask } = JSON.parse(board.dataset.board)
  const [, ...rows] = board.querySelector("table").rows
  const add = numbers => numbers.reduce((a, b) => a + b, 0)
  const total = (cell, sum) => {
    const off = Math.abs(sum - 1) >= 0.005
    cell.textContent = sum.toFixed(2) + (off ? " ≠ 1" : "")
    cell.classList.toggle("off", off)
  }
  const draw = () => rows.forEach(({ cells }, q) => {
    const powers = scores[q].map(Math.exp)
    const kept = powers.map((power, k) => mask[q][k] ? power : 0)
    const weights = kept.map(power => power / (add(kept) || 1))
    weights.forEach((weight, k) => {
      const cell = cells[k + 1], button = cell.firstChild
      button.textContent = mask[q][k] ? weight.toFixed(2) : "0"
      button.setAttribute("aria-pressed", mask[q][k])
      cell.classList.toggle("zero", !mask[q][k])
      cell.style.background = mask[q][k] ? `rgba(30,110,200,${0.7 * weight})` : ""
    })
    total(cells[weights.length + 1], add(weights))
    total(cells[weights.length + 2], add(kept) / add(powers))
  })
  rows.forEach(({ cells }, q) => scores[q].forEach((_, k) => {
    const button = document.createElement("button")
    button.title = `${cells[0].textContent} attends to ${rows[k].cells[0].textContent}`
    button.onclick = () => { mask[q][k] = !mask[q][k]; draw() }
    cells[k + 1].replaceChildren(button)
  }))
  board.classList.add("ready")
  draw()
}
</script>"""


def mask_board(scores, mask, words, masked_softmax):
    """Weights to click on, with the sums of their rows. scores (q, k), mask (q, k) in bool."""
    weights, late = masked_softmax(scores, mask), scores.softmax(-1) * mask

    def cell(weight, allowed):
        style = f' style="background:rgba(30,110,200,{0.7 * weight:.2f})"'
        return f"<td{style}>{weight:.2f}" if allowed else '<td class="zero">0'

    def total(x):
        return f"<td>{x:.2f}" if abs(x - 1) < 0.005 else f'<td class="off">{x:.2f} ≠ 1'

    names = "".join(f'<th scope="col">{escape(word)}' for word in words)
    lines = [f"<tr><td>key →<br>query ↓{names}<td>sum<td>way 1</thead><tbody>"]
    for word, row, allowed, lost in zip(words, weights.tolist(), mask.tolist(), late):
        cells = "".join(cell(*pair) for pair in zip(row, allowed))
        sums = total(sum(row)) + total(lost.sum().item())
        lines.append(f'<tr><th scope="row">{escape(word)}{cells}{sums}')
    data = {"scores": scores.double().round(decimals=4).tolist(), "mask": mask.tolist()}
    legend = "way 1: what rows sum to if the mask comes after the softmax"
    html = '<div class="attention board" data-lm-suppress-shortcuts="true" data-board="'
    html += f'{escape(json.dumps(data))}"><p><b>The mask board</b> <span>{legend}</span></p>'
    html += f"<table><thead>{''.join(lines)}</tbody></table>"
    html += VIEW.split("<script>")[0] + BOARD + "</div>"
    told = ["The mask board"], f"hatched: hidden\n{legend}"
    sums = {"sum": weights.sum(-1)[None, None], "way 1": late.sum(-1)[None, None]}
    picture = still_picture(weights[None, None], words, words, [""], *told, sums)
    return AttentionView(html, picture, f"mask board: {len(words)} queries, {len(words)} keys")
