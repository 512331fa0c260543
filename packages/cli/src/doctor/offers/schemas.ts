import { anthropicTools, hostTools, openAiChatTools } from '@jetway/bridge'
import { isObject, type JsonObject, type Tool } from '@jetway/core/protocol'
import type { Finding } from '../finding.ts'
import { fault, ok, some, warning } from '../verdicts.ts'

const CHECK = 'tool-schemas'
const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const

/** Checks the tools' input schemas, because a model API rejects the whole request if one schema is invalid. */
export async function checkSchemas(tools: readonly Tool[]): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const report = (names: readonly string[], what: string, advice: string): void => {
    if (names.length > 0) findings.push(fault(CHECK, `${some(names)}: ${what}`, advice))
  }
  const untyped = named(tools, ({ inputSchema }) => inputSchema['type'] !== 'object')
  report(untyped, 'the root of inputSchema has not the type "object"', 'Add "type": "object" to the root')
  for (const key of CHOICES)
    report(
      named(tools, ({ inputSchema }) => inputSchema[key] !== undefined),
      `the root of inputSchema has ${key}`,
      `Describe the arguments in one "properties": model APIs refuse ${key} at the root`,
    )
  const remote = tools.flatMap(({ name, inputSchema }) => {
    const ref = remoteReference(inputSchema)
    return ref === undefined ? [] : [`${name} (${ref})`]
  })
  report(remote, 'inputSchema has a $ref to another document', 'Copy what it refers to into "$defs"')
  if (findings.length > 0) return findings
  const changed = (await Promise.all(tools.map(changedFor))).filter((each) => each !== undefined)
  if (changed.length === 0) return [ok(CHECK, `${tools.length} schemas`)]
  return [
    warning(
      CHECK,
      `Some model APIs refuse ${some(changed)}`,
      'Use what JSON Schema 2020-12 has, and names of a-z, A-Z, 0-9, _, - and . for arguments',
    ),
  ]
}

const named = (tools: readonly Tool[], test: (tool: Tool) => boolean): readonly string[] =>
  tools.filter(test).map(({ name }) => name)

/** Keywords whose values are data rather than schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples'])
const MAX_DEPTH = 64

function remoteReference(value: unknown, depth = 0): string | undefined {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref' && typeof inner === 'string' && !inner.startsWith('#')) return inner
    const found = VALUES.has(key) ? undefined : remoteReference(inner, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** Describes where the bridge must change a schema for a model API. */
async function changedFor(tool: Tool): Promise<string | undefined> {
  const source = {
    tools: async () => [{ server: '', name: tool.name, tool }],
    callTool: () => Promise.reject(new Error('No tool is called')),
  }
  const tools = await hostTools(source)
  const [forAnthropic] = (await anthropicTools(tools)).tools
  const [forOpenAi] = (await openAiChatTools(tools)).tools
  const place = [forAnthropic?.input_schema, forOpenAi?.function.parameters]
    .filter(isObject)
    .map((schema) => firstDifference(tool.inputSchema, plain(schema, tool.inputSchema), ''))
    .find((found) => found !== undefined)
  return place === undefined ? undefined : `${tool.name} (${place})`
}

/** Ignores the dialect, which no API rejects, and a root without properties, which hosts complete. */
function plain(schema: JsonObject, { $schema, properties }: JsonObject): JsonObject {
  const { $schema: _, properties: own, ...rest } = schema
  const keep = properties !== undefined || Object.keys(own ?? {}).length > 0
  return { ...rest, ...($schema !== undefined && { $schema }), ...(keep && { properties: own }) }
}

function firstDifference(before: unknown, after: unknown, path: string): string | undefined {
  if (before === after) return undefined
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null)
    return path
  if (Array.isArray(before) !== Array.isArray(after)) return path
  const [a, b] = [before, after] as [JsonObject, JsonObject]
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = firstDifference(a[key], b[key], `${path}/${key}`)
    if (found !== undefined) return found
  }
  return undefined
}
