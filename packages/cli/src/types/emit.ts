import { isObject, type Tool } from '@jetway/core/protocol'
import type { JsonSchema } from '@jetway/json-schema'
import { CliError } from '../errors.ts'
import { Names } from './names.ts'
import { comment, literal } from './text.ts'
import { interfaceMembers, typeText } from './type-text.ts'

const MAX_TOOLS = 500
const MAX_BYTES = 1_048_576

/**
 * Writes the declarations of a server's tools. Because the server may be hostile, its strings are written
 * only as identifiers, literals or comments. The result does not depend on the order of the tools.
 *
 * @throws CliError `failed` above 500 tools or 1 MiB of schemas
 */
export function emitTypes(serverName: string, tools: readonly Tool[]): string {
  if (tools.length > MAX_TOOLS)
    throw new CliError('failed', `The server has ${tools.length} tools, and types can have ${MAX_TOOLS}`)
  if (JSON.stringify(tools).length > MAX_BYTES)
    throw new CliError('failed', `The tools of the server have more than ${MAX_BYTES / 1_048_576} MiB`)
  const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const names = new Names()
  const parts = sorted.map((tool) => toolText(tool, names))
  const head = [
    ...comment(`The tools of ${serverName}. Written by jetway types: do not edit, run it again.`),
    "import { type RemoteTool, remoteTool } from '@jetway/client'",
  ].join('\n')
  return `${[head, ...parts].join('\n\n')}\n`
}

function toolText({ name, title, description, inputSchema, outputSchema }: Tool, names: Names): string {
  const constant = names.constant(name)
  const input = declare(inputSchema, names, [name, 'Input'])
  const output = outputSchema === undefined ? undefined : declare(outputSchema, names, [name, 'Output'])
  const types = [input, output].flatMap((each) => each?.name ?? []).join(', ')
  return [
    ...input.declarations,
    ...(output?.declarations ?? []),
    [
      ...comment([title, description].filter((text) => text !== undefined).join('\n')),
      `export const ${constant}: RemoteTool<${types}> = remoteTool(${literal(name)})`,
    ].join('\n'),
  ].join('\n\n')
}

interface Declared {
  readonly name: string
  readonly declarations: readonly string[]
}

/** Declares the type of a schema and the types to which it refers. */
function declare(
  schema: JsonSchema,
  names: Names,
  [tool, ending]: readonly [tool: string, ending: string],
): Declared {
  const name = names.type(tool, ending)
  const known = new Map<JsonSchema, string>([[schema, name]])
  const waiting: JsonSchema[] = [schema]
  const nameOf = (target: JsonSchema, ref: string): string => {
    const present = known.get(target)
    if (present !== undefined) return present
    const created = names.type(`${tool} ${ending} ${ref.slice(ref.lastIndexOf('/') + 1)}`, '')
    known.set(target, created)
    waiting.push(target)
    return created
  }
  const declarations: string[] = []
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
    declarations.push(declaration(next, known.get(next) as string, { root: schema, nameOf }))
  return { name, declarations }
}

function declaration(schema: JsonSchema, name: string, context: Parameters<typeof typeText>[1]): string {
  const description = isObject(schema) ? schema['description'] : undefined
  const members = interfaceMembers(schema, context)
  return [
    ...comment(typeof description === 'string' ? description : undefined),
    members === undefined
      ? `export type ${name} = ${typeText(schema, context)}`
      : `export interface ${name} {\n${members.join('\n')}\n}`,
  ].join('\n')
}
