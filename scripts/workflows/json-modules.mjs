/**
 * Loads JSON files as modules. `@actions/workflow-parser` imports its data without `type: 'json'`, as bundlers accept it,
 * and Node does not.
 */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.json')) return next(url, context)
  const source = `export default ${await readFile(fileURLToPath(url), 'utf8')}`
  return { format: 'module', shortCircuit: true, source }
}
