import type { ClientHandlers, ElicitResult } from '@jetway/client'

/** A tool call by the model. */
export interface PlannedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

interface ListedTool {
  readonly name: string
  readonly inputSchema: object
}

/** The simulated user accepts everything, and keeps the default of every form field. */
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

/** Returns whether the user loads skills. In scenarios about listing, the user only lists them. */
export const wantsSkill = (scenario: string): boolean => scenario !== 'sep-2640-client-no-prefetch'

/**
 * The simulated model. It makes the suite's calls if there are any. Otherwise, it calls each tool once, with
 * arguments generated from the tool's schema.
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

/** A tool whose description asks the model for another tool's schema. */
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

/** Returns a value for a schema with only the required members. */
function sample(schema: Sampled): unknown {
  const [simple = schema.const ?? schema.default] = schema.enum ?? []
  if (simple !== undefined) return simple
  const { type = 'object', properties = {}, required = [] } = schema
  if (type !== 'object') return SAMPLES[String([type].flat()[0])]
  return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? { type: 'string' })]))
}
