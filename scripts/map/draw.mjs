/**
 * Draws the steps of one call as a chart. Each column is a step of the call, and each row is a folder of the
 * code. The rows are in import order, with the folders that everything imports at the bottom, so a call goes
 * down and comes back up.
 */

const WIDTH = 830
const PAD = 22
const LABELS = 172
/** The width of the box that contains the label of `http/`, to the left of its rows. */
const HTTP = 26
const TOP = 84
const ROW = 25
const LEGEND_ROW = 24
const LEGEND_COLUMN = 384
const SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
const MONO = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

const THEMES = {
  light: {
    panel: '#ffffff',
    border: '#d5deea',
    band: '#eef3f9',
    stripe: '#dfe8f2',
    text: '#14213d',
    faint: '#5b6b86',
    dot: '#0e6ca6',
    line: '#9dbdd8',
    path: '#f0b400',
    stop: '#ffc72c',
    number: '#14213d',
  },
  dark: {
    panel: '#14213d',
    border: '#2c3f69',
    band: '#1b2b4f',
    stripe: '#26395f',
    text: '#f4f7fb',
    faint: '#a9bad3',
    dot: '#8fb8de',
    line: '#5b7aab',
    path: '#ffc72c',
    stop: '#ffc72c',
    number: '#14213d',
  },
}

/** @typedef {typeof THEMES.light} Colours */
/** @typedef {{ x: number, y: number, needs: Map<number, number> }} Place */

/**
 * @typedef {object} Row
 * @property {string} label
 * @property {boolean} inHttp
 * @property {(path: string) => boolean} has
 */

/**
 * @param {{ core: string[][], http: string[][], hops: readonly import('./page.mjs').Hop[] }} map
 * @param {'light' | 'dark'} theme
 */
