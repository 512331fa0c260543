import { UsageError } from '@jetway/core'
import { parse } from 'yaml'

/**
 * The maximum length of a skill's frontmatter, in characters. It is limited because hosts keep the frontmatter
 * of all skills in memory.
 */
const MAX_LENGTH = 65_536

/** The two parts of a `SKILL.md`: the frontmatter and the text below it. */
export interface Frontmatter {
  readonly name: string
  readonly description: string
  readonly others: Readonly<Record<string, unknown>>
}

/**
 * Reads YAML 1.2 with its core schema, in which a date remains a string. This matters because hosts compare
 * the file with the manifest.
 *
 * @param file - the file's name, for error messages
 * @throws UsageError `ERR_MCP_INVALID_DEFINITION` for invalid YAML
 */
export function readFrontmatter(file: string, document: Uint8Array): Frontmatter {
  const block = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(toText(file, document))?.[1]
  if (block === undefined) throw fault(file, 'does not begin with frontmatter; put it between lines of "---"')
  if (block.length > MAX_LENGTH)
    throw fault(file, `has frontmatter of more than ${MAX_LENGTH} characters; move text below it`)
  const fields = toFields(file, block)
  const { name, description, ...others } = fields
  if (typeof name !== 'string' || typeof description !== 'string')
    throw fault(file, 'has no name or no description; add both to its frontmatter, as strings')
  return { name, description, others }
}

function toText(file: string, document: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(document)
  } catch (cause) {
    throw fault(file, 'is not UTF-8; save it as UTF-8', cause)
  }
}

function toFields(file: string, block: string): Record<string, unknown> {
  let value: unknown
  try {
    value = parse(block, { version: '1.2', schema: 'core', logLevel: 'error' })
  } catch (cause) {
    throw fault(
      file,
      `has invalid YAML in its frontmatter: ${(cause as Error).message.split('\n')[0]}`,
      cause,
    )
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw fault(file, 'has frontmatter that is not a mapping; write fields such as "name: my-skill"')
}

export const fault = (file: string, problem: string, cause?: unknown): UsageError =>
  new UsageError('ERR_MCP_INVALID_DEFINITION', `${file} ${problem}`, { cause })
