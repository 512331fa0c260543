import process from 'node:process'
import type { McpServer } from '@jetway/core'
import { z } from 'zod'

/** How long a handler that never returns is given, in ms. */
const PATIENCE_MS = 250

const never = new Promise<never>(() => {})

/** What authors of handlers should not do, by name. Each says what its handler returns, if it returns at all. */
const DEEDS = {
  throws: () => {
    throw new Error('A secret: hunter2')
  },
  throws_undefined: () => {
    throw undefined
  },
  throws_a_trap: () => {
    throw new Proxy({}, { get: explode, getPrototypeOf: explode })
  },
  rejects: () => Promise.reject(new Error('A secret: hunter2')),
  never_returns: () => never,
  returns_bigint: () => ({ big: 1n }),
  returns_cycle: () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    return cycle
  },
  returns_undefined: () => undefined,
  returns_nan: () => ({ number: Number.NaN }),
  returns_function: () => () => 'never called',
  returns_symbol: () => Symbol('nothing that JSON knows'),
  returns_trap: () => ({ toJSON: explode }),
  returns_deep: () => nest(100_000),
  writes_to_stdout: () => {
    // oxlint-disable-next-line no-console -- this is the misdeed
    console.log('a stray line')
    process.stdout.write('and a stray piece without an end')
    return 'wrote to stdout'
  },
} satisfies Record<string, () => unknown>

/** The names of the tools that {@link addMisbehaving} adds. */
export const MISBEHAVING: readonly string[] = Object.keys(DEEDS)

/** Tools, a template and a prompt whose handlers break every rule; the tools once more with an output schema. */
export function addMisbehaving(server: McpServer): void {
  for (const [name, deed] of Object.entries<() => unknown>(DEEDS)) {
    const tool = { description: `Misbehaves: ${name}`, timeoutMs: PATIENCE_MS }
    server.addTool({ ...tool, name, handler: () => deed() })
    server.addTool({
      ...tool,
      name: `${name}_for_schema`,
      outputSchema: z.object({ number: z.number() }),
      handler: () => deed() as { number: number },
    })
  }
  server.addResourceTemplate({
    uriTemplate: 'misbehaving://{deed}',
    name: 'misbehaving',
    timeoutMs: PATIENCE_MS,
    handler: ({ deed }) => perform(deed) as string,
  })
  server.addPrompt({
    name: 'misbehaving',
    description: 'Misbehaves as it is told to',
    argsSchema: z.object({ deed: z.enum(MISBEHAVING) }),
    timeoutMs: PATIENCE_MS,
    handler: ({ deed }) => perform(deed) as string,
  })
}

function perform(name: string): unknown {
  const deed: (() => unknown) | undefined = Object.hasOwn(DEEDS, name)
    ? DEEDS[name as keyof typeof DEEDS]
    : undefined
  return deed?.()
}

function explode(): never {
  throw new Error('A secret: hunter2')
}

function nest(depth: number): unknown {
  let value: unknown = []
  for (let level = 0; level < depth; level++) value = [value]
  return value
}
