// All heads of a model: a map coloured by a question, and the weights of the head that is chosen. The data are in heads-data.js.
for (const box of window.HEADS ? document.querySelectorAll(".heads") : []) {
  const LAYERS = 30, HEADS = 9
  const texts = window.HEADS.map(({ words, weights }) => ({ words, plain: words.map(word => word.toLowerCase()),
    bytes: Uint8Array.from(atob(weights), c => c.charCodeAt(0)) }))
  const mean = list => list.length ? list.reduce((a, b) => a + b, 0) / list.length : null
  const earlier = (plain, i) => [...plain.keys()].filter(j => j < i && plain[j] === plain[i])
  const where = {  // question -> from which query's row, and at which keys
    "one back": (plain, i) => i > 1 ? [i - 1] : [],
    "the first token": (plain, i) => i > 0 ? [0] : [],
    "the same word": earlier,
    "what came next last time": (plain, i) => earlier(plain, i).map(j => j + 1).filter(j => j < i),
  }
  const questions = Object.keys(where)
  let text = 0, question = 0, layer = 16, head = 0, query = 0
  const weight = (l, h, i, j) => {  // row by row up to the diagonal
    const { words, bytes } = texts[text], size = words.length * (words.length + 1) / 2
    return bytes[(l * HEADS + h) * size + i * (i + 1) / 2 + j] / 255
  }
  const mark = (l, h) => {
    const { plain } = texts[text], keys = where[questions[question]]
    return mean(plain.map((_, i) => keys(plain, i).map(j => weight(l, h, i, j))).filter(row => row.length)
      .map(row => row.reduce((a, b) => a + b, 0)))
  }
  const choice = (name, labels) => `<fieldset><legend>${name}</legend>${labels.map((label, n) =>
    `<label><input type="radio" name="heads-${name}" value="${n}"> <span></span></label>`).join("")}</fieldset>`
  box.innerHTML = `${choice("Text", texts)}${choice("Which heads look at", questions)}
    <div class="map-of-heads" role="grid" aria-label="30 layers of 9 heads">${[...Array(LAYERS).keys()].map(l => `<div role="row">
      ${[...Array(HEADS).keys()].map(h => `<button type="button" role="gridcell" tabindex="-1" data-l="${l}" data-h="${h}"></button>`).join("")}
      </div>`).join("")}</div>
    <p class="axes" aria-hidden="true"><span class="across">layer 0 on the left, layer 29 on the right; head 0 on top</span><span
      class="down">layer 0 on top, layer 29 below; head 0 on the left</span></p>
    <p class="told" aria-live="polite"></p>
    <div class="chips" role="group" aria-label="Words: choose one that looks"></div>
    <div class="matrix" tabindex="0" role="img"></div>`
  const [ofTexts, ofQuestions] = box.querySelectorAll("fieldset"), chips = box.querySelector(".chips")
  ofTexts.querySelectorAll("span").forEach((span, n) => { span.textContent = texts[n].words.join(" ").replace(/ ([.,])/g, "$1") })
  ofQuestions.querySelectorAll("span").forEach((span, n) => { span.textContent = questions[n] })
  const cells = [...box.querySelectorAll("[role=gridcell]")]
  const shade = x => `color-mix(in srgb, var(--lit) ${Math.round(100 * Math.min(1, x))}%, transparent)`
  const drawMap = () => {
    for (const cell of cells) {
      const l = +cell.dataset.l, h = +cell.dataset.h, x = mark(l, h), chosen = l === layer && h === head
      cell.style.background = x === null ? "" : shade(x)
      cell.ariaLabel = cell.title = `head ${l}.${h}: ${x === null ? "no word of this text comes twice" : x.toFixed(2)}`
      cell.ariaSelected = chosen
      cell.tabIndex = chosen ? 0 : -1
    }
  }
  const drawHead = () => {
    const { words } = texts[text], row = words.map((_, j) => j > query ? null : weight(layer, head, query, j)), x = mark(layer, head)
    box.querySelector(".told").innerHTML = `<b>Head ${layer}.${head}</b> ${x === null ? "cannot be asked this: no word of this text comes twice"
      : `gives ${x.toFixed(2)} of its weight to ${question ? questions[question] : "the word before"}, on average`}. Here is where <b></b> looks:`
    box.querySelectorAll(".told b")[1].textContent = words[query]
    chips.replaceChildren(...words.map((word, j) => {
      const chip = document.createElement("button"), small = document.createElement("small")
      chip.type = "button"
      small.textContent = row[j] === null ? " " : row[j].toFixed(2)
      chip.append(word, small)
      chip.ariaPressed = j === query
      chip.tabIndex = j === query ? 0 : -1
      chip.style.background = row[j] === null ? "" : `color-mix(in srgb, var(--lit) calc(${Math.round(50 * row[j])}% * var(--strength)), transparent)`
      return chip
    }))
    const n = words.length, side = 14
    const squares = words.flatMap((_, i) => words.slice(0, i + 1).map((_, j) => `<rect x="${j * side}" y="${i * side}" width="${side - 1}"
      height="${side - 1}" fill-opacity="${weight(layer, head, i, j).toFixed(2)}"><title></title></rect>`)).join("")
    const matrix = box.querySelector(".matrix")
    matrix.ariaLabel = `All weights of head ${layer}.${head}: each row is a word that looks, each column a word that is looked at`
    matrix.innerHTML = `<svg viewBox="-70 -1 ${n * side + 72} ${n * side + 2}" width="${1.4 * (n * side + 72)}">${squares}
      <rect class="row" x="-1" y="${query * side - 1}" width="${(query + 1) * side + 1}" height="${side + 1}"/>
      ${words.map((_, i) => `<text x="-5" y="${i * side + 10.5}"></text>`).join("")}</svg>`
    matrix.querySelectorAll("text").forEach((label, i) => { label.textContent = words[i] })
  }
  const draw = () => { drawMap(); drawHead() }
  const start = () => { query = texts[text].words.length - (/^\W$/.test(texts[text].words.at(-1)) ? 2 : 1) }
  ofTexts.addEventListener("change", ({ target }) => { text = +target.value; start(); draw() })
  ofQuestions.addEventListener("change", ({ target }) => { question = +target.value; draw() })
  const pick = cell => { layer = +cell.dataset.l; head = +cell.dataset.h; draw() }
  const grid = box.querySelector(".map-of-heads")
  grid.addEventListener("click", ({ target }) => target.dataset.l && pick(target))
  grid.addEventListener("keydown", event => {
    const tall = matchMedia("(max-width: 700px)").matches  // there a layer is a row, else a column
    const [dl, dh] = { ArrowLeft: tall ? [0, -1] : [-1, 0], ArrowRight: tall ? [0, 1] : [1, 0],
      ArrowUp: tall ? [-1, 0] : [0, -1], ArrowDown: tall ? [1, 0] : [0, 1] }[event.key] ?? []
    const cell = dl === undefined ? null : cells[(layer + dl) * HEADS + head + dh]
    if (dl === undefined || head + dh < 0 || head + dh >= HEADS || !cell) return
    event.preventDefault()
    pick(cell)
    cell.focus()
  })
  const look = j => { query = j; drawHead() }
  chips.addEventListener("click", ({ target }) => {
    const at = [...chips.children].indexOf(target.closest("button"))
    if (at >= 0) look(at), chips.children[at].focus()
  })
  chips.addEventListener("keydown", event => {
    const to = query + ({ ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0)
    if (to === query || !chips.children[to]) return
    event.preventDefault()
    look(to)
    chips.children[to].focus()
  })
  ofTexts.querySelector("input").checked = ofQuestions.querySelector("input").checked = true
  box.classList.add("live")
  start()
  draw()
}
