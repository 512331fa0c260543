import { isSchema, mapParts } from '@jetway/json-schema'
import { TOKEN } from '../../protocol/header-text.ts'
import type { JsonSchema } from '../types.ts'

/** A parameter that clients repeat in an HTTP header. */
export interface HeaderParameter {
  /** The full name of the header, as written in messages. */
  readonly header: string
  /** The property names on the path to the value, from the root of the arguments. */
  readonly path: readonly string[]
}

/** The schema's parameters that clients repeat in headers, or the error in the schema's annotations. */
export type HeaderParameters =
  | { readonly ok: true; readonly parameters: readonly HeaderParameter[] }
  | { readonly ok: false; readonly problem: string }

/**
 * The keyword that marks a parameter's schema. See
 * https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header.
 */
const KEYWORD = 'x-mcp-header'
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean']

/**
 * Finds the parameters that clients repeat in headers. Clients ignore a tool whose header annotations are
 * invalid.
 */
export function findHeaderParameters(schema: JsonSchema): HeaderParameters {
  const parameters: HeaderParameter[] = []
  const taken = new Map<string, string>()
  let problem: string | undefined
  const wrong = (path: readonly string[], what: string): void => {
    problem ??= `has an ${KEYWORD} at ${shown(path)} ${what}`
  }
  const note = (part: JsonSchema, path: readonly string[]): void => {
    const name = part[KEYWORD]
    if (typeof name !== 'string' || !TOKEN.test(name))
      return wrong(path, 'that names no header: give letters, digits and hyphens, such as "Region"')
    if (!TYPES.includes(part['type']))
      return wrong(path, 'on a type that no header carries: use one string, integer or boolean, without null')
    const other = taken.get(name.toLowerCase())
    if (other !== undefined)
      return wrong(path, `that ${other} has already, since headers have no case: give another name`)
    taken.set(name.toLowerCase(), shown(path))
    parameters.push({ header: `Mcp-Param-${name}`, path })
  }
  const refuse = (part: JsonSchema, path: readonly string[], keyword: string): JsonSchema => {
    if (Object.hasOwn(part, KEYWORD))
      wrong(
        path,
        `within "${keyword}", from where no header is read: move it to a property that "properties" alone lead to`,
      )
    return mapParts(part, (inner) => refuse(inner, path, keyword))
  }
  const visit = (part: JsonSchema, path: readonly string[]): void => {
    if (Object.hasOwn(part, KEYWORD)) note(part, path)
    const { properties, ...rest } = part
    mapParts(rest, (inner, keyword) => refuse(inner, path, keyword))
    for (const [name, property] of Object.entries(isSchema(properties) ? properties : {}))
      if (isSchema(property)) visit(property, [...path, name])
  }
  visit(schema, [])
  return problem === undefined ? { ok: true, parameters } : { ok: false, problem }
}

const shown = (path: readonly string[]): string =>
  path.length === 0 ? 'the root' : JSON.stringify(path.join('.'))
