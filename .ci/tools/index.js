import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runtime } from '@jetway-tools/runtimes'

const here = dirname(fileURLToPath(import.meta.url))

/** The absolute path of a command of a package in this folder's `node_modules`. */
function binary(packageName, binName) {
  const folder = join(here, 'node_modules', packageName)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const entry = typeof bin === 'string' ? bin : bin[binName]
  if (entry === undefined) throw new Error(`${packageName} has no command ${binName}`)
  return join(folder, entry)
}

export const node = runtime('node-24')
export const conformance = binary('@modelcontextprotocol/conformance', 'conformance')
export const inspector = binary('@modelcontextprotocol/inspector', 'mcp-inspector')
