/**
 * Draws the code map in `docs/design/README.md`: core's folders in import order, and the path of a
 * `tools/call` in a session through these folders. Without arguments, compares the committed pictures with
 * newly drawn ones, and exits with code 1 if they differ. `--write` updates the pictures.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { drawMap } from './map/draw.mjs'
import { readMap } from './map/page.mjs'

const FLOW = 'A tools/call in a session, over Fastify'

/** @param {string} theme */
const fileOf = (theme) => fileURLToPath(new URL(`../docs/public/map-${theme}.svg`, import.meta.url))

/** @returns {{ theme: string, drawn: string, committed: string }[]} */
export function pictures() {
  const map = readMap()
  const hops = map.hops.filter(({ flow }) => flow === FLOW)
  const [core = [], http = []] = map.orders
  return /** @type {const} */ (['light', 'dark']).map((theme) => ({
    theme,
    drawn: drawMap({ core, http, hops }, theme),
    committed: readOrEmpty(fileOf(theme)),
  }))
}

/** @param {string} path */
function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const changed = pictures().filter(({ drawn, committed }) => drawn !== committed)
  for (const { theme, drawn } of changed) {
    if (argv.includes('--write')) writeFileSync(fileOf(theme), drawn)
    else console.log(`docs/public/map-${theme}.svg is not what the map says: node scripts/map.mjs --write`)
  }
  if (changed.length > 0 && !argv.includes('--write')) process.exitCode = 1
}
