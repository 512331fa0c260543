import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runtime } from '@jetway-tools/runtimes'

const here = dirname(fileURLToPath(import.meta.url))

/** A package's `bin` entry, as an absolute path. The packages are found beside this file and never through PATH. */
function binary(packageName, binName) {
  const folder = join(here, 'node_modules', packageName)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const entry = typeof bin === 'string' ? bin : bin[binName]
  if (entry === undefined) throw new Error(`${packageName} has no binary named ${binName}`)
  return join(folder, entry)
}

/** The newer Node itself. Run the two entries below with it: `spawn(node, [inspector, '--cli', ...])`. */
export const node = runtime('node-24')

/** The public conformance suite's command line. */
export const conformance = binary('@modelcontextprotocol/conformance', 'conformance')

/** The Inspector's command line. */
export const inspector = binary('@modelcontextprotocol/inspector', 'mcp-inspector')
