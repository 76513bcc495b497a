// What is wider than the page scrolls in its own box, so the keyboard has to be able to reach it.
const reach = () => {
  for (const box of document.querySelectorAll('article mjx-container[display="true"]')) {  // a phone shrinks a wide one
    box.style.removeProperty("--fit")
    if (box.scrollWidth > box.clientWidth) box.style.setProperty("--fit", Math.max(0.7, box.clientWidth / box.scrollWidth - 0.01))
  }
  for (const box of document.querySelectorAll('article :is(pre, mjx-container[display="true"], .table-wrapper, .attention, .dials, .wide)'))
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
}
addEventListener("resize", reach)
addEventListener("load", () => { reach(); window.MathJax?.startup?.promise?.then(reach) })
document.addEventListener("toggle", reach, true)  // what was folded had no width
// From a plain folder a page may not read the others, so the search lists them without excerpts.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false
