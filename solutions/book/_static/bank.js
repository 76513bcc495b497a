// The two lines of the first page: point at a word, or use Tab and the arrow keys, to see what it takes from the others.
for (const box of document.querySelectorAll(".bank")) {
  const { table, lines } = JSON.parse(box.dataset.bank)
  const softmax = scores => { const e = scores.map(Math.exp), sum = e.reduce((a, b) => a + b); return e.map(x => x / sum) }
  const attend = (words, i) => {  // as in unit 00: the weights of word i, and the mixture that it becomes
    const [a, b] = table[words[i]], vectors = words.map(word => table[word])
    const weights = softmax(vectors.map(([x, y]) => (a * x + b * y) / Math.SQRT2))
    return [weights, [0, 1].map(axis => vectors.reduce((sum, v, j) => sum + weights[j] * v[axis], 0))]
  }
  const x = money => 25 + 75 * money, y = water => 190 - 75 * water, names = ["river", "money"]
  const dots = [["river", 0, -8], ["money", 0, -8], ["bank", 8, -6]].map(([word, dx, dy]) => {
    const [m, w] = table[word]
    return `<circle class="dot" cx="${x(m)}" cy="${y(w)}" r="3.5"/><text x="${x(m) + dx}" y="${y(w) + dy}">${word}</text>`
  }).join("")
  box.innerHTML = `<div class="lines">${lines.map((words, l) => `<div class="line" role="group" aria-label="${words.join(" ")}">
    ${words.map(word => `<button type="button" tabindex="-1">${word}<small></small></button>`).join("")}</div>
    <p aria-live="polite"></p>`).join("")}</div>
    <svg viewBox="0 0 200 215" role="img" aria-label="A plane, money to the right and water upwards, and where each of the two chosen words goes">
    <path class="axis" d="M${x(0)} ${y(2.3)}V${y(-.15)}M${x(-.2)} ${y(0)}H${x(2.3)}" fill="none"/>
    <text x="${x(0) - 8}" y="${y(2.35) - 3}">water ↑</text><text x="${x(1.75)}" y="${y(-.22)}">money →</text>${dots}
    ${names.map(name => `<g class="${name}"><line class="arrow"/><circle class="tip" r="5"/></g>`).join("")}</svg>`
  const rows = [...box.querySelectorAll(".line")], told = box.querySelectorAll("p")
  const show = (l, i) => {
    const words = lines[l], [weights, after] = attend(words, i), before = table[words[i]], most = Math.max(...weights)
    const arrow = box.querySelector(`.${names[l]} line`), tip = box.querySelector(`.${names[l]} circle`)
    ;[...rows[l].children].forEach((button, j) => {
      button.ariaPressed = j == i
      button.tabIndex = j == i ? 0 : -1
      button.style.setProperty("--w", .55 * weights[j] / most)
      button.lastChild.textContent = weights[j].toFixed(2)
    })
    const start = { x1: x(before[0]), y1: y(before[1]), x2: x(after[0]), y2: y(after[1]) }
    for (const [name, value] of Object.entries(start)) arrow.setAttribute(name, value)
    tip.setAttribute("cx", x(after[0]))
    tip.setAttribute("cy", y(after[1]))
    const pair = v => `(${v[0].toFixed(2)}, ${v[1].toFixed(2)})`
    const from = words.map((word, j) => [weights[j], word]).filter(([w], j) => j != i).sort((a, b) => b[0] - a[0])[0]
    told[l].innerHTML = `<b>${words[i]}</b> takes ${weights[i].toFixed(2)} of itself and ${from[0].toFixed(2)} of
      <b>${from[1]}</b>. It was ${pair(before)} and becomes ${pair(after)}.`
  }
  const choose = ({ target }) => {
    const button = target.closest("button"), l = rows.indexOf(button?.parentNode)
    if (button) show(l, [...rows[l].children].indexOf(button))
  }
  box.classList.add("live")
  box.addEventListener("pointerover", choose)
  box.addEventListener("focusin", choose)
  box.addEventListener("keydown", event => {
    const next = { ArrowLeft: "previousElementSibling", ArrowRight: "nextElementSibling" }[event.key]
    const button = next && event.target[next]
    if (button) button.focus(), event.preventDefault()
  })
  lines.forEach((words, l) => show(l, words.indexOf("bank")))
}
