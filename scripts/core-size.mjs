/**
 * Measures core: its lines of code, without blank lines and comments, and the number of exported interfaces
 * that at most one other file uses. A reader gains little from looking up such an interface. `.ci/run` prints
 * the numbers, and `budget.test.ts` enforces the limits. `--list` prints the names of the interfaces.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { argv } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseSync } from 'oxc-parser'

/**
 * The lines that seams need: server cards with the `card` option, and composition with contexts inside a call,
 * relayed tools and results, events and states of observed sources, and aliases of tools.
 */
const SEAMS = { cards: 140, composition: 198 }

/** Raise these limits only if the plan for a new seam says so, and only by what the seam needs. */
export const LIMITS = { codeLines: 21_500 + SEAMS.cards + SEAMS.composition, narrowInterfaces: 80 }

const folder = fileURLToPath(new URL('../packages/core/src/', import.meta.url))

/** @returns {{ codeLines: number, narrowInterfaces: string[] }} */
export function measureCore() {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(folder + path, 'utf8') }))
  return {
    codeLines: files.reduce((sum, { path, text }) => sum + linesOf(path, text), 0),
    narrowInterfaces: narrowInterfacesOf(files),
  }
}

/** @param {string} path @param {string} source */
function linesOf(path, source) {
  let text = ''
  let from = 0
  for (const { start, end } of parseSync(path, source).comments) {
    text += source.slice(from, start)
    from = end
  }
  text += source.slice(from)
  return text.split('\n').filter((line) => line.trim() !== '').length
}

/** @param {{ path: string, text: string }[]} files */
function narrowInterfacesOf(files) {
  /** @type {Map<string, number>} */
  const uses = new Map()
  for (const { text } of files)
    for (const word of new Set(text.match(/\w+/g))) uses.set(word, (uses.get(word) ?? 0) + 1)
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/^export interface (\w+)/gm)]
      .map(([, name = '']) => name)
      // The interface's own file counts as one use.
      .filter((name) => (uses.get(name) ?? 0) <= 2)
      .map((name) => `${path} ${name}`),
  )
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const { codeLines, narrowInterfaces } = measureCore()
  console.log(`core: ${codeLines} lines of code (at most ${LIMITS.codeLines})`)
  console.log(
    `core: ${narrowInterfaces.length} exported interfaces that at most one other file uses (at most ${LIMITS.narrowInterfaces})`,
  )
  if (argv.includes('--list')) console.log(narrowInterfaces.join('\n'))
}
