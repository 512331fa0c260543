import process from 'node:process'
import type { McpServer, RequestContext } from '@jetway/core'
import { z } from 'zod'

/** The time limit for handlers that never return, in ms. */
const PATIENCE_MS = 250

const never = new Promise<never>(() => {})

type Deed = (ctx: RequestContext) => unknown

/** Handlers that each make one mistake, keyed by the name of the mistake. */
const DEEDS: Readonly<Record<string, Deed>> = {
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
  // oxlint-disable-next-line unicorn/no-thenable -- the mistake under test
  returns_thenable_trap: () => Object.defineProperty({}, 'then', { get: explode }),
  returns_thenable_that_settles_twice: () => ({
    // oxlint-disable-next-line unicorn/no-thenable -- the mistake under test
    then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
      resolve('first')
      reject(new Error('A secret: hunter2'))
      resolve('second')
    },
  }),
  returns_lone_surrogate: () => 'half of a pair: \ud83d',
  throws_after_progress: async (ctx) => {
    await ctx.progress(1, 2)
    throw new Error('A secret: hunter2')
  },
  reports_after_its_end: (ctx) => {
    setTimeout(() => {
      void ctx.progress(1, 2)
      ctx.log.error('too late')
    }, 0)
    return 'ended'
  },
  reports_nonsense: async (ctx) => {
    await ctx.progress(Number.NaN)
    await ctx.progress(1, Number.POSITIVE_INFINITY)
    await ctx.progress(Number.POSITIVE_INFINITY, Number.NaN)
    await ctx.progress('7' as never, {} as never, 1n as never)
    return 'reported'
  },
  logs_nonsense: (ctx) => {
    ctx.log.error(undefined)
    ctx.log.error(() => 'never called')
    ctx.log.error(Number.NaN, 7 as never)
    return 'logged'
  },
  logs_bigint: (ctx) => {
    ctx.log.error({ big: 1n })
    return 'logged'
  },
  writes_to_stdout: () => {
    // oxlint-disable-next-line no-console -- the mistake under test
    console.log('a stray line')
    process.stdout.write('and a stray piece without an end')
    return 'wrote to stdout'
  },
}

/** The names of the tools that {@link addMisbehaving} adds. */
export const MISBEHAVING: readonly string[] = Object.keys(DEEDS)

/**
 * Adds tools, a template and a prompt whose handlers make every mistake. There are tools both with and without
 * an output schema.
 */
export function addMisbehaving(server: McpServer): void {
  for (const [name, deed] of Object.entries(DEEDS)) {
    const tool = { description: `Misbehaves: ${name}`, timeoutMs: PATIENCE_MS }
    server.addTool({ ...tool, name, handler: (_args, ctx) => deed(ctx) })
    server.addTool({
      ...tool,
      name: `${name}_for_schema`,
      outputSchema: z.object({ number: z.number() }),
      handler: (_args, ctx) => deed(ctx) as { number: number },
    })
  }
  server.addResourceTemplate({
    uriTemplate: 'misbehaving://{deed}',
    name: 'misbehaving',
    timeoutMs: PATIENCE_MS,
    handler: ({ deed }, ctx) => perform(deed, ctx) as string,
  })
  server.addPrompt({
    name: 'misbehaving',
    description: 'Misbehaves as its argument says',
    argsSchema: z.object({ deed: z.enum(MISBEHAVING) }),
    timeoutMs: PATIENCE_MS,
    handler: ({ deed }, ctx) => perform(deed, ctx) as string,
  })
}

function perform(name: string, ctx: RequestContext): unknown {
  return Object.hasOwn(DEEDS, name) ? DEEDS[name]?.(ctx) : undefined
}

function explode(): never {
  throw new Error('A secret: hunter2')
}

function nest(depth: number): unknown {
  let value: unknown = []
  for (let level = 0; level < depth; level++) value = [value]
  return value
}
