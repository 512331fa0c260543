/** Reads the code map in `docs/design/README.md`, for its tests and its pictures. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const page = fileURLToPath(new URL('../../docs/design/README.md', import.meta.url))

/**
 * A file that a flow runs through.
 *
 * @typedef {object} Hop
 * @property {string} flow the heading above it
 * @property {string} path from the root of the repository
 * @property {readonly string[]} names functions, and members as `Class.member`
 * @property {boolean} isStep false for the files below a step, which the step needs
 */

/**
 * A step has the form `1. \`file\` \`function\`, \`Class.method\`: what happens`. A file that the step needs
 * has a dash.
 */
const HOP = /^( *)(\d+\.|-) `([^`]+\.ts)` ((?:`[^`]+`(?:, )?)+):/

/** Returns the page, and the contents of its lists. */
export function readMap() {
  const text = readFileSync(page, 'utf8')
  return { text, hops: hopsOf(text), rooms: roomsOf(text), orders: ordersOf(text), pathOf }
}

/**
 * Core's files are given relative to its `src`, and those of other packages with their package. @param {string}
 * file
 */
const pathOf = (file) => (/^[\w-]+\/src\//.test(file) ? `packages/${file}` : `packages/core/src/${file}`)

/** @param {string} text @returns {Hop[]} */
function hopsOf(text) {
  let flow = ''
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('#')) flow = line.replace(/^#+ /, '')
    if (!/^ *(?:\d+\.|-) /.test(line)) return []
    const [, , mark, file, names = ''] = HOP.exec(line) ?? []
    if (file === undefined) throw new Error(`This line of the map is no step: ${line}`)
    const quoted = [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    return [{ flow, path: pathOf(file), names: quoted, isStep: mark !== '-' }]
  })
}

/**
 * A folder in core, or a single file that the map shows like a folder.
 *
 * @typedef {object} Room
 * @property {string} name such as `http` or `errors.ts`
 * @property {string} about
 * @property {readonly Room[]} rooms the folders inside it
 */

/** Returns the folders in the tree, which is the first code block. @param {string} text @returns {Room[]} */
function roomsOf(text) {
  const [, tree = ''] = /```\n([\s\S]*?)```/.exec(text) ?? []
  /** @type {(Room & { rooms: Room[] })[]} */
  const rooms = []
  for (const line of tree.split('\n')) {
    const [, indent = '', name, about = ''] = /^( *)(\S+?)\/?\s+(.+)$/.exec(line) ?? []
    if (name === undefined) continue
    const room = { name, about, rooms: [] }
    if (indent === '') rooms.push(room)
    else rooms.at(-1)?.rooms.push(room)
  }
  return rooms
}

/**
 * Returns the lines with import orders: first core's, then that of `http/`. Names in one group have the same
 * place.
 *
 * @param {string} text @returns {string[][][]}
 */
const ordersOf = (text) =>
  text
    .split('\n')
    .filter((line) => /^[\w, -]+(?: → [\w, -]+){3,}$/.test(line))
    .map((line) => line.split(' → ').map((group) => group.split(', ')))
