import type { ClientHandlers, ElicitResult } from '@jetway/client'

/** A call that the model makes. */
export interface PlannedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

interface ListedTool {
  readonly name: string
  readonly inputSchema: object
}

/** The person at this host agrees to everything, and leaves every field of a form as it was shown. */
const agree = (): ElicitResult => ({ action: 'accept' })

export const handlers: ClientHandlers = {
  elicit: agree,
  elicitUrl: agree,
  sample: () => ({
    role: 'assistant',
    content: { type: 'text', text: 'An answer' },
    model: 'everything-model',
    stopReason: 'endTurn',
  }),
  roots: [{ uri: 'file:///workspace', name: 'Workspace' }],
}

/** Whether the user has skills loaded. Where a scenario is about a listing alone, the user only looks at it. */
export const wantsSkill = (scenario: string): boolean => scenario !== 'sep-2640-client-no-prefetch'

/**
 * What stands in for the model: it calls every tool once, with arguments that it has read off the tool's schema; where
 * the suite hands over calls to make, those.
 */
export function plan(
  tools: readonly ListedTool[],
  given: readonly PlannedCall[] | undefined,
): readonly PlannedCall[] {
  return (
    given ??
    tools.map(({ name, inputSchema }) => ({ name, arguments: argumentsFor(name, inputSchema, tools) }))
  )
}

/** This tool says in its description, which a model reads, that it wants another one's schema as it was listed. */
const ECHO = { tool: 'json_schema_echo', of: 'json_schema_2020_12_tool' }

function argumentsFor(name: string, schema: object, tools: readonly ListedTool[]): PlannedCall['arguments'] {
  if (name === ECHO.tool) return { schema: tools.find((tool) => tool.name === ECHO.of)?.inputSchema }
  return sample(schema) as PlannedCall['arguments']
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: 'text',
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  null: null,
}

interface Sampled {
  readonly type?: unknown
  readonly const?: unknown
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

/** A value for a schema, with the required members only. */
function sample(schema: Sampled): unknown {
  const [simple = schema.const ?? schema.default] = schema.enum ?? []
  if (simple !== undefined) return simple
  const { type = 'object', properties = {}, required = [] } = schema
  if (type !== 'object') return SAMPLES[String([type].flat()[0])]
  return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? { type: 'string' })]))
}
