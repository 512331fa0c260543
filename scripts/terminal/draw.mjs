/** Draws a transcript of commands as a terminal window. */

const WIDTH = 830
const PAD = 22
const BAR = 34
const LINE = 18
const SIZE = 11.35
const MONO = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
/** The width of each character is 0.6 of the font size, regardless of the reader's font. */
const COLUMN = SIZE * 0.602
const COLUMNS = Math.floor((WIDTH - 2 * PAD) / COLUMN)
/** The maximum number of rows shown for one line of output. Further rows are omitted. */
const MAX_ROWS = 4

const THEMES = {
  light: {
    panel: '#ffffff',
    bar: '#eef3f9',
    border: '#d5deea',
    text: '#14213d',
    faint: '#5b6b86',
    prompt: '#0e6ca6',
    good: '#1a7f37',
  },
  dark: {
    panel: '#14213d',
    bar: '#1b2b4f',
    border: '#2c3f69',
    text: '#f4f7fb',
    faint: '#a9bad3',
    prompt: '#ffc72c',
    good: '#7ee2a0',
  },
}

/**
 * @param {string} transcript the lines of the commands, which begin with `$ `, and of their output
 * @param {'light' | 'dark'} theme
 */
export function drawTerminal(transcript, theme) {
  const colours = THEMES[theme]
  const lines = transcript.trimEnd().split('\n')
  const rows = lines.flatMap((line) => rowsOf(line).map((text, index) => ({ line, text, index })))
  const height = BAR + 2 * 14 + LINE * rows.length
  const dots = [0, 1, 2].map(
    (dot) => `<circle cx="${PAD + dot * 18}" cy="17" r="5" fill="${colours.border}"/>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escape(lines.filter((line) => line.startsWith('$ ')).join(', then '))}</title>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10" fill="${colours.panel}" stroke="${colours.border}"/>`,
    `<path d="M1 ${BAR}V10.5A9.5 9.5 0 0 1 10.5 1H${WIDTH - 10.5}A9.5 9.5 0 0 1 ${WIDTH - 1} 10.5V${BAR}Z" fill="${colours.bar}"/>`,
    ...dots,
    `<g font-family="${MONO}" font-size="${SIZE}">`,
    ...rows.map((row, at) => drawRow(row, BAR + 26 + LINE * at, colours)),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

/** Wraps a line as a terminal would. @param {string} line @returns {string[]} */
function rowsOf(line) {
  const rows = []
  for (let at = 0; at === 0 || at < line.length; at += COLUMNS) rows.push(line.slice(at, at + COLUMNS))
  if (rows.length <= MAX_ROWS) return rows
  return [...rows.slice(0, MAX_ROWS - 1), `${(rows[MAX_ROWS - 1] ?? '').slice(0, COLUMNS - 2)} …`]
}

/**
 * @param {{ line: string, text: string, index: number }} row
 * @param {number} y
 * @param {typeof THEMES.light} colours
 */
function drawRow({ line, text, index }, y, { text: ink, faint, prompt, good }) {
  if (text.trim() === '') return ''
  const length = `textLength="${Math.round(text.length * COLUMN * 10) / 10}"`
  const of = (fill, part, weight = '') => `<tspan fill="${fill}"${weight}>${escape(part)}</tspan>`
  const mark = text.slice(0, 2)
  const parts = line.startsWith('$ ')
    ? index === 0
      ? of(prompt, mark) + of(ink, text.slice(2), ' font-weight="700"')
      : of(ink, text, ' font-weight="700"')
    : mark === '✓ '
      ? of(good, mark) + of(ink, text.slice(2))
      : of(line === '…' || line.startsWith('#') ? faint : ink, text)
  return `<text x="${PAD}" y="${y}" ${length} lengthAdjust="spacingAndGlyphs">${parts}</text>`
}

/** Escapes a string for SVG, with spaces that SVG does not merge. @param {string} text */
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(' ', '\u00a0')