export function drawMap({ core, http, hops }, theme) {
  const colours = THEMES[theme]
  const rows = rowsOf(core, http, hops)
  const steps = stepsOf(hops)
  const column = (WIDTH - 2 * PAD - LABELS) / steps.length
  /** @param {number} step */
  const x = (step) => PAD + LABELS + column * (step + 0.5)
  /** @param {number} row */
  const y = (row) => TOP + ROW * (row + 0.5)
  /** @param {string} path */
  const rowOf = (path) => {
    const row = rows.findIndex(({ has }) => has(path))
    if (row === -1) throw new Error(`${path} is in no room of the map`)
    return row
  }
  const places = steps.map(({ step, needs }, index) => ({
    x: x(index),
    y: y(rowOf(step.path)),
    needs: countBy(needs.map(({ path }) => rowOf(path))),
  }))
  const legendTop = TOP + ROW * rows.length + 34
  const perColumn = Math.ceil(steps.length / 2)
  const height = legendTop + LEGEND_ROW * perColumn + 6
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="${SANS}" role="img">`,
    `<title>A tools/call in a session through the rooms of core, in ${steps.length} steps</title>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="14" fill="${colours.panel}" stroke="${colours.border}"/>`,
    `<text x="${PAD}" y="38" font-size="19" font-weight="700" fill="${colours.text}">A tools/call in a session</text>`,
    `<text x="${PAD}" y="60" font-size="13" fill="${colours.faint}">A row imports from the rows below it, never from one above.</text>`,
    ...keyOf(colours),
    ...drawHttp(rows, colours),
    ...rows.flatMap((row, index) => drawRow(row, index, colours)),
    ...places.flatMap((place) => drawLine(place, y, colours)),
    `<path d="${pathOf(places)}" fill="none" stroke="${colours.path}" stroke-width="3" stroke-linecap="round"/>`,
    ...places.flatMap((place) => drawNeeds(place, y, colours)),
    ...places.map((place, index) => stop(place.x, place.y, index + 1, colours)),
    ...steps.flatMap(({ step }, index) => {
      const left = PAD + Math.floor(index / perColumn) * LEGEND_COLUMN
      const middle = legendTop + LEGEND_ROW * (index % perColumn)
      return legendLine({ step, number: index + 1, left, middle }, colours)
    }),
    '</svg>',
    '',
  ].join('\n')
}

/**
 * Returns the rows from top to bottom: the adapter, the folders in `http/`, and the other folders.
 *
 * @param {string[][]} core @param {string[][]} http @param {readonly import('./page.mjs').Hop[]} hops @returns
 * {Row[]}
 */
function rowsOf(core, http, hops) {
  const named = http.flat()
  const others = hops.flatMap(({ path }) => /^packages\/(?!core\/)([\w-]+)/.exec(path)?.[1] ?? [])
  const httpFolder = 'packages/core/src/http/'
  const coreFolder = 'packages/core/src/'
  return [
    {
      label: `@jetway/${[...new Set(others)].join(', ')}`,
      inHttp: false,
      has: (path) => !path.startsWith(coreFolder),
    },
    {
      label: 'endpoint',
      inHttp: true,
      has: (path) => path.startsWith(httpFolder) && !named.includes(nameIn(httpFolder, path)),
    },
    ...http.toReversed().map((group) => ({
      label: labelOf(group),
      inHttp: true,
      has: (path) => path.startsWith(httpFolder) && group.includes(nameIn(httpFolder, path)),
    })),
    ...core
      .toReversed()
      .filter(([first]) => first !== 'entries' && first !== 'http')
      .map((group) => ({
        label: labelOf(group),
        inHttp: false,
        has: (path) => path.startsWith(coreFolder) && group.includes(nameIn(coreFolder, path)),
      })),
  ]
}

/** @param {string} folder @param {string} path */
const nameIn = (folder, path) => (path.slice(folder.length).split('/')[0] ?? '').replace('.ts', '')

/** @param {string[]} group */
const labelOf = (group) => (group.length > 3 ? `${group.slice(0, 2).join(', ')}, …` : group.join(', '))

/** @param {readonly import('./page.mjs').Hop[]} hops */
function stepsOf(hops) {
  /** @type {{ step: import('./page.mjs').Hop, needs: import('./page.mjs').Hop[] }[]} */
  const steps = []
  for (const hop of hops) {
    if (hop.isStep) steps.push({ step: hop, needs: [] })
    else steps.at(-1)?.needs.push(hop)
  }
  return steps
}

/** @param {number[]} values @returns {Map<number, number>} */
function countBy(values) {
  const counts = new Map()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** @param {Row} row @param {number} index @param {Colours} colours */
function drawRow({ label, inHttp }, index, { band, stripe, text }) {
  const top = TOP + ROW * index
  const left = PAD + (inHttp ? HTTP : 0)
  return [
    `<rect x="${left}" y="${top + 1}" width="${WIDTH - PAD - left}" height="${ROW - 2}" rx="5" fill="${inHttp ? stripe : band}"/>`,
    `<text x="${left + 10}" y="${top + ROW / 2 + 4.5}" font-size="12.5" font-family="${MONO}" fill="${text}">${escape(label)}</text>`,
  ]
}

/** Draws a box along the rows of `http/`, with its name. @param {Row[]} rows @param {Colours} colours */
function drawHttp(rows, { stripe, faint }) {
  const first = rows.findIndex(({ inHttp }) => inHttp)
  const height = ROW * rows.filter(({ inHttp }) => inHttp).length
  const top = TOP + ROW * first
  return [
    `<rect x="${PAD}" y="${top + 1}" width="${HTTP - 2}" height="${height - 2}" rx="5" fill="${stripe}"/>`,
    `<text transform="translate(${PAD + 15} ${top + height / 2}) rotate(-90)" text-anchor="middle" font-size="12.5" font-family="${MONO}" fill="${faint}">http/</text>`,
  ]
}

/**
 * Draws a line through the folders of the files that a step needs.
 *
 * @param {Place} place @param {(row: number) => number} y @param {Colours} colours
 */
function drawLine(place, y, { line }) {
  const heights = [place.y, ...[...place.needs.keys()].map(y)]
  const [top, bottom] = [Math.min(...heights), Math.max(...heights)]
  if (top === bottom) return []
  return [
    `<path d="M${round(place.x)} ${top}V${bottom}" stroke="${line}" stroke-width="1.5" stroke-dasharray="2 3"/>`,
  ]
}

/**
 * Draws a dot for each of these files. @param {Place} place @param {(row: number) => number} y @param {Colours}
 * colours
 */
function drawNeeds(place, y, { dot }) {
  return [...place.needs].flatMap(([row, count]) =>
    Array.from({ length: count }, (_, index) => {
      const shift = y(row) === place.y ? 17 + index * 8 : (index - (count - 1) / 2) * 8
      return `<circle cx="${round(place.x + shift)}" cy="${y(row)}" r="3.2" fill="${dot}"/>`
    }),
  )
}

/** @param {{ x: number, y: number }[]} places */
function pathOf(places) {
  return places
    .map(({ x, y }, index) => {
      const before = places[index - 1]
      if (before === undefined) return `M${round(x)} ${y}`
      const middle = round((before.x + x) / 2)
      return `C${middle} ${before.y} ${middle} ${y} ${round(x)} ${y}`
    })
    .join('')
}

/** @param {number} x @param {number} y @param {number} number @param {Colours} colours */
const stop = (x, y, number, { stop: fill, number: text }) =>
  `<circle cx="${round(x)}" cy="${y}" r="10.5" fill="${fill}"/>` +
  `<text x="${round(x)}" y="${y + 4.2}" text-anchor="middle" font-size="12" font-weight="700" fill="${text}">${number}</text>`

/**
 * @param {{ step: import('./page.mjs').Hop, number: number, left: number, middle: number }} line
 * @param {Colours} colours
 */
function legendLine({ step, number, left, middle }, colours) {
  const [name = ''] = step.names
  const file = step.path.replace('packages/core/src/', '').replace('packages/', '')
  return [
    stop(left + 11, middle, number, colours),
    `<text x="${left + 30}" y="${middle + 4}" font-family="${MONO}" font-size="12" fill="${colours.text}">${escape(name)}</text>`,
    `<text x="${left + 30 + 170}" y="${middle + 4}" font-family="${MONO}" font-size="10.5" fill="${colours.faint}">${escape(file)}</text>`,
  ]
}

/** @param {Colours} colours */
function keyOf({ faint, stop: fill, dot }) {
  const left = WIDTH - PAD - 178
  return [
    `<circle cx="${left}" cy="33" r="8" fill="${fill}"/>`,
    `<text x="${left + 16}" y="37" font-size="12.5" fill="${faint}">a step of the call</text>`,
    `<circle cx="${left}" cy="56" r="3.2" fill="${dot}"/>`,
    `<text x="${left + 16}" y="60" font-size="12.5" fill="${faint}">a file that the step needs</text>`,
  ]
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10

/** @param {string} text */
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
