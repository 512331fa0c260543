import { McpServer, type RequestContext } from '@jetway/core'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { connectPeer, type TestConnection } from '../../src/peer.ts'

export const CANARY = 'canary-4711'
export const LATEST = '2025-11-25'
export const BATCHING = '2025-03-26'

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export interface Bench {
  readonly server: McpServer
  readonly peer: TestConnection
  /** Every argument that reached a handler. */
  readonly reached: unknown[]
  /** The ctx of every call. */
  readonly contexts: RequestContext[]
  /** Ends the calls of the tool `waits`. */
  readonly release: () => void
}

export async function serve(revision: string = LATEST): Promise<Bench> {
  const reached: unknown[] = []
  const contexts: RequestContext[] = []
  const waiting: (() => void)[] = []
  const quiet = (): void => {}
  const server = new McpServer(
    { name: 'target', version: '1.0.0' },
    { logger: { debug: quiet, info: quiet, warn: quiet, error: quiet } },
  )
  server.addTool({
    name: 'echo',
    inputSchema: { type: 'object' },
    handler(args, ctx) {
      reached.push(args)
      contexts.push(ctx)
      return args
    },
  })
  server.addTool({
    name: 'waits',
    inputSchema: { type: 'object' },
    async handler(args, ctx) {
      reached.push(args)
      contexts.push(ctx)
      await new Promise<void>((resolve) => waiting.push(resolve))
      await ctx.progress(100)
      ctx.log.error(CANARY)
      return args
    },
  })
  server.addPrompt({ name: 'prompt', arguments: [{ name: 'a' }], handler: ({ a = '' }) => a })
  server.addResourceTemplate({ uriTemplate: 'x://{id}', name: 'x', handler: ({ id }) => id })
  const [client, end] = createMemoryTransportPair()
  server.connect(end)
  const peer = await connectPeer(client, { revision })
  const release = (): void => waiting.splice(0).forEach((go) => go())
  return { server, peer, reached, contexts, release }
}

/** Whether the server still responds, and its other messages. */
export async function alive({ peer }: Bench): Promise<readonly unknown[]> {
  await turn()
  expect(await peer.request('ping', undefined, { id: 'sentinel' })).toEqual({
    jsonrpc: '2.0',
    id: 'sentinel',
    result: {},
  })
  return peer.strays
}

/** Fails each test of the file with an unhandled rejection or exception. */
export function failOnUnhandled(): void {
  beforeAll(() => {
    process.on('unhandledRejection', note)
    process.on('uncaughtException', note)
  })
  afterAll(() => {
    process.off('unhandledRejection', note)
    process.off('uncaughtException', note)
  })
  afterEach(async () => {
    // A rejection counts as unhandled at the end of its turn.
    await turn()
    await turn()
    expect(unhandled.splice(0)).toEqual([])
  })
}
