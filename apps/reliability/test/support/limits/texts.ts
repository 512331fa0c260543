import { settled } from '@jetway-apps/test-support'
import { ClientManager } from '@jetway/client/manager'
import { ProcessExitError } from '@jetway/client/stdio'
import { ToolError } from '@jetway/core'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { duplex } from '@jetway/client'
import { onTestFinished } from 'vitest'
import { overHttp } from './client.ts'
import { createServer, failureOf, type Limit, list, peer } from './row.ts'

const countX = (text: unknown): number => String(text).split('x').length - 1

/** Returns how many characters of an error's body the message contains. */
async function statusError(count: number): Promise<unknown> {
  const { message } = (await overHttp(() => new Response('x'.repeat(count), { status: 500 }))) as Error
  return countX(message.replace(/^.*HTTP/, ''))
}

/** Returns how many lines of output the message contains if a process has exited after `count` lines. */
const lines = (count: number): number =>
  new ProcessExitError(
    1,
    null,
    list(count, () => 'line'),
  ).message.split('\nline').length - 1

/** Returns how many of `count` connected servers an error message names. */
async function named(count: number): Promise<unknown> {
  const manager = new ClientManager({ name: 'limits', version: '1.0.0' }, { client: { eras: false } })
  onTestFinished(() => manager.closeAll())
  for (let i = 0; i < count; i++) {
    const [near, far] = createMemoryTransportPair()
    createServer().connect(far)
    await manager.connect(`x${i}`, () => duplex(near))
  }
  const { message } = (await failureOf(() => manager.callTool({ server: 'none', tool: 'a' }))) as Error
  return countX(message)
}

/** Returns how many characters of a text the status message of a running or failed task contains. */
async function statusMessage(text: string, how: 'runs' | 'fails'): Promise<unknown> {
  const server = createServer()
  server.addTool({
    name: 'a',
    taskSupport: 'required',
    async handler(_args, ctx) {
      if (how === 'fails') throw new ToolError(text)
      await ctx.progress(1, 2, text)
      return new Promise<string>(() => {})
    },
  })
  const client = await peer(server)
  const params = { name: 'a', arguments: {}, task: {} }
  const { result } = await client.request('tools/call', params)
  await settled()
  const { taskId } = (result as { readonly task: { readonly taskId: string } }).task
  const got = await client.request('tasks/get', { taskId })
  return countX((got.result as { readonly statusMessage?: string }).statusMessage)
}

/** Returns whether a handler receives a trace context with these members. */
async function trace(member: 'traceparent' | 'tracestate' | 'baggage', value: string): Promise<unknown> {
  const server = createServer()
  let found: unknown
  server.addTool({
    name: 'a',
    handler(_args, ctx) {
      found = ctx.trace?.[member]
      return ''
    },
  })
  const _meta = { traceparent: PARENT, [member]: value }
  await (await peer(server)).request('tools/call', { name: 'a', arguments: {}, _meta })
  return found === value
}
const PARENT = '01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const READ = { accepted: true, refused: false }

/** Limits on text from other programs. Longer text is truncated or omitted. */
export const TEXTS: readonly Limit[] = [
  { limit: 'characters of the body of an HTTP error in a message', most: 256, use: statusError, accepted: 256, refused: 256 },
  { limit: 'bytes that are read of the body of an HTTP error', most: 1_048_576, use: statusError, accepted: 256, refused: 0 },
  { limit: 'lines of stderr in a message', most: 10, use: lines, accepted: 10, refused: 10 },
  { limit: 'servers that a message names', most: 20, use: named, accepted: 20, refused: 20 },
  { limit: 'characters of the status message of a task that runs', most: 1_000, use: (length) => statusMessage('x'.repeat(length), 'runs'), accepted: 1_000, refused: 1_000 },
  { limit: 'characters of the status message of a task that has failed', most: 200, use: (length) => statusMessage('x'.repeat(length), 'fails'), accepted: 200, refused: 200 },
  { limit: 'characters of traceparent', most: 512, use: (length) => trace('traceparent', `${PARENT}-`.padEnd(length, '0')), ...READ },
  { limit: 'characters of tracestate', most: 8_192, use: (length) => trace('tracestate', 'a=b'.padEnd(length, ',')), ...READ },
  { limit: 'characters of baggage', most: 8_192, use: (length) => trace('baggage', 'a=b'.padEnd(length, 'c')), ...READ },
] // prettier-ignore
