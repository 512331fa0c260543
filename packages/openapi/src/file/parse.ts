import { UsageError } from '@jetway/core'
import { parse } from 'yaml'

/** The maximum length of a document, in characters. */
export const MAX_LENGTH: number = 32 * 1024 * 1024
/** Nodes that aliases of YAML may add. A short document with aliases of aliases can stand for billions. */
const MAX_ALIASES = 1_000

/**
 * Parses a document in JSON or YAML.
 *
 * @param name - the name of the document, for error messages
 * @throws UsageError `ERR_MCP_INVALID_DEFINITION`
 */
export function parseOpenApi(text: string, name = 'The document'): object {
  if (text.length > MAX_LENGTH) throw fault(name, 'is larger than 32 MiB')
  let value: unknown
  try {
    value = isJson(text)
      ? JSON.parse(text)
      : parse(text, { version: '1.2', schema: 'core', maxAliasCount: MAX_ALIASES, logLevel: 'error' })
  } catch (cause) {
    throw fault(name, `is neither JSON nor YAML: ${(cause as Error).message.split('\n')[0]}`, cause)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw fault(name, 'is not an object')
}

const isJson = (text: string): boolean => /^\s*\{/.test(text)

export const fault = (name: string, problem: string, cause?: unknown): UsageError =>
  new UsageError('ERR_MCP_INVALID_DEFINITION', `${name} ${problem}`, { cause })
