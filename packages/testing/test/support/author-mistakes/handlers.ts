import { setImmediate as turn } from 'node:timers/promises'
import { McpServer, type RequestContext } from '@jetway/core'
import { type ConnectOptions, connect } from '@jetway/testing'
import { z } from 'zod'
import { js, type Mistake } from './mistake.ts'

type Handler = (args: never, ctx: RequestContext) => unknown

/** The lines in a server's log. Each consists of a message and the text of its error. */
export interface Log {
  readonly logger: Readonly<
    Record<'debug' | 'info' | 'warn' | 'error', (fields: object, text: string) => void>
  >
  readonly text: () => string
}

export function keepLog(): Log {
  const lines: string[] = []
  const keep = (fields: object, text: string): void => {
    const { err } = fields as { readonly err?: Error }
    lines.push(err === undefined ? text : `${text}: ${err.message}`)
  }
  return { logger: { debug() {}, info() {}, warn: keep, error: keep }, text: () => lines.join('\n') }
}

/** Calls a tool with this handler, and waits for the work that the handler leaves unfinished. Resolves to the log. */
async function logOf(handler: Handler, tool: object, options: ConnectOptions): Promise<string> {
  const { logger, text } = keepLog()
  const server = new McpServer({ name: 'mistakes', version: '1' }, { logger })
  server.addTool(js({ name: 'a', ...tool, handler }))
  await using client = await connect(server, options)
  await client.callTool('a').catch(() => {})
  await turn()
  return text()
}

const logged = (
  rows: readonly (readonly [mistake: string, handler: Handler, says: RegExp, tool?: object])[],
): readonly Mistake[] =>
  rows.map(([mistake, handler, says, tool = {}]) => ({
    group: 'a handler',
    mistake,
    source: 'log',
    // In this revision, a handler can ask questions while it is running.
    read: () => logOf(handler, tool, { revision: '2025-11-25', handlers: { elicit: [] } }),
    says,
  }))

const outputSchema = z.object({ high: z.number() })
const cycle: { self?: unknown } = {}
cycle.self = cycle

export const HANDLERS: readonly Mistake[] = logged([
  [
    'throws an Error that the model should read',
    () => {
      throw new Error('There is no such city')
    },
    /Throw a ToolError if the model should read the message: There is no such city/,
  ],
  [
    'throws a text',
    () => {
      throw js('There is no such city')
    },
    /Throw a ToolError if the model should read the message/,
  ],
  [
    'forgets to return the value of an outputSchema',
    () => {},
    /return what its outputSchema describes/,
    { outputSchema },
  ],
  ['returns a value that the outputSchema does not allow', () => ({ high: 'x' }), /high/, { outputSchema }],
  ['returns a bigint', () => ({ high: 1n }), /high: is a bigint; send a number or a string/],
  ['returns an object that contains itself', () => cycle, /self: .*send a copy without it/],
  ['returns a Map', () => new Map(), /is a Map; send Object\.fromEntries/],
  ['returns a promise in an object', () => ({ high: Promise.resolve(1) }), /high: is a promise; await it/],
  ['returns a function', () => () => 'x', /of type function, which JSON cannot carry/],
  [
    'returns an invalid block',
    () => ({ content: [{ type: 'image', data: 'x y', mimeType: 'image/png' }] }),
    /content\[0\]\.data must be padded base64.*correct it/,
  ],
  [
    'calls ctx.log',
    (_, ctx) => (js(ctx.log) as (text: string) => void)('text'),
    /log has a method for each level, such as log\.info/,
  ],
  [
    'does not await work that calls ctx.log',
    (_, ctx) => {
      queueMicrotask(() => queueMicrotask(() => setImmediate(() => ctx.log.info('late'))))
    },
    /called after the handler had returned.*await the work/,
  ],
  [
    'does not await a question',
    (_, ctx) => {
      void ctx.elicit('Name?', z.object({ name: z.string() }))
    },
    /"a" returned before its ctx\.elicit was answered; await it/,
  ],
  [
    'asks with an object of schemas',
    // @ts-expect-error The compiler refuses it as well.
    (_, ctx) => ctx.elicit('Sure?', { ok: z.boolean() }),
    /object of schemas.*z\.object/,
  ],
  [
    'passes a text as progress',
    (_, ctx) => void ctx.progress(js('50%')),
    /ctx\.progress takes a number, a total and a text, such as ctx\.progress\(50, 100/,
  ],
  [
    'reports smaller progress, to a client that has not requested it',
    async (_, ctx) => {
      for (const value of [1, 3, 2]) await ctx.progress(value)
    },
    /smaller value, .*report values that grow/,
  ],
])
